//! The terminal: lapel takes it at the start, and restores it at every kind of end.

use crate::job_control;
use crate::secrets::is_caught;
use crate::tui::input::escapes::Escapes;
use crate::tui::input::pause::InputPause;
use crate::tui::message::Message;
use crate::tui::platform::canvas::Canvas;
use crate::tui::platform::images::TerminalQueries;
use crate::tui::platform::pager::PagerText;
use crate::tui::platform::{crash, editor, pager};
use crate::tui::prelude::*;
use crate::tui::terminal_abilities::{KITTY_IDS, PictureOutput};
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture, Event, MouseButton,
    MouseEventKind,
};
use crossterm::style::Print;
use crossterm::terminal::{
    DisableLineWrap, EnableLineWrap, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{cursor, execute};
use std::io::{self, ErrorKind, Stdout, Write};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicUsize, Ordering};
use std::time::Instant;
use tokio::sync::mpsc;

/// Keep the window title, and bring it back. A terminal without these sequences ignores them.
const KEEP_TITLE: &str = "\x1b[22;0t";
const OLD_TITLE: &str = "\x1b[23;0t";

static TAKEN: AtomicBool = AtomicBool::new(false);

/// The last signal of job control, set by the handlers themselves. Their reports can be late and in the wrong
/// order: a stop that is reported after the continuation is over, and nobody would continue lapel again.
#[cfg(unix)]
static LAST: std::sync::LazyLock<Arc<AtomicUsize>> = std::sync::LazyLock::new(Arc::default);
#[cfg(unix)]
const STOPPED: usize = 1;
#[cfg(unix)]
const CONTINUED: usize = 2;

/// Whether the handler of a stop obeys it at once: an editor or a pager has the terminal, and a shell can continue
/// lapel. A report would be too late, because the shell can continue the group before it is read.
#[cfg(unix)]
static STOPS_AT_ONCE: std::sync::LazyLock<Arc<AtomicBool>> = std::sync::LazyLock::new(Arc::default);

/// Whether drawing has ended: the system has asked lapel to end, or the terminal is gone.
static OVER: std::sync::LazyLock<Arc<AtomicBool>> = std::sync::LazyLock::new(Arc::default);

/// The loop has the terminal, and receives signals as messages.
const LOOP: u8 = 0;
/// An editor or a pager has the terminal. It receives an interrupt from the keyboard, and the handler obeys a stop.
const OTHER: u8 = 1;
/// The loop has ended, so nobody reads messages any more.
const NOBODY: u8 = 2;

static HOLDER: AtomicU8 = AtomicU8::new(LOOP);

/// The first kitty image id in use; 0 if kitty got no pictures.
static KITTY: AtomicU32 = AtomicU32::new(0);

static WRAPPED: AtomicBool = AtomicBool::new(false);

/// Notes that kitty gets pictures, so that lapel deletes them when it restores the terminal.
pub fn gives_kitty_pictures(way: &PictureOutput) {
    WRAPPED.store(way.wrapped, Ordering::SeqCst);
    KITTY.store(way.first_id, Ordering::SeqCst);
}

/// Standard output for drawing. It drops all output after the first failure, which ends the TUI: a dropped ratatui
/// terminal reports a second failure on standard error, which panics if that is the same closed window.
pub struct DrawOutput(Stdout);

impl DrawOutput {
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

impl Write for DrawOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_gone(bytes.len(), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_gone((), Stdout::flush)
    }
}

pub struct TerminalSession;

impl TerminalSession {
    /// Turns line wrapping off: if the terminal uses more cells than lapel reserved, nothing moves to the next
    /// row. Fails if standard output is no terminal, or closes.
    pub fn new() -> io::Result<Self> {
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        // From here on a drop restores the terminal, also if the next line fails.
        let taken = Self;
        execute!(
            io::stdout(),
            Print(KEEP_TITLE),
            EnterAlternateScreen,
            EnableBracketedPaste,
            EnableMouseCapture,
            DisableLineWrap,
            cursor::Hide
        )?;
        Ok(taken)
    }
}

impl Drop for TerminalSession {
    fn drop(&mut self) {
        give_back();
    }
}

