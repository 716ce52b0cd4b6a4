//! A person at lapel: drafts, begins, resumes, sends again what was never seen; and nothing else. What to do
//! next is read from the journal, so that it goes on in the next session where this one ended.

use crate::oracle;
use crate::world::{BOUND, Session, World};
use lapel::domain::{BadgeId, State, TemplateId, Text};
use lapel::jobs::{
    Bucket, Class, Guarding, Job, JobError, JobId, JobRow, Kind, Person, Phase, RevokePlan, RowFilter, Rows,
    Victim,
};
use lapel::sandbox::RowSpec;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

pub const TEMPLATE: &str = "TPL-001";
const TITLE: &str = "디지털 리터러시 기초 과정 수료";

/// Virtual minutes between two looks: through all that the schedule tells apart, until what was lost and sent
/// again must be issued, too.
const MINUTES: [u64; 16] = [0, 1, 10, 2, 60, 1427, 62, 11, 2, 1441, 62, 11, 2, 1441, 1600, 1600];

/// What somebody wants done.
#[derive(Clone)]
pub enum Wish {
    /// A badge for each.
    Issue(Vec<Person>),
    /// These badges revoked.
    Revoke(Vec<Victim>),
}

/// So many people, each with an address, and two of them at one.
pub fn people(count: usize) -> Vec<Person> {
    (0..count)
        .map(|n| {
            let shared = n == 2 || n == 7;
            let email = if shared { "family@naru.example".into() } else { format!("p{n}@naru.example") };
            Person { name: format!("사람 {n}"), email }
        })
        .collect()
}

/// So many badges that somebody else issued.
pub fn victims(world: &World, count: usize) -> Vec<Victim> {
    let row = |n| RowSpec { recipient_email: format!("v{n}@naru.example"), ..RowSpec::default() };
    let insert: Vec<RowSpec> = (0..count).map(row).collect();
    let rows = lapel::sandbox::Rows { insert, ..lapel::sandbox::Rows::default() };
    let ids = world.control().rows(&rows).expect("inserted");
    let victim = |id| Victim {
        badge_id: BadgeId::new(id).expect("an id"),
        holder: "사람".into(),
        email: "v@naru.example".into(),
        title: TITLE.into(),
        state: State::Issued,
    };
    ids.into_iter().map(victim).collect()
}

pub fn template() -> (TemplateId, Text) {
    (TemplateId::new(TEMPLATE).expect("an id"), TITLE.into())
}

/// Sees to it that a wish comes true, from wherever an earlier session left it.
pub async fn live(session: &mut Session, world: &World, wish: &Wish) {
    session.hear().await;
    let id = match session.jobs.list().await.expect("a list").first() {
        Some(job) => job.id,
        None => begin(session, world, wish).await,
    };
    for (round, minutes) in MINUTES.into_iter().enumerate() {
        world.advance(minutes);
        if round == 1 {
            // The trouble passes.
            world.control().clear_faults();
        }
        session.hear().await;
        look(session, world, wish, id).await;
        if is_over(&session.jobs.job(id).await.expect("a job")) {
            break;
        }
    }
}

/// One look, and what a person does about what it shows.
pub async fn look(session: &mut Session, world: &World, wish: &Wish, id: JobId) {
    rest(session, id).await;
    oracle::meanwhile(world, wish);
    session.jobs.look_now(Some(id)).await;
    rest(session, id).await;
    act(session, id).await;
    rest(session, id).await;
    oracle::meanwhile(world, wish);
}

/// Whether nothing is left to happen.
fn is_over(job: &Job) -> bool {
    !job.is_open() && job.counts.of(Bucket::Ready) + job.counts.of(Bucket::NotDone) == 0
}

/// Drafts, looks through it, and begins.
pub async fn begin(session: &mut Session, world: &World, wish: &Wish) -> JobId {
    let jobs = session.jobs.clone();
    match wish {
        Wish::Revoke(victims) => {
            let plan = RevokePlan::new(victims.clone(), "중복 발급", false);
            jobs.revoke(plan).await.expect("it is written down")
        }
        Wish::Issue(people) => {
            let id = jobs.draft_people(template(), people.clone()).await.expect("a draft");
            let (progress, _) = watch::channel(Guarding::default());
            let guarded = jobs.guard(id, &progress, CancellationToken::new()).await.expect("a guard");
            assert!(guarded.complete, "the history was read");
            jobs.allow(id, Rows::Class(Class::SharedAddress)).await.expect("allowed");
            oracle::meanwhile(world, wish);
            jobs.begin(id, "somebody").await.expect("begun");
            id
        }
    }
}

/// What a person may do about a job as it stands.
async fn act(session: &mut Session, id: JobId) {
    let job = session.jobs.job(id).await.expect("a job");
    if job.can_resume() {
        // What has to be proven first may not be provable yet.
        fine(session.jobs.resume(id, "somebody").await);
    }
    rest(session, id).await;
    if session.jobs.job(id).await.expect("a job").counts.of(Bucket::NotDone) > 0 {
        fine(session.jobs.retry_refused(id, "somebody").await.map(drop));
    }
    if job.kind == Kind::Issue {
        for row in rows(session, id).await {
            match row.bucket {
                Bucket::NotSeen => {
                    fine(session.jobs.resend(id, row.no, "somebody", "it is not there").await);
                }
                Bucket::Ask => panic!("nobody else issues here: {row:?}"),
                _ => {}
            }
        }
    }
}

/// Refusing to act is lapel's right; a journal that fails is not.
fn fine(done: Result<(), JobError>) {
    if let Err(JobError::Journal(why)) = done {
        panic!("the journal: {why}");
    }
}

pub async fn rows(session: &Session, id: JobId) -> Vec<JobRow> {
    session.jobs.rows(id, RowFilter::default(), 100_000).await.expect("rows")
}

/// Waits until nothing is on its way or could be.
pub async fn rest(session: &mut Session, id: JobId) {
    let resting = async {
        while !rests(session, id).await {
            session.events.recv().await.expect("the job goes on");
        }
    };
    if tokio::time::timeout(BOUND, resting).await.is_err() {
        let job = session.jobs.job(id).await;
        panic!("never rests: {job:?}\n{:#?}", rows(session, id).await);
    }
}

async fn rests(session: &Session, id: JobId) -> bool {
    let rows = rows(session, id).await;
    let job = session.jobs.job(id).await.expect("a job");
    if job.in_flight > 0 || job.counts.of(Bucket::Sending) > 0 {
        return false;
    }
    // A row waits while another of its address is in doubt.
    let open = |row: &&JobRow| matches!(row.bucket, Bucket::InDoubt | Bucket::Unbound | Bucket::Sending);
    let held: Vec<&str> = rows.iter().filter(open).map(|row| row.address.wire()).collect();
    let free = |row: &JobRow| {
        row.bucket == Bucket::Ready && (job.kind == Kind::Revoke || !held.contains(&row.address.wire()))
    };
    job.phase != Phase::Running || !rows.iter().any(free)
}
