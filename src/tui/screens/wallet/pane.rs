//! The selected badge: the verdict, the mail, recipient and title, dates, and advice for the caller.

use super::rows::place;
use crate::domain::call_advice::{CallCase, Script, correction};
use crate::domain::narrowing::is_sent;
use crate::domain::spelling::remarks;
use crate::domain::time::OffsetBasis;
use crate::tui::prelude::*;
use crate::tui::screens::badge_head::{name_remark, spelled, title_type_level, verdict_lines};
use crate::tui::widgets::text_layout::{line_width, packed, pieces};
use crate::tui::widgets::timeline::timeline;
use std::rc::Rc;

/// The value of `less` in [`lines`] that leaves out the most.
const MOST_LESS: u8 = 5;
/// The one that leaves out the most but general advice.
pub(super) const ALL_ADVICE: u8 = 3;
/// Maximum rows of a verdict with a long reason before what to say.
const LONGEST_VERDICT: usize = 3;
/// Width of the labels of the last lines, in columns.
const LABEL: usize = 6;

/// What the answer has besides the records of the badge.
#[derive(Clone, Debug, Default)]
pub(super) struct AnswerContext<'a> {
    pub script: Rc<Script>,
    pub pictures: Option<&'a [String; 2]>,
    pub reason_missing: Option<String>,
    /// `3 copies, 1 Waiting`, if the list cuts it.
    pub copies: Option<String>,
    /// When and in which job lapel sent a badge that neither list has.
    pub sent: Option<String>,
}

/// The answer to a call about one badge, `room` columns wide, and in `rows` rows if possible.
/// It first leaves out the empty lines around the timeline, then its times, then its bar, then general advice, then facts
/// that are also shown elsewhere. If that is not enough, what to say comes before the facts, so that only facts and the rest of a
/// long reason are left to scroll to.
pub(super) fn fitted(
    case: &CallCase<'_>,
    context: &AnswerContext<'_>,
    (room, rows): (usize, usize),
    cx: &UiContext,
) -> Vec<Line<'static>> {
    let shown = (0..=MOST_LESS).map(|less| lines(case, context, room, less, cx));
    shown.into_iter().find(|lines| lines.len() <= rows).unwrap_or_else(|| {
        let mut verdict = verdict(case, room, cx);
        let rest = verdict.split_off(verdict.len().min(LONGEST_VERDICT));
        if let (Some(last), Some(next)) = (verdict.last_mut(), rest.first()) {
            let text = fit(&format!("{last} {next}"), room, cx.glyphs.ellipsis);
            *last = Line::styled(text, last.style);
        }
        let advice = advice_lines(&context.script, false, true, room, cx);
        let facts = facts(case, context, room, true, cx);
        let goes_on = (!rest.is_empty()).then(|| {
            let text = format!("{} {}", cx.glyphs.ellipsis, t!("the rest of the reason"));
            Line::styled(text, cx.theme.dim())
        });
        verdict.into_iter().chain(advice).chain(facts).chain(goes_on).chain(rest).collect()
    })
}

/// The answer in as many rows as it needs. With `less` from 1 it omits the empty lines around the timeline, from 2 its
/// times, which the advice has, too, from 3 its bar, from 4 general advice, with 5 also title, type and level, and the
/// warning about the time zone.
pub(super) fn lines(
    case: &CallCase<'_>,
    context: &AnswerContext<'_>,
    room: usize,
    less: u8,
    cx: &UiContext,
) -> Vec<Line<'static>> {
    let mut lines = verdict(case, room, cx);
    lines.extend(facts(case, context, room, less < 5, cx));
    if less < 3 {
        let mut times = timeline(case.held, case.now, room, cx);
        if less == 2 {
            // Without bars, the first line is only the first time.
            times.truncate(usize::from(times.len() == 2));
        }
        let around = || (less < 1).then(Line::default);
        lines.extend(around().filter(|_| !times.is_empty()).into_iter().chain(times).chain(around()));
    }
    lines.extend(advice_lines(&context.script, less <= ALL_ADVICE, true, room, cx));
    lines
}

fn verdict(case: &CallCase<'_>, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    let verdict = case.verdict();
    verdict_lines(&verdict, verdict.line().1, room, cx)
}

