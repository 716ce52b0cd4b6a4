//! From a profile to a connection.

use crate::api::{ApiError, ApiKey, Connection};
use crate::config::Profile;
use secrecy::ExposeSecret;

/// How the service of a profile is spoken to.
///
/// # Errors
/// What the client refuses about the key or the address, before anything is sent.
pub fn connection(profile: &Profile) -> Result<Connection, ApiError> {
    let key = ApiKey::new(profile.key.expose_secret())?;
    let mut connection = Connection::new(&profile.base_url, key)?;
    connection.read_only = profile.read_only;
    connection.proxy.clone_from(&profile.proxy);
    connection.picture_base.clone_from(&profile.picture_base);
    connection.utc_offset = profile.utc_offset;
    if let Some(limit) = profile.rate_limit {
        connection.rate_limit = limit;
    }
    Ok(connection)
}
