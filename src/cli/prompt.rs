//! Asking a person for something, line by line. A key is typed without being shown.

use super::failure::Failure;
use crate::domain::text::scrub;
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use secrecy::SecretString;
use std::io::{self, BufRead, IsTerminal, Read, Write};

/// The longest line that is read.
const LONGEST: u64 = 8192;

/// Whether there is somebody to ask.
pub(super) fn somebody_is_there() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

fn given_up() -> Failure {
    Failure::new("given_up", t!("Stopped. Nothing was kept or changed."))
}

/// Asks for a line; `preset` is what an empty one stands for.
///
/// # Errors
/// When nothing more can be read.
pub(super) async fn line(question: &str, preset: &str) -> Result<String, Failure> {
    let asked = match preset {
        "" => format!("{question}: "),
        preset => format!("{question} [{}]: ", scrub(preset)),
    };
    let typed = tokio::task::spawn_blocking(move || {
        let mut err = io::stderr().lock();
        err.write_all(asked.as_bytes())?;
        err.flush()?;
        drop(err);
        let mut line = String::new();
        io::stdin().lock().take(LONGEST).read_line(&mut line).map(|n| (n > 0).then_some(line))
    });
    match typed.await {
        Ok(Ok(Some(line))) => {
            let line = line.trim();
            Ok(if line.is_empty() { preset.to_owned() } else { line.to_owned() })
        }
        _ => Err(given_up()),
    }
}

/// Asks for a key. Nothing of it is shown, not even how long it is. The terminal is put back whatever happens:
/// ctrl-c, the end of the input, or a signal.
///
/// # Errors
/// When it is given up.
pub(super) async fn secret(question: &str) -> Result<SecretString, Failure> {
    put_back_at_the_end();
    let asked = t!("{question} (it is not shown): ", question);
    let typed = tokio::task::spawn_blocking(move || {
        // Before the question is there to be answered.
        let raw = Raw::new()?;
        let mut err = io::stderr().lock();
        err.write_all(asked.as_bytes())?;
        err.flush()?;
        // Somebody else may have to say something meanwhile.
        drop(err);
        let typed = typed(&mut io::stdin().lock());
        drop(raw);
        let _ = writeln!(io::stderr().lock());
        typed
    });
    match typed.await {
        Ok(Ok(Some(typed))) => Ok(typed),
        _ => Err(given_up()),
    }
}

/// A key on standard input, which is no terminal: the first line.
///
/// # Errors
/// When it cannot be read.
pub(super) async fn piped() -> Result<SecretString, Failure> {
    let read = tokio::task::spawn_blocking(|| {
        let mut bytes = Vec::with_capacity(LONGEST as usize);
        io::stdin().lock().take(LONGEST).read_until(b'\n', &mut bytes)?;
        String::from_utf8(bytes).map(SecretString::from).map_err(|_| io::ErrorKind::InvalidData.into())
    });
    let unreadable = |why: &str| {
        Failure::new(
            "key",
            t!("The key could not be read from standard input: {why}. Nothing was kept.", why),
        )
    };
    match read.await {
        Ok(read) => read.map_err(|why: io::Error| unreadable(&why.to_string())),
        Err(_) => Err(unreadable(t!("lapel failed"))),
    }
}

/// The terminal without echo and without its own handling of keys, until this is dropped.
struct Raw;

impl Raw {
    fn new() -> io::Result<Self> {
        enable_raw_mode().map(|()| Self)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // Nothing can be done about a terminal that is gone.
        let _ = disable_raw_mode();
    }
}

/// Reads what is typed up to the end of the line; `None` when it is given up.
fn typed(from: &mut impl BufRead) -> io::Result<Option<SecretString>> {
    // Never grows, so that no copies of it are left behind.
    let mut typed = Vec::with_capacity(LONGEST as usize);
    let mut byte = [0];
    loop {
        if from.read(&mut byte)? == 0 {
            return Ok(None);
        }
        match byte[0] {
            b'\r' | b'\n' => break,
            // ctrl-c, ctrl-d, esc
            0x03 | 0x04 | 0x1b => return Ok(None),
            0x08 | 0x7f => {
                typed.pop();
            }
            // ctrl-u
            0x15 => typed.clear(),
            other if typed.len() < LONGEST as usize => typed.push(other),
            _ => {}
        }
    }
    let text = String::from_utf8(typed).map_err(|_| io::ErrorKind::InvalidData)?;
    Ok(Some(SecretString::from(text)))
}

/// A signal that ends the program while nothing is shown puts the terminal back first.
fn put_back_at_the_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let signals = (signal(SignalKind::terminate()), signal(SignalKind::hangup()));
        let (Ok(mut terminated), Ok(mut hung_up)) = signals else { return };
        tokio::spawn(async move {
            tokio::select! {
                _ = terminated.recv() => {}
                _ = hung_up.recv() => {}
            }
            let _ = disable_raw_mode();
            super::say::complain(t!("stopped. Nothing was kept."));
            std::process::exit(i32::from(super::exit::FAILED));
        });
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
    fn what_is_typed_ends_at_the_line_and_can_be_mended() {
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
