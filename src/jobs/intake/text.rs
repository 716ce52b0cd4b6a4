//! Reads a text file as rows.

use super::cell_text::is_blank;
use super::decode::{Decoding, PIECE};
use super::origin::{OpenedSource, fill, hex};
use super::row::{CellFact, CellNote, RawRow};
use super::split::{Split, Splitter};
use super::{Delimiter, IntakeProblem, TextEncoding};
use crate::jobs::prelude::*;
use crate::table::unescape_formula;
use ring::digest::Context;
use std::io::Read;

/// Holds one piece, its rows, and one more row.
pub(super) struct TextRows {
    skip_to: u64,
    width: usize,
    /// The expected hash of the bytes at the end.
    sha256: String,
    source: Box<dyn Read + Send>,
    hash: Option<Context>,
    decoding: Decoding,
    splitter: Splitter,
    piece: Vec<u8>,
    bytes: u64,
    record: u64,
    ended: bool,
}

impl TextRows {
    pub fn open(
        origin: &OpenedSource,
        encoding: TextEncoding,
        delimiter: Delimiter,
        sha256: String,
        (skip_to, width): (u64, usize),
    ) -> Result<Self, IntakeProblem> {
        Ok(Self {
            skip_to,
            width,
            sha256,
            source: origin.open()?,
            hash: Some(Context::new(&SHA256)),
            decoding: Decoding::new(encoding),
            splitter: Splitter::new(delimiter),
            piece: vec![0; PIECE],
            bytes: 0,
            record: 0,
            ended: false,
        })
    }

    pub fn bytes_read(&self) -> u64 {
        self.bytes
    }

    pub fn next(&mut self) -> Result<Option<RawRow>, IntakeProblem> {
        loop {
            match self.splitter.take() {
                Some(split) if split.line <= self.skip_to => {}
                Some(split) => {
                    self.record += 1;
                    if self.record > super::MAX_ROWS {
                        return Err(IntakeProblem::TooManyRows);
                    }
                    return Ok(Some(raw_row(split, self.record, self.width)));
                }
                None if self.ended => return Ok(None),
                None => self.read_on()?,
            }
        }
    }

    fn read_on(&mut self) -> Result<(), IntakeProblem> {
        let length = fill(&mut *self.source, &mut self.piece)?;
        self.bytes += length as u64;
        let bytes = &self.piece[..length];
        if let Some(hash) = &mut self.hash {
            hash.update(bytes);
        }
        self.ended = length == 0;
        // The first pass decoded these bytes without an error, so the file has changed.
        let text = self.decoding.push(bytes, self.ended).map_err(|_| IntakeProblem::Changed)?;
        self.splitter.push(text)?;
        if self.ended {
            self.splitter.finish()?;
            if let Some(hash) = self.hash.take()
                && hex(hash.finish().as_ref()) != self.sha256
            {
                return Err(IntakeProblem::Changed);
            }
        }
        Ok(())
    }
}

/// The decoded beginning of a text, and whether it is the whole text.
pub(super) fn beginning(
    origin: &OpenedSource,
    encoding: TextEncoding,
    at_most: usize,
) -> Result<(String, bool), IntakeProblem> {
    let mut source = origin.open()?;
    let mut decoding = Decoding::new(encoding);
    let mut text = String::new();
    let mut piece = vec![0; PIECE];
    while text.len() < at_most {
        let length = fill(&mut *source, &mut piece)?;
        text.push_str(decoding.push(&piece[..length], length == 0).map_err(|_| IntakeProblem::Changed)?);
        if length == 0 {
            return Ok((text, true));
        }
    }
    Ok((text, false))
}

/// The row has at least as many cells as the header, and notes about irregular cells.
pub(super) fn raw_row(split: Split, record: u64, width: usize) -> RawRow {
    let Split { line, mut cells, stray_quotes } = split;
    let mut notes = Vec::new();
    let mut note = |column, what| notes.push(CellNote { column: Some(column), what });
    for column in stray_quotes {
        note(column, CellFact::StrayQuote);
    }
    let is_blank_row = cells.iter().all(|c| is_blank(c));
    for (column, cell) in cells.iter_mut().enumerate() {
        let bare = unescape_formula(cell);
        if bare.len() < cell.len() {
            *cell = bare.to_owned();
            note(column, CellFact::ApostropheStripped);
        }
        if column >= width && !is_blank(cell) {
            note(column, CellFact::Extra);
        }
    }
    if !is_blank_row {
        (cells.len()..width).for_each(|column| note(column, CellFact::Missing));
    }
    cells.resize(cells.len().max(width), String::new());
    RawRow { record, line, cells, notes }
}
