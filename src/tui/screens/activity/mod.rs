//! The Activity tab: every job of the profile, the newest first, and the rows of one job.

mod copyables;
mod draw;
pub(super) mod job_fields;
mod job_order;
mod replacement;
mod rows_preview;

use crate::jobs::{Stop, StopKind};
use crate::tui::input::action::ActionKind;
use crate::tui::input::list_hit::{ListArea, below};
use crate::tui::modals::job_actions::{can, can_resolve, may_revoke, open_menu, revoke_rows, run};
use crate::tui::modals::job_menu::JobMenu;
use crate::tui::modals::resolve_rows::ResolveRows;
use crate::tui::modals::revoke_ids::RevokeIds;
use crate::tui::prelude::*;
use crate::tui::tour::TourPlace;
use crate::tui::widgets::job_rows::{self, RowList, know_rows};
use crate::tui::widgets::marks::Marks;
use crate::tui::widgets::scroll::Scroll;
use crate::tui::widgets::search::{Search, Searched};
use crate::tui::widgets::table_header::Heading;
pub(in crate::tui) use draw::bar;
use job_order::OnlyJobs;
use rows_preview::{RowsPreview, previewed};

#[derive(Default)]
pub struct Activity {
    /// The newest first. Drafts are not here: their form keeps them.
    jobs: Vec<Job>,
    /// The number of imports with kept drafts, which Home opens.
    pub(in crate::tui) drafts: usize,
    /// `None` until the journal was read.
    read: Option<Result<(), String>>,
    request: Option<RequestId>,
    heading: Heading,
    /// The jobs in the order that the user chose. Unused while no order is chosen.
    sorted: Vec<JobId>,
    unsorted: bool,
    selected: Option<JobId>,
    sight: ListArea,
    search: Search,
    only: Option<OnlyJobs>,
    rows: Option<RowList>,
    rows_heading: Heading,
    rows_preview: RowsPreview,
    scroll: Scroll,
    scrolled: Option<(JobId, Option<u64>)>,
    needs_width: usize,
    built: std::cell::Cell<u64>,
    /// Whether the jobs have changed since Home took them.
    pub(super) fresh: bool,
    /// The revocation of each replacement, by the issue job that it waits for.
    replacements: BTreeMap<JobId, JobId>,
    /// The revocations of the replacements whose parts are shown.
    opened: BTreeSet<JobId>,
    /// The marks of jobs whose rows are closed.
    marks: BTreeMap<JobId, Marks<JobRow>>,
    /// The service's time when the screen was last laid out.
    now: Timestamp,
}

impl Activity {
    /// Starts again for another connection. Only the headings stay.
    fn clear(&mut self) {
        let before = std::mem::replace(self, Self::begin());
        (self.heading, self.rows_heading) = (before.heading, before.rows_heading);
    }

    /// Stores the new state of a job and returns the previous one. Ignores drafts.
    pub fn take(&mut self, job: Job) -> Option<Job> {
        if job.phase == Phase::Draft {
            return None;
        }
        if let Some(rows) = self.rows.as_mut().filter(|rows| rows.job() == job.id) {
            rows.changed();
        }
        self.rows_preview.stale |= self.rows_preview.of == Some(job.id);
        self.unsorted = true;
        self.fresh = true;
        if let (Some(_), Some(issue)) = (&job.replaced, job.follows) {
            self.replacements.insert(issue, job.id);
        }
        match self.jobs.binary_search_by(|known| job.id.cmp(&known.id)) {
            Ok(at) => self.jobs.get_mut(at).map(|known| std::mem::replace(known, job)),
            Err(at) => {
                self.jobs.insert(at, job);
                None
            }
        }
    }

    /// Removes a job that the journal does not have. Returns whether it was in the list.
    pub fn remove(&mut self, id: JobId) -> bool {
        let Ok(at) = self.jobs.binary_search_by(|known| id.cmp(&known.id)) else { return false };
        self.jobs.remove(at);
        self.replacements.retain(|issue, revoke| *issue != id && *revoke != id);
        if self.rows.as_ref().is_some_and(|rows| rows.job() == id) {
            self.rows = None;
        }
        self.marks.remove(&id);
        (self.unsorted, self.fresh) = (true, true);
        true
    }

