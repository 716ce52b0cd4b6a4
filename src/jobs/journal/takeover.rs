//! Owners of jobs: takes over jobs whose process has ended, and releases this process's jobs.

use super::claims::HELD_UP;
use super::requests::{self, Ended};
use super::{Process, jobs, sending};
use crate::jobs::journal::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The jobs and drafts of a service and key whose owner is neither living nor this process, and those that a process
/// released without an answer to each request.
pub(super) fn abandoned(
    db: &Tx<'_>,
    account: &Account,
    living: &[String],
    me: &str,
) -> tx::Result<Vec<JobId>> {
    db.all(
        "SELECT id FROM job WHERE account = ?1 AND base_url = ?2
           AND (owner <> ?3 AND owner NOT IN json_list(?4, text)
             OR owner IS NULL AND phase <> 'moved'
               AND EXISTS (SELECT 1 FROM tally WHERE tally.job = job.id AND bucket = 'sending' AND n > 0))",
        values![account.key, account.base_url, me, super::json(living)],
    )
}

pub(super) fn other_owners(db: &Tx<'_>, account: &Account, me: &str) -> tx::Result<Vec<String>> {
    db.all(
        "SELECT DISTINCT owner FROM job
         WHERE account = ?1 AND base_url = ?2 AND owner IS NOT NULL AND owner <> ?3",
        values![account.key, account.base_url, me],
    )
}

/// Whether there are jobs to take over because they have no owner. Moved jobs and closed kept drafts need
/// none.
pub(super) fn has_orphans(db: &Tx<'_>, account: &Account, me: &str) -> tx::Result<bool> {
    db.exists(
        "SELECT 1 FROM job WHERE account = ?1 AND base_url = ?2 AND owner IS NULL AND phase <> 'moved'
           AND NOT (phase = 'draft' AND kept) AND ?3 <> ''",
        values![account.key, account.base_url, me],
    )
}

/// The given owners, and those of a team that are alive at this moment: this write may have waited for another one,
/// and a process may have appeared meanwhile.
pub(super) fn alive_now(db: &Tx<'_>, living: &[String]) -> tx::Result<Vec<String>> {
    let mut all = living.to_vec();
    if db.is_team() {
        let now: Vec<String> = db.all("SELECT id FROM process WHERE until > clock_timestamp()", values![])?;
        all.extend(now);
    }
    Ok(all)
}

/// Takes over and recovers all jobs of a service and key that no living process owns, and returns them. Removes
/// drafts whose process has ended, except kept ones. `now` is the service's time, in seconds.
pub(super) fn take_over(
    db: &Tx<'_>,
    account: &Account,
    owner: &Process,
    living: &[String],
    now: &i64,
) -> tx::Result<Vec<JobId>> {
    let living = &alive_now(db, living)?;
    let mut taken: Vec<JobId> = Vec::new();
    for is_own in [true, false] {
        let jobs: Vec<JobId> = db.all(
            "UPDATE job SET owner = ?3, owner_label = ?4
                 WHERE account = ?1 AND base_url = ?2 AND phase NOT IN ('draft', 'moved') AND owner IS DISTINCT FROM ?3
                   AND (owner IS NULL OR owner NOT IN json_list(?5, text))
                   AND (coalesce(owner_label, ?4) = ?4) = ?6
                 RETURNING id",
            values![account.key, account.base_url, owner.id, owner.label, super::json(living), is_own],
        )?;
        // A team's process may not have ended, but have lost its lease.
        let why = match &owner.place {
            Some(_) if !is_own => Reason::from(Code::TakenOver).because("who", Reason::read(&owner.label)),
            Some(_) => Code::OwnerLost.into(),
            None => Code::Interrupted.into(),
        };
        recover(db, &jobs, &why, *now)?;
        taken.extend(jobs);
    }
    // A kept draft belongs to nobody until a person opens it.
    db.execute(
        "UPDATE job SET owner = NULL, owner_label = NULL
         WHERE phase = 'draft' AND kept AND account = ?1 AND base_url = ?2 AND owner <> ?3
           AND owner NOT IN json_list(?4, text)",
        values![account.key, account.base_url, owner.id, super::json(living)],
    )?;
    // They may be incomplete. Nothing of them was sent.
    let gone = db.execute(
        "DELETE FROM job WHERE phase = 'draft' AND NOT kept AND owner IS DISTINCT FROM ?1 AND account = ?3 AND base_url = ?4
           AND (owner IS NULL OR owner NOT IN json_list(?2, text))",
        values![owner.id, super::json(living), account.key, account.base_url],
    )?;
    jobs::tidy_after_discard(db, gone)?;
    Ok(taken)
}

