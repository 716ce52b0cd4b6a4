//! The heading of a list with columns: the shown columns with order and width, the sort order, and the two menus
//! that change them. Every list with columns has one. How the rows get sorted is up to the list.

mod menus;

use crate::api::Direction;
use crate::tui::persist::saved_layout::{ColumnView, ListView, SortView};
use crate::tui::prelude::*;
use crate::tui::widgets::columns::{ColumnChoice, Columns, grow};
use crate::tui::widgets::text_layout::{ColumnLayout, cells};
use menus::HeadingMenu;

/// The widest column that its content alone makes, in cells. Longer content is cut.
const WIDEST: usize = 48;
pub const TO_MINUTE: usize = 16;
/// The part of the cells that fit into their column, in percent: as many as there is room for, and always.
const ENOUGH: [Share; 4] = [Share::of(100), Share::of(99), Share::of(97), Share::of(95)];
const LEAST: Share = Share { percent: 95, has_reasons: false };
const REASONS: &str = "why";
/// Cells for a preview that no column takes from it to show all of its content.
const PREVIEW: usize = 72;

#[derive(Clone, Copy)]
struct Share {
    percent: u64,
    /// Whether every reason is whole: few rows have one, and those are the ones to read.
    has_reasons: bool,
}

impl Share {
    const fn of(percent: u64) -> Self {
        Self { percent, has_reasons: true }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ColumnDef {
    /// The field that the column shows and sorts by, with its name in the contract if it has one.
    pub key: &'static str,
    /// Marked for translation.
    pub title: &'static str,
    pub layout: ColumnLayout,
    /// Whether it is aligned right: a number.
    pub right: bool,
    /// Whether its cells are times to the minute, which lose a year that they all share with today.
    pub is_time: bool,
    /// Whether it says what a row is about. Its cells are never cut in favour of others.
    pub is_state: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortOrder {
    pub column: usize,
    pub direction: Direction,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SortKey {
    /// No value: sorts before all others.
    None,
    Number(i64),
    /// Text, in lower case.
    Text(String),
}

impl SortKey {
    pub fn text(text: Option<&str>) -> Self {
        text.map_or(Self::None, |text| Self::Text(text.to_lowercase()))
    }

    /// The key of an optional time. Service times sort as text.
    pub fn time(time: Option<&crate::domain::ServiceTime>) -> Self {
        time.map_or(Self::None, |t| Self::Text(t.raw().wire().to_owned()))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadingOutcome {
    Nothing,
    Something,
    /// The user chose this order, or none. The caller sets it with [`Heading::set_order`].
    Chose(Option<SortOrder>),
}

#[derive(Default)]
pub struct Heading {
    /// All columns, in order. Each column shows a different field.
    defs: Vec<ColumnDef>,
    own_order: &'static str,
    own: Vec<ColumnLayout>,
    columns: Columns,
    order: Option<SortOrder>,
    menu: Option<HeadingMenu>,
    search: Search,
    cursor: ListCursor,
    /// The cells of a row on the screen.
    room: usize,
    /// How many cells of each column have which width, of the rows that were read. Empty before any was read.
    content: Vec<[u32; WIDEST + 1]>,
    /// A column, and the cells that it takes where no other column needs them.
    wish: Option<(usize, usize)>,
    /// The years in each column of times, of the rows that were read.
    years: Vec<BTreeSet<String>>,
    /// The current year when rows were last read, as their times begin.
    this_year: String,
    changes: u64,
}

impl Heading {
    /// The heading of a list with these columns, of which the first `default_columns` are shown by default.
    pub fn new(
        defs: impl IntoIterator<Item = ColumnDef>,
        default_columns: usize,
        own_order: &'static str,
    ) -> Self {
        let defs: Vec<ColumnDef> = defs.into_iter().collect();
        Self {
            own: defs.iter().map(|def| def.layout).collect(),
            columns: Columns::new(defs.len(), default_columns),
            defs,
            own_order,
            ..Self::default()
        }
    }

    /// Whether everything is the default and no menu is open. A list that shows no headings by default can then
    /// hide them.
    pub fn is_default(&self) -> bool {
        self.columns.is_default() && self.order.is_none() && self.menu.is_none()
    }

    /// `None` for the list's own order.
    pub fn order(&self) -> Option<SortOrder> {
        self.order
    }

    pub fn set_order(&mut self, order: Option<SortOrder>) {
        self.changes += u64::from(self.order != order);
        self.order = order;
    }

    /// How often the result of [`Heading::view`] has changed.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Sets the fields whose columns are shown in any case and not dropped when the room is short.
    pub fn keep(&mut self, fields: &[&str]) {
        self.columns.keep(fields.iter().filter_map(|field| self.column(field)).collect());
    }

    pub fn set_room(&mut self, room: usize) {
        self.room = room;
    }

    /// Sets the columns with their default widths, if those depend on the rows or on the room. A column with a
    /// minimum of 0 is hidden until the user sets its width.
    pub fn set_own(&mut self, own: Vec<ColumnLayout>) {
        self.own = own;
    }

    /// The widths of the shown columns, in order; 0 for a column without room.
    pub fn widths(&self, room: usize) -> Vec<usize> {
        if self.content.is_empty() {
            return self.widths_for(LEAST, room);
        }
        let whole = self.widths_with_plenty(ENOUGH[0]);
        let fits = |widths: &[usize]| row_cells(widths) <= room + 1;
        let others = || ENOUGH.iter().skip(1).find(|share| fits(&self.widths_with_plenty(**share)));
        let share = if fits(&whole) { ENOUGH[0] } else { *others().unwrap_or(&LEAST) };
        let mut widths = self.widths_for(share, room);
        // A cell before the scroll position stays empty.
        let used = widths.iter().filter(|width| **width > 0).map(|width| width + 1).sum::<usize>();
        grow(&mut widths, &self.with_wish(whole), room.saturating_sub(used));
        widths
    }

    pub fn cuts(&self, column: usize, cells: usize) -> bool {
        self.width_of(column, &self.widths(self.room)) < cells
    }

    /// The widths of the shown columns, so that this part of the cells fits, where there is plenty of room.
    fn widths_with_plenty(&self, share: Share) -> Vec<usize> {
        self.widths_for(share, usize::from(u16::MAX))
    }

    fn with_wish(&self, mut all: Vec<usize>) -> Vec<usize> {
        if let Some((column, cells)) = self.wish
            && let Some(place) = self.columns.shown().position(|shown| shown == column)
            && let Some(width) = all.get_mut(place).filter(|width| **width > 0)
        {
            *width = cells.max(*width);
        }
        all
    }

    /// The widths of the shown columns, so that this part of the cells fits into their column.
    fn widths_for(&self, share: Share, room: usize) -> Vec<usize> {
        // The sorted column has an arrow behind its title.
        let arrow = |at: usize| usize::from(self.order.is_some_and(|order| order.column == at));
        let titles = self.defs.iter().enumerate().map(|(at, def)| width(tr(def.title)) + arrow(at));
        let titles: Vec<usize> = titles.collect();
        let titled = |(own, title): (&ColumnLayout, &usize)| match own.min_width {
            0 => *own,
            least => ColumnLayout { min_width: least.max(*title), ..*own },
        };
        let all: Vec<ColumnLayout> = self.own.iter().zip(&titles).map(titled).collect();
        let content: Vec<usize> = self
            .content
            .iter()
            .zip(&self.defs)
            .enumerate()
            .map(|(at, (cells, def))| {
                let year = if self.drops_year(at) { self.this_year.len() } else { 0 };
                // A number that is cut looks like another one, and a state is what the row is about.
                let is_whole = def.right || def.is_state || (share.has_reasons && def.key == REASONS);
                let percent = if is_whole { 100 } else { share.percent };
                width_for(cells, percent).saturating_sub(year).max(titles[at])
            })
            .collect();
        self.columns.widths(&all, &content, room)
    }

    /// The cells that a row takes when no content is cut, or as many of them as leave plenty of the `screen` to a
    /// preview, but at least those for nearly all content and every reason; `None` if the content is not known.
    pub fn wanted(&self, screen: u16) -> Option<usize> {
        if self.content.is_empty() {
            return None;
        }
        let least = row_cells(&self.widths_with_plenty(ENOUGH[ENOUGH.len() - 1]));
        let all = row_cells(&self.with_wish(self.widths_with_plenty(ENOUGH[0])));
        Some(all.min(usize::from(screen).saturating_sub(PREVIEW)).max(least))
    }

    /// Notes a wide form of a cell, which is shown where no other column needs the room.
    pub fn wish(&mut self, column: usize, cells: usize) {
        let before = self.wish.filter(|(of, _)| *of == column).map_or(0, |(_, cells)| cells);
        self.wish = Some((column, before.max(cells)));
    }

    /// Notes the widths of a row's cells. Empty ones do not count: many of them would make a column too narrow for the
    /// few others.
    pub fn fit(&mut self, cells: &[(String, Style)], cx: &UiContext) {
        self.content.resize(self.defs.len(), [0; WIDEST + 1]);
        self.years.resize(self.defs.len(), BTreeSet::new());
        self.this_year = cx.now().strftime("%Y-").to_string();
        for ((years, def), (text, _)) in self.years.iter_mut().zip(&self.defs).zip(cells) {
            if def.is_time
                && let Some(year) = year_of(text)
                && !years.contains(year)
            {
                years.insert(year.to_owned());
            }
        }
        for (widths, (text, _)) in self.content.iter_mut().zip(cells) {
            let is_empty = text.is_empty() || text == cx.glyphs.dash;
            if let Some(count) = widths.get_mut(width(text).min(WIDEST)).filter(|_| !is_empty) {
                *count += 1;
            }
        }
    }

    pub fn forget_content(&mut self) {
        self.content.clear();
        self.wish = None;
        self.years.clear();
    }

    /// Whether all times of a column are of this year, so that none of them shows it.
    fn drops_year(&self, column: usize) -> bool {
        self.years.get(column).is_some_and(|years| years.iter().eq([&self.this_year]))
    }

    /// The width of a column in the result of [`Heading::widths`]; 0 if it is hidden.
    pub fn width_of(&self, column: usize, widths: &[usize]) -> usize {
        let place = self.columns.shown().position(|shown| shown == column);
        place.and_then(|place| widths.get(place)).copied().unwrap_or(0)
    }

    /// The shown columns that have room.
    pub fn with_room(&self, widths: &[usize]) -> Vec<usize> {
        let shown = self.columns.shown().zip(widths).filter(|(_, width)| **width > 0);
        shown.map(|(column, _)| column).collect()
    }

    /// The number of shown columns that have no room.
    pub fn hidden(&self, widths: &[usize]) -> usize {
        let shown = self.columns.choices().iter().filter(|choice| self.columns.is_shown(choice));
        shown.zip(widths).filter(|(choice, width)| **width == 0 && !self.is_needless(choice)).count()
    }

    /// Whether a column has the same text on every row, so that it is hidden until the user sets its width.
    fn is_needless(&self, choice: &ColumnChoice) -> bool {
        choice.width.is_none() && self.own.get(choice.column).is_some_and(|own| own.min_width == 0)
    }

    /// The line of headings after `indent` cells, with an arrow at the sorted column. `+2` at its end says that two columns
    /// have no room; where the last title leaves no room for the number, it is a `+`.
    pub fn line(&self, widths: &[usize], indent: usize, cx: &UiContext) -> Line<'static> {
        let title = |(column, def): (usize, &ColumnDef)| {
            let arrow = self.order.filter(|o| o.column == column).map_or("", |o| match o.direction {
                Direction::Asc => cx.glyphs.up,
                Direction::Desc => cx.glyphs.down,
            });
            (format!("{}{arrow}", tr(def.title)), cx.theme.dim())
        };
        let titles = self.defs.iter().enumerate().map(title).collect();
        let mut spans = vec![Span::raw(" ".repeat(indent))];
        spans.extend(self.cells(titles, widths, cx));
        let hidden = self.hidden(widths);
        if hidden > 0
            && let Some(last) = spans.last_mut()
        {
            // A cell before the scroll position is free.
            let (title, room) = (last.content.trim_end().to_owned(), width(&last.content) + 1);
            let number = format!(" +{hidden}");
            let sign = if width(&title) + width(&number) <= room { number.trim_start() } else { "+" };
            last.content = format!("{}{sign}", fit(&title, room.saturating_sub(width(sign)), "")).into();
        }
        Line::from(spans)
    }

    /// The shown cells of a row. `all` has one cell per column of the list.
    pub fn cells(
        &self,
        mut all: Vec<(String, Style)>,
        widths: &[usize],
        cx: &UiContext,
    ) -> Vec<Span<'static>> {
        for (column, room) in self.columns.shown().zip(widths) {
            if self.drops_year(column)
                && let Some((text, _)) = all.get_mut(column)
                && year_of(text) == Some(self.this_year.as_str())
            {
                text.drain(..self.this_year.len());
            }
            if self.defs.get(column).is_some_and(|def| def.right)
                && let Some((text, _)) = all.get_mut(column)
            {
                text.insert_str(0, &" ".repeat(room.saturating_sub(width(text))));
            }
        }
        let shown = self.columns.shown().filter_map(|column| all.get_mut(column).map(std::mem::take));
        let shown: Vec<(String, Style)> = shown.collect();
        cells(&shown, widths, cx.glyphs.ellipsis)
    }

    /// `None` for the list's own order.
    pub fn words(&self) -> Option<String> {
        Some(self.words_of(self.order?))
    }

    /// Example: `by holder`.
    pub fn words_of(&self, order: SortOrder) -> String {
        let title = self.defs.get(order.column).map_or("", |def| tr(def.title));
        t!("by {column}", column = title.to_lowercase())
    }

    /// The sort field, and whether the largest value comes first.
    pub fn sorted_by(&self) -> Option<(&'static str, bool)> {
        let order = self.order?;
        Some((self.defs.get(order.column)?.key, order.direction == Direction::Desc))
    }

    pub fn order_by(&self, field: &str, descending: bool) -> Option<SortOrder> {
        let direction = if descending { Direction::Desc } else { Direction::Asc };
        Some(SortOrder { column: self.column(field)?, direction })
    }

    fn column(&self, field: &str) -> Option<usize> {
        self.defs.iter().position(|def| def.key == field)
    }

    pub fn view(&self) -> ListView {
        let columns = if self.columns.is_default() { &[] } else { self.columns.choices() };
        let column = |choice: &ColumnChoice| {
            let field = self.defs.get(choice.column)?.key.to_owned();
            Some(ColumnView { field, shown: choice.shown, width: choice.width })
        };
        let sort =
            self.sorted_by().map(|(field, descending)| SortView { field: field.to_owned(), descending });
        ListView { columns: columns.iter().filter_map(column).collect(), sort, filter: Vec::new() }
    }

    /// Restores the columns of a saved layout and returns its sort order. Unknown fields are left out.
    pub fn restore(&mut self, view: &ListView) -> Option<SortOrder> {
        if !view.columns.is_empty() {
            let choices = view.columns.iter().filter_map(|kept| {
                Some(ColumnChoice { column: self.column(&kept.field)?, shown: kept.shown, width: kept.width })
            });
            let choices: Vec<ColumnChoice> = choices.collect();
            self.columns.restore(choices);
        }
        view.sort.as_ref().and_then(|sort| self.order_by(&sort.field, sort.descending))
    }

    /// The same for a list that sorts by itself. A heading that the user has changed meanwhile keeps its layout.
    pub fn restore_all(&mut self, view: &ListView) {
        if self.changes == 0 {
            let order = self.restore(view);
            self.set_order(order);
        }
    }
}

/// The cells of a row with columns of these widths, and one more behind each.
fn row_cells(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + widths.len()
}

/// The year of a time to the minute, with its dash: `2026-`. `None` for any other text.
fn year_of(text: &str) -> Option<&str> {
    let shape = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        10 => byte == b' ',
        13 => byte == b':',
        _ => byte.is_ascii_digit(),
    };
    (text.len() == TO_MINUTE && text.bytes().enumerate().all(shape)).then(|| &text[..5])
}

/// The width that is enough for this percentage of the cells: where room is short, a few long names do not widen a
/// column for all others.
fn width_for(cells: &[u32; WIDEST + 1], percent: u64) -> usize {
    let all: u32 = cells.iter().sum();
    let mut narrower = 0;
    cells
        .iter()
        .position(|count| {
            narrower += count;
            u64::from(narrower) * 100 >= u64::from(all) * percent
        })
        .unwrap_or(WIDEST)
}

pub fn compare(a: &SortKey, b: &SortKey, direction: Direction) -> std::cmp::Ordering {
    match direction {
        Direction::Asc => a.cmp(b),
        Direction::Desc => b.cmp(a),
    }
}

#[cfg(test)]
mod tests;
