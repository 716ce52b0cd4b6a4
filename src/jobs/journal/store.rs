//! The operations of the journal: the only way for the rest of `jobs` to read or write it.
//!
//! Each operation is a function that takes its arguments by reference and reads neither clock nor random numbers, so
//! it can run again. A write is one transaction, which is durable when the operation returns. Its step name is for
//! watchers. A read sees one snapshot, also of what other processes write.

use super::jobs::SeenJob;
use super::observe::ObserveContext;
use super::operation::{Operation, Undo, Undoing};
use super::owner::Process;
use super::rows::RowFilter;
use super::runner::{JournalState, JournalTask, PendingOperation};
use super::{
    RecentLoss, Result, accounts, adopt, behaviour, claims, decisions, doubts, drafts, duplicates,
    earlier_drafts, jobs, lost_writes, observe, polling, purge, record_response, refusals, requests, review,
    rows, schema, sending, sent_here, snapshots, takeover, transfer,
};
use crate::jobs::batch::RequestsNeeded;
use crate::jobs::job::{Job, JobRow};
use crate::jobs::journal::prelude::*;
use crate::jobs::row_groups::{NeverSeen, RowGroup};
use crate::jobs::seen_badge::SeenBadge;

/// What goes to the journal's thread, or comes from it.
pub(super) trait Portable: Send + 'static {}
impl<T: Send + 'static> Portable for T {}

/// A handle to the operations. Clones share it.
#[derive(Clone)]
pub(in crate::jobs) struct Store {
    pub(super) writes: Sender<JournalTask>,
    /// The same thread for a file. A team's database has another connection for reads: they do not wait for a write
    /// that takes long or hangs.
    pub(super) reads: Sender<JournalTask>,
    pub(super) process: Arc<Process>,
}

impl Store {
    pub(in crate::jobs) fn process(&self) -> Arc<Process> {
        self.process.clone()
    }

    pub(in crate::jobs) fn me(&self) -> &str {
        &self.process.id
    }

    /// The kind of the files that are offered again. A path means something on one computer, to one person.
    pub(in crate::jobs) fn kind_of_files(&self) -> Cow<'static, str> {
        match &self.process.place {
            Some(place) => format!("file of {place}").into(),
            None => "file".into(),
        }
    }

    pub(super) fn read<A: Portable, T: Portable>(&self, args: A, op: Operation<A, T>) -> PendingOperation<T> {
        PendingOperation::new(&self.reads, move |state| state.read(&args, op, false))
    }

    /// The same for an operation on a whole journal or job, whose statements can take long.
    pub(super) fn read_long<A: Portable, T: Portable>(
        &self,
        args: A,
        op: Operation<A, T>,
    ) -> PendingOperation<T> {
        PendingOperation::new(&self.reads, move |state| state.read(&args, op, true))
    }

    pub(super) fn write<A: Portable, T: Portable>(
        &self,
        step: &'static str,
        args: A,
        op: Operation<A, T>,
    ) -> PendingOperation<T> {
        self.run(move |state| state.write(step, &args, op, None))
    }

    fn write_or_undo<A: Portable, T: Portable>(
        &self,
        step: &'static str,
        args: A,
        op: Operation<A, T>,
        undo: Undo<A, T>,
    ) -> PendingOperation<T> {
        self.run(move |state| state.write(step, &args, op, Some(undo)))
    }

    pub(in crate::jobs) fn recover(&self) -> PendingOperation<()> {
        self.run(JournalState::recover)
    }

    /// The owners among these that are alive, including the caller.
    pub(in crate::jobs) fn living(&self, owners: Vec<String>) -> PendingOperation<Vec<String>> {
        PendingOperation::new(&self.reads, move |state| state.living(owners))
    }

    /// The owners of an account's jobs that have ended. Any other owner may be alive: it may have appeared since.
    pub(super) async fn ended_owners(&self, account: &Account) -> Result<Vec<String>> {
        let mut owners = self.other_owners(account.clone(), self.me().to_owned()).await?;
        let living = self.living(owners.clone()).await?;
        owners.retain(|owner| !living.contains(owner));
        Ok(owners)
    }

    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut JournalState) -> Result<T> + Send + 'static,
    ) -> PendingOperation<T> {
        PendingOperation::new(&self.writes, work)
    }
}

