//! Filtered, sorted and paged lists of badges.
//!
//! Every page of a million rows must be equally fast. The numbers of the plain history have no gaps, so the
//! position of a page can be computed. For other lists, the numbers of all matching rows are read once, and
//! cached until the data or a badge's state changes.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{OptionalExtension as _, params_from_iter};

use super::{Badge, BadgeStore};

/// Maximum cached numbers (4 bytes each). The cache is cleared beyond this.
const ROOM: usize = 12_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sandbox) enum OrderDirection {
    Ascending,
    Descending,
}

/// A column to sort by, as an SQL expression over the tables b, r and t.
#[derive(Debug, Clone)]
pub(in crate::sandbox) struct OrderBy {
    pub expression: String,
    pub direction: OrderDirection,
}

#[derive(Debug, Clone, Default)]
pub(in crate::sandbox) struct ListQuery {
    conditions: Vec<String>,
    values: Vec<Value>,
    pub order: Vec<OrderBy>,
    /// Without an order, and between equal rows.
    pub oldest_first: bool,
    /// Whether the result may change every second, as with expiry. It is not cached then.
    pub fleeting: bool,
}

impl ListQuery {
    /// The values replace the `?` in order, and the current time `$now`.
    pub fn only(&mut self, condition: impl Into<String>, values: impl IntoIterator<Item = Value>) {
        self.conditions.push(condition.into());
        self.values.extend(values);
    }

    fn sql(&self) -> String {
        let mut sql = String::from("SELECT b.seq FROM badge b");
        let wants = |table: &str| self.order.iter().any(|order| order.expression.starts_with(table));
        if wants("r.") {
            sql.push_str(" JOIN recipient r ON r.id = b.recipient");
        }
        if wants("t.") {
            sql.push_str(" JOIN template t ON t.id = b.template");
        }
        for (at, condition) in self.conditions.iter().enumerate() {
            let _ = write!(sql, " {} ({condition})", if at == 0 { "WHERE" } else { "AND" });
        }
        sql.push_str(" ORDER BY ");
        for OrderBy { expression, direction } in &self.order {
            let word = if *direction == OrderDirection::Ascending { "ASC" } else { "DESC" };
            let _ = write!(sql, "{expression} {word}, ");
        }
        sql.push_str(if self.oldest_first { "b.seq ASC" } else { "b.seq DESC" });
        sql
    }
}

#[derive(Default)]
pub(super) struct ListCache {
    known: HashMap<String, CachedList>,
    /// First number, last number and count of all rows.
    extent: Option<(i64, i64, i64)>,
}

struct CachedList {
    numbers: Arc<Vec<u32>>,
    /// The first second at which the view may be wrong.
    until: i64,
    from: i64,
}

impl BadgeStore {
    pub(super) fn changed(&mut self) {
        self.views = ListCache::default();
    }

    fn extent(&mut self) -> rusqlite::Result<(i64, i64, i64)> {
        if let Some(extent) = self.views.extent {
            return Ok(extent);
        }
        let (first, last): (i64, i64) = self.db.query_row(
            "SELECT coalesce((SELECT min(seq) FROM badge), 1), coalesce((SELECT max(seq) FROM badge), 0)",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let count = self.db.query_row("SELECT count(*) FROM badge", [], |row| row.get(0))?;
        self.views.extent = Some((first, last, count));
        Ok((first, last, count))
    }

    /// `window` receives the number of all rows and returns the wanted positions (from 0).
    pub fn list(
        &mut self,
        listing: &ListQuery,
        now: i64,
        window: impl FnOnce(u64) -> Range<u64>,
    ) -> rusqlite::Result<(u64, Range<u64>, Vec<Badge>)> {
        let plain = listing.conditions.is_empty() && listing.order.is_empty();
        let (first, last, count) = if plain { self.extent()? } else { (0, 0, 0) };
        if plain && last - first + 1 == count {
            let total = count.unsigned_abs();
            let range = clip(window(total), total);
            let seq = |at: u64| {
                if listing.oldest_first { first + at.cast_signed() } else { last - at.cast_signed() }
            };
            let rows = self.fetch(range.clone().map(seq))?;
            return Ok((total, range, rows));
        }
        let numbers = self.numbers(listing, now)?;
        let total = numbers.len() as u64;
        let range = clip(window(total), total);
        let wanted = numbers.get(range.start as usize..range.end as usize).unwrap_or_default();
        let rows = self.fetch(wanted.iter().map(|seq| i64::from(*seq)))?;
        Ok((total, range, rows))
    }

    fn fetch(&self, seqs: impl Iterator<Item = i64>) -> rusqlite::Result<Vec<Badge>> {
        seqs.filter_map(|seq| self.badge(seq).transpose()).collect()
    }

    fn numbers(&mut self, listing: &ListQuery, now: i64) -> rusqlite::Result<Arc<Vec<u32>>> {
        // The time is not part of the name. `from` and `until` cover it.
        let sql = listing.sql();
        let name = format!("{sql}{:?}", listing.values);
        if let Some(view) = self.views.known.get(&name)
            && (view.from..view.until).contains(&now)
            && !listing.fleeting
        {
            return Ok(view.numbers.clone());
        }
        let numbers: Vec<u32> = self
            .db
            .prepare_cached(&sql.replace("$now", &now.to_string()))?
            .query_map(params_from_iter(&listing.values), |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let numbers = Arc::new(numbers);
        if !listing.fleeting {
            let is_timed = sql.contains("$now");
            let until = if is_timed { self.next_change(now)? } else { i64::MAX };
            let from = if is_timed { now } else { i64::MIN };
            let held: usize = self.views.known.values().map(|view| view.numbers.len() + 1000).sum();
            if held + numbers.len() > ROOM {
                self.views.known.clear();
            }
            self.views.known.insert(name, CachedList { numbers: numbers.clone(), until, from });
        }
        Ok(numbers)
    }

    fn next_change(&self, now: i64) -> rusqlite::Result<i64> {
        let mut next = i64::MAX;
        for column in ["issue_at", "revoke_at", "revoked_at"] {
            let sql = format!("SELECT {column} FROM badge WHERE {column} > ?1 ORDER BY {column} LIMIT 1");
            let found: Option<i64> =
                self.db.prepare_cached(&sql)?.query_row([now], |row| row.get(0)).optional()?;
            next = next.min(found.unwrap_or(i64::MAX));
        }
        Ok(next)
    }
}

fn clip(range: Range<u64>, total: u64) -> Range<u64> {
    let end = range.end.min(total);
    range.start.min(end)..end
}
