//! Names that many files of this module use.

pub(in crate::api) use crate::domain::Text;
pub(in crate::api) use crate::domain::text::scrub;
pub(in crate::api) use crate::i18n::Localizable;
pub(in crate::api) use serde_json::Value;
pub(in crate::api) use std::collections::VecDeque;
pub(in crate::api) use std::fmt;
pub(in crate::api) use std::sync::{Arc, Mutex, PoisonError};
pub(in crate::api) use std::time::{Duration, Instant};
pub(in crate::api) use url::Url;
