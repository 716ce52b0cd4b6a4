//! The screen as text, for a ticket: without the people who are on it, or with them when that is asked for.

use super::common::session;
use super::*;
use crate::common::texts::{msg, msg_part};
use lapel::api::{Call, HistoryFilter, HistoryQuery, Paging, connect};
use std::collections::BTreeSet;
use std::path::Path;

/// A name whose words are words of lapel too.
const MARK: &str = "Mark Back";

/// The names and addresses of everybody in the sandbox, and of those whom a test adds.
async fn people(h: &Harness) -> Vec<(String, String)> {
    let access = connect(&session(&h.sandbox, Environment::Demo).connection).expect("a client");
    let reader = access.reader();
    let mut all = vec![
        ("홍길동".to_owned(), "gildong.hong@naru.example".to_owned()),
        (MARK.to_owned(), "mark.back@naru.example".to_owned()),
    ];
    for page in 1.. {
        let query = HistoryQuery { filter: HistoryFilter::default(), paging: Paging::full(page) };
        let read = reader.history(&query, &Call::interactive()).await.expect("a page");
        let person =
            |text: Option<lapel::domain::Text>| text.map_or_else(String::new, |text| text.wire().to_owned());
        let items = read.items.into_iter().map(|(_, item)| item);
        all.extend(items.map(|item| (person(item.recipient_name), person(item.recipient_email))));
        if page * 100 >= read.total_count.expect("counted") {
            break;
        }
    }
    all
}

/// Opens the form over what is on the screen and saves it, after these keys.
async fn save(h: &mut Harness, file: &Path, keys: &str) -> String {
    h.run_in_palette(Action::SaveScreen);
    h.settled().await;
    h.press("ctrl-u");
    h.paste(file.to_str().expect("UTF-8"));
    h.press(keys);
    h.press("enter");
    h.until("the file", |s| s.contains(msg_part("Saved the"))).await;
    std::fs::read_to_string(file).expect("written")
}

fn words(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 1);
    words.filter(|word| word.chars().any(char::is_alphabetic)).collect()
}

#[tokio::test]
async fn no_person_is_left_on_any_screen() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = Harness::new(small(), 120, 36).await;
    let row = RowSpec {
        template_id: "TPL-004".into(),
        recipient_name: MARK.into(),
        recipient_email: "mark.back@naru.example".into(),
        ..RowSpec::default()
    };
    h.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
    h.settled().await;
    let people = people(&h).await;
    let places: [(&str, &str); 14] = [
        ("the history", "2"),
        ("its JSON", "J"),
        ("the requests", "q L"),
        ("the badge", "q enter"),
        ("the summary of a holder", "w"),
        ("the copy menu", "y"),
        ("a row further down", "esc 2 G k k"),
        ("the revoke form", "x"),
        ("the filter line", "esc /"),
        ("templates", "esc 1"),
        ("home", "0"),
        ("a draft", "1 i paste"),
        ("its confirmation", "enter"),
        ("the rows of a job", "confirm 5 enter"),
    ];
    // The domains of addresses, words of the footer that are a name only with a capital, and what is left of an escape
    // sequence in a name: an age, too.
    let mut may_stay = BTreeSet::from(["mark", "back", "0m"]);
    may_stay.extend(people.iter().flat_map(|(_, email)| words(email.rsplit('@').next().unwrap_or_default())));
    let mut shown = 0;
    for (n, (place, keys)) in places.into_iter().enumerate() {
        for key in keys.split_whitespace() {
            match key {
                "paste" => {
                    h.paste(&format!("홍길동, gildong.hong@naru.example\n{MARK}, mark.back@naru.example\n"));
                    h.shows("columns").await;
                    h.press("enter");
                    h.until("the review", |s| s.contains(msg_part("Nothing is sent until you confirm. ")))
                        .await;
                }
                "confirm" => {
                    h.confirm("2");
                    h.shows(msg("Problem")).await;
                }
                key => h.press(key),
            }
            h.settled().await;
        }
        let file = folder.path().join(format!("{n}.txt"));
        let masked = save(&mut h, &file, "").await;
        let plain = save(&mut h, &file.with_extension("plain"), "pagedown").await;
        let (left, before) = (words(&masked), words(&plain));
        let mut leaks = BTreeSet::new();
        for (name, email) in &people {
            // Short parts of an address are units and words of lapel, too; the whole address is looked for below.
            let of_email = words(email).into_iter().filter(|part| part.chars().count() > 3);
            let parts: BTreeSet<&str> = words(name).into_iter().chain(of_email).collect();
            for part in parts.into_iter().filter(|part| !may_stay.contains(part)) {
                leaks.extend(left.contains(part).then_some((part, name, email)));
                shown += usize::from(before.contains(part));
            }
            let whole =
                [name, email].into_iter().find(|text| !words(text).is_empty() && masked.contains(*text));
            leaks.extend(whole.map(|text| (text.as_str(), name, email)));
        }
        assert!(leaks.is_empty(), "{place}: {leaks:?}\n{masked}");
        assert_eq!(masked.lines().count(), 36, "{place}");
        assert!(masked.contains("DEMO") && masked.contains("help"), "{place}\n{masked}");
    }
    assert!(shown > 100, "people were on the screens: {shown}");
}

