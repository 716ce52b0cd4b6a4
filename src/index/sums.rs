//! What there is, counted.

use super::Result;
use super::lists::{IS_ISSUED, IS_REVOKED, WAS_ISSUED, Which};
use super::rows::{moment, value};
use super::state::{self, Status};
use super::store::Index;
use crate::domain::{ServiceTime, TemplateId, Text};
use jiff::ToSpan;
use jiff::civil::{Date, DateTime, Weekday};
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

/// Templates that are told apart; the others are counted together.
const MOST_TEMPLATES: i64 = 20;
/// Mails that are told apart; beyond it they are not.
const MOST_MAILS: i64 = 200_000;

/// A span of days that is counted as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Period {
    /// The last 30 days.
    #[default]
    Day,
    /// The last 26 weeks, from Monday.
    Week,
    /// The last 24 months.
    Month,
}

impl Period {
    /// How many of them are told apart.
    pub fn how_many(self) -> usize {
        match self {
            Self::Day => 30,
            Self::Week => 26,
            Self::Month => 24,
        }
    }

    /// The next one; after the last the first.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Day => Self::Week,
            Self::Week => Self::Month,
            Self::Month => Self::Day,
        }
    }

    /// The first day of the one that a day is in.
    fn first_day(self, day: Date) -> Date {
        match self {
            Self::Day => day,
            Self::Week => {
                let into = i64::from(day.weekday().since(Weekday::Monday));
                day.checked_sub(into.days()).unwrap_or(Date::MIN)
            }
            Self::Month => day.first_of_month(),
        }
    }

    fn before(self, first_day: Date) -> Date {
        let day_before = first_day.yesterday().unwrap_or(Date::MIN);
        self.first_day(day_before)
    }
}

/// One period: its first day, the first day after it, and a count. The newest one has no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its first day.
    pub from: Date,
    /// The first day after it.
    pub to: Option<Date>,
    /// How many.
    pub count: u64,
}

/// Counts by period, the newest first. All of them, the earlier ones and the undated ones add up to the total.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Series {
    /// The periods.
    pub spans: Vec<Span>,
    /// Before the first of them.
    pub earlier: u64,
    /// Without a day.
    pub undated: u64,
}

impl Series {
    /// All of it.
    pub fn total(&self) -> u64 {
        self.spans.iter().map(|span| span.count).sum::<u64>() + self.earlier + self.undated
    }
}

/// The badges of one template, or of those that are counted together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateSum {
    /// Which badges.
    pub which: Which,
    /// Its newest title; empty for those that are counted together.
    pub title: Text,
    /// How many templates are counted together; 1 for a template by itself.
    pub templates: u64,
    /// Badges in all.
    pub all: u64,
    /// Issued and in force.
    pub valid: u64,
    /// Past their end.
    pub expired: u64,
    /// Waiting.
    pub waiting: u64,
    /// Revoked or being revoked.
    pub revoked: u64,
}

/// What waits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// By how long, the longest last: up to an hour, six hours, a day, three days, longer.
    pub by_age: Vec<(Which, u64)>,
    /// Accepted at a moment that is not known.
    pub unknown: u64,
    /// Being revoked.
    pub revoking: u64,
}

/// What there is, counted at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sums {
    /// The service's moment.
    pub now: DateTime,
    /// How the index stands.
    pub status: Status,
    /// Badges in force.
    pub valid: u64,
    /// Past their end.
    pub expired: u64,
    /// Whose state is a word that lapel does not know.
    pub other: u64,
    /// Issued, by period.
    pub issued: Series,
    /// Revoked or being revoked, by period.
    pub revoked: Series,
    /// By template, the most badges first.
    pub templates: Vec<TemplateSum>,
    /// What waits.
    pub waiting: Waits,
    /// What ended in the last 30 days, and ends within 30, 60 and 90 days, each without the one before.
    pub ending: Vec<(Which, u64)>,
}

/// Mails of issued badges, for grouping their failures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mails {
    /// Address and status in the service's words, of every issued badge of a domain where a mail has failed.
    pub mails: Vec<(String, Option<String>)>,
    /// Issued badges of all other domains.
    pub others: u64,
}

