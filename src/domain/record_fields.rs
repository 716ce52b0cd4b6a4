//! The fields of the service's records. `record!` declares each field once: its name in the contract and in
//! Rust, and its type. Reading, tables, files and sorting follow from the declaration.

use super::ids::{BadgeId, CategoryId, CategoryLevelId, TemplateId};
use super::text::Text;
use super::time::ServiceTime;
use crate::i18n::Localizable;
use jiff::civil::DateTime;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BadgeTypeCode {
    Complete,
    Competency,
    Achieve,
    Participate,
    Certificate,
    /// The contract does not name it.
    Other(Text),
}

impl BadgeTypeCode {
    pub const KNOWN: [Self; 5] =
        [Self::Complete, Self::Competency, Self::Achieve, Self::Participate, Self::Certificate];

    pub fn new(raw: &str) -> Self {
        let known = Self::KNOWN.into_iter().find(|known| known.wire().eq_ignore_ascii_case(raw.trim()));
        known.unwrap_or_else(|| Self::Other(Text::new(raw)))
    }

    /// As the service writes it.
    pub fn wire(&self) -> &str {
        match self {
            Self::Complete => "COMPLETE",
            Self::Competency => "COMPETENCY",
            Self::Achieve => "ACHIEVE",
            Self::Participate => "PARTICIPATE",
            Self::Certificate => "CERTIFICATE",
            Self::Other(text) => text.wire(),
        }
    }
}

/// Contract, "Category".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    pub level: Option<i64>,
    pub level_name: Option<Text>,
}

/// A record's values by field name, as the service sent them.
pub trait FieldSource {
    /// The id; `Err` says why it cannot be used.
    fn id(&self, name: &str) -> Result<String, Localizable>;
    fn text(&self, name: &str) -> Option<Text>;
    fn integer(&self, name: &str) -> Option<i64>;
    fn yes_no(&self, name: &str) -> Option<bool>;
    fn tags(&self, name: &str) -> Vec<Text>;
    fn levels(&self, name: &str) -> Vec<Level>;
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldValue<'a> {
    Text(Option<&'a Text>),
    /// Unchanged.
    Code(Option<&'a str>),
    Time(Option<&'a ServiceTime>),
    Number(Option<i64>),
    /// Y or N, as in the contract.
    YesNo(Option<bool>),
    Texts(&'a [Text]),
    /// The contract joins them with commas.
    Joined(&'a [Text]),
    Levels(&'a [Level]),
}

pub struct Field<R> {
    pub name: &'static str,
    pub value: fn(&R) -> FieldValue<'_>,
}

pub trait ServiceRecord: Sized + 'static {
    /// Those that tables and files show, in the contract's order.
    const FIELDS: &'static [Field<Self>];
    const NAMES: &'static [&'static str];

    /// `Err` says why the record's id cannot be used. Any other field may be absent.
    fn read(source: &impl FieldSource) -> Result<Self, Localizable>;
}

pub trait FieldType: Sized {
    fn read(source: &impl FieldSource, name: &str) -> Result<Self, Localizable>;
    fn value(&self) -> FieldValue<'_>;
}

impl<'a, T: FieldType> From<&'a T> for FieldValue<'a> {
    fn from(field: &'a T) -> Self {
        field.value()
    }
}

impl<'a> From<Option<&'a Text>> for FieldValue<'a> {
    fn from(text: Option<&'a Text>) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<Option<&'a TemplateId>> for FieldValue<'a> {
    fn from(id: Option<&'a TemplateId>) -> Self {
        Self::Code(id.map(TemplateId::wire))
    }
}

impl<'a> From<Option<&'a ServiceTime>> for FieldValue<'a> {
    fn from(time: Option<&'a ServiceTime>) -> Self {
        Self::Time(time)
    }
}

macro_rules! types {
    ($($type:ty: |$source:ident, $name:ident| $read:expr, |$value:ident| $shown:expr;)*) => {
        $(impl FieldType for $type {
            fn read($source: &impl FieldSource, $name: &str) -> Result<Self, Localizable> {
                Ok($read)
            }

            fn value(&self) -> FieldValue<'_> {
                let $value = self;
                $shown
            }
        })*
    };
}

/// A record without its own id cannot be used; another id may be absent.
macro_rules! ids {
    ($($id:ident),*) => {
        types! { $(
            $id:
                |source, name| Self::new(source.id(name)?).ok_or_else(|| localizable!("{name} is missing", name))?,
                |id| FieldValue::Code(Some(id.wire()));
            Option<$id>:
                |source, name| source.id(name).ok().and_then($id::new),
                |id| FieldValue::Code(id.as_ref().map($id::wire));
        )* }
    };
}

ids!(BadgeId, TemplateId, CategoryId, CategoryLevelId);

types! {
    Option<Text>: |source, name| source.text(name), |text| FieldValue::Text(text.as_ref());
    Option<i64>: |source, name| source.integer(name), |number| FieldValue::Number(*number);
    Option<bool>: |source, name| source.yes_no(name), |yes| FieldValue::YesNo(*yes);
    Vec<Text>: |source, name| source.tags(name), |texts| FieldValue::Texts(texts);
    Vec<Level>: |source, name| source.levels(name), |levels| FieldValue::Levels(levels);
    Option<ServiceTime>:
        |source, name| source.text(name).and_then(|text| ServiceTime::new(text.wire())),
        |time| FieldValue::Time(time.as_ref());
    // Not a field of the service: lapel sets it.
    Option<DateTime>: |_source, _name| None, |_time| FieldValue::Text(None);
    Option<BadgeTypeCode>:
        |source, name| source.text(name).map(|text| BadgeTypeCode::new(text.wire())),
        |code| FieldValue::Code(code.as_ref().map(BadgeTypeCode::wire));
}

/// The fields after the semicolon are read, but tables and files leave them out. A function shows a
/// field in another way than its type.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$about:meta])* $field:ident: $type:ty $(= $value:expr)?),*
        $(; $($(#[$other_about:meta])* $other:ident: $other_type:ty),*)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name {
            $($(#[$about])* pub $field: $type,)*
            $($($(#[$other_about])* pub $other: $other_type,)*)?
        }

        impl $crate::domain::record_fields::ServiceRecord for $name {
            const FIELDS: &'static [$crate::domain::record_fields::Field<Self>] =
                &[$($crate::domain::record_fields::Field {
                    name: stringify!($field),
                    value: record!(@ $field $($value)?),
                }),*];
            const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];

            fn read(
                source: &impl $crate::domain::record_fields::FieldSource,
            ) -> Result<Self, $crate::i18n::Localizable> {
                use $crate::domain::record_fields::FieldType;
                Ok(Self {
                    $($field: FieldType::read(source, stringify!($field))?,)*
                    $($($other: FieldType::read(source, stringify!($other))?,)*)?
                })
            }
        }
    };
    (@ $field:ident) => { |record| $crate::domain::record_fields::FieldValue::from(&record.$field) };
    (@ $field:ident $value:expr) => { $value };
}
pub(super) use record;
