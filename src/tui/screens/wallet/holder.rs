//! The wallet and the history of one holder: how much of them is read, and what stays of an earlier reading.

use super::lookup::Lookup;
use super::state::{BadgeRecords, HolderBadges, LookupState, own_row};
use super::{FIRST_PAGES, MOST_PAGES};
use crate::api::MAX_ROWS_PER_PAGE;
use crate::domain::holder::join;
use crate::tui::prelude::*;
use crate::tui::request::HolderLists;

impl Lookup {
    pub(super) fn holder(&mut self, email: &str, effects: &mut Effects<'_>) {
        self.earlier = None;
        self.asked = Some(email.to_owned());
        (self.call.reading.pages, self.call.reading.again) = (FIRST_PAGES, false);
        self.read(email.to_owned(), effects);
    }

    pub(super) fn read(&mut self, email: String, effects: &mut Effects<'_>) {
        effects.request_instead(&mut self.pending.holder, Request::Holder(email, self.call.reading.pages));
    }

    /// The number of badges read, and of those in the wallet if that is more, while not all were read.
    pub(super) fn left_to_read(&self) -> Option<(u64, Option<u64>)> {
        let is_known = |found: &&HolderBadges| found.troubles.is_empty() || found.is_kept;
        let found = self.list.found.as_ref().filter(is_known).filter(|found| !found.complete)?;
        let read = found.whole().in_wallet;
        Some((read, found.total_count.filter(|total| *total > read)))
    }

    /// Whether the user can have more of the wallet read.
    pub(super) fn can_read_on(&self) -> bool {
        self.left_to_read().is_some() && (self.call.reading.pages < MOST_PAGES || self.failed_to_read_on())
    }

    fn failed_to_read_on(&self) -> bool {
        let asked = self.call.reading.pages * u64::from(MAX_ROWS_PER_PAGE);
        self.list.found.as_ref().is_some_and(|found| found.is_kept && found.whole().in_wallet < asked)
    }

    /// Reads ten times as much of a wallet that is longer than what was read, from its first page, because the list
    /// may have changed.
    pub(super) fn read_on(&mut self, email: String, effects: &mut Effects<'_>) {
        if !self.failed_to_read_on() {
            self.call.reading.pages = (self.call.reading.pages * 10).min(MOST_PAGES);
        }
        self.read(email, effects);
    }

    pub(super) fn take_holder(&mut self, holder: HolderLists, effects: &mut Effects<'_>) {
        self.forget_old_records(&holder);
        let selected =
            self.list.selected().map(|held| held.badge_id.clone()).or_else(|| self.call.by_id.id.clone());
        let selected = selected.or_else(|| self.call.wanted.take());
        let email = self.asked.clone().unwrap_or_default();
        // What could not be read again stays as it was read, if it is the same person's.
        let before = self.list.found.take().filter(|found| found.email == email).unwrap_or_default();
        let found = HolderBadges { to_select: selected.clone(), email, ..self.merged(holder, before) };
        let nothing = found.held.is_empty()
            && found.troubles.is_empty()
            && found.complete
            && found.journal.sent.is_empty();
        self.list.found = Some(found);
        self.list.fitting = None;
        self.list.unsorted = true;
        if !self.list.is_choosing() {
            self.list.select_badge(selected.as_ref());
        }
        if self.list.people.is_some() || self.pending.step.is_some() {
            return;
        }
        if nothing && !self.leads_left().is_empty() {
            self.ask_index(effects);
        } else if !self.list.held().is_empty() {
            self.search_meant(effects);
        }
    }

    /// After the user had the holder read again: what was read before about single badges is old.
    fn forget_old_records(&mut self, holder: &HolderLists) {
        if !std::mem::take(&mut self.call.reading.again) || holder.history.is_err() {
            return;
        }
        self.call.records = BadgeRecords::default();
        if holder.wallet.is_ok() && self.list.held().is_empty() {
            // The search for other addresses is repeated, too.
            self.list.people = None;
            self.call.further.tried.clear();
            self.call.further.rows.clear();
            self.call.further.index = None;
        }
    }

