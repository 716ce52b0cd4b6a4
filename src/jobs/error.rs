//! The error type of job operations.

use super::intake::IntakeError;
use super::journal::JournalError;
use super::reason::{Code, Reason};
use crate::jobs::prelude::*;
use crate::team::TeamError;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    #[error(transparent)]
    Journal(JournalError),
    #[error(transparent)]
    Service(#[from] ApiError),
    /// The target file exists, and the caller did not allow replacing it.
    #[error(
        "{}",
        localizable!(
            "{file} already exists and was not changed: choose another name, or allow lapel to replace it",
            file = crate::domain::text::scrub(&_0.to_string_lossy())
        )
    )]
    Exists(std::path::PathBuf),
    /// Not possible now. The text says why and what to do.
    #[error("{0}")]
    NotPossible(Localizable),
    /// The history was not read to its end, so nothing was sent. The text says what is not known.
    #[error("{0}")]
    NotRead(Localizable),
    /// A person must review something first. The text says what.
    #[error("{0}")]
    NeedsReview(Localizable),
}

impl From<JournalError> for JobError {
    fn from(error: JournalError) -> Self {
        match error {
            // The journal works, but nothing may be sent now.
            JournalError::Team { why: TeamError::Unsearched { .. }, .. }
            | JournalError::Changed { .. }
            | JournalError::TwoPlaces { .. } => Self::no(error.localizable()),
            other => Self::Journal(other),
        }
    }
}

impl From<IntakeError> for JobError {
    fn from(error: IntakeError) -> Self {
        Self::no(error.localizable())
    }
}

impl From<&JournalError> for Reason {
    fn from(error: &JournalError) -> Self {
        Self::coded(Code::Journal, &error.localizable())
    }
}

impl From<&JobError> for Reason {
    fn from(error: &JobError) -> Self {
        match error {
            JobError::Service(error) => error.into(),
            other => Self::coded(Code::Journal, &other.cause()),
        }
    }
}

impl JobError {
    /// The history could not be read before something was sent. `say` makes the message of the cause. A refused key and a
    /// cancelled command are errors of their own.
    #[must_use]
    pub fn not_read(self, say: impl FnOnce(Localizable) -> Localizable) -> Self {
        match self {
            Self::Service(error) if !error.is_about_access() && error != ApiError::Cancelled => {
                Self::NotRead(say(error.cause()))
            }
            other => other,
        }
    }

    /// Within a message that says itself what was changed.
    pub(super) fn cause(&self) -> Localizable {
        match self {
            Self::Journal(error) => error.localizable(),
            Self::Service(error) => error.cause(),
            Self::Exists(_) => Localizable::verbatim(self.to_string()),
            Self::NotPossible(why) | Self::NotRead(why) | Self::NeedsReview(why) => why.clone(),
        }
    }

    /// As an error of a draft: nothing was sent, and there is no job to resume.
    pub(super) fn of_draft(self) -> Self {
        match self {
            Self::Journal(JournalError::Full { file }) => Self::no(localizable!(
                "The journal's disk is full ({file}). Nothing was sent. Free some space, then try again.",
                file
            )),
            other => other,
        }
    }

    /// Another lapel removes the drafts of one that seems to have ended.
    pub fn draft_is_gone() -> Self {
        Self::no(localizable!(
            "Another lapel removed this draft, because this lapel did not run for a while: it was suspended, or the computer slept. Nothing was sent. Begin again."
        ))
    }

    /// Refuses text that lapel would store and send if the text is an API key.
    pub(super) fn unless_key(text: &str) -> Result<(), Self> {
        if crate::secrets::is_key(text) {
            return Err(Self::no(localizable!("This looks like an API key. Nothing was sent.")));
        }
        Ok(())
    }

    /// Refuses a revocation without a reason.
    pub(super) fn unless_empty(reason: &str) -> Result<(), Self> {
        if reason.is_empty() {
            return Err(Self::no(localizable!(
                "Enter a reason: the service requires one. Nothing was sent."
            )));
        }
        Ok(())
    }

    pub(super) fn no(why: Localizable) -> Self {
        Self::NotPossible(why)
    }
}
