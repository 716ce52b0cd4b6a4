//! Review of drafts: the user checks the rows and confirms. Nothing is sent before the confirmation.

mod cursor;
mod draw;
mod groups;
mod imports;
mod outline;
mod sending;

pub use draw::{shares, unknown_states};
pub use imports::{imports, titles};

use crate::jobs::{DuplicateKind, DuplicateResult, FileState, RowFacts, may};
use crate::tui::modals::confirm_action::ConfirmAction;
use crate::tui::modals::draft::groups::{GroupPart, Groups};
use crate::tui::modals::draft::outline::Outline;
use crate::tui::modals::edit_row::EditRow;
use crate::tui::modals::file::FileForm;
use crate::tui::prelude::*;
use crate::tui::request::{JobReply, NewDrafts};
use crate::tui::widgets::job_rows::{RowList, draft_words, know_rows, row_fields};
use crate::tui::widgets::table_header::Heading;

pub struct DraftForm {
    /// At least one.
    jobs: Vec<Job>,
    /// Index of the draft whose rows are shown.
    at: usize,
    rows: RowList,
    outline: Outline,
    /// The parts that the outline gets once the rows are in their order.
    parts: Option<Vec<GroupPart>>,
    heading: Heading,
    confirming: bool,
    check: DuplicateCheck,
    found: Vec<DuplicateResult>,
    /// Commands without an answer: a person decides faster than the journal writes.
    doing: BTreeSet<RequestId>,
    beginning: bool,
    said: Option<String>,
    /// Number of duplicates of each kind before the corrections that the running duplicate check includes, without
    /// the selected row.
    before: Option<BTreeMap<DuplicateKind, u64>>,
    groups: Groups,
    /// Whether something was decided or undone in this review.
    decided: bool,
    /// Whether there may be a decision to undo: one of this review, or an earlier one of a kept draft.
    may_undo: bool,
    /// Earlier drafts of the same file, which these drafts replace once they begin.
    replaces: Vec<JobId>,
    /// Number of rows of those whose decisions apply to no row of these drafts.
    lost: u64,
    /// The file of a kept draft, as it is now. `None` before it was read.
    file: Option<Result<FileState, String>>,
    /// The reading of the file, and whether the column mapping opens after it.
    comparing: Option<(RequestId, bool)>,
    /// The row of an undone decision, to which the cursor goes.
    undone_row: Option<u64>,
}

enum DuplicateCheck {
    /// Not needed: the drafts issue nothing.
    None,
    /// Running: `done` of `all` requests.
    Reading {
        request: RequestId,
        done: u64,
        all: u64,
    },
    /// Finished.
    Read,
    Failed(String),
}

impl DraftForm {
    /// Drafts that were written before. If they are of a file, the review says what has changed in it.
    pub fn open(jobs: Vec<Job>, effects: &mut Effects<'_>) {
        effects.open_some(|_, effects| {
            let mut form = Self::new(jobs, effects)?;
            effects.request(Request::LastDecided(form.ids()));
            if form.has_file() {
                form.compare(false, effects);
            }
            Some(form)
        });
    }

    /// New drafts. They replace earlier ones of the same file.
    pub fn open_instead(new: NewDrafts, replaces: Vec<JobId>, effects: &mut Effects<'_>) {
        let NewDrafts { jobs, lost } = new;
        effects.open_some(move |_, effects| {
            let form = Self::new(jobs, effects)?;
            if !replaces.is_empty() {
                // A decision of an earlier draft may apply again.
                effects.request(Request::LastDecided(form.ids()));
            }
            Some(Self { replaces, lost, ..form })
        });
    }

    /// Returns `None` without a draft. The duplicate check starts at once.
    fn new(jobs: Vec<Job>, effects: &mut Effects<'_>) -> Option<Self> {
        let first = jobs.first()?;
        let rows = RowList::of_draft(first);
        let mut form = Self {
            confirming: false,
            rows,
            outline: Outline::default(),
            parts: None,
            heading: row_fields::heading(true),
            at: 0,
            check: DuplicateCheck::None,
            found: Vec::new(),
            doing: BTreeSet::new(),
            beginning: false,
            said: None,
            before: None,
            groups: Groups::default(),
            decided: false,
            may_undo: false,
            replaces: Vec::new(),
            lost: 0,
            file: None,
            comparing: None,
            undone_row: None,
            jobs,
        };
        form.check(effects);
        Some(form)
    }