    /// Newest first.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// `None` until the journal was read. After that, an unknown job is a new job.
    pub fn read(&self) -> Option<&Result<(), String>> {
        self.read.as_ref()
    }

    /// Shows a job: its rows with these statuses, or the list if there are none.
    pub fn show(&mut self, id: JobId, statuses: Vec<RowStatus>) {
        self.heading.close();
        self.rows_heading.close();
        self.selected = Some(id);
        self.only = None;
        self.set_rows((!statuses.is_empty()).then(|| RowList::new(id, statuses)));
    }

    /// Opens the rows of a job or closes them. The marks stay with their job.
    fn set_rows(&mut self, rows: Option<RowList>) {
        if let Some(mut closed) = std::mem::replace(&mut self.rows, rows) {
            closed.marks.forget_range();
            if closed.marks.has_changes() || !closed.marks.is_empty() {
                self.marks.insert(closed.job(), closed.marks);
            }
        }
        if let Some(open) = &mut self.rows {
            open.marks = self.marks.remove(&open.job()).unwrap_or_default();
        }
    }

    fn close_rows(&mut self, effects: &mut Effects<'_>) {
        let marked = self.marked().count() as u64;
        self.set_rows(None);
        if marked > 0 {
            effects.say(plural!(marked, "{n} row stays marked.", "{n} rows stay marked."));
        }
    }

    /// Returns to the list and selects its first job, which is the one just started.
    pub fn select_newest(&mut self) {
        self.set_rows(None);
        self.heading.close();
        self.rows_heading.close();
        self.selected = None;
        self.only = None;
    }

    /// The number of rows of the list that are not finished, shown or not.
    pub fn open(&self) -> usize {
        self.all_listed().filter(|job| self.shown(job).is_unfinished()).count()
    }

    pub fn is_sending(&self) -> bool {
        self.jobs.iter().any(|job| job.is_sending() && job.is_mine())
    }

    /// The job that the keys act on: the open or the selected one, otherwise the newest.
    pub fn job(&self) -> Option<&Job> {
        if let Some(open) = self.rows.as_ref().and_then(|rows| self.find(rows.job())) {
            return Some(open);
        }
        let selected = self.selected.and_then(|id| self.find(id)).filter(|job| self.is_listed(job));
        let first = || if self.only.is_some() { self.listed_jobs().next() } else { self.jobs.first() };
        selected.or_else(first)
    }

    /// Whether the screen shows this job: the rows of it, or its row of the list, as they were last laid out.
    pub fn shows(&self, id: JobId) -> bool {
        if let Some(rows) = &self.rows {
            return rows.job() == id;
        }
        let (row, seen) = (self.row_of(id), self.sight.shown());
        self.listed_jobs().skip(seen.start).take(seen.len()).any(|job| job.id == row)
    }

    pub fn find(&self, id: JobId) -> Option<&Job> {
        let at = self.jobs.binary_search_by(|known| id.cmp(&known.id)).ok()?;
        self.jobs.get(at)
    }

    /// Selects the next job that the search finds. With `here`, the selected job counts.
    fn find_next(&mut self, forward: bool, here: bool) {
        let text = |job: &Job| {
            let shown = self.shown(job);
            let file = job.origin.as_ref().map_or(String::new(), |origin| origin.name().to_string());
            format!("#{} {} {} {} {file}", job.id, tr(shown.kind_name()), shown.title, job.title)
        };
        let texts: Vec<String> = self.listed_jobs().map(text).collect();
        let finds = |place: usize| texts.get(place).is_some_and(|text| self.search.finds(text));
        if let Some(place) = self.search.next(self.at(), texts.len(), forward, here, finds) {
            self.select(place);
        }
    }

    fn all_marks(&mut self) -> impl Iterator<Item = (JobId, &mut Marks<JobRow>)> {
        let open = self.rows.iter_mut().map(|rows| (rows.job(), &mut rows.marks));
        open.chain(self.marks.iter_mut().map(|(job, marks)| (*job, marks)))
    }

    fn marked(&self) -> impl Iterator<Item = &JobRow> {
        self.rows.iter().flat_map(|rows| rows.marks.values())
    }

