//! Drawing of the counts: totals, section names, and the bars of one section with numbers.
//! A wide screen also shows bars of the other sections.

use super::BadgeCounts;
use super::sections::{CountBar, CountsSection, bars, caption, overdue};
use crate::export::time_left;
use crate::tui::prelude::*;
use crate::tui::request::IndexOverview;
use crate::tui::widgets::filtered_list::{read_words, two_sided};
use crate::tui::widgets::paged_list::draw_row;
use crate::tui::widgets::preview;

/// Minimum screen width, in columns, for showing the other sections beside the open one.
const BESIDE: u16 = 120;
const NUMBER: usize = 9;
/// Maximum length of a bar, in columns.
const LONGEST_BAR: usize = 60;
/// Maximum height of an error message, in lines.
const LONGEST_TROUBLE: usize = 6;

pub fn body(area: Rect) -> Rect {
    Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area }
}

/// Rows from one bar to the next: there is a gap between bars if all of them still have room.
pub(super) fn step(bars: usize, area: Rect) -> usize {
    if bars * 2 <= usize::from(area.height) + 1 { 2 } else { 1 }
}

impl BadgeCounts {
    /// The area of the bars. It starts below the error message, if there is one.
    pub(super) fn bars_area(&self, area: Rect) -> Rect {
        let wide = if area.width >= BESIDE { area.width * 3 / 5 } else { area.width };
        let lines = u16::try_from(self.trouble(wide, "!").len()).unwrap_or(0);
        let above = 4 + lines.saturating_sub(1);
        Rect { y: area.y + above, height: area.height.saturating_sub(above + 1), width: wide, ..area }
    }

    fn trouble(&self, columns: u16, sign: &str) -> Vec<String> {
        let Some(error) = &self.error else { return Vec::new() };
        let mut lines = wrap(&format!("{sign} {error}"), usize::from(columns).saturating_sub(4));
        lines.truncate(LONGEST_TROUBLE);
        lines
    }

    pub(super) fn draw_all(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        if !self.is_on(cx) {
            draw_off(self.history, frame, area, cx);
            return;
        }
        self.draw_totals(frame, Rect { height: 1, ..area }, cx);
        if let Some(badge_list) = &self.badge_list {
            badge_list.draw(frame, body(area), cx);
            return;
        }
        self.draw_sections(frame, Rect { y: area.y + 1, height: 1, ..area }, cx);
        let list = self.bars_area(area);
        let caption = Rect { y: area.y + 2, height: list.y - area.y - 2, width: list.width, ..area };
        let trouble: Vec<Line<'_>> = self
            .trouble(list.width, cx.glyphs.alert)
            .into_iter()
            .map(|line| Line::styled(format!("  {line}"), cx.theme.error()))
            .collect();
        match &self.all {
            _ if !trouble.is_empty() => frame.render_widget(trouble, caption),
            Some(all) => self.draw_caption(all, frame, Rect { height: 1, ..caption }, cx),
            None => {
                let text = Line::styled(format!("  {}", cx.busy(t!("counting"))), cx.theme.dim());
                frame.render_widget(text, caption);
            }
        }
        let Some(all) = &self.all else { return };
        self.draw_bars(frame, list, cx);
        self.draw_foot(frame, Rect { y: area.bottom().saturating_sub(1), height: 1, ..list }, cx);
        if area.width >= BESIDE {
            let x = list.right() + 1;
            let beside = Rect { x, y: area.y + 2, width: area.right() - x, height: area.height - 2 };
            preview::draw_edge(frame, Rect { x: list.right(), ..beside }, cx);
            self.draw_glance(all, frame, beside, cx);
        }
    }

