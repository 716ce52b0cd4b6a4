//! Drawing of an opened file: how lapel reads it, its first rows, or an open question.

use crate::jobs::intake::{
    CheckOutcome, Checked, ColumnMap, EncodingCertainty, HeaderRow, IdRow, NameColumns, RawRow,
};
use crate::jobs::{FileChange, Opened, Preview};
use crate::tui::modals::file::steps::{FileStep, column_name};
use crate::tui::modals::file::{DraftOffer, FileForm, Purpose};
use crate::tui::prelude::*;
use crate::tui::widgets::columns::fitted;
use crate::tui::widgets::job_rows::short_reason;
use crate::tui::widgets::text_layout::{ColumnLayout, line_of_cells};

impl FileForm {
    pub(super) fn draw_all(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let theme = &cx.theme;
        let mut form = FormText::new(area, cx);
        let room = form.room();
        form.heading(&self.heading_words(), theme.strong());
        form.text(&self.source_words(cx), theme.accent());
        let esc = cx.key(&self.key_contexts(), Action::Back);
        if self.is_reading() {
            form.dim(&format!("{} {}   {}", cx.spinner(), self.progress_words(), t!("{esc} back", esc)));
        }
        if let Some(said) = &self.said {
            form.error(said);
            form.dim(&t!("Nothing was sent.  {esc} back", esc));
        }
        if let Some(change) = self.again.as_ref().and_then(|again| again.change.as_ref()) {
            form.warning(&changed(change, cx));
        }
        if let Some(opened) = &self.opened {
            for note in opened.about.notes.iter().take(4) {
                form.dim(&format!("{} {note}", cx.glyphs.dot));
            }
        }
        form.blank();
        let height = usize::from(area.height);
        match (&self.step, &self.opened) {
            (Some(FileStep::Columns(mapping)), Some(opened)) => {
                form.text(&self.step_question(), theme.strong());
                for question in opened.questions() {
                    form.dim(&question.to_string());
                }
                form.blank();
                mapping.draw(&mut form, area, &opened.about, cx);
            }
            (Some(step), Some(_)) => {
                form.text(&self.step_question(), theme.strong());
                let mut foot = FormText::new(area, cx);
                foot.extend(self.side_by_side(room, cx));
                // The menu cuts a long entry.
                let choices = self.step_choices(cx);
                if let Some(choice) = choices.get(self.cursor.at()).filter(|text| width(text) + 4 > room) {
                    foot.text(choice, theme.text());
                }
                if let (FileStep::Kept(_), Some(change)) = (step, self.change_of(self.cursor.at())) {
                    foot.warning(&changed(change, cx));
                }
                let free = height.saturating_sub(form.len() + foot.len() + 1).max(2);
                let free = u16::try_from(free).unwrap_or(u16::MAX);
                let rows = Rect { height: free, ..below(area, form.len()) };
                form.extend(self.menu(&choices, rows, room, cx));
                form.blank();
                form.extend(foot.into_lines());
            }
            (None, Some(opened)) if self.said.is_none() && !matches!(self.kept, DraftOffer::Reading(_)) => {
                for question in opened.questions() {
                    form.warning(&question.to_string());
                }
                let columns = &opened.about.columns;
                match (&opened.preview, opened.about.map.map()) {
                    (Preview::Recipients(_), Some(map)) => {
                        form.dim(&self.columns_said(&map_words(map, columns)));
                    }
                    (Preview::Recipients(_), None) => {}
                    (Preview::BadgeIds { column: Some(at), .. }, _) => {
                        form.dim(&t!("badge ids from: {column}", column = column_name(*at, columns)));
                    }
                    (Preview::BadgeIds { column: None, .. }, _) => {
                        let text = t!("no column name fits badge ids; choose a column");
                        form.warning(text);
                    }
                }
                let free = height.saturating_sub(form.len() + 5).max(1);
                let rows = preview(opened, free, room, cx);
                let n = rows.len() as u64;
                form.extend(rows);
                if opened.preview_goes_on(n) {
                    form.dim(&plural!(n, "The first {n} row.", "The first {n} rows."));
                }
                form.blank();
                if self.has_template_column() {
                    let key = cx.key(&self.key_contexts(), Action::Toggle);
                    let by_column = matches!(self.purpose, Purpose::Issue { by_column: true, .. });
                    let now = if by_column { "[x]" } else { "[ ]" };
                    form.text(
                        &t!("{now} {key}: use the template column of each row", now, key),
                        theme.text(),
                    );
                }
                form.dim(&self.hint(cx));
            }
            _ => {}
        }
        form.draw(frame, area);
    }

    fn heading_words(&self) -> String {
        match &self.purpose {
            Purpose::Issue { by_column: true, .. } => t!("Issue  with the template in each row").to_owned(),
            Purpose::Issue { template, .. } => t!("Issue  {title}", title = template.1),
            Purpose::Revoke { reason, .. } => {
                t!("Revoke badges by id. Reason: {reason}", reason = Text::from(reason.as_str()))
            }
        }
    }

