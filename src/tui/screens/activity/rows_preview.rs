//! The rows of the selected job that are shown without opening it.

use crate::jobs::{JobPart, RowFilter};
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
                // Of the ready rows, only those of a refused request, which the service may have accepted.
                let unproven = row_statuses.contains(&RowStatus::Ready).then_some(true);
                let filter = RowFilter { row_statuses, unproven, ..RowFilter::default() };
                let query = RowsQuery { job, filter, page: 1, per_page: PEEK };
                self.request = Some(effects.request(Request::Rows(query)));
            }
        }
    }
}

/// The statuses of the rows shown without opening the job, the most urgent first; an empty list means all rows. A job of at
/// most `FEW` rows shows all of them. Other jobs show the rows that need a person, or whose badge is not known.
pub(super) fn previewed(job: &Job) -> Option<Vec<RowStatus>> {
    if job.counts.total() <= FEW {
        return Some(Vec::new());
    }
    let row_statuses: Vec<RowStatus> = previewed_parts(job).map(|part| part.status).collect();
    (!row_statuses.is_empty()).then_some(row_statuses)
}

fn previewed_parts(job: &Job) -> impl Iterator<Item = JobPart> {
    let is_previewed = |part: &JobPart| {
        part.is_held || part.status.needs_a_person() || part.status == RowStatus::NotVisibleYet
    };
    job.parts().into_iter().filter(is_previewed)
}

/// The number of these rows, shown or not.
pub(super) fn previewed_rows(job: &Job) -> u64 {
    let total = job.counts.total();
    if total <= FEW { total } else { previewed_parts(job).map(|part| part.rows).sum() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::Refusals;
    use crate::tui::needs::tests::job;

    #[test]
    fn the_most_urgent_rows_are_shown_first() {
        let stopped = [(RowStatus::Ready, 397), (RowStatus::Invalid, 3), (RowStatus::InDoubt, 100)];
        let shown = previewed(&job(Phase::Stopped, &stopped)).expect("some");
        assert_eq!(shown.first(), Some(&RowStatus::InDoubt), "{shown:?}");
    }

    #[test]
    fn refused_rows_that_were_perhaps_accepted_are_shown_and_other_unsent_ones_are_not() {
        let stopped = [(RowStatus::Ready, 397), (RowStatus::Invalid, 3), (RowStatus::InDoubt, 100)];
        let stopped = job(Phase::Stopped, &stopped);
        assert!(previewed(&stopped).is_some_and(|shown| !shown.contains(&RowStatus::Ready)));
        let refusals = Refusals { unproven_ready: 300, is_not_provable: true, ..Refusals::default() };
        let held = Job { refusals, ..stopped };
        let shown = [RowStatus::InDoubt, RowStatus::Ready, RowStatus::Invalid];
        assert_eq!((previewed(&held), previewed_rows(&held)), (Some(shown.to_vec()), 403));
    }
}
