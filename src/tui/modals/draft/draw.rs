//! Drawing of drafts: summary, row counts, rows, and the confirmation.

use crate::i18n::tr;
use crate::jobs::{DuplicateKind, Job, JobRow, Kind, Policy, RowStatus};
use crate::tui::modals::draft::{DraftForm, DuplicateCheck, titles};
use crate::tui::prelude::*;
use crate::tui::widgets::job_rows::{bucket_style, row_lines};
use crate::tui::widgets::text_layout::{fit, number, width};

/// Number of lines for the selected row, below the list.
const ROW_LINES: u16 = 3;

impl DraftForm {
    /// Area of the rows, between the head and the foot.
    pub(super) fn rows_area(&self, area: Rect, env: &Env) -> Rect {
        let head = u16::try_from(self.head(area, env).len()).unwrap_or(u16::MAX);
        let head = head.min(area.height / 2);
        let foot = u16::try_from(self.foot(area, env).len()).unwrap_or(1);
        Rect { y: area.y + head, height: area.height.saturating_sub(head + ROW_LINES + 1 + foot), ..area }
    }

    /// How to send, or why nothing can be sent.
    fn foot(&self, area: Rect, env: &Env) -> Vec<Line<'static>> {
        let mut foot = FormText::new(area, env);
        if self.beginning {
            foot.busy(t!("starting"));
        } else if self.selected().is_some_and(|row| row.suggested_address().is_some()) {
            let key = |action| env.key(&self.key_contexts(), action);
            foot.dim(&t!(
                "Nothing is sent until you confirm.  {enter} correct this address  {down} next row  {esc} back",
                enter = key(Action::Accept),
                down = key(Action::Down),
                esc = key(Action::Back)
            ));
        } else if self.sendable() == 0 {
            let esc = env.key(&self.key_contexts(), Action::Back);
            foot.text(&t!("None of these rows can be sent.  {esc} back", esc), env.theme.warning());
        } else {
            let key = |action| env.key(&self.key_contexts(), action);
            foot.dim(&t!(
                "Nothing is sent until you confirm.  {enter} next  {esc} back",
                enter = key(Action::Accept),
                esc = key(Action::Back)
            ));
        }
        foot.into_lines()
    }

    /// Summary of the draft and its row counts.
    fn head(&self, area: Rect, env: &Env) -> Vec<Line<'static>> {
        let theme = &env.theme;
        let mut form = FormText::new(area, env);
        let Some(job) = self.job() else { return Vec::new() };
        let what = if job.kind == Kind::Issue { t!("Issue") } else { t!("Revoke") };
        let mut head = format!("{what}  {}", job.title);
        if self.jobs.len() > 1 {
            let (at, all) = (self.at + 1, self.jobs.len());
            head = if job.origin.is_some() {
                t!("{head}   ({at} of {all} templates in the file)", head, at, all)
            } else {
                t!("{head}   ({at} of {all} templates)", head, at, all)
            };
        }
        form.cut(&head, theme.strong());
        if let Some(origin) = &job.origin {
            let text = format!("{}  {}", origin.name(), origin.read_as);
            form.cut(&text, theme.dim());
        }
        let mut spans =
            vec![Span::raw("  "), Span::styled(count!(job.counts.total(), "row", "rows"), theme.strong())];
        for (bucket, n) in job.counts.iter() {
            spans.push(Span::raw("   "));
            spans.push(Span::styled(
                t!("{n} {state}", n = number(n), state = words(bucket, job.kind)),
                bucket_style(bucket, env),
            ));
        }
        form.line(Line::from(spans));
        let classes: Vec<String> = self
            .found
            .get(self.at)
            .into_iter()
            .flat_map(|found| found.classes.iter())
            .filter(|(class, _)| *class != DuplicateKind::New)
            .map(|(class, n)| policy(*class, *n))
            .collect();
        if !classes.is_empty() {
            form.text(&classes.join(&format!(" {} ", env.glyphs.dot)), theme.warning());
        }
        let groups = self.groups.words();
        if !groups.is_empty() {
            form.text(&groups.join(&format!(" {} ", env.glyphs.dot)), theme.warning());
        }
        for warning in self.found.get(self.at).into_iter().flat_map(crate::jobs::DuplicateResult::warnings) {
            form.warning(&warning.to_string());
        }
        let key = |action| env.key(&self.key_contexts(), action);
        match &self.check {
            DuplicateCheck::Reading { done, all, .. } => {
                let (far, all) = (number(*done), *all);
                let doing = if all > 0 {
                    t!("checking for duplicates: {far} of {all} requests", far, all = number(all))
                } else {
                    t!("checking for duplicates").to_owned()
                };
                let text =
                    format!("{} {doing}   {}", env.spinner(), t!("{esc} back", esc = key(Action::Back)));
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

    pub(super) fn draw_all(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let theme = &env.theme;
        let mut head = self.head(area, env);
        let rows = self.rows_area(area, env);
        head.truncate(usize::from(rows.y - area.y));
        let at = Rect { height: rows.y - area.y, ..area };
        frame.render_widget(ratatui::text::Text::from(head), at);
        let Some(job) = self.job() else { return };
        let word = |row: &JobRow| words(row.bucket, job.kind).to_owned();
        self.rows.draw(frame, rows, env, &self.heading, &word);
        self.draw_choice(frame, rows, job.kind, env);
        let room = usize::from(area.width).saturating_sub(4);
        if let Some(row) = self.selected() {
            let mut lines = row_lines(row, job, room, env);
            if let Some(suggestion) = self.suggestion(row, env) {
                lines.truncate(1);
                lines.push(Line::styled(fit(&suggestion, room, env.glyphs.ellipsis), theme.warning()));
            }
            if let Some(hint) = self.group_hint(row, env) {
                lines.truncate(usize::from(ROW_LINES) - 1);
                lines.push(Line::styled(fit(&hint, room, env.glyphs.ellipsis), theme.dim()));
            }
            lines.truncate(usize::from(ROW_LINES));
            let at = Rect {
                x: area.x + 2,
                y: rows.bottom(),
                width: area.width.saturating_sub(4),
                height: ROW_LINES,
            };
            frame.render_widget(ratatui::text::Text::from(lines), at);
        }
        // The destination may be cut, the number of rows may not.
        let what = format!(" {} {}", env.glyphs.dot, self.what_is_sent(env));
        let place = env.place();
        let wide = width(&place).min(room.saturating_sub(width(&what)).max(12));
        let lines = self.foot(area, env);
        let rows = u16::try_from(lines.len()).unwrap_or(1).min(area.height.saturating_sub(1));
        let foot = area.bottom().saturating_sub(rows + 1);
        let line = format!("  {}{what}", fit(&place, wide, env.glyphs.ellipsis));
        let line = Line::styled(line, theme.accent());
        // On the smallest screen, this line covers the last rows.
        frame.render_widget(ratatui::widgets::Clear, Rect { y: foot, height: rows + 1, ..area });
        frame.render_widget(line, Rect { y: foot, height: 1, ..area });
        let at = Rect { y: foot + 1, height: rows, ..area };
        frame.render_widget(ratatui::text::Text::from(lines), at);
    }

    /// Shows the active row filter on the last line, before the row number. Shows nothing if all rows are shown.
    fn draw_choice(&self, frame: &mut Frame<'_>, rows: Rect, kind: Kind, env: &Env) {
        let statuses = self.rows.buckets();
        let group = self.rows.group().and_then(|key| self.groups.title(statuses.first(), key));
        let only = match (&group, statuses) {
            (Some(title), _) => title,
            (None, []) => return,
            (None, [one]) => words(*one, kind),
            (None, _) => t!("rows that need review"),
        };
        let key = env.key(&self.key_contexts(), Action::Only);
        let text = t!("only {only} ({key}: next group)", only, key);
        let room = usize::from(rows.width).saturating_sub(24);
        let line = Line::styled(format!("  {}", fit(&text, room, env.glyphs.ellipsis)), env.theme.dim());
        let at = Rect {
            y: rows.bottom().saturating_sub(1),
            height: 1,
            width: rows.width.saturating_sub(20),
            ..rows
        };
        frame.render_widget(line, at);
    }

    /// The text of the confirmation: what is sent where, and what is not sent.
    pub(super) fn tell(&self, form: &mut FormText<'_>, env: &Env) {
        let Some(job) = self.job() else { return };
        let n = self.sendable();
        let what = match job.kind {
            Kind::Issue => plural!(n, "Issue {n} badge", "Issue {n} badges"),
            Kind::Revoke => {
                plural!(n, "Revoke {n} badge (cannot be undone)", "Revoke {n} badges (cannot be undone)")
            }
        };
        let title = titles(&self.jobs);
        let dot = env.glyphs.dot;
        form.asks(&format!("{what} {dot} {title}"), &env.place(), env);
        form.text(&self.what_is_sent(env), env.theme.text());
        let mut rest = sums(&self.jobs);
        rest.retain(|(bucket, _)| !matches!(bucket, RowStatus::Ready | RowStatus::Queued));
        if !rest.is_empty() {
            let rest = rest
                .iter()
                .map(|(bucket, n)| t!("{n} {state}", n = number(*n), state = words(*bucket, job.kind)));
            let rest = rest.collect::<Vec<_>>().join(&format!(" {dot} "));
            form.text(&t!("Not sent: {rest}", rest), env.theme.text());
        }
        if self.is_incomplete() {
            form.warning(t!(
                "The history could not be read to its end. Someone may already have this badge."
            ));
        }
    }

    /// Number of recipients or badges, and of requests.
    fn what_is_sent(&self, env: &Env) -> String {
        let dot = env.glyphs.dot;
        let all = |bucket| self.jobs.iter().map(|job| job.counts.of(bucket)).sum::<u64>();
        let (ready, queued, asked) = (all(RowStatus::Ready), all(RowStatus::Queued), all(RowStatus::Ask));
        let requests: u64 =
            self.jobs.iter().map(|job| env.requests_to_send(job.counts.of(RowStatus::Ready))).sum();
        let mut parts = Vec::new();
        if self.issues() {
            parts.push(count!(ready, "recipient", "recipients"));
        } else {
            parts.push(count!(ready, "badge", "badges"));
        }
        parts.push(count!(requests, "request", "requests"));
        if queued > 0 {
            parts.push(t!("{n} to revoke when issued", n = number(queued)));
        }
        if asked > 0 {
            parts.push(t!("{n} not reviewed: skipped", n = number(asked)));
        }
        parts.join(&format!(" {dot} "))
    }
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

/// The rows of drafts in words: `1,111 ready`, `74 need review`.
pub fn shares(drafts: &[Job]) -> Vec<String> {
    let kind = drafts.first().map_or(Kind::Issue, |job| job.kind);
    sums(drafts)
        .into_iter()
        .map(|(status, n)| t!("{n} {state}", n = number(n), state = words(status, kind)))
        .collect()
}

/// Name of a row status in a draft.
fn words(bucket: RowStatus, kind: Kind) -> &'static str {
    match (bucket, kind) {
        (RowStatus::Ready, Kind::Issue) => t!("ready"),
        (RowStatus::Ready, Kind::Revoke) => t!("Issued: will be sent"),
        (RowStatus::Queued, _) => t!("to revoke when issued"),
        (bucket, _) => tr(bucket.name()),
    }
}

/// Number of rows of a duplicate kind, and what happens to them unless the user decides otherwise.
pub(super) fn policy(class: DuplicateKind, n: u64) -> String {
    let (n, state) = (number(n), tr(class.name()));
    match class.default_policy() {
        Policy::Block => t!("{n} {state} (skipped)", n, state),
        Policy::Ask => t!("{n} {state} (needs review)", n, state),
        Policy::Allow => t!("{n} {state}", n, state),
    }
}
