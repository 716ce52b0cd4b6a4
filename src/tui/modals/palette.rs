//! Command palette. It lists every action of every screen, with its key or why it is not possible now. It also
//! finds a badge, a holder, a template, a job, a kept draft or a recent file by its name, number, id or address. It never
//! selects an action that sends, revokes or deletes something: the user does. Its entries are declared in
//! `input/action.rs`.

mod entries;
pub(in crate::tui) mod search;

pub use entries::{PaletteCommand, PaletteEntry};

use crate::tui::input::action::ActionKind;
use crate::tui::input::list_hit::out_of_sight;
use crate::tui::modals::file::{FileForm, Purpose};
use crate::tui::prelude::*;
use entries::ways;
use search::{PaletteSearch, Rank, letters, word_starts};
use std::cmp::Reverse;

const WIDEST: u16 = popup::FORM;
const HIGHEST: u16 = 26;
/// Width of a screen that the palette covers from side to side, in columns.
const COVERED: u16 = WIDEST + 16;
const RECENT: usize = 3;

/// The order of the matches: place, rank, whether it is impossible now, score.
type Worth = (u8, Rank, bool, Reverse<u32>);

fn worth(rank: Rank, is_impossible: bool, score: u32) -> Worth {
    (rank.place(is_impossible), rank, is_impossible, Reverse(score))
}

#[derive(Default)]
pub struct CommandPalette {
    /// Everything that can be found, those of `listed` first.
    entries: Vec<PaletteEntry>,
    /// Number of commands and saved filters, which are listed while nothing is typed.
    listed: usize,
    recents: Vec<String>,
    field: TextField,
    shown: Vec<PaletteEntry>,
    cursor: ListCursor,
    /// Whether the entry at the cursor is selected. False while the best match is weak or a destructive action, until the
    /// user selects it.
    is_selected: bool,
    /// Whether the user may go to another screen. False in a form with input.
    leaves: bool,
}

impl CommandPalette {
    /// Lists possible commands first, and moving in a list last. `filters` are the saved filters, which open their
    /// lists; `recents` are earlier look-ups. With `leaves`, entries that go to another screen are possible.
    pub fn new(
        mut all: Vec<PaletteCommand>,
        filters: Vec<NamedFilter>,
        recents: Vec<String>,
        leaves: bool,
    ) -> Self {
        all.sort_by_key(|command| (command.why_not.is_some(), command.action.is(ActionKind::Moves)));
        let commands = all.into_iter().map(PaletteEntry::Command);
        let entries: Vec<_> = commands.chain(filters.into_iter().map(PaletteEntry::Filter)).collect();
        let mut palette = Self { listed: entries.len(), entries, recents, leaves, ..Self::default() };
        palette.find();
        palette
    }

    #[must_use]
    pub fn with_loaded(mut self, loaded: impl Iterator<Item = PaletteEntry>) -> Self {
        let mut seen = HashSet::new();
        let loaded = loaded.filter(|loaded| seen.insert(loaded.words()));
        self.entries.extend(loaded);
        self
    }

    fn find(&mut self) {
        let typed = self.field.value().trim().to_owned();
        let mut is_weak = false;
        if typed.is_empty() {
            self.shown = self.entries.iter().take(self.listed).cloned().collect();
        } else {
            let mut search = PaletteSearch::new(&typed);
            let ranked = self.entries.iter().filter_map(|entry| {
                let (rank, score) = search.rank(entry)?;
                // Equal matches keep the order of the help.
                Some((worth(rank, self.why_not(entry).is_some(), score), entry.clone()))
            });
            let mut found: Vec<(Worth, PaletteEntry)> = ranked.collect();
            let listed: HashSet<String> = found.iter().filter_map(|(_, entry)| entry.place()).collect();
            let others = self.destinations(&typed).into_iter();
            let others =
                others.filter(|(_, entry)| entry.place().is_none_or(|place| !listed.contains(&place)));
            found.extend(others.map(|(rank, entry)| (worth(rank, !self.leaves, 0), entry)));
            found.sort_by_key(|(worth, _)| *worth);
            is_weak = found.first().is_some_and(|((_, rank, ..), _)| rank.is_weak());
            self.shown = found.into_iter().map(|(_, entry)| entry).collect();
        }
        self.cursor.restart();
        let best = self.shown.first();
        self.is_selected = !is_weak
            && !matches!(best, Some(PaletteEntry::Command(command)) if command.action.is_destructive());
    }

