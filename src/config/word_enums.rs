//! Enums whose values are words of a settings file: the [`Words`] of each, and those of the look.

use crate::i18n::Language;

/// An enum whose values are words of a settings file. `words!` declares it.
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

macro_rules! words {
    ($($(#[$doc:meta])* pub enum $name:ident {
        $($(#[$about:meta])* $variant:ident = $word:literal,)+
    })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$about])* $variant,)+ }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub fn word(self) -> &'static str {
                $crate::config::word_enums::Words::spelled(self)
            }
        }

        impl $crate::config::word_enums::Words for $name {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant)),+];
        }
    )+};
}
pub(super) use words;

words! {
    #[derive(Default)]
    pub enum ThemeChoice {
        #[default]
        Auto = "auto",
        Dark = "dark",
        Light = "light",
        /// White on black and bright colours, on every terminal.
        HighContrast = "high-contrast",
        Terminal = "terminal",
        /// Only weight, reverse and words.
        None = "none",
    }

    #[derive(Default)]
    pub enum GlyphChoice {
        #[default]
        Unicode = "unicode",
        Ascii = "ascii",
    }

    /// Their width in cells differs between terminals.
    #[derive(Default)]
    pub enum JoinedChoice {
        #[default]
        Show = "show",
        /// Draws the first character and a sign for the rest.
        Replace = "replace",
    }
}

impl Words for Language {
    const WORDS: &'static [(&'static str, Self)] = Self::CODES;
}
