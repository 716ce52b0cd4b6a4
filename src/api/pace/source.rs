//! What this process takes its shared slots from: the file of this computer, or the database of its team.

use super::Priority;
use super::shared::{PaceProblem, Shared};
use super::slots::{SharedUse, SlotReply, SlotRequest};
#[cfg(feature = "team")]
use super::team::TeamShare;
use crate::api::prelude::*;

#[derive(Clone, Copy)]
pub(super) enum Source<'p> {
    Computer(&'p Shared),
    #[cfg(feature = "team")]
    Team(&'p TeamShare),
}

impl<'p> Source<'p> {
    pub(super) async fn head(self, priority: Priority) -> tokio::sync::MutexGuard<'p, ()> {
        match self {
            Self::Computer(shared) => shared.head(priority).await,
            #[cfg(feature = "team")]
            Self::Team(team) => team.head(priority).await,
        }
    }

    /// The error says why the file cannot be used.
    pub(super) async fn take(self, want: SlotRequest) -> Result<SlotReply, PaceProblem> {
        match self {
            Self::Computer(shared) => shared.take(want).await,
            #[cfg(feature = "team")]
            Self::Team(team) => Ok(team.take(want).await),
        }
    }

    pub(super) fn hold(self, wait: Duration, refusals: u32) {
        match self {
            Self::Computer(shared) => shared.hold(wait, refusals),
            #[cfg(feature = "team")]
            Self::Team(team) => team.hold(wait, refusals),
        }
    }

    pub(super) fn calm(self, lift: bool) {
        match self {
            Self::Computer(shared) => shared.calm(lift),
            #[cfg(feature = "team")]
            Self::Team(team) => team.calm(lift),
        }
    }

    pub(super) async fn peek(self) -> Result<SharedUse, PaceProblem> {
        match self {
            Self::Computer(shared) => shared.peek().await,
            #[cfg(feature = "team")]
            Self::Team(team) => team.peek().await,
        }
    }

    pub(super) async fn flush(self) {
        match self {
            Self::Computer(shared) => shared.flush().await,
            #[cfg(feature = "team")]
            Self::Team(team) => team.flush().await,
        }
    }
}
