//! Saved filters in the TUI: the list, and the file. The worker reads and writes the file.

use crate::config::{FilterChange, FiltersFile};
use crate::tui::prelude::*;

#[derive(Clone, Debug)]
pub struct FiltersRequest {
    file: FiltersFile,
    pub change: Option<FilterChange>,
}

#[derive(Debug, Default)]
pub struct SavedFilterList {
    file: Option<FiltersFile>,
    filters: Vec<NamedFilter>,
    pub error: Option<String>,
}

impl SavedFilterList {
    /// With a file that has not been read yet.
    pub fn of(file: Option<FiltersFile>) -> Self {
        Self { file, ..Self::default() }
    }

    pub fn all(&self) -> &[NamedFilter] {
        &self.filters
    }

    pub fn of_list<'a>(&'a self, list: &'a str) -> impl Iterator<Item = &'a NamedFilter> {
        self.filters.iter().filter(move |filter| filter.list == list)
    }

    /// `None` if lapel has no settings folder.
    pub fn ask(&self, change: Option<FilterChange>) -> Option<FiltersRequest> {
        self.file.clone().map(|file| FiltersRequest { file, change })
    }

    pub fn take(&mut self, response: &Result<FiltersRead, String>) {
        match response {
            Ok(read) => {
                self.filters.clone_from(&read.filters);
                self.error.clone_from(&read.left_out);
            }
            Err(why) => self.error = Some(why.clone()),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct FiltersRead {
    pub filters: Vec<NamedFilter>,
    /// The mistakes in the file, which are left out.
    pub left_out: Option<String>,
}

/// After an error the file is unchanged. The error is the reason, or all mistakes by line in a file to be changed.
pub fn run(ask: &FiltersRequest) -> Result<FiltersRead, String> {
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