    /// The pane of another job or row begins at its first line.
    fn restart_pane(&mut self) {
        let row = self.rows.as_ref().map(|rows| rows.list.selected().map(|row| row.no));
        let shown = self.job().map(|job| (job.id, row.flatten()));
        if self.scrolled != shown {
            self.scrolled = shown;
            self.scroll.reset();
        }
    }

    /// Shows only the rows of the next status. After the last status, shows all rows again.
    fn only_next(&mut self, effects: &mut Effects<'_>) {
        let Some(job) = self.job() else { return };
        let mut there = job.by_urgency().into_iter().map(|(status, _)| status);
        let Some(rows) = &mut self.rows else { return };
        if let Some(now) = rows.row_statuses().first() {
            there.find(|status| status == now);
        }
        rows.only(there.next().into_iter().collect(), effects);
    }

    fn command(&self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) {
        let Some(job) = self.job_for(action) else {
            effects.say(t!("There is no job here."));
            return;
        };
        let marked: Vec<JobRow> = self.marked().cloned().collect();
        match action {
            Action::Export => open_menu(JobMenu::export(job, marked, self.listed()), effects),
            Action::Undo if !marked.is_empty() => revoke_rows(job, &marked, cx, effects),
            Action::Resolve if !marked.is_empty() => {
                match ResolveRows::marked(job, &marked).filter(|_| job.may_act()) {
                    Some(form) => effects.show(form),
                    None => effects.say(t!("There is nothing to resolve in the marked rows.")),
                }
            }
            Action::Resolve => match self.rows.as_ref().and_then(|rows| rows.list.selected()) {
                Some(row) if can_resolve(row, job) => effects.show(ResolveRows::one(job, row.clone())),
                _ => effects.say(
                    t!("There is nothing to resolve in this row. lapel checks rows in doubt and sends none of them again meanwhile."),
                ),
            },
            _ => run(job, action, &marked, effects),
        }
    }
}

impl Component for Activity {
    fn key_contexts(&self) -> Vec<KeyContext> {
        let inner = if self.rows.is_some() { KeyContext::JobRows } else { KeyContext::Activity };
        if let Some(menu) = self.shown_heading().over() {
            return menu;
        }
        let search = match &self.rows {
            Some(rows) => rows.over(),
            None => self.search.over(),
        };
        if let Some(search) = search {
            return search;
        }
        vec![inner, KeyContext::List, KeyContext::Global, KeyContext::Always]
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        let Some(job) = self.job() else {
            return !matches!(
                action,
                Action::Open
                    | Action::Check
                    | Action::Copy
                    | Action::Sort
                    | Action::ChooseColumns
                    | Action::SaveList
                    | Action::Search
                    | Action::Raw
                    | Action::Only
            ) && !action.is(ActionKind::OfJob);
        };
        let row = self.rows.as_ref().and_then(|rows| rows.list.selected());
        match action {
            Action::NextMatch | Action::PreviousMatch => match &self.rows {
                Some(rows) => rows.is_searched(),
                None => self.search.text().is_some(),
            },
            Action::Open => row.is_none_or(|row| row.badge_id.is_some()),
            Action::Raw => row.is_some_and(|row| row.badge_id.is_some()),
            Action::Wallet => row.is_some_and(|row| !row.address.looks_empty()),
            Action::Resolve if self.marked().next().is_some() => {
                self.marked().any(|row| can_resolve(row, job))
            }
            Action::Resolve => row.is_some_and(|row| can_resolve(row, job)),
            Action::Undo if self.marked().next().is_some() => self.marked().any(|row| may_revoke(row, job)),
            Action::SaveList => self.listed().is_some(),
            Action::UndoLast => self.rows.as_ref().is_some_and(|rows| rows.marks.has_changes()),
            Action::ClearMarks => self.marked().next().is_some(),
            Action::Check => job.is_open(),
            Action::Only => self.rows.is_some() || self.jobs.len() > 1,
            _ => !action.is(ActionKind::OfJob) || self.selected_jobs().iter().any(|job| can(action, job)),
        }
    }

