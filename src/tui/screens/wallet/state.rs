//! The state of a look-up: what was asked, and what was found.

use super::by_id::is_unknown;
use super::cert::IndexSearch;
use super::groups;
use super::holder_cache::HolderCache;
use super::people::PeopleMatches;
use crate::domain::address_search::{HistoryProbe, Match};
use crate::domain::call_advice::CallerQuestion;
use crate::jobs::SentAlike;
use crate::tui::prelude::*;
use crate::tui::request::{HolderInJournal, Remaining, TriedPictures};
use jiff::tz::Offset;

/// The badges of a holder, and how much of both lists was read.
#[derive(Default)]
pub(super) struct HolderBadges {
    pub email: String,
    pub held: Vec<HeldBadge>,
    pub arranged: groups::Arrangement,
    /// The badge to select when the list is arranged next.
    pub to_select: Option<BadgeId>,
    pub troubles: Vec<String>,
    /// What the journal has. The sent badges are in neither list; those that the service accepted with an id are among
    /// `held`, too.
    pub journal: HolderInJournal,
    /// The zone of the times of the journal in `held`. `None` before they are noted there.
    pub offset: Option<Offset>,
    /// Whether both lists were read. Only then can lapel tell that a badge is missing from one of them.
    pub both: bool,
    pub complete: bool,
    /// Whether the wallet, and the history, were read at least once.
    pub read: [bool; 2],
    /// Whether the last reading of the wallet, and of the history, failed.
    pub unread: [bool; 2],
    pub total_count: Option<u64>,
    /// When this was read: the older of both lists, if they were read at different times.
    pub read_at: Option<Timestamp>,
    /// Whether some of this was read before, because the last reading failed.
    pub is_kept: bool,
    pub cache: HolderCache,
}

/// A search that is done again, as it was before: it stays if the service cannot be asked.
pub(super) struct EarlierSearch {
    pub call: LookupState,
    pub people: PeopleMatches,
    pub cursor: ListCursor,
}

/// The state of the current look-up. Each look-up begins with a fresh one.
#[derive(Default)]
pub(super) struct LookupState {
    pub query: Option<Query>,
    pub requests: u32,
    pub reading: ListReading,
    /// Whether only a badge's record is shown, with its holder masked and without the wallet.
    pub masked: bool,
    pub wanted: Option<BadgeId>,
    /// Whether the journal could not be read, so that badges may be missing.
    pub lacks_journal: bool,
    /// Why the text of the box cannot be looked up, or why a search failed.
    pub error: Option<String>,
    pub caller: CallerFacts,
    pub by_id: BadgeById,
    pub records: BadgeRecords,
    pub further: FurtherSearch,
    pub not_found: NoBadge,
}

impl LookupState {
    /// What the journal has. If it could not be read, says so once.
    pub fn of_journal<T: Default>(&mut self, found: Result<T, String>, effects: &mut Effects<'_>) -> T {
        found.unwrap_or_else(|why| {
            effects.warn(crate::jobs::not_read(&why).to_string());
            self.lacks_journal = true;
            T::default()
        })
    }
}

/// How the lists of the holder are read.
#[derive(Default)]
pub(super) struct ListReading {
    /// Maximum number of pages of each list.
    pub pages: u64,
    /// Whether they are read again: when that is done, what was read before about single badges is old.
    pub again: bool,
    /// Whether the user stopped it: some of its requests may have been sent, and are not counted.
    pub is_stopped: bool,
}

/// The caller: the name that was typed, and the question.
#[derive(Default)]
pub(super) struct CallerFacts {
    /// The typed name, alone or next to the address.
    pub name: Option<String>,
    /// The number of addresses with that name, if they were counted.
    pub namesakes: usize,
    pub question: Option<CallerQuestion>,
}

/// The look-up of one badge by its id.
#[derive(Default)]
pub(super) struct BadgeById {
    pub id: Option<BadgeId>,
    /// The badge ids that were read, the typed one first.
    pub tried: Vec<BadgeId>,
    /// Whether a row of the history was read for the form of ids.
    pub is_sampled: bool,
    /// Whether the holder's wallet was opened. The journal has a record of it.
    pub is_opened: bool,
    /// Why the record could not be read again.
    pub trouble: Option<String>,
}

