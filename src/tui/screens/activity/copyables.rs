//! Copying and raw JSON for the Activity tab.

use super::Activity;
use crate::api::RawOf;
use crate::jobs::{Job, JobRow, shares};
use crate::tui::component::Screen;
use crate::tui::context::Env;
use crate::tui::effects::Effects;
use crate::tui::widgets::copying::{Copyables, records};
use crate::tui::widgets::job_rows::RowList;

/// The titles are translated when a job is copied.
const JOB_HEADS: [&str; 5] = [
    tr_noop!("Job"),
    tr_noop!("Kind"),
    tr_noop!("Title or reason"),
    tr_noop!("Rows"),
    tr_noop!("Row statuses"),
];
const ROW_HEADS: [&str; 6] = [
    tr_noop!("Row"),
    tr_noop!("State"),
    tr_noop!("Holder"),
    tr_noop!("E-mail"),
    tr_noop!("Badge id"),
    tr_noop!("Why"),
];

impl Screen for Activity {
    fn can_go_back(&self) -> bool {
        self.rows.is_some()
    }

    fn rows_built(&self) -> u64 {
        self.rows.as_ref().map_or(self.built.get(), RowList::rows_built)
    }

    fn copyables(&self, _: &Env) -> Copyables {
        let mut all = Copyables::default();
        let Some(rows) = &self.rows else {
            let Some(job) = self.job() else { return all };
            all.one('i', t!("job number"), Some(&job.id.to_string()));
            all.row(&job_cells(job));
            let jobs: Vec<Vec<String>> = self.in_order().map(job_cells).collect();
            all.table(&JOB_HEADS, &jobs, t!("of the job list"));
            return all;
        };
        if let Some(row) = rows.list.selected() {
            all.one('i', t!("badge id"), row.badge_id.as_ref().map(crate::domain::BadgeId::wire));
            all.one('a', t!("e-mail address"), Some(row.address.wire()));
            all.row(&row_cells(row));
        }
        let loaded: Vec<Vec<String>> = rows.list.loaded().map(|(_, row)| row_cells(row)).collect();
        all.table(&ROW_HEADS, &loaded, t!("that are loaded"));
        all
    }

    fn records(&self) -> Vec<RawOf> {
        let row = self.rows.as_ref().and_then(|rows| rows.list.selected());
        let badge = row.and_then(|row| Some((row.badge_id.as_ref()?, &row.address)));
        badge.map_or_else(Vec::new, |(id, address)| records(id, Some(address)))
    }

    fn refresh(&mut self, _: &Env, _: &mut Effects<'_>) {
        // Nothing to do: the journal reports changes itself.
    }
}

fn job_cells(job: &Job) -> Vec<String> {
    vec![
        job.id.to_string(),
        job.kind.word().to_owned(),
        job.title.to_string(),
        job.counts.total().to_string(),
        shares(job),
    ]
}

fn row_cells(row: &JobRow) -> Vec<String> {
    vec![
        row.number().to_string(),
        row.bucket.word().to_owned(),
        row.holder.to_string(),
        row.address.to_string(),
        row.badge_id.as_ref().map_or_else(String::new, ToString::to_string),
        row.why.as_ref().map_or_else(String::new, ToString::to_string),
    ]
}
