//! The response envelope (contract, "Response envelope"), and what an answer means.
//!
//! The status decides first: an envelope that says something else under an error status lies. Under a 2xx
//! the code decides, and a code that the contract does not name is taken for a success if there is data.

use super::error::{ApiError, Refusal, Said};
use super::key::ApiKey;
use super::lenient;
use crate::domain::Text;
use crate::i18n;
use serde_json::Value;
use std::time::Duration;

/// An answer as it came off the wire.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) retry_after: Option<Duration>,
    /// Host of the `Location` header of a redirect.
    pub(super) location: Option<String>,
    pub(super) body: std::result::Result<Body, String>,
    /// The body as text, where it could be read to its end.
    pub(super) text: String,
    /// Bytes of the body, unpacked.
    pub(super) length: usize,
}

/// What the body of an answer is.
#[derive(Debug)]
pub(super) enum Body {
    Envelope(Envelope),
    /// Anything else, in a few words.
    Other(&'static str),
}

#[derive(Debug)]
pub(super) struct Envelope {
    /// Four digits where the service gave a number.
    pub(super) code: Option<String>,
    pub(super) message: Option<Said>,
    pub(super) data: Value,
}

impl Body {
    /// Reads a body. The content type is not asked: services and proxies get it wrong both ways.
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
                    return Self::Other(tr_noop!("JSON in another form"));
                }
                let message = match map.get("message") {
                    Some(Value::String(message)) => Said::new(&key.blot(message)),
                    _ => None,
                };
                let code = code.map(|c| key.blot(&c).into_owned());
                Self::Envelope(Envelope { code, message, data: map.remove("data").unwrap_or(Value::Null) })
            }
            Some(_) => Self::Other(tr_noop!("JSON in another form")),
            None if text.starts_with('<') => Self::Other(tr_noop!("a web page")),
            None if text.starts_with(['{', '[']) => Self::Other(DAMAGED),
            None => Self::Other(tr_noop!("something that is not JSON")),
        }
    }
}

/// What a body is that has nothing in it.
const NOTHING: &str = tr_noop!("an empty answer");
/// What a body is whose JSON is damaged in its structure.
const DAMAGED: &str = tr_noop!("JSON that cannot be read");
/// What a body is that is longer than lapel reads.
pub(super) const TOO_LONG: &str = tr_noop!("an answer longer than 16 MB");

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

    /// The contract's two error codes, or a code that it does not name over no data.
    fn refuses(&self) -> bool {
        self.is(KEY_CODE) || self.is(RATE_CODE) || (!self.is_success() && self.data.is_null())
    }
}

const KEY_CODE: &str = "4001";
const RATE_CODE: &str = "4011";

/// What an answer means for a call.
#[derive(Debug)]
pub(super) enum Meaning {
    /// The payload.
    Data(Value),
    /// 429: nothing was done; hold everything and ask again.
    Limited,
    /// The end of the call.
    Refused(ApiError),
}

impl Answer {
    fn refusal(&self) -> Refusal {
        let (code, message) = match &self.body {
            Ok(Body::Envelope(e)) => (e.code.clone().map(Text::from), e.message.clone()),
            _ => (None, None),
        };
        Refusal { status: self.status, code, message }
    }

