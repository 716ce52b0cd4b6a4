//! Picture files as terminal output. Exists only with the feature `images`; `no_render` is the other build.

mod blocks;
mod decode;
mod emblem;
pub(super) mod pack;

pub use pack::Packed;

use crate::secrets::catching;
use crate::tui::terminal_abilities::PictureOutput;

pub const AVAILABLE: bool = true;

/// Message for an action on pictures when they are off.
pub const OFF: &str = tr_noop!(
    "Pictures are off here: pictures = \"none\", no colours, or plain ASCII. --pictures halfblocks shows them."
);

/// `room`: the available columns and rows. `id`: the kitty image id. The error is a message for the user.
pub fn render(
    file: &[u8],
    content_type: Option<&str>,
    way: &PictureOutput,
    room: (u16, u16),
    id: u32,
) -> Result<Packed, String> {
    // A decoder may panic instead.
    let pixels = catching(|| decode::decode(file, content_type)).unwrap_or(Err(decode::NoPicture::Damaged));
    pack::pack(&pixels.map_err(|why| why.to_string())?, way, room, id)
}
