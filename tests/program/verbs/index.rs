//! `lapel index`: nothing without the setting, read with the background share, removed at any time.

use super::kit::{Bench, frozen};
use crate::texts::msg_part;
use lapel::sandbox::Options;

const ON: &str = "[index]\nenabled = true\nmax_age_days = 36500\n";

#[test]
fn without_the_setting_nothing_is_read_or_made() {
    let bench = Bench::new();
    let said = bench.run(&["index"]).ended(0);
    assert!(
        said.out.contains(msg_part("has no index")) && said.out.contains(msg_part("enabled = true")),
        "{}",
        said.out
    );
    let said = bench.run(&["index", "build"]).ended(2);
    assert!(
        said.err.contains(msg_part("has no index, so nothing was read"))
            && said.err.contains(msg_part("e-mail addresses")),
        "{}",
        said.err
    );
    let failed = bench.json(&["index", "build"], 2);
    assert_eq!(failed["error"]["kind"], "usage");
    assert_eq!(bench.requests(), 0);
    assert!(!bench.path("data/index").exists());
}

#[test]
fn an_index_is_built_described_and_removed() {
    // No computer's clock is near the service's: what is due goes by that.
    let start = Some(jiff::civil::datetime(2041, 3, 1, 10, 0, 0, 0));
    let bench = Bench::with(Options { start, ..frozen() });
    bench.settings(ON);
    let built = bench.json(&["index", "build"], 0);
    assert_eq!((&built["requests"], &built["new"], &built["full"]), (&4.into(), &300.into(), &true.into()));
    assert_eq!((&built["complete"], &built["index"]["badges"]), (&true.into(), &300.into()));
    assert_eq!(bench.requests_to("GET /badges/history"), 4);
    let again = bench.run(&["index", "build"]).ended(0);
    assert!(
        again.out.contains(msg_part("read new entries")) && again.out.contains(msg_part("; complete")),
        "{}",
        again.out
    );
    let asked = bench.requests();
    let status = bench.json(&["index", "status"], 0);
    assert_eq!((&status["enabled"], &status["exists"]), (&true.into(), &true.into()));
    assert_eq!(status["index"]["badges"], 300);
    assert_eq!(bench.requests(), asked, "status asks the service nothing");
    let folder = bench.path("data/index");
    #[cfg(unix)]
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        use std::os::unix::fs::PermissionsExt;
        let entry = entry.expect("an entry");
        let mode = entry.metadata().expect("there").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{entry:?}");
    }
    let removed = bench.json(&["index", "purge"], 0);
    assert_eq!(removed["removed"], 1);
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 0);
    let none = bench.run(&["index", "purge", "--all"]).ended(0);
    assert!(none.out.contains(msg_part("no index to remove")), "{}", none.out);
    assert_eq!(bench.requests(), asked);
}

/// Nothing was sent from this computer, so only the index knows the domain that is meant.
#[test]
fn issuing_knows_the_domains_of_the_index() {
    let bench = Bench::new();
    bench.settings(ON);
    let issue = ["issue", "--template", "TPL-001", "--to", "홍길동 <a2@naru.exmaple>", "--dry-run"];
    bench.run(&issue).ended(0);
    assert!(!bench.path("data/index").exists(), "issuing makes no index");
    bench.run(&["index", "build"]).ended(0);
    let row = &bench.json(&issue, 3)["rows"][0];
    let why = row["why"].as_str().unwrap_or_default();
    assert!(row["bucket"] == "ask" && why.contains("did you mean naru.example"), "{row}");
    // An index that is off is not used, though its file is still there.
    bench.settings("");
    bench.run(&issue).ended(0);
}

#[test]
fn badges_that_are_too_old_are_said_to_be_left_out() {
    let bench = Bench::new();
    bench.settings("[index]\nenabled = true\nmax_age_days = 1\n");
    for all in [&["index", "build"][..], &["index", "build", "--all"]] {
        let said = bench.run(all).ended(0).out;
        let older = said.contains(msg_part("older badges are not included"));
        assert!(older && !said.contains(msg_part("; complete")), "{said}");
    }
}

#[test]
fn a_service_that_fails_is_said_and_what_was_read_is_kept() {
    let bench = Bench::new();
    bench.settings(ON);
    bench.fault("get /badges/history match=page=3 status=401 code=4001");
    let failed = bench.json(&["index", "build"], 1);
    let message = failed["error"]["message"].as_str().expect("a message");
    assert!(message.contains(msg_part("lapel keeps what it has read")), "{message}");
    let status = bench.json(&["index"], 0);
    assert_eq!((&status["index"]["badges"], &status["index"]["under_way"]), (&200.into(), &true.into()));
    bench.control().clear_faults();
    let built = bench.json(&["index", "build"], 0);
    assert_eq!((&built["requests"], &built["complete"]), (&2.into(), &true.into()), "one page, and the top");
}
