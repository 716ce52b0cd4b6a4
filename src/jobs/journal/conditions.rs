//! The rules about rows as SQL conditions on the table `row`.

use crate::jobs::journal::prelude::*;
use crate::jobs::row_groups::RowSelection;
use crate::jobs::row_status::Claim;
use crate::jobs::rules::{self, RowFacts, Step};

/// The decision of a review that corrected a row.
pub(super) const CORRECT: &str = "correct";

/// The rule of [`rules::may`] as a condition on the table `row`, for jobs of this kind and phase that were not purged.
pub(super) fn condition(step: Step, kind: Kind, phase: Phase) -> String {
    let mut any = Vec::new();
    for row_status in RowStatus::ALL {
        let allowed: Vec<Option<Claim>> = rules::claims()
            .filter(|claim| {
                rules::may(
                    step,
                    RowFacts { kind, phase, row_status: *row_status, claim: *claim, is_purged: false },
                )
            })
            .collect();
        let is = format!("row.bucket = '{}'", row_status.code());
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
    if any.is_empty() { "FALSE".to_owned() } else { format!("({})", any.join(" OR ")) }
}

/// The codes of these statuses, for `IN`.
pub(super) fn statuses(which: impl Fn(RowStatus) -> bool) -> String {
    let codes = RowStatus::ALL.iter().filter(|it| which(**it)).map(|it| format!("'{}'", it.code()));
    codes.collect::<Vec<_>>().join(", ")
}

/// The rule of [`rules::may_be_sent`] as a condition on the table `job` and a column `bucket`. Without its address, no row
/// can be sent.
pub(super) fn may_be_sent() -> String {
    let of_kind = |kind: &Kind| {
        let statuses = statuses(|it| rules::may_be_sent(*kind, it));
        format!("job.kind = '{}' AND bucket IN ({statuses})", kind.code())
    };
    let kinds: Vec<String> = Kind::ALL.iter().map(of_kind).collect();
    format!("(NOT job.purged AND ({}))", kinds.join(" OR "))
}

/// The rows of an issue job that the duplicate check judges: rows that were certainly not sent.
pub(super) fn judged(phase: Phase) -> String {
    condition(Step::Judge, Kind::Issue, phase)
}

/// SQL expression for the key of a row's reason: its codes and texts, without their arguments. Rows with the same
/// key have the same findings. A mistyped domain is one finding, whether a list of domains or the file's other rows
/// show it.
pub(super) const GROUP: &str = "reason_group(why)";

/// Whether the reason of a row, as the person sees it, is that the recipient has the badge or may get it twice.
pub(super) const SAYS_DUPLICATE: &str = "(guarded OR coalesce(reason_code(why) = 'class', FALSE))";

/// Rows that are recipients: no blank lines, totals and repeated headers, which were skipped for that.
const RECIPIENT: &str = "(bucket = 'ask' OR reason_code(why) IN ('class', 'left_out_by_hand'))";

/// Rows of a group that a person may allow together. They have no second finding, which would need a decision of its
/// own: a group of duplicates has no repeated addresses, other groups have no duplicates. Blank lines, totals and
/// repeated headers are never recipients.
pub(super) fn allowed_together() -> String {
    format!(
        "({RECIPIENT}
          AND CASE WHEN reason_code(why) = 'class' THEN class IN ('twin', 'shared_address') OR repeats IS NULL
                   ELSE coalesce(class, 'new') = 'new' AND seen IS NULL AND repeats IS NULL END)"
    )
}

/// The rows of a draft that a review selects, of those that may get a status.
pub(super) struct SelectedRows {
    /// A condition on the table `row`, and its parameter `?2`: the key of a group, or a list of places.
    pub(super) which: String,
    pub(super) key: Option<String>,
    /// Whether the person was shown that the row is a duplicate, as an SQL expression, and its parameter `?5`: places with
    /// the kind of duplicate.
    pub(super) is_shown: String,
    pub(super) shown: Option<String>,
}

pub(super) fn selected(rows: &RowSelection, to: RowStatus) -> SelectedRows {
    const LISTED: &str = "no IN json_list(?2, bigint)";
    let listed = |places: &[u64]| Some(super::json(places));
    let allows = to == RowStatus::Ready;
    let mut shown = None;
    let (which, key, is_shown) = match rows {
        RowSelection::Class(class) => {
            // A second kind would need a decision of its own.
            let alone = if allows && !class.is_in_file() { " AND repeats IS NULL" } else { "" };
            (format!("class = '{}'{alone}", class.code()), None, "TRUE".to_owned())
        }
        RowSelection::Group(row_status, key) => {
            let together = if allows { allowed_together() } else { "TRUE".to_owned() };
            let which = format!("bucket = '{}' AND {GROUP} = ?2 AND {together}", row_status.code());
            (which, Some(key.clone()), SAYS_DUPLICATE.to_owned())
        }
        RowSelection::One(no) => (LISTED.to_owned(), listed(&[*no]), SAYS_DUPLICATE.to_owned()),
        RowSelection::Shown(no, Some(class)) => {
            let is_shown = format!("class = '{}' AND {SAYS_DUPLICATE}", class.code());
            (LISTED.to_owned(), listed(&[*no]), is_shown)
        }
        RowSelection::Shown(no, None) => (LISTED.to_owned(), listed(&[*no]), "FALSE".to_owned()),
        RowSelection::ShownTogether(rows) => {
            let places: Vec<u64> = rows.iter().map(|(no, _)| *no).collect();
            // A row without a kind is not in this list.
            let kinds = rows.iter().filter_map(|(no, class)| Some(format!("{no} {}", (*class)?.code())));
            shown = Some(super::json(&kinds.collect::<Vec<_>>()));
            let recipients = if allows { RECIPIENT } else { "TRUE" };
            let is_shown = format!("(no || ' ' || class) IN json_list(?5, text) AND {SAYS_DUPLICATE}");
            (format!("{LISTED} AND {recipients}"), listed(&places), is_shown)
        }
        RowSelection::These(rows) => (LISTED.to_owned(), listed(rows), "FALSE".to_owned()),
        RowSelection::Asked => ("bucket = 'ask'".to_owned(), None, SAYS_DUPLICATE.to_owned()),
    };
    // A row with a title names another template than its job's.
    let (step, of_this_template) = if allows { (Step::Allow, "AND title IS NULL") } else { (Step::Skip, "") };
    let may = condition(step, Kind::Issue, Phase::Draft);
    let which = format!("{may} {of_this_template} AND (?2 IS NULL OR ?2 <> '') AND {which}");
    SelectedRows { which, key, is_shown, shown }
}
