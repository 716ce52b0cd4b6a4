//! Eighteen months of ordinary issuing around the stories, in order of acceptance and not all in memory.

use fastrand::Rng;
use jiff::ToSpan;
use jiff::civil::{DateTime, Weekday};

use super::catalogue::{DemoValidity, Template, templates};
use super::people::{DemoHolder, holders};
use super::stories::{DemoRow, NEVER, REASONS, StoryContext, people};
use crate::sandbox::clock;

const DAY: i64 = 86_400;
const DAYS: i64 = 540;

/// Number of oldest rows that the demo's spreadsheets refer to; see [`DemoHistory::settle`].
const SETTLED: u64 = 47;

/// The last second of validity of a badge issued at `issue_at`, in a demo that began at `epoch`.
pub(in crate::sandbox) fn valid_until(
    template: &Template,
    issue_at: i64,
    epoch: i64,
    zone: i32,
) -> Option<i64> {
    let end_of = |day: DateTime| {
        let day = day.with().hour(23).minute(59).second(59).build().unwrap_or(day);
        clock::seconds(day, zone)
    };
    if issue_at >= NEVER {
        return None;
    }
    let issued = clock::civil(issue_at, zone);
    match template.validity {
        DemoValidity::None => None,
        DemoValidity::Months(months) => Some(end_of(issued.saturating_add((i64::from(months)).months()))),
        DemoValidity::Years(years) => Some(end_of(issued.saturating_add((i64::from(years)).years()))),
        DemoValidity::EndOfYear(years) => {
            let year = clock::civil(epoch, zone).year().saturating_add(years);
            Some(end_of(jiff::civil::date(year.clamp(1, 9998), 12, 31).at(0, 0, 0, 0)))
        }
    }
}

pub(in crate::sandbox) struct DemoHistory {
    pub holders: Vec<DemoHolder>,
    rng: Rng,
    templates: Vec<Template>,
    stories: Vec<DemoRow>,
    filler: u64,
    now: i64,
    zone: i32,
}

impl DemoHistory {
    pub fn plan(seed: u64, now: i64, zone: i32, count: u64) -> Self {
        let mut rng = Rng::with_seed(seed ^ 0x6c61_7065_6c00);
        // In a much larger history, each person would otherwise get thousands of badges.
        let crowd = if count > 20_000 { 620.max(count / 20) } else { 620 };
        let holders = holders(&mut rng, people(), crowd as usize);
        let mut stories = StoryContext { rng: &mut rng, holders: &holders, now, zone }.rows();
        stories.truncate(usize::try_from(count).unwrap_or(usize::MAX));
        stories.sort_by_key(|row| row.reg_at);
        let filler = count - stories.len() as u64;
        Self { holders, rng, templates: templates(), stories, filler, now, zone }
    }

    /// Passes on every row, first accepted first.
    pub fn each<E>(mut self, mut give: impl FnMut(DemoRow) -> Result<(), E>) -> Result<(), E> {
        let stories = std::mem::take(&mut self.stories);
        let mut stories = stories.into_iter().peekable();
        let holders = std::mem::take(&mut self.holders);
        let homes: Vec<Vec<usize>> = (0..3)
            .map(|home| {
                let lives =
                    |at: &usize| holders.get(*at).is_some_and(|one| one.home == home && !one.reserved);
                (0..holders.len()).filter(lives).collect()
            })
            .collect();
        let weights: Vec<f64> = (0..=DAYS - 3).map(|day| self.weight(day)).collect();
        let total: f64 = weights.iter().sum();
        let (mut sum, mut done, mut nth) = (0.0, 0, 0);
        for (day, weight) in weights.iter().enumerate() {
            sum += weight;
            let target = (self.filler as f64 * sum / total).round() as u64;
            let target = if day + 1 == weights.len() { self.filler } else { target };
            for (at, template, size) in self.batches(day as i64, target.saturating_sub(done)) {
                while let Some(row) = stories.next_if(|row| row.reg_at <= at) {
                    give(row)?;
                }
                for _ in 0..size {
                    let row = self.row(at, template, &homes);
                    nth += 1;
                    give(Self::settle(row, nth, &homes))?;
                }
            }
            done = done.max(target);
        }
        stories.try_for_each(give)
    }

