//! Asks the user for input, line by line. A typed key is not echoed.

use crate::cli::prelude::*;
use crate::i18n::{Language, in_language};
#[cfg(unix)]
use crate::job_control;
use crate::secrets::{Likeness, judge};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use secrecy::SecretString;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Maximum length of a line in bytes.
const LONGEST: u64 = 8192;

pub(super) fn somebody_is_there() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

fn no_answer() -> Failure {
    Failure::new("given_up", t!("Stopped. Nothing was saved or changed."))
}

/// An empty line means `preset`.
pub(super) async fn line(question: &str, preset: &str) -> Result<String, Failure> {
    let asked = match preset {
        "" => format!("{question}: "),
        preset => format!("{question} [{}]: ", scrub(preset)),
    };
    match tokio::task::spawn_blocking(move || typed_line(&asked)).await {
        Ok(Ok(Some(line))) => {
            let line = line.trim();
            Ok(if line.is_empty() { preset.to_owned() } else { line.to_owned() })
        }
        _ => Err(no_answer()),
    }
}

/// `None` when nothing more can be read.
pub(super) fn typed_line(asked: &str) -> io::Result<Option<String>> {
    show(asked)?;
    let mut line = String::new();
    io::stdin().lock().take(LONGEST).read_line(&mut line).map(|n| (n > 0).then_some(line))
}

/// Other tasks can write to standard error afterwards.
fn show(asked: &str) -> io::Result<()> {
    let mut err = io::stderr().lock();
    err.write_all(asked.as_bytes())?;
    err.flush()
}

/// Any answer but yes counts as no.
pub(super) async fn yes(question: &str) -> bool {
    line(&format!("{question} {}", t!("(y/n)")), "").await.is_ok_and(|said| is_yes(&said))
}

/// The answers that mean yes. Those of every language count.
const YES: &str = tr_noop!("y,yes|answers");

fn is_yes(said: &str) -> bool {
    let said = said.to_lowercase();
    Language::ALL.iter().any(|language| in_language(*language, YES).split(',').any(|yes| yes == said))
}

/// The line is shown and saved, so it must not be an API key.
pub(super) async fn open_line(question: &str, preset: &str) -> Result<String, Failure> {
    let said = line(question, preset).await?;
    let is_refused = match judge(&said) {
        Likeness::None => false,
        Likeness::Shape => !yes(t!("This looks like an API key. Use it here?")).await,
        Likeness::Key => true,
    };
    if is_refused {
        let what = t!("This looks like an API key. Do not enter it here. Nothing was saved.");
        return Err(Failure::usage(what).of_kind("api_key"));
    }
    Ok(said)
}

/// Shows nothing of the key, not even its length. Restores the terminal at every end, and at signals.
pub(super) async fn secret(question: &str) -> Result<SecretString, Failure> {
    put_back_at_signals();
    let asked = format!("{} ", t!("{question} (hidden):", question));
    let typed = tokio::task::spawn_blocking(move || {
        // Hides the input before the question appears.
        let raw = RawMode::new()?;
        show(&asked)?;
        let typed = typed(&mut io::stdin().lock());
        drop(raw);
        let _ = writeln!(io::stderr().lock());
        typed
    });
    match typed.await {
        Ok(Ok(Some(typed))) => Ok(typed),
        _ => Err(no_answer()),
    }
}

/// Reads the first line of a standard input that is no terminal.
pub(super) async fn piped() -> Result<SecretString, Failure> {
    let read = tokio::task::spawn_blocking(|| {
        let mut bytes = Vec::with_capacity(LONGEST as usize);
        io::stdin().lock().take(LONGEST).read_until(b'\n', &mut bytes)?;
        String::from_utf8(bytes).map(SecretString::from).map_err(|_| io::ErrorKind::InvalidData.into())
    });
    let unreadable = |why: &str| {
        Failure::new("key", t!("Cannot read from standard input: {why}. Nothing was saved.", why))
    };
    match read.await {
        Ok(read) => read.map_err(|why: io::Error| unreadable(&io_error::words(&why).to_string())),
        Err(_) => Err(unreadable(t!("internal error"))),
    }
}

/// Whether a [`RawMode`] exists.
static IS_HIDING: AtomicBool = AtomicBool::new(false);

