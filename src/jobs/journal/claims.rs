//! Claims: which row of which job may give a recipient a badge of a template. A row is sent only with a claim. It
//! requests the claim in the transaction that lets its job run.

use super::{accounts, jobs};
use crate::domain::{BadgeId, EmailKey};
use crate::jobs::job::{JobId, Kind, Phase, RowStatus};
use crate::jobs::reason::{Code, Reason};
use crate::jobs::rules::{self, Claim, Other, Verdict};
use jiff::Timestamp;
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeMap;

/// Length of a recipient's hash, in bytes.
const PERSON: usize = 16;

/// Hashes an e-mail key with the journal's salt.
pub(in crate::jobs) struct People(hmac::Key);

impl People {
    pub(in crate::jobs) fn of(db: &Connection) -> rusqlite::Result<Self> {
        let salt: Vec<u8> = db.prepare_cached("SELECT salt FROM store")?.query_row([], |r| r.get(0))?;
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, &salt)))
    }

    /// `None` for an empty address.
    pub(in crate::jobs) fn person(&self, key: &EmailKey) -> Option<Vec<u8>> {
        self.hash(key.as_str())
    }

    fn hash(&self, key: &str) -> Option<Vec<u8>> {
        (!key.is_empty())
            .then(|| hmac::sign(&self.0, key.as_bytes()).as_ref().iter().take(PERSON).copied().collect())
    }
}

/// Migrates a journal to schema 2. Rows that were or may have been sent get claims.
pub(super) fn migrate(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(include_str!("claims.sql"))?;
    let mut salt = [0; 32];
    SystemRandom::new().fill(&mut salt).map_err(|_| rusqlite::Error::InvalidQuery)?;
    db.execute("INSERT INTO store (salt) VALUES (?1)", [salt.as_slice()])?;
    let spellings: Vec<String> = db
        .prepare("SELECT DISTINCT base_url FROM job")?
        .query_map([], |r| r.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for raw in spellings {
        db.execute("UPDATE job SET base_url = ?2 WHERE base_url = ?1", [&raw, &accounts::normal_url(&raw)])?;
    }
    let keys: Vec<(String, String)> = db
        .prepare("SELECT DISTINCT base_url, account FROM job")?
        .query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (base_url, key) in keys {
        accounts::of(db, &base_url, &key)?;
    }
    let people = People::of(db)?;
    let emails: Vec<String> = db
        .prepare("SELECT DISTINCT email_key FROM row WHERE email_key <> ''")?
        .query_map([], |r| r.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut hash = db.prepare("UPDATE row SET person = ?2 WHERE email_key = ?1")?;
    for email in emails {
        hash.execute(params![email, people.hash(&email)])?;
    }
    if !db.query_row("SELECT EXISTS (SELECT 1 FROM job)", [], |r| r.get(0))? {
        return Ok(());
    }
    db.execute(
        "INSERT INTO decision (at, job, no, what, who, why) VALUES (?1, 0, NULL, 'import claims', 'lapel', '')",
        [Timestamp::now().as_millisecond()],
    )?;
    let decision = db.last_insert_rowid();
    // An unsent row gets no claim if another row has one. It is judged when its job is resumed.
    db.execute(
        "INSERT INTO claim (account, template, person, slot, job, no, state, decision)
         SELECT account, template, person, place - 1, job, no, state, CASE WHEN place > 1 THEN ?1 END
         FROM (SELECT *, row_number() OVER (PARTITION BY account, template, person
                                            ORDER BY state = 'reserved', job, no) AS place
               FROM (SELECT account_key.account, job.template, row.person, row.job, row.no,
                            CASE WHEN row.bucket IN ('sending', 'in_doubt', 'unbound', 'not_seen')
                                   OR row.bucket = 'ask' AND row.request IS NOT NULL THEN 'open'
                                 WHEN row.bucket IN ('waiting', 'overdue', 'issued', 'other', 'revoking',
                                                     'revoked')
                                   OR row.bucket = 'left_out'
                                      AND request.outcome IN ('accepted', 'in_doubt', 'lost') THEN 'kept'
                                 WHEN row.bucket = 'ready' AND job.phase <> 'cancelled' THEN 'reserved' END
                            AS state
                     FROM row JOIN job ON job.id = row.job
                     JOIN account_key ON account_key.base_url = job.base_url AND account_key.key = job.account
                     LEFT JOIN request ON request.id = row.request
                     WHERE job.kind = 'issue' AND job.phase <> 'draft' AND job.template IS NOT NULL
                       AND row.person IS NOT NULL)
               WHERE state IS NOT NULL)
         WHERE state <> 'reserved' OR place = 1",
        [decision],
    )?;
    Ok(())
}

/// The account and template that a job issues for. `None` for a revocation.
#[derive(Clone, Debug)]
struct Scope {
    job: JobId,
    account: i64,
    template: String,
}

impl Scope {
    fn of(db: &Connection, job: JobId) -> rusqlite::Result<Option<Self>> {
        type Found = (String, Option<String>, String, String);
        let found: Option<Found> = db
            .prepare_cached("SELECT kind, template, base_url, account FROM job WHERE id = ?1")?
            .query_row([job.0], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?)))
            .optional()?;
        let Some((kind, Some(template), base_url, key)) = found else { return Ok(None) };
        if kind != Kind::Issue.code() {
            return Ok(None);
        }
        Ok(Some(Self { job, account: accounts::of(db, &base_url, &key)?, template }))
    }
}

