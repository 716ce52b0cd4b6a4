//! Saves a new profile: its key in its key store, the rest at the end of `config.toml`.

use super::ca::{self, CaFile};
use super::edit::{SecretChange, commit, with_default};
use super::file::{ConfigFile, read_text};
use super::input::ProfileInput;
use super::key::Key;
use super::key_store::{KeyStore, ProfileAt, SecretKind};
use super::lock::{create_keys_dir, lock};
use super::profile::{Profile, TeamJournal};
use super::profile_settings::{KeyPin, NAME_RULE, ProfileSettings, is_profile_name};
use super::resolved::Resolved;
use super::section::ConfigSection;
use super::selection::{index_of, jobs_of};
use crate::config::prelude::*;
use crate::fs::{replace, write_new};
use toml::Value;

#[derive(Clone, Debug)]
pub struct NewProfile {
    pub name: String,
    pub input: ProfileInput,
    pub key_store: KeyStore,
    pub journal_password: Option<(KeyStore, SecretString)>,
    pub pin: Option<KeyPin>,
    /// The first profile becomes the default in any case.
    pub make_default: bool,
}

impl NewProfile {
    pub fn of(name: impl Into<String>, input: ProfileInput) -> Self {
        Self {
            name: name.into(),
            input,
            key_store: KeyStore::File,
            journal_password: None,
            pin: None,
            make_default: false,
        }
    }

    /// Does not check the file of certificates.
    pub fn settings(&self) -> Result<ProfileSettings, ConfigError> {
        no_key("name", &self.name)?;
        self.input.refuse_keys()?;
        if !is_profile_name(&self.name) {
            let what = t!("invalid name: {name_rule}", name_rule = crate::i18n::tr(NAME_RULE));
            return Err(typed_mistake("name", what));
        }
        let mut settings = self.input.check()?;
        self.key_store.check(SecretKind::ApiKey)?;
        settings.set_key_store(&self.key_store);
        if let Some((store, _)) = &self.journal_password {
            store.check(SecretKind::JournalPassword)?;
            settings.journal.set_password_store(&self.name, store);
        }
        settings.journal.check_is_set()?;
        settings.set_pin(self.pin.clone());
        Ok(settings)
    }

    /// For a test before the profile is saved.
    pub fn profile(&self, api_key: &str) -> Result<Profile, ConfigError> {
        // This registers the key, so that the checks find it in any other field.
        let checked = |kind: SecretKind, secret: &str| {
            kind.check(secret).map_err(|why| typed_mistake(kind.setting(), t!("the field {why}", why)))
        };
        let key = checked(SecretKind::ApiKey, api_key)?;
        let password = self.journal_password.as_ref();
        let password = password
            .map(|(_, password)| checked(SecretKind::JournalPassword, password.expose_secret()))
            .transpose()?;
        let settings = self.settings()?;
        let ca = |name: &str, path: &Option<String>| {
            let Some(path) = path else { return Ok(None) };
            let pem = ca::load(Path::new(path)).map_err(|why| typed_mistake(name, why))?;
            Ok::<_, ConfigError>(Some(CaFile { path: path.into(), pem: pem.into() }))
        };
        let journal_ca = ca("journal.ca_file", &settings.journal.ca_file)?;
        let journal = settings.journal.server().map(|server| {
            Box::new(TeamJournal { server, password: password.map(Key::Known), ca: journal_ca })
        });
        Ok(Profile {
            name: self.name.clone(),
            ca: ca("ca_file", &settings.ca_file)?,
            journal,
            settings: Resolved::new(settings, []),
            key: Key::Known(key),
            key_from: self.key_store.label(SecretKind::ApiKey).to_owned(),
            jobs: Resolved::default(),
            index: Resolved::default(),
            from: format!("a profile named {}", self.name),
        })
    }
}

