//! Access to `pace.sqlite` through one thread that owns the connection, so that nothing else waits for the disk.

use super::Priority;
use super::queue::ByPriority;
#[cfg(feature = "team")]
use super::slots::Seat;
use super::slots::{self, BootMoment, SharedUse, Slot, SlotReply, SlotRequest};
use crate::api::prelude::*;
use crate::boot_clock::boot_ms;
use crate::domain::io_error;
use crate::fs;
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::oneshot;

/// Maximum wait for another process's lock.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Shared {
    work: Sender<PaceTask>,
    /// Only the first waiter of each priority requests a slot. The others wait here, in order.
    heads: ByPriority<tokio::sync::Mutex<()>>,
}

type PaceTask = Box<dyn FnOnce(&mut SlotTable) + Send>;

pub fn pace_file(folder: &Path) -> PathBuf {
    folder.join("pace.sqlite")
}

pub(super) type PaceProblem = Localizable;

struct SlotTable {
    db: Connection,
    names: SlotNames,
    is_of_team: bool,
    window: Duration,
    /// Not written yet: its end and its number of refusals.
    unwritten: Option<(std::time::Instant, u32)>,
}

struct SlotNames {
    pace: String,
    /// The name of the holds that processes without a team record. Another computer may lift a hold of the team, but
    /// not these.
    outside_team: String,
    process: String,
}

impl Shared {
    /// Creates the file if it does not exist. `is_of_team`: this process shares the limit through a team's database. The
    /// error is a complete message.
    pub(super) fn open(
        folder: &Path,
        pace: String,
        window: Duration,
        is_of_team: bool,
    ) -> Result<(Self, SharedUse), PaceProblem> {
        let path = pace_file(folder);
        let failed = |why: PaceProblem| {
            let file = scrub(&path.to_string_lossy()).into_owned();
            localizable!("{file}: {why}", file, why)
        };
        fs::create_private_dir(folder).map_err(|why| failed(io_error::words(&why)))?;
        if fs::FileSystem::of(folder) != fs::FileSystem::Local {
            return Err(failed(localizable!("the folder is on a network drive")));
        }
        // SQLite creates its other files with this file's mode.
        drop(fs::open_private_append(&path).map_err(|why| failed(io_error::words(&why)))?);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(&path, flags).map_err(|why| failed(of(&why)))?;
        let process = format!("{:016x}", fastrand::Rng::new().u64(..));
        let outside_team = format!("{pace} outside a team");
        let names = SlotNames { pace, outside_team, process };
        let mut table = SlotTable { db, names, is_of_team, window, unwritten: None };
        let seen = table.prepare().map_err(failed)?;
        let (work, queue) = channel();
        std::thread::Builder::new()
            .name("pace".into())
            .spawn(move || queue.into_iter().for_each(|work: PaceTask| work(&mut table)))
            .map_err(|why| failed(of(&why)))?;
        Ok((Self { work, heads: ByPriority::default() }, seen))
    }

