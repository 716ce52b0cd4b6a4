//! Notices what other processes write into a journal file, without a timer.

use crate::jobs::prelude::*;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::ffi::OsStr;
use std::path::Path;
use tokio::sync::Notify;

/// The operating system tells of each write until this is dropped, also of those of this process.
pub(in crate::jobs) struct FileWatch {
    wrote: Arc<Notify>,
    _watcher: RecommendedWatcher,
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
        let mut watcher = notify::recommended_watcher(on_event).ok()?;
        watcher.watch(journal.parent()?, RecursiveMode::NonRecursive).ok()?;
        Some(Self { wrote, _watcher: watcher })
    }

    pub(in crate::jobs) async fn wrote(&self) {
        self.wrote.notified().await;
    }
}

/// Whether the event may be a write into the journal, or into a file that SQLite keeps beside it.
fn is_write(event: &Event, journal: &OsStr) -> bool {
    let is_journal = |path: &std::path::PathBuf| {
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
    async fn a_write_of_another_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = folder.path().join("journal.sqlite");
        let watch = FileWatch::of(&journal).expect("a watch");
        std::fs::write(folder.path().join("journal.sqlite-wal"), "a job").expect("written");
        let bound = std::time::Duration::from_secs(60);
        tokio::time::timeout(bound, watch.wrote()).await.expect("the write is noticed");
    }

    #[test]
    fn a_folder_that_is_not_there_has_no_watch() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(FileWatch::of(&folder.path().join("gone/journal.sqlite")).is_none());
    }
}
