//! A summary of a call that can be pasted into a ticket: what is known of a badge and what was told, with
//! names and addresses masked.

use super::mask;
use super::script::{Case, Script};
use super::text::Text;
use super::time::{ServiceTime, age};
use jiff::civil::DateTime;

/// The summary, one fact a line.
pub fn summary(case: &Case<'_>, script: &Script) -> String {
    let held = case.held;
    let (word, why) = held.verdict(case.now).line();
    let part = |text: Option<&Text>| text.map(ToString::to_string);
    let mut lines =
        vec![format!("Badge {}: {word}{}{why}", held.badge_id, if why.is_empty() { "" } else { ", " })];
    let what = [part(held.title()), part(held.badge_type_name()), part(held.level_name())];
    lines.push(what.into_iter().flatten().collect::<Vec<_>>().join(", "));
    lines.push(
        [part(held.issuing_org()), part(held.cert_no()).map(|no| format!("certificate no. {no}"))]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", "),
    );
    let name = held.recipient_name().map_or_else(|| "no name".to_owned(), |n| mask::name(n.wire()));
    let address = held.recipient_email().map_or(case.asked, Text::wire);
    lines.push(format!("Holder: {name}, {}", mask::address(address)));
    let mail = held.email_status().map_or_else(|| "nothing is said".to_owned(), ToString::to_string);
    lines.push(format!("Mail: {mail} (the service's word)"));
    let dates = [
        ("accepted", held.reg_date()),
        ("issued", held.issued_at()),
        ("valid until", held.valid_until().filter(|t| !t.is_forever())),
        ("revoked", held.revoke_at()),
    ];
    let dates: Vec<String> = dates
        .into_iter()
        .filter_map(|(what, at)| at.map(|at| format!("{what} {}", with_age(at, case.now))))
        .collect();
    if !dates.is_empty() {
        lines.push(format!("Service time: {}", dates.join(", ")));
    }
    if case.both {
        lines.extend(match (&held.wallet, &held.history) {
            (None, Some(_)) => Some("Not in the wallet.".to_owned()),
            (Some(_), None) => Some("Not in the history.".to_owned()),
            _ => None,
        });
    }
    lines.extend(script.say.iter().map(|line| format!("- {line}")));
    lines.push(format!("Nobody can, from here: {}.", script.cannot));
    // Names as they are shown, too: the lines above hold shown text.
    let mut names: Vec<String> = Vec::new();
    for name in super::holder::names(case.all) {
        names.push(name.wire().to_owned());
        names.push(name.to_string());
    }
    // A longer name first, should it hold a shorter one.
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let lines: Vec<String> =
        lines.into_iter().filter(|l| !l.is_empty()).map(|line| mask::text(&line, &names)).collect();
    lines.join("\n") + "\n"
}

/// `2026-11-02 09:41 (19 d ago)`, or what it says where that is no time.
pub fn with_age(time: &ServiceTime, now: DateTime) -> String {
    match time.start() {
        Some(start) if start <= now => {
            format!("{} ({} ago)", time.to_minute(), age(now.duration_since(start)))
        }
        Some(start) => format!("{} (in {})", time.to_minute(), age(start.duration_since(now))),
        None => time.to_string(),
    }
}
