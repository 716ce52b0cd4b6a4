//! Questions to the terminal: its graphics, the width of some characters, and its background. lapel asks once,
//! after the first frame and before anything else reads the terminal's answers.
//!
//! The last question is one that every terminal answers, so its answer ends the wait. A terminal without
//! answers costs the time limit, in the thread that reads the input. Keys pressed meanwhile are kept, and no
//! drawing waits.

use crate::config::{
    GlyphChoice, PictureChoice, PictureSettings, TerminalBackground, TerminalHints, ThemeChoice,
};
use crate::tui::input::typed;
use crate::tui::message::Message;
use crate::tui::platform::images::render;
use crate::tui::prelude::*;
use crate::tui::terminal_abilities::{Ambiguous, PictureOutput, Protocol};
use std::io::{self, IsTerminal, Write};
use std::time::Instant;

const BOUND: Duration = Duration::from_millis(150);
/// Additional wait for the rest of an answer. Otherwise the rest would be read as keys.
const REST: Duration = Duration::from_millis(150);
/// In bytes.
const LONGEST: usize = 4096;

/// Kitty graphics, the terminal's name, and the size of a cell.
const PICTURES: &str = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[>0q\x1b[16t";
/// Safe inside tmux and other multiplexers, which answer for themselves. They read the first question above as a
/// title.
const PICTURES_BETWEEN: &str = "\x1b[16t";
/// The background colour. Ends with BEL: after `ESC \`, old rxvt gives only half an answer.
const BACKGROUND: &str = "\x1b]11;?\x07";
/// A character of ambiguous width at the start of the second row, and the question for the cursor. In the first
/// row the answer would be the same bytes as Shift+F3.
const WIDTH: &str = "\x1b[2;1H●\x1b[6n";
/// The row that the width question overwrites, counted from 0.
pub const ASKED_ROW: u16 = 1;
/// The question that every terminal answers.
const END: &str = "\x1b[c";
/// Every frame ends with a hidden cursor.
const HIDDEN: &str = "\x1b[?25l";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureMode {
    #[default]
    Off,
    /// The terminal must be asked, or has not answered yet.
    Asking,
    By(PictureOutput),
}

/// How pictures are shown before the terminal has answered.
pub fn unasked(pictures: &PictureSettings) -> PictureMode {
    let way = |protocol| {
        let way = PictureOutput::new(protocol, measured(), pictures.terminal.true_colour);
        // A user who chooses this protocol in tmux has set tmux to pass sequences on.
        let wrapped = pictures.terminal.tmux && matches!(protocol, Protocol::Kitty | Protocol::Iterm2);
        PictureMode::By(PictureOutput { wrapped, ..way })
    };
    match pictures.choice {
        _ if !render::AVAILABLE => PictureMode::Off,
        PictureChoice::None => PictureMode::Off,
        PictureChoice::Kitty => way(Protocol::Kitty),
        PictureChoice::Iterm2 => way(Protocol::Iterm2),
        PictureChoice::Sixel => way(Protocol::Sixel),
        PictureChoice::Halfblocks => way(Protocol::Halfblocks),
        PictureChoice::Auto if pictures.terminal.mute || cfg!(not(unix)) => way(Protocol::Halfblocks),
        PictureChoice::Auto => PictureMode::Asking,
    }
}

/// Width and height of a cell in pixels, if the system knows them.
fn measured() -> Option<(u16, u16)> {
    let size = crossterm::terminal::window_size().ok()?;
    let cell = (size.width.checked_div(size.columns)?, size.height.checked_div(size.rows)?);
    is_cell(cell).then_some(cell)
}

fn is_cell((width, height): (u16, u16)) -> bool {
    (2..=200).contains(&width) && (2..=400).contains(&height)
}

#[derive(Debug)]
pub struct TerminalQueries {
    terminal: TerminalHints,
    pictures: bool,
    background: bool,
    width: bool,
}

#[derive(Debug)]
pub struct InputAtStart {
    pub messages: Vec<Message>,
    /// The time limit came in the middle of an answer. The next input is its rest.
    pub broken_off: bool,
}

impl TerminalQueries {
    pub fn ask(
        pictures: &PictureSettings,
        theme: ThemeChoice,
        glyphs: GlyphChoice,
        out: &mut impl Write,
    ) -> io::Result<Option<Self>> {
        let terminal = pictures.terminal;
        let asked = Self {
            terminal,
            pictures: unasked(pictures) == PictureMode::Asking,
            background: TerminalBackground::is_asked(theme, &terminal),
            // With ASCII glyphs the terminal may not know this character.
            width: cfg!(unix) && !terminal.bare && glyphs == GlyphChoice::Unicode,
        };
        if !asked.pictures && !asked.background && !asked.width {
            return Ok(None);
        }
        let about_pictures = match (asked.pictures, terminal.multiplexer) {
            (false, _) => "",
            (true, false) => PICTURES,
            (true, true) => PICTURES_BETWEEN,
        };
        let background = if asked.background { BACKGROUND } else { "" };
        let width = if asked.width { WIDTH } else { "" };
        // Every terminal also answers the width question.
        let end = if asked.ends_with_width() { "" } else { END };
        out.write_all([width, about_pictures, background, end, HIDDEN].concat().as_bytes())?;
        out.flush()?;
        Ok(Some(asked))
    }

    /// Whether the question has left text on the screen, in row [`ASKED_ROW`].
    pub fn has_written(&self) -> bool {
        self.width
    }

    fn ends_with_width(&self) -> bool {
        self.width && !self.pictures && !self.background
    }

    /// Call it before anything else reads the terminal. Standard input that is no terminal gives no answers.
    pub fn listen(self) -> InputAtStart {
        let mut answers =
            TerminalReplies { width_is_last: self.ends_with_width(), ..TerminalReplies::default() };
        #[cfg(unix)]
        if io::stdin().is_terminal() {
            read(&mut answers);
        }
        let broken_off = answers.within == Within::Text;
        answers.end();
        let mut messages = Vec::new();
        if self.background {
            tracing::debug!(answered = answers.done, found = ?answers.background, "asked for the background");
            messages.extend(answers.background.map(Message::Background));
        }
        if self.width {
            tracing::debug!(found = ?answers.width, "asked for the width of a sign");
            messages.extend(answers.width.map(Message::Widths));
        }
        if self.pictures {
            messages.push(Message::Pictures(answers.way(&self.terminal, measured())));
        }
        messages.extend(typed::messages(&answers.left));
        InputAtStart { messages, broken_off }
    }
}

#[cfg(unix)]
fn read(answers: &mut TerminalReplies) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = io::stdin();
    let mut end = Instant::now() + BOUND;
    let mut longer = false;
    let mut buffer = [0; 1024];
    while !answers.done || answers.is_within() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            if longer || !answers.is_within() {
                break;
            }
            longer = true;
            end += REST;
            continue;
        }
        let Ok(wait) = Timespec::try_from(left) else { break };
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&wait)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => match rustix::io::read(&stdin, &mut buffer) {
                // The next reader handles the end of the input.
                Ok(0) => break,
                Ok(count) => answers.take(&buffer[..count]),
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
                Err(_) => break,
            },
            Err(_) => break,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Nothing,
    Escape,
    /// `ESC [ ...`
    Control,
    /// A control string, like `ESC ] ...`, up to BEL or `ESC \`.
    Text,
    TextEscape,
}

