//! What it costs: requests, counted by the ledger.

use crate::common::frozen;
use crate::crash::many;
use crate::crash::oracle;
use crate::crash::person::{self, JobInput, Script, people, template};
use crate::crash::world::{BOUND, End, Session, Trap, World};
use jiff::{SignedDuration, Timestamp};
use lapel::jobs::{CheckProgress, Job, JobId, PlannedRecipient, RowStatus};
use lapel::sandbox::{Ledger, Options, Violations};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A world in which nobody counts requests a minute, and requests are full.
fn wide() -> World {
    let mut world = World::with(Options { history: Some(300), rate_limit: 1_000_000, ..frozen() });
    world.connection_mut().rate_limit = 1_000_000;
    world.settings.batch = 1000;
    world
}

fn many_people(count: usize) -> Vec<PlannedRecipient> {
    (0..count)
        .map(|n| PlannedRecipient { name: format!("사람 {n}"), email: format!("p{n}@naru.example") })
        .collect()
}

async fn begin(session: &Session, people: Vec<PlannedRecipient>) -> (JobId, u64) {
    let (id, scanned) = checked(session, people).await;
    session.jobs.begin(id, "somebody").await.expect("begun");
    (id, scanned)
}

/// A draft, and the requests of its duplicate check.
async fn checked(session: &Session, people: Vec<PlannedRecipient>) -> (JobId, u64) {
    session.hear().await;
    let id = session.jobs.draft_people(template(), people).await.expect("a draft");
    let (progress, _) = watch::channel(CheckProgress::default());
    let checked = session
        .jobs
        .check_duplicates(id, &progress, CancellationToken::new())
        .await
        .expect("a duplicate check");
    assert!(checked.complete);
    (id, checked.requests)
}

async fn accepted(session: &mut Session, id: JobId, count: u64) -> Job {
    loop {
        let job = session.jobs.job(id).await.expect("a job");
        if job.counts.of(RowStatus::Waiting) == count {
            return job;
        }
        assert!(job.stop.is_none(), "{job:?}");
        session.events.recv().await.expect("the job goes on");
    }
}

/// Requests that read badges.
fn reads(ledger: &Ledger) -> u64 {
    ledger.requests_to("GET /badges/history") + ledger.requests_to("GET /badges/{badge_id}")
}

/// A thousand to a request, and nothing else but the guard's pages.
fn sends_in_full_requests(people: u64) {
    let world = wide();
    world.session(&Trap::new(End::Lives), async |session| {
        let (id, scanned) = begin(session, many_people(people as usize)).await;
        let job = accepted(session, id, people).await;
        let ledger = world.control().ledger();
        assert_eq!((job.counts.total(), ledger.accepted_total()), (people, people));
        assert_eq!(ledger.requests_to("POST /badges/batch"), people.div_ceil(1000));
        assert_eq!(ledger.requests_to("POST /badges"), 0);
        // The guard reads the pages of the title, which are at most three of 300 badges, and looks twenty people up.
        assert!((1..=3 + 20).contains(&scanned), "{scanned}");
        assert_eq!(reads(&ledger), scanned);
        assert!(ledger.accepted.iter().all(|a| a.count == 1));
        assert_eq!(ledger.violations, Violations::default());
    });
}

#[test]
fn ten_thousand_recipients_take_ten_requests() {
    sends_in_full_requests(10_000);
}

#[test]
fn a_hundred_thousand_recipients_take_a_hundred_requests() {
    sends_in_full_requests(100_000);
}

/// Looks when the schedule says so, for a virtual day. Returns the number of requests.
fn follows_for_a_day(rows: u64) -> u64 {
    let world = wide();
    world
        .session(&Trap::new(End::Lives), async |session| {
            let (id, scanned) = begin(session, many_people(rows as usize)).await;
            let begun = accepted(session, id, rows).await;
            assert_eq!(reads(&world.control().ledger()), scanned);
            let start = session.access.reader().clock().utc();
            let end = start + SignedDuration::from_hours(24);
            let (mut job, mut polls) = (begun, 0);
            while let Some(next) = job.next_poll.filter(|next| *next <= end) {
                let now: Timestamp = session.access.reader().clock().utc();
                let ahead = next.duration_since(now).as_secs().max(0).unsigned_abs();
                world.control().advance(Duration::from_secs(ahead));
                session.hear().await;
                let polled = session.jobs.poll_due().await;
                assert_eq!((polled.jobs, polled.failed), (1, None), "at {next}");
                polls += 1;
                job = session.jobs.job(id).await.expect("a job");
                assert!(job.next_poll.is_none_or(|then| then > next), "{job:?}");
            }
            // The schedule has thirteen looks in a day, and nine for many rows. Each reads the pages of the title or the
            // badges one by one, whichever is less, and may ask once how many there are.
            assert!(
                if rows < 5_000 { (10..=13).contains(&polls) } else { (7..=9).contains(&polls) },
                "{polls} polls"
            );
            let pages = (rows + 300).div_ceil(100);
            let bound = polls * (pages.min(rows) + 1);
            let took = reads(&world.control().ledger()) - scanned;
            println!("{rows} followed for a day: {polls} polls, {took} requests; at most {bound}");
            assert!(took <= bound, "{took} requests in {polls} polls; at most {bound}");
            assert_eq!(job.counts.of(RowStatus::Issued), rows, "{:?}", job.counts);
            assert_eq!(world.control().ledger().requests_to("POST /badges/batch"), rows.div_ceil(1000));
            took
        })
        .expect("it lived")
}

