//! Filters out key presses that the user did not make. The terminal library reads an escape followed at once by
//! another character as the Esc key, and the rest as typed text. This happens in three cases:
//!
//! * a late answer of the terminal to a question asked before lapel started: Alt with a letter, then a text;
//! * `ESC` and an arrow key in one piece, which is `ESC ESC [ A`: read as Esc, `[` and `A`;
//! * an arrow key in two pieces on a slow line.
//!
//! Without this filter, the `/` in a colour opens the filter bar, and the `A` of an arrow key runs a command.

use crate::tui::input::typed;
use crate::tui::message::Message;
use crate::tui::prelude::*;
use std::time::Instant;

/// Longest pause between two bytes of a terminal's answer. Pauses between typed keys are longer.
const WITHIN_ANSWER: Duration = Duration::from_millis(100);
const LONGEST_ANSWER: Duration = Duration::from_secs(1);
/// Longest pause after an escape that belongs to the same sequence. Typed keys come later.
const AT_ONCE: Duration = Duration::from_millis(50);
/// Longest sequence that a key or a mouse event sends, in characters.
const LONGEST_SEQUENCE: usize = 32;

/// What is being read.
#[derive(Debug, Default)]
pub enum Escapes {
    #[default]
    Keys,
    Esc(Instant),
    /// An answer of the terminal: the times of its first and its last key.
    Response(Instant, Instant),
    /// An incomplete sequence without its escape, and the time of its last key.
    Sequence(String, Instant),
    /// A paste with a broken start, and the time of its last key.
    Paste(Instant),
}

impl Escapes {
    /// `answer`: an answer of the terminal has already begun.
    pub fn within(answer: bool) -> Self {
        let now = Instant::now();
        if answer { Self::Response(now, now) } else { Self::Keys }
    }

    pub fn pass(&mut self, key: KeyEvent, now: Instant) -> Option<KeyEvent> {
        let soon = |last: Instant, bound| now.saturating_duration_since(last) < bound;
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let sign = match key.code {
            KeyCode::Char(c) if !key.modifiers.contains(KeyModifiers::CONTROL) => Some(c),
            _ => None,
        };
        match (std::mem::take(self), sign) {
            (Self::Response(began, last), _) if soon(last, WITHIN_ANSWER) && soon(began, LONGEST_ANSWER) => {
                let bell = key.code == KeyCode::Char('g') && key.modifiers.contains(KeyModifiers::CONTROL);
                let ends = bell || (alt && sign == Some('\\'));
                if !ends {
                    *self = Self::Response(began, now);
                }
                return None;
            }
            (Self::Paste(last), _) if soon(last, WITHIN_ANSWER) => {
                // These are not keys. The end of the paste is unknown, so it is not used as text either.
                *self = Self::Paste(now);
                return None;
            }
            (Self::Esc(at), Some(c @ ('[' | 'O'))) if !alt && soon(at, AT_ONCE) => {
                *self = Self::Sequence(c.to_string(), now);
                return None;
            }
            (Self::Esc(at), Some(c)) if !alt && is_control_string(c) && soon(at, AT_ONCE) => {
                *self = Self::Response(now, now);
                return None;
            }
            (Self::Sequence(text, last), Some(c))
                if !alt && c.is_ascii() && text.len() < LONGEST_SEQUENCE && soon(last, WITHIN_ANSWER) =>
            {
                return self.sequence(text + c.encode_utf8(&mut [0; 4]), now);
            }
            _ => {}
        }
        // lapel binds none of these keys.
        if alt && sign.is_some_and(is_control_string) {
            *self = Self::Response(now, now);
            return None;
        }
        if key.code == KeyCode::Esc {
            *self = Self::Esc(now);
        }
        Some(key)
    }

    /// Adds a character to a sequence. Returns its key once the sequence is complete, if it is a key.
    fn sequence(&mut self, text: String, now: Instant) -> Option<KeyEvent> {
        if text.starts_with('[') && text.ends_with(|c: char| (' '..='?').contains(&c)) {
            *self = Self::Sequence(text, now);
            return None;
        }
        if text == "[200~" {
            *self = Self::Paste(now);
            return None;
        }
        match typed::messages(format!("\x1b{text}").as_bytes()).pop() {
            Some(Message::Key(key)) => Some(key),
            _ => None,
        }
    }
}

