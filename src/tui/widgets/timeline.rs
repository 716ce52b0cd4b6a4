//! The times of a badge in their order: requested, accepted, issued, and the end of its validity or its revocation.

use crate::tui::prelude::*;
use jiff::SignedDuration;
use jiff::ToSpan;

/// Maximum length of the bar between two times, in cells.
const LONGEST: usize = 12;
/// A badge is usually issued within this time (contract, "Issuing is asynchronous").
const USUAL_WAIT_HOURS: i64 = 24;

#[derive(Clone)]
struct Point {
    label: String,
    time: String,
    /// The part of the time before this event that has passed, from 0 to 1.
    passed: f64,
}

/// The times of a badge that has events, as the service's records or the journal have them.
struct BadgeTimes {
    state: State,
    /// The time of lapel's request, if the journal knows it.
    requested: Option<ServiceTime>,
    reg_date: Option<ServiceTime>,
    issued_at: Option<ServiceTime>,
    valid_until: Option<ServiceTime>,
    revoke_at: Option<ServiceTime>,
    /// Whether nobody checks its progress here: the journal's record of a job that moved to another one.
    is_record: bool,
}

impl BadgeTimes {
    fn of(held: &HeldBadge, now: DateTime) -> Self {
        Self {
            state: held.verdict(now).state(),
            requested: held.requested.clone(),
            reg_date: held.reg_date().cloned(),
            issued_at: held.issued_at().cloned(),
            valid_until: held.valid_until().cloned(),
            revoke_at: held.revoke_at().cloned(),
            is_record: false,
        }
    }

    /// `None` if the journal does not know of a badge.
    fn of_row(row: &JobRow, job: &Job, cx: &UiContext) -> Option<Self> {
        let state = match row.row_status {
            RowStatus::NotVisibleYet | RowStatus::Waiting | RowStatus::Overdue => State::Waiting,
            RowStatus::Issued => State::Issued,
            RowStatus::Revoking => State::Revoking,
            RowStatus::Revoked => State::Revoked,
            _ => return None,
        };
        let time = |text: &Option<Text>| text.as_ref().and_then(|text| ServiceTime::new(text.wire()));
        let of_lapel = |at: Option<Timestamp>| cx.clock().service_time(at?);
        Some(Self {
            state,
            requested: of_lapel(row.requested),
            reg_date: of_lapel(row.accepted),
            issued_at: time(&row.issued_at),
            valid_until: time(&row.valid_until),
            revoke_at: time(&row.revoke_at),
            is_record: job.phase == Phase::Moved,
        })
    }
}

/// How long a badge waits, of the 24 hours that are usual. As wide as with two digits, so that a column does not change
/// its width with the time.
pub fn of_24_h(since: SignedDuration) -> String {
    let in_minutes = |minutes| t!("{minutes}m/24h", minutes);
    let text = match since.as_hours() {
        0 => in_minutes(since.as_mins()),
        hours => t!("{hours}h/24h", hours),
    };
    let wide = width(&in_minutes(59)).max(width(&text));
    fit(&text, wide, "")
}

/// The timeline of a job's row. Empty if the journal does not know of its badge.
pub fn timeline_of_row(row: &JobRow, job: &Job, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    let times = BadgeTimes::of_row(row, job, cx);
    times.map_or_else(Vec::new, |times| lines(&times, cx.now(), room, cx))
}

/// Two lines: the events with bars between them, and their times below. Where they do not fit into `room` cells, even with
/// short labels, each event has a line of its own. Empty if no time is known.
pub fn timeline(held: &HeldBadge, now: DateTime, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    lines(&BadgeTimes::of(held, now), now, room, cx)
}

fn lines(times: &BadgeTimes, now: DateTime, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    let requested = times.requested.as_ref().map(|at| Point {
        label: t!("requested").to_owned(),
        time: at.short(Some(now)),
        passed: 1.0,
    });
    let drawn_with = |requested: Option<&Point>, is_short| {
        let points: Vec<Point> = requested.cloned().into_iter().chain(points(times, now, is_short)).collect();
        drawn(&points, room, cx)
    };
    let request = requested.as_ref();
    // The bars show more than a line with the request beside them.
    let apart = || Some([stacked(requested.as_slice(), room, cx), drawn_with(None, true)?].concat());
    drawn_with(request, false).or_else(|| drawn_with(request, true)).or_else(apart).unwrap_or_else(|| {
        stacked(&[requested.as_slice(), points(times, now, false).as_slice()].concat(), room, cx)
    })
}

