//! The issue form, for one person: fields, checks as one types, review, confirmation.

use super::confirm::Confirm;
use crate::api::{ApiError, Paging, TemplateFilter, TemplateQuery};
use crate::domain::email::EmailProblem;
use crate::domain::validity::{Validity, policy, validity, warnings};
use crate::domain::{Address, HistoryItem, TemplateDetail, TemplateId, Text, Verdict};
use crate::jobs::IssuePlan;
use crate::tui::action::Action;
use crate::tui::ask::{Answer, Ask, Ticket};
use crate::tui::env::{Env, Go, Out};
use crate::tui::field::{Field, Focus};
use crate::tui::fit::{count, wrap};
use crate::tui::keymap::Context;
use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// A name longer than this is more likely a slip of the clipboard; the contract gives no limit.
const LONG_NAME: usize = 100;

/// The form.
pub struct IssueForm {
    template_id: TemplateId,
    title: Text,
    name: Field,
    email: Field,
    focus: Focus,
    tried: bool,
    detail: Option<Result<TemplateDetail, ApiError>>,
    detail_ticket: Option<Ticket>,
    same_title: Option<usize>,
    same_title_ticket: Option<Ticket>,
    review: Option<Review>,
}

/// What will be sent, and what is known of it.
struct Review {
    name: String,
    address: Address,
    holdings: Option<Result<Vec<HistoryItem>, ApiError>>,
    ticket: Option<Ticket>,
    confirm: Confirm,
}

impl IssueForm {
    /// Opens it for a template, which is read in full meanwhile.
    pub fn new(template_id: TemplateId, title: Text, out: &mut Out<'_>) -> Self {
        let detail_ticket = Some(out.ask(Ask::Template(template_id.clone())));
        // Two templates of one title cannot be told apart by those who read it.
        let filter = TemplateFilter { title: Some(title.wire().to_owned()), ..TemplateFilter::default() };
        let same_title_ticket = (!title.looks_empty())
            .then(|| out.ask(Ask::Templates(TemplateQuery { filter, paging: Paging::full(1) })));
        Self {
            template_id,
            title,
            name: Field::default(),
            email: Field::default(),
            focus: Focus::default(),
            tried: false,
            detail: None,
            detail_ticket,
            same_title: None,
            same_title_ticket,
            review: None,
        }
    }

    /// The contexts that its keys are looked up in.
    pub fn stack(&self) -> Vec<Context> {
        vec![if self.review.is_some() { Context::Review } else { Context::Form }, Context::Always]
    }

    /// Does an action; false when it is none of the form's.
    pub fn act(&mut self, action: Action, env: &Env, out: &mut Out<'_>) -> bool {
        match action {
            Action::NextField => self.focus.next(2),
            Action::PreviousField => self.focus.previous(2),
            Action::ClearField if self.review.is_none() => self.field().clear(),
            Action::Accept => self.go_on(env, out),
            Action::Confirm => self.confirm(out),
            Action::Back => match self.review.take() {
                Some(mut review) => out.cancel(review.ticket.take()),
                None => {
                    out.cancel(self.detail_ticket.take());
                    out.cancel(self.same_title_ticket.take());
                    out.go.push(Go::Close);
                }
            },
            _ => return false,
        }
        true
    }

    fn field(&mut self) -> &mut Field {
        if self.focus.at == 0 { &mut self.name } else { &mut self.email }
    }

    fn go_on(&mut self, env: &Env, out: &mut Out<'_>) {
        self.tried = true;
        if self.focus.at == 0 && self.email.value().trim().is_empty() {
            self.focus.at = 1;
            self.tried = false;
            return;
        }
        let Ok((name, _)) = check_name(self.name.value()) else {
            self.focus.at = 0;
            return;
        };
        let Ok(address) = Address::check(self.email.value()) else {
            self.focus.at = 1;
            return;
        };
        let ticket = out.ask(Ask::Holdings(self.template_id.clone(), address.as_str().to_owned()));
        self.review = Some(Review {
            name,
            address,
            holdings: None,
            ticket: Some(ticket),
            confirm: Confirm::new(1, env.environment()),
        });
    }

    fn confirm(&mut self, out: &mut Out<'_>) {
        let Some(review) = &self.review else { return };
        if !review.confirm.is_ready() {
            out.say("Type the number first. Nothing was sent.");
            return;
        }
        // What the person has already is also what tells a badge of ours from theirs, should the answer be
        // lost: nothing is sent before it is known, unless it cannot be known.
        let Some(holdings) = &review.holdings else {
            out.say("Still reading what this person has already. Nothing was sent.");
            return;
        };
        let held_before = holdings.as_ref().ok().map(|h| h.iter().map(|i| i.badge_id.clone()).collect());
        out.ask(Ask::Issue(IssuePlan {
            template_id: self.template_id.clone(),
            title: self.title.clone(),
            recipient_name: review.name.clone(),
            recipient_email: review.address.clone(),
            held_before,
        }));
        out.go.push(Go::Close);
        out.go.push(Go::Sent);
    }

