//! The local index of a connection, and what the screens ask of it.

use super::text_error;
use crate::index::{
    Cert, Coverage, FoundPeople, Index, IndexAccount, IndexConfig, IndexError, IndexQuery, LONGEST_PAGE,
    Renewals,
};
use crate::jobs::receipt::{FailedMails, MOST_FAILED, MailReport, mail_failures};
use crate::tui::prelude::*;
use crate::tui::request::{IndexOverview, IndexRows, IndexUse, NotSearched, ProfileSession};
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

/// Most badges of a list whose details are read in one run.
pub const MOST_DETAILS: usize = 5_000;
/// Most badges of a list in one plan to issue again.
pub const MOST_RENEWALS: u64 = 20_000;

/// Most badges of a list that are saved to a file.
const MOST_EXPORTED: u64 = 200_000;

/// The index of a connection. It opens at its first use.
#[derive(Clone)]
pub struct IndexSlot {
    account: IndexAccount,
    place: Option<IndexUse>,
    open: Arc<Mutex<Option<Index>>>,
}

impl IndexSlot {
    /// Without a configured index, there is none until the user turns one on.
    pub fn new(session: &ProfileSession) -> Self {
        Self {
            account: IndexAccount::of(&session.connection),
            place: session.index.clone(),
            open: Arc::default(),
        }
    }

    async fn get(&self) -> Result<Option<Index>, IndexError> {
        self.opened(self.place.clone()).await
    }

    async fn opened(&self, place: Option<IndexUse>) -> Result<Option<Index>, IndexError> {
        let mut open = self.open.lock().await;
        if let (None, Some(place)) = (&*open, place) {
            let account = self.account.clone();
            let opened = spawn_blocking(move || match &place.folder {
                Some(folder) => Index::open(folder, &account, place.settings),
                None => Index::in_memory(&account, place.settings),
            });
            *open = Some(opened.await.unwrap_or(Err(IndexError::Closed))?);
        }
        Ok(open.clone())
    }

    pub async fn turn_on(&self) -> Result<(), IndexError> {
        // A configured index that could not be opened is tried again: an empty one must not stand in its place.
        let in_memory = IndexUse { folder: None, settings: IndexConfig::default(), reads_at_start: false };
        let place = self.place.clone().unwrap_or(in_memory);
        self.opened(Some(place)).await.map(drop)
    }

    pub async fn domains(&self) -> Vec<(String, u64)> {
        Index::domains(self.get().await).await
    }

    /// Notes a badge's details in the index, if there is one. Does not wait for the write.
    pub async fn note(&self, badge: &Badge, reader: &Reader) {
        match self.get().await {
            Ok(Some(index)) => index.note_soon(badge, reader.clock().utc().as_second()),
            Ok(None) => {}
            Err(why) => tracing::warn!("a badge's record was not noted in the index: {why}"),
        }
    }
}

/// What the screens ask of the index. Errors are text for the user.
impl IndexSlot {
    async fn used(&self) -> Result<Index, String> {
        text_error(self.get().await)?.ok_or_else(|| t!("This profile has no index.").to_owned())
    }

    pub async fn ask<T>(&self, run: impl AsyncFnOnce(Index) -> Result<T, IndexError>) -> Result<T, String> {
        text_error(run(self.used().await?).await)
    }

    pub async fn overall(&self, reader: &Reader, period: Period) -> Result<IndexOverview, String> {
        let (index, clock) = (self.used().await?, reader.clock());
        let sums = text_error(index.sums(clock.now(), clock.offset(), period).await)?;
        Ok(IndexOverview {
            sums,
            mail: text_error(mail_report(&index).await)?,
            place: index.place().to_owned(),
        })
    }

    /// The coverage of the index, if it has every badge that may match this filter of the service.
    pub async fn coverage(&self, filter: &HistoryFilter, now: DateTime) -> Option<Coverage> {
        let index = self.get().await.ok()??;
        index.coverage(filter, now).await.ok()?
    }

