//! Untrusted text: strings from the service, a file or the clipboard.

use std::borrow::Cow;
use std::fmt;
use unicode_normalization::char::{canonical_combining_class, compose, is_combining_mark};

/// A string from outside. Its only display form is scrubbed, so that no text from outside can
/// control the terminal or hide in a name.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(String);

impl Text {
    pub fn new(raw: impl Into<String>) -> Self {
        Self(raw.into())
    }

    /// Unchanged, to compare, search or send back. Never display it.
    pub fn wire(&self) -> &str {
        &self.0
    }

    /// A text without visible characters becomes visible: `␣␣`.
    pub fn shown(&self) -> Cow<'_, str> {
        if !self.0.is_empty() && self.looks_empty() {
            return Cow::Owned(scrub(&self.0).replace(' ', "\u{2423}").replace('\u{2800}', "⟨U+2800⟩"));
        }
        scrub(&self.0)
    }

    /// Also true for white space, fillers and invisible characters.
    pub fn looks_empty(&self) -> bool {
        self.0.chars().all(is_blank)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.shown())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.shown())
    }
}

impl From<&str> for Text {
    fn from(raw: &str) -> Self {
        Self::new(raw)
    }
}

impl From<String> for Text {
    fn from(raw: String) -> Self {
        Self::new(raw)
    }
}

/// Maximum characters of typed or pasted text in a message.
const QUOTED: usize = 120;

/// Scrubbed. A long text is cut in the middle, so that the rest of the message stays visible.
pub fn short(raw: &str) -> Cow<'_, str> {
    let shown = scrub(raw);
    let count = shown.chars().count();
    if count <= QUOTED {
        return shown;
    }
    let (head, tail) = (QUOTED * 2 / 3, QUOTED / 3 - 1);
    let head: String = shown.chars().take(head).collect();
    let tail: String = shown.chars().skip(count - tail).collect();
    Cow::Owned(format!("{head}\u{2026}{tail}"))
}

/// Makes every character visible that a terminal would obey, reorder by, or draw as nothing.
///
/// C0 controls become their control pictures (`␛` for escape), other invisible characters become `⟨U+202E⟩`.
/// A line break becomes `␊`, because displayed text is always one line. Joiners and variation selectors stay
/// only where [`is_joined`] allows them. A mark without a letter becomes visible, because a terminal would
/// draw it on the cell before the text. Decomposed Hangul is composed.
pub fn scrub(raw: &str) -> Cow<'_, str> {
    if raw.is_ascii() && !raw.bytes().any(|b| b.is_ascii_control()) {
        return Cow::Borrowed(raw);
    }
    let begins_with_mark = raw.chars().next().is_some_and(is_combining_mark);
    if !begins_with_mark && !raw.chars().any(|c| needs_mark(c) || is_conjoining(c)) {
        let after_space = raw.contains(' ')
            && raw.chars().zip(raw.chars().skip(1)).any(|(a, b)| a == ' ' && is_combining_mark(b));
        if !after_space {
            return Cow::Borrowed(raw);
        }
    }
    let mut out = String::with_capacity(raw.len() + 8);
    // The character that the next one can join or combine with.
    let mut before = None;
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        let stays = if is_joiner(c) {
            is_joined(before, c, chars.peek().copied())
        } else if is_combining_mark(c) {
            before.is_some() && !needs_mark(c)
        } else {
            !needs_mark(c)
        };
        if stays {
            let composed = before.filter(|_| is_conjoining(c)).and_then(|last| compose(last, c));
            if composed.is_some() {
                out.pop();
            }
            let c = composed.unwrap_or(c);
            out.push(c);
            before = Some(c).filter(|c| !c.is_whitespace());
            continue;
        }
        before = None;
        match c {
            '\u{0}'..='\u{1f}' => out.push(char::from_u32(0x2400 + c as u32).unwrap_or('\u{2426}')),
            '\u{7f}' => out.push('\u{2421}'),
            // A no-break or ideographic space is harmless to a terminal. It becomes a plain space.
            _ if c.is_whitespace() && c != '\u{85}' && c != '\u{2028}' && c != '\u{2029}' => out.push(' '),
            _ => push_code(&mut out, c),
        }
    }
    Cow::Owned(out)
}

