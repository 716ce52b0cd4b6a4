//! The spreadsheets that come with the demo are what the code here makes, and they fit the demo's data
//! whenever that begins. `UPDATE_DEMO=1 cargo test --test program demo_files::` writes them anew.

mod demo;
mod people;
mod sheets;

use demo::Demo;
use lapel::domain::{Address, EmailKey};
use std::collections::HashMap;
use std::path::PathBuf;

/// The day on which the files were first made; any other would do.
const FIRST: &str = "2026-11-21 10:00:00";

/// Beginnings that differ in all that the demo's calendar looks at: weekday, time of day, season, leap year.
const BEGINNINGS: [&str; 4] =
    ["2026-11-22 00:00:30", "2027-02-27 17:59:00", "2028-02-29 23:59:30", "2031-08-26 12:00:00"];

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets/demo").join(name)
}

fn same(name: &str, made: &[u8]) {
    let path = path(name);
    if std::env::var_os("UPDATE_DEMO").is_some() {
        std::fs::write(&path, made).expect("written");
        return;
    }
    let kept = std::fs::read(&path).expect(name);
    assert!(
        kept == made,
        "{name} is not what the code makes: run UPDATE_DEMO=1 cargo test --test program demo_files::"
    );
}

/// A file as it is kept, as rows of cells. The encoding is the one that it is meant to have.
fn rows(name: &str) -> Vec<Vec<String>> {
    let bytes = std::fs::read(path(name)).expect(name);
    let text = if name.contains("cp949") {
        let (text, _, damaged) = encoding_rs::EUC_KR.decode(&bytes);
        assert!(!damaged);
        text.into_owned()
    } else {
        String::from_utf8(bytes).expect("UTF-8").strip_prefix('\u{feff}').expect("the mark").to_owned()
    };
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|row| row.expect("a record").iter().map(str::to_owned).collect()).collect()
}

#[tokio::test]
async fn the_files_are_what_the_code_makes() {
    let demo = Demo::begin(FIRST).await;
    same("attendees-cp949.csv", &sheets::attendees(&demo.first_holder()));
    same("attendees-utf8-bom.csv", &sheets::mixed());
    same("one-line-cp949.csv", &sheets::one_line());
    same("safety-2025-h2.xlsx", &sheets::safety());
    same("big-3200.csv", &sheets::big());
    same("revoke-ids.csv", &sheets::revoke(&demo).await);
}

#[tokio::test]
async fn the_badges_to_revoke_are_in_the_demo_on_whatever_day_it_begins() {
    let lines = rows("revoke-ids.csv");
    assert_eq!((lines.len(), lines[0][0].as_str()), (61, "badge_id"));
    let mut ids: Vec<String> = lines[1..].iter().map(|row| row[0].clone()).collect();
    assert_eq!(ids.iter().filter(|id| *id == "1.23E+15").count(), 1);
    ids.retain(|id| id != "1.23E+15");
    ids.sort();
    let with_double = ids.len();
    ids.dedup();
    assert_eq!((with_double, ids.len()), (59, 58));
    for begin in BEGINNINGS {
        let demo = Demo::begin(begin).await;
        assert_eq!(demo.count(&ids), [41, 9, 6, 2], "issued, waiting, revoked, unknown when begun {begin}");
        if begin == BEGINNINGS[0] {
            // A person who revokes much later finds the same.
            demo.sandbox.control().advance(std::time::Duration::from_secs(4 * 3600));
            assert_eq!(demo.again().await.count(&ids), [41, 9, 6, 2], "four hours after {begin}");
        }
    }
}

