//! Every endpoint, as it is with the default switches.

use super::kit::{badge, options, people, person, revocation, small, started, template, writer};
use lapel::api::{
    ApiError, Call, CategoryFilter, Direction, HistoryFilter, HistoryQuery, Paging, Sort, TemplateFilter,
    TemplateQuery, WalletQuery,
};
use lapel::domain::{BadgeTypeCode, CategoryId, State, Text, Verdict};
use lapel::sandbox::Options;
use std::time::Duration;

#[tokio::test]
async fn reading_all_there_is() {
    let kit = started(Options { history: None, ..options() }).await;
    let (reader, call) = (&kit.reader, &kit.call);
    let ping = reader.ping(call).await.expect("ping");
    assert_eq!((ping.status, ping.apikey_prefix), (Some("ok".into()), Some("dmu_test_".into())));
    let types = reader.badge_types(call).await.expect("badge types");
    assert_eq!((types.types.len(), types.problems.len(), types.note), (5, 0, None));
    let categories = reader.categories(&CategoryFilter::default(), call).await.expect("categories");
    assert_eq!((categories.items.len(), categories.problems.len()), (9, 0));
    let unused = CategoryFilter { use_yn: Some(false), ..CategoryFilter::default() };
    assert_eq!(reader.categories(&unused, call).await.expect("categories").items.len(), 1);
    let category = reader.category(&CategoryId::new("C02").expect("an id"), call).await.expect("a category");
    assert_eq!((category.level_yn, category.levels.len()), (Some(true), 4));
    let templates = reader.templates(&TemplateQuery::default(), call).await.expect("templates");
    assert_eq!(
        (templates.items.len(), templates.total_count, templates.rows_per_page),
        (20, Some(40), Some(20))
    );
    let filter = TemplateFilter { badge_type: Some(BadgeTypeCode::Certificate), ..TemplateFilter::default() };
    let certificates = reader.templates(&TemplateQuery { filter, paging: Paging::default() }, call).await;
    assert_eq!(certificates.expect("templates").total_count, Some(10));
    let detail = reader.template(&template("TPL-004"), call).await.expect("a template");
    assert_eq!(detail.badge_type, Some(BadgeTypeCode::Competency));
    assert!(detail.validity_value == Some(24) && !detail.skills_tag.is_empty());
}

#[tokio::test]
async fn paging_through_the_whole_history_sees_every_row_once() {
    let kit = small().await;
    let mut ids = Vec::new();
    for page in 1.. {
        let paging = Paging { page, rows_per_page: 37, sort: vec![Sort::new("reg_date", Direction::Asc)] };
        let query = HistoryQuery { paging, ..HistoryQuery::default() };
        let page = kit.reader.history(&query, &kit.call).await.expect("a page");
        assert_eq!((page.total_count, page.problems.len()), (Some(300), 0));
        if page.list_len == 0 {
            break;
        }
        let days: Vec<_> = page.items.iter().filter_map(|(_, h)| h.reg_date.as_ref()?.start()).collect();
        assert!(days.is_sorted() && days.len() == page.items.len());
        ids.extend(page.items.into_iter().map(|(_, row)| row.badge_id));
    }
    assert_eq!(ids.len(), 300);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 300);
}

#[tokio::test]
async fn a_life_of_a_badge() {
    let kit = small().await;
    let (reader, writer, call) = (&kit.reader, &kit.writer, &kit.call);
    kit.set("issue-time", "5m");
    let email = "kim+tag@예시.example";
    let accepted = writer.issue(&person("TPL-001", email), call).await.expect("accepted");
    assert_eq!(accepted.status_cd, Some("ISSUE_WAIT".into()));
    assert_eq!(kit.ledger().accepted_for("TPL-001", email), 1);
    let filter = HistoryFilter { recipient_email: Some(email.into()), ..HistoryFilter::default() };
    let query = HistoryQuery { filter, ..HistoryQuery::default() };
    let row = |page: lapel::domain::Page<lapel::domain::HistoryItem>| page.items[0].1.clone();
    let waiting = row(reader.history(&query, call).await.expect("a page"));
    assert_eq!(
        (&waiting.badge_id, waiting.template_id.clone()),
        (&accepted.badge_id, Some(template("TPL-001")))
    );
    let now = reader.clock().now();
    assert_eq!(Verdict::of(&waiting, now).state(), State::Waiting);
    // Waiting badges are dropped from a revocation without a word.
    let dropped = writer.revoke(&revocation(&[&accepted.badge_id]), call).await.expect("accepted");
    assert_eq!((dropped.total_count, dropped.accepted_count), (Some(1), Some(0)));
    kit.sandbox.control().advance(Duration::from_secs(301));
    let issued = reader.badge(&accepted.badge_id, call).await.expect("a badge");
    assert_eq!(issued.recipient_email.as_ref().map(Text::wire), Some(email));
    let wallet = WalletQuery { email: email.into(), ..WalletQuery::default() };
    let wallet = reader.wallet(&wallet, call).await.expect("a page");
    assert_eq!(wallet.items[0].1.badge_id, accepted.badge_id);
    let url = wallet.items[0]
        .1
        .front_image_url
        .as_ref()
        .and_then(|url| reader.picture_url(url))
        .expect("a picture");
    assert!(url.starts_with(&reader.origin()), "{url}");
    let revoked = writer.revoke(&revocation(&[&accepted.badge_id]), call).await.expect("accepted");
    assert_eq!(revoked.accepted_count, Some(1));
    let revoked = reader.badge(&accepted.badge_id, call).await.expect("a badge");
    assert_eq!(revoked.revoke_reason.as_ref().map(Text::wire), Some("중복 발급"));
    assert!(revoked.revoke_at.is_some());
    assert_eq!(kit.ledger().revokes_accepted(), 1);
}

