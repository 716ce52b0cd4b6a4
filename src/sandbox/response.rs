//! Answers: the envelope, and how the switches change it.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

use super::clock;
use super::switches::{
    CodeForm, DateHeader, EnvelopeForm, ExtraFields, Nulls, Numbers, RetryAfter, Switches, YesNo,
};

pub(super) const READ: &str = "0001";
pub(super) const ISSUE: &str = "0002";
pub(super) const REVOKE: &str = "0003";

#[derive(Debug, Clone)]
pub(super) struct EndpointResponse {
    pub status: u16,
    pub code: Cow<'static, str>,
    pub message: Cow<'static, str>,
    pub data: Value,
    /// Seconds for `Retry-After`.
    pub wait: Option<u64>,
}

pub(super) type Outcome = Result<EndpointResponse, EndpointResponse>;

impl EndpointResponse {
    pub fn read(data: Value) -> Self {
        Self {
            status: 200, code: READ.into(), message: "조회되었습니다. (OK)".into(), data, wait: None
        }
    }

    pub fn accepted(code: &'static str, data: Value) -> Self {
        Self {
            status: 202,
            code: code.into(),
            message: "접수되었습니다. (Accepted)".into(),
            data,
            wait: None,
        }
    }

    pub fn refused(
        status: u16,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { status, code: code.into(), message: message.into(), data: Value::Null, wait: None }
    }

    pub fn bad(switches: &Switches, message: impl Into<Cow<'static, str>>) -> Self {
        Self::refused(400, switches.bad_request_code.clone(), message)
    }

    pub fn not_found(switches: &Switches, message: &'static str) -> Self {
        Self::refused(404, switches.not_found_code.clone(), message)
    }

    pub fn broken() -> Self {
        Self::refused(500, "5000", "The service failed; nothing is known about the request.")
    }
}

/// Inside the service, an answer is an extension of an empty response; the middleware turns it into bytes.
impl IntoResponse for EndpointResponse {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        response.extensions_mut().insert(self);
        response
    }
}

#[derive(Debug, Clone)]
pub(super) struct RawResponse {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

impl RawResponse {
    pub fn page(status: u16) -> Self {
        let body = format!(
            "<!DOCTYPE html><html><head><title>{status}</title></head><body><h1>{status}</h1>\
             <p>The gateway could not complete the request.</p></body></html>"
        );
        Self {
            status,
            headers: vec![("content-type", "text/html; charset=utf-8".to_owned())],
            body: body.into_bytes(),
        }
    }

    pub fn dated(mut self, switches: &Switches, now: i64) -> Self {
        self.headers.push(("date", date(switches, now)));
        self
    }

    pub fn response(self) -> Response {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() =
            axum::http::StatusCode::from_u16(self.status).unwrap_or(axum::http::StatusCode::OK);
        for (name, value) in self.headers {
            if let Ok(value) = axum::http::HeaderValue::from_str(&value) {
                response.headers_mut().append(name, value);
            }
        }
        response
    }

    /// `length` is the `Content-Length`; a fault may give a wrong one.
    pub fn raw(&self, length: i64, body: &[u8]) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} Sandbox\r\ncontent-length: {}\r\n", self.status, length.max(0));
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(body);
        bytes
    }
}

fn date(switches: &Switches, now: i64) -> String {
    match switches.date_header {
        DateHeader::Service => clock::http_date(now),
        DateHeader::Real => httpdate::fmt_http_date(SystemTime::now()),
        DateHeader::Nonsense => "the day before yesterday".to_owned(),
    }
}

pub(super) fn render(answer: EndpointResponse, switches: &Switches, now: i64) -> RawResponse {
    let mut headers =
        vec![("content-type", "application/json".to_owned()), ("cache-control", "no-store".to_owned())];
    if let Some(wait) = answer.wait {
        let value = match switches.retry_after {
            RetryAfter::Seconds => Some(wait.to_string()),
            RetryAfter::HttpDate => {
                Some(httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(wait + 1)))
            }
            RetryAfter::Zero => Some("0".to_owned()),
            RetryAfter::Hour => Some("3600".to_owned()),
            RetryAfter::None => None,
            RetryAfter::Nonsense => Some("soon".to_owned()),
        };
        headers.extend(value.map(|value| ("retry-after", value)));
    }
    let status = answer.status;
    let body = envelope(answer, switches);
    let body = serde_json::to_vec(&body).unwrap_or_default();
    RawResponse { status, headers, body }.dated(switches, now)
}

fn envelope(answer: EndpointResponse, switches: &Switches) -> Value {
    let mut data = answer.data;
    bend(&mut data, switches);
    let code = match switches.code_form {
        CodeForm::Text => Value::from(answer.code),
        CodeForm::Number => answer.code.parse::<u64>().map_or(Value::from(answer.code), Value::from),
        CodeForm::Unknown => Value::from("0777"),
    };
    let mut whole = Map::new();
    if switches.envelope != EnvelopeForm::NoCode {
        whole.insert("code".to_owned(), code);
    }
    if switches.envelope != EnvelopeForm::NoMessage {
        whole.insert("message".to_owned(), Value::from(answer.message));
    }
    if switches.envelope == EnvelopeForm::Bare {
        return data;
    }
    if switches.envelope != EnvelopeForm::NoData {
        whole.insert("data".to_owned(), data);
    }
    if switches.extra_fields == ExtraFields::Some {
        whole.insert("trace".to_owned(), json!({"node": "a-1", "took": 3}));
    }
    Value::Object(whole)
}

fn bend(value: &mut Value, switches: &Switches) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|one| bend(one, switches)),
        Value::Object(fields) => {
            if switches.nulls == Nulls::Absent {
                fields.retain(|_, value| !value.is_null());
            }
            for (name, value) in fields.iter_mut() {
                if value.is_null() && switches.nulls == Nulls::Empty {
                    *value = Value::from("");
                }
                if name.ends_with("_yn") {
                    yes_no(value, switches.yes_no);
                }
                bend(value, switches);
            }
            if switches.extra_fields == ExtraFields::Some {
                fields
                    .insert("x_later_field".to_owned(), json!({"since": "v1.9", "values": [1, null, "셋"]}));
            }
        }
        Value::Number(number) if switches.numbers == Numbers::Text => {
            *value = Value::from(number.to_string());
        }
        _ => {}
    }
}

fn yes_no(value: &mut Value, form: YesNo) {
    let yes = value == "Y";
    *value = match form {
        YesNo::Upper => return,
        YesNo::Lower => Value::from(if yes { "y" } else { "n" }),
        YesNo::Bool => Value::from(yes),
        YesNo::Null => Value::Null,
    };
}
