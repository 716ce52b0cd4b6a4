//! Resolves a record's picture address to a URL. The contract's examples are absolute for badges and templates,
//! and paths for the wallet. It does not say what the paths belong to.

use crate::tui::prelude::*;
use url::Url;

const REMEMBERED: usize = 8;

#[derive(Debug, Default)]
pub struct Places {
    base: Option<String>,
    /// Scheme, host and port of the first absolute address.
    learned: Option<String>,
    seen: VecDeque<Url>,
}

impl Places {
    pub fn new(base: Option<String>) -> Self {
        Self { base, ..Self::default() }
    }

    pub fn learn(&mut self, raw: &str) {
        let Some(url) = absolute(raw.trim()) else { return };
        if self.seen.contains(&url) {
            return;
        }
        if self.learned.is_none() {
            self.learned = Some(url.origin().ascii_serialization());
        }
        self.seen.push_front(url);
        self.seen.truncate(REMEMBERED);
    }

    /// The error is the reason as text.
    pub fn resolve(&self, raw: &str) -> Result<String, String> {
        let raw = raw.trim();
        let of_scheme = |url: Url| match url.scheme() {
            "http" | "https" => Ok(url.into()),
            _ => Err(t!("The picture was not loaded: its URL is neither http nor https.").to_owned()),
        };
        let parsed = |text: &str| {
            let url = Url::parse(text).map_err(|_| t!("The picture's URL is not valid.").to_owned());
            url.and_then(of_scheme)
        };
        if let Ok(url) = Url::parse(raw) {
            return of_scheme(url);
        }
        if raw.starts_with("//") {
            return parsed(&format!("https:{raw}"));
        }
        let path = format!("/{}", raw.trim_start_matches('/'));
        // A path that ends a known address belongs to the same picture.
        if let Some(whole) = self.seen.iter().find(|url| url.path().len() > 1 && url.path().ends_with(&path))
        {
            return Ok(whole.clone().into());
        }
        match self.base.as_ref().or(self.learned.as_ref()) {
            // Joined as text: a path must not change the host with dots or its own scheme.
            Some(place) => parsed(&format!("{place}{path}")),
            None => Err(t!("The picture's URL is only a path, and its server is not known. Set picture_base in the profile.")
            .to_owned()),
        }
    }
}

fn absolute(raw: &str) -> Option<Url> {
    Url::parse(raw).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.host().is_some())
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test says what went wrong")]
mod tests {
    use super::*;

    #[test]
    fn an_absolute_address_is_itself() {
        let places = Places::new(Some("https://cdn.example/x".into()));
        for url in ["https://h.example/a.png?sig=1", "http://h.example/a.png"] {
            assert_eq!(places.resolve(&format!(" {url} ")).as_deref(), Ok(url));
        }
        assert_eq!(places.resolve("//h.example/a.png").as_deref(), Ok("https://h.example/a.png"));
    }

    #[test]
    fn other_schemes_are_refused_in_words() {
        let places = Places::new(Some("https://cdn.example".into()));
        for raw in ["file:///etc/passwd", "data:image/png;base64,AAAA", "javascript:alert(1)", "ftp://h/a"] {
            assert!(places.resolve(raw).expect_err(raw).contains("neither http nor https"));
        }
    }

    #[test]
    fn a_path_is_taken_from_the_setting_then_from_what_was_seen() {
        let mut places = Places::default();
        assert!(places.resolve("/images/1.png").expect_err("unknown").contains("picture_base"));
        places.learn("file:///images/0.png");
        assert!(places.resolve("/images/1.png").is_err());
        places.learn("https://cdn.example:8443/images/0.png");
        assert_eq!(places.resolve("/images/1.png").as_deref(), Ok("https://cdn.example:8443/images/1.png"));
        let set = Places::new(Some("https://set.example/badges".into()));
        assert_eq!(set.resolve("images/1.png").as_deref(), Ok("https://set.example/badges/images/1.png"));
    }

    #[test]
    fn the_tail_of_what_was_seen_is_the_same_picture() {
        let mut places = Places::default();
        places.learn("https://cdn.example/tenant-7/img/9/front.png");
        assert_eq!(
            places.resolve("/img/9/front.png").as_deref(),
            Ok("https://cdn.example/tenant-7/img/9/front.png")
        );
    }

    #[test]
    fn only_a_few_are_remembered() {
        let mut places = Places::default();
        for n in 0..1000 {
            places.learn(&format!("https://cdn.example/{n}.png"));
        }
        assert_eq!(places.seen.len(), REMEMBERED);
    }
}
