//! The contents of the files of the data folder: tables, columns, triggers, and every word that is stored.

use super::pinned::pin;
use crate::verbs::kit::{Bench, frozen};
use lapel::jobs::{Claim, Code, DuplicateKind, Journal, Kind, Phase, Policy, RowStatus, StopKind};
use lapel::sandbox::{Options, RowSpec, RowState, Rows};
use rusqlite::Connection;
use std::fs;
use std::path::Path;

/// The schema of a database: its version, each table with its columns, the names of indexes and triggers.
fn schema(name: &str, file: &Path) -> Vec<String> {
    let db = Connection::open(file).expect("a database");
    let version: i64 = db.query_row("PRAGMA user_version", [], |r| r.get(0)).expect("a version");
    let mut lines = vec![format!("{name} user_version {version}")];
    let mut all = db
        .prepare("SELECT type, name, tbl_name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
        .expect("the schema");
    let all = all.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?))).expect("read");
    for (kind, thing, table) in all.map(|row: rusqlite::Result<(String, String, String)>| row.expect("a row"))
    {
        if kind != "table" {
            lines.push(format!("{name} {kind} {thing} on {table}"));
            continue;
        }
        let mut columns =
            db.prepare("SELECT name, type, \"notnull\", pk FROM pragma_table_info(?1)").expect("the columns");
        let columns = columns.query_map([&thing], |r| {
            let (column, kind, not_null, key): (String, String, bool, i64) =
                (r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?);
            let not_null = if not_null { " not null" } else { "" };
            let key = if key > 0 { format!(" key {key}") } else { String::new() };
            Ok(format!("{name} table {thing} {column} {kind}{not_null}{key}"))
        });
        lines.extend(columns.expect("read").map(|line| line.expect("a column")));
    }
    lines
}

/// What the rows of a database say: the name of each list, and how it is asked for.
fn stored(db: &Connection, lists: &[(&str, &str)], out: &mut Vec<String>) {
    for (name, of) in lists {
        let mut found = db.prepare(of).expect(of);
        let found = found.query_map([], |r| r.get::<_, String>(0)).expect(of);
        out.extend(found.map(|word| format!("{name} {}", word.expect("a word"))));
    }
}

#[tokio::test]
async fn schema_of_a_new_journal() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = Journal::open(folder.path()).expect("a new journal");
    let lines = schema("journal", &Journal::file_in(folder.path()));
    drop(journal);
    let known = [
        "journal table row bucket TEXT not null",
        "journal trigger claim_needed on row",
        "journal index row_bucket on row",
    ];
    pin("journal-schema", &known, lines);
}

#[test]
fn schema_of_the_other_databases() {
    let start = Some(jiff::civil::datetime(2041, 3, 1, 10, 0, 0, 0));
    let bench = Bench::with(Options { start, ..frozen() });
    bench.settings("[index]\nenabled = true\nmax_age_days = 36500\n");
    bench.run(&["index", "build"]).ended(0);
    let mut lines = schema("pace", &bench.path("data/pace.sqlite"));
    let index = fs::read_dir(bench.path("data/index"))
        .expect("a folder")
        .filter_map(|entry| Some(entry.ok()?.path()));
    let index: Vec<_> =
        index.filter(|path| path.extension().is_some_and(|ending| ending == "sqlite")).collect();
    assert_eq!(index.len(), 1);
    lines.extend(schema("index", &index[0]));
    let db = Connection::open(&index[0]).expect("the index");
    stored(
        &db,
        &[("index badge.base", "SELECT base FROM badge"), ("index meta", "SELECT name FROM meta")],
        &mut lines,
    );
    pin("other-schemas", &["index table badge email TEXT", "index index badge_reg on badge"], lines);
}

/// Words that stand in journals and in JSON. They are read back, so none may change.
#[test]
fn words_of_the_journal() {
    fn words<T: Copy>(kind: &'static str, all: &[T], code: fn(T) -> &'static str) -> Vec<String> {
        all.iter().map(|one| format!("{kind} {}", code(*one))).collect()
    }
    let lines = [
        words("row status", RowStatus::ALL, RowStatus::code),
        words("phase", Phase::ALL, Phase::code),
        words("kind of job", Kind::ALL, Kind::code),
        words("stop", StopKind::ALL, StopKind::code),
        words("duplicate", DuplicateKind::ALL, DuplicateKind::code),
        words("policy", Policy::ALL, Policy::code),
        words("claim", Claim::ALL, Claim::code),
        words("reason", Code::ALL, Code::name),
    ]
    .concat();
    for word in RowStatus::ALL {
        assert_eq!(RowStatus::from_code(word.code()), Some(*word), "what is written can be read");
    }
    let known =
        ["row status in_doubt", "phase moved", "stop refused_key", "reason window_over", "duplicate twin"];
    pin("journal-words", &known, lines);
}

