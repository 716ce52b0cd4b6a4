//! The worker: runs the TUI's requests as tasks and sends the responses back.
//!
//! ```text
//! connection_slot     the connection in use, and its replacement
//! helpers             what the layer above provides: profiles, keys, the sandbox
//! index, select_all   requests to the local index; all matches of a filter
//! lookup              reads for a support call
//! job_command         commands for jobs
//! save_text           a text saved to a file
//! ```

mod connection_slot;
mod helpers;
pub(in crate::tui) mod index;
mod job_command;
mod lookup;
mod save_text;
mod select_all;

pub use helpers::Helpers;

use super::message::Message;
use super::request::{Flag, HolderInJournal, HolderLists, JobFile, NewDrafts, NotSaved, ProfileSession};
use crate::api::HOLDER_PAGES;
use crate::export::{self, Exported};
use crate::index::{Index, SyncProgress};
use crate::jobs::intake::{ReadProgress, TableContent};
use crate::jobs::{CheckProgress, FileRequest, JobError, Reading, holdings};
use crate::tui::input::paths;
use crate::tui::persist::{input_history, saved_filters, saved_layout};
use crate::tui::platform::{external, file_preview};
use crate::tui::prelude::*;
use connection_slot::{ConnectionSlot, Events, WorkerConnection};
use helpers::try_profile;
use index::{IndexSlot, MOST_DETAILS, MOST_RENEWALS};
use tokio::sync::{mpsc, watch};
use tokio::task::spawn_blocking;

pub enum WorkerCommand {
    Request(RequestId, Request),
    /// Nobody waits for this request any more.
    Cancel(RequestId),
    /// The user has stopped this read. Its response says so.
    Stop(RequestId),
    /// Use this connection from now on. Its messages carry this number.
    Connect(Box<ProfileSession>, u64),
}

/// Runs until the TUI drops its end of the channel.
pub async fn run(
    mut commands: mpsc::Receiver<WorkerCommand>,
    messages: mpsc::Sender<Message>,
    helpers: Helpers,
) {
    let mut running: HashMap<RequestId, ActiveRequest> = HashMap::new();
    let (done, mut finished) = mpsc::channel::<RequestId>(256);
    let mut slot = ConnectionSlot::default();
    let mut waiting: Vec<(RequestId, Request)> = Vec::new();
    let start = |id: RequestId,
                 request: Request,
                 link: Option<WorkerConnection>,
                 running: &mut HashMap<RequestId, ActiveRequest>| {
        let (token, stop) = (CancellationToken::new(), CancellationToken::new());
        // A request with consequences always runs to its end.
        if !request.has(Flag::Finish) {
            running.insert(id, ActiveRequest { cancel: token.clone(), stop: stop.clone() });
        }
        let (messages, done, helpers) = (messages.clone(), done.clone(), helpers.clone());
        tokio::spawn(async move {
            let (broken, own_end) = (request.failed(), request.has(Flag::OwnEnd));
            let stopped = request.failed_by(&ApiError::Cancelled);
            let context = RequestContext { id, messages: messages.clone(), cancel: token.clone() };
            // A task of its own turns a panic into a response, so that nothing waits for ever.
            let mut work = tokio::spawn(async move { respond(request, link, &helpers, context).await });
            let response = tokio::select! {
                () = token.cancelled(), if !own_end => {
                    work.abort();
                    None
                }
                () = stop.cancelled(), if !own_end => {
                    work.abort();
                    Some(stopped)
                }
                response = &mut work => (!token.is_cancelled()).then(|| response.ok().flatten().unwrap_or(broken)),
            };
            if let Some(response) = response {
                // A closed channel means that the TUI is ending.
                let _ = messages.send(Message::Response(Reply { id, response })).await;
            }
            let _ = done.send(id).await;
        });
    };
    loop {
        tokio::select! {
            command = commands.recv() => match command {
                None => break,
                Some(WorkerCommand::Cancel(id)) => {
                    waiting.retain(|(other, _)| *other != id);
                    if let Some(running) = running.remove(&id) {
                        running.cancel.cancel();
                    }
                }
                Some(WorkerCommand::Stop(id)) => {
                    if let Some(running) = running.get(&id) {
                        running.stop.cancel();
                    }
                }
                Some(WorkerCommand::Connect(session, number)) => {
                    for (_, running) in running.drain() {
                        running.cancel.cancel();
                    }
                    waiting.clear();
                    slot.change(session, Events { number, messages: messages.clone() });
                }
                Some(WorkerCommand::Request(id, request)) if slot.is_changing() && !request.has(Flag::Local) => {
                    waiting.push((id, request));
                }
                Some(WorkerCommand::Request(id, request)) => start(id, request, slot.link.clone(), &mut running),
            },
            () = slot.changed() => {
                for (id, request) in waiting.drain(..) {
                    start(id, request, slot.link.clone(), &mut running);
                }
            }
            Some(id) = finished.recv() => {
                running.remove(&id);
            }
        }
    }
    for (_, running) in running {
        running.cancel.cancel();
    }
}

