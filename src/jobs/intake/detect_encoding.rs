//! Reads a text file once, to get its hash and detect its encoding.

use super::about::{EncodingCertainty, EncodingGuess};
use super::cell_text::is_syllable;
use super::decode::{BadBytes, Decoding, PIECE};
use super::origin::{OpenedSource, fill, hex};
use super::{IntakeProblem, ReadProgress, TextEncoding, mojibake};
use crate::jobs::prelude::*;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use ring::digest::Context;

/// Maximum number of sample lines for a person.
const SAMPLES: usize = 5;
/// Maximum length of a sample line, in bytes.
const SAMPLE_BYTES: usize = 200;
/// Bytes that the detector of other encodings receives.
const DETECTED: u64 = 1024 * 1024;
/// Maximum number of words that are checked for damage.
const WORDS: usize = 2000;

pub(super) struct Detected {
    /// SHA-256 of all bytes, in hex.
    pub sha256: String,
    pub bytes: u64,
    pub guess: EncodingGuess,
}

pub(super) fn detect(
    origin: &OpenedSource,
    choice: Option<TextEncoding>,
    limit: u64,
    watch: &dyn ReadProgress,
) -> Result<Detected, IntakeProblem> {
    let mut reader = origin.open()?;
    let mut hash = Context::new(&SHA256);
    let mut piece = vec![0; PIECE];
    let mut length = fill(&mut *reader, &mut piece)?;
    if length == 0 {
        return Err(IntakeProblem::Empty);
    }
    let mut evidence = Evidence::new(marked(&piece[..length]), choice);
    let mut bytes = 0;
    while length > 0 {
        if watch.is_cancelled() {
            return Err(IntakeProblem::Cancelled);
        }
        bytes += length as u64;
        if bytes > limit {
            return Err(IntakeProblem::TooBig { what: localizable!("a text file"), limit });
        }
        hash.update(&piece[..length]);
        evidence.push(&piece[..length]);
        watch.progress(bytes, origin.bytes.max(bytes));
        length = fill(&mut *reader, &mut piece)?;
    }
    evidence.finish();
    let guess = evidence.verdict()?;
    Ok(Detected { sha256: hex(hash.finish().as_ref()), bytes, guess })
}

/// The encoding of a byte order mark, or, without one, UTF-16 by its NUL bytes.
fn marked(first: &[u8]) -> Option<(TextEncoding, EncodingCertainty)> {
    match first {
        [0xef, 0xbb, 0xbf, ..] => return Some((TextEncoding::Utf8, EncodingCertainty::Bom)),
        [0xff, 0xfe, ..] => return Some((TextEncoding::Utf16Le, EncodingCertainty::Bom)),
        [0xfe, 0xff, ..] => return Some((TextEncoding::Utf16Be, EncodingCertainty::Bom)),
        _ if !first.contains(&0) => return None,
        _ => {}
    }
    let units = || first.chunks_exact(2).map(|b| [b[0], b[1]]);
    let little = likeness(units().map(u16::from_le_bytes));
    let big = likeness(units().map(u16::from_be_bytes));
    match (little, big) {
        (Some(little), big) if little > big.unwrap_or(0) => {
            Some((TextEncoding::Utf16Le, EncodingCertainty::Guess))
        }
        (_, Some(_)) => Some((TextEncoding::Utf16Be, EncodingCertainty::Guess)),
        _ => None,
    }
}

/// How much the units look like UTF-16 text, in percent. A list of people contains addresses, so at least a
/// third of it is ASCII. In other text with stray NUL bytes, hardly any unit is ASCII.
fn likeness(units: impl Iterator<Item = u16>) -> Option<u64> {
    let (mut all, mut plain, mut likely) = (0_u64, 0_u64, 0_u64);
    for unit in units {
        all += 1;
        match unit {
            0x09 | 0x0a | 0x0d | 0x20..=0x7e => plain += 1,
            0xac00..=0xd7a3 | 0x4e00..=0x9fff => likely += 1,
            _ => {}
        }
    }
    let share = (plain + likely) * 100 / all.max(1);
    (plain * 3 >= all && plain > 0 && share >= 60).then_some(share)
}

