//! E-mail addresses: the key that identifies a mailbox, and the check before sending.

use super::edit_distance::edits;
use super::text::{Text, is_invisible, scrub};
use crate::i18n::Localizable;
use email_address::{EmailAddress, Options};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;
use unicode_normalization::UnicodeNormalization;

/// In bytes: mail servers must accept this length (RFC 5321).
const LONGEST: usize = 254;

/// Identifies a mailbox: composed, trimmed (invisible characters too), case-folded, with the domain in its
/// ASCII form. Plus tags and dots stay, because they usually name different mailboxes. For comparison only:
/// lapel sends the address that the user confirmed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EmailKey(String);

impl EmailKey {
    pub fn of(raw: &str) -> Self {
        let composed = composed(raw);
        let trimmed = composed.trim_matches(|c: char| c.is_whitespace() || is_invisible(c));
        // Nearly all addresses. The domain is in its ASCII form.
        if trimmed.is_ascii() && !trimmed.contains("--") {
            return Self(trimmed.to_ascii_lowercase());
        }
        Self::of_trimmed(trimmed)
    }

    fn of_trimmed(trimmed: &str) -> Self {
        let folded = trimmed.to_lowercase().replace('\u{ff20}', "@");
        let Some((local, domain)) = folded.rsplit_once('@') else { return Self(folded) };
        let domain = idna::domain_to_ascii(domain).unwrap_or_else(|_| domain.to_owned());
        Self(format!("{local}@{domain}"))
    }

    /// For an index. Never display or send it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn domain(&self) -> Option<&str> {
        self.0.rsplit_once('@').map(|(_, domain)| domain)
    }

    pub fn is(&self, other: &str) -> bool {
        *self == Self::of(other)
    }
}

fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect()) }
}

impl fmt::Debug for EmailKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EmailKey({})", scrub(&self.0))
    }
}

/// An address that passed [`Address::check`]: trimmed and unwrapped, otherwise as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    address: String,
    warnings: Vec<String>,
    meant: Option<String>,
}

messages! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum EmailProblem;
    pub fn localizable;
    Empty => localizable!("the e-mail address is empty");
    TelephoneNumber => localizable!("this is a telephone number. The service keeps none: ask for the e-mail address or the name");
    NotAnAddress(why: Localizable) => why.clone();
}

impl std::error::Error for EmailProblem {}

impl EmailProblem {
    pub fn sentence(&self) -> String {
        sentence(&self.to_string())
    }
}

/// Adds a full stop, unless the text already ends as a sentence.
pub fn ended(text: &str) -> String {
    if text.ends_with(['?', '!', '.']) { text.to_owned() } else { format!("{text}.") }
}

/// A reason that begins a message: with a capital and a full stop. A first word that may be a name, of a file or of
/// a setting, stays as it is, and so does the name of lapel.
pub fn sentence(why: &str) -> String {
    let mut text = ended(why);
    let first = why.split_whitespace().next().unwrap_or_default();
    let is_word = first.bytes().all(|letter| letter.is_ascii_lowercase() || letter == b'-');
    if is_word
        && first != "lapel"
        && let Some(letter) = text.get_mut(..1)
    {
        letter.make_ascii_uppercase();
    }
    text
}

impl Address {
    /// Removes `mailto:`, `Name <…>`, surrounding white space and invisible characters. Refuses any
    /// other text that is not an address, with a reason.
    pub fn check(typed: &str) -> Result<Self, EmailProblem> {
        Self::checked(typed, false)
    }

    /// As [`Address::check`]. Badges may be sent from elsewhere to an address with Hangul, so it can be looked up.
    pub fn to_look_up(typed: &str) -> Result<Self, EmailProblem> {
        Self::checked(typed, true)
    }

