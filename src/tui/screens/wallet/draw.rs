//! Drawing of the Wallet tab: the input, the badges found, and the selected badge below or beside them.

use super::Wallet;
use super::cert::advice;
use super::layout::{Areas, BEFORE, Side};
use super::notes::{nothing_found, waiting_may_be_hidden};
use super::people::PeopleMatches;
use super::rows::FIELDS;
use super::state::HolderBadges;
use crate::domain::address_search::with_space;
use crate::domain::call_advice::CallerQuestion;
use crate::domain::email::ended;
use crate::domain::look_alike::{foreign_letter, letter_name};
use crate::tui::input::list_hit::below;
use crate::tui::prelude::*;
use crate::tui::screens::picture;
use crate::tui::widgets::job_rows::sent_here;
use crate::tui::widgets::paged_list::{draw_row, draw_texts};
use crate::tui::widgets::preview;
use crate::tui::widgets::record_field::cells_of;
use crate::tui::widgets::text_layout;

impl Wallet {
    fn draw_side(&self, held: &HeldBadge, side: Side, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let is_back = side == Side::Back;
        let key = cx.keymap.key(&self.key_contexts(), Action::Picture).filter(|_| !is_back);
        picture::draw_side(side.picture(held, area), (is_back, key, held.title()), frame, area, cx);
    }

    pub(super) fn draw_all(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let list = &self.lookup.list;
        if let (Some(side), Some(held)) = (self.pane.side, list.selected()) {
            return self.draw_side(held, side, frame, area, cx);
        }
        let line = |y: u16| Rect { y: area.y + y.min(area.height.saturating_sub(1)), height: 1, ..area };
        let label = format!("  {} ", t!("Holder"));
        let question = self.question(cx).unwrap_or_default();
        let room = usize::from(area.width).saturating_sub(width(&label) + 5);
        let room = room.saturating_sub(if question.is_empty() { 0 } else { width(&question) + 2 });
        let search = list.search.line(room, cx).filter(|_| list.search.over().is_some());
        let line_of_box = || {
            let mut spans = vec![Span::styled(label, cx.theme.strong()), cx.cursor(self.input.typing)];
            spans.extend(self.input.field.spans(room, self.input.typing, cx));
            Line::from(spans)
        };
        frame.render_widget(search.unwrap_or_else(line_of_box), line(0));
        let style =
            if self.lookup.call.caller.question.is_some() { cx.theme.accent() } else { cx.theme.dim() };
        let at = Rect { width: area.width.saturating_sub(2), ..line(0) };
        frame.render_widget(Line::styled(question, style).right_aligned(), at);
        preview::draw_rule(frame, line(1), cx);
        let body = Rect { y: area.y + 2, height: area.height.saturating_sub(2), ..area };
        if let Some(error) = &self.lookup.call.error {
            draw_texts(frame, body, std::slice::from_ref(error), cx.theme.error());
        } else if let Some(hint) = self.typed(cx) {
            draw_texts(frame, body, &[hint], cx.theme.dim());
            self.input.draw_offered(frame, below(body, 2), cx);
        } else if let Some(sent) = &self.lookup.call.not_found.sent {
            let said = format!("{}: {}", sent.title, sent_here(sent, cx));
            draw_texts(frame, body, &[said], cx.theme.warning());
        } else if let Some(nothing) = &self.lookup.call.not_found.text {
            let mut rows = self.draw_message(nothing, frame, body, cx);
            let sent = self.lookup.call.alike_words(cx);
            draw_texts(frame, below(body, rows), &sent, cx.theme.warning());
            let room = usize::from(body.width).saturating_sub(4);
            rows += sent.iter().map(|line| wrap(line, room).len()).sum::<usize>();
            let mut said: Vec<String> =
                self.lookup.call.name_note().into_iter().chain(self.tried(cx)).collect();
            said.push(waiting_may_be_hidden().to_owned());
            // While lapel reads for the number, the advice how to read is not true any more.
            if !self.lookup.pending.is_reading_cert() {
                said.push(advice(self.lookup.call.not_found.certs.as_ref(), cx));
                said.extend(self.cert_offer(cx));
            }
            said.extend(self.lookup.waits_for().map(|waits| {
                let progress = self.cert_progress(cx).map(|words| format!(": {words}"));
                format!("{} {waits}{}", cx.spinner(), progress.unwrap_or_default())
            }));
            draw_texts(frame, below(body, rows + 1), &said, cx.theme.dim());
        } else if let Some(people) = list.choice() {
            self.draw_people(people, frame, area, cx);
        } else if let Some(found) = &list.found {
            self.draw_found(found, frame, area, cx);
        } else if let Some(waits) = self.lookup.waits_for() {
            draw_texts(frame, body, &[format!("{} {waits}", cx.spinner())], cx.theme.dim());
        } else {
            draw_texts(frame, body, &[type_something(cx)], cx.theme.dim());
            self.input.draw_offered(frame, below(body, 2), cx);
        }
    }

