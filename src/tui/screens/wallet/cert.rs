//! Search by certificate number. Only the local index can do it, not the service.

use super::{Lookups, Wallet};
use crate::index::Cert;
use crate::tui::modals::confirm_action::ConfirmAction;
use crate::tui::prelude::*;
use crate::tui::worker::index::{MOST_DETAILS, NotSearched};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::tui) enum Certs {
    #[default]
    NotAsked,
    NoIndex,
    /// lapel cannot read the index.
    Failed,
    /// Nothing was read into the index yet.
    NotRead,
    Unknown,
}

impl Certs {
    pub(in crate::tui) fn of(found: &Result<Vec<Cert>, NotSearched>) -> Self {
        match found {
            Ok(_) => Self::Unknown,
            Err(NotSearched::NotRead) => Self::NotRead,
            Err(NotSearched::NoIndex) => Self::NoIndex,
            Err(NotSearched::Failed(_)) => Self::Failed,
        }
    }

    pub(in crate::tui) fn advice(self, cx: &UiContext) -> String {
        let home = || cx.key(&[KeyContext::Global], Action::Home);
        match self {
            Self::NotAsked => t!("Ask for the badge id or the holder's e-mail address.").to_owned(),
            Self::NoIndex => t!(
                "If this is a certificate number: the service cannot search for one, and there is no index here. {home} opens Home, where {key} turns the index on. It has the numbers of badges whose record lapel has read. Or ask for the badge id or the holder's e-mail address.",
                home = home(),
                key = cx.key(&[KeyContext::Home], Action::IndexOn)
            ),
            Self::Failed => t!(
                "If this is a certificate number: only the index has them, and lapel cannot read it. To see why: lapel doctor. Or ask for the badge id or the holder's e-mail address."
            )
            .to_owned(),
            Self::NotRead => t!(
                "If this is a certificate number: only the index has them, and it is not read yet. {home} opens Home, where {key} reads it. Or ask for the badge id or the holder's e-mail address.",
                home = home(),
                key = cx.key(&[KeyContext::Home, KeyContext::Global], Action::Reload)
            ),
            Self::Unknown => t!(
                "If this is a certificate number: the index has only the numbers of badges that you opened, or read with {key} on a list of Home. Or ask for the badge id or the holder's e-mail address.",
                key = cx.key(&[KeyContext::OverviewList], Action::Details)
            ),
        }
    }
}

/// Whether the input may be a certificate number: it contains a digit and is not an address.
pub(super) fn may_be(query: &Query) -> bool {
    number_in(query).is_some()
}

