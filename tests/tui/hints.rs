//! The footer offers only keys that work, hidden things have a text, and a paste is understood.

use super::*;
use crate::common::texts::{msg, msg_part, msg_with};

fn footer(screen: &str) -> &str {
    screen.trim_end().lines().last().unwrap_or_default()
}

fn flowing(screen: &str) -> String {
    screen.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

async fn look_up(h: &mut Harness, given: &str) -> String {
    h.settled().await;
    h.press("3");
    h.paste(given);
    h.press("enter");
    h.settled().await
}

fn insert(h: &Harness, rows: Vec<RowSpec>) -> Vec<String> {
    h.sandbox.control().rows(&Rows { insert: rows, ..Rows::default() }).expect("inserted")
}

#[tokio::test]
async fn an_id_in_its_sentence_is_read_first() {
    let mut h = Harness::new(small(), 80, 24).await;
    let ids = insert(&h, vec![RowSpec::default()]);
    h.settled().await;
    for given in [format!("배지 {}", ids[0]), format!("https://badges.naru.example/badges/{}", ids[0])] {
        let before = all_requests(&h);
        let screen = look_up(&mut h, &given).await;
        assert!(screen.contains(&format!("id {}", ids[0])), "{given}:\n{screen}");
        assert_eq!(all_requests(&h) - before, 1, "the record alone: a key opens the wallet");
    }
    h.press("4");
    h.paste(&format!("Badge {}: VALID", ids[0]));
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("VALID") && screen.contains(msg("Badge id")), "{screen}");
}

#[tokio::test]
async fn the_badge_tab_offers_nothing_while_there_is_no_badge() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.press("4");
    let screen = h.settled().await;
    assert!(flowing(&screen).contains(msg_part("or open a badge from History or Wallet.")), "{screen}");
    h.press("esc");
    let screen = h.settled().await;
    for dead in ["revoke", "wallet", "correct", "copy", "json", "browser"] {
        assert!(!footer(&screen).to_lowercase().contains(dead), "{dead}:\n{screen}");
    }
    let ids = insert(&h, vec![RowSpec::default()]);
    h.press("4 /");
    h.paste(&ids[0]);
    h.press("enter");
    let screen = h.settled().await;
    assert!(
        footer(&screen).contains(msg_part("x revoke")) && footer(&screen).contains("w wallet"),
        "{screen}"
    );
}

#[tokio::test]
async fn marked_badges_can_be_revoked_by_what_the_footer_says() {
    for columns in [80, 120] {
        let mut h = Harness::new(small(), columns, 24).await;
        h.press("2");
        h.settled().await;
        h.press("space j space");
        let screen = h.settled().await;
        for hint in ["x revoke", "u undo"] {
            assert!(footer(&screen).contains(hint), "{hint}:\n{screen}");
        }
    }
}

#[tokio::test]
async fn a_waiting_badge_opened_by_its_id_says_what_its_record_does_not() {
    let mut h = Harness::new(frozen(), 80, 24).await;
    let screen = look_up(&mut h, "jiho.oh@naru.example").await;
    assert!(screen.contains("OVERDUE"), "{screen}");
    let id = screen.split_whitespace().find(|word| word.starts_with("B-0")).expect("an id").to_owned();
    h.press("4");
    h.paste(&id);
    h.press("enter");
    let screen = h.settled().await;
    let said = flowing(&screen);
    assert!(
        said.contains("WAITING")
            && said.contains(&msg_with(
                "no acceptance time in the record; the wallet may show it: {key}",
                &[&"w"]
            )),
        "{screen}"
    );
    h.press("pagedown pagedown");
    let rest = format!("{said} {}", flowing(&h.settled().await));
    assert!(
        rest.contains(msg_part("This record does not show the acceptance time"))
            && !rest.contains(msg_part("Issuing usually takes 5 minutes")),
        "{rest}"
    );
    h.press("w");
    assert!(h.settled().await.contains("OVERDUE"));
}

#[tokio::test]
async fn the_last_hints_give_way_to_a_message_that_goes_by_itself() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    h.press("2");
    let before = h.settled().await;
    assert!(footer(&before).contains("w wallet"), "{before}");
    h.press("u");
    let told = h.screen();
    assert!(footer(&told).ends_with(msg("There is no mark to undo.")), "{told}");
    assert!(!footer(&told).contains("w wallet"), "{told}");
    for hint in ["⏎ open", "x revoke", "/ filter", "? help"] {
        assert!(footer(&told).contains(hint), "{hint}: {told}");
    }
    crate::copy_log_refresh::pass(20).await;
    h.tui.app.update(Message::Tick);
    assert_eq!(footer(&h.screen()), footer(&before));
}

