//! `[jobs]`: limits, schedules and policies of jobs, for all profiles or for one.
//!
//! These are plain values. `config` does not use `jobs`; the caller converts them.

use super::toml_reader::{Sheet, Value, join, nearest};
use super::ui::Words;
use toml::de::DeTable;

const FIELDS: &[&str] = &[
    "in_flight",
    "batch",
    "doubt_window_hours",
    "issue_looks",
    "revoke_looks",
    "doubt_looks",
    "guard_age_minutes",
    "expiring_days",
    "keep_days",
    "policies",
];

/// Minutes in thirty days: the latest first check.
const MONTH: u32 = 30 * 24 * 60;

/// The duplicate kinds that a check before sending can find, except "new". They are the names under
/// `policies`.
pub const JOB_CLASSES: &[&str] =
    &["twin", "shared_address", "valid", "expiring", "expired", "revoked", "waiting", "sent", "look_alike"];

/// What lapel does with a row of a duplicate kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobPolicy {
    /// Skips the row.
    Block,
    Ask,
    Allow,
}

impl JobPolicy {
    pub fn from_word(word: &str) -> Option<Self> {
        Self::read(word)
    }
}

impl Words for JobPolicy {
    const WORDS: &'static [(&'static str, Self)] =
        &[("block", Self::Block), ("ask", Self::Ask), ("allow", Self::Allow)];
}

/// The job settings of the file. `None` means the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobSettings {
    /// Maximum requests in flight, 1 to 8.
    pub in_flight: Option<u32>,
    /// Maximum entries per request, 1 to 1000.
    pub batch: Option<u32>,
    /// Hours for which lapel checks a row in doubt before it offers to send it again, 24 to 720.
    pub doubt_window_hours: Option<u32>,
    /// Minutes after acceptance at which lapel checks accepted issues, ascending, 5 to 43200.
    pub issue_looks: Option<Vec<u32>>,
    /// Minutes after acceptance at which lapel checks revocations, ascending, 1 to 43200.
    pub revoke_looks: Option<Vec<u32>>,
    /// Minutes after sending at which lapel checks requests in doubt, ascending, 1 to 43200.
    pub doubt_looks: Option<Vec<u32>>,
    /// Minutes after which the duplicate check reads the history again, 1 to 1440.
    pub guard_age_minutes: Option<u32>,
    /// Days before its end at which a badge counts as expiring, 0 to 3650.
    pub expiring_days: Option<u32>,
    /// Days until lapel removes names and e-mail addresses from finished jobs, 1 to 36500.
    pub keep_days: Option<u32>,
    /// The policy per duplicate kind, by its name in [`JOB_CLASSES`].
    pub policies: Vec<(&'static str, JobPolicy)>,
}

impl JobSettings {
    /// Reads the table `jobs` or `profiles.NAME.jobs`, and reports every mistake.
    pub(super) fn read(sheet: &mut Sheet<'_>, value: &Value<'_>, prefix: &str) -> Self {
        let Some(table) = sheet.table(value, prefix, t!("a table of settings")) else {
            return Self::default();
        };
        sheet.unknown(table, prefix, FIELDS, &[]);
        let mut number = |name: &str, least: u32, most: u32| {
            table.get(name).and_then(|value| sheet.number(value, &join(prefix, name), least, most))
        };
        let numbers = (
            number("in_flight", 1, 8),
            number("batch", 1, 1000),
            // Issuing may take a day (contract, "Limits" rule 3). Before that, a missing badge proves
            // nothing.
            number("doubt_window_hours", 24, 720),
            number("guard_age_minutes", 1, 1440),
            number("expiring_days", 0, 3650),
            number("keep_days", 1, 36_500),
        );
        let mut looks = |name: &str, least: u32| {
            table.get(name).and_then(|value| sheet.rising(value, &join(prefix, name), least, MONTH))
        };
        let mut read = Self {
            // Issuing takes at least five minutes (contract, "Limits" rule 3).
            issue_looks: looks("issue_looks", 5),
            revoke_looks: looks("revoke_looks", 1),
            doubt_looks: looks("doubt_looks", 1),
            in_flight: numbers.0,
            batch: numbers.1,
            doubt_window_hours: numbers.2,
            guard_age_minutes: numbers.3,
            expiring_days: numbers.4,
            keep_days: numbers.5,
            policies: Vec::new(),
        };
        if let Some(policies) = table.get("policies") {
            let prefix = join(prefix, "policies");
            if let Some(table) = sheet.table(policies, &prefix, t!("a table such as { valid = \"block\" }")) {
                read.policies = take_policies(sheet, table, &prefix);
            }
        }
        read
    }

