//! The file of saved filters, with the checks of the lists that it has filters for.

use crate::config::{FiltersFile, KnownList};
use crate::tui::prelude::*;
use crate::tui::widgets::filter;
use crate::tui::widgets::filtered_list::ListRecord;

/// With the field checks of the TUI's lists.
pub fn filters_file(path: PathBuf) -> FiltersFile {
    FiltersFile::new(path, lists())
}

/// Whether a field accepts a value, with the same check as typed text.
fn check<T: ListRecord>(field: &str, value: &str) -> Result<(), String> {
    let spec = T::FILTERS.iter().find(|spec| spec.name == field);
    spec.map_or(Ok(()), |spec| filter::check(*spec, value).map(drop))
}

fn lists() -> Vec<KnownList> {
    fn list<T: ListRecord>() -> KnownList {
        KnownList {
            list: T::LIST,
            fields: T::FILTERS.iter().map(|spec| spec.name).collect(),
            columns: T::FIELDS.iter().map(|field| field.column.key).collect(),
            check: check::<T>,
        }
    }
    vec![list::<HistoryItem>(), list::<Template>()]
}
