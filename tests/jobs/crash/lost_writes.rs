//! A team's database that lost writes: nobody gets two badges, although it does not know what was sent.
//! `again_on_postgresql` runs these tests.

use crate::crash::drafts;
use crate::crash::many;
use crate::crash::oracle;
use crate::crash::person::{self, JobInput, Script, people, targets};
use crate::crash::team_wait;
use crate::crash::world::{End, Session, Trap, World};
use crate::team;
use crate::texts::msg_part;
use lapel::domain::Address;
use lapel::jobs::{
    DuplicateKind, IssuePlan, JobError, JobId, Journal, Phase, PlannedRecipient, RowSelection, RowStatus,
};

/// A service that shows no badge before it is issued, and takes its time.
fn hiding() -> World {
    let mut world = World::new(&[("waiting-history", "hidden"), ("waiting-detail", "hidden")]);
    (world.settings.batch, world.settings.in_flight) = (1, 1);
    world.fault("post commit delay=50ms");
    world
}

/// Waits until the service has accepted so many.
async fn accepted(world: &World, count: u64) {
    team_wait::until(|| world.control().ledger().accepted_total() >= count).await;
}

/// Begins a job, and pauses it after some requests.
async fn begun(session: &mut Session, world: &World, script: &Script) -> JobId {
    let id = person::begin(session, world, script).await;
    accepted(world, 3).await;
    session.jobs.pause(id).await.expect("paused");
    person::rest(session, id).await;
    id
}

/// The rows that may be sent, and those in doubt.
async fn rows(session: &Session, id: JobId) -> (u64, u64) {
    let counts = session.jobs.job(id).await.expect("a job").counts;
    (counts.of(RowStatus::Ready), counts.of(RowStatus::InDoubt))
}

/// People who are in no other job of a test.
fn others(name: &str, count: usize) -> Vec<PlannedRecipient> {
    let person =
        |n| PlannedRecipient { name: format!("{name} {n}"), email: format!("{name}{n}@naru.example") };
    (0..count).map(person).collect()
}

/// The rows of a draft that may be sent, and those that need review because of the loss.
async fn suspected(session: &Session, draft: JobId) -> (u64, u64) {
    let is_suspected = |row: &lapel::jobs::JobRow| {
        row.row_status == RowStatus::NeedsReview && row.class == Some(DuplicateKind::LostWrites)
    };
    let found = person::rows(session, draft).await.iter().filter(|row| is_suspected(row)).count();
    (rows(session, draft).await.0, found as u64)
}

/// How often somebody noticed a loss.
fn noticed(world: &World) -> u64 {
    world.number("SELECT count(*) FROM decision WHERE what = 'lost writes' AND job = 0")
}

/// Another history of writes, as after a failover.
fn fail_over(world: &World) {
    world.change("UPDATE store SET origin = 'another server'");
    team::cut_connections(world.folder());
}

/// Waits until every process has renewed its lease. One whose connection is cut could not give it back at its end.
async fn renewed(world: &World) {
    world.change(
        "UPDATE process SET until = clock_timestamp() + interval '9 seconds' WHERE until > clock_timestamp()",
    );
    let waiting = "SELECT count(*) FROM process WHERE until BETWEEN clock_timestamp() AND clock_timestamp() + interval '9 seconds'";
    team_wait::until(|| world.number(waiting) == 0).await;
}

/// All rows are found, or a person sends them again after the window.
async fn ends_well(session: &mut Session, world: &World, script: &Script) {
    world.control().clear_faults();
    person::live(session, world, script).await;
    oracle::finally(session, world, script).await;
    let checked = session.jobs.check_journal().await.expect("checked");
    assert!(checked.is_empty(), "{checked:?}");
    renewed(world).await;
}

