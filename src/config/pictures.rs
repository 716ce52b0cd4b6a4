//! How the TUI shows pictures, by the settings and the terminal's environment variables.

use super::env::Env;
use super::word_enums::{GlyphChoice, ThemeChoice, words};

words! {
    #[derive(Default)]
    pub enum PictureChoice {
        /// The best method of the terminal, which lapel queries once.
        #[default]
        Auto = "auto",
        Kitty = "kitty",
        Iterm2 = "iterm2",
        Sixel = "sixel",
        /// Two coloured pixels per character, for every terminal with colours.
        Halfblocks = "halfblocks",
        None = "none",
    }
}

/// From environment variables, which may be out of date, for example in a tmux window that was
/// opened on another terminal. The terminal's own answer takes precedence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TerminalHints {
    /// tmux, screen or zellij. It only passes on sequences that it understands, and takes some
    /// queries for a window title.
    pub multiplexer: bool,
    /// It passes on wrapped sequences when its settings allow it.
    pub tmux: bool,
    /// The terminal would print queries about pictures.
    pub mute: bool,
    /// Hardly any colours, such as the Linux console.
    pub bare: bool,
    pub iterm2: bool,
    pub true_colour: bool,
}

/// Whether a terminal with this `TERM` only shows letters. It would print other escape sequences or lose them. Nothing is
/// known of one without a name; Windows names none.
pub fn is_plain_terminal(term: &str) -> bool {
    let plain = ["dumb", "linux", "vt", "ansi", "cons25"];
    cfg!(unix) && (term.is_empty() || plain.iter().any(|name| term.starts_with(name)))
}

impl TerminalHints {
    fn of(env: &Env) -> Self {
        let text = |name: &str| env.raw(name).map(|v| v.to_string_lossy().into_owned()).unwrap_or_default();
        let (term, program) = (text("TERM"), text("TERM_PROGRAM"));
        let begins = |with: &[&str]| with.iter().any(|w| term.starts_with(w));
        let tmux = env.raw("TMUX").is_some() || begins(&["tmux"]) || program == "tmux";
        Self {
            multiplexer: tmux
                || ["STY", "ZELLIJ"].iter().any(|name| env.raw(name).is_some())
                || begins(&["screen"]),
            tmux,
            mute: program == "Apple_Terminal",
            bare: is_plain_terminal(&term),
            iterm2: program.contains("iTerm")
                || program.contains("WezTerm")
                || text("LC_TERMINAL").contains("iTerm"),
            true_colour: matches!(text("COLORTERM").as_str(), "truecolor" | "24bit")
                || term.ends_with("-direct"),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PictureSettings {
    /// `auto` becomes `none` without colours or with ASCII glyphs.
    pub choice: PictureChoice,
    pub terminal: TerminalHints,
}

impl PictureSettings {
    pub fn none() -> Self {
        Self { choice: PictureChoice::None, terminal: TerminalHints::default() }
    }

    /// An explicit choice is always used.
    pub(super) fn resolve(choice: PictureChoice, env: &Env, appearance: (ThemeChoice, GlyphChoice)) -> Self {
        let terminal = TerminalHints::of(env);
        let plain = appearance.0 == ThemeChoice::None || appearance.1 == GlyphChoice::Ascii || terminal.bare;
        let choice = match choice {
            PictureChoice::Auto if plain => PictureChoice::None,
            explicit => explicit,
        };
        Self { choice, terminal }
    }
}
