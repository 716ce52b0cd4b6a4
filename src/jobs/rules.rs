//! The rules about which rows may be sent, resent, undone, exported and so on.
//!
//! Screens, verbs and the journal's SQL use these rules and have none of their own.

use super::job::{Job, JobRow, Kind, Phase};
use super::row_status::{Claim, RowStatus};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Compare the row with the badges that its recipient already has, before sending.
    Judge,
    /// Put the row into the next request.
    Send,
    /// Send the row when its job is resumed.
    Resume,
    /// Send a refused row again.
    Retry,
    /// A person resolves the row after the job began: bind a badge, leave the row, or send it (again).
    Resolve,
    /// A person resends many rows that were never seen.
    ResendAll,
    /// A person allows the row in a review.
    Allow,
    /// A person skips the row in a review.
    Skip,
    /// Cancel the row before it is sent.
    CancelRest,
    /// Revoke the row's badge when its job is undone.
    Undo,
    /// Write the row into a redo file.
    Redo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowFacts {
    pub kind: Kind,
    pub phase: Phase,
    pub row_status: RowStatus,
    /// `None` for a revocation.
    pub claim: Option<Claim>,
    /// Whether the recipient's name and address were removed.
    pub is_purged: bool,
}

impl RowFacts {
    pub fn of(job: &Job, row: &JobRow) -> Self {
        Self {
            kind: job.kind,
            phase: job.phase,
            row_status: row.row_status,
            claim: row.claim,
            is_purged: job.is_purged,
        }
    }

    /// Whether the service may have acted on the row.
    pub fn may_exist(self) -> bool {
        matches!(self.claim, Some(Claim::Open | Claim::Kept))
    }
}

pub fn may(step: Step, row: RowFacts) -> bool {
    let issues = row.kind == Kind::Issue;
    let drafted = row.phase == Phase::Draft;
    // The job continues in the journal of another computer.
    if row.phase == Phase::Moved {
        return false;
    }
    // The address is gone, so the row cannot be sent.
    if row.is_purged && matches!(step, Step::Send | Step::Resume | Step::Retry | Step::Redo) {
        return false;
    }
    match step {
        // A row that the review skipped stays skipped after the job began.
        Step::Judge if drafted => {
            matches!(row.row_status, RowStatus::Ready | RowStatus::NeedsReview | RowStatus::Skipped)
        }
        Step::Judge => {
            matches!(row.row_status, RowStatus::Ready | RowStatus::Refused)
                || row.row_status == RowStatus::NeedsReview && row.claim.is_none()
        }
        Step::ResendAll => !drafted && issues && row.row_status == RowStatus::NeverSeen,
        Step::Send => {
            row.phase == Phase::Running
                && row.row_status == RowStatus::Ready
                && (!issues || row.claim == Some(Claim::Reserved))
        }
        Step::Resume => {
            matches!(row.phase, Phase::Paused | Phase::Stopped) && row.row_status == RowStatus::Ready
        }
        Step::Retry => !drafted && row.row_status == RowStatus::Refused,
        Step::Resolve => {
            !drafted
                && issues
                && matches!(
                    row.row_status,
                    RowStatus::NeverSeen | RowStatus::NeedsReview | RowStatus::NotAccepted
                )
        }
        Step::Allow => drafted && matches!(row.row_status, RowStatus::NeedsReview | RowStatus::Skipped),
        Step::Skip => drafted && matches!(row.row_status, RowStatus::NeedsReview | RowStatus::Ready),
        Step::CancelRest => match row.row_status {
            RowStatus::Ready | RowStatus::ToRevoke => true,
            RowStatus::NeedsReview => !row.may_exist(),
            _ => false,
        },
        Step::Undo => {
            issues
                && !drafted
                && matches!(
                    row.row_status,
                    RowStatus::Issued
                        | RowStatus::UnknownState
                        | RowStatus::Waiting
                        | RowStatus::Overdue
                        | RowStatus::NotVisibleYet
                        | RowStatus::InDoubt
                        | RowStatus::NeverSeen
                        | RowStatus::Sending
                )
        }
        // Ready rows of a draft are about to be sent. A redo file contains no row that is in doubt, whose badge is known or
        // that another job took over. Ready rows of a refused request (422) have its doubt as their reason.
        Step::Redo => match row.row_status {
            RowStatus::Ready => !drafted && (!issues || row.claim == Some(Claim::Reserved)),
            RowStatus::NeedsReview
            | RowStatus::Invalid
            | RowStatus::Refused
            | RowStatus::Skipped
            | RowStatus::NotAccepted => !row.may_exist(),
            _ => false,
        },
    }
}

