//! Names that many files of this module use.

pub(in crate::config) use secrecy::{ExposeSecret, SecretString};
pub(in crate::config) use std::collections::BTreeMap;
pub(in crate::config) use std::fmt;
pub(in crate::config) use std::io::ErrorKind;
pub(in crate::config) use std::path::{Path, PathBuf};
pub(in crate::config) use std::time::Duration;
pub(in crate::config) use toml::de::DeTable;
