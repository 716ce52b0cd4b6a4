//! Makes a picture recognisable in few, large pixels: only the part inside its border, sharper, with more
//! contrast.

use image::imageops::{self, FilterType};
use image::{Pixel, Rgba, RgbaImage};

/// Largest difference from the border's colour, summed over the channels, that still counts as border.
const BORDER_SPREAD: u32 = 70;
/// A row or column with at most this share of other pixels, in percent, is border.
const BORDER_SHARE: u64 = 1;
/// Part of the picture's width and height that an emblem has at least. Anything smaller is a mark or a line.
const LEAST_PART: u32 = 3;
/// Width of the blur that sharpening subtracts, in pixels.
const BLUR: f32 = 0.7;
const MOST_CONTRAST: f32 = 1.6;

/// Cuts off transparent and border-coloured parts. A picture without an emblem inside stays whole.
pub fn crop(picture: &RgbaImage) -> RgbaImage {
    let border = border_colour(picture);
    let whole = picture.dimensions();
    let (mut columns, mut rows) = (vec![0; whole.0 as usize], vec![0; whole.1 as usize]);
    for (x, y, pixel) in picture.enumerate_pixels() {
        if is_opaque(pixel) && border.is_none_or(|border| spread(pixel, border) > BORDER_SPREAD) {
            columns[x as usize] += 1;
            rows[y as usize] += 1;
        }
    }
    let ((x, width), (y, height)) = (inner(&columns, whole.1), inner(&rows, whole.0));
    if width * LEAST_PART < whole.0 || height * LEAST_PART < whole.1 {
        return picture.clone();
    }
    imageops::crop_imm(picture, x, y, width, height).to_image()
}

pub fn shrink(picture: &RgbaImage, width: u32, height: u32) -> RgbaImage {
    let small = imageops::resize(picture, width, height, FilterType::Lanczos3);
    let mut small = imageops::unsharpen(&small, BLUR, 0);
    raise_contrast(&mut small);
    small
}

fn is_opaque(pixel: &Rgba<u8>) -> bool {
    pixel.0[3] >= 128
}

fn spread(pixel: &Rgba<u8>, colour: [u8; 3]) -> u32 {
    pixel.0.iter().zip(colour).map(|(a, b)| u32::from(a.abs_diff(b))).sum()
}

/// The median colour near the edges. `None` if they are transparent.
fn border_colour(picture: &RgbaImage) -> Option<[u8; 3]> {
    let (width, height) = picture.dimensions();
    // Not the edge itself, which may be a thin frame.
    let (left, top) = (width / 50, height / 50);
    let (right, bottom) = (width.checked_sub(left + 1)?, height.checked_sub(top + 1)?);
    let across = (0..width).flat_map(|x| [(x, top), (x, bottom)]);
    let down = (0..height).flat_map(|y| [(left, y), (right, y)]);
    let ring: Vec<&Rgba<u8>> =
        across.chain(down).map(|(x, y)| picture.get_pixel(x, y)).filter(|p| is_opaque(p)).collect();
    let median = |channel: usize| {
        let mut values: Vec<u8> = ring.iter().map(|pixel| pixel.0[channel]).collect();
        values.sort_unstable();
        values.get(values.len() / 2).copied()
    };
    Some([median(0)?, median(1)?, median(2)?])
}

/// The first line inside the border, and the number of lines up to the last one. `counts` are the pixels of each
/// line that are not border, out of `length`.
fn inner(counts: &[u32], length: u32) -> (u32, u32) {
    let is_inside = |count: &u32| u64::from(*count) * 100 > u64::from(length) * BORDER_SHARE;
    let (first, last) = (counts.iter().position(is_inside), counts.iter().rposition(is_inside));
    match (first, last) {
        (Some(first), Some(last)) => (first as u32, (last - first + 1) as u32),
        _ => (0, counts.len() as u32),
    }
}

