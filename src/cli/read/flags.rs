//! The arguments of the reading verbs: every filter of each endpoint under the contract's name, and the
//! output format.

use crate::api::{
    CategoryFilter, DEFAULT_ROWS_PER_PAGE, Direction, HistoryFilter, HistoryQuery, MAX_ROWS_PER_PAGE, Paging,
    Sort, TemplateFilter, TemplateQuery, WalletQuery,
};
use crate::cli::flags::{ProfileFlags, whole, whole_from};
use crate::cli::prelude::*;
use crate::cli::{completion, help};
use crate::domain::{
    Address, BadgeTypeCode, CategoryId, CategoryLevelId, HistoryItem, Template, TemplateId, WalletBadge,
};
use crate::export::{List, Record};
use clap::ArgGroup;
use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser};
use jiff::civil::Date;

#[derive(Clone, Debug, Subcommand)]
pub enum ReadVerb {
    /// List badge templates
    #[command(long_about = help::TEMPLATES, after_help = help::LIST_EXAMPLES)]
    Templates(Box<TemplatesFlags>),
    /// Show one badge template in full
    Template(TemplateFlags),
    /// List the categories with their levels
    Categories(CategoriesFlags),
    /// Show one category
    Category(OneFlags),
    /// List the badge types
    BadgeTypes(BadgeTypesFlags),
    /// List the issuance history
    #[command(long_about = help::HISTORY, after_help = help::LIST_EXAMPLES)]
    History(Box<HistoryFlags>),
    /// List a holder's badges
    #[command(long_about = help::WALLET)]
    Wallet(WalletFlags),
    /// Show one badge in full
    Badge(OneFlags),
}

impl ReadVerb {
    fn common(&self) -> &CommonFlags {
        match self {
            Self::Templates(verb) => &verb.common,
            Self::Template(verb) => &verb.common,
            Self::Category(verb) | Self::Badge(verb) => &verb.common,
            Self::Categories(verb) => &verb.common,
            Self::BadgeTypes(verb) => &verb.common,
            Self::History(verb) => &verb.common,
            Self::Wallet(verb) => &verb.common,
        }
    }

    pub fn who(&self) -> &ProfileFlags {
        &self.common().who
    }

    pub fn texts(&self) -> Vec<&str> {
        let texts = match self {
            Self::Templates(verb) => {
                vec![&verb.template_id, &verb.title, &verb.category_id, &verb.category_level_id]
            }
            Self::History(verb) => vec![&verb.recipient_name, &verb.recipient_email, &verb.title],
            Self::Categories(verb) => vec![&verb.category_name],
            Self::Template(verb) => return vec![&verb.id],
            Self::Category(verb) | Self::Badge(verb) => return vec![&verb.id],
            Self::Wallet(verb) => return vec![&verb.email],
            Self::BadgeTypes(_) => Vec::new(),
        };
        texts.into_iter().flatten().map(String::as_str).collect()
    }

    pub(super) fn out(&self) -> &OutFlags {
        &self.common().out
    }

    pub fn wants_json(&self) -> bool {
        self.out().json
    }
}

