//! Backups of the journal, and moving it to another computer.
//!
//! A job that may still send is never in two places. It moves with the backup or stays, and the other copy keeps
//! only a record.
//!
//! ```text
//! backup:   copy begun -> jobs moved here -> copy ready
//! restore:  copy ready -> copy taking -> journal in its place -> copy taken
//! ```
//!
//! Each step is durable before the next. After a crash between two steps, no copy may send the job. Running the
//! same command again continues.

mod mark;
#[cfg(test)]
mod tests;

use super::behaviour::{self, KeptValue};
use super::place::{Files, Site, first_line};
use super::schema::{APPLICATION, BACKUP, assure_whole, connect, migrate, prepare};
use super::{PATIENCE, conditions, jobs, lost_writes, random_number, shown, transfer};
use crate::fs::{Draft, Overwrite, is_own_file, open_plain};
use crate::jobs::journal::prelude::*;
use crate::jobs::rules;
use mark::{BackupMark, BackupState};
use rusqlite::TransactionBehavior;
use std::io::ErrorKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenJobs {
    /// They move with the backup. Here they are read-only.
    Move,
    /// They stay here. The backup has only a record.
    Stay,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackedUp {
    pub path: PathBuf,
    pub jobs: u64,
    pub open: Vec<JobId>,
    /// Kept drafts, which stay here.
    pub drafts: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    pub computer: Localizable,
    /// When the backup was made, by that computer's clock.
    pub made: Timestamp,
    pub jobs: u64,
    /// Jobs that continue here. lapel polls them first.
    pub open: Vec<JobId>,
    /// Jobs that are only a record here.
    pub elsewhere: Vec<JobId>,
}

/// Condition for open jobs: a row may still change, or may still be sent by lapel or a person.
fn open_jobs() -> String {
    format!(
        "job.phase NOT IN ('draft', 'moved') AND EXISTS (
             SELECT 1 FROM tally WHERE tally.job = job.id AND n > 0 AND (bucket IN ({}) OR {}))",
        conditions::statuses(RowStatus::is_open),
        conditions::may_be_sent()
    )
}

/// Copies the journal of a data folder into a new file that only its owner can read.
///
/// # Errors
/// With [`OpenJobs::Move`], an error can come after the jobs were moved. The message then says how to take them
/// back.
pub fn back_up(
    folder: &Path,
    to: &Path,
    open: OpenJobs,
    overwrite: Overwrite,
    who: &str,
) -> Result<BackedUp, JobError> {
    back_up_at(folder, &Site::of(folder), to, open, overwrite, who)
}

pub(super) fn back_up_at(
    folder: &Path,
    site: &Site,
    to: &Path,
    open: OpenJobs,
    overwrite: Overwrite,
    who: &str,
) -> Result<BackedUp, JobError> {
    let to = std::path::absolute(to).unwrap_or_else(|_| to.to_owned());
    if is_own_file(&to) {
        return Err(JobError::no(localizable!(
            "{file} is one of lapel's own files, so nothing was saved: choose another name",
            file = shown(&to)
        )));
    }
    if overwrite == Overwrite::No && std::fs::symlink_metadata(&to).is_ok() {
        return Err(JobError::Exists(to));
    }
    let files = Files::in_folder(folder);
    if !files.journal.exists() && !files.has_owners() {
        let file = shown(&files.journal);
        return Err(JobError::no(localizable!(
            "There is no journal here ({file}). Nothing was copied.",
            file
        )));
    }
    let held = JournalLock::take(files, site)?;
    let mut here = held.open(site)?;
    assure_whole(&here, &held.file)?;
    let ids = jobs_of(&Tx::on(&here), &open_jobs()).map_err(|why| held.failed(why))?;
    let drafts = kept_drafts(&Tx::on(&here)).map_err(|why| held.failed(why))?;
    let moves = open == OpenJobs::Move && !ids.is_empty();
    if moves && held.files.has_owners() {
        return Err(busy());
    }
    let id = random_number();
    let mark = BackupMark {
        id: id.clone(),
        at: Timestamp::now(),
        computer: site.computer.clone(),
        file: shown(&to),
        moves,
        state: if moves { BackupState::Begun } else { BackupState::Ready },
        taken_by: None,
    };
    let draft = Draft::create(&to).map_err(|why| cannot_write(&to, &why))?;
    let jobs = fill(&here, &draft, &to, &mark, open).map_err(|why| match why {
        // The backup's disk is full, not the journal's.
        JobError::Journal(JournalError::Full { file }) => JobError::no(localizable!(
            "No space is left for {file}. Nothing was changed, and all jobs stay here. Free some space, or choose another disk.",
            file
        )),
        why => why,
    })?;
    draft.place(overwrite).map_err(|why| match why.kind() {
        ErrorKind::AlreadyExists => JobError::Exists(to.clone()),
        _ => cannot_write(&to, &why),
    })?;
    if moves {
        let actor = Actor::now(who);
        let moved = write(&mut here, |db| {
            mark.insert(db)?;
            jobs::set_aside(db, &open_jobs(), values![id])?;
            ids.iter().try_for_each(|job| {
                jobs::record_decision(db, *job, None, "move", &actor, &mark.file).map(drop)
            })
        });
        moved.map_err(|why| held.failed(why))?;
        set_state(&to, &mark, BackupState::Ready, None).map_err(|why| {
            JobError::no(localizable!(
                "{why} lapel moved the open jobs but could not finish the backup. To take the jobs back, run on this computer: lapel journal restore {file}",
                why,
                file = shown(&to)
            ))
        })?;
    }
    Ok(BackedUp { path: to, jobs, open: ids, drafts })
}

