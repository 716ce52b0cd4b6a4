//! The cursor of a list whose rows are all in memory: keys and clicks move it. Drawing code lays out its rows here, so
//! a click uses the rows that were drawn.

use crate::tui::prelude::*;
use std::cell::Cell;
use std::ops::{Deref, Range, RangeInclusive};

#[derive(Debug, Default)]
pub struct ListArea {
    area: Cell<Rect>,
    top: Cell<usize>,
    rows: Cell<usize>,
    clicked: Cell<Option<usize>>,
}

/// Where an action moves the cursor in a list of `all` rows that shows `height` rows. `None` for other actions.
pub fn moved(action: Action, at: usize, all: usize, height: usize) -> Option<usize> {
    let page = height.saturating_sub(1).max(1);
    let to = match action {
        Action::Down => at.saturating_add(1),
        Action::Up => at.saturating_sub(1),
        Action::PageDown => at.saturating_add(page),
        Action::PageUp => at.saturating_sub(page),
        Action::First => 0,
        Action::Last => usize::MAX,
        _ => return None,
    };
    Some(to.min(all.saturating_sub(1)))
}

/// What the mouse does after a press of its left button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tui) enum Drag {
    /// It is dragged to this line of the screen.
    To(u16),
    End,
    /// Something else happens. The drag is over, without an effect.
    Cancel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tui) enum Clicked {
    Nothing,
    /// The click selected a row or changed something else.
    Changed,
    /// The row of the click before, still selected. A row selected in another way needs two clicks: the first click may
    /// have been meant for earlier content. The shell runs this action.
    Chosen(Action),
}

impl Clicked {
    pub(in crate::tui) fn changed(changed: bool) -> Self {
        if changed { Self::Changed } else { Self::Nothing }
    }
}

impl ListArea {
    pub fn shown(&self) -> Range<usize> {
        self.top.get()..self.top.get() + self.rows.get()
    }

    /// The number of rows that there is room for.
    pub fn height(&self) -> usize {
        usize::from(self.area.get().height)
    }

    pub fn moved(&self, action: Action, at: usize, all: usize) -> Option<usize> {
        moved(action, at, all, self.height())
    }

    /// As [`moved`], in a menu: from its ends, single steps go to the other end.
    pub fn moved_around(&self, action: Action, at: usize, all: usize) -> Option<usize> {
        match action {
            Action::Down if at + 1 >= all => Some(0),
            Action::Up if at == 0 => Some(all.saturating_sub(1)),
            _ => self.moved(action, at, all),
        }
    }

    /// As [`moved`], in a list whose items have one row or several, with headings above them. `items` has the item of
    /// each row. A page goes to the last item that fits in the area with the selected one, so no row is passed unseen.
    pub fn moved_in_rows(&self, action: Action, at: usize, items: &[Option<usize>]) -> Option<usize> {
        let all = items.iter().flatten().max().map_or(0, |last| last + 1);
        let at = at.min(all.saturating_sub(1));
        let rows_before = |item: usize| {
            let last = items.iter().rposition(|of| of.is_some_and(|of| of < item));
            last.map_or(0, |row| row + 1)
        };
        let fit = |first: usize, last: usize| rows_before(last + 1) - rows_before(first) <= self.height();
        match action {
            // If the next item is too high, only the step to it is left.
            Action::PageDown => {
                (at + 1..all).take_while(|to| fit(at, *to)).last().or(self.moved(Action::Down, at, all))
            }
            Action::PageUp => {
                (0..at).rev().take_while(|to| fit(*to, at)).last().or(self.moved(Action::Up, at, all))
            }
            _ => self.moved(action, at, all),
        }
    }

    /// Scrolls so that the selected row, which moves, keeps its line of the screen.
    pub fn keep_line(&self, before: usize, after: usize) {
        self.top.set(after.saturating_sub(before.saturating_sub(self.top.get())));
    }

    /// Returns the rows of `all` to draw in an area, one per line. They include the selected row. Otherwise the
    /// rows do not scroll, so that a second click hits the same row.
    pub fn lay(&self, area: Rect, selected: usize, all: usize) -> Range<usize> {
        self.lay_rows(area, selected..=selected, all)
    }

    /// The same where the selected item has several rows. If they do not fit, the last of them are drawn.
    pub fn lay_rows(&self, area: Rect, selected: RangeInclusive<usize>, all: usize) -> Range<usize> {
        let height = usize::from(area.height);
        let least = (selected.end() + 1).saturating_sub(height);
        let top = self.top.get().min(*selected.start()).max(least).min(all.saturating_sub(height));
        let rows = height.min(all.saturating_sub(top));
        self.area.set(area);
        self.top.set(top);
        self.rows.set(rows);
        top..top + rows
    }

