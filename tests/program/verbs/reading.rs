//! Reading and taking away: every list complete, no row twice, and no half taken for a whole.

use super::kit::{Bench, Running, frozen, shape};
use crate::texts::{msg, msg_part};
use lapel::sandbox::{Options, RowSpec, RowState, Rows};
use serde_json::Value;
use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;

const HISTORY: &str = "GET /badges/history";

/// The JSON of a verb, without what is different in every run.
fn told(bench: &Bench, args: &[&str]) -> String {
    let base = bench.sandbox.base_url();
    let origin = base.split("/api").next().expect("an origin");
    shape(bench.json(args, 0), bench).replace(origin, "ORIGIN")
}

/// The ids of the records in a list.
fn ids(list: &Value) -> Vec<String> {
    let id = |one: &Value| {
        ["badge_id", "template_id"].iter().find_map(|name| one[name].as_str().map(str::to_owned))
    };
    list.as_array().expect("a list").iter().map(|one| id(one).expect("an id")).collect()
}

fn insert(bench: &Bench, rows: Vec<RowSpec>) -> Vec<String> {
    bench.control().rows(&Rows { insert: rows, ..Rows::default() }).expect("inserted")
}

#[test]
fn every_record_has_its_json() {
    let bench = Bench::new();
    let id = bench.insert(&[("gildong@naru.example", RowState::Revoked)]).remove(0);
    for (name, args) in [
        ("templates", &["templates", "--rows", "1"][..]),
        ("template", &["template", "TPL-004"]),
        ("categories", &["categories", "--level-yn", "n", "--category-name", "안전"]),
        ("category", &["category", "C08"]),
        ("badge_types", &["badge-types"]),
        ("history", &["history", "--rows", "1", "--recipient-email", "gildong@naru.example"]),
        ("history_all", &["history", "--all", "--recipient-email", "gildong@naru.example"]),
        ("wallet", &["wallet", "gildong@naru.example"]),
        ("badge", &["badge", &id]),
    ] {
        insta::assert_snapshot!(format!("read_{name}"), told(&bench, args));
    }
    let refused = bench.run(&["badge", "no/such id", "--json"]).ended(1);
    assert_eq!(refused.json()["error"]["kind"], "not_found");
    assert_eq!(files(&bench), ["recent"], "reading needs no journal, and keeps only the templates");
    assert_eq!(bench.posts(), 0);
}

#[test]
fn each_filter_reaches_the_service() {
    let bench = Bench::new();
    insert(
        &bench,
        vec![
            RowSpec {
                recipient_name: "유일한".into(),
                recipient_email: "only+one@예시.example".into(),
                ..RowSpec::default()
            },
            RowSpec { state: RowState::Revoked, ..RowSpec::default() },
        ],
    );
    let count = |args: &[&str]| bench.json(args, 0)["total_count"].as_u64().expect("a count");
    for (args, n) in [
        (&["templates"][..], 40),
        (&["templates", "--template-id", "TPL-004"], 1),
        (&["templates", "--title", "파이썬"], 2),
        (&["templates", "--use-yn", "n"], 2),
        (&["templates", "--category-id", "C09"], 1),
        (&["templates", "--badge-type", "certificate"], 10),
        (&["templates", "--category-level-id", "C09-L2"], 1),
        (&["templates", "--reg-str-date", "2099-01-01"], 0),
        (&["templates", "--reg-end-date", "1999-01-01"], 0),
        (&["history", "--recipient-name", "유일한"], 1),
        (&["history", "--recipient-email", "only+one@예시.example"], 1),
        (&["history", "--title", "no such title & more"], 0),
        (&["history", "--issue-start-date", "2026-11-21", "--recipient-name", "유일한"], 1),
        (&["history", "--issue-end-date", "2026-11-20", "--recipient-name", "유일한"], 0),
        (&["history", "--revoke-start-date", "2026-11-21", "--recipient-email", "late.comer@example.org"], 1),
        (&["history", "--revoke-end-date", "1999-01-01"], 0),
        (&["wallet", "only+one@예시.example"], 1),
    ] {
        assert_eq!(count(args), n, "{args:?}");
    }
    let listed = |args: &[&str]| bench.json(args, 0)["list"].as_array().map(Vec::len);
    assert_eq!(listed(&["categories"]), Some(9));
    assert_eq!(listed(&["categories", "--use-yn", "N"]), Some(1));
    assert_eq!(listed(&["categories", "--level-yn", "N"]), Some(3));
    assert_eq!(listed(&["categories", "--category-name", "data"]), Some(1));
}