#[derive(Clone, Debug, Args)]
pub struct TemplatesFlags {
    /// Only the template with this id
    #[arg(long, value_name = "ID", value_parser = not_empty, help_heading = "Filters", add = completion::of_template_ids())]
    template_id: Option<String>,
    /// Only titles that contain this text
    #[arg(long, value_name = "TEXT", value_parser = not_empty, help_heading = "Filters")]
    title: Option<String>,
    /// Only those in use (Y) or not (N)
    #[arg(long, value_name = "Y|N", value_parser = yes_no(), ignore_case = true, help_heading = "Filters")]
    use_yn: Option<bool>,
    /// Only this category
    #[arg(long, value_name = "ID", value_parser = not_empty, help_heading = "Filters")]
    category_id: Option<String>,
    /// Only this badge type
    #[arg(long, value_name = "TYPE", value_parser = badge_type(), ignore_case = true, help_heading = "Filters")]
    badge_type: Option<BadgeTypeCode>,
    /// Only this category level
    #[arg(long, value_name = "ID", value_parser = not_empty, help_heading = "Filters")]
    category_level_id: Option<String>,
    /// Registered on this date or later, such as 2026-01-31
    #[arg(long, value_name = "DATE", value_parser = date, help_heading = "Filters")]
    reg_str_date: Option<Date>,
    /// Registered on this date or earlier
    #[arg(long, value_name = "DATE", value_parser = date, help_heading = "Filters")]
    reg_end_date: Option<Date>,
    /// Sort by a column; repeat it to sort equal values further
    #[arg(long, value_name = "COLUMN[:asc|desc]", value_parser = sort::<Template>, help_heading = "Pages")]
    sort: Vec<Sort>,
    #[command(flatten)]
    pub(super) pages: PageFlags,
    #[command(flatten)]
    common: CommonFlags,
}

impl TemplatesFlags {
    pub(super) fn list(&self) -> List {
        let filter = TemplateFilter {
            template_id: self.template_id.clone().and_then(TemplateId::new),
            title: self.title.clone(),
            use_yn: self.use_yn,
            category_id: self.category_id.clone().and_then(CategoryId::new),
            badge_type: self.badge_type.clone(),
            category_level_id: self.category_level_id.clone().and_then(CategoryLevelId::new),
            reg_str_date: self.reg_str_date,
            reg_end_date: self.reg_end_date,
        };
        List::Templates(TemplateQuery { filter, paging: self.pages.paging(&self.sort) })
    }
}

#[derive(Clone, Debug, Args)]
pub struct HistoryFlags {
    /// Only holders with this name
    #[arg(long, value_name = "NAME", value_parser = not_empty, help_heading = "Filters")]
    recipient_name: Option<String>,
    /// Only badges sent to this e-mail address
    #[arg(long, value_name = "EMAIL", value_parser = not_empty, help_heading = "Filters")]
    recipient_email: Option<String>,
    /// Only badges with this title
    #[arg(long, value_name = "TEXT", value_parser = not_empty, help_heading = "Filters")]
    title: Option<String>,
    /// Issued on this date or later, such as 2026-01-31
    #[arg(long, value_name = "DATE", value_parser = date, help_heading = "Filters")]
    issue_start_date: Option<Date>,
    /// Issued on this date or earlier
    #[arg(long, value_name = "DATE", value_parser = date, help_heading = "Filters")]
    issue_end_date: Option<Date>,
    /// Revoked on this date or later
    #[arg(long, value_name = "DATE", value_parser = date, help_heading = "Filters")]
    revoke_start_date: Option<Date>,
    /// Revoked on this date or earlier
    #[arg(long, value_name = "DATE", value_parser = date, help_heading = "Filters")]
    revoke_end_date: Option<Date>,
    /// Sort by a column; repeat it to sort equal values further
    #[arg(long, value_name = "COLUMN[:asc|desc]", value_parser = sort::<HistoryItem>, help_heading = "Pages")]
    sort: Vec<Sort>,
    #[command(flatten)]
    pub(super) pages: PageFlags,
    #[command(flatten)]
    common: CommonFlags,
}

impl HistoryFlags {
    pub(super) fn list(&self) -> List {
        let filter = HistoryFilter {
            recipient_name: self.recipient_name.clone(),
            recipient_email: self.recipient_email.clone(),
            title: self.title.clone(),
            issue_start_date: self.issue_start_date,
            issue_end_date: self.issue_end_date,
            revoke_start_date: self.revoke_start_date,
            revoke_end_date: self.revoke_end_date,
        };
        List::History(HistoryQuery { filter, paging: self.pages.paging(&self.sort) })
    }

