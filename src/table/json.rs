//! JSON that is safe to print in a terminal.

use crate::domain::text::is_invisible;
use serde_json::Value;
use std::fmt::Write;

/// Control and invisible characters become JSON escapes, which keep the value.
pub fn json_line(value: &Value) -> String {
    let raw = value.to_string();
    let harmless = |c: char| !c.is_control() && !is_invisible(c) && !matches!(c, '\u{2028}' | '\u{2029}');
    if raw.chars().all(harmless) {
        return raw;
    }
    let mut out = String::with_capacity(raw.len() + 16);
    for c in raw.chars() {
        if harmless(c) {
            out.push(c);
        } else {
            // In JSON, only strings can contain these characters.
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a `String` cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_terminal_obeys_nothing_and_a_reader_loses_nothing() {
        let nasty = "a\u{1b}[2J\u{9b}31m\u{202e}b\u{200b}\u{e0041}한글\u{2028}\n\"\\";
        let said = json_line(&json!({ nasty: nasty }));
        assert!(said.chars().all(|c| !c.is_control() && !is_invisible(c)), "{said}");
        assert!(
            said.contains("한글") && said.contains("\\u001b") && said.contains("\\udb40\\udc41"),
            "{said}"
        );
        let back: Value = serde_json::from_str(&said).expect("JSON");
        assert_eq!(back, json!({ nasty: nasty }));
    }
}
