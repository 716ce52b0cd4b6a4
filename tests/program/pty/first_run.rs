//! The first start, before there is a profile; the settings file with a mistake in it.

use super::kit::{Setup, Term, contains, lapel, pasted, program};
use crate::texts::{msg, msg_part};
use lapel::sandbox::{Options, Sandbox};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tokio::runtime::Runtime;

/// A service to set up, apart from lapel's own.
struct Service {
    sandbox: Sandbox,
    // Dropped after the sandbox.
    _runtime: Runtime,
}

fn service() -> Service {
    let runtime = Runtime::new().expect("a runtime");
    let sandbox =
        runtime.block_on(Sandbox::start(Options { seed: 7, ..Options::default() }.showing_waiting()));
    Service { sandbox: sandbox.expect("the sandbox starts"), _runtime: runtime }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|e| e.expect("an entry").path());
    paths.flat_map(|p| if p.is_dir() { files(&p) } else { vec![p] }).collect()
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).expect("there").permissions().mode() & 0o777
}

/// Everything that this start could write is written: the log too.
fn wordy() -> Setup {
    lapel(&[]).env("LAPEL_LOG", "trace")
}

/// Fills in the form on the first screen, without the zone, which lapel cannot learn and asks for once.
fn fill_in(term: &mut Term, base_url: &str, key: &str) {
    fill_in_but_zone(term, base_url, key);
    term.send("\r");
}

/// lapel's question about the zone.
fn asks_zone() -> &'static str {
    msg_part("In which time zone are the service's times?")
}

fn fill_in_but_zone(term: &mut Term, base_url: &str, key: &str) {
    term.shows(msg("Welcome to lapel"));
    term.send("u");
    term.shows(msg("API key"));
    // The demo's word, since a live profile would ask for more later.
    term.send("\x1b[A");
    term.shows(msg("space change"));
    term.send("  ");
    term.shows("(•) DEMO");
    term.send("\t\x15");
    term.send(pasted(&format!("{base_url}\n")));
    term.shows(base_url);
    term.send("\t");
    term.send(pasted(&format!("  {key}\n")));
    term.shows(&"*".repeat(key.len()));
    term.send("\r");
    term.shows(asks_zone());
}

#[test]
fn the_sandbox_is_one_key_away() {
    let mut term = lapel(&[]).start();
    let shown = term.shows(msg("Welcome to lapel"));
    assert!(shown.has(msg_part("No profile is set up yet")), "{}", shown.text);
    term.send("s");
    let shown = term.until("the TUI", |s| s.has("row 1 of") && s.has("DEMO"));
    assert!(shown.has("40 templates"), "{}", shown.text);
    term.send("q");
    term.exit_restored();
    assert_eq!(files(term.home.path()), [""; 0].map(PathBuf::from), "nothing is left behind");
}

#[test]
fn a_service_is_set_up_and_kept() {
    let service = service();
    let (base_url, key) = (service.sandbox.base_url().to_owned(), service.sandbox.api_key().to_owned());
    let mut term = wordy().start();
    fill_in_but_zone(&mut term, &base_url, &key);
    // A key does not belong where it can be read.
    term.send(pasted(&key));
    term.shows(msg_part("It was not pasted"));
    term.send("\r");
    term.until("the TUI", |s| s.has("row 1 of") && s.has("DEMO"));
    term.send("2");
    term.shows(msg_part("row 1 of 4,300"));
    term.send("q");
    term.exit_restored();
    assert!(!contains(&term.raw(), key.as_bytes()), "the key was drawn");

    let home = term.home.path();
    let settings = std::fs::read_to_string(home.join("config/config.toml")).expect("kept");
    assert!(settings.contains(&base_url) && settings.contains("default_profile = \"main\""), "{settings}");
    let key_file = home.join("config/keys/main");
    assert_eq!(std::fs::read_to_string(&key_file).expect("kept").trim(), key);
    assert_eq!(mode(&key_file), 0o600);
    assert_eq!(mode(&home.join("config/keys")), 0o700);
    let written = files(home);
    assert!(written.iter().any(|p| p.ends_with("lapel.log")), "{written:?}");
    for path in written.iter().filter(|p| **p != key_file) {
        let text = std::fs::read(path).expect("readable");
        assert!(!contains(&text, key.as_bytes()), "the key is in {}", path.display());
    }

    // The second start goes straight to the TUI.
    let mut again = wordy().at(&term.home).start();
    let shown = again.until("the TUI", |s| s.has("row 1 of") && s.has("DEMO"));
    assert!(shown.has("DEMO  연습용"), "as the service calls the organisation: {}", shown.text);
    again.send("q");
    again.exit_restored();
    assert!(!contains(&again.raw(), b"Welcome"));
    assert!(!contains(&again.raw(), key.as_bytes()));
}

#[test]
fn a_key_that_the_service_refuses_is_not_kept() {
    let service = service();
    let wrong = "wrong_key_0123456789abcdef";
    let mut term = wordy().start();
    fill_in(&mut term, service.sandbox.base_url(), wrong);
    let shown =
        term.until("that it is refused", |s| s.has(msg_part("Nothing was saved")) && !s.has(asks_zone()));
    assert!(shown.has("key"), "{}", shown.text);
    assert!(!term.home.path().join("config").exists());
    // The right one then is.
    term.send("\x15");
    term.send(pasted(service.sandbox.api_key()));
    term.send("\r");
    term.until("the TUI", |s| s.has("row 1 of"));
    term.send("\x03");
    term.exit_restored();
    assert!(
        !contains(&term.raw(), wrong.as_bytes())
            && !contains(&term.raw(), service.sandbox.api_key().as_bytes())
    );
    for path in files(term.home.path()) {
        let text = std::fs::read(&path).expect("readable");
        assert!(!contains(&text, wrong.as_bytes()), "the refused key is in {}", path.display());
    }
}

