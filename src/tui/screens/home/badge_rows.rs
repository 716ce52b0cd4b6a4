//! The columns of the lists of badges behind Home: those of the history.

use crate::domain::HistoryItem;
use crate::i18n;
use crate::tui::context::Env;
use crate::tui::widgets::paged_list::Browse;
use crate::tui::widgets::record_field::{self, RecordField};
use crate::tui::widgets::table_header::TO_MINUTE;
use crate::tui::widgets::text_layout::{Column, cells, layout};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

type Field = RecordField<HistoryItem>;

/// Index of the date column.
const WHEN: usize = 4;

const UNTIL: Field = Field::of("valid_until", tr_noop!("Until"), (TO_MINUTE, 0, 2)).time().dim();

/// The fields of a copied row.
pub(super) const COPIED: [&str; 6] =
    ["recipient_name", "recipient_email", "title", "issued_at", "email_status", "badge_id"];

pub(super) struct Columns {
    fields: Vec<Field>,
    widths: Vec<usize>,
}

impl Columns {
    /// The columns for this width. `is_ending` shows the end date instead of the issue time.
    pub fn new(width: u16, is_ending: bool) -> Self {
        let mut fields = HistoryItem::FIELDS[..HistoryItem::DEFAULT_COLUMNS].to_vec();
        if is_ending {
            fields[WHEN] = UNTIL;
        }
        Self::of(fields, HistoryItem::widths(), width)
    }

    /// The columns of badges whose mails failed, with room for this word of the service. All of them are issued.
    pub fn of_mails(width: u16, word: &str) -> Self {
        let fields = HistoryItem::FIELDS[1..HistoryItem::DEFAULT_COLUMNS].to_vec();
        let mut own = HistoryItem::widths()[1..=fields.len()].to_vec();
        if let Some(mail) = own.last_mut() {
            *mail = mail.titled(word);
        }
        Self::of(fields, own, width)
    }

    fn of(fields: Vec<Field>, own: Vec<Column>, width: u16) -> Self {
        let own = own.into_iter().zip(&fields);
        // Without a heading that knows all rows, every time keeps its year.
        let whole = |own: Column, is_time: bool| {
            if is_time { Column { min_width: TO_MINUTE, weight: 0, ..own } } else { own }
        };
        let columns: Vec<_> = own
            .map(|(own, field)| whole(own, field.column.is_time).titled(i18n::tr(field.column.title)))
            .collect();
        Self { fields, widths: layout(&columns, usize::from(width).saturating_sub(3)) }
    }

    pub fn head(&self, env: &Env) -> Line<'static> {
        let title = |field: &Field| (i18n::tr(field.column.title).to_owned(), env.theme.dim());
        let titles: Vec<(String, Style)> = self.fields.iter().map(title).collect();
        let mut spans = vec![Span::raw("  ")];
        spans.extend(cells(&titles, &self.widths, env.glyphs.ellipsis));
        Line::from(spans)
    }

    pub fn cells(&self, row: &HistoryItem, env: &Env) -> Vec<Span<'static>> {
        let values = record_field::cells(&self.fields, row, &(), env);
        cells(&values, &self.widths, env.glyphs.ellipsis)
    }
}
