//! What the client makes of the answers, where a switch changes more than whether there is one.

use super::kit::{Kit, badge, options, people, person, small, started, template, with, word, writer};
use crate::texts::msg_part;
use lapel::api::{
    ApiError, Call, Direction, HistoryQuery, LinkTrouble, Paging, Sort, TemplateQuery, WalletQuery,
};
use lapel::domain::{ServiceTime, Text};
use lapel::sandbox::Options;

async fn a_row(kit: &Kit) -> lapel::domain::HistoryItem {
    let paging = Paging { page: 1, rows_per_page: 100, sort: vec![Sort::new("reg_date", Direction::Asc)] };
    let page = kit.reader.history(&HistoryQuery { paging, ..HistoryQuery::default() }, &kit.call).await;
    let rows = page.expect("a page").items;
    rows.into_iter().map(|(_, row)| row).find(|row| row.issued_at.is_some()).expect("an issued badge")
}

#[tokio::test]
async fn a_wrong_key_is_known_under_every_status() {
    let kit = small().await;
    let stranger = writer(&kit.sandbox, "nobodys_key_0123456789", |_| {});
    for status in ["401", "403"] {
        kit.set("bad-key-ping", status);
        assert_eq!(word(&stranger.reader().ping(&kit.call).await), "key refused", "{status}");
    }
    for status in ["401", "403", "400", "200"] {
        kit.set("bad-key-other", status);
        let read = stranger.reader().templates(&TemplateQuery::default(), &kit.call).await;
        assert_eq!(word(&read), "key refused", "{status}");
        let issued = stranger.issue(&person("TPL-001", "a@x.example"), &kit.call).await;
        // A POST that answers 200 and refuses says yes and no in one.
        assert_eq!(word(&issued), if status == "200" { "in doubt" } else { "key refused" }, "{status}");
    }
    let seen = kit.ledger();
    assert_eq!(seen.accepted_total(), 0);
    assert_eq!(seen.requests_to("POST /badges"), 4, "no POST was repeated");
}

#[tokio::test]
async fn an_address_that_is_not_allowed_is_said_in_every_form() {
    let kit = with(&[("allow", "127.0.0.9")]).await;
    for (form, get, post) in [
        ("envelope403", "address refused", "address refused"),
        ("html403", "address refused", "address refused"),
        ("reset", "no answer", "in doubt"),
    ] {
        kit.set("blocked-answer", form);
        assert_eq!(word(&kit.reader.ping(&kit.call).await), get, "{form}");
        let issued = kit.writer.issue(&person("TPL-001", "a@x.example"), &kit.call).await;
        assert_eq!(word(&issued), post, "{form}");
    }
    kit.set("blocked-answer", "html403");
    assert!(kit.reader.ping(&kit.call).await.is_err());
    assert_eq!(kit.reader.link_now().last_error, Some(LinkTrouble::AddressRefused));
    kit.set("allow", "any");
    kit.reader.ping(&kit.call).await.expect("allowed again");
    assert_eq!(kit.reader.link_now().last_error, None);
    assert_eq!(kit.ledger().requests_to("POST /badges"), 3);
}

#[tokio::test]
async fn the_zone_of_the_service_is_learned_from_a_fresh_record() {
    for (zone, seconds) in [("+09:00", 9 * 3600), ("-03:30", -3 * 3600 - 1800), ("Z", 0)] {
        let kit = with(&[("zone", zone)]).await;
        kit.reader.ping(&kit.call).await.expect("an answer");
        let happened = kit.reader.clock().utc();
        let accepted =
            kit.writer.issue(&person("TPL-001", "fresh@x.example"), &kit.call).await.expect("accepted");
        let badge = kit.reader.badge(&accepted.badge_id, &kit.call).await.expect("a badge");
        let page = kit.reader.history(&HistoryQuery::default(), &kit.call).await.expect("a page");
        let fresh =
            page.items.iter().find(|(_, row)| row.badge_id == badge.badge_id).expect("in the history");
        let recorded: &ServiceTime = fresh.1.reg_date.as_ref().expect("a time");
        assert!(kit.reader.learn_offset(recorded, happened), "{zone}: {recorded}");
        assert_eq!(kit.reader.clock().offset().seconds(), seconds, "{zone}");
    }
}

