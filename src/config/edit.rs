//! Edits and removes a profile. Everything else in `config.toml` keeps its comments and its order.

use super::address::{check_base_url, check_proxy};
use super::env::Env;
use super::file::{ConfigFile, read_text};
use super::keep::{KeyStore, field, lock, no_key};
use super::key::{self, Key};
use super::mistake::{ConfigError, Mistake, shown};
use super::paths::{Paths, recent_file};
use super::profile::{Environment, Pin, Profile};
use super::settings::{Here, profile_of};
use super::source::KeySource;
use crate::disk::{create_private_dir, replace};
use secrecy::{ExposeSecret, SecretString};
use std::path::{Path, PathBuf};
use toml_edit::{DocumentMut, Item, TableLike, Value};

/// A change of a profile; `None` keeps a field. Never print it: a proxy may contain a password.
#[derive(Clone, Default)]
pub struct Change {
    pub environment: Option<Environment>,
    pub base_url: Option<String>,
    /// The organisation's name. An empty text removes it.
    pub organisation: Option<String>,
    pub read_only: Option<bool>,
    /// A file of extra certificates. An empty path removes it.
    pub ca_file: Option<PathBuf>,
    /// The proxy. An empty text removes it.
    pub proxy: Option<String>,
    /// A new key and its key store.
    pub key: Option<(KeyStore, SecretString)>,
    pub pin: Option<Pin>,
    /// Whether the profile becomes the default.
    pub make_default: bool,
}

impl std::fmt::Debug for Change {
    /// Leaves out the key and the proxy, which may contain a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Change")
            .field("environment", &self.environment)
            .field("base_url", &self.base_url)
            .field("organisation", &self.organisation)
            .field("read_only", &self.read_only)
            .field("ca_file", &self.ca_file)
            .finish_non_exhaustive()
    }
}

impl Change {
    pub fn is_empty(&self) -> bool {
        let Self { environment, base_url, organisation, read_only, ca_file, proxy, key, pin, make_default } =
            self;
        environment.is_none()
            && base_url.is_none()
            && organisation.is_none()
            && read_only.is_none()
            && ca_file.is_none()
            && proxy.is_none()
            && key.is_none()
            && pin.is_none()
            && !make_default
    }

    /// The changed profile, for a test before it is saved. Its key may still have to be fetched.
    pub fn preview(&self, paths: &Paths, env: &Env, name: &str) -> Result<Profile, ConfigError> {
        self.plan(paths, env, name).map(|plan| plan.profile)
    }

    fn plan(&self, paths: &Paths, env: &Env, name: &str) -> Result<Plan, ConfigError> {
        let path = paths.config_file();
        let text = read_text(&path)?.unwrap_or_default();
        let before = ConfigFile::parse(&path, &text)?;
        let old = before.entry(name).ok_or_else(|| not_there(&before))?;
        let key_was = old.key.clone();
        let after = self.applied(&path, &text, name)?;
        let read = ConfigFile::parse(&path, &after)?;
        let others =
            |file: &ConfigFile| file.profiles.iter().filter(|e| e.name != name).cloned().collect::<Vec<_>>();
        let (theirs, ours) = (others(&before), others(&read));
        let same = theirs.len() == ours.len() && theirs.iter().zip(&ours).all(|(a, b)| a.says_what(b));
        let Some(entry) = read.entry(name).filter(|_| same) else {
            return Err(cannot(&path));
        };
        let key = match &self.key {
            Some((_, key)) => Key::Known(key::check(key.expose_secret()).map_err(|why| field("key", why))?),
            None => key::find(&read, entry, paths, env)?,
        };
        let here = Here {
            key,
            key_from: key::described(entry, paths, env),
            base_url: entry.base_url.clone(),
            elsewhere: false,
            from: format!("profile {name} of {}", shown(&path)),
        };
        // The new key is registered by now, so that this finds it in any other field.
        self.no_keys()?;
        Ok(Plan { profile: profile_of(entry, &read, paths, here)?, after, key_was })
    }

    fn no_keys(&self) -> Result<(), ConfigError> {
        let file = self.ca_file.as_deref().map(Path::to_string_lossy);
        let fields = [
            ("base_url", self.base_url.as_deref()),
            ("organisation", self.organisation.as_deref()),
            ("proxy", self.proxy.as_deref()),
            ("ca_file", file.as_deref()),
        ];
        fields.into_iter().try_for_each(|(name, text)| no_key(name, text.unwrap_or_default()))
    }

