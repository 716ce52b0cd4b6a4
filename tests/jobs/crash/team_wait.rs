//! Waiting for what happens outside of a session: a child, a server, the database.

use crate::crash::world::BOUND;
use lapel::jobs::{Job, Jobs};
use std::time::Duration;

/// Waits until something outside of the session has happened.
pub async fn until(mut has_happened: impl FnMut() -> bool) {
    let happening = async {
        while !has_happened() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(BOUND, happening).await.expect("it happens");
}

/// Waits until the database can be read again: for a moment after it was away, reads do not try. Returns the jobs.
pub async fn back(jobs: &Jobs) -> Vec<Job> {
    let reading = async {
        loop {
            match jobs.list().await {
                Ok(listed) => return listed,
                Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    };
    tokio::time::timeout(BOUND, reading).await.expect("the database is back")
}
