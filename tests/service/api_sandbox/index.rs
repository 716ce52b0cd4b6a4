//! The local index against the sandbox: what it reads, what it costs, and that it says what the service says.

use super::kit::{Kit, badge, options, revocation, small, started, template, with, writer};
use lapel::api::{HistoryQuery, Paging, Reader, read_at_most};
use lapel::domain::{HistoryItem, ServiceTime, State, Verdict};
use lapel::index::{
    Index, IndexAccount, IndexConfig, IndexError, IndexQuery, IndexedList, Period, SyncProgress, SyncScope,
    file_of,
};
use lapel::sandbox::{Options, RowSpec, RowState, Rows, Sandbox};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Nothing is too old.
const FOR_EVER: IndexConfig = IndexConfig { max_age_days: 36_500, refresh_minutes: 15 };
/// No condition of a test takes longer than this, however slow the machine.
const BOUND: Duration = Duration::from_secs(60);

fn account(sandbox: &Sandbox, key: &str) -> IndexAccount {
    let key = lapel::api::ApiKey::new(key).expect("a key");
    IndexAccount::of(&lapel::api::Connection::new(sandbox.base_url(), key).expect("a base URL"))
}

fn in_memory(kit: &Kit) -> Index {
    Index::in_memory(&account(&kit.sandbox, kit.sandbox.api_key()), FOR_EVER).expect("an index")
}

fn in_file(kit: &Kit, data: &Path) -> Index {
    Index::open(data, &account(&kit.sandbox, kit.sandbox.api_key()), FOR_EVER).expect("an index")
}

async fn read(index: &Index, kit: &Kit, want: SyncScope) -> lapel::index::Synced {
    let (told, _) = watch::channel(SyncProgress::default());
    index.sync(&kit.reader, want, &told, CancellationToken::new()).await.expect("read")
}

/// Reads until so many badges are gone over, and breaks off.
async fn break_off(index: &Index, kit: &Kit, after: u64) {
    let (told, mut progress) = watch::channel(SyncProgress::default());
    let cancel = CancellationToken::new();
    let reading = index.sync(&kit.reader, SyncScope::New, &told, cancel.clone());
    tokio::pin!(reading);
    let broken = tokio::time::timeout(BOUND, async {
        loop {
            tokio::select! {
                done = &mut reading => return done,
                _ = progress.changed() => {
                    if progress.borrow_and_update().done >= after {
                        cancel.cancel();
                    }
                }
            }
        }
    });
    let error = broken.await.expect("in time").expect_err("broken off");
    assert!(error.is_cancelled(), "{error}");
}

fn asked(kit: &Kit) -> u64 {
    kit.ledger().requests_to("GET /badges/history")
}

/// Everything that the service has, by id.
async fn truth(reader: &Reader) -> BTreeMap<String, HistoryItem> {
    let all = read_at_most(
        10_000,
        |row: &HistoryItem| row.badge_id.clone(),
        |page| {
            let query = HistoryQuery { paging: page.paging(), ..HistoryQuery::default() };
            async move { reader.history(&query, &lapel::api::Call::interactive()).await }
        },
    );
    let all = all.await.expect("read");
    all.items.into_iter().map(|row| (row.badge_id.wire().to_owned(), row)).collect()
}

/// Everything that the index has, by id, with a state each.
async fn kept(index: &Index) -> BTreeMap<String, HistoryItem> {
    let mut all = BTreeMap::new();
    for page in 1.. {
        let query = IndexQuery { which: IndexedList::All, page, per_page: 1000 };
        let rows = index.list(query).await.expect("a page");
        if rows.items.is_empty() {
            break;
        }
        all.extend(rows.items.into_iter().map(|(_, row)| (row.badge_id.wire().to_owned(), row)));
    }
    all
}

/// Says that the index has what the service has.
#[track_caller]
fn same(kept: &BTreeMap<String, HistoryItem>, truth: &BTreeMap<String, HistoryItem>) {
    let ids = |all: &BTreeMap<String, HistoryItem>| all.keys().cloned().collect::<Vec<_>>();
    assert_eq!(ids(kept), ids(truth));
    for (id, row) in truth {
        let one = &kept[id];
        assert_eq!(
            (&one.status_name, &one.email_status, &one.revoke_at, &one.recipient_email, &one.valid_until),
            (&row.status_name, &row.email_status, &row.revoke_at, &row.recipient_email, &row.valid_until),
            "{id}"
        );
    }
}