    /// What lapel does with the file now, and how much of it is done.
    fn progress_words(&self) -> String {
        let (drafting, done, all) =
            self.work.as_ref().map_or((false, 0, 0), |work| (work.drafting, work.done, work.all));
        let verb = match (&self.purpose, drafting) {
            (_, false) => t!("reading the file"),
            (Purpose::Issue { .. }, true) => t!("reading and checking every row"),
            (Purpose::Revoke { .. }, true) => t!("checking each badge"),
        };
        let far = match (done, all) {
            (_, 0) => String::new(),
            (done, all) => {
                let part = (u128::from(done) * 100 / u128::from(all.max(1))).min(100);
                format!(": {}", t!("{n} %", n = part))
            }
        };
        format!("{verb}{far}")
    }

    /// Example: `attendees.csv  CP949 · comma · header row 1`.
    fn source_words(&self, cx: &UiContext) -> String {
        let dot = format!(" {} ", cx.glyphs.dot);
        let name = match &self.source {
            ImportSource::File(path) => {
                let name = path.file_name().unwrap_or(path.as_os_str());
                short(&name.to_string_lossy()).into_owned()
            }
            ImportSource::Pasted(text) => {
                plural!(text.lines().count() as u64, "{n} line pasted", "{n} lines pasted")
            }
        };
        let Some(opened) = &self.opened else { return name };
        let about = &opened.about;
        // The name of pasted text says that it was pasted.
        let is_pasted = matches!(self.source, ImportSource::Pasted(_));
        let mut parts: Vec<String> = (!is_pasted).then(|| about.format.to_string()).into_iter().collect();
        if let Some(guess) = &about.encoding {
            let encoding = guess.encoding.label();
            parts.push(match guess.certainty {
                EncodingCertainty::Ambiguous => format!("{encoding}?"),
                EncodingCertainty::Guess => t!("{encoding} (guessed)", encoding),
                EncodingCertainty::Chosen | EncodingCertainty::Bom | EncodingCertainty::Certain => {
                    encoding.to_owned()
                }
            });
        }
        if let Some(delimiter) = about.delimiter {
            parts.push(delimiter.to_string());
        }
        if let Some(sheet) = &about.sheet {
            parts.push(t!("sheet {sheet}", sheet = scrub(sheet)));
        }
        match about.header {
            Some(HeaderRow::At(row)) => parts.push(t!("header row {row}", row)),
            Some(HeaderRow::Absent) => parts.push(t!("no header").to_owned()),
            None => {}
        }
        format!("{name}   {}", parts.join(&dot))
    }

    fn menu(&self, choices: &[String], rows: Rect, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
        let (shown, rest) = self.cursor.lay_all(rows, choices.len(), cx);
        choices
            .iter()
            .enumerate()
            .skip(shown.start)
            .take(shown.len())
            .map(|(i, choice)| {
                let selected = i == self.cursor.at();
                let text = fit(choice, room.saturating_sub(4), cx.glyphs.ellipsis);
                let text = Span::styled(text, cx.theme.entry(selected));
                Line::from(vec![Span::raw("  "), cx.cursor(selected), Span::raw(" "), text])
            })
            .chain(rest)
            .collect()
    }

    /// The same lines in each encoding that fits, side by side.
    fn side_by_side(&self, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
        let (Some(FileStep::Encoding(_)), Some(opened)) = (&self.step, &self.opened) else {
            return Vec::new();
        };
        let Some(guess) = &opened.about.encoding else { return Vec::new() };
        let all = &guess.alternatives;
        if all.is_empty() {
            return Vec::new();
        }
        let columns = (room + 2) / all.len().max(1);
        let widths = vec![columns.saturating_sub(2); all.len()];
        let heads: Vec<(String, Style)> =
            all.iter().map(|(encoding, _)| (t!("read as {encoding}", encoding), cx.theme.strong())).collect();
        let row = |row: Vec<(String, Style)>| line_of_cells("  ", &row, &widths, cx.glyphs.ellipsis);
        let longest = all.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0).min(6);
        let mut lines = vec![row(heads)];
        for at in 0..longest {
            lines.push(row(all
                .iter()
                .map(|(_, lines)| (lines.get(at).cloned().unwrap_or_default(), cx.theme.text()))
                .collect()));
        }
        lines
    }

    fn hint(&self, cx: &UiContext) -> String {
        let enter = cx.key(&self.key_contexts(), Action::Accept);
        if !self.questions().is_empty() || self.lacks_id_column() {
            return t!("{enter} answer open questions", enter);
        }
        match self.purpose {
            Purpose::Issue { .. } => {
                t!("Nothing is sent before the review.  {enter} check every row", enter)
            }
            Purpose::Revoke { .. } => {
                t!("Nothing is sent before the review.  {enter} check the state of each badge", enter)
            }
        }
    }
}

