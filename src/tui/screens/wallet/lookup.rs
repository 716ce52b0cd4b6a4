//! The steps of a look-up: from the input to the answers, with few requests.

use super::search::{OF_HOLDER, grouped};
use super::{Earlier, FIRST_PAGES, LookupState, Lookups, Sought, Wallet, cert, masked, own_row};
use crate::domain::address_search::MatchReason;
use crate::tui::input::list_hit::ListCursor;
use crate::tui::persist::input_history::InputKind;
use crate::tui::prelude::*;
use crate::tui::widgets::field::RecentInputs;
use crate::tui::worker::lookup::Remaining;
use std::rc::Rc;

impl Wallet {
    pub(super) fn forget(&mut self, effects: &mut Effects<'_>) {
        effects.begin_anew();
        effects.cancel(self.request.take());
        effects.cancel(self.lookup.take().map(|(request, _)| request));
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

    pub(super) fn take_box(&mut self, effects: &mut Effects<'_>) {
        let query = Query::read(self.field.value());
        match &query {
            Query::Nothing => {
                effects.say(t!("Type or paste an e-mail address, a name or a badge id first."));
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
        effects.typed.push((InputKind::LookUp, typed.to_owned()));
        self.typing = false;
        self.is_edited = false;
        self.start(query, effects);
    }

    fn start(&mut self, query: Query, effects: &mut Effects<'_>) {
        self.forget(effects);
        self.call.query = Some(query.clone());
        if cert::may_be(&query) {
            self.ask_cert(query, effects);
        } else {
            self.go_on(query, effects);
        }
    }

    pub(super) fn go_on(&mut self, query: Query, effects: &mut Effects<'_>) {
        match query {
            Query::Address { address, name } => {
                self.call.name = name;
                self.show_in_box(address.as_str());
                self.holder(address.as_str(), effects);
            }
            Query::BadgeId(id) => self.badge(id, effects),
            Query::Name { name, .. } => self.name(name, effects),
            Query::Nothing | Query::NotAnAddress(_) => {}
        }
    }

    pub(super) fn has_asked(&self) -> bool {
        self.asked.is_some() || self.call.by_id.is_some() || self.call.query.is_some()
    }

    pub(super) fn read_again(&mut self, effects: &mut Effects<'_>) {
        self.error = None;
        match (self.asked.clone(), self.call.by_id.clone(), self.call.query.clone()) {
            (_, Some(id), _) => {
                self.call.requests = 0;
                self.badge(id, effects);
            }
            (Some(email), None, _) => {
                self.call.requests = 0;
                self.call.again = true;
                self.read(email, effects);
            }
            (None, None, Some(query)) => {
                let people = self.people.take();
                let (call, cursor) = (std::mem::take(&mut self.call), std::mem::take(&mut self.cursor));
                self.start(query, effects);
                self.earlier = people.map(|people| Box::new(Earlier { call, people, cursor }));
            }
            (None, None, None) => {
                effects.say(t!("There is nothing to refresh: nothing was looked up here yet."));
            }
        }
    }

    /// Looks again what the journal has, if it could not be read. `was_closed`: no look-up has read it. While a text is
    /// typed, only the lists of an address are read again, because another look-up would begin anew.
    pub fn journal_is_back(&mut self, was_closed: bool, effects: &mut Effects<'_>) {
        let lacks_it = std::mem::take(&mut self.call.lacks_journal) || was_closed && self.has_asked();
        // A long wallet costs many requests, so only the user reads it again.
        if !lacks_it || self.call.pages > FIRST_PAGES {
            return;
        }
        match self.asked.clone() {
            Some(email) => self.read(email, effects),
            None if !self.typing => self.read_again(effects),
            None => self.call.lacks_journal = true,
        }
    }

    pub(super) fn send(&mut self, what: Lookups, ask: Request, effects: &mut Effects<'_>) {
        effects.cancel(self.lookup.take().map(|(request, _)| request));
        self.progress = None;
        self.lookup = Some((effects.request(ask), what));
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

    /// Handles the response to a request other than that for a holder.
    pub(super) fn take_lookup(
        &mut self,
        lookup: Lookups,
        reply: Reply,
        effects: &mut Effects<'_>,
    ) -> Handled {
        let Reply { id, response } = reply;
        match (lookup, response) {
            (Lookups::Cert(query), Response::FoundCerts(found)) => {
                self.take_cert(query, &found, effects);
            }
            (Lookups::CertCost(number), Response::WithoutDetails(found)) => {
                self.take_cert_cost(number, found, effects);
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
            ) => self.take_cert_step(step, response, effects),
            (Lookups::CertAgain(number), Response::FoundCerts(found)) => {
                self.take_cert_again(&number, &found, effects);
            }
            (Lookups::ById(id), Response::Badge(badge)) => {
                self.call.requests += 1;
                match *badge {
                    Ok(badge) => {
                        self.call.details.insert(id.clone(), Ok(Box::new(badge.clone())));
                        match self.holder_of(&id).filter(|_| self.call.opened) {
                            Some(email) => self.holder(&email, effects),
                            None => {
                                let is_undated = badge.reg_date.is_none();
                                self.only(masked(badge));
                                if is_undated {
                                    self.send(
                                        Lookups::Requested(id.clone()),
                                        Request::SentBadge(id),
                                        effects,
                                    );
                                }
                            }
                        }
                    }
                    Err(error) => self.no_badge(&id, &error, effects),
                }
            }
            (Lookups::SentHere(id), Response::SentBadge(sent)) => {
                let sent = self.of_journal(sent, effects);
                match sent.into_iter().next() {
                    Some(sent) => match own_row(&sent) {
                        Some(held) => self.show_own(held, sent),
                        None => self.call.unseen = Some(sent),
                    },
                    None => self.no_such_id(&id, effects),
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
                let mut sent = self.of_journal(sent, effects);
                // The service shows some of them: the jobs were checked before.
                let shown = self.call.rows.iter().map(|row| &row.badge_id);
                let shown: HashSet<&BadgeId> =
                    shown.chain(self.held().iter().map(|held| &held.badge_id)).collect();
                sent.retain(|one| one.sent.badge_id.as_ref().is_none_or(|id| !shown.contains(id)));
                self.take_alike(&sought, is_whole, &sent);
                self.call.sent_alike = is_read.then(|| grouped(sent));
            }
            (Lookups::Opening(_) | Lookups::OpeningMatch(_), Response::Done(Err(why))) => {
                effects.warn(t!("The wallet was not opened because lapel could not record it: {why}", why));
            }
            (Lookups::OpeningMatch(at), Response::Done(Ok(_))) => self.open_match(at, effects),
            (Lookups::Opening(id), Response::Done(Ok(_))) => {
                if let Some(email) = self.holder_of(&id) {
                    self.call.opened = true;
                    self.call.masked = false;
                    self.found = None;
                    self.leave_search();
                    self.show_in_box(&email);
                    self.holder(&email, effects);
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
                self.take_names(&name, trouble, effects);
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
                    Sought::Name(_) if matches.is_empty() => self.search_unasked(sought, OF_HOLDER, effects),
                    Sought::Address(_) if matches.is_empty() => self.search_unasked(sought, 0, effects),
                    // The index may be old, so it does not show that nobody else has this name. The service does.
                    Sought::Name(_) if matches!(matches.as_slice(), [one] if one.why.contains(&MatchReason::SameName)) =>
                    {
                        self.search_unasked(sought, OF_HOLDER, effects);
                    }
                    Sought::Name(name) => {
                        self.call.nothing = None;
                        self.choose_names(&name, matches, None);
                    }
                    Sought::Address(_) => self.take_further(sought, None, effects),
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
                self.no_such_id(&id, effects);
            }
            (Lookups::Further(sought), Response::Leads(rows)) => {
                let trouble = self.take_rows(rows);
                self.take_further(sought, trouble, effects);
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

    /// What the journal has. If it could not be read, says so once.
    pub(super) fn of_journal<T>(
        &mut self,
        sent: Result<Vec<T>, String>,
        effects: &mut Effects<'_>,
    ) -> Vec<T> {
        sent.unwrap_or_else(|why| {
            effects.warn(crate::jobs::not_read(&why).to_string());
            self.call.lacks_journal = true;
            Vec::new()
        })
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