/// Another row with a claim on the same recipient and template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rival {
    pub job: JobId,
    /// The row's place in the job.
    pub no: u64,
    pub bucket: RowStatus,
    pub badge_id: Option<BadgeId>,
    /// When the row was sent, or planned if it was not sent: UTC in seconds.
    pub at: i64,
    /// The slot of its claim.
    pub slot: i64,
    /// Whether its request was refused, but possibly acted on.
    pub is_unproven: bool,
}

impl Rival {
    /// The reason why another row of this recipient needs review.
    pub fn why(&self) -> Reason {
        let when = Timestamp::from_second(self.at)
            .map_or_else(|_| String::new(), |at| at.strftime("%Y-%m-%d %H:%M UTC").to_string());
        let code = if self.is_unproven { Code::RefusedElsewhere } else { Code::SentElsewhere };
        let why = Reason::from(code).with("job", self.job).with("when", when);
        if self.is_unproven { why } else { why.because("state", Reason::word(self.bucket.name())) }
    }
}

/// The known facts about a row to judge.
struct Judged {
    no: i64,
    mine: Option<i64>,
    person: Option<Vec<u8>>,
    key: String,
    approved: Option<i64>,
    allowed: bool,
}

/// The rows of a job that match a condition and whose recipient has another row's claim.
fn contested(db: &Connection, scope: &Scope, which: &str) -> rusqlite::Result<Vec<Judged>> {
    db.prepare(&format!(
        "SELECT row.no, mine.slot, row.person, row.email_key,
                CASE WHEN row.allowed IS NOT NULL THEN row.seen END, row.allowed IS NOT NULL
         FROM row LEFT JOIN claim AS mine ON mine.job = row.job AND mine.no = row.no
         WHERE row.job = ?1 AND ({which})
           AND (row.person IS NULL
                OR EXISTS (SELECT 1 FROM claim WHERE claim.account = ?2 AND claim.template = ?3
                           AND claim.person = row.person AND NOT (claim.job = row.job AND claim.no = row.no)))
         ORDER BY row.no"
    ))?
    .query_map(params![scope.job.0, scope.account, scope.template], |r| {
        Ok(Judged {
            no: r.get(0)?,
            mine: r.get(1)?,
            person: r.get(2)?,
            key: r.get(3)?,
            approved: r.get(4)?,
            allowed: r.get(5)?,
        })
    })?
    .collect()
}

