//! The fields of a record. Each kind of record has one table of them, from which list columns, copied rows and
//! sorting follow. A field of the service has one title in all of them.

use crate::export::{FieldValue, Record, field_value, same_name};
use crate::tui::prelude::*;
use crate::tui::widgets::table_header::{ColumnDef, SortKey};
use crate::tui::widgets::text_layout::ColumnLayout;
use serde_json::Value;

/// The titles of the service's fields, marked for translation.
const TITLES: [(&str, &str); 30] = [
    ("badge_id", tr_noop!("Badge id")),
    ("template_id", tr_noop!("Template id")),
    ("title", tr_noop!("Title")),
    ("status_name", tr_noop!("State")),
    ("recipient_name", tr_noop!("Holder")),
    ("recipient_email", tr_noop!("E-mail")),
    ("email_status", tr_noop!("Mail")),
    ("issued_at", tr_noop!("Issued at")),
    ("valid_from", tr_noop!("Valid from")),
    ("valid_until", tr_noop!("Valid until")),
    ("revoke_at", tr_noop!("Revoked at")),
    ("revoke_reason", tr_noop!("Reason")),
    ("reg_date", tr_noop!("Accepted at")),
    ("upd_date", tr_noop!("Updated")),
    ("badge_type", tr_noop!("Type code")),
    ("badge_type_name", tr_noop!("Type")),
    ("category_name", tr_noop!("Category")),
    ("level", tr_noop!("Level")),
    ("level_name", tr_noop!("Level name")),
    ("use_yn", tr_noop!("In use")),
    ("issuing_org", tr_noop!("Issuer")),
    ("company_name", tr_noop!("Company")),
    ("cert_no", tr_noop!("Cert. no.")),
    ("skills_tag", tr_noop!("Skills")),
    ("criteria", tr_noop!("Criteria")),
    ("description", tr_noop!("About")),
    ("card_color_cd", tr_noop!("Colour")),
    ("source_cd", tr_noop!("Source")),
    ("front_image_url", tr_noop!("Front")),
    ("back_image_url", tr_noop!("Back")),
];

/// Beside the holder, the title of a badge says which badge it is.
pub const BADGE_TITLE: &str = tr_noop!("Badge");

/// The title of a field of the service. For constants: a name without a title fails to compile.
pub const fn field_title(name: &str) -> &'static str {
    let mut at = 0;
    while !same_name(TITLES[at].0, name) {
        at += 1;
    }
    TITLES[at].1
}

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

impl<R: Record, C> RecordField<R, C> {
    /// A field of the service in its own record.
    pub const fn of(key: &'static str, layout: (usize, usize, u8)) -> Self {
        Self::named(key, layout).value(field_value::<R>(key))
    }

    /// As [`Self::of`], without a column.
    pub const fn plain(key: &'static str) -> Self {
        Self::of(key, NO_COLUMN)
    }
}

impl<R, C> RecordField<R, C> {
    /// A field with a name of the service. Its value or its texts have functions of their own.
    pub const fn named(key: &'static str, layout: (usize, usize, u8)) -> Self {
        Self::own(key, field_title(key), layout)
    }

    /// A field that only lapel has. Its value or its texts have functions of their own. The layout is the column's minimum
    /// width, its share of the free width and its drop priority.
    pub const fn own(key: &'static str, title: &'static str, layout: (usize, usize, u8)) -> Self {
        let (min_width, weight, drop_order) = layout;
        let layout = ColumnLayout { min_width, weight, drop_order };
        Self {
            column: ColumnDef { key, title, layout, right: false, is_time: false, is_state: false },
            value: |_| FieldValue::Text(None),
            style: |_, cx| cx.theme.text(),
            shown: None,
            sorted: None,
            whole: None,
        }
    }

    pub const fn value(mut self, value: fn(&R) -> FieldValue<'_>) -> Self {
        self.value = value;
        self
    }

    /// For a title that would be too wide or would mislead in this list. A test has all of them, each with its reason.
    pub const fn titled(mut self, title: &'static str) -> Self {
        self.column.title = title;
        self
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

    /// The state that a row is about.
    pub const fn state(mut self) -> Self {
        self.column.is_state = true;
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

/// The cell of the title, with its column. `None` for records without one.
pub fn title_cell<'c, R>(
    fields: &[RecordField<R>],
    cells: &'c mut [(String, Style)],
) -> Option<(usize, &'c mut String)> {
    let at = fields.iter().position(|field| field.column.key == "title")?;
    Some((at, &mut cells.get_mut(at)?.0))
}

/// Puts a note before the title: the first one that leaves room for it, or the last one. `room` is the width of a column.
pub fn add_note<R>(
    notes: &[String],
    fields: &[RecordField<R>],
    cells: &mut [(String, Style)],
    room: impl FnOnce(usize) -> usize,
) {
    let Some((at, title)) = title_cell(fields, cells) else { return };
    let left = room(at).saturating_sub(width(title));
    let note = notes.iter().find(|note| width(note) <= left).or(notes.last());
    title.insert_str(0, note.map_or("", String::as_str));
}

/// As [`cells`]. Those of all but these columns are empty.
pub fn cells_of<R, C>(
    fields: &[RecordField<R, C>],
    columns: &[usize],
    row: &R,
    more: &C,
    cx: &UiContext,
) -> Vec<(String, Style)> {
    let mut cells = vec![(String::new(), Style::default()); fields.len()];
    for column in columns {
        if let (Some(cell), Some(field)) = (cells.get_mut(*column), fields.get(*column)) {
            *cell = field.cell(row, more, cx);
        }
    }
    cells
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
