//! What a person decides about a job after it began.

use super::drafts::start;
use super::jobs::{self, SeenJob};
use super::lost_writes::{self, RecentLoss};
use super::owner::Process;
use super::rows::{self, Binding};
use super::{claims, conditions, duplicates, observe, refusals, requests};
use crate::jobs::journal::prelude::*;
use crate::jobs::row_groups::{Decision, NeverSeen};
use crate::jobs::row_status::Claim;
use crate::jobs::rules::{self, RowFacts, Step};

/// Divisor for requests after a refusal: a retry sends at most 1/10 of the rows of the largest refused
/// request.
const SMALLER: i64 = 10;

/// Resumes a paused or stopped job. `most`: with requests of at most so many entries, to use up the quota.
pub(super) fn resume(
    db: &Tx<'_>,
    id: &JobId,
    most: &Option<i64>,
    actor: &Actor,
    seen: &SeenJob,
) -> tx::Result<()> {
    start(db, id, actor, seen)?;
    jobs::set_batch(db, *id, *most)?;
    let what = if most.is_some() { "use up the quota" } else { "resume" };
    jobs::record_decision(db, *id, None, what, actor, "").map(drop)
}

pub(in crate::jobs) struct Retry {
    pub(in crate::jobs) id: JobId,
    pub(in crate::jobs) kind: Kind,
    pub(in crate::jobs) phase: Phase,
    pub(in crate::jobs) policies: Policies,
    pub(in crate::jobs) actor: Actor,
    pub(in crate::jobs) seen: SeenJob,
}

/// Makes refused rows ready again and runs the job. Returns the number of rows to send, `None` without refused
/// rows. Sends nothing and returns a recent loss of writes that the person does not know of.
pub(super) fn retry(db: &Tx<'_>, args: &Retry) -> tx::Result<Result<Option<u64>, RecentLoss>> {
    let Retry { id, kind, phase, policies, actor, seen } = args;
    jobs::assure_unchanged(db, *id, seen)?;
    let refused = conditions::condition(Step::Retry, *kind, *phase);
    if *kind == Kind::Issue
        && let Some(loss) = lost_writes::name_in_refused(db, *id, &refused, policies)?
    {
        return Ok(Err(loss));
    }
    let last: Option<i64> = db.one(
        "SELECT max(request.rows) FROM row JOIN request ON request.id = row.request
         WHERE row.job = ?1 AND row.bucket = 'not_done'",
        values![id.0],
    )?;
    let moved = db.execute(
        &format!("UPDATE row SET bucket = 'ready', why = NULL WHERE job = ?1 AND {refused}"),
        values![id.0],
    )?;
    if moved == 0 {
        return Ok(Ok(None));
    }
    observe::replace_again(db, *id)?;
    jobs::set_batch(db, *id, last.map(|n| (n / SMALLER).max(1)))?;
    let ready = |db| Ok::<_, tx::Error>(jobs::counts(db, *id)?.of(RowStatus::Ready));
    let before = ready(db)?;
    if *kind == Kind::Issue {
        duplicates::place(db, *id, *phase, policies)?;
    }
    start(db, id, actor, seen)?;
    jobs::record_decision(db, *id, None, "retry what was refused", actor, "")?;
    Ok(Ok(Some((moved as u64).saturating_sub(before.saturating_sub(ready(db)?)))))
}

/// Returns the number of cancelled rows.
///
/// # Errors
/// Another process owns the job now.
pub(super) fn cancel(db: &Tx<'_>, id: &JobId, kind: &Kind, actor: &Actor, by: &Process) -> tx::Result<u64> {
    jobs::assure_owned(db, *id, &by.id)?;
    // Rows of an uncertain refusal may exist, and are followed.
    refusals::doubt(db, *id, actor.at)?;
    jobs::cancel(db, *id, by, actor.at)?;
    let cancelled = requests::cancel_unsent(db, *id, *kind)?;
    jobs::record_decision(db, *id, None, "call off", actor, "")?;
    Ok(cancelled)
}

pub(in crate::jobs) struct ResolveRow {
    pub(in crate::jobs) id: JobId,
    pub(in crate::jobs) no: u64,
    pub(in crate::jobs) decision: Decision,
    pub(in crate::jobs) actor: Actor,
    pub(in crate::jobs) why: String,
    /// The service's time, in seconds.
    pub(in crate::jobs) now: i64,
    pub(in crate::jobs) seen: SeenJob,
    /// What the person was shown, of a row to send: nothing is sent if it is another now.
    pub(in crate::jobs) shown: Option<ReviewedRow>,
}

