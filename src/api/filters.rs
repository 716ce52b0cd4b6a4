//! Query parameters of lists: filters, paging and sorting (contract, "Endpoints").
//!
//! All types are plain data that can be compared and hashed, for use as cache keys. Empty texts are not sent.

use crate::domain::{BadgeTypeCode, CategoryId, CategoryLevelId, TemplateId};
use jiff::civil::Date;

pub const DEFAULT_ROWS_PER_PAGE: u32 = 20;
pub const MAX_ROWS_PER_PAGE: u32 = 100;
/// Maximum pages of one holder's badges that a lookup reads.
pub const HOLDER_PAGES: u64 = 20;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Paging {
    /// From 1.
    pub page: u64,
    /// At most 100. Not checked here; the service decides.
    pub rows_per_page: u32,
    /// Sent as repeated `sort_by` and `sort_type`, in this order.
    pub sort: Vec<Sort>,
}

impl Paging {
    /// Maximum page size, in the service's default order.
    pub fn full(page: u64) -> Self {
        Self { page, rows_per_page: MAX_ROWS_PER_PAGE, sort: Vec::new() }
    }
}

impl Default for Paging {
    fn default() -> Self {
        Self { page: 1, rows_per_page: DEFAULT_ROWS_PER_PAGE, sort: Vec::new() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sort {
    /// Column name. The contract does not show the allowed names.
    pub column: String,
    pub direction: Direction,
    /// The contract does not show the case of a direction.
    pub style: DirectionStyle,
}

impl Sort {
    pub fn new(column: impl Into<String>, direction: Direction) -> Self {
        Self { column: column.into(), direction, style: DirectionStyle::Upper }
    }

    fn word(&self) -> &'static str {
        match (self.direction, self.style) {
            (Direction::Asc, DirectionStyle::Upper) => "ASC",
            (Direction::Desc, DirectionStyle::Upper) => "DESC",
            (Direction::Asc, DirectionStyle::Lower) => "asc",
            (Direction::Desc, DirectionStyle::Lower) => "desc",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    Asc,
    Desc,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DirectionStyle {
    #[default]
    Upper,
    Lower,
}

impl DirectionStyle {
    /// Lower case after upper case, then `None`. After that an export fails, since a person asked
    /// for the order; a screen sorts the loaded page; the index uses the service's order.
    pub fn after_refusal(self) -> Option<Self> {
        (self == Self::Upper).then_some(Self::Lower)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TemplateFilter {
    pub template_id: Option<TemplateId>,
    /// Partial match.
    pub title: Option<String>,
    pub use_yn: Option<bool>,
    pub category_id: Option<CategoryId>,
    pub badge_type: Option<BadgeTypeCode>,
    pub category_level_id: Option<CategoryLevelId>,
    pub reg_str_date: Option<Date>,
    pub reg_end_date: Option<Date>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct HistoryFilter {
    pub recipient_name: Option<String>,
    pub recipient_email: Option<String>,
    pub title: Option<String>,
    pub issue_start_date: Option<Date>,
    pub issue_end_date: Option<Date>,
    pub revoke_start_date: Option<Date>,
    pub revoke_end_date: Option<Date>,
}

/// `GET /categories` has no pages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CategoryFilter {
    pub use_yn: Option<bool>,
    /// Partial match.
    pub category_name: Option<String>,
    pub level_yn: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TemplateQuery {
    pub filter: TemplateFilter,
    pub paging: Paging,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct HistoryQuery {
    pub filter: HistoryFilter,
    pub paging: Paging,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct WalletQuery {
    pub email: String,
    pub paging: Paging,
}

#[derive(Debug, Default)]
pub(super) struct Pairs(pub(super) Vec<(&'static str, String)>);

impl Pairs {
    fn put(&mut self, name: &'static str, value: Option<String>) {
        self.0.extend(value.filter(|value| !value.is_empty()).map(|value| (name, value)));
    }

    fn text(&mut self, name: &'static str, value: Option<&str>) {
        self.put(name, value.map(str::to_owned));
    }

    fn flag(&mut self, name: &'static str, value: Option<bool>) {
        self.put(name, value.map(|yes| if yes { "Y" } else { "N" }.to_owned()));
    }

    fn date(&mut self, name: &'static str, value: Option<Date>) {
        self.put(name, value.map(|day| day.strftime("%Y-%m-%d").to_string()));
    }

    fn paging(mut self, paging: &Paging) -> Self {
        self.0.push(("page", paging.page.to_string()));
        self.0.push(("rows_per_page", paging.rows_per_page.to_string()));
        for sort in &paging.sort {
            self.0.push(("sort_by", sort.column.clone()));
            self.0.push(("sort_type", sort.word().to_owned()));
        }
        self
    }
}

impl CategoryFilter {
    pub(super) fn pairs(&self) -> Pairs {
        let mut p = Pairs::default();
        p.flag("use_yn", self.use_yn);
        p.text("category_name", self.category_name.as_deref());
        p.flag("level_yn", self.level_yn);
        p
    }
}

impl TemplateQuery {
    pub(super) fn pairs(&self) -> Pairs {
        let f = &self.filter;
        let mut p = Pairs::default();
        p.text("template_id", f.template_id.as_ref().map(TemplateId::wire));
        p.text("title", f.title.as_deref());
        p.flag("use_yn", f.use_yn);
        p.text("category_id", f.category_id.as_ref().map(CategoryId::wire));
        p.text("badge_type", f.badge_type.as_ref().map(BadgeTypeCode::wire));
        p.text("category_level_id", f.category_level_id.as_ref().map(CategoryLevelId::wire));
        p.date("reg_str_date", f.reg_str_date);
        p.date("reg_end_date", f.reg_end_date);
        p.paging(&self.paging)
    }
}

impl HistoryQuery {
    pub(super) fn pairs(&self) -> Pairs {
        let f = &self.filter;
        let mut p = Pairs::default();
        p.text("recipient_name", f.recipient_name.as_deref());
        p.text("recipient_email", f.recipient_email.as_deref());
        p.text("title", f.title.as_deref());
        p.date("issue_start_date", f.issue_start_date);
        p.date("issue_end_date", f.issue_end_date);
        p.date("revoke_start_date", f.revoke_start_date);
        p.date("revoke_end_date", f.revoke_end_date);
        p.paging(&self.paging)
    }
}

impl WalletQuery {
    pub(super) fn pairs(&self) -> Pairs {
        Pairs(vec![("email", self.email.clone())]).paging(&self.paging)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_texts_are_not_sent_and_sorting_keeps_its_order() {
        let query = HistoryQuery {
            filter: HistoryFilter {
                recipient_name: Some(String::new()),
                title: Some("파이썬".into()),
                issue_start_date: Some(jiff::civil::date(2026, 1, 9)),
                ..HistoryFilter::default()
            },
            paging: Paging {
                page: 3,
                rows_per_page: 50,
                sort: vec![
                    Sort::new("title", Direction::Desc),
                    Sort { style: DirectionStyle::Lower, ..Sort::new("issued_at", Direction::Asc) },
                ],
            },
        };
        let pairs: Vec<_> = query.pairs().0.into_iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(
            pairs,
            [
                "title=파이썬",
                "issue_start_date=2026-01-09",
                "page=3",
                "rows_per_page=50",
                "sort_by=title",
                "sort_type=DESC",
                "sort_by=issued_at",
                "sort_type=asc"
            ]
        );
    }
}
