//! What must never be sent or written: the API keys of all profiles, wherever a person may have pasted one.
//!
//! The keys of this process, and of the profiles that it knows, are registered here by whoever reads them. A
//! text is compared with them before it is sent ([`judge`]) and when it is written ([`redact`]). Of a key that
//! was not read (in a keyring, behind a command) the settings keep a fingerprint and a prefix; both are
//! compared, too. Programs that lapel starts get none of the variables that hold a key ([`hide_from`]).

use crate::domain::text::is_invisible;
use secrecy::{ExposeSecret, SecretString};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::process::Command;
use std::sync::{LazyLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The variable that holds the key of whatever profile is chosen.
pub const KEY_VARIABLE: &str = "LAPEL_API_KEY";
/// Stands for a key that was taken out of a text.
const REDACTED: &str = "[key]";
/// Characters of a word that begins with a known prefix, or is a part of a known key, from which it is refused.
const LONGEST_INNOCENT: usize = 20;
/// The shortest prefix that tells a key from other words.
const SHORTEST_PREFIX: usize = 4;
/// The shortest key that is looked for within a longer text; a shorter one would be found in ordinary words.
const SHORTEST_WITHIN: usize = 6;
/// The shortest word whose fingerprint is compared. A text as a whole is compared at any length.
const SHORTEST_FINGERPRINTED: usize = 12;
/// Characters from which a part of a word that is joined with underscores may be the random part of a key.
const LONG_PART: usize = 12;
/// Characters from which a word of mixed letters and digits without an underscore may be a key. Badge ids may be
/// of 21 such characters.
const LONG_MIXED: usize = 32;

/// How much a text looks like an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// Not at all.
    None,
    /// It has the shape of one: a person is asked once.
    Shape,
    /// It is one, or begins like one: it is refused.
    Key,
}

/// What is known. The process has one; tests have their own.
#[derive(Default)]
struct Known {
    keys: Vec<SecretString>,
    /// First eight hex digits of a key's SHA-256.
    fingerprints: BTreeSet<String>,
    prefixes: BTreeSet<String>,
    /// Names of environment variables that hold keys.
    variables: BTreeSet<String>,
    /// Texts of which a person has said that they are no key.
    allowed: HashSet<String>,
}

static KNOWN: LazyLock<RwLock<Known>> = LazyLock::new(RwLock::default);

fn known() -> RwLockReadGuard<'static, Known> {
    KNOWN.read().unwrap_or_else(PoisonError::into_inner)
}

fn known_mut() -> RwLockWriteGuard<'static, Known> {
    KNOWN.write().unwrap_or_else(PoisonError::into_inner)
}

/// Registers a key.
pub fn register_key(key: &str) {
    if !known().has_key(key) {
        known_mut().add_key(key);
    }
}

/// Registers what the settings keep of a key that may not be read: its first characters, and its fingerprint.
pub fn register_pin(prefix: &str, fingerprint: Option<&str>) {
    known_mut().add_pin(prefix, fingerprint);
}

/// Registers the name of a variable that holds a key.
pub fn register_variable(name: &str) {
    known_mut().variables.insert(name.to_owned());
}

/// How much a text looks like an API key.
pub fn judge(text: &str) -> Likeness {
    known().judge(text)
}

/// Whether a text is a key that is known, holds one, or begins like one. Such a text is never sent.
pub fn is_key(text: &str) -> bool {
    known().holds_key(text)
}

/// Notes that a person was asked about a text and has said that it is no key.
pub fn allow(text: &str) {
    known_mut().allowed.insert(text.trim().to_owned());
}

/// A text with `[key]` in place of every key that is known and of every word that begins like one.
pub fn redact(text: &str) -> Cow<'_, str> {
    known().redact(text)
}

/// Sees to it that a program which lapel starts gets no variable that holds a key.
pub fn hide_from(command: &mut Command) {
    command.env_remove(KEY_VARIABLE);
    for name in &known().variables {
        command.env_remove(name);
    }
}

