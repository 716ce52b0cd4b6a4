//! Every fault of the sandbox on every request that acts, before and after the service has carried it out.

use crate::crash::many;
use crate::crash::oracle;
use crate::crash::person::{self, JobInput, Script, Stranger, people, targets};
use crate::crash::world::{BOUND, End, Session, Trap, World};
use crate::team;
use lapel::jobs::{JobId, Phase, RowStatus, StopKind};
use std::time::Duration;

/// What can go wrong before the service looks at a request, or after it has carried it out.
pub const EITHER: [&str; 26] = [
    "drop",
    "reset",
    "garbage",
    "empty",
    "empty=202",
    "204",
    "empty=500",
    "html=200",
    "html=202",
    "html=400",
    "html=404",
    "html=502",
    "html=503",
    "status=500",
    "status=502",
    "status=503",
    "status=504",
    "status=408",
    "status=302 message=no",
    "redirect=http://127.0.0.1:9/elsewhere",
    "redirect=http://127.0.0.1:9/elsewhere status=301",
    "redirect=http://127.0.0.1:9/elsewhere status=303",
    "redirect=http://127.0.0.1:9/elsewhere status=307",
    "redirect=http://127.0.0.1:9/elsewhere status=308",
    "delay=20ms",
    "delay=5ms drop",
];

/// Refusals: a service that refuses in its own words has done nothing (contract, "Errors"), and is believed.
/// One that lies about that is found out only after a 422, whose meaning the contract leaves open.
pub const BEFORE: [&str; 12] = [
    "status=400",
    "status=401",
    "status=403",
    "status=404",
    "status=409",
    "status=413",
    "status=415",
    "status=422",
    "html=403",
    "status=429 retry-after=0",
    "status=429 retry-after=1 times=1",
    "status=429 retry-after=0 times=4",
];

/// What spoils a real answer.
pub const AFTER: [&str; 19] = [
    "commit status=422",
    "commit html=422",
    "truncate",
    "truncate=0",
    "truncate=5",
    "wrong-length=+50",
    "wrong-length=-10",
    "slow-body=60ms",
    "items=reversed",
    "items=lower",
    "items=missing",
    "items=extra",
    "items=doubled",
    "items=empty",
    "items=none",
    "items=null",
    "accepted=0",
    "accepted=3",
    "accepted=999",
];

#[derive(Debug)]
struct Case {
    rule: String,
    path: &'static str,
    shown: bool,
}

fn run(case: &Case) {
    let waiting = if case.shown { "visible" } else { "hidden" };
    let world = World::new(&[("waiting-history", waiting), ("waiting-detail", waiting)]);
    let script = Script::of(match case.path {
        "/badges" => JobInput::Issue(people(1)),
        "/badges/batch" => JobInput::Issue(people(8)),
        _ => JobInput::Revoke(targets(&world, 7)),
    });
    world.fault(&format!("post {} {}", case.path, case.rule));
    let lived = world.session(&Trap::new(End::Lives), async |session| {
        person::live(session, &world, &script).await;
        oracle::finally(session, &world, &script).await;
    });
    assert!(lived.is_some());
    assert!(world.control().ledger().faults > 0, "the fault never struck");
    assert_eq!(world.control().ledger().violations, lapel::sandbox::Violations::default());
}

fn cases(all: bool) -> Vec<Case> {
    let (mut cases, mut parity) = (Vec::new(), 0);
    for path in ["/badges", "/badges/batch", "/badges/revoke"] {
        let rules = EITHER
            .iter()
            .flat_map(|harm| [(*harm).to_owned(), format!("commit {harm}")])
            .chain(BEFORE.iter().chain(&AFTER).map(|rule| (*rule).to_owned()));
        for rule in rules {
            for times in if all { &["", " times=1", " every=2"][..] } else { &[" times=1"] } {
                // `message=` takes the rest of the line, some rules count for themselves, a 429 that never ends
                // is waited out for ever, and only people have a second request.
                let counted = rule.contains("times=") || rule.contains("message=");
                let endless = rule.contains("429") && times.is_empty();
                if endless || (times == &" every=2" && path != "/badges/batch") {
                    continue;
                }
                if counted && times != &" times=1" {
                    continue;
                }
                let rule = if counted { rule.clone() } else { format!("{rule}{times}") };
                parity += 1;
                for shown in [true, false] {
                    if all || shown == (parity % 2 == 0) {
                        cases.push(Case { rule: rule.clone(), path, shown });
                    }
                }
            }
        }
    }
    cases
}

#[test]
fn whatever_happens_to_a_request_or_its_answer_the_end_is_the_same() {
    let cases = cases(false);
    assert!(cases.len() >= 200, "{}", cases.len());
    // On a server every sixth: the rules are the same, and a server takes longer.
    let cases: Vec<Case> = cases.into_iter().step_by(if team::is_team() { 6 } else { 1 }).collect();
    many::all(&cases, run);
}

#[test]
#[ignore = "takes minutes: all faults, struck once, always and every other time"]
fn every_fault_however_often_it_strikes() {
    many::all(&cases(true), run);
}

