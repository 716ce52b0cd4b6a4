//! `[jobs]`: how carefully and how patiently jobs work, for all profiles and for one.
//!
//! Plain values: this room does not know what a job is. What reads them maps them to its own.

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

/// Minutes in thirty days: nobody looks later than that for the first time.
const MONTH: u32 = 30 * 24 * 60;

/// What a row can be found to be before anything is sent, other than new: the names under `policies`.
pub const JOB_CLASSES: &[&str] =
    &["twin", "shared_address", "valid", "expiring", "expired", "revoked", "waiting", "sent", "look_alike"];

/// What happens with a row of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobPolicy {
    /// It is left out.
    Block,
    /// A person decides.
    Ask,
    /// It is sent.
    Allow,
}

impl JobPolicy {
    /// Reads `block`, `ask` or `allow`.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::read(word)
    }
}

impl Words for JobPolicy {
    const WORDS: &'static [(&'static str, Self)] =
        &[("block", Self::Block), ("ask", Self::Ask), ("allow", Self::Allow)];
}

/// How jobs work, as far as the file says; `None` is the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobSettings {
    /// Requests that may be on their way at the same time, 1 to 8.
    pub in_flight: Option<u32>,
    /// Entries of one request, 1 to 1000.
    pub batch: Option<u32>,
    /// Hours for which a row in doubt is looked for before sending it again is offered, 24 to 720.
    pub doubt_window_hours: Option<u32>,
    /// Minutes after acceptance at which accepted issues are looked at, rising, 5 to 43200.
    pub issue_looks: Option<Vec<u32>>,
    /// The same for revocations, 1 to 43200.
    pub revoke_looks: Option<Vec<u32>>,
    /// The same, after sending, for requests whose fate is not known, 1 to 43200.
    pub doubt_looks: Option<Vec<u32>>,
    /// Minutes after which what the guard has read is read again, 1 to 1440.
    pub guard_age_minutes: Option<u32>,
    /// Days before its end at which a badge counts as expiring, 0 to 3650.
    pub expiring_days: Option<u32>,
    /// Days after which names and addresses of finished jobs are removed, 1 to 36500.
    pub keep_days: Option<u32>,
    /// What happens with rows of a class, by its name in [`JOB_CLASSES`].
    pub policies: Vec<(&'static str, JobPolicy)>,
}

impl JobSettings {
    /// Reads a table, `jobs` or `profiles.NAME.jobs`, and notes every mistake in it.
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
            // The service may take a day (contract, "Limits" rule 3): before that, nothing means nothing.
            number("doubt_window_hours", 24, 720),
            number("guard_age_minutes", 1, 1440),
            number("expiring_days", 0, 3650),
            number("keep_days", 1, 36_500),
        );
        let mut looks = |name: &str, least: u32| {
            table.get(name).and_then(|value| sheet.rising(value, &join(prefix, name), least, MONTH))
        };
        let mut read = Self {
            // Nothing is issued within five minutes (contract, "Limits" rule 3).
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

    /// Whether a setting, however misspelled, is a number or a list of numbers, for which the contract's own limits
    /// hold as long as it is not known.
    pub(super) fn is_number(name: &str) -> bool {
        nearest(name, FIELDS.iter().copied()).is_some_and(|name| name != "policies")
    }

    /// Every setting by its name, `in_flight` or `policies.valid`, with its value as far as there is one.
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

    /// What a profile says, and where it says nothing, what the file says for all.
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
