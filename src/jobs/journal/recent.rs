//! What commands that only read want from the journal: recent jobs for completion, and the time zone of the service.
//! Reads without the journal's owners and locks, so that it works beside a running lapel.

use super::behaviour::{self, RECALLED};
use super::place::{Files, Site};
use super::schema::{APPLICATION, SCHEMA, connect_beside};
use super::snapshots;
use crate::domain::time::KnownOffset;
use crate::fs::pragma;
use crate::jobs::job::Job;
use crate::jobs::journal::prelude::*;

/// Maximum number of jobs and of templates.
const MOST: usize = 50;
/// Maximum number of jobs among which a command looks for its own.
const MOST_READ: usize = 500;
/// Maximum wait for another process's lock.
const PATIENCE: Duration = Duration::from_millis(200);

/// A job, or a template of jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentEntry {
    /// The job's number, or the template's id as the service wrote it.
    pub id: String,
    /// The title as the service wrote it; of a revocation, the reason.
    pub title: String,
}

/// The newest jobs of a profile that a command is for, newest first. Empty without a readable journal.
pub fn recent_jobs(folder: &Path, profile: Option<&str>, is_for: impl Fn(&Job) -> bool) -> Vec<RecentEntry> {
    let jobs = || {
        let db = open(folder)?;
        let living: Vec<_> = Files::in_folder(folder).living().collect();
        let is_living =
            |owner: &str| living.iter().any(|file| file.file_name().is_some_and(|id| id == owner));
        let jobs = snapshots::of_profile(&Tx::on(&db), profile, MOST_READ).ok()?;
        let as_it_is = |(mut job, id): (Job, Option<String>)| match (&mut job.owner, id) {
            (Some(owner), Some(id)) if !is_living(&id) => {
                owner.is_alive = false;
                job.into_abandoned()
            }
            _ => job,
        };
        let entry = |job: Job| RecentEntry { id: job.id.to_string(), title: job.title.wire().to_owned() };
        Some(jobs.into_iter().map(as_it_is).filter(is_for).take(MOST).map(entry).collect())
    };
    jobs().unwrap_or_default()
}

/// The templates that a profile issued last, the last one first. Empty without a readable journal.
pub fn recent_templates(folder: &Path, profile: Option<&str>) -> Vec<RecentEntry> {
    let sql = "SELECT template, title FROM job
               WHERE kind = 'issue' AND phase <> 'draft' AND template IS NOT NULL
                 AND (?1 IS NULL OR profile = ?1)
               GROUP BY template HAVING id = max(id) ORDER BY max(id) DESC LIMIT ?2";
    let templates = || {
        let entry = |r: &SqlRow<'_>| Ok(RecentEntry { id: r.get(0)?, title: r.get(1)? });
        Tx::on(&open(folder)?).rows(sql, values![profile, MOST as i64], entry).ok()
    };
    templates().unwrap_or_default()
}

/// The service's UTC offset that jobs of an account learned, unless that was too long ago.
pub fn known_offset(folder: &Path, account: &Account) -> Option<KnownOffset> {
    let since = Timestamp::now().as_second() - RECALLED.as_secs();
    let sql = "SELECT name, value FROM fact WHERE account = ?1 AND last >= ?2 ORDER BY last DESC";
    let facts = Tx::on(&open(folder)?).all(sql, values![account.of_facts(), since]);
    let facts: Vec<(String, String)> = facts.ok()?;
    behaviour::known_offset(facts.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}

/// The journal for reading. `None` if it is missing, shared by computers, or of another version.
fn open(folder: &Path) -> Option<Connection> {
    let files = Files::in_folder(folder);
    // On a network drive, another computer may write it.
    if files.is_empty() || Site::of(folder).is_shared() {
        return None;
    }
    let db = connect_beside(&files.journal, OpenFlags::SQLITE_OPEN_READ_WRITE, PATIENCE).ok()?;
    let is_known =
        pragma(&db, "application_id").ok()? == APPLICATION && pragma(&db, "user_version").ok()? == SCHEMA;
    is_known.then_some(db)
}
