//! Drawing of drafts: summary, row counts, rows, and the confirmation.

use crate::jobs::{DuplicateKind, FileState, Policy};
use crate::tui::modals::draft::outline::OutlineLine;
use crate::tui::modals::draft::{DraftForm, DuplicateCheck, titles};
use crate::tui::modals::file::{changed, gone, map_words};
use crate::tui::prelude::*;
use crate::tui::widgets::form::{HEADING, wrapped};
use crate::tui::widgets::job_rows::{draft_words, in_range, moment, row_lines, row_status_style};
use crate::tui::widgets::paged_list::{draw_position, draw_row};
use crate::tui::widgets::text_layout::{pieces, styled};

/// Number of lines for the selected row below the list, on a screen of this height.
fn row_lines_in(height: u16) -> u16 {
    if height >= 28 { 6 } else { 4 }
}

/// The area of the headings and rows, below the line with the column titles.
pub(super) fn lines_area(rows: Rect) -> Rect {
    Rect { y: rows.y + 1, height: rows.height.saturating_sub(1), ..rows }
}

/// The file and its columns. How lapel reads the file is cut before the columns, with a sign. Where the columns do not fit
/// beside the name of the file, they have lines of their own.
fn source(form: &mut FormText<'_>, text: &str, file: &str, columns: Option<&str>, cx: &UiContext) {
    let (room, dim) = (form.room(), cx.theme.dim());
    let least = width(text).min(width(file) + 3);
    match columns {
        Some(columns) if least + 3 + width(columns) <= room => {
            let text = fit(text, width(text).min(room - 3 - width(columns)), cx.glyphs.ellipsis);
            form.text(&format!("{text}   {columns}"), dim);
        }
        columns => {
            if least > room {
                form.heading(file, dim);
            } else {
                form.cut(text, dim);
            }
            if let Some(columns) = columns {
                form.heading(columns, dim);
            }
        }
    }
}

impl DraftForm {
    pub(super) fn rows_area(&self, area: Rect, cx: &UiContext) -> Rect {
        let head = u16::try_from(self.head(area, cx).len()).unwrap_or(u16::MAX);
        let head = head.min(area.height / 2);
        let foot = u16::try_from(self.foot(area, cx).len()).unwrap_or(1);
        let below = row_lines_in(area.height) + 1 + foot;
        Rect { y: area.y + head, height: area.height.saturating_sub(head + below), ..area }
    }

