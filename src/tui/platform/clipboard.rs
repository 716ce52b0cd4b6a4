//! The clipboard: which road a text takes to it, and what may honestly be said about it.
//!
//! * On this computer a program of its desktop takes it, and its exit code says whether it did.
//! * Inside tmux it is handed to tmux itself (`load-buffer -w`). With tmux's own settings
//!   (`set-clipboard external`) tmux throws away the sequence that a program inside it writes, wrapped or not,
//!   but passes on to its terminal what it is handed; and its own paste key works in any case.
//! * Elsewhere (ssh, no desktop) the terminal is asked with OSC 52. No terminal answers, and some refuse.
//!
//! Nothing goes out as it came: see [`clean`].

use crate::config::ClipboardChoice;
use crate::domain::text::scrub;
use crate::tui::platform::external::{Handing, Program};
use crate::tui::platform::host::{Around, Desktop};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::borrow::Cow;

/// The longest text for a terminal, in bytes: some take no sequence beyond 100,000 bytes, and this in base64
/// with what belongs round it is that much.
pub const LONGEST_FOR_TERMINAL: usize = 74_994;
/// The longest text for a program of this computer, in bytes.
pub const LONGEST: usize = 4 << 20;

/// A text on its way to the clipboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clip {
    /// The text; lines and tabs keep their meaning.
    pub text: String,
    /// What it is, for the middle of a sentence: `the badge id`.
    pub what: String,
    /// A sentence that is said before.
    pub before: Option<String>,
    /// A sentence that is said after.
    pub after: Option<String>,
}

/// The road to the clipboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Road {
    /// The setting says no.
    Off,
    /// There is none.
    None,
    /// A program takes it; where none does, `or_terminal` says whether the terminal is asked.
    Program {
        /// The programs, the best one first.
        programs: Vec<Program>,
        /// Whether the terminal is asked then.
        or_terminal: bool,
    },
    /// The terminal is asked.
    Terminal,
}

impl Road {
    /// The road from here.
    pub fn of(choice: ClipboardChoice, around: &Around) -> Self {
        let terminal = !around.is_plain();
        let asked = if terminal { Self::Terminal } else { Self::None };
        let program = |programs| Self::Program { programs, or_terminal: terminal };
        match choice {
            ClipboardChoice::Off => Self::Off,
            ClipboardChoice::Osc52 => asked,
            ClipboardChoice::Native => {
                Self::Program { programs: programs(around.desktop), or_terminal: false }
            }
            ClipboardChoice::Auto if around.tmux => {
                program(vec![Program::new(TMUX, &["load-buffer", "-w", "-"])])
            }
            ClipboardChoice::Auto if around.ssh || around.desktop.is_none() => asked,
            ClipboardChoice::Auto => program(programs(around.desktop)),
        }
    }

    /// The most bytes that can be taken along it.
    pub fn longest(&self) -> usize {
        if matches!(self, Self::Program { .. }) { LONGEST } else { LONGEST_FOR_TERMINAL }
    }

    /// What is handed to the programs of this road.
    pub fn handing(programs: &[Program], text: &str) -> Handing {
        let utf16 = programs.iter().all(|program| program.name == CLIP);
        let input = if utf16 {
            // clip.exe takes bytes for the code page of the day, unless they begin with this mark.
            "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
        } else {
            text.as_bytes().to_vec()
        };
        Handing { programs: programs.to_vec(), input: Some(input) }
    }
}

/// tmux, which is more than a program: what it takes it may pass on.
pub const TMUX: &str = "tmux";
const CLIP: &str = "clip.exe";

fn programs(desktop: Option<Desktop>) -> Vec<Program> {
    let xclip = Program::new("xclip", &["-selection", "clipboard", "-in"]);
    let xsel = Program::new("xsel", &["--clipboard", "--input"]);
    match desktop {
        Some(Desktop::Wayland) => {
            vec![Program::new("wl-copy", &["--type", "text/plain;charset=utf-8"]), xclip, xsel]
        }
        Some(Desktop::X11) | None => vec![xclip, xsel],
        Some(Desktop::Mac) => vec![Program::new("pbcopy", &[])],
        Some(Desktop::Windows | Desktop::Wsl) => vec![Program::new(CLIP, &[])],
    }
}

/// What the terminal is written. Inside tmux both forms: the plain one for `set-clipboard on`, the wrapped
/// one for `allow-passthrough on` and for a tmux that is too old to be handed anything. Whichever arrives,
/// it is the same text.
pub fn sequence(text: &str, around: &Around) -> String {
    let plain = format!("\x1b]52;c;{}\x1b\\", STANDARD.encode(text));
    if around.tmux { format!("{plain}{}", around.wrapped(&plain)) } else { plain }
}