/// Nobody sends jobs that began without the knowledge of their process. A person can resume them, perhaps a colleague who
/// has taken them over.
fn stop(owner: &Process, ids: Vec<JobId>, why: &JournalError) -> Undoing {
    let (me, why) = (owner.id.clone(), Reason::from(why));
    Box::new(move |db| ids.iter().try_for_each(|id| jobs::stop_own(db, id, &me, &StopKind::Journal, &why)))
}

/// Nobody knows this draft.
fn discard(owner: &Process, id: JobId) -> Undoing {
    let me = owner.id.clone();
    Box::new(move |db| jobs::discard(db, &id, &me))
}

/// Defines a method of [`Store`] for each operation.
macro_rules! operations {
    ($($kind:ident $($step:literal)? $name:ident($($arg:ident: $type:ty),*) -> $result:ty = $($op:ident)::+
       $(, undo $undo:expr)?;)+) => {
        impl Store {
            $(
                #[doc = concat!("See [`", stringify!($($op)::+), "`].")]
                pub(in crate::jobs) fn $name(&self, $($arg: $type),*) -> PendingOperation<$result> {
                    self.$kind($($step,)? ($($arg,)*), |db, ($($arg,)*)| $($op)::+(db, $($arg),*) $(, $undo)?)
                }
            )+
        }
    };
}

// Writes that are undone later if they are durable although nobody got an answer.
operations! {
    // Without an answer from the journal, nothing is sent.
    write_or_undo "intent" record_intent(args: sending::RecordIntent) -> Option<requests::Chunk> = sending::record_intent,
        undo |_, chunk, _| {
            let request = chunk.as_ref()?.request;
            Some(Box::new(move |db| sending::withdraw_intent(db, request)))
        };
    write_or_undo "plan" issue_one(args: drafts::IssueOne) -> std::result::Result<JobId, claims::Rival> = drafts::issue_one,
        undo |(args,), begun, why| begun.as_ref().ok().map(|id| stop(&args.owner, vec![*id], why));
    write_or_undo "plan" replace(args: drafts::Replace) -> std::result::Result<(JobId, JobId), claims::Rival> = drafts::replace,
        undo |(args,), begun, why| {
            let (issue, revoke) = begun.as_ref().ok()?;
            Some(stop(&args.issue.owner, vec![*issue, *revoke], why))
        };
    write_or_undo "plan" create_job(args: drafts::CreateJob) -> JobId = drafts::create_job,
        undo |(args,), draft, _| Some(discard(&args.owner, *draft));
    write_or_undo "plan" plan_undo(args: drafts::PlanUndo) -> Option<JobId> = drafts::plan_undo,
        undo |(args,), draft, _| draft.map(|draft| discard(&args.owner, draft));
}

