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

use super::error::JobError;
use super::handle::Jobs;
use super::intake::{
    self, About, CheckOutcome, Choices, ColumnMap, Finding, ImportSource, Opened, ReadProgress, Severity,
    TableContent,
};
use super::job::{FileSource, JobOrigin};
use super::journal::Store;
use super::reason::{Code, Reason};
use super::row_status::RowStatus;
use crate::jobs::prelude::*;
use std::sync::atomic::AtomicU64;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub bytes_done: u64,
    pub bytes_all: u64,
    pub rows: u64,
    /// The total of `rows`; 0 if unknown.
    pub rows_all: u64,
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

pub(super) fn placed(outcome: CheckOutcome, findings: &[Finding]) -> (RowStatus, Option<Reason>) {
    let row_status = match outcome {
        CheckOutcome::Ready => RowStatus::Ready,
        CheckOutcome::Ask => RowStatus::NeedsReview,
        CheckOutcome::Refused => RowStatus::Invalid,
        CheckOutcome::NotARecipient => RowStatus::Skipped,
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
        wanted: TableContent,
        source: ImportSource,
        choices: Choices,
        progress: watch::Sender<Reading>,
        cancel: CancellationToken,
    ) -> Result<Opened, JobError> {
        let store = self.core.store.clone();
        let watcher = ReadingWatcher::new(progress, cancel);
        off_the_loop(move || {
            let remembered = |header: &str| remembered(&store, header);
            Ok(intake::preview(wanted, &source, &choices, &remembered, &watcher)?)
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
