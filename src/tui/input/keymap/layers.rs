//! The layers of the keymap: default keys, the keys of a preset, and the lines of `keys.toml`. A later layer takes
//! keys from an earlier one, so that a new default key never breaks a file that a person wrote before.

use super::{Bound, Chord, DEFAULT, Keymap, default_lines, parse};
use crate::config::KeymapPreset;
use crate::tui::prelude::*;

/// A later source takes keys from an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BindingSource {
    Default,
    Preset,
    File(usize),
}

impl BindingSource {
    pub(super) fn line(self) -> Option<usize> {
        if let Self::File(n) = self { Some(n) } else { None }
    }

    fn layer(self) -> Self {
        self.line().map_or(self, |_| Self::File(0))
    }
}

/// A key that a preset adds to an action in some contexts.
type Addition = (&'static [KeyContext], Action, &'static str);

/// What vim has and the default keys lack. Nothing here sends, revokes or deletes.
const VIM: &[Addition] = &[
    (
        &[KeyContext::List, KeyContext::Filters, KeyContext::Json, KeyContext::Requests, KeyContext::Help],
        Action::First,
        "g g",
    ),
    (&[KeyContext::Json, KeyContext::Requests, KeyContext::Help], Action::PageDown, "ctrl-f"),
    (
        &[KeyContext::List, KeyContext::Badge, KeyContext::Json, KeyContext::Requests, KeyContext::Help],
        Action::PageUp,
        "ctrl-b",
    ),
    (&[KeyContext::Global, KeyContext::Covering], Action::NextTab, "g t"),
    (&[KeyContext::Global, KeyContext::Covering], Action::PreviousTab, "g T"),
];

fn additions(preset: KeymapPreset) -> &'static [Addition] {
    match preset {
        KeymapPreset::Default => &[],
        KeymapPreset::Vim => VIM,
    }
}

/// Whether one chord equals, begins or extends the other, so that only one of them can work.
pub(super) fn clash(one: &Chord, two: &Chord) -> bool {
    one.starts_with(two) || two.starts_with(one)
}

pub(super) fn is_default(context: KeyContext, action: Action, chord: &Chord) -> bool {
    let mut keys =
        DEFAULT.iter().filter(|(c, a, _)| (*c, *a) == (context, action)).flat_map(|(.., keys)| *keys);
    keys.any(|key| parse(key).as_ref() == Some(chord))
}

/// Whether an action must keep a key: the palette does not offer it there.
pub(super) fn must_keep_a_key(context: KeyContext, action: Action) -> bool {
    // The palette does not open on the first screen.
    action.is_hand_work()
        || matches!(action, Action::Quit | Action::Help)
        || matches!(context, KeyContext::Welcome | KeyContext::Palette)
}

/// Keys that leave and accept everywhere. No line of a file takes them.
fn is_fixed(action: Action, chord: &Chord) -> bool {
    match action {
        Action::Back => parse("esc").as_ref() == Some(chord),
        Action::Accept => parse("enter").as_ref() == Some(chord),
        _ => false,
    }
}

pub(super) fn base(preset: KeymapPreset) -> (Vec<Bound>, Vec<BindingSource>) {
    let mut lines = default_lines();
    let mut from = vec![BindingSource::Default; lines.len()];
    for (contexts, action, key) in additions(preset) {
        let Some(chord) = parse(key) else { continue };
        for ((context, with_key, chords), from) in lines.iter_mut().zip(&mut from) {
            if with_key == action && contexts.contains(context) {
                chords.retain(|own| !clash(own, &chord));
                chords.push(chord.clone());
                *from = BindingSource::Preset;
            }
        }
    }
    (lines, from)
}

/// Gives every line the keys that it wants and that a line of an earlier layer has, in the same context or in one
/// that hides it. An action keeps its last key if the palette does not offer it.
pub(super) fn take(lines: &mut [Bound], from: &[BindingSource]) {
    for taker in 0..lines.len() {
        let (context, action, chords) = lines[taker].clone();
        if from[taker] == BindingSource::Default {
            continue;
        }
        for chord in &chords {
            let is_new = !is_default(context, action, chord);
            for at in (0..lines.len()).filter(|at| from[*at].layer() < from[taker].layer()) {
                let (other_context, other, theirs) = &mut lines[at];
                let is_same = *other_context == context;
                if *other == action || !(is_same || (is_new && hides(*other_context, context))) {
                    continue;
                }
                let left: Vec<Chord> = theirs
                    .iter()
                    .filter(|own| !clash(own, chord) || is_fixed(*other, own))
                    .cloned()
                    .collect();
                if !left.is_empty() || !must_keep_a_key(*other_context, *other) {
                    *theirs = left;
                }
            }
        }
    }
}

fn hides(inner: KeyContext, outer: KeyContext) -> bool {
    let at = |stack: &[KeyContext], one: KeyContext| stack.iter().position(|context| *context == one);
    KeyContext::STACKS.iter().any(|stack| match (at(stack, inner), at(stack, outer)) {
        (Some(inner), Some(outer)) => inner < outer,
        // The tour is below all of them.
        (Some(_), None) => outer == KeyContext::Tour,
        _ => false,
    })
}

impl Keymap {
    /// The actions of `stack` that have a default key there and none in this keymap. The palette offers them.
    pub fn without_key(&self, stack: &[KeyContext]) -> Vec<(KeyContext, Action)> {
        let usual = Self::default();
        let mut found: Vec<(KeyContext, Action)> = Vec::new();
        for context in stack {
            for (_, action, _) in self.at(*context).filter(|(_, action, _)| !action.is_hand_work()) {
                let is_lost = self.key(stack, *action).is_none() && usual.key(stack, *action).is_some();
                if is_lost && !found.iter().any(|(_, other)| other == action) {
                    found.push((*context, *action));
                }
            }
        }
        found
    }

    /// The same for every screen: the screen and the action, each action of a place once.
    pub fn all_without_key(&self) -> Vec<(KeyContext, Action)> {
        let mut found: Vec<(KeyContext, Action)> = Vec::new();
        for stack in KeyContext::STACKS {
            for (context, action) in self.without_key(stack) {
                let is_gone =
                    self.at(context).all(|(_, other, chords)| *other != action || chords.is_empty());
                // A key that only this screen hides.
                let place = if is_gone { context } else { stack[0] };
                if !found.contains(&(place, action)) {
                    found.push((place, action));
                }
            }
        }
        found
    }
}