    fn checked(typed: &str, may_be_hangul: bool) -> Result<Self, EmailProblem> {
        let composed = composed(typed);
        let bare = unwrap(&composed);
        if bare.is_empty() {
            return Err(EmailProblem::Empty);
        }
        let wrong = |why: Localizable| Err(EmailProblem::NotAnAddress(why));
        let has_odd_signs = !bare.bytes().all(is_ordinary);
        if let Some(why) = Some(bare).filter(|_| has_odd_signs).and_then(odd_sign) {
            return wrong(why);
        }
        let Some((local, domain)) = bare.rsplit_once('@') else {
            return wrong(localizable!("the e-mail address has no @"));
        };
        if local.is_empty() || domain.is_empty() {
            return wrong(localizable!("the e-mail address has nothing before or after the @"));
        }
        if local.contains('@') {
            return wrong(localizable!("the e-mail address has more than one @"));
        }
        if domain.ends_with('.') {
            return wrong(localizable!("the e-mail address ends with a dot"));
        }
        let has_hangul = local.chars().any(is_hangul);
        if has_hangul && (!may_be_hangul || local.chars().any(is_lone_jamo)) {
            return wrong(localizable!(
                "the e-mail address has Hangul before the @: was the Hangul keyboard on?"
            ));
        }
        if domain.chars().any(is_lone_jamo) {
            return wrong(localizable!(
                "the e-mail address has single Hangul letters: was the Hangul keyboard on?"
            ));
        }
        if bare.len() > LONGEST {
            return wrong(localizable!("the e-mail address is longer than 254 characters"));
        }
        let (is_valid, meant) = match known_domain(domain) {
            KnownDomain::Known { ascii, has_addresses, meant } => {
                (has_addresses && is_plain_local(local) || is_address(local, &ascii), meant)
            }
            KnownDomain::NoDot => return wrong(localizable!("the domain after the @ has no dot")),
            KnownDomain::NoName => {
                return wrong(localizable!("the domain after the @ is not a domain name"));
            }
        };
        if !is_valid {
            return wrong(localizable!(
                "the e-mail address is not valid: check the part before the @, the dots and the domain"
            ));
        }
        let mut warnings = Vec::new();
        if has_hangul {
            warnings.push(t!("has Hangul before the @: was the Hangul keyboard on?").to_owned());
        }
        if bare.chars().any(char::is_uppercase) {
            warnings
                .push(t!("has upper-case letters; some services treat this as another mailbox").to_owned());
        }
        if let Some(meant) = &meant {
            warnings.push(t!("did you mean {meant}?", meant));
        }
        Ok(Self { address: bare.to_owned(), warnings, meant })
    }

    pub fn as_str(&self) -> &str {
        &self.address
    }

    /// What the user should check before sending. A warning forbids nothing.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// `None` unless the domain is probably a typing error.
    pub fn meant(&self) -> Option<&str> {
        self.meant.as_deref()
    }

    /// Belongs to a role and not to a person: `info@`, `admin@`.
    pub fn is_role(&self) -> bool {
        const ROLES: [&str; 22] = [
            "info",
            "admin",
            "administrator",
            "office",
            "contact",
            "help",
            "helpdesk",
            "support",
            "sales",
            "hr",
            "team",
            "noreply",
            "no-reply",
            "postmaster",
            "webmaster",
            "master",
            "root",
            "mail",
            "edu",
            "manager",
            "safety",
            "service",
        ];
        let local = self.address.rsplit_once('@').map_or("", |(local, _)| local);
        ROLES.iter().any(|role| role.eq_ignore_ascii_case(local))
    }

    pub fn text(&self) -> Text {
        Text::new(self.address.clone())
    }
}

/// Nearly all addresses have only such bytes.
fn is_ordinary(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'@' | b'.' | b'-' | b'_' | b'+')
}

/// Whether the part before the @ is valid with every domain that has addresses. Nearly all are: letters, digits, and
/// single dots between them.
fn is_plain_local(local: &str) -> bool {
    let is_plain =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| is_ordinary(byte) && byte != b'@');
    local.len() <= 64 && local.split('.').all(is_plain)
}

fn is_address(local: &str, domain: &str) -> bool {
    let options = Options::default().with_required_tld().without_display_text().without_domain_literal();
    EmailAddress::parse_with_options(&format!("{local}@{domain}"), options).is_ok()
}