    fn ids(&self) -> Vec<JobId> {
        self.jobs.iter().map(|job| job.id).collect()
    }

    fn has_file(&self) -> bool {
        self.job().origin.as_ref().is_some_and(|o| o.source.is_some())
    }

    fn compare(&mut self, maps_columns: bool, effects: &mut Effects<'_>) {
        let before = self.comparing.take().map(|(request, _)| request);
        effects.cancel(before);
        self.comparing = Some((effects.request(Request::CompareFile(self.ids())), maps_columns));
    }

    fn job(&self) -> &Job {
        &self.jobs[self.at]
    }

    fn may(&self, step: Step, row: Option<&JobRow>) -> bool {
        row.is_some_and(|row| may(step, RowFacts::of(self.job(), row)))
    }

    fn issues(&self) -> bool {
        self.jobs.iter().any(|job| job.kind == Kind::Issue)
    }

    /// Whether the duplicate check may have missed recipients who already have the badge.
    fn is_incomplete(&self) -> bool {
        self.found.iter().any(|found| !found.complete)
    }

    fn sendable(&self) -> u64 {
        self.jobs.iter().map(sendable).sum()
    }

    fn check(&mut self, effects: &mut Effects<'_>) {
        if !self.issues() {
            return;
        }
        if let DuplicateCheck::Reading { request, .. } = self.check {
            effects.cancel([request]);
        }
        let request = effects.request(Request::CheckDuplicates(self.ids()));
        self.check = DuplicateCheck::Reading { request, done: 0, all: 0 };
    }

    fn next_job(&mut self, effects: &mut Effects<'_>) {
        self.at = (self.at + 1) % self.jobs.len();
        effects.cancel(self.rows.list.restart());
        self.rows = RowList::of_draft(self.job());
        (self.outline, self.parts) = (Outline::default(), None);
        self.undone_row = None;
    }

    /// Closes the review and keeps the drafts. Of a new mapping without decisions, back keeps only the drafts that it
    /// would have replaced. Returns false if it cannot be closed now.
    fn close(&mut self, goes_back: bool, effects: &mut Effects<'_>) -> bool {
        if self.beginning {
            effects.say(t!("Starting. Activity shows it in a moment."));
            return false;
        }
        if !self.doing.is_empty() {
            effects.say(t!("lapel is still saving the last change. Try again."));
            return false;
        }
        if let DuplicateCheck::Reading { request, .. } = self.check {
            effects.cancel([request]);
        }
        effects.cancel(self.comparing.take().map(|(request, _)| request));
        if !goes_back || self.decided || self.replaces.is_empty() {
            effects.command(JobCommand::CloseDrafts(self.ids()));
            effects.say(t!("Draft kept. Nothing was sent. Home shows it."));
        } else {
            effects.command(JobCommand::Discard(self.ids()));
            effects.say(t!("The earlier draft is kept. Nothing was sent."));
        }
        effects.close();
        true
    }
}

/// Number of rows of a draft to send now or to revoke when issued.
fn sendable(draft: &Job) -> u64 {
    draft.counts.sum(RowStatus::is_to_send)
}

/// Whether an action changes what is sent.
fn decides(action: Action) -> bool {
    matches!(
        action,
        Action::Include
            | Action::Skip
            | Action::IncludeGroup
            | Action::SkipGroup
            | Action::Correct
            | Action::Columns
            | Action::UndoLast
            | Action::TakeSuggestions
            | Action::DiscardDraft
    )
}

