//! Parses damaged JSON: one invalid value must not hide the records around it.

use crate::api::prelude::*;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Deeper contents are dropped.
const DEEPEST: usize = 100;

/// Order: byte order mark, valid UTF-8 (services declare other encodings by default), declared
/// charset. Undecodable bytes become replacement characters.
pub(super) fn text(bytes: Vec<u8>, content_type: Option<&str>) -> String {
    let declared = content_type.and_then(charset);
    let marked = Encoding::for_bom(&bytes).map(|(encoding, _)| encoding);
    match marked.or(declared) {
        // ASCII text in UTF-16 is also valid UTF-8, with NUL characters.
        Some(wide) if wide == UTF_16LE || wide == UTF_16BE => wide.decode(&bytes).0.into_owned(),
        _ => String::from_utf8(bytes)
            .unwrap_or_else(|error| declared.unwrap_or(UTF_8).decode(error.as_bytes()).0.into_owned()),
    }
}

fn charset(content_type: &str) -> Option<&'static Encoding> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches('"');
        name.trim().eq_ignore_ascii_case("charset").then(|| Encoding::for_label(value.as_bytes()))?
    })
}

/// `None` if the structure is damaged.
pub(super) fn json(text: &str) -> Option<Value> {
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&repaired(text))).ok()
}

/// Replaces invalid values: half a surrogate pair, an unknown escape, a raw control character, an
/// invalid number or word, nesting that is too deep.
fn repaired(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let (mut rest, mut depth) = (text, 0_usize);
    while let Some(first) = rest.chars().next() {
        let len = match first {
            '"' => {
                let mut dropped = String::new();
                string(rest, if depth > DEEPEST { &mut dropped } else { &mut out })
            }
            '{' | '[' => {
                depth += 1;
                match depth {
                    ..=DEEPEST => out.push(first),
                    n if n == DEEPEST + 1 => out.push_str("null"),
                    _ => {}
                }
                1
            }
            '}' | ']' => {
                if depth <= DEEPEST {
                    out.push(first);
                }
                depth = depth.saturating_sub(1);
                1
            }
            c if c.is_whitespace() || c == ',' || c == ':' => {
                if depth <= DEEPEST {
                    out.push(c);
                }
                c.len_utf8()
            }
            _ => {
                let ends = |c: char| c.is_whitespace() || "{}[],:\"".contains(c);
                let len = rest.find(ends).unwrap_or(rest.len());
                if depth <= DEEPEST {
                    word(&rest[..len], &mut out);
                }
                len
            }
        };
        rest = &rest[len..];
    }
    out
}

/// An invalid number (`007`, `1e999`) keeps its digits as text.
fn word(word: &str, out: &mut String) {
    if serde_json::from_str::<Value>(word).is_ok() {
        out.push_str(word);
    } else if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') && !word.starts_with("-I") {
        out.push_str(&Value::from(word).to_string());
    } else {
        out.push_str(match word.to_ascii_lowercase().as_str() {
            "true" => "true",
            "false" => "false",
            _ => "null",
        });
    }
}

/// Writes the string at the start of `text`, and returns its length there.
fn string(text: &str, out: &mut String) -> usize {
    out.push('"');
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                out.push('"');
                return at + 1;
            }
            '\\' => {
                let after = &text[at + 1..];
                let taken = escape(after, out);
                for _ in 0..after.get(..taken).map_or(0, |taken| taken.chars().count()) {
                    chars.next();
                }
            }
            c if c.is_control() && u32::from(c) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    // Without an end the structure remains damaged.
    text.len()
}

