//! The paged lists that can be exported.

use super::record::{ExportRow, Record, RecordShape};
use crate::api::{ApiError, Call, HistoryQuery, Paging, Reader, Sort, TemplateQuery, WalletQuery};
use crate::domain::{HistoryItem, Page, Template, WalletBadge};
use jiff::civil::DateTime;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum List {
    Templates(TemplateQuery),
    History(HistoryQuery),
    Wallet(WalletQuery),
}

impl List {
    pub fn shape(&self) -> &'static RecordShape {
        match self {
            Self::Templates(_) => &Template::SHAPE,
            Self::History(_) => &HistoryItem::SHAPE,
            Self::Wallet(_) => &WalletBadge::SHAPE,
        }
    }

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

    #[must_use]
    pub fn at(mut self, page: u64, rows_per_page: u32) -> Self {
        let paging = self.paging_mut();
        (paging.page, paging.rows_per_page) = (page, rows_per_page);
        self
    }

    #[must_use]
    pub fn sorted(mut self, sort: Vec<Sort>) -> Self {
        self.paging_mut().sort = sort;
        self
    }

    pub async fn read(&self, reader: &Reader, call: &Call) -> Result<Page<ExportRow>, ApiError> {
        let now = || reader.clock().now();
        Ok(match self {
            Self::Templates(query) => rows(reader.templates(query, call).await?, now()),
            Self::History(query) => rows(reader.history(query, call).await?, now()),
            Self::Wallet(query) => rows(reader.wallet(query, call).await?, now()),
        })
    }
}

fn rows<R: Record>(page: Page<R>, now: DateTime) -> Page<ExportRow> {
    Page {
        items: page.items.iter().map(|(place, record)| (*place, ExportRow::of(record, now))).collect(),
        list_len: page.list_len,
        total_count: page.total_count,
        page: page.page,
        rows_per_page: page.rows_per_page,
        problems: page.problems,
    }
}
