//! The list of badges behind a bar, read from the index page by page. Only visible rows are built.

use crate::index::IndexQuery;
use crate::tui::prelude::*;
use crate::tui::screens::badge_preview::{BadgePreview, picture_of};
use crate::tui::screens::history::{copies, follow};
use crate::tui::screens::home::badge_rows::{BadgeColumns, copyables};
use crate::tui::widgets::copying::{self, Copyables, records_of};
use crate::tui::widgets::filtered_list::two_sided;
use crate::tui::widgets::paged_list::{ListEntry, PagedList, RowSlot};
use crate::tui::widgets::search::Search;

/// Pause in typing before the list is read: a search reads the whole index.
const PAUSE: Duration = Duration::from_millis(300);

pub struct BadgeList {
    which: IndexedList,
    pub title: String,
    pub list: PagedList<HistoryItem>,
    pub stale: bool,
    pub preview: BadgePreview,
    columns: BadgeColumns,
    pub search: Search,
    /// What the listed badges contain.
    searched: Option<String>,
    pause: Option<RequestId>,
    /// The notes about copies among the loaded rows.
    notes: HashMap<BadgeId, Vec<String>>,
    /// The copies of the selected row in words, if there is no preview to show them.
    aside: Option<String>,
}

impl BadgeList {
    pub fn new(which: IndexedList, title: String) -> Self {
        Self {
            columns: BadgeColumns::new(which.is_ending()),
            which,
            title,
            list: PagedList::default(),
            stale: false,
            preview: BadgePreview::default(),
            search: Search::default(),
            searched: None,
            pause: None,
            notes: HashMap::new(),
            aside: None,
        }
    }

    fn loaded(&self) -> impl Iterator<Item = &HistoryItem> {
        self.list.loaded().map(|(_, row)| row)
    }

    fn notes(&self, row: &HistoryItem) -> &[String] {
        self.notes.get(&row.badge_id).map_or(&[], Vec::as_slice)
    }

    pub fn listed(&self) -> IndexedList {
        match &self.searched {
            Some(text) => IndexedList::Found(Box::new(self.which.clone()), text.clone()),
            None => self.which.clone(),
        }
    }

    pub fn act_in_search(&mut self, action: Action, effects: &mut Effects<'_>) -> bool {
        match self.search.on_action_of_matches(action) {
            None => self.find(effects),
            Some(step) if step != action => return self.list.on_action(step),
            Some(_) => return false,
        }
        true
    }

    pub fn on_text_key(&mut self, key: KeyEvent, effects: &mut Effects<'_>) -> bool {
        let changed = self.search.on_text_key(key);
        if changed {
            effects.request_instead(&mut self.pause, Request::Pause(PAUSE));
        }
        changed
    }

    pub fn on_paste(&mut self, text: &str, effects: &mut Effects<'_>) {
        if self.search.on_paste(text) {
            self.find(effects);
        }
    }

    fn find(&mut self, effects: &mut Effects<'_>) {
        if self.search.typed() != self.searched {
            self.searched = self.search.typed();
            let dropped = self.list.restart();
            effects.cancel(dropped);
        }
    }

    pub fn on_action(&mut self, action: Action, effects: &mut Effects<'_>) -> bool {
        if matches!(action, Action::PreviewDown | Action::PreviewUp) {
            self.preview.scroll(action, effects);
            return true;
        }
        follow(action, self.list.selected(), effects) || self.list.on_action(action)
    }

    pub fn on_response(&mut self, reply: Reply, cx: &UiContext, effects: &mut Effects<'_>) -> Handled {
        let Reply { id, response } = reply;
        match response {
            Response::Paused if self.pause == Some(id) => {
                self.pause = None;
                self.find(effects);
                Ok(())
            }
            Response::IndexList(page) if self.list.awaits(id) => {
                if let Some((page, dropped)) = self.list.on_response(id, page) {
                    effects.cancel(dropped);
                    self.notes = copies::notes(self.loaded(), cx);
                    for row in self.list.page_rows(page) {
                        let notes = self.notes.get(&row.badge_id).map_or(&[][..], Vec::as_slice);
                        self.columns.fit(row, notes, cx);
                    }
                }
                Ok(())
            }
            response => self.preview.on_response(Reply { id, response }, effects),
        }
    }

