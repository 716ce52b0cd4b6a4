//! Moving an account's jobs between the journal in a file and a team's journal, in either direction.
//!
//! The jobs never may send in both: (1) the target expects them; (2) the source turns all of them into records, in one
//! transaction; (3) the target takes each in a transaction of its own; (4) the source notes that all were taken; (5) so
//! does the target, and may send. `marks` has what each notes. A second run after a crash continues the first. In the
//! target nothing is sent before a person resumes a job, and the duplicate check runs again.
//!
//! A job is known by its contents, not by its number: two journals that were one before a backup give the same number to
//! two jobs, and both may have a copy of one.

mod job_copy;
mod marks;
#[cfg(test)]
mod tests;

use super::{Journal, accounts, claims, jobs, lost_writes, takeover};
use crate::jobs::journal::prelude::*;
pub(in crate::jobs) use job_copy::{JobCopy, SourceJournal};
pub(super) use job_copy::{copy, source, take};
use marks::MarkState;
pub(in crate::jobs) use marks::{JournalBeside, OtherJournal};
pub(super) use marks::{Mark, all as all_marks, keep as keep_marks};
pub(super) use marks::{assure_here, beside, elsewhere, expect};

/// Migrates a journal in a file to schema 14.
pub(super) fn migrate(db: &Tx<'_>) -> tx::Result<()> {
    db.script(include_str!("transfers.sql"))?;
    // So other journals named it so far.
    db.run("UPDATE store SET name = ?1", values![claims::name_of_salt(db)?])
}

/// The jobs of an account, with any of its keys.
fn of_account(db: &Tx<'_>, account: &Account, which: &str) -> tx::Result<Vec<JobId>> {
    let [by_key, by_name] = accounts::all_of(db, account)?;
    db.all(
        &format!(
            "SELECT job.id FROM job
             JOIN account_key ON account_key.base_url = job.base_url AND account_key.key = job.account
             WHERE account_key.account IN (?1, ?2) AND job.phase <> 'draft' AND {which} ORDER BY job.id"
        ),
        values![by_key, by_name],
    )
}

/// The number of an account's jobs that are not records.
pub(super) fn count_here(db: &Tx<'_>, account: &Account) -> tx::Result<u64> {
    Ok(of_account(db, account, "job.phase <> 'moved'")?.len() as u64)
}

/// The processes that own jobs or drafts of an account, with any of its keys, except this one.
pub(super) fn owners(db: &Tx<'_>, account: &Account, me: &str) -> tx::Result<Vec<String>> {
    let [by_key, by_name] = accounts::all_of(db, account)?;
    db.all(
        "SELECT DISTINCT owner FROM job
         JOIN account_key ON account_key.base_url = job.base_url AND account_key.key = job.account
         WHERE account_key.account IN (?1, ?2) AND owner IS NOT NULL AND owner <> ?3",
        values![by_key, by_name, me],
    )
}

/// Handovers to another journal, and not to a backup.
pub(super) const MOVES: &str = "(file LIKE 'team %' OR file LIKE 'file %')";

/// The place of the other journal of a handover; `None` for a backup.
pub(super) fn moved_to(file: &str) -> Option<&str> {
    file.strip_prefix("team ").or_else(|| file.strip_prefix("file "))
}

/// The records of an account that went to another journal in a move of this state.
fn records(db: &Tx<'_>, account: &Account, to: &OtherJournal, state: &str) -> tx::Result<Vec<JobId>> {
    let handovers: Vec<String> = db.all(
        // Earlier versions kept only the place.
        &format!(
            "SELECT id FROM handover WHERE {MOVES} AND coalesce(taken_by = ?2, file = ?1) AND state = ?3"
        ),
        values![to.file, to.name, state],
    )?;
    let moved: HashSet<JobId> = of_account(db, account, "job.phase = 'moved'")?.into_iter().collect();
    let records: Vec<JobId> = db.all(
        "SELECT id FROM job WHERE handover IN json_list(?1, text) ORDER BY id",
        values![super::json(&handovers)],
    )?;
    Ok(records.into_iter().filter(|job| moved.contains(job)).collect())
}

/// The records that a journal must have to which the jobs of an account go: all but those of jobs that came back. They
/// show whom this journal has served. Where an earlier target is lost, they are all that is left.
pub(super) fn known_there(db: &Tx<'_>, account: &Account) -> tx::Result<Vec<JobId>> {
    let is_back = format!("handover.id = job.handover AND {MOVES} AND handover.state = 'returned'");
    let which = format!("job.phase = 'moved' AND NOT EXISTS (SELECT 1 FROM handover WHERE {is_back})");
    of_account(db, account, &which)
}

/// Of those jobs of another journal that came here: their numbers there and here.
pub(super) fn numbers_here(db: &Tx<'_>, source: &str, jobs: &[JobId]) -> tx::Result<Vec<(JobId, JobId)>> {
    db.all(
        "SELECT old, job FROM imported WHERE source = ?1 AND old IN json_list(?2, bigint) ORDER BY old",
        values![source, super::json(jobs)],
    )
}

