//! Tests of the shared slots with their own clock, checked against the service's window.

use super::*;
use proptest::prelude::*;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

const WINDOW: Duration = Duration::from_secs(60);
const PACE: &str = "pace";

struct Bench {
    db: Connection,
    now: Cell<i64>,
    boot: &'static str,
    wall_ahead: i64,
}

impl Bench {
    fn new() -> Self {
        let db = Connection::open_in_memory().expect("a database");
        prepare(&db).expect("tables");
        Self { db, now: Cell::new(1_000_000), boot: "one", wall_ahead: 1_700_000_000_000 }
    }

    fn at<T>(&mut self, work: impl FnOnce(&Connection, i64, i64) -> rusqlite::Result<T>) -> T {
        let (now, boot, ahead) = (self.now.get(), self.boot, self.wall_ahead);
        let clock = || BootMoment { boot_ms: now, boot: boot.to_owned(), wall_ms: now + ahead };
        at(&mut self.db, WINDOW, &clock, work).expect("a transaction")
    }

    fn take(&mut self, process: &str, want: &SlotRequest) -> SlotReply {
        self.at(|db, now, _| take(db, PACE, process, want, now))
    }

    fn granted(&mut self, process: &str, want: &SlotRequest) -> Slot {
        match self.take(process, want) {
            SlotReply::Granted(slot, _) => slot,
            later @ SlotReply::Later(..) => panic!("not granted: {later:?}"),
        }
    }

    fn later(&mut self, process: &str, want: &SlotRequest) -> Duration {
        match self.take(process, want) {
            SlotReply::Later(wait, _) => wait,
            granted @ SlotReply::Granted(..) => panic!("granted: {granted:?}"),
        }
    }

    fn give(&mut self, process: &str, slot: Slot, sent: Option<Priority>) {
        self.at(|db, now, _| give(db, (PACE, process), slot, sent, WINDOW, now));
    }

    fn pass(&self, ms: i64) {
        self.now.set(self.now.get() + ms);
    }

    fn seen(&mut self) -> SharedUse {
        self.at(|db, now, _| peek(db, PACE, "nobody", now))
    }
}

fn want(priority: Priority, limit: u32) -> SlotRequest {
    SlotRequest {
        priority,
        limit,
        background: (limit / 4).max(1),
        window: WINDOW,
        usable: Duration::from_secs(10),
        reach: Duration::from_secs(30),
        through: false,
    }
}

fn person(limit: u32) -> SlotRequest {
    want(Priority::Interactive, limit)
}

#[test]
fn a_slot_counts_until_a_window_after_its_request_or_not_at_all() {
    let mut bench = Bench::new();
    let first = bench.granted("a", &person(1));
    bench.pass(20_000);
    assert_eq!(bench.later("b", &person(1)), LONGEST_PAUSE, "it is under way");
    bench.give("a", first, Some(Priority::Interactive));
    bench.pass(59_500);
    assert_eq!(bench.later("b", &person(1)), Duration::from_millis(501));
    bench.pass(501);
    let second = bench.granted("b", &person(1));
    bench.give("b", second, None);
    bench.granted("a", &person(1));
}

#[test]
fn after_a_crash_a_slot_stays_for_the_longest_request_and_a_window() {
    let mut bench = Bench::new();
    let slot = bench.granted("crashed", &person(1));
    assert_eq!(slot.begin_by, bench.now.get() + 10_000);
    bench.pass(10_000 + 30_000 + 60_000 - 1);
    bench.later("other", &person(1));
    bench.pass(1);
    bench.granted("other", &person(1));
    // A slot of a process that was only suspended counts again from its end.
    bench.pass(30_000);
    bench.give("crashed", slot, Some(Priority::Interactive));
    assert_eq!(bench.seen().used, 2);
}

