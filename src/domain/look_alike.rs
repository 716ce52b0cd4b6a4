//! Letters that look alike in two alphabets, full-width letters, and letters with accents. For comparing and searching;
//! lapel sends what the user confirmed.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Cyrillic and Greek letters, and the Latin letters that they look like.
const FOREIGN: [char; 59] = [
    'а', 'в', 'с', 'ԁ', 'е', 'ё', 'һ', 'н', 'і', 'ї', 'ј', 'к', 'ӏ', 'м', 'о', 'р', 'ԛ', 'ѕ', 'т', 'у', 'ԝ',
    'х', 'А', 'В', 'С', 'Е', 'Н', 'І', 'Ј', 'К', 'М', 'О', 'Р', 'Ѕ', 'Т', 'У', 'Х', 'α', 'ι', 'κ', 'ν', 'ο',
    'ρ', 'υ', 'χ', 'Α', 'Β', 'Ε', 'Ζ', 'Η', 'Ι', 'Κ', 'Μ', 'Ν', 'Ο', 'Ρ', 'Τ', 'Υ', 'Χ',
];
const LATIN: [char; FOREIGN.len()] = [
    'a', 'b', 'c', 'd', 'e', 'e', 'h', 'h', 'i', 'i', 'j', 'k', 'l', 'm', 'o', 'p', 'q', 's', 't', 'y', 'w',
    'x', 'A', 'B', 'C', 'E', 'H', 'I', 'J', 'K', 'M', 'O', 'P', 'S', 'T', 'Y', 'X', 'a', 'i', 'k', 'v', 'o',
    'p', 'u', 'x', 'A', 'B', 'E', 'Z', 'H', 'I', 'K', 'M', 'N', 'O', 'P', 'T', 'Y', 'X',
];

fn is_cyrillic(c: char) -> bool {
    matches!(c, '\u{400}'..='\u{52f}')
}

pub(super) fn is_foreign(c: char) -> bool {
    is_cyrillic(c) || matches!(c, '\u{370}'..='\u{3ff}')
}

/// `gmаil.com` with a Cyrillic а is another domain.
pub fn mixes_scripts(word: &str) -> bool {
    foreign_letter(word).is_some()
}

pub fn foreign_letter(text: &str) -> Option<char> {
    if text.is_ascii() {
        return None;
    }
    let latin = text.chars().any(|c| c.is_ascii_alphabetic());
    text.chars().find(|c| is_foreign(*c)).filter(|_| latin)
}

/// `Cyrillic а (U+0430)`.
pub fn letter_name(c: char) -> String {
    let code = format_args!("U+{:04X}", u32::from(c));
    if is_cyrillic(c) {
        t!("Cyrillic {letter} ({code})", letter = c, code)
    } else {
        t!("Greek {letter} ({code})", letter = c, code)
    }
}

pub fn half_width(text: &str) -> String {
    let half = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{3000}' => ' ',
        c => c,
    };
    text.chars().map(half).collect()
}

/// In lower case, without accents: `Zoë Ångström` is `zoe angstrom`. Only Latin letters lose theirs, because those of other
/// alphabets make another letter.
pub fn unaccented(text: &str) -> String {
    let lower = text.to_lowercase();
    if !lower
        .contains(|c| matches!(c, '\u{df}'..='\u{24f}' | '\u{300}'..='\u{36f}' | '\u{1e00}'..='\u{1eff}'))
    {
        return lower;
    }
    let mut is_latin = false;
    let kept = |c: &char| {
        let is_mark = is_combining_mark(*c);
        if !is_mark {
            is_latin = c.is_ascii_lowercase() || UNDIVIDED.iter().any(|(letter, _)| letter == c);
        }
        !is_mark || !is_latin
    };
    let bare: String = lower.nfd().filter(kept).nfc().collect();
    UNDIVIDED.iter().fold(bare, |text, (letter, letters)| text.replace(*letter, letters))
}

/// Latin letters that are not a letter and an accent.
const UNDIVIDED: [(char, &str); 9] = [
    ('æ', "ae"),
    ('ð', "d"),
    ('đ', "d"),
    ('ı', "i"),
    ('ł', "l"),
    ('ø', "o"),
    ('œ', "oe"),
    ('ß', "ss"),
    ('þ', "th"),
];

/// `None` if the text does not mix Latin letters with look-alikes, or if one of its letters has no twin.
pub fn in_latin(text: &str) -> Option<String> {
    foreign_letter(text)?;
    let twin = |c: char| FOREIGN.iter().position(|foreign| *foreign == c).map(|at| LATIN[at]);
    text.chars().map(|c| if is_foreign(c) { twin(c) } else { Some(c) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_letter_of_another_alphabet_is_named_and_folded() {
        for (typed, letter, latin) in [
            ("gm\u{430}il.com", Some("Cyrillic \u{430} (U+0430)"), Some("gmail.com")),
            ("\u{441}ho.m@naru.example", Some("Cyrillic \u{441} (U+0441)"), Some("cho.m@naru.example")),
            ("b\u{3bf}b", Some("Greek \u{3bf} (U+03BF)"), Some("bob")),
            // One letter without a twin: this is no slip.
            ("a\u{449}\u{430}", Some("Cyrillic \u{449} (U+0449)"), None),
            ("Анна", None, None),
            ("anna", None, None),
            ("한서윤", None, None),
        ] {
            assert_eq!(foreign_letter(typed).map(letter_name).as_deref(), letter, "{typed}");
            assert_eq!(in_latin(typed).as_deref(), latin, "{typed}");
        }
    }

    #[test]
    fn every_twin_is_foreign_and_stands_for_a_latin_letter() {
        for (foreign, latin) in FOREIGN.iter().zip(&LATIN) {
            assert!(is_foreign(*foreign) && latin.is_ascii_alphabetic(), "{foreign} {latin}");
        }
    }

    #[test]
    fn accents_do_not_count_on_latin_letters() {
        for (written, plain) in [
            ("Zoë Ångström", "zoe angstrom"),
            ("Zoe\u{308} A\u{30a}ngstro\u{308}m", "zoe angstrom"),
            ("Nguyễn Đặng Łukasz Øst Straße İnci Þór", "nguyen dang lukasz ost strasse inci thor"),
            ("é 한서윤", "e 한서윤"),
            // Not the same letter as к, и or か.
            ("é Ќ Й が", "e ќ й が"),
        ] {
            assert_eq!(unaccented(written), plain, "{written}");
        }
    }

    proptest! {
        #[test]
        fn a_text_without_accents_has_none_to_lose(text in any::<String>()) {
            let plain = unaccented(&text);
            prop_assert_eq!(unaccented(&plain), plain);
        }

        #[test]
        fn what_is_in_latin_has_no_foreign_letter_left(text in any::<String>()) {
            if let Some(latin) = in_latin(&text) {
                prop_assert_eq!(foreign_letter(&latin), None);
                prop_assert_eq!(latin.chars().count(), text.chars().count());
            }
            let is_full = |c: char| (0xff01..=0xff5e).contains(&u32::from(c));
            prop_assert!(!half_width(&text).chars().any(is_full));
        }
    }
}