    fn draw_totals(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let theme = &cx.theme;
        let (right, style) = self.reading_words(cx);
        let mut parts = vec![t!("Counts").to_owned()];
        if let Some(all) = &self.all {
            let sums = &all.sums;
            parts.push(count!(sums.status.badges, "badge", "badges"));
            if overdue(all) > 0 {
                parts.push(t!("{n} overdue", n = number(overdue(all))));
            }
            parts.push(t!("{n} valid", n = number(sums.valid)));
            parts.push(t!("{n} expired", n = number(sums.expired)));
            if sums.other > 0 {
                parts.push(t!("{n} of unknown state", n = number(sums.other)));
            }
        }
        // Drop whole totals from the end until the rest fits, with a sign for them. Never cut one.
        let dot = format!(" {} ", cx.glyphs.dot);
        let room = usize::from(area.width).saturating_sub(width(&right) + 5);
        let mut words = parts.join(&dot);
        while parts.len() > 1 && width(&words) > room {
            parts.pop();
            words = format!("{}{dot}{}", parts.join(&dot), cx.glyphs.ellipsis);
        }
        let left = Line::styled(format!("  {words}"), theme.strong());
        two_sided(frame, area, (left, Span::styled(right, style)), true, cx);
    }

    pub(in crate::tui::screens::home) fn reading_words(&self, cx: &UiContext) -> (String, Style) {
        let theme = &cx.theme;
        if let Some(running) = &self.running {
            let what = if running.details { t!("reading records") } else { t!("reading the history") };
            let of = if running.all > 0 {
                let (done, all) = (number(running.done.min(running.all)), number(running.all));
                format!(" {}", t!("{done} of {all}", done, all))
            } else {
                String::new()
            };
            let left = cx.link().filter(|_| !running.details);
            let left = left.and_then(|link| time_left(running.done, running.all, link.background));
            let left = left.map_or_else(String::new, |left| format!(" {} {left}", cx.glyphs.dot));
            return (format!("{what}{of}{left}"), theme.warning());
        }
        let Some(status) = self.all.as_ref().map(|all| &all.sums.status) else {
            return (String::new(), theme.dim());
        };
        if self.error.is_some() {
            return (cx.alert(t!("incomplete")), theme.error());
        }
        match (status.read_at, status.scanning) {
            (None, None | Some((0, _))) => (t!("not read yet").to_owned(), theme.warning()),
            (_, Some((done, all))) => {
                let done = number(done);
                let text = match all.map(number) {
                    Some(all) => t!("read to {done} of {all}", done, all),
                    None => t!("read to {done}", done),
                };
                (text, theme.warning())
            }
            (Some(at), None) => {
                let read = read_words(at, status.full_at, cx.clock().offset());
                let (read, style) = if status.complete {
                    (read, theme.dim())
                } else {
                    (cx.alert(t!("{read}, totals differ", read)), theme.warning())
                };
                let older = (status.older > 0).then(|| {
                    format!(" {} {}", cx.glyphs.dot, t!("{n} older not included", n = number(status.older)))
                });
                (read + &older.unwrap_or_default(), style)
            }
        }
    }

    fn draw_sections(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let theme = &cx.theme;
        let mut spans = vec![Span::raw("  ")];
        for (section, name) in CountsSection::ALL {
            let here = section == self.section;
            // A sign marks the open section as well: some terminals cannot underline.
            spans.push(cx.cursor(here));
            spans.push(Span::styled(i18n::tr(name), if here { theme.tab() } else { theme.dim() }));
            spans.push(Span::raw("  "));
        }
        frame.render_widget(Line::from(spans), area);
    }

    fn draw_caption(&self, all: &IndexOverview, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let theme = &cx.theme;
        let text = Line::styled(format!("  {}", caption(self.section, all, self.period)), theme.text());
        let search = self.search.line(usize::from(area.width), cx).map(|mut line| {
            let is_found = self.labels().iter().any(|label| self.search.finds(label));
            line.extend(
                (!is_found)
                    .then(|| Span::styled(format!("  {}", t!("no match among these bars")), theme.dim())),
            );
            line
        });
        let text = search.unwrap_or(text);
        let spark = if self.section.has_periods() { spark(&self.bars(), cx) } else { String::new() };
        two_sided(frame, area, (text, Span::styled(format!("{spark} "), theme.accent())), false, cx);
    }

    fn draw_bars(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let bars = self.bars();
        let widths = BarWidths::of(&bars, usize::from(area.width).saturating_sub(2));
        let at = self.cursor().at().min(bars.len().saturating_sub(1));
        let step = step(bars.len(), area);
        let rows = (bars.len() * step).saturating_sub(step - 1);
        let shown = self.cursor().lay_rows(area, at * step..=at * step, rows);
        for (y, row) in (area.y..).zip(shown).step_by(step) {
            let Some(bar) = bars.get(row / step) else { break };
            let selected = row / step == at;
            let mut spans = vec![Span::raw(" ")];
            spans.extend(bar_spans(bar, &widths, cx));
            draw_row(frame, Rect { y, height: 1, ..area }, selected, spans, cx);
        }
    }

