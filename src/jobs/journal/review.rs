//! The decisions of a review: each is recorded with the rows that it changes, so that a person can undo it until the
//! job begins.

use super::{conditions, duplicates, jobs};
use crate::jobs::journal::prelude::*;

/// A decision that can be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::jobs) struct LastDecision {
    pub(in crate::jobs) id: i64,
    pub(in crate::jobs) rows: u64,
    pub(in crate::jobs) first: u64,
    /// Whether it corrected a row, so that the duplicate check must run again.
    pub(in crate::jobs) corrects: bool,
}

/// Records the rows that a decision is about to change. `which` is a condition on the table `row` with
/// the key of a group as `?2`, as in [`super::conditions::selected`]. Returns the record; `None` if there are no rows.
pub(super) fn record(
    db: &Tx<'_>,
    job: JobId,
    what: &str,
    which: &str,
    key: Option<&str>,
) -> tx::Result<Option<i64>> {
    let review: i64 =
        db.one("INSERT INTO review (job, what) VALUES (?1, ?2) RETURNING id", values![job.0, what])?;
    let rows = db.execute(
        &format!(
            "INSERT INTO review_row (review, no, name, email, email_key, person, bucket, why, guarded, allowed)
             SELECT ?3, no, name, email, email_key, person, bucket, why, guarded, allowed FROM row
             WHERE job = ?1 AND request IS NULL AND (?2 IS NULL OR ?2 <> '') AND {which}"
        ),
        values![job.0, key, review],
    )?;
    if rows == 0 {
        db.execute("DELETE FROM review WHERE id = ?1", values![review])?;
    }
    Ok((rows > 0).then_some(review))
}

/// The last decision of a draft's review; `None` if there is none to undo.
pub(super) fn last_decision(db: &Tx<'_>, job: &JobId) -> tx::Result<Option<LastDecision>> {
    db.optional(
        "SELECT id, what = ?2 AS corrects, (SELECT count(*) FROM review_row WHERE review = review.id) AS rows,
                (SELECT min(no) FROM review_row WHERE review = review.id) AS first
         FROM review WHERE job = ?1 ORDER BY id DESC LIMIT 1",
        values![job.0, conditions::CORRECT],
        |r| {
            let first = r.get::<Option<u64>>("first")?.unwrap_or_default();
            Ok(LastDecision { id: r.get("id")?, rows: r.get("rows")?, first, corrects: r.get("corrects")? })
        },
    )
}

/// Puts the rows of a decision back. The duplicate check's findings are newer than the record: rows get their status
/// from both. A permission to send a second badge does not come back, because what it allowed may have changed since:
/// such a row needs review again. Changes nothing if the decision was undone before.
pub(super) fn undo_decision(
    db: &Tx<'_>,
    job: &JobId,
    me: &str,
    decision: &LastDecision,
    policies: &Policies,
) -> tx::Result<bool> {
    jobs::assure_draft(db, *job, me, true)?;
    // Findings about another recipient do not apply.
    let findings =
        if decision.corrects { ", class = NULL, class_why = NULL, repeats = NULL, seen = NULL" } else { "" };
    db.execute(
        &format!(
            "UPDATE row SET name = was.name, email = was.email, email_key = was.email_key, person = was.person,
                            bucket = was.bucket, why = was.why, guarded = was.guarded, allowed = NULL {findings}
             FROM (SELECT review_row.* FROM review_row JOIN review ON review.id = review_row.review
                   WHERE review.id = ?2 AND review.job = ?1) AS was
             WHERE row.job = ?1 AND row.no = was.no AND row.request IS NULL
               AND EXISTS (SELECT 1 FROM job WHERE id = ?1 AND phase = 'draft' AND kind = 'issue')"
        ),
        values![job.0, decision.id],
    )?;
    let undone = db.execute("DELETE FROM review WHERE id = ?2 AND job = ?1", values![job.0, decision.id])?;
    if undone > 0 && decision.corrects {
        db.execute("UPDATE job SET guarded_at = NULL WHERE id = ?1", values![job.0])?;
    } else if undone > 0 {
        duplicates::place(db, *job, Phase::Draft, policies)?;
    }
    Ok(undone > 0)
}
