//! A person at lapel: drafts, begins, resumes, sends again what was never seen; and nothing else. What to do
//! next is read from the journal, so that the next session continues where this one ended.

use crate::crash::oracle;
use crate::crash::world::{BOUND, Session, World};
use lapel::domain::{BadgeId, State, TemplateId, Text};
use lapel::jobs::{
    CheckProgress, Decision, DuplicateKind, JobError, JobId, JobRow, Kind, Phase, PlannedRecipient,
    RevokePlan, RevokeTarget, RowFilter, RowSelection, RowStatus,
};
use lapel::sandbox::{RowSpec, RowState};
use std::sync::atomic::Ordering;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

pub const TEMPLATE: &str = "TPL-001";
const TITLE: &str = "디지털 리터러시 기초 과정 수료";

/// Virtual minutes between two looks: through all that the schedule tells apart, until what was lost and sent
/// again must be issued, too.
const MINUTES: [u64; 16] = [0, 1, 10, 2, 60, 1427, 62, 11, 2, 1441, 62, 11, 2, 1441, 1600, 1600];

/// How often somebody tries again whom the service keeps from beginning.
const TRIES: usize = 30;

/// What somebody wants done.
#[derive(Clone)]
pub enum JobInput {
    /// A badge for each.
    Issue(Vec<PlannedRecipient>),
    /// These badges revoked.
    Revoke(Vec<RevokeTarget>),
}

/// How a run goes.
#[derive(Clone)]
pub struct Script {
    pub input: JobInput,
    /// At which look the trouble passes.
    pub trouble_until: usize,
    /// At which looks somebody pauses the job; it is resumed at the next.
    pub pauses: Vec<usize>,
    /// When another operator issues the same badge to one of the people, under another name.
    pub strangers: Vec<Stranger>,
}

/// Another operator's doing.
#[derive(Clone, Copy, Debug)]
pub struct Stranger {
    /// At which look.
    pub round: usize,
    /// To whom.
    pub person: usize,
    /// Whether it waits to be issued.
    pub waits: bool,
}

impl Script {
    pub fn of(input: JobInput) -> Self {
        Self { input, trouble_until: 1, pauses: Vec::new(), strangers: Vec::new() }
    }
}

/// So many people, each with an address, and two of them at one.
pub fn people(count: usize) -> Vec<PlannedRecipient> {
    (0..count)
        .map(|n| {
            let shared = n == 2 || n == 5;
            let email = if shared { "family@naru.example".into() } else { format!("p{n}@naru.example") };
            PlannedRecipient { name: format!("사람 {n}"), email }
        })
        .collect()
}

/// So many badges that somebody else issued.
pub fn targets(world: &World, count: usize) -> Vec<RevokeTarget> {
    let row = |n| RowSpec { recipient_email: format!("v{n}@naru.example"), ..RowSpec::default() };
    let insert: Vec<RowSpec> = (0..count).map(row).collect();
    let rows = lapel::sandbox::Rows { insert, ..lapel::sandbox::Rows::default() };
    let ids = world.control().rows(&rows).expect("inserted");
    let target = |id| RevokeTarget {
        badge_id: BadgeId::new(id).expect("an id"),
        holder: "사람".into(),
        email: "v@naru.example".into(),
        title: TITLE.into(),
        state: State::Issued,
        is_of_index: false,
    };
    ids.into_iter().map(target).collect()
}

pub fn template() -> (TemplateId, Text) {
    (TemplateId::new(TEMPLATE).expect("an id"), TITLE.into())
}

/// Sees to it that a wish comes true, from wherever an earlier session left it.
pub async fn live(session: &mut Session, world: &World, script: &Script) {
    session.hear().await;
    let id = match session.jobs.list().await.expect("a list").first() {
        Some(job) => job.id,
        None => begin(session, world, script).await,
    };
    for minutes in MINUTES {
        world.advance(minutes);
        let round = world.round.fetch_add(1, Ordering::Relaxed);
        if round >= script.trouble_until {
            world.control().clear_faults();
        }
        session.hear().await;
        for stranger in script.strangers.iter().filter(|s| s.round == round) {
            interfere(world, script, *stranger);
        }
        if script.pauses.contains(&round) {
            fine(session.jobs.pause(id).await);
        }
        poll(session, world, script, id).await;
        if round >= script.trouble_until && is_over(session, id).await {
            break;
        }
    }
}

/// One look, and what a person does about what it shows.
async fn poll(session: &mut Session, world: &World, script: &Script, id: JobId) {
    rest(session, id).await;
    oracle::meanwhile(world, script);
    session.jobs.poll_now(Some(id)).await;
    rest(session, id).await;
    act(session, world, id).await;
    rest(session, id).await;
    oracle::meanwhile(world, script);
    oracle::explained(&rows(session, id).await);
}

/// Whether nothing is left to happen. A check of lapel's own may find something to decide after the person has acted.
async fn is_over(session: &Session, id: JobId) -> bool {
    let job = session.jobs.job(id).await.expect("a job");
    !job.is_open()
        && job.counts.of(RowStatus::Ready) + job.counts.of(RowStatus::Refused) == 0
        && !rows(session, id).await.iter().any(|row| row.row_status == RowStatus::NeedsReview && row.was_sent)
}

