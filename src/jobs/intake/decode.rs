//! Decodes bytes to text, piece by piece.

use super::TextEncoding;
use encoding_rs::{Decoder, DecoderResult};

pub(super) const PIECE: usize = 64 * 1024;

/// The first bytes that cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BadBytes {
    /// Byte offset in the source, from 0.
    pub offset: u64,
    pub line: u64,
}

/// Strict: replaces nothing and stops at the first invalid byte.
pub(super) struct Decoding {
    decoder: Decoder,
    text: String,
    bytes: u64,
    line: u64,
    after_cr: bool,
}

impl Decoding {
    /// Removes a byte order mark of this encoding.
    pub fn new(encoding: TextEncoding) -> Self {
        let decoder = encoding.codec().new_decoder_with_bom_removal();
        Self { decoder, text: String::new(), bytes: 0, line: 1, after_cr: false }
    }

    /// `last` means that no more bytes follow.
    pub fn push(&mut self, bytes: &[u8], last: bool) -> Result<&str, BadBytes> {
        self.text.clear();
        let mut rest = bytes;
        loop {
            let room = self.decoder.max_utf8_buffer_length_without_replacement(rest.len());
            self.text.reserve(room.unwrap_or(rest.len().saturating_mul(3)).max(16));
            let (result, read) =
                self.decoder.decode_to_string_without_replacement(rest, &mut self.text, last);
            self.bytes += read as u64;
            rest = &rest[read..];
            match result {
                DecoderResult::InputEmpty => {
                    self.count_lines();
                    return Ok(&self.text);
                }
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(bad, after) => {
                    self.count_lines();
                    let offset = self.bytes.saturating_sub(u64::from(bad) + u64::from(after));
                    return Err(BadBytes { offset, line: self.line });
                }
            }
        }
    }

    fn count_lines(&mut self) {
        let bytes = self.text.as_bytes();
        let Some(last) = bytes.last() else { return };
        let breaks = bytes.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count();
        // CRLF is one line break.
        let behind = bytes.get(1..).unwrap_or_default();
        let pairs = bytes.iter().zip(behind).filter(|pair| matches!(pair, (b'\r', b'\n'))).count();
        let is_second_half = self.after_cr && bytes.starts_with(b"\n");
        self.line += (breaks - pairs) as u64 - u64::from(is_second_half);
        self.after_cr = *last == b'\r';
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_cut_by_two_pieces_is_put_together() {
        for encoding in [TextEncoding::Utf8, TextEncoding::Cp949] {
            let (bytes, _, _) = encoding.codec().encode("이름,홍길동\r\n똠방각하\r펲\n");
            let mut decoding = Decoding::new(encoding);
            let mut text = String::new();
            for byte in bytes.iter() {
                text.push_str(decoding.push(&[*byte], false).expect("valid"));
            }
            text.push_str(decoding.push(&[], true).expect("valid"));
            assert_eq!(text, "이름,홍길동\r\n똠방각하\r펲\n");
            assert_eq!(decoding.line, 4);
        }
    }

    #[test]
    fn every_line_break_is_counted_once_wherever_the_pieces_end() {
        let text = "a\r\n\r\rb\n\nc\r\n";
        for at in 0..=text.len() {
            let mut decoding = Decoding::new(TextEncoding::Utf8);
            for piece in [&text[..at], "", &text[at..]] {
                decoding.push(piece.as_bytes(), false).expect("valid");
            }
            assert_eq!(decoding.line, 7, "{at}");
        }
    }

    #[test]
    fn the_first_bad_byte_is_named() {
        let mut decoding = Decoding::new(TextEncoding::Utf8);
        assert_eq!(decoding.push(b"ab\r\nc\xffd", true), Err(BadBytes { offset: 5, line: 2 }));
        // Ends in the middle of a character.
        let mut decoding = Decoding::new(TextEncoding::Utf8);
        assert_eq!(decoding.push(b"\xea\xb9", true), Err(BadBytes { offset: 0, line: 1 }));
    }

    #[test]
    fn a_byte_order_mark_is_taken_off() {
        let mut decoding = Decoding::new(TextEncoding::Utf8);
        assert_eq!(decoding.push("\u{feff}name".as_bytes(), true), Ok("name"));
        let mut decoding = Decoding::new(TextEncoding::Utf16Le);
        assert_eq!(decoding.push(b"\xff\xfea\0", true), Ok("a"));
    }
}
