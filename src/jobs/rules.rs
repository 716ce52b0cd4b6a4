//! Which rows may be sent, sent again, undone, exported and so on. Screens, verbs and the journal's statements ask
//! here, and have no rules of their own. Pure: what is known goes in, a verdict comes out.

use super::job::{Job, JobRow, Kind, Phase, RowStatus, words};

words! {
    /// What a row of an issue job holds of its person. Only a row with a claim may be sent.
    Claim {
        /// It is the one that may be sent, and was not.
        Reserved = "reserved", tr_noop!("may be sent");
        /// It was sent, and it is not known which badge came of it, if any.
        Open = "open", tr_noop!("sent, badge unknown");
        /// Its badge is known, or a person has settled it otherwise.
        Kept = "kept", tr_noop!("badge known");
    }
}

/// Something that can be done with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is compared with what its person holds already, before it is sent.
    Judge,
    /// It goes into the next request.
    Send,
    /// It is sent when its job is resumed.
    Resume,
    /// It was refused, and is sent again.
    Retry,
    /// A person decides about it after its job was begun: it is this badge, it is left, it is sent (again).
    Decide,
    /// It was looked for and never seen, and a person has it sent again together with others.
    ResendAll,
    /// A person allows it in a review.
    Allow,
    /// A person leaves it out in a review.
    LeaveOut,
    /// It is called off before it is sent.
    CallOff,
    /// Its badge is revoked when its job is undone.
    Undo,
    /// It goes into a file of the rows to do again.
    Redo,
}

/// What the rules need to know of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stand {
    /// What its job does.
    pub kind: Kind,
    /// What its job may do next.
    pub phase: Phase,
    /// Where it stands.
    pub bucket: RowStatus,
    /// What it holds of its person; nothing for a revocation.
    pub claim: Option<Claim>,
    /// Whether its name and address were removed.
    pub is_purged: bool,
}

impl Stand {
    /// Of a row of a job.
    pub fn of(job: &Job, row: &JobRow) -> Self {
        Self {
            kind: job.kind,
            phase: job.phase,
            bucket: row.bucket,
            claim: row.claim,
            is_purged: job.is_purged,
        }
    }

    /// Whether the service may have acted on it.
    pub fn may_exist(self) -> bool {
        matches!(self.claim, Some(Claim::Open | Claim::Kept))
    }
}

/// Whether something may be done with a row.
pub fn may(step: Step, row: Stand) -> bool {
    let issues = row.kind == Kind::Issue;
    let drafted = row.phase == Phase::Draft;
    // It goes on in the journal of another computer.
    if row.phase == Phase::Moved {
        return false;
    }
    // There is no address that it could be sent to.
    if row.is_purged && matches!(step, Step::Send | Step::Resume | Step::Retry | Step::Redo) {
        return false;
    }
    match step {
        // What a review has left out stays out once the job is begun.
        Step::Judge if drafted => {
            matches!(row.bucket, RowStatus::Ready | RowStatus::Ask | RowStatus::LeftOut)
        }
        Step::Judge => {
            matches!(row.bucket, RowStatus::Ready | RowStatus::NotDone)
                || row.bucket == RowStatus::Ask && row.claim.is_none()
        }
        Step::ResendAll => !drafted && issues && row.bucket == RowStatus::NotSeen,
        Step::Send => {
            row.phase == Phase::Running
                && row.bucket == RowStatus::Ready
                && (!issues || row.claim == Some(Claim::Reserved))
        }
        Step::Resume => matches!(row.phase, Phase::Paused | Phase::Stopped) && row.bucket == RowStatus::Ready,
        Step::Retry => !drafted && row.bucket == RowStatus::NotDone,
        Step::Decide => {
            !drafted
                && issues
                && matches!(row.bucket, RowStatus::NotSeen | RowStatus::Ask | RowStatus::Dropped)
        }
        Step::Allow => drafted && matches!(row.bucket, RowStatus::Ask | RowStatus::LeftOut),
        Step::LeaveOut => drafted && matches!(row.bucket, RowStatus::Ask | RowStatus::Ready),
        Step::CallOff => match row.bucket {
            RowStatus::Ready | RowStatus::Queued => true,
            RowStatus::Ask => !row.may_exist(),
            _ => false,
        },
        Step::Undo => {
            issues
                && !drafted
                && matches!(
                    row.bucket,
                    RowStatus::Issued
                        | RowStatus::Other
                        | RowStatus::Waiting
                        | RowStatus::Overdue
                        | RowStatus::Unbound
                        | RowStatus::InDoubt
                        | RowStatus::NotSeen
                        | RowStatus::Sending
                )
        }
        // Of a draft, what is ready is about to be sent. What may exist is not done again by a file, nor what
        // another job has taken over.
        Step::Redo => match row.bucket {
            RowStatus::Ready => !drafted && (!issues || row.claim == Some(Claim::Reserved)),
            RowStatus::Ask | RowStatus::Invalid | RowStatus::NotDone | RowStatus::LeftOut => !row.may_exist(),
            RowStatus::Dropped => issues && !row.may_exist(),
            _ => false,
        },
    }
}

