//! Turns files into drafts: recipients and badge ids.
//!
//! lapel reads a file on a blocking thread and writes it row by row, so that a million rows need no more memory
//! than a few. Every row of the file becomes a row of a job.

mod badge_ids;
mod compare;
mod recipients;

pub use self::badge_ids::IdsRequest;
pub use self::compare::{FileChange, FileState};
pub use self::recipients::FileRequest;

use super::core::Jobs;
use super::error::JobError;
use super::intake::{
    self, About, Checked, Choices, ColumnMap, FileQuestion, Finding, IdRow, IdsPreview, ImportSource,
    InputTable, RawRow, ReadProgress, Severity, Standing, check,
};
use super::job::{FileSource, JobOrigin};
use super::journal::Store;
use super::reason::{Code, Reason};
use super::row_status::RowStatus;
use crate::jobs::prelude::*;
use std::sync::atomic::AtomicU64;

const PREVIEW: usize = 20;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub bytes_done: u64,
    pub bytes_all: u64,
    pub rows: u64,
    /// The total of `rows`; 0 if unknown.
    pub rows_all: u64,
}

/// An opened file, and how to read it as far as that is clear.
#[derive(Clone, Debug)]
pub struct Opened {
    /// What is known about the file, and what a person must decide.
    pub about: About,
    pub rows: Vec<RawRow>,
    pub preview: Preview,
}

/// The first rows of a file, as lapel would take them.
#[derive(Clone, Debug)]
pub enum Preview {
    /// Checked recipients; empty while a question is open.
    Recipients(Vec<Checked>),
    /// Badge ids; empty while a question is open.
    BadgeIds {
        /// The column of the ids, from 0; `None` if a person must choose.
        column: Option<usize>,
        /// The ids, or why a cell is not an id.
        ids: Vec<IdRow>,
    },
}

impl Opened {
    /// Whether the file has, or may have, rows after this number of shown ones.
    pub fn preview_goes_on(&self, shown: u64) -> bool {
        let read = match &self.preview {
            Preview::Recipients(rows) if !rows.is_empty() => rows.len(),
            Preview::BadgeIds { ids, .. } if !ids.is_empty() => ids.len(),
            _ => self.rows.len(),
        };
        read as u64 > shown || read >= PREVIEW
    }

    /// Open questions for a person. For badge ids, without the question for the column.
    pub fn questions(&self) -> Vec<FileQuestion> {
        match &self.preview {
            Preview::Recipients(_) => self.about.needs_answer(),
            Preview::BadgeIds { .. } => intake::open_questions(&self.about),
        }
    }
}
/// Reports the progress of a reading, and cancels it.
struct ReadingWatcher {
    progress: watch::Sender<Reading>,
    cancel: CancellationToken,
    rows: AtomicU64,
}

impl ReadingWatcher {
    fn new(progress: watch::Sender<Reading>, cancel: CancellationToken) -> Self {
        Self { progress, cancel, rows: AtomicU64::new(0) }
    }
}

impl ReadProgress for ReadingWatcher {
    fn progress(&self, bytes_done: u64, bytes_all: u64) {
        let rows = self.rows.load(Ordering::Relaxed);
        self.progress.send_replace(Reading { bytes_done, bytes_all, rows, rows_all: 0 });
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

pub(super) fn placed(standing: Standing, findings: &[Finding]) -> (RowStatus, Option<Reason>) {
    let row_status = match standing {
        Standing::Ready => RowStatus::Ready,
        Standing::Ask => RowStatus::Ask,
        Standing::Refused => RowStatus::Invalid,
        Standing::NotARecipient => RowStatus::LeftOut,
    };
    let worst = findings.iter().map(|f| f.severity).max().unwrap_or(Severity::Note);
    let messages: Vec<Reason> =
        findings.iter().filter(|f| f.severity == worst).map(|f| Reason::finding(f.field, &f.what)).collect();
    (row_status, (!messages.is_empty()).then(|| Reason::list(Code::Findings, messages)))
}
fn read_as(about: &About) -> Reason {
    let mut parts = vec![Reason::word(about.format.name())];
    if let Some(guess) = &about.encoding {
        parts.push(Reason::word(guess.encoding.label()));
    }
    if let Some(delimiter) = about.delimiter {
        parts.push(Reason::word(delimiter.name()));
    }
    if let Some(sheet) = &about.sheet {
        parts.push(Reason::from(Code::Sheet).with("sheet", sheet));
    }
    match about.header {
        Some(intake::HeaderRow::At(row)) => parts.push(Reason::from(Code::HeaderRow).with("row", row)),
        Some(intake::HeaderRow::Absent) => parts.push(Code::NoHeader.into()),
        None => {}
    }
    Reason::list(Code::ReadAs, parts)
}

/// `None` for pasted text, which cannot be read again.
fn source_of(request: &FileRequest, about: &About, map: &ColumnMap) -> Option<FileSource> {
    let ImportSource::File(path) = &request.source else { return None };
    let choices = Choices {
        encoding: about.encoding.as_ref().map(|guess| guess.encoding),
        delimiter: about.delimiter,
        sheet: about.sheet.clone(),
        header: about.header,
        columns: Some(map.clone()),
        id_column: None,
    };
    Some(FileSource { path: path.clone(), choices, by_column: request.template.is_none() })
}

fn origin_of(about: &About, map: Option<ColumnMap>) -> JobOrigin {
    JobOrigin {
        file: (about.format != intake::InputFormat::Pasted).then(|| about.name.to_string().into()),
        sha256: about.sha256.clone(),
        columns: about.columns.iter().map(|c| Text::from(c.as_str())).collect(),
        read_as: read_as(about),
        map,
        source: None,
    }
}

/// The columns that a person confirmed earlier for this header.
fn remembered(store: &Store, signature: &str) -> Option<ColumnMap> {
    let kept = store.kept("columns", signature.to_owned()).wait().ok().flatten()?;
    serde_json::from_str(&kept).ok()
}

impl Jobs {
    pub async fn open_file(
        &self,
        source: ImportSource,
        choices: Choices,
        progress: watch::Sender<Reading>,
        cancel: CancellationToken,
    ) -> Result<Opened, JobError> {
        let store = self.core.store.clone();
        let watcher = ReadingWatcher::new(progress, cancel);
        off_the_loop(move || {
            let table = InputTable::open(&source, &choices, &|header| remembered(&store, header), &watcher)?;
            let rows = table.preview(PREVIEW);
            let preview = match table.about().map.map() {
                Some(map) if table.about().needs_answer().is_empty() => {
                    rows.iter().map(|row| check(row.clone(), map)).collect()
                }
                _ => Vec::new(),
            };
            Ok(Opened { about: table.about().clone(), rows, preview: Preview::Recipients(preview) })
        })
        .await
    }

    pub async fn open_ids(
        &self,
        source: ImportSource,
        choices: Choices,
        progress: watch::Sender<Reading>,
        cancel: CancellationToken,
    ) -> Result<Opened, JobError> {
        let watcher = ReadingWatcher::new(progress, cancel);
        off_the_loop(move || {
            let IdsPreview { about, rows, column, ids } =
                intake::preview_ids(&source, &choices, PREVIEW, &watcher)?;
            Ok(Opened { about, rows, preview: Preview::BadgeIds { column, ids } })
        })
        .await
    }
}

/// Runs file work on a blocking thread.
pub(super) async fn off_the_loop<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, JobError> + Send + 'static,
) -> Result<T, JobError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|failed| {
        Err(JobError::no(localizable!("lapel had an internal error ({failed}). Nothing was sent.", failed)))
    })
}
