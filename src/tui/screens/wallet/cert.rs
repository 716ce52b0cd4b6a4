//! Search by certificate number. Only the local index can do it, not the service.

use super::{Lookups, Wallet};
use crate::domain::Query;
use crate::index::Cert;
use crate::tui::context::Env;
use crate::tui::effects::Effects;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::request::Request;
use crate::tui::worker::index::IndexAsk;

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
                "Only the index of Home ({home}) can find a certificate number. The service finds badges by id. Ask for the badge id or the e-mail address it was sent to.",
                home = home()
            ),
            Self::NoIndex => t!(
                "If this is a certificate number: the service cannot search for one, and there is no index here. {home} opens Home, where {key} turns one on; it has the numbers of badges whose record was read. Or ask for the badge id or the e-mail address it was sent to.",
                home = home(),
                key = env.key(&[Context::Home], Action::IndexOn)
            ),
            Self::Unknown => t!(
                "If this is a certificate number: the index has only those of badges that were opened, or read with {key} on a list of Home. Or ask for the badge id or the e-mail address it was sent to.",
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
        ids = ids.join(", ")
    )
}

impl Wallet {
    /// Asks the index first. This costs no request, and the service cannot search by these numbers.
    pub(super) fn ask_cert(&mut self, query: Query, out: &mut Effects<'_>) {
        let number = number_in(&query).unwrap_or_default().to_owned();
        self.send(Lookups::Cert(query), Request::Index(Box::new(IndexAsk::Find(number))), out);
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
