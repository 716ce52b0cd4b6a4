//! Resolves rows in doubt by the badges that a poll found.

use super::observe::{self, ObserveContext, Observed};
use super::rows::{self, Binding};
use super::{behaviour, jobs, lost_writes, refusals};
use crate::jobs::journal::prelude::*;
use crate::jobs::judge_doubt::{self, BadgeCandidate, Doubt, Judgement, ScanResult};
use crate::jobs::seen_badge::SeenBadge;

/// Badges that a poll found for addresses in doubt.
pub(in crate::jobs) struct ResolveDoubts {
    pub(in crate::jobs) context: ObserveContext,
    pub(in crate::jobs) jobs: HashSet<JobId>,
    /// All found badges of the jobs' template.
    pub(in crate::jobs) found: HashMap<EmailKey, Vec<SeenBadge>>,
    /// Addresses for which everything was read.
    pub(in crate::jobs) complete: HashSet<EmailKey>,
    /// The service's UTC offset, if it is known.
    pub(in crate::jobs) zone: Option<Offset>,
    /// This computer's time, in milliseconds.
    pub(in crate::jobs) at: i64,
}

struct DoubtRow {
    job: JobId,
    no: u64,
    key: EmailKey,
    name: String,
    request: i64,
    doubt: Doubt,
    row_status: RowStatus,
    /// Whether the service refused its request.
    is_refused: bool,
    /// Whether nobody has looked for the badges of its request since the database lost writes.
    is_unsearched: bool,
    /// Number of accepted entries and of all entries in its request.
    counts: (i64, i64),
}

/// Resolves what can be resolved. Judges all rows first: a badge that one row gets is no candidate for the next.
pub(super) fn resolve_doubts(db: &Tx<'_>, args: &ResolveDoubts) -> tx::Result<Observed> {
    let ResolveDoubts { context, jobs, found, complete, zone, at } = args;
    let jobs: &HashSet<JobId> = &jobs::owned(db, jobs, &context.me)?.into_iter().collect();
    // In this write only: meanwhile, another job for the same people would need approval.
    jobs.iter().try_for_each(|job| refusals::doubt(db, *job, *at))?;
    let shows_waiting = behaviour::shows_waiting(db, &context.account)?;
    let accepted = |reg: &Option<ServiceTime>| -> Option<Timestamp> {
        zone.as_ref()?.to_timestamp(reg.as_ref()?.start()?).ok()
    };
    let rows = rows_in_doubt(db, jobs, context.now)?;
    let sights_of = |row: &DoubtRow| found.get(&row.key).map_or(&[][..], Vec::as_slice);
    let badges: Vec<_> = rows
        .iter()
        .flat_map(|row| sights_of(row).iter().map(|s| (row.job.0, row.key.as_str(), s.badge_id.wire())))
        .collect();
    let mut known = BadgeOwners::of(db, &badges)?;
    let mut resolved = DoubtChanges::default();
    for row in &rows {
        let sights = sights_of(row);
        let candidates: Vec<BadgeCandidate> = sights
            .iter()
            .filter(|sight| !known.contains(row, &sight.badge_id))
            .map(|sight| BadgeCandidate {
                badge_id: sight.badge_id.clone(),
                accepted: accepted(&sight.reg_date),
                other_name: sight
                    .holder
                    .as_ref()
                    .is_some_and(|name| judge_doubt::names_differ(&row.name, name.wire())),
            })
            .collect();
        let scan = ScanResult { now: context.now, complete: complete.contains(&row.key), shows_waiting };
        let judgement = judge_doubt::judge(&row.doubt, &candidates, scan, &context.settings);
        if let Judgement::Bind(badge) = &judgement {
            known.holders.entry(badge.wire().to_owned()).or_default().push((row.job, row.no));
            resolved.sights.extend(sights.iter().filter(|s| s.badge_id == *badge).cloned());
        }
        resolved.add(context, row, judgement);
    }
    let mut observed = resolved.apply(db, context)?;
    observed.ready.extend(resolved.ready);
    prove(db, &rows.iter().map(|row| row.request).collect())?;
    let mut searched = BTreeMap::new();
    for row in &rows {
        *searched.entry(row.request).or_insert(true) &= complete.contains(&row.key);
    }
    lost_writes::searched(db, &searched, context.now)?;
    for job in jobs {
        let mut refused = rows.iter().filter(|row| row.job == *job && row.is_refused);
        refusals::settle(db, *job, context, refused.all(|row| complete.contains(&row.key)), *at)?;
    }
    Ok(observed)
}

