//! Tests: a process that has lost its jobs to another one changes nothing about them, other than by an answer that comes
//! late.

use super::damage::{NOW, account, full, process, row};
use super::statements::{answer, badge, context, draft_of, intent, me, request, seen, sight, started};
use crate::domain::EmailKey;
use crate::jobs::duplicate_kind::DuplicateKind;
use crate::jobs::job::{Job, JobId, Kind, Phase, StopKind};
use crate::jobs::journal::duplicates::{ExistingBadge, FinishCheck, RecordHeld};
use crate::jobs::journal::polling::{NotRead, ScheduleNext, SecondBadge};
use crate::jobs::journal::record_response::{FailedRows, RequestFailure};
use crate::jobs::journal::requests::Ended;
use crate::jobs::journal::rows::CorrectRow;
use crate::jobs::journal::tx::{self, Tx, values};
use crate::jobs::journal::{
    doubts, drafts, duplicates, jobs, lost_writes, observe, polling, record_response, review, sending,
    snapshots, takeover,
};
use crate::jobs::reason::{Code, Reason};
use crate::jobs::row_groups::RowSelection;
use crate::jobs::row_status::RowStatus;
use crate::jobs::schedule::Schedule;
use crate::jobs::settings::Policies;
use jiff::Timestamp;
use rusqlite::Connection;
use std::collections::{HashMap, HashSet};

const ME: &str = "me";
/// Jobs of [`full`].
const SENDS: JobId = JobId(2);
const IN_DOUBT: JobId = JobId(3);
const UNPROVEN: JobId = JobId(4);
const DRAFT: JobId = JobId(8);

fn day() -> Timestamp {
    Timestamp::from_second(2 * 86_400).expect("a time")
}

fn held() -> Vec<ExistingBadge> {
    let (key, why) = (EmailKey::of("p1@x.example"), Code::Told.into());
    vec![ExistingBadge { key, badge: badge(50), class: DuplicateKind::Valid, why }]
}

