//! The duplicate check: recipients who have this badge already, may get it twice, or appear in two spellings.

use super::core::{Core, Jobs};
use super::error::JobError;
use super::history_scan::{Scan, Sight, spellings};
use super::job::{Job, JobId, Kind, Phase, RowStatus, words};
use super::journal::{claims, jobs as job_records, rows};
use super::reason::{Code, Reason};
use super::rules::{self, Step};
use super::settings::Settings;
use crate::api::{ApiError, Call};
use crate::domain::{EmailKey, State, TemplateId, Verdict};
use jiff::{SignedDuration, ToSpan};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

words! {
    /// The result of the duplicate check for one row, before anything is sent.
    DuplicateKind {
        /// The recipient does not have this badge.
        New = "new", tr_noop!("new");
        /// An earlier row of the file has the same address and the same name.
        Twin = "twin", tr_noop!("twice in the file");
        /// An earlier row of the file has the same address and another name: a shared mailbox or a mistake.
        SharedAddress = "shared_address", tr_noop!("one address, two names");
        /// The recipient has a valid badge.
        Valid = "valid", tr_noop!("already has it");
        /// The recipient has a valid badge that expires soon.
        Expiring = "expiring", tr_noop!("has it, expires soon");
        /// The recipient's badge has expired: a renewal.
        Expired = "expired", tr_noop!("had it, expired");
        /// The recipient's badge was revoked, or is being revoked: a re-issue.
        Revoked = "revoked", tr_noop!("had it, revoked");
        /// A badge is accepted and waits to be issued.
        Waiting = "waiting", tr_noop!("one already waiting");
        /// A job of this journal has sent one that the service does not show yet.
        Sent = "sent", tr_noop!("sent before, not visible yet");
        /// A holder's address differs only by dots or a plus tag.
        LookAlike = "look_alike", tr_noop!("similar address has it");
    }
}

words! {
    /// What happens with rows of a duplicate kind.
    Policy {
        /// Skip the row.
        Block = "block", tr_noop!("skipped");
        Ask = "ask", tr_noop!("needs review");
        Allow = "allow", tr_noop!("sent");
    }
}

impl DuplicateKind {
    /// Whether the recipient would, or may, get the badge twice.
    pub fn is_duplicate(self) -> bool {
        matches!(self, Self::Twin | Self::Valid | Self::Expiring | Self::Waiting | Self::Sent)
    }

    /// Whether it results from other rows of the file. The row may be of a second kind as well.
    const fn is_in_file(self) -> bool {
        matches!(self, Self::Twin | Self::SharedAddress)
    }

    /// Whether the found badge is no longer valid, so that another one is a renewal.
    fn is_over(self) -> bool {
        matches!(self, Self::Expired | Self::Revoked)
    }

    /// The policy unless the profile sets another one.
    pub fn default_policy(self) -> Policy {
        match self {
            Self::New | Self::Expired | Self::Expiring => Policy::Allow,
            Self::Twin | Self::Waiting | Self::Sent => Policy::Block,
            Self::SharedAddress | Self::Valid | Self::Revoked | Self::LookAlike => Policy::Ask,
        }
    }
}

/// Maximum number of addresses that are queried without comparing the cost of title pages.
const FEW: usize = 2;

/// If not all pages could be read: maximum number of addresses that are queried one by one instead.
const FEW_LOOK_UPS: usize = 200;

/// Progress of a duplicate check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guarding {
    pub done: u64,
    /// Expected requests, according to the counts so far.
    pub all: u64,
}

/// Result of a duplicate check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guarded {
    /// Number of rows per kind, except [`DuplicateKind::New`].
    pub classes: Vec<(DuplicateKind, u64)>,
    /// Whether everything was read. If not, a recipient may have the badge without being reported.
    pub complete: bool,
    pub requests: u64,
    /// Paused or stopped jobs with unsent rows for some of these recipients, and how many. Resuming those jobs is
    /// better than issuing anew. Once the draft begins, those jobs no longer send to these recipients.
    pub unsent: Vec<(JobId, u64)>,
}

impl Guarded {
    /// Warnings for the person who begins the draft.
    pub fn warnings(&self) -> Vec<String> {
        let warning = |(job, n): &(JobId, u64)| {
            plural!(
                *n,
                "Job {job} has not sent to {n} of these recipients yet: resume it instead.",
                "Job {job} has not sent to {n} of these recipients yet: resume it instead.",
                job
            )
        };
        self.unsent.iter().map(warning).collect()
    }
}