#[derive(Clone, Debug)]
pub(in crate::jobs) enum Unresolved {
    /// A row with this status needs no decision.
    RowStatus(RowStatus),
    /// There is no such row, it was not sent, or the badge belongs to another row.
    NoRow,
    /// The person was not shown what was found meanwhile, or that another row has sent to the same recipient. The
    /// row's reason, if it has one.
    Review(Option<Reason>),
}

pub(super) fn resolve_row(db: &Tx<'_>, args: &ResolveRow) -> tx::Result<Result<(), Unresolved>> {
    let ResolveRow { id, no, decision, actor, why, now, seen: seen_job, shown } = args;
    let (id, no) = (*id, *no);
    jobs::assure_owned(db, id, &seen_job.owner)?;
    let Some((facts, seen)) = rule_facts(db, id, &[no])?.remove(&no) else {
        return Ok(Err(Unresolved::NoRow));
    };
    if !rules::may(Step::Resolve, facts) {
        return Ok(Err(if facts.claim.is_some() || facts.row_status != RowStatus::Ready {
            Unresolved::RowStatus(facts.row_status)
        } else {
            Unresolved::NoRow
        }));
    }
    match decision {
        Decision::IsThis(badge) => {
            let binding = Binding { job: id, no, badge, at: *now, request: None };
            if !facts.may_exist() || rows::bind(db, &[binding])?.is_empty() {
                return Ok(Err(Unresolved::NoRow));
            }
            jobs::record_decision(db, id, Some(no), "it is this badge", actor, why)?;
        }
        Decision::Skip => {
            rows::set(db, id, &[no], RowStatus::Skipped, Some(&Code::SettledOtherwise.into()))?;
            jobs::record_decision(db, id, Some(no), "leave it", actor, why)?;
        }
        Decision::SendAgain => {
            // A decision allows only what the person was shown.
            let found = reviewed_row(db, &id, &no)?;
            if found != *shown {
                return Ok(Err(Unresolved::Review(found.and_then(|row| row.why))));
            }
            let seen = seen.filter(|_| facts.row_status == RowStatus::NeedsReview);
            if let Some((_, rival, _)) = claims::rivals(db, id, &format!("row.no = {no}"))?.pop()
                && seen != Some(rival.claim_id())
            {
                claims::review_one(db, id, no, &rival)?;
                return Ok(Err(Unresolved::Review(Some(rival.why()))));
            }
            if facts.row_status == RowStatus::NeverSeen
                && let Some(loss) = lost_writes::name_in_sent(db, id, &[no])?
            {
                return Ok(Err(Unresolved::Review(Some(loss.why()))));
            }
            rows::forget_failed(db, "job = ?1 AND no = ?2", values![id.0, no])?;
            send_again(db, id, &[no])?;
            observe::replace_again(db, id)?;
            jobs::record_decision(db, id, Some(no), "send again", actor, why)?;
            start(db, &id, actor, seen_job)?;
        }
    }
    Ok(Ok(()))
}

fn send_again(db: &Tx<'_>, id: JobId, rows: &[u64]) -> tx::Result<()> {
    db.run(
        "UPDATE row SET bucket = 'ready', why = ?3, guarded = FALSE, allowed = coalesce(class, 'new')
         WHERE job = ?1 AND no IN json_list(?2, bigint)",
        values![id.0, super::json(rows), Reason::from(Code::SentAgain)],
    )
}

/// Of those of these rows that exist: the rule facts, and the highest of the other claims that a person knows of.
fn rule_facts(db: &Tx<'_>, id: JobId, rows: &[u64]) -> tx::Result<HashMap<u64, (RowFacts, Option<i64>)>> {
    db.rows(
        "SELECT job.kind, job.phase, row.bucket, claim.state, row.seen, job.purged, row.no
         FROM row JOIN job ON job.id = row.job
         LEFT JOIN claim ON claim.job = row.job AND claim.no = row.no
         WHERE row.job = ?1 AND row.no IN json_list(?2, bigint)",
        values![id.0, super::json(rows)],
        |r| {
            let facts = RowFacts {
                kind: r.get(0)?,
                phase: Phase::from_code(r.text(1)?).unwrap_or(Phase::Stopped),
                row_status: jobs::row_status(r, "bucket")?,
                claim: r.get::<Option<String>>(3)?.and_then(|code| Claim::from_code(&code)),
                is_purged: r.get(5)?,
            };
            Ok((r.get(6)?, (facts, r.get(4)?)))
        },
    )
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::jobs) struct ReviewedRow {
    pub(in crate::jobs) row_status: RowStatus,
    /// Which badge was found, too.
    why: Option<Reason>,
    /// The duplicate check's finding.
    class: Option<String>,
    /// The highest of the other claims.
    rival: Option<i64>,
}

