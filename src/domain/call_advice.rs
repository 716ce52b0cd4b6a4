//! Advice for a support call about one badge, as sentences to read aloud. They contain neither
//! names nor addresses.

mod copies;
mod question;

use super::email::{EmailKey, meant_domain};
use super::holder::{HeldBadge, names};
use super::name_search::{NameMatch, likeness};
use super::narrowing::is_sent;
use super::summary::with_age;
use super::text::Text;
use super::time::{ServiceTime, age};
use super::verdict::{State, Verdict};
use crate::i18n::{list, number};
use copies::{accepted, coming, copies, copy_that_is, is_valid_now, may_be_copy};
use jiff::civil::DateTime;
use jiff::{SignedDuration, ToSpan};
pub use question::CallerQuestion;
use std::collections::HashSet;

/// The advice mentions the remaining time of a badge that expires sooner than this.
const SOON: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Maximum number of titles in one sentence.
const TITLES: usize = 3;

#[derive(Clone, Copy, Debug)]
pub struct CallCase<'a> {
    pub held: &'a HeldBadge,
    /// Of the same address, including this badge.
    pub all: &'a [HeldBadge],
    /// Empty if a badge was looked up, and not its holder.
    pub asked: &'a str,
    /// The profile's own label, usually the name of its issuer. May be empty.
    pub organisation: &'a str,
    /// Both wallet and history were read. Otherwise the advice does not mention that only one of
    /// them has a badge.
    pub both: bool,
    /// The lists are longer than what was read, and nothing else is missing.
    pub unfinished: bool,
    /// The badge was found by its id, so the caller may not be its holder.
    pub by_id: bool,
    /// The user sees only the record with its holder masked. The advice then says nothing about
    /// mail, wallet or corrections.
    pub masked: bool,
    /// Addresses with badges under the searched name. 0 when no name was searched.
    pub namesakes: usize,
    pub question: Option<CallerQuestion>,
    /// Whether front and back open, if lapel has tried them. `None` for one that could not be tried.
    pub pictures: Option<[Option<bool>; 2]>,
    /// When lapel requested the badge, in service time, if the journal knows it.
    pub requested: Option<DateTime>,
    pub now: DateTime,
    /// Known, and not only assumed from this computer.
    pub zone_known: bool,
}

impl CallCase<'_> {
    pub fn verdict(&self) -> Verdict {
        self.held.verdict(self.now).with_request(self.requested, self.now)
    }
}

/// The advice. When there is too little space, its last line [`correction`] is dropped first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    pub say: Vec<String>,
    /// The times in the record that the advice rests on.
    pub why: Vec<String>,
    /// The rest of a sentence.
    pub cannot: String,
}

pub fn script(case: &CallCase<'_>) -> Script {
    let verdict = case.verdict();
    let mut say = who_calls(case);
    if case.masked {
        if matches!(verdict, Verdict::Expired { .. }) || is_revoked(&verdict) || waits(&verdict) {
            say.extend(how_it_stands(case, &verdict));
        }
    } else if let Some(question) = case.question {
        say.extend(answer(case, question, &verdict));
    } else {
        say.extend(how_it_stands(case, &verdict));
        say.extend(copies(case, &verdict));
        say.extend(place(case, &verdict));
        if verdict.state() == State::Issued || matches!(verdict, Verdict::Expired { .. }) {
            say.push(correction().to_owned());
        }
    }
    Script { say, why: why(case, &verdict), cannot: cannot(case, &verdict) }
}

