//! The template that a verb names: by its id, or by its exact title.

use crate::cli::prelude::*;
use crate::domain::{TemplateDetail, TemplateId, Text};
use crate::jobs::{NamedTemplate, TemplateNames};

/// Maximum number of templates that a message names.
const MOST: usize = 10;

pub(super) struct Chosen {
    pub detail: TemplateDetail,
    by_title: bool,
}

impl Chosen {
    pub fn json(&self) -> Value {
        json!({
            "template_id": self.detail.template_id.wire(),
            "title": self.detail.title.as_ref().map(Text::wire),
            "named_by": if self.by_title { "title" } else { "id" },
        })
    }
}

/// If no template has this id, takes the only one with this exact title, and says which one it is.
pub(super) async fn find(reader: &Reader, text: &str, call: &Call) -> Result<Chosen, Failure> {
    let text = text.trim();
    let id = TemplateId::new(text)
        .ok_or_else(|| Failure::usage(t!("A template needs an id or a title. No request was made.")))?;
    match reader.template(&id, call).await {
        Ok(detail) => return Ok(Chosen { detail, by_title: false }),
        Err(why) if !may_be_a_title(&why) => return Err(why.into()),
        Err(_) => {}
    }
    let names = TemplateNames::read(reader, call).await?;
    let (id, title) = match names.find(text) {
        NamedTemplate::One(one) => one,
        NamedTemplate::Several(all) => {
            let said = t!(
                "{n} templates have the title \u{201c}{text}\u{201d}. Use one of these ids:",
                n = number(all.len() as u64),
                text = Text::from(text)
            );
            return Err(Failure::usage(listed(said, &all)).of_kind("ambiguous"));
        }
        NamedTemplate::None => {
            let similar = names.similar(text);
            let text = Text::from(text);
            let said = if similar.is_empty() {
                t!(
                    "No template has the id or title \u{201c}{text}\u{201d}. To list them: lapel templates --all",
                    text
                )
            } else {
                let said = t!("No template has the id or title \u{201c}{text}\u{201d}. Similar ones:", text);
                listed(said, &similar)
            };
            return Err(Failure::usage(said).of_kind("not_found"));
        }
        NamedTemplate::NotRead => {
            let message = t!(
                "The list of templates could not be read to its end, so lapel does not know whether a title is unique. Use an id."
            );
            return Err(Failure { code: exit::PERSON, ..Failure::new("incomplete", message) });
        }
    };
    let by_title = !id.wire().eq_ignore_ascii_case(text);
    output::complain(&t!("Template {id}: {title}", id, title));
    Ok(Chosen { detail: reader.template(&id, call).await?, by_title })
}

/// The contract does not show the answer to an unknown id.
fn may_be_a_title(why: &ApiError) -> bool {
    matches!(
        why,
        ApiError::NotFound(_)
            | ApiError::BadRequest(_)
            | ApiError::NotThisService { status: 400..=499, .. }
            | ApiError::Unreadable { .. }
    )
}

fn listed(said: String, all: &[(TemplateId, Text)]) -> String {
    let mut lines = vec![said];
    lines.extend(all.iter().take(MOST).map(|(id, title)| format!("  {id}  {title}")));
    if all.len() > MOST {
        lines.push(format!("  {}", t!("and {n} more", n = number((all.len() - MOST) as u64))));
    }
    lines.join("\n")
}
