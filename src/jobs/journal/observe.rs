//! Applies an observed badge to the rows that it belongs to. Every observation comes through here.

use super::behaviour::AccountBehaviour;
use super::{conditions, jobs};
use crate::domain::verdict::says_failed;
use crate::domain::{State, Verdict};
use crate::jobs::job::Touched;
use crate::jobs::journal::prelude::*;
use crate::jobs::seen_badge::{SeenBadge, SightSource};
use crate::jobs::settings::JobConfig;

/// Time after acceptance at which a waiting badge is overdue (contract, "Limits" rule 3).
const OVERDUE: SignedDuration = SignedDuration::from_hours(24);
/// Shortest time from acceptance to issue (contract, "Limits" rule 3).
const EARLIEST: SignedDuration = SignedDuration::from_mins(5);
/// Largest expected difference between two clocks.
const SKEW: SignedDuration = SignedDuration::from_mins(5);
/// Largest zone offset west of UTC.
const WESTERNMOST: SignedDuration = SignedDuration::from_hours(12);
/// Maximum attempts for a revocation in doubt. Repeating it is harmless: the service drops badges that are already
/// being revoked.
const REVOKE_TRIES: i64 = 3;

#[derive(Clone, Debug)]
pub(in crate::jobs) struct ObserveContext {
    /// The owner of the jobs.
    pub(in crate::jobs) me: String,
    /// The service and key: [`Account::of_facts`](super::Account::of_facts).
    pub(in crate::jobs) account: String,
    /// The service's time.
    pub(in crate::jobs) now: Timestamp,
    pub(in crate::jobs) settings: JobConfig,
}

#[derive(Debug, Default)]
pub(in crate::jobs) struct Observed {
    pub(in crate::jobs) touched: BTreeMap<JobId, Vec<Touched>>,
    /// Jobs with rows that may be sent now.
    pub(in crate::jobs) ready: HashSet<JobId>,
    /// A service time whose instant lapel knows. It shows the service's UTC offset.
    pub(in crate::jobs) witnessed: Option<(ServiceTime, Timestamp)>,
}

/// Condition on the table `job`: the job waits for the job that it follows. An old badge is revoked only when the
/// new one is Issued.
pub(super) const WAITS: &str = "(job.after AND EXISTS (SELECT 1 FROM row AS other
                                 WHERE other.job = job.follows AND other.bucket <> 'issued'))";

/// What an observation may change of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ObservedColumns {
    row_status: RowStatus,
    /// As stored.
    why: Option<String>,
    accepted: Option<i64>,
    status: Option<String>,
    mail: Option<String>,
    issued_at: Option<String>,
    valid_until: Option<String>,
    revoke_at: Option<String>,
    absent: Option<i64>,
}

struct ObservedRow {
    job: JobId,
    no: i64,
    kind: Kind,
    heard: bool,
    /// When the service accepted its request.
    answered: Option<i64>,
    /// Whether it said that it accepted nothing of the request.
    is_none_accepted: bool,
    tries: i64,
    /// Whether its reason says that the badge was issued twice. Later observations keep that reason.
    is_twice: bool,
    waits_for: Option<JobId>,
    was: ObservedColumns,
    now: ObservedColumns,
}

/// The observations of one operation. Reads its rows and the facts once, and writes them once, since a later badge
/// needs what an earlier one changed.
struct ObservationBatch<'a> {
    context: &'a ObserveContext,
    facts: AccountBehaviour,
    /// Number of rows that are not Issued, of the jobs that others wait for.
    unissued: HashMap<JobId, i64>,
    seen: Observed,
}

