//! The first view set on the command line: `--tab` and `--filter`.

use crate::tui::prelude::*;
use crate::tui::tab::Tab;
use crate::tui::widgets::filter::{self, FilterField, FilterValue};
use crate::tui::widgets::filtered_list::ListRecord;

/// Overrides the saved layout. Used once, for the first profile that is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InitialView {
    pub(in crate::tui) tab: Option<Tab>,
    /// The filter of that tab's list: field names of the contract with values. If empty, the saved filter stays.
    pub(in crate::tui) filter: Vec<(String, String)>,
}

impl InitialView {
    /// A field has its name in the contract or its label in the filter bar. Without a tab, filters apply to the
    /// history. The error names the wrong flag and the valid values.
    pub fn of(tab: Option<&str>, filters: &[String]) -> Result<Self, String> {
        let tab = match tab {
            Some(word) => Some(Tab::from_word(word).ok_or_else(|| {
                t!(
                    "--tab {word}: unknown tab. Use one of: {words}.",
                    word = scrub(word),
                    words = list(Tab::ALL.iter().map(|(tab, _)| tab.word()))
                )
            })?),
            None => None,
        };
        if filters.is_empty() {
            return Ok(Self { tab, filter: Vec::new() });
        }
        let tab = tab.unwrap_or(Tab::History);
        let filter = match tab {
            Tab::Templates => read::<Template>(filters)?,
            Tab::History => read::<HistoryItem>(filters)?,
            _ => {
                return Err(t!(
                    "--filter: this tab has no list to filter. Use it with --tab templates or --tab history."
                )
                .to_owned());
            }
        };
        Ok(Self { tab: Some(tab), filter })
    }
}

fn read<T: ListRecord>(filters: &[String]) -> Result<Vec<(String, String)>, String> {
    let mut read: Vec<(String, String)> = Vec::new();
    for given in filters {
        let fields = || list(T::FILTERS.iter().map(|spec| spec.name));
        let shown = scrub(given);
        let Some((name, value)) = given.split_once('=') else {
            return Err(t!(
                "--filter {shown}: write FIELD=VALUE, such as title=Python. Fields: {fields}.",
                shown,
                fields = fields()
            ));
        };
        let is_meant = |spec: &&FilterField| {
            let word = spec.word.trim_end_matches(':');
            [spec.name, spec.label, word].iter().any(|called| bare(called) == bare(name))
        };
        let Some(spec) = T::FILTERS.iter().find(is_meant) else {
            return Err(t!(
                "--filter {shown}: unknown field. Fields of this list: {fields}.",
                shown,
                fields = fields()
            ));
        };
        if read.iter().any(|(before, _)| before == spec.name) {
            return Err(t!("--filter {shown}: this field is given twice.", shown));
        }
        match filter::check(*spec, value) {
            Ok(FilterValue::Empty) => {
                return Err(t!("--filter {shown}: the value after = is missing.", shown));
            }
            Ok(_) => read.push((spec.name.to_owned(), value.trim().to_owned())),
            Err(why) => return Err(format!("--filter {shown}: {why}")),
        }
    }
    Ok(read)
}

fn bare(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tab: Option<&str>, filters: &[&str]) -> Result<InitialView, String> {
        InitialView::of(tab, &filters.iter().map(|f| (*f).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn flags_are_read() {
        assert_eq!(of(None, &[]), Ok(InitialView::default()));
        assert_eq!(of(Some("home"), &[]).map(|w| w.tab), Ok(Some(Tab::Home)));
        assert_eq!(of(Some("overview"), &[]), of(Some("home"), &[]), "the earlier name");
        let wanted =
            of(None, &["title=a=b", "E-mail=lee@naru.example", "issued from=2026-10-01"]).expect("fine");
        assert_eq!(wanted.tab, Some(Tab::History), "one filters the history");
        let names: Vec<&str> = wanted.filter.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["title", "recipient_email", "issue_start_date"]);
        assert_eq!(wanted.filter[0].1, "a=b");
        assert!(of(Some("templates"), &["use_yn=y", "badge_type=compet"]).is_ok());
        for field in ["name", "holder", "recipient-name"] {
            let wanted = of(None, &[&format!("{field}=Lee")]).expect("a field of the history");
            assert_eq!(wanted.filter, [("recipient_name".to_owned(), "Lee".to_owned())], "{field}");
        }
    }

    #[test]
    fn mistakes_name_the_flag_and_what_would_be_right() {
        for (tab, filters, said) in [
            (Some("attic"), &[][..], "--tab attic: unknown tab. Use one of: home, templates, history"),
            (Some("wallet"), &["title=x"][..], "--tab templates or --tab history"),
            (None, &["title"][..], "write FIELD=VALUE"),
            (None, &["use_yn=Y"][..], "recipient_name, recipient_email, title, issue_start_date"),
            (Some("templates"), &["recipient_name=x"][..], "title, use_yn, badge_type, category_id"),
            (None, &["issue_start_date=tomorrow"][..], "is not a date"),
            (None, &["title=x", "Title=y"][..], "given twice"),
            (None, &["title= "][..], "value after = is missing"),
        ] {
            let why = of(tab, filters).expect_err(said);
            assert!(why.contains(said), "{why}");
        }
    }
}
