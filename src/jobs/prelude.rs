//! Names that many files of this module use.

pub(in crate::jobs) use crate::api::{ApiError, Call};
pub(in crate::jobs) use crate::domain::io_error;
pub(in crate::jobs) use crate::domain::text::scrub;
pub(in crate::jobs) use crate::domain::{BadgeId, EmailKey, ServiceTime, TemplateId, Text};
pub(in crate::jobs) use crate::i18n::{Localizable, list};
pub(in crate::jobs) use jiff::civil::DateTime;
pub(in crate::jobs) use jiff::tz::Offset;
pub(in crate::jobs) use jiff::{SignedDuration, Timestamp};
pub(in crate::jobs) use ring::digest::SHA256;
pub(in crate::jobs) use serde::{Deserialize, Serialize};
pub(in crate::jobs) use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
pub(in crate::jobs) use std::fmt;
pub(in crate::jobs) use std::fs::File;
pub(in crate::jobs) use std::path::PathBuf;
pub(in crate::jobs) use std::sync::Arc;
pub(in crate::jobs) use std::sync::atomic::Ordering;
pub(in crate::jobs) use tokio::sync::watch;
pub(in crate::jobs) use tokio_util::sync::CancellationToken;
pub(in crate::jobs) use unicode_normalization::UnicodeNormalization;
