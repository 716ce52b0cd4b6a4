//! Finds the text and the arguments that a translated sentence was made of.

use super::catalogue::{Piece, every_text, fill, pieces};
use super::particles;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Maximum length in bytes of a sentence to analyse.
const LONGEST: usize = 4_000;
/// Maximum attempts to match one text with a sentence.
const TRIES: u32 = 2_000;

/// The text and the arguments of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognised {
    pub english: &'static str,
    /// The value of each placeholder, as written in the sentence.
    pub arguments: Vec<(&'static str, String)>,
}

/// A text with placeholders, in one language.
struct Pattern {
    english: &'static str,
    text: &'static str,
    pieces: Vec<Piece<'static>>,
    /// The amount of fixed text. The text with the highest weight that matches is chosen.
    weight: usize,
}

struct Known {
    whole: HashMap<&'static str, &'static str>,
    /// By the first character; `None` when a placeholder comes first.
    patterns: HashMap<Option<char>, Vec<Pattern>>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let mut known = Known { whole: HashMap::new(), patterns: HashMap::new() };
    for (english, korean) in every_text() {
        for text in [english, korean] {
            let pieces = pieces(text);
            if !pieces.iter().any(|piece| matches!(piece, Piece::Name(_))) {
                // When two English texts share a translation, always takes the first one in alphabetical
                // order.
                known.whole.entry(text).and_modify(|old| *old = english.min(old)).or_insert(english);
                continue;
            }
            let weight = pieces.iter().map(fixed).sum();
            if weight > 0 {
                let first = match pieces.first() {
                    Some(Piece::Plain(plain)) => plain.chars().next(),
                    Some(Piece::Brace(brace)) => Some(*brace),
                    _ => None,
                };
                known.patterns.entry(first).or_default().push(Pattern { english, text, pieces, weight });
            }
        }
    }
    known
});

/// The weight of a piece: its fixed letters. A Hangul syllable counts as two.
fn fixed(piece: &Piece<'_>) -> usize {
    let weight = |c: char| if c.is_ascii() { 1 } else { 2 };
    match piece {
        Piece::Plain(plain) => plain.chars().filter(|c| c.is_alphabetic()).map(weight).sum(),
        _ => 0,
    }
}

/// Finds the text and the arguments of a sentence made by [`t!`](crate::t) or a similar macro, in any
/// language. The result gives exactly the same sentence again. `None` when no text is certain.
pub fn recognise(sentence: &str) -> Option<Recognised> {
    if sentence.is_empty() || sentence.len() > LONGEST {
        return None;
    }
    let known = &*KNOWN;
    if let Some(english) = known.whole.get(sentence) {
        return Some(Recognised { english, arguments: Vec::new() });
    }
    let first = sentence.chars().next();
    let mut best: Option<(usize, Recognised)> = None;
    for pattern in [first, None].iter().filter_map(|key| known.patterns.get(key)).flatten() {
        let is_better = |weight: usize, english: &str| {
            best.as_ref()
                .is_none_or(|(known, r)| weight > *known || (weight == *known && english < r.english))
        };
        if !is_better(pattern.weight, pattern.english) {
            continue;
        }
        if let Some(arguments) = matched(pattern, sentence) {
            best = Some((pattern.weight, Recognised { english: pattern.english, arguments }));
        }
    }
    best.map(|(_, found)| found)
}

/// The arguments that turn a text into this sentence.
fn matched(pattern: &Pattern, sentence: &str) -> Option<Vec<(&'static str, String)>> {
    let mut arguments = Vec::new();
    let mut tries = TRIES;
    if !take(&pattern.pieces, sentence, false, &mut arguments, &mut tries) {
        return None;
    }
    // A text with hardly any fixed letters would match any name. It may only have numbers as arguments.
    if pattern.weight < 4 && arguments.iter().any(|(_, value)| value.chars().any(char::is_alphabetic)) {
        return None;
    }
    // The name of a computer is one word. With white space, the beginning belongs to another text.
    if arguments.iter().any(|(name, value)| *name == "host" && value.contains(char::is_whitespace)) {
        return None;
    }
    let given: Vec<(&str, &dyn std::fmt::Display)> =
        arguments.iter().map(|(name, value)| (*name, value as &dyn std::fmt::Display)).collect();
    (fill(pattern.text, &given) == sentence).then_some(arguments)
}

/// Matches the pieces with the whole text.
fn take(
    pieces: &[Piece<'static>],
    text: &str,
    after_argument: bool,
    arguments: &mut Vec<(&'static str, String)>,
    tries: &mut u32,
) -> bool {
    if *tries == 0 {
        return false;
    }
    *tries -= 1;
    match pieces {
        [] => text.is_empty(),
        [Piece::Plain(plain), rest @ ..] => particles::forms(plain, after_argument).iter().any(|form| {
            text.strip_prefix(form.as_str()).is_some_and(|text| take(rest, text, false, arguments, tries))
        }),
        [Piece::Brace(brace), rest @ ..] => {
            text.strip_prefix(*brace).is_some_and(|text| take(rest, text, false, arguments, tries))
        }
        [Piece::Name(name), rest @ ..] => {
            let known = arguments.len();
            // A repeated placeholder has the same value.
            if let Some((_, before)) = arguments.iter().find(|(n, _)| n == name).cloned() {
                return text
                    .strip_prefix(before.as_str())
                    .is_some_and(|text| take(rest, text, true, arguments, tries));
            }
            for at in ends(rest, text) {
                arguments.push((*name, text[..at].to_owned()));
                if take(rest, &text[at..], true, arguments, tries) {
                    return true;
                }
                arguments.truncate(known);
            }
            false
        }
    }
}

/// The possible ends of an argument at the beginning of a text: before the next piece.
fn ends(rest: &[Piece<'static>], text: &str) -> Vec<usize> {
    match rest.first() {
        None => vec![text.len()],
        Some(Piece::Plain(plain)) => {
            let mut found: Vec<usize> = particles::forms(plain, true)
                .iter()
                .flat_map(|form| text.match_indices(form.as_str()).map(|(at, _)| at).collect::<Vec<_>>())
                .collect();
            found.sort_unstable();
            found.dedup();
            found
        }
        Some(Piece::Brace(brace)) => text.match_indices(*brace).map(|(at, _)| at).collect(),
        // Two adjacent placeholders: the first takes as much as possible.
        Some(Piece::Name(_)) => text.char_indices().map(|(at, _)| at).chain([text.len()]).rev().collect(),
    }
}
