//! The steps of a look-up: from the input to a holder's badges, with few requests.

use super::people::PreviousSearch;
use super::search::{OF_HOLDER, grouped};
use super::{
    BUDGET, Earlier, FIRST_PAGES, HolderBadges, LookupState, Lookups, MOST_PAGES, Sought, Wallet, alone,
    cert, masked, own_row, wants_record,
};
use crate::domain::address_search::MatchReason;
use crate::domain::holder::join;
use crate::domain::query::{has_number_form, id_variants, may_be_end_of_id};
use crate::jobs::Disclosure;
use crate::tui::input::list_hit::ListCursor;
use crate::tui::persist::input_history::InputKind;
use crate::tui::prelude::*;
use crate::tui::request::HolderLists;
use crate::tui::widgets::field::RecentInputs;
use crate::tui::worker::lookup::Remaining;
use std::rc::Rc;

impl Wallet {
    pub(super) fn forget(&mut self, out: &mut Effects<'_>) {
        out.begin_anew();
        out.cancel(self.request.take());
        out.cancel(self.lookup.take().map(|(request, _)| request));
        let nothing = self.found.as_ref().filter(|f| f.held.is_empty() && !f.email.is_empty());
        self.call = LookupState { before: nothing.map(|f| f.email.clone()), ..LookupState::default() };
        self.earlier = None;
        self.people = None;
        self.choosing = false;
        self.found = None;
        self.asked = None;
        self.error = None;
        self.heading.close();
        self.recent = RecentInputs::default();
        self.cursor = ListCursor::default();
        self.end_search();
    }

    pub(super) fn take_box(&mut self, out: &mut Effects<'_>) {
        let query = Query::read(self.field.value());
        match &query {
            Query::Nothing => {
                out.say(t!("Type or paste an e-mail address, a name or a badge id first."));
                return;
            }
            Query::NotAnAddress(problem) => {
                self.error = Some(t!("{problem} No request was sent.", problem = problem.ended()));
                // The caller spells it again: the next paste replaces it.
                self.field.select();
                return;
            }
            Query::Address { .. } | Query::BadgeId(_) | Query::Name { .. } => {}
        }
        self.set_aside.retain(|line| line != self.field.value().trim());
        let typed = match &query {
            Query::Address { address, .. } => address.as_str(),
            _ => self.field.value(),
        };
        out.typed.push((InputKind::LookUp, typed.to_owned()));
        self.typing = false;
        self.is_edited = false;
        self.start(query, out);
    }

    fn start(&mut self, query: Query, out: &mut Effects<'_>) {
        self.forget(out);
        self.call.query = Some(query.clone());
        if cert::may_be(&query) {
            self.ask_cert(query, out);
        } else {
            self.go_on(query, out);
        }
    }

    pub(super) fn go_on(&mut self, query: Query, out: &mut Effects<'_>) {
        match query {
            Query::Address { address, name } => {
                self.call.name = name;
                self.show_in_box(address.as_str());
                self.holder(address.as_str(), out);
            }
            Query::BadgeId(id) => self.badge(id, out),
            Query::Name { name, .. } => self.name(name, out),
            Query::Nothing | Query::NotAnAddress(_) => {}
        }
    }

    pub(super) fn has_asked(&self) -> bool {
        self.asked.is_some() || self.call.by_id.is_some() || self.call.query.is_some()
    }

    pub(super) fn read_again(&mut self, out: &mut Effects<'_>) {
        self.error = None;
        match (self.asked.clone(), self.call.by_id.clone(), self.call.query.clone()) {
            (_, Some(id), _) => {
                self.call.requests = 0;
                self.badge(id, out);
            }
            (Some(email), None, _) => {
                self.call.requests = 0;
                self.call.again = true;
                self.read(email, out);
            }
            (None, None, Some(query)) => {
                let people = self.people.take();
                let (call, cursor) = (std::mem::take(&mut self.call), std::mem::take(&mut self.cursor));
                self.start(query, out);
                self.earlier = people.map(|people| Box::new(Earlier { call, people, cursor }));
            }
            (None, None, None) => {
                out.say(t!("There is nothing to refresh: nothing was looked up here yet."));
            }
        }
    }

