//! Results of reads: a holder's lists, look-ups, all matches of a filter, and answers of the index.

use crate::api::ReadTotals;
use crate::domain::WalletBadge;
use crate::index::{IndexError, Sums};
use crate::jobs::receipt::MailReport;
use crate::tui::prelude::*;

/// A holder's badges, as two lists. The wallet does not contain revoked or waiting badges.
#[derive(Debug)]
pub struct HolderLists {
    /// The wallet's badges, and whether the list is complete.
    pub wallet: Result<(Vec<WalletBadge>, bool), ApiError>,
    /// The history's rows for exactly this address, and whether the list is complete.
    pub history: Result<(Vec<HistoryItem>, bool), ApiError>,
    /// What the journal has about them, or why it could not be read.
    pub journal: Result<HolderInJournal, String>,
    /// The number of badges that the service counts in the wallet.
    pub total_count: Option<u64>,
    /// The domains of the addresses in the index and in the journal, if neither list has a badge.
    pub domains: BTreeSet<String>,
    pub requests: u32,
}

impl HolderLists {
    /// Without what the journal and the index have.
    pub fn of(
        wallet: Result<(Vec<WalletBadge>, bool), ApiError>,
        history: Result<(Vec<HistoryItem>, bool), ApiError>,
    ) -> Self {
        let (journal, domains) = (Ok(HolderInJournal::default()), BTreeSet::new());
        Self { wallet, history, journal, total_count: None, domains, requests: 0 }
    }

    /// Whether both lists were read and have no badge.
    pub fn has_nothing(&self) -> bool {
        self.wallet.as_ref().is_ok_and(|(badges, _)| badges.is_empty())
            && self.history.as_ref().is_ok_and(|(rows, _)| rows.is_empty())
    }
}

/// What the journal has about a holder, or about one badge.
#[derive(Debug, Default)]
pub struct HolderInJournal {
    /// Badges that lapel has sent. Of a holder: those that were not seen as issued.
    pub sent: Vec<SentHere>,
    /// When lapel requested the badges.
    pub requested: HashMap<BadgeId, Timestamp>,
    /// The jobs that revoke badges as soon as they are issued.
    pub to_revoke: HashMap<BadgeId, JobId>,
}

impl HolderInJournal {
    /// Notes what the journal has about a badge.
    pub fn note(&self, held: &mut HeldBadge, clock: &ServiceClock) {
        held.requested = self.requested.get(&held.badge_id).and_then(|at| clock.service_time(*at));
        held.to_revoke = self.to_revoke.get(&held.badge_id).map(|job| job.0);
    }
}

/// The result for front and back.
#[derive(Debug)]
pub struct TriedPictures {
    /// As text.
    pub said: [String; 2],
    /// `None` for a picture that could not be tried.
    pub opens: [Option<bool>; 2],
    /// `None` unless the badge had to be read.
    pub detail: Option<Box<Badge>>,
    pub requests: u32,
}

impl TriedPictures {
    pub fn not_tried(said: &str) -> Self {
        Self { said: [said.to_owned(), said.to_owned()], opens: [None, None], detail: None, requests: 0 }
    }
}

/// Rows after the first page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Remaining {
    #[default]
    Nothing,
    /// Unknown: the page was full, and the service gives no total.
    Unknown,
    /// The total number of rows, from the service.
    Counted(u64),
}

#[derive(Debug, Default)]
pub struct FoundRows {
    /// A row may occur twice.
    pub items: Vec<HistoryItem>,
    /// The unread rows of the query with the most of them.
    pub beyond: Remaining,
    pub trouble: Option<ApiError>,
    pub requests: u32,
}

#[derive(Debug)]
pub struct MatchingRows {
    pub rows: Vec<HistoryItem>,
    pub read: ReadTotals,
}

#[derive(Debug)]
pub enum NotMarked {
    TooMany,
    Service(ApiError),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotSearched {
    NoIndex,
    /// lapel cannot read it. The text says why.
    Failed(String),
    NotRead,
}

impl From<IndexError> for NotSearched {
    fn from(why: IndexError) -> Self {
        Self::Failed(why.to_string())
    }
}

#[derive(Debug)]
pub struct IndexRows {
    pub rows: Vec<ExportRow>,
    /// The number of badges in the list, not all of which may be in `rows`.
    pub all: u64,
}

#[derive(Debug)]
pub struct IndexOverview {
    pub sums: Sums,
    pub mail: MailReport,
    pub place: String,
}
