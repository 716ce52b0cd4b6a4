//! Facts about one recipient before a badge is issued.

use super::Review;
use crate::domain::Verdict;
use crate::tui::context::Env;
use ratatui::text::Line;

/// Appends wrapped text to the lines.
pub(super) type Put<'a> = dyn FnMut(&mut Vec<Line<'static>>, &str, ratatui::style::Style) + 'a;

pub(super) fn lines(review: &Review, lines: &mut Vec<Line<'static>>, put: &mut Put<'_>, env: &Env) {
    let theme = &env.theme;
    if let Some(row) = &review.sent_before {
        let text = format!(
            "{} {}",
            env.glyphs.alert,
            t!(
                "lapel already sent this badge to this e-mail ({bucket}). Sending again makes a second one.",
                bucket = row.bucket.word()
            )
        );
        put(lines, &text, theme.error());
    }
    match &review.holdings {
        None => put(lines, &format!("{} {}", env.spinner(), t!("checking for duplicates")), theme.dim()),
        Some(Err(error)) => {
            put(
                lines,
                &format!(
                    "{} {}",
                    env.glyphs.alert,
                    t!("unknown whether the recipient already has this badge: {error}", error)
                ),
                theme.error(),
            );
        }
        Some(Ok(held)) if held.items.is_empty() && !held.complete => {
            put(
                lines,
                &format!(
                    "{} {}",
                    env.glyphs.alert,
                    t!("the history could not be read to its end: the recipient may already have this badge")
                ),
                theme.warning(),
            );
        }
        Some(Ok(held)) if held.items.is_empty() => {
            put(
                lines,
                t!(
                    "No badge of this template found for this e-mail. A waiting badge may not be visible yet."
                ),
                theme.dim(),
            );
        }
        Some(Ok(held)) => {
            let text = format!(
                "{} {}",
                env.glyphs.alert,
                plural!(
                    held.items.len() as u64,
                    "this e-mail already has {n} badge of this template:",
                    "this e-mail already has {n} badges of this template:"
                )
            );
            put(lines, &text, theme.warning());
            for item in held.items.iter().take(5) {
                let (word, why) = Verdict::of(item, env.now()).line();
                let name = item.recipient_name.as_ref().map_or(String::new(), ToString::to_string);
                put(lines, &format!("  {word} {why}  {name}  {}", item.badge_id), theme.warning());
            }
        }
    }
    for warning in review.address.warnings() {
        put(lines, &format!("{} {}", env.glyphs.alert, t!("e-mail: {warning}", warning)), theme.warning());
    }
}