/// Restores a backup. Its open jobs continue here, and lapel polls them before it sends anything. With `claim`,
/// open jobs continue here although they may have continued elsewhere. Rows that may have been sent there are in
/// doubt.
///
/// # Errors
/// The journal here is unchanged, unless only the mark in the backup file could not be written at the end.
pub fn restore(folder: &Path, from: &Path, claim: bool, who: &str) -> Result<Restored, JobError> {
    restore_at(folder, &Site::of(folder), from, claim, who)
}

pub(super) fn restore_at(
    folder: &Path,
    site: &Site,
    from: &Path,
    claim: bool,
    who: &str,
) -> Result<Restored, JobError> {
    let file = shown(from);
    match open_plain(from) {
        Ok(Some(_)) => {}
        Ok(None) => {
            return Err(JobError::no(localizable!("{file} is not a file. Nothing was changed.", file)));
        }
        Err(why) if why.kind() == ErrorKind::NotFound => {
            return Err(JobError::no(localizable!("{file} does not exist. Nothing was changed.", file)));
        }
        Err(why) => return Err(JournalError::io(&why, &file).into()),
    }
    let backup = connect(from, OpenFlags::SQLITE_OPEN_READ_WRITE, &file)?;
    let mark = BackupMark::of_backup(&backup, &file)?;
    assure_whole(&backup, &file)?;
    let held = JournalLock::take(Files::in_folder(folder), site)?;
    if held.files.has_owners() {
        return Err(busy());
    }
    let mine = mark.taken_by.as_deref() == Some(site.computer.as_str());
    let taken = match mark.state {
        BackupState::Taken => true,
        BackupState::Taking => !mine,
        BackupState::Begun | BackupState::Ready => false,
    };
    if taken && !claim {
        let computer = name_of(mark.taken_by.as_deref().unwrap_or_default());
        return Err(JobError::no(localizable!(
            "This backup was already restored on {computer}. Its open jobs continue there. Nothing was changed. If they continue nowhere, add --claim: lapel then first checks everything that may have been sent since.",
            computer
        )));
    }
    let mut kept = KeptHere::default();
    if !held.files.is_empty() {
        let here = held.open(site)?;
        let failed = |why: tx::Error| held.failed(why);
        let jobs = jobs_of(&Tx::on(&here), "phase <> 'draft'").map_err(failed)?.len() as u64;
        if jobs > 0 && !moved_with(&Tx::on(&here), &mark).map_err(failed)?.is_empty() {
            return take_back(here, &held, &mark, site, (from, taken), who);
        }
        if jobs > 0 {
            return Err(JobError::no(localizable_plural!(
                jobs,
                "A journal with {n} job already exists here ({file}). Nothing was changed. To restore the backup, move that file away first. lapel then no longer knows this job.",
                "A journal with {n} jobs already exists here ({file}). Nothing was changed. To restore the backup, move that file away first. lapel then no longer knows these jobs.",
                file = held.file
            )));
        }
        let drafts = kept_drafts(&Tx::on(&here)).map_err(failed)?;
        if drafts > 0 {
            return Err(JobError::no(localizable_plural!(
                drafts,
                "{n} kept draft is in the journal here ({file}), and the backup would replace it. Nothing was changed. Begin or discard the draft first, or move that file away.",
                "{n} kept drafts are in the journal here ({file}), and the backup would replace them. Nothing was changed. Begin or discard the drafts first, or move that file away.",
                file = held.file
            )));
        }
        kept = KeptHere::of(&Tx::on(&here)).map_err(failed)?;
    }
    if mark.state == BackupState::Begun {
        return Err(JobError::no(localizable!(
            "This backup is incomplete: its open jobs are still on {computer}. Nothing was changed. Run the same command there to take them back, then make a new backup.",
            computer = name_of(&mark.computer)
        )));
    }
    put_back(&held, &backup, &mark, site, (from, taken || !mark.moves), (claim, &kept), who)
}

