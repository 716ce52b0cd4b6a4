//! Review of drafts: the user checks the rows and confirms. Nothing is sent before the confirmation.

mod draw;
mod groups;

pub use draw::shares;

use crate::domain::screen_text::KnownWords;
use crate::i18n;
use crate::jobs::{
    DuplicateKind, DuplicateResult, Job, JobId, JobRow, Kind, Phase, RowStatus, Rows, Stand, Step, may,
};
use crate::tui::effects::ExportSource;
use crate::tui::modals::draft::groups::{Groups, group_of, has_group};
use crate::tui::modals::edit_row::EditRow;
use crate::tui::modals::file::FileForm;
use crate::tui::modals::question::Question;
use crate::tui::prelude::*;
use crate::tui::widgets::job_rows::{RowList, columns, know_rows};
use crate::tui::widgets::table_header::Heading;
use crate::tui::worker::job_command::{Done, JobCommand};
use std::collections::BTreeMap;

/// Row statuses of a draft that the user should review.
const LOOK: [RowStatus; 3] = [RowStatus::Ask, RowStatus::Invalid, RowStatus::LeftOut];

/// Review of drafts that belong together.
pub struct DraftForm {
    jobs: Vec<Job>,
    /// Index of the draft whose rows are shown.
    at: usize,
    rows: RowList,
    heading: Heading,
    /// Whether the confirmation is open.
    confirming: bool,
    check: DuplicateCheck,
    /// Result of the last duplicate check, for each job.
    found: Vec<DuplicateResult>,
    /// The running job command.
    doing: Option<RequestId>,
    beginning: bool,
    said: Option<String>,
    /// Number of duplicates of each kind before the corrections that the running duplicate check includes, without
    /// the selected row.
    before: Option<BTreeMap<DuplicateKind, u64>>,
    groups: Groups,
    /// Whether the user decided something in this review.
    decided: bool,
    /// Earlier drafts of the same file, which these drafts replace once they begin.
    replaces: Vec<JobId>,
}

/// State of the duplicate check.
enum DuplicateCheck {
    /// Not needed: the drafts issue nothing.
    None,
    /// Running: `done` of `all` requests.
    Reading { request: RequestId, done: u64, all: u64 },
    /// Finished.
    Read,
    /// The reason why it failed.
    Failed(String),
}

impl DraftForm {
    pub fn open(jobs: Vec<Job>, out: &mut Effects<'_>) {
        Self::open_instead(jobs, Vec::new(), out);
    }

    /// As [`DraftForm::open`]. The drafts replace earlier ones of the same file.
    pub fn open_instead(jobs: Vec<Job>, replaces: Vec<JobId>, out: &mut Effects<'_>) {
        out.open_some(|_, out| Self::new(jobs, out).map(|form| Self { replaces, ..form }));
    }

    /// Returns `None` without a draft. The duplicate check starts at once.
    fn new(jobs: Vec<Job>, out: &mut Effects<'_>) -> Option<Self> {
        let first = jobs.first()?;
        let rows = RowList::of_draft(first, rows_to_review(first));
        let mut form = Self {
            confirming: false,
            rows,
            heading: columns::heading(),
            at: 0,
            check: DuplicateCheck::None,
            found: Vec::new(),
            doing: None,
            beginning: false,
            said: None,
            before: None,
            groups: Groups::default(),
            decided: false,
            replaces: Vec::new(),
            jobs,
        };
        form.check(out);
        Some(form)
    }

    fn ids(&self) -> Vec<JobId> {
        self.jobs.iter().map(|job| job.id).collect()
    }

    fn job(&self) -> Option<&Job> {
        self.jobs.get(self.at)
    }

    fn may(&self, step: Step, row: Option<&JobRow>) -> bool {
        self.job().zip(row).is_some_and(|(job, row)| may(step, Stand::of(job, row)))
    }

    fn issues(&self) -> bool {
        self.jobs.iter().any(|job| job.kind == Kind::Issue)
    }

    /// Whether the duplicate check may have missed recipients who already have the badge.
    fn is_incomplete(&self) -> bool {
        self.found.iter().any(|found| !found.complete)
    }

    /// Number of rows to send now or to revoke when issued.
    fn sendable(&self) -> u64 {
        let sent = |bucket| matches!(bucket, RowStatus::Ready | RowStatus::Queued);
        self.jobs.iter().map(|job| job.counts.sum(sent)).sum()
    }

