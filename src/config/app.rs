//! The settings of the app itself, at the top of `config.toml`: look, language and behaviour of the TUI.

use super::pictures::PictureChoice;
use super::section::section;
use super::word_enums::{GlyphChoice, JoinedChoice, ThemeChoice, words};
use crate::config::prelude::*;
use crate::i18n::Language;

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

words! {
    #[derive(Default)]
    pub enum ClipboardChoice {
        /// This computer's clipboard when lapel runs locally, otherwise the terminal's.
        #[default]
        Auto = "auto",
        Native = "native",
        Osc52 = "osc52",
        Off = "off",
    }

    #[derive(Default)]
    pub enum NoticeChoice {
        #[default]
        Off = "off",
        Bell = "bell",
        Desktop = "desktop",
    }

    #[derive(Default)]
    pub enum RefreshChoice {
        #[default]
        Off = "off",
        HalfMinute = "30s",
        TwoMinutes = "2m",
    }
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
