//! The one error type of the room: what the code can decide on, and what a person is told.

use crate::domain::Text;
use std::fmt;
use std::time::Duration;

/// The result of a call.
pub type Result<T> = std::result::Result<T, ApiError>;

/// What went wrong, in the kinds that a caller decides by.
///
/// `Display` says in plain English what happened, whether anything was changed, and what to do next. Neither
/// `Display` nor `Debug` ever shows a key, a query or an e-mail address.
#[derive(thiserror::Error, Debug, Clone, PartialEq, Eq)]
pub enum ApiError {
    /// The service does not accept the key: code 4001, or 401 (contract, "Authentication" 3).
    #[error("{}", t!("The service refused the API key ({said}). Nothing was changed. Check the key in the issuer back \
         office and in this profile.", said = _0))]
    KeyRefused(Refusal),
    /// The key is good, but it is not the one that the profile was checked with: it may be another
    /// organisation's. Nothing is asked with it before a person has said that it is right.
    #[error("{}", t!("Profile {profile} was checked with a key that begins with {pinned}; the service says that this one \
         begins with {said}, so it may belong to another organisation. Nothing was asked with it, and \
         nothing was changed. If it is the right one: lapel profile edit {profile} --pin. If not, put the \
         right key where the profile's key comes from.", profile, pinned, said))]
    OtherKey {
        /// The profile.
        profile: String,
        /// How the key began that was checked.
        pinned: String,
        /// How this one begins, as the service says; scrubbed.
        said: String,
    },
    /// A 403 that does not speak of the key: most likely this computer's address is not on the
    /// organisation's allow-list (contract, "Authentication" 5). The contract does not show this answer.
    #[error("{}", t!("The service refused this computer's address ({said}). Nothing was changed. Ask for the address to \
         be put on the organisation's allow-list, or use the network that is on it.", said = _0))]
    AddressRefused(Refusal),
    /// Too many requests a minute for this key, by whomever (contract, "Errors" rule 1).
    #[error("{}", t!("The service is over this key's request limit; it asks to wait {wait}. Nothing was changed by this \
         request. Other programs on the same key count too: try again later.", wait = seconds(*retry_after)))]
    RateLimited {
        /// How long from the answer on until the service takes requests again.
        retry_after: Duration,
    },
    /// 422. The contract ties 422 to the issue quota and shows no code for it.
    #[error("{}", t!("The service did not take the request ({said}). This status usually means that the issue quota is \
         used up; the message above is the service's own. Nothing should have been issued: check the \
         history before sending it again.", said = _0))]
    Quota(Refusal),
    /// A 4xx in the service's envelope, or an envelope that refuses under a 200.
    #[error("{}", t!("The service did not understand or allow the request ({said}). Nothing was changed. Change what was \
         asked for; the same request would be refused again.", said = _0))]
    BadRequest(Refusal),
    /// The service has no such record.
    #[error("{}", t!("The service has no such record ({said}). Nothing was changed. Check the id, and that the key belongs \
         to the organisation that owns it.", said = _0))]
    NotFound(Refusal),
    /// A 5xx answer to a GET. The same answer to a POST is [`ApiError::InDoubt`].
    #[error("{}", t!("The service failed ({said}). Nothing was changed. Try again in a while.", said = _0))]
    ServiceFailed(Refusal),
    /// What answered does not speak the contract: a web page, a login portal, a redirect, a foreign JSON.
    #[error("{}", t!("What answered is not the badge service: {what} (HTTP {status}). Nothing was changed. Check the \
         base URL of the profile (it usually ends in /api/v1/ext) and whether a network login page stands \
         in between.", what, status))]
    NotThisService {
        /// The status of the answer.
        status: u16,
        /// What was there instead, such as `a web page`.
        what: String,
    },
    /// The badge service is there, but its answer to this one request cannot be read: a success without data, an
    /// error in another form, JSON that is damaged, an answer that is too long. Nothing is known of what was asked
    /// for, not even that there is none.
    #[error("{}", t!("The service's answer to this request could not be read: {what} (HTTP {status}). Nothing was changed. Try \
         again later; if it happens again, tell the people who run the service.", what, status))]
    Unreadable {
        /// The status of the answer.
        status: u16,
        /// What was there instead, such as `a web page`.
        what: String,
        /// Whether the answer for fewer rows may be readable.
        fewer: bool,
    },
    /// No connection came about: provably nothing was sent.
    #[error("{}", t!("The service could not be reached: {why}. Nothing was sent, so nothing was changed. Check the base \
         URL and the network, then try again.", why))]
    NotReached {
        /// What stood in the way, such as `connection refused`.
        why: String,
    },
    /// A GET was sent and no readable answer came.
    #[error("{}", t!("No usable answer came: {why}. Reading changes nothing, so it is safe to try again.", why))]
    NoAnswer {
        /// What happened, such as `no answer within 30 s`.
        why: String,
    },
    /// A POST was sent and its fate is unknown. It must not be sent again before the history has been read.
    #[error("{}", in_doubt(*.accepted, *.status, why))]
    InDoubt {
        /// The service said that it accepted the request, but the rest of its answer could not be read.
        accepted: bool,
        /// The status of the answer, where one came.
        status: Option<u16>,
        /// What happened.
        why: String,
    },
    /// Refused here, before anything was sent.
    #[error("{}", t!("{field}: {why}. Nothing was sent.", field, why))]
    BadInput {
        /// The field that is wrong, as the contract or the profile names it.
        field: &'static str,
        /// What is wrong and what to do.
        why: String,
    },
    /// The caller gave the call up before anything was changed.
    #[error("{}", t!("Given up. Nothing was changed."))]
    Cancelled,
}

