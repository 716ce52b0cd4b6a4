//! The rules about rows as SQL conditions on the table `row`.

use super::duplicates::in_file_kind;
use crate::jobs::commands::Rows;
use crate::jobs::duplicate_check::DuplicateKind;
use crate::jobs::job::{Kind, Phase, RowStatus};
use crate::jobs::rules::{self, Claim, Stand, Step};

/// The rule of [`rules::may`] as a condition on the table `row`, for jobs of this kind and phase that were not purged.
pub(super) fn condition(step: Step, kind: Kind, phase: Phase) -> String {
    let mut any = Vec::new();
    for bucket in RowStatus::ALL {
        let allowed: Vec<Option<Claim>> = rules::claims()
            .filter(|claim| {
                rules::may(step, Stand { kind, phase, bucket: *bucket, claim: *claim, is_purged: false })
            })
            .collect();
        let is = format!("row.bucket = '{}'", bucket.code());
        if allowed.len() == 1 + Claim::ALL.len() {
            any.push(is);
        } else if !allowed.is_empty() {
            let states: Vec<String> =
                allowed.iter().map(|claim| format!("'{}'", claim.map_or("", Claim::code))).collect();
            any.push(format!(
                "({is} AND coalesce((SELECT state FROM claim WHERE claim.job = row.job AND claim.no = row.no), '')
                        IN ({}))",
                states.join(", ")
            ));
        }
    }
    if any.is_empty() { "0".to_owned() } else { format!("({})", any.join(" OR ")) }
}

/// The rows of an issue job that the duplicate check judges: rows that were certainly not sent.
pub(super) fn judged(phase: Phase) -> String {
    condition(Step::Judge, Kind::Issue, phase)
}

/// Rows of this kind that a person may allow together. They are of no second kind, which would need a decision of
/// its own.
fn only_of(class: DuplicateKind) -> String {
    let only = if class.is_in_file() { String::new() } else { format!("AND {} IS NULL", in_file_kind()) };
    format!("(class = '{}' {only})", class.code())
}

/// The rows of a draft that a review selects, of those that may get this status.
pub(super) fn selected(rows: Rows, to: RowStatus) -> String {
    let which = match rows {
        Rows::One(no) => format!("no = {no}"),
        Rows::Class(class) if to == RowStatus::Ready => only_of(class),
        Rows::Class(class) => format!("class = '{}'", class.code()),
        Rows::Asked => "bucket = 'ask'".to_owned(),
    };
    let step = if to == RowStatus::Ready { Step::Allow } else { Step::LeaveOut };
    format!("{} AND {which}", condition(step, Kind::Issue, Phase::Draft))
}
