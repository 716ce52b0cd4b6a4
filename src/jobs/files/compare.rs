//! Compares a draft with the file that it was read from.

use super::off_the_loop;
use crate::jobs::error::JobError;
use crate::jobs::handle::Jobs;
use crate::jobs::intake::{ImportSource, InputTable, IntakeError, IntakeProblem, Unwatched};
use crate::jobs::job::{FileSource, JobId};
use crate::jobs::journal::rows::stored_cells;
use crate::jobs::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    Unchanged(FileSource),
    Changed(FileSource, FileChange),
    Gone(FileSource),
}

/// Number of rows that a file gained, lost or changed after it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileChange {
    pub added: u64,
    pub removed: u64,
    /// Rows with the same e-mail address and other cells.
    pub changed: u64,
    /// When the file was last written, if the system says so.
    pub at: Option<Timestamp>,
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
    let email = source.choices.columns.as_ref().map(|map| map.email);
    let mut change = difference(before, &now, email);
    let written = std::fs::metadata(&source.path).and_then(|about| about.modified()).ok();
    change.at = written.and_then(|at| Timestamp::try_from(at).ok());
    Ok(FileState::Changed(source, change))
}

/// The order of rows does not count. A changed row is recognised by the column `email`.
fn difference(before: &[String], now: &[String], email: Option<usize>) -> FileChange {
    let mut balance: HashMap<&str, i64> = HashMap::new();
    for row in now {
        *balance.entry(row).or_default() += 1;
    }
    for row in before {
        *balance.entry(row).or_default() -= 1;
    }
    // Per address, the rows that are only in `before`, and those only in `now`.
    let mut by_key: HashMap<EmailKey, (u64, u64)> = HashMap::new();
    let (mut added, mut removed) = (0, 0);
    for (row, n) in balance.into_iter().filter(|(_, n)| *n != 0) {
        let cells: Vec<String> = serde_json::from_str(row).unwrap_or_default();
        let cell = email.and_then(|column| cells.get(column)).filter(|cell| !cell.trim().is_empty());
        let (gone, new) = (n.min(0).unsigned_abs(), n.max(0).unsigned_abs());
        match cell {
            Some(cell) => {
                let both = by_key.entry(EmailKey::of(cell)).or_default();
                *both = (both.0 + gone, both.1 + new);
            }
            None => {
                removed += gone;
                added += new;
            }
        }
    }
    let mut change = FileChange { added, removed, ..FileChange::default() };
    for (gone, new) in by_key.into_values() {
        let changed = gone.min(new);
        change.changed += changed;
        change.removed += gone - changed;
        change.added += new - changed;
    }
    change
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[[&str; 2]]) -> Vec<String> {
        rows.iter().map(|row| serde_json::to_string(row).expect("JSON")).collect()
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
        let change = difference(&before, &now, Some(1));
        assert_eq!((change.added, change.removed, change.changed), (2, 1, 1));
        let change = difference(&before, &now, None);
        assert_eq!((change.added, change.removed, change.changed), (3, 2, 0));
        assert_eq!(difference(&before, &before, Some(1)), FileChange::default());
    }
}
