//! One poll of everything that is due, by the cheapest of single badges, addresses and title pages.

use super::super::apply_observation::{self, Context, Observed};
use super::super::core::Core;
use super::super::history_scan::{self, Scan, Sight};
use super::super::job::{JobId, RowStatus};
use super::super::journal::{facts, jobs as journal_jobs, rows};
use super::super::reason::{Code, Reason};
use super::super::resolve::{self, Candidate, Doubt, Judgement, Look};
use super::Failed;
use super::probe::{self, Probe};
use crate::api::{ApiError, Call, HistoryFilter};
use crate::domain::time::OffsetBasis;
use crate::domain::{BadgeId, EmailKey, ServiceTime, TemplateId, Text};
use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp, ToSpan};
use rusqlite::{Connection, params};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Maximum number of badges or addresses that are read one by one without comparing the cost of pages.
const ONE_BY_ONE: usize = 3;
/// Maximum time between the acceptance of two badges of one holder that come from one request.
const TOGETHER: SignedDuration = SignedDuration::from_mins(10);
/// If history pages are missing: maximum number of addresses and badges that are read one by one.
const FEW_MISSING: usize = 200;
/// Number of waiting badges that suffice to tell whether the history shows waiting badges.
const SAMPLE: usize = 20;
/// The fact that tells whether the history shows waiting badges.
const WAITING: &str = "waiting_in_history";

/// The open rows of one template.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) title: Text,
    pub(super) jobs: HashSet<JobId>,
    pub(super) bound: Vec<BadgeId>,
    /// Holders of the accepted badges: badge id and address.
    pub(super) holders: HashMap<EmailKey, (BadgeId, String)>,
    pub(super) doubts: HashMap<EmailKey, String>,
}

/// Polls. Returns whether everything was read that could contain a badge in doubt.
pub(super) async fn sweep(core: &Arc<Core>, due: &[JobId], call: &Call) -> Result<bool, Failed> {
    let mut complete = true;
    for (template, group) in groups(core, due).await? {
        complete &= template_sweep(core, &template, &group, call).await?;
    }
    let (queued, sent) = revocations(core, due).await?;
    one_by_one(core, &queued, call).await?;
    revoked(core, sent, call).await?;
    let context = context(core);
    let clock = core.reader().clock();
    let zone = clock.is_zone_known().then(|| clock.offset());
    let ids = due.to_vec();
    core.journal
        .write("overdue", move |db| {
            for id in &ids {
                apply_observation::overdue(db, &context, *id)?;
                apply_observation::keep_old(db, *id)?;
                apply_observation::rule_out(db, *id, zone)?;
            }
            Ok(())
        })
        .await?;
    Ok(complete)
}

fn context(core: &Core) -> Context {
    let (now, _) = core.moment();
    Context { me: core.me(), account: core.account.key.clone(), now, settings: core.settings.clone() }
}

async fn groups(core: &Core, due: &[JobId]) -> Result<Vec<(TemplateId, Group)>, Failed> {
    let ids = due.to_vec();
    let groups = core
        .journal
        .read(move |db| {
            let mut groups: HashMap<TemplateId, Group> = HashMap::new();
            for id in ids {
                let found: Option<(Option<String>, String)> = db
                    .prepare_cached("SELECT template, title FROM job WHERE id = ?1 AND kind = 'issue'")?
                    .query_map([id.0], |r| Ok((r.get(0)?, r.get(1)?)))?
                    .next()
                    .transpose()?;
                let Some((Some(template), title)) = found else { continue };
                let Some(template) = TemplateId::new(template) else { continue };
                let group = groups.entry(template).or_default();
                group.title = Text::new(title);
                group.jobs.insert(id);
                let mut open = db.prepare_cached(
                    "SELECT badge, email FROM row WHERE job = ?1
                       AND bucket IN ('waiting', 'overdue', 'other', 'in_doubt', 'unbound', 'not_seen')",
                )?;
                let mut rows = open.query([id.0])?;
                while let Some(row) = rows.next()? {
                    match row.get::<_, Option<String>>(0)?.and_then(BadgeId::new) {
                        Some(badge) => {
                            let email: String = row.get(1)?;
                            group.holders.insert(EmailKey::of(&email), (badge.clone(), email));
                            group.bound.push(badge);
                        }
                        None => {
                            let email: String = row.get(1)?;
                            group.doubts.insert(EmailKey::of(&email), email);
                        }
                    }
                }
            }
            Ok(groups)
        })
        .await?;
    let mut groups: Vec<_> = groups.into_iter().collect();
    // Rows in doubt come first, since a person may wait to send more.
    groups.sort_by_key(|(_, group)| group.doubts.is_empty());
    Ok(groups)
}