pub(super) fn observe(db: &Tx<'_>, context: &ObserveContext, sights: &[SeenBadge]) -> tx::Result<Observed> {
    let facts = AccountBehaviour::read(db, &context.account)?;
    let mut page = ObservationBatch { context, facts, unissued: HashMap::new(), seen: Observed::default() };
    let mut rows = page.rows_of(db, sights)?;
    for sight in sights {
        for (name, word) in [("status_name", &sight.status), ("email_status", &sight.mail)] {
            if let Some(word) = word {
                page.facts.learn(name, word.wire(), Code::ReadInBadges);
            }
        }
        for row in rows.get_mut(sight.badge_id.wire()).into_iter().flatten() {
            match row.kind {
                Kind::Issue => page.issue(sight, row),
                Kind::Revoke => page.revoke(sight, row),
            }
        }
    }
    write(db, rows.values().flatten())?;
    page.facts.write(db, &context.account, context.now.as_second())?;
    Ok(page.seen)
}

fn write<'a>(db: &Tx<'_>, rows: impl Iterator<Item = &'a ObservedRow>) -> tx::Result<()> {
    let changed: Vec<_> = rows
        .filter(|row| row.now != row.was)
        .map(|row| {
            let now = &row.now;
            json!([
                row.job.0,
                row.no,
                now.row_status.code(),
                now.why,
                now.accepted,
                now.status,
                now.mail,
                now.issued_at,
                now.valid_until,
                now.revoke_at,
                now.absent
            ])
        })
        .collect();
    if changed.is_empty() {
        return Ok(());
    }
    // Materialized, so that SQLite looks each row up by its key.
    db.run(
        "WITH seen AS MATERIALIZED (
             SELECT job, no, bucket, why, accepted, status, mail, issued_at, valid_until, revoke_at, absent
             FROM json_rows(?1, job bigint, no bigint, bucket text, why text, accepted bigint, status text, mail text,
                            issued_at text, valid_until text, revoke_at text, absent bigint) AS list)
         UPDATE row SET bucket = seen.bucket, why = seen.why, accepted = seen.accepted, status = seen.status,
                        mail = seen.mail, issued_at = seen.issued_at, valid_until = seen.valid_until,
                        revoke_at = seen.revoke_at, absent = seen.absent
         FROM seen WHERE row.job = seen.job AND row.no = seen.no",
        values![super::json(&changed)],
    )
}

