//! JSON view of one record. It shows every token that the service sent, with lapel's own line breaks and
//! indentation.

use crate::api::RawBody;
use crate::tui::platform::pager::PagerText;
use crate::tui::prelude::*;
use crate::tui::widgets::filtered_list::two_sided;
use crate::tui::widgets::last_read::LastRead;
use crate::tui::widgets::scroll::Scroll;
use crate::tui::widgets::search::Searched;

/// Maximum number of characters shown. A copy has all of them.
const SHOWN: usize = 200_000;
/// Maximum number of indented levels.
const DEEPEST: usize = 24;

#[derive(Default)]
pub struct JsonView {
    /// The same badge from several endpoints.
    records: Vec<RawOf>,
    at: usize,
    request: Option<RequestId>,
    read: LastRead<RawBody>,
    /// Scrubbed lines, not wrapped.
    laid_out: Vec<String>,
    /// The same lines, wrapped to `columns`.
    lines: Vec<String>,
    columns: u16,
    /// Whether to scroll to the badge in a list that has just arrived.
    seek: bool,
    scroll: Scroll,
    height: usize,
    search: Search,
    found: Option<usize>,
}

impl JsonView {
    /// Requests the first record. Returns `None` if there is no record.
    pub fn new(records: Vec<RawOf>, effects: &mut Effects<'_>) -> Option<Self> {
        let request = Some(effects.request(Request::Raw(records.first()?.clone())));
        Some(Self { records, request, height: 1, ..Self::default() })
    }

    /// Why the record could not be read again.
    fn note(&self, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
        self.read.note(not_read, cx).map_or_else(Vec::new, |note| indented(&note, room, cx))
    }

    fn ask(&mut self, effects: &mut Effects<'_>) {
        if let Some(of) = self.records.get(self.at) {
            effects.request_instead(&mut self.request, Request::Raw(of.clone()));
        }
    }

    /// Scrolls to a match: the next one, or, while the user types, the first one from here on.
    fn go_to_match(&mut self, forward: bool, typing: bool) {
        let from = self.found.unwrap_or(self.scroll.shown().start);
        let here = typing || self.found.is_none();
        let is_match = |at: usize| self.search.finds(&self.lines[at]);
        self.found = self.search.next(from, self.lines.len(), forward, here, is_match);
        if let Some(at) = self.found
            && !self.scroll.shown().contains(&at)
        {
            self.scroll.go_to(at.saturating_sub(self.height / 2));
        }
    }
}

