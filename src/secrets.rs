//! API keys and journal passwords of all profiles: refused in input, redacted in output.
//!
//! The code that reads one of this process or of a known profile registers it here. lapel compares a text
//! with the keys before it sends it ([`judge`]) and when it writes it ([`redact`]). For a key that lapel has
//! not read (in a keyring, behind a command) the settings keep a fingerprint and a prefix; lapel compares
//! both, too. Programs that lapel starts get no variable that holds a key ([`hide_from`]).

use crate::domain::text::is_invisible;
use secrecy::{ExposeSecret, SecretString};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::path::Path;
use std::process::Command;
use std::sync::{LazyLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Holds the key of the selected profile.
pub const KEY_VARIABLE: &str = "LAPEL_API_KEY";
pub const REDACTED: &str = "[key]";
/// A word of at least this length is refused when it begins with a known prefix or is part of a known key.
const LONGEST_INNOCENT: usize = 20;
/// A shorter prefix would not tell a key from other words.
const SHORTEST_PREFIX: usize = 4;
/// Ordinary words would contain a shorter key.
const SHORTEST_WITHIN: usize = 6;
/// Characters of a word. A whole text is compared at any length.
const SHORTEST_FINGERPRINTED: usize = 12;
/// In a word with underscores, a part of this length may be random.
const LONG_PART: usize = 12;
/// For a word of mixed letters and digits without an underscore. Badge ids may have 21 of these characters.
const LONG_MIXED: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    None,
    /// The shape of a key. lapel asks the user once.
    Shape,
    /// A key, or a text that begins like one. lapel refuses it.
    Key,
}

/// The process has one instance; each test has its own.
#[derive(Default)]
struct KnownKeys {
    keys: Vec<SecretString>,
    /// Of the journals of teams.
    passwords: Vec<SecretString>,
    /// First eight hex digits of each key's SHA-256.
    fingerprints: BTreeSet<String>,
    prefixes: BTreeSet<String>,
    /// Environment variables that hold keys.
    variables: BTreeSet<String>,
    /// Confirmed by the user not to be keys.
    allowed: HashSet<String>,
}

static KNOWN: LazyLock<RwLock<KnownKeys>> = LazyLock::new(RwLock::default);

fn known() -> RwLockReadGuard<'static, KnownKeys> {
    KNOWN.read().unwrap_or_else(PoisonError::into_inner)
}

fn known_mut() -> RwLockWriteGuard<'static, KnownKeys> {
    KNOWN.write().unwrap_or_else(PoisonError::into_inner)
}

pub fn register_key(key: &str) {
    if !is_among(&known().keys, key) {
        known_mut().add_key(key);
    }
}

/// For the password of a team's journal. People choose passwords, so other texts may begin like one or contain one.
pub fn register_password(password: &str) {
    if !is_among(&known().passwords, password) {
        known_mut().add_password(password);
    }
}

/// For a key that lapel may not read.
pub fn register_pin(prefix: &str, fingerprint: Option<&str>) {
    known_mut().add_pin(prefix, fingerprint);
}

pub fn register_variable(name: &str) {
    known_mut().variables.insert(name.to_owned());
}

pub fn judge(text: &str) -> Likeness {
    known().judge(text)
}

/// True if the text is a known key, contains one, or begins like one. lapel never sends it.
pub fn is_key(text: &str) -> bool {
    known().holds_key(text)
}

/// The user has confirmed that the text is not a key.
pub fn allow(text: &str) {
    known_mut().allowed.insert(text.trim().to_owned());
}

/// The message of every panic is written to standard error without keys.
pub fn hide_keys_in_panics() {
    std::panic::set_hook(Box::new(|info| {
        if is_caught(info) {
            return;
        }
        // Not eprintln: it panics if standard error is closed.
        let _ = std::io::stderr().write_all(panic_text(&info.to_string()).as_bytes());
    }));
}

thread_local! {
    /// Whether this thread is within [`catching`].
    static CATCHES: Cell<bool> = const { Cell::new(false) };
}

/// Returns `None` if code of a library panics. No hook reports that, because the caller knows what it means.
pub fn catching<T>(read: impl FnOnce() -> T) -> Option<T> {
    let before = CATCHES.replace(true);
    let result = catch_unwind(AssertUnwindSafe(read)).ok();
    CATCHES.set(before);
    result
}

