//! Home: what needs a person, what lapel checks, what runs, what comes soon, and the badges issued over time.
//!
//! It shows the jobs of the journal and the counts of the index. Where there is no index, one request counts the badges
//! of the history, which says what an index costs; nothing else here costs a request. The counts and the lists of badges
//! behind them open inside Home.

mod badge_rows;
pub(in crate::tui::screens) mod counts;
mod draw;
mod home_lines;
mod mails;

use crate::jobs::{Code, RecentLoss};
use crate::tui::modals::confirm_action::ConfirmAction;
use crate::tui::modals::draft::{imports, titles};
use crate::tui::modals::job_actions::{can, run};
use crate::tui::needs::{self, is_checked};
use crate::tui::prelude::*;
use crate::tui::widgets::copying::Copyables;
use counts::BadgeCounts;
use counts::sections::CountsSection;
use draw::{Placed, visible};
use home_lines::{HomeLine, HomeLineId, lines, of_jobs};
use mails::{FailedMailList, MailSource};

#[derive(Default)]
pub struct Home {
    of_jobs: Vec<HomeLine>,
    /// The number of jobs with a problem.
    pub(in crate::tui) needing: usize,
    /// `None` until the journal was read, or why it could not be.
    journal: Option<Result<(), String>>,
    drafts: HomeDrafts,
    loss: LossNote,
    lines: Vec<HomeLine>,
    /// Whether the jobs or the counts have changed since the lines were made.
    stale: bool,
    selected: Option<HomeLineId>,
    /// The line of the selection, for when its subject is gone.
    at: usize,
    sight: ListArea,
    counts: BadgeCounts,
    shown: HomePart,
    /// The rows of the screen, from the last layout.
    rows: Vec<Placed>,
    /// For the number of badges in the history. Also after its response: it is made once per connection.
    history_request: Option<RequestId>,
}

#[derive(Default)]
struct HomeDrafts {
    kept: Vec<Job>,
    request: Option<RequestId>,
    /// Whether they may have changed since.
    stale: bool,
    /// Whether the first reading found some, and the user does not know yet. `None` before it.
    untold: Option<bool>,
}

/// Whether a team's database lost writes a short time ago.
#[derive(Default)]
struct LossNote {
    recent: Option<RecentLoss>,
    request: Option<RequestId>,
    /// Whether that is not known, or may have changed since.
    stale: bool,
}

#[derive(Default)]
enum HomePart {
    #[default]
    Lines,
    Counts,
    /// A list of badges that was opened from a line. Back returns to the lines.
    List,
    Mails(Box<FailedMailList>, MailsFrom),
}

/// What can be shown in place of the lines.
trait HomePane: Component {
    fn rows_built(&self) -> u64;
    fn picture(&self, area: Rect, cx: &UiContext) -> Option<PictureRequest>;
    fn copyables(&self, cx: &UiContext) -> Copyables;
    fn records(&self) -> Vec<RawOf>;
}

/// What Back from the failed mails returns to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MailsFrom {
    Lines,
    Counts,
    AnotherTab,
}

/// Maximum number of titles in the message about kept drafts.
const TITLES: usize = 3;

const STACK: &[KeyContext] = &[KeyContext::Home, KeyContext::List, KeyContext::Global, KeyContext::Always];

impl Home {
    /// `None` while the lines are shown.
    fn pane(&self) -> Option<&dyn HomePane> {
        match &self.shown {
            HomePart::Lines => None,
            HomePart::Counts | HomePart::List => Some(&self.counts),
            HomePart::Mails(mails, _) => Some(mails.as_ref()),
        }
    }

    fn pane_mut(&mut self) -> Option<&mut dyn HomePane> {
        match &mut self.shown {
            HomePart::Lines => None,
            HomePart::Counts | HomePart::List => Some(&mut self.counts),
            HomePart::Mails(mails, _) => Some(mails.as_mut()),
        }
    }