    /// The text of the file after the change.
    fn applied(&self, path: &Path, text: &str, name: &str) -> Result<String, ConfigError> {
        let mut doc = document(path, text)?;
        let table = profile_in(&mut doc, name).ok_or_else(|| cannot(path))?;
        if let Some(environment) = self.environment {
            set(table, "environment", environment.word());
        }
        if let Some(base_url) = &self.base_url {
            set(table, "base_url", check_base_url(base_url).map_err(|why| field("base_url", why))?);
        }
        if let Some(organisation) = &self.organisation {
            set_text(table, "organisation", organisation.trim());
        }
        if let Some(read_only) = self.read_only {
            set(table, "read_only", read_only);
        }
        if let Some(proxy) = &self.proxy {
            let proxy = if proxy.trim().is_empty() { Ok(String::new()) } else { check_proxy(proxy) };
            set_text(table, "proxy", &proxy.map_err(|why| field("proxy", why))?);
        }
        if let Some(ca_file) = &self.ca_file {
            let named = ca_file
                .to_str()
                .ok_or_else(|| field("ca_file", t!("this file name cannot be stored in the settings")))?;
            set_text(table, "ca_file", named);
        }
        if let Some((kept_in, _)) = &self.key {
            kept_in.check()?;
            let setting = kept_in.setting();
            for name in ["key", "key_command"] {
                match &setting {
                    Some((setting, value)) if *setting == name => {
                        // `toml_edit` can read every value that `toml` writes.
                        let value: Value = value.to_string().parse().map_err(|_| cannot(path))?;
                        set(table, name, value);
                    }
                    _ => {
                        table.remove(name);
                    }
                }
            }
        }
        if let Some(pin) = &self.pin {
            set(table, "key_prefix", pin.prefix.as_str());
            set_text(table, "key_fingerprint", pin.fingerprint.as_deref().unwrap_or_default());
        }
        let text = doc.to_string();
        if self.make_default { with_default(path, &text, name) } else { Ok(text) }
    }
}

/// A valid change that is ready to save.
struct Plan {
    profile: Profile,
    after: String,
    key_was: KeySource,
}

/// Changes a profile. When the key moves to another key store, deletes the old key that lapel stored. The
/// second part of the result says when that failed. A keyring may block for some seconds.
///
/// # Errors
/// No such profile, a mistake in the change or in the file, or an error of the file system or the keyring.
/// Nothing is changed then.
pub fn edit_profile(
    paths: &Paths,
    env: &Env,
    name: &str,
    change: &Change,
) -> Result<(Profile, Option<String>), ConfigError> {
    create_private_dir(&paths.keys_dir()).map_err(|why| {
        Mistake::plain(t!("cannot create {keys_dir}: {why}", keys_dir = shown(&paths.keys_dir()), why))
    })?;
    let _lock = lock(paths)?;
    let plan = change.plan(paths, env, name)?;
    let path = paths.config_file();
    let mut undo: Option<Box<dyn FnOnce()>> = None;
    if let Some((kept_in, key)) = &change.key {
        undo = Some(put(paths, env, name, kept_in, key, &plan.key_was)?);
    }
    if let Err(why) = replace(&path, plan.after.as_bytes()) {
        if let Some(undo) = undo {
            undo();
        }
        return Err(Mistake::in_file(&path, None, None, t!("cannot be written: {why}", why)).into());
    }
    let is_elsewhere = change.key.as_ref().is_some_and(|(to, _)| {
        !matches!(
            (&plan.key_was, to),
            (KeySource::Default, KeyStore::File) | (KeySource::Keyring(_), KeyStore::Keyring)
        )
    });
    let remark = is_elsewhere.then(|| take_away(paths, env, name, &plan.key_was)).and_then(Result::err);
    Ok((plan.profile, remark))
}

