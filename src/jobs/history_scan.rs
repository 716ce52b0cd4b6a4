//! Looking: what the service shows of badges, with as few requests as it takes.

use super::reason::Code;
use crate::api::{ApiError, Call, End, HistoryFilter, HistoryQuery, PageReader, Reader, Whole, whole};
use crate::domain::{Badge, BadgeId, EmailKey, HistoryItem, ServiceTime, TemplateId, Text, Verdict};
use jiff::civil::DateTime;
use std::collections::BTreeSet;

/// Pages of one person's history that a look reads at most.
const PERSON_PAGES: u64 = 50;
/// How often a list is read that changes meanwhile.
const PASSES: u16 = 3;

/// Where a badge was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    History,
    Detail,
}

/// A badge as it was seen.
#[derive(Clone, Debug)]
pub(super) struct Sight {
    pub(super) place: Place,
    pub(super) badge_id: BadgeId,
    pub(super) template_id: Option<TemplateId>,
    pub(super) title: Option<Text>,
    pub(super) holder: Option<Text>,
    pub(super) email: Option<Text>,
    pub(super) verdict: Verdict,
    pub(super) status: Option<Text>,
    pub(super) mail: Option<Text>,
    pub(super) issued_at: Option<ServiceTime>,
    pub(super) valid_until: Option<ServiceTime>,
    pub(super) revoke_at: Option<ServiceTime>,
    pub(super) reg_date: Option<ServiceTime>,
}

impl Sight {
    pub(super) fn of_history(item: HistoryItem, now: DateTime) -> Self {
        Self {
            place: Place::History,
            verdict: Verdict::of(&item, now),
            badge_id: item.badge_id,
            template_id: item.template_id,
            title: item.title,
            holder: item.recipient_name,
            email: item.recipient_email,
            status: item.status_name,
            mail: item.email_status,
            issued_at: item.issued_at,
            valid_until: item.valid_until,
            revoke_at: item.revoke_at,
            reg_date: item.reg_date,
        }
    }

    pub(super) fn of_badge(badge: Badge, now: DateTime) -> Self {
        Self {
            place: Place::Detail,
            verdict: Verdict::of(&badge, now),
            badge_id: badge.badge_id,
            template_id: None,
            title: badge.title,
            holder: badge.recipient_name,
            email: badge.recipient_email,
            status: badge.status_name,
            mail: badge.email_status,
            issued_at: badge.issued_at,
            valid_until: badge.valid_until,
            revoke_at: badge.revoke_at,
            reg_date: badge.reg_date,
        }
    }

    /// The key of its address.
    pub(super) fn key(&self) -> Option<EmailKey> {
        self.email.as_ref().map(|e| EmailKey::of(e.wire()))
    }
}