/// The addresses of rows of which a poll may conclude that they have no badge, if it finds none.
pub(super) fn due(
    db: &Tx<'_>,
    context: &ObserveContext,
    jobs: &HashSet<JobId>,
) -> tx::Result<HashSet<EmailKey>> {
    let shows_waiting = behaviour::shows_waiting(db, &context.account)?;
    let scan = ScanResult { now: context.now, complete: true, shows_waiting };
    let is_due = |row: &DoubtRow| match judge_doubt::judge(&row.doubt, &[], scan, &context.settings) {
        Judgement::NotSeen => row.row_status != RowStatus::NeverSeen,
        Judgement::NotAccepted | Judgement::Absent => true,
        _ => row.is_unsearched,
    };
    let rows = rows_in_doubt(db, jobs, context.now)?;
    let mut due: HashSet<EmailKey> = rows.into_iter().filter(is_due).map(|row| row.key).collect();
    for job in jobs {
        due.extend(refusals::due(db, *job, context)?);
    }
    Ok(due)
}

fn rows_in_doubt(db: &Tx<'_>, jobs: &HashSet<JobId>, now: Timestamp) -> tx::Result<Vec<DoubtRow>> {
    db.rows(
        "WITH list AS MATERIALIZED (SELECT value AS job FROM json_values(?1, bigint) AS ids)
         SELECT row.no, row.email, row.request, row.bucket, row.absent, request.intent, request.heard,
                job.guarded_at IS NOT NULL, row.accepted IS NOT NULL, row.name,
                -- A number that nothing bears out, or that more was found than it says, is not believed.
                request.outcome = 'accepted' AND request.accepted > 0 AND request.accepted =
                    (SELECT count(*) FROM row AS other WHERE other.request = request.id AND other.badge IS NOT NULL)
                    -- What is found may come of an earlier request.
                    AND NOT EXISTS (SELECT 1 FROM row AS other WHERE other.request = request.id AND other.tries > 1),
                request.accepted, request.rows, row.job, request.outcome
         FROM list JOIN row ON row.job = list.job JOIN request ON request.id = row.request
         JOIN job ON job.id = row.job
         WHERE row.bucket IN ('in_doubt', 'unbound', 'not_seen')",
        values![super::json(jobs)],
        |r| {
        let row_status = jobs::row_status(r, "bucket")?;
        // The time of such a request is this poll's.
        let outcome = r.get::<Option<String>>(14)?;
        let is_unsearched = outcome.as_deref() == Some(lost_writes::UNSEARCHED);
        let heard: bool = r.get(6)?;
        let intent = Timestamp::from_second(r.get(5)?).unwrap_or(Timestamp::UNIX_EPOCH);
        Ok(DoubtRow {
            job: r.get(13)?,
            no: r.get(0)?,
            key: EmailKey::of(&r.get::<String>(1)?),
            name: r.get(9)?,
            request: r.get(2)?,
            doubt: Doubt {
                intent: if is_unsearched { now } else { intent },
                heard,
                timed: heard || lost_writes::is_stand_in(outcome.as_deref()),
                accepted: row_status == RowStatus::NotVisibleYet || r.get::<bool>(8)?,
                baseline: r.get(7)?,
                ruled_out: r.get::<Option<bool>>(10)?.unwrap_or(false),
                absent: r.get::<Option<i64>>(4)?.and_then(|s| Timestamp::from_second(s).ok()),
            },
            row_status,
            is_refused: outcome.as_deref() == Some("refused"),
            is_unsearched,
            counts: (r.get::<Option<i64>>(11)?.unwrap_or(0), r.get(12)?),
        })
    },
    )
}

/// Which of the found badges have an owner.
struct BadgeOwners {
    /// Badges that recipients had before: job, address, badge.
    before: HashSet<(JobId, String, String)>,
    /// Rows of issue jobs, by badge.
    holders: HashMap<String, Vec<(JobId, u64)>>,
}

