//! The fields of a filter, and what is typed into them.

use super::line::values_with;
use crate::config::nearest;
use crate::domain::narrowing::is_word;
use crate::domain::{BadgeTypeCode, MailIs, StateIs};
use crate::tui::prelude::*;
use crate::tui::widgets::record_field::field_title;
use jiff::ToSpan;
use jiff::civil::Date;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    Text,
    /// `YYYY-MM-DD`.
    Date,
    /// Y or N.
    YesNo,
    /// A badge type of the contract, its beginning, or its name.
    BadgeType,
    /// The id of a category, or its name.
    Category,
    /// The id of a template, or the title of a loaded one.
    Template,
    /// A state. lapel compares it, not the service.
    State,
    /// A mail status. lapel compares it, not the service.
    Mail,
}

#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The field's name in the contract and in files.
    pub name: &'static str,
    pub label: &'static str,
    /// The word of the field in the filter line, with its colon: `title:`.
    pub word: &'static str,
    pub takes: Takes,
}

impl Spec {
    pub const fn new(name: &'static str, label: &'static str, word: &'static str, takes: Takes) -> Self {
        Self { name, label, word, takes }
    }

    /// A field of the service, with the title that it has in lists.
    pub const fn of(name: &'static str, word: &'static str, takes: Takes) -> Self {
        Self::new(name, field_title(name), word, takes)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilterValue {
    Empty,
    Text(String),
    Date(Date),
    YesNo(bool),
    BadgeType(BadgeTypeCode),
    State(StateIs),
    Mail(MailIs),
}

impl FilterValue {
    pub fn text(&self) -> Option<String> {
        if let Self::Text(text) = self { Some(text.clone()) } else { None }
    }

    pub fn date(&self) -> Option<Date> {
        if let Self::Date(date) = self { Some(*date) } else { None }
    }

    pub fn yes_no(&self) -> Option<bool> {
        if let Self::YesNo(yes) = self { Some(*yes) } else { None }
    }

    pub fn badge_type(&self) -> Option<BadgeTypeCode> {
        if let Self::BadgeType(code) = self { Some(code.clone()) } else { None }
    }

    pub fn state(&self) -> Option<StateIs> {
        if let Self::State(state) = self { Some(*state) } else { None }
    }

    pub fn mail(&self) -> Option<MailIs> {
        if let Self::Mail(mail) = self { Some(mail.clone()) } else { None }
    }

    /// The value as files keep it, the same in every language.
    pub fn written(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) => text.clone(),
            Self::Date(date) => date.to_string(),
            Self::YesNo(yes) => if *yes { "Y" } else { "N" }.to_owned(),
            Self::BadgeType(code) => code.wire().to_owned(),
            Self::State(state) => state.code().to_owned(),
            Self::Mail(mail) => mail.code().to_owned(),
        }
    }
}

/// A value that the service knows by a code or an id, with the name that people see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterChoice {
    pub field: &'static str,
    pub value: String,
    pub name: String,
}

/// What typed words may stand for.
#[derive(Clone, Debug, Default)]
pub struct FilterContext {
    pub choices: Vec<FilterChoice>,
    /// The service's date.
    pub today: Option<Date>,
    /// The mail status of the current filter. It stays accepted, even if no row has this word.
    pub applied_mail: Option<String>,
}

impl FilterContext {
    pub fn choices_of(&self, spec: Spec) -> impl Iterator<Item = &FilterChoice> {
        self.choices.iter().filter(move |choice| choice.field == spec.name)
    }

