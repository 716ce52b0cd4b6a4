//! The two menus of a heading: one for the sort column, one for the shown columns with their order and widths.

use crate::api::Direction;
use crate::tui::prelude::*;
use crate::tui::widgets::table_header::{Heading, HeadingOutcome, SortOrder};

/// Maximum width of a menu in columns. It covers the whole list, so that no cell is cut beside it.
const WIDEST: u16 = u16::MAX;

#[derive(Clone, Copy)]
pub(super) enum HeadingMenu {
    Sort(Direction),
    Columns,
}

impl Heading {
    pub fn over(&self) -> Option<Vec<KeyContext>> {
        let menu = match self.menu? {
            HeadingMenu::Sort(_) => KeyContext::SortMenu,
            HeadingMenu::Columns => KeyContext::ColumnMenu,
        };
        Some(self.search.over().unwrap_or_else(|| menu.in_popup()))
    }

    pub fn close(&mut self) {
        self.menu = None;
        self.search = Search::default();
    }

    fn names(&self) -> Option<Vec<String>> {
        let title = |column: usize| tr(self.defs[column].title).to_owned();
        Some(match self.menu? {
            HeadingMenu::Sort(_) => {
                let own = tr(self.own_order).to_owned();
                std::iter::once(own).chain(self.sortable().into_iter().map(title)).collect()
            }
            HeadingMenu::Columns => {
                self.columns.choices().iter().map(|choice| title(choice.column)).collect()
            }
        })
    }

    pub fn on_text_key(&mut self, key: KeyEvent) -> bool {
        self.names().is_some_and(|names| self.search.type_in(key, &mut self.cursor, &names))
    }

    pub fn on_paste(&mut self, text: &str) -> bool {
        self.names().is_some_and(|names| self.search.paste_in(text, &mut self.cursor, &names))
    }

    /// Handles an action. While a menu is open, only its actions are handled. Otherwise only those that open a
    /// menu are handled.
    pub fn on_action(&mut self, action: Action, effects: &mut Effects<'_>) -> HeadingOutcome {
        let is_of_search = self.names().is_some_and(|names| {
            self.search.keeps(action) || self.search.act_in(action, &mut self.cursor, &names)
        });
        if is_of_search {
            return HeadingOutcome::Something;
        }
        match (self.menu, action) {
            (Some(HeadingMenu::Sort(direction)), _) => self.act_sort(action, direction),
            (Some(HeadingMenu::Columns), _) => self.act_columns(action, effects),
            (None, Action::Sort) => {
                let place = |order: SortOrder| self.sortable().iter().position(|c| *c == order.column);
                let (at, direction) = self.order.map_or((0, Direction::Asc), |order| {
                    (place(order).map_or(0, |place| place + 1), order.direction)
                });
                (self.menu, self.cursor) = (Some(HeadingMenu::Sort(direction)), ListCursor::new(at));
                HeadingOutcome::Something
            }
            (None, Action::ChooseColumns) => {
                (self.menu, self.cursor) = (Some(HeadingMenu::Columns), ListCursor::default());
                HeadingOutcome::Something
            }
            (None, _) => HeadingOutcome::Nothing,
        }
    }

    /// `None` if no menu is open.
    pub(in crate::tui) fn on_click(&mut self, at: Position) -> Option<Clicked> {
        let choose = match self.menu? {
            HeadingMenu::Sort(_) => Action::Accept,
            HeadingMenu::Columns => Action::Toggle,
        };
        Some(self.cursor.on_click(at, choose))
    }

    /// The columns to sort by: the shown ones, and the current sort column.
    fn sortable(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = self.columns.shown().collect();
        columns.extend(self.order.map(|o| o.column).filter(|c| !columns.contains(c)));
        columns
    }

    fn act_sort(&mut self, action: Action, direction: Direction) -> HeadingOutcome {
        let sortable = self.sortable();
        match action {
            Action::ToggleDirection => {
                self.menu = Some(HeadingMenu::Sort(match direction {
                    Direction::Asc => Direction::Desc,
                    Direction::Desc => Direction::Asc,
                }));
            }
            Action::Accept => {
                self.close();
                // The first choice is no sort order; the columns follow.
                let column = self.cursor.at().checked_sub(1).and_then(|at| sortable.get(at)).copied();
                return HeadingOutcome::Chose(column.map(|column| SortOrder { column, direction }));
            }
            Action::Back => self.close(),
            _ if self.cursor.on_menu_action(action, sortable.len() + 1) => {}
            _ => return HeadingOutcome::Nothing,
        }
        HeadingOutcome::Something
    }

    fn act_columns(&mut self, action: Action, effects: &mut Effects<'_>) -> HeadingOutcome {
        let at = self.cursor.at();
        match action {
            Action::Back => {
                self.close();
                return HeadingOutcome::Something;
            }
            _ if self.cursor.on_menu_action(action, self.columns.choices().len()) => {
                return HeadingOutcome::Something;
            }
            Action::Toggle if self.columns.choices().get(at).is_some_and(|c| self.columns.is_kept(c)) => {
                effects.say(t!("The filter shows this column."));
                return HeadingOutcome::Something;
            }
            Action::Toggle => {
                if !self.columns.toggle(at) {
                    effects.say(t!("At least one column must stay."));
                }
            }
            Action::ColumnLeft | Action::ColumnRight => {
                let at = self.columns.shift(at, action == Action::ColumnRight);
                self.cursor.select(at);
            }
            Action::Narrower | Action::Wider => self.resize(at, action == Action::Wider, effects),
            Action::ResetColumns => self.columns.reset(),
            _ => return HeadingOutcome::Nothing,
        }
        self.changes += 1;
        HeadingOutcome::Something
    }

