//! The one way into the desk.

use super::ask::{Answer, Ticket};
use crate::api::{ApiError, Reader};
use crate::jobs::Changed;
use crossterm::event::{KeyEvent, MouseEvent};

/// Everything that can happen to the desk.
#[derive(Debug)]
pub enum Message {
    /// A key was pressed.
    Key(KeyEvent),
    /// Text was pasted (bracketed): never taken for keys.
    Paste(String),
    /// The mouse did something.
    Mouse(MouseEvent),
    /// The terminal has another size now: columns, rows.
    Resize(u16, u16),
    /// A question was answered.
    Answer(Ticket, Answer),
    /// There is a connection now; the screens may ask.
    Linked(Reader),
    /// There can be no connection, and why.
    LinkFailed(ApiError),
    /// The journal cannot be used, and why: nothing can be sent.
    JournalFailed(String),
    /// The state of the link changed: the header shows it.
    Link,
    /// A job changed.
    Job(Box<Changed>),
    /// A moment has come that something on the screen waits for: a spinner's next frame, a count that ends.
    Tick,
    /// The system asks the program to end.
    Terminate,
    /// The terminal is gone: nothing can be read or drawn any more.
    InputClosed,
    /// A background task panicked; the text names the crash file.
    Crashed(String),
}
