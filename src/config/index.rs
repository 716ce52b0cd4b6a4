//! `[index]`: whether lapel keeps a copy of the history on this computer, for all profiles or for one.
//!
//! These are plain values. `config` does not use `index`; the caller converts them.

use super::toml_reader::{Sheet, Value, join};

const FIELDS: &[&str] = &["enabled", "max_age_days", "refresh_minutes"];

/// The index settings of the file. `None` means the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexSettings {
    /// Whether the index is on. Off by default, because it contains names and e-mail addresses.
    pub enabled: Option<bool>,
    /// Days until a badge is removed from the index, 1 to 36500.
    pub max_age_days: Option<u32>,
    /// Minutes between two updates while the TUI runs, 1 to 1440.
    pub refresh_minutes: Option<u32>,
}

impl IndexSettings {
    /// Reads the table `index` or `profiles.NAME.index`, and reports every mistake.
    pub(super) fn read(sheet: &mut Sheet<'_>, value: &Value<'_>, prefix: &str) -> Self {
        let Some(table) = sheet.table(value, prefix, t!("a table of settings")) else {
            return Self::default();
        };
        sheet.unknown(table, prefix, FIELDS, &[]);
        // On a mistake, the index stays off, because it would hold names and e-mail addresses.
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

    /// The name of every setting, with its value when the file sets it.
    pub(super) fn each(&self) -> Vec<(String, Option<String>)> {
        let value = |name: &str| match name {
            "enabled" => self.enabled.map(|is| is.to_string()),
            "max_age_days" => self.max_age_days.map(|n| n.to_string()),
            "refresh_minutes" => self.refresh_minutes.map(|n| n.to_string()),
            _ => None,
        };
        FIELDS.iter().map(|name| ((*name).to_owned(), value(name))).collect()
    }

    /// The settings of a profile, with those for all profiles where the profile sets none.
    pub(super) fn or(&self, all: &Self) -> Self {
        Self {
            enabled: self.enabled.or(all.enabled),
            max_age_days: self.max_age_days.or(all.max_age_days),
            refresh_minutes: self.refresh_minutes.or(all.refresh_minutes),
        }
    }
}
