//! What only a team's database can do to a journal. `again_on_postgresql` runs these tests.

use crate::crash::drafts;
use crate::crash::oracle;
use crate::crash::person::{self, JobInput, Script, people};
use crate::crash::steps;
use crate::crash::team_wait;
use crate::crash::world::{BOUND, End, Session, Trap, World};
use crate::team;
use crate::texts::msg_part;
use lapel::jobs::{
    Disclosure, Fault, JobConfig, JobId, Jobs, Journal, Moment, Phase, RowFilter, RowStatus, StopKind,
};
use lapel::team::DatabaseLimits;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

#[test]
#[ignore = "needs PostgreSQL"]
fn every_write_that_loses_its_connection_is_done_once() {
    steps::every_write_loses_its_connection();
}

/// A computer that slept, so that its lease ended and a newer lapel migrated the journal.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_process_that_had_the_journal_open_writes_nothing_into_a_newer_schema() {
    let world = World::new(&[]);
    world.session(&Trap::new(End::Lives), async |first| {
        let id = drafts::drafted(first, 3).await;
        drafts::checked(first, id).await;
        world.change("UPDATE store SET schema = schema + 1");
        let why = first.jobs.begin(id, "first").await.expect_err("it is newer").to_string();
        assert!(why.contains(msg_part("Start the newer lapel instead of this one.")), "{why}");
        world.change("UPDATE store SET schema = schema - 1");
        assert_eq!(world.number("SELECT count(*) FROM job WHERE phase = 'draft'"), 1);
        assert_eq!(world.number("SELECT count(*) FROM claim"), 0);
        assert_eq!(world.control().ledger().accepted_total(), 0);
    });
}

/// The journal is there, so nobody has to create one.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_user_who_loses_its_rights_reads_so_and_the_screens_learn_it() {
    let world = World::new(&[]);
    world.session(&Trap::new(End::Lives), async |first| {
        let mut watch = first.jobs.journal_watch();
        let mut news =
            async || tokio::time::timeout(BOUND, watch.changed()).await.expect("in time").expect("open");
        world.change(
            "REVOKE SELECT ON ALL TABLES IN SCHEMA lapel FROM lapel_issuer;
             REVOKE USAGE ON SCHEMA lapel FROM lapel_issuer",
        );
        let why = first.jobs.list().await.expect_err("no rights").to_string();
        assert!(why.contains(msg_part("may not do this")), "{why}");
        assert!(news().await.is_some_and(|why| why.is_forbidden()));
        world.change(
            "GRANT USAGE ON SCHEMA lapel TO lapel_issuer;
             GRANT SELECT ON ALL TABLES IN SCHEMA lapel TO lapel_issuer",
        );
        first.jobs.list().await.expect("the rights are back");
        assert_eq!(news().await, None);
    });
}

/// The sender was not heard for too long, although it lives: another computer takes its job over.
#[test]
#[ignore = "needs PostgreSQL"]
fn an_answer_that_comes_after_the_take_over_is_evidence_and_nothing_is_sent_twice() {
    let mut world = World::new(&[]);
    world.settings.batch = 13;
    let script = Script::of(JobInput::Issue(people(13)));
    // The first answer comes when the test lets it.
    world.fault("post commit hold times=1");
    world.session(&Trap::new(End::Lives), async |first| {
        let id = person::begin(first, &world, &script).await;
        sending(first, &world).await;
        let mut second = taken_over(&world, id).await;
        let taken = second.jobs.job(id).await.expect("a job");
        assert_eq!(taken.counts.of(RowStatus::Sending), 0, "{taken:?}");
        assert!(taken.counts.of(RowStatus::InDoubt) > 0, "{taken:?}");
        world.control().clear_faults();
        team_wait::until(|| world.number(LATE) == 1).await;
        assert_eq!(second.jobs.job(id).await.expect("a job").late_answers.len(), 1);
        person::live(&mut second, &world, &script).await;
        oracle::finally(&second, &world, &script).await;
        assert_eq!(world.control().ledger().accepted_total(), 13);
    });
}

