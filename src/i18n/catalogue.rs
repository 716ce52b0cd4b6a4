//! The translations in `assets/ko.toml`, and how arguments are filled into a text.

use super::{Language, particles, without_context};
use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write};
use std::sync::{LazyLock, OnceLock};

/// In the order of [`Language::ALL`]. The tables of a file are only for its authors.
static TEXTS: [OnceLock<HashMap<String, String>>; Language::ALL.len()] =
    [const { OnceLock::new() }; Language::ALL.len()];

fn texts(language: Language) -> Option<&'static HashMap<String, String>> {
    let file = language.file()?;
    Some(TEXTS.get(language as usize)?.get_or_init(|| read(file)))
}

/// A test finds a file that is not TOML.
pub(super) fn read(file: &str) -> HashMap<String, String> {
    let mut texts = HashMap::new();
    for (name, value) in file.parse::<toml::Table>().unwrap_or_default() {
        collect(name, value, &mut texts);
    }
    texts
}

fn collect(name: String, value: toml::Value, into: &mut HashMap<String, String>) {
    match value {
        toml::Value::String(text) => {
            into.insert(name, text);
        }
        toml::Value::Table(table) => table.into_iter().for_each(|(name, value)| collect(name, value, into)),
        _ => {}
    }
}

pub fn translated(language: Language, english: &str) -> Option<&'static str> {
    texts(language)?.get(english).map(String::as_str)
}

static WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let texts = Language::ALL.iter().filter_map(|language| texts(*language)).flatten();
    let texts = texts.flat_map(|(english, translated)| [without_context(english), translated.as_str()]);
    let plain = texts.flat_map(|text| {
        pieces(text)
            .into_iter()
            .filter_map(|piece| if let Piece::Plain(plain) = piece { Some(plain) } else { None })
    });
    let words = plain.flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
});

pub fn is_a_word(word: &str) -> bool {
    WORDS.contains(&word.to_lowercase())
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Plain(&'a str),
    Name(&'a str),
}

/// `{name}` is a placeholder, `{{` a brace. Any other brace is plain text.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        if at > 0 {
            out.push(Piece::Plain(&rest[..at]));
        }
        let brace = if rest[at..].starts_with('{') { '{' } else { '}' };
        let after = &rest[at + 1..];
        if after.starts_with(brace) {
            out.push(Piece::Plain(&rest[at..=at]));
            rest = &after[1..];
        } else if let (true, Some(end)) = (brace == '{', after.find('}')) {
            out.push(Piece::Name(&after[..end]));
            rest = &after[end + 1..];
        } else {
            out.push(Piece::Plain(&rest[at..=at]));
            rest = after;
        }
    }
    if !rest.is_empty() {
        out.push(Piece::Plain(rest));
    }
    out
}

/// A Korean particle after an argument is written in both forms (`을(를)`); the argument decides
/// which one remains.
pub fn fill(text: &str, arguments: &[(&str, &dyn fmt::Display)]) -> String {
    let mut out = String::with_capacity(text.len() + 16 * arguments.len());
    let mut after_argument = false;
    for piece in pieces(text) {
        match piece {
            Piece::Plain(plain) if after_argument => {
                let (particle, rest) = particles::fitting(&out, plain);
                out.push_str(particle);
                out.push_str(rest);
            }
            Piece::Plain(plain) => out.push_str(plain),
            Piece::Name(name) => match arguments.iter().find(|(known, _)| *known == name) {
                Some((_, value)) => {
                    // Fails only when the value's own `Display` does.
                    let _ = write!(out, "{value}");
                }
                None => {
                    let _ = write!(out, "{{{name}}}");
                }
            },
        }
        after_argument = matches!(piece, Piece::Name(_));
    }
    out
}