    /// The same, but if not all rows fit, the last line counts the rows above and below.
    pub fn lay_all(
        &self,
        area: Rect,
        selected: RangeInclusive<usize>,
        all: usize,
        cx: &UiContext,
    ) -> (Range<usize>, Option<Line<'static>>) {
        if all <= usize::from(area.height) || area.height < 2 {
            return (self.lay_rows(area, selected, all), None);
        }
        let shown = self.lay_rows(Rect { height: area.height - 1, ..area }, selected, all);
        let rest = Line::styled(out_of_sight(&shown, all, cx), cx.theme.dim());
        (shown, Some(rest))
    }

    /// The row that was drawn at a position.
    pub fn row(&self, at: Position) -> Option<usize> {
        let area = self.area.get();
        let line = usize::from(at.y.checked_sub(area.y)?);
        (area.contains(at) && line < self.rows.get()).then(|| self.top.get() + line)
    }

    /// `choose` is the action for the selected row.
    pub(in crate::tui) fn click(&self, at: Position, selected: &mut usize, choose: Action) -> Clicked {
        let Some(row) = self.row(at) else { return Clicked::Nothing };
        let before = self.clicked.replace(Some(row));
        if before == Some(row) && row == *selected {
            return Clicked::Chosen(choose);
        }
        *selected = row;
        Clicked::Changed
    }

    /// Other rows are drawn now.
    pub fn forget_clicks(&self) {
        self.clicked.set(None);
    }
}

#[derive(Debug, Default)]
pub struct ListCursor {
    at: usize,
    sight: ListArea,
}

impl ListCursor {
    pub fn new(at: usize) -> Self {
        Self { at, sight: ListArea::default() }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    pub fn select(&mut self, at: usize) {
        self.at = at;
    }

    /// Selects the first of other rows.
    pub fn restart(&mut self) {
        self.sight.forget_clicks();
        self.at = 0;
    }

    /// Moves in a list of `all` rows. Returns false for an action that does not move.
    pub fn on_action(&mut self, action: Action, all: usize) -> bool {
        let to = self.sight.moved(action, self.at, all);
        self.at = to.unwrap_or(self.at);
        to.is_some()
    }

    /// The same in a menu, where moving goes around the ends.
    pub fn on_menu_action(&mut self, action: Action, all: usize) -> bool {
        let to = self.sight.moved_around(action, self.at, all);
        self.at = to.unwrap_or(self.at);
        to.is_some()
    }

    pub(in crate::tui) fn on_click(&mut self, at: Position, choose: Action) -> Clicked {
        self.sight.click(at, &mut self.at, choose)
    }

    pub fn lay(&self, area: Rect, all: usize) -> Range<usize> {
        self.sight.lay(area, self.at, all)
    }

    pub fn lay_all(&self, area: Rect, all: usize, cx: &UiContext) -> (Range<usize>, Option<Line<'static>>) {
        self.sight.lay_all(area, self.at..=self.at, all, cx)
    }
}

impl Deref for ListCursor {
    type Target = ListArea;