/// Other rows' claims on the same recipient.
fn others(db: &Connection, scope: &Scope, row: &Judged) -> rusqlite::Result<Vec<(Other, Rival)>> {
    db.prepare_cached(
        "SELECT claim.slot, claim.state, claim.job, claim.no, job.phase, row.bucket, row.badge,
                row.allowed IS NOT NULL, coalesce(request.intent, job.created / 1000),
                -- Where the service shows badges that wait, a reading that came after the refusal proves it.
                job.unproven IS NOT NULL AND row.request >= job.unproven AND request.status = 422
                AND NOT (coalesce(request.answered < (SELECT guarded_at FROM job WHERE id = ?4), 0)
                         AND (SELECT count(*) = 1 AND max(value) = 'shown' FROM fact
                              WHERE fact.account = job.account AND fact.name = 'waiting_in_history')),
                row.bucket = 'revoked'
                OR EXISTS (SELECT 1 FROM baseline WHERE baseline.job = ?4 AND baseline.email_key = ?6
                           AND baseline.badge = row.badge AND baseline.over)
         FROM claim JOIN job ON job.id = claim.job JOIN row ON row.job = claim.job AND row.no = claim.no
         LEFT JOIN request ON request.id = row.request
         WHERE claim.account = ?1 AND claim.template = ?2 AND claim.person = ?3
           AND NOT (claim.job = ?4 AND claim.no = ?5)
         ORDER BY claim.slot",
    )?
    .query_map(params![scope.account, scope.template, row.person, scope.job.0, row.no, row.key], |r| {
        let claim = Claim::from_code(r.get_ref(1)?.as_str()?).unwrap_or(Claim::Open);
        let job = JobId(r.get(2)?);
        let bucket = jobs::bucket(r, "bucket")?;
        let is_unproven = r.get::<_, Option<bool>>(9)?.unwrap_or(false) && claim == Claim::Reserved;
        // Another computer may send a moved row at any moment.
        let phase = r.get_ref(4)?.as_str()?;
        let runs = phase == Phase::Running.code() || phase == Phase::Moved.code();
        // Rows of one address in one job were reviewed together.
        let together = job == scope.job && (row.allowed || r.get::<_, bool>(7)?);
        let other = Other {
            slot: r.get(0)?,
            claim,
            is_live: is_unproven || runs,
            is_accounted: together || r.get(10)?,
        };
        let rival = Rival {
            job,
            no: r.get::<_, i64>(3)?.unsigned_abs(),
            bucket,
            badge_id: r.get::<_, Option<String>>(6)?.and_then(BadgeId::new),
            at: r.get(8)?,
            slot: other.slot,
            is_unproven,
        };
        Ok((other, rival))
    })?
    .collect()
}

fn judge(db: &Connection, scope: &Scope, row: &Judged) -> rusqlite::Result<(Verdict, Vec<Rival>)> {
    let (others, rivals): (Vec<Other>, Vec<Rival>) = others(db, scope, row)?.into_iter().unzip();
    Ok((rules::judge(row.mine, row.approved, &others), rivals))
}