    pub async fn list(&self, query: IndexQuery, reader: &Reader) -> Result<Page<HistoryItem>, String> {
        let index = self.used().await?;
        let read_at = text_error(index.read_at().await)?.and_then(|at| Timestamp::from_second(at).ok());
        let read_at = read_at.map(|at| reader.clock().offset().to_datetime(at));
        let mut page = text_error(index.list(query).await)?;
        for (_, row) in &mut page.items {
            row.read_at = read_at;
        }
        Ok(page)
    }

    async fn to_search(&self) -> Result<Index, NotSearched> {
        self.get().await?.ok_or(NotSearched::NoIndex)
    }

    pub async fn find_cert(&self, number: &str) -> Result<Vec<Cert>, NotSearched> {
        let index = self.to_search().await?;
        searched(&index, index.find_cert(number).await, Vec::is_empty).await
    }

    pub async fn find_people(
        &self,
        email: Option<String>,
        name: Option<String>,
    ) -> Result<FoundPeople, NotSearched> {
        let index = self.to_search().await?;
        searched(&index, index.find_people(email, name).await, |found| found.all == 0).await
    }

    pub async fn failed_mails(&self) -> Result<FailedMails, String> {
        let index = self.used().await?;
        let report = text_error(mail_report(&index).await)?;
        Ok(FailedMails::new(
            report,
            text_error(all(&index, IndexedList::MailFailed(None), MOST_FAILED).await)?.0,
        ))
    }

    pub async fn exported(&self, list: IndexedList, now: DateTime) -> Result<IndexRows, String> {
        let (badges, all) = text_error(all(&self.used().await?, list, MOST_EXPORTED).await)?;
        let rows = spawn_blocking(move || badges.iter().map(|badge| ExportRow::of(badge, now)).collect());
        Ok(IndexRows { rows: rows.await.unwrap_or_default(), all })
    }
}

/// An empty result is an error if nothing was read into the index yet.
async fn searched<T>(
    index: &Index,
    found: Result<T, IndexError>,
    is_empty: fn(&T) -> bool,
) -> Result<T, NotSearched> {
    let found = found?;
    if is_empty(&found) && index.status().await?.is_empty() {
        return Err(NotSearched::NotRead);
    }
    Ok(found)
}

async fn mail_report(index: &Index) -> Result<MailReport, IndexError> {
    let mails = index.mails().await?;
    let grouped = spawn_blocking(move || {
        let rows = mails.mails.iter().map(|(email, status)| (email.as_str(), status.as_deref(), true));
        let mut report = mail_failures(rows);
        report.issued += mails.others;
        report
    });
    Ok(grouped.await.unwrap_or_default())
}

/// The badges of a list, about `most` at most, and how many there are.
async fn all(index: &Index, which: IndexedList, most: u64) -> Result<(Vec<HistoryItem>, u64), IndexError> {
    let (mut badges, mut known, mut total) = (Vec::new(), HashSet::new(), 0);
    for page in 1.. {
        let query = IndexQuery { which: which.clone(), page, per_page: LONGEST_PAGE };
        let Page { items, total_count, .. } = index.list(query).await?;
        let is_last = (items.len() as u64) < LONGEST_PAGE || page * LONGEST_PAGE >= most;
        total = total_count.unwrap_or(0);
        // The index may grow between two pages, and then a row comes twice.
        badges.extend(items.into_iter().map(|(_, badge)| badge).filter(|b| known.insert(b.badge_id.clone())));
        if is_last {
            break;
        }
    }
    let total = total.max(badges.len() as u64);
    Ok((badges, total))
}

/// The badges that a plan to issue again skips, as text. `None` if it skips none.
pub fn left_out(found: &Renewals) -> Option<String> {
    let mut parts = Vec::new();
    if found.doubles > 0 {
        parts.push(plural!(
            found.doubles,
            "{n} badge whose recipient is already in the plan",
            "{n} badges whose recipient is already in the plan"
        ));
    }
    if found.left_out > 0 {
        parts.push(plural!(
            found.left_out,
            "{n} badge without a template, a name or a usable e-mail address",
            "{n} badges without a template, a name or a usable e-mail address"
        ));
    }
    if found.beyond > 0 {
        parts.push(plural!(
            found.beyond,
            "{n} badge over the limit of one plan",
            "{n} badges over the limit of one plan"
        ));
    }
    (!parts.is_empty()).then(|| t!("Not planned: {parts}.", parts = list(parts)))
}
