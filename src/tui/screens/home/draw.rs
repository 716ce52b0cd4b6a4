//! Drawing of Home: one line for each job or count, in parts with headings. Only titles are cut; other texts wrap.

use super::counts::draw::spark;
use super::counts::sections::CountBar;
use super::home_lines::{HomeGroup, HomeLine};
use super::{Home, STACK};
use crate::domain::email::ended;
use crate::tui::modals::draft::{shares, titles};
use crate::tui::modals::job_actions::can;
use crate::tui::needs;
use crate::tui::prelude::*;
use crate::tui::screens::activity::bar;
use crate::tui::widgets::colleagues::{besides, involved, opened_by};
use crate::tui::widgets::column_chart::{ChartColumn, column_chart};
use crate::tui::widgets::filtered_list::two_sided;
use crate::tui::widgets::job_rows::{moment, own_moment};
use crate::tui::widgets::paged_list::draw_row;
use strum::VariantArray;

/// Width of a progress bar, in columns.
const BAR: usize = 12;
/// Columns of the cursor and the sign before a line.
const BEFORE: usize = 3;
const GAP: usize = 2;
/// Limits of the width of the titles, in columns.
const TITLE: (usize, usize) = (12, 40);

/// A row of the screen. A line of Home has one or more.
pub(super) struct Placed {
    /// The index of the line; `None` for a heading or an empty row.
    pub line: Option<usize>,
    spans: Vec<Span<'static>>,
}

struct Texts {
    alert: bool,
    job: Option<(String, String)>,
    /// A bar or a plot before the text.
    art: String,
    text: String,
    style: Style,
    hint: Option<(Action, &'static str)>,
}

struct HomeWidths {
    label: usize,
    title: usize,
    text: usize,
}

impl Home {
    /// The rows of the screen.
    pub(super) fn lay_out(&self, area: Rect, cx: &UiContext) -> Vec<Placed> {
        let mut texts: Vec<Texts> = self.lines.iter().map(|line| self.texts(line, cx)).collect();
        let parts = self.parts(&texts, area, cx);
        let needed: usize = parts.iter().map(|rows| rows.len() + 1).sum();
        let is_roomy = needed <= usize::from(area.height);
        let chart = self.chart(area, usize::from(area.height).saturating_sub(needed), cx);
        let parts = if chart.is_empty() {
            parts
        } else {
            // The chart shows more than the sparkline of its line.
            for (line, texts) in self.lines.iter().zip(&mut texts) {
                if line.part() == HomeGroup::Plot {
                    texts.art.clear();
                }
            }
            self.parts(&texts, area, cx)
        };
        let mut rows = Vec::new();
        for part in parts {
            if is_roomy && !rows.is_empty() {
                rows.push(Placed { line: None, spans: Vec::new() });
            }
            rows.extend(part);
        }
        rows.extend(chart);
        rows
    }

    fn parts(&self, texts: &[Texts], area: Rect, cx: &UiContext) -> Vec<Vec<Placed>> {
        let widths = HomeWidths::of(texts, usize::from(area.width), cx);
        let parts = HomeGroup::VARIANTS.iter().map(|part| self.part(*part, texts, &widths, area, cx));
        parts.filter(|rows| !rows.is_empty()).collect()
    }

    /// The issued badges over time, in the rows that nothing else needs.
    fn chart(&self, area: Rect, spare: usize, cx: &UiContext) -> Vec<Placed> {
        let columns: Vec<ChartColumn> = self
            .counts
            .issued()
            .iter()
            .rev()
            .filter(|bar| !bar.aside)
            .filter_map(|bar| {
                let Some(IndexedList::Issued(Some(from), _)) = bar.which else { return None };
                let form = if self.counts.period == Period::Month { "%Y-%m" } else { "%m-%d" };
                Some(ChartColumn { label: from.strftime(form).to_string(), count: bar.count })
            })
            .collect();
        let room = usize::from(area.width).saturating_sub(BEFORE + 1);
        column_chart(&columns, (room, spare), cx)
            .into_iter()
            .map(|mut spans| {
                spans.insert(0, Span::raw(" ".repeat(BEFORE)));
                Placed { line: None, spans }
            })
            .collect()
    }

