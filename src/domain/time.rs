//! Service time: timestamps without a zone (contract, "Resources and their fields"), and the clock that
//! tells how old they are.

use super::text::{Text, scrub};
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};
use std::fmt;
use std::time::Instant;

/// A time as the service wrote it. The raw text is kept for showing, since not every text that a service
/// writes is a time (`24:00:00`, `2026-13-01`); what could be read of it decides.
#[derive(Clone, PartialEq, Eq)]
pub struct ServiceTime {
    raw: Text,
    read: Option<Read>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    Day(Date),
    Moment(DateTime),
}

impl ServiceTime {
    /// Reads `YYYY-MM-DD HH:MM:SS` or `YYYY-MM-DD`; anything else is kept as text only. `None` when empty or
    /// all zeros.
    pub fn new(raw: &str) -> Option<Self> {
        let trimmed = raw.trim();
        // Databases write `0000-00-00 00:00:00` for "no time".
        let blank = trimmed.bytes().all(|b| b"0-: T.".contains(&b));
        if trimmed.is_empty() || blank {
            return None;
        }
        // strptime, not parse: parse takes a bare date for a timestamp and drops an offset unsaid. A
        // fraction is dropped on purpose; a zone is not, since the contract says there is none.
        let stamp = trimmed.replacen('T', " ", 1);
        let stamp = stamp.split_once('.').map_or(stamp.as_str(), |(head, tail)| {
            if tail.bytes().all(|b| b.is_ascii_digit()) { head } else { stamp.as_str() }
        });
        let read = DateTime::strptime("%Y-%m-%d %H:%M:%S", stamp)
            .map(Read::Moment)
            .or_else(|_| Date::strptime("%Y-%m-%d", trimmed).map(Read::Day))
            .ok();
        Some(Self { raw: Text::new(trimmed), read })
    }

    /// The text as it came.
    pub fn raw(&self) -> &Text {
        &self.raw
    }

    /// The day, where the text could be read.
    pub fn day(&self) -> Option<Date> {
        self.read.map(|r| match r {
            Read::Day(d) => d,
            Read::Moment(m) => m.date(),
        })
    }

    /// The moment that this time begins: a bare date begins at midnight.
    pub fn start(&self) -> Option<DateTime> {
        self.read.map(|r| match r {
            Read::Day(d) => d.to_datetime(jiff::civil::Time::midnight()),
            Read::Moment(m) => m,
        })
    }

    /// The last moment that this time covers: a bare date covers its whole day. The contract does not say
    /// whether `valid_until` given as a date ends before or after that day; the kinder reading is taken and
    /// [`ServiceTime::is_date_only`] lets a screen say so.
    pub fn end(&self) -> Option<DateTime> {
        self.read.map(|r| match r {
            Read::Day(d) => d.to_datetime(jiff::civil::time(23, 59, 59, 0)),
            Read::Moment(m) => m,
        })
    }

    /// Whether only a day was given.
    pub fn is_date_only(&self) -> bool {
        matches!(self.read, Some(Read::Day(_)))
    }

    /// Whether this is one of the far-future dates that services write for "no end".
    pub fn is_forever(&self) -> bool {
        self.day().is_some_and(|d| d.year() >= 9000)
    }

    /// Without the seconds, which nobody asks for: `2026-11-02 09:41`; a bare date and what is unreadable as
    /// they came.
    pub fn to_minute(&self) -> String {
        match self.read {
            Some(Read::Moment(m)) => m.strftime("%Y-%m-%d %H:%M").to_string(),
            _ => self.raw.shown().into_owned(),
        }
    }

    /// For a narrow column: `11-02 09:41` in the year of `now`, `2025-11-02` in another; the raw text where
    /// unreadable.
    pub fn short(&self, now: Option<DateTime>) -> String {
        let same_year = |d: Date| now.is_some_and(|n| n.year() == d.year());
        match self.read {
            Some(Read::Day(d)) if same_year(d) => d.strftime("%m-%d").to_string(),
            Some(Read::Moment(m)) if same_year(m.date()) => m.strftime("%m-%d %H:%M").to_string(),
            Some(Read::Day(d)) => d.to_string(),
            Some(Read::Moment(m)) => m.date().to_string(),
            None => self.raw.shown().into_owned(),
        }
    }
}

