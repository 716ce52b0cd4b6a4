//! What to poll, and when to poll again.

use super::facts;
use super::jobs::{self, Account};
use super::observe::WAITS;
use super::rows;
use crate::domain::{BadgeId, EmailKey, TemplateId, Text};
use crate::jobs::job::{JobId, RowStatus};
use crate::jobs::reason::{Code, Reason};
use crate::jobs::schedule::{self, Polling, Schedule};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A process's open jobs and the time of their next poll.
pub(super) fn open_jobs(db: &Connection, me: &str) -> rusqlite::Result<Vec<(JobId, Option<Timestamp>)>> {
    let row_statuses: Vec<String> = RowStatus::ALL
        .iter()
        .filter(|b| b.is_open() && **b != RowStatus::Sending)
        .map(|b| format!("'{}'", b.code()))
        .collect();
    db.prepare_cached(&format!(
        "SELECT id, next_look FROM job WHERE owner = ?1 AND phase <> 'draft'
           AND EXISTS (SELECT 1 FROM tally WHERE job = job.id AND n > 0 AND bucket IN ({}))",
        row_statuses.join(",")
    ))?
    .query_map([me], |r| Ok((JobId(r.get(0)?), jobs::moment(r, "next_look")?)))?
    .collect()
}

/// The end of a poll.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct ScheduleNext {
    pub(in crate::jobs) jobs: Vec<JobId>,
    pub(in crate::jobs) schedule: Schedule,
    /// The service's time.
    pub(in crate::jobs) now: Timestamp,
    /// Why the poll failed, and the latest time of the next one: it comes soon instead of in a day.
    pub(in crate::jobs) failed: Option<(Reason, Timestamp)>,
}

/// Sets the time of the jobs' next poll and the result of the last one.
pub(super) fn schedule_next(db: &Connection, args: &ScheduleNext) -> rusqlite::Result<()> {
    let ScheduleNext { jobs: ids, schedule, now, failed } = args;
    for id in ids {
        let next = next_poll(db, schedule, *id, *now)?;
        let next = match failed {
            Some((_, soon)) => next.map(|next| next.min(*soon)),
            None => next,
        };
        jobs::set_next_poll(db, *id, next)?;
        jobs::set_poll_note(db, *id, failed.as_ref().map(|(why, _)| why))?;
    }
    Ok(())
}

/// The job's next poll: the earliest time among its open rows.
fn next_poll(
    db: &Connection,
    schedule: &Schedule,
    id: JobId,
    now: Timestamp,
) -> rusqlite::Result<Option<Timestamp>> {
    let mut next = None;
    for (what, row_statuses, since) in [
        (Polling::Issue, "'waiting', 'overdue', 'other'", "accepted"),
        (Polling::Issue, "'queued'", "(SELECT created / 1000 FROM job WHERE id = row.job)"),
        (
            Polling::Doubt,
            "'in_doubt', 'unbound', 'not_seen'",
            "(SELECT intent FROM request WHERE id = row.request)",
        ),
        (
            Polling::Revoke,
            "'unproven', 'revoking'",
            "(SELECT coalesce(answered, intent) FROM request WHERE id = row.request)",
        ),
    ] {
        let sql =
            format!("SELECT max({since}), count(*) FROM row WHERE job = ?1 AND bucket IN ({row_statuses})");
        let (since, rows): (Option<i64>, i64) =
            db.prepare_cached(&sql)?.query_row(params![id.0], |r| Ok((r.get(0)?, r.get(1)?)))?;
        if rows > 0 {
            let since = since.and_then(|s| Timestamp::from_second(s).ok()).unwrap_or(now);
            let at = schedule::next(schedule, what, since, now);
            next = Some(next.map_or(at, |n: Timestamp| n.min(at)));
        }
    }
    Ok(next)
}

/// The open rows of one template.
#[derive(Debug, Default)]
pub(in crate::jobs) struct Group {
    pub(in crate::jobs) title: Text,
    pub(in crate::jobs) jobs: HashSet<JobId>,
    pub(in crate::jobs) bound: Vec<BadgeId>,
    /// Holders of the accepted badges: badge id and address.
    pub(in crate::jobs) holders: HashMap<EmailKey, (BadgeId, String)>,
    pub(in crate::jobs) doubts: HashMap<EmailKey, String>,
}

/// The open rows of issue jobs by template.
pub(super) fn poll_targets(db: &Connection, ids: &[JobId]) -> rusqlite::Result<HashMap<TemplateId, Group>> {
    let mut groups: HashMap<TemplateId, Group> = HashMap::new();
    for id in ids {
        let found: Option<(Option<String>, String)> = db
            .prepare_cached("SELECT template, title FROM job WHERE id = ?1 AND kind = 'issue'")?
            .query_row([id.0], |r| Ok((r.get(0)?, r.get(1)?)))
            .optional()?;
        let Some((Some(template), title)) = found else { continue };
        let Some(template) = TemplateId::new(template) else { continue };
        let group = groups.entry(template).or_default();
        group.title = Text::new(title);
        group.jobs.insert(*id);
        let mut open = db.prepare_cached(
            "SELECT badge, email FROM row WHERE job = ?1
               AND bucket IN ('waiting', 'overdue', 'other', 'in_doubt', 'unbound', 'not_seen')",
        )?;
        let mut rows = open.query([id.0])?;
        while let Some(row) = rows.next()? {
            let email: String = row.get(1)?;
            match row.get::<_, Option<String>>(0)?.and_then(BadgeId::new) {
                Some(badge) => {
                    group.holders.insert(EmailKey::of(&email), (badge.clone(), email));
                    group.bound.push(badge);
                }
                None => drop(group.doubts.insert(EmailKey::of(&email), email)),
            }
        }
    }
    Ok(groups)
}

