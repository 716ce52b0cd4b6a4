//! The glyphs beside words.

use crate::config::GlyphChoice;
use crate::domain::{State, Verdict};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The frame of a popup: the four corners, then its sides.
    pub frame: [&'static str; 5],
    /// A row that belongs to the one above it.
    pub branch: &'static str,
    pub bar: &'static str,
    /// Which part of a list is visible, in its right edge.
    pub position: &'static str,
    /// A stretch of time that has passed, and one that is to come.
    pub passed: &'static str,
    pub ahead: &'static str,
    pub alert: &'static str,
    /// A group whose rows are hidden, and one whose rows are listed.
    pub folded: &'static str,
    pub unfolded: &'static str,
    /// Nothing is left to do.
    pub done: &'static str,
    pub link: &'static str,
    pub dot: &'static str,
    pub dash: &'static str,
    pub ellipsis: &'static str,
    pub on: &'static str,
    pub off: &'static str,
    pub full: &'static str,
    pub half: &'static str,
    pub empty: &'static str,
    /// One to seven eighths of a full column.
    pub eighths: [&'static str; 7],
    /// One to eight eighths of a full row.
    pub rising: [&'static str; 8],
    pub up: &'static str,
    pub down: &'static str,
    pub spinner: &'static [&'static str],
}

impl Glyphs {
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
        frame: ["┌", "┐", "└", "┘", "│"],
        branch: "└",
        bar: "┃",
        position: "▐",
        passed: "━",
        ahead: "┄",
        alert: "▲",
        folded: "▸",
        unfolded: "▾",
        done: "✓",
        link: "●",
        dot: "·",
        dash: "—",
        ellipsis: "…",
        on: "(•)",
        off: "( )",
        full: "█",
        half: "▒",
        empty: "░",
        eighths: ["▏", "▎", "▍", "▌", "▋", "▊", "▉"],
        rising: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
        up: "↑",
        down: "↓",
        spinner: &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"],
    };

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
        frame: ["+", "+", "+", "+", "|"],
        // Not "+", which is a folded row.
        branch: "`",
        bar: "|",
        position: "#",
        passed: "=",
        ahead: ".",
        alert: "!",
        folded: "+",
        unfolded: "-",
        done: "v",
        link: "*",
        dot: "-",
        dash: "-",
        ellipsis: "~",
        on: "(*)",
        off: "( )",
        full: "#",
        half: "=",
        empty: ".",
        eighths: [".", ".", ".", "#", "#", "#", "#"],
        rising: [".", ":", "-", "=", "+", "*", "#", "@"],
        up: "^",
        down: "v",
        spinner: &["|", "/", "-", "\\"],
    };

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
            Verdict::Overdue { .. } => self.alert,
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
