use super::detail::cert_key;
use super::lists::coverage;
use super::place::{IndexAccount, file_of, purge, purge_all};
use super::store::{Index, IndexConfig, prepare};
use super::stored_rows::KeepLimits;
use super::sums::sums;
use super::{IndexError, IndexedList, Period, stored_rows, sync};
use crate::domain::{BadgeId, HistoryItem, ServiceTime, State, TemplateId, Text, Verdict};
use jiff::ToSpan;
use jiff::civil::{DateTime, datetime};
use proptest::prelude::*;
use rusqlite::Connection;
use std::collections::BTreeSet;

const NOW: DateTime = datetime(2026, 11, 21, 12, 0, 0, 0);

fn database() -> Connection {
    let mut db = Connection::open_in_memory().expect("memory");
    prepare(&mut db, &IndexAccount::test("one"), "in memory").expect("prepared");
    db
}

fn badge(id: &str) -> HistoryItem {
    HistoryItem::for_test(BadgeId::new(id).expect("an id"))
}

fn time(days: Option<i64>) -> Option<ServiceTime> {
    let at = NOW.checked_add(days?.days()).expect("near");
    ServiceTime::new(&stored_rows::moment(at))
}

proptest! {
    /// The index counts a badge in the same group as the TUI shows it, at any time.
    #[test]
    fn a_badge_is_counted_where_its_verdict_puts_it(
        label in prop::option::of(prop::sample::select(vec![
            "ISSUE_WAIT", "발급완료", "회수중", "회수완료", "만료", "발급보류", "",
        ])),
        until in prop::option::of(-40_i64..40),
        issued in prop::option::of(-40_i64..1),
        revoked in prop::option::of(-10_i64..1),
        accepted in prop::option::of(-50_i64..1),
        later in -5_i64..200,
    ) {
        let item = HistoryItem {
            status_name: label.map(Text::from),
            valid_until: time(until),
            issued_at: time(issued),
            revoke_at: time(revoked),
            reg_date: time(accepted),
            ..badge("b")
        };
        let now = NOW.checked_add(later.days()).expect("near");
        let db = database();
        stored_rows::take(&db, std::slice::from_ref(&item), 1, &KeepLimits::default()).expect("kept");
        let sums = sums(&db, (now, jiff::tz::Offset::UTC), Period::Day, 0).expect("counted");
        let waits = sums.waiting.by_age.iter().map(|(_, n)| n).sum::<u64>() + sums.waiting.unknown;
        let (revoking, revoked) = (sums.waiting.revoking, sums.revoked.total());
        let of_template = &sums.templates[0];
        prop_assert_eq!((of_template.revoking, of_template.revoked), (revoking, revoked));
        // The index does not know when an unknown word with a time ahead of now begins to mean revoked.
        let is_ahead = item.revoke_at.as_ref().and_then(ServiceTime::start).is_some_and(|at| at > now);
        let (revoking, revoked) = if is_ahead { (0, revoking + revoked) } else { (revoking, revoked) };
        let counted = [sums.valid, sums.expired, sums.other, waits, revoking, revoked];
        let expected = match Verdict::of(&item, now).state() {
            State::Issued => [1, 0, 0, 0, 0, 0],
            State::Expired => [0, 1, 0, 0, 0, 0],
            State::Other(_) => [0, 0, 1, 0, 0, 0],
            State::Waiting => [0, 0, 0, 1, 0, 0],
            State::Revoking if !is_ahead => [0, 0, 0, 0, 1, 0],
            State::Revoking | State::Revoked => [0, 0, 0, 0, 0, 1],
        };
        prop_assert_eq!(counted, expected);
        if let Verdict::Overdue { .. } = Verdict::of(&item, now) {
            prop_assert_eq!(sums.waiting.by_age[3].1 + sums.waiting.by_age[4].1, 1);
        } else {
            prop_assert_eq!(sums.waiting.by_age[3].1 + sums.waiting.by_age[4].1, 0);
        }
        let kept = db
            .query_row(&format!("SELECT {} FROM badge", stored_rows::COLUMNS), [], stored_rows::item)
            .expect("a row");
        prop_assert_eq!(kept, item);
    }
}

