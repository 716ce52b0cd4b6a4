//! Search by certificate number. Only the local index can do it, not the service.

use super::Wallet;
use super::lookup::Lookup;
use super::requests::{CertStep, LookupStep};
use super::state::NoBadge;
use crate::index::Cert;
use crate::tui::modals::confirm_action::ConfirmAction;
use crate::tui::prelude::*;
use crate::tui::request::NotSearched;
use crate::tui::worker::index::MOST_DETAILS;

/// Whether the index was searched, or why not.
pub(in crate::tui) type IndexSearch = Result<(), NotSearched>;

pub(in crate::tui) fn index_search<T>(found: &Result<T, NotSearched>) -> IndexSearch {
    found.as_ref().map(|_| ()).map_err(Clone::clone)
}

/// What to do after a search of the index that did not find a certificate number.
pub(in crate::tui) fn advice(certs: Option<&IndexSearch>, cx: &UiContext) -> String {
    let home = || cx.key(&[KeyContext::Global], Action::Home);
    match certs {
        None => t!("Ask for the badge id or the holder's e-mail address.").to_owned(),
        Some(Err(NotSearched::NoIndex)) => t!(
            "If this is a certificate number: the service cannot search for one, and there is no index here. {home} opens Home, where {key} turns the index on. It has the numbers of badges whose record lapel has read. Or ask for the badge id or the holder's e-mail address.",
            home = home(),
            key = cx.key(&[KeyContext::Home], Action::IndexOn)
        ),
        Some(Err(NotSearched::Failed(_))) => t!(
            "If this is a certificate number: only the index has them, and lapel cannot read it. To see why: lapel doctor. Or ask for the badge id or the holder's e-mail address."
        )
        .to_owned(),
        Some(Err(NotSearched::NotRead)) => t!(
            "If this is a certificate number: only the index has them, and it is not read yet. {home} opens Home, where {key} reads it. Or ask for the badge id or the holder's e-mail address.",
            home = home(),
            key = cx.key(&[KeyContext::Home, KeyContext::Global], Action::Reload)
        ),
        Some(Ok(())) => t!(
            "If this is a certificate number: the index has only the numbers of badges that you opened, or read with {key} on a list of Home. Or ask for the badge id or the holder's e-mail address.",
            key = cx.key(&[KeyContext::OverviewList], Action::Details)
        ),
    }
}

/// What may be a certificate number: it contains a digit and is not an address.
pub(super) fn number_in(query: &Query) -> Option<&str> {
    let text = match query {
        Query::BadgeId(id) => id.wire(),
        Query::Name { name, .. } => name,
        Query::Nothing | Query::NotAnAddress(_) | Query::Address { .. } => return None,
    };
    text.chars().any(char::is_numeric).then_some(text)
}

pub(in crate::tui) fn several(found: &[Cert]) -> String {
    let ids: Vec<String> = found.iter().map(|cert| cert.badge_id.to_string()).collect();
    plural!(
        found.len() as u64,
        "{n} badge has this certificate number: {ids}. Look it up by its id.",
        "{n} badges have this certificate number: {ids}. Look up each one by its id.",
        ids = list(ids)
    )
}

impl Lookup {
    /// The certificate number that the index does not know, while that is what the screen says.
    pub(super) fn unknown_cert(&self) -> Option<String> {
        let query = self.call.query.as_ref().filter(|_| self.call.not_found.text.is_some())?;
        let can_be_read = match self.call.not_found.certs {
            None | Some(Err(NotSearched::Failed(_))) => false,
            Some(Ok(()) | Err(NotSearched::NotRead)) => true,
            // A name with a digit is searched further before an index is built for it.
            Some(Err(NotSearched::NoIndex)) => {
                matches!(query, Query::BadgeId(_)) || self.leads_left().is_empty()
            }
        };
        number_in(query).filter(|_| can_be_read).map(str::to_owned)
    }

