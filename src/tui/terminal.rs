//! The terminal: taken over at the start, given back at every kind of end.

use super::message::Message;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture, Event,
    MouseEventKind,
};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc;

/// The real terminal. Frames are written in one piece.
pub type Screen = Terminal<CrosstermBackend<BufWriter<Stdout>>>;

/// Whether the terminal is in lapel's hands now.
static TAKEN: AtomicBool = AtomicBool::new(false);

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
    Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(1 << 16, io::stdout())))
}

/// Reads the terminal's input in a thread of its own, for as long as the program runs: `poll` with a
/// time-out freezes on answers that it does not know, and an async stream would add nothing.
pub fn read_input(messages: mpsc::Sender<Message>) {
    // Detached: it sits in a read that nothing can end but the process.
    std::thread::spawn(move || {
        loop {
            let message = match crossterm::event::read() {
                Ok(Event::Key(key)) => Message::Key(key),
                Ok(Event::Paste(text)) => Message::Paste(text),
                // A mouse that only moves is no news, and there is much of it.
                Ok(Event::Mouse(mouse))
                    if matches!(mouse.kind, MouseEventKind::Moved | MouseEventKind::Drag(_)) =>
                {
                    continue;
                }
                Ok(Event::Mouse(mouse)) => Message::Mouse(mouse),
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

/// Signals that end the program become messages, so that it ends the same way as by a key.
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
                if messages.send(Message::Terminate).await.is_err() {
                    return;
                }
            }
        });
    }
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

/// Installs what happens on a panic. On the thread that owns the terminal: the terminal is given back, then
/// the usual text is printed. On any other: the desk goes on, so nothing may be printed over it; the text
/// goes into a file and the desk is told.
pub fn on_panic(crash_dir: PathBuf, messages: mpsc::Sender<Message>) {
    let owner = std::thread::current().id();
    let usual = std::panic::take_hook();
    let told = Arc::new(AtomicBool::new(false));
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == owner || !TAKEN.load(Ordering::SeqCst) {
            give_back();
            usual(info);
            return;
        }
        let place = write_crash(&crash_dir, &info.to_string());
        // A full queue would block a panicking thread; one notice is enough.
        if !told.swap(true, Ordering::SeqCst) {
            let _ = messages.try_send(Message::Crashed(place));
        }
    }));
}

fn write_crash(dir: &Path, text: &str) -> String {
    let path = dir.join("crash.txt");
    let written = std::fs::create_dir_all(dir).and_then(|()| {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&path)?;
        writeln!(file, "{} lapel {}: {text}", jiff::Timestamp::now(), env!("CARGO_PKG_VERSION"))
    });
    match written {
        Ok(()) => path.display().to_string(),
        Err(error) => format!("(could not be written: {error})"),
    }
}
