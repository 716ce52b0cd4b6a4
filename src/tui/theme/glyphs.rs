//! The glyphs beside words.

use crate::config::GlyphChoice;
use crate::tui::prelude::*;

/// Declares the glyphs: each with its sign in Unicode and its sign in ASCII.
macro_rules! glyphs {
    ($($(#[$doc:meta])* $name:ident $(: $type:ty)? = $unicode:expr, $ascii:expr;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Glyphs { $($(#[$doc])* pub $name: glyphs!(@type $($type)?),)* }

        impl Glyphs {
            pub const UNICODE: Self = Self { $($name: $unicode,)* };
            pub const ASCII: Self = Self { $($name: $ascii,)* };
        }
    };
    (@type) => { &'static str };
    (@type $type:ty) => { $type };
}

glyphs! {
    waiting = "◌", "o";
    issued = "●", "*";
    revoking = "◍", "~";
    revoked = "✕", "x";
    expired = "◔", "%";
    other = "?", "?";
    cursor = "▌", ">";
    mark = "◆", "+";
    rule = "─", "-";
    /// The frame of a popup: the four corners, then its sides.
    frame: [&'static str; 5] = ["┌", "┐", "└", "┘", "│"], ["+", "+", "+", "+", "|"];
    /// A row that belongs to the one above it.
    // Not "+", which is a folded row.
    branch = "└", "`";
    bar = "┃", "|";
    /// Which part of a list is visible, in its right edge.
    position = "▐", "#";
    /// A stretch of time that has passed, and one that is to come.
    passed = "━", "=";
    ahead = "┄", ".";
    alert = "▲", "!";
    /// A group whose rows are hidden, and one whose rows are listed.
    folded = "▸", "+";
    unfolded = "▾", "-";
    /// Nothing is left to do.
    done = "✓", "v";
    link = "●", "*";
    dot = "·", "-";
    dash = "—", "-";
    ellipsis = "…", "~";
    on = "(•)", "(*)";
    off = "( )", "( )";
    full = "█", "#";
    half = "▒", "=";
    empty = "░", ".";
    /// One to seven eighths of a full column.
    eighths: [&'static str; 7] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"], [".", ".", ".", "#", "#", "#", "#"];
    /// One to eight eighths of a full row.
    rising: [&'static str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"], [".", ":", "-", "=", "+", "*", "#", "@"];
    up = "↑", "^";
    down = "↓", "v";
    spinner: &'static [&'static str] = &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"], &["|", "/", "-", "\\"];
}

impl Glyphs {
    /// For terminals that may not have typographic characters.
    pub fn plain(sign: &str) -> Option<&'static str> {
        Some(match sign {
            "“" | "”" => "\"",
            "‘" | "’" => "'",
            "‹" | "←" => "<",
            "›" | "→" => ">",
            "…" => "~",
            "┌" | "┐" | "└" | "┘" => "+",
            "─" => "-",
            "│" => "|",
            _ => return None,
        })
    }

    pub fn of(choice: GlyphChoice) -> Self {
        match choice {
            GlyphChoice::Unicode => Self::UNICODE,
            GlyphChoice::Ascii => Self::ASCII,
        }
    }

    /// The sign of a verdict: of its state, and of an overdue badge that of a warning.
    pub fn verdict(&self, verdict: &Verdict) -> &'static str {
        match verdict {
            verdict if verdict.is_overdue() => self.alert,
            verdict => self.state(&verdict.state()),
        }
    }

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
