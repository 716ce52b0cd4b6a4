//! What lapel has sent to an address or a name, or with a badge id, whether the service shows it or not.

use super::jobs::row_status;
use super::observe::WAITS;
use super::tx::Bind;
use super::{Account, Journal, Result, accounts, claims};
use crate::domain::address_search::{MatchReason, reasons_of};
use crate::domain::mask;
use crate::jobs::job::apart;
use crate::jobs::journal::prelude::*;

/// The statuses in which the service may not show a badge yet.
const OPEN: &str = "row.bucket IN ('sending', 'in_doubt', 'unbound', 'not_seen', 'waiting', 'overdue')";

/// Maximum number of such rows for one look-up.
const MOST: u32 = 20;

/// Maximum number of rows with a time of request for one address.
const MOST_REQUESTED: u32 = 1_000;

/// Rows whose domains are counted, or whose names are compared, so that a large journal does not delay a look-up.
const NEWEST: u32 = 50_000;

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

/// A row that was sent to a name or an address that is like the searched one. Of the recipient it has no more than a masked
/// address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentAlike {
    pub address: String,
    pub sent: SentHere,
    /// The strongest first. Never empty.
    pub why: Vec<MatchReason>,
}

impl Journal {
    pub async fn sent_badge(&self, account: &Account, badge: &BadgeId) -> Result<Vec<SentHere>> {
        self.store().sent_badge(account.clone(), badge.clone()).await
    }

    /// Rows sent to an address whose badge was not seen as issued, newest first.
    pub async fn sent_to(&self, account: &Account, email: &str) -> Result<Vec<SentHere>> {
        self.store().sent_to(account.clone(), EmailKey::of(email)).await
    }

    pub async fn planned_revocations(
        &self,
        account: &Account,
        badges: Vec<BadgeId>,
    ) -> Result<HashMap<BadgeId, JobId>> {
        self.store().planned_revocations(account.clone(), badges).await
    }
}

pub(super) fn sent_badge(db: &Tx<'_>, account: &Account, badge: &BadgeId) -> tx::Result<Vec<SentHere>> {
    sent_here(db, account, ("row.badge = ?3", &badge.wire()), MOST)
}

pub(super) fn sent_to(db: &Tx<'_>, account: &Account, key: &EmailKey) -> tx::Result<Vec<SentHere>> {
    sent_to_recipient(db, account, key, OPEN, MOST)
}

/// The most alike rows first, then the newest. The rows are compared here, because the database cannot. All of the newest are, because an older one may be more alike
/// than many newer ones. A row for the searched address itself is not among them, and neither is one whose name only
/// contains the searched one, or, beside an address, is only similar.
pub(super) fn sent_alike(
    db: &Tx<'_>,
    account: &Account,
    address: &Option<String>,
    name: &Option<String>,
) -> tx::Result<Vec<SentAlike>> {
    let (address, name) = (address.as_deref(), name.as_deref());
    let reasons = reasons_of(address, name);
    let is_weak = |why: &MatchReason| match why {
        MatchReason::PartOfName => true,
        MatchReason::NearlyTheName => address.is_some(),
        _ => false,
    };
    let [by_key, by_name] = accounts::all_of(db, account)?;
    let mut found = Vec::new();
    // `CROSS JOIN` makes SQLite begin with the newest job. Sorted rows of a large job would take longer.
    db.each(
        &format!(
            "SELECT row.job, job.title, row.badge, request.intent, row.bucket, job.begun_by, row.name, row.email
             FROM job CROSS JOIN row JOIN request ON request.id = row.request
             WHERE row.job = job.id AND job.kind = 'issue' AND {OPEN}
               AND EXISTS (SELECT 1 FROM account_key
                           WHERE account_key.base_url = job.base_url AND account_key.key = job.account
                             AND account_key.account IN (?1, ?2))
             ORDER BY job.id DESC LIMIT {NEWEST}"
        ),
        values![by_key, by_name],
        |r| {
            let (on_it, sent_to): (Text, String) = (r.get(6)?, r.get(7)?);
            let mut why = reasons(&sent_to, Some(&on_it));
            why.retain(|why| !is_weak(why));
            why.sort_unstable();
            if !why.is_empty() && !address.is_some_and(|address| EmailKey::of(address).is(&sent_to)) {
                found.push(SentAlike { address: mask::address(&sent_to), sent: sent(db, r)?, why });
            }
            Ok(ControlFlow::Continue(()))
        },
    )?;
    found.sort_by(|a, b| a.why.cmp(&b.why).then_with(|| b.sent.at.cmp(&a.sent.at)));
    Ok(found)
}

