//! The blocks of slots that a team's database granted to this process, without the database. Callers pass the time in.
//!
//! A block is open for a short time. An open block hands out its slots; a slot that comes back unused can be handed
//! out again. A closed block returns its slots: the unused ones at once, and each used one when its request has
//! completed.

use super::super::queue::ByPriority;
use super::super::slots::SlotRequest;
use super::{Priority, SlotTimes};
use crate::api::prelude::*;

impl SlotTimes {
    pub(super) fn of(want: &SlotRequest) -> Self {
        Self { usable: want.usable, reach: want.reach }
    }

    pub(in crate::api) fn max(self, other: Self) -> Self {
        Self { usable: self.usable.max(other.usable), reach: self.reach.max(other.reach) }
    }

    fn covers(self, other: Self) -> bool {
        self.max(other) == self
    }
}

/// A change of a block that the database has to learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Give {
    pub(super) block: i64,
    pub(super) part: i32,
    pub(super) priority: Priority,
    /// Requests completed since the last change.
    pub(super) answered: u32,
    /// Requests that may still reach the service.
    pub(super) remaining: u32,
}

#[derive(Debug)]
pub(super) struct Block {
    pub(super) id: i64,
    pub(super) priority: Priority,
    span: SlotTimes,
    slots: u32,
    /// Slots whose requests have not completed.
    out: u32,
    answered: u32,
    /// How many answered ones the database knows, and how many slots it counts besides them.
    written: u32,
    counted: u32,
    part: i32,
    /// It hands out slots until then, in milliseconds since boot.
    pub(super) open_until: i64,
    is_open: bool,
    /// Completed requests wait until then, so that the database learns of several at once.
    write_at: i64,
}

impl Block {
    pub(super) fn new(id: i64, priority: Priority, span: SlotTimes, slots: u32, open_until: i64) -> Self {
        Self {
            id,
            priority,
            span,
            slots,
            out: 0,
            answered: 0,
            written: 0,
            counted: slots,
            part: 0,
            open_until,
            is_open: true,
            write_at: i64::MIN,
        }
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.used() >= self.slots
    }

    pub(super) fn used(&self) -> u32 {
        self.out + self.answered
    }

    pub(super) fn can_serve(&self, span: SlotTimes, now: i64) -> bool {
        self.is_open && now <= self.open_until && !self.is_used_up() && self.span.covers(span)
    }

    /// Only if [`Self::can_serve`].
    pub(super) fn hand_out(&mut self) {
        self.out += 1;
    }

    pub(super) fn take_back(&mut self, sent: bool) {
        self.out = self.out.saturating_sub(1);
        if sent {
            self.answered += 1;
        }
    }

    pub(super) fn close(&mut self) {
        self.is_open = false;
    }

    pub(super) fn is_finished(&self) -> bool {
        !self.is_open && self.out == 0 && !self.has_news()
    }

    fn has_news(&self) -> bool {
        self.answered > self.written || self.counted > self.out
    }

    /// When [`Self::give`] has something. `None` until a slot comes back.
    pub(super) fn due(&self) -> Option<i64> {
        if self.is_open {
            return Some(self.open_until.saturating_add(1));
        }
        self.has_news().then_some(if self.out == 0 { i64::MIN } else { self.write_at })
    }

    /// `None` while it is open, or if the database knows everything.
    pub(super) fn give(&mut self, now: i64, pause: i64) -> Option<Give> {
        if self.is_open || !self.has_news() {
            return None;
        }
        self.part += 1;
        let give = Give {
            block: self.id,
            part: self.part,
            priority: self.priority,
            answered: self.answered - self.written,
            remaining: self.out,
        };
        self.written = self.answered;
        self.counted = self.out;
        self.write_at = now.saturating_add(pause);
        Some(give)
    }

    /// The size of the next block: twice as much if this one was used up, otherwise what was used of it.
    pub(super) fn next_size(&self, most: u32) -> u32 {
        let next = if self.is_used_up() { self.slots.saturating_mul(2) } else { self.used() };
        next.clamp(1, most.max(1))
    }
}

/// All blocks of this process.
pub(super) struct GrantedBlocks {
    open: ByPriority<Option<Block>>,
    /// Slots of the next block.
    sizes: ByPriority<u32>,
    /// Until the database knows that all their slots came back.
    closed: Vec<Block>,
    /// Changes that the database does not know yet, in order.
    gives: VecDeque<Give>,
}

impl GrantedBlocks {
    pub(super) fn new() -> Self {
        let sizes = ByPriority { interactive: 1, background: 1 };
        Self { open: ByPriority::default(), sizes, closed: Vec::new(), gives: VecDeque::new() }
    }

