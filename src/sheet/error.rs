//! Errors of writing a file.

use crate::domain::text::scrub;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

/// Why a file was not written. No part of it is left on the disk, and an existing file is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SheetError {
    /// The name is taken, and the file may not be replaced.
    #[error(
        "{}",
        t!(
            "{file} is already there and was left as it is: choose another name, or allow it to be replaced",
            file = shown(_0)
        )
    )]
    Exists(PathBuf),
    #[error(
        "{}",
        t!(
            "the folder of {file} does not exist, so nothing was written: create it, or choose another place",
            file = shown(_0)
        )
    )]
    NoFolder(PathBuf),
    #[error("{}", t!("{file} may not be written there, and was not: choose a folder of your own", file = shown(_0)))]
    NotAllowed(PathBuf),
    /// The disk is full.
    #[error(
        "{}",
        t!(
            "there is no room left for {file}, so nothing was written: free some space, or choose another disk",
            file = shown(_0)
        )
    )]
    DiskFull(PathBuf),
    /// Any other error of the file system.
    #[error("{}", t!("{file} could not be written, and nothing of it is left: {source}", file = shown(path), source))]
    Write {
        path: PathBuf,
        /// The error of the file system.
        source: io::Error,
    },
    /// More columns than an Excel sheet can have.
    #[error(
        "{}",
        t!(
            "nothing was written: there are {columns} columns, and an Excel sheet has 16,384 at most; write CSV",
            columns
        )
    )]
    TooWide {
        /// Number of columns of the table.
        columns: usize,
    },
    /// The rows could not be read to their end.
    #[error("{}", t!("the rows could not be read to their end, so nothing was written: {why}", why = _0))]
    Rows(#[source] Box<dyn Error + Send + Sync>),
    /// The watcher stopped the writing.
    #[error("{}", t!("stopped before the end, so nothing was written"))]
    Cancelled,
}

impl SheetError {
    /// The error for a file from an error of the file system.
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

fn shown(path: &Path) -> String {
    scrub(&path.to_string_lossy()).into_owned()
}
