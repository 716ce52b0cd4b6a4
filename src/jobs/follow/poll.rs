//! One poll of everything that is due, by the cheapest of single badges, addresses and title pages.

use super::super::core::JobsCore;
use super::super::error::JobError;
use super::super::history_scan::{self, HistoryScan};
use super::super::job::JobId;
use super::super::journal::behaviour::{BehaviourObservation, OFFSET, WAITING};
use super::super::journal::doubts::ResolveDoubts;
use super::super::journal::observe::{MarkOverdue, ObserveContext, Observed};
use super::super::journal::polling::{Group, SecondBadge, could_not_read};
use super::super::reason::{Code, Reason};
use super::super::row_status::RowStatus;
use super::super::seen_badge::SeenBadge;
use super::Poll;
use super::probe::{self, CountProbe};
use crate::api::{HistoryFilter, Priority, Refusal};
use crate::domain::time::OffsetBasis;
use crate::jobs::prelude::*;
use jiff::ToSpan;

/// Maximum number of badges or addresses that are read one by one without comparing the cost of pages.
const ONE_BY_ONE: usize = 3;
/// Maximum time between the acceptance of two badges of one holder that come from one request.
const TOGETHER: SignedDuration = SignedDuration::from_mins(10);
/// If history pages are missing, or do not show rows: maximum number of addresses and badges that are read one by one.
const FEW_MISSING: usize = 200;
/// Number of waiting badges that suffice to tell whether the history shows waiting badges.
const SAMPLE: usize = 20;

#[derive(Default)]
pub(super) struct Polled {
    /// Jobs of which not everything was read that could contain a badge in doubt.
    pub(super) partial: HashSet<JobId>,
    /// Badges of which nothing is known, because the answers could not be read.
    pub(super) unread: UnreadBadges,
}

#[derive(Default)]
pub(super) struct UnreadBadges {
    pub(super) ids: Vec<BadgeId>,
    /// Why the first of them could not be read.
    pub(super) why: Option<Reason>,
}

impl UnreadBadges {
    /// The other badges of the same check may be read, and may have changed.
    fn push(&mut self, id: &BadgeId, why: impl FnOnce() -> Localizable) {
        self.ids.push(id.clone());
        self.why.get_or_insert_with(|| Reason::coded(Code::NotReadable, &why()));
    }

    pub(super) fn reason(&self) -> Option<Reason> {
        let badges: HashSet<&BadgeId> = self.ids.iter().collect();
        self.why.as_ref().map(|why| could_not_read(badges.len(), why))
    }
}

pub(super) async fn poll_jobs(core: &Arc<JobsCore>, due: &[JobId], call: &Call) -> Result<Polled, JobError> {
    let mut polled = Polled::default();
    let mut groups: Vec<_> = core.store.poll_targets(due.to_vec()).await?.into_iter().collect();
    // Rows in doubt come first, since a person may wait to send more.
    groups.sort_by_key(|(_, group)| group.doubts.is_empty());
    for (template, group) in groups {
        let poll = Poll { core, template: &template, group: &group, call };
        if !poll_template(poll, &mut polled.unread).await? {
            polled.partial.extend(group.jobs);
        }
    }
    let (queued, sent) = core.store.revoke_targets(due.to_vec()).await?;
    one_by_one(core, &queued, call, &mut polled.unread).await?;
    revoked(core, sent, call, &mut polled.unread).await?;
    let (now, _) = core.moment();
    let unread = polled.unread.ids.clone();
    let (me, jobs) = (core.me(), due.to_vec());
    core.store.mark_overdue(MarkOverdue { me, jobs, now, zone: zone(core), unread }).await?;
    Ok(polled)
}

fn zone(core: &JobsCore) -> Option<Offset> {
    let clock = core.reader().clock();
    clock.is_zone_known().then(|| clock.offset())
}

#[derive(Default)]
struct DoubtMatches {
    by_key: HashMap<EmailKey, Vec<SeenBadge>>,
    /// Addresses for which everything was read.
    complete: HashSet<EmailKey>,
    issued: u64,
    /// The service's time of the first answer. What was not there then says nothing about later: the computer may have
    /// slept between two pages.
    began: Option<Timestamp>,
    /// Badges of this template per holder, with the time of acceptance.
    copies: HashMap<EmailKey, Vec<(BadgeId, DateTime)>>,
}

impl DoubtMatches {
    fn answered(&mut self, core: &JobsCore) {
        self.began.get_or_insert_with(|| core.moment().0);
    }

    fn context(&self, core: &JobsCore) -> ObserveContext {
        let latest = core.observe_context();
        ObserveContext { now: self.began.unwrap_or(latest.now), ..latest }
    }
}

