//! What the TUI needs to know about this computer: paths of lapel's files, and whether the tour was taken.

use crate::tui::prelude::*;

/// Paths of lapel's files. Empty if the TUI writes none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppPaths {
    pub files: Vec<(FileKind, PathBuf)>,
    /// The folder for the typed input of the first screen.
    pub data_dir: Option<PathBuf>,
    /// A small file that marks the tour as taken. lapel writes it when the user takes the tour.
    pub tour_note: Option<PathBuf>,
    /// Whether the first screen offers the tour, because nobody has taken it yet.
    pub offers_tour: bool,
    /// Whether the TUI starts with the tour (`lapel tour`).
    pub begins_tour: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Settings,
    Keys,
    Journal,
    Log,
    Crashes,
}

impl FileKind {
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
