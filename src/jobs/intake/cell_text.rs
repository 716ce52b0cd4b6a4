//! Predicates and trimming for the text of a cell.

use crate::domain::text::is_invisible;

/// Trims white space and invisible characters, such as no-break spaces and Hangul fillers. Keeps direction
/// controls: they are no typing mistake, and a name with one is refused.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| !is_bidi(c) && (c.is_whitespace() || is_invisible(c) || c == '\u{2800}'))
}

pub(super) fn is_bidi(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

pub(super) fn is_blank(text: &str) -> bool {
    trim(text).is_empty()
}

/// Whether the text looks like an e-mail address. Good enough to detect a column; not a check.
pub(super) fn is_address_like(text: &str) -> bool {
    let text = trim(text);
    match text.split_once(['@', '\u{ff20}']) {
        Some((local, domain)) => {
            !local.is_empty() && text.len() <= 320 && domain.contains(['.', ',', '\u{3002}', '\u{ff0e}'])
        }
        None => false,
    }
}

pub(super) fn is_syllable(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7a3}')
}

/// Han characters, including compatibility forms.
pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}' | '々' | '〇')
}

pub(super) fn is_jamo(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3131}'..='\u{318e}' | '\u{a960}'..='\u{a97f}' | '\u{d7b0}'..='\u{d7ff}')
        && !is_invisible(c)
}

/// Whether the text is a spreadsheet error. A CSV export contains it as text.
pub(super) fn is_error_token(text: &str) -> bool {
    const TOKENS: [&str; 12] = [
        "#REF!",
        "#N/A",
        "#VALUE!",
        "#NAME?",
        "#DIV/0!",
        "#NUM!",
        "#NULL!",
        "#SPILL!",
        "#CALC!",
        "#FIELD!",
        "#GETTING_DATA",
        "#BLOCKED!",
    ];
    let text = trim(text);
    TOKENS.iter().any(|t| text.eq_ignore_ascii_case(t))
        || (text.starts_with('#') && text.len() >= 3 && text[1..].bytes().all(|b| b == b'#'))
        || text.strip_prefix("Err:").is_some_and(|n| n.len() == 3 && n.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_other_text() {
        for yes in ["a@b.example", " kim@naru,example ", "Kim <kim@naru.example>", "a＠b.example"] {
            assert!(is_address_like(yes), "{yes}");
        }
        for no in ["", "@", "kim", "이메일", "@naru.example", "kim@host"] {
            assert!(!is_address_like(no), "{no}");
        }
    }

    #[test]
    fn failed_formulas_are_told_from_other_text() {
        for yes in ["#REF!", " #n/a ", "####", "Err:502"] {
            assert!(is_error_token(yes), "{yes}");
        }
        for no in ["#1", "#", "N/A", "Err:x", "#김"] {
            assert!(!is_error_token(no), "{no}");
        }
    }
}
