//! The worker: runs the TUI's requests as tasks and sends the responses back.

mod connection_slot;
mod helpers;
pub(in crate::tui) mod index;
pub(in crate::tui) mod job_command;
pub(in crate::tui) mod lookup;
pub(in crate::tui) mod profile_requests;
pub(in crate::tui) mod select_all;

pub use helpers::Helpers;

use super::message::Message;
use super::request::{Holder, NotSaved, Paper, Request, RequestId, Response, Session};
use crate::api::{ApiError, Call, HOLDER_PAGES, Reader};
use crate::domain::{BadgeId, EmailKey, ServiceClock, TemplateId, Text};
use crate::export::{self, ExportError, Exported};
use crate::i18n;
use crate::jobs::intake::Watch;
use crate::jobs::{CheckProgress, Job, JobError, JobId, Jobs, Reading, holdings};
use crate::tui::input::paths;
use crate::tui::persist::saved_layout::{self, file::ViewAnswer};
use crate::tui::persist::{input_history, saved_filters};
use crate::tui::platform::external;
use crate::tui::platform::file_preview;
use connection_slot::{ConnectionSlot, Events, WorkerConnection};
use helpers::try_profile;
use select_all::NotMarked;
use std::collections::{BTreeSet, HashMap};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// Message when the journal cannot be used.
const NO_JOBS: &str =
    tr_noop!("The journal cannot be used: lapel can neither send nor show jobs. Nothing was changed.");

pub enum WorkerCommand {
    Request(RequestId, Request),
    /// Nobody waits for this request any more.
    Cancel(RequestId),
    /// The user has stopped this read. Its response says so.
    Stop(RequestId),
    /// Use this connection from now on. Its messages carry this number.
    Connect(Box<Session>, u64),
}

/// Runs until the TUI drops its end of the channel.
pub async fn run(
    mut orders: mpsc::Receiver<WorkerCommand>,
    messages: mpsc::Sender<Message>,
    helpers: Helpers,
) {
    let mut running: HashMap<RequestId, Running> = HashMap::new();
    let (done, mut finished) = mpsc::channel::<RequestId>(256);
    let mut line = ConnectionSlot::default();
    // Requests that arrived before there was a connection.
    let mut waiting: Vec<(RequestId, Request)> = Vec::new();
    let start = |request: RequestId,
                 ask: Request,
                 link: Option<WorkerConnection>,
                 running: &mut HashMap<RequestId, Running>| {
        let (token, stop) = (CancellationToken::new(), CancellationToken::new());
        // A request with consequences always runs to its end.
        if !ask.goes_on() {
            running.insert(request, Running { cancel: token.clone(), stop: stop.clone() });
        }
        let (messages, done, helpers) = (messages.clone(), done.clone(), helpers.clone());
        tokio::spawn(async move {
            let (broken, own_end) = (failed(&ask), ask.ends_by_itself());
            let stopped = failed_by(&ask, &ApiError::Cancelled);
            let context = RequestContext { request, messages: messages.clone(), cancel: token.clone() };
            // A task of its own turns a panic into a response, so that nothing waits for ever.
            let mut work = tokio::spawn(async move { answer(ask, link, &helpers, context).await });
            let answer = tokio::select! {
                () = token.cancelled(), if !own_end => {
                    work.abort();
                    None
                }
                () = stop.cancelled(), if !own_end => {
                    work.abort();
                    Some(stopped)
                }
                answer = &mut work => (!token.is_cancelled()).then(|| answer.unwrap_or(broken)),
            };
            if let Some(answer) = answer {
                // A closed channel means that the TUI is ending.
                let _ = messages.send(Message::Response(request, answer)).await;
            }
            let _ = done.send(request).await;
        });
    };
    loop {
        tokio::select! {
            order = orders.recv() => match order {
                None => break,
                Some(WorkerCommand::Cancel(request)) => {
                    waiting.retain(|(other, _)| *other != request);
                    if let Some(running) = running.remove(&request) {
                        running.cancel.cancel();
                    }
                }
                Some(WorkerCommand::Stop(request)) => {
                    if let Some(running) = running.get(&request) {
                        running.stop.cancel();
                    }
                }
                Some(WorkerCommand::Connect(session, number)) => {
                    for (_, running) in running.drain() {
                        running.cancel.cancel();
                    }
                    waiting.clear();
                    line.change(session, Events { number, messages: messages.clone() });
                }
                Some(WorkerCommand::Request(request, ask)) if line.is_changing() && !ask.needs_no_link() => {
                    waiting.push((request, ask));
                }
                Some(WorkerCommand::Request(request, ask)) => start(request, ask, line.link.clone(), &mut running),
            },
            () = line.changed() => {
                for (request, ask) in waiting.drain(..) {
                    start(request, ask, line.link.clone(), &mut running);
                }
            }
            Some(request) = finished.recv() => {
                running.remove(&request);
            }
        }
    }
    for (_, running) in running {
        running.cancel.cancel();
    }
}

