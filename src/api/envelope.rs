//! The response envelope (contract, "Response envelope"), and the meaning of a response.
//!
//! The HTTP status decides first: an envelope that contradicts an error status is not believed. With a 2xx status
//! the code decides. A code that the contract does not name counts as success if there is data.

use super::error::{ApiError, Refusal, ServiceMessage};
use super::key::ApiKey;
use super::lenient;
use crate::api::prelude::*;

#[derive(Debug)]
pub(super) struct HttpResponse {
    pub(super) status: u16,
    pub(super) retry_after: Option<Duration>,
    /// Host of a redirect's `Location` header.
    pub(super) location: Option<String>,
    pub(super) body: Result<ResponseBody, Localizable>,
    pub(super) text: String,
    /// After decompression.
    pub(super) length: usize,
}

#[derive(Debug)]
pub(super) enum ResponseBody {
    Envelope(Envelope),
    Other(&'static str),
}

#[derive(Debug)]
pub(super) struct Envelope {
    /// Padded to four digits if the service sent a number.
    pub(super) code: Option<String>,
    pub(super) message: Option<ServiceMessage>,
    pub(super) data: Value,
}

impl ResponseBody {
    /// Parses a body. Ignores the content type, since services and proxies set it wrongly.
    pub(super) fn read(text: &str, key: &ApiKey) -> Self {
        let text = text.trim_start_matches('\u{feff}').trim_ascii();
        if text.is_empty() {
            return Self::Other(NOTHING);
        }
        match lenient::json(text) {
            Some(Value::Object(mut map)) => {
                let code = match map.get("code") {
                    Some(Value::String(code)) => Some(four_digits(code.trim())),
                    Some(Value::Number(code)) => Some(four_digits(&code.to_string())),
                    _ => None,
                };
                if code.is_none() && !(map.contains_key("data") && map.contains_key("message")) {
                    return Self::Other(tr_noop!("JSON in an unknown format"));
                }
                let message = match map.get("message") {
                    Some(Value::String(message)) => ServiceMessage::new(&key.blot(message)),
                    _ => None,
                };
                let code = code.map(|c| key.blot(&c).into_owned());
                let mut data = map.remove("data").unwrap_or(Value::Null);
                key.blot_response(text, &mut data);
                Self::Envelope(Envelope { code, message, data })
            }
            Some(_) => Self::Other(tr_noop!("JSON in an unknown format")),
            None if text.starts_with('<') => Self::Other(tr_noop!("a web page")),
            None if text.starts_with(['{', '[']) => Self::Other(DAMAGED),
            None => Self::Other(tr_noop!("content that is not JSON")),
        }
    }
}

const NOTHING: &str = tr_noop!("an empty response");
const DAMAGED: &str = tr_noop!("damaged JSON");
pub(super) const TOO_LONG: &str = tr_noop!("a response longer than 16 MB");

fn four_digits(code: &str) -> String {
    if code.bytes().all(|b| b.is_ascii_digit()) { format!("{code:0>4}") } else { code.to_owned() }
}

impl Envelope {
    /// Codes of the contract: 0001 read, 0002 issue accepted, 0003 revoke accepted.
    fn is_success(&self) -> bool {
        matches!(self.code.as_deref(), None | Some("0001" | "0002" | "0003"))
    }

    fn is(&self, code: &str) -> bool {
        self.code.as_deref() == Some(code)
    }

    /// True for the contract's two error codes, and for an unknown code without data.
    fn refuses(&self) -> bool {
        self.is(KEY_CODE) || self.is(RATE_CODE) || (!self.is_success() && self.data.is_null())
    }
}

const KEY_CODE: &str = "4001";
const RATE_CODE: &str = "4011";

#[derive(Debug)]
pub(super) enum Meaning {
    Data(Value),
    /// Refused for the rate limit: nothing was done. Try again after the hold.
    Limited,
    Refused(ApiError),
}

impl HttpResponse {
    fn refusal(&self) -> Refusal {
        let message = self.envelope().and_then(|e| e.message.clone());
        Refusal { status: self.status, code: self.code(), message }
    }

