//! The tour as a verb, and an editor that gets the terminal.

use super::kit::{lapel, still_demo};
use crate::texts::{msg, msg_part};
use std::os::unix::fs::PermissionsExt;

#[test]
fn the_tour_is_a_verb_that_begins_and_ends() {
    let mut term = lapel(&["tour"]).start();
    let shown = term.until("the strip", |s| {
        s.has("Tour 1 of 5: find a holder") && s.line(23).contains(msg("quit")) && !s.is_loading()
    });
    assert!(shown.has("DEMO") && shown.line(23).contains(msg("quit")), "{}", shown.text);
    term.send("\x0e");
    term.shows(msg_part("Tour 2 of 5: issue a badge"));
    term.send("\x07");
    term.until("no strip", |s| !s.has(" of 5: ") && s.has(msg_part("The tour has ended")));
    term.send("q");
    assert_eq!(term.exit_restored().exit_code(), 0);
    let note = term.home.path().join("data/tour-taken");
    assert_eq!(std::fs::metadata(&note).expect("noted").permissions().mode() & 0o777, 0o600);

    // It is offered once, and there on request.
    let mut again = lapel(&[]).at(&term.home).start();
    let shown = again.shows(msg("Welcome to lapel"));
    assert!(!shown.has(msg_part("take the tour")), "{}", shown.text);
    again.send("q");
    again.exit_restored();
}

#[test]
fn an_editor_has_the_terminal_and_its_keys_to_itself() {
    let setup = still_demo().env("LAPEL_API_KEY", "key-of-the-environment").env("B_KEY", "key-of-a-profile");
    setup.write(
        "config/config.toml",
        "[profiles.b]\nbase_url = \"https://b.example/api/v1/ext\"\nkey = { env = \"B_KEY\" }\n",
    );
    // It reads a line from the terminal, as an editor reads keys.
    setup.write(
        "editor",
        "#!/bin/sh\nenv > \"$HOME/editor.env\"\necho \"editing: $(cat \"$1\")\"\nread -r line < /dev/tty\n[ \"$line\" = fail ] && exit 3\necho \"$line\" > \"$1\"\n",
    );
    let editor = setup.home().join("editor");
    std::fs::set_permissions(&editor, PermissionsExt::from_mode(0o755)).expect("made executable");
    let mut term = setup.env("EDITOR", editor.to_str().expect("UTF-8")).start();
    term.until("templates", |s| s.has("row 1 of") && !s.is_loading());
    term.send("2");
    term.until("the history", |s| s.has("4,300 badges") && !s.is_loading());
    // The newest ones wait; further down they are issued.
    term.send("#1000\r");
    term.until("the row", |s| s.has("row 1,000 of") && s.selected().contains(msg("Issued")));
    term.send("x");
    term.shows(msg("Reason"));
    term.send("first");
    term.shows(msg("first"));
    let raw = term.modes();
    term.send("\x18");
    let away = term.until("the editor", |s| !s.screen.alternate_screen() && s.has("editing: first"));
    assert!(!away.screen.bracketed_paste() && !away.screen.hide_cursor());
    assert_eq!(term.modes(), term.modes_before, "the line is as any program finds it");
    let seen = std::fs::read_to_string(term.home.path().join("editor.env")).expect("it was started");
    assert!(seen.contains("EDITOR=") && !seen.contains("key-of-"), "{seen}");
    // Each key is the editor's, those that mean something to lapel too.
    term.send("jq\x7f then 중복 발급\n");
    let back = term.until("lapel again", |s| s.screen.alternate_screen() && s.has("j then 중복 발급"));
    assert!(back.has("Revoke 1 badge"), "{}", back.text);
    assert_eq!(term.modes(), raw);
    term.send("!");
    term.shows("j then 중복 발급!");
    term.send("\x18");
    term.until("the editor", |s| !s.screen.alternate_screen() && s.has("editing: j then"));
    term.send("fail\n");
    let back = term.until("lapel again", |s| s.screen.alternate_screen() && s.has("exit status: 3"));
    assert!(back.has("j then 중복 발급!") && back.has("unchanged"), "{}", back.text);
    term.send("\x03");
    assert_eq!(term.exit_restored().exit_code(), 0);
}
