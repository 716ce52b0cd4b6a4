//! Drawing of the Wallet tab: the input, the badges found, and the selected badge below or beside them.

use super::kept::WalletTotals;
use super::layout::{Areas, BEFORE};
use super::people::PeopleMatches;
use super::rows::FIELDS;
use super::{HolderBadges, Side, Wallet};
use crate::domain::address_search::MatchReason;
use crate::domain::address_search::with_space;
use crate::domain::call_advice::CallerQuestion;
use crate::domain::email::ended;
use crate::domain::look_alike::{foreign_letter, letter_name};
use crate::jobs::SentAlike;
use crate::tui::input::list_hit::below;
use crate::tui::persist::input_history;
use crate::tui::prelude::*;
use crate::tui::screens::picture;
use crate::tui::widgets::job_rows::{moment, sent_here};
use crate::tui::widgets::last_read::as_of;
use crate::tui::widgets::list::{draw_row, draw_texts};
use crate::tui::widgets::paged_list::two_sided;
use crate::tui::widgets::preview;
use crate::tui::widgets::record_field::cells;
use crate::tui::widgets::text_layout::{self, line_width};

/// Maximum number of lines about badges that were sent to a similar name or address.
const ALIKE: usize = 3;

/// Minimum width of the holder's name in the summary, in columns.
const NAME: usize = 15;

impl Wallet {
    /// Says that a word before the address was read as a name, if it may be a part of the address.
    fn spaced_note(&self, cx: &UiContext) -> Option<String> {
        let (Some(Query::Address { address, name: Some(name) }), false) =
            (&self.call.query, self.call.opened)
        else {
            return None;
        };
        let address = with_space(address.as_str(), name).into_iter().next()?;
        Some(t!(
            "\u{201c}{name}\u{201d} was read as a name. If it belongs to the address: {key} searches for {address}.",
            name = short(name),
            address = short(&address),
            key = cx.key(&[KeyContext::Wallet], Action::Elsewhere)
        ))
    }

    /// Names a letter of another alphabet in the searched name.
    fn name_note(&self) -> Option<String> {
        let letter = letter_name(foreign_letter(self.call.name.as_deref()?)?);
        Some(t!("The name has a {letter} among Latin letters.", letter))
    }

    /// What lapel has sent to a similar name or address: a line for each job and reason, the most alike first.
    fn alike_words(&self, cx: &UiContext) -> Vec<String> {
        let all = || self.call.sent_alike.iter().flatten();
        let more: u64 = all().skip(ALIKE).map(|(_, n)| n).sum();
        let more = (more > 0).then(|| t!("and {n} more", n = number(more)));
        all().take(ALIKE).map(|(one, n)| sent_alike(one, *n, cx)).chain(more).collect()
    }

    /// Says that the address at the domain that the caller may have meant has badges, too.
    fn meant_note(&self, cx: &UiContext) -> Option<String> {
        let one = self.call.meant.first()?;
        Some(t!(
            "{address} has {badges}, too: {key} lists them.",
            address = one.shown(),
            badges = count!(one.badges as u64, "badge", "badges"),
            key = cx.key(&[KeyContext::Wallet], Action::Elsewhere)
        ))
    }