#[test]
fn people_go_first_in_every_process_and_the_background_gets_a_quarter_of_all() {
    let mut bench = Bench::new();
    let background = want(Priority::Background, 8);
    bench.granted("a", &background);
    bench.granted("b", &background);
    assert!(bench.later("c", &background) > Duration::ZERO);
    for process in ["a", "b", "c", "a", "b"] {
        bench.granted(process, &person(8));
    }
    let last = bench.granted("c", &person(8));
    bench.later("a", &person(8));
    bench.give("c", last, None);
    // With a larger limit, a quarter has more room. But an interactive call waits.
    bench.later("b", &want(Priority::Background, 100));
    bench.granted("a", &person(8));
    bench.granted("b", &want(Priority::Background, 100));
    // An interactive waiter that is gone blocks nobody.
    bench.later("a", &person(8));
    bench.pass(3_000);
    bench.granted("b", &want(Priority::Background, 100));
}

#[test]
fn a_hold_stops_every_process_and_is_never_shortened() {
    let mut bench = Bench::new();
    bench.at(|db, now, wall| hold(db, PACE, Duration::from_secs(3600), 2, now, wall));
    bench.at(|db, now, wall| hold(db, PACE, Duration::from_secs(1), 1, now, wall));
    let SlotReply::Later(wait, seen) = bench.take("b", &person(10)) else { panic!("held") };
    assert_eq!((wait, seen.refusals), (Duration::from_secs(3600), 2));
    // Only a ping that a person asked for goes through.
    bench.granted("b", &SlotRequest { through: true, ..person(10) });
    bench.at(|db, now, _| calm(db, PACE, false, now));
    bench.later("b", &person(10));
    bench.at(|db, now, _| calm(db, PACE, true, now));
    bench.granted("b", &person(10));
    // A hold does not affect another key.
    bench.at(|db, now, wall| hold(db, "another", Duration::MAX, 1, now, wall));
    bench.granted("b", &person(10));
    let seen = bench.at(|db, now, _| peek(db, "another", "b", now));
    assert_eq!(seen.held, Some(LONGEST_HOLD));
}

#[test]
fn a_restart_of_the_computer_forgets_no_slot_and_no_hold() {
    for (off, left) in [(600_000, 3000), (7_200_000, 0), (-999_000_000, 3600)] {
        let mut bench = Bench::new();
        bench.granted("a", &person(2));
        bench.at(|db, now, wall| hold(db, PACE, Duration::from_secs(3600), 1, now, wall));
        let wall = bench.now.get() + bench.wall_ahead + off;
        bench.now.set(20_000);
        bench.boot = "two";
        bench.wall_ahead = wall - 20_000;
        let seen = bench.seen();
        // A wall clock that was set back does not make a wait longer.
        assert_eq!(seen.held, (left > 0).then(|| Duration::from_secs(left)), "{off}");
        assert_eq!(seen.used, 1);
        bench.pass(60_000);
        assert_eq!(bench.seen().used, 0);
    }
    // Without a boot id, a clock that restarts shows the reboot.
    let mut bench = Bench::new();
    bench.granted("a", &person(1));
    bench.now.set(5_000);
    bench.later("b", &person(1));
    bench.pass(60_000);
    bench.granted("b", &person(1));
}

#[test]
fn the_clock_of_the_table_never_goes_back() {
    let mut bench = Bench::new();
    let slot = bench.granted("a", &person(1));
    bench.give("a", slot, Some(Priority::Interactive));
    bench.pass(-1_000);
    assert_eq!(bench.later("b", &person(1)), LONGEST_PAUSE);
    bench.pass(61_000);
    bench.later("b", &person(1));
    bench.pass(1);
    bench.granted("b", &person(1));
}

