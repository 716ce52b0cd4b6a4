//! Request log, newest first. It updates itself while it is open.

mod draw;
mod save;

pub(super) use draw::DETAIL;

use crate::api::LogEntry;
use crate::tui::modals::save_text::SaveText;
use crate::tui::prelude::*;

#[derive(Default)]
pub struct RequestLog {
    /// Newest first.
    entries: Vec<LogEntry>,
    /// Number of the selected entry. `None` follows the newest entry.
    selected: Option<u64>,
    sight: ListArea,
    /// Waits for the next request to end.
    watch: Option<RequestId>,
    search: Search,
    /// Shows only requests that failed, or with `false` only those that did not.
    only_failed: Option<bool>,
}

fn has_failed(entry: &LogEntry) -> bool {
    entry.outcome != "ok"
}

impl RequestLog {
    pub fn new(cx: &UiContext, effects: &mut Effects<'_>) -> Self {
        let mut log = Self::default();
        log.read(cx, effects);
        log
    }

    fn read(&mut self, cx: &UiContext, effects: &mut Effects<'_>) {
        let Some(client) = cx.client() else { return };
        self.entries = client.log();
        self.entries.reverse();
        let newest = self.entries.first().map_or(0, |entry| entry.no);
        self.watch = Some(effects.request(Request::LogBeyond(newest)));
    }

    fn shown(&self) -> Vec<&LogEntry> {
        let found = |entry: &&LogEntry| {
            let status = entry.status.map(|status| status.to_string()).unwrap_or_default();
            let LogEntry { method, path, query, outcome, .. } = *entry;
            self.search.finds(&format!("{method} {path}?{query} {status} {outcome}"))
        };
        let is_it = |entry: &&LogEntry| self.only_failed.is_none_or(|failed| failed == has_failed(entry));
        self.entries.iter().filter(is_it).filter(found).collect()
    }

    /// Shows only the requests with the next result that there is, and after the last all of them.
    fn only_next(&mut self) {
        let is_there = |failed: &bool| self.entries.iter().any(|entry| has_failed(entry) == *failed);
        let mut there = [true, false].into_iter().filter(is_there);
        if let Some(now) = self.only_failed {
            there.find(|failed| *failed == now);
        }
        self.only_failed = there.next();
    }

    /// Index of the selected entry among the shown ones. If it is not shown any more, the oldest is selected.
    fn at(&self) -> usize {
        let Some(no) = self.selected else { return 0 };
        let shown = self.shown();
        let last = shown.len().saturating_sub(1);
        shown.iter().position(|entry| entry.no == no).unwrap_or(last)
    }

    fn select(&mut self, at: usize) {
        self.selected = self.shown().get(at).map(|entry| entry.no).filter(|_| at > 0);
    }
}

impl Component for RequestLog {
    fn key_contexts(&self) -> Vec<KeyContext> {
        self.search.over().unwrap_or_else(|| KeyContext::Requests.over_tab())
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        !matches!(action, Action::NextMatch | Action::PreviousMatch) || self.search.text().is_some()
    }

    fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        let Some(action) = self.search.on_action_of_matches(action) else { return true };
        if let Some(at) = self.sight.moved(action, self.at(), self.shown().len()) {
            self.select(at);
            return true;
        }
        match action {
            Action::Save if self.entries.is_empty() => {
                effects.say(t!("There are no requests to save yet."));
            }
            Action::Pager if self.entries.is_empty() => {
                effects.say(t!("There are no requests to show yet."));
            }
            Action::Only if self.entries.is_empty() => {
                effects.say(t!("There are no requests to filter yet."));
            }
            Action::Only => self.only_next(),
            Action::Back if self.only_failed.take().is_some() => {}
            Action::Pager => effects.page = Some(save::page(&self.shown(), cx)),
            Action::Save => {
                effects.show(SaveText::of_log(save::whole(&self.entries, cx), self.entries.len() as u64, cx));
            }
            Action::Back => effects.close(),
            _ => return false,
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        self.search.on_text_key(key)
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, _: &mut Effects<'_>) {
        self.search.on_paste(text);
    }

    fn on_click(&mut self, at: Position, _: Rect, _: &UiContext, _: &mut Effects<'_>) -> Clicked {
        let mut selected = self.at();
        let found = self.sight.click(at, &mut selected, Action::Open) == Clicked::Changed;
        if found {
            self.select(selected);
        }
        Clicked::changed(found)
    }

    fn on_response(&mut self, reply: Reply, cx: &UiContext, effects: &mut Effects<'_>) -> Handled {
        // Without a connection the response comes at once, so a new request here would loop forever.
        if let Response::LogBeyond(Some(())) = reply.to(&mut self.watch)? {
            self.read(cx, effects);
        }
        Ok(())
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        self.draw_all(frame, area, cx);
    }
}

impl Modal for RequestLog {
    fn has(&self, flag: ModalFlag) -> bool {
        flag == ModalFlag::Covers
    }
}
