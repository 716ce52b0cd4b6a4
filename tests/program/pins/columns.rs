//! Columns of files, as a person or a program reads them back.

use super::pinned::pin;
use crate::verbs::kit::Bench;
use calamine::{Reader, Xlsx, open_workbook};
use lapel::jobs::RowStatus;
use lapel::sandbox::RowState;
use std::fs;

/// The sheets of a spreadsheet, and the columns of the first one. The others are for people.
fn of_xlsx(bench: &Bench, file: &str, out: &mut Vec<String>) {
    let mut book: Xlsx<_> = open_workbook(bench.path(file)).expect("a spreadsheet");
    let sheets = book.sheet_names();
    out.extend(sheets.iter().zip(1..).map(|(sheet, n)| format!("{file} sheet {n} {sheet}")));
    let range = book.worksheet_range(&sheets[0]).expect("a sheet");
    let names = range.rows().next().expect("names").iter().map(ToString::to_string);
    numbered(&format!("{file} {}", sheets[0]), names, out);
}

fn of_csv(of: &str, text: &str, out: &mut Vec<String>) {
    let first = text.trim_start_matches('\u{feff}').lines().next().expect("names");
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(first.as_bytes());
    let names = reader.records().next().expect("names").expect("a row");
    numbered(of, names.iter().map(str::to_owned), out);
}

fn numbered(of: &str, names: impl Iterator<Item = String>, out: &mut Vec<String>) {
    out.extend(names.zip(1..).map(|(name, n)| format!("{of} {n:02} {name}")));
}

#[test]
fn columns_of_exported_lists() {
    let bench = Bench::new();
    let id = bench.insert(&[("gildong@naru.example", RowState::Issued)]).remove(0);
    let mut lines = Vec::new();
    for (of, args) in [
        ("templates", &["templates", "--rows", "1"][..]),
        ("template", &["template", "TPL-004"]),
        ("categories", &["categories"]),
        ("category", &["category", "C08"]),
        ("badge-types", &["badge-types"]),
        ("history", &["history", "--rows", "1"]),
        ("wallet", &["wallet", "gildong@naru.example"]),
        ("badge", &["badge", &id]),
    ] {
        let csv = bench.run(&[args, &["--csv"]].concat()).ended(0).out;
        of_csv(&format!("{of}.csv"), &csv, &mut lines);
        let file = format!("{of}.xlsx");
        bench.run(&[args, &["--xlsx", &file]].concat()).ended(0);
        of_xlsx(&bench, &file, &mut lines);
    }
    pin("columns-of-lists", &["history.csv 01 badge_id", "templates.xlsx rows 01 template_id"], lines);
}

#[test]
fn columns_of_receipts_and_files_to_do_again() {
    let bench = Bench::new();
    let rows = "번호,이름,이메일\n1,김하나,hana@naru.example\n2,박세나,\n";
    let file = bench.write("people.csv", rows);
    bench.run(&["issue", "--template", "TPL-001", "--recipients", &file, "--yes"]).ended(3);
    let mut lines = Vec::new();
    for (verb, name) in [("receipt", "receipt"), ("redo", "redo")] {
        for ending in ["csv", "xlsx"] {
            let to = format!("{name}.{ending}");
            bench.run(&["jobs", verb, "1", "--to", &to]).ended(0);
            if ending == "csv" {
                let text = fs::read_to_string(bench.path(&to)).expect("written");
                of_csv(&to, &text, &mut lines);
            } else {
                of_xlsx(&bench, &to, &mut lines);
            }
        }
    }
    // A receipt of a receipt has its columns under other names.
    let again = fs::read_to_string(bench.path("receipt.csv"))
        .expect("written")
        .replace("박세나,", "박세나,sena@naru.example");
    let again = bench.write("again.csv", again);
    let map = ["--map", "name=이름,email=이메일"];
    bench.run(&[&["issue", "--template", "TPL-002", "--recipients", &again, "--yes"], &map[..]].concat());
    bench.run(&["jobs", "receipt", "2", "--to", "second.csv"]).ended(0);
    let text = fs::read_to_string(bench.path("second.csv")).expect("written");
    of_csv("receipt-of-a-receipt.csv", &text, &mut lines);
    // Programs compare the values of this column.
    let values = RowStatus::ALL
        .iter()
        .map(|status| format!("value of lapel bucket for {}: {}", status.code(), status.receipt_value()));
    lines.extend(values);
    pin(
        "columns-of-receipts",
        &["receipt.csv 04 lapel row", "redo.csv 03 이메일", "receipt-of-a-receipt.csv 15 lapel 2 row"],
        lines,
    );
}
