//! The window title: it follows the screen, names no person, and is given back. `assert_restored` finds that at every
//! kind of end, also after a panic.

use super::kit::{LAPEL, lapel, program, still_demo};
use crate::texts::{msg, msg_part};

/// The titles that were set, in order.
fn titles(raw: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(raw);
    text.split("\x1b]0;").skip(1).filter_map(|rest| Some(rest.split_once("\x1b\\")?.0.to_owned())).collect()
}

#[test]
fn the_window_title_follows_the_screen_and_is_written_once() {
    let mut term = still_demo().start();
    term.shows(msg_part("row 1 of"));
    term.send("2");
    term.shows(msg_part("row 1 of 4,300"));
    term.send("jj3");
    term.shows("Holder ▌");
    term.send("seoyun.han@naru.example\r");
    term.shows("한서윤");
    term.send("\x03");
    term.exit_restored();
    let titles = titles(&term.raw());
    let own: Vec<&str> = titles.iter().map(String::as_str).filter(|title| title.contains("DEMO")).collect();
    let of = |tab: &str| format!("lapel · {} · DEMO demo", msg(tab));
    assert_eq!(own, [of("Templates"), of("History"), of("Wallet")]);
}

#[test]
fn a_stop_gives_it_back_and_the_continuation_sets_it_again() {
    let mut term = program("/bin/sh", &["-i"]).env("PS1", "ready> ").start();
    term.until("a prompt", |s| s.text.starts_with("ready>"));
    term.send(format!("{LAPEL} demo --seed 7 --speed 0 --tab templates\n"));
    term.shows(msg_part("row 1 of"));
    term.send("\x1a");
    term.until("the shell again", |s| !s.screen.alternate_screen() && s.text.trim_end().ends_with("ready>"));
    term.assert_title_restored();
    let before = titles(&term.raw());
    term.send("fg\n");
    term.until("lapel again", |s| s.screen.alternate_screen() && s.has(msg_part("row 1 of")));
    let after = titles(&term.raw());
    assert_eq!((after.len(), after.last()), (before.len() + 1, before.last()));
    term.send("q");
    term.until("the shell again", |s| !s.screen.alternate_screen() && s.text.trim_end().ends_with("ready>"));
    term.assert_title_restored();
    term.send("exit\n");
    term.exit();
}

#[test]
fn a_terminal_that_has_none_gets_none() {
    let mut term = lapel(&[]).env("TERM", "linux").start();
    term.shows(msg("Welcome to lapel"));
    term.send("q");
    term.exit_restored();
    assert_eq!(titles(&term.raw()), Vec::<String>::new());
}
