//! A job: its kind, its phase, and the status of each row.

use super::coded::coded;
use super::duplicate_kind::DuplicateKind;
use super::intake::{self, Choices, ColumnMap, PASTED};
use super::reason::{Code, Reason};
use super::row_status::{Claim, Counts, RowStatus};
use crate::jobs::prelude::*;

/// Number of a job in the journal. Never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct JobId(pub i64);

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

coded! {
    Kind {
        Issue = "issue", tr_noop!("issue");
        Revoke = "revoke", tr_noop!("revoke");
    }
}

coded! {
    /// What a job may do next. The phase does not tell whether a job is finished; its rows do.
    Phase {
        /// Planned: lapel checks it and a person reviews and corrects it. Nothing may be sent.
        Draft = "draft", tr_noop!("draft");
        /// Ready rows may be sent.
        Running = "running", tr_noop!("running");
        Paused = "paused", tr_noop!("paused");
        /// The job stopped by itself; [`Job::stop`] says why.
        Stopped = "stopped", tr_noop!("stopped");
        /// A person cancelled the rows that were not sent.
        Cancelled = "cancelled", tr_noop!("cancelled");
        /// The job continues in another journal. This one only keeps a record.
        Moved = "moved", tr_noop!("moved");
    }
}

coded! {
    /// Why a job stopped by itself. Every one can be resumed.
    StopKind {
        /// HTTP 422: most likely the issue quota (contract, "Errors": 422 is tied to the quota, without a code).
        Quota = "quota", tr_noop!("quota exceeded");
        /// The service refused the key or this computer's IP address.
        Refused = "refused_key", tr_noop!("access refused");
        BadRequest = "bad_request", tr_noop!("request refused");
        NotReached = "not_reached", tr_noop!("service not reachable");
        /// Several requests in a row ended in doubt.
        Doubt = "doubt", tr_noop!("too many answers lost");
        Interrupted = "interrupted", tr_noop!("interrupted");
        Journal = "journal", tr_noop!("journal not writable");
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    pub kind: StopKind,
    /// What happened, what was changed, and what to do.
    pub why: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobOrigin {
    /// File name; `None` for pasted text.
    pub file: Option<Text>,
    /// SHA-256 of the bytes, in hex.
    pub sha256: String,
    pub columns: Vec<Text>,
    /// Encoding, delimiter and header row.
    pub read_as: Reason,
    pub map: Option<ColumnMap>,
    /// `None` for pasted text.
    pub source: Option<FileSource>,
}

impl JobOrigin {
    pub fn name(&self) -> Localizable {
        self.file.as_ref().map_or(Localizable::of(PASTED), |file| Localizable::verbatim(file.to_string()))
    }

    /// What the rows came from, and how it was read.
    pub fn words(&self) -> Localizable {
        let file = self.name();
        if self.read_as.is_empty() {
            localizable!("from {file}", file)
        } else if self.file.is_none() {
            localizable!("from {read_as}", read_as = self.read_as)
        } else {
            localizable!("from {file} ({read_as})", file, read_as = self.read_as)
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSource {
    pub path: PathBuf,
    pub choices: Choices,
    /// Whether a column of the file named the template of each row.
    pub by_column: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Label for people: `process 4711`.
    pub label: Reason,
    pub is_me: bool,
    pub is_alive: bool,
    /// Another process of a team. This one may act on the job, unless that one is sending it.
    pub is_colleague: bool,
}

/// In the journal between the person who began a job and their computer. No name has it.
const ON: char = '\t';

/// Earlier versions marked a person who used the TUI.
const TUI_MARK: &str = " (tui)";

/// Who began a job, as the journal keeps it. The computer is known if a team shares the journal.
pub(super) fn with_computer(who: &str, computer: Option<&str>) -> String {
    computer.map_or_else(|| who.to_owned(), |computer| format!("{who}{ON}{computer}"))
}

/// The person and the computer of [`with_computer`]. Earlier versions kept only the person.
pub(super) fn apart(kept: &str) -> (&str, Option<&str>) {
    let (who, computer) = kept.split_once(ON).map_or((kept, None), |(who, computer)| (who, Some(computer)));
    (who.strip_suffix(TUI_MARK).unwrap_or(who), computer)
}

/// Totals over the job's accepted requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcceptedCount {
    /// Sum of the service's `accepted_count`.
    pub accepted: u64,
    /// Number of entries that those requests sent.
    pub sent: u64,
}

/// A snapshot of a job, without its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    pub id: JobId,
    pub kind: Kind,
    pub phase: Phase,
    pub stop: Option<Stop>,
    /// The template's title, or the reason of the revocation.
    pub title: Text,
    /// `None` for a revocation.
    pub template_id: Option<TemplateId>,
    pub origin: Option<JobOrigin>,
    /// When the job was planned, by this computer's clock.
    pub created: Timestamp,
    /// When a row last changed its status, by this computer's clock.
    pub updated: Timestamp,
    pub counts: Counts,
    /// Rows that need review and were certainly not sent.
    pub held: u64,
    /// Whether a row may have been sent about which nothing more is done: a person resolved it, or sent it again. Only of a
    /// job that has nothing to send or to check and of which nothing was issued or revoked, or of which all was revoked.
    pub left_in_doubt: bool,
    /// Whether it ended with rows that a person cancelled before they were sent.
    pub has_cancelled_rows: bool,
    /// What a person should know about the whole job. It stays.
    pub note: Option<Reason>,
    /// What the last check could not read, or why the journal could not be written, until that succeeds.
    pub trouble: Option<Reason>,
    /// Answers that came after another process took the job over: evidence about rows in doubt.
    pub late_answers: Vec<Reason>,
    /// `None` if the service did not report it.
    pub accepted: Option<AcceptedCount>,
    /// Requests without a response yet.
    pub in_flight: u64,
    /// Time of the next poll, in the service's UTC. `None` when nothing is open.
    pub next_poll: Option<Timestamp>,
    /// `None` when no process owns the job.
    pub owner: Option<Owner>,
    pub profile: String,
    /// The job whose badges this one revokes, or whose end it waits for.
    pub follows: Option<JobId>,
    /// The names of a revocation that replaces a badge; `None` for any other job, or after its names were removed.
    pub replaced: Option<Replaced>,
    /// When the duplicate check last read the whole history, in the service's UTC. `None` before that.
    pub checked: Option<Timestamp>,
    /// Whether names and addresses were removed. Nothing of this job can be sent any more.
    pub is_purged: bool,
    pub refusals: Refusals,
    /// `None` for a draft, for jobs of earlier versions, and unless a team shares the journal.
    pub begun: Option<BegunBy>,
    /// Who paused or cancelled it, on which computer, and when. `None` for other jobs, and unless a team shares the journal.
    pub halted_by: Option<Reason>,
}

/// What is known of the requests that the service refused with HTTP 422, and may have accepted in part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusals {
    /// Their rows that are in doubt or never seen. Resuming sends them if a check proves that nothing of their request was
    /// accepted.
    pub unproven: u64,
    /// The same of ready rows: those of a halted job.
    pub unproven_ready: u64,
    /// Whether no check proves for a long time that these requests did nothing.
    pub is_not_provable: bool,
    /// Whether lapel still has to find out if they did something.
    pub awaits_proof: bool,
}

/// Who began a job of a team's journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BegunBy {
    /// Their login of the database.
    pub who: Text,
    /// The computer, if the journal has it.
    pub computer: Option<Text>,
}

/// The names, or the addresses if the name is the same, of a badge and of the corrected one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    pub old: Text,
    pub new: Text,
    /// Whether the job also has the second part: the issue of the corrected badge.
    pub is_whole: bool,
}

