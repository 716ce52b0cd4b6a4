//! Every screen as a picture in text, at 80x24, 120x36 and 160x50, in dark, light and without colours. Each is also
//! looked at for what a picture does not show: whether it can be read.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod common;

use common::{Harness, frozen};
use lapel::config::{Environment, KeptIn, ProfileLine, ThemeChoice};
use lapel::sandbox::{RowSpec, RowState, Rows, Sandbox};
use lapel::tui::{Begin, Helpers};
use std::fmt::Write;
use std::sync::Arc;

/// Takes one screen: its text, which is the same in every theme, and its styles in each. All of it can be read.
fn take(h: &mut Harness, name: &str) {
    // The port of the sandbox is another one in every run.
    let port =
        h.sandbox.base_url().split(':').nth(2).and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let port = port.to_owned();
    let mut out = h.screen();
    let in_colours = h.buffer();
    for theme in [ThemeChoice::Dark, ThemeChoice::Light, ThemeChoice::None] {
        h.desk.app.set_theme(theme);
        let buffer = h.buffer();
        assert_eq!(common::snap::text(&buffer), h.screen(), "{name}: a theme changes no text");
        // Writing to a String cannot fail.
        let _ = write!(out, "--- {theme:?}\n{}", common::snap::styles(&buffer));
        match theme {
            ThemeChoice::None => common::readable::needs_no_colour(name, &in_colours, &buffer),
            _ => common::readable::has_contrast(name, theme, &buffer),
        }
    }
    h.desk.app.set_theme(ThemeChoice::HighContrast);
    common::readable::has_contrast(name, ThemeChoice::HighContrast, &h.buffer());
    h.desk.app.set_theme(ThemeChoice::Dark);
    let out = out.replace(&format!("127.0.0.1:{port}"), "127.0.0.1:PORT");
    let out = common::snap::without_moment(&out, "planned");
    let size = h.buffer().area;
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(format!("{name}@{}x{}", size.width, size.height), out);
    });
}

/// Blots out of the log of requests what no two runs have in common: when, how long, and waiting for a turn.
fn still(buffer: &mut ratatui::buffer::Buffer) {
    let area = buffer.area;
    let symbols = |buffer: &ratatui::buffer::Buffer, y: u16| -> Vec<char> {
        (0..area.width).map(|x| buffer[(x, y)].symbol().chars().next().unwrap_or(' ')).collect()
    };
    let heads: String = symbols(buffer, 3).into_iter().collect();
    let column =
        |head: &str| heads.find(head).map(|at| u16::try_from(heads[..at].chars().count()).unwrap_or(0));
    for y in 4..area.height - 2 {
        let line = symbols(buffer, y);
        let shape = |at: usize, shape: &str| {
            shape.chars().enumerate().all(|(i, c)| match (c, line.get(at + i)) {
                ('0', Some(there)) => there.is_ascii_digit(),
                (c, Some(there)) => c == *there,
                (_, None) => false,
            })
        };
        for x in 0..line.len() {
            let of = ["00:00:00", "0.00 s"].into_iter().find(|of| shape(x, of));
            for (i, c) in of.into_iter().flat_map(|of| of.chars().enumerate()) {
                let at = u16::try_from(x + i).expect("on the screen");
                buffer[(at, y)].set_symbol(c.encode_utf8(&mut [0; 4]));
            }
        }
        if let (Some(from), Some(to), true) = (column("Waited"), column("Took"), line[2].is_ascii_digit()) {
            for x in from..to {
                buffer[(x, y)].reset();
                if line[0] != ' ' {
                    // The selected row is in reverse all along.
                    buffer[(x, y)].modifier.insert(ratatui::style::Modifier::REVERSED);
                }
            }
        }
    }
}

/// The log of requests, and what it is saved as.
async fn walk_log(columns: u16, rows: u16) {
    let mut h = Harness::new(frozen(), columns, rows).await;
    h.settled().await;
    h.sandbox.control().add_fault("get /badges/history status=503 times=1").expect("a rule");
    h.press("2");
    h.settled().await;
    h.press("L");
    h.settled().await;
    h.press("j");
    h.settled().await;
    let mut out = String::new();
    for theme in [ThemeChoice::Dark, ThemeChoice::Light, ThemeChoice::None] {
        h.desk.app.set_theme(theme);
        let mut buffer = h.buffer();
        still(&mut buffer);
        if out.is_empty() {
            out = common::snap::text(&buffer);
        }
        // Writing to a String cannot fail.
        let _ = write!(out, "--- {theme:?}\n{}", common::snap::styles(&buffer));
    }
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(format!("requests@{columns}x{rows}"), out);
    });
}

