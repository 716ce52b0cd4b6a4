//! Finds domains that look like typing mistakes for other domains: of a file, or of earlier recipients.

use crate::domain::edit_distance::edits;
use crate::domain::email::meant_domain;
use crate::jobs::prelude::*;

/// Minimum number of addresses of a frequent domain.
const FREQUENT: u64 = 5;
/// Minimum ratio between a frequent domain and the rare one that looks like it.
const RARER: u64 = 10;
/// As [`RARER`], for two swapped letters: two domains rarely differ like that without a mistake.
const RARER_SWAPPED: u64 = 5;

/// The domains of many addresses, to find the one that another domain probably misspells.
#[derive(Clone, Debug, Default)]
pub struct DomainCounts {
    /// By domain in lower case.
    counts: HashMap<String, u64>,
    /// The frequent domains by each form of theirs with one letter left out. Two domains one edit apart share a form, so
    /// this finds them without comparing every domain with every other.
    frequent: HashMap<String, Vec<String>>,
}

impl DomainCounts {
    /// A domain may come several times, in any case: its numbers of addresses are added.
    pub fn new<D: AsRef<str>>(counts: impl IntoIterator<Item = (D, u64)>) -> Self {
        let mut all = Self::default();
        for (domain, count) in counts {
            *all.counts.entry(domain.as_ref().to_lowercase()).or_default() += count;
        }
        for domain in all.counts.iter().filter(|(_, n)| **n >= FREQUENT).map(|(domain, _)| domain) {
            for form in one_left_out(domain) {
                all.frequent.entry(form).or_default().push(domain.clone());
            }
        }
        all
    }

    /// The domain that this one, in lower case, probably misspells: one edit away and far more frequent, or well known. A
    /// person must decide, since two universities may differ by one letter.
    pub fn meant(&self, domain: &str) -> Option<String> {
        let count = self.count(domain).max(1);
        let near = one_left_out(domain)
            .into_iter()
            .filter_map(|form| self.frequent.get(&form))
            .flatten()
            .filter(|other| {
                let ratio = if are_swapped(domain, other) { RARER_SWAPPED } else { RARER };
                self.count(other) >= count.saturating_mul(ratio) && is_slip(domain, other)
            })
            .max_by_key(|other| (self.count(other), std::cmp::Reverse(*other)));
        near.cloned().or_else(|| meant_domain(domain))
    }

    fn count(&self, domain: &str) -> u64 {
        self.counts.get(domain).copied().unwrap_or(0)
    }
}

/// Returns `(suspect, meant)` for the domains of a file, sorted. `counts` and `known` have the number of addresses per
/// domain, in any case: in the file, and of earlier recipients.
#[allow(clippy::implicit_hasher, reason = "callers count with the standard map")]
pub fn similar_domains(counts: &HashMap<String, u64>, known: &[(String, u64)]) -> Vec<(String, String)> {
    let known = known.iter().map(|(domain, n)| (domain, *n));
    let all = DomainCounts::new(counts.iter().map(|(domain, n)| (domain, *n)).chain(known));
    let folded: HashSet<String> = counts.keys().map(|domain| domain.to_lowercase()).collect();
    let mut found: Vec<(String, String)> =
        folded.into_iter().filter_map(|domain| all.meant(&domain).map(|meant| (domain, meant))).collect();
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
        similar_domains(&counts.iter().map(|(d, n)| ((*d).to_owned(), *n)).collect(), &[])
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
    fn domains_of_earlier_recipients_count_without_being_in_the_file() {
        let known = [("naru.example".to_owned(), 5), ("moonfern.example".to_owned(), 12)];
        let file = |domain: &str| similar_domains(&HashMap::from([(domain.to_owned(), 1)]), &known);
        assert_eq!(file("naru.exmaple"), [pair("naru.exmaple", "naru.example")]);
        assert_eq!(file("Moonfrn.example"), [pair("moonfrn.example", "moonfern.example")]);
        assert_eq!(file("nary.example"), [], "too few to tell a mistake from another organisation");
        assert_eq!(file("naru.example"), []);
        let both = [("moonfern.example".to_owned(), 40), ("moonfarn.example".to_owned(), 5)];
        assert_eq!(DomainCounts::new(both).meant("moonfarn.example"), None, "it has holders of its own");
    }

    #[test]
    fn well_known_domains_count_without_being_in_the_file() {
        assert_eq!(found(&[("GMIAL.com", 3)]), [pair("gmial.com", "gmail.com")]);
    }
}
