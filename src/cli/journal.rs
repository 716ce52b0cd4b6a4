//! `lapel journal`: makes a backup of the journal, and restores one, for example on a new computer.

use super::failure::Failure;
use super::session::answer_json;
use super::{exit, output, words};
use crate::config::Paths;
use crate::domain::text::scrub;
use crate::domain::time::zone_name;
use crate::fs::Overwrite;
use crate::i18n::list;
use crate::jobs::{self, BackedUp, JobError, JobId, OpenJobs, Restored};
use clap::{Args, Subcommand};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::json;
use std::path::{Path, PathBuf};

/// What `lapel journal` takes.
#[derive(Clone, Debug, Args)]
pub struct JournalFlags {
    /// What to do
    #[command(subcommand)]
    pub verb: JournalVerb,
    /// Print one line of JSON, also on failure
    #[arg(long, global = true)]
    pub json: bool,
}

/// What can be done with the journal's file.
#[derive(Clone, Debug, Subcommand)]
pub enum JournalVerb {
    /// Copy the journal to a file; open jobs move with it
    Backup {
        /// The file to write
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Keep open jobs here; the backup has only a record of them
        #[arg(long)]
        stay: bool,
        /// Overwrite an existing file
        #[arg(long)]
        force: bool,
    },
    /// Restore a backup; its open jobs continue here
    Restore {
        /// The backup file
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Continue open jobs here even if they may have continued elsewhere; lapel checks what may have been sent
        /// there
        #[arg(long)]
        claim: bool,
    },
}

pub async fn journal(flags: JournalFlags, paths: &Paths, who: &str) -> u8 {
    let (as_json, folder, who) = (flags.json, paths.data_dir.clone(), who.to_owned());
    let done = match flags.verb {
        JournalVerb::Backup { file, stay, force } => {
            let open = if stay { OpenJobs::Stay } else { OpenJobs::Move };
            let overwrite = if force { Overwrite::Yes } else { Overwrite::No };
            aside(move || jobs::back_up(&folder, &file, open, overwrite, &who))
                .await
                .and_then(|made| backed_up(&made, open, as_json))
        }
        JournalVerb::Restore { file, claim } => aside(move || jobs::restore(&folder, &file, claim, &who))
            .await
            .and_then(|restored| put_back(&restored, as_json)),
    };
    match done {
        Ok(()) => exit::OK,
        Err(failure) => failure.report(as_json),
    }
}

async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, JobError> + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await.map_err(|why| {
        Failure::new("journal", t!("lapel had an internal error ({failed}).", failed = why))
    })?;
    Ok(done?)
}

fn backed_up(made: &BackedUp, open: OpenJobs, as_json: bool) -> Result<(), Failure> {
    let moved = open == OpenJobs::Move;
    if as_json {
        let (gone, stayed) = if moved { (&made.open[..], &[][..]) } else { (&[][..], &made.open[..]) };
        return answer_json(&json!({
            "ok": true,
            "path": made.path.to_string_lossy(),
            "jobs": made.jobs,
            "moved": ids(gone),
            "stayed": ids(stayed),
        }));
    }
    let file = shown(&made.path);
    output::answer(&format!("{file}  {}", words::count(made.jobs, "job")))?;
    if made.open.is_empty() {
        return Ok(());
    }
    let jobs = listed(&made.open);
    output::complain(&if moved {
        t!(
            "open jobs moved with the backup: {jobs}. Here you can only view them. To continue them, type on the other computer: lapel journal restore FILE. The same command here takes them back.",
            jobs
        )
    } else {
        t!("open jobs that stay here: {jobs}. The backup has them only as a record.", jobs)
    });
    Ok(())
}

fn put_back(restored: &Restored, as_json: bool) -> Result<(), Failure> {
    if as_json {
        return answer_json(&json!({
            "ok": true,
            "computer": restored.computer.to_string(),
            "made": restored.made.to_string(),
            "jobs": restored.jobs,
            "open": ids(&restored.open),
            "elsewhere": ids(&restored.elsewhere),
        }));
    }
    output::answer(&t!(
        "Restored the journal of {computer} ({made}) with {jobs}.",
        computer = restored.computer,
        made = here(restored.made),
        jobs = words::count(restored.jobs, "job")
    ))?;
    if !restored.open.is_empty() {
        output::complain(&t!(
            "jobs that continue here: {jobs}. lapel first checks the rows that were sent (lapel jobs follow). Send the rest with lapel jobs resume.",
            jobs = listed(&restored.open)
        ));
    }
    if !restored.elsewhere.is_empty() {
        output::complain(&t!(
            "jobs that continue elsewhere: {jobs}. Here you can only view them.",
            jobs = listed(&restored.elsewhere)
        ));
    }
    Ok(())
}

fn ids(jobs: &[JobId]) -> Vec<i64> {
    jobs.iter().map(|id| id.0).collect()
}

fn listed(jobs: &[JobId]) -> String {
    list(jobs.iter().map(ToString::to_string)).to_string()
}

fn shown(path: &Path) -> String {
    scrub(&path.to_string_lossy()).into_owned()
}

/// Needs no service: `2026-11-02 09:41, UTC+9`.
fn here(at: Timestamp) -> String {
    let at = at.to_zoned(TimeZone::system());
    format!("{}, {}", at.strftime("%Y-%m-%d %H:%M"), zone_name(at.offset()))
}
