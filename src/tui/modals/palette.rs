//! Command palette. It lists every action of every screen, with its key or why it is not possible now. It also
//! finds a badge, a holder or a template by its name, id or address.

use crate::config::NamedFilter;
use crate::domain::{Address, BadgeId, Query, TemplateId, Text};
use crate::tui::component::{Clicked, Component, Modal};
use crate::tui::context::Env;
use crate::tui::effects::{Effects, Navigate};
use crate::tui::footer::sends;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::input::list_hit::{Click, Sight, below, out_of_sight};
use crate::tui::widgets::field::Field;
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::text_layout::{fit, width, wrap};
use crossterm::event::KeyEvent;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use unicode_normalization::UnicodeNormalization;

/// Score bonus of a possible action, about as much as one matching letter.
const POSSIBLE: u32 = 16;

/// One action in the palette.
#[derive(Clone, Debug)]
pub struct Command {
    pub action: Action,
    /// Keys on this screen, or the screen where the action has keys.
    pub keys: String,
    /// Why the action is not possible now. `None` if it is possible.
    pub why_not: Option<String>,
}

/// Line of the palette.
#[derive(Clone, Debug)]
enum Entry {
    Command(Command),
    Badge(BadgeId),
    Holder(String),
    /// Holders with this name.
    Named(String),
    Template(TemplateId),
    Titled(String),
    Filter(NamedFilter),
}

pub struct CommandPalette {
    all: Vec<Command>,
    filters: Vec<NamedFilter>,
    field: Field,
    shown: Vec<Entry>,
    at: usize,
    sight: Sight,
    /// Whether the user may go to another screen. False in a form with input.
    leaves: bool,
}

impl CommandPalette {
    /// Lists possible commands first. `filters` are the saved filters, which open their lists. With `leaves`,
    /// entries that go to another screen are possible.
    pub fn new(mut all: Vec<Command>, filters: Vec<NamedFilter>, leaves: bool) -> Self {
        all.sort_by_key(|command| command.why_not.is_some());
        let (field, sight) = (Field::default(), Sight::default());
        let mut palette = Self { all, filters, field, shown: Vec::new(), at: 0, sight, leaves };
        palette.find();
        palette
    }

