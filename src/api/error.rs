//! The error type of the API client.

use crate::api::prelude::*;
use crate::domain::mask::{ENDS, addresses};

pub type ApiResult<T> = Result<T, ApiError>;

messages! {
    /// `Display` says what happened, whether anything was changed, and what to do next. Neither
    /// `Display` nor `Debug` shows a key, a query or an e-mail address.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub enum ApiError;
    pub fn localizable;
    /// The service refused the key: code 4001, or status 401 (contract, "Authentication" 3).
    KeyRefused(said: Refusal)
        => localizable!("The service refused the API key ({said}). Nothing was changed. Check the key in the issuer back office and in this profile.", said = said.localizable());
    /// The key works, but it is not the one that the profile was checked with, so it may belong to
    /// another organisation. lapel sends nothing else with it until a person confirms it.
    /// `said`: As the service reports it, scrubbed. `None` if the service does not report it.
    OtherKey { profile: String, pinned: String, said: Option<String> }
        => localizable!("Profile {profile} was checked with a key that begins with {pinned}. The service says that this key begins with {said}. It may belong to another organisation. lapel did not use it further. Nothing was changed. If the key is right: lapel profile edit {profile} --pin. If not, put the right key where the profile reads its key.", profile, pinned, said = said.as_ref().map_or_else(|| localizable!("(not reported)"), Localizable::verbatim));
    /// A 403 without the key error code: probably this computer's IP address is not on the
    /// allow-list (contract, "Authentication" 5). The contract does not show this response.
    AddressRefused(said: Refusal)
        => localizable!("The service refused this computer's IP address ({said}). Nothing was changed. Ask for it to be added to the organisation's allow-list, or use a network on the list.", said = said.localizable());
    /// The key's request rate limit is exceeded, possibly by other programs (contract, "Errors" rule 1).
    /// `retry_after`: Counted from the response.
    RateLimited { retry_after: Duration }
        => localizable!("This key is over its rate limit. Wait {wait}. Nothing was changed by this request. Other programs with the same key count too. Try again later.", wait = seconds(*retry_after));
    /// 422. The contract connects 422 with the issue quota, without a code.
    Quota(said: Refusal)
        => localizable!("The service refused the request ({said}). This status usually means that the issue quota is used up. The quoted message is from the service. lapel sends these badges again only after a check has shown that none was issued.", said = said.localizable());
    /// A 4xx with an envelope, or a refusing envelope with status 200.
    BadRequest(said: Refusal)
        => localizable!("The service did not understand or allow the request ({said}). Nothing was changed. Change the request: the service would refuse the same one again.", said = said.localizable());
    NotFound(said: Refusal)
        => localizable!("The service has no such record ({said}). Nothing was changed. Check the id. Check that the key belongs to the record's organisation.", said = said.localizable());
    /// A 5xx response to a GET. For a POST it is [`ApiError::InDoubt`].
    ServiceFailed(said: Refusal)
        => localizable!("Service error ({said}). Nothing was changed. Try again later.", said = said.localizable());
    /// The response is not of this service: a web page, a login portal, a redirect, other JSON.
    NotThisService { status: u16, what: Localizable }
        => localizable!("The response is not from the badge service: {what} (HTTP {status}). Nothing was changed. Check the base URL of the profile (it usually ends in /api/v1/ext). A network login page may be in between.", what, status);
    /// The badge service responded, but unreadably. It is unknown whether the requested record exists.
    Unreadable { status: u16, what: Localizable, fewer: bool }
        => localizable!("The service's response to this request could not be read: {what} (HTTP {status}). Nothing was changed. Try again later. If it happens again, tell the service provider.", what, status);
    /// No connection was established, so certainly nothing was sent.
    NotReached { why: Localizable }
        => localizable!("The service could not be reached: {why}. Nothing was sent. Check the base URL and the network, then try again.", why);
    /// This computer has no share of its team's limit, and the team's database gives none: see `Timeouts::unshared`.
    NoShare { why: Localizable }
        => localizable!("{why} Nothing was sent. Try again later. To see more: lapel doctor", why);
    /// A GET was sent, and no readable response came.
    NoResponse { why: Localizable }
        => localizable!("No usable response: {why}. Nothing was changed. It is safe to try again.", why);
    /// A POST was sent, and its result is unknown. Read the history before sending it again.
    /// `accepted`: True if the service accepted the request in an otherwise unreadable response.
    /// `may_repeat`: a second request does no harm, as for a revocation.
    InDoubt { accepted: bool, status: Option<u16>, why: Localizable, may_repeat: bool }
        => in_doubt(*accepted, *status, why, *may_repeat);
    /// lapel refused the input before sending anything.
    /// `field`: Named as in the contract or the profile.
    BadInput { field: &'static str, why: Localizable }
        => localizable!("{field}: {why}. Nothing was sent.", field, why);
    Cancelled => localizable!("Cancelled. Nothing was changed.");
}

impl ApiError {
    /// Within a message that says itself that nothing was sent, and what to do.
    pub fn cause(&self) -> Localizable {
        match self {
            Self::NotReached { why } => localizable!("The service could not be reached: {why}.", why),
            Self::NoShare { why } => why.clone(),
            Self::BadInput { field, why } => localizable!("{field}: {why}.", field, why),
            other => other.localizable(),
        }
    }

    /// Whether the service refused the key or this computer, or lapel did not use the key. Trying again does not help.
    pub fn is_about_access(&self) -> bool {
        matches!(self, Self::KeyRefused(_) | Self::OtherKey { .. } | Self::AddressRefused(_))
    }

    pub fn may_have_changed(&self) -> bool {
        matches!(self, Self::InDoubt { .. })
    }

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
            Self::NoShare { .. } => "no share",
            Self::NoResponse { .. } => "no answer",
            Self::InDoubt { .. } => "in doubt",
            Self::BadInput { .. } => "bad input",
            Self::Cancelled => "given up",
        }
    }
}

