//! The keymap. The help, the footer, the palette and the table in docs/keys.md are made from it.
//!
//! ```text
//! context, stacks   the parts of the TUI with their own keys, and how they nest
//! defaults          the default keys
//! layers, keys_file default keys, a preset and keys.toml over each other
//! hangul            Korean keyboards
//! near              what a person may have meant by a key that does nothing
//! ```

mod context;
mod defaults;
pub(in crate::tui) mod hangul;
mod keys_file;
mod layers;
mod near;
mod stacks;

pub use context::KeyContext;

use crate::tui::prelude::*;
use crate::tui::theme::Glyphs;
use crokey::OneToThree;
use defaults::DEFAULT;

/// Keys pressed one after the other; usually one.
type Chord = Vec<KeyCombination>;

type Bound = (KeyContext, Action, Vec<Chord>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    Action(Action),
    /// The beginning of a chord: another key must follow.
    Begun,
    /// The key does not complete the chord that was begun. Nothing happens.
    Dropped,
    /// A Hangul letter that is the same with and without shift. Holds the action of the plain key, if any, and the
    /// capital letter that the user may have meant.
    Unshifted(Option<Action>, char),
    /// A Hangul syllable: several letters in one character. lapel cannot tell which keys were pressed.
    Syllable,
    /// Not in the keymap; may be text.
    Free,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyMatch {
    Action(Action),
    Beginning,
    Nothing,
}

#[derive(Clone, Debug)]
pub struct Keymap {
    lines: Vec<Bound>,
    /// Indexes into `lines` per context: each draw looks up the keys of many actions.
    places: HashMap<KeyContext, Vec<usize>>,
    lookup: HashMap<KeyContext, HashMap<Chord, Action>>,
    /// Beginnings of chords per context; usually empty.
    beginnings: HashMap<KeyContext, HashSet<Chord>>,
    ascii: bool,
}

impl Default for Keymap {
    fn default() -> Self {
        Self::of(default_lines())
    }
}

fn default_lines() -> Vec<Bound> {
    // A default key that does not parse is a mistake in the table; a test finds it.
    let read = |keys: &[&str]| keys.iter().filter_map(|k| parse(k)).collect();
    DEFAULT.iter().map(|(context, action, keys)| (*context, *action, read(keys))).collect()
}

fn parse(names: &str) -> Option<Chord> {
    let chord: Chord = names.split_whitespace().map(parse_one).collect::<Option<_>>()?;
    (!chord.is_empty()).then_some(chord)
}

/// Parses one key name. A single capital letter means that letter with shift.
fn parse_one(name: &str) -> Option<KeyCombination> {
    let mut chars = name.chars();
    let parsed = match (chars.next(), chars.next()) {
        (Some(letter), None) if letter.is_uppercase() => crokey::parse(&format!("shift-{letter}")),
        _ => crokey::parse(name),
    };
    parsed.ok().map(normal)
}

/// Normalises keys that terminals report in several forms. Shift may be reported or not with a capital letter, a
/// sign like `?`, or back-tab.
fn normal(key: KeyCombination) -> KeyCombination {
    let mut key = key.normalized();
    match key.codes {
        OneToThree::One(KeyCode::Char(c)) if !c.is_alphabetic() => key.modifiers.remove(KeyModifiers::SHIFT),
        OneToThree::One(KeyCode::BackTab) => key.modifiers.insert(KeyModifiers::SHIFT),
        _ => {}
    }
    key
}

impl Keymap {
    fn of(lines: Vec<Bound>) -> Self {
        let mut places: HashMap<KeyContext, Vec<usize>> = HashMap::new();
        let mut lookup: HashMap<KeyContext, HashMap<Chord, Action>> = HashMap::new();
        let mut beginnings: HashMap<KeyContext, HashSet<Chord>> = HashMap::new();
        for (at, (context, action, chords)) in lines.iter().enumerate() {
            places.entry(*context).or_default().push(at);
            for chord in chords {
                lookup.entry(*context).or_default().insert(chord.clone(), *action);
                for n in 1..chord.len() {
                    beginnings.entry(*context).or_default().insert(chord[..n].to_vec());
                }
            }
        }
        Self { lines, places, lookup, beginnings, ascii: false }
    }

    fn at(&self, context: KeyContext) -> impl Iterator<Item = &Bound> {
        self.places.get(&context).into_iter().flatten().filter_map(|at| self.lines.get(*at))
    }

    /// The same keymap, which names keys with these glyphs.
    #[must_use]
    pub fn named(self, glyphs: &Glyphs) -> Self {
        Self { ascii: *glyphs == Glyphs::ASCII, ..self }
    }

    pub fn name(&self, chord: &[KeyCombination]) -> String {
        chord.iter().map(|key| name(*key, self.ascii)).collect::<Vec<_>>().join(" ")
    }

    fn names<'a>(&self, chords: impl IntoIterator<Item = &'a Chord>) -> String {
        let names: Vec<String> = chords.into_iter().map(|chord| self.name(chord)).collect();
        let chorded = names.iter().any(|name| name.contains(' '));
        names.join(if chorded { ", " } else { " " })
    }

    /// Returns the result of `key` in `stack`, innermost context first. `begun` holds the earlier keys of a chord;
    /// this key is added if the chord is still incomplete.
    pub fn press(&self, stack: &[KeyContext], begun: &mut Vec<KeyCombination>, key: KeyEvent) -> Press {
        let before = std::mem::take(begun);
        let with = |key| before.iter().copied().chain([normal(KeyCombination::from(key))]).collect::<Chord>();
        let mut chord = with(key);
        let mut found = self.find(stack, &chord);
        let mut capital = None;
        let letter = if let KeyCode::Char(letter) = key.code { Some(letter) } else { None };
        // In a text field it is text.
        let letter = letter.filter(|_| !stack.first().is_some_and(|context| context.is_text()));
        if let (KeyMatch::Nothing, Some(latin)) = (found, letter.and_then(hangul::latin)) {
            let on = |latin| with(KeyEvent { code: KeyCode::Char(latin), ..key });
            chord = on(latin);
            found = self.find(stack, &chord);
            capital = letter
                .and_then(hangul::capital)
                .filter(|_| !key.modifiers.contains(KeyModifiers::SHIFT))
                .filter(|capital| ![KeyMatch::Nothing, found].contains(&self.find(stack, &on(*capital))));
        }
        match (found, capital) {
            (KeyMatch::Beginning, _) => {
                *begun = chord;
                Press::Begun
            }
            (KeyMatch::Action(action), Some(capital)) => Press::Unshifted(Some(action), capital),
            (KeyMatch::Action(action), None) => Press::Action(action),
            (KeyMatch::Nothing, Some(capital)) => Press::Unshifted(None, capital),
            (KeyMatch::Nothing, None) if !before.is_empty() => Press::Dropped,
            (KeyMatch::Nothing, None) if letter.is_some_and(hangul::is_syllable) => Press::Syllable,
            (KeyMatch::Nothing, None) => Press::Free,
        }
    }

    fn find(&self, stack: &[KeyContext], chord: &[KeyCombination]) -> KeyMatch {
        stack
            .iter()
            .find_map(|context| match self.lookup.get(context).and_then(|keys| keys.get(chord)) {
                Some(action) => Some(KeyMatch::Action(*action)),
                None => self.begins(*context, chord).then_some(KeyMatch::Beginning),
            })
            .unwrap_or(KeyMatch::Nothing)
    }

    fn begins(&self, context: KeyContext, chord: &[KeyCombination]) -> bool {
        self.beginnings.get(&context).is_some_and(|all| all.contains(chord))
    }

    /// Whether the inner contexts leave this chord free for an outer one.
    fn is_free(&self, inner: &[KeyContext], chord: &[KeyCombination]) -> bool {
        let cut_short = |n: usize| matches!(self.find(inner, &chord[..n]), KeyMatch::Action(_));
        matches!(self.find(inner, chord), KeyMatch::Nothing) && !(1..chord.len()).any(cut_short)
    }

    pub fn follows(&self, stack: &[KeyContext], begun: &[KeyCombination]) -> Vec<(String, Action)> {
        self.bound(stack, |_| true)
            .filter(|(_, chord)| chord.len() > begun.len() && chord.starts_with(begun))
            .map(|(action, chord)| (self.name(&chord[begun.len()..]), action))
            .collect()
    }

    fn bound<'a>(
        &'a self,
        stack: &'a [KeyContext],
        wanted: impl Fn(Action) -> bool + Copy + 'a,
    ) -> impl Iterator<Item = (Action, &'a Chord)> {
        stack.iter().enumerate().flat_map(move |(depth, context)| {
            self.at(*context)
                .filter(move |(_, action, _)| wanted(*action))
                .flat_map(|(_, action, chords)| chords.iter().map(move |chord| (*action, chord)))
                .filter(move |(_, chord)| self.is_free(&stack[..depth], chord))
        })
    }

    /// Keys that an inner context takes are left out.
    pub fn help(&self, stack: &[KeyContext]) -> Vec<(String, Action)> {
        self.help_by_place(stack).into_iter().map(|(_, keys, action)| (keys, action)).collect()
    }

    pub fn help_by_place(&self, stack: &[KeyContext]) -> Vec<(KeyContext, String, Action)> {
        let mut lines: Vec<(KeyContext, String, Action)> = Vec::new();
        for (depth, context) in stack.iter().enumerate() {
            for (_, action, chords) in self.at(*context) {
                let free: Vec<&Chord> =
                    chords.iter().filter(|chord| self.is_free(&stack[..depth], chord)).collect();
                if !free.is_empty() && !lines.iter().any(|(.., a)| a == action) {
                    lines.push((*context, self.names(free), *action));
                }
            }
        }
        lines
    }

    /// The names of those keys that `stack` leaves to a text field.
    pub fn free_names(&self, stack: &[KeyContext], keys: &[KeyCombination]) -> String {
        let chords: Vec<Chord> = keys.iter().map(|key| vec![normal(*key)]).collect();
        self.names(chords.iter().filter(|chord| self.is_free(stack, chord)))
    }

    pub fn key(&self, stack: &[KeyContext], action: Action) -> Option<String> {
        self.bound(stack, move |a| a == action).next().map(|(_, chord)| self.name(chord))
    }

    /// Whether an action belongs to one of these contexts, with or without a key.
    pub fn has(&self, stack: &[KeyContext], action: Action) -> bool {
        stack.iter().any(|context| self.at(*context).any(|(_, a, _)| *a == action))
    }

    /// Whether an action only says why it is not possible in this place. The help and the table leave it out.
    pub fn only_says_why(context: KeyContext, action: Action) -> bool {
        matches!(context, KeyContext::OverviewList | KeyContext::MailFailures)
            && matches!(action, Action::Only | Action::Sort | Action::ChooseColumns)
    }

    /// Every line, in order: for the table in docs/keys.md and for tests.
    pub fn lines(&self) -> impl Iterator<Item = (KeyContext, Action, String)> + '_ {
        self.lines.iter().map(|(context, action, chords)| (*context, *action, self.names(chords)))
    }
}

/// The name of a key, for display. With ASCII glyphs, arrows and Enter are words.
fn name(key: KeyCombination, ascii: bool) -> String {
    // Most keys of the footer, which names them for each frame.
    if let OneToThree::One(KeyCode::Char(sign @ '!'..='~')) = key.codes
        && key.modifiers.is_empty()
        && sign != '-'
    {
        return sign.to_ascii_lowercase().to_string();
    }
    let written = key.to_string().to_lowercase();
    match written.as_str() {
        "enter" | "up" | "down" | "left" | "right" if ascii => written.clone(),
        "enter" => "⏎".to_owned(),
        "backtab" | "shift-backtab" => "S-Tab".to_owned(),
        "tab" => "Tab".to_owned(),
        "hyphen" => "-".to_owned(),
        "pagedown" => "PgDn".to_owned(),
        "pageup" => "PgUp".to_owned(),
        "up" => "↑".to_owned(),
        "down" => "↓".to_owned(),
        "left" => "←".to_owned(),
        "right" => "→".to_owned(),
        _ => match written.strip_prefix("shift-") {
            Some(letter) if letter.chars().count() == 1 => letter.to_uppercase(),
            _ => written,
        },
    }
}

#[cfg(test)]
mod tests;
