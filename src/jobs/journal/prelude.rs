//! Names that many files of this module use.

pub(in crate::jobs::journal) use crate::domain::{BadgeId, EmailKey, TemplateId, Text};
pub(in crate::jobs::journal) use crate::i18n::Localizable;
pub(in crate::jobs::journal) use crate::secrets::redact;
pub(in crate::jobs::journal) use crate::team::TeamError;
pub(in crate::jobs::journal) use jiff::Timestamp;
pub(in crate::jobs::journal) use rusqlite::config::DbConfig;
pub(in crate::jobs::journal) use rusqlite::{Connection, OpenFlags};
pub(in crate::jobs::journal) use serde_json::json;
pub(in crate::jobs::journal) use std::borrow::Cow;
pub(in crate::jobs::journal) use std::collections::{BTreeMap, HashMap, HashSet};
pub(in crate::jobs::journal) use std::ops::ControlFlow;
pub(in crate::jobs::journal) use std::path::{Path, PathBuf};
pub(in crate::jobs::journal) use std::sync::Arc;
pub(in crate::jobs::journal) use std::sync::mpsc::Sender;
pub(in crate::jobs::journal) use std::time::{Duration, Instant};
