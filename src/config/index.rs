//! `[index]`: whether a copy of the history is kept on this computer, for all profiles and for one.
//!
//! Plain values: this room does not know what an index is. What reads them maps them to its own.

use super::toml_reader::{Sheet, Value, join};

const FIELDS: &[&str] = &["enabled", "max_age_days", "refresh_minutes"];

/// Whether and how an index is kept, as far as the file says; `None` is the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexSettings {
    /// Whether there is one; it holds names and addresses, so without a word there is none.
    pub enabled: Option<bool>,
    /// Days after which a badge is not kept any more, 1 to 36500.
    pub max_age_days: Option<u32>,
    /// Minutes between two readings of what is new while the desk runs, 1 to 1440.
    pub refresh_minutes: Option<u32>,
}

impl IndexSettings {
    /// Reads a table, `index` or `profiles.NAME.index`, and notes every mistake in it.
    pub(super) fn read(sheet: &mut Sheet<'_>, value: &Value<'_>, prefix: &str) -> Self {
        let Some(table) = sheet.table(value, prefix, t!("a table of settings")) else {
            return Self::default();
        };
        sheet.unknown(table, prefix, FIELDS, &[]);
        // Whoever slips here does not get a copy of names and addresses.
        let enabled =
            table.get("enabled").map(|value| sheet.truth(value, &join(prefix, "enabled")).unwrap_or(false));
        let mut number = |name: &str, most: u32| {
            table.get(name).and_then(|value| sheet.number(value, &join(prefix, name), 1, most))
        };
        Self {
            enabled,
            max_age_days: number("max_age_days", 36_500),
            refresh_minutes: number("refresh_minutes", 1440),
        }
    }

    /// Every setting by its name, with its value as far as there is one.
    pub(super) fn each(&self) -> Vec<(String, Option<String>)> {
        let value = |name: &str| match name {
            "enabled" => self.enabled.map(|is| is.to_string()),
            "max_age_days" => self.max_age_days.map(|n| n.to_string()),
            "refresh_minutes" => self.refresh_minutes.map(|n| n.to_string()),
            _ => None,
        };
        FIELDS.iter().map(|name| ((*name).to_owned(), value(name))).collect()
    }

    /// What a profile says, and where it says nothing, what the file says for all.
    pub(super) fn or(&self, all: &Self) -> Self {
        Self {
            enabled: self.enabled.or(all.enabled),
            max_age_days: self.max_age_days.or(all.max_age_days),
            refresh_minutes: self.refresh_minutes.or(all.refresh_minutes),
        }
    }
}
