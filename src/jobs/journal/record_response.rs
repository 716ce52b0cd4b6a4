//! Records the response to a request, or that it failed, and applies it to the rows in the same write.

use super::requests::{self, Ended};
use super::rows::{self, Binding};
use super::{jobs, observe, refusals};
use crate::jobs::journal::prelude::*;
use crate::jobs::schedule::{self, Polling, Schedule};

#[derive(Clone, Debug)]
pub(in crate::jobs) struct IssueResponse {
    pub(in crate::jobs) job: JobId,
    pub(in crate::jobs) request: i64,
    /// The service's time.
    pub(in crate::jobs) now: Timestamp,
    /// Number of entries of the request.
    pub(in crate::jobs) sent: u64,
    /// The service's `accepted_count`.
    pub(in crate::jobs) accepted: Option<u64>,
    /// Number of entries in the response.
    pub(in crate::jobs) named: u64,
    pub(in crate::jobs) badges: Vec<(u64, BadgeId)>,
    pub(in crate::jobs) schedule: Schedule,
}

/// Records the response to an issue request. Returns the badges that were bound to rows.
pub(super) fn record_issue_response(db: &Tx<'_>, args: &IssueResponse) -> tx::Result<Vec<BadgeId>> {
    let IssueResponse { job, request, now, sent, accepted, named, badges, schedule } = args;
    let at = now.as_second();
    let bindings: Vec<_> = badges
        .iter()
        .map(|(no, badge)| Binding { job: *job, no: *no, badge, at, request: Some(*request) })
        .collect();
    let bound = rows::bind(db, &bindings)?;
    if requests::is_lost(db, *request)? {
        let all: Vec<&str> = badges.iter().map(|(_, badge)| badge.wire()).collect();
        let what = format!("request {request}: accepted {accepted:?} of {sent}: {}", all.join(" "));
        let mut without_row = Vec::new();
        for (_, badge) in badges {
            if rows::holder_of(db, badge)?.is_none() {
                without_row.push(badge.wire());
            }
        }
        let code = if without_row.is_empty() { Code::LateAccepted } else { Code::LateBadges };
        let why = Reason::from(code).with("accepted", accepted.unwrap_or(*named)).with("sent", sent);
        let why = if without_row.is_empty() { why } else { why.with("ids", without_row.join(", ")) };
        requests::record_late(db, *job, *request, at, (&what, why))?;
        return Ok(bound);
    }
    let all = accepted.is_some_and(|n| n >= *sent);
    if all {
        requests::accepted_unbound(db, *request, at, &Code::NotNamed.into())?;
    } else {
        // The service did not name some of the rows, so lapel checks whether they were accepted.
        let accepted = accepted.unwrap_or(*named);
        let why = Reason::from(Code::NotNamedOf).with("accepted", accepted).with("sent", sent);
        requests::set_sending(db, *request, RowStatus::InDoubt, Some(&why))?;
    }
    let how = Ended { outcome: "accepted", status: Some(202), accepted: *accepted, why: None };
    requests::ended(db, *request, at, &how)?;
    if let Some(more) = accepted.filter(|n| n > sent) {
        let note = Reason::from(Code::AcceptedMore).with("accepted", more).with("sent", sent);
        jobs::set_note(db, *job, &note)?;
    }
    let next = if bound.len() as u64 == *sent {
        schedule::next(schedule, Polling::Issue, *sent, *now, *now)
    } else if all {
        schedule::next(schedule, Polling::Doubt, *sent, *now, *now)
    } else {
        *now
    };
    jobs::poll_by(db, *job, next)?;
    Ok(bound)
}

#[derive(Clone, Debug)]
pub(in crate::jobs) struct RevokeResponse {
    pub(in crate::jobs) job: JobId,
    pub(in crate::jobs) request: i64,
    /// The service's time.
    pub(in crate::jobs) now: Timestamp,
    /// Number of entries of the request.
    pub(in crate::jobs) sent: u64,
    /// The service's `accepted_count`.
    pub(in crate::jobs) accepted: Option<u64>,
    pub(in crate::jobs) schedule: Schedule,
}

