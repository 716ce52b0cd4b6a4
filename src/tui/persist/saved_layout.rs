//! The layout that lapel saves per profile in a private file: the open tab, and each list's columns, sort order
//! and filter. A filter may contain a name or an address. The file holds no other data of the service.

pub mod layout_file;

use crate::tui::prelude::*;
use crate::tui::tab::Tab;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// Version of the file format; a higher number is from a newer lapel.
const VERSION: u64 = 1;
/// Maximum number of entries of a kind that are read. No list has more.
const MOST: usize = 64;
/// Longest text that is read, in characters, as in a field.
const LONGEST: usize = 2_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewUse {
    pub file: PathBuf,
    /// Whether to keep the layout; if not, lapel removes a saved one.
    pub keep: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SavedLayout {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<Tab>,
    #[serde(skip_serializing_if = "ListView::is_default")]
    pub templates: ListView,
    #[serde(skip_serializing_if = "ListView::is_default")]
    pub history: ListView,
    #[serde(skip_serializing_if = "ListView::is_default")]
    pub wallet: ListView,
    #[serde(skip_serializing_if = "ListView::is_default")]
    pub jobs: ListView,
    #[serde(rename = "job_rows", skip_serializing_if = "ListView::is_default")]
    pub rows: ListView,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ListView {
    /// The columns in order; empty for the default columns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<SortView>,
    /// Names of filter fields in the contract, with the typed text.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_object")]
    pub filter: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ColumnView {
    /// The field, by its name in the contract if it has one.
    pub field: String,
    pub shown: bool,
    /// The width in cells, if the user set one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SortView {
    pub field: String,
    pub descending: bool,
}

/// The version comes first.
#[derive(Serialize)]
struct LayoutFile<'a> {
    version: u64,
    #[serde(flatten)]
    view: &'a SavedLayout,
}

fn as_object<S: Serializer>(filter: &[(String, String)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(filter.iter().map(|(name, text)| (name, text)))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoView {
    Damaged,
    Newer,
}

impl SavedLayout {
    pub fn to_json(&self) -> String {
        format!("{:#}\n", json!(LayoutFile { version: VERSION, view: self }))
    }

    /// Leaves unknown parts out.
    pub fn from_json(text: &str) -> Result<Self, NoView> {
        let value: Value = serde_json::from_str(text).map_err(|_| NoView::Damaged)?;
        match value.get("version").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(other) if other > VERSION => return Err(NoView::Newer),
            _ => return Err(NoView::Damaged),
        }
        Ok(Self {
            tab: value.get("tab").and_then(Value::as_str).and_then(Tab::from_word),
            templates: ListView::from_value(value.get("templates")),
            history: ListView::from_value(value.get("history")),
            wallet: ListView::from_value(value.get("wallet")),
            jobs: ListView::from_value(value.get("jobs")),
            rows: ListView::from_value(value.get("job_rows")),
        })
    }
}

impl ListView {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }

    fn from_value(value: Option<&Value>) -> Self {
        let of = |name: &str| value.and_then(|value| value.get(name));
        let columns = of("columns").and_then(Value::as_array).into_iter().flatten().take(MOST);
        let columns = columns.filter_map(|column| {
            Some(ColumnView {
                field: text(column.get("field"))?,
                shown: column.get("shown").and_then(Value::as_bool).unwrap_or(false),
                width: column.get("width").and_then(Value::as_u64).and_then(|w| usize::try_from(w).ok()),
            })
        });
        let sort = of("sort").and_then(|sort| {
            Some(SortView {
                field: text(sort.get("field"))?,
                descending: sort.get("descending").and_then(Value::as_bool).unwrap_or(false),
            })
        });
        let filter = of("filter").and_then(Value::as_object).into_iter().flatten().take(MOST);
        let filter = filter.filter_map(|(name, value)| Some((name.clone(), text(Some(value))?)));
        Self { columns: columns.collect(), sort, filter: filter.collect() }
    }
}

/// `None` if the text is longer than a field allows.
fn text(value: Option<&Value>) -> Option<String> {
    let text = value?.as_str()?;
    (text.chars().take(LONGEST + 1).count() <= LONGEST).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn some() -> SavedLayout {
        let column = |field: &str, shown, width| ColumnView { field: field.to_owned(), shown, width };
        SavedLayout {
            tab: Some(Tab::History),
            templates: ListView::default(),
            history: ListView {
                columns: vec![column("title", true, Some(30)), column("status_name", false, None)],
                sort: Some(SortView { field: "issued_at".to_owned(), descending: true }),
                filter: vec![("title".to_owned(), "파이썬 \"\\ \u{1b}[2J".to_owned())],
            },
            wallet: ListView { columns: vec![column("badge_id", true, None)], ..ListView::default() },
            jobs: ListView {
                sort: Some(SortView { field: "rows".to_owned(), descending: false }),
                ..ListView::default()
            },
            rows: ListView { columns: vec![column("no", true, Some(7))], ..ListView::default() },
        }
    }

    #[test]
    fn a_saved_layout_is_read_back_unchanged() {
        for view in [some(), SavedLayout::default()] {
            assert_eq!(SavedLayout::from_json(&view.to_json()), Ok(view));
        }
    }

    /// Pins the file format: its names must not change.
    #[test]
    fn a_file_of_today_is_read_and_written() {
        let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/pins/samples/view.json"));
        assert_eq!(SavedLayout::from_json(text), Ok(some()));
        assert_eq!(some().to_json(), text);
    }

    #[test]
    fn what_is_no_view_is_damaged_and_what_is_newer_is_left_alone() {
        for text in
            ["", "{", "[]", "{}", "null", r#"{"version":"1"}"#, r#"{"version":0}"#, r#"{"version":-1}"#]
        {
            assert_eq!(SavedLayout::from_json(text), Err(NoView::Damaged), "{text}");
        }
        assert_eq!(SavedLayout::from_json(r#"{"version":2,"tab":7}"#), Err(NoView::Newer));
    }

    #[test]
    fn what_has_another_form_is_left_out() {
        let text = r#"{"version":1,"tab":"attic","templates":7,"history":{"columns":[1,{"field":7},
            {"field":"title","width":-3,"shown":"yes"}],"sort":{"descending":true},"filter":{"title":[1],
            "recipient_name":"x"},"more":1},"more":{}}"#;
        let view = SavedLayout::from_json(text).expect("a view");
        assert_eq!((view.tab, &view.templates), (None, &ListView::default()));
        let column = ColumnView { field: "title".to_owned(), shown: false, width: None };
        assert_eq!(view.history.columns, [column]);
        assert_eq!(view.history.sort, None);
        assert_eq!(view.history.filter, [("recipient_name".to_owned(), "x".to_owned())]);
    }

    proptest! {
        #[test]
        fn no_text_does_harm(text in "\\PC{0,80}", cut in 0usize..400) {
            let _ = SavedLayout::from_json(&text);
            let whole = some().to_json();
            let cut: String = whole.chars().take(cut).collect();
            if let Ok(view) = SavedLayout::from_json(&cut) {
                prop_assert_eq!(view, some());
            }
        }
    }
}
