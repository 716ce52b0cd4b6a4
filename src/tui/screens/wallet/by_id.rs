//! One badge by its id: its record, the wallet of its holder, and an id that no badge has.

use super::{BUDGET, HolderBadges, Lookups, Sought, Wallet, alone, wants_record};
use crate::domain::query::{has_number_form, id_variants, may_be_end_of_id};
use crate::jobs::Disclosure;
use crate::tui::prelude::*;
use std::rc::Rc;

impl Wallet {
    pub(super) fn badge(&mut self, id: BadgeId, effects: &mut Effects<'_>) {
        self.call.by_id = Some(id.clone());
        self.call.tried_ids.push(id.clone());
        self.send(Lookups::ById(id.clone()), Request::Badge(id), effects);
    }

    /// Opens the wallet of the holder of the badge on the screen. The journal records it first, because the
    /// person who asked about the badge may not be its holder.
    pub(super) fn open_wallet(&mut self, effects: &mut Effects<'_>) {
        let Some(id) = self.call.by_id.clone() else { return };
        if self.holder_of(&id).is_none() {
            effects.say(t!("This record has no e-mail address, so there is no wallet to open."));
            return;
        }
        let command = JobCommand::Opened(Disclosure::WalletOf(id.clone()));
        self.send(Lookups::Opening(id), Request::Do(Box::new(command)), effects);
    }

    pub(super) fn holder_of(&self, id: &BadgeId) -> Option<String> {
        let badge = self.call.details.get(id)?.as_ref().ok()?;
        let email = badge.recipient_email.as_ref().filter(|email| !email.looks_empty())?;
        Some(email.wire().to_owned())
    }

    /// Shows only the record of a badge, with its holder masked and without the wallet.
    pub(super) fn only(&mut self, badge: crate::domain::Badge) {
        self.call.masked = true;
        let held = vec![alone(badge)];
        self.found = Some(HolderBadges { held, complete: true, ..HolderBadges::default() });
    }

    /// Shows what the journal has of a badge that the service does not show yet.
    pub(super) fn show_own(&mut self, held: HeldBadge, sent: SentHere) {
        self.call.by_id = Some(held.badge_id.clone());
        self.call.masked = false;
        self.found = Some(HolderBadges {
            requested: Rc::new(HashMap::from([(held.badge_id.clone(), sent.at)])),
            held: vec![held],
            sent: vec![sent],
            complete: true,
            ..HolderBadges::default()
        });
        self.unsorted = true;
    }

    /// Handles a badge id that could not be read. If the service does not know it, searches the journal.
    pub(super) fn no_badge(&mut self, id: &BadgeId, error: &ApiError, effects: &mut Effects<'_>) {
        if !is_unknown(error) {
            let why = t!("Badge {id} could not be read: {error}", id = short(id.wire()), error);
            let is_it = |found: &&mut HolderBadges| found.held.iter().any(|held| held.badge_id == *id);
            match self.found.as_mut().filter(is_it) {
                // What was read before stays.
                Some(found) => {
                    found.is_kept = true;
                    // The troubles of the lists stay, an earlier one of this record does not.
                    let earlier = self.call.record_trouble.replace(why.clone());
                    found.troubles.retain(|one| Some(one) != earlier.as_ref());
                    found.troubles.push(why);
                }
                None => {
                    self.call.by_id = None;
                    self.fail(why);
                }
            }
            return;
        }
        self.call.by_id = None;
        self.call.details.insert(id.clone(), Err(error.clone()));
        self.send(Lookups::SentHere(id.clone()), Request::SentBadge(id.clone()), effects);
    }

    /// No badge has this id. Tries it as the service writes ids, then the text as a name, unless it is a number or that was
    /// done before.
    pub(super) fn no_such_id(&mut self, id: &BadgeId, effects: &mut Effects<'_>) {
        let typed = match &self.call.query {
            Some(Query::BadgeId(typed)) => typed.wire().to_owned(),
            _ => self.call.tried_ids.first().unwrap_or(id).wire().to_owned(),
        };
        let has_room = self.call.requests < BUDGET;
        let mut others = id_variants(&typed, self.sample.as_ref());
        others.retain(|other| has_room && !self.call.tried_ids.contains(other));
        // Another request shows the form of the service's ids.
        let needs_sample =
            self.sample.is_none() && self.call.requests + 1 < BUDGET && may_be_end_of_id(&typed);
        match (others.into_iter().next(), self.call.name.clone()) {
            (Some(other), _) => self.badge(other, effects),
            (None, _) if needs_sample && !self.call.sampled => {
                self.call.sampled = true;
                let paging = Paging { page: 1, rows_per_page: 1, ..Paging::default() };
                let ask = Request::History(HistoryQuery { filter: HistoryFilter::default(), paging });
                self.send(Lookups::Sample(id.clone()), ask, effects);
            }
            (None, None) if has_number_form(&typed) => {
                self.call.nothing = Some(t!("No badge has the id \u{201c}{id}\u{201d}.", id = short(&typed)));
            }
            (None, None) => self.name(typed, effects),
            (None, Some(name)) => self.ask_index(Sought::Name(name), effects),
        }
    }

    /// Reads the record of the selected badge, within `BUDGET`, if the answer or the picture that is shown needs it: the
    /// wallet has only the paths of pictures, the record has their addresses.
    pub(super) fn ask_record(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        if self.request.is_some() || self.lookup.is_some() || self.call.requests >= BUDGET {
            return;
        }
        let wanted = self.selected().filter(|held| {
            held.detail.is_none()
                && !self.call.details.contains_key(&held.badge_id)
                && (wants_record(held, cx.now()) || self.call.side.is_some())
        });
        if let Some(id) = wanted.map(|held| held.badge_id.clone()) {
            self.send(Lookups::Detail(id.clone()), Request::Badge(id), effects);
        }
    }
}

/// Whether the service answered that it has no such badge.
pub(super) fn is_unknown(error: &ApiError) -> bool {
    matches!(error, ApiError::NotFound(_) | ApiError::BadInput { .. })
}
