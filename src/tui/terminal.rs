//! The terminal: taken over at the start, given back at every kind of end.

use super::crash;
use super::editor;
use super::gate::Gate;
use super::message::Message;
use super::pictures::{Asked, KITTY_IDS, Way};
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture, Event, KeyCode,
    KeyEvent, KeyModifiers, MouseButton, MouseEventKind,
};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use std::io::{self, BufWriter, ErrorKind, Stdout, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// The real terminal. Frames are written in one piece.
pub type Screen = Terminal<CrosstermBackend<BufWriter<Line>>>;

/// Whether the terminal is in lapel's hands now.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether nothing is to be drawn any more: the system has told lapel to end, or the terminal has gone away.
static OVER: AtomicBool = AtomicBool::new(false);

/// Whether an editor has the terminal: an interrupt from the keyboard is for it.
static LENT: AtomicBool = AtomicBool::new(false);

/// The first of the names under which kitty was given pictures; 0 where it was given none.
static KITTY: AtomicU32 = AtomicU32::new(0);

/// Whether kitty is spoken to through tmux.
static WRAPPED: AtomicBool = AtomicBool::new(false);

/// Takes note that kitty is given pictures, so that they are taken back with the terminal.
pub fn gives_kitty_pictures(way: &Way) {
    WRAPPED.store(way.wrapped, Ordering::SeqCst);
    KITTY.store(way.first_id, Ordering::SeqCst);
}

/// Standard output, for drawing. When all is over it takes everything and throws it away: the first failure
/// ends the desk, and what is still drawn on the way out must not fail again. (A ratatui terminal that cannot
/// show the cursor when it is dropped prints that on standard error, which panics where that is the same
/// closed window.)
pub struct Line(Stdout);

impl Line {
    fn unless_gone<T>(
        &mut self,
        empty: T,
        write: impl FnOnce(&mut Stdout) -> io::Result<T>,
    ) -> io::Result<T> {
        if OVER.load(Ordering::SeqCst) {
            return Ok(empty);
        }
        let done = write(&mut self.0);
        if done.as_ref().is_err_and(|e| !matches!(e.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock)) {
            OVER.store(true, Ordering::SeqCst);
        }
        done
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_gone(bytes.len(), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_gone((), Stdout::flush)
    }
}

/// Takes the terminal over; gives it back when dropped.
pub struct Taken;

impl Taken {
    /// Raw mode, alternate screen, mouse, bracketed paste.
    ///
    /// # Errors
    /// When standard output is no terminal, or goes away.
    pub fn new() -> io::Result<Self> {
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        // From here on a drop gives it back, also when the next line fails.
        let taken = Self;
        execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste, EnableMouseCapture, cursor::Hide)?;
        Ok(taken)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        give_back();
    }
}

/// Gives the terminal back if it is taken. Errors are passed over: where the terminal is gone, there is
/// nothing to give back.
fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let mut out = io::stdout();
        if let Some(first) = Some(KITTY.load(Ordering::SeqCst)).filter(|first| *first != 0) {
            let wrapped = WRAPPED.load(Ordering::SeqCst);
            for id in first..first.saturating_add(KITTY_IDS) {
                let forget = format!("a=d,d=I,q=2,i={id}");
                let _ = if wrapped {
                    write!(out, "\x1bPtmux;\x1b\x1b_G{forget}\x1b\x1b\\\x1b\\")
                } else {
                    write!(out, "\x1b_G{forget}\x1b\\")
                };
            }
        }
        let _ = execute!(out, DisableMouseCapture, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show);
        let _ = out.flush();
        let _ = disable_raw_mode();
    }
}

/// A screen on the real terminal.
///
/// # Errors
/// When the terminal's size cannot be found out.
pub fn screen() -> io::Result<Screen> {
    Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(1 << 16, Line(io::stdout()))))
}

/// What is written to the terminal besides frames goes here.
pub fn voice() -> Line {
    Line(io::stdout())
}

/// Reads the terminal's input in a thread of its own, for as long as the program runs: `poll` with a
/// time-out freezes on answers that it does not know, and an async stream would add nothing. What the terminal
/// was asked before is listened to first: read by anybody else, the answers would be keys. While the gate is closed
/// nothing is read.
pub fn read_input(messages: mpsc::Sender<Message>, asked: Option<Asked>, gate: Gate) {
    // Detached: it sits in a read that nothing can end but the process.
    std::thread::spawn(move || {
        let mut answers = LateAnswers::default();
        if let Some(heard) = asked.map(Asked::listen) {
            for message in heard.messages {
                if messages.blocking_send(message).is_err() {
                    return;
                }
            }
            answers = LateAnswers::within(heard.broken_off);
        }
        loop {
            gate.pass();
            let message = match crossterm::event::read() {
                Ok(Event::Key(key)) if answers.takes(&key, Instant::now()) => continue,
                Ok(Event::Key(key)) => Message::Key(key),
                Ok(Event::Paste(text)) => Message::Paste(text),
                // A mouse that only moves is no news, and there is much of it.
                Ok(Event::Mouse(mouse)) if is_no_news(mouse.kind) => continue,
                Ok(Event::Mouse(mouse)) => Message::Mouse(mouse),
                // Where there are signals, it is one of them that tells.
                Ok(Event::Resize(..)) if cfg!(unix) => continue,
                Ok(Event::Resize(columns, rows)) => Message::Resize(columns, rows),
                Ok(Event::FocusGained | Event::FocusLost) => continue,
                Err(_) => {
                    let _ = messages.blocking_send(Message::InputClosed);
                    return;
                }
            };
            if messages.blocking_send(message).is_err() {
                return;
            }
        }
    });
}

