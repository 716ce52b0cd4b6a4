//! The slots in `pace.sqlite` that all lapel processes of one computer share: only the rules. Callers pass the
//! time in, so that tests control it.
//!
//! A row of `slot` is one request that counts against a limit. It is written before the request is sent, and ends
//! one window after the request completed. Until then it has the latest possible end: the time to use the slot,
//! plus the request's time-out, plus one window. A crashed process leaves its slots in that form.
//!
//! Proof of the limit: of all requests that the service sees within some window, take the one whose slot was
//! granted last. Each other one arrived at most one window earlier, so its slot had not ended when the last one
//! was granted. At that time, no more than `limit` slots exist.

use super::Priority;
use crate::api::prelude::*;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

/// The mark of a waiting interactive call lasts this long without renewal.
const PERSON: Duration = Duration::from_secs(3);
/// Short, since a slot may be returned unused at any time.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// Slots end on whole milliseconds.
const SHORTEST_PAUSE: Duration = Duration::from_millis(2);
#[cfg(feature = "team")]
const OWN_BACKGROUND: u32 = 4;
/// A longer `Retry-After` is practically endless.
pub(super) const LONGEST_HOLD: Duration = Duration::from_secs(366 * 24 * 3600);

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS clock (
        one INTEGER PRIMARY KEY CHECK (one = 1), boot TEXT NOT NULL, now INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS slot (
        id INTEGER PRIMARY KEY AUTOINCREMENT, pace TEXT NOT NULL, process TEXT NOT NULL,
        background INTEGER NOT NULL, ends INTEGER NOT NULL);
    CREATE INDEX IF NOT EXISTS slot_pace ON slot (pace, ends);
    CREATE TABLE IF NOT EXISTS hold (
        pace TEXT PRIMARY KEY, until INTEGER NOT NULL, wall INTEGER NOT NULL, refusals INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS person (
        pace TEXT NOT NULL, process TEXT NOT NULL, ends INTEGER NOT NULL, PRIMARY KEY (pace, process));
    CREATE TABLE IF NOT EXISTS seat (
        pace TEXT PRIMARY KEY, owner TEXT NOT NULL, boot TEXT NOT NULL, slots INTEGER NOT NULL,
        reach INTEGER NOT NULL, until INTEGER NOT NULL, wall INTEGER NOT NULL);";

/// By a clock that also runs during sleep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BootMoment {
    pub(super) boot_ms: i64,
    /// Empty if the system has none.
    pub(super) boot: String,
    /// Milliseconds since 1970. Used only for holds across a reboot.
    pub(super) wall_ms: i64,
}

#[derive(Clone, Debug)]
pub(super) struct SlotRequest {
    pub(super) priority: Priority,
    pub(super) limit: u32,
    pub(super) background: u32,
    pub(super) window: Duration,
    /// The request must begin within this time.
    pub(super) usable: Duration,
    /// Maximum duration of the request.
    pub(super) reach: Duration,
    /// Ignores a hold: a person asked for one ping.
    pub(super) through: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotOrigin {
    /// The processes of this computer share the limit.
    Computer,
    /// A block that the team's database granted.
    #[cfg(feature = "team")]
    Block,
    /// This computer's own share of a team's limit.
    #[cfg(feature = "team")]
    OwnShare,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) id: i64,
    pub(super) origin: SlotOrigin,
    /// In milliseconds since boot.
    pub(super) begin_by: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SharedUse {
    pub(super) used: u32,
    pub(super) others: u32,
    /// When the last of those slots ends.
    pub(super) others_end_in: Duration,
    pub(super) held: Option<Duration>,
    pub(super) refusals: u32,
    /// This computer's share of a team's limit, and for how long, where it also binds this process.
    pub(super) own_share: Option<(u32, Duration)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SlotReply {
    Granted(Slot, SharedUse),
    /// When to try again.
    Later(Duration, SharedUse),
}

pub(super) fn prepare(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(SCHEMA)
}

/// Reads the clock only after the file is locked.
pub(super) fn at<T>(
    db: &mut Connection,
    window: Duration,
    clock: &dyn Fn() -> BootMoment,
    work: impl FnOnce(&Connection, i64, i64) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let writing = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let moment = clock();
    let now = set_clock(&writing, window, &moment)?;
    writing.prepare_cached("DELETE FROM slot WHERE ends <= ?1")?.execute([now])?;
    writing.prepare_cached("DELETE FROM person WHERE ends <= ?1")?.execute([now])?;
    let value = work(&writing, now, moment.wall_ms)?;
    writing.commit()?;
    Ok(value)
}

/// The returned time never goes back. After a reboot all times restart: slots then end one window
/// from now, and the wall clock gives the rest of a hold, which never gets longer.
fn set_clock(db: &Connection, window: Duration, moment: &BootMoment) -> rusqlite::Result<i64> {
    let known: Option<(String, i64)> = db
        .prepare_cached("SELECT boot, now FROM clock")?
        .query_row([], |r| Ok((r.get(0)?, r.get(1)?)))
        .optional()?;
    let mut now = moment.boot_ms;
    if let Some((boot, last)) = known {
        if boot != moment.boot || last.saturating_sub(now) > millis(window) {
            let ends = now.saturating_add(millis(window));
            db.execute("UPDATE slot SET ends = ?1", [ends])?;
            db.execute("DELETE FROM person", [])?;
            db.execute("DELETE FROM seat", [])?;
            db.execute(
                "UPDATE hold SET until = ?1 + max(0, min(wall - ?2, until - ?3))",
                params![now, moment.wall_ms, last],
            )?;
        } else {
            now = now.max(last);
        }
    }
    db.prepare_cached(
        "INSERT INTO clock (one, boot, now) VALUES (1, ?1, ?2)
         ON CONFLICT (one) DO UPDATE SET boot = excluded.boot, now = excluded.now",
    )?
    .execute(params![moment.boot, now])?;
    Ok(now)
}

/// Interactive calls go first: while one waits in any process, background calls get nothing.
pub(super) fn take(
    db: &Connection,
    pace: &str,
    process: &str,
    want: &SlotRequest,
    now: i64,
) -> rusqlite::Result<SlotReply> {
    let (mut seen, background, first, first_background) = count(db, pace, process, now)?;
    if let Some(held) = seen.held
        && !want.through
    {
        return Ok(SlotReply::Later(held, seen));
    }
    let people = want.priority == Priority::Interactive;
    let waits: bool = !people
        && db
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM person WHERE pace = ?1)")?
            .query_row([pace], |r| r.get(0))?;
    let full = seen.used >= want.limit;
    if full || waits || (!people && background >= want.background) {
        if people && !want.through {
            db.prepare_cached("INSERT OR REPLACE INTO person (pace, process, ends) VALUES (?1, ?2, ?3)")?
                .execute(params![pace, process, now.saturating_add(millis(PERSON))])?;
        }
        let free = if full { first } else { first_background.filter(|_| !waits) };
        let wait = free.map_or(LONGEST_PAUSE, |ends| span(ends.saturating_sub(now)));
        return Ok(SlotReply::Later(wait.clamp(SHORTEST_PAUSE, LONGEST_PAUSE), seen));
    }
    if people {
        db.prepare_cached("DELETE FROM person WHERE pace = ?1 AND process = ?2")?
            .execute(params![pace, process])?;
    }
    let begin_by = now.saturating_add(millis(want.usable));
    let ends = begin_by.saturating_add(millis(want.reach + want.window));
    db.prepare_cached("INSERT INTO slot (pace, process, background, ends) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![pace, process, !people, ends])?;
    seen.used += 1;
    Ok(SlotReply::Granted(Slot { id: db.last_insert_rowid(), origin: SlotOrigin::Computer, begin_by }, seen))
}

/// Frees the slot at once if nothing was sent, otherwise after one window. A slot that had already
/// ended, because its process was suspended, counts again.
pub(super) fn give(
    db: &Connection,
    (pace, process): (&str, &str),
    slot: Slot,
    sent: Option<Priority>,
    window: Duration,
    now: i64,
) -> rusqlite::Result<()> {
    let Some(priority) = sent else {
        db.prepare_cached("DELETE FROM slot WHERE id = ?1")?.execute([slot.id])?;
        return Ok(());
    };
    db.prepare_cached(
        "INSERT OR REPLACE INTO slot (id, pace, process, background, ends) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        slot.id,
        pace,
        process,
        priority == Priority::Background,
        // The clock has whole milliseconds, so the response may have come up to one later.
        now.saturating_add(millis(window)).saturating_add(1)
    ])?;
    Ok(())
}

/// A shorter wait never shortens a longer one.
pub(super) fn hold(
    db: &Connection,
    pace: &str,
    wait: Duration,
    refusals: u32,
    now: i64,
    wall: i64,
) -> rusqlite::Result<()> {
    let wait = millis(wait.min(LONGEST_HOLD));
    db.prepare_cached(
        "INSERT INTO hold (pace, until, wall, refusals) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (pace) DO UPDATE SET until = max(until, excluded.until), wall = max(wall, excluded.wall),
                                          refusals = max(refusals, excluded.refusals)",
    )?
    .execute(params![pace, now.saturating_add(wait), wall.saturating_add(wait), refusals])?;
    Ok(())
}

/// Removes expired holds, and with `lift` an active hold too.
pub(super) fn calm(db: &Connection, pace: &str, lift: bool, now: i64) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM hold WHERE pace = ?1 AND (?2 OR until <= ?3)")?
        .execute(params![pace, lift, now])?;
    Ok(())
}

pub(super) fn peek(db: &Connection, pace: &str, process: &str, now: i64) -> rusqlite::Result<SharedUse> {
    Ok(count(db, pace, process, now)?.0)
}

/// This computer's share of a team's limit, which a seat in the team's database covers.
#[cfg(feature = "team")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seat {
    /// The computer's name in the database. A restart of the computer changes it.
    pub(super) owner: String,
    /// 0: the database has not assigned it yet.
    pub(super) slots: u32,
    /// Maximum duration of a request that the seat outlasts.
    pub(super) reach: Duration,
    /// The last request begins by then, in milliseconds since boot.
    pub(super) until: i64,
}

