//! Claims: which row of which job may give a recipient a badge of a template. A row is sent only with a claim. It
//! requests the claim in the transaction that lets its job run.
//!
//! `recipients` has the claims on the recipients of a job's rows, `foreign_salts` those that came purged from another journal.

mod foreign_salts;
mod recipients;

use super::{accounts, jobs};
use crate::jobs::intake::hex;
use crate::jobs::job::Kind;
use crate::jobs::journal::prelude::*;
use crate::jobs::rules::{self, ClaimVerdict, OtherClaim};
pub(super) use foreign_salts::{NamedSalt, keep_salts, salts};
use recipients::{HeldClaim, claims_of_viewers, contested, read_held, recipients};
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};

/// The bits of a slot in [`Rival::claim_id`]: far more than an address has claims.
const SLOT_BITS: u32 = 24;

/// Length of a recipient's hash, in bytes.
const PERSON: usize = 16;

/// Hashes an e-mail key with the journal's salt.
pub(super) struct RecipientHasher(hmac::Key);

impl RecipientHasher {
    pub(super) fn of(db: &Tx<'_>) -> tx::Result<Self> {
        Ok(Self::with(&salt(db)?))
    }

    fn with(salt: &[u8]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, salt))
    }

    /// `None` for an empty address.
    pub(super) fn person(&self, key: &EmailKey) -> Option<Vec<u8>> {
        self.hash(key.as_str())
    }

    fn hash(&self, key: &str) -> Option<Vec<u8>> {
        (!key.is_empty())
            .then(|| hmac::sign(&self.0, key.as_bytes()).as_ref().iter().take(PERSON).copied().collect())
    }
}

fn salt(db: &Tx<'_>) -> tx::Result<Vec<u8>> {
    db.one("SELECT salt FROM store", values![])
}

/// Names the salt for another journal, and does not tell it.
pub(super) fn name_of_salt(db: &Tx<'_>) -> tx::Result<String> {
    let people = RecipientHasher::of(db)?;
    Ok(people.person(&EmailKey::of("this journal")).map(|name| hex(&name)).unwrap_or_default())
}

/// Rules of the table in a file. A team's journal has them in its functions.
const TRIGGERS: &str = include_str!("claim_triggers.sql");

/// Migrates a journal to schema 12.
pub(super) fn sort_by_row(db: &Tx<'_>) -> tx::Result<()> {
    db.script(include_str!("claims_by_row.sql"))?;
    db.script(TRIGGERS)
}

/// Migrates a journal to schema 2. Rows that were or may have been sent get claims.
pub(super) fn migrate(db: &Tx<'_>) -> tx::Result<()> {
    db.script(include_str!("claims.sql"))?;
    db.script(TRIGGERS)?;
    let mut salt = [0; 32];
    SystemRandom::new().fill(&mut salt).map_err(|_| tx::Error::Random)?;
    db.execute("INSERT INTO store (salt) VALUES (?1)", values![salt.as_slice()])?;
    let spellings: Vec<String> = db.all("SELECT DISTINCT base_url FROM job", values![])?;
    for raw in spellings {
        db.execute(
            "UPDATE job SET base_url = ?2 WHERE base_url = ?1",
            values![&raw, &accounts::normal_url(&raw)],
        )?;
    }
    let keys: Vec<(String, String)> = db.all("SELECT DISTINCT base_url, account FROM job", values![])?;
    for (base_url, key) in keys {
        accounts::of(db, &base_url, &key)?;
    }
    let people = RecipientHasher::of(db)?;
    let emails: Vec<String> =
        db.all("SELECT DISTINCT email_key FROM row WHERE email_key <> ''", values![])?;
    for email in emails {
        db.execute("UPDATE row SET person = ?2 WHERE email_key = ?1", values![email, people.hash(&email)])?;
    }
    if !db.exists("SELECT 1 FROM job", values![])? {
        return Ok(());
    }
    let lapel = Actor::lapel(Timestamp::now().as_millisecond());
    let decision = jobs::record_decision(db, JobId(0), None, "import claims", &lapel, "")?;
    db.run(include_str!("claims_of_rows.sql"), values![decision])
}