    /// Recent look-ups whose words begin like the typed words, then what the text itself can mean.
    fn destinations(&self, typed: &str) -> Vec<(Rank, PaletteEntry)> {
        let recents = self.recents.iter().filter(|recent| word_starts(&letters(recent), &letters(typed)));
        let recents = recents.take(RECENT).filter_map(|recent| ways(recent).into_iter().next());
        let mut all: Vec<(Rank, PaletteEntry)> = recents.map(|entry| (Rank::Loaded, entry)).collect();
        let has_id = matches!(Query::read(typed), Query::BadgeId(_));
        let mut ways = ways(typed);
        let knows_templates =
            self.entries.iter().any(|entry| matches!(entry, PaletteEntry::Template(_, Some(_))));
        if !knows_templates {
            // A title that is typed cannot be found above, so it is more likely than a name.
            ways.sort_by_key(|way| !matches!(way, PaletteEntry::Titled(_)));
        }
        for way in ways {
            // Other text is rather the start of a command.
            let is_whole = match &way {
                PaletteEntry::Holder(..) | PaletteEntry::Template(..) => true,
                PaletteEntry::Badge(..) => has_id,
                _ => false,
            };
            if !all.iter().any(|(_, entry)| entry.what() == way.what()) {
                all.push((if is_whole { Rank::Id } else { Rank::Generic }, way));
            }
        }
        all
    }

    pub fn selected(&self) -> Option<Action> {
        match self.shown.get(self.cursor.at())? {
            PaletteEntry::Command(command) if self.is_selected && command.why_not.is_none() => {
                Some(command.action)
            }
            _ => None,
        }
    }

    fn choose(&self, cx: &UiContext, effects: &mut Effects<'_>) {
        let Some(entry) = self.shown.get(self.cursor.at()) else {
            effects.say(t!("No match. Nothing was done."));
            return;
        };
        if !self.is_selected {
            let down = cx.key(&self.key_contexts(), Action::Down);
            effects.say(t!("Select it with {down} first. Nothing was done.", down));
            return;
        }
        if let Some(why) = self.why_not(entry) {
            effects.say(t!("Not now: {why}. Nothing was done.", why));
            return;
        }
        let way = match entry {
            PaletteEntry::Command(command) => {
                effects.close();
                effects.go.push(Navigate::Run(command.action));
                return;
            }
            PaletteEntry::Badge(id, false) => Navigate::FindBadge(id.clone()),
            PaletteEntry::Badge(id, true) => Navigate::Badge(ListedBadge::unlisted(id.clone())),
            PaletteEntry::Job(id, _) => Navigate::Job(*id, Vec::new()),
            PaletteEntry::Drafts(ids, _) => Navigate::Drafts(ids.clone()),
            PaletteEntry::Holder(email, _) => Navigate::Holder(email.wire().to_owned()),
            PaletteEntry::Named(name) => Navigate::HolderNamed(name.clone()),
            PaletteEntry::Filter(filter) => Navigate::UseFilter(Box::new(filter.clone())),
            PaletteEntry::Template(id, _) => Navigate::UseFilter(Box::new(NamedFilter {
                list: "templates".to_owned(),
                name: String::new(),
                fields: vec![("template_id".to_owned(), id.wire().to_owned())],
                sort: None,
            })),
            PaletteEntry::Titled(title) => Navigate::TemplatesTitled(title.clone()),
            PaletteEntry::File { path, template, by_column } => {
                let (source, template) = (ImportSource::File(path.clone()), template.clone());
                let purpose = Purpose::Issue { template, by_column: *by_column };
                effects.go.push(Navigate::CloseAll);
                effects.open(move |_, effects| FileForm::new(purpose, source, effects));
                return;
            }
        };
        effects.go.extend([Navigate::CloseAll, way]);
    }