/// Badges to revoke when they are Issued, and badges with a sent revocation and its time.
pub(in crate::jobs) type Revocations = (Vec<BadgeId>, Vec<(BadgeId, i64)>);

/// The open rows of revocations.
pub(super) fn revoke_targets(db: &Connection, ids: &[JobId]) -> rusqlite::Result<Revocations> {
    let (mut queued, mut sent) = (Vec::new(), Vec::new());
    for id in ids {
        let mut open = db.prepare_cached(&format!(
            "SELECT row.badge, row.bucket, coalesce(request.intent, 0)
             FROM row JOIN job ON job.id = row.job LEFT JOIN request ON request.id = row.request
             WHERE row.job = ?1 AND job.kind = 'revoke' AND row.badge IS NOT NULL
               AND row.bucket IN ('queued', 'unproven', 'in_doubt', 'revoking')
               AND NOT (row.bucket = 'queued' AND {WAITS})"
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
}

/// The settled value of a fact, and when the oldest waiting badge of these jobs was accepted.
pub(super) fn first_accepted(
    db: &Connection,
    account: &str,
    fact: &str,
    ids: &[JobId],
) -> rusqlite::Result<(Option<String>, Option<i64>)> {
    let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let first = db
        .prepare_cached(
            "SELECT min(accepted) FROM row
             WHERE job IN (SELECT value FROM json_each(?1)) AND bucket IN ('waiting', 'overdue')",
        )?
        .query_row([super::json(&ids)], |r| r.get(0))?;
    Ok((facts::settled(db, account, fact)?, first))
}

/// Which of these badges are Issued.
pub(super) fn issued(db: &Connection, badges: &[BadgeId]) -> rusqlite::Result<HashSet<BadgeId>> {
    let badges: Vec<&str> = badges.iter().map(BadgeId::wire).collect();
    let issued: Vec<String> = db
        .prepare_cached(
            "SELECT badge FROM row JOIN job ON job.id = row.job
             WHERE row.badge IN (SELECT value FROM json_each(?1)) AND job.kind = 'issue' AND row.bucket = 'issued'",
        )?
        .query_map([super::json(&badges)], |r| r.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(issued.into_iter().filter_map(BadgeId::new).collect())
}

/// The address of a badge's row if its request was timed by the service's clock, after few attempts.
pub(super) fn timed_email(db: &Connection, badge: &BadgeId) -> rusqlite::Result<Option<String>> {
    db.prepare_cached(
        "SELECT row.email FROM row JOIN request ON request.id = row.request
         WHERE row.badge = ?1 AND request.heard AND row.tries <= 3 LIMIT 1",
    )?
    .query_row([badge.wire()], |r| r.get(0))
    .optional()
}

/// The newest waiting badge of a service and key, and its address; `None` if a fact of this name is known.
pub(super) fn waiting_badge(
    db: &Connection,
    account: &Account,
    fact: &str,
) -> rusqlite::Result<Option<(BadgeId, String)>> {
    if facts::all(db, &account.key)?.iter().any(|known| known.name == fact) {
        return Ok(None);
    }
    let found: Option<(String, String)> = db
        .prepare_cached(
            "SELECT row.badge, row.email FROM row JOIN job ON job.id = row.job
             WHERE job.account = ?1 AND job.base_url = ?2 AND job.kind = 'issue' AND row.bucket = 'waiting'
               AND row.badge IS NOT NULL AND row.email <> ''
             ORDER BY row.accepted DESC LIMIT 1",
        )?
        .query_row(params![account.key, account.base_url], |r| Ok((r.get(0)?, r.get(1)?)))
        .optional()?;
    Ok(found.and_then(|(badge, email)| Some((BadgeId::new(badge)?, email))))
}

/// A second badge of a holder that was accepted together with the first.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct SecondBadge {
    pub(in crate::jobs) badge: BadgeId,
    pub(in crate::jobs) key: EmailKey,
    pub(in crate::jobs) second: BadgeId,
}

/// Notes second badges that no row and no earlier reading accounts for. Returns the jobs with such badges.
pub(super) fn note_second_badges(db: &Connection, found: &[SecondBadge]) -> rusqlite::Result<Vec<JobId>> {
    let mut noted: BTreeMap<JobId, &BadgeId> = BTreeMap::new();
    for SecondBadge { badge, key, second } in found {
        let Some((job, no)) = rows::holder_of(db, badge)? else { continue };
        let known = db
            .prepare_cached("SELECT 1 FROM baseline WHERE job = ?1 AND email_key = ?2 AND badge = ?3")?
            .exists(params![job.0, key.as_str(), second.wire()])?;
        if known || rows::holder_of(db, second)?.is_some() {
            continue;
        }
        let why = Reason::from(Code::IssuedTwice).with("id", second.wire());
        db.prepare_cached("UPDATE row SET why = ?3 WHERE job = ?1 AND no = ?2")?
            .execute(params![job.0, no as i64, why])?;
        noted.entry(job).or_insert(second);
    }
    for (job, second) in &noted {
        let n: i64 = db.query_row(
            "SELECT count(*) FROM row WHERE job = ?1 AND json_extract(why, '$.code') = ?2",
            params![job.0, Code::IssuedTwice.name()],
            |r| r.get(0),
        )?;
        let note = Reason::from(Code::SomeIssuedTwice).with("n", n).with("id", second.wire());
        jobs::set_note(db, *job, Some(&note))?;
    }
    Ok(noted.into_keys().collect())
}