/// The account and template that a job issues for. `None` for a revocation.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    job: JobId,
    pub(super) account: i64,
    pub(super) template: String,
}

impl Scope {
    /// As [`Self::known`]. Creates the account if the key is new.
    fn of(db: &Tx<'_>, job: JobId) -> tx::Result<Option<Self>> {
        let Some((template, base_url, key)) = issues(db, job)? else { return Ok(None) };
        Ok(Some(Self { job, account: accounts::of(db, &base_url, &key)?, template }))
    }

    /// The scope of a job, also `None` if no job of its key has begun: then there are no claims.
    pub(super) fn known(db: &Tx<'_>, job: JobId) -> tx::Result<Option<Self>> {
        let Some((template, base_url, key)) = issues(db, job)? else { return Ok(None) };
        let account = accounts::known(db, &base_url, &key)?;
        Ok(account.map(|account| Self { job, account, template }))
    }
}

fn issues(db: &Tx<'_>, job: JobId) -> tx::Result<Option<(String, String, String)>> {
    db.first(
        "SELECT template, base_url, account FROM job
         WHERE id = ?1 AND kind = 'issue' AND template IS NOT NULL",
        values![job.0],
    )
}

/// Another row with a claim on the same recipient and template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rival {
    pub job: JobId,
    pub no: u64,
    pub row_status: RowStatus,
    pub badge_id: Option<BadgeId>,
    /// When the row was sent, or its job began or was planned if it was not sent: UTC in seconds.
    pub at: i64,
    pub slot: i64,
    /// Whether its request was refused, but possibly acted on.
    pub is_unproven: bool,
    /// Who began the job. `None` unless a team shares the journal.
    pub by: Option<Text>,
}

impl Rival {
    /// Names the claim. Its slot alone does not: a slot that becomes free is used again, by another job.
    pub fn claim_id(&self) -> i64 {
        (self.job.0 << SLOT_BITS) | self.slot
    }

    /// The reason stays in the journal, so it says what happened, and not what happens now.
    pub fn why(&self) -> Reason {
        let when = Timestamp::from_second(self.at).map_or_else(|_| String::new(), utc_minute);
        let is_sending = matches!(self.row_status, RowStatus::Ready | RowStatus::Sending);
        let code = match (&self.by, is_sending) {
            _ if self.is_unproven => Code::RefusedElsewhere,
            (None, true) => Code::SendingElsewhere,
            (None, false) => Code::SentElsewhere,
            (Some(_), true) => Code::PersonSends,
            (Some(_), false) => Code::PersonSent,
        };
        let mut why = Reason::from(code).with("job", self.job).with("when", when);
        if let Some(by) = self.by.as_ref().filter(|_| !self.is_unproven) {
            why = why.with("who", by);
        }
        if self.is_unproven || is_sending {
            return why;
        }
        why.because("state", Reason::word(self.row_status.name()))
    }
}

/// When the jobs of rivals began. A draft may have been kept for days.
#[derive(Default)]
struct BeginTimes(HashMap<JobId, i64>);

impl BeginTimes {
    /// Dates a rival that waits to be sent by the begin of its job.
    fn date(&mut self, db: &Tx<'_>, rival: &Rival) -> tx::Result<Rival> {
        let mut rival = rival.clone();
        if rival.row_status == RowStatus::Ready {
            let begun = match self.0.get(&rival.job) {
                Some(begun) => *begun,
                None => {
                    let sql =
                        "SELECT coalesce(min(at), 0) / 1000 FROM decision WHERE job = ?1 AND what = 'begin'";
                    let begun = db.one(sql, values![rival.job.0])?;
                    self.0.insert(rival.job, begun);
                    begun
                }
            };
            rival.at = rival.at.max(begun);
        }
        Ok(rival)
    }
}