impl Jobs {
    /// Reads which badges the recipients of an issue job have, by addresses or by title pages, the cheaper way.
    /// Stores them as the baseline for resolving doubts later. Then gives every unsent row its status by the
    /// policies. What a person allowed stays allowed unless something new is found.
    ///
    /// # Errors
    /// The service or the journal failed. The job is unchanged, and the check can be repeated.
    pub async fn guard(
        &self,
        id: JobId,
        progress: &watch::Sender<Guarding>,
        cancel: CancellationToken,
    ) -> Result<Guarded, JobError> {
        let job = self.core.my_job(id).await?;
        if job.kind != Kind::Issue {
            return Ok(Guarded { complete: true, ..Guarded::default() });
        }
        let guarded = guard(&self.core, &job, progress, cancel).await?;
        self.core.changed(id, []);
        Ok(guarded)
    }
}

/// Condition for the rows of an issue job to judge: rows that were certainly not sent.
fn judged(phase: Phase) -> String {
    rules::condition(Step::Judge, Kind::Issue, phase)
}

/// The addresses of the job's unsent rows: one spelling for each e-mail key.
fn addresses(db: &Connection, id: JobId, phase: Phase) -> rusqlite::Result<Vec<String>> {
    db.prepare_cached(&format!(
        "SELECT min(email) FROM row WHERE job = ?1 AND {} AND email <> '' GROUP BY email_key ORDER BY min(no)",
        judged(phase)
    ))?
    .query_map([id.0], |r| r.get(0))?
    .collect()
}

pub(super) async fn guard(
    core: &Arc<Core>,
    job: &Job,
    progress: &watch::Sender<Guarding>,
    cancel: CancellationToken,
) -> Result<Guarded, JobError> {
    let id = job.id;
    let Some(template) = job.template_id.clone() else {
        return Err(JobError::no(t!("The job has no template.")));
    };
    let (begun, _) = core.moment();
    let phase = job.phase;
    let emails = core.journal.read(move |db| addresses(db, id, phase)).await?;
    core.journal.write("guard", move |db| forget(db, id, phase)).await?;
    // A person waits for a few requests; hundreds run in the background.
    let call = |all: u64| {
        if all <= 100 { Call::interactive() } else { Call::background() }.cancelled_by(cancel.clone())
    };
    let mut hunt = Hunt { core, id, phase, template, loose: loose(&emails), requests: 0, complete: true };
    let mut left = None;
    if emails.len() > FEW && !job.title.looks_empty() {
        let first = call(1);
        let mut scan = Scan::of_title(core.reader(), &job.title, &first);
        let page = hunt.page(&mut scan).await?;
        if scan.left() < emails.len() as u64 {
            let all = scan.left() + 1;
            let paced = call(all);
            scan = scan.called(&paced);
            let mut page = page;
            while let Some(sights) = page {
                hunt.take(sights).await?;
                progress.send_replace(Guarding { done: hunt.requests, all: all.max(hunt.requests) });
                page = hunt.page(&mut scan).await?;
            }
            core.learn_filters(&scan).await?;
            // An incomplete page can hide badges. For few addresses, query each one instead.
            if scan.is_complete() || emails.len() > FEW_LOOK_UPS {
                hunt.complete &= scan.is_complete();
                left = Some(());
            }
        }
    }
    if left.is_none() {
        let all = emails.len() as u64;
        let paced = call(all);
        for email in &emails {
            for spelling in spellings(email) {
                let mut scan = Scan::of_address(core.reader(), &spelling, &paced);
                while let Some(sights) = hunt.page(&mut scan).await? {
                    hunt.take(sights).await?;
                }
                core.learn_filters(&scan).await?;
                hunt.complete &= scan.is_complete();
            }
            progress.send_replace(Guarding { done: hunt.requests, all: all.max(hunt.requests) });
        }
    }
    let (complete, requests) = (hunt.complete, hunt.requests);
    let policies = core.settings.policies.clone();
    let (classes, unsent) = core
        .journal
        .write("guarded", move |db| {
            // A complete reading also proves refusals from before it.
            if complete {
                job_records::set_guarded(db, id, begun)?;
            } else {
                job_records::unset_guarded(db, id)?;
            }
            compare(db, id, phase)?;
            let classes = place(db, id, phase, &policies)?;
            let unsent = claims::unsent_elsewhere(db, id)?;
            Ok((classes, unsent))
        })
        .await?;
    Ok(Guarded { classes, complete, requests, unsent })
}

