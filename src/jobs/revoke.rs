//! Revoking: sent once, and then every badge that the service left out without a word is found by name.

use super::follow::{Schedule, next_look};
use super::job::{Job, JobRow, Kind, RowState};
use super::look::{self, Seen};
use super::{Desk, RevokePlan};
use crate::api::{ApiError, MAX_ENTRIES, RevokeRequest};
use crate::domain::{BadgeId, State, Text};
use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;

/// Service time between two looks that agree, after which a badge without a revocation was left out.
const SETTLED: SignedDuration = SignedDuration::from_secs(60);
/// The same where nobody knows whether the request arrived: a slow service may still be working on it.
const DOUBT_OVER: SignedDuration = SignedDuration::from_mins(10);

/// What is said of a revocation in doubt of which nothing is to be seen.
const NOT_SEEN: &str = "no revocation is to be seen. Revoking it again is harmless: the service drops what is already \
                        being revoked";

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
        template_id: None,
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
    let sent_at = desk.writer.reader().clock().now();
    let answer = desk.writer.revoke(&request, &desk.call()).await;
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
        follow(&plan, sent_at, accepted, &mut job, &mut desk).await;
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
async fn follow(plan: &RevokePlan, sent: DateTime, accepted: Option<usize>, job: &mut Job, desk: &mut Desk) {
    let reader = desk.writer.reader().clone();
    let mut schedule = Schedule::revoke(reader.clock().speed());
    let words = plan.victims().iter().map(|v| v.state.word()).collect();
    let mut judge = Judge { words, without: HashMap::new(), accepted };
    let outcome = job.note.clone();
    // Where the count already says that some were left out, the first look is now.
    let mut now = job.rows.iter().any(|r| matches!(r.state, RowState::Unproven | RowState::InDoubt(_)));
    while job.is_open() {
        let Some(call) = next_look(&mut now, &mut schedule, &mut desk.look).await else { return };
        let before = job.clone();
        let ids: Vec<BadgeId> =
            job.rows.iter().filter(|r| r.state.is_open()).filter_map(|r| r.badge_id.clone()).collect();
        let (seen, failed) = look::revoked(&reader, &ids, sent.date(), &call).await;
        // What an earlier look failed of is no news once a later one has not.
        job.note.clone_from(&outcome);
        judge.take(job, &seen, reader.clock().utc());
        if let Some(error) = failed {
            job.note = Some(format!("the last look failed: {error}"));
        }
        if *job != before && !desk.show(job).await {
            return;
        }
    }
}

/// Judges what was seen.
struct Judge {
    /// The word for each badge's state before anything was sent.
    words: Vec<Text>,
    /// When each badge was first seen to be there without a revocation.
    without: HashMap<usize, Timestamp>,
    /// The service's count.
    accepted: Option<usize>,
}

impl Judge {
    /// A badge without a revocation was left out once two looks at it agree that are apart: the first may
    /// have come before the service acted. A badge that is not found, or stands under a new word that lapel
    /// does not know, proves nothing and stays open.
    fn take(&mut self, job: &mut Job, seen: &HashMap<BadgeId, Seen>, now: Timestamp) {
        for (at, row) in job.rows.iter_mut().enumerate().filter(|(_, r)| r.state.is_open()) {
            let Some(Seen::As(verdict)) = row.badge_id.as_ref().and_then(|id| seen.get(id)) else { continue };
            let state = verdict.state();
            match &state {
                State::Revoked => row.state = RowState::Revoked,
                State::Revoking => row.state = RowState::Revoking,
                State::Other(word) if self.words.get(at) != Some(word) => {}
                _ => {
                    let first = *self.without.entry(at).or_insert(now);
                    let apart = now.duration_since(first);
                    match row.state {
                        RowState::Unproven if apart >= SETTLED => row.state = RowState::Dropped(state.word()),
                        RowState::InDoubt(_) if apart >= DOUBT_OVER => {
                            row.state = RowState::NotDone(NOT_SEEN.to_owned());
                        }
                        _ => {}
                    }
                }
            }
        }
        self.note(job);
    }