impl std::error::Error for ApiError {}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub status: u16,
    pub code: Option<Text>,
    pub message: Option<ServiceMessage>,
}

impl Refusal {
    pub fn localizable(&self) -> Localizable {
        let status = self.status;
        match (&self.code, &self.message) {
            (None, None) if status == 200 => {
                localizable!("HTTP {status}: the response reports success but contains no record", status)
            }
            (None, None) => localizable!("HTTP {status}", status),
            (Some(code), None) => localizable!("HTTP {status}, code {code}", status, code),
            (None, Some(message)) => {
                localizable!("HTTP {status}: \u{201c}{message}\u{201d}", status, message)
            }
            (Some(code), Some(message)) => {
                localizable!("HTTP {status}, code {code}: \u{201c}{message}\u{201d}", status, code, message)
            }
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.localizable().fmt(f)
    }
}

/// A message of the service. [`ServiceMessage::text`] is verbatim, for screens. `Display` and `Debug` mask
/// e-mail addresses, since they end up in logs.
#[derive(Clone, PartialEq, Eq)]
pub struct ServiceMessage(Text);

impl ServiceMessage {
    pub(super) fn new(raw: &str) -> Option<Self> {
        const LONGEST: usize = 500;
        let raw = raw.trim();
        if raw.is_empty() {
            return None;
        }
        Some(Self(Text::new(raw.chars().take(LONGEST).collect::<String>())))
    }

    /// At most 500 characters, untrusted.
    pub fn text(&self) -> &Text {
        &self.0
    }

    fn masked(&self) -> String {
        mask(&self.0.shown())
    }
}

impl fmt::Display for ServiceMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.masked())
    }
}

impl fmt::Debug for ServiceMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.masked())
    }
}

/// Masks every word around an `@` that may be an e-mail address.
pub(super) fn mask(text: &str) -> String {
    let ends = |c: char| c.is_whitespace() || ENDS.contains(c);
    addresses(text, ends, |_| "‹address›".to_owned(), str::to_owned)
}

fn in_doubt(accepted: bool, status: Option<u16>, why: &Localizable, may_repeat: bool) -> Localizable {
    let status = status.map(|status| format!("HTTP {status}"));
    // The words of a refusal begin with its status.
    let status = status.filter(|status| !why.to_string().contains(status));
    let why = &match status {
        Some(status) => localizable!("{why} ({status})", why, status),
        None => why.clone(),
    };
    match (accepted, may_repeat) {
        (true, true) => localizable!(
            "The service accepted the request, but its response could not be read: {why}. Only the history shows the result. A second request does no harm.",
            why
        ),
        (false, true) => localizable!(
            "It is not known whether the service carried this out: {why}. Something may have changed. Only the history shows the result. A second request does no harm.",
            why
        ),
        (true, false) => localizable!(
            "The service accepted the request, but its response could not be read: {why}. Only the history shows the result. Do not send it again. Check the history.",
            why
        ),
        (false, false) => localizable!(
            "It is not known whether the service carried this out: {why}. Something may have changed. Do not send it again before the history shows the result.",
            why
        ),
    }
}

fn seconds(wait: Duration) -> Localizable {
    let s = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    match s {
        0..=120 => localizable!("{n} s", n = s),
        121..=7200 => localizable!("{n} min", n = s.div_ceil(60)),
        _ => localizable!("{n} h", n = s.div_ceil(3600)),
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
            let said = ServiceMessage::new(said).expect("not empty");
            assert_eq!(said.to_string(), shown);
        }
    }

    #[test]
    fn the_message_is_verbatim_where_it_is_asked_for() {
        let said = ServiceMessage::new("quota of kim@naru.example is used up").expect("not empty");
        assert_eq!(said.text().wire(), "quota of kim@naru.example is used up");
        let error = ApiError::Quota(Refusal { status: 422, code: None, message: Some(said) });
        assert!(!format!("{error} {error:?}").contains("naru.example"));
        assert!(error.to_string().contains("used up"));
    }

    #[test]
    fn doubt_says_what_to_do() {
        let said = |accepted, may_repeat| {
            let why = localizable!("the connection was lost");
            ApiError::InDoubt { accepted, status: None, why, may_repeat }.to_string()
        };
        assert!(said(false, false).contains("Do not send it again before the history"));
        assert!(said(true, false).contains("accepted the request"));
        for accepted in [true, false] {
            let said = said(accepted, true);
            assert!(said.contains("A second request does no harm") && !said.contains("Do not"), "{said}");
        }
    }

    #[test]
    fn doubt_names_the_status_once() {
        let said = |why: &str| {
            let why = Localizable::verbatim(why);
            ApiError::InDoubt { accepted: false, status: Some(500), why, may_repeat: false }.to_string()
        };
        assert!(said("service error (HTTP 500, code 5000)").contains("code 5000). Something"));
        assert!(said("an error before it").contains("an error before it (HTTP 500). Something"));
    }
}
