//! Lists of which a part is missing: nothing that was not read is taken for nothing, and every reading ends.

use super::kit::{Bench, Running};
use crate::texts::msg_part;
use lapel::sandbox::{RowSpec, Rows};
use std::sync::atomic::{AtomicBool, Ordering};

const HISTORY: &str = "GET /badges/history";

#[test]
fn a_success_without_data_is_no_empty_list() {
    let bench = Bench::new();
    bench.fault("get /badges/history items=null");
    bench.fault("get /wallet/badges items=null");
    bench.fault("get /badge-templates items=null");
    bench.fault("get /categories items=null");
    for (args, all) in [
        (&["history"][..], false),
        (&["history", "--all"], true),
        (&["templates"], false),
        (&["templates", "--all"], true),
        (&["wallet", "kim@naru.example"], false),
        (&["wallet", "kim@naru.example", "--all"], true),
        (&["categories"], false),
    ] {
        let said = bench.json(args, 3);
        assert_eq!(said["ok"], false, "{args:?}");
        if all {
            assert_eq!(said["complete"], false, "{args:?}: {said}");
        }
        let table = bench.run(args).ended(3);
        assert!(!table.err.contains(msg_part("base URL")), "{args:?}: {}", table.err);
    }
    let to = bench.path("a.xlsx");
    let said = bench.run(&["history", "--all", "--xlsx", to.to_str().expect("UTF-8")]).ended(3);
    assert!(said.err.contains(msg_part("Nothing was saved")) && !to.exists(), "{}", said.err);
}

#[test]
fn an_empty_page_in_the_middle_ends_nothing_and_is_said_where_it_stays_empty() {
    let bench = Bench::new();
    bench.fault("get /badges/history match=page=2&rows_per_page=100 items=empty");
    let said = bench.json(&["history", "--all"], 0);
    assert_eq!((&said["complete"], said["list"].as_array().map(Vec::len)), (&true.into(), Some(300)));
    assert!(bench.requests_to(HISTORY) <= 3 + 5, "{}", bench.requests_to(HISTORY));
    for page in ["page=3&rows_per_page=50", "page=4&rows_per_page=50"] {
        bench.fault(&format!("get /badges/history match={page} items=empty"));
    }
    let before = bench.requests_to(HISTORY);
    let said = bench.json(&["history", "--all"], 3);
    assert_eq!((&said["complete"], said["list"].as_array().map(Vec::len)), (&false.into(), Some(200)));
    assert!(bench.requests_to(HISTORY) - before <= 3 + 5);
}

#[test]
fn a_last_page_that_is_given_for_ever_ends_after_three() {
    let bench = Bench::switched(&[("beyond-end", "last"), ("total-count", "huge")]);
    let said = bench.json(&["history", "--all"], 3);
    assert_eq!((&said["complete"], said["list"].as_array().map(Vec::len)), (&false.into(), Some(300)));
    assert_eq!(bench.requests_to(HISTORY), 3 + 3);
}

/// However fast rows come in, a reading ends, and says that it is not complete.
#[test]
fn rows_that_come_in_faster_than_pages_are_read_do_not_keep_it_going() {
    let bench = Bench::new();
    bench.fault("get /badges/history delay=100ms");
    let is_over = AtomicBool::new(false);
    let said = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut read = 0;
            while !is_over.load(Ordering::Relaxed) {
                let now = bench.requests_to(HISTORY);
                if now > read {
                    read = now;
                    let insert = vec![RowSpec::default(); 400];
                    bench.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
                }
                std::thread::yield_now();
            }
        });
        let said = bench.said(Running::start(bench.lapel(&["history", "--all", "--json"])).output());
        is_over.store(true, Ordering::Relaxed);
        said
    });
    let said = said.ended(3).json();
    assert_eq!(said["complete"], false);
    assert!(said["list"].as_array().map_or(0, Vec::len) >= 300, "what was found is there");
    // The list may have doubled and more; that is the end of it.
    assert!(bench.requests_to(HISTORY) <= 25 + 5, "{}", bench.requests_to(HISTORY));
}

