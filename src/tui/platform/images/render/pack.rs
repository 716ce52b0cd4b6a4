//! Converts pixels to terminal output, in the size on the screen.

use super::blocks::Blocks;
use super::emblem;
use crate::tui::prelude::*;
use crate::tui::terminal_abilities::{PictureOutput, Protocol};
use image::imageops::{self, FilterType};
use image::{DynamicImage, RgbaImage};
use ratatui::layout::Size;
use ratatui::widgets::Widget;
use ratatui_image::protocol::iterm2::Iterm2;
use ratatui_image::protocol::kitty::Kitty;
use ratatui_image::protocol::sixel::Sixel;
use std::fmt;

/// Longest side of a picture for kitty, in pixels. kitty gets the pixels and scales by itself.
const KITTY_SIDE: f64 = 512.0;
/// Largest enlargement of a small picture.
const MOST_LARGER: f64 = 4.0;

pub enum Packed {
    Graphic(ratatui_image::protocol::Protocol),
    Blocks(Blocks),
}

impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (columns, rows) = self.size();
        write!(f, "Packed({columns} x {rows} cells)")
    }
}

impl Packed {
    pub fn size(&self) -> (u16, u16) {
        match self {
            Self::Graphic(graphic) => {
                let Size { width, height } = graphic.size();
                (width, height)
            }
            Self::Blocks(blocks) => blocks.size(),
        }
    }

    pub fn draw(&self, area: Rect, buffer: &mut Buffer) {
        match self {
            Self::Graphic(graphic) => ratatui_image::Image::new(graphic).render(area, buffer),
            Self::Blocks(blocks) => blocks.draw(area, buffer),
        }
    }
}

pub fn pack(picture: &RgbaImage, way: &PictureOutput, room: (u16, u16), id: u32) -> Result<Packed, String> {
    // Characters are few, large pixels. All of them go to the emblem.
    let picture = match way.protocol {
        Protocol::Halfblocks => Cow::Owned(emblem::crop(picture)),
        _ => Cow::Borrowed(picture),
    };
    let fit = Fit::of(picture.dimensions(), way.cell, room);
    let size = Size::new(fit.columns, fit.rows);
    let graphic = |image: RgbaImage| DynamicImage::ImageRgba8(image);
    let gave_up = |why: ratatui_image::errors::Errors| {
        tracing::debug!("a picture could not be packed: {why}");
        t!("The picture cannot be shown in this terminal.").to_owned()
    };
    let (width, height) = fit.canvas(way.cell);
    match way.protocol {
        Protocol::Halfblocks => {
            let (columns, lines) = (u32::from(fit.columns), u32::from(fit.rows) * 2);
            let small = emblem::shrink(&picture, columns, lines);
            Ok(Packed::Blocks(Blocks::new(&small, (fit.columns, fit.rows), way.true_colour)))
        }
        Protocol::Kitty => {
            let less = (KITTY_SIDE / f64::from(width.max(height))).min(1.0);
            let less = |n: u32| ((f64::from(n) * less).round() as u32).max(1);
            let image = fit.laid_out(&picture, (less(width), less(height)));
            Kitty::new(graphic(image), size, id, way.wrapped, false, false)
                .map(|kitty| Packed::Graphic(ratatui_image::protocol::Protocol::Kitty(kitty)))
                .map_err(gave_up)
        }
        Protocol::Iterm2 => Iterm2::new(graphic(fit.laid_out(&picture, (width, height))), size, way.wrapped)
            .map(|iterm2| Packed::Graphic(ratatui_image::protocol::Protocol::ITerm2(iterm2)))
            .map_err(gave_up),
        Protocol::Sixel => {
            // A sixel band has six pixels. An incomplete last band would need another row of cells.
            let height = (height - height % 6).max(6);
            Sixel::new(graphic(fit.laid_out(&picture, (width, height))), size, false)
                .map(|sixel| Packed::Graphic(ratatui_image::protocol::Protocol::Sixel(sixel)))
                .map_err(gave_up)
        }
    }
}

/// The size of a picture on the screen, in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fit {
    columns: u16,
    rows: u16,
}

impl Fit {
    /// At least two columns: after a picture of one column, the next text would begin at the picture's cursor.
    fn of((width, height): (u32, u32), cell: (u16, u16), room: (u16, u16)) -> Self {
        let (width, height) = (f64::from(width.max(1)), f64::from(height.max(1)));
        let (across, down) = (f64::from(cell.0.max(1)), f64::from(cell.1.max(1)));
        let (columns, rows) = (f64::from(room.0.max(1)), f64::from(room.1.max(1)));
        let scale = (columns * across / width).min(rows * down / height).min(MOST_LARGER);
        let cells = |pixels: f64, cell: f64, least: f64, most: f64| {
            (pixels * scale / cell).round().clamp(least, most) as u16
        };
        Self {
            columns: cells(width, across, columns.min(2.0), columns),
            rows: cells(height, down, 1.0, rows),
        }
    }

