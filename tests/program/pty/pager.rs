//! JSON and the request log in the user's pager, which gets the terminal.

use super::kit::{Setup, Term, still_demo};
use crate::texts::{msg_part, msg_with};
use std::os::unix::fs::PermissionsExt;

/// A pager that keeps what it reads, shows a line, and waits for one from the keyboard, as a pager reads keys.
fn with_pager(setup: Setup) -> Setup {
    setup.write(
        "my pager",
        "#!/bin/sh\nenv > \"$HOME/pager.env\"\nprintf '%s\\n' \"$@\" > \"$HOME/pager.args\"\ncat > \"$HOME/pager.in\"\n\
         echo \"paging $(head -n 1 \"$HOME/pager.in\")\"\nread -r line < /dev/tty\n[ \"$line\" = fail ] && exit 3\nexit 0\n",
    );
    let path = setup.home().join("my pager");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("made executable");
    let command = format!("'{}' -R --tabs=4", path.display());
    setup.env("PAGER", &command).env("LAPEL_API_KEY", "key-of-the-environment")
}

fn read(term: &Term, file: &str) -> String {
    std::fs::read_to_string(term.home.path().join(file)).expect("the pager was run")
}

#[test]
fn a_pager_has_the_terminal_and_reads_scrubbed_text() {
    let mut term = with_pager(still_demo()).start();
    term.until("templates", |s| s.has("row 1 of") && !s.is_loading());
    let raw = term.modes();
    term.send("J");
    term.until("the JSON", |s| s.has("GET /badge-templates/") && s.has("line "));
    term.send("|");
    let away =
        term.until("the pager", |s| !s.screen.alternate_screen() && s.has("paging GET /badge-templates/"));
    assert!(!away.screen.bracketed_paste() && !away.screen.hide_cursor());
    assert_eq!(term.modes(), term.modes_before, "the line is as any program finds it");
    assert_eq!(read(&term, "pager.args"), "-R\n--tabs=4\n");
    assert!(!read(&term, "pager.env").contains("key-of-the-environment"));
    let text = read(&term, "pager.in");
    let json = text.split_once("\n\n").expect("the request, then the record").1;
    let record: serde_json::Value = serde_json::from_str(json).expect("the whole record");
    assert!(record.is_object(), "{text}");
    // Each key is the pager's, those that mean something to lapel too.
    term.send("jq\n");
    let back = term.until("lapel again", |s| s.screen.alternate_screen() && s.has("GET /badge-templates/"));
    assert!(back.has("line "), "{}", back.text);
    assert_eq!(term.modes(), raw);
    term.send("q");
    term.shows("row 1 of");

    // The demo reads its index meanwhile, so the first request may be far down.
    term.send("L");
    term.shows(msg_part("requests, newest first"));
    term.send("G");
    term.until("the log", |s| s.has("GET  /badge-templates?"));
    term.send("|");
    term.until("the pager", |s| !s.screen.alternate_screen() && s.has("paging # lapel"));
    let text = read(&term, "pager.in");
    assert!(text.contains("GET") && text.contains("outcome"), "{text}");
    assert!(text.chars().all(|c| !c.is_control() || c == '\n'), "{text}");
    assert!(!text.contains("key-of") && !text.to_lowercase().contains("bearer"), "{text}");
    term.send("fail\n");
    let why = msg_part("The pager (").to_owned();
    let back = term.until("lapel again", |s| s.screen.alternate_screen() && s.has(&why));
    let words: Vec<&str> = back.text.split_whitespace().collect();
    assert!(words.join(" ").contains("exit status: 3"), "{}", back.text);
    term.send("\x03");
    assert_eq!(term.exit_restored().exit_code(), 0);
}

#[test]
fn a_pager_that_is_missing_is_named() {
    let mut term = still_demo().env("PAGER", "/no/such/pager -R").start();
    term.until("templates", |s| s.has("row 1 of") && !s.is_loading());
    term.send("J");
    term.until("the JSON", |s| s.has("GET /badge-templates/") && s.has("line "));
    term.send("|");
    let said =
        msg_with("The pager {named} was not found. Set $PAGER to another one.", &[&"/no/such/pager -R"]);
    let back = term.until("lapel again", |s| s.screen.alternate_screen() && s.has("/no/such/pager -R"));
    assert!(back.text.split_whitespace().collect::<Vec<_>>().join(" ").contains(&said), "{}", back.text);
    term.send("\x03");
    assert_eq!(term.exit_restored().exit_code(), 0);
}

/// Without `$PAGER` it is less, which asks for nothing else.
#[test]
fn without_a_pager_of_ones_own_it_is_less() {
    let setup = still_demo();
    setup.write("bin/less", "#!/bin/sh\necho \"less reads $(head -n 1)\"\nread -r line < /dev/tty\n");
    let bin = setup.home().join("bin");
    std::fs::set_permissions(bin.join("less"), PermissionsExt::from_mode(0o755)).expect("made executable");
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let mut term = setup.env("PATH", &path).env("PAGER", "").start();
    term.until("templates", |s| s.has("row 1 of") && !s.is_loading());
    term.send("J");
    term.until("the JSON", |s| s.has("GET /badge-templates/") && s.has("line "));
    term.send("|");
    term.until("less", |s| !s.screen.alternate_screen() && s.has("less reads GET /badge-templates/"));
    term.send("q\n");
    term.until("lapel again", |s| s.screen.alternate_screen() && s.has("GET /badge-templates/"));
    term.send("\x03");
    assert_eq!(term.exit_restored().exit_code(), 0);
}

/// What a pager made of the terminal's line does not outlive it, however it ends.
#[test]
fn a_pager_that_is_killed_leaves_the_terminal_as_it_was() {
    let mut term = still_demo().env("PAGER", "stty -echo -icanon < /dev/tty; kill -9 $$;").start();
    term.until("templates", |s| s.has("row 1 of") && !s.is_loading());
    let raw = term.modes();
    term.send("J");
    term.until("the JSON", |s| s.has("GET /badge-templates/") && s.has("line "));
    term.send("|");
    let why = msg_part("The pager (").to_owned();
    term.until("lapel again", |s| s.screen.alternate_screen() && s.has(&why));
    assert_eq!(term.modes(), raw);
    term.send("\x03");
    assert_eq!(term.exit_restored().exit_code(), 0);
}

/// A short text is shown until a key is pressed, with all options of less.
#[test]
fn less_waits_for_a_key_on_a_short_text() {
    let setup = still_demo();
    setup.write(
        "bin/less",
        "#!/bin/sh\nprintf '%s %s\\n' \"$LESS\" \"$*\" > \"$HOME/less.args\"\ncat > /dev/null\necho shown\nread -r line < /dev/tty\n",
    );
    let bin = setup.home().join("bin");
    std::fs::set_permissions(bin.join("less"), PermissionsExt::from_mode(0o755)).expect("made executable");
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let mut term = setup.env("PATH", &path).env("PAGER", "less -FRX").env("LESS", "FX").start();
    term.until("templates", |s| s.has("row 1 of") && !s.is_loading());
    term.send("J");
    term.until("the JSON", |s| s.has("GET /badge-templates/") && s.has("line "));
    term.send("|");
    term.until("less", |s| !s.screen.alternate_screen() && s.has("shown"));
    assert_eq!(read(&term, "less.args"), "FX -FRX -+F\n");
    term.send("q\n");
    term.until("lapel again", |s| s.screen.alternate_screen() && s.has("GET /badge-templates/"));
    term.send("\x03");
    assert_eq!(term.exit_restored().exit_code(), 0);
}
