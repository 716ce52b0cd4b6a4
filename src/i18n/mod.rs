//! lapel's texts in the user's language.
//!
//! The English text is in the code, inside [`t!`](crate::t), [`localizable!`](crate::localizable),
//! [`plural!`](crate::plural), [`count!`](crate::count) or [`tr_noop!`](crate::tr_noop). Each other language is one
//! file in `assets/` with the English texts as keys (`ko.toml`), and a line of `languages!`. The compiler checks an
//! English text against its arguments. A test checks the other languages against the English: complete, without unused
//! texts, and with the same placeholders.
//!
//! A key may end in `|` and a lower-case word: a [`PluralForm`], or a context, for an English word that another language
//! translates in two ways (`tr_noop!("sent|mail")`). No screen shows it.
//!
//! Words of the service (labels, statuses, titles, names) are never translated. Neither is text for programs:
//! JSON fields, column names, the log.

mod catalogue;
#[macro_use]
mod localizable;
mod list;
mod particles;
mod plural;
#[cfg(test)]
mod tests;
pub mod wait;

pub use catalogue::{fill, is_a_word, translated};
pub use list::list;
pub use localizable::{Given, Localizable, PlainValue, TextArgument, VERBATIM};
pub use plural::PluralForm;

use std::sync::atomic::{AtomicU8, Ordering};

