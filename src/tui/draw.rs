//! Draws the frame: one header line, the screen, one footer line. Drawing decides nothing.

use super::app::{App, LONGEST_NOTICE, Notice, SMALLEST, Tab};
use super::component::Component as _;
use super::hold;
use super::theme::Glyphs;
use crate::api::LinkTrouble;
use crate::i18n::wait::wait_text;
use crate::tui::prelude::*;
use crate::tui::widgets::frame::text_of;
use crate::tui::widgets::paged_list::draw_texts;
use crate::tui::widgets::preview;
use crate::tui::widgets::text_layout::line_width;

const READ_ONLY: &str = tr_noop!("read-only");
const NAME: &str = " lapel  ";

/// The parts of the tabs that the header shows, the fullest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TabLabels {
    Whole,
    Names,
    /// The name of the open tab, and the numbers of the others.
    Numbers,
}

/// A tab, its text, and the number of jobs that need a person after it.
type TabWords = (Tab, String, Option<String>);

/// Minimum screen width for the names of all tabs. A narrower header has no room for its other parts.
const NAMES: u16 = 90;
/// Columns of the organisation that the names of the tabs leave free.
const ORGANISATION: usize = 16;

impl App {
    pub fn draw(&self, buffer: &mut Buffer) {
        self.draw_all(&mut Frame::new(buffer));
    }

