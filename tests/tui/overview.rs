//! The overview: nothing without being asked for, counts with the badges behind them, and nothing sent
//! without a review.

use super::*;
use crate::common::texts::{msg, msg_part, msg_with};
use lapel::index::IndexConfig;
use lapel::sandbox::RowState;
use lapel::tui::{IndexUse, ProfileSession};

pub fn with_index(mut session: ProfileSession) -> ProfileSession {
    session.index = Some(IndexUse {
        folder: None,
        settings: IndexConfig { max_age_days: 36_500, refresh_minutes: 15 },
        reads_at_start: false,
    });
    session
}

pub async fn opened(options: Options, columns: u16, rows: u16) -> Harness {
    let mut h = Harness::with(options, columns, rows, with_index).await;
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    h
}

fn insert(h: &Harness, specs: Vec<RowSpec>) -> Vec<String> {
    h.sandbox.control().rows(&Rows { insert: specs, ..Rows::default() }).expect("inserted")
}

/// A badge of a template valid for 24 months, that ends in nine days.
fn ends_soon(name: &str, email: &str) -> RowSpec {
    RowSpec {
        template_id: "TPL-004".into(),
        recipient_name: name.into(),
        recipient_email: email.into(),
        minutes_ago: 60 * 24 * (730 - 9),
        ..RowSpec::default()
    }
}

fn posts(h: &Harness) -> u64 {
    h.sandbox
        .control()
        .ledger()
        .requests
        .iter()
        .filter(|(route, _)| route.starts_with("POST"))
        .map(|(_, n)| n)
        .sum()
}

#[tokio::test]
async fn without_being_asked_for_nothing_is_read_and_nothing_is_kept() {
    let mut h = Harness::new(small(), 80, 24).await;
    h.settled().await;
    let before = all_requests(&h);
    h.press("0 G enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("need an index, and there is none")), "{screen}");
    assert!(
        screen.lines().any(|line| line.trim() == "[profiles.demo.index]")
            && screen.lines().any(|line| line.trim() == "enabled = true")
            && screen.contains(&format!("ctrl-p “{}”", msg("turn on index"))),
        "{screen}"
    );
    assert!(!screen.contains("z period"), "what is not possible is not offered:\n{screen}");
    h.press("enter");
    let screen = h.screen();
    assert!(screen.contains(msg_part("no counts without an index")), "{screen}");
    h.press("r R esc enter down z / }");
    h.settled().await;
    assert_eq!(all_requests(&h), before + 1, "only the number of badges, to say what an index costs");
    h.run_in_palette(Action::IndexOn);
    h.settled().await;
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("600 badges")) && screen.contains(msg_part("read 11-21")), "{screen}");
    // The number of badges, six pages, and a look at the top.
    assert_eq!(all_requests(&h) - before, 8);
    h.press("esc");
    assert!(h.settled().await.contains(msg("Soon")), "back on Home");
    assert_eq!(posts(&h), 0);
}

#[tokio::test]
async fn every_bar_opens_the_badges_behind_it() {
    let mut h = opened(frozen(), 80, 24).await;
    let screen = h.screen();
    assert!(screen.contains(msg_part("4,300 badges")) && screen.contains(msg_part("4 overdue")), "{screen}");
    h.press("} } } down down down");
    let screen = h.settled().await;
    assert!(
        screen.contains(msg_part("waiting, by age")) && screen.contains("▲ overdue, 1 to 3 d"),
        "{screen}"
    );
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("waiting, overdue, 1 to 3 d · 3 badges"), "{screen}");
    assert!(screen.contains("▲ 31h/24h") && screen.contains(msg_part("row 1 of 3")), "{screen}");
    assert!(screen.contains("오지호"), "the story of the one who waits for 31 hours:\n{screen}");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("OVERDUE"), "{screen}");
    h.press("esc");
    assert!(h.settled().await.contains(msg_part("row 1 of 3")), "back to the list");
    h.press("esc } }");
    let screen = h.settled().await;
    assert!(
        screen.contains("@strictgate.example") && screen.contains("of 45: 29 FAIL, 14 BOUNCE"),
        "{screen}"
    );
    h.press("enter");
    let screen = h.settled().await;
    assert!(
        screen.contains(&format!(
            "{} · 43 badges",
            msg_with("failed mails to {domain}", &[&"@strictgate.example"])
        )),
        "{screen}"
    );
    h.press("G");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("row 43 of 43")), "{screen}");
}

