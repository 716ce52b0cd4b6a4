//! What only a team's database can do to a journal. `on_postgresql` runs these tests.

use crate::crash::drafts;
use crate::crash::oracle;
use crate::crash::person::{self, JobInput, Script, people};
use crate::crash::steps;
use crate::crash::world::{End, Session, Trap, World};
use crate::team;
use crate::texts::msg_part;
use lapel::jobs::{Fault, Moment, Phase, RowStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
#[ignore = "needs PostgreSQL"]
fn every_write_that_loses_its_connection_is_done_once() {
    steps::every_write_loses_its_connection();
}

/// The sender was not heard for too long, although it lives: another computer takes its job over.
#[test]
#[ignore = "needs PostgreSQL"]
fn an_answer_that_comes_after_the_take_over_is_evidence_and_nothing_is_sent_twice() {
    let mut world = World::new(&[]);
    world.settings.batch = 13;
    let script = Script::of(JobInput::Issue(people(13)));
    // The first answer comes when the test lets it.
    world.fault("post commit delay=3s times=1");
    world.session(&Trap::new(End::Lives), async |first| {
        let id = person::begin(first, &world, &script).await;
        sending(first, &world).await;
        world.change("UPDATE process SET until = clock_timestamp() - interval '1 second'");
        let mut second = world.begin(None).await;
        let taken = second.jobs.job(id).await.expect("a job");
        assert!(taken.owner.as_ref().is_some_and(|owner| owner.is_me), "{taken:?}");
        assert_eq!(taken.counts.of(RowStatus::Sending), 0, "{taken:?}");
        assert!(taken.counts.of(RowStatus::InDoubt) > 0, "{taken:?}");
        let late = "SELECT count(*) FROM decision WHERE what = 'late answer'";
        person::until(|| world.number(late) == 1).await;
        person::live(&mut second, &world, &script).await;
        oracle::finally(&mut second, &world, &script).await;
        assert_eq!(world.control().ledger().accepted_total(), 13);
    });
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
        Moment::After("intent") if !away.swap(true, Ordering::Relaxed) => {
            team::close_to_all(&folder);
            Fault::Disconnect
        }
        _ => Fault::None,
    });
    world.session(&Trap::new(End::Lives), async |_| {
        let mut session = world.begin(Some(watcher)).await;
        let id = person::begin(&mut session, &world, &script).await;
        person::until(|| is_away.load(Ordering::Relaxed)).await;
        session.jobs.job(id).await.expect_err("nobody can connect");
        team::open_to_all(world.folder());
        person::live(&mut session, &world, &script).await;
        oracle::finally(&mut session, &world, &script).await;
        assert_eq!(world.number("SELECT count(*) FROM request WHERE outcome = 'not_sent'"), 1);
        assert_eq!(world.control().ledger().accepted_total(), 3);
    });
}

/// Waits until a request is with the service.
async fn sending(_: &Session, world: &World) {
    person::until(|| world.control().ledger().accepted_total() > 0).await;
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
        assert_eq!(job.begun_by.as_ref().map(ToString::to_string).as_deref(), Some("somebody"));
        let why = second.jobs.resume(id, "second").await.expect_err("it is being sent").to_string();
        assert!(why.contains(msg_part("Pause it first.")), "{why}");
        second.jobs.pause(id).await.expect("paused");
        person::rest(first, id).await;
        let sent = world.control().ledger().accepted_total();
        assert!(sent < 13, "it was paused in time");
        let job = first.jobs.job(id).await.expect("a job");
        assert_eq!((job.phase, job.is_mine()), (Phase::Paused, true), "{job:?}");
        world.control().clear_faults();
        second.jobs.resume(id, "second").await.expect("resumed");
        let job = second.jobs.job(id).await.expect("a job");
        assert!(job.is_mine(), "{job:?}");
        person::live(&mut second, &world, &script).await;
        oracle::finally(&mut second, &world, &script).await;
        for what in ["pause", "take over"] {
            let recorded =
                format!("SELECT count(*) FROM decision WHERE what = '{what}' AND who LIKE 'tester on %'");
            assert_eq!(world.number(&recorded), 1, "{what}");
        }
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn two_who_confirm_the_same_file_at_once_send_it_once_and_one_learns_who_did() {
    let world = World::new(&[("waiting-history", "hidden")]);
    world.session(&Trap::new(End::Lives), async |first| {
        let mut second = world.begin(None).await;
        let (one, other) = (drafts::drafted(first, 40).await, drafts::drafted(&second, 40).await);
        drafts::checked(first, one).await;
        drafts::checked(&second, other).await;
        let both = tokio::join!(first.jobs.begin(one, "kim"), second.jobs.begin(other, "lee"));
        assert!(both.0.is_ok() || both.1.is_ok(), "{both:?}");
        person::rest(first, one).await;
        person::rest(&mut second, other).await;
        let mut held = Vec::new();
        for (jobs, id) in [(&first.jobs, one), (&second.jobs, other)] {
            held.push(jobs.job(id).await.expect("a job").counts.of(RowStatus::Ask));
        }
        let ledger = world.control().ledger();
        let people: std::collections::BTreeSet<_> =
            ledger.accepted.iter().map(|accepted| accepted.recipient_email.to_lowercase()).collect();
        assert_eq!(ledger.accepted_total(), people.len() as u64, "nobody got two");
        assert!(held.iter().any(|held| *held > 0), "the other one asks: {held:?}");
        // Why the rows are held names the job of the other.
        let named = world.query("SELECT DISTINCT why FROM row WHERE bucket = 'ask' AND seen IS NOT NULL");
        assert!(named.iter().flatten().flatten().any(|why| why.contains("\"job\"")), "{named:?}");
    });
}
