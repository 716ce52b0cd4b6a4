//! Every setting of a run with its source, for `lapel info`. Nothing here fails or fetches a key; mistakes
//! are reported beside the settings.

use super::background::Ground;
use super::env::Env;
use super::file::{ConfigFile, Entry};
use super::known::{Defaults, Layers};
use super::paths::Paths;
use super::profile::is_profile_name;
use super::settings::{Flags, Settings, Unnamed, unnamed};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Flag,
    Variable,
    /// The profile's table in `config.toml`, for a setting that can also apply to all profiles.
    Profile,
    File,
    ThemeFile,
    Default,
}

impl Source {
    /// A word for programs. [`tr`](crate::i18n::tr) translates it for users.
    pub fn word(self) -> &'static str {
        match self {
            Self::Flag => tr_noop!("flag"),
            Self::Variable => tr_noop!("environment"),
            Self::Profile => tr_noop!("profile"),
            Self::File => "config.toml",
            Self::ThemeFile => "theme.toml",
            Self::Default => tr_noop!("default"),
        }
    }
}

/// A setting with its current value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Its name in the file, with the names of its tables in front.
    pub name: String,
    /// Its value as text; `None` when it has none.
    pub value: Option<String>,
    pub source: Source,
}

/// The profile that a run would use, without its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundProfile {
    /// Its name. `environment` when the environment variables define the profile without a name.
    pub name: String,
    pub is_in_file: bool,
    /// Its settings. A proxy is shown without user and password.
    pub settings: Vec<Said>,
}

/// The current settings with their sources and mistakes.
#[derive(Clone, Debug)]
pub struct Survey {
    pub paths: Paths,
    /// The settings that are not specific to a profile.
    pub settings: Vec<Said>,
    /// The profile; `None` when none is selected.
    pub profile: Option<FoundProfile>,
    /// The variables that override settings of the profile.
    pub overrides: Vec<&'static str>,
    pub asks_background: bool,
    pub remarks: Vec<String>,
}

pub fn survey(flags: &Flags, env: &Env, defaults: &Defaults) -> Survey {
    // Finds the folders and reads the file despite any mistakes.
    let lenient = Settings::for_demo(&Flags { profile: None, ..flags.clone() }, env);
    let paths = lenient.paths.clone();
    let mut remarks: Vec<String> = lenient.left_out.iter().map(ToString::to_string).collect();
    remarks.extend_from_slice(&lenient.warnings);
    let file = ConfigFile::read(&paths.config_file()).unwrap_or_default();
    if let Err(error) = Settings::resolve(flags, env) {
        for mistake in error.mistakes() {
            let said = mistake.to_string();
            if !remarks.contains(&said) {
                remarks.push(said);
            }
        }
    }
    let overrides: Vec<&'static str> =
        ["LAPEL_BASE_URL", "LAPEL_API_KEY"].into_iter().filter(|name| env.raw(name).is_some()).collect();
    let layers = Layers { flags, env, paths: &paths, file: &file, lenient: &lenient, defaults };
    let (who, source) = choose(flags, env, &file, overrides.len() == 2);
    let profile = who.as_ref().map(|who| FoundProfile {
        name: who.name().to_owned(),
        is_in_file: who.entry().is_some(),
        settings: layers.profile(who.entry()),
    });
    let name = profile.as_ref().map(|profile| profile.name.clone());
    let mut settings = vec![Said { name: "profile".to_owned(), value: name, source }];
    settings.extend(layers.top());
    let named = |name: &str, value: Option<String>, variable: &str| {
        let source = if env.raw(variable).is_some() { Source::Variable } else { Source::Default };
        Said { name: name.to_owned(), value, source }
    };
    let folder = |path: &std::path::Path| Some(path.to_string_lossy().into_owned());
    settings.extend([
        // Only whether it is set, because users paste keys into any variable.
        named("log", lenient.log.as_ref().map(|_| "set".to_owned()), "LAPEL_LOG"),
        named("config_dir", folder(&paths.config_dir), "LAPEL_CONFIG_DIR"),
        named("data_dir", folder(&paths.data_dir), "LAPEL_DATA_DIR"),
    ]);
    settings.extend(layers.tables(who.as_ref().and_then(Who::entry)));
    let asks_background = Ground::is_asked(lenient.ui.theme.theme, &lenient.ui.pictures.terminal);
    Survey { paths, settings, profile, overrides, asks_background, remarks }
}

/// The profile that a run would use.
enum Who<'a> {
    InFile(&'a Entry),
    /// Both variables together define a profile of this name.
    MadeUp(String),
}

impl<'a> Who<'a> {
    fn name(&self) -> &str {
        match self {
            Self::InFile(entry) => &entry.name,
            Self::MadeUp(name) => name,
        }
    }

    fn entry(&self) -> Option<&'a Entry> {
        match self {
            Self::InFile(entry) => Some(entry),
            Self::MadeUp(_) => None,
        }
    }
}

/// Selects a profile as [`Settings::resolve`] does, and returns the source of the choice.
fn choose<'a>(
    flags: &Flags,
    env: &Env,
    file: &'a ConfigFile,
    makes_one_up: bool,
) -> (Option<Who<'a>>, Source) {
    if let Some(name) = &flags.profile {
        return (file.entry(name).map(Who::InFile), Source::Flag);
    }
    let variable = env.raw("LAPEL_PROFILE").map(|name| name.to_string_lossy().into_owned());
    if let Some(name) = variable {
        let made_up = || (makes_one_up && is_profile_name(&name)).then(|| Who::MadeUp(name.clone()));
        return (file.entry(&name).map(Who::InFile).or_else(made_up), Source::Variable);
    }
    if makes_one_up {
        return (Some(Who::MadeUp("environment".to_owned())), Source::Variable);
    }
    match unnamed(file) {
        Unnamed::This(entry) => {
            let source = if file.default_profile.is_some() { Source::File } else { Source::Default };
            (Some(Who::InFile(entry)), source)
        }
        Unnamed::Unusable(_) | Unnamed::Several | Unnamed::None => (None, Source::Default),
    }
}
