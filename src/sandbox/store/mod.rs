//! The service's data, in SQLite.
//!
//! Times are seconds since 1970 UTC. The state of a badge follows from its times and the clock. Names and
//! addresses are stored once each, so that a text filter reads thousands of texts, not a million.

mod badge_lists;
mod change;
mod copies;
#[cfg(test)]
mod tests;

use std::path::Path;

use anyhow::Context as _;
use rusqlite::{Connection, OptionalExtension as _, Row as SqlRow, params};

use super::demo::catalogue::{CATEGORIES, ORGS, TYPES, Template, templates};
use super::demo::{DemoHistory, valid_until};
pub(super) use badge_lists::{ListQuery, OrderBy, OrderDirection};
pub(super) use change::{Issuing, NewBadge, Refused};

pub(super) const DEMO_ROWS: u64 = 4_300;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadgeState {
    Waiting,
    Issued,
    Revoking,
    Revoked,
}

#[derive(Debug, Clone)]
pub(super) struct Badge {
    pub seq: i64,
    pub org: usize,
    /// Index into the templates.
    pub template: usize,
    pub recipient: i64,
    pub name: String,
    pub email: String,
    pub reg_at: i64,
    pub issue_at: i64,
    pub valid_until: Option<i64>,
    pub revoke_at: Option<i64>,
    pub revoked_at: Option<i64>,
    pub reason: Option<String>,
    pub mail: String,
    pub label: Option<String>,
    pub internal: bool,
}

impl Badge {
    pub fn state(&self, now: i64) -> BadgeState {
        if self.issue_at > now {
            BadgeState::Waiting
        } else if self.revoke_at.is_none_or(|at| at > now) {
            BadgeState::Issued
        } else if self.revoked_at.is_none_or(|at| at > now) {
            BadgeState::Revoking
        } else {
            BadgeState::Revoked
        }
    }
}

pub(super) struct BadgeStore {
    db: Connection,
    pub seed: u64,
    /// Template dates are relative to it.
    pub epoch: i64,
    pub templates: Vec<Template>,
    zone: i32,
    next: i64,
    views: badge_lists::ListCache,
}

const SCHEMA: &str = "
CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE template (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, type_name TEXT NOT NULL, category_name TEXT NOT NULL,
    level INTEGER NOT NULL, level_name TEXT NOT NULL, org_name TEXT NOT NULL);
CREATE TABLE recipient (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL,
    name_fold TEXT NOT NULL, email_fold TEXT NOT NULL, UNIQUE (email, name));
CREATE TABLE badge (
    seq INTEGER PRIMARY KEY, org INTEGER NOT NULL, template INTEGER NOT NULL, recipient INTEGER NOT NULL,
    reg_at INTEGER NOT NULL, issue_at INTEGER NOT NULL, valid_until INTEGER, revoke_at INTEGER,
    revoked_at INTEGER, reason TEXT, mail TEXT NOT NULL, label TEXT, internal INTEGER NOT NULL,
    by_api INTEGER NOT NULL DEFAULT 0);
";

/// Created after the rows, which is far faster than updating them for every row.
const INDEXES: &str = "
CREATE INDEX recipient_email ON recipient (email_fold);
CREATE INDEX recipient_name ON recipient (name_fold);
CREATE INDEX badge_org ON badge (org);
CREATE INDEX badge_template ON badge (template);
CREATE INDEX badge_recipient ON badge (recipient);
CREATE INDEX badge_issue ON badge (issue_at);
CREATE INDEX badge_reg ON badge (reg_at);
CREATE INDEX badge_revoke ON badge (revoke_at) WHERE revoke_at IS NOT NULL;
CREATE INDEX badge_revoked ON badge (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX badge_api ON badge (org) WHERE by_api = 1;
";

const INSERT: &str = "INSERT INTO badge
    (seq, org, template, recipient, reg_at, issue_at, valid_until, revoke_at, revoked_at, reason, mail, label,
     internal, by_api)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";

const ONE: &str =
    "SELECT b.seq, b.org, b.template, r.name, r.email, b.reg_at, b.issue_at, b.valid_until, b.revoke_at,
    b.revoked_at, b.reason, b.mail, b.label, b.internal, b.recipient
    FROM badge b JOIN recipient r ON r.id = b.recipient WHERE b.seq = ?1";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoreOptions<'a> {
    pub data: Option<&'a Path>,
    pub seed: u64,
    pub history: u64,
    pub now: i64,
    pub zone: i32,
}

impl BadgeStore {
    pub fn open(how: StoreOptions<'_>) -> anyhow::Result<Self> {
        let db = match how.data {
            None => Connection::open_in_memory().context("cannot open a database in memory")?,
            Some(path) => Connection::open(path)
                .with_context(|| format!("cannot open the data file {} (--data)", path.display()))?,
        };
        db.set_prepared_statement_cache_capacity(64);
        // Otherwise SQLite prepares a statement again each time that one of its values changes.
        db.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        let mut store = Self {
            db,
            seed: how.seed,
            epoch: how.now,
            templates: templates(),
            zone: how.zone,
            next: 1,
            views: badge_lists::ListCache::default(),
        };
        store.prepare(how).with_context(|| match how.data {
            Some(path) => format!("the data file {} cannot be used (--data)", path.display()),
            None => "the demo data cannot be made".to_owned(),
        })?;
        Ok(store)
    }

