//! The text of a screen without personal data, for a ticket.
//!
//! A screen cuts and wraps names, so lapel cannot find them all by comparing. Only known words
//! stay: lapel's own texts, and the titles and names of organisations that are loaded.

use super::holder::HeldBadge;
use super::mask::{self, ENDS, STARS};
use super::records::{Badge, HistoryItem};
use super::text::Text;
use crate::i18n;
use std::collections::HashSet;
use unicode_width::UnicodeWidthStr;

#[derive(Clone, Debug, Default)]
pub struct KnownWords {
    people: HashSet<String>,
    plain: HashSet<String>,
}

impl KnownWords {
    /// Words of a person's name never stay, even if lapel has the same word.
    pub fn person<'a>(&mut self, name: impl IntoIterator<Item = &'a Text>) {
        for name in name {
            self.people.extend(words(&name.to_string()).map(str::to_lowercase));
            self.people.extend(words(name.wire()).map(str::to_lowercase));
        }
    }

    /// Words before the sign of a person's address: a screen may cut or wrap it there.
    pub fn address<'a>(&mut self, address: impl IntoIterator<Item = &'a Text>) {
        for address in address {
            let local = address.wire().split('@').next().unwrap_or_default();
            self.people.extend(words(local).map(str::to_lowercase));
        }
    }

    /// A text that a person typed may be a name or an address. An id stays.
    pub fn typed(&mut self, text: &str) {
        for word in text.split_whitespace() {
            match word.split_once('@') {
                Some((local, _)) => self.people.extend(words(local).map(str::to_lowercase)),
                None if is_id(word) => {}
                None => self.people.extend(words(word).map(str::to_lowercase)),
            }
        }
    }

    pub fn plain<'a>(&mut self, text: impl IntoIterator<Item = &'a Text>) {
        for text in text {
            self.plain_text(&text.to_string());
        }
    }

    pub fn plain_text(&mut self, text: &str) {
        self.plain.extend(words(text).map(str::to_owned));
    }

    fn keeps(&self, word: &str) -> bool {
        let one_letter = word.len() == 1;
        let has_letters = word.chars().any(char::is_alphabetic);
        let is_known = || i18n::is_a_word(word) || self.plain.contains(word);
        !has_letters || is_measure(word) || one_letter || (!self.is_of_a_person(word) && is_known())
    }

    /// Also a beginning or an end of a name: a screen wraps names. Not of Latin letters: a word of lapel like "in" or
    /// "name" is a part of many addresses, and tells nothing of them.
    fn is_of_a_person(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        let is_part = |name: &String| name.starts_with(&word) || name.ends_with(&word);
        self.people.contains(&word) || (!word.is_ascii() && self.people.iter().any(is_part))
    }

    /// Columns stay where they are.
    pub fn mask(&self, screen: &str) -> String {
        let lines: Vec<String> = screen.lines().map(|line| self.mask_line(line)).collect();
        lines.join("\n") + "\n"
    }

    fn mask_line(&self, line: &str) -> String {
        let mut out = String::new();
        // Columns that masking has saved, or used up, since the last gap.
        let mut spare: isize = 0;
        let mut rest = line;
        while !rest.is_empty() {
            let gap = rest.len() - rest.trim_start_matches(' ').len();
            if gap > 0 {
                let kept = if gap > 1 { (gap as isize + spare).max(1) } else { 1 };
                spare -= kept - gap as isize;
                out.push_str(&" ".repeat(kept.unsigned_abs()));
            }
            rest = &rest[gap..];
            let end = rest.find(' ').unwrap_or(rest.len());
            let masked = self.mask_word(&rest[..end]);
            spare += rest[..end].width() as isize - masked.width() as isize;
            out.push_str(&masked);
            rest = &rest[end..];
        }
        out
    }

    fn mask_word(&self, word: &str) -> String {
        if !word.contains(['@', '\u{ff20}']) {
            return self.mask_parts(word);
        }
        mask::addresses(word, |c| ENDS.contains(c) || c == '│', mask::address, |part| self.mask_parts(part))
    }

    fn mask_parts(&self, word: &str) -> String {
        // The local part of an address may be cut off with its sign.
        let is_cut = word.contains(['…', '~']);
        if is_number_of_a_person(word) || (is_cut && word.bytes().filter(u8::is_ascii_digit).count() >= 4) {
            return STARS.to_owned();
        }
        if is_id(word) && !is_cut && !words(word).any(|part| self.people.contains(&part.to_lowercase())) {
            return word.to_owned();
        }
        let mut out = String::new();
        let mut rest = word;
        while let Some(first) = rest.chars().next() {
            let end = rest.find(|c| is_letter(c) != is_letter(first)).unwrap_or(rest.len());
            let part = &rest[..end];
            // The rest of a word that is cut is not known.
            let cut = is_cut && part.len() > 1 && part.chars().any(char::is_alphabetic);
            out.push_str(if !is_letter(first) || (!cut && self.keeps(part)) { part } else { STARS });
            rest = &rest[end..];
        }
        out
    }
}

impl HistoryItem {
    pub fn know(&self, known: &mut KnownWords) {
        known.person(&self.recipient_name);
        known.address(&self.recipient_email);
        known.plain(
            [&self.title, &self.badge_type_name, &self.category_name, &self.level_name].into_iter().flatten(),
        );
        known.plain([&self.status_name, &self.email_status].into_iter().flatten());
    }
}