/// Requests claims for all ready rows of a job. If another row has or may have served the recipient, the row needs
/// review and is not sent. `who` is recorded with approved claims.
pub(in crate::jobs) fn ask(db: &Connection, job: JobId, who: &str) -> rusqlite::Result<()> {
    let Some(scope) = Scope::of(db, job)? else { return Ok(()) };
    // Most recipients have no other row: one statement covers all of them.
    db.execute(
        "INSERT INTO claim (account, template, person, slot, job, no, state)
         SELECT ?2, ?3, row.person, 0, row.job, row.no, 'reserved' FROM row
         WHERE row.job = ?1 AND row.bucket = 'ready' AND row.person IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM claim WHERE claim.job = row.job AND claim.no = row.no)
           AND NOT EXISTS (SELECT 1 FROM claim WHERE claim.account = ?2 AND claim.template = ?3
                           AND claim.person = row.person)
         ORDER BY row.person, row.no
         ON CONFLICT DO NOTHING",
        params![job.0, scope.account, scope.template],
    )?;
    let mut decision = None;
    let mut taken: BTreeMap<JobId, u64> = BTreeMap::new();
    for row in contested(db, &scope, "row.bucket = 'ready'")? {
        let (verdict, rivals) = judge(db, &scope, &row)?;
        match verdict {
            Verdict::Free { slot, takes, approved } => {
                for rival in takes.iter().filter_map(|at| rivals.get(*at)) {
                    give_back(db, rival)?;
                    *taken.entry(rival.job).or_default() += 1;
                }
                if row.mine == Some(slot) {
                    continue;
                }
                if approved && decision.is_none() {
                    decision = Some(jobs::decide(db, job, None, "allow", who, "sent before")?);
                }
                claim(db, &scope, &row, slot, decision.filter(|_| approved))?;
            }
            Verdict::Review(at) => {
                let Some(rival) = rivals.get(at) else { continue };
                review(db, job, row.no.unsigned_abs(), rival)?;
            }
        }
    }
    for (from, n) in &taken {
        jobs::decide(db, job, None, "take over", who, &format!("{n} unsent rows of job {from}"))?;
    }
    Ok(())
}

/// The decision behind the claim of a row in doubt whose earlier claim another job took over.
const CLAIM_AGAIN: &str = "claim again";

/// Gives claims to rows in doubt that have none. Another job took over the claim of a row whose request was refused;
/// now it turns out that the service may have acted on that request. So the other job's row needs review.
pub(in crate::jobs) fn claim_doubts(db: &Connection, job: JobId) -> rusqlite::Result<()> {
    let Some(scope) = Scope::of(db, job)? else { return Ok(()) };
    let rows: Vec<i64> = db
        .prepare_cached(
            "SELECT row.no FROM row WHERE row.job = ?1 AND row.bucket = 'in_doubt' AND row.person IS NOT NULL
               AND NOT EXISTS (SELECT 1 FROM claim WHERE claim.job = row.job AND claim.no = row.no)
             ORDER BY row.no",
        )?
        .query_map([job.0], |r| r.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    if rows.is_empty() {
        return Ok(());
    }
    let decision =
        jobs::decide(db, job, None, CLAIM_AGAIN, "lapel", "a refused request may have been accepted")?;
    let mut claim = db.prepare_cached(
        "INSERT INTO claim (account, template, person, slot, job, no, state, decision)
         SELECT ?3, ?4, row.person,
                (SELECT coalesce(max(claim.slot) + 1, 0) FROM claim
                 WHERE claim.account = ?3 AND claim.template = ?4 AND claim.person = row.person),
                row.job, row.no, 'open', ?5
         FROM row WHERE row.job = ?1 AND row.no = ?2",
    )?;
    for no in rows {
        claim.execute(params![job.0, no, scope.account, scope.template, decision])?;
    }
    Ok(())
}

/// Takes these claims back from rows that the service certainly did not accept, and requests claims as for every row
/// that may be sent: nobody has approved such a row beside the one that took over its claim.
pub(in crate::jobs) fn ask_again(db: &Connection, job: JobId) -> rusqlite::Result<()> {
    db.prepare_cached(
        "DELETE FROM claim WHERE job = ?1 AND state = 'reserved'
           AND decision IN (SELECT id FROM decision WHERE job = ?1 AND what = ?2)",
    )?
    .execute(params![job.0, CLAIM_AGAIN])?;
    ask(db, job, "lapel")
}

/// Number of rows that need review and were certainly not sent.
pub(in crate::jobs) fn held(db: &Connection, job: JobId) -> rusqlite::Result<u64> {
    let held: i64 = db
        .prepare_cached(
            "SELECT count(*) FROM row WHERE job = ?1 AND bucket = 'ask'
               AND NOT EXISTS (SELECT 1 FROM claim WHERE claim.job = row.job AND claim.no = row.no)",
        )?
        .query_row([job.0], |r| r.get(0))?;
    Ok(held.unsigned_abs())
}

/// Gives a row a claim, or moves its claim to a higher slot.
fn claim(
    db: &Connection,
    scope: &Scope,
    row: &Judged,
    slot: i64,
    decision: Option<i64>,
) -> rusqlite::Result<()> {
    if row.mine.is_some() {
        db.prepare_cached(
            "UPDATE claim SET slot = ?3, decision = coalesce(?4, decision) WHERE job = ?1 AND no = ?2",
        )?
        .execute(params![scope.job.0, row.no, slot, decision])?;
        return Ok(());
    }
    db.prepare_cached(
        "INSERT INTO claim (account, template, person, slot, job, no, state, decision)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'reserved', ?7)",
    )?
    .execute(params![scope.account, scope.template, row.person, slot, scope.job.0, row.no, decision])?;
    Ok(())
}

fn give_back(db: &Connection, rival: &Rival) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM claim WHERE job = ?1 AND no = ?2 AND state = 'reserved'")?
        .execute(params![rival.job.0, rival.no as i64])?;
    Ok(())
}

