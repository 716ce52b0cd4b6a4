//! Tests: the work that grows with a wallet.

use std::cell::Cell;

thread_local! {
    static VISITS: Cell<usize> = const { Cell::new(0) };
    static FOLDS: Cell<usize> = const { Cell::new(0) };
}

pub(super) fn visit() {
    VISITS.set(VISITS.get() + 1);
}

pub(super) fn fold() {
    FOLDS.set(FOLDS.get() + 1);
}

/// How often a badge was looked at for its verdict or its name, and how many names were folded.
pub(crate) fn during(work: impl FnOnce()) -> (usize, usize) {
    let before = (VISITS.get(), FOLDS.get());
    work();
    (VISITS.get() - before.0, FOLDS.get() - before.1)
}