/// Returns whether everything was read that could contain a badge in doubt.
async fn poll_template(poll: Poll<'_>, unread: &mut UnreadBadges) -> Result<bool, JobError> {
    let Poll { core, group, call, .. } = poll;
    let single = group.bound.len() + group.doubts.len();
    if single == 0 {
        return Ok(true);
    }
    let mut found = DoubtMatches::default();
    let reader = core.reader();
    let mut by_pages = false;
    // Pages can only be found by title.
    if single > ONE_BY_ONE && !group.title.looks_empty() {
        let probe = match CountProbe::wanted(poll).await? {
            Some(probe) => Some((probe.count(poll).await?, probe)),
            None => None,
        };
        if let Some((count, probe)) = &probe
            && probe.says_nothing_changed(poll, *count)
        {
            return Ok(true);
        }
        let mut scan = HistoryScan::of_title(reader, &group.title, call);
        if group.doubts.is_empty() {
            scan = scan.once();
        }
        let first = scan.next().await?.unwrap_or_default();
        found.answered(core);
        by_pages = scan.left() <= single as u64;
        if by_pages {
            let sample: HashSet<&BadgeId> = group.bound.iter().take(SAMPLE).collect();
            let mut sampled = false;
            let mut unseen: HashSet<&BadgeId> = group.bound.iter().collect();
            let mut page = Some(first);
            while let Some(sights) = page {
                sampled |= sights.iter().any(|s| sample.contains(&s.badge_id));
                for sight in &sights {
                    unseen.remove(&sight.badge_id);
                }
                take(poll, sights, &mut found).await?;
                page = scan.next().await?;
            }
            core.learn_filters(&scan).await?;
            if scan.is_complete() {
                found.complete.extend(group.doubts.keys().cloned());
                without_title(poll, &mut found).await?;
                if !sample.is_empty() && !sampled {
                    hidden(core, WAITING, Code::NotInHistory).await?;
                }
                if let Some((count, _)) = probe {
                    probe::learn(poll, count, found.issued).await?;
                }
            } else {
                // Pages may be incomplete.
                let hidden: Vec<&EmailKey> =
                    group.doubts.keys().filter(|key| !found.by_key.contains_key(key)).collect();
                if hidden.len() <= FEW_MISSING {
                    by_address(poll, &hidden, &mut found).await?;
                }
                let ids: Vec<BadgeId> = unseen.into_iter().cloned().collect();
                if ids.len() <= FEW_MISSING {
                    one_by_one(core, &ids, call, unread).await?;
                } else {
                    unread.ids.extend(ids);
                    unread.why.get_or_insert_with(|| Code::PartOfHistory.into());
                }
            }
        }
    }
    if !by_pages {
        let all: Vec<&EmailKey> = group.doubts.keys().collect();
        by_address(poll, &all, &mut found).await?;
        one_by_one(core, &group.bound, call, unread).await?;
        learn_zone(core, group, call).await?;
        // Holders whose badge is now issued may have two. A single record does not tell, so read by address.
        for email in finished(core, group).await? {
            let mut scan = HistoryScan::of_address(reader, &email, call);
            while let Some(sights) = scan.next().await? {
                take(poll, sights, &mut found).await?;
            }
        }
    }
    learn_shown(core, call).await?;
    twice(core, group, &found).await?;
    let complete = found.complete.len() == group.doubts.len();
    resolve(core, group, found).await?;
    Ok(complete)
}

/// The badges of a template that was renamed may have another title. So rows that a title does not show are looked up by
/// address before their absence means something. Of many rows, a few tell whether that finds anything.
async fn without_title(poll: Poll<'_>, found: &mut DoubtMatches) -> Result<(), JobError> {
    let Poll { core, group, call, .. } = poll;
    let due = match call.priority {
        // The caller acts on what is not there.
        Priority::Interactive => group.doubts.keys().cloned().collect(),
        Priority::Background => core.store.due_doubts(found.context(core), group.jobs.clone()).await?,
    };
    let is_hidden = |key: &&EmailKey| group.doubts.contains_key(key) && !found.by_key.contains_key(key);
    let hidden: Vec<&EmailKey> = due.iter().filter(is_hidden).collect();
    let few = if hidden.len() <= FEW_MISSING { hidden.len() } else { SAMPLE };
    let (first, rest) = hidden.split_at(few);
    for key in first {
        found.complete.remove(key);
    }
    by_address(poll, first, found).await?;
    if first.iter().any(|key| found.by_key.contains_key(key)) {
        for key in rest {
            found.complete.remove(key);
        }
        by_address(poll, rest, found).await?;
    }
    Ok(())
}