    pub fn take_jobs(&mut self, jobs: &[Job], read: Result<(), String>, cx: &UiContext) {
        let now = cx.clock().utc();
        self.needing = needs::count(jobs, now);
        self.of_jobs = of_jobs(jobs, now, cx.person());
        self.journal = Some(read);
        self.stale = true;
    }

    /// Reads the kept drafts of another connection, and the history into the index if the profile reads it at the
    /// start. Also while another tab is shown.
    fn restart(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        if cx.session().and_then(|session| session.index.as_ref()).is_some_and(|index| index.reads_at_start) {
            self.counts.on_action(Action::Reload, cx, effects);
        }
        self.loss.stale = true;
        self.drafts =
            HomeDrafts { request: Some(effects.request(Request::KeptDrafts)), ..HomeDrafts::default() };
        self.stale = true;
    }

    /// The kept drafts of each import.
    pub fn kept_drafts(&self) -> Vec<Vec<Job>> {
        imports(&self.drafts.kept)
    }

    /// Reads the kept drafts if they may have changed.
    pub fn read_drafts(&mut self, effects: &mut Effects<'_>) {
        if std::mem::take(&mut self.drafts.stale) {
            self.drafts.request = Some(effects.request(Request::KeptDrafts));
        }
    }

    /// Tells that drafts are kept, once, while another tab is shown.
    pub fn tell_drafts(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        if self.drafts.untold == Some(true) {
            self.drafts.untold = Some(false);
            let imports = imports(&self.drafts.kept);
            effects.say(plural!(
                imports.len() as u64,
                "{n} draft is kept: {titles}. {key} shows it on Home.",
                "{n} drafts are kept: {titles}. {key} shows them on Home.",
                titles = list(imports.iter().take(TITLES).map(|import| titles(import))),
                key = cx.key(STACK, Action::Home)
            ));
        }
    }

    /// Takes the number of badges in the history. It says what an index costs.
    pub fn take_history(&mut self, badges: Option<u64>) {
        self.counts.history = badges.or(self.counts.history);
    }

    pub fn list_mails(&mut self, job: JobId, effects: &mut Effects<'_>) {
        self.show_mails(MailSource::Journal(Some(job)), MailsFrom::AnotherTab, effects);
    }

    fn show_mails(&mut self, source: MailSource, from: MailsFrom, effects: &mut Effects<'_>) {
        self.shown = HomePart::Mails(Box::new(FailedMailList::new(source, effects)), from);
    }

    /// Lists all failed mails: of the index if anything was read into it, otherwise of the jobs.
    fn all_mails(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        let source = match self.counts.all() {
            Some(all) if !all.sums.status.is_empty() => MailSource::Index(self.counts.reading_words(cx).0),
            _ => MailSource::Journal(None),
        };
        let from = if self.pane().is_none() { MailsFrom::Lines } else { MailsFrom::Counts };
        self.show_mails(source, from, effects);
    }

