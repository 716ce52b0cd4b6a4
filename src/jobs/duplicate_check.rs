//! The duplicate guard: who already holds this badge, may get it twice, or is written in two ways.

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
    /// What was found of a row before anything is sent.
    DuplicateKind {
        /// Nothing: the person does not hold this badge.
        New = "new", tr_noop!("new");
        /// The same address and the same name stand in an earlier row of the file.
        Twin = "twin", tr_noop!("twice in the file");
        /// The same address under another name stands in an earlier row of the file: a shared mailbox, or a slip.
        SharedAddress = "shared_address", tr_noop!("one address, two names");
        /// The person holds it, and it is valid.
        Valid = "valid", tr_noop!("holds it already");
        /// The person holds it, and it expires soon.
        Expiring = "expiring", tr_noop!("holds it, expires soon");
        /// The person held it, and it has expired: a renewal.
        Expired = "expired", tr_noop!("held it, expired");
        /// The person held it, and it was or is being revoked: a re-issue.
        Revoked = "revoked", tr_noop!("held it, revoked");
        /// One is accepted and waits to be issued.
        Waiting = "waiting", tr_noop!("one is waiting already");
        /// A job of this journal has sent one that the service does not show yet.
        Sent = "sent", tr_noop!("sent before, not visible yet");
        /// Somebody holds it whose address differs only by dots, a plus tag or such.
        LookAlike = "look_alike", tr_noop!("a similar address holds it");
    }
}

words! {
    /// What happens with a row of a class.
    Policy {
        /// It is left out.
        Block = "block", tr_noop!("left out");
        /// A person decides.
        Ask = "ask", tr_noop!("asked about");
        /// It is sent.
        Allow = "allow", tr_noop!("sent");
    }
}

impl DuplicateKind {
    /// Whether a person would get such a badge twice, or may.
    pub fn is_duplicate(self) -> bool {
        matches!(self, Self::Twin | Self::Valid | Self::Expiring | Self::Waiting | Self::Sent)
    }

    /// Whether it comes from other rows of the file. A row can be of another class besides.
    const fn is_in_file(self) -> bool {
        matches!(self, Self::Twin | Self::SharedAddress)
    }

    /// Whether the badge that was found is not valid any more: another one is a renewal.
    fn is_over(self) -> bool {
        matches!(self, Self::Expired | Self::Revoked)
    }

    /// What happens unless the profile says otherwise.
    pub fn default_policy(self) -> Policy {
        match self {
            Self::New | Self::Expired | Self::Expiring => Policy::Allow,
            Self::Twin | Self::Waiting | Self::Sent => Policy::Block,
            Self::SharedAddress | Self::Valid | Self::Revoked | Self::LookAlike => Policy::Ask,
        }
    }
}

/// Up to so many addresses are looked up without asking what title pages would cost.
const FEW: usize = 2;

/// Where not all pages could be read, up to this many addresses are looked up one by one instead.
const FEW_LOOK_UPS: usize = 200;

/// How far a guard has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guarding {
    /// Requests that were made.
    pub done: u64,
    /// Requests that it will take, as far as the counts tell.
    pub all: u64,
}

/// What a guard found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guarded {
    /// Rows of each class but [`DuplicateKind::New`].
    pub classes: Vec<(DuplicateKind, u64)>,
    /// Whether everything was read; otherwise somebody may hold the badge all the same.
    pub complete: bool,
    /// Requests that it took.
    pub requests: u64,
    /// Jobs that were paused or have stopped before they sent to some of these people, and to how many: resuming
    /// them is better than issuing anew. Where the draft is begun, those jobs do not send to these people any
    /// more.
    pub unsent: Vec<(JobId, u64)>,
}

impl Guarded {
    /// What a person should know before the draft is begun.
    pub fn warnings(&self) -> Vec<String> {
        let warning = |(job, n): &(JobId, u64)| {
            plural!(
                *n,
                "{n} of these people is unsent in job {job}: resume it instead.",
                "{n} of these people are unsent in job {job}: resume it instead.",
                job
            )
        };
        self.unsent.iter().map(warning).collect()
    }
}

