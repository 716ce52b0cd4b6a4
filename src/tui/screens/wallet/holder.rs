//! The wallet and the history of one holder: how much of them is read, and what stays of an earlier reading.

use super::by_id::is_unknown;
use super::{FIRST_PAGES, HolderBadges, MOST_PAGES, Sought, Wallet, alone, own_row};
use crate::api::MAX_ROWS_PER_PAGE;
use crate::domain::holder::join;
use crate::tui::prelude::*;
use crate::tui::request::HolderLists;
use std::rc::Rc;

impl Wallet {
    pub(super) fn holder(&mut self, email: &str, effects: &mut Effects<'_>) {
        self.earlier = None;
        self.asked = Some(email.to_owned());
        (self.call.pages, self.call.again) = (FIRST_PAGES, false);
        self.read(email.to_owned(), effects);
    }

    pub(super) fn read(&mut self, email: String, effects: &mut Effects<'_>) {
        effects.request_instead(&mut self.request, Request::Holder(email, self.call.pages));
    }

    /// The number of badges read, and of those in the wallet if that is more, while not all were read.
    pub(super) fn left_to_read(&self) -> Option<(u64, Option<u64>)> {
        let is_known = |found: &&HolderBadges| found.troubles.is_empty() || found.is_kept;
        let found = self.found.as_ref().filter(is_known).filter(|found| !found.complete)?;
        let read = found.whole().in_wallet;
        Some((read, found.total_count.filter(|total| *total > read)))
    }

    /// Whether the user can have more of the wallet read.
    pub(super) fn can_read_on(&self) -> bool {
        self.left_to_read().is_some() && (self.call.pages < MOST_PAGES || self.failed_to_read_on())
    }

    fn failed_to_read_on(&self) -> bool {
        let asked = self.call.pages * u64::from(MAX_ROWS_PER_PAGE);
        self.found.as_ref().is_some_and(|found| found.is_kept && found.whole().in_wallet < asked)
    }

    /// Reads ten times as much of a wallet that is longer than what was read, from its first page, because the list
    /// may have changed.
    pub(super) fn read_on(&mut self, email: String, effects: &mut Effects<'_>) {
        if !self.failed_to_read_on() {
            self.call.pages = (self.call.pages * 10).min(MOST_PAGES);
        }
        self.read(email, effects);
    }