    fn arrange(&mut self, cx: &UiContext) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        self.lines = lines(&self.of_jobs, &self.drafts.kept, self.counts.all(), self.counts.is_on(cx));
        let known = self.selected.and_then(|id| self.lines.iter().position(|line| line.id() == id));
        self.select(known.unwrap_or(if self.selected.is_some() { self.at } else { 0 }));
    }

    fn select(&mut self, at: usize) {
        self.at = at.min(self.lines.len().saturating_sub(1));
    }

    /// Selects a line when the user asks for it. From then on the selection follows its subject.
    fn go_to(&mut self, at: usize) {
        self.select(at);
        self.selected = self.line().map(HomeLine::id);
    }

    fn has_plot(&self) -> bool {
        self.lines.contains(&HomeLine::Plot)
    }

    fn line(&self) -> Option<&HomeLine> {
        self.lines.get(self.at)
    }

    /// Shows what the line is about. It never sends.
    fn open(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        let Some(line) = self.line().cloned() else { return };
        match line {
            HomeLine::Need(job, needs) => {
                let heaviest = needs.first().map(|need| need.status);
                // The list of jobs says why a job stopped, and what can follow.
                let rows = heaviest.filter(|status| *status != RowStatus::Ready);
                effects.go.push(Navigate::Job(job.id, rows.into_iter().collect()));
            }
            HomeLine::Draft(drafts) => {
                let ids = drafts.iter().map(|job| job.id).collect();
                effects.go.push(Navigate::Drafts(ids));
            }
            HomeLine::Check(job) => {
                let there = job.counts.iter().map(|(status, _)| status).filter(|status| is_checked(*status));
                effects.go.push(Navigate::Job(job.id, there.collect()));
            }
            HomeLine::Run(job) | HomeLine::Theirs(job) => effects.go.push(Navigate::Job(job.id, Vec::new())),
            HomeLine::Overdue(_, which, _) => {
                self.counts.list(which, t!("waiting over 24 h").to_owned());
                self.shown = HomePart::List;
            }
            HomeLine::Expiring(_, which) => {
                let title = t!("expiring {when}", when = t!("within 30 days"));
                self.counts.list(which, title);
                self.shown = HomePart::List;
            }
            HomeLine::Mails(..) => self.all_mails(cx, effects),
            HomeLine::NoIndex | HomeLine::EmptyIndex | HomeLine::Plot => {
                self.counts.show(CountsSection::Issued);
                self.shown = HomePart::Counts;
            }
        }
    }

    /// Counts the badges of the history for the line that says what an index costs. The request is for one row.
    fn count_history(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        let is_wanted = self.lines.contains(&HomeLine::NoIndex) && self.counts.history.is_none();
        // Without the shared rate limit it would wait.
        if is_wanted && self.history_request.is_none() && !cx.is_database_away() {
            let paging = Paging { rows_per_page: 1, ..Paging::full(1) };
            let query = HistoryQuery { filter: HistoryFilter::default(), paging };
            self.history_request = Some(effects.request(Request::History(query).quietly()));
        }
    }

    fn act_on_lines(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        match action {
            Action::Open => self.open(cx, effects),
            Action::Run | Action::Mail => match self.line().and_then(HomeLine::job) {
                Some(job) => run(job, action, &[], effects),
                None if action == Action::Mail => self.all_mails(cx, effects),
                None => effects.say(t!("There is no job here.")),
            },
            Action::DiscardDraft => match self.line() {
                Some(HomeLine::Draft(drafts)) => effects.show(ConfirmAction::discard(drafts)),
                _ => effects.say(t!("There is no draft here.")),
            },
            Action::Issue => {
                effects.go.push(Navigate::Run(Action::Templates));
                let key = cx.key(&[KeyContext::Templates], Action::Issue);
                effects.say(t!("Select a template. {key} issues its badge.", key));
            }
            Action::LookUp => effects.go.push(Navigate::Run(Action::WalletTab)),
            // A job names its holders only in its rows.
            Action::Wallet => match self.line().and_then(HomeLine::job) {
                Some(job) => {
                    let most_urgent =
                        needs::most_urgent_first(job).into_iter().find(|status| job.counts.of(*status) > 0);
                    effects.go.push(Navigate::Job(job.id, most_urgent.into_iter().collect()));
                    let key = cx.key(&[KeyContext::JobRows], Action::Wallet);
                    effects.say(t!(
                        "These are the rows of the job. {key} opens the wallet of the selected one.",
                        key
                    ));
                }
                None => effects.say(t!("This line names no holder.")),
            },
            Action::Period if self.has_plot() => self.counts.next_period(),
            Action::Reload | Action::IndexOn | Action::IndexStop => {
                return self.counts.on_action(action, cx, effects);
            }
            _ => {
                let lines: Vec<_> = self.rows.iter().map(|row| row.line).collect();
                match self.sight.moved_in_rows(action, self.at, &lines) {
                    Some(at) => self.go_to(at),
                    None => return false,
                }
            }
        }
        true
    }
}

impl Screen for Home {
    fn begin() -> Self {
        Self { stale: true, ..Self::default() }
    }

    fn on_opened(&mut self) {
        // Ages depend on the current time.
        self.counts.stale = true;
    }