impl Job {
    /// What the job does, marked for translation.
    pub fn kind_name(&self) -> &'static str {
        match &self.replaced {
            Some(Replaced { is_whole: true, .. }) => tr_noop!("replace"),
            _ => self.kind.name(),
        }
    }

    /// A replacement as one job, for a list: this revocation with the issue job that it waits for.
    #[must_use]
    pub fn with_issue(&self, issue: &Self) -> Self {
        let replaced = self.replaced.clone().map(|names| Replaced { is_whole: true, ..names });
        let title = replaced.as_ref().map_or_else(
            || self.title.clone(),
            |Replaced { old, new, .. }| Text::new(format!("{} → {}", old.wire(), new.wire())),
        );
        // The revocation waits for the issue job, so that an open issue job says where both are.
        let leads = if issue.is_open() || issue.stop.is_some() { issue } else { self };
        Self {
            title,
            replaced,
            phase: leads.phase,
            stop: leads.stop.clone(),
            updated: self.updated.max(issue.updated),
            counts: issue.counts.with(&self.counts),
            held: self.held + issue.held,
            left_in_doubt: self.left_in_doubt || issue.left_in_doubt,
            has_cancelled_rows: self.has_cancelled_rows || issue.has_cancelled_rows,
            in_flight: self.in_flight + issue.in_flight,
            next_poll: [issue.next_poll, self.next_poll].into_iter().flatten().min(),
            ..self.clone()
        }
    }

    /// Whether the owning process ended without releasing the job, or a team's database did not hear it for too long.
    pub fn is_abandoned(&self) -> bool {
        self.phase != Phase::Draft && self.owner.as_ref().is_some_and(|owner| !owner.is_alive)
    }

    /// Whether the owning process shares a team's database, which only knows that it did not hear the process.
    pub(super) fn is_of_colleague(&self) -> bool {
        self.owner.as_ref().is_some_and(|owner| owner.is_colleague)
    }

    /// As after a takeover: requests on their way are in doubt, and the rest is not sent.
    pub(super) fn into_abandoned(mut self) -> Self {
        let lost = self.counts.of(RowStatus::Sending);
        if lost > 0 {
            let doubts = lost + self.counts.of(RowStatus::InDoubt);
            self.counts
                .0
                .retain(|(row_status, _)| !matches!(row_status, RowStatus::Sending | RowStatus::InDoubt));
            self.counts.0.push((RowStatus::InDoubt, doubts));
            self.counts.0.sort_unstable();
        }
        self.in_flight = 0;
        if self.phase == Phase::Running && self.left_to_send() > 0 {
            self.phase = Phase::Stopped;
            let why = if self.is_of_colleague() { Code::OwnerLost } else { Code::Interrupted };
            self.stop = Some(Stop { kind: StopKind::Interrupted, why: why.into() });
        }
        self
    }

    /// As the next start finds it, if this process ends because the journal failed.
    #[must_use]
    pub fn given_up(self, why: Reason) -> Self {
        let is_cut_off = self.phase == Phase::Running && self.left_to_send() > 0;
        let mut job = self.into_abandoned();
        if is_cut_off {
            job.stop = Some(Stop { kind: StopKind::Journal, why });
        }
        job
    }

    /// The other living lapel that has this draft open.
    pub fn open_elsewhere(&self) -> Option<&Owner> {
        self.owner.as_ref().filter(|owner| self.phase == Phase::Draft && !owner.is_me && owner.is_alive)
    }

    /// Whether any row may still change without a person.
    pub fn is_open(&self) -> bool {
        if self.phase == Phase::Moved {
            return false;
        }
        self.refusals.awaits_proof
            || self.counts.sum(RowStatus::is_open) > 0
            || (self.phase == Phase::Running && self.left_to_send() > 0)
    }

    /// Whether something is being sent, or may be at any moment.
    pub fn is_sending(&self) -> bool {
        self.phase != Phase::Moved && self.in_flight > 0
            || (self.phase == Phase::Running && self.left_to_send() > 0)
    }

    /// [`Self::note`] and [`Self::trouble`], unless the stop reason says the same, or it is about rows in doubt or under
    /// review and there are none any more; and [`Self::late_answers`].
    pub fn notes(&self) -> impl Iterator<Item = &Reason> {
        let is_proof = |note: &Reason| note.is(Code::NotProvable) || note.is(Code::ProvableSoon);
        let is_open = self.counts.of(RowStatus::InDoubt) + self.left_to_send() > 0;
        let may_be_there =
            self.counts.of(RowStatus::NotVisibleYet) + self.counts.of(RowStatus::NeverSeen) > 0;
        // Nothing is looked for in the history any more.
        let is_searched = !is_open && !may_be_there && !self.refusals.awaits_proof;
        let is_search = |note: &Reason| note.is(Code::PartOfHistory) || note.is(Code::LostWritesNoticed);
        let is_reviewed = self.counts.of(RowStatus::NeedsReview) == 0;
        let is_over = move |note: &Reason| {
            is_proof(note) && !is_open
                || is_search(note) && is_searched
                || note.is(Code::NeedReview) && is_reviewed
        };
        let is_said = |note: &Reason| self.stop.as_ref().is_some_and(|stop| stop.why == *note);
        let notes =
            self.note.iter().chain(&self.trouble).filter(move |note| !is_said(note) && !is_over(note));
        notes.chain(&self.late_answers)
    }

    pub fn left_to_send(&self) -> u64 {
        self.counts.of(RowStatus::Ready)
    }

    /// Rows that were or will be sent. Ready rows of a halted job do not count.
    pub fn to_send(&self) -> u64 {
        self.counts.sum(|status| match status {
            RowStatus::Ready => self.phase == Phase::Running,
            status => !status.is_held_back(),
        })
    }

    /// Whether rows wait for the service or to be sent.
    pub fn is_waiting(&self) -> bool {
        self.is_sending() || self.phase != Phase::Moved && self.counts.sum(RowStatus::awaits_service) > 0
    }

    pub fn is_mine(&self) -> bool {
        self.owner.as_ref().is_some_and(|owner| owner.is_me)
    }

    /// Whether this process may act on the job: it owns it, or a colleague's process does that sends nothing of it.
    pub fn may_act(&self) -> bool {
        let sends = self.in_flight > 0 || self.can_pause();
        self.is_mine() || !sends && self.is_of_colleague()
    }

    pub fn may_pause(&self) -> bool {
        self.can_pause() && self.owner.as_ref().is_some_and(|owner| owner.is_me || owner.is_colleague)
    }

    pub fn can_pause(&self) -> bool {
        self.phase == Phase::Running && self.left_to_send() + self.counts.of(RowStatus::Sending) > 0
    }

    /// Whether sending the refused rows again may help. The service would refuse a single row again; of several, one may
    /// be at fault.
    pub fn offers_retry(&self) -> bool {
        let is_bad_request = self.stop.as_ref().is_some_and(|stop| stop.kind == StopKind::BadRequest);
        self.left_to_retry() > u64::from(is_bad_request)
    }

    /// Not while a poll cannot prove that the refused request did nothing.
    pub fn can_use_up(&self) -> bool {
        self.can_resume()
            && !self.refusals.is_not_provable
            && self.stop.as_ref().is_some_and(|stop| stop.kind == StopKind::Quota)
    }

    /// Whether lapel may still send rows: at once, after a person resumes the job, or after a check of a refusal.
    pub(super) fn has_rest(&self) -> bool {
        self.can_cancel_rest() || self.phase != Phase::Cancelled && self.refusals.awaits_proof
    }

    /// Whether rows were cancelled, or will be after a check. An undo ends a job, too, and has nothing to cancel if all of
    /// it was sent or skipped.
    pub fn is_cancelled(&self) -> bool {
        let kept_back = [RowStatus::InDoubt, RowStatus::NeverSeen, RowStatus::Refused];
        let is_kept_back =
            self.has_cancelled_rows || kept_back.iter().any(|status| self.counts.of(*status) > 0);
        self.phase == Phase::Cancelled && (is_kept_back || self.left_in_doubt) && !self.is_undone()
    }

    /// Whether all badges of an ended issue job are revoked. Rows may have been skipped or cancelled before they were sent.
    pub fn is_undone(&self) -> bool {
        let revoked = self.counts.of(RowStatus::Revoked);
        let is_ended_issue = self.kind == Kind::Issue && self.phase == Phase::Cancelled;
        is_ended_issue && revoked > 0 && revoked == self.to_send() && !self.left_in_doubt
    }

    /// Whether it is known who paused the job or cancelled rows of it, and that still keeps something back.
    pub fn is_halted(&self) -> bool {
        let is_over = match self.phase {
            Phase::Cancelled => !self.is_cancelled(),
            _ => self.is_halt_over(),
        };
        self.halted_by.is_some() && !is_over
    }

    /// Rows that resuming may send: at once, but for [`Self::held_by_refusal`].
    pub fn left_to_resume(&self) -> u64 {
        let unproven = if self.refusals.is_not_provable { 0 } else { self.refusals.unproven };
        self.left_to_send() + unproven
    }

    /// Ready rows that resuming sends only after a check, because the service refused their request.
    pub fn left_after_check(&self) -> u64 {
        let is_halted = matches!(self.phase, Phase::Paused | Phase::Stopped);
        if is_halted { self.refusals.unproven_ready.min(self.left_to_send()) } else { 0 }
    }

    /// Those for which nothing proves for a long time that the service accepted none of them.
    pub fn held_by_refusal(&self) -> u64 {
        if self.refusals.is_not_provable { self.left_after_check() } else { 0 }
    }

    pub fn is_held(&self, row: &JobRow) -> bool {
        row.is_unproven && self.held_by_refusal() > 0
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(Default))]
pub struct JobRow {
    /// Place in the job, from 1.
    pub no: u64,
    /// Line in the file, from 1.
    pub line: Option<u64>,
    /// The original cells, if the row came from a file.
    pub cells: Vec<Text>,
    /// `recipient_name` as lapel sends it.
    pub holder: Text,
    /// `recipient_email` as lapel sends it.
    pub address: Text,
    /// The badge's title, for a revocation. For a recipient, another template than the job's, as the file names it.
    pub title: Option<Text>,
    pub badge_id: Option<BadgeId>,
    pub row_status: RowStatus,
    pub why: Option<Reason>,
    /// The same for all rows with the same kind of reason; see [`crate::jobs::RowGroup`].
    pub group: Option<String>,
    /// `None` for a revocation. Only a row with a claim may be sent.
    pub claim: Option<Claim>,
    /// Whether the service may have acted on the row.
    pub was_sent: bool,
    /// Whether it is ready, and the service refused its request with HTTP 422, without a proof that it accepted nothing.
    pub is_unproven: bool,
    pub class: Option<DuplicateKind>,
    /// The duplicate that the check found, of an unsent row whose reason does not say so.
    pub also: Option<Reason>,
    /// When lapel requested the badge, in the service's UTC.
    pub requested: Option<Timestamp>,
    /// When the service accepted the request, in the service's UTC.
    pub accepted: Option<Timestamp>,
    /// For a row in doubt: until when lapel looks for it, in the service's UTC.
    pub until: Option<Timestamp>,
    /// `status_name` when the badge was last seen.
    pub status: Option<Text>,
    /// `email_status` when the badge was last seen.
    pub mail_status: Option<Text>,
    pub issued_at: Option<Text>,
    pub valid_until: Option<Text>,
    pub revoke_at: Option<Text>,
}

