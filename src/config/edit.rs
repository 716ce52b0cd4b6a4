//! Edits and removes a profile. Everything else in `config.toml` keeps its comments and its order.

use super::env::Env;
use super::file::{ConfigFile, read_text};
use super::input::{ProfileInput, typed_mistake};
use super::key;
use super::key_store::KeyStore;
use super::mistake::{ConfigError, Mistake, shown};
use super::new_profile::lock;
use super::paths::{Paths, recent_file, templates_file};
use super::profile::{KeyPin, Profile, ProfileSettings};
use super::section::Section;
use super::selection::Selected;
use crate::fs::{create_private_dir, replace};
use secrecy::{ExposeSecret, SecretString};
use std::path::Path;
use toml_edit::{DocumentMut, Item, TableLike, Value};

/// Anything that it does not contain stays.
#[derive(Clone, Debug, Default)]
pub struct ProfileEdit {
    pub input: ProfileInput,
    pub key: Option<(KeyStore, SecretString)>,
    pub pin: Option<KeyPin>,
    pub make_default: bool,
}

impl ProfileEdit {
    pub fn is_empty(&self) -> bool {
        self.input.is_empty() && self.key.is_none() && self.pin.is_none() && !self.make_default
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
        if let Some((_, key)) = &self.key {
            let key = key::check(key.expose_secret()).map_err(|why| typed_mistake("key", why))?;
            selected.key = Some(key);
        }
        // The new key is registered by now, so that this finds it in any other field.
        self.input.refuse_keys()?;
        let profile = selected.open(&read, paths, env)?;
        Ok(EditPlan { profile, after, old_store: old.settings.key_store() })
    }

    fn applied(&self, path: &Path, text: &str, name: &str) -> Result<String, ConfigError> {
        let mut settings = self.input.check()?;
        let mut keys: Vec<&str> = self.input.keys().collect();
        if let Some((store, _)) = &self.key {
            store.check()?;
            settings.set_key_store(store);
            keys.extend(["key", "key_command"]);
        }
        if let Some(pin) = &self.pin {
            settings.set_pin(Some(pin.clone()));
            keys.extend(["key_prefix", "key_fingerprint"]);
        }
        let mut doc = document(path, text)?;
        let table = profile_in(&mut doc, name).ok_or_else(|| cannot_edit(path))?;
        // New lines: first the settings that users edit, then those that follow from the key.
        let mut changed: Vec<_> =
            ProfileSettings::SETTINGS.iter().filter(|setting| keys.contains(&setting.key)).collect();
        changed.sort_by_key(|setting| setting.edit.is_none());
        for setting in changed {
            match (setting.value)(&settings) {
                // `toml_edit` can read every value that `toml` writes.
                Some(value) => {
                    let value: Value = value.to_string().parse().map_err(|_| cannot_edit(path))?;
                    set(table, setting.key, value);
                }
                None => drop(table.remove(setting.key)),
            }
        }
        let text = doc.to_string();
        if self.make_default { with_default(path, &text, name) } else { Ok(text) }
    }
}

struct EditPlan {
    profile: Profile,
    after: String,
    old_store: KeyStore,
}

/// When the key moves to another key store, deletes the old key that lapel stored. The second part
/// of the result says when that failed. A keyring may block for some seconds.
///
/// # Errors
/// No such profile, a mistake in the change or in the file, or an error of the file system or the
/// keyring. Nothing is changed then.
pub fn edit_profile(
    paths: &Paths,
    env: &Env,
    name: &str,
    change: &ProfileEdit,
) -> Result<(Profile, Option<String>), ConfigError> {
    create_private_dir(&paths.keys_dir()).map_err(|why| {
        Mistake::plain(t!("cannot create {keys_dir}: {why}", keys_dir = shown(&paths.keys_dir()), why))
    })?;
    let _lock = lock(paths)?;
    let plan = change.plan(paths, env, name)?;
    let path = paths.config_file();
    let mut undo: Option<Box<dyn FnOnce()>> = None;
    if let Some((store, key)) = &change.key {
        undo = Some(replace_key(paths, env, name, store, key, &plan.old_store)?);
    }
    if let Err(why) = replace(&path, plan.after.as_bytes()) {
        if let Some(undo) = undo {
            undo();
        }
        return Err(Mistake::in_file(&path, None, None, t!("cannot be written: {why}", why)).into());
    }
    let is_elsewhere = change.key.as_ref().is_some_and(|(store, _)| plan.old_store != *store);
    let remark = is_elsewhere.then(|| delete_key(paths, env, name, &plan.old_store)).and_then(Result::err);
    Ok((plan.profile, remark))
}

