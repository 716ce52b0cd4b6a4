//! The columns and the sort order of a holder's badges.

use super::groups::Arrangement;
use super::rows::{self, FIELDS, LookupView};
use super::wallet_list::WalletList;
use crate::tui::prelude::*;
use crate::tui::widgets::record_field::cells;
use crate::tui::widgets::table_header::{HeadingOutcome, SortKey, SortOrder, compare};
use std::rc::Rc;

impl WalletList {
    /// Whether the columns have headings. The default columns need none: each cell explains itself.
    pub(super) fn has_headings(&self) -> bool {
        self.is_listing() && !self.heading.is_default()
    }

    /// `None` if no menu is open and the action is another one.
    pub(super) fn act_heading(
        &mut self,
        action: Action,
        cx: &UiContext,
        effects: &mut Effects<'_>,
    ) -> Option<bool> {
        if !self.is_listing() {
            return None;
        }
        match self.heading.on_action(action, effects) {
            HeadingOutcome::Chose(order) => {
                // The selected badge also keeps its place on the screen.
                let before = self.cursor.at();
                self.heading.set_order(order);
                self.unsorted = true;
                self.arrange(cx);
                self.cursor.keep_line(before, self.cursor.at());
            }
            HeadingOutcome::Something => {}
            HeadingOutcome::Nothing if self.heading.over().is_some() => return Some(false),
            HeadingOutcome::Nothing => return None,
        }
        Some(true)
    }

    pub(super) fn as_rows(&self, cx: &UiContext) -> Option<LookupView> {
        let found = self.found.as_ref()?;
        Some(LookupView {
            several: found.whole().names.len() > 1,
            both: found.both,
            now: cx.now(),
            key: EmailKey::of(&found.email),
            email: found.email.clone(),
            copies: Rc::clone(&found.copies().words),
            signs: Rc::clone(&found.arranged.signs),
        })
    }

    pub(super) fn fit_columns(&mut self, cx: &UiContext) {
        let Some(view) = self.as_rows(cx) else { return };
        let rows: Vec<_> =
            self.rows().take(rows::MEASURED).map(|held| cells(FIELDS, held, &view, cx)).collect();
        let state = rows.iter().filter_map(|row| row.first()).map(|(text, _)| width(text)).max().unwrap_or(0);
        self.heading.set_own(rows::own(&view, state));
        self.heading.forget_content();
        for row in &rows {
            self.heading.fit(row, cx);
        }
    }

    pub(super) fn arrange(&mut self, cx: &UiContext) {
        // The time zone may have been learned.
        let is_noted = self.found.as_ref().is_none_or(|found| found.offset == Some(cx.clock().offset()));
        let (is_new, is_searched) =
            (std::mem::take(&mut self.unsorted) || !is_noted, std::mem::take(&mut self.unsearched));
        if !is_new && !is_searched {
            return;
        }
        if let Some(found) = self.found.as_mut().filter(|_| is_new) {
            found.compute_again(&cx.clock());
        }
        let has_badges = !self.is_choosing();
        let wanted = self.found.as_mut().filter(|_| has_badges).and_then(|found| found.to_select.take());
        // A search lists copies as they came, and its end lists them in groups again. A letter changes no order.
        let is_grouped = self.found.as_ref().is_some_and(|found| found.arranged.order.is_some());
        let is_other = self.heading.order().is_none() && is_grouped == self.is_narrowed();
        let arranged = if is_new || is_other { Some(self.in_order(wanted.as_ref(), cx)) } else { None };
        let selected = wanted.or_else(|| self.selected().map(|held| held.badge_id.clone()));
        let person = self.unnarrowed(self.cursor.at()).filter(|_| self.is_choosing());
        if let (Some(found), Some(arranged)) = (&mut self.found, arranged) {
            found.arranged = arranged;
        }
        self.fitting = None;
        self.fitting = self.find_fitting(cx);
        // A state that no row has any more, or none with the searched text, hides nothing.
        if self.fitting.is_none() && self.only.take().is_some() {
            self.fitting = self.find_fitting(cx);
            self.unsearched = true;
        }
        match person {
            Some(person) => {
                let place = (0..self.len()).position(|place| self.unnarrowed(place) == Some(person));
                self.select_place(place);
            }
            None => self.select_badge(selected.as_ref()),
        }
    }

    /// Whether a text or a state narrows the list.
    fn is_narrowed(&self) -> bool {
        self.search.text().is_some() || self.only.is_some()
    }

    /// The badges in the order that the user chose, or else with their copies below them. `wanted` is never folded.
    fn in_order(&mut self, wanted: Option<&BadgeId>, cx: &UiContext) -> Arrangement {
        match (self.heading.order(), self.as_rows(cx)) {
            (Some(SortOrder { column, direction }), Some(view)) => {
                let key =
                    |held| FIELDS.get(column).map_or(SortKey::None, |field| field.sort_key(held, &view));
                let keyed = self.held().iter().map(key).zip(0..);
                let mut keyed: Vec<(SortKey, usize)> = keyed.collect();
                // The sort is stable: among equal badges the newest stays first.
                keyed.sort_by(|(a, _), (b, _)| compare(a, b, direction));
                Arrangement::of(keyed.into_iter().map(|(_, at)| at).collect())
            }
            (None, Some(_)) if !self.is_narrowed() => self.with_groups(wanted),
            _ => Arrangement::default(),
        }
    }
}
