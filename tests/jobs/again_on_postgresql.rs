//! The tests of jobs again, on a team's journal: in a process of their own, on a private PostgreSQL.

use crate::team::{self, is_left_out};
use std::process::Command;

/// Those that damage a journal's file, the one about jobs that only their owner may change, since colleagues may, and
/// two with many rows, which take long here. The same with fewer rows run.
const FILES_ONLY: [&str; 8] = [
    "following_ten_thousand_for_a_day",
    "a_hundred_thousand_recipients_take_a_hundred_requests",
    "the_second_of_two_only_watches",
    "what_is_no_journal_of_this_lapel",
    "a_journal_that_is_damaged_within",
    "a_journal_that_cannot_be_written",
    "a_journal_that_is_held_by_another_program",
    "a_journal_without_room",
];

/// Runs tests of this binary on PostgreSQL, and returns how many there were.
fn run(arguments: &[&str]) -> u32 {
    let program = std::env::current_exe().expect("this program");
    let mut tests = Command::new(program);
    tests.args(arguments).env("LAPEL_TEST_JOURNAL", "postgresql").env("RUST_BACKTRACE", "0");
    let done = tests.output().expect("the tests run");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}\n{}", String::from_utf8_lossy(&done.stderr));
    let passed = said.split("test result: ok. ").nth(1).and_then(|rest| rest.split(' ').next());
    passed.and_then(|n| n.parse().ok()).expect("a number of tests")
}

#[test]
fn jobs_on_a_teams_journal() {
    if is_left_out() {
        return;
    }
    let mut arguments = vec!["sandbox::", "crash::"];
    arguments.extend(FILES_ONLY.iter().flat_map(|name| ["--skip", name]));
    assert!(run(&arguments) > 90);
}

#[test]
fn connections_of_a_team_that_break_or_hang() {
    if is_left_out() {
        return;
    }
    assert_eq!(run(&["--ignored", "crash::team_network"]), 8);
}

#[test]
fn what_only_a_team_has() {
    if is_left_out() {
        return;
    }
    assert_eq!(run(&["--ignored", "crash::team_only", "crash::team_chaos::a_process_that_freezes"]), 25);
}

/// `PgBouncer` is another package, so these tests may be skipped everywhere, with a message.
#[test]
fn a_pooler_before_the_database() {
    if is_left_out() {
        return;
    }
    if !team::Pooler::is_installed() {
        team::say_skipped("PgBouncer is not installed");
        return;
    }
    assert_eq!(run(&["--ignored", "crash::team_pooler"]), 2);
}

#[test]
fn a_database_that_lost_writes() {
    if is_left_out() {
        return;
    }
    assert_eq!(run(&["--ignored", "crash::lost_writes"]), 14);
}
