//! The API key: a secret that cannot be printed.

use super::error::ApiError;
use crate::api::prelude::*;
use crate::secrets;
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};
use std::borrow::Cow;

/// An organisation's API key (contract, "Authentication"). It has no `Display`, its `Debug` is redacted, and its
/// memory is wiped on drop.
#[derive(Clone)]
pub struct ApiKey(SecretString);

impl ApiKey {
    /// Trims white space. [`ApiError::BadInput`] if it is empty or a header cannot carry it. The message never quotes the key.
    pub fn new(raw: &str) -> Result<Self, ApiError> {
        let refused = |why: Localizable| Err(ApiError::BadInput { field: "api_key", why });
        let key = raw.trim();
        if key.is_empty() {
            return refused(localizable!("the API key is empty: paste the key from the issuer back office"));
        }
        if key.bytes().any(|b| b.is_ascii_whitespace()) {
            return refused(localizable!("the API key contains white space: paste it again without breaks"));
        }
        if !key.bytes().all(|b| b.is_ascii_graphic()) {
            return refused(localizable!(
                "the API key contains a character that cannot be sent (not an ASCII letter, digit or symbol): paste it again"
            ));
        }
        Ok(Self(SecretString::from(key.to_owned())))
    }

    /// At most nine characters, and at most a third of the key.
    pub fn prefix_shown(&self) -> String {
        let key = self.0.expose_secret();
        format!("{}…", &key[..(key.len() / 3).min(9)])
    }

    /// Identifies the key without revealing it: the first eight hex digits of its SHA-256. Stored
    /// where data belongs to a key.
    pub fn fingerprint(&self) -> String {
        secrets::fingerprint(self.0.expose_secret())
    }

    /// lapel then neither sends nor writes text that contains the key.
    pub(super) fn register(&self) {
        secrets::register_key(self.0.expose_secret());
    }

    /// Identifies this key's rate limit at an origin, without revealing the key: 128 bits of a SHA-256.
    pub(super) fn pace_id(&self, origin: &str) -> String {
        let mut sum = ring::digest::Context::new(&ring::digest::SHA256);
        sum.update(self.0.expose_secret().as_bytes());
        sum.update(&[0]);
        sum.update(origin.as_bytes());
        let id = sum.finish().as_ref().iter().take(16).fold(0, |id, byte| id << 8 | u128::from(*byte));
        format!("{id:032x}")
    }

    /// Normalizes a prefix for comparing: no ellipsis, and at most half of this key.
    pub(super) fn prefix_said(&self, said: &str) -> Option<String> {
        let said = said.trim().trim_end_matches(['.', '…', '*']);
        let most = (self.0.expose_secret().len() / 2).min(24);
        let fine = !said.is_empty() && said.bytes().all(|b| b.is_ascii_graphic());
        fine.then(|| said.chars().take(most).collect::<String>()).filter(|prefix| !prefix.is_empty())
    }

    /// Marked as sensitive, so that it is neither printed nor put into a header table.
    pub(super) fn header(&self) -> Result<HeaderValue, ApiError> {
        let mut value = HeaderValue::from_str(self.0.expose_secret()).map_err(|_| ApiError::BadInput {
            field: "api_key",
            why: localizable!("the API key cannot be sent in a header: paste it again"),
        })?;
        value.set_sensitive(true);
        Ok(value)
    }

    pub(super) fn blot<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let key = self.0.expose_secret();
        // Redacting a very short key would damage ordinary words, and it protects nothing.
        if key.len() >= 6 && text.contains(key) { text.replace(key, "[key]").into() } else { text.into() }
    }

    /// Redacts the key in every text and field name of an answer. `sent` is the answer as it came: in JSON, only a
    /// backslash can hide the key there. Returns whether it was found.
    pub(super) fn blot_response(&self, sent: &str, response: &mut Value) -> bool {
        (sent.contains(self.0.expose_secret()) || sent.contains('\\')) && self.blot_value(response) > 0
    }

    /// Returns how often it was found.
    fn blot_value(&self, value: &mut Value) -> usize {
        match value {
            Value::String(text) => match self.blot(text) {
                Cow::Owned(blotted) => {
                    *text = blotted;
                    1
                }
                Cow::Borrowed(_) => 0,
            },
            Value::Array(all) => all.iter_mut().map(|one| self.blot_value(one)).sum(),
            Value::Object(fields) => {
                let named: Vec<String> =
                    fields.keys().filter(|name| matches!(self.blot(name), Cow::Owned(_))).cloned().collect();
                for name in &named {
                    if let Some(value) = fields.remove(name) {
                        fields.insert(self.without(name), value);
                    }
                }
                named.len() + fields.values_mut().map(|one| self.blot_value(one)).sum::<usize>()
            }
            _ => 0,
        }
    }

    pub fn without(&self, text: &str) -> String {
        self.blot(text).into_owned()
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey([redacted])")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_trimmed_checked_and_never_shown() {
        let key = ApiKey::new(" dmu_live_0123456789abcdefghij\n").expect("a key");
        assert_eq!(key.prefix_shown(), "dmu_live_…");
        assert_eq!(format!("{key:?}"), "ApiKey([redacted])");
        assert_eq!(ApiKey::new("abcdef").expect("a key").prefix_shown(), "ab…");
        assert_eq!(ApiKey::new("ab").expect("a key").prefix_shown(), "…");
        for wrong in ["", "  ", "a b", "a\nb", "열쇠", "a\u{7f}b", "\u{feff}abc"] {
            let said = ApiKey::new(wrong).expect_err(wrong).to_string();
            assert!(said.contains("API key"), "{said}");
            assert!(wrong.trim().is_empty() || !said.contains(wrong), "{said}");
        }
    }

    #[test]
    fn a_key_that_comes_back_is_blotted_out() {
        let key = ApiKey::new("dmu_live_0123456789").expect("a key");
        assert_eq!(key.blot("no such key: dmu_live_0123456789!"), "no such key: [key]!");
        let sent =
            r#"{"a":["x dmu_live_0123456789",1],"dmu_live_0123456789":{"b":"dmu\u005flive_0123456789"}}"#;
        let mut response = serde_json::from_str(sent).expect("JSON");
        assert!(key.blot_response(sent, &mut response));
        assert_eq!(response, serde_json::json!({ "a": ["x [key]", 1], "[key]": { "b": "[key]" } }));
        assert!(!key.blot_response(sent, &mut response), "nothing is left");
    }
}
