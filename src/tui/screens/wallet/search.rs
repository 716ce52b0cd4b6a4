//! The search for the caller's badges when the address or the name as given has none: in the index first, then in the
//! history, within the budget of requests.

use super::cert::index_search;
use super::lookup::Lookup;
use super::people::PeopleMatches;
use super::requests::LookupStep;
use super::{BUDGET, Wallet};
use crate::domain::address_search::{HistoryProbe, Match, MatchReason, leads, matches};
use crate::domain::email::meant_domain;
use crate::domain::name_search::variants;
use crate::index::FoundPeople;
use crate::jobs::SentAlike;
use crate::tui::input::list_hit::ListCursor;
use crate::tui::prelude::*;
use crate::tui::request::{FoundRows, NotSearched, Remaining};

/// Requests of a look-up of an address: its wallet and its history.
pub(super) const OF_HOLDER: u32 = 2;
/// Maximum characters of a query in the list of those that were tried.
const LONGEST_TRIED: usize = 40;

impl Lookup {
    pub(super) fn name(&mut self, name: String, effects: &mut Effects<'_>) {
        self.call.caller.name = Some(name.clone());
        let lead = HistoryProbe::Name(name);
        self.call.further.tried.push(lead.clone());
        self.pending.send(LookupStep::Name, Request::Leads(vec![lead]), effects);
    }

    /// The caller's name: as the user typed it, or the only name on the badges found.
    fn callers_name(&self) -> Option<String> {
        self.call.caller.name.clone().or_else(|| match self.list.found.as_ref()?.whole().names.as_slice() {
            [one] => Some(one.wire().to_owned()),
            _ => None,
        })
    }

    /// The queries for other addresses and names that were not sent yet.
    pub(super) fn leads_left(&self) -> Vec<HistoryProbe> {
        let mut left = match (&self.asked, &self.call.caller.name) {
            (Some(address), _) => leads(address, self.callers_name().as_deref(), &self.hints.domains),
            (None, Some(name)) => variants(name).into_iter().map(HistoryProbe::Name).collect(),
            (None, None) => Vec::new(),
        };
        left.retain(|lead| !self.call.further.tried.contains(lead));
        left
    }

    /// Searches for other addresses that may have the caller's badges: first the index, which costs no request.
    pub(super) fn search_further(&mut self, effects: &mut Effects<'_>) {
        if let (false, Some(email)) = (self.list.is_choosing(), self.asked.clone()) {
            if self.can_read_on() {
                return self.read_on(email, effects);
            }
            // What the unasked request found comes first. It costs no request.
            if !self.call.further.meant.is_empty() {
                return self.take_further(None, effects);
            }
        }
        let left = self.leads_left();
        if self.asked.is_none() && self.call.caller.name.is_none() {
            effects.say(t!("Look up an e-mail address first. Then search further for its badges."));
        } else if left.is_empty() {
            effects.say(t!("Nothing else to search. Type the caller's name into the box."));
        } else {
            self.search(left, effects);
        }
    }

    pub(super) fn ask_index(&mut self, effects: &mut Effects<'_>) {
        let ask = Request::People(self.asked.clone(), self.callers_name());
        self.pending.send(LookupStep::Index, ask, effects);
    }

    /// If the domain of an address with badges is a well-known misspelling: searches for the address that the caller may
    /// have meant, with one request.
    pub(super) fn search_meant(&mut self, effects: &mut Effects<'_>) {
        let key = EmailKey::of(self.asked.as_deref().unwrap_or_default());
        let Some((local, domain)) = key.as_str().rsplit_once('@') else { return };
        let Some(meant) = meant_domain(domain).map(|meant| HistoryProbe::Address(format!("{local}@{meant}")))
        else {
            return;
        };
        if self.call.requests < BUDGET && !self.call.further.tried.contains(&meant) {
            self.call.further.tried.push(meant.clone());
            self.pending.send(LookupStep::Meant, Request::Leads(vec![meant]), effects);
        }
    }

    fn search(&mut self, leads: Vec<HistoryProbe>, effects: &mut Effects<'_>) {
        self.call.further.tried.extend(leads.iter().cloned());
        self.pending.send(LookupStep::Further, Request::Leads(leads), effects);
    }