impl BadgeOwners {
    /// `found` is the job, the address and the badge.
    fn of(db: &Tx<'_>, found: &[(i64, &str, &str)]) -> tx::Result<Self> {
        let found = super::json(&found);
        let before = db.all(
            "WITH found AS MATERIALIZED (
                     SELECT job, email_key, badge
                     FROM json_rows(?1, job bigint, email_key text, badge text) AS list)
                 SELECT job, email_key, badge FROM found JOIN baseline USING (job, email_key, badge)",
            values![&found],
        )?;
        let mut holders: HashMap<String, Vec<(JobId, u64)>> = HashMap::new();
        let held: Vec<(String, JobId, u64)> = db.all(
            "WITH found AS MATERIALIZED (
                 SELECT DISTINCT list.badge, mine.base_url
                 FROM json_rows(?1, job bigint, email_key text, badge text) AS list JOIN job AS mine ON mine.id = list.job)
             SELECT row.badge, row.job, row.no FROM found JOIN row ON row.badge = found.badge
             JOIN job ON job.id = row.job AND job.base_url = found.base_url
             WHERE job.kind = 'issue'",
            values![found],
        )?;
        for (badge, job, no) in held {
            holders.entry(badge).or_default().push((job, no));
        }
        Ok(Self { before, holders })
    }

    /// Whether the recipient had the badge before, or another row has it.
    fn contains(&self, row: &DoubtRow, badge: &BadgeId) -> bool {
        let holders = self.holders.get(badge.wire());
        self.before.contains(&(row.job, row.key.as_str().to_owned(), badge.wire().to_owned()))
            || holders.is_some_and(|all| all.iter().any(|holder| *holder != (row.job, row.no)))
    }
}

/// What the judgements mean for the rows.
#[derive(Default)]
struct DoubtChanges {
    /// Job, place, badge, and when the request was recorded, in seconds.
    badges: Vec<(JobId, u64, BadgeId, i64)>,
    /// The bound badges as they were found.
    sights: Vec<SeenBadge>,
    /// Job, place, status and reason.
    statuses: Vec<(i64, u64, &'static str, String)>,
    /// Rows without a badge for the first time.
    absent: Vec<(i64, u64)>,
    ready: HashSet<JobId>,
}

impl DoubtChanges {
    fn add(&mut self, context: &ObserveContext, row: &DoubtRow, judgement: Judgement) {
        let mut set = |row_status: RowStatus, why: Reason| {
            self.statuses.push((row.job.0, row.no, row_status.code(), stored(&why)));
        };
        match judgement {
            Judgement::Bind(badge) => {
                self.badges.push((row.job, row.no, badge, row.doubt.intent.as_second()));
                self.ready.insert(row.job);
            }
            Judgement::Ambiguous => set(RowStatus::NeedsReview, Code::Ambiguous.into()),
            Judgement::HoldsAlready(_) => set(RowStatus::NeedsReview, Code::HoldsOlder.into()),
            Judgement::NotAccepted => {
                let (accepted, sent) = row.counts;
                let why = Reason::from(Code::NotAmongThem).with("accepted", accepted).with("sent", sent);
                set(RowStatus::NotAccepted, why);
                self.ready.insert(row.job);
            }
            Judgement::Absent => self.absent.push((row.job.0, row.no)),
            Judgement::NotSeen if row.row_status != RowStatus::NeverSeen => {
                let over = context.now.duration_since(row.doubt.intent) >= context.settings.doubt_window;
                set(RowStatus::NeverSeen, if over { Code::WindowOver } else { Code::Absent }.into());
                self.ready.insert(row.job);
            }
            Judgement::NotSeen | Judgement::Open => {}
        }
    }

    fn apply(&self, db: &Tx<'_>, context: &ObserveContext) -> tx::Result<Observed> {
        let mut observed = Observed::default();
        if !self.badges.is_empty() {
            let bindings: Vec<_> = self
                .badges
                .iter()
                .map(|(job, no, badge, at)| Binding { job: *job, no: *no, badge, at: *at, request: None })
                .collect();
            rows::bind(db, &bindings)?;
            let seen = observe::observe(db, context, &self.sights)?;
            observed = Observed { witnessed: None, ..seen };
        }
        if !self.statuses.is_empty() {
            // Materialized, so that SQLite looks each row up by its key.
            db.execute(
                "WITH found AS MATERIALIZED (
                     SELECT job, no, bucket, why
                     FROM json_rows(?1, job bigint, no bigint, bucket text, why text) AS list)
                 UPDATE row SET bucket = found.bucket, why = found.why
                 FROM found WHERE row.job = found.job AND row.no = found.no",
                values![super::json(&self.statuses)],
            )?;
        }
        if !self.absent.is_empty() {
            db.execute(
                "UPDATE row SET absent = ?2
                 WHERE (job, no) IN (SELECT job, no FROM json_rows(?1, job bigint, no bigint) AS list)",
                values![super::json(&self.absent), context.now.as_second()],
            )?;
        }
        Ok(observed)
    }
}

