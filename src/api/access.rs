//! The clients of a connection, and [`connect`], the one place that creates a writing client.

use super::connection::Connection;
use super::error::ApiResult;
use super::reader::Reader;
use super::service_url::Base;
use super::writer::Writer;

/// The clients that a profile may use.
///
/// Types enforce read-only mode, not a flag. Only a [`Writer`] has methods and a client to send a POST. Only
/// [`connect`] creates one, and only from a connection that is not read-only. Nothing converts a [`Reader`] into
/// one, so no screen, job or verb can send a POST with a read-only profile:
///
/// ```compile_fail,E0624
/// # use lapel::api::{Connection, Reader, Writer};
/// fn forge(reader: Reader, connection: &Connection) -> Writer {
///     Writer::new(reader, connection).expect("a private function")
/// }
/// ```
#[derive(Clone, Debug)]
pub enum Access {
    ReadOnly(Reader),
    ReadWrite(Writer),
}

impl Access {
    pub fn reader(&self) -> &Reader {
        match self {
            Self::ReadOnly(reader) => reader,
            Self::ReadWrite(writer) => writer.reader(),
        }
    }

    pub fn writer(&self) -> Option<&Writer> {
        match self {
            Self::ReadOnly(_) => None,
            Self::ReadWrite(writer) => Some(writer),
        }
    }
}

/// Creates the clients and sends nothing. Reads the certificate store (about 20 ms) and opens the
/// shared rate limit file, so the TUI calls it outside its loop.
pub fn connect(connection: &Connection) -> ApiResult<Access> {
    let base = Base::new(&connection.base_url)?;
    let reader = Reader::new(connection, base)?;
    if connection.read_only {
        Ok(Access::ReadOnly(reader))
    } else {
        Ok(Access::ReadWrite(Writer::new(reader, connection)?))
    }
}