struct Evidence {
    choice: Option<TextEncoding>,
    marked: Option<(TextEncoding, EncodingCertainty)>,
    readings: Vec<EncodingAttempt>,
    nul: Option<BadBytes>,
    lines: u64,
    seen: u64,
    detector: EncodingDetector,
    samples: Samples,
}

impl Evidence {
    fn new(marked: Option<(TextEncoding, EncodingCertainty)>, choice: Option<TextEncoding>) -> Self {
        let encodings = match choice.or(marked.map(|(encoding, _)| encoding)) {
            Some(encoding) => vec![encoding],
            None => vec![TextEncoding::Utf8, TextEncoding::Cp949],
        };
        Self {
            choice,
            marked,
            readings: encodings.into_iter().map(EncodingAttempt::new).collect(),
            nul: None,
            lines: 1,
            seen: 0,
            detector: EncodingDetector::new(Iso2022JpDetection::Deny),
            samples: Samples::default(),
        }
    }

    fn is_utf16(&self) -> bool {
        let wide = |e| matches!(e, TextEncoding::Utf16Le | TextEncoding::Utf16Be);
        self.readings.iter().any(|r| wide(r.encoding))
    }

    fn push(&mut self, bytes: &[u8]) {
        if !self.is_utf16() {
            if self.nul.is_none() {
                match bytes.iter().position(|b| *b == 0) {
                    Some(at) => {
                        let line = self.lines + line_feeds(&bytes[..at]);
                        self.nul = Some(BadBytes { offset: self.seen + at as u64, line });
                    }
                    None => self.lines += line_feeds(bytes),
                }
            }
            if self.seen < DETECTED {
                self.detector.feed(bytes, false);
            }
            self.samples.push(bytes);
        }
        self.seen += bytes.len() as u64;
        self.readings.iter_mut().for_each(|r| r.push(bytes, false));
    }

    fn finish(&mut self) {
        self.detector.feed(&[], true);
        self.samples.end_line();
        self.readings.iter_mut().for_each(|r| r.push(&[], true));
    }

    fn reading(&self, encoding: TextEncoding) -> Option<&EncodingAttempt> {
        self.readings.iter().find(|r| r.encoding == encoding)
    }

    fn verdict(&self) -> Result<EncodingGuess, IntakeProblem> {
        if let Some(BadBytes { offset, line }) = self.nul {
            return Err(IntakeProblem::NulBytes { line, offset });
        }
        let (encoding, certainty) = self.judge()?;
        if let Some(reading) = self.reading(encoding) {
            if let Some(BadBytes { offset, line }) = reading.bad {
                return Err(IntakeProblem::BadEncoding { encoding, line, offset, hint: self.hint() });
            }
            // Bytes that fit both CP949 and damaged UTF-8 are damaged UTF-8: as CP949 they give names that do
            // not exist. An ambiguous CP949 reading proves nothing.
            if (certainty != EncodingCertainty::Ambiguous || encoding == TextEncoding::Utf8)
                && let Some((why, example)) = reading.scan.damage()
            {
                return Err(IntakeProblem::Mojibake { why, example });
            }
        }
        Ok(EncodingGuess { encoding, certainty, alternatives: self.alternatives(encoding) })
    }

