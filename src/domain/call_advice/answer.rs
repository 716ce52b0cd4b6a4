//! What to say to the caller's question about a badge.

use super::by_list::place;
use super::by_state::{how_it_stands, mail};
use super::copies::{coming, copies, is_valid_now, may_be_copy};
use super::{CallCase, CallerQuestion, is_revoked, issuer, waits};
use crate::domain::holder::{HeldBadge, names};
use crate::domain::text::Text;
use crate::domain::verdict::{State, Verdict};
use crate::i18n::{list, number};
use std::collections::HashSet;

/// Maximum number of titles in one sentence.
const TITLES: usize = 3;

pub(super) fn answer(case: &CallCase<'_>, question: CallerQuestion, verdict: &Verdict) -> Vec<String> {
    let is_valid = verdict.state() == State::Issued;
    let stands = || how_it_stands(case, verdict);
    match question {
        CallerQuestion::NoMail
        | CallerQuestion::NotInWallet
        | CallerQuestion::When
        | CallerQuestion::Expired
        | CallerQuestion::Revoked
        | CallerQuestion::Picture
            if matches!(verdict, Verdict::Unread) =>
        {
            stands()
        }
        CallerQuestion::NoMail if is_valid || waits(verdict) => stands(),
        CallerQuestion::NoMail => stands().into_iter().chain([mail(case)]).collect(),
        CallerQuestion::NotInWallet => not_in_wallet(case, verdict),
        CallerQuestion::When if is_valid => {
            let issued = match case.held.issued_at() {
                Some(at) => t!("It was issued on {at}.", at = at.to_minute()),
                None => t!("It was issued.").to_owned(),
            };
            vec![issued, mail(case)]
        }
        CallerQuestion::Expired | CallerQuestion::Revoked if is_valid => {
            valid_after_all(case, question, verdict)
        }
        CallerQuestion::When | CallerQuestion::Expired | CallerQuestion::Revoked => stands(),
        CallerQuestion::WrongName | CallerQuestion::WrongEmail => wrong_recipient(case, question, verdict),
        CallerQuestion::Twice => twice(case, verdict),
        // With several names on one address, `who_calls` has the answer.
        CallerQuestion::NotMine if names(case.all).len() > 1 => Vec::new(),
        CallerQuestion::NotMine => vec![t!(
            "All badges here have one name. First ask which name the caller has. If it is another one, give no details: {issuer} must check the address.",
            issuer = issuer(case)
        )],
        CallerQuestion::Real if case.held.is_only_sent() => vec![
            t!("lapel has seen no record of this badge at the service yet. Confirm nothing to an employer.")
                .to_owned(),
        ],
        CallerQuestion::Real => {
            let (word, _) = verdict.line();
            vec![
                t!("The issuer's record says: {word}.", word),
                t!("To an employer: ask for the badge id. Confirm neither name nor address.").to_owned(),
            ]
        }
        CallerQuestion::Picture => vec![pictures(case).to_owned()],
    }
}

fn not_in_wallet(case: &CallCase<'_>, verdict: &Verdict) -> Vec<String> {
    let is_valid = verdict.state() == State::Issued;
    let stands = || how_it_stands(case, verdict);
    if waits(verdict) {
        return stands();
    }
    if case.held.wallet.is_some() {
        // The wallet may show a badge that has ended in another place, or in another way.
        let ended = matches!(verdict, Verdict::Expired { .. }) || is_revoked(verdict);
        let first = if ended { stands() } else { Vec::new() };
        let wallet = t!(
            "It is in the wallet of this e-mail address. Read the address out letter by letter: the caller may use another one."
        );
        return first.into_iter().chain([wallet.to_owned()]).collect();
    }
    let first = if is_valid { Vec::new() } else { stands() };
    if !case.both {
        // What was read to its end is the same when it is read again.
        let unread = if let Some(time) = case.as_of() {
            t!("As of {time}, the wallet did not show this badge. Read it again first.", time)
        } else if case.unfinished {
            t!("Not everything was read, so lapel cannot say whether the wallet shows this badge. Read more of it first.").to_owned()
        } else {
            t!("Not everything could be read, so lapel cannot say whether the wallet shows this badge. Read it again first.").to_owned()
        };
        return first.into_iter().chain([unread]).collect();
    }
    match place(case, verdict) {
        Some(place) => first.into_iter().chain([place]).collect(),
        None => stands(),
    }
}

/// To a caller who says that a valid badge is expired or revoked.
fn valid_after_all(case: &CallCase<'_>, question: CallerQuestion, verdict: &Verdict) -> Vec<String> {
    let (word, _) = verdict.line();
    let mut say = vec![if question == CallerQuestion::Expired {
        t!("It has not expired. The record says: {word}.", word)
    } else {
        t!("It is not revoked. The record says: {word}.", word)
    }];
    say.extend(meant(case, question));
    say.extend(copies(case, verdict));
    say
}