/// Requests claims for all ready rows of a job. If another row has or may have served the recipient, the row needs
/// review and is not sent. `actor` is recorded with approved claims.
pub(super) fn claim_ready_rows(db: &Tx<'_>, job: JobId, actor: &Actor) -> tx::Result<()> {
    let Some(scope) = Scope::of(db, job)? else { return Ok(()) };
    foreign_salts::recognise(db, &scope, "row.bucket = 'ready'")?;
    // Where two rows have one recipient, the first one gets the claim. A server looks twice for such rows, so it learns
    // where there are none.
    let are_unique = db.is_team()
        && db.one(
            "SELECT count(person) = count(DISTINCT person) FROM row WHERE job = ?1 AND bucket = 'ready'",
            values![job.0],
        )?;
    let unless_claimed = if are_unique { "" } else { "ON CONFLICT DO NOTHING" };
    // Most recipients have no other row: one statement covers all of them.
    let claimed = db.execute(
        &format!(
            "INSERT INTO claim (account, template, person, slot, job, no, state)
         SELECT ?2, ?3, row.person, 0, row.job, row.no, 'reserved' FROM row
         WHERE row.job = ?1 AND row.bucket = 'ready' AND row.person IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM claim WHERE claim.job = row.job AND claim.no = row.no)
           AND NOT EXISTS (SELECT 1 FROM claim WHERE claim.account = ?2 AND claim.template = ?3
                           AND claim.person = row.person)
         ORDER BY row.no {unless_claimed}"
        ),
        values![job.0, scope.account, scope.template],
    )?;
    let ready: i64 =
        db.one("SELECT count(*) FROM row WHERE job = ?1 AND bucket = 'ready'", values![job.0])?;
    if usize::try_from(ready) == Ok(claimed) {
        // Each got the only claim on its recipient.
        return Ok(());
    }
    let rows = contested(db, &scope, "row.bucket = 'ready'")?;
    let mut recipients = recipients(db, &scope, &rows)?;
    let mut decision = None;
    let mut taken: BTreeMap<JobId, u64> = BTreeMap::new();
    let mut claimed: Vec<(u64, i64, Option<i64>)> = Vec::new();
    let (mut given_back, mut reviewed, mut begun) = (Vec::new(), Vec::new(), BeginTimes::default());
    // A row's claim decides about the recipient's next row.
    for row in &rows {
        let recipient = recipients.entry(row.person.clone().unwrap_or_default()).or_default();
        match recipient.judge(row, row.approved) {
            ClaimVerdict::Free { slot, takes, approved } => {
                // From the last one on, since each removal moves those behind it.
                for at in takes.into_iter().rev() {
                    let taken_over = recipient.remove(at);
                    let Rival { job: from, no, .. } = taken_over.rival;
                    if taken_over.is_mine {
                        claimed.retain(|(claimed, ..)| *claimed != no);
                    }
                    given_back.push((from.0, no));
                    *taken.entry(from).or_default() += 1;
                }
                if row.mine == Some(slot) {
                    continue;
                }
                if approved && decision.is_none() {
                    decision = Some(jobs::record_decision(db, job, None, "allow", actor, "sent before")?);
                }
                claimed.push((row.no, slot, decision.filter(|_| approved)));
                recipient.claim(row, slot);
            }
            ClaimVerdict::Review(at) => {
                let Some(rival) = recipient.rival(at) else { continue };
                let rival = begun.date(db, rival)?;
                reviewed.push((row.no, stored(&rival.why()), rival.claim_id()));
                recipient.give_back(row);
            }
        }
    }
    // A slot may be free only after these two.
    give_back(db, &given_back)?;
    review(db, job, &reviewed)?;
    claim(db, &scope, &claimed)?;
    for (from, n) in &taken {
        jobs::record_decision(db, job, None, "take over", actor, &format!("{n} unsent rows of job {from}"))?;
    }
    Ok(())
}

/// The decision behind the claim of a row in doubt whose earlier claim another job took over.
const CLAIM_AGAIN: &str = "claim again";