    pub fn load_visible(&mut self, area: Rect, cx: &UiContext, effects: &mut Effects<'_>) {
        let (list, pane) = self.columns.split(area, 0);
        self.list.set_height(list.height.saturating_sub(3));
        let selected = self.list.selected();
        let with_copies = selected.filter(|row| !self.notes(row).is_empty());
        let copies = with_copies.and_then(|row| copies::words(self.loaded(), row, cx.now()));
        self.aside = self.preview.lay_out(selected, copies, pane, effects);
        if self.stale && !self.list.is_loading() {
            self.stale = false;
            effects.cancel(self.list.reload());
        }
        let per_page = self.list.per_page();
        let which = self.listed();
        let dropped = self.list.load_visible(|page| {
            let query = IndexQuery { which: which.clone(), page, per_page };
            effects.request(Request::IndexList(query))
        });
        effects.cancel(dropped);
    }

    pub fn on_click(&mut self, at: Position, area: Rect) -> bool {
        let (list, _) = self.columns.split(area, 0);
        at.x < list.right() && self.list.on_click(rows(list), at.y)
    }

    pub fn picture(&self, area: Rect, cx: &UiContext) -> Option<PictureRequest> {
        picture_of(self.list.selected()?, self.columns.split(area, 0).1?, cx)
    }

    pub fn copyables(&self, cx: &UiContext) -> Copyables {
        copyables(self.list.selected(), self.loaded(), copying::loaded, cx)
    }

    pub fn records(&self) -> Vec<RawOf> {
        records_of(self.list.selected())
    }

    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let theme = &cx.theme;
        let (area, pane) = self.columns.split(area, 0);
        if let (Some(pane), Some(row)) = (pane, self.list.selected()) {
            self.preview.draw(row, pane, super::LIST, frame, cx);
        }
        let all = count!(self.list.len(), "badge", "badges");
        let text = format!("  {} {} {all}", self.title, cx.glyphs.dot);
        let text = fit(&text, usize::from(area.width).saturating_sub(1), cx.glyphs.ellipsis);
        frame.render_widget(Line::styled(text, theme.strong()), Rect { height: 1, ..area });
        let widths = self.columns.widths(area.width);
        frame.render_widget(self.columns.head(&widths, cx), Rect { y: area.y + 1, height: 1, ..area });
        let body = rows(area);
        let nothing = if self.searched.is_some() { t!("No rows match.") } else { t!("No badges found.") };
        if self.list.draw_empty(frame, body, (nothing, t!("reading the index")), cx) {
            return;
        }
        self.list.draw_rows(frame, body, cx, |place, row| {
            let mut spans = vec![Span::raw(" ")];
            match row {
                RowSlot::Entry(ListEntry::Row(row)) => {
                    let notes = copies::notes_at(place, self.notes(row), &self.list, cx);
                    spans.extend(self.columns.cells(row, &notes, &widths, cx));
                }
                RowSlot::Failed(error) => spans.push(Span::styled(cx.alert(error), theme.error())),
                RowSlot::Loading | RowSlot::Entry(_) => {
                    spans.push(Span::styled(cx.busy(t!("reading")), theme.dim()));
                }
            }
            spans
        });
        let foot = Rect { y: area.bottom().saturating_sub(1), height: 1, ..area };
        let mut left = self.search.line(usize::from(area.width) / 2, cx).unwrap_or_default();
        left.spans.extend(self.aside.iter().map(|words| Span::styled(format!("  {words}"), theme.dim())));
        two_sided(frame, foot, (left, Span::styled(self.list.counter(), theme.dim())), true, cx);
    }
}

fn rows(area: Rect) -> Rect {
    Rect { y: area.y + 2, height: area.height.saturating_sub(3), ..area }
}