/// Returns a function that restores the old key.
fn replace_key(
    paths: &Paths,
    env: &Env,
    name: &str,
    store: &KeyStore,
    key: &SecretString,
    old_store: &KeyStore,
) -> Result<Box<dyn FnOnce()>, ConfigError> {
    let name = name.to_owned();
    match (store, old_store) {
        (KeyStore::File, KeyStore::File) => {
            let file = paths.key_file(&name);
            let old = std::fs::read(&file).ok();
            // Other users who could read the old key must not read the new one.
            #[cfg(unix)]
            if std::fs::metadata(&file).is_ok_and(|found| crate::fs::open_to_others(&found)) {
                let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
                std::fs::set_permissions(&file, private).map_err(|why| {
                    Mistake::plain(t!("cannot make {file} private: {why}", file = shown(&file), why))
                })?;
            }
            replace(&file, format!("{}\n", key.expose_secret()).as_bytes())
                .map_err(|why| Mistake::plain(t!("cannot write {file}: {why}", file = shown(&file), why)))?;
            Ok(Box::new(move || {
                let _ = match old {
                    Some(old) => replace(&file, &old),
                    None => std::fs::remove_file(&file),
                };
            }))
        }
        (KeyStore::Keyring, KeyStore::Keyring) => {
            let keyring = env.keyring();
            let old = keyring.read(&name).map_err(|why| typed_mistake("key", why))?;
            keyring.replace(&name, key).map_err(|why| typed_mistake("key", why))?;
            let keyring = keyring.clone();
            Ok(Box::new(move || {
                let _ = match old {
                    Some(old) => keyring.replace(&name, &old),
                    None => keyring.forget(&name).map(drop),
                };
            }))
        }
        _ => {
            store.store(paths, env, &name, key)?;
            let (paths, env, store) = (paths.clone(), env.clone(), store.clone());
            Ok(Box::new(move || store.undo_store(&paths, &env, &name)))
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// A sentence about the key.
    pub key: String,
    pub was_default: bool,
}

/// Also removes its key when lapel stores it. A keyring may block for at most 3 s.
///
/// # Errors
/// No such profile, mistakes in the settings file, or an error of the file system. Nothing is changed then.
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
    replace(&path, after.as_bytes())
        .map_err(|why| Mistake::in_file(&path, None, None, t!("cannot be written: {why}", why)))?;
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
    let key = delete_key(paths, env, name, &entry.settings.key_store()).unwrap_or_else(|why| why);
    Ok(Removed { key, was_default })
}

/// Deletes only a key that lapel stores.
fn delete_key(paths: &Paths, env: &Env, name: &str, store: &KeyStore) -> Result<String, String> {
    match store {
        KeyStore::File => {
            let file = paths.key_file(name);
            match std::fs::remove_file(&file) {
                Ok(()) => Ok(t!("Removed its key file {file}.", file = shown(&file))),
                Err(why) if why.kind() == std::io::ErrorKind::NotFound => {
                    Ok(t!("It had no key file.").to_owned())
                }
                Err(why) => Err(t!("Cannot remove the key file {file}: {why}.", file = shown(&file), why)),
            }
        }
        KeyStore::Keyring => match env.keyring().forget(name) {
            Ok(true) => Ok(t!("Removed its key from the keyring.").to_owned()),
            Ok(false) => Ok(t!("The keyring had no key for it.").to_owned()),
            Err(why) => Err(t!("Its key is still in the keyring: {why}.", why)),
        },
        KeyStore::Variable(_) | KeyStore::OtherFile(_) | KeyStore::Command(_) => {
            Ok(t!("Its key is elsewhere and was not changed.").to_owned())
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
    let removed = profiles.remove(name).ok_or_else(|| cannot_edit(path))?;
    if let Some(table) = removed.as_table() {
        let above = table.decor().prefix().and_then(|p| p.as_str()).unwrap_or_default();
        let comment = above.rfind("\n\n").map_or("", |end| &above[..=end]);
        let position = table.position();
        if comment.contains('#') && !move_to_next(doc.as_item_mut(), position, comment) {
            let trailing = doc.trailing().as_str().unwrap_or_default();
            doc.set_trailing(format!("{comment}{trailing}"));
        }
    }
    let is_bare =
        doc.get("profiles").and_then(Item::as_table).is_some_and(|t| t.is_empty() && t.is_implicit());
    if is_bare {
        doc.remove("profiles");
    }
    Ok(format!("{top}{doc}"))
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