/// Whether [`catching`] handles this panic. A panic of lapel's own code within it is still a mistake of lapel.
pub fn is_caught(info: &PanicHookInfo<'_>) -> bool {
    // Cargo names files of the package itself by their relative path.
    CATCHES.get() && !info.location().is_some_and(|at| Path::new(at.file()).starts_with("src"))
}

fn panic_text(said: &str) -> String {
    let trace = std::backtrace::Backtrace::capture();
    let mut text = format!("lapel {said}\n");
    if trace.status() == std::backtrace::BacktraceStatus::Captured {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{trace}");
    }
    redact(&text).into_owned()
}

/// Also replaces every word that begins like a known key.
pub fn redact(text: &str) -> Cow<'_, str> {
    known().redact(text)
}

/// Replaces every word of the shape of a key, also of one that lapel does not know.
pub fn hide_shapes(text: &str) -> Cow<'_, str> {
    if !words(text).any(|word| whole_and_parts(word).any(has_shape)) {
        return Cow::Borrowed(text);
    }
    let hidden = |part: &str| if has_shape(part) { REDACTED.to_owned() } else { part.to_owned() };
    Cow::Owned(replaced(text, is_between_words, |word| replaced(word, is_between_parts, hidden)))
}

/// No program that lapel starts gets a variable that holds a key.
pub fn hide_from(command: &mut Command) {
    command.env_remove(KEY_VARIABLE);
    for name in &known().variables {
        command.env_remove(name);
    }
}

/// A core dump would contain the keys. On Linux, this also keeps other processes of the same user
/// from reading lapel's memory and environment.
pub fn forbid_core_dumps() {
    // Each measure helps alone. lapel continues when the system refuses one.
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    }
    // A limit of 0 does not stop a system that pipes core dumps to a program.
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// The first eight hex digits of the key's SHA-256.
pub fn fingerprint(key: &str) -> String {
    let sum = ring::digest::digest(&ring::digest::SHA256, key.as_bytes());
    let first = sum.as_ref().iter().take(4).fold(0_u32, |all, byte| all << 8 | u32::from(*byte));
    format!("{first:08x}")
}

impl KnownKeys {
    fn add_key(&mut self, key: &str) {
        if key.len() < SHORTEST_PREFIX || is_among(&self.keys, key) {
            return;
        }
        self.keys.push(SecretString::from(key.to_owned()));
        self.prefixes.extend(prefix_of(key).map(str::to_owned));
    }

    fn add_password(&mut self, password: &str) {
        if password.len() >= SHORTEST_PREFIX && !is_among(&self.passwords, password) {
            self.passwords.push(SecretString::from(password.to_owned()));
        }
    }