/// Marks a row for review. A database trigger removes its claim if the claim was never used.
pub(in crate::jobs) fn review(db: &Connection, job: JobId, no: u64, rival: &Rival) -> rusqlite::Result<()> {
    db.prepare_cached(
        "UPDATE row SET bucket = 'ask', why = ?3, guarded = 0, allowed = NULL, seen = ?4
         WHERE job = ?1 AND no = ?2",
    )?
    .execute(params![job.0, no as i64, rival.why(), rival.slot])?;
    Ok(())
}

/// The rows of a job that match `which` and need review because another row has or may have served the recipient.
/// The flag tells whether a person who knew of that rival allowed the row.
pub(in crate::jobs) fn rivals(
    db: &Connection,
    job: JobId,
    which: &str,
) -> rusqlite::Result<Vec<(i64, Rival, bool)>> {
    let Some(scope) = Scope::of(db, job)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for row in contested(db, &scope, which)? {
        let approved = row.approved;
        let (verdict, mut rivals) = judge(db, &scope, &Judged { approved: None, ..row })?;
        if let Verdict::Review(at) = verdict
            && at < rivals.len()
        {
            let rival = rivals.swap_remove(at);
            let still = approved.is_some_and(|seen| seen >= rival.slot);
            found.push((row.no, rival, still));
        }
    }
    Ok(found)
}

/// The rival because of which one row needs review.
pub(in crate::jobs) fn rival_of(db: &Connection, job: JobId, no: u64) -> rusqlite::Result<Option<Rival>> {
    let only = format!("row.no = {no}");
    Ok(rivals(db, job, &only)?.pop().map(|(_, rival, _)| rival))
}

/// The row that has or may have given a recipient this badge. A person must know it before issuing another one.
pub(in crate::jobs) fn of_person(
    db: &Connection,
    account: i64,
    template: &str,
    key: &EmailKey,
) -> rusqlite::Result<Option<Rival>> {
    let scope = Scope { job: JobId(0), account, template: template.to_owned() };
    let row = Judged {
        no: 0,
        mine: None,
        person: People::of(db)?.person(key),
        key: key.as_str().to_owned(),
        approved: None,
        allowed: false,
    };
    let (verdict, mut rivals) = judge(db, &scope, &row)?;
    Ok(match verdict {
        Verdict::Review(at) if at < rivals.len() => Some(rivals.swap_remove(at)),
        _ => None,
    })
}

