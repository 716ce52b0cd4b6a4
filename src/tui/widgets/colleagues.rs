//! Who began a job and who follows it, if a team shares the journal. Home and Activity name them with it.

use crate::jobs::Phase;
use crate::tui::prelude::*;

/// Whether only the lapel of a colleague follows the job.
pub fn is_theirs(job: &Job) -> bool {
    job.owner.as_ref().is_some_and(|owner| owner.is_colleague && owner.is_alive)
}

/// Whether that is not another lapel of this person, `me`.
pub fn is_colleagues(job: &Job, me: Option<&str>) -> bool {
    is_theirs(job) && follower(job) != me
}

fn follower(job: &Job) -> Option<&str> {
    job.owner.as_ref()?.label.argument("who")
}

/// Everybody, also this person.
pub fn everybody(job: &Job) -> Vec<String> {
    begun_by(job).into_iter().chain(followed_by(job)).collect()
}

/// The colleagues, each once. Empty for a job that only this person, `me`, has worked on.
pub fn colleagues(job: &Job, me: Option<&str>) -> Vec<String> {
    let known = [me, follower(job).filter(|_| is_theirs(job))];
    let is_known = job.begun.as_ref().is_some_and(|begun| known.contains(&Some(&*begun.who.to_string())));
    begun_by(job).filter(|_| !is_known).into_iter().chain(followed_by(job)).collect()
}

/// Who paused or cancelled the job, and the colleagues of `me`.
pub fn involved(job: &Job, me: Option<&str>) -> Vec<String> {
    let paused = job.is_halted().then(|| job.phase_words().to_string());
    paused.into_iter().chain(colleagues(job, me)).collect()
}

/// The same in a line that says how far the job is: it has who paused the job.
pub fn besides(job: &Job, me: Option<&str>) -> Vec<String> {
    if job.phase == Phase::Paused { colleagues(job, me) } else { involved(job, me) }
}

/// The colleague, or the other lapel on this computer, that opened a draft and has not closed it.
pub fn opened_by(draft: &Job) -> Option<String> {
    let owner = draft.open_elsewhere()?;
    Some(if owner.is_colleague {
        t!("opened by {who}", who = owner.label)
    } else {
        t!("open in another lapel ({owner})", owner = owner.label)
    })
}

fn begun_by(job: &Job) -> Option<String> {
    job.begun_by_words().map(|words| words.to_string())
}

fn followed_by(job: &Job) -> Option<String> {
    let owner = job.owner.as_ref().filter(|_| is_theirs(job))?;
    Some(t!("followed by {owner}", owner = owner.label))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::{BegunBy, Code, Owner, Reason};
    use crate::tui::needs::tests::job;

    fn of(begun_by: Option<&str>, follower: Option<&str>) -> Job {
        let label = |who: &str| Reason::of_process(who, "lab-pc");
        let owner =
            follower.map(|who| Owner { label: label(who), is_me: false, is_alive: true, is_colleague: true });
        let begun = begun_by.map(|who| BegunBy { who: who.into(), computer: None });
        Job { owner, begun, ..job(Phase::Running, &[]) }
    }

    #[test]
    fn a_colleague_is_named_once_and_this_person_never() {
        let colleagues = |job: &Job| colleagues(job, Some("kim"));
        let begun = |who: &str| t!("begun by {who}", who);
        let follows = |who: &str| t!("followed by {owner}", owner = format!("{who} on lab-pc"));
        assert_eq!(colleagues(&of(None, None)), Vec::<String>::new());
        assert_eq!(colleagues(&of(Some("kim"), None)), Vec::<String>::new());
        assert_eq!(colleagues(&of(Some("lee"), None)), [begun("lee")]);
        assert_eq!(colleagues(&of(Some("lee"), Some("lee"))), [follows("lee")]);
        assert_eq!(colleagues(&of(Some("lee"), Some("park"))), [begun("lee"), follows("park")]);
        assert_eq!(colleagues(&of(Some("kim"), Some("lee"))), [follows("lee")]);
        let draft = |follower| Job { phase: Phase::Draft, ..of(None, follower) };
        let opened = t!("opened by {who}", who = "lee on lab-pc");
        assert_eq!((opened_by(&draft(None)), opened_by(&draft(Some("lee")))), (None, Some(opened)));
        assert_eq!(everybody(&of(Some("lee"), Some("lee"))), [begun("lee"), follows("lee")]);
        let mut on_pc = of(Some("lee"), None);
        on_pc.begun.as_mut().expect("begun").computer = Some("lab-pc".into());
        assert_eq!(colleagues(&on_pc), [begun("lee on lab-pc")]);
    }

    #[test]
    fn who_paused_a_job_comes_first() {
        let lee = || Reason::of_process("lee", "lab-pc");
        let involved = |job: &Job| involved(job, Some("park"));
        let paused = Job { phase: Phase::Paused, halted_by: Some(lee()), ..of(Some("kim"), None) };
        assert_eq!(
            involved(&paused),
            [t!("paused by {who}", who = lee()), t!("begun by {who}", who = "kim")]
        );
        let sent = |status| Job { halted_by: Some(lee()), ..job(Phase::Paused, &[(status, 1)]) };
        for (status, state) in [(RowStatus::Issued, "finished"), (RowStatus::Waiting, "checking")] {
            assert_eq!(involved(&sent(status)), Vec::<String>::new(), "during the last request");
            assert_eq!(sent(status).state().to_string(), tr(state));
        }
        let cancelled = |rows: &[(RowStatus, u64)]| Job {
            halted_by: Some(lee()),
            has_cancelled_rows: rows.contains(&(RowStatus::Skipped, 1)),
            ..job(Phase::Cancelled, rows)
        };
        let words = t!("cancelled by {who}", who = lee());
        assert_eq!(involved(&cancelled(&[(RowStatus::Skipped, 1)])), std::slice::from_ref(&words));
        let open = cancelled(&[(RowStatus::Skipped, 1), (RowStatus::Waiting, 1)]);
        assert_eq!(open.state().to_string(), t!("{cancelled}, checking", cancelled = words.clone()));
        assert_eq!(besides(&open, None), [words], "on Home, while it is checked");
        assert_eq!(besides(&paused, None), [t!("begun by {who}", who = "kim")], "Home says it before");
        assert_eq!(involved(&cancelled(&[(RowStatus::Issued, 1)])), Vec::<String>::new(), "only undone");
        assert_eq!(involved(&of(None, None)), Vec::<String>::new());
    }

    #[test]
    fn a_process_that_has_ended_follows_nothing() {
        let mut job = of(None, Some("lee"));
        job.owner =
            job.owner.map(|owner| Owner { is_alive: false, label: Code::Interrupted.into(), ..owner });
        assert_eq!((is_theirs(&job), colleagues(&job, None)), (false, Vec::new()));
    }
}
