//! The shared state of a connection's calls, and the retry loops: a GET is repeated within limits, a POST only if
//! it certainly did nothing.

use super::call::{Call, Turn};
use super::connection::{Connection, Timeouts};
use super::envelope::{HttpResponse, Meaning};
use super::error::{ApiError, ApiResult};
use super::filters::Pairs;
use super::key::ApiKey;
use super::link::{LinkTrouble, UnderWay};
use super::log::{Log, PendingLogEntry, ReceivedResponse, SentRequest};
use super::pace::{Pace, Permit, Priority, SlotTimes};
use super::service_url::Base;
use super::wire::{self, ClientKind, TransportError};
use crate::api::prelude::*;
use crate::domain::ServiceClock;
use backon::{BackoffBuilder, ExponentialBuilder};
use bytes::Bytes;
use reqwest::header::HeaderValue;
use reqwest::{Client, Method, Request};
use std::collections::HashMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio_util::sync::CancellationToken;

/// Maximum attempts of a call if the service cannot be reached or fails.
const TRIES: u32 = 3;
/// Maximum 429 responses that a call waits out.
const WAITS: u32 = 5;
/// A 5xx response with a longer `Retry-After` is not retried.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);
/// How long a turn is valid before its request begins.
const USABLE: Duration = Duration::from_secs(10);

pub(super) const PING: &str = "ping";

pub(super) struct ApiCore {
    pub(super) base: Base,
    pub(super) key: ApiKey,
    header: HeaderValue,
    gets: Client,
    /// Host and port.
    via: Option<String>,
    timeouts: Timeouts,
    pub(super) pace: Arc<Pace>,
    pub(super) clock: Mutex<ServiceClock>,
    pub(super) log: Log,
    /// Whether a successful envelope has shown that this is the badge service.
    is_proven: AtomicBool,
}

pub(super) struct Fetched {
    /// `Null` if there was none.
    pub(super) data: Value,
    pub(super) text: String,
    /// After decompression.
    pub(super) length: usize,
}

/// By [`ApiKey::pace_id`], so that two connections of one key share one limit. An unused entry stays until its last
/// minute has passed: reopening a profile must not double its limit.
static PACES: LazyLock<Mutex<HashMap<String, Arc<Pace>>>> = LazyLock::new(Mutex::default);

fn shared_pace(of: &Connection, origin: &str) -> Arc<Pace> {
    let id = of.key.pace_id(origin);
    let pace = pace_of_process(of, &id);
    #[cfg(feature = "team")]
    if let Some(login) = &of.pace_team {
        pace.share_in_team(login.clone(), of.pace_folder.as_deref(), &id, longest(&of.timeouts));
        return pace;
    }
    if let Some(folder) = &of.pace_folder {
        pace.share_in(folder, id);
    }
    pace
}

/// Returns unused slots to the team, at the end of the process. Blocks, for a second at most for each key.
#[cfg(feature = "team")]
pub fn leave_paces() {
    let paces = PACES.lock().unwrap_or_else(PoisonError::into_inner);
    paces.values().for_each(|pace| pace.leave());
}

fn pace_of_process(of: &Connection, id: &str) -> Arc<Pace> {
    let mut paces = PACES.lock().unwrap_or_else(PoisonError::into_inner);
    paces.retain(|_, pace| Arc::strong_count(pace) > 1 || !pace.is_idle());
    let made = || Pace::with_window(of.rate_limit, of.window);
    let pace = paces.entry(id.to_owned()).or_insert_with(made).clone();
    pace.limit_to(of.rate_limit);
    pace
}

/// A POST tries to connect several times in one turn.
fn span_of(timeouts: &Timeouts, purpose: ClientKind) -> SlotTimes {
    let Timeouts { connect, total, total_post, pause, .. } = *timeouts;
    match purpose {
        ClientKind::Get => SlotTimes { usable: USABLE, reach: total },
        ClientKind::Post => SlotTimes { usable: USABLE + (connect + pause * 8) * TRIES, reach: total_post },
    }
}

/// Covers every request.
#[cfg(feature = "team")]
fn longest(timeouts: &Timeouts) -> SlotTimes {
    let [get, post] = [ClientKind::Get, ClientKind::Post].map(|purpose| span_of(timeouts, purpose));
    get.max(post)
}

