//! The search for the caller's badges when the address or the name as given has none: in the index first, then in the
//! history, within the budget of requests.

use super::people::People;
use super::{BUDGET, Lookups, Sought, Wallet};
use crate::api::ApiError;
use crate::domain::address_search::{Lead, Match, Why, leads, matches};
use crate::domain::holder::names;
use crate::domain::name_search::variants;
use crate::domain::text::short;
use crate::domain::{EmailKey, Query};
use crate::i18n::list;
use crate::tui::effects::Effects;
use crate::tui::request::Request;
use crate::tui::worker::lookup::{LookupQuery, Remaining, Rows};

/// Maximum characters of a query in the list of those that were tried.
const LONGEST_TRIED: usize = 40;

impl Wallet {
    pub(super) fn name(&mut self, name: String, out: &mut Effects<'_>) {
        self.call.name = Some(name.clone());
        let lead = Lead::Name(name.clone());
        self.call.tried.push(lead.clone());
        self.send(Lookups::Name(name), Request::Call(LookupQuery::Leads(vec![lead])), out);
    }

    /// The caller's name: as the user typed it, or the only name on the badges found.
    fn callers_name(&self) -> Option<String> {
        // If all badges found have the same name, it is the caller's. Otherwise the name is unknown.
        self.call.name.clone().or_else(|| match names(self.held()).as_slice() {
            [one] => Some(one.wire().to_owned()),
            _ => None,
        })
    }

    /// The queries for other addresses and names that were not sent yet.
    pub(super) fn leads_left(&self) -> Vec<Lead> {
        let mut left = match (&self.asked, &self.call.name) {
            (Some(address), _) => leads(address, self.callers_name().as_deref()),
            (None, Some(name)) => variants(name).into_iter().map(Lead::Name).collect(),
            (None, None) => Vec::new(),
        };
        left.retain(|lead| !self.call.tried.contains(lead));
        left
    }

    /// Searches for other addresses that may have the caller's badges: first the index, which costs no request.
    pub(super) fn look_elsewhere(&mut self, out: &mut Effects<'_>) {
        if let (Some(_), Some(email)) = (self.left_to_read().filter(|_| !self.choosing), self.asked.clone()) {
            return self.read_on(email, out);
        }
        let sought = match (self.asked.clone(), self.call.name.clone()) {
            (Some(address), _) => Sought::Address(address),
            (None, Some(name)) => Sought::Name(name),
            (None, None) => {
                out.say(t!("Look up an e-mail address first. Then search further for its badges."));
                return;
            }
        };
        let left = self.leads_left();
        if left.is_empty() {
            out.say(t!("Nothing else to search. Type the caller's name into the box."));
        } else {
            self.search(sought, left, out);
        }
    }

    pub(super) fn ask_index(&mut self, sought: Sought, out: &mut Effects<'_>) {
        let (address, name) = match &sought {
            Sought::Address(address) => (Some(address.clone()), self.callers_name()),
            Sought::Name(name) => (None, Some(name.clone())),
        };
        let ask = Request::People(address, name);
        self.send(Lookups::Index(sought), ask, out);
    }

    fn search(&mut self, sought: Sought, leads: Vec<Lead>, out: &mut Effects<'_>) {
        self.call.tried.extend(leads.iter().cloned());
        self.send(Lookups::Further(sought), Request::Call(LookupQuery::Leads(leads)), out);
    }

    /// After a search of the index without a match: searches the history, as far as lapel does that by itself.
    pub(super) fn search_unasked(&mut self, sought: Sought, out: &mut Effects<'_>) {
        let mut left = self.leads_left();
        // A look-up of a name is followed by the wallet and the history of the address found.
        let keeps = if matches!(sought, Sought::Name(_)) { 2 } else { 0 };
        left.truncate(usize::try_from(BUDGET.saturating_sub(self.call.requests + keeps)).unwrap_or(0));
        if left.is_empty() {
            self.take_further(sought, None, out);
        } else {
            self.search(sought, left, out);
        }
    }

    /// Keeps the rows of a search. Returns why it is incomplete.
    pub(super) fn take_rows(&mut self, rows: Rows) -> Option<ApiError> {
        self.call.requests += rows.requests;
        self.call.rows.extend(rows.items);
        self.call.beyond = self.call.beyond.max(rows.beyond);
        rows.trouble
    }