    fn check(&mut self, out: &mut Effects<'_>) {
        if !self.issues() {
            return;
        }
        if let DuplicateCheck::Reading { request, .. } = self.check {
            out.cancel([request]);
        }
        let request = out.ask(Request::CheckDuplicates(self.ids()));
        self.check = DuplicateCheck::Reading { request, done: 0, all: 0 };
    }

    fn review(&mut self, allow: bool, rows: Rows, out: &mut Effects<'_>) {
        let Some(id) = self.job().map(|job| job.id) else { return };
        self.decided = true;
        let command = if allow { JobCommand::Allow(id, rows) } else { JobCommand::LeaveOut(id, rows) };
        self.doing = Some(out.ask(Request::Do(Box::new(command))));
    }

    fn next_job(&mut self, out: &mut Effects<'_>) {
        self.at = (self.at + 1) % self.jobs.len().max(1);
        if let Some(job) = self.jobs.get(self.at) {
            let dropped = self.rows.list.restart();
            out.cancel(dropped);
            self.rows = RowList::of_draft(job, rows_to_review(job));
        }
    }

    /// Closes the review and keeps the drafts. A new mapping without decisions is not kept: the drafts that it would
    /// have replaced remain.
    fn close(&mut self, out: &mut Effects<'_>) {
        if self.beginning {
            out.say(t!("Starting. Activity shows it in a moment."));
            return;
        }
        if self.doing.is_some() {
            out.say(t!("lapel is still saving the last change. Try again."));
            return;
        }
        if let DuplicateCheck::Reading { request, .. } = self.check {
            out.cancel([request]);
        }
        if self.decided || self.replaces.is_empty() {
            out.ask(Request::Do(Box::new(JobCommand::CloseDrafts(self.ids()))));
            out.say(t!("Draft kept. Nothing was sent. Home shows it."));
        } else {
            out.ask(Request::Do(Box::new(JobCommand::Discard(self.ids()))));
            out.say(t!("The earlier draft is kept. Nothing was sent."));
        }
        out.close();
    }

    /// Whether the rows may be sent. If not, says why.
    fn may_begin(&self, env: &Env, out: &mut Effects<'_>) -> bool {
        if self.beginning {
            return false;
        }
        match &self.check {
            DuplicateCheck::Reading { .. } => {
                out.say(t!("The duplicate check is still running. Nothing was sent."));
                return false;
            }
            DuplicateCheck::Failed(_) => {
                let key = env.key(&self.key_contexts(), Action::Reload);
                out.warn(t!("The duplicate check failed. Nothing was sent. Press {key} to refresh.", key));
                return false;
            }
            DuplicateCheck::None | DuplicateCheck::Read => {}
        }
        if self.sendable() == 0 {
            out.say(t!("There is no row to send. Nothing was sent."));
            return false;
        }
        if self.doing.is_some() {
            out.say(t!("lapel is still saving the last change. Nothing was sent. Try again."));
            return false;
        }
        true
    }

    fn begin(&mut self, out: &mut Effects<'_>) {
        // Drafts without rows to send do not begin and stay out of the journal.
        let sends = |job: &&Job| job.counts.sum(|b| matches!(b, RowStatus::Ready | RowStatus::Queued)) > 0;
        let ids = self.jobs.iter().filter(sends).map(|job| job.id).collect();
        (self.beginning, self.confirming) = (true, false);
        self.doing = Some(out.ask(Request::Do(Box::new(JobCommand::Begin(ids)))));
    }

    /// Checks for duplicates again: the corrected row may be another recipient.
    fn corrected(&mut self, out: &mut Effects<'_>) {
        self.decided = true;
        if !self.found.is_empty() {
            let mut before = self.before.take().unwrap_or_else(|| self.duplicates());
            if let Some(n) = self.selected().and_then(|row| before.get_mut(&row.class?)) {
                *n = n.saturating_sub(1);
            }
            self.before = Some(before);
        }
        self.rows.changed();
        self.check(out);
    }

    fn duplicates(&self) -> BTreeMap<DuplicateKind, u64> {
        let mut all = BTreeMap::new();
        for (kind, n) in self.found.iter().flat_map(|found| &found.classes) {
            *all.entry(*kind).or_default() += n;
        }
        all
    }

