//! Two of lapel over one journal; and journals that cannot be used.

use crate::crash::drafts;
use crate::crash::many;
use crate::crash::oracle;
use crate::crash::person::{self, JobInput, Script, people, targets, template};
use crate::crash::world::{BOUND, End, Session, Trap, World};
use crate::team;
use crate::texts::{msg, msg_part};
use lapel::api::connect;
use lapel::jobs::{
    Account, CheckProgress, Decision, DuplicateKind, Fault, Job, JobChange, JobError, JobId, Jobs, Journal,
    JournalError, Moment, Phase, RowSelection, RowStatus,
};
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// Waits until a job fulfils a condition, told by its changes.
async fn until(
    jobs: &Jobs,
    events: &mut mpsc::Receiver<JobChange>,
    id: JobId,
    fulfilled: impl Fn(&Job) -> bool,
) -> Job {
    let waiting = async {
        loop {
            let job = jobs.job(id).await.expect("a job");
            if fulfilled(&job) {
                return job;
            }
            events.recv().await.expect("the job goes on");
        }
    };
    match tokio::time::timeout(BOUND, waiting).await {
        Ok(job) => job,
        Err(elapsed) => panic!("{elapsed}: {:?}", jobs.job(id).await),
    }
}

#[test]
fn the_second_of_two_only_watches() {
    let world = World::new(&[]);
    let script = Script::of(JobInput::Issue(people(13)));
    // The service takes its time, so that there is something to watch.
    world.fault("post delay=300ms times=1");
    world.session(&Trap::new(End::Lives), async |first| {
        let mut second = world.begin(None).await;
        let id = person::begin(first, &world, &script).await;
        let label = format!("process {}", std::process::id());
        let job = second.jobs.job(id).await.expect("it is shown");
        assert!(
            job.owner.as_ref().is_some_and(|owner| !owner.is_me && owner.label.to_string() == label),
            "{job:?}"
        );
        let refused = [
            second.jobs.begin(id, "b").await.err(),
            second.jobs.pause(id).await.err(),
            second.jobs.resume(id, "b").await.err(),
            second.jobs.cancel(id, "b").await.err(),
            second.jobs.retry_refused(id, "b").await.err(),
            second.jobs.resend(id, 1, "b", "b").await.err(),
            second.jobs.resolve_row(id, 1, Decision::Skip, "b", "b").await.err(),
            second.jobs.use_up_quota(id, "b").await.err(),
            second.jobs.undo(id, "b", "b").await.err(),
        ];
        for (n, why) in refused.into_iter().enumerate() {
            let why = why.map(|why| why.to_string()).unwrap_or_default();
            assert!(why.contains(&label) && why.contains(msg_part("Nothing was changed")), "{n}: {why}");
        }
        // It sees how the first one gets on.
        until(&second.jobs, &mut second.events, id, |j| j.counts.of(RowStatus::Waiting) == 13).await;
        assert_eq!(world.control().ledger().accepted_total(), 13);
        world.advance(25 * 60);
        second.hear().await;
        second.jobs.poll_now(Some(id)).await;
        assert_eq!(
            second.jobs.job(id).await.expect("a job").counts.of(RowStatus::Waiting),
            13,
            "not its job"
        );
        first.hear().await;
        let polled = first.jobs.poll_now(Some(id)).await;
        assert_eq!((polled.jobs, polled.failed), (1, None));
        let job = first.jobs.job(id).await.expect("a job");
        assert_eq!(job.counts.of(RowStatus::Issued), 13, "{job:?}");
        until(&second.jobs, &mut second.events, id, |j| j.counts.of(RowStatus::Issued) == 13).await;
        assert_eq!(world.control().ledger().accepted_total(), 13);
    });
}

