//! A TUI on a test terminal over a sandbox of its own, driven by scripted keys.
#![allow(dead_code, reason = "each test binary uses its part")]

pub mod calls;
pub mod readable;
pub mod server;
mod service;
pub mod shot;
pub mod snap;
pub mod texts;

pub use service::{frozen, session};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use lapel::config::{Environment, GlyphChoice, Palette, PictureChoice, PictureSettings};
use lapel::jobs::JournalPlace;
use lapel::sandbox::{Options, Sandbox};
use lapel::tui::{
    FirstConnection, Helpers, InitialView, KeyContext, Keymap, Message, ProfileSession, Start, Surface, Tui,
};
use ratatui::backend::TestBackend;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// No condition of a test takes longer than this, however slow the machine.
const BOUND: Duration = Duration::from_secs(60);

pub struct Harness {
    pub tui: Box<Tui<TestBackend>>,
    pub sandbox: Sandbox,
    trace: Trace,
}

/// Where a test is. A test that fails prints it, so that a long walk names its place.
#[derive(Default)]
struct Trace {
    contexts: Vec<KeyContext>,
    keys: Vec<String>,
}

impl Drop for Trace {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let last = &self.keys[self.keys.len().saturating_sub(12)..];
            eprintln!("failed in {:?} after the keys: {}", self.contexts, last.join(" "));
        }
    }
}

/// Waits until no process has the journal of a data folder open. The tasks and the thread of a TUI that was dropped end
/// a moment later, but those of a process that ended are gone with it.
pub async fn released(folder: &Path) {
    let is_open = || {
        let owners = std::fs::read_dir(folder.join("owners")).into_iter().flatten().flatten();
        owners.into_iter().any(|owner| match std::fs::File::open(owner.path()) {
            Ok(file) => file.try_lock_shared().is_err(),
            Err(_) => false,
        })
    };
    let end = std::time::Instant::now() + BOUND;
    while is_open() {
        assert!(std::time::Instant::now() < end, "the journal is still open");
        tokio::task::yield_now().await;
    }
}

fn helpers() -> Helpers {
    Helpers {
        start_sandbox: Arc::new(|| Box::pin(async { Err("no sandbox here".to_owned()) })),
        keep_profile: Arc::new(|_, _| Box::pin(async { Err("nothing is kept here".to_owned()) })),
        ..Helpers::default()
    }
}

/// Starts a sandbox on a port that no other one of this process has had: lapel remembers for a minute what it has sent
/// to an address, and longer how long it has to wait there.
async fn started(options: Options) -> Sandbox {
    static USED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut others = Vec::new();
    loop {
        let sandbox = Sandbox::start(options.clone()).await.expect("the sandbox starts");
        if USED.lock().expect("a set").insert(sandbox.base_url().to_owned()) {
            return sandbox;
        }
        // It keeps its port, so that the next one gets another.
        others.push(sandbox);
    }
}

impl Harness {
    pub fn of(tui: Tui<TestBackend>, sandbox: Sandbox) -> Self {
        Self { tui: Box::new(tui), sandbox, trace: Trace::default() }
    }

    /// A TUI of a size over a sandbox.
    pub async fn new(options: Options, columns: u16, rows: u16) -> Self {
        Self::with(options, columns, rows, |session| session).await
    }

    /// A TUI whose session is changed before it begins.
    pub async fn with(
        options: Options,
        columns: u16,
        rows: u16,
        change: impl FnOnce(ProfileSession) -> ProfileSession,
    ) -> Self {
        let sandbox = started(options.showing_waiting()).await;
        let session = change(session(&sandbox, Environment::Demo));
        Self::of(tui(FirstConnection::Session(Box::new(session)), helpers(), columns, rows), sandbox)
    }

    /// A TUI that shows pictures in characters.
    pub async fn with_pictures(
        options: Options,
        columns: u16,
        rows: u16,
        change: impl FnOnce(ProfileSession) -> ProfileSession,
    ) -> Self {
        let sandbox = started(options.showing_waiting()).await;
        let session = change(session(&sandbox, Environment::Demo));
        let pictures = PictureSettings { choice: PictureChoice::Halfblocks, ..PictureSettings::none() };
        let first_connection = FirstConnection::Session(Box::new(session));
        Self::of(tui_showing(pictures, first_connection, helpers(), columns, rows), sandbox)
    }

    /// A TUI on its first screen, with no profile.
    pub async fn welcome(columns: u16, rows: u16) -> Self {
        let sandbox = started(Options { history: Some(0), ..frozen() }).await;
        Self::of(tui(FirstConnection::Welcome, helpers(), columns, rows), sandbox)
    }

    /// The same, with a folder for what is kept of its form.
    pub async fn welcome_in(folder: &std::path::Path, columns: u16, rows: u16) -> Self {
        let sandbox = started(Options { history: Some(0), ..frozen() }).await;
        let app_paths = lapel::tui::AppPaths { data_dir: Some(folder.to_owned()), ..Default::default() };
        let start =
            Start { app_paths, ..start(PictureSettings::none(), FirstConnection::Welcome, helpers()) };
        Self::of(tui_from(start, columns, rows), sandbox)
    }

