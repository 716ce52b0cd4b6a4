//! Rows as a table for users: cut to the terminal's width, each state with a sign and a word.

use crate::cli::job_text::{align, cut, padded};
use crate::cli::prelude::*;
use crate::config::GlyphChoice;
use crate::domain::State;
use crate::export::ExportRow;
use std::io::{self, Write};

/// Rows that determine the column widths.
const SAMPLE: usize = 200;
/// A column gets at most this many cells before less important columns get any.
const ENOUGH: usize = 20;
const GAP: usize = 2;
const STATE: &str = "status_name";

pub(super) struct TextTable {
    names: Vec<String>,
    /// Column indices, most important first.
    order: Vec<usize>,
    /// Width in cells. `None` when the output is no terminal; nothing is cut then.
    room: Option<usize>,
    glyphs: GlyphChoice,
    /// The first rows, until `SAMPLE` of them determine the widths.
    sample: Vec<Vec<String>>,
    /// The index and the width in cells of each visible column.
    widths: Option<Vec<(usize, usize)>>,
}

impl TextTable {
    /// `first` names the most important columns, most important first.
    pub fn new(names: Vec<String>, first: &[&str], room: Option<usize>, glyphs: GlyphChoice) -> Self {
        let mut order: Vec<usize> =
            first.iter().filter_map(|name| names.iter().position(|known| known == name)).collect();
        order.extend((0..names.len()).filter(|at| !order.contains(at)).collect::<Vec<_>>());
        Self { names, order, room, glyphs, sample: Vec::new(), widths: None }
    }

    pub fn rows(&mut self, rows: &[ExportRow], to: &mut impl Write) -> io::Result<()> {
        for row in rows {
            let cells = self.cells(row);
            if self.widths.is_some() {
                self.line(&cells, to)?;
                continue;
            }
            self.sample.push(cells);
            if self.sample.len() >= SAMPLE {
                self.begin(to)?;
            }
        }
        Ok(())
    }

    /// Returns the number of visible columns when some are hidden.
    pub fn finish(&mut self, to: &mut impl Write) -> io::Result<Option<usize>> {
        if self.widths.is_none() && !self.sample.is_empty() {
            self.begin(to)?;
        }
        let shown = self.widths.as_ref().map_or(self.names.len(), Vec::len);
        Ok((shown < self.names.len()).then_some(shown))
    }

    pub fn columns(&self) -> usize {
        self.names.len()
    }

    fn cells(&self, row: &ExportRow) -> Vec<String> {
        let cell = |(name, cell): (&String, &String)| match &row.state {
            Some(state) if name == STATE => {
                format!("{} {}", sign(state, self.glyphs), scrub(state.word().wire()))
            }
            _ => scrub(cell).into_owned(),
        };
        self.names.iter().zip(&row.cells).map(cell).collect()
    }

    fn begin(&mut self, to: &mut impl Write) -> io::Result<()> {
        let names: Vec<String> = self.names.iter().map(|name| scrub(name).into_owned()).collect();
        let natural = |at: usize| {
            let cells = self.sample.iter().filter_map(|row| row.get(at));
            cells.chain(names.get(at)).map(|cell| cell.width()).max().unwrap_or(0)
        };
        let natural: Vec<usize> = (0..names.len()).map(natural).collect();
        // Columns without any value come last: the others need the width more.
        let is_empty = |at: &usize| self.sample.iter().all(|row| row.get(*at).is_none_or(String::is_empty));
        self.order.sort_by_cached_key(is_empty);
        self.widths = Some(layout(&natural, &self.order, self.room));
        self.line(&names, to)?;
        for row in std::mem::take(&mut self.sample) {
            self.line(&row, to)?;
        }
        Ok(())
    }

    fn line(&self, cells: &[String], to: &mut impl Write) -> io::Result<()> {
        let mut line = String::new();
        for (at, width) in self.widths.iter().flatten() {
            let cell = cells.get(*at).map_or("", String::as_str);
            let cell =
                if self.room.is_some() { cut(cell, *width, ellipsis(self.glyphs)) } else { cell.to_owned() };
            line.push_str(&padded(&cell, width + GAP));
        }
        writeln!(to, "{}", line.trim_end())
    }
}

pub(super) fn one(names: &[String], row: &ExportRow, glyphs: GlyphChoice) -> Vec<String> {
    let lines: Vec<Vec<String>> = names
        .iter()
        .zip(&row.cells)
        .map(|(name, cell)| {
            let cell = scrub(cell).into_owned();
            let cell = match &row.state {
                // Where the service's word differs from lapel's, show both.
                Some(state) if name == STATE => {
                    let word = state.word().to_string();
                    let own =
                        if cell == word || cell.is_empty() { String::new() } else { format!(" ({cell})") };
                    format!("{} {word}{own}", sign(state, glyphs))
                }
                _ => cell,
            };
            vec![scrub(name).into_owned(), cell]
        })
        .collect();
    align(&lines)
}

