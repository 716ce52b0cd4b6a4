//! The demo data: invented organisations, templates, people and eighteen months of history.
//!
//! All of it is fiction, deterministic from one seed, and relative to the time the sandbox was first started,
//! so that the demo never ages.

pub(super) mod catalogue;
mod filler;
mod people;
mod stories;

pub(super) use filler::{History, NEVER, Until, valid_until};

#[cfg(test)]
mod tests;
