//! Colours and glyphs by role. A state is always a glyph and a word, so nothing is lost without colours.

use crate::config::{Environment, GlyphChoice, ThemeChoice};
use crate::domain::State;
use ratatui::style::{Color, Modifier, Style};

/// Styles by role.
#[derive(Clone, Copy, Debug)]
pub struct Theme {
    palette: ThemeChoice,
    environment: Environment,
}

impl Theme {
    /// The styles of a palette for an environment, whose accent colour they use.
    pub fn new(palette: ThemeChoice, environment: Environment) -> Self {
        Self { palette, environment }
    }

    /// One of two colours of the 256-colour cube, which tmux, ssh and old terminals have; at least 4.5:1
    /// against black and white.
    fn fg(&self, dark: u8, light: u8) -> Style {
        match self.palette {
            ThemeChoice::Dark => Style::new().fg(Color::Indexed(dark)),
            ThemeChoice::Light => Style::new().fg(Color::Indexed(light)),
            ThemeChoice::None => Style::new(),
        }
    }

    /// Ordinary text: the terminal's own.
    pub fn text(&self) -> Style {
        Style::new()
    }

    /// Text that may be passed over.
    pub fn dim(&self) -> Style {
        match self.palette {
            ThemeChoice::None => Style::new().add_modifier(Modifier::DIM),
            _ => self.fg(246, 241),
        }
    }

    /// Headings.
    pub fn strong(&self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The environment's accent.
    pub fn accent(&self) -> Style {
        match self.environment {
            Environment::Demo => self.fg(114, 22),
            Environment::Staging => self.fg(214, 94),
            Environment::Live => self.fg(210, 124),
        }
        .add_modifier(Modifier::BOLD)
    }

    /// A key in a hint.
    pub fn key(&self) -> Style {
        self.fg(255, 232).add_modifier(Modifier::BOLD)
    }

    /// The tab that is open.
    pub fn tab(&self) -> Style {
        self.accent().add_modifier(Modifier::UNDERLINED)
    }

    /// The selected row: one bar, not a patchwork of the colours that were in it.
    pub fn selected(&self) -> Style {
        Style::new().fg(Color::Reset).add_modifier(Modifier::REVERSED)
    }

    /// A mark.
    pub fn mark(&self) -> Style {
        self.fg(220, 94).add_modifier(Modifier::BOLD)
    }

    /// Something to look at before going on.
    pub fn warning(&self) -> Style {
        self.fg(214, 94)
    }

    /// Something that went wrong.
    pub fn error(&self) -> Style {
        self.fg(210, 124).add_modifier(Modifier::BOLD)
    }

    /// Something that went well.
    pub fn good(&self) -> Style {
        self.fg(114, 22)
    }

    /// A field's text; the one with the focus is underlined.
    pub fn field(&self, focused: bool) -> Style {
        if focused { Style::new().add_modifier(Modifier::UNDERLINED) } else { Style::new() }
    }

    /// A state's colour.
    pub fn state(&self, state: &State) -> Style {
        match state {
            State::Waiting => self.fg(117, 25),
            State::Issued => self.fg(114, 22),
            State::Revoking => self.fg(214, 94),
            State::Revoked => self.fg(210, 124),
            State::Expired => self.fg(180, 94),
            State::Other(_) => self.fg(183, 90),
        }
    }
}

/// The signs that stand beside words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named after what they stand for")]
pub struct Glyphs {
    pub waiting: &'static str,
    pub issued: &'static str,
    pub revoking: &'static str,
    pub revoked: &'static str,
    pub expired: &'static str,
    pub other: &'static str,
    pub cursor: &'static str,
    pub mark: &'static str,
    pub rule: &'static str,
    pub bar: &'static str,
    pub alert: &'static str,
    pub link: &'static str,
    pub dot: &'static str,
    pub dash: &'static str,
    pub ellipsis: &'static str,
    pub enter: &'static str,
    pub on: &'static str,
    pub off: &'static str,
    pub full: &'static str,
    pub half: &'static str,
    pub empty: &'static str,
    pub up: &'static str,
    pub down: &'static str,
    pub spinner: &'static [&'static str],
}

impl Glyphs {
    /// The set for terminals that draw Unicode.
    pub const UNICODE: Self = Self {
        waiting: "◌",
        issued: "●",
        revoking: "◍",
        revoked: "✕",
        expired: "◔",
        other: "?",
        cursor: "▌",
        mark: "◆",
        rule: "─",
        bar: "┃",
        alert: "▲",
        link: "●",
        dot: "·",
        dash: "—",
        ellipsis: "…",
        enter: "⏎",
        on: "(•)",
        off: "( )",
        full: "█",
        half: "▒",
        empty: "░",
        up: "↑",
        down: "↓",
        spinner: &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"],
    };

    /// The set for everything else.
    pub const ASCII: Self = Self {
        waiting: "o",
        issued: "*",
        revoking: "~",
        revoked: "x",
        expired: "%",
        other: "?",
        cursor: ">",
        mark: "+",
        rule: "-",
        bar: "|",
        alert: "!",
        link: "*",
        dot: "-",
        dash: "-",
        ellipsis: "~",
        enter: "enter",
        on: "(*)",
        off: "( )",
        full: "#",
        half: "=",
        empty: ".",
        up: "^",
        down: "v",
        spinner: &["|", "/", "-", "\\"],
    };

    /// The plain sign for one of typography that looks like it, for terminals that may not have it.
    pub fn plain(sign: &str) -> Option<&'static str> {
        Some(match sign {
            "“" | "”" => "\"",
            "‘" | "’" => "'",
            "‹" | "←" => "<",
            "›" | "→" => ">",
            "…" => "~",
            _ => return None,
        })
    }

    /// The set that was chosen.
    pub fn of(choice: GlyphChoice) -> Self {
        match choice {
            GlyphChoice::Unicode => Self::UNICODE,
            GlyphChoice::Ascii => Self::ASCII,
        }
    }

    /// The sign of a state.
    pub fn state(&self, state: &State) -> &'static str {
        match state {
            State::Waiting => self.waiting,
            State::Issued => self.issued,
            State::Revoking => self.revoking,
            State::Revoked => self.revoked,
            State::Expired => self.expired,
            State::Other(_) => self.other,
        }
    }
}
