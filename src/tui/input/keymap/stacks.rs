//! Nested contexts, and keys of `keys.toml` that one context would hide from another.

use crate::config::KeymapFile;
use crate::tui::input::keymap::keys_file::wanted_twice;
use crate::tui::input::keymap::layers::{BindingSource, clash, is_default, must_keep_a_key};
use crate::tui::input::keymap::{Chord, Keymap};
use crate::tui::prelude::*;

impl KeyContext {
    /// Innermost first. The tour's context is left out; it is below all stacks.
    pub const STACKS: &[&[Self]] = &[
        &[Self::Templates, Self::List, Self::Global, Self::Always],
        &[Self::Template, Self::Templates, Self::List, Self::Global, Self::Always],
        &[Self::Picture, Self::Template, Self::Templates, Self::List, Self::Global, Self::Always],
        &[Self::Categories, Self::List, Self::Global, Self::Always],
        &[Self::History, Self::List, Self::Global, Self::Always],
        &[Self::Wallet, Self::List, Self::Global, Self::Always],
        &[Self::Picture, Self::Wallet, Self::List, Self::Global, Self::Always],
        &[Self::Badge, Self::Global, Self::Always],
        &[Self::Picture, Self::Badge, Self::Global, Self::Always],
        &[Self::Activity, Self::List, Self::Global, Self::Always],
        &[Self::JobRows, Self::List, Self::Global, Self::Always],
        &[Self::Home, Self::List, Self::Global, Self::Always],
        &[Self::Overview, Self::List, Self::Global, Self::Always],
        &[Self::OverviewList, Self::List, Self::Global, Self::Always],
        &[Self::MailFailures, Self::List, Self::Global, Self::Always],
        &[Self::Draft, Self::List, Self::Covering, Self::Popup, Self::Always],
        &[Self::DraftRevoke, Self::List, Self::Covering, Self::Popup, Self::Always],
        &[Self::LookUp, Self::Prompt, Self::Field, Self::Always],
        &[Self::Prompt, Self::Field, Self::Always],
        &[Self::FilterBar, Self::Field, Self::Always],
        &[Self::FilterLine, Self::Field, Self::Always],
        &[Self::SortMenu, Self::Popup, Self::Always],
        &[Self::ColumnMenu, Self::Popup, Self::Always],
        &[Self::Filters, Self::Popup, Self::Always],
        &[Self::Form, Self::Field, Self::Always],
        &[Self::FileField, Self::Field, Self::Always],
        &[Self::FilePicker, Self::Field, Self::Always],
        &[Self::Export, Self::Field, Self::Always],
        &[Self::Exporting, Self::Popup, Self::Always],
        &[Self::File, Self::Covering, Self::Popup, Self::Always],
        &[Self::Mapping, Self::Covering, Self::Popup, Self::Always],
        &[Self::RevokeForm, Self::Field, Self::Always],
        &[Self::Review, Self::Always],
        &[Self::JobMenu, Self::Popup, Self::Always],
        &[Self::Menu, Self::Popup, Self::Always],
        &[Self::Menu, Self::Covering, Self::Popup, Self::Always],
        &[Self::Profiles, Self::Covering, Self::Popup, Self::Always],
        &[Self::Palette, Self::Field, Self::Always],
        &[Self::Json, Self::Covering, Self::Popup, Self::Always],
        &[Self::Requests, Self::Covering, Self::Popup, Self::Always],
        &[Self::Help, Self::Covering, Self::Popup, Self::Always],
        &[Self::Welcome, Self::Always],
    ];
}

struct StackLine<'a> {
    context: KeyContext,
    action: Action,
    chords: &'a [Chord],
    from: BindingSource,
}

impl StackLine<'_> {
    /// Whether the file or the preset gives this action a key that is not one of its default keys.
    fn is_new(&self, chord: &Chord) -> bool {
        self.from != BindingSource::Default && !is_default(self.context, self.action, chord)
    }
}

