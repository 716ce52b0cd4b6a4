//! A newcomer's first minutes: the commands and keys that the README names, in its order, in an empty home.

use super::kit::{LAPEL, Term, by_hand, program};
use crate::texts::{asks, msg, msg_part};
use std::path::Path;
use std::time::{Duration, Instant};

fn readme() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    std::fs::read_to_string(path).expect("the README")
}

/// The arguments of the README's first two commands. They run the program that is built already.
fn commands() -> [Vec<String>; 2] {
    let text = readme();
    let commands = text.lines().filter_map(|line| line.strip_prefix("    cargo run --release -- "));
    let words = |line: &str| {
        let command = line.split('#').next().unwrap_or_default();
        command.split_whitespace().map(str::to_owned).collect()
    };
    let all: Vec<Vec<String>> = commands.map(words).collect();
    all.try_into().expect("two commands")
}

/// The keys that the README's section on trying it names, in their order.
fn keys() -> Vec<String> {
    let text = readme();
    let (_, rest) = text.split_once("\n## Try it\n").expect("the section");
    let section = rest.split("\n## ").next().unwrap_or_default();
    let keys = section.split("<kbd>").skip(1).filter_map(|part| part.split("</kbd>").next());
    keys.map(str::to_owned).collect()
}

fn start(args: &[String]) -> Term {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    program(LAPEL, &args).size(120, 36).start()
}

/// Presses `r` until the screen says this: the tour's clock runs fast, and not as fast as a test.
#[track_caller]
fn checked_until(term: &mut Term, text: &str) {
    let end = Instant::now() + 2 * super::kit::BOUND;
    while !term.shown().has(text) {
        assert!(Instant::now() < end, "waited in vain for: {text}\n{}", term.shown().text);
        term.send("r");
        std::thread::park_timeout(Duration::from_millis(200));
    }
}

/// The first badge is issued, seen to be issued, revoked, seen to be revoked, and there is a receipt.
#[test]
fn the_first_command_leads_to_a_first_badge_and_a_first_revocation() {
    let [tour, _] = commands();
    assert_eq!(tour, ["tour"]);
    let mut term = start(&tour);
    term.shows("Tour 1 of 5: find a holder");
    term.send("3");
    term.shows("Type seoyun.han@naru.example and press");
    term.send("seoyun.han@naru.example");
    term.shows("Holder ▌seoyun.han@naru.example");
    term.send("\r");
    term.shows("Tour 2 of 5: issue a badge");
    term.send("1");
    term.until("a template", |s| s.has("i issues the selected one") && s.has("row 1 of 40"));
    term.send("i");
    term.shows("Enter any name and e-mail address");
    term.send("홍길동");
    term.shows("홍길동");
    term.send("\r");
    term.send("gildong@naru.example");
    term.shows("gildong@naru.example");
    term.send("\r");
    // The duplicate check comes first.
    term.shows(msg_part("No badge of this template"));
    term.shows(&asks("1"));
    term.confirm("1");
    term.shows("Tour 3 of 5: watch it being issued");
    checked_until(&mut term, "Tour 4 of 5: revoke it");
    term.send("\r");
    term.shows("opens the badge of this row");
    term.until("the row", |s| s.has("row 1 of 1") && !s.is_loading());
    term.send("\r");
    term.shows("x revokes the badge");
    term.until("the badge", |s| s.has(msg("Badge id")) && !s.is_loading());
    term.send("x");
    term.shows("A reason is required");
    term.send("중복 발급");
    term.shows("중복 발급");
    term.send("\r");
    term.shows("This cannot be undone");
    term.confirm("1");
    term.shows("Tour 5 of 5: save the receipt");
    checked_until(&mut term, "The badge is revoked, and no row is missing");
    term.send("e");
    term.shows("e is the receipt");
    term.send("e");
    term.shows("saves it in this folder");
    term.send("\x15receipt.csv");
    term.shows("receipt.csv");
    term.send("\r");
    term.shows("Tour: all steps done");
    let receipt = std::fs::read_to_string(term.home.path().join("receipt.csv")).expect("the receipt");
    assert!(receipt.lines().count() == 2 && receipt.contains(msg("revoked")), "{receipt}");
    term.send("q");
    assert_eq!(term.exit_restored().exit_code(), 0);
}

#[test]
fn the_keys_that_the_readme_names_do_what_it_says() {
    let [_, demo] = commands();
    assert_eq!(demo, ["demo"]);
    assert_eq!(keys(), ["i", "i", "1", "⏎", "2", "?", "q"]);
    let mut term = start(&demo);
    term.until("Home", |s| s.has(msg("Needs you")) && s.has(msg("period")) && !s.is_loading());
    term.send("i");
    term.until("the templates", |s| s.has("row 1 of 40") && !s.is_loading());
    term.send("i");
    term.shows(msg("one recipient"));
    term.send("홍길동");
    term.shows("홍길동");
    term.send("\tgildong@naru.example");
    term.shows("gildong@naru.example");
    term.send("\r");
    term.shows(msg_part("No badge of this template"));
    term.shows(&asks("1"));
    term.send(by_hand("1"));
    term.until("the number", |s| s.has("▌1"));
    term.send(by_hand("\r"));
    term.until("the badge waits", |s| s.has("waiting 1"));
    term.send("2");
    term.until("the history with the new badge", |s| s.has("row 1 of 4,301") && !s.is_loading());
    term.send("?");
    term.shows(msg_part("Keys of this screen"));
    term.send("?");
    term.until("the help closed", |s| !s.has(msg_part("Keys of this screen")));
    term.send("q");
    assert_eq!(term.exit_restored().exit_code(), 0);
}