pub fn changed(change: &FileChange, cx: &UiContext) -> String {
    let mut words = t!("The file has changed since the draft: {change}.", change = changed_rows(change));
    for (rows, kind) in [
        (&change.added, t!("Added")),
        (&change.removed, t!("Removed")),
        (&change.changed, t!("Changed")),
        (&change.readdressed, t!("Other e-mail address")),
    ] {
        if !rows.names.is_empty() {
            let more = if rows.count > rows.names.len() as u64 { cx.glyphs.ellipsis } else { "" };
            let names = rows.names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            words = format!("{words} {kind}: {names}{more}.");
        }
    }
    match change.at {
        Some(at) => t!(
            "{rows} It was last saved {when}.",
            rows = words,
            when = cx.clock().offset().to_datetime(at).strftime("%Y-%m-%d %H:%M")
        ),
        None => words,
    }
}

/// `2 rows added, 1 row changed`
pub(super) fn changed_rows(change: &FileChange) -> String {
    let kinds = [&change.added, &change.removed, &change.changed, &change.readdressed];
    let [added, removed, changed, readdressed] = kinds.map(|rows| rows.count);
    let parts = [
        (added, plural!(added, "{n} row added", "{n} rows added")),
        (removed, plural!(removed, "{n} row removed", "{n} rows removed")),
        (changed, plural!(changed, "{n} row changed", "{n} rows changed")),
        (readdressed, plural!(readdressed, "{n} e-mail address changed", "{n} e-mail addresses changed")),
    ];
    if parts.iter().all(|(n, _)| *n == 0) {
        return t!("no row added, removed or changed").to_owned();
    }
    list(parts.into_iter().filter(|(n, _)| *n > 0).map(|(_, words)| words)).to_string()
}

pub fn map_words(map: &ColumnMap, columns: &[String]) -> String {
    let name = |at: usize| column_name(at, columns);
    let who = match map.name {
        NameColumns::One(at) => name(at),
        NameColumns::FamilyGiven { family, given } => format!("{} + {}", name(family), name(given)),
    };
    let email = name(map.email);
    match map.template {
        None => t!("name = {who}, e-mail = {email}", who, email),
        Some(at) => {
            t!("name = {who}, e-mail = {email}, template = {template}", who, email, template = name(at))
        }
    }
}

/// First rows: as recipients or badge ids, or the raw cells while a question is open.
fn preview(opened: &Opened, free: usize, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    match &opened.preview {
        Preview::Recipients(judged) if !judged.is_empty() => people(judged, free, room, cx),
        Preview::BadgeIds { ids, .. } if !ids.is_empty() => badge_ids(ids, free, room, cx),
        _ => as_they_stand(&opened.rows, free, room, cx),
    }
}

fn as_they_stand(rows: &[RawRow], free: usize, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    rows.iter()
        .take(free)
        .map(|row| {
            let all: Vec<String> = row.cells.iter().map(|c| Text::from(c.as_str()).to_string()).collect();
            let text = format!("{:>6}  {}", number(row.line), all.join(" | "));
            Line::raw(format!("  {}", fit(&text, room, cx.glyphs.ellipsis)))
        })
        .collect()
}

fn badge_ids(ids: &[IdRow], free: usize, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    let theme = &cx.theme;
    let rest = room.saturating_sub(6 + 4);
    let widths = [6, rest / 2, rest - rest / 2];
    ids.iter()
        .take(free)
        .map(|row| {
            let (why, style) = match &row.id {
                Ok(_) => (String::new(), theme.text()),
                Err(why) => (why.to_string(), theme.error()),
            };
            let all = [
                (format!("{:>6}", number(row.line)), theme.dim()),
                (row.raw.to_string(), style),
                (scrub(&why).into_owned(), theme.dim()),
            ];
            line_of_cells("  ", &all, &widths, cx.glyphs.ellipsis)
        })
        .collect()
}

fn people(judged: &[Checked], free: usize, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    let theme = &cx.theme;
    let words = [t!("readable"), t!("needs review"), t!("invalid"), t!("no recipient")];
    let wide = words.into_iter().map(width).max().unwrap_or(0);
    let row = |row: &Checked| {
        let (word, style) = match row.outcome {
            CheckOutcome::Ready => (words[0], theme.good()),
            CheckOutcome::Ask => (words[1], theme.warning()),
            CheckOutcome::Refused => (words[2], theme.error()),
            CheckOutcome::NotARecipient => (words[3], theme.dim()),
        };
        let why =
            row.findings.first().map_or_else(String::new, |finding| short_reason::of_finding(&finding.what));
        vec![
            (format!("{:>6}", number(row.row.line)), theme.dim()),
            (fit(word, wide, ""), style),
            (Text::from(row.name.as_str()).to_string(), theme.text()),
            (Text::from(row.email.as_str()).to_string(), theme.text()),
            (scrub(&why).into_owned(), theme.dim()),
        ]
    };
    let rows: Vec<Vec<(String, Style)>> = judged.iter().take(free).map(row).collect();
    let own = [(6, 0), (wide, 0), (8, 1), (16, 2), (10, 3)];
    let own = own.map(|(min_width, weight)| ColumnLayout { min_width, weight, drop_order: 0 });
    let widths = fitted(&own, &rows, room);
    rows.iter().map(|row| line_of_cells("  ", row, &widths, cx.glyphs.ellipsis)).collect()
}
