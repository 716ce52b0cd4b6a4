//! `lapel templates | template | categories | category | badge-types | history | wallet | badge`: reads and
//! exports records. These verbs change nothing and need no journal.

mod flags;
mod out;
mod sent;
mod table;

pub use flags::ReadVerb;

use super::connection::{connect, connection, journal_place_of};
use super::interrupt::Interrupt;
use super::progress::ProgressBar;
use super::{job_text, session, template};
use crate::api::{HOLDER_PAGES, ReadTotals};
use crate::cli::prelude::*;
use crate::config::{GlyphChoice, templates_file};
use crate::domain::{BadgeId, CategoryId, EmailKey, HistoryItem, RecordProblem, State, Template, Verdict};
use crate::export::{
    self, Cost, ExportContent, ExportError, ExportFormat, ExportRequest, ExportRow, List, Record, RecordNoun,
    RecordShape, Walk,
};
use crate::jobs::{Account, JobId, JournalError, RecentEntry, SentHere, remember_templates};
use crate::table::{TableError, TableFormat};
use flags::{OutFlags, WalletFlags};
use out::ListOutput;
use sent::{sent_json, sent_said, waiting_said, with_plan};
use std::collections::{BTreeSet, HashMap};
use std::io::{self, ErrorKind, IsTerminal};

pub async fn read(verb: ReadVerb, settings: &Settings) -> Result<u8, Failure> {
    let mut context = ReadContext::open(settings).await?;
    Box::pin(context.run(&verb)).await
}

struct ReadContext {
    reader: Reader,
    interrupt: Interrupt,
    progress: ProgressBar,
    glyphs: GlyphChoice,
    /// Where lapel's journal is, and the account whose jobs count.
    journal: (JournalPlace, Account),
    /// The file for the templates that are read, unless nothing is kept.
    templates: Option<PathBuf>,
    /// Fields of the JSON besides the list.
    beside: Map<String, Value>,
    /// The ids of the badges of a wallet that were printed; `None` for other lists.
    printed: Option<BTreeSet<String>>,
    /// The lowest exit code that is still right: something beside the list could not be read.
    at_least: u8,
}

/// What lapel has sent, and the jobs that revoke badges as soon as they are issued.
type SentAndPlanned = (Vec<SentHere>, HashMap<BadgeId, JobId>);

struct PrintedRecords {
    names: Vec<String>,
    first: &'static [&'static str],
    rows: Vec<ExportRow>,
    problems: Vec<RecordProblem>,
    /// Text for standard error.
    said: Option<String>,
    about: Map<String, Value>,
}

impl ReadContext {
    async fn open(settings: &Settings) -> Result<Self, Failure> {
        let profile = session::profile(settings)?;
        let connection = connection(profile, &settings.paths)?;
        let reader = connect(&connection)?.reader().clone();
        let account =
            Account::of(&profile.name, &connection).of_organisation(profile.organisation.as_deref());
        let place = journal_place_of(&connection, profile, &settings.paths);
        if let Some(offset) = place.known_offset(&account) {
            reader.recall_offset(offset);
        }
        session::recognised(&reader, &connection).await?;
        Ok(Self {
            reader,
            interrupt: Interrupt::reading(),
            progress: ProgressBar::new(),
            glyphs: settings.ui.glyphs,
            journal: (place, account),
            templates: settings.app.recent.then(|| templates_file(&settings.paths.data_dir, &profile.name)),
            beside: Map::new(),
            printed: None,
            at_least: exit::OK,
        })
    }

