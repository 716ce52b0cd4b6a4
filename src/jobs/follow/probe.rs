//! The count probe: one request instead of many pages. It needs a service whose count of badges issued since
//! a day increases with this job's badges.

use super::super::core::lock;
use super::super::error::JobError;
use super::super::journal::behaviour::BehaviourObservation;
use super::super::reason::Code;
use super::Poll;
use crate::api::{HistoryFilter, HistoryQuery, Paging, Priority};
use crate::jobs::prelude::*;
use jiff::ToSpan;
use jiff::civil::Date;

/// Minimum number of badges for a probe. The pages of fewer badges cost no more than a few probes.
const FROM: usize = 300;
/// The fact that tells whether a count can replace a poll.
const FACT: &str = "issued_count";
/// After this time lapel reads everything, regardless of the count (contract, "Limits" rule 3).
const AT_LAST: SignedDuration = SignedDuration::from_hours(24);

pub(super) struct CountProbe {
    since: Date,
    proven: bool,
}

impl CountProbe {
    /// A probe if it is worth its request: for many badges, none of them late, in the background.
    pub(super) async fn wanted(poll: Poll<'_>) -> Result<Option<Self>, JobError> {
        let Poll { core, group, call, .. } = poll;
        if group.bound.len() < FROM || !group.doubts.is_empty() || call.priority == Priority::Interactive {
            return Ok(None);
        }
        let jobs = group.jobs.iter().copied().collect();
        let (fact, first) = core.store.first_accepted(core.account.of_facts(), FACT, jobs).await?;
        let Some(first) = first.and_then(|s| Timestamp::from_second(s).ok()) else { return Ok(None) };
        let (now, _) = core.moment();
        if fact.as_deref() == Some("ignores") || now.duration_since(first) >= AT_LAST {
            return Ok(None);
        }
        // The service's UTC offset may be unknown, so start a day earlier.
        let day = core.reader().clock().offset().to_datetime(first).date();
        Ok(day
            .checked_sub(1.day())
            .ok()
            .map(|since| Self { since, proven: fact.as_deref() == Some("follows") }))
    }

    /// The service's count of issued badges with this title since that day: one request.
    pub(super) async fn count(&self, poll: Poll<'_>) -> Result<Option<u64>, JobError> {
        let filter = HistoryFilter {
            title: Some(poll.group.title.wire().to_owned()),
            issue_start_date: Some(self.since),
            ..HistoryFilter::default()
        };
        let query = HistoryQuery { filter, paging: Paging { rows_per_page: 1, ..Paging::full(1) } };
        Ok(poll.core.reader().history(&query, poll.call).await?.total_count)
    }

    pub(super) fn says_nothing_changed(&self, poll: Poll<'_>, count: Option<u64>) -> bool {
        self.proven && count.is_some() && lock(&poll.core.counts).get(poll.template).copied() == count
    }
}

/// After a complete poll: learns whether the count increased with the badges that became Issued.
pub(super) async fn learn(poll: Poll<'_>, count: Option<u64>, issued: u64) -> Result<(), JobError> {
    let Poll { core, template, .. } = poll;
    let Some(count) = count else { return Ok(()) };
    let before = lock(&core.counts).insert(template.clone(), count);
    let Some(before) = before.filter(|_| issued > 0) else { return Ok(()) };
    let follows = count.saturating_sub(before) >= issued;
    let (value, evidence) =
        if follows { ("follows", Code::CountFollows) } else { ("ignores", Code::CountIgnores) };
    Ok(core.learn(vec![BehaviourObservation::once(FACT, value, evidence)]).await?)
}
