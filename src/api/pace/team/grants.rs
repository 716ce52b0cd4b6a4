//! What the database grants: blocks of slots, the seat of this computer, and holds.

use super::blocks::{Block, Division, Give, SEATS};
use super::database::PaceReport;
use super::{Away, CONNECTING, DatabaseLost, GRACE_MS, PaceKeeper, TeamTurn, int, millis, words};
use crate::api::call::Priority;
use crate::api::pace::SlotTimes;
use crate::api::pace::shared::PaceProblem;
use crate::api::pace::slots::{SharedUse, Slot, SlotOrigin, SlotReply, SlotRequest};
use crate::api::prelude::*;
use crate::boot_clock::boot_ms;
use tokio_postgres::types::Type;

/// Two readings of one hold differ by less.
const SAME_HOLD: Duration = Duration::from_secs(2);

impl PaceKeeper {
    pub(super) fn take(&mut self, want: &SlotRequest) -> TeamTurn {
        self.span = self.span.max(SlotTimes::of(want));
        let division = Division::of(want.limit, want.background);
        self.division = division;
        if (want.through || self.held_for().is_none())
            && let Some(slot) = self.hand_out(want.priority, want)
        {
            return TeamTurn::Reply(SlotReply::Granted(slot, self.seen(0)));
        }
        self.close(want.priority);
        self.collect_gives(boot_ms());
        let Ok(view) = self.take_block(want, division) else { return self.without_database() };
        let seen = self.seen(view.used);
        // No block will end and make room.
        let is_open = self.open.interactive.is_some() || self.open.background.is_some();
        let has_blocks =
            view.next.is_some() || view.others_end.is_some() || is_open || !self.closed.is_empty();
        self.is_crowded = view.granted == 0 && view.used >= division.pool && !has_blocks;
        if self.is_crowded {
            self.show_away(localizable!(
                "the shares of other computers, which may have a higher rate_limit, leave nothing of it"
            ));
            return TeamTurn::Own(seen);
        }
        self.shown.set(None);
        if let Some(slot) = self.hand_out(want.priority, want) {
            return TeamTurn::Reply(SlotReply::Granted(slot, seen));
        }
        if let Some(held) = seen.held
            && !want.through
        {
            return TeamTurn::Reply(SlotReply::Later(held, seen));
        }
        // A person goes before this process's own background work.
        if want.priority == Priority::Interactive
            && let Some(slot) = self.hand_out(Priority::Background, want)
        {
            return TeamTurn::Reply(SlotReply::Granted(slot, seen));
        }
        let next = match want.priority {
            Priority::Background if view.used < division.pool => view.next_of_background,
            _ => view.next,
        };
        let (shortest, longest) = (Duration::from_millis(2), self.pause.min(Duration::from_secs(1)));
        let wait = view.left(next).unwrap_or(longest).clamp(shortest.min(longest), longest);
        TeamTurn::Reply(SlotReply::Later(wait, seen))
    }

    pub(super) fn without_database(&self) -> TeamTurn {
        let why = match &self.failed {
            Some(why) => words(why),
            None if self.lost_at.is_none_or(|since| boot_ms() - since < GRACE_MS) => {
                return TeamTurn::Reply(SlotReply::Later(CONNECTING, self.seen(0)));
            }
            None => localizable!("no response in time"),
        };
        self.show_away(why);
        TeamTurn::Own(self.seen(0))
    }

    pub(super) fn show_away(&self, why: PaceProblem) {
        let seat = self.own.as_ref().and_then(|own| own.seat(u32::MAX).ok());
        let limit = seat.filter(|seat| boot_ms() <= seat.until).map_or(0, |seat| seat.slots);
        let (is_login_refused, server) = (self.is_login_refused(), self.login.server.to_string());
        self.shown.set(Some(Away { why, is_login_refused, server, limit }));
    }

    pub(super) fn hand_out(&mut self, from: Priority, want: &SlotRequest) -> Option<Slot> {
        let now = boot_ms();
        let block = self.open.of(from).as_mut()?;
        if !block.can_serve(SlotTimes::of(want), now) {
            return None;
        }
        block.hand_out();
        Some(Slot {
            id: block.id,
            origin: SlotOrigin::Block,
            begin_by: now.saturating_add(millis(want.usable)),
        })
    }

