//! `[jobs]`: limits, schedules and policies of jobs, for all profiles or for one.
//!
//! `config` does not use `jobs`: the caller converts these values.

use super::section::{Consequence, SettingType, ToToml, ascending, number, section};
use super::toml_reader::{TomlReader, TomlValue, join};
use super::word_enums::words;

/// Minutes in thirty days: the latest first check.
const MONTH: u32 = 30 * 24 * 60;

/// All duplicate kinds except "new", by their names under `policies`.
pub const JOB_CLASSES: &[&str] =
    &["twin", "shared_address", "valid", "expiring", "expired", "revoked", "waiting", "sent", "look_alike"];

words! {
    pub enum JobPolicy {
        Block = "block",
        Ask = "ask",
        Allow = "allow",
    }
}

/// By a name in [`JOB_CLASSES`].
type JobPolicies = Vec<(&'static str, JobPolicy)>;

// Issuing takes at least five minutes and may take a day (contract, "Limits" rule 3). Before that, a missing badge
// proves nothing.
section! {
    /// The job settings of the file. `None` means the default. A mistake in a number is harmless, because the
    /// contract's own limits apply.
    pub struct JobSettings {
        /// Maximum requests in flight.
        in_flight: Option<u32> => number(1, 8);
        /// Maximum entries per request.
        batch: Option<u32> => number(1, 1000);
        /// Hours for which lapel checks a row in doubt before it offers to send it again.
        doubt_window_hours: Option<u32> => number(24, 720);
        /// Minutes after acceptance at which lapel checks accepted issues.
        issue_looks: Option<Vec<u32>> => ascending(5, MONTH);
        /// Minutes after acceptance at which lapel checks revocations.
        revoke_looks: Option<Vec<u32>> => ascending(1, MONTH);
        /// Minutes after sending at which lapel checks requests in doubt.
        doubt_looks: Option<Vec<u32>> => ascending(1, MONTH);
        /// Minutes after which the duplicate check reads the history again.
        guard_age_minutes: Option<u32> => number(1, 1440);
        /// Days before its end at which a badge counts as expiring.
        expiring_days: Option<u32> => number(0, 3650);
        /// Days until lapel removes names and e-mail addresses from finished jobs.
        keep_days: Option<u32> => number(1, 36_500);
        /// The policy per duplicate kind, by its name in [`JOB_CLASSES`].
        policies: JobPolicies => read_policies, { on_mistake: Consequence::ReadOnly, inner_keys: JOB_CLASSES };
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
    reader.unknown(table, field, JOB_CLASSES, &[]);
    let policy = |class: &&'static str| Some((*class, reader.word(table.get(*class)?, &join(field, class))?));
    Some(JOB_CLASSES.iter().filter_map(policy).collect())
}
