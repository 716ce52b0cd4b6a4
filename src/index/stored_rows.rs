//! A stored row of the history. All derived values come from [`crate::domain`], so that the index
//! agrees with the TUI's own screens.

use crate::domain::narrowing::has_failed_mail;
use crate::domain::verdict::BadgeFacts;
use crate::domain::{Badge, BadgeId, EmailKey, HistoryItem, ServiceTime, StateIs, TemplateId, Text, Verdict};
use jiff::civil::{Date, DateTime};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

/// In the order that [`item`] reads.
pub(super) const COLUMNS: &str =
    "id, template, title, name, email, status, mail, valid_until, issued_at, reg_date, revoke_at,
     type, category, level, level_name, issuer";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RowCounts {
    /// Not in the index before.
    pub new: u64,
    /// Not seen by this reading before.
    pub first: u64,
    /// Accepted too long ago, kept or not.
    pub aged: u64,
    /// Too old to keep, and not in the index.
    pub old: u64,
}

/// What the index keeps. The default is everything.
#[derive(Clone, Debug, Default)]
pub(super) struct KeepLimits {
    /// Badges accepted since then.
    pub accepted: String,
    /// Also older ones that expire since then: they are in the lists of expiring badges.
    pub ends: String,
}

/// In days: how long expired badges are among the expiring ones.
pub(super) const LATELY: i64 = 30;

const COLUMN_COUNT: usize = 16;

/// A moment in the form for comparisons.
pub(super) fn moment(at: DateTime) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Skips rows that are not kept. Those in the index are updated, and [`forget`] removes them.
pub(super) fn take(
    db: &Connection,
    items: &[HistoryItem],
    reading: i64,
    kept: &KeepLimits,
) -> rusqlite::Result<RowCounts> {
    let mut taken = RowCounts::default();
    for item in items {
        let before: Option<i64> = db
            .prepare_cached("SELECT reading FROM badge WHERE id = ?1")?
            .query_row([item.badge_id.wire()], |r| r.get(0))
            .optional()?;
        let reg = item.reg_date.as_ref().and_then(ServiceTime::start);
        if reg.is_some_and(|reg| moment(reg) < kept.accepted) {
            taken.aged += 1;
            if before.is_none() && ends(item).is_none_or(|ends| ends < kept.ends) {
                taken.old += 1;
                continue;
            }
        }
        taken.new += u64::from(before.is_none());
        taken.first += u64::from(before != Some(reading));
        put(db, item, reading, true)?;
    }
    Ok(taken)
}

/// Those that are in the index. Only the reading of the newest rows adds rows, because it compares their number with
/// the count.
pub(super) fn known(db: &Connection, mut items: Vec<HistoryItem>) -> rusqlite::Result<Vec<HistoryItem>> {
    let mut is_known = db.prepare_cached("SELECT 1 FROM badge WHERE id = ?1")?;
    let known: Vec<bool> =
        items.iter().map(|item| is_known.exists([item.badge_id.wire()])).collect::<rusqlite::Result<_>>()?;
    let mut is_known = known.into_iter();
    items.retain(|_| is_known.next().unwrap_or(false));
    Ok(items)
}

pub(super) fn revoked_since(db: &Connection, since: Date) -> rusqlite::Result<u64> {
    count(db, "badge WHERE revoked >= ?1", [since.strftime("%Y-%m-%d").to_string()])
}

/// When a badge expires by itself, if it does. At the maximum time, every badge that can expire has expired.
fn ends(item: &HistoryItem) -> Option<String> {
    let expires = matches!(Verdict::of(item, DateTime::MAX), Verdict::Expired { .. });
    item.valid_until.as_ref().filter(|_| expires).and_then(ServiceTime::end).map(moment)
}

/// Saves a row. `is_whole`: whether it has all columns of the service.
fn put(db: &Connection, item: &HistoryItem, reading: i64, is_whole: bool) -> rusqlite::Result<()> {
    // Independent of the time: without an end of validity, no badge has expired.
    let endless = BadgeFacts { valid_until: None, ..BadgeFacts::from(item) };
    let base = StateIs::of(&Verdict::of(endless, DateTime::MAX).state()).code();
    let day = |time: &Option<ServiceTime>| {
        time.as_ref().and_then(ServiceTime::day).map(|day| day.strftime("%Y-%m-%d").to_string())
    };
    let raw = |time: &Option<ServiceTime>| time.as_ref().map(|t| t.raw().wire().to_owned());
    let text = |text: &Option<Text>| text.as_ref().map(|t| t.wire().to_owned());
    let key = item.recipient_email.as_ref().map(|email| EmailKey::of(email.wire()));
    db.prepare_cached(
        "INSERT INTO badge VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
                                   ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25)
         ON CONFLICT (id) DO UPDATE SET
           template = ?2, title = ?3, name = ?4, email = ?5, status = ?6, mail = ?7, valid_until = ?8,
           issued_at = ?9, reg_date = ?10, revoke_at = ?11, base = ?12, ends = ?13, reg = ?14, issued = ?15,
           revoked = ?16, domain = ?17, failed = ?18, reading = ?19,
           type = ?20, category = ?21, level = ?22, level_name = ?23, issuer = ?24, whole = ?25",
    )?
    .execute(params![
        item.badge_id.wire(),
        item.template_id.as_ref().map(TemplateId::wire),
        text(&item.title),
        text(&item.recipient_name),
        text(&item.recipient_email),
        text(&item.status_name),
        text(&item.email_status),
        raw(&item.valid_until),
        raw(&item.issued_at),
        raw(&item.reg_date),
        raw(&item.revoke_at),
        base,
        ends(item),
        item.reg_date.as_ref().and_then(ServiceTime::start).map(moment),
        day(&item.issued_at),
        day(&item.revoke_at),
        key.as_ref().and_then(EmailKey::domain),
        has_failed_mail(item),
        reading,
        text(&item.badge_type_name),
        text(&item.category_name),
        item.level,
        text(&item.level_name),
        text(&item.issuing_org),
        is_whole,
    ])?;
    Ok(())
}

