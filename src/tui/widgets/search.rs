//! The search of a list or a text: the box in which it is typed, and its matches.

use crate::domain::look_alike::unaccented;
use crate::tui::prelude::*;

/// The sign before the number of a row.
const NUMBER: &str = "#";

#[derive(Default)]
pub struct Search {
    field: TextField,
    is_open: bool,
    /// What was searched for before the box opened for a number: it counts until a number is typed.
    before: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Searched {
    /// The action belongs to the list.
    Nothing,
    /// The box was opened or closed, or its text has changed.
    Changed,
    /// Go to the next match, or to the previous one.
    Step { forward: bool },
}

impl Search {
    pub fn over(&self) -> Option<Vec<KeyContext>> {
        self.is_open.then(|| KeyContext::Prompt.in_field())
    }

    /// Whether an action would leave the box of a small popup for another tab. There it does nothing.
    pub fn keeps(&self, action: Action) -> bool {
        self.is_open && matches!(action, Action::NextTab | Action::PreviousTab)
    }

    /// Opens the box for the number of a row, as a list shows it. Nothing else changes before a number is typed.
    pub fn open_for_number(&mut self) {
        if !self.field.value().trim().starts_with(NUMBER) {
            self.before = self.field.value().to_owned();
        }
        self.field.set(NUMBER);
        self.is_open = true;
    }

    fn lacks_number(&self) -> bool {
        self.field.value().trim() == NUMBER
    }

    /// Closes the box. Without a number, the search is as before.
    fn close(&mut self) {
        self.is_open = false;
        if self.lacks_number() {
            self.field.set(&std::mem::take(&mut self.before));
        }
    }

    fn clear(&mut self) {
        self.field.clear();
        self.before.clear();
    }

    /// In lower case, without accents. `None` if nothing is searched for.
    pub fn text(&self) -> Option<String> {
        self.typed().map(|text| unaccented(&text))
    }

