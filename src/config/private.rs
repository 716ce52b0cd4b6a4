//! Files and folders that nobody else on this computer may read.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Creates a folder, and those above it that are missing, open to its owner only. A folder that exists is
/// left as it is.
pub fn create_private_dir(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Opens a file for appending, creating it if need be, and sees to it that only its owner may read it.
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
pub(super) fn mode_of(metadata: &std::fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o7777
}

/// Whether others than the owner may read, write or enter. Where there are no such modes: no.
pub(super) fn open_to_others(metadata: &std::fs::Metadata) -> bool {
    #[cfg(unix)]
    return mode_of(metadata) & 0o077 != 0;
    #[cfg(not(unix))]
    {
        let _ = metadata;
        false
    }
}

/// Writes a new file in one step: it is there whole or not at all, and one that is there already stays.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] when something of this name exists, or what the file system says.
pub(super) fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    let temp = write_temp(path, content, 0o600)?;
    // A hard link fails where a rename would replace.
    let placed = match std::fs::hard_link(&temp, path) {
        Err(why) if why.kind() != io::ErrorKind::AlreadyExists => {
            // Some file systems have no hard links.
            if std::fs::symlink_metadata(path).is_ok() {
                Err(io::ErrorKind::AlreadyExists.into())
            } else {
                std::fs::rename(&temp, path)
            }
        }
        other => other,
    };
    let _ = std::fs::remove_file(&temp);
    placed?;
    sync_parent(path);
    Ok(())
}

/// Replaces a file's content in one step, keeping its permissions; a crash leaves the old or the new one.
pub(super) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    // A link, as dotfile managers make them, stays a link: what it points to is replaced.
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    #[cfg(unix)]
    let mode = std::fs::metadata(&real).map_or(0o600, |m| mode_of(&m));
    #[cfg(not(unix))]
    let mode = 0o600;
    let temp = write_temp(&real, content, mode)?;
    if let Err(why) = std::fs::rename(&temp, &real) {
        let _ = std::fs::remove_file(&temp);
        return Err(why);
    }
    sync_parent(&real);
    Ok(())
}

/// Writes `content` to a file beside `path`, durable, and says where.
fn write_temp(path: &Path, content: &[u8], mode: u32) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    let temp = path.with_file_name(format!(".{name}.{:08x}.tmp", fastrand::u32(..)));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&temp)?;
    let written = (|| {
        file.write_all(content)?;
        #[cfg(unix)]
        if mode != 0o600 {
            file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))?;
        }
        #[cfg(not(unix))]
        let _ = mode;
        file.sync_all()
    })();
    if let Err(why) = written {
        let _ = std::fs::remove_file(&temp);
        return Err(why);
    }
    Ok(temp)
}

/// Makes a new name in a folder durable, where the file system can: the file itself is in place by now.
fn sync_parent(path: &Path) {
    #[cfg(unix)]
    if let Some(folder) = path.parent().and_then(|parent| File::open(parent).ok()) {
        let _ = folder.sync_all();
    }
    #[cfg(not(unix))]
    let _ = path;
}
