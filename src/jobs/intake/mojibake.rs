//! Detects text that was decoded with a wrong encoding before and saved like that.
//!
//! The tests are exact, not statistical: a word is damaged if reversing the wrong decoding gives readable
//! text without a rest. A foreign name does not match.

use super::cell_text::{is_han, is_syllable};
use encoding_rs::{EUC_KR, WINDOWS_1252};
use std::borrow::Cow;

messages! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Mojibake;
    pub(super) fn localizable;
    /// `±è¹Î¼ö`.
    KoreanAsWestern => localizable!("Korean text (CP949) was read as a Western encoding");
    /// `JosÃ©`.
    Utf8AsWestern => localizable!("UTF-8 text was read as a Western encoding");
    /// `源誘쇱닔`.
    Utf8AsKorean => localizable!("UTF-8 text was read as CP949");
    /// U+FFFD, or its own wrong decoding.
    Lost => localizable!("characters were lost when it was read in the wrong encoding");
    QuestionMarks => localizable!("its letters were lost and became question marks");
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Damage {
    pub kind: Mojibake,
    was: Option<String>,
}

impl Damage {
    /// The text before the damage. `None` if a part of it is not known: half a name is not suggested.
    pub fn was(&self) -> Option<&str> {
        self.was.as_deref()
    }
}

/// The kind is that of the first damaged word, or of the first Korean one; [`Damage::was`] is the whole text.
pub(super) fn damage(text: &str) -> Option<Damage> {
    if text.contains('\u{fffd}') || text.contains("占쏙옙") {
        return Some(Damage { kind: Mojibake::Lost, was: None });
    }
    // At least two: a single one may mean "unknown".
    if text.len() >= 2 && text.chars().all(|c| c == '?' || c == ' ') && text.contains("??") {
        return Some(Damage { kind: Mojibake::QuestionMarks, was: None });
    }
    if text.is_ascii() {
        return None;
    }
    let words: Vec<(&str, &str, Option<Damage>)> = text
        .split_inclusive(|c: char| c.is_ascii_whitespace())
        .map(|piece| {
            let word = piece.trim_end_matches(|c: char| c.is_ascii_whitespace());
            let found = if word.is_ascii() { None } else { word_damage(word) };
            (word, &piece[word.len()..], found)
        })
        .collect();
    let kinds = || words.iter().filter_map(|(.., found)| found.as_ref()).map(|found| found.kind);
    let kind = kinds().find(|kind| *kind != Mojibake::Utf8AsWestern).or_else(|| kinds().next())?;
    // Each damaged word is replaced. The other words and all spaces stay.
    let (mut repaired, mut has_hangul, mut has_rest) = (String::with_capacity(text.len()), false, false);
    for (word, spaces, found) in &words {
        let was = if word.is_ascii() { None } else { word_before(word, found.as_ref(), kind) };
        has_hangul |= was.as_deref().is_some_and(|was| hangul(was) > 0);
        // After UTF-8 was read as CP949, no other word stays as it was.
        let may_be_damaged = kind == Mojibake::Utf8AsKorean || western_bytes(word).is_some();
        has_rest |= was.is_none() && !word.is_ascii() && may_be_damaged;
        repaired.push_str(was.as_deref().unwrap_or(word));
        repaired.push_str(spaces);
    }
    Some(Damage { kind, was: (!has_hangul || !has_rest).then_some(repaired) })
}

/// The word before the damage, in a text with damage of this kind. A short Korean word is recognised only beside
/// another one: alone, it may be a Western name. `found`: what the word shows alone.
fn word_before(word: &str, found: Option<&Damage>, kind: Mojibake) -> Option<String> {
    match (kind, found) {
        (_, Some(found)) if found.kind == kind => found.was.clone(),
        // A Western word has ASCII letters, and its bytes may be Korean by chance.
        (Mojibake::KoreanAsWestern, _) if !word.chars().any(|c| c.is_ascii_alphabetic()) => EUC_KR
            .decode_without_bom_handling_and_without_replacement(&western_bytes(word)?)
            .filter(|was| is_korean_word(was))
            .map(Cow::into_owned),
        (Mojibake::Utf8AsKorean, _) => {
            utf8_with_losses(&korean_bytes(word)?).filter(|was| is_korean_word(was))
        }
        _ => None,
    }
}