    /// Asks for the one confirmation. If the index has badges, first counts their records that were not read yet. This
    /// costs no request.
    pub(super) fn ask_cert_cost(&mut self, number: String, cx: &UiContext, effects: &mut Effects<'_>) {
        let has_no_index = self.call.not_found.certs == Some(Err(NotSearched::NoIndex));
        if has_no_index || self.call.not_found.certs == Some(Err(NotSearched::NotRead)) {
            let cost = cx.history_cost(self.hints.badges);
            let text = match self.hints.badges.map(|badges| count!(badges, "request", "requests")) {
                Some(requests) => t!(
                    "lapel reads the history into the index ({cost}), then the records of badges, the newest first, until one has this number: at most {requests}, 1 for each badge.",
                    cost,
                    requests
                ),
                None => t!(
                    "lapel reads the history into the index ({cost}), then the records of badges, the newest first, until one has this number: at most 1 request for each badge.",
                    cost
                ),
            };
            let index = has_no_index
                .then(|| t!("It turns an index on in memory, which is gone when lapel ends.").to_owned());
            return confirm(number, std::iter::once(text).chain(index), None, effects);
        }
        self.pending.send(LookupStep::CertCost(number), Request::WithoutDetails(IndexedList::All), effects);
    }

    /// Asks for the one confirmation, with the number of requests.
    pub(super) fn take_cert_cost(
        &mut self,
        number: String,
        found: Result<Vec<BadgeId>, String>,
        effects: &mut Effects<'_>,
    ) {
        let ids = match found {
            Ok(ids) => ids,
            Err(why) => return effects.warn(why),
        };
        if ids.is_empty() {
            effects.say(t!("lapel has already read the record of every badge in the index."));
            return;
        }
        let requests = count!(ids.len() as u64, "request", "requests");
        let text = if ids.len() < MOST_DETAILS {
            t!(
                "lapel reads the records of badges in the background, the newest first, until one has this number: at most {requests}.",
                requests
            )
        } else {
            t!(
                "lapel reads the records of badges in the background, the newest first, until one has this number: {requests} and more, 1 for each badge.",
                requests
            )
        };
        confirm(number, [text], Some(ids), effects);
    }

    /// Reads the records of these badges. Without badges: of all, after reading the history into the index, which may have to
    /// be turned on first.
    pub fn read_records(&mut self, number: String, ids: Option<Vec<BadgeId>>, effects: &mut Effects<'_>) {
        let (step, request) = match ids {
            Some(ids) => (CertStep::Records, Request::Details(ids, Some(number.clone()))),
            None if self.call.not_found.certs == Some(Err(NotSearched::NoIndex)) => {
                (CertStep::History, Request::TurnOnIndex)
            }
            None => (CertStep::History, Request::Sync(SyncScope::New)),
        };
        self.pending.send(LookupStep::ReadCert(step, number), request, effects);
    }

    /// Handles the response to a step of the confirmed reading.
    pub(super) fn take_cert_step(&mut self, number: String, response: Response, effects: &mut Effects<'_>) {
        let (next, request) = match response {
            Response::IndexOn(Ok(())) => {
                self.call.not_found.certs = Some(Err(NotSearched::NotRead));
                return self.read_records(number, None, effects);
            }
            Response::Synced(Ok(synced)) => {
                self.call.requests += u32::try_from(synced.requests).unwrap_or(u32::MAX);
                self.call.not_found.certs = Some(Ok(()));
                (CertStep::History, Request::WithoutDetails(IndexedList::All))
            }
            // Every record was read.
            Response::WithoutDetails(Ok(ids)) if ids.is_empty() => {
                return self.call.not_found.no_cert(&number);
            }
            Response::WithoutDetails(Ok(ids)) => {
                return self.read_records(number, Some(ids), effects);
            }
            // Those that are left cannot be read.
            Response::Details(Ok(read)) if read.read + read.gone == 0 => {
                return self.call.not_found.no_cert(&number);
            }
            Response::Details(Ok(read)) => {
                self.call.requests += u32::try_from(read.read + read.gone).unwrap_or(u32::MAX);
                (CertStep::Search, Request::FindCert(number.clone()))
            }
            // The badge is opened if its record was among those read. Otherwise lapel reads on.
            Response::FoundCerts(found) => match found.as_deref() {
                Ok([one]) => {
                    self.call.not_found.text = None;
                    return self.badge(one.badge_id.clone(), effects);
                }
                Ok(all @ [_, _, ..]) => {
                    self.call.not_found.text = Some(several(all));
                    return;
                }
                Ok([]) => (CertStep::History, Request::WithoutDetails(IndexedList::All)),
                Err(NotSearched::NotRead) => return self.call.not_found.no_cert(&number),
                Err(NotSearched::NoIndex) => return effects.warn(t!("This profile has no index.")),
                Err(NotSearched::Failed(why)) => return effects.warn(why.clone()),
            },
            Response::IndexOn(Err(why))
            | Response::Synced(Err(why))
            | Response::WithoutDetails(Err(why))
            | Response::Details(Err(why)) => return effects.warn(why),
            _ => return,
        };
        self.pending.send(LookupStep::ReadCert(next, number), request, effects);
    }