pub(super) fn item(row: &Row<'_>) -> rusqlite::Result<HistoryItem> {
    let text = |at: usize| -> rusqlite::Result<Option<Text>> {
        Ok(row.get::<_, Option<String>>(at)?.map(Text::new))
    };
    let time = |at: usize| -> rusqlite::Result<Option<ServiceTime>> {
        Ok(row.get::<_, Option<String>>(at)?.as_deref().and_then(ServiceTime::new))
    };
    let Some(badge_id) = BadgeId::new(row.get::<_, String>(0)?) else {
        return Err(rusqlite::Error::InvalidQuery);
    };
    Ok(HistoryItem {
        badge_id,
        template_id: row.get::<_, Option<String>>(1)?.and_then(TemplateId::new),
        title: text(2)?,
        badge_type_name: text(11)?,
        category_name: text(12)?,
        level: row.get(13)?,
        level_name: text(14)?,
        recipient_name: text(3)?,
        recipient_email: text(4)?,
        status_name: text(5)?,
        email_status: text(6)?,
        issuing_org: text(15)?,
        valid_until: time(7)?,
        issued_at: time(8)?,
        reg_date: time(9)?,
        revoke_at: time(10)?,
        rnum: None,
        read_at: None,
    })
}

/// Does not add a badge that is not in the index.
pub(super) fn refresh(db: &Connection, badge: &Badge) -> rusqlite::Result<()> {
    let found = db
        .prepare_cached(&format!("SELECT {COLUMNS}, reading, whole FROM badge WHERE id = ?1"))?
        .query_row([badge.badge_id.wire()], |row| {
            Ok((item(row)?, row.get(COLUMN_COUNT)?, row.get(COLUMN_COUNT + 1)?))
        })
        .optional()?;
    let Some((known, reading, is_whole)): Option<(HistoryItem, i64, bool)> = found else { return Ok(()) };
    let fresh = HistoryItem {
        title: badge.title.clone().or(known.title),
        recipient_name: badge.recipient_name.clone().or(known.recipient_name),
        recipient_email: badge.recipient_email.clone().or(known.recipient_email),
        status_name: badge.status_name.clone(),
        email_status: badge.email_status.clone(),
        valid_until: badge.valid_until.clone(),
        issued_at: badge.issued_at.clone(),
        revoke_at: badge.revoke_at.clone(),
        ..known
    };
    put(db, &fresh, reading, is_whole)
}

/// Removes what is not kept, with its details.
pub(super) fn forget(db: &Connection, kept: &KeepLimits) -> rusqlite::Result<()> {
    let removed = db
        .prepare_cached("DELETE FROM badge WHERE reg < ?1 AND (ends IS NULL OR ends < ?2)")?
        .execute([&kept.accepted, &kept.ends])?;
    if removed > 0 {
        forget_details(db)?;
    }
    Ok(())
}

/// The service no longer has rows that a full reading has not seen, except those accepted before it ended.
pub(super) fn forget_unseen(db: &Connection, reading: i64, since: &str) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM badge WHERE reading <> ?1 AND (reg IS NULL OR reg >= ?2)")?
        .execute(params![reading, since])?;
    forget_details(db)
}

fn forget_details(db: &Connection) -> rusqlite::Result<()> {
    db.execute("DELETE FROM detail WHERE id NOT IN (SELECT id FROM badge)", [])?;
    Ok(())
}

/// The number of rows of a table, or of those that a condition leaves.
pub(super) fn count(db: &Connection, of: &str, values: impl Params) -> rusqlite::Result<u64> {
    db.prepare_cached(&format!("SELECT count(*) FROM {of}"))?
        .query_row(values, |r| r.get::<_, i64>(0))
        .map(i64::unsigned_abs)
}

pub(super) fn seen(db: &Connection, reading: i64) -> rusqlite::Result<u64> {
    count(db, "badge WHERE reading = ?1", [reading])
}

/// Pages with badges whose state is about to change, most of them first.
pub(super) fn unsettled_pages(db: &Connection, per_page: u64, most: usize) -> rusqlite::Result<Vec<u64>> {
    db.prepare_cached(
        "SELECT (place - 1) / ?1 + 1 AS page, count(*) AS n
         FROM (SELECT row_number() OVER (ORDER BY reg DESC, rowid) AS place, base FROM badge)
         WHERE base IN ('waiting', 'revoking') GROUP BY page ORDER BY n DESC, page LIMIT ?2",
    )?
    .query_map(params![per_page as i64, most as i64], |r| r.get::<_, i64>(0).map(i64::unsigned_abs))?
    .collect()
}

pub(super) fn value(text: impl Into<String>) -> Value {
    Value::Text(text.into())
}