    fn part(
        &self,
        part: HomeGroup,
        texts: &[Texts],
        widths: &HomeWidths,
        area: Rect,
        cx: &UiContext,
    ) -> Vec<Placed> {
        let theme = &cx.theme;
        let mut rows = Vec::new();
        let room = usize::from(area.width).saturating_sub(4);
        let say = |rows: &mut Vec<Placed>, text: &str, style: Style| {
            rows.extend(
                wrap(text, room)
                    .into_iter()
                    .map(|text| Placed { line: None, spans: vec![Span::styled(format!("  {text}"), style)] }),
            );
        };
        for (at, (line, texts)) in self.lines.iter().zip(texts).enumerate() {
            if line.part() == part {
                rows.extend(texts.rows(at, widths, cx));
            }
        }
        let is_quiet = !self.lines.iter().any(|line| line.part() < HomeGroup::Soon);
        let loss = self.loss.recent.filter(|loss| Timestamp::now() < loss.until);
        let away = cx.connection.journal_away.as_ref();
        let is_calm = is_quiet && loss.is_none() && away.is_none() && matches!(self.journal, Some(Ok(())));
        if let (HomeGroup::Soon, Some(error)) = (part, &self.counts.error) {
            say(&mut rows, &cx.alert(error), theme.error());
        }
        let has_index = part == HomeGroup::Soon && self.counts.is_on(cx);
        if rows.is_empty() && part != HomeGroup::NeedsYou && !has_index {
            return rows;
        }
        let title = match part {
            HomeGroup::NeedsYou if is_calm => t!("Nothing needs you, and no job is running."),
            HomeGroup::NeedsYou => t!("Needs you"),
            HomeGroup::Drafts => t!("Kept drafts"),
            HomeGroup::Checking => t!("lapel is checking"),
            HomeGroup::Running => t!("Running"),
            HomeGroup::Colleagues => t!("Colleagues"),
            HomeGroup::Soon => t!("Soon"),
            HomeGroup::Plot => match self.counts.period {
                Period::Day => t!("Issued per day"),
                Period::Week => t!("Issued per week"),
                Period::Month => t!("Issued per month"),
            },
        };
        let mut head = Vec::new();
        say(&mut head, title, theme.strong());
        let (words, style) = self.counts.reading_words(cx);
        if let (true, false, Some(row)) = (has_index, words.is_empty(), head.last_mut()) {
            row.spans.push(Span::styled(format!("  {}", t!("index: {words}", words)), style));
        }
        match (&self.journal, away) {
            _ if part != HomeGroup::NeedsYou => {}
            (Some(Err(why)), _) => say(&mut rows, &cx.alert(why), theme.error()),
            (None, _) => say(&mut rows, &cx.busy(t!("reading the journal")), theme.dim()),
            (_, Some(away)) => {
                let time = cx.journal_time().unwrap_or_default();
                let known = t!("The jobs are shown as of {time}.", time);
                let text = format!("{} {} {known}", cx.glyphs.alert, ended(&away.why));
                say(&mut head, &text, theme.warning());
            }
            _ if is_calm => say(&mut rows, &next_steps(cx), theme.dim()),
            _ => match loss {
                Some(loss) => {
                    let text = loss.with_times(&|at| moment(at, cx)).to_string();
                    say(&mut head, &cx.alert(&text), theme.warning());
                }
                None if rows.is_empty() => say(&mut rows, &format!(" {}", t!("nothing")), theme.dim()),
                None => {}
            },
        }
        head.append(&mut rows);
        head
    }

