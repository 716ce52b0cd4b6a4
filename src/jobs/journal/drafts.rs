//! Plans jobs as drafts, changes drafts in a review, and begins them.

use super::behaviour::{self, KeptValue};
use super::claims::{self, Rival};
use super::conditions::SelectedRows;
use super::jobs::{self, NewJob, SeenJob};
use super::rows::{self, CorrectRow, NewRow};
use super::tx::Bind;
use super::{
    Process, accounts, conditions, duplicates, lost_writes, refusals, review, snapshots, takeover, transfer,
};
use crate::jobs::job::{Job, with_computer};
use crate::jobs::journal::prelude::*;
use crate::jobs::plan::IssuePlan;
use crate::jobs::row_groups::{RowGroup, RowSelection};
use crate::jobs::rules::Step;

/// Rows that are added without being counted for the planner.
const FEW: usize = 1_000;
const MOST_KEPT: usize = 200;

pub(in crate::jobs) struct CreateJob {
    pub(in crate::jobs) account: Account,
    pub(in crate::jobs) owner: Arc<Process>,
    pub(in crate::jobs) job: NewJob,
    pub(in crate::jobs) rows: Vec<NewRow>,
    /// The reason of a revocation, to offer again.
    pub(in crate::jobs) reason: Option<KeptValue>,
}

pub(super) fn create_job(db: &Tx<'_>, args: &CreateJob) -> tx::Result<JobId> {
    let id = jobs::insert(db, &args.account, &args.owner, &args.job)?;
    rows::insert(db, &id, &args.rows)?;
    if args.rows.len() > FEW {
        db.analyze_rows()?;
    }
    if let Some(reason) = &args.reason {
        behaviour::keep(db, reason)?;
    }
    Ok(id)
}

/// Keeps complete drafts until they begin, are discarded, or become too old. A draft that is not kept has no other owner: with
/// its process, it is gone.
pub(super) fn keep(db: &Tx<'_>, ids: &[JobId]) -> tx::Result<()> {
    db.run(
        "UPDATE job SET kept = TRUE WHERE phase = 'draft' AND id IN json_list(?1, bigint)",
        values![super::json(ids)],
    )
}

/// The kept drafts of a service and key, newest first, open or not.
pub(super) fn kept(db: &Tx<'_>, account: &Account, me: &str) -> tx::Result<Vec<Job>> {
    snapshots::matching(db, account, me, "phase = 'draft' AND kept", MOST_KEPT)
}

/// Makes this process the owner of kept drafts. Returns false, and changes nothing, if one of them has begun, is gone,
/// is open in another living process, or belongs to another service or key.
pub(super) fn open(
    db: &Tx<'_>,
    ids: &[JobId],
    account: &Account,
    owner: &Process,
    living: &[String],
) -> tx::Result<bool> {
    let list = super::json(ids);
    let free = "phase = 'draft' AND kept AND account = ?4 AND base_url = ?5 AND id IN json_list(?1, bigint)
                AND (owner IS NULL OR owner = ?2 OR owner NOT IN json_list(?3, text))";
    let living = super::json(&takeover::alive_now(db, living)?);
    let values = values![list, owner.id, living, account.key, account.base_url];
    let count = format!("SELECT count(*) FROM job WHERE {free}");
    let found: i64 = db.one(&count, values)?;
    if usize::try_from(found) != Ok(ids.len()) {
        return Ok(false);
    }
    db.execute(
        &format!("UPDATE job SET owner = ?2, owner_label = ?6 WHERE {free}"),
        values![list, owner.id, living, account.key, account.base_url, owner.label],
    )?;
    Ok(true)
}

/// Releases the kept drafts of a closed review, so that any process may open them.
pub(super) fn close(db: &Tx<'_>, ids: &[JobId], me: &str) -> tx::Result<()> {
    db.run(
        "UPDATE job SET owner = NULL, owner_label = NULL
         WHERE phase = 'draft' AND kept AND owner = ?2 AND id IN json_list(?1, bigint)",
        values![super::json(ids), me],
    )
}

pub(in crate::jobs) struct IssueOne {
    pub(in crate::jobs) account: Account,
    pub(in crate::jobs) owner: Arc<Process>,
    pub(in crate::jobs) job: NewJob,
    pub(in crate::jobs) plan: IssuePlan,
    /// The service's time.
    pub(in crate::jobs) now: Timestamp,
    pub(in crate::jobs) actor: Actor,
}

