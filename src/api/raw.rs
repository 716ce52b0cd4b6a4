//! One record as the service sent it: the bytes of its answer, for looking at what no field shows.

use super::call::Call;
use super::error::Result;
use super::filters::Pairs;
use super::reader::{Reader, check_badge_id};
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
}

impl RawOf {
    fn place(&self) -> (&'static str, (&'static str, &str)) {
        match self {
            Self::Badge(id) => ("badges", ("badge_id", id.wire())),
            Self::Template(id) => ("badge-templates", ("template_id", id.wire())),
            Self::Category(id) => ("categories", ("category_id", id.wire())),
        }
    }

    /// Method and path, for showing: `GET /badges/7f3c`.
    pub fn request(&self) -> String {
        let (path, (_, id)) = self.place();
        format!("GET /{path}/{}", crate::domain::text::scrub(id))
    }
}

/// An answer as it came, in the service's envelope. Untrusted, and with line breaks where the service put
/// some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw {
    /// What it says; bytes that are no UTF-8 are replacement characters, and the key is blotted out should a
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
        let (path, id) = of.place();
        let (_, bytes) = self.0.fetch(path, Some(id), &Pairs::default(), call).await?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(Raw { text: Text::new(self.0.key.blot(&text).into_owned()), bytes: bytes.len() })
    }
}