#[test]
fn the_second_of_two_goes_on_when_the_first_is_closed() {
    let world = World::new(&[]);
    let script = Script::of(JobInput::Issue(people(13)));
    world.session(&Trap::new(End::Lives), async |second| {
        let mut first = world.begin(None).await;
        let id = person::begin(&mut first, &world, &script).await;
        person::rest(&mut first, id).await;
        first.jobs.close().await;
        drop(first);
        until(&second.jobs, &mut second.events, id, |j| j.owner.as_ref().is_some_and(|o| o.is_me)).await;
        person::live(second, &world, &script).await;
        oracle::finally(second, &world, &script).await;
    });
}

#[test]
fn the_second_of_two_takes_over_when_the_first_dies() {
    for rule in ["post commit-drop", "post drop", "post commit delay=200ms"] {
        let world = World::new(&[]);
        let script = Script::of(JobInput::Issue(people(13)));
        world.fault(rule);
        world.session(&Trap::new(End::Lives), async |second| {
            // It dies when its first answer, or the loss of it, is about to be written down.
            let first = Trap::new(End::BeforeFirst("answer"));
            let died = std::thread::scope(|scope| {
                scope
                    .spawn(|| {
                        world.session_beside(&first, async |session| {
                            let id = person::begin(session, &world, &script).await;
                            person::rest(session, id).await;
                        })
                    })
                    .join()
                    .expect("a thread")
            });
            assert_eq!(died, None, "{rule}");
            let id = second.jobs.list().await.expect("a list").remove(0).id;
            let job = until(&second.jobs, &mut second.events, id, |j| {
                j.owner.as_ref().is_some_and(|owner| owner.is_me) && j.in_flight == 0
            })
            .await;
            assert!(job.counts.of(RowStatus::Sending) == 0 && job.counts.total() == 13, "{rule}: {job:?}");
            assert_eq!(job.phase, Phase::Stopped, "{rule}: what was not sent waits for a person");
            assert!(world.control().ledger().accepted_total() <= 13, "{rule}");
            person::live(second, &world, &script).await;
            oracle::finally(second, &world, &script).await;
        });
    }
}

/// What a journal has about the jobs.
fn about_jobs(folder: &Path) -> Vec<Vec<Vec<Option<String>>>> {
    let all = [
        "SELECT id, owner, phase, stop, note, look_note, next_look, unproven FROM job ORDER BY id",
        "SELECT job, no, bucket, why, badge, accepted, absent FROM row ORDER BY job, no",
        "SELECT id, outcome, why FROM request ORDER BY id",
        "SELECT job, no, state FROM claim ORDER BY job, no",
    ];
    all.iter().map(|sql| team::query(folder, sql)).collect()
}

/// A computer that slept, or a team's database that did not hear a process for too long.
#[test]
fn a_check_whose_job_another_process_got_meanwhile_changes_nothing_more() {
    let mut world = World::new(&[]);
    (world.settings.batch, world.settings.in_flight) = (1, 1);
    let script = Script::of(JobInput::Issue(people(2)));
    // One row is in doubt, and the other one waits.
    world.fault("post drop times=1");
    // The other owner. A draft of it has its name, and the job is not due for it.
    let other = Arc::new(AtomicI64::new(0));
    let (to, folder) = (other.clone(), world.folder().to_owned());
    let left: Arc<Mutex<Option<_>>> = Arc::default();
    let at_loss = left.clone();
    let watcher = Arc::new(move |moment| {
        let draft = if moment == Moment::After("observe") { to.swap(0, Ordering::Relaxed) } else { 0 };
        if draft > 0 {
            team::change(
                &folder,
                &format!(
                    "UPDATE job SET next_look = 4102444800, owner = (SELECT owner FROM job AS draft WHERE draft.id = {draft})
                     WHERE phase <> 'draft'"
                ),
            );
            *at_loss.lock().expect("nothing") = Some(about_jobs(&folder));
        }
        Fault::None
    });
    world.session(&Trap::new(End::Lives), async |second| {
        let mut first = world.begin(Some(watcher)).await;
        let id = person::begin(&mut first, &world, &script).await;
        person::rest(&mut first, id).await;
        let counts = first.jobs.job(id).await.expect("a job").counts;
        assert_eq!((counts.of(RowStatus::InDoubt), counts.of(RowStatus::Waiting)), (1, 1), "{counts:?}");
        let draft = drafts::drafted(second, 2).await;
        world.advance(25 * 60);
        first.hear().await;
        other.store(draft.0, Ordering::Relaxed);
        first.jobs.poll_now(Some(id)).await;
        let left = left.lock().expect("a journal").take().expect("the job was lost while it was checked");
        assert_eq!(about_jobs(world.folder()), left);
    });
}