// Drafts.
operations! {
    write "rows" add_rows(id: JobId, rows: Vec<rows::NewRow>) -> () = rows::insert;
    write "keep draft" keep_drafts(ids: Vec<JobId>) -> () = drafts::keep;
    write "open draft" open_drafts(ids: Vec<JobId>, account: Account, owner: Arc<Process>, living: Vec<String>) -> bool
        = drafts::open;
    write "close draft" close_drafts(ids: Vec<JobId>, me: String) -> () = drafts::close;
    read kept_drafts(account: Account, me: String) -> Vec<Job> = drafts::kept;
    write "rows" finish_rows(id: JobId, rows: Vec<rows::NewRow>, suspects: Vec<(String, String)>) -> ()
        = drafts::finish_rows;
    read domains_of_draft(id: JobId) -> Vec<(String, u64)> = drafts::domains_of_draft;
    write "correct" correct_rows(id: JobId, me: String, rows: Vec<rows::CorrectRow>) -> () = drafts::correct_rows;
    write "review" review_rows(args: drafts::ReviewRows) -> u64 = drafts::review_rows;
    read last_decision(id: JobId) -> Option<review::LastDecision> = review::last_decision;
    read_long earlier_decisions(earlier: Vec<JobId>, new: JobId) -> earlier_drafts::EarlierDecisions = earlier_drafts::decisions;
    write "undo review" undo_decision(id: JobId, me: String, decision: review::LastDecision, policies: Policies) -> bool
        = review::undo_decision;
    write "begin" begin(id: JobId, policies: Policies, actor: Actor, seen: SeenJob, reviewed: Option<i64>) -> ()
        = drafts::begin;
    write "begin" start(id: JobId, actor: Actor, seen: SeenJob) -> () = drafts::start;
    write "discard" discard(id: JobId, me: String) -> () = jobs::discard;
    read groups(id: JobId) -> Vec<RowGroup> = drafts::groups;
    read requests_needed(id: JobId, most: usize) -> RequestsNeeded = sending::requests_needed;
    read ready_rows(id: JobId) -> Vec<drafts::ReadyRow> = drafts::ready_rows;
    read sent_before(account: Account, template: TemplateId, key: EmailKey) -> Option<claims::Rival> = claims::sent_before;
}

// The duplicate check.
operations! {
    read_long emails(id: JobId, phase: Phase) -> Vec<String> = duplicates::emails;
    read_long recipients(id: JobId, phase: Phase) -> duplicates::Recipients = duplicates::recipients;
    read_long some_without_badge(id: JobId, phase: Phase, most: usize) -> Vec<String> = duplicates::some_without_badge;
    read other_titles(id: JobId) -> Vec<Text> = duplicates::other_titles;
    read email_keys(id: JobId, rows: Vec<i64>) -> Vec<(i64, EmailKey)> = duplicates::keys;
    write "guard" reset_check(id: JobId, me: String, phase: Phase) -> () = duplicates::reset_check;
    write "baseline" record_held(args: duplicates::RecordHeld) -> () = duplicates::record_held;
    write "guarded" finish_check(args: duplicates::FinishCheck) -> duplicates::CheckResult = duplicates::finish_check;
    read email_of_sent(id: JobId, no: u64, phase: Phase) -> Option<String> = duplicates::email_of_sent;
    write "baseline" record_held_of_row(id: JobId, me: String, no: u64, held: Vec<duplicates::ExistingBadge>) -> ()
        = duplicates::record_held_of_row;
}

// Sending.
operations! {
    read ready_jobs(me: String) -> Vec<JobId> = sending::ready_jobs;
    read has_ready(id: JobId, me: String) -> bool = sending::has_ready;
    write "answer" record_issue_response(args: record_response::IssueResponse) -> Vec<BadgeId>
        = record_response::record_issue_response;
    write "answer" record_revoke_response(args: record_response::RevokeResponse) -> (RowStatus, BTreeSet<JobId>)
        = record_response::record_revoke_response;
    write "answer" record_failure(args: record_response::RequestFailure) -> bool = record_response::record_failure;
    write "stop" stop_job(id: JobId, me: String, kind: StopKind, why: Reason) -> () = jobs::stop_own;
    write "halve" set_batch(id: JobId, me: String, most: i64) -> () = sending::set_batch;
    read refused_size(id: JobId) -> i64 = sending::refused_size;
    read refusal_proof(id: JobId, context: ObserveContext) -> refusals::RefusalProof = refusals::proof;
}