/// The steps by which a row of a begun job is sent: by lapel, or by a decision of a person.
const SENDING: [Step; 5] = [Step::Send, Step::Resume, Step::Retry, Step::Resolve, Step::ResendAll];

/// Whether a row with this status may still be sent, in a job in any phase and with any claim.
pub(super) fn may_be_sent(kind: Kind, row_status: RowStatus) -> bool {
    let may_be = |phase, claim| {
        let row = RowFacts { kind, phase, row_status, claim, is_purged: false };
        SENDING.iter().any(|step| may(*step, row))
    };
    Phase::ALL.iter().any(|phase| claims().any(|claim| may_be(*phase, claim)))
}

/// Counts the rows of a job that a step applies to, as far as the job's counts tell.
pub fn count(step: Step, job: &Job) -> u64 {
    let (kind, phase, is_purged) = (job.kind, job.phase, job.is_purged);
    let may_be = |row_status, claim| may(step, RowFacts { kind, phase, row_status, claim, is_purged });
    job.counts
        .iter()
        .map(|(row_status, n)| match row_status {
            // `held` rows were certainly not sent. Other rows that need review may exist.
            RowStatus::NeedsReview => {
                let held = if may_be(row_status, None) { job.held } else { 0 };
                held + if may_be(row_status, Some(Claim::Open)) { n.saturating_sub(job.held) } else { 0 }
            }
            _ if claims().any(|claim| may_be(row_status, claim)) => n,
            _ => 0,
        })
        .sum()
}

impl Job {
    /// Whether anything of the job is left to do: for lapel, or for a person who may send or resolve rows of a job that
    /// stopped or was paused.
    pub fn is_unfinished(&self) -> bool {
        let may_act = self.offers_retry() || count(Step::Resolve, self) > 0;
        let is_halted = matches!(self.phase, Phase::Paused | Phase::Stopped) && !self.is_halt_over();
        self.is_open() || self.can_resume() || is_halted && may_act
    }

    /// Whether its stop or pause keeps nothing back, because it came during the last request. Rows that were not accepted
    /// keep the reason of their stop, and refused rows may be sent again.
    pub fn is_halt_over(&self) -> bool {
        let of_stop = |status| {
            use RowStatus::{InDoubt, NeedsReview, NeverSeen, NotAccepted, Refused};
            matches!(status, NeedsReview | NotAccepted | InDoubt | Refused | NeverSeen)
        };
        let kept = match self.phase {
            Phase::Paused => self.counts.of(RowStatus::Refused),
            Phase::Stopped => self.counts.sum(of_stop),
            _ => return false,
        };
        let rest = kept + self.left_to_send() + self.counts.of(RowStatus::Sending) + self.in_flight;
        rest == 0 && self.to_send() > 0 && !self.refusals.awaits_proof && !self.can_resume()
    }

    pub fn can_cancel_rest(&self) -> bool {
        self.phase != Phase::Cancelled
            && count(Step::CancelRest, self) + self.counts.of(RowStatus::Sending) > 0
    }

    pub fn left_to_retry(&self) -> u64 {
        count(Step::Retry, self)
    }

    /// Also a revocation that would send nothing yet, since its badges are not issued; and a refusal that a check may
    /// prove soon, although its rows are in doubt.
    pub fn can_resume(&self) -> bool {
        let is_halted = matches!(self.phase, Phase::Paused | Phase::Stopped);
        let is_provable = self.refusals.unproven > 0 && !self.is_purged && !self.refusals.is_not_provable;
        count(Step::Resume, self) > 0 || is_halted && (self.counts.of(RowStatus::ToRevoke) > 0 || is_provable)
    }
}

