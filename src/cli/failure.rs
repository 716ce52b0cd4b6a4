//! The reason why a verb ended early, as text and as JSON.

use crate::cli::prelude::*;
use crate::domain::email::ended;
use crate::i18n::Localizable;
use crate::jobs::{JobError, JournalError};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub code: u8,
    /// Code for programs, such as `not_possible`.
    pub kind: String,
    /// Text for users: what happened, whether anything changed, what to do.
    pub message: String,
    /// Whether the message says that nothing was sent.
    pub says_unsent: bool,
}

impl Failure {
    pub fn new(kind: &str, message: impl Into<String>) -> Self {
        Self { code: exit::FAILED, kind: kind.to_owned(), message: message.into(), says_unsent: false }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self { code: exit::USAGE, ..Self::new("usage", message) }
    }

    #[must_use]
    pub fn of_kind(self, kind: &str) -> Self {
        Self { kind: kind.to_owned(), ..self }
    }

    /// No profile is selected, or there is none.
    pub fn no_profile() -> Self {
        Self::usage(tr(super::help::HOW_TO_BEGIN)).of_kind("no_profile")
    }

    /// Ctrl-C before anything was sent.
    pub fn given_up() -> Self {
        let failure = Self::new("given_up", t!("Stopped. Nothing was sent."));
        Self { code: exit::STOPPED, says_unsent: true, ..failure }
    }

    /// Says that nothing was sent, unless it says so already.
    #[must_use]
    pub fn nothing_sent(self) -> Self {
        if self.says_unsent {
            return self;
        }
        let message = format!("{}\n{}", self.message, t!("Nothing was sent."));
        Self { message, says_unsent: true, ..self }
    }

    /// Nobody knows who already has a badge. The message says that nothing was sent.
    pub fn not_read(message: impl Into<String>) -> Self {
        Self { code: exit::PERSON, says_unsent: true, ..Self::new("guard_incomplete", message) }
    }

    /// Of an attempt that read the history before anything was sent. `unknown` is the message of [`Self::not_read`].
    pub fn unchecked(why: JobError, unknown: &str) -> Self {
        why.not_read(|cause| Localizable::verbatim(format!("{cause}\n{unknown}"))).into()
    }

    /// What happened before counts too.
    #[must_use]
    pub fn at_least(self, code: u8) -> Self {
        Self { code: self.code.max(code), ..self }
    }

    /// Names jobs of which something may have been sent.
    #[must_use]
    pub fn with_result(self, jobs: &[JobId]) -> Self {
        if jobs.is_empty() {
            return self;
        }
        let ids: Vec<String> = jobs.iter().map(ToString::to_string).collect();
        let message = t!(
            "{why} The journal has the result: lapel jobs show {id}",
            why = ended(&self.message),
            id = ids.join(", ")
        );
        Self { message, ..self }
    }

    /// Says that nothing was saved, unless it says so already.
    #[must_use]
    pub fn nothing_saved(self) -> Self {
        if self.message.contains(t!("Nothing was saved.")) {
            return self;
        }
        Self { message: t!("{why} Nothing was saved.", why = ended(&self.message)), ..self }
    }

    pub fn report(&self, json: bool) -> u8 {
        self.report_with(json, Map::new())
    }

    /// With more fields of the JSON.
    pub fn report_with(&self, json: bool, more: Map<String, Value>) -> u8 {
        output::complain(&self.message);
        self.answered(json, more)
    }

    fn answered(&self, json: bool, more: Map<String, Value>) -> u8 {
        if json {
            let mut line = json::fields(json!({
                "ok": false,
                "exit_code": self.code,
                "error": { "kind": self.kind, "message": crate::secrets::redact(&self.message) },
            }));
            line.extend(more);
            if let Err(why) = output::answer(&json::line(&line.into())) {
                output::complain(&t!("cannot write the output: {why}", why = io_error::words(&why)));
            }
        }
        self.code
    }
}

/// Answers a mistake in the command line, whose text was printed.
pub fn command_line_is_wrong(message: &str, json: bool) -> u8 {
    Failure::usage(message).answered(json, Map::new())
}

pub fn settings_are_wrong(error: &ConfigError, json: bool) -> u8 {
    let failure = Failure::usage(error.to_string()).of_kind("settings");
    let lines: Vec<String> = error.to_string().lines().map(|line| format!("  {line}")).collect();
    output::complain(&t!(
        "the settings have an error, so lapel did nothing.\n{error}\n(lapel demo works without settings.)",
        error = lines.join("\n")
    ));
    failure.answered(json, Map::new())
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        let failure = Self {
            says_unsent: matches!(
                error,
                ApiError::NotReached { .. } | ApiError::NoShare { .. } | ApiError::BadInput { .. }
            ),
            ..Self::new(&error.word().replace(' ', "_"), error.to_string())
        };
        match error {
            // The requested record may exist, but lapel could not read the answer.
            ApiError::Unreadable { .. } => Self { code: exit::PERSON, ..failure },
            _ => failure,
        }
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        // The job can be resumed after disk space is freed.
        let code = if matches!(error, JournalError::Full { .. }) { exit::STOPPED } else { exit::FAILED };
        Self { code, ..Self::new("journal", error.to_string()) }
    }
}

impl From<JobError> for Failure {
    fn from(error: JobError) -> Self {
        match error {
            JobError::Journal(error) => error.into(),
            JobError::Service(error) => error.into(),
            JobError::Exists(_) => Self::new("exists", format!("{error} (--force)")),
            JobError::NotPossible(why) => Self::new("not_possible", why.to_string()),
            JobError::NotRead(why) => Self::not_read(why.to_string()),
            JobError::NeedsReview(why) => {
                Self { code: exit::PERSON, ..Self::new("needs_review", why.to_string()) }
            }
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::new("output", t!("Cannot write the output: {error}", error = io_error::words(&error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_once_that_nothing_was_sent() {
        let why = || Localizable::verbatim("why".to_owned());
        let errors = [
            ApiError::NotReached { why: why() },
            ApiError::NoShare { why: why() },
            ApiError::BadInput { field: "template_id", why: why() },
            ApiError::NoResponse { why: why() },
            ApiError::Cancelled,
        ];
        let unchecked = |error: &ApiError| {
            Failure::unchecked(JobError::Service(error.clone()), "Unknown. Nothing was sent. Try again.")
        };
        let mut failures: Vec<Failure> = errors.iter().map(unchecked).collect();
        failures.extend(errors.into_iter().map(Failure::from));
        failures.push(Failure::given_up());
        for message in failures.into_iter().map(|failure| failure.nothing_sent().message) {
            assert_eq!(message.matches("Nothing was sent.").count(), 1, "{message}");
        }
    }

    #[test]
    fn a_refused_key_is_not_an_unread_history() {
        let refusal = |status| crate::api::Refusal { status, code: None, message: None };
        for (error, code) in [
            (ApiError::ServiceFailed(refusal(500)), exit::PERSON),
            (ApiError::KeyRefused(refusal(401)), exit::FAILED),
            (ApiError::AddressRefused(refusal(403)), exit::FAILED),
        ] {
            assert_eq!(Failure::unchecked(JobError::Service(error), "Unknown.").code, code);
        }
    }
}
