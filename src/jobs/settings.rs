//! How carefully and how patiently jobs work. Everything here can be set per profile.

use super::duplicate_check::{DuplicateKind, Policy};
use super::schedule::Schedule;
use crate::api::MAX_ENTRIES;
use jiff::SignedDuration;
use std::collections::BTreeMap;

/// How jobs work. All times are the service's: a sandbox whose clock runs fast is followed faster.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Issue or revoke requests that may be on their way at the same time.
    pub in_flight: usize,
    /// Entries of one request, at most (contract, "Limits": 1000).
    pub batch: usize,
    /// When to look at what the service has accepted, or may have.
    pub schedule: Schedule,
    /// How long a row in doubt is looked for before sending it again is offered. The service may take a day
    /// (contract, "Limits" rule 3); two hours more than that by default.
    pub doubt_window: SignedDuration,
    /// Where the service is known to show waiting badges, how long after sending a row's absence from the
    /// history counts at all.
    pub absence_after: SignedDuration,
    /// How far apart two scans must be that agree on an absence.
    pub scans_apart: SignedDuration,
    /// A guard's reading of the history that is older than this is read again before sending.
    pub guard_age: SignedDuration,
    /// A badge that is still valid for at most this long counts as expiring.
    pub expiring: SignedDuration,
    /// What happens with a row of each class.
    pub policies: Policies,
    /// After how many days names and addresses of finished jobs are removed from the journal; `None` keeps
    /// them until `lapel jobs purge`.
    pub keep_days: Option<u32>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            in_flight: 2,
            batch: MAX_ENTRIES,
            schedule: Schedule::default(),
            doubt_window: SignedDuration::from_hours(26),
            absence_after: SignedDuration::from_mins(10),
            scans_apart: SignedDuration::from_secs(60),
            guard_age: SignedDuration::from_mins(15),
            expiring: SignedDuration::from_hours(30 * 24),
            policies: Policies::default(),
            keep_days: None,
        }
    }
}

/// What happens with a row of each class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policies(BTreeMap<DuplicateKind, Policy>);

impl Policies {
    /// The policy for a class: what was set, or the class's own.
    pub fn of(&self, class: DuplicateKind) -> Policy {
        self.0.get(&class).copied().unwrap_or_else(|| class.default_policy())
    }

    /// Whether somebody has said that a class is sent: a setting, or a flag.
    pub fn allows(&self, class: DuplicateKind) -> bool {
        self.0.get(&class) == Some(&Policy::Allow)
    }

    /// Whether somebody has said that every class is sent in which a reading shows that the person has such a badge:
    /// then it does not matter that a reading was incomplete.
    pub fn allows_duplicates(&self) -> bool {
        DuplicateKind::ALL
            .iter()
            .filter(|c| c.is_duplicate() && **c != DuplicateKind::Twin)
            .all(|c| self.allows(*c))
    }

    /// Sets one.
    pub fn set(&mut self, class: DuplicateKind, policy: Policy) {
        self.0.insert(class, policy);
    }

    /// The same policy for every class in which the person has, or may have, such a badge already.
    pub fn on_duplicate(&mut self, policy: Policy) {
        for class in DuplicateKind::ALL.iter().filter(|c| c.is_duplicate()) {
            self.set(*class, policy);
        }
    }
}