    fn find(&mut self) {
        self.at = 0;
        self.sight.forget_clicks();
        let typed = self.field.value().trim().to_owned();
        if typed.is_empty() {
            let filters = self.filters.iter().cloned().map(Entry::Filter);
            self.shown = self.all.iter().cloned().map(Entry::Command).chain(filters).collect();
            return;
        }
        let mut matcher = Matcher::new(Config::DEFAULT);
        let pattern =
            Pattern::new(&letters(&typed), CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
        let mut buffer = Vec::new();
        let found: Vec<(u32, &Command)> = self
            .all
            .iter()
            .filter_map(|command| {
                let mut score =
                    |text: &str| pattern.score(Utf32Str::new(&letters(text), &mut buffer), &mut matcher);
                // A match in the name counts double.
                let name = score(command.action.hint()).map(|n| n.saturating_mul(2));
                name.max(score(command.action.help())).map(|score| (score, command))
            })
            .collect();
        // Best match first. Of two similar matches, the possible one comes first. The sort is stable, so equal
        // matches keep the order of the help.
        let worth = |score: u32, command: &Command| {
            score.saturating_add(if command.why_not.is_none() { POSSIBLE } else { 0 })
        };
        let mut found: Vec<(u32, Entry)> = found
            .into_iter()
            .map(|(score, command)| (worth(score, command), Entry::Command(command.clone())))
            .collect();
        // A saved filter has only a name, so its match counts double.
        found.extend(self.filters.iter().filter_map(|filter| {
            let name = letters(&filter_words(filter));
            let score = pattern.score(Utf32Str::new(&name, &mut buffer), &mut matcher)?;
            let possible = if self.leaves { POSSIBLE } else { 0 };
            Some((score.saturating_mul(2).saturating_add(possible), Entry::Filter(filter.clone())))
        }));
        found.sort_by_key(|(worth, _)| std::cmp::Reverse(*worth));
        let commands = found.into_iter().map(|(_, entry)| entry);
        let ways = ways(&typed);
        // An e-mail address can only find a holder. Other text may be the start of a command.
        self.shown = if typed.contains('@') {
            ways.into_iter().chain(commands).collect()
        } else {
            commands.chain(ways).collect()
        };
    }

    /// The selected action, if it is possible now.
    pub fn selected(&self) -> Option<Action> {
        match self.shown.get(self.at)? {
            Entry::Command(command) if command.why_not.is_none() => Some(command.action),
            _ => None,
        }
    }

    fn choose(&self, out: &mut Effects<'_>) {
        let Some(entry) = self.shown.get(self.at) else {
            out.say(t!("No match. Nothing was done."));
            return;
        };
        if let Some(why) = self.why_not(entry) {
            out.say(t!("Not now: {why}. Nothing was done.", why));
            return;
        }
        let way = match entry {
            Entry::Command(command) => {
                out.close();
                out.go.push(Navigate::Run(command.action));
                return;
            }
            Entry::Badge(id) => Navigate::Badge(id.clone(), None),
            Entry::Holder(email) => Navigate::Holder(email.clone()),
            Entry::Named(name) => Navigate::HolderNamed(name.clone()),
            Entry::Filter(filter) => Navigate::UseFilter(Box::new(filter.clone())),
            Entry::Template(id) => Navigate::UseFilter(Box::new(NamedFilter {
                list: "templates".to_owned(),
                name: String::new(),
                fields: vec![("template_id".to_owned(), id.wire().to_owned())],
                sort: None,
            })),
            Entry::Titled(title) => Navigate::TemplatesTitled(title.clone()),
        };
        out.go.extend([Navigate::CloseAll, way]);
    }

    /// Why an entry is not possible now.
    fn why_not<'a>(&self, entry: &'a Entry) -> Option<&'a str> {
        match entry {
            Entry::Command(command) => command.why_not.as_deref(),
            _ if self.leaves => None,
            _ => Some(t!("close this first")),
        }
    }

    /// One entry. `keys` is the width of the key column, `room` the width of the line. The reason why an action is
    /// not possible follows it if it fits. For the selected entry, the reason is below the list.
    fn line(&self, entry: &Entry, selected: bool, (keys, room): (usize, usize), env: &Env) -> Line<'static> {
        let theme = &env.theme;
        let left = room.saturating_sub(keys + 2);
        let why = self.why_not(entry);
        let mut what = what(entry);
        if let Some(why) = why.filter(|_| !selected) {
            let with = format!("{what}   {} {why}", env.glyphs.dash);
            if width(&with) <= left {
                what = with;
            }
        }
        let key = if let Entry::Command(command) = entry { command.keys.as_str() } else { "" };
        let plain = |style| if selected { theme.selected() } else { style };
        let words = match (why, selected) {
            (Some(_), true) => theme.dim().add_modifier(Modifier::REVERSED),
            (Some(_), false) => theme.dim(),
            (None, _) => plain(theme.text()),
        };
        Line::from(vec![
            Span::styled(format!("  {} ", if selected { env.glyphs.cursor } else { " " }), theme.accent()),
            Span::styled(fit(key, keys, env.glyphs.ellipsis), plain(theme.key())),
            Span::styled(fit(&what, left, env.glyphs.ellipsis), words),
        ])
    }
}

impl Component for CommandPalette {
    fn key_contexts(&self) -> Vec<Context> {
        vec![Context::Palette, Context::Always]
    }

