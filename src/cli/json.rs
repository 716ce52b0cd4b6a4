//! Jobs and rows as JSON. Scripts rely on the fields: they may be added, never renamed.
//!
//! Values are unscrubbed, for other programs. JSON escapes keep control and invisible characters.

use crate::cli::prelude::*;
use crate::domain::{BadgeId, TemplateId, Text};
use crate::jobs::{JobRow, Phase, Reason};
pub(super) use crate::table::json_line as line;

pub(super) fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

pub(super) fn jobs<'j>(all: impl IntoIterator<Item = &'j Job>) -> Value {
    all.into_iter().map(|one| Value::Object(job(one))).collect()
}

pub(super) fn job(job: &Job) -> Map<String, Value> {
    // Without statuses that no row has.
    let counts: Map<_, _> =
        job.counts.iter().map(|(status, n)| (status.code().to_owned(), n.into())).collect();
    let note = job.notes().next();
    let trouble = job.notes().find(|note| job.trouble.as_ref() == Some(note));
    let value = json!({
        "id": number(job),
        "kind": job.kind.code(),
        "phase": job.phase.code(),
        "stop": job.stop.as_ref().map(|s| json!({ "kind": s.kind.code(), "why": s.why.english(), "why_code": s.why.code().name() })),
        "title": job.title.wire(),
        "template_id": job.template_id.as_ref().map(TemplateId::wire),
        "profile": job.profile,
        "created": job.created.to_string(),
        "updated": job.updated.to_string(),
        "origin": job.origin.as_ref().map(|o| json!({
            "name": o.name().to_string(),
            "sha256": o.sha256,
            "columns": o.columns.iter().map(Text::wire).collect::<Vec<_>>(),
            "read_as": o.read_as.english(),
        })),
        "rows": job.counts.total(),
        "counts": counts,
        "open": job.is_unfinished(),
        "can_resume": job.can_resume(),
        "accepted_count": job.accepted.map(|count| count.accepted),
        "accepted_of": job.accepted.map(|count| count.sent),
        "in_flight": job.in_flight,
        "next_look": time(job.next_poll),
        // A job that another journal gave has no time of its own, and is checked again.
        "guarded": time(job.checked.filter(|at| *at > Timestamp::UNIX_EPOCH)),
        "follows": job.follows.map(|id| id.0),
        "owner": job.owner.as_ref().map(|o| o.label.english()),
        "owner_alive": job.owner.as_ref().map(|o| o.is_alive),
        "begun_by": job.begun.as_ref().map(|begun| begun.who.to_string()),
        "note": note.map(Reason::english),
        "note_code": note.map(|note| note.code().name()),
        "trouble": trouble.map(Reason::english),
        "trouble_code": trouble.map(|trouble| trouble.code().name()),
        "late_answers": job.late_answers.iter().map(Reason::in_late_answer)
            .map(|said| json!({ "why": said.english(), "why_code": said.code().name() }))
            .collect::<Vec<_>>(),
    });
    fields(value)
}

/// The number of a draft is not permanent, so it has none.
fn number(job: &Job) -> Option<i64> {
    (job.phase != Phase::Draft).then_some(job.id.0)
}

pub(super) fn row(job: &Job, row: &JobRow) -> Value {
    let text = |t: &Option<Text>| t.as_ref().map(|t| t.wire().to_owned());
    let why = row.kept_reason();
    json!({
        "job": number(job),
        "template_id": job.template_id.as_ref().map(TemplateId::wire),
        "row": row.no,
        "row_number": row.number(),
        "line": row.line,
        "name": row.holder.wire(),
        "email": row.address.wire(),
        "title": text(&row.title),
        "badge_id": row.badge_id.as_ref().map(BadgeId::wire),
        "bucket": row.row_status.code(),
        "why": why.as_ref().map(Reason::english),
        "why_code": why.as_ref().map(|why| why.code().name()),
        "class": row.class.map(crate::jobs::DuplicateKind::code),
        "accepted": time(row.accepted),
        "looked_for_until": time(row.until),
        "status": text(&row.status),
        "mail_status": text(&row.mail_status),
        "issued_at": text(&row.issued_at),
        "valid_until": text(&row.valid_until),
        "revoke_at": text(&row.revoke_at),
    })
}

pub(super) fn time(at: Option<Timestamp>) -> Option<String> {
    at.map(|at| at.to_string())
}
