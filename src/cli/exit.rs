//! Exit codes, as in the help, README.md and docs/scripts.md. When two apply, the larger one is used.

/// Everything was done as asked. Accepted badges may still wait to be issued.
pub const OK: u8 = 0;
/// The attempt failed: the service refused it or could not be reached, or a file could not be used.
pub const FAILED: u8 = 1;
/// Nothing was attempted: the command line or the settings are wrong, no profile is configured, the profile
/// is read-only, or nobody was there to confirm.
pub const USAGE: u8 = 2;
/// Finished, but rows need attention (skipped, invalid, refused, overdue or revocation not accepted), or a
/// list was read to its end but may be incomplete, or a check could not read some badges.
pub const PERSON: u8 = 3;
/// Stopped before everything was sent (quota, refused key, service not reached, Ctrl-C), so that the job can
/// be resumed; or stopped before everything was read (Ctrl-C).
pub const STOPPED: u8 = 4;
/// Rows are in doubt. lapel checks for them and never sends them again by itself.
pub const DOUBT: u8 = 5;