    /// The word for a choice: its name, or its value if another choice has the same name.
    pub fn word_of<'a>(&self, spec: Spec, choice: &'a FilterChoice) -> &'a str {
        let name = choice.name.trim();
        if name == choice.value {
            return name;
        }
        let is_other = |other: &FilterChoice| {
            other.value != choice.value
                && (other.name.trim().to_lowercase() == name.to_lowercase()
                    || other.value.eq_ignore_ascii_case(name))
        };
        if self.choices_of(spec).any(is_other) { &choice.value } else { name }
    }

    /// The value of a typed name, or a typed value itself. Of words of the service, spaces and hyphens count
    /// only between values that are otherwise the same: a suggestion appears without them, too. The service looks for a
    /// part of a title, and another id is another record, so they count there.
    fn value_of(&self, spec: Spec, typed: &str) -> Option<&str> {
        let whole = typed.to_lowercase();
        let is_word = matches!(spec.takes, Takes::Mail | Takes::Category | Takes::BadgeType);
        let named = || self.choices_of(spec).find(|choice| choice.name.trim().to_lowercase() == whole);
        let choice = self.choices_of(spec).find(|choice| choice.value.to_lowercase() == whole);
        choice
            .or_else(named)
            .map(|choice| choice.value.as_str())
            .or_else(|| is_word.then(|| self.only_value_like(spec, typed)).flatten())
    }

    fn only_value_like(&self, spec: Spec, typed: &str) -> Option<&str> {
        let typed = plain(typed);
        let is_like =
            |choice: &&FilterChoice| [&choice.value, &choice.name].iter().any(|word| plain(word) == typed);
        let mut like = self.choices_of(spec).filter(is_like).map(|choice| choice.value.as_str());
        let first = like.next().filter(|_| !typed.is_empty())?;
        like.all(|other| other == first).then_some(first)
    }

    /// Whether this text is a misspelling of a known mail status. Any other text may be a word of the service that no
    /// loaded row has: the contract does not list them.
    fn is_misspelt_mail(&self, spec: Spec, typed: &str) -> bool {
        let is_applied =
            self.applied_mail.as_ref().is_some_and(|mail| mail.to_lowercase() == typed.to_lowercase());
        if is_applied || self.value_of(spec, typed).is_some() {
            return false;
        }
        let seen = self.choices_of(spec).map(|choice| choice.value.as_str());
        // `DONE` is no misspelling of `none`, and in Korean one letter makes another word.
        let first = |word: &str| word.chars().next().map(|first| first.to_ascii_lowercase());
        let is_like = |word: &&str| word.is_ascii() && first(word) == first(typed);
        nearest(typed, MailIs::KNOWN.iter().map(MailIs::code).chain(seen).filter(is_like)).is_some()
    }

    pub fn shown(&self, spec: Spec, written: &str) -> String {
        if spec.takes == Takes::Text {
            return written.to_owned();
        }
        match read(spec, written, self) {
            Ok(FilterValue::State(state)) => one_word(state.word()),
            Ok(FilterValue::Mail(mail)) => mail.word().map_or_else(|| written.to_owned(), one_word),
            _ => {
                let choice = self.choices_of(spec).find(|choice| choice.value == written);
                choice.map_or(written, |choice| self.word_of(spec, choice)).to_owned()
            }
        }
    }
}

/// A text for comparing: letter case, spaces and hyphens do not count.
pub fn plain(text: &str) -> String {
    text.to_lowercase().replace([' ', '-'], "")
}

/// A word in the user's language, without spaces, so that it needs no quotation marks.
pub fn one_word(english: &'static str) -> String {
    tr(english).to_lowercase().replace(' ', "")
}

/// Words for dates: the word, and the first and the last day that it means.
pub fn date_words(today: Date) -> Vec<(&'static str, Date, Date)> {
    let weekday = i64::from(today.weekday().to_monday_zero_offset());
    let plus = |date: Date, days: i64| date.checked_add(days.days()).unwrap_or(date);
    let monday = plus(today, -weekday);
    let before = plus(today.first_of_month(), -1);
    vec![
        (tr_noop!("today"), today, today),
        (tr_noop!("yesterday"), plus(today, -1), plus(today, -1)),
        (tr_noop!("this week"), monday, plus(monday, 6)),
        (tr_noop!("last week"), plus(monday, -7), plus(monday, -1)),
        (tr_noop!("this month"), today.first_of_month(), today.last_of_month()),
        (tr_noop!("last month"), before.first_of_month(), before),
        (tr_noop!("this year"), today.first_of_year(), today.last_of_year()),
    ]
}

pub fn is_end(spec: Spec) -> bool {
    spec.name.contains("_end_")
}

/// Checks a text that files keep.
///
/// # Errors
/// A translated text that names the field and its mistake.
pub fn check(spec: Spec, text: &str) -> Result<FilterValue, String> {
    read(
        spec,
        text,
        &FilterContext { applied_mail: Some(text.trim().to_owned()), ..FilterContext::default() },
    )
}

