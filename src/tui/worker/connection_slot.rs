//! The worker's connection: making it, replacing it, and closing its jobs properly.

use crate::api::{Access, connect, recognise};
use crate::jobs::{Account, Journal, JournalError, JournalPlace, JournalWatch};
use crate::tui::message::{Handle, Message};
use crate::tui::platform::images::Gallery;
use crate::tui::prelude::*;
use crate::tui::request::ProfileSession;
use crate::tui::worker::index::IndexSlot;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::DropGuard;

/// Pause before another attempt to open the journal.
fn pause_after(why: &JournalError) -> Duration {
    Duration::from_secs(if why.is_away() { 5 } else { 10 })
}

#[derive(Default)]
pub(super) struct ConnectionSlot {
    pub(super) link: Option<WorkerConnection>,
    making: Option<(JoinHandle<Option<Made>>, CancellationToken)>,
    /// Opens the journal of `link`, which could not be opened at once.
    opening: Option<JournalOpening>,
}

type Made = (WorkerConnection, Option<JournalOpening>);

/// Attempts to open a journal, until dropped.
struct JournalOpening {
    jobs: JoinHandle<Option<Jobs>>,
    tell: Events,
    _end: DropGuard,
}

impl ConnectionSlot {
    pub(super) fn change(&mut self, session: Box<ProfileSession>, tell: Events) {
        self.opening = None;
        let (before, link) = (self.making.take(), self.link.take());
        let token = CancellationToken::new();
        let given_up = token.clone();
        let making = tokio::spawn(async move {
            let mut old = vec![link];
            if let Some((making, token)) = before {
                token.cancel();
                old.push(making.await.ok().flatten().map(|(link, _)| link));
            }
            for jobs in old.into_iter().flatten().filter_map(|link| link.jobs) {
                jobs.close().await;
            }
            let made = WorkerConnection::new(&session, &tell, given_up).await;
            if let Err(error) = &made {
                tell.send(Message::LinkFailed(error.clone())).await;
            }
            made.ok()
        });
        self.making = Some((making, token));
    }

    pub(super) fn is_changing(&self) -> bool {
        self.making.is_some()
    }

    /// Returns when the new connection is ready or has failed, or when the journal of the connection is open. Without
    /// either it never returns.
    pub(super) async fn changed(&mut self) {
        match (&mut self.making, &mut self.opening) {
            (Some((making, _)), _) => {
                let made = making.await.ok().flatten();
                self.making = None;
                let (link, opening) = made.unzip();
                (self.link, self.opening) = (link, opening.flatten());
            }
            (None, Some(opening)) => {
                let opened = (&mut opening.jobs).await.ok().flatten();
                let tell = opening.tell.clone();
                self.opening = None;
                if let (Some(link), Some(jobs)) = (&mut self.link, opened) {
                    link.jobs = Some(jobs.clone());
                    // Only now can requests use them.
                    tokio::spawn(async move { tell.send(Message::Jobs(Handle(jobs))).await });
                }
            }
            (None, None) => std::future::pending().await,
        }
    }
}

#[derive(Clone)]
pub(super) struct Events {
    pub(super) number: u64,
    pub(super) messages: mpsc::Sender<Message>,
}

impl Events {
    /// Returns false if the TUI has ended.
    async fn send(&self, message: Message) -> bool {
        self.messages.send(Message::Of(self.number, Box::new(message))).await.is_ok()
    }
}

/// Reports when a team's database is away. The rate limit is shared through it, too.
fn watch_journal(mut journal: JournalWatch, reader: Reader, tell: Events) {
    tokio::spawn(async move {
        while let Some(away) = journal.changed().await {
            if !tell.send(Message::JournalAway(away)).await {
                break;
            }
            reader.check_sharing().await;
        }
    });
}