#[tokio::test]
async fn the_clock_follows_the_date_header_where_it_is_one() {
    let kit = small().await;
    let near = |a: jiff::Timestamp, b: jiff::Timestamp| (a.as_second() - b.as_second()).abs() < 60;
    let virtual_now: jiff::Timestamp = "2026-03-11T01:30:00Z".parse().expect("a time");
    kit.reader.ping(&kit.call).await.expect("an answer");
    assert!(near(kit.reader.clock().utc(), virtual_now));
    kit.set("date-header", "nonsense");
    kit.reader.ping(&kit.call).await.expect("an answer");
    assert!(near(kit.reader.clock().utc(), virtual_now), "nonsense changes nothing");
    kit.set("date-header", "real");
    kit.reader.ping(&kit.call).await.expect("an answer");
    assert!(near(kit.reader.clock().utc(), jiff::Timestamp::now()));
}

#[tokio::test]
async fn values_come_out_the_same_in_every_form() {
    let kit = small().await;
    let row = a_row(&kit).await;
    let query = TemplateQuery::default();
    let (reader, call) = (&kit.reader, &kit.call);
    let usual = reader.templates(&query, call).await.expect("a page");
    let detail = reader.template(&template("TPL-004"), call).await.expect("a template");
    let one = reader.badge(&row.badge_id, call).await.expect("a badge");
    for (name, values) in [
        ("numbers", &["string"][..]),
        ("yes-no", &["lower", "bool"]),
        ("nulls", &["absent", "empty"]),
        ("extra-fields", &["some"]),
        ("code-form", &["number", "unknown"]),
        ("template-skills", &["comma"]),
        ("badge-skills", &["array"]),
        ("envelope", &["no-code", "no-message"]),
        ("no-revoke-detail", &["null"]),
    ] {
        for value in values {
            kit.set(name, value);
            assert_eq!(reader.templates(&query, call).await.as_ref(), Ok(&usual), "{name}={value}");
            assert_eq!(
                reader.template(&template("TPL-004"), call).await.as_ref(),
                Ok(&detail),
                "{name}={value}"
            );
            assert_eq!(reader.badge(&row.badge_id, call).await.as_ref(), Ok(&one), "{name}={value}");
        }
        let default = lapel::sandbox::GAPS.iter().find(|gap| gap.name == name).expect("a switch").default;
        kit.set(name, default);
    }
    kit.set("yes-no", "null");
    let page = reader.templates(&query, call).await.expect("a page");
    assert!(page.items.iter().all(|(_, template)| template.use_yn.is_none()));
}

#[tokio::test]
async fn totals_that_lie_are_passed_on_as_they_are() {
    let kit = small().await;
    for (value, total) in [("right", Some(300)), ("missing", None), ("null", None), ("negative", None)] {
        kit.set("total-count", value);
        let page = kit.reader.history(&HistoryQuery::default(), &kit.call).await.expect("a page");
        assert_eq!((page.total_count, page.list_len, page.items.len()), (total, 20, 20), "{value}");
    }
    kit.set("total-count", "short");
    let page = kit.reader.history(&HistoryQuery::default(), &kit.call).await.expect("a page");
    assert!(page.total_count.is_some_and(|total| total < 20) && page.items.len() == 20);
    kit.set("total-count", "right");
    kit.set("max-rows", "7");
    let paging = Paging { rows_per_page: 50, ..Paging::default() };
    let page = kit.reader.history(&HistoryQuery { paging, ..HistoryQuery::default() }, &kit.call).await;
    assert_eq!(page.expect("a page").list_len, 7);
}

