//! Tests: what an observation changes.

use super::super::polling;
use super::super::record_response::{RevokeResponse, record_revoke_response};
use super::super::rows::NewRow;
use super::super::schema;
use super::*;
use crate::jobs::journal::tests::statements::{context, draft_of, journal};
use crate::jobs::schedule::Schedule;
use rusqlite::Connection;

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(minute * 60).expect("a time")
}

/// A badge without a revocation.
fn valid(id: &str) -> SeenBadge {
    SeenBadge {
        place: SightSource::Detail,
        badge_id: BadgeId::new(id).expect("an id"),
        template_id: None,
        title: None,
        holder: None,
        email: None,
        verdict: Verdict::Valid { until: None },
        status: None,
        mail: None,
        issued_at: None,
        valid_until: None,
        revoke_at: None,
        reg_date: None,
    }
}

/// Number of rows that [`rule_out`] moves, of a request for four badges, of which `revoked` are revoked.
fn ruled_out(accepted: u32, revoked: u32, tries: u32, absent: &str) -> u64 {
    let connection = Connection::open_in_memory().expect("a database");
    let db = Tx::on(&connection);
    db.script(include_str!("../schema.sql")).expect("schema 1");
    db.script(&format!(
        "INSERT INTO job (id, kind, phase, created, profile, base_url, account, title)
         VALUES (1, 'revoke', 'running', 0, 'p', 'u', 'a', 't');
         INSERT INTO request (id, job, rows, sha256, intent, heard, outcome, accepted)
         VALUES (7, 1, 4, '', 0, 1, 'accepted', {accepted});
         INSERT INTO row (job, no, name, email, email_key, badge, bucket, request, tries, absent)
         VALUES (1, 1, '', '', '', 'B1', 'unproven', 7, 1, NULL),
                (1, 2, '', '', '', 'B2', 'unproven', 7, 1, NULL),
                (1, 3, '', '', '', 'B3', 'unproven', 7, 1, {absent}),
                (1, 4, '', '', '', 'B4', 'unproven', 7, {tries}, {absent});
         UPDATE row SET bucket = 'revoked' WHERE no <= {revoked}"
    ))
    .expect("rows");
    rule_out(&db, JobId(1), None).expect("read")
}

#[test]
fn accepted_count_rules_out_polled_badges_of_one_request() {
    assert_eq!(ruled_out(2, 2, 1, "5"), 2);
    assert_eq!(ruled_out(2, 2, 2, "5"), 0, "an earlier request may have revoked it");
    assert_eq!(ruled_out(2, 2, 1, "NULL"), 0, "no look has shown that they are not revoked");
    assert_eq!(ruled_out(3, 2, 1, "5"), 0, "the third that was accepted may be one of them");
    assert_eq!(ruled_out(1, 2, 1, "5"), 0, "more were revoked than it says");
    assert_eq!(ruled_out(0, 0, 1, "5"), 0, "nothing bears a number of 0 out");
}

#[test]
fn a_revocation_that_is_not_shown_yet_is_not_taken_for_none() {
    for (accepted, minutes, dropped) in [("1", 3, 0), ("NULL", 3, 0), ("0", 3, 2), ("1", 27 * 60, 2)] {
        let connection = journal();
        let db = Tx::on(&connection);
        let row = |id: &str| NewRow { badge: BadgeId::new(id), ..NewRow::default() };
        let job = draft_of(&db, Kind::Revoke, &[row("B1"), row("B2")]);
        db.script(&format!(
            "UPDATE job SET phase = 'running';
             INSERT INTO request (id, job, rows, sha256, intent, heard, answered, outcome, accepted)
             SELECT 7, id, 2, '', 0, TRUE, 0, 'accepted', {accepted} FROM job;
             UPDATE row SET bucket = 'unproven', request = 7, tries = 1"
        ))
        .expect("sent");
        for minute in [1, minutes] {
            observe(&db, &context(at(minute)), &[valid("B1"), valid("B2")]).expect("observed");
        }
        let counts = jobs::counts(&db, job).expect("counts");
        assert_eq!(counts.of(RowStatus::NotAccepted), dropped, "{accepted} {minutes}");
    }
}