/// How many rows of a job something may be done with, as far as its counts tell.
pub fn count(step: Step, job: &Job) -> u64 {
    let (kind, phase, is_purged) = (job.kind, job.phase, job.is_purged);
    let may_be = |bucket, claim| may(step, Stand { kind, phase, bucket, claim, is_purged });
    job.counts
        .iter()
        .map(|(bucket, n)| match bucket {
            // Those that were not sent are told from those that may exist.
            RowStatus::Ask => {
                let held = if may_be(bucket, None) { job.held } else { 0 };
                held + if may_be(bucket, Some(Claim::Open)) { n.saturating_sub(job.held) } else { 0 }
            }
            _ if claims().any(|claim| may_be(bucket, claim)) => n,
            _ => 0,
        })
        .sum()
}

fn claims() -> impl Iterator<Item = Option<Claim>> {
    std::iter::once(None).chain(Claim::ALL.iter().copied().map(Some))
}

/// The same rule as a condition on the table `row`, for rows of jobs of a kind in a phase that were not purged.
pub(super) fn condition(step: Step, kind: Kind, phase: Phase) -> String {
    let mut any = Vec::new();
    for bucket in RowStatus::ALL {
        let allowed: Vec<Option<Claim>> = claims()
            .filter(|claim| {
                may(step, Stand { kind, phase, bucket: *bucket, claim: *claim, is_purged: false })
            })
            .collect();
        let is = format!("row.bucket = '{}'", bucket.code());
        if allowed.len() == 1 + Claim::ALL.len() {
            any.push(is);
        } else if !allowed.is_empty() {
            let states: Vec<String> =
                allowed.iter().map(|claim| format!("'{}'", claim.map_or("", Claim::code))).collect();
            any.push(format!(
                "({is} AND coalesce((SELECT state FROM claim WHERE claim.job = row.job AND claim.no = row.no), '')
                        IN ({}))",
                states.join(", ")
            ));
        }
    }
    if any.is_empty() { "0".to_owned() } else { format!("({})", any.join(" OR ")) }
}

/// Another row's claim on the same person and template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Other {
    pub(super) slot: i64,
    pub(super) claim: Claim,
    /// A reserved claim: whether its row can be sent at any moment, or may have been (a refusal that is not
    /// certain).
    pub(super) is_live: bool,
    /// Its badge is expired, revoked or being revoked, or the two rows were reviewed together.
    pub(super) is_accounted: bool,
}

/// Whether a row gets a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It gets this slot, or has it already. The claims in these places were never used, and are taken over.
    Free { slot: i64, takes: Vec<usize>, approved: bool },
    /// It needs review: because of the claim in this place.
    Review(usize),
}

