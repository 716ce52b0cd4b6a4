//! The columns of a list: which are shown, their order and their width, by default or as the user chose.

use crate::tui::widgets::text_layout::{ColumnLayout, layout, width};

/// The smallest and largest width that a user can set, in cells.
pub const WIDTHS: std::ops::RangeInclusive<usize> = 3..=120;

/// Maximum width of a content that is never cut in favour of others, in cells: a state, a date, a level.
const SHORT: usize = 16;
/// Cells of a text that tell it from others: more of a title than of an address or a name, which have a smaller weight. In
/// the default order, columns that can be dropped go before a text gets less.
fn readable(weight: usize) -> usize {
    if weight <= 3 { 8 } else { 16 }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnChoice {
    /// The index of the column among all columns of the list.
    pub column: usize,
    pub shown: bool,
    /// The width in cells, if the user set one. Otherwise the column shares the available room.
    pub width: Option<usize>,
}

/// The settings of every column of a list, from left to right. At least one column is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    choices: Vec<ColumnChoice>,
    /// Number of columns shown by default: the first ones.
    default_columns: usize,
    /// Columns that are shown in any case and never dropped: those that the filter is about.
    kept: Vec<usize>,
}

impl Columns {
    pub fn new(count: usize, default_columns: usize) -> Self {
        let choice = |column| ColumnChoice { column, shown: column < default_columns, width: None };
        Self { choices: (0..count).map(choice).collect(), default_columns, kept: Vec::new() }
    }

    pub fn choices(&self) -> &[ColumnChoice] {
        &self.choices
    }

    pub fn is_default(&self) -> bool {
        self.has_default_order() && self.choices.iter().all(|c| c.width.is_none())
    }

    fn has_default_order(&self) -> bool {
        self.choices.iter().enumerate().all(|(i, c)| c.column == i && c.shown == (i < self.default_columns))
    }

