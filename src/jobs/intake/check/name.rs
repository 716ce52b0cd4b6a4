//! Checks the name of a row.

use super::{Findings, RecipientField, Severity, quoted};
use crate::domain::look_alike::mixes_scripts;
use crate::domain::text::{is_invisible, is_joined, is_joiner};
use crate::jobs::intake::cell_text::{
    is_address_like, is_bidi, is_error_token, is_han, is_jamo, is_syllable, trim,
};
use crate::jobs::intake::mojibake;
use crate::jobs::prelude::*;
use crate::secrets::REDACTED;
use unicode_normalization::char::decompose_canonical;
use unicode_normalization::{IsNormalized, is_nfc_quick};

/// Maximum length of a name without a review, in characters. The contract gives no limit.
const LONG: usize = 100;

/// Returns the name as lapel would send it.
pub(super) fn checked(raw: &str, email: &str, findings: &mut Findings) -> String {
    let composed = compose(raw);
    let name = trim(&composed);
    let mut add = |severity, what: Localizable| findings.add(RecipientField::Name, severity, what);
    if name.is_empty() {
        let hides = raw.chars().any(|c| is_invisible(c) || c == '\u{2800}');
        let what = if hides {
            localizable!("the name has only invisible characters")
        } else {
            localizable!("the name is empty")
        };
        add(Severity::Refuse, what);
        return String::new();
    }
    if name.len() != composed.len() {
        add(Severity::Note, localizable!("lapel removed spaces or invisible characters around the name"));
    }
    if composed != raw {
        let what = localizable!(
            "lapel joined letters that were stored in parts (as macOS does); the name looks the same"
        );
        add(Severity::Note, what);
    }
    if !has_only_letters(name)
        && let Some(why) = refusal(name, email)
    {
        add(Severity::Refuse, why);
    } else {
        for why in doubts(name) {
            add(Severity::Ask, why);
        }
    }
    name.to_owned()
}

/// Composes Hangul from single letters, and accents with their base letters. Keeps characters that NFC would
/// replace by another one: CP949 has two code points for 金, and a person's name must stay as written.
pub(in crate::jobs::intake) fn compose(text: &str) -> String {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, c)) = rest.char_indices().find(|(_, c)| is_singleton(*c)) {
        out.extend(rest[..at].nfc());
        out.push(c);
        rest = &rest[at + c.len_utf8()..];
    }
    out.extend(rest.nfc());
    out
}

/// Whether NFC would replace it by another single character.
fn is_singleton(c: char) -> bool {
    let (mut first, mut count) = (c, 0);
    decompose_canonical(c, |d| {
        first = d;
        count += 1;
    });
    count == 1 && first != c
}

/// Whether the name has only Latin letters, Hangul syllables and single spaces. Most names do, and their signs need no
/// check.
fn has_only_letters(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphabetic() || is_syllable(c) || c == ' ') && !name.contains("  ")
}

fn refusal(name: &str, email: &str) -> Option<Localizable> {
    if is_error_token(name) {
        return Some(localizable!("the name is a formula error: {text}", text = quoted(name)));
    }
    if let Some(c) = name.chars().find(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
        return Some(match c {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' | '\u{85}' => localizable!("the name has a line break"),
            '\t' => localizable!("the name has a tab"),
            _ => localizable!("the name has a control character ({code})", code = code(c)),
        });
    }
    if let Some(c) = name.chars().find(|c| is_bidi(*c)) {
        return Some(localizable!(
            "the name has a character that changes the writing direction ({code})",
            code = code(c)
        ));
    }
    if let Some(c) = name.chars().find(|c| is_no_character(*c)) {
        return Some(localizable!("the name has {code}, which is not a valid character", code = code(c)));
    }
    if let Some(text) = placeholder(name) {
        return Some(localizable!(
            "the name has {text}, which a file of lapel has instead of the real text: enter the name",
            text
        ));
    }
    if is_address_like(name) && !is_address_like(email) && !trim(email).is_empty() {
        return Some(localizable!(
            "the name is an e-mail address and the e-mail address is not: are the columns swapped?"
        ));
    }
    None
}

/// What a redo file or a receipt has instead of a control character or a key: nobody is called that.
fn placeholder(name: &str) -> Option<&str> {
    if let Some((at, picture)) = name.char_indices().find(|(_, c)| matches!(c, '\u{2400}'..='\u{2426}')) {
        return name.get(at..at + picture.len_utf8());
    }
    if let Some(at) = name.find("\u{27e8}U+") {
        let end = name[at..].find('\u{27e9}').map_or(name.len(), |end| at + end + '\u{27e9}'.len_utf8());
        return name.get(at..end);
    }
    name.contains(REDACTED).then_some(REDACTED)
}

/// The Unicode notation of a character: `U+200B`.
fn code(c: char) -> String {
    format!("U+{:04X}", c as u32)
}

/// A person should review these before the name is printed on a badge.
fn doubts(name: &str) -> Vec<Localizable> {
    // Other doubts about damaged text say nothing.
    if let Some(damage) = mojibake::damage(name) {
        return vec![lost_letters(damage.was())];
    }
    let mut doubts = if has_only_letters(name) { Vec::new() } else { doubtful_signs(name) };
    if is_placeholder(name) {
        doubts.push(localizable!("this looks like a placeholder, not a name"));
    }
    if name.chars().nth(LONG).is_some() {
        doubts.push(localizable!("the name is longer than 100 characters"));
    }
    if let Some(tail) = title_or_number(name) {
        doubts.push(localizable!(
            "the name ends in \"{tail}\", which may not be part of it",
            tail = quoted(tail)
        ));
    }
    doubts
}