/// Badges found for addresses in doubt.
#[derive(Default)]
struct DoubtMatches {
    by_key: HashMap<EmailKey, Vec<Sight>>,
    /// Addresses for which everything was read.
    complete: HashSet<EmailKey>,
    issued: u64,
    /// Badges of this template per holder, with the time of acceptance.
    copies: HashMap<EmailKey, Vec<(BadgeId, DateTime)>>,
}

async fn template_sweep(
    core: &Arc<Core>,
    template: &TemplateId,
    group: &Group,
    call: &Call,
) -> Result<bool, Failed> {
    let single = group.bound.len() + group.doubts.len();
    if single == 0 {
        return Ok(true);
    }
    let mut found = DoubtMatches::default();
    let reader = core.reader();
    let mut by_pages = false;
    // Pages can only be found by title.
    if single > ONE_BY_ONE && !group.title.looks_empty() {
        let probe = match Probe::wanted(core, group, call).await? {
            Some(probe) => Some((probe.count(core, group, call).await?, probe)),
            None => None,
        };
        if let Some((count, probe)) = &probe
            && probe.says_nothing_changed(core, template, *count)
        {
            return Ok(true);
        }
        let mut scan = Scan::of_title(reader, &group.title, call);
        if group.doubts.is_empty() {
            scan = scan.once();
        }
        let first = scan.next().await?.unwrap_or_default();
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
                take(core, template, group, sights, &mut found).await?;
                page = scan.next().await?;
            }
            core.learn_filters(&scan).await?;
            if scan.is_complete() {
                found.complete.extend(group.doubts.keys().cloned());
                if !sample.is_empty() && !sampled {
                    hidden(core, WAITING, Code::NotInHistory).await?;
                }
                if let Some((count, _)) = probe {
                    probe::learn(core, template, count, found.issued).await?;
                }
            } else {
                // Pages may be incomplete. Read the missing badges one by one if they are few.
                let hidden: Vec<&EmailKey> =
                    group.doubts.keys().filter(|key| !found.by_key.contains_key(key)).collect();
                if hidden.len() <= FEW_MISSING {
                    by_address(core, template, group, &hidden, call, &mut found).await?;
                }
                if unseen.len() <= FEW_MISSING {
                    let ids: Vec<BadgeId> = unseen.into_iter().cloned().collect();
                    one_by_one(core, &ids, call).await?;
                }
            }
        }
    }
    if !by_pages {
        let all: Vec<&EmailKey> = group.doubts.keys().collect();
        by_address(core, template, group, &all, call, &mut found).await?;
        one_by_one(core, &group.bound, call).await?;
        learn_zone(core, group, call).await?;
        // Holders whose badge is now issued may have two. A single badge record does not tell, so read by address.
        for email in finished(core, group).await? {
            let mut scan = Scan::of_address(reader, &email, call);
            while let Some(sights) = scan.next().await? {
                take(core, template, group, sights, &mut found).await?;
            }
        }
    }
    learn_shown(core, call).await?;
    twice(core, group, &found).await?;
    let complete = found.complete.len() == group.doubts.len();
    settle(core, group, found).await?;
    Ok(complete)
}

