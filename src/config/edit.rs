//! Edits and removes a profile. Everything else in `config.toml` keeps its comments and its order.

use super::file::{ConfigFile, ProfileEntry, read_text};
use super::input::ProfileInput;
use super::journal::JournalSettings;
use super::key_store::{Deleted, KeyStore, ProfileAt, SecretKind};
use super::lock::{create_keys_dir, lock};
use super::paths::{recent_file, templates_file};
use super::profile::Profile;
use super::profile_settings::KeyPin;
use super::section::ConfigSection;
use super::selection::Selected;
use crate::config::prelude::*;
use crate::fs::replace;
use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

const JOURNAL: &str = "journal";

/// Anything that it does not contain stays.
#[derive(Clone, Debug, Default)]
pub struct ProfileEdit {
    pub input: ProfileInput,
    pub key: Option<(KeyStore, SecretString)>,
    pub journal_password: Option<(KeyStore, SecretString)>,
    pub pin: Option<KeyPin>,
    pub make_default: bool,
}

impl ProfileEdit {
    pub fn is_empty(&self) -> bool {
        self.input.is_empty()
            && self.key.is_none()
            && self.journal_password.is_none()
            && self.pin.is_none()
            && !self.make_default
    }

    /// For a test before the change is saved. Its key may still have to be fetched.
    pub fn preview(&self, paths: &Paths, env: &Env, name: &str) -> Result<Profile, ConfigError> {
        self.plan(paths, env, name).map(|plan| plan.profile)
    }

    fn plan(&self, paths: &Paths, env: &Env, name: &str) -> Result<EditPlan, ConfigError> {
        let path = paths.config_file();
        let text = read_text(&path)?.unwrap_or_default();
        let before = ConfigFile::parse(&path, &text)?;
        let old = before.entry(name).ok_or_else(|| not_there(&before))?;
        let after = self.applied(&path, &text, name)?;
        let read = ConfigFile::parse(&path, &after)?;
        let own = name.to_owned();
        let default = if self.make_default { Some(&own) } else { before.app.default_profile.as_ref() };
        let Some(entry) = read.entry(name).filter(|_| read.differs_only_in(&before, name, default)) else {
            return Err(cannot_edit(&path));
        };
        let mut selected = Selected::named(entry, &read);
        let secret = |kind: SecretKind, new: &Option<(KeyStore, SecretString)>, store: Stored| {
            let new = new.as_ref().map(|(_, secret)| kind.check(secret.expose_secret()));
            let new = new.transpose().map_err(|why| typed_mistake(kind.setting(), why))?;
            Ok::<_, ConfigError>(SecretChange { kind, old: store(old), after: store(entry), new })
        };
        let key = secret(SecretKind::ApiKey, &self.key, |entry| Some(entry.settings.key_store()))?;
        let password = secret(SecretKind::JournalPassword, &self.journal_password, |entry| {
            entry.settings.journal.password_store(&entry.name)
        })?;
        (selected.key, selected.journal_password) = (key.new.clone(), password.new.clone());
        // The new secrets are registered by now, so that this finds them in any other field.
        self.input.refuse_keys()?;
        let profile = selected.open(&read, paths, env)?;
        Ok(EditPlan { profile, after, secrets: [key, password] })
    }

