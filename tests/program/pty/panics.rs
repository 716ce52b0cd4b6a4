//! What a panic does to the terminal. The product has no way to provoke one of its own, so the TUI is run by a child
//! of this test, with a part that panics put in from outside. The loop, the hook and the terminal are the real ones.

use super::kit::{Term, program, still_demo};
use crate::texts::{msg, msg_part};
use crate::verbs::kit::panicking_workbook;
use lapel::config::{GlyphChoice, Palette, PictureSettings};
use lapel::tui::{FirstConnection, Helpers, LoopStep, Start, run};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Names the place that panics in a child; without it, the child's part of a test does nothing.
const PLACE: &str = "LAPEL_TEST_PANIC";

/// Whether the next step of the loop at that place panics.
static PROVOKED: AtomicBool = AtomicBool::new(false);

fn fail_if_provoked(step: LoopStep) {
    let is_here = || std::env::var(PLACE).is_ok_and(|place| place == format!("{step:?}"));
    assert!(!(PROVOKED.load(Ordering::SeqCst) && is_here()), "provoked in the loop");
}

/// Not a test: a TUI for the tests below, on their terminal.
#[test]
#[ignore = "the other side of the tests below; it does nothing without them"]
fn child() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let start = Start {
        first_connection: FirstConnection::Welcome,
        warning: None,
        options: lapel::tui::AppOptions::default(),
        theme: Palette::default(),
        keymap: lapel::tui::Keymap::default(),
        wanted: lapel::tui::InitialView::default(),
        glyphs: GlyphChoice::Unicode,
        joined: lapel::config::JoinedChoice::default(),
        pictures: PictureSettings::none(),
        helpers: Helpers {
            // `s` on the first screen.
            start_sandbox: Arc::new(move || {
                let place = place.clone();
                Box::pin(async move {
                    assert_ne!(place, "a task", "provoked in a task");
                    PROVOKED.store(true, Ordering::SeqCst);
                    std::future::pending().await
                })
            }),
            ..Helpers::default()
        },
        crash_dir: PathBuf::from(std::env::var_os("LAPEL_DATA_DIR").expect("a folder for crashes")),
        app_paths: lapel::tui::AppPaths::default(),
        on_step: fail_if_provoked,
    };
    runtime.block_on(run(start, |_| {})).expect("the app ends");
}

fn app_that_panics(place: &str) -> Term {
    let itself = std::env::current_exe().expect("the path of this test");
    let args = ["pty::panics::child", "--exact", "--ignored", "--nocapture", "--test-threads=1"];
    let term = program(&itself.display().to_string(), &args).env(PLACE, place).start();
    term.shows(msg("Welcome to lapel"));
    term
}

#[test]
fn on_the_apps_own_thread_the_terminal_is_restored_before_the_message() {
    for place in [LoopStep::Update, LoopStep::Draw] {
        let mut term = app_that_panics(&format!("{place:?}"));
        term.send("s");
        assert_eq!(term.exit_restored().exit_code(), 101, "{place:?}");
        let raw = String::from_utf8_lossy(&term.raw()).into_owned();
        let back = raw.rfind("\x1b[?1049l").expect("the alternate screen is left");
        let said = raw.find("provoked in the loop").expect("the panic is said");
        assert!(back < said, "first the terminal, then the words");
        assert!(term.shown().has("provoked in the loop"), "{}", term.shown().text);
        // The report is private, says which actions came before, and is named.
        let file = term.home.path().join("data/crash.txt");
        assert!(raw.contains(&file.display().to_string()), "{raw}");
        let text = std::fs::read_to_string(&file).expect("a crash file");
        assert!(text.contains("panics.rs") && text.contains("choose-sandbox"), "{text}");
        assert_eq!(std::fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn after_a_panic_in_a_task_the_app_continues_and_names_the_report() {
    let mut term = app_that_panics("a task");
    term.send("s");
    let shown = term.shows(msg_part("A part of lapel failed"));
    assert!(shown.screen.alternate_screen(), "{}", shown.text);
    assert!(!shown.has("provoked"), "nothing is printed over the TUI: {}", shown.text);
    let file = term.home.path().join("data/crash.txt");
    let text = std::fs::read_to_string(file).expect("a crash file");
    assert!(text.contains("provoked in a task"), "{text}");
    // The panic appears at once, and its question is answered a moment later.
    term.shows("u service");
    term.send("u");
    term.shows(msg("Base URL"));
    term.send("\x03");
    assert_eq!(term.exit_restored().exit_code(), 0);
}

#[test]
fn a_panic_within_a_spreadsheet_is_only_a_message_about_the_file() {
    let setup = still_demo().size(100, 30);
    setup.write("p.xlsx", panicking_workbook());
    let mut term = setup.start();
    term.until("templates", |s| s.has("row 1 of 40") && !s.is_loading());
    term.send("i");
    term.shows(msg("one recipient"));
    term.send("\t\t");
    term.shows("(\u{2022}) a file");
    term.send("p.xlsx");
    term.shows("p.xlsx");
    term.send("\r");
    let shown = term.shows(msg_part("but is damaged"));
    assert!(!shown.has(msg_part("A part of lapel failed")), "{}", shown.text);
    assert!(!term.home.path().join("data/crash.txt").exists(), "no report of a failure");
    term.send("\x03");
    assert_eq!(term.exit_restored().exit_code(), 0);
}
