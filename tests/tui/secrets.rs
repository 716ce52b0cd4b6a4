//! An API key in the wrong place: nothing of it is sent, and about mere shape a person is asked once.

use super::*;
use crate::common::texts::{asks, msg, msg_part};

/// Of the shape of a key, and not one.
const SHAPED: &str = "bdg_live_0011223344556677";

async fn tui() -> (Harness, String) {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    let key = h.sandbox.api_key().to_owned();
    (h, key)
}

/// Nothing was asked, and nothing of the key is on the screen or in the log of requests.
async fn nothing_left(h: &mut Harness, before: u64, key: &str, said: &str) {
    let screen = h.settled().await;
    assert!(screen.contains(said), "{said}:\n{screen}");
    assert_eq!(all_requests(h), before, "{screen}");
    let log = format!("{:?}", h.tui.app.cx.client().expect("connected").log());
    assert!(!log.contains(key), "{log}");
}

#[tokio::test]
async fn a_key_is_not_pasted_anywhere_but_where_keys_are_asked_for() {
    let (mut h, key) = tui().await;
    h.press("2");
    h.settled().await;
    for (open, close) in [
        ("3", ""),
        ("3 / ctrl-u", "esc"),
        ("4", "esc"),
        ("1 /", "esc"),
        ("2 /", "esc"),
        (":", "esc"),
        ("1 i", "esc esc"),
        ("2 x", "esc esc"),
        ("2 F", "esc esc"),
    ] {
        h.press(open);
        h.settled().await;
        let before = all_requests(&h);
        for text in
            [key.clone(), format!(" {key}\n"), format!("key: {key}"), format!("a@naru.example\n{key}\n")]
        {
            h.paste(&text);
            nothing_left(&mut h, before, &key, "It was not pasted").await;
            assert!(!h.screen().contains(&key), "{open}: {}", h.screen());
        }
        h.press(close);
        h.settled().await;
    }
}

#[tokio::test]
async fn a_key_that_is_typed_goes_nowhere() {
    for keys in ["3", "4", ":"] {
        let (mut h, key) = tui().await;
        h.press(keys);
        h.settled().await;
        let before = all_requests(&h);
        h.type_text(&key);
        h.press("enter");
        nothing_left(&mut h, before, &key, "This looks like an API key. Nothing was sent.").await;
        assert!(!h.screen().contains(&key), "the box was emptied:\n{}", h.screen());
        // Another key of the same service begins like this one.
        h.type_text(&format!("{}ZZZZZZZZZZZZZZZZ", &key[..9]));
        h.press("enter");
        nothing_left(&mut h, before, &key, "This looks like an API key. Nothing was sent.").await;
    }
}

#[tokio::test]
async fn no_file_gets_the_name_of_a_key() {
    for open in ["2 e", "L e", "2 F"] {
        let (mut h, key) = tui().await;
        h.press(open);
        h.settled().await;
        let before = all_requests(&h);
        h.press("ctrl-u");
        h.type_text(&key);
        h.press("enter");
        nothing_left(&mut h, before, &key, "This looks like an API key. Nothing was sent.").await;
        assert!(!std::path::Path::new(&key).exists(), "{open}");
    }
}

#[tokio::test]
async fn a_filter_that_is_a_key_is_not_asked() {
    for (tab, field) in [("1", "Title"), ("2", "Holder")] {
        let (mut h, key) = tui().await;
        h.press(tab);
        h.settled().await;
        h.press("/");
        h.settled().await;
        // The first characters may be a word; they are typed faster than a pause is long.
        let before = all_requests(&h);
        h.type_text(&key);
        nothing_left(&mut h, before, &key, &format!("{field}: this looks like an API key")).await;
        h.press("esc");
        nothing_left(&mut h, before, &key, "The filter was not changed").await;
    }
}