    fn applied(&self, path: &Path, text: &str, name: &str) -> Result<String, ConfigError> {
        let mut settings = self.input.check()?;
        let mut keys: Vec<&str> = self.input.keys().collect();
        if let Some((store, _)) = &self.key {
            store.check(SecretKind::ApiKey)?;
            settings.set_key_store(store);
            keys.extend(["key", "key_command"]);
        }
        let mut journal_keys: Vec<&str> =
            keys.iter().filter_map(|key| key.strip_prefix("journal.")).collect();
        keys.retain(|key| !key.starts_with("journal."));
        if let Some((store, _)) = &self.journal_password {
            store.check(SecretKind::JournalPassword)?;
            settings.journal.set_password_store(name, store);
            journal_keys.extend(["password", "password_command"]);
        }
        if let Some(pin) = &self.pin {
            settings.set_pin(Some(pin.clone()));
            keys.extend(["key_prefix", "key_fingerprint"]);
        }
        let mut doc = document(path, text)?;
        let table = profile_in(&mut doc, name).ok_or_else(|| cannot_edit(path))?;
        write(table, &settings, &keys, path)?;
        if journal_keys.contains(&"url") && settings.journal.url.is_none() {
            settings.journal.check_is_set()?;
            let removed = table.remove(JOURNAL);
            keep_comment(&mut doc, removed.as_ref());
        } else if !journal_keys.is_empty() {
            let journal = table_in(table, JOURNAL).ok_or_else(|| cannot_edit(path))?;
            write::<JournalSettings>(journal, &settings.journal, &journal_keys, path)?;
            if !journal.contains_key("url") {
                return Err(JournalSettings::url_is_missing());
            }
        }
        let text = doc.to_string();
        if self.make_default { with_default(path, &text, name) } else { Ok(text) }
    }
}

struct EditPlan {
    profile: Profile,
    after: String,
    secrets: [SecretChange; 2],
}

type Stored = fn(&ProfileEntry) -> Option<KeyStore>;

pub(super) struct SecretChange {
    pub kind: SecretKind,
    pub old: Option<KeyStore>,
    /// The place after the change.
    pub after: Option<KeyStore>,
    /// `None` when the secret stays the same.
    pub new: Option<SecretString>,
}

/// When the key or the journal's password moves to another key store, deletes the old one that lapel stored. The
/// second part of the result says when that failed. A keyring may block for some seconds.
/// On an error, nothing is changed.
pub fn edit_profile(
    paths: &Paths,
    env: &Env,
    name: &str,
    change: &ProfileEdit,
) -> Result<(Profile, Option<String>), ConfigError> {
    create_keys_dir(paths)?;
    let _lock = lock(paths)?;
    let plan = change.plan(paths, env, name)?;
    let at = ProfileAt { paths, env, name };
    commit(at, &plan.secrets, |path| replace(path, plan.after.as_bytes()))?;
    let moved = plan.secrets.iter().filter(|change| change.old != change.after);
    let moved = moved.filter_map(|change| Some((change.kind, change.old.as_ref()?)));
    let remarks: Vec<String> = moved.filter_map(|(kind, old)| delete_secret(kind, at, old).err()).collect();
    Ok((plan.profile, (!remarks.is_empty()).then(|| remarks.join(" "))))
}

/// Stores the secrets, and then the settings. After an error, everything is as before.
pub(super) fn commit<'a>(
    at: ProfileAt<'a>,
    secrets: &'a [SecretChange],
    write: impl FnOnce(&Path) -> std::io::Result<()>,
) -> Result<(), ConfigError> {
    let mut undo: Vec<SecretUndo<'a>> = Vec::new();
    let stored = secrets.iter().try_for_each(|SecretChange { kind, old, after, new }| {
        if let (Some(store), Some(secret)) = (after, new) {
            undo.push(replace_secret(*kind, at, (store, secret), old.as_ref())?);
        }
        Ok(())
    });
    let path = at.paths.config_file();
    let done = stored.and_then(|()| write(&path).map_err(|why| cannot_write(&path, &why)));
    done.inspect_err(|_| undo.into_iter().for_each(|undo| undo()))
}

/// Restores an old secret.
type SecretUndo<'a> = Box<dyn FnOnce() + 'a>;