    fn foot(&self, area: Rect, cx: &UiContext) -> Vec<Line<'static>> {
        let mut foot = FormText::new(area, cx);
        let key = |action| cx.key(&self.key_contexts(), action);
        let (enter, esc) = (key(Action::Accept), key(Action::Back));
        if self.beginning {
            foot.busy(t!("starting"));
        } else if self.heading_here().is_some() {
            foot.dim(&t!(
                "Nothing is sent until you confirm.  {enter} show or hide the rows  {esc} back",
                enter,
                esc
            ));
        } else if self.has_suggestion() {
            foot.dim(&t!(
                "Nothing is sent until you confirm.  {enter} correct this row  {down} next row  {esc} back",
                enter,
                down = key(Action::Down),
                esc
            ));
        } else if self.sendable() == 0 {
            foot.text(&t!("No row is ready to be sent.  {esc} back", esc), cx.theme.warning());
        } else {
            foot.dim(&t!("Nothing is sent until you confirm.  {enter} next  {esc} back", enter, esc));
        }
        foot.into_lines()
    }

    fn head(&self, area: Rect, cx: &UiContext) -> Vec<Line<'static>> {
        let theme = &cx.theme;
        let mut form = FormText::new(area, cx);
        let job = self.job();
        let what = if job.kind == Kind::Issue { t!("Issue") } else { t!("Revoke") };
        // A long title is cut before the number behind it.
        let mut head = wrapped(&format!("{what}  {}", job.title), form.room(), HEADING, cx);
        if self.jobs.len() > 1 {
            let (at, all) = (self.at + 1, self.jobs.len());
            head.push(if job.origin.is_some() {
                t!("({at} of {all} templates in the file)", at, all)
            } else {
                t!("({at} of {all} templates)", at, all)
            });
        }
        for line in pieces(&head, "   ", form.room()) {
            form.text(&line, theme.strong());
        }
        if let Some(origin) = &job.origin {
            let text = if origin.file.is_none() && !origin.read_as.is_empty() {
                origin.read_as.to_string()
            } else {
                format!("{}  {}", origin.name(), origin.read_as)
            };
            let columns: Vec<String> = origin.columns.iter().map(|name| name.wire().to_owned()).collect();
            let used = origin.map.as_ref().map(|map| map_words(map, &columns));
            source(&mut form, &text, &origin.name().to_string(), used.as_deref(), cx);
        }
        if let Some(change) = self.file_words(cx) {
            let text = if matches!(self.file, Some(Ok(FileState::Changed(..)))) {
                let key = cx.key(&self.key_contexts(), Action::Columns);
                t!("{change}  {key} read the file again", change, key)
            } else {
                change
            };
            form.warning(&text);
        }
        if let Some(text) = self.lost_words() {
            form.warning(&text);
        }
        let mut spans =
            vec![Span::raw("  "), Span::styled(count!(job.counts.total(), "row", "rows"), theme.strong())];
        for (row_status, n) in job.counts.iter() {
            spans.push(Span::raw("   "));
            spans.push(Span::styled(share(row_status, n, job.kind), row_status_style(row_status, cx)));
        }
        let saved = if self.doing.is_empty() { t!("draft saved") } else { t!("saving") };
        let used: usize = spans.iter().map(|span| width(&span.content)).sum();
        if used + 3 + width(saved) <= usize::from(area.width) {
            spans.push(Span::styled(format!("   {saved}"), theme.dim()));
        }
        form.line(Line::from(spans));
        let classes: Vec<String> = self
            .found
            .get(self.at)
            .into_iter()
            .flat_map(|found| found.classes.iter())
            // The others have a heading.
            .filter(|(class, _)| *class != DuplicateKind::New && class.default_policy() == Policy::Allow)
            .map(|(class, n)| policy(*class, *n))
            .collect();
        if !classes.is_empty() {
            form.text(&classes.join(&format!(" {} ", cx.glyphs.dot)), theme.warning());
        }
        for warning in self.found.get(self.at).into_iter().flat_map(|found| found.warnings(&cx.clock())) {
            form.warning(&warning.to_string());
        }
        let key = |action| cx.key(&self.key_contexts(), action);
        match &self.check {
            DuplicateCheck::Reading { done, all, .. } => {
                let (far, all) = (number(*done), *all);
                let doing = if all > 0 {
                    t!("checking for duplicates: {far} of {all} requests", far, all = number(all))
                } else {
                    t!("checking for duplicates").to_owned()
                };
                let text =
                    format!("{} {doing}   {}", cx.spinner(), t!("{esc} back", esc = key(Action::Back)));
                form.dim(&text);
            }
            DuplicateCheck::Failed(why) => {
                form.error(&t!(
                    "The duplicate check failed: {why}  {key} refresh",
                    why,
                    key = key(Action::Reload)
                ));
            }
            DuplicateCheck::Read if self.is_incomplete() => {
                form.warning(&t!(
                            "The history could not be read to its end. Someone may already have this badge.  {key} refresh",
                            key = key(Action::Reload)
                        ));
            }
            DuplicateCheck::Read | DuplicateCheck::None => {}
        }
        if let Some(said) = &self.said {
            form.error(said);
        }
        form.into_lines()
    }

    /// What has changed in the file of a kept draft. `None` if nothing has.
    fn file_words(&self, cx: &UiContext) -> Option<String> {
        Some(match self.file.as_ref()? {
            Ok(FileState::Unchanged(_)) => return None,
            Ok(FileState::Changed(_, change)) => changed(change, cx),
            Ok(FileState::Gone(source)) => gone(source),
            Err(why) => t!("The file could not be compared with the draft: {why}", why),
        })
    }

    /// How many decisions of the earlier drafts apply to no row. `None` if all apply.
    fn lost_words(&self) -> Option<String> {
        let words = || {
            plural!(
                self.lost,
                "{n} earlier decision does not apply: its row or the columns changed. Review it again.",
                "{n} earlier decisions do not apply: their rows or the columns changed. Review them again."
            )
        };
        (self.lost > 0).then(words)
    }

    pub(super) fn draw_all(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let theme = &cx.theme;
        let mut head = self.head(area, cx);
        let rows = self.rows_area(area, cx);
        head.truncate(usize::from(rows.y - area.y));
        let at = Rect { height: rows.y - area.y, ..area };
        frame.render_widget(head, at);
        let job = self.job();
        self.draw_rows(frame, rows, job, cx);
        let room = usize::from(area.width).saturating_sub(4);
        let most = row_lines_in(area.height);
        let at = Rect { x: area.x + 2, y: rows.bottom(), width: area.width.saturating_sub(4), height: most };
        frame.render_widget(self.pane(job, usize::from(most), room, cx), at);
        // The destination may be cut, the number of rows may not.
        let what = format!(" {} {}", cx.glyphs.dot, self.what_is_sent(cx));
        let place = cx.place();
        let wide = width(&place).min(room.saturating_sub(width(&what)).max(12));
        let lines = self.foot(area, cx);
        let rows = u16::try_from(lines.len()).unwrap_or(1).min(area.height.saturating_sub(1));
        let foot = area.bottom().saturating_sub(rows + 1);
        let line = format!("  {}{what}", fit(&place, wide, cx.glyphs.ellipsis));
        let line = Line::styled(line, theme.accent());
        // On the smallest screen, this line covers the last rows.
        frame.render_widget(ratatui::widgets::Clear, Rect { y: foot, height: rows + 1, ..area });
        frame.render_widget(line, Rect { y: foot, height: 1, ..area });
        let at = Rect { y: foot + 1, height: rows, ..area };
        frame.render_widget(lines, at);
    }

    /// The headings of the groups with the rows of the open ones, or the rows that a search finds.
    fn draw_rows(&self, frame: &mut Frame<'_>, area: Rect, job: &Job, cx: &UiContext) {
        let words = |row: &JobRow| draft_words(row.row_status, job.kind).to_owned();
        if self.rows.has_search() {
            let marked = self.rows.marks_in_words();
            self.rows.draw(frame, area, cx, &self.heading, &words, (None, &marked));
            return;
        }
        if area.height < 2 {
            return;
        }
        let widths = self.heading.widths(usize::from(area.width).saturating_sub(3));
        frame.render_widget(self.heading.line(&widths, 2, cx), Rect { height: 1, ..area });
        let area = lines_area(area);
        let list = &self.rows.list;
        if self.outline.len() == 0 {
            list.draw_empty(frame, area, (t!("No rows match."), t!("reading rows")), cx);
            return;
        }
        let at = self.outline.at(list);
        let range = self.rows.marks.range_start_in(list).map(|from| self.outline.lines_from(from, list));
        for (y, (line, what)) in (area.y..area.bottom()).zip(self.outline.visible()) {
            let spans = match what {
                OutlineLine::Heading(part) => self.heading_spans(part, job, usize::from(area.width), cx),
                OutlineLine::Row(place) => {
                    let is_in_range = range.as_ref().is_some_and(|range| range.contains(&line));
                    let sign = if is_in_range { cx.glyphs.bar } else { " " };
                    let mut spans = vec![Span::styled(sign, cx.theme.mark())];
                    spans.extend(self.rows.spans(&list.place(place), &self.heading, &widths, &words, cx));
                    if is_in_range {
                        in_range(&mut spans, cx);
                    }
                    spans
                }
                OutlineLine::Send => {
                    vec![Span::styled(format!(" {}", self.send_words(cx)), cx.theme.strong())]
                }
            };
            draw_row(frame, Rect { y, height: 1, ..area }, line == at, spans, cx);
        }
        draw_position(frame, area, self.outline.top(), self.outline.len(), cx);
    }

    fn heading_spans(&self, at: usize, job: &Job, room: usize, cx: &UiContext) -> Vec<Span<'static>> {
        let Some(part) = self.outline.part(at) else { return Vec::new() };
        let fold = if self.outline.is_open(part) { cx.glyphs.unfolded } else { cx.glyphs.folded };
        let has_others = self.outline.part(1).is_some_and(|next| next.id.row_status == part.id.row_status);
        let title = |has_example| format!("{fold} {}", part.title(job.kind, !has_others, has_example));
        let hints = self.part_hints(part, cx);
        let room = room.saturating_sub(3);
        // The number and the reason count most, then the first key. The example goes before a key.
        let ways = std::iter::once((true, hints.len())).chain((1..=hints.len()).rev().map(|n| (false, n)));
        let (title, hint) = ways
            .map(|(has_example, keys)| (title(has_example), hints[..keys].join("  ")))
            .find(|(title, hint)| width(title) + 2 + width(hint) <= room)
            .unwrap_or_else(|| (title(true), String::new()));
        let style = row_status_style(part.id.row_status, cx).patch(cx.theme.strong());
        vec![
            Span::styled(fit(&title, width(&title).min(room), cx.glyphs.ellipsis), style),
            Span::styled(format!("  {hint}"), cx.theme.dim()),
        ]
    }

    /// The last line of the list: what Enter does there.
    fn send_words(&self, cx: &UiContext) -> String {
        let n = self.sendable();
        let key = cx.key(&self.key_contexts(), Action::Accept);
        if n == 0 {
            return t!("There is no row to send.").to_owned();
        }
        if self.issues() {
            plural!(n, "{key}: send {n} row", "{key}: send {n} rows", key)
        } else {
            plural!(n, "{key}: revoke {n} badge", "{key}: revoke {n} badges", key)
        }
    }

    /// The selected row with whole reasons, what lapel suggests, and its group.
    fn pane(&self, job: &Job, most: usize, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
        let theme = &cx.theme;
        let Some(row) = self.selected() else {
            let Some(part) = self.heading_here() else { return Vec::new() };
            let mut lines = styled(&part.title(job.kind, true, true), room, theme.strong());
            let hints = self.range_hint(cx).unwrap_or_else(|| self.part_hints(part, cx).join("  "));
            lines.extend(styled(&hints, room, theme.dim()));
            lines.truncate(most);
            return lines;
        };
        let suggestion =
            self.suggestion(row, cx).map_or_else(Vec::new, |text| styled(&text, room, theme.warning()));
        // The heading of the group has its keys, too.
        let hints = match self.range_hint(cx) {
            Some(hint) => [Some(hint), None],
            None => [self.row_hint(row, cx), self.group_hint(row, cx)],
        };
        let mut lines = row_lines(row, job, room, cx);
        let kept = most.saturating_sub(suggestion.len()).max(2);
        if lines.len() > kept {
            lines.truncate(kept);
            if let Some(last) = lines.last_mut() {
                last.push_span(Span::raw(cx.glyphs.ellipsis));
            }
        }
        lines.extend(suggestion);
        for hint in hints.iter().flatten().map(|text| styled(text, room, theme.dim())) {
            if lines.len() + hint.len() <= most {
                lines.extend(hint);
            }
        }
        lines.truncate(most);
        lines
    }

    pub(super) fn add_text(&self, form: &mut FormText<'_>, cx: &UiContext) {
        let job = self.job();
        let n = self.sendable();
        let what = match job.kind {
            Kind::Issue => plural!(n, "Issue {n} badge", "Issue {n} badges"),
            Kind::Revoke => {
                plural!(n, "Revoke {n} badge (cannot be undone)", "Revoke {n} badges (cannot be undone)")
            }
        };
        let title = titles(&self.jobs);
        let dot = cx.glyphs.dot;
        form.asks(&format!("{what} {dot} {title}"), &cx.place(), cx);
        form.text(&self.what_is_sent(cx), cx.theme.text());
        let mut rest = sums(&self.jobs);
        rest.retain(|(row_status, _)| !row_status.is_to_send());
        if !rest.is_empty() {
            let rest = rest.iter().map(|(row_status, n)| share(*row_status, *n, job.kind));
            let rest = rest.collect::<Vec<_>>().join(&format!(" {dot} "));
            form.text(&t!("Not sent: {rest}", rest), cx.theme.text());
        }
        if let Some(text) = self.file_words(cx) {
            form.warning(&text);
        }
        let unknown = self.groups.unknown_states();
        if unknown > 0 {
            form.warning(&unknown_states(unknown));
        }
        if let Some(text) = self.lost_words() {
            form.warning(&text);
        }
        if let Some(text) = self.history_words(cx) {
            form.text(&text, cx.theme.text());
        }
        if self.is_incomplete() {
            form.warning(t!(
                "The history could not be read to its end. Someone may already have this badge."
            ));
        }
    }

    /// How many rows are of somebody who already has the badge, also of those that are not sent, and until when the history
    /// was read.
    fn history_words(&self, cx: &UiContext) -> Option<String> {
        if !self.issues() {
            return None;
        }
        let has_it = |class: DuplicateKind| class.is_duplicate() && class != DuplicateKind::Twin;
        let n: u64 = self
            .found
            .iter()
            .flat_map(|found| &found.classes)
            .filter(|(class, _)| has_it(*class))
            .map(|(_, n)| n)
            .sum();
        let found = number(n);
        let all = self.jobs.iter().map(|job| job.counts.total()).sum();
        // The oldest reading of the drafts counts.
        match self.jobs.iter().map(|job| job.checked).min().flatten() {
            Some(at) if !self.is_incomplete() => {
                let time = moment(at, cx);
                Some(plural!(
                    all,
                    "Already have it: {found} of {n} row. History read to its end at {time}.",
                    "Already have it: {found} of {n} rows. History read to its end at {time}.",
                    found,
                    time
                ))
            }
            _ => Some(plural!(
                all,
                "Already have it: {found} of {n} row so far.",
                "Already have it: {found} of {n} rows so far.",
                found
            )),
        }
    }

    fn what_is_sent(&self, cx: &UiContext) -> String {
        let dot = cx.glyphs.dot;
        let all = |row_status| self.jobs.iter().map(|job| job.counts.of(row_status)).sum::<u64>();
        let (ready, queued) = (all(RowStatus::Ready), all(RowStatus::ToRevoke));
        let known = self.groups.requests.map(|requests| (requests.least, requests.is_exact));
        let (least, is_exact) = known.unwrap_or_else(|| {
            let least = self.jobs.iter().map(|job| cx.requests_to_send(job.counts.of(RowStatus::Ready)));
            (least.sum(), false)
        });
        let mut requests = count!(least, "request", "requests");
        if !is_exact {
            requests = t!("at least {count}", count = requests);
        }
        let mut parts = Vec::new();
        if self.issues() {
            // Somebody may be in several rows.
            parts.extend([count!(ready, "row", "rows"), requests]);
        } else if ready > 0 {
            let badges = count!(ready, "badge", "badges");
            parts.push(t!("{badges} now, in {requests}", badges, requests));
        }
        if queued > 0 {
            parts.push(t!("{badges} once issued", badges = count!(queued, "badge", "badges")));
        }
        parts.join(&format!(" {dot} "))
    }
}