struct ActiveRequest {
    cancel: CancellationToken,
    stop: CancellationToken,
}

struct RequestContext {
    id: RequestId,
    messages: mpsc::Sender<Message>,
    cancel: CancellationToken,
}

/// Ends the reading of a file when nobody waits for it any more.
impl ReadProgress for CancellationToken {
    fn progress(&self, _: u64, _: u64) {}

    fn is_cancelled(&self) -> bool {
        self.is_cancelled()
    }
}

impl RequestContext {
    /// A sender for progress. The TUI receives only as many updates as it can handle.
    fn watch<T: Default + Send + Sync + 'static>(
        &self,
        read: impl Fn(&T) -> (u64, u64) + Send + 'static,
    ) -> watch::Sender<T> {
        let (sender, mut receiver) = watch::channel(T::default());
        let (id, messages) = (self.id, self.messages.clone());
        tokio::spawn(async move {
            while receiver.changed().await.is_ok() {
                let (done, all) = read(&receiver.borrow_and_update());
                if messages.send(Message::Progress(id, done, all)).await.is_err() {
                    return;
                }
            }
        });
        sender
    }
}

/// Runs a request. `None` if it failed without a result, or if it needs a connection or a journal and has none.
#[expect(clippy::too_many_lines, reason = "a table: one arm for each request, and none may be missing")]
async fn respond(
    request: Request,
    link: Option<WorkerConnection>,
    helpers: &Helpers,
    context: RequestContext,
) -> Option<Response> {
    let connected = |result: Result<ProfileSession, String>| Response::Connected(result.map(Box::new));
    let (request, call) = match request {
        Request::Quiet(request) => (*request, Call::background()),
        request => (request, Call::interactive()),
    };
    let (reader, index) = link.as_ref().map(|link| (link.reader.clone(), link.index.clone())).unzip();
    let jobs = link.as_ref().and_then(|link| link.jobs.clone());
    let in_background = || Call::background().cancelled_by(context.cancel.clone());
    let reading = || context.watch(|r: &Reading| (r.bytes_done, r.bytes_all));
    let syncing = || context.watch(|r: &SyncProgress| (r.done, r.all));
    Some(match request {
        Request::Templates(query) => Response::Templates(reader?.templates(&query, &call).await),
        Request::Template(id) => Response::Template(Box::new(reader?.template(&id, &call).await)),
        Request::Categories(filter) => Response::Categories(reader?.categories(&filter, &call).await),
        Request::BadgeTypes => Response::BadgeTypes(reader?.badge_types(&call).await),
        Request::History(query) => Response::History(reader?.history(&query, &call).await),
        Request::Badge(id) => Response::Badge(Box::new(badge(&id, &reader?, &index?, &call).await)),
        Request::SentBadge(id) => Response::SentBadge(text_error(badge_in_journal(id, &jobs?).await)),
        Request::SentAlike(address, name) => {
            Response::SentAlike(text_error(jobs?.sent_alike(address, name).await))
        }
        Request::Holder(email, pages) => {
            let mut read = holder(&reader?, &email, pages, &call).await;
            add_journal(&mut read, &email, jobs.as_ref(), &index?).await;
            Response::Holder(Box::new(read))
        }
        Request::Domains => Response::Domains(known_domains(jobs.as_ref(), &index?).await),
        Request::Leads(leads) => Response::Leads(lookup::rows(&reader?, leads, &call).await),
        Request::TryPictures(id, urls) => {
            Response::TriedPictures(lookup::pictures(&id, urls, &reader?, &link?.connection, &call).await)
        }
        Request::Holdings(template, email) => {
            let (before, loss) = match jobs {
                Some(jobs) => (
                    jobs.sent_before(&template, &email).await.ok().flatten(),
                    jobs.recent_loss().await.ok().flatten(),
                ),
                None => (None, None),
            };
            let held = holdings(&reader?, &template, &email, &call).await;
            Response::Holdings(held, before.map(Box::new), loss)
        }
        Request::TemplateOf(id, email) => {
            Response::TemplateOf(template_of(&reader?, &id, &email, &call).await)
        }
        Request::Raw(of) => Response::Raw(reader?.raw(&of, &call).await),
        Request::Matching(filter) => {
            let progress = context.watch(|read: &(u64, u64)| *read);
            let found = select_all::run(filter, &reader?, &in_background(), &progress).await;
            Response::Matching(Box::new(found))
        }
        Request::Export(order) => {
            let progress = context.watch(|p: &export::Progress| (p.rows, p.all.unwrap_or(0)));
            let exported = export::write(*order, &reader?, &in_background(), &progress).await;
            Response::Export(Box::new(exported.map_err(NotSaved::from)))
        }
        Request::Picture(picture) => Response::Picture(link?.gallery.load(*picture, &context.cancel).await),
        Request::LogBeyond(number) => {
            reader?.log_beyond(number).await;
            Response::LogBeyond(Some(()))
        }
        Request::Ping(reader) => Response::Pinged(reader.ping_now(&call).await),

        Request::Jobs => Response::Jobs(text_error(jobs?.list().await)),
        Request::KeptDrafts => Response::KeptDrafts(text_error(jobs?.kept_drafts().await)),
        Request::RecentLoss => Response::RecentLoss(jobs?.recent_loss().await.ok().flatten()),
        Request::Rows(query) => Response::Rows(job_command::rows(&jobs?, query).await),
        Request::SavedRows(query, to_file) => {
            Response::SavedRows(job_command::saved_rows(&jobs?, query, to_file, reader?.clock()).await)
        }
        Request::PlaceOfRow(query, no) => {
            Response::PlaceOfRow(job_command::place_of(&jobs?, query, no).await)
        }
        Request::LastDecided(ids) => Response::LastDecided(text_error(jobs?.last_decided(&ids).await)),
        Request::EqualBefore(id, no) => Response::EqualBefore(jobs?.equal_before(id, no).await.ok()),
        Request::Groups(id, all) => {
            let jobs = jobs?;
            let needed = job_command::requests_needed(&jobs, &all).await;
            Response::Groups(jobs.groups(id).await.unwrap_or_default(), needed)
        }
        Request::Reasons => Response::Reasons(jobs?.reasons().await.unwrap_or_default()),
        Request::Files => Response::Files(jobs?.files().await.unwrap_or_default()),
        Request::OpenFile(source, choices) => {
            let (jobs, wanted) = (jobs?, TableContent::Recipients);
            let opened = jobs.open_file(wanted, source, choices, reading(), context.cancel.clone()).await;
            Response::Opened(Box::new(text_error(opened)))
        }
        Request::OpenIds(source, choices) => {
            let (jobs, wanted) = (jobs?, TableContent::BadgeIds);
            let opened = jobs.open_file(wanted, source, choices, reading(), context.cancel.clone()).await;
            Response::Opened(Box::new(text_error(opened)))
        }
        Request::DraftFile(request, replaced) => {
            let (jobs, indexed, progress) = (jobs?, index?.domains().await, reading());
            let drafted = draft_file(&jobs, *request, indexed, &replaced, progress, &context.cancel).await;
            Response::Drafted(drafted_by(&jobs, drafted, &context).await)
        }
        Request::DraftIds(request) => {
            let jobs = jobs?;
            let drafted = jobs.draft_ids(*request, reading(), context.cancel.clone()).await;
            Response::Drafted(drafted_by(&jobs, drafted.map(|id| (vec![id], 0)), &context).await)
        }
        Request::CompareFile(ids) => Response::Compared(Box::new(text_error(jobs?.compare_file(&ids).await))),
        Request::CheckDuplicates(ids) => {
            let progress = context.watch(|g: &CheckProgress| (g.done, g.all));
            let checked = job_command::check_duplicates(&jobs?, ids, &progress, &context.cancel).await;
            Response::DuplicateResult(checked)
        }
        Request::JobFile(JobFile { job, redo, among }, to, format, overwrite) => {
            let (jobs, cancel) = (jobs?, context.cancel);
            let written = if redo {
                jobs.redo(job, among, to, format, overwrite, cancel).await
            } else {
                jobs.receipt(job, among, to, format, overwrite, cancel).await
            };
            let exported = written.map(|written| Exported { written, read: None });
            Response::Export(Box::new(exported.map_err(NotSaved::from)))
        }
        Request::Mail(id) => Response::Mail(text_error(jobs?.mail_failures(id).await)),
        Request::Do(command) => Response::Done(job_command::run(*command, &jobs?, &index?, &link?.who).await),

        Request::TurnOnIndex => Response::IndexOn(text_error(index?.turn_on().await)),
        Request::Sync(want) => {
            let (reader, progress, cancel) = (reader?, syncing(), context.cancel);
            let read = async |index: Index| index.sync(&reader, want, &progress, cancel).await;
            Response::Synced(index?.ask(read).await)
        }
        Request::Sums(period) => Response::Sums(index?.overall(&reader?, period).await.map(Box::new)),
        Request::IndexCoverage(filter) => {
            Response::IndexCoverage(index?.coverage(&filter, reader?.clock().now()).await)
        }
        Request::IndexList(query) => Response::IndexList(index?.list(query, &reader?).await),
        Request::FindCert(number) => Response::FoundCerts(index?.find_cert(&number).await),
        Request::People(email, name) => Response::People(index?.find_people(email, name).await),
        Request::WithoutDetails(list) => {
            let read = async |index: Index| index.without_details(list, MOST_DETAILS).await;
            Response::WithoutDetails(index?.ask(read).await)
        }
        Request::Details(badges, number) => {
            let (reader, number) = (reader?, number.as_deref());
            let (progress, cancel) = (syncing(), context.cancel);
            let read =
                async |index: Index| index.read_details(&reader, badges, number, &progress, cancel).await;
            Response::Details(index?.ask(read).await)
        }
        Request::Renewals(list) => {
            let read = async |index: Index| index.renewals(list, MOST_RENEWALS).await;
            Response::Renewals(index?.ask(read).await)
        }
        Request::IndexMails => Response::IndexMails(index?.failed_mails().await),
        Request::IndexExport(list) => {
            Response::IndexExport(index?.exported(list, reader?.clock().now()).await)
        }

        Request::Complete(typed) => {
            Response::Completed(spawn_blocking(move || paths::complete(&typed)).await.ok()?)
        }
        Request::Preview(path) => {
            let read = spawn_blocking(move || file_preview::read(&path, &context.cancel)).await.ok()?;
            Response::Previewed(Box::new(read))
        }
        Request::Save(saving) => Response::Saved(spawn_blocking(move || save_text::run(*saving)).await.ok()?),
        Request::RunProgram(call) => Response::RanProgram(external::run_first(call).await),
        Request::View(request) => Response::View(saved_layout::layout_file::run(request).await),
        Request::Recents(request) => {
            Response::Recents(spawn_blocking(move || input_history::run(&request)).await.ok()?)
        }
        Request::Filters(request) => {
            spawn_blocking(move || Response::Filters(saved_filters::run(&request), request)).await.ok()?
        }
        Request::Note(to, text) => {
            if let Err(why) = spawn_blocking(move || paths::note(&to, text)).await.ok()? {
                tracing::warn!(%why, "a note could not be written");
            }
            Response::Paused
        }

        Request::Profiles => Response::Profiles((helpers.profiles)().await),
        Request::Profile(request) => Response::Profile((helpers.profile)(*request).await),
        Request::OpenProfile(name) => connected((helpers.open_profile)(name).await),
        Request::StartSandbox => connected((helpers.start_sandbox)().await),
        Request::TryProfile(candidate) => connected(try_profile(*candidate, helpers).await),
        Request::Pin(profile, prefix) => connected((helpers.pin_profile)(profile, prefix).await),
        // The loop of the TUI keeps pauses itself.
        Request::Pause(_) | Request::Quiet(_) => return None,
    })
}