fn word_damage(word: &str) -> Option<Damage> {
    let damage = |kind, was| Damage { kind, was: Some(was) };
    if let Some(bytes) = western_bytes(word) {
        // Some bytes fit both. A Korean word has no ASCII letters; a Western word has.
        let korean = || {
            EUC_KR
                .decode_without_bom_handling_and_without_replacement(&bytes)
                .filter(|was| is_korean_word(was) && (hangul(was) >= 3 || word.chars().any(is_sign)))
                .map(|was| damage(Mojibake::KoreanAsWestern, was.into_owned()))
        };
        let utf8 = || whole_or_begun(&bytes).map(|was| damage(Mojibake::Utf8AsWestern, was));
        return if word.chars().any(|c| c.is_ascii_alphabetic()) {
            utf8().or_else(korean)
        } else {
            korean().or_else(utf8)
        };
    }
    // The first byte of a Hangul syllable in UTF-8 starts a Han character in CP949.
    if !word.chars().next().is_some_and(is_han) {
        return None;
    }
    let was = utf8_with_losses(&korean_bytes(word)?)?;
    (hangul(&was) >= 2 && is_korean_word(&was)).then(|| damage(Mojibake::Utf8AsKorean, was))
}

/// UTF-8 with at least one non-ASCII letter. The last character may be incomplete: some wrongly decoded bytes
/// look like spaces and were trimmed.
fn whole_or_begun(bytes: &[u8]) -> Option<String> {
    let is_foreign = |text: &str| text.chars().any(|c| !c.is_ascii() && !c.is_control());
    match std::str::from_utf8(bytes) {
        Ok(whole) => is_foreign(whole).then(|| whole.to_owned()),
        Err(e) if e.error_len().is_none() => {
            let begun = std::str::from_utf8(&bytes[..e.valid_up_to()]).ok()?;
            // Two bytes may be two letters by chance; three may not.
            begun.chars().any(|c| c.len_utf8() > 2).then(|| format!("{begun}…"))
        }
        Err(_) => None,
    }
}

/// The bytes from which CP949 gave these characters. The single byte 0x80 gave U+0080.
fn korean_bytes(word: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(word.len());
    for c in word.chars() {
        if c == '\u{80}' {
            bytes.push(0x80);
            continue;
        }
        let mut buffer = [0; 4];
        match EUC_KR.encode(c.encode_utf8(&mut buffer)) {
            (encoded, _, false) => bytes.extend_from_slice(&encoded),
            _ => return None,
        }
    }
    Some(bytes)
}

/// Some invalid bytes may be lost or `?`. `None` if the bytes are not Hangul in UTF-8.
fn utf8_with_losses(bytes: &[u8]) -> Option<String> {
    let (mut text, mut kept, mut lost) = (String::new(), 0, 0);
    let mut rest = bytes;
    while let Some((&first, behind)) = rest.split_first() {
        match first {
            b'?' => {
                if !text.ends_with('…') {
                    text.push('…');
                }
                lost += 1;
            }
            0..=0x7f => text.push(char::from(first)),
            0xea..=0xed => {
                let more = behind.iter().take(2).take_while(|b| matches!(b, 0x80..=0xbf)).count();
                match std::str::from_utf8(&rest[..=more]) {
                    Ok(whole) => {
                        text.push_str(whole);
                        kept += 1;
                    }
                    Err(_) => {
                        text.push('…');
                        lost += 1;
                    }
                }
                rest = &behind[more..];
                continue;
            }
            _ => return None,
        }
        rest = behind;
    }
    (kept >= lost).then_some(text)
}

/// The bytes from which a Western encoding gave these characters; `None` if a character has no byte.
fn western_bytes(word: &str) -> Option<Vec<u8>> {
    word.chars()
        .map(|c| match c {
            '\u{0}'..='\u{ff}' => u8::try_from(u32::from(c)).ok(),
            // The last character of the encoding is ™.
            '\u{2123}'.. => None,
            _ => {
                let mut buffer = [0; 4];
                match WINDOWS_1252.encode(c.encode_utf8(&mut buffer)) {
                    (bytes, _, false) if bytes.len() == 1 => bytes.first().copied(),
                    _ => None,
                }
            }
        })
        .collect()
}

/// Western names do not contain signs. Wrongly decoded CP949 contains many.
fn is_sign(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{bf}' | '×' | '÷') && !matches!(c, 'ª' | 'º' | '·')
}

fn is_korean_word(text: &str) -> bool {
    hangul(text) >= 1
        && text
            .chars()
            .all(|c| c.is_ascii() || is_syllable(c) || matches!(c, '\u{3131}'..='\u{318e}' | '·' | '…'))
}

