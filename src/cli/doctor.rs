//! `lapel doctor`: what lapel has learned of the service, and whether everything on this computer is in order.
//! It sends one ping and changes nothing.

use super::connection;
use super::failure::Failure;
use super::office::{Asker, Office, Wish, answer_json, job_settings};
use super::verbs::DoctorFlags;
use super::{exit, json, say, words};
use crate::api::{self, ApiError, Call, Reader};
use crate::config::{Paths, Profile, Settings};
use crate::domain::ServiceClock;
use crate::domain::text::scrub;
use crate::domain::time::OffsetBasis;
use crate::jobs::{Fact, Journal};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What the contract leaves open and lapel learns, with what it does by it.
const LEARNED: [(&str, &str, &str, &str); 6] = [
    (
        "waiting_in_history",
        "whether the history shows badges that wait",
        "shown: two looks, ten minutes after sending, settle a row in doubt",
        "a row in doubt is looked for until the window is over",
    ),
    (
        "waiting_by_id",
        "whether a waiting badge can be read by its id",
        "for people to know; \"not found\" never counts as \"not accepted\", whatever it says",
        "\"not found\" never counts as \"not accepted\"",
    ),
    (
        "issued_count",
        "whether the number of issued badges follows what was issued",
        "follows: one request stands for a look at hundreds of badges; ignores: it does not",
        "every look reads the pages",
    ),
    (
        "utc_offset",
        "the zone of the service's times",
        "by the lapel that learned it, while it runs; utc_offset in the profile keeps it",
        "this computer's zone is used, or the profile's utc_offset",
    ),
    (
        "status_name",
        "the words for a badge's state",
        "for people to know; Korean, English and code words are known from the start",
        "Korean, English and code words are known from the start",
    ),
    (
        "email_status",
        "the words for a mail's state",
        "for people to know; every word but SENT counts as not sent",
        "only SENT is known",
    ),
];

/// The rights of everybody but the owner.
const OTHERS: u32 = 0o077;

/// Looks, and gives the exit code: 0 when everything is in order.
pub async fn doctor(flags: DoctorFlags, settings: &Settings, asker: &Asker) -> u8 {
    match examine(settings, asker).await {
        Ok(found) => match found.say(flags.json) {
            Ok(code) => code,
            Err(failure) => failure.told(false),
        },
        Err(failure) => failure.told(flags.json),
    }
}

/// Everything that was found.
struct Found {
    profile: Option<Value>,
    service: Value,
    clock: Value,
    facts: Vec<Fact>,
    journal: Value,
    paths: Value,
    permissions: Vec<Permission>,
    problems: Vec<String>,
}

/// Something that the contract leaves open.
struct Learned {
    name: String,
    about: String,
    used: &'static str,
    unproven: &'static str,
}

struct Permission {
    path: PathBuf,
    mode: u32,
    is_private: bool,
}

async fn examine(settings: &Settings, asker: &Asker) -> Result<Found, Failure> {
    let mut problems = Vec::new();
    let (mut service, mut clock) = (Value::Null, Value::Null);
    if let Some(profile) = &settings.profile {
        let reader = api::connect(&connection(profile)?)?.reader().clone();
        let (reached, took) = ping(&reader).await;
        if let Err(why) = &reached {
            problems.push(why.to_string());
        }
        service = json!({
            "reached": reached.is_ok(),
            "round_trip_ms": took,
            "error": reached.err().map(|why| why.to_string()),
        });
        clock = clock_of(&reader.clock());
    } else {
        problems.push("no profile is configured, so there is no service to ask.".to_owned());
    }
    let (facts, journal) = journal(settings, asker, &mut problems).await;
    let permissions = permissions(&settings.paths, settings.profile.as_ref());
    for one in permissions.iter().filter(|p| !p.is_private) {
        problems.push(format!(
            "{} can be read by others (mode {:o}): chmod go= {0}",
            scrub(&one.path.to_string_lossy()),
            one.mode
        ));
    }
    problems.extend(settings.warnings.iter().cloned());
    Ok(Found {
        profile: settings.profile.as_ref().map(profile_of),
        service,
        clock,
        facts,
        journal,
        paths: json!({
            "config_file": settings.paths.config_file().to_string_lossy(),
            "keys_dir": settings.paths.keys_dir().to_string_lossy(),
            "data_dir": settings.paths.data_dir.to_string_lossy(),
            "log_file": settings.paths.log_file().to_string_lossy(),
        }),
        permissions,
        problems,
    })
}

async fn ping(reader: &Reader) -> (Result<(), ApiError>, u64) {
    let begun = Instant::now();
    let answer = reader.ping(&Call::interactive()).await.map(drop);
    (answer, u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX))
}

fn clock_of(clock: &ServiceClock) -> Value {
    let ahead = clock.utc().duration_since(Timestamp::now()).as_secs();
    json!({
        "heard": clock.is_heard(),
        "service_utc": clock.utc().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        "ahead_of_this_computer_s": ahead,
        "utc_offset": clock.offset().to_string(),
        "offset_from": match clock.basis() {
            OffsetBasis::ThisComputer => "this computer's zone, for want of anything better",
            OffsetBasis::Setting => "the profile",
            OffsetBasis::Learned => "a record whose moment was known",
        },
    })
}