impl Component for DraftForm {
    fn key_contexts(&self) -> Vec<KeyContext> {
        if let Some(search) = self.rows.over() {
            return search;
        }
        let own = if self.issues() { KeyContext::Draft } else { KeyContext::DraftRevoke };
        vec![own, KeyContext::List, KeyContext::Covering, KeyContext::Popup, KeyContext::Always]
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        let row = self.selected();
        match action {
            _ if self.beginning && decides(action) => false,
            // Of a range whose rows changed, they say so.
            Action::Include | Action::Skip if self.rows.marks.is_in_range() => true,
            Action::Include => self.may(Step::Allow, row) || self.may(Step::Skip, row),
            Action::Skip => self.may(Step::Skip, row),
            Action::Range | Action::RangeDown | Action::RangeUp => row.is_some() || self.range().is_some(),
            Action::IncludeGroup => self.may_group(Step::Allow),
            Action::SkipGroup => self.may_group(Step::Skip),
            Action::Correct => row.is_some(),
            Action::Open => !self.rows.has_search() && self.heading_here().is_some(),
            Action::Fold | Action::Only => !self.rows.has_search(),
            Action::NextMatch | Action::PreviousMatch => self.rows.is_searched(),
            Action::Columns => self.has_file(),
            Action::NextTemplate => self.jobs.len() > 1,
            Action::UndoLast => self.may_undo,
            Action::Accept => {
                let sends = self.sendable() > 0 || self.has_suggestion();
                sends && !self.beginning || self.heading_here().is_some()
            }
            // Without suggestions, its key does what that of the group does.
            Action::TakeSuggestions => self.group_has_suggestion(),
            Action::Reload => match self.check {
                DuplicateCheck::Failed(_) => true,
                DuplicateCheck::Read => self.is_incomplete(),
                DuplicateCheck::None | DuplicateCheck::Reading { .. } => false,
            },
            Action::Redo => self.job().counts.sum(RowStatus::is_held_back) > 0,
            _ => true,
        }
    }

