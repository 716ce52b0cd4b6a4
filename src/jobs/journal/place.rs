//! The folder of a journal: whether a journal existed before, and which computer may use it.

use super::shown;
use crate::fs::{FileSystem, create_private_dir};
use crate::jobs::journal::prelude::*;
use std::fs::{OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};

/// Length of an SQLite database header, in bytes.
const HEADER: u64 = 100;
/// Pause between attempts to take a lock.
const AGAIN: Duration = Duration::from_millis(20);
/// Maximum wait for the lock at the end of a process.
const AT_THE_END: Duration = Duration::from_secs(2);
/// Maximum bytes read of a computer's name.
const LONGEST: u64 = 1000;

/// The file system of a journal and this computer's identity. Tests choose both.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) system: FileSystem,
    /// Identity of the computer: its name, and its id on the next line if it has one.
    pub(super) computer: String,
}

impl Site {
    pub(super) fn of(folder: &Path) -> Self {
        Self { system: FileSystem::of(folder), computer: computer() }
    }

    /// For a journal without a folder.
    pub(super) fn none() -> Self {
        Self { system: FileSystem::Local, computer: String::new() }
    }

    pub(super) fn is_shared(&self) -> bool {
        self.system == FileSystem::Network
    }
}

pub(super) fn computer() -> String {
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

pub(super) struct Files {
    pub(super) folder: PathBuf,
    pub(super) journal: PathBuf,
    pub(super) owners: PathBuf,
    /// Locked while a process opens or releases the journal.
    lock: PathBuf,
    /// On a network drive: the file that names the computer using the journal.
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

    /// A file that SQLite keeps beside an open journal.
    pub(super) fn beside(&self, ending: &str) -> PathBuf {
        beside(&self.journal, ending)
    }

    /// Locks out other processes that open or release the journal, until the file is closed.
    pub(super) fn alone(&self, patience: Duration) -> Result<File, JournalError> {
        let shown = shown(&self.journal);
        let failed = |why: io::Error| JournalError::io(&why, &shown);
        create_private_dir(&self.folder).map_err(failed)?;
        let file = private().create(true).truncate(false).open(&self.lock).map_err(failed)?;
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

    /// Refuses to recreate a journal that contained jobs. A journal always has a header, and the owners folder is
    /// created only after the header.
    pub(super) fn not_emptied(&self) -> Result<(), JournalError> {
        let emptied = || JournalError::Emptied { file: shown(&self.journal) };
        let size = |path: &Path| std::fs::metadata(path).map(|found| found.len()).ok();
        // The last commits may be only in the log. SQLite would delete it together with an empty journal.
        let has_rest = size(&self.beside("-wal")).is_some_and(|bytes| bytes > 0);
        match size(&self.journal) {
            Some(0) if has_rest || self.owners.exists() => Err(emptied()),
            Some(1..HEADER) => Err(emptied()),
            // A person moved it away, as the messages advise. Not allowed while a process has it open.
            None if has_rest || self.has_owners() => Err(emptied()),
            _ => Ok(()),
        }
    }

    /// Whether no journal is here, so that a backup can be restored.
    pub(super) fn is_empty(&self) -> bool {
        std::fs::metadata(&self.journal).map_or(true, |found| found.len() < HEADER)
    }

    pub(super) fn has_owners(&self) -> bool {
        self.living().next().is_some()
    }

    /// The files of the living processes that have the journal open.
    pub(super) fn living(&self) -> impl Iterator<Item = PathBuf> {
        let all = std::fs::read_dir(&self.owners).into_iter().flatten().flatten();
        all.map(|entry| entry.path()).filter(|path| {
            match OpenOptions::new().read(true).write(true).open(path) {
                Ok(file) => file.try_lock_shared().is_err(),
                Err(why) => why.kind() != ErrorKind::NotFound,
            }
        })
    }

    /// On a network drive: fails if another computer uses the journal, and marks it as used by this one.
    pub(super) fn claim(&self, computer: &str) -> Result<(), JournalError> {
        let file = shown(&self.journal);
        let failed = |why: io::Error| JournalError::io(&why, &file);
        // The server does this in one step, regardless of the clients' caches.
        match private().create_new(true).open(&self.mark) {
            Ok(mut mark) => {
                mark.write_all(computer.as_bytes()).and_then(|()| mark.sync_all()).map_err(failed)
            }
            Err(why) if why.kind() == ErrorKind::AlreadyExists => {
                let mut text = String::new();
                let read = File::open(&self.mark).and_then(|f| f.take(LONGEST).read_to_string(&mut text));
                read.map_err(failed)?;
                if text == computer {
                    return Ok(());
                }
                let name = first_line(&text);
                let computer = if name.is_empty() {
                    localizable!("(unknown name)")
                } else {
                    Localizable::verbatim(name)
                };
                Err(JournalError::Elsewhere { file, computer, mark: shown(&self.mark) })
            }
            Err(why) => Err(failed(why)),
        }
    }

    /// On a network drive: allows other computers to use the journal, unless a process here still does.
    pub(super) fn release(&self) {
        // Without the lock the mark stays, which is the safe choice.
        if let Ok(_alone) = self.alone(AT_THE_END)
            && !self.has_owners()
        {
            let _ = std::fs::remove_file(&self.mark);
        }
    }
}

pub(super) fn beside(journal: &Path, ending: &str) -> PathBuf {
    let mut name = journal.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

pub(super) fn first_line(text: &str) -> String {
    scrub(text.lines().next().unwrap_or_default()).into_owned()
}

/// To write a file. If it is new, only its owner may read it.
pub(super) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true);
    options
}