/// Everything in a folder, with its bytes.
fn bytes(folder: &Path) -> Vec<(std::ffi::OsString, Vec<u8>)> {
    let mut all: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| entry.path().is_file())
        .map(|entry| (entry.file_name(), std::fs::read(entry.path()).expect("bytes")))
        .collect();
    all.sort();
    all
}

/// A journal that holds a job, closed in good order.
fn journal_with_a_job(world: &World) {
    let script = Script::of(JobInput::Issue(people(3)));
    world.session(&Trap::new(End::Lives), async |session| {
        let id = person::begin(session, world, &script).await;
        person::rest(session, id).await;
        session.jobs.close().await;
    });
}

#[test]
fn what_is_no_journal_of_this_lapel_is_named_and_left_as_it_is() {
    type Spoil = fn(&Path);
    type IsRight = fn(&JournalError) -> bool;
    let cases: [(&str, Spoil, IsRight); 5] = [
        (
            "random bytes",
            |file| {
                let noise: Vec<u8> =
                    (0..20_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
                std::fs::write(file, noise).expect("written");
            },
            |why| matches!(why, JournalError::Corrupt { .. }),
        ),
        (
            "a damaged beginning",
            |file| {
                let mut all = std::fs::read(file).expect("bytes");
                all[16..60].fill(0xa5);
                std::fs::write(file, all).expect("written");
            },
            |why| matches!(why, JournalError::Corrupt { .. }),
        ),
        (
            "another program's",
            |file| {
                std::fs::remove_file(file).expect("removed");
                let other = rusqlite::Connection::open(file).expect("a database");
                other
                    .execute_batch("PRAGMA application_id = 77; CREATE TABLE t (x); INSERT INTO t VALUES (1)")
                    .expect("filled");
            },
            |why| matches!(why, JournalError::Corrupt { .. }),
        ),
        (
            "a database without a mark",
            |file| {
                std::fs::remove_file(file).expect("removed");
                let other = rusqlite::Connection::open(file).expect("a database");
                other.execute_batch("CREATE TABLE job (x); INSERT INTO job VALUES (1)").expect("filled");
            },
            |why| matches!(why, JournalError::Corrupt { .. }),
        ),
        (
            "a newer lapel's",
            |file| {
                let newer = rusqlite::Connection::open(file).expect("a database");
                newer.execute_batch("PRAGMA user_version = 999").expect("raised");
            },
            |why| matches!(why, JournalError::Newer { found: 999, .. }),
        ),
    ];
    for (what, spoil, is_right) in cases {
        let world = World::new(&[]);
        journal_with_a_job(&world);
        let posts = world.control().ledger().requests_to("POST /badges/batch");
        let file = Journal::file_in(world.folder());
        spoil(&file);
        let before = std::fs::read(&file).expect("bytes");
        for _ in 0..2 {
            let why = Journal::open(world.folder()).map(drop).expect_err(what);
            assert!(is_right(&why), "{what}: {why:?}");
            let said = why.to_string();
            assert!(said.contains("journal.sqlite") && said.contains(msg("journal")), "{what}: {said}");
        }
        assert!(std::fs::read(&file).expect("bytes") == before, "{what} was changed");
        assert_eq!(world.control().ledger().requests_to("POST /badges/batch"), posts, "{what}");
    }
}

#[test]
fn a_journal_that_is_damaged_within_sends_nothing() {
    let world = World::new(&[]);
    journal_with_a_job(&world);
    let file = Journal::file_in(world.folder());
    let mut all = std::fs::read(&file).expect("bytes");
    // The header stays; of every later page the beginning goes.
    for page in all.chunks_mut(4096).skip(1) {
        let most = page.len().min(512);
        page[..most].fill(0xa5);
    }
    std::fs::write(&file, &all).expect("written");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let why = match Journal::open(world.folder()) {
            Err(why) => why,
            Ok(journal) => {
                let access = connect(world.connection()).expect("connected");
                let account = Account::of("demo", world.connection());
                match Jobs::start(access, journal, account, world.settings.clone()).await {
                    Err(why) => why,
                    Ok((jobs, _)) => match jobs.draft_people(template(), people(2)).await {
                        Err(JobError::Journal(why)) => why,
                        other => panic!("{other:?}"),
                    },
                }
            }
        };
        assert!(matches!(why, JournalError::Corrupt { .. }), "{why:?}");
        assert!(why.to_string().contains("journal.sqlite"), "{why}");
    });
    drop(runtime);
    assert_eq!(world.control().ledger().requests_to("POST /badges/batch"), 1);
    assert!(std::fs::read(&file).expect("bytes") == all, "it was changed");
}