    pub(super) async fn head(&self, priority: Priority) -> tokio::sync::MutexGuard<'_, ()> {
        self.heads.get(priority).lock().await
    }

    pub(super) async fn take(&self, want: SlotRequest) -> Result<SlotReply, PaceProblem> {
        #[cfg(feature = "team")]
        let take = move |db: &Connection, of: &SlotNames, now, wall| {
            slots::take_beside_team(db, (&of.pace, &boot()), &of.process, &want, (now, wall))
        };
        #[cfg(not(feature = "team"))]
        let take =
            move |db: &Connection, of: &SlotNames, now, _| slots::take(db, &of.pace, &of.process, &want, now);
        self.ask(move |table| table.write_hold().and_then(|()| table.at(take)), Some).await
    }

    /// Returns the slot of an answer whose waiter is gone.
    async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SlotTable) -> Result<T, PaceProblem> + Send + 'static,
        reply_of: fn(T) -> Option<SlotReply>,
    ) -> Result<T, PaceProblem> {
        let (answer, asked) = oneshot::channel();
        self.queue(move |table| {
            if let Err(Ok(unheard)) = answer.send(work(table))
                && let Some(SlotReply::Granted(slot, _)) = reply_of(unheard)
            {
                table.give(slot, None);
            }
        });
        asked.await.map_err(|_| closed())?
    }

    /// Returns at once; the thread returns the slot.
    pub(super) fn give(&self, slot: Slot, sent: Option<Priority>) {
        self.queue(move |table| table.give(slot, sent));
    }

    pub(super) fn hold(&self, wait: Duration, refusals: u32) {
        self.queue(move |table| {
            let until = std::time::Instant::now() + wait;
            let until = table.unwritten.map_or(until, |(before, _)| before.max(until));
            table.unwritten = Some((until, refusals));
            note(table.write_hold());
        });
    }

    pub(super) fn calm(&self, lift: bool) {
        self.queue(move |table| {
            if lift {
                table.unwritten = None;
            }
            note(table.at(|db, of, now, _| {
                [&of.pace, &of.outside_team].iter().try_for_each(|pace| slots::calm(db, pace, lift, now))
            }));
        });
    }

    pub(super) async fn peek(&self) -> Result<SharedUse, PaceProblem> {
        self.ask(|table| table.write_hold().and_then(|()| table.peek()), |_| None).await
    }

    /// A hold that a process of this computer without a team has recorded.
    #[cfg(feature = "team")]
    pub(super) async fn peek_outside_team(&self) -> Result<SharedUse, PaceProblem> {
        let peek =
            |db: &Connection, of: &SlotNames, now, _| slots::peek(db, &of.outside_team, &of.process, now);
        self.ask(move |table| table.at(peek), |_| None).await
    }

    #[cfg(feature = "team")]
    pub(super) async fn take_own(&self, want: SlotRequest) -> Result<Option<(u32, SlotReply)>, PaceProblem> {
        let take = move |db: &Connection, of: &SlotNames, now, wall| {
            slots::take_own(db, (&of.pace, &boot()), &of.process, &want, (now, wall))
        };
        let reply_of = |taken: Option<(u32, SlotReply)>| taken.map(|(_, reply)| reply);
        self.ask(move |table| table.write_hold().and_then(|()| table.at(take)), reply_of).await
    }

    /// With `most` slots from now on. Blocks.
    #[cfg(feature = "team")]
    pub(super) fn seat(&self, most: u32) -> Result<Seat, PaceProblem> {
        let (answer, asked) = channel();
        self.queue(move |table| {
            let _ = answer.send(table.at(|db, of, _, wall| slots::seat(db, &of.pace, &boot(), most, wall)));
        });
        asked.recv().map_err(|_| closed())?
    }

    /// Returns at once. `lasts` is the time that is left.
    #[cfg(feature = "team")]
    pub(super) fn keep_seat(&self, seat: Seat, lasts: Duration) {
        self.queue(move |table| {
            let lasts = slots::millis(lasts);
            note(table.at(|db, of, now, wall| {
                slots::keep_seat(db, &of.pace, &seat, (now, wall.saturating_add(lasts)))
            }));
        });
    }

    pub(super) async fn flush(&self) {
        let _ = self.ask(|_| Ok(()), |()| None).await;
    }

    fn queue(&self, work: impl FnOnce(&mut SlotTable) + Send + 'static) {
        // The thread ends only after the last sender.
        let _ = self.work.send(Box::new(work));
    }
}

fn of(error: &impl std::fmt::Display) -> PaceProblem {
    Localizable::verbatim(scrub(&error.to_string()))
}

fn closed() -> PaceProblem {
    localizable!("internal lapel error")
}

fn note(done: Result<(), PaceProblem>) {
    if let Err(why) = done {
        tracing::warn!(%why, "pace.sqlite could not be written");
    }
}

