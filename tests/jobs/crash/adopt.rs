//! A replaced key whose jobs are adopted by its successor: all or nothing, wherever that ends.

use crate::crash::oracle;
use crate::crash::person::{self, JobInput, Script, people};
use crate::crash::world::{End, Trap, World};
use lapel::jobs::Adopted;

const FORMER: &str = "00000001";

fn adopt(world: &World, end: End) -> (Vec<&'static str>, Option<Adopted>) {
    let trap = Trap::new(end);
    let adopted = world.journal(&trap, async |journal| {
        journal.adopt(&world.account(), FORMER, "somebody").await.expect("adopted")
    });
    (trap.writes(), adopted)
}

/// Keys with jobs, and the number of decisions to adopt.
fn owned(world: &World) -> (Vec<String>, u64) {
    let keys = world.query("SELECT DISTINCT account FROM job").into_iter().flatten().flatten().collect();
    (keys, world.number("SELECT count(*) FROM decision WHERE what = 'adopt'"))
}

#[test]
fn adopted_jobs_go_on_with_the_new_key_wherever_the_adoption_ends() {
    for end in [End::Before(0), End::After(0), End::Replays, End::Lives] {
        let mut world = World::new(&[]);
        let script = Script::of(JobInput::Issue(people(7)));
        // The first answer is lost, and then the session ends: one request is in doubt, and rows are unsent.
        world.fault("post commit-drop times=1");
        world.former = Some(FORMER.to_owned());
        world.session(&Trap::new(End::Lives), async |session| {
            person::begin(session, &world, &script).await;
        });
        world.former = None;
        let (writes, adopted) = adopt(&world, end);
        assert_eq!(writes, ["adopt"], "{end:?}");
        let all = Adopted { jobs: 1, busy: 0 };
        let new = world.account().key;
        match end {
            End::Before(_) => {
                assert_eq!((adopted, owned(&world)), (None, (vec![FORMER.to_owned()], 0)), "{end:?}");
                assert_eq!(adopt(&world, End::Lives).1, Some(all), "the next one does it");
            }
            End::After(_) => assert_eq!(adopted, None),
            _ => assert_eq!(adopted, Some(all), "{end:?}"),
        }
        assert_eq!(owned(&world), (vec![new], 1), "{end:?}");
        world.session(&Trap::new(End::Lives), async |session| {
            person::live(session, &world, &script).await;
            oracle::finally(session, &world, &script).await;
        });
    }
}