/// Removes earlier results from unsent rows.
fn forget(db: &Connection, id: JobId, phase: Phase) -> rusqlite::Result<()> {
    db.execute(&format!("UPDATE row SET class = NULL WHERE job = ?1 AND {}", judged(phase)), [id.0])?;
    Ok(())
}

/// A hash of the address without dots and plus tag before the @. Some providers deliver these addresses to one
/// mailbox, others do not.
fn loosened(key: &EmailKey) -> Option<u64> {
    let (local, domain) = key.as_str().rsplit_once('@')?;
    let local: String = local.split('+').next()?.chars().filter(|c| *c != '.').collect();
    let mut hasher = DefaultHasher::new();
    (local, domain).hash(&mut hasher);
    Some(hasher.finish())
}

fn loose(emails: &[String]) -> HashMap<u64, EmailKey> {
    emails
        .iter()
        .filter_map(|email| {
            let key = EmailKey::of(email);
            Some((loosened(&key)?, key))
        })
        .collect()
}

struct Hunt<'c> {
    core: &'c Arc<Core>,
    id: JobId,
    phase: Phase,
    template: TemplateId,
    loose: HashMap<u64, EmailKey>,
    requests: u64,
    complete: bool,
}

impl Hunt<'_> {
    async fn page(&mut self, scan: &mut Scan<'_>) -> Result<Option<Vec<Sight>>, ApiError> {
        let page = scan.next().await?;
        self.requests += u64::from(page.is_some());
        Ok(page)
    }

    async fn take(&mut self, mut sights: Vec<Sight>) -> Result<(), JobError> {
        sights.retain(|s| s.template_id.as_ref() == Some(&self.template));
        if sights.is_empty() {
            return Ok(());
        }
        let similar: Vec<(EmailKey, Sight)> = sights
            .iter()
            .filter_map(|s| {
                let key = s.key()?;
                let like = self.loose.get(&loosened(&key)?)?;
                (*like != key).then(|| (like.clone(), s.clone()))
            })
            .collect();
        let (id, phase, settings) = (self.id, self.phase, self.core.settings.clone());
        let now = self.core.reader().clock().now();
        let write = move |db: &rusqlite::Transaction<'_>| {
            for sight in &sights {
                if let Some(key) = sight.key() {
                    found(db, (id, phase), &key, sight, now, &settings)?;
                }
            }
            for (like, sight) in &similar {
                if !matches!(sight.verdict.state(), State::Revoked | State::Revoking) {
                    let email = sight.email.as_ref().map_or("", |email| email.wire());
                    let why = Reason::from(Code::LookAlike).with("address", email);
                    classify(db, (id, phase), like, DuplicateKind::LookAlike, &why)?;
                }
            }
            Ok(())
        };
        Ok(self.core.journal.write("baseline", write).await?)
    }
}

/// Stores a badge that a recipient of the job has.
fn found(
    db: &Connection,
    (id, phase): (JobId, Phase),
    key: &EmailKey,
    sight: &Sight,
    now: jiff::civil::DateTime,
    settings: &Settings,
) -> rusqlite::Result<()> {
    let known = db
        .prepare_cached("SELECT 1 FROM row WHERE email_key = ?1 AND job = ?2 LIMIT 1")?
        .exists(params![key.as_str(), id.0])?;
    // A badge that this job has sent was not there before.
    if !known || rows::holder_of(db, &sight.badge_id)?.is_some_and(|(job, _)| job == id) {
        return Ok(());
    }
    // A badge that may come from a request in doubt does not count either. The poller decides about it.
    let in_doubt = db
        .prepare_cached(
            "SELECT 1 FROM row WHERE email_key = ?1 AND job = ?2 AND request IS NOT NULL AND badge IS NULL
               AND bucket IN ('sending', 'in_doubt', 'unbound', 'not_seen', 'ask') LIMIT 1",
        )?
        .exists(params![key.as_str(), id.0])?;
    if in_doubt {
        return Ok(());
    }
    let (class, why) = class_of(&sight.verdict, now, settings);
    db.prepare_cached(
        "INSERT INTO baseline (job, email_key, badge, over) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET over = excluded.over",
    )?
    .execute(params![id.0, key.as_str(), sight.badge_id.wire(), class.is_over()])?;
    let why = Reason::from(Code::Held).because("why", why).with("id", sight.badge_id.wire());
    classify(db, (id, phase), key, class, &why)
}