/// Restores the terminal if lapel has it. Ignores errors: a closed terminal needs no restoring.
fn give_back() {
    // In the background, as after SIGSTOP, the shell has the terminal and has set its own modes. The system
    // would stop lapel for setting others.
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
            Print(OLD_TITLE),
            cursor::Show
        );
        let _ = out.flush();
        if job_control::is_foreground() {
            let _ = disable_raw_mode();
        }
    }
}

pub fn screen() -> Canvas<DrawOutput> {
    Canvas::new(DrawOutput(io::stdout()))
}

/// The output for data that is not a frame.
pub fn voice() -> DrawOutput {
    DrawOutput(io::stdout())
}

/// Keys of one piece come without a pause.
const AT_ONCE: Duration = Duration::from_millis(5);
/// The terminal library looks at nothing without any time, and spins for the last millisecond of any time.
const LOOK: Duration = Duration::from_micros(100);

/// Reads in its own thread until the program ends: `poll` with a timeout hangs on unknown answers of the terminal.
/// The thread first reads the answers to earlier questions, because another reader would take them as keys.
pub fn read_input(messages: mpsc::Sender<Message>, asked: Option<TerminalQueries>, pause: InputPause) {
    // Detached: only the end of the process can end its read.
    std::thread::spawn(move || {
        let mut escapes = Escapes::default();
        if let Some(heard) = asked.map(TerminalQueries::listen) {
            for message in heard.messages {
                // These keys were typed before lapel asked the terminal anything.
                let message = match message {
                    Message::Key(key) => Message::KeyAtOnce(key),
                    other => other,
                };
                if messages.blocking_send(message).is_err() {
                    return;
                }
            }
            escapes = Escapes::within(heard.broken_off);
        }
        let mut last_key = None;
        loop {
            pause.pass();
            // Whether a key is there already with the one before it, or follows it at once. A person's keys are further
            // apart.
            #[allow(
                clippy::disallowed_methods,
                reason = "the input thread itself: after an unknown answer it waits here as it would in the read"
            )]
            let is_there = last_key.is_some() && crossterm::event::poll(LOOK).unwrap_or(false);
            let event = crossterm::event::read();
            let at_once = is_there || last_key.is_some_and(|at: Instant| at.elapsed() < AT_ONCE);
            last_key = None;
            let message = match event {
                Ok(Event::Key(key)) => {
                    // A piece of a mouse move or of an answer, which came in two parts, is no key.
                    let Some(key) = escapes.pass(key, Instant::now()) else { continue };
                    last_key = Some(Instant::now());
                    if at_once { Message::KeyAtOnce(key) } else { Message::Key(key) }
                }
                Ok(Event::Paste(text)) => Message::Paste(text),
                // Moves without a button are frequent and have no effect.
                Ok(Event::Mouse(mouse)) if is_no_news(mouse.kind) => continue,
                Ok(Event::Mouse(mouse)) => Message::Mouse(mouse),
                // On Unix a signal reports the new size.
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

/// Whether the mouse only moves: without a button, or with one that has no meaning here.
fn is_no_news(kind: MouseEventKind) -> bool {
    match kind {
        MouseEventKind::Moved => true,
        MouseEventKind::Drag(button) => button != MouseButton::Left,
        _ => false,
    }
}

/// Reports the signals that end, stop and continue the program, and the one of a new window size.
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
    // In the handler itself, and before the one that reports it: a lapel that is continued in the background to end
    // must not stop once more before it has read the report.
    for signal in [Number::TERM, Number::HUP, Number::ALARM, Number::USR1, Number::USR2] {
        signal_hook::flag::register(signal.as_raw(), OVER.clone())?;
    }
    let mut ends = all(&[
        SignalKind::terminate(),
        SignalKind::hangup(),
        SignalKind::interrupt(),
        SignalKind::quit(),
        SignalKind::alarm(),
        SignalKind::user_defined1(),
        SignalKind::user_defined2(),
    ])?;
    // The handlers of one signal run in the order of their registration: noted, obeyed, reported. Nothing slow comes
    // before the second: if the shell continues the group before lapel has obeyed, lapel stays stopped.
    let stop_signals = [Number::TSTP, Number::TTIN, Number::TTOU];
    for signal in stop_signals {
        signal_hook::flag::register_usize(signal.as_raw(), LAST.clone(), STOPPED)?;
        signal_hook::flag::register_conditional_default(signal.as_raw(), STOPS_AT_ONCE.clone())?;
    }
    signal_hook::flag::register_usize(Number::CONT.as_raw(), LAST.clone(), CONTINUED)?;
    let mut stops = all(&stop_signals.map(number))?;
    let mut continues = all(&[number(Number::CONT)])?;
    // Not through the input thread: at the start it does not read yet, and an unknown answer of the terminal
    // can block it.
    let mut changes = all(&[SignalKind::window_change()])?;
    let messages = messages.clone();
    tokio::spawn(async move {
        loop {
            let message = poll_fn(|cx| {
                let mut came = |signals: &mut [(SignalKind, Signal)]| {
                    let mut signals = signals.iter_mut();
                    signals.find_map(|(kind, one)| one.poll_recv(cx).is_ready().then_some(*kind))
                };
                // Ends come first: a shell that ends a stopped lapel also continues it.
                if let Some(kind) = came(&mut ends) {
                    return Poll::Ready(ended_by(kind));
                }
                let stop = came(&mut stops);
                // An earlier stop is over.
                if came(&mut continues).is_some() {
                    let is_loop = HOLDER.load(Ordering::SeqCst) == LOOP;
                    return Poll::Ready(is_loop.then_some(Message::Continued));
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

#[cfg(unix)]
fn ended_by(kind: tokio::signal::unix::SignalKind) -> Option<Message> {
    use tokio::signal::unix::SignalKind;
    let of_keyboard = [SignalKind::interrupt(), SignalKind::quit()].contains(&kind);
    if of_keyboard && HOLDER.load(Ordering::SeqCst) == OTHER {
        return None;
    }
    OVER.store(true, Ordering::SeqCst);
    Some(Message::Terminate)
}

#[cfg(unix)]
fn stopped() -> Option<Message> {
    match HOLDER.load(Ordering::SeqCst) {
        LOOP => return Some(Message::Stop),
        NOBODY if job_control::can_stop() && !was_continued() => {
            let _ = job_control::stop();
        }
        _ => {}
    }
    None
}

#[cfg(unix)]
fn was_continued() -> bool {
    LAST.load(Ordering::SeqCst) == CONTINUED
}

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

pub struct HeldTerminal {
    taken: Option<TerminalSession>,
    pause: InputPause,
}

impl HeldTerminal {
    /// In the background lapel stops and waits for the terminal. Returns `None` if the system has asked lapel to
    /// end before that. Fails if standard output is no terminal, or closes.
    pub fn new(pause: InputPause) -> io::Result<Option<Self>> {
        #[cfg(unix)]
        while !job_control::is_foreground() && job_control::can_stop() {
            if OVER.load(Ordering::SeqCst) {
                return Ok(None);
            }
            job_control::stop_group()?;
        }
        HOLDER.store(LOOP, Ordering::SeqCst);
        Ok(Some(Self { taken: Some(TerminalSession::new()?), pause }))
    }

    /// Returns `None` if the program could not run. The pause keeps lapel from reading the program's keys.
    fn lend<T>(&mut self, run: impl FnOnce() -> T) -> io::Result<Option<T>> {
        if self.taken.is_none() || !self.pause.close(wake_input) {
            return Ok(None);
        }
        self.taken = None;
        HOLDER.store(OTHER, Ordering::SeqCst);
        #[cfg(unix)]
        STOPS_AT_ONCE.store(job_control::can_stop(), Ordering::SeqCst);
        let came = with_modes_kept(run);
        #[cfg(unix)]
        STOPS_AT_ONCE.store(false, Ordering::SeqCst);
        HOLDER.store(LOOP, Ordering::SeqCst);
        let taken = TerminalSession::new();
        self.pause.open();
        self.taken = Some(taken?);
        Ok(Some(came))
    }
}

impl crate::tui::TerminalRelease for HeldTerminal {
    #[cfg(unix)]
    fn stop(&mut self, whole_group: bool) -> io::Result<()> {
        let can_stop = job_control::can_stop();
        let is_over = || !whole_group && was_continued();
        if !can_stop || OVER.load(Ordering::SeqCst) || is_over() {
            return Ok(());
        }
        let had = self.taken.take().is_some();
        // A message reports the continuation, and lapel then takes the terminal again.
        if is_over() {
            return Ok(());
        }
        let stopped = if whole_group { job_control::stop_group() } else { job_control::stop() };
        if stopped.is_err() && had {
            self.taken = Some(TerminalSession::new()?);
        }
        Ok(())
    }

    /// This system has no background.
    #[cfg(not(unix))]
    fn stop(&mut self, _: bool) -> io::Result<()> {
        Ok(())
    }

    fn continued(&mut self) -> io::Result<bool> {
        if OVER.load(Ordering::SeqCst) {
            return Ok(false);
        }
        if job_control::is_foreground() {
            // Also if it was never restored, as after SIGSTOP: the shell has changed its modes.
            drop(self.taken.take());
            self.taken = Some(TerminalSession::new()?);
            return Ok(true);
        }
        // Continued in the background, where lapel cannot run because it needs the terminal.
        #[cfg(unix)]
        if job_control::can_stop() && !OVER.load(Ordering::SeqCst) {
            job_control::stop_group()?;
        }
        Ok(false)
    }

    fn is_here(&self) -> bool {
        self.taken.is_some()
    }

    fn editor(&mut self, editor: &str, text: &str) -> io::Result<Result<String, String>> {
        let busy = t!("The editor cannot use the terminal right now. The text was not changed. Try again.");
        Ok(self.lend(|| editor::run(editor, text))?.unwrap_or_else(|| Err(busy.to_owned())))
    }

    fn pager(&mut self, pager: &str, page: &PagerText) -> io::Result<Result<(), String>> {
        let busy = t!("The pager cannot use the terminal right now. Try again.");
        Ok(self.lend(|| pager::run(pager, page))?.unwrap_or_else(|| Err(busy.to_owned())))
    }
}

impl Drop for HeldTerminal {
    fn drop(&mut self) {
        HOLDER.store(NOBODY, Ordering::SeqCst);
    }
}

/// Interrupts the input thread's read with the signal of a new window size.
fn wake_input() -> bool {
    #[cfg(unix)]
    {
        use rustix::process::{Signal, getpid, kill_process};
        kill_process(getpid(), Signal::WINCH).is_ok()
    }
    #[cfg(not(unix))]
    false
}

/// Restores the modes of the terminal. A killed program leaves its own, and lapel would take them for its user's.
#[cfg(unix)]
fn with_modes_kept<T>(run: impl FnOnce() -> T) -> T {
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    let terminal = std::fs::File::open("/dev/tty").ok();
    let modes = terminal.as_ref().and_then(|terminal| tcgetattr(terminal).ok());
    let came = run();
    if let (Some(terminal), Some(modes)) = (terminal, modes) {
        let _ = tcsetattr(&terminal, OptionalActions::Now, &modes);
    }
    came
}

#[cfg(not(unix))]
fn with_modes_kept<T>(run: impl FnOnce() -> T) -> T {
    run()
}

/// The panic hook writes a report for every thread. On the thread that owns the terminal it also restores the
/// terminal and prints. On other threads the TUI continues, so it only sends a message.
pub fn on_panic(crash_dir: PathBuf, messages: mpsc::Sender<Message>) {
    let owner = std::thread::current().id();
    let usual = std::panic::take_hook();
    let told = Arc::new(AtomicBool::new(false));
    std::panic::set_hook(Box::new(move |info| {
        if is_caught(info) {
            return;
        }
        if std::thread::current().id() == owner || !TAKEN.load(Ordering::SeqCst) {
            give_back();
            usual(info);
            let place = crashed(&crash_dir, info);
            // Not eprintln: it panics if standard error is a closed window.
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
        // A full queue would block the panicking thread. One message is enough.
        if !told.swap(true, Ordering::SeqCst) {
            let _ = messages.try_send(Message::Crashed(place));
        }
    }));
}

/// Returns the report's path, or the reason why there is none.
fn crashed(folder: &Path, info: &std::panic::PanicHookInfo<'_>) -> String {
    match crash::write(folder, info) {
        Ok(path) => path.display().to_string(),
        Err(why) => t!("(could not be written: {why})", why = io_error::words(&why)),
    }
}