    fn can_go_back(&self) -> bool {
        self.pane().is_some()
    }

    fn has_pane(&self) -> bool {
        self.pane().is_some()
    }

    fn rows_built(&self) -> u64 {
        self.pane().map_or(self.lines.len() as u64, HomePane::rows_built)
    }

    fn picture(&self, area: Rect, cx: &UiContext) -> Option<PictureRequest> {
        self.pane()?.picture(area, cx)
    }

    fn on_chosen(&mut self) {
        self.shown = HomePart::Lines;
    }

    fn on_connecting(&mut self) {
        *self = Self::begin();
    }

    fn on_journal(&mut self, event: JournalEvent<'_>, cx: &UiContext, effects: &mut Effects<'_>) {
        match event {
            JournalEvent::Opened { .. } => self.restart(cx, effects),
            // It may be another server now.
            JournalEvent::Back => self.loss.stale = true,
            JournalEvent::Failed(_) => {}
        }
    }

    /// Also what another lapel does with a draft. It may have begun since.
    fn on_changed(&mut self, change: &JobChange) {
        // A loss takes jobs away, or puts their rows in doubt.
        let is_of_loss = |job: &Job| job.note.as_ref().is_some_and(|note| note.is(Code::LostWritesNoticed));
        self.loss.stale |= change.job.as_ref().is_none_or(is_of_loss);
        let is_draft = change.job.as_ref().is_some_and(|job| job.phase == Phase::Draft);
        self.drafts.stale |= is_draft || self.drafts.kept.iter().any(|draft| draft.id == change.id);
    }

    fn learn(&mut self, response: &Response) {
        match response {
            // Drafts may have been added, started or removed, and a write may have noticed a loss.
            Response::Done(_) | Response::Drafted(_) => (self.drafts.stale, self.loss.stale) = (true, true),
            // The Wallet may have turned it on for a certificate number.
            Response::IndexOn(Ok(())) => self.counts.turned_on = true,
            _ => {}
        }
    }

    fn due(&self) -> Option<Instant> {
        self.counts.due()
    }

    fn tick(&mut self, effects: &mut Effects<'_>) {
        self.counts.tick(effects);
    }

    fn is_reading_index(&self) -> bool {
        self.counts.is_reading()
    }

    fn counts_needs(&self) -> bool {
        true
    }

    fn copyables(&self, cx: &UiContext) -> Copyables {
        self.pane().map(|pane| pane.copyables(cx)).unwrap_or_default()
    }

    fn records(&self) -> Vec<RawOf> {
        self.pane().map(HomePane::records).unwrap_or_default()
    }
}

impl Component for Home {
    fn key_contexts(&self) -> Vec<KeyContext> {
        self.pane().map_or_else(|| STACK.to_vec(), Component::key_contexts)
    }