    /// A hint about what the typed text would do. `None` if the input still shows the current look-up.
    fn typed(&self, cx: &UiContext) -> Option<String> {
        let (list, not_found) = (&self.lookup.list, &self.lookup.call.not_found);
        let shown = self.lookup.asked.as_deref().unwrap_or_default();
        let something = list.found.is_some()
            || list.people.is_some()
            || not_found.text.is_some()
            || not_found.sent.is_some();
        let is_shown = self.input.field.value() == shown || something && !self.input.is_edited;
        if !self.input.typing || is_shown || !something && self.input.field.value().is_empty() {
            return None;
        }
        let enter = cx.key(&self.key_contexts(), Action::Accept);
        let hint = match Query::read(self.input.field.value()) {
            Query::Nothing => type_something(cx),
            Query::NotAnAddress(problem) => t!("So far {problem}", problem = ended(&problem.to_string())),
            Query::Address { address, name: Some(name) }
                if !with_space(address.as_str(), &name).is_empty() =>
            {
                t!(
                    "{enter} looks up {address}, and reads \u{201c}{name}\u{201d} as a name.",
                    enter,
                    address = short(address.as_str()),
                    name = short(&name)
                )
            }
            Query::Address { .. } => t!("{enter} looks up this e-mail address.", enter),
            Query::BadgeId(_) => {
                t!("{enter} shows the issuer's record of the badge with this id.", enter)
            }
            Query::Name { or_id: Some(id), .. } if id.wire().bytes().any(|b| b.is_ascii_digit()) => {
                t!("{enter} searches the history for this name, then for a badge with this id.", enter)
            }
            Query::Name { .. } => t!("{enter} searches the history for this name.", enter),
        };
        Some(match foreign(self.input.field.value()) {
            Some(foreign) => format!("{hint} {foreign}"),
            None => hint,
        })
    }

    fn draw_people(&self, people: &PeopleMatches, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let list = &self.lookup.list;
        let title = self.title_lines(people, usize::from(area.width), cx).into_iter().next();
        let under = Rect { y: area.y + 2, height: 1, ..area };
        self.first_line((title.as_slice(), &[]), 0, frame, under, cx);
        let areas = self.areas(area, cx);
        self.draw_notes(frame, areas.notes, cx);
        if people.matches.is_empty() {
            let email = list.found.as_ref().map_or("", |f| f.email.as_str());
            let said: Vec<String> = self.tried(cx).into_iter().chain(nothing_found(email)).collect();
            draw_texts(frame, below(areas.list, 1), &said, cx.theme.dim());
            return;
        }
        let shown: Vec<usize> = list.cursor.shown().collect();
        let one =
            |i: &usize| people.matches.get(list.unnarrowed(*i)?).map(|one| PeopleMatches::cells(one, cx));
        let rows: Vec<Vec<(String, Style)>> = shown.iter().filter_map(one).collect();
        let widths = PeopleMatches::widths(&rows, usize::from(areas.list.width));
        for (y, (i, row)) in (areas.list.y..).zip(shown.into_iter().zip(&rows)) {
            let spans = text_layout::cells(row, &widths, cx.glyphs.ellipsis);
            self.draw_row(i, spans, frame, Rect { y, height: 1, ..areas.list }, cx);
        }
        if let (Some(pane), Some(one)) = (areas.pane, list.selected_match()) {
            preview::draw_edge(frame, Rect { x: pane.x - 2, ..pane }, cx);
            let lines = PeopleMatches::lines(one, usize::from(pane.width), cx);
            self.pane.scroll.draw(frame, pane, lines, &[KeyContext::Wallet], cx);
        }
    }

    fn draw_row(
        &self,
        i: usize,
        cells: Vec<Span<'static>>,
        frame: &mut Frame<'_>,
        area: Rect,
        cx: &UiContext,
    ) {
        let mut spans = vec![Span::raw(" ")];
        spans.extend(cells);
        draw_row(frame, area, i == self.lookup.list.cursor.at() && !self.input.typing, spans, cx);
    }