/// Takes a job from a colleague's process. Returns false if that one is sending it. `at` is this computer's time, in
/// milliseconds.
pub(super) fn take_job(db: &Tx<'_>, id: &JobId, owner: &Process, at: &i64) -> tx::Result<bool> {
    let taken = db.execute(
        "UPDATE job SET owner = ?2, owner_label = ?3
         WHERE id = ?1 AND phase NOT IN ('draft', 'moved')
           AND NOT EXISTS (SELECT 1 FROM request WHERE job = job.id AND answered IS NULL)
           AND NOT (phase = 'running' AND EXISTS (SELECT 1 FROM row WHERE row.job = job.id AND bucket = 'ready'))",
        values![id.0, owner.id, owner.label],
    )?;
    if taken > 0 {
        jobs::record_decision(db, *id, None, "take over", &Actor::of(owner, *at), "")?;
    }
    Ok(taken > 0)
}

/// Pauses a job that a colleague's process sends: that one records no further request. Returns false if it is not
/// sending.
pub(super) fn pause_of_colleague(db: &Tx<'_>, id: &JobId, owner: &Process, at: &i64) -> tx::Result<bool> {
    let is_running = db.exists("SELECT 1 FROM job WHERE id = ?1 AND phase = 'running'", values![id.0])?;
    if is_running {
        jobs::pause(db, id, owner, at)?;
        jobs::record_decision(db, *id, None, "pause", &Actor::of(owner, *at), "")?;
    }
    Ok(is_running)
}

/// Releases all jobs of this process at a clean exit. Jobs with rows left to send stop until a person resumes them.
/// `failed` has the jobs that could not be sent on because the journal failed, and why it did.
pub(super) fn release(db: &Tx<'_>, me: &str, failed: &HashMap<JobId, Reason>) -> tx::Result<()> {
    for id in sending::ready_jobs(db, me)? {
        if let Some(why) = failed.get(&id) {
            jobs::stop(db, &id, &StopKind::Journal, why)?;
            continue;
        }
        // A verb ends when only such rows are left: nobody closed anything too early.
        let free = format!("SELECT 1 FROM row WHERE job = ?1 AND bucket = 'ready' AND NOT {HELD_UP}");
        let why = if db.exists(&free, values![id.0])? { Code::Closed } else { Code::HeldUp };
        jobs::stop(db, &id, &StopKind::Interrupted, &why.into())?;
    }
    db.run("UPDATE job SET owner = NULL, owner_label = NULL WHERE owner = ?1", values![me])
}

/// Recovers jobs whose sending process has ended: requests without an answer are in doubt, and jobs with unsent
/// rows stop until a person resumes them. `why` is the reason of such a stop.
pub(super) fn recover(db: &Tx<'_>, taken: &[JobId], why: &Reason, at: i64) -> tx::Result<()> {
    let lost = Reason::from(Code::Lost);
    for job in taken {
        let open: Vec<i64> =
            db.all("SELECT id FROM request WHERE job = ?1 AND answered IS NULL", values![job.0])?;
        for request in open {
            lose(db, request, &lost, at)?;
            // Poll rows in doubt before anything else.
            jobs::set_next_poll(db, *job, Timestamp::from_second(at).ok())?;
        }
        let left = jobs::counts(db, *job)?.of(RowStatus::Ready);
        if left > 0 {
            jobs::stop(db, job, &StopKind::Interrupted, why)?;
        }
    }
    Ok(())
}

/// Nobody knows what a request did whose answer was not recorded.
pub(super) fn lose(db: &Tx<'_>, request: i64, why: &Reason, at: i64) -> tx::Result<()> {
    requests::set_sending(db, request, RowStatus::InDoubt, Some(why))?;
    let how = Ended { outcome: "lost", status: None, accepted: None, why: Some(why.clone()) };
    requests::ended(db, request, at, &how)
}

/// What other processes may have changed.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct Changes {
    pub(in crate::jobs) owners: Vec<String>,
    /// Jobs, each with a number that changes with every write, and kept drafts, whose number changes with the owner and
    /// the statuses of the rows.
    pub(in crate::jobs) jobs: Vec<(JobId, i64)>,
}

pub(super) fn changes(db: &Tx<'_>, account: &Account, me: &str) -> tx::Result<Changes> {
    let owners = other_owners(db, account, me)?;
    // In a team, others may also write jobs of this process.
    let (stamp, version) = if db.is_team() { ("job_stamp(id, xmin)", 0) } else { ("?4", db.version()?) };
    let mut jobs: Vec<(JobId, i64)> = db.all(
        &format!(
            "SELECT id, {stamp} FROM job WHERE account = ?1 AND base_url = ?2 AND owner IS NOT NULL
               AND (owner <> ?3 OR {}) AND phase <> 'draft' AND ?4 >= 0",
            if db.is_team() { "TRUE" } else { "FALSE" }
        ),
        values![account.key, account.base_url, me, version],
    )?;
    jobs.extend(kept_drafts(db, account, me)?);
    Ok(Changes { owners, jobs })
}

