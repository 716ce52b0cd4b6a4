//! The journal's error type, with messages that say what is safe.

use crate::jobs::journal::prelude::*;
use rusqlite::ErrorCode;

messages! {
    /// Why the journal cannot be used. In every case, earlier data stays, and lapel sends nothing that it could not
    /// record first.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum JournalError;
    /// What happened, what is safe, and what to do next.
    pub fn localizable;
    Full { file: String }
        => localizable!("The journal's disk is full ({file}). lapel sends no request that it cannot record first. All recorded requests are safe. Free some space, then resume.", file);
    /// `why`: The system's message.
    NotWritable { file: String, why: Localizable }
        => localizable!("lapel cannot write the journal ({file}): {why}. It sends nothing without it. Make the file and its folder writable, or set LAPEL_DATA_DIR to a writable folder.", file, why);
    /// Damaged, or not a journal.
    /// `why`: SQLite's message.
    Corrupt { file: String, why: Localizable }
        => localizable!("The journal is damaged or not a journal ({file}): {why}. lapel sends nothing and does not change the file. Move it away to start a new journal. Jobs in progress are then only in the service's history.", file, why);
    /// Empty or gone, although it contained jobs.
    Emptied { file: String }
        => localizable!("The journal is empty or missing ({file}), but lapel kept jobs in it. lapel sends nothing: these jobs could be sent twice. Restore a backup (lapel journal restore FILE). To start a new journal without these jobs, first close every lapel, then delete {file} and the files next to it whose names start the same.", file);
    /// On a network drive, and in use by another computer.
    /// `mark`: The file that names it.
    Elsewhere { file: String, computer: Localizable, mark: String }
        => localizable!("The journal is on a network drive ({file}), and lapel uses it on the computer {computer}. Two computers must not use one journal at the same time. Nothing was changed. Close lapel there first. If it no longer runs there, delete {mark} and start again. Or set LAPEL_DATA_DIR to a folder on this computer.", file, computer, mark);
    /// A backup in the place of a journal.
    Backup { file: String }
        => localizable!("{file} is a journal backup, not a journal. Nothing was changed. Move it out of the data folder, then run: lapel journal restore FILE", file);
    /// Written by a newer version of lapel.
    /// `found`: Schema of the file.
    /// `known`: Newest schema that this version knows.
    Newer { file: String, found: i64, known: i64 }
        => localizable!("A newer lapel wrote the journal ({file}, schema {found}; this version knows {known}). Nothing was changed. Start the newer lapel instead of this one.", file, found, known);
    /// A team's database with the tables of an older version.
    /// `server`: Its host and name, for people.
    /// `known`: The only schema that this version uses in a team's database.
    Older { server: String, found: i64, known: i64 }
        => localizable!("The team's journal ({server}) has an older schema ({found}; this version uses {known}). Nothing was changed. Close every lapel of the team, then run once: lapel journal migrate", server, found, known);
    /// Other processes use a team's database whose tables must change.
    /// `who`: Their names.
    InUse { server: String, who: Localizable }
        => localizable!("Other lapel programs use the team's journal ({server}): {who}. Nothing was changed. Close them, then run again: lapel journal migrate", server, who);
    /// The user may not change the tables of a team's database.
    NotOwner { server: String, user: String }
        => localizable!("The user {user} may not create or change tables in {server}. Nothing was changed. Ask the database's administrator for the role lapel_owner. The SQL for the roles: lapel journal init --print", server, user);
    /// Another process held the lock for too long.
    Busy { file: String }
        => localizable!("The journal is busy ({file}): another program has locked it for too long. Nothing was changed. Try again.", file);
    /// A team's database cannot be used.
    /// `server`: Its host and name, for people.
    Team { server: String, why: TeamError } => of_team(server, why);
    /// Jobs of the profile are also, or instead, in another journal.
    /// `why`: A complete message.
    TwoPlaces { why: Localizable } => why.clone();
    /// Somebody decided about a job while a command read the history for it.
    Changed { job: i64 }
        => localizable!("Job {job} changed while lapel checked it: it stopped, or somebody decided about it or its rows, took it over or removed its names. This command did nothing. Look at the job, then decide again.", job);
    Closed => localizable!("The journal is closed: lapel is ending. Nothing was changed.");
}

impl JournalError {
    pub(super) fn of(error: &rusqlite::Error, file: &str) -> Self {
        let file = file.to_owned();
        let why = Localizable::verbatim(scrub(&message(error)));
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full { file },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { file },
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::NotWritable { file, why }
            }
            Some(ErrorCode::SystemIoFailure) => Self::NotWritable {
                file,
                why: localizable!("{why}: the disk may be damaged or your disk quota used up", why),
            },
            _ => Self::Corrupt { file, why },
        }
    }

    pub(super) fn failed(error: &tx::Error, file: &str) -> Self {
        match error {
            tx::Error::Sqlite(error) => Self::of(error, file),
            tx::Error::Changed(job) => Self::Changed { job: job.0 },
            tx::Error::Elsewhere(why) => Self::TwoPlaces { why: why.clone() },
            other => Self::Corrupt { file: file.to_owned(), why: Localizable::verbatim(other.to_string()) },
        }
    }

    pub(super) fn team(why: TeamError, server: &dyn fmt::Display) -> Self {
        let server = server.to_string();
        match why {
            TeamError::Busy => Self::Busy { file: server },
            TeamError::Full => Self::Full { file: server },
            TeamError::Changed { job } => Self::Changed { job },
            TeamError::Schema { found, known } if found < known => Self::Older { server, found, known },
            TeamError::Schema { found, known } => Self::Newer { file: server, found, known },
            TeamError::Elsewhere(why) => Self::TwoPlaces { why },
            why => Self::Team { server, why },
        }
    }

    /// Whether it may pass without anybody's help: a team's database that cannot be reached.
    pub fn is_away(&self) -> bool {
        matches!(self, Self::Team { why: TeamError::Away(_), .. })
    }

    /// Whether a team's database refused the login. lapel has only the password that it read.
    pub fn is_login_refused(&self) -> bool {
        matches!(self, Self::Team { why: TeamError::LoginRefused(_), .. })
    }

    /// Whether the user of a team's database has no right to do it.
    pub fn is_forbidden(&self) -> bool {
        matches!(self, Self::Team { why: TeamError::Forbidden, .. })
    }

    /// Whether opening the journal may work later. Not for a file that a person has to replace: lapel must not put a new
    /// one in its place meanwhile. Nor for a refused login.
    pub fn may_pass(&self) -> bool {
        !matches!(
            self,
            Self::Corrupt { .. }
                | Self::Emptied { .. }
                | Self::Backup { .. }
                | Self::Closed
                | Self::Team { why: TeamError::NoFeature | TeamError::LoginRefused(_), .. }
        )
    }

    pub(super) fn io(error: &std::io::Error, file: &str) -> Self {
        let file = file.to_owned();
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::Full { file },
            _ => Self::NotWritable { file, why: io_error::words(error) },
        }
    }
}