#[cfg(feature = "team")]
#[test]
fn a_seat_is_used_until_it_ends_and_by_this_run_of_the_computer() {
    const LEASE: i64 = 3_600_000;
    let own = |bench: &mut Bench, want: &SlotRequest| {
        let boot = bench.boot;
        bench.at(|db, now, wall| take_own(db, (PACE, boot), "a", want, (now, wall)))
    };
    let known = |bench: &mut Bench| {
        let boot = bench.boot;
        bench.at(|db, _, wall| seat(db, PACE, boot, u32::MAX, wall))
    };
    let mut bench = Bench::new();
    assert_eq!(own(&mut bench, &person(1000)), None);
    let first = known(&mut bench);
    let until = bench.now.get() + LEASE;
    let assigned = Seat { slots: 2, reach: Duration::from_secs(30), until, ..first.clone() };
    bench.at(|db, now, wall| keep_seat(db, PACE, &assigned, (now, wall + LEASE)));
    assert_eq!(known(&mut bench), assigned);
    let long = SlotRequest { reach: Duration::from_secs(31), ..person(1000) };
    assert!(matches!(own(&mut bench, &long), Some((2, SlotReply::Later(..)))), "it would outlast the seat");
    for _ in 0..2 {
        let Some((2, SlotReply::Granted(slot, _))) = own(&mut bench, &person(1000)) else {
            panic!("granted")
        };
        assert_eq!((slot.origin, slot.begin_by), (SlotOrigin::OwnShare, bench.now.get() + 10_000));
    }
    assert!(matches!(own(&mut bench, &person(1000)), Some((2, SlotReply::Later(..)))));
    bench.pass(LEASE - 1_000);
    let Some((_, SlotReply::Granted(slot, _))) = own(&mut bench, &person(1000)) else { panic!("granted") };
    assert_eq!(slot.begin_by, until, "its request begins before the seat ends");
    // By the wall clock it has ended.
    bench.wall_ahead += 2_000;
    assert_eq!(own(&mut bench, &person(1000)), None);
    bench.wall_ahead -= 2_000;
    assert!(own(&mut bench, &person(1000)).is_some());
    bench.pass(1_001);
    assert_eq!(own(&mut bench, &person(1000)), None);
    // After a restart it needs another seat.
    bench.at(|db, now, wall| {
        keep_seat(db, PACE, &Seat { until: i64::MAX, ..assigned.clone() }, (now, wall + LEASE))
    });
    assert!(own(&mut bench, &person(1000)).is_some());
    bench.boot = "two";
    assert_eq!(own(&mut bench, &person(1000)), None);
    assert_ne!(known(&mut bench).owner, first.owner);
    bench.at(|db, now, wall| keep_seat(db, PACE, &assigned, (now, wall + LEASE)));
    assert_eq!(own(&mut bench, &person(1000)), None, "the seat of the previous run");
}

#[cfg(feature = "team")]
#[test]
fn a_process_outside_the_team_uses_the_seat_of_its_computer_and_counts_the_rest_as_used() {
    let beside = |bench: &mut Bench| {
        let boot = bench.boot;
        bench.at(|db, now, wall| take_beside_team(db, (PACE, boot), "b", &person(100), (now, wall)))
    };
    let mut bench = Bench::new();
    let SlotReply::Granted(_, seen) = beside(&mut bench) else { panic!("granted") };
    assert_eq!((seen.used, seen.others), (1, 0), "no team has a seat here");
    let first = bench.at(|db, _, wall| seat(db, PACE, "one", u32::MAX, wall));
    let until = bench.now.get() + 600_000;
    let assigned = Seat { slots: 3, reach: Duration::from_secs(30), until, ..first };
    bench.at(|db, now, wall| keep_seat(db, PACE, &assigned, (now, wall + 600_000)));
    let SlotReply::Granted(_, seen) = beside(&mut bench) else { panic!("granted") };
    assert_eq!((seen.used, seen.others, seen.others_end_in), (99, 97, WINDOW));
    assert_eq!(seen.own_share, Some((3, Duration::from_secs(600))));
    let peeked = |bench: &mut Bench| {
        bench.at(|db, now, wall| peek_beside_team(db, (PACE, "one"), "b", (now, wall))).own_share
    };
    assert_eq!(peeked(&mut bench), seen.own_share);
    // The seat is one for both.
    let own = bench.at(|db, now, wall| take_own(db, (PACE, "one"), "a", &person(100), (now, wall)));
    assert!(matches!(own, Some((3, SlotReply::Granted(..)))), "{own:?}");
    assert!(matches!(beside(&mut bench), SlotReply::Later(..)));
    bench.pass(600_001);
    assert!(matches!(beside(&mut bench), SlotReply::Granted(_, SharedUse { others: 0, .. })));
    assert_eq!(peeked(&mut bench), None);
}

#[derive(Clone, Debug)]
struct Made {
    comes: i64,
    process: u8,
    background: bool,
    /// Delays until it begins, until the service sees it, and until it ends.
    begins: i64,
    seen: i64,
    ends: i64,
}

