//! Private files and atomic writes.
//!
//! Half a file never has a name that a person might open.

mod database;
mod draft_file;
mod file_system;
mod own_files;

pub use database::{pragma, set_journal_mode};
pub use draft_file::{Draft, Overwrite, all_finished, may_be_replaced};
pub use file_system::{FileSystem, open_plain};
pub use own_files::{is_own_file, set_own_folders};

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Only the owner may read the new folders. An existing folder stays unchanged.
pub fn create_private_dir(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Only the owner may read the file.
pub fn open_private_append(path: &Path) -> io::Result<File> {
    open_append(path, &mut OpenOptions::new())
}

/// As [`open_private_append`], but refuses a symbolic link: the file may be in a folder where others write.
pub fn open_log(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    open_append(path, &mut options)
}

fn open_append(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    let file = options.open(path)?;
    // `mode` above applies only to a file that this call creates.
    #[cfg(unix)]
    if file.metadata()?.is_file() && open_to_others(&file.metadata()?) {
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    }
    Ok(file)
}

#[cfg(unix)]
pub fn mode_of(metadata: &std::fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o7777
}

/// `None` on systems without permission bits.
pub fn permission_bits(metadata: &std::fs::Metadata) -> Option<u32> {
    #[cfg(unix)]
    return Some(mode_of(metadata));
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

/// Always `false` on systems without permission bits.
pub fn open_to_others(metadata: &std::fs::Metadata) -> bool {
    permission_bits(metadata).is_some_and(|bits| bits & 0o077 != 0)
}

/// The file whose name has this ending in addition, such as a lock or a log of SQLite.
pub fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Removes a file, if there is one.
pub fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(why) if !matches!(why.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Err(why),
        _ => Ok(()),
    }
}

/// The new private file is complete or absent. [`io::ErrorKind::AlreadyExists`] when the name is taken.
pub fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    write(path, content, Overwrite::No)
}

/// Keeps the permissions. A crash leaves the old content or the new, an error the old. A missing file is created as
/// a private file. For settings, which people keep elsewhere: a link stays, and the file that it points to is replaced.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    write(&target, content, Overwrite::Yes)
}

/// As [`replace`], but afterwards only the owner may read the file, and a link is refused. No other person can read the
/// new content, not even for a moment.
pub fn replace_private(path: &Path, content: &[u8]) -> io::Result<()> {
    #[cfg(unix)]
    if std::fs::symlink_metadata(path).is_ok_and(|about| about.is_file()) {
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    }
    write(path, content, Overwrite::Yes)
}

fn write(path: &Path, content: &[u8], overwrite: Overwrite) -> io::Result<()> {
    let mut draft = Draft::create(path)?;
    draft.write_all(content)?;
    draft.place(overwrite)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn only_settings_are_written_through_a_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        std::fs::write(&real, "old").expect("written");
        std::os::unix::fs::symlink(&real, &link).expect("a link");
        open_log(&link).expect_err("refused");
        replace_private(&link, b"new").expect_err("refused");
        write_new(&link, b"new").expect_err("refused");
        assert_eq!(std::fs::read_to_string(&real).expect("text"), "old");
        replace(&link, b"new").expect("replaced");
        assert!(std::fs::symlink_metadata(&link).expect("metadata").is_symlink());
        assert_eq!(std::fs::read_to_string(&real).expect("text"), "new");
    }

    #[test]
    fn a_private_file_is_private_before_it_has_the_new_content() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("list");
        std::fs::write(&path, "old").expect("written");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).expect("open to others");
        replace(&path, b"new").expect("replaced");
        assert_eq!(mode_of(&path.metadata().expect("there")), 0o644, "a person's choice stays");
        // Without a place for the new file nothing is replaced, and the old one is already private.
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o500)).expect("closed");
        let failed = replace_private(&path, b"newer").is_err();
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o700)).expect("opened");
        // The superuser may write everywhere.
        assert_eq!(
            std::fs::read(&path).expect("read"),
            if failed { b"new".to_vec() } else { b"newer".to_vec() }
        );
        assert_eq!(mode_of(&path.metadata().expect("there")), 0o600);
        replace_private(&folder.path().join("other"), b"new").expect("created");
        assert_eq!(mode_of(&folder.path().join("other").metadata().expect("there")), 0o600);
    }
}
