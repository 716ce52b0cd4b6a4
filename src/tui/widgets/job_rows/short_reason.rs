//! Short texts for the reasons of a draft's rows: for a narrow column, and for the headings of a review.

use crate::i18n::{self, tr};
use crate::jobs::{Code, JobRow, Reason};

/// The text of a finding without its values, and the short text.
const SHORT: [(&str, &str); 46] = [
    (tr_noop!("the e-mail address is empty"), tr_noop!("no e-mail")),
    (tr_noop!("the e-mail address has only invisible characters"), tr_noop!("no e-mail")),
    (tr_noop!("the e-mail address has no @"), tr_noop!("no @")),
    (tr_noop!("the e-mail address has more than one @"), tr_noop!("more than one @")),
    (tr_noop!("the e-mail address has nothing before or after the @"), tr_noop!("incomplete e-mail")),
    (tr_noop!("the e-mail address contains a {sign}"), tr_noop!("character in e-mail")),
    (tr_noop!("the e-mail address has a comma where a dot should be"), tr_noop!("comma in e-mail")),
    (tr_noop!("this looks like more than one e-mail address"), tr_noop!("several e-mails")),
    (
        tr_noop!("this looks like more than one e-mail address, or a comma instead of a dot"),
        tr_noop!("several e-mails"),
    ),
    (
        tr_noop!("the e-mail address has Hangul before the @: was the Hangul keyboard on?"),
        tr_noop!("Hangul in e-mail"),
    ),
    (
        tr_noop!("the e-mail address has single Hangul letters: was the Hangul keyboard on?"),
        tr_noop!("Hangul in e-mail"),
    ),
    (tr_noop!("the domain after the @ has no dot"), tr_noop!("wrong domain")),
    (tr_noop!("the domain after the @ is not a domain name"), tr_noop!("wrong domain")),
    (
        tr_noop!("the e-mail address is not valid: check the part before the @, the dots and the domain"),
        tr_noop!("wrong e-mail"),
    ),
    (tr_noop!("did you mean {meant}?"), tr_noop!("mistyped domain")),
    (tr_noop!("e-mail address: did you mean {meant}, as in most other rows?"), tr_noop!("mistyped domain")),
    (tr_noop!("letters of the name were lost in a conversion{was}"), tr_noop!("lost letters")),
    (tr_noop!("the name is empty"), tr_noop!("no name")),
    (tr_noop!("the name has only invisible characters"), tr_noop!("no name")),
    (tr_noop!("the name is an e-mail address"), tr_noop!("e-mail as name")),
    (
        tr_noop!("the name is an e-mail address and the e-mail address is not: are the columns swapped?"),
        tr_noop!("columns swapped?"),
    ),
    (tr_noop!("this looks like a placeholder, not a name"), tr_noop!("placeholder")),
    (tr_noop!("the name has only digits"), tr_noop!("only digits")),
    (tr_noop!("the name has no letters"), tr_noop!("no letters")),
    (tr_noop!("the name has two spaces in a row"), tr_noop!("two spaces")),
    (tr_noop!("the name has an unusual space (no-break or full-width)"), tr_noop!("unusual space")),
    (tr_noop!("the name has an invisible character"), tr_noop!("hidden character")),
    (tr_noop!("the name starts like a formula"), tr_noop!("formula?")),
    (tr_noop!("the name contains HTML"), tr_noop!("HTML in name")),
    (tr_noop!("one word mixes letters of two alphabets that look alike"), tr_noop!("mixed alphabets")),
    (tr_noop!("the name ends in \"{tail}\", which may not be part of it"), tr_noop!("title in name")),
    (tr_noop!("row {row} is hidden in the sheet"), tr_noop!("hidden row")),
    (tr_noop!("shows this address but links to \"{target}\""), tr_noop!("link differs")),
    (
        tr_noop!("row {row} has more cells than the header: \"{text}\" is in column {column}"),
        tr_noop!("extra cells"),
    ),
    (tr_noop!("a blank line"), tr_noop!("blank line")),
    (tr_noop!("a repeated header row"), tr_noop!("header row")),
    (tr_noop!("a total, not a recipient: \"{text}\""), tr_noop!("total")),
    (tr_noop!("this looks like an API key"), tr_noop!("API key?")),
    (tr_noop!("this row has no template"), tr_noop!("no template")),
    (tr_noop!("template: more than one has this title; use the id"), tr_noop!("template unclear")),
    (tr_noop!("template: none has the id or title \u{201c}{named}\u{201d}"), tr_noop!("unknown template")),
    (tr_noop!("skipped by a person"), tr_noop!("skipped by hand")),
    (tr_noop!("its state is {state}; only Issued badges can be revoked"), tr_noop!("not Issued")),
    (tr_noop!("already revoked"), tr_noop!("revoked")),
    (tr_noop!("the service does not know this badge or does not show it"), tr_noop!("unknown badge")),
    (
        tr_noop!(
            "job {job} sent this badge to this recipient on {when} ({state}). A second one needs your approval"
        ),
        tr_noop!("sent before"),
    ),
];

/// The reasons of a row. A duplicate comes first: it decides more than a doubt about a spelling.
pub fn of_row(row: &JobRow) -> String {
    let all: Vec<String> = row.also.iter().chain(&row.why).map(of).collect();
    all.join(", ")
}

/// The findings of a reason. Those without a short text stay whole.
pub fn of(reason: &Reason) -> String {
    if reason.is(Code::Class) {
        // The name of the kind, without what was found.
        return reason.texts().map(|kind| i18n::in_language(i18n::language(), kind)).collect();
    }
    let short = |text: &str| SHORT.iter().find(|(long, _)| *long == text).map(|(_, short)| tr(short));
    let all: Option<Vec<&str>> = reason.texts().map(short).collect();
    all.map_or_else(|| reason.to_string(), |all| all.join(", "))
}
