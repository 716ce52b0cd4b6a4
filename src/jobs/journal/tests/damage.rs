//! Tests: changed bytes in a journal. Every operation ends, and says what is wrong if it cannot read the
//! columns or the file.

use super::statements::{
    answer, badge, context, draft_of, intent, journal, me, request, seen, sight, started,
};
use crate::domain::{EmailKey, ServiceClock, TemplateId};
use crate::fs::Overwrite;
use crate::i18n::Language;
use crate::jobs::duplicate_kind::DuplicateKind;
use crate::jobs::intake::{Choices, ColumnMap, HeaderRow, NameColumns};
use crate::jobs::job::{FileSource, Job, JobId, JobOrigin, JobRow, Kind, Phase, StopKind};
use crate::jobs::journal::backup::{OpenJobs, back_up_at, restore_at};
use crate::jobs::journal::behaviour::{BehaviourObservation, KeptValue};
use crate::jobs::journal::file_status::FileStatus;
use crate::jobs::journal::place::Site;
use crate::jobs::journal::record_response::{FailedRows, RequestFailure, RevokeResponse};
use crate::jobs::journal::requests::Ended;
use crate::jobs::journal::rows::{CorrectRow, NewRow, RowField, RowFilter, RowPart};
use crate::jobs::journal::transfer::{BeginMove, OtherJournal};
use crate::jobs::journal::tx::{self, Tx, values};
use crate::jobs::journal::{
    Account, Journal, JournalError, Process, accounts, adopt, behaviour, claims, decisions, doubts, drafts,
    duplicates, earlier_drafts, jobs, known_offset, observe, polling, purge, recent_jobs, recent_templates,
    record_response, refusals, review, rows, schema, sending, sent_here, snapshots, takeover, transfer,
};
use crate::jobs::reason::{Code, Reason};
use crate::jobs::reports;
use crate::jobs::row_groups::{Decision, RowSelection};
use crate::jobs::row_status::RowStatus;
use crate::jobs::schedule::Schedule;
use crate::jobs::settings::Policies;
use jiff::Timestamp;
use rusqlite::Connection;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

pub(super) const NOW: Timestamp = Timestamp::UNIX_EPOCH;

pub(super) fn account() -> Account {
    Account { profile: "p".into(), base_url: "u".into(), key: "k".into(), organisation: Some("o".into()) }
}

pub(super) fn process(id: &str) -> Process {
    Process { id: id.into(), label: Reason::from(Code::Process).with("id", 1).stored(), place: None }
}

fn origin() -> JobOrigin {
    let sheet = Reason::from(Code::Sheet).with("sheet", "s");
    let header = Reason::from(Code::HeaderRow).with("row", 1);
    JobOrigin {
        file: Some("x.csv".into()),
        sha256: "ab".into(),
        columns: vec!["성명".into(), "메일".into()],
        read_as: Reason::list(Code::ReadAs, vec![sheet, header]),
        map: Some(ColumnMap { name: NameColumns::One(0), email: 1, template: None }),
        source: Some(FileSource {
            path: "/home/a/people.csv".into(),
            choices: Choices {
                sheet: Some("s".into()),
                header: Some(HeaderRow::At(1)),
                ..Choices::default()
            },
            by_column: false,
        }),
    }
}

fn other() -> OtherJournal {
    OtherJournal { name: "n".into(), place: "db".into(), file: "team db".into() }
}

pub(super) fn row(n: u64) -> NewRow {
    NewRow {
        line: Some(n + 1),
        cells: vec!["이름".into(), format!("p{n}@x.example")],
        name: "이름".into(),
        email: format!("p{n}@x.example"),
        ..NewRow::default()
    }
}

