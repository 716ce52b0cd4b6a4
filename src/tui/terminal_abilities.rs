//! What the terminal can do, from its answers: how it shows a picture, how wide it draws some characters.

/// Number of kitty image ids, used in turn. kitty keeps no more pictures than this.
pub const KITTY_IDS: u32 = 16;
/// Cell size in pixels when it is unknown: width, height.
const USUAL_CELL: (u16, u16) = (10, 20);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// kitty's protocol with placeholders: the picture moves and disappears with the text.
    Kitty,
    Iterm2,
    Sixel,
    Halfblocks,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureOutput {
    pub protocol: Protocol,
    /// The size of a cell in pixels: width, height.
    pub cell: (u16, u16),
    pub true_colour: bool,
    /// For tmux, so that it passes sequences on.
    pub wrapped: bool,
    /// The first kitty image id of this process. It owns [`KITTY_IDS`] ids in a row.
    pub first_id: u32,
}

impl PictureOutput {
    /// Chooses ids that other programs in this terminal are unlikely to use.
    pub fn new(protocol: Protocol, cell: Option<(u16, u16)>, true_colour: bool) -> Self {
        let first_id = fastrand::u32(0x01_0000..0xff_0000) & !(KITTY_IDS - 1);
        Self { protocol, cell: cell.unwrap_or(USUAL_CELL), true_colour, wrapped: false, first_id }
    }
}

/// The width at which a terminal draws characters that Unicode calls ambiguous, for example `●`, `é` and `Д`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ambiguous {
    /// The terminal has not answered. The layout uses one cell, and no code relies on it.
    #[default]
    Unknown,
    Narrow,
    /// Two cells: a setting of East Asian terminals.
    Wide,
}
