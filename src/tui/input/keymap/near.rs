//! What a person may have meant by a key that does nothing where it was pressed.

use super::{KeyMatch, Keymap, normal};
use crate::tui::prelude::*;
use crokey::{OneToThree, key};

/// Keys of other programs, and what they do there.
const HABITS: &[(KeyCombination, Action)] = &[
    (key!(insert), Action::Mark),
    (key!(ctrl - s), Action::Export),
    (key!(ctrl - e), Action::Export),
    (key!(ctrl - g), Action::GoToRow),
    (key!(ctrl - o), Action::Back),
    (key!(ctrl - q), Action::Quit),
    (key!(f3), Action::NextMatch),
    (key!(f10), Action::Quit),
];

impl Keymap {
    pub fn key_name(&self, pressed: KeyCombination) -> String {
        self.name(&[normal(pressed)])
    }

    /// An action near to a pressed key: another program's key, the other case, or the letter without ctrl or alt.
    pub fn near(&self, stack: &[KeyContext], pressed: KeyCombination) -> Option<Action> {
        let pressed = normal(pressed);
        let habit = HABITS.iter().find(|(key, _)| *key == pressed).map(|(_, action)| *action);
        if let Some(action) = habit.filter(|action| self.key(stack, *action).is_some()) {
            return Some(action);
        }
        let OneToThree::One(KeyCode::Char(letter)) = pressed.codes else { return None };
        let others = [
            (letter.to_ascii_lowercase(), KeyModifiers::NONE),
            (letter.to_ascii_uppercase(), KeyModifiers::SHIFT),
        ];
        others.into_iter().find_map(|(letter, modifiers)| {
            let other = KeyCombination::new(KeyCode::Char(letter), modifiers);
            match self.find(stack, &[normal(other)]) {
                KeyMatch::Action(action) => Some(action),
                KeyMatch::Beginning | KeyMatch::Nothing => None,
            }
        })
    }

    pub fn elsewhere(&self, pressed: KeyCombination) -> Option<(Vec<KeyContext>, Action)> {
        let chord = [normal(pressed)];
        let does = |context: KeyContext, action| self.find(&[context], &chord) == KeyMatch::Action(action);
        let mut lines =
            self.lines.iter().filter(|(context, action, _)| context.is_a_screen() && does(*context, *action));
        let (first, action, _) = lines.next()?;
        let others = lines.filter(|(_, other, _)| other == action).map(|(context, ..)| *context);
        Some(([*first].into_iter().chain(others).collect(), *action))
    }
}
