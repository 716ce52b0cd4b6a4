//! Files that are private, whole or not at all.
//!
//! This room knows folders, permissions and what makes a file durable, and nothing of what is in one. It
//! must never leave half a file under a name that somebody might open.

mod draft;
mod place;

pub use draft::{Draft, Overwrite, all_finished};
pub use place::{FileSystem, open_plain};

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Creates a folder, and those above it that are missing, open to its owner only. A folder that exists is
/// left as it is.
///
/// # Errors
/// What the file system says.
pub fn create_private_dir(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Opens a file for appending, creating it if need be, and sees to it that only its owner may read it.
///
/// # Errors
/// What the file system says.
pub fn open_private_append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    // The mode above counts only for a file that was not there yet.
    #[cfg(unix)]
    if file.metadata()?.is_file() && mode_of(&file.metadata()?) & 0o077 != 0 {
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    }
    Ok(file)
}

/// The permission bits of a file.
#[cfg(unix)]
pub fn mode_of(metadata: &std::fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o7777
}

/// Whether others than the owner may read, write or enter. Where there are no such modes: no.
pub fn open_to_others(metadata: &std::fs::Metadata) -> bool {
    #[cfg(unix)]
    return mode_of(metadata) & 0o077 != 0;
    #[cfg(not(unix))]
    {
        let _ = metadata;
        false
    }
}

/// Sees to it that only its owner may read a file. Where there are no such modes it does nothing.
///
/// # Errors
/// What the file system says.
pub fn make_private(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Writes a new private file in one step: it is there whole or not at all, and one that is there already
/// stays.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] when something of this name exists, or what the file system says.
pub fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    write(path, content, Overwrite::No)
}

/// Replaces a file's content in one step, keeping its permissions; a crash leaves the old or the new one. A
/// file that was not there is made, private.
///
/// # Errors
/// What the file system says; the old file is then as it was.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    write(path, content, Overwrite::Yes)
}

fn write(path: &Path, content: &[u8], overwrite: Overwrite) -> io::Result<()> {
    let mut draft = Draft::create(path)?;
    draft.write_all(content)?;
    draft.place(overwrite)
}