    fn draw_found(&self, found: &HolderBadges, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let list = &self.lookup.list;
        let (who, said) = self.lookup.totals(found, cx);
        let areas = self.areas(area, cx);
        let under = Rect { y: area.y + 2, height: 1, ..area };
        let widths = list.heading.widths(usize::from(areas.list.width).saturating_sub(BEFORE));
        if !found.held.is_empty() || found.has_failed() {
            let hidden = if list.has_headings() { 0 } else { list.heading.hidden(&widths) };
            self.first_line((&who, &said), hidden, frame, under, cx);
            self.draw_notes(frame, areas.notes, cx);
        }
        if found.held.is_empty() {
            let mut rest = areas.list;
            if !found.has_failed() {
                let below_rule = below(area, 2);
                let rows = self.draw_message(&who[0], frame, below_rule, cx);
                let notes = Rect { height: areas.notes.height, ..below(below_rule, rows) };
                self.draw_notes(frame, notes.intersection(area), cx);
                rest = below(below_rule, rows + usize::from(areas.notes.height));
            }
            if found.both && found.complete && found.journal.sent.is_empty() {
                let areas = Areas { list: rest, ..areas };
                let mut said: Vec<String> = self.tried(cx).into_iter().collect();
                said.extend(nothing_found(&found.email));
                said.extend(self.lookup.waits_for().map(|waits| format!("{} {waits}", cx.spinner())));
                draw_texts(frame, below(areas.list, 1), &said, cx.theme.dim());
            }
            return;
        }
        let Some(view) = list.as_rows(cx) else { return };
        frame.render_widget(list.heading.line(&widths, 2, cx), areas.heads);
        let columns = list.heading.with_room(&widths);
        let shown = list.cursor.shown().filter_map(|i| Some((i, list.row(i)?)));
        for (y, (i, held)) in (areas.list.y..).zip(shown) {
            let cells = cells_of(FIELDS, &columns, held, &view, cx);
            let row = list.heading.cells(cells, &widths, cx);
            self.draw_row(i, row, frame, Rect { y, height: 1, ..areas.list }, cx);
        }
        if let (Some(held), Some(pane)) = (list.selected(), areas.pane) {
            self.draw_pane(held, frame, pane, area, cx);
        }
        let menu = Rect { height: area.bottom() - areas.list.y, ..areas.list };
        list.heading.draw_menu(frame, menu, &widths, cx);
    }

    fn draw_pane(&self, held: &HeldBadge, frame: &mut Frame<'_>, pane: Rect, area: Rect, cx: &UiContext) {
        if pane.x > area.x + 2 {
            preview::draw_edge(frame, Rect { x: pane.x - 2, ..pane }, cx);
        } else {
            let at = Rect { y: pane.y.saturating_sub(1), height: 1, ..area };
            preview::draw_rule(frame, at, cx);
            if let Some(place) = self.place() {
                let place = Line::styled(format!(" {place} "), cx.theme.dim()).right_aligned();
                frame.render_widget(place, Rect { width: at.width.saturating_sub(3), ..at });
            }
        }
        let (text, want) = self.text_and_picture(held, area, cx);
        picture::draw(want, frame, cx);
        self.pane.scroll.draw(frame, text, self.answer_lines(held, text, cx), &[KeyContext::Wallet], cx);
    }

    fn question(&self, cx: &UiContext) -> Option<String> {
        let call = &self.lookup.call;
        let is_shown = call.caller.question.is_some() || !self.input.typing;
        self.lookup.list.selected().filter(|_| !call.masked && is_shown)?;
        let key = cx.key(&[KeyContext::Wallet], Action::Question);
        let none =
            if self.pane.lacks_advice { t!("more: wrong name or address") } else { t!("caller's question") };
        let word = call.caller.question.map_or(none, CallerQuestion::word);
        Some(format!("{key} {word}"))
    }
}

fn type_something(cx: &UiContext) -> String {
    let enter = cx.key(&[KeyContext::LookUp, KeyContext::Prompt, KeyContext::Always], Action::Accept);
    t!("Type or paste an e-mail address, a name or a badge id, then press {enter}.", enter)
}

/// Names a Cyrillic or Greek letter among Latin ones.
fn foreign(text: &str) -> Option<String> {
    let letter = letter_name(foreign_letter(text)?);
    Some(t!("It has a {letter} among Latin letters. lapel also searches for it in Latin letters.", letter))
}
