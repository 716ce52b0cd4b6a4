//! Where an account sends from: the only rule that keeps two journals from sending the same rows.
//!
//! A journal without a mark on the account may send. A mark names the other journal by its random name, since a path or
//! an address can mean two journals. Both journals of a move have one before the first job leaves:
//!
//! ```text
//! target: coming       source: going       jobs are copied       source: gone       target: no mark
//! ```
//!
//! So at each moment, and after a crash between two of these steps, at most one of them begins a job.

use super::super::accounts;
use crate::jobs::journal::prelude::*;
use strum::{AsRefStr, EnumString};

/// A journal, as another one names it.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct OtherJournal {
    /// Random and unique.
    pub(in crate::jobs::journal) name: String,
    /// For people.
    pub(in crate::jobs::journal) place: String,
    /// As the table `handover` names it.
    pub(in crate::jobs::journal) file: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, AsRefStr)]
#[strum(serialize_all = "lowercase")]
pub(super) enum MarkState {
    Coming,
    Going,
    Gone,
}

#[derive(Clone, Debug)]
pub(in crate::jobs::journal) struct Mark {
    other: String,
    place: String,
    pub(super) state: MarkState,
}

impl Mark {
    fn read(r: &SqlRow<'_>) -> tx::Result<Self> {
        // An unknown state keeps everything from being sent.
        let state = r.text("state")?.parse().unwrap_or(MarkState::Going);
        Ok(Self { other: r.get("other")?, place: r.get("place")?, state })
    }

    /// Whether it names this journal.
    pub(super) fn is_of(&self, other: &OtherJournal) -> bool {
        if self.other.is_empty() {
            other.file.split_once(' ').is_some_and(|(_, place)| place == self.place)
        } else {
            self.other == other.name
        }
    }

    /// Why nothing is sent from here, and what changes that.
    pub(super) fn why(&self, is_team: bool) -> Localizable {
        let place = &self.place;
        match (self.state, is_team) {
            (MarkState::Gone, false) => localizable!(
                "The jobs of this profile are in the team's journal ({server}). lapel sends nothing from here: somebody could get a badge twice. Set journal.url of the profile again. To issue with the journal on this computer, then run: lapel journal move --back",
                server = place
            ),
            (MarkState::Gone, true) => localizable!(
                "The jobs of this profile are in the journal on a computer ({place}). lapel sends nothing from the team's journal: somebody could get a badge twice. To send from here again, run on that computer: lapel journal move",
                place
            ),
            (MarkState::Coming | MarkState::Going, _) => {
                let is_back = (self.state == MarkState::Going) == is_team;
                let command = if is_back { "lapel journal move --back" } else { "lapel journal move" };
                localizable!(
                    "The jobs of this profile are being moved, and not all have arrived (the other journal: {place}). lapel sends nothing: somebody could get a badge twice. Finish the move on the computer where it began, with journal.url of the profile set: {command}",
                    place,
                    command
                )
            }
        }
    }

    fn refused(&self, db: &Tx<'_>) -> tx::Error {
        tx::Error::Elsewhere(self.why(db.is_team()))
    }
}

pub(super) fn of(db: &Tx<'_>, account: &Account) -> tx::Result<Vec<Mark>> {
    let [by_key, by_name] = accounts::all_of(db, account)?;
    db.rows(
        "SELECT other, place, state FROM transfer WHERE account IN (?1, ?2) ORDER BY other",
        values![by_key, by_name],
        Mark::read,
    )
}

fn find(db: &Tx<'_>, account: &Account, is_it: impl Fn(&Mark) -> bool) -> tx::Result<Option<Mark>> {
    Ok(of(db, account)?.into_iter().find(is_it))
}

/// # Errors
/// The account has a mark that is in the way.
fn refuse(db: &Tx<'_>, account: &Account, is_in_the_way: impl Fn(&Mark) -> bool) -> tx::Result<()> {
    find(db, account, is_in_the_way)?.map_or(Ok(()), |mark| Err(mark.refused(db)))
}

/// The marks of a journal, for a file that takes its place.
pub(in crate::jobs::journal) fn all(db: &Tx<'_>) -> tx::Result<Vec<(Account, Mark)>> {
    db.rows(
        "SELECT account_key.base_url, key, name, other, place, state
         FROM transfer JOIN account_key ON account_key.account = transfer.account
         LEFT JOIN account_name ON account_name.account = transfer.account
                               AND account_name.base_url = account_key.base_url",
        values![],
        |r| {
            let account = Account {
                profile: String::new(),
                base_url: r.get("base_url")?,
                key: r.get("key")?,
                organisation: r.get("name")?,
            };
            Ok((account, Mark::read(r)?))
        },
    )
}