/// A journal with rows in every table: jobs in all phases, with rows in most statuses.
#[expect(clippy::too_many_lines, reason = "one row after the other, for each table")]
pub(super) fn full() -> Connection {
    let connection = journal();
    let db = Tx::on(&connection);
    let begun = |first: u64| {
        let job = draft_of(&db, Kind::Issue, &[row(first), row(first + 1)]);
        drafts::start(&db, &job, &me(), &seen(Phase::Draft)).expect("started");
        job
    };
    let failed = |first, rows, outcome| {
        let job = begun(first);
        let failure = RequestFailure {
            job,
            request: request(&db, job).request,
            now: NOW,
            at: 0,
            rows,
            why: Code::Interrupted.into(),
            how: Ended { outcome, status: Some(422), accepted: None, why: Some(Code::Told.into()) },
            stop: None,
            next_poll: NOW,
        };
        record_response::record_failure(&db, &failure).expect("recorded");
        job
    };
    accounts::join(&db, &account()).expect("joined");
    let issue = started(&db, Kind::Issue, 3);
    let chunk = request(&db, issue);
    record_response::record_issue_response(&db, &answer(issue, &chunk, Some(3), true)).expect("recorded");
    observe::observe(&db, &context(NOW), &[sight(1, "baking"), sight(2, "baked")]).expect("seen");
    request(&db, begun(10));
    failed(12, FailedRows::InDoubt, "in_doubt");
    failed(14, FailedRows::Unproven, "refused");
    failed(16, FailedRows::Refused, "refused");
    failed(18, FailedRows::Unbound, "accepted");
    let revoke = started(&db, Kind::Revoke, 2);
    let answer = RevokeResponse {
        job: revoke,
        request: request(&db, revoke).request,
        now: NOW,
        sent: 2,
        accepted: Some(1),
        schedule: Schedule::default(),
    };
    record_response::record_revoke_response(&db, &answer).expect("recorded");
    let asks = NewRow {
        row_status: Some(RowStatus::NeedsReview),
        why: Some(Reason::from(Code::DomainSlip).with("meant", "x.example")),
        ..row(9)
    };
    let draft = draft_of(&db, Kind::Issue, &[row(1), row(1), row(8), asks]);
    drafts::keep(&db, &[draft]).expect("kept");
    let review = drafts::ReviewRows {
        id: draft,
        me: "me".into(),
        which: RowSelection::One(4),
        to: RowStatus::Ready,
        why: None,
        policies: Policies::default(),
    };
    drafts::review_rows(&db, &review).expect("reviewed");
    correct(&db, draft).expect("corrected");
    let known = duplicates::recipients(&db, &draft, &Phase::Draft).expect("read");
    let finish = duplicates::FinishCheck {
        id: draft,
        me: "me".into(),
        phase: Phase::Draft,
        complete: true,
        corrected: known.corrected,
        alike: known.alike(),
        begun: NOW,
        policies: Policies::default(),
    };
    duplicates::finish_check(&db, &finish).expect("checked");
    let fact = BehaviourObservation::once(behaviour::OFFSET, "+09:00", Code::ReadInBadges);
    behaviour::learn(&db, &account().of_facts(), &[fact], &0).expect("learned");
    behaviour::keep(&db, &KeptValue::of("file", "/home/a/people.csv", 0)).expect("kept");
    db.execute(
        "UPDATE job SET origin = ?1, owner_label = ?2",
        values![jobs::stored_origin(&origin()), process("me").label],
    )
    .expect("filled");
    for id in [JobId(3), JobId(4)] {
        db.execute("UPDATE job SET phase = 'running', guarded_at = 0 WHERE id = ?1", values![id.0])
            .expect("filled");
        jobs::stop(&db, &id, &StopKind::Quota, &Code::Interrupted.into()).expect("stopped");
        let twice = Reason::from(Code::SomeIssuedTwice).with("n", 1).with("id", "B1");
        jobs::set_note(&db, id, &twice).expect("noted");
        let failed = Reason::from(Code::PollFailed).because("why", Code::Lost.into());
        jobs::set_poll_note(&db, id, Some(&failed)).expect("noted");
    }
    db.script(
        "INSERT INTO handover VALUES ('h', 0, 'c' || char(10) || 'id', '/b', TRUE, 'ready', 'd');
           INSERT INTO job (kind, phase, created, profile, base_url, account, title, handover, was, after, follows)
               VALUES ('revoke', 'moved', 0, 'p', 'u', 'k', 't', 'h', 'running', TRUE, 1);
           INSERT INTO row (job, no, name, email, email_key, bucket, of_job, of_no)
               VALUES (last_insert_rowid(), 1, 'n', 'e', 'e', 'queued', 1, 1);
           INSERT INTO baseline (job, email_key, badge) VALUES (1, 'p1@x.example', 'B77');
           INSERT INTO decision (at, job, no, what, who, why) VALUES (0, 1, 1, 'note', 'me', 'w');
           INSERT INTO imported VALUES ('other', 1, 1);
           INSERT INTO kept VALUES ('reason', 'r', 'r', 0)",
    )
    .expect("filled");
    connection
}

