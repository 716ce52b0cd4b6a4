//! Short texts for the reasons of rows: for a narrow column, and for the headings of a review.

use crate::i18n::{self, Localizable, TextArgument};
use crate::jobs::{Code, Reason};
use crate::tui::prelude::*;

macro_rules! short_texts {
    ($($long:expr => $short:expr;)+) => {
        const SHORT: &[(&str, &str)] = &[$(($long, $short)),+];
    };
}

// The text of a finding without its values, and the short text.
short_texts! {
    tr_noop!("the e-mail address is empty") => tr_noop!("no e-mail");
    tr_noop!("the e-mail address has only invisible characters") => tr_noop!("no e-mail");
    tr_noop!("the e-mail address has no @") => tr_noop!("no @");
    tr_noop!("the e-mail address has more than one @") => tr_noop!("more than one @");
    tr_noop!("the e-mail address has nothing before or after the @") => tr_noop!("incomplete e-mail");
    // "the e-mail address contains a {sign}"
    tr_noop!("space") => tr_noop!("space in e-mail");
    tr_noop!("line break") => tr_noop!("new line in e-mail");
    tr_noop!("tab") => tr_noop!("tab in e-mail");
    tr_noop!("hidden character ({code})") => tr_noop!("hidden e-mail sign");
    tr_noop!("the e-mail address has full-width letters or signs: use plain ones") => tr_noop!("full-width letter");
    tr_noop!("the e-mail address has a full-width ＠: use @") => tr_noop!("full-width @");
    tr_noop!("the e-mail address has an ideographic full stop: use a plain dot") => tr_noop!("full-width dot");
    tr_noop!("the e-mail address ends with a dot") => tr_noop!("dot after e-mail");
    tr_noop!("the e-mail address is longer than 254 characters") => tr_noop!("e-mail too long");
    tr_noop!("the e-mail address is a formula error") => tr_noop!("formula error");
    tr_noop!("the e-mail address has a comma where a dot should be") => tr_noop!("comma in e-mail");
    tr_noop!("this looks like more than one e-mail address") => tr_noop!("several e-mails");
    tr_noop!("this looks like more than one e-mail address, or a comma instead of a dot") => tr_noop!("several e-mails");
    tr_noop!("the e-mail address has Hangul before the @: was the Hangul keyboard on?") => tr_noop!("Hangul in e-mail");
    tr_noop!("the e-mail address has single Hangul letters: was the Hangul keyboard on?") => tr_noop!("Hangul in e-mail");
    tr_noop!("the domain after the @ has no dot") => tr_noop!("wrong domain");
    tr_noop!("the domain after the @ is not a domain name") => tr_noop!("wrong domain");
    tr_noop!("the e-mail address is not valid: check the part before the @, the dots and the domain") => tr_noop!("wrong e-mail");
    tr_noop!("did you mean {meant}?") => tr_noop!("mistyped domain");
    tr_noop!("e-mail address: did you mean {meant}? Many more addresses have it.") => tr_noop!("mistyped domain");
    tr_noop!("letters of the name were lost in a conversion{was}") => tr_noop!("lost letters");
    tr_noop!("the name is empty") => tr_noop!("no name");
    tr_noop!("the name has only invisible characters") => tr_noop!("no name");
    tr_noop!("the name is an e-mail address") => tr_noop!("e-mail as name");
    tr_noop!("the name is an e-mail address and the e-mail address is not: are the columns swapped?") => tr_noop!("columns swapped?");
    tr_noop!("this looks like a placeholder, not a name") => tr_noop!("placeholder");
    tr_noop!("the name has only digits") => tr_noop!("only digits");
    tr_noop!("the name has no letters") => tr_noop!("no letters");
    tr_noop!("the name has two spaces in a row") => tr_noop!("two spaces");
    tr_noop!("the name has an unusual space (no-break or full-width)") => tr_noop!("unusual space");
    tr_noop!("the name has an invisible character") => tr_noop!("hidden character");
    tr_noop!("the name has a line break") => tr_noop!("new line in name");
    tr_noop!("the name has a tab") => tr_noop!("tab in name");
    tr_noop!("the name has a control character ({code})") => tr_noop!("control character");
    tr_noop!("the name is longer than 100 characters") => tr_noop!("name too long");
    tr_noop!("the name is a formula error: {text}") => tr_noop!("formula error");
    tr_noop!("the name has a single Hangul letter: is it complete?") => tr_noop!("lone Hangul letter");
    tr_noop!("the name starts like a formula") => tr_noop!("formula?");
    tr_noop!("the name contains HTML") => tr_noop!("HTML in name");
    tr_noop!("one word mixes letters of two alphabets that look alike") => tr_noop!("mixed alphabets");
    tr_noop!("\"{mixed}\" mixes letters of two alphabets that look alike") => tr_noop!("mixed alphabets");
    tr_noop!("the name ends in \"{tail}\", which may not be part of it") => tr_noop!("title in name");
    tr_noop!("row {row} is hidden in the sheet") => tr_noop!("hidden row");
    tr_noop!("shows this address but links to \"{target}\"") => tr_noop!("link differs");
    tr_noop!("row {row} has more cells than the header: \"{text}\" is in column {column}") => tr_noop!("extra cells");
    tr_noop!("a blank line") => tr_noop!("blank line");
    tr_noop!("a repeated header row") => tr_noop!("header row");
    tr_noop!("a total, not a recipient: \"{text}\"") => tr_noop!("total");
    tr_noop!("this looks like an API key") => tr_noop!("API key?");
    tr_noop!("this row has no template") => tr_noop!("no template");
    tr_noop!("template: more than one has this title; use the id") => tr_noop!("template unclear");
    tr_noop!("template: none has the id or title \u{201c}{named}\u{201d}") => tr_noop!("unknown template");
    tr_noop!("skipped by a person") => tr_noop!("skipped by hand");
    tr_noop!("its state is {state}; only Issued badges can be revoked") => tr_noop!("not Issued");
    tr_noop!("the same id is already in row {first}") => tr_noop!("repeated id");
    tr_noop!("already revoked") => tr_noop!("revoked");
    tr_noop!("the service does not know this badge or does not show it") => tr_noop!("unknown badge");
    tr_noop!("job {job} sent this badge to this recipient on {when} ({state}). A second one needs your approval") => tr_noop!("sent before");
    tr_noop!("{who} sent this badge to this recipient on {when} (job {job}, {state}). A second one needs your approval") => tr_noop!("sent before");
    tr_noop!("job {job} began to send this badge to this recipient on {when}. A second one needs your approval") => tr_noop!("sending began");
    tr_noop!("{who} began to send this badge to this recipient on {when} (job {job}). A second one needs your approval") => tr_noop!("sending began");
    tr_noop!("the service accepted the request but did not identify this badge") => tr_noop!("not identified");
    tr_noop!("the service accepted {accepted} of {sent} but did not list this one. It may or may not have been accepted") => tr_noop!("not listed");
    tr_noop!("the service accepted {accepted} of {sent}, and all of them were found. This one was not accepted") => tr_noop!("not accepted|reason");
    tr_noop!("the service refused the request, but {found} of its {rows} badges exist. This one may or may not have been accepted") => tr_noop!("maybe accepted");
    tr_noop!("{found} of {rows} badges in the same request exist. This one may or may not have been accepted") => tr_noop!("maybe accepted");
    tr_noop!("the service shows \u{201c}{label}\u{201d}: issuing seems to have failed. Ask the provider's help desk before you send it again") => tr_noop!("issuing failed?");
    tr_noop!("issued twice by one request: badge {id} was accepted at the same time. You can revoke one of the two") => tr_noop!("issued twice");
    tr_noop!("on {when}, job {job} got a refusal of this badge for this recipient, but the service may have accepted it. Resume job {job}: lapel checks first") => tr_noop!("in doubt elsewhere");
    tr_noop!("another job may have sent this badge to this recipient") => tr_noop!("sent elsewhere?");
    tr_noop!("a badge of this template was found for this e-mail address, but it may not be this one. Check the holder's wallet, then resolve it") => tr_noop!("other badge?");
    tr_noop!("this recipient already holds the badge: another user or program issued it before this request. Decide whether to send this one too") => tr_noop!("holds it already");
    tr_noop!("checked until the check window ended, and never seen. You can decide to send it again") => tr_noop!("never seen");
    tr_noop!("checked twice where the service shows waiting badges, and not seen. You can decide to send it again") => tr_noop!("not seen");
    tr_noop!("others in the same request were found, so it was accepted; it is not visible yet") => tr_noop!("not visible yet");
    tr_noop!("accepted more than 24 hours ago; contact the provider's help desk with the badge id") => tr_noop!("over 24 hours");
    tr_noop!("to revoke when the corrected badge (job {issue}) is Issued") => tr_noop!("after the new badge");
    tr_noop!("not revoked: the corrected badge (job {issue}) was not issued") => tr_noop!("no new badge");
    tr_noop!("the service skipped it; its state is {state}") => tr_noop!("skipped by service");
    tr_noop!("no revocation was found; lapel sends it again, which is harmless") => tr_noop!("sends again");
    tr_noop!("sent several times, but no revocation was found. Revoking it again is harmless") => tr_noop!("no revocation seen");
}

