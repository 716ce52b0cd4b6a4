//! A replacement in the list of jobs: one row for the issue job and the revocation that waits for it, until the user
//! opens it.

use super::Activity;
use crate::tui::modals::job_actions::can;
use crate::tui::prelude::*;

impl Activity {
    /// The issue job and the revocation of a replacement, by the id of either job. `None` if the journal's list does not
    /// have both.
    fn parts_of(&self, id: JobId) -> Option<(&Job, &Job)> {
        let revoke = self.find(*self.replacements.get(&id).unwrap_or(&id))?;
        revoke.replaced.as_ref()?;
        Some((self.find(revoke.follows?)?, revoke))
    }

    /// The parts of a replacement that is one row.
    fn folded(&self, id: JobId) -> Option<(&Job, &Job)> {
        self.parts_of(id).filter(|(_, revoke)| !self.opened.contains(&revoke.id))
    }

    /// Whether the row of a job is that of the revocation that waits for it.
    fn is_hidden(&self, job: &Job) -> bool {
        self.folded(job.id).is_some_and(|(issue, _)| issue.id == job.id)
    }

    /// The jobs that have a row of their own, shown or not.
    pub(super) fn all_listed(&self) -> impl Iterator<Item = &Job> {
        self.in_order().filter(|job| !self.is_hidden(job))
    }

    pub(super) fn listed_jobs(&self) -> impl Iterator<Item = &Job> {
        self.all_listed().filter(|job| self.is_listed(job))
    }

    /// The id of the job whose row shows a job.
    pub(super) fn row_of(&self, id: JobId) -> JobId {
        self.folded(id).map_or(id, |(_, revoke)| revoke.id)
    }

    /// A job as its row shows it.
    pub(super) fn shown<'a>(&self, job: &'a Job) -> Cow<'a, Job> {
        match self.folded(job.id) {
            Some((issue, revoke)) if revoke.id == job.id => Cow::Owned(revoke.with_issue(issue)),
            _ => Cow::Borrowed(job),
        }
    }

    pub(super) fn selected_jobs(&self) -> Vec<&Job> {
        let Some(job) = self.job() else { return Vec::new() };
        if self.rows.is_some() {
            return vec![job];
        }
        self.folded(job.id).map_or_else(|| vec![job], |(issue, revoke)| vec![issue, revoke])
    }

    /// The job of the selected row that an action is about: the one for which it does something. `None` if it would do
    /// something for both parts of a replacement.
    pub(super) fn job_for(&self, action: Action) -> Option<&Job> {
        let jobs = self.selected_jobs();
        let mut able = jobs.iter().copied().filter(|job| can(action, job));
        match (able.next(), able.next()) {
            (Some(_), Some(_)) => None,
            (one, _) => one.or_else(|| jobs.first().copied()),
        }
    }

    /// Shows both parts of the selected replacement. Returns false if the row is no replacement.
    pub(super) fn open_replacement(&mut self) -> bool {
        let folded = self.job().filter(|_| self.rows.is_none()).and_then(|job| self.folded(job.id));
        let Some(revoke) = folded.map(|(_, revoke)| revoke.id) else { return false };
        self.opened.insert(revoke);
        self.unsorted = true;
        self.selected = Some(revoke);
        true
    }

    /// Folds the selected replacement into one row. Returns false if the row is no part of an open one.
    pub(super) fn close_replacement(&mut self) -> bool {
        let open = self.open_parts();
        if let Some(revoke) = open {
            self.opened.remove(&revoke);
            self.unsorted = true;
            self.selected = Some(revoke);
        }
        open.is_some()
    }

    /// The revocation of the open replacement that the selected job is a part of.
    pub(super) fn open_parts(&self) -> Option<JobId> {
        let job = self.job().filter(|_| self.rows.is_none())?;
        self.parts_of(job.id).map(|(_, revoke)| revoke.id).filter(|revoke| self.opened.contains(revoke))
    }
}