    /// Says which duplicates the corrected rows are, if they are.
    fn say_new_duplicates(&mut self, out: &mut Effects<'_>) {
        let Some(before) = self.before.take() else { return };
        let more = |(kind, n): (DuplicateKind, u64)| {
            let more = n.saturating_sub(before.get(&kind).copied().unwrap_or(0));
            (more > 0).then(|| draw::policy(kind, more))
        };
        let new: Vec<String> = self.duplicates().into_iter().filter_map(more).collect();
        if !new.is_empty() {
            out.warn(t!("After the correction: {found}. Nothing was sent.", found = i18n::list(new)));
        }
    }

    /// If no row has a shown status any more, shows the rows that need review. If there are none, shows all rows.
    fn keep_something_in_sight(&mut self, out: &mut Effects<'_>) {
        let Some(job) = self.job() else { return };
        if let Some(key) = self.rows.group()
            && self.groups.is_gone(self.rows.buckets().first(), key)
        {
            let statuses = rows_to_review(job);
            self.rows.only(statuses, out);
            return;
        }
        let shown = self.rows.buckets();
        if !shown.is_empty() && job.counts.sum(|bucket| shown.contains(&bucket)) == 0 {
            let statuses = rows_to_review(job);
            self.rows.only(statuses, out);
        }
    }

    fn has_suggestion(&self) -> bool {
        self.selected().is_some_and(|row| row.suggested_address().is_some())
    }

    fn selected(&self) -> Option<&JobRow> {
        self.rows.list.selected()
    }
}

impl Component for DraftForm {
    fn key_contexts(&self) -> Vec<Context> {
        let own = if self.issues() { Context::Draft } else { Context::DraftRevoke };
        vec![own, Context::List, Context::Popup, Context::Always]
    }

    fn is_enabled(&self, action: Action, _: &Env) -> bool {
        let row = self.rows.list.selected();
        match action {
            Action::Allow => self.may(Step::Allow, row),
            Action::LeaveOut => self.may(Step::LeaveOut, row),
            Action::AllowClass => row.is_some_and(|row| self.may(Step::Allow, Some(row)) && has_group(row)),
            Action::LeaveOutClass => {
                row.is_some_and(|row| self.may(Step::LeaveOut, Some(row)) && has_group(row))
            }
            Action::Correct => row.is_some(),
            Action::Columns => {
                self.job().is_some_and(|job| job.origin.as_ref().is_some_and(|o| o.source.is_some()))
            }
            Action::NextTemplate => self.jobs.len() > 1,
            Action::Accept => self.sendable() > 0 || self.has_suggestion(),
            Action::TakeSuggestions => self.has_suggestion(),
            Action::Reload => match self.check {
                DuplicateCheck::Failed(_) => true,
                DuplicateCheck::Read => self.is_incomplete(),
                DuplicateCheck::None | DuplicateCheck::Reading { .. } => false,
            },
            Action::Redo => self.job().is_some_and(|job| job.counts.sum(|bucket| LOOK.contains(&bucket)) > 0),
            _ => true,
        }
    }

