//! Issuing one badge: sent once, then followed until the service shows it.

use super::follow::{Schedule, next_look};
use super::job::{Job, JobRow, Kind, RowState};
use super::look::{self, Seen};
use super::{Desk, IssuePlan};
use crate::api::{ApiError, Call, IssueRequest, Reader};
use crate::domain::time::OffsetBasis;
use crate::domain::{BadgeId, HistoryItem, State, Text, Verdict};

/// What is said when a badge was found that may or may not be the one in doubt.
const AMBIGUOUS: &str = "a badge of this template was found for this address, but lapel cannot tell whether it is this \
                         one: look at the holder's wallet before doing anything";

pub(super) async fn run(plan: IssuePlan, mut desk: Desk) {
    let mut job = Job {
        id: desk.id,
        kind: Kind::Issue,
        title: plan.title.clone(),
        rows: vec![JobRow {
            holder: Text::new(plan.recipient_name.clone()),
            address: plan.recipient_email.text(),
            badge_id: None,
            state: RowState::Sending,
        }],
        note: None,
        sending: true,
    };
    if !desk.show(&job).await {
        return;
    }
    let request = IssueRequest {
        template_id: plan.template_id.clone(),
        recipient_name: plan.recipient_name.clone(),
        recipient_email: plan.recipient_email.as_str().to_owned(),
    };
    // Awaited to its end, whatever the desk does meanwhile: a dropped POST would be a doubt of our own making.
    let answer = desk.writer.issue(&request, &Call::interactive()).await;
    let row = &mut job.rows[0];
    match answer {
        Ok(accepted) => {
            row.badge_id = Some(accepted.badge_id);
            row.state = RowState::Waiting;
        }
        Err(error @ ApiError::InDoubt { .. }) => row.state = RowState::InDoubt(error.to_string()),
        Err(error) => row.state = RowState::NotDone(error.to_string()),
    }
    job.sending = false;
    let answered = desk.writer.reader().clock().utc();
    if desk.show(&job).await && job.is_open() {
        follow(&plan, answered, &mut job, &mut desk).await;
    }
}

async fn follow(plan: &IssuePlan, answered: jiff::Timestamp, job: &mut Job, desk: &mut Desk) {
    let reader = desk.writer.reader().clone();
    let mut schedule = Schedule::issue(reader.clock().speed());
    let mut first_word = None;
    while job.is_open() {
        let Some(call) = next_look(&mut schedule, &mut desk.look).await else { return };
        let before = job.clone();
        let row = &mut job.rows[0];
        if row.badge_id.is_none() {
            // In doubt: whatever this person has of this template now and had not before is ours.
            match look::holdings(&reader, &plan.template_id, plan.recipient_email.as_str(), &call).await {
                Ok(found) => {
                    let before = plan.held_before.as_deref();
                    let known = |item: &HistoryItem| before.is_some_and(|b| b.contains(&item.badge_id));
                    let mut new = found.into_iter().filter(|item| !known(item));
                    match (new.next(), new.next()) {
                        (Some(item), None) if before.is_some() => {
                            row.state = after(&Verdict::of(&item, reader.clock().now()), &mut first_word);
                            row.badge_id = Some(item.badge_id);
                            job.note = None;
                        }
                        (Some(_), _) => job.note = Some(AMBIGUOUS.to_owned()),
                        (None, _) => job.note = None,
                    }
                }
                Err(error) => job.note = Some(format!("the last look failed: {error}")),
            }
        } else if let Some(id) = row.badge_id.clone() {
            learn_zone(&reader, plan, &id, answered, &call).await;
            match look::badge(&reader, &id, &call).await {
                Ok(Seen::As(verdict)) => {
                    job.note = None;
                    row.state = after(&verdict, &mut first_word);
                }
                // Some services show a badge only once it is issued: nothing is wrong yet.
                Ok(Seen::NotFound) => job.note = None,
                Err(error) => job.note = Some(format!("the last look failed: {error}")),
            }
        }
        if *job != before && !desk.show(job).await {
            return;
        }
    }
}

/// Learns the zone of the service's times from a badge whose acceptance was witnessed, unless it is known.
/// Only the history says when a badge was accepted; where it hides waiting ones, the next look tries again.
async fn learn_zone(reader: &Reader, plan: &IssuePlan, id: &BadgeId, answered: jiff::Timestamp, call: &Call) {
    if reader.clock().basis() != OffsetBasis::ThisComputer {
        return;
    }
    let found = look::holdings(reader, &plan.template_id, plan.recipient_email.as_str(), call).await;
    let row = found.into_iter().flatten().find(|item| item.badge_id == *id);
    if let Some(accepted) = row.and_then(|item| item.reg_date) {
        reader.learn_offset(&accepted, answered);
    }
}

/// Where a row stands after a look. A word that lapel does not know is waiting's word as long as it is the
/// first one seen after acceptance; once it changes, the new one is shown as it is.
fn after(verdict: &Verdict, first_word: &mut Option<Text>) -> RowState {
    match verdict.state() {
        State::Waiting => RowState::Waiting,
        State::Issued | State::Expired => RowState::Issued,
        State::Revoking => RowState::Revoking,
        State::Revoked => RowState::Revoked,
        State::Other(word) => {
            let first = first_word.get_or_insert_with(|| word.clone());
            if *first == word { RowState::Waiting } else { RowState::Other(word) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_word_counts_as_waiting_until_it_changes() {
        let mut first = None;
        let unknown = |label: &str| Verdict::Unknown { label: label.into() };
        assert_eq!(after(&unknown("W aiting-ish"), &mut first), RowState::Waiting);
        assert_eq!(after(&unknown("W aiting-ish"), &mut first), RowState::Waiting);
        assert_eq!(after(&unknown("done-ish"), &mut first), RowState::Other("done-ish".into()));
        assert_eq!(after(&Verdict::Valid { until: None }, &mut first), RowState::Issued);
    }
}
