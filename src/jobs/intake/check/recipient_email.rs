//! Checks the e-mail address of a row.

use super::{Findings, RecipientField, Severity};
use crate::domain::look_alike::mixes_scripts;
use crate::domain::text::is_invisible;
use crate::domain::{Address, EmailProblem};
use crate::jobs::intake::cell_text::{is_error_token, trim};
use crate::jobs::prelude::UnicodeNormalization;

/// Returns the address as lapel would send it.
pub(super) fn checked(raw: &str, findings: &mut Findings) -> String {
    let trimmed = trim(raw);
    let mut add = |severity, what| findings.add(RecipientField::Email, severity, what);
    if is_error_token(trimmed) {
        add(Severity::Refuse, localizable!("the e-mail address is a formula error"));
        return trimmed.to_owned();
    }
    let address = match Address::check(raw) {
        Ok(address) => address,
        Err(problem) => {
            let what = match problem {
                EmailProblem::Empty if raw.chars().any(is_invisible) => {
                    localizable!("the e-mail address has only invisible characters")
                }
                other => other.localizable(),
            };
            add(Severity::Refuse, what);
            return trimmed.to_owned();
        }
    };
    // lapel also joins letters with their marks, which removes nothing.
    if address.as_str() != raw && !address.as_str().chars().eq(raw.nfc()) {
        let what = if address.as_str().chars().eq(trimmed.nfc()) {
            localizable!("lapel removed spaces or invisible characters around the address")
        } else {
            localizable!("lapel removed the text around the address")
        };
        add(Severity::Note, what);
    }
    if let Some(meant) = address.meant() {
        add(Severity::Ask, localizable!("did you mean {meant}?", meant));
    }
    if address.as_str().chars().any(char::is_uppercase) {
        add(
            Severity::Note,
            localizable!("has upper-case letters; some services treat this as another mailbox"),
        );
    }
    if address.is_role() {
        add(Severity::Note, localizable!("an office mailbox, not a person's"));
    }
    let mut words = address.as_str().split(['@', '.', '_', '-', '+']);
    if let Some(mixed) = words.find(|word| mixes_scripts(word)) {
        let what = localizable!(
            "\"{mixed}\" mixes letters of two alphabets that look alike",
            mixed = super::quoted(mixed)
        );
        add(Severity::Ask, what);
    }
    address.as_str().to_owned()
}