/// The kept drafts that are not open in this process, each with a number that changes with its owner and its rows. The
/// version of a file changes with every write, and a draft that waits for a person would look new with each.
fn kept_drafts(db: &Tx<'_>, account: &Account, me: &str) -> tx::Result<HashMap<JobId, i64>> {
    let found: Vec<(JobId, String, String, i64)> = db.all(
        "SELECT job.id, coalesce(job.owner, ''), coalesce(tally.bucket, ''), coalesce(tally.n, 0)
         FROM job LEFT JOIN tally ON tally.job = job.id
         WHERE job.phase = 'draft' AND job.kept AND job.account = ?1 AND job.base_url = ?2
           AND job.owner IS DISTINCT FROM ?3
         ORDER BY job.id, tally.bucket",
        values![account.key, account.base_url, me],
    )?;
    let mut stamps: HashMap<JobId, DefaultHasher> = HashMap::new();
    for (id, owner, status, rows) in found {
        (owner, status, rows).hash(stamps.entry(id).or_default());
    }
    Ok(stamps.into_iter().map(|(id, stamp)| (id, stamp.finish().cast_signed())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::job::{Kind, Phase};
    use crate::jobs::journal::rows::NewRow;
    use crate::jobs::journal::tests::statements::{draft_of, journal, seen};
    use crate::jobs::journal::{drafts, snapshots};

    #[test]
    fn a_job_that_a_colleague_took_over_names_them() {
        let [lee, kim] = ["lee", "kim"].map(|who| Reason::of_process(who, "lee-pc"));
        for (place, former, code) in [
            (Some("lee on lee-pc"), &kim, Code::TakenOver),
            (Some("lee on lee-pc"), &lee, Code::OwnerLost),
            (None, &kim, Code::Interrupted),
        ] {
            let connection = journal();
            let db = Tx::on(&connection);
            let row = NewRow { name: "n".into(), email: "p@x.example".into(), ..NewRow::default() };
            let id = draft_of(&db, Kind::Issue, &[row]);
            drafts::start(&db, &id, &Actor::now("me"), &seen(Phase::Draft)).expect("started");
            db.execute("UPDATE job SET owner_label = ?1", values![former.stored()]).expect("another's");
            let owner = Process { id: "you".into(), label: lee.stored(), place: place.map(Into::into) };
            let account =
                Account { profile: "p".into(), base_url: "u".into(), key: "k".into(), organisation: None };
            assert_eq!(take_over(&db, &account, &owner, &[], &0).expect("taken"), [id]);
            let job = snapshots::job(&db, &id, "me").expect("read").expect("a job");
            let why = job.stop.expect("a stop").why;
            assert_eq!(why.code(), code);
            assert_eq!(why.english().contains(&lee.english()), code == Code::TakenOver, "{why}");
        }
    }

    #[test]
    fn a_draft_that_another_process_keeps_changes_or_closes_is_a_change_and_another_write_is_none() {
        let connection = journal();
        let db = Tx::on(&connection);
        let account =
            Account { profile: "p".into(), base_url: "u".into(), key: "k".into(), organisation: None };
        let row = |n| NewRow { name: "n".into(), email: format!("p{n}@x.example"), ..NewRow::default() };
        let id = draft_of(&db, Kind::Issue, &[row(1), row(2)]);
        let stamp = |me: &str| {
            let found = changes(&db, &account, me).expect("read").jobs;
            found.into_iter().find(|(job, _)| *job == id).map(|(_, stamp)| stamp)
        };
        assert_eq!(stamp("you"), None, "nobody has kept it");
        drafts::keep(&db, &[id]).expect("kept");
        let kept = stamp("you").expect("a kept draft");
        assert_eq!(stamp("me"), None, "one's own");
        draft_of(&db, Kind::Issue, &[row(3)]);
        assert_eq!(stamp("you"), Some(kept));
        db.run("UPDATE row SET bucket = 'left_out' WHERE job = ?1 AND no = 1", values![id.0])
            .expect("skipped");
        let decided = stamp("you").expect("a kept draft");
        assert_ne!(decided, kept);
        drafts::close(&db, &[id], "me").expect("closed");
        assert!([kept, decided].iter().all(|before| stamp("you") != Some(*before)));
        assert_eq!(stamp("you"), stamp("me"), "nobody has it open");
        let owner = Process { id: "me".into(), label: "me".into(), place: None };
        assert!(drafts::open(&db, &[id], &account, &owner, &[]).expect("opened"));
        jobs::discard(&db, &id, "me").expect("discarded");
        assert_eq!(stamp("you"), None);
    }
}