impl ObservationBatch<'_> {
    fn rows_of(
        &mut self,
        db: &Tx<'_>,
        sights: &[SeenBadge],
    ) -> tx::Result<HashMap<String, Vec<ObservedRow>>> {
        let badges = super::json_ids(sights.iter().map(|sight| &sight.badge_id));
        let sql = "SELECT row.job, row.no, job.kind, row.bucket, row.why, row.accepted, row.status, row.mail,
                    row.issued_at, row.valid_until, row.revoke_at, row.absent, row.tries, row.badge,
                    coalesce(request.heard, FALSE), CASE WHEN request.outcome = 'accepted' THEN request.answered END,
                    reason_code(row.why) = 'issued_twice',
                    CASE WHEN job.after THEN job.follows END,
                    CASE WHEN job.after THEN (SELECT CAST(coalesce(sum(n), 0) AS BIGINT) FROM tally
                                              WHERE tally.job = job.follows AND tally.bucket <> 'issued') END,
                    coalesce(request.accepted = 0, FALSE)
             FROM row JOIN job ON job.id = row.job LEFT JOIN request ON request.id = row.request
             WHERE row.badge IN json_list(?1, text) AND job.owner = ?2 AND job.phase <> 'draft'
             ORDER BY row.job, row.no";
        let found: Vec<(String, Option<i64>, ObservedRow)> =
            db.rows(sql, values![badges, self.context.me], |r| {
                let now = ObservedColumns {
                    row_status: jobs::row_status(r, "bucket")?,
                    why: r.get(4)?,
                    accepted: r.get(5)?,
                    status: r.get(6)?,
                    mail: r.get(7)?,
                    issued_at: r.get(8)?,
                    valid_until: r.get(9)?,
                    revoke_at: r.get(10)?,
                    absent: r.get(11)?,
                };
                let row = ObservedRow {
                    job: JobId(r.get(0)?),
                    no: r.get(1)?,
                    kind: r.get(2)?,
                    heard: r.get(14)?,
                    answered: r.get(15)?,
                    is_none_accepted: r.get(19)?,
                    tries: r.get(12)?,
                    is_twice: r.get::<Option<bool>>(16)?.unwrap_or(false),
                    waits_for: r.get::<Option<i64>>(17)?.map(JobId),
                    was: now.clone(),
                    now,
                };
                Ok((r.get(13)?, r.get(18)?, row))
            })?;
        let mut all: HashMap<String, Vec<ObservedRow>> = HashMap::new();
        for (badge, unissued, row) in found {
            if let (Some(job), Some(unissued)) = (row.waits_for, unissued) {
                self.unissued.insert(job, unissued);
            }
            all.entry(badge).or_default().push(row);
        }
        Ok(all)
    }

    fn issue(&mut self, sight: &SeenBadge, row: &mut ObservedRow) {
        let before = row.now.row_status;
        if before == RowStatus::Skipped {
            return;
        }
        let accepted = row.now.accepted.and_then(|s| Timestamp::from_second(s).ok());
        let late = accepted.is_some_and(|at| self.context.now.duration_since(at) > OVERDUE);
        let state = match sight.verdict.state() {
            State::Other(_) => self.meaning(sight, row, accepted),
            known => known,
        };
        let row_status = match state {
            State::Waiting if late => RowStatus::Overdue,
            State::Waiting => RowStatus::Waiting,
            State::Issued | State::Expired => RowStatus::Issued,
            State::Revoking => RowStatus::Revoking,
            State::Revoked => RowStatus::Revoked,
            State::Other(ref word) if says_failed(word) => RowStatus::NeedsReview,
            State::Other(_) => RowStatus::UnknownState,
        };
        // The service accepted the revocation, and may be slow to show it.
        let is_unseen = before == RowStatus::Revoking
            && row.now.revoke_at.is_none()
            && (row_status.awaits_issue() || row_status == RowStatus::Issued);
        if is_unseen && self.unseen_for(row).is_none_or(|time| time < self.context.settings.doubt_window) {
            return;
        }
        let failed = (row_status == RowStatus::NeedsReview).then(|| {
            let label = sight.status.as_ref().map_or("", Text::wire);
            Reason::from(Code::IssuingFailed).with("label", label)
        });
        if sight.place == SightSource::History && row_status == RowStatus::Waiting {
            self.facts.learn("waiting_in_history", "shown", Code::WaitingInHistory);
        }
        if sight.place == SightSource::Detail && row_status == RowStatus::Waiting {
            self.facts.learn("waiting_by_id", "shown", Code::WaitingById);
        }
        if row.heard
            && let (Some(reg), Some(at)) = (&sight.reg_date, accepted)
        {
            self.seen.witnessed = Some((reg.clone(), at));
        }
        self.keep(row, row_status, failed.as_ref(), Some(sight));
        if row_status != before {
            self.note(row.job, sight, row_status);
        }
    }

    /// The meaning of an unknown word, as far as the service's behaviour proves it. A word that is read before an
    /// issue can be complete means waiting. The word after that means Issued, if the time of issue changed together
    /// with the word and there is no revocation. A time of issue alone proves nothing: a waiting badge may show its
    /// time of acceptance there.
    fn meaning(&mut self, sight: &SeenBadge, row: &ObservedRow, accepted: Option<Timestamp>) -> State {
        let unknown = sight.verdict.state();
        let (State::Other(word), Some(_)) = (&unknown, &sight.status) else { return unknown };
        if sight.revoke_at.is_some() || word.looks_empty() || says_failed(word) {
            return unknown;
        }
        let fresh = row.heard && accepted.is_some_and(|at| self.context.now.duration_since(at) < EARLIEST);
        if fresh {
            self.facts.learn(&fact_of(word), "waiting", Code::ReadEarly);
        } else if let Some(issued_at) = &sight.issued_at
            && row.now.issued_at.as_deref() != Some(issued_at.raw().wire())
            && let Some(before) = row.now.status.as_deref().filter(|before| *before != word.wire())
            && self.facts.settled(&fact_of(&before.into())) == Some("waiting")
        {
            self.facts.learn(&fact_of(word), "issued", Code::FollowedWaiting);
        }
        match self.facts.settled(&fact_of(word)) {
            Some("waiting") => State::Waiting,
            Some("issued") => State::Issued,
            _ => unknown,
        }
    }

    fn revoke(&mut self, sight: &SeenBadge, row: &mut ObservedRow) {
        let state = sight.verdict.state();
        let waits = row.waits_for.and_then(|job| self.unissued.get(&job)).is_some_and(|left| *left > 0);
        let (row_status, why) = match (row.now.row_status, &state) {
            (RowStatus::ToRevoke, _) if waits => return,
            (RowStatus::ToRevoke, State::Issued | State::Expired) => {
                self.seen.ready.insert(row.job);
                (RowStatus::Ready, None)
            }
            (RowStatus::ToRevoke, State::Revoking | State::Revoked) => (
                RowStatus::Skipped,
                Some(Reason::from(Code::AlreadyByAnother).because("state", Reason::state(&state))),
            ),
            (
                RowStatus::InDoubt | RowStatus::BeingChecked | RowStatus::NotAccepted | RowStatus::Revoking,
                State::Revoked,
            ) => (RowStatus::Revoked, None),
            (RowStatus::InDoubt | RowStatus::BeingChecked | RowStatus::NotAccepted, State::Revoking) => {
                (RowStatus::Revoking, None)
            }
            (RowStatus::Revoking, State::Revoking) => {
                row.now.absent = None;
                return;
            }
            (RowStatus::InDoubt | RowStatus::BeingChecked | RowStatus::Revoking, _) => {
                return self.without(sight, row, &state);
            }
            _ => return,
        };
        self.keep(row, row_status, why.as_ref(), Some(sight));
        if row_status.is_revocation() {
            // Only now is it known that it was among those that were accepted.
            row.now.accepted = row.now.accepted.or(row.answered);
        }
        self.note(row.job, sight, row_status);
    }

    /// Handles a badge without a visible revocation although one was sent. It takes two polls some time apart to
    /// conclude that there is none: the first may have come before the service acted. If the service accepted some
    /// badges of the request and does not show all of them yet, nobody knows which: then only time tells, or their
    /// number ([`rule_out`]). A badge with a new unknown word proves nothing.
    fn without(&mut self, sight: &SeenBadge, row: &mut ObservedRow, state: &State) {
        if let State::Other(word) = state
            && row.now.status.as_deref() != Some(word.wire())
        {
            return;
        }
        let Some(apart) = self.unseen_for(row) else { return };
        let settings = &self.context.settings;
        let now = self.context.now.as_second();
        let since = SignedDuration::from_secs(row.answered.map_or(0, |at| now.saturating_sub(at)));
        let can_tell = row.is_none_accepted || since >= settings.doubt_window;
        let is_dropped = match row.now.row_status {
            RowStatus::BeingChecked => can_tell && apart >= settings.scans_apart,
            // As long as for the row that issued the badge.
            RowStatus::Revoking => apart >= settings.doubt_window,
            _ => false,
        };
        let (row_status, why) = match row.now.row_status {
            _ if is_dropped => {
                row.now.accepted = None;
                (
                    RowStatus::NotAccepted,
                    Reason::from(Code::LeftOutOfIt).because("state", Reason::state(state)),
                )
            }
            // A slow service may still be processing it.
            RowStatus::InDoubt if apart >= settings.absence_after && row.tries < REVOKE_TRIES => {
                self.seen.ready.insert(row.job);
                (RowStatus::Ready, Code::RevokedAgain.into())
            }
            RowStatus::InDoubt if apart >= settings.absence_after => {
                (RowStatus::Refused, Code::RevocationNotSeen.into())
            }
            _ => return,
        };
        self.keep(row, row_status, Some(&why), None);
        self.note(row.job, sight, row_status);
    }

    /// How long polls have not shown the revocation of a row's badge; `None` if this poll is the first.
    fn unseen_for(&self, row: &mut ObservedRow) -> Option<SignedDuration> {
        let now = self.context.now.as_second();
        let first = row.now.absent;
        row.now.absent = first.or(Some(now));
        first.map(|first| SignedDuration::from_secs(now.saturating_sub(first)))
    }

    /// Sets a row's status and keeps what was seen.
    fn keep(
        &mut self,
        row: &mut ObservedRow,
        row_status: RowStatus,
        why: Option<&Reason>,
        sight: Option<&SeenBadge>,
    ) {
        let now = &mut row.now;
        if let Some(left) = self.unissued.get_mut(&row.job) {
            *left +=
                i64::from(now.row_status == RowStatus::Issued) - i64::from(row_status == RowStatus::Issued);
        }
        now.row_status = row_status;
        now.absent = None;
        let Some(sight) = sight else {
            now.why = why.map(stored);
            row.is_twice = false;
            return;
        };
        if !row.is_twice {
            let other = match &sight.verdict {
                Verdict::Unknown { label } | Verdict::SaidIssued { label } => {
                    Some(Reason::from(Code::ServiceWord).with("label", label.wire()))
                }
                _ => None,
            };
            now.why = why.or(other.as_ref()).map(stored);
        }
        let text = |t: &Option<Text>| t.as_ref().map(|t| t.wire().to_owned());
        let time = |t: &Option<ServiceTime>| t.as_ref().map(|t| t.raw().wire().to_owned());
        now.status = text(&sight.status);
        now.mail = text(&sight.mail);
        now.issued_at = time(&sight.issued_at);
        now.valid_until = time(&sight.valid_until);
        now.revoke_at = time(&sight.revoke_at);
    }

    fn note(&mut self, job: JobId, sight: &SeenBadge, row_status: RowStatus) {
        self.seen.touched.entry(job).or_default().push(Touched::of(&sight.badge_id, row_status));
    }
}