fn correct(db: &Tx<'_>, job: JobId) -> tx::Result<()> {
    let row = CorrectRow {
        no: 3,
        name: "바로".into(),
        email: "p3@x.example".into(),
        row_status: RowStatus::NeedsReview,
        why: Some(Code::SameAddress.into()),
    };
    drafts::correct_rows(db, &job, "me", &[row])
}

/// Reads a job and its rows as all screens, files and commands do.
fn show(db: &Tx<'_>, job: &Job) {
    let mut clock = ServiceClock::new(None, 1.0);
    clock.hear(NOW, std::time::Instant::now());
    let _ = reports::head(job, &(job.counts.clone(), job.refusals.unproven_ready), &clock);
    let _ = (job.with_issue(job), job.clone().into_abandoned());
    let _ = (job.is_open(), job.is_sending(), job.is_waiting(), job.can_pause(), job.offers_retry());
    let _ =
        (job.to_send(), job.left_to_resume(), job.held_by_refusal(), job.counts.total(), job.notes().count());
    let parts = RowStatus::ALL.iter().map(|row_status| RowPart { row_status: *row_status, key: None });
    let group = |group: &str| RowFilter { group: Some(group.into()), ..RowFilter::default() };
    let sorted = |field| RowFilter { order: Some((field, true)), skip: 1, ..RowFilter::default() };
    let filters = [
        RowFilter::default(),
        RowFilter { row_statuses: RowStatus::ALL.to_vec(), skip: 1, ..sorted(RowField::Filter) },
        RowFilter { parts: parts.collect(), ..RowFilter::default() },
        RowFilter { text: Some("#1".into()), ..sorted(RowField::Line) },
        RowFilter { unproven: Some(false), skip: 1, ..RowFilter::default() },
        group("domain_slip"),
        sorted(RowField::RowStatus),
        sorted(RowField::Why),
        sorted(RowField::Accepted),
    ];
    for filter in filters {
        let _ = rows::count(db, &job.id, &filter);
        let _ = rows::before_in_list(db, &job.id, &filter, &2);
        let read = rows::page(db, &job.id, &filter, &100, &i64::MAX);
        read.unwrap_or_default().into_iter().for_each(|row| show_row(job, row));
    }
}

fn show_row(job: &Job, row: JobRow) {
    let _ = reports::line(job, &row, &ServiceClock::new(Some(jiff::tz::Offset::MAX), 1.0));
    let _ = (row.suggested_address(), row.suggested_name(), row.shown_duplicate());
    for why in row.why.iter().chain(&row.also) {
        let _ = (why.to_string(), why.in_language(Language::Korean));
    }
    let _ = reports::issued_badge(job, row);
}

/// Runs an operation, and says why it fails. With `undoes`, it changes nothing for the next one.
fn run<T>(db: &Tx<'_>, undoes: bool, op: impl FnOnce() -> tx::Result<T>) -> Option<T> {
    if undoes {
        let _ = db.script("SAVEPOINT one");
    }
    let done =
        op().map_err(|why| assert!(!JournalError::failed(&why, "journal").to_string().is_empty())).ok();
    if undoes {
        let _ = db.script("ROLLBACK TO one; RELEASE one");
    }
    done
}