    /// Takes a key that is typed.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        match &mut self.review {
            Some(review) => review.confirm.key(key),
            None => self.field().key(key),
        }
    }

    /// Takes pasted text; not into the confirmation.
    pub fn paste(&mut self, text: &str) {
        if self.review.is_none() {
            self.field().paste(text.trim());
        }
    }

    /// Takes an answer, or gives it back.
    pub fn receive(&mut self, ticket: Ticket, answer: Answer) -> Result<(), Answer> {
        match answer {
            Answer::Template(detail) if self.detail_ticket == Some(ticket) => {
                self.detail_ticket = None;
                self.detail = Some(*detail);
                Ok(())
            }
            Answer::Templates(page) if self.same_title_ticket == Some(ticket) => {
                self.same_title_ticket = None;
                let same = |page: crate::domain::Page<crate::domain::Template>| {
                    let others = page.items.iter().filter(|(_, t)| {
                        t.title.as_ref() == Some(&self.title) && t.template_id != self.template_id
                    });
                    others.count()
                };
                self.same_title = page.ok().map(same);
                Ok(())
            }
            Answer::Holdings(holdings) => match &mut self.review {
                Some(review) if review.ticket == Some(ticket) => {
                    review.ticket = None;
                    review.holdings = Some(holdings);
                    Ok(())
                }
                _ => Err(Answer::Holdings(holdings)),
            },
            other => Err(other),
        }
    }

    /// Draws the form.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let room = usize::from(area.width).saturating_sub(4);
        let theme = &env.theme;
        let mut lines: Vec<Line<'static>> = Vec::new();
        let mut put = |lines: &mut Vec<Line<'static>>, text: &str, style| {
            lines.extend(wrap(text, room).into_iter().map(|l| Line::styled(format!("  {l}"), style)));
        };
        put(&mut lines, &format!("Issue  {}", self.title), theme.strong());
        self.template_lines(&mut lines, &mut put, env);
        lines.push(Line::raw(""));
        match &self.review {
            None => {
                self.field_lines(&mut lines, &mut put, room, env);
                lines.push(Line::raw(""));
                put(
                    &mut lines,
                    &format!(
                        "{} goes on to the review; nothing is sent before you confirm it there.  esc gives up.",
                        env.glyphs.enter
                    ),
                    theme.dim(),
                );
            }
            Some(review) => review_lines(review, &mut lines, &mut put, env),
        }
        frame.render_widget(ratatui::text::Text::from(lines), area);
    }

    fn template_lines(&self, lines: &mut Vec<Line<'static>>, put: &mut Put<'_>, env: &Env) {
        match &self.detail {
            None => put(lines, &format!("{} reading the template", env.spinner()), env.theme.dim()),
            Some(Err(error)) => put(
                lines,
                &format!("{} the template was not read: {error}", env.glyphs.alert),
                env.theme.error(),
            ),
            Some(Ok(detail)) => {
                let now = env.now();
                let until = match validity(detail, now) {
                    Validity::Until(day) if detail.fixed_expire_date.is_none() => {
                        format!("; issued today until {day}, as lapel computes it")
                    }
                    _ => String::new(),
                };
                put(lines, &format!("{}{until}", policy(detail)), env.theme.dim());
                for warning in warnings(detail, now) {
                    put(lines, &format!("{} {warning}", env.glyphs.alert), env.theme.warning());
                }
            }
        }
        if let Some(others @ 1..) = self.same_title {
            let text = format!(
                "{} {} the same title",
                env.glyphs.alert,
                count(others as u64, "other template has", "other templates have")
            );
            put(lines, &text, env.theme.warning());
        }
    }

    fn field_lines(&self, lines: &mut Vec<Line<'static>>, put: &mut Put<'_>, room: usize, env: &Env) {
        let theme = &env.theme;
        for (at, label, field) in [(0, "Name  ", &self.name), (1, "E-mail", &self.email)] {
            let focused = self.focus.at == at;
            let style = if focused { theme.strong() } else { theme.dim() };
            let cursor = if focused { env.glyphs.cursor } else { " " };
            let mut spans =
                vec![Span::styled(format!("  {label} "), style), Span::styled(cursor, theme.accent())];
            spans.extend(field.spans(room.saturating_sub(9).min(60), focused, env));
            lines.push(Line::from(spans));
            let typed = !field.value().is_empty();
            if at == 0 {
                match check_name(field.value()) {
                    Ok((_, notes)) => notes.iter().for_each(|n| {
                        put(lines, &format!("       {} {n}", env.glyphs.alert), theme.warning());
                    }),
                    Err(why) if typed || self.tried => put(lines, &format!("       {why}"), theme.error()),
                    Err(_) => {}
                }
            } else {
                match Address::check(field.value()) {
                    Ok(address) => address.warnings().iter().for_each(|w| {
                        put(lines, &format!("       {} {w}", env.glyphs.alert), theme.warning());
                    }),
                    // While it is being typed, an address that is not finished is no mistake.
                    Err(why)
                        if self.tried
                            || (typed && !focused)
                            || (why != EmailProblem::Empty
                                && field.value().contains(char::is_whitespace)) =>
                    {
                        put(lines, &format!("       {why}"), theme.error());
                    }
                    Err(_) => {}
                }
            }
        }
    }
}

