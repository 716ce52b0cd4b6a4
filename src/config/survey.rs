//! Where each setting of a run comes from, for a person who wonders. Nothing here fails, and no key is looked
//! for: what is wrong with the settings is said beside them.

use super::background::Ground;
use super::env::Env;
use super::file::{ConfigFile, Entry};
use super::known::{Defaults, Layers};
use super::paths::Paths;
use super::profile::is_profile_name;
use super::settings::{Flags, Settings, Unnamed, unnamed};

/// Where a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The command line.
    Flag,
    /// An environment variable.
    Variable,
    /// The table of the profile in `config.toml`, where the file can say it for all profiles, too.
    Profile,
    /// `config.toml`.
    File,
    /// `theme.toml`.
    ThemeFile,
    /// Nobody has said anything.
    Default,
}

impl Source {
    /// In a word, for programs; [`tr`](crate::i18n::tr) puts it into the language of a person.
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

/// A setting as it is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Its name: as in the file, with the names of its tables in front.
    pub name: String,
    /// Its value, in words; nothing where there is none.
    pub value: Option<String>,
    /// Where it comes from.
    pub source: Source,
}

/// The profile that a run would use, without its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundProfile {
    /// Its name; `environment` for one that the environment makes up, unless it names it.
    pub name: String,
    /// Whether it stands in `config.toml`.
    pub is_in_file: bool,
    /// Its settings; user and password of a proxy are not in them.
    pub settings: Vec<Said>,
}

/// What is in force, where it comes from, and what is wrong with it.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Where files are.
    pub paths: Paths,
    /// The settings, without those that only a profile has.
    pub settings: Vec<Said>,
    /// The profile; none where none is chosen.
    pub profile: Option<FoundProfile>,
    /// Which variables take the place of its settings.
    pub overrides: Vec<&'static str>,
    /// Whether the desk asks the terminal if it is dark or light.
    pub asks_background: bool,
    /// What is wrong, or odd, in sentences.
    pub remarks: Vec<String>,
}

/// Looks at everything that settings come from.
pub fn survey(flags: &Flags, env: &Env, defaults: &Defaults) -> Survey {
    // Finds the folders and reads the file as well as can be, whatever is wrong.
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
        // Not what it says: people paste keys into any variable.
        named("log", lenient.log.as_ref().map(|_| "set".to_owned()), "LAPEL_LOG"),
        named("config_dir", folder(&paths.config_dir), "LAPEL_CONFIG_DIR"),
        named("data_dir", folder(&paths.data_dir), "LAPEL_DATA_DIR"),
    ]);
    settings.extend(layers.tables(who.as_ref().and_then(Who::entry)));
    let asks_background = Ground::is_asked(lenient.ui.theme.theme, &lenient.ui.pictures.terminal);
    Survey { paths, settings, profile, overrides, asks_background, remarks }
}

/// Which profile a run would use.
enum Who<'a> {
    InFile(&'a Entry),
    /// Both variables together make one up, under this name.
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

/// Chooses as [`Settings::resolve`] does, and says who has chosen.
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