    fn texts(&self, line: &HomeLine, cx: &UiContext) -> Texts {
        let theme = &cx.theme;
        let plain = |text: String, hint: (Action, &'static str)| Texts {
            alert: false,
            job: None,
            art: String::new(),
            text,
            style: theme.text(),
            hint: Some(hint),
        };
        // Counts of an index that was never read to its end.
        let is_partial = self.counts.all().is_some_and(|all| all.sums.status.read_at.is_none());
        let counted = |mut words: Vec<String>, hint: (Action, &'static str)| {
            words.extend(is_partial.then(|| t!("so far").to_owned()));
            plain(cx.dotted(&words), hint)
        };
        let show = (Action::Open, t!("show"));
        let list = (Action::Open, t!("list"));
        let of_job = |job: &Job, text: String| Texts {
            job: Some((t!("Job {id}", id = job.id), job.title_words().to_string())),
            ..plain(text, show)
        };
        match line {
            HomeLine::Need(job, needs) => {
                let mut words: Vec<String> = needs.iter().map(|need| needs::words(*need, job)).collect();
                words.extend(involved(job, cx.person()));
                let resumes = !cx.read_only() && can(Action::Resume, job);
                let hint = if resumes { (Action::Run, Action::Run.hint()) } else { show };
                Texts {
                    alert: true,
                    style: theme.warning(),
                    hint: Some(hint),
                    ..of_job(job, cx.dotted(&words))
                }
            }
            HomeLine::Draft(drafts) => {
                let Some(first) = drafts.first() else { return plain(String::new(), show) };
                let last = drafts.iter().map(|draft| draft.updated).max().unwrap_or(first.updated);
                let opened_by = drafts.iter().find_map(opened_by);
                let open = (Action::Open, t!("open"));
                let hint = opened_by.is_none().then_some(open);
                let mut words = vec![t!("kept {time}", time = own_moment(last, cx))];
                words.extend(opened_by);
                words.extend(first.origin.as_ref().map(|origin| origin.name().to_string()));
                words.extend(shares(drafts));
                let title = match first.kind {
                    Kind::Issue => titles(drafts),
                    Kind::Revoke => first.title_words().to_string(),
                };
                Texts {
                    job: Some((t!("Draft {id}", id = first.id), title)),
                    hint,
                    ..plain(cx.dotted(&words), open)
                }
            }
            HomeLine::Check(job) => {
                let mut words = checked(job);
                words.extend(job.next_poll.map(|at| t!("next check {time}", time = moment(at, cx))));
                words.extend(involved(job, cx.person()));
                Texts { alert: true, ..of_job(job, cx.dotted(&words)) }
            }
            HomeLine::Run(job) | HomeLine::Theirs(job) => {
                let is_theirs = matches!(line, HomeLine::Theirs(_));
                let mut words = if is_theirs { checked(job) } else { Vec::new() };
                words.extend(run_words(job, cx));
                words.extend(besides(job, cx.person()));
                Texts { art: bar(job, BAR, cx), ..of_job(job, cx.dotted(&words)) }
            }
            HomeLine::Overdue(n, _, at) => {
                let words = self.overdue_words(*n, *at, cx);
                Texts { alert: true, style: theme.warning(), ..counted(words, list) }
            }
            HomeLine::Expiring(n, _) => counted(
                vec![plural!(*n, "{n} badge expires within 30 days", "{n} badges expire within 30 days")],
                list,
            ),
            HomeLine::Mails(n, worst) => counted(mail_words(*n, worst.as_ref()), list),
            HomeLine::NoIndex => {
                let cost = cx.history_cost(self.counts.history);
                plain(
                    t!(
                        "Expiring badges, failed mails and badges over time need an index. Building it costs {cost}.",
                        cost
                    ),
                    show,
                )
            }
            HomeLine::EmptyIndex => {
                let cost = cx.history_cost(self.counts.history);
                let text = t!("The index is empty. Reading the history costs {cost}.", cost);
                plain(text, (Action::Reload, Action::Reload.hint()))
            }
            HomeLine::Plot => {
                let bars = self.counts.issued();
                let text = self.newest_count(&bars, cx);
                let hint = (Action::Period, Action::Period.hint());
                Texts { art: spark(&bars, cx), ..counted(vec![text], hint) }
            }
        }
    }

    fn newest_count(&self, bars: &[CountBar], cx: &UiContext) -> String {
        match bars.iter().find(|bar| !bar.aside) {
            Some(bar) => format!("{}: {}", bar.label, number(bar.count)),
            None if self.counts.error.is_none() => cx.busy(t!("counting")),
            None => t!("no counts").to_owned(),
        }
    }

    fn overdue_words(&self, n: u64, at: DateTime, cx: &UiContext) -> Vec<String> {
        let at = cx.clock().offset().to_timestamp(at).unwrap_or_default();
        let words = plural!(
            n,
            "as of {time}, {n} badge in the history had waited over 24 h",
            "as of {time}, {n} badges in the history had waited over 24 h",
            time = moment(at, cx)
        );
        let next = self.counts.due().and_then(|due| {
            let at = Timestamp::now().checked_add(due.saturating_duration_since(Instant::now())).ok()?;
            Some(t!("next reading {time}", time = own_moment(at, cx)))
        });
        std::iter::once(words).chain(next).collect()
    }