/// Paused or stopped jobs with unsent rows for some of these recipients, and how many.
pub(in crate::jobs) fn unsent_elsewhere(db: &Connection, job: JobId) -> rusqlite::Result<Vec<(JobId, u64)>> {
    let Some(scope) = Scope::of(db, job)? else { return Ok(Vec::new()) };
    db.prepare_cached(
        "SELECT claim.job, count(*) FROM row
         JOIN claim ON claim.account = ?2 AND claim.template = ?3 AND claim.person = row.person
         JOIN job ON job.id = claim.job
         WHERE row.job = ?1 AND row.bucket IN ('ready', 'ask') AND claim.job <> ?1
           AND claim.state = 'reserved' AND job.phase IN ('paused', 'stopped')
         GROUP BY claim.job ORDER BY claim.job",
    )?
    .query_map(params![job.0, scope.account, scope.template], |r| {
        Ok((JobId(r.get(0)?), r.get::<_, i64>(1)?.unsigned_abs()))
    })?
    .collect()
}

/// Whether a row may go into a request. It needs an unused claim, and no row with a higher claim was sent.
/// Exception: the higher row is in the same job, and a review allowed one of the two beside the other.
pub(in crate::jobs) fn holds(db: &Connection, job: JobId, no: i64) -> rusqlite::Result<bool> {
    db.prepare_cached(
        "SELECT 1 FROM claim AS mine WHERE mine.job = ?1 AND mine.no = ?2 AND mine.state = 'reserved'
           AND NOT EXISTS (SELECT 1 FROM claim AS other
                           WHERE other.account = mine.account AND other.template = mine.template
                             AND other.person = mine.person AND other.slot > mine.slot
                             AND other.state <> 'reserved'
                             AND NOT (other.job = mine.job
                                      AND EXISTS (SELECT 1 FROM row WHERE row.job = mine.job
                                                  AND row.no IN (mine.no, other.no)
                                                  AND row.allowed IS NOT NULL)))",
    )?
    .exists([job.0, no])
}