/// The mail, the ids, the reason and the pictures. `all` includes title, type and level, and the warning about the time
/// zone.
fn facts(
    case: &CallCase<'_>,
    context: &AnswerContext<'_>,
    room: usize,
    all: bool,
    cx: &UiContext,
) -> Vec<Line<'static>> {
    let (theme, held) = (&cx.theme, case.held);
    let mut lines = Vec::new();
    let dot = format!(" {} ", cx.glyphs.dot);
    let part = |text: Option<&Text>| text.map(ToString::to_string);
    if all {
        lines.extend(styled(&cx.dotted(&title_type_level(held)), room, theme.strong()));
    }
    if !case.masked && !held.is_only_sent() {
        lines.extend(mail(held, room, cx));
    }
    let name = || part(held.recipient_name()).unwrap_or_else(|| cx.glyphs.dash.to_owned());
    let ids = [
        (!held.is_only_sent()).then(|| t!("name on badge: {name}", name = name())),
        Some(t!("id {id}", id = held.badge_id)),
        held.template_id().map(|id| t!("template {id}", id)),
        part(held.cert_no()).map(|no| t!("no. {no}", no)),
        place(held, case.both).map(str::to_owned),
        context.copies.clone(),
        context.sent.clone(),
    ];
    lines.extend(packed(&ids.into_iter().flatten().collect::<Vec<_>>(), &dot, room, theme.text()));
    lines.extend(name_remark(held, room, cx));
    if let (Some(doubt), true) = (zone_doubt(case, cx), all) {
        lines.extend(styled(doubt, room, theme.warning()));
    }
    if let Some(why) = &context.reason_missing {
        lines.extend(styled(why, room, theme.dim()));
    }
    if let Some([front, back]) = context.pictures {
        lines.extend(labelled(t!("Front"), [front], room, theme.text(), cx));
        lines.extend(labelled(t!("Back"), [back], room, theme.text(), cx));
    }
    lines
}

/// What to say, why, and what is not possible, `room` columns wide. `advice` includes general advice, `times` the
/// times of the record, which a screen may show in another way.
pub fn advice_lines(
    script: &Script,
    advice: bool,
    times: bool,
    room: usize,
    cx: &UiContext,
) -> Vec<Line<'static>> {
    let theme = &cx.theme;
    let mut lines = Vec::new();
    let say = script.say.iter().filter(|line| advice || *line != correction());
    lines.extend(labelled(t!("Say"), say, room, theme.text(), cx));
    if times {
        let why = pieces(&script.why, &format!(" {} ", cx.glyphs.dot), room_of_text(room));
        lines.extend(labelled(t!("Why|verdict"), &why, room, theme.dim(), cx));
    }
    let label = t!("Not possible");
    for (i, line) in wrap(&format!("{label}  {}", script.cannot), room).into_iter().enumerate() {
        let rest = line.strip_prefix(label).filter(|_| i == 0).map(str::to_owned);
        let label = Span::styled(if rest.is_some() { label } else { "" }, theme.accent());
        lines.push(Line::from(vec![label, Span::styled(rest.unwrap_or(line), theme.dim())]));
    }
    lines
}