/// Creates a job for one reviewed recipient and begins it. Returns a rival instead if the reviewer did not see it.
pub(super) fn issue_one(db: &Tx<'_>, args: &IssueOne) -> tx::Result<Result<JobId, Rival>> {
    let id = create_one(db, args, args.plan.allows)?;
    if let Ok(id) = id {
        start(db, &id, &args.actor, &SeenJob::new_draft(&args.owner))?;
    }
    Ok(id)
}

/// As [`issue_one`], without beginning the job. `allows` is the claim of the rival that the reviewer saw.
fn create_one(
    db: &Tx<'_>,
    IssueOne { account, owner, job, plan, now, .. }: &IssueOne,
    allows: Option<i64>,
) -> tx::Result<Result<JobId, Rival>> {
    let key = EmailKey::of(plan.recipient_email.as_str());
    let known = accounts::of(db, &account.base_url, &account.key)?;
    if let Some(rival) = claims::of_person(db, known, plan.template_id.wire(), &key)?
        && allows != Some(rival.claim_id())
    {
        return Ok(Err(rival));
    }
    let id = jobs::insert(db, account, owner, job)?;
    let row = NewRow {
        name: plan.recipient_name.clone(),
        email: plan.recipient_email.as_str().to_owned(),
        ..NewRow::default()
    };
    rows::insert(db, &id, &[row])?;
    if allows.is_some() {
        db.execute("UPDATE row SET allowed = 'sent', seen = ?2 WHERE job = ?1", values![id.0, allows])?;
    }
    if let Some(held) = &plan.held_before {
        db.execute(
            "INSERT INTO baseline (job, email_key, badge)
             SELECT ?1, ?2, value FROM json_values(?3, text) AS held WHERE TRUE ON CONFLICT DO NOTHING",
            values![id.0, key.as_str(), super::json_ids(held)],
        )?;
        jobs::set_checked(db, id, *now)?;
    }
    Ok(Ok(id))
}

pub(in crate::jobs) struct Replace {
    pub(in crate::jobs) issue: IssueOne,
    pub(in crate::jobs) old: BadgeId,
    /// The revocation. The operation adds the job that it follows.
    pub(in crate::jobs) revoke: NewJob,
    pub(in crate::jobs) rows: Vec<NewRow>,
    pub(in crate::jobs) reason: KeptValue,
}

/// Creates both jobs of a replacement and begins them. Returns a rival instead if the reviewer did not see it.
pub(super) fn replace(db: &Tx<'_>, args: &Replace) -> tx::Result<Result<(JobId, JobId), Rival>> {
    let IssueOne { account, owner, plan, actor, .. } = &args.issue;
    // The replaced badge does not block its replacement.
    let known = accounts::of(db, &account.base_url, &account.key)?;
    let key = EmailKey::of(plan.recipient_email.as_str());
    let mut allows = plan.allows;
    if let Some(rival) = claims::of_person(db, known, plan.template_id.wire(), &key)?
        && rival.badge_id.as_ref() == Some(&args.old)
    {
        allows = Some(rival.claim_id());
    }
    let issue = match create_one(db, &args.issue, allows)? {
        Ok(issue) => issue,
        Err(rival) => return Ok(Err(rival)),
    };
    let new = NewJob { follows: Some(issue), after: true, ..args.revoke.clone() };
    let revoke = jobs::insert(db, account, owner, &new)?;
    let mut rows = args.rows.clone();
    for row in &mut rows {
        row.row_status = Some(RowStatus::ToRevoke);
        row.why = Some(Reason::from(Code::WhenIssued).with("issue", issue));
    }
    rows::insert(db, &revoke, &rows)?;
    behaviour::keep(db, &args.reason)?;
    for id in [issue, revoke] {
        start(db, &id, actor, &SeenJob::new_draft(owner))?;
    }
    Ok(Ok((issue, revoke)))
}

pub(in crate::jobs) struct PlanUndo {
    pub(in crate::jobs) account: Account,
    pub(in crate::jobs) owner: Arc<Process>,
    pub(in crate::jobs) issue: JobId,
    pub(in crate::jobs) kind: Kind,
    pub(in crate::jobs) title: Text,
    pub(in crate::jobs) revoke: NewJob,
    pub(in crate::jobs) reason: KeptValue,
}

