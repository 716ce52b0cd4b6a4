//! The steps of a look-up: from the input to a holder's badges, with few requests.

use super::people::{Origin, People};
use super::{BUDGET, Call, HolderBadges, Lookups, Wallet, alone, cert, masked, wants_reason};
use crate::api::ApiError;
use crate::domain::address_search::{Why, leads, matches};
use crate::domain::holder::{join, names};
use crate::domain::text::short;
use crate::domain::{BadgeId, EmailKey, Query};
use crate::jobs::{Opening, SentHere};
use crate::tui::context::Env;
use crate::tui::effects::Effects;
use crate::tui::persist::input_history::Typed;
use crate::tui::request::{Holder, Request, Response};
use crate::tui::widgets::field::Recent;
use crate::tui::worker::index::IndexAnswer;
use crate::tui::worker::job_command::JobCommand;
use crate::tui::worker::lookup::{LookupQuery, LookupReply, Remaining, Rows};

impl Wallet {
    /// Clears the previous look-up and cancels its requests.
    pub(super) fn forget(&mut self, out: &mut Effects<'_>) {
        out.cancel(self.request.take());
        out.cancel(self.errand.take().map(|(request, _)| request));
        let nothing = self.found.as_ref().filter(|f| f.held.is_empty() && !f.email.is_empty());
        self.call = Call { before: nothing.map(|f| f.email.clone()), ..Call::default() };
        self.people = None;
        self.choosing = false;
        self.found = None;
        self.asked = None;
        self.error = None;
        self.typing = false;
        self.heading.close();
        self.recent = Recent::default();
        self.at = 0;
        self.top = 0;
    }

