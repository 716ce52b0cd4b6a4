//! Writes rows to a file. One task reads pages, a blocking task writes them, and a bounded channel connects
//! them.

use super::paged_lists::List;
use super::record::ExportRow;
use super::walk::{Progress, Walk};
use crate::api::{ApiError, Call, ReadTotals, Reader};
use crate::domain::email::ended;
use crate::table::{
    SheetLimits, TableError, TableFormat, TableWriter, WriterRow, Written, can_begin, write_lines,
};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use tokio::sync::{mpsc, watch};

/// Maximum pages that are read but not yet written.
const AHEAD: usize = 4;

#[derive(Clone, Debug, PartialEq)]
pub enum ExportContent {
    List(List),
    /// Column names, and rows that are already in memory.
    Rows(Vec<String>, Vec<ExportRow>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    Table(TableFormat),
    Lines,
}

impl ExportFormat {
    /// `.xlsx`, `.csv` or `.jsonl`.
    pub fn from_path(path: &Path) -> Option<Self> {
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("jsonl")) {
            return Some(Self::Lines);
        }
        TableFormat::from_path(path).map(Self::Table)
    }

    pub fn ending(self) -> &'static str {
        match self {
            Self::Table(format) => format.ending(),
            Self::Lines => "jsonl",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ExportRequest {
    pub what: ExportContent,
    pub to: PathBuf,
    pub kind: ExportFormat,
    pub overwrite: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Exported {
    pub written: Written,
    /// `None` for rows that were in memory.
    pub read: Option<ReadTotals>,
}

/// No file was written. An existing file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("{}", t!("{why} Nothing was saved.", why = ended(&_0.to_string())))]
    Service(#[from] ApiError),
    #[error("{0}")]
    File(#[from] TableError),
}

enum Parcel {
    Rows(Vec<ExportRow>),
    /// The list is complete. Without this message, the writer makes no file.
    End,
}

/// Only the owner may read the file, because it contains names and e-mail addresses. Reads a list
/// at the background share of the key's rate limit. The call's token cancels it.
pub async fn write(
    order: ExportRequest,
    reader: &Reader,
    call: &Call,
    progress: &watch::Sender<Progress>,
) -> Result<Exported, ExportError> {
    can_begin(&order.to, order.overwrite)?;
    let ExportRequest { what, to, kind, overwrite } = order;
    let names = match &what {
        ExportContent::List(list) => list.shape().names(),
        ExportContent::Rows(names, _) => names.clone(),
    };
    let (sender, receiver) = mpsc::channel(AHEAD);
    let writer = tokio::task::spawn_blocking(move || put(&to, kind, overwrite, &names, arrivals(receiver)));
    let read = hand_over(what, reader, call, sender, progress).await;
    let written = writer
        .await
        .unwrap_or_else(|why| Err(TableError::Rows(t!("lapel had an internal error ({why})", why).into())));
    match (read, written) {
        (Ok(read), Ok(written)) => Ok(Exported { written, read }),
        (Err(why), _) => Err(why.into()),
        (Ok(_), Err(why)) => Err(why.into()),
    }
}

/// Returns without an error when the writing task has ended, because the writer reports the better error.
async fn hand_over(
    what: ExportContent,
    reader: &Reader,
    call: &Call,
    to: mpsc::Sender<Parcel>,
    progress: &watch::Sender<Progress>,
) -> Result<Option<ReadTotals>, ApiError> {
    let mut read = None;
    match what {
        ExportContent::Rows(_, rows) => {
            let all = rows.len() as u64;
            progress.send_replace(Progress { rows: all, all: Some(all), again: false });
            let _ = to.send(Parcel::Rows(rows)).await;
        }
        ExportContent::List(list) => {
            let mut walk = Walk::new(reader, list, call);
            while let Some(rows) = walk.next().await? {
                progress.send_replace(walk.progress());
                if to.send(Parcel::Rows(rows)).await.is_err() {
                    return Ok(None);
                }
            }
            if let Some(why) = walk.failure() {
                return Err(why.clone());
            }
            read = walk.finish();
        }
    }
    let _ = to.send(Parcel::End).await;
    Ok(read)
}

fn put(
    to: &Path,
    kind: ExportFormat,
    overwrite: bool,
    names: &[String],
    rows: impl Iterator<Item = Result<ExportRow, &'static str>>,
) -> Result<Written, TableError> {
    let watch = &mut |_| ControlFlow::Continue(());
    match kind {
        ExportFormat::Lines => write_lines(to, overwrite, rows.map(|row| row.map(|row| row.json)), watch),
        ExportFormat::Table(format) => {
            let entries = rows
                .zip(1..)
                .map(|(row, number)| row.map(|row| WriterRow { number, row_status: None, cells: row.cells }));
            let room = SheetLimits::EXCEL;
            TableWriter { to, format, overwrite, names, facts: None, room }.write(entries, watch)
        }
    }
}

/// A channel that closes before `Parcel::End` is an error, so that half a list never counts as a whole one.
fn arrivals(mut from: mpsc::Receiver<Parcel>) -> impl Iterator<Item = Result<ExportRow, &'static str>> {
    let (mut page, mut over) = (Vec::new().into_iter(), false);
    std::iter::from_fn(move || {
        loop {
            if let Some(row) = page.next() {
                return Some(Ok(row));
            }
            if over {
                return None;
            }
            match from.blocking_recv() {
                Some(Parcel::Rows(rows)) => page = rows.into_iter(),
                end => {
                    over = true;
                    if end.is_none() {
                        return Some(Err(t!("reading was stopped")));
                    }
                }
            }
        }
    })
}
