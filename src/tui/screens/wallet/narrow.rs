//! `/` in the list: it narrows the listed badges or possible matches, as a state does. A text that is in none of them is looked up, so
//! that the next address or name can be typed there too.

use super::Wallet;
use super::people::PeopleMatches;
use super::wallet_list::WalletList;
use crate::domain::StateIs;
use crate::domain::address_search::Match;
use crate::tui::prelude::*;
use crate::tui::widgets::search::{Search, Searched};

impl Wallet {
    /// Returns whether an action belonged to the search.
    pub(super) fn act_search(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        if self.input.typing {
            return false;
        }
        let list = &mut self.lookup.list;
        // Keys that came together may have changed the text since the rows were arranged.
        list.arrange(cx);
        match action {
            Action::Search if list.len() == 0 => self.focus_box(),
            Action::Accept if list.search.over().is_some() && list.finds_nothing() => {
                let text = list.search.typed().unwrap_or_default();
                list.end_search();
                self.input.typing = true;
                self.look_up_name(&text, effects);
            }
            _ => return list.act_search(action, cx),
        }
        true
    }
}

impl WalletList {
    fn act_search(&mut self, action: Action, cx: &UiContext) -> bool {
        match self.search.on_action(action) {
            Searched::Nothing => return false,
            Searched::Changed => {
                if self.search.over().is_none() && self.finds_nothing() {
                    self.end_search();
                }
                self.unsearched = true;
                self.arrange(cx);
            }
            // Only what fits is listed.
            Searched::Step { forward } => {
                let action = if forward { Action::Down } else { Action::Up };
                self.cursor.on_action(action, self.len());
            }
        }
        true
    }

    /// Lists only the badges of the next state that there is, and after the last all of them.
    pub(super) fn only_next(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        if self.is_choosing() || self.held().is_empty() {
            effects.say(t!("There are no badges here to filter by their state."));
            return;
        }
        let Some(view) = self.as_rows(cx) else { return };
        let is_there = |one: &StateIs| self.held().iter().any(|held| one.fits(&held.verdict(view.now)));
        let mut there = StateIs::ALL.into_iter().filter(is_there);
        if let Some(now) = self.only {
            there.find(|one| *one == now);
        }
        self.only = there.next();
        self.unsearched = true;
        self.arrange(cx);
    }

    /// For another list.
    pub(super) fn end_search(&mut self) {
        self.search = Search::default();
        self.fitting = None;
        self.unsorted = true;
    }

    /// For another list that an answer brings. A text that is being typed narrows that list then.
    pub(super) fn leave_search(&mut self) {
        if self.search.over().is_none() {
            return self.end_search();
        }
        self.fitting = None;
        self.unsorted = true;
    }

    pub(super) fn type_in_search(&mut self, key: KeyEvent) -> bool {
        let changed = self.search.on_text_key(key);
        self.unsearched |= changed;
        changed
    }

    pub(super) fn paste_in_search(&mut self, text: &str) -> bool {
        let is_open = self.search.on_paste(text);
        self.unsearched |= is_open;
        is_open
    }

    /// Whether no row contains the text. All rows are listed then.
    pub(super) fn finds_nothing(&self) -> bool {
        self.search.text().is_some() && self.fitting.is_none()
    }

    /// The places of the rows that contain the text and have the state. `None` without both, or if there is no such row.
    pub(super) fn find_fitting(&self, cx: &UiContext) -> Option<Vec<usize>> {
        let (wanted, only) = (self.search.text(), self.only.filter(|_| !self.is_choosing()));
        if wanted.is_none() && only.is_none() {
            return None;
        }
        let contains = |text: &str| wanted.as_ref().is_none_or(|wanted| text.contains(wanted));
        let fitting: Vec<usize> = if let Some(people) = self.choice() {
            let fits = |one: &Match| PeopleMatches::texts(one, cx).iter().any(|text| self.search.finds(text));
            (0..people.matches.len()).filter(|at| people.matches.get(*at).is_some_and(fits)).collect()
        } else {
            let view = self.as_rows(cx)?;
            let found = self.found.as_ref().filter(|_| wanted.is_some());
            let texts = found.map(|found| found.searched(&view, cx));
            let has_text = |index: &usize| {
                texts.as_ref().is_none_or(|all| all.get(*index).is_some_and(|text| contains(text)))
            };
            let has_state = |index: usize| match (only, self.held().get(index)) {
                (Some(only), Some(held)) => only.fits(&held.verdict(view.now)),
                _ => true,
            };
            let fits = |place: &usize| self.index(*place).filter(has_text).is_some_and(has_state);
            (0..self.held().len()).filter(fits).collect()
        };
        (!fitting.is_empty()).then_some(fitting)
    }

    /// What the list is narrowed to, or what the text would do.
    pub(super) fn search_note(&self, cx: &UiContext) -> Option<String> {
        let Some(text) = self.search.typed() else {
            let only = self.only.filter(|_| self.fitting.is_some())?;
            return Some(t!(
                "Only {state}: {rows} of {all} rows. {key} shows the next state, {esc} shows all.",
                state = tr(only.verdict_word()),
                rows = number(self.len() as u64),
                all = number(self.all() as u64),
                key = cx.key(&[KeyContext::Wallet], Action::Only),
                esc = cx.key(&[KeyContext::Wallet, KeyContext::Global], Action::Back)
            ));
        };
        let is_open = self.search.over().is_some();
        let stack: &[KeyContext] =
            if is_open { &[KeyContext::Prompt] } else { &[KeyContext::Wallet, KeyContext::Global] };
        let key = |action| cx.key(stack, action);
        Some(if self.finds_nothing() {
            t!(
                "No row here contains \u{201c}{text}\u{201d}. {enter} looks it up.",
                text = short(&text),
                enter = key(Action::Accept)
            )
        } else {
            let (rows, all) = (number(self.len() as u64), number(self.all() as u64));
            let mut found =
                t!("{rows} of {all} rows contain \u{201c}{text}\u{201d}.", rows, all, text = short(&text));
            if let Some(only) = self.only {
                found = format!("{}: {found}", tr(only.word()));
            }
            if is_open {
                found
            } else {
                format!("{found} {}", t!("{esc} shows all.", esc = key(Action::Back)))
            }
        })
    }
}
