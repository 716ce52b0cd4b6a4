//! Whether and how the desk shows pictures: what was asked for, and what the environment says about the
//! terminal.

use super::env::Env;
use super::ui::{GlyphChoice, ThemeChoice, Words};

/// How pictures are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureChoice {
    /// The best way that the terminal knows; it is asked once.
    #[default]
    Auto,
    /// The graphics protocol of kitty and Ghostty.
    Kitty,
    /// The protocol of iTerm2 and `WezTerm`.
    Iterm2,
    /// Sixel.
    Sixel,
    /// Two coloured pixels in each character: on every terminal with colours.
    Halfblocks,
    /// Not at all.
    None,
}

impl Words for PictureChoice {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("auto", Self::Auto),
        ("kitty", Self::Kitty),
        ("iterm2", Self::Iterm2),
        ("sixel", Self::Sixel),
        ("halfblocks", Self::Halfblocks),
        ("none", Self::None),
    ];
}

impl PictureChoice {
    /// Reads `auto`, `kitty`, `iterm2`, `sixel`, `halfblocks` or `none`.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::read(word)
    }

    /// Every word that is read.
    pub fn words() -> impl Iterator<Item = &'static str> {
        Self::WORDS.iter().map(|(word, _)| *word)
    }
}

/// What the environment says about the terminal. It may be out of date, as in a window of tmux that was
/// opened on another terminal: what the terminal itself answers counts for more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TerminalHints {
    /// tmux, screen or zellij stands between: it passes on only what it understands itself, and takes some
    /// questions for a title of the window.
    pub multiplexer: bool,
    /// It is tmux that stands between: what is wrapped up is handed on, where tmux is set to allow it.
    pub tmux: bool,
    /// It does not take questions about pictures well: it would print them.
    pub mute: bool,
    /// It has no colours to speak of, such as the console of Linux.
    pub bare: bool,
    /// It says that it is iTerm2 or `WezTerm`.
    pub iterm2: bool,
    /// It says that it has 24-bit colours.
    pub true_colour: bool,
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
            bare: cfg!(unix) && (term.is_empty() || begins(&["dumb", "linux", "vt", "ansi", "cons25"])),
            iterm2: program.contains("iTerm")
                || program.contains("WezTerm")
                || text("LC_TERMINAL").contains("iTerm"),
            true_colour: matches!(text("COLORTERM").as_str(), "truecolor" | "24bit")
                || term.ends_with("-direct"),
        }
    }
}

/// Whether and how the desk shows pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pictures {
    /// What was asked for, as far as it can be had: `auto` is `none` where there are no colours or only
    /// plain signs.
    pub choice: PictureChoice,
    /// The terminal, by the environment.
    pub terminal: TerminalHints,
}

impl Pictures {
    /// No pictures.
    pub fn none() -> Self {
        Self { choice: PictureChoice::None, terminal: TerminalHints::default() }
    }

    /// Flag, then file, then default; what is said in so many words is done.
    pub(super) fn resolve(
        flag: Option<PictureChoice>,
        env: &Env,
        file: Option<PictureChoice>,
        look: (ThemeChoice, GlyphChoice),
    ) -> Self {
        let terminal = TerminalHints::of(env);
        let plain = look.0 == ThemeChoice::None || look.1 == GlyphChoice::Ascii || terminal.bare;
        let choice = match flag.or(file).unwrap_or_default() {
            PictureChoice::Auto if plain => PictureChoice::None,
            said => said,
        };
        Self { choice, terminal }
    }
}
