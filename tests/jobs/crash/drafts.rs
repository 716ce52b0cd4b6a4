//! Drafts that outlive their process, and drafts that do not.

use crate::crash::person::{people, template};
use crate::crash::world::{End, Session, Trap, World};
use lapel::jobs::{CheckProgress, DuplicateKind, Job, JobId, Journal, Phase, RowSelection, RowStatus};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

pub async fn drafted(session: &Session, count: usize) -> JobId {
    session.jobs.draft_people(template(), people(count)).await.expect("a draft")
}

async fn kept(session: &Session) -> Vec<JobId> {
    session.jobs.kept_drafts().await.expect("drafts").iter().map(|job| job.id).collect()
}

pub async fn checked(session: &Session, id: JobId) -> Job {
    let (progress, _) = watch::channel(CheckProgress::default());
    session.jobs.check_duplicates(id, &progress, CancellationToken::new()).await.expect("checked");
    session.jobs.job(id).await.expect("a job")
}

/// A draft that was never kept may be only half of its file.
#[test]
fn a_kept_draft_survives_its_process_with_its_decisions_and_another_draft_does_not() {
    let world = World::new(&[]);
    let (kept_one, other) = world
        .session(&Trap::new(End::Lives), async |session| {
            let (kept_one, other) = (drafted(session, 3).await, drafted(session, 4).await);
            session.jobs.keep_drafts(&[kept_one]).await.expect("kept");
            session.jobs.skip_rows(kept_one, RowSelection::One(2)).await.expect("skipped");
            (kept_one, other)
        })
        .expect("it lived");
    world.session(&Trap::new(End::Lives), async |session| {
        assert_eq!(kept(session).await, [kept_one]);
        assert!(session.jobs.job(other).await.is_err(), "it is gone");
        assert!(session.jobs.list().await.expect("jobs").is_empty(), "a draft is no job yet");
        // Nobody may change it before it is open.
        assert!(session.jobs.skip_rows(kept_one, RowSelection::One(1)).await.is_err());
        session.jobs.open_drafts(&[kept_one]).await.expect("opened");
        let job = checked(session, kept_one).await;
        assert_eq!((job.counts.of(RowStatus::Ready), job.counts.of(RowStatus::Skipped)), (2, 1));
        session.jobs.undo_decision(kept_one).await.expect("undone").expect("a decision");
        session
            .jobs
            .allow(kept_one, RowSelection::Class(DuplicateKind::SharedAddress))
            .await
            .expect("allowed");
        session.jobs.begin(kept_one, "somebody").await.expect("begun");
        session.jobs.sent(kept_one).await;
        assert!(kept(session).await.is_empty(), "what has begun is no draft");
        assert_eq!(world.control().ledger().accepted_total(), 3);
    });
}

/// Its copy of the journal ends with the process, and removing a million rows first takes seconds.
#[test]
fn a_draft_of_a_trial_stays_until_its_journal_ends() {
    let world = World::new(&[]);
    world.session(&Trap::new(End::Lives), async |session| {
        let copy = Journal::copy_of(world.folder()).expect("a copy");
        let trial = world.begin_over(copy).await;
        let id = drafted(&trial, 3).await;
        trial.jobs.discard(id).await.expect("left");
        assert_eq!(trial.jobs.job(id).await.expect("a draft").counts.total(), 3);
        trial.jobs.close().await;
        assert!(session.jobs.job(id).await.is_err(), "the journal itself never had it");
    });
}

#[test]
fn a_draft_is_open_in_one_process_at_a_time() {
    let world = World::new(&[]);
    world.session(&Trap::new(End::Lives), async |first| {
        let second = world.begin(None).await;
        let id = drafted(first, 2).await;
        first.jobs.keep_drafts(&[id]).await.expect("kept");
        assert_eq!(kept(&second).await, [id]);
        assert!(second.jobs.open_drafts(&[id]).await.is_err(), "the first one reviews it");
        first.jobs.close_drafts(&[id]).await.expect("closed");
        second.jobs.open_drafts(&[id]).await.expect("free");
        assert!(first.jobs.begin(id, "first").await.is_err());
        assert!(first.jobs.open_drafts(&[id]).await.is_err());
        checked(&second, id).await;
        second.jobs.begin(id, "second").await.expect("begun");
        assert!(first.jobs.open_drafts(&[id]).await.is_err(), "it has begun");
        assert_eq!(second.jobs.job(id).await.expect("a job").phase, Phase::Running);
    });
}

/// It holds names and addresses of people who were sent nothing.
#[test]
fn an_old_kept_draft_is_removed_with_the_finished_jobs_of_its_age() {
    let world = World::new(&[]);
    world.session(&Trap::new(End::Lives), async |session| {
        let (closed, open) = (drafted(session, 2).await, drafted(session, 3).await);
        session.jobs.keep_drafts(&[closed, open]).await.expect("kept");
        session.jobs.close_drafts(&[closed]).await.expect("closed");
        session.jobs.purge(1).await.expect("purged");
        assert_eq!(kept(session).await, [open, closed], "they are of today");
        world.change("UPDATE job SET created = 0");
        session.jobs.purge(1).await.expect("purged");
        assert_eq!(kept(session).await, [open], "nobody removes what a person has open");
    });
}

#[test]
fn a_draft_whose_process_died_belongs_to_nobody_and_becomes_too_old_like_others() {
    let world = World::new(&[]);
    let id = world
        .session(&Trap::new(End::Lives), async |session| {
            let id = drafted(session, 2).await;
            session.jobs.keep_drafts(&[id]).await.expect("kept");
            id
        })
        .expect("it lived");
    world.session(&Trap::new(End::Lives), async |session| {
        let all = session.jobs.kept_drafts().await.expect("drafts");
        assert_eq!(all.iter().map(|job| (job.id, job.owner.is_some())).collect::<Vec<_>>(), [(id, false)]);
        world.change("UPDATE job SET created = 0");
        session.jobs.purge(1).await.expect("purged");
        assert!(kept(session).await.is_empty());
    });
}
