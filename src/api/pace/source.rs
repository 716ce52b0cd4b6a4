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

macro_rules! of_each {
    ($this:expr, $source:ident => $call:expr) => {
        match $this {
            Source::Computer($source) => $call,
            #[cfg(feature = "team")]
            Source::Team($source) => $call,
        }
    };
}

impl<'p> Source<'p> {
    pub(super) async fn head(self, priority: Priority) -> tokio::sync::MutexGuard<'p, ()> {
        of_each!(self, source => source.head(priority).await)
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
        of_each!(self, source => source.hold(wait, refusals));
    }

    pub(super) fn calm(self, lift: bool) {
        of_each!(self, source => source.calm(lift));
    }

    pub(super) async fn peek(self) -> Result<SharedUse, PaceProblem> {
        of_each!(self, source => source.peek().await)
    }

    pub(super) async fn flush(self) {
        of_each!(self, source => source.flush().await);
    }
}
