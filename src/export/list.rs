//! What can be asked of each list that pages.

use super::record::{Record, Row, Shape};
use crate::api::{ApiError, Call, HistoryQuery, Paging, Reader, Sort, TemplateQuery, WalletQuery};
use crate::domain::{HistoryItem, Page, Template, WalletBadge};
use jiff::civil::DateTime;

/// A list that pages, with its filter and its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum List {
    /// `GET /badge-templates`.
    Templates(TemplateQuery),
    /// `GET /badges/history`.
    History(HistoryQuery),
    /// `GET /wallet/badges`.
    Wallet(WalletQuery),
}

impl List {
    /// What its rows look like.
    pub fn shape(&self) -> &'static Shape {
        match self {
            Self::Templates(_) => &Template::SHAPE,
            Self::History(_) => &HistoryItem::SHAPE,
            Self::Wallet(_) => &WalletBadge::SHAPE,
        }
    }

    /// Which page is asked for, in which order.
    pub fn paging(&self) -> &Paging {
        match self {
            Self::Templates(query) => &query.paging,
            Self::History(query) => &query.paging,
            Self::Wallet(query) => &query.paging,
        }
    }

    fn paging_mut(&mut self) -> &mut Paging {
        match self {
            Self::Templates(query) => &mut query.paging,
            Self::History(query) => &mut query.paging,
            Self::Wallet(query) => &mut query.paging,
        }
    }

    /// The same list in the same order, but another page of it.
    #[must_use]
    pub fn at(mut self, page: u64, rows_per_page: u32) -> Self {
        let paging = self.paging_mut();
        (paging.page, paging.rows_per_page) = (page, rows_per_page);
        self
    }

    /// The same list in another order.
    #[must_use]
    pub fn sorted(mut self, sort: Vec<Sort>) -> Self {
        self.paging_mut().sort = sort;
        self
    }

    /// Reads the page that is asked for.
    ///
    /// # Errors
    /// As the client's.
    pub async fn read(&self, reader: &Reader, call: &Call) -> Result<Page<Row>, ApiError> {
        let now = || reader.clock().now();
        Ok(match self {
            Self::Templates(query) => rows(reader.templates(query, call).await?, now()),
            Self::History(query) => rows(reader.history(query, call).await?, now()),
            Self::Wallet(query) => rows(reader.wallet(query, call).await?, now()),
        })
    }
}

fn rows<R: Record>(page: Page<R>, now: DateTime) -> Page<Row> {
    Page {
        items: page.items.iter().map(|(place, record)| (*place, Row::of(record, now))).collect(),
        list_len: page.list_len,
        total_count: page.total_count,
        page: page.page,
        rows_per_page: page.rows_per_page,
        problems: page.problems,
    }
}