fn insert(kit: &Kit, n: usize, minutes_ago: i64, state: RowState) -> Vec<String> {
    let spec = RowSpec { minutes_ago, state, ..RowSpec::default() };
    kit.sandbox.control().rows(&Rows { insert: vec![spec; n], ..Rows::default() }).expect("inserted")
}

#[tokio::test]
async fn the_sums_are_those_of_the_service() {
    let kit = started(Options { history: None, rate_limit: 100_000, ..options() }).await;
    let writer = writer(&kit.sandbox, kit.sandbox.api_key(), |c| c.rate_limit = 100_000);
    let kit = Kit { reader: writer.reader().clone(), writer, ..kit };
    let index = in_memory(&kit);
    let synced = read(&index, &kit, SyncScope::New).await;
    assert!(synced.full && synced.complete, "{synced:?}");
    assert_eq!(synced.new, 4300);
    // 43 pages, and one look at the top for what came in meanwhile.
    assert_eq!((synced.requests, asked(&kit)), (44, 44));
    let now = kit.reader.clock().now();
    let truth = truth(&kit.reader).await;
    let state = |wanted: fn(&Verdict) -> bool| {
        truth.values().filter(|row| wanted(&Verdict::of(*row, now))).count() as u64
    };
    for period in [Period::Day, Period::Week, Period::Month] {
        let sums = index.sums(now, kit.reader.clock().offset(), period).await.expect("counted");
        assert_eq!(sums.valid, state(|v| v.state() == State::Issued));
        assert_eq!(sums.expired, state(|v| v.state() == State::Expired));
        assert_eq!(sums.other, state(|v| matches!(v.state(), State::Other(_))));
        assert_eq!(sums.revoked.total(), state(|v| v.state() == State::Revoked));
        assert_eq!(sums.waiting.revoking, state(|v| v.state() == State::Revoking));
        let overdue = sums.waiting.by_age[3].1 + sums.waiting.by_age[4].1;
        assert_eq!(overdue, state(|v| matches!(v, Verdict::Overdue { .. })));
        let waiting: u64 = sums.waiting.by_age.iter().map(|(_, n)| n).sum();
        assert_eq!(waiting + sums.waiting.unknown, state(|v| v.state() == State::Waiting));
        assert!(overdue > 0 && waiting > overdue && sums.waiting.revoking > 0);
        assert_eq!(sums.templates.iter().map(|t| t.all).sum::<u64>(), 4300);
        assert_eq!(sums.templates.iter().map(|t| t.templates).sum::<u64>(), 40);
        let issued: u64 = sums.valid + sums.expired + sums.revoked.total() + sums.waiting.revoking;
        let said_otherwise = truth
            .values()
            .filter(|row| matches!(Verdict::of(*row, jiff::civil::DateTime::MIN).state(), State::Other(_)));
        let expired_others =
            said_otherwise.filter(|row| Verdict::of(*row, now).state() == State::Expired).count() as u64;
        assert_eq!(sums.issued.total(), issued - expired_others);
        // Each number has that many rows behind it.
        for (which, n) in sums.ending.iter().chain(&sums.waiting.by_age) {
            let page = index
                .list(IndexQuery { which: which.clone(), page: 1, per_page: 1000 })
                .await
                .expect("a page");
            assert_eq!((page.total_count, page.items.len() as u64), (Some(*n), *n));
        }
    }
    same(&kept(&index).await, &truth);
    let mails = index.mails().await.expect("read");
    let failed = mails.mails.iter().filter(|(email, _)| email.ends_with("@strictgate.example")).count();
    assert_eq!(failed, 45, "{mails:?}");
}

#[tokio::test]
async fn rows_that_come_in_while_it_is_read_are_neither_lost_nor_doubled() {
    let kit = started(Options { history: Some(1000), ..options() }).await;
    let index = in_memory(&kit);
    break_off(&index, &kit, 300).await;
    // They push what was read onto the next pages once more.
    insert(&kit, 7, 0, RowState::Issued);
    let synced = read(&index, &kit, SyncScope::New).await;
    assert!(synced.full && synced.complete, "{synced:?}");
    same(&kept(&index).await, &truth(&kit.reader).await);
}