    /// Looks again what the journal has, if it could not be read. `was_closed`: no look-up has read it. While a text is
    /// typed, only the lists of an address are read again, because another look-up would begin anew.
    pub fn journal_is_back(&mut self, was_closed: bool, out: &mut Effects<'_>) {
        let lacks_it = std::mem::take(&mut self.call.lacks_journal) || was_closed && self.has_asked();
        // A long wallet costs many requests, so only the user reads it again.
        if !lacks_it || self.call.pages > FIRST_PAGES {
            return;
        }
        match self.asked.clone() {
            Some(email) => self.read(email, out),
            None if !self.typing => self.read_again(out),
            None => self.call.lacks_journal = true,
        }
    }

    pub(super) fn send(&mut self, what: Lookups, ask: Request, out: &mut Effects<'_>) {
        out.cancel(self.lookup.take().map(|(request, _)| request));
        self.progress = None;
        self.lookup = Some((out.ask(ask), what));
    }

    /// Says why a search failed. A list of people from before stays.
    pub(super) fn fail(&mut self, why: String) {
        if let Some(earlier) = self.earlier.take() {
            let Earlier { call, people, cursor } = *earlier;
            self.call = LookupState { requests: self.call.requests, ..call };
            (self.people, self.cursor, self.choosing) = (Some(people), cursor, true);
        }
        match &mut self.people {
            Some(people) if self.choosing => people.trouble = Some(why),
            _ => self.error = Some(why),
        }
    }

    pub(super) fn holder(&mut self, email: &str, out: &mut Effects<'_>) {
        self.earlier = None;
        self.asked = Some(email.to_owned());
        (self.call.pages, self.call.again) = (FIRST_PAGES, false);
        self.read(email.to_owned(), out);
    }

    fn read(&mut self, email: String, out: &mut Effects<'_>) {
        out.ask_instead(&mut self.request, Request::Holder(email, self.call.pages));
    }

    /// The number of badges read, and of those in the wallet if that is more, while not all were read.
    pub(super) fn left_to_read(&self) -> Option<(u64, Option<u64>)> {
        let found = self.found.as_ref().filter(|found| found.troubles.is_empty() && !found.complete)?;
        let read = found.whole().in_wallet;
        Some((read, found.total_count.filter(|total| *total > read)))
    }

    /// Whether the user can have more of the wallet read.
    pub(super) fn can_read_on(&self) -> bool {
        self.left_to_read().is_some() && self.call.pages < MOST_PAGES
    }

    /// Reads ten times as much of a wallet that is longer than what was read, from its first page, because the list
    /// may have changed.
    pub(super) fn read_on(&mut self, email: String, out: &mut Effects<'_>) {
        self.call.pages = (self.call.pages * 10).min(MOST_PAGES);
        self.read(email, out);
    }

    pub(super) fn badge(&mut self, id: BadgeId, out: &mut Effects<'_>) {
        self.call.by_id = Some(id.clone());
        self.call.tried_ids.push(id.clone());
        self.send(Lookups::ById(id.clone()), Request::Badge(id), out);
    }

    /// Opens the wallet of the holder of the badge on the screen. The journal records it first, because the
    /// person who asked about the badge may not be its holder.
    pub(super) fn open_wallet(&mut self, out: &mut Effects<'_>) {
        let Some(id) = self.call.by_id.clone() else { return };
        if self.holder_of(&id).is_none() {
            out.say(t!("This record has no e-mail address, so there is no wallet to open."));
            return;
        }
        let command = JobCommand::Opened(Disclosure::WalletOf(id.clone()));
        self.send(Lookups::Opening(id), Request::Do(Box::new(command)), out);
    }

    fn holder_of(&self, id: &BadgeId) -> Option<String> {
        let badge = self.call.details.get(id)?.as_ref().ok()?;
        let email = badge.recipient_email.as_ref().filter(|email| !email.looks_empty())?;
        Some(email.wire().to_owned())
    }

    /// Opens the selected match. The journal records first that a match was opened, but not whose address it was.
    pub(super) fn record_match(&mut self, out: &mut Effects<'_>) {
        let Some(at) = self.unnarrowed(self.cursor.at()) else { return };
        let command = JobCommand::Opened(Disclosure::Match);
        self.send(Lookups::OpeningMatch(at), Request::Do(Box::new(command)), out);
    }

    fn open_match(&mut self, at: usize, out: &mut Effects<'_>) {
        let Some(people) = &mut self.people else { return };
        let Some(one) = people.matches.get(at) else { return };
        people.at = at;
        let email = one.address.wire().to_owned();
        let by_id = self.call.by_id.take();
        people.origin = PreviousSearch { asked: self.asked.take(), found: self.found.take(), by_id };
        self.choosing = false;
        self.call.namesakes = people.namesakes;
        self.call.nothing = None;
        self.call.unseen = None;
        self.cursor = ListCursor::default();
        self.leave_search();
        self.show_in_box(&email);
        self.holder(&email, out);
    }