fn class_of(verdict: &Verdict, now: jiff::civil::DateTime, settings: &Settings) -> (DuplicateKind, Reason) {
    let (word, more) = verdict.line();
    let mut parts = vec![Reason::told(&word)];
    if !more.is_empty() {
        parts.push(Reason::told(&more));
    }
    let line = Reason::list(Code::Verdict, parts);
    let class = match verdict {
        Verdict::Valid { until: Some(until) } => {
            let left = until.end().map(|end| end.duration_since(now));
            if left.is_some_and(|l| l <= settings.expiring) {
                DuplicateKind::Expiring
            } else {
                DuplicateKind::Valid
            }
        }
        Verdict::Expired { .. } | Verdict::SaidExpired { .. } => DuplicateKind::Expired,
        Verdict::Revoked { .. } | Verdict::Revoking { .. } | Verdict::RevocationUnderWay { .. } => {
            DuplicateKind::Revoked
        }
        Verdict::Waiting { .. } | Verdict::Overdue { .. } => DuplicateKind::Waiting,
        // An unknown word may mean that the badge is valid.
        Verdict::Valid { until: None }
        | Verdict::NotYetValid { .. }
        | Verdict::SaidIssued { .. }
        | Verdict::SaidFailed { .. }
        | Verdict::Unknown { .. } => DuplicateKind::Valid,
    };
    (class, line)
}

/// Sets the kind of an address's unsent rows, unless they already have one of greater weight.
fn classify(
    db: &Connection,
    (id, phase): (JobId, Phase),
    key: &EmailKey,
    class: DuplicateKind,
    why: &Reason,
) -> rusqlite::Result<()> {
    let lighter: Vec<String> = DuplicateKind::ALL
        .iter()
        .filter(|c| c.weight() < class.weight())
        .map(|c| format!("'{}'", c.code()))
        .collect();
    db.prepare_cached(&format!(
        "UPDATE row SET class = ?3, class_why = ?4
         WHERE email_key = ?1 AND job = ?2 AND {} AND (class IS NULL OR class IN ({}))",
        judged(phase),
        lighter.join(",")
    ))?
    .execute(params![key.as_str(), id.0, class.code(), why])?;
    Ok(())
}

impl DuplicateKind {
    /// Of two kinds, the row keeps the one of greater weight.
    fn weight(self) -> u8 {
        match self {
            Self::New => 0,
            Self::Revoked => 1,
            Self::Expired => 2,
            Self::LookAlike => 3,
            Self::Expiring => 4,
            Self::Valid => 5,
            Self::Waiting => 6,
            Self::Sent => 7,
            Self::SharedAddress => 8,
            Self::Twin => 9,
        }
    }
}

/// The checks without requests: rows of the file against each other and against the journal.
fn compare(db: &Connection, id: JobId, phase: Phase) -> rusqlite::Result<()> {
    let judged = judged(phase);
    let rivals = claims::rivals(db, id, &judged)?;
    db.execute(
        &format!("UPDATE row SET seen = NULL WHERE job = ?1 AND seen IS NOT NULL AND {judged}"),
        [id.0],
    )?;
    // The reason keeps what the reading found about a valid badge. A permission ends if the person who gave it did
    // not know of this rival.
    let mut known = db.prepare_cached(
        "UPDATE row SET class_why = CASE WHEN class IN ('valid', 'waiting', 'expiring')
                                         THEN json_object('code', ?6, 'args',
                                                  json_object('all', json_array(json(class_why), json(?3))))
                                         ELSE ?3 END,
                        class = CASE WHEN class IN ('valid', 'waiting', 'expiring') THEN class ELSE 'sent' END,
                        allowed = CASE WHEN ?5 THEN allowed END, seen = ?4
         WHERE job = ?1 AND no = ?2",
    )?;
    for (no, rival, still) in rivals {
        known.execute(params![id.0, no, rival.why(), rival.slot, still, Code::Verdict.name()])?;
    }
    // The reason keeps what is known of the recipient: allowing the one does not allow the other.
    let first = format!(
        "json_set(?2, '$.args', json_object('row', (
             SELECT CAST(coalesce(min(other.line), min(other.no)) AS TEXT) {EARLIER_ROWS})))"
    );
    db.execute(
        &format!(
            "UPDATE row SET class_why = CASE WHEN class IS NULL THEN {first}
                                             ELSE json_object('code', ?3, 'args', json_object('all',
                                                  json_array(json(class_why), json({first})))) END,
                            class = coalesce(class, {})
             WHERE job = ?1 AND {judged} AND email_key <> '' AND EXISTS (SELECT 1 {EARLIER_ROWS})",
            class_in_file()
        ),
        params![id.0, Reason::from(Code::SameAddress), Code::Verdict.name()],
    )?;
    Ok(())
}

