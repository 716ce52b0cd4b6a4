//! The connection for the pace, its calls, and what they say about the clock.

use super::{
    AGAIN_MS, DatabaseLost, GRACE_MS, JUMP_MS, LONGEST_ATTEMPT_MS, PATIENCE, PaceKeeper, Task, int, millis,
    words,
};
use crate::api::pace::Priority;
use crate::api::prelude::*;
use crate::boot_clock::boot_ms;
use crate::team::{DatabaseSession, Login, TeamError};
use std::sync::mpsc::Sender;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

/// An answer of the database.
pub(super) struct PaceReport {
    pub(super) granted: u32,
    pub(super) time: i64,
    pub(super) used: u32,
    pub(super) others: u32,
    pub(super) others_end: Option<i64>,
    pub(super) next: Option<i64>,
    pub(super) next_of_background: Option<i64>,
    pub(super) held_until: Option<i64>,
    pub(super) refusals: u32,
}

impl PaceReport {
    pub(super) fn of(row: &Row) -> Result<Self, tokio_postgres::Error> {
        let count = |at: usize| row.try_get::<_, i32>(at).map(i32::unsigned_abs);
        Ok(Self {
            granted: count(0)?,
            time: row.try_get(1)?,
            used: count(2)?,
            others: count(4)?,
            others_end: row.try_get(5)?,
            next: row.try_get(6)?,
            next_of_background: row.try_get(7)?,
            held_until: row.try_get(8)?,
            refusals: count(9)?,
        })
    }

    pub(super) fn left(&self, until: Option<i64>) -> Option<Duration> {
        until.map(|until| Duration::from_millis(u64::try_from(until - self.time).unwrap_or(0)))
    }
}

/// The connection for the pace, made again when it is lost.
pub(super) struct DatabaseLink {
    pub(super) login: Login,
    pub(super) session: Option<DatabaseSession>,
    /// Since when the database does not answer, and why.
    lost_at: Option<i64>,
    pub(super) failed: Option<TeamError>,
    /// Since when an attempt to connect runs.
    pub(super) connecting: Option<i64>,
    /// The time of the next attempt.
    connect_at: i64,
    work: Sender<Task>,
}

impl DatabaseLink {
    pub(super) fn new(login: Login, work: Sender<Task>) -> Self {
        Self {
            login,
            session: None,
            lost_at: Some(boot_ms()),
            failed: None,
            connecting: None,
            connect_at: i64::MIN,
            work,
        }
    }

    /// When [`Self::connect`] has something to do. `None` with a connection, or after a refused login.
    pub(super) fn due(&self) -> Option<i64> {
        match self.connecting {
            _ if self.session.is_some() => None,
            Some(since) => Some(since.saturating_add(LONGEST_ATTEMPT_MS)),
            None => Some(self.connect_at).filter(|_| !self.is_login_refused()),
        }
    }

    pub(super) fn connect(&mut self, now: i64) {
        let is_hanging = self.connecting.is_some_and(|since| now - since >= LONGEST_ATTEMPT_MS);
        let is_early = now < self.connect_at || self.is_login_refused();
        if self.session.is_some() || (self.connecting.is_some() && !is_hanging) || is_early {
            return;
        }
        self.connecting = Some(now);
        let (login, work) = (self.login.clone(), self.work.clone());
        // On a thread of its own: it may take long, and requests must not wait for it.
        let connecting = std::thread::Builder::new().name("team pace".into()).spawn(move || {
            let opened = DatabaseSession::open(&login);
            let _ = work.send(Box::new(move |keeper: &mut PaceKeeper| keeper.connected(opened)));
        });
        if connecting.is_err() {
            self.connecting = None;
            self.connect_at = now + AGAIN_MS;
        }
    }

    pub(super) fn use_login(&mut self, login: Login) {
        // A connection to another database stays: what was granted there counts there.
        if self.session.is_none() || login.server == self.login.server {
            self.login = login;
        }
    }

    pub(super) fn is_login_refused(&self) -> bool {
        self.login.refused.get().is_some()
    }

    /// A lost connection may be back before anybody hears of it.
    pub(super) fn was_just_lost(&self) -> bool {
        self.lost_at.is_none_or(|since| boot_ms() - since < GRACE_MS)
    }

    fn fail(&mut self, why: TeamError) {
        if self.failed.as_ref() != Some(&why) {
            tracing::warn!(?why, "the team's database cannot share the pace");
        }
        self.failed = Some(why);
    }

