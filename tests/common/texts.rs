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

/// Whole words of a text, without its placeholders: for places that wrap or cut it.
#[track_caller]
pub fn msg_part(words: &str) -> &str {
    assert!(KEYS.iter().any(|key| contains_words(key, words)), "no text of lapel contains: {words:?}");
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