/// Gives claims to rows in doubt that have none. Another job took over the claim of a row whose request was refused;
/// now it turns out that the service may have acted on that request. So the other job's row needs review.
pub(super) fn claim_doubts(db: &Tx<'_>, job: JobId, at: i64) -> tx::Result<()> {
    const UNCLAIMED: &str = "row.job = ?1 AND row.bucket = 'in_doubt' AND row.person IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM claim WHERE claim.job = row.job AND claim.no = row.no)";
    let Some(scope) = Scope::of(db, job)? else { return Ok(()) };
    if !db.exists(&format!("SELECT 1 FROM row WHERE {UNCLAIMED}"), values![job.0])? {
        return Ok(());
    }
    let why = "a refused request may have been accepted";
    let decision = jobs::record_decision(db, job, None, CLAIM_AGAIN, &Actor::lapel(at), why)?;
    db.run(
        &format!(
            "INSERT INTO claim (account, template, person, slot, job, no, state, decision)
         SELECT ?2, ?3, row.person,
                (SELECT coalesce(max(claim.slot) + 1, 0) FROM claim
                 WHERE claim.account = ?2 AND claim.template = ?3 AND claim.person = row.person)
                + row_number() OVER (PARTITION BY row.person ORDER BY row.no) - 1,
                row.job, row.no, 'open', ?4
         FROM row WHERE {UNCLAIMED}"
        ),
        values![job.0, scope.account, scope.template, decision],
    )
}

/// Takes these claims back from rows that the service certainly did not accept, and requests claims as for every row
/// that may be sent: nobody has approved such a row beside the one that took over its claim.
pub(super) fn claim_again(db: &Tx<'_>, job: JobId, at: i64) -> tx::Result<()> {
    db.execute(
        "DELETE FROM claim WHERE job = ?1 AND state = 'reserved'
           AND decision IN (SELECT id FROM decision WHERE job = ?1 AND what = ?2)",
        values![job.0, CLAIM_AGAIN],
    )?;
    claim_ready_rows(db, job, &Actor::lapel(at))
}

/// Number of rows that need review and were certainly not sent.
pub(super) fn held(db: &Tx<'_>, job: JobId) -> tx::Result<u64> {
    db.one(
        "SELECT count(*) FROM row WHERE job = ?1 AND bucket = 'ask'
               AND NOT EXISTS (SELECT 1 FROM claim WHERE claim.job = row.job AND claim.no = row.no)",
        values![job.0],
    )
}

/// Whether a row of a job about which nothing more is done may have been sent. A row that was certainly not sent has given
/// its claim back. One that a person sent again keeps it, also if the second request was refused. Revocations have no claims.
pub(super) fn left_in_doubt(db: &Tx<'_>, job: JobId, kind: Kind) -> tx::Result<bool> {
    let may_be_sent = match kind {
        Kind::Issue => {
            "SELECT 1 FROM row JOIN claim ON claim.job = row.job AND claim.no = row.no
             WHERE row.job = ?1 AND claim.state <> 'reserved'
             AND row.bucket IN ('left_out', 'not_done', 'ask', 'invalid', 'dropped', 'in_doubt', 'not_seen')"
        }
        Kind::Revoke => "SELECT 1 FROM row WHERE job = ?1 AND bucket = 'left_out' AND request IS NOT NULL",
    };
    db.exists(may_be_sent, values![job.0])
}

/// Gives rows of a job a claim, or moves their claims to a higher slot: place, slot, and decision.
fn claim(db: &Tx<'_>, scope: &Scope, rows: &[(u64, i64, Option<i64>)]) -> tx::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let rows = super::json(rows);
    let claimed = "WITH claimed AS MATERIALIZED (SELECT ?1 AS job, no, slot, decision
                       FROM json_rows(?2, no bigint, slot bigint, decision bigint) AS list)";
    let moved: Vec<i64> = db.all(
        &format!(
            "{claimed} UPDATE claim SET slot = claimed.slot, decision = coalesce(claimed.decision, claim.decision)
             FROM claimed WHERE claim.job = claimed.job AND claim.no = claimed.no RETURNING claim.no"
        ),
        values![scope.job.0, rows],
    )?;
    db.run(
        &format!(
            "{claimed} INSERT INTO claim (account, template, person, slot, job, no, state, decision)
         SELECT ?3, ?4, row.person, claimed.slot, claimed.job, claimed.no, 'reserved', claimed.decision
         FROM claimed JOIN row ON row.job = claimed.job AND row.no = claimed.no
         WHERE claimed.no NOT IN json_list(?5, bigint)"
        ),
        values![scope.job.0, rows, scope.account, scope.template, super::json(&moved)],
    )
}

