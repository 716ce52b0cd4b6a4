//! The list of the Wallet tab: a holder's badges, or the possible matches of a search.

use super::groups::GroupKey;
use super::people::PeopleMatches;
use super::state::HolderBadges;
use crate::domain::StateIs;
use crate::domain::address_search::Match;
use crate::tui::prelude::*;
use crate::tui::widgets::table_header::Heading;

/// What is listed, in which order and how far it is narrowed, and the selected row.
#[derive(Default)]
pub(super) struct WalletList {
    pub found: Option<HolderBadges>,
    pub people: Option<PeopleMatches>,
    pub heading: Heading,
    pub cursor: ListCursor,
    pub search: Search,
    /// The state of the badges that are listed. `None` lists all.
    pub only: Option<StateIs>,
    /// Places of the rows that the search finds. `None`: all rows are listed.
    pub fitting: Option<Vec<usize>>,
    /// The copies that are not folded.
    pub unfolded: BTreeSet<GroupKey>,
    /// Whether the badges or their order have changed, so that the rows need a new order and a new search.
    pub unsorted: bool,
    /// Whether the text of the search has changed, so that the rows need a new search.
    pub unsearched: bool,
}

impl WalletList {
    pub fn clear(&mut self) {
        (self.found, self.people, self.only) = (None, None, None);
        self.unfolded.clear();
        self.heading.close();
        self.cursor = ListCursor::default();
        self.end_search();
    }

    pub fn held(&self) -> &[HeldBadge] {
        self.found.as_ref().map_or(&[], |f| f.held.as_slice())
    }

    pub fn held_mut(&mut self, id: &BadgeId) -> Option<&mut HeldBadge> {
        self.found.as_mut()?.held.iter_mut().find(|held| held.badge_id == *id)
    }

    /// The possible matches, while the user selects from them instead of from the badges.
    pub fn choice(&self) -> Option<&PeopleMatches> {
        self.people.as_ref().filter(|people| people.opened.is_none())
    }

    /// The selected one of them.
    pub fn selected_match(&self) -> Option<&Match> {
        self.choice()?.matches.get(self.unnarrowed(self.cursor.at())?)
    }

    pub fn is_choosing(&self) -> bool {
        self.choice().is_some()
    }

    /// Whether the screen lists badges, and not possible matches.
    pub fn is_listing(&self) -> bool {
        !self.is_choosing() && !self.held().is_empty()
    }

    /// The number of matches, or of badges and folded copies, also if a search does not find them.
    pub fn all(&self) -> usize {
        let order = self.found.as_ref().and_then(|found| found.arranged.order.as_ref());
        let badges = order.map_or(self.held().len(), Vec::len);
        self.choice().map_or(badges, |people| people.matches.len())
    }

    pub fn len(&self) -> usize {
        self.fitting.as_ref().map_or(self.all(), Vec::len)
    }

    /// The place of a listed row among all rows.
    pub fn unnarrowed(&self, place: usize) -> Option<usize> {
        self.fitting.as_ref().map_or(Some(place), |fitting| fitting.get(place).copied())
    }

    /// The listed badges in their order. None is listed while possible matches are shown.
    pub fn rows(&self) -> impl Iterator<Item = &HeldBadge> {
        (0..self.len()).filter_map(|place| self.row(place))
    }

    pub fn row(&self, place: usize) -> Option<&HeldBadge> {
        self.held().get(self.index(place)?)
    }

    pub fn selected(&self) -> Option<&HeldBadge> {
        self.row(self.cursor.at())
    }

    /// The index of a listed badge among all.
    pub fn index(&self, place: usize) -> Option<usize> {
        let found = self.found.as_ref().filter(|_| !self.is_choosing())?;
        let place = self.unnarrowed(place)?;
        found.arranged.order.as_ref().map_or(Some(place), |order| order.get(place).copied())
    }

    /// Selects this badge. If it is not listed, the cursor stays where it is.
    pub fn select_badge(&mut self, id: Option<&BadgeId>) {
        let place = self.rows().position(|held| Some(&held.badge_id) == id);
        self.select_place(place);
    }

    pub fn select_place(&mut self, place: Option<usize>) {
        self.cursor.select(place.unwrap_or(self.cursor.at()).min(self.len().saturating_sub(1)));
    }
}