async fn by_address(poll: Poll<'_>, keys: &[&EmailKey], found: &mut DoubtMatches) -> Result<(), JobError> {
    let core = poll.core;
    for key in keys {
        let Some(email) = poll.group.doubts.get(key) else { continue };
        let mut complete = true;
        for spelling in history_scan::spellings(email) {
            let mut scan = HistoryScan::of_address(core.reader(), &spelling, poll.call);
            let mut page = scan.next().await?;
            found.answered(core);
            while let Some(sights) = page {
                take(poll, sights, found).await?;
                page = scan.next().await?;
            }
            core.learn_filters(&scan).await?;
            complete &= scan.is_complete();
        }
        if complete {
            found.complete.insert((*key).clone());
        }
    }
    Ok(())
}

/// Handles a page: applies what is known, and keeps the badges that may resolve a doubt.
async fn take(poll: Poll<'_>, sights: Vec<SeenBadge>, found: &mut DoubtMatches) -> Result<(), JobError> {
    let Poll { core, template, group, .. } = poll;
    for sight in &sights {
        let of_template = sight.key().filter(|_| sight.template_id.as_ref() == Some(template));
        let Some(key) = of_template else { continue };
        if group.holders.contains_key(&key)
            && let Some(at) = sight.reg_date.as_ref().and_then(ServiceTime::start)
        {
            found.copies.entry(key.clone()).or_default().push((sight.badge_id.clone(), at));
        }
        if group.doubts.contains_key(&key) {
            let all = found.by_key.entry(key).or_default();
            if !all.iter().any(|s| s.badge_id == sight.badge_id) {
                all.push(sight.clone());
            }
        }
    }
    found.issued += seen(core, sights).await?;
    Ok(())
}

/// Addresses of holders whose badges are Issued after this poll.
async fn finished(core: &JobsCore, group: &Group) -> Result<Vec<String>, JobError> {
    let badges = group.holders.values().map(|(badge, _)| badge.clone()).collect();
    let issued = core.store.issued(badges).await?;
    let finished = group.holders.values().filter(|(badge, _)| issued.contains(badge));
    Ok(finished.map(|(_, email)| email.clone()).collect())
}

/// A proxy may have sent a request twice: reports a second badge that was accepted with the requested one.
async fn twice(core: &Arc<JobsCore>, group: &Group, found: &DoubtMatches) -> Result<(), JobError> {
    let mut pairs = Vec::new();
    for (key, copies) in &found.copies {
        let Some((mine, _)) = group.holders.get(key) else { continue };
        let Some((_, at)) = copies.iter().find(|(badge, _)| badge == mine) else { continue };
        let second = copies
            .iter()
            .find(|(badge, other)| badge != mine && other.duration_since(*at).abs() <= TOGETHER)
            .map(|(badge, _)| badge.clone());
        pairs.extend(second.map(|second| SecondBadge { badge: mine.clone(), key: key.clone(), second }));
    }
    if pairs.is_empty() {
        return Ok(());
    }
    for job in core.store.note_second_badges(pairs, core.me()).await? {
        core.changed(job, []);
    }
    Ok(())
}

/// Returns how many badges became Issued.
async fn seen(core: &Arc<JobsCore>, sights: Vec<SeenBadge>) -> Result<u64, JobError> {
    if sights.is_empty() {
        return Ok(0);
    }
    let observed = core.store.observe(core.observe_context(), sights).await?;
    let issued = observed.touched.values().flatten().filter(|t| t.row_status == RowStatus::Issued).count();
    report_observed(core, observed).await?;
    Ok(issued as u64)
}

async fn report_observed(core: &Arc<JobsCore>, observed: Observed) -> Result<(), JobError> {
    for (id, touched) in observed.touched {
        core.changed(id, touched);
    }
    for id in observed.ready {
        core.changed(id, []);
    }
    let reader = core.reader();
    let known = reader.clock();
    if let Some((recorded, happened)) = observed.witnessed
        && known.basis() != OffsetBasis::Setting
        && reader.learn_offset(&recorded, happened)
        && (known.basis(), known.offset()) != (OffsetBasis::Learned, reader.clock().offset())
    {
        let offset = reader.clock().offset().to_string();
        core.learn(vec![BehaviourObservation::once(OFFSET, &offset, Code::WitnessedTime)]).await?;
    }
    Ok(core.keep_least_offset().await?)
}

async fn hidden(core: &Arc<JobsCore>, name: &'static str, evidence: Code) -> Result<(), JobError> {
    Ok(core.learn(vec![BehaviourObservation::once(name, "hidden", evidence)]).await?)
}

