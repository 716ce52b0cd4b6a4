//! Errors of writing a file.

use crate::domain::io_error;
use crate::domain::text::scrub;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

messages! {
    /// No part of the file is left on the disk, and an existing file is unchanged.
    #[derive(Debug)]
    #[non_exhaustive]
    pub enum TableError;
    /// Also says what to do.
    pub fn localizable;
    Exists(path: PathBuf)
        => localizable!("{file} already exists and was not changed: choose another name, or allow lapel to replace it", file = shown(path));
    /// Not even if the caller allows it to replace files.
    Own(path: PathBuf)
        => localizable!("{file} is one of lapel's own files, so nothing was saved: choose another name", file = shown(path));
    NoFolder(path: PathBuf)
        => localizable!("the folder of {file} does not exist, so nothing was saved: create it or choose another folder", file = shown(path));
    NotAllowed(path: PathBuf)
        => localizable!("no permission to write {file}, so nothing was saved: choose your own folder", file = shown(path));
    DiskFull(path: PathBuf)
        => localizable!("no space is left for {file}, so nothing was saved: free some space or choose another disk", file = shown(path));
    Write { path: PathBuf, source: io::Error }
        => localizable!("{file} could not be saved, and no part of it is left: {source}", file = shown(path), source = io_error::words(source));
    /// More columns than an Excel sheet can have.
    TooWide { columns: usize }
        => localizable!("nothing was saved: {columns} columns, but an Excel sheet has 16,384 at most; save as CSV", columns);
    Rows(why: Box<dyn Error + Send + Sync>)
        => localizable!("the rows could not be read to the end, so nothing was saved: {why}", why);
    Cancelled => localizable!("stopped before the end, so nothing was saved");
}

impl TableError {
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