#[test]
fn periods_have_no_gap_and_add_up() {
    let db = database();
    let days = [0, -1, -6, -7, -29, -30, -31, -200, -800];
    let items: Vec<HistoryItem> = days
        .iter()
        .enumerate()
        .map(|(at, days)| HistoryItem {
            status_name: Some("발급완료".into()),
            issued_at: time(Some(*days)),
            reg_date: time(Some(*days)),
            ..badge(&at.to_string())
        })
        .collect();
    stored_rows::take(&db, &items, 1, &KeepLimits::default()).expect("kept");
    for period in [Period::Day, Period::Week, Period::Month] {
        let series = sums(&db, (NOW, jiff::tz::Offset::UTC), period, 0).expect("counted").issued;
        assert_eq!(series.total(), days.len() as u64);
        assert_eq!(series.spans.len(), period.how_many());
        assert!(series.spans.windows(2).all(|pair| pair[1].to == Some(pair[0].from)));
        for span in &series.spans {
            let (condition, values) = IndexedList::Issued(Some(span.from), span.to).condition();
            let sql = format!("SELECT count(*) FROM badge WHERE {condition}");
            let n: i64 =
                db.query_row(&sql, rusqlite::params_from_iter(values), |r| r.get(0)).expect("counted");
            assert_eq!(n.unsigned_abs(), span.count);
        }
    }
    // 21 November 2026 is a Saturday.
    let weeks = sums(&db, (NOW, jiff::tz::Offset::UTC), Period::Week, 0).expect("counted").issued;
    assert_eq!(weeks.spans[0].from, jiff::civil::date(2026, 11, 16));
    assert_eq!((weeks.spans[0].count, weeks.spans[1].count), (2, 2));
}

/// The service calls some expired badges so, and others issued.
#[test]
fn what_expired_lately_is_counted_whatever_the_service_calls_it() {
    let db = database();
    let items = ["발급완료", "만료", "회수완료"].map(|label| HistoryItem {
        status_name: Some(label.into()),
        valid_until: time(Some(-8)),
        ..badge(label)
    });
    let ahead = HistoryItem { status_name: Some("만료".into()), valid_until: time(Some(8)), ..badge("b") };
    stored_rows::take(&db, &items, 1, &KeepLimits::default()).expect("kept");
    stored_rows::take(&db, &[ahead], 1, &KeepLimits::default()).expect("kept");
    let sums = sums(&db, (NOW, jiff::tz::Offset::UTC), Period::Day, 0).expect("counted");
    assert_eq!(sums.ending.iter().map(|(_, n)| *n).collect::<Vec<_>>(), [2, 0, 0, 0]);
}

/// Newer people with a similar name do not push out the one who has exactly this name, or the address.
#[tokio::test]
async fn a_limit_leaves_out_only_similar_names() {
    let index = Index::in_memory(&IndexAccount::test("one"), IndexConfig::default()).expect("made");
    let row = |id: usize, name: &str, email: &str, days| HistoryItem {
        recipient_name: Some(name.into()),
        recipient_email: Some(email.into()),
        reg_date: time(Some(days)),
        ..badge(&id.to_string())
    };
    let mut items: Vec<HistoryItem> =
        (0..600).map(|n| row(n, "김서연", &format!("{n}@naru.example"), 0)).collect();
    items.push(row(600, "김 서", "real@naru.example", -9));
    items.push(row(601, "Ann", "KIM@naru.example", -9));
    index.write(move |db| stored_rows::take(db, &items, 1, &KeepLimits::default())).await.expect("kept");
    let found = index.find_people(Some("kim@naru.example".into()), Some("김서".into())).await.expect("found");
    assert_eq!((found.badges.len(), found.all), (502, 602));
    let last: BTreeSet<&str> = found.badges[500..].iter().map(|badge| badge.badge_id.wire()).collect();
    assert_eq!(last, BTreeSet::from(["600", "601"]));
}