    fn prepare(&mut self, how: StoreOptions<'_>) -> anyhow::Result<()> {
        if how.data.is_some() {
            // Two sandboxes on one file would use the same numbers.
            self.db.busy_timeout(std::time::Duration::from_millis(300))?;
            self.db.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
            self.db.pragma_update(None, "journal_mode", "WAL")?;
            self.db.pragma_update(None, "synchronous", "NORMAL")?;
        }
        self.db.pragma_update(None, "temp_store", "MEMORY")?;
        let tables: i64 =
            self.db
                .query_row("SELECT count(*) FROM sqlite_master WHERE type = 'table'", [], |row| row.get(0))?;
        if tables == 0 {
            match how.data {
                Some(_) => fill(&mut self.db, how)?,
                None => copies::fill(&mut self.db, how)?,
            }
        } else {
            let known = self.meta("lapel_sandbox")?;
            anyhow::ensure!(known == Some(1), "it is not a data file of this sandbox");
            self.seed = self.meta("seed")?.map_or(how.seed, i64::cast_unsigned);
            self.epoch = self.meta("epoch")?.unwrap_or(how.now);
        }
        let last: i64 = self.db.query_row("SELECT coalesce(max(seq), 0) FROM badge", [], |row| row.get(0))?;
        self.next = self.meta("next")?.unwrap_or(1).max(last + 1);
        Ok(())
    }

    /// With their indexes, those of an organisation; `None` means all.
    pub fn templates_of(&self, org: Option<usize>) -> impl Iterator<Item = (usize, &Template)> {
        self.templates.iter().enumerate().filter(move |(_, one)| org.is_none_or(|org| one.org == org))
    }

    pub fn meta(&self, name: &str) -> rusqlite::Result<Option<i64>> {
        self.db.query_row("SELECT value FROM meta WHERE name = ?1", [name], |row| row.get(0)).optional()
    }

    pub fn remember_time(&self, now: i64) -> rusqlite::Result<()> {
        self.db.execute("INSERT OR REPLACE INTO meta VALUES ('clock', ?1)", [now]).map(|_| ())
    }

    pub fn issued_by_api(&self, org: usize) -> rusqlite::Result<u64> {
        let count: i64 = self
            .db
            .prepare_cached("SELECT count(*) FROM badge WHERE by_api = 1 AND org = ?1")?
            .query_row([org as i64], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    /// Two check characters detect typing errors.
    pub fn badge_id(&self, seq: i64) -> String {
        const LETTERS: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
        let mark = super::mix(self.seed, seq.unsigned_abs(), 1);
        let letter = |shift: u64| char::from(LETTERS[(mark >> shift & 31) as usize]);
        format!("B-{seq:09}-{}{}", letter(0), letter(5))
    }

    pub fn seq_of(&self, badge_id: &str) -> Option<i64> {
        let digits = badge_id.get(2..11)?;
        let seq = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())??;
        (self.badge_id(seq) == badge_id).then_some(seq)
    }

    pub fn badge(&self, seq: i64) -> rusqlite::Result<Option<Badge>> {
        self.db.prepare_cached(ONE)?.query_row([seq], read).optional()
    }
}

fn fill(db: &mut Connection, how: StoreOptions<'_>) -> rusqlite::Result<()> {
    let templates = templates();
    let all = db.transaction()?;
    all.execute_batch(SCHEMA)?;
    {
        let mut add = all.prepare("INSERT INTO template VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
        for (at, one) in templates.iter().enumerate() {
            let (category, kind) = (CATEGORIES[one.category].name, TYPES[one.kind].1);
            let (level, name, org) = (one.level as i64, one.level_name(), ORGS[one.org].name);
            add.execute(params![at as i64, one.title, kind, category, level, name, org])?;
        }
        let plan = DemoHistory::plan(how.seed, how.now, how.zone, how.history);
        let mut add = all.prepare("INSERT INTO recipient VALUES (?1, ?2, ?3, ?4, ?5)")?;
        for (at, one) in plan.holders.iter().enumerate() {
            let (name, mail) = (one.name.to_lowercase(), one.mail.to_lowercase());
            add.execute(params![at as i64 + 1, one.name, one.mail, name, mail])?;
        }
        let mut add = all.prepare(INSERT)?;
        let mut seq = 0;
        plan.each(|row| {
            seq += 1;
            let template = templates.get(row.template);
            let policy = || valid_until(template?, row.issue_at, how.now, how.zone);
            let until = row.until.or_else(policy);
            add.execute(params![
                seq,
                template.map_or(0, |one| one.org) as i64,
                row.template as i64,
                row.holder as i64 + 1,
                row.reg_at,
                row.issue_at,
                until,
                row.revoke.map(|(asked, _, _)| asked),
                row.revoke.map(|(_, done, _)| done),
                row.revoke.map(|(_, _, reason)| reason),
                row.mail,
                row.label,
                row.internal,
                0
            ])
            .map(|_| ())
        })?;
        let mut meta = all.prepare("INSERT INTO meta VALUES (?1, ?2)")?;
        for (name, value) in
            [("lapel_sandbox", 1), ("seed", how.seed.cast_signed()), ("epoch", how.now), ("next", seq + 1)]
        {
            meta.execute(params![name, value])?;
        }
    }
    all.execute_batch(INDEXES)?;
    all.commit()
}

fn read(row: &SqlRow<'_>) -> rusqlite::Result<Badge> {
    let index = |at: usize| row.get::<_, i64>(at).map(|number| usize::try_from(number).unwrap_or(0));
    Ok(Badge {
        seq: row.get(0)?,
        org: index(1)?,
        template: index(2)?,
        name: row.get(3)?,
        email: row.get(4)?,
        reg_at: row.get(5)?,
        issue_at: row.get(6)?,
        valid_until: row.get(7)?,
        revoke_at: row.get(8)?,
        revoked_at: row.get(9)?,
        reason: row.get(10)?,
        mail: row.get(11)?,
        label: row.get(12)?,
        internal: row.get(13)?,
        recipient: row.get(14)?,
    })
}