impl SlotTable {
    fn prepare(&mut self) -> Result<SharedUse, PaceProblem> {
        self.db.busy_timeout(PATIENCE).map_err(|why| of(&why))?;
        let mode = fs::set_journal_mode(&self.db, "WAL", PATIENCE).map_err(|why| of(&why))?;
        if !mode.eq_ignore_ascii_case("wal") {
            return Err(localizable!("this folder does not support shared use of the file"));
        }
        // Writes do not wait for the disk. A power cut loses the last moments but does not damage the file.
        self.db
            .execute_batch("PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF;")
            .map_err(|why| of(&why))?;
        slots::prepare(&self.db).map_err(|why| of(&why))?;
        self.peek()
    }

    fn peek(&mut self) -> Result<SharedUse, PaceProblem> {
        #[cfg(feature = "team")]
        let peek = |db: &Connection, of: &SlotNames, now, wall| {
            slots::peek_beside_team(db, (&of.pace, &boot()), &of.process, (now, wall))
        };
        #[cfg(not(feature = "team"))]
        let peek = |db: &Connection, of: &SlotNames, now, _| slots::peek(db, &of.pace, &of.process, now);
        self.at(peek)
    }

    fn at<T>(
        &mut self,
        work: impl FnOnce(&Connection, &SlotNames, i64, i64) -> rusqlite::Result<T>,
    ) -> Result<T, PaceProblem> {
        let work = |db: &Connection, now, wall| work(db, &self.names, now, wall);
        slots::at(&mut self.db, self.window, &moment, work).map_err(|why| of(&why))
    }

    /// Until this succeeds, nothing is read, since the file would show no hold.
    fn write_hold(&mut self) -> Result<(), PaceProblem> {
        let Some((until, refusals)) = self.unwritten else { return Ok(()) };
        let wait = until.saturating_duration_since(std::time::Instant::now());
        let is_of_team = self.is_of_team;
        self.at(|db, of, now, wall| {
            slots::hold(db, &of.pace, wait, refusals, now, wall)?;
            if is_of_team {
                return Ok(());
            }
            slots::hold(db, &of.outside_team, wait, refusals, now, wall)
        })?;
        self.unwritten = None;
        Ok(())
    }

    fn give(&mut self, slot: Slot, sent: Option<Priority>) {
        let window = self.window;
        note(self.at(|db, of, now, _| slots::give(db, (&of.pace, &of.process), slot, sent, window, now)));
    }
}

pub(super) fn is_fresh(slot: Slot) -> bool {
    moment().boot_ms <= slot.begin_by
}

fn moment() -> BootMoment {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let wall_ms = i64::try_from(wall.as_millis()).unwrap_or(i64::MAX);
    BootMoment { boot_ms: boot_ms(), boot: boot(), wall_ms }
}

fn boot() -> String {
    static BOOT: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    let read = || std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    BOOT.get_or_init(|| read().trim().to_owned()).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_wait_that_could_not_be_written_is_not_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let (shared, _) = Shared::open(folder.path(), "p".to_owned(), Duration::from_secs(60), false)
            .expect("it can be shared");
        shared.queue(|table| table.db.busy_timeout(Duration::ZERO).expect("no patience"));
        let other = Connection::open(pace_file(folder.path())).expect("the file");
        other.execute_batch("BEGIN IMMEDIATE").expect("locked");
        shared.hold(Duration::from_secs(3600), 1);
        shared.peek().await.expect_err("nothing is read before it is written");
        other.execute_batch("ROLLBACK").expect("given back");
        let held = shared.peek().await.expect("it can be used").held.expect("it is kept");
        assert!(held > Duration::from_secs(3590) && held <= Duration::from_secs(3600), "{held:?}");
    }

    /// SQLite refuses some locks of a new file, and of one whose last user is just leaving, without waiting.
    #[test]
    fn many_that_begin_at_once_all_share_the_limit() {
        for _ in 0..40 {
            let folder = tempfile::tempdir().expect("a folder");
            let begin = std::sync::Barrier::new(6);
            std::thread::scope(|scope| {
                for _ in 0..6 {
                    scope.spawn(|| {
                        begin.wait();
                        for _ in 0..5 {
                            let opened =
                                Shared::open(folder.path(), "p".to_owned(), Duration::from_secs(60), false);
                            opened.map(|_| ()).expect("it can be shared");
                        }
                    });
                }
            });
        }
    }
}