/// Whether a request with the same recipient and template is on its way or in doubt. It must finish first, since
/// responses identify rows by address only.
pub(in crate::jobs) fn is_held_up(db: &Connection, job: JobId, no: i64) -> rusqlite::Result<bool> {
    db.prepare_cached(
        "SELECT 1 FROM claim AS mine JOIN claim AS other
             ON other.account = mine.account AND other.template = mine.template
            AND other.person = mine.person AND other.slot <> mine.slot
         JOIN row ON row.job = other.job AND row.no = other.no
         WHERE mine.job = ?1 AND mine.no = ?2 AND other.state = 'open'
           AND row.bucket IN ('sending', 'in_doubt', 'unbound') LIMIT 1",
    )?
    .exists([job.0, no])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A journal of schema 1, before claims existed.
    fn before() -> Connection {
        let db = Connection::open_in_memory().expect("a database");
        db.execute_batch(include_str!("schema.sql")).expect("schema 1");
        db
    }

    fn job(db: &Connection, id: i64, base_url: &str, phase: &str) {
        db.execute(
            "INSERT INTO job (id, kind, phase, created, profile, base_url, account, template, title)
             VALUES (?1, 'issue', ?2, 1800000000000, 'p', ?3, '00000001', 'T', 't')",
            params![id, phase, base_url],
        )
        .expect("a job");
    }

    fn row(db: &Connection, job: i64, no: i64, person: &str, bucket: &str) {
        db.execute(
            "INSERT INTO row (job, no, name, email, email_key, bucket) VALUES (?1, ?2, 'n', ?3, ?3, ?4)",
            params![job, no, format!("{person}@x.example"), bucket],
        )
        .expect("a row");
    }

    fn bucket(db: &Connection, job: i64, no: i64) -> String {
        db.query_row("SELECT bucket FROM row WHERE job = ?1 AND no = ?2", [job, no], |r| r.get(0))
            .expect("a row")
    }

    fn claims(db: &Connection) -> Vec<(i64, i64, i64, String)> {
        db.prepare("SELECT job, no, slot, state FROM claim ORDER BY job, no, slot")
            .expect("SQL")
            .query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?)))
            .expect("rows")
            .collect::<rusqlite::Result<_>>()
            .expect("rows")
    }

    fn is(job: i64, no: i64, slot: i64, state: &str) -> (i64, i64, i64, String) {
        (job, no, slot, state.to_owned())
    }

    #[test]
    fn an_older_journal_knows_whom_it_has_served_whatever_the_spelling_of_the_address() {
        let db = before();
        job(&db, 1, "https://B.example:443/api", "stopped");
        job(&db, 2, "https://b.example/api", "running");
        for (no, (person, bucket)) in
            [("a", "ready"), ("b", "ready"), ("c", "not_done"), ("d", "in_doubt")].into_iter().enumerate()
        {
            row(&db, 1, no as i64 + 1, person, bucket);
        }
        row(&db, 2, 1, "a", "waiting");
        row(&db, 2, 2, "d", "issued");
        migrate(&db).expect("migrated");
        let expected =
            [is(1, 2, 0, "reserved"), is(1, 4, 0, "open"), is(2, 1, 0, "kept"), is(2, 2, 1, "kept")];
        assert_eq!(claims(&db), expected, "what another row has served has no claim until it is judged");

        // After resuming, one row is free and one was served meanwhile.
        ask(&db, JobId(1), "me").expect("asked");
        assert_eq!((bucket(&db, 1, 1), bucket(&db, 1, 2)), ("ask".to_owned(), "ready".to_owned()));
        // A refused row is retried: no other row has served that recipient.
        db.execute("UPDATE row SET bucket = 'ready' WHERE job = 1 AND no = 3", []).expect("retried");
        ask(&db, JobId(1), "me").expect("asked");
        assert_eq!(claims(&db).iter().filter(|c| c.3 == "reserved").count(), 2);
    }

    #[test]
    fn nothing_is_sent_without_a_claim_whoever_forgets_to_ask() {
        let db = before();
        job(&db, 1, "https://b.example", "running");
        migrate(&db).expect("migrated");
        row(&db, 1, 1, "a", "ready");
        let send = "UPDATE row SET bucket = 'sending' WHERE job = 1 AND no = 1";
        let refused = db.execute(send, []).expect_err("no claim").to_string();
        assert!(refused.contains("without its claim"), "{refused}");
        assert!(!holds(&db, JobId(1), 1).expect("asked"));
        let person = People::of(&db).expect("the salt").person(&EmailKey::of("a@x.example"));
        db.execute("UPDATE row SET person = ?1", [person]).expect("a person");
        ask(&db, JobId(1), "me").expect("asked");
        assert!(holds(&db, JobId(1), 1).expect("asked"));
        db.execute(send, []).expect("with a claim");
        assert_eq!(claims(&db), [is(1, 1, 0, "open")]);
        db.execute("UPDATE row SET bucket = 'not_done'", []).expect("refused");
        assert_eq!(claims(&db), [], "certainly nothing was done");
    }

    #[test]
    fn a_row_that_is_sent_again_never_forgets_that_the_first_request_may_have_worked() {
        let db = before();
        job(&db, 1, "https://b.example", "running");
        row(&db, 1, 1, "a", "not_seen");
        migrate(&db).expect("migrated");
        for to in ["ready", "sending", "not_done"] {
            db.execute("UPDATE row SET bucket = ?1", [to]).expect(to);
        }
        assert_eq!(claims(&db), [is(1, 1, 0, "open")], "refused the second time, and never seen the first");
        for to in ["ready", "left_out"] {
            db.execute("UPDATE row SET bucket = ?1", [to]).expect(to);
        }
        assert_eq!(claims(&db), [is(1, 1, 0, "kept")]);
    }

    #[test]
    fn of_two_rows_that_were_reviewed_together_one_may_be_sent_after_the_other_in_any_order() {
        for (allowed, may) in [("NULL", false), ("'shared_address'", true)] {
            let db = before();
            job(&db, 1, "https://b.example", "running");
            row(&db, 1, 1, "a", "ready");
            row(&db, 1, 2, "a", "ready");
            migrate(&db).expect("migrated");
            // The first row was refused and got a new, higher claim.
            db.execute_batch(&format!(
                "DELETE FROM claim;
                 UPDATE row SET allowed = {allowed} WHERE no = 2;
                 INSERT INTO claim (account, template, person, slot, job, no, state)
                 SELECT 1, 'T', person, CASE no WHEN 1 THEN 2 ELSE 1 END, 1, no, 'reserved' FROM row;
                 UPDATE row SET bucket = 'sending' WHERE no = 1;
                 UPDATE row SET bucket = 'waiting' WHERE no = 1"
            ))
            .expect("claims");
            assert_eq!(holds(&db, JobId(1), 2), Ok(may), "{allowed}");
        }
    }

    #[test]
    fn keys_of_one_organisation_see_each_other_and_two_that_are_merged_keep_every_claim() {
        let db = before();
        for (id, key, state) in [(1, "00000001", "stopped"), (2, "00000002", "running")] {
            job(&db, id, "https://b.example", state);
            db.execute("UPDATE job SET account = ?2 WHERE id = ?1", params![id, key]).expect("a key");
        }
        for (person, no) in [("a", 1), ("b", 2)] {
            row(&db, 1, no, person, if no == 1 { "ready" } else { "issued" });
            row(&db, 2, no, person, "issued");
        }
        migrate(&db).expect("migrated");
        assert_eq!(claims(&db).len(), 4, "two accounts: {:?}", claims(&db));
        let account = |key: &str, name: &str| jobs::Account {
            profile: "p".into(),
            base_url: "https://b.example".into(),
            key: key.into(),
            organisation: Some(name.into()),
        };
        accounts::join(&db, &account("00000001", "Naru  University")).expect("joined");
        accounts::join(&db, &account("00000002", "naru university")).expect("joined");
        assert!(accounts::is_joined(&db, &account("00000002", "Naru University")).expect("asked"));
        let mut slots: Vec<i64> = claims(&db).iter().filter(|c| c.1 == 2).map(|c| c.2).collect();
        slots.sort_unstable();
        assert_eq!(slots, [0, 1], "both badges of one person are known");
        ask(&db, JobId(1), "me").expect("asked");
        assert_eq!(bucket(&db, 1, 1), "ask", "the other key has served this person");
    }

    /// `cargo test --release --lib -- --ignored --nocapture a_hundred_thousand`
    #[test]
    #[ignore = "measures"]
    fn a_hundred_thousand_people_ask_for_their_claims() {
        let db = before();
        job(&db, 1, "https://b.example", "running");
        job(&db, 2, "https://b.example", "running");
        db.execute_batch("BEGIN").expect("a transaction");
        for n in 0..100_000 {
            row(&db, 1, n, &format!("p{n}"), "ready");
            row(&db, 2, n, &format!("p{n}"), "ready");
        }
        db.execute_batch("COMMIT; UPDATE job SET phase = 'draft'").expect("drafts");
        let since = std::time::Instant::now();
        migrate(&db).expect("migrated");
        println!("200,000 rows migrated in {:?}", since.elapsed());
        db.execute_batch("UPDATE job SET phase = 'running'").expect("running");
        for id in [1, 2] {
            let since = std::time::Instant::now();
            db.execute_batch("BEGIN").expect("a transaction");
            ask(&db, JobId(id), "me").expect("asked");
            db.execute_batch("COMMIT").expect("committed");
            println!(
                "job {id}: {:?}, {} under review",
                since.elapsed(),
                held(&db, JobId(id)).expect("a count")
            );
        }
        assert_eq!(held(&db, JobId(2)).expect("a count"), 100_000);
    }
}