fn wrong_recipient(case: &CallCase<'_>, question: CallerQuestion, verdict: &Verdict) -> Vec<String> {
    let issuer = issuer(case);
    let already = match (verdict, verdict.state()) {
        (_, State::Revoked) => Some(t!("This badge is revoked already.").to_owned()),
        (_, State::Revoking) => Some(t!("This badge is being revoked already.").to_owned()),
        (Verdict::ToRevoke { job, .. }, _) => {
            Some(t!("Job {job} revokes this badge as soon as it is issued.", job))
        }
        _ => None,
    };
    let ask = match (question == CallerQuestion::WrongName, already.is_some()) {
        (true, false) => t!(
            "Ask for the right name, letter by letter. Only {issuer} can issue a corrected badge and revoke this one.",
            issuer
        ),
        (true, true) => {
            t!("Ask for the right name, letter by letter. Only {issuer} can issue a corrected badge.", issuer)
        }
        (false, false) => t!(
            "Ask for the right e-mail address, letter by letter. Only {issuer} can issue the badge to that address and revoke this one; it must know who calls.",
            issuer
        ),
        (false, true) => t!(
            "Ask for the right e-mail address, letter by letter. Only {issuer} can issue a badge to that address; it must know who calls.",
            issuer
        ),
    };
    let is_planned = already.is_some();
    let mut say = vec![already.map_or_else(|| ask.clone(), |already| format!("{already} {ask}"))];
    if waits(verdict) && !is_planned {
        say.push(t!("A waiting badge can only be revoked when it is issued.").to_owned());
    }
    say.push(t!("Pass on this badge id and what the caller spelled.").to_owned());
    say
}

fn twice(case: &CallCase<'_>, verdict: &Verdict) -> Vec<String> {
    let copies = copies(case, verdict);
    let is_counted = |other: &&HeldBadge| other.badge_id == case.held.badge_id || case.held.is_copy_of(other);
    let all_counted = case.all.iter().filter(is_counted);
    let verdicts: Vec<Verdict> = all_counted.map(|held| held.verdict(case.now)).collect();
    let valid = verdicts.iter().filter(|verdict| is_valid_now(verdict)).count();
    let ended = verdicts.iter().filter(|verdict| verdict.state() == State::Expired).count() as u64;
    let first = if valid > 1 {
        let n = number(valid as u64);
        let counted = || match case.as_of() {
            Some(time) => t!(
                "As of {time}, this e-mail address had {n} valid badges of this kind under this name.",
                time,
                n
            ),
            None => t!("Under this name, this e-mail address has {n} valid badges of this kind.", n),
        };
        copies.is_empty().then(counted)
    } else if (case.both || case.whole_as_of.is_some()) && may_be_copy(case).is_some() {
        None
    } else if case.both {
        Some(t!("Under this name, this e-mail address has no second valid badge of this kind.").to_owned())
    } else if let Some(time) = case.as_of() {
        Some(t!(
            "As of {time}, this e-mail address had no second valid badge of this kind under this name.",
            time
        ))
    } else if case.asked.is_empty() {
        Some(t!("Only this badge was looked up, not its holder's wallet.").to_owned())
    } else {
        Some(t!("Not everything could be read. A second valid badge of this kind is possible.").to_owned())
    };
    // Of a copy that is revoked.
    let mut say: Vec<String> = first.into_iter().chain(copies).collect();
    say.extend((ended > 0 && verdicts.len() > 1).then(|| {
        plural!(
            ended,
            "{n} copy has expired: a renewal is a new badge, not a duplicate.",
            "{n} copies have expired: a renewal is a new badge, not a duplicate."
        )
    }));
    say.extend(coming(case));
    say
}

fn pictures(case: &CallCase<'_>) -> &'static str {
    if case.held.is_only_sent() {
        return t!("There are no pictures to open before it is issued.");
    }
    match case.pictures {
        Some([Some(true), Some(true)]) => {
            t!("Both pictures open, as in a browser. Ask the caller to try another browser or network.")
        }
        Some([Some(false), Some(false)]) => {
            t!("Neither picture opens. Give the badge id to the provider's help desk.")
        }
        Some([Some(false), Some(true)]) => {
            t!("The front does not open. Give the badge id to the provider's help desk.")
        }
        Some([Some(true), Some(false)]) => {
            t!("The back does not open. Give the badge id to the provider's help desk.")
        }
        None => t!(
            "The pictures were not tested yet. lapel can open both as a browser does, without the API key."
        ),
        _ => t!(
            "lapel opens both pictures as a browser does, without the API key. Read out the result above. If one does not open, give the badge id to the provider's help desk."
        ),
    }
}

/// The holder's badges that are expired or revoked, as the caller says: the selected one may not be the one they mean.
fn meant(case: &CallCase<'_>, question: CallerQuestion) -> Option<String> {
    let is_meant = |other: &&HeldBadge| {
        other.name_key() == case.held.name_key()
            && match other.verdict(case.now) {
                Verdict::Expired { .. } => question == CallerQuestion::Expired,
                verdict => question == CallerQuestion::Revoked && is_revoked(&verdict),
            }
    };
    let mut seen = HashSet::new();
    let is_under_way = |other: &HeldBadge| other.verdict(case.now).state() == State::Revoking;
    let any_under_way = case.all.iter().filter(is_meant).any(is_under_way);
    let titles = case.all.iter().filter(is_meant).filter_map(HeldBadge::title).map(Text::to_string);
    let mut titles: Vec<String> = titles.filter(|title| seen.insert(title.clone())).collect();
    if titles.is_empty() {
        return None;
    }
    let more = titles.split_off(titles.len().min(TITLES)).len();
    if more > 0 {
        titles.push(t!("and {n} more", n = number(more as u64)));
    }
    let all = list(titles);
    Some(if question == CallerQuestion::Expired {
        t!("Expired badges in this list: {all}. Select the one that the caller means.", all)
    } else if any_under_way {
        t!(
            "Badges in this list that are revoked or being revoked: {all}. Select the one that the caller means.",
            all
        )
    } else {
        t!("Revoked badges in this list: {all}. Select the one that the caller means.", all)
    })
}
