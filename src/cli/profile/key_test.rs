//! Tests a profile: asks its service about the key.

use super::Failure;
use crate::api::{self, ApiKey, Identity};
use crate::cli::connection::{timed, trial_connection};
use crate::cli::prelude::*;
use crate::cli::session::aside;
use crate::config::KeyPin;

pub(super) struct KeyTest {
    pub identity: Identity,
    pub fingerprint: String,
    pub millis: u64,
}

impl KeyTest {
    /// Sends two requests. The key must be known.
    pub async fn of(profile: &Profile, paths: &Paths) -> Result<Self, Failure> {
        let connection = trial_connection(profile, paths)?;
        let key = connection.key.clone();
        let access = aside(move || api::connect(&connection)).await?;
        let (identity, millis) = timed(api::identify(access.reader(), &key, &Call::interactive())).await;
        let identity = identity.map_err(|error| failure_of(error, profile))?;
        Ok(Self { identity, fingerprint: key.fingerprint(), millis })
    }

    /// The issuer of the badges in the history.
    pub fn issuer(&self) -> Option<String> {
        self.identity.organisation.as_ref().map(|issuer| issuer.wire().to_owned())
    }

    /// Only the prefix is compared.
    pub fn compared_with(&self, pin: &KeyPin, profile: &Profile) -> Result<(), Failure> {
        if self.identity.prefix.as_deref() == Some(pin.prefix.as_str()) {
            return Ok(());
        }
        Err(ApiError::OtherKey {
            profile: profile.name.clone(),
            pinned: pin.prefix.clone(),
            said: self.identity.prefix.as_deref().map(|said| scrub(said).into_owned()),
        }
        .into())
    }

    pub fn warnings(&self, profile: &Profile) -> Vec<String> {
        let is_live = profile.environment == Environment::Live;
        self.identity
            .oddities(profile.organisation.as_deref(), is_live)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    pub fn words(&self) -> String {
        let key = match &self.identity.prefix {
            Some(prefix) => t!("key {prefix}…", prefix = scrub(prefix)),
            None => t!("key (prefix unknown)").to_owned(),
        };
        match &self.identity.organisation {
            Some(issuer) => t!("{key}  issuer {issuer}", key, issuer),
            None => t!("{key}  (no badge in the history yet)", key),
        }
    }
}

fn failure_of(error: ApiError, profile: &Profile) -> Failure {
    let has_no_ping = matches!(error, ApiError::NotFound(_));
    let mut failure = Failure::from(error);
    if has_no_ping {
        t!("This base URL answers, but it has no ping. Does the base URL end in /api/v1/ext?")
            .clone_into(&mut failure.message);
    }
    // The service may repeat the key in its answer.
    if let Some(key) = profile.key.known().and_then(|key| ApiKey::new(key.expose_secret()).ok()) {
        failure.message = key.without(&failure.message);
    }
    failure
}