    /// Starts a look-up from the input, if the input is valid.
    pub(super) fn take_box(&mut self, out: &mut Effects<'_>) {
        let query = Query::read(self.field.value());
        match &query {
            Query::Nothing => {
                out.say(t!("Type or paste an e-mail address, a name or a badge id first."));
                return;
            }
            Query::NotAnAddress(problem) => {
                self.error = Some(t!("{problem} No request was sent.", problem = problem.ended()));
                return;
            }
            Query::Address { .. } | Query::BadgeId(_) | Query::Name { .. } => {}
        }
        let typed = match &query {
            Query::Address { address, .. } => address.as_str(),
            _ => self.field.value(),
        };
        out.typed.push((Typed::LookUp, typed.to_owned()));
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
                self.field.set(address.as_str());
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
                self.call.details.clear();
                self.call.pictures.clear();
                if self.held().is_empty() {
                    // The search for other addresses is repeated, too.
                    self.people = None;
                    self.choosing = false;
                }
                out.ask_instead(&mut self.request, Request::Holder(email));
            }
            (None, None, Some(query)) => self.start(query, out),
            (None, None, None) => {
                out.say(t!("There is nothing to refresh: nothing was looked up here yet."));
            }
        }
    }

    pub(super) fn send(&mut self, what: Lookups, ask: Request, out: &mut Effects<'_>) {
        out.cancel(self.errand.take().map(|(request, _)| request));
        self.errand = Some((out.ask(ask), what));
    }

    pub(super) fn holder(&mut self, email: &str, out: &mut Effects<'_>) {
        self.typing = false;
        self.asked = Some(email.to_owned());
        out.ask_instead(&mut self.request, Request::Holder(email.to_owned()));
    }

    pub(super) fn badge(&mut self, id: BadgeId, out: &mut Effects<'_>) {
        self.call.by_id = Some(id.clone());
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
        let command = JobCommand::Opened(Opening::WalletOf(id.clone()));
        self.send(Lookups::Opening(id), Request::Do(Box::new(command)), out);
    }

    fn holder_of(&self, id: &BadgeId) -> Option<String> {
        let badge = self.call.details.get(id)?.as_ref().ok()?;
        let email = badge.recipient_email.as_ref().filter(|email| !email.looks_empty())?;
        Some(email.wire().to_owned())
    }

    fn name(&mut self, name: String, out: &mut Effects<'_>) {
        self.call.name = Some(name.clone());
        self.send(Lookups::Name(name.clone()), Request::Call(LookupQuery::Name(name)), out);
    }

    /// Searches for other addresses that may have the caller's badges.
    pub(super) fn look_elsewhere(&mut self, out: &mut Effects<'_>) {
        let Some(address) = self.asked.clone().filter(|_| !self.choosing) else {
            out.say(t!("Look up an e-mail address first. Then search further for its badges."));
            return;
        };
        // If all badges found have the same name, it is the caller's. Otherwise the name is unknown.
        let name = match names(self.held()).as_slice() {
            [one] => Some(one.wire().to_owned()),
            _ => None,
        };
        let name = self.call.name.clone().or(name);
        if leads(&address, name.as_deref()).is_empty() {
            out.say(t!("Nothing else to search. Type the caller's name into the box."));
            return;
        }
        self.send(
            Lookups::Elsewhere(address.clone()),
            Request::Call(LookupQuery::Elsewhere { address, name }),
            out,
        );
    }

    pub(super) fn open_match(&mut self, out: &mut Effects<'_>) {
        let Some(people) = &mut self.people else { return };
        let Some(one) = people.matches.get(self.at) else { return };
        people.at = self.at;
        let email = one.address.wire().to_owned();
        let by_id = self.call.by_id.take();
        people.origin = Origin { asked: self.asked.take(), found: self.found.take(), by_id };
        self.choosing = false;
        self.call.namesakes = people.namesakes;
        self.call.nothing = None;
        self.call.unseen = None;
        self.at = 0;
        self.top = 0;
        self.field.set(&email);
        self.holder(&email, out);
    }

    /// Goes from an opened match to the list of matches, and from there to the earlier result.
    pub(super) fn back(&mut self, out: &mut Effects<'_>) {
        out.cancel(self.request.take());
        out.cancel(self.errand.take().map(|(request, _)| request));
        self.call.namesakes = 0;
        self.top = 0;
        if self.choosing {
            self.people = None;
            self.choosing = false;
            self.at = 0;
        } else if let Some(people) = &mut self.people {
            Origin { asked: self.asked, found: self.found, by_id: self.call.by_id } =
                std::mem::take(&mut people.origin);
            self.at = people.at;
            self.choosing = true;
        }
        self.unsorted = true;
        self.field.set(self.asked.as_deref().or(self.call.name.as_deref()).unwrap_or_default());
    }

    pub(super) fn take_holder(&mut self, holder: Holder, out: &mut Effects<'_>) {
        let mut troubles = Vec::new();
        let (mut complete, mut failed) = (true, true);
        let mut take = |all: bool| {
            complete &= all;
            failed = false;
        };
        let wallet = match holder.wallet {
            Ok((items, all)) => {
                take(all);
                items
            }
            Err(error) => {
                troubles.push(t!("the wallet could not be read: {error}", error));
                Vec::new()
            }
        };
        let history = match holder.history {
            Ok((items, all)) => {
                take(all);
                items
            }
            Err(error) => {
                troubles.push(t!("the history could not be read: {error}", error));
                Vec::new()
            }
        };
        self.call.requests += holder.requests;
        let selected = self.selected().map(|held| held.badge_id.clone()).or_else(|| self.call.by_id.clone());
        let selected = selected.or_else(|| self.call.wanted.take());
        let mut held = join(wallet, history);
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
        let email = self.asked.clone().unwrap_or_default();
        let is_shown =
            |one: &SentHere| one.badge_id.as_ref().is_some_and(|id| held.iter().any(|h| h.badge_id == *id));
        let sent: Vec<SentHere> = holder.sent.into_iter().filter(|one| !is_shown(one)).collect();
        let nothing = held.is_empty() && troubles.is_empty() && complete && sent.is_empty();
        let (both, order) = (troubles.is_empty(), Vec::new());
        self.found = Some(HolderBadges { email, held, order, troubles, sent, both, complete, failed });
        self.unsorted = true;
        if !self.choosing {
            let place = self.rows().position(|one| Some(&one.badge_id) == selected.as_ref());
            self.at = place.unwrap_or(self.at).min(self.len().saturating_sub(1));
        }
        if nothing && self.people.is_none() && self.errand.is_none() {
            let (address, name) = (self.asked.clone().unwrap_or_default(), self.call.name.clone());
            if !leads(&address, name.as_deref()).is_empty() {
                self.send(
                    Lookups::Elsewhere(address.clone()),
                    Request::Call(LookupQuery::Elsewhere { address, name }),
                    out,
                );
            }
        }
    }

    /// Handles the response to any other request. Returns a response that does not belong to it.
    pub(super) fn take_errand(
        &mut self,
        errand: Lookups,
        answer: Response,
        out: &mut Effects<'_>,
    ) -> Result<(), Response> {
        match (errand, answer) {
            (Lookups::Cert(query), Response::Index(IndexAnswer::Found(found))) => {
                self.take_cert(query, &found, out);
            }
            (Lookups::ById(id), Response::Badge(badge)) => {
                self.call.requests += 1;
                match *badge {
                    Ok(badge) => {
                        self.call.details.insert(id.clone(), Ok(Box::new(badge.clone())));
                        match self.holder_of(&id).filter(|_| self.call.opened) {
                            Some(email) => self.holder(&email, out),
                            None => self.only(masked(badge)),
                        }
                    }
                    Err(error) => self.no_badge(&id, &error, out),
                }
            }
            (Lookups::SentHere(id), Response::SentBadge(sent)) => match sent.into_iter().next() {
                Some(sent) => {
                    self.call.by_id = None;
                    self.call.unseen = Some(sent);
                }
                None => self.no_such_id(&id, out),
            },
            (Lookups::Opening(id), Response::Done(done)) => match (done, self.holder_of(&id)) {
                (Ok(_), Some(email)) => {
                    self.call.opened = true;
                    self.call.masked = false;
                    self.found = None;
                    self.field.set(&email);
                    self.holder(&email, out);
                }
                (Ok(_), None) => {}
                (Err(why), _) => {
                    out.warn(t!("The wallet was not opened because lapel could not record it: {why}", why));
                }
            },
            (Lookups::Detail(id), Response::Badge(badge)) => {
                self.call.requests += 1;
                let badge = badge.map(Box::new);
                if let (Ok(badge), Some(found)) = (&badge, &mut self.found)
                    && let Some(held) = found.held.iter_mut().find(|held| held.badge_id == id)
                {
                    held.detail = Some(badge.clone());
                    self.unsorted = true;
                }
                self.call.details.insert(id, badge);
            }
            (Lookups::Name(name), Response::Call(report)) => {
                if let LookupReply::Rows(rows) = *report {
                    self.take_names(&name, rows, out);
                }
            }
            (Lookups::Elsewhere(address), Response::Call(report)) => {
                if let LookupReply::Rows(rows) = *report {
                    self.take_elsewhere(&address, rows, out);
                }
            }
            (Lookups::Pictures(id), Response::Call(report)) => {
                if let LookupReply::Pictures { said, detail, requests } = *report {
                    self.call.requests += requests;
                    if let (Some(badge), Some(found)) = (detail, &mut self.found)
                        && let Some(held) = found.held.iter_mut().find(|held| held.badge_id == id)
                    {
                        held.detail = Some(badge.clone());
                        self.unsorted = true;
                        self.call.details.insert(id.clone(), Ok(badge));
                    }
                    self.call.pictures.insert(id, said);
                }
            }
            (_, answer) => return Err(answer),
        }
        Ok(())
    }

    /// Shows only the record of a badge, with its holder masked and without the wallet.
    fn only(&mut self, badge: crate::domain::Badge) {
        self.typing = false;
        self.call.masked = true;
        self.found = Some(HolderBadges {
            email: String::new(),
            held: vec![alone(badge)],
            order: Vec::new(),
            troubles: Vec::new(),
            sent: Vec::new(),
            both: false,
            complete: true,
            failed: false,
        });
    }

    /// Handles a badge id that could not be read. If the service does not know it, searches the journal.
    fn no_badge(&mut self, id: &BadgeId, error: &ApiError, out: &mut Effects<'_>) {
        self.call.by_id = None;
        if !matches!(error, ApiError::NotFound(_) | ApiError::BadInput { .. }) {
            self.error = Some(t!("Badge {id} could not be read: {error}", id = short(id.wire()), error));
            return;
        }
        self.send(Lookups::SentHere(id.clone()), Request::SentBadge(id.clone()), out);
    }

    /// No badge has this id. Tries the text as a name, unless that was done before.
    fn no_such_id(&mut self, id: &BadgeId, out: &mut Effects<'_>) {
        if self.call.name.is_none() {
            self.name(id.wire().to_owned(), out);
        } else {
            self.call.nothing =
                Some(t!("No badge has the name or the id \u{201c}{id}\u{201d}.", id = short(id.wire())));
        }
    }

    /// Handles the addresses with a name: opens a single one, lists several.
    fn take_names(&mut self, name: &str, rows: Rows, out: &mut Effects<'_>) {
        self.call.requests += rows.requests;
        if let Some(error) = rows.trouble {
            self.error = Some(t!("The history could not be searched for this name: {error}", error));
            return;
        }
        let found = matches(self.call.before.as_deref(), Some(name), &rows.items);
        let read = rows.items.len() as u64;
        match found.as_slice() {
            [] => match self.call.query.take() {
                Some(Query::Name { name, or_id: Some(id) }) => {
                    self.call.query = Some(Query::Name { name, or_id: None });
                    self.badge(id, out);
                }
                query => {
                    let was_id = matches!(query, Some(Query::BadgeId(_)));
                    self.call.query = query;
                    let name = short(name);
                    self.call.nothing = Some(if was_id {
                        t!("No badge has the id or the name \u{201c}{name}\u{201d}.", name)
                    } else {
                        t!("No badge has the name \u{201c}{name}\u{201d}.", name)
                    });
                }
            },
            [one] if rows.beyond == Remaining::Nothing => {
                let email = one.address.wire().to_owned();
                self.call.namesakes = 1;
                self.field.set(&email);
                self.holder(&email, out);
            }
            _ => {
                let exact = found.iter().filter(|one| one.why.contains(&Why::SameName)).count();
                self.people = Some(People::with_name(name, found, (read, rows.beyond), exact));
                self.choosing = true;
                self.at = 0;
                self.top = 0;
            }
        }
    }

    fn take_elsewhere(&mut self, address: &str, rows: Rows, out: &mut Effects<'_>) {
        self.call.requests += rows.requests;
        let own = EmailKey::of(address);
        let has_badges = !self.held().is_empty();
        let name = self.call.name.clone().or_else(|| match names(self.held()).as_slice() {
            [one] => Some(one.wire().to_owned()),
            _ => None,
        });
        let mut found = matches(Some(address), name.as_deref(), &rows.items);
        // Badges that are on the screen already are not a new place.
        found.retain(|one| !(has_badges && own.is(one.address.wire())));
        let trouble = rows.trouble.map(|error| t!("The search is incomplete: {error}", error));
        if has_badges && found.is_empty() {
            out.say(trouble.unwrap_or_else(|| {
                plural!(
                    u64::from(rows.requests),
                    "Nothing found in {n} further search.",
                    "Nothing found in {n} further searches."
                )
            }));
            return;
        }
        self.people = Some(People::elsewhere(address, has_badges, found, rows.beyond, trouble));
        self.choosing = true;
        self.at = 0;
        self.top = 0;
    }

    /// Reads the revoke reason of the selected badge, within `BUDGET`.
    pub(super) fn ask_reason(&mut self, env: &Env, out: &mut Effects<'_>) {
        if self.request.is_some() || self.errand.is_some() || self.call.requests >= BUDGET {
            return;
        }
        let wanted = self.selected().filter(|held| {
            held.detail.is_none()
                && !self.call.details.contains_key(&held.badge_id)
                && wants_reason(held, env.now())
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
        self.errand.as_ref().map(|(_, errand)| match errand {
            Lookups::Opening(_) => t!("recording that this wallet is opened").to_owned(),
            Lookups::Cert(_) => t!("searching the index for this certificate number").to_owned(),
            Lookups::ById(id) | Lookups::SentHere(id) | Lookups::Detail(id) => {
                t!("reading badge {id}", id = short(id.wire()))
            }
            Lookups::Name(name) => t!("searching for {name}", name = short(name)),
            Lookups::Elsewhere(_) => t!("searching further").to_owned(),
            Lookups::Pictures(id) => t!("checking pictures of badge {id}", id = short(id.wire())),
        })
    }
}