    /// Badges sent by lapel: one that the service does not show, or all to an e-mail address. `None` and a
    /// message if the journal cannot be read or jobs are in another one. Without a journal, none was sent.
    /// Also the jobs that revoke such badges, and these waiting ones, as soon as they are issued.
    async fn sent(&self, of: Result<&BadgeId, &str>, waiting: &[HistoryItem]) -> Option<SentAndPlanned> {
        let (place, account) = &self.journal;
        if place.is_missing() {
            return Some(SentAndPlanned::default());
        }
        let read = async {
            let (journal, elsewhere) = place.open_to_look(account).await?;
            let sent = match of {
                Ok(badge) => journal.sent_badge(account, badge).await?,
                Err(email) => journal.sent_to(account, email).await?,
            };
            let ids = waiting.iter().map(|item| &item.badge_id);
            let ids = ids.chain(sent.iter().filter_map(|one| one.badge_id.as_ref())).chain(of.ok());
            let ids = ids.cloned().collect();
            Ok::<_, JournalError>(((sent, journal.planned_revocations(account, ids).await?), elsewhere))
        };
        match read.await {
            Ok((found, None)) => Some(found),
            Ok((found, Some(why))) => {
                output::complain(&why.to_string());
                Some(found).filter(|(sent, _)| !sent.is_empty())
            }
            Err(why) => {
                output::complain(&crate::jobs::not_read(&why.to_string()).to_string());
                None
            }
        }
    }

    async fn run(&mut self, verb: &ReadVerb) -> Result<u8, Failure> {
        let out = verb.out();
        let call = Call::interactive().cancelled_by(self.interrupt.token());
        let missing = || Failure::usage(t!("The id is empty. No request was made."));
        match verb {
            ReadVerb::Templates(verb) => self.list(verb.list(), verb.pages.all, out).await,
            ReadVerb::History(verb) => {
                if let Some(odd) = verb.odd_dates() {
                    output::complain(&odd);
                }
                self.list(verb.list(), verb.pages.all, out).await
            }
            ReadVerb::Wallet(verb) => self.wallet(verb, &call, out).await,
            ReadVerb::Template(verb) => {
                let found = template::find(&self.reader, &verb.id, &call).await;
                let found = found.map_err(|failure| self.broken_off_by(failure))?;
                self.one("template", Ok(found.detail), out).await
            }
            ReadVerb::Category(verb) => {
                let id = CategoryId::new(verb.id.as_str()).ok_or_else(missing)?;
                self.one("category", self.reader.category(&id, &call).await, out).await
            }
            ReadVerb::Badge(verb) => {
                let id = BadgeId::new(verb.id.as_str()).ok_or_else(missing)?;
                let read = self.reader.badge(&id, &call).await;
                let unknown = matches!(read, Err(ApiError::NotFound(_)));
                let now = self.reader.clock().now();
                let waits =
                    read.as_ref().is_ok_and(|badge| Verdict::of(badge, now).state() == State::Waiting);
                let given = self.one("badge", read, out).await;
                match (given, unknown) {
                    (Err(mut failure), true) => {
                        let (sent, planned) = self.sent(Ok(&id), &[]).await.unwrap_or_default();
                        for sent in sent {
                            let said = sent_said(&sent, true, &self.reader.clock());
                            let said = with_plan(said, planned.get(&id));
                            failure.message = format!("{said} {}", failure.message);
                        }
                        Err(failure)
                    }
                    (given, _) if waits => {
                        let (_, planned) = self.sent(Ok(&id), &[]).await.unwrap_or_default();
                        if let Some(job) = planned.get(&id) {
                            output::complain(&t!(
                                "Job {job} revokes this badge as soon as it is issued.",
                                job
                            ));
                        }
                        given
                    }
                    (given, _) => given,
                }
            }
            ReadVerb::Categories(verb) => {
                let read = self.reader.categories(&verb.filter(), &call).await;
                let read = read.map_err(|why| self.broken_off(why))?;
                let now = self.reader.clock().now();
                let shape = crate::domain::Category::SHAPE;
                let rows: Vec<ExportRow> = read.items.iter().map(|one| ExportRow::of(one, now)).collect();
                let said = shape.noun.counted(rows.len() as u64);
                self.give(
                    PrintedRecords {
                        said: Some(t!("{rows} in total.", rows = said)),
                        ..PrintedRecords::of(shape, rows, read.problems)
                    },
                    out,
                )
                .await
            }
            ReadVerb::BadgeTypes(_) => {
                let read = self.reader.badge_types(&call).await.map_err(|why| self.broken_off(why))?;
                let (names, rows) = export::badge_types(&read.types);
                let said = read.note.as_ref().map(ToString::to_string);
                let about = json::fields(json!({ "note": said }));
                self.give(
                    PrintedRecords { names, first: &[], rows, problems: read.problems, said, about },
                    out,
                )
                .await
            }
        }
    }

