//! The settings that flags give.

use super::pictures::PictureChoice;
use super::word_enums::{GlyphChoice, ThemeChoice};

/// No flag takes a key: every user of the computer can see arguments, and the shell keeps them in
/// its history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    pub profile: Option<String>,
    /// No flag makes a profile writable.
    pub read_only: bool,
    pub theme: Option<ThemeChoice>,
    pub glyphs: Option<GlyphChoice>,
    pub pictures: Option<PictureChoice>,
}
