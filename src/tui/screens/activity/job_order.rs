//! The columns and the sort order of the jobs, and of the rows of one job. The jobs that are listed.

use super::{Activity, job_fields};
use crate::tui::needs::needs;
use crate::tui::prelude::*;
use crate::tui::widgets::table_header::{Heading, HeadingOutcome, SortKey, SortOrder, compare};

/// Number of jobs whose cells decide how wide the columns are.
const MEASURED: usize = 200;

/// The jobs that the list shows instead of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnlyJobs {
    Needing,
    Open,
    Finished,
}

impl OnlyJobs {
    const ALL: [Self; 3] = [Self::Needing, Self::Open, Self::Finished];

    /// English, for users.
    pub fn words(self) -> &'static str {
        match self {
            Self::Needing => tr_noop!("jobs that need you"),
            Self::Open => tr_noop!("open jobs"),
            Self::Finished => tr_noop!("finished jobs"),
        }
    }

    fn has(self, job: &Job, now: Timestamp) -> bool {
        match self {
            Self::Needing => !needs(job, now).is_empty(),
            Self::Open => job.is_unfinished(),
            Self::Finished => !job.is_unfinished(),
        }
    }
}

impl Activity {
    /// Whether the list shows the row of a job.
    pub(super) fn is_listed(&self, job: &Job) -> bool {
        let row = self.find(self.row_of(job.id)).unwrap_or(job);
        self.only.is_none_or(|only| only.has(&self.shown(row), self.now))
    }

    /// Shows only the jobs of the next state that there is, and after the last all of them.
    pub(super) fn only_next_jobs(&mut self) {
        let is_there = |one: &OnlyJobs| self.all_listed().any(|job| one.has(&self.shown(job), self.now));
        let mut there = OnlyJobs::ALL.into_iter().filter(is_there);
        if let Some(now) = self.only {
            there.find(|one| *one == now);
        }
        self.only = there.next();
    }

    pub(super) fn shown_heading(&self) -> &Heading {
        if self.rows.is_some() { &self.rows_heading } else { &self.heading }
    }

    pub(super) fn shown_heading_mut(&mut self) -> &mut Heading {
        if self.rows.is_some() { &mut self.rows_heading } else { &mut self.heading }
    }

    /// `None` if no menu is open and the action is another one.
    pub(super) fn act_heading(
        &mut self,
        action: Action,
        cx: &UiContext,
        effects: &mut Effects<'_>,
    ) -> Option<bool> {
        if self.rows.is_none() && self.jobs.is_empty() {
            return None;
        }
        let heading = self.shown_heading_mut();
        match heading.on_action(action, effects) {
            HeadingOutcome::Chose(order) => self.sort_by(order, cx, effects),
            HeadingOutcome::Something => {}
            HeadingOutcome::Nothing if heading.over().is_some() => return Some(false),
            HeadingOutcome::Nothing => return None,
        }
        Some(true)
    }