fn text_error<T, E: ToString>(result: Result<T, E>) -> Result<T, String> {
    result.map_err(|why| why.to_string())
}

/// Reads a badge, and notes its details in the index.
async fn badge(id: &BadgeId, reader: &Reader, index: &IndexSlot, call: &Call) -> Result<Badge, ApiError> {
    let badge = reader.badge(id, call).await?;
    index.note(&badge, reader).await;
    Ok(badge)
}

/// The drafts of a file, and how many decisions of the replaced drafts no longer apply.
async fn draft_file(
    jobs: &Jobs,
    request: FileRequest,
    indexed: Vec<(String, u64)>,
    replaced: &[JobId],
    progress: watch::Sender<Reading>,
    cancel: &CancellationToken,
) -> Result<(Vec<JobId>, u64), JobError> {
    let new = jobs.draft_file(request, indexed.clone(), progress, cancel.clone()).await?;
    let lost = jobs.keep_decisions(replaced, &new, &indexed).await?;
    Ok((new, lost))
}

/// Removes the drafts when nobody waits for them any more.
async fn drafted_by(
    jobs: &Jobs,
    drafted: Result<(Vec<JobId>, u64), JobError>,
    context: &RequestContext,
) -> Result<NewDrafts, String> {
    let (ids, lost) = text_error(drafted)?;
    if context.cancel.is_cancelled() {
        for id in ids {
            let _ = jobs.discard(id).await;
        }
        return Ok(NewDrafts::default());
    }
    Ok(NewDrafts { jobs: job_command::keep(jobs, ids).await?, lost })
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

/// See [`Jobs::known_domains`]. Without a journal, those of the index.
async fn known_domains(jobs: Option<&Jobs>, index: &IndexSlot) -> Vec<(String, u64)> {
    let indexed = index.domains().await;
    match jobs {
        Some(jobs) => jobs.known_domains(&indexed).await.unwrap_or(indexed),
        None => indexed,
    }
}

async fn holder(reader: &Reader, email: &str, pages: u64, call: &Call) -> HolderLists {
    let (wallet, history) =
        tokio::join!(reader.wallet_of(email, pages, call), reader.history_of(email, pages, call));
    let requests = wallet.as_ref().map_or(1, |w| w.requests) + history.as_ref().map_or(1, |h| h.requests);
    let total_count = wallet.as_ref().ok().and_then(|w| w.total_count);
    let key = EmailKey::of(email);
    let of_holder = history.map(|mut h| {
        h.items.retain(|item| item.is_of(&key));
        (h.items, h.complete)
    });
    let lists = HolderLists::of(wallet.map(|w| (w.items, w.complete)), of_holder);
    HolderLists { total_count, requests, ..lists }
}

async fn holder_in_journal(
    holder: &HolderLists,
    email: &str,
    jobs: &Jobs,
) -> Result<HolderInJournal, JobError> {
    let sent = jobs.sent_to(email).await?;
    let of_wallet = holder.wallet.iter().flat_map(|(badges, _)| badges).map(|badge| &badge.badge_id);
    let of_history = holder.history.iter().flat_map(|(rows, _)| rows).map(|row| &row.badge_id);
    let of_sent = sent.iter().filter_map(|one| one.badge_id.as_ref());
    let badges: HashSet<&BadgeId> = of_wallet.chain(of_history).chain(of_sent).collect();
    let to_revoke = jobs.planned_revocations(badges.into_iter().cloned().collect()).await?;
    Ok(HolderInJournal { requested: times(&jobs.requested(email).await?), sent, to_revoke })
}

async fn badge_in_journal(id: BadgeId, jobs: &Jobs) -> Result<HolderInJournal, JobError> {
    let sent = jobs.sent_badge(&id).await?;
    let to_revoke = jobs.planned_revocations(vec![id]).await?;
    Ok(HolderInJournal { requested: times(&sent), sent, to_revoke })
}

/// Of several requests for a badge, the newest one counts.
fn times(sent: &[SentHere]) -> HashMap<BadgeId, Timestamp> {
    sent.iter().rev().filter_map(|one| Some((one.badge_id.clone()?, one.at))).collect()
}

/// Adds what the journal has about a holder. For one without badges, also the known domains, which may show that the
/// address is misspelled.
async fn add_journal(holder: &mut HolderLists, email: &str, jobs: Option<&Jobs>, index: &IndexSlot) {
    if let Some(jobs) = jobs {
        holder.journal = text_error(holder_in_journal(holder, email, jobs).await);
    }
    if holder.has_nothing() {
        holder.domains = known_domains(jobs, index).await.into_iter().map(|(domain, _)| domain).collect();
    }
}
