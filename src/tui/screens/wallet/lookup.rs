//! The steps of a look-up: from the input to the answers, with few requests.

use super::cert;
use super::requests::{LookupRequests, LookupStep};
use super::state::{EarlierSearch, LookupHints, LookupState};
use super::wallet_list::WalletList;
use crate::tui::prelude::*;

/// The look-up of a caller's badges: what was asked, the running requests, and the answers.
#[derive(Default)]
pub(super) struct Lookup {
    /// The address whose wallet and history were asked for.
    pub asked: Option<String>,
    pub call: LookupState,
    pub pending: LookupRequests,
    pub list: WalletList,
    pub hints: LookupHints,
    pub earlier: Option<Box<EarlierSearch>>,
}

impl Lookup {
    pub fn forget(&mut self, effects: &mut Effects<'_>) {
        effects.begin_anew();
        self.pending.cancel_all(effects);
        let nothing = self.list.found.as_ref().filter(|f| f.held.is_empty() && !f.email.is_empty());
        let before = nothing.map(|found| found.email.clone());
        self.call = LookupState::default();
        self.call.further.before = before;
        self.earlier = None;
        self.asked = None;
        self.list.clear();
    }

    pub fn start(&mut self, query: Query, effects: &mut Effects<'_>) {
        self.forget(effects);
        self.call.query = Some(query.clone());
        // The index comes first. This costs no request, and the service cannot search by these numbers.
        match cert::number_in(&query).map(str::to_owned) {
            Some(number) => self.pending.send(LookupStep::Cert, Request::FindCert(number), effects),
            None => self.go_on(query, effects),
        }
    }

    pub fn go_on(&mut self, query: Query, effects: &mut Effects<'_>) {
        match query {
            Query::Address { address, name } => {
                self.call.caller.name = name;
                self.holder(address.as_str(), effects);
            }
            Query::BadgeId(id) => self.badge(id, effects),
            Query::Name { name, .. } => self.name(name, effects),
            Query::Nothing | Query::NotAnAddress(_) => {}
        }
    }

    /// The address, the name or the number that the screen is about.
    pub fn subject(&self) -> &str {
        let typed = || match &self.call.query {
            Some(Query::Name { name, .. }) => name.as_str(),
            Some(Query::BadgeId(id)) => id.wire(),
            _ => "",
        };
        self.asked.as_deref().or(self.call.caller.name.as_deref()).unwrap_or_else(typed)
    }

    pub fn has_asked(&self) -> bool {
        self.asked.is_some() || self.call.by_id.id.is_some() || self.call.query.is_some()
    }

    pub fn read_again(&mut self, effects: &mut Effects<'_>) {
        self.call.error = None;
        match (self.asked.clone(), self.call.by_id.id.clone(), self.call.query.clone()) {
            (_, Some(id), _) => {
                self.call.requests = 0;
                self.badge(id, effects);
            }
            (Some(email), None, _) => {
                self.call.requests = 0;
                self.call.reading.again = true;
                self.read(email, effects);
            }
            (None, None, Some(query)) => {
                let people = self.list.people.take();
                let call = std::mem::take(&mut self.call);
                let cursor = std::mem::take(&mut self.list.cursor);
                self.start(query, effects);
                self.earlier = people.map(|people| Box::new(EarlierSearch { call, people, cursor }));
            }
            (None, None, None) => {
                effects.say(t!("There is nothing to refresh: nothing was looked up here yet."));
            }
        }
    }

    /// Says why a search failed. A list of people from before stays.
    pub fn fail(&mut self, why: String) {
        if let Some(earlier) = self.earlier.take() {
            let EarlierSearch { call, people, cursor } = *earlier;
            // The user may have typed in the box meanwhile: why that was not looked up stays, too.
            let error = self.call.error.take();
            self.call = LookupState { requests: self.call.requests, error, ..call };
            self.list.people = Some(people);
            self.list.cursor = cursor;
        }
        match &mut self.list.people {
            Some(people) if people.opened.is_none() => people.trouble = Some(why),
            _ => self.call.error = Some(why),
        }
    }