/// Whether the mouse only moves: with no button down, or with one that means nothing here.
fn is_no_news(kind: MouseEventKind) -> bool {
    match kind {
        MouseEventKind::Moved => true,
        MouseEventKind::Drag(button) => button != MouseButton::Left,
        _ => false,
    }
}

/// Between two bytes of a terminal's answer passes no more time than this; between a person's keys more.
const WITHIN_ANSWER: Duration = Duration::from_millis(100);
/// No answer takes longer than this.
const LONGEST_ANSWER: Duration = Duration::from_secs(1);

/// Recognises the terminal's answers to what somebody has asked it before, such as for its colours. When
/// they come late, over a slow line, they are read as keys: Alt with the letter that begins a control string,
/// then its text, key by key. Left alone, the `/` of a colour opens the filter and an `i` a form.
#[derive(Debug, Default)]
struct LateAnswers {
    /// When the answer that is being read began, and when its last key came.
    reading: Option<(Instant, Instant)>,
}

impl LateAnswers {
    /// At once, where an answer has begun already.
    fn within(answer: bool) -> Self {
        let now = Instant::now();
        Self { reading: answer.then_some((now, now)) }
    }

    /// Whether a key is a part of such an answer.
    fn takes(&mut self, key: &KeyEvent, now: Instant) -> bool {
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        if let Some((began, last)) = self.reading.take()
            && now.saturating_duration_since(last) < WITHIN_ANSWER
            && now.saturating_duration_since(began) < LONGEST_ANSWER
        {
            let bell = key.code == KeyCode::Char('g') && key.modifiers.contains(KeyModifiers::CONTROL);
            let ends = bell || (alt && key.code == KeyCode::Char('\\'));
            self.reading = (!ends).then_some((began, now));
            return true;
        }
        // OSC, DCS, APC, PM and SOS; no key of lapel is among them.
        let begins = alt && matches!(key.code, KeyCode::Char(']' | 'P' | '_' | '^' | 'X'));
        self.reading = begins.then_some((now, now));
        begins
    }
}

/// Signals that end the program become messages, so that it ends the same way as by a key; so does the one
/// that tells of another size.
///
/// # Errors
/// When the handlers cannot be installed.
#[cfg(unix)]
pub fn read_signals(messages: &mpsc::Sender<Message>) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    for kind in [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt()] {
        let mut stream = signal(kind)?;
        let messages = messages.clone();
        tokio::spawn(async move {
            while stream.recv().await.is_some() {
                if kind == SignalKind::interrupt() && LENT.load(Ordering::SeqCst) {
                    continue;
                }
                OVER.store(true, Ordering::SeqCst);
                if messages.send(Message::Terminate).await.is_err() {
                    return;
                }
            }
        });
    }
    // Not through the input thread: that is not listening yet at the start, and in the middle of an answer
    // of the terminal that it does not understand it is not listening either.
    let mut changes = signal(SignalKind::window_change())?;
    let messages = messages.clone();
    tokio::spawn(async move {
        while changes.recv().await.is_some() {
            let Ok((columns, rows)) = crossterm::terminal::size() else { continue };
            if messages.send(Message::Resize(columns, rows)).await.is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Signals that end the program become messages.
///
/// # Errors
/// None on this system.
#[cfg(not(unix))]
pub fn read_signals(messages: &mpsc::Sender<Message>) -> io::Result<()> {
    let messages = messages.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            let _ = messages.send(Message::Terminate).await;
        }
    });
    Ok(())
}

/// Gives the terminal back, stops the program as ctrl-z does, and takes the terminal again afterwards.
///
/// # Errors
/// When the terminal is gone meanwhile.
#[cfg(unix)]
pub fn suspend(taken: Taken) -> io::Result<Taken> {
    use rustix::process::{Signal, getpid, kill_process};
    drop(taken);
    // Where the shell has no job control the signal is ignored, and lapel simply goes on.
    let _ = kill_process(getpid(), Signal::TSTP);
    Taken::new()
}

/// There is no background to go to on this system.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn suspend(taken: Taken) -> io::Result<Taken> {
    Ok(taken)
}

/// Gets the reading thread out of its reading, as another size of the window does; whether that is possible here.
fn wake_input() -> bool {
    #[cfg(unix)]
    {
        use rustix::process::{Signal, getpid, kill_process};
        kill_process(getpid(), Signal::WINCH).is_ok()
    }
    #[cfg(not(unix))]
    false
}

