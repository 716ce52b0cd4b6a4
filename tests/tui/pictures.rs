//! Pictures in the TUI: where they stand, what there is instead, and what they never hold up. They come from
//! a server of the test's own, or from the sandbox.

use super::common::server::Move::{Close, Hang, Reset, Send};
use super::common::server::{Move, Server, answer, gzip};
use super::*;
use crate::common::texts::{msg, msg_part, msg_with};
use crate::filter_line::resize_to;
use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};
use lapel::tui::ProfileSession;
use std::io::Cursor;
use std::time::Duration;

const PNG: &str = "Content-Type: image/png";

/// A picture of one colour, with an edge of another so that there are characters to be seen.
fn png(width: u32, height: u32) -> Vec<u8> {
    let edge = |x: u32, y: u32| (x + y).is_multiple_of(2);
    let pixels = RgbaImage::from_fn(width, height, |x, y| {
        if edge(x * 8 / width.max(1), y * 16 / height.max(1)) {
            Rgba([200, 30, 30, 255])
        } else {
            Rgba([30, 30, 200, 255])
        }
    });
    let mut out = Cursor::new(Vec::new());
    DynamicImage::ImageRgba8(pixels).write_to(&mut out, ImageFormat::Png).expect("packed");
    out.into_inner()
}

fn sent(body: impl AsRef<[u8]>) -> Vec<Move> {
    vec![Send(answer("200 OK", &[PNG], body)), Close]
}

/// A sandbox whose records name pictures by path only.
fn paths_only() -> Options {
    Options { switches: vec![("image-urls".into(), "relative".into())], ..small() }
}

/// A session whose pictures are on that server.
fn on(server: &Server) -> impl FnOnce(ProfileSession) -> ProfileSession + use<> {
    let base = format!("http://127.0.0.1:{}", server.port);
    move |mut session| {
        session.connection.picture_base = Some(base);
        session.connection.timeouts.read = Duration::from_secs(10);
        session
    }
}

fn is_seen(screen: &str) -> bool {
    screen.contains(['▀', '▄'])
}

/// The targets that were asked for.
fn targets(server: &Server) -> Vec<String> {
    server.seen().into_iter().map(|seen| seen.target).collect()
}

