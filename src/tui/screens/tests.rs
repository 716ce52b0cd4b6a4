//! The fields of all lists and panes together.

use super::{activity, badge, templates, wallet};
use crate::domain::{HistoryItem, Template};
use crate::tui::widgets::filtered_list::ListRecord;
use crate::tui::widgets::job_rows;
use crate::tui::widgets::record_field::RecordField;
use crate::tui::widgets::table_header::ColumnDef;
use std::collections::{BTreeMap, BTreeSet};

/// Second titles of a key, each with its reason.
const SECOND_TITLES: [(&str, &str, &str); 7] = [
    ("badge_type", "Type", "the filter also takes the name of a type"),
    ("recipient_name", "Name", "a row has a recipient in an issue job and a holder in a revoke job"),
    ("reg_date", "Registered", "a template is registered, a badge is accepted"),
    ("state", "Status", "a job has a state, a row has a status"),
    ("status_name", "Service state", "the row of a job also has a status of lapel"),
    ("title", "Badge", "beside the holder, it says which badge it is"),
    ("use_yn", "Use", "the column has three cells"),
];

type Title = (&'static str, &'static str);

fn titles(columns: impl IntoIterator<Item = ColumnDef>) -> Vec<Title> {
    columns.into_iter().map(|column| (column.key, column.title)).collect()
}

fn of<R, C>(fields: &[RecordField<R, C>]) -> Vec<Title> {
    titles(fields.iter().map(|field| field.column))
}

fn of_list<R: ListRecord>() -> Vec<Title> {
    let filters = R::FILTERS.iter().map(|spec| (spec.name, spec.label));
    of(R::FIELDS).into_iter().chain(filters).collect()
}

#[test]
fn a_key_has_one_title_in_all_lists_panes_copies_and_filters() {
    let all = [
        of_list::<HistoryItem>(),
        of_list::<Template>(),
        of(templates::DETAILS),
        of(badge::badge_text::FIELDS),
        of(&job_rows::row_fields::fields()),
        titles(wallet::rows::columns()),
        titles(activity::job_fields::defs()),
    ];
    let found: BTreeSet<Title> = all.into_iter().flatten().collect();
    let mut by_key: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (key, title) in &found {
        if !SECOND_TITLES.iter().any(|(known, second, _)| (known, second) == (key, title)) {
            by_key.entry(key).or_default().push(title);
        }
    }
    assert!(by_key.len() > 30, "{by_key:?}");
    by_key.retain(|_, all| all.len() > 1);
    assert!(by_key.is_empty(), "one key, several titles: {by_key:?}");
    for (key, second, why) in SECOND_TITLES {
        assert!(found.contains(&(key, second)), "nothing has this second title: {key}, {second} ({why})");
    }
}