/// Jobs whose records moved with this backup.
fn moved_with(db: &Tx<'_>, mark: &BackupMark) -> tx::Result<Vec<JobId>> {
    db.all("SELECT id FROM job WHERE phase = 'moved' AND handover = ?1 ORDER BY id", values![mark.id])
}

fn put_back(
    held: &JournalLock,
    backup: &Connection,
    mark: &BackupMark,
    site: &Site,
    (from, doubtful): (&Path, bool),
    (claim, kept): (bool, &KeptHere),
    who: &str,
) -> Result<Restored, JobError> {
    set_state(from, mark, BackupState::Taking, Some(&site.computer))?;
    let target = &held.files.journal;
    let draft = Draft::create(target).map_err(|why| cannot_write(target, &why))?;
    copy_into(backup, &draft, target)?;
    let mut fresh = connect(draft.path(), OpenFlags::SQLITE_OPEN_READ_WRITE, &held.file)?;
    settle_file(&fresh).map_err(|why| held.failed(why))?;
    migrate(&mut fresh).map_err(|why| held.failed(why))?;
    let actor = Actor::now(who);
    let done = write(&mut fresh, |db| {
        if claim {
            give_back(db, &mark.id)?;
        }
        let open = jobs_of(db, &open_jobs())?;
        go_on(db, &open, claim && doubtful, actor.at)?;
        for job in &open {
            jobs::record_decision(db, *job, None, "restore", &actor, &first_line(&mark.computer))?;
        }
        for (actor, what, why) in &kept.notes {
            jobs::record_decision(db, JobId(0), None, what, actor, why)?;
        }
        transfer::keep_marks(db, &kept.marks)?;
        db.execute("DELETE FROM kept WHERE what = 'backup'", values![])?;
        // From now on it has other jobs than the journal that it is a copy of.
        db.execute("UPDATE store SET name = ?1", values![random_number()])?;
        mark.set(db, BackupState::Taken, Some(&site.computer))?;
        db.script(&format!("PRAGMA application_id = {APPLICATION}"))?;
        restored(db, mark, open)
    });
    let done = done.map_err(|why| held.failed(why))?;
    drop(fresh);
    // SQLite would take the log of the replaced, empty journal for a part of this one.
    for ending in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(held.files.beside(ending));
    }
    draft.place(Overwrite::Yes).map_err(|why| cannot_write(target, &why))?;
    set_state(from, mark, BackupState::Taken, Some(&site.computer))?;
    Ok(done)
}

/// Takes moved jobs back: the backup was not restored elsewhere, or a person confirms that nothing continues
/// there.
fn take_back(
    mut here: Connection,
    held: &JournalLock,
    mark: &BackupMark,
    site: &Site,
    (from, doubtful): (&Path, bool),
    who: &str,
) -> Result<Restored, JobError> {
    set_state(from, mark, BackupState::Taking, Some(&site.computer))?;
    let actor = Actor::now(who);
    let done = write(&mut here, |db| {
        let open = moved_with(db, mark)?;
        give_back(db, &mark.id)?;
        go_on(db, &open, doubtful, actor.at)?;
        for job in &open {
            jobs::record_decision(db, *job, None, "take back", &actor, &mark.file)?;
        }
        mark.set(db, BackupState::Taken, Some(&site.computer))?;
        restored(db, mark, open)
    });
    let done = done.map_err(|why| held.failed(why))?;
    set_state(from, mark, BackupState::Taken, Some(&site.computer))?;
    Ok(done)
}

