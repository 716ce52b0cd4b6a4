//! Finds a template by its id or its title, among all templates of the organisation.
//!
//! The service's own title filter is not used: the contract does not say whether it folds case or composes letters,
//! so it might hide a second template with the same title.

use crate::api::{ApiResult, Reader, TemplateFilter, TemplateQuery, read_at_most};
use crate::domain::Template;
use crate::domain::edit_distance::edits;
use crate::jobs::prelude::*;

/// Maximum pages of templates that are read.
const PAGES: u64 = 200;
/// Maximum number of similar templates that are suggested.
const SIMILAR: usize = 5;
/// Maximum edits between a title and a similar one.
const EDITS: usize = 3;

type TitledTemplate = (TemplateId, Text);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedTemplate {
    One(TitledTemplate),
    /// More than one template has this title, or an id that differs only in case.
    Several(Vec<TitledTemplate>),
    None,
    /// The list could not be read to its end, and no template read so far has this id.
    NotRead,
}

#[derive(Clone, Debug, Default)]
pub struct TemplateNames {
    all: Vec<TitledTemplate>,
    /// Positions in `all` by folded id and by folded title.
    ids: HashMap<String, Vec<usize>>,
    titles: HashMap<String, Vec<usize>>,
    complete: bool,
}

impl TemplateNames {
    /// One request per 100 templates.
    ///
    /// # Errors
    /// The first page could not be read.
    pub async fn read(reader: &Reader, call: &Call) -> ApiResult<Self> {
        let read = read_at_most(
            PAGES,
            |t: &Template| t.template_id.clone(),
            |wanted| {
                let query = TemplateQuery { filter: TemplateFilter::default(), paging: wanted.paging() };
                async move { reader.templates(&query, call).await }
            },
        )
        .await?;
        let all = read.items.into_iter().map(|t| (t.template_id, t.title.unwrap_or_default()));
        Ok(Self::of(all.collect(), read.complete))
    }

    pub(super) fn of(all: Vec<TitledTemplate>, complete: bool) -> Self {
        let mut names = Self { complete, ..Self::default() };
        for (at, (id, title)) in all.iter().enumerate() {
            names.ids.entry(fold(id.wire())).or_default().push(at);
            let title = fold(title.wire());
            if !title.is_empty() {
                names.titles.entry(title).or_default().push(at);
            }
        }
        names.all = all;
        names
    }

    /// Prefers exactly this id. Otherwise case, white space and the composition of letters do not matter. If
    /// the list is incomplete, only an exact id is certain.
    pub fn find(&self, text: &str) -> NamedTemplate {
        let (text, folded) = (text.trim(), fold(text));
        let known = |positions: Option<&Vec<usize>>| -> Vec<TitledTemplate> {
            positions.into_iter().flatten().filter_map(|at| self.all.get(*at).cloned()).collect()
        };
        let mut named = known(self.ids.get(&folded));
        if let Some(exact) = named.iter().find(|(id, _)| id.wire() == text) {
            return NamedTemplate::One(exact.clone());
        }
        if !self.complete {
            return NamedTemplate::NotRead;
        }
        for titled in known(self.titles.get(&folded)) {
            if !named.iter().any(|(id, _)| *id == titled.0) {
                named.push(titled);
            }
        }
        match named.as_slice() {
            [one] => NamedTemplate::One(one.clone()),
            [] => NamedTemplate::None,
            _ => NamedTemplate::Several(named),
        }
    }

    pub fn similar(&self, text: &str) -> Vec<TitledTemplate> {
        let folded = &fold(text);
        // One letter is in most titles.
        if folded.chars().count() < 2 {
            return Vec::new();
        }
        let most = EDITS.min(folded.chars().count() / 2);
        let mut similar: Vec<(usize, &TitledTemplate)> = self
            .all
            .iter()
            .filter_map(|known| {
                let title = fold(known.1.wire());
                let edits = edits(&title, folded, most);
                match title.contains(folded.as_str()) {
                    _ if edits <= most => Some((edits, known)),
                    true => Some((most + 1, known)),
                    false => None,
                }
            })
            .collect();
        similar.sort_by_key(|(edits, _)| *edits);
        similar.into_iter().take(SIMILAR).map(|(_, known)| known.clone()).collect()
    }
}