#[test]
#[ignore = "needs PostgreSQL"]
fn nobody_gets_two_badges_after_an_old_copy_replaced_the_server() {
    many::all(&[true, false], |pauses| {
        let pauses = *pauses;
        let world = hiding();
        let mut server = team::OwnServer::of(world.folder());
        let script = Script::of(JobInput::Issue(people(13)));
        world.session(&Trap::new(End::Lives), async |session| {
            let id = begun(session, &world, &script).await;
            let known = world.control().ledger().accepted_total();
            server.stop();
            server.copy("data", "saved");
            server.start();
            team_wait::back(&session.jobs).await;
            session.jobs.resume(id, "somebody").await.expect("resumed");
            assert_eq!(noticed(&world), 0, "a server that starts again has lost nothing");
            accepted(&world, known + 4).await;
            if pauses {
                session.jobs.pause(id).await.expect("paused");
                person::rest(session, id).await;
            }
            server.stop();
            server.copy("saved", "data");
            server.start();
            team_wait::back(&session.jobs).await;
            assert_eq!(rows(session, id).await, (0, 13 - known));
            person::rest(session, id).await;
            assert_eq!(noticed(&world), 1);
            let note = session.jobs.job(id).await.expect("a job").note.expect("a note").to_string();
            assert!(note.contains(msg_part("that the team's database lost writes")), "{note}");
            ends_well(session, &world, &script).await;
            assert_eq!(world.control().ledger().accepted_total(), 13);
            assert_eq!(noticed(&world), 1, "it was one loss");
        });
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn nobody_gets_two_badges_after_a_dump_was_restored() {
    many::all(&[false, true], |in_other| {
        let in_other = *in_other;
        let world = hiding();
        let server = team::OwnServer::of(world.folder());
        let script = Script::of(JobInput::Issue(people(13)));
        world.session(&Trap::new(End::Lives), async |session| {
            let id = begun(session, &world, &script).await;
            let known = world.control().ledger().accepted_total();
            server.dump();
            session.jobs.resume(id, "somebody").await.expect("resumed");
            accepted(&world, known + 4).await;
            session.jobs.pause(id).await.expect("paused");
            person::rest(session, id).await;
            server.restore(in_other);
            team_wait::back(&session.jobs).await;
            assert_eq!(rows(session, id).await, (0, 13 - known));
            assert_eq!(noticed(&world), 1);
            ends_well(session, &world, &script).await;
            assert_eq!(world.control().ledger().accepted_total(), 13);
            assert_eq!(noticed(&world), 1, "it was one loss");
        });
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn the_next_lapel_notices_what_the_last_one_had_sent() {
    let world = hiding();
    let mut server = team::OwnServer::of(world.folder());
    let script = Script::of(JobInput::Issue(people(13)));
    let data = tempfile::tempdir().expect("a folder");
    let open = || {
        let login = team::database_of(world.folder());
        Journal::open_team(login, "tester", Some(data.path())).expect("a journal")
    };
    // A runtime for each life: what is left of it ends with it.
    let life = || tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let id = life().block_on(async {
        let mut session = world.begin_over(open()).await;
        let id = begun(&mut session, &world, &script).await;
        session.jobs.close().await;
        id
    });
    world.let_go();
    server.stop();
    server.copy("data", "saved");
    server.start();
    life().block_on(async {
        let mut session = world.begin_over(open()).await;
        session.hear().await;
        session.jobs.resume(id, "somebody").await.expect("resumed");
        person::rest(&mut session, id).await;
        session.jobs.close().await;
    });
    world.let_go();
    let known = world.control().ledger().accepted_total();
    assert_eq!(known, 13);
    server.stop();
    server.copy("saved", "data");
    server.start();
    life().block_on(async {
        let mut session = world.begin_over(open()).await;
        assert_eq!(rows(&session, id).await.0, 0);
        assert_eq!(noticed(&world), 1);
        ends_well(&mut session, &world, &script).await;
        assert_eq!(world.control().ledger().accepted_total(), 13);
        session.jobs.close().await;
    });
    world.let_go();
    // The same request is still missing, but the loss is known.
    life().block_on(async {
        let session = world.begin_over(open()).await;
        session.jobs.close().await;
    });
    world.let_go();
    assert_eq!(noticed(&world), 1);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_standby_that_took_over_is_noticed_and_also_sends_nothing_twice() {
    let world = hiding();
    let mut server = team::OwnServer::of(world.folder());
    let script = Script::of(JobInput::Issue(people(13)));
    world.session(&Trap::new(End::Lives), async |session| {
        let id = begun(session, &world, &script).await;
        let known = world.control().ledger().accepted_total();
        server.stop();
        server.start_as_standby();
        team_wait::back(&session.jobs).await;
        assert_eq!(rows(session, id).await, (13 - known, 0), "it may only be late");
        server.promote();
        assert_eq!(rows(session, id).await, (0, 13 - known));
        assert_eq!(noticed(&world), 1);
        ends_well(session, &world, &script).await;
        assert_eq!(noticed(&world), 1, "it is the same server since");
    });
}

/// The server loses its power while lapel sends, and its standby takes over.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_standby_sends_nothing_twice_although_it_lacks_confirmed_writes() {
    many::all(&[false, true], |is_synchronous| {
        let is_synchronous = *is_synchronous;
        let world = hiding();
        let mut server = team::OwnServer::of(world.folder());
        // It outlives the session.
        let mut standby = None;
        let script = Script::of(JobInput::Issue(people(13)));
        world.session(&Trap::new(End::Lives), async |session| {
            let id = begun(session, &world, &script).await;
            let standby = standby.insert(server.standby(is_synchronous));
            let status = Journal::team_status(&team::database_of(world.folder())).expect("a status");
            let said: Vec<String> =
                status.problems(false, &|at| at.to_string()).iter().map(ToString::to_string).collect();
            let warning = msg_part("the database has standbys, but none is synchronous");
            assert_eq!(said.iter().any(|text| text.contains(warning)), !is_synchronous, "{said:?}");
            let mut known = world.control().ledger().accepted_total();
            if !is_synchronous {
                standby.cut_off();
            }
            session.jobs.resume(id, "somebody").await.expect("resumed");
            accepted(&world, known + 4).await;
            if is_synchronous {
                // It has every write that lapel knows.
                session.jobs.pause(id).await.expect("paused");
                person::rest(session, id).await;
                known = world.control().ledger().accepted_total();
            }
            server.fail_over(standby);
            team_wait::back(&session.jobs).await;
            assert_eq!(rows(session, id).await, (0, 13 - known));
            person::rest(session, id).await;
            assert_eq!(noticed(&world), 1);
            ends_well(session, &world, &script).await;
            assert_eq!(world.control().ledger().accepted_total(), 13);
            assert_eq!(noticed(&world), 1, "it is the same server since");
        });
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn two_processes_that_notice_it_at_once_record_it_once() {
    let world = hiding();
    let script = Script::of(JobInput::Issue(people(13)));
    world.session(&Trap::new(End::Lives), async |first| {
        let second = world.begin(None).await;
        let id = begun(first, &world, &script).await;
        fail_over(&world);
        let both = tokio::join!(first.jobs.job(id), second.jobs.job(id));
        for job in [both.0.expect("a job"), both.1.expect("a job")] {
            assert_eq!(job.counts.of(RowStatus::Ready), 0, "{job:?}");
        }
        assert_eq!(noticed(&world), 1);
        let stand_ins = "SELECT count(*) FROM request WHERE outcome IN ('unsearched', 'searched')";
        assert_eq!(world.number(stand_ins), 1);
        second.jobs.close().await;
        ends_well(first, &world, &script).await;
    });
}

/// A backup may be restored while lapel is connected.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_write_on_an_open_connection_notices_it_too() {
    let world = hiding();
    let script = Script::of(JobInput::Issue(people(13)));
    world.session(&Trap::new(End::Lives), async |session| {
        let id = begun(session, &world, &script).await;
        world.change("UPDATE store SET origin = 'another server'");
        assert!(rows(session, id).await.0 > 0, "nothing was written yet");
        session.jobs.resume(id, "somebody").await.expect_err("it must be searched first");
        assert_eq!(rows(session, id).await.0, 0);
        person::rest(session, id).await;
        assert_eq!(noticed(&world), 1);
        ends_well(session, &world, &script).await;
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn nobody_begins_or_sends_before_the_history_was_searched() {
    let world = hiding();
    let script = Script::of(JobInput::Issue(people(13)));
    world.session(&Trap::new(End::Lives), async |session| {
        let doubted = begun(session, &world, &script).await;
        let draft = session.jobs.draft_people(person::template(), others("late", 8)).await.expect("a draft");
        drafts::checked(session, draft).await;
        fail_over(&world);
        let job = session.jobs.job(draft).await.expect("a draft");
        assert_eq!((job.counts.of(RowStatus::Ready), job.checked), (8, None), "it must be checked again");
        drafts::checked(session, draft).await;
        assert_eq!(suspected(session, draft).await, (0, 8));
        session.jobs.allow(draft, RowSelection::Class(DuplicateKind::LostWrites)).await.expect("allowed");
        // As if the search had not come to its end.
        let unsearched = "UPDATE request SET outcome = 'unsearched' WHERE outcome = 'searched'";
        session.jobs.poll_now(Some(doubted)).await;
        world.change(unsearched);
        let sent = world.control().ledger().accepted_total();
        let why = session.jobs.begin(draft, "somebody").await.expect_err("not yet").to_string();
        assert!(why.contains(&format!("lapel jobs follow {doubted}")), "{why}");
        assert_eq!(session.jobs.job(draft).await.expect("a draft").phase, Phase::Draft);
        session.jobs.poll_now(Some(doubted)).await;
        session.jobs.begin(draft, "somebody").await.expect("begun");
        // It is being sent when the next loss is noticed elsewhere.
        accepted(&world, sent + 2).await;
        world.change(unsearched);
        person::rest(session, draft).await;
        let job = session.jobs.job(draft).await.expect("a job");
        assert_eq!(job.phase, Phase::Stopped, "{job:?}");
        assert!(job.counts.of(RowStatus::Ready) > 0, "{job:?}");
        let stop = job.stop.expect("a reason").why.to_string();
        assert!(stop.contains(msg_part("lapel sends no badge before it has searched the history")), "{stop}");
        session.jobs.resume(draft, "somebody").await.expect_err("not yet");
        session.jobs.poll_now(Some(doubted)).await;
        world.control().clear_faults();
        session.jobs.resume(draft, "somebody").await.expect("resumed");
        person::rest(session, draft).await;
        assert_eq!(world.control().ledger().accepted_total(), sent + 8);
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn revocations_stop_until_a_person_resumes_them() {
    let world = hiding();
    world.control().clear_faults();
    let script = Script::of(JobInput::Revoke(targets(&world, 9)));
    world.fault("post commit delay=100ms");
    world.session(&Trap::new(End::Lives), async |session| {
        let id = person::begin(session, &world, &script).await;
        team_wait::until(|| !world.control().ledger().revokes.is_empty()).await;
        fail_over(&world);
        team_wait::until(|| noticed(&world) == 1).await;
        person::rest(session, id).await;
        let job = session.jobs.job(id).await.expect("a job");
        assert_eq!(job.phase, Phase::Stopped, "{job:?}");
        assert!(job.counts.of(RowStatus::Ready) > 0, "{job:?}");
        ends_well(session, &world, &script).await;
    });
}

/// Nothing is missing from the jobs that the database knows.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_job_that_is_gone_is_sent_again_only_by_a_person_who_knows_of_the_loss() {
    let world = hiding();
    let server = team::OwnServer::of(world.folder());
    let script = Script::of(JobInput::Issue(people(5)));
    world.session(&Trap::new(End::Lives), async |session| {
        session.hear().await;
        let reviewed =
            session.jobs.draft_people(person::template(), others("kept", 3)).await.expect("a draft");
        drafts::checked(session, reviewed).await;
        server.dump();
        let gone = person::begin(session, &world, &script).await;
        person::rest(session, gone).await;
        assert_eq!(world.control().ledger().accepted_total(), 5);
        server.restore(false);
        team_wait::back(&session.jobs).await;
        assert!(session.jobs.is_gone(gone).await);

        let again = drafts::drafted(session, 5).await;
        drafts::checked(session, again).await;
        assert_eq!(suspected(session, again).await, (0, 5));
        let groups = session.jobs.groups(again).await.expect("groups");
        assert_eq!(groups.iter().map(|group| (group.rows, group.allows)).collect::<Vec<_>>(), [(5, 5)]);
        let why = groups[0].why.to_string();
        assert!(why.contains(msg_part("A job that it no longer knows may have sent this badge")), "{why}");
        session.jobs.begin(again, "somebody").await.expect_err("nobody has decided");
        // A person who has reviewed it before the loss did not know of it.
        session.jobs.begin(reviewed, "somebody").await.expect_err("nobody has decided");
        assert_eq!(suspected(session, reviewed).await, (0, 3));
        assert_eq!(world.control().ledger().accepted_total(), 5);
        assert_eq!(noticed(&world), 1);

        // The decision holds for this loss, also if the check is repeated, and not for the next one.
        let allow = async |draft| {
            session.jobs.allow(draft, RowSelection::Class(DuplicateKind::LostWrites)).await.expect("allowed")
        };
        assert_eq!(allow(reviewed).await, 3);
        drafts::checked(session, reviewed).await;
        assert_eq!(suspected(session, reviewed).await, (3, 0));
        fail_over(&world);
        team_wait::back(&session.jobs).await;
        session.jobs.begin(reviewed, "somebody").await.expect_err("it is another loss");
        drafts::checked(session, reviewed).await;
        assert_eq!(suspected(session, reviewed).await, (0, 3));
        assert_eq!(allow(reviewed).await, 3);
        session.jobs.begin(reviewed, "somebody").await.expect("begun");
        person::rest(session, reviewed).await;
        assert_eq!(world.control().ledger().accepted_total(), 8);

        // By now the history shows what the lost job has sent.
        world.change("UPDATE store SET noticed = noticed - interval '27 hours'");
        let late = session.jobs.draft_people(person::template(), others("late", 2)).await.expect("a draft");
        drafts::checked(session, late).await;
        assert_eq!(suspected(session, late).await, (2, 0));
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_loss_that_is_noticed_while_a_job_begins_keeps_it_a_draft() {
    let world = hiding();
    world.session(&Trap::new(End::Lives), async |session| {
        session.hear().await;
        let draft = drafts::drafted(session, 3).await;
        drafts::checked(session, draft).await;
        world.change("UPDATE store SET origin = 'another server'");
        session.jobs.begin(draft, "somebody").await.expect_err("nobody has decided");
        assert_eq!(noticed(&world), 1);
        assert_eq!(session.jobs.job(draft).await.expect("a draft").phase, Phase::Draft);
        session.jobs.begin(draft, "somebody").await.expect_err("it was checked again");
        assert_eq!(suspected(session, draft).await, (0, 3));
        assert_eq!(world.control().ledger().accepted_total(), 0);
    });
}

/// Its form has no duplicate check.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_badge_for_one_person_waits_for_a_decision_after_a_loss() {
    let world = hiding();
    world.session(&Trap::new(End::Lives), async |session| {
        session.hear().await;
        fail_over(&world);
        team_wait::back(&session.jobs).await;
        let (template_id, title) = person::template();
        let plan = IssuePlan {
            template_id,
            title,
            recipient_name: "Kim".to_owned(),
            recipient_email: Address::check("kim@naru.example").expect("an address"),
            held_before: None,
            allows: None,
        };
        let id = session.jobs.issue(plan, "somebody").await.expect("planned");
        person::rest(session, id).await;
        let job = session.jobs.job(id).await.expect("a job");
        assert_eq!((job.counts.of(RowStatus::NeedsReview), job.held), (1, 1), "{job:?}");
        assert_eq!(world.control().ledger().accepted_total(), 0);
        session.jobs.resend(id, 1, "somebody", "nobody has sent it").await.expect("decided");
        person::rest(session, id).await;
        assert_eq!(world.control().ledger().accepted_total(), 1);
        assert_eq!(world.number("SELECT count(*) FROM decision WHERE what = 'send again'"), 1);
    });
}

/// A check of all rows again would take a decision for each of them.
#[test]
#[ignore = "needs PostgreSQL"]
fn never_seen_rows_are_sent_again_together_by_a_person_who_knows_of_the_loss() {
    let mut world = hiding();
    world.settings.batch = 4;
    world.control().clear_faults();
    world.fault("post drop times=1");
    world.session(&Trap::new(End::Lives), async |session| {
        session.hear().await;
        let id = session.jobs.draft_people(person::template(), others("lost", 4)).await.expect("a draft");
        drafts::checked(session, id).await;
        session.jobs.begin(id, "somebody").await.expect("begun");
        person::rest(session, id).await;
        for _ in 0..2 {
            world.advance(27 * 60);
            session.jobs.poll_now(Some(id)).await;
        }
        fail_over(&world);
        team_wait::back(&session.jobs).await;
        let never_seen = async || {
            let job = session.jobs.job(id).await.expect("a job");
            let decisions = world.number("SELECT count(*) FROM decision WHERE what = 'send again'");
            (job.counts.of(RowStatus::NeverSeen), decisions, world.control().ledger().accepted_total())
        };
        assert_eq!(never_seen().await, (4, 0, 0));
        let noticed = msg_part("lapel noticed that the team's database lost writes");

        let single = async || session.jobs.resend(id, 4, "somebody", "it did not arrive").await;
        let why = single().await.expect_err("nobody knew of the loss");
        assert!(matches!(why, JobError::NeedsReview(_)) && why.to_string().contains(noticed), "{why}");
        assert_eq!(never_seen().await, (4, 0, 0));
        single().await.expect("they know of it");
        session.jobs.sent(id).await;
        assert_eq!(never_seen().await, (3, 1, 1));

        let all =
            async || session.jobs.resend_never_seen(id, vec![1, 2, 3], "somebody", "nothing arrived").await;
        let why = all().await.expect_err("nobody knew of the loss");
        assert!(matches!(why, JobError::NeedsReview(_)) && why.to_string().contains(noticed), "{why}");
        assert_eq!(never_seen().await, (3, 1, 1));
        all().await.expect("they know of it");
        session.jobs.sent(id).await;
        assert_eq!(never_seen().await, (0, 4, 4));
    });
}

/// A refused row was certainly not sent. A job that the database no longer knows may have sent the same badge.
#[test]
#[ignore = "needs PostgreSQL"]
fn refused_rows_are_retried_together_by_a_person_who_knows_of_the_loss() {
    let mut world = hiding();
    world.settings.batch = 4;
    world.control().clear_faults();
    world.fault("post /badges/batch status=400 times=1");
    world.session(&Trap::new(End::Lives), async |session| {
        session.hear().await;
        let id = session.jobs.draft_people(person::template(), others("refused", 4)).await.expect("a draft");
        drafts::checked(session, id).await;
        session.jobs.begin(id, "somebody").await.expect("begun");
        person::rest(session, id).await;
        let noticed = msg_part("lapel noticed that the team's database lost writes");
        let seen = async || {
            let counts = session.jobs.job(id).await.expect("a job").counts;
            let open = [RowStatus::Refused, RowStatus::NeedsReview].map(|status| counts.of(status));
            (open, world.control().ledger().accepted_total())
        };
        let retry = async || session.jobs.retry_refused(id, "somebody").await;
        assert_eq!(seen().await, ([4, 0], 0));
        // Each loss needs a decision of its own.
        for _ in 0..2 {
            fail_over(&world);
            team_wait::back(&session.jobs).await;
            let why = retry().await.expect_err("nobody knew of the loss");
            assert!(matches!(why, JobError::NeedsReview(_)) && why.to_string().contains(noticed), "{why}");
            assert_eq!(seen().await, ([4, 0], 0));
        }
        assert_eq!(retry().await.expect("they know of it"), 4);
        session.jobs.sent(id).await;
        assert_eq!(seen().await, ([0, 0], 4));
    });
}