#[cfg(feature = "team")]
pub(super) fn seat(db: &Connection, pace: &str, boot: &str, most: u32, wall: i64) -> rusqlite::Result<Seat> {
    let owner = format!("{:016x}", fastrand::Rng::new().u64(..));
    db.prepare_cached(
        "INSERT INTO seat (pace, owner, boot, slots, reach, until, wall) VALUES (?1, ?2, ?3, 0, 0, 0, 0)
         ON CONFLICT (pace) DO UPDATE
             SET owner = excluded.owner, boot = excluded.boot, slots = 0, reach = 0, until = 0, wall = 0
             WHERE boot <> excluded.boot",
    )?
    .execute(params![pace, owner, boot])?;
    db.prepare_cached("UPDATE seat SET slots = ?2 WHERE pace = ?1 AND slots > ?2")?
        .execute(params![pace, most])?;
    db.prepare_cached(
        "SELECT owner, CASE WHEN wall >= ?2 THEN slots ELSE 0 END, reach, until FROM seat WHERE pace = ?1",
    )?
    .query_row(params![pace, wall], |r| {
        Ok(Seat { owner: r.get(0)?, slots: r.get(1)?, reach: span(r.get(2)?), until: r.get(3)? })
    })
}

/// As in the database, a seat that has not ended never grows: a process with a lower limit may have made it smaller.
/// `wall`: when it ends by the wall clock. A system without a boot id may not notice a restart.
#[cfg(feature = "team")]
pub(super) fn keep_seat(
    db: &Connection,
    pace: &str,
    seat: &Seat,
    (now, wall): (i64, i64),
) -> rusqlite::Result<()> {
    db.prepare_cached(
        "UPDATE seat SET slots = CASE WHEN slots > 0 AND until >= ?7 THEN min(slots, ?3) ELSE ?3 END,
             reach = ?4, until = ?5, wall = ?6
         WHERE pace = ?1 AND owner = ?2",
    )?
    .execute(params![pace, seat.owner, seat.slots, millis(seat.reach), seat.until, wall, now])?;
    Ok(())
}

