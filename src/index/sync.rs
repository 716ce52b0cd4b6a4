//! Reads the history into the index, page by page, at the background share of the rate limit.
//!
//! A page is not a snapshot: rows come and go during the reading, and move from one page to the
//! next. So a full reading only counts when it adds up: every entry of the list is a row that was
//! seen, and the rows added at the top since the first page are exactly as many as the count has
//! grown. Otherwise it is repeated. Each page is saved with the progress in one transaction, so
//! that reading continues after a crash.

use super::Result;
use super::state::{self, ReadingState, SCAN, SyncState};
use super::store::{Index, SyncLock, kept};
use super::stored_rows::{self, KeepLimits, RowCounts};
use crate::api::{
    ApiError, Call, Direction, DirectionStyle, HistoryFilter, HistoryQuery, Paging, Pass, PassPage, Reader,
    Sort,
};
use crate::domain::{HistoryItem, Page, ServiceTime, State, Verdict};
use jiff::civil::{Date, DateTime};
use jiff::{Timestamp, ToSpan};
use std::collections::{BTreeSet, HashSet};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// In seconds of service time. Old badges change, too.
const FULL_AFTER: i64 = 24 * 3600;
/// In seconds of service time: the minimum between two full readings when a count does not add up.
const FULL_AGAIN_AFTER: i64 = 3600;
/// In seconds: lapel knows the service's clock to the second at best. A larger step backwards means
/// that the clock was set back.
const CLOCK_SLACK: i64 = 60;
/// Maximum readings in a row that do not add up.
const MOST_TRIES: u8 = 2;
/// Maximum pages to read for badges that are waiting or being revoked.
const MOST_UNSETTLED_PAGES: usize = 20;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncScope {
    /// Includes rows that are about to change, and becomes a full reading when that is due.
    #[default]
    New,
    All,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyncProgress {
    pub done: u64,
    /// By the service's count; 0 when unknown.
    pub all: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Synced {
    pub requests: u64,
    /// Not in the index before.
    pub new: u64,
    pub full: bool,
    /// The index contains everything that the service counts, except rows that are too old.
    pub complete: bool,
}

struct HistoryPage {
    items: Vec<HistoryItem>,
    /// Readable or not.
    len: u64,
    total: Option<u64>,
    is_hole: bool,
}

impl HistoryPage {
    /// `fresh` rows were new to the pass.
    fn pass_page(&self, fresh: u64) -> PassPage {
        let unreadable = self.len.saturating_sub(self.items.len() as u64);
        PassPage { len: self.len, fresh, unreadable, total: self.total, is_hole: self.is_hole }
    }
}

impl From<Page<HistoryItem>> for HistoryPage {
    fn from(page: Page<HistoryItem>) -> Self {
        Self {
            len: page.list_len as u64,
            total: page.total_count,
            is_hole: false,
            items: page.items.into_iter().map(|(_, item)| item).collect(),
        }
    }
}

struct SyncRun<'a> {
    index: &'a Index,
    reader: &'a Reader,
    call: Call,
    progress: &'a watch::Sender<SyncProgress>,
    known: SyncState,
    style: DirectionStyle,
    requests: u64,
    new: u64,
    _lock: SyncLock,
}

impl Index {
    /// Reads the new rows, or all rows when that is due, requested, or was interrupted.
    /// [`super::IndexError::Busy`] while another reading runs. [`super::IndexError::Service`] when
    /// the service fails or `cancel` is cancelled. The rows read so far are kept, and the next
    /// reading continues after them.
    pub async fn sync(
        &self,
        reader: &Reader,
        want: SyncScope,
        progress: &watch::Sender<SyncProgress>,
        cancel: CancellationToken,
    ) -> Result<Synced> {
        let sync_lock = self.sync_lock()?;
        let (known, scan) = self
            .read(|db| Ok((state::get::<SyncState>(db, "known")?, state::get::<ReadingState>(db, SCAN)?)))
            .await?;
        let mut run = SyncRun {
            index: self,
            reader,
            call: Call::background().cancelled_by(cancel),
            progress,
            known: known.unwrap_or_default(),
            style: DirectionStyle::default(),
            requests: 0,
            new: 0,
            _lock: sync_lock,
        };
        let full = match scan {
            Some(scan) => {
                run.all(scan).await?;
                true
            }
            None if want == SyncScope::All || run.known.full_at.is_none() => {
                run.all_anew(want).await?;
                true
            }
            None => {
                run.hear_the_clock().await?;
                if run.is_due(FULL_AFTER) {
                    run.all_anew(want).await?;
                    true
                } else {
                    run.what_is_new().await?
                }
            }
        };
        let kept = run.kept();
        self.write(move |db| stored_rows::forget(db, &kept)).await?;
        Ok(Synced { requests: run.requests, new: run.new, full, complete: run.known.complete })
    }
}

/// Whether a row can come from a list of badges revoked since this day. A service that ignores the filter sends others.
pub(super) fn was_revoked_since(item: &HistoryItem, since: Date) -> bool {
    match item.revoke_at.as_ref().and_then(ServiceTime::day) {
        Some(day) => day >= since,
        None => matches!(Verdict::of(item, DateTime::MAX).state(), State::Revoking | State::Revoked),
    }
}

/// The service's clock may seem to run backwards slightly.
pub(super) fn is_within(age: i64, limit: i64) -> bool {
    (-CLOCK_SLACK..limit).contains(&age)
}

impl SyncRun<'_> {
    fn now(&self) -> i64 {
        self.reader.clock().utc().as_second()
    }

    /// The service's clock decides what is due: this computer's clock may be set to anything.
    async fn hear_the_clock(&mut self) -> Result<()> {
        if !self.reader.clock().is_heard() {
            self.requests += 1;
            self.reader.ping(&self.call).await?;
        }
        Ok(())
    }

    fn kept(&self) -> KeepLimits {
        kept(self.reader.clock().now(), self.index.settings)
    }

    /// A clock that was set back counts as due.
    fn is_due(&self, seconds: i64) -> bool {
        self.known.full_at.is_none_or(|at| !is_within(self.now().saturating_sub(at), seconds))
    }

    /// The newest first, unless the service refuses to sort.
    fn query(&self, filter: HistoryFilter, page: u64) -> HistoryQuery {
        let mut paging = Paging::full(page);
        if !self.known.sort_refused {
            paging.sort.push(Sort { style: self.style, ..Sort::new("reg_date", Direction::Desc) });
        }
        HistoryQuery { filter, paging }
    }

    async fn page(&mut self, number: u64) -> Result<HistoryPage> {
        let mut query = self.query(HistoryFilter::default(), number);
        self.requests += 1;
        let mut read = self.reader.history(&query, &self.call).await;
        if let (Err(ApiError::BadRequest(_)), Some(sort)) = (&read, query.paging.sort.first_mut())
            && let Some(style) = self.style.after_refusal()
        {
            sort.style = style;
            self.requests += 1;
            read = self.reader.history(&query, &self.call).await;
            if read.is_ok() {
                self.style = style;
            }
        }
        // The contract does not list the allowed `sort_by` columns (contract, "Endpoints"). When the service
        // refuses, read in its own order. Sorting is the cause when the same page can be read without it.
        let may_be_the_order = match &read {
            Err(ApiError::BadRequest(_)) => true,
            Err(ApiError::ServiceFailed(_)) => number == 1,
            _ => false,
        };
        if may_be_the_order && !self.known.sort_refused {
            query.paging.sort.clear();
            self.requests += 1;
            read = self.reader.history(&query, &self.call).await;
            self.known.sort_refused = read.is_ok();
        }
        match read {
            Ok(page) => Ok(page.into()),
            Err(ApiError::Unreadable { .. }) => {
                Ok(HistoryPage { items: Vec::new(), len: 0, total: None, is_hole: true })
            }
            Err(why) => Err(why.into()),
        }
    }

    /// Of badges that are too old, only those that still expire are kept. They are found once, and when lapel reads
    /// all. Otherwise the reading ends where all badges are too old.
    async fn all_anew(&mut self, want: SyncScope) -> Result<()> {
        let reading = self.known.reading.wrapping_add(1);
        self.all(ReadingState::new(reading, want == SyncScope::All || !self.known.to_end)).await
    }

    /// Until the reading adds up or `MOST_TRIES` is reached.
    async fn all(&mut self, mut scan: ReadingState) -> Result<()> {
        loop {
            while let Some(number) = scan.next() {
                scan = self.next_page(scan, number).await?;
            }
            // Rows that were added during the reading are at the top.
            let (total, first) = self.top(scan.reading).await?;
            let reading = scan.reading;
            let seen = self.index.read(move |db| stored_rows::seen(db, reading)).await?;
            // `i128` is wide enough for any two counts.
            let grown = i128::from(total.unwrap_or(0)) - i128::from(scan.pass.first_total().unwrap_or(0));
            let distinct = seen.saturating_add(scan.skipped).saturating_add(scan.old);
            // Each row added meanwhile may have moved another one to the next page, where it was seen twice.
            let (all, twice) = match total.filter(|_| !scan.cut) {
                Some(total) => (total, if scan.old > 0 { first } else { 0 }),
                None => (scan.pass.entries(), first),
            };
            let adds_up = (all..=all.saturating_add(twice)).contains(&distinct);
            // Without a count there is nothing to compare.
            let grows = (total.is_none() && scan.pass.first_total().is_none()) || grown == i128::from(first);
            let complete = grows && adds_up && scan.holes == 0;
            if complete || scan.tries.saturating_add(1) >= MOST_TRIES {
                return self.end(&scan, total, complete).await;
            }
            let tries = scan.tries + 1;
            scan = ReadingState { tries, ..ReadingState::new(reading.wrapping_add(1), scan.to_end) };
        }
    }

    async fn next_page(&mut self, mut scan: ReadingState, number: u64) -> Result<ReadingState> {
        let got = self.page(number).await?;
        let given = got.items.len() as u64;
        scan.began.get_or_insert(self.now());
        scan.skipped = scan.skipped.saturating_add(got.len.saturating_sub(given));
        scan.holes = scan.holes.saturating_add(u64::from(got.is_hole));
        for reg in
            got.items.iter().filter_map(|item| item.reg_date.as_ref()?.start()).map(stored_rows::moment)
        {
            scan.newest_first &= scan.last_reg.as_ref().is_none_or(|last| reg <= *last);
            scan.last_reg = Some(reg);
        }
        let (kept, known) = (self.kept(), self.known.clone());
        let (scan, taken) = self
            .index
            .write(move |db| {
                let taken = stored_rows::take(db, &got.items, scan.reading, &kept)?;
                scan.old = scan.old.saturating_add(taken.old);
                // All rows after this page are even older.
                scan.cut = !scan.to_end && scan.newest_first && given > 0 && taken.aged == given;
                scan.pass.take(got.pass_page(taken.first + taken.old));
                state::put(db, SCAN, &scan)?;
                // Also saves that the service does not sort.
                state::put(db, "known", &known)?;
                Ok((scan, taken))
            })
            .await?;
        self.new += taken.new;
        self.report_progress(scan.pass.entries(), scan.pass.last_total());
        Ok(scan)
    }

    /// Stops at a page with a row that this reading has already seen. Returns the current
    /// `total_count` and the number of rows not seen before.
    async fn top(&mut self, reading: i64) -> Result<(Option<u64>, u64)> {
        let (mut pass, mut first) = (Pass::default(), 0);
        while let Some(number) = pass.next() {
            let page = self.page(number).await?;
            let given = page.items.len() as u64;
            let taken = self.take(&page, reading).await?;
            pass.take(page.pass_page(taken.first));
            first += taken.first;
            if taken.first < given || given == 0 {
                break;
            }
        }
        Ok((pass.last_total(), first))
    }

    async fn take(&mut self, page: &HistoryPage, reading: i64) -> Result<RowCounts> {
        let (kept, items) = (self.kept(), page.items.clone());
        let taken = self.index.write(move |db| stored_rows::take(db, &items, reading, &kept)).await?;
        self.new += taken.new;
        Ok(taken)
    }

    async fn end(&mut self, scan: &ReadingState, total: Option<u64>, complete: bool) -> Result<()> {
        let now = self.now();
        self.known = SyncState {
            reading: scan.reading,
            total,
            full_at: Some(now),
            read_at: Some(now),
            complete: complete && scan.skipped == 0,
            newest_first: scan.newest_first,
            per_page: scan.pass.largest().max(1),
            sort_refused: self.known.sort_refused,
            revoked_at: scan.began,
            to_end: self.known.to_end || (complete && !scan.cut),
            old: if scan.cut { self.known.old.max(scan.old) } else { scan.old },
        };
        let (known, reading) = (self.known.clone(), scan.reading);
        let since = if scan.cut { self.kept().accepted } else { String::new() };
        self.index
            .write(move |db| {
                if complete {
                    stored_rows::forget_unseen(db, reading, &since)?;
                }
                state::put(db, "known", &known)?;
                state::remove(db, SCAN)
            })
            .await?;
        self.report_progress(total.unwrap_or(scan.pass.entries()), total);
        Ok(())
    }

    /// Reads the new rows, the pages with badges that are waiting or being revoked, and the badges that were revoked
    /// since the last reading, which may be on any page. Returns `true` if this became a full reading, because the
    /// new rows do not match the change of the count.
    async fn what_is_new(&mut self) -> Result<bool> {
        if !self.known.newest_first {
            // New rows may be anywhere.
            if self.is_due(FULL_AGAIN_AFTER) {
                self.all_anew(SyncScope::New).await?;
                return Ok(true);
            }
            self.known.revoked_at = self.revoked().await?;
            self.keep_known().await?;
            return Ok(false);
        }
        let (mut pass, mut new, mut read, mut holes) = (Pass::default(), 0, BTreeSet::new(), 0);
        while let Some(number) = pass.next() {
            let page = self.page(number).await?;
            read.insert(number);
            holes += u64::from(page.is_hole);
            let given = page.items.len() as u64;
            let taken = self.take(&page, self.known.reading).await?;
            pass.take(page.pass_page(taken.new));
            new += taken.new;
            self.report_progress(new, None);
            if taken.new < given || given == 0 {
                break;
            }
        }
        let total = pass.last_total();
        let adds_up = match (self.known.total, total) {
            (Some(before), Some(now)) => before.checked_add(new) == Some(now),
            _ => holes == 0,
        };
        if !adds_up && self.is_due(FULL_AGAIN_AFTER) {
            self.all_anew(SyncScope::New).await?;
            return Ok(true);
        }
        let per_page = self.known.per_page.max(1);
        let unsettled = self
            .index
            .read(move |db| stored_rows::unsettled_pages(db, per_page, MOST_UNSETTLED_PAGES))
            .await?;
        for number in unsettled.into_iter().filter(|page| !read.contains(page)) {
            let page = self.page(number).await?;
            self.take(&page, self.known.reading).await?;
        }
        self.known.revoked_at = self.revoked().await?;
        // Without the rows that do not add up, so that the next reading misses them, too.
        self.known.total = self.known.total.map(|before| before.saturating_add(new)).or(total);
        self.known.read_at = Some(self.now());
        self.known.complete &= adds_up;
        self.keep_known().await?;
        self.report_progress(total.unwrap_or(0), total);
        Ok(false)
    }

    async fn keep_known(&self) -> Result<()> {
        let known = self.known.clone();
        self.index.write(move |db| state::put(db, "known", &known)).await
    }

    /// Reads the badges that were revoked since the last reading: one request if there are none. Returns the new
    /// `revoked_at`.
    async fn revoked(&mut self) -> Result<Option<i64>> {
        let Some(last) = self.known.revoked_at else { return Ok(None) };
        let now = self.now();
        let last_day =
            self.reader.clock().offset().to_datetime(Timestamp::from_second(last).unwrap_or_default()).date();
        // The filter takes days, and the contract does not say in which time zone.
        let since = last_day.checked_sub(1.day()).unwrap_or(Date::MIN);
        let (mut pass, mut seen) = (Pass::default(), HashSet::new());
        while let Some(number) = pass.next() {
            let filter = HistoryFilter { revoke_start_date: Some(since), ..HistoryFilter::default() };
            let query = self.query(filter, number);
            self.requests += 1;
            let page: HistoryPage = match self.reader.history(&query, &self.call).await {
                Ok(page) => page.into(),
                // The service does not know the filter. The next full reading tries again.
                Err(ApiError::BadRequest(_)) => return Ok(None),
                // The rest of the reading is good. The next one looks further back.
                Err(ApiError::ServiceFailed(_) | ApiError::Unreadable { .. }) => return Ok(Some(last)),
                Err(why) => return Err(why.into()),
            };
            if !page.items.iter().all(|item| was_revoked_since(item, since)) {
                return Ok(None);
            }
            let fresh = page.items.iter().filter(|item| seen.insert(item.badge_id.clone())).count() as u64;
            let (items, reading, kept) = (page.items.clone(), self.known.reading, self.kept());
            let has_all = self
                .index
                .write(move |db| {
                    let known = stored_rows::known(db, items)?;
                    stored_rows::take(db, &known, reading, &kept)?;
                    stored_rows::revoked_since(db, since)
                })
                .await?;
            pass.take(page.pass_page(fresh));
            if page.total == Some(has_all) {
                break;
            }
        }
        Ok(Some(now))
    }

    fn report_progress(&self, done: u64, all: Option<u64>) {
        self.progress.send_replace(SyncProgress { done, all: all.unwrap_or(0) });
    }
}
