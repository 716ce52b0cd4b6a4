//! A forgiving search for a recipient's name: how alike two names are, and what else to ask the service for.

use super::edit_distance::edits;
use super::look_alike::{half_width, in_latin, unaccented};
use super::text::is_invisible;
use std::collections::HashSet;
use unicode_normalization::UnicodeNormalization;

/// Minimum letters of a name that may have one wrong one. Too many names are that close to a shorter one.
const SHORTEST_LATIN: usize = 5;
const SHORTEST_HANGUL: usize = 3;
/// Maximum syllables of a name whose parts are searched.
const LONGEST_HANGUL: usize = 6;
/// Minimum letters of the beginning of a name.
const BEGINNING_LATIN: usize = 3;
const BEGINNING_HANGUL: usize = 2;
/// Maximum words of a name whose order does not count.
const MOST_WORDS: usize = 12;

/// The most alike first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameMatch {
    /// Spaces, letter case, signs, accents, look-alike letters and the order of words do not count.
    Same,
    OneOff,
    Part,
}

/// `None` for different names.
pub fn likeness(given: &str, on_it: &str) -> Option<NameMatch> {
    let (asked, has) = (orders(given), orders(on_it));
    let (first, name) = (asked.first()?, has.first()?);
    if first.is_empty() || name.is_empty() {
        return None;
    }
    if asked.contains(name) || has.contains(first) {
        return Some(NameMatch::Same);
    }
    let least = if is_hangul(first) { BEGINNING_HANGUL } else { BEGINNING_LATIN };
    let is_part =
        name.contains(first.as_str()) && (first.chars().count() >= least || name.starts_with(first));
    let is_near = || asked.iter().any(|asked| is_one_off(asked, name));
    if is_part { Some(NameMatch::Part) } else { is_near().then_some(NameMatch::OneOff) }
}

/// Composed, in half-width Latin letters and lower case, without spaces, signs and accents. `김 민수` and `김민수`
/// are the same name, and so are `O’Neil` and `o'neil`, and `Zoë` and `Zoe`.
pub fn folded(name: &str) -> String {
    let plain = half_width(name);
    let plain = in_latin(&plain).unwrap_or(plain);
    let counts = |c: &char| !c.is_whitespace() && !is_invisible(*c) && !SIGNS.contains(c);
    unaccented(&plain.nfkc().filter(counts).collect::<String>())
}

/// The best first. The service may compare whole names or parts, and lapel does not know which.
pub fn variants(given: &str) -> Vec<String> {
    let composed: String = given.nfc().collect();
    let words: Vec<&str> = composed.split_whitespace().collect();
    let joined = words.join(" ");
    let mut variants: Vec<String> = Vec::new();
    let plain = half_width(&joined);
    variants.extend(in_latin(&plain));
    variants.push(plain);
    if joined.contains(['\u{2019}', '\u{2018}', '\u{b4}', '`']) {
        variants.push(joined.replace(['\u{2019}', '\u{2018}', '\u{b4}', '`'], "'"));
    } else if joined.contains('\'') {
        variants.push(joined.replace('\'', "\u{2019}"));
    }
    let hangul = is_hangul(&folded(given));
    if let [first, rest @ ..] = words.as_slice()
        && !rest.is_empty()
    {
        if hangul {
            variants.push(words.concat());
            variants.push(format!("{}{first}", rest.concat()));
            variants.push(format!("{} {first}", rest.join(" ")));
            variants.extend(syllables_left(&words.concat()));
        } else {
            variants.push(format!("{} {first}", rest.join(" ")));
            // One letter may be wrong: the words without it, the longest first.
            let mut words = words.clone();
            words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
            variants.extend(words.into_iter().map(str::to_owned));
        }
    } else if hangul {
        variants.extend(syllables_left(&joined));
    } else if !hangul && joined.chars().count() >= SHORTEST_LATIN {
        variants.push(joined.chars().take(SHORTEST_LATIN - 1).collect());
    }
    let mut seen = HashSet::from([composed.trim().to_owned()]);
    variants.retain(|variant| !variant.trim().is_empty() && seen.insert(variant.clone()));
    variants
}

/// One syllable may be wrong: the rest, where the service finds parts of names. Empty for a name that is too short or too
/// long.
fn syllables_left(name: &str) -> Vec<String> {
    let syllables: Vec<char> = name.chars().collect();
    if !(SHORTEST_HANGUL..=LONGEST_HANGUL).contains(&syllables.len()) {
        return Vec::new();
    }
    // A wrong syllable in the middle leaves only the family name.
    let parts = [&syllables[..syllables.len() - 1], &syllables[1..], &syllables[..1]];
    parts.map(|part| part.iter().collect()).into()
}