impl Component for JsonView {
    fn key_contexts(&self) -> Vec<KeyContext> {
        self.search.over().unwrap_or_else(|| KeyContext::Json.over_tab())
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        match action {
            Action::OtherRecord => self.records.len() > 1,
            Action::NextMatch | Action::PreviousMatch => self.search.text().is_some(),
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, _: &UiContext, effects: &mut Effects<'_>) -> bool {
        match self.search.on_action(action) {
            Searched::Step { forward } => {
                self.go_to_match(forward, false);
                return true;
            }
            Searched::Changed => {
                self.found = self.found.filter(|_| self.search.text().is_some());
                return true;
            }
            Searched::Nothing => {}
        }
        if self.scroll.on_action(action) {
            return true;
        }
        match action {
            Action::Reload => self.ask(effects),
            Action::OtherRecord if self.records.len() > 1 => {
                self.at = (self.at + 1) % self.records.len();
                (self.read, self.scroll) = (LastRead::default(), Scroll::default());
                self.laid_out.clear();
                self.lines.clear();
                self.ask(effects);
            }
            Action::OtherRecord => effects.say(t!("There is no other record of it.")),
            Action::CopyAll => match self.read.value() {
                Some(raw) => effects.copy(raw.text.wire().to_owned(), t!("original JSON")),
                _ => effects.say(t!("Nothing was read yet. There is nothing to copy.")),
            },
            Action::Pager => match self.read.value() {
                Some(raw) => {
                    let request = self.records.get(self.at).map_or_else(String::new, RawOf::request);
                    let lines = lay_out(raw.text.wire(), usize::MAX);
                    effects.page =
                        Some(PagerText::new([&*request, ""].into_iter().chain(lines.iter().map(|l| &**l))));
                }
                _ => effects.say(t!("Nothing was read yet. There is nothing to show.")),
            },
            Action::Back => effects.close(),
            _ => return false,
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        let changed = self.search.on_text_key(key);
        if changed {
            self.go_to_match(true, true);
        }
        changed
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, _: &mut Effects<'_>) {
        if self.search.on_paste(text) {
            self.go_to_match(true, true);
        }
    }

    fn on_response(&mut self, reply: Reply, cx: &UiContext, _: &mut Effects<'_>) -> Handled {
        let Response::Raw(raw) = reply.to(&mut self.request)? else { return Ok(()) };
        if let Ok(raw) = &raw {
            self.laid_out = lay_out(raw.text.wire(), SHOWN);
            self.columns = 0;
            self.seek = self.at > 0;
        }
        self.read.take(raw, cx);
        Ok(())
    }

    fn load_visible(&mut self, area: Rect, cx: &UiContext, _: &mut Effects<'_>) {
        let room = usize::from(area.width).saturating_sub(4);
        let beside = self.note(room, cx).len();
        self.height = usize::from(area.height.saturating_sub(2)).saturating_sub(beside).max(1);
        if self.columns != area.width {
            self.columns = area.width;
            self.lines = self.laid_out.iter().flat_map(|line| wrap(line, room)).collect();
            self.found = None;
        }
        if std::mem::take(&mut self.seek)
            && let Some(RawOf::Badge(id)) = self.records.first()
        {
            // In a list of several badges, scroll to this one.
            let id = id.to_string();
            let place = self.lines.iter().position(|line| line.contains(&id)).unwrap_or(0);
            self.scroll.go_to(place.saturating_sub(2));
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let theme = &cx.theme;
        let room = usize::from(area.width).saturating_sub(4);
        let shown = self.scroll.lay(self.lines.len(), self.height);
        let right = t!(
            "lines {first} to {shown} of {lines}",
            first = number((shown.start + 1) as u64),
            shown = number(shown.end as u64),
            lines = number(self.lines.len() as u64)
        );
        let right = match self.search.text() {
            _ if self.lines.is_empty() => String::new(),
            Some(_) if self.found.is_none() => t!("not found").to_owned(),
            _ => right,
        };
        let request = self.records.get(self.at).map_or_else(String::new, RawOf::request);
        let request = Line::styled(format!("  {request}"), theme.strong());
        let request = self.search.line(usize::from(area.width), cx).unwrap_or(request);
        two_sided(frame, Rect { height: 1, ..area }, (request, Span::styled(right, theme.dim())), true, cx);
        let mut lines = self.note(room, cx);
        match self.read.shown() {
            None if self.request.is_some() => {
                let text = t!("{spinner} reading the JSON, 1 request", spinner = cx.spinner());
                lines.push(Line::styled(format!("  {text}"), theme.dim()));
            }
            Some(Err(why)) => {
                lines.extend(indented(&not_read(why), room, cx));
            }
            Some(Ok(raw)) => {
                let bytes = count!(raw.bytes as u64, "byte", "bytes");
                let about = t!("{bytes} from the service; lapel added line breaks and indents", bytes);
                let about = fit(&format!("  {about}"), room + 2, cx.glyphs.ellipsis);
                lines.push(Line::styled(about, theme.dim()));
                let body = self.lines.iter().enumerate().take(shown.end).skip(shown.start);
                let is_searched = self.search.text().is_some();
                lines.extend(body.map(|(at, line)| {
                    let style = match self.found {
                        Some(found) if found == at => theme.selected(),
                        _ if is_searched && self.search.finds(line) => theme.strong(),
                        _ => theme.text(),
                    };
                    Line::styled(format!("  {line}"), style)
                }));
            }
            None => {}
        }
        let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        frame.render_widget(lines, below);
    }
}

fn not_read(why: &ApiError) -> String {
    t!("Not read: {why}", why)
}

fn indented(text: &str, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    wrap(text, room).into_iter().map(|line| Line::styled(format!("  {line}"), cx.theme.error())).collect()
}

impl Modal for JsonView {
    fn has(&self, flag: ModalFlag) -> bool {
        flag == ModalFlag::Covers
    }
}

/// Puts the tokens of a JSON text, unchanged, on separate scrubbed lines, up to `most` characters. Invalid JSON is laid
/// out as well as possible.
fn lay_out(json: &str, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut depth = 0_usize;
    let (mut quoted, mut escaped, mut shown) = (false, false, 0);
    let mut chars = json.trim().chars().peekable();
    let mut end = |line: &mut String, depth: usize| {
        lines.push(scrub(line.trim_end()).into_owned());
        *line = "  ".repeat(depth.min(DEEPEST));
    };
    while let Some(c) = chars.next() {
        shown += 1;
        if shown > most {
            end(&mut line, 0);
            line.replace_range(.., t!("(the rest is hidden; a copy has all of it)"));
            break;
        }
        if quoted {
            quoted = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            line.push(c);
            continue;
        }
        match c {
            '{' | '[' => {
                line.push(c);
                while chars.next_if(char::is_ascii_whitespace).is_some() {}
                if let Some(close) = chars.next_if(|c| matches!(c, '}' | ']')) {
                    line.push(close);
                } else {
                    depth += 1;
                    end(&mut line, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                end(&mut line, depth);
                line.push(c);
            }
            ',' => {
                line.push(c);
                end(&mut line, depth);
            }
            ':' => line.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => {
                quoted = c == '"';
                line.push(c);
            }
        }
    }
    end(&mut line, 0);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_token_stays_as_it_was_sent() {
        let json = "{\"a\":1.50,\"a\" : \"x, {\\\"y\\\"}\",\"b\":[],\"c\":{ },\r\n \"d\":[1e3,\"\\u001b\"]}";
        let lines = [
            "{",
            "  \"a\": 1.50,",
            "  \"a\": \"x, {\\\"y\\\"}\",",
            "  \"b\": [],",
            "  \"c\": {},",
            "  \"d\": [",
            "    1e3,",
            "    \"\\u001b\"",
            "  ]",
            "}",
        ];
        assert_eq!(lay_out(json, SHOWN), lines);
    }

    #[test]
    fn what_a_terminal_would_obey_is_marked() {
        assert_eq!(
            lay_out("{\"a\":\"\u{1b}[2J\n\u{202e}\"}", SHOWN),
            ["{", "  \"a\": \"␛[2J␊⟨U+202E⟩\"", "}"]
        );
    }

    #[test]
    fn the_json_view_is_bounded_however_deep_and_long_the_record_is() {
        let deep = lay_out(&"[".repeat(300_000), SHOWN);
        assert!(deep.iter().all(|line| line.len() <= 2 * DEEPEST + 50), "indents are bounded");
        let long = lay_out(&format!("\"{}\"", "x".repeat(SHOWN * 2)), SHOWN);
        assert_eq!((long.len(), long[0].len()), (2, SHOWN));
        assert!(long[1].contains("a copy has all of it"));
    }

    proptest! {
        #[test]
        fn only_white_space_is_added(value in "[a-z {}\\[\\]:,\"0-9\\\\]{0,60}") {
            let json = serde_json::json!({ "key": value, "list": [1, { "x": null }] }).to_string();
            let laid_out = lay_out(&json, SHOWN).join("\n");
            let same: serde_json::Value = serde_json::from_str(&laid_out).expect("still JSON");
            prop_assert_eq!(same.to_string(), json);
        }
    }
}