fn replace_secret<'a>(
    kind: SecretKind,
    at: ProfileAt<'a>,
    (store, secret): (&'a KeyStore, &SecretString),
    old_store: Option<&KeyStore>,
) -> Result<SecretUndo<'a>, ConfigError> {
    let ProfileAt { paths, env, name } = at;
    match (store, old_store) {
        (KeyStore::File, Some(KeyStore::File)) => {
            let file = kind.file(paths, name);
            let old = std::fs::read(&file).ok();
            // Other users who could read the old secret must not read the new one.
            #[cfg(unix)]
            if std::fs::metadata(&file).is_ok_and(|found| crate::fs::open_to_others(&found)) {
                let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
                std::fs::set_permissions(&file, private).map_err(|why| {
                    Mistake::plain(t!(
                        "cannot make {file} private: {why}",
                        file = shown(&file),
                        why = io_error::words(&why)
                    ))
                })?;
            }
            replace(&file, format!("{}\n", secret.expose_secret()).as_bytes()).map_err(|why| {
                Mistake::plain(t!(
                    "cannot write {file}: {why}",
                    file = shown(&file),
                    why = io_error::words(&why)
                ))
            })?;
            Ok(Box::new(move || {
                let _ = match old {
                    Some(old) => replace(&file, &old),
                    None => std::fs::remove_file(&file),
                };
            }))
        }
        (KeyStore::Keyring, Some(KeyStore::Keyring)) => {
            let (keyring, entry) = (env.keyring().clone(), kind.keyring_entry(name));
            let wrong = |why: String| typed_mistake(kind.setting(), why);
            let old = keyring.read(&entry).map_err(wrong)?;
            keyring.replace(&entry, secret).map_err(wrong)?;
            Ok(Box::new(move || {
                let _ = match old {
                    Some(old) => keyring.replace(&entry, &old),
                    None => keyring.forget(&entry).map(drop),
                };
            }))
        }
        _ => {
            store.store(kind, at, secret)?;
            Ok(Box::new(move || drop(store.delete(kind, at))))
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    pub key: String,
    /// A sentence about the password of its team's journal, if it had one.
    pub journal_password: Option<String>,
    pub was_default: bool,
}

impl Removed {
    pub fn words(&self, name: &str) -> String {
        let secrets: Vec<&str> =
            [&self.key].into_iter().chain(&self.journal_password).map(String::as_str).collect();
        t!("Removed profile {name}. {key}", name, key = secrets.join(" "))
    }
}

/// Also removes its key and its journal's password when lapel stores them. A keyring may block for at most 6 s.
/// On an error, nothing is changed.
pub fn remove_profile(paths: &Paths, env: &Env, name: &str) -> Result<Removed, ConfigError> {
    let path = paths.config_file();
    if !paths.config_dir.is_dir() {
        return Err(not_there(&ConfigFile::read(&path)?));
    }
    let _lock = lock(paths)?;
    let text = read_text(&path)?.unwrap_or_default();
    let before = ConfigFile::parse(&path, &text)?;
    let entry = before.entry(name).ok_or_else(|| not_there(&before))?;
    let default = before.app.default_profile.as_ref();
    let was_default = default.is_some_and(|default| default == name);
    let after = without(&path, &text, name, was_default)?;
    let read = ConfigFile::parse(&path, &after).map_err(|_| cannot_edit(&path))?;
    let default = default.filter(|_| !was_default);
    if read.entry(name).is_some() || !read.differs_only_in(&before, name, default) {
        return Err(cannot_edit(&path));
    }
    replace(&path, after.as_bytes()).map_err(|why| cannot_write(&path, &why))?;
    // These files may contain names and e-mail addresses. A failure is only logged, since the profile is already
    // removed.
    let data = &paths.data_dir;
    for file in [paths.view_file(name), recent_file(data, name), templates_file(data, name)] {
        if let Err(why) = std::fs::remove_file(&file)
            && why.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(file = %file.display(), %why, "a file of a removed profile could not be removed");
        }
    }
    let at = ProfileAt { paths, env, name };
    let deleted = |kind, store: &KeyStore| delete_secret(kind, at, store).unwrap_or_else(|why| why);
    let key = deleted(SecretKind::ApiKey, &entry.settings.key_store());
    let password = entry.settings.journal.password_store(name);
    let journal_password = password.map(|store| deleted(SecretKind::JournalPassword, &store));
    Ok(Removed { key, journal_password, was_default })
}