fn number_in(query: &Query) -> Option<&str> {
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

impl Wallet {
    /// The certificate number that the index does not know, while that is what the screen says.
    pub(super) fn unknown_cert(&self) -> Option<String> {
        let query = self.call.query.as_ref().filter(|_| self.call.nothing.is_some())?;
        let can_be_read = match self.call.certs {
            Certs::NotAsked | Certs::Failed => false,
            Certs::Unknown | Certs::NotRead => true,
            // A name with a digit is searched further before an index is built for it.
            Certs::NoIndex => matches!(query, Query::BadgeId(_)) || self.leads_left().is_empty(),
        };
        number_in(query).filter(|_| can_be_read).map(str::to_owned)
    }

    /// What the key for searching further does for a certificate number that the index does not know.
    pub(super) fn cert_offer(&self, cx: &UiContext) -> Option<String> {
        self.unknown_cert()?;
        let key = cx.key(&[KeyContext::Wallet], Action::Elsewhere);
        Some(match self.call.certs {
            Certs::NoIndex => t!(
                "{key} turns an index on until lapel ends and reads the history into it ({cost}), then the records, after a confirmation.",
                key,
                cost = cx.history_cost(self.history)
            ),
            Certs::NotRead => t!(
                "{key} reads the history ({cost}), then the records, after a confirmation.",
                key,
                cost = cx.history_cost(self.history)
            ),
            _ => t!("{key} reads the records that are missing, after a confirmation with the cost.", key),
        })
    }

    /// Asks for the one confirmation. If the index has badges, first counts their records that were not read yet. This
    /// costs no request.
    pub(super) fn ask_cert_cost(&mut self, number: String, cx: &UiContext, effects: &mut Effects<'_>) {
        if matches!(self.call.certs, Certs::NoIndex | Certs::NotRead) {
            let cost = cx.history_cost(self.history);
            let text = match self.history.map(|badges| count!(badges, "request", "requests")) {
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
            let index = (self.call.certs == Certs::NoIndex)
                .then(|| t!("It turns an index on in memory, which is gone when lapel ends.").to_owned());
            return confirm(number, std::iter::once(text).chain(index), None, effects);
        }
        self.send(Lookups::CertCost(number), Request::WithoutDetails(IndexedList::All), effects);
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
        let (what, ask) = match ids {
            Some(ids) => (Lookups::CertRecords(number.clone()), Request::Details(ids, Some(number))),
            None if self.call.certs == Certs::NoIndex => (Lookups::CertIndexOn(number), Request::TurnOnIndex),
            None => (Lookups::CertSync(number), Request::Sync(SyncScope::New)),
        };
        self.send(what, ask, effects);
    }

    /// Handles a step of the search for a certificate number after its confirmation.
    pub(super) fn take_cert_step(&mut self, step: Lookups, answer: Response, effects: &mut Effects<'_>) {
        let (what, ask) = match (step, answer) {
            (Lookups::CertIndexOn(number), Response::IndexOn(Ok(()))) => {
                self.call.certs = Certs::NotRead;
                return self.read_records(number, None, effects);
            }
            (Lookups::CertSync(number), Response::Synced(Ok(synced))) => {
                self.call.requests += u32::try_from(synced.requests).unwrap_or(u32::MAX);
                self.call.certs = Certs::Unknown;
                (Lookups::CertIds(number), Request::WithoutDetails(IndexedList::All))
            }
            // Every record was read.
            (Lookups::CertIds(number), Response::WithoutDetails(Ok(ids))) if ids.is_empty() => {
                return self.no_cert(&number);
            }
            (Lookups::CertIds(number), Response::WithoutDetails(Ok(ids))) => {
                return self.read_records(number, Some(ids), effects);
            }
            // Those that are left cannot be read.
            (Lookups::CertRecords(number), Response::Details(Ok(read))) if read.read + read.gone == 0 => {
                return self.no_cert(&number);
            }
            (Lookups::CertRecords(number), Response::Details(Ok(read))) => {
                self.call.requests += u32::try_from(read.read + read.gone).unwrap_or(u32::MAX);
                (Lookups::CertAgain(number.clone()), Request::FindCert(number))
            }
            (
                _,
                Response::IndexOn(Err(why))
                | Response::Synced(Err(why))
                | Response::WithoutDetails(Err(why))
                | Response::Details(Err(why)),
            ) => return effects.warn(why),
            _ => return,
        };
        self.send(what, ask, effects);
    }

    /// Whether the confirmed reading for a certificate number is running.
    pub(super) fn is_reading_cert(&self) -> bool {
        let step = self.lookup.as_ref().map(|(_, step)| step);
        matches!(
            step,
            Some(
                Lookups::CertIndexOn(_)
                    | Lookups::CertSync(_)
                    | Lookups::CertIds(_)
                    | Lookups::CertRecords(_)
                    | Lookups::CertAgain(_)
            )
        )
    }

    /// Stops the reading. The index keeps what was read.
    pub(super) fn stop_cert(&mut self, effects: &mut Effects<'_>) {
        effects.cancel(self.lookup.take().map(|(request, _)| request));
        effects.say(t!("Stopped. The index keeps the records that lapel has read."));
    }

    /// The progress of the reading, and the key that stops it.
    pub(super) fn cert_progress(&self, cx: &UiContext) -> Option<String> {
        self.is_reading_cert().then(|| {
            let contexts: &[KeyContext] = if self.typing {
                &[KeyContext::LookUp, KeyContext::Prompt, KeyContext::Field, KeyContext::Always]
            } else {
                &[KeyContext::Wallet, KeyContext::List, KeyContext::Global]
            };
            let esc = cx.key(contexts, Action::Back);
            match self.progress {
                Some((done, all)) if all > 0 => {
                    t!("{done} of {all}. {esc} stops it.", done = number(done), all = number(all), esc)
                }
                Some((done, _)) if done > 0 => t!("{done} read. {esc} stops it.", done = number(done), esc),
                _ => t!("{esc} stops it.", esc),
            }
        })
    }

    fn no_cert(&mut self, number: &str) {
        self.call.certs = Certs::NotAsked;
        self.call.nothing =
            Some(t!("No record in the index has the certificate number {number}.", number = short(number)));
    }

    /// Opens the badge if its record was among those read. Otherwise reads on.
    pub(super) fn take_cert_again(
        &mut self,
        number: &str,
        found: &Result<Vec<Cert>, NotSearched>,
        effects: &mut Effects<'_>,
    ) {
        match found.as_deref() {
            Ok([one]) => {
                self.call.nothing = None;
                self.badge(one.badge_id.clone(), effects);
            }
            Ok(all @ [_, _, ..]) => self.call.nothing = Some(several(all)),
            Ok([]) => {
                let next = Request::WithoutDetails(IndexedList::All);
                self.send(Lookups::CertIds(number.to_owned()), next, effects);
            }
            Err(NotSearched::NotRead) => self.no_cert(number),
            Err(NotSearched::NoIndex) => effects.warn(t!("This profile has no index.")),
            Err(NotSearched::Failed(why)) => effects.warn(why.clone()),
        }
    }

    /// Asks the index first. This costs no request, and the service cannot search by these numbers.
    pub(super) fn ask_cert(&mut self, query: Query, effects: &mut Effects<'_>) {
        let number = number_in(&query).unwrap_or_default().to_owned();
        self.send(Lookups::Cert(query), Request::FindCert(number), effects);
    }

    /// Opens the badge with this number. If there is none, treats the input as a badge id or a name.
    pub(super) fn take_cert(
        &mut self,
        query: Query,
        found: &Result<Vec<Cert>, NotSearched>,
        effects: &mut Effects<'_>,
    ) {
        match found.as_deref() {
            Ok([one]) => self.badge(one.badge_id.clone(), effects),
            Ok(all @ [_, _, ..]) => self.call.nothing = Some(several(all)),
            Ok([]) | Err(_) => {
                self.call.certs = Certs::of(found);
                self.go_on(query, effects);
            }
        }
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
        effects.go.push(Navigate::FindCert(number, ids))
    }));
}