/// A time as one of the steps of what waits; hours.
const AGES: [Option<i64>; 6] = [Some(0), Some(1), Some(6), Some(24), Some(72), None];

pub(super) fn sums(db: &Connection, now: DateTime, period: Period, bytes: u64) -> rusqlite::Result<Sums> {
    let one = |sql: &str, at: &[&dyn rusqlite::ToSql]| {
        db.prepare_cached(sql)?.query_row(at, |r| r.get::<_, i64>(0)).map(i64::unsigned_abs)
    };
    let at = moment(now);
    Ok(Sums {
        now,
        status: state::status(db, bytes)?,
        valid: one(
            "SELECT count(*) FROM badge WHERE base = 'issued' AND (ends IS NULL OR ends >= ?1)",
            &[&at],
        )?,
        expired: one(
            "SELECT count(*) FROM badge WHERE base = 'expired' OR (base IN ('issued', 'other') AND ends < ?1)",
            &[&at],
        )?,
        other: one(
            "SELECT count(*) FROM badge WHERE base = 'other' AND (ends IS NULL OR ends >= ?1)",
            &[&at],
        )?,
        issued: series(db, "issued", WAS_ISSUED, now.date(), period)?,
        revoked: series(db, "revoked", IS_REVOKED, now.date(), period)?,
        templates: templates(db, &at)?,
        waiting: waiting(db, now)?,
        ending: ending(now)
            .into_iter()
            .map(|which| Ok((which.clone(), counted(db, &which)?)))
            .collect::<rusqlite::Result<_>>()?,
    })
}

fn counted(db: &Connection, which: &Which) -> rusqlite::Result<u64> {
    let (condition, values) = which.condition();
    db.prepare_cached(&format!("SELECT count(*) FROM badge WHERE {condition}"))?
        .query_row(params_from_iter(values), |r| r.get::<_, i64>(0))
        .map(i64::unsigned_abs)
}

fn series(
    db: &Connection,
    column: &str,
    what: &str,
    today: Date,
    period: Period,
) -> rusqlite::Result<Series> {
    let mut spans = Vec::with_capacity(period.how_many());
    let (mut from, mut to) = (period.first_day(today), None);
    for _ in 0..period.how_many() {
        spans.push(Span { from, to, count: 0 });
        (from, to) = (period.before(from), Some(from));
    }
    let mut series = Series { spans, ..Series::default() };
    let sql = format!("SELECT {column}, count(*) FROM badge WHERE {what} GROUP BY {column}");
    let mut statement = db.prepare_cached(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let count = row.get::<_, i64>(1)?.unsigned_abs();
        let day =
            row.get::<_, Option<String>>(0)?.as_deref().and_then(ServiceTime::new).and_then(|day| day.day());
        match day {
            None => series.undated += count,
            Some(day) => match series.spans.iter_mut().find(|span| span.from <= day) {
                Some(span) => span.count += count,
                None => series.earlier += count,
            },
        }
    }
    Ok(series)
}

