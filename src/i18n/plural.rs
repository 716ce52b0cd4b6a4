//! Plural forms: which form of a text belongs to a number. The names are those of the Unicode CLDR.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PluralForm {
    One,
    Few,
    Many,
    Other,
}

impl PluralForm {
    /// The form `other` has the English text itself.
    pub fn key(self, english: &str) -> String {
        let form = match self {
            Self::One => "one",
            Self::Few => "few",
            Self::Many => "many",
            Self::Other => return english.to_owned(),
        };
        format!("{english}|{form}")
    }
}

pub(super) const fn other(_: u64) -> PluralForm {
    PluralForm::Other
}

pub(super) const fn one_other(n: u64) -> PluralForm {
    if n == 1 { PluralForm::One } else { PluralForm::Other }
}