/// Deletes only a secret that lapel stores. Both results are sentences.
fn delete_secret(kind: SecretKind, at: ProfileAt<'_>, store: &KeyStore) -> Result<String, String> {
    let file = || shown(&kind.file(at.paths, at.name));
    let is_file = *store == KeyStore::File;
    match (kind, store.delete(kind, at)) {
        (SecretKind::ApiKey, Ok(Deleted::Yes)) if is_file => {
            Ok(t!("Removed its key file {file}.", file = file()))
        }
        (SecretKind::ApiKey, Ok(Deleted::Missing)) if is_file => Ok(t!("It had no key file.").to_owned()),
        (SecretKind::ApiKey, Err(why)) if is_file => {
            Err(t!("Cannot remove the key file {file}: {why}.", file = file(), why))
        }
        (SecretKind::ApiKey, Ok(Deleted::Yes)) => Ok(t!("Removed its key from the keyring.").to_owned()),
        (SecretKind::ApiKey, Ok(Deleted::Missing)) => Ok(t!("The keyring had no key for it.").to_owned()),
        (SecretKind::ApiKey, Err(why)) => Err(t!("Its key is still in the keyring: {why}.", why)),
        (SecretKind::ApiKey, Ok(Deleted::Elsewhere)) => {
            Ok(t!("Its key is elsewhere and was not changed.").to_owned())
        }
        (SecretKind::JournalPassword, Ok(Deleted::Yes)) => Ok(t!("Removed its journal password.").to_owned()),
        (SecretKind::JournalPassword, Ok(Deleted::Missing)) => {
            Ok(t!("Its journal password was missing.").to_owned())
        }
        (SecretKind::JournalPassword, Err(why)) => {
            Err(t!("Its journal password could not be removed: {why}.", why))
        }
        (SecretKind::JournalPassword, Ok(Deleted::Elsewhere)) => {
            Ok(t!("Its journal password is elsewhere and was not changed.").to_owned())
        }
    }
}

pub(super) fn with_default(path: &Path, text: &str, name: &str) -> Result<String, ConfigError> {
    let mut doc = document(path, text)?;
    set(doc.as_table_mut(), "default_profile", name);
    Ok(doc.to_string())
}

/// Also removes the comments above the profile, up to the first empty line.
fn without(path: &Path, text: &str, name: &str, was_default: bool) -> Result<String, ConfigError> {
    let mut doc = document(path, text)?;
    let mut top = String::new();
    if was_default {
        let comment = doc.as_table().key("default_profile").and_then(|key| key.leaf_decor().prefix());
        comment.and_then(|c| c.as_str()).unwrap_or_default().clone_into(&mut top);
        doc.remove("default_profile");
    }
    let profiles =
        doc.get_mut("profiles").and_then(Item::as_table_like_mut).ok_or_else(|| cannot_edit(path))?;
    let removed = profiles.remove(name);
    if removed.is_none() {
        return Err(cannot_edit(path));
    }
    keep_comment(&mut doc, removed.as_ref());
    let is_bare =
        doc.get("profiles").and_then(Item::as_table).is_some_and(|t| t.is_empty() && t.is_implicit());
    if is_bare {
        doc.remove("profiles");
    }
    Ok(format!("{top}{doc}"))
}

/// Of a removed table, keeps the comments above the last empty line before it.
fn keep_comment(doc: &mut DocumentMut, removed: Option<&Item>) {
    let Some(table) = removed.and_then(Item::as_table) else { return };
    let above = table.decor().prefix().and_then(|p| p.as_str()).unwrap_or_default();
    let comment = above.rfind("\n\n").map_or("", |end| &above[..=end]);
    if comment.contains('#') && !move_to_next(doc.as_item_mut(), table.position(), comment) {
        let trailing = doc.trailing().as_str().unwrap_or_default();
        doc.set_trailing(format!("{comment}{trailing}"));
    }
}