#[tokio::test]
async fn a_long_list_costs_what_is_on_the_screen() {
    let mut h = opened(frozen(), 80, 24).await;
    // The last bar of the issued ones: everything earlier.
    h.press("G enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("issued, earlier")), "{screen}");
    let before = all_requests(&h);
    for _ in 0..5 {
        h.press("pagedown");
        h.settled().await;
        assert!(h.tui.app.rows_built() <= 20, "{}", h.tui.app.rows_built());
    }
    h.press("G");
    h.settled().await;
    assert_eq!(all_requests(&h), before, "the service is not asked");
}

#[tokio::test]
async fn a_bar_is_searched_and_opened() {
    let mut h = opened(frozen(), 80, 24).await;
    let selected = |screen: &str| screen.lines().find(|line| line.starts_with('▌')).map(str::to_owned);
    h.press("} } /");
    h.type_text("정보화zz");
    let screen = h.settled().await;
    assert!(screen.contains(msg("no match among these bars")), "{screen}");
    h.press("backspace backspace");
    let screen = h.settled().await;
    assert!(selected(&screen).is_some_and(|bar| bar.contains("정보화")), "{screen}");
    assert!(!screen.contains(msg("no match among these bars")), "{screen}");
    h.press("enter k n");
    let screen = h.settled().await;
    assert!(selected(&screen).is_some_and(|bar| bar.contains("정보화")), "the next match:\n{screen}");
    assert!(!screen.contains(msg("Badges by template")), "the line has the search:\n{screen}");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("row 1 of")) && screen.contains("정보화"), "{screen}");
    // The list closes, then the search ends.
    h.press("esc esc");
    let screen = h.settled().await;
    assert!(
        screen.contains(msg("Badges by template")) && screen.contains(msg("certificate no.")),
        "{screen}"
    );
}

#[tokio::test]
async fn periods_change_and_the_numbers_add_up() {
    let mut h = opened(frozen(), 80, 24).await;
    let total = |screen: &str| {
        let line =
            screen.lines().find(|line| line.contains(msg_part(", total "))).expect("a caption").to_owned();
        line.split(", total ").nth(1).expect("a total").split(' ').next().expect("a number").to_owned()
    };
    let by_week = h.settled().await;
    assert!(by_week.contains(msg_part("week of 11-16")), "{by_week}");
    h.press("z");
    let by_month = h.settled().await;
    assert!(by_month.contains("2026-11") && by_month.contains("2026-08"), "{by_month}");
    h.press("z");
    let by_day = h.settled().await;
    assert!(by_day.contains(msg_part("Issued per day, total")) && by_day.contains("Sat 11-21"), "{by_day}");
    assert_eq!((total(&by_day), total(&by_week)), (total(&by_month), total(&by_month)));
}

#[tokio::test]
async fn what_expires_is_issued_again_only_after_a_review() {
    let mut h = Harness::with(small(), 100, 30, with_index).await;
    insert(
        &h,
        vec![
            ends_soon("남궁 민", "min.ng@example.com"),
            ends_soon("한서윤", "seoyun.han@naru.example"),
            ends_soon("한서윤", "Seoyun.Han@naru.example"),
            ends_soon("Nobody", "no address"),
        ],
    );
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    h.press("} } } } down enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("expiring within 30 days")) && screen.contains("남궁 민"), "{screen}");
    assert!(screen.contains(msg("Valid until")) && screen.contains(msg_part("i issue again")), "{screen}");
    h.press("i");
    let screen = h.shows(msg_part("Not planned")).await;
    assert!(
        screen.contains(&format!("1 badge {}", msg_part("whose recipient is already in the plan"))),
        "{screen}"
    );
    h.press("i");
    h.shows(msg_part("1 of 2 templates")).await;
    let screen = h.settled().await;
    assert!(!screen.contains(msg_part("Not planned")), "what the key did is not offered again:\n{screen}");
    assert!(screen.contains(msg_part("expires soon")), "the guard has looked:\n{screen}");
    assert_eq!(posts(&h), 0, "nothing is sent before the review");
    h.press("esc");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("expiring within 30 days")), "{screen}");
    assert!(h.tui.app.jobs().expect("jobs").list().await.expect("a list").is_empty(), "no draft is left");
    h.press("i");
    h.shows(msg_part("Not planned")).await;
    h.press("i");
    h.shows(msg_part("1 of 2 templates")).await;
    let screen = h.settled().await;
    let words: Vec<&str> = screen.split_whitespace().collect();
    let rows = words.windows(3).find(|words| words[1..] == ["rows", "·"]);
    let n = rows.unwrap_or_else(|| panic!("a number:\n{screen}"))[0].to_owned();
    h.confirm_draft(&n).await;
    h.shows(msg("waiting")).await;
    let ledger = h.sandbox.control().ledger();
    assert_eq!(ledger.accepted_for("TPL-004", "min.ng@example.com"), 1);
    assert_eq!(ledger.accepted_for("TPL-004", "seoyun.han@naru.example"), 1, "once, however often it ends");
}

