//! Jobs that go from one journal to another one: with a backup to another computer, or into a team's journal, and back.
//! The first journal is a file, also in the run on a team's database.

use crate::crash::person::{self, people, rows, template};
use crate::crash::world::{BOUND, Session, World};
use crate::team;
use lapel::domain::Address;
use lapel::fs::Overwrite;
use lapel::jobs::{
    CheckProgress, DuplicateKind, DuplicateResult, IssuePlan, JobError, JobId, Journal, OpenJobs, Phase,
    PlannedRecipient, RowStatus, back_up, restore,
};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

/// Another computer, with the backup.
struct Other {
    folder: TempDir,
    backup: PathBuf,
}

impl Other {
    /// Moves the open jobs of the world's journal to another computer.
    fn takes(world: &World) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let backup = folder.path().join("backup");
        back_up(world.folder(), &backup, OpenJobs::Move, Overwrite::No, "one").expect("copied");
        restore(folder.path(), &backup, false, "two").expect("restored");
        Self { folder, backup }
    }
}

/// Lives through a session over the journal in the file of a folder.
fn live<T>(world: &World, folder: &Path, life: impl AsyncFnOnce(&mut Session) -> T) -> T {
    let done = live_over(world, Journal::open(folder).expect("a journal"), life);
    until_free(|| team::is_file_held(folder));
    done
}

/// The same over the journal of another folder, or a team's database in its place.
fn live_in_second<T>(world: &World, folder: &Path, life: impl AsyncFnOnce(&mut Session) -> T) -> T {
    let done = live_over(world, team::open(folder, None).expect("a journal"), life);
    until_free(|| team::is_held(folder));
    done
}