    /// Nothing is granted if the answer says so.
    pub(super) fn take_block(
        &mut self,
        want: &SlotRequest,
        division: Division,
    ) -> Result<PaceReport, DatabaseLost> {
        self.write()?;
        let span = self.span;
        let is_background = want.priority == Priority::Background;
        let most = if is_background { division.largest_of_background } else { division.largest };
        let size = if want.through { 1 } else { (*self.sizes.of(want.priority)).clamp(1, most) };
        let id = fastrand::Rng::new().i64(..);
        let open_until = boot_ms().saturating_add(millis(self.pause));
        let waits = millis(self.pause.min(Duration::from_secs(1)) * 3).max(50);
        let taken = self.view(
            "SELECT * FROM lapel.pace_take($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            &[
                (&self.pace.clone(), Type::TEXT),
                (&self.process.clone(), Type::TEXT),
                (&id, Type::INT8),
                (&is_background, Type::BOOL),
                (&int(size), Type::INT4),
                (&int(division.pool), Type::INT4),
                (&int(want.background), Type::INT4),
                (&self.lasts(), Type::INT8),
                (&waits, Type::INT8),
                (&want.through, Type::BOOL),
            ],
        );
        match taken {
            Ok(view) => {
                if view.granted > 0 {
                    let block = Block::new(id, want.priority, span, view.granted, open_until);
                    *self.open.of(want.priority) = Some(block);
                }
                Ok(view)
            }
            Err(lost) => {
                // The database may still have granted it.
                let (priority, answered, remaining) = (want.priority, 0, 0);
                self.gives.push_back(Give { block: id, part: 0, priority, answered, remaining });
                Err(lost)
            }
        }
    }

    pub(super) fn close(&mut self, priority: Priority) {
        let Some(mut block) = self.open.of(priority).take() else { return };
        let most = match priority {
            Priority::Interactive => self.division.largest,
            Priority::Background => self.division.largest_of_background,
        };
        *self.sizes.of(priority) = block.next_size(most);
        block.close();
        self.closed.push(block);
    }

    pub(super) fn collect_gives(&mut self, now: i64) {
        let pause = millis(self.pause);
        for block in &mut self.closed {
            if block.due().is_some_and(|at| at <= now) {
                self.gives.extend(block.give(now, pause));
            }
        }
        self.closed.retain(|block| !block.is_finished());
    }

    pub(super) fn take_back(&mut self, id: i64, sent: bool) {
        let open = [&mut self.open.interactive, &mut self.open.background].into_iter().flatten();
        if let Some(block) = open.chain(&mut self.closed).find(|block| block.id == id) {
            block.take_back(sent);
        }
    }

    pub(super) fn hold(&mut self, wait: Duration, refusals: u32) {
        let until = Instant::now() + wait;
        let later = |known: Option<(Instant, u32)>| {
            known.map_or((until, refusals), |(before, times)| (before.max(until), times.max(refusals)))
        };
        self.held = Some(later(self.held));
        self.unwritten = Some(later(self.unwritten));
        let _ = self.write();
    }

    /// A hold of a process of this computer without a team. The team learns of it once: another computer may lift it.
    pub(super) fn hear_hold(&mut self, wait: Duration, refusals: u32) {
        let until = Instant::now() + wait;
        if self.heard.is_none_or(|known| until > known + SAME_HOLD) {
            self.heard = Some(until);
            self.hold(wait, refusals);
        }
    }

    pub(super) fn calm(&mut self, lift: bool) {
        if lift {
            self.held = None;
            self.unwritten = None;
        }
        let pace = self.pace.clone();
        let _ = self.call("SELECT lapel.pace_calm($1, $2)", &[(&pace, Type::TEXT), (&lift, Type::BOOL)]);
    }

    /// `None` without the database.
    pub(super) fn peek(&mut self) -> Option<SharedUse> {
        self.write().ok()?;
        let (pace, process) = (self.pace.clone(), self.process.clone());
        let sql = "SELECT * FROM lapel.pace_peek($1, $2)";
        let view = self.view(sql, &[(&pace, Type::TEXT), (&process, Type::TEXT)]).ok()?;
        Some(self.seen(view.used))
    }

    /// Gets or extends the seat of this computer.
    pub(super) fn renew_seat(&mut self, now: i64) {
        let Some(own) = self.own.clone() else { return };
        let (division, span) = (self.division, self.span);
        if self.session.is_none() || now < self.seat_at {
            return;
        }
        // Four hours.
        let lease = self.window * 240;
        self.seat_at = now.saturating_add(millis(self.window));
        // If the limit is lower now, the file shrinks first: the database grants to others what is freed.
        let mut seat = match own.seat(division.own) {
            Ok(seat) => seat,
            Err(why) => {
                tracing::warn!(%why, "the seat of this computer is unknown");
                return;
            }
        };
        let until = boot_ms().saturating_add(millis(lease));
        let lasts = millis(lease + span.reach + self.window) + 2;
        let used_for = millis(span.usable + span.reach + self.window) + 2;
        let id = fastrand::Rng::new().i64(..);
        let given = self.call(
            "SELECT lapel.pace_seat($1, $2, $3, $4, $5, $6, $7, $8)",
            &[
                (&self.pace.clone(), Type::TEXT),
                (&seat.owner, Type::TEXT),
                (&id, Type::INT8),
                (&int(division.own), Type::INT4),
                (&int(SEATS), Type::INT4),
                (&int(division.pool), Type::INT4),
                (&lasts, Type::INT8),
                (&used_for, Type::INT8),
            ],
        );
        let Ok(Some(row)) = given else { return };
        let Ok(slots) = row.try_get::<_, i32>(0) else { return };
        seat.slots = slots.unsigned_abs();
        seat.reach = span.reach;
        seat.until = until;
        if seat.slots > 0 {
            self.seat_at = now.saturating_add(millis(lease / 4));
        }
        own.keep_seat(seat, lease);
    }

    /// Returns what can be returned. Open slots of requests under way end by themselves.
    pub(super) fn leave(&mut self) {
        self.close(Priority::Interactive);
        self.close(Priority::Background);
        let pause = millis(self.pause);
        for block in &mut self.closed {
            self.gives.extend(block.give(boot_ms(), pause));
        }
        self.closed.retain(|block| !block.is_finished());
        let _ = self.write();
    }
}
