//! The columns and the order of the jobs, and of the rows of one.

use super::{Activity, columns};
use crate::jobs::{Job, JobId};
use crate::tui::effects::Effects;
use crate::tui::input::action::Action;
use crate::tui::input::list_hit::Click;
use crate::tui::persist::saved_layout::ListView;
use crate::tui::widgets::table_header::{Did, Heading, SortKey, SortOrder, compare};
use ratatui::layout::Position;

impl Activity {
    /// The heading of what is on the screen.
    pub(super) fn shown_heading(&self) -> &Heading {
        if self.rows.is_some() { &self.rows_heading } else { &self.heading }
    }

    /// Takes a click in an open menu. Also returns the action that chooses the selected row.
    pub(super) fn click_menu(&mut self, at: Position) -> Option<(Click, Action)> {
        let heading = if self.rows.is_some() { &mut self.rows_heading } else { &mut self.heading };
        heading.click(at)
    }

    /// Does an action of the heading, or of its menus; `None` when it is another one and no menu is open.
    pub(super) fn act_heading(&mut self, action: Action, out: &mut Effects<'_>) -> Option<bool> {
        if self.rows.is_none() && self.jobs.is_empty() {
            return None;
        }
        let heading = if self.rows.is_some() { &mut self.rows_heading } else { &mut self.heading };
        match heading.on_action(action, out) {
            Did::Chose(order) => self.sort_by(order, out),
            Did::Something => {}
            Did::Nothing if heading.over().is_some() => return Some(false),
            Did::Nothing => return None,
        }
        Some(true)
    }

    /// Sorts what is on the screen: the rows of a job are read again in that order, the jobs are all here. What
    /// was selected stays so.
    fn sort_by(&mut self, order: Option<SortOrder>, out: &mut Effects<'_>) {
        if let Some(rows) = &mut self.rows {
            if self.rows_heading.order() != order {
                self.rows_heading.set_order(order);
                out.cancel(rows.list.reload());
            }
            return;
        }
        let (id, into) = (self.job().map(|job| job.id), self.at().saturating_sub(self.top));
        self.heading.set_order(order);
        self.unsorted = true;
        self.arrange();
        self.selected = id;
        // It stays where the eye is, too.
        self.top = self.at().saturating_sub(into);
    }

    /// Brings the jobs into the order that was chosen.
    pub(super) fn arrange(&mut self) {
        if !std::mem::take(&mut self.unsorted) {
            return;
        }
        self.sorted.clear();
        if let Some(SortOrder { column, direction }) = self.heading.order() {
            let keyed = self.jobs.iter().map(|job| (columns::sort_key(job, column), job.id));
            let mut keyed: Vec<(SortKey, JobId)> = keyed.collect();
            // Among equals the newest stays the first.
            keyed.sort_by(|(a, _), (b, _)| compare(a, b, direction));
            self.sorted.extend(keyed.into_iter().map(|(_, id)| id));
        }
    }

    /// The job at a place of the list.
    pub(super) fn job_at(&self, place: usize) -> Option<&Job> {
        match self.heading.order() {
            None => self.jobs.get(place),
            Some(_) => self.sorted.get(place).and_then(|id| self.find(*id)),
        }
    }

    /// The jobs as they stand in the list.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &Job> {
        (0..self.jobs.len()).filter_map(|place| self.job_at(place))
    }

    /// The place of the job that the keys are about.
    pub(super) fn at(&self) -> usize {
        let Some(id) = self.job().map(|job| job.id) else { return 0 };
        let place = match self.heading.order() {
            None => self.jobs.binary_search_by(|known| id.cmp(&known.id)).ok(),
            Some(_) => self.sorted.iter().position(|known| *known == id),
        };
        place.unwrap_or(0)
    }

    /// Selects the job at a place, or the last one.
    pub(super) fn select(&mut self, place: usize) {
        let place = place.min(self.jobs.len().saturating_sub(1));
        self.selected = self.job_at(place).map(|job| job.id);
    }

    /// Counts the changes of what is to be kept of both lists.
    pub fn changes(&self) -> u64 {
        self.heading.changes() + self.rows_heading.changes()
    }

    /// How the jobs are shown, and the rows of one.
    pub fn views(&self) -> (ListView, ListView) {
        (self.heading.view(), self.rows_heading.view())
    }

    /// Shows both as they were kept.
    pub fn restore(&mut self, jobs: &ListView, rows: &ListView) {
        self.heading.restore_all(jobs);
        self.rows_heading.restore_all(rows);
        self.unsorted = true;
    }
}
