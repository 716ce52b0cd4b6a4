//! A crash at every write of the journal, before and after its commit; over a service that commits, commits
//! and says nothing, or never gets the request; that shows waiting badges, or hides them.

use crate::crash::many;
use crate::crash::oracle;
use crate::crash::person::{self, JobInput, Script};
use crate::crash::world::{End, Trap, World};
use crate::team;
use std::collections::HashMap;

/// What happens to the requests of the first session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answers {
    Come,
    AreLost,
    AreLostWithTheRequest,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    revokes: bool,
    answers: Answers,
    shown: bool,
    end: End,
}

/// Gives the names of the first session's writes, and whether it was cut short.
fn run(case: &Case) -> (Vec<&'static str>, bool) {
    let waiting = if case.shown { "visible" } else { "hidden" };
    let mut world = World::new(&[("waiting-history", waiting), ("waiting-detail", waiting)]);
    world.settings.batch = 3;
    let script = Script::of(if case.revokes {
        JobInput::Revoke(person::targets(&world, 7))
    } else {
        JobInput::Issue(person::people(7))
    });
    match case.answers {
        Answers::Come => {}
        Answers::AreLost => world.fault("post commit-drop"),
        Answers::AreLostWithTheRequest => world.fault("post drop"),
    }
    let first = Trap::new(case.end);
    let lived = world.session(&first, async |session| {
        person::live(session, &world, &script).await;
        oracle::finally(session, &world, &script).await;
    });
    oracle::meanwhile(&world, &script);
    world.control().clear_faults();
    if lived.is_none() {
        let lived = world.session(&Trap::new(End::Lives), async |session| {
            person::live(session, &world, &script).await;
            oracle::finally(session, &world, &script).await;
        });
        assert!(lived.is_some());
    }
    (first.writes(), lived.is_none())
}

/// Every kind of write a few times, or every single write.
fn cases(revokes: bool, most_of_a_kind: usize) -> Vec<Case> {
    let mut undisturbed = Vec::new();
    for answers in [Answers::Come, Answers::AreLost, Answers::AreLostWithTheRequest] {
        for shown in [true, false] {
            undisturbed.push(Case { revokes, answers, shown, end: End::Lives });
        }
    }
    let writes = many::all(&undisturbed, |case| (*case, run(case).0));
    let mut cases = Vec::new();
    for (case, writes) in writes {
        let mut kinds: HashMap<&str, usize> = HashMap::new();
        for (n, kind) in writes.iter().enumerate() {
            let seen = kinds.entry(kind).or_default();
            *seen += 1;
            if *seen <= most_of_a_kind {
                cases.push(Case { end: End::Before(n), ..case });
                cases.push(Case { end: End::After(n), ..case });
            }
        }
    }
    // On a server every fifth: the rules are the same, and a server takes longer. `every_single_write` runs all.
    let is_sample = team::is_team() && most_of_a_kind < usize::MAX;
    if is_sample { cases.into_iter().step_by(5).collect() } else { cases }
}

#[test]
fn an_issue_job_that_dies_at_any_write_gives_everybody_one_badge() {
    let cases = cases(false, 2);
    let crashed = many::all(&cases, |case| run(case).1).into_iter().filter(|died| *died).count();
    println!("{} runs, {crashed} of them cut short", cases.len());
    assert!(crashed >= if team::is_team() { 40 } else { 200 }, "only {crashed} runs were cut short");
}

#[test]
fn a_revocation_that_dies_at_any_write_revokes_each_badge_once() {
    let cases = cases(true, 1);
    let crashed = many::all(&cases, |case| run(case).1).into_iter().filter(|died| *died).count();
    println!("{} runs, {crashed} of them cut short", cases.len());
    assert!(crashed >= if team::is_team() { 12 } else { 60 }, "only {crashed} runs were cut short");
}

#[test]
fn every_write_can_be_undone_and_run_again() {
    let mut cases = Vec::new();
    for revokes in [false, true] {
        for answers in [Answers::Come, Answers::AreLost, Answers::AreLostWithTheRequest] {
            cases.extend([true, false].map(|shown| Case { revokes, answers, shown, end: End::Replays }));
        }
    }
    for (writes, died) in many::all(&cases, run) {
        assert!(!died && writes.len() > 10, "{writes:?}");
    }
}

#[cfg(feature = "team")]
/// On a team's database; a file has no connection to lose.
pub fn every_write_loses_its_connection() {
    let mut cases = Vec::new();
    for revokes in [false, true] {
        let lose = |answers| Case { revokes, answers, shown: true, end: End::Disconnects };
        cases.extend([Answers::Come, Answers::AreLost].map(lose));
    }
    assert!(many::all(&cases, run).iter().all(|(_, died)| !died));
}

#[test]
#[ignore = "takes minutes: every single write"]
fn every_single_write() {
    for revokes in [false, true] {
        let cases = cases(revokes, usize::MAX);
        let crashed = many::all(&cases, |case| run(case).1).into_iter().filter(|died| *died).count();
        println!("{} runs, {crashed} of them cut short", cases.len());
    }
}