impl Badge {
    pub fn know(&self, known: &mut KnownWords) {
        known.person(&self.recipient_name);
        known.plain(
            [&self.title, &self.badge_type_name, &self.category_name, &self.level_name].into_iter().flatten(),
        );
        known.plain([&self.issuing_org, &self.company_name, &self.status_name].into_iter().flatten());
        // A description may name people.
        known.plain(&self.email_status);
        known.plain(&self.skills_tag);
    }
}

impl HeldBadge {
    pub fn know(&self, known: &mut KnownWords) {
        self.history.iter().for_each(|item| item.know(known));
        self.detail.iter().for_each(|badge| badge.know(known));
        known.plain(&self.sent);
        if let Some(badge) = &self.wallet {
            known.person(&badge.recipient_name);
            known.plain([&badge.title, &badge.issuing_org, &badge.status_name].into_iter().flatten());
        }
    }
}

/// A combining mark belongs to the letter before it.
fn is_letter(c: char) -> bool {
    let is_sign =
        c.is_ascii() || ('\u{2000}'..'\u{2c00}').contains(&c) || ('\u{3000}'..'\u{3040}').contains(&c);
    c.is_alphanumeric() || !(is_sign || c.is_whitespace() || c.is_control() || c == '·' || c == '\u{fffd}')
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_letter(c)).filter(|word| !word.is_empty())
}

/// `19h`, `42min`.
fn is_measure(word: &str) -> bool {
    const UNITS: [&str; 10] = ["", "s", "m", "h", "d", "min", "ms", "b", "kb", "mb"];
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
    (1..=4).contains(&(word.len() - unit.len())) && UNITS.contains(&unit)
}

/// A phone or student number. A date has its own form, a large number has commas.
fn is_number_of_a_person(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let form: String = word
        .trim_matches(|c: char| !c.is_ascii_digit())
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    let is_date = form == "0000-00-00";
    digits >= 8 && !word.chars().any(char::is_alphabetic) && !is_date && !word.contains(',')
}

/// Capital letters and digits with signs, such as `UTC+9`.
fn is_id(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    // Without a sign, it may be the name before a number: `GDHONG77`.
    let has_sign = bare.contains(['-', '+']) || !bare.contains(char::is_alphabetic);
    has_sign
        && bare.bytes().any(|b| b.is_ascii_digit())
        && bare.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b"-_+:/.,".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn known(people: &[&str], plain: &[&str]) -> KnownWords {
        let mut known = KnownWords::default();
        known.person(&people.iter().map(|name| Text::from(*name)).collect::<Vec<_>>());
        known.plain(&plain.iter().map(|text| Text::from(*text)).collect::<Vec<_>>());
        known
    }

    #[test]
    fn only_known_words_stay() {
        let known = known(&["한서윤", "Mark Back"], &["파이썬 데이터 분석", "Naru University"]);
        for (line, masked) in [
            (
                "● Issued    한서윤   seoyun.han@naru.example  파이썬 데이터 분석",
                "● Issued    ***      s***@naru.example        파이썬 데이터 분석",
            ),
            // Another person, one that is cut, and one whose name is a word of lapel.
            ("  Issued  임하늘  Lea O'Connor-K…  11-02", "  Issued  ***     *** O'***-K…     11-02"),
            (
                "  Mark    Back   B-20261102-17  UTC+9  19h/24h",
                "  ***     ***    B-20261102-17  UTC+9  19h/24h",
            ),
            // The parts of an address that is wrapped or cut.
            ("s20240320…  chaewon.mo", "***         ***.***"),
            (
                "한서윤<seoyun.han@naru.example>  010-1234-5678  20240320",
                "***<s***@naru.example>           ***            ***",
            ),
            // Cut, wrapped, in other letters, and numbers that are no dates.
            (
                "이동…  Kim…  mark  BAC  890101kim  2024-12345  GDHONG77",
                "***…   ***…  ***   ***  ***        ***         ***",
            ),
            ("2026-11-02 09:41  1,234,567,890", "2026-11-02 09:41  1,234,567,890"),
            ("Naru University · 1,177 rows", "Naru University · 1,177 rows"),
        ] {
            assert_eq!(known.mask(line), format!("{masked}\n"), "{line}");
        }
    }

    #[test]
    fn typed_words_do_not_stay_and_typed_ids_do() {
        let mut known = KnownWords::default();
        known.typed("Mark Page");
        known.typed("back.name@naru.example");
        known.typed("이유 하나");
        known.typed("B-000018358-J2");
        for (line, masked) in [
            ("Holder  Mark Page", "Holder  *** ***"),
            ("back.name was not found", "***.*** was not found"),
            ("이유 하나", "*** ***"),
            ("Badge B-000018358-J2", "Badge B-000018358-J2"),
        ] {
            assert_eq!(known.mask(line), format!("{masked}\n"), "{line}");
        }
    }

    #[test]
    fn words_of_lapel_stay_in_both_languages() {
        let nobody = KnownWords::default();
        for line in ["Nothing was sent.", "아직 저장할 요청이 없습니다.", "1 History  ⏎ open  / filter"]
        {
            assert_eq!(nobody.mask(line), format!("{line}\n"));
        }
    }

    proptest! {
        #[test]
        fn a_name_never_stays(name in "[A-Z][a-z]{2,9} [A-Z][a-z]{2,9}|[가-힣]{2,4}", before in "[ a-z│]{0,9}") {
            let masked = known(&[&name], &[&name]).mask(&format!("{before} {name} {name}…"));
            for word in name.split(' ') {
                prop_assert!(!masked.split(|c: char| !c.is_alphanumeric()).any(|left| left == word), "{masked}");
            }
        }

        #[test]
        fn anything_can_be_masked(screen in any::<String>()) {
            let _ = KnownWords::default().mask(&screen);
        }
    }
}