impl ApiError {
    /// Whether the same call may work later without anything being changed by hand, and is safe to repeat.
    pub fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::RateLimited { .. }
                | Self::ServiceFailed(_)
                | Self::Unreadable { .. }
                | Self::NotReached { .. }
                | Self::NoAnswer { .. }
        )
    }

    /// Whether something may have been changed at the service.
    pub fn may_have_changed(&self) -> bool {
        matches!(self, Self::InDoubt { .. })
    }

    /// What the service said about it, where it said something.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::KeyRefused(r)
            | Self::AddressRefused(r)
            | Self::Quota(r)
            | Self::BadRequest(r)
            | Self::NotFound(r)
            | Self::ServiceFailed(r) => Some(r),
            _ => None,
        }
    }

    /// One word or two for a log or a list.
    pub fn word(&self) -> &'static str {
        match self {
            Self::KeyRefused(_) => "key refused",
            Self::OtherKey { .. } => "other key",
            Self::AddressRefused(_) => "address refused",
            Self::RateLimited { .. } => "rate limited",
            Self::Quota(_) => "quota",
            Self::BadRequest(_) => "bad request",
            Self::NotFound(_) => "not found",
            Self::ServiceFailed(_) => "service failed",
            Self::NotThisService { .. } => "not this service",
            Self::Unreadable { .. } => "unreadable",
            Self::NotReached { .. } => "not reached",
            Self::NoAnswer { .. } => "no answer",
            Self::InDoubt { .. } => "in doubt",
            Self::BadInput { .. } => "bad input",
            Self::Cancelled => "given up",
        }
    }
}

/// A refusal in the service's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// HTTP status.
    pub status: u16,
    /// The envelope's `code`, where the answer had one.
    pub code: Option<Text>,
    /// The envelope's `message`, where the answer had one.
    pub message: Option<Said>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HTTP {}", self.status)?;
        if let Some(code) = &self.code {
            f.write_str(&t!(", code {code}", code))?;
        }
        match &self.message {
            Some(message) => write!(f, ": “{message}”"),
            None => Ok(()),
        }
    }
}

/// A sentence of the service. [`Said::text`] is verbatim, for a screen that shows the service's own words;
/// `Display` and `Debug`, which end in logs, mask e-mail addresses.
#[derive(Clone, PartialEq, Eq)]
pub struct Said(Text);

impl Said {
    pub(super) fn new(raw: &str) -> Option<Self> {
        const LONGEST: usize = 500;
        let raw = raw.trim();
        if raw.is_empty() {
            return None;
        }
        Some(Self(Text::new(raw.chars().take(LONGEST).collect::<String>())))
    }

    /// The words as they came (at most 500 characters), as untrusted text.
    pub fn text(&self) -> &Text {
        &self.0
    }

    fn masked(&self) -> String {
        mask(&self.0.shown())
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.masked())
    }
}

impl fmt::Debug for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.masked())
    }
}

/// Replaces everything around an `@` that could be an address.
pub(super) fn mask(text: &str) -> String {
    let ends = |c: char| c.is_whitespace() || "<>()[]{},;:\"'“”‘’|".contains(c);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['@', '＠']) {
        let width = rest[at..].chars().next().map_or(1, char::len_utf8);
        let start =
            rest[..at].rfind(ends).map_or(0, |i| i + rest[i..].chars().next().map_or(1, char::len_utf8));
        let end = rest[at + width..].find(ends).map_or(rest.len(), |i| at + width + i);
        out.push_str(&rest[..start]);
        out.push_str("‹address›");
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

fn in_doubt(accepted: bool, status: Option<u16>, why: &str) -> String {
    let status = status.map_or(String::new(), |s| format!(" (HTTP {s})"));
    if accepted {
        t!(
            "The service accepted the request, but its answer could not be read: {why}{status}. What it \
             did is known only to its history. Do not send it again; look it up in the history.",
            why,
            status
        )
    } else {
        t!(
            "It is not known whether the service carried this out: {why}{status}. It may have been \
             changed. Do not send it again before the history shows what happened.",
            why,
            status
        )
    }
}

fn seconds(wait: Duration) -> String {
    let s = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    match s {
        0..=120 => format!("{s} s"),
        121..=7200 => format!("{} min", s.div_ceil(60)),
        _ => format!("{} h", s.div_ceil(3600)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_masked_and_the_rest_stays() {
        for (said, shown) in [
            ("한서윤 <seoyun.han@naru.example> 이미 발급됨", "한서윤 <‹address›> 이미 발급됨"),
            ("a@b.c,d@e.f", "‹address›,‹address›"),
            ("no address here", "no address here"),
            ("“kim＠naru.example”", "“‹address›”"),
            ("@", "‹address›"),
            ("x@y@z end", "‹address› end"),
        ] {
            assert_eq!(mask(said), shown);
            let said = Said::new(said).expect("not empty");
            assert_eq!(said.to_string(), shown);
        }
    }

    #[test]
    fn the_message_is_verbatim_where_it_is_asked_for() {
        let said = Said::new("quota of kim@naru.example is used up").expect("not empty");
        assert_eq!(said.text().wire(), "quota of kim@naru.example is used up");
        let error = ApiError::Quota(Refusal { status: 422, code: None, message: Some(said) });
        assert!(!format!("{error} {error:?}").contains("naru.example"));
        assert!(error.to_string().contains("used up"));
    }

    #[test]
    fn doubt_says_what_to_do() {
        let said = ApiError::InDoubt { accepted: false, status: None, why: "the connection broke".into() };
        assert!(said.to_string().contains("Do not send it again before the history"));
        let said = ApiError::InDoubt { accepted: true, status: Some(202), why: "x".into() };
        assert!(said.to_string().contains("accepted the request"));
    }
}