    /// After a search of the index without a match: searches the history, as far as lapel does that by
    /// itself. `keeps` requests of the budget remain for what follows.
    fn search_unasked(&mut self, keeps: u32, effects: &mut Effects<'_>) {
        let mut left = self.leads_left();
        left.truncate(usize::try_from(BUDGET.saturating_sub(self.call.requests + keeps)).unwrap_or(0));
        if left.is_empty() {
            self.take_further(None, effects);
        } else {
            self.search(left, effects);
        }
    }

    /// Handles what the index has of other addresses and names.
    pub(super) fn take_index(&mut self, found: Result<FoundPeople, NotSearched>, effects: &mut Effects<'_>) {
        self.call.further.index = Some(index_search(&found));
        let found = found.unwrap_or_default();
        if found.all > found.badges.len() as u64 {
            self.call.further.beyond = self.call.further.beyond.max(Remaining::Counted(found.all));
        }
        self.call.further.rows.extend(found.badges);
        let matches = self.found_matches();
        match (self.asked.is_some(), matches.as_slice()) {
            (true, []) => self.search_unasked(0, effects),
            (true, _) => self.take_further(None, effects),
            // A name is followed by the wallet and the history of the address found.
            (false, []) => self.search_unasked(OF_HOLDER, effects),
            // The index may be old, so it does not show that nobody else has this name. The service does.
            (false, [one]) if one.why.contains(&MatchReason::SameName) => {
                self.search_unasked(OF_HOLDER, effects);
            }
            (false, _) => {
                self.call.not_found.text = None;
                self.choose_names(matches, None);
            }
        }
    }

    /// Keeps the rows of a search. Returns why it is incomplete.
    pub(super) fn take_rows(&mut self, rows: FoundRows) -> Option<ApiError> {
        self.call.requests += rows.requests;
        self.hints.learn(rows.items.iter());
        self.call.further.rows.extend(rows.items);
        self.call.further.beyond = self.call.further.beyond.max(rows.beyond);
        rows.trouble
    }

    /// The addresses that may be the caller's: like the one that was asked for, or else with the name.
    pub(super) fn found_matches(&self) -> Vec<Match> {
        let further = &self.call.further;
        let Some(address) = &self.asked else {
            return matches(further.before.as_deref(), self.call.caller.name.as_deref(), &further.rows);
        };
        let mut found = matches(Some(address), self.callers_name().as_deref(), &further.rows);
        // Badges that are on the screen already are not a new place.
        let (own, has_badges) = (EmailKey::of(address), !self.list.held().is_empty());
        found.retain(|one| !(has_badges && own.is(one.address.wire())));
        // The rows of a part of an address are mostly other people's, and many of them have a similar name.
        let is_weak = |one: &Match| MatchReason::are_weak(&one.why);
        if !found.iter().all(is_weak) {
            found.retain(|one| !is_weak(one));
        }
        found
    }

    /// Handles the addresses with a name: opens a single one that has exactly this name, lists others.
    pub(super) fn take_names(&mut self, trouble: Option<ApiError>, effects: &mut Effects<'_>) {
        if let Some(error) = trouble {
            self.fail(t!("The history could not be searched for this name: {error}", error));
            return;
        }
        let found = self.found_matches();
        match found.as_slice() {
            [] => match &mut self.call.query {
                Some(Query::Name { or_id, .. }) if or_id.is_some() => {
                    if let Some(id) = or_id.take() {
                        self.badge(id, effects);
                    }
                }
                Some(Query::BadgeId(_)) => {
                    self.earlier = None;
                    let name = self.subject();
                    self.call.not_found.text = Some(t!(
                        "No badge has the id or the name \u{201c}{name}\u{201d}.",
                        name = short(name)
                    ));
                    self.ask_journal(true, effects);
                }
                _ => self.ask_index(effects),
            },
            [one]
                if self.call.further.beyond == Remaining::Nothing
                    && one.why.contains(&MatchReason::SameName)
                    && self.call.requests + OF_HOLDER <= BUDGET =>
            {
                let email = one.address.wire().to_owned();
                self.call.caller.namesakes = 1;
                self.holder(&email, effects);
            }
            _ => self.choose_names(found, None),
        }
    }