#[tokio::test]
async fn a_name_and_a_reason_that_are_keys_are_written_nowhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_owned();
    let mut h = Harness::with(small(), 100, 30, move |session| session.kept_in(path)).await;
    h.settled().await;
    let key = h.sandbox.api_key().to_owned();
    h.press("i");
    h.settled().await;
    let before = all_requests(&h);
    h.type_text(&key);
    h.press("tab");
    h.type_text("a@naru.example");
    h.press("enter");
    nothing_left(&mut h, before, &key, "This looks like an API key. Nothing was sent.").await;
    h.press("esc esc 4");
    let row = RowSpec { recipient_email: "holder@example.org".into(), ..RowSpec::default() };
    let ids = h.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
    h.type_text(&ids[0]);
    h.press("enter");
    h.settled().await;
    h.press("x");
    assert!(h.settled().await.contains(msg("Reason")), "{}", h.screen());
    let before = all_requests(&h);
    h.type_text(&format!("used with {key}"));
    h.press("enter");
    nothing_left(&mut h, before, &key, "This looks like an API key. Nothing was sent.").await;
    drop(h);
    for file in std::fs::read_dir(folder.path()).expect("a folder").flatten() {
        let bytes = std::fs::read(file.path()).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains(&key), "{:?}", file.path());
    }
}

#[tokio::test]
async fn about_mere_shape_a_person_is_asked_once() {
    for keys in ["3", "4"] {
        let (mut h, _) = tui().await;
        let text = format!("{SHAPED}{keys}");
        h.press(keys);
        let before = all_requests(&h);
        h.type_text(&text);
        h.press("enter");
        let screen = h.settled().await;
        assert!(
            screen.contains(msg_part("begins with bdg_… looks like an API key"))
                && !screen.lines().any(|line| line.starts_with('│') && line.contains(&text)),
            "{screen}"
        );
        h.press("enter");
        assert!(h.settled().await.contains(&asks("1")), "enter agrees to nothing");
        h.press("esc");
        assert!(h.settled().await.contains(msg("Nothing was sent.")), "{}", h.screen());
        assert_eq!(all_requests(&h), before);
        h.press("enter");
        h.confirm("1");
        h.settled().await;
        let asked = all_requests(&h);
        assert!(asked > before, "it is looked up:\n{}", h.screen());
        h.press(if keys == "3" { "/ ctrl-u" } else { "ctrl-u" });
        h.type_text(&text);
        h.press("enter");
        let screen = h.settled().await;
        assert!(!screen.contains(&asks("1")) && all_requests(&h) > asked, "asked once:\n{screen}");
    }
}

#[tokio::test]
async fn a_filter_of_that_shape_is_asked_about_when_the_bar_is_closed() {
    let (mut h, _) = tui().await;
    h.press("1 /");
    h.settled().await;
    let before = all_requests(&h);
    h.type_text("crs_2026_0011223344556677");
    let screen = h.settled().await;
    assert!(screen.contains(msg("this looks like an API key")) && all_requests(&h) == before, "{screen}");
    h.press("esc");
    assert!(h.settled().await.contains(&asks("1")), "{}", h.screen());
    assert_eq!(all_requests(&h), before);
    h.confirm("1");
    let screen = h.settled().await;
    assert!(all_requests(&h) > before && screen.contains("crs_2026"), "{screen}");
}

#[tokio::test]
async fn who_opens_the_wallet_behind_a_badge_id_is_written_down() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_owned();
    let mut h = Harness::with(small(), 100, 30, move |session| session.kept_in(path)).await;
    h.settled().await;
    let row = RowSpec { recipient_email: "holder@example.org".into(), ..RowSpec::default() };
    let ids = h.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
    let decisions = || -> Vec<(String, String)> {
        let db = rusqlite::Connection::open(folder.path().join("journal.sqlite")).expect("the journal");
        let mut all = db.prepare("SELECT what, why FROM decision WHERE what LIKE 'open %'").expect("a table");
        all.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))
            .expect("rows")
            .collect::<Result<_, _>>()
            .expect("rows")
    };
    h.press("3");
    h.paste(&ids[0]);
    h.press("enter");
    assert!(!h.settled().await.contains("holder@example.org"), "{}", h.screen());
    assert!(decisions().is_empty());
    h.press("enter");
    assert!(h.settled().await.contains("holder@example.org"), "{}", h.screen());
    let written = decisions();
    assert_eq!(written.len(), 1, "{written:?}");
    assert_eq!(written[0].0, "open the wallet of a badge id");
    assert!(written[0].1.ends_with(&ids[0]) && !written[0].1.contains("holder"), "{written:?}");
}