#[test]
#[cfg(unix)]
fn a_journal_that_cannot_be_written_sends_nothing_and_is_left_as_it_is() {
    use std::os::unix::fs::PermissionsExt;
    // A place that cannot be a folder is refused to every user, also to root.
    let world = World::new(&[]);
    let taken = world.folder().join("taken");
    std::fs::write(&taken, "a file").expect("written");
    let why = Journal::open(&taken).map(drop).expect_err("no folder");
    assert!(matches!(&why, JournalError::NotWritable { .. }), "{why:?}");
    assert!(why.to_string().contains("taken"), "{why}");
    assert_eq!(std::fs::read(&taken).expect("bytes"), b"a file");

    // Permissions say nothing to the superuser.
    journal_with_a_job(&world);
    let file = Journal::file_in(world.folder());
    let before = bytes(world.folder());
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o400)).expect("read-only");
    if std::fs::OpenOptions::new().append(true).open(&file).is_err() {
        let why = Journal::open(world.folder()).map(drop).expect_err("read-only");
        assert!(matches!(&why, JournalError::NotWritable { .. }), "{why:?}");
        assert_eq!(bytes(world.folder()), before);
    }
}

#[test]
fn a_journal_that_is_held_by_another_program_stops_the_job_and_nothing_is_sent() {
    let world = World::new(&[]);
    let script = Script::of(JobInput::Issue(people(3)));
    world.session(&Trap::new(End::Lives), async |session| {
        let id = session.jobs.draft_people(template(), people(3)).await.expect("a draft");
        let (progress, _) = watch::channel(CheckProgress::default());
        session
            .jobs
            .check_duplicates(id, &progress, CancellationToken::new())
            .await
            .expect("a duplicate check");
        let other = rusqlite::Connection::open(Journal::file_in(world.folder())).expect("the journal");
        other.execute_batch("BEGIN IMMEDIATE").expect("held");
        let why = session.jobs.begin(id, "somebody").await.expect_err("it cannot be written down");
        assert!(why.to_string().contains("busy") && why.to_string().contains("journal.sqlite"), "{why}");
        assert_eq!(world.control().ledger().requests_to("POST /badges/batch"), 0);
        other.execute_batch("ROLLBACK").expect("let go");
        session.jobs.begin(id, "somebody").await.expect("begun");
        person::live(session, &world, &script).await;
        oracle::finally(session, &world, &script).await;
    });
}

/// They need more pages than a new journal has free.
const RECIPIENTS: usize = 240;

