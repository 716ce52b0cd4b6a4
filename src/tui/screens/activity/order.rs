//! The columns and the sort order of the jobs, and of the rows of one job.

use super::{Activity, columns};
use crate::tui::input::list_hit::Click;
use crate::tui::prelude::*;
use crate::tui::widgets::table_header::{Heading, HeadingOutcome, SortKey, SortOrder, compare};

/// Number of jobs whose cells decide how wide the columns are.
const MEASURED: usize = 200;

impl Activity {
    pub(super) fn shown_heading(&self) -> &Heading {
        if self.rows.is_some() { &self.rows_heading } else { &self.heading }
    }

    pub(super) fn shown_heading_mut(&mut self) -> &mut Heading {
        if self.rows.is_some() { &mut self.rows_heading } else { &mut self.heading }
    }

    pub(super) fn click_menu(&mut self, at: Position) -> Option<(Click, Action)> {
        self.shown_heading_mut().click(at)
    }

    /// `None` if no menu is open and the action is another one.
    pub(super) fn act_heading(
        &mut self,
        action: Action,
        cx: &UiContext,
        out: &mut Effects<'_>,
    ) -> Option<bool> {
        if self.rows.is_none() && self.jobs.is_empty() {
            return None;
        }
        let heading = if self.rows.is_some() { &mut self.rows_heading } else { &mut self.heading };
        match heading.on_action(action, out) {
            HeadingOutcome::Chose(order) => self.sort_by(order, cx, out),
            HeadingOutcome::Something => {}
            HeadingOutcome::Nothing if heading.over().is_some() => return Some(false),
            HeadingOutcome::Nothing => return None,
        }
        Some(true)
    }

    /// Sorts the list on the screen and keeps the selection.
    /// The jobs are all here. The rows of a job are read again in the new order.
    fn sort_by(&mut self, order: Option<SortOrder>, cx: &UiContext, out: &mut Effects<'_>) {
        if let Some(rows) = &mut self.rows {
            if self.rows_heading.order() != order {
                self.rows_heading.set_order(order);
                out.cancel(rows.list.reload());
            }
            return;
        }
        let (id, before) = (self.job().map(|job| job.id), self.at());
        self.heading.set_order(order);
        self.unsorted = true;
        self.arrange(cx);
        self.selected = id;
        // The selected job also keeps its place on the screen.
        self.sight.keep_line(before, self.at());
    }

    /// Sorts the jobs in the chosen order, if they have changed since the last sorting.
    /// The columns are as wide as the newest jobs need.
    pub(super) fn arrange(&mut self, cx: &UiContext) {
        if !std::mem::take(&mut self.unsorted) {
            return;
        }
        let newest = &self.jobs[..self.jobs.len().min(MEASURED)];
        let newest: Vec<Job> = newest.iter().map(|job| self.shown(job).into_owned()).collect();
        self.needs_width = columns::needs_width(newest.iter(), cx);
        self.heading.forget_content();
        for job in &newest {
            self.heading.fit(&columns::widest(job, cx), cx);
        }
        self.sorted.clear();
        if let Some(SortOrder { column, direction }) = self.heading.order() {
            let keyed = self.jobs.iter().map(|job| (columns::sort_key(&self.shown(job), column), job.id));
            let mut keyed: Vec<(SortKey, JobId)> = keyed.collect();
            // The sort is stable: among equal jobs the newest stays first.
            keyed.sort_by(|(a, _), (b, _)| compare(a, b, direction));
            self.sorted.extend(keyed.into_iter().map(|(_, id)| id));
        }
    }

    pub(super) fn job_at(&self, place: usize) -> Option<&Job> {
        match self.heading.order() {
            None => self.jobs.get(place),
            Some(_) => self.sorted.get(place).and_then(|id| self.find(*id)),
        }
    }

    pub(super) fn in_order(&self) -> impl Iterator<Item = &Job> {
        (0..self.jobs.len()).filter_map(|place| self.job_at(place))
    }

    pub(super) fn at(&self) -> usize {
        let Some(id) = self.job().map(|job| job.id) else { return 0 };
        let row = self.row_of(id);
        self.listed_jobs().position(|job| job.id == row).unwrap_or(0)
    }

    pub(super) fn select(&mut self, place: usize) {
        let id = self.listed_jobs().nth(place).map(|job| job.id);
        self.selected = id;
    }
}
