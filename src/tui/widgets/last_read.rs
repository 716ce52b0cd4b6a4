//! What was read last. A later reading that fails takes nothing away: what was read before stays, with its time and the
//! error beside it.

use super::job_rows::moment;
use crate::tui::prelude::*;

pub struct LastRead<T, E = ApiError> {
    read: Option<(T, Timestamp)>,
    /// Why the last reading failed.
    failure: Option<E>,
}

impl<T, E> Default for LastRead<T, E> {
    fn default() -> Self {
        Self { read: None, failure: None }
    }
}

impl<T, E> LastRead<T, E> {
    pub fn take(&mut self, read: Result<T, E>, cx: &UiContext) {
        match read {
            Ok(read) => *self = Self { read: Some((read, cx.clock().utc())), failure: None },
            Err(failure) => self.failure = Some(failure),
        }
    }

    /// What to show. An error only if nothing was read, `None` before the first answer.
    pub fn shown(&self) -> Option<Result<&T, &E>> {
        self.value().map(Ok).or_else(|| self.failure.as_ref().map(Err))
    }

    pub fn value(&self) -> Option<&T> {
        self.read.as_ref().map(|(read, _)| read)
    }

    /// What to say beside what is shown, if it could not be read again.
    pub fn note(&self, words: impl FnOnce(&E) -> String, cx: &UiContext) -> Option<String> {
        let ((_, at), failure) = (self.read.as_ref()?, self.failure.as_ref()?);
        Some(as_of(*at, &words(failure), cx))
    }
}

/// Beside what was read at this time: why it could not be read again.
pub fn as_of(at: Timestamp, why: &str, cx: &UiContext) -> String {
    let time = t!("{alert} as of {time}", alert = cx.glyphs.alert, time = moment(at, cx));
    format!("{time} {} {why}", cx.glyphs.dot)
}
