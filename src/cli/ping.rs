//! `lapel ping`: checks the key.

use super::connection::{connect, trial_connection};
use super::{exit, output};
use crate::api::{self, Connection};
use crate::cli::prelude::*;
use crate::config::ConfigError;
use crate::domain::{Ping, Text};
use secrecy::ExposeSecret;
use std::time::{Duration, Instant};

/// Prints one line: the answer or the reason, with `json` as JSON. Exit code 0 only for the answer `ok`.
pub async fn ping(profile: &Profile, paths: &Paths, json: bool) -> u8 {
    let asked = match trial_connection(profile, paths) {
        Ok(connection) => ask(&connection).await.map(|(ping, took)| (connection, ping, took)),
        Err(error) => Err(error),
    };
    match asked {
        Ok((connection, ping, took)) => report(profile, &connection, &ping, took, json),
        Err(error) => {
            let kind = error.word().replace(' ', "_");
            fail(json, &kind, &error.to_string(), Some(profile), exit::FAILED)
        }
    }
}

/// The settings have a mistake, or there is no profile (`None`).
pub fn ping_without_settings(error: Option<&ConfigError>, json: bool) -> u8 {
    match error {
        Some(error) => {
            output::complain_of_settings(error);
            answer_failure(json, "settings", &error.to_string(), None, exit::USAGE)
        }
        None => fail(json, "no_profile", output::how_to_begin(), None, exit::USAGE),
    }
}

async fn ask(connection: &Connection) -> Result<(Ping, Duration), ApiError> {
    let access = connect(connection)?;
    // Loading this computer's certificates is not the service's time.
    let begun = Instant::now();
    let ping = access.reader().ping(&Call::interactive()).await?;
    Ok((ping, begun.elapsed()))
}

fn report(profile: &Profile, connection: &Connection, ping: &Ping, took: Duration, json: bool) -> u8 {
    let status = ping.status.as_ref().map(|status| without_key(status, profile));
    let prefix = ping.apikey_prefix.as_ref().map(|prefix| without_key(prefix, profile));
    let good = status.as_deref() == Some("ok");
    let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    if !good {
        let what = t!(
            "{base_url} answered, but lapel cannot tell whether the key is valid: the status is {status}, not ok. Nothing was changed. Check the key in the issuer back office.",
            base_url = profile.base_url,
            status = status.as_deref().unwrap_or(t!("missing"))
        );
        return fail(json, "not_ok", &what, Some(profile), exit::FAILED);
    }
    if let Err(error) = api::compare_ping(ping, connection) {
        return fail(json, "other_key", &error.to_string(), Some(profile), exit::FAILED);
    }
    let line = if json {
        json!({
            "ok": true,
            "status": status,
            "apikey_prefix": prefix,
            "round_trip_ms": millis,
            "base_url": profile.base_url,
        })
        .to_string()
    } else {
        let key = prefix.map_or(t!("(prefix unknown)").to_owned(), |prefix| match prefix.chars().last() {
            Some('.' | '…') => prefix,
            _ => format!("{prefix}…"),
        });
        t!("ok  key {key}  {millis} ms  {base_url}", key, millis, base_url = profile.base_url)
    };
    output::ended(output::answer(&line), exit::OK)
}

/// A placeholder replaces a text that contains the key.
fn without_key(said: &Text, profile: &Profile) -> String {
    if profile.key.known().is_some_and(|key| said.wire().contains(key.expose_secret())) {
        return t!("(the whole key, not shown)").to_owned();
    }
    said.shown().into_owned()
}

fn fail(json: bool, kind: &str, message: &str, profile: Option<&Profile>, code: u8) -> u8 {
    output::complain(message);
    answer_failure(json, kind, message, profile, code)
}

fn answer_failure(json: bool, kind: &str, message: &str, profile: Option<&Profile>, code: u8) -> u8 {
    if !json {
        return code;
    }
    let mut line = json!({ "ok": false, "exit_code": code, "error": { "kind": kind, "message": message } });
    if let (Some(profile), Value::Object(fields)) = (profile, &mut line) {
        fields.insert("base_url".to_owned(), profile.base_url.clone().into());
    }
    output::ended(output::answer(&line.to_string()), code)
}