/// Where it is live: the number, and then the organisation; in a review of one, and of a draft.
async fn walk_live(columns: u16, rows: u16) {
    let mut h = Harness::with(frozen(), columns, rows, |mut session| {
        session.environment = Environment::Live;
        session.organisation = Some("달무리대학교 평생교육원 디지털 역량 인증 운영 지원 센터".to_owned());
        session
    })
    .await;
    h.settled().await;
    h.press("i");
    h.settled().await;
    h.type_text("홍길동");
    h.press("enter");
    h.type_text("gildong@naru.example");
    h.press("enter");
    h.settled().await;
    take(&mut h, "live-number");
    h.press("1 y");
    h.type_text("달무리");
    take(&mut h, "live-organisation");
    h.press("esc esc");
    h.paste("김가감, one@naru.example\n김개깜, two@naru.example\n");
    h.shows("columns").await;
    h.press("enter");
    h.shows("to go on").await;
    h.settled().await;
    h.press("2 y ctrl-o");
    take(&mut h, "live-draft");
}

#[tokio::test]
async fn live_and_the_log_at_80x24() {
    walk_live(80, 24).await;
    walk_log(80, 24).await;
}

#[tokio::test]
async fn live_and_the_log_at_160x50() {
    walk_live(160, 50).await;
    walk_log(160, 50).await;
}

async fn walk(columns: u16, rows: u16) {
    let mut h = Harness::new(frozen(), columns, rows).await;
    take(&mut h, "connecting");
    h.settled().await;
    take(&mut h, "templates");
    h.press("/");
    h.type_text("파이썬");
    h.press("tab");
    h.type_text("maybe");
    h.settled().await;
    take(&mut h, "templates-filter");
    h.press("ctrl-x esc");
    h.settled().await;
    h.press("j j j");
    h.settled().await;
    h.press("enter");
    h.settled().await;
    take(&mut h, "template");
    h.press("esc c");
    h.settled().await;
    take(&mut h, "categories");
    h.press("esc s j");
    take(&mut h, "sort-menu");
    h.press("esc ?");
    take(&mut h, "help-templates");

    h.press("esc 2");
    h.settled().await;
    take(&mut h, "history");
    h.press(":");
    h.type_text("rev");
    take(&mut h, "palette");
    h.press("esc");
    h.press("C j j j j j j space j space K");
    take(&mut h, "columns-menu");
    h.press("R esc");
    h.press("e");
    h.settled().await;
    take(&mut h, "export");
    h.press("esc");
    // One of each state, with the names of the stories.
    let row = |name: &str, state| RowSpec {
        template_id: "TPL-004".into(),
        recipient_name: name.into(),
        recipient_email: "story@naru.example".into(),
        state,
        minutes_ago: 42,
        ..RowSpec::default()
    };
    let insert = vec![
        row("한서윤", RowState::Waiting),
        row("Lea O'Connor-Kim", RowState::Expired),
        row("윤태오", RowState::Revoked),
        row("임하늘", RowState::Revoking),
        row("오지호", RowState::Issued),
        RowSpec { label: Some("발급보류".into()), ..row("علي حسن", RowState::Issued) },
        row("evil \u{1b}[2J\u{202e}", RowState::Issued),
    ];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.press("/ tab");
    h.type_text("story@naru.example");
    h.settled().await;
    h.press("esc space j space");
    h.settled().await;
    take(&mut h, "history-marked");
    h.press("a x");
    h.type_text("중복 발급");
    take(&mut h, "revoke");
    h.press("enter 4");
    take(&mut h, "revoke-review");
    h.press("esc esc u j j j j w");
    h.settled().await;
    take(&mut h, "wallet");
    h.press("enter");
    h.settled().await;
    take(&mut h, "badge");
    h.press("y");
    take(&mut h, "copy-menu");
    h.press("esc J");
    h.settled().await;
    take(&mut h, "raw");
    h.press("esc /");
    h.type_text("no-such-badge");
    h.press("enter");
    h.settled().await;
    take(&mut h, "badge-not-found");

    h.press("esc 1 home i");
    h.settled().await;
    h.type_text("홍길동");
    h.press("enter");
    h.type_text("Gildong@gmial.example");
    h.settled().await;
    take(&mut h, "issue");
    h.press("enter");
    h.settled().await;
    take(&mut h, "issue-review");
    h.press("y");
    h.shows("1 waiting").await;
    h.settled().await;
    take(&mut h, "activity-one");
}

