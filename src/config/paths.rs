//! The paths of lapel's files.

use super::env::Env;
use super::mistake::{ConfigError, typed_mistake};
use crate::config::prelude::*;
use etcetera::BaseStrategy;

/// The end of the name of a file with the password of a team's journal.
pub(super) const JOURNAL_PASSWORD: &str = ".journal";

/// lapel creates these folders when it first writes a file, readable by the owner only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// Settings and keys: `LAPEL_CONFIG_DIR`, else `lapel` under `XDG_CONFIG_HOME` (`~/.config`).
    pub config_dir: PathBuf,
    /// Journal, log and crash files: `LAPEL_DATA_DIR`, else `lapel` under `XDG_DATA_HOME` (`~/.local/share`).
    pub data_dir: PathBuf,
}

impl Paths {
    pub fn find(env: &Env) -> Result<Self, ConfigError> {
        let home = etcetera::choose_base_strategy().ok();
        let folder = |name: &str, default: Option<PathBuf>| match env.raw(name) {
            Some(path) => std::path::absolute(path).map_err(|why| {
                typed_mistake(name, t!("lapel cannot use this folder ({why})", why = io_error::words(&why)))
            }),
            None => default.map(|path| path.join("lapel")).ok_or_else(|| {
                typed_mistake(name, t!("there is no home folder for the default: set this variable"))
            }),
        };
        let config = folder("LAPEL_CONFIG_DIR", home.as_ref().map(BaseStrategy::config_dir));
        let data = folder("LAPEL_DATA_DIR", home.as_ref().map(BaseStrategy::data_dir));
        let (config_dir, data_dir) = ConfigError::both(config, data)?;
        Ok(Self { config_dir, data_dir })
    }

    /// For a demo without a home folder. Created at the first write.
    pub(super) fn without_home() -> Self {
        let folder = std::env::temp_dir().join(format!("lapel-{}", std::process::id()));
        Self { config_dir: folder.join("config"), data_dir: folder.join("data") }
    }

    pub fn config_file(&self) -> PathBuf {
        self.config_dir.join("config.toml")
    }

    pub fn theme_file(&self) -> PathBuf {
        self.config_dir.join("theme.toml")
    }

    pub fn keymap_file(&self) -> PathBuf {
        self.config_dir.join("keys.toml")
    }

    pub fn filters_file(&self) -> PathBuf {
        self.config_dir.join("filters.toml")
    }

    pub fn keys_dir(&self) -> PathBuf {
        self.config_dir.join("keys")
    }

    /// For a profile without another key store.
    pub fn key_file(&self, profile: &str) -> PathBuf {
        self.keys_dir().join(profile)
    }

    /// The name of a file in [`Self::keys_dir`]. No profile's key has it, since the name of a profile has no dot.
    pub(super) fn journal_password_name(profile: &str) -> String {
        format!("{profile}{JOURNAL_PASSWORD}")
    }

    pub fn journal_password_file(&self, profile: &str) -> PathBuf {
        self.keys_dir().join(Self::journal_password_name(profile))
    }

    pub fn tour_file(&self) -> PathBuf {
        self.data_dir.join("tour-taken")
    }

    pub fn layouts_dir(&self) -> PathBuf {
        self.data_dir.join("desk")
    }

    pub fn view_file(&self, profile: &str) -> PathBuf {
        self.layouts_dir().join(format!("{profile}.json"))
    }

    pub fn pictures_dir(&self) -> PathBuf {
        self.data_dir.join("pictures")
    }

    /// Written only when `LAPEL_LOG` is set.
    pub fn log_file(&self) -> PathBuf {
        self.data_dir.join("lapel.log")
    }
}

pub fn recent_file(data_dir: &Path, profile: &str) -> PathBuf {
    data_dir.join("recent").join(format!("{profile}.json"))
}

/// The templates that a profile read last, beside its recent searches. May be missing.
pub fn templates_file(data_dir: &Path, profile: &str) -> PathBuf {
    data_dir.join("recent").join(format!("{profile}.templates"))
}

/// The profiles that have such a file.
pub fn profiles_with_templates(data_dir: &Path) -> Vec<String> {
    let files = std::fs::read_dir(data_dir.join("recent")).into_iter().flatten().flatten();
    let name = |file: std::fs::DirEntry| {
        let name = file.file_name().into_string().ok()?;
        name.strip_suffix(".templates").map(str::to_owned)
    };
    files.filter_map(name).collect()
}
