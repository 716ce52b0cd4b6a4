//! Revoking: sent once, and then every badge that the service left out without a word is found by name.

use super::follow::{Schedule, next_look};
use super::job::{Job, JobRow, Kind, RowState};
use super::look::{self, Seen};
use super::{Desk, RevokePlan};
use crate::api::{ApiError, Call, MAX_ENTRIES, RevokeRequest};
use crate::domain::{BadgeId, State, Text};
use jiff::SignedDuration;
use std::collections::HashMap;

/// Service time between two looks that agree, after which a badge without a revocation was left out.
const SETTLED: SignedDuration = SignedDuration::from_secs(60);
/// The same where nobody knows whether the request arrived: a slow service may still be working on it.
const DOUBT_OVER: SignedDuration = SignedDuration::from_mins(10);

/// More badges than one request may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{wanted} badges are more than the {MAX_ENTRIES} that one request may revoke; unmark some and do the rest afterwards"
)]
pub struct TooMany {
    /// How many would have to be sent.
    pub wanted: usize,
}

pub(super) async fn run(plan: RevokePlan, mut desk: Desk) {
    let rows = plan.victims().iter().map(|v| JobRow {
        holder: v.holder.clone(),
        address: v.title.clone(),
        badge_id: Some(v.badge_id.clone()),
        state: if v.state.may_be_revoked() { RowState::Sending } else { RowState::LeftOut(v.state.word()) },
    });
    let mut job = Job {
        id: desk.id,
        kind: Kind::Revoke,
        title: Text::new(plan.reason()),
        rows: rows.collect(),
        note: None,
        sending: true,
    };
    if !desk.show(&job).await {
        return;
    }
    let badge_ids: Vec<BadgeId> = plan.sent().map(|v| v.badge_id.clone()).collect();
    let sent = badge_ids.len();
    let request = RevokeRequest { badge_ids, reason: plan.reason().to_owned() };
    let answer = desk.writer.revoke(&request, &Call::interactive()).await;
    job.sending = false;
    let accepted = match answer {
        Ok(answer) => {
            let accepted = answer.accepted_count.and_then(|n| usize::try_from(n).ok());
            job.note = Some(outcome(accepted, sent));
            set(&mut job, if accepted == Some(sent) { &RowState::Revoking } else { &RowState::Unproven });
            accepted
        }
        Err(error @ ApiError::InDoubt { .. }) => {
            set(&mut job, &RowState::InDoubt(error.to_string()));
            None
        }
        Err(error) => {
            set(&mut job, &RowState::NotDone(error.to_string()));
            None
        }
    };
    if desk.show(&job).await && job.is_open() {
        follow(accepted, &mut job, &mut desk).await;
    }
}

fn outcome(accepted: Option<usize>, sent: usize) -> String {
    match accepted {
        None => format!("{sent} sent; the service did not say how many it accepted"),
        Some(n) if n == sent => format!("{n} of {sent} accepted"),
        Some(n) if n > sent => {
            format!("the service says it accepted {n}, but only {sent} were sent: tell the provider")
        }
        Some(n) => format!("{n} of {sent} accepted; looking which ones were not"),
    }
}

fn set(job: &mut Job, state: &RowState) {
    for row in job.rows.iter_mut().filter(|r| r.state == RowState::Sending) {
        row.state = state.clone();
    }
}

/// Looks until every badge is Revoked or known to have been left out. `accepted` is the service's count.
async fn follow(accepted: Option<usize>, job: &mut Job, desk: &mut Desk) {
    let reader = desk.writer.reader().clone();
    let mut schedule = Schedule::revoke(reader.clock().speed());
    let mut first_look = None;
    let unproven =
        |job: &Job| job.rows.iter().any(|r| matches!(r.state, RowState::Unproven | RowState::InDoubt(_)));
    // Where the count already says that some were left out, the first look is now.
    let mut now = unproven(job);
    while job.is_open() {
        let call = if std::mem::take(&mut now) {
            Call::interactive()
        } else {
            let Some(call) = next_look(&mut schedule, &mut desk.look).await else { return };
            call
        };
        let before = job.clone();
        let ids: Vec<BadgeId> =
            job.rows.iter().filter(|r| r.state.is_open()).filter_map(|r| r.badge_id.clone()).collect();
        let seen = look::revoked(&reader, &ids, &call).await;
        let at = reader.clock().utc();
        let apart = at.duration_since(*first_look.get_or_insert(at));
        judge(job, &seen, accepted, apart);
        if *job != before && !desk.show(job).await {
            return;
        }
    }
}