#[test]
fn columns_to_sort_by_keep_their_order_in_whatever_letters_the_service_takes() {
    for direction in ["any", "upper", "lower"] {
        let bench = Bench::switched(&[("sort-type", direction)]);
        let said = bench.json(&["templates", "--all", "--sort", "use_yn", "--sort", "title:desc"], 0);
        let order: Vec<(&str, &str)> = said["list"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| (one["use_yn"].as_str().expect("Y or N"), one["title"].as_str().expect("a title")))
            .collect();
        assert!(
            order.windows(2).all(|w| w[0].0 < w[1].0 || (w[0].0 == w[1].0 && w[0].1 >= w[1].1)),
            "{order:?}"
        );
        assert_eq!(order.len(), 40);
    }
    let bench = Bench::switched(&[("sorting", "refused")]);
    let said = bench.run(&["history", "--sort", "title"]).ended(1);
    assert!(said.err.contains("This list cannot be sorted") && said.out.is_empty(), "{}", said.err);
}

#[test]
fn a_mistake_is_named_and_nothing_is_asked() {
    let bench = Bench::new();
    for (args, said) in [
        (&["history", "--sort", "nonsense"][..], "recipient_email, status_name"),
        (&["history", "--sort", "title:up"], msg_part("asc or desc")),
        (&["wallet", "a@x.example", "--sort", "level"], "there is no column `level`"),
        (&["history", "--issue-start-date", "31.1.2026"], "YYYY-MM-DD"),
        (&["templates", "--rows", "101"], "101"),
        (&["templates", "--page", "0"], "0"),
        (&["templates", "--page", "2", "--all"], "--all"),
        (&["templates", "--csv", "--json"], "--json"),
        (&["templates", "--badge-type", "MEDAL"], "PARTICIPATE"),
        (&["templates", "--force"], "--xlsx"),
        (&["wallet", " "], "empty"),
        (&["wallet", "notanaddress"], "<EMAIL>"),
        (&["wallet", "notanaddress"], "has no @"),
        (&["wallet", "gildong@naru.example", "--xlsx", "-"], "--xlsx"),
        (&["history", "--all", "--xlsx", "-"], "a spreadsheet needs a file"),
        (&["badge", ""], "empty"),
    ] {
        let ended = bench.run(args).ended(2);
        assert!(ended.err.contains(said), "{args:?}: {}", ended.err);
    }
    assert!(!bench.path("-").exists(), "no file of that name");
    assert_eq!(bench.requests(), 0);
}

#[test]
fn a_page_says_how_many_there_are() {
    let bench = Bench::new();
    let said = bench.run(&["history", "--page", "3", "--rows", "7"]).ended(0);
    assert!(
        said.err.contains(msg_part("page 3: 7 badges of 300")) && said.err.contains("--all"),
        "{}",
        said.err
    );
    assert_eq!(said.out.lines().count(), 8, "a line of names and seven of rows: {}", said.out);
    assert_eq!(bench.requests_to(HISTORY), 1);
    let beyond = bench.run(&["history", "--page", "99"]).ended(0);
    assert!(beyond.out.is_empty() && beyond.err.contains("0 badges of 300"), "{}", beyond.err);
}

