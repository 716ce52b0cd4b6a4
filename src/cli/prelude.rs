//! Names that many files of this module use.

pub(in crate::cli) use super::failure::Failure;
pub(in crate::cli) use super::{exit, json, output};
pub(in crate::cli) use crate::api::{ApiError, Call, Reader};
pub(in crate::cli) use crate::config::{ConfigError, Env, Environment, Paths, Profile, Settings, profiles};
pub(in crate::cli) use crate::domain::io_error;
pub(in crate::cli) use crate::domain::text::scrub;
pub(in crate::cli) use crate::i18n::{list, number, tr};
pub(in crate::cli) use crate::jobs::{Job, JobId, JournalPlace, RowStatus};
pub(in crate::cli) use clap::{Args, Subcommand};
pub(in crate::cli) use jiff::Timestamp;
pub(in crate::cli) use secrecy::ExposeSecret;
pub(in crate::cli) use serde_json::{Map, Value, json};
pub(in crate::cli) use std::path::{Path, PathBuf};
pub(in crate::cli) use tokio::sync::watch;
pub(in crate::cli) use unicode_width::UnicodeWidthStr;