/// The tokens that end a request before its response.
struct Running {
    /// Nobody waits for the response.
    cancel: CancellationToken,
    /// The user has stopped it. The response says so.
    stop: CancellationToken,
}

/// The context of a long request.
struct RequestContext {
    request: RequestId,
    messages: mpsc::Sender<Message>,
    cancel: CancellationToken,
}

/// Ends the reading of a file when nobody waits for it any more.
struct Cancelled(CancellationToken);

impl Watch for Cancelled {
    fn progress(&self, _: u64, _: u64) {}

    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

impl RequestContext {
    /// A sender for progress. The TUI receives only as many updates as it can handle.
    fn watch<T: Default + Send + Sync + 'static>(
        &self,
        read: impl Fn(&T) -> (u64, u64) + Send + 'static,
    ) -> watch::Sender<T> {
        let (sender, mut receiver) = watch::channel(T::default());
        let (request, messages) = (self.request, self.messages.clone());
        tokio::spawn(async move {
            while receiver.changed().await.is_ok() {
                let (done, all) = read(&receiver.borrow_and_update());
                if messages.send(Message::Progress(request, done, all)).await.is_err() {
                    return;
                }
            }
        });
        sender
    }
}

/// The response to a request whose task failed or that has no connection.
fn failed(ask: &Request) -> Response {
    let why = localizable!("internal error in lapel before an answer came");
    failed_by(ask, &ApiError::NoAnswer { why })
}

