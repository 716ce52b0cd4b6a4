//! Ctrl-C: the first one stops sending in order, the second one ends the process at once.

use super::{exit, output};
use tokio_util::sync::CancellationToken;

#[derive(Clone, Debug)]
pub(super) struct Interrupt(CancellationToken);

impl Interrupt {
    pub fn watch() -> Self {
        Self::with(
            Some(t!("stopping: waiting for the answers to sent requests. Ctrl-C again exits now.")),
            (
                t!("exited. Requests without an answer are in doubt; lapel jobs follow checks them."),
                exit::DOUBT,
            ),
        )
    }

    /// For a verb that changes nothing, and so stops at once.
    pub fn reading() -> Self {
        Self::with(None, (t!("exited. Nothing was changed."), exit::STOPPED))
    }

    fn with(first: Option<&'static str>, (second, code): (&'static str, u8)) -> Self {
        let token = CancellationToken::new();
        let told = token.clone();
        // On a system without signal handling, Ctrl-C ends the process by itself.
        let Ok(mut signals) = Signals::new() else { return Self(token) };
        tokio::spawn(async move {
            if !signals.next().await {
                return;
            }
            if let Some(first) = first {
                output::complain(first);
            }
            told.cancel();
            if signals.next().await {
                output::complain(second);
                std::process::exit(i32::from(code));
            }
        });
        Self(token)
    }

    pub fn token(&self) -> CancellationToken {
        self.0.child_token()
    }

    pub fn is_wanted(&self) -> bool {
        self.0.is_cancelled()
    }

    pub async fn wanted(&self) {
        self.0.cancelled().await;
    }
}

/// Registered throughout, so that no signal is lost between two waits.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// The terminal closed. `None` if that is to be ignored, as after `nohup`.
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

#[cfg(not(unix))]
struct Signals;

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
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> bool {
        tokio::signal::ctrl_c().await.is_ok()
    }
}
