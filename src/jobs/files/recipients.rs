//! Drafts issue jobs from a file of recipients: one for the template, or one per template that a column names.

use super::{Reading, ReadingWatcher, off_the_loop, origin_of, placed, remembered, source_of};
use crate::jobs::draft::issue_job;
use crate::jobs::error::JobError;
use crate::jobs::handle::Jobs;
use crate::jobs::intake::{
    About, CheckOutcome, Checked, Choices, ImportSource, InputTable, IntakeProblem, MapState, ReadProgress,
    check, similar_domains,
};
use crate::jobs::job::{JobId, JobOrigin};
use crate::jobs::journal::behaviour::KeptValue;
use crate::jobs::journal::drafts::CreateJob;
use crate::jobs::journal::rows::NewRow;
use crate::jobs::journal::{Account, Started, Store};
use crate::jobs::prelude::*;
use crate::jobs::reason::{Code, Reason};
use crate::jobs::row_status::RowStatus;
use crate::jobs::template_names::{NamedTemplate, TemplateNames};

/// Rows per journal write.
const AT_ONCE: usize = 2_000;
/// Maximum number of suspicious domains that are reported.
const SUSPECTS: usize = 200;

#[derive(Clone, Debug)]
pub struct FileRequest {
    /// The template; `None` if a column of the file names it.
    pub template: Option<(TemplateId, Text)>,
    pub source: ImportSource,
    /// How to read it, as far as a person has decided.
    pub choices: Choices,
}

impl Jobs {
    /// Writes one draft for the template, or one per template that a column names. A row that names no
    /// template of the organisation becomes an invalid row of the first draft, with the reason. `indexed` are the domains
    /// of the index: see [`Jobs::known_domains`].
    ///
    /// # Errors
    /// The file is not readable, a question about it is open, or a row names another template than the chosen one. No
    /// draft remains.
    pub async fn draft_file(
        &self,
        request: FileRequest,
        indexed: Vec<(String, u64)>,
        progress: watch::Sender<Reading>,
        cancel: CancellationToken,
    ) -> Result<Vec<JobId>, JobError> {
        self.core.planner()?;
        let known = match &request.template {
            Some(template) => TemplateNames::of(vec![template.clone()], true),
            None => {
                let call = Call::interactive().cancelled_by(cancel.clone());
                TemplateNames::read(self.core.reader(), &call).await?
            }
        };
        let known_domains = self.known_domains(&indexed).await?;
        let (store, account) = (self.core.store.clone(), self.core.account.clone());
        let (now, _) = self.core.moment();
        let watcher = ReadingWatcher::new(progress, cancel);
        off_the_loop(move || {
            let mut drafts = TemplateDrafts {
                store: &store,
                account,
                jobs: Vec::new(),
                domains: HashMap::new(),
                known_domains,
                writing: None,
            };
            let read = read_into(&mut drafts, &request, &known, &watcher, now.as_second());
            if let Err(why) = read {
                let is_gone =
                    |draft: &JobDraft| matches!(store.job(draft.id, store.me().to_owned()).wait(), Ok(None));
                let lost_one = drafts.jobs.iter().any(is_gone);
                for draft in &drafts.jobs {
                    let _ = store.discard(draft.id, store.me().to_owned()).wait();
                }
                return Err(if lost_one { JobError::draft_is_gone() } else { why.of_draft() });
            }
            Ok(drafts.jobs.iter().map(|d| d.id).collect())
        })
        .await
    }
}

fn new_row(checked: Checked) -> NewRow {
    let (row_status, why) = placed(checked.outcome, &checked.findings);
    NewRow {
        line: Some(checked.row.line),
        cells: checked.row.cells,
        name: checked.name,
        email: checked.email,
        row_status: Some(row_status),
        why,
        ..NewRow::default()
    }
}

struct JobDraft {
    id: JobId,
    template: TemplateId,
    rows: Vec<NewRow>,
}

struct TemplateDrafts<'j> {
    store: &'j Store,
    account: Account,
    jobs: Vec<JobDraft>,
    domains: HashMap<String, u64>,
    known_domains: Vec<(String, u64)>,
    /// The rows that are being written, while others are read and checked.
    writing: Option<Started<()>>,
}