/// Composed letters, lower case, single spaces.
fn fold(raw: &str) -> String {
    let composed: String = raw.nfc().collect();
    composed.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &[(&str, &str)], complete: bool) -> TemplateNames {
        let known = |(id, title): &(&str, &str)| (TemplateId::new(*id).expect("an id"), Text::from(*title));
        TemplateNames::of(all.iter().map(known).collect(), complete)
    }

    fn ids(found: NamedTemplate) -> (&'static str, Vec<String>) {
        let ids = |all: Vec<TitledTemplate>| all.into_iter().map(|(id, _)| id.wire().to_owned()).collect();
        match found {
            NamedTemplate::One(one) => ("one", ids(vec![one])),
            NamedTemplate::Several(all) => ("several", ids(all)),
            NamedTemplate::None => ("none", Vec::new()),
            NamedTemplate::NotRead => ("not read", Vec::new()),
        }
    }

    const ALL: [(&str, &str); 7] = [
        ("T1", "Python  Basics"),
        ("T2", "파이썬 기초"),
        ("T3", "파이썬 기초 심화"),
        ("T4", "Welding"),
        ("T5", "WELDING "),
        ("T6", "T1"),
        ("T7", ""),
    ];

    #[test]
    fn a_title_counts_whatever_its_case_spaces_and_composition() {
        let names = names(&ALL, true);
        let nfd: String = "파이썬 기초".nfd().collect();
        for (text, id) in [(" python basics", "T1"), (nfd.as_str(), "T2"), ("t4", "T4"), ("T1", "T1")] {
            assert_eq!(ids(names.find(text)), ("one", vec![id.to_owned()]), "{text}");
        }
        assert_eq!(ids(names.find("welding")), ("several", vec!["T4".to_owned(), "T5".to_owned()]));
    }

    #[test]
    fn a_part_of_a_title_names_no_template_and_suggests_some() {
        let names = names(&ALL, true);
        for (text, similar) in [
            ("파이썬", &["T2", "T3"][..]),
            ("Pyhton basics", &["T1"]),
            // A template without a title has no name.
            ("", &[]),
            ("Weaving looms", &[]),
        ] {
            assert_eq!(names.find(text), NamedTemplate::None, "{text}");
            let found: Vec<String> = names.similar(text).iter().map(|(id, _)| id.wire().to_owned()).collect();
            assert_eq!(found, similar, "{text}");
        }
    }

    #[test]
    fn ids_that_differ_only_in_case_are_told_apart() {
        let names = names(&[("ab", "one"), ("AB", "two")], true);
        assert_eq!(ids(names.find("AB")), ("one", vec!["AB".to_owned()]));
        assert_eq!(ids(names.find("aB")), ("several", vec!["ab".to_owned(), "AB".to_owned()]));
    }

    #[test]
    fn no_title_is_unique_in_a_list_that_was_not_read_to_its_end() {
        let names = names(&ALL, false);
        assert_eq!(ids(names.find("Python Basics")), ("not read", Vec::new()));
        assert_eq!(ids(names.find("t2")), ("not read", Vec::new()), "another one may be t2");
        assert_eq!(ids(names.find("T2")), ("one", vec!["T2".to_owned()]));
    }

    #[test]
    fn an_id_in_other_letters_is_not_taken_before_a_title() {
        let names = names(&[("basic", "Python"), ("T9", "Basic")], true);
        assert_eq!(ids(names.find("Basic")), ("several", vec!["basic".to_owned(), "T9".to_owned()]));
        assert_eq!(ids(names.find("basic")), ("one", vec!["basic".to_owned()]));
    }
}