/// The same with a refusal: it settles the rows of its request, and the new owner continues the job.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_refusal_that_comes_after_the_take_over_settles_its_rows_and_does_not_stop_the_job() {
    let mut world = World::new(&[]);
    (world.settings.batch, world.settings.in_flight) = (5, 1);
    let script = Script::of(JobInput::Issue(people(13)));
    world.fault("post hold status=400 times=1");
    world.session(&Trap::new(End::Lives), async |first| {
        let id = person::begin(first, &world, &script).await;
        let posts = || world.control().ledger().requests.get("POST /badges/batch").copied();
        team_wait::until(|| posts() == Some(1)).await;
        let mut second = taken_over(&world, id).await;
        second.hear().await;
        second.jobs.resume(id, "second").await.expect("resumed");
        second.jobs.sent(id).await;
        let job = second.jobs.job(id).await.expect("a job");
        let seen = (job.phase, job.counts.of(RowStatus::InDoubt), job.late_answers.len());
        assert_eq!(seen, (Phase::Running, 5, 0), "{job:?}");
        world.control().clear_faults();
        team_wait::until(|| world.number(LATE) == 1).await;
        first.jobs.sent(id).await;
        let job = second.jobs.job(id).await.expect("a job");
        assert_eq!((job.phase, job.stop.as_ref(), job.is_mine()), (Phase::Running, None, true), "{job:?}");
        let seen = (job.counts.of(RowStatus::InDoubt), job.counts.of(RowStatus::Refused));
        assert_eq!(seen, (0, 5), "nothing was done: {job:?}");
        let notes: Vec<String> = job.notes().map(ToString::to_string).collect();
        assert!(notes.iter().any(|note| note.contains("HTTP 400")), "{notes:?}");
        person::live(&mut second, &world, &script).await;
        oracle::finally(&second, &world, &script).await;
        assert_eq!(world.control().ledger().accepted_total(), 13);
    });
}

const LATE: &str = "SELECT count(*) FROM decision WHERE what = 'late answer'";

/// A new session that has taken over a job, because the lease of its owner ended.
async fn taken_over(world: &World, id: JobId) -> Session {
    for _ in 0..20 {
        team::end_leases(world.folder());
        let session = world.begin(None).await;
        let job = session.jobs.job(id).await.expect("a job");
        // On a busy computer the sender may renew its lease in between.
        if job.owner.is_some_and(|owner| owner.is_me) {
            return session;
        }
    }
    panic!("it is never taken over");
}

/// An intent may be in the database although the sender does not know it: it sends nothing, and takes it back.
#[test]
#[ignore = "needs PostgreSQL"]
fn an_intent_whose_answer_never_came_is_taken_back() {
    let world = World::new(&[]);
    let script = Script::of(JobInput::Issue(people(3)));
    let is_away = Arc::new(AtomicBool::new(false));
    let (away, folder) = (is_away.clone(), world.folder().to_owned());
    let watcher = Arc::new(move |moment| match moment {
        Moment::After("intent") if !away.load(Ordering::Relaxed) => {
            team::close_to_all(&folder);
            // Reads do not wait for this write.
            away.store(true, Ordering::Relaxed);
            Fault::Disconnect
        }
        _ => Fault::None,
    });
    world.session(&Trap::new(End::Lives), async |_| {
        let mut session = world.begin(Some(watcher)).await;
        let id = person::begin(&mut session, &world, &script).await;
        team_wait::until(|| is_away.load(Ordering::Relaxed)).await;
        // It waits until the intent is given up.
        session.jobs.note_opening(&Disclosure::Match, "kim").await.expect_err("nobody can connect");
        session.jobs.job(id).await.expect_err("nobody can connect");
        team::open_to_all(world.folder());
        // For a moment, reads do not try.
        let reading = async { while session.jobs.list().await.is_err() {} };
        tokio::time::timeout(BOUND, reading).await.expect("it is back");
        person::live(&mut session, &world, &script).await;
        oracle::finally(&session, &world, &script).await;
        assert_eq!(world.number("SELECT count(*) FROM request WHERE outcome = 'not_sent'"), 1);
        assert_eq!(world.control().ledger().accepted_total(), 3);
    });
}

/// The lid of a laptop closes while a connection is made. Its lease ends, and is renewed before the request continues: the
/// job may have had another owner in between.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_request_that_was_recorded_before_a_sleep_is_not_sent_after_it() {
    let world = World::new(&[]);
    let script = Script::of(JobInput::Issue(people(3)));
    let awake: Arc<Mutex<Option<Journal>>> = Arc::default();
    let sleeping = awake.clone();
    let watcher = Arc::new(move |moment| {
        if moment == Moment::After("intent")
            && let Some(journal) = sleeping.lock().expect("a journal").take()
        {
            journal.sleep();
        }
        Fault::None
    });
    world.session(&Trap::new(End::Lives), async |_| {
        let mut session = world.begin(Some(watcher)).await;
        *awake.lock().expect("a journal") = Some(session.journal.clone());
        let id = person::begin(&mut session, &world, &script).await;
        session.jobs.sent(id).await;
        assert_eq!(world.number("SELECT count(*) FROM request WHERE outcome = 'not_sent'"), 1);
        person::live(&mut session, &world, &script).await;
        oracle::finally(&session, &world, &script).await;
        assert_eq!(world.control().ledger().accepted_total(), 3);
    });
}

