//! The columns of a job's rows.

use crate::domain::Text;
use crate::jobs::{DuplicateKind, JobRow, RowField};
use crate::tui::context::Env;
use crate::tui::widgets::job_rows::{bucket_glyph, bucket_style, moment};
use crate::tui::widgets::table_header::{Head, Heading, Table};
use crate::tui::widgets::text_layout::{Column, number};
use ratatui::style::Style;

/// The column of badge ids, which are unknown before issuing.
const BADGE_IDS: usize = 4;

const HEADS: &[Head] = &[
    head(tr_noop!("Row"), "row", 6, 0, 0),
    head(tr_noop!("State"), "state", 15, 1, 0),
    head(tr_noop!("Holder"), "recipient_name", 9, 2, 0),
    head(tr_noop!("E-mail"), "recipient_email", 16, 3, 0),
    head(tr_noop!("Badge id"), "badge_id", 11, 1, 3),
    head(tr_noop!("Why"), "why", 12, 5, 1),
    head(tr_noop!("Position in job"), "no", 6, 0, 4),
    head(tr_noop!("Badge"), "title", 14, 2, 4),
    head(tr_noop!("Duplicate check"), "class", 14, 1, 4),
    head(tr_noop!("Accepted at"), "accepted", 11, 0, 4),
    head(tr_noop!("Service state"), "status_name", 10, 0, 4),
    head(tr_noop!("Mail"), "email_status", 5, 1, 4),
    head(tr_noop!("Issued at"), "issued_at", 16, 0, 4),
    head(tr_noop!("Valid until"), "valid_until", 16, 0, 4),
    head(tr_noop!("Revoked at"), "revoke_at", 16, 0, 4),
];

/// The journal's sort field of each column.
const FIELDS: [RowField; HEADS.len()] = [
    RowField::Line,
    RowField::RowStatus,
    RowField::Holder,
    RowField::Address,
    RowField::Badge,
    RowField::Why,
    RowField::No,
    RowField::Title,
    RowField::Class,
    RowField::Accepted,
    RowField::Status,
    RowField::Mail,
    RowField::IssuedAt,
    RowField::ValidUntil,
    RowField::RevokeAt,
];

const fn head(title: &'static str, sort_by: &'static str, least: usize, share: usize, goes: u8) -> Head {
    Head { title, column: Column { least, share, goes }, sort_by }
}

pub fn heading() -> Heading {
    Heading::new(Table { heads: HEADS, usual: 6, right: &[0, 6], own_order: tr_noop!("the job's own order") })
}

/// The sort field, and whether the largest value comes first.
pub(super) fn order(heading: &Heading) -> Option<(RowField, bool)> {
    let (field, down) = heading.sorted_by()?;
    let at = HEADS.iter().position(|head| head.sort_by == field)?;
    Some((FIELDS[at], down))
}

/// The columns for this room, with or without badge ids.
pub(super) fn own(ids: bool, room: usize) -> Vec<Column> {
    let mut own: Vec<Column> = HEADS.iter().map(|head| head.column).collect();
    if !ids {
        // A column that is wider than the room is always dropped.
        own[BADGE_IDS] = Column { least: room + 1, share: 0, goes: u8::MAX };
    }
    own
}

/// The cells of a row; `words` describes its status.
pub(super) fn cells(row: &JobRow, env: &Env, words: &dyn Fn(&JobRow) -> String) -> Vec<(String, Style)> {
    let (plain, dim) = (env.theme.text(), env.theme.dim());
    let dash = || env.glyphs.dash.to_owned();
    let text = |text: Option<&Text>| text.map_or_else(dash, ToString::to_string);
    vec![
        (number(row.number()), dim),
        (format!("{} {}", bucket_glyph(row.bucket, env), words(row)), bucket_style(row.bucket, env)),
        (row.holder.to_string(), plain),
        (row.address.to_string(), plain),
        (row.badge_id.as_ref().map_or_else(dash, ToString::to_string), dim),
        (row.why.as_ref().map_or(String::new(), ToString::to_string), dim),
        (number(row.no), dim),
        (text(row.title.as_ref()), plain),
        (row.class.map_or_else(dash, |class| DuplicateKind::word(class).to_owned()), plain),
        (row.accepted.map_or_else(dash, |at| moment(at, env)), dim),
        (text(row.status.as_ref()), plain),
        (text(row.mail_status.as_ref()), dim),
        (text(row.issued_at.as_ref()), dim),
        (text(row.valid_until.as_ref()), dim),
        (text(row.revoke_at.as_ref()), dim),
    ]
}
