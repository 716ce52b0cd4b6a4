//! The settings of one run: profile, look of the TUI, and paths.

use super::app::AppSettings;
use super::file::{ConfigFile, ProfileEntry};
use super::flags::Flags;
use super::key::SecretSource;
use super::profile::{Profile, ProfileLine};
use super::resolved::{Resolved, SettingSource};
use super::selection::{DefaultProfile, Selected, Selection, default_profile, existing, selected_name};
use super::theme::ThemeFile;
use super::ui::Ui;
use super::url_checks::has_usual_path;
use crate::config::prelude::*;
use std::collections::HashSet;

#[derive(Clone, Debug)]
pub struct Settings {
    pub paths: Paths,
    /// `None` when no profile is configured.
    pub profile: Option<Profile>,
    /// In the order of the settings file.
    pub profiles: Vec<ProfileLine>,
    pub ui: Ui,
    /// The terminal can still change the look: [`Self::ui`] has the result.
    pub app: Resolved<AppSettings>,
    pub log: Option<String>,
    /// They stop nothing; one line each.
    pub warnings: Vec<String>,
    /// The settings with mistakes are skipped.
    pub left_out: Vec<Mistake>,
    /// The selected profile that cannot be used, and why. The TUI starts without it.
    pub refused: Option<(String, ConfigError)>,
}

impl Settings {
    /// The order is: flag, environment, `config.toml`, default.
    ///
    /// `LAPEL_BASE_URL` and `LAPEL_API_KEY` together define a profile of their own, unless a profile is
    /// named. With a named profile they override its address and its key.
    ///
    /// A mistake in the files affects only its own field, and is reported in [`Self::left_out`]. Where it
    /// could make a profile less careful, that profile becomes read-only or cannot be used.
    pub fn resolve(flags: &Flags, env: &Env) -> Result<Self, ConfigError> {
        let paths = Paths::find(env)?;
        let file = ConfigFile::read(&paths.config_file())?;
        let profile = Selection::of(flags, env, &file).open(&file, &paths, env).or_else(|error| {
            let all =
                if file.mistakes.is_empty() { Ok(()) } else { Err(ConfigError::new(file.mistakes.clone())) };
            ConfigError::both(all, Err(error)).map(|((), profile)| profile)
        })?;
        let settings = Self::of(flags, env, &file, paths).with_profile(profile, &file);
        if settings.profile.is_none() && !file.mistakes.is_empty() {
            // The unreadable part of the file may contain a profile.
            return Err(ConfigError::new(settings.left_out));
        }
        Ok(settings)
    }

    /// When mistakes in the file make the profile unusable, the TUI starts without it.
    pub fn for_tui(flags: &Flags, env: &Env) -> Result<Self, ConfigError> {
        let paths = Paths::find(env)?;
        let file = ConfigFile::read(&paths.config_file())?;
        let (profile, refused) = match Selection::of(flags, env, &file).open(&file, &paths, env) {
            Ok(profile) => (profile, None),
            Err(error) if error.mistakes().iter().all(|mistake| mistake.file.is_some()) => {
                (None, Some((selected_name(flags, env, &file), error)))
            }
            Err(error) => return Err(error),
        };
        Ok(Self { refused, ..Self::of(flags, env, &file, paths).with_profile(profile, &file) })
    }

    fn with_profile(mut self, profile: Option<Profile>, file: &ConfigFile) -> Self {
        if let Some(entry) = profile.as_ref().and_then(|profile| file.entry(&profile.name)) {
            let doubts: HashSet<&Mistake> = file.doubts.iter().chain(&entry.doubts).collect();
            self.left_out.sort_by_cached_key(|mistake| !doubts.contains(mistake));
        }
        if let Some(profile) = &profile
            && !has_usual_path(&profile.base_url)
        {
            self.warnings.push(if profile.settings.source("base_url") == SettingSource::Variable {
                t!("The base URL in LAPEL_BASE_URL does not end in /api/v1/ext, the usual path of the service.")
                    .to_owned()
            } else {
                t!(
                    "The base URL of profile {name} does not end in /api/v1/ext, the usual path of the service.",
                    name = profile.name
                )
            });
        }
        Self { profile, ..self }
    }

    /// Blocks, see [`Profile::fetch_secrets`].
    pub fn with_key(mut self) -> Result<Self, ConfigError> {
        if let Some(profile) = &mut self.profile {
            profile.fetch_secrets()?;
        }
        Ok(self)
    }

    pub fn for_demo(flags: &Flags, env: &Env) -> Self {
        let mut warnings = Vec::new();
        let paths = Paths::find(env).unwrap_or_else(|error| {
            warnings.push(error.to_string());
            Paths::without_home()
        });
        let file = ConfigFile::read(&paths.config_file()).unwrap_or_else(|error| {
            let mut file = ConfigFile::default();
            file.mistakes.extend_from_slice(error.mistakes());
            file
        });
        if flags.profile.is_some() {
            warnings.push(t!("--profile has no effect on the demo, which uses its own service.").to_owned());
        }
        let mut settings = Self::of(flags, env, &file, paths);
        settings.warnings.splice(0..0, warnings);
        settings
    }

    pub(super) fn of(flags: &Flags, env: &Env, file: &ConfigFile, paths: Paths) -> Self {
        let mut warnings = Vec::new();
        let (own, of_theme) = ThemeFile::read(&paths.theme_file());
        let left_out = [file.mistakes.clone(), of_theme].concat();
        let log = env.text("LAPEL_LOG").unwrap_or_else(|error| {
            warnings.push(error.to_string());
            None
        });
        let profiles = lines_of(file, &paths, env);
        let (ui, app) = Ui::resolve(flags, env, file, own);
        Self { paths, profile: None, profiles, ui, app, log, warnings, left_out, refused: None }
    }
}

/// Reads the settings file again. Fetches no keys.
pub fn profiles(paths: &Paths, env: &Env) -> Result<Vec<ProfileLine>, ConfigError> {
    Ok(lines_of(&ConfigFile::read(&paths.config_file())?, paths, env))
}

/// Reads the settings file again. `LAPEL_BASE_URL` and `LAPEL_API_KEY` do not override a named profile.
pub fn named(paths: &Paths, name: &str, env: &Env) -> Result<Profile, ConfigError> {
    let file = ConfigFile::read(&paths.config_file())?;
    let entry = existing("profile", name, &file)?;
    Selected::named(entry, &file).open(&file, paths, env)
}

fn lines_of(file: &ConfigFile, paths: &Paths, env: &Env) -> Vec<ProfileLine> {
    let default = match default_profile(file) {
        DefaultProfile::This(entry) => Some(entry.name.as_str()),
        _ => None,
    };
    let line = |entry: &ProfileEntry| ProfileLine {
        name: entry.name.clone(),
        settings: entry.settings.clone().without_password(),
        key_from: SecretSource::of_key(entry).described(paths, env),
        is_default: default == Some(entry.name.as_str()),
    };
    file.profiles.iter().map(line).collect()
}
