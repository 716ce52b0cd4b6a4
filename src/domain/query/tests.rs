use super::*;
use proptest::prelude::*;

fn is_address(typed: &str, address: &str, name: Option<&str>) {
    match Query::read(typed) {
        Query::Address { address: read, name: with } => {
            assert_eq!((read.as_str(), with.as_deref()), (address, name), "{typed}");
        }
        other => panic!("{typed}: {other:?}"),
    }
}

#[test]
fn an_address_is_found_in_whatever_it_was_pasted_with() {
    for typed in [
        "kim@naru.example",
        " kim@naru.example\n",
        "<kim@naru.example>",
        "[kim@naru.example]",
        "(kim@naru.example),",
        "\"kim@naru.example\"",
        "\u{201c}kim@naru.example\u{201d}.",
        "mailto:kim@naru.example",
        "MailTo:kim@naru.example?subject=badge%20",
        "<mailto:kim@naru.example>",
        "mailto:%3Ckim%40naru.example%3E",
        "\u{feff}kim\u{ff20}naru.example\u{a0};",
        "<kim@naru.example",
        "kim@naru.example)",
    ] {
        is_address(typed, "kim@naru.example", None);
    }
    is_address("mailto:kim%2Btag@naru.example", "kim+tag@naru.example", None);
    is_address("kim+tag@naru.example", "kim+tag@naru.example", None);
    is_address("kim%2b@naru.example", "kim%2b@naru.example", None);
}

#[test]
fn an_id_with_a_letter_of_another_alphabet_is_an_id() {
    for typed in ["B-000003653-T\u{422}", "badge id: B-000003653-T\u{422}"] {
        let Query::BadgeId(id) = Query::read(typed) else { panic!("{typed}") };
        assert_eq!(id.wire(), "B-000003653-TT", "{typed}");
    }
    assert!(matches!(Query::read("\u{41a}im Minjun"), Query::Name { .. }));
}

#[test]
fn the_name_beside_an_address_is_kept() {
    is_address("김민수 <kim@naru.example>", "kim@naru.example", Some("김민수"));
    is_address("\"Kim, Minsu\" <kim@naru.example>", "kim@naru.example", Some("Kim, Minsu"));
    is_address("김민수 (kim@naru.example)", "kim@naru.example", Some("김민수"));
    is_address("김민수\tkim@naru.example", "kim@naru.example", Some("김민수"));
}

#[test]
fn what_only_looks_like_an_address_is_named() {
    for typed in
        ["a@x.example; b@x.example", "ㅏㅑㅡ@naru.example", "kim@naru,example", "@", "kim@", "a@b@c.example"]
    {
        assert!(matches!(Query::read(typed), Query::NotAnAddress(_)), "{typed}: {:?}", Query::read(typed));
    }
}

#[test]
fn ids_and_names_are_told_apart_or_tried_in_order() {
    let id = |raw: &str| BadgeId::new(raw).expect("not empty");
    assert_eq!(Query::read("[B-000004301-PS]"), Query::BadgeId(id("B-000004301-PS")));
    assert_eq!(Query::read("\"7f3c/9+a\" "), Query::BadgeId(id("7f3c/9+a")));
    let name = |name: &str| Query::Name { name: name.into(), or_id: None };
    assert_eq!(Query::read(" 한서윤 "), name("한서윤"));
    assert_eq!(Query::read("Lea  O'Connor-Kim"), name("Lea O'Connor-Kim"));
    assert_eq!(Query::read("정다은 (20231234)"), name("정다은 (20231234)"));
    assert_eq!(Query::read("\u{1100}\u{1175}\u{11b7}"), name("김"), "pieces are put together");
    assert_eq!(Query::read("Amara"), Query::Name { name: "Amara".into(), or_id: Some(id("Amara")) });
    assert_eq!(Query::read("Kim 2"), Query::Name { name: "Kim 2".into(), or_id: Some(id("Kim 2")) });
    for typed in ["", " \n", "\u{3164}", "<>", "\"\"", ";"] {
        assert_eq!(Query::read(typed), Query::Nothing, "{typed:?}");
    }
}

#[test]
fn full_width_brackets_labels_and_spaces_round_the_at_are_taken_off() {
    for typed in [
        "\u{ff08}hong.c@naru.example\u{ff09}",
        "\u{ff1c}hong.c@naru.example\u{ff1e}",
        "【hong.c@naru.example】",
        "〔hong.c@naru.example〕",
        "〈hong.c@naru.example〉",
        "［hong.c@naru.example］",
        "hong.c @ naru.example",
        "hong .c@naru.example",
        "hong .c@naru .example",
        "E-mail: hong .c @ naru.example",
        "hong.c@ naru.example",
        "<hong.c @naru.example>",
        "to:hong.c@naru.example",
        "To: hong.c @ naru.example",
        "E-mail: hong.c@naru.example",
        "수신인：\u{3000}<hong.c@naru.example>",
    ] {
        is_address(typed, "hong.c@naru.example", None);
    }
    is_address("홍창민（hong.c@naru.example）", "hong.c@naru.example", Some("홍창민"));
    is_address("홍창민 hong .c@naru.example", "hong.c@naru.example", Some("홍창민"));
    is_address("홍창민(hong.c@naru.example),", "hong.c@naru.example", Some("홍창민"));
    is_address("hong.c@naru.example(홍창민)", "hong.c@naru.example", Some("홍창민"));
    is_address("To: 홍창민 님 ＜hong.c@naru.example＞", "hong.c@naru.example", Some("홍창민"));
}