/// Files, what is made of them, and jobs in all their states.
async fn walk_jobs(columns: u16, rows: u16) {
    let mut h = Harness::with(frozen(), columns, rows, |mut session| {
        session.jobs.batch = 50;
        session.jobs.in_flight = 1;
        session
    })
    .await;
    let demo = |name: &str| format!("{}/assets/demo/{name}", env!("CARGO_MANIFEST_DIR"));
    h.settled().await;
    h.press("5");
    h.settled().await;
    take(&mut h, "activity-none");
    h.press("1 j j j i");
    h.settled().await;
    h.paste(&demo("one-line-cp949.csv"));
    h.press("enter");
    h.shows("Which is right?").await;
    h.settled().await;
    take(&mut h, "file-encoding");
    h.press("esc esc");
    h.settled().await;
    h.paste(&demo("attendees-cp949.csv"));
    h.press("enter");
    h.shows("checks every row").await;
    h.settled().await;
    take(&mut h, "file-check");
    h.press("m");
    take(&mut h, "file-columns");
    h.press("esc enter");
    h.shows("twice in the file").await;
    h.settled().await;
    take(&mut h, "draft");
    h.press("enter");
    take(&mut h, "draft-correct");
    h.press("esc");
    h.sandbox.control().set_quota(Some(70));
    let ready = h.screen();
    let ready: Vec<&str> = ready.split_whitespace().collect();
    let ready = ready.windows(2).find(|w| w[1] == "ready").expect("a number")[0].to_owned();
    h.type_text(&ready);
    take(&mut h, "draft-review");
    h.press("y");
    h.shows("not sent: stopped at the quota").await;
    h.settled().await;
    take(&mut h, "activity-quota");
    h.press("enter f f");
    h.settled().await;
    take(&mut h, "job-rows");
    h.press("esc e");
    h.settled().await;
    take(&mut h, "receipt");
    h.press("esc u");
    h.type_text("잘못된 명단");
    h.settled().await;
    take(&mut h, "undo");
    h.press("esc c");
    h.settled().await;
    take(&mut h, "call-off");

    // One of each state, with what waits queued.
    h.press("esc 2");
    h.settled().await;
    let row = |name: &str, state| RowSpec {
        recipient_name: name.into(),
        recipient_email: "story@naru.example".into(),
        state,
        minutes_ago: 42,
        ..RowSpec::default()
    };
    let insert = vec![
        row("한서윤", RowState::Waiting),
        row("윤태오", RowState::Revoked),
        row("오지호", RowState::Issued),
    ];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.press("/ tab");
    h.type_text("story@naru.example");
    h.settled().await;
    h.press("esc a x tab");
    h.type_text("중복 발급");
    h.settled().await;
    take(&mut h, "revoke-waiting");
    h.press("enter 2 y");
    h.shows("2 jobs").await;
    h.shows("◍ being revoked").await;
    h.settled().await;
    take(&mut h, "activity-two");
    h.press("5 F");
    h.settled().await;
    take(&mut h, "revoke-ids");
    let insert = vec![row("서다안", RowState::Issued)];
    let ids = h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.press("esc 4");
    h.paste(&ids[0]);
    h.press("enter");
    h.settled().await;
    h.press("c");
    h.settled().await;
    take(&mut h, "replace");
}

/// The support call: one answer, several people, nobody.
async fn walk_calls(columns: u16, rows: u16) {
    let mut h = Harness::new(frozen(), columns, rows).await;
    let row = |name: &str, email: &str| RowSpec {
        recipient_name: name.into(),
        recipient_email: email.into(),
        ..RowSpec::default()
    };
    let insert = vec![row("김민수", "Kim.MS@gmial.example"), row("박길동", "minsu.kim@example.org")];
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.settled().await;
    h.press("3");
    h.type_text("kim.ms@gmail.example");
    take(&mut h, "call-typed");
    h.press("enter");
    h.settled().await;
    take(&mut h, "call-nothing");
    h.press("enter");
    h.settled().await;
    take(&mut h, "call-mistyped");
    for (given, name) in [
        ("haneul.lim@example.net", "call-revoked"),
        ("safety@moondeck.example", "call-shared"),
        ("김민준", "call-namesakes"),
        ("DMU-2026-999999", "call-no-such"),
    ] {
        h.paste(given);
        h.press("enter");
        h.settled().await;
        if name == "call-revoked" {
            h.press("j");
            h.settled().await;
        }
        take(&mut h, name);
    }
}

