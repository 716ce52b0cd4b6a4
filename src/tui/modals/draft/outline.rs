//! The lines of a review: a heading for each part, its rows while it is open, and the line that sends. The journal sorts
//! the rows by part, so only the visible rows are read.

use super::groups::GroupPart;
use crate::jobs::RowPart;
use crate::tui::prelude::*;
use crate::tui::widgets::marks::between;
use crate::tui::widgets::paged_list::PagedList;
use std::ops::RangeInclusive;

/// Maximum number of rows of a part that is open at first, except the first part.
const FEW: u64 = 10;

/// Rows of a part that are visible at least after it was opened.
const OPENED: u64 = 3;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Cursor {
    Heading(RowPart),
    #[default]
    Row,
    Send,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutlineLine {
    Heading(usize),
    Row(u64),
    Send,
}

#[derive(Default)]
pub(super) struct Outline {
    parts: Vec<GroupPart>,
    /// Whether a part is open, of all parts that were ever shown. Their order stays as it was at first.
    known: Vec<(RowPart, bool)>,
    cursor: Cursor,
    /// The line of the cursor when lines and rows last agreed, its part, and the line of that part's heading.
    last: u64,
    last_part: Option<(RowPart, u64)>,
    /// The selected row at that time, and its part.
    last_row: Option<(u64, RowPart)>,
    /// The row after a range that was decided, and its place once the rows of the range have left.
    after_range: Option<(u64, u64)>,
    is_touched: bool,
    top: u64,
    /// Of the last layout.
    height: u64,
}

impl Outline {
    /// Whether a person moved the cursor, or opened or closed a part.
    pub fn is_touched(&self) -> bool {
        self.is_touched
    }

    pub fn touch(&mut self) {
        self.is_touched = true;
        self.after_range = None;
    }

    pub fn is_known(&self, id: &RowPart) -> bool {
        self.known.iter().any(|(known, _)| known == id)
    }

    /// Takes the parts as they are now, with the rows in their order.
    pub fn set(&mut self, mut parts: Vec<GroupPart>, list: &mut PagedList<JobRow>) {
        let is_first = self.known.is_empty();
        self.sort(&mut parts);
        for (at, part) in parts.iter().enumerate() {
            if !self.is_known(&part.id) {
                let is_open =
                    is_first && at == 0 || part.rows <= FEW && part.id.row_status != RowStatus::Ready;
                self.known.push((part.id.clone(), is_open));
            }
        }
        self.parts = parts;
        self.stay(list);
    }

    /// Keeps the cursor in its place if its row has left the part, or if its heading is gone. The cursor
    /// does not follow a row that is decided. If no part needs review any more, it goes to the line that
    /// sends.
    fn stay(&mut self, list: &mut PagedList<JobRow>) {
        if let Some((no, place)) = self.after_range.take()
            && self.cursor == Cursor::Row
            && list.selected().is_none_or(|row| row.no != no)
        {
            // So many rows left that the list lost this one.
            if let Some(line) = self.line_of(place) {
                self.move_to(line, list);
            }
            return;
        }
        let gone = match &self.cursor {
            Cursor::Heading(id) => !self.parts.iter().any(|part| part.id == *id),
            Cursor::Row => self.last_row.as_ref().is_some_and(|(no, id)| {
                list.selected().is_some_and(|row| row.no == *no && self.part_of(row) != *id)
            }),
            Cursor::Send => false,
        };
        let Some((id, heading)) = self.last_part.take().filter(|_| gone) else { return };
        let now = self.laid().find(|(_, part, ..)| part.id == id).map(|(_, part, line, _)| (part.rows, line));
        match now {
            // Rows before the part may have left, too.
            Some((rows, line)) => self.move_to(line + self.last.saturating_sub(heading).min(rows), list),
            None if !self.parts.iter().any(|part| part.id.row_status == id.row_status)
                && !self.has_more(id.row_status) =>
            {
                self.cursor = Cursor::Send;
            }
            None => {
                let opened = self.laid().find(|(.., line, _)| *line == heading).map(|(_, part, ..)| part);
                let line = heading + u64::from(opened.is_some_and(|part| self.is_open(part)));
                self.move_to(line, list);
            }
        }
    }

    /// Whether rows are left to review after those with this status.
    fn has_more(&self, done: RowStatus) -> bool {
        done != RowStatus::NeedsReview && self.parts.iter().any(|part| !part.id.row_status.is_to_send())
    }

    fn part_of(&self, row: &JobRow) -> RowPart {
        let id = RowPart { row_status: row.row_status, key: row.group.clone() };
        if self.parts.iter().any(|part| part.id == id) { id } else { RowPart { key: None, ..id } }
    }

    /// The parts as the journal sorts by them.
    pub fn row_parts(&self, mut parts: Vec<GroupPart>) -> Vec<RowPart> {
        self.sort(&mut parts);
        parts.into_iter().map(|part| part.id).collect()
    }

    /// The statuses keep their order. Within one, known parts keep theirs, and the other reasons come last.
    fn sort(&self, parts: &mut [GroupPart]) {
        let place = |part: &GroupPart| {
            let known = self.known.iter().position(|(id, _)| *id == part.id);
            (part.order(), part.id.key.is_none(), known.unwrap_or(usize::MAX))
        };
        parts.sort_by_key(place);
    }

    pub fn is_open(&self, part: &GroupPart) -> bool {
        self.known.iter().any(|(id, is_open)| *id == part.id && *is_open)
    }

    pub fn part(&self, at: usize) -> Option<&GroupPart> {
        self.parts.get(at)
    }

    /// Each part with the line of its heading and the place of its first row.
    fn laid(&self) -> impl Iterator<Item = (usize, &GroupPart, u64, u64)> {
        let (mut line, mut place) = (0, 0);
        self.parts.iter().enumerate().map(move |(at, part)| {
            let found = (at, part, line, place);
            line += 1 + if self.is_open(part) { part.rows } else { 0 };
            place += part.rows;
            found
        })
    }

    /// Number of lines, with the one that sends.
    pub fn len(&self) -> u64 {
        let lines: u64 =
            self.parts.iter().map(|part| 1 + if self.is_open(part) { part.rows } else { 0 }).sum();
        lines + u64::from(!self.parts.is_empty())
    }

    pub fn line(&self, line: u64) -> Option<OutlineLine> {
        let found = self.laid().take_while(|(.., first, _)| *first <= line).last();
        let (at, part, first, place) = found?;
        match line - first {
            0 => Some(OutlineLine::Heading(at)),
            row if self.is_open(part) && row <= part.rows => Some(OutlineLine::Row(place + row - 1)),
            _ => (line + 1 == self.len()).then_some(OutlineLine::Send),
        }
    }

    /// The line of a row, or of the heading that hides it.
    fn line_of(&self, wanted: u64) -> Option<u64> {
        let (_, part, line, place) = self.laid().take_while(|(.., place)| *place <= wanted).last()?;
        Some(if self.is_open(part) {
            line + 1 + (wanted - place).min(part.rows.saturating_sub(1))
        } else {
            line
        })
    }

    pub fn at(&self, list: &PagedList<JobRow>) -> u64 {
        let last = self.len().saturating_sub(1);
        let at = match &self.cursor {
            Cursor::Heading(id) => self.laid().find(|(_, part, ..)| part.id == *id).map(|(.., line, _)| line),
            Cursor::Row => self.line_of(list.cursor()),
            Cursor::Send => Some(last),
        };
        at.unwrap_or(self.last).min(last)
    }

    pub fn move_to(&mut self, line: u64, list: &mut PagedList<JobRow>) {
        let line = line.min(self.len().saturating_sub(1));
        match self.line(line) {
            Some(OutlineLine::Heading(at)) => {
                if let Some(part) = self.parts.get(at) {
                    self.cursor = Cursor::Heading(part.id.clone());
                }
            }
            Some(OutlineLine::Row(place)) => {
                self.cursor = Cursor::Row;
                list.move_to(place);
            }
            Some(OutlineLine::Send) => self.cursor = Cursor::Send,
            None => {}
        }
    }

    /// Moves to a row, and opens its part.
    pub fn reveal(&mut self, place: u64, list: &mut PagedList<JobRow>) {
        let id =
            self.laid().take_while(|(.., first)| *first <= place).last().map(|(_, part, ..)| part.id.clone());
        if let Some((_, is_open)) = self.known.iter_mut().find(|(known, _)| Some(known) == id.as_ref()) {
            *is_open = true;
        }
        self.is_touched = true;
        self.cursor = Cursor::Row;
        list.move_to(place);
    }

    pub fn move_by(&mut self, lines: i64, list: &mut PagedList<JobRow>) {
        let line = self.at(list).saturating_add_signed(lines);
        self.move_to(line, list);
    }

    pub fn page_by(&mut self, screens: i64, list: &mut PagedList<JobRow>) {
        let step = i64::try_from(self.height.saturating_sub(1).max(1)).unwrap_or(i64::MAX);
        self.move_by(step.saturating_mul(screens), list);
    }

    /// Moves to the line after the last row of a range of which `decided` rows leave their parts.
    pub fn go_after(&mut self, last: u64, decided: u64, list: &mut PagedList<JobRow>) {
        let Some(line) = self.line_of(last) else { return };
        self.move_to(line + 1, list);
        let next = list.selected().filter(|_| self.cursor == Cursor::Row);
        self.after_range = next.map(|row| (row.no, (last + 1).saturating_sub(decided)));
    }

    /// The lines between a row, or the heading that hides it, and the cursor.
    pub fn lines_from(&self, place: u64, list: &PagedList<JobRow>) -> RangeInclusive<u64> {
        between(self.line_of(place).unwrap_or_default(), self.at(list))
    }

    /// The places of the rows in these lines, as ranges.
    pub fn rows_in(&self, lines: &RangeInclusive<u64>) -> Vec<RangeInclusive<u64>> {
        let of_part = |(_, part, heading, place): (usize, &GroupPart, u64, u64)| {
            let first = (*lines.start()).max(heading + 1);
            let last = (*lines.end()).min(heading + part.rows);
            (self.is_open(part) && first <= last)
                .then(|| place + first - heading - 1..=place + last - heading - 1)
        };
        self.laid().filter_map(of_part).collect()
    }

    pub fn here(&self, list: &PagedList<JobRow>) -> Option<&GroupPart> {
        let line = self.at(list);
        let part = self.laid().take_while(|(.., first, _)| *first <= line).last().map(|(_, part, ..)| part);
        part.filter(|_| self.cursor != Cursor::Send)
    }

    pub fn is_on_row(&self, list: &PagedList<JobRow>) -> bool {
        matches!(self.line(self.at(list)), Some(OutlineLine::Row(_)))
    }

    /// The part whose heading is under the cursor.
    pub fn heading_here(&self, list: &PagedList<JobRow>) -> Option<&GroupPart> {
        match self.line(self.at(list)) {
            Some(OutlineLine::Heading(at)) => self.parts.get(at),
            _ => None,
        }
    }

    /// Opens or closes the part under the cursor. `None` opens a closed part and closes an open one.
    pub fn fold(&mut self, open: Option<bool>, list: &PagedList<JobRow>) {
        let Some(part) = self.here(list) else { return };
        let was_open = self.is_open(part);
        let open = open.unwrap_or(!was_open);
        let (id, rows) = (part.id.clone(), part.rows);
        if open && !was_open {
            let heading = self.at(list);
            let end = heading + 1 + rows.min(OPENED);
            self.top = self.top.max(end.saturating_sub(self.height).min(heading));
        }
        if let Some((_, is_open)) = self.known.iter_mut().find(|(known, _)| *known == id) {
            *is_open = open;
        }
        if !open {
            self.cursor = Cursor::Heading(id);
        }
    }

    /// Moves to the next heading; from the last part to the first.
    pub fn next_part(&mut self, list: &mut PagedList<JobRow>) {
        let now = self.at(list);
        let next = self.laid().map(|(.., line, _)| line).find(|line| *line > now).unwrap_or(0);
        self.move_to(next, list);
    }

    /// Lays the lines out in this height, and keeps the visible rows loaded. `is_current` tells whether the rows are
    /// those of the parts, and not of parts that are still read.
    pub fn lay_out(&mut self, height: u16, is_current: bool, list: &mut PagedList<JobRow>) {
        self.height = u64::from(height).max(1);
        let at = self.at(list);
        if is_current {
            self.last = at;
            let part = self.laid().take_while(|(.., line, _)| *line <= at).last();
            self.last_part = part.map(|(_, part, line, _)| (part.id.clone(), line));
            self.last_row = list.selected().map(|row| (row.no, self.part_of(row)));
        }
        if at < self.top {
            self.top = at;
        } else if at >= self.top + self.height {
            self.top = at + 1 - self.height;
        }
        self.top = self.top.min(self.len().saturating_sub(self.height));
        // The heading of the first row stays visible.
        if self.top == 1 && at < self.height {
            self.top = 0;
        }
        let places: Vec<u64> = self
            .visible()
            .filter_map(|(_, line)| if let OutlineLine::Row(place) = line { Some(place) } else { None })
            .collect();
        list.pin_all(places.into_iter());
    }

    pub fn visible(&self) -> impl Iterator<Item = (u64, OutlineLine)> {
        let end = (self.top + self.height).min(self.len());
        (self.top..end).filter_map(|line| Some((line, self.line(line)?)))
    }

    pub fn top(&self) -> u64 {
        self.top
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use OutlineLine::{Heading, Row, Send};

    fn part(row_status: RowStatus, key: Option<&str>, rows: u64) -> GroupPart {
        GroupPart::new(row_status, key.map(str::to_owned), rows)
    }

    fn lines(outline: &Outline) -> Vec<OutlineLine> {
        (0..outline.len()).filter_map(|line| outline.line(line)).collect()
    }

    #[test]
    fn headings_stand_before_the_rows_of_open_parts() {
        let mut list = PagedList::<JobRow>::default();
        let mut outline = Outline::default();
        let ask = |n| part(RowStatus::NeedsReview, Some("a"), n);
        outline.set(
            vec![ask(2), part(RowStatus::NeedsReview, None, 12), part(RowStatus::Ready, None, 3)],
            &mut list,
        );
        assert_eq!(lines(&outline), [Heading(0), Row(0), Row(1), Heading(1), Heading(2), Send]);
        // The list's first row is selected at first, so the cursor is below its heading.
        assert_eq!(outline.at(&list), 1);
        outline.fold(Some(false), &list);
        assert_eq!(lines(&outline), [Heading(0), Heading(1), Heading(2), Send]);
        outline.move_to(2, &mut list);
        outline.fold(None, &list);
        assert_eq!(lines(&outline)[2..], [Heading(2), Row(14), Row(15), Row(16), Send]);
        // A larger part that comes later stays behind the known ones.
        let parts = vec![part(RowStatus::NeedsReview, Some("b"), 9), ask(1), part(RowStatus::Ready, None, 3)];
        outline.set(parts, &mut list);
        assert_eq!(outline.part(0).map(|part| part.id.key.as_deref()), Some(Some("a")));
        assert_eq!(outline.heading_here(&list).map(|part| part.id.row_status), Some(RowStatus::Ready));
    }

    #[test]
    fn a_part_that_is_opened_on_the_last_line_shows_its_first_rows() {
        let mut list = PagedList::<JobRow>::default();
        let mut outline = Outline::default();
        let parts = ["a", "b", "c", "d", "e", "f"].map(|key| part(RowStatus::NeedsReview, Some(key), 14));
        outline.set(parts.to_vec(), &mut list);
        outline.fold(Some(false), &list);
        let visible = |outline: &Outline| outline.visible().map(|(_, line)| line).collect::<Vec<_>>();
        let whole = vec![Heading(3), Heading(4), Heading(5), Row(70), Row(71), Row(72)];
        for (height, expected) in [(6, whole), (2, vec![Heading(5), Row(70)])] {
            outline.move_to(5, &mut list);
            outline.lay_out(height, true, &mut list);
            outline.fold(Some(true), &list);
            outline.lay_out(height, true, &mut list);
            assert_eq!(visible(&outline), expected, "{height} lines");
            assert_eq!(outline.at(&list), 5, "the cursor stays on the heading");
            outline.fold(Some(false), &list);
        }
        // A part with room below it does not scroll.
        outline.move_to(0, &mut list);
        outline.lay_out(6, true, &mut list);
        outline.fold(Some(true), &list);
        assert_eq!(outline.top(), 0);
    }

    #[test]
    fn the_next_part_comes_around_and_a_lost_heading_leaves_the_cursor_in_the_list() {
        let mut list = PagedList::<JobRow>::default();
        let mut outline = Outline::default();
        let parts = vec![part(RowStatus::NeedsReview, Some("a"), 1), part(RowStatus::Ready, None, 3)];
        outline.set(parts.clone(), &mut list);
        outline.next_part(&mut list);
        assert_eq!(outline.heading_here(&list).map(|part| part.id.row_status), Some(RowStatus::Ready));
        outline.next_part(&mut list);
        assert_eq!(outline.at(&list), 0);
        // Nothing needs review any more, so the cursor goes to the line that sends.
        outline.lay_out(10, true, &mut list);
        outline.set(parts[1..].to_vec(), &mut list);
        assert_eq!((outline.at(&list), outline.len()), (1, 2));
        assert_eq!(outline.line(1), Some(Send));
    }

    /// If many rows leave, the list does not find the row after them.
    #[test]
    fn the_row_after_a_range_is_found_by_its_place_if_the_list_lost_it() {
        let rows = |numbers: Vec<u64>| {
            numbers.into_iter().map(|no| JobRow::for_test(no, RowStatus::NeedsReview)).collect()
        };
        let ask = |key, rows| part(RowStatus::NeedsReview, Some(key), rows);
        let found: Vec<u64> = (1..=3).chain(12..=18).chain(4..=11).collect();
        let lost: Vec<u64> = (101..=118).collect();
        for after in [found, lost] {
            let (mut list, mut outline) = (PagedList::<JobRow>::default(), Outline::default());
            list.hold(rows((1..=18).collect()));
            outline.set(vec![ask("a", 9), ask("b", 9)], &mut list);
            // From the fourth row of the first part to the second row of the other one.
            outline.go_after(10, 8, &mut list);
            assert_eq!(outline.line(outline.at(&list)), Some(Row(11)));
            outline.lay_out(30, true, &mut list);
            list.hold(rows(after));
            outline.set(vec![ask("a", 3), ask("b", 7), part(RowStatus::Skipped, None, 8)], &mut list);
            assert_eq!(outline.line(outline.at(&list)), Some(Row(3)), "the first row of the second part");
        }
    }
}