/// Creates the draft that undoes a cancelled job. `None` if there is nothing to undo.
///
/// # Errors
/// The job still runs: the draft would not have all of its rows.
pub(super) fn plan_undo(db: &Tx<'_>, args: &PlanUndo) -> tx::Result<Option<JobId>> {
    let seen = SeenJob { owner: args.owner.id.clone(), phases: vec![Phase::Cancelled], decision: i64::MAX };
    jobs::assure_unchanged(db, args.issue, &seen)?;
    let undone = conditions::condition(Step::Undo, args.kind, Phase::Cancelled);
    let undo = jobs::insert(db, &args.account, &args.owner, &args.revoke)?;
    let [revoking, revoked, unknown] =
        [Code::RevokingAlready, Code::RevokedAlready, Code::UnknownState].map(Reason::from);
    let copied = db.execute(
        &format!(
            "INSERT INTO row (job, no, line, name, email, email_key, title, badge, bucket, why,
                              of_job, of_no, status)
             SELECT ?2, row_number() OVER (ORDER BY no), line, name, email, email_key, ?3, badge,
                    CASE bucket WHEN 'issued' THEN 'ready' WHEN 'other' THEN 'ready'
                                WHEN 'revoking' THEN 'left_out' WHEN 'revoked' THEN 'left_out'
                                ELSE 'queued' END,
                    CASE bucket WHEN 'revoking' THEN ?4 WHEN 'revoked' THEN ?5 WHEN 'other' THEN ?6 END,
                    job, no, status
             FROM row WHERE job = ?1 AND ({undone} OR bucket IN ('revoking', 'revoked'))"
        ),
        values![args.issue.0, undo.0, args.title, revoking, revoked, unknown],
    )?;
    jobs::count_rows(db, undo)?;
    behaviour::keep(db, &args.reason)?;
    if copied == 0 {
        jobs::discard(db, &undo, &args.owner.id)?;
    }
    Ok((copied > 0).then_some(undo))
}

/// The domain of a row's address. An address that can be sent has one @.
const DOMAIN: &str = "substr(email_key, instr(email_key, '@') + 1)";

/// Adds the last rows of a file. Marks rows for review whose domain looks like a typing mistake for another
/// domain: `suspects` are pairs of the domain and the likely one. Rows that need review already get one more reason.
pub(super) fn finish_rows(
    db: &Tx<'_>,
    id: &JobId,
    rows: &[NewRow],
    suspects: &[(String, String)],
) -> tx::Result<()> {
    rows::insert(db, id, rows)?;
    db.analyze_rows()?;
    if suspects.is_empty() {
        return Ok(());
    }
    // Many rows have one reason.
    let asked: Vec<(String, String)> = db.all(
        &format!(
            "SELECT DISTINCT {DOMAIN} AS domain, why FROM row
             WHERE job = ?1 AND bucket = 'ask' AND why IS NOT NULL
               AND {DOMAIN} IN (SELECT domain FROM json_rows(?2, domain text) AS list)"
        ),
        values![id.0, super::json(&suspects)],
    )?;
    let reason = |domain: &str, before: Option<&str>| {
        let (_, meant) = suspects.iter().find(|(suspect, _)| suspect == domain)?;
        Some(stored(&Reason::domain_slip(before.map(Reason::read), meant)))
    };
    let ready: Vec<_> = suspects.iter().map(|(domain, _)| (domain, reason(domain, None))).collect();
    // One pass over the rows, for any number of domains.
    db.run(
        &format!(
            "WITH suspect AS MATERIALIZED (SELECT domain, why FROM json_rows(?2, domain text, why text) AS list)
             UPDATE row SET bucket = 'ask', why = (SELECT why FROM suspect WHERE domain = {DOMAIN})
             WHERE job = ?1 AND bucket = 'ready' AND {DOMAIN} IN (SELECT domain FROM suspect)"
        ),
        values![id.0, super::json(&ready)],
    )?;
    let asked: Vec<_> = asked.iter().map(|(domain, why)| (domain, why, reason(domain, Some(why)))).collect();
    db.run(
        &format!(
            "WITH asked AS MATERIALIZED
                 (SELECT domain, said, both_said FROM json_rows(?2, domain text, said text, both_said text) AS list)
             UPDATE row SET why = (SELECT both_said FROM asked WHERE domain = {DOMAIN} AND said = row.why)
             WHERE job = ?1 AND bucket = 'ask' AND ({DOMAIN}, why) IN (SELECT domain, said FROM asked)"
        ),
        values![id.0, super::json(&asked)],
    )
}

