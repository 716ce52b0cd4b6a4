//! The source's bytes, which can be read several times.

use super::{ImportSource, IntakeError, MAX_PASTED_BYTES};
use crate::domain::text::short;
use crate::fs::open_plain;
use crate::i18n::Localizable;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    /// Checks that the source can be read.
    pub fn of(source: &ImportSource) -> Result<Self, IntakeError> {
        match source {
            ImportSource::File(path) => {
                let shown = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
                let name = Localizable::verbatim(short(&shown));
                let bytes = plain(path, &name)?.metadata().map_err(|e| failed(&name, e))?.len();
                let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
                Ok(Self { name, ending, bytes, place: OriginPlace::File(path.clone()) })
            }
            ImportSource::Pasted(text) => {
                let origin = Self {
                    name: Localizable::of(PASTED),
                    ending: String::new(),
                    bytes: text.len() as u64,
                    place: OriginPlace::Memory(Arc::from(text.as_bytes())),
                };
                origin.at_most(MAX_PASTED_BYTES, tr_noop!("pasted text"))?;
                Ok(origin)
            }
        }
    }

    /// Fails if the source is larger than `limit`.
    pub fn at_most(&self, limit: u64, what: &'static str) -> Result<(), IntakeError> {
        if self.bytes > limit {
            return Err(IntakeError::TooBig { name: self.name.clone(), what: Localizable::of(what), limit });
        }
        Ok(())
    }

    pub fn open(&self) -> Result<Box<dyn Read + Send>, IntakeError> {
        match &self.place {
            OriginPlace::File(path) => Ok(Box::new(plain(path, &self.name)?)),
            OriginPlace::Memory(bytes) => Ok(Box::new(Cursor::new(bytes.clone()))),
        }
    }

    /// At most `limit` bytes: a file may grow while it is read.
    pub fn whole(&self, limit: u64, what: &'static str) -> Result<Vec<u8>, IntakeError> {
        self.at_most(limit, what)?;
        let mut bytes = Vec::new();
        self.open()?.take(limit + 1).read_to_end(&mut bytes).map_err(|e| self.failed(e))?;
        if bytes.len() as u64 > limit {
            return Err(IntakeError::TooBig { name: self.name.clone(), what: Localizable::of(what), limit });
        }
        Ok(bytes)
    }

    pub fn failed(&self, error: io::Error) -> IntakeError {
        failed(&self.name, error)
    }
}

/// Only a regular file can be read without blocking.
fn plain(path: &Path, name: &Localizable) -> Result<File, IntakeError> {
    let opened = open_plain(path).map_err(|e| failed(name, e))?;
    opened.ok_or_else(|| IntakeError::NotAFile { name: name.clone() })
}

fn failed(name: &Localizable, error: io::Error) -> IntakeError {
    let name = name.clone();
    match error.kind() {
        io::ErrorKind::NotFound => IntakeError::NotFound { name },
        io::ErrorKind::PermissionDenied => IntakeError::NoPermission { name },
        io::ErrorKind::IsADirectory => IntakeError::NotAFile { name },
        _ => IntakeError::Io { name, source: error },
    }
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