    fn resize(&mut self, at: usize, wider: bool, effects: &mut Effects<'_>) {
        let widths = self.widths(self.room);
        let Some(choice) = self.columns.choices().get(at) else { return };
        if !self.columns.is_shown(choice) {
            effects.say(t!("This column is hidden, so its width cannot be changed."));
            return;
        }
        let place = self.columns.choices()[..at].iter().filter(|c| self.columns.is_shown(c)).count();
        let now = match widths.get(place) {
            Some(0) | None => choice.width.unwrap_or(self.defs[choice.column].layout.min_width),
            Some(now) => *now,
        };
        self.columns.resize(at, if wider { now + 1 } else { now.saturating_sub(1) });
    }

    /// Draws the open menu as a popup over the rows. The headings above show the effect of the menu; `widths` are
    /// their widths.
    pub fn draw_menu(&self, frame: &mut Frame<'_>, body: Rect, widths: &[usize], cx: &UiContext) {
        match self.menu {
            Some(HeadingMenu::Sort(direction)) => self.draw_sort(frame, body, cx, direction),
            Some(HeadingMenu::Columns) => self.draw_columns(frame, body, widths, cx),
            None => {}
        }
    }

    fn draw_sort(&self, frame: &mut Frame<'_>, body: Rect, cx: &UiContext, direction: Direction) {
        let arrow = match direction {
            Direction::Asc => format!("{} {}", cx.glyphs.up, t!("ascending")),
            Direction::Desc => format!("{} {}", cx.glyphs.down, t!("descending")),
        };
        let sortable = self.sortable();
        let titles = sortable.iter().map(|column| tr(self.defs[*column].title));
        let names = std::iter::once(tr(self.own_order)).chain(titles);
        let outer = popup::at_bottom(body, WIDEST, sortable.len() + 1);
        let title = self.search.titled(&format!("{}  {arrow}", t!("Sort by")), cx);
        let inner = popup::open(frame, outer, body, &title, cx);
        let (shown, rest) = self.cursor.lay_all(inner, sortable.len() + 1, cx);
        let mut lines = Vec::new();
        for (i, name) in names.enumerate().skip(shown.start).take(shown.len()) {
            let selected = i == self.cursor.at();
            let name = Span::styled(format!("{name} "), cx.theme.entry(selected));
            lines.push(Line::from(vec![Span::raw(" "), cx.cursor(selected), Span::raw(" "), name]));
        }
        lines.extend(rest);
        frame.render_widget(lines, inner);
    }

    fn draw_columns(&self, frame: &mut Frame<'_>, body: Rect, widths: &[usize], cx: &UiContext) {
        let names: usize = self.defs.iter().map(|def| width(tr(def.title))).max().unwrap_or(0);
        let choices = self.columns.choices();
        let mut places = widths.iter().copied();
        let wide: Vec<Option<usize>> =
            choices.iter().map(|c| self.columns.is_shown(c).then(|| places.next().unwrap_or(0))).collect();
        let left_out = self.hidden(widths) > 0;
        let outer = popup::at_bottom(body, WIDEST, choices.len() + usize::from(left_out));
        let title = self.search.titled(t!("Columns, from left (top) to right (bottom)"), cx);
        let inner = popup::open(frame, outer, body, &title, cx);
        let rows = Rect { height: inner.height.saturating_sub(u16::from(left_out)), ..inner };
        let (shown, rest) = self.cursor.lay_all(rows, choices.len(), cx);
        let mut lines = Vec::new();
        for (i, choice) in choices.iter().enumerate().skip(shown.start).take(shown.len()) {
            let selected = i == self.cursor.at();
            let sign = if self.columns.is_shown(choice) { "[x]" } else { "[ ]" };
            let name = fit(tr(self.defs[choice.column].title), names, cx.glyphs.ellipsis);
            let (note, note_style) = match wide.get(i).copied().flatten() {
                Some(0) if self.is_needless(choice) => {
                    (t!("same on every row, so hidden").to_owned(), cx.theme.dim())
                }
                Some(0) => (t!("hidden at this width").to_owned(), cx.theme.warning()),
                Some(wide) if choice.width.is_some() => (t!("{wide} wide, set by you", wide), cx.theme.dim()),
                Some(wide) => (t!("{wide} wide", wide), cx.theme.dim()),
                None => (String::new(), cx.theme.dim()),
            };
            lines.push(Line::from(vec![
                Span::raw(" "),
                cx.cursor(selected),
                Span::raw(" "),
                Span::styled(format!("{sign} {name} "), cx.theme.entry(selected)),
                Span::styled(format!(" {note}"), note_style),
            ]));
        }
        lines.extend(rest);
        if left_out {
            let words = t!("In a narrow window, lapel hides the lowest columns.");
            lines.push(Line::styled(format!(" {words}"), cx.theme.dim()));
        }
        frame.render_widget(lines, inner);
    }
}
