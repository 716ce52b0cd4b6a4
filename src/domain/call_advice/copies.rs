//! Advice about copies of a badge: others of the same kind, for the same person.

use super::{CallCase, issuer, waits};
use crate::domain::holder::HeldBadge;
use crate::domain::time::ServiceTime;
use crate::domain::verdict::{State, Verdict};
use crate::i18n::number;
use jiff::civil::DateTime;

pub(super) fn copies(case: &CallCase<'_>, verdict: &Verdict) -> Vec<String> {
    if verdict.state() != State::Issued {
        return Vec::new();
    }
    let (mut valid, mut revoked, mut revoking) = (Vec::new(), Vec::new(), Vec::new());
    for copy in case.all.iter().filter(|other| case.held.is_copy_of(other)) {
        let verdict = copy.verdict(case.now);
        match verdict.state() {
            _ if is_valid_now(&verdict) => valid.push(copy),
            State::Revoked => revoked.push(copy),
            State::Revoking => revoking.push(copy),
            _ => {}
        }
    }
    if !valid.is_empty() {
        let (n, issuer) = (number(valid.len() as u64 + 1), issuer(case));
        let as_of = case.as_of();
        if !case.both && as_of.is_none() {
            return vec![t!(
                "They have at least {n} valid copies, but not all badges were read, so the newest is not known. This does no harm; {issuer} can revoke one.",
                n,
                issuer
            )];
        }
        let newer = match newest(valid.iter().copied().chain([case.held])) {
            Some(newest) if newest.badge_id == case.held.badge_id => t!("this is the newest").to_owned(),
            Some(newest) => t!("{id} is the newest", id = newest.badge_id),
            None => t!("the newest copy is not known").to_owned(),
        };
        return vec![match as_of {
            Some(time) => t!(
                "As of {time}, they had {n} valid copies; {newer}. This does no harm; {issuer} can revoke one.",
                time,
                n,
                newer,
                issuer
            ),
            None => t!(
                "They have {n} valid copies; {newer}. This does no harm; {issuer} can revoke one.",
                n,
                newer,
                issuer
            ),
        }];
    }
    revoked_copies(&revoked, &revoking).into_iter().collect()
}

/// Names one copy that is revoked, otherwise one that is being revoked, and counts the others.
fn revoked_copies(revoked: &[&HeldBadge], revoking: &[&HeldBadge]) -> Option<String> {
    let named = match (revoked, revoking) {
        ([copy, ..], _) => t!(
            "Copy {id} is revoked. \u{201c}Revoked\u{201d} refers to that copy, not to this one.",
            id = copy.badge_id
        ),
        ([], [copy, ..]) => t!(
            "Copy {id} is being revoked. \u{201c}Revoked\u{201d} refers to that copy, not to this one.",
            id = copy.badge_id
        ),
        ([], []) => return None,
    };
    let (revoked, revoking) = match revoked.len() as u64 {
        0 => (0, revoking.len() as u64 - 1),
        n => (n - 1, revoking.len() as u64),
    };
    let others = [
        (revoked > 0)
            .then(|| plural!(revoked, "{n} other copy is revoked.", "{n} other copies are revoked.")),
        (revoking > 0).then(|| {
            plural!(revoking, "{n} other copy is being revoked.", "{n} other copies are being revoked.")
        }),
    ];
    Some([named].into_iter().chain(others.into_iter().flatten()).collect::<Vec<_>>().join(" "))
}

/// The newest copy of the badge with such a verdict.
pub(super) fn copy_that_is<'a>(case: &CallCase<'a>, wanted: fn(&Verdict) -> bool) -> Option<&'a HeldBadge> {
    let copies = case.all.iter().filter(|other| case.held.is_copy_of(other));
    copies
        .filter(|other| wanted(&other.verdict(case.now)))
        .max_by_key(|other| other.reg_date().map(|t| t.raw().clone()))
}

/// The words about a copy that does not count yet. Somebody who asked for another one would get two.
pub(super) fn coming(case: &CallCase<'_>) -> Option<String> {
    let comes = |verdict: &Verdict| waits(verdict) && !matches!(verdict, Verdict::ToRevoke { .. });
    if let Some(copy) = copy_that_is(case, comes) {
        let id = &copy.badge_id;
        return Some(t!(
            "A new badge of this kind (id {id}) was accepted and waits to be issued. Do not ask for another one.",
            id
        ));
    }
    if let Some(copy) = copy_that_is(case, |verdict| matches!(verdict, Verdict::NotYetValid { .. })) {
        let (id, from) = (&copy.badge_id, copy.valid_from()?.to_minute());
        return Some(t!(
            "A new badge of this kind (id {id}) is issued and valid from {from}. Do not ask for another one.",
            id,
            from
        ));
    }
    let other = may_be_copy(case)?;
    let id = &other.badge_id;
    Some(if other.is_only_sent() {
        t!(
            "lapel has sent another badge with this title to this address (id {id}). It may be for this name: wait until it is issued before you ask for another one.",
            id
        )
    } else {
        t!("Badge {id} has the same title. lapel does not see yet whether both have the same name.", id)
    })
}

/// A badge with the same title, if only the journal knows one of the two, and so not its name. One that is revoked as soon
/// as it is issued is none.
pub(super) fn may_be_copy<'a>(case: &CallCase<'a>) -> Option<&'a HeldBadge> {
    let title = case.held.title()?;
    let is_one_unknown = |other: &&HeldBadge| other.is_only_sent() != case.held.is_only_sent();
    let mut others = case.all.iter().filter(is_one_unknown).filter(|other| other.to_revoke.is_none());
    others.find(|other| other.title() == Some(title))
}

pub(super) fn is_valid_now(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Valid { .. })
}

pub(super) fn accepted(held: &HeldBadge) -> Option<DateTime> {
    held.reg_date().and_then(ServiceTime::start)
}

/// `None` when a time is missing, or the last two are equal.
fn newest<'a>(copies: impl Iterator<Item = &'a HeldBadge>) -> Option<&'a HeldBadge> {
    let mut dated = copies.map(|copy| Some((accepted(copy)?, copy))).collect::<Option<Vec<_>>>()?;
    dated.sort_by_key(|(at, _)| *at);
    match dated.as_slice() {
        [.., (before, _), (last, _)] if before == last => None,
        [.., (_, newest)] => Some(newest),
        [] => None,
    }
}
