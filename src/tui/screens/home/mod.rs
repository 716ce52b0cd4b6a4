//! Home: what needs a person, what lapel checks, what runs, what comes soon, and the badges issued over time.
//!
//! Opening Home costs no request. It shows the jobs of the journal and the counts of the index, if there is one. The
//! counts and the lists of badges behind them open inside Home.

mod badge_rows;
pub(in crate::tui::screens) mod counts;
mod draw;
mod lines;
mod mails;

use crate::export::Cost;
use crate::tui::input::list_hit::moved;
use crate::tui::modals::confirm_action::ConfirmAction;
use crate::tui::modals::draft::{imports, titles};
use crate::tui::modals::job_actions::{can, run};
use crate::tui::platform::images::PictureRequest;
use crate::tui::prelude::*;
use crate::tui::widgets::copying::Copyables;
use crate::tui::widgets::needs::{self, is_checked};
use crate::tui::worker::job_command::JobCommand;
use counts::BadgeCounts;
use counts::sections::CountsSection;
use draw::{LaidOutFor, Placed};
use lines::{HomeLine, HomeLineId, IndexState, lines, of_jobs};
use mails::{FailedMailList, MailSource};
use std::cell::RefCell;
use std::rc::Rc;

pub struct Home {
    of_jobs: Vec<HomeLine>,
    needing: usize,
    journal: JournalReadState,
    drafts: HomeDrafts,
    lines: Vec<HomeLine>,
    /// Whether the jobs or the counts have changed since the lines were made.
    stale: bool,
    selected: Option<HomeLineId>,
    /// The line of the selection, for when its subject is gone.
    at: usize,
    top: usize,
    height: usize,
    counts: BadgeCounts,
    mails: Option<Box<FailedMailList>>,
    shown: HomePart,
    /// The rows of the screen, from the last layout, and what they were laid out for.
    laid_out: RefCell<Option<(LaidOutFor, Rc<Vec<Placed>>)>>,
    /// Badges of the history, if lapel has seen their number, and the request for it.
    history: Option<u64>,
    history_request: Option<RequestId>,
}

