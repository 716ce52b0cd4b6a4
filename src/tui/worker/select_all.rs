//! Reading every badge that matches a filter, to mark them: to the end and without doubles although the list may
//! move meanwhile, in the background share of the pace.

use crate::api::{ApiError, Call, Gathered, HistoryFilter, HistoryQuery, PageReader, Reader};
use crate::domain::HistoryItem;
use tokio::sync::watch;

/// What to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkAsk {
    /// What matches.
    pub filter: HistoryFilter,
    /// Badges beyond this number are too many: each is held while it is marked.
    pub most: u64,
}

/// What was read, to its end.
#[derive(Debug)]
pub struct Matching {
    /// The badges, each once.
    pub rows: Vec<HistoryItem>,
    /// How the list ended.
    pub read: Gathered,
}

/// Why there is nothing to mark.
#[derive(Debug)]
pub enum NotMarked {
    /// More match than may be marked.
    TooMany,
    /// The service, or the way to it.
    Service(ApiError),
}

/// Reads it. `call` says how, and breaks off.
///
/// # Errors
/// More than may be marked, or the first error of the service: what was read until then is of no use, since a
/// part of all misleads.
pub async fn run(
    ask: MarkAsk,
    reader: &Reader,
    call: &Call,
    progress: &watch::Sender<(u64, u64)>,
) -> Result<Matching, NotMarked> {
    let (mut pages, mut rows) = (PageReader::default(), Vec::new());
    while let Some(wanted) = pages.next() {
        let query = HistoryQuery { filter: ask.filter.clone(), paging: wanted.paging() };
        let page = reader.history(&query, call).await;
        let new = pages.take(page, |row: &HistoryItem| row.badge_id.clone());
        rows.extend(new.map_err(NotMarked::Service)?);
        if pages.rows() > ask.most {
            return Err(NotMarked::TooMany);
        }
        progress.send_replace((pages.rows(), pages.total_count().unwrap_or(0)));
    }
    if let Some(why) = pages.failure() {
        return Err(NotMarked::Service(why.clone()));
    }
    let failed = || ApiError::NoAnswer { why: t!("the list did not end").to_owned() };
    let read = pages.finish().ok_or_else(failed).map_err(NotMarked::Service)?;
    Ok(Matching { rows, read })
}
