//! Receipts with the state of every row of a job, redo files that can be imported, and mail failures.
//!
//! This module does not know where rows come from. [`crate::table`] writes the files.

mod mail;
#[cfg(test)]
mod tests;

pub use crate::table::{TableError, TableFormat, WriteProgress, Written};
pub use mail::{FailedMails, MOST_FAILED, MailGroup, MailReport, mail_failures};

use super::intake::REASON_COLUMN;
use crate::table::{SheetLimits, SummaryFn, TableWriter, WriterRow};
use std::error::Error;
use std::path::Path;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceiptHead {
    pub title: String,
    /// Name and value. An Excel file has these facts on the sheet `receipt`; a CSV file has none.
    pub facts: Vec<(String, String)>,
    pub columns: Vec<String>,
}

/// Times are formatted texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceiptLine {
    /// There may be fewer or more cells than columns.
    pub cells: Vec<String>,
    /// The row's number in the original file.
    pub row: u64,
    pub badge_id: Option<String>,
    pub row_status: String,
    pub reason: String,
    pub accepted: String,
    /// The badge's state in the service's words.
    pub status: String,
    pub mail_status: String,
    pub issued: String,
    pub valid_until: String,
    /// The recipient as in the request: corrections of a person are not in the cells.
    pub name: String,
    pub email: String,
}

/// The columns that a receipt adds, without the prefix `lapel`.
const ADDED: [&str; 11] = [
    "row",
    "badge id",
    "bucket",
    "reason",
    "accepted",
    "status",
    "mail status",
    "issued",
    "valid until",
    "name",
    "email",
];

/// Every row has its original cells, then its state in columns such as `lapel row` and `lapel bucket`, and the recipient
/// as in the request. If the original file has such columns, they are called `lapel 2 row` and so on. Cells beyond the
/// last original column come last.
///
/// # Errors
/// After an error there is no new file, and an existing file is unchanged.
pub fn write_receipt<E: Into<Box<dyn Error + Send + Sync>>>(
    to: &Path,
    format: TableFormat,
    overwrite: bool,
    head: &ReceiptHead,
    lines: impl Iterator<Item = Result<ReceiptLine, E>>,
    watch: &mut WriteProgress<'_>,
) -> Result<Written, TableError> {
    let mut names = head.columns.clone();
    names.extend(added(&head.columns));
    let width = head.columns.len();
    let rows = lines.map(|line| line.map(|line| entry(line, width)));
    let facts = |written: &Written| facts(head, written);
    to_file(to, format, overwrite, &names, Some((FACTS, &facts))).write(rows, watch)
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RedoLine {
    /// There may be fewer or more cells than columns. Those of the recipient are as a person corrected them.
    pub cells: Vec<String>,
    /// Why the row was not sent, in the user's language.
    pub reason: String,
}

/// Writes the original columns with the cells of each line, and then [`REASON_COLUMN`], which the import
/// leaves out. In `ChangedCell`, rows count from 1 in this file.
///
/// # Errors
/// After an error there is no new file, and an existing file is unchanged.
pub fn write_redo<E: Into<Box<dyn Error + Send + Sync>>>(
    to: &Path,
    format: TableFormat,
    overwrite: bool,
    columns: &[String],
    rows: impl Iterator<Item = Result<RedoLine, E>>,
    watch: &mut WriteProgress<'_>,
) -> Result<Written, TableError> {
    let mut names = columns.to_vec();
    names.push(REASON_COLUMN.to_owned());
    let rows = rows.zip(1..).map(|(row, number)| {
        row.map(|row| {
            let cells = with_added(row.cells, columns.len(), [row.reason]);
            WriterRow { number, row_status: None, cells }
        })
    });
    to_file(to, format, overwrite, &names, None).write(rows, watch)
}

fn added(columns: &[String]) -> Vec<String> {
    let taken = |name: &String| columns.iter().any(|one| one.trim().eq_ignore_ascii_case(name));
    let mut names: Vec<String> = ADDED.iter().map(|name| format!("lapel {name}")).collect();
    let mut again = 1;
    while names.iter().any(taken) {
        again += 1;
        names = ADDED.iter().map(|name| format!("lapel {again} {name}")).collect();
    }
    names
}

const FACTS: &str = "receipt";

fn to_file<'a>(
    to: &'a Path,
    format: TableFormat,
    overwrite: bool,
    names: &'a [String],
    facts: Option<(&'static str, &'a SummaryFn<'a>)>,
) -> TableWriter<'a> {
    TableWriter { to, format, overwrite, names, facts, room: SheetLimits::EXCEL }
}

fn entry(line: ReceiptLine, width: usize) -> WriterRow {
    let row_status = line.row_status.clone();
    let added: [String; ADDED.len()] = [
        line.row.to_string(),
        line.badge_id.unwrap_or_default(),
        line.row_status,
        line.reason,
        line.accepted,
        line.status,
        line.mail_status,
        line.issued,
        line.valid_until,
        line.name,
        line.email,
    ];
    WriterRow { number: line.row, row_status: Some(row_status), cells: with_added(line.cells, width, added) }
}

/// The original cells of the columns, the added cells, and the cells that no column has.
fn with_added<const N: usize>(original: Vec<String>, width: usize, added: [String; N]) -> Vec<String> {
    let mut original = original.into_iter();
    let mut cells: Vec<String> = original.by_ref().take(width).collect();
    cells.resize(width, String::new());
    cells.extend(added);
    cells.extend(original);
    cells
}

/// The rows of the facts sheet. An empty value makes the name a heading.
fn facts(head: &ReceiptHead, written: &Written) -> Vec<(String, String)> {
    let heading = |name: &str| (name.to_owned(), String::new());
    let mut all = vec![heading(&head.title)];
    all.extend(head.facts.iter().cloned());
    all.extend([heading(""), heading("Rows of each bucket")]);
    all.extend(written.row_statuses.iter().map(|(row_status, rows)| (row_status.clone(), rows.to_string())));
    all.push(("rows in all".to_owned(), written.rows.to_string()));
    if !written.is_exact() {
        all.extend([heading(""), heading("Not exactly as in the original")]);
        all.extend(written.remarks().into_iter().map(|remark| ("remark".to_owned(), remark)));
        for noted in [&written.marked, &written.cut] {
            all.extend(noted.first.iter().map(|place| ("cell".to_owned(), place.to_string())));
        }
    }
    all
}
