//! The ledger: the service's real actions, independent of its answers.
//!
//! A committed issue counts even if its answer is lost. An answered request that did nothing does not.

use std::collections::BTreeMap;

use serde::Serialize;

#[derive(Debug, Clone, Default, Serialize)]
pub struct Ledger {
    /// Virtual service time, `YYYY-MM-DD HH:MM:SS`.
    pub now: String,
    /// Accepted issues per template and address.
    pub accepted: Vec<AcceptedBadges>,
    pub revokes: Vec<Revoked>,
    /// Requests by `METHOD /path` (ids as `{badge_id}` and so on), including refused ones.
    pub requests: BTreeMap<String, u64>,
    /// Answers by HTTP status, before faults changed them.
    pub statuses: BTreeMap<u16, u64>,
    /// Largest number of requests in any 60 real seconds, per key prefix.
    pub busiest_minute: BTreeMap<String, Minute>,
    pub violations: Violations,
    pub connections: Connections,
    /// Issues accepted per key prefix since the first start of the sandbox.
    pub issued: BTreeMap<String, u64>,
    pub faults: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AcceptedBadges {
    pub template_id: String,
    pub recipient_email: String,
    pub count: u64,
    /// The badge ids in order of acceptance.
    pub badge_ids: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Revoked {
    pub badge_id: String,
    /// Accepted revocations: never more than one.
    pub accepted: u64,
    pub dropped: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Minute {
    pub admitted: usize,
    /// All requests, including those refused with 429.
    pub arrived: usize,
}

/// Requests that a well-behaved client never sends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Violations {
    pub rate_limited: u64,
    pub no_key: u64,
    pub bad_key: u64,
    /// Requests with a known key in the query string or the path.
    pub key_in_url: u64,
    /// Requests with the key outside the API: pictures, other paths.
    pub key_outside_api: u64,
    pub blocked_address: u64,
    /// Batches and revocations of more than 1000 entries.
    pub over_limit: u64,
    pub bad_paging: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Connections {
    pub opened: u64,
    pub open: u64,
}

impl Ledger {
    /// Case of the address does not count.
    pub fn accepted_for(&self, template_id: &str, recipient_email: &str) -> u64 {
        let same = |row: &&AcceptedBadges| {
            row.template_id == template_id
                && row.recipient_email.to_lowercase() == recipient_email.to_lowercase()
        };
        self.accepted.iter().filter(same).map(|row| row.count).sum()
    }

    pub fn accepted_total(&self) -> u64 {
        self.accepted.iter().map(|row| row.count).sum()
    }

    pub fn revokes_accepted(&self) -> u64 {
        self.revokes.iter().map(|row| row.accepted).sum()
    }

    pub fn revokes_dropped(&self) -> u64 {
        self.revokes.iter().map(|row| row.dropped).sum()
    }

    /// `route` is a method and path, such as `GET /badges/{badge_id}`.
    pub fn requests_to(&self, route: &str) -> u64 {
        self.requests.get(route).copied().unwrap_or(0)
    }
}

#[derive(Debug, Default)]
pub(super) struct Books {
    /// By template and address.
    accepted: BTreeMap<(String, String), AcceptedBadges>,
    revokes: BTreeMap<String, Revoked>,
    /// The other numbers.
    pub ledger: Ledger,
}

impl Books {
    pub fn accept(&mut self, template_id: &str, recipient_email: &str, badge_id: &str) {
        let key = (template_id.to_owned(), recipient_email.to_owned());
        let badges = self.accepted.entry(key).or_insert_with_key(|(template_id, recipient_email)| {
            let (template_id, recipient_email) = (template_id.clone(), recipient_email.clone());
            AcceptedBadges { template_id, recipient_email, count: 0, badge_ids: Vec::new() }
        });
        badges.count += 1;
        badges.badge_ids.push(badge_id.to_owned());
    }

    pub fn revoke(&mut self, badge_id: &str, accepted: bool) {
        let none = || Revoked { badge_id: badge_id.to_owned(), accepted: 0, dropped: 0 };
        let counts = self.revokes.entry(badge_id.to_owned()).or_insert_with(none);
        if accepted { counts.accepted += 1 } else { counts.dropped += 1 }
    }

    /// The service adds the numbers that it keeps elsewhere.
    pub fn ledger(&self) -> Ledger {
        let accepted = self.accepted.values().cloned().collect();
        Ledger { accepted, revokes: self.revokes.values().cloned().collect(), ..self.ledger.clone() }
    }
}