impl Made {
    fn priority(&self) -> Priority {
        if self.background { Priority::Background } else { Priority::Interactive }
    }
}

fn made() -> impl Strategy<Value = Made> {
    (0..150_000i64, 0..6u8, any::<bool>(), 0..10_000i64, 0..30_000i64, 0..30_000i64).prop_map(
        |(comes, process, background, begins, a, b)| Made {
            comes,
            process,
            background,
            begins,
            seen: a.min(b),
            ends: a.max(b),
        },
    )
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// It begins nothing more and returns nothing.
    Crash(u8),
    Start(u8),
    Hold(u8),
    Try(usize),
    Seen(usize),
    End(usize),
}

/// Half-open windows.
fn fullest(seen: &[i64]) -> usize {
    let window = millis(WINDOW);
    seen.iter()
        .map(|from| seen.iter().filter(|at| (*from..from + window).contains(*at)).count())
        .max()
        .unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn no_window_of_the_service_ever_holds_more_whatever_processes_do(
        limit in 1..20u32,
        requests in prop::collection::vec(made(), 1..60),
        crashes in prop::collection::vec((0..150_000i64, 0..6u8), 0..5),
        holds in prop::collection::vec((0..150_000i64, 1..30u8), 0..3),
        restart in prop::option::of(20_000..150_000i64),
    ) {
        let mut bench = Bench::new();
        let begin = bench.now.get();
        let mut events = BinaryHeap::new();
        for (index, made) in requests.iter().enumerate() {
            events.push(Reverse((begin + made.comes, Event::Try(index))));
        }
        for (at, process) in crashes {
            events.push(Reverse((begin + at, Event::Crash(process))));
            events.push(Reverse((begin + at + 500, Event::Start(process))));
        }
        for (at, seconds) in holds {
            events.push(Reverse((begin + at, Event::Hold(seconds))));
        }
        let mut slots = vec![None; requests.len()];
        let (mut granted, mut seen, mut held) = (Vec::new(), Vec::new(), Vec::new());
        let mut alive = [true; 6];
        let mut crashed_at = [i64::MIN; 6];
        // In every process, only the first waiter of each priority asks.
        let mut queues: BTreeMap<(u8, bool), VecDeque<usize>> = BTreeMap::new();
        let mut steps = 0;
        while let Some(Reverse((at, event))) = events.pop() {
            steps += 1;
            prop_assert!(steps < 200_000, "somebody waits for ever");
            // A reboot: all clocks except the wall clock restart. The test continues with the wall clock, and
            // passes the other one in.
            if restart.is_some_and(|after| at > begin + after) && bench.boot == "one" {
                bench.boot = "two";
                bench.wall_ahead += begin;
                alive = [true; 6];
                crashed_at = [at; 6];
                queues.clear();
            }
            bench.now.set(if bench.boot == "one" { at } else { at - begin });
            match event {
                Event::Crash(process) => {
                    alive[usize::from(process)] = false;
                    queues.retain(|(of, _), _| *of != process);
                    crashed_at[usize::from(process)] = at;
                }
                Event::Start(process) => alive[usize::from(process)] = true,
                Event::Hold(seconds) => {
                    let wait = Duration::from_secs(u64::from(seconds));
                    bench.at(|db, now, wall| hold(db, PACE, wait, 1, now, wall));
                    held.push((at, at + millis(wait)));
                }
                Event::Try(index) => {
                    let made = &requests[index];
                    if !alive[usize::from(made.process)] {
                        continue;
                    }
                    let queue = queues.entry((made.process, made.background)).or_default();
                    // It has just arrived, or its process was restarted.
                    if at == begin + made.comes && slots[index].is_none() && !queue.contains(&index) {
                        queue.push_back(index);
                    }
                    if queue.front() != Some(&index) {
                        continue;
                    }
                    let process = made.process.to_string();
                    match bench.take(&process, &want(made.priority(), limit)) {
                        SlotReply::Granted(slot, _) => {
                            granted.push((at, made.background));
                            queue.pop_front();
                            events.extend(queue.front().map(|next| Reverse((at, Event::Try(*next)))));
                            slots[index] = Some((slot, at));
                            // The service may see the request after its end, within the time-out.
                            events.push(Reverse((at + made.begins + made.seen, Event::Seen(index))));
                            events.push(Reverse((at + made.begins + made.ends, Event::End(index))));
                        }
                        SlotReply::Later(wait, _) => {
                            prop_assert!(wait > Duration::ZERO);
                            events.push(Reverse((at + millis(wait), Event::Try(index))));
                        }
                    }
                }
                Event::Seen(index) => {
                    let made = &requests[index];
                    let since = slots[index].map_or(at, |(_, since)| since);
                    // A request that had not begun when its process crashed is never sent.
                    if crashed_at[usize::from(made.process)] < since
                        || crashed_at[usize::from(made.process)] >= since + made.begins
                    {
                        seen.push(at);
                    }
                }
                Event::End(index) => {
                    let made = &requests[index];
                    if let Some((slot, since)) = slots[index]
                        && crashed_at[usize::from(made.process)] < since
                    {
                        bench.give(&made.process.to_string(), slot, Some(made.priority()));
                    }
                }
            }
        }
        if restart.is_none() {
            prop_assert!(fullest(&seen) <= limit as usize, "{} in a window", fullest(&seen));
        }
        let background: Vec<i64> = granted.iter().filter(|(_, b)| *b).map(|(at, _)| *at).collect();
        prop_assert!(fullest(&background) <= (limit as usize / 4).max(1));
        for (from, until) in held {
            let broken = granted.iter().any(|(at, _)| *at > from && *at < until);
            prop_assert!(!broken, "a hold was broken");
        }
    }
}