/// A slot for a process that does not ask the team's database, although a team shares the key. The database counts this
/// computer's seat for it and grants the rest of the limit to others, which counts as used here.
#[cfg(feature = "team")]
pub(super) fn take_beside_team(
    db: &Connection,
    (pace, boot): (&str, &str),
    process: &str,
    want: &SlotRequest,
    (now, wall): (i64, i64),
) -> rusqlite::Result<SlotReply> {
    let own_share = own_share(db, (pace, boot), (now, wall))?;
    let Some(limit) = own_share.map(|(slots, _)| slots.min(want.limit)) else {
        return take(db, pace, process, want, now);
    };
    let own = SlotRequest { limit, background: (limit / OWN_BACKGROUND).max(1), ..want.clone() };
    let by_team = |seen: SharedUse| {
        let team = want.limit - limit;
        SharedUse {
            used: seen.used + team,
            others: seen.others + team,
            others_end_in: seen.others_end_in.max(want.window),
            own_share,
            ..seen
        }
    };
    Ok(match take(db, pace, process, &own, now)? {
        SlotReply::Granted(slot, seen) => SlotReply::Granted(slot, by_team(seen)),
        SlotReply::Later(wait, seen) => SlotReply::Later(wait, by_team(seen)),
    })
}

/// As [`peek`], for a process that does not ask the team's database.
#[cfg(feature = "team")]
pub(super) fn peek_beside_team(
    db: &Connection,
    (pace, boot): (&str, &str),
    process: &str,
    (now, wall): (i64, i64),
) -> rusqlite::Result<SharedUse> {
    let own_share = own_share(db, (pace, boot), (now, wall))?;
    Ok(SharedUse { own_share, ..peek(db, pace, process, now)? })
}

