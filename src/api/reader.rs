//! The reading client. Nothing here can send a request that changes anything.

use super::call::Call;
use super::connection::Connection;
use super::decode::{self, BadgeTypes, Listed};
use super::error::{ApiError, ApiResult, Refusal};
use super::filters::{
    CategoryFilter, HistoryFilter, HistoryQuery, Paging, Pairs, TemplateQuery, WalletQuery,
};
use super::link::{LinkStatus, UnderWay};
use super::log::LogEntry;
use super::pages::{PageRequest, ReadList, read_at_most};
use super::parts::PageParts;
use super::retry::{ApiCore, PING};
use super::service_url::{Base, NOT_A_BADGE};
use crate::api::prelude::*;
use crate::domain::{
    Badge, BadgeId, Category, CategoryId, HistoryItem, Page, Ping, ServiceClock, ServiceRecord, ServiceTime,
    Template, TemplateDetail, TemplateId, WalletBadge,
};
use tokio::sync::watch;

/// The GET endpoints of one connection. Cheap to clone; clones share everything.
///
/// A call may fail with any [`ApiError`] except `Quota` and `InDoubt`.
#[derive(Clone)]
pub struct Reader(pub(super) Arc<ApiCore>);

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reader").field(&self.0.base.origin()).finish()
    }
}

fn strange(what: Localizable) -> ApiError {
    ApiError::Unreadable { status: 200, what, fewer: false }
}

/// Refuses an id that is the path of another endpoint.
pub(super) fn check_badge_id(id: &BadgeId) -> ApiResult<()> {
    if NOT_A_BADGE.contains(&id.wire()) {
        let why = localizable!("this is the name of an API endpoint, not a badge id");
        return Err(ApiError::BadInput { field: "badge_id", why });
    }
    Ok(())
}

impl Reader {
    pub(super) fn new(connection: &Connection, base: Base) -> ApiResult<Self> {
        Ok(Self(Arc::new(ApiCore::new(connection, base)?)))
    }

    async fn all(&self, path: &str, query: &Pairs, call: &Call) -> ApiResult<Value> {
        Ok(self.0.fetch(path, None, query, call).await?.data)
    }

    /// If the response is too long or damaged, reads the rows in smaller parts, and reports the
    /// rows that are still unreadable.
    async fn page<T: ServiceRecord>(
        &self,
        path: &str,
        filter: &Pairs,
        paging: &Paging,
        call: &Call,
    ) -> ApiResult<Page<T>> {
        match self.part(path, &filter.paged(paging), call).await {
            Err(ApiError::Unreadable { fewer: true, status, what }) if paging.rows_per_page > 1 => {
                let mut parts = PageParts::of(paging, ApiError::Unreadable { fewer: true, status, what });
                while let Some(part) = parts.next() {
                    parts.take(self.part(path, &filter.paged(&part), call).await)?;
                }
                parts.finish()
            }
            page => page,
        }
    }

    async fn part<T: ServiceRecord>(&self, path: &str, query: &Pairs, call: &Call) -> ApiResult<Page<T>> {
        decode::page(&self.all(path, query, call).await?).map_err(strange)
    }

