//! Counts over the index.

use super::Result;
use super::lists::{
    self, IS_EXPIRED, IS_ISSUED, IS_OTHER, IS_REVOKED, IS_REVOKING, IS_VALID, IndexedList, MAIL_FAILED,
    WAS_ISSUED,
};
use super::status::{self, IndexStatus};
use super::store::Index;
use super::stored_rows::{self, LATELY, moment, value};
use crate::domain::{ServiceTime, TemplateId, Text};
use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::Offset;
use jiff::{Timestamp, ToSpan};
use rusqlite::{Connection, Row, params, params_from_iter};

/// Maximum templates with their own count. The others are counted together.
const MOST_TEMPLATES: i64 = 20;
/// Maximum mails that are listed. More are only counted.
const MOST_MAILS: i64 = 200_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Period {
    Day,
    #[default]
    Week,
    Month,
}

impl Period {
    pub fn how_many(self) -> usize {
        match self {
            Self::Day => 30,
            Self::Week => 26,
            Self::Month => 24,
        }
    }

    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Day => Self::Week,
            Self::Week => Self::Month,
            Self::Month => Self::Day,
        }
    }

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeriodCount {
    pub from: Date,
    /// The first day after the period; `None` for the newest one.
    pub to: Option<Date>,
    pub count: u64,
}

/// The newest first. All periods, the earlier and the undated badges add up to the total.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Series {
    pub spans: Vec<PeriodCount>,
    pub earlier: u64,
    pub undated: u64,
}

