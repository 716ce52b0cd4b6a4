//! Looking: what the service shows of badges, with as few requests as it takes.

use crate::api::{ApiError, Call, HistoryFilter, HistoryQuery, Paging, Reader, Whole, whole};
use crate::domain::{BadgeId, EmailKey, HistoryItem, TemplateId, Text, Verdict};
use jiff::ToSpan;
use jiff::civil::Date;
use std::collections::{HashMap, HashSet};

/// Up to so many badges are read one by one; more are looked for in the history's pages.
const ONE_BY_ONE: usize = 10;
/// Pages of history that one look may read.
const MOST_PAGES: u64 = 50;

/// What was seen of a badge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It is there, and stands like this.
    As(Verdict),
    /// The service says that it knows no such badge. That proves nothing about a badge that waits.
    NotFound,
}

/// Reads one badge.
pub async fn badge(reader: &Reader, id: &BadgeId, call: &Call) -> Result<Seen, ApiError> {
    match reader.badge(id, call).await {
        Ok(badge) => Ok(Seen::As(Verdict::of(&badge, reader.clock().now()))),
        Err(ApiError::NotFound { .. }) => Ok(Seen::NotFound),
        Err(error) => Err(error),
    }
}

/// Looks at badges that were to be revoked on the day `sent`: a few one by one, many by the history's pages
/// of the revocations of the day before to the day after (the service's zone is not documented) and the rest
/// one by one. Ids that could not be looked at this time are not in the answer; the error that ended the look
/// early comes with it.
pub async fn revoked(
    reader: &Reader,
    ids: &[BadgeId],
    sent: Date,
    call: &Call,
) -> (HashMap<BadgeId, Seen>, Option<ApiError>) {
    let mut seen = HashMap::new();
    let mut rest: Vec<&BadgeId> = ids.iter().collect();
    if ids.len() > ONE_BY_ONE {
        let filter = HistoryFilter {
            revoke_start_date: sent.checked_sub(1.day()).ok(),
            revoke_end_date: sent.checked_add(1.day()).ok(),
            ..HistoryFilter::default()
        };
        let found = match history(reader, filter, MOST_PAGES, call).await {
            Ok(found) => found.items,
            Err(error) => return (seen, Some(error)),
        };
        let now = reader.clock().now();
        let wanted: HashSet<&BadgeId> = ids.iter().collect();
        // The filter's meaning is not documented: only rows that carry a revocation count as an answer.
        for item in found.into_iter().filter(|i| wanted.contains(&i.badge_id) && i.revoke_at.is_some()) {
            seen.insert(item.badge_id.clone(), Seen::As(Verdict::of(&item, now)));
        }
        rest.retain(|id| !seen.contains_key(*id));
    }
    for id in rest {
        match badge(reader, id, call).await {
            Ok(answer) => {
                seen.insert(id.clone(), answer);
            }
            // One odd record says nothing about the others; anything else would meet them too.
            Err(ApiError::BadRequest(_) | ApiError::BadInput { .. }) => {}
            Err(error) => return (seen, Some(error)),
        }
    }
    (seen, None)
}

/// What a person has of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holdings {
    /// The badges.
    pub items: Vec<HistoryItem>,
    /// Whether these are all: the list was read to its end.
    pub complete: bool,
}

/// The badges of a template that a person has, waiting ones included where the service shows them.
/// Filters of the service may match partially: the template's id and the address decide.
pub async fn holdings(
    reader: &Reader,
    template_id: &TemplateId,
    email: &str,
    call: &Call,
) -> Result<Holdings, ApiError> {
    let filter = HistoryFilter { recipient_email: Some(email.to_owned()), ..HistoryFilter::default() };
    let key = EmailKey::of(email);
    let Whole { mut items, complete, .. } = history(reader, filter, MOST_PAGES, call).await?;
    items.retain(|item| {
        item.template_id.as_ref() == Some(template_id)
            && item.recipient_email.as_ref().map(Text::wire).is_some_and(|address| key.is(address))
    });
    Ok(Holdings { items, complete })
}

async fn history(
    reader: &Reader,
    filter: HistoryFilter,
    most: u64,
    call: &Call,
) -> Result<Whole<HistoryItem>, ApiError> {
    whole(
        most,
        |item: &HistoryItem| item.badge_id.clone(),
        |page| {
            let query = HistoryQuery { filter: filter.clone(), paging: Paging::full(page) };
            async move { reader.history(&query, call).await }
        },
    )
    .await
}
