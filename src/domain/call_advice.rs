//! Advice for a support call about one badge, as sentences to read aloud. They contain neither
//! names nor addresses.
//!
//! ```text
//! question              what a caller asks
//! answer                what to say to that
//! by_state, by_list     what to say about a badge in its state, and about one that a list does not have
//! copies                what to say about its copies
//! not_possible          what the service cannot do
//! ```

mod answer;
mod by_list;
mod by_state;
mod copies;
mod not_possible;
mod question;

use super::holder::{HeldBadge, names};
use super::name_search::{NameMatch, likeness};
use super::text::Text;
use super::time::{ServiceTime, age, with_age};
use super::verdict::{State, Verdict};
use answer::answer;
use by_list::place;
use by_state::{deadline, how_it_stands};
use copies::copies;
use jiff::SignedDuration;
use jiff::civil::DateTime;
use not_possible::cannot;
pub use question::CallerQuestion;

/// The advice mentions the remaining time of a badge that expires sooner than this.
const SOON: SignedDuration = SignedDuration::from_hours(30 * 24);

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
    /// When both lists were read to their end, in service time, if a later refresh failed.
    pub whole_as_of: Option<DateTime>,
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
    pub now: DateTime,
    /// Known, and not only assumed from this computer.
    pub zone_known: bool,
}

impl<'a> CallCase<'a> {
    /// A call about a badge of which only its own record was read.
    pub fn alone(held: &'a HeldBadge, now: DateTime) -> Self {
        Self {
            held,
            all: std::slice::from_ref(held),
            asked: held.recipient_email().map_or("", Text::wire),
            organisation: "",
            both: false,
            whole_as_of: None,
            unfinished: false,
            by_id: false,
            masked: false,
            namesakes: 0,
            question: None,
            pictures: None,
            now,
            zone_known: true,
        }
    }

    pub fn verdict(&self) -> Verdict {
        self.held.verdict(self.now)
    }

    /// [`CallCase::whole_as_of`], for a sentence.
    fn as_of(&self) -> Option<String> {
        self.whole_as_of.map(|at| at.strftime("%Y-%m-%d %H:%M").to_string())
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

fn why(case: &CallCase<'_>, verdict: &Verdict) -> Vec<String> {
    let (held, now) = (case.held, case.now);
    let mut why = dates(held.reg_date(), held.issued_at(), now);
    if waits(verdict) || matches!(verdict, Verdict::Unread) {
        let requested = held.requested.as_ref().filter(|_| held.reg_date().is_none());
        why.extend(requested.map(|at| t!("requested {time}", time = with_age(at, now))));
        why.extend(deadline(held).map(|at| t!("24 h after acceptance: {at}", at)));
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

/// A wrong name or address goes to the issuer.
pub fn correction() -> &'static str {
    t!(
        "Wrong name or address? Pass on this id and the right spelling. Only the issuer can issue a corrected badge and revoke this one."
    )
}

fn waits(verdict: &Verdict) -> bool {
    verdict.state() == State::Waiting
}

fn issuer(case: &CallCase<'_>) -> String {
    case.held.issuing_org().map_or_else(|| t!("the issuer").to_owned(), ToString::to_string)
}

#[cfg(test)]
mod tests;