#[derive(Default)]
struct HomeDrafts {
    kept: Vec<Job>,
    /// The number of imports that made them.
    imports: usize,
    request: Option<RequestId>,
    /// Whether a job command may have changed them since.
    stale: bool,
    /// Whether the first reading found some, and the user does not know yet. `None` before it.
    untold: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JournalReadState {
    Reading,
    Read,
    Failed(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HomePart {
    Lines,
    Counts,
    /// A list of badges that was opened from a line. Back returns to the lines.
    List,
    Mails(MailsFrom),
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

impl Default for Home {
    fn default() -> Self {
        Self {
            of_jobs: Vec::new(),
            needing: 0,
            journal: JournalReadState::Reading,
            drafts: HomeDrafts::default(),
            lines: Vec::new(),
            stale: true,
            selected: None,
            at: 0,
            top: 0,
            height: 0,
            counts: BadgeCounts::by_week(),
            mails: None,
            shown: HomePart::Lines,
            laid_out: RefCell::default(),
            history: None,
            history_request: None,
        }
    }
}

impl Home {
    pub fn take_jobs(&mut self, jobs: &[Job], journal: JournalReadState, cx: &UiContext) {
        let now = cx.clock().utc();
        self.needing = needs::count(jobs, now);
        self.of_jobs = of_jobs(jobs, now);
        self.journal = journal;
        self.stale = true;
    }

    /// Reads the kept drafts of another connection, and the history into the index if the profile reads it at the
    /// start. Also while another tab is shown.
    pub fn restart(&mut self, cx: &UiContext, out: &mut Effects<'_>) {
        if cx.session().and_then(|session| session.index.as_ref()).is_some_and(|index| index.reads_at_start) {
            self.counts.on_action(Action::Reload, cx, out);
        }
        self.drafts = HomeDrafts { request: Some(out.ask(Request::KeptDrafts)), ..HomeDrafts::default() };
        self.stale = true;
    }

    /// The number of lines that offer kept drafts.
    pub fn kept_drafts(&self) -> usize {
        self.drafts.imports
    }

    /// Reads the kept drafts again, if they may have changed.
    pub fn read_drafts(&mut self, out: &mut Effects<'_>) {
        if std::mem::take(&mut self.drafts.stale) {
            self.drafts.request = Some(out.ask(Request::KeptDrafts));
        }
    }

    /// Tells that drafts are kept, once, while another tab is shown.
    pub fn tell_drafts(&mut self, cx: &UiContext, out: &mut Effects<'_>) {
        if self.drafts.untold == Some(true) {
            self.drafts.untold = Some(false);
            let imports = imports(&self.drafts.kept);
            out.say(plural!(
                imports.len() as u64,
                "{n} draft is kept: {titles}. {key} shows it on Home.",
                "{n} drafts are kept: {titles}. {key} shows them on Home.",
                titles = list(imports.iter().take(TITLES).map(|import| titles(import))),
                key = cx.key(STACK, Action::Home)
            ));
        }
    }

    /// Called when a job command has ended: drafts may have been added, started or removed.
    pub fn drafts_changed(&mut self) {
        self.drafts.stale = true;
    }

    /// Takes the number of badges in the history. It says what an index costs.
    pub fn take_history(&mut self, badges: Option<u64>) {
        self.history = badges.or(self.history);
        self.counts.cost = self.index_cost();
    }

    pub fn needs(&self) -> usize {
        self.needing
    }

    pub fn close(&mut self) {
        self.shown = HomePart::Lines;
        self.mails = None;
    }

    /// Lists the failed mails of a job that another tab shows.
    pub fn list_mails(&mut self, job: JobId, out: &mut Effects<'_>) {
        self.show_mails(MailSource::Journal(Some(job)), MailsFrom::AnotherTab, out);
    }

    fn show_mails(&mut self, source: MailSource, from: MailsFrom, out: &mut Effects<'_>) {
        self.mails = Some(Box::new(FailedMailList::new(source, out)));
        self.shown = HomePart::Mails(from);
    }

    /// Lists all failed mails: of the index if anything was read into it, otherwise of the jobs.
    fn all_mails(&mut self, cx: &UiContext, out: &mut Effects<'_>) {
        let source = match self.counts.all() {
            Some(all) if !all.sums.status.is_empty() => MailSource::Index(self.counts.reading_words(cx).0),
            _ => MailSource::Journal(None),
        };
        let from = if self.shown == HomePart::Lines { MailsFrom::Lines } else { MailsFrom::Counts };
        self.show_mails(source, from, out);
    }

    /// When to read new rows into the index. `None` until the history was read once in this session.
    pub fn due(&self) -> Option<Instant> {
        self.counts.due()
    }

    pub fn tick(&mut self, out: &mut Effects<'_>) {
        self.counts.tick(out);
    }

    pub fn is_reading(&self) -> bool {
        self.counts.is_reading()
    }

    fn index_cost(&self) -> Option<u64> {
        self.history.map(|badges| Cost::of(badges, u32::MAX).requests)
    }

    fn arrange(&mut self, cx: &UiContext) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        let index = match self.counts.all() {
            Some(all) => IndexState::On(all),
            None if self.counts.is_on(cx) => IndexState::Unknown,
            None => IndexState::Off,
        };
        self.lines = lines(&self.of_jobs, &self.drafts.kept, &index);
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
    fn open(&mut self, cx: &UiContext, out: &mut Effects<'_>) {
        let Some(line) = self.line().cloned() else { return };
        match line {
            HomeLine::Need(job, needs) => {
                let heaviest = needs.first().map(|need| need.status);
                // The list of jobs says why a job stopped, and what can follow.
                let rows = heaviest.filter(|status| *status != RowStatus::Ready);
                out.go.push(Navigate::Job(job.id, rows.into_iter().collect()));
            }
            HomeLine::Draft(drafts) => {
                let ids = drafts.iter().map(|job| job.id).collect();
                out.command(JobCommand::OpenDrafts(ids));
            }
            HomeLine::Check(job) => {
                let there = job.counts.iter().map(|(status, _)| status).filter(|status| is_checked(*status));
                out.go.push(Navigate::Job(job.id, there.collect()));
            }
            HomeLine::Run(job) | HomeLine::Theirs(job) => out.go.push(Navigate::Job(job.id, Vec::new())),
            HomeLine::Overdue(_, which, _) => {
                self.counts.list(which, t!("waiting over 24 h").to_owned());
                self.shown = HomePart::List;
            }
            HomeLine::Expiring(_, which) => {
                let title = t!("expiring {when}", when = t!("within 30 days"));
                self.counts.list(which, title);
                self.shown = HomePart::List;
            }
            HomeLine::Mails(..) => self.all_mails(cx, out),
            HomeLine::NoIndex | HomeLine::EmptyIndex | HomeLine::Plot => {
                // One row of the history, for the number of all: Home itself costs no request.
                if !matches!(line, HomeLine::Plot) && self.history.is_none() {
                    let paging = Paging { rows_per_page: 1, ..Paging::full(1) };
                    let query = HistoryQuery { filter: HistoryFilter::default(), paging };
                    out.ask_instead(&mut self.history_request, Request::History(query));
                }
                self.show_counts(CountsSection::Issued);
            }
        }
    }

    fn show_counts(&mut self, section: CountsSection) {
        self.counts.show(section);
        self.shown = HomePart::Counts;
    }

    fn act_on_lines(&mut self, action: Action, cx: &UiContext, out: &mut Effects<'_>) -> bool {
        match action {
            Action::Open => self.open(cx, out),
            Action::Run | Action::Mail => match self.line().and_then(HomeLine::job) {
                Some(job) => run(job, action, &[], out),
                None if action == Action::Mail => self.all_mails(cx, out),
                None => out.say(t!("There is no job here.")),
            },
            Action::DiscardDraft => match self.line() {
                Some(HomeLine::Draft(drafts)) => out.show(ConfirmAction::discard(drafts)),
                _ => out.say(t!("There is no draft here.")),
            },
            Action::Issue => {
                out.go.push(Navigate::Run(Action::Templates));
                let key = cx.key(&[KeyContext::Templates], Action::Issue);
                out.say(t!("Select a template. {key} issues its badge.", key));
            }
            Action::LookUp => out.go.push(Navigate::Run(Action::WalletTab)),
            Action::Period if self.has_plot() => self.counts.next_period(),
            Action::Reload | Action::IndexOn | Action::IndexStop => {
                return self.counts.on_action(action, cx, out);
            }
            _ => match moved(action, self.at, self.lines.len(), self.height) {
                Some(at) => self.go_to(at),
                None => return false,
            },
        }
        true
    }
}

impl Screen for Home {
    fn on_opened(&mut self) {
        self.counts.opened();
    }

    fn can_go_back(&self) -> bool {
        self.shown != HomePart::Lines
    }

    fn has_pane(&self) -> bool {
        self.shown != HomePart::Lines
    }

    fn rows_built(&self) -> u64 {
        match self.shown {
            HomePart::Lines => self.lines.len() as u64,
            HomePart::Counts | HomePart::List => self.counts.rows_built(),
            HomePart::Mails(_) => self.mails.as_ref().map_or(0, |mails| mails.rows_built()),
        }
    }

    fn picture(&self, area: Rect, cx: &UiContext) -> Option<PictureRequest> {
        match self.shown {
            HomePart::Lines => None,
            HomePart::Counts | HomePart::List => self.counts.picture(area, cx),
            HomePart::Mails(_) => self.mails.as_ref()?.picture(area, cx),
        }
    }

    fn copyables(&self, cx: &UiContext) -> Copyables {
        match (self.shown, &self.mails) {
            (HomePart::Mails(_), Some(mails)) => mails.copyables(cx),
            (HomePart::Counts | HomePart::List, _) => self.counts.copyables(cx),
            _ => Copyables::default(),
        }
    }

    fn records(&self) -> Vec<RawOf> {
        match (self.shown, &self.mails) {
            (HomePart::Mails(_), Some(mails)) => mails.records(),
            (HomePart::Counts | HomePart::List, _) => self.counts.records(),
            _ => Vec::new(),
        }
    }

    fn refresh(&mut self, _: &UiContext, _: &mut Effects<'_>) {
        // Nothing to do: the journal reports changes itself, and the index is read only on request.
    }
}

impl Component for Home {
    fn key_contexts(&self) -> Vec<KeyContext> {
        match self.shown {
            HomePart::Lines => STACK.to_vec(),
            HomePart::Counts | HomePart::List => self.counts.key_contexts(),
            HomePart::Mails(_) => {
                self.mails.as_ref().map_or_else(|| STACK.to_vec(), |mails| mails.key_contexts())
            }
        }
    }

    fn is_enabled(&self, action: Action, cx: &UiContext) -> bool {
        match (self.shown, &self.mails) {
            (HomePart::Mails(_), Some(mails)) => return mails.is_enabled(action),
            (HomePart::Lines, _) => {}
            _ => return self.counts.is_enabled(action, cx),
        }
        match action {
            Action::Open => self.line().is_some(),
            Action::Period => self.has_plot(),
            Action::DiscardDraft => matches!(self.line(), Some(HomeLine::Draft(_))),
            Action::Run | Action::Mail => match self.line().and_then(HomeLine::job) {
                Some(job) => can(action, job),
                None => action == Action::Mail && !self.lines.is_empty(),
            },
            Action::IndexOn | Action::IndexStop | Action::Reload => self.counts.is_enabled(action, cx),
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, cx: &UiContext, out: &mut Effects<'_>) -> bool {
        if self.shown == HomePart::Lines {
            return self.act_on_lines(action, cx, out);
        }
        if let (HomePart::Mails(from), Some(mails)) = (self.shown, &mut self.mails) {
            if mails.on_action(action, cx, out) {
                return true;
            }
            if action != Action::Back {
                return false;
            }
            self.close();
            if from == MailsFrom::Counts {
                self.shown = HomePart::Counts;
            }
            return from != MailsFrom::AnotherTab;
        }
        if self.counts.on_action(action, cx, out) {
            if self.shown == HomePart::List && !self.counts.is_over_bars() {
                self.close();
            }
            return true;
        }
        match action {
            Action::Back => self.close(),
            // The bar of the failures that are in no domain's group.
            Action::Open => self.all_mails(cx, out),
            _ => return false,
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, out: &mut Effects<'_>) -> bool {
        match (self.shown, &mut self.mails) {
            (HomePart::Mails(_), Some(mails)) => mails.on_text_key(key),
            (HomePart::Lines, _) => false,
            _ => self.counts.on_text_key(key, out),
        }
    }

    fn on_paste(&mut self, text: &str, cx: &UiContext, out: &mut Effects<'_>) {
        match (self.shown, &mut self.mails) {
            (HomePart::Mails(_), Some(mails)) => mails.on_paste(text),
            (HomePart::Lines, _) => {}
            _ => self.counts.on_paste(text, cx, out),
        }
    }

    fn on_click(&mut self, at: Position, area: Rect, cx: &UiContext, out: &mut Effects<'_>) -> Clicked {
        match (self.shown, &mut self.mails) {
            (HomePart::Mails(_), Some(mails)) => return mails.on_click(at, area, cx),
            (HomePart::Lines, _) => {}
            _ => return self.counts.on_click(at, area, cx, out),
        }
        let row = self.top + usize::from(at.y.saturating_sub(area.y));
        let hit = self.laid_out(area, cx).get(row).and_then(|row| row.line);
        if let Some(line) = hit {
            self.go_to(line);
        }
        Clicked::changed(hit.is_some())
    }

    fn on_progress(&mut self, request: RequestId, done: u64, all: u64) -> bool {
        self.counts.on_progress(request, done, all)
    }

    fn load_visible(&mut self, area: Rect, cx: &UiContext, out: &mut Effects<'_>) {
        match (self.shown, &mut self.mails) {
            (HomePart::Mails(_), Some(mails)) => return mails.lay_out(area, cx, out),
            (HomePart::Lines, _) => {}
            _ => return self.counts.load_visible(area, cx, out),
        }
        self.counts.count(cx, out);
        self.read_drafts(out);
        // They are on the screen.
        self.drafts.untold = self.drafts.untold.map(|_| false);
        self.arrange(cx);
        self.laid_out.take();
        let rows = self.laid_out(area, cx);
        self.height = usize::from(self.visible(rows.len(), area)).max(1);
        let is_here = |row: &Placed| row.line == Some(self.at);
        let first = rows.iter().position(is_here).unwrap_or(0);
        let last = rows.iter().rposition(is_here).unwrap_or(0);
        // The heading of the first line scrolls into view with it.
        let first = if self.at == 0 { 0 } else { first };
        let most = rows.len().saturating_sub(self.height);
        self.top = self.top.min(first).max((last + 1).saturating_sub(self.height)).min(most);
    }

    fn on_response(&mut self, reply: Reply, cx: &UiContext, out: &mut Effects<'_>) -> Handled {
        self.stale = true;
        let Reply { id, response } = reply;
        match response {
            Response::History(page) if self.history_request == Some(id) => {
                self.history_request = None;
                self.take_history(page.ok().and_then(|page| page.total_count));
                Ok(())
            }
            Response::KeptDrafts(kept) if self.drafts.request == Some(id) => {
                self.drafts.request = None;
                match kept {
                    Ok(kept) => self.drafts.kept = kept,
                    Err(why) => out.warn(why),
                }
                let imports = imports(&self.drafts.kept);
                self.drafts.imports = imports.len();
                self.drafts.untold.get_or_insert(!imports.is_empty());
                Ok(())
            }
            response => {
                let reply = Reply { id, response };
                let handled = match &mut self.mails {
                    Some(mails) => mails.on_response(reply, out),
                    None => Err(reply),
                };
                handled.or_else(|reply| self.counts.on_response(reply, cx, out))
            }
        }
    }

    fn know(&self, known: &mut KnownWords) {
        if let Some(mails) = &self.mails {
            mails.know(known);
        }
        self.counts.know(known);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        match (self.shown, &self.mails) {
            (HomePart::Mails(_), Some(mails)) => mails.draw(frame, area, cx),
            (HomePart::Counts | HomePart::List, _) => self.counts.draw(frame, area, cx),
            _ => self.draw_lines(frame, area, cx),
        }
    }
}