#[derive(Debug, Default)]
pub struct TerminalReplies {
    kitty: bool,
    sixel: bool,
    name: Option<String>,
    cell: Option<(u16, u16)>,
    background: Option<TerminalBackground>,
    width: Option<Ambiguous>,
    width_is_last: bool,
    pub done: bool,
    /// Other input: keys and pastes.
    pub left: Vec<u8>,
    within: Within,
    begun: Vec<u8>,
}

impl TerminalReplies {
    pub fn take(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.take_one(*byte);
        }
    }

    /// Whether an answer, or a key of several bytes, is incomplete.
    pub fn is_within(&self) -> bool {
        self.within != Within::Nothing
    }

    fn take_one(&mut self, byte: u8) {
        self.within = match (self.within, byte) {
            (Within::Nothing, 0x1b) => {
                self.begun.push(byte);
                Within::Escape
            }
            (Within::Nothing, _) => {
                self.left.push(byte);
                Within::Nothing
            }
            (Within::Escape, 0x1b) => {
                // The first escape was the key. Another sequence begins here.
                self.left.push(byte);
                Within::Escape
            }
            (Within::Escape, b']' | b'P' | b'_' | b'^' | b'X') => self.goes_on(byte, Within::Text),
            (Within::Escape, b'[') | (Within::Control, 0x20..=0x3f) => self.goes_on(byte, Within::Control),
            (Within::Escape | Within::Control, _) => {
                self.begun.push(byte);
                self.control();
                Within::Nothing
            }
            (Within::Text, 0x07) | (Within::TextEscape, b'\\') => {
                self.text();
                Within::Nothing
            }
            (Within::Text, 0x1b) => Within::TextEscape,
            (Within::Text, _) => self.goes_on(byte, Within::Text),
            // Half an end, as old terminals write it. The next escape begins another sequence.
            (Within::TextEscape, 0x1b) => {
                self.text();
                self.begun.push(byte);
                Within::Escape
            }
            // Another sequence interrupts this one.
            (Within::TextEscape, _) => {
                self.begun.clear();
                self.begun.push(0x1b);
                self.within = Within::Escape;
                return self.take_one(byte);
            }
        };
    }

    /// Reads on after the length limit without storing, so that the rest does not become keys.
    fn goes_on(&mut self, byte: u8, within: Within) -> Within {
        if self.begun.len() < LONGEST {
            self.begun.push(byte);
        }
        within
    }

    /// Ends the input: a lone escape was the key.
    fn end(&mut self) {
        if self.within == Within::Escape {
            self.left.append(&mut self.begun);
        }
        self.within = Within::Nothing;
    }

    /// Also handles a key with Alt.
    fn control(&mut self) {
        let begun = std::mem::take(&mut self.begun);
        let inner = begun.get(2..begun.len().saturating_sub(1)).unwrap_or_default();
        let inner = std::str::from_utf8(inner).unwrap_or_default();
        match (begun.last(), inner.strip_prefix('?')) {
            (Some(b'c'), Some(attributes)) if begun.get(1) == Some(&b'[') => {
                // The first value is the terminal's class, not an attribute.
                self.sixel = attributes.split(';').skip(1).any(|a| a == "4");
                self.done = true;
            }
            (Some(b'R'), None) if inner.starts_with("2;") => {
                self.width = match &inner[2..] {
                    "2" => Some(Ambiguous::Narrow),
                    "3" => Some(Ambiguous::Wide),
                    _ => None,
                };
                self.done |= self.width_is_last;
            }
            (Some(b't'), None) if inner.starts_with("6;") => {
                let mut numbers = inner.split(';').skip(1).map(|n| n.parse::<u16>().unwrap_or(0));
                let (height, width) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
                self.cell = Some((width, height)).filter(|cell| is_cell(*cell));
            }
            _ => self.left.extend(begun),
        }
    }

    /// An unknown control string is dropped; it is not a key.
    fn text(&mut self) {
        let begun = std::mem::take(&mut self.begun);
        let text = String::from_utf8_lossy(begun.get(2..).unwrap_or_default());
        match begun.get(1) {
            Some(b'_') if text.starts_with("Gi=31") => self.kitty = text.ends_with(";OK"),
            Some(b'P') => {
                if let Some(name) = text.strip_prefix(">|") {
                    self.name = Some(name.to_owned());
                }
            }
            Some(b']') => {
                let colour = text.strip_prefix("11;").and_then(TerminalBackground::of_colour);
                self.background = colour.or(self.background);
            }
            _ => {}
        }
    }

    pub fn way(&self, terminal: &TerminalHints, measured: Option<(u16, u16)>) -> PictureOutput {
        let name = self.name.as_deref().unwrap_or_default();
        let is = |one: &str| name.starts_with(one);
        let cell = self.cell.or(measured);
        // These protocols need the cell size. Without the terminal's answers, the environment is not enough.
        let by_pixels = self.done && cell.is_some();
        let iterm2 = is("iTerm2") || is("WezTerm") || (name.is_empty() && terminal.iterm2);
        let protocol = if terminal.multiplexer {
            if by_pixels && self.sixel { Protocol::Sixel } else { Protocol::Halfblocks }
        } else if iterm2 && by_pixels {
            Protocol::Iterm2
        } else if is("Konsole") {
            // Konsole claims kitty graphics but lacks the placeholders that scroll with the text. Its sixels
            // do not disappear.
            Protocol::Halfblocks
        } else if self.kitty && self.done && !iterm2 {
            Protocol::Kitty
        } else if self.sixel && by_pixels {
            Protocol::Sixel
        } else {
            Protocol::Halfblocks
        };
        PictureOutput::new(protocol, cell, terminal.true_colour)
    }
}

#[cfg(test)]
mod tests;
