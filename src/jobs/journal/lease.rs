//! The lease of a process on a team's database: other computers see that it is alive while it renews the lease.
//!
//! Its connection also listens for writes of others. That only hastens what the follower finds by itself.
//!
//! A process that cannot renew it in time must not send: another one may take over its jobs as soon as the
//! database's clock says that the lease has ended. So its own deadline is earlier, and by a clock that counts sleep.

use super::Process;
use super::connection_report::ConnectionReport;
use crate::api::MaySend;
use crate::boot_clock::boot_ms;
use crate::jobs::journal::prelude::*;
use crate::team::{DatabaseSession, Login};
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU64};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use tokio::sync::Notify;

/// How long a lease lasts, by the database's clock.
pub(super) const LASTS: Duration = Duration::from_secs(30);
/// How long a process relies on its lease, from the beginning of the last renewal.
const RELIABLE: Duration = Duration::from_secs(20);
/// Interval between renewals.
const RENEW: Duration = Duration::from_secs(5);
/// Maximum wait for the database's answer to a renewal: there must be time for another one.
const PATIENCE: Duration = Duration::from_secs(5);
/// Pause after a renewal that failed.
const AGAIN: Duration = Duration::from_secs(1);

/// The time until which this process may send, as its own clock knows it.
#[derive(Clone, Debug, Default)]
pub(in crate::jobs) struct LeaseTime {
    until: Arc<AtomicI64>,
    /// Rises with each renewal of a lease that had ended. Others may have taken over jobs before it.
    term: Arc<AtomicU64>,
    renewed: Arc<Notify>,
}

impl LeaseTime {
    pub(in crate::jobs) fn is_valid(&self) -> bool {
        boot_ms() < self.until.load(Ordering::Acquire)
    }

    /// The right to send what is recorded from now on. It ends with the lease, also if that is renewed afterwards: the
    /// computer may have slept, and the job may have another owner since.
    pub(super) fn may_send(&self) -> MaySend {
        let (lease, term) = (self.clone(), self.term.load(Ordering::Acquire));
        // A renewal raises the term before the time, so a process that sees the new time also sees the new term.
        MaySend::new(move || lease.is_valid() && lease.term.load(Ordering::Acquire) == term)
    }

    /// Waits a little for a renewal if the lease has ended. After an outage, a job may reach the database before the
    /// lease does, and must not stop for that.
    pub(in crate::jobs) async fn is_valid_soon(&self) -> bool {
        let valid = async {
            loop {
                let renewed = self.renewed.notified();
                tokio::pin!(renewed);
                renewed.as_mut().enable();
                if self.is_valid() {
                    return;
                }
                renewed.await;
            }
        };
        tokio::time::timeout(AGAIN + PATIENCE, valid).await.is_ok()
    }

    /// As time does without a renewal, for tests.
    pub(super) fn end(&self) {
        self.until.store(0, Ordering::Release);
    }

    pub(super) fn renew(&self, begun: i64) {
        if !self.is_valid() {
            self.term.fetch_add(1, Ordering::Release);
        }
        self.until.store(begun + RELIABLE.as_millis() as i64, Ordering::Release);
        self.renewed.notify_waiters();
    }
}

/// Writes of other processes, as the database notifies them.
#[derive(Clone, Debug, Default)]
pub(in crate::jobs) struct Notified {
    pub(in crate::jobs) others: Arc<Notify>,
    /// The server's process for the writes of this one, which are no news.
    own: Arc<AtomicI32>,
}

impl Notified {
    pub(super) fn set_own(&self, session: &DatabaseSession) {
        self.own.store(session.pid, Ordering::Relaxed);
    }
}

/// The thread that renews the lease, until dropped. Dropping it ends the lease.
pub(super) struct Lease {
    pub(super) time: LeaseTime,
    pub(super) notified: Notified,
    /// The server's process for the first connection.
    pub(super) pid: Option<i32>,
    wake: Arc<Notify>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    // Dropped last: the end of the program waits for it.
    _held: super::Held,
}