    fn note(&self, job: &mut Job) {
        if job.rows.iter().any(|r| matches!(r.state, RowState::Unproven | RowState::InDoubt(_))) {
            return;
        }
        let dropped = job.rows.iter().filter(|r| matches!(r.state, RowState::Dropped(_))).count();
        let sent = job.rows.iter().filter(|r| !matches!(r.state, RowState::LeftOut(_))).count();
        let said = self.accepted.map_or_else(
            || format!("{sent} sent; the service did not say how many it accepted"),
            |n| format!("{n} of {sent} accepted"),
        );
        if dropped > 0 {
            job.note = Some(format!("{said}; {dropped} not accepted, named below"));
        } else if self.accepted.is_some_and(|n| n < sent) {
            job.note = Some(format!(
                "{said}, and yet all {sent} are being revoked or revoked: the rest by another request"
            ));
        }
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
            template_id: None,
            rows: rows.collect(),
            note: None,
            sending: false,
        }
    }

    fn judge(accepted: Option<usize>) -> Judge {
        let words = vec!["Issued".into(), "Issued".into(), "\u{c2ec}\u{c0ac}\u{c911}".into()];
        Judge { words, without: HashMap::new(), accepted }
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

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + seconds).expect("a moment")
    }

    #[test]
    fn it_takes_two_looks_apart_to_call_a_badge_left_out() {
        let mut job = job(&[RowState::Unproven, RowState::Unproven, RowState::LeftOut("Waiting".into())]);
        let mut judge = judge(Some(1));
        judge.take(&mut job, &seen(&[(0, revoking()), (1, valid())]), at(0));
        assert_eq!(job.rows[0].state, RowState::Revoking);
        assert_eq!(job.rows[1].state, RowState::Unproven, "the service may not have acted yet");
        judge.take(&mut job, &seen(&[(1, valid())]), at(30));
        assert_eq!(job.rows[1].state, RowState::Unproven, "not apart enough");
        judge.take(&mut job, &HashMap::new(), at(100));
        assert_eq!(job.rows[1].state, RowState::Unproven, "a look that failed is no look");
        judge.take(&mut job, &seen(&[(1, valid())]), at(120));
        assert_eq!(job.rows[1].state, RowState::Dropped("Issued".into()));
        assert_eq!(job.note.as_deref(), Some("1 of 2 accepted; 1 not accepted, named below"));
    }

    #[test]
    fn not_found_and_new_words_prove_nothing() {
        let mut job = job(&[RowState::Unproven, RowState::InDoubt("no answer".into()), RowState::Unproven]);
        let mut judge = judge(Some(0));
        let word = |label: &str| Seen::As(Verdict::Unknown { label: label.into() });
        for moment in [0, 10_000, 1_000_000] {
            let look = seen(&[
                (0, word("REVOKE_PENDING")),
                (1, Seen::NotFound),
                (2, word("\u{c2ec}\u{c0ac}\u{c911}")),
            ]);
            judge.take(&mut job, &look, at(moment));
        }
        assert_eq!(job.rows[0].state, RowState::Unproven);
        assert!(matches!(job.rows[1].state, RowState::InDoubt(_)));
        assert!(matches!(job.rows[2].state, RowState::Dropped(_)), "still the word it had before");
    }

    #[test]
    fn a_revocation_in_doubt_is_settled_by_looking() {
        let mut job = job(&[RowState::InDoubt("no answer".into()), RowState::InDoubt("no answer".into())]);
        let mut judge = judge(None);
        judge.take(&mut job, &seen(&[(0, revoking()), (1, valid())]), at(0));
        assert_eq!(job.rows[0].state, RowState::Revoking);
        assert!(matches!(job.rows[1].state, RowState::InDoubt(_)));
        judge.take(&mut job, &seen(&[(1, valid())]), at(600));
        assert!(matches!(job.rows[1].state, RowState::NotDone(_)));
    }

    #[test]
    fn a_count_above_what_was_sent_is_an_alarm() {
        assert!(outcome(Some(5), 3).contains("tell the provider"));
        assert_eq!(outcome(Some(3), 3), "3 of 3 accepted");
    }
}