#[test]
fn a_request_that_is_carried_out_after_it_was_given_up_is_found() {
    many::all(
        &[(true, "post delay=700ms times=1"), (false, "post commit delay=700ms times=1")],
        |(shown, rule)| {
            let waiting = if *shown { "visible" } else { "hidden" };
            let mut world = World::new(&[("waiting-history", waiting)]);
            world.connection_mut().timeouts.total_post = Duration::from_millis(200);
            let script = Script::of(JobInput::Issue(people(4)));
            world.fault(rule);
            world.session(&Trap::new(End::Lives), async |session| {
                let id = person::begin(session, &world, &script).await;
                person::rest(session, id).await;
                // It is looked for while the service is still at work on it.
                session.jobs.poll_now(Some(id)).await;
                let late = async {
                    while world.control().ledger().accepted_total() < 3 {
                        tokio::task::yield_now().await;
                    }
                };
                tokio::time::timeout(crate::crash::world::BOUND, late).await.expect("it is carried out");
                person::live(session, &world, &script).await;
                oracle::finally(session, &world, &script).await;
            });
        },
    );
}

/// Begins, and waits until nothing more happens by itself.
async fn begun(session: &mut Session, world: &World, script: &Script) -> JobId {
    let id = person::begin(session, world, script).await;
    person::rest(session, id).await;
    id
}

#[test]
fn a_refusal_stops_its_job_in_the_same_write() {
    let mut world = World::new(&[]);
    world.settings.in_flight = 1;
    let script = Script::of(JobInput::Issue(people(13)));
    world.fault("post status=422 times=1");
    let trap = Trap::new(End::AfterFirst("answer"));
    let died = world.session(&trap, async |session| begun(session, &world, &script).await);
    assert_eq!(died, None);
    world.session(&Trap::new(End::Lives), async |session| {
        let job = session.jobs.list().await.expect("a list").remove(0);
        assert_eq!(job.stop.as_ref().map(|stop| stop.kind), Some(StopKind::Quota), "{job:?}");
        person::live(session, &world, &script).await;
        oracle::finally(session, &world, &script).await;
    });
}

#[test]
fn several_refusals_at_once_are_proven_together() {
    let world = World::new(&[]);
    let script = Script::of(JobInput::Issue(people(13)));
    // Two are under way at once; both were carried out.
    world.fault("post commit hold status=422 times=2");
    world.session(&Trap::new(End::Lives), async |session| {
        let id = person::begin(session, &world, &script).await;
        let both = async {
            while world.control().ledger().accepted_total() < 10 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(BOUND, both).await.expect("two are under way");
        world.control().clear_faults();
        person::rest(session, id).await;
        let job = session.jobs.job(id).await.expect("a job");
        assert_eq!((job.counts.of(RowStatus::Ready), job.phase), (13, Phase::Stopped));
        assert_eq!(world.control().ledger().accepted_total(), 10);
        session.jobs.resume(id, "somebody").await.expect("resumed");
        person::live(session, &world, &script).await;
        oracle::finally(session, &world, &script).await;
    });
}

#[test]
fn a_duplicate_check_that_reads_again_does_not_count_its_own_badges() {
    let mut world = World::new(&[("waiting-history", "hidden"), ("waiting-detail", "hidden")]);
    world.settings.in_flight = 1;
    let script = Script::of(JobInput::Issue(people(13)));
    world.fault("post commit-drop times=1");
    world.fault("post after=1 times=1 status=403");
    world.session(&Trap::new(End::Lives), async |session| {
        let id = begun(session, &world, &script).await;
        let job = session.jobs.job(id).await.expect("a job");
        assert_eq!((job.counts.of(RowStatus::InDoubt), job.counts.of(RowStatus::Ready)), (5, 8));
        // The badges of the lost answer show, and the guard sees them before any look does.
        world.advance(25 * 60);
        session.hear().await;
        session.jobs.resume(id, "somebody").await.expect("resumed");
        person::live(session, &world, &script).await;
        oracle::finally(session, &world, &script).await;
    });
    assert_eq!(world.control().ledger().requests_to("POST /badges/batch"), 4);
}

#[test]
fn another_operators_badge_is_never_taken_for_ours() {
    // The request is lost, or its badge is hidden while theirs is not, or both show.
    let cases = [
        ("post drop", "hidden"),
        ("post drop", "visible"),
        ("post commit-drop", "hidden"),
        ("post commit-drop", "visible"),
    ];
    many::all(&cases, |(rule, waiting)| {
        let world = World::new(&[("waiting-history", waiting), ("waiting-detail", waiting)]);
        // The answer is lost, and the look that follows at once fails.
        world.fault(rule);
        world.fault("get /badges/history after=2 status=403");
        let stranger = |person| Stranger { round: 1, person, waits: person == 1 };
        let strangers = vec![stranger(0), stranger(1)];
        let script = Script { strangers, ..Script::of(JobInput::Issue(people(2))) };
        world.session(&Trap::new(End::Lives), async |session| {
            person::live(session, &world, &script).await;
            oracle::finally(session, &world, &script).await;
        });
    });
}