    /// Stops the reading. The index keeps what was read.
    pub(super) fn stop_cert(&mut self, effects: &mut Effects<'_>) {
        self.pending.cancel_step(effects);
        effects.say(t!("Stopped. The index keeps the records that lapel has read."));
    }

    /// Opens the badge with this number. If there is none, treats the input as a badge id or a name.
    pub(super) fn take_cert(&mut self, found: &Result<Vec<Cert>, NotSearched>, effects: &mut Effects<'_>) {
        match found.as_deref() {
            Ok([one]) => self.badge(one.badge_id.clone(), effects),
            Ok(all @ [_, _, ..]) => self.call.not_found.text = Some(several(all)),
            Ok([]) | Err(_) => {
                self.call.not_found.certs = Some(index_search(found));
                if let Some(query) = self.call.query.clone() {
                    self.go_on(query, effects);
                }
            }
        }
    }
}

impl Wallet {
    /// What the key for searching further does for a certificate number that the index does not know.
    pub(super) fn cert_offer(&self, cx: &UiContext) -> Option<String> {
        self.lookup.unknown_cert()?;
        let key = cx.key(&[KeyContext::Wallet], Action::Elsewhere);
        Some(match self.lookup.call.not_found.certs {
            Some(Err(NotSearched::NoIndex)) => t!(
                "{key} turns an index on until lapel ends and reads the history into it ({cost}), then the records, after a confirmation.",
                key,
                cost = cx.history_cost(self.lookup.hints.badges)
            ),
            Some(Err(NotSearched::NotRead)) => t!(
                "{key} reads the history ({cost}), then the records, after a confirmation.",
                key,
                cost = cx.history_cost(self.lookup.hints.badges)
            ),
            _ => t!("{key} reads the records that are missing, after a confirmation with the cost.", key),
        })
    }

    /// The progress of the reading, and the key that stops it.
    pub(super) fn cert_progress(&self, cx: &UiContext) -> Option<String> {
        self.lookup.pending.is_reading_cert().then(|| {
            let esc = cx.key(&self.key_contexts(), Action::Back);
            match self.lookup.pending.progress {
                Some((done, all)) if all > 0 => {
                    t!("{done} of {all}. {esc} stops it.", done = number(done), all = number(all), esc)
                }
                Some((done, _)) if done > 0 => t!("{done} read. {esc} stops it.", done = number(done), esc),
                _ => t!("{esc} stops it.", esc),
            }
        })
    }
}

impl NoBadge {
    fn no_cert(&mut self, number: &str) {
        self.certs = None;
        self.text =
            Some(t!("No record in the index has the certificate number {number}.", number = short(number)));
    }
}

fn confirm(
    number: String,
    text: impl IntoIterator<Item = String>,
    ids: Option<Vec<BadgeId>>,
    effects: &mut Effects<'_>,
) {
    let what = t!("Find certificate number {number}", number = short(&number));
    let text = text.into_iter().chain([t!("Nothing is changed.").to_owned()]).collect();
    effects.show(ConfirmAction::new(&what, text, move |effects| {
        effects.go.push(Navigate::FindCert(number, ids));
    }));
}