/// The jobs that had this number in another journal, and have another one here.
pub(super) fn came_as(db: &Tx<'_>, old: &JobId) -> tx::Result<Vec<JobId>> {
    db.all(
        "SELECT DISTINCT imported.job FROM imported JOIN job ON job.id = imported.job
         WHERE source <> '' AND old = ?1 AND imported.job <> ?1 ORDER BY imported.job",
        values![old.0],
    )
}

/// An account that has no job here is sent for by another journal from now on. Returns the number of its jobs.
pub(super) fn leave(db: &Tx<'_>, account: &Account, to: &OtherJournal) -> tx::Result<u64> {
    let jobs = count_here(db, account)?;
    if jobs == 0 && marks::of(db, account)?.is_empty() {
        marks::set(db, account, to, MarkState::Gone)?;
    }
    Ok(jobs)
}

/// # Errors
/// The jobs of an account may not leave this journal for another one: some still come here or go to a third one, or the
/// database lost writes a short time ago, or nobody has looked for them.
pub(super) fn assure_may_go(db: &Tx<'_>, account: &Account, to: &OtherJournal) -> tx::Result<()> {
    marks::assure_may_go(db, account, to)?;
    lost_writes::assure_none_recent(db)?;
    lost_writes::assure_all_searched(db, &of_account(db, account, "job.phase <> 'moved'")?)
}

pub(in crate::jobs) struct BeginMove {
    pub(super) account: Account,
    /// A number for the move.
    pub(super) id: String,
    pub(super) to: OtherJournal,
    pub(super) computer: String,
    pub(super) actor: Actor,
}

/// Turns an account's jobs into records, and returns all that have to go, also those of the same move before a crash.
pub(super) fn begin_move(db: &Tx<'_>, args: &BeginMove) -> tx::Result<Vec<JobId>> {
    let BeginMove { account, id, to, computer, actor } = args;
    accounts::join(db, account)?;
    assure_may_go(db, account, to)?;
    marks::set(db, account, to, MarkState::Going)?;
    let here = of_account(db, account, "job.phase <> 'moved'")?;
    if !here.is_empty() {
        db.execute(
            "INSERT INTO handover (id, at, computer, file, moves, state, taken_by)
             VALUES (?1, ?2, ?3, ?4, TRUE, 'begun', ?5)",
            values![id, actor.at, computer, to.file, to.name],
        )?;
    }
    takeover::recover(db, &here, &Code::Interrupted.into(), actor.at / 1000)?;
    jobs::set_aside(db, "id IN json_list(?2, bigint)", values![id, super::json(&here)])?;
    for job in &here {
        jobs::record_decision(db, *job, None, "move", actor, &to.file)?;
    }
    records(db, account, to, "begun")
}

/// All jobs of an account are in another journal.
pub(super) fn end_move(db: &Tx<'_>, account: &Account, to: &OtherJournal) -> tx::Result<()> {
    set_handovers(db, &records(db, account, to, "begun")?, "taken")?;
    marks::set(db, account, to, MarkState::Gone)
}

/// All jobs of an account are here. Its records of jobs that went to that journal came back.
pub(super) fn end_return(db: &Tx<'_>, account: &Account, from: &OtherJournal) -> tx::Result<()> {
    set_handovers(db, &records(db, account, from, "taken")?, "returned")?;
    marks::remove(db, account, from)
}

fn set_handovers(db: &Tx<'_>, records: &[JobId], state: &str) -> tx::Result<()> {
    db.run(
        "UPDATE handover SET state = ?2
         WHERE id IN (SELECT handover FROM job WHERE job.id IN json_list(?1, bigint))",
        values![super::json(records), state],
    )
}

pub(super) fn name(db: &Tx<'_>) -> tx::Result<String> {
    db.one("SELECT name FROM store", values![])
}

/// What a move did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedJobs {
    pub jobs: u64,
    /// Their numbers before and now, also of those that only a record went for.
    pub numbers: Vec<(JobId, JobId)>,
    /// Where they are now.
    pub to: String,
}

impl Journal {
    /// Moves the jobs of an account from this journal into another one.
    ///
    /// # Errors
    /// Another process owns one of the jobs, or a journal cannot be used. If the move began, neither journal sends; the
    /// same call continues it.
    pub async fn move_to(&self, to: &Self, account: &Account, who: &str) -> Result<MovedJobs, JobError> {
        let (here, there) = (self.store(), to.store());
        let owners = here.owners(account.clone(), here.me().to_owned()).await?;
        if !here.living(owners).await?.is_empty() {
            return Err(JobError::no(localizable!(
                "Another running lapel has jobs of this profile. Nothing was moved. Close every lapel first."
            )));
        }
        let (source, target) = (self.for_other().await?, to.for_other().await?);
        here.assure_may_go(account.clone(), target.clone()).await?;
        there.expect(account.clone(), source.clone()).await?;
        let (jobs, numbers) = self.go_to(to, account, (source, target), who).await.map_err(|why| {
            JobError::no(localizable!(
                "lapel could not confirm that the move is complete. Until it is, lapel sends nothing for this profile from either journal, so nobody gets a badge twice. Run the same command again. The reason: {why}",
                why = why.localizable()
            ))
        })?;
        Ok(MovedJobs { jobs, numbers, to: to.place().to_owned() })
    }

