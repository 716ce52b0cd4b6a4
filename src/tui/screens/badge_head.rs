//! The first lines about a badge, on the Badge tab and in the preview of the History tab: verdict, badge, holder, mail.

use crate::domain::look_alike::{foreign_letter, letter_name};
use crate::domain::narrowing::is_sent;
use crate::domain::spelling::{pieces, remarks};
use crate::tui::prelude::*;
use crate::tui::widgets::text_layout::packed;

/// `more` follows the verdict.
pub(super) fn head(held: &HeldBadge, more: &str, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    let verdict = held.verdict(cx.now());
    let mut why = verdict.line().1 + more;
    // A mail that waits with its badge needs no line of its own.
    let waits = held.email_status().filter(|word| word.wire().eq_ignore_ascii_case("wait"));
    let waits = waits.filter(|_| verdict.state() == State::Waiting);
    if let Some(word) = waits {
        why = cx.dotted(&[why, t!("mail: {word}", word)]);
    }
    let mut lines = verdict_lines(&verdict, why, room, cx);
    lines.extend(styled(&cx.dotted(&title_type_level(held)), room, cx.theme.strong()));
    let who = texts([held.recipient_name(), held.recipient_email()]).join("   ");
    lines.extend(styled(&who, room, cx.theme.text()));
    if waits.is_none() {
        lines.extend(mail_line(held, room, cx));
    }
    lines.extend(name_remark(held, room, cx));
    lines.extend(address_remarks(held, room, cx));
    lines
}

/// The sign and the word of a verdict.
pub(super) fn verdict_word(verdict: &Verdict, cx: &UiContext) -> String {
    format!("{} {}", cx.glyphs.verdict(verdict), verdict.line().0)
}

/// A verdict with its reason, `room` columns wide.
pub(super) fn verdict_lines(
    verdict: &Verdict,
    why: String,
    room: usize,
    cx: &UiContext,
) -> Vec<Line<'static>> {
    let style = cx.theme.state(&verdict.state()).add_modifier(Modifier::BOLD);
    packed(&[verdict_word(verdict, cx), why], "  ", room, style)
}

/// What is known of them, for a line about the badge.
pub(super) fn title_type_level(held: &HeldBadge) -> Vec<String> {
    texts([held.title(), held.badge_type_name(), held.level_name()])
}

fn texts<const N: usize>(texts: [Option<&Text>; N]) -> Vec<String> {
    texts.into_iter().flatten().map(ToString::to_string).collect()
}

/// Names a letter of another alphabet in the name. Nobody hears it when the name is read aloud.
pub(super) fn name_remark(held: &HeldBadge, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    let letter = held.recipient_name().and_then(|name| foreign_letter(name.wire())).map(letter_name);
    letter.map_or_else(Vec::new, |letter| {
        styled(&t!("the name has {letter}", letter), room, cx.theme.warning())
    })
}

fn mail_line(held: &HeldBadge, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    if held.recipient_email().is_none() {
        return Vec::new();
    }
    let (text, style) = match held.email_status() {
        Some(word) if is_sent(word.wire()) => {
            (t!("mail {word} to this address (delivery not confirmed)", word), cx.theme.dim())
        }
        Some(word) => (t!("mail: {word} (the service's word)", word), cx.theme.warning()),
        None => (t!("mail status not given").to_owned(), cx.theme.dim()),
    };
    styled(&text, room, style)
}

/// Verifiers compare addresses letter by letter, so lapel points out an unusual spelling.
fn address_remarks(held: &HeldBadge, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
    let Some(address) = held.recipient_email() else { return Vec::new() };
    let odd = remarks(address.wire());
    if odd.is_empty() {
        return Vec::new();
    }
    let said = t!("the address has {remarks}", remarks = list(odd));
    let letters = spelled(address.wire(), cx);
    let wide: usize = letters.iter().map(Span::width).sum();
    let beside = width(&said) + 2 + wide <= room;
    let mut lines = styled(&said, room, cx.theme.warning());
    match lines.last_mut() {
        Some(line) if beside => {
            line.spans.push(Span::raw("  "));
            line.spans.extend(letters);
        }
        // An address longer than the line is not repeated here. The holder's line above has it in full.
        _ if wide <= room => lines.push(Line::from(letters)),
        _ => {}
    }
    lines
}

/// The address, safe to display, with unusual characters highlighted.
pub(super) fn spelled(address: &str, cx: &UiContext) -> Vec<Span<'static>> {
    let odd = cx.theme.warning().add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
    pieces(address)
        .into_iter()
        .map(|piece| Span::styled(piece.text, if piece.odd { odd } else { cx.theme.text() }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_of_another_alphabet_in_the_name_is_named() {
        let id = BadgeId::new("B-1").expect("an id");
        let lines = |name: &str| -> String {
            let row = HistoryItem { recipient_name: Some(name.into()), ..HistoryItem::for_test(id.clone()) };
            let held = HeldBadge::from(row);
            let lines = head(&held, "", 80, &UiContext::for_test());
            lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        let named = lines("Br\u{456}gid Zell");
        assert!(named.contains("the name has Cyrillic \u{456} (U+0456)"), "{named}");
        for plain in ["Brigid Zell", "한서윤", "Анна", "José"] {
            assert!(!lines(plain).contains("the name has"), "{plain}");
        }
    }
}
