//! Names that many files of this module use.

pub(in crate::config) use super::env::Env;
pub(in crate::config) use super::mistake::{
    ConfigError, Mistake, cannot_write, no_key, shown, typed_mistake,
};
pub(in crate::config) use super::paths::Paths;
pub(in crate::config) use super::toml_reader::{TomlReader, TomlValue, join};
pub(in crate::config) use crate::domain::io_error;
pub(in crate::config) use secrecy::{ExposeSecret, SecretString};
pub(in crate::config) use std::collections::BTreeMap;
pub(in crate::config) use std::fmt;
pub(in crate::config) use std::io::ErrorKind;
pub(in crate::config) use std::path::{Path, PathBuf};
pub(in crate::config) use std::time::Duration;
pub(in crate::config) use toml::de::DeTable;