fn doubtful_signs(name: &str) -> Vec<Localizable> {
    let mut doubts = Vec::new();
    // Most names have no doubts, so their texts are not made.
    let mut doubt = |is: bool, what: fn() -> Localizable| {
        if is {
            doubts.push(what());
        }
    };
    let chars: Vec<char> = name.chars().collect();
    let has = |test: fn(char) -> bool| chars.iter().any(|c| test(*c));
    doubt(is_address_like(name), || localizable!("the name is an e-mail address"));
    doubt(!has(char::is_alphabetic) && has(char::is_numeric), || localizable!("the name has only digits"));
    doubt(!has(char::is_alphabetic) && !has(char::is_numeric), || localizable!("the name has no letters"));
    doubt(has(|c| matches!(c, '\u{ff01}'..='\u{ff5e}')), || {
        localizable!("the name has full-width letters (ＫＩＭ instead of KIM)")
    });
    doubt(has(is_jamo), || localizable!("the name has a single Hangul letter: is it complete?"));
    doubt(stray_invisible(&chars), || localizable!("the name has an invisible character"));
    doubt(has(|c| c.is_whitespace() && c != ' '), || {
        localizable!("the name has an unusual space (no-break or full-width)")
    });
    doubt(name.contains("  "), || localizable!("the name has two spaces in a row"));
    doubt(name.starts_with(['=', '+', '@', '＝', '＋', '＠']), || {
        localizable!("the name starts like a formula")
    });
    doubt(name.contains(['<', '>']) || has_entity(name), || localizable!("the name contains HTML"));
    doubt(name.split(' ').any(mixes_scripts), || {
        localizable!("one word mixes letters of two alphabets that look alike")
    });
    if has_lost_letter(&chars) {
        doubts.push(lost_letters(None));
    }
    doubts
}

/// Uses the text of [`crate::jobs::Code::LostLetters`], so that all these rows are one group in the review.
fn lost_letters(was: Option<&str>) -> Localizable {
    let was = was.map_or_else(
        || Localizable::verbatim(""),
        |was| localizable!(" (probably {was})", was = quoted(was)),
    );
    localizable!("letters of the name were lost in a conversion{was}", was)
}

/// Matches only the whole name: Null may be a real surname.
fn is_placeholder(name: &str) -> bool {
    const WORDS: [&str; 19] = [
        "null",
        "none",
        "nil",
        "nan",
        "n/a",
        "n.a.",
        "undefined",
        "unknown",
        "tbd",
        "test",
        "테스트",
        "없음",
        "미정",
        "미상",
        "해당없음",
        "해당 없음",
        "무명",
        "이름없음",
        "anonymous",
    ];
    let lower = trim(name).to_lowercase();
    let bare = lower.trim_matches(['"', '\'', '(', ')', '<', '>', '[', ']', '#']);
    WORDS.contains(&bare)
}

/// A title, or a suffix that distinguishes people with the same name in a list. Neither belongs on a badge.
fn title_or_number(name: &str) -> Option<&str> {
    const TITLES: [&str; 14] = [
        "님",
        "학생",
        "선생님",
        "교수님",
        "교수",
        "선생",
        "귀하",
        "과장",
        "부장",
        "대리",
        "사원",
        "팀장",
        "원장",
        "대표",
    ];
    if let Some(open) = name.rfind(['(', '[', '（'])
        && open > 0
        && name.ends_with([')', ']', '）'])
    {
        let inside = &name[open..];
        let is_number = inside.chars().filter(char::is_ascii_digit).count() >= 2;
        return (is_number || TITLES.iter().any(|t| inside.contains(t))).then_some(inside);
    }
    let korean = name.chars().next().is_some_and(|c| is_syllable(c) || is_han(c));
    if !korean {
        return None;
    }
    let title = TITLES.iter().filter(|t| name.ends_with(**t)).max_by_key(|t| t.len());
    if let Some(title) = title
        // 민수님 is a name with a title. Without 님, two syllables before a title are required: 김대표 may be a name.
        && (*title == "님" || name[..name.len() - title.len()].chars().filter(|c| is_syllable(*c)).count() >= 2)
        && name.len() > title.len()
    {
        return name.get(name.len() - title.len()..);
    }
    let last = name.char_indices().next_back().filter(|(_, c)| c.is_ascii_alphanumeric())?;
    let before = name[..last.0].trim_end().chars().next_back()?;
    (is_syllable(before) || before.is_ascii_digit()).then(|| &name[last.0..])
}

/// Programs write a question mark for a letter that an encoding does not have: `Garc?a`.
fn has_lost_letter(chars: &[char]) -> bool {
    chars.windows(2).any(|pair| matches!(pair, ['?', letter] | [letter, '?'] if letter.is_alphabetic()))
}

fn is_no_character(c: char) -> bool {
    (c as u32) & 0xfffe == 0xfffe || matches!(c, '\u{fdd0}'..='\u{fdef}' | '\u{fff9}'..='\u{fffb}')
}

fn has_entity(name: &str) -> bool {
    name.split('&').skip(1).any(|rest| {
        rest.split_once(';').is_some_and(|(entity, _)| {
            (2..=8).contains(&entity.len()) && entity.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'#')
        })
    })
}

/// Invisible characters that the script does not need. A screen shows the same ones.
fn stray_invisible(chars: &[char]) -> bool {
    chars.iter().enumerate().any(|(at, c)| {
        let before = at.checked_sub(1).and_then(|b| chars.get(b)).copied();
        match c {
            c if is_joiner(*c) => !is_joined(before, *c, chars.get(at + 1).copied()),
            '\u{e0100}'..='\u{e01ef}' => before.is_none_or(char::is_whitespace),
            _ => is_invisible(*c),
        }
    })
}
