//! A backup's description of itself, in the backup and in the journals that it was copied from or to.

use crate::fs::pragma;
use crate::jobs::journal::behaviour;
use crate::jobs::journal::prelude::*;
use crate::jobs::journal::schema::{APPLICATION, BACKUP, SCHEMA};
use rusqlite::OptionalExtension;
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
        let id =
            behaviour::kept(&Tx::on(db), "backup", "id").map_err(|why| JournalError::failed(&why, file))?;
        let id = id.unwrap_or_default();
        let mark = db
            .query_row(
                "SELECT at, computer, file, moves, state, taken_by FROM handover WHERE id = ?1",
                [&id],
                |r| {
                    let state: String = r.get(4)?;
                    Ok(Self {
                        id: id.clone(),
                        at: Timestamp::from_millisecond(r.get(0)?).unwrap_or(Timestamp::UNIX_EPOCH),
                        computer: r.get(1)?,
                        file: r.get(2)?,
                        moves: r.get(3)?,
                        // An unknown state counts as taken, the safe choice.
                        state: state.parse().unwrap_or(BackupState::Taken),
                        taken_by: r.get(5)?,
                    })
                },
            )
            .optional()
            .map_err(failed)?;
        let is_id = !id.is_empty() && id.bytes().all(|b| b.is_ascii_hexdigit());
        mark.filter(|_| is_id).ok_or_else(|| {
            JournalError::Corrupt { file: file.to_owned(), why: localizable!("its origin is missing") }.into()
        })
    }
}
