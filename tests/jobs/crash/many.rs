//! Many runs, side by side.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs side by side: each waits for the disk and the network most of the time.
const WORKERS: usize = 6;

/// Runs every case, and says which ones failed, with why.
pub fn all<C: std::fmt::Debug + Sync, T: Send>(cases: &[C], run: impl Fn(&C) -> T + Sync) -> Vec<T> {
    let (next, failed, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS.min(cases.len()) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match catch_unwind(AssertUnwindSafe(|| run(case))) {
                        Ok(result) => done.lock().expect("a list").push(result),
                        Err(why) => {
                            let why = why
                                .downcast_ref::<String>()
                                .cloned()
                                .or_else(|| why.downcast_ref::<&str>().map(|s| (*s).to_owned()));
                            failed
                                .lock()
                                .expect("a list")
                                .push(format!("{case:?}: {}", why.unwrap_or_default()));
                        }
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("a list");
    let few: Vec<&String> = failed.iter().take(10).collect();
    assert!(failed.is_empty(), "{} of {} runs failed: {few:#?}", failed.len(), cases.len());
    done.into_inner().expect("a list")
}
