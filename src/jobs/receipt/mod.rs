//! Receipts: what became of every row of a job, in a file that a person keeps; the rows to do again, in a
//! file that can be imported as it is; and whose mails did not go out.
//!
//! This knows nothing of where the rows come from; how they get into a file is [`crate::sheet`]'s.

mod mail;
#[cfg(test)]
mod tests;

pub use crate::sheet::{Format, Noted, Place, SheetError, Watch, Written};
pub use mail::{MailGroup, MailReport, mail_failures};

use crate::sheet::{Entry, Facts, Room, Table};
use std::error::Error;
use std::path::Path;

/// What stands above the rows of a receipt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// What it is a receipt of.
    pub title: String,
    /// What else there is to say about the job: name and value. In an Excel file they are on the sheet
    /// `receipt`, together with the title and the number of rows of each bucket; a CSV file has no place
    /// for them.
    pub facts: Vec<(String, String)>,
    /// The columns of the file that the job came from, in their order.
    pub columns: Vec<String>,
}

/// One row of a receipt. Times are texts as they are to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The cells of the original row, as they were; there may be fewer or more than there are columns.
    pub cells: Vec<String>,
    /// Its number in the original file.
    pub row: u64,
    /// The badge, once it is known.
    pub badge_id: Option<String>,
    /// The one bucket that the row is in.
    pub bucket: String,
    /// Why.
    pub reason: String,
    /// When the service accepted it.
    pub accepted: String,
    /// The badge's status, in the service's words.
    pub status: String,
    /// The mail's status, in the service's words.
    pub mail_status: String,
    /// When it was issued.
    pub issued: String,
    /// Until when it is valid.
    pub valid_until: String,
}

/// The columns that a receipt adds, without the `lapel` before each.
const ADDED: [&str; 9] =
    ["row", "badge id", "bucket", "reason", "accepted", "status", "mail status", "issued", "valid until"];

/// Writes the receipt of a job: every row with its original cells, followed by what became of it. The added
/// columns are called `lapel row`, `lapel badge id`, `lapel bucket`, `lapel reason`, `lapel accepted`,
/// `lapel status`, `lapel mail status`, `lapel issued` and `lapel valid until`, whatever the original ones
/// are called, so that a receipt can be told from the file it came from; when that had such columns itself,
/// they are called `lapel 2 row` and so on. Cells beyond the last original column come after them.
///
/// # Errors
/// [`SheetError`] says what went wrong. There is no file then, and one that was there is as it was.
pub fn write_receipt<E: Into<Box<dyn Error + Send + Sync>>>(
    to: &Path,
    format: Format,
    overwrite: bool,
    head: &Head,
    lines: impl Iterator<Item = Result<Line, E>>,
    watch: &mut Watch<'_>,
) -> Result<Written, SheetError> {
    let mut names = head.columns.clone();
    names.extend(added(&head.columns));
    let width = head.columns.len();
    let rows = lines.map(|line| line.map(|line| entry(line, width)));
    let facts = |written: &Written| facts(head, written);
    to_file(to, format, overwrite, &names, Some((FACTS, &facts))).write(rows, watch)
}

/// Writes rows to be done again: the original columns with their original values and nothing else, so that
/// the file can be imported as the first one was. In [`Place`] rows count from 1 as they are in this file.
///
/// # Errors
/// [`SheetError`] says what went wrong. There is no file then, and one that was there is as it was.
pub fn write_redo<E: Into<Box<dyn Error + Send + Sync>>>(
    to: &Path,
    format: Format,
    overwrite: bool,
    columns: &[String],
    rows: impl Iterator<Item = Result<Vec<String>, E>>,
    watch: &mut Watch<'_>,
) -> Result<Written, SheetError> {
    let rows = rows.zip(1..).map(|(row, number)| row.map(|cells| Entry { number, bucket: None, cells }));
    to_file(to, format, overwrite, columns, None).write(rows, watch)
}

/// The names of the added columns, none of which is among the original ones.
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

/// The sheet of an Excel file that tells about the rows.
const FACTS: &str = "receipt";

fn to_file<'a>(
    to: &'a Path,
    format: Format,
    overwrite: bool,
    names: &'a [String],
    facts: Option<(&'static str, &'a Facts<'a>)>,
) -> Table<'a> {
    Table { to, format, overwrite, names, facts, room: Room::EXCEL }
}

/// A line as a row of the file.
fn entry(line: Line, width: usize) -> Entry {
    let mut original = line.cells.into_iter();
    let mut cells: Vec<String> = original.by_ref().take(width).collect();
    cells.resize(width, String::new());
    let bucket = line.bucket.clone();
    cells.extend([line.row.to_string(), line.badge_id.unwrap_or_default(), line.bucket, line.reason]);
    cells.extend([line.accepted, line.status, line.mail_status, line.issued, line.valid_until]);
    cells.extend(original);
    Entry { number: line.row, bucket: Some(bucket), cells }
}

/// The sheet that tells about the rows; an empty value makes a heading of a name.
fn facts(head: &Head, written: &Written) -> Vec<(String, String)> {
    let heading = |name: &str| (name.to_owned(), String::new());
    let mut all = vec![heading(&head.title)];
    all.extend(head.facts.iter().cloned());
    all.extend([heading(""), heading("Rows of each bucket")]);
    all.extend(written.buckets.iter().map(|(bucket, rows)| (bucket.clone(), rows.to_string())));
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