impl Jobs {
    /// Reads what the recipients of an issue job hold already, by the cheaper of addresses and title pages,
    /// keeps it as the baseline that doubts are later settled by, and puts every row that was not sent where
    /// the policies say. What a person has allowed stays allowed while nothing new is found.
    ///
    /// # Errors
    /// When the service cannot be asked, or the journal cannot be used; the job is as it was then, and the
    /// guard can be asked for again.
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

/// The rows of an issue job that are judged: those that were certainly not sent.
fn judged(phase: Phase) -> String {
    rules::condition(Step::Judge, Kind::Issue, phase)
}

/// The addresses of a job's unsent rows, once each, with one spelling.
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
    // A few requests are a person's; hundreds are work in the background.
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
            // What a page hides that is empty and should not be, single look-ups show, where they are few.
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
            // What was refused before this reading is proven by it, where it is complete.
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

/// Forgets what an earlier guard found of rows that were not sent.
fn forget(db: &Connection, id: JobId, phase: Phase) -> rusqlite::Result<()> {
    db.execute(&format!("UPDATE row SET class = NULL WHERE job = ?1 AND {}", judged(phase)), [id.0])?;
    Ok(())
}

/// What addresses have in common that differ only by dots or a plus tag before the @: the same mailbox with
/// some providers, another one with others.
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

/// Keeps a badge that somebody of the job holds.
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
    // What this job has sent is nothing that was there before.
    if !known || rows::holder_of(db, &sight.badge_id)?.is_some_and(|(job, _)| job == id) {
        return Ok(());
    }
    // Nor is what may have come of a request in doubt: that is for a look to settle.
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
        // A word that lapel does not know may mean that the badge is valid.
        Verdict::Valid { until: None }
        | Verdict::NotYetValid { .. }
        | Verdict::SaidIssued { .. }
        | Verdict::SaidFailed { .. }
        | Verdict::Unknown { .. } => DuplicateKind::Valid,
    };
    (class, line)
}

/// Gives the unsent rows of an address a class, unless they have one that weighs more.
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
    /// Of two classes, the heavier one is what a person should know.
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

/// What no request is needed for: the file's rows with one another, and with the journal.
fn compare(db: &Connection, id: JobId, phase: Phase) -> rusqlite::Result<()> {
    let judged = judged(phase);
    let rivals = claims::rivals(db, id, &judged)?;
    db.execute(
        &format!("UPDATE row SET seen = NULL WHERE job = ?1 AND seen IS NOT NULL AND {judged}"),
        [id.0],
    )?;
    // What the reading shows of a valid badge stays said. What a person has allowed who did not know of this
    // one is not allowed any more.
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
    // What is known of the person stays said: a person who allows the one has not allowed the other.
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

/// The rows of one address before a row of a job. The first of several rows is no twin; rows that will not be
/// sent make none. Without the index named, every row is compared with all before it.
const EARLIER_ROWS: &str = "
    FROM row AS other INDEXED BY row_key
    WHERE other.email_key = row.email_key AND other.job = row.job AND other.no < row.no
      AND other.bucket <> 'invalid'";

/// What a row is because of the rows before it, as an expression: NULL where it is the first of its address.
fn class_in_file() -> String {
    format!(
        "(SELECT CASE WHEN max(other.name = row.name) THEN 'twin' WHEN count(*) > 0 THEN 'shared_address' END
          {EARLIER_ROWS})"
    )
}

/// Puts every row that was not sent where the policies say, and counts.
pub(super) fn place(
    db: &Connection,
    id: JobId,
    phase: Phase,
    policies: &super::settings::Policies,
) -> rusqlite::Result<Vec<(DuplicateKind, u64)>> {
    let judged = judged(phase);
    // What an earlier guard left out is judged again.
    db.execute(
        &format!(
            "UPDATE row SET bucket = 'ready', why = NULL
             WHERE job = ?1 AND bucket IN ('ask', 'left_out') AND guarded AND {judged}"
        ),
        [id.0],
    )?;
    db.execute(&format!("UPDATE row SET guarded = 0 WHERE job = ?1 AND guarded AND {judged}"), [id.0])?;
    // A row may be of two classes: the stricter policy counts.
    for policy in [Policy::Block, Policy::Ask] {
        // Once a job is begun, nothing is left out without a person who sees it.
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
    // A usual policy is nobody's decision about people whom this journal has served.
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

/// The classes whose rows a setting or a flag lets pass, for a statement.
fn allowed_by_setting(policies: &super::settings::Policies) -> String {
    let codes: Vec<String> = DuplicateKind::ALL
        .iter()
        .filter(|class| policies.allows(**class))
        .map(|class| format!("'{}'", class.code()))
        .collect();
    codes.join(", ")
}

/// Rows of a class that a person may allow together: they are of no other class besides, which another decision
/// has to cover. (A condition on the table `row`.)
pub(super) fn only_of(class: DuplicateKind) -> String {
    let only = if class.is_in_file() { String::new() } else { format!("AND {} IS NULL", class_in_file()) };
    format!("(class = '{}' {only})", class.code())
}

/// Writes down that the rows which a setting or a flag lets pass are allowed by it.
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

/// Looks up what the person of one row holds that was sent before. What was not known needs review: the row says
/// so from now on. Does nothing for a row that was not sent: [`guard`] reads those.
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

/// Nobody is sent anything by a reading that is not complete.
pub(super) fn incomplete() -> JobError {
    JobError::no(t!(
        "The history could not be read to its end, so it is not certain who holds this badge already. Nothing was sent. Try again."
    ))
}

/// Whether a guard's reading is too old to be sent by.
pub(super) fn is_stale(core: &Core, job: &Job) -> bool {
    let (now, _) = core.moment();
    job.guarded.is_none_or(|at| {
        let age: SignedDuration = now.duration_since(at);
        age > core.settings.guard_age || now.checked_add(1.minute()).is_ok_and(|soon| soon < at)
    })
}
