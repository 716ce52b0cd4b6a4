//! The settings: profiles, paths, key storage, and the look of the TUI.
//!
//! Settings come in layers. A flag takes precedence over the environment, the environment over `config.toml`,
//! and `config.toml` over the default. A profile defines the service, the key, and how careful lapel must be.
//!
//! This module uses the domain, the file system, the keyring and the given environment. It runs the commands
//! that profiles name for their keys. It never accesses the network, never prints, never takes a key from a
//! command line, and never writes a key to `config.toml`. An error never repeats a value from a file: a value
//! in the wrong place may be a key.

mod address;
mod background;
mod behaviour;
mod ca;
mod command;
mod edit;
mod env;
mod file;
mod filters;
mod index;
mod jobs;
mod keep;
mod key;
mod keymap;
mod keyring;
mod known;
mod lines;
mod mistake;
mod paths;
mod pictures;
mod profile;
mod settings;
mod source;
mod survey;
mod theme;
mod toml_reader;
mod ui;

pub use background::Ground;
pub use behaviour::{BehaviourSettings, ClipboardChoice, NoticeChoice, RecentChoice, RefreshChoice};
pub use edit::{Change, Removed, edit_profile, remove_profile};
pub use env::Env;
pub use filters::{FilterChange, FilteredList, FiltersFile, NamedFilter};
pub use index::IndexSettings;
pub use jobs::{JOB_CLASSES, JobPolicy, JobSettings};
pub use keep::{KeyStore, NewProfile, keep_profile};
pub use key::{Key, check as check_key, register_keys};
pub use keymap::{KeymapFile, KeymapLine};
pub use keyring::Keyring;
pub use known::{Defaults, known_settings};
pub use mistake::{ConfigError, Mistake, and_more, left_out};
pub use paths::{Paths, recent_file};
pub use pictures::{PictureChoice, Pictures, TerminalHints};
pub use profile::{CaFile, Environment, Pin, Profile, is_profile_name};
pub use settings::{Flags, ProfileLine, Settings, named as named_profile, profiles};
pub use survey::{FoundProfile, Said, Source, Survey, survey};
pub use theme::{Colour, Colours, Palette, Role};
pub use toml_reader::nearest;
pub use ui::{GlyphChoice, JoinedChoice, ThemeChoice, Ui, spoken};