    pub(super) fn draw_lines(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let rows = &self.rows;
        let shown = self.sight.shown();
        // A message may have made the area smaller since the layout.
        let room = usize::from(visible(rows.len(), area));
        for (y, row) in (area.y..).zip(rows.iter().take(shown.end).skip(shown.start).take(room)) {
            let at = Rect { y, height: 1, ..area };
            match row.line {
                Some(line) => draw_row(frame, at, line == self.at, row.spans.clone(), cx),
                None => frame.render_widget(Line::from(row.spans.clone()), at),
            }
        }
        let left = rows.len().saturating_sub(shown.end);
        if visible(rows.len(), area) < area.height {
            let above = (shown.start > 0).then(|| format!("{} {}", cx.glyphs.up, number(shown.start as u64)));
            let below = (left > 0).then(|| format!("{} {}", cx.glyphs.down, number(left as u64)));
            let words: Vec<String> = above.into_iter().chain(below).collect();
            let foot = Rect { y: area.bottom().saturating_sub(1), height: 1, ..area };
            let words = Span::styled(words.join("  "), cx.theme.dim());
            two_sided(frame, foot, (Line::raw(""), words), false, cx);
        }
    }
}

/// The number of rows that fit. The last row of the screen says how many do not.
pub(super) fn visible(rows: usize, area: Rect) -> u16 {
    if rows <= usize::from(area.height) { area.height } else { area.height.saturating_sub(1).max(1) }
}

impl HomeWidths {
    fn of(texts: &[Texts], columns: usize, cx: &UiContext) -> Self {
        let room = columns.saturating_sub(BEFORE + 1);
        let jobs = || texts.iter().filter_map(|texts| texts.job.as_ref());
        let label = jobs().map(|(label, _)| width(label)).max().unwrap_or(0);
        let title = jobs().map(|(_, title)| width(title)).max().unwrap_or(0);
        let hint = texts.iter().map(|texts| width(&texts.hint_words(cx))).max().unwrap_or(0);
        // A title is cut only where the texts of the jobs need the room.
        let longest = texts.iter().filter(|texts| texts.job.is_some()).map(Texts::wide).max().unwrap_or(0);
        let spare = room.saturating_sub(label + hint + longest + 3 * GAP);
        let title = title.min((room / 4).clamp(TITLE.0, TITLE.1).max(spare));
        let widths = Self { label, title, text: 0 };
        let lead = widths.lead();
        let most = room.saturating_sub(lead + hint + GAP).max(10);
        let natural = texts.iter().map(|texts| {
            // A text without a job also has the room of the job.
            texts.wide().saturating_sub(if texts.job.is_some() { 0 } else { lead })
        });
        Self { text: natural.max().unwrap_or(0).clamp(1, most), ..widths }
    }

    fn lead(&self) -> usize {
        if self.label > 0 { self.label + self.title + 2 * GAP } else { 0 }
    }
}

impl Texts {
    fn wide(&self) -> usize {
        width(&self.text) + if self.art.is_empty() { 0 } else { width(&self.art) + GAP }
    }

    fn hint_words(&self, cx: &UiContext) -> String {
        self.hint.map_or(String::new(), |(action, words)| format!("{} {words}", cx.key(STACK, action)))
    }

