//! Tests: what an observation changes.

use super::super::rows::NewRow;
use super::*;
use crate::jobs::journal::tests::statements::{draft_of, journal};
use rusqlite::Connection;

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
        let seen = |id: &str| SeenBadge {
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
        };
        for minute in [1, minutes] {
            let context = ObserveContext {
                me: "me".into(),
                account: "k".into(),
                now: Timestamp::from_second(minute * 60).expect("a time"),
                settings: JobConfig::default(),
            };
            observe(&db, &context, &[seen("B1"), seen("B2")]).expect("observed");
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
