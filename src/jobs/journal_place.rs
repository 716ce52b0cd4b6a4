//! Where a profile's journal is.

use super::Account;
use super::journal::{Creation, Journal, JournalError, Migration, TeamStatus, known_offset};
use crate::domain::time::KnownOffset;
use crate::jobs::prelude::*;
use crate::team::Login;
use std::path::Path;

#[derive(Clone, Debug)]
pub enum JournalPlace {
    /// It ends with the process, as in a demo.
    Memory,
    Folder(PathBuf),
    Team {
        login: Login,
        /// This person's name for the others: the login of the database, unlike a name that anybody can set.
        who: String,
        /// Where this computer has a journal in a file, and notes the last request for the next lapel.
        data_dir: Option<PathBuf>,
        /// Whether lapel only reads, so that the database's user needs no right to write.
        reads_only: bool,
    },
}

impl JournalPlace {
    /// Opens the journal, and creates the file if there is none. Blocks.
    ///
    /// # Errors
    /// Any [`JournalError`] except `Closed`. Nothing was changed.
    pub fn open(&self) -> Result<Journal, JournalError> {
        match self {
            Self::Memory => Journal::in_memory(),
            Self::Folder(folder) => Journal::open(folder),
            Self::Team { login, who, data_dir, reads_only } => {
                open_team(login, who, (!reads_only).then_some(data_dir.as_deref()))
            }
        }
    }

    /// This person's name, if others share the journal.
    pub fn person(&self) -> Option<&str> {
        match self {
            Self::Team { who, .. } => Some(who),
            Self::Memory | Self::Folder(_) => None,
        }
    }

    /// As [`Self::open`], for sending: checks that the account's jobs are in this journal only. Nothing is sent from the
    /// file beside a team's journal from now on, so that file is made, to say so, if there is none. Names and addresses
    /// stay in it for at most `keep_days`, too.
    ///
    /// # Errors
    /// As [`Self::open`], of both journals; also [`JournalError::TwoPlaces`].
    pub async fn open_to_send(
        &self,
        account: &Account,
        keep_days: Option<u32>,
    ) -> Result<Journal, JournalError> {
        let reads_only = matches!(self, Self::Team { reads_only: true, .. });
        let open_beside = if reads_only { Self::copy_of_existing } else { Self::opened };
        let (journal, beside) = self.open_both(Self::open, open_beside).await?;
        let beside = beside?;
        journal.assure_only(beside.as_ref(), account).await?;
        if let (Some(file), Some(days)) = (&beside, keep_days)
            && !journal.reads_only
        {
            file.purge(account, days).await?;
        }
        Ok(journal)
    }