/// The response to a request that failed with this error.
fn failed_by(ask: &Request, why: &ApiError) -> Response {
    let error = || why.clone();
    match ask {
        Request::Ping(_) => Response::Pinged(Err(error())),
        Request::Templates(_) => Response::Templates(Err(error())),
        Request::Template(_) => Response::Template(Box::new(Err(error()))),
        Request::Categories(_) => Response::Categories(Err(error())),
        Request::BadgeTypes => Response::BadgeTypes(Err(error())),
        Request::History(_) => Response::History(Err(error())),
        Request::Badge(_) => Response::Badge(Box::new(Err(error()))),
        Request::Holder(..) => {
            let (wallet, history) = (Err(error()), Err(error()));
            let (sent, total_count) = (Vec::new(), None);
            let domains = BTreeSet::new();
            Response::Holder(Box::new(Holder { wallet, history, sent, total_count, domains, requests: 0 }))
        }
        Request::Call(context) => Response::Call(Box::new(lookup::failed(context, error()))),
        Request::SentBadge(_) => Response::SentBadge(Vec::new()),
        Request::Holdings(..) => Response::Holdings(Err(error()), None),
        Request::Pause(_) | Request::Note(..) => Response::Paused,
        Request::Picture(_) => Response::Picture(Err(t!("The picture was not loaded.").to_owned())),
        Request::Index(ask) => Response::Index(index::failed(ask, error().to_string())),
        Request::View(ask) => Response::View(ViewAnswer::failed(ask, t!("internal lapel error"))),
        Request::Matching(_) => Response::Matching(Box::new(Err(NotMarked::Service(error())))),
        Request::Recents(_) => Response::Recents(Err(error().to_string())),
        Request::Filters(ask) => Response::Filters(Err(error().to_string()), ask.clone()),
        Request::TryProfile(_) | Request::StartSandbox | Request::OpenProfile(_) | Request::Pin { .. } => {
            Response::Connected(Err(t!("Internal error in lapel.").to_owned()))
        }
        Request::Profile(_) => Response::Profile(Err(t!("Internal error in lapel.").to_owned())),
        Request::Profiles => Response::Profiles(Err(t!("Internal error in lapel.").to_owned())),
        Request::KeptDrafts => Response::KeptDrafts(Err(i18n::tr(NO_JOBS).to_owned())),
        Request::Jobs => Response::Jobs(Err(i18n::tr(NO_JOBS).to_owned())),
        Request::Rows(_) => Response::Rows(Err(i18n::tr(NO_JOBS).to_owned())),
        Request::SavedRows(_) => Response::SavedRows(Err(i18n::tr(NO_JOBS).to_owned())),
        Request::Groups(_) => Response::Groups(Vec::new()),
        Request::Reasons => Response::Reasons(Vec::new()),
        Request::TemplateOf(..) => Response::TemplateOf(Err(error().to_string())),
        Request::Files => Response::Files(Vec::new()),
        Request::Complete(_) => Response::Completed(Vec::new()),
        Request::Preview(_) => Response::Previewed(Box::new(Err(t!("Internal error in lapel.").to_owned()))),
        Request::OpenFile(..) | Request::OpenIds(..) => {
            Response::Opened(Box::new(Err(i18n::tr(NO_JOBS).to_owned())))
        }
        Request::DraftFile(_) | Request::DraftIds(_) => Response::Drafted(Err(i18n::tr(NO_JOBS).to_owned())),
        Request::Paper { .. } => {
            Response::Export(Box::new(Err(NotSaved::Failed(i18n::tr(NO_JOBS).to_owned()))))
        }
        Request::Mail(_) => Response::Mail(Err(i18n::tr(NO_JOBS).to_owned())),
        Request::Export(_) => Response::Export(Box::new(Err(ExportError::Service(error()).into()))),
        Request::CheckDuplicates(_) => Response::DuplicateResult(Err(i18n::tr(NO_JOBS).to_owned())),
        Request::Do(_) => Response::Done(Err(i18n::tr(NO_JOBS).to_owned())),
        Request::Quiet(ask) => failed_by(ask, why),
        Request::Raw(_) => Response::Raw(Err(error())),
        Request::LogBeyond(_) => Response::LogBeyond { watched: false },
        Request::Hand(_) => Response::Handed(Err(t!("internal lapel error").to_owned())),
        Request::Save(_) => Response::Saved(Err(NotSaved::Failed(t!("Internal error in lapel.").to_owned()))),
    }
}