/// The reason is in the journal then, so nothing else has to be shown instead of a note.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_job_whose_intents_fail_stops_and_keeps_its_note() {
    static SHORT: DatabaseLimits =
        DatabaseLimits { reconnect: Duration::from_millis(300), ..DatabaseLimits::USUAL };
    let world = World::new(&[]);
    let script = Script::of(JobInput::Issue(people(3)));
    let server = team::route(world.folder(), None);
    team::route(world.folder(), Some((&server, &SHORT)));
    let fails = Arc::new(AtomicBool::new(true));
    let is_failing = fails.clone();
    let watcher = Arc::new(move |moment| match moment {
        Moment::Before("intent") if is_failing.load(Ordering::Relaxed) => Fault::Disconnect,
        _ => Fault::None,
    });
    world.session(&Trap::new(End::Lives), async |_| {
        let mut session = world.begin(Some(watcher)).await;
        let id = person::begin(&mut session, &world, &script).await;
        world.change("UPDATE job SET note = 'a note'");
        person::rest(&mut session, id).await;
        session.jobs.sent(id).await;
        let job = session.jobs.job(id).await.expect("a job");
        assert_eq!(job.stop.as_ref().map(|stop| stop.kind), Some(StopKind::Journal), "{job:?}");
        assert_eq!(job.note.map(|note| note.to_string()).as_deref(), Some("a note"));
        fails.store(false, Ordering::Relaxed);
        person::live(&mut session, &world, &script).await;
        oracle::finally(&session, &world, &script).await;
        assert_eq!(world.control().ledger().accepted_total(), 3);
    });
    team::route(world.folder(), None);
}

