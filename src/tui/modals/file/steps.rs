//! Questions about an opened file: each is answered from one list, the columns in a form.

use super::mapping::Mapping;
use crate::domain::Text;
use crate::jobs::Job;
use crate::jobs::intake::{About, RawRow, TextEncoding};

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