    fn canvas(self, cell: (u16, u16)) -> (u32, u32) {
        (u32::from(self.columns) * u32::from(cell.0), u32::from(self.rows) * u32::from(cell.1))
    }

    fn laid_out(self, picture: &RgbaImage, (width, height): (u32, u32)) -> RgbaImage {
        let (from_width, from_height) = picture.dimensions();
        let scale = (f64::from(width) / f64::from(from_width.max(1)))
            .min(f64::from(height) / f64::from(from_height.max(1)));
        let scaled = |n: u32, most: u32| ((f64::from(n) * scale).round() as u32).clamp(1, most.max(1));
        let (w, h) = (scaled(from_width, width), scaled(from_height, height));
        let small = imageops::resize(picture, w, h, FilterType::Triangle);
        if (w, h) == (width, height) {
            return small;
        }
        let mut canvas = RgbaImage::new(width, height);
        imageops::replace(&mut canvas, &small, i64::from((width - w) / 2), i64::from((height - h) / 2));
        canvas
    }
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test says what went wrong")]
mod tests {
    use super::*;
    use image::Rgba;
    use proptest::prelude::*;

    fn way(protocol: Protocol) -> PictureOutput {
        PictureOutput { protocol, cell: (10, 20), true_colour: true, wrapped: false, first_id: 0x2000 }
    }

    #[test]
    fn a_picture_keeps_its_proportions() {
        for (picture, room, cells) in [
            ((600, 600), (30, 15), (30, 15)),
            ((600, 600), (30, 40), (30, 15)),
            ((600, 600), (60, 10), (20, 10)),
            ((1200, 300), (40, 20), (40, 5)),
            // A small picture is enlarged only to the limit, and a thin line stays visible.
            ((10, 10), (40, 20), (4, 2)),
            ((1, 1), (40, 20), (2, 1)),
            ((1, 4000), (40, 20), (2, 20)),
            ((1, 1), (1, 1), (1, 1)),
            ((4000, 1), (40, 20), (40, 1)),
        ] {
            let fit = Fit::of(picture, (10, 20), room);
            assert_eq!((fit.columns, fit.rows), cells, "{picture:?} in {room:?}");
        }
    }

    #[test]
    fn each_protocol_is_packed_in_its_form() {
        let picture = RgbaImage::from_pixel(64, 64, Rgba([200, 40, 40, 255]));
        for (protocol, begins) in [
            (Protocol::Kitty, "\x1b_G"),
            (Protocol::Iterm2, "\x1b["),
            (Protocol::Sixel, "\x1b["),
            (Protocol::Halfblocks, " "),
        ] {
            let packed = pack(&picture, &way(protocol), (12, 6), 0x2000).expect("packed");
            assert_eq!(packed.size(), (12, 6), "{protocol:?}");
            let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 10));
            packed.draw(Rect::new(2, 1, 12, 6), &mut buffer);
            assert!(buffer[(2, 1)].symbol().starts_with(begins), "{protocol:?}");
            let mut small = Buffer::empty(Rect::new(0, 0, 20, 10));
            if protocol != Protocol::Halfblocks {
                packed.draw(Rect::new(2, 1, 11, 6), &mut small);
                assert_eq!(small, Buffer::empty(small.area), "{protocol:?}");
            }
        }
    }

    #[test]
    fn what_kitty_is_sent_is_bounded() {
        let picture = RgbaImage::from_pixel(3000, 3000, Rgba([1, 2, 3, 255]));
        let large = PictureOutput { cell: (40, 80), ..way(Protocol::Kitty) };
        let packed = pack(&picture, &large, (60, 30), 0x2000).expect("packed");
        let mut buffer = Buffer::empty(Rect::new(0, 0, 60, 30));
        packed.draw(buffer.area, &mut buffer);
        let sent: usize = buffer.content.iter().map(|c| c.symbol().len()).sum();
        // 512 x 512 x 4 bytes in base64, and the frame of the sequences.
        assert!((1_000_000..1_500_000).contains(&sent), "{sent}");
    }

    proptest! {
        #[test]
        fn a_picture_always_fits_its_room(
            picture in (1u32..5000, 1u32..5000),
            cell in (1u16..60, 1u16..120),
            room in (1u16..300, 1u16..100),
        ) {
            let fit = Fit::of(picture, cell, room);
            prop_assert!((1..=room.0).contains(&fit.columns) && (1..=room.1).contains(&fit.rows));
        }
    }
}