/// Gives the terminal to an editor with a text, and takes it again; what came back, or why nothing did. The gate
/// keeps lapel from the editor's keys.
///
/// # Errors
/// When the terminal is gone meanwhile.
pub fn lend(
    taken: Taken,
    gate: &Gate,
    editor: &str,
    text: &str,
) -> io::Result<(Taken, Result<String, String>)> {
    if !gate.close(wake_input) {
        let why = t!("The terminal cannot be given to an editor just now. The text is as it was; try again.");
        return Ok((taken, Err(why.to_owned())));
    }
    drop(taken);
    LENT.store(true, Ordering::SeqCst);
    let came = editor::run(editor, text);
    LENT.store(false, Ordering::SeqCst);
    let taken = Taken::new();
    gate.open();
    Ok((taken?, came))
}

/// Installs what happens on a panic: a report is written, whichever thread it is. On the thread that owns the terminal: the terminal is given back, then
/// the usual text is printed, and where the report is. On any other: the desk goes on, so nothing may be printed
/// over it; the desk is told.
pub fn on_panic(crash_dir: PathBuf, messages: mpsc::Sender<Message>) {
    let owner = std::thread::current().id();
    let usual = std::panic::take_hook();
    let told = Arc::new(AtomicBool::new(false));
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == owner || !TAKEN.load(Ordering::SeqCst) {
            give_back();
            usual(info);
            let place = crashed(&crash_dir, info);
            // Not eprintln, which panics where that is a closed window.
            let _ = writeln!(
                io::stderr(),
                "{}",
                t!(
                    "lapel: failed, and has ended. Jobs are in the journal: nothing is lost or sent twice. Report: {place}",
                    place
                )
            );
            return;
        }
        let place = crashed(&crash_dir, info);
        // A full queue would block a panicking thread; one notice is enough.
        if !told.swap(true, Ordering::SeqCst) {
            let _ = messages.try_send(Message::Crashed(place));
        }
    }));
}

/// Writes the report; where it is, or why there is none.
fn crashed(folder: &std::path::Path, info: &std::panic::PanicHookInfo<'_>) -> String {
    match crash::write(folder, info) {
        Ok(path) => path.display().to_string(),
        Err(why) => t!("(it could not be written: {why})", why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: char, modifiers: KeyModifiers) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(code), modifiers)
    }

    /// The keys of a text that are left, where they come this far apart.
    fn left(answers: &mut LateAnswers, text: &str, apart: Duration) -> String {
        let mut now = Instant::now();
        let mut left = String::new();
        for c in text.chars() {
            now += apart;
            if !answers.takes(&key(c, KeyModifiers::NONE), now) {
                left.push(c);
            }
        }
        left
    }

    #[test]
    fn a_late_answer_is_taken_whole_and_what_follows_is_not() {
        let quick = Duration::from_millis(1);
        for (begin, end) in [
            (key(']', KeyModifiers::ALT), key('\\', KeyModifiers::ALT)),
            (key(']', KeyModifiers::ALT), key('g', KeyModifiers::CONTROL)),
            (key('P', KeyModifiers::ALT | KeyModifiers::SHIFT), key('\\', KeyModifiers::ALT)),
            (key('_', KeyModifiers::ALT), key('\\', KeyModifiers::ALT)),
        ] {
            let mut answers = LateAnswers::default();
            assert!(answers.takes(&begin, Instant::now()));
            assert_eq!(left(&mut answers, "11;rgb:1a1a/1b1b/2626", quick), "");
            assert!(answers.takes(&end, Instant::now() + Duration::from_millis(30)));
            assert_eq!(left(&mut answers, "jkq", quick), "jkq");
        }
    }

    #[test]
    fn the_rest_of_an_answer_is_no_keys() {
        let mut answers = LateAnswers::within(true);
        assert_eq!(left(&mut answers, "1b/2626", Duration::from_millis(1)), "");
        assert!(answers.takes(&key('g', KeyModifiers::CONTROL), Instant::now()));
        assert_eq!(left(&mut answers, "jkq", Duration::from_millis(1)), "jkq");
        let mut none = LateAnswers::within(false);
        assert_eq!(left(&mut none, "jkq", Duration::from_millis(1)), "jkq");
    }

    #[test]
    fn an_answer_that_breaks_off_does_not_take_a_persons_keys() {
        let mut answers = LateAnswers::default();
        assert!(answers.takes(&key(']', KeyModifiers::ALT), Instant::now()));
        assert_eq!(left(&mut answers, "jkq", Duration::from_millis(120)), "jkq");
        assert!(answers.takes(&key('P', KeyModifiers::ALT), Instant::now()));
        // A key held down comes some thirty times a second.
        assert_eq!(left(&mut answers, &"j".repeat(40), Duration::from_millis(33)).len(), 10);
    }

    #[test]
    fn other_keys_with_alt_are_keys() {
        let mut answers = LateAnswers::default();
        for c in ['b', 'f', 'd', '\\', '[', 'g'] {
            assert!(!answers.takes(&key(c, KeyModifiers::ALT), Instant::now()), "{c}");
        }
        assert!(!answers.takes(&key('P', KeyModifiers::SHIFT), Instant::now()));
    }
}
