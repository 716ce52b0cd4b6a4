//! What lapel reports about a team's journal: its creation, its migration, and the state of its database.

use super::RecentLoss;
use crate::jobs::journal::prelude::*;

/// The SQL that creates the roles of a team's database and gives them their rights.
pub const ROLES: &str = concat!(include_str!("team_roles.sql"), "\n", include_str!("team_rights.sql"));

/// Difference of the clocks in milliseconds that matters: times in the journal are then wrong.
const CLOCKS_DIFFER: i64 = 2_000;
/// A connection that renews a lease is idle for 5 s. In milliseconds.
const SHORT_IDLE: i64 = 10_000;
/// Rights that are named; there are dozens.
const NAMED_RIGHTS: usize = 3;
/// Time limit of lapel's own longest statements, in milliseconds.
const LONG_WRITE: i64 = 120_000;

/// The role of who issues, revokes, checks and purges.
pub(super) const ISSUER: &str = "lapel_issuer";
/// The role of who only reads.
pub(super) const READER: &str = "lapel_reader";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Creation {
    Created {
        /// Whether the roles exist, so that their members can use the journal.
        has_roles: bool,
    },
    /// It was there. Nothing was changed.
    Existing,
}

/// Equal numbers: nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migration {
    pub from: i64,
    pub to: i64,
}

#[derive(Clone, Debug, Default)]
pub struct TeamStatus {
    /// The server's version, such as `15.4`.
    pub version: String,
    pub user: String,
    /// The version of TLS. `None` on a connection that is not encrypted.
    pub tls: Option<String>,
    pub exists: bool,
    /// `None` if there are no tables, or the user may not read them.
    pub schema: Option<i64>,
    pub known_schema: i64,
    /// Jobs of all accounts, without drafts.
    pub jobs: Option<u64>,
    /// The lapel processes that are alive.
    pub processes: Vec<Reason>,
    pub missing: MissingRights,
    /// A standby, or a database set to read-only.
    pub is_read_only: bool,
    pub setup: DatabaseSetup,
    pub losses: WriteLosses,
}

/// What a user lacks, such as `SELECT on job`.
#[derive(Clone, Debug, Default)]
pub struct MissingRights {
    /// Of what an issuer needs.
    pub to_issue: Vec<String>,
    /// Of what a reader needs.
    pub to_read: Vec<String>,
}

/// How the server is set up: what a power cut or a failover could cost, and the limits of connections.
#[derive(Clone, Debug, Default)]
pub struct DatabaseSetup {
    /// The value in force for lapel's connections.
    pub synchronous_commit: String,
    pub fsync: bool,
    /// Standbys that are connected now.
    pub standbys: u64,
    pub has_synchronous_standby: bool,
    /// Whether a pooler gives each transaction another connection.
    pub is_pooled: bool,
    /// How far the database's clock is ahead of this computer's, in milliseconds.
    pub clock_ahead_ms: i64,
    /// In milliseconds; 0 for none.
    pub idle_session_timeout_ms: i64,
    /// In milliseconds; 0 for none.
    pub transaction_timeout_ms: i64,
}

/// Whether the database lost writes, as far as the user may know.
#[derive(Clone, Debug, Default)]
pub struct WriteLosses {
    /// Whether the database is another server or another copy than lapel last used. The next lapel that may write
    /// treats this as a loss of writes.
    pub has_other_origin: bool,
    /// When a lapel last noticed a loss.
    pub noticed: Option<Timestamp>,
    /// Rows that nobody has looked for in the history since then. `None` if the user may not read them.
    pub unsearched_rows: Option<u64>,
}

impl TeamStatus {
    pub fn can_write(&self) -> bool {
        self.schema == Some(self.known_schema) && self.missing.to_issue.is_empty() && !self.is_read_only
    }

    /// Why this version does not use the journal, if its schema is another one. `server` is its name for people.
    pub fn other_schema(&self, server: &str) -> Option<JournalError> {
        let known = self.known_schema;
        let found = self.schema.filter(|found| *found != known)?;
        Some(JournalError::team(TeamError::Schema { found, known }, &server))
    }

    /// What the profile needs and its user lacks. `reads_only`: the profile issues nothing.
    pub fn missing(&self, reads_only: bool) -> &[String] {
        if reads_only { &self.missing.to_read } else { &self.missing.to_issue }
    }