/// Adds the marks of the file that this one takes the place of.
pub(in crate::jobs::journal) fn keep(db: &Tx<'_>, marks: &[(Account, Mark)]) -> tx::Result<()> {
    marks.iter().try_for_each(|(account, Mark { other, place, state })| {
        let file = format!("team {place}");
        set(db, account, &OtherJournal { name: other.clone(), place: place.clone(), file }, *state)
    })
}

/// # Errors
/// Another journal sends for the account of the job, or not all of its jobs are here. The second does not stop a job
/// that `runs`: its rows have their claims.
pub(in crate::jobs::journal) fn assure_here(db: &Tx<'_>, job: JobId, runs: bool) -> tx::Result<()> {
    let mark = db.optional(
        "SELECT other, place, state FROM transfer
         WHERE account = (SELECT account_key.account FROM account_key JOIN job
                          ON job.base_url = account_key.base_url AND job.account = account_key.key WHERE job.id = ?1)
           AND NOT (state = 'coming' AND ?2) LIMIT 1",
        values![job.0, runs],
        Mark::read,
    )?;
    mark.map_or(Ok(()), |mark| Err(mark.refused(db)))
}

/// Why nothing of an account is sent from here.
pub(in crate::jobs::journal) fn elsewhere(db: &Tx<'_>, account: &Account) -> tx::Result<Option<Localizable>> {
    let left = find(db, account, |mark| mark.state != MarkState::Coming)?;
    Ok(left.map(|mark| mark.why(db.is_team())))
}

/// What the journal beside another one knows of an account.
#[derive(Clone, Debug)]
pub(in crate::jobs) enum JournalBeside {
    /// It may send for the account itself.
    Here,
    /// The other one sends for the account.
    There,
    /// A third one does, or a move is not complete.
    Elsewhere(Localizable),
}

pub(in crate::jobs::journal) fn beside(
    db: &Tx<'_>,
    account: &Account,
    other: &OtherJournal,
) -> tx::Result<JournalBeside> {
    let marks = of(db, account)?;
    let in_the_way = marks.iter().find(|mark| mark.state != MarkState::Gone || !mark.is_of(other));
    Ok(match in_the_way {
        Some(mark) => JournalBeside::Elsewhere(mark.why(db.is_team())),
        None if marks.is_empty() => JournalBeside::Here,
        None => JournalBeside::There,
    })
}

/// # Errors
/// Jobs still come here, or go to a third journal.
pub(super) fn assure_may_go(db: &Tx<'_>, account: &Account, to: &OtherJournal) -> tx::Result<()> {
    refuse(db, account, |mark| mark.state == MarkState::Coming || !mark.is_of(to))
}

/// Expects an account's jobs from another journal.
///
/// # Errors
/// They are in a third journal, or on their way to that one.
pub(in crate::jobs::journal) fn expect(
    db: &Tx<'_>,
    account: &Account,
    from: &OtherJournal,
) -> tx::Result<()> {
    refuse(db, account, |mark| match mark.state {
        MarkState::Coming => false,
        MarkState::Going => true,
        MarkState::Gone => !mark.is_of(from),
    })?;
    set(db, account, from, MarkState::Coming)
}

/// Replaces the mark that names the other journal.
pub(super) fn set(db: &Tx<'_>, account: &Account, other: &OtherJournal, state: MarkState) -> tx::Result<()> {
    let id = accounts::join(db, account)?;
    remove(db, account, other)?;
    db.run(
        "INSERT INTO transfer VALUES (?1, ?2, ?3, ?4)",
        values![id, other.name, other.place, state.as_ref()],
    )
}

pub(super) fn remove(db: &Tx<'_>, account: &Account, other: &OtherJournal) -> tx::Result<()> {
    let [by_key, by_name] = accounts::all_of(db, account)?;
    for mark in of(db, account)?.iter().filter(|mark| mark.is_of(other)) {
        db.execute(
            "DELETE FROM transfer WHERE account IN (?1, ?2) AND other = ?3",
            values![by_key, by_name, mark.other],
        )?;
    }
    Ok(())
}