type Write = fn(&Tx<'_>) -> tx::Result<()>;

/// Each write of a sender, of a check, and of a review of a draft.
fn writes() -> Vec<(&'static str, Write)> {
    vec![
        ("record_intent", |db| sending::record_intent(db, &intent(UNPROVEN)).map(drop)),
        ("stop_own", |db| jobs::stop_own(db, &SENDS, ME, &StopKind::Quota, &Code::Told.into())),
        ("set_batch", |db| sending::set_batch(db, &SENDS, ME, &7)),
        ("observe", |db| observe::observe(db, &context(day()), &[sight(1, "another word")]).map(drop)),
        ("note_absence", |db| observe::note_absence(db, &context(day()), &badge(1))),
        ("note_second_badges", |db| {
            let key = EmailKey::of("p1@x.example");
            let found = [SecondBadge { badge: badge(1), key, second: badge(50) }];
            polling::note_second_badges(db, &found, ME).map(drop)
        }),
        ("resolve_doubts", |db| {
            let args = doubts::ResolveDoubts {
                context: context(day()),
                jobs: HashSet::from([IN_DOUBT, UNPROVEN]),
                found: HashMap::new(),
                complete: (12..=15).map(|n| EmailKey::of(&format!("p{n}@x.example"))).collect(),
                zone: None,
                at: 0,
            };
            doubts::resolve_doubts(db, &args).map(drop)
        }),
        ("mark_overdue", |db| {
            let (me, jobs) = (ME.to_owned(), (1..=8).map(JobId).collect());
            let args = observe::MarkOverdue { me, jobs, now: day(), zone: None, unread: Vec::new() };
            observe::mark_overdue(db, &args)
        }),
        ("schedule_next", |db| {
            let (me, jobs, schedule) = (ME.to_owned(), vec![IN_DOUBT], Schedule::default());
            let not_read = NotRead { failed: None, badges: None, history_of: HashSet::new() };
            polling::schedule_next(db, &ScheduleNext { me, jobs, schedule, now: day(), not_read })
        }),
        ("release", |db| takeover::release(db, ME, &HashMap::new())),
        ("correct_rows", |db| {
            let (name, email) = ("새 이름".to_owned(), "new@x.example".to_owned());
            let row = CorrectRow { no: 3, name, email, row_status: RowStatus::Ready, why: None };
            drafts::correct_rows(db, &DRAFT, ME, &[row])
        }),
        ("review_rows", |db| {
            let (me, which) = (ME.to_owned(), RowSelection::One(3));
            let (to, policies) = (RowStatus::Skipped, Policies::default());
            let why = Some(Code::LeftOutByHand.into());
            drafts::review_rows(db, &drafts::ReviewRows { id: DRAFT, me, which, to, why, policies }).map(drop)
        }),
        ("undo_decision", |db| {
            let last = review::last_decision(db, &DRAFT)?.expect("a decision");
            review::undo_decision(db, &DRAFT, ME, &last, &Policies::default()).map(drop)
        }),
        ("begin", |db| {
            let reviewed = review::last_decision(db, &DRAFT)?.map(|last| last.id);
            drafts::begin(db, &DRAFT, &Policies::default(), &me(), &seen(Phase::Draft), &reviewed)
        }),
        ("start", |db| drafts::start(db, &DRAFT, &me(), &seen(Phase::Draft))),
        ("close_drafts", |db| drafts::close(db, &[DRAFT], ME)),
        ("discard", |db| jobs::discard(db, &DRAFT, ME)),
        ("reset_check", |db| duplicates::reset_check(db, &DRAFT, ME, &Phase::Draft)),
        ("record_held", |db| {
            let (me, phase, similar) = (ME.to_owned(), Phase::Draft, Vec::new());
            let rows = vec![(1, EmailKey::of("p1@x.example"))];
            let args = RecordHeld { id: DRAFT, me, phase, held: held(), similar, rows };
            duplicates::record_held(db, &args)
        }),
        ("finish_check", |db| {
            let (me, phase, policies) = (ME.to_owned(), Phase::Draft, Policies::default());
            let known = duplicates::recipients(db, &DRAFT, &phase)?;
            let (corrected, alike) = (known.corrected, known.alike());
            let (complete, begun) = (true, day());
            let args = FinishCheck { id: DRAFT, me, phase, complete, corrected, alike, begun, policies };
            duplicates::finish_check(db, &args).map(drop)
        }),
        ("record_held_of_row", |db| duplicates::record_held_of_row(db, &IN_DOUBT, ME, &1, &held())),
    ]
}

/// Everything that the journal has about jobs. Facts are about the service.
fn about_jobs(db: &Connection) -> Vec<String> {
    let mut all = Vec::new();
    for table in ["job", "row", "request", "claim", "tally", "baseline", "review", "review_row", "decision"] {
        let mut read = db.prepare(&format!("SELECT * FROM {table}")).expect("a statement");
        let columns = read.column_count();
        let rows = read.query_map([], |r| {
            let values = (0..columns).map(|at| r.get_ref(at).map(|value| format!("{value:?}")));
            values.collect::<rusqlite::Result<Vec<_>>>()
        });
        all.extend(rows.expect("read").map(|row| format!("{table} {}", row.expect("a row").join(" "))));
    }
    all
}

#[test]
fn a_process_that_lost_its_jobs_changes_nothing_about_them() {
    for (name, write) in writes() {
        for is_lost in [false, true] {
            let connection = full();
            let db = Tx::on(&connection);
            db.run("UPDATE job SET phase = 'running' WHERE id = ?1", values![UNPROVEN.0]).expect("resumed");
            if is_lost {
                db.script("UPDATE job SET owner = 'another'").expect("taken over");
            }
            let before = about_jobs(&connection);
            // As the runner: an error undoes the write.
            db.script("SAVEPOINT one").expect("begun");
            let done = write(&db);
            if done.is_err() {
                db.script("ROLLBACK TO one").expect("undone");
            }
            let is_refused = matches!(done, Err(tx::Error::Changed(_)));
            assert!(done.is_ok() || is_lost && is_refused, "{name}: {done:?}");
            let is_changed = about_jobs(&connection) != before;
            assert_eq!(is_changed, !is_lost, "{name}");
        }
    }
}

/// A job of three rows in one request, which another process has taken over and sends on. `decided` happens before the answer.
/// Returns the job, and the status of each row.
fn after_late(kind: Kind, rows: FailedRows, decided: &str) -> (Job, Vec<String>) {
    let connection = super::statements::journal();
    let db = Tx::on(&connection);
    let job = match kind {
        Kind::Issue => draft_of(&db, kind, &[row(1), row(2), row(3)]),
        Kind::Revoke => started(&db, kind, 3),
    };
    if kind == Kind::Issue {
        drafts::start(&db, &job, &me(), &seen(Phase::Draft)).expect("started");
    }
    let chunk = request(&db, job);
    assert_eq!(takeover::take_over(&db, &account(), &process("you"), &[], &0).expect("taken"), [job]);
    db.script(&format!("UPDATE job SET phase = 'running'; {decided}")).expect("decided");
    let why = Reason::from(Code::Told);
    let failure = RequestFailure {
        job,
        request: chunk.request,
        now: NOW,
        at: 0,
        rows,
        why: why.clone(),
        how: Ended { outcome: "refused", status: Some(400), accepted: None, why: Some(why.clone()) },
        stop: Some((StopKind::BadRequest, why)),
        next_poll: NOW,
    };
    let is_recorded = record_response::record_failure(&db, &failure).expect("recorded");
    assert!(!is_recorded, "the sender learns that it lost the job");
    let statuses = db.all("SELECT bucket FROM row WHERE job = ?1 ORDER BY no", values![job.0]).expect("rows");
    (snapshots::job(&db, &job, "you").expect("read").expect("a job"), statuses)
}

#[test]
fn a_late_answer_that_is_certain_settles_the_rows_about_which_nobody_decided_since() {
    let doubt = ["in_doubt"; 3];
    let never_seen = "UPDATE row SET bucket = 'not_seen' WHERE no = 1";
    let left = "UPDATE row SET bucket = 'left_out' WHERE no = 1";
    let again = "UPDATE row SET bucket = 'ready' WHERE no = 1";
    let found = "UPDATE row SET bucket = 'waiting', badge = 'B1' WHERE no = 1";
    for (kind, rows, decided, statuses) in [
        (Kind::Issue, FailedRows::Refused, "", ["not_done"; 3]),
        (Kind::Issue, FailedRows::Ready, "", ["not_done"; 3]),
        (Kind::Issue, FailedRows::Refused, never_seen, ["not_done"; 3]),
        (Kind::Issue, FailedRows::Refused, left, ["left_out", "not_done", "not_done"]),
        (Kind::Issue, FailedRows::Refused, again, ["ready", "not_done", "not_done"]),
        // The answer and the history say different things.
        (Kind::Issue, FailedRows::Refused, found, ["waiting", "in_doubt", "in_doubt"]),
        (Kind::Issue, FailedRows::Unproven, "", doubt),
        (Kind::Issue, FailedRows::InDoubt, "", doubt),
        (Kind::Revoke, FailedRows::Refused, "", ["not_done"; 3]),
        (Kind::Revoke, FailedRows::InDoubt, "", doubt),
    ] {
        let (job, now) = after_late(kind, rows, decided);
        assert_eq!(now, statuses, "{kind:?} {rows:?} {decided}");
        assert_eq!((job.phase, &job.stop), (Phase::Running, &None), "its new owner sends it");
        assert!(job.notes().any(|note| note.is(Code::LateAnswer)), "{job:?}");
    }
}

#[test]
fn a_late_acceptance_names_the_badges_that_no_row_has() {
    let connection = super::statements::journal();
    let db = Tx::on(&connection);
    let job = started(&db, Kind::Issue, 2);
    let chunk = request(&db, job);
    takeover::take_over(&db, &account(), &process("you"), &[], &0).expect("taken");
    // A person sent the first row again.
    db.script("UPDATE row SET bucket = 'ready', request = NULL WHERE no = 1").expect("sent again");
    record_response::record_issue_response(&db, &answer(job, &chunk, Some(2), true)).expect("recorded");
    let job = snapshots::job(&db, &job, "you").expect("read").expect("a job");
    let [late] = &job.late_answers[..] else { panic!("{:?}", job.late_answers) };
    let said = late.english();
    assert!(said.contains("2 of 2") && said.contains("B1") && !said.contains("B2"), "{said}");
}

/// Its badges settle the rows at once, if a person reads them.
#[test]
fn a_late_answer_to_a_request_that_the_database_lost_is_shown_with_its_job() {
    let connection = super::statements::journal();
    let db = Tx::on(&connection);
    let job = started(&db, Kind::Issue, 2);
    let chunk = request(&db, job);
    let why = Reason::from(Code::LostWrites);
    lost_writes::doubt_rows(&db, job, ("job = ?1", 2), lost_writes::UNSEARCHED, &why, 0).expect("doubted");
    db.execute("DELETE FROM request WHERE id = ?1", values![chunk.request]).expect("lost");
    record_response::record_issue_response(&db, &answer(job, &chunk, Some(2), true)).expect("recorded");
    let job = snapshots::job(&db, &job, "you").expect("read").expect("a job");
    let [late] = &job.late_answers[..] else { panic!("{:?}", job.late_answers) };
    let said = late.english();
    assert!(said.contains("B1") && said.contains("B2"), "{said}");
    assert_eq!((job.in_flight, job.counts.of(RowStatus::InDoubt)), (0, 2), "they are still looked for");
}
