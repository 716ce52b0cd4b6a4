//! How long the screens wait for a journal with a million rows, and how long a hundred thousand rows take:
//! `LAPEL_TEST_JOURNAL=postgresql cargo test --release --test jobs figures -- --ignored --nocapture`, and the same
//! without the variable for a file. With `LAPEL_TEST_FSYNC=1` the server waits for its disk, as in use.

use crate::crash::person;
use crate::crash::world::{End, Trap, World};
use crate::team;
use lapel::jobs::{
    CheckProgress, DuplicateKind, JobConfig, JobId, Jobs, PlannedRecipient, RowField, RowFilter,
    RowSelection, RowStatus,
};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

const JOBS: u32 = 50;
const ROWS: u32 = 1_000_000;

/// Rows that are added at once.
const PART: u32 = 25_000;

/// Jobs of the account of a session, with waiting badges: so many in each but the first, which has the rest.
fn fill(world: &World, small: u32) {
    let account = world.account();
    // Without the triggers, which are not measured here.
    let (before, hash) = if team::is_team() {
        ("SET session_replication_role = replica;", "decode(md5(random()::text), 'hex')")
    } else {
        ("PRAGMA foreign_keys = OFF;", "randomblob(16)")
    };
    for job in 101..=100 + JOBS {
        let rows = if job == 101 { ROWS - (JOBS - 1) * small } else { small };
        world.change(&format!(
            "{before}
             INSERT INTO job (id, kind, phase, created, profile, base_url, account, template, title, owner)
                 VALUES ({job}, 'issue', 'running', 0, 'p', '{}', '{}', 'T', 'a title', 'me');
             INSERT INTO request (id, job, rows, sha256, intent, heard, answered, outcome, status, accepted)
                 VALUES ({job}, {job}, {rows}, '', 1, TRUE, 1, 'accepted', 202, {rows})",
            account.base_url, account.key,
        ));
        for first in (1..=rows).step_by(PART as usize) {
            let last = rows.min(first + PART - 1);
            world.change(&format!(
                "{before}
                 WITH RECURSIVE number(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM number WHERE n < {last})
                 INSERT INTO row (job, no, name, email, email_key, badge, bucket, request, accepted, person)
                     SELECT {job}, n, '사람 ' || n, 'p' || n || '@d' || n % 20 || '.example',
                            'p' || n || '@d' || n % 20 || '.example', 'BDG-{job}-' || n, 'waiting', {job}, 1, {hash}
                     FROM number;
                 INSERT INTO claim (account, template, person, slot, job, no, state)
                     SELECT (SELECT max(id) FROM account), 'T', person, 0, job, no, 'kept' FROM row
                     WHERE job = {job} AND no BETWEEN {first} AND {last}"
            ));
        }
        world.change(&format!(
            "INSERT INTO tally (job, bucket, n, changed) VALUES ({job}, 'waiting', {rows}, 1)
                 ON CONFLICT (job, bucket) DO UPDATE SET n = excluded.n"
        ));
    }
    // A file has no counts.
    if team::is_team() {
        world.change("ANALYZE");
    }
}

/// Prints how long it took, of three times the shortest.
async fn measure<T>(what: &str, run: impl AsyncFn() -> T) {
    let mut shortest = None;
    for _ in 0..3 {
        let begun = Instant::now();
        drop(run().await);
        shortest = Some(begun.elapsed()).into_iter().chain(shortest).min();
    }
    println!("{:8.1} ms  {what}", shortest.unwrap_or_default().as_secs_f64() * 1000.0);
}

#[test]
#[ignore = "measures"]
fn lists_of_fifty_jobs_and_a_million_rows() {
    for small in [20_000, 2_000] {
        let big = ROWS - (JOBS - 1) * small;
        println!("{JOBS} jobs, {ROWS} rows, {big} of them in the job that is measured");
        let world = World::new(&[]);
        world.session(&Trap::new(End::Lives), async |session| {
            fill(&world, small);
            session.hear().await;
            lists(&session.jobs, JobId(101), u64::from(big)).await;
        });
    }
}

