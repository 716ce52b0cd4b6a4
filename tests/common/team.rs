//! A private PostgreSQL for tests: in a temporary folder, on a Unix socket, and gone with the test process.
//!
//! With `LAPEL_TEST_JOURNAL=postgresql` the tests that open a journal through [`open`] use a database of it.

#![allow(dead_code, unused_imports, reason = "each program of tests uses a part of it")]

use lapel::jobs::{Journal, JournalError, Watcher};
use std::io::Write;
use std::path::Path;

/// Whether the tests run on a team's journal.
pub fn is_team() -> bool {
    std::env::var("LAPEL_TEST_JOURNAL").is_ok_and(|name| name == "postgresql")
}

/// In `.ci/run` PostgreSQL is there. Elsewhere these tests may be skipped, with a message.
#[cfg(feature = "team")]
pub fn is_left_out() -> bool {
    let is_left_out = !is_installed() && std::env::var_os("LAPEL_TEST_ALL").is_none();
    if is_left_out {
        say_skipped("PostgreSQL is not installed");
    }
    is_left_out
}

/// Directly, since the runner of tests hides what a test that passes prints.
pub fn say_skipped(why: &str) {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let _ = writeln!(std::io::stderr(), "skipped {test}: {why}");
}

/// The journal of a data folder, or the database in its place.
pub fn open(folder: &Path, watcher: Option<Watcher>) -> Result<Journal, JournalError> {
    #[cfg(feature = "team")]
    if is_team() {
        return Journal::open_team_watched(server::database_of(folder), "tester", watcher);
    }
    Journal::open_watched(folder, watcher)
}

/// A journal of its own.
pub fn in_memory() -> Journal {
    #[cfg(feature = "team")]
    if is_team() {
        return Journal::open_team(server::new_database(), "tester", None).expect("a journal");
    }
    Journal::in_memory().expect("a journal")
}

/// The values of a query of the journal of a folder. Numbers are in decimal, bytes in hexadecimal, true is `1`.
pub fn query(folder: &Path, sql: &str) -> Vec<Vec<Option<String>>> {
    #[cfg(feature = "team")]
    if is_team() {
        return server::query(folder, sql);
    }
    let db = rusqlite::Connection::open(Journal::file_in(folder)).expect("the journal");
    let mut statement = db.prepare(sql).expect(sql);
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        (0..columns)
            .map(|at| {
                Ok(match row.get_ref(at)? {
                    rusqlite::types::ValueRef::Null => None,
                    rusqlite::types::ValueRef::Integer(n) => Some(n.to_string()),
                    rusqlite::types::ValueRef::Real(n) => Some(n.to_string()),
                    rusqlite::types::ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
                    rusqlite::types::ValueRef::Blob(bytes) => {
                        let hex =
                            |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>();
                        Some(hex(bytes).concat())
                    }
                })
            })
            .collect()
    });
    rows.expect(sql).collect::<rusqlite::Result<_>>().expect(sql)
}

/// The number that a query returns.
pub fn number(folder: &Path, sql: &str) -> u64 {
    let value = query(folder, sql).remove(0).remove(0);
    value.and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("no number: {sql}"))
}

/// Changes the journal of a folder.
pub fn change(folder: &Path, sql: &str) {
    #[cfg(feature = "team")]
    if is_team() {
        return drop(server::query(folder, sql));
    }
    let db = rusqlite::Connection::open(Journal::file_in(folder)).expect("the journal");
    db.execute_batch(sql).expect(sql);
}

/// The address of the database of a folder, for a profile. `None` unless the tests run on a team's journal.
pub fn url_of(folder: &Path) -> Option<String> {
    #[cfg(feature = "team")]
    if is_team() {
        return Some(server::url_of(folder));
    }
    let _ = folder;
    None
}

/// As time does with the leases of processes that do not renew them.
pub fn end_leases(folder: &Path) {
    if is_team() {
        change(folder, "UPDATE process SET until = clock_timestamp() - interval '1 second'");
    }
}

/// Whether a process has the journal of a folder open.
pub fn is_held(folder: &Path) -> bool {
    #[cfg(feature = "team")]
    if is_team() {
        return server::has_processes(folder);
    }
    is_file_held(folder)
}

/// Whether a process has the journal in the file of a folder open.
pub fn is_file_held(folder: &Path) -> bool {
    let Ok(owners) = std::fs::read_dir(folder.join("owners")) else { return false };
    // A process that was killed leaves its file behind, and nobody holds that.
    let held =
        |path: std::path::PathBuf| std::fs::File::open(path).is_ok_and(|file| file.try_lock().is_err());
    owners.flatten().any(|owner| held(owner.path()))
}

#[cfg(feature = "team")]
#[path = "team/own_servers.rs"]
mod own_servers;
#[cfg(feature = "team")]
#[path = "team/server.rs"]
mod server;

#[cfg(feature = "team")]
pub use own_servers::{OwnServer, Pooler, TlsServer};
#[cfg(feature = "team")]
pub use server::{
    close_to_all, cut_connections, database_of, drop_database, empty_database, hold_leases, is_installed,
    new_database, open_to_all, processor_time, query as query_team, restart_server, route, run_in, url,
};