    fn deref(&self) -> &ListArea {
        &self.sight
    }
}

pub fn below(area: Rect, lines: usize) -> Rect {
    let lines = u16::try_from(lines).unwrap_or(u16::MAX).min(area.height);
    Rect { y: area.y + lines, height: area.height - lines, ..area }
}

/// Empty if no rows are hidden.
pub fn out_of_sight(shown: &Range<usize>, all: usize, cx: &UiContext) -> String {
    let (above, below) = (shown.start, all.saturating_sub(shown.end));
    let above = (above > 0).then(|| t!("{more} more above", more = above));
    let below = (below > 0).then(|| t!("{more} more below", more = below));
    match (above, below) {
        (Some(above), Some(below)) => format!("  {above} {} {below}", cx.glyphs.dot),
        (above, below) => above.or(below).map_or_else(String::new, |text| format!("  {text}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_click_finds_the_row_that_was_drawn_there() {
        let sight = ListArea::default();
        let mut selected = 0;
        let on = |y| Position { x: 5, y };
        assert_eq!(sight.click(on(0), &mut selected, Action::Accept), Clicked::Nothing, "nothing was drawn");
        let area = Rect { x: 2, y: 3, width: 20, height: 4 };
        assert_eq!(sight.lay(area, 9, 12), 6..10);
        assert_eq!(sight.click(on(4), &mut selected, Action::Accept), Clicked::Changed);
        assert_eq!(selected, 7);
        assert_eq!(sight.lay(area, 7, 12), 6..10);
        assert_eq!(sight.click(on(4), &mut selected, Action::Accept), Clicked::Chosen(Action::Accept));
        for (x, y) in [(5, 2), (5, 7), (1, 4), (22, 4)] {
            assert_eq!(
                sight.click(Position { x, y }, &mut selected, Action::Accept),
                Clicked::Nothing,
                "{x} {y}"
            );
        }
        assert_eq!(sight.lay(area, 1, 2), 0..2);
        assert_eq!(sight.click(on(5), &mut selected, Action::Accept), Clicked::Nothing, "below the last row");
        assert_eq!(selected, 7);
    }

    #[test]
    fn a_list_stops_at_its_ends_and_a_menu_goes_around_them() {
        let area = Rect { x: 0, y: 0, width: 20, height: 4 };
        let (mut list, mut menu) = (ListCursor::default(), ListCursor::default());
        list.lay(area, 9);
        menu.lay(area, 9);
        for (action, of_list, of_menu) in [
            (Action::Up, 0, 8),
            (Action::Down, 1, 0),
            (Action::PageDown, 4, 3),
            (Action::Last, 8, 8),
            (Action::Down, 8, 0),
            (Action::PageUp, 5, 0),
            (Action::First, 0, 0),
        ] {
            assert!(list.on_action(action, 9) && menu.on_menu_action(action, 9), "{action:?}");
            assert_eq!((list.at(), menu.at()), (of_list, of_menu), "{action:?}");
        }
        assert!(!list.on_action(Action::Accept, 9) && !menu.on_menu_action(Action::Accept, 9));
        assert!(list.on_action(Action::Down, 0) && menu.on_menu_action(Action::Up, 0), "an empty list");
        assert_eq!((list.at(), menu.at()), (0, 0));
    }

    #[test]
    fn a_page_is_as_many_rows_as_the_area_where_items_have_several() {
        let sight = ListArea::default();
        // A heading, an item of three rows, an empty row, a heading, and three items of one row.
        let items = [None, Some(0), Some(0), Some(0), None, None, Some(1), Some(2), Some(3)];
        let to = |action, at| sight.moved_in_rows(action, at, &items);
        sight.lay_rows(Rect { x: 0, y: 0, width: 20, height: 4 }, 1..=3, items.len());
        assert_eq!(to(Action::PageDown, 0), Some(1), "the next one does not fit");
        assert_eq!(to(Action::PageDown, 1), Some(2), "the heading of the first one is within the page");
        assert_eq!(to(Action::PageUp, 3), Some(2), "with its headings the first one does not fit");
        assert_eq!(to(Action::PageUp, 1), Some(0));
        assert_eq!((to(Action::PageDown, 3), to(Action::PageUp, 0)), (Some(3), Some(0)), "the ends");
        assert_eq!((to(Action::Up, 9), to(Action::PageUp, 9)), (Some(2), Some(2)), "there were more items");
        assert_eq!(
            (to(Action::Last, 0), to(Action::Down, 0), to(Action::Accept, 0)),
            (Some(3), Some(1), None)
        );
        sight.lay_rows(Rect { x: 0, y: 0, width: 20, height: 2 }, 1..=3, items.len());
        assert_eq!(to(Action::PageDown, 0), Some(1), "an item that is higher than the area is left");
        assert_eq!(sight.moved_in_rows(Action::PageDown, 0, &[]), Some(0), "nothing to move in");
        assert_eq!(sight.moved_in_rows(Action::PageUp, 0, &[None]), Some(0));
    }

    #[test]
    fn all_rows_of_the_selected_item_are_in_sight_and_of_one_that_is_too_high_the_last() {
        let sight = ListArea::default();
        let area = Rect { x: 0, y: 0, width: 20, height: 4 };
        assert_eq!(sight.lay_rows(area, 5..=7, 20), 4..8);
        assert_eq!(sight.lay_rows(area, 4..=6, 20), 4..8, "nothing scrolls without need");
        assert_eq!(sight.lay_rows(area, 2..=3, 20), 2..6);
        assert_eq!(sight.lay_rows(area, 6..=11, 20), 8..12);
        assert_eq!(sight.lay_rows(area, 0..=0, 3), 0..3);
        assert_eq!(sight.lay_rows(Rect { height: 0, ..area }, 2..=2, 3).len(), 0);
    }

    #[test]
    fn what_is_out_of_sight_is_counted() {
        let (sight, cx) = (ListArea::default(), UiContext::for_test());
        let area = Rect { x: 0, y: 0, width: 40, height: 4 };
        let said = |selected| {
            let (shown, rest) = sight.lay_all(area, selected..=selected, 9, &cx);
            (shown, rest.map(|line| line.to_string()).unwrap_or_default())
        };
        assert_eq!(said(0), (0..3, "  6 more below".to_owned()));
        assert_eq!(said(5), (3..6, "  3 more above \u{b7} 3 more below".to_owned()));
        assert_eq!(said(8), (6..9, "  6 more above".to_owned()));
        let (shown, rest) = sight.lay_all(area, 3..=3, 4, &cx);
        assert_eq!((shown, rest), (0..4, None));
    }

    proptest! {
        #[test]
        fn the_selected_row_is_always_in_sight(
            steps in prop::collection::vec((0usize..40, 1usize..40, 0u16..12), 1..20),
        ) {
            let sight = ListArea::default();
            for (selected, all, height) in steps {
                let selected = selected.min(all - 1);
                let shown = sight.lay(Rect { x: 0, y: 0, width: 9, height }, selected, all);
                prop_assert_eq!(shown.len(), usize::from(height).min(all));
                prop_assert!(height == 0 || shown.contains(&selected));
                prop_assert!(shown.end <= all);
            }
        }
    }
}