    /// The first row of an answer.
    fn query(
        &mut self,
        sql: &str,
        values: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Option<Row>, DatabaseLost> {
        let Some(session) = &self.session else { return Err(DatabaseLost) };
        let why = match session.runtime.within(PATIENCE, session.client.query_typed(sql, values)) {
            Ok(Ok(rows)) => {
                self.failed = None;
                self.lost_at = None;
                return Ok(rows.into_iter().next());
            }
            Ok(Err(why)) => TeamError::from(&why),
            Err(_) => TeamError::Busy,
        };
        let now = boot_ms();
        self.session = None;
        if matches!(why, TeamError::Away(_)) && self.failed.is_none() {
            // It is probably only this connection.
            tracing::info!(?why, "the connection for the pace was lost");
            self.connect_at = now;
        } else {
            self.fail(why);
            self.connect_at = now + AGAIN_MS;
        }
        self.lost_at.get_or_insert(now);
        self.connect(now);
        Err(DatabaseLost)
    }
}

impl PaceKeeper {
    pub(super) fn connected(&mut self, opened: Result<DatabaseSession, TeamError>) {
        if self.link.session.is_some() {
            return;
        }
        self.link.connecting = None;
        match opened {
            Ok(session) => {
                self.link.session = Some(session);
                self.seat_at = i64::MIN;
            }
            Err(why) => {
                self.show_away(words(&why));
                self.link.fail(why);
                self.link.connect_at = boot_ms() + AGAIN_MS;
            }
        }
    }

    pub(super) fn call(
        &mut self,
        sql: &str,
        values: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Option<Row>, DatabaseLost> {
        // Of a lost connection, the shares of the others are not known any more.
        let row = self.link.query(sql, values).inspect_err(|_| self.is_crowded = false)?;
        if !self.is_crowded {
            self.shown.set(None);
        }
        Ok(row)
    }

    pub(super) fn view(
        &mut self,
        sql: &str,
        values: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<PaceReport, DatabaseLost> {
        let before = boot_ms();
        let row = self.call(sql, values)?;
        let Some(Ok(view)) = row.as_ref().map(PaceReport::of) else { return Err(DatabaseLost) };
        let now = Instant::now();
        self.holds.read(view.left(view.held_until), view.refusals);
        self.others = view.left(view.others_end).map(|left| (view.others, now + left));
        if self.has_jumped(view.time, before) { Err(DatabaseLost) } else { Ok(view) }
    }

    /// After a jump of the database's clock, nobody gets a slot until everything that was granted has ended.
    pub(super) fn has_jumped(&mut self, time: i64, before: i64) -> bool {
        let jumped = self.clocks.is_some_and(|(then, before_then)| {
            let passed = boot_ms().saturating_sub(before_then);
            time.saturating_sub(then) > passed.saturating_add(passed / 1000).saturating_add(JUMP_MS)
        });
        self.clocks = Some((time, before));
        if jumped {
            tracing::warn!("the clock of the team's database has jumped forward");
            let id = fastrand::Rng::new().i64(..);
            let (pool, lasts) = (int(self.division.pool), self.lasts());
            let _ = self.call(
                "SELECT lapel.pace_pause($1, $2, $3, $4, $5)",
                &[
                    (&self.pace.clone(), Type::TEXT),
                    (&self.process.clone(), Type::TEXT),
                    (&id, Type::INT8),
                    (&pool, Type::INT4),
                    (&lasts, Type::INT8),
                ],
            );
            self.seat_at = i64::MIN;
        }
        jumped
    }

    /// Until this succeeds, nothing is read, since the database would not show a hold of this process.
    pub(super) fn write(&mut self) -> Result<(), DatabaseLost> {
        if self.link.session.is_none() {
            return Err(DatabaseLost);
        }
        let pace = self.pace.clone();
        if let Some((wait, refusals)) = self.holds.unwritten() {
            let wait = millis(wait);
            self.call(
                "SELECT lapel.pace_hold($1, $2, $3)",
                &[(&pace, Type::TEXT), (&wait, Type::INT8), (&int(refusals), Type::INT4)],
            )?;
            self.holds.note_written();
        }
        while let Some(give) = self.blocks.first_give() {
            let window = millis(self.window) + 1;
            self.call(
                "SELECT lapel.pace_give($1, $2, $3, $4, $5, $6, $7, $8)",
                &[
                    (&pace, Type::TEXT),
                    (&self.process.clone(), Type::TEXT),
                    (&give.block, Type::INT8),
                    (&give.part, Type::INT4),
                    (&(give.priority == Priority::Background), Type::BOOL),
                    (&int(give.answered), Type::INT4),
                    (&int(give.remaining), Type::INT4),
                    (&window, Type::INT8),
                ],
            )?;
            self.blocks.remove_first_give();
        }
        Ok(())
    }
}