#[tokio::test]
async fn a_gap_made_by_rows_that_went_is_seen_and_read_again() {
    let kit = started(Options { history: Some(1000), ..options() }).await;
    let index = in_memory(&kit);
    break_off(&index, &kit, 300).await;
    // Rows of the next page move up onto one that was read, and as many come in as went: the count
    // does not show it.
    kit.sandbox.control().rows(&Rows { delete_newest: 7, ..Rows::default() }).expect("removed");
    insert(&kit, 7, 0, RowState::Issued);
    let before = asked(&kit);
    let synced = read(&index, &kit, SyncScope::New).await;
    assert!(synced.complete, "{synced:?}");
    assert!(asked(&kit) - before > 10, "all of it was read again");
    same(&kept(&index).await, &truth(&kit.reader).await);
}

#[tokio::test]
async fn after_a_crash_it_goes_on_where_it_was() {
    let data = tempfile::tempdir().expect("a folder");
    let kit = started(Options { history: Some(1000), ..options() }).await;
    let index = in_file(&kit, data.path());
    break_off(&index, &kit, 400).await;
    let before = asked(&kit);
    drop(index);
    let index = in_file(&kit, data.path());
    let status = index.status().await.expect("a status");
    assert!(status.badges >= 400 && status.scanning.is_some(), "{status:?}");
    let synced = read(&index, &kit, SyncScope::New).await;
    assert!(synced.complete);
    // At most the pages that were left, the one that was broken off, and the look at the top.
    assert!(asked(&kit) - before <= 8, "{} requests", asked(&kit) - before);
    same(&kept(&index).await, &truth(&kit.reader).await);
    drop(index);
    // Whole, it is not read again: one look at what is new.
    let index = in_file(&kit, data.path());
    let before = asked(&kit);
    let synced = read(&index, &kit, SyncScope::New).await;
    assert!(!synced.full && synced.complete && synced.new == 0, "{synced:?}");
    // With up to 20 pages of badges that wait, and one of badges that were revoked.
    assert!(asked(&kit) - before <= 22);
}

#[tokio::test]
async fn what_is_new_and_what_waits_is_read_often_and_the_rest_once_a_day() {
    let kit = small().await;
    let old = insert(&kit, 1, 60 * 24 * 300, RowState::Issued).remove(0);
    // So that no page of badges that wait has it.
    insert(&kit, 150, 60 * 24 * 290, RowState::Issued);
    let waits = insert(&kit, 1, 60 * 24 * 250, RowState::Waiting).remove(0);
    let index = in_memory(&kit);
    assert!(read(&index, &kit, SyncScope::New).await.complete);
    let new = insert(&kit, 150, 0, RowState::Issued);
    kit.writer.revoke(&revocation(&[&badge(&old)]), &kit.call).await.expect("accepted");
    kit.sandbox.control().advance(Duration::from_secs(3600));
    // The clock is heard with the next answer.
    kit.reader.ping(&kit.call).await.expect("an answer");
    let synced = read(&index, &kit, SyncScope::New).await;
    assert!(!synced.full && synced.complete, "{synced:?}");
    assert_eq!(synced.new, new.len() as u64);
    let state = |all: &BTreeMap<String, HistoryItem>, id: &str| {
        Verdict::of(&all[id], kit.reader.clock().now()).state()
    };
    let now = kept(&index).await;
    assert_eq!(state(&now, &waits), State::Issued, "what waited is looked at again, however old it is");
    assert_eq!(state(&now, &old), State::Revoked, "what was revoked is found on any page");
    kit.sandbox.control().advance(Duration::from_secs(25 * 3600));
    kit.reader.ping(&kit.call).await.expect("an answer");
    assert!(read(&index, &kit, SyncScope::New).await.full, "a day later all of it is read");
    assert_eq!(state(&kept(&index).await, &old), State::Revoked);
    same(&kept(&index).await, &truth(&kit.reader).await);
}