#[tokio::test]
async fn a_batch_of_a_thousand_binds_every_recipient() {
    let kit = small().await;
    let emails: Vec<String> = (0..1000).map(|i| format!("n{i}+x@bulk.example")).collect();
    let emails: Vec<&str> = emails.iter().map(String::as_str).collect();
    let batch = kit.writer.issue_batch(&people("TPL-002", &emails), &kit.call).await.expect("accepted");
    assert_eq!((batch.total_count, batch.accepted_count, batch.items.len()), (Some(1000), Some(1000), 1000));
    assert!(batch.problems.is_empty());
    let bound: Vec<_> = batch.items.iter().filter_map(|i| Some(i.recipient_email.as_ref()?.wire())).collect();
    assert_eq!(bound, emails);
    assert_eq!(kit.ledger().accepted_total(), 1000);
}

#[tokio::test]
async fn each_refusal_has_its_own_kind_of_error() {
    let kit = small().await;
    let (reader, call) = (&kit.reader, &kit.call);
    assert!(matches!(reader.badge(&badge("no/such?id"), call).await, Err(ApiError::NotFound(_))));
    assert!(matches!(reader.template(&template("../ping"), call).await, Err(ApiError::NotFound(_))));
    let too_many = Paging { rows_per_page: 101, ..Paging::default() };
    let refused = reader.history(&HistoryQuery { paging: too_many, ..HistoryQuery::default() }, call).await;
    assert!(matches!(refused, Err(ApiError::BadRequest(_))), "{refused:?}");
    let refused = kit.writer.issue(&person("TPL-999", "a@x.example"), call).await;
    assert!(matches!(refused, Err(ApiError::NotFound(_))), "{refused:?}");
    let stranger = writer(&kit.sandbox, "not_a_key_of_anybody", |_| {});
    let refused = stranger.reader().ping(call).await;
    assert!(matches!(refused, Err(ApiError::KeyRefused(_))), "{refused:?}");
    kit.sandbox.control().set_quota(Some(0));
    let Err(ApiError::Quota(refusal)) = kit.writer.issue(&person("TPL-001", "a@x.example"), call).await
    else {
        panic!("the quota is used up")
    };
    let message = refusal.message.expect("a message");
    assert_eq!(message.text().wire(), "발급 가능 수량을 초과했습니다. (issue quota exceeded)");
    assert_eq!(kit.ledger().accepted_total(), 0);
}

#[tokio::test]
async fn the_service_never_sees_more_than_the_limit() {
    let kit = started(Options { rate_limit: 20, ..options() }).await;
    let writer = writer(&kit.sandbox, kit.sandbox.api_key(), |c| c.rate_limit = 20);
    let reader = writer.reader();
    let tasks: Vec<_> = (0..60)
        .map(|i| {
            let reader = reader.clone();
            let call = if i % 3 == 0 { Call::background() } else { Call::interactive() };
            tokio::spawn(async move { reader.ping(&call).await })
        })
        .collect();
    let mut link = reader.link();
    link.wait_for(|l| l.used_last_minute == 20 && l.waiting == 40 && l.last_ok.is_some())
        .await
        .expect("a link");
    let ledger = || kit.ledger();
    while reader.log().len() < 20 {
        tokio::task::yield_now().await;
    }
    assert_eq!((ledger().requests_to("GET /ping"), ledger().violations.rate_limited), (20, 0));
    for task in tasks {
        task.abort();
    }
}

#[tokio::test]
async fn somebody_else_on_the_same_key_makes_us_wait_and_no_more() {
    let kit = started(Options { rate_limit: 3, ..options() }).await;
    kit.set("retry-after", "zero");
    for _ in 0..3 {
        kit.reader.ping(&kit.call).await.expect("an answer");
    }
    let error = kit.writer.issue(&person("TPL-001", "a@x.example"), &kit.call).await.expect_err("limited");
    assert!(matches!(error, ApiError::RateLimited { .. }), "{error:?}");
    assert_eq!(kit.ledger().accepted_total(), 0);
}
