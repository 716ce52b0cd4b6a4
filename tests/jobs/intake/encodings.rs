//! Which encoding a text is in.

use super::kit::*;
use lapel::jobs::intake::{
    CheckOutcome, Choices, EncodingCertainty, FileQuestion, IntakeError, IntakeProblem, TextEncoding,
};

const TEXT: &str = "이름,이메일\n홍길동,hong@naru.example\n";

fn sure(bytes: &[u8]) -> (TextEncoding, EncodingCertainty) {
    let (_folder, table) = open_bytes("list.csv", bytes).expect("readable");
    let guess = table.about().encoding.clone().expect("a text has an encoding");
    (guess.encoding, guess.certainty)
}

#[test]
fn every_encoding_with_and_without_a_mark_reads_the_same() {
    for (encoding, mark, expected) in [
        (TextEncoding::Utf8, &b""[..], EncodingCertainty::Certain),
        (TextEncoding::Utf8, b"\xef\xbb\xbf", EncodingCertainty::Bom),
        (TextEncoding::Utf16Le, b"\xff\xfe", EncodingCertainty::Bom),
        (TextEncoding::Utf16Be, b"\xfe\xff", EncodingCertainty::Bom),
        (TextEncoding::Utf16Le, b"", EncodingCertainty::Guess),
        (TextEncoding::Utf16Be, b"", EncodingCertainty::Guess),
        (TextEncoding::Cp949, b"", EncodingCertainty::Guess),
    ] {
        let bytes = [mark, &encoded(TEXT, encoding)].concat();
        assert_eq!(sure(&bytes), (encoding, expected));
        let (_folder, table) = open_bytes("list.csv", &bytes).expect("readable");
        assert_eq!(people(&table), [pair("홍길동", "hong@naru.example")], "{encoding}");
        // The mark is glued to nothing.
        assert_eq!(table.about().columns, ["이름", "이메일"]);
    }
}

#[test]
fn unicode_text_with_tabs_is_read() {
    let bytes =
        [&b"\xff\xfe"[..], &encoded("이름\t이메일\r\n홍길동\thong@naru.example\r\n", TextEncoding::Utf16Le)]
            .concat();
    let (_folder, table) = open_bytes("list.txt", &bytes).expect("readable");
    assert_eq!(people(&table), [pair("홍길동", "hong@naru.example")]);
}

#[test]
fn syllables_that_only_cp949_has_are_read() {
    let (_folder, table) =
        open_bytes("list.csv", &cp949("이름,이메일\n믜뷁펲똠,m@naru.example\n")).expect("readable");
    assert_eq!(people(&table), [pair("믜뷁펲똠", "m@naru.example")]);
}

#[test]
fn cp949_that_is_valid_utf8_is_asked_about() {
    for name in ["홍철", "천호", "채호", "황호", "황철", "표호", "탁호"] {
        let bytes = [b"name,email\n".as_slice(), &cp949(name), b",hong@naru.example\n"].concat();
        assert!(std::str::from_utf8(&bytes).is_ok(), "{name} is no longer ambiguous");
        let (_folder, table) = open_bytes("list.csv", &bytes).expect("readable");
        let guess = table.about().encoding.clone().expect("an encoding");
        assert_eq!(guess.certainty, EncodingCertainty::Ambiguous, "{name}");
        assert_eq!(table.about().needs_answer(), [FileQuestion::EncodingAmbiguous]);
        let korean =
            guess.alternatives.iter().find(|(e, _)| *e == TextEncoding::Cp949).expect("both are shown");
        assert_eq!(korean.1, [format!("{name},hong@naru.example")]);
        assert!(guess.alternatives.iter().any(|(e, _)| *e == TextEncoding::Utf8));
        assert!(matches!(
            table.rows().map(|_| ()),
            Err(IntakeError { why: IntakeProblem::Unanswered { .. }, .. })
        ));

        let choices = Choices { encoding: Some(TextEncoding::Cp949), ..Choices::default() };
        let (_folder, table) = open_bytes_with("list.csv", &bytes, &choices).expect("readable");
        assert_eq!(people(&table), [pair(name, "hong@naru.example")]);
    }
}

#[test]
fn western_names_are_not_asked_about() {
    for name in ["José García", "Müller", "Ahmet Yılmaz", "Zoë"] {
        let bytes = format!("name,email\n{name},x@naru.example\n");
        let (encoding, sure) = sure(bytes.as_bytes());
        assert_eq!(encoding, TextEncoding::Utf8, "{name}");
        assert_ne!(sure, EncodingCertainty::Ambiguous, "{name}");
    }
    assert_eq!(sure(b"name,email\nKim,k@naru.example\n"), (TextEncoding::Utf8, EncodingCertainty::Certain));
}

