//! A chart of counts over time: one column for each period, the oldest first.

use crate::tui::prelude::*;

/// Minimum and maximum height of a column, in rows. Fewer rows show no more than a sparkline; more rows add nothing.
const HEIGHT: (usize, usize) = (4, 12);
/// Rows of the axis and its labels.
const AXIS: usize = 2;
/// Minimum and maximum width of a column with its gap, in columns.
const COLUMN: (usize, usize) = (2, 7);

pub struct ChartColumn {
    pub label: String,
    pub count: u64,
}

/// Empty if the chart does not fit.
pub fn column_chart(
    columns: &[ChartColumn],
    area: (usize, usize),
    cx: &UiContext,
) -> Vec<Vec<Span<'static>>> {
    let (wide, high) = area;
    let most = columns.iter().map(|column| column.count).max().unwrap_or(0);
    let scale = number(most);
    let side = width(&scale) + 2;
    let each = wide.saturating_sub(side).checked_div(columns.len()).unwrap_or(0).min(COLUMN.1);
    let height = high.saturating_sub(AXIS).min(HEIGHT.1);
    if most == 0 || each < COLUMN.0 || height < HEIGHT.0 {
        return Vec::new();
    }
    let theme = &cx.theme;
    let margin = |text: &str| format!("{}{text} ", " ".repeat(side.saturating_sub(width(text) + 1)));
    let mut rows: Vec<Vec<Span<'static>>> = (0..height)
        .rev()
        .map(|row| {
            let of = |column: &ChartColumn| level(column.count, most, row, height, cx).repeat(each - 1);
            let cells = columns.iter().map(of).collect::<Vec<_>>().join(" ");
            let scale = margin(if row + 1 == height { &scale } else { "" });
            vec![Span::styled(scale, theme.dim()), Span::styled(cells, theme.accent())]
        })
        .collect();
    let axis = cx.glyphs.rule.repeat(each * columns.len() - 1);
    rows.push(vec![Span::styled(margin("0"), theme.dim()), Span::styled(axis, theme.dim())]);
    let mut labels = String::new();
    for (at, column) in columns.iter().enumerate() {
        let from = at * each;
        let is_free = from == 0 || width(&labels) < from;
        if is_free && from + width(&column.label) < each * columns.len() {
            labels = fit(&labels, from, "") + &column.label;
        }
    }
    rows.push(vec![Span::styled(margin("") + &labels, theme.dim())]);
    rows
}

/// The part of a column in one row, counted from the axis. A count above zero has at least an eighth of a cell.
fn level(count: u64, most: u64, row: usize, height: usize, cx: &UiContext) -> &'static str {
    let eighths = u128::from(count) * height as u128 * 8 / u128::from(most.max(1));
    let eighths = eighths.max(u128::from(count > 0)).saturating_sub(row as u128 * 8);
    match usize::try_from(eighths).unwrap_or(usize::MAX) {
        0 => " ",
        begun @ 1..8 => cx.glyphs.rising.get(begun - 1).copied().unwrap_or(" "),
        _ => cx.glyphs.full,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ThemeChoice;
    use crate::tui::input::keymap::Keymap;
    use crate::tui::theme::Glyphs;

    fn text(counts: &[u64], area: (usize, usize)) -> Vec<String> {
        let column =
            |(at, count): (usize, &u64)| ChartColumn { label: format!("11-{:02}", at + 1), count: *count };
        let columns: Vec<ChartColumn> = counts.iter().enumerate().map(column).collect();
        let cx = UiContext::new(ThemeChoice::None.into(), Glyphs::UNICODE, Keymap::default());
        let rows = column_chart(&columns, area, &cx);
        rows.iter().map(|spans| spans.iter().map(|span| span.content.as_ref()).collect()).collect()
    }

    #[test]
    fn a_column_is_as_high_as_its_count() {
        let rows = text(&[0, 1, 800, 400], (40, 8));
        // A space, "800" and a space; each column has six cells and a gap.
        let height =
            |at: usize| rows[..6].iter().filter(|row| row.chars().nth(5 + at * 7) != Some(' ')).count();
        assert_eq!([height(0), height(1), height(2), height(3)], [0, 1, 6, 3], "{rows:#?}");
        assert!(rows[0].starts_with(" 800 ") && rows[6].starts_with("   0 "), "{rows:#?}");
        assert!(rows[7].contains("11-01") && rows[7].contains("11-04"), "{rows:#?}");
    }

    #[test]
    fn what_does_not_fit_is_not_drawn() {
        let many = [u64::MAX; 30];
        assert!(text(&many, (40, 20)).is_empty() && text(&[1], (40, 5)).is_empty());
        assert!(text(&[], (40, 20)).is_empty() && text(&[0, 0], (40, 20)).is_empty());
        for wide in 0..120 {
            assert!(text(&many, (wide, 20)).iter().all(|row| width(row) <= wide), "{wide}");
        }
    }
}