    /// Another TUI on the same sandbox, as after a new start of the program.
    pub async fn reopened(
        self,
        change: impl FnOnce(ProfileSession) -> ProfileSession,
        columns: u16,
        rows: u16,
    ) -> Self {
        let Self { tui: previous, sandbox, trace: _ } = self;
        drop(previous);
        let session = change(session(&sandbox, Environment::Demo));
        if let JournalPlace::Folder(folder) = &session.journal {
            released(folder).await;
        }
        Self::of(tui(FirstConnection::Session(Box::new(session)), helpers(), columns, rows), sandbox)
    }

    /// Pastes text.
    pub fn paste(&mut self, text: &str) {
        self.tui.app.update(Message::Paste(text.to_owned()));
    }

    /// Presses keys by name, one after the other: `j`, `G`, `enter`, `ctrl-u`.
    pub fn press(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            self.tui.app.update(Message::Key(key_event(key)));
            self.trace.keys.push(key.to_owned());
        }
        self.trace.contexts = self.tui.app.key_contexts();
    }

    /// Runs an action from the palette, as a person does whose keys do not have it.
    pub fn run_in_palette(&mut self, action: lapel::tui::Action) {
        self.press("ctrl-p");
        self.type_text(action.help());
        self.press("enter");
        if self.tui.app.modal() == Some("CommandPalette") {
            // A destructive action is not selected by typing.
            self.press("down enter");
        }
    }

    /// No explanation of any action is cut in the palette, on this terminal of 80 columns.
    pub fn reads_the_whole_palette(&mut self) {
        use lapel::tui::Action;
        use unicode_width::UnicodeWidthStr;
        self.press("ctrl-p");
        let shown = self.screen();
        let explained = Action::Sort.short();
        let line = shown.lines().find(|line| line.contains(explained)).expect("it can be sorted");
        let room = 78 - line[..line.find(explained).expect("the explanation")].width();
        let in_palette = Action::ALL.iter().filter(|action| !action.is_hand_work());
        let cut: Vec<_> = in_palette.filter(|action| action.short().width() > room).collect();
        assert!(cut.is_empty(), "more than {room} cells: {cut:?}\n{shown}");
        for _ in Action::ALL.iter().step_by(10) {
            let shown = self.screen();
            let mut entries = shown.lines().filter(|line| line.starts_with('│'));
            assert!(entries.all(|line| !line.contains('…')), "{shown}");
            self.press("pagedown");
        }
        self.press("esc");
    }

    /// Types what the open confirmation asks for, and confirms.
    pub fn confirm(&mut self, typed: &str) {
        self.type_text(typed);
        self.press("enter");
    }

    /// Opens the confirmation of a draft that has been checked, and confirms.
    pub async fn confirm_draft(&mut self, typed: &str) {
        self.settled().await;
        self.press("enter");
        self.confirm(typed);
    }

    /// Types text, character by character.
    pub fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            self.tui.app.update(Message::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)));
        }
    }

    /// What is on the screen, as text.
    pub fn screen(&mut self) -> String {
        snap::text(self.drawn())
    }

    fn drawn(&mut self) -> &ratatui::buffer::Buffer {
        self.tui.draw().expect("a test terminal can be drawn on");
        self.tui.frame()
    }

    /// The columns and rows of the screen.
    pub fn size(&self) -> (u16, u16) {
        let size = Surface::size(&self.tui.surface).expect("a size");
        (size.width, size.height)
    }

    /// The cells of the screen.
    pub fn buffer(&mut self) -> ratatui::buffer::Buffer {
        self.drawn().clone()
    }

    /// Handles messages until the screen fulfils a condition.
    pub async fn until(&mut self, what: &str, fulfilled: impl Fn(&str) -> bool) -> String {
        let waiting = async {
            loop {
                let screen = self.screen();
                if fulfilled(&screen) {
                    return screen;
                }
                let message = self.tui.next().await;
                self.tui.app.update(message);
            }
        };
        match tokio::time::timeout(BOUND, waiting).await {
            Ok(screen) => screen,
            Err(_) => {
                let screen = self.screen();
                panic!("waited in vain for: {what}\n{screen}");
            }
        }
    }

    /// Handles messages until the screen shows a text.
    pub async fn shows(&mut self, text: &str) -> String {
        self.until(text, |screen| screen.contains(text)).await
    }

    /// Waits until so many requests have met a fault of the sandbox.
    pub async fn struck(&mut self, faults: u64) {
        let waiting = async {
            while self.sandbox.control().ledger().faults < faults {
                while let Some(message) = self.tui.queued() {
                    self.tui.app.update(message);
                }
                tokio::task::yield_now().await;
            }
        };
        assert!(tokio::time::timeout(BOUND, waiting).await.is_ok(), "no request met fault {faults}");
    }

    /// Waits until the journal has no such job any more.
    pub async fn gone(&self, id: lapel::jobs::JobId) {
        let jobs = self.tui.app.jobs().expect("jobs").clone();
        let waiting = async { while jobs.job(id).await.is_ok() {} };
        assert!(tokio::time::timeout(BOUND, waiting).await.is_ok(), "job {} is still there", id.0);
    }

    /// Handles messages until nothing that the screen shows is on its way, and every pause is over.
    pub async fn settled(&mut self) -> String {
        let settling = async {
            loop {
                while let Some(message) = self.tui.queued() {
                    self.tui.app.update(message);
                }
                if !self.tui.app.is_busy() {
                    // The number of requests may follow the last answer a moment later.
                    self.tui.app.update(Message::Link);
                    return;
                }
                let message = self.tui.next().await;
                self.tui.app.update(message);
            }
        };
        if tokio::time::timeout(BOUND, settling).await.is_err() {
            let screen = self.screen();
            panic!("never settles\n{screen}");
        }
        self.screen()
    }
}

