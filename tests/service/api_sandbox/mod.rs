//! The client against the sandbox, over real HTTP: two independent readings of one contract.
//!
//! The sandbox's ledger is the oracle: what was really accepted, how often it was asked, and what a
//! well-behaved client never does.

mod endpoints;
mod faults;
mod gaps;
mod index;
mod kit;
mod switches;