    /// A wallet, and beside it what was sent from here and what waits in the history.
    async fn wallet(&mut self, verb: &WalletFlags, call: &Call, out: &OutFlags) -> Result<u8, Failure> {
        self.printed = Some(BTreeSet::new());
        let waiting = self.only_in_history(&verb.email, call).await;
        let listed = waiting.as_ref().map_or(&[][..], |(all, _)| all.as_slice());
        let found = self.sent(Err(&verb.email), listed).await;
        let all = found.as_ref().map(|(sent, _)| sent.iter().map(sent_json).collect::<Vec<Value>>());
        self.beside.insert("sent_from_here".to_owned(), all.into());
        if !matches!(waiting, Ok((_, true))) {
            self.at_least = exit::PERSON;
        }
        let now = self.reader.clock().now();
        // What was not read is not empty.
        let rows = match &waiting {
            Ok((all, true)) => all.iter().map(|item| ExportRow::of(item, now).json).collect(),
            Ok((_, false)) | Err(_) => Value::Null,
        };
        self.beside.insert("waiting_in_history".to_owned(), rows);
        let code = self.list(verb.list(), verb.pages.all, out).await?;
        let printed = self.printed.take().unwrap_or_default();
        let is_printed =
            |one: &&SentHere| one.badge_id.as_ref().is_some_and(|id| printed.contains(id.wire()));
        let (sent, planned) = found.unwrap_or_default();
        let is_listed = |one: &SentHere| {
            one.badge_id.as_ref().is_some_and(|id| listed.iter().any(|item| item.badge_id == *id))
        };
        let sent: Vec<&SentHere> = sent.iter().filter(|one| !is_printed(one)).collect();
        for one in sent.iter().filter(|one| !is_listed(one)) {
            let said = sent_said(one, matches!(waiting, Ok((_, true))), &self.reader.clock());
            let job = one.badge_id.as_ref().and_then(|id| planned.get(id));
            output::complain(&with_plan(said, job));
        }
        for item in listed {
            let from = sent.iter().find(|one| one.badge_id.as_ref() == Some(&item.badge_id));
            let said = waiting_said(item, from.copied(), &self.reader.clock());
            output::complain(&with_plan(said, planned.get(&item.badge_id)));
        }
        match &waiting {
            Ok((_, true)) => {}
            Ok((_, false)) => output::complain(t!(
                "Not everything could be read. Badges that wait to be issued may be missing here."
            )),
            Err(why) => output::complain(&t!(
                "The history or the wallet could not be read, so badges that wait to be issued may be missing here. {why}",
                why
            )),
        }
        Ok(code)
    }

    /// Waiting badges of an address that its wallet does not list. Reads the wallet only if badges wait. Also
    /// returns whether both were read to their ends.
    async fn only_in_history(&self, email: &str, call: &Call) -> Result<(Vec<HistoryItem>, bool), ApiError> {
        let (reader, key, now) = (&self.reader, EmailKey::of(email), self.reader.clock().now());
        let history = reader.history_of(email, HOLDER_PAGES, call).await?;
        let mut waiting = history.items;
        waiting.retain(|item| item.is_of(&key) && Verdict::of(item, now).state() == State::Waiting);
        if waiting.is_empty() {
            return Ok((waiting, history.complete));
        }
        let wallet = reader.wallet_of(email, HOLDER_PAGES, call).await?;
        waiting.retain(|item| wallet.items.iter().all(|badge| badge.badge_id != item.badge_id));
        Ok((waiting, history.complete && wallet.complete))
    }