    fn rows(&self, line: usize, widths: &HomeWidths, cx: &UiContext) -> Vec<Placed> {
        let theme = &cx.theme;
        let gap = " ".repeat(GAP);
        let sign = if self.alert { format!("{} ", cx.glyphs.alert) } else { "  ".to_owned() };
        let mut first = vec![Span::styled(sign, self.style)];
        let mut before = BEFORE - 1;
        let mut room = widths.text;
        match &self.job {
            Some((label, title)) => {
                first.push(Span::styled(fit(label, widths.label, ""), theme.text()));
                first.push(Span::raw(gap.clone()));
                first.push(Span::styled(fit(title, widths.title, cx.glyphs.ellipsis), theme.text()));
                first.push(Span::raw(gap.clone()));
                before += widths.lead();
            }
            None => room += widths.lead(),
        }
        if !self.art.is_empty() {
            let wide = width(&self.art) + GAP;
            first.push(Span::styled(self.art.clone(), theme.accent()));
            first.push(Span::raw(gap.clone()));
            before += wide;
            room = room.saturating_sub(wide).max(10);
        }
        let mut texts = wrap(&self.text, room);
        // Where a line breaks between two parts, no separator is left at the edge.
        let (dot, last) = (cx.glyphs.dot, texts.len().saturating_sub(1));
        for (at, text) in texts.iter_mut().enumerate() {
            let mut part = text.as_str();
            if at > 0 {
                let rest = part.strip_prefix(dot).filter(|rest| rest.is_empty() || rest.starts_with(' '));
                part = rest.map_or(part, str::trim_start);
            }
            if at < last {
                let rest = part.strip_suffix(dot).filter(|rest| rest.is_empty() || rest.ends_with(' '));
                part = rest.map_or(part, str::trim_end);
            }
            *text = part.to_owned();
        }
        if texts.is_empty() {
            texts.push(String::new());
        }
        let mut rows = Vec::new();
        for (at, text) in texts.into_iter().enumerate() {
            let mut spans =
                if at == 0 { std::mem::take(&mut first) } else { vec![Span::raw(" ".repeat(before))] };
            spans.push(Span::styled(fit(&text, room, cx.glyphs.ellipsis), self.style));
            if at == 0 {
                spans.push(Span::raw(gap.clone()));
                if let Some((action, words)) = self.hint {
                    spans.push(Span::styled(cx.key(STACK, action), theme.key()));
                    spans.push(Span::styled(format!(" {words}"), theme.dim()));
                }
            }
            rows.push(Placed { line: Some(line), spans });
        }
        rows
    }
}

fn checked(job: &Job) -> Vec<String> {
    needs::checked(job).into_iter().map(|need| needs::words(need, job)).collect()
}

/// How far a job is. There is no end time: issuing takes 5 minutes to 24 hours, and the service names none.
fn run_words(job: &Job, cx: &UiContext) -> Vec<String> {
    let all = number(job.to_send());
    let of = |status| job.counts.of(status);
    let (revoking, revoked) = (of(RowStatus::Revoking), of(RowStatus::Revoked));
    let mut words = vec![match job.kind {
        // Only what was issued can be revoked.
        Kind::Issue => {
            t!("{done} of {all} issued", done = number(of(RowStatus::Issued) + revoking + revoked), all)
        }
        Kind::Revoke => t!("{done} of {all} revoked", done = number(revoked), all),
    }];
    if job.kind == Kind::Issue && revoking > 0 {
        words.push(t!("{n} revoking", n = number(revoking)));
    }
    let unsent = job.left_to_send();
    if job.phase == Phase::Paused && unsent > 0 {
        words.push(t!("{n} not sent: {why}", n = number(unsent), why = job.phase_words()));
    } else if job.is_sending() {
        words.push(t!("sending").to_owned());
    } else if let Some(at) = job.next_poll {
        words.push(t!("next check {time}", time = moment(at, cx)));
    }
    words
}

/// How many mails failed, and how many of them to the domain that has the most. Those of revoked badges do not count here,
/// while the history lists them.
fn mail_words(n: u64, worst: Option<&(Text, u64)>) -> Vec<String> {
    let mut words =
        vec![plural!(n, "{n} mail of an issued badge failed", "{n} mails of issued badges failed")];
    words.extend(worst.map(|(domain, of_it)| t!("{n} to @{domain}", n = number(*of_it), domain)));
    words
}

fn next_steps(cx: &UiContext) -> String {
    let (issue, search) = (cx.key(STACK, Action::Issue), cx.key(STACK, Action::LookUp));
    let help = cx.key(STACK, Action::Help);
    if cx.read_only() {
        t!("{search} looks up a holder, {help} shows every key.", search, help)
    } else {
        t!("{issue} issues badges, {search} looks up a holder, {help} shows every key.", issue, search, help)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It does not look like one that has not begun.
    #[test]
    fn a_job_that_is_being_undone_was_issued() {
        let cx = UiContext::for_test();
        let rows = [(RowStatus::Waiting, 1), (RowStatus::Revoking, 3), (RowStatus::Revoked, 2)];
        let words = |kind| {
            let job = Job { kind, next_poll: None, ..needs::tests::job(Phase::Running, &rows) };
            run_words(&job, &cx)
        };
        assert_eq!(words(Kind::Issue), ["5 of 6 issued", "3 revoking"]);
        assert_eq!(words(Kind::Revoke), ["2 of 6 revoked"]);
    }

    #[test]
    fn a_paused_job_names_who_paused_it() {
        use crate::jobs::Reason;
        let cx = UiContext::for_test();
        let paused =
            |by| Job { halted_by: by, ..needs::tests::job(Phase::Paused, &[(RowStatus::Ready, 1200)]) };
        let words = |by| run_words(&paused(by), &cx)[1].clone();
        assert_eq!(words(None), "1,200 not sent: paused");
        assert_eq!(
            words(Some(Reason::of_process("lee", "lab-pc"))),
            "1,200 not sent: paused by lee on lab-pc"
        );
    }

    #[test]
    fn a_line_that_breaks_between_two_parts_has_no_separator_at_its_end() {
        let cx = UiContext::for_test();
        let texts = Texts {
            alert: false,
            job: None,
            art: String::new(),
            text: "981 of 1,177 issued · next check 18:50".to_owned(),
            style: cx.theme.text(),
            hint: Some((Action::Open, "show")),
        };
        let rows = texts.rows(0, &HomeWidths { label: 0, title: 0, text: 22 }, &cx);
        let shown: Vec<String> =
            rows.iter().map(|row| row.spans.iter().map(|span| span.content.as_ref()).collect()).collect();
        assert_eq!(shown.len(), 2, "{shown:?}");
        assert!(shown.iter().all(|row| !row.contains('·')), "{shown:?}");
        assert!(shown[1].contains("next check 18:50"), "{shown:?}");
    }
}
