//! The demo data: invented organisations, templates, people, and eighteen months of history.
//!
//! All data is fictional, deterministic by one seed, and relative to the first start.

pub(super) mod catalogue;
mod filler;
mod people;
mod stories;

pub(super) use filler::{DemoHistory, valid_until};
pub(super) use stories::NEVER;

#[cfg(test)]
mod tests;