    fn judge(&self) -> Result<(TextEncoding, EncodingCertainty), IntakeProblem> {
        if let Some(choice) = self.choice {
            return Ok((choice, EncodingCertainty::Chosen));
        }
        if let Some(marked) = self.marked {
            return Ok(marked);
        }
        let (Some(utf8), Some(cp949)) = (self.reading(TextEncoding::Utf8), self.reading(TextEncoding::Cp949))
        else {
            return Ok((TextEncoding::Utf8, EncodingCertainty::Guess));
        };
        match (utf8.bad, cp949.bad) {
            (None, _) if utf8.scan.foreign == 0 => Ok((TextEncoding::Utf8, EncodingCertainty::Certain)),
            (None, Some(_)) => Ok((TextEncoding::Utf8, EncodingCertainty::Certain)),
            (None, None) => Ok((TextEncoding::Utf8, both_valid(&utf8.scan, &cp949.scan))),
            (Some(_), None) => {
                let detected = self.detector.guess(Some(b"kr"), Utf8Detection::Deny);
                let certainty = if detected == encoding_rs::EUC_KR {
                    EncodingCertainty::Guess
                } else {
                    EncodingCertainty::Ambiguous
                };
                Ok((TextEncoding::Cp949, certainty))
            }
            (Some(in_utf8), Some(in_cp949)) => {
                // The encoding that fits further is the intended one.
                let (encoding, bad) = if in_utf8.offset >= in_cp949.offset {
                    (TextEncoding::Utf8, in_utf8)
                } else {
                    (TextEncoding::Cp949, in_cp949)
                };
                let BadBytes { offset, line } = bad;
                Err(IntakeProblem::BadEncoding { encoding, line, offset, hint: self.hint() })
            }
        }
    }

    fn hint(&self) -> Localizable {
        if self.choice.is_some() {
            return localizable!("Choose another encoding, or let lapel detect it.");
        }
        let detected = self.detector.guess(Some(b"kr"), Utf8Detection::Deny);
        if self.is_utf16() || detected == encoding_rs::EUC_KR || detected == encoding_rs::UTF_8 {
            return localizable!(
                "It may be damaged or joined from two files. Save it again as CSV UTF-8 or XLSX."
            );
        }
        localizable!("It looks like {encoding}. Save it as CSV UTF-8 or XLSX.", encoding = detected.name())
    }

    /// The sample lines, decoded in the chosen encoding and in each other one that fits.
    fn alternatives(&self, taken: TextEncoding) -> Vec<(TextEncoding, Vec<String>)> {
        if self.samples.lines.is_empty() {
            return Vec::new();
        }
        let mut readable: Vec<&EncodingAttempt> = self.readings.iter().filter(|r| r.bad.is_none()).collect();
        readable.sort_by_key(|r| r.encoding != taken);
        let shown = |encoding: TextEncoding, line: &Vec<u8>| {
            scrub(&encoding.codec().decode_with_bom_removal(line).0).into_owned()
        };
        let read = |encoding| self.samples.lines.iter().map(|line| shown(encoding, line)).collect();
        readable.into_iter().map(|r| (r.encoding, read(r.encoding))).collect()
    }
}

/// Both encodings fit the whole file. If only CP949 gives Hangul, the file may be Korean: the bytes of 홍철 are
/// also "ȫö". It is Western only if every non-ASCII letter is in a word with ASCII letters (José, Müller).
fn both_valid(utf8: &TextStatistics, cp949: &TextStatistics) -> EncodingCertainty {
    if utf8.hangul > 0 {
        EncodingCertainty::Certain
    } else if cp949.hangul == 0 || utf8.words_alone == 0 {
        EncodingCertainty::Guess
    } else {
        EncodingCertainty::Ambiguous
    }
}

fn line_feeds(bytes: &[u8]) -> u64 {
    bytes.iter().map(|b| u64::from(*b == b'\n')).sum()
}

/// The file decoded in one encoding, up to the first invalid byte.
struct EncodingAttempt {
    encoding: TextEncoding,
    decoding: Decoding,
    bad: Option<BadBytes>,
    scan: TextStatistics,
}

impl EncodingAttempt {
    fn new(encoding: TextEncoding) -> Self {
        Self { encoding, decoding: Decoding::new(encoding), bad: None, scan: TextStatistics::default() }
    }

    fn push(&mut self, bytes: &[u8], last: bool) {
        if self.bad.is_some() {
            return;
        }
        match self.decoding.push(bytes, last) {
            Ok(text) => self.scan.push(text),
            Err(bad) => self.bad = Some(bad),
        }
        if last {
            self.scan.end_word();
        }
    }
}

