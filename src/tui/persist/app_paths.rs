//! What the desk is told of this computer: where lapel's files are, and whether the tour was taken here.

use std::path::PathBuf;

/// Where lapel's files are; nothing of it, for a desk that leaves none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppPaths {
    /// Files that the help names.
    pub files: Vec<(FileKind, PathBuf)>,
    /// A small file that says that the tour was taken; it is written when somebody takes it.
    pub tour_note: Option<PathBuf>,
    /// Whether the first screen offers the tour: nobody has taken it yet.
    pub offers_tour: bool,
    /// Whether the desk begins with the tour, as `lapel tour` does.
    pub begins_tour: bool,
}

/// What a file of lapel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named after what they are")]
pub enum FileKind {
    Settings,
    Keys,
    Journal,
    Log,
    Crashes,
}

impl FileKind {
    /// What it is, for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Settings => t!("settings"),
            Self::Keys => t!("your own keys"),
            Self::Journal => t!("job journal"),
            Self::Log => t!("log, if LAPEL_LOG is set"),
            Self::Crashes => t!("crash reports"),
        }
    }
}
