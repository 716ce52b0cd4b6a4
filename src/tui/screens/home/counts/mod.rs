//! The counts behind Home: issued, revoked, waiting and expiring badges, and failed mails.
//! They come from the local index. The user can list the badges behind every number.

mod badge_list;
pub mod draw;
mod responses;
pub mod sections;

use crate::jobs::PlannedRecipient;
use crate::tui::prelude::*;
use crate::tui::request::IndexOverview;
use crate::tui::screens::home::HomePane;
use crate::tui::widgets::copying::Copyables;
use crate::tui::widgets::search::Search;
use badge_list::BadgeList;
use sections::{CountBar, CountsSection, bars};

/// Number of pages after which the counts are refreshed while the history is read.
const COUNTED_AFTER: u64 = 10;

#[derive(Default)]
pub struct BadgeCounts {
    /// Whether the user turned on an index for this session.
    pub(super) turned_on: bool,
    pub(super) period: Period,
    section: CountsSection,
    cursors: [ListCursor; CountsSection::ALL.len()],
    /// Among the bars of the section.
    search: Search,
    all: Option<Box<IndexOverview>>,
    /// Also why reading the history stopped.
    pub(super) error: Option<String>,
    counting: Option<RequestId>,
    /// Whether the index has changed since the last count.
    pub(super) stale: bool,
    running: Option<RunningCount>,
    /// Whether the history was read in this session.
    looked: bool,
    /// When to read the history again.
    due: Option<Instant>,
    pub(super) badge_list: Option<BadgeList>,
    asked: Option<RequestId>,
    /// With the title of its list.
    export: Option<(RequestId, String)>,
    /// Badges whose own records lapel reads after the user confirms by repeating the action.
    offered: Option<Vec<BadgeId>>,
    /// Plans for issuing badges again, after the same confirmation. Some badges cannot be issued again.
    planned: Option<Vec<ReissuePlan>>,
    /// The number of badges in the history, if lapel knows it. It says what building the index costs.
    pub(super) history: Option<u64>,
}

/// A template and the recipients who get its badge again.
type ReissuePlan = ((TemplateId, Text), Vec<PlannedRecipient>);

struct RunningCount {
    request: RequestId,
    /// Whether lapel reads the badges' own records instead of the history.
    details: bool,
    done: u64,
    all: u64,
    told: u64,
}

/// Why a list behind Home is not sorted in another way.
pub(in crate::tui::screens::home) fn fixed_order() -> &'static str {
    t!("The order and the columns of this list are fixed. The History has the choice of both.")
}

pub(super) const LIST: &[KeyContext] =
    &[KeyContext::OverviewList, KeyContext::List, KeyContext::Global, KeyContext::Always];

impl BadgeCounts {
    pub fn is_on(&self, cx: &UiContext) -> bool {
        self.turned_on || cx.session().is_some_and(|session| session.index.is_some())
    }

    pub fn all(&self) -> Option<&IndexOverview> {
        self.all.as_deref()
    }

    pub fn next_period(&mut self) {
        self.period = self.period.next();
        self.cursors.iter_mut().for_each(ListCursor::restart);
        self.stale = true;
    }

    pub fn issued(&self) -> Vec<CountBar> {
        self.bars_of(CountsSection::Issued)
    }

    pub fn show(&mut self, section: CountsSection) {
        self.badge_list = None;
        self.section = section;
        self.search = Search::default();
    }

    pub fn list(&mut self, which: IndexedList, title: String) {
        self.badge_list = Some(BadgeList::new(which, title));
    }

    /// Counts in the index when there are no counts yet, or when it has changed. This costs no request, except for
    /// the first reading of an index that the user turned on.
    pub fn count(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        // The user turned the index on to have it built.
        if self.turned_on && !self.looked {
            self.read(SyncScope::New, effects);
        }
        self.stale |= self.all.is_none() && self.error.is_none();
        if self.is_on(cx) && self.stale && self.counting.is_none() {
            self.stale = false;
            self.counting = Some(effects.request(Request::Sums(self.period)));
        }
    }

    /// When to read the history again. `None` before the first reading of this session, and during a reading.
    pub fn due(&self) -> Option<Instant> {
        self.due.filter(|_| self.running.is_none())
    }

    pub fn tick(&mut self, effects: &mut Effects<'_>) {
        if self.due().is_some_and(|due| due <= Instant::now()) {
            self.read(SyncScope::New, effects);
        }
    }

