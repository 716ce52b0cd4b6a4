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
    /// Something of this name is there already, and may not be replaced unless somebody says so.
    #[error(
        "{}",
        t!(
            "{file} is already there and was left as it is: choose another name, or allow it to be replaced",
            file = crate::domain::text::scrub(&_0.to_string_lossy())
        )
    )]
    Exists(std::path::PathBuf),
    /// It is not possible as things stand; the text says why and what to do.
    #[error("{0}")]
    NotPossible(String),
    /// A person has to look first: the text says at what.
    #[error("{0}")]
    NeedsReview(String),
}

impl JobError {
    /// Of a file that could not be read or written: the text is complete.
    pub(super) fn file(why: &impl std::fmt::Display) -> Self {
        Self::NotPossible(why.to_string())
    }

    pub(super) fn review(why: impl Into<String>) -> Self {
        Self::NeedsReview(why.into())
    }

    /// Refuses a text that would be written down and sent, where it is an API key.
    pub(super) fn unless_key(text: &str) -> Result<(), Self> {
        if crate::secrets::is_key(text) {
            return Err(Self::no(t!("This looks like an API key. Nothing was sent.")));
        }
        Ok(())
    }

    pub(super) fn no(why: impl Into<String>) -> Self {
        Self::NotPossible(why.into())
    }
}
