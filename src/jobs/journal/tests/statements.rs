//! Tests: an operation needs the same number of statements for any number of rows.

use crate::costs::costs;
use crate::domain::address_search::MatchReason;
use crate::domain::{BadgeId, EmailKey, TemplateId, Text, Verdict};
use crate::jobs::job::{JobId, Kind, Phase};
use crate::jobs::journal::Account;
use crate::jobs::journal::jobs::{self, Actor, NewJob, SeenJob};
use crate::jobs::journal::observe::{self, ObserveContext};
use crate::jobs::journal::place::Site;
use crate::jobs::journal::record_response::{self, IssueResponse, RevokeResponse};
use crate::jobs::journal::requests::{Chunk, RequestEntry};
use crate::jobs::journal::rows::{self, NewRow};
use crate::jobs::journal::sending::{self, RecordIntent};
use crate::jobs::journal::tx::{self, Tx, values};
use crate::jobs::journal::{
    Process, accounts, claims, decisions, doubts, drafts, duplicates, schema, sent_here,
};
use crate::jobs::row_status::RowStatus;
use crate::jobs::schedule::Schedule;
use crate::jobs::seen_badge::{SeenBadge, SightSource};
use crate::jobs::settings::{JobConfig, Policies};
use jiff::{SignedDuration, Timestamp};
use rusqlite::Connection;
use rusqlite::trace::{TraceEvent, TraceEventCodes};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

thread_local! {
    static STATEMENTS: Cell<usize> = const { Cell::new(0) };
}

/// Counts statements, without those of triggers.
#[allow(clippy::needless_pass_by_value, reason = "the form of SQLite's callback")]
fn count(event: TraceEvent<'_>) {
    if let TraceEvent::Stmt(_, sql) = event
        && !sql.starts_with("--")
    {
        STATEMENTS.set(STATEMENTS.get() + 1);
    }
}

/// The result of an operation, and the number of its statements.
fn counted<T>(run: impl FnOnce() -> tx::Result<T>) -> (T, usize) {
    STATEMENTS.set(0);
    let result = run().expect("done");
    (result, STATEMENTS.get())
}

const NEW: Timestamp = Timestamp::UNIX_EPOCH;

pub(in crate::jobs::journal) fn journal() -> Connection {
    let mut db = Connection::open_in_memory().expect("a database");
    schema::prepare(&mut db, &Site::none(), "").expect("the schema");
    db.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(count)).expect("traced");
    db
}

/// A draft for `n` people, or for `n` badges to revoke.
fn draft(db: &Tx<'_>, kind: Kind, n: u64) -> JobId {
    let row = |n| NewRow {
        name: "n".into(),
        email: format!("p{n}@x.example"),
        badge: (kind == Kind::Revoke).then(|| badge(n)),
        ..NewRow::default()
    };
    draft_of(db, kind, &(1..=n).map(row).collect::<Vec<_>>())
}

pub(in crate::jobs::journal) fn draft_of(db: &Tx<'_>, kind: Kind, rows: &[NewRow]) -> JobId {
    let owner = Process { id: "me".into(), label: "me".into(), place: None };
    let account = Account { profile: "p".into(), base_url: "u".into(), key: "k".into(), organisation: None };
    let new = NewJob {
        created: 0,
        kind,
        template: TemplateId::new("T").filter(|_| kind == Kind::Issue),
        title: "t".into(),
        origin: None,
        follows: None,
        after: false,
    };
    let job = jobs::insert(db, &account, &owner, &new).expect("a job");
    rows::insert(db, &job, rows).expect("rows");
    job
}

pub(super) fn started(db: &Tx<'_>, kind: Kind, n: u64) -> JobId {
    let job = draft(db, kind, n);
    drafts::start(db, &job, &me(), &seen(Phase::Draft)).expect("started");
    job
}

pub(super) fn me() -> Actor {
    Actor::now("me")
}

pub(in crate::jobs::journal) fn seen(phase: Phase) -> SeenJob {
    SeenJob { owner: "me".into(), phases: vec![phase], decision: i64::MAX }
}

pub(super) fn badge(no: u64) -> BadgeId {
    BadgeId::new(format!("B{no}")).expect("an id")
}

