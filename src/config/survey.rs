//! Where each setting of a run comes from, for a person who wonders. Nothing here fails, and no key is looked
//! for: what is wrong with the settings is said beside them.

use super::background::Ground;
use super::env::Env;
use super::file::ConfigFile;
use super::paths::Paths;
use super::settings::{Flags, ProfileLine, Settings, lines_of};
use super::ui::GlyphChoice;

/// Where a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The command line.
    Flag,
    /// An environment variable.
    Variable,
    /// `config.toml`.
    File,
    /// Nobody has said anything.
    Default,
}

impl Source {
    /// In a word, for programs; [`words::say`](crate::words::say) puts it into the language of a person.
    pub fn word(self) -> &'static str {
        match self {
            Self::Flag => mark!("flag"),
            Self::Variable => mark!("environment"),
            Self::File => "config.toml",
            Self::Default => mark!("default"),
        }
    }
}

/// A setting as it is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Its name.
    pub name: &'static str,
    /// Its value, in words; nothing where there is none.
    pub value: Option<String>,
    /// Where it comes from.
    pub source: Source,
}

/// What is in force, where it comes from, and what is wrong with it.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Where files are.
    pub paths: Paths,
    /// The settings that do not belong to a profile.
    pub settings: Vec<Said>,
    /// The chosen profile as the file describes it; none where the environment alone makes one up, or where
    /// none is chosen.
    pub profile: Option<ProfileLine>,
    /// Which variables take the place of its settings.
    pub overrides: Vec<&'static str>,
    /// Whether the desk asks the terminal if it is dark or light.
    pub asks_background: bool,
    /// What is wrong, or odd, in sentences.
    pub remarks: Vec<String>,
}

/// Looks at everything that settings come from.
pub fn survey(flags: &Flags, env: &Env) -> Survey {
    // Finds the folders and reads the file as well as can be, whatever is wrong.
    let lenient = Settings::for_demo(&Flags { profile: None, ..flags.clone() }, env);
    let paths = lenient.paths.clone();
    let mut remarks = lenient.warnings;
    let file = ConfigFile::read(&paths.config_file()).unwrap_or_default();
    let variable = |name: &str| env.raw(name).map(|v| v.to_string_lossy().into_owned());
    let chosen = [
        (flags.profile.clone(), Source::Flag),
        (variable("LAPEL_PROFILE"), Source::Variable),
        (file.default_profile.as_ref().map(|(name, _)| name.clone()), Source::File),
        (file.profiles.first().filter(|_| file.profiles.len() == 1).map(|e| e.name.clone()), Source::Default),
    ];
    let chosen = chosen.into_iter().find_map(|(name, source)| name.map(|name| (name, source)));
    let all = lines_of(&file, &paths, env);
    let overrides: Vec<&'static str> =
        ["LAPEL_BASE_URL", "LAPEL_API_KEY"].into_iter().filter(|name| env.raw(name).is_some()).collect();
    let profile = chosen.as_ref().and_then(|(name, _)| all.iter().find(|line| line.name == *name)).cloned();
    // Both together make a profile of their own, unless one is named.
    let is_named = matches!(chosen, Some((_, Source::Flag | Source::Variable)));
    let profile = profile.filter(|_| overrides.len() < 2 || is_named);
    if let Err(error) = Settings::resolve(flags, env) {
        for mistake in error.mistakes() {
            let said = mistake.to_string();
            if !remarks.contains(&said) {
                remarks.push(said);
            }
        }
    }
    let (name, source) = match (profile.as_ref(), chosen) {
        (None, _) if overrides.len() == 2 => (Some("environment".to_owned()), Source::Variable),
        (_, Some((name, source))) => (all.iter().any(|line| line.name == name).then_some(name), source),
        (_, None) => (None, Source::Default),
    };
    let theme = lenient.ui.theme.theme;
    let glyphs = match lenient.ui.glyphs {
        GlyphChoice::Unicode => "unicode",
        GlyphChoice::Ascii => "ascii",
    };
    let of = |flag: bool, variable: bool, file: bool| match (flag, variable, file) {
        (true, ..) => Source::Flag,
        (_, true, _) => Source::Variable,
        (.., true) => Source::File,
        _ => Source::Default,
    };
    let settings = vec![
        Said { name: "profile", value: name, source },
        Said {
            name: "theme",
            value: Some(theme.word().to_owned()),
            // NO_COLOR counts for more than a flag that leaves the choice to lapel.
            source: of(
                flags.theme.is_some_and(|flag| flag == theme),
                env.raw("NO_COLOR").is_some(),
                file.theme.is_some(),
            ),
        },
        Said {
            name: "glyphs",
            value: Some(glyphs.to_owned()),
            source: of(flags.glyphs.is_some(), false, file.glyphs.is_some()),
        },
        Said {
            name: "log",
            // Not what it says: people paste keys into any variable.
            value: lenient.log.map(|_| "set".to_owned()),
            source: of(false, env.raw("LAPEL_LOG").is_some(), false),
        },
        Said {
            name: "config_dir",
            value: Some(paths.config_dir.to_string_lossy().into_owned()),
            source: of(false, env.raw("LAPEL_CONFIG_DIR").is_some(), false),
        },
        Said {
            name: "data_dir",
            value: Some(paths.data_dir.to_string_lossy().into_owned()),
            source: of(false, env.raw("LAPEL_DATA_DIR").is_some(), false),
        },
    ];
    let asks_background = Ground::is_asked(theme, &lenient.ui.pictures.terminal);
    Survey { paths, settings, profile, overrides, asks_background, remarks }
}
