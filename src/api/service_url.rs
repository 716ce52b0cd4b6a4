//! Builds URLs: the base URL of a profile and its endpoints.
//!
//! Ids are encoded as one segment each, so that an id cannot reach another endpoint.

use super::error::{ApiError, ApiResult};
use super::filters::Pairs;
use crate::api::prelude::*;
use crate::domain::is_loopback;
use crate::domain::web_address::{base_url, is_http};
use url::form_urlencoded;

/// What follows `/badges/` in the paths of other endpoints.
pub(super) const NOT_A_BADGE: [&str; 3] = ["history", "batch", "revoke"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Base {
    url: Url,
}

impl Base {
    pub(super) fn new(raw: &str) -> ApiResult<Self> {
        let url = base_url(raw).map_err(|why| ApiError::BadInput { field: "base_url", why })?;
        Ok(Self { url })
    }

    pub(super) fn is_loopback(&self) -> bool {
        is_loopback(&self.url)
    }

    pub(super) fn is_plain_http(&self) -> bool {
        self.url.scheme() == "http"
    }

    /// Scheme, host and port. The key is sent only there.
    pub(super) fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    pub(super) fn path(&self) -> String {
        self.url.path().trim_end_matches('/').to_owned()
    }

    /// The absolute URL of a picture; `None` if it is not http or https.
    pub(super) fn picture(&self, raw: &str) -> Option<String> {
        let raw = raw.trim();
        if raw.is_empty() {
            return None;
        }
        let url = self.url.join("/").ok()?.join(raw).ok()?;
        (is_http(&url) && url.host().is_some()).then(|| url.into())
    }

    /// `path` comes from our own code (for example `badges/history`).
    pub(super) fn endpoint(
        &self,
        path: &str,
        id: Option<(&'static str, &str)>,
        query: &Pairs,
    ) -> ApiResult<Url> {
        let mut whole = format!("{}/{path}", self.path());
        if let Some((field, id)) = id {
            whole.push('/');
            whole.push_str(&segment(field, id)?);
        }
        let mut url = self.url.clone();
        url.set_path(&whole);
        if !query.0.is_empty() {
            url.query_pairs_mut().extend_pairs(query.0.iter().map(|(k, v)| (*k, v.as_str())));
        }
        Ok(url)
    }
}

/// An id as one path segment. Tabs and line breaks are encoded too, since a URL parser would drop them.
fn segment(field: &'static str, id: &str) -> ApiResult<String> {
    if matches!(id, "" | "." | "..") {
        return Err(ApiError::BadInput {
            field,
            why: localizable!("this is not a valid id: it is empty or names a folder"),
        });
    }
    // In a form, a space is `+`; in a path it is `%20`. A `+` of the id is already `%2B` here.
    Ok(form_urlencoded::byte_serialize(id.as_bytes()).collect::<String>().replace('+', "%20"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn base(raw: &str) -> Base {
        Base::new(raw).expect(raw)
    }

    #[test]
    fn a_slash_at_the_end_makes_no_difference() {
        for raw in [
            "https://h.example/api/v1/ext",
            "https://h.example/api/v1/ext/",
            " https://h.example/api/v1/ext// ",
        ] {
            let url = base(raw).endpoint("ping", None, &Pairs::default()).expect("a URL");
            assert_eq!(url.as_str(), "https://h.example/api/v1/ext/ping");
        }
        let url = base("https://h.example").endpoint("ping", None, &Pairs::default()).expect("a URL");
        assert_eq!(url.as_str(), "https://h.example/ping");
    }

    #[test]
    fn a_wrong_base_is_refused_with_its_field() {
        for (raw, said) in [
            ("", "empty"),
            ("h.example/api", "https://"),
            ("http://h.example/api", "plain http"),
            ("http://127.0.0.1.evil.example/", "plain http"),
            ("http://[::ffff:127.0.0.1]/", "plain http"),
            ("ftp://h.example/", "https://"),
            ("https://kim:pw@h.example/", "user name"),
            ("https://h.example/?a=b", "end before ?"),
            ("https://h.example/#x", "end before ?"),
            ("https://", "not a URL"),
        ] {
            match Base::new(raw) {
                Err(ApiError::BadInput { field: "base_url", why }) => {
                    assert!(why.to_string().contains(said), "{raw}: {why}");
                }
                other => panic!("{raw}: {other:?}"),
            }
        }
        for fine in [
            "http://127.0.0.1:1/x",
            "http://127.9.9.9/",
            "http://[::1]:8/",
            "http://LOCALHOST:80/",
            "https://h",
        ] {
            assert!(Base::new(fine).is_ok(), "{fine}");
        }
    }

    #[test]
    fn an_id_is_one_segment_whatever_it_holds() {
        let base = base("https://h.example/api/v1/ext");
        for (id, path) in [
            ("B-1", "B-1"),
            ("../ping?x", "..%2Fping%3Fx"),
            ("a/b", "a%2Fb"),
            ("a+b c", "a%2Bb%20c"),
            ("%2e%2e", "%252e%252e"),
            ("a\tb\n", "a%09b%0A"),
            ("배지", "%EB%B0%B0%EC%A7%80"),
            ("a\\b;c#d", "a%5Cb%3Bc%23d"),
        ] {
            let url = base.endpoint("badges", Some(("badge_id", id)), &Pairs::default()).expect(id);
            assert_eq!(url.as_str(), format!("https://h.example/api/v1/ext/badges/{path}"));
        }
        for id in ["", ".", ".."] {
            let refused = base.endpoint("badges", Some(("badge_id", id)), &Pairs::default());
            assert!(matches!(refused, Err(ApiError::BadInput { field: "badge_id", .. })), "{id}");
        }
    }

    #[test]
    fn a_plus_goes_out_encoded() {
        let pairs = Pairs(vec![("email", "kim+x@naru.example".into()), ("title", "파이썬 & #1".into())]);
        let url = base("https://h.example").endpoint("wallet/badges", None, &pairs).expect("a URL");
        assert_eq!(
            url.query(),
            Some("email=kim%2Bx%40naru.example&title=%ED%8C%8C%EC%9D%B4%EC%8D%AC+%26+%231")
        );
    }

    proptest! {
        #[test]
        fn no_id_reaches_another_endpoint(id in "\\PC*|[./\\\\%?#a\t\n]{0,6}") {
            if let Ok(url) = base("https://h.example/api").endpoint("badges", Some(("badge_id", &id)), &Pairs::default()) {
                let segments: Vec<_> = url.path_segments().expect("a path").collect();
                prop_assert_eq!(segments.len(), 3);
                prop_assert_eq!(&segments[..2], ["api", "badges"]);
                prop_assert!(url.query().is_none() && url.fragment().is_none());
                let bytes = form_urlencoded::parse(segments[2].replace("%20", "+").as_bytes())
                    .next().map(|(k, _)| k.into_owned());
                prop_assert_eq!(bytes, Some(id));
            }
        }
    }
}
