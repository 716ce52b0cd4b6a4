//! Pages that are damaged, too long, or in another form: what can be read of them, and the errors about the rest.

use crate::server::{JSON, Move, Server, answer, enveloped, pong};
use crate::texts::msg_part;
use Move::Send;
use lapel::api::{ApiError, Call, HistoryQuery, LinkTrouble, Paging, RawOf};
use lapel::domain::{BadgeId, HistoryItem, Page, Text};

fn now() -> Call {
    Call::interactive()
}

/// Page and rows that a request asks for; `None` where it asks for no page.
fn asked(target: &str) -> Option<(usize, usize)> {
    let (_, query) = target.split_once('?')?;
    let number = |name: &str| {
        query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')?.parse::<usize>().ok())
    };
    Some((number("page")?, number("rows_per_page")?))
}

/// The envelope of a page of a list of `all` rows; each row is written by `row`.
fn page(target: &str, all: usize, row: impl Fn(usize) -> String) -> Vec<u8> {
    let (page, rows) = asked(target).expect("a page is asked for");
    let list: Vec<String> = ((page - 1) * rows..(page * rows).min(all)).map(row).collect();
    let data = format!(r#"{{"total_count":{all},"list":[{}]}}"#, list.join(","));
    format!(r#"{{"code":"0001","message":"","data":{data}}}"#).into_bytes()
}

fn usual(n: usize) -> String {
    format!(r#"{{"badge_id":"B{n}","recipient_name":"사람 {n}"}}"#)
}

async fn history(server: &Server, paging: Paging) -> Result<Page<HistoryItem>, ApiError> {
    server.reader().history(&HistoryQuery { paging, ..HistoryQuery::default() }, &now()).await
}

/// The numbers of the badges of a page, by their place.
fn numbers(page: &Page<HistoryItem>) -> Vec<(usize, usize)> {
    let number = |id: &BadgeId| id.wire().strip_prefix('B').and_then(|n| n.parse().ok()).expect("a number");
    page.items.iter().map(|(place, item)| (*place, number(&item.badge_id))).collect()
}

#[tokio::test]
async fn one_damaged_value_hides_no_other_record() {
    for (damage, name, is_there) in [
        (r#"{"badge_id":"B7","recipient_name":"한\ud800서"}"#, "한\u{fffd}서", true),
        (r#"{"badge_id":"B7","recipient_name":"\udc00\ud800"}"#, "\u{fffd}\u{fffd}", true),
        ("{\"badge_id\":\"B7\",\"recipient_name\":\"한\n서\"}", "한\n서", true),
        (r#"{"badge_id":"B7","recipient_name":"\x41"}"#, "\\x41", true),
        (r#"{"badge_id":"B7","recipient_name":["한","서"]}"#, r#"["한","서"]"#, true),
        (r#"{"badge_id":"B7","recipient_name":"한서","level":1e999}"#, "한서", true),
        (r#"{"badge_id":"B7","recipient_name":"한서","level":NaN}"#, "한서", true),
        (r#"{"badge_id":"B\ud800","recipient_name":"한서"}"#, "", false),
        (r#"{"badge_id":{"id":"B7"}}"#, "", false),
        (r#"["B7"]"#, "", false),
        ("NaN", "", false),
    ] {
        let row = |n: usize| if n == 7 { damage.to_owned() } else { usual(n) };
        let server =
            Server::start(move |_, seen| vec![Send(answer("200 OK", &[JSON], page(&seen.target, 100, row)))])
                .await;
        let read =
            history(&server, Paging::full(1)).await.unwrap_or_else(|error| panic!("{damage}: {error}"));
        let others: Vec<(usize, usize)> = (0..100).filter(|n| is_there || *n != 7).map(|n| (n, n)).collect();
        assert_eq!(numbers(&read), others, "{damage}");
        assert_eq!(server.seen().len(), 1, "{damage}");
        if is_there {
            let shown = read.items[7].1.recipient_name.as_ref().map(Text::wire);
            assert_eq!((shown, read.problems.len()), (Some(name), 0), "{damage}");
        } else {
            assert_eq!(read.problems.iter().map(|p| p.place.as_str()).collect::<Vec<_>>(), ["list[7]"]);
        }
    }
}

/// JSON whose structure is damaged cannot be read beyond the damage: fewer rows find the place.
#[tokio::test]
async fn one_record_that_is_no_json_hides_no_other() {
    let row = |n: usize| if n == 237 { r#"{"badge_id":"B237,"title"}"#.to_owned() } else { usual(n) };
    let server = Server::start(move |_, seen| {
        let is_page = asked(&seen.target).is_some();
        vec![Send(if is_page { answer("200 OK", &[JSON], page(&seen.target, 400, row)) } else { pong() })]
    })
    .await;
    let read = history(&server, Paging::full(3)).await.expect("a page");
    let others: Vec<(usize, usize)> = (0..100).filter(|n| *n != 37).map(|n| (n, 200 + n)).collect();
    assert_eq!((numbers(&read), read.list_len, read.total_count), (others, 100, Some(400)));
    assert_eq!(read.problems.iter().map(|p| p.place.as_str()).collect::<Vec<_>>(), ["list[37]"]);
    // Every part is a page of its own, so that no row is skipped.
    for (page, rows) in server.seen().iter().filter_map(|seen| asked(&seen.target)) {
        assert!([100, 50, 25, 20, 10, 5, 1].contains(&rows) && (200..300).contains(&((page - 1) * rows)));
    }
    assert!(server.seen().len() <= 25, "{}", server.seen().len());
}

#[tokio::test]
async fn a_page_that_is_too_long_is_read_in_parts() {
    let server = Server::start(|_, seen| {
        let body = match asked(&seen.target) {
            Some((_, rows)) if rows > 20 => vec![b' '; 16 * 1024 * 1024 + 1],
            Some(_) => page(&seen.target, 230, usual),
            None => return vec![Send(pong())],
        };
        vec![Send(answer("200 OK", &[JSON], body))]
    })
    .await;
    let read = history(&server, Paging::full(3)).await.expect("a page");
    assert_eq!(numbers(&read), (0..30).map(|n| (n, 200 + n)).collect::<Vec<_>>());
    assert_eq!((read.list_len, read.total_count, read.problems.len()), (30, Some(230), 0));
    let sizes: Vec<usize> = server.seen().iter().filter_map(|seen| Some(asked(&seen.target)?.1)).collect();
    assert_eq!(sizes, [100, 50, 25, 20, 20]);
}

#[tokio::test]
async fn the_charset_that_an_answer_declares_is_used() {
    let text = String::from_utf8(page("/?page=1&rows_per_page=2", 2, usual)).expect("UTF-8");
    let body = encoding_rs::EUC_KR.encode(&text).0.into_owned();
    let server = Server::always(vec![Send(answer(
        "200 OK",
        &["Content-Type: application/json; charset=EUC-KR"],
        body,
    ))])
    .await;
    let read = history(&server, Paging::full(1)).await.expect("a page");
    assert_eq!(read.items[1].1.recipient_name, Some(Text::from("사람 1")));
    let raw =
        server.reader().raw(&RawOf::History(Text::from("a@x.example")), &now()).await.expect("an answer");
    assert!(raw.text.wire().contains("사람 1"), "{:?}", raw.text);
}

#[tokio::test]
async fn an_error_in_another_form_is_one_of_its_request_where_the_service_answers_others() {
    let odd = [
        answer("400 Bad Request", &["Content-Type: text/plain"], "bad sort_by"),
        answer("404 Not Found", &["Content-Type: text/html"], "<html>gone</html>"),
        answer("405 Method Not Allowed", &[], ""),
        answer("413 Payload Too Large", &[JSON], r#"{"timestamp":1,"status":413}"#),
        answer("200 OK", &[JSON], r#"{"code":"0001","data":{"li"#),
        answer("200 OK", &[JSON], ""),
        enveloped("200 OK", "0001", "", "null"),
        answer("204 No Content", &[], ""),
    ];
    for (number, body) in odd.into_iter().enumerate() {
        let server = Server::start(move |_, seen| {
            let is_ping = seen.target.ends_with("/ping");
            vec![Send(if is_ping { pong() } else { body.clone() })]
        })
        .await;
        let reader = server.reader();
        let query = HistoryQuery {
            paging: Paging { rows_per_page: 1, ..Paging::full(1) },
            ..HistoryQuery::default()
        };
        for round in 0..2 {
            let error = reader.history(&query, &now()).await.expect_err("it cannot be read");
            assert!(matches!(error, ApiError::Unreadable { .. }), "{number}: {error:?}");
            assert!(!error.to_string().contains(msg_part("base URL")), "{number}: {error}");
            assert_eq!(reader.link_now().last_error, None, "{number}");
            // Whether it is the right service is asked once.
            let pings = server.seen().iter().filter(|seen| seen.target.ends_with("/ping")).count();
            assert!(pings <= 1, "{number}, {round}: {pings}");
        }
    }
}

#[tokio::test]
async fn a_stranger_stays_a_stranger() {
    let page = "<html>login</html>";
    for (status, headers) in [
        ("200 OK", ["Content-Type: text/html"].as_slice()),
        ("404 Not Found", &["Content-Type: text/html"]),
        ("400 Bad Request", &["Content-Type: text/plain"]),
    ] {
        let server = Server::always(vec![Send(answer(status, headers, page))]).await;
        let error = history(&server, Paging::full(1)).await.expect_err("a stranger");
        assert!(matches!(error, ApiError::NotThisService { .. }), "{status}: {error:?}");
    }
    // A login page in the midst of a session is one.
    let server = Server::start(move |number, _| match number {
        0 => vec![Send(pong())],
        _ => vec![Send(answer("200 OK", &["Content-Type: text/html"], page))],
    })
    .await;
    let reader = server.reader();
    reader.ping(&now()).await.expect("an answer");
    let error = reader.history(&HistoryQuery::default(), &now()).await.expect_err("a stranger");
    assert!(matches!(error, ApiError::NotThisService { .. }), "{error:?}");
    assert_eq!(reader.link_now().last_error, Some(LinkTrouble::NotThisService));
}