/// Never cuts the most important column: half an id is useless.
fn layout(natural: &[usize], order: &[usize], room: Option<usize>) -> Vec<(usize, usize)> {
    let wide = |at: usize| natural.get(at).copied().unwrap_or(0);
    let Some(room) = room else { return (0..natural.len()).map(|at| (at, wide(at))).collect() };
    let mut shown: Vec<(usize, usize)> = Vec::new();
    let mut used = 0;
    for at in order {
        let least = if shown.is_empty() { wide(*at) } else { wide(*at).min(ENOUGH) };
        let gap = if shown.is_empty() { 0 } else { GAP };
        if !shown.is_empty() && used + gap + least > room {
            continue;
        }
        used += gap + least;
        shown.push((*at, least));
    }
    // The remaining width goes to the shortened columns, most important first.
    let mut spare = room.saturating_sub(used);
    for (at, width) in &mut shown {
        let more = wide(*at).saturating_sub(*width).min(spare);
        *width += more;
        spare -= more;
    }
    shown.sort_unstable();
    shown
}

fn ellipsis(glyphs: GlyphChoice) -> &'static str {
    if glyphs == GlyphChoice::Ascii { "~" } else { "…" }
}

/// The sign of a state, as in the TUI.
fn sign(state: &State, glyphs: GlyphChoice) -> &'static str {
    let (unicode, ascii) = match state {
        State::Waiting => ("◌", "o"),
        State::Issued => ("●", "*"),
        State::Revoking => ("◍", "~"),
        State::Revoked => ("✕", "x"),
        State::Expired => ("◔", "%"),
        State::Other(_) => ("?", "?"),
    };
    if glyphs == GlyphChoice::Ascii { ascii } else { unicode }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn the_signs_are_those_of_the_app() {
        use crate::tui::Glyphs;
        let states = [
            State::Waiting,
            State::Issued,
            State::Revoking,
            State::Revoked,
            State::Expired,
            State::Other("발급보류".into()),
        ];
        for choice in [GlyphChoice::Unicode, GlyphChoice::Ascii] {
            for state in &states {
                assert_eq!(sign(state, choice), Glyphs::of(choice).state(state));
            }
        }
    }

    fn shown(
        names: &[&str],
        first: &[&str],
        room: Option<usize>,
        rows: &[&[&str]],
    ) -> (Vec<String>, Option<usize>) {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut table = TextTable::new(names, first, room, GlyphChoice::Unicode);
        let mut out = Vec::new();
        let rows: Vec<ExportRow> = rows
            .iter()
            .map(|cells| ExportRow {
                id: String::new(),
                cells: cells.iter().map(|cell| (*cell).to_owned()).collect(),
                json: Value::Null,
                state: Some(State::Issued),
            })
            .collect();
        table.rows(&rows, &mut out).expect("written");
        let hidden = table.finish(&mut out).expect("written");
        (String::from_utf8(out).expect("text").lines().map(str::to_owned).collect(), hidden)
    }

    const NAMES: [&str; 4] = ["badge_id", "title", "recipient_name", "status_name"];
    const ROWS: [&[&str]; 2] = [
        &["1000042", "데이터 시각화 역량 인증", "한서윤", "발급완료"],
        &["1000043", "Python\u{1b}[31m", "Lea O'Connor-Kim", "발급완료"],
    ];

    #[test]
    fn hangul_takes_two_cells_and_nothing_is_cut_where_there_is_no_terminal() {
        let (lines, hidden) = shown(&NAMES, &[], None, &ROWS);
        assert_eq!(hidden, None);
        assert_eq!(
            lines,
            [
                "badge_id  title                    recipient_name    status_name",
                "1000042   데이터 시각화 역량 인증  한서윤            ● Issued",
                "1000043   Python␛[31m              Lea O'Connor-Kim  ● Issued",
            ]
        );
    }

    #[test]
    fn on_a_terminal_the_important_columns_stay_and_the_id_is_whole() {
        let first = ["badge_id", "status_name", "recipient_name", "title"];
        let (lines, hidden) = shown(&NAMES, &first, Some(40), &ROWS);
        assert_eq!(hidden, Some(3));
        assert_eq!(lines[2], "1000043   Lea O'Connor-Kim  ● Issued", "{lines:#?}");
        let (lines, hidden) = shown(&NAMES, &first, Some(61), &ROWS);
        assert_eq!(hidden, None);
        assert_eq!(lines[1], "1000042   데이터 시각화 역량 …  한서윤            ● Issued", "{lines:#?}");
    }

    #[test]
    fn an_empty_table_is_nothing() {
        assert_eq!(shown(&NAMES, &[], None, &[]), (Vec::new(), None));
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_terminal(
            natural in proptest::collection::vec(0_usize..90, 1..20),
            room in 1_usize..160,
        ) {
            let order: Vec<usize> = (0..natural.len()).rev().collect();
            let shown = layout(&natural, &order, Some(room));
            let width: usize = shown.iter().map(|(_, width)| width).sum::<usize>() + GAP * (shown.len() - 1);
            prop_assert!(width <= room || shown.len() == 1);
        }
    }
}