    fn why_not<'a>(&self, entry: &'a PaletteEntry) -> Option<&'a str> {
        match entry {
            PaletteEntry::Command(command) => command.why_not.as_deref(),
            _ if self.leaves => None,
            _ => Some(t!("close this first")),
        }
    }

    /// One entry: key, name and explanation. The reason why an action is not possible follows, or a shorter sign if it does
    /// not fit; the explanation is cut before that sign. Of the selected entry, the reason is also below the list.
    fn line(
        &self,
        entry: &PaletteEntry,
        selected: bool,
        widths: &PaletteWidths,
        search: &mut PaletteSearch,
        cx: &UiContext,
    ) -> Line<'static> {
        let theme = &cx.theme;
        let why = self.why_not(entry);
        let plain = |style| if selected { theme.selected() } else { style };
        let words = match (why, selected) {
            (Some(_), true) => theme.dim().patch(theme.selected()),
            (Some(_), false) => theme.dim(),
            (None, _) => plain(theme.text()),
        };
        let mut spans = vec![Span::raw("  "), cx.cursor(selected), Span::raw(" ")];
        let PaletteEntry::Command(command) = entry else {
            let room = widths.room.saturating_sub(widths.keys + 2);
            spans.push(Span::styled(" ".repeat(widths.keys), words));
            spans.extend(search.highlighted(&entry.what(), room, words, cx));
            return Line::from(spans);
        };
        let room = widths.room.saturating_sub(widths.keys + widths.names + 1);
        let help = search.explanation(command.action);
        let sign = why.map_or(String::new(), |why| {
            let [whole, short] = [why, t!("not now")].map(|why| format!("   {} {why}", cx.glyphs.dash));
            if width(&help) + width(&whole) <= room { whole } else { short }
        });
        let left = width(&help).min(room.saturating_sub(width(&sign)));
        spans.push(Span::styled(fit(&command.keys, widths.keys, cx.glyphs.ellipsis), plain(theme.key())));
        spans.extend(search.highlighted(command.action.hint(), widths.names, words, cx));
        let dim = if selected { words } else { theme.dim() };
        spans.extend(search.highlighted(&help, left, dim, cx));
        spans.push(Span::styled(fit(&sign, room.saturating_sub(left), ""), dim));
        Line::from(spans)
    }
}

struct PaletteWidths {
    keys: usize,
    names: usize,
    room: usize,
}

impl Component for CommandPalette {
    fn key_contexts(&self) -> Vec<KeyContext> {
        KeyContext::Palette.in_field()
    }

