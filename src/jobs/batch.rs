//! How rows are divided into requests: a full request has as many entries as the batch size and the service allow.

use crate::api::MAX_ENTRIES;

/// The entries of a full request, of a batch size that may be beyond the service's limits.
pub(super) fn full_request(batch: usize) -> usize {
    batch.clamp(1, MAX_ENTRIES)
}

/// How many requests send the ready rows of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestsNeeded {
    pub least: u64,
    /// Whether there are no more.
    pub is_exact: bool,
}

/// Without the repeated recipients of a file, see [`super::Jobs::requests_needed`]. A refusal may make requests smaller
/// later.
pub fn request_count(rows: u64, batch: usize) -> u64 {
    rows.div_ceil(full_request(batch) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_as_many_entries_as_the_batch_size_and_the_service_allow() {
        for (rows, batch, requests) in [
            (0, 100, 0),
            (1, 100, 1),
            (100, 100, 1),
            (101, 100, 2),
            (250, 100, 3),
            (2, 0, 2),
            (1001, 5000, 2),
        ] {
            assert_eq!(request_count(rows, batch), requests, "{rows} rows by {batch}");
        }
    }
}