    /// The lines between the summary and the list.
    pub(super) fn notes(&self, room: usize, cx: &UiContext) -> Vec<(String, Style)> {
        let mut notes: Vec<(String, Style)> = Vec::new();
        let searched = self.search_note(cx);
        notes.extend(searched.iter().flat_map(|note| wrap(note, room)).map(|line| (line, cx.theme.strong())));
        if let Some(people) = self.people.as_ref().filter(|_| self.choosing) {
            let title = self.title_lines(people, room + 4, cx).into_iter().skip(1);
            notes.splice(0..0, title.map(|line| (line, cx.theme.strong())));
            let alike = self.alike_words(cx);
            let all = people.notes.iter().chain(&alike).cloned().chain(self.name_note());
            notes.extend(all.flat_map(|note| wrap(&note, room)).map(|line| (line, cx.theme.warning())));
            let timed = |why: &String, at: Option<Timestamp>| match at {
                Some(at) => as_of(at, why, cx),
                None => format!("{} {why}", cx.glyphs.alert),
            };
            let of_holder = self.found.iter().flat_map(|found| {
                let at = found.read_at.filter(|_| found.is_kept);
                found.troubles.iter().map(move |why| timed(why, at))
            });
            let unread = of_holder.chain(people.trouble.iter().map(|why| timed(why, people.read_at)));
            notes.extend(unread.flat_map(|note| wrap(&note, room)).map(|line| (line, cx.theme.error())));
            return notes;
        }
        let Some(found) = &self.found else { return notes };
        if self.call.masked {
            let text = t!(
                "Only the issuer's record of this badge. {enter} opens the holder's wallet with name and e-mail address, and the journal records that.",
                enter = cx.key(&[KeyContext::Wallet], Action::Open)
            );
            notes.extend(wrap(&text, room).into_iter().map(|line| (line, cx.theme.dim())));
        }
        if !found.held.is_empty() {
            let said = self.spaced_note(cx).into_iter().chain(self.meant_note(cx)).chain(self.name_note());
            notes.extend(said.flat_map(|note| wrap(&note, room)).map(|line| (line, cx.theme.warning())));
        }
        for trouble in &found.troubles {
            let lines = wrap(&format!("{} {trouble}", cx.glyphs.alert), room);
            notes.extend(lines.into_iter().map(|line| (line, cx.theme.error())));
        }
        // The others are rows.
        for sent in found.sent_besides() {
            // A badge with an id may be visible in a list that was not read.
            let is_read = found.both || sent.badge_id.is_none();
            let said = if is_read { sent_here(sent, cx) } else { sent_when(sent, cx) };
            let text = format!("{}: {said}", sent.title);
            notes.extend(wrap(&text, room).into_iter().map(|line| (line, cx.theme.warning())));
        }
        notes
    }

    fn draw_side(&self, held: &HeldBadge, side: Side, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let word = if side == Side::Back { t!("Back") } else { t!("Front") };
        let key = cx.keymap.key(&self.key_contexts(), Action::Picture).filter(|_| side == Side::Front);
        let key = key.map(|key| t!("{key} other side", key));
        let title = held.title().map(ToString::to_string);
        let caption: Vec<String> = std::iter::once(word.to_lowercase()).chain(key).chain(title).collect();
        picture::draw_caption(frame, area, &caption.join(&format!(" {} ", cx.glyphs.dot)), cx);
        picture::draw(Some(self.side(held, side, area)), frame, cx);
    }

