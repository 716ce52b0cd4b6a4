//! Reading again by itself what is on the screen: in the background share of the pace, further apart after
//! failures, and not at all while it is switched off.

use super::request::{RequestId, Response};
use crate::config::RefreshChoice;
use std::collections::HashSet;
use std::time::Duration;
use tokio::time::Instant;

/// The longest time between two readings, however often they have failed.
const LONGEST: Duration = Duration::from_secs(900);

/// When to read again.
#[derive(Debug, Default)]
pub struct Refresh {
    choice: RefreshChoice,
    due: Option<Instant>,
    /// How often in a row it has failed, or could not be done because the service asks to wait.
    failures: u32,
    /// Questions on their way.
    tickets: HashSet<RequestId>,
}

impl Refresh {
    /// How often.
    pub fn choice(&self) -> RefreshChoice {
        self.choice
    }

    /// How often in a row it has failed.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Changes how often; the first time is that long from now.
    pub fn choose(&mut self, choice: RefreshChoice, now: Instant) {
        self.choice = choice;
        self.failures = 0;
        self.due = self.wait().map(|wait| now + wait);
    }

    /// How long until the next time: doubled with every failure.
    pub fn wait(&self) -> Option<Duration> {
        let every = self.choice.every()?;
        Some(every.saturating_mul(1 << self.failures.min(10)).min(LONGEST.max(every)))
    }

    /// When it is due: never while it is off or on its way.
    pub fn due(&self) -> Option<Instant> {
        self.due.filter(|_| self.tickets.is_empty())
    }

    /// Whether it is due now. If so, the next time is set.
    pub fn is_due(&mut self, now: Instant) -> bool {
        let due = self.due().is_some_and(|due| due <= now);
        if due {
            self.due = self.wait().map(|wait| now + wait);
        }
        due
    }

    /// It could not be done, since the service asks to wait: further apart, too.
    pub fn held(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        self.due = self.wait().map(|wait| now + wait);
    }

    /// A question for it was asked.
    pub fn asked(&mut self, ticket: RequestId) {
        self.tickets.insert(ticket);
    }

    /// Nobody waits for a question any more.
    pub fn cancelled(&mut self, ticket: RequestId) {
        self.tickets.remove(&ticket);
    }

    /// Nobody waits for any of its questions any more: there is another connection.
    pub fn forget(&mut self) {
        self.tickets.clear();
        self.failures = 0;
    }

    /// Whether an answer is to one of its questions; notes how that went.
    pub fn takes(&mut self, ticket: RequestId, answer: &Response, now: Instant) -> bool {
        if !self.tickets.remove(&ticket) {
            return false;
        }
        if has_failed(answer) {
            self.failures = self.failures.saturating_add(1);
        } else {
            self.failures = 0;
        }
        self.due = self.wait().map(|wait| now + wait);
        true
    }
}

/// Whether an answer brings nothing.
pub fn has_failed(answer: &Response) -> bool {
    match answer {
        Response::Templates(page) => page.is_err(),
        Response::History(page) => page.is_err(),
        Response::Template(one) => one.is_err(),
        Response::Badge(one) => one.is_err(),
        Response::Holder(holder) => holder.wallet.is_err() || holder.history.is_err(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::ApiError;

    fn answer(good: bool) -> Response {
        if good {
            return Response::History(Ok(crate::domain::Page {
                items: Vec::new(),
                list_len: 0,
                total_count: Some(0),
                page: None,
                rows_per_page: None,
                problems: Vec::new(),
            }));
        }
        Response::History(Err(ApiError::NoAnswer { why: "gone".into() }))
    }

    #[test]
    fn it_is_due_only_while_it_is_on_and_nothing_is_on_its_way() {
        let now = Instant::now();
        let mut refresh = Refresh::default();
        assert!(refresh.due().is_none() && !refresh.is_due(now));
        refresh.choose(RefreshChoice::HalfMinute, now);
        let due = now + Duration::from_secs(30);
        assert_eq!(refresh.due(), Some(due));
        assert!(!refresh.is_due(now) && refresh.is_due(due));
        assert_eq!(refresh.due(), Some(due + Duration::from_secs(30)));
        refresh.asked(RequestId::test(1));
        assert!(refresh.due().is_none() && !refresh.is_due(due + Duration::from_secs(90)));
        refresh.choose(RefreshChoice::Off, now);
        assert!(!refresh.is_due(due + Duration::from_secs(900)));
    }

    #[test]
    fn failures_draw_it_apart_and_success_brings_it_back() {
        let now = Instant::now();
        let mut refresh = Refresh::default();
        refresh.choose(RefreshChoice::HalfMinute, now);
        let mut waits = Vec::new();
        for n in 0..7 {
            refresh.asked(RequestId::test(n));
            assert!(refresh.takes(RequestId::test(n), &answer(false), now));
            waits.push(refresh.due().expect("due").duration_since(now).as_secs());
        }
        assert_eq!(waits, [60, 120, 240, 480, 900, 900, 900]);
        refresh.asked(RequestId::test(9));
        assert!(!refresh.takes(RequestId::test(8), &answer(true), now), "somebody else's");
        assert!(refresh.takes(RequestId::test(9), &answer(true), now));
        assert_eq!(refresh.due(), Some(now + Duration::from_secs(30)));
        refresh.held(now);
        assert_eq!(refresh.due(), Some(now + Duration::from_secs(60)));
    }
}