    fn all(&self) -> impl Iterator<Item = &Block> {
        [&self.open.interactive, &self.open.background].into_iter().flatten().chain(&self.closed)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    /// When [`Self::close_ended`] or [`Self::collect`] has something to do.
    pub(super) fn due(&self) -> Option<i64> {
        self.all().filter_map(Block::due).min()
    }

    pub(super) fn add(&mut self, block: Block) {
        let open = self.open.of(block.priority);
        *open = Some(block);
    }

    pub(super) fn add_give(&mut self, give: Give) {
        self.gives.push_back(give);
    }

    /// The slots to request for the next block.
    pub(super) fn next_size(&mut self, priority: Priority, division: Division) -> u32 {
        (*self.sizes.of(priority)).clamp(1, division.largest_of(priority))
    }

    /// The number of the block that a slot is of.
    pub(super) fn hand_out(&mut self, from: Priority, span: SlotTimes, now: i64) -> Option<i64> {
        let block = self.open.of(from).as_mut().filter(|block| block.can_serve(span, now))?;
        block.hand_out();
        Some(block.id)
    }

    pub(super) fn take_back(&mut self, id: i64, sent: bool) {
        let open = [&mut self.open.interactive, &mut self.open.background].into_iter().flatten();
        if let Some(block) = open.chain(&mut self.closed).find(|block| block.id == id) {
            block.take_back(sent);
        }
    }

    pub(super) fn close(&mut self, priority: Priority, division: Division) {
        let Some(mut block) = self.open.of(priority).take() else { return };
        *self.sizes.of(priority) = block.next_size(division.largest_of(priority));
        block.close();
        self.closed.push(block);
    }

    /// Closes the blocks that hand out nothing more.
    pub(super) fn close_ended(&mut self, now: i64, division: Division) {
        for priority in [Priority::Interactive, Priority::Background] {
            let open = self.open.of(priority).as_ref();
            if open.is_some_and(|block| now > block.open_until || block.is_used_up()) {
                self.close(priority, division);
            }
        }
    }

    /// Collects the changes that are due.
    pub(super) fn collect(&mut self, now: i64, pause: i64) {
        self.collect_if(now, pause, |block| block.due().is_some_and(|at| at <= now));
    }

    /// Closes all blocks, and collects every change.
    pub(super) fn close_all(&mut self, now: i64, pause: i64, division: Division) {
        self.close(Priority::Interactive, division);
        self.close(Priority::Background, division);
        self.collect_if(now, pause, |_| true);
    }

    fn collect_if(&mut self, now: i64, pause: i64, is_wanted: impl Fn(&Block) -> bool) {
        for block in self.closed.iter_mut().filter(|block| is_wanted(block)) {
            self.gives.extend(block.give(now, pause));
        }
        self.closed.retain(|block| !block.is_finished());
    }

    /// The oldest change that the database does not know. [`Self::remove_first_give`] removes it.
    pub(super) fn first_give(&self) -> Option<Give> {
        self.gives.front().copied()
    }

    pub(super) fn remove_first_give(&mut self) {
        self.gives.pop_front();
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Division {
    /// For blocks and seats. The rest covers requests that a suspended process sends late.
    pub(super) pool: u32,
    /// The share of a computer that it uses without the database. 0: it has none.
    pub(super) own: u32,
    /// Slots of the largest block of a priority.
    pub(super) largest: u32,
    pub(super) largest_of_background: u32,
}

/// Computers with a share of their own.
pub(super) const SEATS: u32 = 10;
const PARTS: u32 = 50;

impl Division {
    pub(super) fn of(limit: u32, background: u32) -> Self {
        let part = limit / PARTS;
        // A small limit has a reserve of 1, unless nothing would be left.
        let reserve = part.max(u32::from(limit >= 10));
        Self {
            pool: limit - reserve,
            own: part,
            largest: (limit / 20).max(1),
            largest_of_background: (background / 8).max(1),
        }
    }

    fn largest_of(self, priority: Priority) -> u32 {
        match priority {
            Priority::Interactive => self.largest,
            Priority::Background => self.largest_of_background,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const REACH: SlotTimes = SlotTimes { usable: Duration::from_secs(10), reach: Duration::from_secs(30) };

    fn block(slots: u32) -> Block {
        Block::new(1, Priority::Interactive, REACH, slots, 1000)
    }

    #[test]
    fn a_block_serves_for_a_short_time_and_only_requests_that_it_can_outlast() {
        let mut block = block(2);
        assert!(block.can_serve(REACH, 1000) && !block.can_serve(REACH, 1001));
        assert!(!block.can_serve(SlotTimes { reach: Duration::from_secs(31), ..REACH }, 0));
        assert!(!block.can_serve(SlotTimes { usable: Duration::from_secs(11), ..REACH }, 0));
        block.hand_out();
        block.hand_out();
        assert!(!block.can_serve(REACH, 0));
        block.take_back(false);
        assert!(block.can_serve(REACH, 0), "an unused slot can be used again");
        block.close();
        assert!(!block.can_serve(REACH, 0));
    }

    #[test]
    fn a_closed_block_returns_unused_slots_at_once_and_answered_ones_together() {
        let mut block = block(5);
        (0..3).for_each(|_| block.hand_out());
        block.take_back(true);
        assert_eq!((block.give(0, 100), block.due()), (None, Some(1001)));
        block.close();
        let give = Give { block: 1, part: 1, priority: Priority::Interactive, answered: 1, remaining: 2 };
        assert_eq!((block.due(), block.give(2000, 100)), (Some(i64::MIN), Some(give)));
        assert_eq!((block.due(), block.give(2000, 100)), (None, None));
        block.take_back(true);
        assert_eq!(block.due(), Some(2100));
        block.take_back(false);
        assert_eq!((block.due(), block.is_finished()), (Some(i64::MIN), false));
        assert_eq!(block.give(2001, 100), Some(Give { part: 2, remaining: 0, ..give }));
        assert!(block.is_finished());
    }

    #[test]
    fn the_blocks_of_a_process_return_every_slot() {
        let division = Division::of(1_000, 250);
        let mut blocks = GrantedBlocks::new();
        assert!(blocks.is_empty() && blocks.due().is_none());
        blocks.add(block(2));
        assert_eq!(blocks.hand_out(Priority::Background, REACH, 0), None);
        assert_eq!(blocks.hand_out(Priority::Interactive, REACH, 0), Some(1));
        blocks.close_ended(1000, division);
        assert_eq!((blocks.due(), blocks.first_give()), (Some(1001), None), "it is open until then");
        blocks.close_ended(1001, division);
        assert_eq!(blocks.hand_out(Priority::Interactive, REACH, 1001), None);
        blocks.collect(1001, 100);
        assert_eq!(blocks.first_give().map(|give| (give.answered, give.remaining)), Some((0, 1)));
        blocks.remove_first_give();
        blocks.take_back(1, true);
        blocks.collect(1002, 100);
        assert_eq!(blocks.first_give().map(|give| (give.answered, give.remaining)), Some((1, 0)));
        assert!(blocks.is_empty(), "only the database does not know it yet");
        blocks.remove_first_give();

        blocks.add(Block::new(2, Priority::Background, REACH, 3, 2000));
        blocks.close_all(1003, 100, division);
        let give = Give { block: 3, part: 0, priority: Priority::Interactive, answered: 0, remaining: 0 };
        blocks.add_give(give);
        let given = std::iter::from_fn(|| {
            let give = blocks.first_give()?;
            blocks.remove_first_give();
            Some((give.block, give.remaining))
        });
        assert_eq!(given.collect::<Vec<_>>(), [(2, 0), (3, 0)]);
    }

    #[test]
    fn blocks_grow_while_they_are_used_up() {
        let mut one = block(1);
        one.hand_out();
        assert_eq!((one.next_size(50), one.next_size(1)), (2, 1));
        let mut many = block(40);
        assert_eq!(many.next_size(50), 1);
        (0..7).for_each(|_| many.hand_out());
        assert_eq!(many.next_size(50), 7);
        (0..33).for_each(|_| many.hand_out());
        assert_eq!(many.next_size(50), 50);
    }

    proptest! {
        #[test]
        fn the_parts_never_exceed_the_limit(limit in 1..100_000u32, background in 0..25_000u32) {
            let division = Division::of(limit, background);
            prop_assert!(division.pool >= 1 && division.pool <= limit);
            prop_assert!(division.largest >= 1 && division.largest <= limit);
            prop_assert!(division.own * SEATS <= limit / 5);
            if limit >= 10 {
                prop_assert!(division.pool < limit);
            }
        }

        /// What the database counts of a block is never less than what may still reach the service.
        #[test]
        fn the_database_always_counts_enough(slots in 1..20u32, steps in prop::collection::vec(0..5u8, 1..80)) {
            let mut block = block(slots);
            let (mut out, mut sent) = (0, 0);
            let (mut counted, mut answered) = (slots, 0);
            for step in steps {
                match step {
                    0 if block.can_serve(REACH, 0) => {
                        block.hand_out();
                        out += 1;
                    }
                    1 | 2 if out > 0 => {
                        block.take_back(step == 1);
                        out -= 1;
                        sent += u32::from(step == 1);
                    }
                    3 => block.close(),
                    4 => {
                        if let Some(give) = block.give(0, 0) {
                            prop_assert!(!block.is_open);
                            counted = give.remaining;
                            answered += give.answered;
                        }
                    }
                    _ => {}
                }
                prop_assert!(counted + answered >= out + sent);
                prop_assert!(out + sent <= slots && answered <= sent);
                if block.is_finished() {
                    prop_assert_eq!((counted, answered), (0, sent));
                }
            }
        }
    }
}
