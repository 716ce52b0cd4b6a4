//! Writes cells safely: no cell controls a terminal or becomes a formula, and every lost character
//! has a mark.

use crate::domain::text::scrub;
use encoding_rs::EUC_KR;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// The OWASP list, with full-width forms.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Also after a user removes apostrophes in front.
fn is_formula(cell: &str) -> bool {
    cell.trim_start_matches('\'').starts_with(FORMULA)
}

/// [`unescape_formula`] removes exactly this apostrophe.
pub fn escape_formula(cell: &str) -> Cow<'_, str> {
    if is_formula(cell) { Cow::Owned(format!("'{cell}")) } else { Cow::Borrowed(cell) }
}

/// Removes only the apostrophe of [`escape_formula`].
pub fn unescape_formula(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(bare) if is_formula(bare) => bare,
        _ => cell,
    }
}

/// As in the TUI: `␛`, `⟨U+202E⟩`.
fn unicode_sign(c: char) -> String {
    scrub(c.encode_utf8(&mut [0; 4])).into_owned()
}

/// `<U+001B>`, for encodings without these characters.
fn ascii_sign(c: char) -> String {
    format!("<U+{:04X}>", c as u32)
}

/// Also returns the replaced characters. Line breaks and tabs stay: notes contain them, and a quoted cell can
/// hold them. Other harmless characters stay too, because a second import must read the same text.
pub(super) fn visible(raw: &str) -> (Cow<'_, str>, Vec<char>) {
    mark(raw, unicode_sign)
}

fn mark(raw: &str, sign: fn(char) -> String) -> (Cow<'_, str>, Vec<char>) {
    // Most cells are plain.
    if raw.bytes().all(|byte| matches!(byte, b' '..=b'~')) || !raw.chars().any(|c| c == '\r' || is_obeyed(c))
    {
        return (Cow::Borrowed(raw), Vec::new());
    }
    let mut out = String::with_capacity(raw.len() + 8);
    let mut marked = Vec::new();
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        // After a carriage return without a line feed, a terminal would overwrite the text before it.
        let stays = if c == '\r' { chars.peek() == Some(&'\n') } else { !is_obeyed(c) };
        if stays {
            out.push(c);
        } else {
            out.push_str(&sign(c));
            note(&mut marked, c);
        }
    }
    (Cow::Owned(out), marked)
}

/// Characters that control a terminal, reverse text, or are not allowed in XML.
fn is_obeyed(c: char) -> bool {
    (c.is_control() && !matches!(c, '\t' | '\n' | '\r'))
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// A few characters are enough to tell the user what to look for.
fn note(all: &mut Vec<char>, c: char) {
    const FEW: usize = 16;
    if all.len() < FEW && !all.contains(&c) {
        all.push(c);
    }
}

/// CP949 is the encoding of Korean Excel.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Korean {
    pub bytes: Vec<u8>,
    /// A terminal would have obeyed these.
    pub marked: Vec<char>,
    pub unmappable: Vec<char>,
}

/// A missing character becomes a mark such as `<U+1F600>`, never a question mark.
pub(super) fn korean(raw: &str) -> Korean {
    let (text, marked) = mark(raw, ascii_sign);
    let text = escape_formula(&text);
    let whole = |text: &str| {
        let (bytes, _, lossy) = EUC_KR.encode(text);
        (!lossy).then(|| bytes.into_owned())
    };
    if let Some(bytes) = whole(&text) {
        return Korean { bytes, marked, unmappable: Vec::new() };
    }
    // Decomposed syllables, as a Mac writes them, are composed.
    let composed: String = text.nfc().collect();
    if let Some(bytes) = whole(&composed) {
        return Korean { bytes, marked, unmappable: Vec::new() };
    }
    let (mut bytes, mut unmappable) = (Vec::with_capacity(composed.len()), Vec::new());
    for c in composed.chars() {
        if let Some(known) = whole(c.encode_utf8(&mut [0; 4])) {
            bytes.extend(known);
        } else {
            bytes.extend(ascii_sign(c).into_bytes());
            note(&mut unmappable, c);
        }
    }
    Korean { bytes, marked, unmappable }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formulas_get_an_apostrophe_and_lose_it_again() {
        for raw in ["=1+1", "+amy@x.example", "-", "@x", "＝1", "＋", "－", "＠", "\tx", "\nx", "'=1", "''+"]
        {
            let escaped = escape_formula(raw).into_owned();
            assert_eq!(escaped, format!("'{raw}"));
            assert_eq!(unescape_formula(&escaped), raw);
        }
        for plain in ["kim@naru.example", "O'Neil", "'tis", "'", "", " =1", "홍철"] {
            assert_eq!(escape_formula(plain), plain);
            assert_eq!(unescape_formula(plain), plain);
        }
    }

    #[test]
    fn what_a_terminal_obeys_becomes_a_mark_and_the_rest_stays() {
        assert_eq!(
            visible("a\u{1b}[31m\u{202e}b\u{0}"),
            ("a␛[31m⟨U+202E⟩b␀".into(), vec!['\u{1b}', '\u{202e}', '\u{0}'])
        );
        assert_eq!(visible("over\rwritten"), ("over␍written".into(), vec!['\r']));
        for same in ["line\r\nbreak", "note\nnote\ttab", "신\u{3000}해인", "👩\u{200d}🚀", "\u{3164}", "علي"]
        {
            assert_eq!(visible(same), (same.into(), Vec::new()), "{same:?}");
        }
    }

    #[test]
    fn cp949_has_a_mark_for_what_it_lacks() {
        let cell = korean("송별 😀 ȫ\u{1b}");
        let (text, _, damaged) = EUC_KR.decode(&cell.bytes);
        assert!(!damaged);
        assert_eq!(text, "송별 <U+1F600> <U+022B><U+001B>");
        assert_eq!((cell.marked, cell.unmappable), (vec!['\u{1b}'], vec!['😀', 'ȫ']));
    }

    #[test]
    fn cp949_keeps_all_hangul_hanja_and_names_that_were_taken_apart() {
        for (raw, read) in [
            ("뷁믜펲똠", "뷁믜펲똠"),
            // CP949 has the compatibility forms. Composing would have changed them into other characters.
            ("\u{f90a}\u{f9e1}", "\u{f90a}\u{f9e1}"),
            ("\u{1100}\u{1175}\u{11b7}", "김"),
        ] {
            let cell = korean(raw);
            assert_eq!(cell.unmappable, Vec::<char>::new());
            assert_eq!(EUC_KR.decode(&cell.bytes).0, read);
        }
    }

    proptest! {
        #[test]
        fn an_apostrophe_always_comes_off_again(raw in "['=+@a\t＝-]{0,4}|\\PC*") {
            let escaped = escape_formula(&raw);
            prop_assert_eq!(unescape_formula(&escaped), raw.as_str());
        }

        #[test]
        fn no_formula_survives(raw in any::<String>()) {
            prop_assert!(!escape_formula(&visible(&raw).0).starts_with(FORMULA));
        }

        #[test]
        fn cp949_never_loses_a_character_silently(raw in any::<String>()) {
            let cell = korean(&raw);
            let (text, _, damaged) = EUC_KR.decode(&cell.bytes);
            prop_assert!(!damaged);
            prop_assert!(text.matches('?').count() == raw.nfc().filter(|c| *c == '?').count());
        }
    }
}
