//! The shapes of badge ids, links and forms of address in a pasted text.

use crate::domain::ids::BadgeId;
use std::cmp::Ordering;

/// Minimum digits of a word with the clear shape of an id.
const DIGITS: usize = 6;
/// Minimum digits of an id that begins with its number and has letters, such as `3653-TT`.
const DIGITS_BESIDE_LETTERS: usize = 3;
/// Minimum parts between dashes. A student number or a year after a name has fewer.
const PARTS: usize = 3;
/// In lower case, longer ones first.
const LABELS: [&str; 9] =
    ["badge_id", "badge id", "badge-id", "badge", "id", "배지 아이디", "배지 번호", "배지 id", "배지"];
const FORMS: [&str; 3] = ["님", "씨", "귀하"];

/// `None` unless one word has the clear shape of an id. Of several, the one after "badge" or "id" counts.
pub(super) fn id_in(text: &str) -> Option<BadgeId> {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_'))
        .filter(|word| !word.is_empty())
        .collect();
    let labelled = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        before.is_some_and(|word| LABELS.contains(&word.to_lowercase().as_str()))
    };
    let places = (0..words.len()).filter(|at| has_id_form(words[*at]));
    let one = |places: &[usize]| match places {
        [first, rest @ ..] if rest.iter().all(|at| words[*at] == words[*first]) => Some(words[*first]),
        _ => None,
    };
    let all: Vec<usize> = places.collect();
    let named: Vec<usize> = all.iter().copied().filter(|at| labelled(*at)).collect();
    one(&all).or_else(|| one(&named)).and_then(BadgeId::new)
}

/// The likeliest first: in capitals, with dashes instead of spaces, and with the beginning, the dashes and the zeros
/// of `sample`, an id of the service, if the typed one has the form of its end.
pub fn id_variants(typed: &str, sample: Option<&BadgeId>) -> Vec<BadgeId> {
    if !typed.bytes().any(|b| b.is_ascii_digit()) {
        return Vec::new();
    }
    let dashed = typed.split_whitespace().collect::<Vec<_>>().join("-").to_uppercase();
    let form = |id: &str| -> String {
        let one = |c: char| match c {
            '0'..='9' => '0',
            c if c.is_alphabetic() => 'A',
            c => c,
        };
        id.chars().map(one).collect()
    };
    let begun = sample.map(BadgeId::wire).filter(|sample| sample.is_ascii()).and_then(|sample| {
        let beginning = sample.get(..sample.len().checked_sub(dashed.len())?)?;
        let is_end = dashed.is_ascii() && form(sample).ends_with(&form(&dashed));
        let is_fixed = !beginning.bytes().any(|b| b.is_ascii_digit());
        (is_end && is_fixed).then(|| format!("{beginning}{dashed}"))
    });
    let begun = begun.or_else(|| in_parts(&dashed, sample?.wire()));
    let mut variants: Vec<BadgeId> =
        [Some(dashed.clone()), begun].into_iter().flatten().filter_map(BadgeId::new).collect();
    variants.retain(|variant| variant.wire() != typed);
    variants.dedup();
    variants
}

/// A typed id in the parts of a sample, read from the end. It may lack dashes, the zeros before the number, and a
/// beginning without digits. Without a letter, only the beginning may be missing: a certificate number is often only
/// digits, and one with letters has other parts.
fn in_parts(typed: &str, sample: &str) -> Option<String> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<&str> = sample.split('-').collect();
    let number = (0..parts.len()).filter(|at| is_number(parts[*at])).max_by_key(|at| parts[*at].len())?;
    let has_letter = typed.bytes().any(|b| b.is_ascii_alphabetic());
    if is_number(typed) {
        return None;
    }
    let (mut rest, mut found) = (typed, Vec::new());
    for (at, part) in parts.iter().enumerate().rev() {
        if rest.is_empty() && part.bytes().any(|b| b.is_ascii_digit()) {
            return None;
        } else if rest.is_empty() {
            found.push((*part).to_owned());
            continue;
        }
        let digits = rest.bytes().rev().take_while(u8::is_ascii_digit).count();
        let may_lack_zeros = at == number && has_letter && part.starts_with('0');
        let length = if may_lack_zeros { digits.min(part.len()) } else { part.len() };
        let (before, own) = rest.split_at_checked(rest.len().checked_sub(length)?)?;
        let fits = match at.cmp(&number) {
            Ordering::Less => own == *part,
            Ordering::Equal => is_number(own),
            Ordering::Greater => own.bytes().all(|b| b.is_ascii_alphanumeric()),
        };
        if !fits {
            return None;
        }
        found.push(format!("{own:0>width$}", width = part.len()));
        rest = before.strip_suffix('-').unwrap_or(before);
    }
    found.reverse();
    rest.is_empty().then(|| found.join("-"))
}

