//! Reads every badge that matches a filter, to mark them. It reads to the end and without doubles, even if the
//! list changes meanwhile, in the background share of the rate limit.

use crate::api::{PageReader, PageRequest, read_all};
use crate::tui::prelude::*;
use crate::tui::request::{LARGEST_RANGE, MatchingRows, NotMarked};
use tokio::sync::watch;

/// Fails with too many matches, or with the service's first error: a partial result would mislead.
pub async fn run(
    filter: HistoryFilter,
    reader: &Reader,
    call: &Call,
    progress: &watch::Sender<(u64, u64)>,
) -> Result<MatchingRows, NotMarked> {
    let fetch = |wanted: PageRequest| {
        let query = HistoryQuery { filter: filter.clone(), paging: wanted.paging() };
        async move { reader.history(&query, call).await }
    };
    let goes_on = |pages: &PageReader| {
        if !pages.is_first() {
            progress.send_replace((pages.rows(), pages.total_count().unwrap_or(0)));
        }
        pages.rows() <= LARGEST_RANGE
    };
    let (rows, pages) = read_all(|row: &HistoryItem| row.badge_id.clone(), fetch, goes_on)
        .await
        .map_err(NotMarked::Service)?;
    if pages.rows() > LARGEST_RANGE {
        return Err(NotMarked::TooMany);
    }
    let failed = || ApiError::NoResponse { why: localizable!("the list did not end") };
    let read = pages.finish().ok_or_else(failed).map_err(NotMarked::Service)?;
    Ok(MatchingRows { rows, read })
}