/// A sign that no address may have, as the reason against it.
fn odd_sign(bare: &str) -> Option<Localizable> {
    // What is between two addresses is no sign in one.
    let is_between = |c: char| c.is_whitespace() || matches!(c, ';' | ',');
    let is_like_one = |part: &&str| {
        part.split_once('@').is_some_and(|(before, after)| !before.is_empty() && !after.is_empty())
    };
    if bare.split(is_between).filter(is_like_one).count() > 1 {
        return Some(localizable!("this looks like more than one e-mail address"));
    }
    if let Some(c) = bare.chars().find(|c| c.is_whitespace() || c.is_control() || is_invisible(*c)) {
        return Some(localizable!("the e-mail address contains a {sign}", sign = name_of(c)));
    }
    if bare.contains('\u{ff20}') {
        return Some(localizable!("the e-mail address has a full-width ＠: use @"));
    }
    if bare.contains(['\u{3002}', '\u{ff0e}', '\u{ff61}']) {
        return Some(localizable!("the e-mail address has an ideographic full stop: use a plain dot"));
    }
    // To a person, they are the letters of another mailbox.
    if bare.contains(|c| matches!(c, '\u{ff01}'..='\u{ff5e}')) {
        return Some(localizable!("the e-mail address has full-width letters or signs: use plain ones"));
    }
    if !bare.contains([';', ',']) {
        return None;
    }
    // One @ and a comma behind it (`naver,com`, `co,kr`) is a typing error. Anything else is a list.
    let (at, comma) = (bare.find('@'), bare.rfind(','));
    Some(match bare.matches('@').count() {
        1 if comma > at && !bare.contains(';') => {
            localizable!("the e-mail address has a comma where a dot should be")
        }
        2.. => localizable!("this looks like more than one e-mail address"),
        _ => localizable!("this looks like more than one e-mail address, or a comma instead of a dot"),
    })
}

/// What a domain is, without the part before it.
#[derive(Clone, Debug)]
enum KnownDomain {
    /// `has_addresses`: whether any address can have it.
    Known {
        ascii: Rc<str>,
        has_addresses: bool,
        meant: Option<String>,
    },
    NoDot,
    NoName,
}

impl KnownDomain {
    fn of(domain: &str) -> Self {
        match idna::domain_to_ascii_strict(domain) {
            Ok(ascii) if ascii.contains('.') => {
                let has_addresses = is_address("a", &ascii);
                Self::Known { meant: meant_domain(&ascii), has_addresses, ascii: ascii.into() }
            }
            Ok(_) => Self::NoDot,
            Err(_) => Self::NoName,
        }
    }
}

/// The addresses of a list have few domains, and each takes longer than the rest of an address.
fn known_domain(domain: &str) -> KnownDomain {
    /// Maximum number of domains that are kept.
    const MOST: usize = 1_000;
    thread_local! {
        static KNOWN: RefCell<HashMap<String, KnownDomain>> = RefCell::default();
    }
    KNOWN.with_borrow_mut(|all| {
        if let Some(known) = all.get(domain) {
            return known.clone();
        }
        if all.len() >= MOST {
            all.clear();
        }
        all.entry(domain.to_owned()).or_insert_with(|| KnownDomain::of(domain)).clone()
    })
}

fn unwrap(typed: &str) -> &str {
    let around =
        |c: char| c.is_whitespace() || is_invisible(c) || matches!(c, '<' | '>' | '"' | '\'' | '(' | ')');
    let mut bare = typed.trim_matches(|c: char| c.is_whitespace() || is_invisible(c));
    if let (Some(open), true) = (bare.rfind('<'), bare.ends_with('>')) {
        bare = &bare[open + 1..bare.len() - 1];
    }
    // A local part may be quoted, but only as a whole. Quotes around the whole address come from pasting.
    bare = bare.trim_matches(around);
    behind_mailto(bare).map_or(bare, str::trim)
}

/// Without the subject.
pub(super) fn behind_mailto(text: &str) -> Option<&str> {
    let is_mailto = text.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("mailto:"));
    text.get(7..).filter(|_| is_mailto)?.split('?').next()
}

fn name_of(c: char) -> Localizable {
    match c {
        ' ' | '\u{a0}' | '\u{3000}' => localizable!("space"),
        '\n' | '\r' => localizable!("line break"),
        '\t' => localizable!("tab"),
        _ => localizable!("hidden character ({code})", code = format_args!("U+{:04X}", c as u32)),
    }
}

fn is_hangul(c: char) -> bool {
    is_lone_jamo(c) || matches!(c, '\u{ac00}'..='\u{d7a3}')
}