    /// Handles a response, or returns it if no look-up waits for it.
    pub fn on_response(&mut self, reply: Reply, cx: &UiContext, effects: &mut Effects<'_>) -> Handled {
        match reply.to(&mut self.pending.holder) {
            Ok(Response::Holder(holder)) => self.take_holder(*holder, effects),
            Ok(_) => {}
            Err(reply) => match self.pending.take_step(reply.id) {
                Some(step) => self.take_response(step, reply, effects)?,
                None => return Err(reply),
            },
        }
        let now = cx.clock().utc();
        if let Some(found) = &mut self.list.found {
            found.read_at.get_or_insert(now);
        }
        if let Some(people) = &mut self.list.people {
            people.read_at.get_or_insert(now);
        }
        Ok(())
    }

    fn take_response(&mut self, step: LookupStep, reply: Reply, effects: &mut Effects<'_>) -> Handled {
        let Reply { id, response } = reply;
        match (step, response) {
            (LookupStep::Cert, Response::FoundCerts(found)) => self.take_cert(&found, effects),
            (LookupStep::CertCost(number), Response::WithoutDetails(found)) => {
                self.take_cert_cost(number, found, effects);
            }
            (LookupStep::ReadCert(_, number), response) => self.take_cert_step(number, response, effects),
            (LookupStep::ById(id), Response::Badge(badge)) => self.take_badge(id, *badge, effects),
            (LookupStep::SentHere(id), Response::SentBadge(found)) => {
                self.take_sent_here(&id, found, effects);
            }
            (LookupStep::Journal(_), Response::SentBadge(found)) => self.take_journal(found),
            (LookupStep::Detail(id), Response::Badge(badge)) => self.take_detail(&id, *badge),
            (LookupStep::Pictures(id), Response::TriedPictures(tried)) => self.take_pictures(id, tried),
            (LookupStep::Opening(_) | LookupStep::OpeningMatch(_), Response::Done(Err(why))) => {
                effects.warn(t!("The wallet was not opened because lapel could not record it: {why}", why));
            }
            (LookupStep::OpeningMatch(at), Response::Done(Ok(_))) => self.open_match(at, effects),
            (LookupStep::Opening(id), Response::Done(Ok(_))) => self.open_holder(&id, effects),
            (LookupStep::Sample(id), Response::History(page)) => {
                self.call.requests += 1;
                if let Ok(page) = page {
                    self.hints.learn(page.items.iter().map(|(_, row)| row));
                }
                self.no_such_id(&id, effects);
            }
            (LookupStep::Name, Response::Leads(rows)) => {
                let trouble = self.take_rows(rows);
                self.take_names(trouble, effects);
            }
            (LookupStep::Index, Response::People(found)) => self.take_index(found, effects),
            (LookupStep::Meant, Response::Leads(rows)) => {
                self.take_rows(rows);
                self.call.further.meant = self.found_matches();
            }
            (LookupStep::Further, Response::Leads(rows)) => {
                let trouble = self.take_rows(rows);
                self.take_further(trouble, effects);
            }
            (LookupStep::SentAlike(is_whole), Response::SentAlike(sent)) => {
                self.take_alike(is_whole, sent, effects);
            }
            (_, response) => return Err(Reply { id, response }),
        }
        Ok(())
    }

    pub fn waits_for(&self) -> Option<String> {
        self.pending.words(self.subject())
    }
}

#[cfg(test)]
mod tests {
    use super::super::people::PeopleMatches;
    use super::*;

    #[test]
    fn why_a_typed_text_was_not_looked_up_stays_when_a_search_done_again_fails() {
        let earlier = EarlierSearch {
            call: LookupState { requests: 5, ..LookupState::default() },
            people: PeopleMatches { title: "2 addresses".to_owned(), ..PeopleMatches::default() },
            cursor: ListCursor::default(),
        };
        let refused = "The address has no domain. No request was sent.".to_owned();
        let mut lookup = Lookup {
            call: LookupState { requests: 1, error: Some(refused.clone()), ..LookupState::default() },
            earlier: Some(Box::new(earlier)),
            ..Lookup::default()
        };
        lookup.fail("the service is away".to_owned());
        assert_eq!(lookup.call.error, Some(refused));
        assert_eq!(lookup.call.requests, 1);
        let people = lookup.list.people.expect("the list from before");
        assert_eq!(
            (people.title.as_str(), people.trouble.as_deref()),
            ("2 addresses", Some("the service is away"))
        );
    }
}
