//! `[jobs]`: limits, schedules and policies of jobs, for all profiles or for one.
//!
//! `config` does not use `jobs`: `jobs` converts these values, and knows the default policies.

use super::section::{ConfigSection, Consequence, SettingType, ToToml, ascending, number, section};
use super::toml_reader::{TomlReader, TomlValue, join};
use super::word_enums::words;

/// Minutes in thirty days: the latest first check.
const MONTH: u32 = 30 * 24 * 60;
/// Minutes after acceptance. The service takes 5 minutes to a day (contract, "Limits", rule 3), so an earlier
/// request is wasted.
const ISSUE_CHECKS: [u32; 13] = [5, 7, 10, 15, 30, 60, 120, 240, 480, 720, 960, 1200, 1440];
/// Minutes. The contract gives no duration. As soon as all accepted badges are seen, the others were not accepted.
const REVOKE_CHECKS: [u32; 13] = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 720, 960, 1440];
/// Minutes. Where the service shows waiting badges, two polls after ten minutes decide. Elsewhere the end of
/// the window decides, a little after a day and two hours.
const DOUBT_CHECKS: [u32; 15] = [1, 3, 5, 10, 12, 15, 30, 60, 120, 240, 480, 720, 1080, 1440, 1561];

/// The kinds of duplicates that have a policy, by their names under `policies`: all but `new` and `lost_writes`.
pub const DUPLICATE_KINDS: &[&str] =
    &["twin", "shared_address", "valid", "expiring", "expired", "revoked", "waiting", "sent", "look_alike"];

words! {
    pub enum JobPolicy {
        Block = "block",
        Ask = "ask",
        Allow = "allow",
    }
}

/// By a name in [`DUPLICATE_KINDS`].
pub type JobPolicies = Vec<(&'static str, JobPolicy)>;

// Issuing takes at least five minutes and may take a day (contract, "Limits" rule 3). Before that, a missing badge
// proves nothing.
section! {
    /// The job settings of the file. A mistake in a number is harmless, because the contract's own limits apply.
    pub struct JobSettings {
        /// Maximum requests in flight.
        in_flight: Option<u32> = 2 => number(1, 8);
        /// Maximum entries per request (contract, "Limits": 1000).
        batch: Option<u32> = 1000 => number(1, 1000);
        /// Hours for which lapel checks a row in doubt before it offers to send it again. The service may take a day
        /// (contract, "Limits" rule 3); the default is two hours longer.
        doubt_window_hours: Option<u32> = 26 => number(24, 720);
        /// Minutes after acceptance at which lapel checks accepted issues.
        issue_checks: Option<Vec<u32>> = ISSUE_CHECKS.to_vec() => ascending(5, MONTH), {
            former_key: Some("issue_looks")
        };
        /// Minutes after acceptance at which lapel checks revocations.
        revoke_checks: Option<Vec<u32>> = REVOKE_CHECKS.to_vec() => ascending(1, MONTH), {
            former_key: Some("revoke_looks")
        };
        /// Minutes after sending at which lapel checks requests in doubt.
        doubt_checks: Option<Vec<u32>> = DOUBT_CHECKS.to_vec() => ascending(1, MONTH), {
            former_key: Some("doubt_looks")
        };
        /// Minutes after which the duplicate check reads the history again.
        duplicate_check_minutes: Option<u32> = 15 => number(1, 1440), { former_key: Some("guard_age_minutes") };
        /// Days before its end at which a badge counts as expiring.
        expiring_days: Option<u32> = 30 => number(0, 3650);
        /// Days until lapel removes names and e-mail addresses from finished jobs.
        keep_days: Option<u32> => number(1, 36_500);
        /// The policy per duplicate kind, by its name in [`DUPLICATE_KINDS`].
        policies: JobPolicies => read_policies, { on_mistake: Consequence::ReadOnly, inner_keys: DUPLICATE_KINDS };
    }
}

impl JobSettings {
    /// Every setting with its default.
    pub fn defaults(policies: JobPolicies) -> Self {
        Self { policies, ..Self::usual() }
    }

    /// Former names of settings, each with the name of today.
    pub fn former_names() -> impl Iterator<Item = (&'static str, &'static str)> {
        Self::SETTINGS.iter().filter_map(|setting| Some((setting.former_key?, setting.key)))
    }
}

impl SettingType for JobPolicies {
    type Read = Self;

    fn set(&mut self, read: Self) {
        *self = read;
    }

    fn value(&self) -> Option<toml::Value> {
        let table = self.iter().map(|(class, policy)| ((*class).to_owned(), policy.to_toml()));
        (!self.is_empty()).then(|| toml::Value::Table(table.collect()))
    }

    /// Each policy is inherited by itself.
    fn inherit(&mut self, all: &Self) {
        let own = std::mem::take(self);
        let is_inherited = |class: &str| own.iter().all(|(known, _)| *known != class);
        *self = all.iter().copied().filter(|(class, _)| is_inherited(class)).collect();
        self.extend(own);
    }
}

fn read_policies(reader: &mut TomlReader<'_>, value: &TomlValue<'_>, field: &str) -> Option<JobPolicies> {
    let table = reader.table(value, field, t!("must be a table such as { valid = \"block\" }"))?;
    reader.unknown(table, field, DUPLICATE_KINDS, &[]);
    let policy = |class: &&'static str| Some((*class, reader.word(table.get(*class)?, &join(field, class))?));
    Some(DUPLICATE_KINDS.iter().filter_map(policy).collect())
}
