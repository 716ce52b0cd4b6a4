//! `lapel ping`: checks the key.

use super::connection::{connect_for_trial, timed};
use crate::api;
use crate::cli::prelude::*;
use crate::domain::Text;

/// Prints one line: the answer or the reason, with `json` as JSON. Exit code 0 only for the answer `ok`.
pub async fn ping(settings: &Settings, json: bool) -> u8 {
    let Some(profile) = &settings.profile else { return Failure::no_profile().report(json) };
    asked(profile, &settings.paths, json).await.map_or_else(
        |failure| {
            let base_url = json::fields(json!({ "base_url": profile.base_url }));
            Failure { code: exit::FAILED, ..failure }.report_with(json, base_url)
        },
        |line| output::ended(output::answer(&line), exit::OK),
    )
}

async fn asked(profile: &Profile, paths: &Paths, json: bool) -> Result<String, Failure> {
    let (connection, reader) = connect_for_trial(profile, paths)?;
    // Loading this computer's certificates is not the service's time.
    let (ping, millis) = timed(reader.ping(&Call::interactive())).await;
    let ping = ping?;
    let status = ping.status.as_ref().map(|status| without_key(status, profile));
    let prefix = ping.apikey_prefix.as_ref().map(|prefix| without_key(prefix, profile));
    let good = status.as_deref() == Some("ok");
    if !good {
        let what = t!(
            "{base_url} answered, but lapel cannot tell whether the key is valid: the status is {status}, not ok. Nothing was changed. Check the key in the issuer back office.",
            base_url = profile.base_url,
            status = status.as_deref().unwrap_or(t!("missing"))
        );
        return Err(Failure::new("not_ok", what));
    }
    api::compare_ping(&ping, &connection).map_err(|error| Failure::new("other_key", error.to_string()))?;
    Ok(if json {
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
    })
}

/// A placeholder replaces a text that contains the key.
fn without_key(said: &Text, profile: &Profile) -> String {
    if profile.key.known().is_some_and(|key| said.wire().contains(key.expose_secret())) {
        return t!("(the whole key, not shown)").to_owned();
    }
    said.shown().into_owned()
}