macro_rules! languages {
    ($($(#[$meta:meta])* $language:ident: $code:literal, $name:literal, $plural:path $(, $file:literal)?;)+) => {
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum Language {
            $($(#[$meta])* $language),+
        }

        impl Language {
            pub const ALL: &[Self] = &[$(Self::$language),+];

            /// Every language with its code in settings and locales (ISO 639-1).
            pub const CODES: &[(&'static str, Self)] = &[$(($code, Self::$language)),+];

            pub const fn code(self) -> &'static str {
                match self { $(Self::$language => $code),+ }
            }

            /// The language's own name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$language => $name),+ }
            }

            /// The form of a text about a number.
            pub fn plural(self, number: u64) -> PluralForm {
                match self { $(Self::$language => $plural(number)),+ }
            }

            /// The file of its texts. None for the source language.
            const fn file(self) -> Option<&'static str> {
                match self { $(Self::$language => { let file: &[&str] = &[$(include_str!($file))?]; file.first().copied() }),+ }
            }
        }
    };
}

languages! {
    /// The source language of all texts.
    #[default]
    English: "en", "English", plural::one_other;
    Korean: "ko", "한국어", plural::other, "../../assets/ko.toml";
}

impl Language {
    /// `ko_KR.UTF-8` is Korean. English when lapel has no translation.
    pub fn of_locale(locale: &str) -> Self {
        let code = locale.split(['_', '.', '@', '-']).next().unwrap_or_default();
        let is = |language: &&Self| code.eq_ignore_ascii_case(language.code());
        Self::ALL.iter().find(is).copied().unwrap_or_default()
    }
}

/// As a place in [`Language::ALL`].
static SPOKEN: AtomicU8 = AtomicU8::new(0);

pub fn language() -> Language {
    Language::ALL.get(usize::from(SPOKEN.load(Ordering::Relaxed))).copied().unwrap_or_default()
}

/// English output for programs, which the user's language does not change.
const TO_PROGRAMS: u8 = u8::MAX;

/// Texts that were translated before stay unchanged.
pub fn set_language(language: Language) {
    let spoken = language as u8;
    // The update fails only while the output is for programs, and then English stays.
    let _ = SPOKEN
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |now| (now != TO_PROGRAMS).then_some(spoken));
}

/// English until the process ends, because a program reads the output. The settings cannot change it.
pub fn set_language_for_programs() {
    SPOKEN.store(TO_PROGRAMS, Ordering::Relaxed);
}

/// For a text that [`tr_noop!`](crate::tr_noop) marked in a table.
pub fn tr(english: &'static str) -> &'static str {
    in_language(language(), english)
}

/// English when the language lacks the text.
pub fn in_language(language: Language, english: &str) -> &str {
    translated(language, english).unwrap_or_else(|| without_context(english))
}

/// English when the language lacks the text.
pub fn in_form(language: Language, english: &'static str, number: u64) -> &'static str {
    translated(language, &language.plural(number).key(english))
        .unwrap_or_else(|| in_language(language, english))
}

/// `sent|mail` becomes `sent`.
fn without_context(english: &str) -> &str {
    match english.rsplit_once('|') {
        Some((text, context)) if !context.is_empty() && context.bytes().all(|c| c.is_ascii_lowercase()) => {
            text
        }
        _ => english,
    }
}

/// `4,312`, in both languages.
pub fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `t!("Nothing was sent.")` is a `&'static str`; `t!("{name} is empty.", name)` and `t!("{rows} of
/// {all}", rows, all = self.all())` are `String`s. A placeholder has a name and no format. Pass an
/// argument that needs a format as `format_args!("{x:.1}")`.
#[macro_export]
macro_rules! t {
    (@value $name:ident) => { $name };
    (@value $name:ident $value:expr) => { $value };
    ($text:literal $(,)?) => { $crate::i18n::tr($text) };
    ($text:literal, $($name:ident $(= $value:expr)?),+ $(,)?) => {
        match $crate::i18n::language() {
            $crate::i18n::Language::English => format!($text, $($name = $crate::t!(@value $name $($value)?)),+),
            _ => $crate::i18n::fill($crate::i18n::tr($text), &[$((stringify!($name), &$crate::t!(@value $name $($value)?))),+]),
        }
    };
}

/// `plural!(n, "{n} row was read", "{n} rows were read")`. Both texts have the placeholders; `n` is
/// the number with grouped digits. Further arguments follow as in [`t!`](crate::t). Other languages
/// translate the second text, in as many forms as they have.
#[macro_export]
macro_rules! plural {
    ($number:expr, $one:literal, $many:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        $crate::plural!(@forms $number, $one, $many $(, $name $(= $value)?)*)
    };
    (@forms $number:expr, $one:expr, $many:expr $(, $name:ident $(= $value:expr)?)*) => {{
        let number: u64 = $number;
        let n = $crate::i18n::number(number);
        match $crate::i18n::language() {
            $crate::i18n::Language::English if number == 1 => {
                format!($one, n = n $(, $name = $crate::t!(@value $name $($value)?))*)
            }
            $crate::i18n::Language::English => {
                format!($many, n = n $(, $name = $crate::t!(@value $name $($value)?))*)
            }
            language => $crate::i18n::fill(
                $crate::i18n::in_form(language, $many, number),
                &[("n", &n) $(, (stringify!($name), &$crate::t!(@value $name $($value)?)))*],
            ),
        }
    }};
}

/// `1 badge`, `3 badges`: `count!(n, "badge", "badges")` means `plural!(n, "{n} badge", "{n} badges")`.
#[macro_export]
macro_rules! count {
    ($number:expr, $one:literal, $many:literal $(,)?) => {
        $crate::plural!(@forms $number, concat!("{n} ", $one), concat!("{n} ", $many))
    };
}

/// Marks a text of a constant or a table for translation. Call [`tr`] where the text is displayed.
#[macro_export]
macro_rules! tr_noop {
    ($text:literal) => {
        $text
    };
}

/// Declares an enum together with the message of each variant, which is also its `Display` unless it needs an argument.
macro_rules! messages {
    ($(#[$meta:meta])* $vis:vis enum $name:ident;
     $(#[$about:meta])* $fn_vis:vis fn localizable $(($given:ident: $given_type:ty))?;
     $($(#[$doc:meta])* $variant:ident $({ $($field:ident: $type:ty),* })? $(($inner:ident: $of:ty))? => $message:expr;)+) => {
        $(#[$meta])*
        $vis enum $name { $($(#[$doc])* $variant $({ $($field: $type),* })? $(($of))?,)+ }

        impl $name {
            $(#[$about])*
            #[allow(unused_variables, reason = "a message need not name every field")]
            $fn_vis fn localizable(&self $(, $given: $given_type)?) -> $crate::i18n::Localizable {
                match self { $(Self::$variant $({ $($field),* })? $(($inner))? => $message,)+ }
            }
        }

        messages!(@display $name $($given)?);
    };
    (@display $name:ident $given:ident) => {};
    (@display $name:ident) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&self.localizable(), f)
            }
        }
    };
}
