//! The texts of the languages other than English, and how arguments come into them.

use super::particles;
use std::collections::HashMap;
use std::fmt::{self, Write};
use std::sync::LazyLock;

/// The Korean texts. Tables divide the file for those who write it; they mean nothing.
pub(super) const KOREAN: &str = include_str!("../../assets/ko.toml");

static TEXTS: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let mut texts = HashMap::new();
    // A file that is no TOML is found by the tests, long before anybody runs it.
    if let Ok(file) = KOREAN.parse::<toml::Table>() {
        for (name, value) in file {
            collect(name, value, &mut texts);
        }
    }
    texts
});

fn collect(name: String, value: toml::Value, into: &mut HashMap<String, String>) {
    match value {
        toml::Value::String(text) => {
            into.insert(name, text);
        }
        toml::Value::Table(table) => table.into_iter().for_each(|(name, value)| collect(name, value, into)),
        _ => {}
    }
}

/// The Korean for an English text, if there is one.
pub fn translated(english: &str) -> Option<&'static str> {
    TEXTS.get(english).map(String::as_str)
}

/// All texts: the English, and the Korean for it.
pub(super) fn every_text() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEXTS.iter().map(|(english, korean)| (english.as_str(), korean.as_str()))
}

/// A piece of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Plain(&'a str),
    Brace(char),
    Name(&'a str),
}

/// The pieces of a text: `{name}` is a placeholder, `{{` a brace. A brace that is neither is itself.
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
            out.push(Piece::Brace(brace));
            rest = &after[1..];
        } else if let (true, Some(end)) = (brace == '{', after.find('}')) {
            out.push(Piece::Name(&after[..end]));
            rest = &after[end + 1..];
        } else {
            out.push(Piece::Brace(brace));
            rest = after;
        }
    }
    if !rest.is_empty() {
        out.push(Piece::Plain(rest));
    }
    out
}

/// The text with its arguments in place. A particle written in both its forms behind an argument (`을(를)`)
/// takes the form that the argument asks for.
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
            Piece::Brace(brace) => out.push(brace),
            Piece::Name(name) => match arguments.iter().find(|(known, _)| *known == name) {
                Some((_, value)) => {
                    // Writing into a string fails only where the value's own Display does.
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
