//! `config.toml`: its sections, and the consequences of mistakes in it.

use super::app::AppSettings;
use super::bad_lines::{LostLines, Readable, read_bytes};
use super::index::IndexSettings;
use super::jobs::JobSettings;
use super::key_store::KEY_ADVICE;
use super::profile_settings::{NAME_RULE, ProfileSettings, is_profile_name};
use super::section::{ConfigSection, Consequence};
use super::toml_reader::nearest;
use crate::config::prelude::*;
use crate::i18n::list;

const TABLES: &[&str] = &["jobs", "index", "profiles"];
const PROFILE_TABLES: &[&str] = &["jobs", "index"];
const JOURNAL: &str = "journal";
/// Names under which users try to write a key into the file.
const KEY_LIKE: &[&str] = &["api_key", "apikey", "api-key", "x-api-key", "token", "secret", "password"];

#[derive(Debug, Default)]
pub(super) struct ConfigFile {
    pub path: PathBuf,
    /// By full names such as `profiles.uni.base_url`.
    lines: BTreeMap<String, usize>,
    pub app: AppSettings,
    /// For all profiles.
    pub jobs: JobSettings,
    /// For all profiles.
    pub index: IndexSettings,
    pub profiles: Vec<ProfileEntry>,
    pub unusable: Vec<(String, Vec<Mistake>)>,
    /// The default profile does not exist, so lapel chooses no profile.
    pub default_is_wrong: bool,
    /// A mistake outside the profiles, or in the environment, makes every profile read-only.
    pub is_read_only: bool,
    /// Mistakes that make every profile read-only.
    pub doubts: Vec<Mistake>,
    pub mistakes: Vec<Mistake>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ProfileEntry {
    pub name: String,
    pub settings: ProfileSettings,
    pub jobs: JobSettings,
    pub index: IndexSettings,
    /// Mistakes that make the profile read-only.
    pub doubts: Vec<Mistake>,
}

fn consequence(field: &str) -> Consequence {
    let (name, inner) = field.split_once('.').unwrap_or((field, ""));
    let tables = PROFILE_TABLES.iter().chain(KEY_LIKE).copied();
    match nearest(name, ProfileSettings::keys().chain(tables)) {
        Some("index") => Consequence::UseDefault,
        Some("jobs") => JobSettings::consequence(inner),
        Some(key) if KEY_LIKE.contains(&key) => Consequence::Unusable,
        _ => ProfileSettings::consequence(name),
    }
}

/// Without a name, the mistake affects every profile.
fn explain(mistake: &mut Mistake, consequence: Consequence, name: Option<&str>) {
    let what = std::mem::take(&mut mistake.what);
    mistake.what = match (consequence, name) {
        (Consequence::UseDefault, _) => what,
        (Consequence::ReadOnly, Some(name)) => {
            t!("{what}. Until you correct this, profile {name} is read-only", what, name)
        }
        (Consequence::ReadOnly, None) => {
            t!("{what}. Until you correct this, every profile is read-only", what)
        }
        (Consequence::Unusable, Some(name)) => {
            t!("{what}. Until you correct this, profile {name} cannot be used", what, name)
        }
        (Consequence::Unusable, None) => t!("{what}. Until you correct this, no profile can be used", what),
    };
}

impl ConfigFile {
    /// A missing file counts as empty. A mistake affects only its own field, see [`Self::mistakes`]. Fails
    /// only when the whole file cannot be used.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        Ok(Self::of(path, &Readable::read(path)?.unwrap_or_default()))
    }

