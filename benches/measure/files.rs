//! Files of recipients.

use std::fmt::Write;
use std::path::{Path, PathBuf};

const HEADER: [&str; 4] = ["번호", "이름", "이메일", "부서"];

fn person(n: u32) -> [String; 4] {
    let syllable = |n: u32| char::from_u32(0xac00 + 28 * (n % 399)).expect("Hangul");
    let name = format!("김{}{}", syllable(n), syllable(n / 399 + 7));
    [n.to_string(), name, format!("s{n}@naru.example"), "교무처".to_owned()]
}

pub fn csv(folder: &Path, rows: u32) -> PathBuf {
    let mut text = HEADER.join(",") + "\n";
    for n in 1..=rows {
        writeln!(text, "{}", person(n).join(",")).expect("a text takes everything");
    }
    let path = folder.join("people.csv");
    std::fs::write(&path, text).expect("written");
    path
}

pub fn xlsx(folder: &Path, rows: u32) -> PathBuf {
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    sheet.write_row(0, 0, HEADER).expect("written");
    for n in 1..=rows {
        sheet.write_row(n, 0, person(n)).expect("written");
    }
    let path = folder.join("people.xlsx");
    book.save(&path).expect("written");
    path
}
