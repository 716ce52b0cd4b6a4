#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

use super::*;
use image::{ImageFormat, Rgba};
use proptest::prelude::*;

fn packed(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let picture = RgbaImage::from_fn(width, height, |x, y| Rgba([x as u8, y as u8, 90, 255]));
    let mut out = Cursor::new(Vec::new());
    let picture = DynamicImage::ImageRgba8(picture);
    let picture =
        if format == ImageFormat::Jpeg { DynamicImage::ImageRgb8(picture.to_rgb8()) } else { picture };
    picture.write_to(&mut out, format).expect("packed");
    out.into_inner()
}

/// A PNG with a wrong size in its header.
fn resized(mut png: Vec<u8>, width: u32, height: u32) -> Vec<u8> {
    png[16..20].copy_from_slice(&width.to_be_bytes());
    png[20..24].copy_from_slice(&height.to_be_bytes());
    let mut crc = flate2::Crc::new();
    crc.update(&png[12..29]);
    png[29..33].copy_from_slice(&crc.sum().to_be_bytes());
    png
}

#[test]
fn the_four_kinds_are_decoded() {
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
        let picture = decode(&packed(30, 20, format), None).unwrap_or_else(|e| panic!("{format:?}: {e}"));
        assert_eq!(picture.dimensions(), (30, 20), "{format:?}");
        assert_ne!(picture.get_pixel(0, 0), picture.get_pixel(29, 19), "{format:?}");
    }
}

#[test]
fn what_the_bytes_are_counts_for_more_than_what_they_are_called() {
    let png = packed(3, 3, ImageFormat::Png);
    assert!(decode(&png, Some("text/html")).is_ok());
    assert!(decode(&png, Some("image/jpeg")).is_ok());
    let page = b"  <!DOCTYPE html><title>Log in</title>";
    assert_eq!(decode(page, Some("image/png")), Err(NoPicture::Page));
}

#[test]
fn what_is_no_picture_says_so() {
    for (bytes, called, why) in [
        (&b""[..], Some("image/png"), NoPicture::Empty),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", None, NoPicture::Svg),
        (b"\xef\xbb\xbf<?xml version='1.0'?>\n<svg/>", Some("text/xml"), NoPicture::Svg),
        (b"<!-- made by hand --><svg/>", Some("image/svg+xml"), NoPicture::Svg),
        (b"<HTML><body>", None, NoPicture::Page),
        (b"sign in first", Some("text/html; charset=utf-8"), NoPicture::Page),
        (b"%PDF-1.7", Some("application/pdf"), NoPicture::Unknown),
        (b"BM\x00\x00", Some("image/bmp"), NoPicture::Unknown),
        (b"\x89PNG\r\n\x1a\n", None, NoPicture::Damaged),
        (b"\xff\xd8\xff", None, NoPicture::Damaged),
        (b"GIF89a", None, NoPicture::Damaged),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", None, NoPicture::Damaged),
    ] {
        assert_eq!(decode(bytes, called), Err(why), "{:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn a_picture_that_breaks_off_is_damaged() {
    for format in [ImageFormat::Png, ImageFormat::Gif, ImageFormat::WebP] {
        let whole = packed(60, 60, format);
        for part in [whole.len() / 4, whole.len() / 2] {
            assert_eq!(decode(&whole[..part], None), Err(NoPicture::Damaged), "{format:?} {part}");
        }
    }
}

#[test]
fn the_size_is_judged_before_anything_is_unpacked() {
    let small = packed(10, 10, ImageFormat::Png);
    // Decompression bombs: a few hundred bytes that claim gigabytes.
    for (width, height) in [(60_000, 60_000), (4097, 1), (1, 4097), (4000, 4000), (1 << 20, 2)] {
        assert_eq!(
            decode(&resized(small.clone(), width, height), None),
            Err(NoPicture::TooLarge(width, height))
        );
    }
    // Within the limits the file is only incomplete.
    assert_eq!(decode(&resized(small, 3000, 3000), None), Err(NoPicture::Damaged));
    let mut gif = packed(10, 10, ImageFormat::Gif);
    gif[6..10].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
    assert_eq!(decode(&gif, None), Err(NoPicture::TooLarge(65_535, 65_535)));
}

#[test]
fn one_pixel_is_a_picture() {
    assert_eq!(decode(&packed(1, 1, ImageFormat::Png), None).expect("a picture").dimensions(), (1, 1));
}

proptest! {
    #[test]
    fn no_bytes_stop_the_decoder(
        format in 0usize..4,
        at in 0usize..4000,
        with in proptest::collection::vec(any::<u8>(), 1..12),
    ) {
        let format = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP][format];
        let mut bytes = packed(24, 24, format);
        let at = at % bytes.len();
        let end = (at + with.len()).min(bytes.len());
        bytes[at..end].copy_from_slice(&with[..end - at]);
        if let Ok(picture) = decode(&bytes, None) {
            prop_assert!(u64::from(picture.width()) * u64::from(picture.height()) <= MOST_PIXELS);
        }
    }
}

#[test]
fn no_bytes_of_a_picture_do_harm() {
    let formats = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP];
    let all = formats.map(|format| packed(30, 20, format));
    let words: [&[u8]; 4] = [b"IHDR", b"\xff\xda", b"VP8L", b"\xff\xff\xff\x7f"];
    crate::fuzz::fuzz("a picture", &all.each_ref().map(Vec::as_slice), &words, |bytes| {
        if let Ok(picture) = decode(bytes, None) {
            assert!(u64::from(picture.width()) * u64::from(picture.height()) <= MOST_PIXELS);
        }
    });
}