// Decisions of a person.
operations! {
    read newest_decision() -> i64 = jobs::newest_decision;
    write "pause" pause(id: JobId, by: Arc<Process>, at: i64) -> () = jobs::pause;
    write "decide" resume(id: JobId, most: Option<i64>, actor: Actor, seen: SeenJob) -> () = decisions::resume;
    write "decide" retry(args: decisions::Retry) -> std::result::Result<Option<u64>, RecentLoss> = decisions::retry;
    write "call off" cancel(id: JobId, kind: Kind, actor: Actor, by: Arc<Process>) -> u64 = decisions::cancel;
    read reviewed_row(id: JobId, no: u64) -> Option<decisions::ReviewedRow> = decisions::reviewed_row;
    write "decide" resolve_row(args: decisions::ResolveRow) -> std::result::Result<(), decisions::Unresolved>
        = decisions::resolve_row;
    read never_seen(id: JobId, among: Option<Vec<u64>>, latest: i64) -> NeverSeen = decisions::never_seen;
    write "decide" resend_rows(args: decisions::ResendRows) -> std::result::Result<bool, RecentLoss> = decisions::resend_rows;
    write "decide" leave_rows(id: JobId, rows: Vec<u64>, actor: Actor, why: String, me: String) -> std::result::Result<(), decisions::Unresolved>
        = decisions::leave_rows;
    write "call off" cancel_rows(id: JobId, kind: Kind, rows: Vec<u64>, actor: Actor, me: String) -> bool
        = decisions::cancel_rows;
    write "note" note(what: String, why: String, actor: Actor) -> () = decisions::note;
}

