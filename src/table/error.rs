//! Errors of writing a file.

use crate::domain::text::scrub;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

/// Why a file was not written. No part of it is left on the disk, and an existing file is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The name is taken, and the file may not be replaced.
    #[error(
        "{}",
        t!(
            "{file} already exists and was not changed: choose another name, or allow lapel to replace it",
            file = shown(_0)
        )
    )]
    Exists(PathBuf),
    #[error(
        "{}",
        t!(
            "the folder of {file} does not exist, so nothing was saved: create it or choose another folder",
            file = shown(_0)
        )
    )]
    NoFolder(PathBuf),
    #[error("{}", t!("no permission to write {file}, so nothing was saved: choose your own folder", file = shown(_0)))]
    NotAllowed(PathBuf),
    /// The disk is full.
    #[error(
        "{}",
        t!(
            "no space is left for {file}, so nothing was saved: free some space or choose another disk",
            file = shown(_0)
        )
    )]
    DiskFull(PathBuf),
    /// Any other error of the file system.
    #[error("{}", t!("{file} could not be saved, and no part of it is left: {source}", file = shown(path), source))]
    Write {
        path: PathBuf,
        /// The error of the file system.
        source: io::Error,
    },
    /// More columns than an Excel sheet can have.
    #[error(
        "{}",
        t!(
            "nothing was saved: {columns} columns, but an Excel sheet has 16,384 at most; save as CSV",
            columns
        )
    )]
    TooWide {
        /// Number of columns of the table.
        columns: usize,
    },
    /// The rows could not be read to their end.
    #[error("{}", t!("the rows could not be read to the end, so nothing was saved: {why}", why = _0))]
    Rows(#[source] Box<dyn Error + Send + Sync>),
    /// The watcher stopped the writing.
    #[error("{}", t!("stopped before the end, so nothing was saved"))]
    Cancelled,
}

impl TableError {
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
