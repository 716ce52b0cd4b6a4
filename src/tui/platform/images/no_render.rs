//! Replaces `render` in a build without the feature `images`: no picture can be shown.

use crate::tui::prelude::*;
use crate::tui::terminal_abilities::PictureOutput;

pub const AVAILABLE: bool = false;

pub const OFF: &str =
    tr_noop!("This build of lapel cannot show pictures. Build lapel with its feature images to see them.");

#[derive(Debug)]
pub enum Packed {}

impl Packed {
    pub fn size(&self) -> (u16, u16) {
        match *self {}
    }

    pub fn draw(&self, _: Rect, _: &mut Buffer) {
        match *self {}
    }
}

pub fn render(_: &[u8], _: Option<&str>, _: &PictureOutput, _: (u16, u16), _: u32) -> Result<Packed, String> {
    Err(tr(OFF).to_owned())
}
