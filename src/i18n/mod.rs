//! What lapel says, in the language of the person who reads it.
//!
//! English stands where it is said, inside [`t!`](crate::t), [`plural!`](crate::plural),
//! [`count!`](crate::count) or [`tr_noop!`](crate::tr_noop); every other language is one file in `assets/` that has the
//! English text as the name of its own (`ko.toml`). The compiler holds an English text against its arguments; a
//! test holds the other languages against the English: complete, nothing that is no longer said, the same
//! placeholders.
//!
//! Words of the service (labels, statuses, titles, names) never go through here, nor does what a machine
//! reads: fields of JSON, names of columns, the log.

mod catalogue;
mod particles;
mod recognise;
#[cfg(test)]
mod tests;

pub use catalogue::{fill, translated};
pub use recognise::{Recognised, recognise};

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};

/// A language that lapel speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// English, which everything is written in first.
    #[default]
    English,
    /// Korean.
    Korean,
}

impl Language {
    /// All of them.
    pub const ALL: &[Self] = &[Self::English, Self::Korean];

    /// Its name in itself.
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Korean => "한국어",
        }
    }

    /// The language that a locale such as `ko_KR.UTF-8` names; English where lapel does not speak it.
    pub fn of_locale(locale: &str) -> Self {
        let language = locale.split(['_', '.', '@', '-']).next().unwrap_or_default();
        if language.eq_ignore_ascii_case("ko") { Self::Korean } else { Self::English }
    }
}

/// The language of this process. A person has one; nothing is said in two at the same time.
static SPOKEN: AtomicU8 = AtomicU8::new(0);

/// The language that is spoken.
pub fn language() -> Language {
    if SPOKEN.load(Ordering::Relaxed) == 1 { Language::Korean } else { Language::English }
}

/// English, whatever a person speaks: a program reads it.
const TO_PROGRAMS: u8 = 2;

/// Speaks another language from now on. What was put into words before stays as it was.
pub fn set_language(language: Language) {
    let spoken = u8::from(language == Language::Korean);
    // Whoever speaks to a program goes on to: nothing is done when this fails.
    let _ = SPOKEN
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |now| (now != TO_PROGRAMS).then_some(spoken));
}

/// Speaks English until the process ends, whatever the settings say: a program reads it.
pub fn set_language_for_programs() {
    SPOKEN.store(TO_PROGRAMS, Ordering::Relaxed);
}

/// A text that stands in a table, marked with [`tr_noop!`](crate::tr_noop) there, in the language that is spoken.
pub fn tr(english: &'static str) -> &'static str {
    match language() {
        Language::English => english,
        Language::Korean => translated(english).unwrap_or(english),
    }
}

/// A text of the catalogues in a language; as it is where that language lacks it.
pub fn in_language(language: Language, english: &str) -> &str {
    match language {
        Language::English => english,
        Language::Korean => translated(english).unwrap_or(english),
    }
}

/// `4312` as `4,312`: both languages write numbers like this.
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

/// A text with its arguments in a language that is not English; the English one where it is missing there.
/// For the macros.
#[doc(hidden)]
pub fn format_tr(english: &'static str, arguments: &[(&str, &dyn fmt::Display)]) -> String {
    fill(translated(english).unwrap_or(english), arguments)
}

/// A text in the language that is spoken.
///
/// `t!("Nothing was sent.")` is a `&'static str`; `t!("{name} is empty.", name)` and
/// `t!("{rows} of {all}", rows, all = self.all())` are `String`s. Placeholders have names and no format of
/// their own; an argument that needs one is handed in as `format_args!("{x:.1}")`.
#[macro_export]
macro_rules! t {
    (@value $name:ident) => { $name };
    (@value $name:ident $value:expr) => { $value };
    ($text:literal $(,)?) => { $crate::i18n::tr($text) };
    ($text:literal, $($name:ident $(= $value:expr)?),+ $(,)?) => {
        match $crate::i18n::language() {
            $crate::i18n::Language::English => format!($text, $($name = $crate::t!(@value $name $($value)?)),+),
            _ => $crate::i18n::format_tr($text, &[$((stringify!($name), &$crate::t!(@value $name $($value)?))),+]),
        }
    };
}

/// A text about a number of things: `plural!(n, "{n} row was read", "{n} rows were read")`. Both texts have the
/// placeholders; `n` stands for the number with its digits grouped. Further arguments follow as in [`t!`](crate::t).
/// Other languages translate the second text.
#[macro_export]
macro_rules! plural {
    ($number:expr, $one:literal, $many:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {{
        let number: u64 = $number;
        let n = $crate::i18n::number(number);
        if number == 1 && $crate::i18n::language() == $crate::i18n::Language::English {
            format!($one, n = n $(, $name = $crate::t!(@value $name $($value)?))*)
        } else {
            $crate::t!($many, n $(, $name $(= $value)?)*)
        }
    }};
}

/// `1 badge`, `3 badges`: `count!(n, "badge", "badges")`, which is `plural!(n, "{n} badge", "{n} badges")`.
#[macro_export]
macro_rules! count {
    ($number:expr, $one:literal, $many:literal $(,)?) => {{
        let number: u64 = $number;
        let n = $crate::i18n::number(number);
        match $crate::i18n::language() {
            $crate::i18n::Language::English if number == 1 => format!(concat!("{n} ", $one), n = n),
            $crate::i18n::Language::English => format!(concat!("{n} ", $many), n = n),
            _ => $crate::i18n::format_tr(concat!("{n} ", $many), &[("n", &n)]),
        }
    }};
}

/// Marks a text of a constant or a table for translation; [`tr`] puts it into the language that is spoken
/// where it is shown.
#[macro_export]
macro_rules! tr_noop {
    ($text:literal) => {
        $text
    };
}