impl TemplateDrafts<'_> {
    /// Creates the template's draft if it does not exist.
    fn of(&mut self, template: &(TemplateId, Text), origin: &JobOrigin) -> Result<usize, JobError> {
        if let Some(at) = self.jobs.iter().position(|d| d.template == template.0) {
            return Ok(at);
        }
        let job = issue_job(&template.0, &template.1, Some(origin.clone()));
        let (account, owner) = (self.account.clone(), self.store.process());
        let create = CreateJob { account, owner, job, rows: Vec::new(), reason: None };
        let id = self.store.create_job(create).wait()?;
        self.jobs.push(JobDraft { id, template: template.0.clone(), rows: Vec::new() });
        Ok(self.jobs.len() - 1)
    }

    fn add(&mut self, at: usize, row: NewRow) -> Result<(), JobError> {
        if matches!(row.row_status, Some(RowStatus::Ready | RowStatus::NeedsReview))
            && let Some(domain) = EmailKey::of(&row.email).domain()
        {
            match self.domains.get_mut(domain) {
                Some(rows) => *rows += 1,
                None => drop(self.domains.insert(domain.to_owned(), 1)),
            }
        }
        let Some(draft) = self.jobs.get_mut(at) else { return Ok(()) };
        draft.rows.push(row);
        if draft.rows.len() >= AT_ONCE {
            if let Some(writing) = self.writing.take() {
                writing.wait()?;
            }
            self.writing = Some(self.store.add_rows(draft.id, std::mem::take(&mut draft.rows)).start()?);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), JobError> {
        if let Some(writing) = self.writing.take() {
            writing.wait()?;
        }
        let suspects: Vec<(String, String)> =
            similar_domains(&self.domains, &self.known_domains).into_iter().take(SUSPECTS).collect();
        for draft in &mut self.jobs {
            let rows = std::mem::take(&mut draft.rows);
            self.store.finish_rows(draft.id, rows, suspects.clone()).wait()?;
        }
        Ok(())
    }
}

fn read_into(
    drafts: &mut TemplateDrafts<'_>,
    request: &FileRequest,
    templates: &TemplateNames,
    watcher: &ReadingWatcher,
    now: i64,
) -> Result<(), JobError> {
    let store = drafts.store;
    let table = InputTable::open(&request.source, &request.choices, &|s| remembered(store, s), watcher)?;
    let about = table.about();
    let rows = table.rows()?;
    let Some(map) = about.map.map().cloned() else {
        return Err(JobError::no(localizable!("lapel cannot tell which column is which. Nothing was read.")));
    };
    if request.template.is_none() && map.template.is_none() {
        return Err(JobError::no(localizable!(
            "{name} has no template column. Nothing was read. Choose a template.",
            name = about.name
        )));
    }
    let source = source_of(request, about, &map);
    let origin = JobOrigin { source, ..origin_of(about, Some(map.clone())) };
    // Rows without a template of the organisation are added to the first draft at the end.
    let mut strays = Vec::new();
    for row in rows {
        if watcher.is_cancelled() {
            return Err(IntakeProblem::Cancelled.of(&about.name).into());
        }
        let checked = check(row?, &map);
        let named = checked.template.clone().unwrap_or_default();
        let names_none = named.is_empty() || checked.outcome == CheckOutcome::NotARecipient;
        let template = match (&request.template, templates.find(&named)) {
            (None, found) => found,
            (Some(template), found) if names_none || matches!(found, NamedTemplate::One(_)) => {
                NamedTemplate::One(template.clone())
            }
            (Some(_), _) => {
                return Err(JobError::no(localizable!(
                    "Row {row} of {name} names another template: “{named}”. Nothing was read. Use the file's template column (as a command: without --template), or remove it.",
                    row = checked.row.line,
                    name = about.name,
                    named = scrub(&named)
                )));
            }
        };
        let mut new = new_row(checked);
        if request.template.is_none() && !matches!(template, NamedTemplate::One(_)) {
            new.title = Some(scrub(&named).into_owned());
        }
        let why: Reason = match template {
            NamedTemplate::One(template) => {
                let at = drafts.of(&template, &origin)?;
                drafts.add(at, new)?;
                watcher.rows.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            NamedTemplate::Several(_) => Code::TemplateShared.into(),
            NamedTemplate::None => Reason::from(Code::TemplateUnknown).with("named", &named),
            NamedTemplate::NotRead => Reason::from(Code::TemplateNotRead).with("named", &named),
        };
        if new.row_status != Some(RowStatus::Skipped) {
            new.row_status = Some(RowStatus::Invalid);
            new.why = Some(why);
        }
        strays.push(new);
        watcher.rows.fetch_add(1, Ordering::Relaxed);
    }
    if drafts.jobs.is_empty() {
        return Err(JobError::no(match &request.template {
            Some(template) => {
                drafts.of(template, &origin)?;
                localizable!("{name} has no rows. Nothing was read.", name = about.name)
            }
            None => {
                localizable!(
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
    keep(store, &request.source, about, now)
}

/// Stores what lapel offers next time: the chosen columns and the file's path.
fn keep(store: &Store, source: &ImportSource, about: &About, now: i64) -> Result<(), JobError> {
    let mut kept = Vec::new();
    if let MapState::Chosen(map) = &about.map
        && let Ok(value) = serde_json::to_string(map)
    {
        kept.push(KeptValue { what: "columns".into(), key: about.signature.clone(), value, at: now });
    }
    if let ImportSource::File(path) = source {
        kept.push(KeptValue::of(store.kind_of_files(), &path.to_string_lossy(), now));
    }
    Ok(store.keep(kept).wait()?)
}