/// The domains of the rows of a draft that may be sent, with their numbers of rows.
pub(super) fn domains_of_draft(db: &Tx<'_>, id: &JobId) -> tx::Result<Vec<(String, u64)>> {
    db.all(
        &format!(
            "SELECT {DOMAIN} AS domain, count(*) FROM row
             WHERE job = ?1 AND bucket IN ('ready', 'ask') AND email_key LIKE '%@%' GROUP BY domain"
        ),
        values![id.0],
    )
}

/// Corrects rows of a draft by one decision. The duplicate check must run again.
pub(super) fn correct_rows(db: &Tx<'_>, id: &JobId, me: &str, corrected: &[CorrectRow]) -> tx::Result<()> {
    jobs::assure_draft(db, *id, me, true)?;
    let places: Vec<u64> = corrected.iter().map(|row| row.no).collect();
    let key = super::json(&places);
    review::record(db, *id, conditions::CORRECT, "no IN json_list(?2, bigint)", Some(&key))?;
    rows::correct(db, *id, corrected)?;
    db.run("UPDATE job SET guarded_at = NULL WHERE id = ?1", values![id.0])
}

pub(in crate::jobs) struct ReviewRows {
    pub(in crate::jobs) id: JobId,
    pub(in crate::jobs) me: String,
    pub(in crate::jobs) which: RowSelection,
    /// Ready or skipped.
    pub(in crate::jobs) to: RowStatus,
    pub(in crate::jobs) why: Option<Reason>,
    pub(in crate::jobs) policies: Policies,
}

/// Allows or skips rows of a draft. Returns the number of rows that have the new status. A decision allows a duplicate
/// only if the row's reason, or the decision itself, says that it is one. Otherwise the row needs review again, with
/// the duplicate as its reason.
pub(super) fn review_rows(db: &Tx<'_>, args: &ReviewRows) -> tx::Result<u64> {
    jobs::assure_draft(db, args.id, &args.me, true)?;
    let SelectedRows { which, key, is_shown, shown } = conditions::selected(&args.which, args.to);
    let what = if args.to == RowStatus::Ready { "allow" } else { "leave_out" };
    let Some(review) = review::record(db, args.id, what, &which, key.as_deref())? else {
        return Ok(0);
    };
    let (code, mut values) = (args.to.code(), Vec::<&dyn Bind>::new());
    values.extend([&args.id.0 as &dyn Bind, &key, &code, &args.why]);
    values.extend(shown.as_ref().map(|shown| shown as &dyn Bind));
    db.execute(
        &format!(
            "UPDATE row SET bucket = ?3, why = ?4, guarded = FALSE,
                            allowed = CASE WHEN ?3 <> 'ready' THEN NULL WHEN {is_shown} THEN coalesce(class, 'new')
                                           ELSE 'new' END
             WHERE job = ?1 AND request IS NULL AND {which}"
        ),
        &values,
    )?;
    if args.to == RowStatus::Ready {
        duplicates::place(db, args.id, Phase::Draft, &args.policies)?;
    }
    db.one(
        "SELECT count(*) FROM row JOIN review_row ON review_row.no = row.no
             WHERE row.job = ?1 AND review_row.review = ?2 AND row.bucket = ?3",
        values![args.id.0, review, args.to.code()],
    )
}

/// The groups of a draft's rows that need review, are invalid or were skipped, and of badges in an unknown state that
/// the job would revoke: the 200 largest, the largest first.
pub(super) fn groups(db: &Tx<'_>, id: &JobId) -> tx::Result<Vec<RowGroup>> {
    let sql = format!(
        "SELECT found.bucket, grp, why, name, email, found.rows, allows
         FROM (SELECT bucket, grp, min(no) AS first, count(*) AS rows,
                      count(CASE WHEN alone THEN 1 END) AS allows
               FROM (SELECT bucket, no, {} AS grp, {} AS alone FROM row
                     WHERE job = ?1 AND why IS NOT NULL
                       AND (bucket IN ('ask', 'invalid', 'left_out')
                            OR bucket = 'ready' AND reason_code(why) = ?2)) AS judged
               GROUP BY bucket, grp ORDER BY rows DESC, first LIMIT 200) AS found
         JOIN row ON row.job = ?1 AND row.no = found.first
         ORDER BY found.rows DESC, found.first",
        conditions::GROUP,
        conditions::allowed_together()
    );
    db.rows(&sql, values![id.0, Code::UnknownState.name()], |r| {
        Ok(RowGroup {
            row_status: jobs::row_status(r, "bucket")?,
            key: r.get("grp")?,
            why: r.get("why")?,
            holder: r.get("name")?,
            address: r.get("email")?,
            rows: r.get("rows")?,
            allows: r.get("allows")?,
        })
    })
}

