//! What a person put into the box of a look-up: an address, a badge id or a name, as it came out of a mail, a
//! chat or a spreadsheet.

use super::email::{Address, EmailProblem};
use super::ids::BadgeId;
use super::text::is_invisible;
use unicode_normalization::UnicodeNormalization;

/// What stands round a pasted text and does not belong to it, as pairs.
const PAIRS: [(char, char); 12] = [
    ('<', '>'),
    ('(', ')'),
    ('[', ']'),
    ('{', '}'),
    ('"', '"'),
    ('\'', '\''),
    ('`', '`'),
    ('\u{201c}', '\u{201d}'),
    ('\u{2018}', '\u{2019}'),
    ('\u{300c}', '\u{300d}'),
    ('\u{300e}', '\u{300f}'),
    ('\u{300a}', '\u{300b}'),
];
/// Wrappings inside wrappings that are taken off, such as `"<mailto:…>"`.
const DEEPEST: usize = 6;

/// What the box holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// Nothing that can be seen.
    Nothing,
    /// An e-mail address, with the name that stood beside it.
    Address {
        /// The address.
        address: Address,
        /// The name, where there was one.
        name: Option<String>,
    },
    /// It has an `@`, and is no address.
    NotAnAddress(EmailProblem),
    /// It looks like a badge id. Ids are opaque, so it may be a name after all: that comes second.
    BadgeId(BadgeId),
    /// A name.
    Name {
        /// Composed, since a name that was typed on a Mac may come in pieces.
        name: String,
        /// The same as an id, where it might be one: that comes second.
        or_id: Option<BadgeId>,
    },
}

impl Query {
    /// Reads what was typed or pasted.
    pub fn read(typed: &str) -> Self {
        let composed: String = typed.nfc().map(|c| if c == '\u{ff20}' { '@' } else { c }).collect();
        let bare = unwrapped(&composed);
        if bare.is_empty() {
            return Self::Nothing;
        }
        if bare.contains('@') {
            return address(&bare);
        }
        let digit = bare.chars().any(|c| c.is_ascii_digit());
        let plain = bare.is_ascii();
        let spaced = bare.contains(char::is_whitespace);
        let name = bare.split_whitespace().collect::<Vec<_>>().join(" ");
        match BadgeId::new(bare) {
            Some(id) if plain && digit && !spaced => Self::BadgeId(id),
            // A word of plain letters, or plain words with a number among them, may be either.
            Some(id) if plain && (digit || !spaced) => Self::Name { name, or_id: Some(id) },
            _ => Self::Name { name, or_id: None },
        }
    }
}

fn address(bare: &str) -> Query {
    let named = |rest: &str| {
        let name = unwrapped(rest);
        (!name.is_empty()).then_some(name)
    };
    // `Name <address>`; a pair of angle brackets round all of it is gone already.
    if let (Some(open), true) = (bare.rfind('<'), bare.ends_with('>'))
        && let Ok(address) = Address::check(&without_mailto(&unwrapped(&bare[open..])))
    {
        return Query::Address { address, name: named(&bare[..open]) };
    }
    let problem = match Address::check(bare) {
        Ok(address) => return Query::Address { address, name: None },
        Err(problem) => problem,
    };
    // A line of a list or a sentence: one word of it is the address.
    let (found, others): (Vec<&str>, Vec<&str>) =
        bare.split_whitespace().partition(|word| word.contains('@'));
    match found.as_slice() {
        [word] if !others.is_empty() => match Address::check(&without_mailto(&unwrapped(word))) {
            Ok(address) => Query::Address { address, name: named(&others.join(" ")) },
            Err(_) => Query::NotAnAddress(problem),
        },
        _ => Query::NotAnAddress(problem),
    }
}

/// Without white space, brackets, quotation marks, `mailto:` and the punctuation of the sentence round it.
fn unwrapped(text: &str) -> String {
    let mut bare = trim(text).to_owned();
    for _ in 0..DEEPEST {
        let next = without_mailto(trim(without_pair(trim(&bare))));
        if next == bare {
            break;
        }
        bare = next;
    }
    bare
}

fn trim(text: &str) -> &str {
    // A full stop ends an address's sentence, but may belong to a name.
    let stop = |c: char| matches!(c, '.' | '\u{3002}') && text.contains('@');
    let around = |c: char| c.is_whitespace() || is_invisible(c);
    text.trim_start_matches(around)
        .trim_end_matches(|c: char| around(c) || stop(c) || matches!(c, ',' | ';' | ':' | '\u{3001}'))
}

/// Takes off one pair; a bracket whose partner was not pasted goes alone.
fn without_pair(text: &str) -> &str {
    for (open, close) in PAIRS {
        let (head, tail) = (text.strip_prefix(open), text.strip_suffix(close));
        if let Some(inner) = head.and_then(|inner| inner.strip_suffix(close))
            && !crosses(inner, open, close)
        {
            return inner;
        }
        match (head, tail) {
            (Some(rest), _) if !rest.contains(close) => return rest,
            (_, Some(rest)) if !rest.contains(open) => return rest,
            _ => {}
        }
    }
    text
}

/// Whether a closing bracket comes before its opening one, as in `a) and (b`.
fn crosses(inner: &str, open: char, close: char) -> bool {
    if open == close {
        return false;
    }
    let mut depth = 0_i64;
    for c in inner.chars() {
        depth += i64::from(c == open) - i64::from(c == close);
        if depth < 0 {
            return true;
        }
    }
    false
}

