//! A terminal for the tests: starts a program in a pty, keeps what it wrote, and shows the screen that a
//! person would see.

use crate::texts::msg;
use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, SlavePty, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// No condition of a test takes longer than this, however slow the machine.
pub const BOUND: Duration = Duration::from_secs(60);

/// The binary under test.
pub const LAPEL: &str = env!("CARGO_BIN_EXE_lapel");

/// What the reading thread knows.
struct Seen {
    parser: vt100::Parser,
    raw: Vec<u8>,
    /// When the first byte came.
    first: Option<Instant>,
    /// The program and everybody else have closed their side.
    ended: bool,
    /// Whether the reading thread closes the terminal at the next byte.
    leave: bool,
}

impl Seen {
    /// Whether what is on the screen is no half-drawn frame.
    fn is_whole(&self) -> bool {
        let last = |mark: &[u8]| self.raw.windows(mark.len()).rposition(|bytes| bytes == mark);
        let is_closed = last(b"\x1b[?2026l") >= last(b"\x1b[?2026h");
        !self.parser.screen().alternate_screen() || (is_closed && last(b"\x1b[?2026l").is_some())
    }
}

type Shared = Arc<(Mutex<Seen>, Condvar)>;

/// A program in a terminal.
pub struct Term {
    shared: Shared,
    master: Option<Box<dyn MasterPty + Send>>,
    slave: Option<Box<dyn SlavePty + Send>>,
    keyboard: Option<Box<dyn Write + Send>>,
    reader: Option<JoinHandle<()>>,
    child: Option<Box<dyn Child + Send + Sync>>,
    pid: Pid,
    /// Home, settings and data, for as long as the program runs.
    pub home: Arc<TempDir>,
    /// When the program was started.
    pub started: Instant,
    /// The modes of the line before it was started, and as they are asked for later, in words.
    pub modes_before: String,
}

/// How a program is started.
pub struct Setup {
    command: CommandBuilder,
    columns: u16,
    rows: u16,
    /// Home, settings and data.
    pub home: Arc<TempDir>,
    ahead: Vec<u8>,
}

/// `lapel` with arguments, in a clean environment and a home of its own.
/// The TUI begins on Templates, as most scripts do.
pub fn lapel(args: &[&str]) -> Setup {
    lapel_at(LAPEL, args)
}

/// The same, with another build of it.
pub fn lapel_at(path: &str, args: &[&str]) -> Setup {
    let is_tui = args.first().is_none_or(|first| *first == "demo" || first.starts_with("--"));
    let tab: &[&str] = if is_tui && !args.contains(&"--tab") { &["--tab", "templates"] } else { &[] };
    program(path, &[args, tab].concat())
}

/// A demo with a stopped clock, so that nothing moves by itself.
pub fn still_demo() -> Setup {
    lapel(&["demo", "--seed", "7", "--speed", "0"])
}

/// Any program, in a clean environment and a home of its own.
pub fn program(path: &str, args: &[&str]) -> Setup {
    let home = Arc::new(tempfile::tempdir().expect("a folder"));
    let mut command = CommandBuilder::new(path);
    command.args(args);
    command.env_clear();
    command.cwd(home.path());
    for (name, value) in [("LANG", "C.UTF-8"), ("TERM", "xterm-256color"), ("RUST_BACKTRACE", "0")] {
        command.env(name, value);
    }
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", home.path());
    command.env("LAPEL_CONFIG_DIR", home.path().join("config"));
    command.env("LAPEL_DATA_DIR", home.path().join("data"));
    Setup { command, columns: 80, rows: 24, home, ahead: Vec::new() }
}

impl Setup {
    /// With a variable in the environment.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Without a variable in the environment.
    pub fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// In the home of another one.
    pub fn at(mut self, home: &Arc<TempDir>) -> Self {
        self.home = home.clone();
        self.command.cwd(home.path());
        self.command.env("HOME", home.path());
        self.command.env("LAPEL_CONFIG_DIR", home.path().join("config"));
        self.command.env("LAPEL_DATA_DIR", home.path().join("data"));
        self
    }

