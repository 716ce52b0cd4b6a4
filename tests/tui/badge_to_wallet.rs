//! Between the tabs of a support call: from a badge to its holder and back, what was masked and is opened, what
//! the service has sent.

use super::*;
use crate::common::texts::{msg, msg_part};

fn rows(h: &Harness, names: &[&str], email: &str) -> Vec<String> {
    let row = |name: &&str| RowSpec {
        recipient_name: (*name).into(),
        recipient_email: email.into(),
        ..RowSpec::default()
    };
    let insert = names.iter().map(row).collect();
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted")
}

#[tokio::test]
async fn the_wallet_of_a_badge_opens_on_that_badge() {
    let mut h = Harness::new(small(), 100, 40).await;
    let ids = rows(&h, &["가나다", "라마바", "사아자"], "three@naru.example");
    h.settled().await;
    for id in &ids {
        h.press("4");
        h.paste(id);
        h.press("enter");
        let screen = h.settled().await;
        // There is room for what to tell a caller.
        assert!(
            screen.contains("Say ") && screen.contains(msg("Not possible")) && screen.contains(msg("State")),
            "{screen}"
        );
        h.press("w");
        let screen = h.settled().await;
        assert!(screen.contains(&format!("id {id}")), "{id} is the one that is selected:\n{screen}");
        h.press("esc");
    }
}

#[tokio::test]
async fn where_there_is_no_room_what_to_tell_a_caller_stands_below_the_fields() {
    let mut h = Harness::new(small(), 80, 24).await;
    let ids = rows(&h, &["가나다"], "one@naru.example");
    h.settled().await;
    h.press("4");
    h.paste(&ids[0]);
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg("Badge id")) && !screen.contains(msg("Not possible")), "{screen}");
    assert!(screen.contains(msg_part("more lines below: PgDn")), "that there is more is said: {screen}");
    h.press("pagedown pagedown");
    let end = h.settled().await;
    assert!(
        end.contains("Say ")
            && end.contains(msg("Not possible"))
            && !end.contains(msg_part("more lines below")),
        "{end}"
    );
}

#[tokio::test]
async fn opening_a_possible_match_is_noted_without_saying_whose() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut h = Harness::with(small(), 100, 30, |mut session| {
        session = session.kept_in(folder.path().to_owned());
        session.connection.read_only = true;
        session
    })
    .await;
    rows(&h, &["나름이"], "na.rm@naru.example");
    rows(&h, &["나름이"], "other@example.org");
    h.settled().await;
    h.press("3");
    h.paste("나름이");
    h.press("enter");
    h.shows(msg_part("2 addresses have the name")).await;
    let noted = || -> Vec<(i64, String, String, String)> {
        let journal = rusqlite::Connection::open(folder.path().join("journal.sqlite")).expect("the journal");
        let mut all = journal.prepare("SELECT job, what, who, why FROM decision").expect("a table");
        let rows = all.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?))).expect("read");
        rows.collect::<Result<_, _>>().expect("rows")
    };
    h.settled().await;
    assert!(noted().is_empty(), "looking at masked ones is nothing");
    h.press("enter");
    h.settled().await;
    let all = noted();
    assert_eq!(all.len(), 1, "{all:?}");
    let (job, what, who, why) = &all[0];
    assert_eq!((*job, what.as_str()), (0, "open a possible match"));
    assert!(!who.is_empty() && !format!("{who}{why}").contains('@'), "{all:?}");
    let posts = h.sandbox.control().ledger().requests.keys().filter(|what| what.starts_with("POST")).count();
    assert_eq!(posts, 0);
}

#[tokio::test]
async fn categories_and_badge_types_are_seen_as_they_were_sent() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    h.press("b");
    h.settled().await;
    h.press("J");
    let screen = h.settled().await;
    assert!(screen.contains("GET /categories/") && screen.contains("category_id"), "{screen}");
    h.press("l");
    let screen = h.settled().await;
    assert!(screen.contains("GET /badge-types"), "{screen}");
    assert_eq!(requests(&h, "GET /badge-types"), 2, "once for the screen, once as it was sent");
    h.press("esc");
    assert!(h.settled().await.contains(msg_part("9 categories")), "back to where one was");
}

#[tokio::test]
async fn a_badge_that_is_being_revoked_is_not_called_revoked() {
    let mut h = Harness::new(small(), 80, 24).await;
    let row = RowSpec { state: lapel::sandbox::RowState::Revoking, ..RowSpec::default() };
    let ids = h.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
    h.settled().await;
    h.press("4");
    h.paste(&ids[0]);
    h.press("enter");
    h.shows("REVOKING").await;
    h.press("c");
    let screen = h.screen();
    assert!(screen.contains(msg_part("is being revoked, so it cannot be replaced")), "{screen}");
}
