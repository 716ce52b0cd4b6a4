//! Random people, random faults, random pauses, random deaths, and other operators who do the same.

use crate::crash::faults;
use crate::crash::oracle;
use crate::crash::person::{self, JobInput, Script, Stranger, targets};
use crate::crash::world::{End, Trap, World};
use lapel::jobs::PlannedRecipient;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::time::Duration;

#[derive(Clone, Debug)]
struct Case {
    revokes: bool,
    /// For each person the address: some share one.
    addresses: Vec<usize>,
    batch: usize,
    in_flight: usize,
    faults: Vec<String>,
    switches: Vec<(&'static str, &'static str)>,
    ends: Vec<End>,
    trouble_until: usize,
    pauses: Vec<usize>,
    strangers: Vec<Stranger>,
}

/// What the contract leaves open, and matters here.
const SWITCHES: [(&str, &[&str]); 9] = [
    ("waiting-history", &["visible", "hidden"]),
    ("waiting-detail", &["visible", "hidden"]),
    ("stored-mail", &["keep", "lower"]),
    ("labels", &["ko", "en", "mixed", "codes"]),
    ("title-match", &["partial", "exact"]),
    ("email-match", &["exact", "partial"]),
    ("issue-time", &["spread", "5m", "1d"]),
    ("waiting-issued-at", &["null", "set"]),
    ("default-order", &["newest", "oldest"]),
];

pub fn fault() -> impl Strategy<Value = String> {
    let when = (1_u64..4, 0_u64..4, 1_u64..4);
    let post = prop_oneof![
        select(faults::EITHER.to_vec()).prop_map(str::to_owned),
        select(faults::EITHER.to_vec()).prop_map(|harm| format!("commit {harm}")),
        select(faults::BEFORE.to_vec()).prop_map(str::to_owned),
        select(faults::AFTER.to_vec()).prop_map(str::to_owned),
    ]
    .prop_map(|harm| ("post", harm));
    let get = select(vec![
        "drop",
        "status=500",
        "html=502",
        "garbage",
        "truncate=20",
        "items=missing",
        "items=empty",
    ])
    .prop_map(|harm| ("get /badges/history", harm.to_owned()));
    (prop_oneof![4 => post, 1 => get], when).prop_map(|((whom, harm), (every, after, times))| {
        if harm.contains("times=") || harm.contains("message=") {
            format!("{whom} {harm}")
        } else {
            format!("{whom} every={every} after={after} times={times} {harm}")
        }
    })
}

fn end(slow: bool) -> impl Strategy<Value = End> {
    let written = prop_oneof![(0_usize..60).prop_map(End::Before), (0_usize..60).prop_map(End::After)];
    if slow {
        prop_oneof![2 => written, 1 => (0_u64..400_000).prop_map(|us| End::Within(Duration::from_micros(us)))]
            .boxed()
    } else {
        written.boxed()
    }
}

fn case(most: usize, long: bool) -> impl Strategy<Value = Case> {
    let addresses = prop::collection::vec(0_usize..most * 4, 1..=most);
    let switches: Vec<_> = SWITCHES
        .iter()
        .map(|(name, words)| select(words.to_vec()).prop_map(move |word| (*name, word)))
        .collect();
    let stranger = (1_usize..8, any::<usize>(), any::<bool>()).prop_map(|(round, person, waits)| Stranger {
        round,
        person,
        waits,
    });
    (
        prop::bool::weighted(0.2),
        addresses,
        (1_usize..12, 1_usize..4),
        prop::collection::vec(fault(), 0..4),
        switches,
        prop::collection::vec(end(long), 0..3),
        1_usize..4,
        prop::collection::vec(0_usize..6, 0..3),
        prop::collection::vec(stranger, 0..3),
    )
        .prop_map(
            |(
                revokes,
                addresses,
                (batch, in_flight),
                faults,
                switches,
                ends,
                trouble_until,
                pauses,
                strangers,
            )| Case {
                revokes,
                addresses,
                batch,
                in_flight,
                faults,
                switches,
                ends,
                trouble_until,
                pauses,
                strangers,
            },
        )
}

fn run(case: &Case) {
    let mut world = World::new(&case.switches);
    world.settings.batch = case.batch.max(case.addresses.len() / 20);
    world.settings.in_flight = case.in_flight;
    let input = if case.revokes {
        JobInput::Revoke(targets(&world, case.addresses.len()))
    } else {
        let person = |(n, address): (usize, &usize)| PlannedRecipient {
            name: format!("사람 {n}"),
            email: format!("p{address}@naru.example"),
        };
        JobInput::Issue(case.addresses.iter().enumerate().map(person).collect())
    };
    let script = Script {
        input,
        trouble_until: case.trouble_until,
        pauses: case.pauses.clone(),
        strangers: case.strangers.clone(),
    };
    for rule in &case.faults {
        world.fault(rule);
    }
    for end in case.ends.iter().chain([&End::Lives]) {
        world.session(&Trap::new(*end), async |session| {
            person::live(session, &world, &script).await;
            if *end == End::Lives {
                oracle::finally(session, &world, &script).await;
            }
        });
        oracle::meanwhile(&world, &script);
    }
}

/// Runs so many cases of this size, side by side, the same in every run for a seed.
fn check(cases: u32, most: usize, seed: u8, long: bool) {
    const SIDE_BY_SIDE: u32 = 4;
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..SIDE_BY_SIDE)
            .map(|n| {
                scope.spawn(move || {
                    let config = Config {
                        cases: cases.div_ceil(SIDE_BY_SIDE),
                        max_shrink_iters: 60,
                        failure_persistence: None,
                        ..Config::default()
                    };
                    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed ^ n as u8; 32]);
                    TestRunner::new_with_rng(config, rng).run(&case(most, long), |case| {
                        run(&case);
                        Ok(())
                    })
                })
            })
            .collect();
        for one in all {
            if let Err(why) = one.join().expect("a thread") {
                panic!("{why}");
            }
        }
    });
}

#[test]
fn nobody_gets_two_and_nobody_none_whatever_happens() {
    check(if crate::team::is_team() { 18 } else { 36 }, 60, 0, false);
}

/// How many runs are wanted, and where chance begins: `LAPEL_RUNS`, `LAPEL_SEED`.
pub fn wanted(usual: u32) -> (u32, u8) {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u32>().ok());
    (number("LAPEL_RUNS").unwrap_or(usual), number("LAPEL_SEED").unwrap_or(8) as u8)
}

#[test]
#[ignore = "LAPEL_RUNS of them, 1000 unless said otherwise"]
fn thousands_of_random_runs() {
    let (runs, seed) = wanted(1000);
    check(runs, 60, seed, true);
    println!("{runs} random runs of up to 60 people");
}

#[test]
#[ignore = "a hundredth as many as LAPEL_RUNS, with thousands of people each"]
fn random_runs_of_thousands_of_people() {
    let (runs, seed) = wanted(1000);
    check(runs.div_ceil(100), 5000, seed, true);
    println!("{} random runs of up to 5,000 people", runs.div_ceil(100));
}