pub(super) fn intent(job: JobId) -> RecordIntent {
    RecordIntent { job, me: "me".into(), most: 1000, at: 0, heard: true }
}

pub(super) fn request(db: &Tx<'_>, job: JobId) -> Chunk {
    sending::record_intent(db, &intent(job)).expect("recorded").expect("a request")
}

pub(super) fn answer(job: JobId, chunk: &Chunk, accepted: Option<u64>, named: bool) -> IssueResponse {
    let named: Vec<_> =
        chunk.entries.iter().filter(|_| named).map(|e: &RequestEntry| (e.no, badge(e.no))).collect();
    IssueResponse {
        job,
        request: chunk.request,
        now: NEW,
        sent: chunk.entries.len() as u64,
        accepted,
        named: named.len() as u64,
        badges: named,
        schedule: Schedule::default(),
    }
}

pub(in crate::jobs::journal) fn context(now: Timestamp) -> ObserveContext {
    ObserveContext { me: "me".into(), account: "k".into(), now, settings: JobConfig::default() }
}

/// A badge with a word that lapel does not know.
pub(super) fn sight(no: u64, word: &str) -> SeenBadge {
    SeenBadge {
        place: SightSource::History,
        badge_id: badge(no),
        template_id: None,
        title: None,
        holder: None,
        email: None,
        verdict: Verdict::Unknown { label: word.into() },
        status: Some(Text::from(word)),
        mail: Some("sent".into()),
        issued_at: None,
        valid_until: None,
        revoke_at: None,
        reg_date: None,
    }
}

fn with(db: &Tx<'_>, job: JobId, status: RowStatus) -> u64 {
    jobs::counts(db, job).expect("counts").of(status)
}

/// Checks that an operation needs the same statements for one row and for many.
#[track_caller]
fn same(statements: impl Fn(u64) -> usize) {
    assert_eq!(statements(1), statements(500));
}

#[test]
fn a_request_and_its_answer() {
    let both = |n| {
        let connection = journal();
        let db = Tx::on(&connection);
        let job = started(&db, Kind::Issue, n);
        let (chunk, first) = counted(|| sending::record_intent(&db, &intent(job)));
        let chunk = chunk.expect("a request");
        assert_eq!(chunk.entries.len() as u64, n);
        let answer = answer(job, &chunk, Some(n), true);
        let (bound, second) = counted(|| record_response::record_issue_response(&db, &answer));
        assert_eq!(bound.len() as u64, n);
        assert_eq!(with(&db, job, RowStatus::Waiting), n);
        (first, second)
    };
    assert_eq!(both(1), (6, 6));
    assert_eq!(both(1000), (6, 6));
}

#[test]
fn a_page_of_a_poll() {
    same(|n| {
        let connection = journal();
        let db = Tx::on(&connection);
        let job = started(&db, Kind::Issue, n);
        let chunk = request(&db, job);
        record_response::record_issue_response(&db, &answer(job, &chunk, Some(n), true)).expect("recorded");
        let page: Vec<SeenBadge> = (1..=n).map(|no| sight(no, "baking")).collect();
        // So soon after the request, an unknown word means waiting; every badge teaches that.
        let (_, first) = counted(|| observe::observe(&db, &context(NEW), &page));
        assert_eq!(with(&db, job, RowStatus::Waiting), n);
        let learned = "SELECT times FROM fact WHERE name = 'means baking' AND value = 'waiting'";
        assert_eq!(db.row(learned, values![], |r| r.get::<i64>(0)).expect("a fact"), n as i64);
        first
    });
}

#[test]
fn a_page_with_revoked_badges() {
    same(|n| {
        let connection = journal();
        let db = Tx::on(&connection);
        let job = started(&db, Kind::Revoke, n);
        let chunk = request(&db, job);
        let answer = RevokeResponse {
            job,
            request: chunk.request,
            now: NEW,
            sent: n,
            accepted: None,
            schedule: Schedule::default(),
        };
        record_response::record_revoke_response(&db, &answer).expect("recorded");
        let page: Vec<SeenBadge> = (1..=n)
            .map(|no| SeenBadge {
                verdict: Verdict::Revoked { at: None, reason: None, label: None },
                ..sight(no, "revoked")
            })
            .collect();
        let (seen, statements) = counted(|| observe::observe(&db, &context(NEW), &page));
        assert_eq!((seen.touched[&job].len() as u64, with(&db, job, RowStatus::Revoked)), (n, n));
        statements
    });
}

