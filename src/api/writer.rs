//! The writing client: the three POST endpoints. Their responses mean acceptance, never the final result.

use super::call::{Call, Turn};
use super::connection::Connection;
use super::decode_records::{accepted, batch_accepted, revoke_accepted};
use super::error::{ApiError, ApiResult};
use super::reader::Reader;
use super::wire::{self, ClientKind};
use crate::api::prelude::*;
use crate::domain::{Accepted, BadgeId, BatchAccepted, RevokeAccepted, TemplateId};
use reqwest::Client;
use serde_json::json;

/// Maximum entries of a batch or revoke request (contract, "Limits").
pub const MAX_ENTRIES: usize = 1000;

/// `Debug` shows neither name nor address.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Recipient {
    pub recipient_name: String,
    pub recipient_email: String,
}

impl fmt::Debug for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recipient([redacted])")
    }
}

/// `Debug` shows neither name nor address.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IssueRequest {
    pub template_id: TemplateId,
    pub recipient_name: String,
    pub recipient_email: String,
}

impl fmt::Debug for IssueRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IssueRequest").field("template_id", &self.template_id).finish_non_exhaustive()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BatchRequest {
    pub template_id: TemplateId,
    pub recipients: Vec<Recipient>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RevokeRequest {
    pub badge_ids: Vec<BadgeId>,
    /// Sent unchanged. Holders and verifiers may see it.
    pub reason: String,
}

/// The POST endpoints of one connection, with its reading half. Only [`super::connect`] creates it.
///
/// A request is repeated only after a 429, or if no connection was established. Any other unknown result is
/// [`ApiError::InDoubt`]: read the history before sending it again. The call's token cancels a request that waits
/// for its turn, never one under way. Dropping the future does not undo a sent request.
#[derive(Clone)]
pub struct Writer {
    reader: Reader,
    posts: Client,
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Writer").field(&self.reader).finish()
    }
}

impl Writer {
    pub(super) fn new(reader: Reader, connection: &Connection) -> ApiResult<Self> {
        let posts = wire::client(connection, &reader.0.base, ClientKind::Post)?;
        Ok(Self { reader, posts })
    }

    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// The caller can then record the request without waiting; see [`Call::in_turn`].
    pub async fn turn(&self, call: &Call) -> ApiResult<Turn> {
        self.reader.0.turn(call, ClientKind::Post).await.map(Turn::new)
    }

    /// Accepted is not issued.
    /// [`ApiError::InDoubt`] with `accepted` if the service accepted without a readable `badge_id`.
    pub async fn issue(&self, request: &IssueRequest, call: &Call) -> ApiResult<Accepted> {
        filled("recipient_name", &request.recipient_name)?;
        filled("recipient_email", &request.recipient_email)?;
        let body = json!({
            "template_id": request.template_id.wire(),
            "recipient_name": request.recipient_name,
            "recipient_email": request.recipient_email,
        });
        let data = self.reader.0.post(&self.posts, "badges", &body, call).await?;
        accepted(&data).map_err(unbound)
    }

    /// Unreadable items are in `problems`: accepted, but with an unknown recipient.
    pub async fn issue_batch(&self, request: &BatchRequest, call: &Call) -> ApiResult<BatchAccepted> {
        entries("recipients", request.recipients.len())?;
        for recipient in &request.recipients {
            filled("recipient_name", &recipient.recipient_name)?;
            filled("recipient_email", &recipient.recipient_email)?;
        }
        let recipients: Vec<_> = request
            .recipients
            .iter()
            .map(|r| json!({ "recipient_name": r.recipient_name, "recipient_email": r.recipient_email }))
            .collect();
        let body = json!({ "template_id": request.template_id.wire(), "recipients": recipients });
        let data = self.reader.0.post(&self.posts, "badges/batch", &body, call).await?;
        batch_accepted(&data).map_err(unbound)
    }

    /// The service drops badges that are not Issued without notice; the response is two numbers.
    pub async fn revoke(&self, request: &RevokeRequest, call: &Call) -> ApiResult<RevokeAccepted> {
        entries("badge_ids", request.badge_ids.len())?;
        filled("reason", &request.reason)?;
        let ids: Vec<_> = request.badge_ids.iter().map(BadgeId::wire).collect();
        let body = json!({ "badge_ids": ids, "reason": request.reason });
        let data =
            self.reader.0.post(&self.posts, "badges/revoke", &body, call).await.map_err(without_harm)?;
        Ok(revoke_accepted(&data))
    }
}

fn unbound(why: Localizable) -> ApiError {
    ApiError::InDoubt { accepted: true, status: Some(202), why, may_repeat: false }
}

/// A badge is revoked only once.
fn without_harm(mut error: ApiError) -> ApiError {
    if let ApiError::InDoubt { may_repeat, .. } = &mut error {
        *may_repeat = true;
    }
    error
}

fn filled(field: &'static str, value: &str) -> ApiResult<()> {
    if value.trim().is_empty() {
        return Err(ApiError::BadInput {
            field,
            why: localizable!("it is empty, but the service requires it"),
        });
    }
    Ok(())
}

fn entries(field: &'static str, count: usize) -> ApiResult<()> {
    match count {
        0 => Err(ApiError::BadInput { field, why: localizable!("it has no entries") }),
        1..=MAX_ENTRIES => Ok(()),
        _ => Err(ApiError::BadInput {
            field,
            why: localizable!(
                "it has {count} entries; one request takes at most {max_entries}",
                count,
                max_entries = MAX_ENTRIES
            ),
        }),
    }
}