    /// Searches what lapel has sent: the service may not show it yet.
    fn ask_journal(&mut self, is_whole: bool, effects: &mut Effects<'_>) {
        let ask = Request::SentAlike(self.asked.clone(), self.call.caller.name.clone());
        self.pending.send(LookupStep::SentAlike(is_whole), ask, effects);
    }

    /// Says so if lapel has sent badges to the name, or to addresses like this one.
    pub(super) fn take_alike(
        &mut self,
        is_whole: bool,
        sent: Result<Vec<SentAlike>, String>,
        effects: &mut Effects<'_>,
    ) {
        let is_read = sent.is_ok();
        let mut sent = self.call.of_journal(sent, effects);
        // The service shows some of them: the jobs were checked before.
        let shown = self.call.further.rows.iter().map(|row| &row.badge_id);
        let shown: HashSet<&BadgeId> =
            shown.chain(self.list.held().iter().map(|held| &held.badge_id)).collect();
        sent.retain(|one| one.sent.badge_id.as_ref().is_none_or(|id| !shown.contains(id)));
        let has_name = sent.iter().any(|one| one.why.contains(&MatchReason::SameName));
        let subject = short(self.subject()).into_owned();
        match (self.asked.is_some(), &mut self.list.people) {
            (false, _) if is_whole && has_name => {
                self.call.not_found.text =
                    Some(t!("No badge with the name \u{201c}{name}\u{201d} is visible yet.", name = subject));
            }
            (true, Some(people)) if people.matches.is_empty() && !sent.is_empty() => {
                people.title = t!("No badge for {address}; similar ones were sent", address = subject);
            }
            _ => {}
        }
        self.call.further.sent_alike = is_read.then(|| grouped(sent));
    }

    /// Lists the addresses with a name, and why the search is incomplete.
    fn choose_names(&mut self, found: Vec<Match>, trouble: Option<&ApiError>) {
        let (read, of) = (self.call.further.rows.len() as u64, self.call.further.beyond);
        let trouble = trouble.map(incomplete);
        self.choose(PeopleMatches::with_name(self.subject(), found, (read, of), trouble));
    }

    fn choose(&mut self, people: PeopleMatches) {
        self.earlier = None;
        self.list.people = Some(people);
        self.list.cursor = ListCursor::default();
        self.list.leave_search();
    }

    /// Handles the end of a search for other addresses or names.
    pub(super) fn take_further(&mut self, trouble: Option<ApiError>, effects: &mut Effects<'_>) {
        let found = self.found_matches();
        let is_whole = trouble.is_none();
        let Some(address) = self.asked.clone() else {
            // The precise searches found nothing. A further match is only listed, so no requests are kept for a
            // look-up.
            if found.is_empty() && is_whole && self.call.requests < BUDGET && !self.leads_left().is_empty() {
                return self.search_unasked(0, effects);
            }
            if !found.is_empty() {
                self.call.not_found.text = None;
                // What the index has found is listed, also if the service could not be asked about it.
                if !is_whole && self.call.further.index == Some(Ok(())) {
                    return self.choose_names(found, trouble.as_ref());
                }
                return self.take_names(trouble, effects);
            }
            if let Some(error) = trouble.as_ref().filter(|_| self.earlier.is_some()) {
                return self.fail(incomplete(error));
            }
            self.earlier = None;
            let name = short(self.subject());
            self.call.not_found.text = Some(match trouble {
                Some(error) => incomplete(&error),
                None if !self.call.by_id.tried.is_empty() => {
                    t!("No badge has the name or the id \u{201c}{id}\u{201d}.", id = name)
                }
                None => t!("No badge has the name \u{201c}{name}\u{201d}.", name),
            });
            return self.ask_journal(is_whole, effects);
        };
        let has_badges = !self.list.held().is_empty();
        let trouble = trouble.as_ref().map(incomplete);
        if has_badges && found.is_empty() {
            effects.say(trouble.unwrap_or_else(|| {
                plural!(
                    self.call.further.tried.len() as u64,
                    "Nothing found in {n} further search.",
                    "Nothing found in {n} further searches."
                )
            }));
            return;
        }
        self.choose(PeopleMatches::elsewhere(&address, has_badges, found, self.call.further.beyond, trouble));
        if !has_badges {
            self.ask_journal(is_whole, effects);
        }
    }
}