const DOUBTS: [(Code, &str); 4] = [
    (Code::DoubtNoResponse, tr_noop!("no answer")),
    (Code::DoubtServer, tr_noop!("server error")),
    (Code::DoubtRedirect, tr_noop!("redirect")),
    (Code::DoubtResponse, tr_noop!("unclear response")),
];

/// The reasons of a row. A duplicate comes first: it decides more than a doubt about a spelling.
pub fn of_row(row: &JobRow) -> String {
    let all: Vec<String> = row.also.iter().chain(&row.why).map(of).collect();
    all.join(", ")
}

fn short(text: &str) -> Option<&'static str> {
    SHORT.iter().find(|(long, _)| *long == text).map(|(_, short)| tr(short))
}

/// A finding of a row that is no row of a job yet.
pub fn of_finding(what: &Localizable) -> String {
    let sign = what.values().iter().find_map(|(name, value)| match value {
        TextArgument::Localizable(sign) if *name == "sign" => Some(sign.text()),
        _ => None,
    });
    short(sign.unwrap_or(what.text())).map_or_else(|| what.to_string(), str::to_owned)
}

/// The findings of a reason. Those without a short text stay whole.
pub fn of(reason: &Reason) -> String {
    // That nobody decided is what its status says.
    let reason = reason.in_review();
    if reason.is(Code::Class) {
        // The name of the kind, without what was found.
        return reason.texts().map(|kind| i18n::in_language(i18n::language(), kind)).collect();
    }
    // Why it is not known whether the request was accepted, which its status says.
    for (code, short) in DOUBTS {
        if reason.is(code) {
            return tr(short).to_owned();
        }
    }
    // Of a refusal, only what the service said.
    if let Some(said) = reason.service_words() {
        return said;
    }
    let all: Option<Vec<&str>> = reason.texts().map(short).collect();
    all.map_or_else(|| reason.to_string(), |all| all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways: before a job has the row, and as the journal stores its reason.
    #[test]
    fn a_short_reason_says_what_is_wrong_with_an_address() {
        for (address, said) in [
            ("hana kim@naru.example", "space in e-mail"),
            ("hana\nkim@naru.example", "new line in e-mail"),
            ("hana\tkim@naru.example", "tab in e-mail"),
            ("ha\u{200b}na@naru.example", "hidden e-mail sign"),
            ("ｈａｎａ@naru.example", "full-width letter"),
            ("hana＠naru.example", "full-width @"),
            ("hana@naru。example", "full-width dot"),
            ("hana,kim@naru.example", "several e-mails"),
            ("hana@naru,example", "comma in e-mail"),
        ] {
            let finding = crate::domain::Address::check(address).expect_err(address).localizable();
            assert_eq!(of_finding(&finding), tr(said), "{address:?}");
            let stored = serde_json::to_string(&Reason::from(&finding)).expect("stored");
            let reason: Reason = serde_json::from_str(&stored).expect("read");
            assert_eq!(of(&reason), tr(said), "{stored}");
            assert!(said.len() <= 19, "{said}");
        }
    }

    /// A job's rows keep the short text that they had in the review.
    #[test]
    fn a_row_that_nobody_decided_about_keeps_its_short_reason() {
        for (why, short) in [
            (r#"{"code":"lost_letters","args":{"was":""}}"#, "lost letters"),
            (r#"{"code":"class","text":"already has it","args":{"why":{"code":"lost"}}}"#, "already has it"),
        ] {
            let undecided = format!(r#"{{"code":"not_allowed","args":{{"why":{why}}}}}"#);
            for stored in [why, &undecided] {
                let reason: Reason = serde_json::from_str(stored).expect("a reason");
                assert_eq!(of(&reason), tr(short), "{stored}");
            }
        }
        let reason: Reason = serde_json::from_str(r#"{"code":"not_allowed"}"#).expect("a reason");
        assert_eq!(of(&reason), reason.to_string());
    }
}
