//! What to say about a badge in its state: valid, waiting, overdue, expired, revoked.

use super::copies::{accepted, coming, copy_that_is, is_valid_now};
use super::{CallCase, issuer};
use crate::domain::email::{EmailKey, meant_domain};
use crate::domain::holder::HeldBadge;
use crate::domain::narrowing::is_sent;
use crate::domain::text::{Text, scrub};
use crate::domain::time::ServiceTime;
use crate::domain::verdict::{State, Verdict};
use jiff::ToSpan;
use jiff::civil::DateTime;

pub(super) fn how_it_stands(case: &CallCase<'_>, verdict: &Verdict) -> Vec<String> {
    let said = match verdict {
        Verdict::Expired { until, .. } => return expired(case, until),
        Verdict::Revoked { .. } | Verdict::Revoking { .. } | Verdict::RevocationUnderWay { .. } => {
            return revoked(case, verdict);
        }
        Verdict::NotYetValid { from } => {
            let from = from.to_minute();
            let says = t!("It is issued and valid from {from}. Until then it shows as not yet valid.", from);
            return vec![says, mail(case)];
        }
        Verdict::Valid { .. } => return vec![mail(case)],
        Verdict::ToRevoke { job, .. } => {
            return vec![t!(
                "It is not issued yet, and job {job} revokes it as soon as it is issued. This is the decision of {issuer}. Transfer the call.",
                job,
                issuer = issuer(case)
            )];
        }
        Verdict::Waiting { since: None } => match &case.held.requested {
            Some(at) => {
                let at = at.to_minute();
                return vec![t!(
                    "It was requested on {at} and waits to be issued: usually 5 min to 24 h.",
                    at
                )];
            }
            None => t!(
                "It was accepted and waits to be issued: usually 5 min to 24 h. This record does not show the acceptance time."
            ),
        },
        // The badge may already be overdue.
        Verdict::Waiting { .. } if !case.zone_known => t!(
            "It was accepted and waits to be issued: usually 5 min to 24 h. lapel does not know the service's time zone, so the waiting time is not certain."
        ),
        Verdict::Waiting { .. } => return vec![accepted_when(case.held, case.now)],
        Verdict::Overdue { .. } => match deadline(case.held) {
            Some(latest) => {
                return vec![t!(
                    "It is usually issued by {latest}, and that time has passed. Give the badge id to the provider's help desk. The holder does not need to do anything.",
                    latest
                )];
            }
            None => t!(
                "The usual time has passed, and it is not issued yet. Give the badge id to the provider's help desk. The holder does not need to do anything."
            ),
        },
        Verdict::Unread => {
            t!(
                "The service could not be read: it may be issued by now. Promise nothing. Read it again first."
            )
        }
        Verdict::SaidFailed { .. } => t!(
            "The service says that issuing failed. lapel cannot see why: give the badge id to the provider's help desk."
        ),
        Verdict::SaidExpired { .. } | Verdict::SaidIssued { .. } | Verdict::Unknown { .. } => t!(
            "lapel does not know what the service means by this word. Promise nothing. Ask the provider's help desk with the badge id."
        ),
    };
    vec![said.to_owned()]
}

