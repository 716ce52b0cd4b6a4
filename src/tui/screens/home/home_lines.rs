//! The lines of Home, from the jobs and the counts: what needs a person comes first.

use crate::jobs::JobPart;
use crate::tui::modals::draft::imports;
use crate::tui::needs::{checked, is_checked, needs, urgency};
use crate::tui::prelude::*;
use crate::tui::request::IndexOverview;
use crate::tui::widgets::colleagues::is_colleagues;
use std::mem::{Discriminant, discriminant};
use strum::VariantArray;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, VariantArray)]
pub enum HomeGroup {
    NeedsYou,
    Drafts,
    Checking,
    Running,
    /// What only the lapel of a colleague follows.
    Colleagues,
    Soon,
    Plot,
}

/// What a line is about: its kind, and its job or draft. The selection stays on it when the lines change.
pub type HomeLineId = (Discriminant<HomeLine>, Option<JobId>);

#[derive(Clone, Debug, PartialEq)]
pub enum HomeLine {
    Need(Box<Job>, Vec<JobPart>),
    Draft(Vec<Job>),
    /// Rows that lapel checks: in doubt, being checked or overdue.
    Check(Box<Job>),
    /// Badges of the whole history that had waited too long at this time of the service, when the index was read.
    Overdue(u64, IndexedList, DateTime),
    Run(Box<Job>),
    /// A job that only a colleague follows, and that is checked or runs.
    Theirs(Box<Job>),
    Expiring(u64, IndexedList),
    /// Failed mails, and the domain with the most of them.
    Mails(u64, Option<(Text, u64)>),
    NoIndex,
    /// There is an index, and nothing was read into it.
    EmptyIndex,
    Plot,
}

impl HomeLine {
    pub fn id(&self) -> HomeLineId {
        let job = if let Self::Draft(drafts) = self { drafts.first() } else { self.job() };
        (discriminant(self), job.map(|job| job.id))
    }

    pub fn part(&self) -> HomeGroup {
        match self {
            Self::Need(..) => HomeGroup::NeedsYou,
            Self::Draft(_) => HomeGroup::Drafts,
            Self::Check(_) | Self::Overdue(..) => HomeGroup::Checking,
            Self::Run(_) => HomeGroup::Running,
            Self::Theirs(_) => HomeGroup::Colleagues,
            Self::Expiring(..) | Self::Mails(..) | Self::NoIndex | Self::EmptyIndex => HomeGroup::Soon,
            Self::Plot => HomeGroup::Plot,
        }
    }

    /// Whether another lapel has the draft open. Two cannot.
    pub fn is_open_elsewhere(&self) -> bool {
        matches!(self, Self::Draft(drafts) if drafts.iter().any(|draft| draft.open_elsewhere().is_some()))
    }

    pub fn job(&self) -> Option<&Job> {
        match self {
            Self::Need(job, _) | Self::Check(job) | Self::Run(job) | Self::Theirs(job) => Some(job),
            _ => None,
        }
    }
}

fn runs(job: &Job) -> bool {
    let is_under_way =
        |status: RowStatus| status.is_open() && !is_checked(status) && status != RowStatus::NeverSeen;
    let is_paused = job.phase == Phase::Paused && job.left_to_send() > 0;
    job.is_sending() || is_paused || job.counts.sum(is_under_way) > 0
}

/// The lines about jobs: first the jobs that need a person, the most urgent and then the newest first; then
/// those that lapel checks, those that run, and those that only a colleague of `me` follows.
pub fn of_jobs(jobs: &[Job], now: Timestamp, me: Option<&str>) -> Vec<HomeLine> {
    let mut needing: Vec<(&Job, Vec<JobPart>)> =
        jobs.iter().map(|job| (job, needs(job, now))).filter(|(_, needs)| !needs.is_empty()).collect();
    needing.sort_by_key(|(job, needs)| {
        (needs.first().map(|need| urgency(*need, job)), std::cmp::Reverse(job.id))
    });
    let mut all: Vec<HomeLine> =
        needing.into_iter().map(|(job, needs)| HomeLine::Need(Box::new(job.clone()), needs)).collect();
    let here = || jobs.iter().filter(|job| !matches!(job.phase, Phase::Draft | Phase::Moved));
    let is_checked = |job: &Job| job.next_poll.is_some() && !checked(job).is_empty();
    // The revocation of a replacement has no line of its own while it waits for its issue job.
    let waits_for_issue = |job: &Job| {
        job.replaced.is_some()
            && job.counts.sum(|status| status == RowStatus::ToRevoke) == job.counts.total()
            && jobs.iter().any(|issue| Some(issue.id) == job.follows && runs(issue))
    };
    let here = || here().filter(|job| !waits_for_issue(job));
    let is_theirs = |job: &Job| is_colleagues(job, me);
    let ours = || here().filter(|job| !is_theirs(job));
    all.extend(ours().filter(|job| is_checked(job)).map(|job| HomeLine::Check(Box::new(job.clone()))));
    all.extend(ours().filter(|job| runs(job)).map(|job| HomeLine::Run(Box::new(job.clone()))));
    let theirs = here().filter(|job| is_theirs(job) && (is_checked(job) || runs(job)));
    all.extend(theirs.map(|job| HomeLine::Theirs(Box::new(job.clone()))));
    all
}

