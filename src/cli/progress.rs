//! Progress on standard error: a bar on a terminal, otherwise an occasional line.

use crate::cli::prelude::*;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(100);
const BAR: u64 = 24;

#[derive(Debug)]
pub(super) struct ProgressBar {
    is_terminal: bool,
    what: String,
    tenths: u64,
    drawn: Option<Instant>,
    on_screen: bool,
}

impl ProgressBar {
    pub fn new() -> Self {
        Self {
            is_terminal: io::stderr().is_terminal(),
            what: String::new(),
            tenths: 0,
            drawn: None,
            on_screen: false,
        }
    }

    /// `done` of `all` rows. `all` is 0 when the total is unknown.
    pub fn at(&mut self, what: &str, done: u64, all: u64) {
        let is_new = self.what != what;
        // A write error cannot be reported anywhere.
        let _ = if self.is_terminal {
            self.draw(is_new, what, done, all)
        } else {
            self.write(is_new, what, done, all)
        };
        if is_new {
            what.clone_into(&mut self.what);
        }
    }

    fn draw(&mut self, is_new: bool, what: &str, done: u64, all: u64) -> io::Result<()> {
        let is_last = all > 0 && done >= all;
        if !is_new && !is_last && self.drawn.is_some_and(|at| at.elapsed() < PAUSE) {
            return Ok(());
        }
        self.drawn = Some(Instant::now());
        self.on_screen = true;
        let columns = crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns));
        let line = bar(what, done, all);
        let line = if line.width() < columns { line } else { numbers(what, done, all) };
        let mut out = io::stderr().lock();
        write!(out, "\r\x1b[K{line}")?;
        out.flush()
    }

    fn write(&mut self, is_new: bool, what: &str, done: u64, all: u64) -> io::Result<()> {
        let tenths = (done.min(all) * 10).checked_div(all).unwrap_or(0);
        if !is_new && tenths <= self.tenths {
            return Ok(());
        }
        self.tenths = tenths;
        writeln!(io::stderr().lock(), "lapel: {}", numbers(what, done, all))
    }

    pub fn clear(&mut self) {
        if self.on_screen {
            self.on_screen = false;
            let mut out = io::stderr().lock();
            let _ = write!(out, "\r\x1b[K").and_then(|()| out.flush());
        }
        self.what.clear();
        self.drawn = None;
    }

    /// `read` turns a progress value into a label, the amount done and the total.
    pub async fn during<T, P: Clone + Send + Sync>(
        &mut self,
        mut told: watch::Receiver<P>,
        read: impl Fn(&P) -> (String, u64, u64),
        work: impl Future<Output = T>,
    ) -> T {
        tokio::pin!(work);
        let mut tells = true;
        loop {
            tokio::select! {
                done = &mut work => {
                    // The last progress may arrive together with the end.
                    let (what, far, all) = read(&told.borrow());
                    if far > 0 {
                        self.at(&what, far, all);
                    }
                    return done;
                }
                told_more = told.changed(), if tells => {
                    tells = told_more.is_ok();
                    let (what, done, all) = read(&told.borrow_and_update());
                    if tells {
                        self.at(&what, done, all);
                    }
                }
            }
        }
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        self.clear();
    }
}

fn numbers(what: &str, done: u64, all: u64) -> String {
    match (done, all) {
        (0, 0) => what.to_owned(),
        (_, 0) => format!("{what}: {}", number(done)),
        _ => t!("{what}: {done} of {all}", what, done = number(done), all = number(all)),
    }
}

fn bar(what: &str, done: u64, all: u64) -> String {
    if all == 0 {
        return numbers(what, done, all);
    }
    let full = (u128::from(done.min(all)) * u128::from(BAR) / u128::from(all)) as usize;
    let empty = BAR as usize - full;
    format!("[{}{}] {}", "#".repeat(full), "-".repeat(empty), numbers(what, done, all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_never_overflows() {
        assert_eq!(bar("sent", 0, 0), "sent");
        assert_eq!(bar("read", 7, 0), "read: 7");
        assert_eq!(numbers("read", 4_300, 0), "read: 4,300");
        assert_eq!(numbers("sent", 1_119, 1_200), "sent: 1,119 of 1,200");
        assert_eq!(bar("sent", 5, 10), "[############------------] sent: 5 of 10");
        assert!(bar("sent", u64::MAX, u64::MAX).starts_with("[########################] "));
        assert!(bar("sent", 11, 10).starts_with("[########################] "));
    }
}