/// Every order that keeps neighbours, each folded: `Kim Min Su`, `Min Su Kim`, `Su Kim Min`. A text of more words than
/// [`MOST_WORDS`] is no name, and has only its own order.
fn orders(name: &str) -> Vec<String> {
    let words: Vec<String> =
        name.split(|c: char| c.is_whitespace() || c == ',').map(folded).filter(|w| !w.is_empty()).collect();
    let orders = if words.len() > MOST_WORDS { 1 } else { words.len().max(1) };
    (0..orders).map(|first| words.iter().cycle().skip(first).take(words.len()).cloned().collect()).collect()
}

fn is_one_off(asked: &str, name: &str) -> bool {
    let least = if is_hangul(asked) { SHORTEST_HANGUL } else { SHORTEST_LATIN };
    asked.chars().count().min(name.chars().count()) >= least && edits(asked, name, 1) == 1
}

fn is_hangul(folded: &str) -> bool {
    !folded.is_empty() && folded.chars().all(|c| matches!(c, '\u{ac00}'..='\u{d7a3}'))
}

const SIGNS: [char; 11] =
    ['\'', '\u{2018}', '\u{2019}', '\u{b4}', '`', '-', '\u{2010}', '\u{2011}', '.', ',', '\u{b7}'];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_caller_says_is_compared_with_what_is_written() {
        use NameMatch::{OneOff, Part, Same};
        for (given, on_it, like) in [
            ("김 민수", "김민수", Some(Same)),
            ("\u{1100}\u{1175}\u{11b7}민수", "김민수", Some(Same)),
            ("민수 김", "김민수", Some(Same)),
            ("minsu kim", "Kim Minsu", Some(Same)),
            ("Kim, Minsu", "Minsu Kim", Some(Same)),
            ("ＫＩＭ　ＭＩＮＳＵ", "Kim Minsu", Some(Same)),
            ("lea oconnor kim", "Lea O\u{2019}Connor-Kim", Some(Same)),
            ("L\u{435}a Kim", "Lea Kim", Some(Same)),
            ("Zoe Angstrom", "Zoë Ångström", Some(Same)),
            ("Angstrom", "Zoë Ångström", Some(Part)),
            ("김민서", "김민수", Some(OneOff)),
            ("민서 김", "김민수", Some(OneOff)),
            ("Kim Minsoo", "Kim Minso", Some(OneOff)),
            ("김민", "김민수", Some(Part)),
            ("민수", "김민수", Some(Part)),
            ("Kim", "Minsu Kim", Some(Part)),
            ("수", "김민수", None),
            ("김수", "김민수", None),
            ("Ann", "Anne", Some(Part)),
            ("Ann", "Ana", None),
            ("박서준", "김민수", None),
            ("", "김민수", None),
            ("김민수", "\u{3164}", None),
        ] {
            assert_eq!(likeness(given, on_it), like, "{given} {on_it}");
        }
    }

    #[test]
    fn the_service_is_asked_for_the_likeliest_first() {
        for (given, first) in [
            ("김 민수", "김민수"),
            ("Minsu Kim", "Kim Minsu"),
            ("O\u{2019}Neil", "O'Neil"),
            ("L\u{435}a", "Lea"),
            ("ＫＩＭ", "KIM"),
            ("김민서", "김민"),
        ] {
            assert_eq!(variants(given).first().map(String::as_str), Some(first), "{given}");
        }
        assert!(variants("김").is_empty() && variants("").is_empty());
        assert!(variants("민 남궁").contains(&"남궁 민".to_owned()), "as it may be written");
        assert_eq!(
            variants("임 하놀")[..4],
            ["임하놀", "하놀임", "하놀 임", "임하"],
            "one syllable may be wrong"
        );
    }

    /// A pasted page is compared with the name of each badge.
    #[test]
    fn a_text_of_many_words_is_compared_in_its_own_order_only() {
        let name = |words: usize| (0..words).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ");
        for (words, orders) in [(MOST_WORDS, MOST_WORDS), (MOST_WORDS + 1, 1), (1_000, 1)] {
            assert_eq!(super::orders(&name(words)).len(), orders, "{words}");
        }
    }

    proptest! {
        #[test]
        fn a_name_is_itself_however_it_is_cut_and_nothing_is_asked_twice(
            family in "[가-힣]{1,2}", given in "[가-힣]{1,3}", other in any::<String>(),
        ) {
            let name = format!("{family}{given}");
            prop_assert_eq!(likeness(&format!("{given} {family}"), &name), Some(NameMatch::Same));
            prop_assert_eq!(likeness(&name, &name), Some(NameMatch::Same));
            for text in [name, other] {
                let asked = variants(&text);
                let distinct: std::collections::HashSet<&String> = asked.iter().collect();
                prop_assert_eq!(distinct.len(), asked.len());
                prop_assert!(!asked.contains(&text));
            }
        }

        #[test]
        fn likeness_never_panics(one in any::<String>(), other in any::<String>()) {
            let _ = likeness(&one, &other);
        }
    }
}
