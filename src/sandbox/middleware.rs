//! The steps of every request: ledger, faults, allow-list, key, rate limit; then the envelope.

use std::time::Instant;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use serde_json::Value;

use super::fault::{FaultEffect, FaultRule, Items};
use super::faulty_connection::{ConnectionEnd, Peer};
use super::lock;
use super::response::{EndpointResponse, RawResponse, render};
use super::routes::{BASE, name_of};
use super::service::{Caller, Service, SharedService};
use super::switches::{BadKeyOther, BadKeyPing, BlockedResponse, Switches};

/// Maximum bytes of a body that are read.
const PATIENCE: usize = 64 * 1024 * 1024;

pub(super) async fn every(
    State(service): State<SharedService>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    request: Request,
    next: Next,
) -> Response {
    let inside =
        request.uri().path().strip_prefix(BASE).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if !inside {
        return outside(&service, request, next).await;
    }
    // Runs as a separate task, so that a client that hangs up does not undo its request.
    let work = tokio::spawn(handle(service, peer, request, next));
    work.await.unwrap_or_else(|_| render(EndpointResponse::broken(), &Switches::default(), 0).response())
}

/// Requests outside the API: pictures and unknown paths.
async fn outside(service: &Service, request: Request, next: Next) -> Response {
    {
        let mut books = lock(&service.books);
        books.ledger.violations.key_outside_api += u64::from(request.headers().contains_key("x-api-key"));
        let name = format!("{} (outside the API)", request.method());
        *books.ledger.requests.entry(name).or_default() += 1;
    }
    note_key_in_url(service, &request);
    let mut response = next.run(request).await;
    match response.extensions_mut().remove::<EndpointResponse>() {
        Some(answer) => finish(answer, service, &response.headers().clone()),
        None => response,
    }
}

async fn handle(service: SharedService, peer: Peer, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let method = parts.method.to_string();
    let path = parts.uri.path();
    let below = path.strip_prefix(BASE).unwrap_or(path).to_owned();
    let query = parts.uri.query().unwrap_or("").to_owned();
    let body = axum::body::to_bytes(body, PATIENCE).await;
    let too_much = body.is_err();
    let body = body.unwrap_or_default();
    *lock(&service.books).ledger.requests.entry(name_of(&method, &below)).or_default() += 1;

    let fault = match_fault(&service, &method, &below, &query, &body);
    let request = Request::from_parts(parts, Body::from(body));
    note_key_in_url(&service, &request);
    if let Some(fault) = &fault
        && !fault.commit
    {
        fault.wait().await;
        if fault.harm != FaultEffect::Late {
            let nothing = EndpointResponse::read(Value::Null);
            return apply_fault(&service, &peer, &fault.harm, nothing, &HeaderMap::new());
        }
    }
    let admitted = admit(&service, &peer, request.headers(), &below);
    let mut headers = HeaderMap::new();
    let answer = match admitted {
        Err((answer, FaultEffect::Late)) => answer,
        Err((answer, harm)) => return apply_fault(&service, &peer, &harm, answer, &headers),
        Ok(_) if too_much => EndpointResponse::refused(413, "4000", "The body is too large."),
        Ok(caller) => {
            let mut request = request;
            request.extensions_mut().insert(caller);
            let mut response = next.run(request).await;
            headers = response.headers().clone();
            response.extensions_mut().remove::<EndpointResponse>().unwrap_or_else(EndpointResponse::broken)
        }
    };
    *lock(&service.books).ledger.statuses.entry(answer.status).or_default() += 1;
    if answer.status == 400 && answer.message.contains("page") {
        lock(&service.books).ledger.violations.bad_paging += 1;
    }
    match fault {
        Some(fault) if fault.commit => {
            fault.wait().await;
            apply_fault(&service, &peer, &fault.harm, answer, &headers)
        }
        _ => finish(answer, &service, &headers),
    }
}

/// Keeps the route's `Allow` header.
fn finish(answer: EndpointResponse, service: &Service, headers: &HeaderMap) -> Response {
    let mut response = render(answer, &service.switches(), service.clock.now()).response();
    if let Some(allow) = headers.get("allow") {
        response.headers_mut().insert("allow", allow.clone());
    }
    response
}