/// The name of the fact that tells what a word of the service means.
fn fact_of(word: &Text) -> String {
    format!("means {}", word.wire())
}

/// Rules badges out by number. If as many badges of a revoke request are revoked as the service accepted, the
/// others were not accepted. Then one poll that does not show them as revoked is enough. This applies only if
/// revoked badges confirm the number, and only if no badge was in an earlier request, which may have revoked it.
fn rule_out(db: &Tx<'_>, job: JobId, zone: Option<Offset>) -> tx::Result<u64> {
    let short: Vec<(i64, i64, i64, i64)> = db.all(
        "SELECT id, intent, accepted, rows FROM request
             WHERE job = ?1 AND outcome = 'accepted' AND accepted > 0 AND accepted < rows
               AND (SELECT kind FROM job WHERE id = ?1) = 'revoke'
               AND EXISTS (SELECT 1 FROM row WHERE request = request.id AND bucket = 'unproven')
               AND NOT EXISTS (SELECT 1 FROM row WHERE request = request.id AND tries > 1)",
        values![job.0],
    )?;
    let mut moved = 0;
    for (request, intent, accepted, sent) in short {
        let times: Vec<Option<String>> = db.all(
            "SELECT revoke_at FROM row WHERE request = ?1 AND bucket IN ('revoking', 'revoked')",
            values![request],
        )?;
        let intent = Timestamp::from_second(intent).unwrap_or(Timestamp::UNIX_EPOCH);
        let proven = times.iter().filter(|at| is_since(at.as_deref(), intent, zone)).count();
        // With more of them, the number proves nothing.
        if proven as i64 != accepted {
            continue;
        }
        let why = Reason::from(Code::NotAmongThem).with("accepted", accepted).with("sent", sent);
        moved += db.execute(
            "UPDATE row SET bucket = 'dropped', why = ?2
                 WHERE request = ?1 AND bucket = 'unproven' AND absent IS NOT NULL",
            values![request, why],
        )?;
    }
    Ok(moved as u64)
}

