//! From a profile to a connection.

use crate::api::{ApiError, ApiKey, Authorities, Connection, Pin};
use crate::config::{Environment, Profile};
use secrecy::ExposeSecret;

/// How the service of a profile is spoken to.
///
/// # Errors
/// What the client refuses about the key or the address, before anything is sent.
pub fn connection(profile: &Profile) -> Result<Connection, ApiError> {
    let key = profile.key.known().ok_or_else(|| ApiError::BadInput {
        field: "key",
        why: t!("the key of this profile was not asked for yet").to_owned(),
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
    connection.pin = profile.pin.as_ref().map(|pin| Pin {
        profile: profile.name.clone(),
        prefix: pin.prefix.clone(),
        fingerprint: pin.fingerprint.clone(),
        organisation: profile.organisation.clone(),
        is_live: profile.environment == Environment::Live,
    });
    connection.utc_offset = profile.utc_offset;
    if let Some(limit) = profile.rate_limit {
        connection.rate_limit = limit;
    }
    Ok(connection)
}
