//! Reads badges from the service: one by id, or a part of the history, with few requests.

use super::journal::behaviour::BehaviourObservation;
use super::reason::Code;
use super::seen_badge::SeenBadge;
use crate::api::{HistoryFilter, HistoryQuery, ListEnd, PageReader, ReadList, Reader};
use crate::domain::HistoryItem;
use crate::jobs::prelude::*;

/// Maximum pages of one recipient's history that [`holdings`] reads.
const PERSON_PAGES: u64 = 50;
/// Maximum passes over a list that changes while it is read.
const PASSES: u16 = 3;

/// `None` proves nothing about a waiting badge: the service may not show it by id.
pub(super) async fn badge(reader: &Reader, id: &BadgeId, call: &Call) -> Result<Option<SeenBadge>, ApiError> {
    match reader.badge(id, call).await {
        Ok(badge) => Ok(Some(SeenBadge::of_badge(badge, reader.clock().now()))),
        Err(ApiError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A badge as the history of an address has it, since only the history names templates, or else by its id. `None` as for
/// [`badge`].
pub(super) async fn badge_for(
    reader: &Reader,
    id: &BadgeId,
    email: &str,
    call: &Call,
) -> Result<Option<SeenBadge>, ApiError> {
    // Without an address, the filter would list everybody.
    let spellings = if email.is_empty() { Vec::new() } else { spellings(email) };
    for spelling in spellings {
        let mut scan = HistoryScan::of_address(reader, &spelling, call);
        while let Some(page) = scan.next().await? {
            if let Some(found) = page.into_iter().find(|seen| seen.badge_id == *id) {
                return Ok(Some(found));
            }
        }
    }
    badge(reader, id, call).await
}

pub(super) struct HistoryScan<'r> {
    reader: &'r Reader,
    filter: HistoryFilter,
    call: &'r Call,
    pages: PageReader,
    /// How the filters match, which the contract does not say: facts with their values and evidence.
    observed_behavior: BTreeMap<&'static str, (&'static str, Code)>,
}

/// A case-sensitive filter would miss an address that is stored in lower case, and any filter one whose international
/// domain is stored in the other form.
pub(super) fn spellings(email: &str) -> Vec<String> {
    let mut all = vec![email.to_owned(), email.to_lowercase()];
    let key = EmailKey::of(email);
    if let Some((local, domain)) = key.as_str().rsplit_once('@')
        && domain.contains("xn--")
    {
        all.push(key.as_str().to_owned());
        all.push(format!("{local}@{}", idna::domain_to_unicode(domain).0));
    }
    let mut seen = BTreeSet::new();
    all.retain(|spelling| seen.insert(spelling.clone()));
    all
}

impl<'r> HistoryScan<'r> {
    pub(super) fn new(reader: &'r Reader, filter: HistoryFilter, call: &'r Call) -> Self {
        Self {
            reader,
            filter,
            call,
            pages: PageReader::default().passes(PASSES),
            observed_behavior: BTreeMap::new(),
        }
    }

    /// The filter may match partially, and titles are not unique: compare the template id.
    pub(super) fn of_title(reader: &'r Reader, title: &Text, call: &'r Call) -> Self {
        let title = Some(title.wire().to_owned());
        Self::new(reader, HistoryFilter { title, ..HistoryFilter::default() }, call)
    }

    /// The filter may match partially: compare the e-mail key.
    pub(super) fn of_address(reader: &'r Reader, email: &str, call: &'r Call) -> Self {
        let recipient_email = Some(email.to_owned());
        Self::new(reader, HistoryFilter { recipient_email, ..HistoryFilter::default() }, call)
    }

    /// Records that move between pages meanwhile are left for the next scan.
    pub(super) fn once(mut self) -> Self {
        self.pages = self.pages.passes(1);
        self
    }

    /// Uses this call for the following pages.
    pub(super) fn called(mut self, call: &'r Call) -> Self {
        self.call = call;
        self
    }

    /// Each badge only once; `None` after the end.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<SeenBadge>>, ApiError> {
        let Some(wanted) = self.pages.next() else { return Ok(None) };
        let query = HistoryQuery { filter: self.filter.clone(), paging: wanted.paging() };
        let page = self.reader.history(&query, self.call).await;
        let now = self.reader.clock().now();
        let items = self.pages.take(page, |item: &HistoryItem| item.badge_id.clone())?;
        for item in &items {
            self.observed_behavior.extend(observed_behavior(&self.filter, item));
        }
        Ok(Some(items.into_iter().map(|item| SeenBadge::of_history(item, now)).collect()))
    }

    pub(super) fn observed_behavior(&self) -> impl Iterator<Item = BehaviourObservation> + '_ {
        self.observed_behavior
            .iter()
            .map(|(fact, (value, evidence))| BehaviourObservation::once(fact, value, *evidence))
    }

    /// Number of remaining pages, according to the service's count.
    pub(super) fn left(&self) -> u64 {
        self.pages.left()
    }

    pub(super) fn rows(&self) -> u64 {
        self.pages.rows()
    }

    pub(super) fn total_count(&self) -> Option<u64> {
        self.pages.total_count()
    }

    /// Whether the scan reached the end and nothing is missing: no page, no record, and the count matches.
    pub(super) fn is_complete(&self) -> bool {
        self.pages.end().is_some_and(ListEnd::is_complete)
    }
}

fn observed_behavior(
    filter: &HistoryFilter,
    item: &HistoryItem,
) -> Option<(&'static str, (&'static str, Code))> {
    if let (Some(asked), Some(title)) = (&filter.title, &item.title) {
        return (title.wire() != asked && title.wire().contains(asked.as_str()))
            .then_some(("title_filter", ("partial", Code::OtherTitle)));
    }
    let (asked, email) = (filter.recipient_email.as_deref()?, item.recipient_email.as_ref()?.wire());
    match (email == asked, EmailKey::of(asked).is(email)) {
        (true, _) => None,
        (false, true) => Some(("recipient_email_filter_case", ("folded", Code::OtherCase))),
        (false, false) => Some(("recipient_email_filter", ("partial", Code::OtherAddress))),
    }
}

/// The badges of one template that a recipient has.
pub type Holdings = ReadList<HistoryItem>;

/// Includes waiting badges where the service shows them. The service's filters may match partially, so the
/// template id and the address are compared.
pub async fn holdings(
    reader: &Reader,
    template_id: &TemplateId,
    email: &str,
    call: &Call,
) -> Result<Holdings, ApiError> {
    let key = EmailKey::of(email);
    let mut found = reader.history_of(email, PERSON_PAGES, call).await?;
    found.items.retain(|item| item.template_id.as_ref() == Some(template_id) && item.is_of(&key));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_looked_up_in_each_form_that_a_service_may_store() {
        assert_eq!(spellings("kim@naru.example"), ["kim@naru.example"]);
        assert_eq!(spellings("Kim@naru.example"), ["Kim@naru.example", "kim@naru.example"]);
        assert_eq!(spellings("kim@예시.example"), ["kim@예시.example", "kim@xn--vv4b11d.example"]);
        assert_eq!(spellings("kim@xn--vv4b11d.example"), ["kim@xn--vv4b11d.example", "kim@예시.example"]);
    }
}