async fn answer(
    ask: Request,
    link: Option<WorkerConnection>,
    helpers: &Helpers,
    context: RequestContext,
) -> Response {
    let connected = |result: Result<Session, String>| Response::Connected(result.map(Box::new));
    let (ask, call) = match ask {
        Request::Quiet(ask) => (*ask, Call::background()),
        ask => (ask, Call::interactive()),
    };
    match ask {
        Request::Pause(time) => {
            tokio::time::sleep(time).await;
            return Response::Paused;
        }
        Request::Ping(reader) => return Response::Pinged(reader.ping_now(&call).await),
        Request::StartSandbox => return connected((helpers.start_sandbox)().await),
        Request::TryProfile(candidate) => return connected(try_profile(*candidate, helpers).await),
        Request::Profiles => return Response::Profiles((helpers.profiles)().await),
        Request::OpenProfile(name) => return connected((helpers.open_profile)(name).await),
        Request::Pin { profile, prefix } => return connected((helpers.pin_profile)(profile, prefix).await),
        Request::Profile(ask) => return Response::Profile((helpers.profile)(*ask).await),
        Request::Note(to, text) => {
            let noted = tokio::task::spawn_blocking(move || paths::note(&to, text)).await;
            if let Ok(Err(why)) = noted {
                tracing::warn!(%why, "a note could not be written");
            }
            return Response::Paused;
        }
        Request::Hand(handing) => return Response::Handed(external::hand(handing).await),
        Request::View(ask) => return Response::View(saved_layout::file::run(ask).await),
        Request::Recents(ask) => {
            let broken = failed(&Request::Recents(ask.clone()));
            let done = tokio::task::spawn_blocking(move || Response::Recents(input_history::run(&ask))).await;
            return done.unwrap_or(broken);
        }
        Request::Filters(ask) => {
            let broken = failed(&Request::Filters(ask.clone()));
            let done =
                tokio::task::spawn_blocking(move || Response::Filters(saved_filters::run(&ask), ask)).await;
            return done.unwrap_or(broken);
        }
        _ => {}
    }
    let Some(WorkerConnection { reader, connection, jobs, gallery, index }) = link else {
        return failed(&ask);
    };
    match ask {
        Request::Templates(query) => Response::Templates(reader.templates(&query, &call).await),
        Request::Template(id) => Response::Template(Box::new(reader.template(&id, &call).await)),
        Request::Categories(filter) => Response::Categories(reader.categories(&filter, &call).await),
        Request::BadgeTypes => Response::BadgeTypes(reader.badge_types(&call).await),
        Request::History(query) => Response::History(reader.history(&query, &call).await),
        Request::Badge(id) => {
            let badge = reader.badge(&id, &call).await;
            if let Ok(badge) = &badge {
                index.note(badge, &reader).await;
            }
            Response::Badge(Box::new(badge))
        }
        Request::Index(ask) => {
            let progress = context.watch(|r: &crate::index::SyncProgress| (r.done, r.all));
            Response::Index(index::run(*ask, &index, &reader, progress, context.cancel.clone()).await)
        }
        Request::Holder(email, pages) => {
            let mut holder = holder(&reader, &email, pages, &call).await;
            if let Some(jobs) = &jobs {
                holder.sent = jobs.sent_to(&email).await.unwrap_or_default();
            }
            if holder.has_nothing() {
                holder.domains = index.domains().await;
                if let Some(jobs) = &jobs {
                    holder.domains.extend(jobs.domains().await.unwrap_or_default());
                }
            }
            Response::Holder(Box::new(holder))
        }
        Request::SentBadge(id) => Response::SentBadge(match &jobs {
            Some(jobs) => jobs.sent_badge(&id).await.unwrap_or_default(),
            None => Vec::new(),
        }),
        Request::Call(context) => {
            Response::Call(Box::new(lookup::run(context, &reader, &connection, &call).await))
        }
        Request::Holdings(template, email) => {
            let before = match &jobs {
                Some(jobs) => jobs.sent_before(&template, &email).await.ok().flatten(),
                None => None,
            };
            Response::Holdings(holdings(&reader, &template, &email, &call).await, before.map(Box::new))
        }
        Request::TemplateOf(id, email) => {
            Response::TemplateOf(template_of(&reader, &id, &email, &call).await)
        }
        Request::Export(order) => {
            let progress = context.watch(|p: &export::Progress| (p.rows, p.all.unwrap_or(0)));
            let call = Call::background().cancelled_by(context.cancel.clone());
            let exported = export::write(*order, &reader, &call, &progress).await;
            Response::Export(Box::new(exported.map_err(NotSaved::from)))
        }
        Request::Matching(ask) => {
            let progress = context.watch(|read: &(u64, u64)| *read);
            let call = Call::background().cancelled_by(context.cancel.clone());
            Response::Matching(Box::new(select_all::run(ask, &reader, &call, &progress).await))
        }
        Request::Picture(picture) => Response::Picture(gallery.load(*picture, &context.cancel).await),
        Request::Raw(of) => Response::Raw(reader.raw(&of, &call).await),
        Request::LogBeyond(no) => {
            reader.log_beyond(no).await;
            Response::LogBeyond { watched: true }
        }
        Request::Save(saving) => {
            let failed = |_| Err(NotSaved::Failed(t!("Internal error in lapel.").to_owned()));
            Response::Saved(
                tokio::task::spawn_blocking(move || paths::save(*saving)).await.unwrap_or_else(failed),
            )
        }
        Request::Pause(_)
        | Request::Ping(_)
        | Request::Note(..)
        | Request::StartSandbox
        | Request::TryProfile(_)
        | Request::Profiles
        | Request::OpenProfile(_)
        | Request::Profile(_)
        | Request::Pin { .. }
        | Request::Hand(_)
        | Request::View(_)
        | Request::Recents(_)
        | Request::Filters(_)
        | Request::Quiet(_) => failed(&ask),
        Request::Preview(path) => {
            let watch = Cancelled(context.cancel.clone());
            let read = tokio::task::spawn_blocking(move || file_preview::read(&path, &watch)).await;
            Response::Previewed(Box::new(
                read.unwrap_or_else(|_| Err(t!("Internal error in lapel.").to_owned())),
            ))
        }
        Request::Complete(text) => Response::Completed(
            tokio::task::spawn_blocking(move || paths::complete(&text)).await.unwrap_or_default(),
        ),
        Request::Jobs
        | Request::KeptDrafts
        | Request::Rows(_)
        | Request::SavedRows(_)
        | Request::Groups(_)
        | Request::Reasons
        | Request::Files
        | Request::OpenFile(..)
        | Request::OpenIds(..)
        | Request::DraftFile(_)
        | Request::DraftIds(_)
        | Request::Paper { .. }
        | Request::Mail(_)
        | Request::CheckDuplicates(_)
        | Request::Do(_) => match jobs {
            Some(jobs) => of_jobs(ask, &jobs, reader.clock(), context).await,
            None => failed(&ask),
        },
    }
}