/// A line for each point, for a narrow pane. Empty if no point has a time.
fn stacked(points: &[Point], room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    if room == 0 || points.iter().all(|point| point.time.is_empty()) {
        return Vec::new();
    }
    let wide = points.iter().map(|point| width(&point.label)).max().unwrap_or(0);
    let line = |point: &Point| {
        let style = if point.passed >= 1.0 { cx.theme.text() } else { cx.theme.dim() };
        let label = fit(&point.label, wide, "");
        if wide + 1 + width(&point.time) > room {
            return styled(&format!("{} {}", point.label, point.time), room, style);
        }
        let time = Span::styled(format!(" {}", point.time), cx.theme.dim());
        vec![Line::from(vec![Span::styled(label, style), time])]
    };
    points.iter().flat_map(line).collect()
}

/// The points with bars of at least one cell between them; `None` if they do not fit or have no time.
fn drawn(points: &[Point], room: usize, cx: &UiContext) -> Option<Vec<Line<'static>>> {
    if points.iter().all(|point| point.time.is_empty()) {
        return None;
    }
    let wide: Vec<usize> = points.iter().map(|point| width(&point.label).max(width(&point.time))).collect();
    let gaps = points.len().saturating_sub(1);
    // A space on both sides of each bar. A bar also has the cells between a label and the end of its time.
    let rest = room.checked_sub(wide.iter().sum::<usize>() + 2 * gaps)?;
    let bar = (rest / gaps.max(1)).min(LONGEST);
    let has_bars = points.iter().zip(&wide).take(gaps).all(|(point, wide)| bar + wide > width(&point.label));
    if !has_bars {
        return None;
    }
    let (mut labels, mut times) = (Vec::new(), Vec::new());
    for (at, (point, wide)) in points.iter().zip(wide).enumerate() {
        let style = if point.passed >= 1.0 { cx.theme.text() } else { cx.theme.dim() };
        labels.push(Span::styled(point.label.clone(), style));
        times.push(Span::styled(fit(&point.time, wide, cx.glyphs.ellipsis), cx.theme.dim()));
        if let Some(next) = points.get(at + 1) {
            let long = bar + wide - width(&point.label);
            let passed =
                (0..long).take_while(|cell| (*cell as f64 + 0.5) / long as f64 <= next.passed).count();
            let (passed, ahead) = (cx.glyphs.passed.repeat(passed), cx.glyphs.ahead.repeat(long - passed));
            labels.push(Span::styled(format!(" {passed}"), cx.theme.text()));
            labels.push(Span::styled(format!("{ahead} "), cx.theme.dim()));
            times.push(Span::raw(" ".repeat(bar + 2)));
        }
    }
    Some(vec![Line::from(labels), Line::from(times)])
}

/// The events of the service's records. Short labels need fewer cells.
fn points(times: &BadgeTimes, now: DateTime, is_short: bool) -> Vec<Point> {
    let BadgeTimes { state, reg_date, issued_at, valid_until, revoke_at, is_record, .. } = times;
    let point = |label: &str, time: Option<&ServiceTime>, passed: f64| Point {
        label: label.to_owned(),
        time: time.map_or_else(String::new, |time| time.short(Some(now))),
        passed,
    };
    let mut points = Vec::new();
    if reg_date.is_some() {
        points.push(point(t!("accepted"), reg_date.as_ref(), 1.0));
    }
    if *state == State::Waiting {
        let accepted = reg_date.as_ref().filter(|_| !is_record).and_then(ServiceTime::start);
        if let Some((from, to)) =
            accepted.and_then(|at| Some((at, at.checked_add(USUAL_WAIT_HOURS.hours()).ok()?)))
        {
            let time = to.strftime("%m-%d %H:%M").to_string();
            points.push(Point { label: t!("24 h").to_owned(), time, passed: part(from, to, now) });
        }
        return points;
    }
    if issued_at.is_some() {
        points.push(point(t!("issued"), issued_at.as_ref(), 1.0));
    }
    let until = valid_until.as_ref().filter(|until| !until.is_forever());
    if revoke_at.is_some() {
        let (label, passed) =
            if *state == State::Revoked { (t!("revoked"), 1.0) } else { (t!("revocation"), 0.0) };
        points.push(point(label, revoke_at.as_ref(), passed));
    } else if let Some(until) = until {
        let ends = issued_at.as_ref().and_then(ServiceTime::start).zip(until.end());
        points.push(point(
            if is_short { t!("until") } else { t!("valid until") },
            Some(until),
            ends.map_or(0.0, |(from, to)| part(from, to, now)),
        ));
    } else if !points.is_empty() {
        points.push(point(t!("no end date"), None, 0.0));
    }
    points
}

