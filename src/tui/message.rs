//! The one way into the desk.

use super::request::{RequestId, Response};
use crate::api::{ApiError, Reader};
use crate::config::Ground;
use crate::jobs::{Changed, Jobs};
use crate::tui::platform::images::Way;
use crate::tui::widgets::cells::Ambiguous;
use crossterm::event::{KeyEvent, MouseEvent};
use std::fmt;

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
    /// How the terminal shows pictures, as it has said.
    Pictures(Way),
    /// Whether the terminal is dark or light, as it has said.
    Background(Ground),
    /// How wide the terminal draws characters of ambiguous width, as it has said.
    Widths(Ambiguous),
    /// A question was answered.
    Response(RequestId, Response),
    /// A connection is being made: its state can be shown, and nothing asked but one ping.
    Connecting(Reader),
    /// There is a connection now; the screens may ask.
    Linked(Reader),
    /// There can be no connection, and why.
    LinkFailed(ApiError),
    /// Jobs can be handed in and watched now.
    Jobs(Handle),
    /// Something that belongs to a connection, by its number: dropped where another one is in use by now.
    Of(u64, Box<Message>),
    /// Something about the connection that a person should know.
    Odd(String),
    /// The journal cannot be used, and why: nothing can be sent.
    JournalFailed(String),
    /// The state of the link changed: the header shows it.
    Link,
    /// How far a question is: so much of so much.
    Progress(RequestId, u64, u64),
    /// A job changed.
    Job(Box<Changed>),
    /// A moment has come that something on the screen waits for: a spinner's next frame, a count that ends.
    Tick,
    /// The system asks the program to stop, as by `kill -TSTP`. For the loop, which holds the terminal.
    Stop,
    /// The program was stopped and goes on. For the loop.
    Continued,
    /// The system asks the program to end.
    Terminate,
    /// The terminal is gone: nothing can be read or drawn any more.
    InputClosed,
    /// A background task panicked; the text names the crash file.
    Crashed(String),
}

/// Where jobs are handed in.
#[derive(Clone)]
pub struct Handle(pub Jobs);

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handle")
    }
}