async fn one_by_one(
    core: &Arc<JobsCore>,
    ids: &[BadgeId],
    call: &Call,
    unread: &mut UnreadBadges,
) -> Result<(), JobError> {
    for id in ids {
        match history_scan::badge(core.reader(), id, call).await {
            Ok(Some(sight)) => drop(seen(core, vec![sight]).await?),
            Ok(None) => {
                hidden(core, "waiting_by_id", Code::NotById).await?;
                core.store.note_absence(core.observe_context(), id.clone()).await?;
            }
            // A service may answer so for an id that it does not know yet.
            Err(ApiError::BadRequest(Refusal { status: 400, .. }) | ApiError::BadInput { .. }) => {}
            // One refused or broken record says nothing about the others; other errors would affect them, too.
            Err(ApiError::BadRequest(said)) => {
                let said = said.localizable();
                unread.push(id, || localizable!("The service did not show a badge ({said}).", said));
            }
            Err(ApiError::Unreadable { status, what, .. }) => {
                unread.push(id, || {
                    localizable!("The response could not be read: {what} (HTTP {status}).", what, status)
                });
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Sends one request. Only the history shows when a badge was accepted; lapel must have witnessed that.
async fn learn_zone(core: &Arc<JobsCore>, group: &Group, call: &Call) -> Result<(), JobError> {
    if core.reader().clock().is_zone_known() {
        return Ok(());
    }
    let Some(id) = group.bound.first().cloned() else { return Ok(()) };
    let email = core.store.timed_email(id).await?;
    if let Some(email) = email {
        let mut scan = HistoryScan::of_address(core.reader(), &email, call).once();
        while let Some(sights) = scan.next().await? {
            let _ = seen(core, sights).await?;
        }
    }
    Ok(())
}

/// A missing badge means something only if the history shows waiting badges, so looks for one there.
async fn learn_shown(core: &Arc<JobsCore>, call: &Call) -> Result<(), JobError> {
    let waiting = core.store.waiting_badge(core.account.clone(), WAITING).await?;
    let Some((badge, email)) = waiting else { return Ok(()) };
    let mut scan = HistoryScan::of_address(core.reader(), &email, call);
    let mut is_there = false;
    while let Some(sights) = scan.next().await? {
        is_there |= sights.iter().any(|sight| sight.badge_id == badge);
        let _ = seen(core, sights).await?;
    }
    if scan.is_complete() && !is_there {
        hidden(core, WAITING, Code::NotInHistory).await?;
    }
    Ok(())
}

/// `found` must contain every badge of the template that was found.
async fn resolve(core: &Arc<JobsCore>, group: &Group, found: DoubtMatches) -> Result<(), JobError> {
    if group.doubts.is_empty() {
        return Ok(());
    }
    let resolve = ResolveDoubts {
        context: found.context(core),
        jobs: group.jobs.clone(),
        found: found.by_key,
        complete: found.complete,
        zone: zone(core),
        at: Timestamp::now().as_millisecond(),
    };
    let observed = core.store.resolve_doubts(resolve).await?;
    report_observed(core, observed).await
}

/// For many badges, first reads the history filtered by revoke date, then the rest one by one.
async fn revoked(
    core: &Arc<JobsCore>,
    sent: BTreeMap<BadgeId, i64>,
    call: &Call,
    unread: &mut UnreadBadges,
) -> Result<(), JobError> {
    let mut rest: Vec<BadgeId> = sent.keys().cloned().collect();
    if rest.len() > ONE_BY_ONE {
        let clock = core.reader().clock();
        let day = |s: Option<i64>| {
            s.and_then(|s| Timestamp::from_second(s).ok()).map(|t| clock.offset().to_datetime(t).date())
        };
        let first = day(sent.values().min().copied());
        // The service's UTC offset may be unknown, so the filter has a day before and a day after.
        let filter = HistoryFilter {
            revoke_start_date: first.and_then(|d| d.checked_sub(1.day()).ok()),
            revoke_end_date: clock.now().date().checked_add(1.day()).ok(),
            ..HistoryFilter::default()
        };
        let mut wanted: HashSet<BadgeId> = rest.iter().cloned().collect();
        let mut scan = HistoryScan::new(core.reader(), filter, call).once();
        let mut page = scan.next().await?;
        // More pages than badges: others revoke badges, too.
        let cheap = scan.left() <= rest.len() as u64;
        while let Some(sights) = page {
            // The contract does not explain the filter, so only rows with a revocation count.
            let revoked: Vec<SeenBadge> =
                sights.into_iter().filter(|s| s.revoke_at.is_some() && wanted.remove(&s.badge_id)).collect();
            let _ = seen(core, revoked).await?;
            page = if cheap && !wanted.is_empty() { scan.next().await? } else { None };
        }
        rest.retain(|id| wanted.contains(id));
    }
    one_by_one(core, &rest, call, unread).await
}
