//! A program in a terminal, and when each of its bytes came.

use crate::process::Process;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

pub const COLUMNS: u16 = 120;
pub const ROWS: u16 = 40;
/// No condition takes longer than this.
const BOUND: Duration = Duration::from_secs(900);
/// A person's keys are further apart.
const BETWEEN_KEYS: Duration = Duration::from_millis(20);

/// What the terminal answers at once to the questions of a program: characters of ambiguous width take one cell.
const ANSWERS: &[u8] = b"\x1b[2;2R\x1b[?62;22c";

pub struct Terminal {
    pub process: Process,
    pub started: Instant,
    /// When the first whole frame was there.
    pub first_frame: Option<Instant>,
    /// Bytes so far.
    pub bytes: usize,
    news: Receiver<(Instant, Vec<u8>)>,
    keyboard: Box<dyn Write + Send>,
    parser: vt100::Parser,
    /// The end of the output so far, which may have a half of a mark.
    tail: Vec<u8>,
    is_in_frame: bool,
    child: Box<dyn Child + Send + Sync>,
    _sides: (Box<dyn MasterPty + Send>, Box<dyn SlavePty + Send>),
}

impl Terminal {
    pub fn start(program: &Path, args: &[&str], env: &[(&str, &str)], home: &Path) -> Self {
        let size = PtySize { rows: ROWS, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pty");
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env_clear();
        command.cwd(home);
        for (name, value) in [("LANG", "C.UTF-8"), ("TERM", "xterm-256color")] {
            command.env(name, value);
        }
        command.env("HOME", home);
        command.env("LAPEL_CONFIG_DIR", home.join("config"));
        command.env("LAPEL_DATA_DIR", home.join("data"));
        for (name, value) in env {
            command.env(name, value);
        }
        let mut source = pair.master.try_clone_reader().expect("a reader");
        let (sender, news) = channel();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(count) = source.read(&mut buffer) {
                if count == 0 || sender.send((Instant::now(), buffer[..count].to_vec())).is_err() {
                    return;
                }
            }
        });
        let mut keyboard = pair.master.take_writer().expect("a writer");
        keyboard.write_all(ANSWERS).expect("the terminal takes input");
        let started = Instant::now();
        let child = pair.slave.spawn_command(command).expect("the program starts");
        let some = |n| NonZeroU16::new(n).expect("a size");
        Self {
            process: Process::of(child.process_id().expect("a process")),
            started,
            first_frame: None,
            bytes: 0,
            news,
            keyboard,
            parser: vt100::Parser::new(some(ROWS), some(COLUMNS), 0),
            tail: Vec::new(),
            is_in_frame: false,
            child,
            _sides: (pair.master, pair.slave),
        }
    }

    fn take(&mut self, at: Instant, bytes: &[u8]) {
        self.bytes += bytes.len();
        self.parser.process(bytes);
        self.tail.extend_from_slice(bytes);
        let last = |mark: &[u8]| self.tail.windows(mark.len()).rposition(|bytes| bytes == mark);
        match (last(b"\x1b[?2026h"), last(b"\x1b[?2026l")) {
            (None, None) => {}
            (begin, end) => self.is_in_frame = begin > end,
        }
        if last(b"\x1b[?2026l").is_some() {
            self.first_frame.get_or_insert(at);
        }
        self.tail.drain(..self.tail.len().saturating_sub(8));
    }

    pub fn text(&self) -> String {
        let lines = self.parser.screen().rows(0, COLUMNS);
        lines.map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    /// When a whole frame fulfilled a condition.
    pub fn until(&mut self, what: &str, fulfilled: impl Fn(&str) -> bool) -> Instant {
        let end = Instant::now() + BOUND;
        let mut at = Instant::now();
        loop {
            if !self.is_in_frame && fulfilled(&self.text()) {
                return at;
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.news.recv_timeout(left) {
                Ok((came, bytes)) => {
                    at = came;
                    self.take(came, &bytes);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("waited in vain for: {what}\n{}", self.text())
                }
            }
        }
    }

    pub fn shows(&mut self, text: &str) -> Instant {
        self.until(text, |shown| shown.contains(text))
    }

    /// Reads until the program has been quiet for so long.
    pub fn quiet(&mut self, pause: Duration) {
        while let Ok((came, bytes)) = self.news.recv_timeout(pause) {
            self.take(came, &bytes);
        }
    }

    pub fn send(&mut self, bytes: &str) {
        self.keyboard.write_all(bytes.as_bytes()).expect("the terminal takes input");
        self.keyboard.flush().expect("the terminal takes input");
    }

    /// From a key to the last byte of the frame that shows its effect.
    pub fn key(&mut self, key: &str, shows: &str) -> Duration {
        self.quiet(BETWEEN_KEYS);
        let begin = Instant::now();
        self.send(key);
        self.until(shows, |shown| shown.contains(shows)).saturating_duration_since(begin)
    }

    /// Keys one by one, as a person presses them.
    pub fn type_slowly(&mut self, keys: &str) {
        for key in keys.chars() {
            self.quiet(BETWEEN_KEYS);
            self.send(&key.to_string());
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
