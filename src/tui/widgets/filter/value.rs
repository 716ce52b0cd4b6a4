//! The fields of a filter, and what is typed into them.

use super::line::values_with;
use crate::config::nearest;
use crate::domain::narrowing::{is_word, plain};
use crate::domain::{BadgeTypeCode, MailIs, StateIs};
use crate::tui::prelude::*;
use crate::tui::widgets::record_field::field_title;
use jiff::ToSpan;
use jiff::civil::Date;
use strum::EnumTryAs;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterFieldKind {
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
pub struct FilterField {
    /// The field's name in the contract and in files.
    pub name: &'static str,
    pub label: &'static str,
    /// The word of the field in the filter line, with its colon: `title:`.
    pub word: &'static str,
    pub takes: FilterFieldKind,
}

impl FilterField {
    pub const fn new(
        name: &'static str,
        label: &'static str,
        word: &'static str,
        takes: FilterFieldKind,
    ) -> Self {
        Self { name, label, word, takes }
    }

    pub const fn date(name: &'static str, label: &'static str, word: &'static str) -> Self {
        Self::new(name, label, word, FilterFieldKind::Date)
    }

    /// A field of the service, with the title that it has in lists.
    pub const fn of(name: &'static str, word: &'static str, takes: FilterFieldKind) -> Self {
        Self::new(name, field_title(name), word, takes)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, EnumTryAs)]
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    pub fn choices_of(&self, spec: FilterField) -> impl Iterator<Item = &FilterChoice> {
        self.choices.iter().filter(move |choice| choice.field == spec.name)
    }

    /// The choices of a field, each with its word: its name, or its value if another choice has the same name.
    pub fn words_of(&self, spec: FilterField) -> impl Iterator<Item = (&FilterChoice, &str)> {
        // By name, since comparing each of thousands of templates with all others takes seconds.
        let mut values: HashMap<String, HashSet<&str>> = HashMap::new();
        for choice in self.choices_of(spec) {
            for text in [choice.name.trim(), &choice.value] {
                values.entry(text.to_lowercase()).or_default().insert(&choice.value);
            }
        }
        self.choices_of(spec).map(move |choice| {
            let name = choice.name.trim();
            let is_own = name == choice.value || values[&name.to_lowercase()].len() == 1;
            (choice, if is_own { name } else { &choice.value })
        })
    }

    /// The value of a typed name, or a typed value itself. Of words of the service, spaces and hyphens count
    /// only between values that are otherwise the same: a suggestion appears without them, too. The service looks for a
    /// part of a title, and another id is another record, so they count there.
    fn value_of(&self, spec: FilterField, typed: &str) -> Option<&str> {
        let is_word = matches!(
            spec.takes,
            FilterFieldKind::Mail | FilterFieldKind::Category | FilterFieldKind::BadgeType
        );
        let named = || self.choices_of(spec).find(|choice| are_same(choice.name.trim(), typed));
        let choice = self.choices_of(spec).find(|choice| are_same(&choice.value, typed));
        choice
            .or_else(named)
            .map(|choice| choice.value.as_str())
            .or_else(|| is_word.then(|| self.only_value_like(spec, typed)).flatten())
    }

    fn only_value_like(&self, spec: FilterField, typed: &str) -> Option<&str> {
        let is_like = |choice: &&FilterChoice| {
            [&choice.value, &choice.name].iter().any(|word| plain(word).eq(plain(typed)))
        };
        let mut like = self.choices_of(spec).filter(is_like).map(|choice| choice.value.as_str());
        let first = like.next().filter(|_| plain(typed).next().is_some())?;
        like.all(|other| other == first).then_some(first)
    }

    /// Whether this text is a misspelling of a known mail status. Any other text may be a word of the service that no
    /// loaded row has: the contract does not list them.
    fn is_misspelt_mail(&self, spec: FilterField, typed: &str) -> bool {
        let is_applied = self.applied_mail.as_ref().is_some_and(|mail| are_same(mail, typed));
        if is_applied || self.value_of(spec, typed).is_some() {
            return false;
        }
        let seen = self.choices_of(spec).map(|choice| choice.value.as_str());
        // `DONE` is no misspelling of `none`, and in Korean one letter makes another word.
        let first = |word: &str| word.chars().next().map(|first| first.to_ascii_lowercase());
        let is_like = |word: &&str| word.is_ascii() && first(word) == first(typed);
        nearest(typed, MailIs::KNOWN.iter().map(MailIs::code).chain(seen).filter(is_like)).is_some()
    }

    pub fn shown(&self, spec: FilterField, written: &str) -> String {
        if spec.takes == FilterFieldKind::Text {
            return written.to_owned();
        }
        match read(spec, written, self) {
            Ok(FilterValue::State(state)) => one_word(state.word()),
            Ok(FilterValue::Mail(mail)) => mail.word().map_or_else(|| written.to_owned(), one_word),
            _ => {
                let named = self.words_of(spec).find(|(choice, _)| choice.value == written);
                named.map_or(written, |(_, word)| word).to_owned()
            }
        }
    }
}

/// Whether only the case of letters differs.
fn are_same(one: &str, other: &str) -> bool {
    one.chars().flat_map(char::to_lowercase).eq(other.chars().flat_map(char::to_lowercase))
}