fn part(from: DateTime, to: DateTime, now: DateTime) -> f64 {
    let (long, passed) = (to.duration_since(from).as_secs_f64(), now.duration_since(from).as_secs_f64());
    if long > 0.0 { (passed / long).clamp(0.0, 1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{BadgeId, HistoryItem, Text};
    use crate::tui::needs::tests::job;
    use crate::tui::widgets::text_layout::line_width;

    fn shown(word: &str, times: [&str; 4], now: &str, room: usize) -> Vec<String> {
        let [reg_date, issued_at, valid_until, revoke_at] = times.map(ServiceTime::new);
        let status_name = Some(Text::new(word));
        let row = HistoryItem::for_test(BadgeId::new("B-1").expect("an id"));
        let history = HistoryItem { status_name, valid_until, issued_at, reg_date, revoke_at, ..row };
        let held = HeldBadge::from(history);
        let now = now.parse().expect("a time");
        timeline(&held, now, room, &UiContext::for_test())
            .iter()
            .map(|line| line.to_string().trim_end().to_owned())
            .collect()
    }

    #[test]
    fn the_bar_shows_how_much_of_the_usual_wait_has_passed() {
        let waiting = |now| shown("발급대기", ["2026-11-22 10:00:00", "", "", ""], now, 60);
        assert_eq!(
            waiting("2026-11-22T10:00:00"),
            ["accepted ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄ 24 h", "11-22 10:00              11-23 10:00"]
        );
        assert!(waiting("2026-11-22T22:00:00")[0].contains(" ━━━━━━━━┄┄┄┄┄┄┄ 24 h"));
        assert!(waiting("2026-11-24T22:00:00")[0].contains(" ━━━━━━━━━━━━━━━ 24 h"), "overdue");
    }

    #[test]
    fn the_timeline_tells_future_ends_from_past_ones() {
        let times = ["2026-11-22 10:00:00", "2026-11-22 11:00:00", "2028-11-22", ""];
        let issued = shown("발급", times, "2026-11-23T00:00:00", 60);
        assert!(issued[0].starts_with("accepted ━") && issued[0].ends_with("┄ valid until"), "{issued:?}");
        let revoked =
            shown("회수", [times[0], times[1], times[2], "2026-11-23 09:00:00"], "2026-11-24T00:00:00", 60);
        assert!(revoked[0].ends_with("━ revoked") && !revoked[0].contains("valid"), "{revoked:?}");
        let under_way =
            shown("회수중", [times[0], times[1], times[2], "2026-11-23 09:00:00"], "2026-11-24T00:00:00", 60);
        assert!(under_way[0].ends_with("┄ revocation"), "{under_way:?}");
    }

    /// The width of a preview beside a list on a screen of 120 columns.
    #[test]
    fn three_events_fit_into_a_narrow_pane() {
        let times = ["2026-11-22 10:00:00", "2026-11-22 11:00:00", "2028-11-22", ""];
        let lines = shown("발급", times, "2026-11-23T00:00:00", 37);
        assert_eq!(lines, ["accepted ━━━ issued ┄┄┄┄┄ valid until", "11-22 10:00  11-22 11:00  2028-11-22"]);
        let shorter = shown("발급", times, "2026-11-23T00:00:00", 36);
        assert_eq!(shorter[0], "accepted ━━━ issued ┄┄┄┄┄ until");
    }

    /// The width of the narrowest preview, without its edge.
    #[test]
    fn in_a_narrower_pane_the_events_are_below_each_other() {
        let times = ["2026-11-22 10:00:00", "2026-11-22 11:00:00", "2028-11-22", ""];
        let lines = shown("발급", times, "2026-11-23T00:00:00", 29);
        assert_eq!(lines, ["accepted    11-22 10:00", "issued      11-22 11:00", "valid until 2028-11-22"]);
        let forever = shown("발급", [times[0], times[1], "", ""], "2026-11-23T00:00:00", 29);
        assert_eq!(forever.last().map(String::as_str), Some("no end date"));
    }

    #[test]
    fn the_bar_of_a_moved_row_does_not_grow() {
        let cx = UiContext::for_test();
        let at = "2026-11-22T01:00:00Z".parse().expect("a time");
        let row = JobRow { accepted: Some(at), ..JobRow::for_test(1, RowStatus::Waiting) };
        let moved = timeline_of_row(&row, &job(Phase::Moved, &[]), 60, &cx);
        let texts: Vec<String> = moved.iter().map(|line| line.to_string().trim_end().to_owned()).collect();
        assert_eq!(texts, ["accepted".to_owned(), cx.clock().short(at)]);
    }

    #[test]
    fn a_row_of_a_job_shows_the_wait_for_its_badge_from_the_time_in_the_journal() {
        let cx = UiContext::for_test();
        let at = "2026-11-22T01:00:00Z".parse().expect("a time");
        let mut row = JobRow { accepted: Some(at), ..JobRow::for_test(1, RowStatus::Waiting) };
        let job = job(Phase::Running, &[]);
        let [first, times] = &timeline_of_row(&row, &job, 60, &cx)[..] else { panic!("two lines") };
        assert!(
            first.to_string().starts_with("accepted ") && first.to_string().ends_with(" 24 h"),
            "{first}"
        );
        assert!(times.to_string().starts_with(&cx.clock().short(at)), "{times}");
        row.requested = Some(at);
        let [first, _] = &timeline_of_row(&row, &job, 60, &cx)[..] else { panic!("two lines") };
        assert!(first.to_string().starts_with("requested ━"), "{first}");
        row.row_status = RowStatus::InDoubt;
        assert!(timeline_of_row(&row, &job, 60, &cx).is_empty());
    }

    #[test]
    fn the_time_of_a_request_comes_first() {
        let times = ["2026-11-22 10:00:00", "", "", ""].map(ServiceTime::new);
        let mut history = HistoryItem::for_test(BadgeId::new("B-1").expect("an id"));
        (history.reg_date, history.status_name) = (times[0].clone(), Some(Text::new("발급대기")));
        let (cx, now) = (UiContext::for_test(), "2026-11-22T12:00:00".parse().expect("a time"));
        let at = ServiceTime::new("2026-11-22 09:00:00").expect("a time");
        let held = HeldBadge { requested: Some(at.clone()), ..history.into() };
        let [first, times] = &timeline(&held, now, 60, &cx)[..] else { panic!("two lines") };
        assert!(first.to_string().starts_with("requested ━"), "{first}");
        assert!(times.to_string().starts_with(&at.short(Some(now))), "{times}");
        let [own, short, _] = &timeline(&held, now, 30, &cx)[..] else { panic!("three lines") };
        assert_eq!(own.to_string(), format!("requested {}", at.short(Some(now))));
        assert!(short.to_string().starts_with("accepted ━"), "{short}");
        for room in 0..40 {
            let lines = timeline(&held, now, room, &cx);
            assert!(lines.iter().all(|line| line_width(line) <= room), "{room}: {lines:?}");
        }
    }

    #[test]
    fn the_timeline_fits_any_pane_and_is_left_out_where_it_shows_nothing() {
        let times = ["2026-11-22 10:00:00", "2026-11-22 11:00:00", "2028-11-22", ""];
        for room in 1..100 {
            let lines = shown("발급", times, "2026-11-23T00:00:00", room);
            assert!(!lines.is_empty() && lines.iter().all(|line| width(line) <= room), "{room}: {lines:?}");
        }
        assert!(shown("발급", [""; 4], "2026-11-23T00:00:00", 60).is_empty());
    }
}