    /// Texts that are a secret wherever they are found.
    fn found_within(&self) -> impl Iterator<Item = &str> {
        let keys = self.keys.iter().map(ExposeSecret::expose_secret);
        let passwords = self.passwords.iter().map(ExposeSecret::expose_secret);
        let passwords = passwords.filter(|password| !is_ordinary(password));
        keys.chain(passwords).filter(|secret| secret.len() >= SHORTEST_WITHIN)
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
        } else if may_have_key_word(text, LONGEST_INNOCENT)
            && words(text).any(has_shape)
            && !self.allowed.contains(text.trim())
        {
            Likeness::Shape
        } else {
            Likeness::None
        }
    }

    fn holds_key(&self, text: &str) -> bool {
        let has_keys = !(self.keys.is_empty() && self.prefixes.is_empty() && self.fingerprints.is_empty());
        if !has_keys && self.passwords.is_empty() {
            return false;
        }
        // A pasted key may be broken in two, or contain invisible characters.
        let is_in_pieces = |c: char| c.is_whitespace() || is_invisible(c);
        let may_be = |b: u8| b <= b' ' || !b.is_ascii();
        let one_piece = if text.bytes().any(may_be) && text.contains(is_in_pieces) {
            Cow::Owned(text.chars().filter(|c| !is_in_pieces(*c)).collect::<String>())
        } else {
            Cow::Borrowed(text)
        };
        let is_whole = |secret: &SecretString| [text.trim(), &one_piece].contains(&secret.expose_secret());
        self.keys.iter().chain(&self.passwords).any(is_whole)
            || self.found_within().any(|secret| text.contains(secret) || one_piece.contains(secret))
            || self.has_fingerprint(&one_piece)
            || self.has_key_word(text)
    }

    fn has_key_word(&self, text: &str) -> bool {
        let least = if self.fingerprints.is_empty() { LONGEST_INNOCENT } else { SHORTEST_FINGERPRINTED };
        // A part is never longer than its word.
        let long = words(text).filter(|word| word.len() >= least);
        may_have_key_word(text, least) && long.flat_map(whole_and_parts).any(|word| self.is_key(word))
    }

    fn is_key(&self, word: &str) -> bool {
        // An e-mail address is no key, even when it begins like one.
        let may_be = word.len() >= LONGEST_INNOCENT && !word.contains('@');
        let is_part = || self.keys.iter().any(|key| key.expose_secret().contains(word));
        (may_be && (self.prefixes.iter().any(|prefix| word.starts_with(prefix.as_str())) || is_part()))
            || (word.len() >= SHORTEST_FINGERPRINTED && self.has_fingerprint(word))
    }

    fn has_fingerprint(&self, text: &str) -> bool {
        // Most judged texts are e-mail addresses, and none of them is a key.
        !self.fingerprints.is_empty()
            && !text.is_empty()
            && !text.contains('@')
            && self.fingerprints.contains(&fingerprint(text))
    }

    fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut out = Cow::Borrowed(text);
        for key in self.found_within() {
            if out.contains(key) {
                out = Cow::Owned(out.replace(key, REDACTED));
            }
        }
        if !self.has_key_word(&out) {
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

fn is_among(secrets: &[SecretString], text: &str) -> bool {
    secrets.iter().any(|secret| secret.expose_secret() == text)
}

/// The key most likely shares this prefix with others, such as `dmu_live_`: up to the last
/// underscore or dash of its first half.
fn prefix_of(key: &str) -> Option<&str> {
    let half = key.get(..key.len() / 2)?;
    let end = half.rfind(['_', '-'])? + 1;
    (end >= SHORTEST_PREFIX).then(|| &half[..end])
}

/// A word or a number, which other texts contain too.
fn is_ordinary(password: &str) -> bool {
    let (letters, others) = password.chars().partition::<String, _>(|c| c.is_alphabetic());
    password.len() < LONGEST_INNOCENT && (letters.is_empty() || others.is_empty())
}

const fn is_between_words(c: char) -> bool {
    match c {
        '"' | '\'' | '`' | '<' | '>' | '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | '|' | '\u{201c}'
        | '\u{201d}' | '\u{2018}' | '\u{2019}' => true,
        _ => c.is_whitespace() || is_invisible(c),
    }
}

fn is_between_parts(c: char) -> bool {
    matches!(c, '/' | '?' | '&' | '=' | ':' | '#')
}

/// The bytes of ASCII between words.
const ENDS_WORD: [bool; 256] = {
    let mut ends = [false; 256];
    let mut b = 0_u8;
    while b < 128 {
        ends[b as usize] = is_between_words(b as char);
        b += 1;
    }
    ends
};

/// The words of at least this length. Each step looks back from `least` bytes ahead: most texts have no such word, and few
/// of their bytes are read. Words that only a sign outside ASCII separates count as one.
fn long_runs(text: &str, least: usize) -> impl Iterator<Item = &[u8]> {
    let ends = |b: &u8| ENDS_WORD[usize::from(*b)];
    let mut rest = text.as_bytes();
    std::iter::from_fn(move || {
        while let Some(first) = rest.get(..least) {
            match first.iter().rposition(ends) {
                Some(end) => rest = &rest[end + 1..],
                None => {
                    let more = rest[least..].iter().position(ends).unwrap_or(rest.len() - least);
                    let (run, behind) = rest.split_at(least + more);
                    rest = behind;
                    return Some(run);
                }
            }
        }
        None
    })
}

/// Whether a word of at least this length is more than an e-mail address.
fn may_have_key_word(text: &str, least: usize) -> bool {
    let is_part_end = |b: &u8| is_between_parts(char::from(*b));
    long_runs(text, least).any(|run| !run.contains(&b'@') || run.iter().any(is_part_end) || !run.is_ascii())
}

/// Without quotation marks and brackets around them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_between_words).filter(|word| !word.is_empty())
}

