//! Finds domains of a file that look like typing mistakes for other domains.

use crate::domain::edit_distance::edits;
use crate::domain::email::meant_domain;
use std::collections::{HashMap, HashSet};

/// Minimum number of addresses of a frequent domain.
const FREQUENT: u64 = 5;
/// Minimum ratio between a frequent domain and the rare one that looks like it.
const RARER: u64 = 10;
/// As [`RARER`], for two swapped letters: two domains rarely differ like that without a mistake.
const RARER_SWAPPED: u64 = 5;

/// Returns `(suspect, meant)`, sorted. A suspect is one edit away from a far more frequent or a well-known
/// domain. A person must decide, since two universities may differ by one letter.
///
/// `counts` has the number of addresses per domain, in any case.
#[allow(clippy::implicit_hasher, reason = "callers count with the standard map")]
pub fn similar_domains(counts: &HashMap<String, u64>) -> Vec<(String, String)> {
    let mut folded: HashMap<String, u64> = HashMap::new();
    for (domain, count) in counts {
        *folded.entry(domain.to_lowercase()).or_default() += count;
    }
    let frequent: Vec<(&String, u64)> =
        folded.iter().filter(|(_, n)| **n >= FREQUENT).map(|(d, n)| (d, *n)).collect();
    // Two domains one edit apart share a form with one letter left out, so this finds all pairs without
    // comparing every domain with every other.
    let mut forms: HashMap<String, Vec<(&str, u64)>> = HashMap::new();
    for (domain, count) in &frequent {
        for form in one_left_out(domain) {
            forms.entry(form).or_default().push((domain, *count));
        }
    }
    let mut found: Vec<(String, String)> = folded
        .iter()
        .filter_map(|(domain, count)| {
            let near = one_left_out(domain)
                .into_iter()
                .filter_map(|form| forms.get(&form))
                .flatten()
                .filter(|(other, n)| {
                    let ratio = if are_swapped(domain, other) { RARER_SWAPPED } else { RARER };
                    *n >= count.saturating_mul(ratio) && is_slip(domain, other)
                })
                .max_by_key(|(other, n)| (*n, std::cmp::Reverse(*other)));
            let meant = near.map(|(other, _)| (*other).to_owned()).or_else(|| meant_domain(domain));
            meant.map(|meant| (domain.clone(), meant))
        })
        .collect();
    found.sort();
    found
}

/// Short domains may differ by one edit without a mistake: abc.ac.kr and abd.ac.kr are two schools.
fn is_slip(domain: &str, other: &str) -> bool {
    let first_label = |d: &str| d.split('.').next().map_or(0, |l| l.chars().count());
    first_label(domain).max(first_label(other)) > 3 && edits(domain, other, 1) == 1
}

/// Whether one word is the other with two neighbouring letters swapped.
fn are_swapped(one: &str, other: &str) -> bool {
    let differ: Vec<(char, char)> = one.chars().zip(other.chars()).skip_while(|(a, b)| a == b).collect();
    let is_swap = matches!(differ.as_slice(), [(a, b), (c, d), ..] if a == d && b == c);
    one.chars().count() == other.chars().count() && is_swap && differ[2..].iter().all(|(a, b)| a == b)
}

/// The word itself, and all its forms with one letter left out.
fn one_left_out(word: &str) -> HashSet<String> {
    let mut forms: HashSet<String> = word
        .char_indices()
        .take(253)
        .map(|(at, c)| format!("{}{}", &word[..at], &word[at + c.len_utf8()..]))
        .collect();
    forms.insert(word.to_owned());
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(counts: &[(&str, u64)]) -> Vec<(String, String)> {
        similar_domains(&counts.iter().map(|(d, n)| ((*d).to_owned(), *n)).collect())
    }

    fn pair(suspect: &str, meant: &str) -> (String, String) {
        (suspect.to_owned(), meant.to_owned())
    }

    #[test]
    fn a_rare_domain_one_edit_from_a_frequent_one_is_suspect() {
        let counts = [
            ("moonfern.example", 40),
            ("monfern.example", 1),
            ("moonfren.example", 2),
            ("moonfern.exmaple", 1),
            ("bluewhale.example", 3),
        ];
        assert_eq!(
            found(&counts),
            [
                pair("monfern.example", "moonfern.example"),
                pair("moonfern.exmaple", "moonfern.example"),
                pair("moonfren.example", "moonfern.example"),
            ]
        );
    }

    #[test]
    fn swapped_letters_are_suspect_in_a_short_file_too() {
        let counts = [("naru.example", 8), ("naru.exmaple", 1), ("nari.example", 1)];
        assert_eq!(found(&counts), [pair("naru.exmaple", "naru.example")]);
        assert_eq!(found(&[("naru.example", 8), ("naru.exmaple", 2)]), []);
        assert_eq!(found(&[("naru.example", 4), ("naru.exmaple", 1)]), []);
        for (one, other, swapped) in
            [("abcd", "abdc", true), ("abcd", "abcd", false), ("abcd", "badc", false), ("abcd", "abc", false)]
        {
            assert_eq!(are_swapped(one, other), swapped, "{one} {other}");
        }
    }

    #[test]
    fn two_frequent_domains_or_two_short_ones_are_two_domains() {
        assert_eq!(found(&[("moonfern.example", 40), ("moonfarn.example", 30)]), []);
        assert_eq!(found(&[("snu.ac.kr", 400), ("gnu.ac.kr", 1)]), []);
        assert_eq!(found(&[("a.example", 1), ("b.example", 1)]), []);
    }

    #[test]
    fn well_known_domains_count_without_being_in_the_file() {
        assert_eq!(found(&[("GMIAL.com", 3)]), [pair("gmial.com", "gmail.com")]);
    }
}