    fn hint(&self, action: Action) -> &'static str {
        match action {
            Action::Accept if self.has_suggestion() => t!("correct"),
            // One hint for both keys.
            Action::Accept | Action::Open if self.heading_here().is_some() => t!("show or hide"),
            Action::Only => t!("next group"),
            Action::Include if self.range().is_some() => t!("include range"),
            Action::Skip if self.range().is_some() => t!("skip range"),
            _ => action.hint(),
        }
    }

    fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        if self.beginning && decides(action) {
            // What is sent is what was confirmed.
            return true;
        }
        if action == Action::UndoLast && matches!(self.check, DuplicateCheck::Reading { .. }) {
            // Its findings decide which rows may become ready.
            effects.say(t!("The duplicate check is still running. Nothing was undone."));
            return true;
        }
        if self.rows.over().is_some() {
            return self.rows.on_action(action, effects);
        }
        if action == Action::Back && !self.confirming && self.rows.marks.cancel_range() {
            return true;
        }
        if !self.rows.has_search() && self.on_outline(action) {
            return true;
        }
        match action {
            Action::Back if self.confirming => self.confirming = false,
            Action::Back if self.rows.is_searched() => return self.rows.on_action(action, effects),
            Action::Back => {
                self.close(true, effects);
            }
            Action::DiscardDraft => {
                let drafts: Vec<Job> =
                    self.jobs.iter().filter(|job| job.phase == Phase::Draft).cloned().collect();
                effects.show(ConfirmAction::discard(&drafts));
            }
            Action::NextTemplate => self.next_job(effects),
            Action::Reload => self.check(effects),
            Action::Redo if self.is_enabled(Action::Redo, cx) => {
                effects.export(ExportSource::of_job(self.job(), true, None));
            }
            Action::Redo => effects.say(t!("Every row is ready, so a redo file would be empty.")),
            Action::Accept if self.has_suggestion() && self.doing.is_empty() => {
                self.take_suggestions(false, effects);
            }
            Action::Accept => self.confirming = self.may_begin(cx, effects),
            Action::TakeSuggestions if self.group_has_suggestion() => {
                if self.doing.is_empty() {
                    self.take_suggestions(true, effects);
                }
            }
            Action::Range => self.draw_range(cx, effects),
            Action::RangeDown | Action::RangeUp => {
                self.draw_range(cx, effects);
                self.move_by(if action == Action::RangeDown { 1 } else { -1 });
            }
            Action::Include | Action::Skip if self.decide_range(action == Action::Include, cx, effects) => {}
            Action::Include => self.decide_row(true, true, effects),
            Action::Skip => self.decide_row(false, true, effects),
            Action::TakeSuggestions | Action::IncludeGroup => self.decide_group(true, cx, effects),
            Action::SkipGroup => self.decide_group(false, cx, effects),
            Action::UndoLast => {
                if self.doing.is_empty() {
                    let job = self.job().id;
                    let others = self.ids().into_iter().filter(|other| *other != job).collect();
                    self.doing.insert(effects.command(JobCommand::UndoDecision(job, others)));
                }
            }
            Action::Columns if self.is_enabled(Action::Columns, cx) => {
                self.compare(true, effects);
            }
            Action::Columns => {
                effects.say(t!("These rows were not read from a file, so there are no columns to map."));
            }
            Action::Correct => match self.selected() {
                Some(row) => EditRow::open(self.job().id, row.clone(), effects),
                None => effects.say(t!("There is no row here to correct.")),
            },
            _ => return self.rows.on_action(action, effects),
        }
        true
    }

    fn on_click(&mut self, at: Position, area: Rect, cx: &UiContext, _: &mut Effects<'_>) -> Clicked {
        let rows = self.rows_area(area, cx);
        if self.rows.has_search() {
            return Clicked::changed(self.rows.on_click(rows, at.y));
        }
        let lines = draw::lines_area(rows);
        let line = at.y.checked_sub(lines.y).filter(|_| at.y < lines.bottom());
        let line =
            line.map(|line| self.outline.top() + u64::from(line)).filter(|line| *line < self.outline.len());
        if let Some(line) = line {
            self.outline.move_to(line, &mut self.rows.list);
        }
        Clicked::changed(line.is_some())
    }

    fn on_text_key(&mut self, key: KeyEvent, effects: &mut Effects<'_>) -> bool {
        self.rows.on_text_key(key, effects)
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, effects: &mut Effects<'_>) {
        self.rows.on_paste(text, effects);
    }

    fn on_response(&mut self, reply: Reply, cx: &UiContext, effects: &mut Effects<'_>) -> Handled {
        let Reply { id, response } = reply;
        match response {
            Response::DuplicateResult(found) if matches!(self.check, DuplicateCheck::Reading { request, .. } if request == id) =>
            {
                match found {
                    Err(why) => self.check = DuplicateCheck::Failed(why),
                    Ok((jobs, found)) => {
                        self.check = DuplicateCheck::Read;
                        if self.found.is_empty() && !self.outline.is_touched() && !self.decided {
                            // The first findings decide what the user sees first.
                            (self.outline, self.parts) = (Outline::default(), None);
                            effects.cancel(self.rows.list.restart());
                        }
                        self.found = found;
                        self.say_new_duplicates(effects);
                        for job in &jobs {
                            self.on_job(job, cx);
                        }
                    }
                }
                Ok(())
            }
            Response::Done(done) if self.doing.remove(&id) => {
                match done {
                    Err(why) => {
                        self.said = Some(why);
                        // One of several drafts may have begun: the drafts that they replace must not begin any more.
                        if self.beginning && self.jobs.len() > 1 && !self.replaces.is_empty() {
                            let replaced = self.replaces.drain(..).collect();
                            effects.command(JobCommand::Discard(replaced));
                        }
                        self.beginning = false;
                    }
                    Ok(_) if self.beginning => {
                        let left: Vec<JobId> = self
                            .jobs
                            .iter()
                            .filter(|job| job.phase == Phase::Draft && sendable(job) == 0)
                            .map(|j| j.id)
                            .chain(self.replaces.drain(..))
                            .collect();
                        if !left.is_empty() {
                            effects.command(JobCommand::Discard(left));
                        }
                        effects.go.extend([Navigate::InputUsed, Navigate::CloseAll, Navigate::Activity]);
                    }
                    Ok(JobReply::Said(text)) => effects.say(text),
                    Ok(JobReply::Allowed(0)) => {
                        let key = cx.key(&self.key_contexts(), Action::Include);
                        effects.say(t!(
                            "No row of this group is ready yet: each has another reason. Decide them one by one with {key}.",
                            key
                        ));
                    }
                    Ok(JobReply::Allowed(n)) => {
                        effects.say(plural!(n, "{n} row will be sent.", "{n} rows will be sent."));
                    }
                    Ok(JobReply::Undone(undone)) => self.undone(undone, effects),
                    Ok(JobReply::NothingUndone(other)) => self.nothing_undone(other, effects),
                    Ok(JobReply::Corrected(rows)) => {
                        effects.say(plural!(rows, "{n} row corrected.", "{n} rows corrected."));
                        self.corrected(effects);
                    }
                    Ok(_) => self.said = None,
                }
                Ok(())
            }
            Response::LastDecided(last) => {
                // What could not be read may be there.
                self.may_undo |= last.map_or(true, |last| last.is_some_and(|id| self.ids().contains(&id)));
                Ok(())
            }
            Response::Compared(compared) if self.comparing.is_some_and(|(request, _)| request == id) => {
                let maps_columns = self.comparing.take().is_some_and(|(_, maps_columns)| maps_columns);
                match *compared {
                    Ok(state) if maps_columns => {
                        self.file = Some(Ok(state.clone()));
                        if self.beginning || self.confirming {
                            let key = cx.key(&self.key_contexts(), Action::Columns);
                            effects.say(t!("The columns are not open. Go back and press {key}.", key));
                        } else {
                            FileForm::open_again(&self.jobs, &self.replaces, state, effects);
                        }
                    }
                    compared => self.file = Some(compared),
                }
                Ok(())
            }
            Response::Groups(groups, requests) if self.groups.awaits(id) => {
                self.groups.set(groups, requests);
                let parts = self.groups.parts(self.job(), &self.outline);
                self.rows.set_parts(self.outline.row_parts(parts.clone()));
                self.parts = Some(parts);
                Ok(())
            }
            response => self.rows.on_response(Reply { id, response }, effects),
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

    fn load_visible(&mut self, area: Rect, cx: &UiContext, effects: &mut Effects<'_>) {
        let Job { id, kind, .. } = *self.job();
        self.groups.load(id, &self.jobs, effects);
        let area = self.rows_area(area, cx);
        // Before the parts are known, the order of the rows is not.
        if self.parts.is_none() && self.outline.len() == 0 {
            return;
        }
        if self.rows.is_settled()
            && let Some(parts) = self.parts.take()
        {
            self.outline.set(parts, &mut self.rows.list);
        }
        let is_current = self.parts.is_none() && self.groups.are_current() && self.rows.is_settled();
        if is_current {
            self.show_undone();
            if let Some(place) = self.rows.take_sought() {
                self.outline.reveal(place, &mut self.rows.list);
            }
        }
        if !self.rows.has_search() {
            self.outline.lay_out(draw::lines_area(area).height, is_current, &mut self.rows.list);
        }
        self.read_range();
        // Until the parts are read again, their old headings stay over their old rows.
        if self.groups.are_current() {
            let words = |row: &JobRow| draft_words(row.row_status, kind).to_owned();
            self.rows.load_visible(area, &mut self.heading, &words, cx, effects);
        }
    }

    fn on_job(&mut self, job: &Job, _: &UiContext) {
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
        self.groups.know(known);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        self.draw_all(frame, area, cx);
    }
}

impl Modal for DraftForm {
    fn has(&self, flag: ModalFlag) -> bool {
        matches!(flag, ModalFlag::Covers | ModalFlag::PreparesSending)
    }

    fn leave(&mut self, effects: &mut Effects<'_>) -> bool {
        self.close(false, effects)
    }

    fn asks(&self) -> Option<ConfirmQuestion> {
        self.confirming.then(|| ConfirmQuestion::send(self.sendable()))
    }

    fn confirm_text(&self, form: &mut FormText<'_>, cx: &UiContext) {
        self.add_text(form, cx);
    }

    fn on_corrected(&mut self, effects: &mut Effects<'_>) -> bool {
        self.corrected(effects);
        true
    }

    fn on_confirmed(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        if self.may_begin(cx, effects) {
            self.begin(effects);
        }
    }
}
