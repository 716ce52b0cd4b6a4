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

/// Declares a filter whose fields have the names of the contract, each with how it is sent.
macro_rules! filter {
    ($(#[$meta:meta])* $filter:ident { $($(#[$doc:meta])* $name:ident: $type:ty => $sent:path,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $filter {
            $($(#[$doc])* pub $name: Option<$type>,)+
        }

        impl $filter {
            pub(super) fn pairs(&self) -> Pairs {
                let mut pairs: Vec<(&'static str, String)> = Vec::new();
                $(pairs.extend(self.$name.as_ref().map(|value| (stringify!($name), $sent(value).into())));)+
                pairs.retain(|(_, value)| !value.is_empty());
                Pairs(pairs)
            }
        }
    };
}

filter! {
    TemplateFilter {
        template_id: TemplateId => TemplateId::wire,
        /// Partial match.
        title: String => String::as_str,
        use_yn: bool => yes_no,
        category_id: CategoryId => CategoryId::wire,
        badge_type: BadgeTypeCode => BadgeTypeCode::wire,
        category_level_id: CategoryLevelId => CategoryLevelId::wire,
        reg_str_date: Date => day,
        reg_end_date: Date => day,
    }
}

filter! {
    HistoryFilter {
        recipient_name: String => String::as_str,
        recipient_email: String => String::as_str,
        title: String => String::as_str,
        issue_start_date: Date => day,
        issue_end_date: Date => day,
        revoke_start_date: Date => day,
        revoke_end_date: Date => day,
    }
}

filter! {
    /// `GET /categories` has no pages.
    CategoryFilter {
        use_yn: bool => yes_no,
        /// Partial match.
        category_name: String => String::as_str,
        level_yn: bool => yes_no,
    }
}

fn yes_no(yes: &bool) -> &'static str {
    if *yes { "Y" } else { "N" }
}

fn day(day: &Date) -> String {
    day.strftime("%Y-%m-%d").to_string()
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
    pub(super) fn of_holder(email: &str) -> Self {
        Self(vec![("email", email.to_owned())])
    }

    pub(super) fn paged(&self, paging: &Paging) -> Self {
        let mut pairs = self.0.clone();
        pairs.push(("page", paging.page.to_string()));
        pairs.push(("rows_per_page", paging.rows_per_page.to_string()));
        for sort in &paging.sort {
            pairs.push(("sort_by", sort.column.clone()));
            pairs.push(("sort_type", sort.word().to_owned()));
        }
        Self(pairs)
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
        let Pairs(pairs) = query.filter.pairs().paged(&query.paging);
        let pairs: Vec<_> = pairs.into_iter().map(|(k, v)| format!("{k}={v}")).collect();
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
