//! Questions about an opened file, and how they are asked: each is answered from one list, the columns in a form.

use super::mapping::Mapping;
use super::{FileForm, Purpose, kept_words};
use crate::jobs::intake::{About, HeaderRow, MapState, RawRow, TextEncoding};
use crate::tui::prelude::*;

pub enum FileStep {
    /// Encodings that fit come first, with a preview; then all others.
    Encoding(Vec<TextEncoding>),
    Sheet,
    /// The first entry is "no header".
    Header,
    Columns(Mapping),
    IdColumn,
    /// Kept drafts of this file, by import. The last entry is a new draft.
    Kept(Vec<Vec<Job>>),
}

impl FileStep {
    pub fn encoding(about: &About) -> Self {
        let mut all: Vec<TextEncoding> = about
            .encoding
            .iter()
            .flat_map(|guess| guess.alternatives.iter().map(|(encoding, _)| *encoding))
            .collect();
        let now = about.encoding.as_ref().map(|guess| guess.encoding);
        for encoding in now.into_iter().chain(TextEncoding::ALL) {
            if !all.contains(&encoding) {
                all.push(encoding);
            }
        }
        Self::Encoding(all)
    }
}

pub fn columns(about: &About, rows: &[RawRow]) -> impl Iterator<Item = String> {
    (0..about.columns.len()).map(|at| {
        let example =
            rows.iter().map(|row| row.cell(at)).find(|cell| !cell.trim().is_empty()).unwrap_or_default();
        t!(
            "{column}   e.g. {example}",
            column = column_name(at, &about.columns),
            example = Text::from(example)
        )
    })
}

/// Column name for display. The stand-in name of an unnamed column stays English in every language, because lapel
/// writes it as a heading into files.
pub fn column_name(at: usize, columns: &[String]) -> String {
    let stand_in = format!("column {}", at + 1);
    match columns.get(at) {
        Some(name) if *name != stand_in => Text::from(name.as_str()).to_string(),
        _ => t!("column {n}", n = at + 1),
    }
}

impl FileForm {
    pub(super) fn step_choices(&self, cx: &UiContext) -> Vec<String> {
        let (Some(step), Some(opened)) = (&self.step, &self.opened) else { return Vec::new() };
        let about = &opened.about;
        match step {
            FileStep::Encoding(all) => {
                all.iter().map(|encoding: &TextEncoding| encoding.label().to_owned()).collect()
            }
            FileStep::Sheet => about
                .sheets
                .iter()
                .map(|sheet| {
                    let (name, rows) = (&sheet.name, sheet.rows);
                    if sheet.hidden {
                        t!("{name} ({rows} rows, hidden)", name, rows)
                    } else {
                        t!("{name} ({rows} rows)", name, rows)
                    }
                })
                .collect(),
            FileStep::Header => std::iter::once(t!("no header: data from the first row").to_owned())
                .chain(opened.rows.iter().map(|row| {
                    let cells: Vec<String> =
                        row.cells.iter().map(|c| Text::from(c.as_str()).to_string()).collect();
                    t!("row {no}: {cells}", no = row.line, cells = cells.join(" | "))
                }))
                .collect(),
            // The mapping has fields instead of a list.
            FileStep::Columns(_) => Vec::new(),
            FileStep::IdColumn => columns(about, &opened.rows).collect(),
            FileStep::Kept(drafts) => drafts
                .iter()
                .enumerate()
                .map(|(at, import)| kept_words(import, &about.sha256, self.change_of(at), cx))
                .chain(std::iter::once(t!("read the file for a new draft").to_owned()))
                .collect(),
        }
    }

    pub(super) fn step_question(&self) -> String {
        match &self.step {
            Some(FileStep::Encoding(_)) => {
                t!("Which text is correct? The encoding of this file is unclear.").to_owned()
            }
            Some(FileStep::Sheet) => match self.purpose {
                Purpose::Issue { .. } => t!("Which sheet has the recipients?").to_owned(),
                Purpose::Revoke { .. } => t!("Which sheet has the badge ids?").to_owned(),
            },
            Some(FileStep::Header) => t!("Which row has the column names?").to_owned(),
            Some(FileStep::IdColumn) => t!("Which column has the badge ids?").to_owned(),
            Some(FileStep::Kept(_)) => t!("There is a draft of this file. Continue with it?").to_owned(),
            Some(FileStep::Columns(_)) => t!("Which columns are the name and the e-mail address?").to_owned(),
            None => String::new(),
        }
    }

    /// Source of the column mapping, as text: the user's choice, an earlier time, or the header.
    pub(super) fn columns_said(&self, columns: &str) -> String {
        match self.opened.as_ref().map(|opened| &opened.about.map) {
            Some(MapState::Chosen(_)) => t!("columns as chosen: {columns}", columns),
            Some(MapState::Remembered(_)) => t!("columns as last time: {columns}", columns),
            _ if self
                .opened
                .as_ref()
                .is_some_and(|opened| opened.about.header == Some(HeaderRow::Absent)) =>
            {
                t!("columns by content: {columns}", columns)
            }
            _ => t!("columns by header: {columns}", columns),
        }
    }
}
