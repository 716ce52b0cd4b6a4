//! The badges behind a count, read page by page.

use super::Result;
use super::state::{self, SyncState};
use super::store::{Index, kept};
use super::stored_rows::{self, COLUMNS, item, moment, value};
use crate::api::{Direction, HistoryFilter, Sort};
use crate::domain::verdict::NORMAL_WAIT_HOURS;
use crate::domain::{
    Address, EmailKey, HistoryItem, HistoryNarrowing, MailIs, Page, StateIs, TemplateId, Text, name_search,
};
use jiff::ToSpan;
use jiff::civil::{Date, DateTime};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::collections::{BTreeMap, HashSet};

pub const LONGEST_PAGE: u64 = 1_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexedList {
    /// The end day is excluded. Either end may be open.
    Issued(Option<Date>, Option<Date>),
    /// Revoked, or being revoked, on these days.
    Revoked(Option<Date>, Option<Date>),
    /// Issued (`false`) or revoked (`true`) without the date.
    Undated(bool),
    /// `None` for badges without a template.
    Template(Option<TemplateId>),
    /// Of any template except these.
    OtherTemplates(Vec<TemplateId>),
    /// Accepted from the first moment on and before the second. With neither, accepted at an unknown moment.
    Waiting(Option<DateTime>, Option<DateTime>),
    Revoking,
    /// Issued, with an end of validity from the first moment on and before the second.
    Ending(DateTime, DateTime),
    /// Expired, in the same way.
    Ended(DateTime, DateTime),
    /// Issued, with a mail that failed: to addresses of this domain (folded), or to all.
    MailFailed(Option<String>),
    Matching(Box<HistorySelection>),
    /// Those of a list whose name, address or title contains a text, in any case and without accents.
    Found(Box<IndexedList>, String),
    All,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistorySelection {
    /// The service's filter. A text matches where it is contained, in any case and without accents.
    pub filter: HistoryFilter,
    pub narrowing: HistoryNarrowing,
    /// The service's time, for badges that expire.
    pub now: DateTime,
    /// The service's time when the rows were read: a badge waits only as long as is known.
    pub read: DateTime,
    /// Without one, the newest badges come first.
    pub sort: Option<Sort>,
}

/// Days between acceptance and issue that a filter by issue date allows for.
const LONGEST_WAIT_DAYS: i64 = 30;

impl HistorySelection {
    fn condition(&self) -> (String, Vec<Value>) {
        let Self { filter, narrowing, now, read, .. } = self;
        let mut parts: Vec<String> = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        for (column, wanted) in [
            ("name", &filter.recipient_name),
            ("email", &filter.recipient_email),
            ("title", &filter.title),
            ("type", &narrowing.badge_type),
            ("category", &narrowing.category),
        ] {
            if let Some(wanted) = wanted {
                parts.push(format!("holds({column}, ?)"));
                values.push(value(wanted.clone()));
            }
        }
        for (column, sign, date) in [
            ("issued", ">=", filter.issue_start_date),
            ("issued", "<=", filter.issue_end_date),
            ("revoked", ">=", filter.revoke_start_date),
            ("revoked", "<=", filter.revoke_end_date),
        ] {
            if let Some(date) = date {
                // A waiting badge has no issue date, even if the service shows one.
                parts.push(format!("{column} {sign} ? AND base <> 'waiting'"));
                values.push(value(date.strftime("%Y-%m-%d").to_string()));
            }
        }
        if let Some(state) = narrowing.state {
            let at = match state {
                StateIs::Overdue => {
                    read.min(now).checked_sub(NORMAL_WAIT_HOURS.hours()).unwrap_or(DateTime::MIN)
                }
                _ => *now,
            };
            let sql = match state {
                StateIs::Waiting => "base = 'waiting'",
                StateIs::Overdue => IS_OVERDUE,
                StateIs::Revoking => "base = 'revoking'",
                StateIs::Revoked => "base = 'revoked'",
                StateIs::Issued => IS_VALID,
                StateIs::Expired => IS_EXPIRED,
                StateIs::Other => IS_OTHER,
            };
            parts.push(sql.to_owned());
            values.extend(sql.contains('?').then(|| value(moment(at))));
        }
        match &narrowing.mail {
            Some(MailIs::Failed) => parts.push(format!("{MAIL_FAILED} AND base <> 'waiting'")),
            Some(MailIs::Waiting) => parts.push("mail_waits(mail)".to_owned()),
            Some(MailIs::Sent) => parts.push("same(mail, 'SENT')".to_owned()),
            Some(MailIs::Unsaid) => parts.push("trim(ifnull(mail, '')) = ''".to_owned()),
            Some(MailIs::Word(word)) => {
                parts.push("same(mail, ?)".to_owned());
                values.push(value(word.clone()));
            }
            None => {}
        }
        let sql = if parts.is_empty() { "1".to_owned() } else { parts.join(" AND ") };
        (sql, values)
    }

    fn order(&self) -> Option<String> {
        let Sort { column, direction, .. } = self.sort.as_ref()?;
        let column = match column.as_str() {
            "status_name" => "status",
            "recipient_name" => "name",
            "recipient_email" => "email",
            "email_status" => "mail",
            "badge_type_name" => "type",
            "category_name" => "category",
            "issuing_org" => "issuer",
            "badge_id" => "id",
            "template_id" => "template",
            "issued_at" => "iif(base = 'waiting', NULL, issued_at)",
            known @ ("title" | "valid_until" | "revoke_at" | "reg_date" | "level") => known,
            _ => return None,
        };
        let down = if *direction == Direction::Desc { " DESC" } else { "" };
        Some(format!("{column} COLLATE NOCASE{down}, reg DESC, id"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The time of the last check: seconds of the service's UTC.
    pub read_at: i64,
    /// The time of the last full reading, in the same way.
    pub full_at: Option<i64>,
}

/// The coverage, if the index has every badge that may match a filter.
pub(super) fn coverage(
    db: &Connection,
    from: Option<Date>,
    kept_since: &str,
) -> rusqlite::Result<Option<Coverage>> {
    let known: SyncState = state::get(db, "known")?.unwrap_or_default();
    let (Some(read_at), Some(total), true) = (known.read_at, known.total, known.complete) else {
        return Ok(None);
    };
    let is_part: bool = db
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM badge WHERE whole = 0)")?
        .query_row([], |r| r.get(0))?;
    let is_young = from
        .and_then(|from| from.checked_sub(LONGEST_WAIT_DAYS.days()).ok())
        .is_some_and(|from| from.strftime("%Y-%m-%d").to_string().as_str() >= kept_since);
    let has_all = !is_part && (is_young || count(db, &IndexedList::All)? >= total);
    Ok(has_all.then_some(Coverage { read_at, full_at: known.full_at }))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexQuery {
    pub which: IndexedList,
    /// From 1.
    pub page: u64,
    /// At most 1000.
    pub per_page: u64,
}

/// Includes revoked and expired badges.
pub(super) const WAS_ISSUED: &str = "base IN ('issued', 'expired', 'revoking', 'revoked')";
/// Without those whose revocation is under way: they may still be valid.
pub(super) const IS_REVOKED: &str = "base = 'revoked'";
pub(super) const IS_REVOKING: &str = "base = 'revoking'";
pub(super) const IS_ISSUED: &str = "base IN ('issued', 'expired')";
/// The column finds them quickly, but rows that an earlier version read have it for every word other than `SENT`.
pub(super) const MAIL_FAILED: &str = "failed = 1 AND mail_fails(mail)";
/// At a moment.
pub(super) const IS_VALID: &str = "base = 'issued' AND (ends IS NULL OR ends >= ?)";
pub(super) const IS_EXPIRED: &str = "(base = 'expired' OR (base IN ('issued', 'other') AND ends < ?))";
/// Of those accepted before a moment.
const IS_OVERDUE: &str = "base = 'waiting' AND reg < ?";
pub(super) const IS_OTHER: &str = "base = 'other' AND (ends IS NULL OR ends >= ?)";
/// Expired after the end of their validity. The state of the service does not count.
const CAN_END: &str = "base IN ('issued', 'expired', 'other')";

impl IndexedList {
    /// An SQL condition with its values in order.
    pub(super) fn condition(&self) -> (String, Vec<Value>) {
        let between = |column: &str, what: &str, ends: [Option<String>; 2]| {
            let mut sql = format!("{what} AND {column} IS NOT NULL");
            let mut values = Vec::new();
            for (end, sign) in ends.into_iter().zip([">=", "<"]) {
                if let Some(end) = end {
                    sql.push_str(&format!(" AND {column} {sign} ?"));
                    values.push(value(end));
                }
            }
            (sql, values)
        };
        let days = |from: &Option<Date>, to: &Option<Date>| {
            [from, to].map(|date| date.map(|date| date.strftime("%Y-%m-%d").to_string()))
        };
        match self {
            Self::Issued(from, to) => between("issued", WAS_ISSUED, days(from, to)),
            Self::Revoked(from, to) => between("revoked", IS_REVOKED, days(from, to)),
            Self::Undated(false) => (format!("{WAS_ISSUED} AND issued IS NULL"), Vec::new()),
            Self::Undated(true) => (format!("{IS_REVOKED} AND revoked IS NULL"), Vec::new()),
            Self::Template(Some(id)) => ("template = ?".to_owned(), vec![value(id.wire())]),
            Self::Template(None) => ("template IS NULL".to_owned(), Vec::new()),
            Self::OtherTemplates(these) => {
                let marks = vec!["?"; these.len()].join(", ");
                let sql = format!("template IS NOT NULL AND template NOT IN ({marks})");
                (sql, these.iter().map(|id| value(id.wire())).collect())
            }
            Self::Waiting(None, None) => ("base = 'waiting' AND reg IS NULL".to_owned(), Vec::new()),
            Self::Waiting(from, to) => {
                between("reg", "base = 'waiting'", [*from, *to].map(|at| at.map(moment)))
            }
            Self::Revoking => (IS_REVOKING.to_owned(), Vec::new()),
            Self::Ending(from, to) | Self::Ended(from, to) => {
                let what = if matches!(self, Self::Ended(..)) { CAN_END } else { "base = 'issued'" };
                let sql = format!("{what} AND ends >= ? AND ends < ?");
                (sql, vec![value(moment(*from)), value(moment(*to))])
            }
            Self::MailFailed(None) => (format!("{IS_ISSUED} AND {MAIL_FAILED}"), Vec::new()),
            Self::MailFailed(Some(domain)) => {
                (format!("{IS_ISSUED} AND domain = ? AND {MAIL_FAILED}"), vec![value(domain.clone())])
            }
            Self::Matching(matching) => matching.condition(),
            Self::Found(list, text) => {
                let (sql, mut values) = list.condition();
                values.extend(vec![value(text.clone()); 3]);
                (format!("({sql}) AND (holds(name, ?) OR holds(email, ?) OR holds(title, ?))"), values)
            }
            Self::All => ("1".to_owned(), Vec::new()),
        }
    }

    /// The sort order: the most urgent badges first.
    pub(super) fn order(&self) -> String {
        let own = match self {
            Self::Ending(..) | Self::Ended(..) => "ends, id",
            Self::Waiting(..) => "reg, id",
            Self::Revoked(..) => "revoked DESC, reg DESC, id",
            _ => "reg DESC, id",
        };
        let sorted = match self {
            Self::Matching(matching) => matching.order(),
            Self::Found(list, _) => Some(list.order()),
            _ => None,
        };
        sorted.unwrap_or_else(|| own.to_owned())
    }

    /// Only badges that expire are worth issuing again.
    pub fn is_ending(&self) -> bool {
        match self {
            Self::Found(list, _) => list.is_ending(),
            list => matches!(list, Self::Ending(..) | Self::Ended(..)),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renewal {
    pub template_id: TemplateId,
    pub title: Text,
    /// Names and addresses, each pair once.
    pub people: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renewals {
    pub of: Vec<Renewal>,
    /// Without a template, a name or a valid address.
    pub left_out: u64,
    /// Same recipient and template as an earlier badge of the list.
    pub doubles: u64,
    /// Beyond the limit.
    pub beyond: u64,
}

pub(super) fn count(db: &Connection, which: &IndexedList) -> rusqlite::Result<u64> {
    let (condition, values) = which.condition();
    stored_rows::count(db, &format!("badge WHERE {condition}"), params_from_iter(values))
}

pub(super) fn page(db: &Connection, query: &IndexQuery) -> rusqlite::Result<Page<HistoryItem>> {
    let total = count(db, &query.which)?;
    let per_page = query.per_page.clamp(1, LONGEST_PAGE);
    let before = query.page.saturating_sub(1).saturating_mul(per_page).min(total);
    let (condition, mut values) = query.which.condition();
    values.extend([per_page, before].map(|n| Value::Integer(n.cast_signed())));
    let sql = format!(
        "SELECT {COLUMNS} FROM badge WHERE {condition} ORDER BY {} LIMIT ? OFFSET ?",
        query.which.order()
    );
    let items: Vec<HistoryItem> =
        db.prepare(&sql)?.query_map(params_from_iter(values), item)?.collect::<rusqlite::Result<_>>()?;
    Ok(Page {
        list_len: items.len(),
        items: items.into_iter().enumerate().collect(),
        total_count: Some(total),
        page: Some(query.page),
        rows_per_page: None,
        problems: Vec::new(),
    })
}

pub(super) fn renewals(db: &Connection, which: &IndexedList, most: u64) -> rusqlite::Result<Renewals> {
    let mut found = Renewals { beyond: count(db, which)?.saturating_sub(most), ..Renewals::default() };
    let (condition, mut values) = which.condition();
    values.push(Value::Integer(most.cast_signed()));
    let sql = format!("SELECT {COLUMNS} FROM badge WHERE {condition} ORDER BY {} LIMIT ?", which.order());
    let mut seen: HashSet<(TemplateId, EmailKey, String)> = HashSet::new();
    let mut by_template: BTreeMap<TemplateId, Renewal> = BTreeMap::new();
    let mut statement = db.prepare(&sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    while let Some(row) = rows.next()? {
        let badge = item(row)?;
        let name = badge.recipient_name.filter(|name| !name.looks_empty());
        let email = badge.recipient_email.and_then(|email| Address::check(email.wire()).ok());
        let (Some(template_id), Some(name), Some(email)) = (badge.template_id, name, email) else {
            found.left_out += 1;
            continue;
        };
        // Two people who share an address both get theirs; the review asks about it. Names that differ only in accents,
        // signs, spaces or letter case are one person's: lapel says how many badges are doubles.
        let name_key = name_search::folded(name.wire());
        if !seen.insert((template_id.clone(), EmailKey::of(email.as_str()), name_key)) {
            found.doubles += 1;
            continue;
        }
        by_template
            .entry(template_id.clone())
            .or_insert_with(|| Renewal {
                template_id,
                title: badge.title.unwrap_or_default(),
                people: Vec::new(),
            })
            .people
            .push((name.wire().to_owned(), email.as_str().to_owned()));
    }
    found.of = by_template.into_values().collect();
    Ok(found)
}

impl Index {
    /// The coverage, if the index has every badge that may match this filter of the service. `now` is the service's
    /// time.
    pub async fn coverage(&self, filter: &HistoryFilter, now: DateTime) -> Result<Option<Coverage>> {
        let (from, kept) = (filter.issue_start_date, kept(now, self.settings));
        self.read(move |db| coverage(db, from, &kept.accepted)).await
    }

    pub async fn list(&self, query: IndexQuery) -> Result<Page<HistoryItem>> {
        self.read(move |db| page(db, &query)).await
    }

    /// Only among the first `most` badges of the list.
    pub async fn renewals(&self, which: IndexedList, most: u64) -> Result<Renewals> {
        self.read(move |db| renewals(db, &which, most)).await
    }
}
