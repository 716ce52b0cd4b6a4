//! One exchange with the service: a request and a response of limited size. No retry, redirect, cookie, or proxy
//! that the profile does not name.

use super::call::MaySend;
use super::connection::{Connection, Timeouts};
use super::envelope::{HttpResponse, ResponseBody, TOO_LONG};
use super::error::{ApiError, ApiResult};
use super::key::ApiKey;
use super::service_url::Base;
use super::unreached::why;
use super::{lenient, retry_after};
use crate::api::prelude::*;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use jiff::Timestamp;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue, LOCATION};
use reqwest::{Certificate, Client, ClientBuilder, Method, Request, Response};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

/// After decompression, in bytes.
const LONGEST_BODY: usize = 16 * 1024 * 1024;
const KEY_HEADER: &str = "x-api-key";

/// Every connection calls it. Does nothing if the process has a TLS provider.
pub fn install_crypto() {
    // The error means that a provider is already installed, so it is ignored.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ClientKind {
    Get,
    /// Every request has its own connection, so that a dead idle connection cannot leave a POST in
    /// doubt. Uses HTTP/1.1, where no lower layer repeats a request.
    Post,
}

#[derive(Debug)]
pub(super) enum TransportError {
    /// Certainly nothing was sent.
    NotReached(Localizable),
    /// The request may have been sent, in part or whole.
    Broken(Localizable),
}

impl TransportError {
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::NotReached(_) => "not reached",
            Self::Broken(_) => "broke off",
        }
    }
}

pub(super) fn client(of: &Connection, base: &Base, purpose: ClientKind) -> ApiResult<Client> {
    install_crypto();
    let Timeouts { connect, read, total, total_post, .. } = of.timeouts;
    let mut builder = Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .retry(reqwest::retry::never())
        .gzip(true)
        .user_agent(concat!("lapel/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect)
        .pool_idle_timeout(Duration::from_secs(60));
    builder = match purpose {
        ClientKind::Get => builder.pool_max_idle_per_host(4).read_timeout(read).timeout(total),
        ClientKind::Post => {
            builder.pool_max_idle_per_host(0).http1_only().read_timeout(total_post).timeout(total_post)
        }
    };
    if base.is_loopback() {
        // `localhost` always means this computer, even if a resolver differs. Port 0 means the URL's port.
        let here = [IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST)];
        builder = builder.resolve_to_addrs("localhost", &here.map(|ip| SocketAddr::new(ip, 0)));
    } else if let Some(proxy) = of.proxy.as_deref().filter(|p| !p.is_empty()) {
        builder = builder.proxy(self::proxy(proxy)?);
    }
    if base.is_plain_http() {
        // Otherwise a computer without a certificate store could not even connect to itself.
        builder = builder.tls_certs_only(std::iter::empty());
    } else {
        builder = trusting(builder, of)?;
    }
    builder.build().map_err(no_tls)
}

pub(super) fn trusting(builder: ClientBuilder, of: &Connection) -> ApiResult<ClientBuilder> {
    let Some(authorities) = &of.authorities else { return Ok(builder) };
    let unusable = || ApiError::BadInput {
        field: "ca_file",
        why: localizable!(
            "{name} contains no usable certificate: it must be a text file (PEM) of one or more certificates",
            name = crate::domain::text::scrub(&authorities.name)
        ),
    };
    let read = Certificate::from_pem_bundle(&authorities.pem).map_err(|_| unusable())?;
    if read.is_empty() {
        return Err(unusable());
    }
    // Build a client with only these certificates first, so that an error names them and not the whole.
    let alone = Client::builder().no_proxy().tls_certs_only(read.clone()).build();
    alone.map_err(|_| unusable())?;
    Ok(builder.tls_certs_merge(read))
}

pub(super) fn proxy(url: &str) -> ApiResult<reqwest::Proxy> {
    reqwest::Proxy::all(url).map_err(|_| ApiError::BadInput {
        field: "proxy",
        why: localizable!("this is not a proxy URL: give it as http://host:port"),
    })
}

pub(super) fn no_tls(error: reqwest::Error) -> ApiError {
    ApiError::NotReached {
        why: localizable!(
            "this computer cannot set up secure connections ({error})",
            error = why(error, None)
        ),
    }
}

pub(super) fn get(url: Url, key: HeaderValue) -> Request {
    request(Method::GET, url, key)
}

fn request(method: Method, url: Url, key: HeaderValue) -> Request {
    let mut request = Request::new(method, url);
    request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json"));
    request.headers_mut().insert(KEY_HEADER, key);
    request
}

/// The body of a POST. The right to send it may end while the connection is being made.
struct PostBody {
    json: Option<Bytes>,
    may_send: Option<MaySend>,
    is_withheld: Arc<AtomicBool>,
}

impl http_body::Body for PostBody {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        let Some(json) = self.json.take() else { return Poll::Ready(None) };
        if self.may_send.as_ref().is_some_and(|may_send| !may_send.is_allowed()) {
            self.is_withheld.store(true, Ordering::Release);
            return Poll::Ready(Some(Err(std::io::Error::other("the request may no longer be sent"))));
        }
        Poll::Ready(Some(Ok(Frame::data(json))))
    }

    fn is_end_stream(&self) -> bool {
        self.json.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.json.as_ref().map_or(0, |json| json.len() as u64))
    }
}