pub fn lines(
    of_jobs: &[HomeLine],
    drafts: &[Job],
    counts: Option<&IndexOverview>,
    has_index: bool,
) -> Vec<HomeLine> {
    let mut all = of_jobs.to_vec();
    all.extend(imports(drafts).into_iter().map(HomeLine::Draft));
    match counts {
        Some(counts) => all.extend(overdue(counts).into_iter().chain(soon(counts))),
        None => all.push(if has_index { HomeLine::Plot } else { HomeLine::NoIndex }),
    }
    // Within a group, the order stays.
    all.sort_by_key(HomeLine::part);
    all
}

fn overdue(counts: &IndexOverview) -> Option<HomeLine> {
    let late = counts.sums.waiting.by_age.get(3..)?;
    let n = late.iter().map(|(_, n)| n).sum();
    // The first of the late ages begins where the badge becomes overdue; older badges follow.
    let Some((IndexedList::Waiting(_, since), _)) = late.first() else { return None };
    (n > 0).then_some(HomeLine::Overdue(n, IndexedList::Waiting(None, *since), counts.sums.waiting.at))
}

fn soon(counts: &IndexOverview) -> Vec<HomeLine> {
    if counts.sums.status.is_empty() {
        return vec![HomeLine::EmptyIndex];
    }
    let mut all = Vec::new();
    if let Some((which, n)) = counts.sums.ending.get(1).filter(|(_, n)| *n > 0) {
        all.push(HomeLine::Expiring(*n, which.clone()));
    }
    if counts.mail.failed > 0 {
        let worst = counts.mail.groups.first().map(|group| (group.domain.clone(), group.failed));
        all.push(HomeLine::Mails(counts.mail.failed, worst));
    }
    all.push(HomeLine::Plot);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::{Kind, Owner, Reason, Replaced};
    use crate::tui::needs::tests::{job, now};

    /// Every row that is not finished is in a part of Home, whether lapel or a person has to act.
    #[test]
    fn no_open_row_is_out_of_sight() {
        for status in RowStatus::ALL.iter().filter(|status| status.is_open()) {
            for phase in [Phase::Running, Phase::Paused, Phase::Stopped, Phase::Cancelled] {
                for next_poll in [None, Some(now())] {
                    let job = Job { next_poll, ..job(phase, &[(*status, 1)]) };
                    let owner = Owner {
                        label: Reason::of_process("lee", "lab-pc"),
                        is_me: false,
                        is_alive: true,
                        is_colleague: true,
                    };
                    let theirs = Job { owner: Some(owner), ..job.clone() };
                    for job in [job, theirs] {
                        let lines = of_jobs(&[job], now(), Some("kim"));
                        assert!(
                            !lines.is_empty(),
                            "{status:?} of a job that is {phase:?}, next check {next_poll:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn another_lapel_of_this_person_is_no_colleague() {
        let label = Reason::of_process("kim", "lab-pc");
        let owner = Owner { label, is_me: false, is_alive: true, is_colleague: true };
        let job = Job { owner: Some(owner), ..job(Phase::Running, &[(RowStatus::Waiting, 1)]) };
        for (me, group) in [("kim", HomeGroup::Running), ("lee", HomeGroup::Colleagues)] {
            let lines = of_jobs(std::slice::from_ref(&job), now(), Some(me));
            assert_eq!(lines.iter().map(HomeLine::part).collect::<Vec<_>>(), [group], "{me}");
        }
    }

    #[test]
    fn a_replacement_is_one_line_until_its_revocation_is_sent() {
        let issue = Job { next_poll: Some(now()), ..job(Phase::Running, &[(RowStatus::Waiting, 1)]) };
        let replaced = Replaced { old: "Kim".into(), new: "Lee".into(), is_whole: false };
        let revoke = Job {
            id: JobId(4),
            kind: Kind::Revoke,
            follows: Some(issue.id),
            replaced: Some(replaced),
            ..job(Phase::Running, &[(RowStatus::ToRevoke, 1)])
        };
        let lines = |jobs: &[Job]| -> Vec<_> {
            of_jobs(jobs, now(), None).iter().map(|line| (line.part(), line.id().1)).collect()
        };
        let line = |id| (HomeGroup::Running, Some(id));
        assert_eq!(lines(&[revoke.clone(), issue.clone()]), [line(issue.id)]);
        let issued = job(Phase::Running, &[(RowStatus::Issued, 1)]);
        assert_eq!(lines(&[revoke, issued]), [line(JobId(4))]);
    }
}