    async fn one<R: Record>(
        &mut self,
        noun: &str,
        read: Result<R, ApiError>,
        out: &OutFlags,
    ) -> Result<u8, Failure> {
        let record = read.map_err(|why| self.broken_off(why))?;
        let row = ExportRow::of(&record, self.reader.clock().now());
        if out.json {
            let answer = json!({ "ok": true, "exit_code": exit::OK, noun: row.json });
            output::answer(&json::line(&answer))?;
            return Ok(exit::OK);
        }
        if out.jsonl || out.csv || out.xlsx.is_some() {
            return self.give(PrintedRecords::of(R::SHAPE, vec![row], Vec::new()), out).await;
        }
        let lines = table::one(&R::SHAPE.names(), &row, self.glyphs);
        let written = output::answer(&lines.join("\n"));
        self.say_zone();
        written?;
        Ok(exit::OK)
    }

    async fn list(&mut self, list: List, all: bool, out: &OutFlags) -> Result<u8, Failure> {
        if all {
            return match &out.xlsx {
                Some(to) => self.file(ExportContent::List(list), to.clone(), out).await,
                None => self.all(list, out).await,
            };
        }
        let call = Call::interactive().cancelled_by(self.interrupt.token());
        let asked = list.paging().clone();
        let shape = *list.shape();
        let read = export::first_page(list, &self.reader, &call).await;
        let (_, page) = read.map_err(|why| self.broken_off(why))?;
        let rows_per_page = page.rows_per_page.unwrap_or(asked.rows_per_page.into());
        let at = page.page.unwrap_or(asked.page);
        let about = json::fields(json!({
            "total_count": page.total_count,
            "page": at,
            "rows_per_page": rows_per_page,
        }));
        let rows: Vec<ExportRow> = page.items.into_iter().map(|(_, row)| row).collect();
        self.remember(&shape, &rows);
        self.note(&rows);
        let rows_said = shape.noun.counted(rows.len() as u64);
        let said = match page.total_count {
            Some(total) if total > page.list_len as u64 => t!(
                "page {number}: {rows} of {total}. Other pages: --page N. All pages: --all.",
                number = at,
                rows = rows_said,
                total = number(total)
            ),
            Some(total) => {
                t!("page {number}: {rows} of {total}.", number = at, rows = rows_said, total = number(total))
            }
            None => t!(
                "page {number}: {rows}. The service gives no total. All pages: --all.",
                number = at,
                rows = rows_said
            ),
        };
        self.give(
            PrintedRecords { said: Some(said), about, ..PrintedRecords::of(shape, rows, page.problems) },
            out,
        )
        .await
    }

    fn note(&mut self, rows: &[ExportRow]) {
        if let Some(printed) = &mut self.printed {
            printed.extend(rows.iter().map(|row| row.id.clone()));
        }
    }

    /// Keeps templates for the completion of a command line. A failure costs only words there.
    fn remember(&self, shape: &RecordShape, rows: &[ExportRow]) {
        let (Some(file), true) = (&self.templates, shape.noun == RecordNoun::Template) else { return };
        let title = Template::SHAPE.names().iter().position(|name| name == "title");
        let title = |row: &ExportRow| title.and_then(|at| row.cells.get(at)).cloned().unwrap_or_default();
        let read: Vec<RecentEntry> =
            rows.iter().map(|row| RecentEntry { id: row.id.clone(), title: title(row) }).collect();
        let _ = remember_templates(file, &read);
    }

