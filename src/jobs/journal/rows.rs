//! Rows as they stand in the journal.

use super::jobs::{bucket, moment};
use crate::domain::{BadgeId, EmailKey, TemplateId, Text};
use crate::jobs::guard::Class;
use crate::jobs::job::{Bucket, JobId, JobRow};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

/// What a new row begins with.
#[derive(Clone, Debug, Default)]
pub(in crate::jobs) struct NewRow {
    pub(in crate::jobs) line: Option<u64>,
    pub(in crate::jobs) cells: Vec<String>,
    pub(in crate::jobs) name: String,
    pub(in crate::jobs) email: String,
    pub(in crate::jobs) title: Option<String>,
    pub(in crate::jobs) badge: Option<BadgeId>,
    pub(in crate::jobs) bucket: Option<Bucket>,
    pub(in crate::jobs) why: Option<String>,
    pub(in crate::jobs) of: Option<(JobId, u64)>,
    pub(in crate::jobs) status: Option<String>,
}

/// Writes new rows down after those that are there.
pub(in crate::jobs) fn insert(db: &Connection, job: JobId, rows: &[NewRow]) -> rusqlite::Result<()> {
    let last: i64 =
        db.query_row("SELECT coalesce(max(no), 0) FROM row WHERE job = ?1", [job.0], |r| r.get(0))?;
    let mut insert = db.prepare_cached(
        "INSERT INTO row (job, no, line, cells, name, email, email_key, title, badge, bucket, why, of_job,
                          of_no, status)
         VALUES (:job, :no, :line, :cells, :name, :email, :key, :title, :badge, :bucket, :why, :of_job,
                 :of_no, :status)",
    )?;
    for (no, row) in (last + 1..).zip(rows) {
        let cells = (!row.cells.is_empty()).then(|| serde_json::to_string(&row.cells).unwrap_or_default());
        insert.execute(named_params! {
            ":job": job.0,
            ":no": no,
            ":line": row.line.map(|n| n as i64),
            ":cells": cells,
            ":name": row.name,
            ":email": row.email,
            ":key": EmailKey::of(&row.email).as_str(),
            ":title": row.title,
            ":badge": row.badge.as_ref().map(BadgeId::wire),
            ":bucket": row.bucket.unwrap_or(Bucket::Ready).code(),
            ":why": row.why,
            ":of_job": row.of.map(|(job, _)| job.0),
            ":of_no": row.of.map(|(_, no)| no as i64),
            ":status": row.status,
        })?;
    }
    Ok(())
}

/// A field of rows that they can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of a row")]
pub enum RowField {
    No,
    Line,
    Bucket,
    Holder,
    Address,
    Title,
    Badge,
    Why,
    Class,
    Accepted,
    Status,
    Mail,
    IssuedAt,
    ValidUntil,
    RevokeAt,
}

impl RowField {
    /// What the journal is asked to sort by. Letters count alike, large or small; buckets stand as they follow
    /// one another in a job's life.
    fn sql(self) -> String {
        match self {
            Self::No => "no".to_owned(),
            Self::Line => "coalesce(line, no)".to_owned(),
            Self::Bucket => {
                let places = Bucket::ALL.iter().zip(0..);
                let cases: Vec<String> =
                    places.map(|(bucket, n)| format!("WHEN '{}' THEN {n}", bucket.code())).collect();
                format!("CASE bucket {} END", cases.join(" "))
            }
            Self::Holder => "name COLLATE NOCASE".to_owned(),
            Self::Address => "email COLLATE NOCASE".to_owned(),
            Self::Title => "title COLLATE NOCASE".to_owned(),
            Self::Badge => "badge".to_owned(),
            Self::Why => "why COLLATE NOCASE".to_owned(),
            Self::Class => "class".to_owned(),
            Self::Accepted => "accepted".to_owned(),
            Self::Status => "status COLLATE NOCASE".to_owned(),
            Self::Mail => "mail COLLATE NOCASE".to_owned(),
            Self::IssuedAt => "issued_at".to_owned(),
            Self::ValidUntil => "valid_until".to_owned(),
            Self::RevokeAt => "revoke_at".to_owned(),
        }
    }
}

/// Which rows of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowFilter {
    /// Only those in one of these; all when it is empty.
    pub buckets: Vec<Bucket>,
    /// Only those of a class.
    pub class: Option<Class>,
    /// Only those after this place, in order.
    pub after: u64,
    /// So many of those are passed over: for a list that is gone through by place.
    pub skip: u64,
    /// What they are sorted by, and whether the largest comes first; by their places where it is nothing.
    pub order: Option<(RowField, bool)>,
}

/// Rows of a job in their order, at most `most`.
pub(in crate::jobs) fn page(
    db: &Connection,
    job: JobId,
    filter: &RowFilter,
    most: usize,
    doubt_window: i64,
) -> rusqlite::Result<Vec<JobRow>> {
    let codes: Vec<String> = filter.buckets.iter().map(|b| format!("'{}'", b.code())).collect();
    let chosen =
        if codes.is_empty() { String::new() } else { format!("AND bucket IN ({})", codes.join(",")) };
    // Places decide between equals, so that pages fit together.
    let sorted =
        filter.order.map(|(field, down)| format!("{} {},", field.sql(), if down { "DESC" } else { "ASC" }));
    let sorted = sorted.unwrap_or_default();
    let sql = format!(
        "SELECT row.*, (SELECT intent FROM request WHERE id = row.request) AS intent,
                (SELECT kind = 'issue' FROM job WHERE id = row.job) AS issues FROM row
         WHERE job = ?1 AND no > ?2 {chosen} AND (?3 IS NULL OR class = ?3)
         ORDER BY {sorted} no LIMIT ?4 OFFSET ?5"
    );
    db.prepare_cached(&sql)?
        .query_map(
            params![
                job.0,
                filter.after as i64,
                filter.class.map(Class::code),
                most as i64,
                filter.skip as i64
            ],
            |r| read(r, doubt_window),
        )?
        .collect()
}