/// A profile without its secrets.
fn profile_of(profile: &Profile) -> Value {
    let how = job_settings(&profile.jobs);
    let policies: serde_json::Map<String, Value> = crate::jobs::Class::ALL
        .iter()
        .map(|class| (class.code().to_owned(), how.policies.of(*class).code().into()))
        .collect();
    json!({
        "name": profile.name,
        "environment": profile.environment.word(),
        "organisation": profile.organisation,
        "base_url": profile.base_url,
        "read_only": profile.read_only,
        "from": profile.from,
        "proxy": profile.proxy.is_some(),
        "jobs": {
            "in_flight": how.in_flight,
            "batch": how.batch,
            "doubt_window_hours": how.doubt_window.as_hours(),
            "guard_age_minutes": how.guard_age.as_mins(),
            "expiring_days": how.expiring.as_hours() / 24,
            "keep_days": how.keep_days,
            "policies": policies,
        },
    })
}

/// What the journal knows, and whether its file is whole. A journal that is not there is not made.
async fn journal(settings: &Settings, asker: &Asker, problems: &mut Vec<String>) -> (Vec<Fact>, Value) {
    let path = Journal::file_in(&settings.paths.data_dir);
    let shown = path.to_string_lossy().into_owned();
    let bytes = std::fs::metadata(&path).map(|file| file.len()).ok();
    let mut said =
        json!({ "path": shown, "exists": bytes.is_some(), "bytes": bytes, "jobs": null, "wrong": [] });
    if bytes.is_none() || settings.profile.is_none() {
        return (Vec::new(), said);
    }
    let read = async {
        let office = Office::open(settings, asker, Wish::Look, |_| ()).await?;
        let wrong = office.jobs.check_journal().await?;
        Ok::<_, Failure>((office.jobs.facts().await?, office.jobs.list().await?.len(), wrong))
    };
    match read.await {
        Ok((facts, jobs, wrong)) => {
            if !wrong.is_empty() {
                problems.push(format!(
                    "the journal {} is damaged: {}. Move it aside; what was sent is then known only to the service's history.",
                    scrub(&shown),
                    scrub(&wrong.join("; "))
                ));
            }
            if let Some(fields) = said.as_object_mut() {
                fields.insert("jobs".to_owned(), jobs.into());
                fields.insert("wrong".to_owned(), wrong.into());
            }
            (facts, said)
        }
        Err(failure) => {
            if let Some(fields) = said.as_object_mut() {
                fields.insert("wrong".to_owned(), vec![failure.message.clone()].into());
            }
            problems.push(failure.message);
            (Vec::new(), said)
        }
    }
}

/// Who may read what is lapel's own. Only files that hold keys, names or addresses count.
fn permissions(paths: &Paths, profile: Option<&Profile>) -> Vec<Permission> {
    let journal = Journal::file_in(&paths.data_dir);
    let beside = |ending: &str| {
        let mut name = journal.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let mut all = vec![
        paths.keys_dir(),
        paths.data_dir.clone(),
        paths.log_file(),
        beside("-wal"),
        beside("-shm"),
        journal.clone(),
    ];
    all.extend(profile.map(|profile| paths.key_file(&profile.name)));
    all.iter().filter_map(|path| mode_of(path).map(|mode| (path, mode))).map(judged).collect()
}

fn judged((path, mode): (&PathBuf, u32)) -> Permission {
    Permission { path: path.clone(), mode, is_private: mode & OTHERS == 0 }
}

#[cfg(unix)]
fn mode_of(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).ok().map(|file| file.permissions().mode() & 0o7777)
}

/// Elsewhere there is no such number.
#[cfg(not(unix))]
fn mode_of(_: &Path) -> Option<u32> {
    None
}

impl Found {
    fn say(&self, as_json: bool) -> Result<u8, Failure> {
        let code = match (&self.profile, self.problems.is_empty()) {
            (None, _) => exit::USAGE,
            (_, true) => exit::OK,
            (_, false) => exit::FAILED,
        };
        if as_json {
            answer_json(&self.json(code))?;
        } else {
            say::answer(&self.lines().join("\n"))?;
        }
        Ok(code)
    }

    fn json(&self, code: u8) -> Value {
        let learned: Vec<Value> = self
            .learned()
            .iter()
            .map(|one| {
                let values: Vec<Value> = self.values(&one.name).map(fact_json).collect();
                json!({
                    "name": one.name,
                    "about": one.about,
                    "values": values,
                    "conflicting": self.conflicts(&one.name),
                    "used": self.use_of(one),
                })
            })
            .collect();
        let permissions: Vec<Value> = self
            .permissions
            .iter()
            .map(|p| json!({ "path": p.path.to_string_lossy(), "mode": format!("{:o}", p.mode), "private": p.is_private }))
            .collect();
        json!({
            "ok": code == exit::OK,
            "exit_code": code,
            "version": env!("CARGO_PKG_VERSION"),
            "profile": self.profile,
            "service": self.service,
            "clock": self.clock,
            "learned": learned,
            "journal": self.journal,
            "paths": self.paths,
            "permissions": permissions,
            "problems": self.problems,
        })
    }