/// Records the response to a revoke request. Returns the new status of its rows, and the jobs that issued their badges if
/// that changed them.
pub(super) fn record_revoke_response(
    db: &Tx<'_>,
    args: &RevokeResponse,
) -> tx::Result<(RowStatus, BTreeSet<JobId>)> {
    let RevokeResponse { job, request, now, sent, accepted, schedule } = args;
    let all = *accepted == Some(*sent);
    if requests::is_lost(db, *request)? {
        let what = format!("request {request}: accepted {accepted:?} of {sent}");
        let why = match accepted {
            Some(n) => Reason::from(Code::LateAccepted).with("accepted", n).with("sent", sent),
            None => Reason::from(Code::RevokeUncounted).with("sent", sent),
        };
        requests::record_late(db, *job, *request, now.as_second(), (&what, why))?;
        return Ok((RowStatus::InDoubt, BTreeSet::new()));
    }
    let row_status = if all { RowStatus::Revoking } else { RowStatus::BeingChecked };
    requests::set_sending(db, *request, row_status, None)?;
    let mut issued_by = BTreeSet::new();
    // If some were not accepted, it is unknown which.
    if all {
        requests::accepted_at(db, *request, now.as_second())?;
        issued_by = observe::revocation_accepted(db, *job, *request)?;
    }
    let how = Ended { outcome: "accepted", status: Some(202), accepted: *accepted, why: None };
    requests::ended(db, *request, now.as_second(), &how)?;
    if let Some(note) = note(*accepted, *sent) {
        jobs::set_note(db, *job, &note)?;
    }
    // If the count shows that some were not accepted, poll now.
    let next = if all { schedule::next(schedule, Polling::Revoke, *sent, *now, *now) } else { *now };
    // Together, so that each badge is read once.
    for job in issued_by.iter().chain([job]) {
        jobs::poll_by(db, *job, next)?;
    }
    Ok((row_status, issued_by))
}

fn note(accepted: Option<u64>, sent: u64) -> Option<Reason> {
    let sent_of = |code: Code| Reason::from(code).with("sent", sent);
    match accepted {
        None => Some(sent_of(Code::RevokeUncounted)),
        // The job adds up what the service reports of all its requests.
        Some(n) if n <= sent => None,
        Some(n) => Some(sent_of(Code::RevokeAcceptedMore).with("n", n)),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::jobs) enum FailedRows {
    /// Accepted, but their badges are unknown.
    Unbound,
    /// Unknown whether they were accepted. lapel polls at once.
    InDoubt,
    /// Refused: certainly nothing was done.
    Refused,
    /// Refused, but a poll must prove that nothing was done.
    Unproven,
    /// Certainly nothing was done, and they may be sent again.
    Ready,
}

#[derive(Clone, Debug)]
pub(in crate::jobs) struct RequestFailure {
    pub(in crate::jobs) job: JobId,
    pub(in crate::jobs) request: i64,
    /// The service's time.
    pub(in crate::jobs) now: Timestamp,
    /// This computer's time, in milliseconds.
    pub(in crate::jobs) at: i64,
    pub(in crate::jobs) rows: FailedRows,
    pub(in crate::jobs) why: Reason,
    pub(in crate::jobs) how: Ended,
    /// Stops the job in the same write that makes its rows ready again. Otherwise they could be sent again before the
    /// stop is written.
    pub(in crate::jobs) stop: Option<(StopKind, Reason)>,
    /// When to search for badges of a refused request that may have worked.
    pub(in crate::jobs) next_poll: Timestamp,
}

/// Returns false if the answer came too late: another process decides about the job by now.
pub(super) fn record_failure(db: &Tx<'_>, args: &RequestFailure) -> tx::Result<bool> {
    let RequestFailure { job, request, now, at, rows, why, how, stop, next_poll } = args;
    if requests::is_lost(db, *request)? {
        let what = format!("request {request}: {} ({:?})", how.outcome, how.status);
        // As certain as an answer in time: one that still has to be proven leaves its rows in doubt.
        if matches!(rows, FailedRows::Refused | FailedRows::Ready) {
            requests::refuse_late(db, *job, *request, why)?;
        }
        requests::record_late(db, *job, *request, now.as_second(), (&what, why.clone()))?;
        return Ok(false);
    }
    match rows {
        FailedRows::Unbound => requests::accepted_unbound(db, *request, now.as_second(), why)?,
        FailedRows::InDoubt => requests::set_sending(db, *request, RowStatus::InDoubt, Some(why))?,
        FailedRows::Refused => requests::set_sending(db, *request, RowStatus::Refused, Some(why))?,
        FailedRows::Unproven => refusals::record(db, *job, *request, (*at, *next_poll))?,
        FailedRows::Ready => requests::back(db, *job, *request)?,
    }
    if let Some((kind, why)) = stop {
        jobs::stop(db, job, kind, why)?;
    }
    requests::ended(db, *request, now.as_second(), how)?;
    if matches!(rows, FailedRows::Unbound | FailedRows::InDoubt) {
        // Poll a doubt at once. Where the service shows waiting badges, that resolves it.
        jobs::set_next_poll(db, *job, Some(*now))?;
    }
    Ok(true)
}
