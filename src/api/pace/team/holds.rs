//! How long a team sends nothing because the service refused requests (HTTP 429).

use crate::api::prelude::*;

/// Two readings of one hold differ by less.
const SAME_HOLD: Duration = Duration::from_secs(2);

/// The end of a hold, and its number of refusals.
type Hold = (Instant, u32);

#[derive(Debug, Default)]
pub(super) struct Holds {
    known: Option<Hold>,
    /// What the database does not know yet.
    unwritten: Option<Hold>,
    /// The end of the last one that came from a process of this computer without a team.
    heard: Option<Instant>,
}

impl Holds {
    /// What the database, or this computer, knows. The rest is unchanged.
    pub(super) fn read(&mut self, left: Option<Duration>, refusals: u32) {
        self.known = left.map(|left| (Instant::now() + left, refusals));
    }

    pub(super) fn left(&self) -> Option<Duration> {
        let (until, _) = self.known?;
        Some(until.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero())
    }

    pub(super) fn refusals(&self) -> u32 {
        self.known.map_or(0, |(_, refusals)| refusals)
    }

    pub(super) fn add(&mut self, wait: Duration, refusals: u32) {
        let until = Instant::now() + wait;
        let later = |known: Option<Hold>| {
            known.map_or((until, refusals), |(before, times)| (before.max(until), times.max(refusals)))
        };
        self.known = Some(later(self.known));
        self.unwritten = Some(later(self.unwritten));
    }

    /// Remembers a hold of a process of this computer without a team. Whether it is a new one.
    pub(super) fn hear(&mut self, wait: Duration) -> bool {
        let until = Instant::now() + wait;
        let is_news = self.heard.is_none_or(|known| until > known + SAME_HOLD);
        if is_news {
            self.heard = Some(until);
        }
        is_news
    }

    pub(super) fn lift(&mut self) {
        (self.known, self.unwritten) = (None, None);
    }

    /// How long, and the number of refusals, if the database does not know it. [`Self::note_written`] ends this.
    pub(super) fn unwritten(&self) -> Option<(Duration, u32)> {
        self.unwritten.map(|(until, refusals)| (until.saturating_duration_since(Instant::now()), refusals))
    }

    pub(super) fn note_written(&mut self) {
        self.unwritten = None;
    }
}