/// What a restore did: `open` are the jobs that continue here.
fn restored(db: &Tx<'_>, mark: &BackupMark, open: Vec<JobId>) -> tx::Result<Restored> {
    Ok(Restored {
        computer: name_of(&mark.computer),
        made: mark.at,
        jobs: jobs_of(db, "phase <> 'draft'")?.len() as u64,
        elsewhere: jobs_of(db, "phase = 'moved'")?,
        open,
    })
}

/// One transaction, which is durable on return.
fn write<T>(on: &mut Connection, work: impl FnOnce(&Tx<'_>) -> tx::Result<T>) -> tx::Result<T> {
    let writing = on.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = work(&Tx::on(&writing))?;
    writing.commit()?;
    Ok(done)
}

/// Gives moved jobs their earlier phase again.
fn give_back(db: &Tx<'_>, id: &str) -> tx::Result<()> {
    db.run(
        "UPDATE job SET phase = coalesce(was, 'stopped'), was = NULL, handover = NULL
         WHERE phase = 'moved' AND handover = ?1",
        values![id],
    )
}

/// Prepares restored open jobs: they are polled first, ready rows are not sent before a person resumes the
/// job, and the duplicate check then runs again. `doubtful`: another computer may have sent rows that were
/// not sent here.
fn go_on(db: &Tx<'_>, open: &[JobId], doubtful: bool, at: i64) -> tx::Result<()> {
    for job in open {
        if doubtful {
            doubt(db, *job, at)?;
        }
        db.execute(
            "UPDATE job SET next_look = NULL, guarded_at = CASE WHEN guarded_at IS NOT NULL THEN 0 END
             WHERE id = ?1",
            values![job.0],
        )?;
    }
    super::takeover::recover(db, open, &Code::Interrupted.into(), at / 1_000)
}

/// Puts rows that may have been sent elsewhere in doubt, so that lapel looks for them, and gives them claims. Revocations
/// are left out: sending one twice is harmless.
pub(super) fn doubt(db: &Tx<'_>, job: JobId, at: i64) -> tx::Result<()> {
    let sendable = format!(
        "job = ?1 AND bucket IN ({}) AND (SELECT kind FROM job WHERE id = ?1) = 'issue'",
        conditions::statuses(|it| rules::may_be_sent(Kind::Issue, it))
    );
    let rows: i64 = db.one(&format!("SELECT count(*) FROM row WHERE {sendable}"), values![job.0])?;
    if rows == 0 {
        return Ok(());
    }
    // It is not the badge that the other computer may have sent.
    super::rows::forget_failed(db, &sendable, values![job.0])?;
    lost_writes::doubt_rows(db, job, (&sendable, rows), "lost", &Code::MaybeElsewhere.into(), at)
}

/// Writes the backup's file. Returns the number of jobs in it.
fn fill(
    here: &Connection,
    draft: &Draft,
    to: &Path,
    mark: &BackupMark,
    open: OpenJobs,
) -> Result<u64, JobError> {
    copy_into(here, draft, to)?;
    let file = shown(to);
    let mut copy = connect(draft.path(), OpenFlags::SQLITE_OPEN_READ_WRITE, &file)?;
    settle_file(&copy).map_err(|why| JournalError::of(&why, &file))?;
    let jobs = write(&mut copy, |db| {
        db.execute("DELETE FROM job WHERE phase = 'draft'", values![])?;
        db.execute("DELETE FROM tally WHERE job NOT IN (SELECT id FROM job)", values![])?;
        db.execute("UPDATE job SET owner = NULL, owner_label = NULL", values![])?;
        mark.insert(db)?;
        if open == OpenJobs::Stay {
            jobs::set_aside(db, &open_jobs(), values![mark.id])?;
        }
        let id = KeptValue {
            what: "backup".into(),
            key: "id".to_owned(),
            value: mark.id.clone(),
            at: mark.at.as_second(),
        };
        behaviour::keep(db, &id)?;
        db.script(&format!("PRAGMA application_id = {BACKUP}"))?;
        Ok(jobs_of(db, "TRUE")?.len() as u64)
    });
    Ok(jobs.map_err(|why| JournalError::failed(&why, &file))?)
}

/// Copies a consistent snapshot of a database into the empty file of a draft.
fn copy_into(from: &Connection, draft: &Draft, target: &Path) -> Result<(), JobError> {
    let path = draft.path().to_str().ok_or_else(|| {
        JobError::no(localizable!(
            "The file name {file} is not UTF-8. Nothing was changed.",
            file = shown(target)
        ))
    })?;
    from.execute("VACUUM INTO ?1", [path]).map_err(|why| JournalError::of(&why, &shown(target)))?;
    Ok(())
}

/// Makes a copy a single file that is durable with every commit.
fn settle_file(db: &Connection) -> rusqlite::Result<()> {
    let _: String = db.query_row("PRAGMA journal_mode = DELETE", [], |r| r.get(0))?;
    db.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;")
}

/// In the backup's file.
fn set_state(
    file: &Path,
    mark: &BackupMark,
    state: BackupState,
    by: Option<&str>,
) -> Result<(), JournalError> {
    let name = shown(file);
    let failed = |why: rusqlite::Error| JournalError::of(&why, &name);
    let db = connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE, &name)?;
    settle_file(&db).map_err(failed)?;
    mark.set(&Tx::on(&db), state, by).map_err(|why| JournalError::failed(&why, &name))
}