/// The reason of a revoked row, and when it was accepted, after [`name_older`]. The request was sent at 1970-01-02
/// 00:00 UTC, and `accepted` of its 2 badges were accepted.
fn named(revoked: &str, zone: Option<i8>, accepted: u32, tries: u32) -> (Option<Reason>, Option<i64>) {
    let connection = Connection::open_in_memory().expect("a database");
    let db = Tx::on(&connection);
    db.script(include_str!("../schema.sql")).expect("schema 1");
    db.script(&format!(
        "INSERT INTO job (id, kind, phase, created, profile, base_url, account, title)
         VALUES (1, 'revoke', 'running', 0, 'p', 'u', 'a', 't');
         INSERT INTO request (id, job, rows, sha256, intent, heard, outcome, accepted)
         VALUES (7, 1, 2, '', 86400, 1, 'accepted', {accepted});
         INSERT INTO row (job, no, name, email, email_key, badge, bucket, request, tries, revoke_at, accepted)
         VALUES (1, 1, '', '', '', 'B1', 'revoked', 7, {tries}, '{revoked}', 86401)"
    ))
    .expect("rows");
    name_older(&db, JobId(1), zone.map(|hours| Offset::from_hours(hours).expect("an offset")))
        .expect("named");
    db.row("SELECT why, accepted FROM row", values![], |r| Ok((r.get(0)?, r.get(1)?))).expect("read")
}

#[test]
fn a_revocation_before_the_request_is_somebody_elses() {
    let another = Reason::from(Code::AlreadyByAnother).because("state", Reason::state(&State::Revoked));
    let (earlier, later) = ("1970-01-02 08:40:00", "1970-01-02 09:00:01");
    let ours = (None, Some(86_401));
    assert_eq!(named(earlier, Some(9), 1, 1), (Some(another), None));
    assert_eq!(named(later, Some(9), 1, 1), ours);
    assert_eq!(named(earlier, None, 1, 1), ours, "in another zone it would be later");
    assert_eq!(named(earlier, Some(9), 2, 1), ours, "the service accepted every badge");
    assert_eq!(named(earlier, Some(9), 1, 2), ours, "the earlier request of this job may have revoked it");
}

/// An issue job for each list of badges, which are issued, and a revocation of some badges that is on its way.
fn revocation(db: &Tx<'_>, issued: &[&[&str]], sent: &[&str]) -> (Vec<JobId>, JobId) {
    let rows = |badges: &[&str], row_status| -> Vec<NewRow> {
        let row = |id: &&str| NewRow {
            badge: BadgeId::new(*id),
            row_status: Some(row_status),
            ..NewRow::default()
        };
        badges.iter().map(row).collect()
    };
    let issued =
        issued.iter().map(|badges| draft_of(db, Kind::Issue, &rows(badges, RowStatus::Issued))).collect();
    let revoke = draft_of(db, Kind::Revoke, &rows(sent, RowStatus::Sending));
    db.script(&format!(
        "UPDATE job SET phase = 'running';
         INSERT INTO request (id, job, rows, sha256, intent, heard) VALUES (7, {revoke}, {}, '', 0, TRUE);
         UPDATE row SET request = 7 WHERE job = {revoke}",
        sent.len()
    ))
    .expect("sent");
    (issued, revoke)
}

fn accepted(db: &Tx<'_>, job: JobId, sent: u64, accepted: u64) -> (RowStatus, BTreeSet<JobId>) {
    let response = RevokeResponse {
        job,
        request: 7,
        now: at(0),
        sent,
        accepted: Some(accepted),
        schedule: Schedule::default(),
    };
    record_revoke_response(db, &response).expect("recorded")
}

fn statuses(db: &Tx<'_>, job: JobId) -> Vec<String> {
    db.all("SELECT bucket FROM row WHERE job = ?1 ORDER BY no", values![job.0]).expect("rows")
}

#[test]
fn an_accepted_revocation_changes_the_rows_that_issued_the_badges() {
    let badges = ["B1", "B2", "B3", "B4", "B5"];
    let connection = journal();
    let db = Tx::on(&connection);
    let (issued, revoke) =
        revocation(&db, &[&["B1", "B2", "B3", "B4", "B5", "B9"], &["B1"], &["B1"]], &badges);
    let [mine, anothers, elsewhere] = issued[..] else { panic!("{issued:?}") };
    let twice = Reason::from(Code::IssuedTwice).with("id", "B7");
    db.script(&format!(
        "UPDATE job SET owner = 'another' WHERE id = {anothers};
         UPDATE job SET base_url = 'another' WHERE id = {elsewhere};
         UPDATE row SET bucket = CASE no WHEN 2 THEN 'overdue' WHEN 3 THEN 'ask' WHEN 4 THEN 'revoked'
                                         WHEN 5 THEN 'other' ELSE bucket END WHERE job = {mine}"
    ))
    .expect("statuses");
    db.execute("UPDATE row SET why = ?2 WHERE job = ?1 AND no = 1", values![mine.0, twice])
        .expect("a reason");
    db.execute(
        "UPDATE row SET why = ?2 WHERE job = ?1 AND no = 2",
        values![mine.0, Reason::from(Code::Overdue)],
    )
    .expect("a reason");

    assert_eq!(accepted(&db, revoke, 5, 5), (RowStatus::Revoking, BTreeSet::from([mine])));
    // What needs a person, an unknown state and a certain end stay.
    assert_eq!(statuses(&db, mine), ["revoking", "revoking", "ask", "revoked", "other", "issued"]);
    for other in [anothers, elsewhere] {
        assert_eq!(statuses(&db, other), ["issued"]);
    }
    let why: Vec<Option<Reason>> = db
        .all("SELECT why FROM row WHERE job = ?1 AND no <= 2 ORDER BY no", values![mine.0])
        .expect("reasons");
    assert_eq!(why, [Some(twice), None]);
    assert_eq!(schema::check(&db).expect("checked"), [""; 0], "the counts follow");
}

