//! Nothing twice, nothing lost, nothing unexplained, for every crash at every time.
//!
//! The oracle is the sandbox's ledger, never lapel's own word. A run gives people a badge (or takes badges
//! back) through sessions that end in the middle, over a service that fails; a person resumes, and decides
//! what lapel asks. At every stop on the way nobody has more than one badge, and at the end everybody has
//! exactly one, every row is in one bucket, and the badge of each row is the one in the ledger.
//!
//! The same on a team's database: `again_on_postgresql` runs these tests again, and `team_only`, `team_network`,
//! `team_pooler` and `lost_writes` have those that need one.
//!
//! Thousands, without the ignored tests that need a server of their own or only measure:
//!
//! ```text
//! LAPEL_RUNS=5000 cargo test --test jobs -- --ignored --nocapture thousands_of hundreds_of_times every_single every_fault
//! ```

mod adopt;
mod counting;
mod drafts;
mod faults;
mod figures;
mod kill;
#[cfg(feature = "team")]
mod lost_writes;
mod many;
mod oracle;
mod owners;
mod person;
mod random;
mod several;
mod steps;
#[cfg(feature = "team")]
mod team_chaos;
#[cfg(feature = "team")]
mod team_network;
#[cfg(feature = "team")]
mod team_only;
#[cfg(feature = "team")]
mod team_pooler;
#[cfg(feature = "team")]
mod team_wait;
mod two_journals;
mod world;
