//! The control address: changes a running sandbox (clock, switches, faults, rows), and shows the ledger.

use std::fmt;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Json, Router};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::clock;
use super::demo::NEVER;
use super::demo::catalogue::{PRACTICE, Template};
use super::fault::{FaultRule, seconds};
use super::ledger::Ledger;
use super::lock;
use super::service::{Service, SharedService};
use super::store::Badge;
use super::switches::GAPS;

#[derive(Clone)]
pub struct Control {
    service: SharedService,
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").field("origin", &self.service.origin).finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowState {
    #[default]
    Issued,
    /// Waiting; issued 30 virtual minutes from now.
    Waiting,
    /// Waiting for ever.
    Overdue,
    /// Revoking for 10 more virtual minutes.
    Revoking,
    Revoked,
    /// Issued, and no longer valid.
    Expired,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RowSpec {
    pub template_id: String,
    pub recipient_name: String,
    pub recipient_email: String,
    pub state: RowState,
    /// Virtual minutes since its acceptance.
    pub minutes_ago: i64,
    /// A label that replaces the one for Issued.
    pub label: Option<String>,
    /// `email_status` once issued; may be empty.
    pub email_status: String,
    pub reason: String,
}

impl Default for RowSpec {
    fn default() -> Self {
        Self {
            template_id: "TPL-001".to_owned(),
            recipient_name: "나중에 온 사람".to_owned(),
            recipient_email: "late.comer@example.org".to_owned(),
            state: RowState::Issued,
            minutes_ago: 0,
            label: None,
            email_status: "SENT".to_owned(),
            reason: "본인 요청".to_owned(),
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rows {
    pub insert: Vec<RowSpec>,
    pub delete: Vec<String>,
    /// Number of newest rows to remove before any are added.
    pub delete_newest: u64,
}

impl Control {
    pub(super) fn new(service: SharedService) -> Self {
        Self { service }
    }

    pub(super) fn service(&self) -> &Service {
        &self.service
    }

    pub fn advance(&self, by: Duration) {
        self.service.advance(by);
    }

    pub fn set_speed(&self, speed: f64) {
        self.service.clock.set_speed(speed);
    }

    pub fn now(&self) -> jiff::civil::DateTime {
        clock::civil(self.service.clock.now(), self.service.switches().zone)
    }

    pub fn set(&self, switch: &str, value: &str) -> Result<(), String> {
        self.service.set(switch, value)
    }

    /// Faults keep their order; a request gets only the first one that applies.
    pub fn add_fault(&self, rule: &str) -> Result<(), String> {
        let fault = rule.parse()?;
        lock(&self.service.faults).push(fault);
        Ok(())
    }

    /// Requests that a fault holds continue.
    pub fn clear_faults(&self) {
        for fault in lock(&self.service.faults).drain(..) {
            fault.release();
        }
    }

    /// Number of issues per organisation; `None` means no limit.
    pub fn set_quota(&self, quota: Option<u64>) {
        lock(&self.service.limits).quota = quota;
    }

    pub fn set_rate_limit(&self, rate: u32) {
        lock(&self.service.limits).rate = rate;
    }

    /// The window of the rate limit, for client tests that cannot wait a minute.
    #[doc(hidden)]
    pub fn set_rate_window(&self, window: std::time::Duration) {
        lock(&self.service.limiter).window = window;
    }

    pub fn ledger(&self) -> Ledger {
        self.service.ledger()
    }

    pub fn rows(&self, rows: &Rows) -> Result<Vec<String>, String> {
        let now = self.service.clock.now();
        let mut store = self.service.store();
        let failed = |error: rusqlite::Error| format!("the rows could not be changed: {error}");
        for _ in 0..rows.delete_newest {
            let Some(seq) = store.newest().map_err(failed)? else { break };
            store.delete(seq).map_err(failed)?;
        }
        for id in &rows.delete {
            let seq = store.seq_of(id).ok_or_else(|| format!("there is no badge {id}"))?;
            if !store.delete(seq).map_err(failed)? {
                return Err(format!("there is no badge {id}"));
            }
        }
        let mut ids = Vec::new();
        for spec in &rows.insert {
            let template = (0..store.templates.len())
                .find(|at| Template::id(at + 1) == spec.template_id)
                .ok_or_else(|| format!("there is no template {}", spec.template_id))?;
            let until = |issue_at| store.validity(template, issue_at);
            let badge = ready(spec, template, now, until);
            let seq = store.insert(&badge).map_err(failed)?;
            ids.push(store.badge_id(seq));
        }
        Ok(ids)
    }

    fn index(&self) -> Value {
        json!({
            "service": self.service.origin,
            "paths": ["GET|POST /clock", "GET|PUT /switches", "GET /gaps", "GET|POST|DELETE /faults",
                      "GET|PUT /limits", "GET /ledger", "POST /rows"],
        })
    }

    fn clock(&self) -> Value {
        json!({
            "now": clock::stamp(self.service.clock.now(), self.service.switches().zone),
            "utc": clock::http_date(self.service.clock.now()),
            "epoch_seconds": self.service.clock.now(),
            "speed": self.service.clock.speed(),
        })
    }

    fn faults(&self) -> Value {
        let faults = lock(&self.service.faults);
        faults.iter().map(|fault| json!({"rule": fault.to_string(), "fired": fault.fired()})).collect()
    }

    fn switches(&self) -> Value {
        let words = self.service.switches().words();
        words.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect()
    }

    fn limits(&self) -> Value {
        let limits = self.service.limits();
        json!({"rate_limit": limits.rate, "quota": limits.quota})
    }
}

fn ready(spec: &RowSpec, template: usize, now: i64, until: impl Fn(i64) -> Option<i64>) -> Badge {
    let reg_at = now - spec.minutes_ago.clamp(-1_000_000_000, 1_000_000_000) * 60;
    let issue_at = match spec.state {
        RowState::Waiting => now + 1800,
        RowState::Overdue => NEVER,
        _ => now.min(reg_at + 300),
    };
    let revoke = match spec.state {
        RowState::Revoking => Some((now, now + 600)),
        RowState::Revoked => Some((now, now)),
        _ => None,
    };
    Badge {
        seq: 0,
        org: PRACTICE,
        template,
        recipient: 0,
        name: spec.recipient_name.clone(),
        email: spec.recipient_email.clone(),
        reg_at,
        issue_at,
        valid_until: if spec.state == RowState::Expired { Some(now - 86_400) } else { until(issue_at) },
        revoke_at: revoke.map(|(asked, _)| asked),
        revoked_at: revoke.map(|(_, done)| done),
        reason: revoke.map(|_| spec.reason.clone()),
        mail: spec.email_status.clone(),
        label: spec.label.clone(),
        internal: true,
    }
}

pub(super) async fn run(listener: TcpListener, service: SharedService, mut stopped: watch::Receiver<bool>) {
    let router = Router::new()
        .route("/", shows(Control::index))
        .route("/clock", shows(Control::clock).post(move_clock))
        .route("/switches", shows(Control::switches).put(set_switches))
        .route("/faults", shows(Control::faults).post(add_faults).delete(clear_faults))
        .route("/limits", shows(Control::limits).put(set_limits))
        .route("/ledger", get(ledger))
        .route("/rows", post(change_rows))
        .route("/gaps", get(async || Json(gaps())))
        .fallback(nothing_here)
        .method_not_allowed_fallback(nothing_here)
        .with_state(Control::new(service));
    let end = async move {
        let _ = stopped.wait_for(|stop| *stop).await;
    };
    let _ = axum::serve(listener, router).with_graceful_shutdown(end).await;
}

fn shows(what: fn(&Control) -> Value) -> MethodRouter<Control> {
    get(async move |State(control): State<Control>| Json(what(&control)))
}

fn gaps() -> Value {
    GAPS.iter()
        .map(|gap| {
            let values: Vec<&str> = gap.values.iter().map(|(word, _)| *word).collect();
            json!({"name": gap.name, "doc": gap.doc, "default": gap.default, "values": values, "form": gap.form})
        })
        .collect()
}

type ControlResult = Result<Response, Wrong>;

struct Wrong(StatusCode, String);

impl IntoResponse for Wrong {
    fn into_response(self) -> Response {
        (self.0, Json(json!({"error": self.1}))).into_response()
    }
}

fn wrong(message: impl Into<String>) -> Wrong {
    Wrong(StatusCode::BAD_REQUEST, message.into())
}

fn read<T: for<'a> Deserialize<'a>>(body: &Bytes) -> Result<T, Wrong> {
    serde_json::from_slice(body).map_err(|error| wrong(format!("the body cannot be used: {error}")))
}

async fn nothing_here() -> Wrong {
    Wrong(StatusCode::NOT_FOUND, "there is no such thing here; GET / lists what there is".to_owned())
}

/// `{"advance": SECONDS or "3h", "speed": FACTOR}`, both optional.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    advance: Option<Value>,
    speed: Option<f64>,
}

async fn move_clock(State(control): State<Control>, body: Bytes) -> ControlResult {
    let wanted: Move = read(&body)?;
    if let Some(by) = &wanted.advance {
        let by =
            span(by).ok_or_else(|| wrong("advance takes seconds, or a text such as 90s, 5m, 3h or 2d"))?;
        control.advance(by);
    }
    if let Some(speed) = wanted.speed {
        if !(0.0..=1e7).contains(&speed) {
            return Err(wrong("speed takes a number from 0 to 10000000"));
        }
        control.set_speed(speed);
    }
    Ok(Json(control.clock()).into_response())
}

fn span(value: &Value) -> Option<Duration> {
    let seconds = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => seconds(text, &[("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0)])?,
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds).ok()
}

async fn set_switches(State(control): State<Control>, body: Bytes) -> ControlResult {
    let wanted: serde_json::Map<String, Value> = read(&body)?;
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let wanted: Vec<_> = wanted.iter().map(|(name, value)| (name, text(value))).collect();
    let mut changed = control.service.switches();
    wanted.iter().try_for_each(|(name, value)| changed.set(name, value)).map_err(wrong)?;
    // All switches, or none if one is wrong.
    wanted.iter().try_for_each(|(name, value)| control.set(name, value)).map_err(wrong)?;
    Ok(Json(control.switches()).into_response())
}

async fn clear_faults(State(control): State<Control>) -> Json<Value> {
    control.clear_faults();
    Json(control.faults())
}

async fn add_faults(State(control): State<Control>, body: Bytes) -> ControlResult {
    let wanted: Value = read(&body)?;
    let mut rules = Vec::new();
    for one in wanted.as_array().map_or(std::slice::from_ref(&wanted), Vec::as_slice) {
        let rule = one.as_str().or_else(|| one.get("rule").and_then(Value::as_str));
        let rule = rule.ok_or_else(|| wrong("a fault is a text, or an object with `rule`"))?;
        rules.push(rule.parse::<FaultRule>().map_err(wrong)?);
    }
    lock(&control.service.faults).extend(rules);
    Ok(Json(control.faults()).into_response())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedLimits {
    rate_limit: Option<u32>,
    /// Missing: unchanged; null: no quota.
    #[serde(default, deserialize_with = "present")]
    quota: Option<Value>,
}

fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

async fn set_limits(State(control): State<Control>, body: Bytes) -> ControlResult {
    let wanted: WantedLimits = read(&body)?;
    if let Some(quota) = wanted.quota {
        let number = quota.as_u64();
        if number.is_none() && !quota.is_null() {
            return Err(wrong("quota takes a whole number, or null for no quota"));
        }
        control.set_quota(number);
    }
    if let Some(rate) = wanted.rate_limit {
        control.set_rate_limit(rate);
    }
    Ok(Json(control.limits()).into_response())
}

async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Wrong> {
    let failed = |_| Wrong(StatusCode::INTERNAL_SERVER_ERROR, "the sandbox had an internal error".to_owned());
    tokio::task::spawn_blocking(work).await.map_err(failed)
}

async fn ledger(State(control): State<Control>) -> ControlResult {
    let mut response = Json(aside(move || control.ledger()).await?).into_response();
    response.headers_mut().insert("cache-control", HeaderValue::from_static("no-store"));
    Ok(response)
}

async fn change_rows(State(control): State<Control>, body: Bytes) -> ControlResult {
    let rows: Rows = read(&body)?;
    let ids = aside(move || control.rows(&rows)).await?.map_err(wrong)?;
    Ok(Json(json!({"inserted": ids})).into_response())
}
