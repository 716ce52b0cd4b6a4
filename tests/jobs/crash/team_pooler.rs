//! A pooler between lapel and a team's database, `PgBouncer`. `again_on_postgresql` runs these tests where it is installed.

use crate::crash::oracle;
use crate::crash::person::{self, JobInput, Script, people};
use crate::crash::world::World;
use crate::team;
use crate::texts::msg_part;
use lapel::jobs::{Journal, JournalError};
use lapel::team::TeamError;

#[test]
#[ignore = "needs PgBouncer"]
fn a_pooler_in_session_mode_changes_nothing() {
    let world = World::new(&[]);
    let script = Script::of(JobInput::Issue(people(13)));
    let pooler = team::Pooler::start(world.folder(), "pool_mode = session");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut first = world.begin(None).await;
        let mut second = world.begin(None).await;
        second.jobs.poll_now(None).await;
        let id = person::begin(&mut first, &world, &script).await;
        let seen = async { while second.events.recv().await.expect("jobs").id != id {} };
        tokio::time::timeout(crate::crash::world::BOUND, seen).await.expect("it is seen");
        person::live(&mut first, &world, &script).await;
        oracle::finally(&first, &world, &script).await;
        let status = Journal::team_status(&team::database_of(world.folder())).expect("a status");
        assert!(!status.is_pooled, "{status:?}");
        first.jobs.close().await;
        second.jobs.close().await;
    });
    drop(runtime);
    world.let_go();
    drop(pooler);
}

/// Each transaction may get another connection to the database, without the settings of this one.
#[test]
#[ignore = "needs PgBouncer"]
fn a_pooler_in_transaction_mode_is_refused_with_its_name() {
    for order in [0, 1] {
        let world = World::new(&[]);
        let settings = format!("pool_mode = transaction\nserver_round_robin = {order}");
        let _pooler = team::Pooler::start(world.folder(), &settings);
        let login = team::database_of(world.folder());
        // With any earlier use of its connections.
        for n in 0..4 {
            let why = match n % 2 {
                0 => Journal::open_team(login.clone(), "kim", None).map(drop),
                _ => Journal::team_status(&login).map(|status| assert!(status.is_pooled, "{status:?}")),
            };
            match why {
                Ok(()) => assert_eq!(n % 2, 1, "{settings}: it is used"),
                Err(why) => {
                    let known = matches!(why, JournalError::Team { why: TeamError::Pooled, .. });
                    assert!(known, "{settings} {n}: {why:?}");
                    assert!(why.to_string().contains(msg_part("A pooler in transaction mode is between")));
                }
            }
        }
        assert_eq!(world.number("SELECT count(*) FROM request"), 0);
    }
}