    pub fn typed(&self) -> Option<String> {
        let text = if self.lacks_number() { self.before.as_str() } else { self.field.value() };
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    pub fn value(&self) -> &str {
        self.field.value()
    }

    /// Whether a text contains what is searched for. Without a search, every text does.
    pub fn finds(&self, text: &str) -> bool {
        self.text().is_none_or(|wanted| unaccented(text).contains(&wanted))
    }

    /// Back closes the box first, and then ends the search.
    pub fn on_action(&mut self, action: Action) -> Searched {
        match action {
            // The next text replaces the old one: it is for the next caller, or the next row.
            Action::Search => {
                self.field.select();
                self.is_open = true;
            }
            Action::Accept | Action::Back if self.is_open => self.close(),
            Action::ClearField if self.is_open => self.clear(),
            Action::Back if self.text().is_some() => self.clear(),
            Action::NextMatch | Action::PreviousMatch => {
                return Searched::Step { forward: action == Action::NextMatch };
            }
            _ => return Searched::Nothing,
        }
        Searched::Changed
    }

    /// Handles an action in a list that shows only matches. Returns the action for the list: the next match is the
    /// next row. `None` if the text may have changed.
    pub fn on_action_of_matches(&mut self, action: Action) -> Option<Action> {
        match self.on_action(action) {
            Searched::Changed => None,
            Searched::Step { forward: true } => Some(Action::Down),
            Searched::Step { forward: false } => Some(Action::Up),
            Searched::Nothing => Some(action),
        }
    }

    /// Handles an action in a list that shows all its rows: the cursor goes to matches.
    pub fn act_in(&mut self, action: Action, cursor: &mut ListCursor, texts: &[String]) -> bool {
        match self.on_action(action) {
            Searched::Nothing => return false,
            Searched::Changed => {}
            Searched::Step { forward } => self.go(cursor, forward, false, texts),
        }
        true
    }

    pub fn type_in(&mut self, key: KeyEvent, cursor: &mut ListCursor, texts: &[String]) -> bool {
        let changed = self.on_text_key(key);
        if changed {
            self.go(cursor, true, true, texts);
        }
        changed
    }

    pub fn paste_in(&mut self, text: &str, cursor: &mut ListCursor, texts: &[String]) -> bool {
        let is_open = self.on_paste(text);
        if is_open {
            self.go(cursor, true, true, texts);
        }
        is_open
    }

    fn go(&self, cursor: &mut ListCursor, forward: bool, here: bool, texts: &[String]) {
        let found = self.next(cursor.at(), texts.len(), forward, here, |place| self.finds(&texts[place]));
        cursor.select(found.unwrap_or(cursor.at()));
    }

    pub fn titled(&self, title: &str, cx: &UiContext) -> String {
        if !self.is_open && self.text().is_none() {
            return title.to_owned();
        }
        let cursor = if self.is_open { cx.glyphs.cursor } else { "" };
        format!("{title}  /{}{cursor}", crate::domain::text::scrub(self.field.value()))
    }

    pub fn on_text_key(&mut self, key: KeyEvent) -> bool {
        self.is_open && self.field.on_text_key(key)
    }

    pub fn on_paste(&mut self, text: &str) -> bool {
        if self.is_open {
            self.field.on_paste(text);
        }
        self.is_open
    }

    /// The next place with a match after `from`, around the end. With `here`, `from` itself counts.
    pub fn next(
        &self,
        from: usize,
        all: usize,
        forward: bool,
        here: bool,
        is_match: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        if all == 0 || self.text().is_none() {
            return None;
        }
        let steps = usize::from(!here)..all + usize::from(!here);
        let place = |step: usize| (if forward { from + step } else { from + all - step }) % all;
        steps.map(place).find(|place| is_match(*place))
    }

    /// The line of the search, in place of a heading. `None` without a search.
    pub fn line(&self, columns: usize, cx: &UiContext) -> Option<Line<'static>> {
        if !self.is_open && self.text().is_none() {
            return None;
        }
        let mut spans = vec![Span::styled("  /", cx.theme.strong()), cx.cursor(self.is_open)];
        if self.is_open {
            spans.extend(self.field.spans(columns.saturating_sub(5).min(40), true, cx));
        } else {
            let text = crate::domain::text::scrub(self.field.value().trim()).into_owned();
            spans.push(Span::styled(text, cx.theme.strong()));
        }
        Some(Line::from(spans))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_found_around_the_end() {
        let search = Search { field: TextField::with("B"), ..Search::default() };
        let lines = ["b", "a", "ab", "c"];
        let next =
            |from, forward, here| search.next(from, lines.len(), forward, here, |at| search.finds(lines[at]));
        assert_eq!(next(0, true, false), Some(2));
        assert_eq!(next(2, true, false), Some(0));
        assert_eq!(next(2, false, false), Some(0));
        assert_eq!(next(0, false, false), Some(2));
        assert_eq!(next(2, true, true), Some(2));
        assert_eq!(Search::default().next(0, 4, true, true, |_| true), None);
        let name = Search { field: TextField::with("Zoe"), ..Search::default() };
        assert!(name.finds("ZOË Ångström") && !name.finds("Zo"), "accents do not count");
        assert_eq!(search.next(0, 0, true, true, |_| true), None);
    }

    #[test]
    fn a_box_that_opens_again_has_its_old_text_selected() {
        let mut search = Search { field: TextField::with("파이"), ..Search::default() };
        search.on_action(Action::Search);
        assert_eq!(search.typed().as_deref(), Some("파이"), "it counts until something is typed");
        search.on_paste("x");
        assert_eq!(search.typed().as_deref(), Some("x"));
        search.on_action(Action::Accept);
        search.on_action(Action::Search);
        search.on_text_key(KeyEvent::from(KeyCode::End));
        search.on_paste("y");
        assert_eq!(search.typed().as_deref(), Some("xy"), "a movement keeps it");
    }

    #[test]
    fn a_sign_without_a_number_changes_no_search() {
        for before in ["", "h77"] {
            let searched = (!before.is_empty()).then(|| before.to_owned());
            let mut search = Search { field: TextField::with(before), ..Search::default() };
            search.open_for_number();
            search.open_for_number();
            assert!(search.over().is_some());
            assert_eq!(search.typed(), searched);
            assert_eq!(search.on_action(Action::Back), Searched::Changed);
            assert_eq!((search.value(), search.typed()), (before, searched));
            assert!(search.over().is_none());
            search.open_for_number();
            search.on_paste("30");
            search.on_action(Action::Accept);
            assert_eq!(search.typed().as_deref(), Some("#30"));
            search.on_action(Action::Back);
            assert_eq!(search.typed(), None);
        }
    }
}
