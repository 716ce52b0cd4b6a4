//! Ctrl-C: the first one stops sending in order, the second one ends the process at once.

use crate::cli::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio_util::sync::CancellationToken;

/// What the first and the second Ctrl-C say, and the exit code of the second.
#[derive(Clone, Copy)]
struct Said {
    first: Option<&'static str>,
    second: &'static str,
    code: u8,
}

const SENDING: Said = Said {
    first: Some(tr_noop!("stopping: waiting for the answers to sent requests. Ctrl-C again exits now.")),
    second: tr_noop!("exited. Requests without an answer are in doubt; lapel jobs follow checks them."),
    code: exit::DOUBT,
};

/// Nothing was sent that acts.
const IDLE: Said = Said {
    first: Some(tr_noop!("stopping. Ctrl-C again exits now.")),
    second: tr_noop!("exited. Nothing was sent."),
    code: exit::STOPPED,
};

const READING: Said =
    Said { first: None, second: tr_noop!("exited. Nothing was changed."), code: exit::STOPPED };

#[derive(Clone, Debug)]
pub(super) struct Interrupt {
    token: CancellationToken,
    /// Whether a request may be on its way that acts.
    sends: Arc<AtomicBool>,
}

impl Interrupt {
    pub fn watch() -> Self {
        Self::with(|sends| if sends { SENDING } else { IDLE })
    }

    /// For a verb that changes nothing, and so stops at once.
    pub fn reading() -> Self {
        Self::with(|_| READING)
    }

    fn with(said: impl Fn(bool) -> Said + Send + Sync + 'static) -> Self {
        let made = Self { token: CancellationToken::new(), sends: Arc::default() };
        let (token, sends) = (made.token.clone(), made.sends.clone());
        // On a system without signal handling, Ctrl-C ends the process by itself.
        let Ok(mut signals) = Signals::new() else { return made };
        tokio::spawn(async move {
            let said = || said(sends.load(Ordering::Relaxed));
            if !signals.next().await {
                return;
            }
            if let Some(first) = said().first {
                output::complain(tr(first));
            }
            token.cancel();
            if signals.next().await {
                let Said { second, code, .. } = said();
                let failure = Failure { code, ..Failure::new("given_up", tr(second)) };
                // Also if the command line has mistakes.
                std::process::exit(i32::from(failure.report(std::env::args_os().any(|arg| arg == "--json"))));
            }
        });
        made
    }

    /// From now on, Ctrl-C waits for answers.
    pub fn will_send(&self) {
        self.sends.store(true, Ordering::Relaxed);
    }

    /// A failure before anything was sent is that of Ctrl-C, if that came first.
    pub fn failed(&self, failure: Failure) -> Failure {
        if self.is_wanted() && !self.sends.load(Ordering::Relaxed) { Failure::given_up() } else { failure }
    }

    pub fn token(&self) -> CancellationToken {
        self.token.child_token()
    }

    pub fn is_wanted(&self) -> bool {
        self.token.is_cancelled()
    }

    pub async fn wanted(&self) {
        self.token.cancelled().await;
    }
}

/// Registered throughout, so that no signal is lost between two waits.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// The terminal closed. `None` if lapel ignores that, as after `nohup`.
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: if ignores_hangup() { None } else { Some(signal(SignalKind::hangup())?) },
        })
    }

    /// `false` when no further signal can arrive.
    async fn next(&mut self) -> bool {
        tokio::select! {
            pressed = self.interrupt.recv() => pressed.is_some(),
            ended = self.terminate.recv() => ended.is_some(),
            Some(closed) = async { Some(self.hangup.as_mut()?.recv().await) } => closed.is_some(),
        }
    }
}

/// Where the system does not say so: `nohup` leaves no terminal for errors.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    match mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()) {
        Some(mask) => mask & 1 == 1,
        None => !std::io::IsTerminal::is_terminal(&std::io::stderr()),
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> bool {
        tokio::signal::ctrl_c().await.is_ok()
    }
}