/// Removes unused claims: job and place.
fn give_back(db: &Tx<'_>, rows: &[(i64, u64)]) -> tx::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    db.run(
        "DELETE FROM claim WHERE state = 'reserved'
           AND (job, no) IN (SELECT job, no FROM json_rows(?1, job bigint, no bigint) AS list)",
        values![super::json(rows)],
    )
}

/// Marks rows of a job for review because of rivals: place, reason, and the rival's claim. A database trigger removes
/// a claim that was never used.
fn review(db: &Tx<'_>, job: JobId, rows: &[(u64, String, i64)]) -> tx::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    db.run(
        "WITH rival AS MATERIALIZED (SELECT ?1 AS job, no, why, claim
                                    FROM json_rows(?2, no bigint, why text, claim bigint) AS list)
         UPDATE row SET bucket = 'ask', why = rival.why, guarded = FALSE, allowed = NULL, seen = rival.claim
         FROM rival WHERE row.job = rival.job AND row.no = rival.no",
        values![job.0, super::json(rows)],
    )
}

pub(super) fn review_one(db: &Tx<'_>, job: JobId, no: u64, rival: &Rival) -> tx::Result<()> {
    review(db, job, &[(no, stored(&rival.why()), rival.claim_id())])
}

/// Finds the claims on recipients of these rows that were purged in another journal.
pub(super) fn recognise(db: &Tx<'_>, job: JobId, which: &str) -> tx::Result<()> {
    match Scope::known(db, job)? {
        Some(scope) => foreign_salts::recognise(db, &scope, which),
        None => Ok(()),
    }
}

/// The rows of a job that match `which` and need review because another row has or may have served the recipient.
/// The flag tells whether a person who knew of that rival allowed the row.
pub(super) fn rivals(db: &Tx<'_>, job: JobId, which: &str) -> tx::Result<Vec<(u64, Rival, bool)>> {
    let Some(scope) = Scope::known(db, job)? else { return Ok(Vec::new()) };
    if !db.exists(
        "SELECT 1 FROM claim WHERE account = ?1 AND template = ?2",
        values![scope.account, scope.template],
    )? {
        return Ok(Vec::new());
    }
    let rows = contested(db, &scope, which)?;
    let recipients = recipients(db, &scope, &rows)?;
    let mut begun = BeginTimes::default();
    let found = rows.iter().filter_map(|row| {
        let recipient = recipients.get(row.person.as_ref()?)?;
        let ClaimVerdict::Review(at) = recipient.judge(row, None) else { return None };
        let rival = recipient.rival(at)?;
        let still = row.approved == Some(rival.claim_id());
        Some(begun.date(db, rival).map(|rival| (row.no, rival, still)))
    });
    found.collect()
}

/// The row of an earlier job that has or may have given a recipient this badge, also with another key of the
/// organisation.
pub(super) fn sent_before(
    db: &Tx<'_>,
    account: &Account,
    template: &TemplateId,
    key: &EmailKey,
) -> tx::Result<Option<Rival>> {
    let Some(known) = accounts::known(db, &account.base_url, &account.key)? else { return Ok(None) };
    of_person(db, known, template.wire(), key)
}