/// `false` when there is no next table.
fn move_to_next(item: &mut Item, position: Option<isize>, comment: &str) -> bool {
    fn next(item: &Item, behind: isize, best: &mut Option<isize>) {
        let Some(table) = item.as_table() else { return };
        if let Some(at) = table.position().filter(|at| *at > behind && !table.is_implicit()) {
            *best = Some(best.map_or(at, |best| best.min(at)));
        }
        for (_, inner) in table {
            next(inner, behind, best);
        }
    }
    fn give(item: &mut Item, to: isize, comment: &str) -> bool {
        let Some(table) = item.as_table_mut() else { return false };
        if table.position() == Some(to) && !table.is_implicit() {
            let own = table.decor().prefix().and_then(|p| p.as_str()).unwrap_or_default().to_owned();
            table.decor_mut().set_prefix(format!("{comment}{own}"));
            return true;
        }
        table.iter_mut().any(|(_, inner)| give(inner, to, comment))
    }
    let Some(position) = position else { return false };
    let mut best = None;
    next(item, position, &mut best);
    best.is_some_and(|to| give(item, to, comment))
}

fn document(path: &Path, text: &str) -> Result<DocumentMut, ConfigError> {
    // The parser's message would quote the line. Every mistake was reported earlier.
    text.trim_start_matches('\u{feff}').parse().map_err(|_| cannot_edit(path))
}

fn profile_in<'d>(doc: &'d mut DocumentMut, name: &str) -> Option<&'d mut dyn TableLike> {
    doc.get_mut("profiles")?.as_table_like_mut()?.get_mut(name)?.as_table_like_mut()
}

/// Added if it is missing, in the form that its profile has.
fn table_in<'t>(profile: &'t mut dyn TableLike, name: &str) -> Option<&'t mut dyn TableLike> {
    if !profile.contains_key(name) {
        profile.insert(name, Item::Table(Table::new()));
    }
    profile.get_mut(name)?.as_table_like_mut()
}

/// New lines: first the settings that users edit, then those that follow from a secret.
fn write<S: ConfigSection>(
    table: &mut dyn TableLike,
    settings: &S,
    keys: &[&str],
    path: &Path,
) -> Result<(), ConfigError> {
    let mut changed: Vec<_> = S::SETTINGS.iter().filter(|setting| keys.contains(&setting.key)).collect();
    changed.sort_by_key(|setting| setting.edit.is_none());
    for setting in changed {
        match (setting.value)(settings) {
            // `toml_edit` can read every value that `toml` writes.
            Some(value) => {
                let value: Value = value.to_string().parse().map_err(|_| cannot_edit(path))?;
                set(table, setting.key, value);
            }
            None => drop(table.remove(setting.key)),
        }
    }
    Ok(())
}

/// Keeps the comments beside and above the field.
fn set(table: &mut dyn TableLike, name: &str, value: impl Into<Value>) {
    let mut value = value.into();
    match table.get_mut(name) {
        Some(item) => {
            if let Some(old) = item.as_value() {
                *value.decor_mut() = old.decor().clone();
            }
            *item = Item::Value(value);
        }
        None => {
            table.insert(name, Item::Value(value));
        }
    }
}

fn not_there(file: &ConfigFile) -> ConfigError {
    let what = t!(
        "this profile does not exist in {path}. Profiles: {names}",
        path = shown(&file.path),
        names = file.names()
    );
    Mistake::plain(what).into()
}

fn cannot_edit(path: &Path) -> ConfigError {
    let what = t!("has a form that lapel cannot edit. Nothing was changed. Edit it yourself");
    Mistake::in_file(path, None, Some("profiles"), what).into()
}
