//! The badges behind a count, read page by page.

use super::Result;
use super::rows::{COLUMNS, item, moment, value};
use super::store::Index;
use crate::domain::{Address, EmailKey, HistoryItem, Page, TemplateId, Text};
use jiff::civil::{Date, DateTime};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::collections::{BTreeMap, HashSet};

pub const LONGEST_PAGE: u64 = 1_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
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
    /// Issued, with a mail status other than `SENT`: to addresses of this domain (folded), or to all.
    MailFailed(Option<String>),
    All,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub which: Which,
    /// From 1.
    pub page: u64,
    /// At most 1000.
    pub per_page: u64,
}

/// Includes revoked and expired badges.
pub(super) const WAS_ISSUED: &str = "base IN ('issued', 'expired', 'revoking', 'revoked')";
pub(super) const IS_REVOKED: &str = "base IN ('revoking', 'revoked')";
pub(super) const IS_ISSUED: &str = "base IN ('issued', 'expired')";

impl Which {
    /// An SQL condition with its values in order.
    pub(super) fn condition(&self) -> (String, Vec<Value>) {
        let day = |date: &Date| value(date.strftime("%Y-%m-%d").to_string());
        let days = |column: &str, what: &str, from: &Option<Date>, to: &Option<Date>| {
            let mut sql = format!("{what} AND {column} IS NOT NULL");
            let mut values = Vec::new();
            for (date, sign) in [(from, ">="), (to, "<")] {
                if let Some(date) = date {
                    sql.push_str(&format!(" AND {column} {sign} ?"));
                    values.push(day(date));
                }
            }
            (sql, values)
        };
        match self {
            Self::Issued(from, to) => days("issued", WAS_ISSUED, from, to),
            Self::Revoked(from, to) => days("revoked", IS_REVOKED, from, to),
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
                let mut sql = "base = 'waiting' AND reg IS NOT NULL".to_owned();
                let mut values = Vec::new();
                for (at, sign) in [(from, ">="), (to, "<")] {
                    if let Some(at) = at {
                        sql.push_str(&format!(" AND reg {sign} ?"));
                        values.push(value(moment(*at)));
                    }
                }
                (sql, values)
            }
            Self::Revoking => ("base = 'revoking'".to_owned(), Vec::new()),
            Self::Ending(from, to) => (
                "base = 'issued' AND ends >= ? AND ends < ?".to_owned(),
                vec![value(moment(*from)), value(moment(*to))],
            ),
            Self::MailFailed(None) => (format!("{IS_ISSUED} AND failed = 1"), Vec::new()),
            Self::MailFailed(Some(domain)) => {
                (format!("{IS_ISSUED} AND domain = ? AND failed = 1"), vec![value(domain.clone())])
            }
            Self::All => ("1".to_owned(), Vec::new()),
        }
    }

    /// The most urgent badges first.
    pub(super) fn order(&self) -> &'static str {
        match self {
            Self::Ending(..) => "ends, id",
            Self::Waiting(..) => "reg, id",
            Self::Revoked(..) => "revoked DESC, reg DESC, id",
            _ => "reg DESC, id",
        }
    }

    /// Only badges that expire are worth issuing again.
    pub fn is_ending(&self) -> bool {
        matches!(self, Self::Ending(..))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renewal {
    pub template_id: TemplateId,
    pub title: Text,
    /// Names and addresses, each address once.
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

fn count(db: &Connection, which: &Which) -> rusqlite::Result<u64> {
    let (condition, values) = which.condition();
    db.prepare_cached(&format!("SELECT count(*) FROM badge WHERE {condition}"))?
        .query_row(params_from_iter(values), |r| r.get::<_, i64>(0))
        .map(i64::unsigned_abs)
}

fn page(db: &Connection, query: &Query) -> rusqlite::Result<Page<HistoryItem>> {
    let total = count(db, &query.which)?;
    let per_page = query.per_page.clamp(1, LONGEST_PAGE);
    let before = query.page.saturating_sub(1).saturating_mul(per_page).min(total);
    let (condition, values) = query.which.condition();
    let sql = format!(
        "SELECT {COLUMNS} FROM badge WHERE {condition} ORDER BY {} LIMIT {per_page} OFFSET {before}",
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

fn renewals(db: &Connection, which: &Which, most: u64) -> rusqlite::Result<Renewals> {
    let mut found = Renewals { beyond: count(db, which)?.saturating_sub(most), ..Renewals::default() };
    let (condition, values) = which.condition();
    let sql =
        format!("SELECT {COLUMNS} FROM badge WHERE {condition} ORDER BY {} LIMIT {most}", which.order());
    let mut seen: HashSet<(TemplateId, EmailKey)> = HashSet::new();
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
        if !seen.insert((template_id.clone(), EmailKey::of(email.as_str()))) {
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
    pub async fn list(&self, query: Query) -> Result<Page<HistoryItem>> {
        self.read(move |db| page(db, &query)).await
    }

    /// Only among the first `most` badges of the list.
    pub async fn renewals(&self, which: Which, most: u64) -> Result<Renewals> {
        self.read(move |db| renewals(db, &which, most)).await
    }
}
