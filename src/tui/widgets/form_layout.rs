//! Form layout for small windows: a text that is cut is marked as cut.

use crate::tui::context::Env;
use crate::tui::widgets::text_layout::{fit, line_width, width, wrap};
use ratatui::text::{Line, Span};

/// Cells between the operation and its target.
const GAP: usize = 3;

/// The heading of a form: operation and target. Both share a line if they fit; otherwise the target follows below.
/// `room` is the width without margins.
pub fn head(what: &str, place: &str, room: usize, env: &Env) -> Vec<Line<'static>> {
    let (strong, accent) = (env.theme.strong(), env.theme.accent());
    if width(what) + GAP + width(place) <= room {
        return vec![Line::from(vec![
            Span::styled(format!("  {what}"), strong),
            Span::styled(format!("{}{place}", " ".repeat(GAP)), accent),
        ])];
    }
    let what = wrap(what, room).into_iter().map(|line| Line::styled(format!("  {line}"), strong));
    let place = wrap(place, room).into_iter().map(|line| Line::styled(format!("  {line}"), accent));
    what.chain(place).collect()
}

/// Wraps text into at most `most` lines. If it is longer, the last line ends with an ellipsis.
pub fn wrapped(text: &str, room: usize, most: usize, env: &Env) -> Vec<String> {
    let mut lines = wrap(text, room);
    if lines.len() > most {
        let rest = lines.split_off(most.saturating_sub(1)).join(" ");
        lines.push(fit(&rest, room, env.glyphs.ellipsis).trim_end().to_owned());
    }
    lines
}

/// Reduces the lines to `rows`. Empty lines are dropped first, from the bottom up. If that is not enough, the last
/// line says how many lines are missing.
pub fn squeezed(mut lines: Vec<Line<'static>>, rows: u16, env: &Env) -> Vec<Line<'static>> {
    let rows = usize::from(rows);
    while lines.len() > rows {
        let Some(empty) = lines.iter().rposition(|line| line_width(line) == 0) else { break };
        lines.remove(empty);
    }
    if lines.len() > rows && rows > 0 {
        let left = lines.len() - rows + 1;
        lines.truncate(rows - 1);
        let text = t!("{left} more lines: enlarge the window", left);
        lines.push(Line::styled(format!("  {text}"), env.theme.dim()));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[Line<'_>]) -> Vec<String> {
        lines.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_place_that_does_not_fit_beside_has_its_own_line() {
        let env = Env::for_test();
        assert_eq!(texts(&head("Revoke 2 badges", "DEMO 기관", 27, &env)), ["  Revoke 2 badges   DEMO 기관"]);
        assert_eq!(
            texts(&head("Revoke 2 badges", "DEMO 기관", 26, &env)),
            ["  Revoke 2 badges", "  DEMO 기관"]
        );
    }

    #[test]
    fn text_that_is_too_long_ends_in_a_sign() {
        let env = Env::for_test();
        assert_eq!(wrapped("one two three", 7, 2, &env), ["one two", "three"]);
        let cut = wrapped("one two three four five", 7, 2, &env);
        assert_eq!((cut.len(), cut[0].as_str()), (2, "one two"));
        assert!(cut[1].ends_with(env.glyphs.ellipsis), "{cut:?}");
    }

    #[test]
    fn empty_lines_go_before_text_does() {
        let env = Env::for_test();
        let lines = || ["a", "", "b", "", "c"].map(Line::raw).to_vec();
        assert_eq!(texts(&squeezed(lines(), 5, &env)), ["a", "", "b", "", "c"]);
        assert_eq!(texts(&squeezed(lines(), 4, &env)), ["a", "", "b", "c"]);
        assert_eq!(texts(&squeezed(lines(), 2, &env)), ["a", "  2 more lines: enlarge the window"]);
        assert!(squeezed(lines(), 0, &env).len() <= 3);
    }
}
