//! Notices what other processes write into a journal file, without a timer.

use crate::jobs::prelude::*;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use tokio::sync::Notify;

/// Notices the first write after [`Self::arm`]. This process writes, too: each write that is noticed costs something.
pub(in crate::jobs) struct FileWatch {
    wrote: Arc<Notify>,
    watcher: RecommendedWatcher,
    folder: PathBuf,
    is_armed: bool,
}

impl FileWatch {
    /// `None` where the system cannot watch the folder: its number of watches is limited.
    pub(super) fn of(journal: &Path) -> Option<Self> {
        let wrote = Arc::new(Notify::new());
        let (signal, file) = (wrote.clone(), journal.file_name()?.to_owned());
        let on_event = move |event: notify::Result<Event>| {
            // An error may have swallowed a write.
            if event.is_ok_and(|event| !is_write(&event, &file)) {
                return;
            }
            signal.notify_one();
        };
        let watcher = notify::recommended_watcher(on_event).ok()?;
        let mut watch = Self { wrote, watcher, folder: journal.parent()?.to_owned(), is_armed: false };
        watch.arm();
        watch.is_armed.then_some(watch)
    }

    /// Look at the journal after this, so that no write is missed.
    pub(in crate::jobs) fn arm(&mut self) {
        if !self.is_armed {
            self.is_armed = self.watcher.watch(&self.folder, RecursiveMode::NonRecursive).is_ok();
        }
    }

    pub(in crate::jobs) const fn is_armed(&self) -> bool {
        self.is_armed
    }

    /// Waits for a write. Then it must be armed again.
    pub(in crate::jobs) async fn wrote(&mut self) {
        self.wrote.notified().await;
        let _ = self.watcher.unwatch(&self.folder);
        self.is_armed = false;
    }
}

/// Whether the event may be a write into the journal, or into a file that SQLite keeps beside it.
fn is_write(event: &Event, journal: &OsStr) -> bool {
    let is_journal = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        name.as_encoded_bytes().starts_with(journal.as_encoded_bytes())
    };
    let is_change = !matches!(event.kind, EventKind::Access(_));
    is_change && (event.need_rescan() || event.paths.iter().any(is_journal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{AccessKind, DataChange, Flag, ModifyKind};

    #[test]
    fn writes_of_the_journal_count_and_nothing_else() {
        let modified = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        let event = |kind, name: &str| Event::new(kind).add_path(Path::new("/data").join(name));
        let counts = |event: &Event| is_write(event, OsStr::new("journal.sqlite"));
        assert!(counts(&event(modified, "journal.sqlite")) && counts(&event(modified, "journal.sqlite-wal")));
        assert!(!counts(&event(modified, "pace.sqlite")));
        assert!(!counts(&event(EventKind::Access(AccessKind::Read), "journal.sqlite")));
        // The system lost events, and does not say of which file.
        assert!(counts(&Event::new(EventKind::Other).set_flag(Flag::Rescan)));
    }

    #[tokio::test]
    async fn the_first_write_is_noticed_each_time_it_is_armed() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = folder.path().join("journal.sqlite");
        let mut watch = FileWatch::of(&journal).expect("a watch");
        let bound = std::time::Duration::from_secs(60);
        for text in ["a job", "another job"] {
            watch.arm();
            std::fs::write(folder.path().join("journal.sqlite-wal"), text).expect("written");
            tokio::time::timeout(bound, watch.wrote()).await.expect("the write is noticed");
            assert!(!watch.is_armed());
        }
    }

    #[test]
    fn a_folder_that_is_not_there_has_no_watch() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(FileWatch::of(&folder.path().join("gone/journal.sqlite")).is_none());
    }
}