    /// On a terminal of this size.
    pub fn size(mut self, columns: u16, rows: u16) -> Self {
        (self.columns, self.rows) = (columns, rows);
        self
    }

    /// With this in the line before the program is there to read it: what was typed ahead, and what a terminal
    /// answers that is quicker than any machine is slow.
    pub fn ahead(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.ahead.extend_from_slice(bytes.as_ref());
        self
    }

    /// Its home.
    pub fn home(&self) -> &std::path::Path {
        self.home.path()
    }

    /// With a file in its home.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.home.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, content).expect("written");
    }

    /// Starts it.
    pub fn start(self) -> Term {
        let pair = native_pty_system().openpty(pty_size(self.columns, self.rows)).expect("a pty");
        let modes_before = modes(pair.master.as_ref());
        let shared: Shared = Arc::new((
            Mutex::new(Seen {
                parser: vt100::Parser::new(some(self.rows), some(self.columns), 0),
                raw: Vec::new(),
                first: None,
                ended: false,
                leave: false,
            }),
            Condvar::new(),
        ));
        let source = pair.master.try_clone_reader().expect("a reader");
        let reader = std::thread::spawn({
            let shared = shared.clone();
            move || read(source, &shared)
        });
        let mut keyboard = pair.master.take_writer().expect("a writer");
        keyboard.write_all(&self.ahead).expect("the line takes input");
        let started = Instant::now();
        let child = pair.slave.spawn_command(self.command).expect("the program starts");
        let pid = child.process_id().and_then(|id| Pid::from_raw(id.cast_signed())).expect("a process");
        Term {
            shared,
            master: Some(pair.master),
            slave: Some(pair.slave),
            keyboard: Some(keyboard),
            reader: Some(reader),
            child: Some(child),
            pid,
            home: self.home,
            started,
            modes_before,
        }
    }
}

fn read(mut source: Box<dyn Read + Send>, shared: &Shared) {
    let (seen, news) = &**shared;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = source.read(&mut buffer).unwrap_or(0);
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.parser.process(&buffer[..count]);
        seen.raw.extend_from_slice(&buffer[..count]);
        if count > 0 {
            seen.first.get_or_insert_with(Instant::now);
        } else {
            seen.ended = true;
        }
        let leave = seen.leave || seen.ended;
        if leave {
            // Before the message to the others: they may wait until the terminal is closed.
            drop(source);
            seen.ended = true;
            news.notify_all();
            return;
        }
        news.notify_all();
    }
}

fn pty_size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

pub fn some(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).expect("a size of at least one cell")
}

fn modes(master: &(dyn MasterPty + Send)) -> String {
    format!("{:?}", master.get_termios().expect("the modes of the line"))
}

/// The screen as a person sees it.
#[derive(Clone)]
pub struct Shown {
    /// All of it, a line each.
    pub text: String,
    /// The emulator's own view: cells, modes.
    pub screen: vt100::Screen,
}

impl Shown {
    fn of(screen: &vt100::Screen) -> Self {
        let (_, columns) = screen.size();
        let text = screen.rows(0, columns.get()).map(|l| l.trim_end().to_owned() + "\n").collect();
        Self { text, screen: screen.clone() }
    }

    /// Whether something is on its way.
    pub fn is_loading(&self) -> bool {
        self.text.contains(['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧']) || self.has(msg("loading the picture"))
    }

    pub fn has(&self, what: &str) -> bool {
        self.text.contains(what)
    }

    /// A line by its number from the top.
    pub fn line(&self, at: usize) -> &str {
        self.text.lines().nth(at).unwrap_or_default()
    }

    /// The selected row of a list.
    pub fn selected(&self) -> &str {
        self.text.lines().find(|line| line.starts_with('▌')).unwrap_or_default()
    }
}

