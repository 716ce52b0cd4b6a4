//! Messages to the loop: input, responses, job events, signals.

use crate::config::TerminalBackground;
use crate::jobs::JournalError;
use crate::tui::prelude::*;
use crate::tui::terminal_abilities::{Ambiguous, PictureOutput};
use crossterm::event::MouseEvent;
use std::fmt;

#[derive(Debug)]
pub enum Message {
    Key(KeyEvent),
    /// A key that was there together with the one before it: a paste without brackets sends its text like this. It
    /// does everything that a key does, except confirm.
    KeyAtOnce(KeyEvent),
    /// A bracketed paste. It is never read as keys.
    Paste(String),
    Mouse(MouseEvent),
    /// The terminal's new size: columns, rows.
    Resize(u16, u16),
    /// How the terminal shows pictures, from its answers.
    Pictures(PictureOutput),
    /// Whether the terminal is dark or light, from its answer.
    Background(TerminalBackground),
    /// How wide the terminal draws characters of ambiguous width, from its answer.
    Widths(Ambiguous),
    Response(Reply),
    /// A connection is being made. The TUI can show its status and send one ping, and nothing else.
    Connecting(Reader),
    /// The connection is ready for requests.
    Linked(Reader),
    LinkFailed(ApiError),
    /// The journal is open: jobs can be sent and watched.
    Jobs(Handle),
    /// A message of the connection with this number. It is dropped when another connection is in use.
    Of(u64, Box<Message>),
    /// A note about the connection for the user.
    Odd(String),
    /// The journal cannot be used, with the reason. Nothing can be sent.
    JournalFailed(JournalError),
    /// The team's database is away, with the reason, or it is back.
    JournalAway(Option<JournalError>),
    /// The connection status in the header has changed.
    Link,
    Progress(RequestId, u64, u64),
    Job(Box<JobChange>),
    /// A time has come that the screen waits for: the next frame of a spinner, the end of a countdown.
    Tick,
    /// As with `kill -TSTP`. Only the loop handles it, because it holds the terminal.
    Stop,
    /// After a stop. Only the loop handles it.
    Continued,
    /// The system asks the program to end.
    Terminate,
    /// The terminal is gone. Reading and drawing are no longer possible.
    InputClosed,
    /// A background task panicked. The text names the crash file.
    Crashed(String),
}

#[derive(Clone)]
pub struct Handle(pub Jobs);

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handle")
    }
}