    fn hint(&self, action: Action) -> &'static str {
        match action {
            Action::Accept if self.has_suggestion() => t!("correct address"),
            Action::Only => t!("next group"),
            _ => action.hint(),
        }
    }

    fn on_action(&mut self, action: Action, env: &Env, out: &mut Effects<'_>) -> bool {
        let decides = matches!(
            action,
            Action::Allow
                | Action::LeaveOut
                | Action::AllowClass
                | Action::LeaveOutClass
                | Action::Correct
                | Action::Columns
                | Action::UndoLast
                | Action::TakeSuggestions
                | Action::DiscardDraft
        );
        if decides && self.beginning {
            // What is sent is what was confirmed.
            return true;
        }
        if action == Action::UndoLast && matches!(self.check, DuplicateCheck::Reading { .. }) {
            // Its findings decide which rows may become ready.
            out.say(t!("The duplicate check is still running. Nothing was undone."));
            return true;
        }
        match action {
            Action::Back if self.confirming => self.confirming = false,
            Action::Back => self.close(out),
            Action::DiscardDraft => {
                let drafts: Vec<Job> =
                    self.jobs.iter().filter(|job| job.phase == Phase::Draft).cloned().collect();
                let question = Question::discard(&drafts);
                out.open(|_, _| question);
            }
            Action::Only => self.only_next(out),
            Action::NextTemplate => self.next_job(out),
            Action::Reload => self.check(out),
            Action::Redo => match self.job() {
                Some(job) if self.is_enabled(Action::Redo, env) => {
                    out.go.push(Navigate::Export(Box::new(ExportSource::of_job(job, true, None))));
                }
                _ => out.say(t!("Every row is ready, so a redo file would be empty.")),
            },
            Action::Accept if self.has_suggestion() && self.doing.is_none() => {
                self.take_suggestions(false, out);
            }
            Action::Accept => self.confirming = self.may_begin(env, out),
            Action::TakeSuggestions if self.has_suggestion() && self.doing.is_none() => {
                self.take_suggestions(true, out);
            }
            Action::TakeSuggestions => out.say(t!("There is no suggestion for this row.")),
            Action::Allow | Action::LeaveOut => {
                if let Some(row) = self.rows.list.selected() {
                    self.review(action == Action::Allow, Rows::One(row.no), out);
                    self.rows.list.move_by(1);
                }
            }
            Action::AllowClass | Action::LeaveOutClass => {
                match self.rows.list.selected().and_then(group_of) {
                    Some(rows) => self.review(action == Action::AllowClass, rows, out),
                    None => out.say(t!("This row shares no reason with other rows.")),
                }
            }
            Action::UndoLast => {
                if let (Some(job), None) = (self.job().map(|job| job.id), self.doing) {
                    self.doing = Some(out.ask(Request::Do(Box::new(JobCommand::UndoDecision(job)))));
                }
            }
            Action::Columns if self.is_enabled(Action::Columns, env) => {
                self.doing = Some(out.ask(Request::Do(Box::new(JobCommand::CompareFile(self.ids())))));
            }
            Action::Columns => {
                out.say(t!("These rows were not read from a file, so there are no columns to map."));
            }
            Action::Correct => match (self.job().map(|job| job.id), self.rows.list.selected()) {
                (Some(job), Some(row)) => {
                    let row = Box::new(row.clone());
                    out.open(move |_, _| EditRow::new(job, row));
                }
                _ => out.say(t!("There is no row here to correct.")),
            },
            _ => return self.rows.list.on_action(action),
        }
        true
    }

    fn on_click(&mut self, at: Position, area: Rect, env: &Env, _: &mut Effects<'_>) -> Clicked {
        let rows = self.rows_area(area, env);
        Clicked::changed(self.rows.on_click(rows, at.y))
    }

    fn on_response(&mut self, id: RequestId, answer: Response, env: &Env, out: &mut Effects<'_>) -> Taken {
        match answer {
            Response::DuplicateResult(found) if matches!(self.check, DuplicateCheck::Reading { request, .. } if request == id) =>
            {
                match found {
                    Err(why) => self.check = DuplicateCheck::Failed(why),
                    Ok((jobs, found)) => {
                        self.check = DuplicateCheck::Read;
                        self.found = found;
                        self.say_new_duplicates(out);
                        for job in &jobs {
                            self.on_job(job, env);
                        }
                        if let Some(job) = self.job()
                            && self.rows.buckets().is_empty()
                        {
                            let statuses = rows_to_review(job);
                            if !statuses.is_empty() {
                                self.rows.only(statuses, out);
                            }
                        }
                    }
                }
                Ok(())
            }
            Response::Done(done) if self.doing == Some(id) => {
                self.doing = None;
                match done {
                    Err(why) => {
                        self.said = Some(why);
                        // One of several drafts may have begun: the drafts that they replace must not begin any more.
                        if self.beginning && self.jobs.len() > 1 && !self.replaces.is_empty() {
                            let replaced = self.replaces.drain(..).collect();
                            out.ask(Request::Do(Box::new(JobCommand::Discard(replaced))));
                        }
                        self.beginning = false;
                    }
                    Ok(_) if self.beginning => {
                        let left: Vec<JobId> = self
                            .jobs
                            .iter()
                            .filter(|j| {
                                j.phase == Phase::Draft
                                    && j.counts.sum(|b| matches!(b, RowStatus::Ready | RowStatus::Queued))
                                        == 0
                            })
                            .map(|j| j.id)
                            .chain(self.replaces.drain(..))
                            .collect();
                        if !left.is_empty() {
                            out.ask(Request::Do(Box::new(JobCommand::Discard(left))));
                        }
                        out.go.extend([Navigate::InputUsed, Navigate::CloseAll, Navigate::Activity]);
                    }
                    Ok(Done::Said(text)) => out.say(text),
                    Ok(Done::Undone(undone)) => self.undone(undone, out),
                    Ok(Done::Corrected(rows)) => {
                        out.say(plural!(rows, "{n} address corrected.", "{n} addresses corrected."));
                        self.corrected(out);
                    }
                    Ok(Done::File(state)) => FileForm::open_again(&self.jobs, &self.replaces, state, out),
                    Ok(_) => self.said = None,
                }
                Ok(())
            }
            Response::Groups(groups) if self.groups.awaits(id) => {
                self.groups.set(groups);
                Ok(())
            }
            other => self.rows.on_response(id, other, out),
        }
    }

    fn on_progress(&mut self, request: RequestId, now: u64, of: u64) -> bool {
        match &mut self.check {
            DuplicateCheck::Reading { request: mine, done, all } if *mine == request => {
                (*done, *all) = (now, of);
                true
            }
            _ => false,
        }
    }

    fn load_visible(&mut self, area: Rect, env: &Env, out: &mut Effects<'_>) {
        self.keep_something_in_sight(out);
        if let Some(job) = self.jobs.get(self.at).map(|job| job.id) {
            self.groups.load(job, out);
        }
        let area = self.rows_area(area, env);
        self.rows.load_visible(area, &mut self.heading, out);
    }

    fn on_job(&mut self, job: &Job, _: &Env) {
        let Some(mine) = self.jobs.iter_mut().find(|mine| mine.id == job.id) else { return };
        mine.clone_from(job);
        self.groups.changed();
        if self.rows.job() == job.id {
            self.rows.changed();
        }
        self.confirming &= self.sendable() > 0;
    }

    fn know(&self, known: &mut KnownWords) {
        know_rows(self.rows.list.loaded().map(|(_, row)| row), &self.jobs, known);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        self.draw_all(frame, area, env);
    }
}