fn is_lone_jamo(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{a960}'..='\u{a97f}' | '\u{d7b0}'..='\u{d7ff}')
}

/// For a domain in its ASCII form. For an unknown domain with an invalid ending, the same domain
/// with the valid ending.
pub fn meant_domain(domain: &str) -> Option<String> {
    const KNOWN: &str =
        "gmail.com naver.com hanmail.net daum.net nate.com kakao.com outlook.com hotmail.com yahoo.com";
    /// Real mail services that look like a misspelling of a better known one.
    const REAL: &str = "mail.com email.com ymail.com gmx.com";
    /// Invalid endings and the endings they misspell.
    const ENDINGS: [(&str, &str); 9] = [
        (".con", ".com"),
        (".cmo", ".com"),
        (".comm", ".com"),
        (".vom", ".com"),
        (".xom", ".com"),
        (".nett", ".net"),
        (".co.k", ".co.kr"),
        (".co.rk", ".co.kr"),
        (".cokr", ".co.kr"),
    ];
    let domain = &domain.to_ascii_lowercase();
    if KNOWN.split(' ').chain(REAL.split(' ')).any(|real| real == domain) {
        return None;
    }
    // Reserved endings: people of the sandbox have them.
    let (name, ending) = domain.split_once('.')?;
    for known in KNOWN.split(' ') {
        let (known_name, known_ending) = known.split_once('.')?;
        if name == known_name && ending != known_ending && edits(ending, known_ending, 1) == 1 {
            return Some(known.to_owned());
        }
        if name != known_name
            && name.len() > 3
            && name.len().abs_diff(known_name.len()) < 2
            && edits(name, known_name, 1) == 1
            && (ending == known_ending || ending == "example")
        {
            return Some(format!("{known_name}.{ending}"));
        }
    }
    ENDINGS.iter().find_map(|(wrong, right)| Some(format!("{}{right}", domain.strip_suffix(wrong)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_mailbox_has_one_key() {
        let key = EmailKey::of("jiho.oh@naru.example");
        for same in ["Jiho.Oh@NARU.example", " jiho.oh@naru.example\u{200b}", "jiho.oh＠naru.example"] {
            assert!(key.is(same), "{same}");
        }
        for other in ["jihooh@naru.example", "jiho.oh+x@naru.example", "jiho.oh@naru.example.org", ""] {
            assert!(!key.is(other), "{other}");
        }
        assert_eq!(EmailKey::of("a@예시.example"), EmailKey::of("a@xn--vv4b11d.example"));
    }

    #[test]
    fn a_reason_that_is_a_message_begins_and_ends_as_a_sentence() {
        for (why, said) in [
            ("the e-mail address has no @", "The e-mail address has no @."),
            ("was the keyboard on?", "Was the keyboard on?"),
            ("e-mail addresses have an @.", "E-mail addresses have an @."),
            ("lapel has no profile", "lapel has no profile."),
            ("base_url is empty", "base_url is empty."),
            ("list.csv does not exist", "list.csv does not exist."),
            ("주소가 없습니다.", "주소가 없습니다."),
            ("", "."),
        ] {
            assert_eq!(sentence(why), said);
        }
        for problem in [EmailProblem::Empty, EmailProblem::TelephoneNumber] {
            assert!(problem.sentence().starts_with(char::is_uppercase), "{problem}");
        }
    }

    #[test]
    fn pasted_addresses_are_unwrapped() {
        for typed in [
            "mailto:kim@naru.example",
            " <kim@naru.example> ",
            "Kim Minsu <kim@naru.example>",
            "kim@naru.example\u{a0}",
            "MAILTO:kim@naru.example?subject=x",
        ] {
            assert_eq!(
                Address::check(typed).map(|a| a.as_str().to_owned()),
                Ok("kim@naru.example".to_owned()),
                "{typed}"
            );
        }
    }

    #[test]
    fn what_is_not_an_address_is_refused_with_a_reason() {
        for (typed, reason) in [
            ("", "empty"),
            ("\u{3164}", "empty"),
            ("kim", "no @"),
            ("@naru.example", "nothing before"),
            ("kim@localhost", "no dot"),
            ("a..b@naru.example", "not valid"),
            ("kim@naru,example", "comma"),
            ("a@x.example; b@x.example", "more than one e-mail"),
            ("a@x.example b@x.example", "more than one e-mail"),
            ("두 주소 <a@naru.example, b@naru.example>", "more than one e-mail"),
            ("a b@naru.example", "space"),
            ("a@x.example;b@x.example", "more than one"),
            ("ㅏㅑㅡ@naru.example", "Hangul"),
            ("kim@naru。example", "full stop"),
            ("ｋｉｍ@naru.example", "full-width letters"),
            ("kim@ｎａｒｕ.example", "full-width letters"),
            ("a@x.example；b@x.example", "full-width"),
            ("kim@\u{202e}naru.example", "hidden character (U+202E)"),
            ("kim@[127.0.0.1]", "domain"),
            ("kim@naru.co,kr", "comma where a dot should be"),
            ("kim@naru.example,lee@naru.example", "more than one e-mail"),
            ("kim@lee@naru.example", "more than one @"),
            ("kim@naru.example.", "ends with a dot"),
            ("kim@naru.ㅊ", "single Hangul letters"),
        ] {
            let said = Address::check(typed).expect_err(typed).to_string();
            assert!(said.contains(reason), "{typed}: {said}");
        }
        assert!(Address::check(&format!("{}@naru.example", "a".repeat(65))).is_err());
    }

    #[test]
    fn syllables_before_the_sign_can_only_be_looked_up() {
        let typed = "홍길동@traps.example";
        assert!(Address::check(typed).is_err());
        let found = Address::to_look_up(typed).expect("an address");
        assert_eq!(found.as_str(), typed);
        assert!(found.warnings()[0].contains("Hangul keyboard"), "{:?}", found.warnings());
        for typed in ["ㅏㅑㅡ@naru.example", "김ㅊ@naru.example"] {
            assert!(Address::to_look_up(typed).is_err(), "{typed}");
        }
    }

    #[test]
    fn odd_but_legal_addresses_pass() {
        for typed in [
            "min.ng@example.com",
            "o'neil@example.org",
            "kim+tag@naru.example",
            "kim@예시.example",
            "k@x.co.kr",
        ] {
            assert!(Address::check(typed).is_ok(), "{typed}");
        }
    }

    #[test]
    fn a_slip_of_the_finger_is_pointed_at() {
        for (typed, meant) in [
            ("a@gmial.com", "gmail.com"),
            ("a@naver.con", "naver.com"),
            ("a@navr.com", "naver.com"),
            ("a@gmial.example", "gmail.example"),
            ("a@hanmial.net", "hanmail.net"),
            ("a@moondeck.con", "moondeck.com"),
            ("a@moondeck.co.rk", "moondeck.co.kr"),
        ] {
            let address = Address::check(typed).expect(typed);
            assert_eq!(address.warnings(), [format!("did you mean {meant}?")], "{typed}");
        }
        for fine in ["a@gmail.com", "a@naru.example", "a@mail.com"] {
            assert_eq!(Address::check(fine).expect(fine).warnings(), [""; 0], "{fine}");
        }
        assert!(!Address::check("Kim@naru.example").expect("valid").warnings().is_empty());
    }

    proptest! {
        #[test]
        fn an_address_in_ascii_has_the_key_that_any_address_has(
            raw in "[ -~]{0,12}@[ -~]{0,12}|[A-Za-z0-9._-]{1,9}@[A-Za-z0-9.-]{1,20}",
        ) {
            prop_assert_eq!(EmailKey::of(&raw), EmailKey::of_trimmed(raw.trim()));
        }

        #[test]
        fn a_plain_local_part_is_valid_with_each_domain_that_has_addresses(
            local in "[A-Za-z0-9._+-]{0,70}",
            domain in "[a-z0-9.-]{1,20}|([a-z0-9]{1,70}\\.){1,4}[a-z]{1,9}",
        ) {
            if is_plain_local(&local) {
                prop_assert_eq!(is_address(&local, &domain), is_address("a", &domain));
            }
        }

        #[test]
        fn checking_never_panics_and_what_passes_is_clean(s in any::<String>()) {
            if let Ok(address) = Address::check(&s) {
                prop_assert!(!address.as_str().chars().any(|c| c.is_control() || c.is_whitespace()));
                prop_assert!(EmailKey::of(&s).is(&s));
            }
        }
    }
}
