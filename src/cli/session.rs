//! The context of the verbs: the service of a profile, and its jobs in the journal.

use super::connection::{connect, connect_silently, connection, journal_place_of};
use super::interrupt::Interrupt;
use super::progress::ProgressBar;
use crate::api::{self, Connection};
use crate::cli::prelude::*;
use crate::config::{JOB_CLASSES, JobPolicy, JobSettings, Words};
use crate::jobs::{self, Account, DuplicateKind, JobChange, JobError, Jobs, JournalError, Policy};
use jiff::SignedDuration;
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
        change: impl FnOnce(&mut jobs::JobConfig),
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
        let mut how = job_settings(&profile.jobs);
        change(&mut how);
        let mut elsewhere = None;
        let journal = match wanted {
            JobAccess::Plan => open_journal(place, JournalPlace::open_for_trial).await?,
            JobAccess::Look => {
                let (journal, why) = place.open_to_look(&account).await?;
                elsewhere = why;
                journal
            }
            JobAccess::Act => {
                place.open_to_send(Some(&settings.paths.data_dir), &account, how.keep_days).await?
            }
        };
        let (jobs, events) = Jobs::start(access, journal, account, how).await?;
        let again = asker.profile.as_ref().map_or(String::new(), |name| format!(" --profile {name}"));
        Ok(Self {
            jobs,
            events,
            reader,
            profile,
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

    /// Why the work on a draft ended. A process that was suspended for too long has no draft any more, which says more
    /// than what it could not do with it.
    pub async fn unless_gone(&self, draft: JobId, failure: Failure) -> Failure {
        if self.jobs.is_gone(draft).await { JobError::draft_is_gone().into() } else { failure }
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

/// Opens a profile's journal on a thread that may block.
pub(super) async fn open_journal<T: Send + 'static>(
    place: JournalPlace,
    open: impl FnOnce(&JournalPlace) -> Result<T, JournalError> + Send + 'static,
) -> Result<T, Failure> {
    let opened = tokio::task::spawn_blocking(move || open(&place)).await;
    Ok(opened.map_err(|why| Failure::new("journal", t!("Cannot open the journal: {why}", why)))??)
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

pub fn job_settings(said: &JobSettings) -> jobs::JobConfig {
    let default = jobs::JobConfig::default();
    let number = |said: Option<u32>, default: usize| said.map_or(default, |n| n as usize);
    let hours = |n: u32| SignedDuration::from_hours(i64::from(n));
    let minutes = |n: u32| SignedDuration::from_mins(i64::from(n));
    let looks = |said: &Option<Vec<u32>>, default| said.clone().unwrap_or(default);
    let mut policies = default.policies;
    for (class, policy) in &said.policies {
        let of_code = (DuplicateKind::from_code(class), Policy::from_code(policy.word()));
        if let (Some(class), Some(policy)) = of_code {
            policies.set(class, policy);
        }
    }
    jobs::JobConfig {
        in_flight: number(said.in_flight, default.in_flight),
        batch: number(said.batch, default.batch),
        schedule: jobs::Schedule {
            issue: looks(&said.issue_looks, default.schedule.issue),
            revoke: looks(&said.revoke_looks, default.schedule.revoke),
            doubt: looks(&said.doubt_looks, default.schedule.doubt),
            ..default.schedule
        },
        doubt_window: said.doubt_window_hours.map_or(default.doubt_window, hours),
        check_age: said.guard_age_minutes.map_or(default.check_age, minutes),
        expiring: said.expiring_days.map_or(default.expiring, |days| hours(days.saturating_mul(24))),
        keep_days: said.keep_days,
        policies,
        ..default
    }
}

/// The default job settings in the form of the settings file.
pub fn default_jobs() -> JobSettings {
    let how = jobs::JobConfig::default();
    let whole = |n: i64| u32::try_from(n).ok();
    let policies = JOB_CLASSES.iter().filter_map(|class| {
        let policy = JobPolicy::read(how.policies.of(DuplicateKind::from_code(class)?).code())?;
        Some((*class, policy))
    });
    JobSettings {
        in_flight: u32::try_from(how.in_flight).ok(),
        batch: u32::try_from(how.batch).ok(),
        doubt_window_hours: whole(how.doubt_window.as_hours()),
        guard_age_minutes: whole(how.check_age.as_mins()),
        expiring_days: whole(how.expiring.as_hours() / 24),
        keep_days: how.keep_days,
        policies: policies.collect(),
        issue_looks: Some(how.schedule.issue),
        revoke_looks: Some(how.schedule.revoke),
        doubt_looks: Some(how.schedule.doubt),
    }
}

pub(super) fn answer(as_json: bool, text: &str, value: &Value) -> Result<(), Failure> {
    if as_json { answer_json(value) } else { Ok(output::answer(text)?) }
}

pub(super) fn answer_json(value: &Value) -> Result<(), Failure> {
    Ok(output::answer(&json::line(value))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `config` does not use `jobs`, so this test keeps the two lists of duplicate kinds equal.
    #[test]
    fn the_settings_know_every_class_but_new() {
        let known: Vec<DuplicateKind> =
            DuplicateKind::ALL.iter().copied().filter(|c| *c != DuplicateKind::New).collect();
        let named: Vec<Option<DuplicateKind>> =
            JOB_CLASSES.iter().map(|code| DuplicateKind::from_code(code)).collect();
        assert_eq!(named, known.into_iter().map(Some).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_not_said_is_the_default() {
        assert_eq!(job_settings(&JobSettings::default()), jobs::JobConfig::default());
        let (told, default) = (job_settings(&default_jobs()), jobs::JobConfig::default());
        for class in DuplicateKind::ALL {
            assert_eq!(told.policies.of(*class), default.policies.of(*class), "{class:?}");
        }
        assert_eq!(default_jobs().policies.len(), JOB_CLASSES.len());
        assert_eq!(jobs::JobConfig { policies: default.policies.clone(), ..told }, default);
        let said = JobSettings {
            in_flight: Some(4),
            batch: Some(10),
            doubt_window_hours: Some(48),
            issue_looks: Some(vec![5, 60]),
            revoke_looks: None,
            doubt_looks: Some(vec![1]),
            guard_age_minutes: Some(1),
            expiring_days: Some(7),
            keep_days: Some(365),
            policies: vec![("valid", JobPolicy::Block), ("revoked", JobPolicy::Allow)],
        };
        let how = job_settings(&said);
        assert_eq!((how.in_flight, how.batch, how.keep_days), (4, 10, Some(365)));
        assert_eq!(how.doubt_window, SignedDuration::from_hours(48));
        assert_eq!((how.schedule.issue, how.schedule.doubt), (vec![5, 60], vec![1]));
        assert_eq!(how.schedule.revoke, jobs::JobConfig::default().schedule.revoke);
        assert_eq!(how.check_age, SignedDuration::from_mins(1));
        assert_eq!(how.expiring, SignedDuration::from_hours(168));
        assert_eq!(how.policies.of(DuplicateKind::Valid), Policy::Block);
        assert_eq!(how.policies.of(DuplicateKind::Revoked), Policy::Allow);
        assert_eq!(how.policies.of(DuplicateKind::Twin), DuplicateKind::Twin.default_policy());
    }
}
