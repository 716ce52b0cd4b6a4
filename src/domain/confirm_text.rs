//! The text that a user types to confirm: a number, and in LIVE the organisation's short name after it.

use super::text::scrub;
use unicode_normalization::UnicodeNormalization;

/// Words that do not tell one organisation from another.
const GENERIC: &str = "the of university college institute school 학교법인 재단법인 사단법인 주식회사";
const GENERIC_END: &str = "대학교";

/// Case counts. Unicode composition and surrounding blanks do not. A text that cannot be typed may
/// also be typed as it is displayed. An empty input never matches.
fn is_typed(typed: &str, wanted: &str) -> bool {
    let same = |a: &str, b: &str| a.trim().nfc().eq(b.trim().nfc());
    !typed.trim().is_empty() && (same(typed, wanted) || same(typed, &scrub(wanted)))
}

/// The first word with two letters or more, in lower case. Generic words and the ending 대학교 are
/// left out where something else remains. Without such a word it is the whole name.
pub fn short_name(organisation: &str) -> String {
    let folded = fold(organisation);
    let words: Vec<&str> = folded
        .split(|c: char| c.is_whitespace() || "()[],;/".contains(c))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() >= 2)
        .collect();
    let is_generic = |word: &str| GENERIC.split(' ').any(|generic| generic == word);
    match words.iter().find(|word| !is_generic(word)).or(words.first()) {
        Some(word) => {
            let stem = word.strip_suffix(GENERIC_END).filter(|stem| stem.chars().count() >= 2);
            stem.unwrap_or(word).to_owned()
        }
        None => scrub(organisation.trim()).into_owned(),
    }
}

fn fold(text: &str) -> String {
    text.nfkc().collect::<String>().to_uppercase().to_lowercase().nfkc().collect()
}

fn compact(text: &str) -> String {
    fold(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Case, spaces and punctuation do not count.
fn is_name(typed: &str, wanted: &str) -> bool {
    let (name, shown) = (compact(wanted), compact(&scrub(wanted)));
    if name.is_empty() { is_typed(typed, wanted) } else { [name, shown].contains(&compact(typed)) }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfirmText {
    count: u64,
    /// In LIVE: the short name and the full name. Each is right.
    names: Option<[String; 2]>,
}

impl ConfirmText {
    pub fn number(count: u64) -> Self {
        Self { count, names: None }
    }

    /// Without a short name, one is made of the organisation's name.
    pub fn live(count: u64, short: Option<&str>, organisation: &str) -> Self {
        let short = short.map_or_else(|| short_name(organisation), str::to_owned);
        Self { count, names: Some([short, organisation.to_owned()]) }
    }

    /// In LIVE without an organisation, nothing is right.
    pub fn is_possible(&self) -> bool {
        self.names.as_ref().is_none_or(|names| names.iter().any(|name| !name.trim().is_empty()))
    }

    pub fn has_name(&self) -> bool {
        self.names.is_some()
    }

    pub fn is_typed(&self, typed: &str) -> bool {
        let typed: String = typed.nfkc().collect();
        let typed = typed.trim();
        let end = typed.find(|c: char| !c.is_ascii_digit()).unwrap_or(typed.len());
        let (number, name) = typed.split_at(end);
        number == self.count.to_string()
            && match &self.names {
                None => name.is_empty(),
                Some(names) => names.iter().any(|wanted| is_name(name, wanted)),
            }
    }
}

/// For a sentence: `1177 naru`.
impl std::fmt::Display for ConfirmText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.names {
            None => write!(f, "{}", self.count),
            Some([short, _]) => write!(f, "{} {}", self.count, scrub(short.trim())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_asked_for_is_right() {
        assert!(is_typed("12\n", "12") && is_typed(" 12 \r\n", "12"));
        let apart: String = "대학교".nfd().collect();
        assert!(is_typed(&apart, "대학교") && is_typed("대학교\n", &apart), "however it is composed");
        assert!(is_typed("a\u{202e}b", "a\u{202e}b") && is_typed(&scrub("a\u{202e}b"), "a\u{202e}b"));
        for typed in ["", "\n", "  \n", "y\n", "yes\n", "1\n", "120\n", "012\n"] {
            assert!(!is_typed(typed, "12"), "{typed:?}");
            assert!(!ConfirmText::number(12).is_typed(typed), "{typed:?}");
        }
        assert!(!is_typed("naru university", "Naru University"), "in its case");
        assert!(!is_typed("\n", "") && !is_typed("", ""), "nothing is never right");
        for typed in ["12", " 12\r\n", "１２"] {
            assert!(ConfirmText::number(12).is_typed(typed), "{typed:?}");
        }
    }

    #[test]
    fn the_short_name_is_the_first_word_that_tells_it_from_others() {
        for (organisation, short) in [
            ("Naru University", "naru"),
            ("The University of Naru", "naru"),
            ("달무리대학교 평생교육원", "달무리"),
            ("연습용 기관", "연습용"),
            ("학교법인 나루학원", "나루학원"),
            ("(주)나루", "나루"),
            ("University", "university"),
            ("대학교", "대학교"),
            ("St. Naru", "st"),
            ("badges.naru.example", "badges.naru.example"),
            ("A 1", "A 1"),
            ("3M", "3M"),
            (" ★ ", "★"),
            ("", ""),
        ] {
            assert_eq!(short_name(organisation), short, "{organisation}");
        }
        let apart: String = "달무리대학교".nfd().collect();
        assert_eq!(short_name(&apart), "달무리");
    }

    #[test]
    fn in_live_the_number_and_a_name_are_typed_in_one_line() {
        let wanted = ConfirmText::live(1177, None, "Naru University");
        assert_eq!(wanted.to_string(), "1177 naru");
        let full: String = "１１７７ ＮＡＲＵ university".to_owned();
        for typed in ["1177 naru", " 1177  NARU ", "1177naru", "1177 na-ru.", "1177 Naru University", &full] {
            assert!(wanted.is_typed(typed), "{typed:?}");
        }
        for typed in ["", "1177", "naru", "naru 1177", "117 naru", "11777 naru", "1177 nar", "1177 n", "y"] {
            assert!(!wanted.is_typed(typed), "{typed:?}");
        }
        let hangul = ConfirmText::live(2, None, "달무리대학교");
        let apart: String = "2 달무리".nfd().collect();
        assert!(hangul.is_typed("2 달무리") && hangul.is_typed(&apart) && hangul.is_typed("2 달무리 대학교"));
        let chosen = ConfirmText::live(2, Some("DMU"), "달무리대학교");
        assert!(chosen.to_string() == "2 DMU" && chosen.is_typed("2 dmu") && !chosen.is_typed("2 달무리"));
        let digits = ConfirmText::live(1, None, "3M");
        assert!(digits.is_typed("1 3m") && !digits.is_typed("13m") && !digits.is_typed("1 3"));
        let signs = ConfirmText::live(1, None, "★★");
        assert!(signs.is_typed("1 ★★") && !signs.is_typed("1") && !signs.is_typed("1 ★"));
    }

    #[test]
    fn without_an_organisation_nothing_is_right_in_live_unless_a_short_name_is_set() {
        let unknown = ConfirmText::live(1, None, "");
        assert!(!unknown.is_possible() && !unknown.is_typed("1") && !unknown.is_typed("1 "));
        let named = ConfirmText::live(1, Some("naru"), "");
        assert!(named.is_possible() && named.is_typed("1 naru") && !named.is_typed("1"));
    }
}