/// The list of revoked badges costs one request, with any contents.
#[tokio::test]
async fn a_service_that_cannot_list_revoked_badges_is_read_as_before() {
    let kit = small().await;
    let old = insert(&kit, 1, 60 * 24 * 300, RowState::Issued).remove(0);
    // So that no page of badges that wait has it.
    insert(&kit, 150, 60 * 24 * 290, RowState::Issued);
    let index = in_memory(&kit);
    read(&index, &kit, SyncScope::New).await;
    let quiet = read(&index, &kit, SyncScope::New).await.requests;
    kit.writer.revoke(&revocation(&[&badge(&old)]), &kit.call).await.expect("accepted");
    let is_revoked = |all: &BTreeMap<String, HistoryItem>| {
        Verdict::of(&all[&old], kit.reader.clock().now()).state() != State::Issued
    };
    // It is in the list next time, because the failed reading does not count.
    kit.fault("get /badges/history match=revoke_start_date status=500");
    let synced = read(&index, &kit, SyncScope::New).await;
    assert!(!synced.full && synced.complete, "{synced:?}");
    assert!(!is_revoked(&kept(&index).await));
    kit.sandbox.control().clear_faults();
    assert_eq!(read(&index, &kit, SyncScope::New).await.requests, quiet);
    assert!(is_revoked(&kept(&index).await));
    kit.fault("get /badges/history match=revoke_start_date status=400");
    let asked = read(&index, &kit, SyncScope::New).await;
    for _ in 0..2 {
        let synced = read(&index, &kit, SyncScope::New).await;
        assert!(synced.complete && synced.requests == asked.requests - 1, "asked once: {asked:?} {synced:?}");
    }
}

#[tokio::test]
async fn a_badge_that_is_gone_from_the_history_goes_from_the_index() {
    let kit = small().await;
    let ids = insert(&kit, 3, 60 * 24 * 30, RowState::Issued);
    let index = in_memory(&kit);
    read(&index, &kit, SyncScope::New).await;
    kit.sandbox.control().rows(&Rows { delete: vec![ids[1].clone()], ..Rows::default() }).expect("removed");
    // The count does not add up; it was read less than an hour ago, so that is only noted.
    let synced = read(&index, &kit, SyncScope::New).await;
    assert!(!synced.full && !synced.complete, "{synced:?}");
    assert!(read(&index, &kit, SyncScope::All).await.complete);
    same(&kept(&index).await, &truth(&kit.reader).await);
}

#[tokio::test]
async fn whatever_the_service_does_with_lists_everything_is_found() {
    for switches in [
        &[("sorting", "refused")][..],
        &[("sorting", "ignored")],
        &[("sorting", "ignored"), ("default-order", "oldest")],
        &[("sorting", "refused"), ("default-order", "oldest")],
        &[("total-count", "missing")],
        &[("total-count", "null")],
        &[("total-count", "huge")],
        &[("total-count", "short")],
        &[("total-count", "negative")],
        &[("max-rows", "37")],
    ] {
        let kit = with(switches).await;
        let index = in_memory(&kit);
        let synced = read(&index, &kit, SyncScope::New).await;
        same(&kept(&index).await, &truth_in_any_order(&kit.reader).await);
        let believed = !matches!(switches[0], ("total-count", "huge" | "short"));
        assert_eq!(synced.complete, believed, "{switches:?}: {synced:?}");
        insert(&kit, 2, 0, RowState::Issued);
        kit.sandbox.control().advance(Duration::from_secs(2 * 3600));
        kit.reader.ping(&kit.call).await.expect("an answer");
        read(&index, &kit, SyncScope::New).await;
        assert_eq!(kept(&index).await.len(), 302, "{switches:?}: what is new is found");
    }
}

#[tokio::test]
async fn a_service_that_takes_the_direction_in_small_letters_only_sorts_too() {
    let mut requests = Vec::new();
    for word in ["any", "lower"] {
        let kit = with(&[("sort-type", word), ("unknown-sort", "400"), ("default-order", "oldest")]).await;
        let index = in_memory(&kit);
        read(&index, &kit, SyncScope::New).await;
        insert(&kit, 1, 0, RowState::Issued);
        let synced = read(&index, &kit, SyncScope::New).await;
        assert_eq!((synced.new, synced.full), (1, false), "{word}: {synced:?}");
        requests.push(synced.requests);
    }
    assert_eq!(requests[1], requests[0] + 1, "the one that was refused: {requests:?}");
}

/// The same where counts lie: until a page is empty.
async fn truth_in_any_order(reader: &Reader) -> BTreeMap<String, HistoryItem> {
    let mut all = BTreeMap::new();
    for page in 1.. {
        let query = HistoryQuery { paging: Paging::full(page), ..HistoryQuery::default() };
        let rows = reader.history(&query, &lapel::api::Call::interactive()).await.expect("a page");
        if rows.list_len == 0 {
            return all;
        }
        all.extend(rows.items.into_iter().map(|(_, row)| (row.badge_id.wire().to_owned(), row)));
    }
    all
}

