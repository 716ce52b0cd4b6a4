//! Texts of lapel by their keys, for assertions. A key is the English text in the code. A text that is no longer
//! there fails at once and by its name; otherwise a test would wait for it in vain, or prove its absence for ever.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::collections::BTreeSet;
use std::fmt::Display;
use std::sync::LazyLock;

/// The keys of all texts, from the Korean file. A test of the library keeps it complete.
static KEYS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    fn collect(table: toml::Table, keys: &mut BTreeSet<String>) {
        for (key, value) in table {
            match value {
                toml::Value::Table(table) => collect(table, keys),
                _ => {
                    keys.insert(key);
                }
            }
        }
    }
    let mut keys = BTreeSet::new();
    collect(include_str!("../../assets/ko.toml").parse().expect("TOML"), &mut keys);
    keys
});

pub fn keys() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(String::as_str)
}

/// A whole text without placeholders.
#[track_caller]
pub fn msg(key: &str) -> &str {
    assert!(KEYS.contains(key), "lapel has no such text: {key:?}");
    key
}

/// How a confirmation asks for this text.
#[track_caller]
pub fn asks(text: &str) -> String {
    msg_with("Type {text} and press {enter}", &[&text, &"⏎"])
}

/// Whole words of a text, its placeholders left out or filled: for places that wrap or cut it, and for texts whose
/// values a test knows.
#[track_caller]
pub fn msg_part(words: &str) -> &str {
    let known = KEYS.iter().any(|key| contains_words(key, words) || is_filled_part(key, words));
    assert!(known, "no text of lapel contains: {words:?}");
    words
}

fn contains_words(key: &str, words: &str) -> bool {
    let within =
        |a: Option<char>, b: Option<char>| [a, b].iter().all(|c| c.is_some_and(char::is_alphanumeric));
    key.match_indices(words).any(|(at, _)| {
        let (before, after) = (&key[..at], &key[at + words.len()..]);
        !within(before.chars().next_back(), words.chars().next())
            && !within(words.chars().next_back(), after.chars().next())
    })
}

/// Whether the words are a part of this text with values in its placeholders. At least two of five letters are the
/// text's own: a text of placeholders alone would contain everything.
fn is_filled_part(key: &str, words: &str) -> bool {
    /// The most letters of the text itself, where the words begin in the value before these pieces.
    fn own_letters(words: &str, pieces: &[&str], letters: &dyn Fn(&str) -> usize) -> Option<usize> {
        let (piece, later) = pieces.split_first()?;
        let ends = (0..=piece.len()).filter_map(|at| piece.get(..at)).filter(|piece| words.ends_with(piece));
        let goes_on = words
            .match_indices(piece)
            .filter_map(|(at, _)| own_letters(&words[at + piece.len()..], later, letters))
            .map(|more| more + letters(piece));
        ends.map(letters).chain(goes_on).max()
    }
    let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
    let pieces: Vec<&str> =
        key.split('{').map(|part| part.split_once('}').map_or(part, |(_, text)| text)).collect();
    let own = (1..pieces.len()).flat_map(|value| {
        let before = pieces[value - 1];
        let begins = (0..=before.len()).filter_map(move |at| before.get(at..));
        let (pieces, letters) = (&pieces, &letters);
        begins.filter_map(move |begin| {
            let rest = words.strip_prefix(begin)?;
            Some(letters(begin) + own_letters(rest, &pieces[value..], letters)?)
        })
    });
    own.max().is_some_and(|own| own >= 4 && 5 * own >= 2 * letters(words))
}

/// A whole text with its placeholders filled, from left to right.
#[track_caller]
pub fn msg_with(key: &str, values: &[&dyn Display]) -> String {
    let mut rest = msg(key);
    let mut out = String::new();
    for value in values {
        let (before, after) = rest.split_once('{').expect("a placeholder for each value");
        out.push_str(before);
        out.push_str(&value.to_string());
        rest = after.split_once('}').expect("a placeholder").1;
    }
    assert!(!rest.contains('{'), "a value for each placeholder of {key:?}");
    out + rest
}