#[test]
fn text_that_is_already_damaged_is_refused_with_the_reason() {
    for damaged in [
        as_western(&cp949("이름,이메일\n김민수,minsu@naru.example\n이서연,seo@naru.example\n")),
        as_western("이름,이메일\n김민수,minsu@naru.example\n".as_bytes()),
        format!("name,email\n{},minsu@naru.example\n", as_western(&cp949("김민수"))),
    ] {
        match open_bytes("list.csv", damaged.as_bytes()).map(|_| ()) {
            Err(IntakeError { why: IntakeProblem::Mojibake { example, .. }, .. }) => {
                let example = example.to_string();
                assert!(example.contains("김민수") || example.contains("이름"), "{example}");
            }
            other => panic!("{damaged}: {other:?}"),
        }
    }
}

#[test]
fn one_damaged_name_among_many_is_found_in_its_row() {
    let text = format!(
        "이름,이메일\n홍길동,a@naru.example\n{},b@naru.example\n서다인,c@naru.example\n",
        as_western(&cp949("김민수"))
    );
    let (_folder, table) = open_bytes("list.csv", text.as_bytes()).expect("readable");
    let checked = checked(&table);
    assert_eq!(checked[1].outcome, CheckOutcome::Ask);
    assert!(checked[1].findings[0].what.to_string().contains("김민수"), "{:?}", checked[1].findings);
}

#[test]
fn damaged_names_between_names_without_an_accent_are_found_in_their_rows() {
    for damaged in ["Mu\u{fffd}oz", "JosÃ© Garcia"] {
        for end in ["\n", "\r\n"] {
            let lines = ["name,email", "Ann Lee,a@naru.example", &format!("{damaged},b@naru.example")];
            let (_folder, table) = open_bytes("list.csv", lines.join(end).as_bytes()).expect("readable");
            let outcomes: Vec<CheckOutcome> = checked(&table).into_iter().map(|row| row.outcome).collect();
            assert_eq!(outcomes, [CheckOutcome::Ready, CheckOutcome::Ask], "{damaged}");
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_named_by_line_and_byte() {
    // Broken in every encoding: a lone lead byte of neither.
    let bytes = b"name,email\nKim,k@naru.example\nL\xffe,l@naru.example\n";
    match open_bytes("list.csv", bytes).map(|_| ()) {
        Err(IntakeError { why: IntakeProblem::BadEncoding { line: 3, offset: 31, .. }, .. }) => {}
        other => panic!("{other:?}"),
    }
    let choices = Choices { encoding: Some(TextEncoding::Utf8), ..Choices::default() };
    match open_bytes_with("list.csv", &cp949("이름,이메일\n"), &choices).map(|_| ()) {
        Err(IntakeError {
            why: IntakeProblem::BadEncoding { encoding: TextEncoding::Utf8, line: 1, offset: 0, .. },
            ..
        }) => {}
        other => panic!("{other:?}"),
    }
    match open_bytes("list.csv", b"name,email\nKim\0,k@naru.example\0\n").map(|_| ()) {
        Err(IntakeError { why: IntakeProblem::NulBytes { line: 2, offset: 14, .. }, .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_encoding_that_is_chosen_is_taken() {
    let choices = Choices { encoding: Some(TextEncoding::Cp949), ..Choices::default() };
    let (_folder, table) = open_bytes_with("list.csv", &cp949(TEXT), &choices).expect("readable");
    assert_eq!(table.about().encoding.as_ref().map(|e| e.certainty), Some(EncodingCertainty::Chosen));
}

#[test]
fn a_character_at_the_edge_of_a_piece_is_whole() {
    // The survey and the rows read pieces of 64 kB: put two-byte letters across every edge.
    for shift in 0..2 {
        let mut text = format!("name,email{}\n", "x".repeat(shift));
        while text.len() < 300_000 {
            text.push_str("홍길동전우치,hong@naru.example\n");
        }
        let (_folder, table) = open_bytes("list.csv", &cp949(&text)).expect("readable");
        let people = people(&table);
        assert!(people.iter().all(|p| *p == pair("홍길동전우치", "hong@naru.example")));
        assert_eq!(people.len(), text.lines().count() - 1);
    }
}