#[tokio::test]
async fn reading_the_index_takes_only_the_background_share_and_can_be_stopped() {
    let kit = started(Options { history: Some(3000), rate_limit: 40, ..options() }).await;
    let writer = writer(&kit.sandbox, kit.sandbox.api_key(), |c| c.rate_limit = 40);
    let kit = Kit { reader: writer.reader().clone(), writer, ..kit };
    let index = in_memory(&kit);
    let cancel = CancellationToken::new();
    let (told, _) = watch::channel(SyncProgress::default());
    let (reading, reader, cancelled) = (index.clone(), kit.reader.clone(), cancel.clone());
    let task = tokio::spawn(async move { reading.sync(&reader, SyncScope::New, &told, cancelled).await });
    let mut link = kit.reader.link();
    tokio::time::timeout(BOUND, link.wait_for(|l| l.waiting == 1)).await.expect("in time").expect("a link");
    assert_eq!(asked(&kit), 10, "a quarter of forty");
    // A person's request still continues.
    kit.reader.ping(&kit.call).await.expect("an answer");
    let busy = index
        .sync(&kit.reader, SyncScope::New, &watch::channel(SyncProgress::default()).0, cancel.clone())
        .await;
    assert!(matches!(busy, Err(IndexError::Busy { .. })), "{busy:?}");
    cancel.cancel();
    assert!(task.await.expect("no panic").expect_err("stopped").is_cancelled());
    assert_eq!(kept(&index).await.len(), 1000, "what was read is kept");
}

#[tokio::test]
async fn two_keys_never_share_an_index_and_a_refused_key_loses_nothing() {
    let data = tempfile::tempdir().expect("a folder");
    let kit = small().await;
    let index = in_file(&kit, data.path());
    read(&index, &kit, SyncScope::New).await;
    let other = kit.sandbox.keys()[0].clone();
    let theirs = account(&kit.sandbox, &other.key);
    let ours = account(&kit.sandbox, kit.sandbox.api_key());
    assert_ne!(file_of(data.path(), &theirs), file_of(data.path(), &ours));
    let second = Index::open(data.path(), &theirs, FOR_EVER).expect("an index");
    assert_eq!(second.status().await.expect("a status").badges, 0);
    for fault in ["get /badges/history status=401 code=4001", "get /badges/history status=500"] {
        kit.fault(fault);
        let (told, _) = watch::channel(SyncProgress::default());
        let refused = index.sync(&kit.reader, SyncScope::All, &told, CancellationToken::new()).await;
        assert!(matches!(refused, Err(IndexError::Service(_))), "{refused:?}");
        assert_eq!(kept(&index).await.len(), 300);
    }
}

#[tokio::test]
async fn certificate_numbers_are_found_once_records_were_read() {
    let kit = small().await;
    let index = in_memory(&kit);
    read(&index, &kit, SyncScope::New).await;
    let which = IndexedList::All;
    let ids = index.without_details(which.clone(), 5).await.expect("ids");
    assert_eq!(ids.len(), 5);
    let (told, _) = watch::channel(SyncProgress::default());
    let read = index
        .read_details(&kit.reader, ids.clone(), None, &told, CancellationToken::new())
        .await
        .expect("read");
    assert_eq!((read.read, read.gone), (5, 0));
    assert_eq!(kit.ledger().requests_to("GET /badges/{badge_id}"), 5, "one request each");
    let record = kit.reader.badge(&ids[2], &kit.call).await.expect("a record");
    let cert = record.cert_no.expect("a certificate number");
    let found = index.find_cert(&cert.wire().to_lowercase().replace('-', " ")).await.expect("looked up");
    assert_eq!(found.iter().map(|c| &c.badge_id).collect::<Vec<_>>(), [&ids[2]]);
    assert!(found[0].row.is_some() && found[0].cert_no == cert);
    assert!(index.find_cert("no such number").await.expect("looked up").is_empty());
    assert!(!index.without_details(which, 100).await.expect("ids").contains(&ids[0]));
    let status = index.status().await.expect("a status");
    assert_eq!((status.details, status.certs), (5, 5));
}

