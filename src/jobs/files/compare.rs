//! Compares a draft with the file that it was read from.

use super::off_the_loop;
use crate::domain::name_search::folded;
use crate::jobs::error::JobError;
use crate::jobs::handle::Jobs;
use crate::jobs::intake::{
    ColumnMap, ImportSource, InputTable, IntakeError, IntakeProblem, RawRow, Unwatched, check,
};
use crate::jobs::job::{FileSource, JobId};
use crate::jobs::journal::rows::stored_cells;
use crate::jobs::prelude::*;
use std::hash::Hash;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    Unchanged(FileSource),
    Changed(FileSource, FileChange),
    Gone(FileSource),
}

/// The rows that a file gained, lost or changed after it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileChange {
    pub added: ChangedRows,
    pub removed: ChangedRows,
    /// Rows with the same e-mail address and other cells.
    pub changed: ChangedRows,
    /// Rows with the same name and another e-mail address.
    pub readdressed: ChangedRows,
    /// When the file was last written, if the system says so.
    pub at: Option<Timestamp>,
}

/// Rows that changed in the same way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedRows {
    pub count: u64,
    /// The first names in them, at most [`MOST_NAMES`].
    pub names: Vec<Text>,
}

const MOST_NAMES: usize = 3;

impl ChangedRows {
    fn of(rows: &[ComparedRow]) -> Self {
        let names = rows.iter().map(|row| &row.name).filter(|name| !name.looks_empty());
        Self { count: rows.len() as u64, names: names.take(MOST_NAMES).cloned().collect() }
    }
}

/// A row that is only in one of two versions of a file.
#[derive(Default)]
struct ComparedRow {
    name: Text,
    email: Option<EmailKey>,
}

impl ComparedRow {
    fn new(cells: &str, map: Option<&ColumnMap>) -> Self {
        let Some(map) = map else { return Self::default() };
        let cells = serde_json::from_str(cells).unwrap_or_default();
        let read = check(RawRow { cells, ..RawRow::default() }, map);
        let email = Some(read.email).filter(|email| !email.is_empty());
        Self { name: read.name.into(), email: email.as_deref().map(EmailKey::of) }
    }

    fn name_key(&self) -> Option<String> {
        Some(folded(self.name.wire())).filter(|name| !name.is_empty())
    }
}

impl Jobs {
    /// Compares drafts that were read from one file with that file as it is now.
    pub async fn compare_file(&self, drafts: &[JobId]) -> Result<FileState, JobError> {
        let mut rows = Vec::new();
        let mut origin = None;
        for id in drafts {
            rows.extend(self.core.store.cells(*id).await?);
            origin = self.core.job(*id).await?.origin.or(origin);
        }
        let (sha256, source) = origin.and_then(|o| Some((o.sha256, o.source?))).ok_or_else(|| {
            JobError::no(localizable!(
                "These rows were not read from a file, so there are no columns to map."
            ))
        })?;
        off_the_loop(move || compared(&sha256, source, &rows)).await
    }
}

fn compared(sha256: &str, source: FileSource, before: &[String]) -> Result<FileState, JobError> {
    let file = ImportSource::File(source.path.clone());
    let table = match InputTable::open(&file, &source.choices, &|_| None, &Unwatched) {
        Ok(table) => table,
        Err(IntakeError { why: IntakeProblem::NotFound, .. }) => return Ok(FileState::Gone(source)),
        Err(why) => return Err(why.into()),
    };
    if table.about().sha256 == sha256 {
        return Ok(FileState::Unchanged(source));
    }
    let mut now = Vec::new();
    for row in table.rows()? {
        now.push(stored_cells(&row?.cells));
    }
    let mut change = difference(before, &now, source.choices.columns.as_ref());
    let written = std::fs::metadata(&source.path).and_then(|about| about.modified()).ok();
    change.at = written.and_then(|at| Timestamp::try_from(at).ok());
    Ok(FileState::Changed(source, change))
}

/// The order of rows does not count.
fn difference(before: &[String], now: &[String], map: Option<&ColumnMap>) -> FileChange {
    let (mut gone, mut new) = (only_in(before, now, map), only_in(now, before, map));
    let changed = take_pairs(&mut gone, &mut new, |row| row.email.clone());
    let readdressed = take_pairs(&mut gone, &mut new, ComparedRow::name_key);
    let (added, removed) = (ChangedRows::of(&new), ChangedRows::of(&gone));
    FileChange {
        added,
        removed,
        changed: ChangedRows::of(&changed),
        readdressed: ChangedRows::of(&readdressed),
        at: None,
    }
}