/// Runs a request that needs the journal.
async fn of_jobs(ask: Request, jobs: &Jobs, clock: ServiceClock, context: RequestContext) -> Response {
    match ask {
        Request::Files => Response::Files(jobs.files().await.unwrap_or_default()),
        Request::OpenFile(source, choices) => {
            let progress = context.watch(|r: &Reading| (r.bytes_done, r.bytes_all));
            let opened = jobs.open_file(source, choices, progress, context.cancel.clone()).await;
            Response::Opened(Box::new(opened.map_err(|why| why.to_string())))
        }
        Request::OpenIds(source, choices) => {
            let progress = context.watch(|r: &Reading| (r.bytes_done, r.bytes_all));
            let opened = jobs.open_ids(source, choices, progress, context.cancel.clone()).await;
            Response::Opened(Box::new(opened.map_err(|why| why.to_string())))
        }
        Request::DraftFile(request) => {
            let progress = context.watch(|r: &Reading| (r.bytes_done, r.bytes_all));
            let drafted = jobs.draft_file(*request, progress, context.cancel.clone()).await;
            Response::Drafted(drafted_by(jobs, drafted, &context).await)
        }
        Request::DraftIds(request) => {
            let progress = context.watch(|r: &Reading| (r.bytes_done, r.bytes_all));
            let drafted = jobs.draft_ids(*request, progress, context.cancel.clone()).await;
            Response::Drafted(drafted_by(jobs, drafted.map(|id| vec![id]), &context).await)
        }
        Request::Paper { paper: Paper { job, redo, among }, to, format, overwrite } => {
            let written = if redo {
                jobs.redo(job, among, to, format, overwrite, context.cancel).await
            } else {
                jobs.receipt(job, among, to, format, overwrite, context.cancel).await
            };
            let exported = written.map(|written| Exported { written, read: None });
            Response::Export(Box::new(exported.map_err(NotSaved::from)))
        }
        Request::Mail(id) => Response::Mail(jobs.mail_failures(id).await.map_err(|why| why.to_string())),
        Request::CheckDuplicates(ids) => {
            let progress = context.watch(|g: &CheckProgress| (g.done, g.all));
            Response::DuplicateResult(
                job_command::check_duplicates(jobs, ids, &progress, &context.cancel).await,
            )
        }
        Request::KeptDrafts => Response::KeptDrafts(jobs.kept_drafts().await.map_err(|why| why.to_string())),
        Request::Jobs => Response::Jobs(jobs.list().await.map_err(|why| why.to_string())),
        Request::Rows(query) => Response::Rows(job_command::rows(jobs, query).await),
        Request::SavedRows(query) => Response::SavedRows(job_command::saved_rows(jobs, query, clock).await),
        Request::Groups(id) => Response::Groups(jobs.groups(id).await.unwrap_or_default()),
        Request::Reasons => Response::Reasons(jobs.reasons().await.unwrap_or_default()),
        Request::Do(command) => Response::Done(job_command::run(*command, jobs).await),
        other => failed(&other),
    }
}