#[tokio::test]
async fn a_name_is_found_without_its_accents() {
    let index = Index::in_memory(&IndexAccount::test("one"), IndexConfig::default()).expect("made");
    let named = [("1", "Zoë Ångström-Þórsdóttir"), ("2", "Zoran Ang")]
        .map(|(id, name)| HistoryItem { recipient_name: Some(name.into()), ..badge(id) });
    index.write(move |db| stored_rows::take(db, &named, 1, &KeepLimits::default())).await.expect("kept");
    for typed in ["Zoe Angstrom", "zoe angstrom thor", "ZOË"] {
        let found = index.find_people(None, Some(typed.into())).await.expect("found").badges;
        let which = IndexedList::Found(Box::new(IndexedList::All), typed.replace(" thor", "-thor"));
        let query = super::IndexQuery { which, page: 1, per_page: 10 };
        let listed = index.list(query).await.expect("listed").items.into_iter().map(|(_, badge)| badge);
        for (way, badges) in [("a person", found), ("a list", listed.collect())] {
            let ids: Vec<&str> = badges.iter().map(|badge| badge.badge_id.wire()).collect();
            assert_eq!(ids, ["1"], "{typed}, {way}");
        }
    }
}

#[test]
fn a_certificate_number_is_found_however_it_is_written() {
    for typed in ["DV-2026-00311", " dv 2026 00311", "ＤＶ－２０２６－００３１１", "dv202600311"]
    {
        assert_eq!(cert_key(typed).as_deref(), Some("DV202600311"), "{typed}");
    }
    assert_eq!(cert_key(" - "), None);
    assert_ne!(cert_key("DV-1"), cert_key("DV-2"));
}

#[test]
fn mails_are_told_apart_by_domain_and_only_where_one_has_failed() {
    let db = database();
    let mail = |id: &str, email: &str, label: &str, status: Option<&str>| HistoryItem {
        recipient_email: Some(email.into()),
        status_name: Some(label.into()),
        issued_at: time(Some(-1)),
        email_status: status.map(Text::from),
        ..badge(id)
    };
    let items = [
        mail("1", "a@StrictGate.example", "발급완료", Some("FAIL")),
        mail("2", "b@strictgate.example", "발급완료", Some("SENT")),
        mail("3", "c@naru.example", "발급완료", Some("SENT")),
        mail("4", "d@naru.example", "발급대기", Some("WAIT")),
        mail("5", "e@naru.example", "회수완료", Some("FAIL")),
        mail("6", "f@naru.example", "발급완료", None),
    ];
    stored_rows::take(&db, &items, 1, &KeepLimits::default()).expect("kept");
    let found = super::sums::mails(&db).expect("read");
    assert_eq!((found.mails.len(), found.others), (2, 2), "{found:?}");
    let (condition, values) = IndexedList::MailFailed(Some("strictgate.example".to_owned())).condition();
    let sql = format!("SELECT id FROM badge WHERE {condition}");
    let id: String = db.query_row(&sql, rusqlite::params_from_iter(values), |r| r.get(0)).expect("one");
    assert_eq!(id, "1");
}

#[test]
fn a_person_whose_name_has_accents_on_one_badge_only_gets_one_renewal() {
    let db = database();
    let of = |id: &str, name: &str| HistoryItem {
        template_id: TemplateId::new("TPL-1"),
        recipient_name: Some(name.into()),
        recipient_email: Some("zoe@naru.example".into()),
        ..badge(id)
    };
    let items = [of("1", "Zoë Ångström"), of("2", "Zoe Angstrom"), of("3", "Kim Minsu")];
    stored_rows::take(&db, &items, 1, &KeepLimits::default()).expect("kept");
    let found = super::lists::renewals(&db, &IndexedList::All, 10).expect("read");
    let people: Vec<&str> = found.of[0].people.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((found.of.len(), people.len(), found.doubles), (1, 2, 1), "{people:?}");
    assert!(people.contains(&"Kim Minsu"), "another person with the address: {people:?}");
}