#[test]
fn a_table_shows_states_as_signs_and_words_and_scrubs_control_characters() {
    let bench = Bench::new();
    let odd = RowSpec {
        recipient_name: "Esc \u{1b}]52;c;aGk=\u{7}\u{202e}".into(),
        state: RowState::Revoked,
        ..RowSpec::default()
    };
    insert(&bench, vec![odd]);
    let said = bench.run(&["history", "--rows", "1"]).ended(0);
    assert!(said.out.contains("✕ Revoked") && said.out.contains("Esc ␛]52;c;aGk=␇⟨U+202E⟩"), "{}", said.out);
    bench.settings("glyphs = \"ascii\"\n");
    assert!(bench.run(&["history", "--rows", "1"]).ended(0).out.contains("x Revoked"));
}

#[test]
fn each_form_has_the_same_rows_and_values() {
    let bench = Bench::new();
    let formula = RowSpec {
        recipient_name: "=1+1".into(),
        recipient_email: "+amy@x.example".into(),
        label: Some("esc\u{1b}[2J".into()),
        ..RowSpec::default()
    };
    insert(&bench, vec![formula]);
    let json = bench.json(&["history", "--all"], 0);
    assert_eq!((&json["complete"], &json["total_count"]), (&true.into(), &301.into()));
    let known = ids(&json["list"]);
    assert_eq!(known.iter().collect::<HashSet<_>>().len(), 301);

    let said = bench.run(&["history", "--all", "--jsonl"]).ended(0);
    assert!(said.err.contains(msg_part("301 badges, complete (total_count 301)")), "{}", said.err);
    let lines: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(Value::from(lines), json["list"]);
    assert!(said.out.contains("esc\\u001b[2J"), "a terminal obeys nothing of it");

    let said = bench.run(&["history", "--all", "--csv"]).ended(0);
    let mut csv = csv::Reader::from_reader(said.out.as_bytes());
    let names = csv.headers().expect("names").clone();
    let rows: Vec<csv::StringRecord> = csv.records().map(|row| row.expect("a row")).collect();
    assert_eq!((names.len(), rows.len(), names.get(0)), (16, 301, Some("badge_id")));
    assert_eq!(rows.iter().map(|row| row[0].to_owned()).collect::<Vec<_>>(), known);
    assert_eq!((&rows[0][7], &rows[0][8]), ("'=1+1", "'+amy@x.example"), "no formula");

    let file = bench.path("history.xlsx");
    let to = file.to_str().expect("UTF-8");
    let said = bench.run(&["history", "--all", "--xlsx", to]).ended(0);
    assert!(
        said.out.contains(msg_part("Saved 301 rows to "))
            && said.err.contains(msg_part("complete (total_count 301)")),
        "{}",
        said.err
    );
    let sheet = sheet(&file);
    assert_eq!(sheet[0], names.iter().collect::<Vec<_>>());
    assert_eq!(sheet[1..].iter().map(|row| row[0].clone()).collect::<Vec<_>>(), known);
    assert_eq!((sheet[1][7].as_str(), sheet[1][9].as_str()), ("=1+1", "esc␛[2J"));
}

/// The only sheet of an Excel file, whose cells are texts.
fn sheet(path: &std::path::Path) -> Vec<Vec<String>> {
    use calamine::Reader;
    let mut book = calamine::open_workbook::<calamine::Xlsx<_>, _>(path).expect("an Excel file");
    let (_, range) = book.worksheets().remove(0);
    range.rows().map(|row| row.iter().map(ToString::to_string).collect()).collect()
}

#[test]
fn a_file_is_private_and_never_takes_the_place_of_another_one_unasked() {
    let bench = Bench::new();
    let file = bench.write("a.xlsx", "mine");
    let args = ["history", "--all", "--xlsx", &file];
    let said = bench.run(&args).ended(1);
    assert!(said.err.contains(msg_part("already exists")) && said.err.contains("--force"), "{}", said.err);
    assert_eq!((fs::read(&file).expect("a file"), bench.requests()), (b"mine".to_vec(), 0));
    bench.run(&[&args[..], &["--force"]].concat()).ended(0);
    assert_eq!(sheet(file.as_ref()).len(), 301);
    let nowhere = bench.run(&["templates", "--xlsx", "no/such/folder/a.xlsx"]).ended(1);
    assert!(nowhere.err.contains(msg("folder")), "{}", nowhere.err);
    for (verb, rows) in [("templates", 21), ("categories", 10), ("badge-types", 6)] {
        let to = bench.path(&format!("{verb}.xlsx"));
        bench.run(&[verb, "--xlsx", to.to_str().expect("UTF-8")]).ended(0);
        assert_eq!(sheet(&to).len(), rows, "{verb}");
        #[cfg(unix)]
        assert_eq!(lapel::fs::mode_of(&fs::metadata(&to).expect("metadata")), 0o600);
    }
}