/// Every operation of [`crate::jobs::journal::Store`], on every job.
#[expect(clippy::too_many_lines, reason = "a list of all operations")]
fn everything(db: &Tx<'_>, undoes: bool) {
    macro_rules! run {
        ($($op:expr),+ $(,)?) => { $(let _ = run(db, undoes, || $op);)+ };
    }
    let (account, owner, actor, policies) = (account(), process("me"), me(), Policies::default());
    let (ids, wanted): (Vec<JobId>, _) = ((1..=10).map(JobId).collect(), || EmailKey::of("p1@x.example"));
    let all: HashSet<JobId> = ids.iter().copied().collect();
    let template = TemplateId::new("T").expect("an id");
    for job in run(db, undoes, || snapshots::jobs(db, &account, "me", &100)).unwrap_or_default() {
        show(db, &job);
    }
    run!(
        schema::quick_check(db),
        schema::check(db),
        drafts::kept(db, &account, "me"),
        behaviour::all(db, &account.of_facts()),
        behaviour::newest(db, "file", &10),
        behaviour::kept(db, "reason", "r"),
        sending::ready_jobs(db, "me"),
        jobs::newest_decision(db),
        claims::sent_before(db, &account, &template, &wanted())
            .map(|rival| rival.map(|it| it.why().to_string())),
        polling::open_jobs(db, "me"),
        polling::poll_targets(db, &ids),
        polling::revoke_targets(db, &ids),
        polling::first_accepted(db, &account.of_facts(), behaviour::WAITING, &ids),
        polling::issued(db, &[badge(1)]),
        polling::timed_email(db, &badge(1)),
        polling::waiting_badge(db, &account, behaviour::WAITING),
        observe::observe(db, &context(NOW), &[sight(1, "baking"), sight(2, "baked")]),
        observe::note_absence(db, &context(NOW), &badge(1)),
        doubts::due(db, &context(Timestamp::MAX), &all),
        doubts::resolve_doubts(
            db,
            &doubts::ResolveDoubts {
                context: context(Timestamp::MAX),
                jobs: all.clone(),
                found: HashMap::from([(wanted(), vec![sight(30, "baking")])]),
                complete: HashSet::from([wanted(), EmailKey::of("p2@x.example")]),
                at: 0,
                zone: Some(jiff::tz::Offset::MAX),
            }
        ),
        observe::mark_overdue(
            db,
            &observe::MarkOverdue {
                me: "me".into(),
                jobs: ids.clone(),
                now: Timestamp::MAX,
                zone: Some(jiff::tz::Offset::MIN),
                unread: Vec::new(),
            }
        ),
        polling::schedule_next(
            db,
            &polling::ScheduleNext {
                me: "me".into(),
                jobs: ids.clone(),
                schedule: Schedule::default(),
                now: Timestamp::MIN,
                not_read: polling::NotRead { failed: None, badges: None, history_of: HashSet::new() },
            }
        ),
        accounts::is_joined(db, &account),
        takeover::other_owners(db, &account, "you"),
        takeover::has_orphans(db, &account, "you"),
        takeover::abandoned(db, &account, &[], "you"),
        takeover::changes(db, &account, "you"),
        takeover::take_over(db, &account, &process("you"), &[], &0),
        sent_here::sent_badge(db, &account, &badge(1)),
        sent_here::sent_to(db, &account, &wanted()),
        sent_here::sent_alike(db, &account, &Some("p11@x.example".into()), &Some("이름".into())),
        sent_here::requested(db, &account, &wanted()),
        sent_here::planned_revocations(db, &account, &[badge(1)]),
        sent_here::domains(db, &account),
        transfer::count_here(db, &account),
        transfer::elsewhere(db, &account),
        transfer::beside(db, &account, &other()),
        transfer::owners(db, &account, "you"),
        transfer::known_there(db, &account),
        transfer::numbers_here(db, "other", &ids),
        transfer::expect(db, &account, &other()),
        adopt::adopt(db, &Account { key: "new".into(), ..account.clone() }, "k", &["me".into()], &actor),
    );
    for id in &ids {
        if let Some(Some(job)) = run(db, undoes, || snapshots::job(db, id, "me")) {
            show(db, &job);
        }
        run!(
            drafts::groups(db, id),
            drafts::ready_rows(db, id),
            review::last_decision(db, id),
            earlier_drafts::decisions(db, &vec![*id], &JobId(8)),
            duplicates::emails(db, id, &Phase::Draft),
            duplicates::recipients(db, id, &Phase::Draft),
            duplicates::some_without_badge(db, id, &Phase::Draft, &10),
            duplicates::other_titles(db, id),
            duplicates::email_of_sent(db, id, &1, &Phase::Running),
            claims::rivals(db, *id, "TRUE"),
            refusals::is_unproven(db, *id),
            refusals::proof(db, id, &context(NOW)),
            sending::refused_size(db, id),
            decisions::reviewed_row(db, id, &1),
            decisions::never_seen(db, id, &None, &i64::MAX),
            rows::cells(db, id),
            rows::places_of(db, id, &2),
            rows::number_of(db, id, &1),
            rows::equal_before(db, id, &2),
            rows::insert(db, id, &[row(5)]),
            drafts::finish_rows(db, id, &[row(6)], &[("x.example".into(), "y.example".into())]),
            correct(db, *id),
            duplicates::finish_check(
                db,
                &duplicates::FinishCheck {
                    id: *id,
                    me: "me".into(),
                    phase: Phase::Draft,
                    complete: true,
                    corrected: None,
                    alike: vec![(1, 1), (1, 2)],
                    begun: NOW,
                    policies: policies.clone(),
                }
            ),
            drafts::review_rows(
                db,
                &drafts::ReviewRows {
                    id: *id,
                    me: "me".into(),
                    which: RowSelection::Class(DuplicateKind::ALL[0]),
                    to: RowStatus::Ready,
                    why: None,
                    policies: policies.clone(),
                }
            ),
            review::last_decision(db, id).and_then(|last| match last {
                Some(last) => review::undo_decision(db, id, "me", &last, &policies),
                None => Ok(false),
            }),
            drafts::begin(db, id, &policies, &actor, &seen(Phase::Draft), &None),
            drafts::start(db, id, &actor, &seen(Phase::Draft)),
            decisions::resume(db, id, &None, &actor, &seen(Phase::Stopped)),
            sending::has_ready(db, id, "me"),
            sending::record_intent(db, &intent(*id)),
            sending::withdraw_intent(db, id.0),
            decisions::retry(
                db,
                &decisions::Retry {
                    id: *id,
                    kind: Kind::Issue,
                    phase: Phase::Running,
                    policies: policies.clone(),
                    actor: actor.clone(),
                    seen: seen(Phase::Running),
                }
            ),
            decisions::resolve_row(
                db,
                &decisions::ResolveRow {
                    id: *id,
                    no: 1,
                    decision: Decision::SendAgain,
                    actor: actor.clone(),
                    why: String::new(),
                    now: 0,
                    seen: seen(Phase::Running),
                    shown: None,
                }
            ),
            decisions::leave_rows(db, id, &[1, 2], &actor, "", "me"),
            decisions::cancel(db, id, &Kind::Issue, &actor, &owner),
            transfer::came_as(db, id),
            takeover::take_job(db, id, &process("you"), &0),
            transfer::source(db).and_then(|source| {
                let copy = transfer::copy(db, id)?;
                transfer::take(db, &source, &copy, &account, &actor)
            }),
        );
    }
    let begin = BeginMove {
        account: account.clone(),
        id: "m".into(),
        to: other(),
        computer: "c".into(),
        actor: actor.clone(),
    };
    let purge =
        |before| purge::Purge { account: account.clone(), before, me: "me".into(), ended: Vec::new() };
    run!(
        transfer::begin_move(db, &begin),
        transfer::end_move(db, &account, &other()),
        takeover::release(db, "me", &HashMap::new()),
        purge::purge(db, &purge(i64::MAX)),
        jobs::discard(db, &JobId(8), "me"),
        schema::check(db),
    );
}

