//! The folder of a journal: whether there was a journal before, and which computer may use it.

use super::JournalError;
use crate::disk::{FileSystem, create_private_dir};
use crate::domain::text::scrub;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A database begins with a header of so many bytes.
const HEADER: u64 = 100;
/// How often a lock that somebody else holds is tried.
const AGAIN: Duration = Duration::from_millis(20);
/// How long the end of a process waits for the lock.
const AT_THE_END: Duration = Duration::from_secs(2);
/// The longest name of a computer that is read.
const LONGEST: u64 = 1000;

/// Where a journal is kept, and who asks. Tests say both.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) system: FileSystem,
    /// What tells one computer from another: its name, and on the next line its id where it has one.
    pub(super) computer: String,
}

impl Site {
    /// What the system says of a folder and of this computer.
    pub(super) fn of(folder: &Path) -> Self {
        Self { system: FileSystem::of(folder), computer: computer() }
    }

    /// Of a journal in no folder.
    pub(super) fn none() -> Self {
        Self { system: FileSystem::Local, computer: String::new() }
    }

    pub(super) fn is_shared(&self) -> bool {
        self.system == FileSystem::Network
    }
}

fn computer() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    let id = ["/etc/machine-id", "/var/lib/dbus/machine-id"]
        .into_iter()
        .find_map(|path| std::fs::read_to_string(path).ok())
        .unwrap_or_default();
    format!("{name}\n{}", id.trim())
}

/// The files of a journal in its folder.
pub(super) struct Files {
    pub(super) folder: PathBuf,
    pub(super) journal: PathBuf,
    pub(super) owners: PathBuf,
    /// Locked while one process opens the journal, and while one lets go of it.
    lock: PathBuf,
    /// On a network drive: names the computer that uses the journal.
    mark: PathBuf,
}

impl Files {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            journal: super::Journal::file_in(folder),
            owners: folder.join("owners"),
            lock: folder.join("journal.lock"),
            mark: folder.join("journal.computer"),
        }
    }

    /// The files that SQLite keeps beside a journal that is in use.
    pub(super) fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.journal.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    }

    /// Keeps every other process from opening the journal, or from letting go of it, until the file is closed.
    pub(super) fn alone(&self, patience: Duration) -> Result<File, JournalError> {
        let shown = scrub(&self.journal.to_string_lossy()).into_owned();
        let failed = |why: io::Error| JournalError::io(&why, &shown);
        create_private_dir(&self.folder).map_err(failed)?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        private(&mut options);
        let file = options.open(&self.lock).map_err(failed)?;
        let end = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if Instant::now() < end => std::thread::sleep(AGAIN),
                Err(TryLockError::WouldBlock) => return Err(JournalError::Busy { file: shown }),
                Err(TryLockError::Error(why)) => return Err(failed(why)),
            }
        }
    }

    /// Sees to it that a journal which held jobs is not begun anew. A journal always has a header, and the folder
    /// of owners is made only after it was written.
    pub(super) fn not_emptied(&self) -> Result<(), JournalError> {
        let emptied = || JournalError::Emptied { file: scrub(&self.journal.to_string_lossy()).into_owned() };
        let size = |path: &Path| std::fs::metadata(path).map(|found| found.len()).ok();
        // What was committed last may be only there; SQLite would remove it together with an empty journal.
        let has_rest = size(&self.beside("-wal")).is_some_and(|bytes| bytes > 0);
        match size(&self.journal) {
            Some(0) if has_rest || self.owners.exists() => Err(emptied()),
            Some(1..HEADER) => Err(emptied()),
            // Moved aside, as the messages advise: but not while somebody has it open.
            None if has_rest || self.has_owners() => Err(emptied()),
            _ => Ok(()),
        }
    }

    /// Whether there is nothing in the place of the journal, so that a backup can be put there.
    pub(super) fn is_empty(&self) -> bool {
        std::fs::metadata(&self.journal).map_or(true, |found| found.len() < HEADER)
    }

    /// Whether another process that lives has the journal open.
    pub(super) fn has_owners(&self) -> bool {
        let all = std::fs::read_dir(&self.owners).into_iter().flatten().flatten();
        all.map(|entry| entry.path()).any(|path| {
            match OpenOptions::new().read(true).write(true).open(&path) {
                Ok(file) => file.try_lock_shared().is_err(),
                Err(why) => why.kind() != ErrorKind::NotFound,
            }
        })
    }

    /// On a network drive: sees to it that no other computer uses the journal, and says that this one does.
    pub(super) fn claim(&self, site: &Site) -> Result<(), JournalError> {
        if !site.is_shared() {
            return Ok(());
        }
        let shown = scrub(&self.journal.to_string_lossy()).into_owned();
        let failed = |why: io::Error| JournalError::io(&why, &shown);
        let mut options = OpenOptions::new();
        // On a server this is one step, whatever the computers that ask remember of the folder.
        options.write(true).create_new(true);
        private(&mut options);
        match options.open(&self.mark) {
            Ok(mut file) => {
                file.write_all(site.computer.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)
            }
            Err(why) if why.kind() == ErrorKind::AlreadyExists => {
                let mut text = String::new();
                let read = File::open(&self.mark).and_then(|f| f.take(LONGEST).read_to_string(&mut text));
                read.map_err(failed)?;
                if text == site.computer {
                    return Ok(());
                }
                let name = first_line(&text);
                let computer = if name.is_empty() { t!("of an unknown name").to_owned() } else { name };
                Err(JournalError::Elsewhere {
                    file: shown,
                    computer,
                    mark: scrub(&self.mark.to_string_lossy()).into_owned(),
                })
            }
            Err(why) => Err(failed(why)),
        }
    }

    /// On a network drive: other computers may use the journal again, if no process here does any more.
    pub(super) fn release(&self, site: &Site) {
        if !site.is_shared() {
            return;
        }
        // Without the lock the mark stays, which is the careful side.
        if let Ok(_alone) = self.alone(AT_THE_END)
            && !self.has_owners()
        {
            let _ = std::fs::remove_file(&self.mark);
        }
    }
}

fn first_line(text: &str) -> String {
    scrub(text.lines().next().unwrap_or_default()).into_owned()
}

fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    #[cfg(not(unix))]
    let _ = options;
}
