//! Fits text into columns by display width. A character is never split.

use crate::tui::platform::cells::clusters;
pub use crate::tui::platform::cells::width;
use crate::tui::prelude::*;

pub fn line_width(line: &Line<'_>) -> usize {
    line.spans.iter().map(|span| width(&span.content)).sum()
}

/// The text in exactly `columns` columns: padded with spaces, or cut with an ellipsis.
pub fn fit(text: &str, columns: usize, ellipsis: &str) -> String {
    let wide = width(text);
    if wide <= columns {
        let mut out = String::with_capacity(text.len() + columns - wide);
        out.push_str(text);
        out.extend(std::iter::repeat_n(' ', columns - wide));
        return out;
    }
    let room = columns.saturating_sub(width(ellipsis));
    let (mut out, mut used) = (String::with_capacity(columns), 0);
    for cluster in clusters(text) {
        if used + cluster.cells > room {
            break;
        }
        out.push_str(&cluster.text);
        used += cluster.cells;
    }
    if columns >= width(ellipsis) {
        out.push_str(ellipsis);
        used += width(ellipsis);
    }
    out.extend(std::iter::repeat_n(' ', columns.saturating_sub(used)));
    out
}

/// A path in exactly `columns` cells. A long one is cut in the middle, so that its last name stays visible.
pub fn fit_path(path: &str, columns: usize, ellipsis: &str) -> String {
    if width(path) <= columns {
        return fit(path, columns, ellipsis);
    }
    let room = columns.saturating_sub(width(ellipsis));
    let name = path.trim_end_matches('/').rfind('/').map_or(path, |slash| &path[slash..]);
    let room = width(name).max(room * 2 / 3).min(room);
    let (mut from, mut used) = (0, 0);
    let clusters: Vec<_> = clusters(path).collect();
    for (at, cluster) in clusters.iter().enumerate().rev() {
        if used + cluster.cells > room {
            break;
        }
        (from, used) = (at, used + cluster.cells);
    }
    let end: String = clusters[from..].iter().map(|cluster| cluster.text.as_ref()).collect();
    let start = fit(path, columns - used, ellipsis);
    fit(&format!("{}{end}", start.trim_end()), columns, ellipsis)
}

pub fn styled(text: &str, columns: usize, style: Style) -> Vec<Line<'static>> {
    wrap(text, columns).into_iter().map(|line| Line::styled(line, style)).collect()
}

/// Breaks text into lines of at most `columns` at spaces. A word is broken only if it is longer than a line.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    // The line, and the end and the cells of its last word.
    let (mut line, mut end, mut used) = (String::new(), 0, 0);
    // The first line keeps its indent. No other line begins with a space.
    for word in text.split_inclusive(' ') {
        line.push_str(word);
        if word.trim_end().is_empty() {
            continue;
        }
        // Measured with the spaces before it: a mark at the start of a word joins them.
        used += width(line[end..].trim_end());
        if used > columns {
            line.truncate(end);
            lines.extend(Some(std::mem::take(&mut line)).filter(|line| !line.is_empty()));
            used = width(word.trim_end());
            if used <= columns {
                line.push_str(word);
            } else {
                used = 0;
                for cluster in clusters(word) {
                    if used + cluster.cells > columns && !line.is_empty() {
                        lines.push(std::mem::take(&mut line).trim_end().to_owned());
                        used = 0;
                    }
                    line.push_str(&cluster.text);
                    used += cluster.cells;
                }
                used = width(line.trim_end());
            }
        }
        end = line.trim_end().len();
    }
    line.truncate(end);
    lines.extend(Some(line).filter(|line| !line.is_empty()));
    lines
}

/// Joins pieces into lines of at most `room` columns. Only a piece that is longer than a line is wrapped.
pub fn packed(all: &[String], between: &str, room: usize, style: Style) -> Vec<Line<'static>> {
    pieces(all, between, room).iter().flat_map(|line| styled(line, room, style)).collect()
}

/// Joins pieces into texts of at most `room` columns, except for a piece that is longer.
pub fn pieces(all: &[String], between: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in all.iter().filter(|piece| !piece.is_empty()) {
        match lines.last_mut() {
            Some(line) if width(line) + width(between) + width(piece) <= room => {
                line.push_str(between);
                line.push_str(piece);
            }
            _ => lines.push(piece.clone()),
        }
    }
    lines
}

