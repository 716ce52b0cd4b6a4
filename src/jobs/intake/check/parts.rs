//! Joins a name from its columns, and recognizes rows with totals.

use super::{Findings, RecipientField, Severity};
use crate::jobs::intake::NameColumns;
use crate::jobs::intake::cell_text::{is_han, is_syllable, trim};
use crate::jobs::intake::row::RawRow;

/// From two columns: family name first, without a space if both are Hangul or Han; otherwise "Given Family".
pub(super) fn name_of(row: &RawRow, columns: NameColumns, findings: &mut Findings) -> String {
    let (family, given) = match columns {
        NameColumns::One(column) => return row.cell(column).to_owned(),
        NameColumns::FamilyGiven { family, given } => (trim(row.cell(family)), trim(row.cell(given))),
    };
    let mut ask = |what| findings.add(RecipientField::Name, Severity::Ask, what);
    match (family.is_empty(), given.is_empty()) {
        (true, true) => String::new(),
        (true, false) => {
            ask(localizable!("there is a given name but no family name"));
            given.to_owned()
        }
        (false, true) => {
            ask(localizable!("there is a family name but no given name"));
            family.to_owned()
        }
        (false, false) => {
            let (family_is, given_is) = (is_east_asian(family), is_east_asian(given));
            if family_is != given_is {
                ask(localizable!("the family name and the given name are in different scripts"));
            }
            if family_is && given_is { format!("{family}{given}") } else { format!("{given} {family}") }
        }
    }
}

fn is_east_asian(part: &str) -> bool {
    let composed = super::compose(part);
    composed.chars().all(|c| is_syllable(c) || is_han(c) || matches!(c, '\u{3041}'..='\u{30ff}') || c == ' ')
}

/// Whether a row that begins with this cell is a total: "합계 120명", "Total: 120".
pub(super) fn is_total(cell: &str) -> bool {
    const WORDS: &str = "합계 총계 소계 누계 총인원 총원 인원 total subtotal grandtotal sum 계";
    let letters: String =
        super::compose(cell).chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
    let bare = letters.strip_suffix('명').or_else(|| letters.strip_suffix('인')).unwrap_or(&letters);
    // "총 120명" without its number is one letter, which alone could be a name.
    let counted = cell.chars().any(|c| c.is_ascii_digit());
    WORDS.split(' ').any(|word| word == bare || word == letters)
        || (counted && matches!(bare, "총" | "전체" | "모두" | "count"))
}
