//! What the terminal can do, how wide it draws some characters, and whether it is dark or light: asked once, after
//! the first frame and before anybody else reads what it says.
//!
//! The questions end with one that every terminal answers, so an answer to that ends the waiting. A terminal
//! that says nothing costs the bound, in the thread that reads the input; keys that are pressed meanwhile
//! are not lost, and nothing is drawn later for it.

use super::typed;
use crate::config::{GlyphChoice, Ground, PictureChoice, Pictures, TerminalHints, ThemeChoice};
use crate::tui::message::Message;
use crate::tui::platform::images::pack::{Protocol, Way};
use crate::tui::widgets::cells::Ambiguous;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// How long the answers are waited for.
const BOUND: Duration = Duration::from_millis(150);
/// How much longer, when one has begun: its rest would be read as keys.
const REST: Duration = Duration::from_millis(150);
/// No answer is longer than this.
const LONGEST: usize = 4096;

/// Kitty graphics? Which terminal? How large is a cell?
const PICTURES: &str = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[>0q\x1b[16t";
/// What may be asked through tmux and its like: they answer for themselves, and take the first of the
/// questions above for a title.
const PICTURES_BETWEEN: &str = "\x1b[16t";
/// Which colour is the background? It ends as old rxvt needs it: to the other end it gives half an answer.
const BACKGROUND: &str = "\x1b]11;?\x07";
/// How wide is a character whose width Unicode calls ambiguous? It is written at the beginning of the second row,
/// and the cursor's place is behind it. Of the first row the answer would be what shift and F3 send.
const WIDTH: &str = "\x1b[2;1H●\x1b[6n";
/// The row that is written over for that, from the top.
pub const ASKED_ROW: u16 = 1;
/// What every terminal answers.
const END: &str = "\x1b[c";
/// What a frame ends with, whatever became of all that.
const HIDDEN: &str = "\x1b[?25l";

/// How pictures are shown, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Not at all.
    Off,
    /// The terminal has to be asked, or has not answered yet.
    Asking,
    /// Like this.
    By(Way),
}

/// How pictures are shown before anybody is asked.
pub fn unasked(pictures: &Pictures) -> How {
    let way = |protocol| {
        let way = Way::new(protocol, measured(), pictures.terminal.true_colour);
        // Nobody would choose it in tmux who has not set it to hand such things on.
        let wrapped = pictures.terminal.tmux && matches!(protocol, Protocol::Kitty | Protocol::Iterm2);
        How::By(Way { wrapped, ..way })
    };
    match pictures.choice {
        PictureChoice::None => How::Off,
        PictureChoice::Kitty => way(Protocol::Kitty),
        PictureChoice::Iterm2 => way(Protocol::Iterm2),
        PictureChoice::Sixel => way(Protocol::Sixel),
        PictureChoice::Halfblocks => way(Protocol::Halfblocks),
        PictureChoice::Auto if pictures.terminal.mute || cfg!(not(unix)) => way(Protocol::Halfblocks),
        PictureChoice::Auto => How::Asking,
    }
}

/// The size of a cell in pixels, where the system knows it.
fn measured() -> Option<(u16, u16)> {
    let size = crossterm::terminal::window_size().ok()?;
    let cell = (size.width.checked_div(size.columns)?, size.height.checked_div(size.rows)?);
    is_cell(cell).then_some(cell)
}

/// A cell of less or more pixels is none.
fn is_cell((width, height): (u16, u16)) -> bool {
    (2..=200).contains(&width) && (2..=400).contains(&height)
}

/// Questions that have been asked.
#[derive(Debug)]
pub struct TerminalQueries {
    terminal: TerminalHints,
    pictures: bool,
    background: bool,
    width: bool,
}

/// What has come of the questions.
#[derive(Debug)]
pub struct Heard {
    /// What the desk has to be told: how pictures are shown, whether the terminal is dark or light, and the
    /// keys that came in between.
    pub messages: Vec<Message>,
    /// The time was over in the middle of an answer: what follows is the rest of it.
    pub broken_off: bool,
}

impl TerminalQueries {
    /// Asks, where there is something to be found out.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn ask(
        pictures: &Pictures,
        theme: ThemeChoice,
        glyphs: GlyphChoice,
        out: &mut impl Write,
    ) -> io::Result<Option<Self>> {
        let terminal = pictures.terminal;
        let asked = Self {
            terminal,
            pictures: unasked(pictures) == How::Asking,
            background: Ground::is_asked(theme, &terminal),
            // Where there are to be plain signs only, the terminal may not know this one.
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
        // The answer to the width is one that every terminal gives, too.
        let end = if asked.ends_with_width() { "" } else { END };
        out.write_all([width, about_pictures, background, end, HIDDEN].concat().as_bytes())?;
        out.flush()?;
        Ok(Some(asked))
    }

    /// Whether the question has left something on the screen, in the row [`ASKED_ROW`].
    pub fn has_written(&self) -> bool {
        self.width
    }

    fn ends_with_width(&self) -> bool {
        self.width && !self.pictures && !self.background
    }

    /// Waits for the answers, within the bound. Must be called before anything else reads the terminal. Where
    /// standard input is none, nobody has answered.
    pub fn listen(self) -> Heard {
        let mut answers = Answers { width_is_last: self.ends_with_width(), ..Answers::default() };
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
        Heard { messages, broken_off }
    }
}

/// Reads until the last question is answered or the time is over.
#[cfg(unix)]
fn read(answers: &mut Answers) {
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
                // The end of input is for the one who reads after this.
                Ok(0) => break,
                Ok(count) => answers.take(&buffer[..count]),
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
                Err(_) => break,
            },
            Err(_) => break,
        }
    }
}

