//! What can stand in the way of something that was asked of a job.

use super::journal::JournalError;
use crate::api::ApiError;

/// Why something that was asked of a job was not done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The service could not be asked.
    #[error(transparent)]
    Service(#[from] ApiError),
    /// It is not possible as things stand; the text says why and what to do.
    #[error("{0}")]
    NotPossible(String),
}

impl JobError {
    pub(super) fn no(why: impl Into<String>) -> Self {
        Self::NotPossible(why.into())
    }
}
