//! Rows into a file: read on one side, written on the other, off the loop, with a bounded number between.

use super::list::List;
use super::record::Row;
use super::walk::{Progress, Walk};
use crate::api::{ApiError, Call, Gathered, Reader};
use crate::sheet::{Entry, Format, Lines, Room, SheetError, Table, Written, can_begin};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use tokio::sync::{mpsc, watch};

/// Pages that are read and not written yet, at most.
const AHEAD: usize = 4;

/// What is taken away.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A list, read to its end now.
    List(List),
    /// Rows that are there, with the names of their columns.
    Rows(Vec<String>, Vec<Row>),
}

/// As what a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A table.
    Table(Format),
    /// A record a line, as JSON.
    Lines,
}

impl Kind {
    /// The kind that a file's name asks for: `.xlsx`, `.csv` or `.jsonl`. `None` for any other.
    pub fn from_path(path: &Path) -> Option<Self> {
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("jsonl")) {
            return Some(Self::Lines);
        }
        Format::from_path(path).map(Self::Table)
    }

    /// The ending of such a file's name.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Table(format) => format.ending(),
            Self::Lines => "jsonl",
        }
    }
}

/// A file to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// What is in it.
    pub what: What,
    /// Where it goes.
    pub to: PathBuf,
    /// As what.
    pub kind: Kind,
    /// Whether a file that is there may be replaced.
    pub overwrite: bool,
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Exported {
    /// The file.
    pub written: Written,
    /// How the list was read, where it was.
    pub read: Option<Gathered>,
}

/// Why there is no file. What was there is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The list could not be read to its end.
    #[error("{}", t!("{why} Nothing was written.", why = _0))]
    Service(#[from] ApiError),
    /// It could not be written.
    #[error("{0}")]
    File(#[from] SheetError),
}

/// From the reading side to the writing side.
enum Parcel {
    Rows(Vec<Row>),
    /// That was all. Without it, what was handed over is no file.
    End,
}

/// Writes a file that only its owner may read: there are names and addresses in it. A list is read at the
/// background's share of the key's pace. Cancelled by the call's token.
///
/// # Errors
/// [`ExportError`] says why there is no file.
pub async fn write(
    order: Order,
    reader: &Reader,
    call: &Call,
    progress: &watch::Sender<Progress>,
) -> Result<Exported, ExportError> {
    can_begin(&order.to, order.overwrite)?;
    let Order { what, to, kind, overwrite } = order;
    let names = match &what {
        What::List(list) => list.shape().names(),
        What::Rows(names, _) => names.clone(),
    };
    let (sender, receiver) = mpsc::channel(AHEAD);
    let writer =
        tokio::task::spawn_blocking(move || put(&to, kind, overwrite, &names, Arrivals::new(receiver)));
    let read = hand_over(what, reader, call, sender, progress).await;
    let written = writer
        .await
        .unwrap_or_else(|why| Err(SheetError::Rows(t!("a part of lapel failed ({why})", why).into())));
    match (read, written) {
        (Ok(read), Ok(written)) => Ok(Exported { written, read }),
        (Err(why), _) => Err(why.into()),
        (Ok(_), Err(why)) => Err(why.into()),
    }
}

/// Reads, and hands over what was read. Ends early and without an error where nobody takes it any more:
/// whoever writes has a better one.
async fn hand_over(
    what: What,
    reader: &Reader,
    call: &Call,
    to: mpsc::Sender<Parcel>,
    progress: &watch::Sender<Progress>,
) -> Result<Option<Gathered>, ApiError> {
    let mut read = None;
    match what {
        What::Rows(_, rows) => {
            let all = rows.len() as u64;
            progress.send_replace(Progress { rows: all, all: Some(all), again: false });
            let _ = to.send(Parcel::Rows(rows)).await;
        }
        What::List(list) => {
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

/// Writes what arrives.
fn put(
    to: &Path,
    kind: Kind,
    overwrite: bool,
    names: &[String],
    rows: Arrivals,
) -> Result<Written, SheetError> {
    let watch = &mut |_| ControlFlow::Continue(());
    match kind {
        Kind::Lines => Lines { to, overwrite }.write(rows.map(|row| row.map(|row| row.json)), watch),
        Kind::Table(format) => {
            let entries = rows
                .zip(1..)
                .map(|(row, number)| row.map(|row| Entry { number, bucket: None, cells: row.cells }));
            let room = Room::EXCEL;
            Table { to, format, overwrite, names, facts: None, room }.write(entries, watch)
        }
    }
}

/// Rows as they arrive. That they stop without an end is an error: nobody may take the half for the whole.
struct Arrivals {
    from: mpsc::Receiver<Parcel>,
    page: std::vec::IntoIter<Row>,
    over: bool,
}

impl Arrivals {
    fn new(from: mpsc::Receiver<Parcel>) -> Self {
        Self { from, page: Vec::new().into_iter(), over: false }
    }
}

impl Iterator for Arrivals {
    type Item = Result<Row, &'static str>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.page.next() {
                return Some(Ok(row));
            }
            if self.over {
                return None;
            }
            match self.from.blocking_recv() {
                Some(Parcel::Rows(rows)) => self.page = rows.into_iter(),
                Some(Parcel::End) => self.over = true,
                None => {
                    self.over = true;
                    return Some(Err(t!("reading was given up")));
                }
            }
        }
    }
}
