//! Whose key it is. A key does not say which organisation it belongs to, so what the service says of it is
//! kept when a person checks it, and compared at every connect (contract, "Ping data": `apikey_prefix`).

use super::call::Call;
use super::connection::Connection;
use super::error::{ApiError, Result};
use super::filters::{HistoryFilter, HistoryQuery, Paging};
use super::key::ApiKey;
use super::reader::Reader;
use crate::domain::text::scrub;
use crate::domain::{Ping, Text};
use unicode_normalization::UnicodeNormalization;

/// What a key was when a person checked it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The profile's name, for messages.
    pub profile: String,
    /// The key's first characters, as the service said them.
    pub prefix: String,
    /// [`ApiKey::fingerprint`], where it was kept.
    pub fingerprint: Option<String>,
    /// What the profile calls the organisation; compared with what the service writes on its badges.
    pub organisation: Option<String>,
    /// Whether real badges are issued with it.
    pub is_live: bool,
}

/// What a service says about a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Its first characters; `None` where the service does not say them.
    pub prefix: Option<String>,
    /// The issuing organisation of a badge in the history; `None` where there is none, or none that can be read.
    pub organisation: Option<Text>,
}

impl Identity {
    /// What is odd about the key, in sentences: a warning each.
    pub fn oddities(&self, organisation: Option<&str>, is_live: bool) -> Vec<String> {
        let mut said = Vec::new();
        let of = |word: &str| self.prefix.as_deref().is_some_and(|prefix| has_word(prefix, word));
        let shown = || scrub(self.prefix.as_deref().unwrap_or_default()).into_owned();
        if is_live && ["test", "sandbox", "demo", "staging", "dev"].into_iter().any(of) {
            said.push(t!(
                "The profile is LIVE, but its key begins with {shown}, as a test key does.",
                shown = shown()
            ));
        }
        if !is_live && ["live", "prod", "production"].into_iter().any(of) {
            said.push(t!("The profile is not LIVE, but its key begins with {shown}: badges that are issued with it may be \
                 real.", shown = shown()));
        }
        if let (Some(label), Some(issuer)) = (organisation, &self.organisation)
            && !is_same(label, issuer.wire())
        {
            said.push(t!("The profile calls the organisation “{label}”, but its history shows a badge of “{issuer}”. Is \
                 it the right key?", label = scrub(label), issuer));
        }
        said
    }
}

/// Asks the service about a key: two requests, a ping and one row of the history.
///
/// # Errors
/// What stands in the way of the ping. A history that cannot be read is no error.
pub async fn identify(reader: &Reader, key: &ApiKey, call: &Call) -> Result<Identity> {
    let prefix = prefix(reader, key, call).await?;
    Ok(Identity { prefix, organisation: issuer(reader, call).await })
}

/// Compares a key with what was kept when it was checked; nothing is asked where nothing was kept. What is
/// odd comes back in sentences.
///
/// # Errors
/// [`ApiError::OtherKey`] when it is not the key that was checked; what stands in the way of the ping.
pub async fn recognise(reader: &Reader, connection: &Connection, call: &Call) -> Result<Vec<String>> {
    let Some(pin) = &connection.pin else { return Ok(Vec::new()) };
    let said = prefix(reader, &connection.key, call).await?;
    compare(pin, said.as_deref())?;
    let mut odd = Vec::new();
    if pin.fingerprint.as_ref().is_some_and(|f| *f != connection.key.fingerprint()) {
        odd.push(t!("The key of profile {profile} is another one than the one that was checked, and begins alike. Jobs of \
             the former key are not listed with it. If it has taken that one's place: lapel profile edit {profile} \
             --pin.", profile = pin.profile));
    }
    let issuer = if pin.organisation.is_some() { issuer(reader, call).await } else { None };
    let identity = Identity { prefix: said, organisation: issuer };
    odd.extend(identity.oddities(pin.organisation.as_deref(), pin.is_live));
    Ok(odd)
}

/// Compares what a ping has said with what was kept when the key was checked, where something was.
///
/// # Errors
/// [`ApiError::OtherKey`] when it is not the key that was checked.
pub fn compare_ping(ping: &Ping, connection: &Connection) -> Result<()> {
    let said = ping.apikey_prefix.as_ref().and_then(|said| connection.key.prefix_said(said.wire()));
    connection.pin.as_ref().map_or(Ok(()), |pin| compare(pin, said.as_deref()))
}

fn compare(pin: &Pin, said: Option<&str>) -> Result<()> {
    if said == Some(pin.prefix.as_str()) {
        return Ok(());
    }
    Err(ApiError::OtherKey {
        profile: pin.profile.clone(),
        pinned: pin.prefix.clone(),
        said: said
            .map_or_else(|| t!("something that it does not say").to_owned(), |said| scrub(said).into_owned()),
    })
}

async fn prefix(reader: &Reader, key: &ApiKey, call: &Call) -> Result<Option<String>> {
    let ping = reader.ping(call).await?;
    if ping.status.as_ref().map(Text::wire) != Some("ok") {
        return Err(ApiError::NotThisService {
            status: 200,
            what: t!("its ping does not say that the key is good").to_owned(),
        });
    }
    Ok(ping.apikey_prefix.and_then(|said| key.prefix_said(said.wire())))
}

/// Who has issued the first badge that the history shows, in the service's own order: the contract does not
/// show by which columns it can be sorted.
async fn issuer(reader: &Reader, call: &Call) -> Option<Text> {
    let paging = Paging { rows_per_page: 1, ..Paging::default() };
    let query = HistoryQuery { filter: HistoryFilter::default(), paging };
    let page = reader.history(&query, call).await.ok()?;
    page.items.into_iter().find_map(|(_, item)| item.issuing_org).filter(|org| !org.looks_empty())
}

/// Whether a part of a key's prefix is this word.
fn has_word(prefix: &str, word: &str) -> bool {
    prefix.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part.eq_ignore_ascii_case(word))
}

/// Whether two names may be those of one organisation: one is a part of the other, however they are written.
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
        let said = identity("k_", "evil\u{1b}[2J").oddities(Some("other"), true).join(" ");
        assert!(said.contains("evil␛[2J"), "{said}");
    }
}