/// An earlier version took every word other than `SENT` for a failure.
#[test]
fn a_waiting_mail_that_an_earlier_version_counted_as_failed_is_none() {
    let db = database();
    let mail = |id: &str, status: &str| HistoryItem {
        recipient_email: Some("a@naru.example".into()),
        status_name: Some("발급완료".into()),
        issued_at: time(Some(-1)),
        email_status: Some(status.into()),
        ..badge(id)
    };
    let items = [mail("1", "발송대기"), mail("2", "opened"), mail("3", "SENT")];
    stored_rows::take(&db, &items, 1, &KeepLimits::default()).expect("kept");
    db.execute("UPDATE badge SET failed = 1 WHERE mail <> 'SENT'", [])
        .expect("as an earlier version wrote it");
    for which in [IndexedList::MailFailed(None), IndexedList::MailFailed(Some("naru.example".to_owned()))] {
        assert_eq!(super::lists::count(&db, &which).expect("counted"), 0, "{which:?}");
    }
    assert!(super::sums::mails(&db).expect("read").mails.is_empty());
}

#[tokio::test]
async fn an_index_is_private_belongs_to_one_account_and_can_be_thrown_away() {
    let data = tempfile::tempdir().expect("a folder");
    let (one, two) = (IndexAccount::test("one"), IndexAccount::test("two"));
    assert_eq!(purge(data.path(), &one), Ok(0), "nothing to remove is no error");
    let index = Index::open(data.path(), &one, IndexConfig::default()).expect("made");
    let kept = HistoryItem { reg_date: time(Some(-1)), ..badge("1") };
    index.write(move |db| stored_rows::take(db, &[kept], 1, &KeepLimits::default())).await.expect("kept");
    let file = file_of(data.path(), &one);
    #[cfg(unix)]
    for entry in std::fs::read_dir(file.parent().expect("a folder")).expect("a folder") {
        let entry = entry.expect("an entry");
        assert_eq!(crate::fs::mode_of(&entry.metadata().expect("there")), 0o600, "{entry:?}");
    }
    let status = index.status().await.expect("read");
    let on_disk: u64 = std::fs::read_dir(file.parent().expect("a folder"))
        .expect("a folder")
        .map(|entry| entry.and_then(|entry| entry.metadata()).expect("an entry").len())
        .sum();
    assert_eq!((status.badges, status.bytes), (1, on_disk), "what SQLite has beside it counts");
    // A renamed file still belongs to the first account.
    let foreign = file_of(data.path(), &two);
    let mut database = Connection::open(&foreign).expect("a file");
    prepare(&mut database, &one, "another").expect("prepared");
    drop(database);
    let refused = Index::open(data.path(), &two, IndexConfig::default()).expect_err("another account's");
    assert!(
        matches!(&refused, IndexError::Corrupt { .. }) && refused.to_string().contains("another"),
        "{refused}"
    );
    std::fs::write(&foreign, "no database").expect("written");
    let refused = Index::open(data.path(), &two, IndexConfig::default()).expect_err("damaged");
    assert!(refused.to_string().contains("lapel index purge"), "{refused}");
    let (n, bytes) = purge_all(data.path()).expect("removed");
    assert!(n == 2 && bytes > 0);
    assert_eq!(std::fs::read_dir(file.parent().expect("a folder")).expect("a folder").count(), 0);
}