    /// Returns how many jobs went, and the numbers of each before and now.
    async fn go_to(
        &self,
        to: &Self,
        account: &Account,
        (from, target): (OtherJournal, OtherJournal),
        who: &str,
    ) -> Result<(u64, Vec<(JobId, JobId)>), JournalError> {
        let (here, there) = (self.store(), to.store());
        let actor = Actor::now(who);
        let begin = BeginMove {
            account: account.clone(),
            id: super::random_number(),
            to: target.clone(),
            computer: super::place::computer(),
            actor: actor.clone(),
        };
        let mut going = here.begin_move(begin).await?;
        let jobs: HashSet<JobId> = going.iter().copied().collect();
        let source = here.source().await?;
        let mut known = here.known_there(account.clone()).await?;
        let arrived = there.numbers_here(source.name.clone(), known.clone()).await?;
        known.retain(|job| !jobs.contains(job) && arrived.iter().all(|(old, _)| old != job));
        going.extend(known);
        let mut moved = 0;
        for &job in &going {
            let copy = here.copy(job).await?;
            let is_new = there.take_copy(source.clone(), copy, account.clone(), actor.clone()).await?;
            moved += u64::from(is_new || jobs.contains(&job));
        }
        let numbers = there.numbers_here(source.name, going).await?;
        here.end_move(account.clone(), target).await?;
        // What an earlier move took from there has come back.
        there.end_return(account.clone(), from).await?;
        Ok((moved, numbers))
    }

    /// This journal, as others name it.
    async fn for_other(&self) -> Result<OtherJournal, JournalError> {
        let (name, place) = (self.store().name().await?, self.place());
        Ok(if self.is_team {
            OtherJournal { name, place: place.to_owned(), file: format!("team {place}") }
        } else {
            let computer = super::place::first_line(&super::place::computer());
            OtherJournal { name, place: format!("{computer}: {place}"), file: format!("file {place}") }
        })
    }

    /// Checks that an account has its jobs in this journal only. `beside` is the journal's file on this computer, or
    /// its place if there are two. That one sends nothing for the account from now on.
    ///
    /// # Errors
    /// [`JournalError::TwoPlaces`] with what to do.
    pub(in crate::jobs) async fn assure_only(
        &self,
        beside: Option<&Self>,
        account: &Account,
    ) -> Result<(), JournalError> {
        self.check_only(beside, account, !self.reads_only).await.map(drop)
    }

    /// The same. Without `leaves`, both journals stay as they are. Returns whether there is a journal beside it and sends
    /// nothing for the account.
    ///
    /// # Errors
    /// As [`Self::assure_only`].
    pub(in crate::jobs) async fn check_only(
        &self,
        beside: Option<&Self>,
        account: &Account,
        leaves: bool,
    ) -> Result<bool, JournalError> {
        let refused = |why: Localizable| Err(JournalError::TwoPlaces { why });
        if let Some(why) = self.store().elsewhere(account.clone()).await? {
            return refused(why);
        }
        let Some(file) = beside else { return Ok(false) };
        let me = self.for_other().await?;
        let is_left = match file.store().beside(account.clone(), me.clone()).await? {
            JournalBeside::Elsewhere(why) => return refused(why),
            JournalBeside::Here => false,
            JournalBeside::There => true,
        };
        let jobs = if leaves && !is_left {
            file.store().leave(account.clone(), me).await?
        } else {
            file.store().count_here(account.clone()).await?
        };
        if jobs > 0 {
            return refused(localizable_plural!(
                jobs,
                "{n} job of this profile is in the journal on this computer ({file}), not in the team's ({server}). lapel sends nothing: somebody could get a badge twice. Move it once: lapel journal move",
                "{n} jobs of this profile are in the journal on this computer ({file}), not in the team's ({server}). lapel sends nothing: somebody could get a badge twice. Move them once: lapel journal move",
                file = file.place(),
                server = self.place()
            ));
        }
        let known = file.store().known_there(account.clone()).await?;
        if known.is_empty() {
            return Ok(is_left || leaves);
        }
        let all = known.len();
        let arrived = self.store().numbers_here(file.store().name().await?, known).await?;
        let missing = (all - arrived.len()) as u64;
        if missing > 0 {
            return refused(localizable_plural!(
                missing,
                "The team's journal ({server}) does not know {n} job that the journal on this computer ({file}) has as a record. lapel sends nothing: somebody could get a badge twice. Copy it there: lapel journal move",
                "The team's journal ({server}) does not know {n} jobs that the journal on this computer ({file}) has as records. lapel sends nothing: somebody could get a badge twice. Copy them there: lapel journal move",
                file = file.place(),
                server = self.place()
            ));
        }
        Ok(is_left || leaves)
    }
}
