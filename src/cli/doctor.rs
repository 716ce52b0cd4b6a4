//! `lapel doctor`: observed behaviour of the service, and a check of lapel's files. Pings; changes nothing.

mod report;

use super::connection::{connect_for_trial, journal_place, timed};
use super::journal::{names, problems_of_team, server_json};
use super::profile::profile_as_json;
use super::session::{Asker, JobAccess, VerbSession, on_place};
use crate::api;
use crate::cli::prelude::*;
use crate::config::{JobSettings, Mistake, SettingSource};
use crate::domain::ServiceClock;
use crate::domain::time::OffsetBasis;
use crate::fs::{beside, permission_bits};
use crate::jobs::{DuplicateKind, FileStatus, JobConfig, Journal, JournalError, ObservedBehaviour};
use crate::team::Server;

/// Exit code 0 if everything is in order. `wrong`: mistakes in the files that only the app reads. `without_key`: actions
/// that `keys.toml` leaves without a key.
pub async fn doctor(
    settings: &Settings,
    asker: &Asker,
    wrong: &[Mistake],
    without_key: Vec<String>,
) -> Result<u8, Failure> {
    let mut found = DoctorReport { without_key, ..DoctorReport::default() };
    found.examine(settings, asker).await?;
    found.problems.extend(wrong.iter().map(ToString::to_string));
    Ok(found.print(asker.json).unwrap_or_else(|failure| failure.report(false)))
}

#[derive(Default)]
struct DoctorReport {
    profile: Option<Value>,
    service: Value,
    clock: Value,
    facts: Vec<ObservedBehaviour>,
    journal: Value,
    paths: Value,
    permissions: Vec<Permission>,
    without_key: Vec<String>,
    problems: Vec<String>,
}

/// What others than the owner may do.
const OTHERS: u32 = 0o077;

struct Permission {
    path: PathBuf,
    mode: u32,
}

impl Permission {
    fn is_private(&self) -> bool {
        self.mode & OTHERS == 0
    }
}

impl DoctorReport {
    async fn examine(&mut self, settings: &Settings, asker: &Asker) -> Result<(), Failure> {
        let (mut asked, mut is_reached) = (None, false);
        if let Some(profile) = &settings.profile {
            // A team's database that is away must not hide the rest of the report.
            let (connection, reader) = connect_for_trial(profile, &settings.paths)?;
            let (reached, took) = timed(reader.ping(&Call::interactive())).await;
            let reached = reached.and_then(|ping| api::compare_ping(&ping, &connection));
            is_reached = reached.is_ok();
            let error = reached.err().map(|why| why.to_string());
            self.problems.extend(error.clone());
            self.service = json!({ "reached": is_reached, "round_trip_ms": took, "error": error });
            self.problems.extend(reader.link_now().alone_words());
            if profile.journal.is_none() {
                self.problems.extend(reader.own_share().map(|why| why.to_string()));
            }
            asked = Some((reader, profile));
        } else {
            self.problems.push(t!("no profile is configured, so there is no service to check.").to_owned());
        }
        let reader = asked.as_ref().map(|(reader, _)| (reader, is_reached));
        let listed = self.examine_journal(settings, asker, reader).await;
        // The journal may know the service's zone.
        self.clock = asked.map_or(Value::Null, |(reader, profile)| clock_of(&reader.clock(), profile));
        self.permissions = listed.unwrap_or_else(|| permissions(&settings.paths, settings.profile.as_ref()));
        for one in self.permissions.iter().filter(|p| !p.is_private()) {
            self.problems.push(t!(
                "others can read {path} (mode {mode}). Run: chmod go= {path}",
                path = scrub(&one.path.to_string_lossy()),
                mode = format_args!("{:o}", one.mode)
            ));
        }
        self.problems.extend(settings.warnings.iter().cloned());
        self.profile = settings.profile.as_ref().map(profile_of);
        self.paths = json!({
            "config_file": settings.paths.config_file().to_string_lossy(),
            "keys_dir": settings.paths.keys_dir().to_string_lossy(),
            "data_dir": settings.paths.data_dir.to_string_lossy(),
            "log_file": settings.paths.log_file().to_string_lossy(),
        });
        Ok(())
    }

