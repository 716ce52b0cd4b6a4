//! `[index]`: whether lapel keeps a copy of the history, for all profiles or for one.
//!
//! `config` does not use `index`, which converts these values.

use super::section::{number, section};
use super::toml_reader::TomlReader;

section! {
    /// The index settings of the file.
    pub struct IndexSettings {
        /// Whether the index is on. Off by default, because it contains names and e-mail addresses, and off on a
        /// mistake.
        enabled: Option<bool> = false => TomlReader::truth_or_off;
        /// Days until a badge is removed from the index.
        max_age_days: Option<u32> = 730 => number(1, 36_500);
        /// Minutes between two updates while the TUI runs.
        refresh_minutes: Option<u32> = 15 => number(1, 1440);
    }
}