    fn bars_of(&self, section: CountsSection) -> Vec<CountBar> {
        self.all.as_ref().map(|all| bars(section, all, self.period)).unwrap_or_default()
    }

    fn bars(&self) -> Vec<CountBar> {
        self.bars_of(self.section)
    }

    fn labels(&self) -> Vec<String> {
        self.bars().into_iter().map(|bar| bar.label).collect()
    }

    fn bar(&self) -> Option<CountBar> {
        // A section may have fewer bars than when its cursor was set. The last one is highlighted then.
        let mut bars = self.bars();
        bars.truncate(self.cursor().at() + 1);
        bars.pop()
    }

    fn act_in_list(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        let Some(badge_list) = &mut self.badge_list else { return false };
        match action {
            _ if badge_list.act_in_search(action, effects) => {}
            Action::Back => self.badge_list = None,
            Action::Renew if badge_list.listed().is_ending() => {
                let which = badge_list.listed();
                self.asked = Some(effects.request(Request::Renewals(which)));
            }
            Action::Renew => {
                effects
                    .say(t!("Only expiring badges can be issued again from here. See the Expiring section."));
            }
            Action::Only => {
                let key = cx.key(LIST, Action::Search);
                effects.say(t!("This list has the badges of one count. {key} narrows it by a text; the History filters by state.", key));
            }
            Action::Sort | Action::ChooseColumns => effects.say(fixed_order()),
            Action::Details => self.details(cx, effects),
            Action::Export if badge_list.list.is_empty() => {
                effects.say(t!("There are no badges here to export."));
            }
            Action::Export => {
                let which = badge_list.listed();
                let mut title = badge_list.title.clone();
                if let IndexedList::Found(_, text) = &which {
                    title.push_str(&format!(" {} {}", cx.glyphs.dot, scrub(text)));
                }
                effects.cancel(self.export.take().map(|(request, _)| request));
                self.export = Some((effects.request(Request::IndexExport(which)), title));
            }
            _ => return badge_list.on_action(action, effects),
        }
        true
    }

    /// The first call shows the cost. The second call is the confirmation and reads the records.
    fn details(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        if self.running.is_some() {
            let key = cx.key(&self.key_contexts(), Action::IndexStop);
            effects.say(t!("lapel is already reading. {key} stops it.", key));
            return;
        }
        match (self.offered.take(), &self.badge_list) {
            (Some(ids), _) => {
                let all = ids.len() as u64;
                let request = effects.request(Request::Details(ids, None));
                self.running = Some(RunningCount { request, details: true, done: 0, all, told: 0 });
            }
            (None, Some(badge_list)) => {
                self.asked = Some(effects.request(Request::WithoutDetails(badge_list.listed())));
            }
            (None, None) => {}
        }
    }

    fn cursor(&self) -> &ListCursor {
        &self.cursors[self.section as usize]
    }

    fn select(&mut self, at: usize) {
        let at = at.min(self.bars().len().saturating_sub(1));
        self.cursors[self.section as usize].select(at);
    }

    fn read(&mut self, want: SyncScope, effects: &mut Effects<'_>) {
        self.looked = true;
        self.due = None;
        let request = effects.request(Request::Sync(want));
        self.running = Some(RunningCount { request, details: false, done: 0, all: 0, told: 0 });
    }

    fn stop(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        match self.running.take() {
            Some(running) => {
                effects.cancel([running.request]);
                self.stale = true;
                let on = if running.details { Action::Details } else { Action::Reload };
                let key = cx.key(&self.key_contexts(), on);
                effects.say(t!("Stopped. lapel keeps the part it has read. {key} reads the rest.", key));
            }
            None => effects.say(t!("Nothing is being read.")),
        }
    }

    pub fn is_reading(&self) -> bool {
        self.running.is_some()
    }
}

impl Component for BadgeCounts {
    fn key_contexts(&self) -> Vec<KeyContext> {
        if let Some(badge_list) = &self.badge_list {
            return badge_list.search.over().unwrap_or_else(|| LIST.to_vec());
        }
        let bars = || vec![KeyContext::Overview, KeyContext::List, KeyContext::Global, KeyContext::Always];
        self.search.over().unwrap_or_else(bars)
    }