/// Takes what was seen. A badge without a revocation was left out once the service's own count says so, or
/// once looks that are `apart` agree: the first may have come before the service acted.
fn judge(job: &mut Job, seen: &HashMap<BadgeId, Seen>, accepted: Option<usize>, apart: SignedDuration) {
    let mut without: Vec<(usize, Text)> = Vec::new();
    for (at, row) in job.rows.iter_mut().enumerate().filter(|(_, r)| r.state.is_open()) {
        let Some(seen) = row.badge_id.as_ref().and_then(|id| seen.get(id)) else { continue };
        match seen {
            Seen::As(verdict) => match verdict.state() {
                State::Revoked => row.state = RowState::Revoked,
                State::Revoking => row.state = RowState::Revoking,
                state => without.push((at, state.word())),
            },
            Seen::NotFound => without.push((at, "no such badge".into())),
        }
    }
    let under_way =
        job.rows.iter().filter(|r| matches!(r.state, RowState::Revoking | RowState::Revoked)).count();
    let counted = accepted.is_some_and(|n| n == under_way);
    for (at, word) in without {
        let row = &mut job.rows[at];
        match row.state {
            RowState::Unproven if counted || apart >= SETTLED => row.state = RowState::Dropped(word),
            RowState::InDoubt(_) if apart >= DOUBT_OVER => {
                row.state = RowState::NotDone(
                    "no revocation is to be seen. Revoking it again is harmless: the service drops what is \
                     already being revoked"
                        .to_owned(),
                );
            }
            _ => {}
        }
    }
    let open = job.rows.iter().any(|r| matches!(r.state, RowState::Unproven | RowState::InDoubt(_)));
    let dropped = job.rows.iter().filter(|r| matches!(r.state, RowState::Dropped(_))).count();
    let sent = job.rows.iter().filter(|r| !matches!(r.state, RowState::LeftOut(_))).count();
    if open {
        return;
    }
    if dropped > 0 {
        job.note =
            Some(format!("{} of {sent} accepted; {dropped} not accepted, named below", sent - dropped));
    } else if let Some(n) = accepted.filter(|n| *n < sent) {
        job.note = Some(format!(
            "{n} of {sent} accepted, and yet all {sent} are being revoked or revoked: the rest by another request"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Verdict;

    fn job(states: &[RowState]) -> Job {
        let rows = states.iter().enumerate().map(|(i, state)| JobRow {
            holder: "h".into(),
            address: "t".into(),
            badge_id: BadgeId::new(format!("b{i}")),
            state: state.clone(),
        });
        Job {
            id: super::super::JobId(1),
            kind: Kind::Revoke,
            title: "r".into(),
            rows: rows.collect(),
            note: None,
            sending: false,
        }
    }

    fn seen(what: &[(usize, Seen)]) -> HashMap<BadgeId, Seen> {
        what.iter().map(|(i, s)| (BadgeId::new(format!("b{i}")).expect("not empty"), s.clone())).collect()
    }

    fn revoking() -> Seen {
        Seen::As(Verdict::Revoking { at: None, reason: None })
    }

    fn valid() -> Seen {
        Seen::As(Verdict::Valid { until: None })
    }

    #[test]
    fn the_services_count_names_the_dropped_at_the_first_look() {
        let mut job = job(&[RowState::Unproven, RowState::Unproven, RowState::LeftOut("Waiting".into())]);
        judge(&mut job, &seen(&[(0, revoking()), (1, valid())]), Some(1), SignedDuration::ZERO);
        assert_eq!(job.rows[0].state, RowState::Revoking);
        assert_eq!(job.rows[1].state, RowState::Dropped("Issued".into()));
        assert_eq!(job.note.as_deref(), Some("1 of 2 accepted; 1 not accepted, named below"));
    }

    #[test]
    fn without_an_agreeing_count_it_takes_two_looks_apart() {
        let mut job = job(&[RowState::Unproven, RowState::Unproven]);
        judge(&mut job, &seen(&[(0, valid()), (1, valid())]), Some(1), SignedDuration::ZERO);
        assert_eq!(job.rows[0].state, RowState::Unproven, "the service may not have acted yet");
        judge(&mut job, &seen(&[(0, valid()), (1, revoking())]), None, SETTLED);
        assert_eq!(job.rows[0].state, RowState::Dropped("Issued".into()));
        assert_eq!(job.rows[1].state, RowState::Revoking);
    }

    #[test]
    fn what_could_not_be_looked_at_stays_open() {
        let mut job = job(&[RowState::Unproven]);
        judge(&mut job, &HashMap::new(), Some(0), DOUBT_OVER);
        assert_eq!(job.rows[0].state, RowState::Unproven);
    }

    #[test]
    fn a_revocation_in_doubt_is_settled_by_looking() {
        let mut job = job(&[RowState::InDoubt("no answer".into()), RowState::InDoubt("no answer".into())]);
        judge(&mut job, &seen(&[(0, revoking()), (1, valid())]), None, SETTLED);
        assert_eq!(job.rows[0].state, RowState::Revoking);
        assert!(matches!(job.rows[1].state, RowState::InDoubt(_)));
        judge(&mut job, &seen(&[(1, valid())]), None, DOUBT_OVER);
        assert!(matches!(job.rows[1].state, RowState::NotDone(_)));
    }

    #[test]
    fn a_count_above_what_was_sent_is_an_alarm() {
        assert!(outcome(Some(5), 3).contains("tell the provider"));
        assert_eq!(outcome(Some(3), 3), "3 of 3 accepted");
    }
}