/// The parts are those of a link or an assignment: `KEY=value`, `https://host/value`.
fn whole_and_parts(word: &str) -> impl Iterator<Item = &str> {
    [word].into_iter().chain(word.split(is_between_parts).filter(|part| !part.is_empty()))
}

/// The separators stay.
fn replaced(text: &str, is_separator: fn(char) -> bool, replace: impl Fn(&str) -> String) -> String {
    text.split_inclusive(is_separator)
        .map(|piece| {
            let bare = piece.strip_suffix(is_separator).unwrap_or(piece);
            replace(bare) + &piece[bare.len()..]
        })
        .collect()
}

/// A key has either underscores and a long part with digits (`sk_live_51H8abcdefghij`, but not
/// `Python_Basics_2026_Spring`), or is very long and mixes capital and small letters. A badge id
/// has neither: it is hexadecimal digits, or parts between dashes.
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

    fn known() -> KnownKeys {
        let mut known = KnownKeys::default();
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
            // The end or the beginning is missing.
            KEY[..20].to_owned(),
            KEY[3..].to_owned(),
            // Another key with the same prefix.
            "dmu_live_ZYXWVUTSRQPONM".to_owned(),
            "“dmu_live_ZYXWVUTSRQPONM”".to_owned(),
            "uni-prod.abcdefghijklm".to_owned(),
            // Keys of which lapel knows only the fingerprint.
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
    fn a_panic_shows_no_key() {
        register_key("panic_0123456789abcdefghij");
        let text = panic_text("panicked at src/x.rs:1:2:\nno room for panic_0123456789abcdefghij");
        assert!(text.contains("src/x.rs:1:2") && text.contains("no room for [key]"), "{text}");
        assert!(!text.contains("0123456789"), "{text}");
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
        let mut known = KnownKeys::default();
        known.add_key("k-123");
        assert_eq!(known.judge(" k-123 "), Likeness::Key);
        assert_eq!(known.judge("work-1234"), Likeness::None);
        assert_eq!(known.redact("work-1234"), "work-1234");
    }

    #[test]
    fn a_password_is_found_in_other_texts_unless_it_is_a_word() {
        let mut known = KnownKeys::default();
        for password in ["horse battery 9", "badges", "2026-11-25", "한글 비밀번호 7"] {
            known.add_password(password);
            assert_eq!(known.judge(&format!(" {password}\n")), Likeness::Key, "{password}");
        }
        assert_eq!(known.redact("FATAL: horse battery 9 of kim"), "FATAL: [key] of kim");
        assert_eq!(known.judge("my 한글 비밀번호 7!"), Likeness::Key);
        for text in
            ["https://badges.example/", "from 2026-11-25 on", "horse battery 8", "horse_battery_of_2026_11"]
        {
            assert_eq!(known.judge(text), Likeness::None, "{text}");
            assert_eq!(known.redact(text), text);
        }
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
        fn no_text_hides_a_word_of_a_key(
            before in "[a@/:=“ ,\u{200b}한]{0,24}",
            word in "dmu_live_[A-Z]{9,12}|Zq8vT1mWc5Yx|0123456789abcdefghij|[a-z@/]{10,24}",
            after in "[a@/:=” ,\u{200b}한]{0,24}",
            has_pins in any::<bool>(),
        ) {
            let mut keys = known();
            if !has_pins {
                keys.fingerprints.clear();
            }
            let text = format!("{before}{word}{after}");
            let is_there = words(&text).flat_map(whole_and_parts).any(|word| keys.is_key(word));
            prop_assert_eq!(keys.has_key_word(&text), is_there);
        }

        #[test]
        fn redacting_changes_nothing_but_keys(text in "\\PC{0,60}") {
            let known = KnownKeys::default();
            prop_assert_eq!(known.redact(&text), text.as_str());
        }
    }
}
