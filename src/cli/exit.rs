//! Exit codes, as the help and the README name them. Where two apply, the larger one counts.

/// All as asked. What was accepted may still wait to be issued.
pub const OK: u8 = 0;
/// It was tried and did not work: the service refused, could not be reached, or a file could not be used.
pub const FAILED: u8 = 1;
/// It was not tried: the command line or the settings are wrong, no profile is configured, the profile is
/// read-only, or nobody was there to confirm.
pub const USAGE: u8 = 2;
/// Finished, but rows need a person: left out, not valid, refused, overdue, not accepted; or a list was read to
/// its end and is not known to be complete.
pub const PERSON: u8 = 3;
/// Stopped before everything was sent (quota, refused key, not reached, Ctrl-C); it can be resumed. Or before
/// everything was read (Ctrl-C).
pub const STOPPED: u8 = 4;
/// In doubt: nobody knows yet what became of some rows. They are looked for, and never sent again by
/// themselves.
pub const DOUBT: u8 = 5;