/// Words that only SQL and the code around it know, taken from a journal after a day's work.
#[test]
fn words_that_a_days_work_leaves_in_the_journal() {
    let bench = Bench::new();
    let run = |args: &[&str], code: i32| bench.run(args).ended(code);
    let job = |args: &[&str], code: i32| bench.json(args, code)["jobs"][0]["id"].to_string();
    let one =
        |template: &'static str, who: &'static str| ["issue", "--template", template, "--to", who, "--yes"];
    let why = ["--row", "1", "--why", "a person knows"];
    run(&one("TPL-001", "먼저 <first@naru.example>"), 0);
    run(&["jobs", "follow"], 0);
    bench.control().set_quota(Some(2));
    let file = bench.write("people.csv", "누구,어디로\n김하나,hana@naru.example\n이두리,duri@naru.example\n");
    let map = ["--map", "name=1,email=2"];
    let stopped =
        job(&[&["issue", "--template", "TPL-001", "--recipients", &file, "--yes"], &map[..]].concat(), 4);
    bench.advance(10);
    run(&["jobs", "use-up", &stopped, "--yes"], 4);
    bench.control().set_quota(None);
    bench.advance(10);
    run(&["jobs", "resume", &stopped, "--yes"], 0);
    bench.fault("post /badges status=400 code=4000 times=1");
    let refused = job(&one("TPL-002", "김하나 <hana@naru.example>"), 3);
    run(&["jobs", "retry", &refused, "--yes"], 0);
    bench.fault("post /badges drop times=3");
    let lost: Vec<String> = [("TPL-004", "하나"), ("TPL-005", "두리"), ("TPL-006", "세나")]
        .map(|(template, name)| {
            let to = format!("김{name} <{template}@naru.example>");
            job(&["issue", "--template", template, "--to", &to, "--yes"], 5)
        })
        .into();
    for minutes in [11, 2] {
        bench.advance(minutes);
        run(&["jobs", "follow"], 5);
    }
    run(&[&["jobs", "resend", &lost[0], "--yes"], &why[..]].concat(), 0);
    run(&[&["jobs", "resolve", &lost[1], "--leave"], &why[..]].concat(), 0);
    let elsewhere = RowSpec {
        template_id: "TPL-006".into(),
        recipient_email: "TPL-006@naru.example".into(),
        ..RowSpec::default()
    };
    let elsewhere = bench.control().rows(&Rows { insert: vec![elsewhere], ..Rows::default() });
    let elsewhere = elsewhere.expect("inserted").remove(0);
    run(&[&["jobs", "resolve", &lost[2], "--is", &elsewhere], &why[..]].concat(), 0);
    bench.fault("post /badges status=401 code=4001 times=1");
    let cancelled = job(&one("TPL-007", "최네모 <nemo@naru.example>"), 4);
    run(&["jobs", "cancel", &cancelled], 0);
    let ids = bench.insert(&[("one@naru.example", RowState::Issued)]);
    run(&["revoke", &ids[0], "--reason", "issued twice", "--yes"], 0);
    let backup = bench.path("lapel.backup");
    let backup = backup.to_str().expect("UTF-8");
    run(&["journal", "backup", backup], 0);
    run(&["journal", "restore", backup], 0);

    let db = Connection::open(bench.path("data/journal.sqlite")).expect("the journal");
    let mut lines = Vec::new();
    let words = [
        ("decision.what", "SELECT what FROM decision"),
        ("request.outcome", "SELECT outcome FROM request WHERE outcome IS NOT NULL"),
        ("claim.state", "SELECT state FROM claim"),
        ("kept.what", "SELECT what FROM kept"),
        // Only what every run sees: more depends on the moment at which something is read.
        (
            "fact",
            "SELECT name || ' = ' || value FROM fact
             WHERE name IN ('waiting_in_history', 'waiting_by_id') AND value <> 'hidden'",
        ),
        ("fact.name", "SELECT name FROM fact WHERE name IN ('utc_offset', 'status_name', 'email_status')"),
        ("row.allowed", "SELECT allowed FROM row WHERE allowed IS NOT NULL"),
        ("origin", "SELECT key FROM job, json_each(job.origin) WHERE origin IS NOT NULL"),
        (
            "origin.map",
            "SELECT key FROM job, json_each(job.origin, '$.map') WHERE origin IS NOT NULL AND key IS NOT NULL",
        ),
        ("row.why", "SELECT key FROM row, json_each(row.why) WHERE why LIKE '{%'"),
    ];
    stored(&db, &words, &mut lines);
    let known = ["decision.what send again", "request.outcome accepted", "kept.what reason", "origin sha256"];
    pin("journal-work", &known, lines);
}
