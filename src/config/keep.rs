//! Keeping a new profile: its key in a file of its own, the rest at the end of `config.toml`.

use super::address::check_base_url;
use super::file::{ConfigFile, read_text};
use super::key;
use super::mistake::{ConfigError, Mistake, shown};
use super::paths::Paths;
use super::profile::{Environment, NAME_RULE, Profile, is_profile_name};
use crate::disk::{create_private_dir, open_private_append, replace, write_new};
use secrecy::ExposeSecret;
use std::fs::{File, TryLockError};
use std::io::ErrorKind;

/// A profile to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewProfile {
    /// Its name, see [`is_profile_name`].
    pub name: String,
    /// What stands at the other end.
    pub environment: Environment,
    /// The base URL.
    pub base_url: String,
    /// What the person calls the organisation.
    pub organisation: Option<String>,
}

/// Keeps a profile and its key. What stands in `config.toml` stays as it is, byte for byte; the profile is
/// put at its end. In a new file it becomes the default.
///
/// Each file is written in one step, the key first: a crash in between leaves a key without a profile, never
/// a profile without a key.
///
/// # Errors
/// A bad name, address or key; a profile or key file that exists; a settings file with mistakes; or what the
/// file system says. Then nothing is changed, and what was there before is still there.
pub fn keep_profile(paths: &Paths, new: &NewProfile, api_key: &str) -> Result<Profile, ConfigError> {
    let field = |name: &str, what: String| ConfigError::from(Mistake::in_env(name, what));
    if !is_profile_name(&new.name) {
        return Err(field("name", format!("this name cannot be used: {NAME_RULE}")));
    }
    let base_url = check_base_url(&new.base_url).map_err(|why| field("base_url", why.to_owned()))?;
    let secret = key::check(api_key).map_err(|why| field("key", format!("the field {why}")))?;
    let organisation = new.organisation.as_deref().map(str::trim).filter(|o| !o.is_empty());

    create_private_dir(&paths.keys_dir())
        .map_err(|why| Mistake::plain(format!("{} cannot be made: {why}", shown(&paths.keys_dir()))))?;
    let _lock = lock(paths)?;
    let path = paths.config_file();
    let text = read_text(&path)?;
    let before = ConfigFile::parse(&path, text.as_deref().unwrap_or_default())?;
    // Two names that differ in case only would share a key file on some systems.
    if let Some(old) = before.profiles.iter().find(|old| old.name.eq_ignore_ascii_case(&new.name)) {
        let what = "there is a profile of this name: choose another name, or remove the old one first";
        return Err(before.wrong(old.line, &format!("profiles.{}", old.name), what));
    }
    let block = block(&new.name, new.environment, &base_url, organisation);
    let after = appended(text.as_deref().unwrap_or_default(), &new.name, &block);
    check_after(&before, &after, new, &block)?;

    let key_file = paths.key_file(&new.name);
    write_new(&key_file, format!("{}\n", secret.expose_secret()).as_bytes()).map_err(|why| {
        let file = shown(&key_file);
        Mistake::plain(match why.kind() {
            ErrorKind::AlreadyExists => format!(
                "{file}: there is a key file of this name, which is left alone: move it away, or choose \
                 another name"
            ),
            _ => format!("{file} cannot be written: {why}"),
        })
    })?;
    let written = match text {
        Some(_) => replace(&path, after.as_bytes()),
        None => write_new(&path, after.as_bytes()),
    };
    if let Err(why) = written {
        // Ours, made a moment ago, and of no use without the profile.
        let _ = std::fs::remove_file(&key_file);
        return Err(Mistake::in_file(&path, None, None, format!("cannot be written: {why}")).into());
    }
    Ok(Profile {
        name: new.name.clone(),
        environment: new.environment,
        base_url,
        organisation: organisation.map(str::to_owned),
        read_only: false,
        key: secret,
        rate_limit: None,
        utc_offset: None,
        proxy: None,
        jobs: before.jobs,
        index: before.index,
        from: format!("profile {} of {}", new.name, shown(&path)),
    })
}

/// Keeps two instances from writing at once. The lock goes when the file is closed, however that happens.
fn lock(paths: &Paths) -> Result<File, ConfigError> {
    let path = paths.config_dir.join(".lock");
    let file = open_private_append(&path)
        .map_err(|why| Mistake::plain(format!("{} cannot be written: {why}", shown(&path))))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Mistake::plain(
            "another lapel is writing the settings at this moment: try again. Nothing was changed",
        )
        .into()),
        // Some network file systems have no locks; then one does without.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// The profile as it will stand in the file.
fn block(name: &str, environment: Environment, base_url: &str, organisation: Option<&str>) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let organisation = organisation.map_or(String::new(), |o| format!("organisation = {}\n", quoted(o)));
    format!(
        "[profiles.{name}]\nenvironment = \"{}\"\nbase_url = {}\n{organisation}",
        environment.word(),
        quoted(base_url)
    )
}

fn appended(text: &str, name: &str, block: &str) -> String {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return format!(
            "{text}# Settings of lapel. Keys do not belong in this file: they stand in keys/, one file each.\n\
             default_profile = \"{name}\"\n\n{block}"
        );
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}\n{block}")
}

/// Reads the new text before it is written: it must say what the old one said, and the new profile.
fn check_after(before: &ConfigFile, after: &str, new: &NewProfile, block: &str) -> Result<(), ConfigError> {
    let same = ConfigFile::parse(&before.path, after).is_ok_and(|read| {
        read.entry(&new.name).is_some()
            && read.profiles.len() == before.profiles.len() + 1
            && before.profiles.iter().all(|old| read.entry(&old.name) == Some(old))
            && read.theme == before.theme
            && read.glyphs == before.glyphs
            && read.index == before.index
    });
    if same {
        return Ok(());
    }
    // Such as `profiles = { ... }` on one line, which cannot be added to from below.
    let what = format!(
        "a profile cannot be added below what stands here. Nothing was changed. Put this where your \
         profiles are:\n{block}"
    );
    Err(Mistake::in_file(&before.path, None, Some("profiles"), what).into())
}
