//! What to poll, and when to poll again.

use super::observe::WAITS;
use super::{behaviour, conditions, jobs, refusals, rows};
use crate::jobs::journal::prelude::*;
use crate::jobs::schedule::{self, Polling, Schedule};
use std::fmt::Display;

/// A process's open jobs and the time of their next poll.
pub(super) fn open_jobs(db: &Tx<'_>, me: &str) -> tx::Result<Vec<(JobId, Option<Timestamp>)>> {
    let row_statuses = conditions::statuses(|it| it.is_open() && it != RowStatus::Sending);
    db.rows(
        &format!(
            "SELECT id, next_look FROM job WHERE owner = ?1 AND phase <> 'draft'
           AND (EXISTS (SELECT 1 FROM tally WHERE job = job.id AND n > 0 AND bucket IN ({row_statuses}))
                OR unproven IS NOT NULL AND NOT purged)"
        ),
        values![me],
        |r| Ok((r.get(0)?, jobs::moment(r, "next_look")?)),
    )
}

/// What a poll could not read.
#[derive(Debug)]
pub(in crate::jobs) struct NotRead {
    /// Why the poll failed, and the latest time of the next one, which comes soon instead of in a day.
    pub(in crate::jobs) failed: Option<(Reason, Timestamp)>,
    /// Single badges, and why.
    pub(in crate::jobs) badges: Option<(Vec<BadgeId>, Reason)>,
    /// The jobs whose history was not read to its end.
    pub(in crate::jobs) history_of: HashSet<JobId>,
}

#[derive(Debug)]
pub(in crate::jobs) struct ScheduleNext {
    pub(in crate::jobs) me: String,
    /// The jobs of a poll.
    pub(in crate::jobs) jobs: Vec<JobId>,
    pub(in crate::jobs) schedule: Schedule,
    /// The service's time.
    pub(in crate::jobs) now: Timestamp,
    pub(in crate::jobs) not_read: NotRead,
}

/// Sets the time of the jobs' next poll, and notes what the last one could not read.
pub(super) fn schedule_next(db: &Tx<'_>, args: &ScheduleNext) -> tx::Result<()> {
    let ScheduleNext { me, jobs: polled, schedule, now, not_read } = args;
    for id in jobs::owned(db, polled, me)? {
        let next = next_poll(db, schedule, id, *now)?;
        let next = match &not_read.failed {
            Some((_, soon)) => next.map(|next| next.min(*soon)),
            None => next,
        };
        jobs::set_next_poll(db, id, next)?;
        jobs::set_poll_note(db, id, poll_note(db, id, not_read)?.as_ref())?;
    }
    Ok(())
}

fn poll_note(db: &Tx<'_>, id: JobId, not_read: &NotRead) -> tx::Result<Option<Reason>> {
    if let Some((why, _)) = &not_read.failed {
        return Ok(Some(why.clone()));
    }
    if let Some((badges, why)) = &not_read.badges
        && let Some(note) = unread_note(db, id, badges, why)?
    {
        return Ok(Some(note));
    }
    // Only what is in doubt is looked for in the whole history.
    let is_partial = not_read.history_of.contains(&id)
        && db
            .exists(&format!("SELECT 1 FROM row WHERE job = ?1 AND {}", in_doubt(db, id)?), values![id.0])?;
    Ok(is_partial.then(|| Code::PartOfHistory.into()))
}

/// `None` if none of the badges is in the job.
fn unread_note(db: &Tx<'_>, id: JobId, badges: &[BadgeId], why: &Reason) -> tx::Result<Option<Reason>> {
    let n: i64 = db.one(
        "SELECT count(*) FROM row WHERE job = ?1 AND badge IN json_list(?2, text)
           AND bucket IN ('waiting', 'overdue', 'other', 'queued', 'unproven', 'revoking')",
        values![id.0, super::json_ids(badges)],
    )?;
    Ok((n > 0).then(|| could_not_read(n, why)))
}

/// What a check says of badges that it could not read.
pub(in crate::jobs) fn could_not_read(n: impl Display, why: &Reason) -> Reason {
    Reason::from(Code::PollUnread).with("n", n).because("why", why.clone())
}

