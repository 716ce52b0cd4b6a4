//! What the calls of one connection share, and the two loops around an exchange: a GET is repeated within
//! bounds, a POST only when it provably did nothing.

use super::address::Base;
use super::call::Call;
use super::connection::Connection;
use super::envelope::{Answer, Meaning};
use super::error::{ApiError, Result};
use super::filters::Pairs;
use super::key::ApiKey;
use super::link::LinkTrouble;
use super::log::{Got, Log, Note, Sent};
use super::pace::Pace;
use super::wire::{self, Failure, Use};
use crate::domain::ServiceClock;
use backon::{BackoffBuilder, ExponentialBuilder};
use reqwest::header::HeaderValue;
use reqwest::{Client, Request};
use serde_json::Value;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use url::Url;

/// How often a call is tried in all, when the service cannot be reached or fails.
const TRIES: u32 = 3;
/// How often a call waits out a 429.
const WAITS: u32 = 5;
/// A 503 that asks for more patience than this is not tried again.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);

pub(super) struct Core {
    pub(super) base: Base,
    pub(super) key: ApiKey,
    header: HeaderValue,
    gets: Client,
    pause: Duration,
    pub(super) pace: Arc<Pace>,
    pub(super) clock: Mutex<ServiceClock>,
    pub(super) log: Log,
}

/// The paces of this process, by key and origin, so that two connections of one key share one limit. The
/// hash is keyed by chance and never leaves the process. An entry stays until its last minute is over, also
/// when nobody holds it: closing and opening a profile must not double its limit.
static PACES: LazyLock<Mutex<Paces>> = LazyLock::new(Mutex::default);
type Paces = (RandomState, HashMap<u64, Arc<Pace>>);

fn shared_pace(origin: &str, key: &ApiKey, limit: u32) -> Arc<Pace> {
    let mut paces = PACES.lock().unwrap_or_else(PoisonError::into_inner);
    let (state, paces) = &mut *paces;
    paces.retain(|_, pace| Arc::strong_count(pace) > 1 || !pace.is_idle());
    let mut hasher = state.build_hasher();
    key.hash_into(&mut hasher);
    hasher.write(origin.as_bytes());
    let pace = paces.entry(hasher.finish()).or_insert_with(|| Pace::new(limit)).clone();
    pace.limit_to(limit);
    pace
}

impl Core {
    pub(super) fn new(connection: &Connection, base: Base) -> Result<Self> {
        Ok(Self {
            key: connection.key.clone(),
            header: connection.key.header()?,
            gets: wire::client(connection, &base, Use::Get)?,
            pause: connection.timeouts.pause,
            pace: shared_pace(&base.origin(), &connection.key, connection.rate_limit),
            clock: Mutex::new(ServiceClock::new(connection.utc_offset, connection.clock_speed)),
            log: Log::default(),
            base,
        })
    }