/// A text without anything that a terminal, or a program that it is pasted into, would obey: every cell of
/// every line is scrubbed, as on the screen. Line breaks and tabs stay, since they are the table's own: a
/// value must not have any when it becomes a cell.
pub fn clean(text: &str) -> Cow<'_, str> {
    let whole = |line: &str| line.split('\t').all(|cell| matches!(scrub(cell), Cow::Borrowed(_)));
    if text.split('\n').all(whole) {
        return Cow::Borrowed(text);
    }
    let line = |line: &str| line.split('\t').map(scrub).collect::<Vec<_>>().join("\t");
    Cow::Owned(text.split('\n').map(line).collect::<Vec<_>>().join("\n"))
}

/// How many cells a spreadsheet would take for formulas, were they pasted into one.
pub fn formulas(text: &str) -> usize {
    let begins = |cell: &str| cell.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    text.split(['\n', '\t']).filter(|cell| begins(cell)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(road: &Road) -> Vec<&'static str> {
        match road {
            Road::Program { programs, .. } => programs.iter().map(|program| program.name).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn the_road_depends_on_where_one_is() {
        use ClipboardChoice::{Auto, Native, Off, Osc52};
        let here = Around { desktop: Some(Desktop::Wayland), ..Around::default() };
        let ssh = Around { ssh: true, ..here.clone() };
        let tmux = Around { tmux: true, ..ssh.clone() };
        let console = Around { term: "linux".into(), ..Around::default() };
        assert_eq!(names(&Road::of(Auto, &here)), ["wl-copy", "xclip", "xsel"]);
        assert_eq!(Road::of(Auto, &ssh), Road::Terminal, "the clipboard over there is nobody's");
        assert_eq!(Road::of(Auto, &Around::default()), Road::Terminal);
        assert_eq!(names(&Road::of(Auto, &tmux)), ["tmux"]);
        assert_eq!(Road::of(Auto, &console), Road::None);
        assert_eq!(names(&Road::of(Native, &tmux)), ["wl-copy", "xclip", "xsel"]);
        assert!(matches!(Road::of(Native, &tmux), Road::Program { or_terminal: false, .. }));
        assert!(matches!(Road::of(Auto, &here), Road::Program { or_terminal: true, .. }));
        assert_eq!(Road::of(Osc52, &here), Road::Terminal);
        assert_eq!(Road::of(Off, &here), Road::Off);
    }

    #[test]
    fn the_sequence_is_what_terminals_know() {
        assert_eq!(sequence("배지", &Around::default()), "\x1b]52;c;67Cw7KeA\x1b\\");
        let tmux = Around { tmux: true, ..Around::default() };
        assert_eq!(sequence("a", &tmux), "\x1b]52;c;YQ==\x1b\\\x1bPtmux;\x1b\x1b]52;c;YQ==\x1b\x1b\\\x1b\\");
        let longest = sequence(&"x".repeat(LONGEST_FOR_TERMINAL), &Around::default());
        assert!(longest.len() <= 100_001, "{}", longest.len());
    }

    #[test]
    fn the_clipboard_of_windows_is_told_that_it_is_unicode() {
        let road =
            Road::of(ClipboardChoice::Auto, &Around { desktop: Some(Desktop::Wsl), ..Around::default() });
        let Road::Program { programs, .. } = road else { panic!("{road:?}") };
        assert_eq!(Road::handing(&programs, "한").input, Some(vec![0xff, 0xfe, 0x5c, 0xd5]));
    }

    #[test]
    fn what_is_clean_goes_unchanged_and_nothing_hidden_goes_at_all() {
        for fine in ["7f3c-01", "kim+tag@naru.example", "한서윤\tseoyun@naru.example\n오지호\t", ""] {
            assert!(matches!(clean(fine), Cow::Borrowed(_)), "{fine}");
        }
        assert_eq!(clean("a\u{1b}]52;c;x\u{7}\tb\r\nc\u{202e}"), "a␛]52;c;x␇\tb␍\nc⟨U+202E⟩");
    }

    #[test]
    fn cells_that_a_spreadsheet_would_run_are_counted() {
        assert_eq!(formulas("name\temail\n=HYPERLINK(1)\t+82 10\n한\t＠x\n - y\t1-2"), 4);
    }

    proptest! {
        #[test]
        fn no_control_character_gets_through(text in any::<String>()) {
            let clean = clean(&text).into_owned();
            prop_assert!(clean.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'));
            prop_assert_eq!(clean.split('\n').count(), text.split('\n').count());
        }
    }
}