/// The row that has or may have given a recipient this badge. A person must know it before issuing another one.
pub(super) fn of_person(
    db: &Tx<'_>,
    account: i64,
    template: &str,
    key: &EmailKey,
) -> tx::Result<Option<Rival>> {
    // No row of a job: it is not planned yet.
    let planned = JobId(0);
    let claims = claims_of_viewers(db);
    let sql = format!(
        "WITH viewer AS MATERIALIZED (SELECT ?2 AS account, ?3 AS template, 0 AS no, ?4 AS person, ?5 AS key)
         {claims}"
    );
    let mut held: Vec<HeldClaim> = Vec::new();
    for hasher in std::iter::once(RecipientHasher::of(db)?).chain(foreign_salts::hashers(db)?) {
        let values = values![planned.0, account, template, hasher.person(key), key.as_str()];
        let mut found: Vec<HeldClaim> = db.rows(&sql, values, |r| Ok(read_held(r, planned)?.1))?;
        // As `foreign_salts::recognise` will place them.
        let above = held.iter().map(|held| held.rival.slot + 1).max().unwrap_or(0);
        for claim in &mut found {
            claim.rival.slot += above;
        }
        held.extend(found);
    }
    let others: Vec<OtherClaim> = held.iter().map(|held| held.other(false)).collect();
    let found = match rules::judge(None, None, &others) {
        ClaimVerdict::Review(at) => held.get(at),
        ClaimVerdict::Free { .. } => None,
    };
    found.map(|held| BeginTimes::default().date(db, &held.rival)).transpose()
}

/// Paused or stopped jobs with unsent rows for some of these recipients, and how many.
pub(super) fn unsent_elsewhere(db: &Tx<'_>, job: JobId) -> tx::Result<Vec<(JobId, u64)>> {
    let Some(scope) = Scope::known(db, job)? else { return Ok(Vec::new()) };
    if !db.exists(
        "SELECT 1 FROM job WHERE id <> ?1 AND kind = 'issue' AND template = ?2 AND phase IN ('paused', 'stopped')",
        values![job.0, scope.template],
    )? {
        return Ok(Vec::new());
    }
    db.all(
        "SELECT claim.job, count(*) FROM row
         JOIN claim ON claim.account = ?2 AND claim.template = ?3 AND claim.person = row.person
         JOIN job ON job.id = claim.job
         WHERE row.job = ?1 AND row.bucket IN ('ready', 'ask') AND claim.job <> ?1
           AND claim.state = 'reserved' AND job.phase IN ('paused', 'stopped')
         GROUP BY claim.job ORDER BY claim.job",
        values![job.0, scope.account, scope.template],
    )
}

/// Whether a row may go into a request, as an SQL expression on the table `row`. It needs an unused claim, and no row
/// with a higher claim was sent. Exception: the higher row is in the same job, and a review allowed one of the two
/// beside the other.
///
/// Counted, since PostgreSQL may answer `EXISTS` with one reading of all claims.
pub(super) const HOLDS: &str = "0 < (
    SELECT count(*) FROM claim AS mine WHERE mine.job = row.job AND mine.no = row.no AND mine.state = 'reserved'
      AND NOT EXISTS (SELECT 1 FROM claim AS other
                      WHERE other.account = mine.account AND other.template = mine.template
                        AND other.person = mine.person AND other.slot > mine.slot
                        AND other.state <> 'reserved'
                        AND NOT (other.job = mine.job
                                 AND EXISTS (SELECT 1 FROM row AS allowed WHERE allowed.job = mine.job
                                             AND allowed.no IN (mine.no, other.no)
                                             AND allowed.allowed IS NOT NULL))))";

/// Whether a request with the same recipient and template as a row is on its way or in doubt, as an SQL expression on
/// the table `row`. It must finish first, since responses identify rows by address only.
pub(super) const HELD_UP: &str = "0 < (
    SELECT count(*) FROM claim AS mine JOIN claim AS other
        ON other.account = mine.account AND other.template = mine.template
       AND other.person = mine.person AND other.slot <> mine.slot
    JOIN row AS earlier ON earlier.job = other.job AND earlier.no = other.no
    WHERE mine.job = row.job AND mine.no = row.no AND other.state = 'open'
      AND earlier.bucket IN ('sending', 'in_doubt', 'unbound'))";

#[cfg(test)]
mod tests;