/// The rows that the others lack. Of equal rows, as many as the others have fewer.
fn only_in(rows: &[String], others: &[String], map: Option<&ColumnMap>) -> Vec<ComparedRow> {
    let mut left = counted(others.iter().map(|row| Some(row.as_str())));
    let only = rows.iter().filter(|row| !take_one(&mut left, Some(&row.as_str())));
    only.map(|row| ComparedRow::new(row, map)).collect()
}

/// Takes pairs of rows with the same key out of both lists. Returns the rows of the second one.
fn take_pairs<K: Eq + Hash>(
    gone: &mut Vec<ComparedRow>,
    new: &mut Vec<ComparedRow>,
    key: impl Fn(&ComparedRow) -> Option<K>,
) -> Vec<ComparedRow> {
    let mut left = counted(gone.iter().map(&key));
    let pairs = new.extract_if(.., |row| take_one(&mut left, key(row).as_ref())).collect();
    // As many as have no partner.
    gone.retain(|row| key(row).is_none_or(|key| take_one(&mut left, Some(&key))));
    pairs
}

fn counted<K: Eq + Hash>(keys: impl Iterator<Item = Option<K>>) -> HashMap<K, u64> {
    let mut all = HashMap::new();
    for key in keys.flatten() {
        *all.entry(key).or_default() += 1;
    }
    all
}

/// Whether there was one left.
fn take_one<K: Eq + Hash>(left: &mut HashMap<K, u64>, key: Option<&K>) -> bool {
    let Some(n) = key.and_then(|key| left.get_mut(key)).filter(|n| **n > 0) else { return false };
    *n -= 1;
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::intake::NameColumns;

    fn rows(rows: &[[&str; 2]]) -> Vec<String> {
        rows.iter().map(|row| serde_json::to_string(row).expect("JSON")).collect()
    }

    const MAP: ColumnMap = ColumnMap { name: NameColumns::One(0), email: 1, template: None };

    fn numbers(change: &FileChange) -> [u64; 4] {
        [&change.added, &change.removed, &change.changed, &change.readdressed].map(|rows| rows.count)
    }

    #[test]
    fn added_removed_and_changed_rows_are_counted_without_their_order() {
        let before = rows(&[["가", "a@x.example"], ["나", "b@x.example"], ["다", "c@x.example"], ["", ""]]);
        let now = rows(&[
            ["다", "c@x.example"],
            ["가가", "A@x.example"],
            ["라", "d@x.example"],
            ["마", "d@x.example"],
            ["", ""],
        ]);
        let change = difference(&before, &now, Some(&MAP));
        assert_eq!(numbers(&change), [2, 1, 1, 0]);
        assert_eq!(numbers(&difference(&before, &now, None)), [3, 2, 0, 0]);
        assert_eq!(difference(&before, &before, Some(&MAP)), FileChange::default());
    }

    #[test]
    fn a_row_with_a_mended_address_is_named_and_not_a_removed_and_an_added_one() {
        let before = rows(&[
            ["정은우", "s1@naru.exmaple"],
            ["오지호", "jiho@naru.example"],
            ["오지호", "same@naru.example"],
            ["임하늘", "lim@naru.example"],
        ]);
        let now = rows(&[
            ["가", "1@x.example"],
            ["나", "2@x.example"],
            ["다", "3@x.example"],
            ["라", "4@x.example"],
            ["정은우", "s1@naru.example"],
            ["오 지호", "jiho.oh@naru.example"],
            ["오지호", "same@naru.example"],
        ]);
        let change = difference(&before, &now, Some(&MAP));
        assert_eq!(numbers(&change), [4, 1, 0, 2]);
        let names = |rows: &ChangedRows| rows.names.iter().map(Text::wire).collect::<Vec<_>>().join(" ");
        assert_eq!(names(&change.readdressed), "정은우 오 지호");
        assert_eq!(names(&change.added), "가 나 다", "the first three");
        assert_eq!(names(&change.removed), "임하늘");
    }
}
