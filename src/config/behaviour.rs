//! Settings of the TUI's behaviour: clipboard, refresh, notifications and recent searches.

use super::ui::Words;
use std::time::Duration;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClipboardChoice {
    /// This computer's clipboard when lapel runs locally, otherwise the terminal's.
    #[default]
    Auto,
    /// Only this computer's clipboard.
    Native,
    /// Only the terminal's clipboard.
    Osc52,
    Off,
}

/// How the TUI notifies a user who looks elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoticeChoice {
    #[default]
    Off,
    Bell,
    /// A desktop notification of the terminal.
    Desktop,
}

/// How often the TUI refreshes the visible data by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RefreshChoice {
    #[default]
    Off,
    HalfMinute,
    TwoMinutes,
}

impl RefreshChoice {
    /// The next choice: off, 30 s, 2 min, off.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Off => Self::HalfMinute,
            Self::HalfMinute => Self::TwoMinutes,
            Self::TwoMinutes => Self::Off,
        }
    }

    /// The time between two refreshes; `None` when off.
    pub fn every(self) -> Option<Duration> {
        match self {
            Self::Off => None,
            Self::HalfMinute => Some(Duration::from_secs(30)),
            Self::TwoMinutes => Some(Duration::from_secs(120)),
        }
    }
}

/// Whether lapel saves recent searches and offers them again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecentChoice {
    /// Saves them per profile in a private file.
    #[default]
    Kept,
    /// Saves none, and deletes the saved ones.
    Off,
}

impl Words for ClipboardChoice {
    const WORDS: &'static [(&'static str, Self)] =
        &[("auto", Self::Auto), ("native", Self::Native), ("osc52", Self::Osc52), ("off", Self::Off)];
}

impl Words for NoticeChoice {
    const WORDS: &'static [(&'static str, Self)] =
        &[("off", Self::Off), ("bell", Self::Bell), ("desktop", Self::Desktop)];
}

impl Words for RefreshChoice {
    const WORDS: &'static [(&'static str, Self)] =
        &[("off", Self::Off), ("30s", Self::HalfMinute), ("2m", Self::TwoMinutes)];
}

/// The settings of the TUI's behaviour. Only `config.toml` sets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BehaviourSettings {
    pub clipboard: ClipboardChoice,
    pub notice: NoticeChoice,
    pub refresh: RefreshChoice,
    pub recent: RecentChoice,
    /// Whether the TUI restores the previous session's view.
    pub restore: bool,
}

impl Default for BehaviourSettings {
    fn default() -> Self {
        Self {
            clipboard: ClipboardChoice::default(),
            notice: NoticeChoice::default(),
            refresh: RefreshChoice::default(),
            recent: RecentChoice::default(),
            restore: true,
        }
    }
}
