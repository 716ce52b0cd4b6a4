//! Builds the connection of a profile.

use super::complain;
use crate::api::{self, Access, ApiKey, Authorities, Connection, PinnedIdentity};
use crate::cli::prelude::*;
use crate::config::Key;
use crate::i18n::wait::wait_text;
use crate::team::{DatabaseLimits, Login};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// For tests: the rate limit window in milliseconds. Applies only to a service on this computer.
const WINDOW: &str = "LAPEL_TEST_WINDOW_MS";
/// Minimum wait that lapel reports.
const WORTH_SAYING: Duration = Duration::from_secs(5);

pub fn connection(profile: &Profile, paths: &Paths) -> Result<Connection, ApiError> {
    let key = profile.key.known().ok_or_else(|| ApiError::BadInput {
        field: "key",
        why: localizable!("the key of this profile is not loaded yet"),
    })?;
    let key = ApiKey::new(key.expose_secret())?;
    let mut connection = Connection::new(&profile.base_url, key)?;
    connection.read_only = profile.read_only;
    connection.proxy.clone_from(&profile.proxy);
    connection.picture_base.clone_from(&profile.picture_base);
    connection.authorities = profile
        .ca
        .as_ref()
        .map(|ca| Authorities { name: ca.path.to_string_lossy().into_owned(), pem: ca.pem.clone() });
    connection.pin = profile.pin().map(|pin| PinnedIdentity {
        profile: profile.name.clone(),
        prefix: pin.prefix,
        fingerprint: pin.fingerprint,
        organisation: profile.organisation.clone(),
        is_live: profile.environment == Environment::Live,
    });
    connection.utc_offset = profile.utc_offset;
    if let Some(limit) = profile.rate_limit {
        connection.rate_limit = limit;
    }
    connection.pace_folder = Some(paths.data_dir.clone());
    connection.pace_team = login(profile);
    if connection.is_loopback()
        && let Some(ms) = std::env::var(WINDOW).ok().and_then(|ms| ms.parse().ok())
    {
        connection.window = Duration::from_millis(ms);
    }
    Ok(connection)
}

/// The connection for a question about the service itself. It does not wait for the team's database, whose reserve
/// covers these few requests.
pub(super) fn trial_connection(profile: &Profile, paths: &Paths) -> Result<Connection, ApiError> {
    Ok(Connection { pace_team: None, ..connection(profile, paths)? })
}

/// How to reach the journal of the profile's team. `None` without a team.
fn login(profile: &Profile) -> Option<Login> {
    profile.journal.as_ref().map(|team| Login {
        server: team.server.clone(),
        password: team.password.as_ref().and_then(Key::known).cloned(),
        ca: team.ca.as_ref().map(|ca| ca.pem.clone()),
        limits: &DatabaseLimits::USUAL,
        refused: Arc::default(),
    })
}

/// Where the journal of a profile is whose secrets were fetched.
pub fn journal_place(profile: &Profile, paths: &Paths) -> JournalPlace {
    place_with(login(profile), profile, paths)
}

/// As [`journal_place`]. A login that the database refused to the pace of this connection is not tried again.
pub fn journal_place_of(connection: &Connection, profile: &Profile, paths: &Paths) -> JournalPlace {
    let shared = |login: Login| match &connection.pace_team {
        Some(of_pace) => Login { refused: of_pace.refused.clone(), ..login },
        None => login,
    };
    place_with(login(profile).map(shared), profile, paths)
}

fn place_with(login: Option<Login>, profile: &Profile, paths: &Paths) -> JournalPlace {
    match login {
        Some(login) => JournalPlace::Team {
            who: login.server.user.clone(),
            login,
            data_dir: Some(paths.data_dir.clone()),
            reads_only: profile.read_only,
        },
        None => JournalPlace::Folder(paths.data_dir.clone()),
    }
}

/// From now on, standard error reports long waits, and a rate limit that lapel processes cannot share. A verb ends when
/// its team's database gives this computer no share of it for a sixth of the window: nobody sees that it waits.
pub(super) fn connect(connection: &Connection) -> Result<Access, ApiError> {
    let access = connect_silently(connection)?;
    tokio::spawn(watch(access.reader().clone(), true));
    Ok(access)
}

/// The same with a [`trial_connection`], whose own share is not that of the profile.
pub(super) fn connect_for_trial(profile: &Profile, paths: &Paths) -> Result<(Connection, Reader), ApiError> {
    let connection = trial_connection(profile, paths)?;
    let reader = connect_silently(&connection)?.reader().clone();
    tokio::spawn(watch(reader.clone(), false));
    Ok((connection, reader))
}

/// What follows when a computer leaves a team's journal.
pub(super) fn share_stays() -> &'static str {
    t!(
        "For up to 4 hours, this computer sends at most its own share of the rate limit: the team's database may give the rest to other computers."
    )
}

pub(super) fn connect_silently(connection: &Connection) -> Result<Access, ApiError> {
    let mut connection = connection.clone();
    connection.timeouts.unshared = Some(connection.window / 6);
    api::connect(&connection)
}

/// Also returns the milliseconds that it took.
pub(super) async fn timed<T>(work: impl Future<Output = T>) -> (T, u64) {
    let begun = std::time::Instant::now();
    let done = work.await;
    (done, u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX))
}

async fn watch(reader: Reader, mut tells_share: bool) {
    let mut link = reader.link();
    let (mut told_alone, mut told_until) = (false, None::<Instant>);
    loop {
        let status = link.borrow_and_update().clone();
        if let Some(why) = &status.alone
            && !std::mem::replace(&mut told_alone, true)
        {
            complain(&why.to_string());
        }
        if status.own_share.is_some() && std::mem::take(&mut tells_share) {
            reader.own_share().inspect(|why| complain(&why.to_string()));
        }
        if let Some(until) = status.held_until
            && told_until.is_none_or(|told| until > told + WORTH_SAYING)
        {
            let left = until.saturating_duration_since(Instant::now());
            if left > WORTH_SAYING {
                complain(&t!(
                    "rate limit wait (Retry-After): {wait}. lapel waits and then continues; ctrl-c stops it.",
                    wait = wait_text(left)
                ));
            }
            told_until = Some(until);
        }
        if link.changed().await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{NewProfile, ProfileInput};

    #[test]
    fn the_pace_and_the_journal_of_a_profile_have_one_login() {
        let input = ProfileInput::default()
            .with("base_url", "https://uni.example/api/v1/ext")
            .with("environment", "staging")
            .with("journal.url", "postgres://kim@db.example/lapel");
        let profile = NewProfile::of("uni", input).profile("k-1234").expect("a profile");
        let paths = Paths { config_dir: "/nowhere".into(), data_dir: "/nowhere".into() };
        let connection = connection(&profile, &paths).expect("a connection");
        let JournalPlace::Team { login, .. } = journal_place_of(&connection, &profile, &paths) else {
            panic!("a team's journal");
        };
        let of_pace = connection.pace_team.expect("a login");
        assert!(Arc::ptr_eq(&login.refused, &of_pace.refused), "what one is refused, the other does not try");
    }
}