/// What a person was shown about a row; `None` if it does not exist.
pub(super) fn reviewed_row(db: &Tx<'_>, id: &JobId, no: &u64) -> tx::Result<Option<ReviewedRow>> {
    db.optional(
        "SELECT bucket, class, seen, why FROM row WHERE job = ?1 AND no = ?2",
        values![id.0, no],
        |r| {
            let row_status = jobs::row_status(r, "bucket")?;
            Ok(ReviewedRow { row_status, why: r.get(3)?, class: r.get(1)?, rival: r.get(2)? })
        },
    )
}

pub(in crate::jobs) struct ResendRows {
    pub(in crate::jobs) id: JobId,
    /// The rows that a person reviewed, in their order.
    pub(in crate::jobs) rows: Vec<u64>,
    /// The latest request time that is old enough: the service's time, in seconds.
    pub(in crate::jobs) latest: i64,
    pub(in crate::jobs) actor: Actor,
    pub(in crate::jobs) why: String,
    pub(in crate::jobs) seen: SeenJob,
}

/// Resends never seen rows. Changes nothing and returns `false` unless every one of them may be resent: rows may have
/// changed after the poll. Sends nothing and returns a recent loss of writes that the person does not know of.
pub(super) fn resend_rows(db: &Tx<'_>, args: &ResendRows) -> tx::Result<Result<bool, RecentLoss>> {
    let ResendRows { id, rows, latest, actor, why, seen } = args;
    if resendable(db, *id, Some(rows), *latest)? != *rows {
        return Ok(Ok(false));
    }
    jobs::assure_unchanged(db, *id, seen)?;
    if let Some(loss) = lost_writes::name_in_sent(db, *id, rows)? {
        return Ok(Err(loss));
    }
    jobs::record_row_decisions(db, *id, rows, "send again", actor, why)?;
    send_again(db, *id, rows)?;
    jobs::set_batch(db, *id, None)?;
    start(db, id, actor, seen)?;
    Ok(Ok(true))
}

/// The never seen rows of a job: those of `among`, or all. `latest` is as in [`ResendRows`].
pub(super) fn never_seen(
    db: &Tx<'_>,
    id: &JobId,
    among: &Option<Vec<u64>>,
    latest: &i64,
) -> tx::Result<NeverSeen> {
    let ready = resendable(db, *id, among.as_deref(), *latest)?;
    let all: u64 = db.one(
        "SELECT count(*) FROM row WHERE job = ?1 AND bucket = 'not_seen'
           AND (?2 IS NULL OR no IN json_list(?2, bigint))",
        values![id.0, among.as_deref().map(super::json)],
    )?;
    let held = all.saturating_sub(ready.len() as u64);
    Ok(NeverSeen { ready, held })
}

/// Leaves rows as they are, as a person decided. Changes nothing unless every one of them can be resolved.
pub(super) fn leave_rows(
    db: &Tx<'_>,
    id: &JobId,
    rows: &[u64],
    actor: &Actor,
    why: &str,
    me: &str,
) -> tx::Result<Result<(), Unresolved>> {
    jobs::assure_owned(db, *id, me)?;
    let rule_facts = rule_facts(db, *id, rows)?;
    for no in rows {
        match rule_facts.get(no) {
            Some((facts, _)) if rules::may(Step::Resolve, *facts) => {}
            Some((facts, _)) => return Ok(Err(Unresolved::RowStatus(facts.row_status))),
            None => return Ok(Err(Unresolved::NoRow)),
        }
    }
    rows::set(db, *id, rows, RowStatus::Skipped, Some(&Code::SettledOtherwise.into()))?;
    jobs::record_row_decisions(db, *id, rows, "leave it", actor, why)?;
    Ok(Ok(()))
}