    /// Goes from an opened match to the list of matches, and from there to the earlier result.
    pub(super) fn back(&mut self, out: &mut Effects<'_>) {
        out.cancel(self.request.take());
        out.cancel(self.lookup.take().map(|(request, _)| request));
        (self.call.namesakes, self.call.again) = (0, false);
        if self.choosing {
            self.people = None;
            self.choosing = false;
            self.cursor = ListCursor::default();
        } else if let Some(people) = &mut self.people {
            PreviousSearch { asked: self.asked, found: self.found, by_id: self.call.by_id } =
                std::mem::take(&mut people.origin);
            self.cursor = ListCursor::new(people.at);
            self.choosing = true;
        }
        self.end_search();
        let text = self.asked.as_deref().or(self.call.name.as_deref()).unwrap_or_default().to_owned();
        self.show_in_box(&text);
    }

    pub(super) fn take_holder(&mut self, holder: HolderLists, out: &mut Effects<'_>) {
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
            self.ask_index(Sought::Address(address), out);
        } else if !self.held().is_empty() && self.people.is_none() && self.lookup.is_none() {
            let address = self.asked.clone().unwrap_or_default();
            self.search_meant(&address, out);
        }
    }

    /// Handles the response to a request other than that for a holder.
    pub(super) fn take_lookup(&mut self, lookup: Lookups, reply: Reply, out: &mut Effects<'_>) -> Handled {
        let Reply { id, response } = reply;
        match (lookup, response) {
            (Lookups::Cert(query), Response::FoundCerts(found)) => {
                self.take_cert(query, &found, out);
            }
            (Lookups::CertCost(number), Response::WithoutDetails(found)) => {
                self.take_cert_cost(number, found, out);
            }
            (
                step @ (Lookups::CertIndexOn(_)
                | Lookups::CertSync(_)
                | Lookups::CertIds(_)
                | Lookups::CertRecords(_)),
                response @ (Response::IndexOn(_)
                | Response::Synced(_)
                | Response::WithoutDetails(_)
                | Response::Details(_)),
            ) => self.take_cert_step(step, response, out),
            (Lookups::CertAgain(number), Response::FoundCerts(found)) => {
                self.take_cert_again(&number, &found, out);
            }
            (Lookups::ById(id), Response::Badge(badge)) => {
                self.call.requests += 1;
                match *badge {
                    Ok(badge) => {
                        self.call.details.insert(id.clone(), Ok(Box::new(badge.clone())));
                        match self.holder_of(&id).filter(|_| self.call.opened) {
                            Some(email) => self.holder(&email, out),
                            None => {
                                let is_undated = badge.reg_date.is_none();
                                self.only(masked(badge));
                                if is_undated {
                                    self.send(Lookups::Requested(id.clone()), Request::SentBadge(id), out);
                                }
                            }
                        }
                    }
                    Err(error) => self.no_badge(&id, &error, out),
                }
            }
            (Lookups::SentHere(id), Response::SentBadge(sent)) => {
                let sent = self.of_journal(sent, out);
                match sent.into_iter().next() {
                    Some(sent) => match own_row(&sent) {
                        Some(held) => self.show_own(held, sent),
                        None => self.call.unseen = Some(sent),
                    },
                    None => self.no_such_id(&id, out),
                }
            }
            (Lookups::Requested(id), Response::SentBadge(sent)) => {
                // Without the journal, the record is shown as it is.
                self.call.lacks_journal |= sent.is_err();
                let at = sent.ok().and_then(|sent| Some(sent.first()?.at));
                if let (Some(at), Some(found)) = (at, &mut self.found) {
                    Rc::make_mut(&mut found.requested).insert(id, at);
                    self.unsorted = true;
                }
            }
            (Lookups::SentAlike(sought, is_whole), Response::SentAlike(sent)) => {
                let is_read = sent.is_ok();
                let mut sent = self.of_journal(sent, out);
                // The service shows some of them: the jobs were checked before.
                let shown = self.call.rows.iter().map(|row| &row.badge_id);
                let shown: HashSet<&BadgeId> =
                    shown.chain(self.held().iter().map(|held| &held.badge_id)).collect();
                sent.retain(|one| one.sent.badge_id.as_ref().is_none_or(|id| !shown.contains(id)));
                self.take_alike(&sought, is_whole, &sent);
                self.call.sent_alike = is_read.then(|| grouped(sent));
            }
            (Lookups::Opening(_) | Lookups::OpeningMatch(_), Response::Done(Err(why))) => {
                out.warn(t!("The wallet was not opened because lapel could not record it: {why}", why));
            }
            (Lookups::OpeningMatch(at), Response::Done(Ok(_))) => self.open_match(at, out),
            (Lookups::Opening(id), Response::Done(Ok(_))) => {
                if let Some(email) = self.holder_of(&id) {
                    self.call.opened = true;
                    self.call.masked = false;
                    self.found = None;
                    self.leave_search();
                    self.show_in_box(&email);
                    self.holder(&email, out);
                }
            }
            (Lookups::Detail(id), Response::Badge(badge)) => {
                self.call.requests += 1;
                let badge = badge.map(Box::new);
                self.call.details.insert(id.clone(), badge.clone());
                let both = self.found.as_ref().is_some_and(|found| found.both);
                let held = self.held().iter().find(|held| held.badge_id == id);
                let unread = held.is_some_and(|held| self.is_unread(held, both));
                let held = self.found.iter_mut().flat_map(|found| &mut found.held);
                if let Some(held) = held.into_iter().find(|held| held.badge_id == id) {
                    held.unread = unread;
                    held.detail = badge.ok().or(held.detail.take());
                    self.unsorted = true;
                }
            }
            (Lookups::Name(name), Response::Leads(rows)) => {
                let trouble = self.take_rows(rows);
                self.take_names(&name, trouble, out);
            }
            (Lookups::Index(sought), Response::People(found)) => {
                self.call.index = Some(found.as_ref().map(|_| ()).map_err(Clone::clone));
                let found = found.unwrap_or_default();
                if found.all > found.badges.len() as u64 {
                    self.call.beyond = self.call.beyond.max(Remaining::Counted(found.all));
                }
                self.call.rows.extend(found.badges);
                let matches = self.found_matches(&sought);
                match sought {
                    // A name is followed by the wallet and the history of the address found.
                    Sought::Name(_) if matches.is_empty() => self.search_unasked(sought, OF_HOLDER, out),
                    Sought::Address(_) if matches.is_empty() => self.search_unasked(sought, 0, out),
                    // The index may be old, so it does not show that nobody else has this name. The service does.
                    Sought::Name(_) if matches!(matches.as_slice(), [one] if one.why.contains(&MatchReason::SameName)) =>
                    {
                        self.search_unasked(sought, OF_HOLDER, out);
                    }
                    Sought::Name(name) => {
                        self.call.nothing = None;
                        self.choose_names(&name, matches, None);
                    }
                    Sought::Address(_) => self.take_further(sought, None, out),
                }
            }
            (Lookups::Meant(address), Response::Leads(rows)) => {
                self.take_rows(rows);
                self.call.meant = self.found_matches(&Sought::Address(address));
            }
            (Lookups::Sample(id), Response::History(page)) => {
                self.call.requests += 1;
                if let Ok(page) = page {
                    self.learn(page.items.iter().map(|(_, row)| row));
                }
                self.no_such_id(&id, out);
            }
            (Lookups::Further(sought), Response::Leads(rows)) => {
                let trouble = self.take_rows(rows);
                self.take_further(sought, trouble, out);
            }
            (Lookups::Pictures(id), Response::TriedPictures(mut tried)) => {
                self.call.requests += tried.requests;
                if let (Some(badge), Some(found)) = (tried.detail.take(), &mut self.found)
                    && let Some(held) = found.held.iter_mut().find(|held| held.badge_id == id)
                {
                    held.detail = Some(badge.clone());
                    self.unsorted = true;
                    self.call.details.insert(id.clone(), Ok(badge));
                }
                self.call.pictures.insert(id, tried);
            }
            (_, response) => return Err(Reply { id, response }),
        }
        Ok(())
    }

    /// Whether nothing could be read of a badge that only the journal knows: neither its record nor all of the lists.
    fn is_unread(&self, held: &HeldBadge, both: bool) -> bool {
        held.is_only_sent()
            && match self.call.details.get(&held.badge_id) {
                Some(Err(error)) => !is_unknown(error),
                _ => !both,
            }
    }

    /// What the journal has. If it could not be read, says so once.
    fn of_journal<T>(&mut self, sent: Result<Vec<T>, String>, out: &mut Effects<'_>) -> Vec<T> {
        sent.unwrap_or_else(|why| {
            out.warn(crate::jobs::not_read(&why).to_string());
            self.call.lacks_journal = true;
            Vec::new()
        })
    }

    /// Shows only the record of a badge, with its holder masked and without the wallet.
    fn only(&mut self, badge: crate::domain::Badge) {
        self.call.masked = true;
        let held = vec![alone(badge)];
        self.found = Some(HolderBadges { held, complete: true, ..HolderBadges::default() });
    }

    /// Shows what the journal has of a badge that the service does not show yet.
    fn show_own(&mut self, held: HeldBadge, sent: SentHere) {
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
    fn no_badge(&mut self, id: &BadgeId, error: &ApiError, out: &mut Effects<'_>) {
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
        self.send(Lookups::SentHere(id.clone()), Request::SentBadge(id.clone()), out);
    }

    /// No badge has this id. Tries it as the service writes ids, then the text as a name, unless it is a number or that was
    /// done before.
    fn no_such_id(&mut self, id: &BadgeId, out: &mut Effects<'_>) {
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
            (Some(other), _) => self.badge(other, out),
            (None, _) if needs_sample && !self.call.sampled => {
                self.call.sampled = true;
                let paging = Paging { page: 1, rows_per_page: 1, ..Paging::default() };
                let ask = Request::History(HistoryQuery { filter: HistoryFilter::default(), paging });
                self.send(Lookups::Sample(id.clone()), ask, out);
            }
            (None, None) if has_number_form(&typed) => {
                self.call.nothing = Some(t!("No badge has the id \u{201c}{id}\u{201d}.", id = short(&typed)));
            }
            (None, None) => self.name(typed, out),
            (None, Some(name)) => self.ask_index(Sought::Name(name), out),
        }
    }

    /// Reads the record of the selected badge, within `BUDGET`, if the answer or the picture that is shown needs it: the
    /// wallet has only the paths of pictures, the record has their addresses.
    pub(super) fn ask_record(&mut self, cx: &UiContext, out: &mut Effects<'_>) {
        if self.request.is_some() || self.lookup.is_some() || self.call.requests >= BUDGET {
            return;
        }
        let wanted = self.selected().filter(|held| {
            held.detail.is_none()
                && !self.call.details.contains_key(&held.badge_id)
                && (wants_record(held, cx.now()) || self.call.side.is_some())
        });
        if let Some(id) = wanted.map(|held| held.badge_id.clone()) {
            self.send(Lookups::Detail(id.clone()), Request::Badge(id), out);
        }
    }

    pub(super) fn waits_for(&self) -> Option<String> {
        if self.request.is_some() {
            let email = short(self.asked.as_deref().unwrap_or_default());
            return Some(t!("reading wallet and history of {email}", email));
        }
        self.lookup.as_ref().map(|(_, lookup)| match lookup {
            Lookups::Opening(_) | Lookups::OpeningMatch(_) => {
                t!("recording that this wallet is opened").to_owned()
            }
            Lookups::Cert(_) | Lookups::CertCost(_) | Lookups::CertAgain(_) => {
                t!("searching the index for this certificate number").to_owned()
            }
            Lookups::CertIndexOn(_) | Lookups::CertSync(_) | Lookups::CertIds(_) => {
                t!("reading the history into the index").to_owned()
            }
            Lookups::CertRecords(number) => {
                t!("reading records to find certificate number {number}", number = short(number))
            }
            Lookups::ById(id)
            | Lookups::SentHere(id)
            | Lookups::Requested(id)
            | Lookups::Detail(id)
            | Lookups::Sample(id) => {
                t!("reading badge {id}", id = short(id.wire()))
            }
            Lookups::Name(name) | Lookups::SentAlike(Sought::Name(name) | Sought::Address(name), _) => {
                t!("searching for {name}", name = short(name))
            }
            Lookups::Index(_) | Lookups::Further(_) | Lookups::Meant(_) => t!("searching further").to_owned(),
            Lookups::Pictures(id) => t!("checking pictures of badge {id}", id = short(id.wire())),
        })
    }
}

/// Whether the service answered that it has no such badge.
fn is_unknown(error: &ApiError) -> bool {
    matches!(error, ApiError::NotFound(_) | ApiError::BadInput { .. })
}
