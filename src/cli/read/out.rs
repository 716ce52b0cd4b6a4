//! Rows on standard output: a table, CSV, JSON Lines, or one line of JSON.

use super::flags::OutFlags;
use super::table::TextTable;
use crate::cli::prelude::*;
use crate::config::GlyphChoice;
use crate::export::ExportRow;
use crate::table::CsvStream;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

/// Each row is written whole, so that the output never ends in half a line.
pub(super) enum ListOutput {
    Table(TextTable, BufWriter<Stdout>),
    Csv(Box<CsvStream<Stdout>>),
    Lines(BufWriter<Stdout>),
    /// Held back until the summary is known.
    Json(Vec<Value>),
}

impl ListOutput {
    /// `names` are the columns, `first` the most important ones.
    pub fn new(
        flags: &OutFlags,
        names: Vec<String>,
        first: &[&str],
        glyphs: GlyphChoice,
    ) -> io::Result<Self> {
        let out = io::stdout();
        Ok(if flags.json {
            Self::Json(Vec::new())
        } else if flags.jsonl {
            Self::Lines(BufWriter::new(out))
        } else if flags.csv {
            Self::Csv(Box::new(CsvStream::new(out, &names)?))
        } else {
            let room = out.is_terminal().then(columns);
            Self::Table(TextTable::new(names, first, room, glyphs), BufWriter::new(out))
        })
    }

    /// The user sees the rows arrive, so no progress bar is needed.
    pub fn is_seen(&self) -> bool {
        !matches!(self, Self::Json(_)) && io::stdout().is_terminal()
    }

    pub fn rows(&mut self, rows: Vec<ExportRow>) -> io::Result<()> {
        match self {
            Self::Table(table, out) => {
                table.rows(&rows, out)?;
                out.flush()
            }
            Self::Csv(out) => {
                // A file keeps what harms nobody; in a terminal, a cell with a line break would look like another row.
                let is_terminal = io::stdout().is_terminal();
                for row in rows {
                    let cells = row.cells.into_iter();
                    let cells = if is_terminal {
                        cells.map(|cell| scrub(&cell).into_owned()).collect()
                    } else {
                        cells.collect::<Vec<_>>()
                    };
                    out.row(&cells)?;
                }
                out.flush()
            }
            Self::Lines(out) => {
                for row in &rows {
                    writeln!(out, "{}", json::line(&row.json))?;
                }
                out.flush()
            }
            Self::Json(all) => {
                all.extend(rows.into_iter().map(|row| row.json));
                Ok(())
            }
        }
    }

    /// Returns a remark for the user, and the rows that were held back.
    pub fn finish(self) -> io::Result<(Option<String>, Vec<Value>)> {
        let (mut remark, mut held) = (None, Vec::new());
        match self {
            Self::Table(mut table, mut out) => {
                let (shown, all) = (table.finish(&mut out)?, table.columns());
                out.flush()?;
                remark = shown.map(|n| {
                    t!(
                        "{n} of {all} columns fit this terminal. For all, use --csv, --json or --xlsx.",
                        n,
                        all
                    )
                });
            }
            Self::Csv(mut out) => out.flush()?,
            Self::Lines(mut out) => out.flush()?,
            Self::Json(rows) => held = rows,
        }
        Ok((remark, held))
    }
}

fn columns() -> usize {
    crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns).max(1))
}