#[tokio::test]
async fn what_is_removed_is_gone_for_whoever_has_it_open_too() {
    let data = tempfile::tempdir().expect("a folder");
    let one = IndexAccount::test("one");
    let index = Index::open(data.path(), &one, IndexConfig::default()).expect("made");
    let kept =
        HistoryItem { recipient_name: Some("한서윤".into()), reg_date: time(Some(-1)), ..badge("1") };
    index.write(move |db| stored_rows::take(db, &[kept], 1, &KeepLimits::default())).await.expect("kept");
    purge(data.path(), &one).expect("removed");
    assert_eq!(index.status().await.expect("read").badges, 0);
    assert!(!file_of(data.path(), &one).exists());
}

#[test]
fn what_is_too_old_is_not_kept() {
    let db = database();
    let items: Vec<HistoryItem> = [-1, -5, -9]
        .into_iter()
        .map(|days| HistoryItem { reg_date: time(Some(days)), ..badge(&days.to_string()) })
        .collect();
    let limit = |days: i64| {
        let accepted = stored_rows::moment(NOW.checked_sub(days.days()).expect("near"));
        KeepLimits { accepted, ends: "9999".into() }
    };
    let taken = stored_rows::take(&db, &items, 1, &limit(7)).expect("kept");
    assert_eq!((taken.new, taken.old), (2, 1));
    stored_rows::forget(&db, &limit(3)).expect("removed");
    assert_eq!(stored_rows::seen(&db, 1).expect("counted"), 1);
}

#[test]
fn an_age_is_accepted_though_two_reads_of_the_clock_differ_by_a_second() {
    for (age, within) in [(0, true), (3_599, true), (3_600, false), (-1, true), (-60, true), (-61, false)] {
        assert_eq!(sync::is_within(age, 3_600), within, "{age}");
    }
}

#[test]
fn a_list_of_revoked_badges_is_told_from_the_whole_history() {
    let row = |label: &str, days| HistoryItem {
        status_name: Some(label.into()),
        revoke_at: time(days),
        issued_at: time(Some(-90)),
        ..badge("b")
    };
    let since = NOW.date();
    for (item, is_of_it) in [
        (row("회수완료", Some(0)), true),
        (row("회수중", None), true),
        (row("회수완료", Some(-1)), false),
        (row("발급완료", None), false),
    ] {
        assert_eq!(sync::was_revoked_since(&item, since), is_of_it, "{item:?}");
    }
}

/// A badge may have been issued since the history was read, so its waiting time ends with the reading.
#[test]
fn badges_wait_until_the_history_was_read() {
    let db = database();
    let item = HistoryItem { status_name: Some("ISSUE_WAIT".into()), reg_date: time(Some(0)), ..badge("b") };
    stored_rows::take(&db, std::slice::from_ref(&item), 1, &KeepLimits::default()).expect("kept");
    let later = NOW.checked_add(2.days()).expect("near");
    let overdue = || {
        let sums = sums(&db, (later, jiff::tz::Offset::UTC), Period::Day, 0).expect("counted");
        (sums.waiting.at, sums.waiting.by_age[3..].iter().map(|(_, n)| n).sum::<u64>())
    };
    assert_eq!(overdue(), (later, 1), "an index that was never read to its end counts for now");
    let read = NOW.checked_add(5.hours()).expect("near");
    let read_at = jiff::tz::Offset::UTC.to_timestamp(read).expect("a time").as_second();
    let known = super::state::SyncState { read_at: Some(read_at), ..Default::default() };
    super::state::put(&db, "known", &known).expect("kept");
    assert_eq!(overdue(), (read, 0));
}