#[test]
fn following_two_thousand_for_a_day_costs_no_more_than_their_pages_at_each_look() {
    follows_for_a_day(2000);
}

#[test]
fn following_ten_thousand_for_a_day_takes_less_than_a_thousand_requests() {
    assert!(follows_for_a_day(10_000) < 1000);
}

#[test]
fn the_window_of_the_limit_is_never_exceeded() {
    const LIMIT: u32 = 40;
    // As many requests as people, and many more than fit into the minute.
    let mut world = World::with(Options { history: Some(0), rate_limit: LIMIT, ..frozen() });
    world.connection_mut().rate_limit = LIMIT;
    world.settings.batch = 1;
    world.settings.in_flight = 8;
    world.session(&Trap::new(End::Lives), async |session| {
        let (id, _) = begin(session, many_people(200)).await;
        let mut link = session.access.reader().link();
        let full = link.wait_for(|link| link.used_last_minute == LIMIT && link.waiting > 0);
        drop(tokio::time::timeout(BOUND, full).await.expect("the minute is used up"));
        let ledger = world.control().ledger();
        assert_eq!(ledger.violations, Violations::default());
        let minute = ledger.busiest_minute.values().next().copied().expect("a minute");
        assert_eq!(minute.arrived, minute.admitted);
        assert!(minute.admitted <= LIMIT as usize, "{minute:?}");
        session.jobs.pause(id).await.expect("paused");
        person::rest(session, id).await;
        let job = session.jobs.job(id).await.expect("a job");
        assert_eq!(job.counts.of(RowStatus::Waiting), world.control().ledger().accepted_total());
    });
}

#[test]
fn nothing_is_sent_before_the_time_that_a_429_asks_for() {
    // What is asked for, and how long that is at least; without a number it is lapel's own patience.
    let cases: [(&str, u64); 6] = [
        ("retry-after=1", 1000),
        ("retry-after=3", 3000),
        ("retry-after=http-date", 3900),
        ("retry-after=none", 4900),
        ("retry-after=nonsense", 4900),
        ("retry-after=0", 0),
    ];
    many::all(&cases, |(form, least)| {
        // Dates are of this computer's clock, so the service's has to be, too.
        let world = World::new(&[("date-header", "real")]);
        let script = Script::of(JobInput::Issue(people(13)));
        world.fault(&format!("post status=429 {form} times=1"));
        world.session(&Trap::new(End::Lives), async |session| {
            let id = person::begin(session, &world, &script).await;
            let control = world.control();
            let total = || control.ledger().requests.values().sum::<u64>();
            let struck = async {
                while control.ledger().faults == 0 {
                    tokio::task::yield_now().await;
                }
            };
            tokio::time::timeout(BOUND, struck).await.expect("refused");
            let since = Instant::now();
            // Until the answer is there, lapel sends more.
            if *least > 0 {
                let mut link = session.access.reader().link();
                let held = link.wait_for(|link| link.held_until.is_some());
                drop(tokio::time::timeout(BOUND, held).await.expect("the answer is heard"));
            }
            // Requests that were under way with it come in, too.
            let under_way = world.settings.in_flight as u64 - 1;
            let before = total();
            let next = async {
                while total() <= before + under_way {
                    tokio::task::yield_now().await;
                }
            };
            tokio::time::timeout(BOUND, next).await.expect("it goes on");
            assert!(since.elapsed() >= Duration::from_millis(*least), "{form}: {:?}", since.elapsed());
            person::rest(session, id).await;
            oracle::meanwhile(&world, &script);
            let job = session.jobs.job(id).await.expect("a job");
            let accepted = control.ledger().accepted_total();
            assert_eq!((job.counts.of(RowStatus::Waiting), accepted), (13, 13), "{form}: {job:?}");
        });
    });
}

#[test]
fn a_service_that_is_stricter_than_it_says_is_obeyed() {
    // Another program uses the key, too: the service takes fewer requests than lapel may think.
    let mut world = World::with(Options { history: Some(0), ..frozen() });
    world.settings.batch = 1;
    world.settings.in_flight = 3;
    world.session(&Trap::new(End::Lives), async |session| {
        let (id, _) = checked(session, many_people(20)).await;
        world.control().set_rate_limit(6);
        session.jobs.begin(id, "somebody").await.expect("begun");
        let mut link = session.access.reader().link();
        let held = link.wait_for(|link| link.held_until.is_some());
        drop(tokio::time::timeout(BOUND, held).await.expect("refused"));
        let ledger = world.control().ledger();
        // Only what was under way together is refused.
        assert!((1..=3).contains(&ledger.violations.rate_limited), "{:?}", ledger.violations);
        let job = session.jobs.job(id).await.expect("a job");
        assert_eq!(job.counts.total(), 20);
        assert!(ledger.accepted_total() <= 6);
    });
}
