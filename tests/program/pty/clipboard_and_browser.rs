//! Texts and addresses that lapel passes to the terminal and to programs: clipboard, browser, bell.

use super::kit::{Setup, Shown, Term, contains, lapel, still_demo};
use crate::texts::{asks, msg, msg_part, msg_with};
use base64::Engine;
use std::os::unix::fs::PermissionsExt;

/// With a program of its own in front of all others, which writes its arguments and what it reads into
/// files of the home.
fn with_program(setup: Setup, name: &str, exit: u8) -> Setup {
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HOME/{name}.args\"\n/bin/cat > \"$HOME/{name}.in\"\nexit {exit}\n"
    );
    setup.write(&format!("bin/{name}"), script);
    let path = setup.home.path().join("bin");
    std::fs::set_permissions(path.join(name), PermissionsExt::from_mode(0o755)).expect("made executable");
    setup.env("PATH", path.to_str().expect("UTF-8"))
}

/// On the history, with the menu of what can be copied open; gives the badge id that the menu shows.
fn menu(term: &mut Term) -> String {
    term.shows(msg_part("row 1 of"));
    term.send("2");
    term.until("the history", |s| s.has("4,300 badges") && !s.is_loading());
    term.send("y");
    let shown = term.shows(msg("badge id"));
    id(&shown)
}

fn id(shown: &Shown) -> String {
    let line = shown.text.lines().find(|line| line.contains(msg("badge id"))).expect("the menu's line");
    line.split_whitespace().find(|word| word.starts_with("B-")).expect("an id").to_owned()
}

fn read(term: &Term, file: &str) -> String {
    std::fs::read_to_string(term.home.path().join(file)).expect("the program was run")
}

/// A terminal that obeys: what its clipboard would hold now.
fn clipboard(raw: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(raw);
    let (_, rest) = text.rsplit_once("\x1b]52;c;")?;
    let (encoded, _) = rest.split_once('\x1b')?;
    let bytes = base64::engine::general_purpose::STANDARD.decode(encoded).expect("base64");
    Some(String::from_utf8(bytes).expect("UTF-8"))
}

