//! A picture made of characters: each cell shows two pixels, one above the other. Transparent parts show the
//! terminal's background.

use crate::tui::prelude::*;
use image::RgbaImage;
use ratatui::style::Color;

#[derive(Clone, PartialEq, Eq)]
pub struct Blocks {
    columns: u16,
    rows: u16,
    cells: Vec<(Option<Color>, Option<Color>)>,
}

impl Blocks {
    /// The picture must be `columns` pixels wide and `rows` * 2 pixels high.
    pub fn new(picture: &RgbaImage, (columns, rows): (u16, u16), true_colour: bool) -> Self {
        let at = |x: u16, y: u32| {
            let pixel = picture.get_pixel_checked(u32::from(x), y)?;
            let [red, green, blue, alpha] = pixel.0;
            (alpha >= 128).then(|| colour((red, green, blue), true_colour))
        };
        let cells = (0..rows)
            .flat_map(|y| (0..columns).map(move |x| (x, u32::from(y) * 2)))
            .map(|(x, y)| (at(x, y), at(x, y + 1)))
            .collect();
        Self { columns, rows, cells }
    }

    pub fn size(&self) -> (u16, u16) {
        (self.columns, self.rows)
    }

    pub fn draw(&self, area: Rect, buffer: &mut Buffer) {
        for y in 0..self.rows.min(area.height) {
            for x in 0..self.columns.min(area.width) {
                let at = usize::from(y) * usize::from(self.columns) + usize::from(x);
                let (Some(pixels), Some(cell)) =
                    (self.cells.get(at), buffer.cell_mut((area.x + x, area.y + y)))
                else {
                    continue;
                };
                match *pixels {
                    (None, None) => {}
                    (Some(upper), Some(lower)) if upper == lower => {
                        cell.set_char(' ').set_bg(upper);
                    }
                    (Some(upper), Some(lower)) => {
                        cell.set_char('▀').set_fg(upper).set_bg(lower);
                    }
                    (Some(upper), None) => {
                        cell.set_char('▀').set_fg(upper);
                    }
                    (None, Some(lower)) => {
                        cell.set_char('▄').set_fg(lower);
                    }
                }
            }
        }
    }
}

/// A terminal without 24-bit colours shows them as random colours.
fn colour((red, green, blue): (u8, u8, u8), true_colour: bool) -> Color {
    if true_colour {
        return Color::Rgb(red, green, blue);
    }
    let distance = |other: (u8, u8, u8)| {
        let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
        square(red, other.0) + square(green, other.1) + square(blue, other.2)
    };
    // The 256-colour palette has a cube with six steps per axis, and a scale of greys.
    let step = |value: u8| -> (u8, u8) {
        match value {
            0..48 => (0, 0),
            48..115 => (1, 95),
            _ => ((value - 35) / 40, 55 + (value - 35) / 40 * 40),
        }
    };
    let (r, g, b) = (step(red), step(green), step(blue));
    let cube = (16 + 36 * r.0 + 6 * g.0 + b.0, (r.1, g.1, b.1));
    let mean = (u16::from(red) + u16::from(green) + u16::from(blue)) / 3;
    let rung = (mean.saturating_sub(3) / 10).min(23) as u8;
    let level = 8 + rung * 10;
    let grey = (232 + rung, (level, level, level));
    Color::Indexed(if distance(grey.1) < distance(cube.1) { grey.0 } else { cube.0 })
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test says what went wrong")]
mod tests {
    use super::*;
    use image::Rgba;
    use proptest::prelude::*;

    #[test]
    fn two_pixels_share_a_cell_and_what_is_transparent_is_left_alone() {
        let mut picture = RgbaImage::new(4, 2);
        let (red, blue) = (Rgba([255, 0, 0, 255]), Rgba([0, 0, 255, 255]));
        picture.put_pixel(0, 0, red);
        picture.put_pixel(0, 1, blue);
        picture.put_pixel(1, 0, red);
        picture.put_pixel(2, 1, blue);
        let blocks = Blocks::new(&picture, (4, 1), true);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 1));
        blocks.draw(buffer.area, &mut buffer);
        let cell = |x: u16| {
            let cell = &buffer[(x, 0)];
            (cell.symbol().to_owned(), cell.fg, cell.bg)
        };
        let (red, blue) = (Color::Rgb(255, 0, 0), Color::Rgb(0, 0, 255));
        assert_eq!(cell(0), ("▀".into(), red, blue));
        assert_eq!(cell(1), ("▀".into(), red, Color::Reset));
        assert_eq!(cell(2), ("▄".into(), blue, Color::Reset));
        assert_eq!(cell(3), (" ".into(), Color::Reset, Color::Reset));
    }

    /// The colours of xterm's palette from 16 on.
    fn table() -> Vec<(u8, u8, u8)> {
        const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
        let mut table = Vec::new();
        for r in STEPS {
            for g in STEPS {
                table.extend(STEPS.map(|b| (r, g, b)));
            }
        }
        table.extend((0..24).map(|n| (8 + 10 * n, 8 + 10 * n, 8 + 10 * n)));
        table
    }

    proptest! {
        #[test]
        fn a_colour_of_256_is_the_nearest_there_is(rgb: (u8, u8, u8)) {
            let Color::Indexed(index) = colour(rgb, false) else { panic!("not of the table") };
            let distance = |c: &(u8, u8, u8)| {
                [(c.0, rgb.0), (c.1, rgb.1), (c.2, rgb.2)]
                    .map(|(a, b)| (i32::from(a) - i32::from(b)).pow(2)).iter().sum::<i32>()
            };
            let table = table();
            let nearest = table.iter().map(distance).min();
            prop_assert_eq!(Some(distance(&table[usize::from(index) - 16])), nearest);
        }
    }
}
