//! What `lapel wallet` and `lapel badge` say about badges that the wallet does not show: sent from here, or waiting.

use crate::cli::job_text;
use crate::cli::prelude::*;
use crate::domain::{BadgeId, HistoryItem, ServiceClock, ServiceTime, Text};
use crate::jobs::{JobId, SentHere};

/// `is_read`: the lists that would have the badge were read to their ends.
pub(super) fn sent_said(sent: &SentHere, is_read: bool, clock: &ServiceClock) -> String {
    let (title, time, id) = (&sent.title, job_text::time(sent.at, clock), sent.job);
    let state = tr(sent.row_status.name());
    match (&sent.badge_id, &sent.by) {
        (Some(_), Some(who)) if !is_read => t!(
            "{title}: sent by {who} at {time} in job {id} ({state}). Not everything could be read, so it may be visible by now.",
            title,
            who,
            time,
            id,
            state
        ),
        (Some(_), None) if !is_read => t!(
            "{title}: sent by lapel at {time} in job {id} ({state}). Not everything could be read, so it may be visible by now.",
            title,
            time,
            id,
            state
        ),
        (Some(_), Some(who)) => t!(
            "{title}: sent by {who} at {time} in job {id} ({state}); not visible yet.",
            title,
            who,
            time,
            id,
            state
        ),
        (None, Some(who)) => t!(
            "{title}: sent by {who} at {time} in job {id} ({state}). lapel has not found its badge yet; lapel jobs follow looks for it.",
            title,
            who,
            time,
            id,
            state
        ),
        (Some(_), None) => t!(
            "{title}: sent by lapel at {time} in job {id} ({state}); not visible yet.",
            title,
            time,
            id,
            state
        ),
        (None, None) => t!(
            "{title}: sent by lapel at {time} in job {id} ({state}). lapel has not found its badge yet; lapel jobs follow looks for it.",
            title,
            time,
            id,
            state
        ),
    }
}

/// `sent`: the row of a job that the badge belongs to.
pub(super) fn waiting_said(item: &HistoryItem, sent: Option<&SentHere>, clock: &ServiceClock) -> String {
    let since = item.reg_date.as_ref().map_or_else(|| "?".to_owned(), ServiceTime::to_minute);
    let (title, id) = (item.title.clone().unwrap_or_default(), &item.badge_id);
    let time = format_args!("{since} ({})", clock.zone_said());
    match sent.map(|sent| (sent.job, &sent.by)) {
        None => t!(
            "{title}: waits to be issued, accepted at {time}, badge id {id}. Only the history lists it.",
            title,
            time,
            id
        ),
        Some((job, None)) => t!(
            "{title}: waits to be issued, accepted at {time}, badge id {id}, sent in job {job}. Only the history lists it.",
            title,
            time,
            id,
            job
        ),
        Some((job, Some(who))) => t!(
            "{title}: waits to be issued, accepted at {time}, badge id {id}, sent by {who} in job {job}. Only the history lists it.",
            title,
            time,
            id,
            who,
            job
        ),
    }
}

/// The job that revokes a waiting badge as soon as it is issued, as a further sentence.
pub(super) fn with_plan(said: String, job: Option<&JobId>) -> String {
    match job {
        Some(job) => format!("{said} {}", t!("Job {job} revokes this badge as soon as it is issued.", job)),
        None => said,
    }
}

pub(super) fn sent_json(sent: &SentHere) -> Value {
    json!({
        "job": sent.job.0,
        "title": sent.title.wire(),
        "badge_id": sent.badge_id.as_ref().map(BadgeId::wire),
        "sent_at": json::time(Some(sent.at)),
        "bucket": sent.row_status.code(),
        "by": sent.by.as_ref().map(Text::wire),
    })
}