#[test]
fn the_answer_to_a_revocation_of_issued_badges() {
    same(|n| {
        let connection = journal();
        let db = Tx::on(&connection);
        let issue = started(&db, Kind::Issue, n);
        let chunk = request(&db, issue);
        record_response::record_issue_response(&db, &answer(issue, &chunk, Some(n), true)).expect("recorded");
        let job = started(&db, Kind::Revoke, n);
        let answer = RevokeResponse {
            job,
            request: request(&db, job).request,
            now: NEW,
            sent: n,
            accepted: Some(n),
            schedule: Schedule::default(),
        };
        let (_, statements) = counted(|| record_response::record_revoke_response(&db, &answer));
        assert_eq!((with(&db, job, RowStatus::Revoking), with(&db, issue, RowStatus::Revoking)), (n, n));
        statements
    });
}

#[test]
fn rows_in_doubt() {
    same(|n| {
        let connection = journal();
        let db = Tx::on(&connection);
        let job = started(&db, Kind::Issue, n * 2);
        let chunk = request(&db, job);
        record_response::record_issue_response(&db, &answer(job, &chunk, None, false)).expect("recorded");
        assert_eq!(with(&db, job, RowStatus::InDoubt), n * 2);
        jobs::set_checked(&db, job, NEW).expect("checked");
        // Every second row is found. The others never come.
        let found: HashMap<EmailKey, Vec<SeenBadge>> = (1..=n)
            .map(|no| (EmailKey::of(&format!("p{no}@x.example")), vec![sight(no, "baking")]))
            .collect();
        let complete: HashSet<EmailKey> =
            (1..=n * 2).map(|no| EmailKey::of(&format!("p{no}@x.example"))).collect();
        let settings = JobConfig::default();
        let args = doubts::ResolveDoubts {
            context: context(NEW + settings.doubt_window + SignedDuration::from_secs(1)),
            jobs: HashSet::from([job]),
            found,
            complete,
            at: 0,
            zone: None,
        };
        let (_, statements) = counted(|| doubts::resolve_doubts(&db, &args));
        assert_eq!((with(&db, job, RowStatus::UnknownState), with(&db, job, RowStatus::NeverSeen)), (n, n));
        statements
    });
}

#[test]
fn claims_of_recipients_that_other_jobs_have() {
    same(|n| {
        let connection = journal();
        let db = Tx::on(&connection);
        // A third is sent, a third unsent in a stopped job, and a third is allowed beside what was sent.
        let sent = started(&db, Kind::Issue, n);
        let chunk = request(&db, sent);
        record_response::record_issue_response(&db, &answer(sent, &chunk, Some(n), true)).expect("recorded");
        let idle = started(&db, Kind::Issue, n * 3);
        jobs::set_phase(&db, &idle, &Phase::Stopped).expect("stopped");
        let job = draft(&db, Kind::Issue, n * 3);
        let ((), statements) = counted(|| drafts::start(&db, &job, &me(), &seen(Phase::Draft)));
        assert_eq!((with(&db, job, RowStatus::NeedsReview), with(&db, job, RowStatus::Ready)), (n, n * 2));
        let allowed = draft(&db, Kind::Issue, n * 2);
        let (rivals, check) = counted(|| claims::rivals(&db, allowed, "row.bucket = 'ready'"));
        for (no, rival, _) in rivals {
            let values = values![allowed.0, no, rival.claim_id()];
            db.execute("UPDATE row SET allowed = 'sent', seen = ?3 WHERE job = ?1 AND no = ?2", values)
                .expect("allowed");
        }
        let ((), beside) = counted(|| drafts::start(&db, &allowed, &me(), &seen(Phase::Draft)));
        assert_eq!(with(&db, allowed, RowStatus::Ready), n * 2);
        statements * 10_000 + check * 100 + beside
    });
}

