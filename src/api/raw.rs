//! One record as the service sent it: the bytes of its answer, for looking at what no field shows.

use super::call::Call;
use super::error::Result;
use super::filters::{HistoryFilter, HistoryQuery, Paging, Pairs, WalletQuery};
use super::reader::{Reader, check_badge_id};
use crate::domain::text::scrub;
use crate::domain::{BadgeId, CategoryId, TemplateId, Text};

/// Which record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawOf {
    /// `GET /badges/{badge_id}`.
    Badge(BadgeId),
    /// `GET /badge-templates/{template_id}`.
    Template(TemplateId),
    /// `GET /categories/{category_id}`.
    Category(CategoryId),
    /// `GET /badge-types`, all of them.
    BadgeTypes,
    /// `GET /badges/history`, the first page of what was issued to an address.
    History(Text),
    /// `GET /wallet/badges`, the first page of what a holder owns.
    Wallet(Text),
}

/// A path, an id at its end, a query.
type Place<'a> = (&'static str, Option<(&'static str, &'a str)>, Pairs);

impl RawOf {
    fn place(&self) -> Place<'_> {
        let paging = Paging::full(1);
        match self {
            Self::Badge(id) => ("badges", Some(("badge_id", id.wire())), Pairs::default()),
            Self::Template(id) => ("badge-templates", Some(("template_id", id.wire())), Pairs::default()),
            Self::Category(id) => ("categories", Some(("category_id", id.wire())), Pairs::default()),
            Self::BadgeTypes => ("badge-types", None, Pairs::default()),
            Self::History(email) => {
                let recipient_email = Some(email.wire().to_owned());
                let filter = HistoryFilter { recipient_email, ..HistoryFilter::default() };
                ("badges/history", None, HistoryQuery { filter, paging }.pairs())
            }
            Self::Wallet(email) => {
                let query = WalletQuery { email: email.wire().to_owned(), paging };
                ("wallet/badges", None, query.pairs())
            }
        }
    }

    /// Method, path and query, for showing: `GET /badges/7f3c`.
    pub fn request(&self) -> String {
        let (path, id, query) = self.place();
        let id = id.map_or_else(String::new, |(_, id)| format!("/{}", scrub(id)));
        let query: Vec<String> = query.0.iter().map(|(k, v)| format!("{k}={}", scrub(v))).collect();
        let mark = if query.is_empty() { "" } else { "?" };
        format!("GET /{path}{id}{mark}{}", query.join("&"))
    }
}

/// An answer as it came, in the service's envelope. Untrusted, and with line breaks where the service put
/// some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw {
    /// What it says, by the charset that it declares; bytes that cannot be read are replacement characters, and the key is blotted out should a
    /// service send it back.
    pub text: Text,
    /// How many bytes came, unpacked.
    pub bytes: usize,
}

impl Reader {
    /// Reads one record anew and gives the answer as it came. One request.
    ///
    /// # Errors
    /// As the typed calls, but for what is wrong with the record itself.
    pub async fn raw(&self, of: &RawOf, call: &Call) -> Result<Raw> {
        if let RawOf::Badge(id) = of {
            check_badge_id(id)?;
        }
        let (path, id, query) = of.place();
        let got = self.0.fetch(path, id, &query, call).await?;
        Ok(Raw { text: Text::new(self.0.key.blot(&got.text).into_owned()), bytes: got.length })
    }
}