/// Every column of every table.
fn columns(db: &Connection) -> Vec<(String, String)> {
    let sql = "SELECT t.name, c.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
               WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY 1, 2";
    let mut found = db.prepare(sql).expect("a statement");
    let found = found.query_map([], |r| Ok((r.get(0)?, r.get(1)?))).expect("read");
    found.map(|column| column.expect("a column")).collect()
}

/// Puts the bytes, or another value, into some columns of some rows.
fn damage(db: &Connection, columns: &[(String, String)], bytes: &[u8]) -> bool {
    let mut hash = DefaultHasher::new();
    bytes.hash(&mut hash);
    let mut random = fastrand::Rng::with_seed(hash.finish());
    for _ in 0..random.u8(1..4) {
        let (table, column) = &columns[random.usize(..columns.len())];
        let edge = [i64::MIN, -1, 0, 1, i64::MAX - 1, i64::MAX, 253_402_300_799, -377_705_023_201];
        let (value, n) = match random.u8(..8) {
            0 => ("?1", 0),
            1 => ("NULL", 0),
            2 => ("1.5e300", 0),
            3 | 4 => ("?2", edge[random.usize(..edge.len())]),
            _ => ("CAST(?1 AS TEXT)", 0),
        };
        let which = match random.u8(..3) {
            0 => "TRUE".to_owned(),
            _ => format!("{column} IS (SELECT {column} FROM {table} LIMIT 1 OFFSET {})", random.u8(..8)),
        };
        let sql =
            format!("UPDATE OR IGNORE {table} SET {column} = {value} WHERE {which} AND ?2 = ?2 AND ?1 = ?1");
        // A trigger may refuse it.
        let _ = db.execute(&sql, rusqlite::params![bytes, n]);
    }
    random.bool()
}

