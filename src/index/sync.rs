//! Reading the history into the index, page by page in the background share.
//!
//! A page is not a snapshot: rows come in and go out while it is read, and slip from one page to the next.
//! So a reading of the whole history is believed only when it adds up: every place of the list is a row that
//! was seen, and what is new at the top since its first page is exactly how much the count has grown. What
//! does not add up is read again. Each page is kept with how far the reading is, in one step, so that a crash
//! goes on where it was.

use super::Result;
use super::rows::{self, Taken};
use super::state::{self, Known, SCAN, Scan};
use super::store::{Alone, Index, oldest};
use crate::api::{ApiError, Brought, Call, Direction, HistoryQuery, Paging, Pass, Reader, Sort};
use crate::domain::HistoryItem;
use std::collections::BTreeSet;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// All of the history is read again after so many seconds of the service: old badges change, too.
const FULL_AFTER: i64 = 24 * 3600;
/// A count that does not add up leads to reading all of it again no sooner than this, in seconds.
const FULL_AGAIN_AFTER: i64 = 3600;
/// The service's clock is known to the second at best, so two looks at it may seem to run backwards by so many
/// seconds; by more, somebody has set it back.
const CLOCK_SLACK: i64 = 60;
/// How often a reading that does not add up is begun anew at once.
const MOST_TRIES: u8 = 2;
/// Pages that are read for badges that wait or are being revoked.
const MOST_UNSETTLED_PAGES: usize = 20;

/// How thoroughly to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Want {
    /// What is new, and what is about to change; all of it when that is due.
    #[default]
    New,
    /// All of it.
    All,
}

/// How far a reading is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Badges gone over.
    pub done: u64,
    /// Of how many, as the service counts; 0 while that is not known.
    pub all: u64,
}

/// What came of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Synced {
    /// Requests that it took.
    pub requests: u64,
    /// Badges that were not in the index before.
    pub new: u64,
    /// Whether all of the history was read, rather than what is new.
    pub full: bool,
    /// Whether the index holds everything that the service counts, but for what is too old to be kept.
    pub complete: bool,
}

/// A page of the history.
struct Got {
    items: Vec<HistoryItem>,
    /// How many entries its list had, readable or not.
    len: u64,
    total: Option<u64>,
    /// Whether there was no list that could be read.
    is_hole: bool,
}

impl Got {
    /// For the rules by which a pass ends; so many of its rows were new to it.
    fn brought(&self, fresh: u64) -> Brought {
        let unreadable = self.len.saturating_sub(self.items.len() as u64);
        Brought { len: self.len, fresh, unreadable, total: self.total, is_hole: self.is_hole }
    }
}

/// One reading, with what it goes by.
struct Errand<'a> {
    index: &'a Index,
    reader: &'a Reader,
    call: Call,
    progress: &'a watch::Sender<Reading>,
    known: Known,
    requests: u64,
    new: u64,
    _alone: Alone,
}

impl Index {
    /// Reads the history: what is new since the last time, or all of it where that is due, wanted, or was
    /// begun and broken off.
    ///
    /// # Errors
    /// [`super::IndexError::Busy`] when it is being read already, [`super::IndexError::Service`] when the service does not
    /// answer or `cancel` is cancelled: what was read is kept, and gone on from.
    pub async fn sync(
        &self,
        reader: &Reader,
        want: Want,
        progress: &watch::Sender<Reading>,
        cancel: CancellationToken,
    ) -> Result<Synced> {
        let alone = self.alone()?;
        let (known, scan) =
            self.read(|db| Ok((state::get::<Known>(db, "known")?, state::get::<Scan>(db, SCAN)?))).await?;
        let mut errand = Errand {
            index: self,
            reader,
            call: Call::background().cancelled_by(cancel),
            progress,
            known: known.unwrap_or_default(),
            requests: 0,
            new: 0,
            _alone: alone,
        };
        let full = match scan {
            Some(scan) => {
                errand.all(scan).await?;
                true
            }
            None if want == Want::All || errand.known.full_at.is_none() => {
                errand.all_anew().await?;
                true
            }
            None => {
                errand.hear_the_clock().await?;
                if errand.is_due(FULL_AFTER) {
                    errand.all_anew().await?;
                    true
                } else {
                    errand.what_is_new().await?
                }
            }
        };
        let limit = errand.oldest();
        self.write(move |db| rows::forget(db, &limit)).await?;
        Ok(Synced { requests: errand.requests, new: errand.new, full, complete: errand.known.complete })
    }
}

