//! The parts of a review, in which its rows are sorted.

use super::conditions::GROUP;
use crate::jobs::journal::prelude::*;

/// Rows of a draft that a review shows under one heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowPart {
    pub row_status: RowStatus,
    /// The key of a [`crate::jobs::RowGroup`]; `None` for the other rows with this status.
    pub key: Option<String>,
}

/// The first parameter of an SQL statement with the key of a part.
const FIRST_KEY: usize = 8;

/// SQL expression for the place of a row's part; after all parts for other rows. `None` without parts.
pub(super) fn part_place(parts: &[RowPart]) -> Option<String> {
    let last = parts.len();
    let keyed: Vec<(usize, usize, &RowPart)> = parts
        .iter()
        .enumerate()
        .filter(|(_, part)| part.key.is_some())
        .zip(FIRST_KEY..)
        .map(|((at, part), parameter)| (parameter, at, part))
        .collect();
    let statuses: Vec<String> = RowStatus::ALL
        .iter()
        .filter(|row_status| parts.iter().any(|part| part.row_status == **row_status))
        .map(|row_status| {
            let rest = parts.iter().position(|part| part.row_status == *row_status && part.key.is_none());
            let rest = rest.unwrap_or(last);
            let own = keyed.iter().filter(|(.., part)| part.row_status == *row_status);
            let own: Vec<String> =
                own.map(|(parameter, at, _)| format!("WHEN ?{parameter} THEN {at}")).collect();
            // Without keys, the key of each row is not computed.
            let then = match own.as_slice() {
                [] => rest.to_string(),
                own => format!("CASE {GROUP} {} ELSE {rest} END", own.join(" ")),
            };
            format!("WHEN '{}' THEN {then}", row_status.code())
        })
        .collect();
    (!statuses.is_empty()).then(|| format!("(CASE bucket {} ELSE {last} END)", statuses.join(" ")))
}
