//! The worker's part of pictures: download, decode and pack, outside the loop.

use super::cache::Cache;
use crate::api::{Picture, PictureClient, PictureError};
use crate::tui::platform::images::render::{Packed, render};
use crate::tui::prelude::*;
use crate::tui::terminal_abilities::PictureOutput;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::{OnceCell, Semaphore};

/// Number of pictures decoded at once. No cancellation ends a decoding, so this also limits the memory.
const AT_ONCE: usize = 1;

#[derive(Clone)]
pub struct PictureOnScreen {
    pub url: String,
    pub fresh: bool,
    pub way: PictureOutput,
    pub room: (u16, u16),
    pub id: u32,
}

impl fmt::Debug for PictureOnScreen {
    /// Omits the URL, which may contain a signature.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PictureOnScreen({:?}, fresh: {}, id: {})", self.room, self.fresh, self.id)
    }
}

#[derive(Clone)]
pub struct Gallery(Arc<GalleryState>);

struct GalleryState {
    connection: Connection,
    cache: Option<Cache>,
    /// The last downloaded picture, with its URL: another text beside it gives it another size, and not every session has a
    /// cache.
    last: Mutex<Option<(String, Picture)>>,
    client: OnceCell<Result<PictureClient, String>>,
    room: Arc<Semaphore>,
}

impl Gallery {
    /// The client is created with the first picture. Without a folder, no picture is cached.
    pub fn new(connection: Connection, folder: Option<PathBuf>) -> Self {
        Self(Arc::new(GalleryState {
            connection,
            cache: folder.map(Cache::new),
            last: Mutex::default(),
            client: OnceCell::new(),
            room: Arc::new(Semaphore::new(AT_ONCE)),
        }))
    }

    /// The error is a short explanation for the user.
    pub async fn load(&self, ask: PictureOnScreen, cancel: &CancellationToken) -> Result<Packed, String> {
        if ask.fresh {
            self.last().take();
        } else if let Some(kept) = self.kept(&ask.url).await {
            match self.prepare(kept, &ask).await {
                Ok((packed, _)) => return Ok(packed),
                Err(_) => {
                    self.last().take();
                    self.with_cache(&ask.url, |cache, url| cache.forget(&url)).await;
                }
            }
        }
        let client = self.client().await?;
        let picture = client.fetch(&ask.url, cancel).await.map_err(|why| in_words(&why))?;
        let content_type = picture.content_type.clone();
        let (packed, bytes) = self.prepare(picture, &ask).await?;
        *self.last() = Some((ask.url.clone(), Picture { bytes: bytes.clone(), content_type }));
        self.with_cache(&ask.url, move |cache, url| {
            if let Err(why) = cache.put(&url, &bytes) {
                tracing::debug!("a picture could not be kept: {why}");
            }
        })
        .await;
        Ok(packed)
    }

    async fn client(&self) -> Result<&PictureClient, String> {
        let made = self.0.client.get_or_init(|| async {
            let connection = self.0.connection.clone();
            // This reads the system's certificates.
            match tokio::task::spawn_blocking(move || PictureClient::new(&connection)).await {
                Ok(Ok(client)) => Ok(client),
                Ok(Err(why)) => Err(t!("Pictures cannot be loaded: {why}", why)),
                Err(_) => Err(i18n::tr(FAILED).to_owned()),
            }
        });
        made.await.as_ref().map_err(Clone::clone)
    }

    fn last(&self) -> MutexGuard<'_, Option<(String, Picture)>> {
        self.0.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn kept(&self, url: &str) -> Option<Picture> {
        if let Some((_, last)) = self.last().as_ref().filter(|(of, _)| of == url) {
            return Some(last.clone());
        }
        let (cache, url) = (self.0.cache.clone()?, url.to_owned());
        let bytes = tokio::task::spawn_blocking(move || cache.get(&url)).await.ok().flatten()?;
        Some(Picture { bytes, content_type: None })
    }

    async fn with_cache(&self, url: &str, work: impl FnOnce(Cache, String) + Send + 'static) {
        if let Some(cache) = self.0.cache.clone() {
            let url = url.to_owned();
            let _ = tokio::task::spawn_blocking(move || work(cache, url)).await;
        }
    }

    /// Returns the bytes for the cache too.
    async fn prepare(&self, picture: Picture, ask: &PictureOnScreen) -> Result<(Packed, Vec<u8>), String> {
        let permit = self.0.room.clone().acquire_owned().await.map_err(|_| i18n::tr(FAILED).to_owned())?;
        let (way, room, id) = (ask.way, ask.room, ask.id);
        let work = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let packed = render(&picture.bytes, picture.content_type.as_deref(), &way, room, id)?;
            Ok((packed, picture.bytes))
        });
        work.await.unwrap_or_else(|_| Err(i18n::tr(FAILED).to_owned()))
    }
}

const FAILED: &str = tr_noop!("The picture cannot be shown: internal error in lapel.");

/// The message in place of the picture. If another attempt may help, it says how.
fn in_words(why: &PictureError) -> String {
    match why {
        PictureError::Refused(why) => t!("The picture was not loaded: {why}.", why),
        PictureError::Status(status @ (404 | 410)) => {
            t!("The server does not have this picture (HTTP {status}).", status)
        }
        PictureError::Status(status @ 300..=399) => {
            t!("The picture's server redirects to a place that lapel does not open (HTTP {status}).", status)
        }
        PictureError::Status(status) => {
            t!("The picture's server answered HTTP {status}. Refresh to try again.", status)
        }
        PictureError::Unreadable(why) => {
            t!("The picture was cut off while loading: {why}. Refresh to try again.", why)
        }
        PictureError::TooLong => t!("The picture is larger than 5 MB and was not loaded.").to_owned(),
        PictureError::NotReached(why) => {
            t!("The picture's server could not be reached: {why}. Refresh to try again.", why)
        }
        PictureError::Cancelled => t!("Loading was cancelled.").to_owned(),
    }
}