    fn draw_foot(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let bars = self.bars();
        let at = self.cursor().at();
        let note = bars.get(at).map_or("", |bar| bar.note.as_str());
        let room = BarWidths::of(&bars, usize::from(area.width).saturating_sub(2)).note;
        let place = match self.section {
            // The row cuts it.
            _ if !note.is_empty() && width(note) + 1 > room => format!("  {note}"),
            CountsSection::Ending => {
                let hint = t!(
                    "{enter} lists them; {key} there plans to issue them again",
                    enter = cx.key(&self.key_contexts(), Action::Open),
                    key = cx.key(super::LIST, Action::Renew)
                );
                format!("  {hint}")
            }
            CountsSection::Mail => {
                format!("  {}", t!("SENT means that a mail was sent, not that it arrived"))
            }
            // Anyone who sees data from the index also sees where the index is stored.
            CountsSection::Issued => {
                let place = self.all.as_ref().map_or("", |all| all.place.as_str());
                let room = usize::from(area.width).saturating_sub(12);
                fit(&format!("  {}", t!("index: {place}", place)), room, cx.glyphs.ellipsis)
            }
            _ => String::new(),
        };
        let right = if bars.len() > self.cursor().height() {
            t!("row {at} of {all}", at = at + 1, all = bars.len())
        } else {
            String::new()
        };
        let place = fit(&place, usize::from(area.width).saturating_sub(1), cx.glyphs.ellipsis);
        two_sided(
            frame,
            area,
            (Line::styled(place.trim_end().to_owned(), cx.theme.dim()), Span::styled(right, cx.theme.dim())),
            false,
            cx,
        );
    }

    /// Bars of the other sections: as many of each as have room.
    fn draw_glance(&self, all: &IndexOverview, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let theme = &cx.theme;
        let others = CountsSection::ALL.into_iter().filter(|(section, _)| *section != self.section);
        let others: Vec<_> =
            others.map(|(section, name)| (section, name, bars(section, all, self.period))).collect();
        let counts: Vec<usize> =
            others.iter().map(|(.., bars)| bars.iter().filter(|bar| !bar.aside).count()).collect();
        let most = most_of_each(&counts, usize::from(area.height));
        let mut lines: Vec<Line<'static>> = Vec::new();
        for (section, name, all_bars) in others {
            let compared: Vec<&CountBar> = all_bars.iter().filter(|bar| !bar.aside).collect();
            let few = few_of(&compared, most, section.has_periods());
            let mut head = vec![Span::styled(format!(" {}", i18n::tr(name)), theme.strong())];
            // The other numbers beside a heading count badges.
            let left = (compared.len() - few.len()) as u64;
            if left > 0 && most > 0 {
                let more = plural!(left, "{n} more line", "{n} more lines");
                head.push(Span::styled(format!("  {more}"), theme.dim()));
            }
            if section.has_periods() {
                head.push(Span::styled(format!("  {}", spark(&all_bars, cx)), theme.accent()));
            }
            if section == CountsSection::Waiting && overdue(all) > 0 {
                head.push(Span::styled(
                    format!("  {} {}", cx.glyphs.alert, t!("{n} overdue", n = number(overdue(all)))),
                    theme.warning(),
                ));
            }
            if most > 0 && !lines.is_empty() {
                lines.push(Line::raw(""));
            }
            lines.push(Line::from(head));
            if compared.is_empty() && most > 0 {
                lines.push(Line::styled(format!("   {}", t!("none")), theme.dim()));
            }
            let widths = BarWidths::of(&few, usize::from(area.width).saturating_sub(4));
            for bar in &few {
                let mut spans = vec![Span::raw("   ")];
                spans.extend(bar_spans(bar, &widths, cx));
                lines.push(Line::from(spans));
            }
        }
        frame.render_widget(lines, area);
    }
}

