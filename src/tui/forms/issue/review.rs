//! What is known of one person before a badge is issued to them.

use super::Review;
use crate::domain::Verdict;
use crate::tui::env::Env;
use crate::tui::fit::count;
use ratatui::text::Line;

/// Puts a text into lines, wrapped.
pub(super) type Put<'a> = dyn FnMut(&mut Vec<Line<'static>>, &str, ratatui::style::Style) + 'a;

pub(super) fn lines(review: &Review, lines: &mut Vec<Line<'static>>, put: &mut Put<'_>, env: &Env) {
    let theme = &env.theme;
    if let Some(row) = &review.sent_before {
        let text = format!(
            "{} lapel sent this badge to this address before; it is {}. Sending again makes a second one.",
            env.glyphs.alert,
            row.bucket.word()
        );
        put(lines, &text, theme.error());
    }
    match &review.holdings {
        None => put(
            lines,
            &format!("{} reading whether this person has the badge already", env.spinner()),
            theme.dim(),
        ),
        Some(Err(error)) => {
            put(
                lines,
                &format!(
                    "{} whether this person has the badge already is not known: {error}",
                    env.glyphs.alert
                ),
                theme.error(),
            );
        }
        Some(Ok(held)) if held.items.is_empty() && !held.complete => {
            put(
                lines,
                &format!(
                    "{} the history could not be read to its end: whether this person has the badge already is not known",
                    env.glyphs.alert
                ),
                theme.warning(),
            );
        }
        Some(Ok(held)) if held.items.is_empty() => {
            put(
                lines,
                "No badge of this template is to be seen for this address. One that waits may not be visible yet.",
                theme.dim(),
            );
        }
        Some(Ok(held)) => {
            let text = format!(
                "{} this address has {} of this template already:",
                env.glyphs.alert,
                count(held.items.len() as u64, "badge", "badges")
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
        put(lines, &format!("{} e-mail: {warning}", env.glyphs.alert), theme.warning());
    }
}