/// Queries the addresses in doubt one by one.
async fn by_address(
    core: &Arc<Core>,
    template: &TemplateId,
    group: &Group,
    keys: &[&EmailKey],
    call: &Call,
    found: &mut DoubtMatches,
) -> Result<(), Failed> {
    for key in keys {
        let Some(email) = group.doubts.get(key) else { continue };
        let mut complete = true;
        for spelling in history_scan::spellings(email) {
            let mut scan = Scan::of_address(core.reader(), &spelling, call);
            while let Some(sights) = scan.next().await? {
                take(core, template, group, sights, found).await?;
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
async fn take(
    core: &Arc<Core>,
    template: &TemplateId,
    group: &Group,
    sights: Vec<Sight>,
    found: &mut DoubtMatches,
) -> Result<(), Failed> {
    for sight in &sights {
        if sight.template_id.as_ref() == Some(template)
            && let Some(key) = sight.key().filter(|k| group.holders.contains_key(k))
            && let Some(at) = sight.reg_date.as_ref().and_then(ServiceTime::start)
        {
            found.copies.entry(key).or_default().push((sight.badge_id.clone(), at));
        }
        if sight.template_id.as_ref() == Some(template)
            && let Some(key) = sight.key().filter(|k| group.doubts.contains_key(k))
        {
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
async fn finished(core: &Core, group: &Group) -> Result<Vec<String>, Failed> {
    let holders: Vec<(BadgeId, String)> = group.holders.values().cloned().collect();
    let finished = core
        .journal
        .read(move |db| {
            let mut issued = db.prepare_cached(
                "SELECT 1 FROM row JOIN job ON job.id = row.job
                 WHERE row.badge = ?1 AND job.kind = 'issue' AND row.bucket = 'issued'",
            )?;
            let mut emails = Vec::new();
            for (badge, email) in holders {
                if issued.exists([badge.wire()])? {
                    emails.push(email);
                }
            }
            Ok(emails)
        })
        .await?;
    Ok(finished)
}

/// Finds holders with a second badge that was accepted together with theirs, although only one was requested: a
/// proxy may have sent the request twice. Only reports it.
async fn twice(core: &Arc<Core>, group: &Group, found: &DoubtMatches) -> Result<(), Failed> {
    let mut pairs: Vec<(BadgeId, EmailKey, BadgeId)> = Vec::new();
    for (key, copies) in &found.copies {
        let Some((mine, _)) = group.holders.get(key) else { continue };
        let Some((_, at)) = copies.iter().find(|(badge, _)| badge == mine) else { continue };
        let other = copies
            .iter()
            .find(|(badge, other)| badge != mine && other.duration_since(*at).abs() <= TOGETHER)
            .map(|(badge, _)| badge.clone());
        pairs.extend(other.map(|other| (mine.clone(), key.clone(), other)));
    }
    if pairs.is_empty() {
        return Ok(());
    }
    let told = core
        .journal
        .write("twice", move |db| {
            let mut told: HashMap<JobId, (u64, BadgeId)> = HashMap::new();
            for (mine, key, other) in pairs {
                let Some((job, no)) = rows::holder_of(db, &mine)? else { continue };
                let known = db
                    .prepare_cached(
                        "SELECT 1 FROM baseline WHERE job = ?1 AND email_key = ?2 AND badge = ?3",
                    )?
                    .exists(params![job.0, key.as_str(), other.wire()])?;
                if known || rows::holder_of(db, &other)?.is_some() {
                    continue;
                }
                let why = Reason::from(Code::IssuedTwice).with("id", other.wire());
                db.prepare_cached("UPDATE row SET why = ?3 WHERE job = ?1 AND no = ?2")?
                    .execute(params![job.0, no as i64, why])?;
                told.entry(job).or_insert((0, other)).0 += 1;
            }
            for (job, (_, other)) in &told {
                let n: i64 = db.query_row(
                    "SELECT count(*) FROM row WHERE job = ?1 AND json_extract(why, '$.code') = ?2",
                    params![job.0, Code::IssuedTwice.name()],
                    |r| r.get(0),
                )?;
                let note = Reason::from(Code::SomeIssuedTwice).with("n", n).with("id", other.wire());
                journal_jobs::set_note(db, *job, Some(&note))?;
            }
            Ok(told)
        })
        .await?;
    for job in told.into_keys() {
        core.changed(job, []);
    }
    Ok(())
}

/// Applies observations, and returns how many badges became Issued.
async fn seen(core: &Arc<Core>, sights: Vec<Sight>) -> Result<u64, Failed> {
    if sights.is_empty() {
        return Ok(0);
    }
    let context = context(core);
    let observed =
        core.journal.write("observe", move |db| apply_observation::observe(db, &context, &sights)).await?;
    let issued = observed.touched.values().flatten().filter(|t| t.bucket == RowStatus::Issued).count();
    tell(core, observed).await?;
    Ok(issued as u64)
}

async fn tell(core: &Arc<Core>, observed: Observed) -> Result<(), Failed> {
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
        let (account, now) = (core.account.key.clone(), core.moment().0.as_second());
        core.journal
            .write("fact", move |db| {
                facts::learn(db, &account, "utc_offset", &offset, Code::WitnessedTime, now, 1)
            })
            .await?;
    }
    Ok(())
}

async fn hidden(core: &Arc<Core>, name: &'static str, evidence: Code) -> Result<(), Failed> {
    let (account, now) = (core.account.key.clone(), core.moment().0.as_second());
    core.journal
        .write("fact", move |db| facts::learn(db, &account, name, "hidden", evidence, now, 1))
        .await?;
    Ok(())
}

async fn one_by_one(core: &Arc<Core>, ids: &[BadgeId], call: &Call) -> Result<(), Failed> {
    for id in ids {
        match history_scan::badge(core.reader(), id, call).await {
            Ok(Some(sight)) => drop(seen(core, vec![sight]).await?),
            Ok(None) => {
                hidden(core, "waiting_by_id", Code::NotById).await?;
                let (context, id) = (context(core), id.clone());
                core.journal
                    .write("not found", move |db| apply_observation::not_found(db, &context, &id))
                    .await?;
            }
            // One broken record says nothing about the others. Other errors would affect them, too.
            Err(ApiError::BadRequest(_) | ApiError::BadInput { .. } | ApiError::Unreadable { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Learns the service's UTC offset with one request, for a badge whose acceptance lapel witnessed. Only the
/// history shows when a badge was accepted.
async fn learn_zone(core: &Arc<Core>, group: &Group, call: &Call) -> Result<(), Failed> {
    if core.reader().clock().is_zone_known() {
        return Ok(());
    }
    let Some(id) = group.bound.first().cloned() else { return Ok(()) };
    let email = core
        .journal
        .read(move |db| {
            db.prepare_cached(
                "SELECT row.email FROM row JOIN request ON request.id = row.request
                 WHERE row.badge = ?1 AND request.heard AND row.tries <= ?2",
            )?
            .query_map(params![id.wire(), 3], |r| r.get::<_, String>(0))?
            .next()
            .transpose()
        })
        .await?;
    if let Some(email) = email {
        let mut scan = Scan::of_address(core.reader(), &email, call).once();
        while let Some(sights) = scan.next().await? {
            let _ = seen(core, sights).await?;
        }
    }
    Ok(())
}

/// If it is unknown whether the history shows waiting badges, looks there for an accepted one. Only if it shows
/// them, a missing badge means something.
async fn learn_shown(core: &Arc<Core>, call: &Call) -> Result<(), Failed> {
    let account = core.account.clone();
    let one = core
        .journal
        .read(move |db| {
            if facts::all(db, &account.key)?.iter().any(|fact| fact.name == WAITING) {
                return Ok(None);
            }
            db.prepare_cached(
                "SELECT row.badge, row.email FROM row JOIN job ON job.id = row.job
                 WHERE job.account = ?1 AND job.base_url = ?2 AND job.kind = 'issue' AND row.bucket = 'waiting'
                   AND row.badge IS NOT NULL AND row.email <> ''
                 ORDER BY row.accepted DESC LIMIT 1",
            )?
            .query_map(params![account.key, account.base_url], |r| Ok((r.get(0)?, r.get(1)?)))?
            .next()
            .transpose()
        })
        .await?;
    let one: Option<(String, String)> = one;
    let Some((badge, email)) = one else { return Ok(()) };
    let Some(badge) = BadgeId::new(badge) else { return Ok(()) };
    let mut scan = Scan::of_address(core.reader(), &email, call);
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

/// A row in doubt.
struct DoubtRow {
    job: JobId,
    no: u64,
    key: EmailKey,
    name: String,
    request: i64,
    doubt: Doubt,
    bucket: RowStatus,
    /// Number of accepted entries and of all entries in its request.
    counts: (i64, i64),
}

/// Resolves what can be resolved. `found` contains every badge of the template that was found.
async fn settle(core: &Arc<Core>, group: &Group, found: DoubtMatches) -> Result<(), Failed> {
    if group.doubts.is_empty() {
        return Ok(());
    }
    let context = context(core);
    let clock = core.reader().clock();
    let zone = clock.is_zone_known().then(|| clock.offset());
    let jobs = group.jobs.clone();
    let observed = core
        .journal
        .write("settle", move |db| {
            let shows = facts::settled(db, &context.account, WAITING)?.as_deref() == Some("shown");
            let accepted = |reg: &Option<ServiceTime>| -> Option<Timestamp> {
                zone?.to_timestamp(reg.as_ref()?.start()?).ok()
            };
            let mut observed = Observed::default();
            let mut requests: HashSet<i64> = HashSet::new();
            for job in &jobs {
                for row in rows_in_doubt(db, *job)? {
                    requests.insert(row.request);
                    let sights = found.by_key.get(&row.key).map_or(&[][..], Vec::as_slice);
                    let mut candidates = Vec::new();
                    for sight in sights {
                        if !is_known(db, *job, &row, &sight.badge_id)? {
                            candidates.push(Candidate {
                                badge_id: sight.badge_id.clone(),
                                accepted: accepted(&sight.reg_date),
                                other_name: sight
                                    .holder
                                    .as_ref()
                                    .is_some_and(|name| resolve::names_differ(&row.name, name.wire())),
                            });
                        }
                    }
                    let look = Look {
                        now: context.now,
                        complete: found.complete.contains(&row.key),
                        shows_waiting: shows,
                    };
                    let judgement = resolve::judge(&row.doubt, &candidates, look, &context.settings);
                    apply(db, &context, &row, judgement, sights, &mut observed)?;
                }
            }
            for request in requests {
                prove(db, request)?;
            }
            Ok(observed)
        })
        .await?;
    tell(core, observed).await
}

fn rows_in_doubt(db: &Connection, job: JobId) -> rusqlite::Result<Vec<DoubtRow>> {
    db.prepare_cached(
        "SELECT row.no, row.email, row.request, row.bucket, row.absent, request.intent, request.heard,
                job.guarded_at IS NOT NULL, row.accepted IS NOT NULL, row.name,
                -- A number that nothing bears out is not believed.
                request.outcome = 'accepted' AND request.accepted > 0 AND request.accepted <=
                    (SELECT count(*) FROM row AS other WHERE other.request = request.id AND other.badge IS NOT NULL)
                    -- What is found may come of an earlier request.
                    AND NOT EXISTS (SELECT 1 FROM row AS other WHERE other.request = request.id AND other.tries > 1),
                request.accepted, request.rows
         FROM row JOIN request ON request.id = row.request JOIN job ON job.id = row.job
         WHERE row.job = ?1 AND row.bucket IN ('in_doubt', 'unbound', 'not_seen')",
    )?
    .query_map([job.0], |r| {
        let bucket = super::super::journal::jobs::bucket(r, "bucket")?;
        Ok(DoubtRow {
            job,
            no: r.get::<_, i64>(0)?.unsigned_abs(),
            key: EmailKey::of(&r.get::<_, String>(1)?),
            name: r.get(9)?,
            request: r.get(2)?,
            doubt: Doubt {
                intent: Timestamp::from_second(r.get(5)?).unwrap_or(Timestamp::UNIX_EPOCH),
                heard: r.get(6)?,
                accepted: bucket == RowStatus::Unbound || r.get::<_, bool>(8)?,
                baseline: r.get(7)?,
                ruled_out: r.get::<_, Option<bool>>(10)?.unwrap_or(false),
                absent: r.get::<_, Option<i64>>(4)?.and_then(|s| Timestamp::from_second(s).ok()),
            },
            bucket,
            counts: (r.get::<_, Option<i64>>(11)?.unwrap_or(0), r.get(12)?),
        })
    })?
    .collect()
}

/// Whether the recipient had the badge before, or another row has it.
fn is_known(db: &Connection, job: JobId, row: &DoubtRow, badge: &BadgeId) -> rusqlite::Result<bool> {
    let before = db
        .prepare_cached("SELECT 1 FROM baseline WHERE job = ?1 AND email_key = ?2 AND badge = ?3")?
        .exists(params![job.0, row.key.as_str(), badge.wire()])?;
    Ok(before || rows::holder_of(db, badge)?.is_some_and(|holder| holder != (row.job, row.no)))
}

fn apply(
    db: &Connection,
    context: &Context,
    row: &DoubtRow,
    judgement: Judgement,
    sights: &[Sight],
    observed: &mut Observed,
) -> rusqlite::Result<()> {
    match judgement {
        Judgement::Bind(badge) => {
            let at = row.doubt.intent.as_second();
            if rows::bind(db, row.job, row.no, &badge, at)? {
                let mine: Vec<Sight> = sights.iter().filter(|s| s.badge_id == badge).cloned().collect();
                let seen = apply_observation::observe(db, context, &mine)?;
                for (job, touched) in seen.touched {
                    observed.touched.entry(job).or_default().extend(touched);
                }
                observed.ready.extend(seen.ready);
                observed.ready.insert(row.job);
            }
        }
        Judgement::Ambiguous => {
            rows::set(db, row.job, row.no, RowStatus::Ask, Some(&Code::Ambiguous.into()))?;
        }
        Judgement::HoldsAlready(_) => {
            rows::set(db, row.job, row.no, RowStatus::Ask, Some(&Code::HoldsOlder.into()))?;
        }
        Judgement::NotAccepted => {
            let (accepted, sent) = row.counts;
            let why = Reason::from(Code::NotAmongThem).with("accepted", accepted).with("sent", sent);
            rows::set(db, row.job, row.no, RowStatus::Dropped, Some(&why))?;
            observed.ready.insert(row.job);
        }
        Judgement::Absent => {
            db.prepare_cached("UPDATE row SET absent = ?3 WHERE job = ?1 AND no = ?2")?.execute(params![
                row.job.0,
                row.no as i64,
                context.now.as_second()
            ])?;
        }
        Judgement::NotSeen if row.bucket != RowStatus::NotSeen => {
            let over = context.now.duration_since(row.doubt.intent) >= context.settings.doubt_window;
            let why = if over { Code::WindowOver } else { Code::Absent };
            rows::set(db, row.job, row.no, RowStatus::NotSeen, Some(&why.into()))?;
            observed.ready.insert(row.job);
        }
        Judgement::NotSeen | Judgement::Open => {}
    }
    Ok(())
}

/// If some rows of a request were found, the others may not have been accepted: a service may accept a part. They
/// stay in doubt, with a reason that says so.
fn prove(db: &Connection, request: i64) -> rusqlite::Result<()> {
    let (found, rows, outcome): (i64, i64, Option<String>) = db
        .prepare_cached(
            "SELECT (SELECT count(*) FROM row WHERE request = ?1 AND badge IS NOT NULL), rows, outcome
             FROM request WHERE id = ?1",
        )?
        .query_row([request], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
    let code = match outcome.as_deref() {
        // The response already gave the reason for the others.
        Some("accepted") => return Ok(()),
        Some("refused") => Code::PartlyThere,
        _ => Code::SomeThere,
    };
    if found > 0 {
        let why = Reason::from(code).with("found", found).with("rows", rows);
        db.prepare_cached("UPDATE row SET why = ?2 WHERE request = ?1 AND bucket = 'in_doubt'")?
            .execute(params![request, why])?;
    }
    Ok(())
}

/// Badges to revoke when they are Issued, and badges with a sent revocation and its time.
type Revocations = (Vec<BadgeId>, Vec<(BadgeId, i64)>);

async fn revocations(core: &Core, due: &[JobId]) -> Result<Revocations, Failed> {
    let ids = due.to_vec();
    let found = core
        .journal
        .read(move |db| {
            let (mut queued, mut sent) = (Vec::new(), Vec::new());
            for id in ids {
                let mut open = db.prepare_cached(&format!(
                    "SELECT row.badge, row.bucket, coalesce(request.intent, 0)
                     FROM row JOIN job ON job.id = row.job LEFT JOIN request ON request.id = row.request
                     WHERE row.job = ?1 AND job.kind = 'revoke' AND row.badge IS NOT NULL
                       AND row.bucket IN ('queued', 'unproven', 'in_doubt', 'revoking')
                       AND NOT (row.bucket = 'queued' AND {})",
                    apply_observation::WAITS
                ))?;
                let mut rows = open.query([id.0])?;
                while let Some(row) = rows.next()? {
                    let Some(badge) = BadgeId::new(row.get::<_, String>(0)?) else { continue };
                    if row.get_ref(1)?.as_str()? == RowStatus::Queued.code() {
                        queued.push(badge);
                    } else {
                        sent.push((badge, row.get(2)?));
                    }
                }
            }
            Ok((queued, sent))
        })
        .await?;
    Ok(found)
}

/// Polls badges with a sent revocation: a few one by one. For many, it first reads the history filtered by revoke
/// date, and then the rest one by one.
async fn revoked(core: &Arc<Core>, sent: Vec<(BadgeId, i64)>, call: &Call) -> Result<(), Failed> {
    let mut rest: Vec<BadgeId> = sent.iter().map(|(id, _)| id.clone()).collect();
    if rest.len() > ONE_BY_ONE {
        let clock = core.reader().clock();
        let day = |s: Option<i64>| {
            s.and_then(|s| Timestamp::from_second(s).ok()).map(|t| clock.offset().to_datetime(t).date())
        };
        let first = day(sent.iter().map(|(_, at)| *at).min());
        // The service's UTC offset may be unknown, so add a day before and a day after.
        let filter = HistoryFilter {
            revoke_start_date: first.and_then(|d| d.checked_sub(1.day()).ok()),
            revoke_end_date: clock.now().date().checked_add(1.day()).ok(),
            ..HistoryFilter::default()
        };
        let mut wanted: HashSet<BadgeId> = rest.iter().cloned().collect();
        let mut scan = Scan::new(core.reader(), filter, call).once();
        let mut page = scan.next().await?;
        // More pages than badges: others revoke badges, too.
        let cheap = scan.left() <= rest.len() as u64;
        while let Some(sights) = page {
            // The contract does not explain the filter, so only rows with a revocation count.
            let revoked: Vec<Sight> =
                sights.into_iter().filter(|s| s.revoke_at.is_some() && wanted.remove(&s.badge_id)).collect();
            let _ = seen(core, revoked).await?;
            page = if cheap && !wanted.is_empty() { scan.next().await? } else { None };
        }
        rest.retain(|id| wanted.contains(id));
    }
    one_by_one(core, &rest, call).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_accepted_rows_counts_only_where_a_badge_bears_it_out() {
        for (accepted, found, ruled_out) in [(1, "'B1'", true), (2, "'B1'", false), (0, "NULL", false)] {
            let db = Connection::open_in_memory().expect("a database");
            db.execute_batch(include_str!("../journal/schema.sql")).expect("schema 1");
            db.execute_batch(&format!(
                "INSERT INTO job (id, kind, phase, created, profile, base_url, account, title)
                 VALUES (1, 'issue', 'running', 0, 'p', 'u', 'a', 't');
                 INSERT INTO request (id, job, rows, sha256, intent, heard, outcome, accepted)
                 VALUES (7, 1, 2, '', 0, 1, 'accepted', {accepted});
                 INSERT INTO row (job, no, name, email, email_key, badge, bucket, request)
                 VALUES (1, 1, '', 'a@x.kr', '', {found}, 'waiting', 7), (1, 2, '', 'b@x.kr', '', NULL, 'in_doubt', 7)"
            ))
            .expect("rows");
            let rows = rows_in_doubt(&db, JobId(1)).expect("read");
            assert_eq!(
                rows.iter().map(|row| row.doubt.ruled_out).collect::<Vec<_>>(),
                [ruled_out],
                "{accepted}"
            );
        }
    }
}