/// Somebody else issues the same badge to somebody of ours.
fn interfere(world: &World, script: &Script, stranger: Stranger) {
    let JobInput::Issue(people) = &script.input else { return };
    let person = &people[stranger.person % people.len()];
    let row = RowSpec {
        template_id: TEMPLATE.into(),
        // Under the same name nobody could tell them apart.
        recipient_name: "다른 사람".into(),
        recipient_email: person.email.clone(),
        state: if stranger.waits { RowState::Waiting } else { RowState::Issued },
        ..RowSpec::default()
    };
    let rows = lapel::sandbox::Rows { insert: vec![row], ..lapel::sandbox::Rows::default() };
    world.control().rows(&rows).expect("inserted");
}

/// Drafts, looks through it, and begins.
pub async fn begin(session: &mut Session, world: &World, script: &Script) -> JobId {
    let jobs = session.jobs.clone();
    match &script.input {
        JobInput::Revoke(targets) => {
            let plan = RevokePlan::new(targets.clone(), "중복 발급", false);
            jobs.revoke(plan, "somebody").await.expect("it is written down")
        }
        JobInput::Issue(people) => {
            let id = jobs.draft_people(template(), people.clone()).await.expect("a draft");
            let (progress, _) = watch::channel(CheckProgress::default());
            for _ in 0..TRIES {
                let checked = jobs.check_duplicates(id, &progress, CancellationToken::new()).await;
                if checked.is_ok_and(|checked| checked.complete) {
                    jobs.allow(id, RowSelection::Class(DuplicateKind::SharedAddress)).await.expect("allowed");
                    // A row is skipped by mistake, and that is undone.
                    jobs.skip_rows(id, RowSelection::One(1)).await.expect("skipped");
                    jobs.undo_decision(id).await.expect("undone");
                    oracle::meanwhile(world, script);
                    if jobs.begin(id, "somebody").await.is_ok() {
                        return id;
                    }
                }
            }
            panic!("the draft was never begun");
        }
    }
}

/// What a person may do about a job in its present state.
async fn act(session: &mut Session, world: &World, id: JobId) {
    let job = session.jobs.job(id).await.expect("a job");
    if job.can_resume() {
        // What has to be proven first may not be provable yet.
        fine(session.jobs.resume(id, "somebody").await);
    }
    rest(session, id).await;
    if session.jobs.job(id).await.expect("a job").counts.of(RowStatus::Refused) > 0 {
        fine(session.jobs.retry_refused(id, "somebody").await.map(drop));
    }
    if job.kind == Kind::Issue {
        for row in rows(session, id).await {
            match row.row_status {
                RowStatus::NeverSeen => {
                    fine(session.jobs.resend(id, row.no, "somebody", "it is not there").await);
                }
                RowStatus::NeedsReview if row.was_sent => {
                    // What came since is shown first; then it is for the person to say it again.
                    for _ in 0..2 {
                        let decision = looked_up(session, world, id, &row).await;
                        let done =
                            session.jobs.resolve_row(id, row.no, decision, "somebody", "looked it up").await;
                        let again = matches!(done, Err(JobError::NeedsReview(_)));
                        fine(done);
                        if !again {
                            break;
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// What a person finds out who can ask the provider: the badge that came of the request, if any did.
async fn looked_up(session: &Session, world: &World, id: JobId, row: &JobRow) -> Decision {
    let taken: Vec<BadgeId> = rows(session, id).await.into_iter().filter_map(|r| r.badge_id).collect();
    let ledger = world.control().ledger();
    let theirs =
        ledger.accepted.iter().filter(|a| a.recipient_email.eq_ignore_ascii_case(row.address.wire()));
    let mut free = theirs
        .flat_map(|a| &a.badge_ids)
        .filter_map(|id| BadgeId::new(id.clone()))
        .filter(|id| !taken.contains(id));
    free.next().map_or(Decision::SendAgain, Decision::IsThis)
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
        let rows = rows(session, id).await;
        panic!("never rests: {job:?}\n{:#?}", &rows[..rows.len().min(20)]);
    }
}

async fn rests(session: &Session, id: JobId) -> bool {
    let job = session.jobs.job(id).await.expect("a job");
    if job.in_flight > 0 || job.counts.of(RowStatus::Sending) > 0 {
        return false;
    }
    if job.phase != Phase::Running || job.counts.of(RowStatus::Ready) == 0 {
        return true;
    }
    if job.kind == Kind::Revoke {
        return false;
    }
    // A row waits while another of its address is in doubt.
    let rows = rows(session, id).await;
    let open = |row: &&JobRow| matches!(row.row_status, RowStatus::InDoubt | RowStatus::NotVisibleYet);
    let held: Vec<&str> = rows.iter().filter(open).map(|row| row.address.wire()).collect();
    let goes_on = |row: &JobRow| match row.row_status {
        // Since the job was read.
        RowStatus::Sending => true,
        RowStatus::Ready => !held.contains(&row.address.wire()),
        _ => false,
    };
    !rows.iter().any(goes_on)
}