#[test]
fn an_address_that_nobody_typed_is_not_made_up() {
    for typed in [
        "Kim Minsu @ naru.example",
        "kim @ naru.example lee",
        "kim @ naru . example",
        "kim@naru.co,kr",
        "kim@[127.0.0.1]",
        "kim @",
        "10:kim@naru.example",
    ] {
        assert!(matches!(Query::read(typed), Query::NotAnAddress(_)), "{typed}: {:?}", Query::read(typed));
    }
}

#[test]
fn an_id_is_found_in_what_it_was_pasted_with() {
    let id = |raw: &str| Query::BadgeId(BadgeId::new(raw).expect("not empty"));
    for typed in [
        "ID: B-000004051-NJ",
        "id:B-000004051-NJ",
        "Badge id: \u{201c}B-000004051-NJ\u{201d}",
        "배지 B-000004051-NJ",
        "배지 번호：B-000004051-NJ 입니다",
        "【B-000004051-NJ】",
        "https://badges.naru.example/v1/badges/B-000004051-NJ",
        "<https://badges.naru.example/badges/B%2D000004051-NJ/?lang=ko#top>",
        "\"badge_id\": \"B-000004051-NJ\",",
        "Badge B-000004051-NJ: VALID, until 2026-03-14",
        "배지 B-000004051-NJ: 유효",
        "Badge B-000004051-NJ: VALID NR-2026-000123 Holder: h***@naru.example, B-000004051-NJ",
        "한서윤 B-000004051-NJ",
    ] {
        assert_eq!(Query::read(typed), id("B-000004051-NJ"), "{typed}");
    }
    assert_eq!(Query::read("badge_id=7f3c9a"), id("7f3c9a"), "a label tells, whatever its shape");
    assert_eq!(Query::read("인증서 번호 NR-2026-000123"), id("NR-2026-000123"));
    assert_eq!(
        Query::read("urn:uuid:1b4e28ba-2fa1-11d2-883f-0016d3cca427"),
        id("urn:uuid:1b4e28ba-2fa1-11d2-883f-0016d3cca427"),
        "a word alone is the id as it stands"
    );
    is_address("hong.c@naru.example B-000004051-NJ", "hong.c@naru.example", Some("B-000004051-NJ"));
}

#[test]
fn a_name_beside_a_number_is_a_name() {
    let name = |name: &str| Query::Name { name: name.into(), or_id: None };
    for (typed, read) in [
        ("한서윤 님", "한서윤"),
        ("한서윤님", "한서윤"),
        ("한서윤 귀하", "한서윤"),
        ("성명: 한서윤", "한서윤"),
        ("김별님", "김별님"),
        ("정다은 (S-20231234)", "정다은 (S-20231234)"),
        ("한서윤 010-1234-5678", "한서윤 010-1234-5678"),
        ("한서윤 2026-11-02", "한서윤 2026-11-02"),
        ("한서윤 B-000004051-NJ B-000004052-NK", "한서윤 B-000004051-NJ B-000004052-NK"),
    ] {
        assert_eq!(Query::read(typed), name(read), "{typed}");
    }
}

#[test]
fn a_telephone_number_is_no_id_unless_a_label_says_so() {
    for typed in [
        "010-1234-5678",
        " 010 1234 5678",
        "010.1234.5678",
        "01012345678",
        "(02) 123-4567",
        "031)123-4567",
        "+82 10-1234-5678",
        "\u{ff10}10\u{2013}1234\u{2013}5678",
        "전화: 010-1234-5678",
    ] {
        assert_eq!(Query::read(typed), Query::NotAnAddress(EmailProblem::TelephoneNumber), "{typed}");
    }
    for typed in
        ["2026-11-02", "2026-000123", "001-123-4567", "0101234567", "20260003653", "0-1234-5678", "+82"]
    {
        assert!(matches!(Query::read(typed), Query::BadgeId(_)), "{typed}: {:?}", Query::read(typed));
    }
    assert!(matches!(Query::read("id: 010-1234-5678"), Query::BadgeId(_)));
}

#[test]
fn brackets_that_belong_to_it_stay() {
    assert_eq!(without_pair("(a) and (b)"), "(a) and (b)");
    assert_eq!(without_pair("((a))"), "(a)");
    assert_eq!(without_pair("정다은 (2)"), "정다은 (2)");
}