/// Whether this character after an escape begins a control string: OSC, DCS, APC, PM or SOS.
fn is_control_string(c: char) -> bool {
    matches!(c, ']' | 'P' | '_' | '^' | 'X')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: char, modifiers: KeyModifiers) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(code), modifiers)
    }

    /// Sends the characters with this pause between them. Returns those that remain as keys.
    fn left(answers: &mut Escapes, text: &str, apart: Duration) -> String {
        let mut now = Instant::now();
        let mut left = String::new();
        for c in text.chars() {
            now += apart;
            if answers.pass(key(c, KeyModifiers::NONE), now).is_some() {
                left.push(c);
            }
        }
        left
    }

    #[test]
    fn a_late_answer_is_taken_whole_and_what_follows_is_not() {
        let quick = Duration::from_millis(1);
        for (begin, end) in [
            (key(']', KeyModifiers::ALT), key('\\', KeyModifiers::ALT)),
            (key(']', KeyModifiers::ALT), key('g', KeyModifiers::CONTROL)),
            (key('P', KeyModifiers::ALT | KeyModifiers::SHIFT), key('\\', KeyModifiers::ALT)),
            (key('_', KeyModifiers::ALT), key('\\', KeyModifiers::ALT)),
        ] {
            let mut answers = Escapes::default();
            assert!(answers.pass(begin, Instant::now()).is_none());
            assert_eq!(left(&mut answers, "11;rgb:1a1a/1b1b/2626", quick), "");
            assert!(answers.pass(end, Instant::now() + Duration::from_millis(30)).is_none());
            assert_eq!(left(&mut answers, "jkq", quick), "jkq");
        }
    }

    #[test]
    fn the_rest_of_an_answer_is_no_keys() {
        let mut answers = Escapes::within(true);
        assert_eq!(left(&mut answers, "1b/2626", Duration::from_millis(1)), "");
        assert!(answers.pass(key('g', KeyModifiers::CONTROL), Instant::now()).is_none());
        assert_eq!(left(&mut answers, "jkq", Duration::from_millis(1)), "jkq");
        let mut none = Escapes::within(false);
        assert_eq!(left(&mut none, "jkq", Duration::from_millis(1)), "jkq");
    }

    #[test]
    fn an_answer_that_breaks_off_does_not_take_a_persons_keys() {
        let mut answers = Escapes::default();
        assert!(answers.pass(key(']', KeyModifiers::ALT), Instant::now()).is_none());
        assert_eq!(left(&mut answers, "jkq", Duration::from_millis(120)), "jkq");
        assert!(answers.pass(key('P', KeyModifiers::ALT), Instant::now()).is_none());
        // A held key repeats about 30 times a second.
        assert_eq!(left(&mut answers, &"j".repeat(40), Duration::from_millis(33)).len(), 10);
    }

    #[test]
    fn other_keys_with_alt_are_keys() {
        let mut answers = Escapes::default();
        for c in ['b', 'f', 'd', '\\', '[', 'g'] {
            assert!(answers.pass(key(c, KeyModifiers::ALT), Instant::now()).is_some(), "{c}");
        }
        assert!(answers.pass(key('P', KeyModifiers::SHIFT), Instant::now()).is_some());
    }

    fn keys(escapes: &mut Escapes, events: &[KeyCode], apart: Duration) -> Vec<KeyCode> {
        let mut now = Instant::now();
        let mut left = Vec::new();
        for code in events {
            now += apart;
            let shift = matches!(code, KeyCode::Char(c) if c.is_uppercase());
            let modifiers = if shift { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
            left.extend(escapes.pass(KeyEvent::new(*code, modifiers), now).map(|key| key.code));
        }
        left
    }

    fn events(text: &str) -> Vec<KeyCode> {
        std::iter::once(KeyCode::Esc).chain(text.chars().map(KeyCode::Char)).collect()
    }

    #[test]
    fn an_arrow_key_right_after_esc_is_an_arrow_key() {
        let quick = Duration::from_micros(10);
        for (text, after) in [
            ("[A", vec![KeyCode::Up]),
            ("OB", vec![KeyCode::Down]),
            ("[6~", vec![KeyCode::PageDown]),
            ("[Aj", vec![KeyCode::Up, KeyCode::Char('j')]),
            ("[1;5A", vec![]),
            ("[<0;10;12Mj", vec![KeyCode::Char('j')]),
            // A paste: its text is not taken for keys.
            ("[200~qyx", vec![]),
            ("]11;rgb:1a1a", vec![]),
        ] {
            let expected: Vec<KeyCode> = std::iter::once(KeyCode::Esc).chain(after).collect();
            assert_eq!(keys(&mut Escapes::default(), &events(text), quick), expected, "{text}");
        }
    }

    #[test]
    fn what_a_person_types_after_esc_is_typed() {
        for text in ["[A", "OP", "]x", "Px", "q"] {
            let typed = events(text);
            assert_eq!(keys(&mut Escapes::default(), &typed, Duration::from_millis(120)), typed, "{text}");
        }
        // An incomplete sequence does not swallow later keys.
        let mut escapes = Escapes::default();
        assert_eq!(keys(&mut escapes, &events("[1;"), Duration::from_micros(10)), [KeyCode::Esc]);
        let later = Instant::now() + Duration::from_secs(1);
        assert!(escapes.pass(key('A', KeyModifiers::SHIFT), later).is_some());
    }
}
