//! The ledger: what the service really did, whatever it answered.
//!
//! Tests take it as their oracle. An issue is counted when it is committed, even if the answer is then lost;
//! a request that was answered but not carried out is not.

use std::collections::BTreeMap;

use serde::Serialize;

/// Everything the service has counted since it started.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Ledger {
    /// Virtual service time, `YYYY-MM-DD HH:MM:SS`.
    pub now: String,
    /// Accepted issues per template and address.
    pub accepted: Vec<Accepted>,
    /// Revocations per badge id.
    pub revokes: Vec<Revoked>,
    /// Requests by `METHOD /path` (ids as `{badge_id}` and so on), refused ones included.
    pub requests: BTreeMap<String, u64>,
    /// Answers by HTTP status, before faults changed them.
    pub statuses: BTreeMap<u16, u64>,
    /// Largest number of requests in any 60 real seconds, per key prefix.
    pub busiest_minute: BTreeMap<String, Minute>,
    /// What a well-behaved client never does.
    pub violations: Violations,
    /// Connections.
    pub connections: Connections,
    /// Issues accepted per key prefix since the sandbox was first started.
    pub issued: BTreeMap<String, u64>,
    /// How often a fault struck.
    pub faults: u64,
}

/// Accepted issues of one template to one address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Accepted {
    /// The template.
    pub template_id: String,
    /// The address as stored.
    pub recipient_email: String,
    /// How many were accepted.
    pub count: u64,
    /// Their ids, in order.
    pub badge_ids: Vec<String>,
}

/// Revocations of one id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Revoked {
    /// The id as it was sent.
    pub badge_id: String,
    /// How often the revocation was accepted: never more than once.
    pub accepted: u64,
    /// How often it was silently left out.
    pub dropped: u64,
}

/// Requests in the busiest 60 seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Minute {
    /// Answered.
    pub admitted: usize,
    /// Including those refused with 429.
    pub arrived: usize,
}

/// What a well-behaved client never does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Violations {
    /// Requests over the limit, answered with 429.
    pub rate_limited: u64,
    /// Requests without a key.
    pub no_key: u64,
    /// Requests with a key that is not known.
    pub bad_key: u64,
    /// Requests with a known key in the query string or the path.
    pub key_in_url: u64,
    /// Requests with the key outside the API: pictures, other paths.
    pub key_outside_api: u64,
    /// Requests from an address outside the allow-list.
    pub blocked_address: u64,
    /// Batches and revocations of more than 1000 entries.
    pub over_limit: u64,
    /// Paging outside the contract.
    pub bad_paging: u64,
}

/// TCP connections to the service.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Connections {
    /// Opened since the start.
    pub opened: u64,
    /// Open now.
    pub open: u64,
}

impl Ledger {
    /// How many badges of this template were accepted for this address (letter case does not matter).
    pub fn accepted_for(&self, template_id: &str, recipient_email: &str) -> u64 {
        let same = |row: &&Accepted| {
            row.template_id == template_id
                && row.recipient_email.to_lowercase() == recipient_email.to_lowercase()
        };
        self.accepted.iter().filter(same).map(|row| row.count).sum()
    }

    /// How many badges were accepted in all.
    pub fn accepted_total(&self) -> u64 {
        self.accepted.iter().map(|row| row.count).sum()
    }

    /// How many revocations were accepted in all.
    pub fn revokes_accepted(&self) -> u64 {
        self.revokes.iter().map(|row| row.accepted).sum()
    }

    /// How many entries of revocations were silently left out.
    pub fn revokes_dropped(&self) -> u64 {
        self.revokes.iter().map(|row| row.dropped).sum()
    }

    /// How many requests of this method and path (such as `GET /badges/{badge_id}`) came in.
    pub fn requests_to(&self, route: &str) -> u64 {
        self.requests.get(route).copied().unwrap_or(0)
    }
}

/// The running books behind [`Ledger`].
#[derive(Debug, Default)]
pub(super) struct Books {
    pub accepted: BTreeMap<(String, String), Vec<String>>,
    pub revokes: BTreeMap<String, (u64, u64)>,
    pub requests: BTreeMap<String, u64>,
    pub statuses: BTreeMap<u16, u64>,
    pub violations: Violations,
    pub faults: u64,
}

impl Books {
    pub fn accept(&mut self, template_id: &str, recipient_email: &str, badge_id: &str) {
        let key = (template_id.to_owned(), recipient_email.to_owned());
        self.accepted.entry(key).or_default().push(badge_id.to_owned());
    }

    pub fn revoke(&mut self, badge_id: &str, accepted: bool) {
        let counts = self.revokes.entry(badge_id.to_owned()).or_default();
        if accepted { counts.0 += 1 } else { counts.1 += 1 }
    }

    /// The books as they stand; the service fills in what it keeps elsewhere.
    pub fn ledger(&self) -> Ledger {
        Ledger {
            accepted: self
                .accepted
                .iter()
                .map(|((template_id, recipient_email), ids)| Accepted {
                    template_id: template_id.clone(),
                    recipient_email: recipient_email.clone(),
                    count: ids.len() as u64,
                    badge_ids: ids.clone(),
                })
                .collect(),
            revokes: self
                .revokes
                .iter()
                .map(|(id, (accepted, dropped))| Revoked {
                    badge_id: id.clone(),
                    accepted: *accepted,
                    dropped: *dropped,
                })
                .collect(),
            requests: self.requests.clone(),
            statuses: self.statuses.clone(),
            violations: self.violations,
            faults: self.faults,
            ..Ledger::default()
        }
    }
}