#[test]
fn no_bytes_of_a_journals_rows_do_harm() {
    let connection = full();
    connection.execute_batch("PRAGMA ignore_check_constraints = ON").expect("unchecked");
    let columns = columns(&connection);
    let mut seeds: Vec<Vec<u8>> = Vec::new();
    for (table, column) in &columns {
        let sql = format!("SELECT DISTINCT CAST({column} AS BLOB) FROM {table} WHERE {column} <> ''");
        let mut found = connection.prepare(&sql).expect("a statement");
        let found = found.query_map([], |r| r.get::<_, Vec<u8>>(0)).expect("read");
        seeds.extend(found.flatten());
    }
    let seeds: Vec<&[u8]> = seeds.iter().map(Vec::as_slice).collect();
    let words: [&[u8]; 12] = [
        b"{\"c\":",
        b"[[[[",
        b"null",
        b"ready",
        b"sending",
        b"issue",
        b"revoke",
        b"draft",
        b"running",
        b"{}",
        b"@",
        b"9223372036854775807",
    ];
    crate::fuzz::fuzz("a row of the journal", &seeds, &words, |bytes| {
        connection.execute_batch("BEGIN; PRAGMA defer_foreign_keys = ON").expect("begun");
        let undoes = damage(&connection, &columns, bytes);
        everything(&Tx::on(&connection), undoes);
        if !connection.is_autocommit() {
            connection.execute_batch("ROLLBACK").expect("as before");
        }
    });
}

/// The bytes of a journal in a file with small pages, of its log, and of a backup of it.
fn files(folder: &Path) -> [Vec<u8>; 3] {
    let path = Journal::file_in(folder);
    full().execute("VACUUM INTO ?1", [path.to_str()]).expect("copied");
    let db = Connection::open(&path).expect("a journal");
    db.execute_batch("PRAGMA page_size = 512; VACUUM; PRAGMA wal_autocheckpoint = 0").expect("small");
    let file = std::fs::read(&path).expect("bytes");
    let _: String = db.query_row("PRAGMA journal_mode = WAL", [], |r| r.get(0)).expect("a log");
    db.execute_batch("UPDATE row SET name = 'n'; UPDATE job SET title = 'other'").expect("written");
    let log = std::fs::read(folder.join("journal.sqlite-wal")).expect("the log");
    drop(db);
    std::fs::create_dir(folder.join("owners")).expect("a folder");
    let to = folder.join("copy.sqlite");
    back_up_at(folder, &Site::none(), &to, OpenJobs::Stay, Overwrite::No, "me").expect("backed up");
    [file, log, std::fs::read(to).expect("bytes")]
}