fn hangul(text: &str) -> usize {
    text.chars().filter(|c| is_syllable(*c)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_words_are_recognised_and_explained() {
        for (damaged, was) in [
            ("±è¹Î¼ö", "김민수"),
            ("È«Ã¶", "홍철"),
            ("ÀÌ¸§", "이름"),
            ("ê¹€ë¯¼ìˆ˜", "김민수"),
            ("JosÃ©", "José"),
            ("í\u{99}\u{8d}ì²", "홍…"),
        ] {
            let found = damage(damaged).unwrap_or_else(|| panic!("{damaged} not recognised"));
            assert_eq!(found.was(), Some(was), "{damaged}");
        }
        for korean in ["源\u{80}誘쇱닔", "源誘쇱닔", "源?誘쇱닔"] {
            let found = damage(korean).unwrap_or_else(|| panic!("{korean} not recognised"));
            assert!(found.was().is_some_and(|was| was.ends_with("민수")), "{korean}: {found:?}");
        }
        for lost in ["김\u{fffd}수", "占쏙옙占쏙옙", "???", "?? ??"] {
            assert!(damage(lost).is_some_and(|d| d.was().is_none()), "{lost}");
        }
    }

    #[test]
    fn every_damaged_word_is_replaced_and_the_rest_of_the_name_stays() {
        for (damaged, was) in [
            ("JosÃ© Silva", "José Silva"),
            ("Ana JosÃ©", "Ana José"),
            ("JosÃ©  MuÃ±oz Silva", "José  Muñoz Silva"),
            ("Zoë JosÃ©", "Zoë José"),
            ("±è ¹Î¼ö (Kim)", "김 민수 (Kim)"),
            ("Kim ê¹€ë¯¼ìˆ˜", "Kim 김민수"),
        ] {
            let found = damage(damaged).unwrap_or_else(|| panic!("{damaged} not recognised"));
            assert_eq!(found.was(), Some(was), "{damaged}");
        }
    }

    #[test]
    fn every_common_korean_name_that_was_read_as_western_is_recognised() {
        for name in [
            "김민수",
            "이서연",
            "박지훈",
            "최유진",
            "정하은",
            "강도윤",
            "남궁민",
            "홍철",
            "황보라",
            "선우용녀",
        ] {
            let (bytes, _, _) = EUC_KR.encode(name);
            let western: String = bytes.iter().map(|b| char::from(*b)).collect();
            assert_eq!(
                damage(&western).and_then(|d| d.was().map(str::to_owned)),
                Some(name.to_owned()),
                "{western}"
            );
            let (western, _) = WINDOWS_1252.decode_without_bom_handling(name.as_bytes());
            assert_eq!(
                damage(&western).and_then(|d| d.was().map(str::to_owned)),
                Some(name.to_owned()),
                "{western}"
            );
        }
    }

    #[test]
    fn a_short_word_beside_a_recognised_one_is_decoded_too() {
        for name in ["이 서연", "박 지훈", "정 하은", "최 유진"] {
            let (bytes, _, _) = EUC_KR.encode(name);
            let western: String = bytes.iter().map(|b| char::from(*b)).collect();
            assert_eq!(
                damage(&western).and_then(|d| d.was().map(str::to_owned)),
                Some(name.to_owned()),
                "{western}"
            );
        }
    }

    #[test]
    fn half_a_name_is_not_suggested() {
        // Each has a word that is not of this damage, beside a recognised Korean one.
        for damaged in ["±è¹Î¼ö José", "José ±è¹Î¼ö", "±è¹Î¼ö Åsa", "ê¹€ë¯¼ìˆ˜ Zoë", "源\u{80}誘쇱닔 José"]
        {
            let found = damage(damaged).unwrap_or_else(|| panic!("{damaged} not recognised"));
            assert_eq!(found.was(), None, "{damaged}");
        }
    }

    #[test]
    fn names_that_are_only_foreign_are_left_alone() {
        for fine in [
            "José",
            "Müller",
            "Ahmet Yılmaz",
            "Åsa Öberg",
            "Çağla ÇÖL",
            "ȫö",
            "王小明",
            "金哲洙",
            "김민수",
            "홍철",
            "นภา ศรีสุข",
            "علي حسن",
            "Дмитрий",
            "Ñuñez",
            "Zoë",
            "Þórður",
            "Müßig",
            "ÄÖÜ",
            "?",
            "김민수?",
            "李舜臣",
        ] {
            assert_eq!(damage(fine), None, "{fine}");
        }
    }
}