fn templates(db: &Connection, at: &str) -> rusqlite::Result<Vec<TemplateSum>> {
    // Of several bare columns beside max(), SQLite takes the row that has it: the newest title.
    let sql = "SELECT template, title, max(coalesce(reg, '')), count(*),
           sum(base = 'issued' AND (ends IS NULL OR ends >= ?1)),
           sum(base = 'expired' OR (base IN ('issued', 'other') AND ends < ?1)),
           sum(base = 'waiting'), sum(base IN ('revoking', 'revoked'))
         FROM badge GROUP BY template ORDER BY count(*) DESC, template LIMIT ?2";
    let mut told: Vec<TemplateSum> = db
        .prepare_cached(sql)?
        .query_map(params![at, MOST_TEMPLATES], |r| {
            let number = |at| r.get::<_, Option<i64>>(at).map(|n| n.unwrap_or(0).unsigned_abs());
            Ok(TemplateSum {
                which: Which::Template(r.get::<_, Option<String>>(0)?.and_then(TemplateId::new)),
                title: Text::new(r.get::<_, Option<String>>(1)?.unwrap_or_default()),
                templates: 1,
                all: number(3)?,
                valid: number(4)?,
                expired: number(5)?,
                waiting: number(6)?,
                revoked: number(7)?,
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    let named: Vec<TemplateId> = told
        .iter()
        .filter_map(|sum| if let Which::Template(Some(id)) = &sum.which { Some(id.clone()) } else { None })
        .collect();
    // Those without a template may be too few to be among the first.
    let nameless = (named.len() == told.len()).then_some(Which::Template(None));
    for which in [Some(Which::OtherTemplates(named)), nameless].into_iter().flatten() {
        let rest = together(db, at, &which)?;
        if rest.all > 0 {
            told.push(rest);
        }
    }
    Ok(told)
}

/// Badges of several templates, counted together.
fn together(db: &Connection, at: &str, which: &Which) -> rusqlite::Result<TemplateSum> {
    let (condition, mut values) = which.condition();
    let sql = format!(
        "SELECT count(DISTINCT template), count(*),
           sum(base = 'issued' AND (ends IS NULL OR ends >= ?)),
           sum(base = 'expired' OR (base IN ('issued', 'other') AND ends < ?)),
           sum(base = 'waiting'), sum(base IN ('revoking', 'revoked'))
         FROM badge WHERE {condition}"
    );
    // The marks above come before those of the condition.
    values.splice(0..0, [value(at), value(at)]);
    db.prepare_cached(&sql)?.query_row(params_from_iter(values), |r| {
        let number = |at| r.get::<_, Option<i64>>(at).map(|n| n.unwrap_or(0).unsigned_abs());
        Ok(TemplateSum {
            which: which.clone(),
            title: Text::default(),
            templates: number(0)?,
            all: number(1)?,
            valid: number(2)?,
            expired: number(3)?,
            waiting: number(4)?,
            revoked: number(5)?,
        })
    })
}

fn waiting(db: &Connection, now: DateTime) -> rusqlite::Result<Waits> {
    let ago = |hours: i64| now.checked_sub(hours.hours()).unwrap_or(DateTime::MIN);
    let mut waits = Waits::default();
    for pair in AGES.windows(2) {
        // What the service dates a little ahead of its clock has only just begun to wait.
        let younger = pair[0].filter(|hours| *hours > 0).map(ago);
        let which = Which::Waiting(pair[1].map(ago), younger);
        let count = counted(db, &which)?;
        waits.by_age.push((which, count));
    }
    waits.unknown = counted(db, &Which::Waiting(None, None))?;
    waits.revoking = counted(db, &Which::Revoking)?;
    Ok(waits)
}

/// The spans in which badges end that a person should know of.
fn ending(now: DateTime) -> Vec<Which> {
    let day = |days: i64| now.checked_add(days.days()).unwrap_or(DateTime::MAX);
    [(-30, 0), (0, 30), (30, 60), (60, 90)]
        .into_iter()
        .map(|(from, to)| Which::Ending(day(from), day(to)))
        .collect()
}

pub(super) fn mails(db: &Connection) -> rusqlite::Result<Mails> {
    let sql = format!(
        "SELECT email, mail FROM badge WHERE {IS_ISSUED} AND email IS NOT NULL
           AND (domain IS NULL AND failed = 1
                OR domain IN (SELECT DISTINCT domain FROM badge WHERE failed = 1 AND {IS_ISSUED}))
         LIMIT ?1"
    );
    let mails: Vec<(String, Option<String>)> = db
        .prepare_cached(&sql)?
        .query_map([MOST_MAILS], |r| Ok((r.get(0)?, r.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let all: Option<i64> = db
        .prepare_cached(&format!("SELECT count(*) FROM badge WHERE {IS_ISSUED}"))?
        .query_row([], |r| r.get(0))
        .optional()?;
    let others = all.unwrap_or(0).unsigned_abs().saturating_sub(mails.len() as u64);
    Ok(Mails { mails, others })
}

impl Index {
    /// What there is, counted at a moment of the service.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub async fn sums(&self, now: DateTime, period: Period) -> Result<Sums> {
        let bytes = self.bytes();
        self.read(move |db| sums(db, now, period, bytes)).await
    }

    /// Mails of issued badges, for grouping their failures.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub async fn mails(&self) -> Result<Mails> {
        self.read(mails).await
    }
}
