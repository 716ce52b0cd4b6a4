//! One badge by its id: its record, the wallet of its holder, and an id that no badge has.

use super::BUDGET;
use super::lookup::Lookup;
use super::requests::LookupStep;
use super::state::{HolderBadges, own_row};
use crate::domain::mask;
use crate::domain::query::{has_number_form, id_variants, may_be_end_of_id};
use crate::jobs::Disclosure;
use crate::tui::prelude::*;
use crate::tui::request::{HolderInJournal, TriedPictures};

impl Lookup {
    pub(super) fn badge(&mut self, id: BadgeId, effects: &mut Effects<'_>) {
        self.call.by_id.id = Some(id.clone());
        self.call.by_id.tried.push(id.clone());
        self.pending.send(LookupStep::ById(id.clone()), Request::Badge(id), effects);
    }

    /// Opens the wallet of the holder of the badge on the screen. The journal records it first, because the
    /// person who asked about the badge may not be its holder.
    pub(super) fn open_wallet(&mut self, effects: &mut Effects<'_>) {
        let Some(id) = self.call.by_id.id.clone() else { return };
        if self.call.records.holder_of(&id).is_none() {
            effects.say(t!("This record has no e-mail address, so there is no wallet to open."));
            return;
        }
        let command = JobCommand::Opened(Disclosure::WalletOf(id.clone()));
        self.pending.send(LookupStep::Opening(id), Request::Do(Box::new(command)), effects);
    }

    /// Opens it, now that the journal has recorded that.
    pub(super) fn open_holder(&mut self, id: &BadgeId, effects: &mut Effects<'_>) {
        let Some(email) = self.call.records.holder_of(id) else { return };
        self.call.by_id.is_opened = true;
        self.call.masked = false;
        self.list.found = None;
        self.list.leave_search();
        self.holder(&email, effects);
    }

    /// Shows only the record of a badge, with its holder masked and without the wallet, unless that was opened.
    pub(super) fn take_badge(
        &mut self,
        id: BadgeId,
        badge: Result<Badge, ApiError>,
        effects: &mut Effects<'_>,
    ) {
        self.call.requests += 1;
        let badge = match badge {
            Ok(badge) => badge,
            Err(error) => return self.no_badge(&id, &error, effects),
        };
        self.call.records.details.insert(id.clone(), Ok(Box::new(badge.clone())));
        let holder = self.call.records.holder_of(&id).filter(|_| self.call.by_id.is_opened);
        if let Some(email) = holder {
            return self.holder(&email, effects);
        }
        self.call.masked = true;
        let held = vec![masked(badge).into()];
        self.list.found = Some(HolderBadges { held, complete: true, ..HolderBadges::default() });
        self.pending.send(LookupStep::Journal(id.clone()), Request::SentBadge(id), effects);
    }

    /// Shows what the journal has of a badge that the service does not show yet.
    pub(super) fn take_sent_here(
        &mut self,
        id: &BadgeId,
        journal: Result<HolderInJournal, String>,
        effects: &mut Effects<'_>,
    ) {
        let mut journal = self.call.of_journal(journal, effects);
        journal.sent.truncate(1);
        let Some(sent) = journal.sent.first() else { return self.no_such_id(id, effects) };
        let Some(held) = own_row(sent) else {
            self.call.not_found.sent = journal.sent.pop();
            return;
        };
        self.call.by_id.id = Some(held.badge_id.clone());
        self.call.masked = false;
        self.list.found =
            Some(HolderBadges { held: vec![held], journal, complete: true, ..HolderBadges::default() });
        self.list.unsorted = true;
    }

    /// Shows what the journal has of the badge beside its record.
    pub(super) fn take_journal(&mut self, journal: Result<HolderInJournal, String>) {
        // Without the journal, the record is shown as it is.
        self.call.lacks_journal |= journal.is_err();
        if let (Ok(journal), Some(found)) = (journal, &mut self.list.found) {
            // Its record is here.
            found.journal = HolderInJournal { sent: Vec::new(), ..journal };
            self.list.unsorted = true;
        }
    }

    pub(super) fn take_detail(&mut self, id: &BadgeId, badge: Result<Badge, ApiError>) {
        self.call.requests += 1;
        let badge = badge.map(Box::new);
        self.call.records.details.insert(id.clone(), badge.clone());
        let both = self.list.found.as_ref().is_some_and(|found| found.both);
        if let Some(held) = self.list.held_mut(id) {
            held.unread = self.call.records.is_unread(held, both);
            held.detail = badge.ok().or(held.detail.take());
            self.list.unsorted = true;
        }
    }

    pub(super) fn try_pictures(&mut self, effects: &mut Effects<'_>) {
        let Some(held) = self.list.selected() else {
            effects.say(t!("There is no badge here with pictures to check."));
            return;
        };
        let (id, urls) = (held.badge_id.clone(), held.image_urls().map(Option::<&Text>::cloned));
        // An old result is not the answer to a new test.
        self.call.records.pictures.remove(&id);
        self.pending.send(LookupStep::Pictures(id.clone()), Request::TryPictures(id, urls), effects);
    }

