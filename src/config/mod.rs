//! The settings: profiles, paths, key storage, and the look of the TUI.
//!
//! Settings come in layers. A flag takes precedence over the environment, the environment over `config.toml`,
//! and `config.toml` over the default. A profile defines the service, the key, and how careful lapel must be.
//!
//! This module uses the domain, the file system, the keyring and the given environment. It runs the commands
//! that profiles name for their keys. It never accesses the network, never prints, never takes a key from a
//! command line, and never writes a key to `config.toml`. An error never repeats a value from a file: a value
//! in the wrong place may be a key.
//!
//! ```text
//! section, toml_reader    how a section declares its settings, and how they are read
//! file, bad_lines, mistake config.toml as a whole; lines that are not TOML; mistakes
//! app, profile_settings   sections: the top of the file, profiles
//! jobs, index             sections: jobs, the local index
//! flags, settings, provenance  the settings of one run, and the source of each
//! selection, profile      the profile of a run
//! input, edit, new_profile, lock  values that users type; changes to config.toml
//! journal                 section: the journal of a profile's team
//! key, key_store          reading a key or a password, and the places of both
//! command, keyring        both from a command or the keyring (no_keyring: without the feature)
//! url_checks, ca          base URLs and proxies; extra certificates
//! keymap, filters, theme  keys.toml, filters.toml, theme.toml
//! ui, word_enums, background, pictures  the look of the TUI, and the words of its settings
//! env, paths              the environment; the paths of lapel's files
//! prelude                 names that many of these files use
//! ```

mod app;
mod background;
mod bad_lines;
mod ca;
mod command;
mod edit;
mod env;
mod file;
mod filters;
mod flags;
mod index;
mod input;
mod jobs;
mod journal;
mod key;
mod key_store;
mod keymap;
#[cfg(feature = "keyring")]
mod keyring;
#[cfg(not(feature = "keyring"))]
#[path = "no_keyring.rs"]
mod keyring;
mod lock;
mod mistake;
mod new_profile;
mod paths;
mod pictures;
mod prelude;
mod profile;
mod profile_settings;
mod provenance;
mod resolved;
mod section;
mod selection;
mod settings;
mod theme;
mod toml_reader;
mod ui;
mod url_checks;
mod word_enums;

pub use app::{AppSettings, ClipboardChoice, NoticeChoice, RefreshChoice};
pub use background::TerminalBackground;
pub use ca::CaFile;
pub use edit::{ProfileEdit, Removed, edit_profile, remove_profile};
pub use env::Env;
pub use filters::{FilterChange, FiltersFile, KnownList, NamedFilter};
pub use flags::Flags;
pub use index::IndexSettings;
pub use input::ProfileInput;
pub use jobs::{JOB_CLASSES, JobPolicy, JobSettings};
pub use journal::JournalSettings;
pub use key::{Key, register_keys};
pub use key_store::{KeyStore, SecretKind};
pub use keymap::{KeymapFile, KeymapLine, KeymapPreset};
pub use keyring::Keyring;
pub use mistake::{ConfigError, Mistake, and_more, left_out};
pub use new_profile::{NewProfile, save_profile};
pub use paths::{Paths, profiles_with_templates, recent_file, templates_file};
pub use pictures::{PictureChoice, PictureSettings, TerminalHints, is_plain_terminal};
pub use profile::{Profile, ProfileLine, TeamJournal};
pub use profile_settings::{Environment, KeyPin, ProfileSettings, is_profile_name};
pub use provenance::{Defaults, FoundProfile, Provenance, known_settings, provenance};
pub use resolved::{Resolved, SettingSource, SettingValue};
pub use section::{Input, SettingEdit};
pub use settings::{Settings, named as named_profile, profiles};
pub use theme::{Colour, Palette, Role};
pub use toml_reader::nearest;
pub use ui::spoken;
pub use word_enums::{GlyphChoice, JoinedChoice, ThemeChoice, Words};
