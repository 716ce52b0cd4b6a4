//! `lapel index`: the local copy of the history.

use super::connection::{connect, connection};
use super::flags::GlobalFlags;
use super::progress::ProgressBar;
use super::session::{answer, profile};
use crate::api;
use crate::cli::prelude::*;
use crate::config::IndexSettings;
use crate::export::time_left;
use crate::index::{
    self, Index, IndexAccount, IndexConfig, IndexError, IndexStatus, SyncProgress, SyncScope, file_of,
};
use std::iter;
use tokio_util::sync::CancellationToken;

#[derive(Clone, Debug, Args)]
pub struct IndexFlags {
    /// What to do; without it, status
    #[command(subcommand)]
    pub verb: Option<IndexVerb>,
    #[command(flatten)]
    pub global: GlobalFlags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
pub enum IndexVerb {
    /// Show its status; sends no requests to the service
    Status,
    /// Add new badges to the index, or read the whole history if needed
    Build {
        /// Read the whole history
        #[arg(long)]
        all: bool,
    },
    /// Delete the index
    Purge {
        /// Delete the indexes of all services and keys
        #[arg(long)]
        all: bool,
    },
}

pub async fn index(flags: IndexFlags, settings: &Settings) -> Result<u8, Failure> {
    match flags.verb.unwrap_or(IndexVerb::Status) {
        IndexVerb::Status => status(settings, flags.global.json).await?,
        IndexVerb::Build { all } => build(settings, all, flags.global.json).await?,
        IndexVerb::Purge { all } => purge(settings, all, flags.global.json)?,
    }
    Ok(exit::OK)
}

fn account(settings: &Settings) -> Result<(Profile, api::Connection, IndexAccount), Failure> {
    let profile = profile(settings)?.clone();
    let connection = connection(&profile, &settings.paths)?;
    let account = IndexAccount::of(&connection);
    Ok((profile, connection, account))
}

async fn status(settings: &Settings, as_json: bool) -> Result<(), Failure> {
    let (profile, _, account) = account(settings)?;
    let (data, kept) = (&settings.paths.data_dir, IndexConfig::if_enabled(&profile.index));
    let file = file_of(data, &account);
    let there = if file.exists() {
        let index = opened(data, &account, kept.unwrap_or_default()).await?;
        Some(index.status().await?)
    } else {
        None
    };
    let value = json!({
        "ok": true,
        "profile": profile.name,
        "enabled": kept.is_some(),
        "file": file.to_string_lossy(),
        "exists": there.is_some(),
        "index": there.as_ref().map(as_value),
    });
    let shown = scrub(&file.to_string_lossy()).into_owned();
    let kept = if kept.is_some() {
        t!("enabled in config.toml").to_owned()
    } else {
        t!(
            "not enabled; to enable, write into config.toml: [profiles.{name}.index] enabled = true",
            name = profile.name
        )
    };
    let text = match there {
        None => t!(
            "Profile {name} has no index ({kept}).\nIts file would be {shown}",
            name = profile.name,
            kept,
            shown
        ),
        Some(status) => {
            let head = t!("index of profile {name}: {kept}", name = profile.name, kept);
            format!("{head}\n{shown}\n{}", words(&status))
        }
    };
    answer(as_json, &text, &value)
}

async fn build(settings: &Settings, all: bool, as_json: bool) -> Result<(), Failure> {
    let (profile, connection, account) = account(settings)?;
    let Some(kept) = IndexConfig::if_enabled(&profile.index) else {
        return Err(Failure::usage(t!(
            "Profile {name} has no index, so nothing was read. An index holds names and e-mail addresses. To enable it, write into config.toml: [profiles.{name}.index] enabled = true",
            name = profile.name
        )));
    };
    let index = opened(&settings.paths.data_dir, &account, kept).await?;
    let reader = connect(&connection)?.reader().clone();
    let cancel = CancellationToken::new();
    let (told, progress) = watch::channel(SyncProgress::default());
    let interrupted = cancel.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            interrupted.cancel();
        }
    });
    let mut shown = ProgressBar::new();
    let want = if all { SyncScope::All } else { SyncScope::New };
    let read = |r: &SyncProgress| {
        let left = time_left(r.done, r.all, reader.link_now().background);
        let read = t!("badges read").to_owned();
        (list(iter::once(read).chain(left)).to_string(), r.done, r.all)
    };
    let synced = shown.during(progress, read, index.sync(&reader, want, &told, cancel)).await;
    shown.clear();
    let synced = synced?;
    let status = index.status().await?;
    let value = json!({
        "ok": true,
        "profile": profile.name,
        "requests": synced.requests,
        "new": synced.new,
        "full": synced.full,
        "complete": synced.complete,
        "index": as_value(&status),
    });
    let (requests, new) = (number(synced.requests), number(synced.new));
    let what = if synced.full {
        t!("read the whole history: {requests} requests, {new} new badges", requests, new)
    } else {
        t!("read new entries: {requests} requests, {new} new badges", requests, new)
    };
    answer(as_json, &format!("{what}\n{}", words(&status)), &value)
}