#[test]
fn a_service_that_is_not_there_is_not_kept() {
    let mut term = lapel(&[]).start();
    // Port 9 discards, where anything listens on it at all.
    fill_in(&mut term, "http://127.0.0.1:9/api/v1/ext", "some_key_0123456789");
    term.until("that it is not there", |s| s.has(msg_part("Nothing was saved")) && !s.has(asks_zone()));
    term.send("\x1b");
    term.shows(msg_part("No profile is set up yet"));
    term.send("q");
    term.exit_restored();
    // The pace of a key counts for every process of the computer, also while a profile is tried.
    let is_pace = |path: &PathBuf| path.to_string_lossy().contains("pace.sqlite");
    let kept: Vec<PathBuf> = files(term.home.path()).into_iter().filter(|path| !is_pace(path)).collect();
    // What was typed is there again, but for the key. It is written a moment later, and at the latest at the end.
    let [form] = kept.as_slice() else { panic!("{kept:?}") };
    let typed = std::fs::read_to_string(form).expect("the form");
    assert!(typed.contains("127.0.0.1:9") && !typed.contains("some_key_0123456789"), "{typed}");
}

fn broken() -> Setup {
    let setup = lapel(&[]);
    setup.write("config/config.toml", "theme = \"dark\"\n\n[profiles.uni]\nbase_url = \"not a url\"\n");
    setup
}

/// A profile that cannot be used does not keep lapel from starting. The first screen says why, and offers others.
#[test]
fn settings_with_a_mistake_are_named_by_file_line_and_field() {
    let mut term = broken().size(200, 24).start();
    let shown = term.shows(msg_part("Profile uni could not be opened"));
    for part in ["config.toml, line 4", "profiles.uni.base_url"] {
        assert!(shown.has(part), "{part}: {}", shown.text);
    }
    term.send("q");
    assert_eq!(term.exit_restored().exit_code(), 0);
    // A verb has nothing to do without it.
    let mut verb = lapel(&["ping"]).at(&term.home).size(200, 24).start();
    assert_eq!(verb.exit_restored().exit_code(), 2);
    assert!(verb.shown().has("config.toml, line 4"), "{}", verb.shown().text);

    let mut demo = lapel(&["demo", "--seed", "7"]).at(&term.home).size(200, 24).start();
    let shown = demo.until("the TUI", |s| s.has("row 1 of"));
    assert!(shown.has("config.toml, line 4"), "the warning: {}", shown.text);
    demo.send("q");
    assert_eq!(demo.exit_restored().exit_code(), 0);
}

#[test]
fn keys_with_a_mistake_are_named_by_file_and_line() {
    let setup = lapel(&[]);
    setup.write(
        "config/config.toml",
        "[profiles.uni]\nbase_url = \"https://badges.example/api/v1/ext\"\nkey = { env = \"BADGE_KEY\" }\n",
    );
    setup.write("config/keys.toml", "[history]\nrevoke = \"esc\"\n");
    let mut term = setup.env("BADGE_KEY", "dmu_test_0123456789").size(200, 24).start();
    let shown = term.shows("Ignored: keys.toml, line 2");
    for part in ["history.revoke", "back"] {
        assert!(shown.has(part), "{part}: {}", shown.text);
    }
    term.send("\x03");
    assert_eq!(term.exit_restored().exit_code(), 0);

    // At least one mistake of each file that the demo leaves out has a message, with the place of the others.
    for (file, text) in [
        ("theme.toml", "[colours]\ndim = 5000\neror = \"red\"\n"),
        ("filters.toml", "[history.mine]\nnobody = 1\n"),
        ("config.toml", "nothing = 1\n"),
    ] {
        std::fs::write(term.home.path().join("config").join(file), text).expect("written");
    }
    let mut demo = lapel(&["demo", "--seed", "7"]).at(&term.home).size(100, 24).start();
    let shown = demo.until("the TUI", |s| s.has("40 templates") && s.has("filters.toml"));
    for file in [
        "config.toml, line 1",
        "theme.toml, line 2",
        "keys.toml, line 2",
        "filters.toml",
        msg_part("Run lapel info"),
    ] {
        assert!(shown.has(file), "{file}: {}", shown.text);
    }
    demo.send("q");
    assert_eq!(demo.exit_restored().exit_code(), 0);
}

#[test]
fn without_a_terminal_the_app_says_so() {
    let mut term = program("/bin/sh", &["-c", "\"$0\" demo </dev/null", super::kit::LAPEL]).start();
    assert_eq!(term.exit_restored().exit_code(), 2);
    assert!(term.shown().has(msg("lapel needs a terminal")), "{}", term.shown().text);
}

/// The flag holds for every profile that is begun on the first screen, not only for profiles that are there already.
#[test]
fn read_only_applies_from_the_first_screen() {
    let mut term = lapel(&["--read-only"]).start();
    term.shows(msg("Welcome to lapel"));
    term.send("s");
    let shown = term.until("templates", |s| s.has("row 1 of") && !s.is_loading());
    assert!(shown.has("read-only"), "{}", shown.text);
    term.send("i");
    term.shows(msg_part("cannot issue or revoke"));

    let service = service();
    let mut term = lapel(&["--read-only"]).start();
    fill_in(&mut term, service.sandbox.base_url(), service.sandbox.api_key());
    let shown = term.until("templates", |s| s.has("row 1 of") && !s.is_loading());
    assert!(shown.has("read-only"), "{}", shown.text);
    term.send("i");
    term.shows(msg_part("cannot issue or revoke"));
}
