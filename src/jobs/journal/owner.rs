//! Ownership of jobs: at most one living process owns a job.
//!
//! A process shows that it is alive by locking a file of its own. The system releases the lock when the process
//! ends in any way. A lease with a time limit would expire while its owner sleeps with an open request.

use super::place::private;
use crate::jobs::journal::prelude::*;
use std::fs::TryLockError;
use std::io;

/// A process as the journal names it.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct Process {
    /// Random and unique.
    pub(in crate::jobs) id: String,
    /// The name for people.
    pub(in crate::jobs) label: String,
    /// The person and the computer, if a team shares the journal.
    pub(in crate::jobs) place: Option<String>,
}

/// This process as an owner of jobs.
#[derive(Debug)]
pub(super) struct ThisProcess {
    pub(super) process: Arc<Process>,
    presence: Presence,
}

/// How other processes see that this one is alive.
#[derive(Debug)]
enum Presence {
    /// No other process can open the journal.
    Alone,
    /// A file that is locked until dropped.
    File { folder: PathBuf, _lock: File },
    /// A lease on a team's database, which its store has.
    Lease,
}

impl ThisProcess {
    /// Registers this process in a folder beside the journal, and removes what processes left there that have ended. The
    /// caller holds the journal's lock, so that nobody else is just registering. Without a folder, other processes cannot
    /// see it.
    pub(super) fn appear(folder: Option<&Path>) -> io::Result<Self> {
        let id = random_id();
        let label = Reason::from(Code::Process).with("id", std::process::id()).stored();
        let presence = match folder {
            None => Presence::Alone,
            Some(folder) => {
                crate::fs::create_private_dir(folder)?;
                remove_dead(folder);
                let file = open(&folder.join(&id), true)?;
                file.lock()?;
                Presence::File { folder: folder.to_owned(), _lock: file }
            }
        };
        Ok(Self { process: Arc::new(Process { id, label, place: None }), presence })
    }

    /// A process of a team. Its store takes a lease.
    #[cfg(feature = "team")]
    pub(super) fn of_team(who: &str, computer: &str) -> Self {
        let computer = super::place::first_line(computer);
        let place = Some(format!("{who} on {computer}"));
        let label = Reason::of_process(who, &computer).stored();
        let process = Arc::new(Process { id: random_id(), label, place });
        Self { process, presence: Presence::Lease }
    }

    /// Whether other processes can see this one.
    pub(super) fn can_have_company(&self) -> bool {
        !matches!(self.presence, Presence::Alone)
    }

    /// Whether another owner is alive. An unclear case counts as alive: two senders are worse than none. Removes
    /// the file of a dead owner.
    pub(super) fn is_alive(&self, owner: &str) -> bool {
        if owner == self.process.id {
            return true;
        }
        let Presence::File { folder, .. } = &self.presence else { return false };
        if owner.is_empty() || !owner.bytes().all(|b| b.is_ascii_hexdigit()) {
            return false;
        }
        is_held(&folder.join(owner))
    }
}

/// Whether a living process holds a file. Removes the file of a dead owner.
fn is_held(path: &Path) -> bool {
    match open(path, false) {
        Err(why) => why.kind() != io::ErrorKind::NotFound,
        // A shared lock, so that two processes that check at once do not take each other for the owner.
        Ok(file) => match file.try_lock_shared() {
            Ok(()) => {
                let _ = std::fs::remove_file(path);
                false
            }
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => true,
        },
    }
}

/// A process that is killed, or ends in a hurry, leaves its file.
fn remove_dead(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let _ = is_held(&entry.path());
    }
}

impl Drop for ThisProcess {
    fn drop(&mut self) {
        if let Presence::File { folder, .. } = &self.presence {
            let _ = std::fs::remove_file(folder.join(&self.process.id));
        }
    }
}

fn random_id() -> String {
    format!("{:016x}", fastrand::Rng::new().u64(..))
}

fn open(path: &Path, create: bool) -> io::Result<File> {
    private().read(true).create_new(create).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_alive_while_it_holds_its_lock() {
        let folder = tempfile::tempdir().expect("a folder");
        let one = ThisProcess::appear(Some(folder.path())).expect("one");
        let two = ThisProcess::appear(Some(folder.path())).expect("two");
        assert!(
            two.is_alive(&one.process.id) && one.is_alive(&two.process.id) && one.is_alive(&one.process.id)
        );
        let id = one.process.id.clone();
        drop(one);
        assert!(!two.is_alive(&id));
        // As after kill -9: the file exists, nobody holds its lock, and several processes may check.
        std::fs::write(folder.path().join("00ff"), "").expect("a file");
        let looking = open(&folder.path().join("00ff"), false).expect("the file");
        looking.try_lock_shared().expect("nobody holds it");
        assert!(!two.is_alive("00ff") && !folder.path().join("00ff").exists());
        assert!(!two.is_alive("../00ff") && !two.is_alive(""));
    }

    #[test]
    fn files_of_dead_owners_go_when_another_one_appears() {
        let folder = tempfile::tempdir().expect("a folder");
        let one = ThisProcess::appear(Some(folder.path())).expect("one");
        for dead in ["00ff", "0a0a"] {
            std::fs::write(folder.path().join(dead), "").expect("a file");
        }
        let two = ThisProcess::appear(Some(folder.path())).expect("two");
        let files = std::fs::read_dir(folder.path()).expect("a folder").flatten();
        let mut files: Vec<_> = files.map(|entry| entry.file_name().into_string().expect("a name")).collect();
        files.sort();
        let mut living = [one.process.id.clone(), two.process.id.clone()];
        living.sort();
        assert_eq!(files, living);
    }
}