#[derive(Default)]
struct TextStatistics {
    foreign: u64,
    hangul: u64,
    /// Words with non-ASCII letters and without any ASCII letter.
    words_alone: u64,
    words: usize,
    damaged: usize,
    /// Lines up to the last of these words, and those with a damaged word.
    lines: usize,
    damaged_lines: usize,
    is_line_damaged: bool,
    is_in_line: bool,
    example: Option<(Localizable, Localizable)>,
    word: String,
}

impl TextStatistics {
    /// Whether more text changes nothing: the numbers are compared with zero, except those of the first words.
    fn is_settled(&self) -> bool {
        self.hangul > 0 && self.words_alone > 0 && self.words >= WORDS
    }

    fn push(&mut self, text: &str) {
        if self.is_settled() {
            return;
        }
        self.is_in_line = text.chars().next_back().map_or(self.is_in_line, |last| last != '\n');
        // Words of ASCII text need no check unless a non-ASCII letter is near.
        if text.is_ascii() && self.word.is_empty() {
            self.end_lines(text.bytes().filter(|b| *b == b'\n').count());
            self.word.push_str(tail(text.rfind(ends_word).map_or(text, |at| &text[at + 1..])));
            return;
        }
        for c in text.chars() {
            if ends_word(c) {
                self.end_word();
                self.end_lines(usize::from(c == '\n'));
                continue;
            }
            if !c.is_ascii() {
                self.foreign += 1;
                self.hangul += u64::from(is_syllable(c));
            }
            if self.word.len() < 64 {
                self.word.push(c);
            }
        }
    }

    fn end_word(&mut self) {
        if !self.word.is_ascii() {
            self.words_alone += u64::from(!self.word.chars().any(|c| c.is_ascii_alphabetic()));
            if self.words < WORDS {
                self.words += 1;
                if let Some(damage) = mojibake::damage(&self.word) {
                    self.damaged += 1;
                    self.damaged_lines += usize::from(!self.is_line_damaged);
                    self.is_line_damaged = true;
                    self.example.get_or_insert_with(|| {
                        let word = crate::domain::text::scrub(&self.word).into_owned();
                        let example = match damage.was() {
                            Some(was) => localizable!("{word}, probably {was}", word, was),
                            None => Localizable::verbatim(word),
                        };
                        (damage.kind.localizable(), example)
                    });
                }
            }
        }
        self.word.clear();
    }

    fn end_lines(&mut self, n: usize) {
        if n > 0 && self.words < WORDS {
            self.lines += n;
            self.is_line_damaged = false;
        }
    }

    /// Damaged if at least half of the non-ASCII words and of the lines are. Checks of rows find single damaged words.
    fn damage(&self) -> Option<(Localizable, Localizable)> {
        let lines = self.lines + usize::from(self.is_in_line);
        let most = self.damaged * 2 >= self.words && self.damaged_lines * 2 >= lines;
        self.example.clone().filter(|_| most)
    }
}

fn tail(text: &str) -> &str {
    &text[text.len().saturating_sub(64)..]
}

fn ends_word(c: char) -> bool {
    c.is_ascii_whitespace() || matches!(c, ',' | ';' | '|' | '"' | '<' | '>' | '@' | '(' | ')' | '/')
}

#[derive(Default)]
struct Samples {
    lines: Vec<Vec<u8>>,
    line: Vec<u8>,
}

impl Samples {
    fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.lines.len() >= SAMPLES {
                return;
            }
            match byte {
                b'\n' | b'\r' => self.end_line(),
                _ if self.line.len() < SAMPLE_BYTES => self.line.push(*byte),
                _ => {}
            }
        }
    }

    fn end_line(&mut self) {
        if self.lines.len() < SAMPLES && !self.line.is_ascii() {
            self.lines.push(std::mem::take(&mut self.line));
        }
        self.line.clear();
    }
}