/// What was read about single badges.
#[derive(Default)]
pub(super) struct BadgeRecords {
    pub details: HashMap<BadgeId, Result<Box<Badge>, ApiError>>,
    pub pictures: HashMap<BadgeId, TriedPictures>,
}

impl BadgeRecords {
    pub fn detail(&self, id: &BadgeId) -> Option<&Badge> {
        Some(self.details.get(id)?.as_ref().ok()?.as_ref())
    }

    /// The address on the record of a badge.
    pub fn holder_of(&self, id: &BadgeId) -> Option<String> {
        let email = self.detail(id)?.recipient_email.as_ref().filter(|email| !email.looks_empty())?;
        Some(email.wire().to_owned())
    }

    /// Whether nothing could be read of a badge that only the journal knows: neither its record nor all of the lists.
    pub fn is_unread(&self, held: &HeldBadge, both: bool) -> bool {
        held.is_only_sent()
            && match self.details.get(&held.badge_id) {
                Some(Err(error)) => !is_unknown(error),
                _ => !both,
            }
    }
}

/// The search for the caller's badges under other addresses and names, and in the journal.
#[derive(Default)]
pub(super) struct FurtherSearch {
    /// The queries that were sent.
    pub tried: Vec<HistoryProbe>,
    pub index: Option<IndexSearch>,
    pub rows: Vec<HistoryItem>,
    /// The rows that the queries did not read.
    pub beyond: Remaining,
    /// Matches at the domain that the caller may have meant, besides the badges of the address as given.
    pub meant: Vec<Match>,
    /// Badges that were sent from this computer to a name or an address like the searched one, which has no badge: the first
    /// of each job and reason, and their number. `None`: the journal was not searched for them.
    pub sent_alike: Option<Vec<(SentAlike, u64)>>,
    /// The address of the previous look-up, if it found nothing. A name typed next belongs to the same caller.
    pub before: Option<String>,
}

/// The result of a look-up that found no badge.
#[derive(Default)]
pub(super) struct NoBadge {
    pub text: Option<String>,
    /// A badge that was sent from this computer and that the service does not know.
    pub sent: Option<SentHere>,
    /// The search of the index for the text as a certificate number.
    pub certs: Option<IndexSearch>,
}

/// What lapel has learned from rows that it read, for any look-up.
#[derive(Default)]
pub(super) struct LookupHints {
    /// Badges of the history, if lapel has seen their number. It says what reading it costs.
    pub badges: Option<u64>,
    /// The domains of addresses. One of them may be the one that a caller meant.
    pub domains: BTreeSet<String>,
    /// A badge id of the service, for the form of its ids.
    pub sample: Option<BadgeId>,
}

impl LookupHints {
    /// Learns the domains of addresses and the form of badge ids from rows that were read.
    pub fn learn<'a>(&mut self, rows: impl Iterator<Item = &'a HistoryItem>) {
        for row in rows {
            let key = row.recipient_email.as_ref().map(|email| EmailKey::of(email.wire()));
            self.domains.extend(key.as_ref().and_then(EmailKey::domain).map(str::to_owned));
            self.sample.get_or_insert_with(|| row.badge_id.clone());
        }
    }
}

impl HolderBadges {
    /// The sending of a badge that only the journal knows.
    pub fn sent_row(&self, id: &BadgeId) -> Option<&SentHere> {
        self.journal.sent.iter().find(|sent| row_id(sent) == Some(id))
    }

    /// The sent badges that are no rows.
    pub fn sent_besides(&self) -> impl Iterator<Item = &SentHere> {
        self.journal.sent.iter().filter(|sent| row_id(sent).is_none())
    }
}

/// The id of a badge that only the journal knows and that is a row. `None` unless the service accepted it with an id, and
/// it waits.
fn row_id(sent: &SentHere) -> Option<&BadgeId> {
    sent.badge_id.as_ref().filter(|_| sent.row_status.awaits_issue())
}

/// The entry for it.
pub(super) fn own_row(sent: &SentHere) -> Option<HeldBadge> {
    Some(HeldBadge { sent: Some(sent.title.clone()), ..HeldBadge::new(row_id(sent)?.clone()) })
}