/// For badges to revoke.
pub fn unknown_states(n: u64) -> String {
    plural!(
        n,
        "{n} badge is in a state that lapel does not know. It is sent, and the service decides.",
        "{n} badges are in a state that lapel does not know. They are sent, and the service decides."
    )
}

/// Number of rows of each status, over drafts that belong together.
pub fn sums(drafts: &[Job]) -> Vec<(RowStatus, u64)> {
    let mut all: Vec<(RowStatus, u64)> = Vec::new();
    for (status, n) in drafts.iter().flat_map(|job| job.counts.iter()) {
        match all.iter_mut().find(|(known, _)| *known == status) {
            Some((_, sum)) => *sum += n,
            None => all.push((status, n)),
        }
    }
    all
}

/// Example: `1,111 ready`, `74 need review`.
pub fn shares(drafts: &[Job]) -> Vec<String> {
    let kind = drafts.first().map_or(Kind::Issue, |job| job.kind);
    sums(drafts).into_iter().map(|(status, n)| share(status, n, kind)).collect()
}

fn share(status: RowStatus, n: u64, kind: Kind) -> String {
    match status {
        RowStatus::NeedsReview => plural!(n, "{n} needs review", "{n} need review"),
        status => t!("{n} {word}", n = number(n), word = draft_words(status, kind)),
    }
}

