//! Service time: timestamps without a time zone (contract, "Resources and their fields"), and the clock that
//! computes their age.

use super::text::{Text, scrub};
use crate::i18n::Localizable;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};
use std::fmt;
use std::time::Instant;

/// A time as the service wrote it. The raw text is kept for display, since a service may write
/// texts that are no time (`24:00:00`, `2026-13-01`).
#[derive(Clone, PartialEq, Eq)]
pub struct ServiceTime {
    raw: Text,
    start: Option<DateTime>,
    is_date_only: bool,
}

impl ServiceTime {
    /// Parses `YYYY-MM-DD HH:MM:SS` or `YYYY-MM-DD`, and keeps any other text as raw text only.
    /// `None` when empty or all zeros.
    pub fn new(raw: &str) -> Option<Self> {
        let trimmed = raw.trim();
        // Databases write `0000-00-00 00:00:00` for "no time".
        let blank = trimmed.bytes().all(|b| b"0-: T.".contains(&b));
        if trimmed.is_empty() || blank {
            return None;
        }
        // `parse` would read a bare date as a timestamp and silently drop an offset. A fraction is
        // dropped on purpose. A text with a zone is not read, because the contract has none.
        let stamp = trimmed.replacen('T', " ", 1);
        let stamp = stamp.split_once('.').map_or(stamp.as_str(), |(head, tail)| {
            if tail.bytes().all(|b| b.is_ascii_digit()) { head } else { stamp.as_str() }
        });
        let moment = DateTime::strptime("%Y-%m-%d %H:%M:%S", stamp).ok();
        let midnight = || Some(Date::strptime("%Y-%m-%d", trimmed).ok()?.to_datetime(Time::midnight()));
        let start = moment.or_else(midnight);
        Some(Self { raw: Text::new(trimmed), start, is_date_only: start.is_some() && moment.is_none() })
    }

    pub fn raw(&self) -> &Text {
        &self.raw
    }

    /// `None` when the text is not a time.
    pub fn day(&self) -> Option<Date> {
        self.start.map(DateTime::date)
    }

    /// A bare date starts at midnight.
    pub fn start(&self) -> Option<DateTime> {
        self.start
    }

    fn moment(&self) -> Option<DateTime> {
        self.start.filter(|_| !self.is_date_only)
    }

    /// A bare date covers its whole day. The contract does not say whether a `valid_until` date
    /// ends before or after that day; lapel assumes after.
    pub fn end(&self) -> Option<DateTime> {
        let last = |day: DateTime| day.date().to_datetime(jiff::civil::time(23, 59, 59, 0));
        if self.is_date_only { self.start.map(last) } else { self.start }
    }

    pub fn is_date_only(&self) -> bool {
        self.is_date_only
    }

    /// Services write a far-future date for "no end".
    pub fn is_forever(&self) -> bool {
        self.day().is_some_and(|d| d.year() >= 9000)
    }

    /// `2026-11-02 09:41`. A bare date and an unreadable text stay unchanged.
    pub fn to_minute(&self) -> String {
        match self.moment() {
            Some(moment) => moment.strftime("%Y-%m-%d %H:%M").to_string(),
            None => self.raw.shown().into_owned(),
        }
    }

    /// `2026-11-02`. An unreadable text stays unchanged.
    pub fn to_day(&self) -> String {
        self.day().map_or_else(|| self.raw.shown().into_owned(), |day| day.to_string())
    }