#[test]
fn an_overdue_badge_of_two_still_says_that_there_are_two() {
    let connection = journal();
    let db = Tx::on(&connection);
    let job = draft_of(&db, Kind::Issue, &[NewRow::default(), NewRow::default()]);
    let twice = Reason::from(Code::IssuedTwice).with("id", "B7");
    db.script("UPDATE row SET bucket = 'waiting', accepted = 0").expect("accepted");
    db.execute("UPDATE row SET why = ?1 WHERE no = 1", values![twice]).expect("a reason");
    let (me, jobs) = ("me".to_owned(), vec![job]);
    let args = MarkOverdue { me, jobs, now: at(25 * 60), zone: None, unread: Vec::new() };
    mark_overdue(&db, &args).expect("marked");
    assert_eq!(statuses(&db, job), ["overdue", "overdue"]);
    let why: Vec<Option<Reason>> = db.all("SELECT why FROM row ORDER BY no", values![]).expect("reasons");
    assert_eq!(why, [Some(twice), Some(Code::Overdue.into())]);
}

#[test]
fn a_revocation_that_was_accepted_in_part_changes_no_other_job() {
    let connection = journal();
    let db = Tx::on(&connection);
    let (issued, revoke) = revocation(&db, &[&["B1", "B2"]], &["B1", "B2"]);
    assert_eq!(accepted(&db, revoke, 2, 1), (RowStatus::BeingChecked, BTreeSet::new()));
    assert_eq!(statuses(&db, issued[0]), ["issued", "issued"]);
}

#[test]
fn an_accepted_revocation_that_the_service_never_shows_is_forgotten_after_the_doubt_window() {
    let connection = journal();
    let db = Tx::on(&connection);
    let (issued, revoke) = revocation(&db, &[&["B1"]], &["B1"]);
    accepted(&db, revoke, 1, 1);
    let see = |minute, sight: &SeenBadge| {
        observe(&db, &context(at(minute)), std::slice::from_ref(sight)).expect("observed");
        [statuses(&db, issued[0]).remove(0), statuses(&db, revoke).remove(0)]
    };
    let window = JobConfig::default().doubt_window.as_mins();
    assert_eq!(see(1, &valid("B1")), ["revoking"; 2], "the service may be slow to show it");
    assert_eq!(see(window, &valid("B1")), ["revoking"; 2], "not a whole window since the first check");
    assert_eq!(see(window + 1, &valid("B1")), ["issued", "dropped"]);

    // The service's own words count at once.
    let shown = SeenBadge {
        verdict: Verdict::Revoking { at: None, reason: None },
        revoke_at: ServiceTime::new("1970-01-03 00:00:00"),
        ..valid("B1")
    };
    assert_eq!(see(window + 2, &shown), ["revoking"; 2]);
    assert_eq!(see(window + 3, &valid("B1")), ["issued", "revoking"]);
    assert_eq!(see(window + 4, &shown), ["revoking"; 2]);
    assert_eq!(see(2 * window + 4, &valid("B1")), ["issued", "revoking"], "the first check again");
    assert_eq!(see(3 * window + 4, &valid("B1")), ["issued", "dropped"]);
}

#[test]
fn a_job_of_another_owner_than_its_revocation_ends_by_its_own_checks() {
    let connection = journal();
    let db = Tx::on(&connection);
    let (issued, revoke) = revocation(&db, &[&["B1"]], &["B1"]);
    accepted(&db, revoke, 1, 1);
    db.execute("UPDATE job SET owner = 'another' WHERE id = ?1", values![revoke.0]).expect("taken");
    let (_, read) = polling::revoke_targets(&db, &issued).expect("read");
    let revoked = |badge: &BadgeId| SeenBadge {
        verdict: Verdict::Revoked { at: None, reason: None, label: None },
        revoke_at: ServiceTime::new("1970-01-01 00:30:00"),
        ..valid(badge.wire())
    };
    let sights: Vec<SeenBadge> = read.keys().map(revoked).collect();
    observe(&db, &context(at(60)), &sights).expect("observed");
    assert_eq!(
        (statuses(&db, issued[0]), statuses(&db, revoke)),
        (vec!["revoked".into()], vec!["revoking".into()])
    );
}
