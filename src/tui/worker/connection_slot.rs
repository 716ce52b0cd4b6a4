//! The worker's connection: making it, replacing it, and closing its jobs properly.

use crate::api::{ApiError, Call, Connection, Reader, connect, recognise};
use crate::jobs::{Account, Jobs, JournalError, JournalWatch};
use crate::tui::message::{Handle, Message};
use crate::tui::platform::images::Gallery;
use crate::tui::request::Session;
use crate::tui::worker::index::IndexSlot;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Pause between two attempts to open a journal that is away.
const AGAIN: Duration = Duration::from_secs(5);

#[derive(Default)]
pub(super) struct ConnectionSlot {
    pub(super) link: Option<WorkerConnection>,
    making: Option<(JoinHandle<Option<WorkerConnection>>, CancellationToken)>,
}

impl ConnectionSlot {
    pub(super) fn change(&mut self, session: Box<Session>, tell: Events) {
        let (before, link) = (self.making.take(), self.link.take());
        let token = CancellationToken::new();
        let given_up = token.clone();
        let making = tokio::spawn(async move {
            let mut old = vec![link];
            if let Some((making, token)) = before {
                token.cancel();
                old.push(making.await.ok().flatten());
            }
            for jobs in old.into_iter().flatten().filter_map(|link| link.jobs) {
                jobs.close().await;
            }
            WorkerConnection::new(&session, &tell, given_up).await
        });
        self.making = Some((making, token));
    }

    pub(super) fn is_changing(&self) -> bool {
        self.making.is_some()
    }

    /// Returns when the new connection is ready or has failed. Without a new connection it never returns.
    pub(super) async fn changed(&mut self) {
        match &mut self.making {
            Some((making, _)) => {
                let link = making.await.ok().flatten();
                self.making = None;
                self.link = link;
            }
            None => std::future::pending().await,
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
            if !tell.send(Message::JournalAway(away.map(|why| why.to_string()))).await {
                break;
            }
            reader.check_sharing().await;
        }
    });
}

/// Reports when a journal that was away can be opened.
fn try_again(session: Session, account: Account, tell: Events) -> Arc<DropGuard> {
    let end = CancellationToken::new();
    let guard = Arc::new(end.clone().drop_guard());
    tokio::spawn(end.run_until_cancelled_owned(async move {
        loop {
            tokio::time::sleep(AGAIN).await;
            let opened = session.journal.open_to_send(session.data_dir.as_deref(), &account).await;
            if !opened.as_ref().is_err_and(JournalError::is_away) {
                // Closed before it is opened again.
                drop(opened);
                tell.send(Message::JournalBack).await;
                return;
            }
        }
    }));
    guard
}

#[derive(Clone)]
pub(super) struct WorkerConnection {
    pub(super) reader: Reader,
    pub(super) connection: Connection,
    pub(super) jobs: Option<Jobs>,
    pub(super) gallery: Gallery,
    pub(super) index: IndexSlot,
    /// Ends the attempts to open the journal.
    _trying: Option<Arc<DropGuard>>,
}

impl WorkerConnection {
    async fn new(session: &Session, tell: &Events, given_up: CancellationToken) -> Option<Self> {
        let connection = session.connection.clone();
        // Reads the system's certificates. These tens of milliseconds must not delay a key.
        let access = tokio::task::spawn_blocking(move || connect(&connection)).await;
        let access = match access {
            Ok(Ok(access)) => access,
            Ok(Err(error)) => {
                tell.send(Message::LinkFailed(error)).await;
                return None;
            }
            Err(panicked) => {
                let error = ApiError::NotReached {
                    why: localizable!("the client could not be created ({panicked})", panicked),
                };
                tell.send(Message::LinkFailed(error)).await;
                return None;
            }
        };
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
        match recognise(&reader, &session.connection, &call).await {
            Ok(odd) if odd.is_empty() => {}
            Ok(odd) => {
                tell.send(Message::Odd(odd.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")))
                    .await;
            }
            Err(error) => {
                // Send nothing with a key that was not checked.
                tell.send(Message::LinkFailed(error)).await;
                return None;
            }
        }
        // Pictures are cached only if jobs are kept: a demo's service is new on every start.
        let folder = session.data_dir.as_ref().map(|folder| folder.join("pictures"));
        let gallery = Gallery::new(session.connection.clone(), folder);
        let connection = session.connection.clone();
        tell.send(Message::Linked(reader.clone())).await;
        let index = IndexSlot::new(session);
        let account =
            Account::of(&session.name, &session.connection).of_organisation(session.organisation.as_deref());
        let journal = session.journal.clone();
        let opened = journal.open_to_send(session.data_dir.as_deref(), &account).await;
        let journal = match opened {
            Ok(journal) => journal,
            Err(why) => {
                let is_away = why.is_away();
                let why =
                    if is_away { t!("{why} lapel tries again by itself.", why) } else { why.to_string() };
                tell.send(Message::JournalFailed(why)).await;
                let trying = is_away.then(|| try_again(session.clone(), account, tell.clone()));
                return Some(Self { reader, connection, jobs: None, gallery, index, _trying: trying });
            }
        };
        let (jobs, mut changed) = match Jobs::start(access, journal, account, session.jobs.clone()).await {
            Ok(started) => started,
            Err(why) => {
                tell.send(Message::JournalFailed(why.to_string())).await;
                return Some(Self { reader, connection, jobs: None, gallery, index, _trying: None });
            }
        };
        watch_journal(jobs.journal_watch(), reader.clone(), tell.clone());
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
        tell.send(Message::Jobs(Handle(jobs.clone()))).await;
        Some(Self { reader, connection, jobs: Some(jobs), gallery, index, _trying: None })
    }
}