    /// The demo's spreadsheets refer to the oldest rows by id, so these must not depend on the start date.
    /// Every seventh is revoked, none expires. The first is a TPL-004 badge of a person without a story.
    fn settle(row: DemoRow, nth: u64, homes: &[Vec<usize>]) -> DemoRow {
        if nth > SETTLED {
            return row;
        }
        let reason = REASONS.get((nth / 7) as usize).copied().unwrap_or("본인 요청");
        let asked = row.issue_at + 3 * DAY;
        let revoke = nth.is_multiple_of(7).then_some((asked, asked + 600, reason));
        let row = DemoRow { template: 0, revoke, ..row };
        match homes.first().and_then(|people| people.get(people.len() / 3)) {
            Some(somebody) if nth == 1 => DemoRow { holder: *somebody, template: 3, ..row },
            _ => row,
        }
    }

    fn midnight(&self, day: i64) -> i64 {
        let at = self.now - (DAYS - day) * DAY;
        at - (at + i64::from(self.zone)).rem_euclid(DAY)
    }

    fn peak(date: DateTime) -> bool {
        matches!(date.month(), 2 | 8) && date.day() >= 19
    }

    /// Higher on working days, in the two graduation seasons, and at the end of a quarter.
    fn weight(&self, day: i64) -> f64 {
        let date = clock::civil(self.midnight(day), self.zone);
        let week = match date.weekday() {
            Weekday::Saturday => 0.12,
            Weekday::Sunday => 0.04,
            _ => 1.0,
        };
        let quarter = matches!(date.month(), 3 | 6 | 9 | 12) && date.day() >= 20;
        week * if Self::peak(date) { 4.0 } else { 1.0 } * if quarter { 1.6 } else { 1.0 }
    }

    /// Each batch: time, template, number of rows.
    fn batches(&mut self, day: i64, count: u64) -> Vec<(i64, usize, u64)> {
        let midnight = self.midnight(day);
        let mut left = count;
        let mut sizes = Vec::new();
        while left > 0 {
            let size = (1 + (self.rng.f64().powi(3) * 39.0) as u64).min(left);
            left -= size;
            sizes.push(size);
        }
        let mut times: Vec<i64> =
            sizes.iter().map(|_| midnight + self.rng.i64(9 * 3600..18 * 3600)).collect();
        times.sort_unstable();
        times
            .into_iter()
            .zip(sizes)
            .map(|(at, size)| {
                let template = self.template(at);
                (at, template, size)
            })
            .collect()
    }

    /// The choice makes about one in seven badges expire by now.
    fn template(&mut self, at: i64) -> usize {
        let date = clock::civil(at, self.zone);
        let expired = |this: &Self, template: usize| {
            let until =
                this.templates.get(template).and_then(|one| valid_until(one, at, this.now, this.zone));
            until.is_some_and(|until| until < this.now)
        };
        if self.rng.f64() < 0.165 {
            let soon: Vec<usize> =
                [32, 32, 33, 21, 17].into_iter().filter(|one| expired(self, *one)).collect();
            if let Some(one) = self.rng.choice(&soon) {
                return *one;
            }
        }
        for _ in 0..40 {
            let share = if Self::peak(date) { [78, 90] } else { [45, 72] };
            let template = match self.rng.u32(0..100) {
                roll if roll < share[0] => self.rng.usize(0..18),
                roll if roll < share[1] => self.rng.usize(18..32),
                _ => self.rng.usize(32..40),
            };
            let old = self.now - at > 300 * DAY;
            let in_use = self.templates.get(template).is_some_and(|one| one.in_use);
            if (in_use || old) && !expired(self, template) {
                return template;
            }
        }
        0
    }

    fn row(&mut self, at: i64, template: usize, homes: &[Vec<usize>]) -> DemoRow {
        let org = self.templates.get(template).map_or(0, |one| one.org);
        let home = if self.rng.u8(0..100) < 88 { org } else { self.rng.usize(0..3) };
        let holder = homes.get(home).and_then(|people| self.rng.choice(people)).copied().unwrap_or(0);
        // Mostly quick, sometimes most of a day. Never later than the day before yesterday.
        let took = 300 + (self.rng.f64().powi(12) * 86_100.0) as i64;
        let mut row = DemoRow::issued(holder, template, at, at + took);
        row.mail = match self.rng.u16(0..1000) {
            0..=11 => "FAIL",
            12..=19 => "BOUNCE",
            20..=24 => "",
            25..=29 => "발송대기",
            30..=33 => "WAIT",
            _ => "SENT",
        };
        if self.rng.u16(0..1000) < 67 {
            let asked = row.issue_at + self.rng.i64(3600..30 * DAY);
            if asked < self.now - 7200 {
                let reason = REASONS.get(self.rng.usize(0..REASONS.len())).copied().unwrap_or("본인 요청");
                row.revoke = Some((asked, asked + self.rng.i64(120..1800), reason));
            }
        }
        row
    }
}
