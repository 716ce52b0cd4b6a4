//! The same verbs for somebody whose computer speaks Korean: what people read is Korean, what programs read is
//! the same to the byte.

use super::kit::{Bench, Said};
use crate::texts::{msg, msg_part};
use lapel::sandbox::RowState;
use std::fs;

/// A run in one language.
#[track_caller]
fn run(bench: &Bench, locale: &str, args: &[&str]) -> Said {
    bench.said(bench.lapel(args).env("LANG", locale).output().expect("it runs"))
}

fn english(bench: &Bench, args: &[&str]) -> Said {
    run(bench, "en_US.UTF-8", args)
}

fn korean(bench: &Bench, args: &[&str]) -> Said {
    run(bench, "ko_KR.UTF-8", args)
}

fn has_hangul(text: &str) -> bool {
    text.chars().any(|c| ('가'..='힣').contains(&c))
}

#[test]
fn people_read_korean() {
    let bench = Bench::new();
    let said =
        korean(&bench, &["issue", "--template", "TPL-001", "--to", "홍길동 <gildong@naru.example>", "--yes"])
            .ended(0);
    assert!(said.out.starts_with("작업 1: ") && said.out.contains("접수는 발급이 아닙니다"), "{}", said.out);
    assert!(said.err.contains("보냄: 1/1"), "{}", said.err);
    let jobs = korean(&bench, &["jobs"]).ended(0).out;
    let heads: Vec<&str> = jobs.lines().next().expect("a head").split_whitespace().collect();
    assert_eq!(
        heads,
        ["작업", "생성", "일시", "(UTC+0", "가정)", "갱신", "구분", "제목", "상태", "행"],
        "{jobs}"
    );
    // Names of columns are the service's: they are what --sort and a file call them.
    let history = korean(&bench, &["history", "--rows", "1"]).ended(0);
    assert!(history.out.starts_with("badge_id"), "{}", history.out);
    assert!(history.err.contains("1페이지: ") && history.err.contains("--all"), "{}", history.err);

    let none = korean(&bench, &["revoke", "no-such-id", "--reason", " "]).ended(2);
    assert!(none.err.contains("사유를 적으십시오. 서비스의 필수"), "{}", none.err);
    let wrong = korean(&bench, &["history", "--issue-start-date", "yesterday"]).ended(2);
    assert!(wrong.err.starts_with("오류: 'yesterday'"), "{}", wrong.err);
    assert!(wrong.err.contains("날짜가 아닙니다") && !wrong.err.contains(msg("error")), "{}", wrong.err);
    let number = korean(&bench, &["jobs", "show", "x"]).ended(2).err;
    assert!(number.contains("1 이상의 정수로 쓰십시오"), "{number}");
    let range = korean(&bench, &["history", "--rows", "500"]).ended(2).err;
    assert!(range.contains("1~100 범위의 정수로 쓰십시오"), "{range}");
    let range = english(&bench, &["history", "--rows", "x"]).ended(2).err;
    assert!(range.contains("it must be a whole number from 1 to 100"), "{range}");
    let flag = korean(&bench, &["history", "--titel", "x"]).ended(2).err;
    assert!(flag.contains("--title") && flag.contains("사용법: lapel history"), "{flag}");
    let key = korean(&bench, &["ping", "--api-key", "x"]).ended(2);
    assert!(key.err.contains("API 키는 플래그로 받지 않습니다"), "{}", key.err);
}

#[test]
fn where_a_setting_comes_from_is_said_in_korean_and_to_programs_in_english() {
    let bench = Bench::new();
    let said = korean(&bench, &["info"]).ended(0).out;
    let theme = said.lines().find(|line| line.trim_start().starts_with("theme")).expect("the theme");
    assert!(theme.contains("기본값") && !theme.contains(msg("default")), "{said}");
    assert!(said.contains("목록 표시 설정"), "{said}");
    let json = |locale| run(&bench, locale, &["info", "--json", "--theme", "dark"]).ended(0).out;
    let said: serde_json::Value = serde_json::from_str(&json("ko_KR.UTF-8")).expect("JSON");
    let source = |name: &str| {
        let settings = said["settings"].as_array().expect("settings");
        settings.iter().find(|setting| setting["name"] == name).expect(name)["source"].clone()
    };
    assert_eq!((source("theme"), source("glyphs")), ("flag".into(), "default".into()));
}

#[test]
fn the_help_is_korean_and_keeps_its_width() {
    let bench = Bench::new();
    for args in
        [&["-h"][..], &["--help"], &["issue", "--help"], &["history", "-h"], &["profile", "add", "--help"]]
    {
        let (korean, english) = (korean(&bench, args).ended(0).out, english(&bench, args).ended(0).out);
        for word in ["사용법: lapel", "옵션", "도움말 출력"] {
            assert!(korean.contains(word), "{word}: {korean}");
        }
        for line in korean.lines() {
            assert!(unicode_width::UnicodeWidthStr::width(line) <= 79, "{line}");
        }
        let flags = |text: &str| -> Vec<String> {
            let mut all: Vec<String> =
                text.split_whitespace().filter(|word| word.starts_with("--")).map(str::to_owned).collect();
            all.sort();
            all.dedup();
            all
        };
        let lost: Vec<String> = flags(&english)
            .into_iter()
            .map(|flag| flag.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned())
            .filter(|flag| !korean.contains(flag.as_str()))
            .collect();
        assert!(lost.is_empty(), "{lost:?} are not in {korean}");
    }
    for args in [&["man"][..], &["completions", "bash"]] {
        assert_eq!(korean(&bench, args).out, english(&bench, args).out, "made for other programs: English");
    }
}