    async fn one<T: ServiceRecord>(&self, path: &str, id: (&'static str, &str), call: &Call) -> ApiResult<T> {
        let data = self.0.fetch(path, Some(id), &Pairs::default(), call).await?.data;
        let nothing = Refusal { status: 200, code: None, message: None };
        decode::single(&data, id).map_err(strange)?.ok_or(ApiError::NotFound(nothing))
    }

    pub async fn ping(&self, call: &Call) -> ApiResult<Ping> {
        let data = self.all(PING, &Pairs::default(), call).await?;
        // The envelope alone proves the key; its data is optional.
        Ok(decode::single(&data, ("", ""))
            .ok()
            .flatten()
            .unwrap_or(Ping { status: None, apikey_prefix: None }))
    }

    /// The contract does not show the shape. If the service has no such endpoint, returns an empty
    /// list with a note.
    pub async fn badge_types(&self, call: &Call) -> ApiResult<BadgeTypes> {
        match self.all("badge-types", &Pairs::default(), call).await {
            Ok(data) => Ok(decode::badge_types(&data)),
            Err(
                ApiError::NotFound(_)
                | ApiError::NotThisService { status: 404, .. }
                | ApiError::Unreadable { status: 404, .. },
            ) => Ok(BadgeTypes {
                types: Vec::new(),
                problems: Vec::new(),
                note: Some(localizable!("The service does not offer badge types (404).")),
            }),
            Err(error) => Err(error),
        }
    }

    pub async fn categories(&self, filter: &CategoryFilter, call: &Call) -> ApiResult<Listed<Category>> {
        let data = self.all("categories", &filter.pairs(), call).await?;
        decode::listed(&data).map_err(strange)
    }

    pub async fn category(&self, id: &CategoryId, call: &Call) -> ApiResult<Category> {
        self.one("categories", ("category_id", id.wire()), call).await
    }

    pub async fn templates(&self, query: &TemplateQuery, call: &Call) -> ApiResult<Page<Template>> {
        self.page("badge-templates", &query.filter.pairs(), &query.paging, call).await
    }

    pub async fn template(&self, id: &TemplateId, call: &Call) -> ApiResult<TemplateDetail> {
        self.one("badge-templates", ("template_id", id.wire()), call).await
    }

    pub async fn history(&self, query: &HistoryQuery, call: &Call) -> ApiResult<Page<HistoryItem>> {
        let page: Page<HistoryItem> =
            self.page("badges/history", &query.filter.pairs(), &query.paging, call).await?;
        let times = page.items.iter().flat_map(|(_, item)| [item.reg_date.as_ref(), item.issued_at.as_ref()]);
        self.witness(times.flatten());
        Ok(page)
    }

    pub async fn badge(&self, id: &BadgeId, call: &Call) -> ApiResult<Badge> {
        check_badge_id(id)?;
        let badge: Badge = self.one("badges", ("badge_id", id.wire()), call).await?;
        self.witness(badge.issued_at.iter());
        Ok(badge)
    }

    pub async fn wallet(&self, query: &WalletQuery, call: &Call) -> ApiResult<Page<WalletBadge>> {
        if query.email.trim().is_empty() {
            let why = localizable!("an e-mail address is needed to look up a wallet");
            return Err(ApiError::BadInput { field: "email", why });
        }
        let holder = Pairs::of_holder(&query.email);
        let page: Page<WalletBadge> = self.page("wallet/badges", &holder, &query.paging, call).await?;
        self.witness(page.items.iter().filter_map(|(_, badge)| badge.issued_at.as_ref()));
        Ok(page)
    }

    pub async fn wallet_of(&self, email: &str, most: u64, call: &Call) -> ApiResult<ReadList<WalletBadge>> {
        let fetch = |wanted: PageRequest| {
            let query = WalletQuery { email: email.to_owned(), paging: wanted.paging() };
            async move { self.wallet(&query, call).await }
        };
        read_at_most(most, |badge| badge.badge_id.clone(), fetch).await
    }

    /// Sends at most `most` requests. The filter may match partially: `lee@x` matches `annlee@x` too.
    pub async fn history_of(&self, email: &str, most: u64, call: &Call) -> ApiResult<ReadList<HistoryItem>> {
        let filter = HistoryFilter { recipient_email: Some(email.to_owned()), ..HistoryFilter::default() };
        let fetch = |wanted: PageRequest| {
            let query = HistoryQuery { filter: filter.clone(), paging: wanted.paging() };
            async move { self.history(&query, call).await }
        };
        read_at_most(most, |item| item.badge_id.clone(), fetch).await
    }

    /// Past events are not in the future, so these times limit the clock's offset: see [`ServiceClock::reach`].
    fn witness<'a>(&self, happened: impl Iterator<Item = &'a ServiceTime>) {
        let mut clock = self.0.clock.lock().unwrap_or_else(PoisonError::into_inner);
        happened.for_each(|time| clock.reach(time));
    }

    /// Reports every change, except those by passing time: see [`LinkStatus::next_change`].
    pub fn link(&self) -> watch::Receiver<LinkStatus> {
        self.0.pace.watch()
    }

    /// Also updates [`Reader::link`].
    pub fn link_now(&self) -> LinkStatus {
        self.0.pace.status_now()
    }

    /// Why this computer sends only its own share of a limit that a team shares without this process. `None` if there is
    /// no team.
    pub fn own_share(&self) -> Option<Localizable> {
        self.0.pace.own_share()
    }

    /// Checks, without a request to the service, whether it shares its limit. [`Reader::link`] reports a change.
    pub async fn check_sharing(&self) {
        self.0.pace.check_sharing().await;
    }

    pub fn longest_read(&self) -> Option<UnderWay> {
        self.0.pace.longest_read()
    }

    /// Sends one `GET /ping` despite a hold, if a person asked for it. Sends nothing else. A response ends the
    /// hold; otherwise the hold stays or gets longer.
    pub async fn ping_now(&self, call: &Call) -> ApiResult<()> {
        self.0.ping_now(call).await.map(drop)
    }

    pub fn clock(&self) -> ServiceClock {
        *self.0.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn recall_offset(&self, known: crate::domain::time::KnownOffset) {
        self.0.clock.lock().unwrap_or_else(PoisonError::into_inner).recall(known);
    }

    pub fn learn_offset(&self, recorded: &ServiceTime, happened: jiff::Timestamp) -> bool {
        self.0.clock.lock().unwrap_or_else(PoisonError::into_inner).learn(recorded, happened)
    }

    /// Oldest first, at most `LOG_LENGTH`.
    pub fn log(&self) -> Vec<LogEntry> {
        self.0.log.entries()
    }

    /// Waits until a request with a [`LogEntry::no`] above `no` has ended.
    pub async fn log_beyond(&self, no: u64) {
        self.0.log.beyond(no).await;
    }

    pub fn base_path(&self) -> String {
        self.0.base.path()
    }

    /// Scheme, host and port: the only place that the key is sent to.
    pub fn origin(&self) -> String {
        self.0.base.origin()
    }

    /// A relative URL (of the wallet) is at the service's origin. `None` if it is neither http nor https.
    pub fn picture_url(&self, raw: &Text) -> Option<String> {
        self.0.base.picture(raw.wire())
    }
}