#[tokio::test]
async fn of_120_attendees_three_are_wrong_three_come_twice_and_two_have_the_badge() {
    let lines = rows("attendees-cp949.csv");
    let attendees = &lines[1..];
    assert_eq!((attendees.len(), lines[0].join(",").as_str()), (120, "연번,성명,학과,이메일,비고"));
    let wrong = |row: &&Vec<String>| row[1].trim().is_empty() || Address::check(&row[3]).is_err();
    assert_eq!(attendees.iter().filter(wrong).count(), 3);

    let mut times: HashMap<(EmailKey, &str), usize> = HashMap::new();
    for row in attendees.iter().filter(|row| !wrong(row)) {
        *times.entry((EmailKey::of(&row[3]), row[1].as_str())).or_default() += 1;
    }
    assert_eq!(times.values().filter(|times| **times == 2).count(), 3, "twins");
    assert_eq!(times.values().max(), Some(&2));
    let mailboxes: std::collections::HashSet<&EmailKey> = times.keys().map(|(key, _)| key).collect();
    assert_eq!((times.len(), mailboxes.len()), (114, 114), "nobody shares a mailbox");

    for begin in BEGINNINGS {
        let demo = Demo::begin(begin).await;
        let holders = demo.holders(Some("TPL-004"));
        let names: Vec<&str> =
            times.keys().filter(|(key, _)| holders.contains(key)).map(|(_, name)| *name).collect();
        assert_eq!(names.len(), 2, "{names:?} hold it already when begun {begin}");
        assert!(names.contains(&"배은우"), "{names:?}");
        // Some of the others are people of the demo, too.
        let all = demo.holders(None);
        let known = times.keys().filter(|(key, _)| all.contains(key)).count();
        assert!(known >= 10, "{known}");
    }
}

#[test]
fn one_line_in_cp949_could_be_taken_for_utf8() {
    let bytes = std::fs::read(path("one-line-cp949.csv")).expect("the file");
    let mistaken = std::str::from_utf8(&bytes).expect("valid UTF-8, too");
    assert!(mistaken.contains("ȫö,"), "{mistaken}");
    assert_eq!(rows("one-line-cp949.csv")[1], ["홍철", "hong.c@naru.example"]);
}

#[test]
fn the_large_file_has_3200_people_without_a_fault() {
    let lines = rows("big-3200.csv");
    assert_eq!(lines.len(), 3201);
    let mut keys: Vec<EmailKey> = lines[1..].iter().map(|row| EmailKey::of(&row[1])).collect();
    assert!(lines[1..].iter().all(|row| Address::check(&row[1]).is_ok() && !row[0].is_empty()));
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 3200);
}

#[test]
fn the_mixed_file_has_names_in_many_scripts() {
    let lines = rows("attendees-utf8-bom.csv");
    assert_eq!(lines.len(), 41);
    let names: Vec<&str> = lines[1..].iter().map(|row| row[0].as_str()).collect();
    for name in ["Lea O'Connor-Kim", "Null, Christopher", "علي حسن", "นภา ศรีสุข", "王小明", "Ahmet Yılmaz"]
    {
        assert!(names.contains(&name), "{name}");
    }
    assert!(lines[1..].iter().all(|row| Address::check(&row[1]).is_ok()));
}

#[test]
fn the_safety_sheet_has_its_traps() {
    use calamine::{Data, Reader};
    let path = path("safety-2025-h2.xlsx");
    let mut book: calamine::Xlsx<_> = calamine::open_workbook(&path).expect("Excel");
    assert_eq!(book.sheet_names(), ["수료자", "집계"]);
    let range = book.worksheet_range("수료자").expect("a sheet");
    let text = |row: u32, column: u32| match range.get_value((row, column)) {
        Some(Data::String(text)) => text.clone(),
        other => panic!("{row},{column}: {other:?}"),
    };
    assert!(text(0, 0).starts_with("2025년 하반기"));
    assert_eq!((text(3, 1).as_str(), text(3, 3).as_str()), ("성명", "이메일"));
    for row in 4..34 {
        assert!(Address::check(&text(row, 3)).is_ok(), "the address in a link is read as text");
        assert!(matches!(range.get_value((row, 4)), Some(Data::DateTime(_))), "a date");
        assert!(matches!(range.get_value((row, 5)), Some(Data::Float(_))), "a number with a name's look");
    }
    assert!(text(34, 0).starts_with("합계"));
    let merged = book.merge_cells_by_sheet_name("수료자").expect("merged cells");
    assert_eq!((merged[0].start, merged[0].end), ((0, 0), (0, 5)));

    let mut archive =
        zip::ZipArchive::new(std::fs::File::open(&path).expect("the file")).expect("an archive");
    let mut part = |name: &str| std::io::read_to_string(archive.by_name(name).expect(name)).expect("text");
    let sheet = part("xl/worksheets/sheet1.xml");
    assert_eq!(sheet.matches("hidden=\"1\"").count(), 1, "one row is hidden");
    assert_eq!(sheet.matches("<hyperlink ").count(), 30);
    assert!(part("xl/worksheets/_rels/sheet1.xml.rels").contains("mailto:safety@moondeck.example"));
}
