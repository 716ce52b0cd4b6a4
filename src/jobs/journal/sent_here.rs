//! What lapel has sent to an address, or with a badge id, whether the service shows it or not.

use super::accounts;
use super::jobs::row_status;
use super::tx::{self, Tx, values};
use crate::domain::{BadgeId, EmailKey, Text};
use crate::jobs::job::JobId;
use crate::jobs::row_status::RowStatus;
use jiff::Timestamp;

/// Maximum number of rows with a time of request for one address.
const MOST_REQUESTED: u32 = 1_000;

/// A row that lapel sent and that the service may not show yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentHere {
    pub job: JobId,
    pub title: Text,
    pub badge_id: Option<BadgeId>,
    /// When its request was recorded, in the service's UTC.
    pub at: Timestamp,
    pub row_status: RowStatus,
    /// Who began the job. `None` unless a team shares the journal.
    pub by: Option<Text>,
}

impl super::Journal {
    /// Rows with this badge id that jobs of an account have sent.
    pub async fn sent_badge(
        &self,
        account: &super::Account,
        badge: &BadgeId,
    ) -> Result<Vec<SentHere>, super::JournalError> {
        self.store().sent_badge(account.clone(), badge.clone()).await
    }

    /// Rows sent to an address whose badge was not seen as issued, newest first.
    pub async fn sent_to(
        &self,
        account: &super::Account,
        email: &str,
    ) -> Result<Vec<SentHere>, super::JournalError> {
        self.store().sent_to(account.clone(), EmailKey::of(email)).await
    }

    /// The rows sent to an address whose badge ids are known, newest first.
    pub async fn requested(
        &self,
        account: &super::Account,
        email: &str,
    ) -> Result<Vec<SentHere>, super::JournalError> {
        self.store().requested(account.clone(), EmailKey::of(email)).await
    }

    pub async fn domains(&self, account: &super::Account) -> Result<Vec<String>, super::JournalError> {
        self.store().domains(account.clone()).await
    }
}

pub(super) fn sent_badge(
    db: &Tx<'_>,
    account: &super::Account,
    badge: &BadgeId,
) -> tx::Result<Vec<SentHere>> {
    sent_here(db, account, ("row.badge = ?3", badge.wire()), 20)
}

pub(super) fn sent_to(db: &Tx<'_>, account: &super::Account, key: &EmailKey) -> tx::Result<Vec<SentHere>> {
    let open = "row.email_key = ?3 AND row.request IS NOT NULL
                AND row.bucket IN ('sending', 'in_doubt', 'unbound', 'not_seen', 'waiting', 'overdue')";
    sent_here(db, account, (open, key.as_str()), 20)
}

pub(super) fn requested(db: &Tx<'_>, account: &super::Account, key: &EmailKey) -> tx::Result<Vec<SentHere>> {
    sent_here(
        db,
        account,
        ("row.email_key = ?3 AND row.request IS NOT NULL AND row.badge IS NOT NULL", key.as_str()),
        MOST_REQUESTED,
    )
}

pub(super) fn domains(db: &Tx<'_>, account: &super::Account) -> tx::Result<Vec<String>> {
    let [by_key, by_name] = accounts::all_of(db, account)?;
    db.rows(
        "SELECT DISTINCT substr(row.email_key, instr(row.email_key, '@') + 1)
         FROM row JOIN job ON job.id = row.job
         JOIN account_key ON account_key.base_url = job.base_url AND account_key.key = job.account
         WHERE row.email_key LIKE '%@%' AND job.kind = 'issue' AND account_key.account IN (?1, ?2)",
        values![by_key, by_name],
        |r| r.get(0),
    )
}

/// At most so many sent rows of an account's issue jobs, with any of its keys, that meet a condition with a value,
/// newest first.
fn sent_here(
    db: &Tx<'_>,
    account: &super::Account,
    (condition, value): (&str, &str),
    most: u32,
) -> tx::Result<Vec<SentHere>> {
    if value.is_empty() {
        return Ok(Vec::new());
    }
    let [by_key, by_name] = accounts::all_of(db, account)?;
    db.rows(
        &format!(
            "SELECT row.job, job.title, row.badge, request.intent, row.bucket, job.begun_by
         FROM row JOIN job ON job.id = row.job JOIN request ON request.id = row.request
         JOIN account_key ON account_key.base_url = job.base_url AND account_key.key = job.account
         WHERE {condition} AND job.kind = 'issue' AND account_key.account IN (?1, ?2)
         ORDER BY request.id DESC LIMIT {most}"
        ),
        values![by_key, by_name, value],
        |r| {
            Ok(SentHere {
                job: JobId(r.get(0)?),
                title: Text::new(r.get::<String>(1)?),
                badge_id: r.get::<Option<String>>(2)?.and_then(BadgeId::new),
                at: Timestamp::from_second(r.get(3)?).unwrap_or(Timestamp::UNIX_EPOCH),
                row_status: row_status(r, "bucket")?,
                by: r.get::<Option<String>>("begun_by")?.filter(|_| db.is_team()).map(Text::new),
            })
        },
    )
}
