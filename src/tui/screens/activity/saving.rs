//! Saving the list on the screen to a file: the jobs, or the rows of one.

use super::{Activity, columns};
use crate::tui::effects::ExportSource;
use crate::tui::prelude::*;

impl Activity {
    /// What a file of the list would have, in words. `None` if the list is empty.
    pub(super) fn listed(&self) -> Option<String> {
        let jobs = self.jobs.iter().filter(|job| self.is_listed(job)).count() as u64;
        let marked = self.marked().count() as u64;
        match &self.rows {
            Some(_) if marked > 0 => Some(plural!(marked, "{n} marked row", "{n} marked rows")),
            Some(rows) if rows.list.is_empty() => None,
            Some(rows) => Some(count!(rows.list.len(), "row", "rows")),
            None => (jobs > 0).then(|| count!(jobs, "job", "jobs")),
        }
    }

    pub(super) fn save_jobs(&self, cx: &UiContext, out: &mut Effects<'_>) {
        let Some(mut head) = self.listed() else {
            out.say(t!("There are no jobs here to export."));
            return;
        };
        let only = self.only.map(|only| tr(only.words()).to_owned());
        for words in only.into_iter().chain(self.heading.words()) {
            head.push_str(&format!(" {} {words}", cx.glyphs.dot));
        }
        let clock = cx.clock();
        let rows = self
            .in_order()
            .filter(|job| self.is_listed(job))
            .map(|job| columns::saved(job, &clock))
            .collect();
        let source = ExportSource::of_rows("jobs", head, None, columns::saved_names(), rows);
        out.export(source);
    }
}