/// Says which revocations are older than their request, so that others made them. It says so only if the service
/// accepted fewer badges than were sent, and never of a badge that was in an earlier request.
fn name_older(db: &Tx<'_>, job: JobId, zone: Option<Offset>) -> tx::Result<()> {
    let revoked: Vec<(i64, Option<String>, i64, RowStatus)> = db.rows(
        "SELECT row.no, row.revoke_at, request.intent, row.bucket
             FROM row JOIN request ON request.id = row.request
             WHERE row.job = ?1 AND row.bucket IN ('revoking', 'revoked') AND row.why IS NULL AND row.tries <= 1
               AND (SELECT kind FROM job WHERE id = ?1) = 'revoke'
               AND request.outcome = 'accepted' AND request.accepted < request.rows",
        values![job.0],
        |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, jobs::row_status(r, "bucket")?)),
    )?;
    for (no, at, intent, row_status) in revoked {
        let intent = Timestamp::from_second(intent).unwrap_or(Timestamp::UNIX_EPOCH);
        if is_since(at.as_deref(), intent, zone) {
            continue;
        }
        let state = if row_status == RowStatus::Revoking { State::Revoking } else { State::Revoked };
        let why = Reason::from(Code::AlreadyByAnother).because("state", Reason::state(&state));
        db.execute(
            "UPDATE row SET why = ?3, accepted = NULL WHERE job = ?1 AND no = ?2",
            values![job.0, no, why],
        )?;
    }
    Ok(())
}

