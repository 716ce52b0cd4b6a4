//! Help: the keys of the screen below it, grouped by where they work. It can be searched, and Enter runs what it shows.

use crate::tui::persist::app_paths::AppPaths;
use crate::tui::prelude::*;
use crate::tui::widgets::text_layout::fit_path;
use std::cell::Cell;

const WIDEST: u16 = 110;

pub struct HelpEntry {
    pub place: &'static str,
    /// Empty for an action that the user's keys left without one.
    pub keys: String,
    pub text: &'static str,
    /// `None` for keys that edit a text.
    pub action: Option<Action>,
    pub is_enabled: bool,
}

impl HelpEntry {
    pub fn of((place, keys, action): (KeyContext, String, Action), is_enabled: bool) -> Self {
        Self { place: place.place(), keys, text: action.help(), action: Some(action), is_enabled }
    }
}

#[derive(Default)]
pub struct Help {
    entries: Vec<HelpEntry>,
    /// Status message that did not fit below the screen.
    message: Option<String>,
    files: Vec<(&'static str, String)>,
    search: Search,
    /// The selected line. Lines of the message and of the files can be selected too, so that they scroll into view.
    at: usize,
    sight: ListArea,
    /// The width of the text in the last drawing.
    columns: Cell<usize>,
}

/// A line of the help. Several lines of one entry have the same number.
struct HelpLine {
    stop: Option<usize>,
    line: Line<'static>,
}

impl Help {
    pub fn new(entries: Vec<HelpEntry>, app_paths: &AppPaths, message: Option<String>) -> Self {
        let shown = |path: &Path| scrub(&path.to_string_lossy()).into_owned();
        let files = app_paths.files.iter().map(|(words, path)| (tr(words), shown(path))).collect();
        let columns = Cell::new(usize::from(WIDEST));
        Self { entries, message, files, columns, ..Self::default() }
    }

    fn is_searching(&self) -> bool {
        self.search.over().is_some() || self.search.text().is_some()
    }

    /// The message, while nothing is searched for.
    fn shown_message(&self) -> Option<&str> {
        self.message.as_deref().filter(|_| !self.is_searching())
    }

    fn shown(&self) -> Vec<&HelpEntry> {
        let has = |entry: &&HelpEntry| {
            let hint = entry.action.map_or("", Action::hint);
            self.search.finds(&format!("{} {hint} {}", entry.keys, entry.text))
        };
        self.entries.iter().filter(has).collect()
    }

    fn message_lines(&self, columns: usize) -> Vec<String> {
        let lines = self.shown_message().into_iter().flat_map(str::lines);
        lines.flat_map(|line| wrap(line, columns.saturating_sub(4))).collect()
    }

    fn lines(&self, columns: usize, cx: &UiContext) -> Vec<HelpLine> {
        let theme = &cx.theme;
        let heading =
            |text: &str| HelpLine { stop: None, line: Line::styled(format!("  {text}"), theme.strong()) };
        let blank = || HelpLine { stop: None, line: Line::raw("") };
        let mut lines: Vec<HelpLine> = Vec::new();
        let mut stop = 0..;
        for line in self.message_lines(columns) {
            lines.push(HelpLine { stop: stop.next(), line: Line::raw(format!("  {line}")) });
        }
        let keys = self.entries.iter().map(|entry| width(&entry.keys)).max().unwrap_or(0) + 2;
        let room = columns.saturating_sub(keys + 4);
        let mut place = None;
        for entry in self.shown() {
            if place.replace(entry.place) != Some(entry.place) {
                if !lines.is_empty() {
                    lines.push(blank());
                }
                lines.push(heading(entry.place));
            }
            let stop = stop.next();
            let style = if entry.is_enabled { theme.text() } else { theme.dim() };
            let own = if entry.keys.is_empty() { cx.glyphs.dash } else { &entry.keys };
            for (n, part) in wrap(entry.text, room).into_iter().enumerate() {
                let key = if n == 0 { own } else { "" };
                let line = Line::from(vec![
                    Span::raw("  "),
                    Span::styled(fit(key, keys, ""), theme.key()),
                    Span::styled(part, style),
                ]);
                lines.push(HelpLine { stop, line });
            }
        }
        if !self.files.is_empty() && !self.is_searching() {
            lines.extend([blank(), heading(t!("Files"))]);
            let words = self.files.iter().map(|(word, _)| width(word)).max().unwrap_or(0) + 2;
            lines.extend(self.files.iter().map(|(word, path)| HelpLine {
                stop: stop.next(),
                line: Line::from(vec![
                    Span::raw("  "),
                    Span::styled(fit(word, words, ""), theme.dim()),
                    Span::raw(fit_path(path, columns.saturating_sub(words + 4), cx.glyphs.ellipsis)),
                ]),
            }));
        }
        lines
    }