/// A word in the user's language, without spaces, so that it needs no quotation marks.
pub fn one_word(english: &'static str) -> String {
    tr(english).to_lowercase().replace(' ', "")
}

/// Words for dates: the word, and the first and the last day that it means.
pub fn date_words(today: Date) -> [(&'static str, Date, Date); 7] {
    let weekday = i64::from(today.weekday().to_monday_zero_offset());
    let plus = |date: Date, days: i64| date.checked_add(days.days()).unwrap_or(date);
    let monday = plus(today, -weekday);
    let before = plus(today.first_of_month(), -1);
    [
        (tr_noop!("today"), today, today),
        (tr_noop!("yesterday"), plus(today, -1), plus(today, -1)),
        (tr_noop!("this week"), monday, plus(monday, 6)),
        (tr_noop!("last week"), plus(monday, -7), plus(monday, -1)),
        (tr_noop!("this month"), today.first_of_month(), today.last_of_month()),
        (tr_noop!("last month"), before.first_of_month(), before),
        (tr_noop!("this year"), today.first_of_year(), today.last_of_year()),
    ]
}

pub fn is_end(spec: FilterField) -> bool {
    spec.name.contains("_end_")
}

/// The date that a text names, by a word or by its digits.
fn date_named(spec: FilterField, typed: &str, known: &FilterContext) -> Option<Date> {
    let mut words = known.today.into_iter().flat_map(date_words);
    match words.find(|(word, ..)| is_word(typed, word)) {
        Some((_, first, last)) => Some(if is_end(spec) { last } else { first }),
        None => Date::strptime("%Y-%m-%d", typed).ok(),
    }
}

/// Checks a text that files keep.
///
/// # Errors
/// A translated text that names the field and its mistake.
pub fn check(spec: FilterField, text: &str) -> Result<FilterValue, String> {
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
pub fn read(spec: FilterField, typed: &str, known: &FilterContext) -> Result<FilterValue, String> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Ok(FilterValue::Empty);
    }
    let shown = scrub(typed);
    let label = tr(spec.label);
    match spec.takes {
        FilterFieldKind::Text
        | FilterFieldKind::Template
        | FilterFieldKind::Category
        | FilterFieldKind::Mail
            if judge(typed) != Likeness::None =>
        {
            // For `Shape`, lapel asks the user when the filter closes.
            Err(t!("{label}: this looks like an API key; nothing was sent", label))
        }
        FilterFieldKind::Text | FilterFieldKind::Template => {
            Ok(FilterValue::Text(known.value_of(spec, typed).unwrap_or(typed).to_owned()))
        }
        FilterFieldKind::Category => match known.value_of(spec, typed) {
            Some(id) => Ok(FilterValue::Text(id.to_owned())),
            None if known.choices_of(spec).next().is_none() => Ok(FilterValue::Text(typed.to_owned())),
            None => Err(t!("{label}: {shown} is neither the name nor the id of a category", label, shown)),
        },
        FilterFieldKind::Date => date_named(spec, typed, known)
            .map(FilterValue::Date)
            .ok_or_else(|| t!("{label}: {shown} is not a date; use YYYY-MM-DD", label, shown)),
        FilterFieldKind::YesNo => match typed.to_ascii_uppercase().as_str() {
            "Y" | "YES" => Ok(FilterValue::YesNo(true)),
            "N" | "NO" => Ok(FilterValue::YesNo(false)),
            _ => Err(t!("{label}: {shown} is not Y or N", label, shown)),
        },
        FilterFieldKind::BadgeType => {
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
        FilterFieldKind::State => StateIs::named(typed).map(FilterValue::State).ok_or_else(|| {
            let all = list(StateIs::ALL.map(|state| tr(state.word())));
            t!("{label}: {shown} is none of {all}", label, shown, all)
        }),
        FilterFieldKind::Mail => match mail_named(typed) {
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
pub fn is_known(spec: FilterField, typed: &str, known: &FilterContext) -> bool {
    match spec.takes {
        FilterFieldKind::State => StateIs::named(typed).is_some(),
        FilterFieldKind::Date => date_named(spec, typed, known).is_some(),
        FilterFieldKind::Mail => is_known_mail(typed) || known.value_of(spec, typed).is_some(),
        FilterFieldKind::Text
        | FilterFieldKind::Template
        | FilterFieldKind::Category
        | FilterFieldKind::BadgeType => known.value_of(spec, typed).is_some(),
        FilterFieldKind::YesNo => false,
    }
}

/// Whether lapel has a word of its own for this mail status.
pub fn is_known_mail(word: &str) -> bool {
    known_mail(word).is_some()
}

fn known_mail(typed: &str) -> Option<MailIs> {
    let is_it =
        |mail: &MailIs| is_word(typed, mail.code()) || mail.word().is_some_and(|word| is_word(typed, word));
    MailIs::KNOWN.into_iter().find(is_it)
}

/// The mail status that a text names: one that lapel has a word for, otherwise the service's own word.
pub fn mail_named(typed: &str) -> MailIs {
    known_mail(typed).unwrap_or_else(|| MailIs::Word(typed.to_owned()))
}