#[tokio::test]
async fn possible_matches_offer_neither_export_nor_copy() {
    let mut h = Harness::new(small(), 100, 30).await;
    for email in ["a.b@naru.example", "c.d@example.org"] {
        let recipient_email = email.into();
        insert(&h, vec![RowSpec { recipient_name: "나름이".into(), recipient_email, ..RowSpec::default() }]);
    }
    let screen = look_up(&mut h, "나름이 님").await;
    assert!(screen.contains(msg_part("2 addresses have the name")), "{screen}");
    for dead in ["export", "copy", "sort"] {
        assert!(!footer(&screen).contains(dead), "{dead}:\n{screen}");
    }
    for key in ["s", "C"] {
        h.press(key);
        let screen = h.settled().await;
        assert!(screen.contains(msg("There are no badges here to sort.")), "{key}:\n{screen}");
        h.press("backspace");
    }
}

#[cfg(feature = "images")]
#[tokio::test]
async fn a_template_in_full_has_the_keys_of_a_template() {
    let mut h = Harness::with_pictures(small(), 80, 24, |session| session).await;
    let list = h.settled().await;
    assert!(footer(&list).contains(msg_part("/ filter")) && !footer(&list).contains("p picture"), "{list}");
    h.press("enter");
    let full = h.settled().await;
    for behind in ["⏎ open", "filter", "sort", "export"] {
        assert!(!footer(&full).contains(behind), "{behind}:\n{full}");
    }
    assert!(footer(&full).contains("p picture") && footer(&full).contains(msg_part("i issue")), "{full}");
}

#[tokio::test]
async fn the_help_goes_to_its_end_and_back() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.press("?");
    let top = h.settled().await;
    assert!(top.contains(msg_part("more below")), "{top}");
    for (last, first) in [("G", "g"), ("end", "home")] {
        h.press(last);
        let end = h.settled().await;
        assert!(!end.contains(msg_part("more below")) && end != top, "{end}");
        while !h.screen().contains(msg_part("more below")) {
            h.press("k");
        }
        h.press(first);
        assert_eq!(h.settled().await, top);
    }
}

#[tokio::test]
async fn what_is_wrong_ends_as_a_sentence_does() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    h.press("3");
    h.paste("ㅏㅑㅡ@naru.example");
    assert!(flowing(&h.settled().await).contains(msg_part("was the Hangul keyboard on?")));
    h.press("enter");
    let screen = flowing(&h.settled().await);
    assert!(screen.contains(msg_part("was the Hangul keyboard on? No request was sent.")), "{screen}");
    h.press("ctrl-u");
    h.paste("kim@naru");
    h.press("enter");
    let screen = flowing(&h.settled().await);
    assert!(screen.contains(&msg_with("{problem} No request was sent.", &[&"has no dot."])), "{screen}");
}

#[tokio::test]
async fn the_count_of_requests_stays_beside_a_long_query() {
    let mut h = Harness::new(small(), 80, 24).await;
    let screen = look_up(&mut h, &"긴이름".repeat(30)).await;
    assert!(
        screen.contains(msg_part("No badge has the name")) && screen.contains(msg_part("1 request")),
        "{screen}"
    );
}

#[tokio::test]
async fn a_long_list_says_where_one_is_and_a_wide_one_cuts_no_title() {
    let rows = |title: &str| -> Vec<RowSpec> {
        let row = |_| RowSpec {
            template_id: title.into(),
            recipient_name: "많은이".into(),
            recipient_email: "many@naru.example".into(),
            ..RowSpec::default()
        };
        (0..14).map(row).collect()
    };
    let mut h = Harness::new(small(), 80, 24).await;
    insert(&h, rows("TPL-004"));
    look_up(&mut h, "many@naru.example").await;
    // The copies of a badge are folded.
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("row 1 of 14")), "{screen}");
    h.press("j j");
    assert!(h.settled().await.contains(msg_part("row 3 of 14")));
    let mut h = Harness::new(small(), 160, 50).await;
    insert(&h, rows("TPL-004"));
    look_up(&mut h, "many@naru.example").await;
    h.press("enter");
    let screen = h.settled().await;
    let listed: Vec<&str> = screen.lines().skip(4).filter(|line| line.contains("VALID")).collect();
    assert!(listed.len() >= 14 && !screen.contains(msg_part("row 1 of")), "{screen}");
    assert!(!listed.iter().any(|line| line.contains('…')), "{screen}");
}