#[tokio::test]
async fn calls_at_80x24() {
    walk_calls(80, 24).await;
}

#[tokio::test]
async fn calls_at_160x50() {
    walk_calls(160, 50).await;
}

#[tokio::test]
async fn jobs_at_80x24() {
    walk_jobs(80, 24).await;
}

#[tokio::test]
async fn jobs_at_120x36() {
    walk_jobs(120, 36).await;
}

#[tokio::test]
async fn jobs_at_160x50() {
    walk_jobs(160, 50).await;
}

#[tokio::test]
async fn screens_at_160x50() {
    walk(160, 50).await;
}

#[tokio::test]
async fn screens_at_80x24() {
    walk(80, 24).await;
}

/// A profile as the settings file has it.
fn profile(name: &str, environment: Environment, organisation: &str, key: (KeptIn, &str)) -> ProfileLine {
    ProfileLine {
        name: name.to_owned(),
        environment,
        base_url: "https://badges.example/api/v1/ext".to_owned(),
        organisation: Some(organisation.to_owned()),
        read_only: environment == Environment::Staging,
        ca_file: None,
        proxy: None,
        key_from: key.1.to_owned(),
        kept_in: key.0,
        pin: None,
        is_default: environment == Environment::Demo,
    }
}

/// The list of profiles; changing one whose key is in a variable, which a command is to print; adding one; removing one.
async fn walk_profiles(columns: u16, rows: u16) {
    let sandbox = Sandbox::start(frozen()).await.expect("a sandbox");
    let lines = vec![
        profile("demo", Environment::Demo, "연습용 기관", (KeptIn::File, "its own file")),
        profile(
            "uni",
            Environment::Live,
            "달무리대학교 평생교육원",
            (KeptIn::Variable("UNI_KEY".to_owned()), "the variable UNI_KEY"),
        ),
        profile("dept", Environment::Staging, "Naru Department", (KeptIn::Keyring, "the keyring")),
    ];
    let helpers = Helpers {
        profiles: Arc::new(move || {
            let lines = lines.clone();
            Box::pin(async move { Ok(lines) })
        }),
        ..Helpers::default()
    };
    let begin = Begin::Session(Box::new(common::session(&sandbox, Environment::Demo)));
    let mut h = Harness { desk: common::desk(begin, helpers, columns, rows), sandbox };
    h.settled().await;
    h.press("P");
    h.settled().await;
    h.press("j");
    take(&mut h, "profiles");
    h.press("e");
    take(&mut h, "profile-change");
    h.press("tab tab tab tab tab left tab tab tab");
    h.type_text("pass show badges");
    take(&mut h, "profile-change-command");
    h.press("esc j X");
    h.type_text("dept");
    take(&mut h, "profile-remove");
    h.press("enter");
    take(&mut h, "profile-remove-typed");
    h.press("esc esc j enter");
    h.press("backtab backtab backtab backtab right right tab tab tab");
    h.type_text("UNI_KEY");
    take(&mut h, "profile-new-variable");
}

#[tokio::test]
async fn profiles_at_80x24_and_160x50() {
    walk_profiles(80, 24).await;
    walk_profiles(160, 50).await;
}

#[tokio::test]
async fn screens_at_120x36() {
    walk(120, 36).await;
}

#[tokio::test]
async fn the_first_screen() {
    for (columns, rows) in [(80, 24), (120, 36), (160, 50)] {
        let mut h = Harness::welcome(columns, rows).await;
        take(&mut h, "welcome");
        h.press("u");
        h.type_text("badges.example/api/v1/ext");
        h.press("enter");
        h.desk.app.update(lapel::tui::Message::Paste("dmu_live_secret".into()));
        take(&mut h, "welcome-service");
    }
}

#[tokio::test]
async fn a_terminal_that_is_too_small_is_told_politely() {
    let mut h = Harness::welcome(50, 12).await;
    take(&mut h, "too-small");
}

/// The overview: off, its sections, a list behind a bar, and looking a certificate number up.
async fn walk_overview(columns: u16, rows: u16) {
    let mut h = Harness::new(frozen(), columns, rows).await;
    h.settled().await;
    h.press("O");
    h.settled().await;
    take(&mut h, "overview-off");
    let mut h = Harness::with(frozen(), columns, rows, |mut session| {
        let settings = lapel::index::Settings { max_age_days: 36_500, refresh_minutes: 15 };
        session.index = Some(lapel::tui::IndexUse { folder: None, settings });
        session
    })
    .await;
    h.settled().await;
    h.press("O");
    h.settled().await;
    take(&mut h, "overview-issued");
    h.press("p p tab");
    h.settled().await;
    take(&mut h, "overview-revoked");
    for name in ["templates", "waiting", "expiring", "mail"] {
        h.press("tab");
        h.settled().await;
        take(&mut h, &format!("overview-{name}"));
    }
    h.press("backtab down enter");
    h.settled().await;
    take(&mut h, "overview-list");
    h.press("i");
    h.shows("templates)").await;
    h.settled().await;
    take(&mut h, "overview-renewal");
    h.press("esc");
    h.settled().await;
    h.press("/");
    h.type_text("dv-0");
    h.press("enter");
    h.settled().await;
    take(&mut h, "overview-find");
}

