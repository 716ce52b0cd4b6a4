//! The state of a journal in a file. Reads without the journal's owners and locks, and changes nothing.

use super::place::{Files, Site};
use super::schema::{APPLICATION, SCHEMA, connect_beside};
use super::{PATIENCE, Result, shown};
use crate::fs::pragma;
use crate::jobs::journal::prelude::*;

#[derive(Clone, Debug)]
pub struct FileStatus {
    pub path: PathBuf,
    /// `None` if there is no file.
    pub bytes: Option<u64>,
    /// `None` without a file, and on a network drive, where another computer may write it.
    pub schema: Option<i64>,
    pub known_schema: i64,
    /// Jobs of all accounts, without drafts. `None` as for the schema.
    pub jobs: Option<u64>,
    /// Number of living lapel processes that have it open on this computer.
    pub processes: u64,
    pub can_write: bool,
    pub is_on_network_drive: bool,
}

impl FileStatus {
    /// Why nothing can be sent.
    pub fn problem(&self) -> Option<JournalError> {
        let why = localizable!("the file or its folder is read-only");
        (!self.can_write).then(|| JournalError::NotWritable { file: shown(&self.path), why })
    }

    /// # Errors
    /// The file is missing although it contained jobs, or it is not a journal.
    pub fn of(folder: &Path) -> Result<Self> {
        let files = Files::in_folder(folder);
        files.not_emptied()?;
        let mut status = Self {
            bytes: std::fs::metadata(&files.journal).map(|file| file.len()).ok(),
            schema: None,
            known_schema: SCHEMA,
            jobs: None,
            processes: files.living().count() as u64,
            can_write: can_write(&files),
            is_on_network_drive: Site::of(folder).is_shared(),
            path: files.journal.clone(),
        };
        if files.is_empty() || status.is_on_network_drive {
            return Ok(status);
        }
        let file = shown(&files.journal);
        let failed = |why: rusqlite::Error| JournalError::of(&why, &file);
        let access = if status.can_write {
            OpenFlags::SQLITE_OPEN_READ_WRITE
        } else {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        };
        let db = connect_beside(&files.journal, access, PATIENCE).map_err(failed)?;
        if pragma(&db, "application_id").map_err(failed)? != APPLICATION {
            let why = localizable!("it is the database of another program");
            return Err(JournalError::Corrupt { file: file.clone(), why });
        }
        status.schema = Some(pragma(&db, "user_version").map_err(failed)?);
        let jobs = "SELECT count(*) FROM job WHERE phase <> 'draft'";
        status.jobs = u64::try_from(db.query_row(jobs, [], |r| r.get::<_, i64>(0)).map_err(failed)?).ok();
        Ok(status)
    }
}

/// Whether the file can be written, or created. The journal needs other files beside it, which may be there already.
fn can_write(files: &Files) -> bool {
    let journal = &files.journal;
    let has_others = || files.beside("-wal").exists() && files.beside("-shm").exists();
    let nearest = files.folder.ancestors().find(|folder| folder.exists());
    let about = nearest.and_then(|folder| std::fs::metadata(folder).ok());
    about.is_some_and(|about| about.is_dir() && (!about.permissions().readonly() || has_others()))
        && (!journal.exists() || std::fs::OpenOptions::new().write(true).open(journal).is_ok())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_files_beside_an_open_journal_may_be_there_already() {
        let home = tempfile::tempdir().expect("a folder");
        let files = Files::in_folder(home.path());
        assert!(can_write(&files), "it can be created");
        std::fs::write(&files.journal, "").expect("a file");
        std::fs::set_permissions(home.path(), PermissionsExt::from_mode(0o500)).expect("closed");
        // The superuser may write everywhere, so only the permissions count.
        assert!(!can_write(&files), "SQLite needs other files beside it");
        std::fs::set_permissions(home.path(), PermissionsExt::from_mode(0o700)).expect("opened");
        for ending in ["-wal", "-shm"] {
            std::fs::write(files.beside(ending), "").expect("a file");
        }
        std::fs::set_permissions(home.path(), PermissionsExt::from_mode(0o500)).expect("closed");
        let can = can_write(&files);
        std::fs::set_permissions(home.path(), PermissionsExt::from_mode(0o700)).expect("opened");
        assert!(can);
    }
}
