//! The keys that edit a text, in every kind of field, and what a paste does with and without a field.

use super::*;
use crate::common::texts::{msg, msg_part, msg_with};

/// The keys that open each kind of text field.
const FIELDS: [(&str, &str); 7] = [
    ("look-up box", "3"),
    ("palette", "ctrl-p"),
    ("search line", "L /"),
    ("filter line", "2 /"),
    ("filter form", "2 / ctrl-f"),
    ("form field", "1 i"),
    ("badge box", "4"),
];

/// The typed text, the keys, and the text around the cursor afterwards.
const EDITS: &[(&str, &str, &str)] = &[
    ("one two", "home", "|one two"),
    ("one two", "ctrl-a", "|one two"),
    ("one two", "home end", "one two|"),
    ("one two", "home ctrl-e", "one two|"),
    ("one two", "left", "one tw|o"),
    ("one two", "ctrl-b", "one tw|o"),
    ("one two", "home right", "o|ne two"),
    ("one two", "ctrl-left", "one |two"),
    ("one two", "alt-left", "one |two"),
    ("one two", "alt-b alt-b", "|one two"),
    ("one two", "home ctrl-right", "one |two"),
    ("one two", "home alt-right", "one |two"),
    ("one two", "home alt-f alt-f", "one two|"),
    ("one two", "home delete", "|ne two"),
    ("one two", "home ctrl-d", "|ne two"),
    ("one two", "ctrl-h", "one tw|"),
    ("one two", "ctrl-w", "one |"),
    ("one two", "alt-backspace", "one |"),
    ("one two", "ctrl-backspace", "one |"),
    ("one two", "home alt-d", "|two"),
    ("one two", "home alt-delete", "|two"),
    ("one two", "home ctrl-delete", "|two"),
    ("one two", "home right ctrl-k", "o|"),
    ("one two", "ctrl-u ctrl-y", "one two|"),
    ("one two", "ctrl-w ctrl-w ctrl-y", "one two|"),
    ("kim@naru.example", "ctrl-w", "kim@|"),
    ("한서윤 님", "left left", "한서윤| 님"),
    ("한서윤 님", "ctrl-w", "한서윤 |"),
    ("한서윤", "backspace", "한서|"),
    ("한서윤", "home delete", "|서윤"),
    // Hangul as single letters, a letter with its mark, a Tamil syllable and an emoji of three: each is one.
    ("a\u{1112}\u{1161}\u{11ab}", "backspace", "a|"),
    ("ae\u{301}o", "left backspace", "a|o"),
    ("காb", "left backspace", "|b"),
    ("கா\u{bb5}\u{bcd}b", "home delete", "|\u{bb5}\u{bcd}b"),
    ("a\u{1f469}\u{200d}\u{1f4bb}", "backspace", "a|"),
];

#[tokio::test]
async fn every_field_has_the_keys_of_a_shell_and_of_a_desktop() {
    for (field, keys) in FIELDS {
        let mut h = Harness::new(small(), 120, 36).await;
        h.settled().await;
        h.press(keys);
        h.settled().await;
        for (typed, edit, around) in EDITS {
            h.type_text(typed);
            h.press(edit);
            h.type_text("|");
            let screen = h.screen();
            assert!(screen.contains(around), "{field}: {typed} {edit} is not {around}\n{screen}");
            h.press("ctrl-u");
            let screen = h.screen();
            assert!(!screen.contains(around), "{field}: ctrl-u clears\n{screen}");
        }
    }
}

#[tokio::test]
async fn the_help_lists_the_keys_that_edit_a_text_where_there_is_one() {
    let mut h = Harness::new(small(), 120, 60).await;
    h.settled().await;
    for (keys, has_ctrl_f) in [("3", true), ("2 /", false)] {
        h.press(keys);
        h.press("f1 /");
        h.type_text("letter right");
        let screen = h.screen();
        assert!(screen.contains(msg("In the text")), "{screen}");
        let line = screen.lines().find(|line| line.contains(msg("move one letter right"))).expect("a line");
        assert_eq!(line.contains("ctrl-f"), has_ctrl_f, "the form has ctrl-f on the filter line: {line}");
        h.press("enter enter");
        assert!(h.screen().contains(msg_part("closes the help")), "{}", h.screen());
        h.press("esc esc esc");
    }
    h.press("1 ?");
    assert!(!h.screen().contains(msg("In the text")), "{}", h.screen());
}

#[tokio::test]
async fn of_several_pasted_lines_one_is_looked_up_at_a_time_and_none_is_lost() {
    let mut h = Harness::new(frozen(), 100, 30).await;
    h.settled().await;
    h.press("3");
    h.paste("한서윤\tseoyun.han@naru.example\r\nhaneul.lim@example.net\r\n오지호\r\n");
    let screen = h.screen();
    assert!(screen.contains("Holder ▌한서윤 seoyun.han@naru.example\n"), "{screen}");
    let said = msg_with(
        "A look-up is about one holder. lapel used one of {lines}: {taken}. {up} recalls the others.",
        &[&"3 pasted lines", &"한서윤 seoyun.han@naru.example", &"↑"],
    );
    let flowing = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flowing.contains(&said), "{screen}");
    h.press("enter");
    assert!(h.settled().await.contains("한서윤"));
    h.press("w up");
    let screen = h.screen();
    assert!(screen.contains("Holder ▌haneul.lim@example.net"), "{screen}");
    assert!(
        screen.contains(msg("Not looked up yet, then looked up earlier")) && screen.contains("오지호"),
        "{screen}"
    );
    h.press("enter");
    assert!(h.settled().await.contains("임하늘"));
    h.press("w up");
    assert!(h.screen().contains("Holder ▌오지호"), "{}", h.screen());
    // What was looked up is forgotten together with what was not.
    h.press("esc");
    h.run_in_palette(lapel::tui::Action::ForgetRecent);
    h.confirm("1");
    h.settled().await;
    h.press("w ctrl-u");
    assert!(!h.screen().contains("오지호"), "{}", h.screen());
}

#[tokio::test]
async fn a_paste_without_a_field_says_which_key_opens_one() {
    let mut h = Harness::new(small(), 100, 30).await;
    h.settled().await;
    for (keys, offered) in [
        ("0", "/ look up"),
        ("1", "/ filter, 3 Wallet"),
        ("2", "/ filter, 3 Wallet"),
        ("5", "/ search, 3 Wallet"),
        ("L", "/ search"),
    ] {
        h.press(keys);
        h.settled().await;
        h.paste("seoyun.han@naru.example");
        let said = msg_with(
            "Nothing was pasted: no text field is open. Open one first, then paste again: {keys}",
            &[&offered],
        );
        let screen = h.screen();
        let flowing = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flowing.contains(&said), "{keys}: {screen}");
        assert!(!screen.contains("seoyun.han@naru"), "{screen}");
    }
    h.press("esc 2 y");
    h.paste("seoyun");
    assert!(h.screen().contains(msg("Nothing was pasted: there is no text field here.")), "{}", h.screen());
}