    /// For a text before or after a change: any mistake is an error.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let read = Self::of(path, &Readable::of(text));
        if read.mistakes.is_empty() { Ok(read) } else { Err(ConfigError::new(read.mistakes)) }
    }

    fn of(path: &Path, readable: &Readable) -> Self {
        let mut reader = TomlReader::new(path, &readable.text);
        let mut file = Self { path: path.to_owned(), ..Self::default() };
        if let Some(table) = reader.parse() {
            file.read_top(&mut reader, table.get_ref());
        }
        file.mistakes = reader.mistakes;
        file.lines = reader.lines;
        for lost in &readable.lost {
            let mistake = file.lose(lost, lost.mistake(path));
            file.mistakes.push(mistake);
        }
        let lines = &file.lines;
        file.profiles.sort_by_key(|entry| lines.get(&join("profiles", &entry.name)));
        file.mistakes.sort_by_key(|mistake| mistake.line);
        file
    }

    fn lose(&mut self, lost: &LostLines, mut mistake: Mistake) -> Mistake {
        let (name, worst) = if lost.has_heading() {
            self.consequence_of_headings(lost)
        } else {
            let worst = |within: &[String]| {
                let field =
                    |name: &str| consequence([within.join(".").as_str(), name].join(".").trim_matches('.'));
                lost.fields().map(field).max().unwrap_or(Consequence::ReadOnly)
            };
            match lost.section().as_slice() {
                [profiles, name, within @ ..] if profiles == "profiles" => {
                    (Some(name.clone()), worst(within))
                }
                section @ [table, ..] if table == "jobs" => (None, worst(section)),
                [] => {
                    self.default_is_wrong |= lost.fields().any(|name| name == "default_profile");
                    let field = |name: &str| match name {
                        "profiles" => Consequence::Unusable,
                        "index" => Consequence::UseDefault,
                        name if AppSettings::setting(name).is_some() => Consequence::UseDefault,
                        _ => Consequence::ReadOnly,
                    };
                    (None, lost.fields().map(field).max().unwrap_or(Consequence::ReadOnly))
                }
                _ => (None, Consequence::UseDefault),
            }
        };
        explain(&mut mistake, worst, name.as_deref());
        self.apply(worst, name.as_deref(), &mistake);
        mistake
    }

    /// Also returns the affected profile.
    fn consequence_of_headings(&self, lost: &LostLines) -> (Option<String>, Consequence) {
        let [heading, rest @ ..] = lost.texts.as_slice() else { return (None, Consequence::Unusable) };
        if rest.iter().any(|line| line.starts_with('[')) || !heading.starts_with('[') {
            // The loss spans several sections, for example after an unclosed string.
            return (None, Consequence::Unusable);
        }
        match self.profiles.iter().find(|entry| heading.contains(entry.name.as_str())) {
            Some(entry) => (Some(entry.name.clone()), Consequence::Unusable),
            None if heading.contains("jobs") => (None, Consequence::ReadOnly),
            // The heading of an unknown profile affects no other profile.
            None => (None, Consequence::UseDefault),
        }
    }

    fn apply(&mut self, consequence: Consequence, name: Option<&str>, mistake: &Mistake) {
        let is_affected = |entry: &ProfileEntry| name.is_none_or(|name| entry.name == name);
        match consequence {
            Consequence::UseDefault => {}
            Consequence::ReadOnly if name.is_none() => {
                self.doubts.push(mistake.clone());
                if !std::mem::replace(&mut self.is_read_only, true) {
                    self.profiles.iter_mut().for_each(|entry| entry.settings.read_only = true);
                }
            }
            Consequence::ReadOnly => {
                for entry in self.profiles.iter_mut().filter(|entry| is_affected(entry)) {
                    entry.settings.read_only = true;
                    entry.doubts.push(mistake.clone());
                }
            }
            Consequence::Unusable => {
                let gone = self.profiles.extract_if(.., |entry| is_affected(entry));
                self.unusable.extend(gone.map(|entry| (entry.name, vec![mistake.clone()])));
            }
        }
    }

    /// Ignores this profile, and the default profile, which must be `default`.
    pub fn differs_only_in(&self, before: &Self, name: &str, default: Option<&String>) -> bool {
        let others = |file: &'_ Self| {
            file.profiles.iter().filter(|entry| entry.name != name).cloned().collect::<Vec<_>>()
        };
        self.app == AppSettings { default_profile: default.cloned(), ..before.app.clone() }
            && self.jobs == before.jobs
            && self.index == before.index
            && others(self) == others(before)
    }

    /// Falls back to the table that the field is in.
    pub fn line(&self, field: &str) -> Option<usize> {
        let outer = || self.line(field.rsplit_once('.')?.0);
        self.lines.get(field).copied().or_else(outer)
    }

    pub fn has(&self, field: &str) -> bool {
        self.lines.contains_key(field)
    }

    pub fn why_unusable(&self, name: &str) -> Option<ConfigError> {
        let (_, mistakes) = self.unusable.iter().find(|(unusable, _)| unusable == name)?;
        Some(ConfigError::new(mistakes.clone()))
    }

    pub fn entry(&self, name: &str) -> Option<&ProfileEntry> {
        self.profiles.iter().find(|entry| entry.name == name)
    }

    pub fn names(&self) -> String {
        match self.profiles.as_slice() {
            [] => t!("none").to_owned(),
            all => list(all.iter().map(|entry| entry.name.as_str())).to_string(),
        }
    }

    pub fn wrong(&self, field: &str, what: impl Into<String>) -> ConfigError {
        Mistake::in_file(&self.path, self.line(field), Some(field), what).into()
    }

    fn read_top(&mut self, reader: &mut TomlReader<'_>, top: &DeTable<'_>) {
        refuse_keys(reader, top, "");
        // The name is right, and the place is wrong.
        if let Some((name, _)) = top.get_key_value("key") {
            reader.wrong(name.span().start, "key", crate::i18n::tr(KEY_ADVICE));
        }
        let known: Vec<&str> = AppSettings::keys().chain(TABLES.iter().copied()).collect();
        let misplaced = top.keys().find(|name| nearest(name.get_ref(), [JOURNAL]).is_some());
        let judged = [KEY_LIKE, &["key"], misplaced.map(|name| name.get_ref().as_ref()).as_slice()].concat();
        reader.unknown(top, "", &known, &judged);
        self.app = AppSettings::read_table(reader, top, "");
        let before = reader.mistakes.len();
        if let Some(value) = top.get("jobs") {
            self.jobs = JobSettings::read(reader, value, "jobs");
        }
        if let Some(name) = misplaced {
            let what = t!("belongs to one profile: write [profiles.NAME.journal]");
            reader.wrong(name.span().start, JOURNAL, what);
        }
        let for_all = before..reader.mistakes.len();
        if let Some(value) = top.get("index") {
            self.index = IndexSettings::read(reader, value, "index");
        }
        let profiles = top.get("profiles").and_then(|profiles| {
            reader.table(profiles, "profiles", t!("must be tables such as [profiles.demo]"))
        });
        if let Some(profiles) = profiles {
            self.read_profiles(reader, profiles);
        }
        for mistake in &mut reader.mistakes[for_all] {
            let consequence = consequence(mistake.field.as_deref().unwrap_or_default());
            explain(mistake, consequence, None);
            self.apply(consequence, None, mistake);
        }
        if let Some(value) = top.get("default_profile") {
            let is_known = |name: &str| profiles.is_some_and(|profiles| profiles.contains_key(name));
            let is_text = self.app.default_profile.is_some();
            self.app.default_profile.take_if(|name| !is_known(name));
            self.default_is_wrong = self.app.default_profile.is_none();
            if is_text && self.default_is_wrong {
                let names = self.names();
                let what = t!("names an unknown profile; profiles in this file: {names}", names);
                reader.wrong(value.span().start, "default_profile", what);
            }
        }
    }

    fn read_profiles(&mut self, reader: &mut TomlReader<'_>, profiles: &DeTable<'_>) {
        for (key, value) in profiles {
            let at = key.span().start;
            let name = key.get_ref().as_ref();
            if !is_profile_name(name) {
                let what = t!("invalid name: {name_rule}", name_rule = crate::i18n::tr(NAME_RULE));
                reader.wrong(at, "profiles", what);
                continue;
            }
            let prefix = join("profiles", name);
            reader.lines.insert(prefix.clone(), reader.line(at));
            let Some(table) = reader.table(value, &prefix, t!("must be a table of settings")) else {
                continue;
            };
            let before = reader.mistakes.len();
            let entry = read_profile(reader, table, name, at);
            let mut worst = Consequence::UseDefault;
            let inside = format!("{prefix}.");
            for mistake in &mut reader.mistakes[before..] {
                let field = mistake.field.as_deref().and_then(|field| field.strip_prefix(&inside));
                let own = consequence(field.unwrap_or_default());
                explain(mistake, own, Some(name));
                worst = worst.max(own);
            }
            let doubts = reader.mistakes[before..].to_vec();
            match worst {
                Consequence::UseDefault => self.profiles.push(entry),
                Consequence::ReadOnly => {
                    let settings = ProfileSettings { read_only: true, ..entry.settings };
                    self.profiles.push(ProfileEntry { settings, doubts, ..entry });
                }
                Consequence::Unusable => self.unusable.push((name.to_owned(), doubts)),
            }
        }
    }
}