/// A job that is begun while its process can read and write, but has not renewed its lease yet, as after an outage.
/// Returns when it has its turn to send.
async fn begun_without_a_lease(session: &mut Session, world: &World) -> JobId {
    session.hear().await;
    let id = drafts::drafted(session, 3).await;
    drafts::checked(session, id).await;
    session.journal.end_lease();
    let used = || session.access.reader().link_now().used_last_minute;
    let before = used();
    session.jobs.begin(id, "kim").await.expect("begun");
    let waiting = async {
        while used() == before {
            let job = session.jobs.job(id).await.expect("a job");
            assert_eq!(job.phase, Phase::Running, "it waits for its lease: {job:?}");
        }
    };
    tokio::time::timeout(BOUND, waiting).await.expect("it has its turn");
    assert_eq!(world.control().ledger().accepted_total(), 0);
    id
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_job_waits_for_the_lease_of_its_process_and_then_sends() {
    let world = World::new(&[]);
    world.session(&Trap::new(End::Lives), async |session| {
        let held = team::hold_leases(world.folder());
        let id = begun_without_a_lease(session, &world).await;
        drop(held);
        session.jobs.sent(id).await;
        let job = session.jobs.job(id).await.expect("a job");
        assert_eq!((job.phase, job.stop.as_ref()), (Phase::Running, None), "{job:?}");
        assert_eq!(world.control().ledger().accepted_total(), 3);
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_pause_ends_the_wait_for_a_lease() {
    let world = World::new(&[]);
    let trap = Trap::new(End::Lives);
    world.session(&trap, async |session| {
        let held = team::hold_leases(world.folder());
        let id = begun_without_a_lease(session, &world).await;
        session.jobs.pause(id).await.expect("paused");
        session.jobs.sent(id).await;
        assert!(!trap.writes().contains(&"stop"), "it does not wait until it would stop");
        drop(held);
        let job = session.jobs.job(id).await.expect("a job");
        assert_eq!((job.phase, job.counts.of(RowStatus::Ready)), (Phase::Paused, 3), "{job:?}");
        session.jobs.resume(id, "kim").await.expect("resumed");
        session.jobs.sent(id).await;
        assert_eq!(world.control().ledger().accepted_total(), 3);
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn the_database_sends_no_row_without_a_claim() {
    let world = World::new(&[]);
    world.session(&Trap::new(End::Lives), async |session| {
        drafts::drafted(session, 3).await;
        for rows in ["no = 1", "TRUE"] {
            world.change(&format!(
                "DO $$ BEGIN
                    UPDATE row SET bucket = 'sending' WHERE {rows};
                    RAISE EXCEPTION 'sent';
                 EXCEPTION WHEN raise_exception THEN
                    IF SQLERRM <> 'a row is sent without its claim' THEN RAISE; END IF;
                 END $$"
            ));
        }
        assert_eq!(world.number("SELECT count(*) FROM row WHERE bucket = 'sending'"), 0);
    });
}

/// Triggers take the place of foreign keys.
#[test]
#[ignore = "needs PostgreSQL"]
fn the_database_keeps_no_claim_without_its_row_and_its_account_and_no_row_without_its_job_and_its_request() {
    let world = World::new(&[]);
    let script = Script::of(JobInput::Issue(people(3)));
    world.session(&Trap::new(End::Lives), async |session| {
        let id = person::begin(session, &world, &script).await;
        person::rest(session, id).await;
        for sql in [
            "INSERT INTO claim (account, template, person, slot, job, no, state)
                 SELECT account, template, person, slot + 1, job, no + 10, state FROM claim",
            "INSERT INTO row (job, no, name, email, email_key, bucket) VALUES (1, 99, '', '', '', 'ready');
             INSERT INTO claim (account, template, person, slot, job, no, state)
                 VALUES (0, 'T', '', 0, 1, 99, 'reserved')",
            "UPDATE claim SET no = 99 WHERE no = 1",
            "UPDATE claim SET account = 0",
            "DELETE FROM row",
            "INSERT INTO row (job, no, name, email, email_key, bucket) VALUES (99, 1, '', '', '', 'ready')",
            "INSERT INTO row (job, no, name, email, email_key, bucket, request) VALUES (1, 99, '', '', '', 'ready', 99)",
            "UPDATE row SET request = 99 WHERE no = 1",
            "DELETE FROM job",
            "UPDATE account_key SET account = other; DELETE FROM account WHERE id <> other",
        ] {
            world.change(&format!(
                "DO $$ DECLARE other BIGINT; BEGIN
                    INSERT INTO account DEFAULT VALUES RETURNING id INTO other;
                    {sql};
                    RAISE EXCEPTION 'done';
                 EXCEPTION WHEN foreign_key_violation THEN NULL;
                 END $$"
            ));
        }
        assert_eq!(world.number("SELECT count(*) FROM claim JOIN row USING (job, no)"), 3);
        world.change("DELETE FROM claim; DELETE FROM job");
        assert_eq!(world.number("SELECT (SELECT count(*) FROM row) + (SELECT count(*) FROM request)"), 0);
    });
}

/// The sender may read first when the database comes back, or write.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_short_outage_between_two_requests_stops_no_job() {
    let mut world = World::new(&[]);
    (world.settings.batch, world.settings.in_flight) = (1, 1);
    let script = Script::of(JobInput::Issue(people(13)));
    world.fault("post commit delay=20ms");
    world.session(&Trap::new(End::Lives), async |session| {
        let id = person::begin(session, &world, &script).await;
        sending(session, &world).await;
        for _ in 0..3 {
            team::close_to_all(world.folder());
            session.jobs.job(id).await.expect_err("it is away");
            team::open_to_all(world.folder());
        }
        session.jobs.sent(id).await;
        let job = session.jobs.job(id).await.expect("a write has just worked");
        assert_eq!((job.phase, job.stop.as_ref()), (Phase::Running, None));
        assert_eq!(world.control().ledger().accepted_total(), 13);
        person::live(session, &world, &script).await;
        oracle::finally(session, &world, &script).await;
    });
}

/// Quitting waits a second for a database that is away: from the last answer on, however long that one took.
#[test]
#[ignore = "needs PostgreSQL"]
fn the_last_answer_is_recorded_after_a_short_outage_also_if_it_came_long_after_quitting() {
    let mut world = World::new(&[]);
    world.settings.batch = 13;
    let script = Script::of(JobInput::Issue(people(13)));
    world.fault("post commit hold times=1");
    world.session(&Trap::new(End::Lives), async |session| {
        let id = person::begin(session, &world, &script).await;
        sending(session, &world).await;
        let (jobs, quit) = (session.jobs.clone(), Instant::now());
        let closing = tokio::spawn(async move { jobs.close().await });
        team_wait::until(|| quit.elapsed() > Duration::from_millis(1_100)).await;
        let mut watch = session.jobs.journal_watch();
        team::close_to_all(world.folder());
        world.control().clear_faults();
        team_wait::until(|| session.jobs.open_answers().unrecorded == 1).await;
        let news = tokio::time::timeout(BOUND, watch.changed()).await.expect("in time");
        assert!(news.flatten().is_some(), "it is away");
        team::open_to_all(world.folder());
        closing.await.expect("closed");
        assert_eq!(session.jobs.open_answers().unrecorded, 0);
        let mut second = world.begin(None).await;
        let counts = second.jobs.job(id).await.expect("a job").counts;
        assert_eq!(counts.of(RowStatus::InDoubt), 0, "{counts:?}");
        person::live(&mut second, &world, &script).await;
        oracle::finally(&second, &world, &script).await;
    });
}

/// A journal that failed for good, as on a full disk: lapel ends without the answers that arrived.
#[test]
#[ignore = "needs PostgreSQL"]
fn rows_whose_answer_was_not_recorded_are_in_doubt_when_lapel_has_ended() {
    let mut world = World::new(&[]);
    (world.settings.batch, world.settings.in_flight) = (5, 1);
    let script = Script::of(JobInput::Issue(people(13)));
    world.fault("post commit hold times=1");
    world.session(&Trap::new(End::Lives), async |first| {
        let id = person::begin(first, &world, &script).await;
        sending(first, &world).await;
        // Only the answer finds no room: the end of the process is recorded.
        world.change(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
                 $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$;
             CREATE TRIGGER full_disk BEFORE UPDATE ON request FOR EACH ROW EXECUTE FUNCTION full_disk()",
        );
        let refused = || first.jobs.open_answers().refused_for(&[id], Duration::ZERO);
        assert_eq!(refused(), None, "no answer has come");
        world.control().clear_faults();
        team_wait::until(|| refused().is_some()).await;
        let why = refused().expect("a reason").to_string();
        assert!(why.contains(msg_part("disk is full")), "{why}");
        first.jobs.close().await;
        assert_eq!(first.jobs.open_answers().unrecorded, 1, "it never was");

        // Also for its own report.
        let job = first.jobs.job(id).await.expect("a job");
        let seen = (job.counts.of(RowStatus::Sending), job.counts.of(RowStatus::InDoubt), job.in_flight);
        assert_eq!(seen, (0, 5, 0), "{job:?}");
        let stop = job.stop.expect("it stopped");
        assert_eq!(stop.kind, StopKind::Journal, "{stop:?}");
        assert!(stop.why.to_string().contains(msg_part("disk is full")), "{stop:?}");
        let filter = RowFilter { row_statuses: vec![RowStatus::InDoubt], ..RowFilter::default() };
        assert_eq!(first.jobs.rows(id, filter, 100).await.expect("rows").len(), 5);
        world.change("DROP TRIGGER full_disk ON request; DROP FUNCTION full_disk");
        let mut second = world.begin(None).await;
        person::live(&mut second, &world, &script).await;
        oracle::finally(&second, &world, &script).await;
        assert_eq!(world.control().ledger().accepted_total(), 13);
    });
}

/// Waits until a request is with the service.
async fn sending(_: &Session, world: &World) {
    team_wait::until(|| world.control().ledger().accepted_total() > 0).await;
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_colleague_pauses_a_job_and_goes_on_with_it_and_the_journal_keeps_who_did() {
    let mut world = World::new(&[]);
    (world.settings.batch, world.settings.in_flight) = (1, 1);
    let script = Script::of(JobInput::Issue(people(13)));
    world.fault("post commit delay=200ms");
    world.session(&Trap::new(End::Lives), async |first| {
        let mut second = world.begin(None).await;
        let id = person::begin(first, &world, &script).await;
        sending(first, &world).await;
        let job = second.jobs.job(id).await.expect("a job");
        assert!(job.may_pause() && !job.may_act(), "{job:?}");
        let begun = job.begun.as_ref().expect("who began it");
        assert_eq!(begun.who.to_string(), "somebody");
        assert!(begun.computer.is_some(), "the computer: {job:?}");
        let why = second.jobs.resume(id, "second").await.expect_err("it is being sent").to_string();
        assert!(why.contains(msg_part("Pause it first.")), "{why}");
        second.jobs.pause(id).await.expect("paused");
        person::rest(first, id).await;
        let sent = world.control().ledger().accepted_total();
        assert!(sent < 13, "it was paused in time");
        let job = first.jobs.job(id).await.expect("a job");
        assert_eq!((job.phase, job.is_mine()), (Phase::Paused, true), "{job:?}");
        let state = job.state().to_string();
        assert!(state.starts_with(msg_part("paused by ")) && state.contains("tester"), "{state}");
        let when = job.halted_by.as_ref().and_then(|by| by.argument("when"));
        assert!(when.is_some(), "{job:?}");
        world.control().clear_faults();
        second.jobs.resume(id, "second").await.expect("resumed");
        let job = second.jobs.job(id).await.expect("a job");
        assert!(job.is_mine() && job.halted_by.is_none(), "{job:?}");
        person::live(&mut second, &world, &script).await;
        oracle::finally(&second, &world, &script).await;
        for what in ["pause", "take over"] {
            let recorded = format!("SELECT count(*) FROM decision WHERE what = '{what}' AND who = 'tester'");
            assert_eq!(world.number(&recorded), 1, "{what}");
        }
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_colleague_resolves_and_undoes_a_job_and_the_journal_keeps_who_did() {
    let mut world = World::new(&[]);
    (world.settings.batch, world.settings.in_flight) = (2, 1);
    let script = Script::of(JobInput::Issue(people(3)));
    // The first request never arrives.
    world.fault("post /badges/batch drop times=1");
    world.session(&Trap::new(End::Lives), async |first| {
        let second = world.begin(None).await;
        let id = person::begin(first, &world, &script).await;
        person::rest(first, id).await;
        for minutes in [1, 10, 1440, 1440] {
            world.advance(minutes);
            first.hear().await;
            first.jobs.poll_now(Some(id)).await;
        }
        let counts = first.jobs.job(id).await.expect("a job").counts;
        assert_eq!((counts.of(RowStatus::NeverSeen), counts.of(RowStatus::Issued)), (2, 1), "{counts:?}");
        second.jobs.leave_rows(id, vec![1, 2], "second", "by phone").await.expect("resolved");
        let job = second.jobs.job(id).await.expect("a job");
        assert!(job.is_mine(), "{job:?}");
        // Now it is a colleague's job for the first one.
        let undo = first.jobs.undo(id, "a mistake", "me").await.expect("a draft");
        first.jobs.begin(undo, "first").await.expect("begun");
        person::rest(first, undo).await;
        let recorded = |sql: &str| world.number(&format!("SELECT count(*) FROM {sql}"));
        assert_eq!(recorded("decision WHERE what = 'take over' AND who = 'tester'"), 2);
        assert!(recorded("decision WHERE who = 'second' AND why = 'by phone'") > 0);
        assert_eq!(recorded("decision WHERE what = 'call off' AND who = 'me'"), 1, "the undo");
        assert_eq!(
            recorded(&format!("job WHERE follows = {id} AND split_part(begun_by, chr(9), 1) = 'first'")),
            1
        );
        assert_eq!(world.control().ledger().revokes.len(), 1);
        second.jobs.close().await;
    });
}

/// Each process changes only the rows of its own jobs, and both jobs have rows of the same badges.
#[test]
#[ignore = "needs PostgreSQL"]
fn badges_that_a_colleague_revokes_are_revoked_in_both_jobs() {
    let world = World::new(&[]);
    let script = Script::of(JobInput::Issue(people(3)));
    world.session(&Trap::new(End::Lives), async |first| {
        let second = world.begin(None).await;
        let id = person::begin(first, &world, &script).await;
        person::rest(first, id).await;
        world.advance(1441);
        first.hear().await;
        first.jobs.poll_now(Some(id)).await;
        let undo = first.jobs.undo(id, "a mistake", "first").await.expect("a draft");
        first.jobs.begin(undo, "first").await.expect("begun");
        person::rest(first, undo).await;
        let count = async |session: &Session, id, status| {
            session.jobs.job(id).await.expect("a job").counts.of(status)
        };
        // The service has accepted the revocation, and one process knew both jobs.
        assert_eq!(count(first, id, RowStatus::Revoking).await, 3);
        second.jobs.retry_refused(undo, "second").await.expect_err("nothing was refused");
        assert!(second.jobs.job(undo).await.expect("a job").is_mine(), "the colleague follows it now");
        assert!(first.jobs.job(id).await.expect("a job").is_mine());
        for minutes in [60, 1440] {
            world.advance(minutes);
            for (session, job) in [(&*first, id), (&second, undo)] {
                session.hear().await;
                session.jobs.poll_now(Some(job)).await;
            }
        }
        assert_eq!(count(first, id, RowStatus::Revoked).await, 3, "the rows that issued the badges");
        assert_eq!(count(&second, undo, RowStatus::Revoked).await, 3, "the rows that revoked them");
        assert_eq!(world.control().ledger().revokes.len(), 3, "each badge once");
        second.jobs.close().await;
    });
}

/// The next check is an hour away, so that only a notification shows it.
#[test]
#[ignore = "needs PostgreSQL"]
fn what_a_colleague_writes_is_seen_at_once() {
    let mut world = World::new(&[]);
    world.settings.others = Duration::from_secs(3600);
    let script = Script::of(JobInput::Issue(people(3)));
    world.session(&Trap::new(End::Lives), async |first| {
        let mut second = world.begin(None).await;
        // Its first check is over.
        second.jobs.poll_now(None).await;
        let id = person::begin(first, &world, &script).await;
        let seen = async { while second.events.recv().await.expect("jobs").id != id {} };
        tokio::time::timeout(Duration::from_secs(60), seen).await.expect("it is seen");
        person::live(first, &world, &script).await;
    });
}

/// As after a backup of the database was restored that is older than the job.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_job_that_is_gone_from_the_database_is_reported_as_gone() {
    let mut world = World::new(&[]);
    world.settings.others = Duration::from_millis(100);
    let script = Script::of(JobInput::Issue(people(1)));
    world.session(&Trap::new(End::Lives), async |first| {
        let mut second = world.begin(None).await;
        let id = person::begin(first, &world, &script).await;
        let seen = async { while second.events.recv().await.expect("jobs").id != id {} };
        tokio::time::timeout(BOUND, seen).await.expect("it is seen");
        person::rest(first, id).await;
        world.change("TRUNCATE job CASCADE");
        let gone = async {
            loop {
                let change = second.events.recv().await.expect("jobs");
                if change.id == id && change.job.is_none() {
                    return;
                }
            }
        };
        tokio::time::timeout(BOUND, gone).await.expect("it is reported as gone");
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn two_who_confirm_the_same_file_at_once_send_it_once_and_one_learns_who_did() {
    let mut world = World::new(&[("waiting-history", "hidden")]);
    // The second one begins while the first one sends: what was accepted is skipped, and asks nobody.
    world.settings.batch = 40;
    world.fault("post /badges/batch commit hold");
    world.session(&Trap::new(End::Lives), async |first| {
        let mut second = world.begin(None).await;
        let (one, other) = (drafts::drafted(first, 40).await, drafts::drafted(&second, 40).await);
        drafts::checked(first, one).await;
        drafts::checked(&second, other).await;
        let both = tokio::join!(first.jobs.begin(one, "kim"), second.jobs.begin(other, "lee"));
        assert!(both.0.is_ok() || both.1.is_ok(), "{both:?}");
        world.control().clear_faults();
        person::rest(first, one).await;
        person::rest(&mut second, other).await;
        let mut held = Vec::new();
        for (jobs, id) in [(&first.jobs, one), (&second.jobs, other)] {
            let counts = jobs.job(id).await.expect("a job").counts;
            // If the other one's duplicate check was repeated, that skips the rows.
            held.push(counts.of(RowStatus::NeedsReview) + counts.of(RowStatus::Skipped));
        }
        let ledger = world.control().ledger();
        let people: std::collections::BTreeSet<_> =
            ledger.accepted.iter().map(|accepted| accepted.recipient_email.to_lowercase()).collect();
        assert_eq!(ledger.accepted_total(), people.len() as u64, "nobody got two");
        assert!(held.iter().any(|held| *held > 0), "the other one sends nothing: {held:?}, {both:?}");
        // Why the rows are held names the job of the other, and who began it.
        let named = world
            .query("SELECT DISTINCT why FROM row WHERE bucket IN ('ask', 'left_out') AND seen IS NOT NULL");
        let names = |why: &String| {
            why.contains("\"job\"") && ["kim", "lee"].iter().any(|who| why.contains(&format!("\"{who}\"")))
        };
        assert!(named.iter().flatten().flatten().any(names), "{named:?}");
    });
}

/// Moves the jobs of a file into the database, with an end at a write of one of the two. Returns the names of the
/// writes, and whether it came to its end.
fn moved(world: &World, ends: [End; 2], back: bool) -> ([usize; 2], bool) {
    let traps = ends.map(Trap::new);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let done = runtime.block_on(async {
        let file = Journal::open_watched(world.folder(), Some(traps[0].watcher())).expect("a file");
        let server = team::open(world.folder(), Some(traps[1].watcher())).expect("a server");
        let (from, to) = if back { (&server, &file) } else { (&file, &server) };
        let account = world.account();
        let moving = from.move_to(to, &account, "tester");
        tokio::select! {
            biased;
            () = traps[0].fallen() => false,
            () = traps[1].fallen() => false,
            done = moving => done.map(|_| true).expect("moved"),
        }
    });
    drop(runtime);
    world.let_go();
    (traps.map(|trap| trap.writes().len()), done)
}

#[test]
#[ignore = "needs PostgreSQL"]
fn jobs_move_to_a_team_and_back_wherever_the_move_ends_and_never_send_in_both() {
    let world = |ends: [End; 2], back: bool| {
        let mut world = World::new(&[("waiting-history", "visible"), ("waiting-detail", "visible")]);
        world.settings.batch = 3;
        let script = Script::of(JobInput::Issue(people(13)));
        // The first request is answered, the second is in doubt, and the rest is not sent.
        world.fault("post /badges/batch every=2 commit-drop times=1");
        let begun = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        begun.block_on(async {
            let first = if back {
                team::open(world.folder(), None).expect("a server")
            } else {
                Journal::open(world.folder()).expect("a file")
            };
            let mut session = world.begin_over(first).await;
            let id = person::begin(&mut session, &world, &script).await;
            person::rest(&mut session, id).await;
            session.jobs.close().await;
        });
        drop(begun);
        world.let_go();
        world.control().clear_faults();
        let (writes, done) = moved(&world, ends, back);
        if !done {
            assert!(moved(&world, [End::Lives; 2], back).1, "the same again goes on");
        }
        let again = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        again.block_on(async {
            let left = if back {
                team::open(world.folder(), None).expect("a server")
            } else {
                Journal::open(world.folder()).expect("a file")
            };
            let session = world.begin_over(left).await;
            for job in session.jobs.list().await.expect("jobs") {
                assert_eq!(job.phase, Phase::Moved, "{job:?}");
                session.jobs.resume(job.id, "tester").await.expect_err("it is only a record");
            }
            session.jobs.close().await;
            drop(session);
            let taken = if back {
                Journal::open(world.folder()).expect("a file")
            } else {
                team::open(world.folder(), None).expect("a server")
            };
            let mut session = world.begin_over(taken).await;
            person::live(&mut session, &world, &script).await;
            oracle::finally(&session, &world, &script).await;
            session.jobs.close().await;
        });
        drop(again);
        world.let_go();
        writes
    };
    for back in [false, true] {
        let writes = world([End::Lives; 2], back);
        assert!(writes.iter().all(|n| *n > 0), "{writes:?}");
        for (at, count) in writes.into_iter().enumerate() {
            for end in (0..count).flat_map(|n| [End::Before(n), End::After(n)]) {
                let mut ends = [End::Lives; 2];
                ends[at] = end;
                world(ends, back);
            }
        }
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_reader_sees_the_jobs_of_its_team_and_records_what_it_opens_and_nothing_else() {
    let world = World::new(&[]);
    let script = Script::of(JobInput::Issue(people(5)));
    world.session(&Trap::new(End::Lives), async |session| {
        let id = person::begin(session, &world, &script).await;
        person::rest(session, id).await;
        let mut login = team::database_of(world.folder());
        "reader".clone_into(&mut login.server.user);
        let journal = Journal::read_team(login, "lee").expect("a reader");
        let mut reading = world.connection().clone();
        reading.read_only = true;
        let access = lapel::api::connect(&reading).expect("connected");
        let settings = JobConfig { keep_days: Some(1), ..JobConfig::default() };
        let started = Jobs::start(access, journal.clone(), world.account(), settings).await;
        let (jobs, _events) = started.expect("it needs only to read");
        let listed = jobs.list().await.expect("a list");
        assert_eq!(listed.iter().map(|job| job.id).collect::<Vec<_>>(), [id]);
        assert!(!listed[0].is_abandoned(), "the other process lives");
        let rows = jobs.rows(id, RowFilter::default(), 10).await.expect("rows");
        assert_eq!(rows.len(), 5);
        let address = rows[0].address.wire().to_owned();
        let sent = journal.sent_to(&world.account(), &address).await.expect("read");
        assert_eq!(sent[0].by.as_ref().map(ToString::to_string).as_deref(), Some("somebody"));
        jobs.note_opening(&Disclosure::Match, "lee").await.expect("recorded");
        let recorded =
            "SELECT count(*) FROM decision WHERE what = 'open a possible match' AND who = 'lee (reader)'";
        assert_eq!(world.number(recorded), 1);
        jobs.pause(id).await.expect_err("it only reads");
        jobs.close().await;
        let processes = "SELECT count(*) FROM process";
        assert_eq!(world.number(processes), 1, "a reader owns nothing");
    });
}