impl Modal for DraftForm {
    fn prepares_sending(&self) -> bool {
        true
    }

    fn asks(&self) -> Option<Ask> {
        self.confirming.then(|| Ask::send(self.sendable()))
    }

    fn confirm_text(&self, form: &mut FormText<'_>, env: &Env) {
        self.tell(form, env);
    }

    fn on_corrected(&mut self, out: &mut Effects<'_>) -> bool {
        self.corrected(out);
        true
    }

    fn on_confirmed(&mut self, env: &Env, out: &mut Effects<'_>) {
        if self.may_begin(env, out) {
            self.begin(out);
        }
    }
}

/// Groups kept drafts, newest first, by the import that made them: one for each template that a column names. A second
/// import of the same file begins where a template comes again.
pub fn imports(drafts: &[Job]) -> Vec<Vec<Job>> {
    let is_split = |job: &Job| {
        let source = job.origin.as_ref().and_then(|origin| origin.source.as_ref());
        source.is_some_and(|source| source.by_column)
    };
    let mut all: Vec<Vec<Job>> = Vec::new();
    for draft in drafts {
        let is_of = |import: &&mut Vec<Job>| {
            let is_alike = |one: &Job| one.origin == draft.origin && one.template_id != draft.template_id;
            is_split(draft) && import.iter().all(is_alike)
        };
        match all.last_mut().filter(is_of) {
            Some(import) => import.insert(0, draft.clone()),
            None => all.push(vec![draft.clone()]),
        }
    }
    all
}

/// The title of drafts that belong together, or their number.
pub fn titles(drafts: &[Job]) -> String {
    match drafts {
        [one] => one.title.to_string(),
        all => count!(all.len() as u64, "template", "templates"),
    }
}

/// Statuses to show first: those that need review, or all if there are none.
fn rows_to_review(job: &Job) -> Vec<RowStatus> {
    if job.counts.sum(|bucket| LOOK.contains(&bucket)) > 0 { LOOK.to_vec() } else { Vec::new() }
}