impl fmt::Display for ServiceTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&scrub(self.raw.wire()))
    }
}

impl fmt::Debug for ServiceTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", scrub(self.raw.wire()))
    }
}

/// `+09:00`, `-03:30`, up to 14 hours, which is as far as the earth goes; minutes of 0 may be left out.
pub fn read_offset(raw: &str) -> Option<Offset> {
    let (sign, rest) = match raw.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "00"));
    let two =
        |s: &str| (s.len() == 2 && s.bytes().all(|b| b.is_ascii_digit())).then(|| s.parse::<i32>().ok())?;
    let (hours, minutes) = (two(hours)?, two(minutes)?);
    if minutes > 59 || hours * 60 + minutes > 14 * 60 {
        return None;
    }
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

/// Zones are multiples of so many seconds.
const QUARTER: i64 = 15 * 60;
/// Seconds that two clocks may be apart without telling anything of their zones.
const SLACK: i64 = 5 * 60;
/// Seconds that no zone is further from UTC.
const FURTHEST: i64 = 14 * 3600;

/// What lapel knows of the service's clock: the `Date` header of its answers gives the moment, an offset
/// turns it into the zone-less time that records carry, and a speed other than 1 is a sandbox's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServiceClock {
    anchor: Option<(Timestamp, Instant)>,
    speed: f64,
    offset: Offset,
    basis: OffsetBasis,
}

/// Where the offset of a [`ServiceClock`] comes from; a person is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetBasis {
    /// This computer's zone, for want of anything better: the contract gives no zone.
    ThisComputer,
    /// This computer's zone puts something into the future that has happened: the service's zone is at least so far
    /// ahead, and may be further.
    AtLeast,
    /// The profile's setting.
    Setting,
    /// A record whose moment lapel knew.
    Learned,
}

impl ServiceClock {
    /// A clock that has not heard from the service yet. `offset` is the profile's setting, if it has one.
    pub fn new(offset: Option<Offset>, speed: f64) -> Self {
        let (offset, basis) = match offset {
            Some(o) => (o, OffsetBasis::Setting),
            None => (jiff::tz::TimeZone::system().to_offset(Timestamp::now()), OffsetBasis::ThisComputer),
        };
        Self { anchor: None, speed, offset, basis }
    }

    /// Takes the `Date` header of an answer that arrived at `at`.
    pub fn hear(&mut self, date: Timestamp, at: Instant) {
        self.anchor = Some((date, at));
    }

    /// Whether the service's own clock was ever heard; until then this computer's stands in.
    pub fn is_heard(&self) -> bool {
        self.anchor.is_some()
    }

    /// How many service seconds pass in a real one; 1 for any real service.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Where the offset comes from.
    pub fn basis(&self) -> OffsetBasis {
        self.basis
    }

    /// Whether the offset is more than an assumption: only then do ages and what is overdue hold.
    pub fn is_zone_known(&self) -> bool {
        matches!(self.basis, OffsetBasis::Setting | OffsetBasis::Learned)
    }

    /// The offset in use, such as `+09`.
    pub fn offset(&self) -> Offset {
        self.offset
    }

    /// The service's moment, in UTC. Before the first answer: this computer's.
    pub fn utc(&self) -> Timestamp {
        match self.anchor {
            Some((date, at)) => {
                let elapsed = at.elapsed().mul_f64(self.speed.clamp(0.0, 1e6));
                date.checked_add(SignedDuration::try_from(elapsed).unwrap_or(SignedDuration::ZERO))
                    .unwrap_or(date)
            }
            None => Timestamp::now(),
        }
    }

    /// The service's now, in the zone-less time that its records use.
    pub fn now(&self) -> DateTime {
        self.offset.to_datetime(self.utc())
    }

    /// Takes an offset that was learned at another time, where nothing better is known.
    pub fn recall(&mut self, offset: Offset) {
        if !self.is_zone_known() {
            (self.offset, self.basis) = (offset, OffsetBasis::Learned);
        }
    }

