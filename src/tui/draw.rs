//! Draws the frame: one header line, the screen, one footer line. Drawing decides nothing; it only notes where rows
//! were drawn.

use super::app::{App, LONGEST_NOTICE, SMALLEST};
use super::component::Component as _;
use super::header::{Header, READ_ONLY};
use super::theme::Glyphs;
use super::tour;
use crate::api::UnderWay;
use crate::tui::prelude::*;
use crate::tui::widgets::frame::text_of;
use crate::tui::widgets::paged_list::draw_texts;
use crate::tui::widgets::preview;
use crate::tui::widgets::text_layout::line_width;

impl App {
    pub(in crate::tui) fn header(&self) -> Header<'_> {
        Header {
            cx: &self.cx,
            screens: &self.screens,
            tab: self.navigation.tab,
            is_welcome: self.welcome.is_some(),
            has_failed: self.connection.failure.is_some(),
        }
    }

    pub(in crate::tui) fn screen_text(&self) -> String {
        let (columns, rows) = self.size;
        let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width: columns, height: rows });
        self.draw(&mut buffer);
        text_of(&buffer)
    }

    pub fn draw(&self, buffer: &mut Buffer) {
        let frame = &mut Frame::new(buffer);
        let area = frame.area();
        if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
            too_small(frame, area);
            self.cx.theme.paint(frame.buffer_mut());
            return;
        }
        let row = |y: u16| Rect { y, height: 1, ..area };
        let said = self.header().draw(frame, row(0));
        preview::draw_rule(frame, row(1), &self.cx);
        // Jobs have their own poll schedule.
        let refresh = self.refresh.words().filter(|_| !self.screen().shows_jobs());
        let is_connected = self.welcome.is_none() && self.cx.client().is_some();
        draw_on_rule(frame, row(1), is_connected, refresh, self.cx.read_only() && !said, &self.cx);
        if let Some(read) = self.slow_read() {
            draw_slow_read(frame, row(1), &read, &self.cx);
        }
        let tour_rows = self.tour_rows();
        let body = self.body();
        self.draw_body(frame, body);
        self.draw_which_key(frame, body);
        let held = Rect { y: body.bottom(), height: self.hold_rows(), ..area };
        draw_lines(frame, held, self.hold_lines(area.width), self.cx.theme.warning());
        let message = Rect { y: held.bottom(), height: self.message_rows(), ..area };
        match self.message(area.width) {
            Some((lines, true)) => draw_lines(frame, message, lines, self.cx.theme.error()),
            Some((lines, false)) => draw_lines(frame, message, lines, self.cx.theme.good()),
            None => preview::draw_rule(frame, message, &self.cx),
        }
        if let Some(tour) = &self.connection.tour {
            let area = Rect { y: area.height - 1 - tour_rows, height: tour_rows, ..area };
            tour::draw(tour, &self.tour_sees(), &self.key_contexts(), frame, area, &self.cx);
        }
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
            (None, None) => match self.connection.failure.clone().or_else(|| cannot_connect(&self.cx)) {
                Some(why) => draw_texts(frame, body, &[why], self.cx.theme.error()),
                None => self.screen().draw(frame, body, &self.cx),
            },
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

    /// A long message has several rows, because its end says what to do next. Also returns whether it is an error.
    fn message(&self, columns: u16) -> Option<(Vec<String>, bool)> {
        let notice =
            self.toasts.shown(self.modals.shows_message()).filter(|_| self.footer(columns).1.is_none())?;
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

/// A key is checked by a request, for which this computer has no share of its team's limit now.
fn cannot_connect(cx: &UiContext) -> Option<String> {
    let link = cx.link().filter(|link| cx.client().is_none() && link.limit == 0)?;
    let why = link.alone_words()?;
    if !link.is_login_refused {
        return Some(t!("{why} lapel tries again by itself.", why));
    }
    let why = t!("{why} Check journal.url and journal.password of the profile.", why);
    let key = cx.key(&[KeyContext::Global], Action::Profiles);
    Some(t!("{why} Then open the profile again: {key}.", why, key))
}

fn draw_slow_read(frame: &mut Frame<'_>, area: Rect, read: &UnderWay, cx: &UiContext) {
    let stack = [KeyContext::List, KeyContext::Global, KeyContext::Always];
    let text = t!(
        "reading for {seconds} s, attempt {attempt}; {esc} stops it",
        seconds = read.since.elapsed().as_secs(),
        attempt = read.attempt,
        esc = cx.key(&stack, Action::Back)
    );
    let text = fit(&format!(" {text} "), usize::from(area.width), cx.glyphs.ellipsis);
    let wide = u16::try_from(width(&text)).unwrap_or(area.width).min(area.width);
    frame.render_widget(Line::styled(text, cx.theme.warning()), Rect { width: wide, ..area });
}

/// The zone of every time, the refresh interval, and the read-only label when the header has no space for it.
fn draw_on_rule(
    frame: &mut Frame<'_>,
    area: Rect,
    is_connected: bool,
    refresh: Option<(String, bool)>,
    read_only: bool,
    cx: &UiContext,
) {
    let theme = &cx.theme;
    let refresh = refresh.map(|(words, bad)| {
        Span::styled(format!(" {words} "), if bad { theme.warning() } else { theme.dim() })
    });
    let read_only = read_only.then(|| Span::styled(format!(" {} ", i18n::tr(READ_ONLY)), theme.accent()));
    let zone = is_connected.then(|| Span::styled(format!(" {} ", cx.zone()), theme.dim()));
    let line = zone.into_iter().chain(refresh).chain(read_only).collect::<Line>();
    let wide = u16::try_from(line_width(&line)).unwrap_or(area.width).min(area.width);
    frame.render_widget(line, Rect { x: area.right().saturating_sub(wide + 2), width: wide, ..area });
}

fn draw_lines(frame: &mut Frame<'_>, area: Rect, lines: Vec<String>, style: Style) {
    let lines: Vec<Line<'_>> =
        lines.into_iter().map(|line| Line::styled(format!(" {line}"), style)).collect();
    frame.render_widget(lines, area);
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