impl Lease {
    /// Takes the lease of a process, and keeps renewing it.
    pub(super) fn take(
        login: &Login,
        process: &Arc<Process>,
        connection: ConnectionReport,
    ) -> Result<Self, TeamError> {
        let mut keeper = LeaseKeeper {
            login: login.clone(),
            process: process.clone(),
            time: LeaseTime::default(),
            session: None,
            connection,
            notified: Notified::default(),
            wake: Arc::default(),
        };
        keeper.renew()?;
        let pid = keeper.session.as_ref().map(|session| session.pid);
        let (time, notified, wake) = (keeper.time.clone(), keeper.notified.clone(), keeper.wake.clone());
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new()
            .name("lease".into())
            .spawn(move || keeper.run(&stopped))
            .map_err(|why| TeamError::Other(why.to_string()))?;
        let (stop, thread) = (Some(stop), Some(thread));
        Ok(Self { time, notified, pid, wake, stop, thread, _held: super::Held::count() })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.wake.notify_one();
        // Without the wait, the end of the process would end the thread before it gives the lease back.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct LeaseKeeper {
    login: Login,
    process: Arc<Process>,
    time: LeaseTime,
    session: Option<DatabaseSession>,
    connection: ConnectionReport,
    notified: Notified,
    wake: Arc<Notify>,
}

impl LeaseKeeper {
    fn run(mut self, stop: &Receiver<()>) {
        let mut pause = RENEW;
        while self.wait(stop, pause) {
            pause = match self.renew() {
                Ok(()) => RENEW,
                Err(why) => {
                    tracing::warn!(?why, "the lease on the team's journal is not renewed");
                    AGAIN
                }
            };
        }
        if let Some(session) = self.session.take() {
            session.runtime.set_limit(AGAIN);
            let sql = "DELETE FROM process WHERE id = $1";
            let _ = session.runtime.block_on(session.client.execute(sql, &[&self.process.id]));
        }
    }

    /// Waits until the lease has to be renewed, and listens meanwhile. Returns false at the end.
    fn wait(&mut self, stop: &Receiver<()>, pause: Duration) -> bool {
        let end = Instant::now() + pause;
        while let Some(session) = &mut self.session {
            let heard = session.runtime.idle(async {
                tokio::select! {
                    from = session.notified.recv() => Some(from),
                    () = self.wake.notified() => None,
                    () = tokio::time::sleep_until(end.into()) => None,
                }
            });
            match heard {
                Some(Some(from)) if from == self.notified.own.load(Ordering::Relaxed) => {}
                Some(Some(_)) => self.notified.others.notify_one(),
                // The connection is lost. Another one is made soon.
                Some(None) => {
                    self.session = None;
                    return stop.recv_timeout(AGAIN / 10) == Err(RecvTimeoutError::Timeout);
                }
                None => break,
            }
        }
        stop.recv_timeout(end.saturating_duration_since(Instant::now())) == Err(RecvTimeoutError::Timeout)
    }

    fn connected(&self) -> Result<DatabaseSession, TeamError> {
        let connected = super::tx::team::connected(&self.login).and_then(|session| {
            session.runtime.block_on(session.client.batch_execute("LISTEN lapel"))?;
            Ok(session)
        });
        self.connection.note(&connected, &self.login);
        // The last one may have missed something.
        self.notified.others.notify_one();
        connected
    }

    fn renew(&mut self) -> Result<(), TeamError> {
        let session = match self.session.take() {
            Some(session) if !session.is_closed() => session,
            _ => self.connected()?,
        };
        let begun = boot_ms();
        let seconds = LASTS.as_secs_f64();
        session.runtime.set_limit(PATIENCE.min(self.login.limits.write));
        session.runtime.block_on(session.client.execute(
            "INSERT INTO process (id, label, until)
             VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
             ON CONFLICT (id) DO UPDATE SET until = excluded.until",
            &[&self.process.id, &self.process.label, &seconds],
        ))?;
        self.time.renew(begun);
        self.session = Some(session);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_lease_that_has_ended_is_waited_for() {
        let time = LeaseTime::default();
        let later = time.clone();
        let renewal = async move {
            tokio::task::yield_now().await;
            later.renew(boot_ms());
        };
        let (is_valid, ()) = tokio::join!(time.is_valid_soon(), renewal);
        assert!(is_valid);
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_that_is_not_renewed_is_waited_for_only_a_little() {
        assert!(!LeaseTime::default().is_valid_soon().await);
    }

    #[test]
    fn a_process_relies_on_its_lease_for_less_time_than_it_lasts() {
        let time = LeaseTime::default();
        assert!(!time.is_valid(), "nothing was renewed yet");
        time.renew(boot_ms());
        assert!(time.is_valid());
        let may_send = time.may_send();
        time.renew(boot_ms());
        assert!(may_send.is_allowed(), "the lease has not ended");
        time.end();
        assert!(!may_send.is_allowed());
        time.renew(boot_ms());
        assert!(
            !may_send.is_allowed() && time.may_send().is_allowed(),
            "others may have taken over meanwhile"
        );
        // The renewal was asked for before the computer slept.
        time.renew(boot_ms() - RELIABLE.as_millis() as i64);
        assert!(!time.is_valid());
        assert!(RENEW + PATIENCE + AGAIN + PATIENCE < RELIABLE, "there is time for another renewal");
        assert!(RELIABLE + AGAIN + RENEW <= LASTS, "a request can be stopped before others take over");
    }
}
