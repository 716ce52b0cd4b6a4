//! Drafts that one import made.

use crate::tui::prelude::*;

/// Groups kept drafts, newest first, by the import that made them: one for each template that a column names. A second
/// import of the same file begins where a template comes again.
pub fn imports(drafts: &[Job]) -> Vec<Vec<Job>> {
    let is_split = |job: &Job| {
        let source = job.origin.as_ref().and_then(|origin| origin.source.as_ref());
        source.is_some_and(|source| source.by_column)
    };
    let mut all: Vec<Vec<Job>> = Vec::new();
    for draft in drafts {
        let is_of = |import: &&mut Vec<Job>| {
            let is_alike = |one: &Job| one.origin == draft.origin && one.template_id != draft.template_id;
            is_split(draft) && import.iter().all(is_alike)
        };
        match all.last_mut().filter(is_of) {
            Some(import) => import.insert(0, draft.clone()),
            None => all.push(vec![draft.clone()]),
        }
    }
    all
}

/// The title of drafts that belong together, or their number.
pub fn titles(drafts: &[Job]) -> String {
    match drafts {
        [one] => one.title.to_string(),
        all => count!(all.len() as u64, "template", "templates"),
    }
}
