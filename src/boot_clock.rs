//! A clock that counts sleep, for deadlines that other processes rely on.

/// Milliseconds since the computer started, sleep included.
#[cfg(unix)]
pub fn boot_ms() -> i64 {
    #[cfg(target_os = "linux")]
    let clock = rustix::time::ClockId::Boottime;
    // On macOS this clock includes sleep.
    #[cfg(not(target_os = "linux"))]
    let clock = rustix::time::ClockId::Monotonic;
    let now = rustix::time::clock_gettime(clock);
    now.tv_sec.saturating_mul(1000).saturating_add(now.tv_nsec / 1_000_000)
}

/// The system has no such clock that safe code can read: the wall clock.
#[cfg(not(unix))]
pub fn boot_ms() -> i64 {
    let wall = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(wall.as_millis()).unwrap_or(i64::MAX)
}
