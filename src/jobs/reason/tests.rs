//! Tests: how reasons are stored, and how messages of earlier journals are migrated.

use super::*;
use crate::api::{ApiError, Refusal};
use crate::jobs::duplicate_kind::DuplicateKind;
use crate::jobs::intake::{RecipientField, check_person};
use std::collections::BTreeSet;

fn both(reason: &Reason) -> [String; 2] {
    [Language::English, Language::Korean].map(|language| reason.in_language(language))
}

#[test]
fn a_code_is_unique_and_read_back() {
    let names: BTreeSet<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    assert_eq!(names.len(), Code::ALL.len());
    for code in Code::ALL {
        let reason = Reason::from(*code).with("n", "3").because("why", Code::Lost.into());
        assert_eq!(Reason::read(&reason.stored()), reason);
    }
}

#[test]
fn every_text_has_its_korean() {
    for code in Code::ALL.iter().filter(|code| code.text().is_some()) {
        let [english, korean] = both(&(*code).into());
        assert_ne!(english, korean, "{code:?}");
    }
}

#[test]
fn what_is_kept_is_a_code_and_no_sentence() {
    let reason = Reason::from(Code::RevokeShort).with("n", 2).with("sent", 3);
    assert_eq!(reason.stored(), r#"{"code":"revoke_short","args":{"n":"2","sent":"3"}}"#);
    assert_eq!(Reason::from(Code::Lost).stored(), r#"{"code":"lost"}"#);
    let odd = Reason::from(Code::ServiceWord).with("label", "\u{1b}[31m{why}");
    assert!(!odd.to_string().contains('\u{1b}') && odd.english().contains("{why}"));
}

#[test]
fn screens_show_the_times_of_a_reason_in_the_zone_of_the_service() {
    let clock = ServiceClock::new(Some(Offset::constant(9)), 1.0);
    let sent = |when: &str| Reason::from(Code::SentElsewhere).with("job", 7).with("when", when);
    let shown = |when: &str| Reason::class(DuplicateKind::Sent).because("why", sent(when)).in_zone_of(&clock);
    let shown = |when: &str| shown(when).in_language(Language::English);
    assert!(shown("2020-11-26 17:56 UTC").contains(" on 2020-11-27 ("), "{}", shown("2020-11-26 17:56 UTC"));
    let kept = sent("2020-11-26 17:56 UTC").for_file(&clock).to_string();
    assert!(kept.contains(" on 2020-11-27 02:56 UTC+9 ("), "a file has the zone and the year: {kept}");
    assert!(shown("at noon").contains(" on at noon ("), "what is no time stays");
    assert!(
        sent("2020-11-26 17:56 UTC").to_string().contains("17:56 UTC"),
        "the journal and scripts have UTC"
    );
}

#[test]
fn numbers_of_rows_are_written_as_on_screens_and_people_in_every_language() {
    let who = Reason::of_process("kim", "desk");
    let noticed = Reason::from(Code::LostWritesNoticed).because("who", who.clone()).with("n", 1000);
    for (language, text) in [Language::English, Language::Korean].into_iter().zip(both(&noticed)) {
        assert!(text.contains("1,000") && text.contains(&who.in_language(language)), "{text}");
    }
    let of_job = Reason::from(Code::RefusedElsewhere).with("job", 1053).english();
    assert!(of_job.contains("job 1053"), "{of_job}");
}

fn composed() -> Vec<Reason> {
    let (_, _, _, found) = check_person("", "kim@naver.con");
    let found = found.iter().map(|f| Reason::finding(f.field, &f.what)).collect();
    let redirect = localizable!("a redirect to {host}, not followed", host = "10.0.0.1");
    let doubt = ApiError::InDoubt {
        may_repeat: false,
        accepted: false,
        status: Some(302),
        why: localizable!("unexpected response ({what})", what = redirect),
    };
    let refused = Refusal { status: 422, code: Some("4221".into()), message: None };
    vec![
        Reason::from(Code::PollFailed).because("why", Reason::from(&ApiError::Quota(refused))),
        Reason::from(&doubt),
        Reason::class(DuplicateKind::Twin).because("why", Reason::from(Code::SameAddress).with("row", 4)),
        Reason::from(Code::NotRevocable).because("state", Reason::word("Waiting")),
        Reason::list(Code::Findings, found),
    ]
}

#[test]
fn every_part_is_translated_when_it_is_read() {
    let hangul = |text: &str| text.chars().any(|c| ('가'..='힣').contains(&c));
    for reason in composed() {
        let stored = reason.stored();
        assert!(!hangul(&stored), "{stored}");
        let [english, korean] = both(&Reason::read(&stored));
        assert!(!hangul(&english) && hangul(&korean), "{english}\n{korean}");
        assert!(!["redirect", "response", "quota"].iter().any(|word| korean.contains(word)), "{korean}");
    }
    let english = composed()[1].english();
    assert!(english.contains("a redirect to 10.0.0.1, not followed) (HTTP 302)"), "{english}");
}

#[test]
fn a_finding_says_once_where_it_was_found() {
    let what = localizable!("the name is empty");
    assert_eq!(
        both(&Reason::finding(RecipientField::Name, &what)),
        ["the name is empty", "이름이 비어 있습니다"]
    );
    let elsewhere = Reason::finding(RecipientField::Template, &what);
    assert_eq!(elsewhere.english(), "template: the name is empty");
}

#[test]
fn a_row_that_nobody_decided_about_says_first_why_it_needed_a_decision() {
    let lost = Reason::from(Code::LostLetters).with("was", "");
    let undecided = Reason::from(Code::NotAllowed).because("why", lost.clone());
    let [english, korean] = both(&undecided);
    assert_eq!(english, "letters of the name were lost in a conversion; no decision in the review");
    assert!(korean.starts_with(&lost.in_language(Language::Korean)), "{korean}");
    assert_eq!((undecided.in_review(), lost.in_review()), (&lost, &lost));
    assert!(undecided.mentions(Code::NotAllowed) && undecided.mentions(Code::LostLetters));
    assert_eq!(undecided.texts().collect::<Vec<_>>(), lost.texts().collect::<Vec<_>>());
    let without = Reason::from(Code::NotAllowed);
    assert_eq!(without.english(), "not sent: no decision in the review");
}

#[test]
fn a_name_is_not_translated_however_it_reads() {
    let reason = Reason::from(Code::TemplateUnknown).with("named", "Waiting");
    assert!(reason.in_language(Language::Korean).contains("\u{201c}Waiting\u{201d}"), "{reason:?}");
    let verbatim = Reason::from(&Localizable::verbatim("Waiting"));
    assert_eq!(both(&verbatim), ["Waiting"; 2]);
}

#[test]
fn what_is_not_known_is_kept_as_it_is() {
    let read = Reason::of_legacy("etwas ganz anderes");
    assert_eq!(read.code(), Code::Legacy);
    assert_eq!(both(&read), ["etwas ganz anderes"; 2]);
    assert_eq!(Reason::read(&read.stored()), read);
}

#[test]
fn no_bytes_of_a_stored_reason_do_harm() {
    let stored = Reason::from(Code::DomainSlip).with("meant", "naru.example").stored();
    let words: [&[u8]; 4] = [b"{\"c\":", b"[[[[", b"null", b"{meant}"];
    crate::fuzz::fuzz("a stored reason", &[stored.as_bytes(), b"a sentence"], &words, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        for reason in [Reason::read(&text), Reason::of_legacy(&text)] {
            let _ = (reason.to_string(), both(&reason));
        }
    });
}

#[test]
fn a_suggestion_answers_only_its_own_finding() {
    let slip = Reason::from(Code::DomainSlip).with("meant", "naru.example");
    let lost = Reason::from(Code::LostLetters).with("was", "");
    let other = Reason::from(Code::NoHeader);
    assert_eq!(slip.without_suggestions(), None);
    let all = |parts: &[&Reason]| {
        Reason::list(Code::Findings, parts.iter().copied().cloned().collect()).without_suggestions()
    };
    assert_eq!(all(&[&slip, &lost]), None);
    assert_eq!(all(&[&other, &slip]), Some(other.clone()));
    assert_eq!(all(&[&other, &lost, &other]), Some(Reason::list(Code::Findings, vec![other.clone(), other])));
}