/// If some rows of a request were found, the others may not have been accepted: a service may accept a part. They
/// stay in doubt, with a reason that says so.
fn prove(db: &Tx<'_>, requests: &BTreeSet<i64>) -> tx::Result<()> {
    let partly: Vec<(i64, i64, Option<String>, i64)> = db.all(
        "SELECT id, rows, outcome, found FROM
                (SELECT id, rows, outcome,
                        (SELECT count(*) FROM row WHERE request = request.id AND badge IS NOT NULL) AS found
                 FROM request WHERE id IN json_list(?1, bigint)) AS counted
             WHERE found > 0",
        values![super::json(requests)],
    )?;
    let mut list = Vec::new();
    for (request, rows, outcome, found) in partly {
        let code = match outcome.as_deref() {
            // The response already gave the reason for the others.
            Some("accepted") => continue,
            // They may come from different requests.
            other if lost_writes::is_stand_in(other) => continue,
            Some("refused") => Code::PartlyThere,
            _ => Code::SomeThere,
        };
        list.push((request, stored(&Reason::from(code).with("found", found).with("rows", rows))));
    }
    if list.is_empty() {
        return Ok(());
    }
    db.run(
        "WITH partly AS MATERIALIZED (SELECT request, why FROM json_rows(?1, request bigint, why text) AS list)
         UPDATE row SET why = partly.why FROM partly
         WHERE row.request = partly.request AND row.bucket = 'in_doubt'",
        values![super::json(&list)],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    #[test]
    fn accepted_count_needs_as_many_bound_badges() {
        for (accepted, found, ruled_out) in
            [(1, 1, true), (2, 1, false), (0, 0, false), (1, 2, false), (2, 2, true)]
        {
            let connection = Connection::open_in_memory().expect("a database");
            let db = Tx::on(&connection);
            db.script(include_str!("schema.sql")).expect("schema 1");
            db.script(&format!(
                "INSERT INTO job (id, kind, phase, created, profile, base_url, account, title)
                 VALUES (1, 'issue', 'running', 0, 'p', 'u', 'a', 't');
                 INSERT INTO request (id, job, rows, sha256, intent, heard, outcome, accepted)
                 VALUES (7, 1, 3, '', 0, 1, 'accepted', {accepted});
                 INSERT INTO row (job, no, name, email, email_key, badge, bucket, request)
                 VALUES (1, 1, '', 'a@x.kr', '', NULL, 'in_doubt', 7), (1, 2, '', 'b@x.kr', '', NULL, 'in_doubt', 7),
                        (1, 3, '', 'c@x.kr', '', NULL, 'in_doubt', 7);
                 UPDATE row SET badge = 'B' || no, bucket = 'waiting' WHERE no <= {found}"
            ))
            .expect("rows");
            let rows = rows_in_doubt(&db, &HashSet::from([JobId(1)]), Timestamp::UNIX_EPOCH).expect("read");
            assert_eq!(rows.len(), 3 - found);
            assert!(rows.iter().all(|row| row.doubt.ruled_out == ruled_out), "{accepted} {found}");
        }
    }

    #[test]
    fn a_badge_of_another_service_with_the_same_id_has_another_owner() {
        let connection = Connection::open_in_memory().expect("a database");
        let db = Tx::on(&connection);
        db.script(include_str!("schema.sql")).expect("schema 1");
        db.script(
            "INSERT INTO job (id, kind, phase, created, profile, base_url, account, title)
             VALUES (1, 'issue', 'running', 0, 'p', 'u', 'a', 't'), (2, 'issue', 'running', 0, 'p', 'u', 'a', 't'),
                    (3, 'issue', 'running', 0, 'p', 'v', 'a', 't');
             INSERT INTO row (job, no, name, email, email_key, badge, bucket)
             VALUES (2, 1, '', '', '', 'here', 'waiting'), (3, 1, '', '', '', 'there', 'waiting')",
        )
        .expect("rows");
        let known = BadgeOwners::of(&db, &[(1, "a@x.kr", "here"), (1, "a@x.kr", "there")]).expect("read");
        assert_eq!(known.holders, HashMap::from([("here".to_owned(), vec![(JobId(2), 1)])]));
    }
}
