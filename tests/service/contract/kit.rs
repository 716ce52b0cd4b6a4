//! A sandbox on a frozen clock, and a plain HTTP client for it.

use std::sync::Once;
use std::time::Duration;

use lapel::sandbox::{Control, Ledger, Options, Sandbox};
use reqwest::header::HeaderMap;
use reqwest::{Client, Method, StatusCode};
use serde_json::Value;

/// The service's time when a test begins: a Wednesday, 10:30 in its zone.
pub const START: &str = "2026-03-11 10:30:00";

pub struct Kit {
    pub sandbox: Sandbox,
    pub http: Client,
}

/// One answer.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Reply {
    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or("")
    }
    pub fn message(&self) -> &str {
        self.body["message"].as_str().unwrap_or("")
    }
    pub fn body(&self) -> &Value {
        &self.body
    }
    pub fn data(&self) -> &Value {
        &self.body["data"]
    }
    pub fn list(&self) -> &Vec<Value> {
        self.body["data"]["list"].as_array().unwrap_or_else(|| panic!("no list: {}", self.body))
    }
    pub fn total(&self) -> i64 {
        self.body["data"]["total_count"].as_i64().unwrap()
    }
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
    /// Asserts an error in the envelope: `code` and `message` are texts, `data` is null.
    #[track_caller]
    pub fn refused(&self, status: u16) -> &Self {
        assert_eq!(self.status, status, "{}", self.body);
        assert!(self.body["code"].is_string() && self.body["message"].is_string(), "{}", self.body);
        assert_eq!(self.body.get("data"), Some(&Value::Null), "{}", self.body);
        self
    }
    #[track_caller]
    pub fn ok(&self) -> &Self {
        assert_eq!((self.status, self.code()), (200, "0001"), "{}", self.body);
        self
    }
}

pub fn client() -> Client {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    Client::builder()
        .no_proxy()
        .tls_certs_only(std::iter::empty())
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_secs(20))
        .build()
        .unwrap()
}

pub fn options() -> Options {
    let start = START.parse().unwrap();
    Options { speed: 0.0, history: Some(300), start: Some(start), ..Options::default() }
}

/// A sandbox with a small history.
pub async fn small() -> Kit {
    start(options()).await
}

/// A sandbox with the whole demo.
pub async fn demo() -> Kit {
    start(Options { history: None, ..options() }).await
}

/// A small sandbox with switches.
pub async fn with(switches: &[(&str, &str)]) -> Kit {
    let switches = switches.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    start(Options { switches, ..options() }).await
}

pub async fn start(options: Options) -> Kit {
    Kit { sandbox: Sandbox::start(options).await.unwrap(), http: client() }
}

impl Kit {
    pub fn control(&self) -> Control {
        self.sandbox.control()
    }

    pub fn ledger(&self) -> Ledger {
        self.control().ledger()
    }

    pub fn minutes(&self, minutes: u64) {
        self.control().advance(Duration::from_secs(60 * minutes));
    }

    pub fn set(&self, name: &str, value: &str) {
        self.control().set(name, value).unwrap();
    }

    pub async fn send(&self, method: Method, path: &str, key: Option<&str>, body: Option<Vec<u8>>) -> Reply {
        let url = format!("{}{path}", self.sandbox.base_url());
        let mut request = self.http.request(method, url);
        if let Some(key) = key {
            request = request.header("X-API-Key", key);
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body);
        }
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = response.bytes().await.unwrap();
        let body = serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| panic!("{status} {path}: not JSON: {}", String::from_utf8_lossy(&bytes)));
        Reply { status: StatusCode::as_u16(&status), headers, body }
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.send(Method::GET, path, Some(self.sandbox.api_key()), None).await
    }

    pub async fn get_as(&self, org: &str, path: &str) -> Reply {
        let key = self.sandbox.keys().iter().find(|key| key.org == org).unwrap().key.clone();
        self.send(Method::GET, path, Some(&key), None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Reply {
        let body = serde_json::to_vec(&body).unwrap();
        self.send(Method::POST, path, Some(self.sandbox.api_key()), Some(body)).await
    }

    /// Sends a request whose answer may be lost or spoiled.
    pub async fn try_post(&self, path: &str, body: Value) -> Result<(u16, String), String> {
        let request = self
            .http
            .post(format!("{}{path}", self.sandbox.base_url()))
            .header("X-API-Key", self.sandbox.api_key())
            .header("content-type", "application/json")
            .body(serde_json::to_vec(&body).unwrap());
        let response = request.send().await.map_err(|error| format!("{error:?}"))?;
        let status = response.status().as_u16();
        response.text().await.map(|text| (status, text)).map_err(|error| format!("{error:?}"))
    }

    pub async fn try_get(&self, path: &str) -> Result<(u16, HeaderMap, String), String> {
        let request = self
            .http
            .get(format!("{}{path}", self.sandbox.base_url()))
            .header("X-API-Key", self.sandbox.api_key());
        let response = request.send().await.map_err(|error| format!("{error:?}"))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        response.text().await.map(|text| (status, headers, text)).map_err(|error| format!("{error:?}"))
    }

    pub async fn issue(&self, template: &str, mail: &str) -> Reply {
        let body = serde_json::json!({
            "template_id": template, "recipient_name": "시험 사람", "recipient_email": mail,
        });
        self.post("/badges", body).await
    }

    /// Issues a badge and waits for it. Gives its id.
    pub async fn issued(&self, mail: &str) -> String {
        let reply = self.issue("TPL-001", mail).await;
        assert_eq!(reply.status, 202, "{}", reply.body);
        self.minutes(24 * 60);
        reply.data()["badge_id"].as_str().unwrap().to_owned()
    }

    /// The whole of a paged list.
    pub async fn all(&self, path: &str) -> Vec<Value> {
        let mut rows = Vec::new();
        for page in 1.. {
            let mark = if path.contains('?') { '&' } else { '?' };
            let reply = self.get(&format!("{path}{mark}page={page}&rows_per_page=100")).await;
            reply.ok();
            rows.extend(reply.list().iter().cloned());
            if reply.list().is_empty() || rows.len() as i64 >= reply.total() {
                return rows;
            }
        }
        rows
    }
}

/// Percent-encodes a query value or a path segment.
pub fn enc(text: &str) -> String {
    text.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

/// Sends raw bytes and gives back all bytes until the connection ends.
pub async fn raw(kit: &Kit, bytes: &[u8]) -> Vec<u8> {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let url = kit.sandbox.base_url();
    let host = url.strip_prefix("http://").unwrap().split('/').next().unwrap();
    let mut stream = tokio::net::TcpStream::connect(host).await.unwrap();
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut answer)).await;
    answer
}
