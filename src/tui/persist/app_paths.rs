//! What the TUI needs to know about this computer: paths of lapel's files, and whether the tour was taken.

use crate::tui::prelude::*;

/// Paths of lapel's files. Empty if the TUI writes none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppPaths {
    /// The words for each file, marked for translation, and its path.
    pub files: Vec<(&'static str, PathBuf)>,
    /// The folder for the typed input of the first screen.
    pub data_dir: Option<PathBuf>,
    /// A small file that marks the tour as taken. lapel writes it when the user takes the tour.
    pub tour_note: Option<PathBuf>,
    /// Whether the first screen offers the tour, because nobody has taken it yet.
    pub offers_tour: bool,
    /// Whether the TUI starts with the tour (`lapel tour`).
    pub begins_tour: bool,
}
