//! Keeps two lapel processes from writing the settings at once.

use crate::config::prelude::*;
use crate::fs::{create_private_dir, open_private_append};
use std::fs::{File, TryLockError};
use std::thread::sleep;
use std::time::Instant;

const LOCK_PATIENCE: Duration = Duration::from_secs(2);
const LOCK_PAUSE: Duration = Duration::from_millis(10);

pub(super) fn create_keys_dir(paths: &Paths) -> Result<(), Mistake> {
    create_private_dir(&paths.keys_dir()).map_err(|why| {
        Mistake::plain(t!(
            "cannot create {keys_dir}: {why}",
            keys_dir = shown(&paths.keys_dir()),
            why = io_error::words(&why)
        ))
    })
}

/// Two lapel processes must never write at once. Blocks for at most [`LOCK_PATIENCE`]. The lock
/// ends when the file is closed, even by a crash.
pub(super) fn lock(paths: &Paths) -> Result<File, ConfigError> {
    let path = paths.config_dir.join(".lock");
    let file = open_private_append(&path).map_err(|why| {
        Mistake::plain(t!("cannot write {path}: {why}", path = shown(&path), why = io_error::words(&why)))
    })?;
    let until = Instant::now() + LOCK_PATIENCE;
    loop {
        match file.try_lock() {
            // A program that this process is starting may hold the lock for a moment.
            Err(TryLockError::WouldBlock) if Instant::now() < until => sleep(LOCK_PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(Mistake::plain(t!(
                    "another lapel is writing the settings. Nothing was changed. Try again"
                ))
                .into());
            }
            // Some network file systems have no locks; lapel then works without one.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(file),
        }
    }
}