/// Reads one badge. `None`: the service says that it knows no such badge, which proves nothing about one
/// that waits.
pub(super) async fn badge(reader: &Reader, id: &BadgeId, call: &Call) -> Result<Option<Sight>, ApiError> {
    match reader.badge(id, call).await {
        Ok(badge) => Ok(Some(Sight::of_badge(badge, reader.clock().now()))),
        Err(ApiError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads a part of the history, page by page.
pub(super) struct Scan<'r> {
    reader: &'r Reader,
    filter: HistoryFilter,
    call: &'r Call,
    pages: PageReader,
    lessons: BTreeSet<Lesson>,
}

/// The spellings that an address is looked for by: a filter that minds capital letters would miss a badge whose
/// address was stored in small ones.
pub(super) fn spellings(email: &str) -> Vec<String> {
    let lower = email.to_lowercase();
    if lower == email { vec![lower] } else { vec![email.to_owned(), lower] }
}

/// What answers show of a filter (the contract does not say how the filters of the history match).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lesson {
    TitlePartial,
    AddressPartial,
    AddressFoldsCase,
}

impl Lesson {
    /// The fact's name, its value, and the evidence.
    pub(super) fn fact(self) -> (&'static str, &'static str, Code) {
        match self {
            Self::TitlePartial => ("title_filter", "partial", Code::OtherTitle),
            Self::AddressPartial => ("recipient_email_filter", "partial", Code::OtherAddress),
            Self::AddressFoldsCase => ("recipient_email_filter_case", "folded", Code::OtherCase),
        }
    }
}

impl<'r> Scan<'r> {
    pub(super) fn new(reader: &'r Reader, filter: HistoryFilter, call: &'r Call) -> Self {
        Self { reader, filter, call, pages: PageReader::default().passes(PASSES), lessons: BTreeSet::new() }
    }

    /// By title. The filter may match partially, and titles are not unique: the template's id decides.
    pub(super) fn of_title(reader: &'r Reader, title: &Text, call: &'r Call) -> Self {
        let title = Some(title.wire().to_owned());
        Self::new(reader, HistoryFilter { title, ..HistoryFilter::default() }, call)
    }

    /// By address. The filter may match partially: the key decides.
    pub(super) fn of_address(reader: &'r Reader, email: &str, call: &'r Call) -> Self {
        let recipient_email = Some(email.to_owned());
        Self::new(reader, HistoryFilter { recipient_email, ..HistoryFilter::default() }, call)
    }

    /// The same, but what slipped from one page to another while it was read is left for the next time.
    pub(super) fn once(mut self) -> Self {
        self.pages = self.pages.passes(1);
        self
    }

    /// The rest of it is read by this call.
    pub(super) fn called(mut self, call: &'r Call) -> Self {
        self.call = call;
        self
    }

    /// The next badges, none of which was there before; `None` after the end.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<Sight>>, ApiError> {
        let Some(wanted) = self.pages.next() else { return Ok(None) };
        let query = HistoryQuery { filter: self.filter.clone(), paging: wanted.paging() };
        let page = self.reader.history(&query, self.call).await;
        let now = self.reader.clock().now();
        let items = self.pages.take(page, |item: &HistoryItem| item.badge_id.clone())?;
        for item in &items {
            self.lessons.extend(lesson(&self.filter, item));
        }
        Ok(Some(items.into_iter().map(|item| Sight::of_history(item, now)).collect()))
    }

    /// What the answers have shown of the filter.
    pub(super) fn lessons(&self) -> impl Iterator<Item = Lesson> + '_ {
        self.lessons.iter().copied()
    }

    /// Pages that are left, as far as the count tells.
    pub(super) fn left(&self) -> u64 {
        self.pages.left()
    }

    /// Whether it was read to its end and nothing is missing: no page, no record, and the count agrees.
    pub(super) fn is_complete(&self) -> bool {
        self.pages.end().is_some_and(End::is_complete)
    }
}

/// What one answer shows of the filter.
fn lesson(filter: &HistoryFilter, item: &HistoryItem) -> Option<Lesson> {
    if let (Some(asked), Some(title)) = (&filter.title, &item.title) {
        return (title.wire() != asked && title.wire().contains(asked.as_str()))
            .then_some(Lesson::TitlePartial);
    }
    let (asked, email) = (filter.recipient_email.as_deref()?, item.recipient_email.as_ref()?.wire());
    match (email == asked, EmailKey::of(asked).is(email)) {
        (true, _) => None,
        (false, true) => Some(Lesson::AddressFoldsCase),
        (false, false) => Some(Lesson::AddressPartial),
    }
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
    let Whole { mut items, complete, .. } = whole(
        PERSON_PAGES,
        |item: &HistoryItem| item.badge_id.clone(),
        |wanted| {
            let query = HistoryQuery { filter: filter.clone(), paging: wanted.paging() };
            async move { reader.history(&query, call).await }
        },
    )
    .await?;
    items.retain(|item| {
        item.template_id.as_ref() == Some(template_id)
            && item.recipient_email.as_ref().map(Text::wire).is_some_and(|address| key.is(address))
    });
    Ok(Holdings { items, complete })
}