/// A draft for `n` people at one address, all of which a person allowed.
fn one_address(db: &Tx<'_>, n: u64) -> JobId {
    let row = |n| NewRow { name: format!("n{n}"), email: "office@x.example".into(), ..NewRow::default() };
    let job = draft_of(db, Kind::Issue, &(1..=n).map(row).collect::<Vec<_>>());
    db.execute("UPDATE row SET allowed = 'shared_address' WHERE job = ?1", values![job.0]).expect("allowed");
    job
}

#[test]
fn claims_of_rows_with_one_address() {
    let statements = |n| {
        let connection = journal();
        let db = Tx::on(&connection);
        let job = one_address(&db, n);
        let ((), begin) = counted(|| drafts::start(&db, &job, &me(), &seen(Phase::Draft)));
        let slots: (i64, i64) = db
            .row("SELECT count(*), max(slot) FROM claim", values![], |r| Ok((r.get(0)?, r.get(1)?)))
            .expect("claims");
        assert_eq!(slots, (n as i64, n as i64 - 1), "one after the other");
        let (rivals, check) = counted(|| claims::rivals(&db, job, "row.bucket = 'ready'"));
        assert!(rivals.is_empty());
        let (_, intent) = counted(|| sending::record_intent(&db, &intent(job)));
        (begin, check, intent)
    };
    assert_eq!(statements(2), statements(500));
}

#[test]
fn a_row_is_sent_although_an_earlier_one_with_its_address_has_no_claim() {
    let connection = journal();
    let db = Tx::on(&connection);
    let job = one_address(&db, 3);
    drafts::start(&db, &job, &me(), &seen(Phase::Draft)).expect("started");
    db.execute("DELETE FROM claim WHERE no = 1", values![]).expect("gone");
    let sent = request(&db, job).entries;
    assert_eq!(sent.iter().map(|entry| entry.no).collect::<Vec<_>>(), [2]);
    assert_eq!((with(&db, job, RowStatus::NeedsReview), with(&db, job, RowStatus::Ready)), (1, 1));
}

#[test]
fn corrected_rows() {
    same(|n| {
        let connection = journal();
        let db = Tx::on(&connection);
        let job = draft(&db, Kind::Issue, n);
        let corrected: Vec<rows::CorrectRow> = (1..=n)
            .map(|no| rows::CorrectRow {
                no,
                name: format!("사람 {no}"),
                email: format!("q{no}@x.example"),
                row_status: RowStatus::Ready,
                why: None,
            })
            .collect();
        let ((), statements) = counted(|| drafts::correct_rows(&db, &job, "me", &corrected));
        // The hash follows the address.
        let other = draft(&db, Kind::Issue, 0);
        let row = |no| NewRow { email: format!("q{no}@x.example"), ..NewRow::default() };
        rows::insert(&db, &other, &(1..=n).map(row).collect::<Vec<_>>()).expect("rows");
        let equal = "SELECT count(*) FROM row JOIN row AS other USING (no, email, email_key, person)
                     WHERE row.job = ?1 AND other.job = ?2 AND row.name = '사람 ' || no";
        let equal = db.row(equal, values![job.0, other.0], |r| r.get::<i64>(0)).expect("counted");
        assert_eq!(equal, n as i64);
        statements
    });
}

#[test]
fn decisions_about_rows() {
    same(|n| {
        let connection = journal();
        let db = Tx::on(&connection);
        let job = started(&db, Kind::Issue, n);
        jobs::set_phase(&db, &job, &Phase::Paused).expect("paused");
        let rows: Vec<u64> = (1..=n).collect();
        let (done, cancelled) =
            counted(|| decisions::cancel_rows(&db, &job, &Kind::Issue, &rows, &me(), "me"));
        assert!(done);
        assert_eq!(with(&db, job, RowStatus::Skipped), n);
        let job = started(&db, Kind::Issue, n);
        request(&db, job);
        db.execute("UPDATE row SET bucket = 'not_seen' WHERE job = ?1", values![job.0]).expect("never seen");
        let (done, left) = counted(|| decisions::leave_rows(&db, &job, &rows, &me(), "", "me"));
        assert!(done.is_ok());
        assert_eq!(with(&db, job, RowStatus::Skipped), n);
        cancelled * 100 + left
    });
}