/// Opens a journal when the cause of `why` has gone. The connection to the service stays as it is.
fn try_again(
    access: Access,
    session: ProfileSession,
    account: Account,
    tell: Events,
    mut why: JournalError,
) -> JournalOpening {
    let end = CancellationToken::new();
    let (guard, sender) = (end.clone().drop_guard(), tell.clone());
    let trying = async move {
        while why.may_pass() {
            tokio::time::sleep(pause_after(&why)).await;
            match open_jobs(&access, &session, &account, &sender).await {
                Ok(jobs) => {
                    access.reader().check_sharing().await;
                    return Some(jobs);
                }
                Err(now) => {
                    if now != why {
                        sender.send(Message::JournalFailed(now.clone())).await;
                    }
                    why = now;
                }
            }
        }
        None
    };
    let jobs = tokio::spawn(async move { end.run_until_cancelled_owned(trying).await.flatten() });
    JournalOpening { jobs, tell, _end: guard }
}

/// Opens the journal, and starts the jobs in it.
async fn open_jobs(
    access: &Access,
    session: &ProfileSession,
    account: &Account,
    tell: &Events,
) -> Result<Jobs, JournalError> {
    let journal: Journal = session.journal.open_to_send(account, session.jobs.keep_days).await?;
    let (jobs, mut changed) =
        Jobs::start(access.clone(), journal, account.clone(), session.jobs.clone()).await?;
    watch_journal(jobs.journal_watch(), access.reader().clone(), tell.clone());
    let sender = tell.clone();
    tokio::spawn(async move {
        while let Some(job) = changed.recv().await {
            if !sender.send(Message::Job(Box::new(job))).await {
                break;
            }
        }
    });
    // The demo works without its files.
    let _ = jobs.offer_files(&session.files).await;
    Ok(jobs)
}

#[derive(Clone)]
pub(super) struct WorkerConnection {
    pub(super) reader: Reader,
    pub(super) connection: Connection,
    pub(super) jobs: Option<Jobs>,
    /// The acting user, for the journal.
    pub(super) who: String,
    pub(super) gallery: Gallery,
    pub(super) index: IndexSlot,
}

impl WorkerConnection {
    async fn new(
        session: &ProfileSession,
        tell: &Events,
        given_up: CancellationToken,
    ) -> Result<Made, ApiError> {
        let connection = session.connection.clone();
        // Reads the system's certificates. These tens of milliseconds must not delay a key.
        let access = tokio::task::spawn_blocking(move || connect(&connection)).await;
        let access = access.map_err(|panicked| ApiError::NotReached {
            why: localizable!("the client could not be created ({panicked})", panicked),
        })??;
        let reader = access.reader().clone();
        tell.send(Message::Connecting(reader.clone())).await;
        let (mut status, sender) = (reader.link(), tell.clone());
        tokio::spawn(async move {
            while status.changed().await.is_ok() {
                if !sender.send(Message::Link).await {
                    break;
                }
            }
        });
        let call = Call::interactive().cancelled_by(given_up);
        // Send nothing with a key that was not checked.
        let odd = recognise(&reader, &session.connection, &call).await?;
        if !odd.is_empty() {
            let odd = odd.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            tell.send(Message::Odd(odd)).await;
        }
        // Pictures are cached only if jobs are kept: a demo's service is new on every start.
        let folder = session.data_dir.as_ref().map(|folder| folder.join("pictures"));
        let gallery = Gallery::new(session.connection.clone(), folder);
        let connection = session.connection.clone();
        tell.send(Message::Linked(reader.clone())).await;
        let index = IndexSlot::new(session);
        let account =
            Account::of(&session.name, &session.connection).of_organisation(session.organisation.as_deref());
        let who = who(&session.journal);
        let mut link = Self { reader, connection, jobs: None, who, gallery, index };
        match open_jobs(&access, session, &account, tell).await {
            Ok(jobs) => {
                tell.send(Message::Jobs(Handle(jobs.clone()))).await;
                link.jobs = Some(jobs);
                Ok((link, None))
            }
            Err(why) => {
                tell.send(Message::JournalFailed(why.clone())).await;
                Ok((link, Some(try_again(access, session.clone(), account, tell.clone(), why))))
            }
        }
    }
}

/// The acting user for the journal: the login of a team's database, otherwise the system's user name.
fn who(journal: &JournalPlace) -> String {
    let known = |name: &&str| std::env::var(name).ok().filter(|user| !user.is_empty());
    let of_system = || ["USER", "LOGNAME", "USERNAME"].iter().find_map(known);
    journal.person().map(str::to_owned).or_else(of_system).unwrap_or_else(|| "tui".to_owned())
}