fn live_over<T>(world: &World, journal: Journal, life: impl AsyncFnOnce(&mut Session) -> T) -> T {
    runtime().block_on(async {
        let mut session = world.begin_over(journal).await;
        session.hear().await;
        let done = life(&mut session).await;
        session.jobs.close().await;
        done
    })
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn until_free(is_held: impl Fn() -> bool) {
    let end = Instant::now() + BOUND;
    while is_held() {
        assert!(Instant::now() < end, "the journal is still held");
        std::thread::park_timeout(Duration::from_millis(1));
    }
}

/// Moves the jobs of the world's file into the second journal, or back.
fn moved(world: &World, second: &Path, back: bool) {
    runtime().block_on(async {
        let file = Journal::open(world.folder()).expect("a file");
        let other = team::open(second, None).expect("a journal");
        let (from, to) = if back { (&other, &file) } else { (&file, &other) };
        from.move_to(to, &world.account(), "one").await.expect("moved");
    });
    until_free(|| team::is_file_held(world.folder()) || team::is_held(second));
}

async fn checked(session: &Session, people: Vec<PlannedRecipient>) -> (JobId, DuplicateResult) {
    let id = session.jobs.draft_people(template(), people).await.expect("a draft");
    let (progress, _) = tokio::sync::watch::channel(CheckProgress::default());
    let checked = session.jobs.check_duplicates(id, &progress, CancellationToken::new()).await;
    (id, checked.expect("checked"))
}

async fn issued(session: &mut Session, people: Vec<PlannedRecipient>) -> JobId {
    let (id, _) = checked(session, people).await;
    session.jobs.begin(id, "one").await.expect("begun");
    person::rest(session, id).await;
    id
}

/// Issues the badge of [`template`] to one person, as a form does.
async fn issue_to(session: &Session, person: &PlannedRecipient) -> Result<JobId, JobError> {
    let (template_id, title) = template();
    let plan = IssuePlan {
        template_id,
        title,
        recipient_name: person.name.clone(),
        recipient_email: Address::check(&person.email).expect("an address"),
        held_before: Some(Vec::new()),
        allows: None,
    };
    session.jobs.issue(plan, "one").await
}

async fn statuses(session: &Session, id: JobId) -> Vec<RowStatus> {
    rows(session, id).await.iter().map(|row| row.row_status).collect()
}

/// What the first computer does after it took its jobs back, although the other one has sent the last row again.
fn nobody_gets_two(world: &World, other: &Other, (id, last): (JobId, &PlannedRecipient), badges: u64) {
    restore(world.folder(), &other.backup, true, "one").expect("taken back");
    live(world, world.folder(), async |session| {
        assert_eq!(session.jobs.check_journal().await.expect("checked"), Vec::<String>::new());
        let refused = issue_to(session, last).await.expect_err("the other computer may have sent it");
        assert!(matches!(refused, JobError::NeedsReview(_)), "{refused:?}");
        session.jobs.poll_now(Some(id)).await;
        let now = statuses(session, id).await;
        assert!(now.iter().all(|it| matches!(it, RowStatus::Waiting | RowStatus::Issued)), "{now:?}");
    });
    assert_eq!(world.control().ledger().accepted_total(), badges);
}

#[test]
fn a_refused_row_that_another_computer_may_have_sent_has_a_claim() {
    let world = World::new(&[("waiting-history", "visible")]);
    let all = people(1);
    world.fault("post /badges status=400 times=1");
    let id = live(&world, world.folder(), async |session| issued(session, all.clone()).await);
    let other = Other::takes(&world);
    live(&world, other.folder.path(), async |session| {
        assert_eq!(session.jobs.retry_refused(id, "two").await.expect("retried"), 1);
        person::rest(session, id).await;
    });
    nobody_gets_two(&world, &other, (id, &all[0]), 1);
}

/// Two people, of whom the service accepts one and tells so.
fn one_of_two(world: &World) -> (JobId, Vec<PlannedRecipient>) {
    let all = people(2);
    world.control().set_quota(Some(1));
    let id = live(world, world.folder(), async |session| {
        let id = issued(session, all.clone()).await;
        for _ in 0..3 {
            world.advance(30);
            session.hear().await;
            session.jobs.poll_now(Some(id)).await;
        }
        assert_eq!(statuses(session, id).await[1], RowStatus::NotAccepted);
        id
    });
    world.control().set_quota(None);
    (id, all)
}

#[test]
fn a_row_that_was_not_accepted_is_in_doubt_after_another_computer_may_have_sent_it() {
    let world = World::new(&[("waiting-history", "visible"), ("over-quota", "partial-202")]);
    let (id, all) = one_of_two(&world);
    let other = Other::takes(&world);
    live(&world, other.folder.path(), async |session| {
        session.jobs.resend(id, 2, "two", "they want it").await.expect("sent again");
        person::rest(session, id).await;
    });
    nobody_gets_two(&world, &other, (id, &all[1]), 2);
}

#[test]
fn a_row_that_was_not_accepted_is_sent_again_by_one_of_two_computers() {
    let world = World::new(&[("waiting-history", "visible"), ("over-quota", "partial-202")]);
    let (id, _) = one_of_two(&world);
    let issued = |session: &Session| {
        let jobs = session.jobs.clone();
        async move { jobs.job(id).await.expect("a job").counts.of(RowStatus::Issued) }
    };
    // Nothing else of the job is open.
    live(&world, world.folder(), async |session| {
        world.advance(2 * 1440);
        session.hear().await;
        session.jobs.poll_now(Some(id)).await;
        assert_eq!(issued(session).await, 1);
    });
    let other = Other::takes(&world);
    live(&world, other.folder.path(), async |session| {
        session.jobs.resend(id, 2, "two", "they want it").await.expect("sent again");
        person::rest(session, id).await;
    });
    live(&world, world.folder(), async |session| {
        session.jobs.resend(id, 2, "one", "they want it").await.expect_err("it is only a record");
    });
    assert_eq!(world.control().ledger().accepted_total(), 2);
}

#[test]
fn a_purge_leaves_jobs_that_went_with_a_backup_as_they_are() {
    let mut world = World::new(&[("waiting-history", "visible")]);
    (world.settings.batch, world.settings.in_flight) = (1, 1);
    // The first answer is lost, and the rest is not sent.
    world.fault("post /badges commit-drop times=1");
    world.fault("post /badges status=401 after=1 times=1");
    let all = people(3);
    let id = live(&world, world.folder(), async |session| issued(session, all.clone()).await);
    world.control().clear_faults();
    let other = tempfile::tempdir().expect("a folder");
    let backup = other.path().join("backup");
    back_up(world.folder(), &backup, OpenJobs::Move, Overwrite::No, "one").expect("copied");
    live(&world, world.folder(), async |session| {
        assert!(session.jobs.purge(0).await.expect("purged").is_empty(), "they may come back");
    });
    restore(world.folder(), &backup, false, "one").expect("taken back");
    live(&world, world.folder(), async |session| {
        let addresses: Vec<_> =
            rows(session, id).await.into_iter().map(|row| row.address.wire().to_owned()).collect();
        assert_eq!(addresses, all.iter().map(|person| person.email.clone()).collect::<Vec<_>>());
        session.jobs.poll_now(Some(id)).await;
        session.jobs.resume(id, "one").await.expect("resumed");
        person::rest(session, id).await;
        assert!(statuses(session, id).await.iter().all(|it| *it == RowStatus::Waiting));
    });
    assert_eq!(world.control().ledger().accepted_total(), 3);
}

#[test]
fn a_recipient_of_a_purged_row_is_known_in_every_journal_that_the_row_goes_to() {
    let switches = [("issue-time", "never"), ("waiting-history", "hidden"), ("waiting-detail", "hidden")];
    let world = World::new(&switches);
    let second = tempfile::tempdir().expect("a folder");
    let all = people(2);
    world.fault("post /badges commit-drop times=1");
    live(&world, world.folder(), async |session| {
        let id = issued(session, all[..1].to_vec()).await;
        world.advance(27 * 60);
        session.hear().await;
        session.jobs.poll_now(Some(id)).await;
        assert_eq!(statuses(session, id).await, [RowStatus::NeverSeen]);
        session.jobs.leave_rows(id, vec![1], "one", "on paper").await.expect("left");
        assert_eq!(session.jobs.purge(0).await.expect("purged"), [id]);
    });
    let is_known = async |session: &mut Session| {
        let refused = issue_to(session, &all[0]).await.expect_err("the badge may exist");
        assert!(matches!(refused, JobError::NeedsReview(_)), "{refused:?}");
        let (draft, checked) = checked(session, all.clone()).await;
        assert_eq!(checked.classes, [(DuplicateKind::Sent, 1)]);
        session.jobs.discard(draft).await.expect("discarded");
        assert_eq!(session.jobs.check_journal().await.expect("checked"), Vec::<String>::new());
    };
    moved(&world, second.path(), false);
    live_in_second(&world, second.path(), is_known);
    // Now the row has the hash of the second journal.
    live_in_second(&world, second.path(), is_known);
    moved(&world, second.path(), true);
    live(&world, world.folder(), is_known);
    live(&world, world.folder(), async |session| {
        issued(session, all[1..].to_vec()).await;
    });
    assert_eq!(world.control().ledger().accepted_total(), 2);
}

#[test]
fn jobs_that_come_back_are_sent_beside_their_own_records() {
    let mut world = World::new(&[("waiting-history", "visible")]);
    (world.settings.batch, world.settings.in_flight) = (1, 1);
    let second = tempfile::tempdir().expect("a folder");
    // The first request is lost, and the rest is not sent.
    world.fault("post /badges drop times=1");
    world.fault("post /badges status=401 after=1 times=1");
    live(&world, world.folder(), async |session| issued(session, people(3)).await);
    world.control().clear_faults();
    moved(&world, second.path(), false);
    moved(&world, second.path(), true);
    live(&world, world.folder(), async |session| {
        let jobs = session.jobs.list().await.expect("jobs");
        let id = jobs.iter().find(|job| job.phase != Phase::Moved).expect("it came back").id;
        session.jobs.resume(id, "one").await.expect("resumed");
        person::rest(session, id).await;
        assert_eq!(statuses(session, id).await, [RowStatus::InDoubt, RowStatus::Waiting, RowStatus::Waiting]);
        for minutes in [30 * 60, 30 * 60] {
            world.advance(minutes);
            session.hear().await;
            session.jobs.poll_now(Some(id)).await;
        }
        assert_eq!(statuses(session, id).await[0], RowStatus::NeverSeen);
        session.jobs.resend(id, 1, "one", "it never came").await.expect("sent again");
        person::rest(session, id).await;
        assert_eq!(statuses(session, id).await[0], RowStatus::Waiting);
        assert_eq!(session.jobs.check_journal().await.expect("checked"), Vec::<String>::new());
    });
    assert_eq!(world.control().ledger().accepted_total(), 3);
}
