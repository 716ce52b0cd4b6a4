//! Filters with names, at the desk: what there are, and the file that they stand in. The file is read and
//! written by the worker.

use crate::config::{FilterChange, FilteredList, FiltersFile, NamedFilter};
use crate::domain::{HistoryItem, Template};
use crate::tui::widgets::filter;
use crate::tui::widgets::paged_list::Browse;
use std::path::PathBuf;

/// The file of saved filters at a place, with what the desk's lists know of their fields.
pub fn filters_file(path: PathBuf) -> FiltersFile {
    FiltersFile::new(path, lists())
}

/// Something to do with the file.
#[derive(Clone, Debug)]
pub struct FiltersAsk {
    file: FiltersFile,
    change: Option<FilterChange>,
}

impl FiltersAsk {
    /// What was to be changed, if anything.
    pub fn into_change(self) -> Option<FilterChange> {
        self.change
    }
}

/// The filters that there are.
#[derive(Debug, Default)]
pub struct Saved {
    file: Option<FiltersFile>,
    filters: Vec<NamedFilter>,
    /// Why the file cannot be used as it is.
    pub error: Option<String>,
}

impl Saved {
    /// With a file; what is in it is yet to be asked for.
    pub fn of(path: Option<PathBuf>) -> Self {
        let file = path.map(filters_file);
        Self { file, ..Self::default() }
    }

    /// All of them, in the order of the file.
    pub fn all(&self) -> &[NamedFilter] {
        &self.filters
    }

    /// Those of a list, such as `history`.
    pub fn of_list<'a>(&'a self, list: &'a str) -> impl Iterator<Item = &'a NamedFilter> {
        self.filters.iter().filter(move |filter| filter.list == list)
    }

    /// The question what there is, or for a change; none where lapel has no folder for its settings.
    pub fn ask(&self, change: Option<FilterChange>) -> Option<FiltersAsk> {
        self.file.clone().map(|file| FiltersAsk { file, change })
    }

    /// Takes what there is now.
    pub fn take(&mut self, answer: &Result<FiltersRead, String>) {
        match answer {
            Ok(read) => {
                self.filters.clone_from(&read.filters);
                self.error.clone_from(&read.left_out);
            }
            Err(why) => self.error = Some(why.clone()),
        }
    }
}

/// What was read of the file.
#[derive(Clone, Debug, Default)]
pub struct FiltersRead {
    /// The filters.
    pub filters: Vec<NamedFilter>,
    /// What is wrong in the file, and left out.
    pub left_out: Option<String>,
}

/// Reads or changes the file.
///
/// # Errors
/// All that is wrong with a file that is to be changed, by line, or why it was not written. It is then as it was.
pub fn run(ask: &FiltersAsk) -> Result<FiltersRead, String> {
    match &ask.change {
        None => {
            let (filters, mistakes) = ask.file.read();
            let said: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
            Ok(FiltersRead { filters, left_out: (!said.is_empty()).then(|| said.join("\n")) })
        }
        Some(change) => {
            let filters = ask.file.change(change).map_err(|why| why.to_string())?;
            Ok(FiltersRead { filters, left_out: None })
        }
    }
}

/// Whether a field takes a value, as it does where that is typed.
fn check<T: Browse>(field: &str, value: &str) -> Result<(), String> {
    let spec = T::FIELDS.iter().find(|spec| spec.name == field);
    spec.map_or(Ok(()), |spec| filter::read(*spec, value).map(drop))
}

fn lists() -> Vec<FilteredList> {
    fn list<T: Browse>() -> FilteredList {
        FilteredList {
            list: T::LIST,
            fields: T::FIELDS.iter().map(|field| field.name).collect(),
            columns: T::HEADS.iter().map(|head| head.sort_by).collect(),
            check: check::<T>,
        }
    }
    vec![list::<HistoryItem>(), list::<Template>()]
}
