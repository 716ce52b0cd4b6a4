//! The five tabs and the first screen. Each has its state, its update, its drawing and its tests in one place.

pub mod activity;
pub mod badge;
pub mod history;
pub mod overview;
mod picture;
pub mod templates;
pub mod wallet;
pub mod welcome;
