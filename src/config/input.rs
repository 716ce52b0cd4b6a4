//! Values that a user types for the settings of a profile: with flags, or in the profile form.

use super::profile_settings::ProfileSettings;
use super::section::{ConfigSection, Input, Setting};
use crate::config::prelude::*;
use toml::Value as Toml;

/// By the keys of [`ProfileSettings`]. An empty text removes an optional setting.
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
        let edit = |key: &'static str| ProfileSettings::setting(key)?.edit;
        self.keys().filter_map(edit).any(|edit| edit.is_tested)
    }

    /// The values are saved unchanged and displayed.
    pub(super) fn refuse_keys(&self) -> Result<(), ConfigError> {
        self.0.iter().try_for_each(|(key, text)| no_key(key, text))
    }

    /// Checks the values as if `config.toml` had them.
    pub(super) fn check(&self) -> Result<ProfileSettings, ConfigError> {
        let mut settings = ProfileSettings::default();
        for (key, text) in &self.0 {
            let setting = ProfileSettings::setting(key);
            let Some((setting, edit)) = setting.and_then(|setting| Some((setting, setting.edit?))) else {
                return Err(typed_mistake(key, t!("this setting can only be changed in config.toml")));
            };
            if !text.trim().is_empty() || edit.is_required {
                let value = match edit.input {
                    Input::Switch(_) => (text == "true").into(),
                    Input::Path => text.as_str().into(),
                    Input::Text | Input::Words(_) | Input::Key => text.trim().into(),
                };
                check_one(setting, &value, &mut settings)?;
            }
        }
        Ok(settings)
    }
}

fn check_one(
    setting: &Setting<ProfileSettings>,
    value: &Toml,
    settings: &mut ProfileSettings,
) -> Result<(), ConfigError> {
    let inner = setting.edited_key.map(|key| format!(".{key}")).unwrap_or_default();
    let name = format!("{}{inner}", setting.key);
    let line = format!("{name} = {value}");
    let mut reader = TomlReader::new(Path::new(""), &line);
    if let Some(table) = reader.parse()
        && let Some(value) = table.get_ref().get(setting.key)
    {
        (setting.read)(settings, &mut reader, value, setting.key);
    }
    reader.mistakes.into_iter().next().map_or(Ok(()), |mistake| Err(typed_mistake(&name, mistake.what)))
}

impl fmt::Debug for ProfileInput {
    /// A proxy may contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.keys()).finish()
    }
}