    /// The possible matches in the rows read so far.
    pub(super) fn found_matches(&self, sought: &Sought) -> Vec<Match> {
        match sought {
            Sought::Name(name) => matches(self.call.before.as_deref(), Some(name), &self.call.rows),
            Sought::Address(address) => {
                let mut found = matches(Some(address), self.callers_name().as_deref(), &self.call.rows);
                // Badges that are on the screen already are not a new place.
                let (own, has_badges) = (EmailKey::of(address), !self.held().is_empty());
                found.retain(|one| !(has_badges && own.is(one.address.wire())));
                found
            }
        }
    }

    /// Handles the addresses with a name: opens a single one that has exactly this name, lists others.
    pub(super) fn take_names(&mut self, name: &str, trouble: Option<ApiError>, out: &mut Effects<'_>) {
        if let Some(error) = trouble {
            self.error = Some(t!("The history could not be searched for this name: {error}", error));
            return;
        }
        let found = self.found_matches(&Sought::Name(name.to_owned()));
        match found.as_slice() {
            [] => match self.call.query.take() {
                Some(Query::Name { name, or_id: Some(id) }) => {
                    self.call.query = Some(Query::Name { name, or_id: None });
                    self.badge(id, out);
                }
                query @ Some(Query::BadgeId(_)) => {
                    self.call.query = query;
                    self.call.nothing = Some(t!(
                        "No badge has the id or the name \u{201c}{name}\u{201d}.",
                        name = short(name)
                    ));
                }
                query => {
                    self.call.query = query;
                    self.ask_index(Sought::Name(name.to_owned()), out);
                }
            },
            [one] if self.call.beyond == Remaining::Nothing && one.why.contains(&Why::SameName) => {
                let email = one.address.wire().to_owned();
                self.call.namesakes = 1;
                self.field.set(&email);
                self.holder(&email, out);
            }
            _ => self.choose_names(name, found),
        }
    }

    pub(super) fn choose_names(&mut self, name: &str, found: Vec<Match>) {
        let exact = found.iter().filter(|one| one.why.contains(&Why::SameName)).count();
        let read = self.call.rows.len() as u64;
        self.choose(People::with_name(name, found, (read, self.call.beyond), exact));
    }

    fn choose(&mut self, people: People) {
        self.people = Some(people);
        self.choosing = true;
        self.at = 0;
        self.top = 0;
    }

    /// Handles the end of a search beyond what was asked for.
    pub(super) fn take_further(&mut self, sought: Sought, trouble: Option<ApiError>, out: &mut Effects<'_>) {
        let found = self.found_matches(&sought);
        let address = match sought {
            Sought::Address(address) => address,
            Sought::Name(name) if found.is_empty() => {
                let name = short(&name);
                self.call.nothing = Some(match trouble {
                    Some(error) => t!("The search is incomplete: {error}", error),
                    None if self.call.tried_id => {
                        t!("No badge has the name or the id \u{201c}{id}\u{201d}.", id = name)
                    }
                    None => t!("No badge has the name \u{201c}{name}\u{201d}.", name),
                });
                return;
            }
            Sought::Name(name) => {
                self.call.nothing = None;
                return self.take_names(&name, trouble, out);
            }
        };
        let has_badges = !self.held().is_empty();
        let trouble = trouble.map(|error| t!("The search is incomplete: {error}", error));
        if has_badges && found.is_empty() {
            out.say(trouble.unwrap_or_else(|| {
                plural!(
                    self.call.tried.len() as u64,
                    "Nothing found in {n} further search.",
                    "Nothing found in {n} further searches."
                )
            }));
            return;
        }
        self.choose(People::elsewhere(&address, has_badges, found, self.call.beyond, trouble));
    }

    /// What was searched without a match, as a sentence.
    pub(super) fn tried(&self) -> Option<String> {
        let mut tried: Vec<String> = self.call.tried.iter().map(lead_words).collect();
        match self.call.index {
            Some(true) => tried.push(t!("the index").to_owned()),
            Some(false) => tried.push(t!("no index here").to_owned()),
            None => {}
        }
        (!tried.is_empty()).then(|| t!("Searched: {what}.", what = list(tried)))
    }
}

/// A query as a part of a sentence. It shows no more than the user typed.
fn lead_words(lead: &Lead) -> String {
    let cut = |text: &str| short(&text.chars().take(LONGEST_TRIED).collect::<String>()).into_owned();
    match lead {
        Lead::Address(address) => cut(address),
        Lead::Name(name) => t!("name \u{201c}{name}\u{201d}", name = cut(name)),
        Lead::Part(part) => t!("addresses with \u{201c}{part}\u{201d}", part = cut(part)),
    }
}