#[test]
fn what_moves_while_it_is_read_is_read_again_and_a_lying_page_is_found_out() {
    for rule in [
        "get /badges/history items=missing times=1",
        "get /badges/history items=empty after=1 times=1",
        "get /badges/history items=doubled after=1 times=1",
        "get /badges/history status=500 after=1 times=1",
    ] {
        let bench = Bench::new();
        bench.fault(rule);
        let said = bench.json(&["history", "--all"], 0);
        let known: HashSet<String> = ids(&said["list"]).into_iter().collect();
        assert_eq!((known.len(), said["list"].as_array().map(Vec::len)), (300, Some(300)), "{rule}");
        assert_eq!(
            (&said["complete"], &said["problems"]),
            (&true.into(), &Value::Array(Vec::new())),
            "{rule}"
        );
    }
}

#[test]
fn a_count_that_cannot_be_believed_is_said() {
    for (value, code, words) in [
        ("missing", 0, msg_part("gives no total_count")),
        ("negative", 0, msg_part("gives no total_count")),
        ("huge", 3, "but total_count is 9,300,000"),
        ("short", 3, msg_part("but total_count is")),
    ] {
        let bench = Bench::switched(&[("total-count", value), ("max-rows", "70")]);
        let said = bench.run(&["history", "--all", "--csv"]).ended(code);
        assert_eq!(said.out.lines().count(), 301, "{value}: every row is still there");
        assert!(said.err.contains(words), "{value}: {}", said.err);
    }
}

#[test]
fn an_error_on_the_way_is_no_end() {
    let bench = Bench::new();
    bench.fault("get /badges/history status=401 code=4001 after=2");
    let said = bench.run(&["history", "--all", "--jsonl"]).ended(1);
    assert_eq!(said.out.lines().count(), 200);
    assert!(
        said.err.contains(msg_part("lapel printed 200 badges"))
            && said.err.contains(msg_part("The list is incomplete")),
        "{}",
        said.err
    );
    bench.control().clear_faults();
    bench.fault("get /badges/history status=401 code=4001 after=1");
    let table = bench.run(&["history", "--all"]).ended(1);
    assert_eq!(table.out.lines().count(), 101, "what is given is there to be seen");
    bench.control().clear_faults();
    bench.fault("get /badges/history status=401 code=4001 after=2");
    let to = bench.path("a.xlsx");
    let said = bench.run(&["history", "--all", "--xlsx", to.to_str().expect("UTF-8")]).ended(1);
    assert!(said.err.contains(msg_part(msg_part("Nothing was saved"))), "{}", said.err);
    assert_eq!(files(&bench), Vec::<String>::new());
}

/// Every file in the home but that of the shared pace.
fn files(bench: &Bench) -> Vec<String> {
    let names = |folder: PathBuf| {
        let entries = fs::read_dir(folder).into_iter().flatten();
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
    };
    let outside = names(bench.home.path().to_owned()).filter(|name| name != "data");
    outside.chain(names(bench.path("data")).filter(|name| !name.starts_with("pace.sqlite"))).collect()
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let bench = Bench::new();
    for form in ["--jsonl", "--csv"] {
        let mut child = bench.lapel(&["history", "--all", form]).spawn().expect("it starts");
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        out.read_line(&mut String::new()).expect("a line");
        drop(out);
        let said = bench.said(child.wait_with_output().expect("it ends")).ended(0);
        assert!(
            said.err.lines().all(|line| line.starts_with(msg_part("lapel: read"))),
            "{form}: {}",
            said.err
        );
    }
}