/// Notes the absence of a badge to revoke that the service does not know: a poll did not show it as revoked.
pub(super) fn note_absence(db: &Tx<'_>, context: &ObserveContext, badge: &BadgeId) -> tx::Result<()> {
    db.run(
        "UPDATE row SET absent = coalesce(absent, ?3)
         WHERE badge = ?1 AND bucket = 'unproven' AND job IN (SELECT id FROM job WHERE owner = ?2)",
        values![badge.wire(), context.me, context.now.as_second()],
    )
}

/// Marks the rows that issued the badges of an accepted revoke request, which were read earlier: the service accepts only
/// Issued badges. Only in jobs of the same owner: each process changes its own jobs. Returns the changed jobs.
pub(super) fn revocation_accepted(db: &Tx<'_>, job: JobId, request: i64) -> tx::Result<BTreeSet<JobId>> {
    let issued = conditions::statuses(|it| it.awaits_issue() || it == RowStatus::Issued);
    // Materialized, so that SQLite looks each row up by its badge.
    db.all(
        &format!(
            "WITH sent AS MATERIALIZED (
                 SELECT badge FROM row WHERE request = ?2 AND bucket = 'revoking' AND badge IS NOT NULL)
             UPDATE row SET bucket = 'revoking', why = CASE WHEN reason_code(why) = 'issued_twice' THEN why END,
                            absent = NULL
             FROM sent, job
             WHERE row.badge = sent.badge AND row.bucket IN ({issued}) AND job.id = row.job AND job.kind = 'issue'
               AND (job.owner, job.base_url) = (SELECT owner, base_url FROM job WHERE id = ?1)
             RETURNING row.job"
        ),
        values![job.0, request],
    )
}

/// Whether a request may have caused a revocation. A revocation that is certainly older has another cause.
fn is_since(revoked: Option<&str>, intent: Timestamp, zone: Option<Offset>) -> bool {
    let Some(at) = revoked.and_then(ServiceTime::new).and_then(|at| at.start()) else { return true };
    // Without an offset, the latest possible instant.
    let latest = match zone {
        Some(zone) => zone.to_timestamp(at).ok(),
        None => Offset::UTC.to_timestamp(at).ok().and_then(|at| at.checked_add(WESTERNMOST).ok()),
    };
    latest.is_none_or(|at| at.duration_since(intent) >= -SKEW)
}