    pub(super) fn take_holder(&mut self, holder: HolderLists, effects: &mut Effects<'_>) {
        let (wallet, history) = (holder.wallet, holder.history);
        let mut troubles: Vec<String> = match (wallet.as_ref().err(), history.as_ref().err()) {
            (Some(one), Some(other)) if one == other => {
                vec![t!("the wallet and the history could not be read: {error}", error = one)]
            }
            (of_wallet, of_history) => of_wallet
                .map(|error| t!("the wallet could not be read: {error}", error))
                .into_iter()
                .chain(of_history.map(|error| t!("the history could not be read: {error}", error)))
                .collect(),
        };
        let is_again = std::mem::take(&mut self.call.again);
        if is_again && history.is_ok() {
            self.call.details.clear();
            self.call.pictures.clear();
        }
        if is_again && wallet.is_ok() && history.is_ok() && self.held().is_empty() {
            // The search for other addresses is repeated, too.
            self.people = None;
            self.choosing = false;
            self.call.tried.clear();
            self.call.rows.clear();
            self.call.index = None;
        }
        let selected = self.selected().map(|held| held.badge_id.clone()).or_else(|| self.call.by_id.clone());
        let selected = selected.or_else(|| self.call.wanted.take());
        let email = self.asked.clone().unwrap_or_default();
        // What could not be read again stays as it was read, if it is the same person's.
        let before = self.found.take().filter(|found| found.email == email).unwrap_or_default();
        let of_wallet = || before.held.iter().filter_map(|held| held.wallet.clone()).collect::<Vec<_>>();
        let of_history = || before.held.iter().filter_map(|held| held.history.clone()).collect::<Vec<_>>();
        let kept_wallet = wallet.is_err().then(of_wallet).unwrap_or_default();
        let kept_history = history.is_err().then(of_history).unwrap_or_default();
        let is_kept = !kept_wallet.is_empty() || !kept_history.is_empty();
        let read = [wallet.is_ok() || before.read[0], history.is_ok() || before.read[1]];
        let complete = wallet.as_ref().map_or(true, |(_, all)| *all)
            && history.as_ref().map_or(true, |(_, all)| *all)
            && (!is_kept || before.complete);
        let total_count = holder.total_count.or(before.total_count.filter(|_| !kept_wallet.is_empty()));
        self.call.requests += holder.requests;
        self.call.is_stopped =
            [wallet.as_ref().err(), history.as_ref().err()].contains(&Some(&ApiError::Cancelled));
        let failed = wallet.is_err() && history.is_err();
        let items_of_wallet = wallet.map_or(kept_wallet, |(items, _)| items);
        let items_of_history = history.map_or(kept_history, |(items, _)| items);
        let (sent, requested) = match holder.sent {
            Ok(sent) => (sent, Rc::new(holder.requested)),
            Err(why) => {
                troubles.push(crate::jobs::not_read(&why).to_string());
                self.call.lacks_journal = true;
                (before.sent, before.requested)
            }
        };
        self.learn(items_of_history.iter());
        self.domains.extend(holder.domains);
        let mut held = join(items_of_wallet, items_of_history);
        let shown: HashSet<&BadgeId> = held.iter().map(|one| &one.badge_id).collect();
        let is_shown = |one: &SentHere| one.badge_id.as_ref().is_some_and(|id| shown.contains(id));
        let sent: Vec<SentHere> = sent.into_iter().filter(|one| !is_shown(one)).collect();
        let mut known = HashSet::new();
        let own = sent.iter().filter_map(own_row).filter(|one| known.insert(one.badge_id.clone()));
        held.splice(0..0, own.collect::<Vec<_>>());
        for one in &mut held {
            if let Some(Ok(badge)) = self.call.details.get(&one.badge_id) {
                one.detail = Some(badge.clone());
            }
        }
        // A badge that can be read by its id may be missing from both lists.
        if let Some(id) = &self.call.by_id
            && held.iter().all(|one| one.badge_id != *id)
            && let Some(Ok(badge)) = self.call.details.get(id)
        {
            held.insert(0, alone((**badge).clone()));
        }
        // Of lists that were not read to their end, nothing can be said to be missing.
        let both = troubles.is_empty() && complete;
        for one in &mut held {
            one.unread = self.is_unread(one, both);
        }
        let nothing = held.is_empty() && troubles.is_empty() && complete && sent.is_empty();
        self.found = Some(HolderBadges {
            email,
            held,
            to_select: selected.clone(),
            troubles,
            sent,
            requested,
            both,
            complete,
            read,
            failed,
            total_count,
            read_at: before.read_at.filter(|_| is_kept),
            is_kept,
            ..HolderBadges::default()
        });
        self.fitting = None;
        self.unsorted = true;
        if !self.choosing {
            let place = self.rows().position(|one| Some(&one.badge_id) == selected.as_ref());
            self.cursor.select(place.unwrap_or(self.cursor.at()).min(self.len().saturating_sub(1)));
        }
        if nothing && self.people.is_none() && self.lookup.is_none() && !self.leads_left().is_empty() {
            let address = self.asked.clone().unwrap_or_default();
            self.ask_index(Sought::Address(address), effects);
        } else if !self.held().is_empty() && self.people.is_none() && self.lookup.is_none() {
            let address = self.asked.clone().unwrap_or_default();
            self.search_meant(&address, effects);
        }
    }

    /// Whether nothing could be read of a badge that only the journal knows: neither its record nor all of the lists.
    pub(super) fn is_unread(&self, held: &HeldBadge, both: bool) -> bool {
        held.is_only_sent()
            && match self.call.details.get(&held.badge_id) {
                Some(Err(error)) => !is_unknown(error),
                _ => !both,
            }
    }
}