#[tokio::test]
async fn two_people_with_one_address_are_both_planned_and_the_review_asks() {
    let mut h = Harness::with(small(), 100, 30, with_index).await;
    let both = ["한아들", "한따님"].map(|name| ends_soon(name, "family@naru.example"));
    insert(&h, both.to_vec());
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    h.press("} } } } down enter");
    h.settled().await;
    h.press("/");
    h.type_text("family@");
    h.press("enter");
    h.until("both", |s| s.contains(msg_part("row 1 of 2"))).await;
    h.press("i");
    let screen = h.until("the review", |s| s.contains(msg("one address, two names"))).await;
    assert!(!screen.contains(msg_part("Not planned")), "{screen}");
}

#[tokio::test]
async fn copies_in_a_list_behind_a_count_are_seen() {
    let mut h = Harness::with(small(), 80, 24, with_index).await;
    insert(&h, ["한서윤", "한서윤", "한따님"].map(|name| ends_soon(name, "twice@naru.example")).to_vec());
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    h.press("} } } } down enter");
    h.settled().await;
    h.press("/");
    h.type_text("twice@");
    h.press("enter");
    let screen = h.until("all three", |s| s.contains(msg_part("row 1 of 3"))).await;
    let words = msg_with("{copies} copies among the loaded rows: {states}", &[&2, &"2 Issued"]);
    assert!(screen.contains(&words), "below the list:\n{screen}");
    let rows: Vec<&str> = screen.lines().filter(|line| line.contains("twice@n")).collect();
    let with = |signs: [&str; 2]| rows.iter().filter(|row| signs.iter().any(|s| row.contains(s))).count();
    let (few, many) = ("×2 · ", msg_with("{n} copies", &[&2]));
    assert_eq!((with([few, &many]), with(["└ "; 2])), (1, 1), "the newest, the one below it:\n{screen}");
    super::filter_line::resize_to(&mut h, 120, 36);
    let screen = h.settled().await;
    assert!(super::narrow::flat(&screen).contains(msg_part("2 copies among")), "in the preview:\n{screen}");
}

#[tokio::test]
async fn what_is_too_old_is_said_to_be_left_out() {
    let mut h = Harness::with(frozen(), 110, 40, |session| {
        let settings = IndexConfig { max_age_days: 60, refresh_minutes: 15 };
        ProfileSession { index: Some(IndexUse { folder: None, settings, reads_at_start: false }), ..session }
    })
    .await;
    h.settled().await;
    h.press("0 G enter");
    let screen = h.settled().await;
    let older = msg_part("older not included");
    assert!(screen.contains(older), "{screen}");
    let bar = |screen: &str, day: &str| {
        let line = screen.lines().find(|line| line.contains(&format!("week of {day}")));
        line.unwrap_or_else(|| panic!("{day}:\n{screen}")).to_owned()
    };
    assert!(bar(&screen, "08-24").contains(msg("older ones not kept")), "{screen}");
    assert!(!bar(&screen, "11-16").contains(msg_part("not kept")), "{screen}");
    h.press("} G");
    while !h.screen().lines().any(|line| line.starts_with('▌') && line.contains("09-14")) {
        h.press("k");
    }
    let screen = h.screen();
    assert!(bar(&screen, "09-14").contains(&format!("—  {}", msg("not kept"))), "not 0:\n{screen}");
    h.press("enter");
    assert!(h.screen().contains(msg("The index does not keep the badges of this bar.")), "{}", h.screen());
    h.press("esc");
    let screen = h.settled().await;
    assert!(screen.contains(msg("Soon")) && screen.contains(older), "Home, too:\n{screen}");
}

/// Between full readings, most badges are not read again.
#[tokio::test]
async fn the_last_full_reading_is_shown_beside_a_later_one() {
    let mut h = opened(small(), 100, 30).await;
    let full = msg_part(", in full 11-21 ");
    assert!(!h.screen().contains(full));
    h.sandbox.control().advance(std::time::Duration::from_secs(3 * 3600));
    h.press("1 r");
    h.settled().await;
    h.press("0 G enter r");
    let screen = h.settled().await;
    assert!(screen.contains(full), "{screen}");
    h.press("2 /");
    h.type_text("state:revoked");
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("from the index")) && screen.contains(full), "{screen}");
}

