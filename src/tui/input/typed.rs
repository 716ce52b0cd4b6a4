//! Keys and pastes between the terminal's answers at the start, when nothing else reads the terminal. Supports
//! the keys that a user is likely to press early. Unknown bytes are dropped.

use crate::tui::message::Message;
use crate::tui::prelude::*;

const PASTE: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

pub fn messages(mut bytes: &[u8]) -> Vec<Message> {
    let mut messages = Vec::new();
    while !bytes.is_empty() {
        if let Some(rest) = bytes.strip_prefix(PASTE) {
            let end = rest.windows(PASTE_END.len()).position(|w| w == PASTE_END);
            let text = String::from_utf8_lossy(&rest[..end.unwrap_or(rest.len())]).into_owned();
            messages.push(Message::Paste(text));
            bytes = end.map_or(&[], |end| &rest[end + PASTE_END.len()..]);
            continue;
        }
        let (key, used) = key(bytes);
        if let Some(key) = key {
            messages.push(Message::Key(key));
        }
        bytes = bytes.get(used.max(1)..).unwrap_or_default();
    }
    messages
}

/// Returns the first key and the number of its bytes.
fn key(bytes: &[u8]) -> (Option<KeyEvent>, usize) {
    let plain = |code| Some(KeyEvent::new(code, KeyModifiers::NONE));
    match bytes {
        [0x1b, b'[' | b'O', rest @ ..] => {
            let long = rest.iter().position(|b| (0x40..=0x7e).contains(b));
            let Some(long) = long else { return (None, bytes.len()) };
            let code = match (&rest[..long], rest[long]) {
                ([], b'A') => Some(KeyCode::Up),
                ([], b'B') => Some(KeyCode::Down),
                ([], b'C') => Some(KeyCode::Right),
                ([], b'D') => Some(KeyCode::Left),
                ([], b'H') | (b"1" | b"7", b'~') => Some(KeyCode::Home),
                ([], b'F') | (b"4" | b"8", b'~') => Some(KeyCode::End),
                ([], b'Z') => return (Some(KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT)), long + 3),
                ([], b'P') | (b"11", b'~') => Some(KeyCode::F(1)),
                (b"15", b'~') => Some(KeyCode::F(5)),
                (b"3", b'~') => Some(KeyCode::Delete),
                (b"5", b'~') => Some(KeyCode::PageUp),
                (b"6", b'~') => Some(KeyCode::PageDown),
                _ => None,
            };
            (code.and_then(plain), long + 3)
        }
        // With Alt: lapel has no such key.
        [0x1b, next, ..] if *next != 0x1b => {
            let (_, used) = key(&bytes[1..]);
            (None, used + 1)
        }
        [0x1b, ..] => (plain(KeyCode::Esc), 1),
        [b'\r' | b'\n', ..] => (plain(KeyCode::Enter), 1),
        [b'\t', ..] => (plain(KeyCode::Tab), 1),
        [0x7f | 0x08, ..] => (plain(KeyCode::Backspace), 1),
        [letter @ 0x01..=0x1a, ..] => {
            let code = KeyCode::Char(char::from(letter - 1 + b'a'));
            (Some(KeyEvent::new(code, KeyModifiers::CONTROL)), 1)
        }
        [0x00..=0x1f, ..] | [] => (None, 1),
        _ => {
            // No character has more bytes, and a long text has many.
            let first = &bytes[..bytes.len().min(4)];
            let text = first.utf8_chunks().next().map(|chunk| chunk.valid()).unwrap_or_default();
            match text.chars().next() {
                Some(c) => {
                    let shift = if c.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
                    (Some(KeyEvent::new(KeyCode::Char(c), shift)), c.len_utf8())
                }
                None => (None, 1),
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test says what went wrong")]
mod tests {
    use super::*;

    fn names(bytes: &[u8]) -> Vec<String> {
        messages(bytes)
            .into_iter()
            .map(|m| match m {
                Message::Key(key) => format!("{:?}{:?}", key.modifiers, key.code),
                Message::Paste(text) => format!("paste {text}"),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn keys_are_what_the_terminal_sends_for_them() {
        let read = names("2jG가\r\t\x7f\x03\x1b".as_bytes());
        let none = "KeyModifiers(0x0)";
        assert_eq!(
            read,
            [
                format!("{none}Char('2')"),
                format!("{none}Char('j')"),
                "KeyModifiers(SHIFT)Char('G')".into(),
                format!("{none}Char('가')"),
                format!("{none}Enter"),
                format!("{none}Tab"),
                format!("{none}Backspace"),
                "KeyModifiers(CONTROL)Char('c')".into(),
                format!("{none}Esc"),
            ]
        );
        assert_eq!(names(b"\x1b[B\x1bOA\x1b[6~").len(), 3);
    }

    #[test]
    fn a_paste_is_one_message_and_what_is_unknown_is_none() {
        assert_eq!(names(b"\x1b[200~q\nq\x1b[201~j"), ["paste q\nq".to_owned(), names(b"j")[0].clone()]);
        assert_eq!(names(b"\x1b[200~qq"), ["paste qq"]);
        for unknown in [&b"\x1b[<0;10;10M"[..], b"\x1bq", b"\x1b[99;3~", b"\xff", b"\x1b[1;5"] {
            assert!(names(unknown).is_empty(), "{unknown:?}");
        }
    }

    #[test]
    fn no_bytes_that_are_typed_do_harm() {
        let seeds: [&[u8]; 5] = [
            "2jG가\u{1f600}\r\t\x7f\x03\x1b".as_bytes(),
            b"\x1b[A\x1bOB\x1b[1;5C\x1b[15~\x1b[Z\x1bq\x1b[27;5;13~\x1b[97;5u",
            b"\x1b[<0;10;10M\x1b[<64;1;1m\x1b[M !!\x1b[I\x1b[O\x1b[8;24;80t",
            b"\x1b[200~X-API-KEY: dmu_live_0123456789abcdef0123456789abcdef\nq\x1b[201~j",
            b"\xea\xb0\xff\xc3\x28\xf0\x9f\x98",
        ];
        let words: [&[u8]; 5] = [PASTE, PASTE_END, b"\x1b[", b"\x1b", b"999999999999;"];
        crate::fuzz::fuzz("typed bytes", &seeds, &words, |bytes| drop(messages(bytes)));
    }

    /// The time grows with the text, not with its square.
    #[test]
    fn a_long_text_is_read_at_once() {
        assert_eq!(messages(&b"j".repeat(1 << 20)).len(), 1 << 20);
    }
}