impl Wallet {
    /// What was searched without a match, as a sentence.
    pub(super) fn tried(&self, cx: &UiContext) -> Option<String> {
        let read = self.lookup.list.found.as_ref().filter(|found| found.both && !found.email.is_empty());
        let lists = read.map(|found| t!("wallet and history of {email}", email = cut(&found.email)));
        let mut tried: Vec<String> =
            lists.into_iter().chain(self.lookup.call.further.tried.iter().map(lead_words)).collect();
        tried.extend((self.lookup.call.further.index == Some(Ok(()))).then(|| t!("the index").to_owned()));
        tried.extend(self.lookup.call.further.sent_alike.as_ref().map(|_| t!("the journal").to_owned()));
        let is_missing = matches!(
            self.lookup.call.further.index,
            Some(Err(NotSearched::NoIndex | NotSearched::Failed(_)))
        );
        let is_unread = self.lookup.call.further.index == Some(Err(NotSearched::NotRead));
        let searched = (!tried.is_empty()).then(|| t!("Searched: {what}.", what = list(tried)));
        // The advice about a certificate number says it, too.
        let unread =
            (is_unread && self.lookup.call.not_found.certs != self.lookup.call.further.index).then(|| {
                t!(
                    "The index is not read yet: {key} on Home reads it ({cost}).",
                    key = cx.key(&[KeyContext::Home, KeyContext::Global], Action::Reload),
                    cost = cx.history_cost(self.lookup.hints.badges)
                )
            });
        let missing = is_missing.then(|| t!("No index here.").to_owned());
        let said: Vec<String> = searched.into_iter().chain(missing).chain(unread).collect();
        (!said.is_empty()).then(|| said.join(" "))
    }
}

/// Those of one job that were found for the same reason as one.
pub(super) fn grouped(sent: Vec<SentAlike>) -> Vec<(SentAlike, u64)> {
    let mut groups: Vec<(SentAlike, u64)> = Vec::new();
    for one in sent {
        let is_like = |other: &SentAlike| {
            other.why == one.why
                && (other.sent.job, other.sent.row_status) == (one.sent.job, one.sent.row_status)
        };
        match groups.iter_mut().find(|(first, _)| is_like(first)) {
            Some((_, n)) => *n += 1,
            None => groups.push((one, 1)),
        }
    }
    groups
}

fn incomplete(error: &ApiError) -> String {
    t!("The search is incomplete: {error}", error)
}

fn cut(text: &str) -> String {
    short(&text.chars().take(LONGEST_TRIED).collect::<String>()).into_owned()
}

/// A query as a part of a sentence. It shows no more than the user typed.
fn lead_words(lead: &HistoryProbe) -> String {
    match lead {
        HistoryProbe::Address(address) => cut(address),
        HistoryProbe::Name(name) => t!("name \u{201c}{name}\u{201d}", name = cut(name)),
        // lapel does not know whether the service compares whole addresses.
        HistoryProbe::Part(part) => {
            t!("addresses with \u{201c}{part}\u{201d} (if the service compares parts)", part = cut(part))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn badges_of_one_job_that_are_alike_for_one_reason_are_one_line() {
        let sent = |job, why| SentAlike {
            address: "p***@naru.example".to_owned(),
            sent: SentHere {
                job: JobId(job),
                title: "title".into(),
                badge_id: None,
                at: Timestamp::UNIX_EPOCH,
                row_status: RowStatus::Waiting,
                by: None,
            },
            why: vec![why],
        };
        let all = vec![
            sent(1, MatchReason::SameName),
            sent(3, MatchReason::NearlyTheName),
            sent(2, MatchReason::NearlyTheName),
            sent(3, MatchReason::NearlyTheName),
        ];
        let groups = grouped(all);
        let counts: Vec<_> = groups.iter().map(|(one, n)| (one.sent.job.0, *n)).collect();
        assert_eq!(counts, [(1, 1), (3, 2), (2, 1)]);
    }
}