fn of_team(server: &str, why: &TeamError) -> Localizable {
    match why {
        TeamError::Away(why) => localizable!(
            "The team's journal ({server}) cannot be reached: {why}. lapel sends no request that it cannot record first. Check the network and the database.",
            server,
            why
        ),
        TeamError::Refused(why) | TeamError::LoginRefused(why) => localizable!(
            "The team's journal ({server}) refuses the connection: {why}. lapel sends nothing without it. Check journal.url and journal.password of the profile.",
            server,
            why
        ),
        TeamError::Unsafe(why) => localizable!(
            "lapel cannot connect safely to the team's journal ({server}): {why}. lapel sends nothing without it. Ask the database's administrator to check the server's certificate, and check journal.ca_file of the profile.",
            server,
            why
        ),
        TeamError::Pooled => localizable!(
            "A pooler in transaction mode is between lapel and the team's journal ({server}). lapel sends nothing through it. Connect to the database itself, or to a pooler in session mode.",
            server
        ),
        TeamError::NoJournal => localizable!(
            "The database {server} has no journal. lapel sends nothing without it. Create it once with: lapel journal init",
            server
        ),
        TeamError::Forbidden => localizable!(
            "The user of the team's journal ({server}) may not do this. Nothing was changed. Ask the database's administrator for the role of an issuer.",
            server
        ),
        TeamError::Unsearched { job } => localizable!(
            "The team's journal ({server}) lost writes. lapel sends no badge before it has searched the history for the rows of job {job}. Nothing was sent. Keep lapel open, or run: lapel jobs follow {job}. Then try again.",
            server,
            job
        ),
        TeamError::Changed { .. }
        | TeamError::Elsewhere(_)
        | TeamError::Schema { .. }
        | TeamError::Full
        | TeamError::Busy => JournalError::team(why.clone(), &server).localizable(),
        TeamError::NoFeature => localizable!(
            "This lapel was built without the feature team. It cannot use the team's journal ({server}), so it sends nothing. Use a lapel with this feature.",
            server
        ),
        TeamError::Other(code) => localizable!(
            "The team's journal ({server}) reports the error {code}. Nothing was changed.",
            server,
            code
        ),
    }
}

impl std::error::Error for JournalError {}

/// SQLite's message without the SQL statement, which users did not write.
fn message(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqlInputError { msg, .. } | rusqlite::Error::SqliteFailure(_, Some(msg)) => {
            msg.clone()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_refused_login_is_not_tried_again() {
        let of = |why| JournalError::team(why, &"db");
        let why = || localizable!("the user name or the password is wrong");
        for (why, may_pass) in [
            (TeamError::Away(why()), true),
            (TeamError::Refused(why()), true),
            (TeamError::Unsafe(why()), true),
            (TeamError::NoJournal, true),
            (TeamError::LoginRefused(why()), false),
        ] {
            assert_eq!((of(why.clone()).may_pass(), of(why).is_login_refused()), (may_pass, !may_pass));
        }
    }

    #[test]
    fn the_advice_is_about_certificates_only_where_they_are_the_cause() {
        let why = || localizable!("the user name or the password is wrong");
        for (cause, names) in [
            (TeamError::Unsafe(why()), ["journal.ca_file", "certificate"]),
            (TeamError::LoginRefused(why()), ["journal.url", "journal.password"]),
        ] {
            let is_unsafe = matches!(cause, TeamError::Unsafe(_));
            let said = JournalError::team(cause, &"db").to_string();
            assert!(names.iter().all(|name| said.contains(name)), "{said}");
            assert_eq!(said.contains("journal.password"), !is_unsafe, "{said}");
        }
    }

    #[test]
    fn messages_contain_no_sql() {
        let db = rusqlite::Connection::open_in_memory().expect("a database");
        db.execute_batch("CREATE TABLE job (x)").expect("a table");
        for wrong in ["SELECT secret FROM job", "SELECT 1 FROM nowhere", "CREATE TABLE job (secret)"] {
            let error = db.execute_batch(wrong).expect_err(wrong);
            let said = JournalError::of(&error, "journal.sqlite").to_string();
            for word in ["SELECT", "CREATE", "FROM", "offset"] {
                assert!(!said.contains(word), "{wrong}: {said}");
            }
        }
    }
}
