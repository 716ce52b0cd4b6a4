//! Automatic refresh of the screen. It uses the background share of the rate limit, waits longer after
//! failures, and can be off.

use crate::config::RefreshChoice;
use crate::tui::prelude::*;

/// Longest interval between two refreshes after failures.
const LONGEST: Duration = Duration::from_secs(900);

#[derive(Debug, Default)]
pub struct Refresh {
    choice: RefreshChoice,
    due: Option<Instant>,
    /// Failures in a row. A refresh skipped because of a rate limit wait counts too.
    failures: u32,
    requests: HashSet<RequestId>,
}

impl Refresh {
    /// The interval in words, and whether the last refresh failed. `None` while the refresh is off.
    pub fn words(&self) -> Option<(String, bool)> {
        let wait = self.wait()?;
        Some(match self.failures {
            0 => (t!("refresh {every}", every = every(self.choice)), false),
            _ => {
                (t!("refresh failed; next try in {minutes} min", minutes = wait.as_secs().div_ceil(60)), true)
            }
        })
    }

    /// The first refresh is one interval from now.
    pub fn choose(&mut self, choice: RefreshChoice, now: Instant) {
        self.choice = choice;
        self.failures = 0;
        self.schedule(now);
    }

    /// Switches to the next interval, and tells the user.
    pub fn switch(&mut self, effects: &mut Effects<'_>) {
        let choice = self.choice.next();
        self.choose(choice, Instant::now());
        effects.say(match choice {
            RefreshChoice::Off => t!("Auto refresh is off.").to_owned(),
            _ => t!("lapel refreshes the screen {every}, in the background.", every = every(choice)),
        });
    }

    fn schedule(&mut self, now: Instant) {
        self.due = self.wait().map(|wait| now + wait);
    }

    /// Every failure doubles it.
    fn wait(&self) -> Option<Duration> {
        let every = self.choice.every()?;
        Some(every.saturating_mul(1 << self.failures.min(10)).min(LONGEST.max(every)))
    }

    /// `None` while the refresh is off or running.
    pub fn due(&self) -> Option<Instant> {
        self.due.filter(|_| self.requests.is_empty())
    }

    /// If so, schedules the next one.
    pub fn is_due(&mut self, now: Instant) -> bool {
        let due = self.due().is_some_and(|due| due <= now);
        if due {
            self.schedule(now);
        }
        due
    }

    /// A rate limit wait prevented a refresh: the interval doubles.
    pub fn held(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        self.schedule(now);
    }

    pub fn asked(&mut self, request: RequestId) {
        self.requests.insert(request);
    }

    pub fn cancelled(&mut self, request: RequestId) {
        self.requests.remove(&request);
    }

    pub fn forget(&mut self) {
        self.requests.clear();
        self.failures = 0;
    }

    /// Whether a response belongs to the refresh. If so, notes its success or failure.
    pub fn takes(&mut self, request: RequestId, response: &Response, now: Instant) -> bool {
        if !self.requests.remove(&request) {
            return false;
        }
        self.failures = if has_failed(response) { self.failures.saturating_add(1) } else { 0 };
        self.schedule(now);
        true
    }
}

pub fn every(choice: RefreshChoice) -> &'static str {
    match choice {
        RefreshChoice::Off => t!("never"),
        RefreshChoice::HalfMinute => t!("every 30 s"),
        RefreshChoice::TwoMinutes => t!("every 2 min"),
    }
}

pub fn has_failed(response: &Response) -> bool {
    match response {
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

    fn response(good: bool) -> Response {
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
        Response::History(Err(ApiError::NoResponse { why: crate::i18n::Localizable::verbatim("gone") }))
    }

    #[test]
    fn a_refresh_is_due_only_while_it_is_on_and_no_request_is_on_its_way() {
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
            assert!(refresh.takes(RequestId::test(n), &response(false), now));
            waits.push(refresh.due().expect("due").duration_since(now).as_secs());
        }
        assert_eq!(waits, [60, 120, 240, 480, 900, 900, 900]);
        refresh.asked(RequestId::test(9));
        assert!(!refresh.takes(RequestId::test(8), &response(true), now), "somebody else's");
        assert!(refresh.takes(RequestId::test(9), &response(true), now));
        assert_eq!(refresh.due(), Some(now + Duration::from_secs(30)));
        refresh.held(now);
        assert_eq!(refresh.due(), Some(now + Duration::from_secs(60)));
    }
}