impl Series {
    pub fn total(&self) -> u64 {
        self.spans.iter().map(|span| span.count).sum::<u64>() + self.earlier + self.undated
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateSum {
    pub which: IndexedList,
    /// The newest title of the template. Empty for several templates.
    pub title: Text,
    pub templates: u64,
    pub all: u64,
    pub valid: u64,
    pub expired: u64,
    pub waiting: u64,
    pub revoking: u64,
    pub revoked: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// The service's time when the history was last read to its end. A badge that is issued later
    /// does not become overdue here.
    pub at: DateTime,
    /// By waiting time, the longest last: up to an hour, six hours, a day, three days, longer.
    pub by_age: Vec<(IndexedList, u64)>,
    pub unknown: u64,
    pub revoking: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sums {
    pub now: DateTime,
    pub status: IndexStatus,
    pub valid: u64,
    pub expired: u64,
    /// lapel does not know the word for their state.
    pub other: u64,
    pub issued: Series,
    pub revoked: Series,
    /// Most badges first.
    pub templates: Vec<TemplateSum>,
    pub waiting: Waits,
    /// Badges that expired in the last 30 days, and badges that expire in 0–30, 30–60 and 60–90 days.
    pub ending: Vec<(IndexedList, u64)>,
    /// The first day whose badges are all kept, if older ones are not.
    pub kept_since: Option<Date>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MailSums {
    /// Address and mail status (the service's word) of issued badges, for domains with a failed mail.
    pub mails: Vec<(String, Option<String>)>,
    pub others: u64,
}

/// In hours.
const AGES: [Option<i64>; 6] = [Some(0), Some(1), Some(6), Some(24), Some(72), None];

pub(super) fn sums(
    db: &Connection,
    (now, offset): (DateTime, Offset),
    period: Period,
    bytes: u64,
) -> rusqlite::Result<Sums> {
    let at = moment(now);
    let one = |condition: &str| stored_rows::count(db, &format!("badge WHERE {condition}"), [&at]);
    let status = status::of(db, bytes)?;
    let read = status.read_at.and_then(|at| Timestamp::from_second(at).ok());
    let read = read.map_or(now, |at| offset.to_datetime(at).min(now));
    Ok(Sums {
        now,
        status,
        valid: one(IS_VALID)?,
        expired: one(IS_EXPIRED)?,
        other: one(IS_OTHER)?,
        issued: series(db, "issued", WAS_ISSUED, now.date(), period)?,
        revoked: series(db, "revoked", IS_REVOKED, now.date(), period)?,
        templates: templates(db, &at)?,
        waiting: waiting(db, read)?,
        ending: ending(now)
            .into_iter()
            .map(|which| Ok((which.clone(), lists::count(db, &which)?)))
            .collect::<rusqlite::Result<_>>()?,
        kept_since: None,
    })
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
        spans.push(PeriodCount { from, to, count: 0 });
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
    // With max(), SQLite takes bare columns from the row with the maximum: the newest title.
    let sql = format!(
        "SELECT {}, template, title, max(coalesce(reg, ''))
         FROM badge GROUP BY template ORDER BY count(*) DESC, template LIMIT ?",
        numbers()
    );
    let mut told: Vec<TemplateSum> = db
        .prepare_cached(&sql)?
        .query_map(params![at, at, MOST_TEMPLATES], |r| {
            let which = IndexedList::Template(r.get::<_, Option<String>>(6)?.and_then(TemplateId::new));
            let title = Text::new(r.get::<_, Option<String>>(7)?.unwrap_or_default());
            template_sum(r, which, title, 1)
        })?
        .collect::<rusqlite::Result<_>>()?;
    let named: Vec<TemplateId> = told
        .iter()
        .filter_map(
            |sum| if let IndexedList::Template(Some(id)) = &sum.which { Some(id.clone()) } else { None },
        )
        .collect();
    // Badges without a template may be too few to be among the first.
    let nameless = (named.len() == told.len()).then_some(IndexedList::Template(None));
    for which in [Some(IndexedList::OtherTemplates(named)), nameless].into_iter().flatten() {
        let rest = together(db, at, &which)?;
        if rest.all > 0 {
            told.push(rest);
        }
    }
    Ok(told)
}

fn together(db: &Connection, at: &str, which: &IndexedList) -> rusqlite::Result<TemplateSum> {
    let (condition, mut values) = which.condition();
    let sql = format!("SELECT {}, count(DISTINCT template) FROM badge WHERE {condition}", numbers());
    // The placeholders above come before those of the condition.
    values.splice(0..0, [value(at), value(at)]);
    db.prepare_cached(&sql)?.query_row(params_from_iter(values), |r| {
        template_sum(r, which.clone(), Text::default(), r.get::<_, i64>(6)?.unsigned_abs())
    })
}

/// As [`template_sum`] reads them, with two moments.
fn numbers() -> String {
    let moving = format!("sum(base = 'waiting'), sum({IS_REVOKING}), sum({IS_REVOKED})");
    format!("count(*), sum({IS_VALID}), sum({IS_EXPIRED}), {moving}")
}

fn template_sum(
    row: &Row<'_>,
    which: IndexedList,
    title: Text,
    templates: u64,
) -> rusqlite::Result<TemplateSum> {
    let number = |at| row.get::<_, Option<i64>>(at).map(|n| n.unwrap_or(0).unsigned_abs());
    Ok(TemplateSum {
        which,
        title,
        templates,
        all: number(0)?,
        valid: number(1)?,
        expired: number(2)?,
        waiting: number(3)?,
        revoking: number(4)?,
        revoked: number(5)?,
    })
}

fn waiting(db: &Connection, at: DateTime) -> rusqlite::Result<Waits> {
    let ago = |hours: i64| at.checked_sub(hours.hours()).unwrap_or(DateTime::MIN);
    let mut waits = Waits { at, ..Waits::default() };
    for pair in AGES.windows(2) {
        // A time slightly ahead of the service's clock counts as just accepted.
        let younger = pair[0].filter(|hours| *hours > 0).map(ago);
        let which = IndexedList::Waiting(pair[1].map(ago), younger);
        let count = lists::count(db, &which)?;
        waits.by_age.push((which, count));
    }
    waits.unknown = lists::count(db, &IndexedList::Waiting(None, None))?;
    waits.revoking = lists::count(db, &IndexedList::Revoking)?;
    Ok(waits)
}

fn ending(now: DateTime) -> Vec<IndexedList> {
    let day = |days: i64| now.checked_add(days.days()).unwrap_or(DateTime::MAX);
    let soon = [(0, 30), (30, 60), (60, 90)].map(|(from, to)| IndexedList::Ending(day(from), day(to)));
    [IndexedList::Ended(day(-LATELY), now)].into_iter().chain(soon).collect()
}

pub(super) fn mails(db: &Connection) -> rusqlite::Result<MailSums> {
    let sql = format!(
        "SELECT email, mail FROM badge WHERE {IS_ISSUED} AND email IS NOT NULL
           AND (domain IS NULL AND {MAIL_FAILED}
                OR domain IN (SELECT DISTINCT domain FROM badge WHERE {MAIL_FAILED} AND {IS_ISSUED}))
         LIMIT ?1"
    );
    let mails: Vec<(String, Option<String>)> = db
        .prepare_cached(&sql)?
        .query_map([MOST_MAILS], |r| Ok((r.get(0)?, r.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let all = stored_rows::count(db, &format!("badge WHERE {IS_ISSUED}"), [])?;
    let others = all.saturating_sub(mails.len() as u64);
    Ok(MailSums { mails, others })
}

impl Index {
    /// `now` is the service's time, and `offset` its time zone.
    pub async fn sums(&self, now: DateTime, offset: Offset, period: Period) -> Result<Sums> {
        let (bytes, days) = (self.bytes(), i64::from(self.settings.max_age_days));
        let mut sums = self.read(move |db| sums(db, (now, offset), period, bytes)).await?;
        // Of the first day itself only a part is kept.
        let since = now.date().checked_sub((days - 1).days()).unwrap_or(Date::MIN);
        sums.kept_since = (sums.status.older > 0).then_some(since);
        Ok(sums)
    }

    pub async fn mails(&self) -> Result<MailSums> {
        self.read(mails).await
    }
}