/// All rules count the request; the first that applies is used.
fn match_fault(service: &Service, method: &str, path: &str, query: &str, body: &[u8]) -> Option<FaultRule> {
    let mut first = None;
    for fault in lock(&service.faults).iter_mut() {
        if fault.strikes(method, path, query, body) && first.is_none() {
            first = Some(fault.clone());
        }
    }
    lock(&service.books).ledger.faults += u64::from(first.is_some());
    first
}

fn note_key_in_url(service: &Service, request: &Request) {
    let url = request.uri().to_string();
    if service.keys.iter().any(|key| url.contains(&key.key)) {
        lock(&service.books).ledger.violations.key_in_url += 1;
    }
}

/// An allow-list may refuse without an envelope, just as a fault does.
type Blocked = (EndpointResponse, FaultEffect);

fn admit(service: &Service, peer: &Peer, headers: &HeaderMap, below: &str) -> Result<Caller, Blocked> {
    let switches = service.switches();
    if !switches.allow.admits(peer.address.ip()) {
        lock(&service.books).ledger.violations.blocked_address += 1;
        let refused = EndpointResponse::refused(403, "4003", "This address is not on the allow-list.");
        let harm = match switches.blocked_answer {
            BlockedResponse::Envelope => FaultEffect::Late,
            BlockedResponse::Html => FaultEffect::Html(403),
            BlockedResponse::Reset => FaultEffect::Reset,
        };
        return Err((refused, harm));
    }
    let mut keys = headers.get_all("x-api-key").iter();
    let key = keys.next().filter(|_| keys.next().is_none()).and_then(|key| key.to_str().ok());
    let known = key.and_then(|key| service.keys.iter().position(|one| one.key == key));
    let Some(org) = known else {
        let mut books = lock(&service.books);
        if headers.contains_key("x-api-key") {
            books.ledger.violations.bad_key += 1;
        } else {
            books.ledger.violations.no_key += 1;
        }
        let status = match switches.bad_key_other {
            _ if below == "/ping" && switches.bad_key_ping == BadKeyPing::Unauthorized => 401,
            _ if below == "/ping" => 403,
            BadKeyOther::Unauthorized => 401,
            BadKeyOther::Forbidden => 403,
            BadKeyOther::BadRequest => 400,
            BadKeyOther::Ok => 200,
        };
        let refused = EndpointResponse::refused(status, "4001", "The API key is missing or invalid.");
        return Err((refused, FaultEffect::Late));
    };
    let limit = service.limits().rate;
    lock(&service.limiter).admit(org, limit, Instant::now()).map_err(|wait| {
        lock(&service.books).ledger.violations.rate_limited += 1;
        let refused = EndpointResponse::refused(429, "4011", "Too many requests in a minute.");
        (EndpointResponse { wait: Some(wait), ..refused }, FaultEffect::Late)
    })?;
    Ok(Caller(org))
}

fn apply_fault(
    service: &Service,
    peer: &Peer,
    harm: &FaultEffect,
    mut answer: EndpointResponse,
    headers: &HeaderMap,
) -> Response {
    let switches = service.switches();
    let now = service.clock.now();
    let cut = |bytes: Vec<u8>, end: ConnectionEnd| {
        peer.cut(bytes, end);
        Response::new(Body::empty())
    };
    let bare =
        |status, headers| RawResponse { status, headers, body: Vec::new() }.dated(&switches, now).response();
    match harm {
        FaultEffect::Late => finish(answer, service, headers),
        FaultEffect::Drop => cut(Vec::new(), ConnectionEnd::Close),
        FaultEffect::Reset => cut(Vec::new(), ConnectionEnd::Reset),
        FaultEffect::Garbage => {
            cut(b"\x15\x03\x01\x00\x02\x02 this is not HTTP\r\n\0\r\n".to_vec(), ConnectionEnd::Close)
        }
        FaultEffect::Html(status) => RawResponse::page(*status).dated(&switches, now).response(),
        FaultEffect::Empty(status) => bare(*status, Vec::new()),
        FaultEffect::Redirect { status, to } => bare(*status, vec![("location", to.clone())]),
        FaultEffect::Status { status, code, message, retry_after } => {
            worded(*status, code.as_deref(), message.as_deref(), retry_after.as_deref(), &switches, now)
        }
        FaultEffect::Truncate(length) => {
            let wire = render(answer, &switches, now);
            let length = length.unwrap_or(wire.body.len() / 2).min(wire.body.len());
            let part = wire.body.get(..length).unwrap_or_default();
            cut(wire.raw(wire.body.len() as i64, part), ConnectionEnd::Close)
        }
        FaultEffect::WrongLength(by) => {
            let wire = render(answer, &switches, now);
            cut(wire.raw(wire.body.len() as i64 + by, &wire.body), ConnectionEnd::Close)
        }
        FaultEffect::SlowBody(time) => {
            let wire = render(answer, &switches, now);
            let bytes = wire.raw(wire.body.len() as i64, &wire.body);
            let head = bytes.len() - wire.body.len();
            peer.trickle(bytes, head, *time);
            Response::new(Body::empty())
        }
        FaultEffect::Items(lie) => {
            corrupt_items(&mut answer.data, *lie);
            finish(answer, service, headers)
        }
        FaultEffect::Accepted(count) => {
            if let Some(fields) = answer.data.as_object_mut() {
                fields.insert("accepted_count".to_owned(), Value::from(*count));
            }
            finish(answer, service, headers)
        }
    }
}