#[test]
fn programs_read_the_same_in_every_language() {
    let bench = Bench::new();
    bench.insert(&[("gildong@naru.example", RowState::Revoked), ("duri@naru.example", RowState::Waiting)]);
    // A language in the settings, as in the environment, is for people.
    bench.settings("[profiles.uni]\nbase_url = 'http://127.0.0.1:9'\nenvironment = 'demo'\n");
    for args in [
        &["history", "--rows", "3", "--json"][..],
        &["history", "--rows", "3", "--jsonl"],
        &["history", "--rows", "3", "--csv"],
        &["wallet", "gildong@naru.example", "--json"],
        &["wallet", "gildong@naru.example", "--csv"],
        &["badge", "no/such", "--json"],
        &["issue", "--template", "TPL-001", "--to", "홍길동 <gildong@naru.example>", "--dry-run", "--json"],
        &["issue", "--template", "no/such", "--to", "홍길동 <gildong@naru.example>", "--json"],
        &["revoke", "no-such-id", "--reason", "두 번 발급", "--dry-run", "--json"],
        &["jobs", "--json"],
        &["index", "--json"],
        &["index", "build", "--json"],
        &["profile", "list", "--json"],
        &["profile", "remove", "none", "--json"],
        &["ping", "--profile", "no-such-profile", "--json"],
    ] {
        let (korean, english) = (korean(&bench, args), english(&bench, args));
        // A draft says when and by which process it was made. A full second has no fraction.
        let still = |said: &Said| match args[0] {
            "issue" | "revoke" => said.out.replace(|c: char| c.is_ascii_digit(), "").replace(".Z", "Z"),
            _ => said.out.clone(),
        };
        assert_eq!(still(&korean), still(&english), "{args:?}");
        assert_eq!(korean.code, english.code, "{args:?}");
        if args.ends_with(&["--json"]) {
            assert!(
                !has_hangul(&korean.err.replace("홍길동", "").replace("두 번 발급", "")),
                "{}",
                korean.err
            );
        }
    }
    let files = ["ko.xlsx", "en.xlsx"].map(|name| bench.path(name).display().to_string());
    assert!(korean(&bench, &["history", "--rows", "3", "--xlsx", &files[0]]).ended(0).out.contains("3행"));
    english(&bench, &["history", "--rows", "3", "--xlsx", &files[1]]).ended(0);
    let [one, other] = files.map(|file| fs::read(file).expect("a file"));
    assert_eq!(one.len(), other.len());
}

/// A loop of links: not even an administrator can read it. The system has words for it, but only in English.
#[cfg(target_os = "linux")]
#[test]
fn an_error_of_the_system_is_not_in_english() {
    let bench = Bench::new();
    bench.settings("[profiles.uni]\nbase_url = 'https://uni.example/'\nkey = { file = 'loop' }\n");
    let link = bench.path("config/loop");
    std::os::unix::fs::symlink(&link, &link).expect("a link");
    let mut command = bench.lapel(&["ping", "--profile", "uni"]);
    command.env("LANG", "ko_KR.UTF-8").env_remove("LAPEL_BASE_URL").env_remove("LAPEL_API_KEY");
    let said = bench.said(command.output().expect("it runs")).ended(2).err;
    let why = said.lines().find_map(|line| line.split_once("읽을 수 없습니다: ")).expect(&said).1;
    assert!(why.contains("운영체제 오류 40") && !why.contains(|c: char| c.is_ascii_alphabetic()), "{said}");
}

/// What the journal keeps is read in any language, whichever was spoken when it was written.
#[test]
fn the_journal_keeps_no_sentence_of_the_language_that_was_spoken() {
    let bench = Bench::switched(&[("waiting-history", "hidden")]);
    let rule = "post /badges commit redirect=http://10.0.0.1/x status=302 times=1";
    for fault in [rule, "post /badges html=503 times=1", "post /badges commit-drop times=1"] {
        bench.fault(fault);
        let name = format!("Zed <z{}@naru.example>", bench.posts());
        korean(&bench, &["issue", "--template", "TPL-001", "--to", &name, "--yes"]).ended(5);
    }
    let journal = rusqlite::Connection::open(bench.path("data/journal.sqlite")).expect("the journal");
    for (table, columns) in [
        ("row", "coalesce(why, '') || coalesce(class_why, '')"),
        ("request", "coalesce(why, '')"),
        (
            "job",
            "coalesce(note, '') || coalesce(look_note, '') || coalesce(stop_why, '') || coalesce(origin, '')",
        ),
        ("decision", "what || why"),
    ] {
        let mut all = journal.prepare(&format!("SELECT {columns} FROM {table}")).expect("a table");
        let kept = all.query_map([], |r| r.get::<_, String>(0)).expect("rows");
        for kept in kept {
            let kept = kept.expect("a text");
            assert!(!has_hangul(&kept), "{table}: {kept}");
        }
    }
    let said = english(&bench, &["jobs", "show", "1"]).ended(0).out;
    assert!(said.contains(msg("pasted text")) && said.contains(msg_part("a redirect to 10.0.0.1")), "{said}");
}