pub(super) fn requested(db: &Tx<'_>, account: &Account, key: &EmailKey) -> tx::Result<Vec<SentHere>> {
    sent_to_recipient(db, account, key, "row.badge IS NOT NULL", MOST_REQUESTED)
}

/// The sent rows with an address that meet a condition. They are found by their claims: nearly every request would write
/// the whole of an index of addresses. Who only reads a team's journal may not read the salt of the claims, so a function
/// of the database does.
fn sent_to_recipient(
    db: &Tx<'_>,
    account: &Account,
    key: &EmailKey,
    condition: &str,
    most: u32,
) -> tx::Result<Vec<SentHere>> {
    if key.as_str().is_empty() {
        return Ok(Vec::new());
    }
    if db.is_team() {
        let condition =
            format!("(row.job, row.no) IN (SELECT job, no FROM rows_of(?1, ?2, ?3)) AND {condition}");
        return sent_here(db, account, (&condition, &key.as_str()), most);
    }
    let person = claims::RecipientHasher::of(db)?.person(key);
    // `CROSS JOIN` makes SQLite look the recipient up for each template, and not in all claims. Purged rows have no
    // address, and keep their claims.
    let condition = format!(
        "(row.job, row.no) IN (
             SELECT claim.job, claim.no FROM (SELECT DISTINCT template FROM job WHERE kind = 'issue') AS issued
             CROSS JOIN claim
             WHERE claim.account IN (?1, ?2) AND claim.template = issued.template AND claim.person = ?3)
         AND row.email_key <> '' AND {condition}"
    );
    sent_here(db, account, (&condition, &person), most)
}

/// The jobs that revoke these badges as soon as they are issued.
pub(super) fn planned_revocations(
    db: &Tx<'_>,
    account: &Account,
    badges: &[BadgeId],
) -> tx::Result<HashMap<BadgeId, JobId>> {
    let [by_key, by_name] = accounts::all_of(db, account)?;
    let planned: Vec<(String, JobId)> = db.all(
        &format!(
            "SELECT row.badge, row.job FROM row JOIN job ON job.id = row.job
             JOIN account_key ON account_key.base_url = job.base_url AND account_key.key = job.account
             WHERE row.badge IN json_list(?3, text) AND row.bucket = 'queued' AND job.kind = 'revoke'
               AND job.phase = 'running' AND NOT {WAITS} AND account_key.account IN (?1, ?2)"
        ),
        values![by_key, by_name, super::json_ids(badges)],
    )?;
    Ok(planned.into_iter().filter_map(|(badge, job)| Some((BadgeId::new(badge)?, job))).collect())
}

/// The domains of the newest rows of an account's issue jobs that have begun, with the number of these rows.
pub(super) fn domains(db: &Tx<'_>, account: &Account) -> tx::Result<Vec<(String, u64)>> {
    let [by_key, by_name] = accounts::all_of(db, account)?;
    // `CROSS JOIN` makes SQLite begin with the newest job. Not with its rows: a draft may have a million.
    db.all(
        &format!(
            "SELECT substr(email_key, instr(email_key, '@') + 1) AS domain, count(*)
             FROM (SELECT row.email_key FROM job CROSS JOIN row
                   WHERE row.job = job.id AND job.kind = 'issue' AND job.phase <> 'draft'
                     AND row.email_key LIKE '%@%'
                     AND EXISTS (SELECT 1 FROM account_key
                                 WHERE account_key.base_url = job.base_url AND account_key.key = job.account
                                   AND account_key.account IN (?1, ?2))
                   ORDER BY job.id DESC, row.no DESC LIMIT {NEWEST}) AS newest
             GROUP BY domain"
        ),
        values![by_key, by_name],
    )
}