/// Judges a row that is about to be sent. `mine` is the slot that it has; `approved` is the highest slot that a
/// person knew of who allowed the row.
///
/// Who has a higher slot has accounted for all the lower ones. So a row that has a slot looks only at those
/// above it.
pub(super) fn judge(mine: Option<i64>, approved: Option<i64>, others: &[Other]) -> Verdict {
    let above = |other: &Other| mine.is_none_or(|slot| other.slot > slot);
    let was_sent = |other: &Other| other.claim != Claim::Reserved;
    let blocks = |other: &Other| {
        !other.is_accounted && above(other) && (was_sent(other) || mine.is_none() && other.is_live)
    };
    let next = |others: &mut dyn Iterator<Item = &Other>| others.map(|o| o.slot + 1).max().unwrap_or(0);
    let highest = others.iter().enumerate().filter(|(_, o)| blocks(o)).max_by_key(|(_, o)| o.slot);
    if let Some((at, other)) = highest {
        if approved.is_none_or(|seen| seen < other.slot) {
            return Verdict::Review(at);
        }
        let slot = next(&mut others.iter()).max(mine.map_or(0, |slot| slot + 1));
        return Verdict::Free { slot, takes: Vec::new(), approved: true };
    }
    if let Some(slot) = mine {
        // What is above and accounted for is below from now on.
        let passed = others.iter().any(|o| o.slot > slot && was_sent(o));
        let slot = if passed { next(&mut others.iter()) } else { slot };
        return Verdict::Free { slot, takes: Vec::new(), approved: false };
    }
    let idle = |other: &Other| !was_sent(other) && !other.is_live && !other.is_accounted;
    let takes: Vec<usize> = others.iter().enumerate().filter(|(_, o)| idle(o)).map(|(at, _)| at).collect();
    let slot = next(&mut others.iter().filter(|o| !idle(o)));
    Verdict::Free { slot, takes, approved: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn other(slot: i64, claim: Claim) -> Other {
        Other { slot, claim, is_live: false, is_accounted: false }
    }

    fn free(slot: i64) -> Verdict {
        Verdict::Free { slot, takes: Vec::new(), approved: false }
    }

    #[test]
    fn a_person_without_a_claim_is_free() {
        assert_eq!(judge(None, None, &[]), free(0));
        assert_eq!(judge(Some(0), None, &[]), free(0));
    }

    #[test]
    fn what_was_sent_blocks_whoever_has_no_claim_or_a_lower_one() {
        for claim in [Claim::Open, Claim::Kept] {
            assert_eq!(judge(None, None, &[other(0, claim)]), Verdict::Review(0));
            assert_eq!(judge(Some(0), None, &[other(1, claim)]), Verdict::Review(0));
            assert_eq!(judge(Some(1), None, &[other(0, claim)]), free(1), "it was accounted for");
        }
    }

    #[test]
    fn an_approval_holds_for_what_was_seen() {
        let all = [other(0, Claim::Kept), other(1, Claim::Open)];
        assert_eq!(judge(None, Some(0), &all), Verdict::Review(1), "another one came since");
        let approved = Verdict::Free { slot: 2, takes: Vec::new(), approved: true };
        assert_eq!(judge(None, Some(1), &all), approved);
        let approved = Verdict::Free { slot: 3, takes: Vec::new(), approved: true };
        assert_eq!(judge(Some(0), Some(2), &[other(2, Claim::Kept)]), approved);
    }

    #[test]
    fn a_badge_that_is_over_makes_room_for_the_next() {
        let over = Other { is_accounted: true, ..other(0, Claim::Kept) };
        assert_eq!(judge(None, None, &[over]), free(1));
        let both = [over, other(1, Claim::Kept)];
        assert_eq!(judge(None, None, &both), Verdict::Review(1));
        // It came after this row's claim: the row takes a place above it.
        assert_eq!(judge(Some(0), None, &[Other { slot: 1, ..over }]), free(2));
    }

    #[test]
    fn what_waits_in_a_stopped_job_is_taken_over_and_what_is_live_blocks() {
        let idle = other(0, Claim::Reserved);
        assert_eq!(judge(None, None, &[idle]), Verdict::Free { slot: 0, takes: vec![0], approved: false });
        let live = Other { is_live: true, ..idle };
        assert_eq!(judge(None, None, &[live]), Verdict::Review(0));
        let approved = Verdict::Free { slot: 1, takes: Vec::new(), approved: true };
        assert_eq!(judge(None, Some(0), &[live]), approved);
        // Whoever has a claim does not wait for one that was not used.
        assert_eq!(judge(Some(0), None, &[Other { slot: 1, ..live }]), free(0));
    }

    #[test]
    fn no_row_is_sent_without_a_claim_and_none_that_may_exist_is_done_again() {
        for phase in Phase::ALL {
            for bucket in RowStatus::ALL {
                for claim in claims() {
                    let row =
                        Stand { kind: Kind::Issue, phase: *phase, bucket: *bucket, claim, is_purged: false };
                    let purged = Stand { is_purged: true, ..row };
                    for step in [Step::Send, Step::Resume, Step::Retry, Step::Redo] {
                        assert!(!may(step, purged), "{step:?} {row:?}");
                    }
                    let sends = may(Step::Send, row);
                    assert!(!sends || claim == Some(Claim::Reserved) && *phase == Phase::Running, "{row:?}");
                    assert!(!(may(Step::Redo, row) && row.may_exist()), "{row:?}");
                    assert!(!(may(Step::CallOff, row) && may(Step::Undo, row)), "{row:?}");
                    assert!(!(may(Step::Decide, row) && *phase == Phase::Draft), "{row:?}");
                }
            }
        }
    }
}
