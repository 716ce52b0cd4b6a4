//! Requests to the local index, and its responses. The worker runs them.

use crate::api::Reader;
use crate::domain::{Badge, BadgeId, HistoryItem, Page};
use crate::export::{Cost, ExportRow};
use crate::i18n::list;
use crate::index::{
    Account, Cert, DetailsRead, Index, IndexError, LONGEST_PAGE, Period, Query, Renewals, Settings, Sums,
    SyncProgress, Synced, Want, Which,
};
use crate::jobs::receipt::{FailedMails, MOST_FAILED, MailReport, mail_failures};
use jiff::civil::DateTime;
use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{Mutex, watch};
use tokio_util::sync::CancellationToken;

/// Most badges of a list whose details are read in one run.
pub const MOST_DETAILS: usize = 5_000;
/// Most badges of a list in one plan to issue again.
pub const MOST_RENEWALS: u64 = 20_000;

/// Most badges of a list that are saved to a file.
const MOST_EXPORTED: u64 = 200_000;

/// The index settings of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexUse {
    /// The data folder. Without one, the index lives as long as the program.
    pub folder: Option<PathBuf>,
    pub settings: Settings,
}

#[derive(Clone, Debug)]
pub enum IndexAsk {
    /// Keep an index in memory until lapel ends.
    TurnOn,
    /// Read the history into the index.
    Sync(Want),
    Sums(Period),
    List(Query),
    Find(String),
    /// The badges that may be a caller's, by address, by name or by both.
    People(Option<String>, Option<String>),
    /// The badges of a list without details in the index.
    WithoutDetails(Which),
    /// Read the details of these badges, up to the one with this certificate number.
    Details(Vec<BadgeId>, Option<String>),
    /// The badges of a list that can be issued again.
    Renewals(Which),
    /// The badges whose mails failed.
    FailedMails,
    /// All badges of a list, for a file.
    Export(Which),
}

impl IndexAsk {
    /// Whether it runs in the background, so that the screen does not wait for it.
    pub fn is_behind(&self) -> bool {
        matches!(self, Self::Sync(_) | Self::Details(..))
    }
}

/// Why a look-up was not answered by the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotSearched {
    /// There is no index, or lapel cannot read it. The text says why.
    NoIndex(String),
    /// Nothing was read into the index yet.
    NotRead,
}

/// The cost of reading the history into the index, in words. `badges` is the number of badges in the history, if lapel
/// knows it.
pub fn reading_cost(badges: Option<u64>) -> String {
    match badges.map(|badges| Cost::of(badges, u32::MAX).requests) {
        Some(n) => plural!(n, "about {n} request", "about {n} requests"),
        None => t!("1 request for every 100 badges of the history").to_owned(),
    }
}

/// The responses of the index. Errors are text for the user.
#[derive(Debug)]
pub enum IndexAnswer {
    On(Result<(), String>),
    Synced(Result<Synced, String>),
    Sums(Result<Box<Overall>, String>),
    List(Result<Page<HistoryItem>, String>),
    Found(Result<Vec<Cert>, NotSearched>),
    People(Result<Vec<HistoryItem>, NotSearched>),
    WithoutDetails(Result<Vec<BadgeId>, String>),
    Details(Result<DetailsRead, String>),
    Renewals(Result<Renewals, String>),
    FailedMails(Result<FailedMails, String>),
    Export(Result<Exported, String>),
}

/// The badges of a list for a file.
#[derive(Debug)]
pub struct Exported {
    pub rows: Vec<ExportRow>,
    /// The number of badges in the list, of which a file takes at most [`MOST_EXPORTED`].
    pub all: u64,
}

#[derive(Debug)]
pub struct Overall {
    pub sums: Sums,
    pub mail: MailReport,
    /// The place of the index, as text for the user.
    pub place: String,
}

pub fn failed(ask: &IndexAsk, why: String) -> IndexAnswer {
    match ask {
        IndexAsk::TurnOn => IndexAnswer::On(Err(why)),
        IndexAsk::Sync(_) => IndexAnswer::Synced(Err(why)),
        IndexAsk::Sums(_) => IndexAnswer::Sums(Err(why)),
        IndexAsk::List(_) => IndexAnswer::List(Err(why)),
        IndexAsk::Find(_) => IndexAnswer::Found(Err(NotSearched::NoIndex(why))),
        IndexAsk::People(..) => IndexAnswer::People(Err(NotSearched::NoIndex(why))),
        IndexAsk::WithoutDetails(_) => IndexAnswer::WithoutDetails(Err(why)),
        IndexAsk::Details(..) => IndexAnswer::Details(Err(why)),
        IndexAsk::Renewals(_) => IndexAnswer::Renewals(Err(why)),
        IndexAsk::FailedMails => IndexAnswer::FailedMails(Err(why)),
        IndexAsk::Export(_) => IndexAnswer::Export(Err(why)),
    }
}

/// The index of a connection. It opens at its first use.
#[derive(Clone)]
pub struct Slot {
    account: Account,
    place: Option<IndexUse>,
    open: Arc<Mutex<Option<Index>>>,
}

impl Slot {
    /// Without a configured index, there is none until the user turns one on.
    pub fn new(session: &crate::tui::request::Session) -> Self {
        Self { account: Account::of(&session.connection), place: session.index.clone(), open: Arc::default() }
    }

    /// The index, if the profile has one.
    async fn get(&self) -> Result<Option<Index>, IndexError> {
        let mut open = self.open.lock().await;
        if open.is_none()
            && let Some(place) = self.place.clone()
        {
            *open = Some(self.opened(place).await?);
        }
        Ok(open.clone())
    }