    async fn all(&mut self, list: List, flags: &OutFlags) -> Result<u8, Failure> {
        let call = Call::background().cancelled_by(self.interrupt.token());
        let shape = *list.shape();
        let reader = self.reader.clone();
        let mut walk = Walk::new(&reader, list, &call);
        let mut out = match ListOutput::new(flags, shape.names(), shape.first, self.glyphs) {
            Ok(out) => out,
            Err(why) => return cut_off(why),
        };
        let mut given = 0;
        loop {
            let rows = match walk.next().await {
                Ok(Some(rows)) => rows,
                Ok(None) => break,
                Err(why) => {
                    let failure = self.broken_off_after(why, &out, given, shape.noun);
                    // The table may still hold back its first rows.
                    return match out.finish() {
                        Err(why) if why.kind() == ErrorKind::BrokenPipe => Ok(exit::OK),
                        _ => Err(failure),
                    };
                }
            };
            let far = walk.progress();
            if !out.is_seen() {
                let pace = reader.link_now().background;
                self.progress.at(&doing(&far, pace), far.rows, far.all.unwrap_or(0));
            }
            if given == 0 {
                self.remember(&shape, &rows);
            }
            self.note(&rows);
            given += rows.len() as u64;
            if let Err(why) = out.rows(rows) {
                self.progress.clear();
                return cut_off(why);
            }
        }
        self.progress.clear();
        let read = walk.finish().ok_or_else(|| {
            Failure::new("internal", t!("lapel did not reach the end of the list. Nothing was changed."))
        })?;
        let complete = read.end.is_complete();
        let code = code_of(&read).max(self.at_least);
        let summary = export::summary(&read, shape.noun);
        let about = json::fields(json!({
            "complete": complete,
            "why": (!complete).then_some(&summary),
            "total_count": read.total_count,
            "requests": read.requests,
            "left_meanwhile": read.gone,
        }));
        self.end(out.finish(), flags, code, (about, &read.problems), &[summary])
    }

    /// `about`: more fields of the JSON. `said`: for standard error.
    fn end(
        &self,
        written: io::Result<(Option<String>, Vec<Value>)>,
        flags: &OutFlags,
        code: u8,
        (about, bad): (Map<String, Value>, &[RecordProblem]),
        said: &[String],
    ) -> Result<u8, Failure> {
        let (remark, rows) = match written {
            Ok(ended) => ended,
            Err(why) => return cut_off(why),
        };
        if flags.json {
            let mut answer = head(code);
            answer.extend(about);
            answer.extend(json::fields(json!({ "list": rows, "problems": problems(bad) })));
            answer.extend(self.beside.clone());
            output::answer(&json::line(&answer.into()))?;
        }
        remark.iter().chain(said).for_each(|line| output::complain(line));
        self.say_zone_beside(flags);
        Ok(code)
    }

    async fn give(&mut self, found: PrintedRecords, flags: &OutFlags) -> Result<u8, Failure> {
        let PrintedRecords { names, first, rows, problems: bad, said, about } = found;
        let code = if bad.is_empty() { self.at_least } else { exit::PERSON };
        let unread =
            |it: &RecordProblem| t!("cannot read a record ({place}: {why})", place = it.place, why = it.why);
        let said: Vec<String> = said.into_iter().chain(bad.iter().map(unread)).collect();
        if let Some(to) = &flags.xlsx {
            let written = self.file(ExportContent::Rows(names, rows), to.clone(), flags).await?;
            for line in &said {
                output::complain(line);
            }
            return Ok(code.max(written));
        }
        let written = ListOutput::new(flags, names, first, self.glyphs).and_then(|mut out| {
            out.rows(rows)?;
            out.finish()
        });
        self.end(written, flags, code, (about, &bad), &said)
    }

