//! `lapel doctor`: what was learned, and whether everything is in order.

use super::kit::{Bench, shape};
use crate::texts::{msg, msg_part};

#[test]
fn what_was_learned_is_told_with_its_evidence() {
    let bench = Bench::switched(&[("issue-time", "5m")]);
    let before = bench.json(&["doctor"], 0);
    assert_eq!((&before["journal"]["exists"], &before["ok"]), (&false.into(), &true.into()), "{before}");
    assert!(!bench.path("data/journal.sqlite").exists(), "looking makes no journal");
    bench.run(&["issue", "--template", "TPL-001", "--to", "a <a@naru.example>", "--yes"]).ended(0);
    bench.run(&["jobs", "follow"]).ended(0);
    let said = bench.json(&["doctor"], 0);
    insta::assert_snapshot!("doctor", shape(said, &bench));
    let text = bench.run(&["doctor"]).ended(0).out;
    for part in [
        "shown",
        msg("not observed yet"),
        "use: ",
        "journal.sqlite",
        msg_part("No problems found"),
        "600  private",
        "duplicate check minutes 15",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
    assert!(!text.contains("guard age"), "former names are for scripts:\n{text}");
}

/// As in containers, `ssh` and cron: the zone has a name.
#[cfg(unix)]
#[test]
fn the_zone_of_the_computer_may_be_a_name() {
    let bench = Bench::new();
    for (zone, offset, from) in [
        ("Asia/Seoul", "+09", msg("this computer's time zone (no better source)")),
        ("Asia/Kathmandu", "+05:45", msg("this computer's time zone (no better source)")),
        ("No/Such_Zone", "+00", msg("UTC: no better source, and this computer's time zone is not known")),
    ] {
        let said = bench.said(bench.lapel(&["doctor", "--json"]).env("TZ", zone).output().expect("it runs"));
        let clock = &said.ended(0).json()["clock"];
        assert_eq!((&clock["utc_offset"], &clock["offset_from"]), (&offset.into(), &from.into()), "{zone}");
    }
}

/// The same zone as in the list of jobs.
#[test]
fn the_clock_has_the_zone_that_the_journal_knows() {
    let bench = Bench::new();
    let before = bench.json(&["doctor"], 0);
    assert_eq!(before["clock"]["utc_offset"], "+00", "{before}");
    bench.run(&["issue", "--template", "TPL-001", "--to", "김하나 <hana@naru.example>", "--yes"]).ended(0);
    bench.run(&["jobs", "follow"]).ended(0);
    let after = bench.json(&["doctor"], 0);
    assert_eq!(after["clock"]["utc_offset"], "+09", "{after}");
    assert_eq!(after["clock"]["offset_from"], msg("a record with a known time"), "{after}");
}

#[test]
fn doctor_reports_contradictory_observations() {
    let bench = Bench::new();
    bench.run(&["issue", "--template", "TPL-001", "--to", "a <a@naru.example>", "--yes"]).ended(0);
    bench.run(&["jobs", "follow"]).ended(0);
    // As after the provider has changed the service.
    let journal = rusqlite::Connection::open(bench.path("data/journal.sqlite")).expect("the journal");
    let more = "INSERT INTO fact SELECT account, name, 'hidden', evidence, first, last, times FROM fact
                WHERE name = 'waiting_in_history'";
    assert_eq!(journal.execute(more, []).expect("one more"), 1);
    drop(journal);
    let said = bench.json(&["doctor"], 0);
    let learned = said["learned"].as_array().expect("a list");
    let one = learned.iter().find(|one| one["name"] == "waiting_in_history").expect("it is there");
    assert_eq!(
        (one["values"].as_array().map(Vec::len), &one["conflicting"]),
        (Some(2), &true.into()),
        "{one}"
    );
    assert!(bench.run(&["doctor"]).out.contains(msg("conflicting observations")));
}

#[test]
fn doctor_lists_problems() {
    let bench = Bench::new();
    bench.fault("get /ping status=500");
    let said = bench.run(&["doctor"]).ended(1);
    assert!(
        said.out.contains(msg("Problems")) && said.out.contains(msg_part("Service error (HTTP 500")),
        "{}",
        said.out
    );
    bench.control().clear_faults();
    bench.write("data/journal.sqlite", "x".repeat(5000));
    #[cfg(unix)]
    std::fs::set_permissions(bench.path("data"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("opened to others");
    let said = bench.json(&["doctor"], 1);
    let problems = said["problems"].to_string();
    assert!(problems.contains(msg("journal")), "{problems}");
    #[cfg(unix)]
    assert!(problems.contains(msg_part("others can read")), "{problems}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_data_folder_that_cannot_be_written_is_a_problem() {
    let bench = Bench::new();
    // No user can write there, not even root.
    let mut command = bench.lapel(&["doctor", "--json"]);
    let said = bench.said(command.env("LAPEL_DATA_DIR", "/proc/lapel").output().expect("it runs")).ended(1);
    let problems = said.json()["problems"].to_string();
    for part in ["lapel cannot write the journal", "a quarter of the limit"] {
        assert!(problems.contains(msg_part(part)), "{problems}");
    }
}

#[test]
fn without_a_profile_there_is_still_something_to_say() {
    let bench = Bench::new();
    let mut command = bench.lapel(&["doctor", "--json"]);
    command.env_remove("LAPEL_BASE_URL").env_remove("LAPEL_API_KEY");
    let said = bench.said(command.output().expect("it runs")).ended(2);
    assert!(said.json()["paths"]["data_dir"].is_string());
    bench.settings("themee = 1\n");
    let mut command = bench.lapel(&["doctor", "--json"]);
    command.env_remove("LAPEL_BASE_URL").env_remove("LAPEL_API_KEY");
    let said = bench.said(command.output().expect("it runs")).ended(2);
    assert!(said.err.contains("config.toml, line 1: themee"), "{}", said.err);
    assert_eq!(bench.requests(), 0);
}

#[test]
fn mistakes_in_the_files_of_the_app_are_problems() {
    let bench = Bench::new();
    bench.write("config/keys.toml", "nope = 'x'\n[list]\ndown = 5\n");
    bench.write("config/filters.toml", "[history.mine]\nnobody = 'x'\n");
    let said = bench.json(&["doctor"], 1);
    let problems = said["problems"].to_string();
    for part in ["keys.toml, line 1: nope", "keys.toml, line 3: list.down", "filters.toml, line 2"] {
        assert!(problems.contains(part), "{part}: {problems}");
    }
}

#[test]
fn an_action_without_a_key_is_told_and_is_no_problem() {
    let bench = Bench::new();
    bench.write("config/keys.toml", "[history]\nmark = 'x'\n");
    let said = bench.json(&["doctor"], 0);
    assert_eq!(said["without_key"].as_array().map(Vec::len), Some(1), "{said}");
    let text = bench.run(&["doctor"]).ended(0).out;
    let heading = msg("Actions without a key (use the palette)");
    let line = text.lines().skip_while(|line| *line != heading).nth(1).expect("the action");
    assert_eq!(line.trim(), said["without_key"][0].as_str().expect("a text"));
    assert!(line.trim().starts_with(msg("History")), "{line}");
}
