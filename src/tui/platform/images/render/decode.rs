//! Decodes picture files. The bytes are untrusted: format and size are checked before any pixel is decoded.

use image::codecs::{gif::GifDecoder, jpeg::JpegDecoder, png::PngDecoder, webp::WebPDecoder};
use image::{DynamicImage, ImageDecoder, Limits, RgbaImage};
use std::io::Cursor;

/// In pixels.
const LONGEST_SIDE: u32 = 4096;
/// Limit for the pixels of a picture: 36 MB decoded.
const MOST_PIXELS: u64 = 3000 * 3000;
/// In bytes.
const MOST_MEMORY: u64 = 96 << 20;

#[derive(thiserror::Error, Clone, Debug, PartialEq, Eq)]
pub enum NoPicture {
    #[error("{}", t!("The image server sent nothing."))]
    Empty,
    #[error("{}", t!("lapel cannot draw SVG images. Open the image in a browser."))]
    Svg,
    /// Perhaps a login page.
    #[error("{}", t!("The image server sent a web page instead of an image."))]
    Page,
    #[error("{}", t!("lapel shows PNG, JPEG, GIF and WebP images. This is another format."))]
    Unknown,
    #[error("{}", t!("The image is too large: {width} × {height} pixels.", width = .0, height = .1))]
    TooLarge(u32, u32),
    #[error("{}", t!("The image is damaged."))]
    Damaged,
}

/// The format is what the first bytes say. An animation gives its first frame.
pub fn decode(bytes: &[u8], content_type: Option<&str>) -> Result<RgbaImage, NoPicture> {
    let source = Cursor::new(bytes);
    let damaged = |_| NoPicture::Damaged;
    match bytes {
        [] => Err(NoPicture::Empty),
        [0x89, b'P', b'N', b'G', ..] => pixels(PngDecoder::with_limits(source, limits()).map_err(damaged)?),
        [0xff, 0xd8, 0xff, ..] => pixels(JpegDecoder::new(source).map_err(damaged)?),
        [b'G', b'I', b'F', b'8', ..] => pixels(GifDecoder::new(source).map_err(damaged)?),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
            pixels(WebPDecoder::new(source).map_err(damaged)?)
        }
        _ => Err(unknown(bytes, content_type)),
    }
}

fn limits() -> Limits {
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MOST_MEMORY);
    limits
}

fn pixels(mut decoder: impl ImageDecoder) -> Result<RgbaImage, NoPicture> {
    let (width, height) = decoder.dimensions();
    if width == 0 || height == 0 {
        return Err(NoPicture::Damaged);
    }
    if width.max(height) > LONGEST_SIDE || u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(NoPicture::TooLarge(width, height));
    }
    decoder.set_limits(limits()).map_err(|_| NoPicture::TooLarge(width, height))?;
    let turned = decoder.orientation().ok();
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|_| NoPicture::Damaged)?;
    if let Some(turned) = turned {
        picture.apply_orientation(turned);
    }
    Ok(picture.into_rgba8())
}

/// What another format is. The content type counts only if the bytes are unknown.
fn unknown(bytes: &[u8], content_type: Option<&str>) -> NoPicture {
    let head = String::from_utf8_lossy(bytes.get(..1024).unwrap_or(bytes)).to_ascii_lowercase();
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let called = content_type.unwrap_or_default().to_ascii_lowercase();
    if head.starts_with("<svg") || (head.starts_with("<?xml") && head.contains("<svg")) {
        NoPicture::Svg
    } else if head.starts_with("<!doctype html") || head.starts_with("<html") {
        NoPicture::Page
    } else if called.starts_with("image/svg") {
        NoPicture::Svg
    } else if called.starts_with("text/html") {
        NoPicture::Page
    } else {
        NoPicture::Unknown
    }
}

#[cfg(test)]
mod tests;
