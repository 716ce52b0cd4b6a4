//! The rate limiter of a key: at most `limit` requests in any sliding 60 s, as the service sees them
//! (contract, "Limits").
//!
//! A request holds a slot from just before it is sent until 60 s after it completed. This is enough for any
//! latency; [`slots`] has the proof. A cancelled request counts as completed when it was cancelled. The proof
//! fails only if the network delays it longer than our time-outs.
//!
//! All lapel processes of one computer share the limit and the holds, if they know the data folder. The queue
//! of this process then only decides who requests the next shared slot. If the file cannot be used, this
//! process takes the share of [`SAFE_SHARE`] and reports that. All computers of a team share both through the
//! team's database; see [`team`].

mod guards;
mod queue;
mod shared;
mod slots;
mod source;
#[cfg(feature = "team")]
mod team;

use super::error::{ApiError, ApiResult};
use super::link::{LinkStatus, LinkTrouble, UnderWay};
use crate::api::prelude::*;
use crate::i18n::wait::wait_text;
pub(super) use guards::Permit;
use guards::{Outside, QueuePlace, ReadGuard};
pub use queue::Priority;
use queue::{QueueState, QueuedCall};
pub use shared::pace_file;
use shared::{PaceProblem, Shared};
use slots::{LONGEST_HOLD, SharedUse, Slot, SlotReply, SlotRequest};
use source::Source;
use std::path::Path;
use std::sync::{MutexGuard, OnceLock};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub(super) const WINDOW: Duration = Duration::from_secs(60);
/// Divisor of the limit for a process that cannot share it.
const SAFE_SHARE: u32 = 4;
/// Interval at which a waiter checks whether another process has lifted a hold.
const HOLD_POLL: Duration = Duration::from_secs(15);
/// Wait after a 429 without a valid `Retry-After`. Doubles with each consecutive 429.
const BLIND_WAIT: Duration = Duration::from_secs(5);
const LONGEST_BLIND_WAIT: Duration = Duration::from_secs(60);
const MOST_HALVINGS: u32 = 4;

#[derive(Debug)]
pub(super) struct Pace {
    state: Mutex<QueueState>,
    status: watch::Sender<LinkStatus>,
    window: Duration,
    shared: OnceLock<Shared>,
    #[cfg(feature = "team")]
    team: OnceLock<team::TeamShare>,
}

/// `usable`: how long a slot may be used before its request begins. `reach`: how long the request may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotTimes {
    pub(super) usable: Duration,
    pub(super) reach: Duration,
}

impl Pace {
    pub(super) fn with_window(limit: u32, window: Duration) -> Arc<Self> {
        let limit = limit.max(1);
        let state = QueueState { limit, window, ..QueueState::default() };
        let (status, _) = watch::channel(state.status());
        Arc::new(Self {
            state: Mutex::new(state),
            status,
            window,
            shared: OnceLock::new(),
            #[cfg(feature = "team")]
            team: OnceLock::new(),
        })
    }

    /// Shares the limit through a team's database, and not through a file. Does not wait for the database. `folder` is
    /// for this computer's own share, which covers requests of this span. If the team already shares it, only the login
    /// is another one.
    #[cfg(feature = "team")]
    pub(super) fn share_in_team(
        self: &Arc<Self>,
        login: crate::team::Login,
        folder: Option<&Path>,
        pace: &str,
        span: SlotTimes,
    ) {
        if let Some(team) = self.team.get() {
            team.use_login(login);
            return;
        }
        let first = self.want(Priority::Interactive, span);
        let shown = Arc::downgrade(self);
        let changed = move || {
            if let Some(pace) = shown.upgrade() {
                pace.status_now();
            }
        };
        let (team, seen) = team::TeamShare::start(login, folder, pace, &first, Box::new(changed));
        let _ = self.team.set(team);
        self.see(seen, 0);
    }

    /// Returns this process's unused slots to its team, at the end of the process. Blocks, for 1 s at most.
    #[cfg(feature = "team")]
    pub(super) fn leave(&self) {
        if let Some(team) = self.team.get() {
            team.leave();
        }
    }