    /// For the log.
    pub(super) fn word(&self) -> &'static str {
        match (self.status, &self.body) {
            (429, _) => "rate limited",
            (401 | 403, _) => "locked out",
            (500.., _) => "failed",
            (300..=399, _) => "redirect",
            (_, Err(_)) => "broke off",
            (204, _) => "ok",
            (_, Ok(Body::Other(_))) => "not this service",
            (200..=299, Ok(Body::Envelope(e))) if e.refuses() => "refused under a success",
            (200..=299, Ok(Body::Envelope(_))) => "ok",
            (_, Ok(Body::Envelope(_))) => "refused",
        }
    }

    /// Whether this is an answer to this one request that cannot be read, once it is known that the service is
    /// the right one: an error in another form, or a body that is damaged, empty or too long. A web page under a
    /// success is none: it may be the login page of a network.
    pub(super) fn is_odd(&self) -> bool {
        match self.status {
            400..=499 => matches!(self.body, Ok(Body::Other(_))),
            200..=299 => matches!(self.body, Ok(Body::Other(NOTHING | DAMAGED | TOO_LONG))),
            _ => false,
        }
    }

    /// Whether fewer rows may be read where this could not.
    pub(super) fn is_too_much(&self) -> bool {
        matches!(self.status, 200..=299) && matches!(self.body, Ok(Body::Other(DAMAGED | TOO_LONG)))
    }

    /// The code of the envelope, for the log.
    pub(super) fn code(&self) -> Option<Text> {
        self.envelope().and_then(|e| e.code.clone()).map(Text::from)
    }

    fn envelope(&self) -> Option<&Envelope> {
        match &self.body {
            Ok(Body::Envelope(envelope)) => Some(envelope),
            _ => None,
        }
    }

    fn has_code(&self, code: &str) -> bool {
        self.envelope().is_some_and(|e| e.is(code))
    }

    /// What came instead of an envelope.
    fn what(&self) -> String {
        match (&self.location, self.status, &self.body) {
            (Some(host), 300..=399, _) => t!("a redirect to {host}, which is not followed", host),
            (None, 300..=399, _) => t!("a redirect, which is not followed").to_owned(),
            (_, 511, _) => t!("a network that wants a login first").to_owned(),
            (_, _, Ok(Body::Other(what))) => i18n::tr(what).to_owned(),
            (_, _, Ok(Body::Envelope(_))) => {
                t!("an answer of a kind that the service does not give").to_owned()
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

    /// What an answer to a GET means.
    pub(super) fn of_get(self) -> Meaning {
        let no_answer = |why: &str| ApiError::NoAnswer { why: why.to_owned() };
        let refused = match self.status {
            429 => return Meaning::Limited,
            401 | 403 => self.locked_out(),
            511 | 0..=199 | 300..=399 => self.not_this_service(),
            500.. => ApiError::ServiceFailed(self.refusal()),
            200..=299 => match self.body {
                Err(why) => ApiError::NoAnswer { why },
                // An honest "nothing": the same as no data.
                Ok(Body::Other(NOTHING)) if self.status == 204 => {
                    return Meaning::Data(Value::Null);
                }
                Ok(Body::Other(_)) => self.not_this_service(),
                Ok(Body::Envelope(ref e)) if e.is(RATE_CODE) => return Meaning::Limited,
                Ok(Body::Envelope(ref e)) if e.is(KEY_CODE) => ApiError::KeyRefused(self.refusal()),
                Ok(Body::Envelope(ref e)) if e.refuses() => {
                    let failed = e.code.as_deref().is_some_and(|c| c.starts_with('5'));
                    let refusal = self.refusal();
                    if failed { ApiError::ServiceFailed(refusal) } else { ApiError::BadRequest(refusal) }
                }
                Ok(Body::Envelope(e)) => return Meaning::Data(e.data),
            },
            400..=499 => match &self.body {
                Err(why) => no_answer(why),
                Ok(Body::Other(_)) => self.not_this_service(),
                Ok(Body::Envelope(e)) if e.is(RATE_CODE) => return Meaning::Limited,
                Ok(Body::Envelope(e)) if e.is(KEY_CODE) => ApiError::KeyRefused(self.refusal()),
                Ok(Body::Envelope(_)) if self.status == 404 => ApiError::NotFound(self.refusal()),
                Ok(Body::Envelope(_)) => ApiError::BadRequest(self.refusal()),
            },
        };
        Meaning::Refused(refused)
    }

    /// What an answer to a POST means. Whatever does not clearly accept or clearly refuse leaves the fate of
    /// the request in doubt: between us and the service may stand anything that answers in its place.
    pub(super) fn of_post(self) -> Meaning {
        let doubt = |accepted: bool, why: String| {
            Meaning::Refused(ApiError::InDoubt { accepted, status: Some(self.status), why })
        };
        match (self.status, &self.body) {
            (429, _) => Meaning::Limited,
            (401 | 403, _) if !self.claims_success() => Meaning::Refused(self.locked_out()),
            (200..=299, Ok(Body::Envelope(e))) if e.refuses() => {
                let said = Refusal { status: self.status, ..self.refusal() };
                doubt(false, t!("the answer accepts and refuses in one ({said})", said))
            }
            (200..=299, Ok(Body::Envelope(_))) => match self.body {
                Ok(Body::Envelope(e)) => Meaning::Data(e.data),
                _ => Meaning::Data(Value::Null),
            },
            // 202 is the contract's word for accepted, whatever became of the rest of the answer.
            (202, Ok(Body::Other(what))) => doubt(true, t!("there was {what}", what = i18n::tr(what))),
            (202, Err(why)) => doubt(true, why.clone()),
            // 408 means that the request may have been read half-way, whoever says it.
            (400..=407 | 409..=499, Ok(Body::Envelope(_))) if !self.claims_success() => {
                let refusal = self.refusal();
                Meaning::Refused(match self.status {
                    _ if self.has_code(KEY_CODE) => ApiError::KeyRefused(refusal),
                    _ if self.has_code(RATE_CODE) => {
                        ApiError::RateLimited { retry_after: self.retry_after.unwrap_or_default() }
                    }
                    404 => ApiError::NotFound(refusal),
                    422 => ApiError::Quota(refusal),
                    _ => ApiError::BadRequest(refusal),
                })
            }
            (500.., Ok(Body::Envelope(_))) => {
                doubt(false, t!("the service failed ({refusal})", refusal = self.refusal()))
            }
            (500.., _) => doubt(false, t!("the service, or something before it, failed").to_owned()),
            _ => doubt(false, t!("the answer was {what}", what = self.what())),
        }
    }

    fn claims_success(&self) -> bool {
        self.envelope().is_some_and(|e| e.code.is_some() && e.is_success())
    }
}