/// A warning if ages are shown and the service's time zone is not known.
fn zone_doubt(case: &CallCase<'_>, cx: &UiContext) -> Option<&'static str> {
    let tells_an_age = case.held.reg_date().or(case.held.issued_at()).is_some();
    let clock = cx.clock();
    (tells_an_age && !clock.is_zone_known()).then(|| match clock.basis() {
        OffsetBasis::AtLeast => {
            t!("ages are minimums: the service's zone may be further ahead; set utc_offset in the profile to correct them")
        }
        OffsetBasis::Unknown => t!("ages assume UTC; set utc_offset in the profile to correct them"),
        _ => t!("ages assume this computer's zone; set utc_offset in the profile to correct them"),
    })
}

/// The mail status in the service's own word, and the exact address.
/// Letters that callers often get wrong are highlighted.
fn mail(held: &HeldBadge, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    let (theme, address) = (&cx.theme, held.recipient_email());
    let (said, style) = match held.email_status() {
        Some(word) if is_sent(word.wire()) => (t!("mail {word} to", word), theme.dim()),
        Some(word) => (t!("mail \u{201c}{word}\u{201d} (the service's word), to", word), theme.warning()),
        None if held.mail_was_read() => (t!("mail status not given; address").to_owned(), theme.dim()),
        None => (t!("mail status unknown: no history row read").to_owned(), theme.dim()),
    };
    let Some(address) = address else { return styled(&said, room, style) };
    let letters = spelled(address.wire(), cx);
    let wide: usize = letters.iter().map(Span::width).sum();
    let remarks = remarks(address.wire());
    let remark = if remarks.is_empty() { String::new() } else { format!("  {}", list(remarks)) };
    let mut lines = Vec::new();
    if width(&said) + 1 + wide <= room {
        let mut spans = vec![Span::styled(format!("{said} "), style)];
        spans.extend(letters);
        lines.push(Line::from(spans));
    } else {
        lines.extend(styled(&said, room, style));
        if wide <= room {
            lines.push(Line::from(letters));
        } else {
            // An address longer than the line is wrapped, because every letter of it matters.
            lines.extend(styled(&address.to_string(), room, theme.text()));
        }
    }
    if !remark.is_empty() {
        let is_beside = lines.last().is_some_and(|last| line_width(last) + width(&remark) <= room);
        match lines.last_mut() {
            Some(last) if is_beside => last.spans.push(Span::styled(remark, theme.warning())),
            _ => lines.extend(styled(remark.trim_start(), room, theme.warning())),
        }
    }
    lines
}

/// Why the reason of a revoked badge is missing. `None` if it is known or the badge is not revoked.
pub(super) fn reason_missing(
    verdict: &Verdict,
    known: bool,
    reading: bool,
    cx: &UiContext,
) -> Option<String> {
    let revoked = matches!(
        verdict,
        Verdict::Revoked { .. } | Verdict::Revoking { .. } | Verdict::RevocationUnderWay { .. }
    );
    match (revoked && !known, reading) {
        (true, true) => Some(t!("reading the reason").to_owned()),
        (true, false) => {
            Some(t!("{enter} shows the reason", enter = cx.key(&[KeyContext::Wallet], Action::Open)))
        }
        (false, _) => None,
    }
}

fn room_of_text(room: usize) -> usize {
    room.saturating_sub(LABEL).max(8)
}

/// Texts below each other, and the label before the first line.
fn labelled<'a>(
    label: &str,
    texts: impl IntoIterator<Item = &'a String>,
    room: usize,
    style: Style,
    cx: &UiContext,
) -> Vec<Line<'static>> {
    let lines = texts.into_iter().flat_map(|text| wrap(text, room_of_text(room)));
    lines
        .enumerate()
        .map(|(i, line)| {
            let label = if i == 0 { label } else { "" };
            Line::from(vec![
                Span::styled(fit(label, LABEL, cx.glyphs.ellipsis), cx.theme.accent()),
                Span::styled(line, style),
            ])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::call_advice::script;

    #[test]
    fn where_only_one_row_is_left_the_timeline_keeps_its_bar() {
        let cx = UiContext::for_test();
        let row = HistoryItem {
            status_name: Some("발급완료".into()),
            reg_date: ServiceTime::new("2026-11-22 10:00:00"),
            issued_at: ServiceTime::new("2026-11-22 11:00:00"),
            ..HistoryItem::for_test(BadgeId::new("B-1").expect("an id"))
        };
        let held = HeldBadge::from(row);
        let case = CallCase::alone(&held, cx.now());
        let context = AnswerContext { script: Rc::new(script(&case)), ..AnswerContext::default() };
        let all = lines(&case, &context, 76, 0, &cx).len();
        // First without the empty lines, then without the times, and at last without the bar.
        for (rows, has_bar) in [(all, true), (all - 2, true), (all - 3, true), (all - 4, false)] {
            let shown = fitted(&case, &context, (76, rows), &cx);
            let bar = shown.iter().any(|line| line.to_string().contains(cx.glyphs.passed));
            assert_eq!((shown.len(), bar), (rows, has_bar));
        }
    }
}