    /// Takes the time that the service wrote for something that has happened. Where the offset is only assumed and
    /// that time would still be to come, the offset is too small: the smallest one takes its place that would not.
    /// A time that no zone explains says nothing.
    pub fn reach(&mut self, recorded: &ServiceTime) {
        let Some(Read::Moment(recorded)) = recorded.read else { return };
        if self.is_zone_known() {
            return;
        }
        let ahead = recorded.duration_since(self.now()).as_secs() - SLACK;
        let wanted = i64::from(self.offset.seconds()).saturating_add(ahead);
        // Rounded up.
        let snapped = wanted.saturating_add(QUARTER - 1).div_euclid(QUARTER) * QUARTER;
        if ahead > 0
            && snapped <= FURTHEST
            && let Some(offset) = i32::try_from(snapped).ok().and_then(|s| Offset::from_seconds(s).ok())
        {
            (self.offset, self.basis) = (offset, OffsetBasis::AtLeast);
        }
    }

    /// Learns the offset from a record whose moment is known: `recorded` is what the service wrote for
    /// something that happened at `happened`. Zones are multiples of 15 minutes; more than 5 minutes off
    /// such a multiple proves nothing, and nothing is learned.
    pub fn learn(&mut self, recorded: &ServiceTime, happened: Timestamp) -> bool {
        let Some(Read::Moment(recorded)) = recorded.read else { return false };
        let Ok(as_utc) = Offset::UTC.to_timestamp(recorded) else { return false };
        let apart = as_utc.as_second() - happened.as_second();
        let snapped = (apart as f64 / QUARTER as f64).round() as i64 * QUARTER;
        if (apart - snapped).abs() > SLACK {
            return false;
        }
        let Some(offset) = i32::try_from(snapped).ok().and_then(|s| Offset::from_seconds(s).ok()) else {
            return false;
        };
        if snapped.abs() > FURTHEST {
            return false;
        }
        self.offset = offset;
        self.basis = OffsetBasis::Learned;
        true
    }
}

