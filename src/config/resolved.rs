//! Settings with the source of each value, as [`Selection`](super::selection::Selection) and `Ui` resolve them.

use super::section::{ConfigSection, text_of};
use crate::config::prelude::*;
use std::ops::Deref;
use toml::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingSource {
    Flag,
    Variable,
    /// The profile's table, for a setting that can also apply to all profiles.
    Profile,
    File,
    ThemeFile,
    Default,
}

impl SettingSource {
    /// For programs. [`tr`](crate::i18n::tr) translates it for users.
    pub fn word(self) -> &'static str {
        match self {
            Self::Flag => tr_noop!("flag"),
            Self::Variable => tr_noop!("environment"),
            Self::Profile => tr_noop!("profile"),
            Self::File => "config.toml",
            Self::ThemeFile => "theme.toml",
            Self::Default => tr_noop!("default"),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct SettingValue {
    /// As in the file, with the names of its tables in front.
    pub name: String,
    pub value: Option<Value>,
    pub source: SettingSource,
}

impl SettingValue {
    pub fn text(&self) -> Option<String> {
        self.value.as_ref().map(text_of)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolved<S> {
    pub values: S,
    /// By the names of [`ConfigSection::values`]. A missing name has its default.
    sources: BTreeMap<String, SettingSource>,
}

impl<S> Resolved<S> {
    pub(super) fn new(values: S, sources: impl IntoIterator<Item = (String, SettingSource)>) -> Self {
        Self { values, sources: sources.into_iter().collect() }
    }

    pub fn source(&self, name: &str) -> SettingSource {
        self.sources.get(name).copied().unwrap_or(SettingSource::Default)
    }

    pub(super) fn set_source(&mut self, name: &str, source: SettingSource) {
        self.sources.insert(name.to_owned(), source);
    }
}

#[expect(private_bounds, reason = "sections are declared in this module only")]
impl<S: ConfigSection> Resolved<S> {
    /// Each setting comes from the first layer that has it.
    pub(super) fn of_layers<'a>(layers: impl IntoIterator<Item = (&'a S, SettingSource)>) -> Self {
        layers.into_iter().fold(Self::default(), |mut resolved, (layer, source)| {
            let before = resolved.values.values();
            resolved.values = resolved.values.or(layer);
            let added = resolved.values.values().into_iter().zip(before);
            let added = added.filter(|((_, now), (_, before))| now.is_some() && before.is_none());
            resolved.sources.extend(added.map(|((name, _), _)| (name, source)));
            resolved
        })
    }

    /// Every setting with the table's name in front. One without a value has that of `default`.
    pub fn list(&self, prefix: &str, default: &S) -> Vec<SettingValue> {
        let one = |((name, value), (_, default)): ((String, Option<Value>), (String, Option<Value>))| {
            let source = self.source(&name);
            SettingValue { name: format!("{prefix}{name}"), value: value.or(default), source }
        };
        self.values.values().into_iter().zip(default.values()).map(one).collect()
    }
}

impl<S> Deref for Resolved<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.values
    }
}
