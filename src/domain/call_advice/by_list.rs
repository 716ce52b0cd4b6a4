//! What to say about a badge that only one of the lists has: the wallet or the history.

use super::{CallCase, waits};
use crate::domain::email::EmailKey;
use crate::domain::holder::HeldBadge;
use crate::domain::text::Text;
use crate::domain::verdict::{State, Verdict};

pub(super) fn place(case: &CallCase<'_>, verdict: &Verdict) -> Option<String> {
    let held = case.held;
    if !case.both {
        return None;
    }
    match (&held.wallet, &held.history) {
        (None, Some(item)) => {
            let spelled = item.recipient_email.as_ref().is_some_and(|address| address.wire() != case.asked);
            match verdict.state() {
                // The line about waiting already says so.
                State::Waiting => None,
                State::Revoked | State::Revoking => {
                    Some(t!("The wallet does not show it: a revocation is recorded.").to_owned())
                }
                _ if spelled => Some(
                    t!(
                        "It is not in the wallet of this address: it went to another spelling of it. Look up that spelling."
                    )
                        .to_owned(),
                ),
                _ => Some(t!("It is in the history but not in the wallet.").to_owned()),
            }
        }
        // The history may hide waiting badges that the wallet shows.
        (Some(_), None) if waits(verdict) => None,
        (Some(_), None) => Some(
            if is_spelled_otherwise(case) {
                t!("It is not in the history of this spelling: its record spells the e-mail address differently. Look up that spelling.")
            } else if is_own(case) {
                t!("lapel did not find it in the history, which may have another spelling of this e-mail address.")
            } else {
                t!("It is not in the history: it may be another organisation's, issued with another key, or under another spelling of this e-mail address.")
            }
            .to_owned(),
        ),
        _ => None,
    }
}

fn is_spelled_otherwise(case: &CallCase<'_>) -> bool {
    let on_record = case.held.recipient_email().map(Text::wire);
    on_record.is_some_and(|address| address != case.asked && EmailKey::of(address).is(case.asked))
}

/// Whether its issuer is the profile's own, or that of another badge here that the history has.
fn is_own(case: &CallCase<'_>) -> bool {
    let Some(issuer) = case.held.issuing_org().filter(|issuer| !issuer.looks_empty()) else { return false };
    let in_history = case.all.iter().filter(|other| other.history.is_some());
    issuer.wire().trim() == case.organisation.trim()
        || in_history.filter_map(HeldBadge::issuing_org).any(|own| own == issuer)
}