/// The keys of the footer's hints, each with its words.
fn hinted(screen: &str) -> Vec<(String, String)> {
    let hints = footer(screen)
        .trim()
        .split("  ")
        .filter_map(|hint| hint.trim().trim_start_matches("· ").split_once(' '));
    let key = |shown: &str| match shown {
        "⏎" => "enter".to_owned(),
        letter if letter.len() == 1 => letter.to_owned(),
        name => name.to_lowercase(),
    };
    hints.map(|(shown, words)| (key(shown), words.to_owned())).collect()
}

#[tokio::test]
async fn whatever_a_footer_offers_does_something_at_every_width() {
    let menus: &[_] = &["1 b", "2 s", "2 C 0 j +", "2 f", "2 y", "L", "P"];
    let screens: &[_] = &["1", "2", "3 esc", "4 esc", "5", "0", "0 G enter"];
    // The widest has everything beside its list, and room for more hints.
    for (columns, ways) in [(80, menus), (80, screens), (144, screens)] {
        let mut h = Harness::new(Options { history: Some(30), ..frozen() }, columns, 20).await;
        h.settled().await;
        for way in ways {
            // Leaving lapel is nothing that its screen shows.
            let mut tried = vec!["quit".to_owned()];
            loop {
                // From the page that the hint before has opened.
                h.press("esc esc esc esc backspace");
                h.press(way);
                let screen = h.settled().await;
                let left = hinted(&screen).into_iter().find(|(_, words)| !tried.contains(words));
                let Some((key, words)) = left else { break };
                let (before, asked) = (h.buffer(), h.tui.app.counts.asks);
                h.press(&key);
                // What opens another program is for the loop.
                let did = h.tui.app.counts.asks > asked
                    || h.buffer() != before
                    || h.tui.app.take_loop_command().is_some();
                assert!(did, "{columns} {way}: {key} {words} does nothing\n{screen}");
                tried.push(words);
            }
            assert!(tried.len() > 1, "{way}: {}", h.screen());
            let opens = tried.contains(&"open".to_owned());
            assert!((columns, *way) != (144, "1") || !opens, "what stands beside the list is open already");
        }
    }
}

#[tokio::test]
async fn what_has_no_room_below_the_screen_says_so_and_is_whole_in_the_help() {
    let mut h = Harness::new(small(), 60, 16).await;
    h.settled().await;
    let said: Vec<String> = (0..40).map(|n| format!("word{n:02}")).collect();
    let odd = |words: usize| Message::Odd(said[..words].join(" "));
    // Four lines have room.
    h.tui.app.update(odd(30));
    let screen = h.settled().await;
    assert!(screen.contains("word29") && !screen.contains(msg_part("show all")), "{screen}");
    h.press("?");
    assert!(!h.screen().contains(msg_part("Full message")), "{}", h.screen());
    h.press("esc backspace");
    h.tui.app.update(odd(40));
    let screen = h.settled().await;
    let end = screen.lines().find(|line| line.contains(msg_part("show all"))).expect("an end");
    assert!(end.trim_end().ends_with(msg_part("… ?: show all")) && !screen.contains("word39"), "{screen}");
    h.press("?");
    let help = h.settled().await;
    assert!(flowing(&help).contains(&said.join(" ")), "{help}");
    assert!(help.contains(msg_part("Full message")) && help.contains(Action::Open.help()), "{help}");
    // Also behind something short that was said since; and it leaves the rows of a menu alone.
    h.press("esc");
    h.run_in_palette(Action::AutoRefresh);
    h.press("?");
    assert!(flowing(&h.settled().await).contains(&said.join(" ")), "{}", h.screen());
    h.press("esc ctrl-p");
    let menu = h.settled().await;
    assert!(menu.contains("word00") && !menu.contains("word20"), "{menu}");
    // It is still there, until it is closed.
    h.press("esc");
    assert!(h.settled().await.contains(msg_part("show all")));
    h.press("backspace");
    assert!(!h.settled().await.contains("word00"));
}
