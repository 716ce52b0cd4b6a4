//! What the database grants: blocks of slots, the seat of this computer, and holds.

use super::blocks::{Block, Division, Give, SEATS};
use super::database::PaceReport;
use super::{Away, CONNECTING, DatabaseLost, PaceKeeper, TeamTurn, int, millis, words};
use crate::api::pace::Priority;
use crate::api::pace::SlotTimes;
use crate::api::pace::shared::PaceProblem;
use crate::api::pace::slots::{SharedUse, Slot, SlotOrigin, SlotReply, SlotRequest};
use crate::api::prelude::*;
use crate::boot_clock::boot_ms;
use tokio_postgres::types::Type;

impl PaceKeeper {
    pub(super) fn take(&mut self, want: &SlotRequest) -> TeamTurn {
        self.span = self.span.max(SlotTimes::of(want));
        let division = Division::of(want.limit, want.background);
        self.division = division;
        if (want.through || self.holds.left().is_none())
            && let Some(slot) = self.hand_out(want.priority, want)
        {
            return TeamTurn::Reply(SlotReply::Granted(slot, self.seen(0)));
        }
        self.blocks.close(want.priority, division);
        self.blocks.collect(boot_ms(), millis(self.pause));
        let Ok(view) = self.take_block(want, division) else { return self.without_database() };
        let seen = self.seen(view.used);
        // No block will end and make room.
        let has_blocks = view.next.is_some() || view.others_end.is_some() || !self.blocks.is_empty();
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
        let why = match &self.link.failed {
            Some(why) => words(why),
            None if self.link.was_just_lost() => {
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
        let (is_login_refused, server) = (self.link.is_login_refused(), self.link.login.server.to_string());
        self.shown.set(Some(Away { why, is_login_refused, server, limit }));
    }

    pub(super) fn hand_out(&mut self, from: Priority, want: &SlotRequest) -> Option<Slot> {
        let now = boot_ms();
        let id = self.blocks.hand_out(from, SlotTimes::of(want), now)?;
        Some(Slot { id, origin: SlotOrigin::Block, begin_by: now.saturating_add(millis(want.usable)) })
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
        let size = if want.through { 1 } else { self.blocks.next_size(want.priority, division) };
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
                    self.blocks.add(Block::new(id, want.priority, span, view.granted, open_until));
                }
                Ok(view)
            }
            Err(lost) => {
                // The database may still have granted it.
                let (priority, answered, remaining) = (want.priority, 0, 0);
                self.blocks.add_give(Give { block: id, part: 0, priority, answered, remaining });
                Err(lost)
            }
        }
    }

    pub(super) fn take_back(&mut self, id: i64, sent: bool) {
        self.blocks.take_back(id, sent);
    }

    pub(super) fn hold(&mut self, wait: Duration, refusals: u32) {
        self.holds.add(wait, refusals);
        let _ = self.write();
    }

    /// A hold of a process of this computer without a team. The team learns of it once: another computer may lift it.
    pub(super) fn hear_hold(&mut self, wait: Duration, refusals: u32) {
        if self.holds.hear(wait) {
            self.hold(wait, refusals);
        }
    }

    pub(super) fn calm(&mut self, lift: bool) {
        if lift {
            self.holds.lift();
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
        if self.link.session.is_none() || now < self.seat_at {
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
        self.blocks.close_all(boot_ms(), millis(self.pause), self.division);
        let _ = self.write();
    }
}
