//! Where lapel keeps its files.

use super::env::Env;
use super::mistake::{ConfigError, Mistake};
use etcetera::BaseStrategy;
use std::path::{Path, PathBuf};

/// The two folders of lapel. Nothing is created before something is written; then it is open to its owner
/// only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// Settings and keys: `LAPEL_CONFIG_DIR`, else `lapel` under `XDG_CONFIG_HOME` (`~/.config`).
    pub config_dir: PathBuf,
    /// Journal, log and crash files: `LAPEL_DATA_DIR`, else `lapel` under `XDG_DATA_HOME`
    /// (`~/.local/share`).
    pub data_dir: PathBuf,
}

impl Paths {
    /// Finds the folders.
    ///
    /// # Errors
    /// When a folder is neither named by a variable nor can be derived from a home folder.
    pub fn find(env: &Env) -> Result<Self, ConfigError> {
        let home = etcetera::choose_base_strategy().ok();
        let folder = |name: &str, default: Option<PathBuf>| match env.raw(name) {
            Some(path) => std::path::absolute(path)
                .map_err(|why| Mistake::in_env(name, t!("this is no usable folder ({why})", why))),
            None => default.map(|path| path.join("lapel")).ok_or_else(|| {
                Mistake::in_env(name, t!("there is no home folder to derive it from: set this variable"))
            }),
        };
        let config = folder("LAPEL_CONFIG_DIR", home.as_ref().map(BaseStrategy::config_dir));
        let data = folder("LAPEL_DATA_DIR", home.as_ref().map(BaseStrategy::data_dir));
        match (config, data) {
            (Ok(config_dir), Ok(data_dir)) => Ok(Self { config_dir, data_dir }),
            (config, data) => {
                Err(ConfigError::new([config.err(), data.err()].into_iter().flatten().collect()))
            }
        }
    }

    /// Folders for a demo where no others can be found; they are not made before something is written.
    pub(super) fn without_home() -> Self {
        let folder = std::env::temp_dir().join(format!("lapel-{}", std::process::id()));
        Self { config_dir: folder.join("config"), data_dir: folder.join("data") }
    }

    /// The settings file, which need not exist.
    pub fn config_file(&self) -> PathBuf {
        self.config_dir.join("config.toml")
    }

    /// The file of colours, which need not exist.
    pub fn theme_file(&self) -> PathBuf {
        self.config_dir.join("theme.toml")
    }

    /// The file of the desk's keys, which need not exist.
    pub fn keymap_file(&self) -> PathBuf {
        self.config_dir.join("keys.toml")
    }

    /// The file of filters with names, which need not exist.
    pub fn filters_file(&self) -> PathBuf {
        self.config_dir.join("filters.toml")
    }

    /// The folder of key files.
    pub fn keys_dir(&self) -> PathBuf {
        self.config_dir.join("keys")
    }

    /// The key file of a profile, unless its settings name another place.
    pub fn key_file(&self, profile: &str) -> PathBuf {
        self.keys_dir().join(profile)
    }

    /// The file that says that the tour was taken.
    pub fn tour_file(&self) -> PathBuf {
        self.data_dir.join("tour-taken")
    }

    /// The folder of how the desk showed the lists of each profile.
    pub fn desk_dir(&self) -> PathBuf {
        self.data_dir.join("desk")
    }

    /// The file of how the desk showed the lists of a profile, which need not exist.
    pub fn view_file(&self, profile: &str) -> PathBuf {
        self.desk_dir().join(format!("{profile}.json"))
    }

    /// The folder of pictures that were read, which need not exist.
    pub fn pictures_dir(&self) -> PathBuf {
        self.data_dir.join("pictures")
    }

    /// The log file, written only while `LAPEL_LOG` asks for it.
    pub fn log_file(&self) -> PathBuf {
        self.data_dir.join("lapel.log")
    }
}

/// The file of what was looked up with a profile, in a data folder; it need not exist.
pub fn recent_file(data_dir: &Path, profile: &str) -> PathBuf {
    data_dir.join("recent").join(format!("{profile}.json"))
}