/// Puts a text into lines, wrapped.
type Put<'a> = dyn FnMut(&mut Vec<Line<'static>>, &str, ratatui::style::Style) + 'a;

fn review_lines(review: &Review, lines: &mut Vec<Line<'static>>, put: &mut Put<'_>, env: &Env) {
    let theme = &env.theme;
    put(lines, "Review", theme.strong());
    put(lines, &format!("Name    {}", Text::new(review.name.clone())), theme.text());
    put(lines, &format!("E-mail  {}", review.address.text()), theme.text());
    for warning in review.address.warnings() {
        put(lines, &format!("        {} {warning}", env.glyphs.alert), theme.warning());
    }
    lines.push(Line::raw(""));
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
        Some(Ok(held)) if held.is_empty() => {
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
                count(held.len() as u64, "badge", "badges")
            );
            put(lines, &text, theme.warning());
            for item in held.iter().take(5) {
                let (word, why) = Verdict::of(item, env.now()).line();
                let name = item.recipient_name.as_ref().map_or(String::new(), ToString::to_string);
                put(lines, &format!("  {word} {why}  {name}  {}", item.badge_id), theme.warning());
            }
        }
    }
    lines.push(Line::raw(""));
    let text = format!(
        "{} {} 1 person {} 1 request {} the holder is mailed",
        env.place(),
        env.glyphs.dot,
        env.glyphs.dot,
        env.glyphs.dot
    );
    put(lines, &text, theme.accent());
    lines.push(review.confirm.line("to issue", env));
}

/// Checks a name as it was typed: trimmed, Hangul composed. What it gives back is what will be printed,
/// with notes on what was changed or looks odd.
fn check_name(typed: &str) -> Result<(String, Vec<String>), String> {
    use unicode_normalization::UnicodeNormalization;
    let text = Text::new(typed);
    if text.looks_empty() {
        return Err("the name is empty".to_owned());
    }
    let mut notes = Vec::new();
    let composed: String = typed.nfc().collect();
    // Compatibility ideographs are other characters to a printer; only jamo are put together.
    let jamo = typed.chars().any(|c| matches!(c, '\u{1100}'..='\u{11ff}'));
    let name = if jamo { composed } else { typed.to_owned() };
    if jamo {
        notes.push("the Hangul was in single letters; it is sent composed".to_owned());
    }
    let name = name.trim().to_owned();
    if name.contains('@') {
        return Err("the name is an e-mail address: are the two fields swapped?".to_owned());
    }
    if let Some(c) = name
        .chars()
        .find(|c| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
    {
        return Err(format!("the name has a hidden character in it (U+{:04X})", c as u32));
    }
    if crate::domain::text::scrub(&name) != name {
        notes.push("the name has characters that cannot be seen".to_owned());
    }
    if name.chars().count() > LONG_NAME {
        notes.push(format!("the name is longer than {LONG_NAME} characters"));
    }
    if ["null", "n/a", "-", "#ref!", "none", "undefined"].contains(&name.to_lowercase().as_str()) {
        notes.push("this looks like an empty cell rather than a name".to_owned());
    }
    Ok((name, notes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_and_composed() {
        assert_eq!(check_name(" 홍철 "), Ok(("홍철".to_owned(), Vec::new())));
        let (name, notes) = check_name("\u{1100}\u{1175}\u{11b7}").expect("composed");
        assert_eq!(name, "김");
        assert_eq!(notes.len(), 1);
        assert_eq!(check_name("Null, Christopher").expect("a name").1, [""; 0]);
        assert_eq!(check_name("null").expect("allowed").1.len(), 1);
        assert_eq!(check_name("\u{f9e1}").expect("kept").0, "\u{f9e1}", "a compatibility ideograph is kept");
        for refused in ["", "\u{3164}", "kim@naru.example", "a\u{202e}b", "a\nb"] {
            assert!(check_name(refused).is_err(), "{refused:?}");
        }
    }
}
