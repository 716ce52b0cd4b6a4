//! Checks which organisation a key belongs to: stores the service's statements when a person checks
//! the key, and compares them at every connect (contract, "Ping data": `apikey_prefix`).

use super::call::Call;
use super::connection::{Connection, PinnedIdentity};
use super::error::{ApiError, ApiResult};
use super::filters::{HistoryFilter, HistoryQuery, Paging};
use super::key::ApiKey;
use super::reader::Reader;
use crate::api::prelude::*;
use crate::domain::Ping;
use unicode_normalization::UnicodeNormalization;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// `None` if the service does not report it.
    pub prefix: Option<String>,
    /// From a badge in the history; `None` if there is no readable one.
    pub organisation: Option<Text>,
}

impl Identity {
    pub fn oddities(&self, organisation: Option<&str>, is_live: bool) -> Vec<Localizable> {
        let mut said = Vec::new();
        let of = |word: &str| self.prefix.as_deref().is_some_and(|prefix| has_word(prefix, word));
        let shown = || scrub(self.prefix.as_deref().unwrap_or_default()).into_owned();
        if is_live && ["test", "sandbox", "demo", "staging", "dev"].into_iter().any(of) {
            said.push(localizable!(
                "The profile is LIVE, but its key begins with {shown} like a test key.",
                shown = shown()
            ));
        }
        if !is_live && ["live", "prod", "production"].into_iter().any(of) {
            said.push(localizable!("The profile is not LIVE, but its key begins with {shown}. Badges issued with it may be real.", shown = shown()));
        }
        if let (Some(label), Some(issuer)) = (organisation, &self.organisation)
            && !is_same(label, issuer.wire())
        {
            said.push(localizable!("The profile names the organisation “{label}”, but its history shows a badge of “{issuer}”. Is it the right key?", label = scrub(label), issuer));
        }
        said
    }
}

/// Sends two requests: a ping, and one row of the history. An unreadable history is not an error.
pub async fn identify(reader: &Reader, key: &ApiKey, call: &Call) -> ApiResult<Identity> {
    let prefix = prefix(reader, key, call).await?;
    Ok(Identity { prefix, organisation: issuer(reader, call).await })
}

/// Compares a key with its stored identity and returns warnings. Sends nothing if no identity is stored.
pub async fn recognise(reader: &Reader, connection: &Connection, call: &Call) -> ApiResult<Vec<Localizable>> {
    let Some(pin) = &connection.pin else { return Ok(Vec::new()) };
    let said = prefix(reader, &connection.key, call).await?;
    compare(pin, said.as_deref())?;
    let mut odd = Vec::new();
    if pin.fingerprint.as_ref().is_some_and(|f| *f != connection.key.fingerprint()) {
        odd.push(localizable!("The key of profile {profile} differs from the checked key but begins the same. Jobs of the old key are not listed with it. If it replaces the old key: lapel profile edit {profile} --pin.", profile = pin.profile));
    }
    let issuer = if pin.organisation.is_some() { issuer(reader, call).await } else { None };
    let identity = Identity { prefix: said, organisation: issuer };
    odd.extend(identity.oddities(pin.organisation.as_deref(), pin.is_live));
    Ok(odd)
}

/// Compares a ping response with the stored identity, if there is one.
pub fn compare_ping(ping: &Ping, connection: &Connection) -> ApiResult<()> {
    let said = ping.apikey_prefix.as_ref().and_then(|said| connection.key.prefix_said(said.wire()));
    connection.pin.as_ref().map_or(Ok(()), |pin| compare(pin, said.as_deref()))
}

fn compare(pin: &PinnedIdentity, said: Option<&str>) -> ApiResult<()> {
    if said == Some(pin.prefix.as_str()) {
        return Ok(());
    }
    Err(ApiError::OtherKey {
        profile: pin.profile.clone(),
        pinned: pin.prefix.clone(),
        said: said.map(|said| scrub(said).into_owned()),
    })
}

async fn prefix(reader: &Reader, key: &ApiKey, call: &Call) -> ApiResult<Option<String>> {
    let ping = reader.ping(call).await?;
    if ping.status.as_ref().map(Text::wire) != Some("ok") {
        return Err(ApiError::NotThisService {
            status: 200,
            what: localizable!("its ping does not confirm that the key is valid"),
        });
    }
    Ok(ping.apikey_prefix.and_then(|said| key.prefix_said(said.wire())))
}

/// Takes the first badge in the service's order, since the contract does not show the columns for sorting.
async fn issuer(reader: &Reader, call: &Call) -> Option<Text> {
    let paging = Paging { rows_per_page: 1, ..Paging::default() };
    let query = HistoryQuery { filter: HistoryFilter::default(), paging };
    let page = reader.history(&query, call).await.ok()?;
    page.items.into_iter().find_map(|(_, item)| item.issuing_org).filter(|org| !org.looks_empty())
}

fn has_word(prefix: &str, word: &str) -> bool {
    prefix.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part.eq_ignore_ascii_case(word))
}

/// Tolerant: one name contains the other, ignoring case and punctuation.
fn is_same(one: &str, other: &str) -> bool {
    let plain = |name: &str| -> String {
        name.nfkc().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect()
    };
    let (one, other) = (plain(one), plain(other));
    one.is_empty() || other.is_empty() || one.contains(&other) || other.contains(&one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(prefix: &str, organisation: &str) -> Identity {
        Identity { prefix: Some(prefix.to_owned()), organisation: Some(organisation.into()) }
    }

    #[test]
    fn a_prefix_is_never_the_key() {
        let key = ApiKey::new("dmu_live_0123456789").expect("a key");
        assert_eq!(key.prefix_said("dmu_live_").as_deref(), Some("dmu_live_"));
        assert_eq!(key.prefix_said(" dmu_live_… ").as_deref(), Some("dmu_live_"));
        assert_eq!(key.prefix_said("dmu_live_***").as_deref(), Some("dmu_live_"));
        assert_eq!(
            key.prefix_said("dmu_live_0123456789").as_deref(),
            Some("dmu_live_"),
            "half of it at most"
        );
        for none in ["", "…", "  ", "a\u{1b}b", "열쇠"] {
            assert_eq!(key.prefix_said(none), None, "{none:?}");
        }
    }

    #[test]
    fn a_test_key_in_live_is_odd_and_the_other_way_round() {
        for (prefix, is_live, odd) in [
            ("dmu_test_", true, true),
            ("dmu_test_", false, false),
            ("dmu_live_", false, true),
            ("dmu_live_", true, false),
            ("latest_", true, false),
            ("sk-PROD-", false, true),
            ("k1", true, false),
        ] {
            let said = identity(prefix, "").oddities(None, is_live);
            assert_eq!(!said.is_empty(), odd, "{prefix} {is_live} {said:?}");
        }
    }

    #[test]
    fn an_organisation_is_recognised_by_a_part_of_its_name() {
        for (label, issuer, odd) in [
            ("Naru University", "나루대학교", true),
            ("나루대학교", "나루대학교 평생배움원", false),
            ("naru university ", "NARU University · Lifelong", false),
            ("", "나루대학교", false),
            ("달무리", "나루대학교", true),
        ] {
            let said = identity("k_", issuer).oddities(Some(label), true);
            assert_eq!(!said.is_empty(), odd, "{label} {issuer} {said:?}");
        }
        let said = identity("k_", "evil\u{1b}[2J")
            .oddities(Some("other"), true)
            .iter()
            .map(ToString::to_string)
            .collect::<String>();
        assert!(said.contains("evil␛[2J"), "{said}");
    }
}