/// The largest number of bars of each section with which all sections fit into these rows. A section with bars has a
/// heading, and a gap before the next one; one without any says so in a row.
fn most_of_each(counts: &[usize], rows: usize) -> usize {
    let needed = |most: usize| {
        let bars: usize = counts.iter().map(|count| (*count).max(1).min(most)).sum();
        bars + counts.len() + if most > 0 { counts.len().saturating_sub(1) } else { 0 }
    };
    let longest = counts.iter().copied().fold(1, usize::max);
    (0..=longest).rev().find(|most| needed(*most) <= rows).unwrap_or(0)
}

/// At most this many bars, without their notes. What is urgent is kept, and a zero is cut first, but of periods the
/// newest are shown.
fn few_of(bars: &[&CountBar], most: usize, are_periods: bool) -> Vec<CountBar> {
    let mut kept: Vec<(usize, &CountBar)> = bars.iter().copied().enumerate().collect();
    if !are_periods {
        kept.sort_by_key(|(_, bar)| (!bar.alarming, bar.count == 0));
    }
    kept.truncate(most);
    kept.sort_by_key(|(place, _)| *place);
    kept.into_iter().map(|(_, bar)| CountBar { note: String::new(), ..bar.clone() }).collect()
}

/// The widths for a set of bars, and the count that the longest bar represents.
struct BarWidths {
    label: usize,
    bar: usize,
    note: usize,
    most: u64,
}

impl BarWidths {
    fn of(bars: &[CountBar], room: usize) -> Self {
        let label = bars.iter().map(|bar| width(&bar.label)).max().unwrap_or(0).min(room * 2 / 5);
        // Alarming bars have a sign before the label.
        let sign = if bars.iter().any(|bar| bar.alarming) { 2 } else { 0 };
        let label = label + sign;
        let note = bars.iter().map(|bar| width(&bar.note) + 1).max().unwrap_or(0);
        let left = room.saturating_sub(label + NUMBER + 3);
        // The number is never cut. The note gets the room that the bars leave.
        let bar = left.saturating_sub(note).clamp(left / 3, left.max(1)).min(LONGEST_BAR);
        let most = bars.iter().filter(|bar| !bar.aside).map(|bar| bar.count).max().unwrap_or(0);
        Self { label, bar, note: left.saturating_sub(bar), most }
    }
}

/// Draws a bar with its label, number and note. A count above zero has at least an eighth of a cell, except
/// for bars that show only their number.
fn bar_spans(bar: &CountBar, widths: &BarWidths, cx: &UiContext) -> Vec<Span<'static>> {
    let theme = &cx.theme;
    let eighths = if bar.aside || bar.count == 0 || widths.most == 0 {
        0
    } else {
        let scaled = u128::from(bar.count) * widths.bar as u128 * 8 / u128::from(widths.most);
        usize::try_from(scaled).unwrap_or(usize::MAX).clamp(1, widths.bar.max(1) * 8)
    };
    let begun = (eighths % 8).checked_sub(1).and_then(|at| cx.glyphs.eighths.get(at));
    let drawn = cx.glyphs.full.repeat(eighths / 8) + begun.copied().unwrap_or_default();
    let style = if bar.alarming { theme.warning() } else { theme.accent() };
    let text = if bar.alarming { theme.warning() } else { theme.text() };
    let label = if bar.alarming { format!("{} {}", cx.glyphs.alert, bar.label) } else { bar.label.clone() };
    let count = if bar.is_unknown() { cx.glyphs.dash.to_owned() } else { number(bar.count) };
    vec![
        Span::styled(fit(&label, widths.label, cx.glyphs.ellipsis), text),
        Span::raw(" "),
        Span::styled(fit(&drawn, widths.bar, ""), style),
        Span::styled(format!("{count:>NUMBER$} "), text),
        Span::styled(fit(&format!(" {}", bar.note), widths.note, cx.glyphs.ellipsis), theme.dim()),
    ]
}

