//! The verbs again, with the journal of a team: in a process of their own, on a private PostgreSQL.

use crate::team;
use std::process::Command;

/// Every verb that uses a journal, at least once.
const AGAIN: [&str; 10] = [
    "verbs::issuing",
    "verbs::keeping",
    "verbs::progress",
    "verbs::revoking",
    "verbs::signals",
    "verbs::stops",
    "verbs::twice",
    "verbs::reading::a_wallet",
    "verbs::reading::a_waiting_badge",
    "verbs::reading::a_badge_sent_from_here",
];

const NOT: [&str; 8] = [
    // A team's journal says in other words who has sent a badge, and who owns a job.
    "a_badge_in_the_wallet_is_not_said_to_be_invisible",
    "a_job_belongs_to_one_lapel_at_a_time",
    // The doctor finds a problem: the private server does not wait for its disk.
    "a_reader_that_stops_is_no_error",
    // A file gives the number of a draft that was discarded again, a server does not.
    "only_issued_badges_are_revoked_and_the_rest_is_listed",
    // The order of classes that are equally frequent.
    "a_dry_run_shows_everything_and_sends_nothing",
    // About the journal's file.
    "a_journal_that_cannot_be_used_means_that_nothing_is_sent",
    "a_wallet_says_that_the_journal_could_not_be_read",
    // About the settings file, which has another profile here.
    "a_read_only_profile_refuses_before_anything_is_read",
];

#[test]
fn verbs_on_a_teams_journal() {
    if crate::team::is_left_out() {
        return;
    }
    let mut tests = Command::new(std::env::current_exe().expect("this program"));
    tests.args(AGAIN).args(NOT.iter().flat_map(|name| ["--skip", name]));
    tests.env("LAPEL_TEST_JOURNAL", "postgresql").env("RUST_BACKTRACE", "0");
    let done = tests.output().expect("the tests run");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}\n{}", String::from_utf8_lossy(&done.stderr));
    let passed = said.split("test result: ok. ").nth(1).and_then(|rest| rest.split(' ').next());
    let passed: u32 = passed.and_then(|n| n.parse().ok()).expect("a number of tests");
    assert!(passed >= 51, "only {passed}");
    assert!(team::is_installed());
}