    pub(super) fn word(&self) -> &'static str {
        match (self.status, &self.body) {
            (429, _) => "rate limited",
            (401 | 403, _) => "locked out",
            (500.., _) => "failed",
            (300..=399, _) => "redirect",
            (_, Err(_)) => "broke off",
            (204, _) => "ok",
            (_, Ok(ResponseBody::Other(_))) => "not this service",
            (200..=299, Ok(ResponseBody::Envelope(e))) if e.refuses() => "refused under a success",
            (200..=299, Ok(ResponseBody::Envelope(_))) => "ok",
            (_, Ok(ResponseBody::Envelope(_))) => "refused",
        }
    }

    /// Whether a successful response has a record, or at least one.
    pub(super) fn has_record(&self) -> bool {
        let has_fields = |envelope: &Envelope| match &envelope.data {
            Value::Object(fields) => !fields.is_empty(),
            Value::Array(list) => !list.is_empty(),
            _ => false,
        };
        self.word() == "ok" && self.envelope().is_some_and(has_fields)
    }

    /// True for what may be an unreadable response of the right service. False for a web page with
    /// a success status: it may be a network's login page.
    pub(super) fn is_odd(&self) -> bool {
        match self.status {
            400..=499 => matches!(self.body, Ok(ResponseBody::Other(_))),
            200..=299 => matches!(self.body, Ok(ResponseBody::Other(NOTHING | DAMAGED | TOO_LONG))),
            _ => false,
        }
    }

    /// Whether requesting fewer rows may help.
    pub(super) fn is_too_much(&self) -> bool {
        matches!(self.status, 200..=299) && matches!(self.body, Ok(ResponseBody::Other(DAMAGED | TOO_LONG)))
    }

    pub(super) fn code(&self) -> Option<Text> {
        self.envelope().and_then(|e| e.code.clone()).map(Text::from)
    }

    fn envelope(&self) -> Option<&Envelope> {
        match &self.body {
            Ok(ResponseBody::Envelope(envelope)) => Some(envelope),
            _ => None,
        }
    }

    fn has_code(&self, code: &str) -> bool {
        self.envelope().is_some_and(|e| e.is(code))
    }

    /// Whether all requests of the key have to wait. A response may also claim that this one was accepted.
    pub(super) fn is_rate_limited(&self) -> bool {
        self.status == 429 || self.has_code(RATE_CODE)
    }

    fn what(&self) -> Localizable {
        match (&self.location, self.status, &self.body) {
            (Some(host), 300..=399, _) => localizable!("a redirect to {host}, not followed", host),
            (None, 300..=399, _) => localizable!("a redirect, not followed"),
            (_, 511, _) => localizable!("a network that requires a login first"),
            (_, _, Ok(ResponseBody::Other(what))) => Localizable::of(what),
            (_, _, Ok(ResponseBody::Envelope(_))) => {
                localizable!("a response type that the service does not use")
            }
            (_, _, Err(why)) => why.clone(),
        }
    }

    fn not_this_service(&self) -> ApiError {
        ApiError::NotThisService { status: self.status, what: self.what() }
    }

    /// 401 and 403, with or without an envelope (contract, "Authentication" 3 and 5).
    fn locked_out(&self) -> ApiError {
        if self.status == 403 && !self.has_code(KEY_CODE) {
            ApiError::AddressRefused(self.refusal())
        } else {
            ApiError::KeyRefused(self.refusal())
        }
    }