#[test]
fn the_end_of_a_duplicate_check() {
    same(|n| {
        let connection = journal();
        let db = Tx::on(&connection);
        started(&db, Kind::Issue, n);
        let job = draft(&db, Kind::Issue, n);
        let known = duplicates::recipients(&db, &job, &Phase::Draft).expect("recipients");
        let args = duplicates::FinishCheck {
            id: job,
            me: "me".into(),
            phase: Phase::Draft,
            complete: true,
            corrected: known.corrected,
            alike: known.alike(),
            begun: NEW,
            policies: Policies::default(),
        };
        let (_, statements) = counted(|| duplicates::finish_check(&db, &args));
        assert_eq!(with(&db, job, RowStatus::Ready), 0, "another job is about to send to all of them");
        assert_eq!(
            schema::check(&db).expect("checked"),
            Vec::<String>::new(),
            "the counts are those of the rows"
        );
        statements
    });
}

#[test]
fn costs_of_recording_an_answer() {
    let connection = journal();
    let db = Tx::on(&connection);
    let mut answers = Vec::new();
    let job = started(&db, Kind::Issue, 200);
    while let Some(chunk) =
        sending::record_intent(&db, &RecordIntent { most: 100, ..intent(job) }).expect("recorded")
    {
        answers.push(answer(job, &chunk, Some(100), true));
    }
    let [first, second] = &answers[..] else { panic!("{} requests", answers.len()) };
    let record = |answer| record_response::record_issue_response(&db, answer).expect("recorded");
    assert_eq!(record(first).len(), 100);
    costs("record the answer to a request for 100 badges", || drop(record(second)));
    assert_eq!(with(&db, job, RowStatus::Waiting), 200);
}

/// The undo of a job may be planned before its badges have ids.
#[test]
fn a_revocation_that_waits_for_the_id_of_a_badge_gets_it_with_the_answer() {
    let connection = journal();
    let db = Tx::on(&connection);
    let issue = started(&db, Kind::Issue, 2);
    let chunk = request(&db, issue);
    let waiting = |no| NewRow { of: Some((issue, no)), ..NewRow::default() };
    let undo = draft_of(&db, Kind::Revoke, &[waiting(1), waiting(2)]);
    record_response::record_issue_response(&db, &answer(issue, &chunk, Some(2), true)).expect("recorded");
    let sql = "SELECT badge FROM row WHERE job = ?1 ORDER BY no";
    let ids: Vec<Option<String>> = db.rows(sql, values![undo.0], |r| r.get(0)).expect("rows");
    assert_eq!(ids, ["B1", "B2"].map(|id| Some(id.to_owned())));
}

/// A copy of the service, for tests, has ids of its own that may be the same.
#[test]
fn a_badge_of_another_service_keeps_no_row_from_its_badge() {
    let connection = journal();
    let db = Tx::on(&connection);
    for (service, bound) in [("u", 1), ("u", 0), ("v", 1)] {
        let row = NewRow { email: "p@x.example".into(), ..NewRow::default() };
        let job = draft_of(&db, Kind::Issue, &[row]);
        db.execute("UPDATE job SET base_url = ?2 WHERE id = ?1", values![job.0, service]).expect("a service");
        let (badge, request) = (badge(1), None);
        let found = rows::bind(&db, &[rows::Binding { job, no: 1, badge: &badge, at: 0, request }]);
        assert_eq!(found.expect("asked").len(), bound, "{service}");
    }
}

#[test]
fn of_two_rows_with_one_badge_the_first_that_may_have_it_gets_it() {
    for (may_first, bound) in [(false, [false, true]), (true, [true, false])] {
        let connection = journal();
        let db = Tx::on(&connection);
        let job = started(&db, Kind::Issue, 2);
        let chunk = request(&db, job);
        let badge = badge(1);
        let binding = |no, request| rows::Binding { job, no, badge: &badge, at: 0, request: Some(request) };
        // The first row may have been sent again.
        let of_first = if may_first { chunk.request } else { 0 };
        let found = rows::bind(&db, &[binding(1, of_first), binding(2, chunk.request)]).expect("bound");
        assert_eq!(found, std::slice::from_ref(&badge));
        let sql = "SELECT badge IS NOT NULL FROM row WHERE job = ?1 ORDER BY no";
        let has: Vec<bool> = db.rows(sql, values![job.0], |r| r.get(0)).expect("rows");
        assert_eq!(has, bound);
    }
}