fn answer(case: &CallCase<'_>, question: CallerQuestion, verdict: &Verdict) -> Vec<String> {
    let is_waiting = waits(verdict);
    let is_valid = verdict.state() == State::Issued;
    let stands = || how_it_stands(case, verdict);
    let issuer = issuer(case);
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
        CallerQuestion::NoMail if is_valid || is_waiting => stands(),
        CallerQuestion::NoMail => stands().into_iter().chain([mail(case)]).collect(),
        CallerQuestion::NotInWallet if is_waiting => stands(),
        CallerQuestion::NotInWallet if case.held.wallet.is_some() => {
            // The wallet may show a badge that has ended in another place, or in another way.
            let ended = matches!(verdict, Verdict::Expired { .. }) || is_revoked(verdict);
            let first = if ended { stands() } else { Vec::new() };
            let wallet = t!("It is in the wallet of this e-mail address. Read the address out letter by letter: the caller may use another one.");
            first.into_iter().chain([wallet.to_owned()]).collect()
        }
        CallerQuestion::NotInWallet if !case.both => {
            let first = if is_valid { Vec::new() } else { stands() };
            // What was read to its end is the same when it is read again.
            let unread = if case.unfinished {
                t!("Not everything was read, so lapel cannot say whether the wallet shows this badge. Read more of it first.")
            } else {
                t!("Not everything could be read, so lapel cannot say whether the wallet shows this badge. Read it again first.")
            };
            first.into_iter().chain([unread.to_owned()]).collect()
        }
        CallerQuestion::NotInWallet => match place(case, verdict) {
            Some(place) if is_valid => vec![place],
            Some(place) => stands().into_iter().chain([place]).collect(),
            None => stands(),
        },
        CallerQuestion::When if is_valid => {
            let issued = match case.held.issued_at() {
                Some(at) => t!("It was issued on {at}.", at = at.to_minute()),
                None => t!("It was issued.").to_owned(),
            };
            vec![issued, mail(case)]
        }
        CallerQuestion::Expired | CallerQuestion::Revoked if is_valid => {
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
        CallerQuestion::When | CallerQuestion::Expired | CallerQuestion::Revoked => stands(),
        CallerQuestion::WrongName | CallerQuestion::WrongEmail => {
            let already = match verdict.state() {
                State::Revoked => Some(t!("This badge is revoked already.")),
                State::Revoking => Some(t!("This badge is being revoked already.")),
                _ => None,
            };
            let ask = match (question == CallerQuestion::WrongName, already.is_some()) {
                (true, false) => t!("Ask for the right name, letter by letter. Only {issuer} can issue a corrected badge and revoke this one.", issuer),
                (true, true) => t!("Ask for the right name, letter by letter. Only {issuer} can issue a corrected badge.", issuer),
                (false, false) => t!("Ask for the right e-mail address, letter by letter. Only {issuer} can issue the badge to that address and revoke this one; it must know who calls.", issuer),
                (false, true) => t!("Ask for the right e-mail address, letter by letter. Only {issuer} can issue a badge to that address; it must know who calls.", issuer),
            };
            let mut say = vec![already.map_or_else(|| ask.clone(), |already| format!("{already} {ask}"))];
            if is_waiting {
                say.push(t!("A waiting badge can only be revoked when it is issued.").to_owned());
            }
            say.push(t!("Pass on this badge id and what the caller spelled.").to_owned());
            say
        }
        CallerQuestion::Twice => {
            let copies = copies(case, verdict);
            let is_counted = |other: &&HeldBadge| {
                other.badge_id == case.held.badge_id || case.held.is_copy_of(other)
            };
            let all_counted = case.all.iter().filter(is_counted);
            let verdicts: Vec<Verdict> = all_counted.map(|held| held.verdict(case.now)).collect();
            let valid = verdicts.iter().filter(|verdict| is_valid_now(verdict)).count();
            let ended = verdicts.iter().filter(|verdict| verdict.state() == State::Expired).count() as u64;
            let first = if valid > 1 {
                let n = number(valid as u64);
                let counted = t!("Under this name, this e-mail address has {n} valid badges of this kind.", n);
                copies.is_empty().then_some(counted)
            } else if case.both && may_be_copy(case).is_some() {
                None
            } else if case.both {
                Some(t!("Under this name, this e-mail address has no second valid badge of this kind.").to_owned())
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
        // With several names on one address, `who_calls` has the answer.
        CallerQuestion::NotMine if names(case.all).len() > 1 => Vec::new(),
        CallerQuestion::NotMine => vec![t!(
            "All badges here have one name. First ask which name the caller has. If it is another one, give no details: {issuer} must check the address.",
            issuer
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
        CallerQuestion::Picture if case.held.is_only_sent() => {
            vec![t!("There are no pictures to open before it is issued.").to_owned()]
        }
        CallerQuestion::Picture => vec![
            match case.pictures {
                Some([Some(true), Some(true)]) => t!("Both pictures open, as in a browser. Ask the caller to try another browser or network."),
                Some([Some(false), Some(false)]) => t!("Neither picture opens. Give the badge id to the provider's help desk."),
                Some([Some(false), Some(true)]) => t!("The front does not open. Give the badge id to the provider's help desk."),
                Some([Some(true), Some(false)]) => t!("The back does not open. Give the badge id to the provider's help desk."),
                None => t!("The pictures were not tested yet. lapel can open both as a browser does, without the API key."),
                _ => t!("lapel opens both pictures as a browser does, without the API key. Read out the result above. If one does not open, give the badge id to the provider's help desk."),
            }
            .to_owned(),
        ],
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

fn why(case: &CallCase<'_>, verdict: &Verdict) -> Vec<String> {
    let (held, now) = (case.held, case.now);
    let mut why = dates(held.reg_date(), held.issued_at(), now);
    if waits(verdict) || matches!(verdict, Verdict::Unread) {
        let requested = case.requested.filter(|_| held.reg_date().is_none());
        let requested = requested.and_then(|at| ServiceTime::new(&at.strftime("%F %T").to_string()));
        why.extend(requested.map(|at| t!("requested {time}", time = with_age(&at, now))));
        why.extend(deadline(held).map(|at| t!("24 h limit: {at}", at)));
    }
    if let Verdict::Valid { until: Some(until) } = verdict {
        let left = until.end().map(|end| end.duration_since(now));
        why.extend(left.filter(|left| *left < SOON).map(|left| t!("expires in {age}", age = age(left))));
    }
    if let Some(last) = why.last_mut() {
        *last = t!("{times}, service time", times = last);
    }
    why
}

/// If both are on one day, only one age is shown.
fn dates(accepted: Option<&ServiceTime>, issued: Option<&ServiceTime>, now: DateTime) -> Vec<String> {
    let same_day = accepted.and_then(ServiceTime::day) == issued.and_then(ServiceTime::day);
    let mut dates = Vec::new();
    if let (Some(accepted), Some(issued), Some(at), true) =
        (accepted, issued, issued.and_then(ServiceTime::start).filter(|at| *at <= now), same_day)
        && !issued.is_date_only()
    {
        dates.push(t!("accepted {time}", time = accepted.to_minute()));
        dates.push(t!(
            "issued {time} ({age} ago)",
            time = at.strftime("%H:%M"),
            age = age(now.duration_since(at))
        ));
    } else {
        dates.extend(accepted.map(|at| t!("accepted {time}", time = with_age(at, now))));
        dates.extend(issued.map(|at| t!("issued {time}", time = with_age(at, now))));
    }
    dates
}

fn is_revoked(verdict: &Verdict) -> bool {
    matches!(verdict.state(), State::Revoked | State::Revoking)
}

fn who_calls(case: &CallCase<'_>) -> Vec<String> {
    let mut say = Vec::new();
    let all = names(case.all);
    let shared = all.len();
    // Two people, or a mistyped name and its correction.
    let is_alike =
        |own: &Text| all.iter().any(|other| likeness(own.wire(), other.wire()) == Some(NameMatch::OneOff));
    if shared > 1 && case.held.recipient_name().is_some_and(is_alike) {
        say.push(t!(
            "{shared} names share this e-mail address, one nearly the same as this. One may be misspelt: first ask which name is theirs.",
            shared
        ));
    } else if shared > 1 && case.question == Some(CallerQuestion::WrongName) {
        say.push(t!("{shared} names share this e-mail address: first ask which name is theirs.", shared));
    } else if shared > 1 {
        say.push(t!(
            "{shared} names share this e-mail address: first ask which name is theirs. Another name in this wallet is not an error.",
            shared
        ));
    }
    if case.namesakes > 1 {
        say.push(t!(
            "{n} addresses have this name; they may be different people. First ask for the address or the course.",
            n = case.namesakes
        ));
    }
    if case.by_id {
        say.push(
            t!("To an employer: this is the issuer's record for this id. Confirm neither name nor address.")
                .to_owned(),
        );
    }
    say
}

fn how_it_stands(case: &CallCase<'_>, verdict: &Verdict) -> Vec<String> {
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
        Verdict::Waiting { since: None } => match case.requested {
            Some(at) => {
                let at = at.strftime("%Y-%m-%d %H:%M");
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
                    "It should have been issued by {latest}. Give the badge id to the provider's help desk. The holder does not need to do anything.",
                    latest
                )];
            }
            None => t!(
                "It should have been issued. Give the badge id to the provider's help desk. The holder does not need to do anything."
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

fn mail(case: &CallCase<'_>) -> String {
    let address = case.held.recipient_email().map_or(case.asked, Text::wire);
    let key = EmailKey::of(address);
    let slip = key
        .domain()
        .and_then(meant_domain)
        .map_or(String::new(), |meant| t!(" Did they mean {meant}?", meant));
    match case.held.email_status() {
        Some(word) if is_sent(word.wire()) => t!(
            "Mail was sent to exactly this address: read it out letter by letter.{slip} Then check the spam folder, the company's mail gateway, the wallet.",
            slip
        ),
        // A misspelled domain is a likelier reason than a mail gateway.
        Some(word) if !slip.is_empty() => t!(
            "The service's word for the mail is \u{201c}{word}\u{201d}. Read the address out letter by letter.{slip}",
            word,
            slip
        ),
        Some(word) => {
            let domain = super::text::scrub(key.domain().unwrap_or_default()).into_owned();
            t!(
                "The service's word for the mail is \u{201c}{word}\u{201d}. Read the address out letter by letter. If others at {domain} got no mail either, its gateway may block it: their IT can check.",
                word,
                domain
            )
        }
        None if !case.held.mail_was_read() => t!(
            "lapel has not read the mail status. Read the address out letter by letter.{slip} The wallet shows the badge without any mail.",
            slip
        ),
        None => t!(
            "There is no mail status. Read the address out letter by letter.{slip} The wallet shows the badge without any mail.",
            slip
        ),
    }
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

fn place(case: &CallCase<'_>, verdict: &Verdict) -> Option<String> {
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

/// A wrong name or address goes to the issuer.
pub fn correction() -> &'static str {
    t!(
        "Wrong name or address? Pass on this id and the right spelling. Only the issuer can issue a corrected badge and revoke this one."
    )
}

/// What the service cannot do, as the rest of a sentence. What the caller asks for comes first.
fn cannot(case: &CallCase<'_>, verdict: &Verdict) -> String {
    let signature = t!("verify its signature");
    // The rest would tell of mail and wallet.
    if case.masked {
        return signature.to_owned();
    }
    let mut all = case.question.map(|question| cannot_as_asked(question, verdict)).unwrap_or_default();
    all.extend(cannot_as_it_stands(verdict));
    all.extend(case.by_id.then_some(signature));
    let mut seen = HashSet::new();
    all.retain(|one| seen.insert(*one));
    list(all).to_string()
}

fn cannot_as_asked(question: CallerQuestion, verdict: &Verdict) -> Vec<&'static str> {
    let is_waiting = waits(verdict);
    let later = is_waiting.then(|| t!("revoke it before it is issued"));
    match question {
        // What is not issued has no mail and need not be in the wallet.
        CallerQuestion::NoMail | CallerQuestion::NotInWallet | CallerQuestion::When
            if is_waiting || matches!(verdict, Verdict::Unread) =>
        {
            vec![t!("promise a time")]
        }
        CallerQuestion::NoMail | CallerQuestion::When => {
            vec![t!("mail it again"), t!("prove delivery")]
        }
        CallerQuestion::NotInWallet => vec![t!("move it elsewhere")],
        CallerQuestion::WrongName => [t!("edit it")].into_iter().chain(later).collect(),
        CallerQuestion::WrongEmail => {
            [t!("move it elsewhere"), t!("edit it")].into_iter().chain(later).collect()
        }
        CallerQuestion::Expired => vec![t!("extend it")],
        // One of two copies may be revoked for good.
        CallerQuestion::Revoked | CallerQuestion::Twice => vec![t!("undo a revocation")],
        CallerQuestion::NotMine => vec![t!("move it elsewhere"), t!("edit it")],
        CallerQuestion::Real => vec![t!("verify its signature")],
        CallerQuestion::Picture => vec![t!("change its pictures")],
    }
}

fn cannot_as_it_stands(verdict: &Verdict) -> Vec<&'static str> {
    match verdict {
        Verdict::Waiting { .. } | Verdict::Overdue { .. } => {
            vec![t!("speed it up"), t!("promise a time"), t!("revoke it before it is issued")]
        }
        Verdict::Valid { .. } | Verdict::NotYetValid { .. } => {
            vec![t!("mail it again"), t!("prove delivery"), t!("edit it"), t!("move it elsewhere")]
        }
        Verdict::Unread => vec![t!("say whether it is issued"), t!("promise a time")],
        Verdict::Expired { .. } => vec![t!("extend it"), t!("edit it"), t!("move it elsewhere")],
        Verdict::Revoked { .. } | Verdict::Revoking { .. } | Verdict::RevocationUnderWay { .. } => {
            vec![t!("undo a revocation")]
        }
        Verdict::SaidExpired { .. }
        | Verdict::SaidIssued { .. }
        | Verdict::SaidFailed { .. }
        | Verdict::Unknown { .. } => {
            vec![t!("explain the service's own word")]
        }
    }
}

fn waits(verdict: &Verdict) -> bool {
    verdict.state() == State::Waiting
}

/// When it was accepted, and how long the service takes. The contract gives no time for one badge.
fn accepted_when(held: &HeldBadge, now: DateTime) -> String {
    let accepted = accepted(held);
    let day = accepted.map(DateTime::date);
    let at = accepted.map_or(String::new(), |at| at.strftime("%H:%M").to_string());
    if day == Some(now.date()) {
        t!("It was accepted today at {at}. Issuing takes 5 minutes to 24 hours.", at)
    } else if day.is_some_and(|day| day.tomorrow().is_ok_and(|next| next == now.date())) {
        t!("It was accepted yesterday at {at}. Issuing takes 5 minutes to 24 hours.", at)
    } else {
        t!("It was accepted. Issuing takes 5 minutes to 24 hours.").to_owned()
    }
}

/// The latest normal time of issue: 24 hours after acceptance.
fn deadline(held: &HeldBadge) -> Option<String> {
    let latest = accepted(held)?.checked_add(24.hours()).ok()?;
    Some(latest.strftime("%Y-%m-%d %H:%M").to_string())
}

fn issuer(case: &CallCase<'_>) -> String {
    case.held.issuing_org().map_or_else(|| t!("the issuer").to_owned(), ToString::to_string)
}

#[cfg(test)]
mod tests;