#[tokio::test]
async fn what_ends_can_be_planned_again_by_template_each_person_once() {
    let kit = small().await;
    let row = |email: &str, template: &str| RowSpec {
        template_id: template.into(),
        recipient_email: email.into(),
        recipient_name: "남궁 민".into(),
        // Two years less a few days ago: valid for 24 months.
        minutes_ago: 60 * 24 * (730 - 9),
        ..RowSpec::default()
    };
    let specs = vec![
        row("min.ng@example.com", "TPL-004"),
        row("Min.Ng@example.com", "TPL-004"),
        RowSpec { recipient_name: "남궁 솔".into(), ..row("min.ng@example.com", "TPL-004") },
        row("min.ng@example.com", "TPL-035"),
        row("no address", "TPL-035"),
    ];
    kit.sandbox.control().rows(&Rows { insert: specs, ..Rows::default() }).expect("inserted");
    let index = in_memory(&kit);
    read(&index, &kit, SyncScope::New).await;
    let sums = index
        .sums(kit.reader.clock().now(), kit.reader.clock().offset(), Period::Day)
        .await
        .expect("counted");
    let (which, n) = &sums.ending[1];
    let found = index.renewals(which.clone(), 10_000).await.expect("found");
    let people: usize = found.of.iter().map(|renewal| renewal.people.len()).sum();
    assert_eq!(people as u64 + found.doubles + found.left_out, *n);
    assert!(found.doubles >= 1 && found.left_out >= 1, "{found:?}");
    let of = |id: &str| {
        let renewal = found.of.iter().find(|renewal| renewal.template_id == template(id)).expect("planned");
        renewal.people.iter().filter(|(_, email)| email.eq_ignore_ascii_case("min.ng@example.com")).count()
    };
    assert_eq!((of("TPL-004"), of("TPL-035")), (2, 1), "two people with one address are two");
    let few = index.renewals(which.clone(), 1).await.expect("found");
    assert_eq!(few.beyond, n - 1);
}

#[tokio::test]
async fn only_as_old_as_allowed_is_read_and_kept() {
    const DAY: i64 = 24 * 3600;
    let kit = started(Options { history: Some(2000), ..options() }).await;
    let settings = IndexConfig { max_age_days: 60, ..FOR_EVER };
    let index = Index::in_memory(&account(&kit.sandbox, kit.sandbox.api_key()), settings).expect("an index");
    // Valid for 36 months.
    let spec = RowSpec { template_id: "TPL-023".into(), minutes_ago: 60 * 24 * 1080, ..RowSpec::default() };
    let old = kit.sandbox.control().rows(&Rows { insert: vec![spec], ..Rows::default() }).expect("inserted");
    let of = |wanted: fn(i64, i64) -> bool, truth: &BTreeMap<String, HistoryItem>| -> Vec<String> {
        let now = kit.reader.clock().now();
        let ago = |time: jiff::civil::DateTime| now.duration_since(time).as_secs();
        let ids = truth.iter().filter(|(_, row)| {
            let expires = Verdict::of(*row, jiff::civil::DateTime::MAX).state() == State::Expired;
            let ends = row.valid_until.as_ref().filter(|_| expires).and_then(ServiceTime::end);
            let reg = row.reg_date.as_ref().and_then(ServiceTime::start).expect("a time");
            wanted(ago(reg), ends.map_or(i64::MAX, ago))
        });
        ids.map(|(id, _)| id.clone()).collect()
    };
    let synced = read(&index, &kit, SyncScope::New).await;
    assert!(synced.complete, "{synced:?}");
    assert_eq!(synced.requests, 22, "all of it is read once, for the old ones that still expire");
    let all = truth(&kit.reader).await;
    let due = of(|age, over| age <= 60 * DAY || over <= 30 * DAY, &all);
    assert!(due.contains(&old[0]) && of(|age, _| age <= 60 * DAY, &all).len() < due.len(), "{due:?}");
    let ids = |kept: BTreeMap<String, HistoryItem>| kept.into_keys().collect::<Vec<_>>();
    assert_eq!(ids(kept(&index).await), due);
    let status = index.status().await.expect("a status");
    assert!(status.older > 0 && status.older == (all.len() - due.len()) as u64, "{status:?}");
    let sums = index.sums(kit.reader.clock().now(), kit.reader.clock().offset(), Period::Week).await;
    assert!(sums.expect("counted").kept_since.is_some(), "earlier weeks are not all there");
    kit.sandbox.control().advance(Duration::from_secs(25 * 3600));
    kit.reader.ping(&kit.call).await.expect("an answer");
    let synced = read(&index, &kit, SyncScope::New).await;
    assert!(synced.full && synced.complete, "{synced:?}");
    assert!(synced.requests < 20, "what is too old is not read again: {}", synced.requests);
    assert_eq!(
        ids(kept(&index).await),
        of(|age, over| age <= 60 * DAY || over <= 30 * DAY, &truth(&kit.reader).await)
    );
    // One that was revoked expires no longer.
    kit.writer.revoke(&revocation(&[&badge(&old[0])]), &kit.call).await.expect("accepted");
    assert!(!read(&index, &kit, SyncScope::New).await.full);
    assert!(!kept(&index).await.contains_key(&old[0]));
}

