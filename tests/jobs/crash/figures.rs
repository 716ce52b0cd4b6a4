//! How long the screens wait for a journal with a million rows:
//! `LAPEL_TEST_JOURNAL=postgresql cargo test --release --test jobs figures -- --ignored --nocapture`, and the same
//! without the variable for a file.

use crate::crash::person;
use crate::crash::world::{End, Trap, World};
use crate::team;
use lapel::jobs::{JobId, RowField, RowFilter, RowStatus};
use std::time::Instant;

const JOBS: u32 = 50;
const ROWS: u32 = 1_000_000;
/// Of each job but the first.
const SMALL: u32 = 2_000;

/// Rows that are added at once.
const PART: u32 = 25_000;

/// Jobs of the account of a session, with waiting badges.
fn fill(world: &World) {
    let account = world.account();
    // Without the triggers, which are not measured here.
    let (before, hash) = if team::is_team() {
        ("SET session_replication_role = replica;", "decode(md5(random()::text), 'hex')")
    } else {
        ("PRAGMA foreign_keys = OFF;", "randomblob(16)")
    };
    for job in 101..=100 + JOBS {
        let rows = if job == 101 { ROWS - (JOBS - 1) * SMALL } else { SMALL };
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
    world.change("ANALYZE");
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
    let world = World::new(&[]);
    world.session(&Trap::new(End::Lives), async |session| {
        fill(&world);
        session.hear().await;
        let jobs = &session.jobs;
        let big = JobId(101);
        measure("list of jobs", async || jobs.list().await.expect("jobs")).await;
        measure("the big job", async || jobs.job(big).await.expect("a job")).await;
        let all = RowFilter::default;
        let pages = [
            ("first page", all()),
            ("page in the middle", RowFilter { after: 400_000, ..all() }),
            ("page at offset 400,000", RowFilter { skip: 400_000, ..all() }),
            ("page by status", RowFilter { row_statuses: vec![RowStatus::Waiting], ..all() }),
            ("page by name", RowFilter { order: Some((RowField::Holder, false)), ..all() }),
            (
                "page by name at offset 10,000",
                RowFilter { order: Some((RowField::Holder, false)), skip: 10_000, ..all() },
            ),
            ("search for a text", RowFilter { text: Some("p40000@".into()), ..all() }),
        ];
        for (what, filter) in pages {
            measure(what, async || jobs.rows(big, filter.clone(), 100).await.expect("rows")).await;
            measure(&format!("{what}: count"), async || jobs.count_rows(big, &filter).await.expect("rows"))
                .await;
        }
        measure("groups", async || jobs.groups(big).await.expect("groups")).await;
        measure("rows to resend", async || jobs.never_seen(big).await.is_ok()).await;
        measure("sent to an address", async || jobs.sent_to("p7000@d0.example").await.expect("rows")).await;
        measure("requested", async || jobs.requested("p7000@d0.example").await.expect("rows")).await;
        let badge = lapel::domain::BadgeId::new("BDG-101-7000").expect("an id");
        measure("who sent a badge", async || jobs.sent_badge(&badge).await.expect("rows")).await;
        measure("sent before", async || {
            jobs.sent_before(&person::template().0, "p7000@d0.example").await.expect("rows")
        })
        .await;
        measure("domains", async || jobs.domains().await.expect("domains")).await;
    });
}
