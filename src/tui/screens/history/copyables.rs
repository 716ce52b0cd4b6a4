//! Copying and raw JSON for the History tab.

use super::{COPIED, History};
use crate::tui::persist::saved_layout::SavedLayout;
use crate::tui::prelude::*;
use crate::tui::screens::badge_preview::picture_of;
use crate::tui::widgets::copying::{self, Copyables, records_of};
use crate::tui::widgets::filtered_list::{Filterable, ListRecord};
use crate::tui::widgets::paged_list::{ListEntry, RowSlot};
use crate::tui::widgets::record_field::pick;

impl Screen for History {
    fn filtered_list(&self) -> Option<&dyn Filterable> {
        Some(&self.filtered)
    }

    fn filtered_list_mut(&mut self) -> Option<&mut dyn Filterable> {
        Some(&mut self.filtered)
    }

    fn save_layout(&self, view: &mut SavedLayout) {
        view.history = self.filtered.view();
    }

    fn restore_layout(&mut self, view: &SavedLayout, effects: &mut Effects<'_>) {
        self.filtered.restore(&view.history, effects);
    }

    fn can_go_back(&self) -> bool {
        self.marks.is_in_range() || self.marking.is_some() || self.filtered.can_go_back()
    }

    fn shows_age(&self, cx: &UiContext) -> bool {
        let now = cx.now();
        let is_running = |row: &HistoryItem| Verdict::of(row, now).is_running();
        self.filtered
            .list
            .visible()
            .any(|(_, row)| matches!(row, RowSlot::Entry(ListEntry::Row(row)) if is_running(row)))
    }

    fn on_drag(&mut self, drag: Drag, area: Rect, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        let (stack, rows) = (self.key_contexts(), self.filtered.rows(self.filtered.split(area).0));
        self.marks.on_drag(drag, rows, &mut self.filtered.list, &stack, cx, effects)
    }

    fn picture(&self, area: Rect, cx: &UiContext) -> Option<PictureRequest> {
        picture_of(self.filtered.list.selected()?, self.filtered.split(area).1?, cx)
    }

    fn badges(&self, most: usize) -> Vec<&HistoryItem> {
        self.filtered.loaded().take(most).collect()
    }

    fn on_touched(&mut self, job: &Job, touched: &[Touched], cx: &UiContext, effects: &mut Effects<'_>) {
        if job.kind == Kind::Revoke {
            let revoked = touched.iter().filter(|badge| badge.is_revoked());
            self.marks.processed(revoked.map(|badge| badge.badge_id.clone()));
        }
        // A narrowed list costs several requests. New badges come into it when the user refreshes it.
        let is_new = job.kind == Kind::Issue && !self.filtered.is_narrowed();
        let ids: HashSet<&BadgeId> = touched.iter().map(|badge| &badge.badge_id).collect();
        let holds_one = || self.filtered.loaded().any(|row| ids.contains(&row.badge_id));
        if cx.client().is_some() && (is_new || holds_one()) {
            self.filtered.reload(effects);
        }
    }

    fn copyables(&self, cx: &UiContext) -> Copyables {
        let mut all = Copyables::default();
        let selected = self.filtered.list.selected();
        all.badge(selected);
        let fields = pick(HistoryItem::FIELDS, &COPIED);
        if self.marks.is_empty() {
            let loaded = self.filtered.list.loaded().map(|(_, row)| row);
            all.records(&fields, selected, loaded, copying::loaded, |_| (), cx);
        } else {
            all.records(&fields, selected, self.marks.values(), copying::marked, |_| (), cx);
        }
        all
    }

    fn records(&self) -> Vec<RawOf> {
        records_of(self.filtered.list.selected())
    }

    fn refresh(&mut self, _: &UiContext, effects: &mut Effects<'_>) {
        self.filtered.reload(effects);
    }
}
