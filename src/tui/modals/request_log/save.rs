//! The request log as text, for a file and for the pager.

use crate::api::LogEntry;
use crate::tui::connection::Client;
use crate::tui::platform::pager::PagerText;
use crate::tui::prelude::*;
use std::fmt::Write;

pub fn whole(entries: &[LogEntry], cx: &UiContext) -> String {
    text(entries, &origin(cx), Timestamp::now())
}

fn origin(cx: &UiContext) -> String {
    cx.client().map(Client::origin).unwrap_or_default()
}

/// The log for the pager: what the search finds, in columns.
pub fn page(entries: &[&LogEntry], cx: &UiContext) -> PagerText {
    let text = text(entries.iter().copied(), &origin(cx), Timestamp::now());
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    let widest =
        |n: usize| rows.iter().filter_map(|row| row.get(n)).map(|cell| width(cell)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows.first().map_or(0, Vec::len)).map(widest).collect();
    let aligned = rows.iter().map(|row| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, most)| fit(cell, *most, "")).collect();
        cells.join("  ").trim_end().to_owned()
    });
    let head = text.lines().next().unwrap_or_default().to_owned();
    let lines: Vec<String> = [head, String::new()].into_iter().chain(aligned).collect();
    PagerText::new(lines.iter().map(String::as_str))
}

/// The log as tab-separated text. No value has a tab or line break, because each is scrubbed or lapel's own.
fn text<'a>(entries: impl IntoIterator<Item = &'a LogEntry>, origin: &str, now: Timestamp) -> String {
    let mut text = format!(
        "# lapel {}, requests to {origin} until {now}, the newest first; without the key, names and addresses masked\n",
        env!("CARGO_PKG_VERSION")
    );
    text.push_str("no\tsent\tmethod\tpath\tquery\tstatus\tcode\toutcome\tattempt\twaited_ms\ttook_ms\tbytes\tused\tlimit\n");
    for e in entries {
        let number = |n: Option<u64>| n.map_or_else(String::new, |n| n.to_string());
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            e.no,
            e.started_at,
            e.method,
            e.path,
            e.query,
            number(e.status.map(u64::from)),
            e.code.as_ref().map_or_else(String::new, ToString::to_string),
            e.outcome,
            e.attempt,
            e.waited.as_millis(),
            e.duration.as_millis(),
            number(e.bytes),
            e.used,
            e.limit,
        );
    }
    text
}