#[tokio::test]
async fn a_screen_is_saved_as_it_was_and_replaces_nothing_unasked() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("screen.txt");
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.press("2");
    let screen = h.settled().await;
    let first = screen.lines().nth(3).expect("a row").to_owned();
    let plain = save(&mut h, &file, "pagedown").await;
    assert!(plain.contains(first.trim_end()), "{plain}");
    assert!(!plain.contains(msg("Save screen as text")), "{plain}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
    }
    h.run_in_palette(Action::SaveScreen);
    assert!(h.screen().contains("lapel-screen-"), "{}", h.screen());
    h.press("ctrl-u");
    h.paste(file.to_str().expect("UTF-8"));
    h.press("enter");
    h.shows(msg_part("A file with this name already exists")).await;
    assert_eq!(std::fs::read_to_string(&file).expect("there"), plain);
    h.confirm("1");
    h.shows(msg_part("Saved the masked screen")).await;
    let masked = std::fs::read_to_string(&file).expect("there");
    assert!(masked != plain && masked.contains("***"), "{masked}");
}

/// Such a screen is what a ticket is about.
#[tokio::test]
async fn the_screen_of_a_connection_that_failed_can_be_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let sandbox = lapel::sandbox::Sandbox::start(small()).await.expect("a sandbox");
    let mut begin = session(&sandbox, Environment::Live);
    begin.connection.pin = Some(super::profiles::pinned("abc_live_"));
    let begin = lapel::tui::FirstConnection::Session(Box::new(begin));
    let mut h = Harness::of(common::tui(begin, lapel::tui::Helpers::default(), 80, 24), sandbox);
    h.shows(msg_part("Pin another key")).await;
    h.press("esc");
    save(&mut h, &folder.path().join("screen.txt"), "").await;
}

/// Nobody has this name, so no record says that it is one.
#[tokio::test]
async fn a_typed_name_of_lapels_words_is_masked() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    h.press("3");
    h.type_text("Mark Page");
    h.press("enter");
    h.shows("“Mark Page”").await;
    h.settled().await;
    let masked = save(&mut h, &folder.path().join("wallet.txt"), "").await;
    assert!(!masked.contains("Mark") && !masked.contains("Page"), "{masked}");
    h.press("2 /");
    h.type_text("name:Mark");
    h.press("enter");
    h.settled().await;
    let masked = save(&mut h, &folder.path().join("history.txt"), "").await;
    assert!(!masked.contains("Mark"), "{masked}");
    h.press("1 i");
    h.settled().await;
    h.type_text("Open File");
    let masked = save(&mut h, &folder.path().join("form.txt"), "").await;
    assert!(!masked.contains("Open File"), "{masked}");
}