async fn lists(jobs: &Jobs, big: JobId, size: u64) {
    measure("list of jobs", async || jobs.list().await.expect("jobs")).await;
    measure("the big job", async || jobs.job(big).await.expect("a job")).await;
    let all = RowFilter::default;
    let waiting = || RowFilter { row_statuses: vec![RowStatus::Waiting], ..all() };
    let by_name = || RowFilter { order: Some((RowField::Holder, false)), ..all() };
    let text = |text: &str| RowFilter { text: Some(text.into()), ..all() };
    let pages = [
        ("first page", all()),
        ("page in the middle", RowFilter { skip: size / 2, ..all() }),
        ("page by status", waiting()),
        ("page by status in the middle", RowFilter { skip: size / 2, ..waiting() }),
        ("page by name", by_name()),
        ("page by name at offset 10,000", RowFilter { skip: 10_000, ..by_name() }),
        ("search for a person", text(&format!("p{}@", size / 2))),
        ("search for what many have", text("d7.example")),
    ];
    for (what, filter) in pages {
        measure(what, async || jobs.rows(big, filter.clone(), 100).await.expect("rows")).await;
        measure(&format!("{what}: count"), async || jobs.count_rows(big, &filter).await.expect("rows")).await;
    }
    measure("groups", async || jobs.groups(big).await.expect("groups")).await;
    measure("sent to an address", async || jobs.sent_to("p7000@d0.example").await.expect("rows")).await;
    measure("requested", async || jobs.requested("p7000@d0.example").await.expect("rows")).await;
    let badge = lapel::domain::BadgeId::new("BDG-101-7000").expect("an id");
    measure("who sent a badge", async || jobs.sent_badge(&badge).await.expect("rows")).await;
    measure("sent before", async || {
        jobs.sent_before(&person::template().0, "p7000@d0.example").await.expect("rows")
    })
    .await;
    measure("domains", async || jobs.known_domains(&[]).await.expect("domains")).await;
}

/// The time since the last call, and the processor time of the server of a team.
fn since(begun: &mut (Instant, Duration)) -> String {
    let now = (Instant::now(), server_time());
    let last = std::mem::replace(begun, now);
    format!(
        "{:6.2} s, server {:5.2} s",
        (now.0 - last.0).as_secs_f64(),
        now.1.as_secs_f64() - last.1.as_secs_f64()
    )
}

fn server_time() -> Duration {
    #[cfg(feature = "team")]
    if team::is_team() {
        return team::processor_time();
    }
    Duration::ZERO
}

/// From the list of recipients to the last answer, in requests of a thousand.
#[test]
#[ignore = "measures"]
fn a_hundred_thousand_rows_sent() {
    let mut world = World::new(&[]);
    (world.settings.batch, world.settings.in_flight) = (1_000, JobConfig::default().in_flight);
    let person =
        |n| PlannedRecipient { name: format!("사람 {n}"), email: format!("p{n}@d{}.example", n % 20) };
    let people: Vec<PlannedRecipient> = (0..100_000).map(person).collect();
    world.session(&Trap::new(End::Lives), async |session| {
        session.hear().await;
        let mut begun = (Instant::now(), server_time());
        let whole = begun;
        let id = session.jobs.draft_people(person::template(), people).await.expect("a draft");
        println!("{}  list", since(&mut begun));
        let (progress, _) = watch::channel(CheckProgress::default());
        let checked = session.jobs.check_duplicates(id, &progress, CancellationToken::new()).await;
        assert!(checked.expect("checked").complete);
        println!("{}  duplicate check", since(&mut begun));
        session.jobs.begin(id, "somebody").await.expect("begun");
        println!("{}  begin", since(&mut begun));
        session.jobs.sent(id).await;
        println!("{}  sending", since(&mut begun));
        println!("{}  all", since(&mut { whole }));
        let counts = session.jobs.job(id).await.expect("a job").counts;
        assert_eq!(counts.of(RowStatus::Waiting), 100_000, "{counts:?}");
    });
}

/// An office gets the badges of many people. A request has only one of them.
#[test]
#[ignore = "measures"]
fn eight_thousand_rows_of_one_address() {
    let mut world = World::new(&[]);
    world.settings.batch = 1_000;
    let person = |n| PlannedRecipient { name: format!("사람 {n}"), email: "office@naru.example".into() };
    world.session(&Trap::new(End::Lives), async |session| {
        session.hear().await;
        let mut begun = (Instant::now(), server_time());
        let people = (0..8_000).map(person).collect();
        let id = session.jobs.draft_people(person::template(), people).await.expect("a draft");
        let (progress, _) = watch::channel(CheckProgress::default());
        let checked = session.jobs.check_duplicates(id, &progress, CancellationToken::new()).await;
        assert!(checked.expect("checked").complete);
        println!("{}  list and duplicate check", since(&mut begun));
        session.jobs.allow(id, RowSelection::Class(DuplicateKind::SharedAddress)).await.expect("allowed");
        println!("{}  allow", since(&mut begun));
        session.jobs.begin(id, "somebody").await.expect("begun");
        println!("{}  begin", since(&mut begun));
        while world.control().ledger().accepted_total() < 100 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        println!("{}  the first 100 requests", since(&mut begun));
        session.jobs.pause(id).await.expect("paused");
        session.jobs.sent(id).await;
    });
}
