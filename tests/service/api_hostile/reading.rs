//! What a GET survives, sends and sees.

use crate::closed_port::ClosedPort;
use crate::server::{JSON, Move, Server, answer, enveloped, gzip, pong, writer};
use crate::texts::msg_part;
use Move::{Close, Hang, Send};
use lapel::api::{
    ApiError, Call, CategoryFilter, Direction, HistoryFilter, HistoryQuery, LinkTrouble, Paging, RawOf, Sort,
    TemplateFilter, TemplateQuery, WalletQuery,
};
use lapel::domain::{BadgeId, BadgeTypeCode, CategoryId, CategoryLevelId, ServiceTime, TemplateId, Text};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

fn now() -> Call {
    Call::interactive()
}

#[tokio::test]
async fn a_refused_connection_is_reported_after_three_attempts() {
    let nobody = ClosedPort::new();
    let place = nobody.address();
    let writer = writer(&format!("http://{place}/x"), |_| {});
    let error = writer.reader().ping(&now()).await.expect_err("nobody listens");
    let said = format!("{place} refused the connection");
    assert!(matches!(&error, ApiError::NotReached { why } if why.to_string() == said), "{error:?}");
    assert_eq!(writer.reader().log().iter().map(|e| e.attempt).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(writer.reader().link_now().last_error, Some(LinkTrouble::Unreachable));
}

/// The proxy is named, without its password, since it is the proxy that refuses.
#[tokio::test]
async fn a_proxy_that_refuses_is_named_without_its_password() {
    let nobody = ClosedPort::new();
    let place = nobody.address();
    let writer = writer("https://badges.naru.example/api/v1/ext", |c| {
        c.proxy = Some(format!("http://kim:s3cret@{place}"));
    });
    let error = writer.reader().ping(&now()).await.expect_err("nobody listens");
    let said = format!("the proxy {place} refused the connection");
    assert!(matches!(&error, ApiError::NotReached { why } if why.to_string() == said), "{error:?}");
    assert!(!error.to_string().contains("s3cret"));
}

#[tokio::test]
async fn a_name_that_is_not_known_is_said() {
    let writer = writer("https://badges.invalid/api/v1/ext", |c| c.timeouts.connect = Duration::from_secs(2));
    let error = writer.reader().ping(&now()).await.expect_err("no such host");
    assert!(
        matches!(&error, ApiError::NotReached { why } if why.to_string().contains("badges.invalid")),
        "{error:?}"
    );
}

#[tokio::test]
async fn every_endpoint_goes_where_the_contract_says() {
    let server = Server::start(|_, _| vec![Send(enveloped("200 OK", "0001", "", "[]"))]).await;
    let reader = server.reader();
    let call = now();
    let paging = Paging {
        page: 2,
        rows_per_page: 100,
        sort: vec![Sort::new("title", Direction::Desc), Sort::new("a b", Direction::Asc)],
    };
    let day = jiff::civil::date(2026, 11, 2);
    let _ = reader.ping(&call).await;
    let _ = reader.badge_types(&call).await;
    let filter =
        CategoryFilter { use_yn: Some(true), category_name: Some("디지털".into()), level_yn: Some(false) };
    let _ = reader.categories(&filter, &call).await;
    let _ = reader.category(&CategoryId::new("C 01/+").expect("id"), &call).await;
    let filter = TemplateFilter {
        template_id: TemplateId::new("T+1"),
        title: Some("파이썬 & 데이터".into()),
        use_yn: Some(true),
        category_id: CategoryId::new("C1"),
        badge_type: Some(BadgeTypeCode::Complete),
        category_level_id: CategoryLevelId::new("L1"),
        reg_str_date: Some(day),
        reg_end_date: Some(day),
    };
    let _ = reader.templates(&TemplateQuery { filter, paging: paging.clone() }, &call).await;
    let _ = reader.template(&TemplateId::new("../ping?x").expect("id"), &call).await;
    let filter = HistoryFilter {
        recipient_name: Some("한서윤".into()),
        recipient_email: Some("kim+tag@naru.example".into()),
        title: Some("a=b".into()),
        issue_start_date: Some(day),
        issue_end_date: Some(day),
        revoke_start_date: Some(day),
        revoke_end_date: Some(day),
    };
    let _ = reader.history(&HistoryQuery { filter, paging }, &call).await;
    let _ = reader.badge(&BadgeId::new("B#1%2e").expect("id"), &call).await;
    let wallet = WalletQuery { email: "kim+tag@예시.example".into(), paging: Paging::default() };
    let _ = reader.wallet(&wallet, &call).await;
    let targets: Vec<_> = server.seen().into_iter().map(|s| s.target.replace("/api/v1/ext", "")).collect();
    assert_eq!(
        targets,
        [
            "/ping",
            "/badge-types",
            "/categories?use_yn=Y&category_name=%EB%94%94%EC%A7%80%ED%84%B8&level_yn=N",
            "/categories/C%2001%2F%2B",
            "/badge-templates?template_id=T%2B1&title=%ED%8C%8C%EC%9D%B4%EC%8D%AC+%26+%EB%8D%B0%EC%9D%B4%ED%84%B0\
             &use_yn=Y&category_id=C1&badge_type=COMPLETE&category_level_id=L1&reg_str_date=2026-11-02\
             &reg_end_date=2026-11-02&page=2&rows_per_page=100&sort_by=title&sort_type=DESC&sort_by=a+b&sort_type=ASC",
            "/badge-templates/..%2Fping%3Fx",
            "/badges/history?recipient_name=%ED%95%9C%EC%84%9C%EC%9C%A4&recipient_email=kim%2Btag%40naru.example\
             &title=a%3Db&issue_start_date=2026-11-02&issue_end_date=2026-11-02&revoke_start_date=2026-11-02\
             &revoke_end_date=2026-11-02&page=2&rows_per_page=100&sort_by=title&sort_type=DESC&sort_by=a+b&sort_type=ASC",
            "/badges/B%231%252e",
            "/wallet/badges?email=kim%2Btag%40%EC%98%88%EC%8B%9C.example&page=1&rows_per_page=20",
        ]
    );
    // The log knows the paths, and no query.
    assert!(reader.log().iter().all(|entry| !entry.path.contains('?') && !entry.path.contains("naru")));
}

#[tokio::test]
async fn what_cannot_be_an_id_is_not_sent() {
    let server = Server::always(vec![Send(pong())]).await;
    let reader = server.reader();
    for id in [".", "..", "history"] {
        let error = reader.badge(&BadgeId::new(id).expect("id"), &now()).await.expect_err(id);
        assert!(matches!(error, ApiError::BadInput { field: "badge_id", .. }), "{error:?}");
    }
    let wallet = WalletQuery { email: " ".into(), ..WalletQuery::default() };
    assert!(matches!(reader.wallet(&wallet, &now()).await, Err(ApiError::BadInput { field: "email", .. })));
    assert!(server.seen().is_empty() && reader.log().is_empty());
}

/// Bodies that are odd and readable.
#[tokio::test]
async fn odd_answers_that_can_be_read_are_read() {
    let body = r#"{"code":"0001","message":"ok","data":{"status":"ok","apikey_prefix":"dmu_"}}"#;
    let with = |headers: &[&str], body: &[u8]| vec![Send(answer("200 OK", headers, body))];
    let interim =
        [b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n".to_vec(), pong()]
            .concat();
    let chunked = format!(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
        body.len()
    );
    let until_close = format!("HTTP/1.0 200 OK\r\n\r\n{body}");
    for (name, moves) in [
        ("a byte order mark", with(&[JSON], format!("\u{feff}{body}").as_bytes())),
        ("a wrong content type", with(&["Content-Type: text/html"], body.as_bytes())),
        ("no content type", with(&[], body.as_bytes())),
        ("white space around", with(&[JSON], format!("\r\n  {body}\n\n").as_bytes())),
        ("packed", with(&[JSON, "Content-Encoding: gzip"], &gzip(body.as_bytes()))),
        ("interim answers", vec![Send(interim)]),
        ("chunks", vec![Send(chunked.into_bytes())]),
        ("until the connection closes", vec![Send(until_close.into_bytes()), Close]),
        ("a code that is a number", with(&[JSON], body.replace("\"0001\"", "1").as_bytes())),
        ("a code that nobody knows", with(&[JSON], body.replace("0001", "7777").as_bytes())),
        ("another status of success", vec![Send(answer("203 Non-Authoritative", &[JSON], body))]),
        ("headers twice", with(&[JSON, JSON, "Date: x", "Date: y", "X-A: 1", "X-A: 2"], body.as_bytes())),
    ] {
        let server = Server::always(moves).await;
        let ping = server.reader().ping(&now()).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(ping.apikey_prefix.is_some_and(|p| p.wire().starts_with("dmu_")), "{name}");
        assert_eq!(server.seen().len(), 1, "{name}");
    }
}

#[tokio::test]
async fn nothing_where_a_list_was_expected_is_said_and_is_no_honest_zero() {
    for body in [enveloped("200 OK", "0001", "", "null"), answer("204 No Content", &[], "")] {
        let server = Server::always(vec![Send(body)]).await;
        let page = server.reader().history(&HistoryQuery::default(), &now()).await;
        assert!(matches!(page, Err(ApiError::Unreadable { .. })), "{page:?}");
        let badge = server.reader().badge(&BadgeId::new("B1").expect("id"), &now()).await;
        assert!(matches!(badge, Err(ApiError::Unreadable { .. })), "{badge:?}");
    }
    let server = Server::always(vec![Send(enveloped("200 OK", "0001", "", "\"soon\""))]).await;
    let page = server.reader().history(&HistoryQuery::default(), &now()).await;
    assert!(matches!(page, Err(ApiError::Unreadable { .. })), "{page:?}");
}

#[tokio::test]
async fn bytes_that_are_not_utf_8_damage_what_they_stand_in_and_no_more() {
    let body = b"{\"code\":\"0001\",\"message\":\"\",\"data\":{\"total_count\":3,\"list\":[\
        {\"badge_id\":\"B1\",\"title\":\"ok\"},{\"badge_id\":\"B2\",\"title\":\"\xc7\xd1\"},{\"badge_id\":\"\xc7\xd1\"}]}}";
    let server = Server::always(vec![Send(answer("200 OK", &[JSON], body))]).await;
    let page = server.reader().history(&HistoryQuery::default(), &now()).await.expect("a page");
    assert_eq!(
        page.items.iter().map(|(i, h)| (*i, h.badge_id.wire())).collect::<Vec<_>>(),
        [(0, "B1"), (1, "B2")]
    );
    assert_eq!(page.problems[0].place, "list[2]");
}

#[tokio::test]
async fn badge_types_are_optional() {
    for body in [
        enveloped("404 Not Found", "4040", "", "null"),
        answer("404 Not Found", &[], "<html>"),
        answer("404 Not Found", &[JSON], r#"{"error":"Not Found"}"#),
    ] {
        let server = Server::always(vec![Send(body)]).await;
        let types = server.reader().badge_types(&now()).await.expect("an empty list");
        assert!(
            types.types.is_empty()
                && types.note.is_some_and(|n| n.to_string().contains(msg_part("does not offer")))
        );
    }
}

#[tokio::test]
async fn a_connection_that_died_while_kept_alive_costs_one_silent_retry() {
    // The first connection answers once and dies on its second request.
    for death in [Close, Move::Reset] {
        let server = Server::start(move |number, seen| match (number, seen.connection) {
            (0, 0) => vec![Send(pong())],
            (_, 0) => vec![death.clone()],
            _ => vec![Send(pong())],
        })
        .await;
        let reader = server.reader();
        let mut link = reader.link();
        reader.ping(&now()).await.expect("the first");
        link.borrow_and_update();
        reader.ping(&now()).await.expect("the second, over a new connection");
        assert_eq!(server.connections(), 2);
        assert_eq!(reader.link_now().last_error, None);
        assert_eq!(reader.log().iter().map(|e| e.outcome).collect::<Vec<_>>(), ["ok", "broke off", "ok"]);
    }
}

#[tokio::test]
async fn a_second_answer_is_not_taken_for_the_next_one() {
    let server = Server::start(|number, _| match number {
        0 => vec![Send([pong(), enveloped("200 OK", "0001", "", r#"{"apikey_prefix":"forged"}"#)].concat())],
        _ => vec![Send(pong())],
    })
    .await;
    let reader = server.reader();
    for _ in 0..3 {
        let ping = reader.ping(&now()).await.expect("an answer");
        assert_eq!(ping.apikey_prefix, Some(Text::from("dmu_test_")));
    }
}

#[tokio::test]
async fn a_service_that_recovers_is_not_seen_to_fail() {
    let server = Server::start(|number, _| match number {
        0 => vec![Send(answer("502 Bad Gateway", &[], "<html>"))],
        1 => vec![Send(enveloped("500 Internal Server Error", "5000", "", "null"))],
        _ => vec![Send(pong())],
    })
    .await;
    let reader = server.reader();
    reader.ping(&now()).await.expect("the third time");
    assert_eq!(reader.log().iter().map(|e| e.status).collect::<Vec<_>>(), [Some(502), Some(500), Some(200)]);
    let link = reader.link_now();
    assert_eq!((link.last_error, link.used_last_minute), (None, 3));
    assert!(link.last_ok.is_some() && link.next_change.is_some());
}

#[tokio::test]
async fn the_link_says_what_is_wrong_until_something_is_right() {
    let server = Server::start(|number, _| match number {
        0 => vec![Send(enveloped("401 Unauthorized", "4001", "", "null"))],
        1 => vec![Send(answer("403 Forbidden", &[], ""))],
        2 => vec![Send(answer("200 OK", &[], "<html>"))],
        3 => vec![Send(answer("501 Not Implemented", &[], ""))],
        4 => vec![Send(enveloped("404 Not Found", "4040", "", "null"))],
        _ => vec![Send(pong())],
    })
    .await;
    let reader = server.reader();
    for trouble in [
        Some(LinkTrouble::KeyRefused),
        Some(LinkTrouble::AddressRefused),
        Some(LinkTrouble::NotThisService),
        Some(LinkTrouble::ServiceFailing),
        None,
    ] {
        assert!(reader.ping(&now()).await.is_err());
        assert_eq!(reader.link_now().last_error, trouble);
    }
}

#[tokio::test]
async fn a_get_is_given_up_by_its_token_and_by_being_dropped() {
    let server = Server::always(vec![Hang]).await;
    let reader = server.reader();
    let token = CancellationToken::new();
    let asking = tokio::spawn({
        let (reader, call) = (reader.clone(), Call::background().cancelled_by(token.clone()));
        async move { reader.ping(&call).await }
    });
    let dropped = tokio::spawn({
        let reader = reader.clone();
        async move { reader.ping(&Call::interactive()).await }
    });
    let mut link = reader.link();
    link.wait_for(|l| l.used_last_minute == 2).await.expect("both are under way");
    token.cancel();
    assert_eq!(asking.await.expect("no panic"), Err(ApiError::Cancelled));
    dropped.abort();
    assert!(dropped.await.expect_err("aborted").is_cancelled());
    assert_eq!(reader.log().iter().map(|e| e.outcome).collect::<Vec<_>>(), ["given up", "given up"]);
    assert_eq!(reader.link_now().used_last_minute, 2, "the service may have seen them");
    assert_eq!(reader.link_now().last_error, None);
}

#[tokio::test]
async fn the_clock_is_the_services_own() {
    let date = "Date: Sat, 21 Nov 2026 08:00:00 GMT";
    let server = Server::start(move |number, _| match number {
        0 => vec![Send(answer("200 OK", &["Date: Mon, 01 Jan 2001 00:00:00 GMT"], "<html>login</html>"))],
        _ => vec![Send(answer("200 OK", &[date, JSON], r#"{"code":"0001","message":"","data":{}}"#))],
    })
    .await;
    let writer = server.writer_with(|c| c.utc_offset = Some(jiff::tz::offset(9)));
    let reader = writer.reader();
    assert!(reader.ping(&now()).await.is_err());
    assert!(
        reader.clock().utc() > "2020-01-01T00:00:00Z".parse().expect("a time"),
        "a portal's clock is not heard"
    );
    reader.ping(&now()).await.expect("an answer");
    let clock = reader.clock();
    assert_eq!(clock.now().to_string().get(..16), Some("2026-11-21T17:00"));
    let recorded = ServiceTime::new("2026-11-21 08:00:10").expect("a time");
    assert!(reader.learn_offset(&recorded, "2026-11-21T08:00:00Z".parse().expect("a time")));
    assert_eq!(reader.clock().offset().seconds(), 0);
}

#[tokio::test]
async fn picture_addresses_are_made_absolute() {
    let reader = writer("https://h.example/api/v1/ext", |_| {}).reader().clone();
    for (raw, url) in [
        ("/img/a b.png", Some("https://h.example/img/a%20b.png")),
        ("img/a.png", Some("https://h.example/img/a.png")),
        ("https://cdn.example/a.png?x=1", Some("https://cdn.example/a.png?x=1")),
        ("//cdn.example/a.png", Some("https://cdn.example/a.png")),
        ("file:///etc/passwd", None),
        ("data:image/png;base64,AA", None),
        ("javascript:alert(1)", None),
        ("", None),
    ] {
        assert_eq!(reader.picture_url(&Text::from(raw)).as_deref(), url, "{raw}");
    }
}

#[tokio::test]
async fn a_record_comes_as_it_was_sent_but_for_the_key() {
    let body = format!(
        "\u{feff}{{\"code\":\"0001\" ,\"message\":\"ok\",\r\n\"data\":{{\"badge_id\":\"B-1\",\"n\":1.50,\"n\":2,\"echo\":\"{}\"}}}}",
        crate::server::KEY
    );
    let sent = body.clone();
    let server = Server::start(move |_, _| vec![Send(answer("200 OK", &[JSON], &sent)), Close]).await;
    let writer = writer(&server.base_url(), |_| {});
    let id = BadgeId::new("B-1").expect("an id");
    let raw = writer.reader().raw(&RawOf::Badge(id), &now()).await.expect("an answer");
    assert_eq!(raw.text.wire(), body.replace(crate::server::KEY, "[key]"));
    assert_eq!(raw.bytes, body.len());
    let log = writer.reader().log();
    assert_eq!((log[0].bytes, log[0].used), (Some(body.len() as u64), 1));
    assert_eq!(log[0].code.as_ref().map(Text::wire), Some("0001"));
    // The name of an endpoint is no id here either, and an address as an id is not kept.
    let endpoint = RawOf::Badge(BadgeId::new("history").expect("an id"));
    assert!(matches!(writer.reader().raw(&endpoint, &now()).await, Err(ApiError::BadInput { .. })));
    let address = RawOf::Badge(BadgeId::new("kim@naru.example").expect("an id"));
    writer.reader().raw(&address, &now()).await.expect("an answer");
    assert!(format!("{:?}", writer.reader().log()).contains("/badges/‹address›"));
    assert!(!format!("{:?}", writer.reader().log()).contains("naru"));
}

#[tokio::test]
async fn a_key_that_a_record_repeats_is_hidden_wherever_the_record_goes() {
    let key = crate::server::KEY;
    let escaped = format!("\\u{:04x}{}", u32::from(key.as_bytes()[0]), &key[1..]);
    let row = format!(
        r#"{{"badge_id":"B-1","title":"for {key}","front_image_url":"https://x.example/{escaped}"}}"#
    );
    let body = format!(r#"{{"code":"0001","message":"","data":{{"total_count":1,"list":[{row}]}}}}"#);
    let server = Server::always(vec![Send(answer("200 OK", &[JSON], &body))]).await;
    let writer = writer(&server.base_url(), |_| {});
    let reader = writer.reader();
    let page = reader
        .history(&HistoryQuery { filter: HistoryFilter::default(), paging: Paging::full(1) }, &now())
        .await
        .expect("a page");
    let said = format!("{page:?}");
    assert!(said.contains("for [key]") && !said.contains(key), "{said}");
    let raw = reader.raw(&RawOf::History(Text::from("kim@naru.example")), &now()).await.expect("JSON");
    assert!(raw.text.wire().contains("x.example/[key]") && !raw.text.wire().contains(&escaped), "{raw:?}");
}

#[tokio::test]
async fn the_log_keeps_of_a_query_what_is_nobodys() {
    let server = Server::start(|_, _| vec![Send(enveloped("200 OK", "0001", "", "null"))]).await;
    let writer = writer(&server.base_url(), |_| {});
    let query = WalletQuery { email: "kim@naru.example".into(), paging: Paging::full(3) };
    // Whether that is a page is not asked here.
    let _ = writer.reader().wallet(&query, &now()).await;
    assert_eq!(writer.reader().log()[0].query, "email=‹…›&page=3&rows_per_page=100");
}
