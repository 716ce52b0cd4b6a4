//! Badge ids from a file, for revoking.

use super::kit::*;
use crate::texts::msg_part;
use lapel::jobs::intake::{Choices, IdList, ImportSource, IntakeError, IntakeProblem, Unwatched, read_ids};

fn ids(text: &str) -> Result<IdList, IntakeError> {
    let folder = Folder::new();
    read_ids(&folder.file("ids.csv", text.as_bytes()), &Choices::default(), &Unwatched)
}

fn seen(list: &IdList) -> Vec<(u64, Result<&str, String>)> {
    list.rows
        .iter()
        .map(|r| (r.line, r.id.as_ref().map(lapel::domain::BadgeId::wire).map_err(ToString::to_string)))
        .collect()
}

#[test]
fn ids_come_from_the_column_that_is_called_so() {
    for name in ["badge_id", "Badge ID", "배지 id", "배지ID", "badgeId", "배지 번호"] {
        let list = ids(&format!("이름,{name}\n홍길동,B-001\n김민수, B-002 \n")).expect("readable");
        assert_eq!(seen(&list), [(2, Ok("B-001")), (3, Ok("B-002"))], "{name}");
    }
}

#[test]
fn ids_come_from_the_only_column_with_or_without_a_header() {
    assert_eq!(seen(&ids("\u{feff}B-001\nB-002\n").expect("readable")), [(1, Ok("B-001")), (2, Ok("B-002"))]);
    let list = ids("badge_id\n\nB-001\n").expect("readable");
    assert_eq!(seen(&list), [(3, Ok("B-001"))]);
    let pasted = ImportSource::Pasted("B-001\nB-002".to_owned());
    assert_eq!(read_ids(&pasted, &Choices::default(), &Unwatched).expect("readable").rows.len(), 2);
}

#[test]
fn an_id_that_stood_there_before_is_refused_as_a_double() {
    let list = ids("badge_id\nB-001\nB-002\n B-001\u{200b}\n").expect("readable");
    assert_eq!(
        list.rows[2].id.as_ref().expect_err("a double").to_string(),
        "the same id is already in row 2"
    );
}

#[test]
fn damaged_ids_are_refused_with_the_reason() {
    for (raw, reason) in [
        ("1.23E+15", "scientific"),
        ("1,23E+15", "scientific"),
        ("1E+15", "scientific"),
        ("-4.5e-7", "scientific"),
        ("#REF!", "formula error"),
        ("########", "formula error"),
        ("'B-001", "apostrophe"),
        ("B 001", "space"),
        ("B-\u{200b}001", "invisible character"),
        ("B-\u{202e}001", "invisible character"),
    ] {
        let list = ids(&format!("badge_id,x\n\"{raw}\",x\n")).expect("readable");
        let why = list.rows[0].id.as_ref().expect_err(raw);
        assert!(why.to_string().contains(reason), "{raw}: {why}");
        assert_eq!(list.rows[0].raw.wire(), raw);
    }
    for fine in ["00123", "12e5", "a/b+c", "550e8400-e29b-41d4-a716-446655440000", "BDG_2025:7", "1e9f"] {
        assert!(ids(&format!("badge_id\n{fine}\n")).expect("readable").rows[0].id.is_ok(), "{fine}");
    }
    let list = ids("badge_id,x\n,x\n").expect("readable");
    assert!(list.rows[0].id.as_ref().expect_err("empty").to_string().contains(msg_part("no badge id")));
}

#[test]
fn which_column_is_meant_is_not_guessed() {
    match ids("a,b\nB-001,B-002\n") {
        Err(IntakeError { why: IntakeProblem::NoIdColumn { .. }, .. }) => {}
        other => panic!("{other:?}"),
    }
    let folder = Folder::new();
    let source = folder.file("ids.csv", b"a,b\nB-001,B-002\n");
    let choose =
        |column| read_ids(&source, &Choices { id_column: Some(column), ..Choices::default() }, &Unwatched);
    assert_eq!(choose(1).expect("readable").rows.len(), 2);
    assert!(matches!(
        choose(2),
        Err(IntakeError { why: IntakeProblem::ColumnNotFound { column: 3, columns: 2, .. }, .. })
    ));
}

#[test]
fn numbers_of_a_sheet_that_lost_their_digits_are_refused() {
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    sheet.write_string(0, 0, "badge_id").expect("written");
    sheet.write_number(1, 0, 1_230_000_000_000_000_000.0).expect("written");
    sheet.write_string(2, 0, "00123").expect("written");
    sheet.write_number(3, 0, 4711.0).expect("written");
    let folder = Folder::new();
    let source = folder.file("ids.xlsx", &book.save_to_buffer().expect("saved"));
    let list = read_ids(&source, &Choices::default(), &Unwatched).expect("readable");
    assert!(list.rows[0].id.as_ref().expect_err("lost").to_string().contains(msg_part("15 digits")));
    assert_eq!(seen(&list)[1..], [(3, Ok("00123")), (4, Ok("4711"))]);
}