/// Sees to it that no core dump of this process is written: it would hold the key. On Linux also no other
/// process of the same user can then read its memory or its environment.
pub fn forbid_core_dumps() {
    // Where one of them is refused, the other still helps, and lapel works all the same.
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    }
    // A limit of 0 does not stop a system that hands its dumps to a program.
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// What tells one key from another: the first eight hex digits of its SHA-256.
pub fn fingerprint(key: &str) -> String {
    let sum = ring::digest::digest(&ring::digest::SHA256, key.as_bytes());
    let first = sum.as_ref().iter().take(4).fold(0_u32, |all, byte| all << 8 | u32::from(*byte));
    format!("{first:08x}")
}

impl Known {
    fn has_key(&self, key: &str) -> bool {
        self.keys.iter().any(|known| known.expose_secret() == key)
    }

    fn add_key(&mut self, key: &str) {
        if key.len() < SHORTEST_PREFIX || self.has_key(key) {
            return;
        }
        self.keys.push(SecretString::from(key.to_owned()));
        self.prefixes.extend(prefix_of(key).map(str::to_owned));
    }

    fn add_pin(&mut self, prefix: &str, fingerprint: Option<&str>) {
        if prefix.len() >= SHORTEST_PREFIX {
            self.prefixes.insert(prefix.to_owned());
        }
        self.fingerprints.extend(fingerprint.map(str::to_ascii_lowercase));
    }

    fn judge(&self, text: &str) -> Likeness {
        if self.holds_key(text) {
            Likeness::Key
        } else if words(text).any(has_shape) && !self.allowed.contains(text.trim()) {
            Likeness::Shape
        } else {
            Likeness::None
        }
    }

    fn holds_key(&self, text: &str) -> bool {
        if self.keys.is_empty() && self.prefixes.is_empty() && self.fingerprints.is_empty() {
            return false;
        }
        // A key that was pasted may be broken in two, or have something in it that is not seen.
        let one_piece: String = text.chars().filter(|c| !c.is_whitespace() && !is_invisible(*c)).collect();
        let is_exact =
            |key: &str| one_piece == key || (key.len() >= SHORTEST_WITHIN && one_piece.contains(key));
        self.keys.iter().any(|key| is_exact(key.expose_secret()))
            || self.has_fingerprint(&one_piece)
            || words(text).flat_map(whole_and_parts).any(|word| self.is_key(word))
    }

    /// Whether one word is a key, as far as that can be told.
    fn is_key(&self, word: &str) -> bool {
        // An address is no key, whatever it begins with.
        let may_be = word.len() >= LONGEST_INNOCENT && !word.contains('@');
        let is_part = || self.keys.iter().any(|key| key.expose_secret().contains(word));
        (may_be && (self.prefixes.iter().any(|prefix| word.starts_with(prefix.as_str())) || is_part()))
            || (word.len() >= SHORTEST_FINGERPRINTED && self.has_fingerprint(word))
    }

    fn has_fingerprint(&self, text: &str) -> bool {
        // An address of people is the text that is judged most; none is a key.
        !self.fingerprints.is_empty()
            && !text.is_empty()
            && !text.contains('@')
            && self.fingerprints.contains(&fingerprint(text))
    }

    fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut out = Cow::Borrowed(text);
        for key in
            self.keys.iter().map(ExposeSecret::expose_secret).filter(|key| key.len() >= SHORTEST_WITHIN)
        {
            if out.contains(key) {
                out = Cow::Owned(out.replace(key, REDACTED));
            }
        }
        if !words(&out).flat_map(whole_and_parts).any(|word| self.is_key(word)) {
            return out;
        }
        Cow::Owned(replaced(&out, is_between_words, |word| {
            if self.is_key(word) {
                return REDACTED.to_owned();
            }
            replaced(word, is_between_parts, |part| {
                if self.is_key(part) { REDACTED.to_owned() } else { part.to_owned() }
            })
        }))
    }
}