    /// Runs the selected action as its key would. Keys that move or confirm do nothing from here.
    fn run(&self, columns: usize, cx: &UiContext, effects: &mut Effects<'_>) {
        let shown = self.shown();
        let before = self.message_lines(columns).len();
        let Some(entry) = self.at.checked_sub(before).and_then(|at| shown.get(at)) else { return };
        match entry.action.filter(|action| !action.is_hand_work()) {
            None => {
                let esc = cx.key(&self.key_contexts(), Action::Back);
                effects.say(t!("{esc} closes the help. Then press {key}.", esc, key = entry.keys));
            }
            Some(_) if !entry.is_enabled => {
                effects.say(t!("Not now: {why}. Nothing was done.", why = t!("it does not apply here")));
            }
            Some(action) => {
                effects.close();
                effects.go.push(Navigate::Run(action));
            }
        }
    }
}

impl Component for Help {
    fn key_contexts(&self) -> Vec<KeyContext> {
        self.search.over().unwrap_or_else(|| KeyContext::Help.over_tab())
    }

    fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        let Some(action) = self.search.on_action_of_matches(action) else {
            self.at = 0;
            return true;
        };
        match action {
            Action::Accept => self.run(self.columns.get(), cx, effects),
            Action::Back => effects.close(),
            // It is already open.
            Action::Help => {}
            _ => {
                let stops: Vec<_> = self.lines(self.columns.get(), cx).iter().map(|line| line.stop).collect();
                let to = self.sight.moved_in_rows(action, self.at, &stops);
                self.at = to.unwrap_or(self.at);
                return to.is_some();
            }
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        let changed = self.search.on_text_key(key);
        if changed {
            self.at = 0;
        }
        changed
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, _: &mut Effects<'_>) {
        if self.search.on_paste(text.trim()) {
            self.at = 0;
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let outer = popup::centred(area, WIDEST);
        let title =
            if self.shown_message().is_some() { t!("Full message") } else { t!("Keys of this screen") };
        let mut inner = popup::open(frame, outer, area, title, cx);
        let columns = usize::from(inner.width);
        self.columns.set(columns);
        if let Some(line) = self.search.line(columns, cx) {
            frame.render_widget(line, Rect { height: 1, ..inner });
            inner = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
        }
        let lines = self.lines(columns, cx);
        let Some(last) = lines.iter().filter_map(|line| line.stop).max() else {
            let text = format!("    {}", t!("no match"));
            frame.render_widget(Line::styled(text, cx.theme.dim()), inner);
            return;
        };
        let selected = self.at.min(last);
        let is_selected = |line: &HelpLine| line.stop == Some(selected);
        let first = lines.iter().position(is_selected).unwrap_or(0);
        let last = lines.iter().rposition(is_selected).unwrap_or(first);
        // The heading of the first entry of a group scrolls into view with it.
        let heading = lines[..first].iter().rev().take_while(|line| line.stop.is_none()).count();
        let (shown, rest) = self.sight.lay_all(inner, first - heading..=last, lines.len(), cx);
        let mut drawn: Vec<Line<'_>> = lines
            .into_iter()
            .take(shown.end)
            .skip(shown.start)
            .map(|line| if is_selected(&line) { marked(line.line, cx) } else { line.line })
            .collect();
        drawn.extend(rest);
        frame.render_widget(drawn, inner);
    }
}

impl Modal for Help {
    fn has(&self, flag: ModalFlag) -> bool {
        flag == ModalFlag::ShowsMessage && self.message.is_some()
    }
}

/// A line with the cursor before it. Every line begins with two spaces.
fn marked(mut line: Line<'static>, cx: &UiContext) -> Line<'static> {
    if let Some(first) = line.spans.first_mut() {
        let rest = first.content.get(2..).unwrap_or_default().to_owned();
        first.content = format!("{} {rest}", cx.glyphs.cursor).into();
    }
    line.style(cx.theme.selected())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::request::RequestIds;
    use ratatui::buffer::Buffer;

    fn help(cx: &UiContext, stack: &[KeyContext]) -> Help {
        let entry = |entry| HelpEntry::of(entry, true);
        let entries = cx.keymap.help_by_place(stack).into_iter().map(entry).collect();
        Help::new(entries, &AppPaths::default(), None)
    }

    fn words(help: &Help, (columns, rows): (u16, u16), cx: &UiContext) -> String {
        let area = Rect::new(0, 0, columns, rows);
        let mut buffer = Buffer::empty(area);
        help.draw(&mut Frame::new(&mut buffer), area, cx);
        let cells = (1..rows - 1).flat_map(|y| (1..columns - 1).map(move |x| (x, y)));
        let text: String = cells.map(|at| buffer[at].symbol()).collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_sentence_can_be_read_whole() {
        let cx = UiContext::for_test();
        let mut is_cut = false;
        for size in [(60, 12), (80, 20)] {
            for stack in [
                [KeyContext::History, KeyContext::List, KeyContext::Global, KeyContext::Always],
                [KeyContext::Activity, KeyContext::List, KeyContext::Global, KeyContext::Always],
            ] {
                let mut help = help(&cx, &stack);
                help.message = Some("A message. ".repeat(80));
                let mut ids = RequestIds::default();
                let mut seen = vec![words(&help, size, &cx)];
                for _ in 0..help.lines(usize::from(size.0), &cx).len() {
                    help.on_action(Action::Down, &cx, &mut Effects::new(&mut ids));
                    seen.push(words(&help, size, &cx));
                }
                for entry in &help.entries {
                    let text = entry.text;
                    let is_whole = seen.iter().any(|screen| screen.contains(text));
                    assert!(is_whole, "{:?} at {size:?}: {seen:#?}", entry.action);
                    is_cut |= width(text) > usize::from(size.0);
                }
            }
        }
        assert!(is_cut, "none was too long for its line");
    }

    #[test]
    fn no_line_is_passed_unseen_by_pages() {
        let cx = UiContext::for_test();
        let mut help = help(&cx, &[KeyContext::History, KeyContext::List, KeyContext::Global]);
        for (action, end) in [(Action::PageDown, Action::First), (Action::PageUp, Action::Last)] {
            let mut ids = RequestIds::default();
            let mut press = |help: &mut Help, action| {
                help.on_action(action, &cx, &mut Effects::new(&mut ids));
                words(help, (60, 12), &cx)
            };
            let mut seen = vec![press(&mut help, end)];
            for _ in 0..60 {
                seen.push(press(&mut help, action));
            }
            for entry in &help.entries {
                assert!(
                    seen.iter().any(|screen| screen.contains(entry.text)),
                    "{action:?}: {:?}",
                    entry.action
                );
            }
        }
    }

    #[test]
    fn the_help_can_be_searched_and_runs_the_shown_action() {
        let cx = UiContext::for_test();
        let mut help = help(&cx, &[KeyContext::History, KeyContext::List, KeyContext::Global]);
        let mut ids = RequestIds::default();
        let mut act = |help: &mut Help, action| {
            let mut effects = Effects::new(&mut ids);
            help.on_action(action, &cx, &mut effects);
            (effects.go, effects.notice.is_some())
        };
        let search = |help: &mut Help, text: &str| {
            help.search.on_action(Action::Search);
            help.search.on_action(Action::ClearField);
            help.search.on_paste(text);
        };
        search(&mut help, "RAW JSON");
        let shown: Vec<Option<Action>> = help.shown().iter().map(|entry| entry.action).collect();
        assert_eq!(shown, [Some(Action::Raw)]);
        let (go, _) = act(&mut help, Action::Accept);
        assert!(go.is_empty(), "Enter ends typing first");
        let (go, _) = act(&mut help, Action::Accept);
        assert!(go.iter().any(|go| matches!(go, Navigate::Run(Action::Raw))), "{go:?}");
        search(&mut help, "move one row down");
        act(&mut help, Action::Accept);
        let (go, said) = act(&mut help, Action::Accept);
        assert!(go.is_empty() && said, "a key that moves is not run from here");
        act(&mut help, Action::Back);
        assert!(help.search.text().is_none() && help.shown().len() > 20, "Back ends the search first");
    }
}