pub(super) fn claims() -> impl Iterator<Item = Option<Claim>> {
    std::iter::once(None).chain(Claim::ALL.iter().copied().map(Some))
}

/// Another row's claim on the same recipient and template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OtherClaim {
    pub(super) slot: i64,
    /// See [`Rival::claim_id`](super::Rival::claim_id).
    pub(super) id: i64,
    pub(super) claim: Claim,
    /// For a reserved claim: whether its row can be sent at any moment, or may have been sent.
    pub(super) is_live: bool,
    /// The badge is expired, revoked or being revoked, or one review covered both rows.
    pub(super) is_accounted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ClaimVerdict {
    /// The row gets this slot, or has it already. It takes over the never used claims at the indexes `takes`.
    Free { slot: i64, takes: Vec<usize>, approved: bool },
    /// The row needs review because of the claim at this index.
    Review(usize),
}

/// `mine` is the row's own slot. `approved` is the highest claim that the person who allowed the row knew of, by its id:
/// its slot may have become free since, and another job may have it now. A row accounts for all lower slots, so a row with a slot checks only the slots above it.
pub(super) fn judge(mine: Option<i64>, approved: Option<i64>, others: &[OtherClaim]) -> ClaimVerdict {
    let above = |other: &OtherClaim| mine.is_none_or(|slot| other.slot > slot);
    let was_sent = |other: &OtherClaim| other.claim != Claim::Reserved;
    let blocks = |other: &OtherClaim| {
        !other.is_accounted && above(other) && (was_sent(other) || mine.is_none() && other.is_live)
    };
    let next = |others: &mut dyn Iterator<Item = &OtherClaim>| others.map(|o| o.slot + 1).max().unwrap_or(0);
    let highest = others.iter().enumerate().filter(|(_, o)| blocks(o)).max_by_key(|(_, o)| o.slot);
    if let Some((at, other)) = highest {
        if approved != Some(other.id) {
            return ClaimVerdict::Review(at);
        }
        let slot = next(&mut others.iter()).max(mine.map_or(0, |slot| slot + 1));
        return ClaimVerdict::Free { slot, takes: Vec::new(), approved: true };
    }
    if let Some(slot) = mine {
        // The accounted claims above this row are below it from now on.
        let passed = others.iter().any(|o| o.slot > slot && was_sent(o));
        let slot = if passed { next(&mut others.iter()) } else { slot };
        return ClaimVerdict::Free { slot, takes: Vec::new(), approved: false };
    }
    let idle = |other: &OtherClaim| !was_sent(other) && !other.is_live && !other.is_accounted;
    let takes: Vec<usize> = others.iter().enumerate().filter(|(_, o)| idle(o)).map(|(at, _)| at).collect();
    let slot = next(&mut others.iter().filter(|o| !idle(o)));
    ClaimVerdict::Free { slot, takes, approved: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn other(slot: i64, claim: Claim) -> OtherClaim {
        OtherClaim { slot, id: 100 + slot, claim, is_live: false, is_accounted: false }
    }

    fn free(slot: i64) -> ClaimVerdict {
        ClaimVerdict::Free { slot, takes: Vec::new(), approved: false }
    }

    #[test]
    fn a_recipient_without_claims_is_free() {
        assert_eq!(judge(None, None, &[]), free(0));
        assert_eq!(judge(Some(0), None, &[]), free(0));
    }

    #[test]
    fn a_sent_row_blocks_rows_without_a_higher_claim() {
        for claim in [Claim::Open, Claim::Kept] {
            assert_eq!(judge(None, None, &[other(0, claim)]), ClaimVerdict::Review(0));
            assert_eq!(judge(Some(0), None, &[other(1, claim)]), ClaimVerdict::Review(0));
            assert_eq!(judge(Some(1), None, &[other(0, claim)]), free(1), "it was accounted for");
        }
    }

    #[test]
    fn an_approval_covers_only_seen_rivals() {
        let all = [other(0, Claim::Kept), other(1, Claim::Open)];
        assert_eq!(judge(None, Some(100), &all), ClaimVerdict::Review(1), "another one came since");
        let approved = ClaimVerdict::Free { slot: 2, takes: Vec::new(), approved: true };
        assert_eq!(judge(None, Some(101), &all), approved);
        let approved = ClaimVerdict::Free { slot: 3, takes: Vec::new(), approved: true };
        assert_eq!(judge(Some(0), Some(102), &[other(2, Claim::Kept)]), approved);
        // The seen one went, and another row has its slot.
        let other_row = OtherClaim { id: 7, ..other(0, Claim::Kept) };
        assert_eq!(judge(None, Some(100), &[other_row]), ClaimVerdict::Review(0));
    }

    #[test]
    fn an_expired_or_revoked_badge_frees_the_recipient() {
        let over = OtherClaim { is_accounted: true, ..other(0, Claim::Kept) };
        assert_eq!(judge(None, None, &[over]), free(1));
        let both = [over, other(1, Claim::Kept)];
        assert_eq!(judge(None, None, &both), ClaimVerdict::Review(1));
        // The other claim came after this row's claim, so the row takes a slot above it.
        assert_eq!(judge(Some(0), None, &[OtherClaim { slot: 1, ..over }]), free(2));
    }

    #[test]
    fn idle_claims_are_taken_over_and_live_ones_block() {
        let idle = other(0, Claim::Reserved);
        assert_eq!(
            judge(None, None, &[idle]),
            ClaimVerdict::Free { slot: 0, takes: vec![0], approved: false }
        );
        let live = OtherClaim { is_live: true, ..idle };
        assert_eq!(judge(None, None, &[live]), ClaimVerdict::Review(0));
        let approved = ClaimVerdict::Free { slot: 1, takes: Vec::new(), approved: true };
        assert_eq!(judge(None, Some(100), &[live]), approved);
        // A row that has a claim does not wait for an unused one.
        assert_eq!(judge(Some(0), None, &[OtherClaim { slot: 1, ..live }]), free(0));
    }

    #[test]
    fn rows_that_may_be_sent() {
        use RowStatus::{NeedsReview, NeverSeen, NotAccepted, Ready, Refused};
        let may_be = |kind| RowStatus::ALL.iter().copied().filter(move |it| may_be_sent(kind, *it));
        assert_eq!(
            may_be(Kind::Issue).collect::<Vec<_>>(),
            [Ready, NeedsReview, Refused, NeverSeen, NotAccepted]
        );
        assert_eq!(may_be(Kind::Revoke).collect::<Vec<_>>(), [Ready, Refused]);
    }

    #[test]
    fn a_redo_file_has_what_the_service_did_not_accept() {
        for (kind, claim, has) in
            [(Kind::Issue, None, true), (Kind::Issue, Some(Claim::Open), false), (Kind::Revoke, None, true)]
        {
            let (phase, row_status) = (Phase::Running, RowStatus::NotAccepted);
            let row = RowFacts { kind, phase, row_status, claim, is_purged: false };
            assert_eq!(may(Step::Redo, row), has, "{row:?}");
        }
    }

    #[test]
    fn rows_need_a_claim_and_are_not_repeated() {
        for phase in Phase::ALL {
            for row_status in RowStatus::ALL {
                for claim in claims() {
                    let row = RowFacts {
                        kind: Kind::Issue,
                        phase: *phase,
                        row_status: *row_status,
                        claim,
                        is_purged: false,
                    };
                    let purged = RowFacts { is_purged: true, ..row };
                    for step in [Step::Send, Step::Resume, Step::Retry, Step::Redo] {
                        assert!(!may(step, purged), "{step:?} {row:?}");
                    }
                    let sends = may(Step::Send, row);
                    assert!(!sends || claim == Some(Claim::Reserved) && *phase == Phase::Running, "{row:?}");
                    assert!(!(may(Step::Redo, row) && row.may_exist()), "{row:?}");
                    assert!(!(may(Step::CancelRest, row) && may(Step::Undo, row)), "{row:?}");
                    assert!(!(may(Step::Resolve, row) && *phase == Phase::Draft), "{row:?}");
                }
            }
        }
    }
}