pub(super) fn mail(case: &CallCase<'_>) -> String {
    let address = case.held.recipient_email().map_or(case.asked, Text::wire);
    let key = EmailKey::of(address);
    let slip = key.domain().and_then(meant_domain).map(|meant| t!("Did they mean {meant}?", meant));
    let in_the_wallet = || Some(t!("The wallet shows the badge without any mail.").to_owned());
    let (first, last) = match case.held.email_status() {
        Some(word) if is_sent(word.wire()) => (
            t!("Mail was sent to exactly this address: read it out letter by letter.").to_owned(),
            Some(t!("Then check the spam folder, the company's mail gateway, the wallet.").to_owned()),
        ),
        Some(word) => {
            let domain = scrub(key.domain().unwrap_or_default()).into_owned();
            let gateway = || {
                t!(
                    "If others at {domain} got no mail either, its gateway may block it: their IT can check.",
                    domain
                )
            };
            (
                t!(
                    "The service's word for the mail is \u{201c}{word}\u{201d}. Read the address out letter by letter.",
                    word
                ),
                // A misspelled domain is a likelier reason than a mail gateway.
                slip.is_none().then(gateway),
            )
        }
        None if !case.held.mail_was_read() => (
            t!("lapel has not read the mail status. Read the address out letter by letter.").to_owned(),
            in_the_wallet(),
        ),
        None => (
            t!("There is no mail status. Read the address out letter by letter.").to_owned(),
            in_the_wallet(),
        ),
    };
    [Some(first), slip, last].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn expired(case: &CallCase<'_>, until: &ServiceTime) -> Vec<String> {
    let mut say = Vec::new();
    if let Some(copy) = copy_that_is(case, is_valid_now) {
        let id = &copy.badge_id;
        say.push(if accepted(copy) > accepted(case.held) && accepted(case.held).is_some() {
            t!("A newer copy is valid: badge id {id}. Give them that id.", id)
        } else {
            t!("Another copy is valid: badge id {id}. Give them that id.", id)
        });
    } else if let Some(coming) = coming(case) {
        say.push(coming);
    } else {
        say.push(t!(
            "It expired on {end}. A renewal is a new badge; {issuer} decides about it. Transfer the call.",
            end = until.to_minute(),
            issuer = issuer(case)
        ));
    }
    let apart = until.day().map(|day| day.until(case.now.date()).map_or(9, |span| span.get_days().abs()));
    if apart.is_some_and(|days| days <= 1) {
        say.push(
            t!("The end date is very near: the result depends on the clock used and on whether the last day counts.")
                .to_owned(),
        );
    }
    say
}

fn revoked(case: &CallCase<'_>, verdict: &Verdict) -> Vec<String> {
    if let Some(copy) = copy_that_is(case, is_valid_now) {
        let id = &copy.badge_id;
        return vec![match copy.issued_at() {
            Some(issued) => t!(
                "\u{201c}Revoked\u{201d} refers to this copy. Another copy of the same badge is valid: badge id {id}, issued {issued}. Give them that id.",
                id,
                issued = issued.to_minute()
            ),
            None => t!(
                "\u{201c}Revoked\u{201d} refers to this copy. Another copy of the same badge is valid: badge id {id}. Give them that id.",
                id
            ),
        }];
    }
    if let Some(coming) = coming(case) {
        return vec![coming];
    }
    let reason = match (case.held.reason(), &case.held.detail) {
        // A reason may name the holder, or someone else.
        (Some(_), _) if case.by_id => t!("Read out the whole reason, but no names and no addresses."),
        (Some(_), _) => t!("Read out the whole reason word for word."),
        (None, Some(_)) => t!("The record gives no reason."),
        (None, None) => t!("The reason is in the badge itself, which lapel has not read."),
    };
    let issuer = issuer(case);
    vec![if verdict.state() == State::Revoking {
        t!(
            "It is being revoked. {reason} This is the decision of {issuer}. Transfer the call.",
            reason,
            issuer
        )
    } else {
        t!(
            "It is no longer valid. {reason} This is the decision of {issuer}. Transfer the call.",
            reason,
            issuer
        )
    }]
}

/// When it was accepted, and how long the service takes. The contract gives no time for one badge.
fn accepted_when(held: &HeldBadge, now: DateTime) -> String {
    let accepted = accepted(held);
    let day = accepted.map(DateTime::date);
    let at = accepted.map_or(String::new(), |at| at.strftime("%H:%M").to_string());
    if day == Some(now.date()) {
        t!("It was accepted today at {at}. Issuing usually takes 5 minutes to 24 hours.", at)
    } else if day.is_some_and(|day| day.tomorrow().is_ok_and(|next| next == now.date())) {
        t!("It was accepted yesterday at {at}. Issuing usually takes 5 minutes to 24 hours.", at)
    } else {
        t!("It was accepted. Issuing usually takes 5 minutes to 24 hours.").to_owned()
    }
}

/// The end of the usual time: 24 hours after acceptance.
pub(super) fn deadline(held: &HeldBadge) -> Option<String> {
    let latest = accepted(held)?.checked_add(24.hours()).ok()?;
    Some(latest.strftime("%Y-%m-%d %H:%M").to_string())
}
