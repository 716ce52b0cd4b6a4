//! The terminal: taken over at the start, given back at every kind of end.

use crate::job_control;
use crate::tui::input::escapes::Escapes;
use crate::tui::input::pause::InputPause;
use crate::tui::message::Message;
use crate::tui::platform::canvas::Canvas;
use crate::tui::platform::crash;
use crate::tui::platform::editor;
use crate::tui::platform::images::{KITTY_IDS, TerminalQueries, Way};
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture, Event, MouseButton,
    MouseEventKind,
};
use crossterm::terminal::{
    DisableLineWrap, EnableLineWrap, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use std::io::{self, ErrorKind, Stdout, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::time::Instant;
use tokio::sync::mpsc;

/// The real terminal.
pub type Screen = Terminal<Canvas<Line>>;

/// Whether the terminal is in lapel's hands now.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether lapel was continued, and its task has not heard of it yet: then it must not stop.
#[cfg(unix)]
static CONTINUED: std::sync::LazyLock<Arc<AtomicBool>> = std::sync::LazyLock::new(Arc::default);

/// Whether nothing is to be drawn any more: the system has told lapel to end, or the terminal has gone away.
static OVER: AtomicBool = AtomicBool::new(false);

/// The loop has the terminal, and takes signals as messages.
const LOOP: u8 = 0;
/// An editor has the terminal: an interrupt from the keyboard is for it, and a stop is obeyed at once.
const EDITOR: u8 = 1;
/// The loop has ended: nobody reads messages any more.
const NOBODY: u8 = 2;

/// Who has the terminal.
static HOLDER: AtomicU8 = AtomicU8::new(LOOP);

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
    /// Raw mode, alternate screen, mouse, bracketed paste. What is too wide for a line stays in it: where the
    /// terminal takes more cells than lapel reserved, nothing moves into the next row.
    ///
    /// # Errors
    /// When standard output is no terminal, or goes away.
    pub fn new() -> io::Result<Self> {
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        // From here on a drop gives it back, also when the next line fails.
        let taken = Self;
        execute!(
            io::stdout(),
            EnterAlternateScreen,
            EnableBracketedPaste,
            EnableMouseCapture,
            DisableLineWrap,
            cursor::Hide
        )?;
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
    // In the background, as after SIGSTOP, the terminal is the shell's: it has set its own modes, and lapel would
    // only be stopped for setting others.
    if TAKEN.swap(false, Ordering::SeqCst) && job_control::may_write() {
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
        let _ = execute!(
            out,
            EnableLineWrap,
            DisableMouseCapture,
            DisableBracketedPaste,
            LeaveAlternateScreen,
            cursor::Show
        );
        let _ = out.flush();
        if job_control::is_foreground() {
            let _ = disable_raw_mode();
        }
    }
}

/// A screen on the real terminal.
///
/// # Errors
/// When the terminal's size cannot be found out.
pub fn screen() -> io::Result<Screen> {
    Terminal::new(Canvas::new(Line(io::stdout())))
}

/// What is written to the terminal besides frames goes here.
pub fn voice() -> Line {
    Line(io::stdout())
}

/// Reads the terminal's input in a thread of its own, for as long as the program runs: `poll` with a
/// time-out freezes on answers that it does not know, and an async stream would add nothing. What the terminal
/// was asked before is listened to first: read by anybody else, the answers would be keys. While the pause is closed
/// nothing is read.
pub fn read_input(messages: mpsc::Sender<Message>, asked: Option<TerminalQueries>, pause: InputPause) {
    // Detached: it sits in a read that nothing can end but the process.
    std::thread::spawn(move || {
        let mut escapes = Escapes::default();
        if let Some(heard) = asked.map(TerminalQueries::listen) {
            for message in heard.messages {
                if messages.blocking_send(message).is_err() {
                    return;
                }
            }
            escapes = Escapes::within(heard.broken_off);
        }
        loop {
            pause.pass();
            let message = match crossterm::event::read() {
                Ok(Event::Key(key)) => match escapes.pass(key, Instant::now()) {
                    Some(key) => Message::Key(key),
                    None => continue,
                },
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

/// Signals become messages: those that end the program, so that it ends the same way as by a key; those that stop
/// and continue it, so that the terminal is given back and taken again; and the one that tells of another size.
///
/// # Errors
/// When the handlers cannot be installed.
#[cfg(unix)]
pub fn read_signals(messages: &mpsc::Sender<Message>) -> io::Result<()> {
    use rustix::process::Signal as Number;
    use std::future::poll_fn;
    use std::task::Poll;
    use tokio::signal::unix::{Signal, SignalKind, signal};
    let all = |kinds: &[SignalKind]| -> io::Result<Vec<(SignalKind, Signal)>> {
        kinds.iter().map(|kind| Ok((*kind, signal(*kind)?))).collect()
    };
    let number = |signal: Number| SignalKind::from_raw(signal.as_raw());
    let mut ends = all(&[
        SignalKind::terminate(),
        SignalKind::hangup(),
        SignalKind::interrupt(),
        SignalKind::quit(),
        SignalKind::alarm(),
        SignalKind::user_defined1(),
        SignalKind::user_defined2(),
    ])?;
    let mut stops = all(&[number(Number::TSTP), number(Number::TTIN), number(Number::TTOU)])?;
    let mut continues = all(&[number(Number::CONT)])?;
    signal_hook::flag::register(Number::CONT.as_raw(), CONTINUED.clone())?;
    // Not through the input thread: that is not listening yet at the start, and in the middle of an answer
    // of the terminal that it does not understand it is not listening either.
    let mut changes = all(&[SignalKind::window_change()])?;
    let messages = messages.clone();
    tokio::spawn(async move {
        loop {
            let message = poll_fn(|cx| {
                let mut came = |signals: &mut [(SignalKind, Signal)]| {
                    let mut signals = signals.iter_mut();
                    signals.find_map(|(kind, one)| one.poll_recv(cx).is_ready().then_some(*kind))
                };
                // What ends the program comes first: a shell that ends a stopped lapel continues it, too.
                if let Some(kind) = came(&mut ends) {
                    return Poll::Ready(ended_by(kind));
                }
                let stop = came(&mut stops);
                // A stop that came before it is over.
                if came(&mut continues).is_some() {
                    CONTINUED.store(false, Ordering::SeqCst);
                    let loops = HOLDER.load(Ordering::SeqCst) == LOOP;
                    return Poll::Ready(loops.then_some(Message::Continued));
                }
                if stop.is_some() {
                    return Poll::Ready(stopped());
                }
                if came(&mut changes).is_some() {
                    let size = crossterm::terminal::size().ok();
                    return Poll::Ready(size.map(|(columns, rows)| Message::Resize(columns, rows)));
                }
                Poll::Pending
            });
            if let Some(message) = message.await
                && messages.send(message).await.is_err()
            {
                return;
            }
        }
    });
    Ok(())
}

/// What a signal that ends the program becomes.
#[cfg(unix)]
fn ended_by(kind: tokio::signal::unix::SignalKind) -> Option<Message> {
    use tokio::signal::unix::SignalKind;
    let of_keyboard = [SignalKind::interrupt(), SignalKind::quit()].contains(&kind);
    if of_keyboard && HOLDER.load(Ordering::SeqCst) == EDITOR {
        return None;
    }
    OVER.store(true, Ordering::SeqCst);
    Some(Message::Terminate)
}

/// What a signal that stops the program becomes.
#[cfg(unix)]
fn stopped() -> Option<Message> {
    if HOLDER.load(Ordering::SeqCst) == LOOP {
        return Some(Message::Stop);
    }
    if job_control::can_stop() && !CONTINUED.load(Ordering::SeqCst) {
        let _ = job_control::stop();
    }
    None
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

/// The real terminal, as the loop holds it: taken, lent to an editor, or with the shell while lapel is stopped.
pub struct Hold {
    taken: Option<Taken>,
    pause: InputPause,
}

impl Hold {
    /// Takes the terminal; `None` when the system has told lapel to end before it had it. In the background it is
    /// waited for, stopped, as every program waits that needs it.
    ///
    /// # Errors
    /// When standard output is no terminal, or goes away.
    pub fn new(pause: InputPause) -> io::Result<Option<Self>> {
        #[cfg(unix)]
        while !job_control::is_foreground() && job_control::can_stop() {
            if OVER.load(Ordering::SeqCst) {
                return Ok(None);
            }
            job_control::stop_group()?;
        }
        HOLDER.store(LOOP, Ordering::SeqCst);
        Ok(Some(Self { taken: Some(Taken::new()?), pause }))
    }
}

impl crate::tui::Elsewhere for Hold {
    #[cfg(unix)]
    fn stop(&mut self, whole_group: bool) -> io::Result<()> {
        if !job_control::can_stop() {
            return Ok(());
        }
        let had = self.taken.take().is_some();
        // Once it is continued a message says so, and the terminal is taken then.
        let stopped = match whole_group {
            true => job_control::stop_group(),
            false if CONTINUED.load(Ordering::SeqCst) => Ok(()),
            false => job_control::stop(),
        };
        if stopped.is_err() && had {
            self.taken = Some(Taken::new()?);
        }
        Ok(())
    }

    /// There is no background to go to on this system.
    #[cfg(not(unix))]
    fn stop(&mut self, _: bool) -> io::Result<()> {
        Ok(())
    }

    fn continued(&mut self) -> io::Result<bool> {
        if OVER.load(Ordering::SeqCst) {
            return Ok(false);
        }
        if job_control::is_foreground() {
            // Also where it was never given back, as after SIGSTOP: the shell has changed it meanwhile.
            drop(self.taken.take());
            self.taken = Some(Taken::new()?);
            return Ok(true);
        }
        // Continued in the background, where there is nothing to do for a program that needs the terminal.
        #[cfg(unix)]
        if job_control::can_stop() {
            job_control::stop_group()?;
        }
        Ok(false)
    }

    fn is_here(&self) -> bool {
        self.taken.is_some()
    }

    fn editor(&mut self, editor: &str, text: &str) -> io::Result<Result<String, String>> {
        let Some(now) = self.taken.take() else { return Ok(Ok(text.to_owned())) };
        let (taken, came) = lend(now, &self.pause, editor, text)?;
        self.taken = Some(taken);
        Ok(came)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        HOLDER.store(NOBODY, Ordering::SeqCst);
    }
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

/// Gives the terminal to an editor with a text, and takes it again; what came back, or why nothing did. The pause
/// keeps lapel from the editor's keys.
///
/// # Errors
/// When the terminal is gone meanwhile.
fn lend(
    taken: Taken,
    pause: &InputPause,
    editor: &str,
    text: &str,
) -> io::Result<(Taken, Result<String, String>)> {
    if !pause.close(wake_input) {
        let why = t!("The editor cannot use the terminal right now. The text was not changed. Try again.");
        return Ok((taken, Err(why.to_owned())));
    }
    drop(taken);
    HOLDER.store(EDITOR, Ordering::SeqCst);
    let came = editor::run(editor, text);
    HOLDER.store(LOOP, Ordering::SeqCst);
    let taken = Taken::new();
    pause.open();
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
                    "lapel: quit after an internal error. Jobs are in the journal: nothing is lost or sent twice. Report: {place}",
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
        Err(why) => t!("(could not be written: {why})", why),
    }
}
