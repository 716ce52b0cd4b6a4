//! Search by certificate number. Only the local index can do it, not the service.

use super::{Lookups, Wallet};
use crate::domain::text::short;
use crate::domain::{BadgeId, Query};
use crate::i18n::list;
use crate::index::{Cert, Which};
use crate::tui::modals::question::Question;
use crate::tui::prelude::*;

/// The result of searching the index for a certificate number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::tui) enum Certs {
    #[default]
    NotAsked,
    /// There is no index, or lapel cannot read it.
    NoIndex,
    /// The index has no badge with this number.
    Unknown,
}

impl Certs {
    pub(in crate::tui) fn of(found: &Result<Vec<Cert>, String>) -> Self {
        if found.is_ok() { Self::Unknown } else { Self::NoIndex }
    }

    pub(in crate::tui) fn advice(self, env: &Env) -> String {
        let home = || env.key(&[Context::Global], Action::Home);
        match self {
            Self::NotAsked => t!(
                "Only the index of Home ({home}) can find a certificate number. The service finds badges by id. Ask for the badge id or the holder's e-mail address.",
                home = home()
            ),
            Self::NoIndex => t!(
                "If this is a certificate number: the service cannot search for one, and there is no index here. {home} opens Home, where {key} turns the index on. It has the numbers of badges whose record lapel has read. Or ask for the badge id or the holder's e-mail address.",
                home = home(),
                key = env.key(&[Context::Home], Action::IndexOn)
            ),
            Self::Unknown => t!(
                "If this is a certificate number: the index has only the numbers of badges that you opened, or read with {key} on a list of Home. Or ask for the badge id or the holder's e-mail address.",
                key = env.key(&[Context::OverviewList], Action::Details)
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
        number_in(query).filter(|_| self.call.certs == Certs::Unknown).map(str::to_owned)
    }

    /// Counts the records that were not read yet. This costs no request.
    pub(super) fn ask_cert_cost(&mut self, number: String, out: &mut Effects<'_>) {
        let ask = Request::WithoutDetails(Which::All);
        self.send(Lookups::CertCost(number), ask, out);
    }

    /// Asks for the one confirmation, with the number of requests.
    pub(super) fn take_cert_cost(
        &mut self,
        number: String,
        found: Result<Vec<BadgeId>, String>,
        out: &mut Effects<'_>,
    ) {
        let ids = match found {
            Ok(ids) => ids,
            Err(why) => return out.warn(why),
        };
        if ids.is_empty() {
            out.say(t!("lapel has already read the record of every badge in the index."));
            return;
        }
        let n = ids.len() as u64;
        let what = t!("Find certificate number {number}", number = short(&number));
        let text = vec![
            t!(
                "lapel reads the records of badges in the background, the newest first, until one has this number: at most {requests}.",
                requests = count!(n, "request", "requests")
            ),
            t!("Nothing is changed.").to_owned(),
        ];
        out.open(move |_, _| {
            Question::new(&what, text, move |out| out.go.push(Navigate::FindCert(number, ids)))
        });
    }

    pub fn read_records(&mut self, number: String, ids: Vec<BadgeId>, out: &mut Effects<'_>) {
        let ask = Request::Details(ids, Some(number.clone()));
        self.send(Lookups::CertRecords(number), ask, out);
    }

    /// Opens the badge if its record was among those read.
    pub(super) fn take_cert_again(
        &mut self,
        number: &str,
        found: &Result<Vec<Cert>, String>,
        out: &mut Effects<'_>,
    ) {
        match found.as_deref() {
            Ok([one]) => {
                self.call.nothing = None;
                self.badge(one.badge_id.clone(), out);
            }
            Ok(all @ [_, _, ..]) => self.call.nothing = Some(several(all)),
            Ok([]) => {
                self.call.nothing = Some(t!(
                    "No record in the index has the certificate number {number}.",
                    number = short(number)
                ));
            }
            Err(why) => out.warn(why.clone()),
        }
    }

    /// Asks the index first. This costs no request, and the service cannot search by these numbers.
    pub(super) fn ask_cert(&mut self, query: Query, out: &mut Effects<'_>) {
        let number = number_in(&query).unwrap_or_default().to_owned();
        self.send(Lookups::Cert(query), Request::FindCert(number), out);
    }

    /// Opens the badge with this number. If there is none, treats the input as a badge id or a name.
    pub(super) fn take_cert(
        &mut self,
        query: Query,
        found: &Result<Vec<Cert>, String>,
        out: &mut Effects<'_>,
    ) {
        match found.as_deref() {
            Ok([one]) => self.badge(one.badge_id.clone(), out),
            Ok(all @ [_, _, ..]) => self.call.nothing = Some(several(all)),
            Ok([]) | Err(_) => {
                self.call.certs = Certs::of(found);
                self.go_on(query, out);
            }
        }
    }
}