/// Raw mode: no echo, and no signals from keys. Dropping this restores the terminal.
struct RawMode;

impl RawMode {
    fn new() -> io::Result<Self> {
        IS_HIDING.store(true, Ordering::SeqCst);
        enable_raw_mode().map(|()| Self)
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        IS_HIDING.store(false, Ordering::SeqCst);
        // Fails only when the terminal is gone.
        let _ = disable_raw_mode();
    }
}

/// `None` when the user cancels.
fn typed(from: &mut impl BufRead) -> io::Result<Option<SecretString>> {
    // Never reallocates, so that no copies of the key stay in memory.
    let mut typed = Vec::with_capacity(LONGEST as usize);
    let mut byte = [0];
    loop {
        if from.read(&mut byte)? == 0 {
            return Ok(None);
        }
        match byte[0] {
            b'\r' | b'\n' => break,
            // Ctrl-C, Ctrl-D, Esc.
            0x03 | 0x04 | 0x1b => return Ok(None),
            0x08 | 0x7f => {
                typed.pop();
            }
            // Ctrl-U.
            0x15 => typed.clear(),
            other if typed.len() < LONGEST as usize => typed.push(other),
            _ => {}
        }
    }
    let text = String::from_utf8(typed).map_err(|_| io::ErrorKind::InvalidData)?;
    Ok(Some(SecretString::from(text)))
}

/// Restores the terminal when a signal ends or stops lapel, and hides the input again when lapel continues.
fn put_back_at_signals() {
    #[cfg(unix)]
    {
        use rustix::process::Signal;
        use tokio::signal::unix::{SignalKind, signal};
        let on = |which: Signal| signal(SignalKind::from_raw(which.as_raw()));
        let ending = [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT].map(on);
        let stopping = [Signal::TSTP, Signal::TTOU].map(on);
        for mut end in ending.into_iter().flatten() {
            tokio::spawn(async move {
                end.recv().await;
                let _ = disable_raw_mode();
                super::output::complain(t!("stopped. Nothing was saved."));
                std::process::exit(i32::from(super::exit::FAILED));
            });
        }
        for mut stop in stopping.into_iter().flatten() {
            tokio::spawn(async move {
                while stop.recv().await.is_some() {
                    // Stops only when a shell could continue lapel.
                    if job_control::can_stop() {
                        let _ = disable_raw_mode();
                        let _ = job_control::stop();
                    }
                }
            });
        }
        if let Ok(mut continued) = on(Signal::CONT) {
            tokio::spawn(async move {
                while continued.recv().await.is_some() {
                    // In the background, this would stop lapel again.
                    if IS_HIDING.load(Ordering::SeqCst) && job_control::is_foreground() {
                        // The shell has changed the terminal's mode, and crossterm does not know it.
                        let _ = disable_raw_mode();
                        let _ = enable_raw_mode();
                    }
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret;

    fn of(keys: &str) -> Option<String> {
        typed(&mut keys.as_bytes()).expect("readable").map(|s| s.expose_secret().to_owned())
    }

    #[test]
    fn yes_is_yes_in_every_language() {
        for said in ["y", "YES", "예", "네"] {
            assert!(is_yes(said), "{said}");
        }
        for said in ["", "n", "no", "아니요", "y,yes"] {
            assert!(!is_yes(said), "{said}");
        }
    }

    #[test]
    fn typed_input_ends_at_the_line_and_can_be_edited() {
        assert_eq!(of("k-1234\r").as_deref(), Some("k-1234"));
        assert_eq!(of("kx\u{7f}-1234\nmore").as_deref(), Some("k-1234"));
        assert_eq!(of("wrong\u{15}k-1\r").as_deref(), Some("k-1"));
        assert_eq!(of("\u{7f}\u{7f}k\r").as_deref(), Some("k"));
        for given_up in ["", "k-1234", "k-12\u{3}34\r", "\u{4}", "k\u{1b}[A\r"] {
            assert_eq!(of(given_up), None, "{given_up:?}");
        }
        assert!(of(&format!("{}\r", "x".repeat(100_000))).is_some_and(|k| k.len() == LONGEST as usize));
    }
}
