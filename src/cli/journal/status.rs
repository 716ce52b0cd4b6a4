//! `lapel journal status`: where the journal is, who uses it, and whether lapel can write it.

use super::super::job_text::under;
use super::super::label::fields;
use super::super::session::{answer, on_place};
use super::{no_team, server_of};
use crate::cli::prelude::*;
use crate::domain::ServiceClock;
use crate::jobs::{Account, FileStatus, JournalError, TeamStatus};
use crate::team::{Host, Server};

pub(super) async fn status(
    place: JournalPlace,
    profile: Option<&Profile>,
    account: Option<Account>,
    as_json: bool,
) -> Result<(), Failure> {
    let mut value = match &place {
        JournalPlace::Team { login, .. } => {
            let (path, server) = (server_of(&place), login.server.clone());
            let found = on_place(place, JournalPlace::team_status).await?.ok_or_else(|| no_team(profile))?;
            of_team(&path, &server, &found, profile)
        }
        JournalPlace::Folder(folder) => {
            let folder = folder.clone();
            let found = on_place(place.clone(), move |_| FileStatus::of(&folder)).await?;
            let opened = match account.filter(|_| found.bytes.is_some()) {
                Some(account) => place.open_to_plan(&account).await.ok(),
                None => None,
            };
            of_file(&found, opened.and_then(|(_, elsewhere)| elsewhere).as_ref())
        }
        JournalPlace::Memory => return Err(no_team(profile)),
    };
    let text = journal_lines(&value).join("\n");
    if let Some(fields) = value.as_object_mut() {
        fields.insert("profile".to_owned(), profile.map(|profile| profile.name.clone()).into());
    }
    answer(as_json, &text, &value)
}

/// What the doctor shows, too. Times are in the profile's zone.
pub(in super::super) fn problems(found: &TeamStatus, profile: Option<&Profile>) -> Vec<String> {
    let clock = ServiceClock::new(profile.and_then(|profile| profile.utc_offset), 1.0);
    let shown = |at| format!("{} {}", clock.to_minute(at), clock.zone());
    let all = found.problems(profile.is_some_and(|profile| profile.read_only), &shown);
    all.iter().map(ToString::to_string).collect()
}

fn of_team(path: &str, server: &Server, found: &TeamStatus, profile: Option<&Profile>) -> Value {
    let reads_only = profile.is_some_and(|profile| profile.read_only);
    // The doctor learns the first one when it opens the journal.
    let schema = found.other_schema(path).map(|why| why.to_string());
    let problems = schema.into_iter().chain(problems(found, profile));
    json!({
        "ok": true,
        "kind": "team",
        "path": path,
        "exists": found.exists,
        "schema": found.schema,
        "known_schema": found.known_schema,
        "jobs": found.jobs,
        "can_write": found.can_write(),
        "process_count": found.processes.len(),
        "processes": names(found),
        "bytes": null,
        "network_drive": null,
        "server": server_json(server, found, reads_only),
        "problems": problems.collect::<Vec<_>>(),
    })
}

fn of_file(found: &FileStatus, elsewhere: Option<&JournalError>) -> Value {
    json!({
        "ok": true,
        "kind": "file",
        "path": found.path.to_string_lossy(),
        "exists": found.bytes.is_some(),
        "schema": found.schema,
        "known_schema": found.known_schema,
        "jobs": found.jobs,
        "can_write": found.can_write,
        "process_count": found.processes,
        "processes": [],
        "bytes": found.bytes,
        "network_drive": found.is_on_network_drive,
        "server": null,
        "problems": elsewhere.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

pub(in super::super) fn names(found: &TeamStatus) -> Vec<String> {
    found.processes.iter().map(|process| scrub(&process.to_string()).into_owned()).collect()
}

/// What the doctor shows, too.
pub(in super::super) fn server_json(server: &Server, found: &TeamStatus, reads_only: bool) -> Value {
    json!({
        "user": found.user,
        "version": found.version,
        "encryption": encryption_of(server, found),
        "missing_rights": found.missing(reads_only),
        "read_only": found.is_read_only,
        "synchronous_commit": found.setup.synchronous_commit,
        "fsync": found.setup.fsync,
        "standbys": found.setup.standbys,
        "synchronous_standby": found.setup.has_synchronous_standby,
        "lost_writes": found.losses.noticed.map(|at| at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()),
        "review_until": found.losses.recent().map(|loss| loss.until.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()),
        "rows_to_search": found.losses.unsearched_rows,
        "clock_ahead_ms": found.setup.clock_ahead_ms,
        "pooled": found.setup.is_pooled,
        "idle_session_timeout_ms": found.setup.idle_session_timeout_ms,
        "transaction_timeout_ms": found.setup.transaction_timeout_ms,
    })
}

/// The version of TLS, or why the connection needs none.
fn encryption_of(server: &Server, found: &TeamStatus) -> String {
    match (&found.tls, &server.host) {
        (Some(version), _) => version.clone(),
        (None, Host::Socket(_)) => "socket".to_owned(),
        (None, Host::Tcp(_)) => "loopback".to_owned(),
    }
}

/// What the doctor shows, too: its value has some of the fields.
pub(in super::super) fn journal_lines(value: &Value) -> Vec<String> {
    let mut shown = value.clone();
    let server = shown.as_object_mut().and_then(|all| {
        for listed in ["ok", "processes", "problems"] {
            all.shift_remove(listed);
        }
        all.shift_remove("server")
    });
    let mut lines = vec![t!("Journal").to_owned()];
    lines.extend(fields(Some(&shown)));
    if let Some(server) = server.filter(Value::is_object) {
        lines.push(t!("Database").to_owned());
        lines.extend(fields(Some(&server)));
    }
    for (name, heading) in [("processes", t!("Programs that use it")), ("problems", t!("Problems"))] {
        let all = value[name].as_array().into_iter().flatten().filter_map(Value::as_str);
        lines.extend(under(heading, all.map(|one| format!("  {one}")).collect()));
    }
    lines
}
