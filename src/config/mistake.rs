//! Mistakes in the settings, as plain text: where, what, and what to do.
//!
//! A mistake never repeats the wrong value. Users paste keys into the wrong field, and errors end up in
//! terminals, requests and logs.

use crate::config::prelude::*;
use crate::domain::email::ended;
use crate::domain::text::scrub;
use crate::i18n::list;
use crate::secrets::is_key;
use std::collections::HashSet;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mistake {
    pub file: Option<PathBuf>,
    pub line: Option<usize>,
    /// The field (`profiles.uni.base_url`), the environment variable or the flag.
    pub field: Option<String>,
    pub what: String,
}

impl Mistake {
    pub(super) fn in_file(
        file: &Path,
        line: Option<usize>,
        field: Option<&str>,
        what: impl Into<String>,
    ) -> Self {
        Self {
            file: Some(file.to_owned()),
            line,
            field: field.filter(|f| !f.is_empty()).map(str::to_owned),
            what: what.into(),
        }
    }

    pub(super) fn in_env(name: &str, what: impl Into<String>) -> Self {
        Self { file: None, line: None, field: Some(name.to_owned()), what: what.into() }
    }

    fn location(&self) -> String {
        let file = self.file.as_deref().map(shown).unwrap_or_default();
        match self.line {
            Some(line) => t!("{file}, line {line}", file, line),
            None => file,
        }
    }

    pub(super) fn plain(what: impl Into<String>) -> Self {
        Self { file: None, line: None, field: None, what: what.into() }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.file.is_some() {
            write!(f, "{}: ", self.location())?;
        }
        if let Some(field) = &self.field {
            write!(f, "{}: ", scrub(field))?;
        }
        f.write_str(&self.what)
    }
}

/// All mistakes at once, so that the user can correct them together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    mistakes: Vec<Mistake>,
}

impl ConfigError {
    pub(super) fn new(mistakes: Vec<Mistake>) -> Self {
        Self { mistakes }
    }

    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }

    pub fn both<A, B>(one: Result<A, Self>, other: Result<B, Self>) -> Result<(A, B), Self> {
        match (one, other) {
            (Ok(one), Ok(other)) => Ok((one, other)),
            (Err(why), Ok(_)) | (Ok(_), Err(why)) => Err(why),
            (Err(mut all), Err(mut other)) => {
                // Both may report the same missing folder.
                let reported: HashSet<&Mistake> = all.mistakes.iter().collect();
                other.mistakes.retain(|mistake| !reported.contains(mistake));
                all.mistakes.append(&mut other.mistakes);
                Err(all)
            }
        }
    }
}

/// For one file, the first mistake in full; for several, the place of each one's first mistake.
/// Also says how many more there are. `None` without mistakes.
pub fn left_out(mistakes: &[Mistake]) -> Option<String> {
    let files: Vec<&[Mistake]> = mistakes.chunk_by(|one, other| one.file == other.file).collect();
    let summary = |all: &&[Mistake]| {
        let (first, more) = all.split_first()?;
        // All files are in the same folder, and the text must be short.
        let name = first.file.as_deref().and_then(Path::file_name).map(PathBuf::from);
        let first = Mistake { file: name, ..first.clone() };
        let first = if files.len() == 1 { first.to_string() } else { first.location() };
        Some(and_more(&first, more.len()))
    };
    let mistake = list(files.iter().filter_map(summary)).to_string();
    if mistake.is_empty() {
        return None;
    }
    let text = ended(&t!("Ignored: {mistake}", mistake));
    // `lapel info` shows the mistakes that do not fit here.
    let all = mistakes.len() == 1;
    Some(if all { text } else { format!("{text} {}", t!("Run lapel info for details.")) })
}

pub fn and_more(first: &str, more: usize) -> String {
    if more == 0 { first.to_owned() } else { t!("{first} (and {n} more)", first, n = more) }
}

impl From<Mistake> for ConfigError {
    fn from(mistake: Mistake) -> Self {
        Self { mistakes: vec![mistake] }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, mistake) in self.mistakes.iter().enumerate() {
            if n > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{mistake}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}

pub(super) fn cannot_write(path: &Path, why: &std::io::Error) -> ConfigError {
    Mistake::in_file(path, None, None, t!("cannot be written: {why}", why = io_error::words(why))).into()
}

pub(super) fn typed_mistake(name: &str, what: impl Into<String>) -> ConfigError {
    Mistake::in_env(name, what).into()
}

/// For a field that is saved unchanged and displayed.
pub(super) fn no_key(name: &str, text: &str) -> Result<(), ConfigError> {
    if is_key(text) {
        return Err(typed_mistake(name, t!("looks like an API key: do not enter a key here")));
    }
    Ok(())
}

/// Scrubbed, since a folder can have any name.
pub(super) fn shown(path: &Path) -> String {
    scrub(&path.to_string_lossy()).into_owned()
}

pub(super) fn for_shell(path: &Path) -> String {
    let path = path.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:,".contains(c);
    if path.chars().all(plain) { path.into_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}