/// The size of this computer's seat, and how long it lasts.
#[cfg(feature = "team")]
fn own_share(
    db: &Connection,
    (pace, boot): (&str, &str),
    (now, wall): (i64, i64),
) -> rusqlite::Result<Option<(u32, Duration)>> {
    db.prepare_cached(
        "SELECT slots, min(until - ?3, wall - ?4) FROM seat
         WHERE pace = ?1 AND boot = ?2 AND slots > 0 AND until >= ?3 AND wall >= ?4",
    )?
    .query_row(params![pace, boot, now, wall], |r| Ok((r.get(0)?, span(r.get(1)?))))
    .optional()
}

/// A slot of this computer's own share, with the size of that share. `None` without a seat.
#[cfg(feature = "team")]
pub(super) fn take_own(
    db: &Connection,
    (pace, boot): (&str, &str),
    process: &str,
    want: &SlotRequest,
    (now, wall): (i64, i64),
) -> rusqlite::Result<Option<(u32, SlotReply)>> {
    let seat = seat(db, pace, boot, u32::MAX, wall)?;
    if seat.slots == 0 || now > seat.until {
        return Ok(None);
    }
    let limit = seat.slots.min(want.limit);
    if want.reach > seat.reach {
        return Ok(Some((limit, SlotReply::Later(LONGEST_PAUSE, peek(db, pace, process, now)?))));
    }
    let want = SlotRequest { limit, background: (limit / OWN_BACKGROUND).max(1), ..want.clone() };
    let reply = match take(db, pace, process, &want, now)? {
        SlotReply::Granted(slot, seen) => {
            let begin_by = slot.begin_by.min(seat.until);
            SlotReply::Granted(Slot { origin: SlotOrigin::OwnShare, begin_by, ..slot }, seen)
        }
        later @ SlotReply::Later(..) => later,
    };
    Ok(Some((limit, reply)))
}

/// Also returns the number of background slots, and the first end of any slot and of a background slot.
fn count(
    db: &Connection,
    pace: &str,
    process: &str,
    now: i64,
) -> rusqlite::Result<(SharedUse, u32, Option<i64>, Option<i64>)> {
    let mut rows = db.prepare_cached(
        "SELECT count(*), count(*) FILTER (WHERE background), min(ends), min(ends) FILTER (WHERE background),
                count(*) FILTER (WHERE process <> ?2), max(ends) FILTER (WHERE process <> ?2)
         FROM slot WHERE pace = ?1",
    )?;
    let (used, background, first, first_background, others, last) = rows.query_row([pace, process], |r| {
        Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?, r.get::<_, Option<i64>>(5)?))
    })?;
    let hold: Option<(i64, u32)> = db
        .prepare_cached("SELECT until, refusals FROM hold WHERE pace = ?1")?
        .query_row([pace], |r| Ok((r.get(0)?, r.get(1)?)))
        .optional()?;
    let seen = SharedUse {
        used,
        others,
        others_end_in: last.map_or(Duration::ZERO, |ends| span(ends.saturating_sub(now))),
        held: hold.map(|(until, _)| span(until.saturating_sub(now))).filter(|left| !left.is_zero()),
        refusals: hold.map_or(0, |(_, refusals)| refusals),
        own_share: None,
    };
    Ok((seen, background, first, first_background))
}

pub(super) fn millis(of: Duration) -> i64 {
    i64::try_from(of.as_millis()).unwrap_or(i64::MAX)
}

fn span(ms: i64) -> Duration {
    Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}

#[cfg(test)]
mod tests;
