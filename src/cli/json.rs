//! Jobs and rows as JSON. The shapes are part of what scripts rely on: fields are added, never renamed.
//!
//! Values are as they are, not as they are shown: an id or a name goes on into other programs. What a
//! terminal would obey, or draw as nothing, is written as an escape, which is the same value to a reader.

use crate::domain::text::is_invisible;
use crate::domain::{BadgeId, TemplateId, Text};
use crate::jobs::{Counts, Job, JobRow, Phase};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// One line of JSON that a terminal can be shown.
pub(super) fn line(value: &Value) -> String {
    let raw = value.to_string();
    let harmless = |c: char| !c.is_control() && !is_invisible(c) && !matches!(c, '\u{2028}' | '\u{2029}');
    if raw.chars().all(harmless) {
        return raw;
    }
    let mut out = String::with_capacity(raw.len() + 16);
    for c in raw.chars() {
        if harmless(c) {
            out.push(c);
        } else {
            // Outside of its texts, this JSON has no such characters.
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

/// A job, without its rows.
pub(super) fn job(job: &Job) -> Map<String, Value> {
    let value = json!({
        "id": number(job),
        "kind": job.kind.code(),
        "phase": job.phase.code(),
        "stop": job.stop.as_ref().map(|s| json!({ "kind": s.kind.code(), "why": s.why.wire() })),
        "title": job.title.wire(),
        "template_id": job.template_id.as_ref().map(TemplateId::wire),
        "profile": job.profile,
        "created": job.created.to_string(),
        "origin": job.origin.as_ref().map(|o| json!({
            "name": o.name.wire(),
            "sha256": o.sha256,
            "columns": o.columns.iter().map(Text::wire).collect::<Vec<_>>(),
            "read_as": o.read_as,
        })),
        "rows": job.counts.total(),
        "counts": counts(&job.counts),
        "open": job.is_open(),
        "can_resume": job.can_resume(),
        "in_flight": job.in_flight,
        "next_look": time(job.next_look),
        "guarded": time(job.guarded),
        "follows": job.follows.map(|id| id.0),
        "owner": job.owner.as_ref().map(|o| o.label.clone()),
        "note": job.note.as_ref().map(Text::wire),
    });
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// A job's number. A draft has none that lasts.
fn number(job: &Job) -> Option<i64> {
    (job.phase != Phase::Draft).then_some(job.id.0)
}

/// How many rows are in each bucket that has any.
pub(super) fn counts(counts: &Counts) -> Value {
    counts.iter().map(|(bucket, n)| (bucket.code().to_owned(), n.into())).collect::<Map<_, _>>().into()
}

/// A row of a job.
pub(super) fn row(job: &Job, row: &JobRow) -> Value {
    let text = |t: &Option<Text>| t.as_ref().map(|t| t.wire().to_owned());
    json!({
        "job": number(job),
        "template_id": job.template_id.as_ref().map(TemplateId::wire),
        "row": row.no,
        "line": row.line,
        "name": row.holder.wire(),
        "email": row.address.wire(),
        "title": text(&row.title),
        "badge_id": row.badge_id.as_ref().map(BadgeId::wire),
        "bucket": row.bucket.code(),
        "why": text(&row.why),
        "class": row.class.map(crate::jobs::Class::code),
        "accepted": time(row.accepted),
        "looked_for_until": time(row.until),
        "status": text(&row.status),
        "mail_status": text(&row.mail_status),
        "issued_at": text(&row.issued_at),
        "valid_until": text(&row.valid_until),
        "revoke_at": text(&row.revoke_at),
    })
}

/// A moment in UTC.
pub(super) fn time(at: Option<Timestamp>) -> Option<String> {
    at.map(|at| at.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_nothing_and_a_reader_loses_nothing() {
        let nasty = "a\u{1b}[2J\u{9b}31m\u{202e}b\u{200b}\u{e0041}한글\u{2028}\n\"\\";
        let said = line(&json!({ nasty: nasty }));
        assert!(said.chars().all(|c| !c.is_control() && !is_invisible(c)), "{said}");
        assert!(
            said.contains("한글") && said.contains("\\u001b") && said.contains("\\udb40\\udc41"),
            "{said}"
        );
        let back: Value = serde_json::from_str(&said).expect("JSON");
        assert_eq!(back, json!({ nasty: nasty }));
    }
}