    /// What was read now, and what was read before where that failed.
    fn merged(&mut self, holder: HolderLists, before: HolderBadges) -> HolderBadges {
        let (wallet, history) = (holder.wallet, holder.history);
        let failures = [wallet.as_ref().err(), history.as_ref().err()];
        self.call.requests += holder.requests;
        self.call.reading.is_stopped = failures.contains(&Some(&ApiError::Cancelled));
        let mut troubles = troubles(failures);
        let of_wallet = || before.held.iter().filter_map(|held| held.wallet.clone()).collect::<Vec<_>>();
        let of_history = || before.held.iter().filter_map(|held| held.history.clone()).collect::<Vec<_>>();
        let unread = [wallet.is_err(), history.is_err()];
        let kept_wallet = unread[0].then(of_wallet).unwrap_or_default();
        let kept_history = unread[1].then(of_history).unwrap_or_default();
        let is_kept = !kept_wallet.is_empty() || !kept_history.is_empty();
        let read = [!unread[0] || before.read[0], !unread[1] || before.read[1]];
        let complete = wallet.as_ref().map_or(true, |(_, all)| *all)
            && history.as_ref().map_or(true, |(_, all)| *all)
            && (!is_kept || before.complete);
        let total_count = holder.total_count.or(before.total_count.filter(|_| !kept_wallet.is_empty()));
        let items_of_wallet = wallet.map_or(kept_wallet, |(items, _)| items);
        let items_of_history = history.map_or(kept_history, |(items, _)| items);
        let mut journal = holder.journal.unwrap_or_else(|why| {
            troubles.push(crate::jobs::not_read(&why).to_string());
            self.call.lacks_journal = true;
            before.journal
        });
        self.hints.learn(items_of_history.iter());
        self.hints.domains.extend(holder.domains);
        // Of lists that were not read to their end, nothing can be said to be missing.
        let both = troubles.is_empty() && complete;
        let mut held = join(items_of_wallet, items_of_history);
        self.call.add_unlisted(&mut held, &mut journal.sent);
        for one in &mut held {
            one.unread = self.call.records.is_unread(one, both);
        }
        HolderBadges {
            held,
            troubles,
            journal,
            both,
            complete,
            read,
            unread,
            total_count,
            read_at: before.read_at.filter(|_| is_kept),
            is_kept,
            ..HolderBadges::default()
        }
    }
}

impl LookupState {
    /// Adds the badges that neither list has: those that only the journal knows, and the one that was found by its id.
    /// `sent` keeps those that are in neither list.
    fn add_unlisted(&self, held: &mut Vec<HeldBadge>, sent: &mut Vec<SentHere>) {
        let shown: HashSet<&BadgeId> = held.iter().map(|one| &one.badge_id).collect();
        sent.retain(|one| one.badge_id.as_ref().is_none_or(|id| !shown.contains(id)));
        let mut known = HashSet::new();
        let own = sent.iter().filter_map(own_row).filter(|one| known.insert(one.badge_id.clone()));
        held.splice(0..0, own.collect::<Vec<_>>());
        for one in held.iter_mut() {
            if let Some(badge) = self.records.detail(&one.badge_id) {
                one.detail = Some(Box::new(badge.clone()));
            }
        }
        if let Some(id) = &self.by_id.id
            && held.iter().all(|one| one.badge_id != *id)
            && let Some(badge) = self.records.detail(id)
        {
            held.insert(0, badge.clone().into());
        }
    }
}

/// Why the wallet, and the history, could not be read.
fn troubles(failures: [Option<&ApiError>; 2]) -> Vec<String> {
    match failures {
        [Some(one), Some(other)] if one == other => {
            vec![t!("the wallet and the history could not be read: {error}", error = one)]
        }
        [of_wallet, of_history] => of_wallet
            .map(|error| t!("the wallet could not be read: {error}", error))
            .into_iter()
            .chain(of_history.map(|error| t!("the history could not be read: {error}", error)))
            .collect(),
    }
}