    async fn opened(&self, place: IndexUse) -> Result<Index, IndexError> {
        let account = self.account.clone();
        let opened = tokio::task::spawn_blocking(move || match &place.folder {
            Some(folder) => Index::open(folder, &account, place.settings),
            None => Index::in_memory(&account, place.settings),
        });
        opened.await.unwrap_or(Err(IndexError::Closed))
    }

    async fn turn_on(&self) -> Result<(), IndexError> {
        let mut open = self.open.lock().await;
        if open.is_none() {
            let place = IndexUse { folder: None, settings: Settings::default() };
            *open = Some(self.opened(place).await?);
        }
        Ok(())
    }

    /// The domains of all addresses in the index. None without an index.
    pub async fn domains(&self) -> BTreeSet<String> {
        let read = match self.get().await {
            Ok(Some(index)) => index.domains().await,
            Ok(None) => Ok(BTreeSet::new()),
            Err(why) => Err(why),
        };
        read.unwrap_or_else(|why| {
            tracing::warn!("the domains of the index were not read: {why}");
            BTreeSet::new()
        })
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

pub async fn run(
    ask: IndexAsk,
    slot: &Slot,
    reader: &Reader,
    progress: watch::Sender<SyncProgress>,
    cancel: CancellationToken,
) -> IndexAnswer {
    if matches!(ask, IndexAsk::TurnOn) {
        return IndexAnswer::On(slot.turn_on().await.map_err(words));
    }
    let index = match slot.get().await {
        Ok(Some(index)) => index,
        Ok(None) => return failed(&ask, t!("This profile has no index.").to_owned()),
        Err(why) => return failed(&ask, words(why)),
    };
    match ask {
        IndexAsk::TurnOn => IndexAnswer::On(Ok(())),
        IndexAsk::Sync(want) => {
            IndexAnswer::Synced(index.sync(reader, want, &progress, cancel).await.map_err(words))
        }
        IndexAsk::Sums(period) => {
            IndexAnswer::Sums(overall(&index, reader, period).await.map(Box::new).map_err(words))
        }
        IndexAsk::List(query) => IndexAnswer::List(index.list(query).await.map_err(words)),
        IndexAsk::Find(cert_no) => {
            IndexAnswer::Found(searched(&index, index.find_cert(&cert_no).await).await)
        }
        IndexAsk::People(address, name) => {
            IndexAnswer::People(searched(&index, index.find_people(address, name).await).await)
        }
        IndexAsk::WithoutDetails(which) => {
            IndexAnswer::WithoutDetails(index.without_details(which, MOST_DETAILS).await.map_err(words))
        }
        IndexAsk::Details(ids, until) => {
            let read = index.read_details(reader, ids, until.as_deref(), &progress, cancel).await;
            IndexAnswer::Details(read.map_err(words))
        }
        IndexAsk::Renewals(which) => {
            IndexAnswer::Renewals(index.renewals(which, MOST_RENEWALS).await.map_err(words))
        }
        IndexAsk::FailedMails => IndexAnswer::FailedMails(failed_mails(&index).await.map_err(words)),
        IndexAsk::Export(which) => {
            IndexAnswer::Export(exported(&index, which, reader.clock().now()).await.map_err(words))
        }
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn words(why: IndexError) -> String {
    why.to_string()
}

/// The result of a search. A search without a result says so if nothing was read into the index yet.
async fn searched<T>(index: &Index, found: Result<Vec<T>, IndexError>) -> Result<Vec<T>, NotSearched> {
    let failed = |why| NotSearched::NoIndex(words(why));
    let found = found.map_err(failed)?;
    if found.is_empty() && index.status().await.map_err(failed)?.is_empty() {
        return Err(NotSearched::NotRead);
    }
    Ok(found)
}

async fn overall(index: &Index, reader: &Reader, period: Period) -> Result<Overall, IndexError> {
    let sums = index.sums(reader.clock().now(), period).await?;
    Ok(Overall { sums, mail: mail_report(index).await?, place: index.place().to_owned() })
}

async fn mail_report(index: &Index) -> Result<MailReport, IndexError> {
    let mails = index.mails().await?;
    let grouped = tokio::task::spawn_blocking(move || {
        let rows = mails.mails.iter().map(|(email, status)| (email.as_str(), status.as_deref(), true));
        let mut report = mail_failures(rows);
        report.issued += mails.others;
        report
    });
    Ok(grouped.await.unwrap_or_default())
}

async fn failed_mails(index: &Index) -> Result<FailedMails, IndexError> {
    let report = mail_report(index).await?;
    Ok(FailedMails::new(report, all(index, Which::MailFailed(None), MOST_FAILED).await?.0))
}

async fn exported(index: &Index, which: Which, now: DateTime) -> Result<Exported, IndexError> {
    let (badges, all) = all(index, which, MOST_EXPORTED).await?;
    let rows =
        tokio::task::spawn_blocking(move || badges.iter().map(|badge| ExportRow::of(badge, now)).collect());
    Ok(Exported { rows: rows.await.unwrap_or_default(), all })
}

/// The badges of a list, about `most` at most, and how many there are.
async fn all(index: &Index, which: Which, most: u64) -> Result<(Vec<HistoryItem>, u64), IndexError> {
    let (mut badges, mut known, mut total) = (Vec::new(), HashSet::new(), 0);
    for page in 1.. {
        let query = Query { which: which.clone(), page, per_page: LONGEST_PAGE };
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