    /// Sorts the list on the screen and keeps the selection.
    /// The jobs are all here. The rows of a job are read again in the new order.
    fn sort_by(&mut self, order: Option<SortOrder>, cx: &UiContext, effects: &mut Effects<'_>) {
        if let Some(rows) = &mut self.rows {
            if self.rows_heading.order() != order {
                self.rows_heading.set_order(order);
                effects.cancel(rows.list.reload());
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
        self.needs_width = job_fields::needs_width(newest.iter(), cx);
        self.heading.forget_content();
        for job in &newest {
            self.heading.fit(&job_fields::widest(job, cx), cx);
        }
        self.sorted.clear();
        if let Some(SortOrder { column, direction }) = self.heading.order() {
            let now = cx.clock().utc();
            let key = |job: &Job| job_fields::sort_key(&self.shown(job), column, now);
            let keyed = self.jobs.iter().map(|job| (key(job), job.id));
            let mut keyed: Vec<(SortKey, JobId)> = keyed.collect();
            // The sort is stable: among equal jobs the newest stays first.
            keyed.sort_by(|(a, _), (b, _)| compare(a, b, direction));
            self.sorted.extend(keyed.into_iter().map(|(_, id)| id));
        }
    }

    pub(super) fn in_order(&self) -> impl Iterator<Item = &Job> {
        let is_sorted = self.heading.order().is_some();
        (0..self.jobs.len()).filter_map(move |place| {
            if is_sorted { self.find(*self.sorted.get(place)?) } else { self.jobs.get(place) }
        })
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

#[cfg(test)]
mod tests {
    use super::super::draw::{Finished, finished};
    use super::*;
    use crate::api::Direction;
    use crate::jobs::{Code, Stop, StopKind};
    use crate::tui::needs::tests::{job, now};

    #[test]
    fn the_list_goes_through_the_states_that_its_jobs_have() {
        let mut activity = Activity::default();
        activity.take(Job { id: JobId(1), ..job(Phase::Running, &[(RowStatus::Issued, 2)]) });
        activity.take(Job { id: JobId(2), ..job(Phase::Running, &[(RowStatus::Waiting, 2)]) });
        activity.take(Job { id: JobId(3), ..job(Phase::Stopped, &[(RowStatus::Ready, 2)]) });
        let shown = |activity: &Activity| activity.listed_jobs().map(|job| job.id.0).collect::<Vec<_>>();
        assert_eq!(shown(&activity), [3, 2, 1]);
        activity.selected = Some(JobId(1));
        for (only, ids, selected) in [
            (Some(OnlyJobs::Needing), vec![3], 3),
            (Some(OnlyJobs::Open), vec![3, 2], 3),
            (Some(OnlyJobs::Finished), vec![1], 1),
            (None, vec![3, 2, 1], 1),
        ] {
            activity.only_next_jobs();
            assert_eq!((activity.only, shown(&activity)), (only, ids));
            assert_eq!(
                activity.job().map(|job| job.id.0),
                Some(selected),
                "a key is about a job that is shown"
            );
            assert_eq!(activity.open(), 2, "the count is of all jobs");
        }
        activity.only = Some(OnlyJobs::Finished);
        activity.remove(JobId(1));
        assert_eq!(activity.job().map(|job| job.id), None, "no job is shown");
        activity.show(JobId(2), Vec::new());
        assert_eq!(shown(&activity), [3, 2], "a job that another tab shows is listed");
    }

    #[test]
    fn problems_are_sorted_by_what_their_column_shows() {
        use RowStatus::{InDoubt, Invalid, Issued, Ready, Refused};
        let jobs = [
            job(Phase::Running, &[(InDoubt, 5)]),
            job(Phase::Stopped, &[(Refused, 30)]),
            job(Phase::Stopped, &[(Refused, 2), (Invalid, 90)]),
            job(Phase::Stopped, &[(Ready, 30)]),
            // Invalid rows were reported when the job began, so the column has nothing.
            job(Phase::Running, &[(Invalid, 9), (Issued, 90)]),
        ];
        for field in ["needs", "standing"] {
            let order = job_fields::heading().order_by(field, false).expect("a column");
            let keys: Vec<SortKey> =
                jobs.iter().map(|job| job_fields::sort_key(job, order.column, now())).collect();
            for pair in keys.windows(2) {
                assert!(compare(&pair[0], &pair[1], Direction::Asc).is_lt(), "{field}: {keys:?}");
            }
        }
    }

    #[test]
    fn a_stopped_job_is_open_while_somebody_may_act_and_nothing_is_done_without_a_badge() {
        use RowStatus::{Invalid, Issued, NeedsReview, Ready, Refused, Revoked, Skipped};
        let refused = |rows| Job {
            stop: Some(Stop { kind: StopKind::BadRequest, why: Code::Interrupted.into() }),
            ..job(Phase::Stopped, &[(Refused, rows)])
        };
        for open in [
            refused(30),
            Job { held: 1, ..job(Phase::Stopped, &[(NeedsReview, 1), (Issued, 1)]) },
            job(Phase::Paused, &[(Ready, 1)]),
        ] {
            assert!(OnlyJobs::Open.has(&open, now()) && finished(&open).is_none(), "{open:?}");
        }
        let ended = |job: Job| {
            assert!(OnlyJobs::Finished.has(&job, now()), "{job:?}");
            finished(&job)
        };
        // The service would refuse a single row again.
        for nothing in [
            refused(1),
            job(Phase::Running, &[(Invalid, 2)]),
            job(Phase::Running, &[(Refused, 2)]),
            // Nearly every file has a row that is skipped in the review.
            job(Phase::Running, &[(Skipped, 2), (Invalid, 1)]),
            job(Phase::Cancelled, &[(Skipped, 2)]),
        ] {
            assert!(matches!(ended(nothing), Some(Finished::NothingDone)));
        }
        assert_eq!(super::super::draw::done_of(&job(Phase::Running, &[(Invalid, 2)]), 100), 0);
        for status in [Issued, Revoked] {
            assert!(matches!(ended(job(Phase::Running, &[(status, 2)])), Some(Finished::Done)));
        }
        // A row that a person resolved may have been sent.
        for otherwise in [
            Job { has_cancelled_rows: true, ..job(Phase::Cancelled, &[(Skipped, 2)]) },
            Job { left_in_doubt: true, ..job(Phase::Running, &[(Skipped, 2)]) },
            job(Phase::Moved, &[(RowStatus::Waiting, 2)]),
        ] {
            assert!(matches!(ended(otherwise), Some(Finished::Otherwise)));
        }
    }

    #[test]
    fn what_lapel_still_checks_needs_nobody() {
        let checked = job(Phase::Running, &[(RowStatus::InDoubt, 2)]);
        assert!(!OnlyJobs::Needing.has(&checked, checked.created));
        assert!(OnlyJobs::Open.has(&checked, checked.created));
    }
}