    /// No badge matches dates in the wrong order.
    pub(super) fn odd_dates(&self) -> Option<String> {
        let pairs = [
            ("--issue-start-date", self.issue_start_date, "--issue-end-date", self.issue_end_date),
            ("--revoke-start-date", self.revoke_start_date, "--revoke-end-date", self.revoke_end_date),
        ];
        let (start, _, end, _) = pairs.into_iter().find(|(_, start, _, end)| end.is_some() && start > end)?;
        Some(t!("{start} is later than {end}, so no badge matches.", start, end))
    }
}

#[derive(Clone, Debug, Args)]
pub struct WalletFlags {
    /// The holder's e-mail address
    #[arg(value_name = "EMAIL", value_parser = address)]
    pub(super) email: String,
    /// Sort by a column; repeat it to sort equal values further
    #[arg(long, value_name = "COLUMN[:asc|desc]", value_parser = sort::<WalletBadge>, help_heading = "Pages")]
    sort: Vec<Sort>,
    #[command(flatten)]
    pub(super) pages: PageFlags,
    #[command(flatten)]
    common: CommonFlags,
}

impl WalletFlags {
    pub(super) fn list(&self) -> List {
        List::Wallet(WalletQuery { email: self.email.clone(), paging: self.pages.paging(&self.sort) })
    }
}

#[derive(Clone, Debug, Args)]
pub struct CategoriesFlags {
    /// Only those in use (Y) or not (N)
    #[arg(long, value_name = "Y|N", value_parser = yes_no(), ignore_case = true, help_heading = "Filters")]
    use_yn: Option<bool>,
    /// Only names that contain this text
    #[arg(long, value_name = "TEXT", value_parser = not_empty, help_heading = "Filters")]
    category_name: Option<String>,
    /// Only categories with levels (Y) or without (N)
    #[arg(long, value_name = "Y|N", value_parser = yes_no(), ignore_case = true, help_heading = "Filters")]
    level_yn: Option<bool>,
    #[command(flatten)]
    common: CommonFlags,
}

impl CategoriesFlags {
    pub(super) fn filter(&self) -> CategoryFilter {
        CategoryFilter {
            use_yn: self.use_yn,
            category_name: self.category_name.clone(),
            level_yn: self.level_yn,
        }
    }
}

#[derive(Clone, Debug, Args)]
pub struct TemplateFlags {
    /// The id or the exact title of the template
    #[arg(value_name = "ID|TITLE", value_parser = not_empty, add = completion::of_templates())]
    pub(super) id: String,
    #[command(flatten)]
    common: CommonFlags,
}

#[derive(Clone, Debug, Args)]
pub struct OneFlags {
    /// The id to show
    #[arg(value_name = "ID", value_parser = not_empty)]
    pub(super) id: String,
    #[command(flatten)]
    common: CommonFlags,
}

#[derive(Clone, Debug, Args)]
pub struct BadgeTypesFlags {
    #[command(flatten)]
    common: CommonFlags,
}

/// What every reading verb takes.
#[derive(Clone, Debug, Args)]
struct CommonFlags {
    #[command(flatten)]
    out: OutFlags,
    #[command(flatten)]
    who: ProfileFlags,
}

/// How much of a list is read.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Pages")]
pub struct PageFlags {
    /// Page number, from 1 [default: 1]
    #[arg(long, value_name = "N", value_parser = whole_from(1_u64))]
    page: Option<u64>,
    /// Rows per page, 1 to 100 [default: 20]
    #[arg(long, value_name = "N", value_parser = whole(1, MAX_ROWS_PER_PAGE))]
    rows: Option<u32>,
    /// Read the whole list, complete and without duplicates
    #[arg(long, conflicts_with_all = ["page", "rows"])]
    pub(super) all: bool,
}

impl PageFlags {
    fn paging(&self, sort: &[Sort]) -> Paging {
        Paging {
            page: self.page.unwrap_or(1),
            rows_per_page: self.rows.unwrap_or(DEFAULT_ROWS_PER_PAGE),
            sort: sort.to_vec(),
        }
    }
}

