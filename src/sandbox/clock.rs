//! The service's own time.
//!
//! Issuing takes up to a day, so the clock is virtual: now = start + elapsed real time * speed + jumps. The
//! state of a badge is computed from stored times on each request, so that the clock can jump.

use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::{Offset, TimeZone};

/// The last second of the clock (in December 9998), before the calendar ends.
const END: i64 = 253_370_000_000;

#[derive(Debug)]
pub struct Clock {
    run: Mutex<ClockRun>,
}

#[derive(Debug, Clone, Copy)]
struct ClockRun {
    /// Virtual time in microseconds since 1970 UTC, at `since`.
    at: i64,
    since: Instant,
    speed: f64,
}

impl ClockRun {
    fn now(&self) -> i64 {
        let passed = self.since.elapsed().as_secs_f64() * self.speed * 1e6;
        self.at.saturating_add(passed as i64).min(END * 1_000_000)
    }
}

impl Clock {
    /// `start` is in seconds since 1970 UTC.
    pub fn new(start: i64, speed: f64) -> Self {
        let run =
            ClockRun { at: start.saturating_mul(1_000_000), since: Instant::now(), speed: sound(speed) };
        Self { run: Mutex::new(run) }
    }

    fn run(&self) -> MutexGuard<'_, ClockRun> {
        super::lock(&self.run)
    }

    /// Seconds since 1970 UTC.
    pub fn now(&self) -> i64 {
        self.run().now().div_euclid(1_000_000)
    }

    /// Virtual seconds per real second.
    pub fn speed(&self) -> f64 {
        self.run().speed
    }

    pub fn advance(&self, by: Duration) {
        let mut run = self.run();
        let jump = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
        let now = run.now().saturating_add(jump).min(END * 1_000_000);
        *run = ClockRun { at: now, since: Instant::now(), speed: run.speed };
    }

    /// 0 stops the clock.
    pub fn set_speed(&self, speed: f64) {
        let mut run = self.run();
        *run = ClockRun { at: run.now(), since: Instant::now(), speed: sound(speed) };
    }
}

fn sound(speed: f64) -> f64 {
    if speed.is_finite() { speed.clamp(0.0, 1e7) } else { 1.0 }
}

/// The local time in the zone of the `zone` switch.
pub fn civil(seconds: i64, zone: i32) -> DateTime {
    let local = Timestamp::from_second(seconds.saturating_add(zone.into())).unwrap_or(Timestamp::UNIX_EPOCH);
    local.to_zoned(TimeZone::UTC).datetime()
}

/// Seconds since 1970 UTC of a local time in the service's zone.
pub fn seconds(at: DateTime, zone: i32) -> i64 {
    Offset::UTC.to_timestamp(at).map_or(0, Timestamp::as_second) - i64::from(zone)
}

/// `YYYY-MM-DD HH:MM:SS`, the contract's timestamp.
pub fn stamp(at: i64, zone: i32) -> String {
    civil(at, zone).strftime("%F %T").to_string()
}

pub fn day(at: i64, zone: i32) -> String {
    civil(at, zone).strftime("%F").to_string()
}

/// Parses only `YYYY-MM-DD`; the result is the first second of that day.
pub fn read_day(text: &str, zone: i32) -> Option<i64> {
    // Other forms, such as `20260101`, also parse.
    let date = text.parse::<Date>().ok().filter(|date| date.strftime("%F").to_string() == text)?;
    Some(seconds(date.to_datetime(jiff::civil::Time::midnight()), zone))
}

pub fn http_date(at: i64) -> String {
    let at = u64::try_from(at).unwrap_or(0).min(END.unsigned_abs());
    httpdate::fmt_http_date(std::time::UNIX_EPOCH + Duration::from_secs(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NINE: i32 = 9 * 3600;

    #[test]
    fn times_are_written_in_the_zone_of_the_service() {
        assert_eq!(stamp(0, NINE), "1970-01-01 09:00:00");
        assert_eq!(day(-1, 0), "1969-12-31");
        assert_eq!(read_day("1970-01-02", NINE), Some(86_400 - 32_400));
        for wrong in ["2026-1-1", "2026-02-30", "20260101", "2026-01-01T00:00", "", "٢٠٢٦-٠١-٠١"] {
            assert_eq!(read_day(wrong, NINE), None, "{wrong}");
        }
        assert_eq!(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
    }

    #[test]
    fn a_frozen_clock_moves_only_when_pushed() {
        let clock = Clock::new(1000, 0.0);
        assert_eq!(clock.now(), 1000);
        clock.advance(Duration::from_secs(86_400));
        assert_eq!(clock.now(), 87_400);
        clock.set_speed(f64::NAN);
        assert!((clock.speed() - 1.0).abs() < f64::EPSILON);
        clock.advance(Duration::MAX);
        assert_eq!(clock.now(), END);
        let _ = (http_date(END), stamp(END, NINE));
    }
}
