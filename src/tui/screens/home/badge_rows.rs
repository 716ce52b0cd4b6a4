//! The columns of the lists of badges behind Home: those of the history.

use crate::tui::prelude::*;
use crate::tui::widgets::copying::Copyables;
use crate::tui::widgets::filtered_list::ListRecord;
use crate::tui::widgets::preview;
use crate::tui::widgets::record_field::{self, RecordField};
use crate::tui::widgets::table_header::{Heading, TO_MINUTE};
use crate::tui::widgets::text_layout::ColumnLayout;

type ListField = RecordField<HistoryItem>;

/// Index of the date column.
const WHEN: usize = 4;
/// Columns of a list that no column takes: the cursor and the gaps around it.
const MARGINS: u16 = 3;

const UNTIL: ListField = ListField::of("valid_until", (TO_MINUTE, 0, 2)).time().dim();

const COPIED: [&str; 6] =
    ["recipient_name", "recipient_email", "title", "issued_at", "email_status", "badge_id"];

pub(super) struct BadgeColumns {
    fields: Vec<ListField>,
    heading: Heading,
}

/// What can be copied of a list of badges. `which` describes so many of its rows.
pub(super) fn copyables<'r>(
    selected: Option<&'r HistoryItem>,
    rows: impl Iterator<Item = &'r HistoryItem>,
    what: impl Fn(u64) -> String,
    cx: &UiContext,
) -> Copyables {
    let mut all = Copyables::default();
    all.badge(selected);
    all.records(&record_field::pick(HistoryItem::FIELDS, &COPIED), selected, rows, what, |_| (), cx);
    all
}

impl BadgeColumns {
    /// `is_ending` shows the end date instead of the issue time.
    pub fn new(is_ending: bool) -> Self {
        let mut fields = HistoryItem::FIELDS[..HistoryItem::DEFAULT_COLUMNS].to_vec();
        if is_ending {
            fields[WHEN] = UNTIL;
        }
        Self::of(fields, HistoryItem::widths())
    }

    /// The columns of badges whose mails failed. All of them are issued. A time of another year has no time of day, so
    /// that the addresses, which the IT of a domain needs, have more room.
    pub fn of_mails() -> Self {
        let mut fields = HistoryItem::FIELDS[1..HistoryItem::DEFAULT_COLUMNS].to_vec();
        let issued = |row: &HistoryItem, (): &(), cx: &UiContext| {
            let time = row.issued_at.as_ref().map(|time| time.short(Some(cx.now())));
            time.unwrap_or_else(|| cx.glyphs.dash.to_owned())
        };
        fields[WHEN - 1] = fields[WHEN - 1].shown(issued);
        Self::of(fields, HistoryItem::widths()[1..].to_vec())
    }

    fn of(fields: Vec<ListField>, own: Vec<ColumnLayout>) -> Self {
        let defs = fields.iter().map(|field| field.column);
        let mut heading = Heading::new(defs, fields.len(), "");
        heading.set_own(own.into_iter().take(fields.len()).collect());
        Self { fields, heading }
    }

    /// With the shortest of the notes of the row.
    pub fn fit(&mut self, row: &HistoryItem, notes: &[String], cx: &UiContext) {
        let mut cells = record_field::cells(&self.fields, row, &(), cx);
        record_field::add_note(notes, &self.fields, &mut cells, |_| 0);
        self.heading.fit(&cells, cx);
    }

    /// Splits an area into the list, with at least these cells for its rows, and the preview.
    pub fn split(&self, area: Rect, least: usize) -> (Rect, Option<Rect>) {
        let wanted = self.heading.wanted(area.width).map(|cells| cells.max(least) + usize::from(MARGINS));
        preview::split(area, wanted)
    }

    /// The widths of the columns in a list of this width.
    pub fn widths(&self, width: u16) -> Vec<usize> {
        self.heading.widths(usize::from(width.saturating_sub(MARGINS)))
    }

    pub fn head(&self, widths: &[usize], cx: &UiContext) -> Line<'static> {
        self.heading.line(widths, 2, cx)
    }

    /// With the longest of the notes of the row that leaves room for its title.
    pub fn cells(
        &self,
        row: &HistoryItem,
        notes: &[String],
        widths: &[usize],
        cx: &UiContext,
    ) -> Vec<Span<'static>> {
        let mut cells = record_field::cells(&self.fields, row, &(), cx);
        record_field::add_note(notes, &self.fields, &mut cells, |at| self.heading.width_of(at, widths));
        self.heading.cells(cells, widths, cx)
    }
}