#[tokio::test]
async fn overview_at_80x24() {
    Box::pin(walk_overview(80, 24)).await;
}

#[tokio::test]
async fn overview_at_160x50() {
    Box::pin(walk_overview(160, 50)).await;
}

/// Saved filters, all that match, and what was looked up earlier.
async fn walk_kept(columns: u16, rows: u16) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("filters.toml");
    let file = "[history.'expiring 2026']\ntitle = '파이썬'\nissue_start_date = 2024-01-01\nsort = 'issued_at:desc'\n\
                [history.'한서윤']\nrecipient_name = '한서윤'\n";
    std::fs::write(&path, file).expect("written");
    let mut h = Harness::new(frozen(), columns, rows).await;
    h.desk
        .app
        .set_manner(lapel::tui::Manner { filters: Some(path.clone()), ..lapel::tui::Manner::default() });
    h.settled().await;
    h.press("2");
    h.settled().await;
    h.press("f");
    h.settled().await;
    take(&mut h, "filters");
    h.press("j d");
    take(&mut h, "filters-remove");
    h.press("esc / tab tab");
    h.type_text("데이터");
    h.settled().await;
    h.press("f2");
    h.settled().await;
    h.type_text("한서윤");
    h.press("enter");
    take(&mut h, "filters-name");
    h.press("esc esc esc * a");
    take(&mut h, "mark-all");
    h.sandbox.control().add_fault("get /badges/history delay=60s").expect("a rule");
    h.press("enter");
    take(&mut h, "mark-all-reading");
    h.press("esc");
    h.settled().await;
    h.sandbox.control().clear_faults();
    h.press("3");
    for text in ["seoyun.han@naru.example", "임하늘"] {
        h.paste(text);
        h.press("enter");
        h.settled().await;
    }
    h.press("/ ctrl-u");
    take(&mut h, "look-ups");
    h.press("up up");
    take(&mut h, "look-ups-chosen");
}

#[tokio::test]
async fn kept_at_80x24() {
    Box::pin(walk_kept(80, 24)).await;
}

#[tokio::test]
async fn kept_at_120x36() {
    Box::pin(walk_kept(120, 36)).await;
}

#[tokio::test]
async fn kept_at_160x50() {
    Box::pin(walk_kept(160, 50)).await;
}

/// The tabs of a profile that may only look: nothing on them offers to act.
async fn walk_looking(columns: u16, rows: u16) {
    let mut h = Harness::with(frozen(), columns, rows, |mut session| {
        session.connection.read_only = true;
        session
    })
    .await;
    h.settled().await;
    take(&mut h, "looking-templates");
    h.press("2");
    h.settled().await;
    take(&mut h, "looking-history");
    h.press("enter");
    h.settled().await;
    take(&mut h, "looking-badge");
    h.press("3");
    h.paste("seoyun.han@naru.example");
    h.press("enter");
    h.settled().await;
    take(&mut h, "looking-wallet");
    h.press("5");
    h.settled().await;
    take(&mut h, "looking-activity");
}

#[tokio::test]
async fn looking_at_80x24_and_160x50() {
    Box::pin(walk_looking(80, 24)).await;
    Box::pin(walk_looking(160, 50)).await;
}

/// The columns of a wallet, chosen and sorted by.
async fn walk_arranged(columns: u16, rows: u16) {
    let mut h = Harness::new(frozen(), columns, rows).await;
    h.settled().await;
    h.press("3");
    h.paste("haneul.lim@example.net");
    h.press("enter");
    h.settled().await;
    h.press("C");
    take(&mut h, "wallet-columns");
    h.press("esc s j j enter");
    h.settled().await;
    take(&mut h, "wallet-sorted");
}

#[tokio::test]
async fn arranged_at_80x24_and_160x50() {
    Box::pin(walk_arranged(80, 24)).await;
    Box::pin(walk_arranged(160, 50)).await;
}