/// Waits until that many requests have come for something.
async fn asked(h: &mut Harness, server: &Server, what: &str, times: usize) {
    let waiting = async {
        while targets(server).iter().filter(|target| target.contains(what)).count() < times {
            tokio::select! {
                message = h.tui.next() => h.tui.app.update(message),
                () = tokio::task::yield_now() => {}
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("it is asked for");
}

/// Goes to the first badge of the history.
async fn first_badge(h: &mut Harness) -> String {
    h.press("2");
    h.settled().await;
    h.press("enter");
    h.settled().await
}

#[tokio::test]
async fn a_badge_has_two_sides_and_each_is_fetched_once() {
    let server = Server::start(|_, seen| {
        let side = if seen.target.contains("front") { png(40, 40) } else { png(40, 20) };
        sent(side)
    })
    .await;
    let mut h = Harness::with_pictures(paths_only(), 108, 36, on(&server)).await;
    let front = first_badge(&mut h).await;
    assert!(front.contains(&msg_with("{key} other side", &[&"front · p"])) && is_seen(&front), "{front}");
    assert!(front.contains(msg("Cert. no.")), "the text stands beside it: {front}");
    h.press("p");
    let back = h.settled().await;
    assert!(back.contains(&msg_with("{key} other side", &[&"back · p"])) && is_seen(&back), "{back}");
    assert_ne!(front, back);
    // In another size it is not downloaded again.
    resize_to(&mut h, 120, 40);
    assert!(is_seen(&h.settled().await), "{}", h.screen());
    resize_to(&mut h, 108, 36);
    h.press("p");
    assert_eq!(h.settled().await, front);
    let seen: Vec<String> = targets(&server).into_iter().filter(|t| !t.contains("TPL-001")).collect();
    assert_eq!(seen.len(), 2, "{seen:?}");
    for seen in server.seen() {
        assert!(seen.header("x-api-key").is_none() && seen.header("referer").is_none());
        assert!(!seen.headers.iter().any(|(_, value)| value.contains("dmu_")), "{:?}", seen.headers);
    }
}

#[tokio::test]
async fn the_sandbox_sees_no_key_at_its_pictures() {
    let mut h = Harness::with_pictures(small(), 120, 36, |session| session).await;
    let screen = h.settled().await;
    assert!(is_seen(&screen), "{screen}");
    let screen = first_badge(&mut h).await;
    assert!(is_seen(&screen), "{screen}");
    assert_eq!(h.sandbox.control().ledger().violations.key_outside_api, 0);
}

#[tokio::test]
async fn on_a_narrow_screen_the_text_keeps_its_room() {
    let mut h = Harness::with_pictures(small(), 80, 24, |session| session).await;
    let text = first_badge(&mut h).await;
    let mut plain = Harness::new(small(), 80, 24).await;
    let without = first_badge(&mut plain).await;
    let body = |screen: &str| {
        let port = |line: &str| line.contains("127.0.0.1");
        let lines = screen.lines().skip(1).filter(|l| !port(l)).map(str::to_owned);
        lines.take(20).collect::<Vec<_>>()
    };
    assert_eq!(body(&text), body(&without));
    assert!(!without.contains("p picture"), "{without}");
    h.press("p");
    let picture = h.settled().await;
    assert!(
        is_seen(&picture) && picture.contains(&msg_with("{key} other side", &[&"front · p"])),
        "{picture}"
    );
    assert!(!picture.contains(msg("Cert. no.")), "{picture}");
    h.press("p");
    let back = h.settled().await;
    assert!(is_seen(&back) && back != picture && !back.contains(msg_part("other side")), "{back}");
    h.press("p");
    assert_eq!(h.settled().await, text);
    // Back goes back from here as ever.
    h.press("esc");
    assert!(h.settled().await.contains(msg_part("row 1 of 600")));
}

#[tokio::test]
async fn a_template_has_its_picture_above_its_text_or_in_its_place() {
    let mut h = Harness::with_pictures(small(), 120, 36, |session| session).await;
    let wide = h.settled().await;
    assert!(is_seen(&wide) && wide.contains(msg("Criteria")), "{wide}");
    let mut h = Harness::with_pictures(small(), 80, 24, |session| session).await;
    assert!(!is_seen(&h.settled().await));
    h.press("enter");
    let text = h.settled().await;
    assert!(text.contains(msg("Criteria")) && !is_seen(&text), "{text}");
    h.press("p");
    let picture = h.settled().await;
    assert!(is_seen(&picture) && !picture.contains(msg("Criteria")), "{picture}");
    h.press("esc");
    assert_eq!(h.settled().await, text);
}

/// What a picture's server may do, and the text in the picture's place then.
fn hostile() -> Vec<(Vec<Move>, &'static str)> {
    let ok = |headers: &[&str], body: &[u8]| vec![Send(answer("200 OK", headers, body)), Close];
    let to = |place: &str| vec![Send(answer("302 Found", &[&format!("Location: {place}")], "")), Close];
    let mut cut = answer("200 OK", &[PNG], png(60, 60));
    cut.truncate(cut.len() - 40);
    let mut bomb = png(8, 8);
    bomb[16..24].copy_from_slice(&[0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30]);
    let mut crc = flate2::Crc::new();
    crc.update(&bomb[12..29]);
    bomb[29..33].copy_from_slice(&crc.sum().to_be_bytes());
    let whole = png(60, 60);
    vec![
        (vec![Send(answer("404 Not Found", &[], "")), Close], "does not have this picture (HTTP 404)"),
        (vec![Send(answer("500 Oh", &[], "")), Close], "answered HTTP 500"),
        (vec![Send(answer("401 No", &[], "<html>log in</html>")), Close], "answered HTTP 401"),
        (ok(&[PNG], b"<!doctype html><title>Log in</title>"), "sent a web page"),
        (
            ok(&["Content-Type: image/svg+xml"], b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
            "cannot draw SVG",
        ),
        (ok(&[PNG], b""), "sent nothing"),
        (ok(&[PNG], b"%PDF-1.7 not a picture"), "another format"),
        (ok(&[PNG], &whole[..whole.len() / 2]), "image is damaged"),
        (vec![Send(cut), Close], "was cut off while loading"),
        (ok(&[PNG], &bomb), "image is too large"),
        (ok(&[PNG], &vec![b'x'; (5 << 20) + 1]), "larger than 5 MB"),
        (ok(&[PNG, "Content-Encoding: gzip"], &gzip(&vec![0; 6 << 20])), "larger than 5 MB"),
        (to("file:///etc/passwd"), "redirects to a place that lapel does not open"),
        (to("ftp://127.0.0.1/x.png"), "redirects to a place that lapel does not open"),
        (to("http://kim:pw@127.0.0.1/x.png"), "redirects to a place that lapel does not open"),
        (to("/again"), "redirects to a place that lapel does not open"),
        (vec![Reset], "could not be reached"),
        (vec![Close], "could not be reached"),
        (vec![Send(b"this is not HTTP\r\n\r\n".to_vec()), Close], "could not be reached"),
    ]
}

/// Servers that say nothing any more, at the beginning and in the middle.
fn slow() -> Vec<(Vec<Move>, &'static str)> {
    let begun = b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n\x89PNG".to_vec();
    vec![(vec![Hang], "no response in time"), (vec![Send(begun), Hang], "was cut off while loading")]
}

/// Goes through templates whose pictures are these cases, and finds the text of each in its place.
async fn go_through(cases: Vec<(Vec<Move>, &'static str)>, read: Duration) {
    let said: Vec<&str> = cases.iter().map(|(_, said)| *said).collect();
    let server = Server::start(move |_, seen| {
        let number = seen.target.split("TPL-").nth(1).and_then(|rest| rest.get(..3));
        let number: usize = number.and_then(|n| n.parse().ok()).unwrap_or(1);
        // What leads from one place to the next is the redirect that never ends.
        let again = || vec![Send(answer("302 Found", &["Location: /again"], "")), Close];
        if seen.target == "/again" {
            return again();
        }
        cases.get(number - 1).map_or_else(|| sent(png(30, 30)), |(moves, _)| moves.clone())
    })
    .await;
    let mut h = Harness::with_pictures(paths_only(), 120, 40, |session| {
        let mut session = on(&server)(session);
        session.connection.timeouts.read = read;
        session
    })
    .await;
    h.settled().await;
    for (at, said) in said.iter().enumerate() {
        // The line is broken to fit: what is looked for may stand on two.
        let detail = |screen: &str| {
            let lines = screen.lines().filter_map(|l| l.split_once('┃')).map(|(_, r)| r.trim());
            lines.collect::<Vec<_>>().join(" ")
        };
        let screen = h.until(said, |screen| detail(screen).contains(said)).await;
        assert!(screen.contains(&format!("row {} of 40", at + 1)) && !is_seen(&screen), "{screen}");
        // No number of such pictures is an error of the TUI.
        assert!(!screen.contains(msg("failed")) && !screen.contains(msg("error")), "{screen}");
        h.press("j");
    }
    let screen = h.settled().await;
    assert!(is_seen(&screen), "the next one is a picture: {screen}");
    assert!(server.seen().iter().all(|seen| seen.header("x-api-key").is_none()));
}

#[tokio::test]
async fn every_broken_picture_has_a_line_of_text_and_the_app_goes_on() {
    go_through(hostile(), Duration::from_secs(15)).await;
}

#[tokio::test]
async fn a_server_that_falls_silent_is_given_up_in_time() {
    go_through(slow(), Duration::from_secs(2)).await;
}

#[tokio::test]
async fn a_redirect_to_a_picture_is_followed_without_a_key() {
    let server = Server::start(|_, seen| {
        if seen.target == "/there.png" {
            sent(png(30, 30))
        } else {
            vec![Send(answer("302 Found", &["Location: /there.png"], "")), Close]
        }
    })
    .await;
    let mut h = Harness::with_pictures(paths_only(), 120, 36, on(&server)).await;
    let screen = h.settled().await;
    assert!(is_seen(&screen), "{screen}");
    assert!(server.seen().iter().all(|seen| seen.header("x-api-key").is_none()));
}

#[tokio::test]
async fn passing_over_rows_fetches_nothing() {
    let server = Server::start(|_, _| sent(png(30, 30))).await;
    let mut h = Harness::with_pictures(paths_only(), 120, 36, on(&server)).await;
    h.settled().await;
    assert_eq!(targets(&server).len(), 1);
    for _ in 0..20 {
        h.press("j");
        h.screen();
    }
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("row 21 of 40")) && is_seen(&screen), "{screen}");
    let seen = targets(&server);
    assert!(seen.len() == 2 && seen[1].contains("TPL-021"), "{seen:?}");
}

/// Handles what happens while the clock is stopped.
async fn turn(h: &mut Harness) {
    for _ in 0..200 {
        tokio::select! {
            message = h.tui.next() => h.tui.app.update(message),
            () = tokio::task::yield_now() => {}
        }
    }
}

#[tokio::test]
async fn a_picture_follows_150_ms_after_the_last_key() {
    // The others never come, so the screen says when one was asked for.
    let server =
        Server::start(|_, seen| if seen.target.contains("TPL-001") { sent(png(30, 30)) } else { vec![Hang] })
            .await;
    let mut h = Harness::with_pictures(paths_only(), 120, 36, on(&server)).await;
    h.settled().await;
    let is_loading = |h: &mut Harness| h.screen().contains(msg("loading the picture"));
    tokio::time::pause();
    for _ in 0..2 {
        h.press("j");
        h.screen();
        turn(&mut h).await;
        tokio::time::advance(Duration::from_millis(149)).await;
        turn(&mut h).await;
        assert!(!is_loading(&mut h), "{}", h.screen());
    }
    // tokio rounds up to a millisecond.
    tokio::time::advance(Duration::from_millis(2)).await;
    turn(&mut h).await;
    assert!(is_loading(&mut h), "{}", h.screen());
    tokio::time::resume();
    asked(&mut h, &server, "TPL-003", 1).await;
    assert!(!targets(&server).iter().any(|target| target.contains("TPL-002")), "{:?}", targets(&server));
}

#[tokio::test]
async fn a_picture_that_never_comes_holds_nothing_up_and_is_given_up() {
    let server =
        Server::start(|_, seen| if seen.target.contains("TPL-001") { vec![Hang] } else { sent(png(30, 30)) })
            .await;
    let mut h = Harness::with_pictures(paths_only(), 120, 36, on(&server)).await;
    // The text does not wait for it.
    h.until("text and no picture", |s| s.contains(msg("loading the picture")) && s.contains(msg("Criteria")))
        .await;
    asked(&mut h, &server, "TPL-001", 1).await;
    // Nothing moves for it, so nothing wakes the TUI up for it once all else is here.
    let rest = async {
        while h.tui.app.is_loading() {
            let message = h.tui.next().await;
            h.tui.app.update(message);
        }
    };
    tokio::time::timeout(Duration::from_secs(20), rest).await.expect("all else comes");
    assert!(h.tui.app.is_busy());
    h.press("2");
    let screen = h.until("the history", |s| s.contains(msg_part("row 1 of 600"))).await;
    assert!(!screen.contains(msg("loading the picture")), "{screen}");
    // Nobody waits for it any more.
    h.settled().await;
    h.press("1 j");
    let screen = h.settled().await;
    assert!(is_seen(&screen) && screen.contains(msg_part("row 2 of 40")), "{screen}");
    h.press("k");
    h.until("it is asked for again", |s| s.contains(msg("loading the picture"))).await;
    asked(&mut h, &server, "TPL-001", 2).await;
}

#[tokio::test]
async fn a_picture_with_only_a_path_needs_a_base_address() {
    let mut h = Harness::with_pictures(paths_only(), 120, 36, |session| session).await;
    let screen = h.settled().await;
    assert!(screen.contains(msg_part("only a path")) && !is_seen(&screen), "{screen}");
    let options = Options { switches: vec![("image-urls".into(), "null".into())], ..small() };
    let mut h = Harness::with_pictures(options, 120, 36, |session| session).await;
    let screen = h.settled().await;
    assert!(screen.contains(msg("There is no picture.")), "{screen}");
}

#[tokio::test]
async fn a_kept_picture_is_there_without_a_request_and_read_again_asks_for_it() {
    let server = Server::start(|number, _| sent(png(30, 30 + 10 * number as u32))).await;
    let home = tempfile::tempdir().expect("a folder");
    let kept = |server: &Server| {
        let (on, folder) = (on(server), home.path().to_owned());
        move |session| {
            let mut session = on(session);
            session = session.kept_in(folder);
            session
        }
    };
    let files = || {
        let folder = std::fs::read_dir(home.path().join("pictures")).expect("a folder");
        folder.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>()
    };
    let mut h = Harness::with_pictures(paths_only(), 120, 36, kept(&server)).await;
    let first = h.settled().await;
    assert!(is_seen(&first), "{first}");
    assert_eq!((targets(&server).len(), files().len()), (1, 1));
    // Another run: it is here.
    drop(h);
    let mut h = Harness::with_pictures(paths_only(), 120, 36, kept(&server)).await;
    assert!(is_seen(&h.settled().await));
    assert_eq!(targets(&server).len(), 1);
    // One asks for what is there now.
    h.press("r");
    assert!(is_seen(&h.settled().await));
    assert_eq!(targets(&server).len(), 2);
    // A file that is no picture any more is not believed, and is fetched again.
    drop(h);
    std::fs::write(&files()[0], b"\x89PNG and nothing more").expect("written");
    let mut h = Harness::with_pictures(paths_only(), 120, 36, kept(&server)).await;
    assert!(is_seen(&h.settled().await));
    assert_eq!(targets(&server).len(), 3);
}

#[tokio::test]
async fn a_picture_on_the_screen_is_not_drawn_again_for_nothing() {
    let mut h = Harness::with_pictures(small(), 120, 36, |session| session).await;
    assert!(is_seen(&first_badge(&mut h).await));
    let draws = h.tui.app.counts.draws;
    assert!(!h.tui.draw().expect("a test terminal can be drawn on"));
    h.tui.app.update(Message::Link);
    assert!(!h.tui.draw().expect("a test terminal can be drawn on"));
    assert_eq!(h.tui.app.counts.draws, draws);
}

#[tokio::test]
async fn without_pictures_their_keys_say_why() {
    let mut h = Harness::new(small(), 120, 36).await;
    let screen = first_badge(&mut h).await;
    assert!(
        !screen.contains("f flip")
            && !screen.contains(msg_part("other side"))
            && !screen.contains("p picture"),
        "{screen}"
    );
    h.press("p");
    assert!(h.screen().contains(msg_part("Pictures are off here:")), "{}", h.screen());
}

/// Every preview of a badge or a job has the picture of its template. The list of templates has its address already.
#[tokio::test]
async fn previews_have_the_picture_of_the_template() {
    let with_index = |mut session: ProfileSession| {
        let settings = lapel::index::IndexConfig { max_age_days: 36_500, refresh_minutes: 15 };
        session.index = Some(lapel::tui::IndexUse { folder: None, settings, reads_at_start: false });
        session
    };
    let mut h = Harness::with_pictures(small(), 140, 50, with_index).await;
    h.settled().await;
    super::activity::issue(&mut h, 0..2).await;
    let before = requests(&h, "GET /badge-templates/{template_id}");
    let activity = h.until("a picture", is_seen).await;
    assert!(activity.contains("#1"), "{activity}");
    h.press("enter");
    assert!(is_seen(&h.settled().await), "a row of the job: {}", h.screen());
    h.press("2");
    assert!(is_seen(&h.settled().await), "{}", h.screen());
    h.press("w");
    assert!(is_seen(&h.settled().await), "{}", h.screen());
    h.press("0 r");
    h.until("read", |s| s.contains(msg_part("mails of issued badges failed")) && !s.contains(msg("so far")))
        .await;
    h.press("G k enter");
    h.settled().await;
    h.press("j");
    assert!(is_seen(&h.settled().await), "{}", h.screen());
    assert_eq!(
        requests(&h, "GET /badge-templates/{template_id}"),
        before,
        "{:?}",
        h.sandbox.control().ledger().requests
    );
}

/// The answer is long, but not as long as the pane.
#[tokio::test]
async fn a_wallet_with_copies_has_the_picture_below_the_answer_on_a_usual_screen() {
    let mut h = Harness::with_pictures(frozen(), 120, 36, |session| session).await;
    let copy = |days: i64| RowSpec {
        recipient_email: "copies@naru.example".into(),
        minutes_ago: days * 24 * 60,
        ..RowSpec::default()
    };
    let insert = (1..=4).map(copy).collect();
    h.sandbox.control().rows(&Rows { insert, ..Rows::default() }).expect("inserted");
    h.settled().await;
    h.press("3");
    h.type_text("copies@naru.example");
    h.press("enter");
    let answer = h.settled().await;
    assert!(answer.contains(msg("Not possible")) && is_seen(&answer), "{answer}");
}

/// The front is first where the pane does not show it, and the question of the caller stays.
#[tokio::test]
async fn the_wallet_shows_the_picture_of_a_badge_and_its_back() {
    for (columns, rows) in [(80, 24), (140, 50)] {
        let mut h = Harness::with_pictures(frozen(), columns, rows, |session| session).await;
        let row = RowSpec { recipient_email: "picture@example.org".into(), ..RowSpec::default() };
        h.sandbox.control().rows(&Rows { insert: vec![row], ..Rows::default() }).expect("inserted");
        h.settled().await;
        h.press("3");
        h.type_text("picture@example.org");
        h.press("enter");
        let answer = h.settled().await;
        assert_eq!(is_seen(&answer), columns >= 110, "{answer}");
        // The preview reads the template for its picture: the number says what it counts.
        assert_eq!(answer.contains(msg_part("without the picture")), columns >= 110, "{answer}");
        if columns < 110 {
            h.press("p");
            let front = h.settled().await;
            let said = msg_with("{key} other side", &[&"front · p"]);
            assert!(is_seen(&front) && front.contains(&said), "{front}");
            assert!(!front.contains(msg("Say")), "{front}");
        }
        h.press("p");
        let back = h.settled().await;
        assert!(is_seen(&back) && back.contains("back · "), "{back}");
        // The wallet has only the path of the back, so its record was read.
        h.press("p");
        let answer = h.settled().await;
        assert!(answer.contains(msg("Say")), "{answer}");
        assert_eq!(requests(&h, "GET /badges/{badge_id}"), 1, "{answer}");
        h.press("p esc");
        assert_eq!(h.settled().await, answer);
    }
}

#[tokio::test]
async fn a_preview_that_has_the_picture_says_that_a_template_has_no_back() {
    let mut h = Harness::with_pictures(small(), 120, 36, |session| session).await;
    h.settled().await;
    h.press("p");
    let screen = h.settled().await;
    assert!(screen.contains(msg("A template has only a front, and the preview shows it.")), "{screen}");
}

#[tokio::test]
async fn any_size_can_be_drawn_with_pictures() {
    let mut h = Harness::with_pictures(small(), 120, 36, |session| session).await;
    first_badge(&mut h).await;
    for (columns, rows) in
        [(1, 1), (300, 100), (60, 16), (100, 16), (99, 40), (100, 40), (61, 17), (240, 17), (120, 36)]
    {
        for keys in ["1", "4", "p"] {
            h.press(keys);
            h.tui.surface.resize(columns, rows);
            h.tui.app.update(Message::Resize(columns, rows));
            h.settled().await;
        }
    }
}