    fn on_action(&mut self, action: Action, cx: &UiContext, effects: &mut Effects<'_>) -> bool {
        match action {
            Action::Down if !self.is_selected => self.is_selected = true,
            Action::ClearField => {
                self.field.clear();
                self.find();
            }
            // The key that opens it closes it again.
            Action::Back | Action::Palette => effects.close(),
            Action::Accept => self.choose(cx, effects),
            _ if self.cursor.on_menu_action(action, self.shown.len()) => self.is_selected = true,
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

    fn on_paste(&mut self, text: &str, _: &UiContext, _: &mut Effects<'_>) {
        self.field.on_paste(text.trim());
        self.find();
    }

    fn on_click(&mut self, at: Position, _: Rect, cx: &UiContext, effects: &mut Effects<'_>) -> Clicked {
        let clicked = self.cursor.on_click(at, Action::Accept);
        self.is_selected |= clicked != Clicked::Nothing;
        if matches!(clicked, Clicked::Chosen(_)) && self.selected().is_some_and(Action::sends) {
            let enter = cx.key(&self.key_contexts(), Action::Accept);
            effects.say(t!("A click sends nothing. Press {enter} instead.", enter));
            return Clicked::Changed;
        }
        clicked
    }

    fn typed(&self) -> Vec<&str> {
        let looks_up = self
            .shown
            .get(self.cursor.at())
            .is_some_and(|entry| !matches!(entry, PaletteEntry::Command(_) | PaletteEntry::Filter(_)));
        if looks_up { vec![self.field.value()] } else { Vec::new() }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let theme = &cx.theme;
        // Beside a popup that is a little narrower than the screen, rows would show their signs without their words.
        let most = if area.width <= COVERED { area.width } else { WIDEST };
        let screen = area;
        let area = popup::inside(screen, most);
        let room = usize::from(area.width).saturating_sub(4);
        let prompt = format!("  {}  ", t!("Do"));
        let free = room.saturating_sub(width(&prompt));
        let mut spans = vec![Span::styled(prompt, theme.strong()), cx.cursor(true)];
        spans.extend(self.field.spans(free, true, cx));
        let mut lines = vec![Line::from(spans), Line::raw("")];
        let reason = |entry: &PaletteEntry| {
            let why = self.why_not(entry)?;
            Some(wrap(&t!("not now: {why}", why), room.saturating_sub(2)))
        };
        // Reserve room for the longest reason, so that the list does not move.
        let down = cx.key(&self.key_contexts(), Action::Down);
        let unselected = t!("{down} selects it. Typing never selects what sends, revokes or deletes.", down);
        let unselected = wrap(&unselected, room.saturating_sub(2));
        let reasons = self.shown.iter().filter_map(reason).map(|lines| lines.len()).max().unwrap_or(0);
        let reasons = reasons.max(if self.is_selected { 0 } else { unselected.len() });
        // Prompt, empty line, entries, and the line that counts hidden entries. A short list makes a low popup.
        let wanted = self.shown.len().max(1) + 3 + reasons + usize::from(2 * popup::edge(screen));
        let wanted = u16::try_from(wanted).unwrap_or(HIGHEST).min(HIGHEST).min(screen.height);
        let outer = popup::centred(Rect { height: wanted, ..screen }, most);
        let area = popup::open(frame, outer, screen, t!("Command palette"), cx);
        let height = usize::from(area.height).saturating_sub(3 + reasons).max(1);
        let rows = Rect { height: u16::try_from(height).unwrap_or(u16::MAX), ..below(area, lines.len()) };
        let shown = self.cursor.lay(rows, self.shown.len());
        let commands = || {
            self.entries.iter().filter_map(|entry| match entry {
                PaletteEntry::Command(command) => Some(command),
                _ => None,
            })
        };
        let widest = |text: &dyn Fn(&PaletteCommand) -> usize| commands().map(text).max().unwrap_or(0);
        let widths = PaletteWidths {
            keys: widest(&|command| width(&command.keys)).min(room / 4) + 2,
            names: widest(&|command| width(command.action.hint())).min(room / 3) + 2,
            room,
        };
        let mut search = PaletteSearch::new(self.field.value().trim());
        for (n, entry) in self.shown.iter().enumerate().skip(shown.start).take(shown.len()) {
            let selected = n == self.cursor.at() && self.is_selected;
            lines.push(self.line(entry, selected, &widths, &mut search, cx));
        }
        if self.shown.is_empty() {
            lines.push(Line::styled(format!("    {}", t!("no match")), theme.dim()));
        } else {
            let rest = out_of_sight(&shown, self.shown.len(), cx);
            lines.push(Line::styled(format!("  {rest}"), theme.dim()));
        }
        let selected = match self.shown.get(self.cursor.at()) {
            Some(entry) if self.is_selected => reason(entry).unwrap_or_default(),
            Some(_) => unselected,
            None => Vec::new(),
        };
        lines.extend(selected.into_iter().map(|line| Line::styled(format!("    {line}"), theme.text())));
        frame.render_widget(lines, area);
    }
}

impl Modal for CommandPalette {
    fn has(&self, flag: ModalFlag) -> bool {
        flag == ModalFlag::IsBox
    }
}

#[cfg(test)]
mod tests;