fn purge(settings: &Settings, all: bool, as_json: bool) -> Result<(), Failure> {
    let data = &settings.paths.data_dir;
    let (files, bytes) = if all {
        index::purge_all(data)?
    } else {
        let (_, _, account) = account(settings)?;
        let there = file_of(data, &account).exists();
        (u64::from(there), index::purge(data, &account)?)
    };
    let size = number(bytes);
    let text = match files {
        0 => t!("There is no index to remove.").to_owned(),
        1 => t!("Removed the index ({bytes} bytes). Nothing else was changed.", bytes = size),
        n => t!("Removed {n} indexes ({bytes} bytes). Nothing else was changed.", n, bytes = size),
    };
    answer(as_json, &text, &json!({ "ok": true, "removed": files, "bytes": bytes }))
}

async fn opened(data: &Path, account: &IndexAccount, kept: IndexConfig) -> Result<Index, IndexError> {
    let (data, account) = (data.to_owned(), account.clone());
    let opened = tokio::task::spawn_blocking(move || Index::open(&data, &account, kept));
    opened.await.unwrap_or(Err(IndexError::Closed))
}

/// The domains of the holders in a profile's index. Makes no index.
pub(super) async fn domains(
    data: &Path,
    account: &IndexAccount,
    settings: &IndexSettings,
) -> Vec<(String, u64)> {
    let kept = IndexConfig::if_enabled(settings).filter(|_| file_of(data, account).exists());
    Index::domains(match kept {
        Some(kept) => opened(data, account, kept).await.map(Some),
        None => Ok(None),
    })
    .await
}

fn as_value(status: &IndexStatus) -> Value {
    json!({
        "badges": status.badges,
        "records_read": status.details,
        "certificate_numbers": status.certs,
        "total_count": status.total,
        "oldest": status.oldest.as_ref().map(|t| t.raw().wire()),
        "newest": status.newest.as_ref().map(|t| t.raw().wire()),
        "all_read_at": status.full_at.map(stamp),
        "read_at": status.read_at.map(stamp),
        "complete": status.complete,
        "under_way": status.scanning.is_some(),
        "bytes": status.bytes,
    })
}

fn stamp(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).unwrap_or_default().to_string()
}

fn words(status: &IndexStatus) -> String {
    let mut lines = vec![t!(
        "{badges} badges, {bytes} bytes",
        badges = number(status.badges),
        bytes = number(status.bytes)
    )];
    if let (Some(oldest), Some(newest)) = (&status.oldest, &status.newest) {
        lines.push(t!("accepted from {oldest} to {newest}", oldest, newest));
    }
    lines.push(t!(
        "read {details} badge records, {certs} certificate numbers",
        details = number(status.details),
        certs = number(status.certs)
    ));
    lines.push(match (status.read_at, status.scanning) {
        (None, None | Some((0, _))) => t!("not read yet: lapel index build").to_owned(),
        (_, Some((done, Some(all)))) => {
            t!("reading stopped at {done} of {all}; lapel index build continues there", done = number(done), all = number(all))
        }
        (_, Some((done, None))) => {
            t!("reading stopped at {done}; lapel index build continues there", done = number(done))
        }
        (Some(at), None) if status.complete => {
            let at = stamp(at);
            match status.older {
                0 => t!("read at {at}; complete", at),
                n => plural!(
                    n,
                    "read at {at}; {n} older badge is not included",
                    "read at {at}; {n} older badges are not included",
                    at
                ),
            }
        }
        (Some(at), None) => t!("read at {at}; the count differs from the service's, because the history changed meanwhile. Read it again: lapel index build --all", at = stamp(at)),
    });
    lines.join("\n")
}

impl From<IndexError> for Failure {
    fn from(error: IndexError) -> Self {
        if error.is_cancelled() {
            let why = t!("Stopped. lapel keeps what it read; lapel index build continues there.");
            return Self { code: exit::STOPPED, ..Self::new("given_up", why) };
        }
        Self::new("index", error.to_string())
    }
}