/// Whether an age in seconds is below a limit, though the clock may seem to have run backwards a little.
pub(super) fn is_within(age: i64, limit: i64) -> bool {
    (-CLOCK_SLACK..limit).contains(&age)
}

impl Errand<'_> {
    fn now(&self) -> i64 {
        self.reader.clock().utc().as_second()
    }

    /// What is due goes by the service's clock. Before its first answer there is only this computer's, which may
    /// be set to anything.
    async fn hear_the_clock(&mut self) -> Result<()> {
        if !self.reader.clock().is_heard() {
            self.requests += 1;
            self.reader.ping(&self.call).await?;
        }
        Ok(())
    }

    fn oldest(&self) -> String {
        oldest(self.reader.clock().now(), self.index.settings)
    }

    /// Whether all of the history was last read longer ago than this, or never. A clock that was set back
    /// counts as that long.
    fn is_due(&self, seconds: i64) -> bool {
        self.known.full_at.is_none_or(|at| !is_within(self.now().saturating_sub(at), seconds))
    }

    async fn page(&mut self, number: u64) -> Result<Got> {
        let mut query = HistoryQuery { paging: Paging::full(number), ..HistoryQuery::default() };
        if !self.known.sort_refused {
            query.paging.sort = vec![Sort::new("reg_date", Direction::Desc)];
        }
        self.requests += 1;
        let mut read = self.reader.history(&query, &self.call).await;
        // The contract does not say what can be sorted by (contract, "Endpoints"): then in its own order. A failure
        // is blamed on the order where the same page can be read without it.
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
        let page = match read {
            Ok(page) => page,
            Err(ApiError::Unreadable { .. }) => {
                return Ok(Got { items: Vec::new(), len: 0, total: None, is_hole: true });
            }
            Err(why) => return Err(why.into()),
        };
        Ok(Got {
            len: page.list_len as u64,
            total: page.total_count,
            is_hole: false,
            items: page.items.into_iter().map(|(_, item)| item).collect(),
        })
    }

    async fn all_anew(&mut self) -> Result<()> {
        let reading = self.known.reading.wrapping_add(1);
        self.all(Scan::new(reading, 0)).await
    }

    /// Reads all of it, from where a reading is to where it adds up.
    async fn all(&mut self, mut scan: Scan) -> Result<()> {
        loop {
            while let Some(number) = scan.next() {
                scan = self.next_page(scan, number).await?;
            }
            // What came in while the pages were read stands at the top.
            let (total, first) = self.top(scan.reading).await?;
            let reading = scan.reading;
            let seen = self.index.read(move |db| rows::seen(db, reading)).await?;
            // Wide enough for whatever a service counts.
            let grown = i128::from(total.unwrap_or(0)) - i128::from(scan.pass.first_total().unwrap_or(0));
            let distinct = seen.saturating_add(scan.skipped).saturating_add(scan.old);
            let adds_up = match total.filter(|_| !scan.cut) {
                Some(total) => distinct == total,
                // Each row that came in meanwhile may have pushed another one onto the next page, to be seen twice.
                None => {
                    let places = scan.pass.entries();
                    (places..=places.saturating_add(first)).contains(&distinct)
                }
            };
            // Without a count there is nothing to compare with.
            let grows = (total.is_none() && scan.pass.first_total().is_none()) || grown == i128::from(first);
            let complete = grows && adds_up && scan.holes == 0;
            if complete || scan.tries.saturating_add(1) >= MOST_TRIES {
                return self.end(&scan, total, complete).await;
            }
            scan = Scan::new(reading.wrapping_add(1), scan.tries + 1);
        }
    }

    async fn next_page(&mut self, mut scan: Scan, number: u64) -> Result<Scan> {
        let got = self.page(number).await?;
        let given = got.items.len() as u64;
        scan.skipped = scan.skipped.saturating_add(got.len.saturating_sub(given));
        scan.holes = scan.holes.saturating_add(u64::from(got.is_hole));
        for reg in got.items.iter().filter_map(|item| item.reg_date.as_ref()?.start()).map(rows::moment) {
            scan.newest_first &= scan.last_reg.as_ref().is_none_or(|last| reg <= *last);
            scan.last_reg = Some(reg);
        }
        let (limit, known) = (self.oldest(), self.known.clone());
        let (scan, taken) = self
            .index
            .write(move |db| {
                let taken = rows::take(db, &got.items, scan.reading, &limit)?;
                scan.old = scan.old.saturating_add(taken.old);
                // Beyond this page everything is even older.
                scan.cut = scan.newest_first && given > 0 && taken.old == given;
                scan.pass.take(got.brought(taken.first + taken.old));
                state::put(db, SCAN, &scan)?;
                // Also that the service does not sort.
                state::put(db, "known", &known)?;
                Ok((scan, taken))
            })
            .await?;
        self.new += taken.new;
        self.tell(scan.pass.entries(), scan.pass.last_total());
        Ok(scan)
    }

    /// Reads from the top until nothing is there that a reading has not seen: `total_count` as it is now, and
    /// how many rows were not seen before.
    async fn top(&mut self, reading: i64) -> Result<(Option<u64>, u64)> {
        let (mut pass, mut first) = (Pass::default(), 0);
        while let Some(number) = pass.next() {
            let page = self.page(number).await?;
            let given = page.items.len() as u64;
            let taken = self.take(&page, reading).await?;
            pass.take(page.brought(taken.first));
            first += taken.first;
            if taken.first < given || given == 0 {
                break;
            }
        }
        Ok((pass.last_total(), first))
    }

    async fn take(&mut self, page: &Got, reading: i64) -> Result<Taken> {
        let (limit, items) = (self.oldest(), page.items.clone());
        let taken = self.index.write(move |db| rows::take(db, &items, reading, &limit)).await?;
        self.new += taken.new;
        Ok(taken)
    }

    async fn end(&mut self, scan: &Scan, total: Option<u64>, complete: bool) -> Result<()> {
        let now = self.now();
        self.known = Known {
            reading: scan.reading,
            total,
            full_at: Some(now),
            read_at: Some(now),
            complete: complete && scan.skipped == 0,
            newest_first: scan.newest_first,
            per_page: scan.pass.largest().max(1),
            sort_refused: self.known.sort_refused,
        };
        let (known, reading) = (self.known.clone(), scan.reading);
        self.index
            .write(move |db| {
                if complete {
                    rows::forget_unseen(db, reading)?;
                }
                state::put(db, "known", &known)?;
                state::remove(db, SCAN)
            })
            .await?;
        self.tell(total.unwrap_or(scan.pass.entries()), total);
        Ok(())
    }

    /// Reads what is new, and the pages on which badges wait or are being revoked. Gives whether all had to be
    /// read after all, since what is new does not add up to how the count has changed.
    async fn what_is_new(&mut self) -> Result<bool> {
        if !self.known.newest_first {
            // What is new may stand anywhere.
            let due = self.is_due(FULL_AGAIN_AFTER);
            if due {
                self.all_anew().await?;
            }
            return Ok(due);
        }
        let (mut pass, mut new, mut read, mut holes) = (Pass::default(), 0, BTreeSet::new(), 0);
        while let Some(number) = pass.next() {
            let page = self.page(number).await?;
            read.insert(number);
            holes += u64::from(page.is_hole);
            let given = page.items.len() as u64;
            let taken = self.take(&page, self.known.reading).await?;
            pass.take(page.brought(taken.new));
            new += taken.new;
            self.tell(new, None);
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
            self.all_anew().await?;
            return Ok(true);
        }
        let per_page = self.known.per_page.max(1);
        let unsettled =
            self.index.read(move |db| rows::unsettled_pages(db, per_page, MOST_UNSETTLED_PAGES)).await?;
        for number in unsettled.into_iter().filter(|page| !read.contains(page)) {
            let page = self.page(number).await?;
            self.take(&page, self.known.reading).await?;
        }
        self.known.total = total.or(self.known.total);
        self.known.read_at = Some(self.now());
        self.known.complete &= adds_up;
        let known = self.known.clone();
        self.index.write(move |db| state::put(db, "known", &known)).await?;
        self.tell(total.unwrap_or(0), total);
        Ok(false)
    }

    fn tell(&self, done: u64, all: Option<u64>) {
        self.progress.send_replace(Reading { done, all: all.unwrap_or(0) });
    }
}
