//! Data that only the badge detail has: the certificate number. Saved whenever a badge is read.

use super::Result;
use super::lists::IndexedList;
use super::store::Index;
use super::stored_rows::{self, COLUMNS, item};
use crate::api::{ApiError, Call, Reader};
use crate::domain::address_search::{MatchReason, reasons_of};
use crate::domain::{Badge, BadgeId, HistoryItem, ServiceTime, Text};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use unicode_normalization::UnicodeNormalization;

const MOST_CERTS: i64 = 20;

/// Maximum badges with only a similar name in the result of a search for a person.
const MOST_SIMILAR: usize = 500;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cert {
    pub badge_id: BadgeId,
    pub cert_no: Text,
    /// From the badge detail.
    pub valid_until: Option<ServiceTime>,
    pub row: Option<HistoryItem>,
}

/// Badges that may be a person's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundPeople {
    pub badges: Vec<HistoryItem>,
    /// How many there are. Badges with only a similar name are left out above a limit.
    pub all: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DetailsRead {
    pub read: u64,
    /// The service no longer has these badges.
    pub gone: u64,
}

/// Without signs and in capitals.
pub(super) fn cert_key(cert_no: &str) -> Option<String> {
    let key: String =
        cert_no.nfkc().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).take(200).collect();
    (!key.is_empty()).then_some(key)
}

fn noted(db: &Connection, badge: &Badge, at: i64) -> rusqlite::Result<()> {
    let cert = badge.cert_no.as_ref().filter(|cert| !cert.looks_empty()).map(Text::wire);
    db.prepare_cached("INSERT OR REPLACE INTO detail VALUES (?1, ?2, ?3, ?4, ?5)")?.execute(params![
        badge.badge_id.wire(),
        cert,
        cert.and_then(cert_key),
        badge.valid_until.as_ref().map(|until| until.raw().wire()),
        at,
    ])?;
    stored_rows::refresh(db, badge)
}

impl Index {
    /// `at`: seconds of the service's UTC.
    pub async fn note(&self, badge: &Badge, at: i64) -> Result<()> {
        let badge = badge.clone();
        self.write(move |db| noted(db, &badge, at)).await
    }

    /// Does not wait, but saves before any later request to the index. A failure is only logged.
    pub fn note_soon(&self, badge: &Badge, at: i64) {
        let badge = badge.clone();
        self.write_soon(move |db| noted(db, &badge, at));
    }

    /// Case, spaces and signs do not count. Only finds badges whose detail was read.
    pub async fn find_cert(&self, cert_no: &str) -> Result<Vec<Cert>> {
        let Some(key) = cert_key(cert_no) else { return Ok(Vec::new()) };
        self.read(move |db| {
            let found: Vec<(String, String, Option<String>)> = db
                .prepare_cached(
                    "SELECT id, cert_no, valid_until FROM detail WHERE cert_key = ?1 ORDER BY id LIMIT ?2",
                )?
                .query_map(params![key, MOST_CERTS], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?
                .collect::<rusqlite::Result<_>>()?;
            let mut certs = Vec::with_capacity(found.len());
            for (id, cert_no, until) in found {
                let row = db
                    .prepare_cached(&format!("SELECT {COLUMNS} FROM badge WHERE id = ?1"))?
                    .query_row([&id], item)
                    .optional()?;
                certs.extend(BadgeId::new(id).map(|badge_id| Cert {
                    badge_id,
                    cert_no: Text::new(cert_no),
                    valid_until: until.as_deref().and_then(ServiceTime::new),
                    row,
                }));
            }
            Ok(certs)
        })
        .await
    }

    /// Searches by an address, a name or both, and forgives slips in them.
    pub async fn find_people(&self, address: Option<String>, name: Option<String>) -> Result<FoundPeople> {
        self.read(move |db| {
            let (mut found, mut similar) = (FoundPeople::default(), 0);
            let reasons = reasons_of(address.as_deref(), name.as_deref());
            let mut all = db.prepare_cached(&format!("SELECT {COLUMNS} FROM badge ORDER BY reg DESC"))?;
            let mut rows = all.query([])?;
            while let Some(row) = rows.next()? {
                // Build a row only when its address and name match.
                let (on_it, email): (Option<String>, Option<String>) = (row.get(3)?, row.get(4)?);
                let (on_it, email) = (on_it.map(Text::new), email.unwrap_or_default());
                let why = reasons(&email, on_it.as_ref());
                if why.is_empty() {
                    continue;
                }
                found.all += 1;
                similar += usize::from(MatchReason::are_weak(&why));
                if !MatchReason::are_weak(&why) || similar <= MOST_SIMILAR {
                    found.badges.push(item(row)?);
                }
            }
            Ok(found)
        })
        .await
    }

    /// The domains of the holders, with their numbers of badges. Empty without an index. They only help a check that also
    /// works without them, so an index that cannot be read is no error.
    pub async fn domains(opened: Result<Option<Self>>) -> Vec<(String, u64)> {
        let read = match opened {
            Ok(Some(index)) => index.read_domains().await,
            Ok(None) => Ok(Vec::new()),
            Err(why) => Err(why),
        };
        read.unwrap_or_else(|why| {
            tracing::warn!("the domains of the index were not read: {why}");
            Vec::new()
        })
    }

    async fn read_domains(&self) -> Result<Vec<(String, u64)>> {
        self.read(|db| {
            db.prepare_cached("SELECT domain, count(*) FROM badge WHERE domain IS NOT NULL GROUP BY domain")?
                .query_map([], |r| Ok((r.get(0)?, r.get::<_, i64>(1)?.unsigned_abs())))?
                .collect()
        })
        .await
    }

    pub async fn without_details(&self, which: IndexedList, most: usize) -> Result<Vec<BadgeId>> {
        self.read(move |db| {
            let (condition, mut values) = which.condition();
            values.push(Value::Integer(most as i64));
            let sql = format!(
                "SELECT id FROM badge WHERE {condition} AND id NOT IN (SELECT id FROM detail)
                 ORDER BY {} LIMIT ?",
                which.order()
            );
            let ids: Vec<String> = db
                .prepare_cached(&sql)?
                .query_map(params_from_iter(values), |r| r.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            Ok(ids.into_iter().filter_map(BadgeId::new).collect())
        })
        .await
    }

    /// Sends one request per badge, at the background share of the rate limit. Stops at the
    /// certificate number `until`.
    /// Fails with the first error of the service, except a missing badge. Details read before it are saved.
    pub async fn read_details(
        &self,
        reader: &Reader,
        ids: Vec<BadgeId>,
        until: Option<&str>,
        progress: &watch::Sender<super::SyncProgress>,
        cancel: CancellationToken,
    ) -> Result<DetailsRead> {
        let call = Call::background().cancelled_by(cancel);
        let (mut came, all) = (DetailsRead::default(), ids.len() as u64);
        let until = until.and_then(cert_key);
        for id in ids {
            match reader.badge(&id, &call).await {
                Ok(badge) => {
                    self.note(&badge, reader.clock().utc().as_second()).await?;
                    came.read += 1;
                    let cert = badge.cert_no.as_ref().and_then(|cert| cert_key(cert.wire()));
                    if cert.is_some() && cert == until {
                        break;
                    }
                }
                Err(ApiError::NotFound(_) | ApiError::BadInput { .. }) => came.gone += 1,
                Err(other) => return Err(other.into()),
            }
            progress.send_replace(super::SyncProgress { done: came.read + came.gone, all });
        }
        Ok(came)
    }
}