#[test]
fn a_dry_run_has_the_verdict_of_the_real_run() {
    let bench = Bench::new();
    let args = ["issue", "--template", "TPL-001", "--to", "김하나 <hana@naru.example>"];
    bench.fault("get /badges/history items=null");
    let dry = bench.json(&[&args[..], &["--dry-run"]].concat(), 3);
    assert_eq!((&dry["ok"], &dry["jobs"][0]["guard_complete"]), (&false.into(), &false.into()), "{dry}");
    let said = bench.run(&[&args[..], &["--dry-run"]].concat()).ended(3);
    assert!(said.err.contains(msg_part("--yes would send nothing")), "{}", said.err);
    let real = bench.json(&[&args[..], &["--yes"]].concat(), 3);
    assert_eq!(real["error"]["kind"], "guard_incomplete", "{real}");
    // A person who says that it does not matter sees it in both.
    let allowed = bench.json(&[&args[..], &["--dry-run", "--on-duplicate", "allow"]].concat(), 0);
    assert_eq!(allowed["would_send"], 1);
    bench.control().clear_faults();
    assert_eq!(bench.control().ledger().accepted_total(), 0);
    bench.json(&[&args[..], &["--dry-run"]].concat(), 0);
    bench.json(&[&args[..], &["--yes"]].concat(), 0);
    assert_eq!(bench.control().ledger().accepted_total(), 1);
}

#[test]
fn a_duplicate_check_that_cannot_read_the_history_ends_as_an_incomplete_one() {
    let bench = Bench::new();
    let args = ["issue", "--template", "TPL-001", "--to", "김하나 <hana@naru.example>"];
    bench.fault("get /badges/history status=500");
    for how in ["--dry-run", "--yes"] {
        let said = bench.json(&[&args[..], &[how]].concat(), 3);
        assert_eq!(said["error"]["kind"], "guard_incomplete", "{how}: {said}");
        let why = said["error"]["message"].as_str().expect("a text");
        for part in ["HTTP 500", "Nothing was sent", "--on-duplicate allow"] {
            assert!(why.contains(part), "{how}: {why}");
        }
    }
    assert_eq!(bench.posts(), 0);
    bench.control().clear_faults();
    // A refused key is no question of duplicates.
    bench.fault("get /badges/history status=401 code=4001");
    let said = bench.json(&[&args[..], &["--yes"]].concat(), 1);
    assert_eq!(said["error"]["kind"], "key_refused", "{said}");
    bench.control().clear_faults();
    // A person who allows duplicates need not know who has the badge.
    bench.fault("get /badges/history status=500");
    bench.json(&[&args[..], &["--yes", "--on-duplicate", "allow"]].concat(), 0);
    assert_eq!(bench.control().ledger().accepted_total(), 1);
}

#[test]
fn a_success_without_a_record_is_not_read_and_nothing_is_said_to_be_unknown() {
    let bench = Bench::new();
    let badge = bench.json(&["history", "--rows", "1"], 0)["list"][0]["badge_id"].clone();
    let badge = badge.as_str().expect("an id");
    bench.fault("get /badges/B items=null");
    bench.fault("get /badge-templates/TPL-001 items=null");
    bench.fault("get /categories items=null");
    bench.fault(&format!("get /badges/{badge} items=null"));
    for args in [&["badge", badge][..], &["template", "TPL-001"]] {
        let said = bench.json(args, 3);
        assert_eq!((&said["ok"], &said["error"]["kind"]), (&false.into(), &"unreadable".into()), "{said}");
    }
    bench.json(&["badge", "no-such-badge"], 1);
}

#[test]
fn a_page_that_contradicts_its_total_is_not_whole() {
    let wallet = &["wallet", "safety@moondeck.example"][..];
    for (fault, args) in [
        ("get /wallet/badges items=empty", wallet),
        ("get /badges/history items=missing", &["history"]),
        ("get /badge-templates items=extra", &["templates"]),
    ] {
        let bench = Bench::new();
        let said = bench.json(args, 0);
        assert_eq!(said["problems"], serde_json::json!([]), "{args:?}: {said}");
        bench.fault(fault);
        let said = bench.json(args, 3);
        let why = said["problems"].to_string();
        assert!(why.contains(msg_part("rows on this page, but total_count is")), "{fault}: {said}");
    }
    // Fewer rows a page than asked for are no contradiction.
    let bench = Bench::switched(&[("max-rows", "7")]);
    assert_eq!(bench.json(&["history"], 0)["list"].as_array().map(Vec::len), Some(7));
}
