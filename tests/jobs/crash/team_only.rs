//! What only a team's database can do to a journal. `on_postgresql` runs these tests.

use crate::crash::oracle;
use crate::crash::person::{self, JobInput, Script, people};
use crate::crash::steps;
use crate::crash::world::{End, Session, Trap, World};
use crate::team;
use lapel::jobs::{Fault, Moment, RowStatus};
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
        oracle::finally(&second, &world, &script).await;
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
        oracle::finally(&session, &world, &script).await;
        assert_eq!(world.number("SELECT count(*) FROM request WHERE outcome = 'not_sent'"), 1);
        assert_eq!(world.control().ledger().accepted_total(), 3);
    });
}

/// Waits until a request is with the service.
async fn sending(_: &Session, world: &World) {
    person::until(|| world.control().ledger().accepted_total() > 0).await;
}