impl Term {
    fn seen<T>(&self, look: impl FnOnce(&mut Seen) -> T) -> T {
        look(&mut self.shared.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Types these bytes.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let keyboard = self.keyboard.as_mut().expect("the terminal is open");
        keyboard.write_all(bytes.as_ref()).expect("the terminal takes input");
        keyboard.flush().expect("the terminal takes input");
    }

    /// Confirms what the command line asks about: types the number or the name, then Enter.
    pub fn answer(&mut self, typed: &str) {
        self.send(format!("{typed}\r"));
    }

    /// Types what the confirmation of the TUI asks for, and confirms. Enter comes after the text, as from a person.
    pub fn confirm(&mut self, typed: &str) {
        if !typed.is_empty() {
            self.send(by_hand(typed));
            self.until("what was typed", |shown| shown.has(&format!("▌{typed}")));
        }
        self.send(by_hand("\r"));
    }

    /// Waits until the screen fulfils a condition.
    #[track_caller]
    pub fn until(&self, what: &str, fulfilled: impl Fn(&Shown) -> bool) -> Shown {
        self.until_seen(what, |shown, _| fulfilled(shown))
    }

    /// Waits until the screen, and every byte that was written so far, fulfil a condition.
    #[track_caller]
    pub fn until_seen(&self, what: &str, fulfilled: impl Fn(&Shown, &[u8]) -> bool) -> Shown {
        let (seen, news) = &*self.shared;
        let end = Instant::now() + BOUND;
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let shown = Shown::of(seen.parser.screen());
            if seen.is_whole() && fulfilled(&shown, &seen.raw) {
                return shown;
            }
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !seen.ended, "waited in vain for: {what}\n{}", shown.text);
            seen = news.wait_timeout(seen, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until the bytes that were written so far fulfil a condition. The screen does not count.
    #[track_caller]
    pub fn until_written(&self, what: &str, fulfilled: impl Fn(&[u8]) -> bool) {
        let (seen, news) = &*self.shared;
        let end = Instant::now() + BOUND;
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        while !fulfilled(&seen.raw) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !seen.ended, "waited in vain for: {what}");
            seen = news.wait_timeout(seen, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until nothing was written for so long. Once in a while something may be, such as the count of requests.
    #[track_caller]
    pub fn rests(&self, time: Duration) {
        let (seen, news) = &*self.shared;
        let end = Instant::now() + 2 * BOUND;
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut count, mut since) = (seen.raw.len(), Instant::now());
        while since.elapsed() < time {
            assert!(
                Instant::now() < end && !seen.ended,
                "it never rests\n{}",
                Shown::of(seen.parser.screen()).text
            );
            let left = time.saturating_sub(since.elapsed());
            seen = news.wait_timeout(seen, left).unwrap_or_else(PoisonError::into_inner).0;
            if seen.raw.len() != count {
                (count, since) = (seen.raw.len(), Instant::now());
            }
        }
        assert!(!seen.ended, "the program has ended");
    }

    /// Waits until the screen shows a text.
    #[track_caller]
    pub fn shows(&self, text: &str) -> Shown {
        self.until(text, |shown| shown.has(text))
    }

    /// The screen now.
    pub fn shown(&self) -> Shown {
        self.seen(|seen| Shown::of(seen.parser.screen()))
    }

    /// Every byte that was written so far.
    pub fn raw(&self) -> Vec<u8> {
        self.seen(|seen| seen.raw.clone())
    }

    /// How long it took from the start to the first byte.
    pub fn first_byte(&self) -> Option<Duration> {
        self.seen(|seen| seen.first.map(|at| at.duration_since(self.started)))
    }

    /// Makes the window another size, as a person who drags its corner does.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        let master = self.master.as_ref().expect("the terminal is open");
        let mut seen = self.shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.parser.set_size(some(rows), some(columns));
        master.resize(pty_size(columns, rows)).expect("resized");
    }

    /// The same, until it is drawn: the first frame of another size clears the screen.
    #[track_caller]
    pub fn resize_drawn(&mut self, columns: u16, rows: u16) {
        let cleared = |raw: &[u8]| raw.windows(4).filter(|bytes| *bytes == b"\x1b[2J").count();
        let before = cleared(&self.raw());
        self.resize(columns, rows);
        self.until_written("a frame of the new size", |raw| cleared(raw) > before);
    }

    /// The program's process.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Sends the program a signal.
    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid, signal).expect("the signal is sent");
    }

    /// The modes of the line now.
    pub fn modes(&self) -> String {
        modes(self.master.as_deref().expect("the terminal is open"))
    }

    /// Waits until the line has these modes.
    #[track_caller]
    pub fn until_modes(&self, wanted: &str) {
        let end = Instant::now() + BOUND;
        while self.modes() != wanted {
            assert!(Instant::now() < end, "waited in vain for: {wanted}\n{}", self.modes());
            std::thread::yield_now();
        }
    }

    /// Closes the window. The program must write something by itself soon after `nudge`, which is typed
    /// first: only then does the reading side let go.
    pub fn close(&mut self, nudge: &str) {
        self.seen(|seen| seen.leave = true);
        self.send(nudge);
        self.reader.take().expect("open").join().expect("the reading thread ends");
        self.slave = None;
        self.keyboard = None;
        self.master = None;
    }

    /// Waits for the program to end, and for all that it wrote.
    #[track_caller]
    pub fn exit(&mut self) -> ExitStatus {
        let mut child = self.child.take().expect("still to end");
        let mut killer = child.clone_killer();
        let (tell, told) = std::sync::mpsc::channel();
        let waiting = std::thread::spawn(move || {
            // The caller may have stopped waiting.
            let _ = tell.send(child.wait());
        });
        let Ok(status) = told.recv_timeout(BOUND) else {
            let _ = killer.kill();
            panic!("the program does not end\n{}", self.shown().text);
        };
        waiting.join().expect("the waiting thread ends");
        // With our side of the line closed too, the reading thread sees its end.
        self.slave = None;
        if let Some(reader) = self.reader.take() {
            reader.join().expect("the reading thread ends");
        }
        status.expect("the program's status")
    }

    /// Waits for the end, and finds the terminal as it was before the start.
    #[track_caller]
    pub fn exit_restored(&mut self) -> ExitStatus {
        let status = self.exit();
        self.assert_restored();
        status
    }

    /// The terminal is as it was before the start.
    #[track_caller]
    pub fn assert_restored(&self) {
        let shown = self.shown();
        let screen = &shown.screen;
        assert!(!screen.alternate_screen(), "still on the alternate screen\n{}", shown.text);
        assert!(!screen.bracketed_paste(), "bracketed paste is still on");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None, "the mouse is still on");
        assert!(!screen.hide_cursor(), "the cursor is still hidden");
        let raw = self.raw();
        let last = |what: &[u8]| raw.windows(what.len()).rposition(|w| w == what);
        assert!(last(b"\x1b[?7h") >= last(b"\x1b[?7l"), "lines still do not wrap");
        self.assert_title_restored();
        assert_eq!(self.modes(), self.modes_before, "the modes of the line");
    }
}

impl Term {
    /// The window title is the one from before the start: it was kept as often as it was brought back.
    #[track_caller]
    pub fn assert_title_restored(&self) {
        let raw = self.raw();
        let times = |what: &[u8]| raw.windows(what.len()).filter(|w| *w == what).count();
        let last = |what: &[u8]| raw.windows(what.len()).rposition(|w| w == what);
        assert_eq!(times(b"\x1b[22;0t"), times(b"\x1b[23;0t"), "the title of the window");
        assert!(last(b"\x1b[23;0t") >= last(b"\x1b]0;"), "the title of the window");
    }
}

impl Drop for Term {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Whether `part` is in `whole`.
pub fn contains(whole: &[u8], part: &[u8]) -> bool {
    !part.is_empty() && whole.windows(part.len()).any(|window| window == part)
}

/// As a terminal sends a paste.
pub fn pasted(text: &str) -> String {
    format!("\x1b[200~{text}\x1b[201~")
}

/// Keys as a person presses them. A program's keys come faster, and lapel would take them for a paste: here the mouse
/// moves between them.
pub fn by_hand(keys: &str) -> String {
    keys.chars().flat_map(|key| ["\x1b[<35;1;1M".to_owned(), key.to_string()]).collect()
}
