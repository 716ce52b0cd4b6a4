//! Settings for how jobs work. A profile can set each one.

use super::duplicate_kind::{DuplicateKind, Policy};
use super::schedule::Schedule;
use crate::config::{DUPLICATE_KINDS, JobPolicy, JobSettings, Words};
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
    /// lapel looks for a row in doubt this long before it offers to send it again.
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
        Self::of(&JobSettings::default())
    }
}

impl JobConfig {
    pub fn of(settings: &JobSettings) -> Self {
        Self {
            in_flight: settings.in_flight() as usize,
            batch: settings.batch() as usize,
            schedule: Schedule::of(settings),
            doubt_window: SignedDuration::from_hours(i64::from(settings.doubt_window_hours())),
            absence_after: ABSENCE_AFTER,
            scans_apart: SignedDuration::from_secs(60),
            check_age: SignedDuration::from_mins(i64::from(settings.duplicate_check_minutes())),
            expiring: SignedDuration::from_hours(24 * i64::from(settings.expiring_days())),
            policies: Policies::of_settings(&settings.policies),
            keep_days: settings.keep_days,
            others: Duration::from_secs(2),
        }
    }

    /// The default of each setting, in the form of the settings file.
    pub fn default_settings() -> JobSettings {
        let policy = |kind: &&'static str| {
            Some((*kind, JobPolicy::read(DuplicateKind::from_code(kind)?.default_policy().code())?))
        };
        JobSettings::defaults(DUPLICATE_KINDS.iter().filter_map(policy).collect())
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policies(BTreeMap<DuplicateKind, Policy>);

impl Policies {
    fn of_settings(settings: &[(&str, JobPolicy)]) -> Self {
        let policy = |(kind, policy): &(&str, JobPolicy)| {
            Some((DuplicateKind::from_code(kind)?, Policy::from_code(policy.word())?))
        };
        Self(settings.iter().filter_map(policy).collect())
    }

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
        let lost = DuplicateKind::LostWrites;
        for class in DuplicateKind::ALL.iter().filter(|c| c.is_duplicate() || **c == lost) {
            self.set(*class, policy);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::MAX_ENTRIES;

    /// `config` does not use `jobs`, so this test keeps the two lists of duplicate kinds equal.
    #[test]
    fn the_settings_know_every_kind_but_new_and_lost_writes() {
        let has_none = [DuplicateKind::New, DuplicateKind::LostWrites];
        let known: Vec<DuplicateKind> =
            DuplicateKind::ALL.iter().copied().filter(|kind| !has_none.contains(kind)).collect();
        let named: Vec<Option<DuplicateKind>> =
            DUPLICATE_KINDS.iter().map(|code| DuplicateKind::from_code(code)).collect();
        assert_eq!(named, known.into_iter().map(Some).collect::<Vec<_>>());
    }

    #[test]
    fn a_setting_that_is_not_in_the_file_has_its_default() {
        let default = JobConfig::default();
        assert_eq!(default.batch, MAX_ENTRIES);
        assert_eq!(default.keep_days, None);
        let shown = JobConfig::default_settings();
        assert_eq!(shown.policies.len(), DUPLICATE_KINDS.len());
        let of_shown = JobConfig::of(&shown);
        for kind in DuplicateKind::ALL {
            assert_eq!(of_shown.policies.of(*kind), default.policies.of(*kind), "{kind:?}");
        }
        assert_eq!(JobConfig { policies: default.policies.clone(), ..of_shown }, default);
    }

    #[test]
    fn the_settings_of_the_file_apply() {
        let config = JobConfig::of(&JobSettings {
            in_flight: Some(4),
            batch: Some(10),
            doubt_window_hours: Some(48),
            issue_checks: Some(vec![5, 60]),
            revoke_checks: None,
            doubt_checks: Some(vec![1]),
            duplicate_check_minutes: Some(1),
            expiring_days: Some(7),
            keep_days: Some(365),
            policies: vec![("valid", JobPolicy::Block), ("revoked", JobPolicy::Allow)],
        });
        assert_eq!((config.in_flight, config.batch, config.keep_days), (4, 10, Some(365)));
        assert_eq!(config.doubt_window, SignedDuration::from_hours(48));
        assert_eq!((config.schedule.issue, config.schedule.doubt), (vec![5, 60], vec![1]));
        assert_eq!(config.schedule.revoke, JobConfig::default().schedule.revoke);
        assert_eq!(config.check_age, SignedDuration::from_mins(1));
        assert_eq!(config.expiring, SignedDuration::from_hours(168));
        assert_eq!(config.policies.of(DuplicateKind::Valid), Policy::Block);
        assert_eq!(config.policies.of(DuplicateKind::Revoked), Policy::Allow);
        assert_eq!(config.policies.of(DuplicateKind::Twin), DuplicateKind::Twin.default_policy());
    }
}