fn push_code(out: &mut String, c: char) {
    use std::fmt::Write;
    // Writing to a `String` cannot fail.
    let _ = write!(out, "\u{27e8}U+{:04X}\u{27e9}", c as u32);
}

/// Invisible itself, but changes its neighbours.
pub fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// An invalid joiner is invisible and has no effect: `b<ZWNJ>c` must not look like `bc`.
pub fn is_joined(before: Option<char>, joiner: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    // A character that is made visible cannot be joined.
    let after = after.filter(|c| !needs_mark(*c));
    match joiner {
        // After a virama, both joiners define the letter's form, even at the end of a word.
        '\u{200c}' | '\u{200d}' if canonical_combining_class(before) == VIRAMA => true,
        '\u{200c}' => takes_joiner(before) && after.is_some_and(takes_joiner),
        '\u{200d}' => {
            let takes = |c| takes_joiner(c) || is_pictograph(c);
            takes(before) && after.is_some_and(takes)
        }
        '\u{fe00}'..='\u{fe0f}' => match before {
            // The frame of 1️⃣ comes after the selector.
            '0'..='9' | '#' | '*' => after == Some('\u{20e3}'),
            '\u{1000}'..='\u{109f}'
            | '\u{a840}'..='\u{a877}'
            | '\u{2139}'
            | '\u{24c2}'
            | '\u{1f100}'..='\u{1f2ff}'
            | '\u{3297}'
            | '\u{3299}'
            | '\u{3400}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' => true,
            '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => false,
            c => !c.is_ascii() && !c.is_alphanumeric(),
        },
        _ => false,
    }
}

/// A virama removes the vowel of a letter.
const VIRAMA: u8 = 9;

/// Arabic, Indic scripts and their neighbours, Mongolian.
fn takes_joiner(c: char) -> bool {
    matches!(c,
        '\u{600}'..='\u{dff}' | '\u{f00}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{a8e0}'..='\u{a8ff}')
}

/// Joiners combine these into one picture.
fn is_pictograph(c: char) -> bool {
    matches!(c,
        '\u{2190}'..='\u{23ff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}'
        | '\u{1f000}'..='\u{1faff}' | '\u{fe0f}')
}

/// Parts of Hangul syllables.
fn is_conjoining(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}')
}

/// Joiners are judged by their neighbours instead.
fn needs_mark(c: char) -> bool {
    match c {
        ' '..='~' => false,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        _ => is_invisible(c) || (c.is_whitespace() && c != ' '),
    }
}

