//! The settings of the app itself, at the top of `config.toml`: look, language and behaviour of the TUI.

use super::pictures::PictureChoice;
use super::section::section;
use super::toml_reader::TomlReader;
use super::ui::{GlyphChoice, JoinedChoice, ThemeChoice, Words};
use crate::i18n::Language;
use std::time::Duration;

section! {
    /// The settings as `config.toml` has them. A flag, the environment or the terminal can override the look:
    /// `Ui` has the result.
    pub struct AppSettings {
        default_profile: Option<String> => TomlReader::string;
        theme: Option<ThemeChoice> => TomlReader::word;
        glyphs: Option<GlyphChoice> => TomlReader::word;
        joined_text: JoinedChoice => TomlReader::word;
        pictures: Option<PictureChoice> => TomlReader::word;
        clipboard: ClipboardChoice => TomlReader::word;
        notice: NoticeChoice => TomlReader::word;
        refresh: RefreshChoice => TomlReader::word;
        /// Whether the TUI restores the previous session's view.
        restore: bool = true => TomlReader::truth;
        /// Whether lapel saves recent searches per profile in a private file, and offers them again. When off, lapel
        /// deletes the saved ones. Off on a mistake: a user who writes this setting most likely wants it off.
        recent: bool = true => TomlReader::truth_or_off;
        language: Option<Language> => TomlReader::word;
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClipboardChoice {
    /// This computer's clipboard when lapel runs locally, otherwise the terminal's.
    #[default]
    Auto,
    Native,
    Osc52,
    Off,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoticeChoice {
    #[default]
    Off,
    Bell,
    Desktop,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RefreshChoice {
    #[default]
    Off,
    HalfMinute,
    TwoMinutes,
}

impl RefreshChoice {
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Off => Self::HalfMinute,
            Self::HalfMinute => Self::TwoMinutes,
            Self::TwoMinutes => Self::Off,
        }
    }

    /// `None` when off.
    pub fn every(self) -> Option<Duration> {
        match self {
            Self::Off => None,
            Self::HalfMinute => Some(Duration::from_secs(30)),
            Self::TwoMinutes => Some(Duration::from_secs(120)),
        }
    }
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
