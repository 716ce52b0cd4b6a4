//! A backup's description of itself, in the backup and in the journals that it was copied from or to.

use crate::fs::pragma;
use crate::jobs::journal::behaviour;
use crate::jobs::journal::prelude::*;
use crate::jobs::journal::schema::{APPLICATION, BACKUP, SCHEMA};
use strum::{AsRefStr, EnumString};

#[derive(Debug)]
pub(super) struct BackupMark {
    /// Unique; hexadecimal.
    pub(super) id: String,
    pub(super) at: Timestamp,
    pub(super) computer: String,
    pub(super) file: String,
    pub(super) moves: bool,
    pub(super) state: BackupState,
    pub(super) taken_by: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, AsRefStr)]
#[strum(serialize_all = "lowercase")]
pub(super) enum BackupState {
    /// Copied; the jobs are not moved yet.
    Begun,
    Ready,
    Taking,
    Taken,
}

impl BackupMark {
    pub(super) fn insert(&self, db: &Tx<'_>) -> tx::Result<()> {
        db.run(
            "INSERT INTO handover (id, at, computer, file, moves, state) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            values![
                self.id,
                self.at.as_millisecond(),
                self.computer,
                self.file,
                self.moves,
                self.state.as_ref()
            ],
        )
    }

    pub(super) fn set(&self, db: &Tx<'_>, state: BackupState, by: Option<&str>) -> tx::Result<()> {
        db.run(
            "UPDATE handover SET state = ?2, taken_by = coalesce(?3, taken_by) WHERE id = ?1",
            values![self.id, state.as_ref(), by],
        )
    }

    /// Reads the mark, after checking that the file is a backup that this version can read.
    pub(super) fn of_backup(db: &Connection, file: &str) -> Result<Self, JobError> {
        let failed = |why: rusqlite::Error| JournalError::of(&why, file);
        match pragma(db, "application_id").map_err(failed)? {
            BACKUP => {}
            APPLICATION => {
                return Err(JobError::no(localizable!(
                    "{file} is a journal, not a backup. Nothing was changed. Only a backup can be restored (lapel journal backup FILE): a copied journal and its original could send the same jobs.",
                    file
                )));
            }
            _ => {
                return Err(JobError::no(localizable!(
                    "{file} is not a journal backup. Nothing was changed.",
                    file
                )));
            }
        }
        let found = pragma(db, "user_version").map_err(failed)?;
        if found > SCHEMA {
            return Err(JournalError::Newer { file: file.to_owned(), found, known: SCHEMA }.into());
        }
        let mark = Self::read(&Tx::on(db)).map_err(|why| JournalError::failed(&why, file))?;
        let has_id = |mark: &Self| !mark.id.is_empty() && mark.id.bytes().all(|b| b.is_ascii_hexdigit());
        mark.filter(has_id).ok_or_else(|| {
            JournalError::Corrupt { file: file.to_owned(), why: localizable!("its origin is missing") }.into()
        })
    }

    fn read(db: &Tx<'_>) -> tx::Result<Option<Self>> {
        let sql = "SELECT id, at, computer, file, moves, state, taken_by FROM handover WHERE id = ?1";
        db.optional(sql, values![behaviour::kept(db, "backup", "id")?], |r| {
            Ok(Self {
                id: r.get(0)?,
                at: Timestamp::from_millisecond(r.get(1)?).unwrap_or(Timestamp::UNIX_EPOCH),
                computer: r.get(2)?,
                file: r.get(3)?,
                moves: r.get(4)?,
                // An unknown state counts as taken, the safe choice.
                state: r.text(5)?.parse().unwrap_or(BackupState::Taken),
                taken_by: r.get(6)?,
            })
        })
    }
}
