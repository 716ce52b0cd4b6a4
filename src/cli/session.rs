//! The context of the verbs: the service of a profile, and its jobs in the journal.

use super::connection::{connect, connect_silently, connection, journal_place_of};
use super::interrupt::Interrupt;
use super::progress::ProgressBar;
use crate::api::{self, Connection};
use crate::cli::prelude::*;
use crate::index::IndexAccount;
use crate::jobs::{Account, JobChange, JobConfig, JobError, Jobs, JournalError};
use tokio::sync::mpsc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobAccess {
    /// Issue, revoke or follow. Takes over jobs that no running lapel owns.
    Act,
    /// Show what would be sent (`--dry-run`), on a copy of the journal with a read-only connection.
    Plan,
    /// Sends no request, and leaves the jobs with their owners.
    Look,
}

pub(super) struct VerbSession {
    pub jobs: Jobs,
    pub events: mpsc::Receiver<JobChange>,
    pub reader: Reader,
    pub profile: Profile,
    pub index_account: IndexAccount,
    pub who: String,
    pub interrupt: Interrupt,
    pub progress: ProgressBar,
    /// The `--profile` flag that a suggested command needs for the same profile.
    pub again: String,
    /// See [`Asker::json`].
    pub json: bool,
    /// Why jobs of the profile may be missing in this journal, for [`JobAccess::Look`].
    pub elsewhere: Option<JournalError>,
}

#[derive(Clone, Debug, Default)]
pub struct Asker {
    /// The system's name for the user, for a journal that nobody shares.
    pub who: String,
    pub profile: Option<String>,
    /// Whether a program reads the output.
    pub json: bool,
}

impl VerbSession {
    /// On an error, nothing was sent.
    pub async fn open(
        settings: &Settings,
        asker: &Asker,
        wanted: JobAccess,
        change: impl FnOnce(&mut JobConfig),
    ) -> Result<Self, Failure> {
        let profile = profile(settings)?.clone();
        if wanted != JobAccess::Look {
            may_act(&profile)?;
        }
        let mut connection = connection(&profile, &settings.paths)?;
        // Without `Act`, the connection is read-only and takes over no jobs.
        connection.read_only |= wanted != JobAccess::Act;
        let account =
            Account::of(&profile.name, &connection).of_organisation(profile.organisation.as_deref());
        // Nobody waits for the rate limit who sends nothing.
        let access = match wanted {
            JobAccess::Look => connect_silently(&connection)?,
            JobAccess::Act | JobAccess::Plan => connect(&connection)?,
        };
        let reader = access.reader().clone();
        if wanted != JobAccess::Look {
            recognised(&reader, &connection).await?;
        }
        let place = journal_place_of(&connection, &profile, &settings.paths);
        let who = place.person().unwrap_or(&asker.who).to_owned();
        let mut how = JobConfig::of(&profile.jobs);
        change(&mut how);
        let mut elsewhere = None;
        let journal = match wanted {
            JobAccess::Plan => {
                let (journal, why) = place.open_to_plan(&account).await?;
                if let Some(why) = why {
                    super::complain(&why.to_string());
                }
                journal
            }
            JobAccess::Look => {
                let (journal, why) = place.open_to_look(&account).await?;
                elsewhere = why;
                journal
            }
            JobAccess::Act => place.open_to_send(&account, how.keep_days).await?,
        };
        let (jobs, events) = Jobs::start(access, journal, account, how).await?;
        let again = asker.profile.as_ref().map_or(String::new(), |name| format!(" --profile {name}"));
        Ok(Self {
            jobs,
            events,
            reader,
            profile,
            index_account: IndexAccount::of(&connection),
            who,
            interrupt: Interrupt::watch(),
            progress: ProgressBar::new(),
            again,
            json: asker.json,
            elsewhere,
        })
    }

    pub fn answer(&self, text: &str, value: &Value) -> Result<(), Failure> {
        answer(self.json, text, value)
    }

    /// The result of work on a draft. A process that was suspended for too long has no draft any more, which says more
    /// than what it could not do with it.
    pub async fn of_draft<T>(&self, draft: JobId, done: Result<T, impl Into<Failure>>) -> Result<T, Failure> {
        match done {
            Err(_) if self.jobs.is_gone(draft).await => Err(JobError::draft_is_gone().into()),
            done => done.map_err(Into::into),
        }
    }

    pub fn place(&self) -> Value {
        json!({
            "profile": self.profile.name,
            "environment": self.profile.environment.word(),
            "organisation": self.profile.label(),
            "base_url": self.profile.base_url,
        })
    }

    pub fn is_live(&self) -> bool {
        self.profile.environment == Environment::Live
    }
}

/// On a thread that may block.
pub(super) async fn aside<T: Send + 'static, E: Into<Failure> + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, Failure> {
    let internal = |why| Failure::new("failed", t!("lapel had an internal error: {why}", why));
    tokio::task::spawn_blocking(work).await.map_err(internal)?.map_err(Into::into)
}

pub(super) async fn on_place<T: Send + 'static>(
    place: JournalPlace,
    work: impl FnOnce(&JournalPlace) -> Result<T, JournalError> + Send + 'static,
) -> Result<T, Failure> {
    aside(move || work(&place)).await
}

/// Checks that the key is the pinned one, and prints warnings.
pub(super) async fn recognised(reader: &Reader, connection: &Connection) -> Result<(), Failure> {
    for odd in api::recognise(reader, connection, &Call::interactive()).await? {
        super::complain(&odd.to_string());
    }
    Ok(())
}

pub(super) fn profile(settings: &Settings) -> Result<&Profile, Failure> {
    settings.profile.as_ref().ok_or_else(Failure::no_profile)
}

pub(super) fn may_act(profile: &Profile) -> Result<(), Failure> {
    if !profile.read_only {
        return Ok(());
    }
    let message = t!(
        "Profile {name} is read-only here (read_only in config.toml, or --read-only). It cannot issue or revoke badges or check jobs. Nothing was read. Nothing was sent.",
        name = profile.name
    );
    Err(Failure::usage(message).of_kind("read_only"))
}

pub(super) fn answer(as_json: bool, text: &str, value: &Value) -> Result<(), Failure> {
    if as_json { answer_json(value) } else { Ok(output::answer(text)?) }
}

pub(super) fn answer_json(value: &Value) -> Result<(), Failure> {
    Ok(output::answer(&json::line(value))?)
}