/// A row of another job of the same template and address that was sent and may be, or become, a badge.
pub(in crate::jobs) fn sent_before(
    db: &Connection,
    account: &super::Account,
    template: &TemplateId,
    key: &EmailKey,
    doubt_window: i64,
) -> rusqlite::Result<Option<JobRow>> {
    db.prepare_cached(
        "SELECT row.*, (SELECT intent FROM request WHERE id = row.request) AS intent, 1 AS issues
         FROM row JOIN job ON job.id = row.job
         WHERE row.email_key = ?1 AND job.template = ?2 AND job.account = ?3 AND job.base_url = ?4
           AND job.kind = 'issue' AND job.phase <> 'draft' AND row.request IS NOT NULL
           AND row.bucket NOT IN ('not_done', 'left_out', 'revoked')
         ORDER BY row.job DESC, row.no DESC LIMIT 1",
    )?
    .query_row(params![key.as_str(), template.wire(), account.key, account.base_url], |r| {
        read(r, doubt_window)
    })
    .optional()
}

fn read(r: &Row<'_>, doubt_window: i64) -> rusqlite::Result<JobRow> {
    let text = |column: &str| -> rusqlite::Result<Option<Text>> {
        Ok(r.get::<_, Option<String>>(column)?.map(Text::new))
    };
    let bucket = bucket(r, "bucket")?;
    let cells: Vec<String> = r
        .get::<_, Option<String>>("cells")?
        .and_then(|raw| serde_json::from_str(&raw).ok())
        .unwrap_or_default();
    let intent: Option<i64> = r.get("intent")?;
    let looked_for =
        r.get("issues")? && matches!(bucket, Bucket::InDoubt | Bucket::Unbound | Bucket::NotSeen);
    Ok(JobRow {
        no: r.get::<_, i64>("no")?.unsigned_abs(),
        line: r.get::<_, Option<i64>>("line")?.map(i64::unsigned_abs),
        cells: cells.into_iter().map(Text::new).collect(),
        holder: text("name")?.unwrap_or_default(),
        address: text("email")?.unwrap_or_default(),
        title: text("title")?,
        badge_id: r.get::<_, Option<String>>("badge")?.and_then(BadgeId::new),
        bucket,
        why: text("why")?,
        was_sent: r.get::<_, Option<i64>>("request")?.is_some(),
        class: r.get::<_, Option<String>>("class")?.and_then(|c| Class::from_code(&c)),
        accepted: moment(r, "accepted")?,
        until: intent
            .filter(|_| looked_for)
            .and_then(|at| Timestamp::from_second(at.saturating_add(doubt_window)).ok()),
        status: text("status")?,
        mail_status: text("mail")?,
        issued_at: text("issued_at")?,
        valid_until: text("valid_until")?,
        revoke_at: text("revoke_at")?,
    })
}

/// Moves one row.
pub(in crate::jobs) fn set(
    db: &Connection,
    job: JobId,
    no: u64,
    bucket: Bucket,
    why: Option<&str>,
) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE row SET bucket = ?3, why = ?4 WHERE job = ?1 AND no = ?2")?
        .execute(params![job.0, no as i64, bucket.code(), why])?;
    Ok(())
}

/// Moves all rows of a job from one bucket to another, and says how many.
pub(in crate::jobs) fn move_all(
    db: &Connection,
    job: JobId,
    from: Bucket,
    to: Bucket,
    why: Option<&str>,
) -> rusqlite::Result<u64> {
    let moved = db
        .prepare_cached("UPDATE row SET bucket = ?3, why = ?4 WHERE job = ?1 AND bucket = ?2")?
        .execute(params![job.0, from.code(), to.code(), why])?;
    Ok(moved as u64)
}

/// Gives a row the badge that it is, unless another row of an issue job has it already.
pub(in crate::jobs) fn bind(
    db: &Connection,
    job: JobId,
    no: u64,
    badge: &BadgeId,
    accepted: i64,
) -> rusqlite::Result<bool> {
    if holder_of(db, badge)?.is_some_and(|holder| holder != (job, no)) {
        return Ok(false);
    }
    db.prepare_cached(
        "UPDATE row SET badge = ?3, accepted = ?4, bucket = 'waiting', why = NULL, absent = NULL
         WHERE job = ?1 AND no = ?2",
    )?
    .execute(params![job.0, no as i64, badge.wire(), accepted])?;
    // A revocation that waits for this badge's id has it now.
    db.prepare_cached("UPDATE row SET badge = ?3 WHERE of_job = ?1 AND of_no = ?2 AND badge IS NULL")?
        .execute(params![job.0, no as i64, badge.wire()])?;
    Ok(true)
}

/// The row of an issue job whose badge this is.
pub(in crate::jobs) fn holder_of(db: &Connection, badge: &BadgeId) -> rusqlite::Result<Option<(JobId, u64)>> {
    db.prepare_cached(
        "SELECT row.job, row.no FROM row JOIN job ON job.id = row.job
         WHERE row.badge = ?1 AND job.kind = 'issue' LIMIT 1",
    )?
    .query_row([badge.wire()], |r| Ok((JobId(r.get(0)?), r.get::<_, i64>(1)?.unsigned_abs())))
    .optional()
}

/// Keeps when a row's request was accepted.
pub(in crate::jobs) fn accepted_at(db: &Connection, job: JobId, no: u64, at: i64) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE row SET accepted = ?3 WHERE job = ?1 AND no = ?2")?
        .execute(params![job.0, no as i64, at])?;
    Ok(())
}
