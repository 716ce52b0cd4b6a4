//! The source's bytes, which can be read several times.

use super::{ImportSource, IntakeProblem, MAX_PASTED_BYTES};
use crate::domain::text::short;
use crate::fs::open_plain;
use crate::jobs::prelude::*;
use std::io::{self, Cursor, Read};
use std::path::Path;

pub(in crate::jobs) const PASTED: &str = tr_noop!("The pasted text");

#[derive(Clone, Debug)]
pub(super) struct OpenedSource {
    /// The file's name, or "The pasted text"; scrubbed.
    pub name: Localizable,
    /// The file name's extension in lower case.
    pub ending: String,
    pub bytes: u64,
    place: OriginPlace,
}

#[derive(Clone, Debug)]
enum OriginPlace {
    File(PathBuf),
    Memory(Arc<[u8]>),
}

impl OpenedSource {
    pub fn of(source: &ImportSource) -> Result<Self, IntakeProblem> {
        let name = name_of(source);
        match source {
            ImportSource::File(path) => {
                let bytes = plain(path)?.metadata()?.len();
                let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
                Ok(Self { name, ending, bytes, place: OriginPlace::File(path.clone()) })
            }
            ImportSource::Pasted(text) => {
                let origin = Self {
                    name,
                    ending: String::new(),
                    bytes: text.len() as u64,
                    place: OriginPlace::Memory(Arc::from(text.as_bytes())),
                };
                origin.at_most(MAX_PASTED_BYTES, tr_noop!("pasted text"))?;
                Ok(origin)
            }
        }
    }

    pub fn at_most(&self, limit: u64, what: &'static str) -> Result<(), IntakeProblem> {
        if self.bytes > limit {
            return Err(IntakeProblem::TooBig { what: Localizable::of(what), limit });
        }
        Ok(())
    }

    pub fn open(&self) -> Result<Box<dyn Read + Send>, IntakeProblem> {
        match &self.place {
            OriginPlace::File(path) => Ok(Box::new(plain(path)?)),
            OriginPlace::Memory(bytes) => Ok(Box::new(Cursor::new(bytes.clone()))),
        }
    }

    /// At most `limit` bytes: a file may grow while it is read.
    pub fn whole(&self, limit: u64, what: &'static str) -> Result<Vec<u8>, IntakeProblem> {
        self.at_most(limit, what)?;
        let mut bytes = Vec::new();
        self.open()?.take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(IntakeProblem::TooBig { what: Localizable::of(what), limit });
        }
        Ok(bytes)
    }
}

pub(super) fn name_of(source: &ImportSource) -> Localizable {
    match source {
        ImportSource::File(path) => {
            let shown = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
            Localizable::verbatim(short(&shown))
        }
        ImportSource::Pasted(_) => Localizable::of(PASTED),
    }
}

/// Only a regular file can be read without blocking.
fn plain(path: &Path) -> Result<File, IntakeProblem> {
    open_plain(path)?.ok_or(IntakeProblem::NotAFile)
}

/// Reads until the buffer is full or the source ends.
pub(super) fn fill(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(filled)
}

pub(in crate::jobs) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        out.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
        out.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
        out
    })
}