    fn is_enabled(&self, action: Action, cx: &UiContext) -> bool {
        let (on, list) = (self.is_on(cx), self.badge_list.as_ref());
        let has_rows = list.is_some_and(|list| !list.list.is_empty());
        match action {
            Action::IndexOn => !on,
            Action::IndexStop => self.running.is_some(),
            Action::Reload | Action::Rescan => on && self.running.is_none(),
            Action::Period => on && self.section.has_periods(),
            Action::Open if list.is_none() => self.bar().is_some(),
            Action::Renew => has_rows && list.is_some_and(|list| list.listed().is_ending()),
            Action::Export | Action::Copy => has_rows,
            Action::Details => has_rows && self.running.is_none(),
            Action::PreviewDown | Action::PreviewUp => list.is_some_and(|list| list.preview.is_shown()),
            Action::FindCert | Action::NextSection | Action::Search => on,
            Action::Only | Action::Sort | Action::ChooseColumns => false,
            Action::NextMatch | Action::PreviousMatch => {
                list.map_or(&self.search, |list| &list.search).text().is_some()
            }
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        if action != Action::Details {
            self.offered = None;
        }
        let planned = self.planned.take().filter(|_| action == Action::Renew);
        match action {
            Action::IndexOn if !self.is_on(cx) => {
                self.asked = Some(effects.request(Request::TurnOnIndex));
            }
            Action::IndexOn => effects.say(t!("The index is already on.")),
            Action::IndexStop => self.stop(cx, effects),
            Action::Reload | Action::Rescan if !self.is_on(cx) => {
                effects.say(t!("There is no index to update. No request was sent."));
            }
            Action::Reload | Action::Rescan if self.running.is_some() => {
                let key = cx.key(&self.key_contexts(), Action::IndexStop);
                effects.say(t!("lapel is already reading. {key} stops it.", key));
            }
            Action::Reload => self.read(SyncScope::New, effects),
            Action::Rescan => self.read(SyncScope::All, effects),
            // The box of the Wallet takes certificate numbers, too.
            Action::FindCert if self.is_on(cx) => effects.go.push(Navigate::Run(Action::WalletTab)),
            Action::FindCert => {
                effects.say(t!("Without an index, lapel cannot search for a certificate number."));
            }
            _ if self.badge_list.is_some() => match planned {
                Some(plans) => {
                    effects.command(JobCommand::Plan(plans));
                }
                None => return self.act_in_list(action, cx, effects),
            },
            Action::NextSection => self.show(self.section.step(1)),
            Action::PreviousSection => self.show(self.section.step(CountsSection::ALL.len() - 1)),
            Action::Period if self.section.has_periods() => self.next_period(),
            Action::Period => {
                effects.say(t!("Only issued and revoked badges are counted by day, week and month."));
            }
            Action::Open | Action::Search if !self.is_on(cx) => {
                let key = cx.key(&self.key_contexts(), Action::IndexOn);
                effects.say(t!("There are no counts without an index. {key} turns the index on.", key));
            }
            Action::Open => match self.bar() {
                Some(bar @ CountBar { which: Some(_), count: 1.., .. }) => {
                    let title = bar.list_title(self.section);
                    self.badge_list = bar.which.map(|which| BadgeList::new(which, title));
                }
                Some(bar) if bar.is_unknown() => {
                    effects.say(t!("The index does not keep the badges of this bar."));
                }
                Some(CountBar { which: None, .. }) => return false,
                _ => effects.say(t!("There are no badges in this bar.")),
            },
            _ => {
                let (labels, cursor) = (self.labels(), &mut self.cursors[self.section as usize]);
                return self.search.act_in(action, cursor, &labels) || cursor.on_action(action, labels.len());
            }
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, effects: &mut Effects<'_>) -> bool {
        if let Some(badge_list) = &mut self.badge_list {
            return badge_list.on_text_key(key, effects);
        }
        let labels = self.labels();
        self.search.type_in(key, &mut self.cursors[self.section as usize], &labels)
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, effects: &mut Effects<'_>) {
        if let Some(badge_list) = &mut self.badge_list {
            badge_list.on_paste(text, effects);
        } else {
            let labels = self.labels();
            self.search.paste_in(text, &mut self.cursors[self.section as usize], &labels);
        }
    }

    fn on_click(&mut self, at: Position, area: Rect, _: &UiContext, _: &mut Effects<'_>) -> Clicked {
        if let Some(badge_list) = &mut self.badge_list {
            return Clicked::changed(badge_list.on_click(at, draw::body(area)));
        }
        let hit = self.cursor().row(at);
        if let Some(row) = hit {
            self.select(row / draw::step(self.bars().len(), self.bars_area(area)));
        }
        Clicked::changed(hit.is_some())
    }

    fn on_progress(&mut self, request: RequestId, done: u64, all: u64) -> bool {
        let Some(running) = self.running.as_mut().filter(|running| running.request == request) else {
            return false;
        };
        (running.done, running.all) = (done, all);
        self.stale |= running.told.is_multiple_of(COUNTED_AFTER);
        running.told += 1;
        true
    }

    fn load_visible(&mut self, area: Rect, cx: &UiContext, effects: &mut Effects<'_>) {
        if !self.is_on(cx) {
            return;
        }
        if !self.looked {
            self.read(SyncScope::New, effects);
            self.stale = true;
        }
        self.count(cx, effects);
        let body = draw::body(area);
        if let Some(badge_list) = &mut self.badge_list {
            badge_list.load_visible(body, cx, effects);
        }
    }

    fn on_response(&mut self, reply: Reply, cx: &UiContext, effects: &mut Effects<'_>) -> Handled {
        self.take_response(reply, cx, effects)
    }

    fn know(&self, known: &mut KnownWords) {
        for (_, badge) in self.badge_list.iter().flat_map(|badge_list| badge_list.list.loaded()) {
            badge.know(known);
        }
        known.typed(self.badge_list.as_ref().map_or(&self.search, |list| &list.search).value());
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        self.draw_all(frame, area, cx);
    }
}

impl HomePane for BadgeCounts {
    fn rows_built(&self) -> u64 {
        self.badge_list.as_ref().map_or(0, |badge_list| badge_list.list.rows_built())
    }

    fn picture(&self, area: Rect, cx: &UiContext) -> Option<PictureRequest> {
        self.badge_list.as_ref()?.picture(draw::body(area), cx)
    }

    fn copyables(&self, cx: &UiContext) -> Copyables {
        self.badge_list.as_ref().map(|badge_list| badge_list.copyables(cx)).unwrap_or_default()
    }

    fn records(&self) -> Vec<RawOf> {
        self.badge_list.as_ref().map(BadgeList::records).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::LinkStatus;
    use crate::tui::request::RequestIds;
    use crate::tui::worker::WorkerCommand;
    use std::time::Duration;

    #[test]
    fn sections_go_round() {
        let mut section = CountsSection::default();
        for (expected, _) in CountsSection::ALL {
            assert_eq!(section, expected);
            section = section.step(1);
        }
        assert_eq!(section, CountsSection::default());
        assert_eq!(section.step(CountsSection::ALL.len() - 1), CountsSection::Mail);
    }

    /// The number of requests for the history, with `left` seconds until the next reading is due.
    fn asked(left: Option<u64>) -> usize {
        let due = left.map(|seconds| Instant::now() + Duration::from_secs(seconds));
        let mut counts = BadgeCounts { due, ..BadgeCounts::default() };
        let mut requests = RequestIds::default();
        let mut effects = Effects::new(&mut requests);
        counts.tick(&mut effects);
        // A second reading is not due while the first one runs.
        counts.tick(&mut effects);
        assert_eq!(counts.due().is_some(), left.is_some_and(|seconds| seconds > 0));
        let is_sync = |order: &&WorkerCommand| {
            matches!(order, WorkerCommand::Request(_, Request::Sync(SyncScope::New)))
        };
        effects.commands.iter().filter(is_sync).count()
    }

    #[test]
    fn the_time_left_is_that_of_background_calls() {
        let mut requests = RequestIds::default();
        let request = requests.next();
        let running = Some(RunningCount { request, details: false, done: 0, all: 40_000, told: 0 });
        let counts = BadgeCounts { running, ..BadgeCounts::default() };
        let mut cx = UiContext::for_test();
        cx.connection.link = Some(LinkStatus { limit: 100, background: 25, ..LinkStatus::default() });
        let (words, _) = counts.reading_words(&cx);
        assert!(words.contains("15 minutes"), "400 requests: {words}");
    }

    #[tokio::test]
    async fn the_history_is_looked_at_again_when_that_is_due_and_not_before() {
        assert_eq!((asked(None), asked(Some(60)), asked(Some(0))), (0, 0, 1));
    }
}