/// `42 min`, `31 h`, `12 d`: one unit, rounded down, never negative.
pub fn age(duration: SignedDuration) -> String {
    let minutes = duration.as_mins().max(0);
    match minutes {
        0 => t!("under 1 min").to_owned(),
        1..=119 => t!("{minutes} min", minutes),
        120..=2879 => t!("{hours} h", hours = minutes / 60),
        _ => t!("{days} d", days = minutes / (60 * 24)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::datetime;

    fn time(raw: &str) -> ServiceTime {
        ServiceTime::new(raw).expect("not empty")
    }

    #[test]
    fn offsets_are_read_strictly() {
        for (raw, seconds) in [("+09:00", 32_400), ("-03:30", -12_600), ("+00:00", 0), ("+09", 32_400)] {
            assert_eq!(read_offset(raw).map(Offset::seconds), Some(seconds), "{raw}");
        }
        for wrong in
            ["", "9", "+9:00", "09:00", "+09:60", "+15:00", "+", "+09:00:00", "KST", "＋09:00", "+-9:00"]
        {
            assert!(read_offset(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn what_has_happened_is_not_to_come_whatever_the_zone_was_assumed_to_be() {
        let now = Timestamp::now();
        let mut clock = ServiceClock {
            anchor: Some((now, Instant::now())),
            speed: 0.0,
            offset: Offset::UTC,
            basis: OffsetBasis::ThisComputer,
        };
        let at = |minutes: i64| {
            let at = Offset::UTC.to_datetime(now) + SignedDuration::from_mins(minutes);
            time(&at.strftime("%Y-%m-%d %H:%M:%S").to_string())
        };
        // Past, or within what two clocks may differ by; not of this world; no time at all.
        for nothing in [at(-600), at(0), at(4), at(15 * 60 + 10), time("9999-12-31"), time("soon")] {
            clock.reach(&nothing);
            assert_eq!(
                (clock.offset(), clock.basis()),
                (Offset::UTC, OffsetBasis::ThisComputer),
                "{nothing}"
            );
        }
        clock.reach(&at(8 * 60 + 18));
        assert_eq!(clock.offset(), Offset::constant(8) + SignedDuration::from_mins(15));
        assert!(!clock.is_zone_known() && clock.basis() == OffsetBasis::AtLeast);
        clock.reach(&at(8 * 60 + 55));
        assert_eq!(clock.offset(), Offset::constant(9));
        clock.reach(&at(120));
        assert_eq!(clock.offset(), Offset::constant(9), "it only grows");
        clock.recall(Offset::constant(10));
        assert!(clock.is_zone_known());
        clock.reach(&at(13 * 60));
        assert_eq!(clock.offset(), Offset::constant(10), "what is known stays");
    }

    /// What is learned is written down as it is shown.
    #[test]
    fn an_offset_that_is_shown_is_read_again() {
        for minutes in (-14 * 60..=14 * 60).step_by(15) {
            let offset = Offset::from_seconds(minutes * 60).expect("an offset");
            assert_eq!(read_offset(&offset.to_string()), Some(offset));
        }
    }

    #[test]
    fn reads_timestamps_and_dates_and_keeps_the_rest_as_text() {
        assert_eq!(time("2026-11-02 09:41:00").start(), Some(datetime(2026, 11, 2, 9, 41, 0, 0)));
        assert_eq!(time("2026-11-02T09:41:00").start(), Some(datetime(2026, 11, 2, 9, 41, 0, 0)));
        assert_eq!(time("2026-11-02 09:41:00.123").start(), Some(datetime(2026, 11, 2, 9, 41, 0, 0)));
        let day = time("2028-11-21");
        assert!(day.is_date_only());
        assert_eq!(day.end(), Some(datetime(2028, 11, 21, 23, 59, 59, 0)));
        for odd in ["2026-13-01", "soon", "2026-11-02 09:41:00+09:00", "2026-11-02 24:00:00"] {
            assert_eq!(time(odd).start(), None, "{odd}");
            assert_eq!(time(odd).to_string(), odd);
        }
        assert!(ServiceTime::new("  ").is_none());
        assert!(ServiceTime::new("0000-00-00 00:00:00").is_none());
        assert!(ServiceTime::new("0000-00-00").is_none());
        assert!(time("9999-12-31").is_forever());
    }

    #[test]
    fn short_form_drops_the_year_of_now_only() {
        let now = Some(datetime(2026, 11, 21, 0, 0, 0, 0));
        assert_eq!(time("2026-11-02 09:41:33").short(now), "11-02 09:41");
        assert_eq!(time("2025-11-02 09:41:33").short(now), "2025-11-02");
        assert_eq!(time("2028-11-21").short(now), "2028-11-21");
        assert_eq!(time("2026-11-02 09:41:33").short(None), "2026-11-02");
    }

    #[test]
    fn learns_an_offset_only_from_evidence() {
        let mut clock = ServiceClock::new(None, 1.0);
        let happened: Timestamp = "2026-11-21T00:00:00Z".parse().expect("a timestamp");
        assert!(clock.learn(&time("2026-11-21 09:00:40"), happened));
        assert_eq!(clock.offset().seconds(), 9 * 3600);
        assert_eq!(clock.basis(), OffsetBasis::Learned);
        assert!(!clock.learn(&time("2026-11-21 09:07:30"), happened), "half-way between two zones");
        assert!(!clock.learn(&time("2026-11-23 09:00:00"), happened), "no zone is that far away");
        assert!(!clock.learn(&time("2026-11-21"), happened), "a day is not a moment");
        assert_eq!(clock.offset().seconds(), 9 * 3600);
    }

    #[test]
    fn ages_have_one_unit() {
        assert_eq!(age(SignedDuration::from_secs(20)), "under 1 min");
        assert_eq!(age(SignedDuration::from_mins(42)), "42 min");
        assert_eq!(age(SignedDuration::from_hours(31)), "31 h");
        assert_eq!(age(SignedDuration::from_hours(12 * 24 + 3)), "12 d");
        assert_eq!(age(SignedDuration::from_secs(-5)), "under 1 min");
    }
}
