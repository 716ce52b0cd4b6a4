//! Keys at rest: finding the key of a profile, and refusing one that others can read.

use super::env::Env;
use super::file::{ConfigFile, Entry, KeySource};
use super::mistake::{ConfigError, Mistake, for_shell, shown};
use super::paths::Paths;
use crate::disk::open_to_others;
use secrecy::SecretString;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Far more than any key has; a larger file is something else.
const LONGEST: usize = 4096;

/// The key of a profile, from where its settings say.
pub(super) fn find(
    file: &ConfigFile,
    entry: &Entry,
    paths: &Paths,
    env: &Env,
) -> Result<SecretString, ConfigError> {
    match &entry.key {
        KeySource::Default => {
            let path = paths.key_file(&entry.name);
            let field = format!("profiles.{}.key", entry.name);
            let place = (entry.line, field.as_str());
            let advice = format!(
                "the key of this profile is not there: put it into {}, readable by you only, or set \
                 LAPEL_API_KEY",
                shown(&path)
            );
            from_file(file, place, &path, &advice)
        }
        KeySource::Env(name, line) => {
            let field = format!("profiles.{}.key.env", entry.name);
            // The name is not repeated: it may be a key that was pasted here.
            let value = env
                .raw(name)
                .ok_or_else(|| file.wrong(*line, &field, "the environment variable named here is not set"))?;
            let value = SecretString::from(value.into_string().unwrap_or_default());
            check(secrecy::ExposeSecret::expose_secret(&value)).map_err(|why| {
                file.wrong(*line, &field, format!("the environment variable named here {why}"))
            })
        }
        KeySource::File(named, line) => {
            let field = format!("profiles.{}.key.file", entry.name);
            let path = under(&paths.config_dir, named);
            from_file(file, (*line, &field), &path, "there is no file of the name given here")
        }
    }
}

/// A key that was handed in, checked.
///
/// # Errors
/// What is wrong with it, as the end of a sentence that begins with where it came from.
pub(super) fn check(raw: &str) -> Result<SecretString, &'static str> {
    let key = raw.trim();
    if key.is_empty() {
        return Err("holds no key");
    }
    if key.len() > LONGEST {
        return Err("holds more than a key can be");
    }
    if key.bytes().any(|b| b.is_ascii_whitespace()) {
        return Err("holds white space inside the key: it must be one piece, on one line");
    }
    if !key.bytes().all(|b| b.is_ascii_graphic()) {
        return Err("holds a character that no key has (only plain ASCII letters, digits and signs)");
    }
    Ok(SecretString::from(key.to_owned()))
}

fn from_file(
    file: &ConfigFile,
    (line, field): (usize, &str),
    path: &Path,
    missing: &str,
) -> Result<SecretString, ConfigError> {
    let wrong = |what: String| file.wrong(line, field, what);
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(wrong("the key file is not a file".to_owned())),
        Err(why) if matches!(why.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Err(wrong(missing.to_owned()));
        }
        Err(why) => return Err(wrong(format!("the key file cannot be read: {}", why.kind()))),
    }
    let mut opened = match File::open(path) {
        Ok(opened) => opened,
        Err(why) => return Err(wrong(format!("the key file cannot be read: {}", why.kind()))),
    };
    // Asked of the open file: the name could lead elsewhere by now.
    if opened.metadata().is_ok_and(|found| open_to_others(&found)) {
        return Err(wrong(format!(
            "the key file can be read or changed by others on this computer. Type: chmod 600 {} \
             (and consider replacing the key)",
            for_shell(path)
        )));
    }
    let bytes = read_bounded(&mut opened)
        .map_err(|why| wrong(format!("the key file cannot be read: {}", why.kind())))?;
    let text = String::from_utf8(bytes).unwrap_or_else(|_| "\u{fffd}".to_owned());
    let text = SecretString::from(text);
    check(secrecy::ExposeSecret::expose_secret(&text))
        .map_err(|why| Mistake::in_file(path, None, None, why).into())
}

/// Reads at most a little more than a key can be, so that the buffer never grows and leaves copies behind.
fn read_bounded(from: &mut File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(LONGEST + 64);
    from.take(LONGEST as u64 + 32).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A path as the settings name it: from the config folder, or from home with `~/`.
fn under(config_dir: &Path, named: &str) -> PathBuf {
    match named.strip_prefix("~/") {
        Some(rest) => etcetera::home_dir().map_or_else(|_| config_dir.join(named), |home| home.join(rest)),
        None => config_dir.join(named),
    }
}