/// Without `mailto:`, its subject, and the percent-encoding that only such a link has.
fn without_mailto(text: &str) -> String {
    match text.get(..7) {
        Some(scheme) if scheme.eq_ignore_ascii_case("mailto:") => {
            decoded(text[7..].split('?').next().unwrap_or_default())
        }
        _ => text.to_owned(),
    }
}

/// Percent-decoded where that gives text, and as it was otherwise.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let pair = bytes.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        let code = pair.filter(|pair| pair.bytes().all(|b| b.is_ascii_hexdigit()));
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()).filter(|_| *byte == b'%') {
            Some(code) => {
                out.push(code);
                at += 3;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_address(typed: &str, address: &str, name: Option<&str>) {
        match Query::read(typed) {
            Query::Address { address: read, name: with } => {
                assert_eq!((read.as_str(), with.as_deref()), (address, name), "{typed}");
            }
            other => panic!("{typed}: {other:?}"),
        }
    }

    #[test]
    fn an_address_is_found_in_whatever_it_was_pasted_with() {
        for typed in [
            "kim@naru.example",
            " kim@naru.example\n",
            "<kim@naru.example>",
            "[kim@naru.example]",
            "(kim@naru.example),",
            "\"kim@naru.example\"",
            "\u{201c}kim@naru.example\u{201d}.",
            "mailto:kim@naru.example",
            "MailTo:kim@naru.example?subject=badge%20",
            "<mailto:kim@naru.example>",
            "mailto:%3Ckim%40naru.example%3E",
            "\u{feff}kim\u{ff20}naru.example\u{a0};",
            "<kim@naru.example",
            "kim@naru.example)",
        ] {
            is_address(typed, "kim@naru.example", None);
        }
        is_address("mailto:kim%2Btag@naru.example", "kim+tag@naru.example", None);
        is_address("kim+tag@naru.example", "kim+tag@naru.example", None);
        is_address("kim%2b@naru.example", "kim%2b@naru.example", None);
    }

    #[test]
    fn the_name_beside_an_address_is_kept() {
        is_address("김민수 <kim@naru.example>", "kim@naru.example", Some("김민수"));
        is_address("\"Kim, Minsu\" <kim@naru.example>", "kim@naru.example", Some("Kim, Minsu"));
        is_address("김민수 (kim@naru.example)", "kim@naru.example", Some("김민수"));
        is_address("김민수\tkim@naru.example", "kim@naru.example", Some("김민수"));
    }

    #[test]
    fn what_only_looks_like_an_address_is_named() {
        for typed in [
            "a@x.example; b@x.example",
            "ㅏㅑㅡ@naru.example",
            "kim@naru,example",
            "@",
            "kim@",
            "a@b@c.example",
        ] {
            assert!(
                matches!(Query::read(typed), Query::NotAnAddress(_)),
                "{typed}: {:?}",
                Query::read(typed)
            );
        }
    }

    #[test]
    fn ids_and_names_are_told_apart_or_tried_in_order() {
        let id = |raw: &str| BadgeId::new(raw).expect("not empty");
        assert_eq!(Query::read("[B-000004301-PS]"), Query::BadgeId(id("B-000004301-PS")));
        assert_eq!(Query::read("\"7f3c/9+a\" "), Query::BadgeId(id("7f3c/9+a")));
        let name = |name: &str| Query::Name { name: name.into(), or_id: None };
        assert_eq!(Query::read(" 한서윤 "), name("한서윤"));
        assert_eq!(Query::read("Lea  O'Connor-Kim"), name("Lea O'Connor-Kim"));
        assert_eq!(Query::read("정다은 (20231234)"), name("정다은 (20231234)"));
        assert_eq!(Query::read("\u{1100}\u{1175}\u{11b7}"), name("김"), "pieces are put together");
        assert_eq!(Query::read("Amara"), Query::Name { name: "Amara".into(), or_id: Some(id("Amara")) });
        assert_eq!(Query::read("Kim 2"), Query::Name { name: "Kim 2".into(), or_id: Some(id("Kim 2")) });
        for typed in ["", " \n", "\u{3164}", "<>", "\"\"", ";"] {
            assert_eq!(Query::read(typed), Query::Nothing, "{typed:?}");
        }
    }

    #[test]
    fn brackets_that_belong_to_it_stay() {
        assert_eq!(without_pair("(a) and (b)"), "(a) and (b)");
        assert_eq!(without_pair("((a))"), "(a)");
        assert_eq!(without_pair("정다은 (2)"), "정다은 (2)");
    }

    proptest! {
        #[test]
        fn anything_can_be_read(typed in any::<String>()) {
            let _ = Query::read(&typed);
        }

        #[test]
        fn wrapping_changes_nothing(
            local in "[a-z][a-z0-9+_-]{0,12}",
            before in "[ \t\n\u{feff}\u{a0}]{0,3}",
            pair in 0..PAIRS.len(),
            mailto in any::<bool>(),
            after in "[ ,;.\n]{0,3}",
        ) {
            let address = format!("{local}@naru.example");
            let (open, close) = PAIRS[pair];
            let inner = if mailto { format!("mailto:{address}") } else { address.clone() };
            let typed = format!("{before}{open}{inner}{close}{after}");
            match Query::read(&typed) {
                Query::Address { address: read, .. } => prop_assert_eq!(read.as_str(), address),
                other => prop_assert!(false, "{typed}: {other:?}"),
            }
        }
    }
}
