//! One record as the service sent it, to see content that no field shows.

use super::call::Call;
use super::error::ApiResult;
use super::filters::{HistoryFilter, Paging, Pairs};
use super::lenient;
use super::reader::{Reader, check_badge_id};
use crate::api::prelude::*;
use crate::domain::{BadgeId, CategoryId, TemplateId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawOf {
    Badge(BadgeId),
    Template(TemplateId),
    Category(CategoryId),
    BadgeTypes,
    /// The first page.
    History(Text),
    /// The first page.
    Wallet(Text),
}

/// A path, an id at its end, and a query.
type RawPath<'a> = (&'static str, Option<(&'static str, &'a str)>, Pairs);

impl RawOf {
    fn place(&self) -> RawPath<'_> {
        let paging = Paging::full(1);
        match self {
            Self::Badge(id) => ("badges", Some(("badge_id", id.wire())), Pairs::default()),
            Self::Template(id) => ("badge-templates", Some(("template_id", id.wire())), Pairs::default()),
            Self::Category(id) => ("categories", Some(("category_id", id.wire())), Pairs::default()),
            Self::BadgeTypes => ("badge-types", None, Pairs::default()),
            Self::History(email) => {
                let recipient_email = Some(email.wire().to_owned());
                let filter = HistoryFilter { recipient_email, ..HistoryFilter::default() };
                ("badges/history", None, filter.pairs().paged(&paging))
            }
            Self::Wallet(email) => ("wallet/badges", None, Pairs::of_holder(email.wire()).paged(&paging)),
        }
    }

    /// For display: `GET /badges/7f3c`.
    pub fn request(&self) -> String {
        let (path, id, query) = self.place();
        let id = id.map_or_else(String::new, |(_, id)| format!("/{}", scrub(id)));
        let query: Vec<String> = query.0.iter().map(|(k, v)| format!("{k}={}", scrub(v))).collect();
        let mark = if query.is_empty() { "" } else { "?" };
        format!("GET /{path}{id}{mark}{}", query.join("&"))
    }
}

/// In the service's envelope. Untrusted, with the service's line breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawBody {
    /// Decoded with its declared charset. Undecodable bytes are replacement characters, and a
    /// returned key is redacted.
    pub text: Text,
    /// After decompression.
    pub bytes: usize,
}

impl Reader {
    /// Sends one request. Fails as the typed calls, except for errors in the record itself.
    pub async fn raw(&self, of: &RawOf, call: &Call) -> ApiResult<RawBody> {
        if let RawOf::Badge(id) = of {
            check_badge_id(id)?;
        }
        let (path, id, query) = of.place();
        let got = self.0.fetch(path, id, &query, call).await?;
        let key = &self.0.key;
        let text = key.without(&got.text);
        // The viewer decodes the JSON, so that a key with escapes would be readable.
        let hidden = lenient::json(&text)
            .and_then(|mut response| key.blot_response(&text, &mut response).then(|| response.to_string()));
        let text = hidden.unwrap_or(text);
        Ok(RawBody { text: Text::new(text), bytes: got.length })
    }
}
