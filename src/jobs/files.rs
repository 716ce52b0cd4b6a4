//! From files to drafts: recipients and badge ids, read off the loop and written down row by row, so that a
//! million of them need no more memory than a few. Every row of the file is a row of a job.

use super::core::Jobs;
use super::draft::issue_job;
use super::error::JobError;
use super::intake::{
    self, About, Checked, Choices, ColumnMap, Finding, IdRow, IntakeError, MapState, Question, RawRow,
    Severity, Source, Standing, Table, Watch, check, look_alike_domains,
};
use super::job::{Bucket, JobId, Origin};
use super::journal::jobs;
use super::journal::rows::{self, NewRow};
use super::journal::{Account, Journal, facts};
use super::look::{self, Scan, Sight};
use crate::api::{ApiError, Call, HistoryFilter, Paging, TemplateFilter, TemplateQuery, whole};
use crate::domain::{BadgeId, EmailKey, State, Template, TemplateId, Text};
use rusqlite::{Connection, params};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Rows that are written down in one step.
const AT_ONCE: usize = 2_000;
/// Rows of a preview.
const PREVIEW: usize = 20;
/// Pages of templates that are read to find those that a file names.
const TEMPLATE_PAGES: u64 = 200;
/// Domains that look like slips and are asked about, at most.
const SUSPECTS: usize = 200;
/// Up to so many badges are read one by one without asking what the history's pages would cost.
const FEW: usize = 3;

/// How far a reading has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Bytes that were read.
    pub bytes_done: u64,
    /// Bytes of the file.
    pub bytes_all: u64,
    /// Rows that were written down.
    pub rows: u64,
}

/// A file that was opened, and how it is to be read as far as that is clear.
#[derive(Clone, Debug)]
pub struct Opened {
    /// What is known of it, and what has to be asked.
    pub about: About,
    /// Its first rows as they stand there.
    pub rows: Vec<RawRow>,
    /// What lapel makes of them.
    pub preview: Preview,
}

/// The first rows of a file, as they would be taken.
#[derive(Clone, Debug)]
pub enum Preview {
    /// Recipients, judged; none while something has to be asked.
    Recipients(Vec<Checked>),
    /// Badge ids, none while something has to be asked.
    BadgeIds {
        /// The column that they stand in, from 0; `None` when a person has to say.
        column: Option<usize>,
        /// The ids, or why they are none.
        ids: Vec<IdRow>,
    },
}

impl Opened {
    /// What a person has to decide about the reading; of badge ids, besides their column.
    pub fn questions(&self) -> Vec<Question> {
        match &self.preview {
            Preview::Recipients(_) => self.about.needs_answer(),
            Preview::BadgeIds { .. } => intake::open_questions(&self.about),
        }
    }
}

/// Recipients from a file.
#[derive(Clone, Debug)]
pub struct FileRequest {
    /// The template; `None` where a column of the file says which.
    pub template: Option<(TemplateId, Text)>,
    /// The file, or what was pasted.
    pub source: Source,
    /// How it is read, as far as a person has decided.
    pub choices: Choices,
}

/// Ids of badges that are to be revoked.
#[derive(Clone, Debug)]
pub struct IdsRequest {
    /// The file, or what was pasted.
    pub source: Source,
    /// How it is read, as far as a person has decided.
    pub choices: Choices,
    /// The reason; holders may see it.
    pub reason: String,
    /// Whether those that still wait are revoked when they become Issued.
    pub when_issued: bool,
}

/// Tells how far a reading is, and when to stop.
struct Watcher {
    progress: watch::Sender<Reading>,
    cancel: CancellationToken,
    rows: AtomicU64,
}