/// Cancels unsent rows of a job that sends nothing now. Changes nothing and returns `false` unless every one of them can
/// be cancelled. When no row can be sent any more, the job is cancelled: not while an answer is on its way or a
/// refusal is not proven, because their rows may become ready again.
pub(super) fn cancel_rows(
    db: &Tx<'_>,
    id: &JobId,
    kind: &Kind,
    rows: &[u64],
    actor: &Actor,
    me: &str,
) -> tx::Result<bool> {
    jobs::assure_owned(db, *id, me)?;
    if rows.is_empty() {
        return Ok(false);
    }
    refusals::doubt(db, *id, actor.at)?;
    let rule_facts = rule_facts(db, *id, rows)?;
    let may = |no: &u64| {
        rule_facts.get(no).is_some_and(|(facts, _)| {
            matches!(facts.phase, Phase::Paused | Phase::Stopped) && rules::may(Step::CancelRest, *facts)
        })
    };
    if !rows.iter().all(may) {
        return Ok(false);
    }
    rows::set(db, *id, rows, RowStatus::Skipped, Some(&Code::CancelledUnsent.into()))?;
    jobs::record_row_decisions(db, *id, rows, "call off", actor, "")?;
    let unsent = conditions::condition(Step::CancelRest, *kind, Phase::Cancelled);
    let is_left = db.exists(
        &format!(
            "SELECT 1 FROM job WHERE id = ?1 AND (unproven IS NOT NULL
               OR EXISTS (SELECT 1 FROM row WHERE row.job = job.id AND (row.bucket = 'sending' OR {unsent})))"
        ),
        values![id.0],
    )?;
    if !is_left {
        jobs::set_phase(db, id, &Phase::Cancelled)?;
    }
    Ok(true)
}

/// Rows that can be sent again together: a slow service can no longer show them, and no other row has served their
/// recipients since.
fn resendable(db: &Tx<'_>, id: JobId, among: Option<&[u64]>, latest: i64) -> tx::Result<Vec<u64>> {
    let served: HashSet<u64> =
        claims::rivals(db, id, "row.bucket = 'not_seen'")?.into_iter().map(|(no, ..)| no).collect();
    let may = conditions::condition(Step::ResendAll, Kind::Issue, Phase::Running);
    let mut old: Vec<u64> = db.all(
        &format!(
            "SELECT no FROM row WHERE row.job = ?1 AND {may} AND (SELECT kind FROM job WHERE id = ?1) = 'issue'
               AND (SELECT CASE WHEN heard THEN intent ELSE coalesce(row.absent, intent) END
                    FROM request WHERE id = row.request) <= ?2
               AND (?3 IS NULL OR no IN json_list(?3, bigint)) ORDER BY no"
        ),
        values![id.0, latest, among.map(super::json)],
    )?;
    old.retain(|no| !served.contains(no));
    Ok(old)
}

/// Records that a person did something that belongs to no job.
pub(super) fn note(db: &Tx<'_>, what: &str, why: &str, actor: &Actor) -> tx::Result<()> {
    if db.is_team() {
        // Also for a user who may not write: the record names everybody who opens a wallet.
        let sql = "SELECT note_opening(?1, ?2, ?3, ?4)";
        return db.row(sql, values![actor.at, what, actor.who, redact(why)], |_| Ok(()));
    }
    jobs::record_decision(db, JobId(0), None, what, actor, why).map(drop)
}

#[cfg(test)]
mod tests {
    use super::super::drafts::{self, ReviewRows};
    use super::super::review;
    use super::super::rows::NewRow;
    use super::*;
    use crate::jobs::job::apart;
    use crate::jobs::journal::tests::statements::{draft_of, journal};
    use crate::jobs::row_groups::RowSelection;

