//! Checks the text that a user types to confirm sending.

use super::text::scrub;
use unicode_normalization::UnicodeNormalization;

/// Whether the user typed the wanted text. Case counts. Unicode composition and surrounding blanks do not. A
/// text that cannot be typed may also be typed as it is displayed. An empty input never matches.
pub fn is_typed(typed: &str, wanted: &str) -> bool {
    let same = |a: &str, b: &str| a.trim().nfc().eq(b.trim().nfc());
    !typed.trim().is_empty() && (same(typed, wanted) || same(typed, &scrub(wanted)))
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
        }
        assert!(!is_typed("naru university", "Naru University"), "in its case");
        assert!(!is_typed("\n", "") && !is_typed("", ""), "nothing is never right");
    }
}