#[test]
fn an_empty_filter_is_a_mistake() {
    let bench = Bench::new();
    for args in [
        ["history", "--recipient-email", ""],
        ["history", "--recipient-name", " "],
        ["history", "--title", ""],
        ["templates", "--template-id", ""],
        ["templates", "--title", ""],
        ["templates", "--category-id", ""],
        ["templates", "--category-level-id", ""],
        ["categories", "--category-name", ""],
    ] {
        bench.run(&args).ended(2);
    }
    assert_eq!(bench.requests(), 0);
}

#[test]
fn a_mistake_in_the_command_line_is_an_answer_in_json_too() {
    let bench = Bench::new();
    for args in [
        &["wallet", "notanaddress"][..],
        &["history", "--page", "0"],
        &["wallet"],
        &["jobs", "dance"],
        &["history", "--key", "x"],
        &["--tab", "wallet", "history"],
    ] {
        let mut command = bench.lapel(&[args, &["--json"]].concat());
        let said = bench.said(command.env("LANG", "ko_KR.UTF-8").output().expect("it runs")).ended(2);
        let error = &said.json()["error"];
        assert_eq!(error["kind"], "usage", "{args:?}");
        assert!(error["message"].as_str().is_some_and(|why| !why.is_empty() && why.is_ascii()), "{error}");
    }
    assert_eq!(bench.run(&["history", "--help"]).ended(0).err, "");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_at_a_whole_row_and_leaves_no_half_file() {
    use rustix::process::Signal;
    let bench = Bench::new();
    let to = bench.path("a.xlsx");
    for (args, words) in [
        (["history", "--all", "--jsonl"].as_slice(), "lapel printed 100 badges"),
        (&["history", "--all", "--xlsx", to.to_str().expect("UTF-8")], msg_part("Nothing was saved")),
        (&["history", "--all", "--json"], msg_part("Stopped before everything was read")),
    ] {
        let before = bench.requests_to(HISTORY);
        bench.control().clear_faults();
        bench.fault("get /badges/history hold after=1");
        let running = Running::start(bench.lapel(args));
        bench.until("the second page", |b| b.requests_to(HISTORY) >= before + 2);
        running.signal(Signal::INT);
        let said = bench.said(running.output()).ended(4);
        assert!(said.err.contains(words), "{args:?}: {}", said.err);
        for line in said.out.lines() {
            serde_json::from_str::<Value>(line).expect("a whole row");
        }
        assert_eq!(files(&bench), Vec::<String>::new());
    }
}

/// The history of a large organisation, issued to while it is read: complete at the end, and no row twice.
#[test]
fn twenty_thousand_rows_are_complete_though_more_come_in_meanwhile() {
    const ROWS: u64 = 20_000;
    // The pace is tested elsewhere; at the contract's thousand a minute this would take a fifth of one.
    let bench = Bench::with(Options { history: Some(ROWS), rate_limit: 1_000_000, ..frozen() });
    let base_url = bench.sandbox.base_url();
    bench.settings(&format!(
        "[profiles.fast]\nbase_url = \"{base_url}\"\nkey = {{ env = \"LAPEL_API_KEY\" }}\nrate_limit = 1000000\n"
    ));
    let file = fs::File::create(bench.path("history.jsonl")).expect("a file");
    let mut command = bench.lapel(&["history", "--profile", "fast", "--all", "--jsonl"]);
    command.env_remove("LAPEL_BASE_URL").stdout(Stdio::from(file));
    let running = Running::start(command);
    let mut inserted = HashSet::new();
    for pages in [1, 18, 40, 66, 67, 90, 120, 144, 170, 196] {
        bench.until("pages are read", |b| b.requests_to(HISTORY) >= pages);
        inserted.extend(insert(&bench, vec![RowSpec::default(); 37]));
    }
    let said = bench.said(running.output()).ended(0);
    let all = ROWS + inserted.len() as u64;
    let said_all = lapel::i18n::number(all);
    assert_eq!(inserted.len(), 10 * 37);
    assert!(
        said.err.contains(&format!("{said_all} badges, complete (total_count {said_all}).")),
        "{}",
        said.err
    );
    let mut known = HashSet::new();
    for line in BufReader::new(fs::File::open(bench.path("history.jsonl")).expect("a file")).lines() {
        let line = line.expect("a line");
        let id = line.strip_prefix("{\"badge_id\":\"").and_then(|rest| rest.split('"').next());
        assert!(known.insert(id.expect("an id").to_owned()), "a row twice: {line}");
        assert!(line.ends_with('}'), "a whole row: {line}");
    }
    assert_eq!(known.len() as u64, all);
    assert!(inserted.is_subset(&known), "what came in is there");
    // Nothing is read twice that need not be: the pages of the list, and a few for what came in.
    assert!(bench.requests_to(HISTORY) <= all.div_ceil(100) + 6, "{}", bench.requests_to(HISTORY));
}

#[test]
fn a_wallet_has_what_was_sent_from_here_in_its_json_too() {
    let bench = Bench::switched(&[("waiting-history", "hidden"), ("waiting-detail", "hidden")]);
    let one = ["issue", "--template", "TPL-001", "--to", "홍길동 <gildong@naru.example>", "--yes"];
    bench.run(&one).ended(0);
    let badge = bench.control().ledger().accepted[0].badge_ids[0].clone();
    for all in [&[][..], &["--all"]] {
        let said = bench.json(&[&["wallet", "gildong@naru.example"], all].concat(), 0);
        let sent = &said["sent_from_here"][0];
        assert_eq!((&sent["job"], &sent["bucket"]), (&1.into(), &"waiting".into()), "{said}");
        assert_eq!(
            (&sent["badge_id"], said["list"].as_array().map(Vec::len)),
            (&badge.as_str().into(), Some(0))
        );
        let nobody = bench.json(&[&["wallet", "nobody@naru.example"], all].concat(), 0);
        assert_eq!(nobody["sent_from_here"].as_array().map(Vec::len), Some(0), "{nobody}");
    }
}

#[test]
fn a_wallet_says_that_the_journal_could_not_be_read() {
    let bench = Bench::new();
    bench.write("data/journal.sqlite", "x".repeat(5000));
    let args = ["wallet", "gildong@naru.example"];
    let said = bench.run(&args).ended(0);
    assert!(said.err.contains(msg_part("badges that lapel sent may be missing here")), "{}", said.err);
    let said = bench.json(&args, 0);
    assert!(said["sent_from_here"].is_null(), "not read is not empty: {said}");
}

#[test]
fn a_wallet_names_the_waiting_badges_that_only_the_history_has() {
    let bench = Bench::switched(&[("waiting-history", "visible")]);
    let ids =
        bench.insert(&[("waits@naru.example", RowState::Waiting), ("waits@naru.example", RowState::Issued)]);
    let said = bench.run(&["wallet", "waits@naru.example"]).ended(0);
    assert!(said.err.contains(&ids[0]) && !said.err.contains(&ids[1]), "{}", said.err);
    let said = bench.json(&["wallet", "waits@naru.example"], 0);
    assert_eq!(said["waiting_in_history"][0]["badge_id"], ids[0].as_str(), "{said}");
    assert_eq!(said["list"][0]["badge_id"], ids[1].as_str(), "{said}");
    // A history that cannot be read does not hide the wallet, but the answer is not complete.
    bench.control().add_fault("get /badges/history status=500").expect("a rule");
    for all in [&[][..], &["--all"]] {
        let args = [&["wallet", "waits@naru.example"], all].concat();
        let said = bench.run(&args).ended(3);
        assert!(said.out.contains(&ids[1]) && said.err.contains("history"), "{} {}", said.out, said.err);
        assert!(!said.err.contains(".."), "one full stop: {}", said.err);
        let said = bench.json(&args, 3);
        assert_eq!((&said["ok"], &said["exit_code"]), (&false.into(), &3.into()), "{said}");
        assert!(said["waiting_in_history"].is_null(), "not read is not empty: {said}");
    }
}

#[test]
fn dates_in_the_wrong_order_are_noticed() {
    let bench = Bench::new();
    let dates = ["--issue-start-date", "2026-10-02", "--issue-end-date"];
    let said = bench.run(&[&["history"], &dates[..], &["2026-10-01"]].concat()).ended(0);
    assert!(said.err.contains(msg_part("so no badge matches")), "{}", said.err);
    let said = bench.run(&[&["history"], &dates[..], &["2026-10-02"]].concat()).ended(0);
    assert!(!said.err.contains(msg_part("so no badge matches")), "{}", said.err);
}

/// Lapel sent it and the history lists it: one badge, one sentence.
#[test]
fn a_waiting_badge_that_was_sent_from_here_is_named_once() {
    let bench = Bench::switched(&[("waiting-history", "visible")]);
    bench.run(&["issue", "--template", "TPL-001", "--to", "김하나 <hana@naru.example>", "--yes"]).ended(0);
    let badge = bench.control().ledger().accepted[0].badge_ids[0].clone();
    let said = bench.run(&["wallet", "hana@naru.example"]).ended(0);
    let lines: Vec<&str> = said.err.lines().filter(|line| line.contains("in job 1")).collect();
    assert!(lines.len() == 1 && lines[0].contains(&badge), "{}", said.err);
    assert!(!said.err.contains(msg_part("not visible yet")), "{}", said.err);
    let said = bench.json(&["wallet", "hana@naru.example"], 0);
    for list in ["sent_from_here", "waiting_in_history"] {
        assert_eq!(said[list][0]["badge_id"], badge.as_str(), "{said}");
    }
}

/// Only a history that was read does not show a badge.
#[test]
fn a_badge_sent_from_here_may_be_visible_in_a_history_that_was_not_read() {
    let bench = Bench::switched(&[("waiting-history", "hidden")]);
    bench.run(&["issue", "--template", "TPL-001", "--to", "김하나 <hana@naru.example>", "--yes"]).ended(0);
    let said = bench.run(&["wallet", "hana@naru.example"]).ended(0).err;
    assert!(said.contains(msg_part("not visible yet")), "{said}");
    bench.fault("get /badges/history status=500");
    let said = bench.run(&["wallet", "hana@naru.example"]).ended(3).err;
    assert!(said.contains(msg_part("it may be visible by now")), "{said}");
    assert!(!said.contains(msg_part("not visible yet")), "{said}");
}

/// The service answers that it does not know the badge.
#[test]
fn a_badge_sent_from_here_is_named_by_its_id_too() {
    let bench = Bench::switched(&[("waiting-history", "hidden"), ("waiting-detail", "hidden")]);
    bench.run(&["issue", "--template", "TPL-001", "--to", "김하나 <hana@naru.example>", "--yes"]).ended(0);
    let badge = bench.control().ledger().accepted[0].badge_ids[0].clone();
    let said = bench.run(&["badge", &badge]).ended(1).err;
    assert!(said.contains("in job 1") && said.contains(msg_part("not visible yet")), "{said}");
    let said = bench.run(&["badge", "no-such-badge"]).ended(1).err;
    assert!(!said.contains("in job"), "{said}");
}

/// What a job has learned of the service's zone counts for commands that only read, too.
#[test]
fn a_zone_that_a_job_has_learned_is_not_assumed_by_others() {
    let bench = Bench::new();
    bench.run(&["issue", "--template", "TPL-001", "--to", "김하나 <hana@naru.example>", "--yes"]).ended(0);
    bench.run(&["jobs", "follow"]).ended(0);
    assert!(bench.run(&["jobs"]).ended(0).out.contains("(UTC+9)"));
    let said = bench.run(&["wallet", "hana@naru.example"]).ended(0).err;
    assert!(said.contains(msg_part("sent in job")) && said.contains("(UTC+9)"), "{said}");
    assert!(!said.contains(msg_part("assumed")), "{said}");
}