/// Earlier rows of the job with the same address. So the first of several rows is not a twin. Invalid rows do not
/// count, since they are not sent. Without `INDEXED BY`, SQLite compares every row with all rows before it.
const EARLIER_ROWS: &str = "
    FROM row AS other INDEXED BY row_key
    WHERE other.email_key = row.email_key AND other.job = row.job AND other.no < row.no
      AND other.bucket <> 'invalid'";

/// SQL expression for a row's kind by the rows before it; NULL for the first row of an address.
fn class_in_file() -> String {
    format!(
        "(SELECT CASE WHEN max(other.name = row.name) THEN 'twin' WHEN count(*) > 0 THEN 'shared_address' END
          {EARLIER_ROWS})"
    )
}

/// Gives every unsent row its status by the policies, and counts the kinds.
pub(super) fn place(
    db: &Connection,
    id: JobId,
    phase: Phase,
    policies: &super::settings::Policies,
) -> rusqlite::Result<Vec<(DuplicateKind, u64)>> {
    let judged = judged(phase);
    // Rows that an earlier check skipped are judged again.
    db.execute(
        &format!(
            "UPDATE row SET bucket = 'ready', why = NULL
             WHERE job = ?1 AND bucket IN ('ask', 'left_out') AND guarded AND {judged}"
        ),
        [id.0],
    )?;
    db.execute(&format!("UPDATE row SET guarded = 0 WHERE job = ?1 AND guarded AND {judged}"), [id.0])?;
    // A row may be of two kinds: the stricter policy applies.
    for policy in [Policy::Block, Policy::Ask] {
        // After the job began, no row is skipped unless a person sees it.
        let bucket = if policy == Policy::Block && phase == Phase::Draft {
            RowStatus::LeftOut
        } else {
            RowStatus::Ask
        };
        for class in DuplicateKind::ALL.iter().filter(|class| policies.of(**class) == policy) {
            let also = if class.is_in_file() {
                format!("OR class IS NOT NULL AND {} = ?2", class_in_file())
            } else {
                String::new()
            };
            db.execute(
                &format!(
                    "UPDATE row SET bucket = ?3, guarded = 1,
                                    why = json_set(?4, '$.args', json_object('why', json(class_why)))
                     WHERE job = ?1 AND (class = ?2 {also}) AND bucket = 'ready' AND allowed IS NOT class"
                ),
                params![id.0, class.code(), bucket.code(), Reason::class(*class)],
            )?;
        }
    }
    // A default policy does not decide about recipients whom this journal has already served.
    db.execute(
        &format!(
            "UPDATE row SET bucket = 'ask', why = class_why, guarded = 1
             WHERE job = ?1 AND bucket = 'ready' AND seen IS NOT NULL AND allowed IS NULL
               AND (class IS NULL OR class NOT IN ({}))",
            allowed_by_setting(policies)
        ),
        [id.0],
    )?;
    db.prepare("SELECT class, count(*) FROM row WHERE job = ?1 AND class IS NOT NULL GROUP BY class")?
        .query_map([id.0], |r| {
            let class = DuplicateKind::from_code(r.get_ref(0)?.as_str()?).unwrap_or(DuplicateKind::New);
            Ok((class, r.get::<_, i64>(1)?.unsigned_abs()))
        })?
        .collect()
}

