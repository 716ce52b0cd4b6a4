//! The header: the tabs, the environment and the organisation, and the state of the connection.

use super::hold;
use super::screens::Screens;
use super::tab::Tab;
use crate::api::LinkTrouble;
use crate::i18n::wait::wait_text;
use crate::tui::prelude::*;
use crate::tui::widgets::text_layout::line_width;

pub(super) const READ_ONLY: &str = tr_noop!("read-only");
const NAME: &str = " lapel  ";

/// A tab, its text, and the number of jobs that need a person after it.
type TabWords = (Tab, String, Option<String>);

/// Minimum screen width for the names of all tabs. A narrower header has no room for its other parts.
const NAMES: u16 = 90;
/// Columns of the organisation that the names of the tabs leave free.
const ORGANISATION: usize = 16;

pub(super) struct Header<'a> {
    pub(super) cx: &'a UiContext,
    pub(super) screens: &'a Screens,
    pub(super) tab: Tab,
    /// Whether the first screen is shown, which has no tabs.
    pub(super) is_welcome: bool,
    /// Whether there is no connection.
    pub(super) has_failed: bool,
}

impl Header<'_> {
    /// Returns whether the header shows that this profile is read-only.
    pub(super) fn draw(&self, frame: &mut Frame<'_>, area: Rect) -> bool {
        let theme = &self.cx.theme;
        let (name, tabs) = self.tabs(area.width);
        let mut spans = vec![Span::styled(name, theme.strong())];
        for (tab, text, needs) in tabs {
            spans.push(Span::styled(text, if tab == self.tab { theme.tab() } else { theme.dim() }));
            spans.extend(needs.map(|needs| Span::styled(needs, theme.header_warning())));
            spans.push(Span::raw("  "));
        }
        if !self.is_welcome && self.cx.session().is_some() {
            frame.buffer_mut().set_style(area, theme.header());
        }
        let line = Line::from(spans);
        let room = usize::from(area.width).saturating_sub(line_width(&line) + 2);
        frame.render_widget(line, area);
        let Some(right) = self.right(room) else { return false };
        let said = right.iter().any(|span| span.content.contains(i18n::tr(READ_ONLY)));
        frame.render_widget(Line::from(right).right_aligned(), Rect { width: area.width - 1, ..area });
        said
    }

    /// The tabs shrink for the parts that the header must show. Home and Activity count the jobs that need a person.
    fn tabs(&self, columns: u16) -> (&'static str, Vec<TabWords>) {
        if self.is_welcome {
            return (NAME, Vec::new());
        }
        let needs = self.screens.home.needing;
        let of = |before: &'static str, has_names: bool| {
            let tabs = Tab::ALL.iter().enumerate().map(|(at, (tab, name))| {
                let is_named = has_names || *tab == self.tab;
                let text = if is_named { i18n::tr(name).to_owned() } else { at.to_string() };
                let has_needs = needs > 0 && self.screens.of(*tab).counts_needs();
                (*tab, text, has_needs.then(|| format!(" {}{needs}", self.cx.glyphs.alert)))
            });
            (before, tabs.collect::<Vec<_>>())
        };
        let needed = self.needed();
        let fits = |(name, tabs): &(&str, Vec<TabWords>)| {
            let texts = tabs.iter().map(|(_, text, open)| width(text) + open.as_deref().map_or(0, width) + 2);
            width(name) + texts.sum::<usize>() + 2 + needed <= usize::from(columns)
        };
        let named = [NAME, " "].into_iter().filter(|_| columns >= NAMES);
        // Otherwise the name of the open tab, and the numbers of the others.
        named.map(|before| of(before, true)).find(fits).unwrap_or_else(|| of(" ", false))
    }

    /// Columns of the parts that the header shows before it names all tabs.
    fn needed(&self) -> usize {
        let Some(session) = self.cx.session() else { return 0 };
        let read_only = if self.cx.read_only() { width(i18n::tr(READ_ONLY)) + 1 } else { 0 };
        let organisation = width(self.cx.organisation()).min(ORGANISATION) + 1;
        let environment = width(&session.environment.to_string()) + 2;
        environment + read_only + organisation + 2 + width(&self.link_words().0)
    }

    /// Whether there is no connection, or requests to the service have to wait.
    fn is_in_trouble(&self) -> bool {
        match self.cx.link() {
            _ if self.cx.is_database_away() => true,
            Some(link) => link.held_until.is_some() || link.last_error.is_some() || link.waiting > 0,
            None => self.has_failed,
        }
    }

    pub(super) fn tab_at(&self, columns: u16, column: u16) -> Option<Tab> {
        let (name, tabs) = self.tabs(columns);
        let mut at = width(name);
        let column = usize::from(column);
        for (tab, text, open) in tabs {
            let wide = width(&text);
            if (at..at + wide).contains(&column) {
                return Some(tab);
            }
            at += wide + open.as_deref().map_or(0, width) + 2;
        }
        None
    }

    /// Parts in the middle are left out first when space is short.
    fn right(&self, room: usize) -> Option<Vec<Span<'static>>> {
        let cx = self.cx;
        let theme = &cx.theme;
        let session = cx.session()?;
        let chip = format!(" {} ", session.environment);
        let word = if cx.read_only() { format!(" {}", i18n::tr(READ_ONLY)) } else { String::new() };
        let (state, style) = self.link_words();
        let link = format!("  {state}");
        let label = scrub(cx.organisation());
        let prefix = session.connection.key.prefix_shown();
        // The widest choice that fits. The environment and an error are always shown.
        let room = room.saturating_sub(width(&chip));
        let cut =
            fit(&label, room.saturating_sub(width(&word) + width(&link) + 1).max(1), cx.glyphs.ellipsis);
        let cut = if width(&cut) >= 6 { format!(" {cut}") } else { String::new() };
        let short = if self.is_in_trouble() {
            fit(&link, room, cx.glyphs.ellipsis)
        } else {
            format!("  {}", state.split(' ').next().unwrap_or_default())
        };
        let (word, link, short) = (word.as_str(), link.as_str(), short.as_str());
        let choices = [
            (word, format!(" {label} {} {prefix}", cx.glyphs.dot), link),
            (word, format!(" {label}"), link),
            (word, cut, link),
            (word, String::new(), link),
            ("", String::new(), link),
            ("", String::new(), short),
        ];
        let fits =
            |(word, middle, link): &(&str, String, &str)| width(word) + width(middle) + width(link) <= room;
        let least = ("", String::new(), if self.is_in_trouble() { short } else { "" });
        let (word, middle, link) = choices.into_iter().find(fits).unwrap_or(least);
        Some(vec![
            Span::styled(chip, theme.chip()),
            Span::styled(word.to_owned(), theme.accent()),
            Span::raw(middle),
            Span::styled(link.to_owned(), style),
        ])
    }

    /// The state of the connection to the service, and whether the team's database is away.
    fn link_words(&self) -> (String, Style) {
        let cx = self.cx;
        let (words, style) = self.service_words();
        let Some(link) = cx.link().filter(|_| cx.is_database_away()) else { return (words, style) };
        let (alert, dot) = (cx.glyphs.alert, cx.glyphs.dot);
        let problem = if cx.is_login_refused() {
            t!("login refused")
        } else if cx.connection.journal_away.as_ref().is_some_and(|away| away.is_forbidden) {
            t!("no database rights")
        } else {
            t!("database away")
        };
        if hold::left(cx).is_some() || link.last_error.is_some() {
            return (format!("{words} {dot} {problem}"), style);
        }
        let text = match link.limit {
            // Nobody has tried yet.
            _ if link.alone.is_none() => format!("{alert} {problem}"),
            0 => t!("{alert} {problem} {dot} no requests", alert, problem, dot),
            // Requests of the shared pool do not use it up, so their number says nothing here.
            limit => t!("{alert} {problem} {dot} own share {limit}/min", alert, problem, dot, limit),
        };
        (text, cx.theme.header_warning())
    }

    fn service_words(&self) -> (String, Style) {
        let cx = self.cx;
        let theme = &cx.theme;
        let held = hold::left(cx);
        let known = cx.link().filter(|_| cx.client().is_some() || held.is_some());
        let Some(link) = known else {
            return if self.has_failed {
                (t!("{alert} no connection", alert = cx.glyphs.alert), theme.error())
            } else {
                (t!("connecting").to_owned(), theme.dim())
            };
        };
        if let Some(left) = held {
            let wait = wait_text(left);
            return (t!("{alert} wait {wait}", alert = cx.glyphs.alert, wait), theme.header_warning());
        }
        let used = match link.own_share {
            Some(limit) => t!("own share {limit}/min", limit),
            None => format!("{}/{}", link.used_last_minute, link.limit),
        };
        match link.last_error {
            Some(LinkTrouble::ServiceFailing) => (
                format!("{} {} {used}", cx.glyphs.alert, LinkTrouble::ServiceFailing.words()),
                theme.header_warning(),
            ),
            Some(trouble) => (format!("{} {}", cx.glyphs.alert, trouble.words()), theme.error()),
            None if link.waiting > 0 => (
                t!("{waiting} waiting {dot} {used}", waiting = link.waiting, dot = cx.glyphs.dot, used),
                theme.header_warning(),
            ),
            None if link.last_ok.is_some() => (format!("{} {used}", cx.glyphs.link), theme.good()),
            None if link.is_busy => (t!("connecting").to_owned(), theme.dim()),
            // A key that this lapel asked nothing with yet may be refused.
            None => (t!("{glyph} not checked", glyph = cx.glyphs.waiting), theme.dim()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_click_finds_its_tab_by_name_and_by_number() {
        let (cx, screens) = (UiContext::for_test(), Screens::default());
        let header =
            Header { cx: &cx, screens: &screens, tab: Tab::Home, is_welcome: false, has_failed: false };
        let tab_of = |columns, text: &str| {
            let (name, tabs) = header.tabs(columns);
            let before: usize =
                tabs.iter().take_while(|tab| tab.1 != text).map(|tab| width(&tab.1) + 2).sum();
            header.tab_at(columns, u16::try_from(width(name) + before).expect("a column"))
        };
        assert_eq!(tab_of(200, i18n::tr("Wallet")), Some(Tab::Wallet));
        assert_eq!(tab_of(70, "3"), Some(Tab::Wallet));
        assert_eq!(header.tab_at(200, 199), None);
        assert_eq!(Header { is_welcome: true, ..header }.tab_at(200, 10), None);
    }
}