    /// `11-02 09:41` in the year of `now`, `2025-11-02` in another year. An unreadable text stays unchanged.
    pub fn short(&self, now: Option<DateTime>) -> String {
        match self.start {
            Some(start) if now.is_some_and(|now| now.year() == start.year()) => {
                start.strftime(if self.is_date_only { "%m-%d" } else { "%m-%d %H:%M" }).to_string()
            }
            _ => self.to_day(),
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

/// `+09:00` or `-03:30`, up to 14 hours, the largest real offset. Minutes of 0 may be omitted.
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

pub fn example_offset() -> String {
    let own = jiff::tz::TimeZone::try_system().map(|zone| zone.to_offset(Timestamp::now()));
    offset_text(own.unwrap_or_else(|_| Offset::constant(9)))
}

/// As in the settings: `+09:00`.
pub fn offset_text(offset: Offset) -> String {
    let (sign, minutes) = sign_and_minutes(offset);
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// For display: `UTC+9`.
pub fn zone_name(offset: Offset) -> String {
    let (sign, minutes) = sign_and_minutes(offset);
    match minutes % 60 {
        0 => format!("UTC{sign}{}", minutes / 60),
        rest => format!("UTC{sign}{}:{rest:02}", minutes / 60),
    }
}

fn sign_and_minutes(offset: Offset) -> (char, i32) {
    let minutes = offset.seconds() / 60;
    (if minutes < 0 { '-' } else { '+' }, minutes.abs())
}

/// In seconds: offsets are multiples of this.
const QUARTER: i64 = 15 * 60;
/// In seconds: a smaller difference between two clocks proves nothing about their time zones.
const SLACK: i64 = 5 * 60;
/// Maximum offset from UTC, in seconds.
const FURTHEST: i64 = 14 * 3600;

/// The `Date` header of the answers gives the moment. An offset converts it to the zone-less time
/// of the records. Only a sandbox has a speed other than 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServiceClock {
    anchor: Option<(Timestamp, Instant)>,
    speed: f64,
    offset: Offset,
    basis: OffsetBasis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetBasis {
    /// The contract gives no zone.
    ThisComputer,
    /// Nor is the zone of this computer known: UTC.
    Unknown,
    /// By the assumed zone a past event would lie in the future, so the offset is at least this large.
    AtLeast,
    Setting,
    /// A record of an event whose moment lapel knew.
    Learned,
}

/// The service's offset as an earlier session knew it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownOffset {
    Learned(Offset),
    AtLeast(Offset),
}

impl ServiceClock {
    /// `offset` is the profile's setting.
    pub fn new(offset: Option<Offset>, speed: f64) -> Self {
        let (offset, basis) = match offset {
            Some(o) => (o, OffsetBasis::Setting),
            None => {
                let zone = jiff::tz::TimeZone::system();
                let basis = if zone.is_unknown() { OffsetBasis::Unknown } else { OffsetBasis::ThisComputer };
                (zone.to_offset(Timestamp::now()), basis)
            }
        };
        Self { anchor: None, speed, offset, basis }
    }

    /// `date` is the `Date` header of an answer that arrived at `at`.
    pub fn hear(&mut self, date: Timestamp, at: Instant) {
        self.anchor = Some((date, at));
    }

    /// Until an answer has set the clock, this computer's clock is used.
    pub fn is_heard(&self) -> bool {
        self.anchor.is_some()
    }

    /// Service seconds per real second. 1 for any real service.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    pub fn basis(&self) -> OffsetBasis {
        self.basis
    }

    /// Otherwise ages and overdue states are not reliable.
    pub fn is_zone_known(&self) -> bool {
        matches!(self.basis, OffsetBasis::Setting | OffsetBasis::Learned)
    }

    pub fn offset(&self) -> Offset {
        self.offset
    }

    /// What another clock of the same service can [recall](Self::recall).
    pub fn known(&self) -> Option<KnownOffset> {
        match self.basis {
            OffsetBasis::Learned => Some(KnownOffset::Learned(self.offset)),
            OffsetBasis::AtLeast => Some(KnownOffset::AtLeast(self.offset)),
            OffsetBasis::ThisComputer | OffsetBasis::Unknown | OffsetBasis::Setting => None,
        }
    }

    /// Before the first answer, this computer's time.
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

    /// The two clocks differ where one is wrong, and in a sandbox with another speed.
    pub fn of_this_computer(&self, at: Timestamp) -> Timestamp {
        let ago = Timestamp::now().duration_since(at).as_secs_f64() * self.speed.clamp(0.0, 1e6);
        let ago = SignedDuration::try_from_secs_f64(ago).unwrap_or(SignedDuration::ZERO);
        self.utc().checked_sub(ago).unwrap_or(at)
    }

    pub fn now(&self) -> DateTime {
        self.offset.to_datetime(self.utc())
    }

    pub fn short(&self, at: Timestamp) -> String {
        let time = self.offset.to_datetime(at);
        let form = if time.year() == self.now().year() { "%m-%d %H:%M" } else { "%Y-%m-%d" };
        time.strftime(form).to_string()
    }

    pub fn to_minute(&self, at: Timestamp) -> String {
        self.offset.to_datetime(at).strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// A time of lapel as the service would write it.
    pub fn service_time(&self, at: Timestamp) -> Option<ServiceTime> {
        ServiceTime::new(&self.offset.to_datetime(at).strftime("%Y-%m-%d %H:%M:%S").to_string())
    }

    pub fn zone(&self) -> String {
        zone_name(self.offset)
    }

    pub fn zone_said(&self) -> String {
        let zone = self.zone();
        if self.is_zone_known() { zone } else { t!("{zone} assumed", zone) }
    }

    /// From an earlier session. Ignored when a better offset is known.
    pub fn recall(&mut self, known: KnownOffset) {
        if self.is_zone_known() {
            return;
        }
        match known {
            KnownOffset::Learned(offset) => (self.offset, self.basis) = (offset, OffsetBasis::Learned),
            KnownOffset::AtLeast(offset) if offset > self.offset => {
                (self.offset, self.basis) = (offset, OffsetBasis::AtLeast);
            }
            KnownOffset::AtLeast(_) => {}
        }
    }

    /// Takes the service's time of a past event. If it would lie in the future, the assumed offset is too
    /// small, and the smallest possible one replaces it. Ignores a time that no time zone explains.
    pub fn reach(&mut self, recorded: &ServiceTime) {
        let Some(recorded) = recorded.moment() else { return };
        if self.is_zone_known() {
            return;
        }
        let ahead = recorded.duration_since(self.now()).as_secs() - SLACK;
        let wanted = i64::from(self.offset.seconds()).saturating_add(ahead);
        let snapped = wanted.saturating_add(QUARTER - 1).div_euclid(QUARTER) * QUARTER;
        if ahead > 0
            && snapped <= FURTHEST
            && let Some(offset) = offset_of(snapped)
        {
            (self.offset, self.basis) = (offset, OffsetBasis::AtLeast);
        }
    }

    /// `happened` is the known moment of the event. A difference of more than 5 minutes from a
    /// multiple of 15 minutes proves nothing. Returns whether the offset was learned.
    pub fn learn(&mut self, recorded: &ServiceTime, happened: Timestamp) -> bool {
        let Some(recorded) = recorded.moment() else { return false };
        let Ok(as_utc) = Offset::UTC.to_timestamp(recorded) else { return false };
        let apart = as_utc.as_second() - happened.as_second();
        let snapped = (apart as f64 / QUARTER as f64).round() as i64 * QUARTER;
        if (apart - snapped).abs() > SLACK || snapped.abs() > FURTHEST {
            return false;
        }
        let Some(offset) = offset_of(snapped) else { return false };
        (self.offset, self.basis) = (offset, OffsetBasis::Learned);
        true
    }
}

fn offset_of(seconds: i64) -> Option<Offset> {
    i32::try_from(seconds).ok().and_then(|seconds| Offset::from_seconds(seconds).ok())
}

/// `42 min`, `31 h`, `12 d`: one unit, rounded down, never negative.
pub fn age(duration: SignedDuration) -> Localizable {
    let minutes = duration.as_mins().max(0);
    match minutes {
        0 => localizable!("under 1 min"),
        1..=119 => localizable!("{minutes} min", minutes),
        120..=2879 => localizable!("{hours} h", hours = minutes / 60),
        _ => localizable!("{days} d", days = minutes / (60 * 24)),
    }
}

/// `2026-11-02 09:41 (19 d ago)`, or the raw text when it is not a time.
pub fn with_age(time: &ServiceTime, now: DateTime) -> String {
    match time.start() {
        Some(start) if start <= now => {
            t!("{time} ({age} ago)", time = time.to_minute(), age = age(now.duration_since(start)))
        }
        Some(start) => t!("{time} (in {age})", time = time.to_minute(), age = age(start.duration_since(now))),
        None => time.to_string(),
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
    fn a_moment_of_this_computer_is_told_by_the_service_clock() {
        let date = Timestamp::from_second(1_790_000_000).expect("a time");
        let clock = ServiceClock {
            anchor: Some((date, Instant::now())),
            speed: 60.0,
            offset: Offset::UTC,
            basis: OffsetBasis::Setting,
        };
        let minutes_ago = Timestamp::now() - SignedDuration::from_mins(2);
        let apart = clock.utc().duration_since(clock.of_this_computer(minutes_ago));
        // A second between two readings of the clock is a minute of the service.
        let minutes = apart.as_mins();
        assert!((90..150).contains(&minutes), "an hour of the service is a minute here: {minutes}");
    }

    #[test]
    fn a_past_time_is_never_in_the_future_whatever_offset_was_assumed() {
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
        // A past time, a difference between two clocks, an impossible offset, and a text that is no time.
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
        clock.recall(KnownOffset::Learned(Offset::constant(10)));
        assert!(clock.is_zone_known());
        clock.reach(&at(13 * 60));
        assert_eq!(clock.offset(), Offset::constant(10), "what is known stays");
    }

    #[test]
    fn the_smallest_possible_offset_of_an_earlier_session_only_grows() {
        let hours = |n| Offset::constant(n);
        let mut clock =
            ServiceClock { anchor: None, speed: 0.0, offset: Offset::UTC, basis: OffsetBasis::ThisComputer };
        clock.recall(KnownOffset::AtLeast(hours(6)));
        assert_eq!((clock.offset(), clock.basis()), (hours(6), OffsetBasis::AtLeast));
        clock.recall(KnownOffset::AtLeast(hours(5)));
        assert_eq!(clock.offset(), hours(6));
        clock.recall(KnownOffset::Learned(hours(-3)));
        clock.recall(KnownOffset::AtLeast(hours(9)));
        assert_eq!((clock.offset(), clock.basis()), (hours(-3), OffsetBasis::Learned), "a better one stays");
    }

    /// A learned offset is saved in its display form.
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
    fn the_day_of_an_unreadable_time_is_its_text() {
        assert_eq!(time("2026-11-02 09:41:33").to_day(), "2026-11-02");
        assert_eq!(time("2028-11-21").to_day(), "2028-11-21");
        assert_eq!(time("soon").to_day(), "soon");
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
        assert_eq!(age(SignedDuration::from_secs(20)).to_string(), "under 1 min");
        assert_eq!(age(SignedDuration::from_mins(42)).to_string(), "42 min");
        assert_eq!(age(SignedDuration::from_hours(31)).to_string(), "31 h");
        assert_eq!(age(SignedDuration::from_hours(12 * 24 + 3)).to_string(), "12 d");
        assert_eq!(age(SignedDuration::from_secs(-5)).to_string(), "under 1 min");
    }
}