    /// Whether a setting, possibly misspelled, is a number or a list of numbers. While one of these is
    /// unknown, the contract's own limits apply.
    pub(super) fn is_number(name: &str) -> bool {
        nearest(name, FIELDS.iter().copied()).is_some_and(|name| name != "policies")
    }

    /// The name of every setting, such as `in_flight` or `policies.valid`, with its value when the file sets
    /// it.
    pub(super) fn each(&self) -> Vec<(String, Option<String>)> {
        let number = |n: Option<u32>| n.map(|n| n.to_string());
        let looks = |list: &Option<Vec<u32>>| {
            list.as_ref().map(|all| all.iter().map(u32::to_string).collect::<Vec<_>>().join(", "))
        };
        let value = |name: &str| match name {
            "in_flight" => number(self.in_flight),
            "batch" => number(self.batch),
            "doubt_window_hours" => number(self.doubt_window_hours),
            "issue_looks" => looks(&self.issue_looks),
            "revoke_looks" => looks(&self.revoke_looks),
            "doubt_looks" => looks(&self.doubt_looks),
            "guard_age_minutes" => number(self.guard_age_minutes),
            "expiring_days" => number(self.expiring_days),
            "keep_days" => number(self.keep_days),
            _ => None,
        };
        let policy =
            |class: &str| self.policies.iter().find(|(of, _)| *of == class).map(|(_, p)| p.spelled());
        let plain = FIELDS.iter().filter(|name| **name != "policies");
        plain
            .map(|name| ((*name).to_owned(), value(name)))
            .chain(
                JOB_CLASSES
                    .iter()
                    .map(|class| (format!("policies.{class}"), policy(class).map(str::to_owned))),
            )
            .collect()
    }

    /// The settings of a profile, with those for all profiles where the profile sets none.
    pub(super) fn or(&self, all: &Self) -> Self {
        let mut policies = all.policies.clone();
        for (class, policy) in &self.policies {
            policies.retain(|(known, _)| known != class);
            policies.push((class, *policy));
        }
        Self {
            in_flight: self.in_flight.or(all.in_flight),
            batch: self.batch.or(all.batch),
            doubt_window_hours: self.doubt_window_hours.or(all.doubt_window_hours),
            issue_looks: self.issue_looks.clone().or_else(|| all.issue_looks.clone()),
            revoke_looks: self.revoke_looks.clone().or_else(|| all.revoke_looks.clone()),
            doubt_looks: self.doubt_looks.clone().or_else(|| all.doubt_looks.clone()),
            guard_age_minutes: self.guard_age_minutes.or(all.guard_age_minutes),
            expiring_days: self.expiring_days.or(all.expiring_days),
            keep_days: self.keep_days.or(all.keep_days),
            policies,
        }
    }
}

fn take_policies(sheet: &mut Sheet<'_>, table: &DeTable<'_>, prefix: &str) -> Vec<(&'static str, JobPolicy)> {
    sheet.unknown(table, prefix, JOB_CLASSES, &[]);
    let mut policies = Vec::new();
    for class in JOB_CLASSES {
        if let Some(value) = table.get(*class)
            && let Some(policy) = sheet.word(value, &join(prefix, class))
        {
            policies.push((*class, policy));
        }
    }
    policies
}
