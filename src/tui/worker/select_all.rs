//! Reads every badge that matches a filter, to mark them. It reads to the end and without doubles, even if the
//! list changes meanwhile, in the background share of the rate limit.

use crate::api::{ApiError, Call, Gathered, HistoryFilter, HistoryQuery, PageReader, Reader};
use crate::domain::HistoryItem;
use tokio::sync::watch;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkAsk {
    pub filter: HistoryFilter,
    /// Most badges to mark. Every marked badge is held in memory.
    pub most: u64,
}

/// The complete list of matches.
#[derive(Debug)]
pub struct Matching {
    /// The badges, without doubles.
    pub rows: Vec<HistoryItem>,
    pub read: Gathered,
}

/// The reason why nothing can be marked.
#[derive(Debug)]
pub enum NotMarked {
    TooMany,
    Service(ApiError),
}

/// Reads all matches. `call` sets the priority, and can cancel the reads.
///
/// # Errors
/// Too many matches, or the first error of the service. A partial result is dropped, because it would mislead.
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