    pub(super) fn of_get(self) -> Meaning {
        let refused = match self.status {
            429 => return Meaning::Limited,
            401 | 403 => self.locked_out(),
            511 | 0..=199 | 300..=399 => self.not_this_service(),
            500.. => ApiError::ServiceFailed(self.refusal()),
            200..=299 => match self.body {
                Err(why) => ApiError::NoResponse { why },
                // 204 without a body is a valid response without data.
                Ok(ResponseBody::Other(NOTHING)) if self.status == 204 => {
                    return Meaning::Data(Value::Null);
                }
                Ok(ResponseBody::Other(_)) => self.not_this_service(),
                Ok(ResponseBody::Envelope(ref e)) if e.is(RATE_CODE) => return Meaning::Limited,
                Ok(ResponseBody::Envelope(ref e)) if e.is(KEY_CODE) => ApiError::KeyRefused(self.refusal()),
                Ok(ResponseBody::Envelope(ref e)) if e.refuses() => {
                    let failed = e.code.as_deref().is_some_and(|c| c.starts_with('5'));
                    let refusal = self.refusal();
                    if failed { ApiError::ServiceFailed(refusal) } else { ApiError::BadRequest(refusal) }
                }
                Ok(ResponseBody::Envelope(e)) => return Meaning::Data(e.data),
            },
            400..=499 => match &self.body {
                Err(why) => ApiError::NoResponse { why: why.clone() },
                Ok(ResponseBody::Other(_)) => self.not_this_service(),
                Ok(ResponseBody::Envelope(e)) if e.is(RATE_CODE) => return Meaning::Limited,
                Ok(ResponseBody::Envelope(e)) if e.is(KEY_CODE) => ApiError::KeyRefused(self.refusal()),
                Ok(ResponseBody::Envelope(_)) if self.status == 404 => ApiError::NotFound(self.refusal()),
                Ok(ResponseBody::Envelope(_)) => ApiError::BadRequest(self.refusal()),
            },
        };
        Meaning::Refused(refused)
    }

    /// A POST that was neither clearly accepted nor clearly refused is in doubt: a proxy may have answered.
    pub(super) fn of_post(self) -> Meaning {
        let doubt = |accepted: bool, why: Localizable| {
            Meaning::Refused(ApiError::InDoubt {
                accepted,
                status: Some(self.status),
                why,
                may_repeat: false,
            })
        };
        match (self.status, &self.body) {
            (429, _) if !self.claims_success() => Meaning::Limited,
            (401 | 403, _) if !self.claims_success() => Meaning::Refused(self.locked_out()),
            (200..=299, Ok(ResponseBody::Envelope(e))) if e.refuses() => {
                let said = self.refusal().localizable();
                let why = localizable!("the response both accepts and refuses the request ({said})", said);
                doubt(false, why)
            }
            (200..=299, Ok(ResponseBody::Envelope(_))) => match self.body {
                Ok(ResponseBody::Envelope(e)) => Meaning::Data(e.data),
                _ => Meaning::Data(Value::Null),
            },
            // 202 means accepted (contract), even if the rest of the response is unreadable.
            (202, Ok(ResponseBody::Other(what))) => {
                doubt(true, localizable!("it is {what}", what = Localizable::of(what)))
            }
            (202, Err(why)) => doubt(true, why.clone()),
            // 408 may mean that the request was partly read, so it stays in doubt.
            (400..=407 | 409..=499, Ok(ResponseBody::Envelope(e))) if e.is(RATE_CODE) => Meaning::Limited,
            (400..=407 | 409..=499, Ok(ResponseBody::Envelope(_))) if !self.claims_success() => {
                let refusal = self.refusal();
                Meaning::Refused(match self.status {
                    _ if self.has_code(KEY_CODE) => ApiError::KeyRefused(refusal),
                    404 => ApiError::NotFound(refusal),
                    422 => ApiError::Quota(refusal),
                    _ => ApiError::BadRequest(refusal),
                })
            }
            (500.., Ok(ResponseBody::Envelope(_))) => doubt(
                false,
                localizable!("service error ({refusal})", refusal = self.refusal().localizable()),
            ),
            (500.., _) => doubt(false, localizable!("an error in the service or in a server before it")),
            _ => doubt(false, localizable!("unexpected response ({what})", what = self.what())),
        }
    }

    fn claims_success(&self) -> bool {
        self.envelope().is_some_and(|e| e.code.is_some() && e.is_success())
    }
}