/// The first characters of a key that it most likely shares with others, such as `dmu_live_`: up to the last
/// underscore or dash of its first half.
fn prefix_of(key: &str) -> Option<&str> {
    let half = key.get(..key.len() / 2)?;
    let end = half.rfind(['_', '-'])? + 1;
    (end >= SHORTEST_PREFIX).then(|| &half[..end])
}

fn is_between_words(c: char) -> bool {
    c.is_whitespace() || is_invisible(c) || "\"'`<>()[]{},;|\u{201c}\u{201d}\u{2018}\u{2019}".contains(c)
}

fn is_between_parts(c: char) -> bool {
    "/?&=:#".contains(c)
}

/// The words of a text, without the quotation marks and brackets round them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_between_words).filter(|word| !word.is_empty())
}

/// A word, and its parts where it is a link or a setting: `KEY=value`, `https://host/value`.
fn whole_and_parts(word: &str) -> impl Iterator<Item = &str> {
    [word].into_iter().chain(word.split(is_between_parts).filter(|part| !part.is_empty()))
}

/// A text whose pieces between separators are replaced; the separators stay.
fn replaced(text: &str, is_separator: fn(char) -> bool, replace: impl Fn(&str) -> String) -> String {
    text.split_inclusive(is_separator)
        .map(|piece| {
            let bare = piece.strip_suffix(is_separator).unwrap_or(piece);
            replace(bare) + &piece[bare.len()..]
        })
        .collect()
}

