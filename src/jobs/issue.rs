//! Issuing one badge: sent once, then followed until the service shows it.

use super::follow::{Schedule, next_look};
use super::job::{Job, JobRow, Kind, RowState};
use super::look::{self, Seen};
use super::{Desk, IssuePlan};
use crate::api::{ApiError, Call, IssueRequest, Reader};
use crate::domain::time::OffsetBasis;
use crate::domain::{BadgeId, HistoryItem, ServiceClock, ServiceTime, State, Text, Verdict};
use jiff::{SignedDuration, Timestamp};

/// How often the zone of the service's times is asked for: each time costs a request.
const ZONE_LOOKS: u32 = 3;
/// How far two clocks may be apart before one is believed to be earlier.
const SKEW: SignedDuration = SignedDuration::from_mins(5);
/// What is said when a badge was found that may or may not be the one in doubt.
const AMBIGUOUS: &str = "a badge of this template was found for this address, but lapel cannot tell whether it is this \
                         one: look at the holder's wallet before doing anything";

pub(super) async fn run(plan: IssuePlan, mut desk: Desk) {
    let mut job = Job {
        id: desk.id,
        kind: Kind::Issue,
        title: plan.title.clone(),
        template_id: Some(plan.template_id.clone()),
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
    let clock = desk.writer.reader().clock();
    // Another clock than the service's would prove nothing.
    let sent_at = clock.is_heard().then(|| clock.utc());
    // Awaited to its end, whatever the desk does meanwhile: a dropped POST would be a doubt of our own making.
    let answer = desk.writer.issue(&request, &desk.call()).await;
    let row = &mut job.rows[0];
    match answer {
        Ok(accepted) => {
            desk.claim(&accepted.badge_id);
            row.badge_id = Some(accepted.badge_id);
            row.state = RowState::Waiting;
        }
        Err(error @ ApiError::InDoubt { .. }) => row.state = RowState::InDoubt(error.to_string()),
        Err(error) => row.state = RowState::NotDone(error.to_string()),
    }
    job.sending = false;
    let answered = desk.writer.reader().clock().utc();
    if desk.show(&job).await && job.is_open() {
        follow(&plan, (sent_at, answered), &mut job, &mut desk).await;
    }
}

async fn follow(plan: &IssuePlan, moments: (Option<Timestamp>, Timestamp), job: &mut Job, desk: &mut Desk) {
    let (sent_at, answered) = moments;
    let reader = desk.writer.reader().clone();
    let mut schedule = Schedule::issue(reader.clock().speed());
    let mut lessons = ZONE_LOOKS;
    // A doubt is looked at once: where the service shows waiting badges, that settles it.
    let mut now = matches!(job.rows[0].state, RowState::InDoubt(_));
    while job.is_open() {
        let Some(call) = next_look(&mut now, &mut schedule, &mut desk.look).await else { return };
        let before = job.clone();
        job.note = None;
        if let Some(id) = job.rows[0].badge_id.clone() {
            if lessons > 0 && reader.clock().basis() == OffsetBasis::ThisComputer {
                lessons -= 1;
                learn_zone(&reader, plan, &id, answered, &call).await;
            }
            match look::badge(&reader, &id, &call).await {
                Ok(Seen::As(verdict)) => job.rows[0].state = after(&verdict),
                // Some services show a badge only once it is issued: nothing is wrong yet.
                Ok(Seen::NotFound) => {}
                Err(error) => job.note = Some(format!("the last look failed: {error}")),
            }
        } else {
            match look::holdings(&reader, &plan.template_id, plan.recipient_email.as_str(), &call).await {
                Ok(found) => settle(plan, found.items, sent_at, &reader.clock(), job, desk),
                Err(error) => job.note = Some(format!("the last look failed: {error}")),
            }
        }
        if *job != before && !desk.show(job).await {
            return;
        }
    }
}

/// Settles a doubt, if what this person has of this template allows it: exactly one badge that was not there
/// before, that no other job of this session has, and that was not accepted before the request was sent.
fn settle(
    plan: &IssuePlan,
    found: Vec<HistoryItem>,
    sent_at: Option<Timestamp>,
    clock: &ServiceClock,
    job: &mut Job,
    desk: &Desk,
) {
    let before = plan.held_before.as_deref();
    let known = |item: &HistoryItem| {
        before.is_some_and(|b| b.contains(&item.badge_id)) || desk.is_claimed(&item.badge_id)
    };
    let mut new = found.into_iter().filter(|item| !known(item));
    match (new.next(), new.next()) {
        (None, _) => {}
        (Some(item), None)
            if before.is_some() && !is_older(&item, sent_at, clock) && desk.claim(&item.badge_id) =>
        {
            let row = &mut job.rows[0];
            row.state = after(&Verdict::of(&item, clock.now()));
            row.badge_id = Some(item.badge_id);
        }
        (Some(_), _) => job.note = Some(AMBIGUOUS.to_owned()),
    }
}

/// Whether a badge was accepted clearly before a moment; a waiting one may only have been hidden. Without a
/// known zone and the service's own clock that cannot be told.
fn is_older(item: &HistoryItem, than: Option<Timestamp>, clock: &ServiceClock) -> bool {
    let Some(than) = than else { return false };
    let accepted = item.reg_date.as_ref().and_then(ServiceTime::start);
    clock.basis() != OffsetBasis::ThisComputer
        && accepted
            .and_then(|at| clock.offset().to_timestamp(at).ok())
            .is_some_and(|at| than.duration_since(at) > SKEW)
}

/// Learns the zone of the service's times from a badge whose acceptance was witnessed. Only the history says
/// when a badge was accepted; where it hides waiting ones, the next look tries again.
async fn learn_zone(reader: &Reader, plan: &IssuePlan, id: &BadgeId, answered: Timestamp, call: &Call) {
    let found = look::holdings(reader, &plan.template_id, plan.recipient_email.as_str(), call).await;
    let row = found.into_iter().flat_map(|h| h.items).find(|item| item.badge_id == *id);
    if let Some(accepted) = row.and_then(|item| item.reg_date) {
        reader.learn_offset(&accepted, answered);
    }
}

/// Where a row stands after a look.
fn after(verdict: &Verdict) -> RowState {
    match verdict.state() {
        State::Waiting => RowState::Waiting,
        State::Issued | State::Expired => RowState::Issued,
        State::Revoking => RowState::Revoking,
        State::Revoked => RowState::Revoked,
        State::Other(word) => RowState::Other(word),
    }
}