/// `after` follows the backslash. Returns the number of bytes consumed.
fn escape(after: &str, out: &mut String) -> usize {
    let unit = |text: &str| -> Option<u16> {
        let digits = text.strip_prefix('u')?.get(..4)?;
        digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
    };
    match (after.chars().next(), unit(after)) {
        (Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't'), _) => {
            out.push('\\');
            out.push_str(&after[..1]);
            1
        }
        (_, Some(0xd800..=0xdbff)) => {
            let low = after[5..].strip_prefix('\\').and_then(unit);
            if matches!(low, Some(0xdc00..=0xdfff)) {
                out.push('\\');
                out.push_str(&after[..11]);
                11
            } else {
                out.push('\u{fffd}');
                5
            }
        }
        (_, Some(0xdc00..=0xdfff)) => {
            out.push('\u{fffd}');
            5
        }
        (_, Some(_)) => {
            out.push('\\');
            out.push_str(&after[..5]);
            5
        }
        (Some(_), None) => {
            out.push_str("\\\\");
            0
        }
        (None, None) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn what_is_wrong_in_one_value_is_replaced_and_the_rest_stays() {
        for (sent, read) in [
            (r#"{"a":"x\ud800y","b":1}"#, json!({"a": "x\u{fffd}y", "b": 1})),
            (r#"{"a":"\udc00"}"#, json!({"a": "\u{fffd}"})),
            (r#"{"a":"\ud83d\ude00 \ud83d"}"#, json!({"a": "😀 \u{fffd}"})),
            (r#"{"a":"\ud800\u0041"}"#, json!({"a": "\u{fffd}A"})),
            (r#"{"a":"\ud800\\","b":"}"}"#, json!({"a": "\u{fffd}\\", "b": "}"})),
            (r#"{"a":"\uZZZZ","b":"\x41"}"#, json!({"a": "\\uZZZZ", "b": "\\x41"})),
            ("{\"a\":\"one\ntwo\tthree\u{0}\"}", json!({"a": "one\ntwo\tthree\u{0}"})),
            (r#"{"a":007,"b":1e999,"c":-}"#, json!({"a": "007", "b": "1e999", "c": "-"})),
            (
                r#"{"a":NaN,"b":-Infinity,"c":None,"d":True}"#,
                json!({"a": null, "b": null, "c": null, "d": true}),
            ),
        ] {
            assert_eq!(json(sent).unwrap_or_else(|| panic!("{sent}")), read, "{sent}");
        }
        for broken in ["{\"a\":\"", "{\"a\":\"\\", "{\"a\":1", "{\"a\" 1}", "[1,,2]", ""] {
            assert_eq!(json(broken), None, "{broken}");
        }
    }

    #[test]
    fn a_record_that_is_nested_too_deep_hides_no_other() {
        let deep = format!("{}\"]\"{}", "[".repeat(5_000), "]".repeat(5_000));
        let read = json(&format!(r#"{{"list":[{{"badge_id":"B1","x":{deep}}},{{"badge_id":"B2"}}]}}"#))
            .expect("JSON");
        assert_eq!(
            (&read["list"][0]["badge_id"], &read["list"][1]["badge_id"]),
            (&json!("B1"), &json!("B2"))
        );
    }

    #[test]
    fn the_declared_charset_is_used_unless_the_bytes_say_otherwise() {
        let korean = "{\"a\":\"한서윤\"}";
        let euc_kr = encoding_rs::EUC_KR.encode(korean).0.into_owned();
        let wide: Vec<u8> = korean.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (bytes, declared) in [
            (euc_kr.clone(), "application/json; charset=EUC-KR"),
            (euc_kr.clone(), "application/json;Charset=\"ks_c_5601-1987\""),
            (korean.as_bytes().to_vec(), "application/json; charset=EUC-KR"),
            (korean.as_bytes().to_vec(), "text/html; charset=ISO-8859-1"),
            (korean.as_bytes().to_vec(), "application/json"),
            ([b"\xef\xbb\xbf", korean.as_bytes()].concat(), "application/json"),
            (wide.clone(), "application/json; charset=utf-16be"),
            ([b"\xfe\xff".to_vec(), wide].concat(), "application/json"),
        ] {
            assert_eq!(text(bytes, Some(declared)).trim_start_matches('\u{feff}'), korean, "{declared}");
        }
        assert!(text(euc_kr, None).contains('\u{fffd}'), "nothing is guessed");
    }

    proptest! {
        #[test]
        fn repairing_never_panics_and_leaves_what_is_right(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let text = String::from_utf8_lossy(&bytes);
            let _ = json(&text);
            let inside = json!({ "a": text, "b": [1.5, null, true] }).to_string();
            prop_assert_eq!(serde_json::from_str::<Value>(&repaired(&inside)).ok(), serde_json::from_str(&inside).ok());
        }

        #[test]
        fn halves_of_pairs_anywhere_cost_no_other_value(units in proptest::collection::vec(any::<u16>(), 0..40)) {
            let escaped = units.iter().fold(String::new(), |all, unit| format!("{all}\\u{unit:04x}"));
            let read = json(&format!(r#"{{"a":"{escaped}","b":"after"}}"#));
            prop_assert_eq!(read, Some(json!({ "a": String::from_utf16_lossy(&units), "b": "after" })));
        }
    }
}
