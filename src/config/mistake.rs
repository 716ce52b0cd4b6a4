//! What is wrong with a setting, in plain words: where it stands, what it is, what to do.
//!
//! A mistake never repeats the value that is wrong. People paste keys into the wrong field, and errors end
//! in terminals, tickets and logs.

use crate::domain::text::scrub;
use std::fmt;
use std::path::{Path, PathBuf};

/// One thing that is wrong with the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The file it stands in, where it stands in one.
    pub file: Option<PathBuf>,
    /// The line in that file, 1-based.
    pub line: Option<usize>,
    /// The field (`profiles.uni.base_url`), the environment variable or the flag.
    pub field: Option<String>,
    /// What is wrong and what to do about it.
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

    pub(super) fn plain(what: impl Into<String>) -> Self {
        Self { file: None, line: None, field: None, what: what.into() }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}", shown(file))?;
            if let Some(line) = self.line {
                f.write_str(&t!(", line {line}", line))?;
            }
            f.write_str(": ")?;
        }
        if let Some(field) = &self.field {
            write!(f, "{}: ", scrub(field))?;
        }
        f.write_str(&self.what)
    }
}

/// Everything that is wrong with the settings at once, so that nobody has to mend them one start at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    mistakes: Vec<Mistake>,
}

impl ConfigError {
    pub(super) fn new(mistakes: Vec<Mistake>) -> Self {
        Self { mistakes }
    }

    /// The mistakes, in the order in which they stand in the file.
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }
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

/// A path as it may be shown: a folder can have any name.
pub(super) fn shown(path: &Path) -> String {
    scrub(&path.to_string_lossy()).into_owned()
}

/// A path as it can be typed into a shell.
pub(super) fn for_shell(path: &Path) -> String {
    let path = path.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:,".contains(c);
    if path.chars().all(plain) { path.into_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}