/// What is being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Nothing,
    Escape,
    /// `ESC [ ...`
    Control,
    /// `ESC ] ...` and its like, up to BEL or `ESC \`.
    Text,
    /// An escape in such a text.
    TextEscape,
}

/// The answers as far as they have come.
#[derive(Debug, Default)]
pub struct Answers {
    kitty: bool,
    sixel: bool,
    name: Option<String>,
    cell: Option<(u16, u16)>,
    background: Option<Ground>,
    width: Option<Ambiguous>,
    /// The width is what was asked last.
    width_is_last: bool,
    /// The last question is answered.
    pub done: bool,
    /// What was no answer: keys, pastes.
    pub left: Vec<u8>,
    within: Within,
    begun: Vec<u8>,
}

impl Answers {
    /// Takes what the terminal has sent.
    pub fn take(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.take_one(*byte);
        }
    }

    /// Whether an answer, or a key of several bytes, has begun and not ended.
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
                // The key itself, and then something else.
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
            // Half an end, as old terminals write it: the next escape begins something else.
            (Within::TextEscape, 0x1b) => {
                self.text();
                self.begun.push(byte);
                Within::Escape
            }
            // Broken off by something else, which begins here.
            (Within::TextEscape, _) => {
                self.begun.clear();
                self.begun.push(0x1b);
                self.within = Within::Escape;
                return self.take_one(byte);
            }
        };
    }

    /// What is too long to be an answer is read on, and not kept: its rest is no key.
    fn goes_on(&mut self, byte: u8, within: Within) -> Within {
        if self.begun.len() < LONGEST {
            self.begun.push(byte);
        }
        within
    }

    /// Nothing more comes: an escape that nothing followed was the key.
    fn end(&mut self) {
        if self.within == Within::Escape {
            self.left.append(&mut self.begun);
        }
        self.within = Within::Nothing;
    }

    /// A control sequence, or a key with Alt, is complete.
    fn control(&mut self) {
        let begun = std::mem::take(&mut self.begun);
        let inner = begun.get(2..begun.len().saturating_sub(1)).unwrap_or_default();
        let inner = std::str::from_utf8(inner).unwrap_or_default();
        match (begun.last(), inner.strip_prefix('?')) {
            (Some(b'c'), Some(attributes)) if begun.get(1) == Some(&b'[') => {
                // The first says which class of terminal it is.
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

    /// A control string is complete. One that answers nothing is none of ours, and no key either.
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
                let colour = text.strip_prefix("11;").and_then(Ground::of_colour);
                self.background = colour.or(self.background);
            }
            _ => {}
        }
    }

    /// How pictures are shown, as far as the terminal has said.
    pub fn way(&self, terminal: &TerminalHints, measured: Option<(u16, u16)>) -> Way {
        let name = self.name.as_deref().unwrap_or_default();
        let is = |one: &str| name.starts_with(one);
        let cell = self.cell.or(measured);
        // By pixels, so their size has to be known; and a terminal that is silent is not believed to be what
        // its environment says.
        let by_pixels = self.done && cell.is_some();
        let iterm2 = is("iTerm2") || is("WezTerm") || (name.is_empty() && terminal.iterm2);
        let protocol = if terminal.multiplexer {
            if by_pixels && self.sixel { Protocol::Sixel } else { Protocol::Halfblocks }
        } else if iterm2 && by_pixels {
            Protocol::Iterm2
        } else if is("Konsole") {
            // It says yes to kitty, but not to the part of it by which pictures scroll away with the text,
            // and its sixels stay behind.
            Protocol::Halfblocks
        } else if self.kitty && self.done && !iterm2 {
            Protocol::Kitty
        } else if self.sixel && by_pixels {
            Protocol::Sixel
        } else {
            Protocol::Halfblocks
        };
        Way::new(protocol, cell, terminal.true_colour)
    }
}

#[cfg(test)]
#[path = "questions_tests.rs"]
mod tests;
