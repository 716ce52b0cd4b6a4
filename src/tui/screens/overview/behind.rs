//! The list of badges behind a bar, read from the index page by page. Only visible rows are built.

use crate::domain::HistoryItem;
use crate::i18n;
use crate::index::{Query, Which};
use crate::tui::context::Env;
use crate::tui::effects::{Effects, Navigate};
use crate::tui::input::action::Action;
use crate::tui::request::{Request, RequestId};
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::list::{Entry, PagedList, RowState};
use crate::tui::widgets::paged_list::{Browse, two_sided};
use crate::tui::widgets::text_layout::{cells, fit, layout, number, wrap};
use crate::tui::worker::index::{IndexAnswer, IndexAsk};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::cell::Cell;

/// Index of the date column: the issue time, or in the Expiring section the end date.
const WHEN: usize = 4;

pub struct Behind {
    pub which: Which,
    pub title: String,
    list: PagedList<HistoryItem>,
    /// Whether the index has changed since the badges were read.
    pub stale: bool,
    built: Cell<u64>,
}

impl Behind {
    pub fn new(which: Which, title: String) -> Self {
        Self { which, title, list: PagedList::default(), stale: false, built: Cell::new(0) }
    }

    pub fn len(&self) -> u64 {
        self.list.len()
    }

    pub fn rows_built(&self) -> u64 {
        self.built.get()
    }

    /// Handles an action of the list. Returns false if the action belongs elsewhere.
    pub fn on_action(&mut self, action: Action, out: &mut Effects<'_>) -> bool {
        match action {
            Action::Down => self.list.move_by(1),
            Action::Up => self.list.move_by(-1),
            Action::PageDown => self.list.page_by(1),
            Action::PageUp => self.list.page_by(-1),
            Action::First => self.list.move_to(0),
            Action::Last => self.list.move_to(u64::MAX),
            Action::Open => match self.list.selected() {
                Some(row) => out.go.push(Navigate::Badge(row.badge_id.clone(), row.reg_date.clone())),
                None => out.say(t!("This row has no badge to open.")),
            },
            Action::Wallet => match self.list.selected().and_then(|row| row.recipient_email.as_ref()) {
                Some(email) => out.go.push(Navigate::Holder(email.wire().to_owned())),
                None => out.say(t!("This row has no e-mail address to look up.")),
            },
            _ => return false,
        }
        true
    }

    /// Handles a page of badges. Returns any other response.
    pub fn on_response(
        &mut self,
        ticket: RequestId,
        answer: IndexAnswer,
        out: &mut Effects<'_>,
    ) -> Result<(), IndexAnswer> {
        match answer {
            IndexAnswer::List(page) if self.list.awaits(ticket) => {
                if let Some((_, dropped)) = self.list.on_response(ticket, page) {
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

    pub fn on_click(&mut self, area: Rect, row: u16) -> bool {
        let first = area.y + 2;
        let last = area.bottom().saturating_sub(1);
        let place = (first..last).contains(&row).then(|| self.list.top() + u64::from(row - first));
        let place = place.filter(|place| *place < self.list.len());
        if let Some(place) = place {
            self.list.move_to(place);
        }
        place.is_some()
    }

    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let theme = &env.theme;
        let text = format!("  {} {} {}", self.title, env.glyphs.dot, badges(self.list.len()));
        let text = fit(&text, usize::from(area.width).saturating_sub(1), env.glyphs.ellipsis);
        frame.render_widget(Line::styled(text, theme.strong()), Rect { height: 1, ..area });
        let heads = &HistoryItem::HEADS[..HistoryItem::USUAL];
        let ending = self.which.is_ending();
        let titles: Vec<(String, Style)> = heads
            .iter()
            .enumerate()
            .map(|(at, head)| {
                let title = if ending && at == WHEN { t!("Until") } else { i18n::tr(head.title) };
                (title.to_owned(), theme.dim())
            })
            .collect();
        let columns: Vec<_> =
            HistoryItem::own().into_iter().zip(&titles).map(|(own, (title, _))| own.titled(title)).collect();
        let widths = layout(&columns, usize::from(area.width).saturating_sub(3));
        let mut spans = vec![Span::raw("  ")];
        spans.extend(cells(&titles, &widths, env.glyphs.ellipsis));
        frame.render_widget(Line::from(spans), Rect { y: area.y + 1, height: 1, ..area });
        let body = Rect { y: area.y + 2, height: area.height.saturating_sub(3), ..area };
        self.built.set(0);
        if self.list.is_empty() {
            let (text, style) = match self.list.error() {
                Some(error) => (format!("{} {error}", env.glyphs.alert), theme.error()),
                None if self.list.is_answered() => (t!("No badges found.").to_owned(), theme.dim()),
                None => (format!("{} {}", env.spinner(), t!("reading the index")), theme.dim()),
            };
            let lines: Vec<Line<'_>> = wrap(&text, usize::from(area.width).saturating_sub(4))
                .into_iter()
                .map(|l| Line::styled(format!("  {l}"), style))
                .collect();
            frame.render_widget(ratatui::text::Text::from(lines), body);
            return;
        }
        for (i, (place, what)) in self.list.visible().enumerate() {
            let Ok(i) = u16::try_from(i) else { break };
            if i >= body.height {
                break;
            }
            self.built.set(self.built.get() + 1);
            let selected = place == self.list.cursor();
            let mut spans = vec![
                Span::styled(if selected { env.glyphs.cursor } else { " " }, theme.accent()),
                Span::raw(" "),
            ];
            match what {
                RowState::Entry(Entry::Row(row)) => {
                    let mut values = row.cells(env);
                    if ending && let Some((text, _)) = values.get_mut(WHEN) {
                        *text = row
                            .valid_until
                            .as_ref()
                            .map_or_else(|| env.glyphs.dash.to_owned(), |t| t.short(Some(env.now())));
                    }
                    spans.extend(cells(&values, &widths, env.glyphs.ellipsis));
                }
                RowState::Failed(error) => {
                    spans.push(Span::styled(format!("{} {error}", env.glyphs.alert), theme.error()));
                }
                RowState::Loading | RowState::Entry(_) => {
                    spans.push(Span::styled(format!("{} {}", env.spinner(), t!("reading")), theme.dim()));
                }
            }
            let mut line = Line::from(spans);
            let at = Rect { y: body.y + i, height: 1, ..body };
            if selected {
                line = line.patch_style(theme.selected());
            }
            frame.render_widget(line, at);
            if selected {
                frame.buffer_mut().set_style(at, theme.selected());
            }
        }
        let (row, all) = (number(self.list.cursor() + 1), number(self.list.len()));
        let right = t!("row {row} of {all}", row, all);
        let foot = Rect { y: area.bottom().saturating_sub(1), height: 1, ..area };
        two_sided(frame, foot, Line::raw(""), Span::styled(right, theme.dim()), true);
    }
}

fn badges(n: u64) -> String {
    count!(n, "badge", "badges")
}