    /// Observations, and whether the journal is intact. Does not create a missing journal. Lists the files while the
    /// journal is open: two of them go some time after it closes. The `reader` comes with whether it reached the service.
    async fn examine_journal(
        &mut self,
        settings: &Settings,
        asker: &Asker,
        reader: Option<(&Reader, bool)>,
    ) -> Option<Vec<Permission>> {
        let problems = &mut self.problems;
        let team =
            settings.profile.as_ref().and_then(|profile| Some((profile, &profile.journal.as_ref()?.server)));
        let (mut said, is_there) = match team {
            Some((profile, server)) => team_journal(settings, profile, server, problems).await,
            None => journal_file(settings, problems),
        };
        if !is_there {
            self.journal = said.into();
            return None;
        }
        let read = async {
            let session = VerbSession::open(settings, asker, JobAccess::Look, |_| ()).await?;
            // The clock of the doctor has the zone that the jobs have.
            if let (Some((reader, _)), Some(known)) = (reader, session.reader.clock().known()) {
                reader.recall_offset(known);
            }
            let wrong = session.jobs.check_journal().await?;
            let facts = session.jobs.observed_behaviour().await?;
            problems.extend(session.elsewhere.iter().map(ToString::to_string));
            if team.is_none() {
                said.insert("jobs".to_owned(), session.jobs.list().await?.len().into());
            } else {
                // Only a request shows whether this computer gets a share of the team's limit. A refused key sends no
                // other.
                if reader.is_some_and(|(_, is_reached)| is_reached) {
                    let _ = session.reader.ping(&Call::interactive()).await;
                }
                let alone = session.reader.link_now().alone_words();
                problems.extend(alone.filter(|why| !problems.contains(why)));
            }
            Ok::<_, Failure>((facts, wrong, permissions(&settings.paths, settings.profile.as_ref())))
        };
        let (listed, wrong) = match read.await {
            Ok((facts, wrong, listed)) => {
                self.facts = facts;
                if team.is_none() {
                    problems.extend(cannot_write(settings));
                }
                if !wrong.is_empty() {
                    let wrong = scrub(&wrong.join("; ")).into_owned();
                    problems.push(if team.is_none() {
                        let file = Journal::file_in(&settings.paths.data_dir);
                        t!("the journal {file} is damaged: {wrong}. Move it away. After that, only the service's history shows what was sent.", file = scrub(&file.to_string_lossy()), wrong)
                    } else {
                        t!("the tables of the team's journal contradict each other: {wrong}. Stop issuing with it. Somebody has changed them by other means, or lapel has an error.", wrong)
                    });
                }
                (Some(listed), wrong)
            }
            Err(failure) => {
                problems.push(failure.message.clone());
                (None, vec![failure.message])
            }
        };
        said.insert("wrong".to_owned(), wrong.into());
        self.journal = said.into();
        listed
    }
}

fn clock_of(clock: &ServiceClock, profile: &Profile) -> Value {
    let by_variable = profile.settings.source("utc_offset") == SettingSource::Variable;
    let ahead = clock.utc().duration_since(Timestamp::now()).as_secs();
    json!({
        "heard": clock.is_heard(),
        "service_utc": clock.utc().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        "ahead_of_this_computer_s": ahead,
        "utc_offset": clock.offset().to_string(),
        "offset_from": match clock.basis() {
            OffsetBasis::ThisComputer => t!("this computer's time zone (no better source)"),
            OffsetBasis::Unknown => {
                t!("UTC: no better source, and this computer's time zone is not known")
            }
            OffsetBasis::AtLeast => t!("minimum: a smaller offset would put a past event in the future"),
            OffsetBasis::Setting if by_variable => "LAPEL_UTC_OFFSET",
            OffsetBasis::Setting => t!("the profile"),
            OffsetBasis::Learned => t!("a record with a known time"),
        },
    })
}

