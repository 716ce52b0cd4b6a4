//! Every setting of a run with its value and its source, for `lapel info`. Nothing here fails or
//! fetches a key.

use super::app::AppSettings;
use super::background::TerminalBackground;
use super::file::ConfigFile;
use super::flags::Flags;
use super::index::IndexSettings;
use super::jobs::JobSettings;
use super::key::SecretSource;
use super::profile_settings::ProfileSettings;
use super::resolved::{SettingSource, SettingValue};
use super::section::ConfigSection;
use super::selection::{Selected, Selection, index_of, jobs_of};
use super::settings::Settings;
use crate::config::prelude::*;
use toml::Value;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defaults {
    /// Requests per minute.
    pub rate_limit: u32,
    pub jobs: JobSettings,
}

/// The profile that a run would use, without its key.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundProfile {
    /// `environment` when the environment variables define the profile without a name.
    pub name: String,
    pub is_in_file: bool,
    /// A proxy is shown without user and password, and the journal's database without the user.
    pub settings: Vec<SettingValue>,
}

#[derive(Clone, Debug)]
pub struct Provenance {
    pub paths: Paths,
    pub settings: Vec<SettingValue>,
    pub profile: Option<FoundProfile>,
    /// They override settings of the profile.
    pub overrides: Vec<&'static str>,
    pub asks_background: bool,
    pub remarks: Vec<String>,
}

/// `theme`, `jobs.in_flight`, `index.enabled`, and `profile.base_url` for one that only a profile has.
pub fn known_settings() -> Vec<String> {
    let names = |prefix: &str, values: Vec<(String, Option<Value>)>| -> Vec<String> {
        values.into_iter().map(|(name, _)| format!("{prefix}{name}")).collect()
    };
    [
        names("", AppSettings::default().values()),
        names("jobs.", JobSettings::default().values()),
        names("index.", IndexSettings::default().values()),
        names("profile.", ProfileSettings::default().values()),
    ]
    .concat()
}

/// A former name of each setting that was renamed, and its name of today, as in [`known_settings`].
pub fn former_settings() -> Vec<(String, String)> {
    JobSettings::former_names()
        .map(|(former, now)| (format!("jobs.{former}"), format!("jobs.{now}")))
        .collect()
}

pub fn provenance(flags: &Flags, env: &Env, defaults: &Defaults) -> Provenance {
    // Finds the folders and reads the file despite any mistakes.
    let settings = Settings::for_demo(&Flags { profile: None, ..flags.clone() }, env);
    let mut remarks: Vec<String> = settings.left_out.iter().map(ToString::to_string).collect();
    remarks.extend_from_slice(&settings.warnings);
    if let Err(error) = Settings::resolve(flags, env) {
        for mistake in error.mistakes() {
            let text = mistake.to_string();
            if !remarks.contains(&text) {
                remarks.push(text);
            }
        }
    }
    let Settings { paths, ui, app, log, .. } = settings;
    let file = ConfigFile::read(&paths.config_file()).unwrap_or_default();
    let selection = Selection::of(flags, env, &file);
    let selected = selection.profile.as_ref();
    let of_variable = |name: &str, value: Option<String>, variable: &str| {
        let source =
            if env.raw(variable).is_some() { SettingSource::Variable } else { SettingSource::Default };
        SettingValue { name: name.to_owned(), value: value.map(Into::into), source }
    };
    let folder = |path: &Path| Some(path.to_string_lossy().into_owned());
    let name = selected.map(|profile| profile.name.as_str().into());
    let mut all = vec![SettingValue { name: "profile".to_owned(), value: name, source: selection.source }];
    all.extend(app.list("", &AppSettings::default()));
    all.extend([
        // Users paste keys into any variable, so the value is not shown.
        of_variable("log", log.map(|_| "set".to_owned()), "LAPEL_LOG"),
        of_variable("config_dir", folder(&paths.config_dir), "LAPEL_CONFIG_DIR"),
        of_variable("data_dir", folder(&paths.data_dir), "LAPEL_DATA_DIR"),
    ]);
    let entry = selected.and_then(|profile| profile.entry);
    all.extend(index_of(entry, &file).list("index.", &IndexSettings::usual()));
    all.extend(jobs_of(entry, &file).list("jobs.", &defaults.jobs));
    let profile = selected.map(|profile| FoundProfile {
        name: profile.name.clone(),
        is_in_file: profile.entry.is_some(),
        settings: listed(profile, &paths, env, defaults),
    });
    let asks_background = TerminalBackground::is_asked(ui.theme.theme, &ui.pictures.terminal);
    Provenance { paths, settings: all, profile, overrides: selection.overrides, asks_background, remarks }
}

/// Without secrets.
fn listed(profile: &Selected<'_>, paths: &Paths, env: &Env, defaults: &Defaults) -> Vec<SettingValue> {
    let settings = profile.settings.values.clone().without_password();
    let rate_limit = Some(settings.rate_limit.unwrap_or(defaults.rate_limit));
    let key_command_timeout = settings.key_command_seconds();
    let mut settings = ProfileSettings { key_command_timeout, rate_limit, ..settings };
    settings.journal.password_command_timeout = settings.journal.password_command_seconds();
    let one = |(name, value): (String, Option<Value>)| {
        let value = match name.as_str() {
            "key" => Some(profile.key_from(paths, env).into()),
            "journal.url" => settings.journal.server().map(|server| server.to_string().into()),
            "journal.password" => {
                let source = profile.entry.and_then(SecretSource::of_journal);
                source.map(|source| source.described(paths, env).into())
            }
            // Arguments may be secrets.
            "key_command" | "journal.password_command" => value.map(|_| "set".into()),
            // The variable has a mistake.
            "base_url" => value.filter(|_| !settings.base_url.is_empty()),
            _ => value,
        };
        SettingValue { source: profile.settings.source(&name), name, value }
    };
    settings.values().into_iter().map(one).collect()
}