    pub(super) fn take_pictures(&mut self, id: BadgeId, mut tried: TriedPictures) {
        self.call.requests += tried.requests;
        if let (Some(badge), Some(held)) = (tried.detail.take(), self.list.held_mut(&id)) {
            held.detail = Some(badge.clone());
            self.list.unsorted = true;
            self.call.records.details.insert(id.clone(), Ok(badge));
        }
        self.call.records.pictures.insert(id, tried);
    }

    /// Handles a badge id that could not be read. If the service does not know it, searches the journal.
    pub(super) fn no_badge(&mut self, id: &BadgeId, error: &ApiError, effects: &mut Effects<'_>) {
        if !is_unknown(error) {
            let why = t!("Badge {id} could not be read: {error}", id = short(id.wire()), error);
            let is_it = |found: &&mut HolderBadges| found.held.iter().any(|held| held.badge_id == *id);
            match self.list.found.as_mut().filter(is_it) {
                // What was read before stays.
                Some(found) => {
                    found.is_kept = true;
                    // The troubles of the lists stay, an earlier one of this record does not.
                    let earlier = self.call.by_id.trouble.replace(why.clone());
                    found.troubles.retain(|one| Some(one) != earlier.as_ref());
                    found.troubles.push(why);
                }
                None => {
                    self.call.by_id.id = None;
                    self.fail(why);
                }
            }
            return;
        }
        self.call.by_id.id = None;
        self.call.records.details.insert(id.clone(), Err(error.clone()));
        self.pending.send(LookupStep::SentHere(id.clone()), Request::SentBadge(id.clone()), effects);
    }

    /// No badge has this id. Tries it as the service writes ids, then the text as a name, unless it is a number or that was
    /// done before.
    pub(super) fn no_such_id(&mut self, id: &BadgeId, effects: &mut Effects<'_>) {
        let typed = match &self.call.query {
            Some(Query::BadgeId(typed)) => typed.wire().to_owned(),
            _ => self.call.by_id.tried.first().unwrap_or(id).wire().to_owned(),
        };
        let has_room = self.call.requests < BUDGET;
        let mut others = id_variants(&typed, self.hints.sample.as_ref());
        others.retain(|other| has_room && !self.call.by_id.tried.contains(other));
        // Another request shows the form of the service's ids.
        let needs_sample =
            self.hints.sample.is_none() && self.call.requests + 1 < BUDGET && may_be_end_of_id(&typed);
        match (others.into_iter().next(), self.call.caller.name.clone()) {
            (Some(other), _) => self.badge(other, effects),
            (None, _) if needs_sample && !self.call.by_id.is_sampled => {
                self.call.by_id.is_sampled = true;
                let paging = Paging { page: 1, rows_per_page: 1, ..Paging::default() };
                let ask = Request::History(HistoryQuery { filter: HistoryFilter::default(), paging });
                self.pending.send(LookupStep::Sample(id.clone()), ask, effects);
            }
            (None, None) if has_number_form(&typed) => {
                self.call.not_found.text =
                    Some(t!("No badge has the id \u{201c}{id}\u{201d}.", id = short(&typed)));
            }
            (None, None) => self.name(typed, effects),
            (None, Some(_)) => self.ask_index(effects),
        }
    }

    /// Reads the record of the selected badge, within `BUDGET`, if the answer or the picture that is shown needs it: the
    /// wallet has only the paths of pictures, the record has their addresses.
    pub(super) fn ask_record(&mut self, for_picture: bool, cx: &UiContext, effects: &mut Effects<'_>) {
        if !self.pending.is_idle() || self.call.requests >= BUDGET {
            return;
        }
        let wanted = self.list.selected().filter(|held| {
            held.detail.is_none()
                && !self.call.records.details.contains_key(&held.badge_id)
                && (wants_record(held, cx.now()) || for_picture)
        });
        if let Some(id) = wanted.map(|held| held.badge_id.clone()) {
            self.pending.send(LookupStep::Detail(id.clone()), Request::Badge(id), effects);
        }
    }
}

/// Whether the service answered that it has no such badge.
pub(super) fn is_unknown(error: &ApiError) -> bool {
    matches!(error, ApiError::NotFound(_) | ApiError::BadInput { .. })
}

/// A copy that anyone may see: without address and mail status, and with the name masked, also where a person wrote it.
fn masked(mut badge: Badge) -> Badge {
    let name = badge.recipient_name.clone().unwrap_or_default();
    let shown = name.to_string();
    for text in [&mut badge.revoke_reason, &mut badge.description].into_iter().flatten() {
        *text = Text::new(mask::text(text.wire(), &[name.wire(), shown.as_str()]));
    }
    badge.recipient_name = badge.recipient_name.map(|name| Text::new(mask::name(name.wire())));
    badge.recipient_email = None;
    badge.email_status = None;
    badge
}

/// Whether the answer needs the record: for the revoke reason, or because neither list has the badge. For other states, a
/// caller needs no further data.
fn wants_record(held: &HeldBadge, now: DateTime) -> bool {
    held.is_only_sent() || matches!(held.verdict(now).state(), State::Revoked | State::Revoking)
}
