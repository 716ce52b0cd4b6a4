//! Why there is no file.

use crate::domain::text::scrub;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

/// Why a file was not written. Nothing of it is left on the disk, and a file that was there is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SheetError {
    /// Something of this name is there, and may not be replaced.
    #[error(
        "{}",
        t!(
            "{file} is already there and was left as it is: choose another name, or allow it to be replaced",
            file = shown(_0)
        )
    )]
    Exists(PathBuf),
    /// The folder is missing.
    #[error(
        "{}",
        t!(
            "the folder of {file} does not exist, so nothing was written: create it, or choose another place",
            file = shown(_0)
        )
    )]
    NoFolder(PathBuf),
    /// The file system does not let us.
    #[error("{}", t!("{file} may not be written there, and was not: choose a folder of your own", file = shown(_0)))]
    NotAllowed(PathBuf),
    /// No room.
    #[error(
        "{}",
        t!(
            "there is no room left for {file}, so nothing was written: free some space, or choose another disk",
            file = shown(_0)
        )
    )]
    DiskFull(PathBuf),
    /// Anything else that the file system says.
    #[error("{}", t!("{file} could not be written, and nothing of it is left: {source}", file = shown(path), source))]
    Write {
        /// The file.
        path: PathBuf,
        /// What the file system says.
        source: io::Error,
    },
    /// More columns than a sheet can have.
    #[error(
        "{}",
        t!(
            "nothing was written: there are {columns} columns, and an Excel sheet has 16,384 at most; write CSV",
            columns
        )
    )]
    TooWide {
        /// How many there are.
        columns: usize,
    },
    /// The rows could not be read to their end.
    #[error("{}", t!("the rows could not be read to their end, so nothing was written: {why}", why = _0))]
    Rows(#[source] Box<dyn Error + Send + Sync>),
    /// The one who watches said so.
    #[error("{}", t!("stopped before the end, so nothing was written"))]
    Cancelled,
}

impl SheetError {
    /// What an error of the file system means for the file.
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