/// The kinds that a setting or a flag allows, as an SQL list.
fn allowed_by_setting(policies: &super::settings::Policies) -> String {
    let codes: Vec<String> = DuplicateKind::ALL
        .iter()
        .filter(|class| policies.allows(**class))
        .map(|class| format!("'{}'", class.code()))
        .collect();
    codes.join(", ")
}

/// Condition on the table `row`: rows of this kind that a person may allow together. They are of no second kind,
/// which would need a decision of its own.
pub(super) fn only_of(class: DuplicateKind) -> String {
    let only = if class.is_in_file() { String::new() } else { format!("AND {} IS NULL", class_in_file()) };
    format!("(class = '{}' {only})", class.code())
}

/// Records that a setting or a flag allows these rows.
pub(super) fn allow_by_setting(
    db: &Connection,
    id: JobId,
    policies: &super::settings::Policies,
) -> rusqlite::Result<()> {
    db.execute(
        &format!(
            "UPDATE row SET allowed = class
             WHERE job = ?1 AND bucket = 'ready' AND allowed IS NULL AND class IN ({})",
            allowed_by_setting(policies)
        ),
        [id.0],
    )?;
    Ok(())
}

/// Queries which badges the recipient of one sent row has. If something new is found, the row needs review and
/// says why. Does nothing for an unsent row: [`guard`] reads those.
pub(super) async fn look_up(core: &Arc<Core>, job: &Job, no: u64) -> Result<(), JobError> {
    let (id, phase) = (job.id, job.phase);
    let read = move |db: &Connection| -> rusqlite::Result<Option<String>> {
        db.prepare(&format!(
            "SELECT email FROM row WHERE job = ?1 AND no = ?2 AND bucket IN ('dropped', 'ask') AND NOT {}",
            judged(phase)
        ))?
        .query_row(params![id.0, no as i64], |r| r.get(0))
        .optional()
    };
    let (Some(email), Some(template)) = (core.journal.read(read).await?, job.template_id.clone()) else {
        return Ok(());
    };
    let (key, call) = (EmailKey::of(&email), Call::interactive());
    let mut sights = Vec::new();
    for spelling in spellings(&email) {
        let mut scan = Scan::of_address(core.reader(), &spelling, &call);
        while let Some(page) = scan.next().await? {
            sights.extend(page.into_iter().filter(|sight| {
                sight.template_id.as_ref() == Some(&template) && sight.key().as_ref() == Some(&key)
            }));
        }
        core.learn_filters(&scan).await?;
        if !scan.is_complete() {
            return Err(incomplete());
        }
    }
    let (now, settings) = (core.reader().clock().now(), core.settings.clone());
    core.journal
        .write("baseline", move |db| {
            for sight in &sights {
                if rows::holder_of(db, &sight.badge_id)?.is_some() {
                    continue;
                }
                let (class, why) = class_of(&sight.verdict, now, &settings);
                let is_new = db
                    .prepare_cached("INSERT OR IGNORE INTO baseline (job, email_key, badge, over) VALUES (?1, ?2, ?3, ?4)")?
                    .execute(params![id.0, key.as_str(), sight.badge_id.wire(), class.is_over()])?;
                if is_new > 0 {
                    let held = Reason::from(Code::Held).because("why", why).with("id", sight.badge_id.wire());
                    let why = Reason::class(class).because("why", held.clone());
                    db.prepare_cached(
                        "UPDATE row SET bucket = 'ask', why = ?3, class = ?4, class_why = ?5, guarded = 0
                         WHERE job = ?1 AND no = ?2",
                    )?
                    .execute(params![id.0, no as i64, why, class.code(), held])?;
                }
            }
            Ok(())
        })
        .await?;
    core.changed(id, []);
    Ok(())
}

/// The error for an incomplete reading: lapel sends nothing.
pub(super) fn incomplete() -> JobError {
    JobError::no(t!(
        "lapel could not read the history to its end: it is not certain who already has this badge. Nothing was sent. Try again."
    ))
}

/// Whether the duplicate check is too old to send without repeating it.
pub(super) fn is_stale(core: &Core, job: &Job) -> bool {
    let (now, _) = core.moment();
    job.guarded.is_none_or(|at| {
        let age: SignedDuration = now.duration_since(at);
        age > core.settings.guard_age || now.checked_add(1.minute()).is_ok_and(|soon| soon < at)
    })
}