/// Returns also whether the body was withheld, once the request has ended.
pub(super) fn post(
    url: Url,
    key: HeaderValue,
    json: Bytes,
    may_send: Option<MaySend>,
) -> (Request, Arc<AtomicBool>) {
    let mut request = request(Method::POST, url, key);
    request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let is_withheld = Arc::new(AtomicBool::new(false));
    let body = PostBody { json: Some(json), may_send, is_withheld: is_withheld.clone() };
    *request.body_mut() = Some(reqwest::Body::wrap(body));
    (request, is_withheld)
}

/// The returned time is the response's `Date`, only if the service itself responded: a login
/// portal's clock is not the service's.
pub(super) async fn exchange(
    client: &Client,
    request: Request,
    key: &ApiKey,
    via: Option<&str>,
) -> Result<(HttpResponse, Option<Timestamp>), TransportError> {
    let response = client.execute(request).await.map_err(|error| {
        if error.is_connect() {
            TransportError::NotReached(why(error, via))
        } else {
            TransportError::Broken(why(error, via))
        }
    })?;
    let status = response.status().as_u16();
    let date = retry_after::date(response.headers());
    let wait = retry_after::retry_after(response.headers());
    let location = response.headers().get(LOCATION).and_then(|v| host_of(v, response.url()));
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).map(str::to_owned);
    let (body, text, length) = match bounded(response, LONGEST_BODY).await {
        Ok(bytes) => {
            let length = bytes.len();
            let text = lenient::text(bytes, content_type.as_deref());
            (Ok(ResponseBody::read(&text, key)), text, length)
        }
        Err(Unread::TooLong) => (Ok(ResponseBody::Other(TOO_LONG)), String::new(), 0),
        Err(Unread::Broken(why)) => (Err(why), String::new(), 0),
    };
    let date = if matches!(body, Ok(ResponseBody::Envelope(_))) { date } else { None };
    Ok((HttpResponse { status, retry_after: wait, location, body, text, length }, date))
}

fn host_of(location: &HeaderValue, from: &Url) -> Option<String> {
    let to = from.join(location.to_str().ok()?).ok()?;
    to.host_str().map(str::to_owned)
}

pub(super) enum Unread {
    TooLong,
    Broken(Localizable),
}

/// `longest` is in bytes after decompression.
pub(super) async fn bounded(mut response: Response, longest: usize) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if bytes.len() + chunk.len() > longest => return Err(Unread::TooLong),
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => return Ok(bytes),
            Err(error) => return Err(Unread::Broken(why(error, None))),
        }
    }
}