/// Begins a draft whose last decision of the review was `reviewed`. Skips the rows that nobody allowed.
///
/// # Errors
/// The draft changed since it was seen, or the database lost writes since. Also as [`start`].
pub(super) fn begin(
    db: &Tx<'_>,
    id: &JobId,
    policies: &Policies,
    actor: &Actor,
    seen: &SeenJob,
    reviewed: &Option<i64>,
) -> tx::Result<()> {
    if review::last_decision(db, id)?.map(|last| last.id) != *reviewed {
        return Err(tx::Error::Changed(*id));
    }
    db.execute(
        "UPDATE row SET bucket = 'left_out',
                        why = CASE WHEN why IS NULL THEN ?2
                                   ELSE reason_with(?2, 'why', why) END
         WHERE job = ?1 AND bucket = 'ask'",
        values![id.0, Reason::from(Code::NotAllowed)],
    )?;
    db.execute("DELETE FROM review WHERE job = ?1", values![id])?;
    duplicates::allow_by_setting(db, *id, policies)?;
    if lost_writes::has_unaware(db, *id)? {
        return Err(tx::Error::Changed(*id));
    }
    start(db, id, actor, seen)?;
    jobs::record_decision(db, *id, None, "begin", actor, "")?;
    Ok(())
}

/// Lets the ready rows of a job be sent: runs the job and requests the claims. Rows whose recipient another row
/// has served need review and are not sent, and so do all rows that nobody has reviewed since the database lost writes.
/// Puts rows of an unproven refusal in doubt.
///
/// # Errors
/// The job changed since it was seen, or its names and addresses were removed. Or another journal sends for the account.
/// Or a team's database lost writes, and the history was not searched since.
pub(super) fn start(db: &Tx<'_>, id: &JobId, actor: &Actor, seen: &SeenJob) -> tx::Result<()> {
    jobs::assure_unchanged(db, *id, seen)?;
    if db.exists("SELECT 1 FROM job WHERE id = ?1 AND purged", values![id.0])? {
        return Err(tx::Error::Changed(*id));
    }
    transfer::assure_here(db, *id, false)?;
    lost_writes::assure_searched(db, *id)?;
    jobs::set_phase(db, id, &Phase::Running)?;
    let owner: Option<Reason> = db.one("SELECT owner_label FROM job WHERE id = ?1", values![id.0])?;
    let computer = owner.as_ref().and_then(|owner| owner.argument("computer"));
    db.execute(
        "UPDATE job SET begun_by = ?2 WHERE id = ?1 AND begun_by IS NULL",
        values![id.0, redact(&with_computer(&actor.who, computer))],
    )?;
    refusals::doubt(db, *id, actor.at)?;
    lost_writes::review_unaware(db, *id)?;
    claims::claim_ready_rows(db, *id, actor)?;
    if claims::held(db, *id)? > 0 {
        jobs::set_note(db, *id, &Code::NeedReview.into())?;
    }
    Ok(())
}

/// A row that would be sent: its place, and a digest of its name, its address, the duplicate check's finding and the
/// highest known claim. A job may have a million of them.
pub(in crate::jobs) type ReadyRow = (i64, [u8; 16]);

/// In the order of their places.
pub(super) fn ready_rows(db: &Tx<'_>, id: &JobId) -> tx::Result<Vec<ReadyRow>> {
    let mut rows: Vec<ReadyRow> = db.rows(
        "SELECT no, name, email, coalesce(class, ''), seen FROM row
         WHERE job = ?1 AND bucket IN ('ready', 'queued')",
        values![id.0],
        |r| {
            let seen = r.get::<Option<i64>>(4)?.unwrap_or(-1).to_le_bytes();
            let texts = [r.text(1)?, r.text(2)?, r.text(3)?].map(str::as_bytes);
            Ok((r.get(0)?, super::digest(texts.into_iter().chain([&seen[..]]))))
        },
    )?;
    rows.sort_unstable();
    Ok(rows)
}