    pub(super) fn draw_all(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        if let (Some(side), Some(held)) = (self.call.side, self.selected()) {
            return self.draw_side(held, side, frame, area, cx);
        }
        let line = |y: u16| Rect { y: area.y + y.min(area.height.saturating_sub(1)), height: 1, ..area };
        let label = format!("  {} ", t!("Holder"));
        let question = self.question(cx).unwrap_or_default();
        let room = usize::from(area.width).saturating_sub(width(&label) + 5);
        let room = room.saturating_sub(if question.is_empty() { 0 } else { width(&question) + 2 });
        let search = self.search.line(room, cx).filter(|_| self.search.over().is_some());
        let line_of_box = || {
            let mut spans = vec![Span::styled(label, cx.theme.strong()), cx.cursor(self.typing)];
            spans.extend(self.field.spans(room, self.typing, cx));
            Line::from(spans)
        };
        frame.render_widget(search.unwrap_or_else(line_of_box), line(0));
        let style = if self.call.question.is_some() { cx.theme.accent() } else { cx.theme.dim() };
        let at = Rect { width: area.width.saturating_sub(2), ..line(0) };
        frame.render_widget(Line::styled(question, style).right_aligned(), at);
        preview::draw_rule(frame, line(1), cx);
        let body = Rect { y: area.y + 2, height: area.height.saturating_sub(2), ..area };
        if let Some(error) = &self.error {
            draw_texts(frame, body, std::slice::from_ref(error), cx.theme.error());
        } else if let Some(hint) = self.typed(cx) {
            draw_texts(frame, body, &[hint], cx.theme.dim());
            self.draw_recent(frame, below(body, 2), cx);
        } else if let Some(sent) = &self.call.unseen {
            let said = format!("{}: {}", sent.title, sent_here(sent, cx));
            draw_texts(frame, body, &[said], cx.theme.warning());
        } else if let Some(nothing) = &self.call.nothing {
            let mut rows = self.draw_message(nothing, frame, body, cx);
            let sent = self.alike_words(cx);
            draw_texts(frame, below(body, rows), &sent, cx.theme.warning());
            let room = usize::from(body.width).saturating_sub(4);
            rows += sent.iter().map(|line| wrap(line, room).len()).sum::<usize>();
            let mut said: Vec<String> = self.name_note().into_iter().chain(self.tried(cx)).collect();
            said.push(waiting_may_be_hidden().to_owned());
            // While lapel reads for the number, the advice how to read is not true any more.
            if !self.is_reading_cert() {
                said.push(self.call.certs.advice(cx));
                said.extend(self.cert_offer(cx));
            }
            said.extend(self.waits_for().map(|waits| {
                let progress = self.cert_progress(cx).map(|words| format!(": {words}"));
                format!("{} {waits}{}", cx.spinner(), progress.unwrap_or_default())
            }));
            draw_texts(frame, below(body, rows + 1), &said, cx.theme.dim());
        } else if let Some(people) = self.people.as_ref().filter(|_| self.choosing) {
            self.draw_people(people, frame, area, cx);
        } else if let Some(found) = &self.found {
            self.draw_found(found, frame, area, cx);
        } else if let Some(waits) = self.waits_for() {
            draw_texts(frame, body, &[format!("{} {waits}", cx.spinner())], cx.theme.dim());
        } else {
            draw_texts(frame, body, &[type_something(cx)], cx.theme.dim());
            self.draw_recent(frame, below(body, 2), cx);
        }
    }

    fn draw_recent(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let all = if self.recent.at().is_some() {
            self.recent.all().to_vec()
        } else if self.field.value().is_empty() {
            self.offered(cx)
        } else {
            Vec::new()
        };
        let title = if all.iter().any(|text| self.set_aside.contains(text)) {
            t!("Not looked up yet, then looked up earlier")
        } else {
            t!("Looked up earlier")
        };
        input_history::draw(&all, self.recent.at(), title, frame, area, cx);
    }

