//! Reads the input of a lookup: an address, a badge id or a name, pasted from a mail, a chat or a
//! spreadsheet.

mod shapes;

use super::email::{Address, EmailProblem, behind_mailto};
use super::ids::BadgeId;
use super::look_alike::{half_width, in_latin};
use super::text::is_invisible;
use percent_encoding::percent_decode_str;
use shapes::{behind_label, id_in, is_label, is_telephone_number, last_segment, without_form, without_label};
pub use shapes::{has_id_form, has_number_form, id_variants, may_be_end_of_id};
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// Quotation marks and brackets around a pasted text that do not belong to it.
const PAIRS: [&str; 15] =
    ["<>", "()", "[]", "{}", "\"\"", "''", "``", "“”", "‘’", "「」", "『』", "《》", "〈〉", "【】", "〔〕"];
/// Separate an address from adjacent text, as in `김민수(kim@…)`. Characters that are legal in an
/// address are not among them.
const OPEN: [char; 6] = ['<', '(', '[', '\u{3008}', '\u{3010}', '\u{3014}'];
const CLOSE: [char; 6] = ['>', ')', ']', '\u{3009}', '\u{3011}', '\u{3015}'];
/// Maximum nested wrappings that are removed, such as `"<mailto:…>"`.
const DEEPEST: usize = 6;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    Nothing,
    Address {
        address: Address,
        name: Option<String>,
    },
    /// It has an `@`, or is a telephone number.
    NotAnAddress(EmailProblem),
    /// Ids are opaque, so the text may be a name. lapel tries that second.
    BadgeId(BadgeId),
    Name {
        /// Composed, because text typed on a Mac may be decomposed.
        name: String,
        /// The text as an id, when it may be one. lapel tries that second.
        or_id: Option<BadgeId>,
    },
}

impl Query {
    pub fn read(typed: &str) -> Self {
        let mut composed = half_width(&typed.nfc().collect::<String>());
        if composed.contains('@') {
            composed = composed.replace(['\u{3002}', '\u{ff61}'], ".");
        }
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
                // The pasted summary of a call: its address is masked, so its id counts.
                read @ Self::Address { .. } if !masked => read,
                read => id_in(&bare).map_or(read, Self::BadgeId),
            };
        }
        if let Some(id) = behind_label(&bare).and_then(|id| BadgeId::new(unwrapped(id))) {
            return Self::BadgeId(id);
        }
        let name = name_in(&bare);
        // After the label of an id, it is an id.
        if is_telephone_number(&name) {
            return Self::NotAnAddress(EmailProblem::TelephoneNumber);
        }
        // Letters that look like those of an id.
        if let Some(latin) = in_latin(&bare)
            && let id @ Self::BadgeId(_) = Self::read(&latin)
        {
            return id;
        }
        let digit = bare.chars().any(|c| c.is_ascii_digit());
        let plain = bare.is_ascii();
        let spaced = bare.contains(char::is_whitespace);
        // A single word may be an id of any shape. Within a longer text, only a word with the clear shape of
        // an id counts.
        if (spaced || !plain || bare.contains('"'))
            && let Some(id) = id_in(&bare)
        {
            return Self::BadgeId(id);
        }
        match BadgeId::new(bare) {
            Some(id) if plain && digit && !spaced => Self::BadgeId(id),
            // A word of ASCII letters, or ASCII words with a number, may be either.
            Some(id) if plain && (digit || !spaced) => Self::Name { name, or_id: Some(id) },
            _ => Self::Name { name, or_id: None },
        }
    }
}

/// In one line, without a label and a form of address: `성명: 한서윤 님`.
fn name_in(bare: &str) -> String {
    let words: Vec<&str> = bare.split_whitespace().collect();
    let words = match words.as_slice() {
        [label, rest @ ..] if !rest.is_empty() && is_label(label) => rest,
        all => all,
    };
    without_form(&words.join(" ")).to_owned()
}

fn address(bare: &str) -> Query {
    let bare = &dots_joined(bare);
    // `Name <address>`. Brackets around the whole text are already gone.
    if let (Some(open), true) = (bare.rfind('<'), bare.ends_with('>'))
        && let Ok(address) = Address::to_look_up(&joined(&without_mailto(&unwrapped(&bare[open..]))))
    {
        return Query::Address { address, name: named(&bare[..open]) };
    }
    let problem = match Address::to_look_up(&joined(bare)) {
        Ok(address) => return Query::Address { address, name: None },
        Err(problem) => problem,
    };
    // A line of a list or a sentence in which one word is the address.
    let (found, others): (Vec<&str>, Vec<&str>) =
        bare.split_whitespace().partition(|word| word.contains('@'));
    let [word] = found.as_slice() else { return Query::NotAnAddress(problem) };
    let (before, word, after) = parted(word);
    match Address::to_look_up(&without_mailto(&unwrapped(without_label(&unwrapped(word))))) {
        Ok(address) => {
            let rest: Vec<&str> = [before].into_iter().chain(others).chain([after]).collect();
            Query::Address { address, name: named(&rest.join(" ")) }
        }
        Err(_) => Query::NotAnAddress(problem),
    }
}

/// Without the space before a dot: no word of an address or a name begins with one.
fn dots_joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let goes_on = || text[at + c.len_utf8()..].starts_with(|next: char| next.is_alphanumeric());
        if c == '.' && goes_on() {
            joined.truncate(joined.trim_end().len());
        }
        joined.push(c);
    }
    joined
}

fn named(rest: &str) -> Option<String> {
    let words: Vec<&str> = rest.split_whitespace().filter(|word| !is_label(word)).collect();
    let name = unwrapped(&words.join(" "));
    Some(without_form(&name).to_owned()).filter(|name| !name.is_empty())
}

/// Only works when the text has nothing but the address and a label: among more words, the address
/// is unclear.
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

/// Splits a word at the brackets around its `@`: the text before, the address, the text after.
fn parted(word: &str) -> (&str, &str, &str) {
    let Some(at) = word.find('@') else { return ("", word, "") };
    let start = word[..at].rfind(OPEN).unwrap_or(0);
    let (before, word) = word.split_at(start);
    let at = at - start;
    let end = word[at..].find(OPEN).or_else(|| word[at..].find(CLOSE)).map_or(word.len(), |end| at + end);
    let (word, after) = word.split_at(end);
    (before, word, after)
}

/// Removes surrounding white space, brackets, quotation marks, `mailto:` and punctuation.
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
    // A full stop after an address ends the sentence. After a name it may belong to the name.
    let stop = |c: char| matches!(c, '.' | '\u{3002}') && text.contains('@');
    let around = |c: char| c.is_whitespace() || is_invisible(c);
    text.trim_start_matches(around)
        .trim_end_matches(|c: char| around(c) || stop(c) || matches!(c, ',' | ';' | ':' | '\u{3001}'))
}

/// Also removes a single bracket whose partner was not pasted.
fn without_pair(text: &str) -> &str {
    for pair in PAIRS {
        let mut ends = pair.chars();
        let (Some(open), Some(close)) = (ends.next(), ends.next()) else { continue };
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

/// `a) and (b`.
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

/// Also removes the subject, and decodes the percent-encoding.
fn without_mailto(text: &str) -> String {
    behind_mailto(text).map_or_else(|| text.to_owned(), decoded)
}

/// Unchanged when the result is not UTF-8.
fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8().map_or_else(|_| text.to_owned(), Cow::into_owned)
}

#[cfg(test)]
mod tests;