/// Checks the typed text of a field.
///
/// # Errors
/// A translated text that names the field and its mistake.
pub fn read(spec: Spec, typed: &str, known: &FilterContext) -> Result<FilterValue, String> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Ok(FilterValue::Empty);
    }
    let shown = scrub(typed);
    let label = tr(spec.label);
    match spec.takes {
        Takes::Text | Takes::Template | Takes::Category | Takes::Mail if judge(typed) != Likeness::None => {
            // For `Shape`, lapel asks the user when the filter closes.
            Err(t!("{label}: this looks like an API key; nothing was sent", label))
        }
        Takes::Text | Takes::Template => {
            Ok(FilterValue::Text(known.value_of(spec, typed).unwrap_or(typed).to_owned()))
        }
        Takes::Category => match known.value_of(spec, typed) {
            Some(id) => Ok(FilterValue::Text(id.to_owned())),
            None if known.choices_of(spec).next().is_none() => Ok(FilterValue::Text(typed.to_owned())),
            None => Err(t!("{label}: {shown} is neither the name nor the id of a category", label, shown)),
        },
        Takes::Date => {
            let words = known.today.map(date_words).unwrap_or_default();
            let named = words.into_iter().find(|(word, ..)| is_word(&typed.replace('-', " "), word));
            match named {
                Some((_, first, last)) => Ok(FilterValue::Date(if is_end(spec) { last } else { first })),
                None => Date::strptime("%Y-%m-%d", typed)
                    .map(FilterValue::Date)
                    .map_err(|_| t!("{label}: {shown} is not a date; use YYYY-MM-DD", label, shown)),
            }
        }
        Takes::YesNo => match typed.to_ascii_uppercase().as_str() {
            "Y" | "YES" => Ok(FilterValue::YesNo(true)),
            "N" | "NO" => Ok(FilterValue::YesNo(false)),
            _ => Err(t!("{label}: {shown} is not Y or N", label, shown)),
        },
        Takes::BadgeType => {
            let upper = known.value_of(spec, typed).unwrap_or(typed).to_ascii_uppercase();
            let fits = |code: &BadgeTypeCode| code.wire().starts_with(&upper);
            let mut fitting = BadgeTypeCode::KNOWN.into_iter().filter(fits);
            match (fitting.next(), fitting.next()) {
                (Some(code), None) => Ok(FilterValue::BadgeType(code)),
                (Some(_), Some(_)) => {
                    Err(t!("{label}: {shown} fits several values; type more", label, shown))
                }
                (None, _) => {
                    let all = list(values_with(spec, "", known).map(|one| one.word));
                    Err(t!("{label}: {shown} is none of {all}", label, shown, all))
                }
            }
        }
        Takes::State => StateIs::named(typed).map(FilterValue::State).ok_or_else(|| {
            let all = list(StateIs::ALL.map(|state| tr(state.word())));
            t!("{label}: {shown} is none of {all}", label, shown, all)
        }),
        Takes::Mail => match mail_named(typed) {
            MailIs::Word(word) if known.is_misspelt_mail(spec, &word) => {
                let own = known.choices_of(spec).filter(|choice| !is_known_mail(&choice.value));
                let own = own.map(|choice| scrub(&choice.value).into_owned());
                let words = MailIs::KNOWN.into_iter().filter_map(|mail| Some(tr(mail.word()?).to_owned()));
                let all = list(words.chain(own));
                Err(t!("{label}: {shown} is none of {all}", label, shown, all))
            }
            MailIs::Word(word) => {
                let word = known.value_of(spec, &word).map(str::to_owned).unwrap_or(word);
                Ok(FilterValue::Mail(MailIs::Word(word)))
            }
            mail => Ok(FilterValue::Mail(mail)),
        },
    }
}

/// Whether a text is a known value of the field, whole and as it is shown.
pub fn is_known(spec: Spec, typed: &str, known: &FilterContext) -> bool {
    match spec.takes {
        Takes::State | Takes::Date => read(spec, typed, known).is_ok(),
        Takes::Mail => is_known_mail(typed) || known.value_of(spec, typed).is_some(),
        Takes::Text | Takes::Template | Takes::Category | Takes::BadgeType => {
            known.value_of(spec, typed).is_some()
        }
        Takes::YesNo => false,
    }
}

/// Whether lapel has a word of its own for this mail status.
pub fn is_known_mail(word: &str) -> bool {
    !matches!(mail_named(word), MailIs::Word(_))
}

/// The mail status that a text names: one that lapel has a word for, otherwise the service's own word.
pub fn mail_named(typed: &str) -> MailIs {
    let is_it =
        |mail: &MailIs| is_word(typed, mail.code()) || mail.word().is_some_and(|word| is_word(typed, word));
    MailIs::KNOWN.into_iter().find(is_it).unwrap_or_else(|| MailIs::Word(typed.to_owned()))
}