/// Number of rows of a duplicate kind, and what happens to them unless the user decides otherwise.
pub(super) fn policy(class: DuplicateKind, n: u64) -> String {
    let (n, what) = (number(n), tr(class.name()));
    match class.default_policy() {
        Policy::Block => t!("{what}: {n} (skipped)", what, n),
        Policy::Ask => t!("{what}: {n} (needs review)", what, n),
        Policy::Allow => t!("{what}: {n}", what, n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_of_a_file_are_whole_beside_its_name_or_below() {
        let cx = UiContext::for_test();
        let columns = "name = 성명, e-mail = 연락 메일";
        let lines = |file: &str, wide: u16| -> Vec<String> {
            let mut form = FormText::new(Rect::new(0, 0, wide, 9), &cx);
            source(&mut form, &format!("{file}  UTF-8, comma"), file, Some(columns), &cx);
            form.into_lines().iter().map(|line| line.to_string().trim().to_owned()).collect()
        };
        assert_eq!(lines("list.csv", 80), [format!("list.csv  UTF-8, comma   {columns}")]);
        let [one] = &lines("list.csv", 54)[..] else { panic!("one line") };
        assert!(one.starts_with("list.csv  UTF") && one.ends_with(&format!("…   {columns}")), "{one}");
        assert_eq!(lines("list.csv", 40), ["list.csv  UTF-8, comma", columns]);
        let long = format!("{}.csv", "a".repeat(50));
        let [first, second, below] = &lines(&long, 40)[..] else { panic!("three lines") };
        assert_eq!((format!("{first}{second}"), below.as_str()), (long, columns));
    }
}