#[test]
fn an_index_of_the_first_schema_is_read_again_before_it_covers_the_history() {
    let before = include_str!("schema.sql")
        .split_once(",\n    type        TEXT")
        .zip(include_str!("schema.sql").split_once("DEFAULT 0\n"))
        .map(|((head, _), (_, tail))| {
            format!("{head}\n{tail}").replace("CREATE INDEX badge_part ON badge (whole) WHERE whole = 0;", "")
        })
        .expect("the new columns");
    let mut db = Connection::open_in_memory().expect("memory");
    db.execute_batch(&before).expect("created");
    db.execute_batch("PRAGMA user_version = 1; PRAGMA application_id = 0x6c617069").expect("marked");
    let account = IndexAccount::test("one");
    super::state::put(&db, "account", &account.name()).expect("written");
    let known = super::state::SyncState {
        total: Some(1),
        read_at: Some(7),
        complete: true,
        ..super::state::SyncState::default()
    };
    super::state::put(&db, "known", &known).expect("written");
    db.execute("INSERT INTO badge (id, base, failed, reading) VALUES ('b', 'issued', 0, 1)", [])
        .expect("a row");
    prepare(&mut db, &account, "in memory").expect("prepared");
    let covered = || coverage(&db, None, "2024-01-01").expect("read");
    assert_eq!(covered(), None, "the row has no category");
    stored_rows::take(
        &db,
        &[HistoryItem { category_name: Some("데이터".into()), ..badge("b") }],
        2,
        &KeepLimits::default(),
    )
    .expect("kept");
    assert_eq!(covered(), Some(super::Coverage { read_at: 7, full_at: None }));
    // Rows that are too old are not in the index.
    super::state::put(&db, "known", &super::state::SyncState { total: Some(2), ..known }).expect("written");
    assert_eq!(covered(), None);
    let from = |day: &str| coverage(&db, day.parse().ok(), "2024-01-01 00:00:00").expect("read");
    assert!(from("2024-03-01").is_some() && from("2024-01-15").is_none());
}

proptest! {
    /// The index filters as the screens compare.
    #[test]
    fn a_list_of_the_index_has_the_rows_that_fit(
        state in prop::option::of(prop::sample::select(crate::domain::StateIs::ALL.to_vec())),
        mail in prop::option::of(prop::sample::select(vec!["sent", "failed", "waiting", "none", "Bounced", "É"])),
        category in prop::option::of(prop::sample::select(vec!["데이", "é", "Data"])),
        label in prop::option::of(prop::sample::select(vec!["ISSUE_WAIT", "발급완료", "회수중", "회수완료", "만료", "보류", ""])),
        status in prop::option::of(prop::sample::select(vec!["SENT", " Sent ", "BOUNCED", "WAIT", "발송대기", "é", " "])),
        name in prop::option::of(prop::sample::select(vec!["데이터", "É", "data"])),
        until in prop::option::of(-40_i64..40),
        revoked in prop::option::of(-10_i64..1),
        accepted in prop::option::of(-4_i64..1),
        read_days_ago in 0_i64..3,
    ) {
        use crate::domain::{HistoryNarrowing, MailIs};
        let read = NOW.checked_sub(read_days_ago.days()).expect("near");
        let mail = mail.map(|word| match word {
            "sent" => MailIs::Sent,
            "failed" => MailIs::Failed,
            "waiting" => MailIs::Waiting,
            "none" => MailIs::Unsaid,
            word => MailIs::Word(word.to_owned()),
        });
        let narrowing = HistoryNarrowing { state, mail, category: category.map(str::to_owned), badge_type: None };
        let item = HistoryItem {
            status_name: label.map(Text::from),
            email_status: status.map(Text::from),
            category_name: name.map(Text::from),
            valid_until: time(until),
            revoke_at: time(revoked),
            reg_date: time(accepted),
            read_at: Some(read),
            ..badge("b")
        };
        let db = database();
        stored_rows::take(&db, std::slice::from_ref(&item), 1, &KeepLimits::default()).expect("kept");
        let which = IndexedList::Matching(Box::new(super::HistorySelection {
            filter: crate::api::HistoryFilter::default(),
            narrowing: narrowing.clone(),
            now: NOW,
            read,
            sort: None,
        }));
        let found = super::lists::count(&db, &which).expect("counted");
        prop_assert_eq!(found == 1, narrowing.fits(&item, NOW));
    }
}

