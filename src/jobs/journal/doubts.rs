//! Resolves rows in doubt by the badges that a poll found.

use super::facts;
use super::jobs;
use super::observe::{self, Context, Observed};
use super::rows;
use crate::domain::{BadgeId, EmailKey, ServiceTime};
use crate::jobs::history_scan::Sight;
use crate::jobs::job::{JobId, RowStatus};
use crate::jobs::reason::{Code, Reason};
use crate::jobs::resolve::{self, Candidate, Doubt, Judgement, Scan};
use jiff::Timestamp;
use jiff::tz::Offset;
use rusqlite::{Connection, params};
use std::collections::{HashMap, HashSet};

/// The fact that tells whether the history shows waiting badges.
pub(in crate::jobs) const WAITING: &str = "waiting_in_history";

/// Badges that a poll found for addresses in doubt.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct ResolveDoubts {
    pub(in crate::jobs) context: Context,
    pub(in crate::jobs) jobs: HashSet<JobId>,
    /// All found badges of the jobs' template.
    pub(in crate::jobs) found: HashMap<EmailKey, Vec<Sight>>,
    /// Addresses for which everything was read.
    pub(in crate::jobs) complete: HashSet<EmailKey>,
    /// The service's UTC offset, if it is known.
    pub(in crate::jobs) zone: Option<Offset>,
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

/// Resolves what can be resolved.
pub(super) fn resolve_doubts(db: &Connection, args: &ResolveDoubts) -> rusqlite::Result<Observed> {
    let ResolveDoubts { context, jobs, found, complete, zone } = args;
    let shows_waiting = facts::settled(db, &context.account, WAITING)?.as_deref() == Some("shown");
    let accepted = |reg: &Option<ServiceTime>| -> Option<Timestamp> {
        zone.as_ref()?.to_timestamp(reg.as_ref()?.start()?).ok()
    };
    let mut observed = Observed::default();
    let mut requests: HashSet<i64> = HashSet::new();
    for job in jobs {
        for row in rows_in_doubt(db, *job)? {
            requests.insert(row.request);
            let sights = found.get(&row.key).map_or(&[][..], Vec::as_slice);
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
            let scan = Scan { now: context.now, complete: complete.contains(&row.key), shows_waiting };
            let judgement = resolve::judge(&row.doubt, &candidates, scan, &context.settings);
            apply(db, context, &row, judgement, sights, &mut observed)?;
        }
    }
    for request in requests {
        prove(db, request)?;
    }
    Ok(observed)
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
        let bucket = jobs::bucket(r, "bucket")?;
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
            if !rows::bind(db, row.job, &[(row.no, &badge)], at)?.is_empty() {
                let mine: Vec<Sight> = sights.iter().filter(|s| s.badge_id == badge).cloned().collect();
                let seen = observe::observe(db, context, &mine)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_count_needs_a_bound_badge() {
        for (accepted, found, ruled_out) in [(1, "'B1'", true), (2, "'B1'", false), (0, "NULL", false)] {
            let db = Connection::open_in_memory().expect("a database");
            db.execute_batch(include_str!("schema.sql")).expect("schema 1");
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