fn read_profile(reader: &mut TomlReader<'_>, table: &DeTable<'_>, name: &str, at: usize) -> ProfileEntry {
    let prefix = join("profiles", name);
    let field = |name: &str| join(&prefix, name);
    refuse_keys(reader, table, &prefix);
    let known: Vec<&str> = ProfileSettings::keys().chain(PROFILE_TABLES.iter().copied()).collect();
    reader.unknown(table, &prefix, &known, KEY_LIKE);
    let settings = ProfileSettings::read_table(reader, table, &prefix);
    if !table.contains_key("base_url") {
        let what = t!("is missing: write base_url = \"https://host/api/v1/ext\" under this profile");
        reader.wrong(at, &field("base_url"), what);
    }
    if let (true, Some(command)) = (table.contains_key("key"), table.get("key_command")) {
        let what = t!("the field key is set too: keep only one of them");
        reader.wrong(command.span().start, &field("key_command"), what);
    }
    if let (Some(journal), None) = (table.get(JOURNAL), &settings.journal.url)
        && journal.get_ref().as_table().is_some_and(|journal| !journal.contains_key("url"))
    {
        let what = t!("is missing: write url = \"postgres://USER@HOST/DATABASE\" in this table");
        reader.wrong(journal.span().start, &join(&field(JOURNAL), "url"), what);
    }
    if let Some(prefix) = &settings.key_prefix {
        crate::secrets::register_pin(prefix, settings.key_fingerprint.as_deref());
    }
    let jobs = table.get("jobs").map(|value| JobSettings::read(reader, value, &field("jobs")));
    let index = table.get("index").map(|value| IndexSettings::read(reader, value, &field("index")));
    ProfileEntry {
        name: name.to_owned(),
        settings,
        jobs: jobs.unwrap_or_default(),
        index: index.unwrap_or_default(),
        doubts: Vec::new(),
    }
}

/// A plain "unknown field" would not say where a key belongs.
fn refuse_keys(reader: &mut TomlReader<'_>, table: &DeTable<'_>, prefix: &str) {
    for name in KEY_LIKE {
        if let Some((name, _)) = table.get_key_value(*name) {
            reader.wrong(name.span().start, &join(prefix, name.get_ref()), crate::i18n::tr(KEY_ADVICE));
        }
    }
}

/// `None` when the file does not exist.
pub(super) fn read_text(path: &Path) -> Result<Option<String>, ConfigError> {
    let Some(bytes) = read_bytes(path)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|why| {
        let good = &why.as_bytes()[..why.utf8_error().valid_up_to()];
        let line = String::from_utf8_lossy(good).matches('\n').count() + 1;
        Mistake::in_file(path, Some(line), None, t!("is not UTF-8 text: save the file as UTF-8")).into()
    })
}