#[tokio::test]
async fn a_read_only_profile_reads_and_plans_nothing() {
    let mut h = Harness::with(small(), 80, 24, |session| {
        let mut session = with_index(session);
        session.connection.read_only = true;
        session
    })
    .await;
    insert(&h, vec![ends_soon("남궁 민", "min.ng@example.com")]);
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    h.press("} } } } down enter");
    let screen = h.settled().await;
    assert!(screen.contains("남궁 민") && !screen.contains(msg_part("i issue again")), "{screen}");
    h.press("i");
    assert!(h.settled().await.contains(msg("read-only")));
    assert_eq!(posts(&h), 0);
}

#[tokio::test]
async fn a_certificate_number_opens_its_badge_once_its_record_was_read() {
    let mut h = opened(small(), 80, 24).await;
    let id = insert(
        &h,
        vec![RowSpec {
            recipient_name: "문채원".into(),
            recipient_email: "moon@naru.example".into(),
            ..RowSpec::default()
        }],
    )
    .remove(0);
    // Its record is read: what lapel reads anyway is noted.
    h.press("4");
    h.type_text(&id);
    h.press("enter");
    let screen = h.settled().await;
    let line = screen.lines().find(|line| line.contains(msg("Cert. no."))).expect("a number").to_owned();
    let cert = line
        .split("Cert. no.")
        .nth(1)
        .expect("a number")
        .split_whitespace()
        .next()
        .expect("a number")
        .to_owned();
    // The key of the counts opens the box that takes certificate numbers.
    h.press("1 0 G enter +");
    let before = all_requests(&h);
    h.paste(&format!(" {} \n", cert.to_lowercase()));
    h.press("enter");
    let screen = h.settled().await;
    assert!(screen.contains("문***"), "{screen}");
    assert_eq!(all_requests(&h) - before, 1, "only the badge itself was read");
}

#[tokio::test]
async fn reading_records_says_first_what_it_costs() {
    let mut h = Harness::with(small(), 100, 30, with_index).await;
    insert(&h, vec![RowSpec { state: RowState::Overdue, minutes_ago: 60 * 24 * 9, ..RowSpec::default() }; 3]);
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    h.press("} } } G up enter");
    let screen = h.settled().await;
    assert!(screen.contains("waiting, overdue, over 3 d"), "{screen}");
    h.press("D");
    let screen = h.settled().await;
    let n: u64 = super::narrow::flat(&screen)
        .split(msg_part("in the background ("))
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|n| n.parse().ok())
        .unwrap_or_else(|| panic!("a number of requests:\n{screen}"));
    assert_eq!(requests(&h, "GET /badges/{badge_id}"), 0);
    h.press("D");
    let screen = h.shows(msg_part("Read ")).await;
    assert!(screen.contains(&format!("Read {n} records")), "{screen}");
    assert_eq!(requests(&h, "GET /badges/{badge_id}"), n);
}

#[tokio::test]
async fn reading_can_be_stopped_and_goes_on() {
    let mut h = Harness::with(small(), 80, 24, with_index).await;
    h.settled().await;
    h.sandbox.control().add_fault("get /badges/history match=page=3 hold times=1").expect("a rule");
    h.press("0 G enter");
    let screen = h.shows("reading the history 200 of 600").await;
    assert!(!screen.contains(msg_part("S stop")), "{screen}");
    h.run_in_palette(Action::IndexStop);
    let screen = h.settled().await;
    assert!(
        screen.contains(msg_part("lapel keeps the part it has read."))
            && screen.contains(msg_part("read to 200 of 600")),
        "{screen}"
    );
    let before = requests(&h, "GET /badges/history");
    h.press("r");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("600 badges")) && screen.contains(msg_part("read 11-21")), "{screen}");
    assert_eq!(requests(&h, "GET /badges/history") - before, 5, "four pages, and the top");
}

#[tokio::test]
async fn reading_goes_on_behind_other_screens_and_draws_nothing_there() {
    let mut h = Harness::with(small(), 80, 24, with_index).await;
    h.settled().await;
    h.sandbox.control().add_fault("get /badges/history match=page=2 hold times=1").expect("a rule");
    h.press("0 G enter");
    h.until("the first page, counted", |s| s.contains("100 of 600") && s.contains(msg_part("100 badges")))
        .await;
    h.press("1");
    let turns = |s: &str| lapel::tui::Glyphs::UNICODE.spinner.iter().any(|frame| s.contains(*frame));
    h.until("no spinner turns for it", |s| !turns(s)).await;
    assert!(requests(&h, "GET /badges/history") < 4, "it is still read");
    h.sandbox.control().clear_faults();
    h.settled().await;
    h.press("0 G enter");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("600 badges")) && screen.contains(msg_part("read 11-21")), "{screen}");
}

