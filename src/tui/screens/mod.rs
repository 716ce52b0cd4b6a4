//! The four tabs, the first screen, and what was sent. Each is one file with its state, its update, its drawing and its tests.

pub mod badge;
pub mod history;
pub mod sent;
pub mod templates;
pub mod wallet;
pub mod welcome;
