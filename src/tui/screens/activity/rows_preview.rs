//! The rows of the selected job that are shown without opening it.

use crate::jobs::RowFilter;
use crate::tui::needs::most_urgent_first;
use crate::tui::prelude::*;
use crate::tui::request::RowsQuery;

/// Maximum number of rows shown below a job that is not open, if they have room.
const PEEK: u64 = 20;
/// Maximum number of rows of a job whose rows are all shown without opening it. So many rows of any job are shown, even if
/// the pane has to scroll.
pub(super) const FEW: u64 = 3;

#[derive(Default)]
pub(super) struct RowsPreview {
    pub of: Option<JobId>,
    pub rows: Vec<JobRow>,
    pub request: Option<RequestId>,
    pub stale: bool,
}

impl RowsPreview {
    /// Requests the rows of a job with these statuses, if they are not here. `None`: it shows no rows.
    pub fn load(&mut self, job: JobId, statuses: Option<Vec<RowStatus>>, effects: &mut Effects<'_>) {
        if self.of != Some(job) {
            effects.cancel(self.request.take());
            *self = Self { of: Some(job), stale: true, ..Self::default() };
        }
        if !self.stale || self.request.is_some() {
            return;
        }
        self.stale = false;
        match statuses {
            None => self.rows.clear(),
            Some(row_statuses) => {
                let filter = RowFilter { row_statuses, ..RowFilter::default() };
                let query = RowsQuery { job, filter, page: 1, per_page: PEEK };
                self.request = Some(effects.request(Request::Rows(query)));
            }
        }
    }
}

/// The statuses of the rows shown without opening the job; an empty list means all rows. A job of at most `FEW` rows
/// shows all of them. Other jobs show the rows that need a person, or whose badge is not known.
pub(super) fn previewed(job: &Job) -> Option<Vec<RowStatus>> {
    let is_peeked = |status: &RowStatus| {
        job.counts.of(*status) > 0 && (status.needs_a_person() || *status == RowStatus::NotVisibleYet)
    };
    let row_statuses: Vec<RowStatus> = most_urgent_first(job).into_iter().filter(is_peeked).collect();
    if job.counts.total() <= FEW {
        return Some(Vec::new());
    }
    (!row_statuses.is_empty()).then_some(row_statuses)
}

/// The number of these rows, shown or not.
pub(super) fn previewed_rows(job: &Job) -> u64 {
    previewed(job)
        .map_or(0, |statuses| job.counts.sum(|status| statuses.is_empty() || statuses.contains(&status)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::needs::tests::job;

    #[test]
    fn the_most_urgent_rows_are_shown_first() {
        let stopped = [(RowStatus::Ready, 397), (RowStatus::Invalid, 3), (RowStatus::InDoubt, 100)];
        let shown = previewed(&job(Phase::Stopped, &stopped)).expect("some");
        assert_eq!(shown.first(), Some(&RowStatus::InDoubt), "{shown:?}");
    }
}