fn jobs_of(db: &Tx<'_>, which: &str) -> tx::Result<Vec<JobId>> {
    db.all(&format!("SELECT id FROM job WHERE {which} ORDER BY id"), values![])
}

fn kept_drafts(db: &Tx<'_>) -> tx::Result<u64> {
    Ok(jobs_of(db, "phase = 'draft' AND kept")?.len() as u64)
}

/// What a journal without jobs has, and the backup that replaces it keeps.
#[derive(Default)]
struct KeptHere {
    /// Decisions that belong to no job.
    notes: Vec<(Actor, String, String)>,
    /// Accounts that another journal sends for.
    marks: Vec<(Account, transfer::Mark)>,
}

impl KeptHere {
    fn of(db: &Tx<'_>) -> tx::Result<Self> {
        let notes = db.rows(
            "SELECT at, who, what, coalesce(why, '') FROM decision WHERE job = 0 ORDER BY id",
            values![],
            |r| Ok((Actor { at: r.get(0)?, who: r.get(1)? }, r.get(2)?, r.get(3)?)),
        )?;
        Ok(Self { notes, marks: transfer::all_marks(db)? })
    }
}

fn busy() -> JobError {
    JobError::no(localizable!(
        "Another lapel is using the journal. Nothing was changed. Close it first, then try again."
    ))
}

fn cannot_write(file: &Path, why: &std::io::Error) -> JobError {
    JobError::no(localizable!(
        "{file} cannot be written: {why}. Nothing was changed.",
        file = shown(file),
        why = io_error::words(why)
    ))
}

/// The display name of a computer, from the text that identifies it.
fn name_of(computer: &str) -> Localizable {
    let name = first_line(computer);
    if name.is_empty() { localizable!("another computer") } else { Localizable::verbatim(name) }
}

/// Exclusive access to the journal's folder.
struct JournalLock {
    file: String,
    files: Files,
    // Dropped before the claim: releasing the claim takes this lock again.
    _alone: std::fs::File,
    _claim: super::Claim,
}

impl JournalLock {
    fn take(files: Files, site: &Site) -> Result<Self, JobError> {
        let file = shown(&files.journal);
        let alone = files.alone(PATIENCE)?;
        let claim = super::Claim::take(Files::in_folder(&files.folder), site)?;
        Ok(Self { file, files, _alone: alone, _claim: claim })
    }

    fn failed(&self, why: impl Into<tx::Error>) -> JournalError {
        JournalError::failed(&why.into(), &self.file)
    }

    fn open(&self, site: &Site) -> Result<Connection, JobError> {
        self.files.not_emptied()?;
        let mut db = connect(&self.files.journal, OpenFlags::SQLITE_OPEN_READ_WRITE, &self.file)?;
        prepare(&mut db, site, &self.file)?;
        Ok(db)
    }
}
