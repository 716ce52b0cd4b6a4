//! A temporary file beside its target, renamed when it is complete.

use super::Path;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

/// Drafts of this process that are neither placed nor removed.
static UNFINISHED: AtomicUsize = AtomicUsize::new(0);

static GONE: Notify = Notify::const_new();

/// A process that exits earlier leaves its temporary files behind.
pub async fn all_finished() {
    loop {
        // Register before the check, so that no draft that finishes in between is missed.
        let gone = GONE.notified();
        if UNFINISHED.load(Ordering::Acquire) == 0 {
            return;
        }
        gone.await;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    No,
    /// Replaces the file in one step, and takes over its permissions.
    Yes,
}

/// A file under a temporary name in the folder of its target, until [`Draft::place`]. A dropped
/// draft removes its temporary file.
#[derive(Debug)]
pub struct Draft {
    target: PathBuf,
    temp: PathBuf,
    // Taken to close the file: some systems can rename only closed files.
    file: Option<File>,
}

/// A folder or a symbolic link is never replaced, also if the user allows it.
pub fn may_be_replaced(old: &fs::Metadata) -> io::Result<()> {
    let why = match old.file_type() {
        kind if kind.is_symlink() => localizable!("the path is a symbolic link: name the file itself"),
        kind if !kind.is_file() => localizable!("the path is not a file"),
        _ => return Ok(()),
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

impl Draft {
    /// Readable by the owner only. A link in place of the target is not followed, and [`Self::place`] refuses it.
    pub fn create(path: &Path) -> io::Result<Self> {
        let target = path.to_owned();
        let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let mut hidden = std::ffi::OsString::from(".");
        // The target's name may have the maximum length. The temporary name must not exceed it.
        hidden.push(if name.len() > 200 { "lapel".as_ref() } else { name });
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut tries = 0;
        loop {
            let mut passing = hidden.clone();
            passing.push(format!(".{:08x}.tmp", fastrand::u32(..)));
            let temp = target.with_file_name(passing);
            match options.open(&temp) {
                Ok(file) => {
                    UNFINISHED.fetch_add(1, Ordering::AcqRel);
                    return Ok(Self { target, temp, file: Some(file) });
                }
                Err(why) if why.kind() == io::ErrorKind::AlreadyExists && tries < 8 => tries += 1,
                Err(why) => return Err(why),
            }
        }
    }

    /// For libraries that write to a path.
    pub fn path(&self) -> &Path {
        &self.temp
    }

    /// Flushes the content to disk and gives the file its name.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] when the name is taken and `overwrite` is `No`.
    /// [`io::ErrorKind::InvalidInput`] when the target is not a file, such as a folder or a link. After any error nothing has
    /// changed, and the draft is removed.
    pub fn place(mut self, overwrite: Overwrite) -> io::Result<()> {
        let file = self.file.take().ok_or(io::ErrorKind::InvalidInput)?;
        if let Ok(old) = fs::symlink_metadata(&self.target) {
            may_be_replaced(&old)?;
            #[cfg(unix)]
            if overwrite == Overwrite::Yes {
                file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(super::mode_of(&old)))?;
            }
        }
        file.sync_all()?;
        drop(file);
        match overwrite {
            Overwrite::Yes => fs::rename(&self.temp, &self.target)?,
            Overwrite::No => self.link()?,
        }
        self.sync_folder();
        Ok(())
    }

    fn link(&self) -> io::Result<()> {
        // A hard link fails when the name is taken; a rename would replace the file.
        match fs::hard_link(&self.temp, &self.target) {
            Err(why) if why.kind() != io::ErrorKind::AlreadyExists => {
                // Some file systems have no hard links.
                if fs::symlink_metadata(&self.target).is_ok() {
                    Err(io::ErrorKind::AlreadyExists.into())
                } else {
                    fs::rename(&self.temp, &self.target)
                }
            }
            other => other,
        }
    }

    /// Makes the new name durable. Ignores errors, since the file is already in place.
    fn sync_folder(&self) {
        #[cfg(unix)]
        {
            let folder = match self.target.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder,
                _ => Path::new("."),
            };
            if let Ok(folder) = File::open(folder) {
                let _ = folder.sync_all();
            }
        }
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().ok_or(io::ErrorKind::BrokenPipe)?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), File::flush)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        drop(self.file.take());
        // After a rename, no file has the temporary name.
        let _ = fs::remove_file(&self.temp);
        UNFINISHED.fetch_sub(1, Ordering::AcqRel);
        GONE.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut all: Vec<String> = fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        all.sort();
        all
    }

    fn draft(path: &Path, content: &str) -> Draft {
        let mut draft = Draft::create(path).expect("a draft");
        draft.write_all(content.as_bytes()).expect("written");
        draft
    }

    #[test]
    fn nothing_has_the_name_until_it_is_placed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("receipt.csv");
        let whole = draft(&path, "whole");
        assert!(!path.exists());
        whole.place(Overwrite::No).expect("placed");
        assert_eq!(fs::read_to_string(&path).expect("text"), "whole");
        assert_eq!(names(folder.path()), ["receipt.csv"]);
    }

    #[test]
    fn a_dropped_draft_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let given_up = draft(&folder.path().join("receipt.csv"), "half");
        assert_eq!(names(folder.path()).len(), 1, "it is beside its place while it is written");
        drop(given_up);
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn an_existing_file_stays_unless_it_may_be_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("receipt.csv");
        fs::write(&path, "old").expect("written");
        let why = draft(&path, "new").place(Overwrite::No).expect_err("it is there");
        assert_eq!(why.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).expect("text"), "old");
        draft(&path, "new").place(Overwrite::Yes).expect("replaced");
        assert_eq!(fs::read_to_string(&path).expect("text"), "new");
        assert_eq!(names(folder.path()), ["receipt.csv"]);
    }

    #[test]
    fn what_is_no_file_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("receipts");
        fs::create_dir(&path).expect("a folder");
        let why = draft(&path, "new").place(Overwrite::Yes).expect_err("a folder");
        assert_eq!(why.kind(), io::ErrorKind::InvalidInput);
        assert_eq!(names(folder.path()), ["receipts"]);
    }

    #[test]
    fn a_name_as_long_as_names_get_can_be_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("n".repeat(255));
        draft(&path, "text").place(Overwrite::No).expect("placed");
        assert!(path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_is_private_and_a_replaced_one_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let mode = |path: &Path| crate::fs::mode_of(&fs::metadata(path).expect("metadata"));
        let private = folder.path().join("private");
        draft(&private, "").place(Overwrite::No).expect("placed");
        assert_eq!(mode(&private), 0o600);
        fs::set_permissions(&private, fs::Permissions::from_mode(0o640)).expect("set");
        draft(&private, "new").place(Overwrite::Yes).expect("replaced");
        assert_eq!(mode(&private), 0o640);
    }

    #[test]
    fn a_folder_is_no_file_to_replace() {
        let folder = tempfile::tempdir().expect("a folder");
        let to = folder.path().join("folder");
        fs::create_dir(&to).expect("a folder");
        for overwrite in [Overwrite::Yes, Overwrite::No] {
            let why = draft(&to, "new").place(overwrite).expect_err("refused");
            assert_eq!(why.kind(), io::ErrorKind::InvalidInput);
        }
        assert_eq!(names(folder.path()), ["folder"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (real, link, missing) =
            (folder.path().join("real"), folder.path().join("link"), folder.path().join("missing"));
        fs::write(&real, "old").expect("written");
        for to in [&real, &missing] {
            let _ = fs::remove_file(&link);
            std::os::unix::fs::symlink(to, &link).expect("a link");
            for overwrite in [Overwrite::Yes, Overwrite::No] {
                let why = draft(&link, "new").place(overwrite).expect_err("refused");
                assert_eq!(why.kind(), io::ErrorKind::InvalidInput, "{to:?}");
            }
            assert!(fs::symlink_metadata(&link).expect("metadata").is_symlink());
        }
        assert_eq!(fs::read_to_string(&real).expect("text"), "old");
        assert!(!missing.exists());
        assert_eq!(names(folder.path()), ["link", "real"]);
    }

    #[test]
    fn a_folder_that_is_missing_is_said_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let why = Draft::create(&folder.path().join("no/receipt.csv")).expect_err("no folder");
        assert_eq!(why.kind(), io::ErrorKind::NotFound);
        let why = Draft::create(Path::new("")).expect_err("no name");
        assert_eq!(why.kind(), io::ErrorKind::InvalidInput);
    }
}