/// Stores a key in place of the old one. Returns a function that restores the old key.
fn put(
    paths: &Paths,
    env: &Env,
    name: &str,
    kept_in: &KeyStore,
    key: &SecretString,
    was: &KeySource,
) -> Result<Box<dyn FnOnce()>, ConfigError> {
    let name = name.to_owned();
    match (kept_in, was) {
        (KeyStore::File, KeySource::Default) => {
            let file = paths.key_file(&name);
            let old = std::fs::read(&file).ok();
            // Other users who could read the old key must not read the new one.
            #[cfg(unix)]
            if std::fs::metadata(&file).is_ok_and(|found| crate::disk::open_to_others(&found)) {
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
        (KeyStore::Keyring, KeySource::Keyring(_)) => {
            let keyring = env.keyring();
            let old = keyring.read(&name).map_err(|why| field("key", why))?;
            keyring.replace(&name, key).map_err(|why| field("key", why))?;
            let keyring = keyring.clone();
            Ok(Box::new(move || {
                let _ = match old {
                    Some(old) => keyring.replace(&name, &old),
                    None => keyring.forget(&name).map(drop),
                };
            }))
        }
        _ => {
            kept_in.keep(paths, env, &name, key)?;
            let (paths, env, kept_in) = (paths.clone(), env.clone(), kept_in.clone());
            Ok(Box::new(move || kept_in.take_back(&paths, &env, &name)))
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// What lapel did with the key, as a sentence.
    pub key: String,
    pub was_default: bool,
}

/// Removes a profile, and its key when lapel stores it. A keyring may block for at most 3 s.
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
    let was_default = before.default_profile.as_ref().is_some_and(|(default, _)| default == name);
    let after = without(&path, &text, name, was_default)?;
    let read = ConfigFile::parse(&path, &after).map_err(|_| cannot(&path))?;
    let left: Vec<_> = before.profiles.iter().filter(|e| e.name != name).collect();
    if left.len() != read.profiles.len() || !left.iter().zip(&read.profiles).all(|(a, b)| a.says_what(b)) {
        return Err(cannot(&path));
    }
    replace(&path, after.as_bytes())
        .map_err(|why| Mistake::in_file(&path, None, None, t!("cannot be written: {why}", why)))?;
    // Also remove the saved view and the recent searches, which may contain names and e-mail addresses. The
    // profile is already removed, so that a failure here is only logged.
    for file in [paths.view_file(name), recent_file(&paths.data_dir, name)] {
        if let Err(why) = std::fs::remove_file(&file)
            && why.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(file = %file.display(), %why, "a file of a removed profile could not be removed");
        }
    }
    let key = take_away(paths, env, name, &entry.key).unwrap_or_else(|why| why);
    Ok(Removed { key, was_default })
}

/// Deletes a key that lapel stores, and reports it. Leaves any other key alone.
fn take_away(paths: &Paths, env: &Env, name: &str, key: &KeySource) -> Result<String, String> {
    match key {
        KeySource::Default => {
            let file = paths.key_file(name);
            match std::fs::remove_file(&file) {
                Ok(()) => Ok(t!("Removed its key file {file}.", file = shown(&file))),
                Err(why) if why.kind() == std::io::ErrorKind::NotFound => {
                    Ok(t!("It had no key file.").to_owned())
                }
                Err(why) => Err(t!("Cannot remove the key file {file}: {why}.", file = shown(&file), why)),
            }
        }
        KeySource::Keyring(_) => match env.keyring().forget(name) {
            Ok(true) => Ok(t!("Removed its key from the keyring.").to_owned()),
            Ok(false) => Ok(t!("The keyring had no key for it.").to_owned()),
            Err(why) => Err(t!("Its key is still in the keyring: {why}.", why)),
        },
        KeySource::Env(..) | KeySource::File(..) | KeySource::Command(..) => {
            Ok(t!("Its key is elsewhere and was not changed.").to_owned())
        }
    }
}

/// The text of the file with this profile as the default.
pub(super) fn with_default(path: &Path, text: &str, name: &str) -> Result<String, ConfigError> {
    let mut doc = document(path, text)?;
    set(doc.as_table_mut(), "default_profile", name);
    Ok(doc.to_string())
}

/// The text of the file without a profile and without the comments above it, up to the first empty line.
fn without(path: &Path, text: &str, name: &str, was_default: bool) -> Result<String, ConfigError> {
    let mut doc = document(path, text)?;
    let mut top = String::new();
    if was_default {
        let comment = doc.as_table().key("default_profile").and_then(|key| key.leaf_decor().prefix());
        comment.and_then(|c| c.as_str()).unwrap_or_default().clone_into(&mut top);
        doc.remove("default_profile");
    }
    let profiles = doc.get_mut("profiles").and_then(Item::as_table_like_mut).ok_or_else(|| cannot(path))?;
    let removed = profiles.remove(name).ok_or_else(|| cannot(path))?;
    if let Some(table) = removed.as_table() {
        let above = table.decor().prefix().and_then(|p| p.as_str()).unwrap_or_default();
        let kept = above.rfind("\n\n").map_or("", |end| &above[..=end]);
        let position = table.position();
        if kept.contains('#') && !give_to_next(doc.as_item_mut(), position, kept) {
            let trailing = doc.trailing().as_str().unwrap_or_default();
            doc.set_trailing(format!("{kept}{trailing}"));
        }
    }
    // Without any profile, the heading `[profiles]` is useless.
    let is_bare =
        doc.get("profiles").and_then(Item::as_table).is_some_and(|t| t.is_empty() && t.is_implicit());
    if is_bare {
        doc.remove("profiles");
    }
    Ok(format!("{top}{doc}"))
}

/// Moves a comment to the table after a position. `false` when there is none.
fn give_to_next(item: &mut Item, position: Option<isize>, comment: &str) -> bool {
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
    // The parser's own message would quote the line. The reading before has already reported every mistake.
    text.trim_start_matches('\u{feff}').parse().map_err(|_| cannot(path))
}

fn profile_in<'d>(doc: &'d mut DocumentMut, name: &str) -> Option<&'d mut dyn TableLike> {
    doc.get_mut("profiles")?.as_table_like_mut()?.get_mut(name)?.as_table_like_mut()
}

/// Sets a field. Comments beside and above it stay.
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

/// Sets a field. An empty text removes it.
fn set_text(table: &mut dyn TableLike, name: &str, text: &str) {
    if text.is_empty() {
        table.remove(name);
    } else {
        set(table, name, text);
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

fn cannot(path: &Path) -> ConfigError {
    let what = t!("has a form that lapel cannot edit. Nothing was changed. Edit it yourself");
    Mistake::in_file(path, None, Some("profiles"), what).into()
}
