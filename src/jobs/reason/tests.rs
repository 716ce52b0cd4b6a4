//! Tests: how reasons are stored, and how messages of earlier journals are migrated.

use super::*;
use crate::api::{ApiError, Refusal};
use crate::jobs::duplicate_check::DuplicateKind;
use crate::jobs::intake::check_person;
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

/// Messages as an earlier version stored them in this language.
fn sentences(language: Language) -> Vec<(Reason, String)> {
    let error = |error: ApiError| Reason::from(&error);
    let held = |word: &str, more: &str| {
        let parts = vec![Reason::told(word), Reason::told(more)];
        let why = Reason::list(Code::Verdict, parts);
        Reason::from(Code::Held).because("why", why).with("id", "b-17")
    };
    let (_, _, _, found) = check_person("", "kim@naver.con");
    let said = |text: &str| Reason::told(text).in_language(language);
    // That version named the field of each finding.
    let sentence: Vec<String> =
        found.iter().map(|f| format!("{}: {}", said(&f.field.to_string()), said(&f.what))).collect();
    let found = found.iter().map(|f| Reason::finding(&f.field.to_string(), &f.what)).collect();
    let kept = vec![
        Code::Lost.into(),
        Code::WindowOver.into(),
        Code::NotProvable.into(),
        Reason::from(Code::RevokeShort).with("n", 2).with("sent", 3),
        Reason::from(Code::DoubtsInARow).with("n", 3),
        Reason::from(Code::LookFailed)
            .because("why", error(ApiError::NotReached { why: "the connection was refused".to_owned() })),
        error(ApiError::InDoubt { accepted: false, status: None, why: "no response in time".into() }),
        error(ApiError::InDoubt {
            accepted: false,
            status: Some(504),
            why: "an error in the service or in a server before it".into(),
        }),
        error(ApiError::Quota(Refusal { status: 422, code: Some("4221".into()), message: None })),
        Reason::class(DuplicateKind::Valid).because("why", held("VALID", "until 2027-11-20 09:00")),
        Reason::class(DuplicateKind::Twin).because("why", Reason::from(Code::SameAddress).with("row", 4)),
        Reason::from(Code::NotAllowed).because(
            "why",
            Reason::class(DuplicateKind::Twin).because("why", Reason::from(Code::SameAddress).with("row", 4)),
        ),
        Reason::from(Code::NotRevocable).because("state", Reason::word("Waiting")),
        Reason::from(Code::TemplateUnknown).with("named", "Waiting"),
    ];
    let kept = kept.into_iter().map(|reason| (reason.clone(), reason.in_language(language)));
    kept.chain([(Reason::list(Code::Findings, found), sentence.join("; "))]).collect()
}

#[test]
fn sentences_of_both_languages_become_codes_that_say_the_same_in_each() {
    for language in Language::ALL {
        for (meant, sentence) in sentences(*language) {
            let read = Reason::of_legacy(&sentence);
            assert_ne!(read.code(), Code::Legacy, "{sentence}");
            assert_eq!(both(&read), both(&meant), "{sentence}");
        }
    }
}

#[test]
fn a_finding_says_once_where_it_was_found() {
    for language in Language::ALL {
        let said = |english: &str| i18n::in_language(*language, english).to_owned();
        let found = Reason::finding(&said("name"), &said("the name is empty"));
        assert_eq!(both(&found), ["the name is empty", "이름이 비어 있습니다"], "{language:?}");
    }
    let elsewhere = Reason::finding("email", "the name is empty");
    assert_eq!(elsewhere.english(), "email: the name is empty");
}

#[test]
fn a_name_is_not_translated_however_it_reads() {
    let reason = Reason::from(Code::TemplateUnknown).with("named", "Waiting");
    let read = Reason::of_legacy(&reason.english());
    assert!(read.in_language(Language::Korean).contains("\u{201c}Waiting\u{201d}"), "{read:?}");
}

#[test]
fn what_is_not_known_is_kept_as_it_is() {
    let read = Reason::of_legacy("etwas ganz anderes");
    assert_eq!(read.code(), Code::Legacy);
    assert_eq!(both(&read), ["etwas ganz anderes"; 2]);
    assert_eq!(Reason::read(&read.stored()), read);
}

#[test]
fn a_redirect_is_kept_without_the_language_that_was_spoken() {
    let korean = |english: &str| i18n::in_language(Language::Korean, english).to_owned();
    let host: &dyn Display = &"10.0.0.1";
    let what = i18n::fill(&korean("a redirect to {host}, not followed"), &[("host", host)]);
    let why = i18n::fill(&korean("unexpected response ({what})"), &[("what", &what)]);
    let sentence = i18n::fill(
        &korean(
            "It is not known whether the service carried this out: {why}{status}. Something may have changed. Do not \
             send it again before the history shows the result.",
        ),
        &[("why", &why), ("status", &" (HTTP 302)")],
    );
    let stored = Reason::told(&sentence).stored();
    assert!(!stored.chars().any(|c| ('가'..='힣').contains(&c)), "{stored}");
    let english = Reason::read(&stored).english();
    assert!(english.contains("a redirect to 10.0.0.1, not followed) (HTTP 302)"), "{english}");
}