#[tokio::test]
async fn an_old_badge_that_moves_to_the_next_page_counts_once() {
    let kit = started(Options { history: Some(1000), ..options() }).await;
    let settings = IndexConfig { max_age_days: 1, ..FOR_EVER };
    let index = Index::in_memory(&account(&kit.sandbox, kit.sandbox.api_key()), settings).expect("an index");
    break_off(&index, &kit, 500).await;
    insert(&kit, 30, 0, RowState::Issued);
    let synced = read(&index, &kit, SyncScope::New).await;
    assert!(synced.complete && synced.requests < 10, "{synced:?}");
}

#[tokio::test]
async fn a_badge_that_appears_late_is_found_by_the_next_reading() {
    let kit = small().await;
    let index = in_memory(&kit);
    read(&index, &kit, SyncScope::New).await;
    insert(&kit, 3, 60 * 24 * 290, RowState::Issued);
    let synced = read(&index, &kit, SyncScope::New).await;
    assert!(!synced.full && !synced.complete, "less than an hour ago all was read: {synced:?}");
    kit.sandbox.control().advance(Duration::from_secs(2 * 3600));
    kit.reader.ping(&kit.call).await.expect("an answer");
    let synced = read(&index, &kit, SyncScope::New).await;
    assert!(synced.full && synced.complete, "{synced:?}");
    same(&kept(&index).await, &truth(&kit.reader).await);
}

#[tokio::test]
async fn a_service_that_does_not_sort_lists_revoked_badges_between_full_readings() {
    let kit = with(&[("sorting", "ignored"), ("default-order", "oldest")]).await;
    let old = insert(&kit, 1, 60 * 24 * 300, RowState::Issued).remove(0);
    let index = in_memory(&kit);
    read(&index, &kit, SyncScope::New).await;
    kit.writer.revoke(&revocation(&[&badge(&old)]), &kit.call).await.expect("accepted");
    let synced = read(&index, &kit, SyncScope::New).await;
    assert!(!synced.full, "{synced:?}");
    let state = Verdict::of(&kept(&index).await[&old], kit.reader.clock().now()).state();
    assert!(matches!(state, State::Revoking | State::Revoked), "{state:?}");
}

async fn many(rows: u64) {
    let kit = started(Options { history: Some(rows), rate_limit: 1_000_000, ..options() }).await;
    let writer = writer(&kit.sandbox, kit.sandbox.api_key(), |c| c.rate_limit = 1_000_000);
    let kit = Kit { reader: writer.reader().clone(), writer, ..kit };
    let data = tempfile::tempdir().expect("a folder");
    let index = in_file(&kit, data.path());
    let synced = read(&index, &kit, SyncScope::New).await;
    assert!(synced.complete && synced.new == rows, "{synced:?}");
    assert_eq!(synced.requests, rows / 100 + 1);
    let sums = index
        .sums(kit.reader.clock().now(), kit.reader.clock().offset(), Period::Month)
        .await
        .expect("counted");
    assert_eq!(sums.status.badges, rows);
    // A page far down the list is a page.
    let query = IndexQuery { which: IndexedList::All, page: rows / 100, per_page: 100 };
    assert_eq!(index.list(query).await.expect("a page").items.len(), 100);
    insert(&kit, 3, 0, RowState::Issued);
    let synced = read(&index, &kit, SyncScope::New).await;
    assert!(synced.complete && synced.new == 3 && synced.requests <= 22, "{synced:?}");
}

#[tokio::test]
async fn twenty_thousand_badges() {
    many(20_000).await;
}

#[tokio::test]
#[ignore = "takes minutes"]
async fn two_hundred_thousand_badges() {
    many(200_000).await;
}