#[test]
fn an_id_is_completed_in_the_form_of_the_services_ids() {
    let sample = BadgeId::new("B-000000017-K7");
    let variants = |typed: &str| -> Vec<String> {
        id_variants(typed, sample.as_ref()).iter().map(|id| id.wire().to_owned()).collect()
    };
    for typed in [
        "b000003653tt",
        "3653-TT",
        "3653tt",
        "b3653tt",
        "B-3653-tt",
        "000003653tt",
        "3653 tt",
        "b-000003653tt",
    ] {
        let found = variants(typed);
        assert!(found.contains(&"B-000003653-TT".to_owned()), "{typed}: {found:?}");
        assert!(found.len() <= 2, "{typed}: {found:?}");
    }
    assert_eq!(variants("000003653-22"), ["B-000003653-22"], "only its beginning is missing");
    // Certificate numbers, names and numbers of other things.
    for typed in [
        "NAR-2026-003653",
        "nar2026003653",
        "2026-003653",
        "2026-23",
        "20260003653",
        "Agent-007",
        "3653",
        "c3653tt",
    ] {
        let found = variants(typed);
        assert!(found.iter().all(|id| !id.starts_with("B-")), "{typed}: {found:?}");
    }
    let plain = BadgeId::new("0f3e2a");
    assert!(id_variants("3653-TT", plain.as_ref()).is_empty());
    for (typed, may_be) in [
        ("000003653-TT", true),
        ("b000003653tt", true),
        ("3653-TT", true),
        ("3653tt", true),
        ("2026", false),
        ("Agent-007", false),
        ("NAR-2026-003653", false),
        ("김3653", false),
    ] {
        assert_eq!(may_be_end_of_id(typed), may_be, "{typed}");
    }
}

proptest! {
    #[test]
    fn an_id_is_completed_with_any_text(typed in any::<String>(), sample in any::<String>()) {
        let _ = id_variants(&typed, BadgeId::new(sample).as_ref());
    }

    #[test]
    fn anything_can_be_read(typed in any::<String>()) {
        let _ = Query::read(&typed);
    }

    #[test]
    fn wrapping_changes_nothing(
        local in "[a-z][a-z0-9+_-]{0,12}",
        before in "[ \t\n\u{feff}\u{a0}]{0,3}",
        pair in 0..PAIRS.len(),
        mailto in any::<bool>(),
        after in "[ ,;.\n]{0,3}",
    ) {
        let address = format!("{local}@naru.example");
        let (open, close) = PAIRS[pair].split_at(PAIRS[pair].len() / 2);
        let inner = if mailto { format!("mailto:{address}") } else { address.clone() };
        let typed = format!("{before}{open}{inner}{close}{after}");
        match Query::read(&typed) {
            Query::Address { address: read, .. } => prop_assert_eq!(read.as_str(), address),
            other => prop_assert!(false, "{typed}: {other:?}"),
        }
    }
}

#[test]
fn an_address_with_hangul_before_the_sign_is_an_address() {
    let read = Query::read("홍길동@traps.example");
    assert!(
        matches!(&read, Query::Address { address, .. } if address.as_str() == "홍길동@traps.example"),
        "{read:?}"
    );
    assert!(matches!(Query::read("ㅎㅗㅇ@traps.example"), Query::NotAnAddress(_)));
}

#[test]
fn no_bytes_of_a_text_do_harm() {
    use crate::domain::{ServiceTime, address_search, confirm_text, mask, name_search, web_address};
    let seeds: [&[u8]; 8] = [
        b"postgres://a%20b@[::1]:5432/lapel?host=%2Frun&sslmode=verify-full",
        "Kim Minsu <kim+tag@naru.example>; 홍길동".as_bytes(),
        b"https://badge.example/verify/B-000004301-PS?x=%EA%B9%80#a",
        "ＫＩＭ＠ｎａｒｕ。ｅｘａｍｐｌｅ \u{200b}\u{202e}".as_bytes(),
        b"2026-11-02 09:41:00",
        b"2026-11-02T09:41:00.5+09:00",
        b"9999-12-31",
        b"+09:00",
    ];
    let words: [&[u8]; 7] = [
        b"%",
        b"mailto:",
        b"xn--",
        b"***@",
        b"-9999-01-01",
        b"[::ffff:1]",
        "\u{1112}\u{1161}\u{11ab}".as_bytes(),
    ];
    crate::fuzz::fuzz("a text", &seeds, &words, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let _ = (Query::read(&text), Address::check(&text), Address::to_look_up(&text));
        let _ = (web_address::base_url(&text), web_address::bare_url(&text), mask::address(&text));
        let _ = (crate::domain::text::scrub(&text), confirm_text::short_name(&text));
        let _ = (crate::secrets::redact(&text), crate::secrets::hide_shapes(&text));
        let _ = (crate::domain::time::read_offset(&text), crate::team::Server::parse(&text));
        if let Some(time) = ServiceTime::new(&text) {
            let _ = (
                time.start(),
                time.end(),
                time.to_minute(),
                time.is_forever(),
                time.to_day(),
                time.to_string(),
            );
        }
        let _ = (name_search::likeness(&text, "홍길동 Kim"), name_search::likeness(&text, &text));
        let _ = (name_search::variants(&text), address_search::with_space(&text, "홍길동"));
        let _ = address_search::reasons_of(Some(&text), Some("홍길동"))("kim@naru.example", None);
    });
}