/// The drafts as they are now. Removes them when nobody waits for them any more.
async fn drafted_by(
    jobs: &Jobs,
    drafted: Result<Vec<JobId>, JobError>,
    context: &RequestContext,
) -> Result<Vec<Job>, String> {
    let ids = drafted.map_err(|why| why.to_string())?;
    if context.cancel.is_cancelled() {
        for id in ids {
            let _ = jobs.discard(id).await;
        }
        return Ok(Vec::new());
    }
    job_command::keep(jobs, ids).await
}

/// The template of a badge, from its holder's history. The badge's own record does not contain it.
async fn template_of(
    reader: &Reader,
    id: &BadgeId,
    email: &str,
    call: &Call,
) -> Result<(TemplateId, Text), String> {
    let history = reader.history_of(email, HOLDER_PAGES, call).await.map_err(|error| {
        t!(
            "The template of this badge is unknown, because the holder's history could not be read: {error}",
            error
        )
    })?;
    let item = history.items.into_iter().find(|item| item.badge_id == *id).ok_or(
        t!("The history does not list this badge under its holder's e-mail address, so its template is unknown. Nothing was changed. Issue the corrected badge from Templates, and revoke this one when it is Issued."),
    )?;
    let template = item.template_id.ok_or(
        t!("The service does not give the template of this badge. Nothing was changed. Issue the corrected badge from Templates, and revoke this one when it is Issued."),
    )?;
    Ok((template, item.title.unwrap_or_default()))
}

/// The wallet and the history of one address, read in parallel.
async fn holder(reader: &Reader, email: &str, pages: u64, call: &Call) -> Holder {
    let (wallet, history) =
        tokio::join!(reader.wallet_of(email, pages, call), reader.history_of(email, pages, call));
    let requests = wallet.as_ref().map_or(1, |w| w.requests) + history.as_ref().map_or(1, |h| h.requests);
    let key = EmailKey::of(email);
    Holder {
        sent: Vec::new(),
        total_count: wallet.as_ref().ok().and_then(|w| w.total_count),
        wallet: wallet.map(|w| (w.items, w.complete)),
        history: history.map(|mut h| {
            h.items.retain(|item| item.is_of(&key));
            (h.items, h.complete)
        }),
        domains: BTreeSet::new(),
        requests,
    }
}