#[tokio::test]
async fn a_service_that_fails_is_said_and_what_was_read_is_shown() {
    let mut h = opened(small(), 80, 24).await;
    h.sandbox.control().add_fault("get /badges/history status=401 code=4001").expect("a rule");
    h.press("r");
    let screen = h.settled().await;
    assert!(screen.contains(msg("incomplete")) && screen.contains(msg_part("600 badges")), "{screen}");
    h.sandbox.control().clear_faults();
    h.press("r");
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("read 11-21")) && !screen.contains(msg("incomplete")), "{screen}");
}

#[tokio::test]
async fn nothing_is_drawn_while_nothing_happens() {
    let mut h = opened(small(), 80, 24).await;
    h.screen();
    let before = h.tui.app.counts.draws;
    for _ in 0..3 {
        h.tui.app.update(Message::Tick);
        h.screen();
    }
    assert_eq!(h.tui.app.counts.draws, before);
}

#[tokio::test]
async fn the_mouse_selects_a_bar() {
    let mut h = opened(small(), 80, 24).await;
    let mouse = |row| {
        Message::Mouse(MouseEvent {
            kind: MouseEventKind::Down(MouseButton::Left),
            column: 5,
            row,
            modifiers: KeyModifiers::NONE,
        })
    };
    h.tui.app.update(mouse(8));
    let screen = h.settled().await;
    assert!(screen.lines().nth(8).is_some_and(|line| line.starts_with('▌')), "{screen}");
}

#[tokio::test]
async fn the_overview_fits_the_smallest_screen() {
    for keys in ["", "}", "} }", "} } }", "} } } }", "{", "enter"] {
        let mut h = opened(small(), 60, 16).await;
        h.press(keys);
        let screen = h.settled().await;
        assert!(screen.contains(msg("Counts")), "{screen}");
    }
}

#[tokio::test]
async fn quitting_during_the_reading_says_that_the_rows_so_far_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().to_owned();
    let mut h = Harness::with(held(), 100, 30, |session| {
        let session = with_index(session);
        ProfileSession {
            index: session.index.map(|index| IndexUse { folder: Some(kept), ..index }),
            ..session
        }
    })
    .await;
    h.settled().await;
    h.sandbox.control().add_fault("any status=429 retry-after=3600 times=1").expect("a rule");
    h.press("0 G enter");
    h.shows(msg_part("▲ wait ")).await;
    let mut said = Vec::new();
    lapel::tui::close(&h.tui.app, &mut |line| said.push(line.to_owned())).await;
    assert!(said.iter().any(|line| line.contains(msg_part("keeps the part it has read"))), "{said:?}");
}

/// The demo's own: its requests cost nothing, and Home is full from the start.
#[tokio::test]
async fn an_index_that_reads_at_start_is_read_once_and_shown() {
    let reads = |mut session: ProfileSession| {
        let settings = IndexConfig { max_age_days: 36_500, refresh_minutes: 15 };
        session.index = Some(IndexUse { folder: None, settings, reads_at_start: true });
        session
    };
    let mut h = Harness::with(small(), 120, 36, reads).await;
    h.press("0");
    let screen = h.until("the chart", |screen| screen.contains(msg("Issued per week"))).await;
    assert!(!screen.contains(msg_part("The index is empty")), "{screen}");
    h.settled().await;
    let read = all_requests(&h);
    h.press("1 0");
    h.settled().await;
    assert!(all_requests(&h) - read <= 2, "Home reads again only when asked");
}

#[tokio::test]
async fn the_preview_of_a_listed_badge_says_when_lapel_requested_it() {
    let mut h = Harness::with(small(), 160, 40, with_index).await;
    crate::activity::issue(&mut h, 0..2).await;
    h.settled().await;
    h.press("0 G enter");
    h.settled().await;
    h.press("} } } enter");
    // The newest ones are last.
    h.until("the list", |s| s.contains(msg_part("row 1 of"))).await;
    h.press("G");
    h.until("the badge", |s| s.contains("person1@naru.example") && s.contains(msg("requested"))).await;
}