/// The beginning of the id, its dashes or the zeros of its number may have been left out.
pub fn may_be_end_of_id(typed: &str) -> bool {
    let digits = typed.bytes().filter(u8::is_ascii_digit).count();
    let has_letter = typed.bytes().any(|b| b.is_ascii_alphabetic());
    typed.is_ascii()
        && if typed.bytes().next().is_some_and(|b| b.is_ascii_digit()) {
            digits >= if has_letter { DIGITS_BESIDE_LETTERS } else { DIGITS }
        } else {
            digits >= DIGITS && !typed.contains('-')
        }
}

/// The form of an id or a certificate number. No person has such a name.
pub fn has_number_form(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    has_id_form(word) || digits >= DIGITS && word.bytes().all(|b| b.is_ascii_digit() || b == b'-')
}

/// Letters and many digits, in parts between dashes: no name and no telephone number.
pub fn has_id_form(word: &str) -> bool {
    word.split('-').count() >= PARTS
        && word.split('-').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric()))
        && word.bytes().filter(u8::is_ascii_digit).count() >= DIGITS
        && word.bytes().any(|b| b.is_ascii_alphabetic())
}

/// Such as `010-1234-5678`, `02) 123-4567`, `01012345678` or `+82 10-1234-5678`.
pub(super) fn is_telephone_number(text: &str) -> bool {
    let (is_international, rest) = match text.strip_prefix('+') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let is_separator = |c: char| matches!(c, ' ' | '-' | '.' | '(' | ')' | '\u{2010}'..='\u{2015}');
    if !rest.chars().all(|c| c.is_ascii_digit() || is_separator(c)) {
        return false;
    }
    let parts: Vec<&str> = rest.split(is_separator).filter(|part| !part.is_empty()).collect();
    let is_area = |part: &str| {
        part.starts_with('0') && !part.starts_with("00") && (2..=3).contains(&part.len())
            || part.starts_with("05") && part.len() == 4
    };
    match parts.as_slice() {
        parts if is_international => (9..=15).contains(&parts.iter().map(|part| part.len()).sum::<usize>()),
        [whole] => whole.starts_with("010") && whole.len() == 11,
        [area, middle, last] => is_area(area) && (3..=4).contains(&middle.len()) && last.len() == 4,
        _ => false,
    }
}

/// One word with a digit.
pub(super) fn behind_label(text: &str) -> Option<&str> {
    let (label, rest) = text.split_once([':', '\u{ff1a}', '='])?;
    let rest = rest.trim();
    let is_word = rest.is_ascii() && !rest.contains(char::is_whitespace);
    (LABELS.contains(&label.trim().to_lowercase().as_str())
        && is_word
        && rest.bytes().any(|b| b.is_ascii_digit()))
    .then_some(rest)
}

/// `None` without a link or a path.
pub(super) fn last_segment(text: &str) -> Option<&str> {
    let is = |scheme: &str| text.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme));
    let rest = ["https://", "http://"].into_iter().find(|scheme| is(scheme)).map(|s| &text[s.len()..])?;
    if rest.contains(char::is_whitespace) {
        return None;
    }
    let path = rest.split(['?', '#']).next()?;
    let (_, path) = path.split_once('/')?;
    path.trim_end_matches('/').rsplit('/').next().filter(|last| !last.is_empty())
}

/// `한서윤 님` becomes `한서윤`. Without a space, only `님` after at least three syllables is removed,
/// because some given names end the same way.
pub(super) fn without_form(name: &str) -> &str {
    for form in FORMS {
        if let Some(rest) = name.strip_suffix(form) {
            let bare = rest.trim_end();
            let syllables = bare.chars().filter(|c| matches!(c, '\u{ac00}'..='\u{d7a3}')).count();
            let apart = bare.len() < rest.len();
            if !bare.is_empty() && (apart || (form == FORMS[0] && syllables >= 3)) {
                return bare;
            }
        }
    }
    name
}

/// Such as `To:`.
pub(super) fn is_label(word: &str) -> bool {
    word.strip_suffix([':', '\u{ff1a}']).is_some_and(is_label_word)
}

/// Such as `to:kim@…`.
pub(super) fn without_label(word: &str) -> &str {
    match word.split_once([':', '\u{ff1a}']) {
        Some((label, rest)) if is_label_word(label) && !label.eq_ignore_ascii_case("mailto") => rest,
        _ => word,
    }
}

fn is_label_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_alphabetic() || c == '-')
}
