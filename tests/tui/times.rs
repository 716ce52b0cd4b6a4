//! Times on the screens: one form in each column, and one zone, named once.

use super::common::{session, tui};
use super::*;
use crate::common::texts::msg_with;
use lapel::sandbox::Sandbox;
use lapel::tui::{FirstConnection, Helpers};
use std::collections::BTreeSet;

/// The forms of a time that a column may have, the longest first.
const FORMS: [&str; 3] = ["0000-00-00 00:00", "00-00 00:00", "0000-00-00"];

/// The forms of the times in the rows of a list. A line separates the list from what is below it.
fn forms(screen: &str) -> BTreeSet<&'static str> {
    let list = screen.lines().skip(3).take_while(|line| !line.contains("──"));
    list.filter_map(|line| {
        let form: String = line.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        FORMS.into_iter().find(|known| form.contains(known))
    })
    .collect()
}

#[tokio::test]
async fn a_column_has_one_form_of_time_and_the_zone_is_named_once() {
    let mut h = Harness::new(Options { history: Some(600), ..frozen() }, 80, 24).await;
    h.settled().await;
    // The end of the history is years ago, so every time then shows its year.
    for (keys, form) in [
        ("0", None),
        ("1", None),
        ("2", None),
        ("2 G", Some(FORMS[0])),
        ("g", Some(FORMS[0])),
        ("3", None),
        ("esc 4", None),
        ("esc 5", None),
        ("L", None),
    ] {
        h.press(keys);
        let screen = h.settled().await;
        assert_eq!(screen.matches("UTC").count(), 1, "{keys}: {screen}");
        assert!(screen.lines().nth(1).is_some_and(|rule| rule.contains("UTC+9 ")), "{keys}: {screen}");
        let forms = forms(&screen);
        assert!(
            forms.len() <= 1 && form.is_none_or(|form| forms.iter().all(|f| *f == form)),
            "{forms:?} {keys}: {screen}"
        );
    }
}

#[tokio::test]
async fn a_zone_that_is_not_known_says_so_once() {
    let sandbox = Sandbox::start(small()).await.expect("a sandbox");
    let mut unknown = session(&sandbox, Environment::Demo);
    unknown.connection.utc_offset = None;
    let first_connection = FirstConnection::Session(Box::new(unknown));
    let mut h = Harness::of(tui(first_connection, Helpers::default(), 80, 24), sandbox);
    for tab in ["0", "1", "2"] {
        h.press(tab);
        let screen = h.settled().await;
        let assumed = msg_with("{zone} assumed", &[&""]);
        assert_eq!(screen.matches(assumed.trim()).count(), 1, "{screen}");
        assert_eq!(screen.matches("UTC").count(), 1, "{screen}");
    }
}