/// Stretches the brightness, without the darkest and brightest 2 %, around its middle.
fn raise_contrast(picture: &mut RgbaImage) {
    let mut lights: Vec<u8> = picture.pixels().filter(|p| is_opaque(p)).map(|p| p.to_luma().0[0]).collect();
    lights.sort_unstable();
    let at = |percent: usize| lights.get(lights.len() * percent / 100).copied().map(f32::from);
    let (Some(low), Some(high)) = (at(2), at(98)) else { return };
    if low >= high {
        return;
    }
    let factor = (255.0 / (high - low)).min(MOST_CONTRAST);
    let half = ((high - low) * factor / 2.0).min(127.5);
    let middle = f32::midpoint(low, high);
    // One end must not be cut off.
    let shown = middle.clamp(half, 255.0 - half);
    for pixel in picture.pixels_mut() {
        pixel.apply_without_alpha(|value| ((f32::from(value) - middle) * factor + shown).round() as u8);
    }
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test says what went wrong")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DARK: Rgba<u8> = Rgba([20, 40, 60, 255]);
    const NONE: Rgba<u8> = Rgba([0, 0, 0, 0]);

    fn framed(ground: impl Fn(u32, u32) -> Rgba<u8>) -> RgbaImage {
        RgbaImage::from_fn(100, 100, |x, y| {
            if (30..70).contains(&x) && (20..80).contains(&y) {
                Rgba([200, 30, 30, 255])
            } else {
                ground(x, y)
            }
        })
    }

    #[test]
    fn the_border_goes_and_the_emblem_stays() {
        let rays = |x: u32, _: u32| if x.is_multiple_of(7) { Rgba([40, 55, 75, 255]) } else { DARK };
        let corners = |x: u32, y: u32| if x + y < 8 { NONE } else { DARK };
        let speck = |x: u32, y: u32| if (x, y) == (90, 5) { Rgba([255; 4]) } else { DARK };
        for picture in
            [framed(|_, _| NONE), framed(|_, _| DARK), framed(rays), framed(corners), framed(speck)]
        {
            let emblem = crop(&picture);
            assert_eq!(emblem.dimensions(), (40, 60));
            assert!(emblem.pixels().all(|pixel| *pixel == Rgba([200, 30, 30, 255])));
        }
    }

    #[test]
    fn a_picture_without_a_border_stays_whole() {
        let photo = RgbaImage::from_fn(90, 60, |x, y| Rgba([x as u8 * 2, y as u8 * 4, 90, 255]));
        let line = RgbaImage::from_fn(90, 60, |_, y| if y < 4 { Rgba([255; 4]) } else { DARK });
        let one_colour = [DARK, NONE].map(|colour| RgbaImage::from_pixel(90, 60, colour));
        for picture in one_colour.into_iter().chain([photo, line]) {
            assert_eq!(crop(&picture), picture);
        }
    }

    #[test]
    fn dull_colours_are_told_apart() {
        let dull = RgbaImage::from_fn(64, 64, |x, _| if x < 32 { DARK } else { Rgba([60, 80, 100, 255]) });
        let small = shrink(&dull, 8, 8);
        let light = |x: u32| i32::from(small.get_pixel(x, 4).to_luma().0[0]);
        assert!(light(7) - light(0) >= 60, "{} and {}", light(0), light(7));
        assert_eq!(shrink(&RgbaImage::from_pixel(64, 64, DARK), 8, 8), RgbaImage::from_pixel(8, 8, DARK));
        assert!(shrink(&RgbaImage::from_pixel(64, 64, NONE), 8, 8).pixels().all(|pixel| pixel.0[3] == 0));
    }

    proptest! {
        #[test]
        fn every_picture_can_be_shown(
            (width, height) in (1u32..40, 1u32..40),
            (columns, rows) in (1u32..12, 1u32..12),
            bytes in proptest::collection::vec(any::<u8>(), 40 * 40 * 4),
        ) {
            let length = (width * height * 4) as usize;
            let picture = RgbaImage::from_raw(width, height, bytes[..length].to_vec()).expect("pixels");
            let emblem = crop(&picture);
            prop_assert!(emblem.width() >= 1 && emblem.height() >= 1);
            prop_assert_eq!(shrink(&emblem, columns, rows).dimensions(), (columns, rows));
        }
    }
}
