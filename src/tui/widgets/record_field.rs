//! The fields of a record. Each kind of record has one table of them, from which list columns, copied rows and
//! sorting follow.

use crate::export::{FieldValue, Record, field_value};
use crate::tui::prelude::*;
use crate::tui::widgets::table_header::{ColumnDef, SortKey};
use crate::tui::widgets::text_layout::ColumnLayout;
use serde_json::Value;

/// A field of a record `R`. `C` is what a list knows about a row besides the record.
pub struct RecordField<R: 'static, C: 'static = ()> {
    pub column: ColumnDef,
    value: fn(&R) -> FieldValue<'_>,
    style: fn(&R, &UiContext) -> Style,
    /// The text of its cell in a list, if that is not the value.
    shown: Option<fn(&R, &C, &UiContext) -> String>,
    sorted: Option<fn(&R, &C) -> SortKey>,
    /// The whole text, for copying, panes and files, if that is not the value. Files are also made off the screen, so it
    /// has only the clock.
    whole: Option<fn(&R, &C, &ServiceClock) -> String>,
}

impl<R, C> Clone for RecordField<R, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R, C> Copy for RecordField<R, C> {}

pub const NO_COLUMN: (usize, usize, u8) = (0, 0, 0);

/// The column of a field, with its minimum width, its share of the free width and its drop priority.
const fn column(key: &'static str, title: &'static str, layout: (usize, usize, u8)) -> ColumnDef {
    let (min_width, weight, drop_order) = layout;
    ColumnDef {
        key,
        title,
        layout: ColumnLayout { min_width, weight, drop_order },
        right: false,
        is_time: false,
    }
}

impl<R: Record, C> RecordField<R, C> {
    pub const fn of(key: &'static str, title: &'static str, layout: (usize, usize, u8)) -> Self {
        Self::with_value(key, title, layout, field_value::<R>(key))
    }

    /// A field of the contract without a column.
    pub const fn plain(key: &'static str, title: &'static str) -> Self {
        Self::of(key, title, NO_COLUMN)
    }
}

impl<R, C> RecordField<R, C> {
    pub const fn with_value(
        key: &'static str,
        title: &'static str,
        layout: (usize, usize, u8),
        value: fn(&R) -> FieldValue<'_>,
    ) -> Self {
        Self {
            column: column(key, title, layout),
            value,
            style: |_, cx| cx.theme.text(),
            shown: None,
            sorted: None,
            whole: None,
        }
    }

    /// A field whose text, order and copy have functions of their own.
    pub const fn computed(key: &'static str, title: &'static str, layout: (usize, usize, u8)) -> Self {
        Self::with_value(key, title, layout, |_| FieldValue::Text(None))
    }

    pub const fn dim(self) -> Self {
        self.styled(|_, cx| cx.theme.dim())
    }

    pub const fn styled(mut self, style: fn(&R, &UiContext) -> Style) -> Self {
        self.style = style;
        self
    }

    pub const fn right(mut self) -> Self {
        self.column.right = true;
        self
    }

    /// A time to the minute.
    pub const fn time(mut self) -> Self {
        self.column.is_time = true;
        self
    }

    pub const fn shown(mut self, text: fn(&R, &C, &UiContext) -> String) -> Self {
        self.shown = Some(text);
        self
    }

    pub const fn sorted(mut self, key: fn(&R, &C) -> SortKey) -> Self {
        self.sorted = Some(key);
        self
    }

    pub const fn whole(mut self, text: fn(&R, &C, &ServiceClock) -> String) -> Self {
        self.whole = Some(text);
        self
    }

    pub fn cell(&self, row: &R, more: &C, cx: &UiContext) -> (String, Style) {
        let text = self.shown.map_or_else(|| shown((self.value)(row), cx), |text| text(row, more, cx));
        (text, (self.style)(row, cx))
    }

    /// The whole text; empty if there is no value.
    pub fn text(&self, row: &R, more: &C, clock: &ServiceClock) -> String {
        self.whole.map_or_else(|| whole((self.value)(row)).unwrap_or_default(), |text| text(row, more, clock))
    }

    /// The value in a file, unscrubbed: what writes it scrubs it.
    fn saved(&self, row: &R, more: &C, clock: &ServiceClock) -> Value {
        self.whole.map_or_else(
            || (self.value)(row).into(),
            |whole| Some(whole(row, more, clock)).filter(|text| !text.is_empty()).into(),
        )
    }

    pub fn sort_key(&self, row: &R, more: &C) -> SortKey {
        self.sorted.map_or_else(|| sort_key((self.value)(row)), |key| key(row, more))
    }
}

pub fn cells<R, C>(fields: &[RecordField<R, C>], row: &R, more: &C, cx: &UiContext) -> Vec<(String, Style)> {
    fields.iter().map(|field| field.cell(row, more, cx)).collect()
}

/// The fields of a row in a file: each key with its value.
pub fn saved<R, C>(
    fields: &[RecordField<R, C>],
    row: &R,
    more: &C,
    clock: &ServiceClock,
) -> Vec<(&'static str, Value)> {
    fields.iter().map(|field| (field.column.key, field.saved(row, more, clock))).collect()
}

/// The lines of a pane: each title with its text, which is missing if the value looks empty.
pub fn pane<R>(fields: &[RecordField<R>], row: &R, cx: &UiContext) -> Vec<(&'static str, Option<String>)> {
    let clock = cx.clock();
    let text = |field: &RecordField<R>| match (field.value)(row) {
        FieldValue::Text(Some(text)) if text.looks_empty() => None,
        _ => Some(field.text(row, &(), &clock)).filter(|text| !text.is_empty()),
    };
    fields.iter().map(|field| (tr(field.column.title), text(field))).collect()
}

pub fn pick<R, C>(fields: &[RecordField<R, C>], keys: &[&str]) -> Vec<RecordField<R, C>> {
    keys.iter().filter_map(|key| fields.iter().find(|field| field.column.key == *key).copied()).collect()
}

fn shown(value: FieldValue<'_>, cx: &UiContext) -> String {
    let text = match value {
        FieldValue::Time(time) => time.map(ServiceTime::to_minute),
        FieldValue::Number(Some(n)) => Some(u64::try_from(n).map_or_else(|_| n.to_string(), number)),
        value => whole(value),
    };
    text.unwrap_or_else(|| cx.glyphs.dash.to_owned())
}

fn whole(value: FieldValue<'_>) -> Option<String> {
    match value {
        FieldValue::Text(text) => text.map(ToString::to_string),
        FieldValue::Code(code) => code.map(|code| scrub(code).into_owned()),
        FieldValue::Time(time) => time.map(ToString::to_string),
        FieldValue::Number(number) => number.map(|n| n.to_string()),
        FieldValue::YesNo(yes) => yes.map(|yes| if yes { "Y" } else { "N" }.to_owned()),
        FieldValue::Texts(texts) | FieldValue::Joined(texts) => {
            Some(texts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        }
        FieldValue::Levels(_) => None,
    }
}

fn sort_key(value: FieldValue<'_>) -> SortKey {
    match value {
        FieldValue::Number(number) => number.map_or(SortKey::None, SortKey::Number),
        FieldValue::Time(time) => SortKey::time(time),
        FieldValue::Text(text) => SortKey::text(text.map(Text::wire)),
        FieldValue::Code(code) => SortKey::text(code),
        value => SortKey::text(whole(value).as_deref()),
    }
}
