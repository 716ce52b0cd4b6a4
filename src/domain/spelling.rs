//! The spelling of an address for reading it aloud: marks the letters that a caller may get wrong.
//! A verifier compares addresses letter by letter, so case matters.

use super::look_alike::{foreign_letter, is_foreign, letter_name};
use super::text::{is_invisible, scrub};
use unicode_segmentation::UnicodeSegmentation;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpelledPiece {
    /// Scrubbed.
    pub text: String,
    /// Needs attention: capital letters, or characters that a plain address does not have.
    pub odd: bool,
}

fn is_odd(c: char) -> bool {
    !(c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-' | '_' | '@' | '+'))
}

/// Together they are the scrubbed address.
pub fn pieces(address: &str) -> Vec<SpelledPiece> {
    let mut pieces: Vec<(String, bool)> = Vec::new();
    // A combining mark stays with its letter.
    for cluster in address.graphemes(true) {
        let is_odd = cluster.chars().any(is_odd);
        match pieces.last_mut() {
            Some((text, odd)) if *odd == is_odd => text.push_str(cluster),
            _ => pieces.push((cluster.to_owned(), is_odd)),
        }
    }
    pieces.into_iter().map(|(text, odd)| SpelledPiece { text: scrub(&text).into_owned(), odd }).collect()
}

/// A Cyrillic or Greek letter among Latin ones is named: it looks like one of them.
pub fn remarks(address: &str) -> Vec<String> {
    let mut said = Vec::new();
    let foreign = foreign_letter(address);
    let hidden = |c: char| is_invisible(c) || c.is_control() || c.is_whitespace();
    if address.chars().any(char::is_uppercase) {
        said.push(t!("upper-case letters").to_owned());
    }
    if address.chars().any(hidden) {
        said.push(t!("a space or a hidden character").to_owned());
    }
    said.extend(foreign.map(letter_name));
    let is_named = |c: char| foreign.is_some() && is_foreign(c);
    if address.chars().any(|c| !c.is_ascii() && !hidden(c) && !is_named(c)) {
        said.push(t!("letters outside a to z").to_owned());
    }
    if address.chars().any(|c| c.is_ascii_punctuation() && is_odd(c)) {
        said.push(t!("unusual signs").to_owned());
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn odd_letters_stand_out() {
        let odd = |address: &str| -> Vec<String> {
            pieces(address).into_iter().filter(|p| p.odd).map(|p| p.text).collect()
        };
        assert!(odd("kim+tag_1@naru-x.example").is_empty());
        assert_eq!(odd("KIM.minSu@naru.example"), ["KIM", "S"]);
        assert_eq!(odd("kim\u{200b}@예시.example"), ["⟨U+200B⟩", "예시"]);
        assert_eq!(odd("o'neil@x.example"), ["'"]);
    }

    #[test]
    fn the_remarks_name_what_stands_out() {
        assert!(remarks("kim@naru.example").is_empty());
        assert_eq!(remarks("Kim@naru.example"), ["upper-case letters"]);
        assert_eq!(
            remarks("kim \u{200b}@예시.example"),
            ["a space or a hidden character", "letters outside a to z"]
        );
        assert_eq!(remarks("o'neil@x.example"), ["unusual signs"]);
        assert_eq!(remarks("iv\u{430}n.petrov@naru.example"), ["Cyrillic \u{430} (U+0430)"]);
        assert_eq!(
            remarks("iv\u{430}n@예시.example"),
            ["Cyrillic \u{430} (U+0430)", "letters outside a to z"]
        );
    }

    proptest! {
        #[test]
        fn what_stands_out_has_a_remark(address in any::<String>()) {
            prop_assert_eq!(pieces(&address).iter().any(|p| p.odd), !remarks(&address).is_empty());
        }
    }
}