fn profile_of(profile: &Profile) -> Value {
    let mut fields = profile_as_json(profile);
    fields.insert("from".to_owned(), profile.from.as_str().into());
    fields.insert("jobs".to_owned(), jobs_of(profile));
    fields.into()
}

/// The job settings, with the defaults where the profile has none.
fn jobs_of(profile: &Profile) -> Value {
    let mut fields = Map::new();
    // No setting changes the policy for a new badge.
    let mut policies =
        Map::from_iter([("new".to_owned(), DuplicateKind::New.default_policy().code().into())]);
    for setting in profile.jobs.list("", &JobConfig::default_settings()) {
        match setting.name.strip_prefix("policies.") {
            Some(class) => policies.insert(class.to_owned(), json!(setting.value)),
            None => fields.insert(setting.name, json!(setting.value)),
        };
    }
    // Scripts may know the former names.
    for (former, now) in JobSettings::former_names() {
        fields.insert(former.to_owned(), fields.get(now).cloned().unwrap_or_default());
    }
    fields.insert("policies".to_owned(), policies.into());
    fields.into()
}

fn cannot_write(settings: &Settings) -> Option<String> {
    let profile = settings.profile.as_ref()?;
    let status = FileStatus::of(&settings.paths.data_dir).ok().filter(|_| !profile.read_only);
    status?.problem().map(|why| why.to_string())
}

/// What is known of a journal before it is read.
fn unread(path: &str, bytes: Option<u64>) -> Map<String, Value> {
    json::fields(json!({
        "path": path,
        "exists": bytes.is_some(),
        "bytes": bytes,
        "jobs": null,
        "wrong": [],
        "server": null,
        "processes": [],
    }))
}

/// Also returns whether it can be read.
fn journal_file(settings: &Settings, problems: &mut Vec<String>) -> (Map<String, Value>, bool) {
    let path = Journal::file_in(&settings.paths.data_dir);
    let shown = path.to_string_lossy();
    let bytes = std::fs::metadata(&path).map(|file| file.len()).ok();
    if bytes.is_none() {
        if settings.paths.data_dir.join("owners").exists() {
            problems.push(JournalError::Emptied { file: scrub(&shown).into_owned() }.to_string());
        }
        problems.extend(cannot_write(settings));
    }
    (unread(&shown, bytes), bytes.is_some() && settings.profile.is_some())
}

/// The same of a team's journal, and the state of its database.
async fn team_journal(
    settings: &Settings,
    profile: &Profile,
    server: &Server,
    problems: &mut Vec<String>,
) -> (Map<String, Value>, bool) {
    let mut said = unread(&scrub(&server.to_string()), None);
    let mut set = |name: &str, value: Value| said.insert(name.to_owned(), value);
    let found = on_place(journal_place(profile, &settings.paths), JournalPlace::team_status).await;
    let exists = match found {
        Ok(Some(status)) => {
            set("exists", status.exists.into());
            set("jobs", json!(status.jobs));
            set("processes", names(&status).into());
            set("server", server_json(server, &status, profile.read_only));
            problems.extend(problems_of_team(&status, Some(profile)));
            true
        }
        Ok(None) => false,
        Err(failure) => {
            set("exists", Value::Null);
            set("wrong", vec![failure.message.clone()].into());
            problems.push(failure.message);
            false
        }
    };
    (said, exists)
}

/// Only files that contain keys, names or e-mail addresses.
fn permissions(paths: &Paths, profile: Option<&Profile>) -> Vec<Permission> {
    let journal = Journal::file_in(&paths.data_dir);
    let (wal, shm) = (beside(&journal, "-wal"), beside(&journal, "-shm"));
    let mut all = vec![paths.keys_dir(), paths.data_dir.clone(), paths.log_file(), wal, shm, journal];
    if let Some(Profile { name, .. }) = profile {
        all.extend([paths.key_file(name), paths.journal_password_file(name)]);
    }
    let permission = |path: PathBuf| {
        let mode = permission_bits(&std::fs::metadata(&path).ok()?)?;
        Some(Permission { path, mode })
    };
    all.into_iter().filter_map(permission).collect()
}