    pub(in crate::tui) fn screen_text(&self) -> String {
        let (columns, rows) = self.size;
        let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width: columns, height: rows });
        self.draw(&mut buffer);
        text_of(&buffer)
    }

    fn draw_all(&self, frame: &mut Frame<'_>) {
        let area = frame.area();
        if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
            too_small(frame, area);
            self.cx.theme.paint(frame.buffer_mut());
            return;
        }
        let row = |y: u16| Rect { y, height: 1, ..area };
        let said = self.draw_header(frame, row(0));
        preview::draw_rule(frame, row(1), &self.cx);
        self.draw_on_rule(frame, row(1), self.cx.read_only() && !said);
        self.draw_slow_read(frame, row(1));
        let tour = self.tour_rows();
        let body = self.body();
        self.draw_body(frame, body);
        self.draw_which_key(frame, body);
        let held = Rect { y: body.bottom(), height: self.hold_rows(), ..area };
        self.draw_hold(frame, held);
        let message = Rect { y: held.bottom(), height: self.message_rows(), ..area };
        self.draw_notice(frame, message);
        self.draw_tour(frame, Rect { y: area.height - 1 - tour, height: tour, ..area });
        self.draw_footer(frame, row(area.height - 1));
        self.cx.theme.paint(frame.buffer_mut());
        if self.cx.glyphs == Glyphs::ASCII {
            // Sentences from every module may contain typographic quotation marks.
            for cell in &mut frame.buffer_mut().content {
                if let Some(plain) = Glyphs::plain(cell.symbol()) {
                    cell.set_symbol(plain);
                }
            }
        }
    }

    fn draw_body(&self, frame: &mut Frame<'_>, body: Rect) {
        let form = self.modals.iter().rposition(|modal| modal.has(ModalFlag::Covers));
        match (form.and_then(|at| self.modals.get(at)), &self.welcome) {
            (Some(form), _) => form.draw(frame, body, &self.cx),
            (None, Some(welcome)) => welcome.draw(frame, body, &self.cx),
            (None, None) => self.draw_tab(frame, body),
        }
        for popup in self.modals.iter().skip(form.map_or(0, |at| at + 1)) {
            popup.draw(frame, body, &self.cx);
        }
        if let Some(modal) = self.modals.last()
            && let Some(confirm) = &modal.confirm
        {
            confirm.draw(frame, body, &self.cx, |form| modal.confirm_text(form, &self.cx));
        }
    }

    fn draw_tab(&self, frame: &mut Frame<'_>, body: Rect) {
        match &self.connection.failure {
            Some(why) => draw_texts(frame, body, std::slice::from_ref(why), self.cx.theme.error()),
            None => self.screen().draw(frame, body, &self.cx),
        }
    }

    /// Returns whether the header shows that this profile is read-only.
    fn draw_header(&self, frame: &mut Frame<'_>, area: Rect) -> bool {
        let theme = &self.cx.theme;
        let mut spans = Vec::new();
        let mut used = 0;
        let (name, tabs) = self.tabs(area.width);
        spans.push(Span::styled(name, theme.strong()));
        used += width(name);
        for (tab, text, needs) in tabs {
            used += width(&text) + needs.as_deref().map_or(0, width) + 2;
            spans
                .push(Span::styled(text, if tab == self.navigation.tab { theme.tab() } else { theme.dim() }));
            spans.extend(needs.map(|needs| Span::styled(needs, theme.header_warning())));
            spans.push(Span::raw("  "));
        }
        if self.welcome.is_none() && self.cx.session().is_some() {
            frame.buffer_mut().set_style(area, theme.header());
        }
        frame.render_widget(Line::from(spans), area);
        let room = usize::from(area.width).saturating_sub(used + 2);
        let Some(right) = self.header_right(room) else { return false };
        let said = right.iter().any(|span| span.content.contains(i18n::tr(READ_ONLY)));
        frame.render_widget(Line::from(right).right_aligned(), Rect { width: area.width - 1, ..area });
        said
    }

    /// The tabs shrink for the parts that the header must show. Home and Activity count the jobs that need a person.
    fn tabs(&self, columns: u16) -> (&'static str, Vec<TabWords>) {
        if self.welcome.is_some() {
            return (NAME, Vec::new());
        }
        let needs = self.screens.needs();
        let of = |shown: TabLabels| {
            let tabs = Tab::ALL.iter().enumerate().map(|(at, (tab, name))| {
                let is_number = shown == TabLabels::Numbers && *tab != self.navigation.tab;
                let text = if is_number { at.to_string() } else { i18n::tr(name).to_owned() };
                let has_needs = needs > 0 && self.screens.of(*tab).counts_needs();
                (*tab, text, has_needs.then(|| format!(" {}{needs}", self.cx.glyphs.alert)))
            });
            (if shown == TabLabels::Whole { NAME } else { " " }, tabs.collect::<Vec<_>>())
        };
        let needed = self.needed_in_header();
        let fits = |(name, tabs): &(&str, Vec<TabWords>)| {
            let texts = tabs.iter().map(|(_, text, open)| width(text) + open.as_deref().map_or(0, width) + 2);
            width(name) + texts.sum::<usize>() + 2 + needed <= usize::from(columns)
        };
        let named = [TabLabels::Whole, TabLabels::Names].into_iter().filter(|_| columns >= NAMES);
        named.map(of).find(fits).unwrap_or_else(|| of(TabLabels::Numbers))
    }

    /// Columns of the parts that the header shows before it names all tabs.
    fn needed_in_header(&self) -> usize {
        let Some(session) = self.cx.session() else { return 0 };
        let read_only = if self.cx.read_only() { width(i18n::tr(READ_ONLY)) + 1 } else { 0 };
        let organisation = width(self.cx.organisation()).min(ORGANISATION) + 1;
        width(&session.environment.to_string())
            + 2
            + read_only
            + organisation
            + 2
            + width(&self.link_words().0)
    }

    /// Whether there is no connection, or requests to the service have to wait.
    fn is_in_trouble(&self) -> bool {
        match self.cx.link() {
            _ if self.cx.is_database_away() => true,
            Some(link) => link.held_until.is_some() || link.last_error.is_some() || link.waiting > 0,
            None => self.connection.failure.is_some(),
        }
    }

    pub(in crate::tui) fn tab_at(&self, column: u16) -> Option<Tab> {
        let (name, tabs) = self.tabs(self.size.0);
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
    fn header_right(&self, room: usize) -> Option<Vec<Span<'static>>> {
        let cx = &self.cx;
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
        let cx = &self.cx;
        let (words, style) = self.service_words();
        let Some(link) = cx.link().filter(|_| cx.is_database_away()) else { return (words, style) };
        let (alert, dot) = (cx.glyphs.alert, cx.glyphs.dot);
        let problem = if cx.is_login_refused() { t!("login refused") } else { t!("database away") };
        if hold::left(cx).is_some() || link.last_error.is_some() {
            return (format!("{words} {dot} {problem}"), style);
        }
        let text = match link.limit {
            // Nobody has tried yet.
            _ if !link.is_alone => format!("{alert} {problem}"),
            0 => t!("{alert} {problem} {dot} no requests", alert, problem, dot),
            // Requests of the shared pool do not use it up, so their number says nothing here.
            limit => t!("{alert} {problem} {dot} own share {limit}/min", alert, problem, dot, limit),
        };
        (text, cx.theme.header_warning())
    }

    fn service_words(&self) -> (String, Style) {
        let cx = &self.cx;
        let theme = &cx.theme;
        let held = hold::left(cx);
        let known = cx.link().filter(|_| cx.client().is_some() || held.is_some());
        let Some(link) = known else {
            return if self.connection.failure.is_some() {
                (t!("{alert} no connection", alert = cx.glyphs.alert), theme.error())
            } else {
                (t!("connecting").to_owned(), theme.dim())
            };
        };
        if let Some(left) = held {
            let wait = wait_text(left);
            return (t!("{alert} wait {wait}", alert = cx.glyphs.alert, wait), theme.header_warning());
        }
        let used = format!("{}/{}", link.used_last_minute, link.limit);
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

    fn draw_slow_read(&self, frame: &mut Frame<'_>, area: Rect) {
        let Some(read) = self.slow_read() else { return };
        let stack = [KeyContext::List, KeyContext::Global, KeyContext::Always];
        let text = t!(
            "reading for {seconds} s, attempt {attempt}; {esc} stops it",
            seconds = read.since.elapsed().as_secs(),
            attempt = read.attempt,
            esc = self.cx.key(&stack, Action::Back)
        );
        let text = fit(&format!(" {text} "), usize::from(area.width), self.cx.glyphs.ellipsis);
        let wide = u16::try_from(width(&text)).unwrap_or(area.width).min(area.width);
        frame.render_widget(Line::styled(text, self.cx.theme.warning()), Rect { width: wide, ..area });
    }

    fn draw_hold(&self, frame: &mut Frame<'_>, area: Rect) {
        if area.height == 0 {
            return;
        }
        let lines = self.hold_lines(area.width);
        let lines: Vec<Line<'_>> =
            lines.into_iter().map(|l| Line::styled(format!(" {l}"), self.cx.theme.warning())).collect();
        frame.render_widget(lines, area);
    }

    /// The zone of every time, the refresh interval, and the read-only label when the header has no space for it.
    fn draw_on_rule(&self, frame: &mut Frame<'_>, area: Rect, read_only: bool) {
        let theme = &self.cx.theme;
        let refresh = self.refresh_words().map(|(words, bad)| {
            Span::styled(format!(" {words} "), if bad { theme.warning() } else { theme.dim() })
        });
        let read_only = read_only.then(|| Span::styled(format!(" {} ", i18n::tr(READ_ONLY)), theme.accent()));
        let is_connected = self.welcome.is_none() && self.cx.client().is_some();
        let zone = is_connected.then(|| Span::styled(format!(" {} ", self.cx.zone()), theme.dim()));
        let line = zone.into_iter().chain(refresh).chain(read_only).collect::<Line>();
        let wide = u16::try_from(line_width(&line)).unwrap_or(area.width).min(area.width);
        frame.render_widget(line, Rect { x: area.right().saturating_sub(wide + 2), width: wide, ..area });
    }

    fn draw_notice(&self, frame: &mut Frame<'_>, area: Rect) {
        let Some((lines, bad)) = self.message(area.width) else {
            preview::draw_rule(frame, area, &self.cx);
            return;
        };
        let style = if bad { self.cx.theme.error() } else { self.cx.theme.good() };
        let lines: Vec<Line<'_>> = lines.into_iter().map(|l| Line::styled(format!(" {l}"), style)).collect();
        frame.render_widget(lines, area);
    }

    pub(super) fn shown_notice(&self) -> Option<&Notice> {
        // The help already shows the whole message, so the message needs no rows.
        let told = self.modals.last().is_some_and(|modal| modal.has(ModalFlag::ShowsMessage));
        self.toasts.notice.as_ref().or(self.toasts.news.as_ref().filter(|_| !told))
    }

    /// A long message has several rows, because its end says what to do next. Also returns whether it is an error.
    fn message(&self, columns: u16) -> Option<(Vec<String>, bool)> {
        let notice = self.shown_notice().filter(|_| self.toast_in_footer(columns).is_none())?;
        let sign = if notice.bad { self.cx.glyphs.alert } else { self.cx.glyphs.dot };
        let room = usize::from(columns).saturating_sub(2);
        let mut lines = wrap(&format!("{sign} {}", notice.text), room);
        // A message that the user did not ask for moves no popup.
        let most = if self.toasts.notice.is_none() && !self.modals.is_empty() { 1 } else { LONGEST_NOTICE };
        if lines.len() > most {
            lines.truncate(most);
            let key =
                self.cx.keymap.key(&self.key_contexts(), Action::Help).filter(|_| most == LONGEST_NOTICE);
            let rest = key.map_or_else(String::new, |key| format!(" {}", t!("{key}: show all", key)));
            if let Some(last) = lines.last_mut() {
                *last = cut(last, room.saturating_sub(width(&rest)), self.cx.glyphs.ellipsis) + &rest;
            }
        }
        Some((lines, notice.bad))
    }

    /// The rows of the message below the screen or the popup, or of the rule there.
    pub(super) fn message_rows(&self) -> u16 {
        let lines = self.message(self.size.0).map_or(1, |(lines, _)| lines.len());
        u16::try_from(lines).unwrap_or(1).max(1)
    }
}

/// Cuts a text to `columns` and adds the ellipsis. The full text is shown elsewhere.
fn cut(text: &str, columns: usize, ellipsis: &str) -> String {
    let most = columns.saturating_sub(width(ellipsis) + 1);
    let text = if width(text) > most { fit(text, most, "") } else { text.to_owned() };
    format!("{} {ellipsis}", text.trim_end())
}

fn too_small(frame: &mut Frame<'_>, area: Rect) {
    let text = t!(
        "lapel needs {columns} columns and {rows} rows; this terminal has {width} and {height}. Please enlarge it.",
        columns = SMALLEST.0,
        rows = SMALLEST.1,
        width = area.width,
        height = area.height
    );
    let lines: Vec<Line<'_>> = wrap(&text, usize::from(area.width)).into_iter().map(Line::raw).collect();
    frame.render_widget(lines, area);
}