    /// A hint about what the typed text would do. `None` if the input still shows the current look-up.
    fn typed(&self, cx: &UiContext) -> Option<String> {
        let shown = self.asked.as_deref().unwrap_or_default();
        let something = self.found.is_some()
            || self.people.is_some()
            || self.call.nothing.is_some()
            || self.call.unseen.is_some();
        let is_shown = self.field.value() == shown || something && !self.is_edited;
        if !self.typing || is_shown || !something && self.field.value().is_empty() {
            return None;
        }
        let enter = cx.key(&self.key_contexts(), Action::Accept);
        let hint = match Query::read(self.field.value()) {
            Query::Nothing => type_something(cx),
            Query::NotAnAddress(problem) => t!("So far {problem}", problem = problem.ended()),
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
        Some(match foreign(self.field.value()) {
            Some(foreign) => format!("{hint} {foreign}"),
            None => hint,
        })
    }

    /// Draws the summary, with the number of requests at its end as a sign of progress.
    /// `said` has the longest text first. The first one that leaves room for the holder's name is used, and then the first
    /// of `who` that fits.
    fn first_line(
        &self,
        (who, said): (&[String], &[String]),
        frame: &mut Frame<'_>,
        area: Rect,
        cx: &UiContext,
    ) {
        let asked = self.requests(cx);
        let place = self.place().filter(|_| area.width >= preview::FROM || self.selected().is_none());
        let right: Vec<String> = place.into_iter().chain([asked]).filter(|part| !part.is_empty()).collect();
        let right = right.join(&format!(" {} ", cx.glyphs.dot));
        let room = usize::from(area.width).saturating_sub(width(&right) + 6);
        let name = who.first().map_or(0, |who| width(who)).min(NAME);
        let said = said.iter().find(|said| name + width(said) <= room).or(said.last());
        let said = said.map_or("", String::as_str);
        let left = room.saturating_sub(width(said));
        let who = who.iter().find(|who| width(who) <= left).or(who.last()).map_or("", String::as_str);
        let short = fit(who, left, cx.glyphs.ellipsis);
        let text = fit(&format!("{}{said}", short.trim_end()), room, cx.glyphs.ellipsis);
        let text = Line::styled(format!("  {}", text.trim_end()), cx.theme.strong());
        two_sided(frame, area, (text, Span::styled(right, cx.theme.dim())), true, cx);
    }

    /// Draws a message beside the number of requests. Returns the number of lines.
    fn draw_message(&self, text: &str, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) -> usize {
        let right = self.requests(cx);
        let lines: Vec<Line<'_>> = wrap(text, usize::from(area.width).saturating_sub(width(&right) + 6))
            .into_iter()
            .map(|line| Line::styled(format!("  {line}"), cx.theme.strong()))
            .collect();
        let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(area.height);
        let wide = lines.iter().map(line_width).max().unwrap_or(0);
        let wide = u16::try_from(wide).unwrap_or(area.width).min(area.width);
        let first = Rect { height: 1.min(area.height), ..area };
        two_sided(frame, first, (Line::raw(""), Span::styled(right, cx.theme.dim())), true, cx);
        frame.render_widget(lines, Rect { width: wide, height: rows, ..area });
        usize::from(rows)
    }

    fn requests(&self, cx: &UiContext) -> String {
        if self.call.is_stopped && self.waits_for().is_none() {
            return String::new();
        }
        let mut asked = count!(u64::from(self.call.requests), "request", "requests");
        // The picture reads the template once, as on every tab, and not for the caller.
        if self.shows_picture {
            asked = t!("{requests} without the picture", requests = asked);
        }
        if self.waits_for().is_some() { format!("{} {asked}", cx.spinner()) } else { asked }
    }

    /// The title of possible matches, in as many lines as it needs beside the number of requests and the position. The lines
    /// after the first are notes.
    fn title_lines(&self, people: &PeopleMatches, columns: usize, cx: &UiContext) -> Vec<String> {
        let last = number(self.len() as u64);
        let place = t!("row {at} of {entries}", at = last, entries = last);
        // It is left free also if the position is not shown: the lines decide how many rows the list has.
        let place = if self.len() == 0 { 0 } else { width(&place) + 3 };
        wrap(&people.title, columns.saturating_sub(width(&self.requests(cx)) + place + 6))
    }

    /// The position of the selected row, if the list is longer than its area.
    fn place(&self) -> Option<String> {
        let entries = self.len();
        (entries > self.cursor.height()).then(|| {
            t!(
                "row {at} of {entries}",
                at = number(self.cursor.at() as u64 + 1),
                entries = number(entries as u64)
            )
        })
    }

    fn draw_notes(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let room = usize::from(area.width).saturating_sub(4);
        let notes = self.notes(room, cx);
        let lines: Vec<Line<'_>> =
            notes.into_iter().map(|(text, style)| Line::styled(format!("  {text}"), style)).collect();
        frame.render_widget(lines, area);
    }

    fn draw_people(&self, people: &PeopleMatches, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        self.first_line(
            (
                &self
                    .title_lines(people, usize::from(area.width), cx)
                    .into_iter()
                    .take(1)
                    .collect::<Vec<_>>(),
                &[],
            ),
            frame,
            Rect { y: area.y + 2, height: 1, ..area },
            cx,
        );
        let areas = self.areas(area, cx);
        self.draw_notes(frame, areas.notes, cx);
        if people.matches.is_empty() {
            let email = self.found.as_ref().map_or("", |f| f.email.as_str());
            let said: Vec<String> = self.tried(cx).into_iter().chain(nothing_found(email)).collect();
            draw_texts(frame, below(areas.list, 1), &said, cx.theme.dim());
            return;
        }
        let shown: Vec<usize> = self.cursor.shown().collect();
        let one =
            |i: &usize| people.matches.get(self.unnarrowed(*i)?).map(|one| PeopleMatches::cells(one, cx));
        let rows: Vec<Vec<(String, Style)>> = shown.iter().filter_map(one).collect();
        let widths = PeopleMatches::widths(&rows, usize::from(areas.list.width));
        for (y, (i, row)) in (areas.list.y..).zip(shown.into_iter().zip(&rows)) {
            let spans = text_layout::cells(row, &widths, cx.glyphs.ellipsis);
            self.draw_row(i, spans, frame, Rect { y, height: 1, ..areas.list }, cx);
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
        draw_row(frame, area, i == self.cursor.at() && !self.typing, spans, cx);
    }

    fn draw_found(&self, found: &HolderBadges, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let dot = cx.glyphs.dot;
        let &WalletTotals { in_wallet, only_history, is_unseen, ref names, .. } = found.whole();
        let email = short(&found.email);
        let who = match names.as_slice() {
            [] => email.to_string(),
            [one] => one.to_string(),
            [first, rest @ ..] => {
                plural!(rest.len() as u64, "{first} and {n} other name", "{first} and {n} other names", first)
            }
        };
        let shorter = match names.as_slice() {
            [first, rest @ ..] if !rest.is_empty() => Some(format!("{first} +{}", rest.len())),
            _ => None,
        };
        // While lapel reads on, the last of the pages may be asked for already.
        let is_longer = self.can_read_on() || self.request.is_some();
        let (who, mut said) = if let Some(at) = found.read_at.filter(|_| found.is_kept) {
            let who = if self.call.masked { t!("The record of one badge").to_owned() } else { who };
            let badges = count!(found.held.len() as u64, "badge", "badges");
            let time = moment(at, cx);
            let said = if self.call.masked || found.complete && found.read == [true, true] {
                t!("{badges} as of {time}", badges, time)
            } else {
                t!("{badges} as of {time} (not all was read)", badges, time)
            };
            (who, vec![format!(" {dot} {said}")])
        } else if found.failed {
            (who, Vec::new())
        } else if is_unseen && !found.sent.is_empty() && found.email.is_empty() {
            (t!("The service does not show this badge yet.").to_owned(), Vec::new())
        } else if is_unseen && !found.sent.is_empty() && found.both {
            (t!("No badge for {email} is visible yet.", email), Vec::new())
        } else if is_unseen && !found.held.is_empty() {
            let badges = count!(found.held.len() as u64, "badge", "badges");
            let said = t!("{badges} sent by lapel (not everything could be read)", badges);
            (who, vec![format!(" {dot} {said}")])
        } else if found.held.is_empty() && found.both && found.complete {
            (t!("No badge for {email} in the wallet or the history.", email), Vec::new())
        } else if found.held.is_empty() {
            let goes_on = self.can_read_on().then(|| {
                let key = cx.key(&[KeyContext::Wallet], Action::Elsewhere);
                format!(" {dot} {}", t!("{key} reads more", key))
            });
            let said = t!("No badge found for {email}, but not everything could be read.", email);
            (said, goes_on.into_iter().collect())
        } else if self.call.masked {
            (t!("The record of one badge").to_owned(), Vec::new())
        } else if let Some((read, total)) =
            self.left_to_read().filter(|(_, total)| total.is_some() || is_longer)
        {
            let read = match total {
                Some(total) => {
                    t!("{read} of {total} badges read", read = number(read), total = number(total))
                }
                None => t!(
                    "{badges}, not read to the end",
                    badges = count!(found.held.len() as u64, "badge", "badges")
                ),
            };
            let key = cx.key(&[KeyContext::Wallet], Action::Elsewhere);
            let goes_on =
                self.can_read_on().then(|| format!(" {dot} {read} {dot} {}", t!("{key} reads more", key)));
            (who, goes_on.into_iter().chain([format!(" {dot} {read}")]).collect())
        } else if !found.troubles.is_empty() {
            let badges = count!(found.held.len() as u64, "badge", "badges");
            (who, vec![format!(" {dot} {}", t!("{badges} (only one list read)", badges))])
        } else {
            let besides = |n: u64, words: String| match n {
                0 => String::new(),
                _ => format!(" {dot} {words}"),
            };
            let more = besides(only_history, t!("{n} more in the history", n = number(only_history)));
            let neither = found.held.len() as u64 - in_wallet - only_history;
            let badges = count!(neither, "badge", "badges");
            let neither = besides(neither, t!("{badges} in neither list", badges));
            let partly =
                if found.complete { String::new() } else { format!(" {}", t!("(there may be more)")) };
            let badges = count!(in_wallet, "badge", "badges");
            let all = count!(found.held.len() as u64, "badge", "badges");
            let full = if in_wallet + only_history == 0 {
                // A badge that was found by its id, or that only the journal knows.
                format!("{neither}{partly}")
            } else if in_wallet == 0 {
                let badges = count!(only_history, "badge", "badges");
                let none = t!("{badges} in the history, none in the wallet", badges);
                format!(" {dot} {none}{neither}{partly}")
            } else {
                format!(" {dot} {}{more}{neither}{partly}", t!("{badges} in the wallet", badges))
            };
            (who, vec![full, format!(" {dot} {all}{partly}"), partly])
        };
        let by = self.heading.words().filter(|_| self.is_listing());
        if let Some(by) = by {
            // If room is short, shorten the counts before the order. The heading's arrow shows the order, too.
            let ordered = said.iter().take(2).map(|said| format!("{said} {dot} {by}"));
            said = ordered.chain(said.iter().skip(usize::from(said.len() > 1)).cloned()).collect();
        }
        let areas = self.areas(area, cx);
        let under = Rect { y: area.y + 2, height: 1, ..area };
        if !found.held.is_empty() || found.failed {
            let who: Vec<String> = std::iter::once(who.clone()).chain(shorter).collect();
            self.first_line((&who, &said), frame, under, cx);
            self.draw_notes(frame, areas.notes, cx);
        }
        if found.held.is_empty() {
            let mut list = areas.list;
            if !found.failed {
                let below_rule = below(area, 2);
                let rows = self.draw_message(&who, frame, below_rule, cx);
                let notes = Rect { height: areas.notes.height, ..below(below_rule, rows) };
                self.draw_notes(frame, notes.intersection(area), cx);
                list = below(below_rule, rows + usize::from(areas.notes.height));
            }
            if found.both && found.complete && found.sent.is_empty() {
                let areas = Areas { list, ..areas };
                let mut said: Vec<String> = self.tried(cx).into_iter().collect();
                said.extend(nothing_found(&found.email));
                said.extend(self.waits_for().map(|waits| format!("{} {waits}", cx.spinner())));
                draw_texts(frame, below(areas.list, 1), &said, cx.theme.dim());
            }
            return;
        }
        let Some(view) = self.as_rows(cx) else { return };
        let widths = self.heading.widths(usize::from(areas.list.width).saturating_sub(BEFORE));
        frame.render_widget(self.heading.line(&widths, 2, cx), areas.heads);
        let shown = self.cursor.shown().filter_map(|i| Some((i, self.row(i)?)));
        for (y, (i, held)) in (areas.list.y..).zip(shown) {
            let row = self.heading.cells(cells(FIELDS, held, &view, cx), &widths, cx);
            self.draw_row(i, row, frame, Rect { y, height: 1, ..areas.list }, cx);
        }
        if let (Some(held), Some(pane)) = (self.selected(), areas.pane) {
            self.draw_pane(held, frame, pane, area, cx);
        }
        let menu = Rect { height: area.bottom() - areas.list.y, ..areas.list };
        self.heading.draw_menu(frame, menu, &widths, cx);
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
        self.scroll.draw(frame, text, self.answer_lines(held, text, cx), &[KeyContext::Wallet], cx);
    }

    fn question(&self, cx: &UiContext) -> Option<String> {
        let is_shown = self.call.question.is_some() || !self.typing;
        self.selected().filter(|_| !self.call.masked && is_shown)?;
        let key = cx.key(&[KeyContext::Wallet], Action::Question);
        let none =
            if self.lacks_advice { t!("more: wrong name or address") } else { t!("caller's question") };
        let word = self.call.question.map_or(none, CallerQuestion::word);
        Some(format!("{key} {word}"))
    }
}

/// Badges that lapel sent to similar names or addresses in one job, for the same reason. The address is masked, as that of a
/// possible match.
fn sent_alike(one: &SentAlike, n: u64, cx: &UiContext) -> String {
    let SentAlike { address, sent, why } = one;
    let words = list(why.iter().map(|why| why.words()));
    if n > 1 {
        let (title, id, state) = (&sent.title, sent.job, tr(sent.row_status.name()));
        let n = number(n);
        return t!("{title}: {n} badges sent in job {id} ({state}): {why}", title, n, id, state, why = words);
    }
    let why = match why.as_slice() {
        [MatchReason::SameName] => String::new(),
        _ => format!(" ({words})"),
    };
    format!("{}, {address}{why}: {}", sent.title, sent_here(sent, cx))
}

/// When and in which job lapel sent a badge.
pub(super) fn sent_when(sent: &SentHere, cx: &UiContext) -> String {
    let (time, id) = (moment(sent.at, cx), sent.job);
    match &sent.by {
        Some(who) => t!("sent by {who} at {time} in job {id}", who, time, id),
        None => t!("sent by lapel at {time} in job {id}", time, id),
    }
}

fn type_something(cx: &UiContext) -> String {
    let enter = cx.key(&[KeyContext::LookUp, KeyContext::Prompt, KeyContext::Always], Action::Accept);
    t!("Type or paste an e-mail address, a name or a badge id, then press {enter}.", enter)
}

fn nothing_found(email: &str) -> Vec<String> {
    let mut said = vec![
        waiting_may_be_hidden().to_owned(),
        t!("Ask the caller to spell the address, or type their name into the box to search the history.")
            .to_owned(),
    ];
    said.extend(foreign_letter(email).map(|letter| {
        t!("The e-mail address has a {letter} among Latin letters.", letter = letter_name(letter))
    }));
    if let Ok(address) = Address::to_look_up(email) {
        said.extend(
            address.warnings().iter().map(|remark| t!("E-mail address: {remark}", remark = ended(remark))),
        );
    }
    said
}

/// Names a Cyrillic or Greek letter among Latin ones.
fn foreign(text: &str) -> Option<String> {
    let letter = letter_name(foreign_letter(text)?);
    Some(t!("It has a {letter} among Latin letters. lapel also searches for it in Latin letters.", letter))
}

/// What is not visible may have been accepted.
pub(in crate::tui::screens) fn waiting_may_be_hidden() -> &'static str {
    t!(
        "That does not mean \u{201c}never accepted\u{201d}: a badge waiting for issue can stay invisible for up to a day."
    )
}
