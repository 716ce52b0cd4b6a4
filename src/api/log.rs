//! The log of requests, in memory only: never a key, never a query, never a body.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many requests are remembered.
pub const LOG_LENGTH: usize = 500;

/// One request that went out, or tried to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// Path without the query, as it was sent (percent-encoded).
    pub path: String,
    /// Status of the answer, where one came.
    pub status: Option<u16>,
    /// From the first byte to the last.
    pub duration: Duration,
    /// 1 for the first attempt of a call.
    pub attempt: u32,
    /// `ok`, or the kind of error in a word or two.
    pub outcome: &'static str,
    /// When it was sent.
    pub started_at: jiff::Timestamp,
}

#[derive(Debug, Default)]
pub(super) struct Log(Mutex<VecDeque<LogEntry>>);

impl Log {
    pub(super) fn push(&self, entry: LogEntry) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() == LOG_LENGTH {
            entries.pop_front();
        }
        entries.push_back(entry);
    }

    pub(super) fn entries(&self) -> Vec<LogEntry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

/// Notes a request when it ends, also when its future is dropped half-way.
pub(super) struct Note<'l> {
    log: &'l Log,
    entry: Option<LogEntry>,
    since: Instant,
}

impl<'l> Note<'l> {
    pub(super) fn start(log: &'l Log, method: &'static str, path: &str, attempt: u32) -> Self {
        let entry = LogEntry {
            method,
            path: path.to_owned(),
            status: None,
            duration: Duration::ZERO,
            attempt,
            outcome: "given up",
            started_at: jiff::Timestamp::now(),
        };
        Self { log, entry: Some(entry), since: Instant::now() }
    }

    pub(super) fn end(mut self, status: Option<u16>, outcome: &'static str) {
        if let Some(entry) = &mut self.entry {
            entry.status = status;
            entry.outcome = outcome;
        }
    }
}

impl Drop for Note<'_> {
    fn drop(&mut self) {
        if let Some(mut entry) = self.entry.take() {
            entry.duration = self.since.elapsed();
            self.log.push(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_bounded_and_notes_what_was_dropped() {
        let log = Log::default();
        for i in 0..LOG_LENGTH + 3 {
            Note::start(&log, "GET", &format!("/{i}"), 1).end(Some(200), "ok");
        }
        drop(Note::start(&log, "GET", "/dropped", 2));
        let entries = log.entries();
        assert_eq!(entries.len(), LOG_LENGTH);
        assert_eq!(entries[0].path, "/4");
        let last = &entries[LOG_LENGTH - 1];
        assert_eq!((last.path.as_str(), last.outcome, last.attempt), ("/dropped", "given up", 2));
    }
}