/// A TUI without a sandbox of its own.
pub fn tui(first_connection: FirstConnection, helpers: Helpers, columns: u16, rows: u16) -> Tui<TestBackend> {
    tui_showing(PictureSettings::none(), first_connection, helpers, columns, rows)
}

/// A TUI for a session, beside another one on the same sandbox.
pub fn tui_of(session: ProfileSession, columns: u16, rows: u16) -> Tui<TestBackend> {
    tui(FirstConnection::Session(Box::new(session)), helpers(), columns, rows)
}

/// The same, with what the command line wants to see first.
pub fn tui_opening(
    wanted: InitialView,
    first_connection: FirstConnection,
    columns: u16,
    rows: u16,
) -> Tui<TestBackend> {
    tui_from(Start { wanted, ..start(PictureSettings::none(), first_connection, helpers()) }, columns, rows)
}

/// The same, with pictures in some way.
fn tui_showing(
    pictures: PictureSettings,
    first_connection: FirstConnection,
    helpers: Helpers,
    columns: u16,
    rows: u16,
) -> Tui<TestBackend> {
    tui_from(start(pictures, first_connection, helpers), columns, rows)
}

fn tui_from(start: Start, columns: u16, rows: u16) -> Tui<TestBackend> {
    Tui::new(TestBackend::new(columns, rows), start).expect("a TUI")
}

/// A TUI on another kind of terminal.
pub fn tui_on<S: Surface>(surface: S, first_connection: FirstConnection) -> Tui<S> {
    Tui::new(surface, start(PictureSettings::none(), first_connection, helpers())).expect("a TUI")
}

/// Most scripts begin on Templates. A session that restores its layout begins where it was left.
fn wanted(first_connection: &FirstConnection) -> InitialView {
    match first_connection {
        FirstConnection::Session(session) if session.view.is_some() => InitialView::default(),
        _ => InitialView::of(Some("templates"), &[]).expect("a tab"),
    }
}

fn start(pictures: PictureSettings, first_connection: FirstConnection, helpers: Helpers) -> Start {
    let wanted = wanted(&first_connection);
    Start {
        first_connection,
        warning: None,
        options: lapel::tui::AppOptions::default(),
        theme: Palette::default(),
        keymap: Keymap::default(),
        wanted,
        glyphs: GlyphChoice::Unicode,
        joined: lapel::config::JoinedChoice::default(),
        pictures,
        helpers,
        crash_dir: std::env::temp_dir(),
        app_paths: lapel::tui::AppPaths::default(),
        on_step: |_| {},
    }
}

/// A key press by name.
pub fn key_event(name: &str) -> KeyEvent {
    let plain = |code| KeyEvent::new(code, KeyModifiers::NONE);
    for (prefix, modifier) in
        [("ctrl-", KeyModifiers::CONTROL), ("alt-", KeyModifiers::ALT), ("shift-", KeyModifiers::SHIFT)]
    {
        if let Some(key) = name.strip_prefix(prefix) {
            return KeyEvent { modifiers: modifier, ..key_event(key) };
        }
    }
    match name {
        "enter" => plain(KeyCode::Enter),
        "esc" => plain(KeyCode::Esc),
        "tab" => plain(KeyCode::Tab),
        "backtab" => plain(KeyCode::BackTab),
        "backspace" => plain(KeyCode::Backspace),
        "space" => plain(KeyCode::Char(' ')),
        "up" => plain(KeyCode::Up),
        "down" => plain(KeyCode::Down),
        "left" => plain(KeyCode::Left),
        "right" => plain(KeyCode::Right),
        "pagedown" => plain(KeyCode::PageDown),
        "pageup" => plain(KeyCode::PageUp),
        "home" => plain(KeyCode::Home),
        "end" => plain(KeyCode::End),
        "delete" => plain(KeyCode::Delete),
        "f1" => plain(KeyCode::F(1)),
        "f2" => plain(KeyCode::F(2)),
        "f5" => plain(KeyCode::F(5)),
        "f8" => plain(KeyCode::F(8)),
        "f10" => plain(KeyCode::F(10)),
        one => {
            let mut chars = one.chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) => plain(KeyCode::Char(c)),
                _ => panic!("{one} is no key"),
            }
        }
    }
}