/// From the oldest period to the newest.
pub fn spark(bars: &[CountBar], cx: &UiContext) -> String {
    let sparks = cx.glyphs.rising;
    let counts: Vec<u64> = bars.iter().rev().filter(|bar| !bar.aside).map(|bar| bar.count).collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    counts
        .into_iter()
        .map(|n| {
            if n == 0 || most == 0 {
                return " ";
            }
            let step = u128::from(n) * (sparks.len() as u128 - 1) / u128::from(most);
            usize::try_from(step).ok().and_then(|step| sparks.get(step)).copied().unwrap_or(" ")
        })
        .collect()
}

fn draw_off(history: Option<u64>, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
    let text = cx.theme.text();
    let name = cx.session().map_or("NAME", |session| session.name.as_str());
    let key = cx.key(&[KeyContext::Overview, KeyContext::Global, KeyContext::Always], Action::IndexOn);
    let mut form = FormText::new(area, cx);
    form.text(t!("The counts need an index, and there is none."), cx.theme.strong());
    form.blank();
    form.text(t!("The index counts issued and revoked badges by date, waiting and expiring badges, and failed mails. The service does not provide these counts. To build the index, lapel reads the whole history slowly in the background and keeps a copy: names, e-mail addresses, titles and states."), text);
    form.blank();
    let cost = cx.history_cost(history);
    form.text(&t!("lapel has not read or saved anything for it yet. Building it costs {cost}.", cost), text);
    form.blank();
    form.text(&t!("{key}   turns it on until lapel ends: in memory only, nothing is saved.", key), text);
    form.blank();
    form.text(t!("To keep it, add these two lines to config.toml:"), text);
    form.text(&format!("[profiles.{}.index]", scrub(name)), text);
    form.text("enabled = true", text);
    form.blank();
    form.dim(t!("The index is then a file under index/ in lapel's data folder. Only you can read it; it is not encrypted. Badges older than max_age_days (730) are kept only if they expire later."));
    form.blank();
    form.dim(t!("lapel index purge removes it at any time."));
    form.draw(frame, area);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(label: &str, count: u64, alarming: bool) -> CountBar {
        let (label, note) = (label.to_owned(), "a note".to_owned());
        CountBar { label, count, note, which: None, aside: false, alarming }
    }

    #[test]
    fn a_bar_counts_in_eighths_of_a_cell() {
        let widths = BarWidths { label: 2, bar: 2, note: 0, most: 1_600 };
        for (count, drawn) in [(0, "  "), (1, "▏ "), (800, "█ "), (900, "█▏"), (1_600, "██")] {
            let spans = bar_spans(&bar("a", count, false), &widths, &UiContext::for_test());
            assert_eq!(spans[2].content, drawn, "{count}");
        }
    }

    #[test]
    fn no_bar_is_hidden_above_empty_rows() {
        let counts = [26, 20, 5, 0, 4];
        // Five headings, four gaps, and "none".
        let all = 5 + 4 + 1 + 26 + 20 + 5 + 4;
        assert_eq!(most_of_each(&counts, all), 26);
        assert_eq!(most_of_each(&counts, all - 1), 25);
        for rows in 0..all {
            let most = most_of_each(&counts, rows);
            let needed = 5 + 4 + 1 + counts.iter().map(|count| (*count).min(most)).sum::<usize>();
            assert!(most == 0 || needed <= rows, "{rows}: {most}");
            assert!(most > 0 || rows < 14, "each section has at least a row: {rows}");
        }
    }

    #[test]
    fn an_urgent_bar_is_shown_before_a_zero() {
        let bars = [
            bar("under 1 h", 0, false),
            bar("1 to 6 h", 2, false),
            bar("6 to 24 h", 0, false),
            bar("1 to 3 d", 0, false),
            bar("over 3 d", 5, true),
        ];
        let bars: Vec<&CountBar> = bars.iter().collect();
        let labels = |most: usize, are_periods: bool| -> Vec<String> {
            few_of(&bars, most, are_periods).into_iter().map(|bar| bar.label + &bar.note).collect()
        };
        assert_eq!(labels(1, false), ["over 3 d"]);
        assert_eq!(labels(3, false), ["under 1 h", "1 to 6 h", "over 3 d"]);
        assert_eq!(labels(5, false).len(), 5);
        assert_eq!(labels(2, true), ["under 1 h", "1 to 6 h"], "the newest periods");
        assert!(labels(0, false).is_empty());
    }
}