    /// Opens a file. Does nothing if the limit is already shared, or if sharing has failed.
    pub(super) fn share_in(&self, folder: &Path, pace: String) {
        if self.shared.get().is_some() || self.lock().alone.is_some() {
            return;
        }
        match Shared::open(folder, pace, self.window, false) {
            Ok((shared, seen)) => {
                let _ = self.shared.set(shared);
                self.see(seen, 0);
            }
            Err(why) => self.go_alone(why),
        }
    }

    /// Limits this process to a safe share: other processes may use the same key, and it cannot see them.
    fn go_alone(&self, why: PaceProblem) {
        tracing::warn!(%why, "the pace is not shared");
        let mut state = self.lock();
        if state.alone.is_none() {
            state.alone = Some(why);
            state.limit = (state.limit / SAFE_SHARE).max(1);
            state.others = None;
        }
        self.publish(&state);
    }

    /// `None` after the file has failed.
    fn source(&self) -> Option<Source<'_>> {
        let is_alone = self.lock().alone.is_some();
        self.source_if(!is_alone)
    }

    fn source_if(&self, works: bool) -> Option<Source<'_>> {
        #[cfg(feature = "team")]
        if let Some(team) = self.team.get() {
            return Some(Source::Team(team));
        }
        self.shared.get().filter(|_| works).map(Source::Computer)
    }

    /// `holds` is the number of holds when the reading was requested.
    fn see(&self, seen: SharedUse, holds: u64) {
        let now = Instant::now();
        let mut state = self.lock();
        state.others = (seen.others > 0).then(|| (seen.others, now + seen.others_end_in));
        // The file contains the holds of this process, too. If one is missing there, it was lifted.
        let before = state.held_until;
        match seen.held {
            Some(left) => {
                state.held_until = Some(before.map_or(now + left, |known| nearly(known, now + left)));
                state.refusals = state.refusals.max(seen.refusals);
            }
            None if holds == state.holds => state.held_until = None,
            None => {}
        }
        let (known, limit) = (state.own_share, state.limit);
        state.own_share = seen.own_share.filter(|(own, _)| *own < limit).map(|(own, left)| {
            let until = now + left;
            (own, known.map_or(until, |(_, known)| nearly(known, until)))
        });
        #[cfg(feature = "team")]
        if let Some(team) = self.team.get() {
            state.away = team.away();
            // Its database grants more.
            state.own_share = None;
        }
        if state.held_until != before {
            state.grant(now);
            state.wake_heads();
        }
        self.publish(&state);
    }

    fn holds(&self) -> u64 {
        self.lock().holds
    }

    /// Checks whether the limit can be shared, without a request to the service.
    pub(super) async fn check_sharing(&self) {
        let holds = self.holds();
        if let Some(source) = self.source()
            && let Ok(seen) = source.peek().await
        {
            self.see(seen, holds);
        }
    }

    /// Returns when other processes can see everything that this one recorded.
    pub(super) async fn flush(&self) {
        if let Some(source) = self.source() {
            source.flush().await;
        }
    }

    /// If two users of one key set different limits, the smaller one applies.
    pub(super) fn limit_to(&self, limit: u32) {
        let mut state = self.lock();
        state.limit = state.limit.min(limit.max(1));
        self.publish(&state);
    }

    /// True if a later user of the key need not respect any of its state.
    pub(super) fn is_idle(&self) -> bool {
        let mut state = self.lock();
        state.expire(Instant::now());
        state.used() == 0 && state.waiting() == 0 && state.held_until.is_none()
    }

    pub(super) fn watch(&self) -> watch::Receiver<LinkStatus> {
        self.status.subscribe()
    }

    pub(super) fn budget(&self) -> (u32, u32) {
        let state = self.lock();
        (state.used_by_all(), state.limit_now())
    }

    /// Also updates the watched status.
    pub(super) fn status_now(&self) -> LinkStatus {
        let mut state = self.lock();
        state.expire(Instant::now());
        #[cfg(feature = "team")]
        if let Some(team) = self.team.get() {
            state.away = team.away();
        }
        self.publish(&state);
        state.status()
    }

    /// Dropping the future or cancelling the token leaves the queue cleanly.
    pub(super) async fn turn_within(
        self: &Arc<Self>,
        priority: Priority,
        span: SlotTimes,
        cancel: &CancellationToken,
    ) -> ApiResult<Permit> {
        loop {
            let mut permit = self.own_turn(priority, cancel).await?;
            let Some(source) = self.source() else { return Ok(permit) };
            match self.shared_turn(source, priority, span, cancel).await? {
                Ok(slot) => {
                    permit.slot = Some(slot);
                    return Ok(permit);
                }
                // The turn belonged to the whole limit, so take a new one.
                Err(why) => self.go_alone(why),
            }
        }
    }

    /// Ignores a hold, for one request that a person asked for. Does not wait: `None` if the limit
    /// is used up.
    pub(super) async fn turn_through(self: &Arc<Self>, span: SlotTimes) -> Option<Permit> {
        let priority = Priority::Interactive;
        let mut permit = {
            let mut state = self.lock();
            state.expire(Instant::now());
            // Requests that wait for a shared slot send nothing now.
            if state.used() - state.outside >= state.limit {
                return None;
            }
            *state.under_way.of(priority) += 1;
            Permit { pace: self.clone(), priority, sent: false, slot: None }
        };
        if let Some(source) = self.source() {
            let want = SlotRequest { through: true, ..self.want(priority, span) };
            let holds = self.holds();
            match source.take(want).await {
                Ok(SlotReply::Granted(slot, seen)) => {
                    permit.slot = Some(slot);
                    self.see(seen, holds);
                }
                Ok(SlotReply::Later(..)) => return None,
                Err(why) => self.go_alone(why),
            }
        }
        Some(permit)
    }

    fn want(&self, priority: Priority, span: SlotTimes) -> SlotRequest {
        let state = self.lock();
        SlotRequest {
            priority,
            limit: state.limit,
            background: state.background_limit(),
            window: self.window,
            usable: span.usable,
            reach: span.reach,
            through: false,
        }
    }

    /// The inner error says why the file cannot be used.
    async fn shared_turn(
        &self,
        source: Source<'_>,
        priority: Priority,
        span: SlotTimes,
        cancel: &CancellationToken,
    ) -> ApiResult<Result<Slot, PaceProblem>> {
        let outside = Outside::new(self);
        let _head = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ApiError::Cancelled),
            head = source.head(priority) => head,
        };
        loop {
            let holds = self.holds();
            let taken = match source.take(self.want(priority, span)).await {
                Ok(taken) => taken,
                Err(why) => return Ok(Err(why)),
            };
            let wait = match taken {
                SlotReply::Granted(slot, seen) => {
                    drop(outside);
                    self.see(seen, holds);
                    return Ok(Ok(slot));
                }
                SlotReply::Later(wait, seen) => {
                    self.see(seen, holds);
                    wait.min(HOLD_POLL)
                }
            };
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(ApiError::Cancelled),
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    async fn own_turn(self: &Arc<Self>, priority: Priority, cancel: &CancellationToken) -> ApiResult<Permit> {
        if cancel.is_cancelled() {
            return Err(ApiError::Cancelled);
        }
        let waiter = Arc::new(QueuedCall::default());
        let mut place = QueuePlace { pace: self, waiter: Some(waiter.clone()), priority };
        {
            let mut state = self.lock();
            state.queues.of(priority).push_back(waiter.clone());
            state.grant(Instant::now());
            self.publish(&state);
        }
        loop {
            if waiter.is_granted() {
                place.waiter = None;
                return Ok(Permit { pace: self.clone(), priority, sent: false, slot: None });
            }
            let deadline = self.lock().deadline_of(&waiter, priority);
            // Another process may lift a hold.
            let is_shared = self.source().is_some() && deadline.is_some() && !self.held_for().is_zero();
            let peek = is_shared.then(|| Instant::now() + HOLD_POLL);
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(ApiError::Cancelled),
                () = waiter.wake.notified() => {}
                () = sleep_until(peek) => self.check_sharing().await,
                () = sleep_until(deadline) => {
                    let mut state = self.lock();
                    state.grant(Instant::now());
                    self.publish(&state);
                }
            }
        }
    }

    /// Holds all requests of the key after a 429, interactive ones too, and returns the wait. Without
    /// `asked`, or if it is shorter than `shortest`, the wait grows with each consecutive 429.
    pub(super) fn hold(&self, asked: Option<Duration>, shortest: Duration) -> Duration {
        let now = Instant::now();
        let mut state = self.lock();
        state.holds += 1;
        // Several requests refused at once count as one refusal.
        if state.held_until.is_none_or(|until| until <= now) {
            state.refusals = state.refusals.saturating_add(1);
            state.halvings = (state.halvings + 1).min(MOST_HALVINGS);
            state.halved = Some(now);
        }
        let grown = |first: Duration| first.saturating_mul(1 << state.refusals.saturating_sub(1).min(10));
        let wait = match asked {
            // Repeated `Retry-After: 0` must not cause a flood of requests.
            Some(asked) => asked.max(grown(shortest).min(LONGEST_BLIND_WAIT)),
            None => grown(BLIND_WAIT).min(LONGEST_BLIND_WAIT),
        }
        .min(LONGEST_HOLD);
        let until = now + wait;
        state.held_until = Some(state.held_until.map_or(until, |held| held.max(until)));
        state.trouble = None;
        state.wake_heads();
        if let Some(source) = self.source_if(state.alone.is_none()) {
            source.hold(wait, state.refusals);
        }
        self.publish(&state);
        wait
    }

    /// Ends a hold early: the service has answered a request that a person asked for.
    pub(super) fn lift(&self) {
        if let Some(source) = self.source() {
            source.calm(true);
        }
        let mut state = self.lock();
        state.held_until = None;
        state.refusals = 0;
        state.grant(Instant::now());
        state.wake_heads();
        self.publish(&state);
    }

    pub(super) fn reading(&self, under_way: UnderWay) -> ReadGuard<'_> {
        let mut state = self.lock();
        state.reads_so_far += 1;
        let no = state.reads_so_far;
        state.reads.push((no, under_way));
        ReadGuard { pace: self, no }
    }

    pub(super) fn longest_read(&self) -> Option<UnderWay> {
        self.lock().reads.iter().map(|(_, read)| *read).min_by_key(|read| read.since)
    }

    /// See [`LinkStatus::alone`].
    pub(super) fn alone(&self) -> Option<Localizable> {
        self.lock().why_alone()
    }

    /// Why this computer sends only its own share of the limit, as a message.
    pub(super) fn own_share(&self) -> Option<Localizable> {
        let (limit, until) = self.lock().own_share?;
        let left = until.saturating_duration_since(Instant::now());
        Some(localizable!(
            "With this key, this computer sends at most {limit} requests a minute, its own share ({wait}): it used a team's journal, whose database may give the rest of the rate limit to other computers.",
            limit,
            wait = wait_text(left)
        ))
    }

    /// Returns why, as soon as this computer has had no share of its team's limit for so long.
    pub(super) async fn unshared_for(&self, patience: Option<Duration>) -> Localizable {
        let Some(patience) = patience else { return std::future::pending().await };
        let mut status = self.watch();
        loop {
            // Only without a share the limit is 0.
            let _ = status.wait_for(|status| status.limit == 0).await;
            let shared = status.wait_for(|status| status.limit > 0);
            let is_over = tokio::time::timeout(patience, shared).await.is_err();
            if is_over && let Some(why) = self.alone() {
                return why;
            }
        }
    }

    pub(super) fn held_for(&self) -> Duration {
        let now = Instant::now();
        self.lock().held_until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }

    /// `None` is a response of the service itself.
    pub(super) fn note(&self, trouble: Option<LinkTrouble>) {
        let mut state = self.lock();
        state.trouble = trouble;
        let mut calm = false;
        if trouble.is_none() {
            calm = std::mem::take(&mut state.refusals) > 0;
            state.last_ok = Some(Instant::now());
        }
        self.publish(&state);
        drop(state);
        if calm && let Some(source) = self.source() {
            source.calm(false);
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, state: &QueueState) {
        let now = state.status();
        self.status.send_if_modified(|shown| {
            let changed = *shown != now;
            if changed {
                *shown = now;
            }
            changed
        });
    }
}

/// Keeps the known time unless the other differs clearly: two clocks differ slightly.
fn nearly(known: Instant, read: Instant) -> Instant {
    let apart = known.max(read).saturating_duration_since(known.min(read));
    if apart < Duration::from_millis(100) { known } else { read }
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
