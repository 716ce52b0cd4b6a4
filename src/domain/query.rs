//! What a person put into the box of a look-up: an address, a badge id or a name, as it came out of a mail, a
//! chat or a spreadsheet.

mod shapes;

use super::email::{Address, EmailProblem};
use super::ids::BadgeId;
use super::text::is_invisible;
use shapes::{behind_label, id_in, is_label, last_segment, without_form, without_label};
use unicode_normalization::UnicodeNormalization;

/// What stands round a pasted text and does not belong to it, as pairs.
const PAIRS: [(char, char); 21] = [
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
    ('\u{3008}', '\u{3009}'),
    ('\u{3010}', '\u{3011}'),
    ('\u{3014}', '\u{3015}'),
    ('\u{ff08}', '\u{ff09}'),
    ('\u{ff1c}', '\u{ff1e}'),
    ('\u{ff3b}', '\u{ff3d}'),
    ('\u{ff5b}', '\u{ff5d}'),
    ('\u{ff02}', '\u{ff02}'),
    ('\u{ff07}', '\u{ff07}'),
];
/// What an address is parted by from what stands right beside it, as in `김민수(kim@…)`; not what is legal in one.
const OPEN: [char; 10] =
    ['<', '(', '[', '\u{3008}', '\u{3010}', '\u{3014}', '\u{ff08}', '\u{ff1c}', '\u{ff3b}', '\u{ff5b}'];
const CLOSE: [char; 10] =
    ['>', ')', ']', '\u{3009}', '\u{3011}', '\u{3015}', '\u{ff09}', '\u{ff1e}', '\u{ff3d}', '\u{ff5d}'];
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
        if let Some(last) = last_segment(&bare) {
            let last = decoded(last);
            if last.contains('@') {
                return address(&last);
            }
            if let Some(id) = BadgeId::new(last).filter(|id| id.wire().bytes().any(|b| b.is_ascii_digit())) {
                return Self::BadgeId(id);
            }
        }
        let masked = bare.contains("***@");
        if bare.contains('@') {
            return match address(&bare) {
                // A whole summary of a call: its id, and an address that is masked.
                read @ Self::Address { .. } if !masked => read,
                read => id_in(&bare).map_or(read, Self::BadgeId),
            };
        }
        if let Some(id) = behind_label(&bare).and_then(|id| BadgeId::new(unwrapped(id))) {
            return Self::BadgeId(id);
        }
        let digit = bare.chars().any(|c| c.is_ascii_digit());
        let plain = bare.is_ascii();
        let spaced = bare.contains(char::is_whitespace);
        // A single word may be an id of any shape; within a text only what is plainly one is taken for it.
        if (spaced || !plain || bare.contains('"'))
            && let Some(id) = id_in(&bare)
        {
            return Self::BadgeId(id);
        }
        let name = name_in(&bare);
        match BadgeId::new(bare) {
            Some(id) if plain && digit && !spaced => Self::BadgeId(id),
            // A word of plain letters, or plain words with a number among them, may be either.
            Some(id) if plain && (digit || !spaced) => Self::Name { name, or_id: Some(id) },
            _ => Self::Name { name, or_id: None },
        }
    }
}

/// A name in one line, without what it is called and addressed by: `성명: 한서윤 님`.
fn name_in(bare: &str) -> String {
    let words: Vec<&str> = bare.split_whitespace().collect();
    let words = match words.as_slice() {
        [label, rest @ ..] if !rest.is_empty() && is_label(label) => rest,
        all => all,
    };
    without_form(&words.join(" ")).to_owned()
}

fn address(bare: &str) -> Query {
    // `Name <address>`; a pair of angle brackets round all of it is gone already.
    if let (Some(open), true) = (bare.rfind(['<', '\u{ff1c}']), bare.ends_with(['>', '\u{ff1e}']))
        && let Ok(address) = Address::check(&joined(&without_mailto(&unwrapped(&bare[open..]))))
    {
        return Query::Address { address, name: named(&bare[..open]) };
    }
    let problem = match Address::check(&joined(bare)) {
        Ok(address) => return Query::Address { address, name: None },
        Err(problem) => problem,
    };
    // A line of a list or a sentence: one word of it is the address.
    let (found, others): (Vec<&str>, Vec<&str>) =
        bare.split_whitespace().partition(|word| word.contains('@'));
    let [word] = found.as_slice() else { return Query::NotAnAddress(problem) };
    let (before, word, after) = parted(word);
    match Address::check(&without_mailto(&unwrapped(without_label(&unwrapped(word))))) {
        Ok(address) => {
            let rest: Vec<&str> = [before].into_iter().chain(others).chain([after]).collect();
            Query::Address { address, name: named(&rest.join(" ")) }
        }
        Err(_) => Query::NotAnAddress(problem),
    }
}

/// The name beside an address, without words that only say what the address is.
fn named(rest: &str) -> Option<String> {
    let words: Vec<&str> = rest.split_whitespace().filter(|word| !is_label(word)).collect();
    let name = unwrapped(&words.join(" "));
    Some(without_form(&name).to_owned()).filter(|name| !name.is_empty())
}

/// An address with white space round its `@`, put together: only where nothing but it, and what it is called, is
/// there. Of more words nobody can tell which one belongs to it.
fn joined(bare: &str) -> String {
    let Some((local, domain)) = bare.split_once('@') else { return bare.to_owned() };
    let mut words: Vec<&str> = local.split_whitespace().collect();
    if words.len() > 1 && is_label(words[0]) {
        words.remove(0);
    }
    let domain = domain.trim_start();
    match words.as_slice() {
        [local] if !domain.is_empty() && !domain.contains(char::is_whitespace) => {
            format!("{}@{domain}", without_label(local))
        }
        _ => bare.to_owned(),
    }
}

/// The part of a word between the brackets round its `@`, with what stands before and behind them.
fn parted(word: &str) -> (&str, &str, &str) {
    let Some(at) = word.find('@') else { return ("", word, "") };
    let start = word[..at].rfind(OPEN).unwrap_or(0);
    let (before, word) = word.split_at(start);
    let at = at - start;
    let end = word[at..].find(OPEN).or_else(|| word[at..].find(CLOSE)).map_or(word.len(), |end| at + end);
    let (word, after) = word.split_at(end);
    (before, word, after)
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
    text.trim_start_matches(around).trim_end_matches(|c: char| {
        around(c)
            || stop(c)
            || matches!(c, ',' | ';' | ':' | '\u{3001}' | '\u{ff0c}' | '\u{ff1a}' | '\u{ff1b}')
    })
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
mod tests;
