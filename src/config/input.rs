//! Values that a user types for the settings of a profile: with flags, or in the profile form.

use super::profile_settings::ProfileSettings;
use super::section::{ConfigSection, Input};
use crate::config::prelude::*;
use toml::Value as Toml;

/// By the names of [`ProfileSettings::editable`]. An empty text removes an optional setting.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ProfileInput(BTreeMap<&'static str, String>);

impl ProfileInput {
    pub fn set(&mut self, key: &'static str, text: impl Into<String>) {
        self.0.insert(key, text.into());
    }

    #[must_use]
    pub fn with(mut self, key: &'static str, text: impl Into<String>) -> Self {
        self.set(key, text);
        self
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    pub fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// lapel tests some values with the service before it saves them.
    pub fn is_tested(&self) -> bool {
        self.keys().filter_map(ProfileSettings::edit).any(|edit| edit.is_tested)
    }

    /// The values are saved unchanged and displayed.
    pub(super) fn refuse_keys(&self) -> Result<(), ConfigError> {
        self.0.iter().try_for_each(|(key, text)| no_key(key, text))
    }

    /// Checks the values as if `config.toml` had them.
    pub(super) fn check(&self) -> Result<ProfileSettings, ConfigError> {
        let mut lines = String::new();
        for (name, text) in &self.0 {
            let Some(edit) = ProfileSettings::edit(name) else {
                return Err(typed_mistake(name, t!("this setting can only be changed in config.toml")));
            };
            if !text.trim().is_empty() || edit.is_required {
                let value: Toml = match edit.input {
                    Input::Switch(_) => (text == "true").into(),
                    Input::Path => text.as_str().into(),
                    Input::Text | Input::Words(_) | Input::Secret(_) => text.trim().into(),
                };
                lines.push_str(&format!("{name} = {value}\n"));
            }
        }
        let mut reader = TomlReader::new(Path::new(""), &lines);
        let settings = match reader.parse() {
            Some(table) => ProfileSettings::read_table(&mut reader, table.get_ref(), ""),
            None => ProfileSettings::default(),
        };
        match reader.mistakes.into_iter().next() {
            Some(mistake) => Err(typed_mistake(&mistake.field.unwrap_or_default(), mistake.what)),
            None => Ok(settings),
        }
    }
}

impl fmt::Debug for ProfileInput {
    /// A proxy may contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.keys()).finish()
    }
}