/// SQLite refuses to change the journal mode of a file that another process is just creating.
#[test]
fn processes_that_begin_at_once_all_open_a_new_index() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().expect("a folder");
        let begin = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    begin.wait();
                    let opened =
                        Index::open(folder.path(), &IndexAccount::test("one"), IndexConfig::default());
                    opened.map(drop).expect("it opens");
                });
            }
        });
    }
}

/// The bytes of an index in a file with small pages.
fn file_with(path: &std::path::Path) -> Vec<u8> {
    let db = database();
    let badge = |id: &str, label: &str| HistoryItem {
        template_id: crate::domain::TemplateId::new("TPL-1"),
        title: Some(Text::from("파이썬")),
        recipient_name: Some(Text::from("홍길동")),
        recipient_email: Some(Text::from("hong@naru.example")),
        status_name: Some(Text::from(label)),
        email_status: Some(Text::from("발송실패")),
        valid_until: time(Some(30)),
        issued_at: time(Some(-3)),
        reg_date: time(Some(-4)),
        revoke_at: (label == "회수완료").then(|| time(Some(-1))).flatten(),
        level: Some(2),
        ..badge(id)
    };
    let all =
        [badge("B1", "발급완료"), badge("B2", "회수완료"), badge("B3", "ISSUE_WAIT"), badge("B4", "만료")];
    stored_rows::take(&db, &all, 1, &KeepLimits::default()).expect("kept");
    db.execute_batch(
        r#"INSERT INTO detail VALUES ('B1', 'C-1', 'C1', '2027-01-01', 0);
           INSERT INTO meta VALUES ('known', '{"reading":1,"total":4,"full_at":0,"read_at":0,"complete":true}'),
                                   ('scan', '{"reading":2,"pass":{"pages":3,"largest":20},"began":0,"tries":1}')"#,
    )
    .expect("filled");
    db.execute("VACUUM INTO ?1", [path.to_str()]).expect("copied");
    let file = Connection::open(path).expect("a file");
    file.execute_batch("PRAGMA page_size = 512; VACUUM").expect("small");
    drop(file);
    std::fs::read(path).expect("bytes")
}

#[test]
fn no_bytes_of_an_index_do_harm() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index.sqlite");
    let file = file_with(&path);
    let words: [&[u8]; 4] = [b"9223372036854775807", b"-1", b"null", b"\xff\xff\xff\xff"];
    crate::fuzz::fuzz("an index", &[&file], &words, |bytes| {
        for ending in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.path().join(format!("index.sqlite{ending}")));
        }
        std::fs::write(&path, bytes).expect("written");
        let Ok(mut db) = Connection::open(&path) else { return };
        if prepare(&mut db, &IndexAccount::test("one"), "index").is_err() {
            return;
        }
        let lists = [
            IndexedList::All,
            IndexedList::Ending(NOW, DateTime::MAX),
            IndexedList::MailFailed(None),
            IndexedList::Found(Box::new(IndexedList::All), "hong".into()),
        ];
        for which in lists {
            let _ =
                super::lists::page(&db, &super::IndexQuery { which: which.clone(), page: 1, per_page: 20 });
            let _ = super::lists::renewals(&db, &which, 10);
        }
        for period in [Period::Day, Period::Day.next()] {
            let _ = sums(&db, (NOW, jiff::tz::Offset::MIN), period, 0);
        }
        let _ = (super::sums::mails(&db), coverage(&db, Some(NOW.date()), "2026"), stored_rows::seen(&db, 1));
        let _ = (stored_rows::unsettled_pages(&db, 20, 5), stored_rows::revoked_since(&db, NOW.date()));
        let _ = stored_rows::take(&db, &[badge("B1"), badge("B9")], 3, &KeepLimits::default());
        let _ = stored_rows::forget_unseen(&db, 3, "2026")
            .and_then(|()| stored_rows::forget(&db, &KeepLimits::default()));
    });
}