    /// Everything that can be learned, and what was learned besides.
    fn learned(&self) -> Vec<Learned> {
        let mut all: Vec<Learned> = LEARNED
            .iter()
            .map(|(name, about, used, unproven)| Learned {
                name: (*name).to_owned(),
                about: (*about).to_owned(),
                used,
                unproven,
            })
            .collect();
        for fact in &self.facts {
            if all.iter().any(|one| one.name == fact.name) {
                continue;
            }
            let about = match fact.name.strip_prefix("means ") {
                Some(word) => format!("what the word \u{201c}{word}\u{201d} means"),
                None => fact.name.replace('_', " "),
            };
            all.push(Learned {
                name: fact.name.clone(),
                about,
                used: "believed, while nothing else is seen",
                unproven: "not believed; what the service says is shown as it is",
            });
        }
        all
    }

    /// What lapel does by it, as things stand.
    fn use_of(&self, one: &Learned) -> &'static str {
        let is_proven = self.values(&one.name).next().is_some() && !self.conflicts(&one.name);
        if is_proven { one.used } else { one.unproven }
    }

    fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Fact> {
        self.facts.iter().filter(move |fact| fact.name == name)
    }

    /// Whether something that can only be one thing was seen to be several. Words are many by nature.
    fn conflicts(&self, name: &str) -> bool {
        !matches!(name, "status_name" | "email_status") && self.values(name).count() > 1
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("lapel {}", env!("CARGO_PKG_VERSION")), "Profile".to_owned()];
        lines.extend(fields(self.profile.as_ref()));
        lines.push("Service".to_owned());
        lines.extend(fields(Some(&self.service)));
        lines.push("Its clock".to_owned());
        lines.extend(fields(Some(&self.clock)));
        lines.push("Learned of it".to_owned());
        for one in self.learned() {
            lines.push(format!("  {}", scrub(&one.about)));
            for fact in self.values(&one.name) {
                lines.push(format!(
                    "    {}  ({}; {}, last {})",
                    scrub(&fact.value),
                    scrub(&fact.evidence),
                    words::count(fact.times, "time"),
                    second(fact.last)
                        .map_or_else(|| "never".to_owned(), |at| at.strftime("%Y-%m-%d").to_string())
                ));
            }
            let any = self.values(&one.name).next().is_some();
            let how = match (any, self.conflicts(&one.name)) {
                (false, _) => "not seen yet",
                (true, true) => "it was seen to be one thing and another, so",
                (true, false) => "used",
            };
            lines.push(format!("    {how}: {}", self.use_of(&one)));
        }
        lines.push("Journal".to_owned());
        lines.extend(fields(Some(&self.journal)));
        lines.push("Paths".to_owned());
        lines.extend(fields(Some(&self.paths)));
        lines.push("Permissions".to_owned());
        for one in &self.permissions {
            let word = if one.is_private { "private" } else { "OPEN TO OTHERS" };
            lines.push(format!("  {:o}  {word}  {}", one.mode, scrub(&one.path.to_string_lossy())));
        }
        match self.problems.as_slice() {
            [] => lines.push("Everything is in order.".to_owned()),
            all => {
                lines.push("Problems".to_owned());
                lines.extend(all.iter().map(|problem| format!("  {problem}")));
            }
        }
        lines
    }
}

fn second(at: i64) -> Option<Timestamp> {
    Timestamp::from_second(at).ok()
}

fn fact_json(fact: &Fact) -> Value {
    json!({
        "value": fact.value,
        "evidence": fact.evidence,
        "first": json::time(second(fact.first)),
        "last": json::time(second(fact.last)),
        "times": fact.times,
    })
}

/// The fields of an object, one a line.
fn fields(value: Option<&Value>) -> Vec<String> {
    let Some(Value::Object(fields)) = value else { return vec!["  none".to_owned()] };
    let mut rows = Vec::new();
    for (name, value) in fields {
        let shown = match value {
            Value::Null => continue,
            Value::String(text) => scrub(text).into_owned(),
            Value::Array(all) if all.is_empty() => continue,
            Value::Object(inner) => {
                let pairs: Vec<String> = inner
                    .iter()
                    .filter(|(_, value)| !value.is_null())
                    .map(|(name, value)| match value {
                        Value::Object(_) => {
                            let lines = fields(Some(value));
                            let words =
                                lines.iter().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "));
                            format!("{name}: {}", words.collect::<Vec<_>>().join(", "))
                        }
                        plain => format!("{} {plain}", name.replace('_', " ")),
                    })
                    .collect();
                scrub(&pairs.join("; ")).into_owned()
            }
            Value::Bool(true) => "yes".to_owned(),
            Value::Bool(false) => "no".to_owned(),
            other => scrub(&other.to_string()).into_owned(),
        };
        rows.push(vec![format!("  {}", name.replace('_', " ")), shown]);
    }
    words::align(&rows)
}