    /// Others of a team see who, where and when.
    #[test]
    fn the_journal_keeps_where_a_job_began_and_when_it_was_paused() {
        let connection = journal();
        let db = Tx::on(&connection);
        let row = NewRow { name: "n".into(), email: "a@x.example".into(), ..NewRow::default() };
        let id = draft_of(&db, Kind::Issue, &[row]);
        let label = Reason::of_process("lee", "lab-pc").stored();
        db.execute("UPDATE job SET owner = 'me', owner_label = ?1", values![label]).expect("its owner");
        let seen = SeenJob { owner: "me".into(), phases: vec![Phase::Draft], decision: i64::MAX };
        drafts::start(&db, &id, &Actor::now("lee"), &seen).expect("begun");
        let begun: String = db.one("SELECT begun_by FROM job", values![]).expect("who began it");
        assert_eq!(apart(&begun), ("lee", Some("lab-pc")));
        // As earlier versions kept it.
        assert_eq!((apart("lee"), apart("lee (tui)\tlab-pc").0), (("lee", None), "lee"));
        let by = Process { id: "me".into(), label, place: None };
        jobs::pause(&db, &id, &by, &60_000).expect("paused");
        let why: Reason = db.one("SELECT stop_why FROM job", values![]).expect("who paused it");
        let known = ["who", "computer", "when"].map(|name| why.argument(name));
        assert_eq!(known, [Some("lee"), Some("lab-pc"), Some("1970-01-01 00:01 UTC")]);
        assert_eq!(Actor::of(&by, 0).who, "lee", "as in the decisions of a command");
    }

    #[test]
    fn what_changed_since_it_was_checked_is_not_sent() {
        let decided = |no: &str, what: &str, who: &str| {
            format!(
                "INSERT INTO decision (at, job, no, what, who) SELECT 0, id, {no}, '{what}', '{who}' FROM job"
            )
        };
        for (change, is_sent) in [
            ("SELECT 1".into(), true),
            ("UPDATE job SET owner = 'a colleague'".into(), false),
            ("UPDATE job SET owner = NULL".into(), false),
            ("UPDATE job SET phase = 'paused'".into(), false),
            ("UPDATE job SET phase = 'cancelled'".into(), false),
            ("UPDATE job SET purged = TRUE".into(), false),
            // The job has its phase again.
            (decided("NULL", "call off", "me"), false),
            (decided("NULL", "resume", "me"), false),
            (decided("NULL", "late answer", "lapel"), true),
            (decided("1", "leave it", "me"), true),
        ] {
            let connection = journal();
            let db = Tx::on(&connection);
            let row = |email: &str| NewRow { name: "n".into(), email: email.into(), ..NewRow::default() };
            let id = draft_of(&db, Kind::Issue, &[row("a@x.example"), row("b@x.example")]);
            db.script(
                "UPDATE job SET phase = 'stopped'; UPDATE row SET bucket = 'not_done' WHERE no = 1;
                 INSERT INTO decision (at, job, what, who) SELECT 0, id, 'begin', 'me' FROM job",
            )
            .expect("refused");
            let decision = jobs::newest_decision(&db).expect("decisions");
            let seen = SeenJob { owner: "me".into(), phases: vec![Phase::Stopped], decision };
            db.script(&change).expect("changed");
            let (kind, phase, actor) = (Kind::Issue, Phase::Stopped, Actor::now("me"));
            let args = Retry {
                id,
                kind,
                phase,
                policies: Policies::default(),
                actor: actor.clone(),
                seen: seen.clone(),
            };
            let sends = |done: bool| assert_eq!(done, is_sent, "{change}");
            sends(resume(&db, &id, &None, &actor, &seen).is_ok());
            if is_sent {
                // The resume is a decision of its own.
                assert!(matches!(retry(&db, &args), Err(tx::Error::Changed(_))), "{change}");
            } else {
                sends(retry(&db, &args).is_ok());
            }
        }
    }

    #[test]
    fn a_draft_that_was_decided_after_it_was_checked_does_not_begin() {
        let connection = journal();
        let db = Tx::on(&connection);
        let row = |email: &str| NewRow { name: "n".into(), email: email.into(), ..NewRow::default() };
        let id = draft_of(&db, Kind::Issue, &[row("a@x.example"), row("b@x.example")]);
        let policies = Policies::default();
        let (which, to) = (RowSelection::One(1), RowStatus::Skipped);
        let skip = ReviewRows { id, me: "me".into(), which, to, why: None, policies: policies.clone() };
        drafts::review_rows(&db, &skip).expect("skipped");
        let last = review::last_decision(&db, &id).expect("decisions").map(|last| last.id);
        let seen = SeenJob { owner: "me".into(), phases: vec![Phase::Draft], decision: i64::MAX };
        let begin = |reviewed| drafts::begin(&db, &id, &policies, &Actor::now("me"), &seen, &reviewed);
        assert!(matches!(begin(None), Err(tx::Error::Changed(_))));
        begin(last).expect("begun");
        assert!(matches!(drafts::review_rows(&db, &skip), Err(tx::Error::Changed(_))), "it has begun");
    }
}
