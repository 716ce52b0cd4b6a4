//! How the desk looks and speaks: theme, glyphs, pictures, language.

use super::background::Ground;
use super::env::Env;
use super::pictures::{PictureChoice, Pictures};
use super::theme::{Palette, ThemeFile};
use crate::i18n::Language;

/// The colours of the desk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    /// Dark or light, as the terminal's background is.
    #[default]
    Auto,
    /// For a dark terminal.
    Dark,
    /// For a light terminal.
    Light,
    /// White on black and bright colours, on whatever terminal.
    HighContrast,
    /// The sixteen colours that the terminal itself has.
    Terminal,
    /// No colours at all: weight, reverse and words only.
    None,
}

/// The signs of the desk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GlyphChoice {
    /// Signs such as `●` and `▌`.
    #[default]
    Unicode,
    /// Plain ASCII signs.
    Ascii,
}

/// Letters that are joined into one, and how many cells they take, which terminals do not agree on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JoinedChoice {
    /// They are shown.
    #[default]
    Show,
    /// The first of them is shown, and a sign for the rest.
    Replace,
}

/// A setting that is one of a few words.
pub(super) trait Words: Sized + Copy + 'static {
    /// Every word with what it means.
    const WORDS: &'static [(&'static str, Self)];

    /// The word that names it.
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
    const WORDS: &'static [(&'static str, Self)] = &[("en", Self::English), ("ko", Self::Korean)];
}

impl ThemeChoice {
    /// The word that names it.
    pub fn word(self) -> &'static str {
        self.spelled()
    }

    /// Reads `auto`, `dark`, `light`, `high-contrast`, `terminal` or `none`.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::read(word)
    }
}

impl GlyphChoice {
    /// Reads `unicode` or `ascii`.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::read(word)
    }
}

/// How the desk looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ui {
    /// The colours.
    pub theme: Palette,
    /// The signs.
    pub glyphs: GlyphChoice,
    /// Joined letters.
    pub joined: JoinedChoice,
    /// The pictures.
    pub pictures: Pictures,
    /// The language.
    pub language: Language,
}

impl Ui {
    /// Flag, then environment (`NO_COLOR`, not empty), then file, then default. `auto` asks for no colours in
    /// particular, so `NO_COLOR` counts for more than such a flag. A locale without UTF-8 is a
    /// fact about the terminal rather than a wish, so it decides the glyphs only where nothing else does.
    pub(super) fn resolve(
        flags: (Option<ThemeChoice>, Option<GlyphChoice>, Option<PictureChoice>),
        env: &Env,
        file: (Option<ThemeChoice>, Option<GlyphChoice>, Option<PictureChoice>),
        language: Option<Language>,
        own: ThemeFile,
    ) -> Self {
        let no_color = env.raw("NO_COLOR").map(|_| ThemeChoice::None);
        let locale = if speaks_utf8(env) { GlyphChoice::Unicode } else { GlyphChoice::Ascii };
        let flag = flags.0.filter(|theme| *theme != ThemeChoice::Auto || no_color.is_none());
        let theme = flag.or(no_color).or(file.0).or(own.base).unwrap_or_default();
        let glyphs = flags.1.or(file.1).unwrap_or(locale);
        Self {
            theme: Palette { theme, ground: Ground::guess(env).unwrap_or_default(), colours: own.colours },
            glyphs,
            joined: JoinedChoice::default(),
            pictures: Pictures::resolve(flags.2, env, file.2, (theme, glyphs)),
            language: language.unwrap_or_else(|| spoken(env)),
        }
    }
}

/// The language that the environment asks for: the first of the three variables that is set decides, as in the C
/// library.
pub fn spoken(env: &Env) -> Language {
    ["LC_ALL", "LC_MESSAGES", "LANG"]
        .iter()
        .find_map(|name| env.raw(name))
        .map_or(Language::English, |locale| Language::of_locale(&locale.to_string_lossy()))
}

/// The first of the three variables that is set decides, as in the C library. None set is the C locale.
fn speaks_utf8(env: &Env) -> bool {
    if cfg!(windows) {
        return true;
    }
    ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| env.raw(name)).is_some_and(|locale| {
        let locale = locale.to_string_lossy().to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}