    async fn file(&mut self, what: ExportContent, to: PathBuf, flags: &OutFlags) -> Result<u8, Failure> {
        let noun = match &what {
            ExportContent::List(list) => list.shape().noun,
            ExportContent::Rows(..) => RecordNoun::Row,
        };
        let call = Call::background().cancelled_by(self.interrupt.token());
        let order =
            ExportRequest { what, to, kind: ExportFormat::Table(TableFormat::Xlsx), overwrite: flags.force };
        let (progress, told) = watch::channel(export::Progress::default());
        let reader = self.reader.clone();
        let pace = reader.link_now().background;
        let words = |far: &export::Progress| (doing(far, pace), far.rows, far.all.unwrap_or(0));
        let done = self.progress.during(told, words, export::write(order, &reader, &call, &progress)).await;
        self.progress.clear();
        let done = match done {
            Ok(done) => done,
            Err(ExportError::Service(why)) => {
                return Err(self.broken_off(why).nothing_saved());
            }
            Err(ExportError::File(why)) => return Err(of_file(&why)),
        };
        let path = scrub(&done.written.path.to_string_lossy()).into_owned();
        let rows = count!(done.written.rows, "row", "rows");
        output::answer(&t!("Saved {rows} to {path}.", rows, path))?;
        done.written.remarks().iter().for_each(|remark| output::complain(remark));
        self.say_zone();
        let Some(read) = done.read else { return Ok(exit::OK) };
        output::complain(&export::summary(&read, noun));
        Ok(code_of(&read).max(self.at_least))
    }

    /// Names the zone only where a person reads a table: the rows themselves have none.
    fn say_zone_beside(&self, flags: &OutFlags) {
        if io::stdout().is_terminal() && !flags.json && !flags.jsonl {
            self.say_zone();
        }
    }

    /// Names the zone only where a person reads standard error.
    fn say_zone(&self) {
        if io::stderr().is_terminal() {
            output::complain(&job_text::zone(&self.reader.clock()));
        }
    }

    fn broken_off(&self, why: ApiError) -> Failure {
        if self.interrupt.is_wanted() {
            let what = t!("Stopped before everything was read. Nothing was changed.");
            return Failure::new("given_up", what).at_least(exit::STOPPED);
        }
        why.into()
    }

    /// The exit code of a record that does not exist is 1.
    fn broken_off_by(&self, failure: Failure) -> Failure {
        match failure.kind.as_str() {
            _ if self.interrupt.is_wanted() => self.broken_off(ApiError::Cancelled),
            "not_found" => Failure { code: exit::FAILED, ..failure },
            _ => failure,
        }
    }

    fn broken_off_after(&self, why: ApiError, out: &ListOutput, given: u64, noun: RecordNoun) -> Failure {
        let mut failure = self.broken_off(why);
        let rows = noun.counted(given);
        if given > 0 && !matches!(out, ListOutput::Json(_)) {
            let rest = t!("Before that, lapel printed {rows}, each complete. The list is incomplete.", rows);
            failure.message = format!("{} {rest}", failure.message);
        }
        failure
    }
}

impl PrintedRecords {
    fn of(shape: export::RecordShape, rows: Vec<ExportRow>, problems: Vec<RecordProblem>) -> Self {
        Self { names: shape.names(), first: shape.first, rows, problems, said: None, about: Map::new() }
    }
}

/// A list that needs more pages than the rate limit allows per minute says so in advance.
fn doing(far: &export::Progress, pace: u32) -> String {
    match far {
        export::Progress { again: true, .. } => t!("reading moved rows again").to_owned(),
        export::Progress { all: Some(all), .. } if Cost::of(*all, pace).waits > 0 => {
            t!("read, {pace} pages a minute", pace)
        }
        _ => t!("read").to_owned(),
    }
}

fn code_of(read: &ReadTotals) -> u8 {
    if read.end.is_complete() { exit::OK } else { exit::PERSON }
}

fn head(code: u8) -> Map<String, Value> {
    json::fields(json!({ "ok": code == exit::OK, "exit_code": code }))
}

fn problems(all: &[RecordProblem]) -> Value {
    all.iter().map(|p| json!({ "place": p.place, "why": p.why.to_string() })).collect()
}

fn of_file(why: &TableError) -> Failure {
    match why {
        TableError::Exists(_) => Failure::new("exists", format!("{why} (--force)")),
        why => Failure::new("file", why.to_string()),
    }
}

/// A closed pipe is a success: the reader has read enough.
fn cut_off(why: io::Error) -> Result<u8, Failure> {
    if why.kind() == ErrorKind::BrokenPipe { Ok(exit::OK) } else { Err(why.into()) }
}