    /// The indexes of the shown columns, in order. Some may have no room.
    pub fn shown(&self) -> impl Iterator<Item = usize> + '_ {
        self.choices.iter().filter(|c| self.is_shown(c)).map(|c| c.column)
    }

    pub fn is_shown(&self, choice: &ColumnChoice) -> bool {
        choice.shown || self.is_kept(choice)
    }

    pub fn is_kept(&self, choice: &ColumnChoice) -> bool {
        self.kept.contains(&choice.column)
    }

    /// Shows or hides a column. Returns false for the last shown column, which stays.
    pub fn toggle(&mut self, at: usize) -> bool {
        let others = self.choices.iter().enumerate().any(|(i, c)| i != at && c.shown);
        match self.choices.get_mut(at) {
            Some(choice) if !choice.shown || others => choice.shown = !choice.shown,
            _ => return false,
        }
        true
    }

    /// Moves a column one place to the left or right. Returns its new place.
    pub fn shift(&mut self, at: usize, right: bool) -> usize {
        let to = if right { at + 1 } else { at.saturating_sub(1) };
        if at >= self.choices.len() || to >= self.choices.len() {
            return at;
        }
        self.choices.swap(at, to);
        to
    }

    pub fn resize(&mut self, at: usize, width: usize) {
        if let Some(choice) = self.choices.get_mut(at) {
            choice.width = Some(width.clamp(*WIDTHS.start(), *WIDTHS.end()));
        }
    }

    pub fn reset(&mut self) {
        let kept = std::mem::take(&mut self.kept);
        *self = Self { kept, ..Self::new(self.choices.len(), self.default_columns) };
    }

    pub fn keep(&mut self, kept: Vec<usize>) {
        self.kept = kept;
    }

    /// Restores saved settings. Unknown columns are ignored, and missing ones follow as hidden. If no column would
    /// be shown, the default applies.
    pub fn restore(&mut self, kept: impl IntoIterator<Item = ColumnChoice>) {
        let count = self.choices.len();
        let mut choices: Vec<ColumnChoice> = Vec::with_capacity(count);
        for choice in kept {
            if choice.column < count && !choices.iter().any(|c| c.column == choice.column) {
                let width = choice.width.map(|width| width.clamp(*WIDTHS.start(), *WIDTHS.end()));
                choices.push(ColumnChoice { width, ..choice });
            }
        }
        for column in 0..count {
            if !choices.iter().any(|c| c.column == column) {
                choices.push(ColumnChoice { column, shown: false, width: None });
            }
        }
        if choices.iter().any(|c| c.shown) {
            self.choices = choices;
        } else {
            self.reset();
        }
    }

    /// The widths of the shown columns in `room`, in order, with one cell between two columns; 0 for a column
    /// without room. `all` are the list's columns in default order. The first shown column always has room. Widths
    /// and gaps together never exceed `room`. `content` is the widest content of each column, if it is known: a column
    /// is not wider than that, unless the user set its width.
    pub fn widths(&self, all: &[ColumnLayout], content: &[usize], room: usize) -> Vec<usize> {
        // In the default order, each column has a drop priority. In an order set by the user, the rightmost
        // columns are dropped first.
        let is_default_order = self.has_default_order();
        let (columns, most): (Vec<ColumnLayout>, Vec<usize>) = self
            .choices
            .iter()
            .filter(|c| self.is_shown(c))
            .enumerate()
            .filter_map(|(place, choice)| {
                let own = *all.get(choice.column)?;
                let drop_order = match place {
                    0 => 0,
                    _ if self.is_kept(choice) => 0,
                    _ if is_default_order => own.drop_order,
                    _ => u8::try_from(place).unwrap_or(u8::MAX),
                };
                Some(match (choice.width, content.get(choice.column).map(|most| (*most).max(1))) {
                    (Some(width), _) => (ColumnLayout { min_width: width, weight: 0, drop_order }, width),
                    _ if own.min_width == 0 => (ColumnLayout { drop_order, ..own }, 0),
                    (None, None) => (ColumnLayout { drop_order, ..own }, usize::MAX),
                    // A column without a share does not grow, so it gets what it needs at once.
                    (None, Some(most)) if own.weight == 0 && most <= SHORT => {
                        (ColumnLayout { drop_order, min_width: most, ..own }, most)
                    }
                    (None, Some(most)) => {
                        (ColumnLayout { drop_order, min_width: own.min_width.min(most), ..own }, most)
                    }
                })
            })
            .unzip();
        let wanted = |(column, most): (&ColumnLayout, &usize)| match most {
            _ if !is_default_order || column.weight == 0 => *column,
            &usize::MAX => *column,
            most => ColumnLayout {
                min_width: column.min_width.max(readable(column.weight).min(*most)),
                ..*column
            },
        };
        let wanted: Vec<ColumnLayout> = columns.iter().zip(&most).map(wanted).collect();
        let kept: Vec<bool> = layout(&wanted, room).iter().map(|width| *width > 0).collect();
        let of_kept: Vec<ColumnLayout> =
            columns.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(column, _)| *column).collect();
        let mut of_kept = layout(&of_kept, room).into_iter();
        let mut widths: Vec<usize> =
            kept.iter().map(|kept| if *kept { of_kept.next().unwrap_or(0) } else { 0 }).collect();
        fit_content(&mut widths, &most);
        // Columns that are never dropped may still be too wide.
        let mut used = 0;
        for width in widths.iter_mut().filter(|width| **width > 0) {
            let from = if used > 0 { used + 1 } else { 0 };
            *width = (*width).min(room.saturating_sub(from));
            if *width > 0 {
                used = from + *width;
            }
        }
        widths
    }
}

/// The widths of columns for these rows, of which nothing is chosen by a user.
pub fn fitted<T>(own: &[ColumnLayout], rows: &[Vec<(String, T)>], room: usize) -> Vec<usize> {
    let widest =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|(text, _)| width(text)).max();
    let content: Vec<usize> = (0..own.len()).map(|column| widest(column).unwrap_or(0)).collect();
    Columns::new(own.len(), own.len()).widths(own, &content, room)
}