/// At most so many sent rows of an account's issue jobs, with any of its keys, that meet a condition with a value,
/// newest first.
fn sent_here(
    db: &Tx<'_>,
    account: &Account,
    (condition, value): (&str, &dyn Bind),
    most: u32,
) -> tx::Result<Vec<SentHere>> {
    let [by_key, by_name] = accounts::all_of(db, account)?;
    db.rows(
        &format!(
            "SELECT row.job, job.title, row.badge, request.intent, row.bucket, job.begun_by
         FROM row JOIN job ON job.id = row.job JOIN request ON request.id = row.request
         JOIN account_key ON account_key.base_url = job.base_url AND account_key.key = job.account
         WHERE {condition} AND job.kind = 'issue' AND account_key.account IN (?1, ?2)
         ORDER BY request.id DESC LIMIT ?4"
        ),
        &[&by_key, &by_name, value, &i64::from(most)],
        |r| sent(db, r),
    )
}

fn sent(db: &Tx<'_>, r: &SqlRow<'_>) -> tx::Result<SentHere> {
    Ok(SentHere {
        job: r.get(0)?,
        title: r.get(1)?,
        badge_id: r.get::<Option<String>>(2)?.and_then(BadgeId::new),
        at: Timestamp::from_second(r.get(3)?).unwrap_or(Timestamp::UNIX_EPOCH),
        row_status: row_status(r, "bucket")?,
        by: r.get::<Option<String>>("begun_by")?.filter(|_| db.is_team()).map(|who| Text::new(apart(&who).0)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn domains_are_those_of_the_newest_rows_of_the_account() {
        let journal = Journal::in_memory().expect("a journal");
        let write = async |sql: String| {
            journal.store().write("test", sql, |db, sql: &String| db.script(sql)).await.expect("written");
        };
        let job = |id: i64, kind: &str, key: &str, domain: &str, rows: u32| {
            format!(
                "INSERT INTO job (id, kind, phase, created, profile, base_url, account, title)
                     VALUES ({id}, '{kind}', 'running', 0, 'p', 'u', '{key}', 't');
                 WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {rows})
                 INSERT INTO row (job, no, name, email, email_key, bucket)
                     SELECT {id}, n, 'n', n || '@{domain}', n || '@{domain}', 'ready' FROM number;"
            )
        };
        write(
            "INSERT INTO account (id) VALUES (1), (2);
             INSERT INTO account_key VALUES ('u', '1', 1), ('u', '2', 2);"
                .to_owned()
                + &job(1, "issue", "1", "old.example", 1)
                + &job(2, "issue", "1", "new.example", NEWEST)
                + &job(3, "issue", "2", "other.example", 1)
                + &job(4, "revoke", "1", "revoked.example", 1)
                + &job(5, "issue", "1", "unsent.example", 1)
                + "UPDATE job SET phase = 'draft' WHERE id = 5;",
        )
        .await;
        let account =
            Account { profile: "p".into(), base_url: "u".into(), key: "1".into(), organisation: None };
        assert_eq!(
            journal.store().domains(account.clone()).await.expect("read"),
            [("new.example".to_owned(), NEWEST.into())]
        );
        write("DELETE FROM row WHERE job = 2 AND no = 1".to_owned()).await;
        let mut domains = journal.store().domains(account.clone()).await.expect("read");
        domains.sort();
        let all: u64 = domains.iter().map(|(_, n)| n).sum();
        assert_eq!((domains.len(), &*domains[1].0, all), (2, "old.example", NEWEST.into()));
    }
}
