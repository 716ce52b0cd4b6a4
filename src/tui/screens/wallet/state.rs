//! The state of a look-up: what was asked, what was found, and what is still asked.

use super::kept::Computed;
use super::people::PeopleMatches;
use super::{cert, groups};
use crate::domain::StateIs;
use crate::domain::address_search::{HistoryProbe, Match};
use crate::domain::call_advice::CallerQuestion;
use crate::jobs::SentAlike;
use crate::tui::prelude::*;
use crate::tui::worker::index::NotSearched;
use crate::tui::worker::lookup::{Remaining, TriedPictures};
use std::rc::Rc;

#[derive(Default)]
pub(super) struct HolderBadges {
    pub email: String,
    pub held: Vec<HeldBadge>,
    pub arranged: groups::Arrangement,
    pub groups: Rc<Vec<groups::CopyGroup>>,
    /// See [`groups::words`].
    pub copies: Rc<HashMap<BadgeId, String>>,
    /// The badge to select when the list is arranged next.
    pub to_select: Option<BadgeId>,
    pub troubles: Vec<String>,
    /// Badges sent from this computer that are in neither list. Those that the service accepted with an id are among
    /// `held`, too.
    pub sent: Vec<SentHere>,
    pub requested: Rc<HashMap<BadgeId, Timestamp>>,
    /// Whether both lists were read. Only then can lapel tell that a badge is missing from one of them.
    pub both: bool,
    pub complete: bool,
    /// Whether the wallet, and the history, were read at least once.
    pub read: [bool; 2],
    pub failed: bool,
    pub total_count: Option<u64>,
    /// When this was read: the older of both lists, if they were read at different times.
    pub read_at: Option<Timestamp>,
    /// Whether some of this was read before, because the last reading failed.
    pub is_kept: bool,
    pub kept: Computed,
}

/// A search that is done again, as it was before: it stays if the service cannot be asked.
pub(super) struct Earlier {
    pub call: LookupState,
    pub people: PeopleMatches,
    pub cursor: ListCursor,
}

/// The state of the current look-up. Each look-up begins with a fresh one.
#[derive(Default)]
pub(super) struct LookupState {
    pub query: Option<Query>,
    pub requests: u32,
    /// Whether the user stopped the reading: some of its requests may have been sent, and are not in `requests`.
    pub is_stopped: bool,
    /// Maximum number of pages to read of each list.
    pub pages: u64,
    pub by_id: Option<BadgeId>,
    /// Why the record could not be read again.
    pub record_trouble: Option<String>,
    /// Whether the holder is read again: when that is done, what was read before about single badges is old.
    pub again: bool,
    /// The badge ids that were read, the typed one first.
    pub tried_ids: Vec<BadgeId>,
    /// Whether a row of the history was read for the form of ids.
    pub sampled: bool,
    /// Whether only that badge's record is shown, with its holder masked and without the wallet.
    pub masked: bool,
    /// Whether the holder's wallet was opened. The journal has a record of it.
    pub opened: bool,
    pub wanted: Option<BadgeId>,
    /// The copies that are not folded.
    pub unfolded: BTreeSet<groups::GroupKey>,
    /// The caller's name, if it was typed, alone or next to the address.
    pub name: Option<String>,
    /// The number of addresses with that name, if they were counted.
    pub namesakes: usize,
    pub question: Option<CallerQuestion>,
    pub details: HashMap<BadgeId, Result<Box<Badge>, ApiError>>,
    pub pictures: HashMap<BadgeId, TriedPictures>,
    /// The side of the selected badge's picture that is shown in place of the answer.
    pub side: Option<Side>,
    /// The state of the badges that are listed. `None` lists all.
    pub only: Option<StateIs>,
    pub nothing: Option<String>,
    /// Badges that were sent from this computer to a name or an address like the searched one, which has no badge: the first
    /// of each job and reason, and their number. `None`: the journal was not searched for them.
    pub sent_alike: Option<Vec<(SentAlike, u64)>>,
    /// A badge that was sent from this computer and that the service does not know.
    pub unseen: Option<SentHere>,
    pub certs: cert::Certs,
    /// The queries that were sent to find the caller's badges.
    pub tried: Vec<HistoryProbe>,
    /// Whether the index was searched, or why it was not. `None` before that.
    pub index: Option<Result<(), NotSearched>>,
    pub rows: Vec<HistoryItem>,
    /// Whether the journal could not be read, so that badges may be missing.
    pub lacks_journal: bool,
    /// The rows that the queries did not read.
    pub beyond: Remaining,
    /// Matches at the domain that the caller may have meant, besides the badges of the address as given.
    pub meant: Vec<Match>,
    /// The address of the previous look-up, if it found nothing. A name typed next belongs to the same caller.
    pub before: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Front,
    Back,
}

/// What a search for the caller's badges started from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sought {
    /// An address without badges, or one whose badges the user wants to search further for.
    Address(String),
    Name(String),
}

/// The purpose of a request other than that for a holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Lookups {
    /// Searches the index for a certificate number. The text may turn out to be a badge id or a name.
    Cert(Query),
    /// Counts the badges whose record may have a certificate number.
    CertCost(String),
    /// Turns an index on, because there is none.
    CertIndexOn(String),
    /// Reads the history into the index, before the records.
    CertSync(String),
    /// Lists the records that were not read, after that.
    CertIds(String),
    /// Reads those records, up to the one with the number.
    CertRecords(String),
    /// Searches the index again after that.
    CertAgain(String),
    ById(BadgeId),
    /// Searches the journal for a badge that the service does not know.
    SentHere(BadgeId),
    /// Searches the journal for the time of request of a badge whose record has no time of acceptance.
    Requested(BadgeId),
    /// Records in the journal that this badge's holder's wallet is opened.
    Opening(BadgeId),
    /// Records in the journal that the wallet of the possible match at this place is opened.
    OpeningMatch(usize),
    /// Reads the record of a listed badge: for its revoke reason, or because neither list has it.
    Detail(BadgeId),
    Name(String),
    /// Searches the journal for a name or an address like one without a badge, and whether all of the search was possible.
    SentAlike(Sought, bool),
    /// Searches the index for other addresses and names that may be the caller's.
    Index(Sought),
    /// Searches the history for them.
    Further(Sought),
    /// Searches the history for this address at the domain that the caller may have meant.
    Meant(String),
    /// Reads one row of the history, because no badge has this id: the service may write its ids in another form.
    Sample(BadgeId),
    Pictures(BadgeId),
}
