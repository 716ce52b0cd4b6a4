//! The verbs without a screen: the real binary against a sandbox, whose ledger says what really happened.
//!
//! Nothing here sleeps for a result: every wait is for a condition, with a bound.

#[cfg(feature = "team")]
mod again_on_postgresql;
mod completion;
mod doctor;
mod files;
mod index;
mod info;
mod issuing;
mod jobs;
mod journal;
pub mod kit;
mod korean;
mod pace;
mod pages;
mod profiles;
mod progress;
mod reading;
mod revoking;
mod secrets;
mod shapes;
mod signals;
mod stops;
#[cfg(feature = "team")]
mod team;
mod templates;
mod twice;