fn worded(
    status: u16,
    code: Option<&str>,
    message: Option<&str>,
    retry_after: Option<&str>,
    switches: &Switches,
    now: i64,
) -> Response {
    let usual = match status {
        401 => "4001",
        403 => "4003",
        404 => &switches.not_found_code,
        422 => &switches.quota_code,
        429 => "4011",
        400..500 => &switches.bad_request_code,
        _ => "5000",
    };
    let code = code.unwrap_or(usual).to_owned();
    let message = message.unwrap_or("The service could not do this (a fault of the sandbox).").to_owned();
    let mut switches = switches.clone();
    let mut answer = EndpointResponse::refused(status, code, message);
    let mut verbatim = None;
    match retry_after {
        None if status == 429 => answer.wait = Some(1),
        None | Some("none") => {}
        Some("http-date") => {
            answer.wait = Some(5);
            switches.retry_after = super::switches::RetryAfter::HttpDate;
        }
        Some("nonsense") => verbatim = Some("soon"),
        Some(value) => verbatim = Some(value),
    }
    let mut response = render(answer, &switches, now).response();
    if let Some(value) = verbatim.and_then(|value| HeaderValue::from_str(value).ok()) {
        response.headers_mut().insert("retry-after", value);
    }
    response
}

fn corrupt_items(data: &mut Value, lie: Items) {
    if lie == Items::Null {
        *data = Value::Null;
    }
    let Some(fields) = data.as_object_mut() else { return };
    let name = if fields.contains_key("items") { "items" } else { "list" };
    if lie == Items::None {
        fields.remove(name);
        return;
    }
    let Some(Value::Array(list)) = fields.get_mut(name) else { return };
    match lie {
        Items::Reversed => list.reverse(),
        Items::Missing => {
            list.pop();
        }
        Items::Doubled => {
            let again = list.clone();
            list.extend(again);
        }
        Items::Extra => {
            if let Some(mut one) = list.first().cloned() {
                if let Some(fields) = one.as_object_mut() {
                    fields.insert("recipient_email".to_owned(), "stranger@example.org".into());
                    fields.insert("badge_id".to_owned(), "B-999999999-ZZ".into());
                }
                list.push(one);
            }
        }
        Items::Lower => {
            for one in list {
                if let Some(Value::String(mail)) = one.get_mut("recipient_email") {
                    *mail = mail.to_lowercase();
                }
            }
        }
        Items::Empty => list.clear(),
        Items::None | Items::Null => {}
    }
}

pub(super) async fn nowhere(State(service): State<SharedService>) -> EndpointResponse {
    EndpointResponse::not_found(&service.switches(), "There is nothing at this path.")
}

pub(super) async fn wrong_method(State(service): State<SharedService>) -> EndpointResponse {
    let message = "This path does not answer to this method.";
    EndpointResponse { status: 405, ..EndpointResponse::bad(&service.switches(), message) }
}
