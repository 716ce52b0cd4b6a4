//! Where lapel's settings come from: profiles, paths, keys at rest, the look of the desk.
//!
//! Settings come in layers: a flag wins over the environment, the environment over `config.toml`, and that
//! over the default. A profile says which service is spoken to, as whom, and how careful one has to be.
//!
//! This room may know the domain, the file system and the environment it is handed. It must never speak to
//! the network, never print, never take a key from a command line, never write a key into `config.toml`, and
//! never repeat a value from a file in an error: a value in the wrong place may be a key.

mod address;
mod env;
mod file;
mod index;
mod jobs;
mod keep;
mod key;
mod mistake;
mod paths;
mod place;
mod profile;
mod settings;
mod ui;

pub use env::Env;
pub use index::IndexSettings;
pub use jobs::{JOB_CLASSES, JobPolicy, JobSettings};
pub use keep::{NewProfile, keep_profile};
pub use mistake::{ConfigError, Mistake};
pub use paths::Paths;
pub use profile::{Environment, Profile, is_profile_name};
pub use settings::{Flags, ProfileLine, Settings};
pub use ui::{GlyphChoice, ThemeChoice, Ui};