/// Keeps the old badge if its replacement was not issued.
fn keep_old(db: &Tx<'_>, job: JobId) -> tx::Result<()> {
    db.run(
        "UPDATE row SET bucket = 'left_out', why = reason_with_text(?2, 'issue', (SELECT CAST(follows AS TEXT) FROM job WHERE id = ?1))
             WHERE job = ?1 AND bucket = 'queued' AND (SELECT after FROM job WHERE id = ?1)
               AND EXISTS (SELECT 1 FROM row AS other
                           WHERE other.job = (SELECT follows FROM job WHERE id = ?1)
                             AND other.bucket IN ('left_out', 'invalid', 'not_done', 'dropped', 'revoking',
                                                  'revoked'))",
        values![job.0, Reason::from(Code::NotReplaced)],
    )
}

/// Ends rows of an undo that wait for a badge which will not come: a person left the row, or it was not accepted,
/// refused or cancelled.
fn without_badge(db: &Tx<'_>, job: JobId) -> tx::Result<()> {
    db.run(
        "UPDATE row SET bucket = 'left_out', why = reason_with_text(?2, 'issue', CAST(of_job AS TEXT))
         WHERE job = ?1 AND bucket = 'queued' AND badge IS NULL
           AND EXISTS (SELECT 1 FROM row AS undone
                       WHERE undone.job = row.of_job AND undone.no = row.of_no AND undone.badge IS NULL
                         AND undone.bucket IN ('left_out', 'invalid', 'not_done', 'dropped'))",
        values![job.0, Reason::from(Code::NoBadge)],
    )
}

/// Queues the old badge for revocation again if its replacement is sent after all.
pub(super) fn replace_again(db: &Tx<'_>, issue: JobId) -> tx::Result<()> {
    db.run(
        "UPDATE row SET bucket = 'queued', why = reason_with_text(?2, 'issue', CAST(?1 AS TEXT))
         WHERE job IN (SELECT id FROM job WHERE follows = ?1 AND after AND phase <> 'cancelled')
           AND bucket = 'left_out' AND reason_code(why) = ?3",
        values![issue.0, Reason::from(Code::WhenIssued), Code::NotReplaced.name()],
    )
}

/// The statuses that follow from time and from other rows, for the jobs of a poll.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct MarkOverdue {
    pub(in crate::jobs) me: String,
    pub(in crate::jobs) jobs: Vec<JobId>,
    /// The service's time.
    pub(in crate::jobs) now: Timestamp,
    /// The service's UTC offset, if it is known.
    pub(in crate::jobs) zone: Option<Offset>,
    /// Badges that could not be read: they may be issued.
    pub(in crate::jobs) unread: Vec<BadgeId>,
}

/// Marks overdue badges, keeps old badges whose replacement failed, ends the wait for badges that will not come, rules badges out by number, and names revocations by
/// others.
pub(super) fn mark_overdue(db: &Tx<'_>, args: &MarkOverdue) -> tx::Result<()> {
    for id in jobs::owned(db, &args.jobs, &args.me)? {
        overdue(db, args, id)?;
        keep_old(db, id)?;
        without_badge(db, id)?;
        rule_out(db, id, args.zone)?;
        name_older(db, id, args.zone)?;
    }
    Ok(())
}

/// Marks badges as overdue that were accepted more than a day ago and not seen as issued.
fn overdue(db: &Tx<'_>, args: &MarkOverdue, job: JobId) -> tx::Result<()> {
    let before = args.now.as_second() - OVERDUE.as_secs();
    db.run(
        "UPDATE row SET bucket = 'overdue', why = CASE WHEN reason_code(why) = 'issued_twice' THEN why ELSE ?3 END
             WHERE job = ?1 AND bucket = 'waiting' AND accepted < ?2
               AND (badge IS NULL OR badge NOT IN json_list(?4, text))",
        values![job.0, before, Reason::from(Code::Overdue), super::json_ids(&args.unread)],
    )
}

#[cfg(test)]
mod tests;
