//! Settings for how jobs work. A profile can set each one.

use super::duplicate_kind::{DuplicateKind, Policy};
use super::schedule::Schedule;
use crate::api::MAX_ENTRIES;
use crate::jobs::prelude::*;
use std::time::Duration;

/// All times but the last are the service's, so lapel polls a sandbox with a fast clock more often.
#[derive(Clone, Debug, PartialEq)]
pub struct JobConfig {
    /// Maximum number of concurrent issue or revoke requests.
    pub in_flight: usize,
    /// Maximum entries per request (contract, "Limits": 1000).
    pub batch: usize,
    /// When to poll accepted rows and rows in doubt.
    pub schedule: Schedule,
    /// lapel looks for a row in doubt this long before it offers to send it again. The service may take a day
    /// (contract, "Limits" rule 3); the default is two hours longer.
    pub doubt_window: SignedDuration,
    /// After this time an absence counts. For an issue, also one that the service refused with 422: the row is not in
    /// the history, if the service is known to show waiting badges. For a revocation in doubt: the badge is not revoked.
    pub absence_after: SignedDuration,
    /// Minimum time between two scans that agree on an absence.
    pub scans_apart: SignedDuration,
    /// Maximum age of the duplicate check's history reading. Before sending, lapel repeats an older one.
    pub check_age: SignedDuration,
    /// A badge that is valid for at most this much longer counts as expiring.
    pub expiring: SignedDuration,
    pub policies: Policies,
    /// Days until lapel removes names and addresses of finished jobs. `None`: only `lapel jobs purge` does.
    pub keep_days: Option<u32>,
    /// Real time between two checks of what other processes have written. A team's database also notifies it.
    pub others: Duration,
}

/// See [`JobConfig::absence_after`]. What another job may send again goes by the default.
pub(super) const ABSENCE_AFTER: SignedDuration = SignedDuration::from_mins(10);

impl Default for JobConfig {
    fn default() -> Self {
        Self {
            in_flight: 2,
            batch: MAX_ENTRIES,
            schedule: Schedule::default(),
            doubt_window: SignedDuration::from_hours(26),
            absence_after: ABSENCE_AFTER,
            scans_apart: SignedDuration::from_secs(60),
            check_age: SignedDuration::from_mins(15),
            expiring: SignedDuration::from_hours(30 * 24),
            policies: Policies::default(),
            keep_days: None,
            others: Duration::from_secs(2),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policies(BTreeMap<DuplicateKind, Policy>);

impl Policies {
    pub fn of(&self, class: DuplicateKind) -> Policy {
        self.0.get(&class).copied().unwrap_or_else(|| class.default_policy())
    }

    /// Whether a setting or a flag allows sending rows of this kind.
    pub fn allows(&self, class: DuplicateKind) -> bool {
        self.0.get(&class) == Some(&Policy::Allow)
    }

    /// If so, an incomplete reading of the history does not matter.
    pub fn allows_duplicates(&self) -> bool {
        DuplicateKind::ALL
            .iter()
            .filter(|c| c.is_duplicate() && **c != DuplicateKind::Twin)
            .all(|c| self.allows(*c))
    }

    pub fn set(&mut self, class: DuplicateKind, policy: Policy) {
        self.0.insert(class, policy);
    }

    /// Sets one policy for every kind in which the recipient has, or may have, the badge.
    pub fn on_duplicate(&mut self, policy: Policy) {
        for class in DuplicateKind::ALL.iter().filter(|c| c.is_duplicate()) {
            self.set(*class, policy);
        }
    }
}