// Polling.
operations! {
    read open_jobs(me: String) -> Vec<(JobId, Option<Timestamp>)> = polling::open_jobs;
    read poll_targets(ids: Vec<JobId>) -> HashMap<TemplateId, polling::Group> = polling::poll_targets;
    read revoke_targets(ids: Vec<JobId>) -> polling::Revocations = polling::revoke_targets;
    read first_accepted(account: String, fact: &'static str, ids: Vec<JobId>) -> (Option<String>, Option<i64>)
        = polling::first_accepted;
    read issued(badges: Vec<BadgeId>) -> HashSet<BadgeId> = polling::issued;
    read timed_email(badge: BadgeId) -> Option<String> = polling::timed_email;
    read waiting_badge(account: Account, fact: &'static str) -> Option<(BadgeId, String)> = polling::waiting_badge;
    write "observe" observe(context: ObserveContext, sights: Vec<SeenBadge>) -> observe::Observed = observe::observe;
    write "not found" note_absence(context: ObserveContext, badge: BadgeId) -> () = observe::note_absence;
    write "twice" note_second_badges(found: Vec<polling::SecondBadge>, me: String) -> Vec<JobId> = polling::note_second_badges;
    read due_doubts(context: ObserveContext, jobs: HashSet<JobId>) -> HashSet<EmailKey> = doubts::due;
    write "settle" resolve_doubts(args: doubts::ResolveDoubts) -> observe::Observed = doubts::resolve_doubts;
    write "overdue" mark_overdue(args: observe::MarkOverdue) -> () = observe::mark_overdue;
    write "looked" schedule_next(args: polling::ScheduleNext) -> () = polling::schedule_next;
    write "fact" learn_facts(account: String, seen: Vec<behaviour::BehaviourObservation>, at: i64) -> () = behaviour::learn;
}

// Ownership.
operations! {
    read is_joined(account: Account) -> bool = accounts::is_joined;
    write "account" join_account(account: Account) -> i64 = accounts::join;
    read other_owners(account: Account, me: String) -> Vec<String> = takeover::other_owners;
    read has_orphans(account: Account, me: String) -> bool = takeover::has_orphans;
    read abandoned(account: Account, living: Vec<String>, me: String) -> Vec<JobId> = takeover::abandoned;
    read changes(account: Account, me: String) -> takeover::Changes = takeover::changes;
    write "take over" take_over(account: Account, owner: Arc<Process>, living: Vec<String>, now: i64) -> Vec<JobId>
        = takeover::take_over;
    write "take job" take_job(id: JobId, owner: Arc<Process>, at: i64) -> bool = takeover::take_job;
    write "pause" pause_of_colleague(id: JobId, owner: Arc<Process>, at: i64) -> bool = takeover::pause_of_colleague;
    write "let go" release(me: String, failed: HashMap<JobId, Reason>) -> () = takeover::release;
}

// Reading and administration.
operations! {
    read job(id: JobId, me: String) -> Option<Job> = snapshots::job;
    read jobs(account: Account, me: String, most: usize) -> Vec<Job> = snapshots::jobs;
    read rows_count(id: JobId, filter: RowFilter) -> u64 = rows::count;
    read before_in_list(id: JobId, filter: RowFilter, no: u64) -> Option<u64> = rows::before_in_list;
    read rows_page(id: JobId, filter: RowFilter, most: usize, doubt_window: i64) -> Vec<JobRow> = rows::page;
    read cells(id: JobId) -> Vec<String> = rows::cells;
    read places_of(id: JobId, number: u64) -> (Vec<u64>, (u64, u64)) = rows::places_of;
    read number_of(id: JobId, no: u64) -> u64 = rows::number_of;
    read equal_before(id: JobId, no: u64) -> u64 = rows::equal_before;
    read sent_badge(account: Account, badge: BadgeId) -> Vec<sent_here::SentHere> = sent_here::sent_badge;
    read sent_to(account: Account, key: EmailKey) -> Vec<sent_here::SentHere> = sent_here::sent_to;
    read sent_alike(account: Account, address: Option<String>, name: Option<String>) -> Vec<sent_here::SentAlike>
        = sent_here::sent_alike;
    read requested(account: Account, key: EmailKey) -> Vec<sent_here::SentHere> = sent_here::requested;
    read planned_revocations(account: Account, badges: Vec<BadgeId>) -> HashMap<BadgeId, JobId>
        = sent_here::planned_revocations;
    read domains(account: Account) -> Vec<(String, u64)> = sent_here::domains;
    read recent_loss() -> Option<RecentLoss> = lost_writes::recent;
    read facts(account: String) -> Vec<behaviour::ObservedBehaviour> = behaviour::all;
    read newest(what: Cow<'static, str>, most: usize) -> Vec<String> = behaviour::newest;
    read kept(what: &'static str, key: String) -> Option<String> = behaviour::kept;
    write "keep" keep(kept: Vec<behaviour::KeptValue>) -> () = behaviour::keep_all;
    write "adopt" adopt(to: Account, former: String, ended: Vec<String>, actor: Actor) -> adopt::Adopted = adopt::adopt;
    write "purge" purge(args: purge::Purge) -> Vec<JobId> = purge::purge;
    read count_here(account: Account) -> u64 = transfer::count_here;
    read elsewhere(account: Account) -> Option<Localizable> = transfer::elsewhere;
    read beside(account: Account, other: transfer::OtherJournal) -> transfer::JournalBeside = transfer::beside;
    read owners(account: Account, me: String) -> Vec<String> = transfer::owners;
    read known_there(account: Account) -> Vec<JobId> = transfer::known_there;
    read numbers_here(source: String, jobs: Vec<JobId>) -> Vec<(JobId, JobId)> = transfer::numbers_here;
    read came_as(old: JobId) -> Vec<JobId> = transfer::came_as;
    read assure_may_go(account: Account, to: transfer::OtherJournal) -> () = transfer::assure_may_go;
    write "leave" leave(account: Account, to: transfer::OtherJournal) -> u64 = transfer::leave;
    write "expect" expect(account: Account, from: transfer::OtherJournal) -> () = transfer::expect;
    write "begin move" begin_move(args: transfer::BeginMove) -> Vec<JobId> = transfer::begin_move;
    read name() -> String = transfer::name;
    read source() -> transfer::SourceJournal = transfer::source;
    read_long copy(id: JobId) -> transfer::JobCopy = transfer::copy;
    write "take copy" take_copy(source: transfer::SourceJournal, copy: transfer::JobCopy, account: Account, actor: Actor) -> bool
        = transfer::take;
    write "end move" end_move(account: Account, to: transfer::OtherJournal) -> () = transfer::end_move;
    write "end return" end_return(account: Account, from: transfer::OtherJournal) -> () = transfer::end_return;
    read_long check() -> Vec<String> = schema::check;
    read_long quick_check() -> Vec<String> = schema::quick_check;
}
