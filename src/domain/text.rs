//! Untrusted text: strings from the service, a file or the clipboard.

use std::borrow::Cow;
use std::fmt;

/// A string that came from outside. It can be compared, searched and sent back as it came, but its only
/// display form is scrubbed: control characters, terminal escapes, bidirectional overrides and invisible
/// characters become visible marks, so that nothing from outside can steer a terminal or hide in a name.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(String);

impl Text {
    /// Takes a string as it came.
    pub fn new(raw: impl Into<String>) -> Self {
        Self(raw.into())
    }

    /// The string exactly as it came: for comparing, searching and sending back, never for showing.
    pub fn wire(&self) -> &str {
        &self.0
    }

    /// The form that may be shown.
    pub fn shown(&self) -> Cow<'_, str> {
        scrub(&self.0)
    }

    /// Whether nothing can be seen of it: empty, or only white space, fillers and invisible characters.
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

/// Makes every character visible that a terminal would obey, reorder by, or draw as nothing.
///
/// C0 controls become their control pictures (`␛` for escape), everything else that cannot be seen becomes
/// `⟨U+202E⟩`. A line break becomes a space-like `␊` too: shown text is always one line. Zero-width joiners
/// and variation selectors stay where they join two visible characters, since emoji and Indic scripts need
/// them.
pub fn scrub(raw: &str) -> Cow<'_, str> {
    if !raw.chars().any(needs_mark) {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len() + 8);
    let mut joins = false;
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        if is_joiner(c) {
            let next_joins = chars.peek().is_some_and(|n| !needs_mark(*n) && !n.is_whitespace());
            if joins && (next_joins || is_variation_selector(c)) {
                out.push(c);
            } else {
                push_code(&mut out, c);
            }
            joins = false;
        } else if !needs_mark(c) {
            out.push(c);
            joins = !c.is_whitespace();
        } else {
            joins = false;
            match c {
                '\u{0}'..='\u{1f}' => out.push(char::from_u32(0x2400 + c as u32).unwrap_or('\u{2426}')),
                '\u{7f}' => out.push('\u{2421}'),
                // A no-break or ideographic space is harmless to a terminal: it becomes a plain space.
                _ if c.is_whitespace() && c != '\u{85}' && c != '\u{2028}' && c != '\u{2029}' => {
                    out.push(' ');
                }
                _ => push_code(&mut out, c),
            }
        }
    }
    Cow::Owned(out)
}

fn push_code(out: &mut String, c: char) {
    use std::fmt::Write;
    // Writing to a String cannot fail.
    let _ = write!(out, "\u{27e8}U+{:04X}\u{27e9}", c as u32);
}

fn is_joiner(c: char) -> bool {
    c == '\u{200d}' || c == '\u{200c}' || is_variation_selector(c)
}

fn is_variation_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}')
}

/// Characters that the scrubbed form does not keep as they are (joiners are judged by their neighbours).
fn needs_mark(c: char) -> bool {
    match c {
        ' '..='~' => false,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        _ => is_invisible(c) || (c.is_whitespace() && c != ' '),
    }
}

/// Characters that are drawn as nothing, reorder their neighbours, or are not characters at all.
pub fn is_invisible(c: char) -> bool {
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
        let family = "👩\u{200d}👧";
        assert_eq!(scrub(family), family);
        assert_eq!(scrub("❤\u{fe0f}"), "❤\u{fe0f}");
        assert_eq!(scrub("\u{200d}a"), "⟨U+200D⟩a");
        assert_eq!(scrub("a\u{200d}"), "a⟨U+200D⟩");
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