/// How the answer is given; without any of these, as a table for people.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Output", group(ArgGroup::new("as").args(["json", "jsonl", "csv", "xlsx"])))]
pub struct OutFlags {
    /// Print one line of JSON, also on failure
    #[arg(long)]
    pub(super) json: bool,
    /// Print one line of JSON per record
    #[arg(long)]
    pub(super) jsonl: bool,
    /// Print CSV in UTF-8
    #[arg(long)]
    pub(super) csv: bool,
    /// Write an Excel file that only you can read
    #[arg(long, value_name = "FILE", value_parser = a_file())]
    pub(super) xlsx: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long, requires = "xlsx")]
    pub(super) force: bool,
}

fn not_empty(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err(t!("it is empty").to_owned()),
        text => Ok(text.to_owned()),
    }
}

/// The service would answer for any text. The TUI checks the address the same way.
fn address(text: &str) -> Result<String, String> {
    Address::check(text).map(|address| address.as_str().to_owned()).map_err(|why| why.to_string())
}

/// Elsewhere `-` means standard output, which cannot take a spreadsheet.
fn a_file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        if path.as_os_str() == "-" {
            return Err(t!("a spreadsheet needs a file name, such as list.xlsx").to_owned());
        }
        Ok(path)
    })
}

fn yes_no() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["Y", "N"]).map(|word| word.eq_ignore_ascii_case("y"))
}

/// The five values of the contract ("Badge template (detail)").
const BADGE_TYPES: [&str; 5] = ["COMPLETE", "COMPETENCY", "ACHIEVE", "PARTICIPATE", "CERTIFICATE"];

fn badge_type() -> impl TypedValueParser<Value = BadgeTypeCode> {
    PossibleValuesParser::new(BADGE_TYPES).map(|word| BadgeTypeCode::new(&word))
}

fn date(text: &str) -> Result<Date, String> {
    Date::strptime("%Y-%m-%d", text.trim())
        .map_err(|_| t!("it is not a date; use YYYY-MM-DD, such as 2026-01-31").to_owned())
}

/// The contract does not list the allowed `sort_by` columns, so lapel accepts the record's own fields.
fn sort<R: Record>(text: &str) -> Result<Sort, String> {
    let (column, direction) = match text.split_once(':') {
        None => (text, Direction::Asc),
        Some((column, word)) if word.eq_ignore_ascii_case("asc") => (column, Direction::Asc),
        Some((column, word)) if word.eq_ignore_ascii_case("desc") => (column, Direction::Desc),
        Some((_, word)) => {
            return Err(t!("`{word}` is not a direction; use asc or desc", word = scrub(word)));
        }
    };
    let columns = R::SHAPE.columns;
    if !columns.contains(&column) {
        return Err(t!(
            "there is no column `{column}`; columns: {columns}",
            column = scrub(column),
            columns = list(columns.iter().copied())
        ));
    }
    Ok(Sort::new(column, direction))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sort_names_a_column_and_a_direction() {
        assert_eq!(sort::<HistoryItem>("title"), Ok(Sort::new("title", Direction::Asc)));
        assert_eq!(sort::<HistoryItem>("issued_at:DESC"), Ok(Sort::new("issued_at", Direction::Desc)));
        assert!(
            sort::<HistoryItem>("nonsense").expect_err("unknown").contains("recipient_email, status_name")
        );
        assert!(sort::<HistoryItem>("title:up").expect_err("no direction").contains("asc or desc"));
        assert!(sort::<WalletBadge>("recipient_email").is_err(), "each list has its own");
    }

    #[test]
    fn the_badge_types_are_the_contracts() {
        assert_eq!(BADGE_TYPES.map(BadgeTypeCode::new), BadgeTypeCode::KNOWN);
    }

    #[test]
    fn a_date_is_a_day_of_the_calendar() {
        assert_eq!(date("2026-02-28"), Ok(jiff::civil::date(2026, 2, 28)));
        for wrong in ["2026-02-30", "2026/02/03", "yesterday", "2026-02-03 10:00", ""] {
            assert!(date(wrong).is_err(), "{wrong}");
        }
    }
}
