//! Drawing of the tour's strip.

use super::step_texts::{TourContext, next, title};
use super::{Tour, TourState, TourStep};
use crate::tui::prelude::*;

pub const ROWS: u16 = 3;

pub fn draw(
    tour: &Tour,
    seen: &TourState<'_>,
    stack: &[KeyContext],
    frame: &mut Frame<'_>,
    area: Rect,
    cx: &UiContext,
) {
    let theme = &cx.theme;
    let step = tour.step;
    let title = title(step);
    let head = match step {
        TourStep::End => t!("Tour: {title}", title),
        _ => t!("Tour {no} of {all}: {title}", no = step as usize + 1, all = TourStep::End as usize, title),
    };
    let hints: Vec<(String, &str)> = [Action::TourSkip, Action::TourLeave]
        .into_iter()
        .filter(|action| *action != Action::TourSkip || step != TourStep::End)
        .filter_map(|action| cx.keymap.key(stack, action).map(|key| (key, action.hint())))
        .collect();
    let right: usize = hints.iter().map(|(key, words)| width(key) + width(words) + 3).sum();
    let room = usize::from(area.width).saturating_sub(2);
    let mut spans = vec![
        Span::raw("  "),
        Span::styled(fit(&head, room.saturating_sub(right), cx.glyphs.ellipsis), theme.strong()),
    ];
    for (key, words) in hints {
        spans.push(Span::styled(format!("  {key}"), theme.key()));
        spans.push(Span::styled(format!(" {words}"), theme.dim()));
    }
    let mut lines = vec![Line::from(spans)];
    let said = wrap(&next(tour, seen, &TourContext { stack, cx }), room.saturating_sub(1));
    let most = usize::from(ROWS) - 1;
    lines.extend(said.into_iter().take(most).map(|line| Line::styled(format!("  {line}"), theme.text())));
    frame.render_widget(lines, area);
}