#[test]
fn over_ssh_the_terminal_gets_the_text_and_the_screen_stays_whole() {
    // The display is that of somebody else, and its program would be the wrong one.
    let setup = still_demo().env("SSH_CONNECTION", "192.0.2.1 1 192.0.2.2 22").env("WAYLAND_DISPLAY", "x");
    let mut term = with_program(setup, "wl-copy", 0).start();
    let id = menu(&mut term);
    term.send("i");
    let shown = term.shows(msg_part("Sent to the terminal's clipboard: badge id"));
    assert!(shown.has(msg_part("It may refuse silently")), "{}", shown.text);
    assert_eq!(clipboard(&term.raw()), Some(id));
    assert!(!term.home.path().join("wl-copy.args").exists());
    assert!(shown.has("4,300 badges"), "{}", shown.text);
    // A table goes whole, in one piece.
    term.send("yt");
    term.shows("Sent to the terminal's clipboard: 100 rows that are loaded");
    let table = clipboard(&term.raw()).expect("a table");
    assert_eq!(table.lines().count(), 101);
    assert!(table.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'), "{table:?}");
    term.send("q");
    term.exit_restored();
}

#[test]
fn a_local_program_is_believed_and_one_that_fails_is_not() {
    let mut term = with_program(still_demo().env("WAYLAND_DISPLAY", "wayland-0"), "wl-copy", 0).start();
    let id = menu(&mut term);
    term.send("i");
    term.shows("Copied: badge id.");
    assert_eq!(read(&term, "wl-copy.in"), id);
    assert!(read(&term, "wl-copy.args").contains("text/plain"));
    assert_eq!(clipboard(&term.raw()), None, "the terminal is not asked, too");

    let mut term = with_program(still_demo().env("DISPLAY", ":0"), "xclip", 1).start();
    let id = menu(&mut term);
    term.send("i");
    term.shows(msg_part("Sent to the terminal's clipboard: badge id"));
    assert_eq!(clipboard(&term.raw()), Some(id));

    let setup = with_program(still_demo().env("DISPLAY", ":0"), "xclip", 3);
    setup.write("config/config.toml", "clipboard = \"native\"\n");
    let mut term = setup.start();
    menu(&mut term);
    term.send("i");
    let shown = term.shows(msg_part("Not copied (badge id)"));
    assert!(shown.has("xclip failed with exit code 3"), "{}", shown.text);
    assert_eq!(clipboard(&term.raw()), None);
}

#[test]
fn inside_tmux_it_is_tmux_that_gets_it() {
    let inside = || still_demo().env("TMUX", "/tmp/no-such-tmux,1,0").env("DISPLAY", ":0");
    let mut term = with_program(inside(), "tmux", 0).start();
    let id = menu(&mut term);
    term.send("i");
    term.shows(msg_part("Copied to tmux: badge id"));
    assert_eq!(read(&term, "tmux.in"), id);
    assert_eq!(read(&term, "tmux.args"), "load-buffer\n-w\n-\n");
    assert_eq!(clipboard(&term.raw()), None);

    // A tmux that does not know how is asked as a terminal, in both forms that it may pass on.
    let mut term = with_program(inside(), "tmux", 1).start();
    let id = menu(&mut term);
    term.send("i");
    term.shows(msg_part("Sent to the terminal's clipboard: badge id"));
    let raw = term.raw();
    assert!(contains(&raw, b"\x1bPtmux;\x1b\x1b]52;c;") && contains(&raw, b"\x1b\x1b\\\x1b\\"));
    assert_eq!(clipboard(&raw), Some(id));
}

#[test]
fn copying_that_is_switched_off_writes_nothing() {
    let setup = still_demo();
    setup.write("config/config.toml", "clipboard = \"off\"\n");
    let mut term = setup.start();
    menu(&mut term);
    term.send("i");
    term.shows(msg_part("copying is off"));
    assert_eq!(clipboard(&term.raw()), None);
}

#[test]
fn a_picture_is_opened_in_the_browser_by_its_address_alone() {
    let desktop = || still_demo().env("WAYLAND_DISPLAY", "wayland-0");
    let mut term = with_program(desktop(), "xdg-open", 0).start();
    term.shows(msg_part("row 1 of"));
    term.send("o");
    // Before that it says what it opens, perhaps for less than a frame.
    term.shows(msg_part("Opened with xdg-open"));
    let args = read(&term, "xdg-open.args");
    assert!(
        args.starts_with("http://127.0.0.1:") && args.ends_with(".png\n") && args.lines().count() == 1,
        "{args}"
    );

    let mut term = with_program(desktop(), "xdg-open", 3).start();
    term.shows(msg_part("row 1 of"));
    term.send("o");
    let shown = term
        .shows(&msg_with("lapel could not open the browser ({why})", &[&"xdg-open failed with exit code 3"]));
    assert!(shown.has(".png"), "{}", shown.text);
    assert!(clipboard(&term.raw()).is_some_and(|link| link.starts_with("http://127.0.0.1:")));
}

#[test]
fn the_bell_rings_when_a_badge_that_is_followed_is_issued() {
    let setup = lapel(&["demo", "--seed", "7", "--speed", "6000"]);
    setup.write("config/config.toml", "notice = \"bell\"\ntheme = \"dark\"\n");
    let mut term = setup.start();
    term.shows(msg_part("row 1 of"));
    term.send("i");
    term.shows(msg("Name"));
    term.send("홍길동\tgildong@naru.example\r");
    term.until("the review", |s| s.has(&asks("1")) && !s.is_loading());
    assert!(!contains(&term.raw(), b"\x07"));
    term.confirm("1");
    term.until("the end", |s| s.has("issued 1"));
    // The bell may follow the frame.
    term.until_written("the bell", |raw| contains(raw, b"\x07"));
}