    /// Asks for something, again and again within bounds: three tries when the service cannot be reached or
    /// fails, one more when an answer broke off (a connection that died while kept alive costs just that),
    /// five waits on 429. The data of the answer is `Null` where there was none.
    pub(super) async fn get(
        &self,
        path: &str,
        id: Option<(&'static str, &str)>,
        query: &Pairs,
        call: &Call,
    ) -> Result<Value> {
        Ok(self.fetch(path, id, query, call).await?.0)
    }

    /// The same, with the body of the answer as it came.
    pub(super) async fn fetch(
        &self,
        path: &str,
        id: Option<(&'static str, &str)>,
        query: &Pairs,
        call: &Call,
    ) -> Result<(Value, Vec<u8>)> {
        let url = self.base.endpoint(path, id, query)?;
        let mut pauses = self.pauses();
        let (mut tries, mut breaks, mut waits) = (0, 0, 0);
        for attempt in 1.. {
            let request = wire::get(url.clone(), self.header.clone());
            let sent = self.send(&self.gets, request, &url, attempt, call, Some(&call.cancel)).await?;
            let mut pause = pauses.next().unwrap_or(self.pause);
            tries += 1;
            let error = match sent {
                Ok(mut answer) => {
                    let asked = answer.retry_after;
                    let bytes = std::mem::take(&mut answer.bytes);
                    match answer.of_get() {
                        Meaning::Data(data) => {
                            self.pace.note(None);
                            return Ok((data, bytes));
                        }
                        Meaning::Limited if waits < WAITS => {
                            waits += 1;
                            tries -= 1;
                            self.pace.hold(asked);
                            continue;
                        }
                        Meaning::Limited => {
                            self.pace.hold(asked);
                            ApiError::RateLimited { retry_after: self.pace.held_for() }
                        }
                        Meaning::Refused(error) => {
                            pause = pause.max(asked.unwrap_or_default());
                            error
                        }
                    }
                }
                Err(Failure::NotReached(why)) => ApiError::NotReached { why },
                Err(Failure::Broken(why)) => ApiError::NoAnswer { why },
            };
            let again = match &error {
                ApiError::NotReached { .. } => tries < TRIES,
                ApiError::ServiceFailed(r) => matches!(r.status, 500 | 502..=504) && tries < TRIES,
                ApiError::NoAnswer { .. } => {
                    breaks += 1;
                    pause = Duration::ZERO;
                    breaks < 2
                }
                _ => false,
            };
            if !again || pause > LONGEST_PAUSE {
                return Err(self.end(error));
            }
            rest(pause, &call.cancel).await?;
        }
        Err(ApiError::Cancelled)
    }

    /// Sends a POST. It is sent again only after 429, or when no connection came about; it can be given up
    /// only while it waits for its turn.
    pub(super) async fn post(&self, posts: &Client, path: &str, body: &Value, call: &Call) -> Result<Value> {
        let url = self.base.endpoint(path, None, &Pairs::default())?;
        let json = body.to_string().into_bytes();
        let mut pauses = self.pauses();
        let (mut tries, mut waits) = (0, 0);
        for attempt in 1.. {
            let request = wire::post(url.clone(), self.header.clone(), json.clone());
            let error = match self.send(posts, request, &url, attempt, call, None).await? {
                Ok(answer) => {
                    let asked = answer.retry_after;
                    match answer.of_post() {
                        Meaning::Data(data) => {
                            self.pace.note(None);
                            return Ok(data);
                        }
                        Meaning::Limited => {
                            self.pace.hold(asked);
                            if waits < WAITS {
                                waits += 1;
                                continue;
                            }
                            ApiError::RateLimited { retry_after: self.pace.held_for() }
                        }
                        Meaning::Refused(error) => error,
                    }
                }
                Err(Failure::NotReached(why)) => {
                    tries += 1;
                    if tries < TRIES {
                        rest(pauses.next().unwrap_or(self.pause), &call.cancel).await?;
                        continue;
                    }
                    ApiError::NotReached { why }
                }
                Err(Failure::Broken(why)) => ApiError::InDoubt { accepted: false, status: None, why },
            };
            return Err(self.end(error));
        }
        Err(ApiError::Cancelled)
    }

    /// One request, in its turn, noted in the log. `cancel` gives up a request that is under way.
    async fn send(
        &self,
        client: &Client,
        request: Request,
        url: &Url,
        attempt: u32,
        call: &Call,
        cancel: Option<&CancellationToken>,
    ) -> Result<std::result::Result<Answer, Failure>> {
        let method = if cancel.is_some() { "GET" } else { "POST" };
        let began = Instant::now();
        let mut permit = self.pace.turn(call.priority, &call.cancel).await?;
        let sent = Sent { method, url, attempt, waited: began.elapsed(), budget: self.pace.budget() };
        let note = Note::start(&self.log, &sent);
        permit.sent();
        let exchange = wire::exchange(client, request, &self.key);
        let outcome = match cancel {
            Some(cancel) => tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(ApiError::Cancelled),
                outcome = exchange => outcome,
            },
            None => exchange.await,
        };
        drop(permit);
        Ok(match outcome {
            Ok((answer, date)) => {
                if let Some(date) = date {
                    self.clock.lock().unwrap_or_else(PoisonError::into_inner).hear(date, Instant::now());
                }
                let (status, bytes) = (answer.status, answer.bytes.len() as u64);
                note.end(Some(Got { status, code: answer.code(), bytes }), answer.word());
                Ok(answer)
            }
            Err(failure) => {
                note.end(None, failure.word());
                Err(failure)
            }
        })
    }

    /// Notes how a call ended. A 429 says nothing about the link that the hold does not say already.
    fn end(&self, error: ApiError) -> ApiError {
        if !matches!(error, ApiError::RateLimited { .. }) {
            self.pace.note(trouble(&error));
        }
        error
    }

    fn pauses(&self) -> impl Iterator<Item = Duration> {
        ExponentialBuilder::default()
            .with_min_delay(self.pause)
            .with_max_delay(self.pause * 8)
            .with_max_times(TRIES as usize)
            .with_jitter()
            .build()
    }
}

async fn rest(pause: Duration, cancel: &CancellationToken) -> Result<()> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(ApiError::Cancelled),
        () = tokio::time::sleep(pause) => Ok(()),
    }
}

/// What an error says about the link as a whole; `None` when the service answered in its own words.
fn trouble(error: &ApiError) -> Option<LinkTrouble> {
    match error {
        ApiError::KeyRefused(_) => Some(LinkTrouble::KeyRefused),
        ApiError::AddressRefused(_) => Some(LinkTrouble::AddressRefused),
        ApiError::NotReached { .. } | ApiError::NoAnswer { .. } | ApiError::InDoubt { status: None, .. } => {
            Some(LinkTrouble::Unreachable)
        }
        ApiError::ServiceFailed(_) | ApiError::InDoubt { status: Some(500..), .. } => {
            Some(LinkTrouble::ServiceFailing)
        }
        ApiError::NotThisService { .. } | ApiError::InDoubt { accepted: false, .. } => {
            Some(LinkTrouble::NotThisService)
        }
        _ => None,
    }
}