#[test]
fn no_bytes_of_a_journals_file_do_harm() {
    let made = tempfile::tempdir().expect("a folder");
    let [file, log, backup] = files(made.path());
    let words: [&[u8]; 4] = [b"\x0d\0\0", b"\x05\0\0", b"\x0a\0\0", b"\xff\xff\xff\xff\xff\xff\xff\xff\xff"];
    crate::fuzz::fuzz("a file of the journal", &[&file, &log, &backup], &words, |bytes| {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, to) = (Journal::file_in(folder.path()), folder.path().join("copy.sqlite"));
        let is_log = bytes.starts_with(&log[..4]);
        std::fs::write(&path, if is_log { &file } else { bytes }).expect("written");
        if is_log {
            std::fs::write(folder.path().join("journal.sqlite-wal"), bytes).expect("written");
        }
        let _ = FileStatus::of(folder.path());
        let _ = (recent_jobs(folder.path(), None, |_| true), recent_templates(folder.path(), Some("p")));
        let _ = (known_offset(folder.path(), &account()), schema::copy(&path, "journal"));
        if let Ok(mut db) = Connection::open(&path)
            && schema::prepare(&mut db, &Site::none(), "journal").is_ok()
            && db.execute_batch("BEGIN").is_ok()
        {
            everything(&Tx::on(&db), true);
        }
        let _ = back_up_at(folder.path(), &Site::none(), &to, OpenJobs::Move, Overwrite::No, "me");
        let (empty, from) = (folder.path().join("empty"), folder.path().join("backup.sqlite"));
        std::fs::create_dir(&empty).expect("a folder");
        std::fs::write(&from, bytes).expect("written");
        let _ = restore_at(&empty, &Site::none(), &from, true, "me");
    });
}

/// Its rows have a badge each, and the names and addresses to issue others.
#[test]
fn nothing_is_sent_of_a_job_whose_kind_is_not_known() {
    let connection = journal();
    let db = Tx::on(&connection);
    let job = started(&db, Kind::Revoke, 1);
    db.script("UPDATE job SET kind = 'Revoke'").expect("damaged");
    let why = sending::record_intent(&db, &intent(job)).expect_err("not sent");
    assert!(JournalError::failed(&why, "f").to_string().contains("kind"), "{why}");
    snapshots::job(&db, &job, "me").expect_err("not shown as another one");
}

#[test]
fn damaged_counts_can_be_added_up() {
    let connection = journal();
    let db = Tx::on(&connection);
    let job = started(&db, Kind::Issue, 1);
    db.script(
        "UPDATE tally SET n = 9223372036854775807;
         INSERT INTO tally (job, bucket, n)
             SELECT 1, value, 9223372036854775807 FROM json_each('[\"a\",\"b\",\"issued\",\"waiting\",\"revoked\"]')",
    )
    .expect("damaged");
    show(&db, &snapshots::job(&db, &job, "me").expect("read").expect("a job"));
    assert!(!schema::check(&db).expect("checked").is_empty());
}

#[test]
fn no_row_comes_after_the_last_number() {
    let connection = journal();
    let db = Tx::on(&connection);
    let job = draft_of(&db, Kind::Issue, &[row(1)]);
    db.script("UPDATE row SET no = 9223372036854775807").expect("damaged");
    rows::insert(&db, &job, &[row(2)]).expect_err("no number is left");
}

/// SQLite's quick check compares no index with its table. What is not ready is not sent, and the search for it ends.
#[test]
fn an_index_that_does_not_fit_the_rows_sends_nothing() {
    let connection = journal();
    let db = Tx::on(&connection);
    let job = started(&db, Kind::Issue, 2);
    let reload = |sql: &str| {
        let version: i64 = db.one("PRAGMA schema_version", &[]).expect("a version");
        db.script(&format!("PRAGMA writable_schema = ON; {sql}; PRAGMA schema_version = {}", version + 1))
            .and_then(|()| db.script("PRAGMA writable_schema = RESET"))
            .expect("changed");
    };
    connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false).expect("open");
    db.script("CREATE TABLE aside AS SELECT * FROM sqlite_schema WHERE name = 'row_bucket'").expect("kept");
    reload("DELETE FROM sqlite_schema WHERE name = 'row_bucket'");
    db.script("UPDATE row SET bucket = 'issued'; DELETE FROM claim").expect("without the index");
    reload("INSERT INTO sqlite_schema SELECT * FROM aside");
    let listed: i64 = db
        .one("SELECT count(*) FROM row INDEXED BY row_bucket WHERE job = 1 AND bucket = 'ready'", &[])
        .expect("counted");
    assert_eq!(listed, 2, "it still has them");
    assert!(!matches!(sending::record_intent(&db, &intent(job)), Ok(Some(_))), "nothing is sent");
}
