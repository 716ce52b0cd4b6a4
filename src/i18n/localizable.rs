//! A text of lapel with its values, translated where it is displayed.

use super::{Language, PluralForm, fill, in_form, in_language, language};
use std::fmt;

/// The text of a [`Localizable`] that has no words of lapel.
pub const VERBATIM: &str = "{text}";

/// Made by [`localizable!`](crate::localizable). The journal stores it as a code with arguments, and
/// `Display` translates it. Modules that show nothing to users return this instead of a `String`.
#[derive(Clone, PartialEq, Eq)]
pub struct Localizable {
    text: &'static str,
    /// The number, and the English text for 1.
    plural: Option<(u64, &'static str)>,
    values: Vec<(&'static str, TextArgument)>,
}

#[derive(Clone, PartialEq, Eq)]
pub enum TextArgument {
    Plain(String),
    Localizable(Localizable),
}

impl Localizable {
    pub const fn new(text: &'static str, values: Vec<(&'static str, TextArgument)>) -> Self {
        Self { text, plural: None, values }
    }

    #[doc(hidden)]
    pub fn plural(
        number: u64,
        one: &'static str,
        many: &'static str,
        values: Vec<(&'static str, TextArgument)>,
    ) -> Self {
        Self { text: many, plural: Some((number, one)), values }
    }

    /// For a text that [`tr_noop!`](crate::tr_noop) marked in a table.
    pub const fn of(text: &'static str) -> Self {
        Self::new(text, Vec::new())
    }

    /// The same in every language, such as a word of the service.
    pub fn verbatim(text: impl Into<String>) -> Self {
        Self::new(VERBATIM, vec![("text", TextArgument::Plain(text.into()))])
    }

    /// For a file that has the same language for everybody.
    pub fn in_language(&self, language: Language) -> String {
        let text = match self.plural {
            Some((number, one))
                if language == Language::English && language.plural(number) == PluralForm::One =>
            {
                one
            }
            Some((number, _)) => in_form(language, self.text, number),
            None => in_language(language, self.text),
        };
        let values = self.values.iter().map(|(name, value)| (*name, value.in_language(language)));
        let values: Vec<(&str, String)> = values.collect();
        let values: Vec<(&str, &dyn fmt::Display)> =
            values.iter().map(|(name, value)| (*name, value as &dyn fmt::Display)).collect();
        if values.is_empty() { text.to_owned() } else { fill(text, &values) }
    }

    /// English, with its placeholders.
    pub fn text(&self) -> &'static str {
        self.text
    }

    pub fn values(&self) -> &[(&'static str, TextArgument)] {
        &self.values
    }
}

impl fmt::Display for Localizable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.in_language(language()))
    }
}

impl std::error::Error for Localizable {}

impl fmt::Debug for Localizable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl TextArgument {
    fn in_language(&self, language: Language) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::Localizable(message) => message.in_language(language),
        }
    }
}

impl From<Localizable> for TextArgument {
    fn from(message: Localizable) -> Self {
        Self::Localizable(message)
    }
}

impl From<String> for TextArgument {
    fn from(text: String) -> Self {
        Self::Plain(text)
    }
}

impl From<&str> for TextArgument {
    fn from(text: &str) -> Self {
        Self::Plain(text.to_owned())
    }
}

/// Any value that can be displayed, or a [`Localizable`], which stays one.
#[doc(hidden)]
pub struct Given<T>(pub T);

impl Given<&Localizable> {
    pub fn value(self) -> TextArgument {
        TextArgument::Localizable(self.0.clone())
    }
}

impl Given<&&Localizable> {
    pub fn value(self) -> TextArgument {
        TextArgument::Localizable((*self.0).clone())
    }
}

/// A method of a type comes before that of a trait, so a [`Localizable`] is not formatted.
#[doc(hidden)]
pub trait PlainValue {
    fn value(self) -> TextArgument;
}

impl<T: fmt::Display> PlainValue for Given<T> {
    fn value(self) -> TextArgument {
        TextArgument::Plain(self.0.to_string())
    }
}

/// `localizable!("the name is empty")`, `localizable!("{rows} of {all}", rows, all = self.all())`.
/// The compiler checks the placeholders as with [`t!`](crate::t). A value that is itself
/// [`Localizable`] is translated with it.
#[macro_export]
macro_rules! localizable {
    ($text:literal $(,)?) => { $crate::i18n::Localizable::new($text, Vec::new()) };
    ($text:literal, $($name:ident $(= $value:expr)?),+ $(,)?) => {{
        #[allow(unused_imports, reason = "unused if every value is Localizable")]
        use $crate::i18n::PlainValue as _;
        let _ = |$($name: &str),+| { let _ = format_args!($text, $($name = $name),+); };
        $crate::i18n::Localizable::new(
            $text,
            vec![$((stringify!($name), $crate::i18n::Given(&$crate::t!(@value $name $($value)?)).value())),+],
        )
    }};
}

/// With the arguments of [`plural!`](crate::plural).
#[macro_export]
macro_rules! localizable_plural {
    ($number:expr, $one:literal, $many:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {{
        #[allow(unused_imports, reason = "unused if every value is Localizable")]
        use $crate::i18n::PlainValue as _;
        let number: u64 = $number;
        let n = $crate::i18n::number(number);
        let _ = |n: &str $(, $name: &str)*| {
            let _ = (format_args!($one, n = n $(, $name = $name)*), format_args!($many, n = n $(, $name = $name)*));
        };
        $crate::i18n::Localizable::plural(
            number,
            $one,
            $many,
            vec![
                ("n", $crate::i18n::Given(&n).value())
                $(, (stringify!($name), $crate::i18n::Given(&$crate::t!(@value $name $($value)?)).value()))*
            ],
        )
    }};
}