/// Whether a word has the shape of a key: long, of letters and digits, and either with underscores and a long part
/// that has digits in it (`sk_live_51H8abcdefghij`, and not `Python_Basics_2026_Spring`), or very long with capitals
/// among small letters. A badge id has neither: hexadecimal digits, or parts between dashes.
fn has_shape(word: &str) -> bool {
    let any = |is: fn(&u8) -> bool| word.bytes().any(|b| is(&b));
    let is_random = |part: &str| part.len() >= LONG_PART && part.bytes().any(|b| b.is_ascii_digit());
    word.len() >= LONGEST_INNOCENT
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
        && any(u8::is_ascii_digit)
        && any(u8::is_ascii_alphabetic)
        && ((word.contains('_') && word.split(['_', '-']).any(is_random))
            || (word.len() >= LONG_MIXED
                && any(u8::is_ascii_lowercase)
                && any(u8::is_ascii_uppercase)
                && !word.contains('-')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KEY: &str = "dmu_live_0123456789abcdefghij";

    fn known() -> Known {
        let mut known = Known::default();
        known.add_key(KEY);
        known.add_pin("uni-prod.", Some(&fingerprint("Zq8v:T1/mWc5Yx=")));
        known.add_pin("abc", Some(&fingerprint("Zq8vT1mWc5Yx")));
        known
    }

    #[test]
    fn a_key_is_known_wherever_it_stands() {
        let known = known();
        for text in [
            KEY.to_owned(),
            format!("  {KEY}\n"),
            format!("\u{feff}\u{200b}{KEY}"),
            format!("x-api-key: {KEY}"),
            format!("https://badges.example/badges/{KEY}?page=1"),
            format!("LAPEL_API_KEY={KEY}"),
            format!("reason: wrong key ({KEY}) was used"),
            format!("{} {}", &KEY[..15], &KEY[15..]),
            format!("{}\r\n{}", &KEY[..25], &KEY[25..]),
            // Cut short, or without its beginning.
            KEY[..20].to_owned(),
            KEY[3..].to_owned(),
            // Another key of the same kind.
            "dmu_live_ZYXWVUTSRQPONM".to_owned(),
            "“dmu_live_ZYXWVUTSRQPONM”".to_owned(),
            "uni-prod.abcdefghijklm".to_owned(),
            // Keys of which only the fingerprint is known.
            "Zq8vT1mWc5Yx".to_owned(),
            "see Zq8vT1mWc5Yx, please".to_owned(),
            "Zq8v:T1/mWc5Yx=".to_owned(),
        ] {
            assert_eq!(known.judge(&text), Likeness::Key, "{text}");
            let is_in_pieces =
                text.split_whitespace().all(|word| KEY.contains(word)) && text.contains([' ', '\n']);
            assert!(is_in_pieces || known.redact(&text).contains(REDACTED), "{text}");
        }
    }

    #[test]
    fn what_is_no_key_is_taken() {
        let known = known();
        for text in [
            "",
            "한서윤",
            "dmu_live_",
            "dmu_live_0123",
            "dmu_live_students_2026@naru.example",
            "seoyun.han@naru.example",
            "7f3c0a52-4c1e-4b39-9a53-6d6f4d9d2c11",
            "7f3c0a524c1e4b399a536d6f4d9d2c11",
            "01HZXJ5W3V8Q4R6T7Y9K2M1N0P",
            "V1StGXR8Z5jdHi6BmyT42",
            "TPL-004",
            "파이썬 데이터 분석 초급 과정 2026",
            "a-badge-of-the-spring-term-2026",
            "Python_Basics_2026_Spring",
            "list_of_2026_11_22_final_version",
            "https://badges.example/api/v1/ext/badges/7f3c0a52-4c1e-4b39-9a53-6d6f4d9d2c11",
            "abcdefghijklmnopqrstuvwxyz",
        ] {
            assert_eq!(known.judge(text), Likeness::None, "{text}");
            assert!(matches!(known.redact(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn mere_shape_is_asked_about_once() {
        let mut known = known();
        for text in
            ["sk_live_51H8abcdefghij", " nru_test_00112233445566 ", "Zq8vT1mWc5YxZq8vT1mWc5YxZq8vT1mWc5Yx"]
        {
            assert_eq!(known.judge(text), Likeness::Shape, "{text}");
            assert!(matches!(known.redact(text), Cow::Borrowed(_)), "{text}");
            known.allowed.insert(text.trim().to_owned());
            assert_eq!(known.judge(text), Likeness::None, "{text}");
        }
        known.allowed.insert(KEY.to_owned());
        assert_eq!(known.judge(KEY), Likeness::Key, "what is certain is never allowed");
    }

    #[test]
    fn only_keys_are_taken_out_of_a_text() {
        let known = known();
        let line = format!("GET /badges/{KEY}?email=kim@naru.example (dmu_live_another_one_of_them) ok");
        assert_eq!(known.redact(&line), "GET /badges/[key]?email=kim@naru.example ([key]) ok");
        assert_eq!(known.redact("x-api-key:Zq8vT1mWc5Yx"), "x-api-key:[key]");
    }

    #[test]
    fn a_short_key_is_refused_as_a_whole_and_found_in_no_other_word() {
        let mut known = Known::default();
        known.add_key("k-123");
        assert_eq!(known.judge(" k-123 "), Likeness::Key);
        assert_eq!(known.judge("work-1234"), Likeness::None);
        assert_eq!(known.redact("work-1234"), "work-1234");
    }

    #[test]
    fn a_program_that_is_started_gets_no_variable_with_a_key() {
        register_variable("LAPEL_TEST_SECRET_OF_A_PROFILE");
        let mut command = Command::new("true");
        hide_from(&mut command);
        let hidden: Vec<_> =
            command.get_envs().filter(|(_, value)| value.is_none()).map(|(name, _)| name).collect();
        assert!(hidden.contains(&KEY_VARIABLE.as_ref()), "{hidden:?}");
        assert!(hidden.contains(&"LAPEL_TEST_SECRET_OF_A_PROFILE".as_ref()), "{hidden:?}");
    }

    proptest! {
        #[test]
        fn no_text_keeps_a_key(before in "\\PC{0,12}", after in "\\PC{0,12}") {
            let known = known();
            let text = format!("{before}{KEY}{after}");
            prop_assert_eq!(known.judge(&text), Likeness::Key);
            prop_assert!(!known.redact(&text).contains(KEY));
        }

        #[test]
        fn redacting_changes_nothing_but_keys(text in "\\PC{0,60}") {
            let known = Known::default();
            prop_assert_eq!(known.redact(&text), text.as_str());
        }
    }
}
