//! How the desk behaves: where what is copied goes, whether it reads again by itself, how it calls a person.

use super::ui::Words;
use std::time::Duration;

/// Where what is copied goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClipboardChoice {
    /// To this computer's clipboard where lapel runs on it, else to the terminal's.
    #[default]
    Auto,
    /// To this computer's clipboard only.
    Native,
    /// To the terminal's clipboard only.
    Osc52,
    /// Nowhere.
    Off,
}

/// How the desk calls a person who looks elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoticeChoice {
    /// Not at all.
    #[default]
    Off,
    /// With the terminal's bell.
    Bell,
    /// With a notice of the terminal on the desktop.
    Desktop,
}

/// How often what is on the screen is read again by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RefreshChoice {
    /// Never.
    #[default]
    Off,
    /// Every 30 seconds.
    HalfMinute,
    /// Every 2 minutes.
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

    /// The time between two readings; none when it is off.
    pub fn every(self) -> Option<Duration> {
        match self {
            Self::Off => None,
            Self::HalfMinute => Some(Duration::from_secs(30)),
            Self::TwoMinutes => Some(Duration::from_secs(120)),
        }
    }
}

/// Whether what was looked up is kept, and offered again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecentChoice {
    /// It is, per profile, in a private file.
    #[default]
    Kept,
    /// It is not, and what was kept goes.
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

/// How the desk behaves. It comes from `config.toml` only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeskSettings {
    /// `clipboard`.
    pub clipboard: ClipboardChoice,
    /// `notice`.
    pub notice: NoticeChoice,
    /// `refresh`.
    pub refresh: RefreshChoice,
    /// `recent`.
    pub recent: RecentChoice,
    /// `restore`: whether the next desk begins as the last one ended.
    pub restore: bool,
}

impl Default for DeskSettings {
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
