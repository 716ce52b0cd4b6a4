//! Functions that the layer above provides, and the check of a new profile.

use crate::api::{ApiKey, Authorities, connect, identify};
use crate::config::{KeyPin, KeyStore, NewProfile, ProfileLine, SecretKind};
use crate::domain::confirm_text::short_name;
use crate::tui::prelude::*;
use crate::tui::request::{ProfileCandidate, ProfileRequest, ProfileSession};
use secrecy::{ExposeSecret, SecretString};
use std::pin::Pin;

/// The error is text for the user.
pub type Helped<T> = Pin<Box<dyn Future<Output = Result<T, String>> + Send>>;

#[derive(Clone)]
pub struct Helpers {
    /// The data folder. lapel processes share their rate limit through it. `None` if nothing is kept.
    pub data_dir: Option<PathBuf>,
    pub start_sandbox: Arc<dyn Fn() -> Helped<ProfileSession> + Send + Sync>,
    /// Finds a secret that is kept elsewhere: in a variable, or by a command, which may take long.
    pub find_secret: Arc<dyn Fn(SecretKind, KeyStore) -> Helped<SecretString> + Send + Sync>,
    /// Keeps a profile and its key, after a successful ping.
    pub keep_profile: Arc<dyn Fn(NewProfile, SecretString) -> Helped<ProfileSession> + Send + Sync>,
    pub profiles: Arc<dyn Fn() -> Helped<Vec<ProfileLine>> + Send + Sync>,
    /// Opens a profile and finds its key. Without a name: the profile that lapel was started with.
    pub open_profile: Arc<dyn Fn(Option<String>) -> Helped<ProfileSession> + Send + Sync>,
    /// Pins the current key of a profile: profile name, key prefix.
    pub pin_profile: Arc<dyn Fn(String, String) -> Helped<ProfileSession> + Send + Sync>,
    pub profile: Arc<dyn Fn(ProfileRequest) -> Helped<String> + Send + Sync>,
}

impl Default for Helpers {
    fn default() -> Self {
        fn nothing<T: Send + 'static>() -> Helped<T> {
            Box::pin(async { Err(t!("this cannot be done here").to_owned()) })
        }
        Self {
            data_dir: None,
            start_sandbox: Arc::new(nothing),
            find_secret: Arc::new(|_, _| nothing()),
            keep_profile: Arc::new(|_, _| nothing()),
            profiles: Arc::new(|| Box::pin(async { Ok(Vec::new()) })),
            open_profile: Arc::new(|_| nothing()),
            pin_profile: Arc::new(|_, _| nothing()),
            profile: Arc::new(|_| nothing()),
        }
    }
}

/// Keeps a profile only after its key has worked. The service's data about the key is kept with it.
pub(super) async fn try_profile(
    candidate: ProfileCandidate,
    helpers: &Helpers,
) -> Result<ProfileSession, String> {
    let ProfileCandidate { mut profile, key: typed, journal_password } = candidate;
    let secret = match typed {
        Some(typed) => typed,
        None => (helpers.find_secret)(SecretKind::ApiKey, profile.key_store.clone()).await?,
    };
    if let Some((place, typed)) = journal_password {
        let password = match typed {
            Some(typed) => typed,
            None => (helpers.find_secret)(SecretKind::JournalPassword, place.clone()).await?,
        };
        profile.journal_password = Some((place, password));
    }
    let key = ApiKey::new(secret.expose_secret()).map_err(|e| e.to_string())?;
    let settings = profile.settings().map_err(|e| e.to_string())?;
    let mut connection = Connection::new(&settings.base_url, key.clone()).map_err(|e| e.to_string())?;
    connection.pace_folder.clone_from(&helpers.data_dir);
    let (new, its_key) = (profile.clone(), secret.clone());
    let connecting = move || {
        let profile = new.profile(its_key.expose_secret()).map_err(|e| e.to_string())?;
        connection.proxy = profile.settings.values.proxy;
        connection.authorities =
            profile.ca.map(|ca| Authorities { name: ca.path.to_string_lossy().into_owned(), pem: ca.pem });
        connect(&connection).map_err(|e| e.to_string())
    };
    let access = tokio::task::spawn_blocking(connecting).await.map_err(|e| e.to_string())??;
    let identity =
        identify(access.reader(), &key, &Call::interactive()).await.map_err(|error| match error {
            ApiError::NotFound(_) => {
                t!("This base URL answers, but it has no ping. Does the base URL end in /api/v1/ext?")
                    .to_owned()
            }
            other => other.to_string(),
        })?;
    let mut odd =
        identity.oddities(settings.organisation.as_deref(), settings.environment == Environment::Live);
    profile.pin = identity.prefix.map(|prefix| KeyPin { prefix, fingerprint: Some(key.fingerprint()) });
    if settings.organisation.is_none() {
        let issuer = identity.organisation.map(|issuer| issuer.wire().trim().to_owned());
        profile.input.set("organisation", issuer.unwrap_or_default());
    }
    let mut session = (helpers.keep_profile)(profile, secret).await?;
    if session.environment == Environment::Live && session.short_name.is_none() {
        let word = short_name(session.organisation.as_deref().unwrap_or_default());
        odd.push(localizable!(
            "Short name: {word}. You type it after the number before anything is sent.",
            word = scrub(&word)
        ));
    }
    session.add_remark(odd.iter().map(ToString::to_string));
    Ok(session)
}