impl Watch for Watcher {
    fn progress(&self, bytes_done: u64, bytes_all: u64) {
        let rows = self.rows.load(Ordering::Relaxed);
        self.progress.send_replace(Reading { bytes_done, bytes_all, rows });
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

/// Where a row belongs that was judged, and why in words.
pub(super) fn placed(standing: Standing, findings: &[Finding]) -> (Bucket, Option<String>) {
    let bucket = match standing {
        Standing::Ready => Bucket::Ready,
        Standing::Ask => Bucket::Ask,
        Standing::Refused => Bucket::Invalid,
        Standing::NotARecipient => Bucket::LeftOut,
    };
    let worst = findings.iter().map(|f| f.severity).max().unwrap_or(Severity::Note);
    let said: Vec<String> =
        findings.iter().filter(|f| f.severity == worst).map(|f| format!("{}: {}", f.field, f.what)).collect();
    (bucket, (!said.is_empty()).then(|| said.join("; ")))
}

fn new_row(checked: Checked) -> NewRow {
    let (bucket, why) = placed(checked.standing, &checked.findings);
    NewRow {
        line: Some(checked.row.line),
        cells: checked.row.cells,
        name: checked.name,
        email: checked.email,
        bucket: Some(bucket),
        why,
        ..NewRow::default()
    }
}

/// How a file was read, in words.
fn read_as(about: &About) -> String {
    let mut parts = vec![about.format.label().to_owned()];
    if let Some(guess) = &about.encoding {
        parts.push(guess.encoding.label().to_owned());
    }
    if let Some(delimiter) = about.delimiter {
        parts.push(delimiter.label().to_owned());
    }
    if let Some(sheet) = &about.sheet {
        parts.push(t!("sheet {sheet}", sheet = crate::domain::text::scrub(sheet)));
    }
    match about.header {
        Some(intake::HeaderRow::At(row)) => parts.push(t!("header row {row}", row)),
        Some(intake::HeaderRow::Absent) => parts.push(t!("no header").to_owned()),
        None => {}
    }
    parts.join(" \u{b7} ")
}

fn origin_of(about: &About, map: Option<ColumnMap>) -> Origin {
    Origin {
        name: about.name.clone(),
        sha256: about.sha256.clone(),
        columns: about.columns.iter().map(|c| Text::from(c.as_str())).collect(),
        read_as: read_as(about),
        map,
    }
}

/// The columns that were confirmed for a header before.
fn remembered(journal: &Journal, signature: &str) -> Option<ColumnMap> {
    let key = signature.to_owned();
    let kept = journal.read_blocking(move |db| facts::kept(db, "columns", &key)).ok().flatten()?;
    serde_json::from_str(&kept).ok()
}

impl Jobs {
    /// Opens a file and finds out how it is to be read.
    ///
    /// # Errors
    /// What is wrong with the file, in words.
    pub async fn open_file(
        &self,
        source: Source,
        choices: Choices,
        progress: watch::Sender<Reading>,
        cancel: CancellationToken,
    ) -> Result<Opened, JobError> {
        let journal = self.core.journal.clone();
        let watcher = Watcher { progress, cancel, rows: AtomicU64::new(0) };
        off_the_loop(move || {
            let table =
                Table::open(&source, &choices, &|signature| remembered(&journal, signature), &watcher)
                    .map_err(|why| JobError::file(&why))?;
            let rows = table.preview(PREVIEW);
            let preview = match table.about().map.map() {
                Some(map) if table.about().needs_answer().is_empty() => {
                    rows.iter().map(|row| check(row.clone(), map)).collect()
                }
                _ => Vec::new(),
            };
            Ok(Opened { about: table.about().clone(), rows, preview: Preview::Recipients(preview) })
        })
        .await
    }

    /// Opens a file of badge ids and finds out how it is to be read.
    ///
    /// # Errors
    /// What is wrong with the file, in words.
    pub async fn open_ids(
        &self,
        source: Source,
        choices: Choices,
        progress: watch::Sender<Reading>,
        cancel: CancellationToken,
    ) -> Result<Opened, JobError> {
        let watcher = Watcher { progress, cancel, rows: AtomicU64::new(0) };
        off_the_loop(move || {
            let look = intake::look_at_ids(&source, &choices, PREVIEW, &watcher)
                .map_err(|why| JobError::file(&why))?;
            let preview = Preview::BadgeIds { column: look.column, ids: look.ids };
            Ok(Opened { about: look.about, rows: look.rows, preview })
        })
        .await
    }

    /// Reads, checks and writes down every row of a file: one draft for the template, or one for each template
    /// that a column names. Rows that name no template of the organisation are in the first of them, not
    /// valid, with the reason.
    ///
    /// # Errors
    /// What is wrong with the file, or what has to be asked about it first; nothing is left of the drafts then.
    pub async fn draft_file(
        &self,
        request: FileRequest,
        progress: watch::Sender<Reading>,
        cancel: CancellationToken,
    ) -> Result<Vec<JobId>, JobError> {
        self.core.writer()?;
        let known = match &request.template {
            Some(_) => HashMap::new(),
            None => self.templates(&cancel).await?,
        };
        let (journal, account, me) =
            (self.core.journal.clone(), self.core.account.clone(), self.core.journal.me());
        let (now, _) = self.core.moment();
        let watcher = Watcher { progress, cancel, rows: AtomicU64::new(0) };
        off_the_loop(move || {
            let mut drafts =
                Drafts { journal: &journal, account, me, jobs: Vec::new(), domains: HashMap::new() };
            let read = read_into(&mut drafts, &request, &known, &watcher, now.as_second());
            if let Err(why) = read {
                for draft in &drafts.jobs {
                    let id = draft.id;
                    let _ = journal.write_blocking("discard", move |db| jobs::discard(db, id));
                }
                return Err(why);
            }
            Ok(drafts.jobs.iter().map(|d| d.id).collect())
        })
        .await
    }

    /// The organisation's templates by id and by title; a title that two of them share names none.
    async fn templates(
        &self,
        cancel: &CancellationToken,
    ) -> Result<HashMap<String, Option<(TemplateId, Text)>>, JobError> {
        let call = Call::interactive().cancelled_by(cancel.clone());
        let reader = self.core.reader();
        let all = whole(
            TEMPLATE_PAGES,
            |t: &Template| t.template_id.clone(),
            |page| {
                let query = TemplateQuery { filter: TemplateFilter::default(), paging: Paging::full(page) };
                let call = call.clone();
                async move { reader.templates(&query, &call).await }
            },
        )
        .await?;
        let mut known: HashMap<String, Option<(TemplateId, Text)>> = HashMap::new();
        for template in &all.items {
            let title = template.title.clone().unwrap_or_default();
            let this = (template.template_id.clone(), title.clone());
            known
                .entry(fold(title.wire()))
                .and_modify(|one| *one = None)
                .or_insert_with(|| Some(this.clone()));
        }
        // An id is certain, whatever titles say.
        for template in all.items {
            let title = template.title.unwrap_or_default();
            known.insert(fold(template.template_id.wire()), Some((template.template_id, title)));
        }
        Ok(known)
    }

    /// Reads ids of badges, looks where each stands, and writes a revocation down for review. Ids that are
    /// damaged or stand there twice are rows of it too, with the reason.
    ///
    /// # Errors
    /// What is wrong with the file, or that the service could not be asked; nothing is left of the draft then.
    pub async fn draft_ids(
        &self,
        request: IdsRequest,
        progress: watch::Sender<Reading>,
        cancel: CancellationToken,
    ) -> Result<JobId, JobError> {
        self.core.writer()?;
        let reason = request.reason.trim().to_owned();
        if reason.is_empty() {
            return Err(JobError::no(t!(
                "A reason is required: the service asks for one. Nothing was sent."
            )));
        }
        let watcher = Watcher { progress: progress.clone(), cancel: cancel.clone(), rows: AtomicU64::new(0) };
        let (source, choices) = (request.source, request.choices);
        let list = off_the_loop(move || {
            intake::read_ids(&source, &choices, &watcher).map_err(|why| JobError::file(&why))
        })
        .await?;
        let ids: Vec<BadgeId> = list.rows.iter().filter_map(|r| r.id.clone().ok()).collect();
        let seen = self.resolve(&ids, &progress, &cancel).await?;
        let new: Vec<NewRow> =
            list.rows.into_iter().map(|row| id_row(row, &seen, request.when_issued)).collect();
        let origin = origin_of(&list.about, None);
        let (account, me) = (self.core.account.clone(), self.core.journal.me());
        let (now, _) = self.core.moment();
        Ok(self
            .core
            .journal
            .write("plan", move |db| {
                let job = super::draft::revoke_job(&reason, None, false, Some(origin));
                let id = jobs::insert(db, &account, (&me.0, &me.1), &job)?;
                rows::insert(db, id, &new)?;
                facts::keep(db, "reason", &reason, &reason, now.as_second())?;
                Ok(id)
            })
            .await?)
    }

    /// Where badges stand: one by one, or by all pages of the history where that is cheaper.
    async fn resolve(
        &self,
        ids: &[BadgeId],
        progress: &watch::Sender<Reading>,
        cancel: &CancellationToken,
    ) -> Result<HashMap<BadgeId, Sight>, JobError> {
        let reader = self.core.reader();
        let call = if ids.len() > 100 { Call::background() } else { Call::interactive() }
            .cancelled_by(cancel.clone());
        let mut seen: HashMap<BadgeId, Sight> = HashMap::new();
        let told = |done: usize| {
            progress.send_replace(Reading {
                bytes_done: done as u64,
                bytes_all: ids.len() as u64,
                rows: done as u64,
            });
        };
        if ids.len() > FEW {
            let wanted: std::collections::HashSet<&BadgeId> = ids.iter().collect();
            let mut scan = Scan::new(reader, HistoryFilter::default(), &call);
            let mut page = scan.next().await?;
            if scan.left() < ids.len() as u64 {
                while let Some(sights) = page {
                    let found = sights.into_iter().filter(|s| wanted.contains(&s.badge_id));
                    seen.extend(found.map(|s| (s.badge_id.clone(), s)));
                    told(seen.len());
                    page = if seen.len() < wanted.len() { scan.next().await? } else { None };
                }
            }
        }
        for (done, id) in ids.iter().enumerate() {
            if seen.contains_key(id) {
                continue;
            }
            match look::badge(reader, id, &call).await {
                Ok(Some(sight)) => drop(seen.insert(id.clone(), sight)),
                Ok(None) | Err(ApiError::BadRequest(_) | ApiError::BadInput { .. }) => {}
                Err(error) => return Err(error.into()),
            }
            told(done + 1);
        }
        Ok(seen)
    }
}

/// A row of a revocation, for an id of a file.
fn id_row(row: IdRow, seen: &HashMap<BadgeId, Sight>, when_issued: bool) -> NewRow {
    let new = NewRow { line: Some(row.line), cells: vec![row.raw.wire().to_owned()], ..NewRow::default() };
    let id = match row.id {
        Ok(id) => id,
        Err(why) => return NewRow { bucket: Some(Bucket::Invalid), why: Some(why), ..new },
    };
    let Some(sight) = seen.get(&id) else {
        let why = t!("the service knows no such badge, or does not show it").to_owned();
        return NewRow { badge: Some(id), bucket: Some(Bucket::LeftOut), why: Some(why), ..new };
    };
    let state = sight.verdict.state();
    let (bucket, why) = super::draft::placed(&state, when_issued);
    NewRow {
        name: sight.holder.as_ref().map_or(String::new(), |t| t.wire().to_owned()),
        email: sight.email.as_ref().map_or(String::new(), |t| t.wire().to_owned()),
        title: sight.title.as_ref().map(|t| t.wire().to_owned()),
        badge: Some(id),
        bucket: Some(bucket),
        why,
        status: Some(match state {
            State::Other(word) => word.wire().to_owned(),
            known => known.name().wire().to_owned(),
        }),
        ..new
    }
}

/// Titles and ids in files are compared without case and without white space around them.
fn fold(raw: &str) -> String {
    raw.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// A draft that is being filled.
struct Draft {
    id: JobId,
    template: TemplateId,
    rows: Vec<NewRow>,
}

struct Drafts<'j> {
    journal: &'j Journal,
    account: Account,
    me: std::sync::Arc<(String, String)>,
    jobs: Vec<Draft>,
    /// How many addresses each domain has.
    domains: HashMap<String, u64>,
}

impl Drafts<'_> {
    /// The draft of a template, which is made if there is none.
    fn of(&mut self, template: &(TemplateId, Text), origin: &Origin) -> Result<usize, JobError> {
        if let Some(at) = self.jobs.iter().position(|d| d.template == template.0) {
            return Ok(at);
        }
        let (account, me) = (self.account.clone(), self.me.clone());
        let new = issue_job(&template.0, &template.1, Some(origin.clone()));
        let id = self
            .journal
            .write_blocking("plan", move |db| jobs::insert(db, &account, (&me.0, &me.1), &new))?;
        self.jobs.push(Draft { id, template: template.0.clone(), rows: Vec::new() });
        Ok(self.jobs.len() - 1)
    }

    fn add(&mut self, at: usize, row: NewRow) -> Result<(), JobError> {
        if row.bucket == Some(Bucket::Ready)
            && let Some(domain) = EmailKey::of(&row.email).domain()
        {
            *self.domains.entry(domain.to_owned()).or_default() += 1;
        }
        if let Some(draft) = self.jobs.get_mut(at) {
            draft.rows.push(row);
            if draft.rows.len() >= AT_ONCE {
                let (id, rows) = (draft.id, std::mem::take(&mut draft.rows));
                self.journal.write_blocking("rows", move |db| rows::insert(db, id, &rows))?;
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), JobError> {
        let suspects: Vec<(String, String)> =
            look_alike_domains(&self.domains).into_iter().take(SUSPECTS).collect();
        for draft in &mut self.jobs {
            let (id, rows, suspects) = (draft.id, std::mem::take(&mut draft.rows), suspects.clone());
            self.journal.write_blocking("rows", move |db| {
                rows::insert(db, id, &rows)?;
                ask_about(db, id, &suspects)
            })?;
        }
        Ok(())
    }
}

/// Asks about rows whose domain looks like a slip of another one in the file.
fn ask_about(db: &Connection, id: JobId, suspects: &[(String, String)]) -> rusqlite::Result<()> {
    let mut ask = db.prepare_cached(
        "UPDATE row SET bucket = 'ask', why = ?3
         WHERE job = ?1 AND bucket = 'ready' AND substr(email_key, -length(?2)) = ?2",
    )?;
    for (suspect, meant) in suspects {
        let why = t!("e-mail address: did you mean {meant}, as in most other rows?", meant);
        ask.execute(params![id.0, format!("@{suspect}"), why])?;
    }
    Ok(())
}

fn read_into(
    drafts: &mut Drafts<'_>,
    request: &FileRequest,
    known: &HashMap<String, Option<(TemplateId, Text)>>,
    watcher: &Watcher,
    now: i64,
) -> Result<(), JobError> {
    let journal = drafts.journal;
    let failed = |why: IntakeError| JobError::file(&why);
    let table = Table::open(&request.source, &request.choices, &|s| remembered(journal, s), watcher)
        .map_err(failed)?;
    let about = table.about();
    let rows = table.rows().map_err(failed)?;
    let Some(map) = about.map.map().cloned() else {
        return Err(JobError::no(t!("It is not clear which column is what. Nothing was read.")));
    };
    if request.template.is_none() && map.template.is_none() {
        return Err(JobError::no(t!(
            "{name} has no column that says which template; name one. Nothing was read.",
            name = about.name
        )));
    }
    let origin = origin_of(about, Some(map.clone()));
    // Rows without a template of the organisation wait here for the first draft.
    let mut strays = Vec::new();
    for row in rows {
        if watcher.is_cancelled() {
            return Err(failed(IntakeError::Cancelled));
        }
        let checked = check(row.map_err(failed)?, &map);
        let template = match &request.template {
            Some(template) => Some(template.clone()),
            None => checked.template.as_deref().and_then(|t| known.get(&fold(t)).cloned().flatten()),
        };
        let named = checked.template.clone();
        let mut new = new_row(checked);
        match template {
            Some(template) => {
                let at = drafts.of(&template, &origin)?;
                drafts.add(at, new)?;
            }
            None => {
                if new.bucket != Some(Bucket::LeftOut) {
                    let named = named.unwrap_or_default();
                    new.bucket = Some(Bucket::Invalid);
                    new.why = Some(match known.get(&fold(&named)) {
                        Some(None) => t!("template: more than one has this title; write its id").to_owned(),
                        _ => t!(
                            "template: there is none with the id or title \u{201c}{named}\u{201d}",
                            named = crate::domain::text::scrub(&named)
                        ),
                    });
                }
                strays.push(new);
            }
        }
        watcher.rows.fetch_add(1, Ordering::Relaxed);
    }
    if drafts.jobs.is_empty() {
        return Err(JobError::no(match &request.template {
            Some(template) => {
                drafts.of(template, &origin)?;
                t!("{name} has no rows. Nothing was read.", name = about.name)
            }
            None => {
                t!(
                    "No row of {name} names a template of this organisation. Nothing was read.",
                    name = about.name
                )
            }
        }));
    }
    for row in strays {
        drafts.add(0, row)?;
    }
    drafts.finish()?;
    keep(journal, &request.source, about, now)
}

/// Keeps what is offered again: the columns that a person has chosen, and where the file is.
fn keep(journal: &Journal, source: &Source, about: &About, now: i64) -> Result<(), JobError> {
    let chosen = match &about.map {
        MapState::Chosen(map) => serde_json::to_string(map).ok(),
        _ => None,
    };
    let file = match source {
        Source::File(path) => Some(path.to_string_lossy().into_owned()),
        Source::Pasted(_) => None,
    };
    let signature = about.signature.clone();
    Ok(journal.write_blocking("keep", move |db| {
        if let Some(map) = &chosen {
            facts::keep(db, "columns", &signature, map, now)?;
        }
        if let Some(file) = &file {
            facts::keep(db, "file", file, file, now)?;
        }
        Ok(())
    })?)
}

/// Runs what reads and writes files where nobody waits for it.
pub(super) async fn off_the_loop<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, JobError> + Send + 'static,
) -> Result<T, JobError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|failed| {
        Err(JobError::no(t!("A part of lapel failed ({failed}). Nothing was sent.", failed)))
    })
}