    /// As [`Self::open`], for looking: also returns why the account's jobs may not all be in this journal. Changes no
    /// job in either. Once a team has jobs of the account, nothing is sent from the file beside its journal, also by
    /// somebody who only looks at them. A profile that only reads changes nothing of that file.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub async fn open_to_look(
        &self,
        account: &Account,
    ) -> Result<(Journal, Option<JournalError>), JournalError> {
        let (journal, checked) = self.open_checked(Self::open, account).await?;
        if let (Ok(false), Some(file)) = (&checked, self.beside())
            && !journal.reads_only
            && journal.store().count_here(account.clone()).await? > 0
        {
            let file = tokio::task::spawn_blocking(move || file.open()).await;
            // Nobody waits for that to look at jobs: the next one who sends or looks tries it again.
            if let Ok(Ok(file)) = file {
                let _ = journal.assure_only(Some(&file), account).await;
            }
        }
        Ok((journal, checked.err()))
    }

    /// As [`Self::open_for_trial`]: also returns why nothing of an account is sent from this journal.
    pub async fn open_to_plan(
        &self,
        account: &Account,
    ) -> Result<(Journal, Option<JournalError>), JournalError> {
        let (journal, checked) = self.open_checked(Self::open_for_trial, account).await?;
        Ok((journal, checked.err()))
    }

    /// Also returns the result of [`Journal::check_only`], for which the file beside the journal stays as it is.
    async fn open_checked(
        &self,
        open: fn(&Self) -> Result<Journal, JournalError>,
        account: &Account,
    ) -> Result<(Journal, Result<bool, JournalError>), JournalError> {
        let (journal, beside) = self.open_both(open, Self::copy_of_existing).await?;
        let checked = match beside {
            Ok(beside) => journal.check_only(beside.as_ref(), account, false).await,
            Err(why) => Err(why),
        };
        Ok((journal, checked))
    }

    /// Also opens the file beside the journal.
    async fn open_both(
        &self,
        open: fn(&Self) -> Result<Journal, JournalError>,
        open_beside: fn(&Self) -> Result<Option<Journal>, JournalError>,
    ) -> Result<(Journal, Result<Option<Journal>, JournalError>), JournalError> {
        let place = self.clone();
        let opening = move || {
            // A team that cannot be reached leaves no mark in a file.
            let journal = open(&place)?;
            Ok((journal, place.beside().map_or(Ok(None), |file| open_beside(&file))))
        };
        tokio::task::spawn_blocking(opening).await.map_err(|_| JournalError::Closed)?
    }

    /// The journal that this computer has in a file beside that of a team.
    fn beside(&self) -> Option<Self> {
        match self {
            Self::Team { data_dir, .. } => data_dir.clone().map(Self::Folder),
            Self::Memory | Self::Folder(_) => None,
        }
    }

    /// Opens a copy for trial plans. A team's database is not copied: its draft ends with the process.
    pub fn open_for_trial(&self) -> Result<Journal, JournalError> {
        match self {
            Self::Memory => Journal::in_memory(),
            Self::Folder(folder) => Journal::copy_of(folder),
            Self::Team { login, who, .. } => Ok(open_team(login, who, Some(None))?.for_trial()),
        }
    }

    /// Opens the journal only to read it. `None` if there is no file yet.
    pub fn open_existing(&self) -> Result<Option<Journal>, JournalError> {
        if self.is_missing() { Ok(None) } else { self.opened() }
    }

    fn opened(&self) -> Result<Option<Journal>, JournalError> {
        self.open().map(Some)
    }

    /// As [`Self::open_existing`], of a copy: opening the file itself would bring it to this version's schema.
    pub(super) fn copy_of_existing(&self) -> Result<Option<Journal>, JournalError> {
        if self.is_missing() { Ok(None) } else { self.open_for_trial().map(Some) }
    }

    /// Whether there is no file yet.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Folder(folder) if !Journal::file_in(folder).exists())
    }

    /// Creates a team's journal, unless it exists. `None` for a journal that is no team's. Blocks.
    pub fn create_team(&self) -> Result<Option<Creation>, JournalError> {
        self.of_team(create_team)
    }

    /// Brings a team's journal to this version's schema. `None` for a journal that is no team's. Blocks.
    pub fn migrate_team(&self) -> Result<Option<Migration>, JournalError> {
        self.of_team(migrate_team)
    }

    /// The state of a team's database. `None` for a journal that is no team's. Blocks.
    pub fn team_status(&self) -> Result<Option<TeamStatus>, JournalError> {
        self.of_team(team_status)
    }

    fn of_team<T>(
        &self,
        work: impl FnOnce(&Login) -> Result<T, JournalError>,
    ) -> Result<Option<T>, JournalError> {
        match self {
            Self::Team { login, .. } => work(login).map(Some),
            Self::Memory | Self::Folder(_) => Ok(None),
        }
    }

    /// The UTC offset of the service that jobs have learned. Of a file only, since it is needed at once.
    pub fn known_offset(&self, account: &Account) -> Option<KnownOffset> {
        match self {
            Self::Folder(folder) => known_offset(folder, account),
            Self::Memory | Self::Team { .. } => None,
        }
    }
}

/// `writes` is the data folder of a process that writes.
#[cfg(feature = "team")]
#[allow(clippy::option_option, reason = "a process that writes may have no folder")]
fn open_team(login: &Login, who: &str, writes: Option<Option<&Path>>) -> Result<Journal, JournalError> {
    match writes {
        Some(data_dir) => Journal::open_team(login.clone(), who, data_dir),
        None => Journal::read_team(login.clone(), who),
    }
}

#[cfg(not(feature = "team"))]
#[allow(clippy::option_option, reason = "a process that writes may have no folder")]
fn open_team(login: &Login, _who: &str, _writes: Option<Option<&Path>>) -> Result<Journal, JournalError> {
    no_team(login)
}

#[cfg(feature = "team")]
fn create_team(login: &Login) -> Result<Creation, JournalError> {
    Journal::create_team(login)
}

#[cfg(feature = "team")]
fn migrate_team(login: &Login) -> Result<Migration, JournalError> {
    Journal::migrate_team(login)
}

#[cfg(feature = "team")]
fn team_status(login: &Login) -> Result<TeamStatus, JournalError> {
    Journal::team_status(login)
}

#[cfg(not(feature = "team"))]
use self::{no_team as create_team, no_team as migrate_team, no_team as team_status};

#[cfg(not(feature = "team"))]
fn no_team<T>(login: &Login) -> Result<T, JournalError> {
    Err(JournalError::Team { server: login.server.to_string(), why: crate::team::TeamError::NoFeature })
}
