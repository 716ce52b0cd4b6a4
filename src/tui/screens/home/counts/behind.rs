//! The list of badges behind a bar, read from the index page by page. Only visible rows are built.

use crate::domain::HistoryItem;
use crate::i18n;
use crate::index::{Query, Which};
use crate::tui::prelude::*;
use crate::tui::screens::history::follow;
use crate::tui::widgets::list::{Entry, PagedList, RowState};
use crate::tui::widgets::paged_list::{Browse, two_sided};
use crate::tui::widgets::record_field::{self, RecordField, short};
use crate::tui::widgets::text_layout::{cells, fit, layout};
use crate::tui::worker::index::{IndexAnswer, IndexAsk};
use ratatui::style::Style;

type Field = RecordField<HistoryItem>;

/// Index of the date column.
const WHEN: usize = 4;

const UNTIL: Field = Field::of("valid_until", tr_noop!("Until"), (11, 1, 2))
    .shown(|row, (), env| short(row.valid_until.as_ref(), env))
    .dim();

pub struct Behind {
    pub which: Which,
    pub title: String,
    pub list: PagedList<HistoryItem>,
    /// Whether the index has changed since the badges were read.
    pub stale: bool,
}

impl Behind {
    pub fn new(which: Which, title: String) -> Self {
        Self { which, title, list: PagedList::default(), stale: false }
    }

    /// Handles an action of the list. Returns false if the action belongs elsewhere.
    pub fn on_action(&mut self, action: Action, out: &mut Effects<'_>) -> bool {
        follow(action, self.list.selected(), out) || self.list.on_action(action)
    }

    /// Handles a page of badges. Returns any other response.
    pub fn on_response(
        &mut self,
        request: RequestId,
        answer: IndexAnswer,
        out: &mut Effects<'_>,
    ) -> Result<(), IndexAnswer> {
        match answer {
            IndexAnswer::List(page) if self.list.awaits(request) => {
                if let Some((_, dropped)) = self.list.on_response(request, page) {
                    out.cancel(dropped);
                }
                Ok(())
            }
            other => Err(other),
        }
    }

    pub fn load_visible(&mut self, area: Rect, out: &mut Effects<'_>) {
        self.list.set_height(area.height.saturating_sub(3));
        if self.stale && !self.list.is_loading() {
            self.stale = false;
            out.cancel(self.list.reload());
        }
        let per_page = self.list.per_page();
        let which = &self.which;
        let dropped = self.list.load_visible(|page| {
            let query = Query { which: which.clone(), page, per_page };
            out.ask(Request::Index(Box::new(IndexAsk::List(query))))
        });
        out.cancel(dropped);
    }

    /// The columns: those of the history. The Expiring section shows the end date instead of the issue time.
    fn fields(&self) -> Vec<Field> {
        let mut fields = HistoryItem::FIELDS[..HistoryItem::DEFAULT_COLUMNS].to_vec();
        if self.which.is_ending() {
            fields[WHEN] = UNTIL;
        }
        fields
    }

    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let theme = &env.theme;
        let all = count!(self.list.len(), "badge", "badges");
        let text = format!("  {} {} {all}", self.title, env.glyphs.dot);
        let text = fit(&text, usize::from(area.width).saturating_sub(1), env.glyphs.ellipsis);
        frame.render_widget(Line::styled(text, theme.strong()), Rect { height: 1, ..area });
        let fields = self.fields();
        let titles: Vec<(String, Style)> =
            fields.iter().map(|field| (i18n::tr(field.column.title).to_owned(), theme.dim())).collect();
        let columns: Vec<_> = HistoryItem::widths()
            .into_iter()
            .zip(&titles)
            .map(|(own, (title, _))| own.titled(title))
            .collect();
        let widths = layout(&columns, usize::from(area.width).saturating_sub(3));
        let mut spans = vec![Span::raw("  ")];
        spans.extend(cells(&titles, &widths, env.glyphs.ellipsis));
        frame.render_widget(Line::from(spans), Rect { y: area.y + 1, height: 1, ..area });
        let body = rows(area);
        if self.list.draw_empty(frame, body, (t!("No badges found."), t!("reading the index")), env) {
            return;
        }
        self.list.draw_rows(frame, body, env, |_, row| {
            let mut spans = vec![Span::raw(" ")];
            match row {
                RowState::Entry(Entry::Row(row)) => {
                    let values = record_field::cells(&fields, row, &(), env);
                    spans.extend(cells(&values, &widths, env.glyphs.ellipsis));
                }
                RowState::Failed(error) => {
                    spans.push(Span::styled(format!("{} {error}", env.glyphs.alert), theme.error()));
                }
                RowState::Loading | RowState::Entry(_) => {
                    spans.push(Span::styled(format!("{} {}", env.spinner(), t!("reading")), theme.dim()));
                }
            }
            spans
        });
        let foot = Rect { y: area.bottom().saturating_sub(1), height: 1, ..area };
        two_sided(frame, foot, Line::raw(""), Span::styled(self.list.counter(), theme.dim()), true);
    }
}

/// The area of the rows, between the headings and the row counter.
pub fn rows(area: Rect) -> Rect {
    Rect { y: area.y + 2, height: area.height.saturating_sub(3), ..area }
}
