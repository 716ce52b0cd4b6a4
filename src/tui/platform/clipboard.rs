//! The clipboard: the ways to copy a text, and what lapel knows about the result.
//!
//! * On this computer a desktop program takes the text. Its exit code says whether it did.
//! * Inside tmux, tmux itself takes the text (`load-buffer -w`). With tmux's default setting (`set-clipboard
//!   external`) it drops OSC 52 from a program inside it, wrapped or not. But it passes a loaded buffer on to
//!   its terminal, and its own paste key always works.
//! * Elsewhere (ssh, no desktop) lapel sends OSC 52 to the terminal. No terminal answers, and some refuse.
//!
//! Every text is cleaned first: see [`clean`].

use crate::config::ClipboardChoice;
use crate::tui::platform::external::{Program, ProgramCall};
use crate::tui::platform::host::{Desktop, HostTerminal};
use crate::tui::prelude::*;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Limit for a text sent to a terminal, in bytes: 100,000 in base64 with its frame. Some terminals accept no more.
pub const LONGEST_FOR_TERMINAL: usize = 74_994;
/// Limit for a text passed to a program of this computer, in bytes.
pub const LONGEST: usize = 4 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiedText {
    /// Line breaks and tabs stay.
    pub text: String,
    /// A label for the text: `badge id`.
    pub what: String,
    /// A sentence before the result.
    pub before: Option<String>,
    /// A sentence after the result.
    pub after: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClipboardRoute {
    Off,
    None,
    Program {
        /// The best one first.
        programs: Vec<Program>,
        /// Whether to ask the terminal when no program takes the text.
        or_terminal: bool,
    },
    Terminal,
}

impl ClipboardRoute {
    pub fn of(choice: ClipboardChoice, host: &HostTerminal) -> Self {
        let terminal = !host.is_plain;
        let asked = if terminal { Self::Terminal } else { Self::None };
        let program = |programs| Self::Program { programs, or_terminal: terminal };
        match choice {
            ClipboardChoice::Off => Self::Off,
            ClipboardChoice::Osc52 => asked,
            ClipboardChoice::Native => Self::Program { programs: programs(host.desktop), or_terminal: false },
            ClipboardChoice::Auto if host.tmux => {
                program(vec![Program::new(TMUX, &["load-buffer", "-w", "-"])])
            }
            ClipboardChoice::Auto if host.ssh || host.desktop.is_none() => asked,
            ClipboardChoice::Auto => program(programs(host.desktop)),
        }
    }

    pub fn call(programs: &[Program], text: &str) -> ProgramCall {
        let utf16 = programs.iter().all(|program| program.name == CLIP);
        let input = if utf16 {
            // clip.exe reads bytes in the current code page unless they begin with a byte order mark.
            "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
        } else {
            text.as_bytes().to_vec()
        };
        ProgramCall { programs: programs.to_vec(), input: Some(input) }
    }
}

/// A text loaded into tmux may also reach its terminal.
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

/// The OSC 52 sequence. Inside tmux it has both forms with the same text. The plain form is for `set-clipboard
/// on`. The wrapped form is for `allow-passthrough on`, and for a tmux that is too old for `load-buffer -w`.
pub fn sequence(text: &str, host: &HostTerminal) -> String {
    let plain = format!("\x1b]52;c;{}\x1b\\", STANDARD.encode(text));
    if host.tmux { format!("{plain}{}", host.wrapped(&plain)) } else { plain }
}

/// Removes everything that a terminal or the receiver of the paste would obey. Line breaks and tabs stay because
/// they separate cells: remove them from a value before it becomes a cell.
pub fn clean(text: &str) -> Cow<'_, str> {
    let whole = |line: &str| line.split('\t').all(|cell| matches!(scrub(cell), Cow::Borrowed(_)));
    if text.split('\n').all(whole) {
        return Cow::Borrowed(text);
    }
    let line = |line: &str| line.split('\t').map(scrub).collect::<Vec<_>>().join("\t");
    Cow::Owned(text.split('\n').map(line).collect::<Vec<_>>().join("\n"))
}

/// Number of cells that a spreadsheet would read as formulas.
pub fn formulas(text: &str) -> usize {
    let begins = |cell: &str| cell.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    text.split(['\n', '\t']).filter(|cell| begins(cell)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(road: &ClipboardRoute) -> Vec<&'static str> {
        match road {
            ClipboardRoute::Program { programs, .. } => programs.iter().map(|program| program.name).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn the_road_depends_on_where_one_is() {
        use ClipboardChoice::{Auto, Native, Off, Osc52};
        let here = HostTerminal { desktop: Some(Desktop::Wayland), ..HostTerminal::default() };
        let ssh = HostTerminal { ssh: true, ..here.clone() };
        let tmux = HostTerminal { tmux: true, ..ssh.clone() };
        let console = HostTerminal { is_plain: true, ..HostTerminal::default() };
        assert_eq!(names(&ClipboardRoute::of(Auto, &here)), ["wl-copy", "xclip", "xsel"]);
        assert_eq!(
            ClipboardRoute::of(Auto, &ssh),
            ClipboardRoute::Terminal,
            "the clipboard over there is nobody's"
        );
        assert_eq!(ClipboardRoute::of(Auto, &HostTerminal::default()), ClipboardRoute::Terminal);
        assert_eq!(names(&ClipboardRoute::of(Auto, &tmux)), ["tmux"]);
        assert_eq!(ClipboardRoute::of(Auto, &console), ClipboardRoute::None);
        assert_eq!(names(&ClipboardRoute::of(Native, &tmux)), ["wl-copy", "xclip", "xsel"]);
        assert!(matches!(
            ClipboardRoute::of(Native, &tmux),
            ClipboardRoute::Program { or_terminal: false, .. }
        ));
        assert!(matches!(ClipboardRoute::of(Auto, &here), ClipboardRoute::Program { or_terminal: true, .. }));
        assert_eq!(ClipboardRoute::of(Osc52, &here), ClipboardRoute::Terminal);
        assert_eq!(ClipboardRoute::of(Off, &here), ClipboardRoute::Off);
    }

    #[test]
    fn the_sequence_is_what_terminals_know() {
        assert_eq!(sequence("배지", &HostTerminal::default()), "\x1b]52;c;67Cw7KeA\x1b\\");
        let tmux = HostTerminal { tmux: true, ..HostTerminal::default() };
        assert_eq!(sequence("a", &tmux), "\x1b]52;c;YQ==\x1b\\\x1bPtmux;\x1b\x1b]52;c;YQ==\x1b\x1b\\\x1b\\");
        let longest = sequence(&"x".repeat(LONGEST_FOR_TERMINAL), &HostTerminal::default());
        assert!(longest.len() <= 100_001, "{}", longest.len());
    }

    #[test]
    fn the_clipboard_of_windows_is_told_that_it_is_unicode() {
        let road = ClipboardRoute::of(
            ClipboardChoice::Auto,
            &HostTerminal { desktop: Some(Desktop::Wsl), ..HostTerminal::default() },
        );
        let ClipboardRoute::Program { programs, .. } = road else { panic!("{road:?}") };
        assert_eq!(ClipboardRoute::call(&programs, "한").input, Some(vec![0xff, 0xfe, 0x5c, 0xd5]));
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
