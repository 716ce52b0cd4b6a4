//! lapel: a terminal desk for a Digital Badge Issuing Service.
//!
//! Issuer staff browse badge templates and issuance history, issue badges and revoke them; support staff
//! look up a holder's wallet. All of it goes over the service's REST API; the [`sandbox`] carries that
//! service in miniature, so that lapel runs, teaches and is tested with no account anywhere.
//!
//! The house, from the ground up. A room may use the rooms below it, never one above or beside it, unless
//! an arrow says so:
//!
//! ```text
//! i18n/      the texts in English and Korean; every module may use it
//! domain/    what the words mean: records, states, verdicts, e-mail keys, service time, untrusted text
//! secrets    keys of all profiles: refused where they are typed, taken out where they are written -> domain
//! job_control  stopping, and being continued by a shell
//! disk/      files that are private, whole or not at all
//! sheet/     tables as files: Excel, CSV, lines of JSON                       -> domain, disk
//! config/    profiles, paths, keys at rest, settings                          -> domain, disk
//! api/       the service as typed calls: one error type, one pace for a key   -> domain
//! index/     a copy of the history for what the service cannot filter; opt-in  -> api, domain, disk
//! jobs/      consequential work: what is sent, what came of it, following     -> api, sheet, domain, disk
//! export/    lists taken away: records as columns, lists read to their end, as files -> api, sheet, domain, disk
//! tui/       the desk: one loop, one message type, one worker, screens        -> jobs, index, export, api, config, domain
//! cli/       the same verbs without a screen                                  -> jobs, index, export and below, sandbox (its flags)
//! sandbox/   the service itself on loopback; shares no code with api/, on purpose
//! main.rs    parse, choose, hand over
//! ```

#[macro_use]
pub mod i18n;

pub mod api;
pub mod cli;
pub mod config;
pub mod disk;
pub mod domain;
pub mod export;
pub mod index;
mod job_control;
pub mod jobs;
pub mod sandbox;
pub mod secrets;
pub mod sheet;
pub mod tui;