impl JobRow {
    /// The line in the file, or the place in the job if there is no file.
    pub fn number(&self) -> u64 {
        self.line.unwrap_or(self.no)
    }

    /// The reason for files and programs. They also say of a refused row that it was perhaps accepted if a check can soon
    /// prove that it was not.
    pub fn kept_reason(&self) -> Option<Reason> {
        if self.is_unproven { Some(Code::BeingProven.into()) } else { self.why.clone() }
    }

    /// The address with the domain that was probably meant, for a row that needs review because of its domain.
    pub fn suggested_address(&self) -> Option<String> {
        let meant =
            self.why.as_ref().filter(|_| self.row_status == RowStatus::NeedsReview)?.meant_domain()?;
        let (mailbox, _) = self.address.wire().rsplit_once('@')?;
        Some(format!("{mailbox}@{meant}"))
    }

    /// The name before a conversion lost its letters, if lapel can tell.
    pub fn suggested_name(&self) -> Option<String> {
        let why = self.why.as_ref().filter(|_| self.row_status == RowStatus::NeedsReview)?;
        why.mentions(Code::LostLetters).then(|| intake::name_before_damage(self.holder.wire()))?
    }

    /// The kind of duplicate that the row's reason names.
    pub fn shown_duplicate(&self) -> Option<DuplicateKind> {
        self.class.filter(|class| *class != DuplicateKind::New && self.also.is_none())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    pub badge_id: BadgeId,
    pub row_status: RowStatus,
}

impl Touched {
    pub(super) fn of(badge_id: &BadgeId, row_status: RowStatus) -> Self {
        Self { badge_id: badge_id.clone(), row_status }
    }

    /// Whether it is revoked, or on its way there.
    pub fn is_revoked(&self) -> bool {
        self.row_status.is_revocation()
    }
}

#[derive(Clone, Debug)]
pub struct JobChange {
    pub id: JobId,
    /// `None`: the journal has it no more, since a backup was restored.
    pub job: Option<Job>,
    /// Badges whose rows changed since the last message; at most [`JobChange::MOST`].
    pub touched: Vec<Touched>,
}

impl JobChange {
    /// Maximum number of named badges. Beyond that, read the rows.
    pub const MOST: usize = 1000;
}

#[cfg(test)]
mod tests {
    use super::*;

    impl JobRow {
        pub fn for_test(no: u64, row_status: RowStatus) -> Self {
            Self { no, row_status, ..Self::default() }
        }
    }
}
