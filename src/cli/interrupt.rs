//! Ctrl-C: the first one stops sending in good order, the second one ends at once.

use super::{exit, say};
use tokio_util::sync::CancellationToken;

/// Whether somebody wants this to end.
#[derive(Clone, Debug)]
pub(super) struct Interrupt(CancellationToken);

impl Interrupt {
    /// Watches for Ctrl-C, and for SIGTERM, which is how a machine says the same.
    pub fn watch() -> Self {
        let token = CancellationToken::new();
        let told = token.clone();
        tokio::spawn(async move {
            if signal().await.is_err() {
                // A system that tells of no signals ends the process by itself.
                return;
            }
            say::complain("stopping; what is on its way is waited for. Once more ends at once.");
            told.cancel();
            if signal().await.is_ok() {
                say::complain(
                    "ended at once. What was on its way is in doubt: lapel jobs follow looks for it.",
                );
                std::process::exit(i32::from(exit::DOUBT));
            }
        });
        Self(token)
    }

    /// For what can be given up.
    pub fn token(&self) -> CancellationToken {
        self.0.child_token()
    }

    pub fn is_wanted(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Comes back when somebody wants this to end.
    pub async fn wanted(&self) {
        self.0.cancelled().await;
    }
}

#[cfg(unix)]
async fn signal() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        pressed = tokio::signal::ctrl_c() => pressed,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn signal() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