#[test]
fn an_exact_name_is_found_behind_many_newer_similar_ones() {
    let connection = journal();
    let db = Tx::on(&connection);
    let sent = |name: &str, people: std::ops::Range<u64>| {
        let row = |n| NewRow { name: name.into(), email: format!("p{n}@x.example"), ..NewRow::default() };
        let job = draft_of(&db, Kind::Issue, &people.map(row).collect::<Vec<_>>());
        drafts::start(&db, &job, &me(), &seen(Phase::Draft)).expect("started");
        request(&db, job);
        job
    };
    let exact = sent("독고탁", 0..1);
    sent("독고가", 1..31);
    let account = Account { profile: "p".into(), base_url: "u".into(), key: "k".into(), organisation: None };
    let found = sent_here::sent_alike(&db, &account, &None, &Some("독고탁".into())).expect("read");
    assert_eq!((found.len(), found[0].sent.job), (31, exact));
    assert_eq!(found[0].why, [MatchReason::SameName]);
}

#[test]
fn what_was_sent_to_an_address_is_found_until_it_is_purged() {
    let connection = journal();
    let db = Tx::on(&connection);
    let job = started(&db, Kind::Issue, 2);
    request(&db, job);
    let account = Account { profile: "p".into(), base_url: "u".into(), key: "k".into(), organisation: None };
    let sent = |email: &str| {
        let key = EmailKey::of(email);
        sent_here::sent_to(&db, &account, &key).expect("read").len()
    };
    assert_eq!(["P1@x.example", "p2@x.example", "p3@x.example", ""].map(sent), [1, 1, 0, 0]);
    let alike = |address: Option<&str>, name: Option<&str>| {
        let own = |text: &str| text.to_owned();
        sent_here::sent_alike(&db, &account, &address.map(own), &name.map(own)).expect("read")
    };
    let named = |name: &str| alike(None, Some(name));
    assert_eq!(["n", "other", ""].map(|name| named(name).len()), [2, 0, 0]);
    assert!(named("n").iter().all(|one| one.address == "p***@x.example"), "{:?}", named("n"));
    let similar = |address| alike(Some(address), None).into_iter().map(|one| one.why).collect::<Vec<_>>();
    assert_eq!(similar("p1+x@x.example"), [[MatchReason::OtherTag]]);
    assert_eq!(
        similar("P1@x.example"),
        [[MatchReason::OtherTag]; 0],
        "the address itself is found by its own search"
    );
    // The claims stay, so that nobody gets a second badge.
    db.execute("UPDATE row SET name = '', email = '', email_key = ''", values![]).expect("purged");
    assert_eq!((sent("p1@x.example"), named("n").len()), (0, 0));
}

#[test]
fn a_planned_revocation_is_found_by_its_badge_once_its_job_has_begun() {
    let connection = journal();
    let db = Tx::on(&connection);
    let account = Account { profile: "p".into(), base_url: "u".into(), key: "k".into(), organisation: None };
    accounts::join(&db, &account).expect("joined");
    let row = NewRow { badge: Some(badge(1)), row_status: Some(RowStatus::ToRevoke), ..NewRow::default() };
    let job = draft_of(&db, Kind::Revoke, &[row]);
    let planned = || {
        let badges = [badge(1), badge(2)];
        sent_here::planned_revocations(&db, &account, &badges).expect("read")
    };
    assert!(planned().is_empty(), "a draft is no plan");
    drafts::start(&db, &job, &me(), &seen(Phase::Draft)).expect("started");
    assert_eq!(planned(), HashMap::from([(badge(1), job)]));
    let stranger = Account { key: "other".into(), ..account.clone() };
    assert!(sent_here::planned_revocations(&db, &stranger, &[badge(1)]).expect("read").is_empty());
    db.execute("UPDATE job SET phase = 'paused'", values![]).expect("paused");
    assert!(planned().is_empty(), "nothing is revoked before a person resumes it");
}