    fn on_action(&mut self, action: Action, _: &Env, out: &mut Effects<'_>) -> bool {
        let last = self.shown.len().saturating_sub(1);
        match action {
            Action::Down => self.at = if self.at >= last { 0 } else { self.at + 1 },
            Action::Up => self.at = self.at.checked_sub(1).unwrap_or(last),
            Action::PageDown => self.at = (self.at + 10).min(last),
            Action::PageUp => self.at = self.at.saturating_sub(10),
            Action::ClearField => {
                self.field.clear();
                self.find();
            }
            Action::Back => out.close(),
            Action::Accept => self.choose(out),
            _ => return false,
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        let changed = self.field.on_text_key(key);
        if changed {
            self.find();
        }
        true
    }

    fn on_paste(&mut self, text: &str, _: &Env, _: &mut Effects<'_>) {
        self.field.on_paste(text.trim());
        self.find();
    }

    fn on_click(&mut self, at: Position, _: Rect, env: &Env, out: &mut Effects<'_>) -> Clicked {
        let click = self.sight.click(at, &mut self.at);
        if click == Click::Again && self.selected().is_some_and(sends) {
            let enter = env.key(&self.key_contexts(), Action::Accept);
            out.say(t!("A click sends nothing. {enter} does this.", enter));
            return Clicked::Changed;
        }
        Clicked::in_menu(click, Action::Accept)
    }

    fn typed(&self) -> Vec<&str> {
        let looks_up = self
            .shown
            .get(self.at)
            .is_some_and(|entry| !matches!(entry, Entry::Command(_) | Entry::Filter(_)));
        if looks_up { vec![self.field.value()] } else { Vec::new() }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let theme = &env.theme;
        let room = usize::from(area.width).saturating_sub(4);
        let prompt = t!("  Do  ");
        let mut spans =
            vec![Span::styled(prompt, theme.strong()), Span::styled(env.glyphs.cursor, theme.accent())];
        spans.extend(self.field.spans(room.saturating_sub(width(prompt)), true, env));
        let mut lines = vec![Line::from(spans), Line::raw("")];
        let reason = |entry: &Entry| {
            let why = self.why_not(entry)?;
            Some(wrap(&t!("not now: {why}", why), room.saturating_sub(2)))
        };
        // Reserve room for the longest reason, so that the list does not move.
        let reasons = self.shown.iter().filter_map(reason).map(|lines| lines.len()).max().unwrap_or(0);
        let height = usize::from(area.height).saturating_sub(3 + reasons).max(1);
        let rows = Rect { height: u16::try_from(height).unwrap_or(u16::MAX), ..below(area, lines.len()) };
        let shown = self.sight.lay(rows, self.at, self.shown.len());
        let keys = self.all.iter().map(|c| width(&c.keys)).max().unwrap_or(0).min(room / 4) + 2;
        for (n, entry) in self.shown.iter().enumerate().skip(shown.start).take(shown.len()) {
            lines.push(self.line(entry, n == self.at, (keys, room), env));
        }
        if self.shown.is_empty() {
            lines.push(Line::styled(t!("    no match"), theme.dim()));
        } else {
            let rest = out_of_sight(&shown, self.shown.len(), env);
            lines.push(Line::styled(format!("  {rest}"), theme.dim()));
        }
        let selected = self.shown.get(self.at).and_then(reason).unwrap_or_default();
        lines.extend(selected.into_iter().map(|line| Line::styled(format!("    {line}"), theme.text())));
        frame.render_widget(ratatui::text::Text::from(lines), area);
    }
}

impl Modal for CommandPalette {}

fn what(entry: &Entry) -> String {
    match entry {
        Entry::Command(command) => command.action.help().to_owned(),
        Entry::Badge(id) => t!("open badge {id}", id),
        Entry::Holder(email) => t!("look up what {email} holds", email = Text::from(email.as_str())),
        Entry::Named(name) => t!("look up holders named {name}", name = Text::from(name.as_str())),
        Entry::Filter(filter) => filter_words(filter),
        Entry::Template(id) => t!("show template {id}", id),
        Entry::Titled(title) => {
            t!("show templates with {title} in the title", title = Text::from(title.as_str()))
        }
    }
}

/// Text by which the palette finds a saved filter.
fn filter_words(filter: &NamedFilter) -> String {
    t!("filter: {name}", name = Text::from(filter.name.as_str()))
}

/// Destinations for the typed text, most likely first.
fn ways(typed: &str) -> Vec<Entry> {
    match Address::check(typed) {
        Ok(address) => vec![Entry::Holder(address.as_str().to_owned())],
        Err(_) if typed.contains('@') => Vec::new(),
        Err(_) => {
            let one_word = !typed.contains(char::is_whitespace);
            // The Wallet's search box reads ids the same way: from a link, without brackets.
            let badge = match Query::read(typed) {
                Query::BadgeId(id) => Some(Entry::Badge(id)),
                _ => BadgeId::new(typed).filter(|_| one_word).map(Entry::Badge),
            };
            let titled = Some(Entry::Titled(typed.to_owned()));
            let named =
                matches!(Query::read(typed), Query::Name { .. }).then(|| Entry::Named(typed.to_owned()));
            // A template id contains a digit. A single word is more likely a person's name than a title.
            let template = TemplateId::new(typed)
                .filter(|_| one_word && typed.chars().any(|c| c.is_ascii_digit()))
                .map(Entry::Template);
            let ways = match (&template, one_word) {
                (Some(_), _) => [badge, template, titled, named],
                (None, true) => [named, titled, badge, None],
                (None, false) => [titled, named, None, None],
            };
            ways.into_iter().flatten().collect()
        }
    }
}

/// Splits Hangul into its letters, so that an unfinished syllable matches while the user types. A single consonant
/// becomes an initial consonant.
fn letters(text: &str) -> String {
    const ALONE: &str = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ";
    text.nfd()
        .map(|c| match ALONE.chars().position(|alone| alone == c) {
            Some(at) => u32::try_from(at).ok().and_then(|at| char::from_u32(0x1100 + at)).unwrap_or(c),
            None if ('ㅏ'..='ㅣ').contains(&c) => {
                char::from_u32(u32::from(c) - u32::from('ㅏ') + 0x1161).unwrap_or(c)
            }
            None => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn palette() -> CommandPalette {
        let command = |action: Action, why: Option<&str>| Command {
            action,
            keys: String::new(),
            why_not: why.map(str::to_owned),
        };
        CommandPalette::new(
            vec![
                command(Action::Revoke, Some("a key of History")),
                command(Action::Sort, None),
                command(Action::Reload, None),
                command(Action::Filter, None),
            ],
            Vec::new(),
            true,
        )
    }

    fn found(palette: &mut CommandPalette, typed: &str) -> Vec<String> {
        palette.field.set(typed);
        palette.find();
        palette.shown.iter().map(what).collect()
    }

    #[test]
    fn what_is_typed_finds_by_letters_in_their_order() {
        let mut palette = palette();
        assert_eq!(found(&mut palette, "").len(), 4);
        assert_eq!(found(&mut palette, "srt")[0], Action::Sort.help());
        assert_eq!(found(&mut palette, "REVOKE")[0], Action::Revoke.help());
        // Of two equal matches, the possible one comes first.
        assert_eq!(found(&mut palette, "re")[0], Action::Reload.help());
        let nothing = found(&mut palette, "zzzz");
        let ways = ["look up holders named zzzz", "show templates with zzzz in the title", "open badge zzzz"];
        assert_eq!(nothing, ways);
    }

    #[test]
    fn an_address_an_id_and_a_title_lead_somewhere() {
        let mut palette = palette();
        assert_eq!(found(&mut palette, " a@b.example ")[0], "look up what a@b.example holds");
        assert_eq!(found(&mut palette, "@@"), [""; 0]);
        let title = found(&mut palette, "데이터 시각화");
        let ways = ["show templates with 데이터 시각화 in the title", "look up holders named 데이터 시각화"];
        assert_eq!(title, ways, "an id has no spaces");
        assert_eq!(found(&mut palette, "한서윤")[0], "look up holders named 한서윤");
        assert_eq!(found(&mut palette, "TPL-004")[1], "show template TPL-004");
        // The palette must not leave a form with input.
        palette.leaves = false;
        assert_eq!(found(&mut palette, "a@b.example").len(), 1);
        assert!(palette.why_not(&palette.shown[0]).is_some());
    }

    #[test]
    fn the_reason_of_what_is_selected_is_whole_at_every_size() {
        use crate::tui::input::keymap::Context;
        use ratatui::Terminal;
        use ratatui::backend::TestBackend;
        let env = Env::for_test();
        let long =
            "the list is still being read, and what it holds is not known before the service has answered";
        let reasons = [Context::Global, Context::OverviewList, Context::DraftRevoke]
            .map(|context| format!("available in: {}", context.place()));
        let reasons: Vec<String> = reasons.into_iter().chain([long.to_owned()]).collect();
        let all = Action::ALL.iter().zip(reasons.iter().cycle()).map(|(action, why)| Command {
            action: *action,
            keys: "x".to_owned(),
            why_not: Some(why.clone()).filter(|_| *action != Action::Sort),
        });
        let mut palette = CommandPalette::new(all.collect(), Vec::new(), true);
        // The palette's size on an 80x24 and on a 60x16 terminal.
        for (columns, rows) in [(78, 18), (58, 10)] {
            let area = Rect::new(0, 0, columns, rows);
            for at in 0..palette.shown.len() {
                palette.at = at;
                let mut terminal = Terminal::new(TestBackend::new(columns, rows)).expect("a terminal");
                terminal.draw(|frame| palette.draw(&mut Frame::new(frame), area, &env)).expect("drawn");
                let buffer = terminal.backend().buffer();
                let line = |y: u16| (0..columns).map(|x| buffer[(x, y)].symbol()).collect::<String>();
                let screen: Vec<String> = (0..rows).map(line).collect();
                let words = screen.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
                match palette.why_not(&palette.shown[at]) {
                    Some(why) => assert!(words.contains(&format!("not now: {why}")), "{screen:#?}"),
                    None => assert!(!words.contains("not now"), "{screen:#?}"),
                }
                // One cursor at the prompt, one at the selected entry.
                let cursors = screen.iter().filter(|line| line.contains(env.glyphs.cursor)).count();
                assert_eq!(cursors, 2, "{screen:#?}");
            }
        }
    }

    #[test]
    fn hangul_is_found_letter_by_letter() {
        let has = |text: &str, typed: &str| {
            let mut matcher = Matcher::new(Config::DEFAULT);
            let pattern =
                Pattern::new(&letters(typed), CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
            pattern.score(Utf32Str::new(&letters(text), &mut Vec::new()), &mut matcher).is_some()
        };
        for typed in ["한글", "한", "하", "ㅎ", "ㅎㄱ", "한ㄱ", "글"] {
            assert!(has("한글 입력", typed), "{typed}");
        }
        assert!(!has("한글 입력", "영"));
    }
}