    fn hint(&self, action: Action) -> &'static str {
        match action {
            Action::Undo if self.marked().next().is_some() => Action::Revoke.hint(),
            Action::Only if self.rows.is_none() => Action::Filter.hint(),
            _ => action.hint(),
        }
    }

    fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        self.now = cx.clock().utc();
        if let Some(done) = self.act_heading(action, cx, effects) {
            return done;
        }
        if action.is(ActionKind::OfJob) {
            if self.job().is_some() && self.job_for(action).is_none() {
                if action == Action::Check {
                    // It is harmless for both parts.
                    self.selected_jobs().into_iter().for_each(|job| run(job, action, &[], effects));
                    return true;
                }
                self.open_replacement();
                effects.say(t!("A replacement has two jobs. Choose one of them."));
            } else {
                self.command(action, cx, effects);
            }
            return true;
        }
        if matches!(action, Action::PreviewDown | Action::PreviewUp) {
            self.scroll.on_action(action);
            return true;
        }
        match &mut self.rows {
            Some(rows) if rows.over().is_some() => return rows.on_action(action, effects),
            Some(rows) => match action {
                _ if rows.mark(action, cx, effects) => {}
                Action::SaveList => {
                    let job = self.jobs.iter().find(|job| job.id == rows.job());
                    rows.save(job, &self.rows_heading, cx, effects);
                }
                Action::Back if !rows.is_searched() => self.close_rows(effects),
                Action::Only => self.only_next(effects),
                Action::Open => match rows.list.selected().and_then(|row| row.badge_id.clone()) {
                    Some(id) => {
                        let template_id = self.job().and_then(|job| job.template_id.clone());
                        effects
                            .go
                            .push(Navigate::Badge(ListedBadge { template_id, ..ListedBadge::unlisted(id) }));
                    }
                    None => effects.say(t!("This row has no badge id yet, so no badge can be opened.")),
                },
                Action::Wallet => match rows.list.selected().filter(|row| !row.address.looks_empty()) {
                    Some(row) => effects.go.push(Navigate::Holder(row.address.wire().to_owned())),
                    None => effects.say(t!("This row has no e-mail address to look up.")),
                },
                Action::Raw if rows.list.selected().is_some_and(|row| row.badge_id.is_none()) => {
                    effects.say(t!("This row has no badge id yet, so the service has no record of it."));
                }
                _ => return rows.on_action(action, effects),
            },
            None => match action {
                Action::Raw if self.job().is_some() => {
                    let open = cx.key(&[KeyContext::Activity, KeyContext::List], Action::Open);
                    effects.say(t!(
                        "The service has no record of a job. {open} opens its rows; a row has the record of its badge.",
                        open
                    ));
                }
                Action::Ids => effects.open(RevokeIds::new),
                Action::SaveList => self.save_jobs(cx, effects),
                Action::Sort | Action::ChooseColumns => {
                    effects.say(t!("There are no jobs here to sort."));
                }
                Action::Open if self.open_replacement() => {}
                Action::Open => self.set_rows(self.job().map(|job| RowList::new(job.id, Vec::new()))),
                Action::Only if self.jobs.is_empty() => effects.say(t!("There are no jobs here to filter.")),
                Action::Only => self.only_next_jobs(),
                Action::Back
                    if self.search.over().is_none()
                        && self.search.text().is_none()
                        && (self.close_replacement() || self.only.take().is_some()) => {}
                // A job shows its number with this sign.
                Action::GoToRow => self.search.open_for_number(),
                _ => match self.search.on_action(action) {
                    Searched::Nothing => {
                        let listed = self.listed_jobs().count();
                        match self.sight.moved(action, self.at(), listed) {
                            Some(at) => self.select(at),
                            None => return false,
                        }
                    }
                    Searched::Changed => {}
                    Searched::Step { forward } => self.find_next(forward, false),
                },
            },
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, effects: &mut Effects<'_>) -> bool {
        if self.shown_heading().over().is_some() {
            return self.shown_heading_mut().on_text_key(key);
        }
        if let Some(rows) = &mut self.rows {
            return rows.on_text_key(key, effects);
        }
        let typed = self.search.on_text_key(key);
        if typed {
            self.find_next(true, true);
        }
        typed
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, effects: &mut Effects<'_>) {
        if self.shown_heading_mut().on_paste(text) {
            return;
        }
        if let Some(rows) = &mut self.rows {
            rows.on_paste(text, effects);
        } else if self.search.on_paste(text) {
            self.find_next(true, true);
        }
    }

    fn on_click(&mut self, at: Position, area: Rect, _: &UiContext, _: &mut Effects<'_>) -> Clicked {
        if let Some(clicked) = self.shown_heading_mut().on_click(at) {
            return clicked;
        }
        let rows_area = self.row_panes(area).list;
        if let Some(rows) = &mut self.rows {
            return Clicked::changed(rows_area.contains(at) && rows.on_click(rows_area, at.y));
        }
        let mut selected = self.at();
        let is_job = self.sight.click(at, &mut selected, Action::Open) != Clicked::Nothing;
        if is_job {
            self.select(selected);
        }
        Clicked::changed(is_job)
    }

    fn on_response(&mut self, reply: Reply, _: &UiContext, effects: &mut Effects<'_>) -> Handled {
        let Reply { id, response } = reply;
        match response {
            Response::Jobs(jobs) if self.request == Some(id) => {
                self.request = None;
                self.fresh = true;
                self.read = Some(jobs.as_ref().map(|_| ()).map_err(Clone::clone));
                let mut interrupted = Vec::new();
                for job in jobs.unwrap_or_default() {
                    let is_interrupted = |stop: &Stop| stop.kind == StopKind::Interrupted;
                    let has_ended = job.stop.as_ref().is_some_and(is_interrupted) && job.can_resume();
                    interrupted.extend(has_ended.then_some(job.id));
                    // A job that arrived while lapel read the list is newer than the list.
                    if self.find(job.id).is_none() {
                        self.take(job);
                    }
                }
                if !interrupted.is_empty() {
                    let text = plural!(
                        interrupted.len() as u64,
                        "{n} job was interrupted. See the Activity tab.",
                        "{n} jobs were interrupted. See the Activity tab."
                    );
                    effects.news = Some(News { text, bad: true, jobs: interrupted });
                }
                Ok(())
            }
            Response::Rows(rows) if self.rows_preview.request == Some(id) => {
                self.rows_preview.request = None;
                self.rows_preview.rows =
                    rows.map(|page| page.items.into_iter().map(|(_, row)| row).collect()).unwrap_or_default();
                Ok(())
            }
            response => match &mut self.rows {
                Some(rows) => rows.on_response(Reply { id, response }, effects),
                None => Err(Reply { id, response }),
            },
        }
    }

    fn load_visible(&mut self, area: Rect, cx: &UiContext, effects: &mut Effects<'_>) {
        self.now = cx.clock().utc();
        let rows_area = self.row_panes(area).list;
        if let Some(rows) = &mut self.rows {
            let job = self.jobs.iter().find(|job| job.id == rows.job());
            let words = |row: &JobRow| job_rows::row_fields::words_in_list(row, job, cx);
            rows.load_visible(rows_area, &mut self.rows_heading, &words, cx, effects);
            self.restart_pane();
            return;
        }
        self.arrange(cx);
        let list = below(self.panes(area).list, 1);
        self.heading.set_own(job_fields::own(usize::from(list.width), self.needs_width));
        self.heading.set_room(usize::from(list.width).saturating_sub(3));
        self.restart_pane();
        self.sight.lay(list, self.at(), self.listed_jobs().count());
        let Some((id, statuses)) = self.job().map(|job| (job.id, previewed(job))) else { return };
        self.rows_preview.load(id, statuses, effects);
    }

    fn know(&self, known: &mut KnownWords) {
        let rows = self.rows.iter().flat_map(|rows| rows.list.loaded().map(|(_, row)| row));
        know_rows(rows.chain(&self.rows_preview.rows), &self.jobs, known);
    }

    fn tour_place(&self) -> TourPlace {
        match self.key_contexts().first() {
            Some(KeyContext::JobRows) => TourPlace::JobRows,
            _ => TourPlace::Activity,
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        match &self.rows {
            Some(rows) => self.draw_rows(frame, area, cx, rows),
            None => self.draw_jobs(frame, area, cx),
        }
    }
}