#[test]
fn no_bytes_of_the_shared_file_do_harm() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("pace.sqlite");
    let made = Connection::open(&path).expect("a database");
    made.execute_batch("PRAGMA page_size = 512").expect("small");
    prepare(&made).expect("tables");
    made.execute_batch(
        "INSERT INTO clock VALUES (1, 'one', 1000000);
         INSERT INTO slot (pace, process, background, ends) VALUES ('pace', 'a', 1, 1060000), ('pace', 'b', 0, 1050000);
         INSERT INTO hold VALUES ('pace', 1000001, 1700000000000, 2);
         INSERT INTO person VALUES ('pace', 'b', 1003000);
         INSERT INTO seat VALUES ('pace', 'me', 'one', 10, 30000, 2000000, 1700002000000)",
    )
    .expect("filled");
    drop(made);
    let file = std::fs::read(&path).expect("bytes");
    let words: [&[u8]; 3] = [b"\x7f\xff\xff\xff\xff\xff\xff\xff", b"\x80\0\0\0\0\0\0\0", b"\x06"];
    crate::fuzz::fuzz("the file of the shared limit", &[&file], &words, |bytes| {
        std::fs::write(&path, bytes).expect("written");
        let Ok(mut db) = Connection::open(&path) else { return };
        if prepare(&db).is_err() {
            return;
        }
        for (boot, now) in [("one", 1_000_001), ("one", 1_000_100), ("two", 5)] {
            let clock = || BootMoment { boot_ms: now, boot: boot.to_owned(), wall_ms: 1_700_000_000_000 };
            let mut at = |work: &dyn Fn(&Connection, i64, i64) -> rusqlite::Result<()>| {
                let _ = super::at(&mut db, WINDOW, &clock, work);
            };
            for want in [want(Priority::Interactive, 3), want(Priority::Background, 3)] {
                at(&|db, now, _| take(db, PACE, "a", &want, now).map(drop));
                #[cfg(feature = "team")]
                at(&|db, now, wall| take_beside_team(db, (PACE, boot), "a", &want, (now, wall)).map(drop));
                #[cfg(feature = "team")]
                at(&|db, now, wall| take_own(db, (PACE, boot), "a", &want, (now, wall)).map(drop));
            }
            at(&|db, now, wall| hold(db, PACE, WINDOW, 1, now, wall));
            at(&|db, now, _| peek(db, PACE, "a", now).map(drop));
            at(&|db, now, _| calm(db, PACE, false, now));
        }
    });
}