/// Adds the profile at the end of `config.toml`. The rest stays unchanged byte for byte, unless the
/// profile becomes the default.
///
/// Each file is written in one step, the key first: a crash in between never leaves a profile
/// without a key. A keyring may block for at most 6 s.
/// On an error, nothing is changed.
pub fn save_profile(
    paths: &Paths,
    env: &Env,
    new: &NewProfile,
    api_key: &str,
) -> Result<Profile, ConfigError> {
    let profile = new.profile(api_key)?;
    let secret = profile.key.fetch()?;
    create_keys_dir(paths)?;
    let _lock = lock(paths)?;
    let path = paths.config_file();
    let text = read_text(&path)?;
    let before = ConfigFile::parse(&path, text.as_deref().unwrap_or_default())?;
    is_free(&before, &new.name)?;
    let block = block(&new.name, &profile.settings);
    let (mut after, is_first) = appended(text.as_deref().unwrap_or_default(), &new.name, &block);
    if new.make_default {
        after = with_default(&path, &after, &new.name)?;
    }
    let default =
        if new.make_default || is_first { Some(&new.name) } else { before.app.default_profile.as_ref() };
    let is_as_wanted = ConfigFile::parse(&path, &after).is_ok_and(|read| {
        read.entry(&new.name).is_some_and(|entry| entry.settings == profile.settings.values)
            && read.differs_only_in(&before, &new.name, default)
    });
    if !is_as_wanted {
        // For example `profiles = { ... }` on one line, which cannot be extended from below.
        let what = t!(
            "lapel cannot add a profile at the end of this file. Nothing was changed. Add this where your profiles are:\n{block}",
            block
        );
        return Err(Mistake::in_file(&path, None, Some("profiles"), what).into());
    }

    let password = profile.journal.as_ref().and_then(|journal| journal.password.as_ref()?.known());
    let password = new.journal_password.as_ref().zip(password);
    let change = |kind, store: &KeyStore, secret: &SecretString| SecretChange {
        kind,
        old: None,
        after: Some(store.clone()),
        new: Some(secret.clone()),
    };
    let mut secrets = vec![change(SecretKind::ApiKey, &new.key_store, &secret)];
    secrets
        .extend(password.map(|((store, _), password)| change(SecretKind::JournalPassword, store, password)));
    commit(ProfileAt { paths, env, name: &new.name }, &secrets, |path| match text {
        Some(_) => replace(path, after.as_bytes()),
        None => write_new(path, after.as_bytes()),
    })?;
    Ok(Profile {
        jobs: jobs_of(None, &before),
        index: index_of(None, &before),
        from: format!("profile {} of {}", new.name, shown(&path)),
        ..profile
    })
}

fn is_free(file: &ConfigFile, name: &str) -> Result<(), ConfigError> {
    // Names that differ only in case would share a key file on some systems.
    match file.profiles.iter().find(|old| old.name.eq_ignore_ascii_case(name)) {
        None => Ok(()),
        Some(old) => {
            let what = t!("a profile with this name exists: choose another name or remove the old one first");
            Err(file.wrong(&format!("profiles.{}", old.name), what))
        }
    }
}

fn block(name: &str, settings: &ProfileSettings) -> String {
    let (mut own, mut tables) = (String::new(), String::new());
    for setting in ProfileSettings::SETTINGS {
        match (setting.value)(settings) {
            // A switch that is off is absent.
            None | Some(Value::Boolean(false)) => {}
            Some(Value::Table(table)) if !setting.inner_keys.is_empty() => {
                let line = |key: &&str| table.get(*key).map(|value| format!("{key} = {value}\n"));
                let lines: Vec<String> = setting.inner_keys.iter().filter_map(line).collect();
                tables.push_str(&format!("\n[profiles.{name}.{}]\n{}", setting.key, lines.concat()));
            }
            Some(value) => own.push_str(&format!("{} = {value}\n", setting.key)),
        }
    }
    format!("[profiles.{name}]\n{own}{tables}")
}

/// `true` for the first profile in a new file.
fn appended(text: &str, name: &str, block: &str) -> (String, bool) {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        let text = format!(
            "{text}# Settings of lapel. Keys do not belong in this file: they stand in keys/, one file each.\n\
             default_profile = \"{name}\"\n\n{block}"
        );
        return (text, true);
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    (format!("{text}{end}\n{block}"), false)
}