/// Drawn as nothing, reorder their neighbours, or are no characters at all.
pub const fn is_invisible(c: char) -> bool {
    // Most texts are ASCII or Hangul.
    if c < '\u{ad}' || matches!(c, '\u{ac00}'..='\u{d7a3}') {
        return false;
    }
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
        || (c as u32) & 0xfffe == 0xfffe
        || matches!(c, '\u{fdd0}'..='\u{fdef}')
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || is_invisible(c) || c == '\u{2800}'
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_become_visible() {
        assert_eq!(scrub("a\u{1b}]52;c;aGk=\u{7}b"), "a␛]52;c;aGk=␇b");
        assert_eq!(scrub("a\u{9b}31mb"), "a⟨U+009B⟩31mb");
        assert_eq!(scrub("line\nbreak\ttab\r"), "line␊break␉tab␍");
    }

    #[test]
    fn bidi_overrides_and_invisibles_become_visible() {
        assert_eq!(scrub("abc\u{202e}fed"), "abc⟨U+202E⟩fed");
        assert_eq!(scrub("\u{feff}name"), "⟨U+FEFF⟩name");
        assert_eq!(scrub("kim\u{200b}"), "kim⟨U+200B⟩");
        assert_eq!(scrub("a\u{3000}b\u{a0}c"), "a b c");
    }

    #[test]
    fn joiners_stay_where_they_join() {
        for joined in [
            "👩\u{200d}👧",
            "❤\u{fe0f}",
            "❤\u{fe0f}\u{200d}🔥",
            "1\u{fe0f}\u{20e3}",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            // A Malayalam chillu at the end of a name, as old keyboards write it.
            "രാജന്\u{200d}",
        ] {
            assert_eq!(scrub(joined), joined, "{}", joined.escape_unicode());
        }
        for (raw, shown) in [
            ("\u{200d}a", "⟨U+200D⟩a"),
            ("a\u{200d}", "a⟨U+200D⟩"),
            ("b\u{200c}c", "b⟨U+200C⟩c"),
            ("b\u{200d}c", "b⟨U+200D⟩c"),
            ("한\u{200d}서윤", "한⟨U+200D⟩서윤"),
            ("Kim\u{fe0f}", "Kim⟨U+FE0F⟩"),
            ("김\u{fe0f}", "김⟨U+FE0F⟩"),
            ("1\u{fe0f}", "1⟨U+FE0F⟩"),
            ("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}⟨U+FE0F⟩"),
            ("👩\u{200c}👧", "👩⟨U+200C⟩👧"),
        ] {
            assert_eq!(scrub(raw), shown);
        }
    }

    #[test]
    fn a_mark_with_no_letter_is_visible() {
        assert_eq!(scrub("\u{301}a"), "⟨U+0301⟩a");
        assert_eq!(scrub("a \u{bbe}b"), "a ⟨U+0BBE⟩b");
        assert_eq!(scrub("\u{7}\u{301}\u{302}"), "␇⟨U+0301⟩⟨U+0302⟩");
        assert_eq!(scrub("e\u{301}"), "e\u{301}");
    }

    #[test]
    fn hangul_in_pieces_is_put_together() {
        let pieces = "\u{1112}\u{1161}\u{11ab}\u{1109}\u{1165} \u{110b}\u{1172}\u{11ab}";
        assert_eq!(scrub(pieces), "한서 윤");
        // An old syllable without a Unicode character stays unchanged.
        assert_eq!(scrub("\u{1112}\u{119e}"), "\u{1112}\u{119e}");
    }

    #[test]
    fn ordinary_text_is_borrowed() {
        for s in ["한서윤", "Lea O'Connor-Kim", "علي حسن", "นภา ศรีสุข", "Ahmet Yılmaz", ""]
        {
            assert!(matches!(scrub(s), Cow::Borrowed(b) if b == s), "{s}");
        }
    }

    #[test]
    fn a_hangul_filler_looks_empty() {
        assert!(Text::new("\u{3164}\u{200b} ").looks_empty());
        assert!(!Text::new("홍철").looks_empty());
    }

    #[test]
    fn a_name_of_white_space_is_seen() {
        for (raw, shown) in [
            ("  ", "␣␣"),
            (" \u{a0}\u{3000}", "␣␣␣"),
            ("\t", "␉"),
            ("\u{2800}", "⟨U+2800⟩"),
            ("\u{3164} ", "⟨U+3164⟩␣"),
            ("", ""),
            (" a ", " a "),
        ] {
            assert_eq!(Text::new(raw).to_string(), shown);
        }
    }

    proptest! {
        #[test]
        fn nothing_a_terminal_obeys_survives(s in any::<String>()) {
            let shown = scrub(&s).into_owned();
            prop_assert!(!shown.chars().any(char::is_control));
            let hides = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{feff}');
            prop_assert!(!shown.chars().any(hides));
        }

        #[test]
        fn scrubbing_twice_changes_nothing(s in any::<String>()) {
            let once = scrub(&s).into_owned();
            prop_assert_eq!(scrub(&once).into_owned(), once);
        }
    }
}