/// Translates labels and pads them to the width of the widest one. The caller marks them for translation.
pub fn aligned<const N: usize>(labels: [&'static str; N]) -> [String; N] {
    let said = labels.map(i18n::tr);
    let wide = said.iter().map(|label| width(label)).max().unwrap_or(0);
    said.map(|label| fit(label, wide, ""))
}

#[derive(Clone, Copy, Debug)]
pub struct ColumnLayout {
    pub min_width: usize,
    /// Share of the remaining width.
    pub weight: usize,
    /// Drop priority if there is not enough room: the highest number is dropped first, 0 never.
    pub drop_order: u8,
}

impl ColumnLayout {
    /// Widened for the translated title, which may be longer in another language.
    pub fn titled(self, title: &str) -> Self {
        Self { min_width: self.min_width.max(width(title)), ..self }
    }
}

/// The widths of the columns in `room`, with one column between them; 0 for a dropped column.
pub fn layout(columns: &[ColumnLayout], room: usize) -> Vec<usize> {
    let mut shown: Vec<bool> = vec![true; columns.len()];
    let need = |shown: &[bool]| -> usize {
        let kept = columns.iter().zip(shown).filter(|(_, s)| **s);
        let count = kept.clone().count();
        kept.map(|(c, _)| c.min_width).sum::<usize>() + count.saturating_sub(1)
    };
    while need(&shown) > room {
        let next = columns
            .iter()
            .enumerate()
            .filter(|(i, c)| shown[*i] && c.drop_order > 0)
            .max_by_key(|(_, c)| c.drop_order);
        match next {
            Some((i, _)) => shown[i] = false,
            None => break,
        }
    }
    let spare = room.saturating_sub(need(&shown));
    let shares: usize = columns.iter().zip(&shown).filter(|(_, s)| **s).map(|(c, _)| c.weight).sum();
    let mut left = spare;
    let mut widths: Vec<usize> = columns
        .iter()
        .zip(&shown)
        .map(|(c, s)| {
            if !s {
                return 0;
            }
            let extra = (spare * c.weight).checked_div(shares).unwrap_or(0);
            left -= extra.min(left);
            c.min_width + extra
        })
        .collect();
    if shares > 0
        && let Some(i) = columns.iter().zip(&shown).position(|(c, s)| *s && c.weight > 0)
    {
        widths[i] += left;
    }
    widths
}

/// A row of cells in these widths, one column apart, as spans.
pub fn cells(cells: &[(String, Style)], widths: &[usize], ellipsis: &str) -> Vec<Span<'static>> {
    let mut spans = Vec::with_capacity(cells.len() * 2);
    for ((text, style), columns) in cells.iter().zip(widths) {
        if *columns == 0 {
            continue;
        }
        if !spans.is_empty() {
            spans.push(Span::raw(" "));
        }
        spans.push(Span::styled(fit(text, *columns, ellipsis), *style));
    }
    spans
}

pub fn line_of_cells(
    indent: &'static str,
    row: &[(String, Style)],
    widths: &[usize],
    ellipsis: &str,
) -> Line<'static> {
    let mut line = Line::raw(indent);
    line.extend(cells(row, widths, ellipsis));
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::platform::cells::tests::difficult_text;
    use proptest::prelude::*;

    #[test]
    fn labels_are_padded_by_what_they_take_on_the_screen() {
        assert_eq!(aligned(["Name", "E-mail", "수령인"]), ["Name  ", "E-mail", "수령인"]);
        assert_eq!(aligned(["이름", "a"]), ["이름", "a   "]);
    }

    #[test]
    fn wide_characters_are_never_cut_in_half() {
        assert_eq!(fit("한서윤", 6, "…"), "한서윤");
        assert_eq!(fit("한서윤", 5, "…"), "한서…");
        assert_eq!(fit("한서윤", 4, "…"), "한… ");
        assert_eq!(fit("ab", 4, "…"), "ab  ");
        assert_eq!(fit("abc", 0, "…"), "");
        // The width is the number of reserved cells.
        assert_eq!(fit("காவ்யா", 6, "…"), "காவ்யா ");
        assert_eq!(fit("காவ்யா", 4, "…"), "காவ்…");
        assert_eq!(fit("👩\u{200d}👧🇰🇷", 3, "…"), "👩…");
    }

    #[test]
    fn a_long_path_keeps_its_last_name() {
        assert_eq!(fit_path("/home/a.csv", 12, "…"), "/home/a.csv ");
        assert_eq!(fit_path("/home/someone/files/a.csv", 14, "…"), "/home…es/a.csv");
        assert_eq!(fit_path("/home/someone/수료자명단.xlsx", 20, "…"), "/ho…/수료자명단.xlsx");
        assert_eq!(fit_path("/home/someone/files/", 12, "…"), "/hom…/files/");
        assert_eq!(fit_path("/home/a-name-that-is-too-long.csv", 10, "…"), "…-long.csv");
    }

    #[test]
    fn columns_go_when_there_is_no_room() {
        let columns = [
            ColumnLayout { min_width: 10, weight: 0, drop_order: 0 },
            ColumnLayout { min_width: 10, weight: 1, drop_order: 1 },
            ColumnLayout { min_width: 10, weight: 0, drop_order: 2 },
        ];
        assert_eq!(layout(&columns, 40), [10, 18, 10]);
        assert_eq!(layout(&columns, 31), [10, 20, 0]);
        assert_eq!(layout(&columns, 12), [10, 0, 0]);
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(number(7), "7");
        assert_eq!(number(4312), "4,312");
        assert_eq!(number(1_000_000), "1,000,000");
    }

    #[test]
    fn text_wraps_at_spaces_and_inside_long_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a service.", 9), ["a", "service."]);
        assert_eq!(wrap("  indented text", 10), ["  indented", "text"]);
        assert_eq!(wrap("디지털리터러시", 6), ["디지털", "리터러", "시"]);
        assert_eq!(wrap("நந்தினி", 4), ["நந்தி", "னி"]);
        assert!(wrap("", 5).is_empty());
        // Each space is measured once.
        assert_eq!(wrap(&format!("a{}b", " ".repeat(200_000)), 7), ["a", "b"]);
        // A skin tone after a space is one cluster with it.
        assert!(wrap("aa0a 🏽🏽", 7).iter().all(|line| width(line) <= 7));
    }

    proptest! {
        #[test]
        fn fitted_text_has_its_width(s in difficult_text(), columns in 0usize..30) {
            let shown = crate::domain::text::scrub(&s).into_owned();
            let fitted = fit(&shown, columns, "…");
            prop_assert_eq!(width(&fitted), columns);
            prop_assert_eq!(width(&fit_path(&shown, columns, "…")), columns);
        }

        #[test]
        fn wrapped_lines_fit(s in "[a-z가-힣 ]{0,80}", difficult in difficult_text(), columns in 6usize..30) {
            let difficult = crate::domain::text::scrub(&difficult).into_owned();
            for line in wrap(&s, columns).into_iter().chain(wrap(&difficult, columns)) {
                prop_assert!(width(&line) <= columns, "{line}");
            }
        }
    }
}
