//! The summary of a support call for a request, with names and addresses masked.

use super::call_advice::{CallCase, Script};
use super::holder::HeldBadge;
use super::mask;
use super::text::Text;
use super::time::{ServiceTime, with_age};
use super::verdict::State;
use crate::i18n::list;

pub fn summary(case: &CallCase<'_>, script: &Script) -> String {
    let held = case.held;
    let verdict = case.verdict();
    let (word, why) = verdict.line();
    let part = |text: Option<&Text>| text.map(ToString::to_string);
    let mut lines = vec![t!(
        "Badge {id}: {verdict}",
        id = held.badge_id,
        verdict = list([word, why].into_iter().filter(|part| !part.is_empty()))
    )];
    let what = [part(held.title()), part(held.badge_type_name()), part(held.level_name())];
    lines.push(list(what.into_iter().flatten()).to_string());
    let issued = [part(held.issuing_org()), part(held.cert_no()).map(|no| t!("certificate no. {no}", no))];
    lines.push(list(issued.into_iter().flatten()).to_string());
    let name = held.recipient_name().map_or_else(|| t!("no name").to_owned(), |n| mask::name(n.wire()));
    let address = held.recipient_email().map_or(case.asked, Text::wire);
    lines.push(t!("Holder: {name}, {address}", name, address = mask::address(address)));
    // The holder is masked, so mail is not mentioned.
    if !case.masked {
        lines.push(match held.email_status() {
            Some(mail) => t!("Mail: {mail} (the service's word)", mail),
            None if held.mail_was_read() => t!("Mail: no status").to_owned(),
            None => t!("Mail: not read").to_owned(),
        });
    }
    let aged = |at: Option<&ServiceTime>| at.map(|at| with_age(at, case.now));
    let dates = [
        aged(held.reg_date()).map(|at| t!("accepted {at}", at)),
        aged(held.issued_at()).map(|at| t!("issued {at}", at)),
        aged(held.valid_until().filter(|t| !t.is_forever())).map(|at| t!("valid until {at}", at)),
        aged(held.revoke_at()).map(|at| match verdict.state() {
            State::Revoking => t!("revocation {at}", at),
            _ => t!("revoked {at}", at),
        }),
    ];
    let dates: Vec<String> = dates.into_iter().flatten().collect();
    if !dates.is_empty() {
        lines.push(t!("Service time: {dates}", dates = list(dates)));
    }
    if case.both {
        lines.extend(match (&held.wallet, &held.history) {
            (None, Some(_)) => Some(t!("Not in the wallet.").to_owned()),
            (Some(_), None) => Some(t!("Not in the history.").to_owned()),
            _ => None,
        });
    }
    lines.extend(script.say.iter().map(|line| format!("- {line}")));
    lines.push(t!("Not possible: {what}.", what = script.cannot));
    // Each spelling of a name, and their display forms, which the lines above contain.
    let names = case.all.iter().filter_map(HeldBadge::recipient_name);
    let mut names: Vec<String> = names.flat_map(|name| [name.wire().to_owned(), name.to_string()]).collect();
    // Longer names first, because one name may contain another. Most badges of a long wallet have the same one.
    names.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    names.dedup();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let lines: Vec<String> =
        lines.into_iter().filter(|l| !l.is_empty()).map(|line| mask::text(&line, &names)).collect();
    lines.join("\n") + "\n"
}
