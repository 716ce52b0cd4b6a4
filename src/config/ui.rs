//! The look and language of the TUI: theme, glyphs, pictures, language.

use super::app::AppSettings;
use super::background::Ground;
use super::env::Env;
use super::pictures::Pictures;
use super::settings::Flags;
use super::theme::{Palette, ThemeFile};
use crate::i18n::Language;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    /// Dark or light, by the terminal's background.
    #[default]
    Auto,
    Dark,
    Light,
    /// White on black and bright colours, on every terminal.
    HighContrast,
    /// The terminal's own sixteen colours.
    Terminal,
    /// No colours: only weight, reverse and words.
    None,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GlyphChoice {
    /// Glyphs such as `●` and `▌`.
    #[default]
    Unicode,
    Ascii,
}

/// How to draw joined characters, whose width in cells differs between terminals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JoinedChoice {
    #[default]
    Show,
    /// Draws the first character and a sign for the rest.
    Replace,
}

/// A setting with a fixed set of words.
pub trait Words: Copy + Sized + 'static {
    const WORDS: &'static [(&'static str, Self)];

    fn spelled(self) -> &'static str
    where
        Self: PartialEq,
    {
        Self::WORDS.iter().find(|(_, meaning)| *meaning == self).map_or("", |(word, _)| word)
    }

    fn read(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(w, _)| *w == word).map(|(_, meaning)| *meaning)
    }
}

impl Words for ThemeChoice {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("auto", Self::Auto),
        ("dark", Self::Dark),
        ("light", Self::Light),
        ("high-contrast", Self::HighContrast),
        ("terminal", Self::Terminal),
        ("none", Self::None),
    ];
}

impl Words for GlyphChoice {
    const WORDS: &'static [(&'static str, Self)] = &[("unicode", Self::Unicode), ("ascii", Self::Ascii)];
}

impl Words for JoinedChoice {
    const WORDS: &'static [(&'static str, Self)] = &[("show", Self::Show), ("replace", Self::Replace)];
}

impl Words for Language {
    const WORDS: &'static [(&'static str, Self)] = Self::CODES;
}

impl ThemeChoice {
    pub fn word(self) -> &'static str {
        self.spelled()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ui {
    pub theme: Palette,
    pub glyphs: GlyphChoice,
    pub joined: JoinedChoice,
    pub pictures: Pictures,
    pub language: Language,
}

impl Ui {
    /// Flag, then environment (`NO_COLOR`, not empty), then file, then default. A theme flag `auto` requests
    /// no certain colours, so `NO_COLOR` takes precedence over it. A locale without UTF-8 describes the
    /// terminal and is not a request, so it chooses the glyphs only when no setting does.
    pub(super) fn resolve(flags: &Flags, env: &Env, app: &AppSettings, own: ThemeFile) -> Self {
        let no_color = env.raw("NO_COLOR").map(|_| ThemeChoice::None);
        let locale = if speaks_utf8(env) { GlyphChoice::Unicode } else { GlyphChoice::Ascii };
        let flag = flags.theme.filter(|theme| *theme != ThemeChoice::Auto || no_color.is_none());
        let theme = flag.or(no_color).or(app.theme).or(own.base).unwrap_or_default();
        let glyphs = flags.glyphs.or(app.glyphs).unwrap_or(locale);
        let pictures = flags.pictures.or(app.pictures).unwrap_or_default();
        Self {
            theme: Palette { theme, ground: Ground::guess(env).unwrap_or_default(), colours: own.colours },
            glyphs,
            joined: app.joined_text,
            pictures: Pictures::resolve(pictures, env, (theme, glyphs)),
            language: app.language.unwrap_or_else(|| spoken(env)),
        }
    }
}

/// The language of the environment. The first of the three variables that is set decides, as in the C
/// library.
pub fn spoken(env: &Env) -> Language {
    ["LC_ALL", "LC_MESSAGES", "LANG"]
        .iter()
        .find_map(|name| env.raw(name))
        .map_or(Language::English, |locale| Language::of_locale(&locale.to_string_lossy()))
}

/// Whether the locale is UTF-8. The first of the three variables that is set decides, as in the C library.
/// Without any of them, the locale is C.
fn speaks_utf8(env: &Env) -> bool {
    if cfg!(windows) {
        return true;
    }
    ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| env.raw(name)).is_some_and(|locale| {
        let locale = locale.to_string_lossy().to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}