#[test]
fn a_journal_without_room_sends_nothing_that_is_not_written_down() {
    // So much room before it is drafted, or before it is begun, in pages of the journal.
    let cases: Vec<(bool, u32)> =
        [true, false].into_iter().flat_map(|early| [0, 1, 3, 6].map(|room| (early, room))).collect();
    let troubles = many::all(&cases, |(early, room)| {
        let mut world = World::new(&[]);
        world.settings.batch = RECIPIENTS / 4;
        let script = Script::of(JobInput::Issue(people(RECIPIENTS)));
        let trouble = world.session(&Trap::new(End::Lives), async |session| {
            let leave = session.journal.clone();
            if *early {
                leave.leave_room(Some(*room)).await.expect("less room");
            }
            let begun = begin(session, &leave, (!*early).then_some(*room)).await;
            let trouble = match begun {
                Err(why) => {
                    assert!(why.to_string().contains(msg_part("is full")), "{why}");
                    assert_eq!(world.control().ledger().accepted_total(), 0);
                    Some(why.to_string())
                }
                Ok(id) => {
                    let job = until(&session.jobs, &mut session.events, id, |job| {
                        let is_told = job.trouble.is_some() || job.stop.is_some();
                        is_told || (job.in_flight == 0 && job.counts.of(RowStatus::Ready) < 4)
                    })
                    .await;
                    job.trouble.or(job.stop.map(|stop| stop.why)).map(|why| why.to_string())
                }
            };
            if let Some(said) = &trouble {
                assert!(said.contains(msg_part("is full")) && said.contains("journal.sqlite"), "{said}");
            }
            leave.leave_room(None).await.expect("room again");
            // What was drafted and not begun is dropped with the process.
            trouble.is_some()
        });
        oracle::meanwhile(&world, &script);
        world.session(&Trap::new(End::Lives), async |session| {
            person::live(session, &world, &script).await;
            oracle::finally(session, &world, &script).await;
        });
        trouble
    });
    let told = troubles.iter().filter(|told| **told == Some(true)).count();
    assert!(told >= 2, "it is always room: {troubles:?}");
}

/// Drafts and begins, with less room from the review on.
async fn begin(session: &Session, journal: &Journal, room: Option<u32>) -> Result<JobId, JobError> {
    let id = session.jobs.draft_people(template(), people(RECIPIENTS)).await?;
    let (progress, _) = watch::channel(CheckProgress::default());
    session.jobs.check_duplicates(id, &progress, CancellationToken::new()).await?;
    session.jobs.allow(id, RowSelection::Class(DuplicateKind::SharedAddress)).await?;
    if room.is_some() {
        journal.leave_room(room).await?;
    }
    session.jobs.begin(id, "somebody").await?;
    Ok(id)
}

/// On one computer it stays until that process ends. Some lapel of a team is always open, and it would stay for ever.
#[test]
fn nobody_sends_a_row_again_whose_name_another_process_has_removed() {
    let world = World::new(&[]);
    let script = Script::of(JobInput::Issue(people(2)));
    world.fault("post status=400 times=1");
    world.session(&Trap::new(End::Lives), async |first| {
        let id = person::begin(first, &world, &script).await;
        person::rest(first, id).await;
        let second = world.begin(None).await;
        let purged = second.jobs.purge(0).await.expect("purged");
        let retried = first.jobs.retry_refused(id, "somebody").await;
        person::rest(first, id).await;
        if team::is_team() {
            assert_eq!(purged, [id]);
            retried.expect_err("there are no addresses");
            assert_eq!(first.jobs.job(id).await.expect("a job").counts.of(RowStatus::Refused), 2);
        } else {
            assert_eq!((purged, retried), (Vec::new(), Ok(2)));
        }
        let accepted = world.control().ledger().accepted_total();
        assert_eq!(accepted, if team::is_team() { 0 } else { 2 });
        second.jobs.close().await;
    });
}

#[test]
fn the_journal_keeps_who_began_a_revocation() {
    let world = World::new(&[]);
    let script = Script::of(JobInput::Revoke(targets(&world, 2)));
    world.session(&Trap::new(End::Lives), async |session| {
        let id = person::begin(session, &world, &script).await;
        let kept = format!("SELECT count(*) FROM job WHERE id = {id} AND begun_by LIKE 'somebody%'");
        assert_eq!(world.number(&kept), 1);
    });
}