    fn is_enabled(&self, action: Action, cx: &UiContext) -> bool {
        if let Some(pane) = self.pane() {
            return pane.is_enabled(action, cx);
        }
        match action {
            Action::Open => self.line().is_some_and(|line| !line.is_open_elsewhere()),
            Action::Period => self.has_plot(),
            Action::DiscardDraft => matches!(self.line(), Some(HomeLine::Draft(_))),
            Action::Wallet => false,
            Action::Run | Action::Mail => match self.line().and_then(HomeLine::job) {
                Some(job) => can(action, job),
                None => action == Action::Mail && !self.lines.is_empty(),
            },
            Action::IndexOn | Action::IndexStop | Action::Reload => self.counts.is_enabled(action, cx),
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        match &mut self.shown {
            HomePart::Lines => return self.act_on_lines(action, cx, effects),
            HomePart::Mails(mails, from) => {
                if mails.on_action(action, cx, effects) {
                    return true;
                }
                if action != Action::Back {
                    return false;
                }
                let from = *from;
                self.shown = if from == MailsFrom::Counts { HomePart::Counts } else { HomePart::Lines };
                return from != MailsFrom::AnotherTab;
            }
            HomePart::Counts | HomePart::List => {}
        }
        if self.counts.on_action(action, cx, effects) {
            if matches!(self.shown, HomePart::List) && self.counts.badge_list.is_none() {
                self.shown = HomePart::Lines;
            }
            return true;
        }
        match action {
            Action::Back => self.shown = HomePart::Lines,
            // The bar of the failures that are in no domain's group.
            Action::Open => self.all_mails(cx, effects),
            _ => return false,
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, effects: &mut Effects<'_>) -> bool {
        self.pane_mut().is_some_and(|pane| pane.on_text_key(key, effects))
    }

    fn on_paste(&mut self, text: &str, cx: &UiContext, effects: &mut Effects<'_>) {
        if let Some(pane) = self.pane_mut() {
            pane.on_paste(text, cx, effects);
        }
    }

    fn on_click(&mut self, at: Position, area: Rect, cx: &UiContext, effects: &mut Effects<'_>) -> Clicked {
        if let Some(pane) = self.pane_mut() {
            return pane.on_click(at, area, cx, effects);
        }
        let row = self.sight.row(at);
        let hit = row.and_then(|row| self.rows.get(row)?.line);
        if let Some(line) = hit {
            self.go_to(line);
        }
        Clicked::changed(hit.is_some())
    }

    fn on_progress(&mut self, request: RequestId, done: u64, all: u64) -> bool {
        self.counts.on_progress(request, done, all)
    }

    fn load_visible(&mut self, area: Rect, cx: &UiContext, effects: &mut Effects<'_>) {
        if let Some(pane) = self.pane_mut() {
            return pane.load_visible(area, cx, effects);
        }
        self.counts.count(cx, effects);
        if std::mem::take(&mut self.loss.stale) && cx.person().is_some() {
            effects.request_instead(&mut self.loss.request, Request::RecentLoss);
        }
        // They are on the screen.
        self.drafts.untold = self.drafts.untold.map(|_| false);
        self.arrange(cx);
        self.count_history(cx, effects);
        self.rows = self.lay_out(area, cx);
        let is_here = |row: &Placed| row.line == Some(self.at);
        let first = self.rows.iter().position(is_here).unwrap_or(0);
        let last = self.rows.iter().rposition(is_here).unwrap_or(0);
        // The heading of the first line scrolls into view with it.
        let first = if self.at == 0 { 0 } else { first };
        let height = visible(self.rows.len(), area);
        self.sight.lay_rows(Rect { height, ..area }, first..=last, self.rows.len());
    }

    fn on_response(&mut self, reply: Reply, cx: &UiContext, effects: &mut Effects<'_>) -> Handled {
        self.stale = true;
        let Reply { id, response } = reply;
        match response {
            Response::History(page) if self.history_request == Some(id) => {
                self.take_history(page.ok().and_then(|page| page.total_count));
                Ok(())
            }
            Response::RecentLoss(recent) if self.loss.request == Some(id) => {
                (self.loss.recent, self.loss.request) = (recent, None);
                Ok(())
            }
            Response::KeptDrafts(kept) if self.drafts.request == Some(id) => {
                self.drafts.request = None;
                match kept {
                    Ok(kept) => self.drafts.kept = kept,
                    Err(why) => effects.warn(why),
                }
                self.drafts.untold.get_or_insert(!self.drafts.kept.is_empty());
                Ok(())
            }
            response => {
                let reply = Reply { id, response };
                let handled = match &mut self.shown {
                    HomePart::Mails(mails, _) => mails.on_response(reply, cx, effects),
                    _ => Err(reply),
                };
                handled.or_else(|reply| self.counts.on_response(reply, cx, effects))
            }
        }
    }

    fn know(&self, known: &mut KnownWords) {
        if let HomePart::Mails(mails, _) = &self.shown {
            mails.know(known);
        }
        self.counts.know(known);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        match self.pane() {
            Some(pane) => pane.draw(frame, area, cx),
            None => self.draw_lines(frame, area, cx),
        }
    }
}