impl Keymap {
    /// Lines of the file whose keys are hidden on a screen, or hide other keys there. Inner contexts win. A key of
    /// the file must reach its action on every screen of that action. It may take a key from an outer action that
    /// keeps another key, but never a key that works everywhere.
    pub(super) fn shadows(&self, from: &[BindingSource], file: &KeymapFile) -> Vec<(usize, String)> {
        let mut found: Vec<(usize, String)> = Vec::new();
        for stack in KeyContext::STACKS {
            let mut stack = stack.to_vec();
            stack.push(KeyContext::Tour);
            for (depth, context) in stack.iter().enumerate() {
                let inner: Vec<StackLine<'_>> =
                    stack[..depth].iter().flat_map(|context| self.lines_of(*context, from)).collect();
                for outer in self.lines_of(*context, from) {
                    for chord in outer.chords.iter().filter(|chord| !self.is_free(&stack[..depth], chord)) {
                        found.extend(self.lost(&stack, &outer, chord, (&inner, file)));
                    }
                }
            }
        }
        // One line may be wrong on several screens.
        found.sort_by_key(|(n, _)| *n);
        found.dedup_by_key(|(n, _)| *n);
        found
    }

    fn lines_of<'a>(
        &'a self,
        context: KeyContext,
        from: &'a [BindingSource],
    ) -> impl Iterator<Item = StackLine<'a>> + 'a {
        let places = self.places.get(&context).into_iter().flatten();
        let lines = places.filter_map(|at| Some((self.lines.get(*at)?, from.get(*at)?)));
        lines.map(|((context, action, chords), from)| StackLine {
            context: *context,
            action: *action,
            chords,
            from: *from,
        })
    }

    /// The problem with this key of `outer`, which an inner line takes.
    fn lost(
        &self,
        stack: &[KeyContext],
        outer: &StackLine<'_>,
        chord: &Chord,
        (inner, file): (&[StackLine<'_>], &KeymapFile),
    ) -> Option<(usize, String)> {
        let takes = |mine: &&Chord| clash(mine, chord);
        let (taker, mine) = inner
            .iter()
            .filter(|line| line.action != outer.action)
            .find_map(|line| line.chords.iter().find(takes).map(|mine| (line, mine)))?;
        let (place, other) = (taker.context.place(), taker.action);
        let twice = |n: usize| wanted_twice(&self.name(chord), &file.lines[n]);
        match (taker.from.line(), outer.from.line()) {
            (Some(n), _) if taker.is_new(mine) && outer.context == KeyContext::Always => Some((
                n,
                t!(
                    "{chord} is already a key of {other} ({help}), or starts one. That action works everywhere: choose another key here",
                    chord = self.name(mine),
                    other = outer.action.name(),
                    help = outer.action.help()
                ),
            )),
            (Some(n), other) if taker.is_new(mine) => {
                let is_lost = self.key(stack, outer.action).is_none();
                match other.filter(|_| is_lost) {
                    // The later of two lines is reported.
                    Some(other) if outer.is_new(chord) => Some((n.max(other), twice(n.min(other)))),
                    Some(other) => Some((n, twice(other))),
                    None if is_lost && must_keep_a_key(outer.context, outer.action) => Some((
                        n,
                        t!(
                            "{chord} leaves {other} without a key there ({help}): give that action another key, or choose another here",
                            chord = self.name(mine),
                            other = outer.action.name(),
                            help = outer.action.help()
                        ),
                    )),
                    None => None,
                }
            }
            (Some(n), Some(other)) if outer.is_new(chord) => Some((other, twice(n))),
            (None, Some(n)) if outer.is_new(chord) => Some((
                n,
                t!(
                    "{chord} is already a key of {other} ({help}), or starts one, in {place}. There this action would not get the key. Give that action another key, or choose another here",
                    chord = self.name(chord),
                    other = other.name(),
                    help = other.help(),
                    place
                ),
            )),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::input::keymap::DEFAULT;

    #[test]
    fn every_place_stands_in_a_stack() {
        for (context, ..) in DEFAULT {
            let stands = KeyContext::STACKS.iter().any(|stack| stack.contains(context));
            assert!(stands || *context == KeyContext::Tour, "{context:?}");
        }
    }
}