    /// What endangers the journal's promises or makes it unusable, with times as `shown` writes them. `reads_only`: the
    /// profile issues nothing.
    pub fn problems(&self, reads_only: bool, shown: &dyn Fn(Timestamp) -> String) -> Vec<Localizable> {
        let (setup, losses) = (&self.setup, &self.losses);
        let clock_differs = setup.clock_ahead_ms.abs();
        let found = [
            (self.is_read_only && !reads_only).then(|| {
                localizable!("the database is read-only, such as a standby. lapel can send nothing.")
            }),
            self.lacking(reads_only),
            setup.is_pooled.then(|| localizable!(
                "a pooler in transaction mode is between lapel and the database. Connect to the database itself, or to a pooler in session mode."
            )),
            (setup.synchronous_commit == "off" || !setup.fsync).then(|| localizable!(
                "the database does not wait for its disk (fsync or synchronous_commit is off). After a power cut, sent rows could be sent again. Turn both on."
            )),
            (setup.standbys > 0 && !setup.has_synchronous_standby).then(|| localizable!(
                "the database has standbys, but none is synchronous. After a failover, writes could be lost. Then lapel must search the history for all unsent rows. Set synchronous_standby_names."
            )),
            losses.has_other_origin.then(|| localizable!(
                "the database is another server or another copy than before, and may have lost writes. The next lapel that may write puts all unsent rows in doubt and searches the history for them."
            )),
            losses.recent().map(|loss| loss.with_times(shown)),
            losses.unsearched_rows.filter(|rows| *rows > 0).map(|rows| localizable!(
                "the database lost writes. Rows that lapel has not searched for since: {rows}. Until then it sends no badge. Keep lapel open, or run: lapel jobs follow",
                rows
            )),
            (clock_differs > CLOCKS_DIFFER).then(|| localizable!(
                "the clocks of this computer and the database differ by {seconds} s. Set both by a time server.",
                seconds = clock_differs / 1_000
            )),
            (1..=SHORT_IDLE).contains(&setup.idle_session_timeout_ms).then(|| localizable!(
                "the database ends connections that are idle for {ms} ms (idle_session_timeout). Set at least a minute.",
                ms = setup.idle_session_timeout_ms
            )),
            (1..LONG_WRITE).contains(&setup.transaction_timeout_ms).then(|| localizable!(
                "the database ends transactions after {ms} ms (transaction_timeout). A large import needs up to two minutes.",
                ms = setup.transaction_timeout_ms
            )),
        ];
        found.into_iter().flatten().collect()
    }

    /// The rights that the user lacks.
    fn lacking(&self, reads_only: bool) -> Option<Localizable> {
        let missing = self.missing(reads_only);
        let named = list(missing.iter().take(NAMED_RIGHTS).map(String::as_str));
        let rights = match missing.len().saturating_sub(NAMED_RIGHTS) {
            0 => named,
            n => localizable!("{first} (and {n} more)", first = named, n),
        };
        (!missing.is_empty()).then(|| {
            localizable!(
                "the user {user} lacks rights: {rights}. Ask the database's administrator for the role {role}.",
                user = self.user,
                rights,
                role = if reads_only { READER } else { ISSUER }
            )
        })
    }
}

impl WriteLosses {
    /// `None` if the last loss is too long ago to matter.
    pub fn recent(&self) -> Option<RecentLoss> {
        RecentLoss::of(self.noticed?, Timestamp::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sound() -> TeamStatus {
        let setup =
            DatabaseSetup { fsync: true, synchronous_commit: "on".to_owned(), ..DatabaseSetup::default() };
        TeamStatus { exists: true, setup, ..TeamStatus::default() }
    }

    #[test]
    fn another_schema_has_its_reason() {
        let of = |schema| TeamStatus { schema, known_schema: 14, ..sound() };
        assert!(matches!(
            of(Some(13)).other_schema("db"),
            Some(JournalError::Older { found: 13, known: 14, .. })
        ));
        assert!(matches!(
            of(Some(15)).other_schema("db"),
            Some(JournalError::Newer { found: 15, known: 14, .. })
        ));
        assert!(of(Some(14)).other_schema("db").is_none() && of(None).other_schema("db").is_none());
    }

    #[test]
    fn every_danger_is_a_problem() {
        let problems = |status: &TeamStatus, reads_only| status.problems(reads_only, &|at| at.to_string());
        assert_eq!(problems(&sound(), false), []);
        let dangers: [fn(&mut TeamStatus); 12] = [
            |it| it.is_read_only = true,
            |it| it.missing.to_issue.push("INSERT on job".to_owned()),
            |it| it.setup.is_pooled = true,
            |it| it.setup.fsync = false,
            |it| "off".clone_into(&mut it.setup.synchronous_commit),
            |it| it.setup.standbys = 1,
            |it| it.losses.has_other_origin = true,
            |it| it.losses.unsearched_rows = Some(2),
            |it| it.losses.noticed = Some(Timestamp::now()),
            |it| it.setup.clock_ahead_ms = -2_500,
            |it| it.setup.idle_session_timeout_ms = 5_000,
            |it| it.setup.transaction_timeout_ms = 30_000,
        ];
        for (n, change) in dangers.into_iter().enumerate() {
            let mut status = sound();
            change(&mut status);
            assert_eq!(problems(&status, false).len(), 1, "{n}: {status:?}");
            // Who only reads needs no right to write.
            assert_eq!(problems(&status, true).len(), usize::from(n > 1), "{n}: {status:?}");
        }
        let mut status = sound();
        status.missing.to_read.push("SELECT on job".to_owned());
        assert_eq!((problems(&status, true).len(), problems(&status, false).len()), (1, 0), "{status:?}");
        let mut fine = sound();
        fine.setup.standbys = 1;
        fine.setup.has_synchronous_standby = true;
        fine.setup.clock_ahead_ms = 1_999;
        fine.losses.noticed = Timestamp::now().checked_sub(SignedDuration::from_hours(27)).ok();
        assert_eq!(problems(&fine, false), []);
    }
}