/// SQL for the rows of a job that may have a badge which is not known, also of refusals without a proof. `?1` is the job.
fn in_doubt(db: &Tx<'_>, id: JobId) -> tx::Result<String> {
    let doubts = "bucket IN ('in_doubt', 'unbound', 'not_seen')";
    Ok(match refusals::rows_of(db, id)? {
        Some(refused) => format!("({doubts} OR bucket = 'ready' AND {refused})"),
        None => doubts.to_owned(),
    })
}

/// The job's next poll: the earliest of the polls that its open rows need. The newest row of each kind sets
/// the time for its kind.
fn next_poll(db: &Tx<'_>, schedule: &Schedule, id: JobId, now: Timestamp) -> tx::Result<Option<Timestamp>> {
    let mut next = None;
    // A poll may read the pages of all of them, also for a few that are open.
    let all: Option<u64> =
        db.one("SELECT CAST(sum(n) AS BIGINT) FROM tally WHERE job = ?1", values![id.0])?;
    for (what, rows, since) in [
        (Polling::Issue, "bucket IN ('waiting', 'overdue', 'other')", "accepted"),
        (Polling::Issue, "bucket = 'queued'", "(SELECT created / 1000 FROM job WHERE id = row.job)"),
        (Polling::Doubt, &*in_doubt(db, id)?, "(SELECT intent FROM request WHERE id = row.request)"),
        (
            Polling::Revoke,
            "bucket IN ('unproven', 'revoking')",
            // The newest request of any job is the revocation: the job that issued the badge is polled together with it.
            "(SELECT max(coalesce(request.answered, request.intent))
              FROM row AS sent JOIN request ON request.id = sent.request WHERE sent.badge = row.badge)",
        ),
    ] {
        let sql = format!("SELECT max({since}), count(*) FROM row WHERE job = ?1 AND {rows}");
        let (since, rows): (Option<i64>, i64) = db.one(&sql, values![id.0])?;
        if rows > 0 {
            let since = since.and_then(|s| Timestamp::from_second(s).ok()).unwrap_or(now);
            let at = schedule::next(schedule, what, all.unwrap_or(0), since, now);
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

pub(super) fn poll_targets(db: &Tx<'_>, ids: &[JobId]) -> tx::Result<HashMap<TemplateId, Group>> {
    let mut groups: HashMap<TemplateId, Group> = HashMap::new();
    for id in ids {
        let found: Option<(Option<String>, Text)> =
            db.first("SELECT template, title FROM job WHERE id = ?1 AND kind = 'issue'", values![id.0])?;
        let Some((Some(template), title)) = found else { continue };
        let Some(template) = TemplateId::new(template) else { continue };
        let group = groups.entry(template).or_default();
        group.title = title;
        group.jobs.insert(*id);
        let open: Vec<(Option<String>, String)> = db.all(
            // Nobody can be looked for whose address was removed.
            &format!(
                "SELECT badge, email FROM row WHERE job = ?1 AND (badge IS NOT NULL OR email <> '')
                   AND (bucket IN ('waiting', 'overdue', 'other') OR {})",
                in_doubt(db, *id)?
            ),
            values![id.0],
        )?;
        for (badge, email) in open {
            match badge.and_then(BadgeId::new) {
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

/// Badges to revoke when they are Issued, and badges with a sent revocation and the time of its request.
pub(in crate::jobs) type Revocations = (Vec<BadgeId>, BTreeMap<BadgeId, i64>);

/// Also of issue jobs: the job that revokes their badges may have another owner. Each badge once.
pub(super) fn revoke_targets(db: &Tx<'_>, ids: &[JobId]) -> tx::Result<Revocations> {
    let (mut queued, mut sent) = (Vec::new(), BTreeMap::new());
    for id in ids {
        let sql = format!(
            "SELECT row.badge, row.bucket, coalesce(request.intent, 0)
             FROM row JOIN job ON job.id = row.job LEFT JOIN request ON request.id = row.request
             WHERE row.job = ?1 AND row.badge IS NOT NULL
               AND (row.bucket = 'revoking'
                    OR job.kind = 'revoke' AND row.bucket IN ('queued', 'unproven', 'in_doubt')
                       AND NOT (row.bucket = 'queued' AND {WAITS}))"
        );
        let open: Vec<(String, String, i64)> = db.all(&sql, values![id.0])?;
        for (badge, bucket, intent) in open {
            let Some(badge) = BadgeId::new(badge) else { continue };
            if bucket == RowStatus::ToRevoke.code() {
                queued.push(badge);
            } else {
                // The request that issued the badge was earlier.
                let at = sent.entry(badge).or_insert(intent);
                *at = intent.max(*at);
            }
        }
    }
    Ok((queued, sent))
}

/// The settled value of a fact, and when the oldest waiting badge of these jobs was accepted.
pub(super) fn first_accepted(
    db: &Tx<'_>,
    account: &str,
    fact: &str,
    ids: &[JobId],
) -> tx::Result<(Option<String>, Option<i64>)> {
    let first = db.one(
        "SELECT min(accepted) FROM row
             WHERE job IN json_list(?1, bigint) AND bucket IN ('waiting', 'overdue')",
        values![super::json(ids)],
    )?;
    Ok((behaviour::settled(db, account, fact)?, first))
}

pub(super) fn issued(db: &Tx<'_>, badges: &[BadgeId]) -> tx::Result<HashSet<BadgeId>> {
    let issued: Vec<String> = db.all(
        "SELECT badge FROM row JOIN job ON job.id = row.job
             WHERE row.badge IN json_list(?1, text) AND job.kind = 'issue' AND row.bucket = 'issued'",
        values![super::json_ids(badges)],
    )?;
    Ok(issued.into_iter().filter_map(BadgeId::new).collect())
}

/// The address of a badge's row if its request was timed by the service's clock, after at most 3 attempts.
pub(super) fn timed_email(db: &Tx<'_>, badge: &BadgeId) -> tx::Result<Option<String>> {
    db.first(
        "SELECT row.email FROM row JOIN request ON request.id = row.request
         WHERE row.badge = ?1 AND request.heard AND row.tries <= 3 LIMIT 1",
        values![badge.wire()],
    )
}

/// The newest waiting badge of a service and key, and its address; `None` if a fact of this name is known.
pub(super) fn waiting_badge(
    db: &Tx<'_>,
    account: &Account,
    fact: &str,
) -> tx::Result<Option<(BadgeId, String)>> {
    if behaviour::all(db, &account.of_facts())?.iter().any(|known| known.name == fact) {
        return Ok(None);
    }
    let found: Option<(String, String)> = db.first(
        "SELECT row.badge, row.email FROM row JOIN job ON job.id = row.job
             WHERE job.account = ?1 AND job.base_url = ?2 AND job.kind = 'issue' AND row.bucket = 'waiting'
               AND row.badge IS NOT NULL AND row.email <> ''
             ORDER BY row.accepted DESC NULLS LAST LIMIT 1",
        values![account.key, account.base_url],
    )?;
    Ok(found.and_then(|(badge, email)| Some((BadgeId::new(badge)?, email))))
}

/// A second badge of a holder that was accepted together with the first.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct SecondBadge {
    pub(in crate::jobs) badge: BadgeId,
    pub(in crate::jobs) key: EmailKey,
    pub(in crate::jobs) second: BadgeId,
}

/// Notes second badges that no row and no earlier reading accounts for. Returns the jobs of this process with such badges.
pub(super) fn note_second_badges(db: &Tx<'_>, found: &[SecondBadge], me: &str) -> tx::Result<Vec<JobId>> {
    let mut noted: BTreeMap<JobId, &BadgeId> = BTreeMap::new();
    for SecondBadge { badge, key, second } in found {
        let Some((job, no)) = rows::holder_of(db, badge)? else { continue };
        let known = db.exists(
            "SELECT 1 FROM baseline WHERE job = ?1 AND email_key = ?2 AND badge = ?3",
            values![job.0, key.as_str(), second.wire()],
        )?;
        if known || rows::holder_of(db, second)?.is_some() || !jobs::is_owned(db, job, me)? {
            continue;
        }
        let why = Reason::from(Code::IssuedTwice).with("id", second.wire());
        db.execute("UPDATE row SET why = ?3 WHERE job = ?1 AND no = ?2", values![job.0, no, why])?;
        noted.entry(job).or_insert(second);
    }
    for (job, second) in &noted {
        let n: i64 = db.one(
            "SELECT count(*) FROM row WHERE job = ?1 AND reason_code(why) = ?2",
            values![job.0, Code::IssuedTwice.name()],
        )?;
        let note = Reason::from(Code::SomeIssuedTwice).with("n", n).with("id", second.wire());
        jobs::set_note(db, *job, &note)?;
    }
    Ok(noted.into_keys().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::job::Kind;
    use crate::jobs::journal::rows::NewRow;
    use crate::jobs::journal::tests::statements::{draft_of, journal};

    #[test]
    fn nobody_is_looked_for_without_an_address() {
        let connection = journal();
        let db = Tx::on(&connection);
        let row = |email: &str| NewRow { name: "n".into(), email: email.into(), ..NewRow::default() };
        let job = draft_of(&db, Kind::Issue, &[row("p@x.example"), row("q@x.example")]);
        db.execute("UPDATE row SET bucket = 'in_doubt'", values![]).expect("in doubt");
        db.execute("UPDATE row SET name = '', email = '', email_key = '' WHERE no = 2", values![])
            .expect("purged");
        let groups = poll_targets(&db, &[job]).expect("read");
        let doubts: Vec<&str> =
            groups.values().flat_map(|group| group.doubts.values()).map(|it| &**it).collect();
        assert_eq!(doubts, ["p@x.example"]);
    }

    #[test]
    fn a_job_is_large_by_all_of_its_rows_and_not_by_those_that_wait() {
        let connection = journal();
        let db = Tx::on(&connection);
        let rows = [NewRow { name: "n".into(), email: "p@x.example".into(), ..NewRow::default() }];
        let job = draft_of(&db, Kind::Issue, &rows);
        db.execute("UPDATE row SET bucket = 'waiting', accepted = 0", values![]).expect("accepted");
        let next = || {
            let after_ten_minutes = Timestamp::from_second(600).expect("a time");
            let next = next_poll(&db, &Schedule::default(), job, after_ten_minutes).expect("read");
            next.expect("a poll").as_second() / 60
        };
        assert_eq!(next(), 15);
        db.execute("INSERT INTO tally (job, bucket, n) VALUES (?1, 'issued', 5000)", values![job.0])
            .expect("counted");
        assert_eq!(next(), 30);
    }

    /// Its two jobs may have two owners, or be polled in one check.
    #[test]
    fn a_badge_that_is_being_revoked_is_read_with_each_of_its_jobs_and_once_with_both() {
        let connection = journal();
        let db = Tx::on(&connection);
        let row =
            NewRow { badge: BadgeId::new("B1"), row_status: Some(RowStatus::Revoking), ..NewRow::default() };
        let [issue, revoke] =
            [Kind::Issue, Kind::Revoke].map(|kind| draft_of(&db, kind, std::slice::from_ref(&row)));
        for (job, at) in [(issue, 60), (revoke, 86_400)] {
            db.script(&format!(
                "INSERT INTO request (id, job, rows, sha256, intent, heard) VALUES ({job}, {job}, 1, '', {at}, TRUE);
                 UPDATE row SET request = {job} WHERE job = {job}"
            ))
            .expect("sent");
        }
        let read = |jobs: &[JobId]| -> Vec<i64> {
            let (queued, sent) = revoke_targets(&db, jobs).expect("read");
            assert_eq!((queued.len(), sent.keys().next()), (0, row.badge.as_ref()));
            sent.into_values().collect()
        };
        assert_eq!((read(&[issue]), read(&[revoke])), (vec![60], vec![86_400]));
        assert_eq!((read(&[issue, revoke]), read(&[revoke, issue])), (vec![86_400], vec![86_400]));

        let now = Timestamp::from_second(86_400 + 130).expect("a time");
        let next = |job| next_poll(&db, &Schedule::default(), job, now).expect("read").expect("a poll");
        assert_eq!((next(issue), next(revoke).as_second()), (next(revoke), 86_400 + 300));
    }
}
