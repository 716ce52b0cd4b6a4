//! Errors of writing a file.

use crate::domain::text::scrub;
use crate::i18n::Localizable;
use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// No part of the file is left on the disk, and an existing file is unchanged.
#[derive(Debug)]
#[non_exhaustive]
pub enum TableError {
    Exists(PathBuf),
    NoFolder(PathBuf),
    NotAllowed(PathBuf),
    DiskFull(PathBuf),
    Write {
        path: PathBuf,
        source: io::Error,
    },
    /// More columns than an Excel sheet can have.
    TooWide {
        columns: usize,
    },
    Rows(Box<dyn Error + Send + Sync>),
    Cancelled,
}

impl TableError {
    /// Also says what to do.
    pub fn localizable(&self) -> Localizable {
        match self {
            Self::Exists(path) => localizable!(
                "{file} already exists and was not changed: choose another name, or allow lapel to replace it",
                file = shown(path)
            ),
            Self::NoFolder(path) => localizable!(
                "the folder of {file} does not exist, so nothing was saved: create it or choose another folder",
                file = shown(path)
            ),
            Self::NotAllowed(path) => localizable!(
                "no permission to write {file}, so nothing was saved: choose your own folder",
                file = shown(path)
            ),
            Self::DiskFull(path) => localizable!(
                "no space is left for {file}, so nothing was saved: free some space or choose another disk",
                file = shown(path)
            ),
            Self::Write { path, source } => localizable!(
                "{file} could not be saved, and no part of it is left: {source}",
                file = shown(path),
                source
            ),
            Self::TooWide { columns } => localizable!(
                "nothing was saved: {columns} columns, but an Excel sheet has 16,384 at most; save as CSV",
                columns
            ),
            Self::Rows(why) => {
                localizable!("the rows could not be read to the end, so nothing was saved: {why}", why)
            }
            Self::Cancelled => localizable!("stopped before the end, so nothing was saved"),
        }
    }

    pub(super) fn of(path: &Path, why: io::Error) -> Self {
        let path = path.to_owned();
        match why.kind() {
            io::ErrorKind::AlreadyExists => Self::Exists(path),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::NoFolder(path),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::NotAllowed(path),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull(path),
            _ => Self::Write { path, source: why },
        }
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.localizable().fmt(f)
    }
}

impl Error for TableError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Write { source, .. } => Some(source),
            Self::Rows(why) => Some(&**why),
            _ => None,
        }
    }
}

fn shown(path: &Path) -> String {
    scrub(&path.to_string_lossy()).into_owned()
}