/// Takes the cells that a column does not need, and gives them to columns whose content is cut.
fn fit_content(widths: &mut [usize], most: &[usize]) {
    let mut spare = 0;
    for (width, most) in widths.iter_mut().zip(most) {
        spare += width.saturating_sub(*most);
        *width = (*width).min(*most);
    }
    grow(widths, most, spare);
}

/// Gives spare cells to columns whose content is cut, up to the width that it needs.
pub fn grow(widths: &mut [usize], most: &[usize], mut spare: usize) {
    // Columns that need least come first: a date that is cut says less than a title that is.
    let mut needs: Vec<(usize, usize)> =
        (0..widths.len()).map(|at| (most[at].saturating_sub(widths[at]), at)).collect();
    needs.retain(|(need, at)| *need > 0 && widths[*at] > 0 && most[*at] < usize::MAX);
    needs.sort_unstable();
    for (need, at) in needs {
        widths[at] += need.min(spare);
        spare -= need.min(spare);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [ColumnLayout; 4] = [
        ColumnLayout { min_width: 10, weight: 0, drop_order: 0 },
        ColumnLayout { min_width: 10, weight: 2, drop_order: 0 },
        ColumnLayout { min_width: 8, weight: 1, drop_order: 1 },
        ColumnLayout { min_width: 6, weight: 0, drop_order: 3 },
    ];

    fn columns() -> Columns {
        Columns::new(4, 3)
    }

    #[test]
    fn the_last_one_shown_stays() {
        let mut columns = columns();
        assert!(columns.toggle(0) && columns.toggle(1));
        assert!(!columns.toggle(2), "it is the only one left");
        assert_eq!(columns.shown().collect::<Vec<_>>(), [2]);
        assert!(columns.toggle(3) && columns.toggle(2));
        assert_eq!(columns.shown().collect::<Vec<_>>(), [3]);
        assert!(!columns.toggle(99), "there is no such column");
    }

    #[test]
    fn a_column_that_can_go_does_so_before_a_text_is_unreadable() {
        let columns = Columns::new(4, 4);
        let content = [10, 30, 8, 6];
        assert_eq!(columns.widths(&ALL, &content, 37), [10, 10, 8, 6]);
        assert_eq!(columns.widths(&ALL, &content, 36), [10, 16, 8, 0]);
        // A text with a larger weight needs more cells.
        let mut all = ALL;
        all[1].weight = 5;
        assert_eq!(columns.widths(&all, &content, 43), [10, 16, 8, 6]);
        assert_eq!(columns.widths(&all, &content, 42), [10, 22, 8, 0]);
    }

    #[test]
    fn the_column_that_a_filter_is_about_stays() {
        let mut columns = Columns::new(4, 4);
        let content = [10, 30, 8, 6];
        columns.keep(vec![3]);
        assert_eq!(columns.widths(&ALL, &content, 36), [10, 18, 0, 6]);
        columns.reset();
        assert_eq!(columns.widths(&ALL, &content, 36), [10, 18, 0, 6], "a reset keeps it");
        columns.toggle(3);
        assert_eq!(
            columns.shown().collect::<Vec<_>>(),
            [0, 1, 2, 3],
            "it is shown as long as the filter is set"
        );
        columns.keep(Vec::new());
        assert_eq!(columns.shown().collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn columns_move_one_place_and_stop_at_the_ends() {
        let mut columns = columns();
        assert_eq!(columns.shift(0, false), 0);
        assert_eq!(columns.shift(0, true), 1);
        assert_eq!(columns.shown().collect::<Vec<_>>(), [1, 0, 2]);
        assert_eq!(columns.shift(3, true), 3);
        assert!(!columns.is_default());
        columns.reset();
        assert!(columns.is_default());
    }

    #[test]
    fn a_width_set_by_hand_is_kept_and_the_others_share_the_rest() {
        let mut columns = columns();
        columns.resize(0, 20);
        let widths = columns.widths(&ALL, &[], 60);
        assert_eq!(widths[0], 20);
        assert_eq!(widths.iter().sum::<usize>() + 2, 60, "{widths:?}");
        columns.resize(0, 0);
        assert_eq!(columns.choices()[0].width, Some(*WIDTHS.start()));
    }

    #[test]
    fn a_column_is_as_wide_as_its_content_and_gives_the_rest_to_those_that_are_cut() {
        let columns = columns();
        assert_eq!(columns.widths(&ALL, &[4, 30, 9, 3], 60), [4, 30, 9], "nothing is cut, nothing is wider");
        assert_eq!(
            columns.widths(&ALL, &[4, 50, 9, 3], 60),
            [4, 45, 9],
            "what one does not need the other gets"
        );
    }

    #[test]
    fn in_an_order_of_ones_own_the_right_end_goes_first() {
        let mut columns = columns();
        assert!(columns.toggle(3));
        assert_eq!(columns.widths(&ALL, &[], 29), [10, 18, 0, 0], "what stands at the right end has no room");
        columns.shift(3, false);
        assert_eq!(columns.widths(&ALL, &[], 29), [10, 11, 6, 0], "moved to the left it has");
        columns.shift(2, false);
        columns.shift(1, false);
        assert_eq!(columns.widths(&ALL, &[], 12), [6, 0, 0, 0]);
        assert_eq!(columns.widths(&ALL, &[], 4), [4, 0, 0, 0], "the first one is cut before it goes");
    }

    #[test]
    fn what_was_kept_for_another_list_does_no_harm() {
        let mut columns = columns();
        let kept = [(9, true, None), (2, true, Some(usize::MAX)), (2, true, None), (0, false, None)];
        columns.restore(kept.map(|(column, shown, width)| ColumnChoice { column, shown, width }));
        assert_eq!(columns.shown().collect::<Vec<_>>(), [2]);
        assert_eq!(columns.choices().iter().map(|c| c.column).collect::<Vec<_>>(), [2, 0, 1, 3]);
        assert_eq!(columns.choices()[0].width, Some(*WIDTHS.end()));
        columns.restore([ColumnChoice { column: 1, shown: false, width: None }]);
        assert!(columns.is_default(), "nothing shown is no list");
    }

    proptest! {
        #[test]
        fn any_columns_fit_any_width(
            own in prop::collection::vec((0usize..60, 0usize..4, 0u8..5), 1..18),
            kept in prop::collection::vec((0usize..20, any::<bool>(), prop::option::of(0usize..400)), 0..24),
            keys in prop::collection::vec((0usize..20, 0usize..5, 0usize..200), 0..12),
            room in 0usize..320,
            content in prop::collection::vec(0usize..100, 0..20),
        ) {
            let column = |(least, weight, drop_order)| ColumnLayout { min_width: least + 1, weight, drop_order };
            let all: Vec<ColumnLayout> = own.into_iter().map(column).collect();
            let mut columns = Columns::new(all.len(), all.len().div_ceil(2));
            columns.restore(kept.into_iter().map(|(column, shown, width)| ColumnChoice { column, shown, width }));
            for (at, what, width) in keys {
                match what {
                    0 => { columns.toggle(at); }
                    1 => { columns.shift(at, true); }
                    2 => { columns.shift(at, false); }
                    3 => columns.resize(at, width),
                    _ => columns.reset(),
                }
            }
            let mut each: Vec<usize> = columns.choices().iter().map(|c| c.column).collect();
            each.sort_unstable();
            prop_assert_eq!(each, (0..all.len()).collect::<Vec<_>>(), "every column once");
            let shown = columns.shown().count();
            prop_assert!(shown >= 1);
            let widths = columns.widths(&all, &content, room);
            prop_assert_eq!(widths.len(), shown);
            let there = widths.iter().filter(|w| **w > 0).count();
            let taken = widths.iter().sum::<usize>() + there.saturating_sub(1);
            prop_assert!(taken <= room, "{:?} in {}", widths, room);
            prop_assert!(there >= 1 || room == 0, "{:?} in {}", widths, room);
        }
    }
}