#[tokio::test]
async fn pictures_are_found_in_every_form_and_without_the_key() {
    let kit = small().await;
    let row = a_row(&kit).await;
    let connection = lapel::api::Connection::new(
        kit.sandbox.base_url(),
        lapel::api::ApiKey::new(kit.sandbox.api_key()).expect("a key"),
    );
    let pictures = lapel::api::PictureClient::new(&connection.expect("a URL")).expect("a client");
    let email = row.recipient_email.as_ref().map_or("", Text::wire);
    let wallet = WalletQuery { email: email.into(), ..WalletQuery::default() };
    for form in ["contract", "relative", "absolute"] {
        kit.set("image-urls", form);
        let badge = kit.reader.badge(&row.badge_id, &kit.call).await.expect("a badge");
        let held = kit.reader.wallet(&wallet, &kit.call).await.expect("a page");
        for raw in [&badge.front_image_url, &badge.back_image_url, &held.items[0].1.front_image_url] {
            let url = kit.reader.picture_url(raw.as_ref().expect("an address")).expect("http");
            let picture = pictures.fetch(&url, &kit.call.cancel).await.expect("a picture");
            assert!(
                !picture.bytes.is_empty() && picture.content_type.is_some_and(|t| t.starts_with("image/"))
            );
        }
    }
    for form in ["foreign", "null"] {
        kit.set("image-urls", form);
        let badge = kit.reader.badge(&row.badge_id, &kit.call).await.expect("a badge");
        let url = badge.front_image_url.and_then(|raw| kit.reader.picture_url(&raw));
        assert_eq!(url.is_some(), form == "foreign");
    }
    let violations = kit.ledger().violations;
    assert_eq!((violations.key_in_url, violations.key_outside_api), (0, 0));
}

#[tokio::test]
async fn a_quota_that_cuts_is_told_in_each_of_its_ways() {
    for (value, outcome, accepted) in
        [("nothing", "quota", 0), ("partial-422", "quota", 2), ("partial-202", "ok", 2)]
    {
        let kit = started(Options { quota: Some(2), ..options() }).await;
        kit.set("over-quota", value);
        let emails = ["a@x.example", "b@x.example", "c@x.example"];
        let batch = kit.writer.issue_batch(&people("TPL-001", &emails), &kit.call).await;
        assert_eq!(word(&batch), outcome, "{value}: {batch:?}");
        assert_eq!(kit.ledger().accepted_total(), accepted, "{value}");
        match batch {
            Ok(batch) => assert_eq!((batch.total_count, batch.accepted_count), (Some(3), Some(2))),
            Err(error) => {
                assert!(
                    error.to_string().contains(msg_part("only after a check has shown that none was issued")),
                    "{error}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_429_holds_in_every_form_of_retry_after() {
    for (form, least, most) in [
        ("seconds", 1, 61),
        ("http-date", 0, 400 * 86_400),
        ("hour", 3590, 3600),
        ("none", 3, 5),
        ("nonsense", 3, 5),
    ] {
        let kit = started(Options { rate_limit: 1, ..options() }).await;
        kit.set("retry-after", form);
        kit.reader.ping(&kit.call).await.expect("the first");
        let asking = tokio::spawn({
            let reader = kit.reader.clone();
            async move { reader.ping(&Call::interactive()).await }
        });
        let mut link = kit.reader.link();
        let held =
            link.wait_for(|l| l.held_until.is_some() && l.waiting == 1).await.expect("held").held_until;
        let left = held.expect("held").saturating_duration_since(tokio::time::Instant::now()).as_secs();
        assert!((least..=most).contains(&left), "{form}: {left}");
        asking.abort();
        let call = Call::interactive();
        call.cancel.cancel();
        assert_eq!(kit.reader.badge(&badge("x"), &call).await, Err(ApiError::Cancelled));
        assert_eq!(kit.ledger().violations.rate_limited, 1, "{form}");
    }
}