impl ApiCore {
    pub(super) fn new(connection: &Connection, base: Base) -> ApiResult<Self> {
        connection.key.register();
        // The one would be sent in every URL, the other in the URLs of pictures.
        for (field, url) in
            [("base_url", Some(&connection.base_url)), ("picture_base", connection.picture_base.as_ref())]
        {
            url.map_or(Ok(()), |url| refuse_key(field, url))?;
        }
        Ok(Self {
            key: connection.key.clone(),
            header: connection.key.header()?,
            gets: wire::client(connection, &base, ClientKind::Get)?,
            via: connection
                .proxy
                .as_deref()
                .filter(|_| !base.is_loopback())
                .and_then(super::unreached::proxy_place),
            timeouts: connection.timeouts,
            pace: shared_pace(connection, &base.origin()),
            clock: Mutex::new(ServiceClock::new(connection.utc_offset, connection.clock_speed)),
            log: Log::default(),
            is_proven: AtomicBool::new(false),
            base,
        })
    }

    /// Repeats within limits: three attempts if the service cannot be reached or fails, one more after a
    /// response that ended early (a dead kept-alive connection costs just that), and five waits on 429. All
    /// attempts share one deadline ([`Timeouts::total`]).
    pub(super) async fn fetch(
        &self,
        path: &str,
        id: Option<(&'static str, &str)>,
        query: &Pairs,
        call: &Call,
    ) -> ApiResult<Fetched> {
        id.into_iter().try_for_each(|(field, id)| refuse_key(field, id))?;
        query.0.iter().try_for_each(|(field, value)| refuse_key(field, value))?;
        let url = self.base.endpoint(path, id, query)?;
        let mut pauses = self.pauses();
        let (mut tries, mut breaks, mut waits) = (0, 0, 0);
        let mut left = self.timeouts.total;
        for attempt in 1.. {
            let request = wire::get(url.clone(), self.header.clone());
            let sent = self.get_once(request, attempt, call, &mut left).await?;
            let mut pause = pauses.next().unwrap_or(self.timeouts.pause);
            let mut asked = None;
            let (mut is_odd, mut fewer) = (false, false);
            tries += 1;
            let error = match sent {
                Ok(mut response) => {
                    asked = response.retry_after;
                    let (text, length) = (std::mem::take(&mut response.text), response.length);
                    (is_odd, fewer) = (response.is_odd(), response.is_too_much());
                    match response.of_get() {
                        Meaning::Data(data) => {
                            self.is_proven.store(true, Ordering::Relaxed);
                            self.pace.note(None);
                            return Ok(Fetched { data, text, length });
                        }
                        Meaning::Limited => {
                            self.hold(asked).await;
                            if waits < WAITS {
                                waits += 1;
                                tries -= 1;
                                continue;
                            }
                            ApiError::RateLimited { retry_after: self.pace.held_for() }
                        }
                        Meaning::Refused(error) => error,
                    }
                }
                Err(TransportError::NotReached(why)) => ApiError::NotReached { why },
                Err(TransportError::Broken(why)) => ApiError::NoResponse { why },
            };
            let again = match &error {
                ApiError::NotReached { .. } => tries < TRIES,
                ApiError::ServiceFailed(r) => matches!(r.status, 500 | 502..=504) && tries < TRIES,
                ApiError::NoResponse { .. } => {
                    breaks += 1;
                    pause = Duration::ZERO;
                    breaks < 2
                }
                _ => false,
            };
            if !again
                || asked.is_some_and(|asked| asked > LONGEST_PAUSE)
                || pause + self.timeouts.total / 20 >= left
            {
                return Err(match error {
                    ApiError::NotThisService { status, what }
                        if is_odd && self.proves_itself(path, call).await =>
                    {
                        self.end(ApiError::Unreadable { status, what, fewer })
                    }
                    error => self.end(error),
                });
            }
            // A wait that the service requested does not count against the deadline. An attempt with almost no
            // time left does not begin.
            left -= pause;
            rest(pause.max(asked.unwrap_or_default()), &call.cancel).await?;
        }
        Err(ApiError::Cancelled)
    }

    async fn get_once(
        &self,
        request: Request,
        attempt: u32,
        call: &Call,
        left: &mut Duration,
    ) -> ApiResult<Result<HttpResponse, TransportError>> {
        let waiting = Instant::now();
        let mut permit = tokio::select! {
            permit = self.turn(call, ClientKind::Get) => permit?,
            why = self.pace.unshared_for(self.timeouts.unshared) => return Err(ApiError::NoShare { why }),
        };
        let sending = self.send(&self.gets, request, attempt, waiting, &mut permit);
        let begun = tokio::time::Instant::now();
        let _read = (call.priority == Priority::Interactive).then(|| {
            let spent = self.timeouts.total.saturating_sub(*left);
            self.pace.reading(UnderWay { since: begun.checked_sub(spent).unwrap_or(begun), attempt })
        });
        let sent = tokio::select! {
            biased;
            () = call.cancel.cancelled() => return Err(ApiError::Cancelled),
            sent = tokio::time::timeout(*left, sending) => sent,
        };
        *left = left.saturating_sub(begun.elapsed());
        drop(permit);
        self.pace.flush().await;
        Ok(sent.unwrap_or_else(|_| {
            *left = Duration::ZERO;
            let total = self.timeouts.total.as_secs_f64();
            Err(TransportError::Broken(if attempt == 1 {
                localizable!("no complete response within {total} s", total)
            } else {
                localizable!("no complete response within {total} s, in {attempt} attempts", total, attempt)
            }))
        }))
    }

    /// Also holds other processes.
    async fn hold(&self, asked: Option<Duration>) {
        self.pace.hold(asked, self.timeouts.refused);
        self.pace.flush().await;
    }

    pub(super) async fn turn(&self, call: &Call, purpose: ClientKind) -> ApiResult<Permit> {
        loop {
            let permit =
                self.pace.turn_within(call.priority, span_of(&self.timeouts, purpose), &call.cancel).await?;
            if permit.is_fresh() {
                return Ok(permit);
            }
        }
    }

    pub(super) async fn ping_now(&self, call: &Call) -> ApiResult<Value> {
        let url = self.base.endpoint(PING, None, &Pairs::default())?;
        let waiting = Instant::now();
        let Some(mut permit) = self.pace.turn_through(span_of(&self.timeouts, ClientKind::Get)).await else {
            return Err(ApiError::RateLimited { retry_after: self.pace.held_for() });
        };
        let request = wire::get(url, self.header.clone());
        let sending = self.send(&self.gets, request, 1, waiting, &mut permit);
        let sent = tokio::select! {
            biased;
            () = call.cancel.cancelled() => return Err(ApiError::Cancelled),
            sent = tokio::time::timeout(self.timeouts.total, sending) => sent,
        };
        drop(permit);
        self.pace.flush().await;
        let error = match sent {
            Ok(Ok(response)) => {
                let asked = response.retry_after;
                match response.of_get() {
                    Meaning::Data(data) => {
                        self.pace.lift();
                        self.pace.note(None);
                        self.pace.flush().await;
                        return Ok(data);
                    }
                    Meaning::Limited => {
                        self.hold(asked).await;
                        ApiError::RateLimited { retry_after: self.pace.held_for() }
                    }
                    Meaning::Refused(error) => error,
                }
            }
            Ok(Err(TransportError::NotReached(why))) => ApiError::NotReached { why },
            Ok(Err(TransportError::Broken(why))) => ApiError::NoResponse { why },
            Err(_) => ApiError::NoResponse { why: localizable!("no response in time") },
        };
        Err(self.end(error))
    }

    /// Whether this is the badge service although a response was unreadable: it responded earlier,
    /// or responds to a ping now.
    async fn proves_itself(&self, path: &str, call: &Call) -> bool {
        self.is_proven.load(Ordering::Relaxed)
            || (path != PING && Box::pin(self.fetch(PING, None, &Pairs::default(), call)).await.is_ok())
    }

    /// Repeats only after a refusal for the rate limit, or if no connection was established. It can be cancelled only
    /// while it waits for its turn. With its own turn ([`Call::in_turn`]) it waits for no other.
    pub(super) async fn post(
        &self,
        posts: &Client,
        path: &str,
        body: &Value,
        call: &Call,
    ) -> ApiResult<Value> {
        refuse_key_in("body", body)?;
        let url = self.base.endpoint(path, None, &Pairs::default())?;
        let json = Bytes::from(body.to_string());
        let mut pauses = self.pauses();
        let (mut tries, mut waits) = (0, 0);
        let mut turn = call.turn.as_ref().and_then(Turn::take);
        let is_reserved = turn.is_some();
        for attempt in 1.. {
            let waiting = Instant::now();
            let mut permit = match turn.take() {
                Some(permit) => permit,
                None => self.turn(call, ClientKind::Post).await?,
            };
            if call.cancel.is_cancelled() || !permit.is_fresh() {
                return Err(ApiError::Cancelled);
            }
            let (request, is_withheld) =
                wire::post(url.clone(), self.header.clone(), json.clone(), call.may_send.clone());
            let sent = self.send(posts, request, attempt, waiting, &mut permit).await;
            let error = match sent {
                Ok(response) => {
                    // Not flushed: a team's database that says nothing must not delay the answer.
                    drop(permit);
                    if response.is_rate_limited() {
                        tokio::select! {
                            biased;
                            () = self.hold(response.retry_after) => {}
                            () = call.cancel.cancelled() => {}
                        }
                    }
                    match response.of_post() {
                        Meaning::Data(data) => {
                            self.pace.note(None);
                            return Ok(data);
                        }
                        Meaning::Limited => {
                            if !is_reserved && waits < WAITS {
                                waits += 1;
                                continue;
                            }
                            ApiError::RateLimited { retry_after: self.pace.held_for() }
                        }
                        Meaning::Refused(error) => error,
                    }
                }
                // Without its body, the service does nothing with a request.
                Err(_) if is_withheld.load(Ordering::Acquire) => return Err(ApiError::Cancelled),
                Err(TransportError::NotReached(why)) => {
                    tries += 1;
                    if tries < TRIES {
                        rest(pauses.next().unwrap_or(self.timeouts.pause), &call.cancel).await?;
                        let held = self.pace.held_for();
                        if is_reserved && !held.is_zero() {
                            return Err(ApiError::RateLimited { retry_after: held });
                        }
                        if is_reserved {
                            // The service has not seen the request, so the turn is still valid.
                            turn = Some(permit);
                        }
                        continue;
                    }
                    ApiError::NotReached { why }
                }
                Err(TransportError::Broken(why)) => {
                    ApiError::InDoubt { accepted: false, status: None, why, may_repeat: false }
                }
            };
            return Err(self.end(error));
        }
        Err(ApiError::Cancelled)
    }

    /// `waiting` is when it began to wait for the turn.
    async fn send(
        &self,
        client: &Client,
        request: Request,
        attempt: u32,
        waiting: Instant,
        permit: &mut Permit,
    ) -> Result<HttpResponse, TransportError> {
        let (base, budget) = (self.base.path(), self.pace.budget());
        let (method, url) =
            (if request.method() == Method::POST { "POST" } else { "GET" }, request.url().clone());
        let sent = SentRequest { method, url: &url, base: &base, attempt, waited: waiting.elapsed(), budget };
        let note = PendingLogEntry::start(&self.log, &sent);
        permit.sent();
        match wire::exchange(client, request, &self.key, self.via.as_deref()).await {
            Ok((response, date)) => {
                if let Some(date) = date {
                    self.clock.lock().unwrap_or_else(PoisonError::into_inner).hear(date, Instant::now());
                }
                let (status, bytes) = (response.status, response.length as u64);
                let (code, has_record) = (response.code(), response.has_record());
                note.end(Some(ReceivedResponse { status, code, bytes, has_record }), response.word());
                Ok(response)
            }
            Err(failure) => {
                note.end(None, failure.word());
                Err(failure)
            }
        }
    }

    /// Leaves out a 429, since the hold already shows it.
    fn end(&self, error: ApiError) -> ApiError {
        if !matches!(error, ApiError::RateLimited { .. }) {
            self.pace.note(trouble(&error));
        }
        error
    }

    fn pauses(&self) -> impl Iterator<Item = Duration> {
        ExponentialBuilder::default()
            .with_min_delay(self.timeouts.pause)
            .with_max_delay(self.timeouts.pause * 8)
            .with_max_times(TRIES as usize)
            .with_jitter()
            .build()
    }
}

/// Refuses text that is an API key or begins like one: servers on the way could log it. Everything
/// that lapel sends is checked here.
fn refuse_key(field: &'static str, text: &str) -> ApiResult<()> {
    if crate::secrets::is_key(text) {
        return Err(ApiError::BadInput { field, why: localizable!("this looks like an API key") });
    }
    Ok(())
}

fn refuse_key_in(field: &'static str, body: &Value) -> ApiResult<()> {
    match body {
        Value::String(text) => refuse_key(field, text),
        Value::Array(all) => all.iter().try_for_each(|one| refuse_key_in(field, one)),
        Value::Object(fields) => {
            fields.iter().try_for_each(|(name, value)| refuse_key_in(named(name).unwrap_or(field), value))
        }
        _ => Ok(()),
    }
}

fn named(field: &str) -> Option<&'static str> {
    ["template_id", "recipient_name", "recipient_email", "badge_ids", "reason"]
        .into_iter()
        .find(|known| *known == field)
}

async fn rest(pause: Duration, cancel: &CancellationToken) -> ApiResult<()> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(ApiError::Cancelled),
        () = tokio::time::sleep(pause) => Ok(()),
    }
}

/// `None` if the service itself responded.
fn trouble(error: &ApiError) -> Option<LinkTrouble> {
    match error {
        ApiError::KeyRefused(_) => Some(LinkTrouble::KeyRefused),
        ApiError::AddressRefused(_) => Some(LinkTrouble::AddressRefused),
        ApiError::NotReached { .. }
        | ApiError::NoResponse { .. }
        | ApiError::InDoubt { status: None, .. } => Some(LinkTrouble::Unreachable),
        ApiError::ServiceFailed(_) | ApiError::InDoubt { status: Some(500..), .. } => {
            Some(LinkTrouble::ServiceFailing)
        }
        ApiError::NotThisService { .. } | ApiError::InDoubt { accepted: false, .. } => {
            Some(LinkTrouble::NotThisService)
        }
        _ => None,
    }
}
