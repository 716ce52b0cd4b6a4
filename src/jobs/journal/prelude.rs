//! Names that many files of this module use.

pub(in crate::jobs::journal) use super::accounts::Account;
pub(in crate::jobs::journal) use super::jobs::Actor;
pub(in crate::jobs::journal) use super::reasons::stored;
pub(in crate::jobs::journal) use super::tx::{self, SqlRow, Tx, values};
pub(in crate::jobs::journal) use crate::jobs::error::{JobError, JournalError};
pub(in crate::jobs::journal) use crate::jobs::job::{JobId, Kind, Phase, StopKind};
pub(in crate::jobs::journal) use crate::jobs::prelude::*;
pub(in crate::jobs::journal) use crate::jobs::reason::{Code, Reason, utc_minute};
pub(in crate::jobs::journal) use crate::jobs::row_status::RowStatus;
pub(in crate::jobs::journal) use crate::jobs::settings::Policies;
pub(in crate::jobs::journal) use crate::secrets::redact;
pub(in crate::jobs::journal) use crate::team::TeamError;
pub(in crate::jobs::journal) use rusqlite::config::DbConfig;
pub(in crate::jobs::journal) use rusqlite::{Connection, OpenFlags};
pub(in crate::jobs::journal) use serde_json::json;
pub(in crate::jobs::journal) use std::borrow::Cow;
pub(in crate::jobs::journal) use std::ops::ControlFlow;
pub(in crate::jobs::journal) use std::path::Path;
pub(in crate::jobs::journal) use std::sync::mpsc::Sender;
pub(in crate::jobs::journal) use std::time::{Duration, Instant};
