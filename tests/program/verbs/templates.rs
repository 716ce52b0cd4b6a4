//! A template named by its title: only an exact title that one template has. lapel prints the choice.

use super::kit::Bench;
use crate::texts::{msg_part, msg_with};
use unicode_normalization::UnicodeNormalization;

const TITLE: &str = "파이썬 데이터 분석 수료";
/// Two templates of the demo data have this title.
const TWICE: &str = "풀스택 부트캠프 16주 수료";

fn issue<'a>(template: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let issue = ["issue", "--template", template, "--to", "홍길동 <gildong@naru.example>", "--yes"];
    [&issue[..], more].concat()
}

#[test]
fn an_exact_title_is_used_and_said() {
    let bench = Bench::new();
    let typed: String = format!("  {}", TITLE.replace(' ', "  ").nfd());
    let said = bench.run(&issue(&typed, &["--json"])).ended(0);
    assert!(said.err.contains(&msg_with("Template {id}: {title}", &[&"TPL-005", &TITLE])), "{}", said.err);
    let said = said.json();
    assert_eq!(said["template"]["template_id"], "TPL-005");
    assert_eq!((&said["template"]["title"], &said["template"]["named_by"]), (&TITLE.into(), &"title".into()));
    assert_eq!(said["jobs"][0]["template_id"], "TPL-005");
    assert_eq!(bench.accepted(), 1);
    assert_eq!(bench.requests_to("GET /badge-templates"), 1, "40 templates are one page");

    let shown = bench.json(&["template", "python FOUNDATIONS"], 0);
    assert_eq!(shown["template"]["title"], "Python Foundations");
    let by_id = bench.json(&issue("TPL-006", &[]), 0);
    assert_eq!(by_id["template"]["named_by"], "id");
    assert_eq!(bench.requests_to("GET /badge-templates"), 2, "an id needs no list");
}

#[test]
fn a_title_that_two_templates_have_is_refused_with_their_ids() {
    let bench = Bench::new();
    let said = bench.run(&issue(TWICE, &["--json"])).ended(2);
    for id in ["TPL-031", "TPL-032"] {
        assert!(said.err.contains(id), "{}", said.err);
    }
    assert_eq!(said.json()["error"]["kind"], "ambiguous");
    bench.run(&["template", TWICE]).ended(2);
    bench.run(&issue("TPL-031", &[])).ended(0);
    assert_eq!((bench.posts(), bench.accepted()), (1, 1));
}

#[test]
fn a_part_of_a_title_issues_nothing_and_suggests_templates() {
    let bench = Bench::new();
    let said = bench.run(&issue("파이썬 데이터 분석", &["--json"])).ended(2);
    for part in ["TPL-005", "TPL-006", msg_part("Similar ones")] {
        assert!(said.err.contains(part), "{part}: {}", said.err);
    }
    assert_eq!(said.json()["error"]["kind"], "not_found");
    let said = bench.run(&issue("no such template", &[])).ended(2);
    assert!(said.err.contains(msg_part("lapel templates")), "{}", said.err);
    bench.run(&["template", "no such template"]).ended(1);
    bench.run(&issue(" ", &[])).ended(2);
    assert_eq!(bench.posts(), 0);
}

/// The contract does not show the answer for an id that does not exist.
#[test]
fn a_title_is_found_however_the_service_refuses_an_unknown_id() {
    for word in ["404", "400", "200-null"] {
        let bench = Bench::switched(&[("unknown-id", word)]);
        assert_eq!(bench.json(&issue(TITLE, &[]), 0)["template"]["template_id"], "TPL-005", "{word}");
    }
}

/// A list that was not read to its end may hide a second template with the title.
#[test]
fn no_title_is_taken_from_an_incomplete_list() {
    let bench = Bench::new();
    bench.fault("get /badge-templates items=missing");
    bench.run(&issue(TITLE, &[])).ended(3);
    assert_eq!(bench.posts(), 0);
}
