//! The issue form, for one person: fields, checks as one types, review, confirmation.

use super::confirm::Confirm;
use crate::api::{ApiError, Paging, TemplateFilter, TemplateQuery};
use crate::domain::email::EmailProblem;
use crate::domain::validity::{Validity, policy, validity, warnings};
use crate::domain::{Address, TemplateDetail, TemplateId, Text, Verdict};
use crate::jobs::{Bucket, Holdings, IssuePlan, JobRow};
use crate::tui::action::Action;
use crate::tui::ask::{Answer, Ask, Ticket};
use crate::tui::deed::Deed;
use crate::tui::env::{Env, Go, Out};
use crate::tui::field::{Field, Focus};
use crate::tui::fit::{count, fit, wrap};
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
    holdings: Option<Result<Holdings, ApiError>>,
    /// What was sent to this person before: the service may not show it yet.
    sent_before: Option<JobRow>,
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
            Action::ClearField => match &mut self.review {
                Some(review) => review.confirm.clear(),
                None => self.field().clear(),
            },
            Action::Accept if self.review.is_none() => self.go_on(env, out),
            Action::Accept => {}
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
            sent_before: None,
        });
    }

    fn confirm(&mut self, out: &mut Out<'_>) {
        let Some(review) = &self.review else { return };
        if !review.confirm.is_ready() {
            out.warn(review.confirm.missing());
            return;
        }
        // What the person has already is also what tells a badge of ours from theirs, should the answer be
        // lost: nothing is sent before it is known, unless it cannot be known.
        if self.detail_ticket.is_some() || self.same_title_ticket.is_some() {
            out.say("Still reading the template. Nothing was sent.");
            return;
        }
        let Some(holdings) = &review.holdings else {
            out.say("Still reading what this person has already. Nothing was sent.");
            return;
        };
        let held_before = holdings
            .as_ref()
            .ok()
            .filter(|h| h.complete)
            .map(|h| h.items.iter().map(|i| i.badge_id.clone()).collect());
        out.ask(Ask::Do(Box::new(Deed::Issue(IssuePlan {
            template_id: self.template_id.clone(),
            title: self.title.clone(),
            recipient_name: review.name.clone(),
            recipient_email: review.address.clone(),
            held_before,
        }))));
        out.go.push(Go::Close);
        out.go.push(Go::Activity);
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
        if self.review.is_some() {
            return;
        }
        // A whole `Name <address>` fills both fields.
        let pasted = text.trim();
        if let Some((name, address)) = pasted.strip_suffix('>').and_then(|p| p.split_once('<'))
            && !name.trim().is_empty()
            && Address::check(address).is_ok()
        {
            self.name.set(name.trim().trim_matches('"'));
            self.email.set(address.trim());
            self.focus.at = 1;
        } else {
            self.field().paste(pasted);
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
            Answer::Holdings(holdings, sent_before) => match &mut self.review {
                Some(review) if review.ticket == Some(ticket) => {
                    review.ticket = None;
                    review.holdings = Some(holdings);
                    if sent_before.is_some() {
                        review.confirm = Confirm::typed(1);
                    }
                    review.sent_before = sent_before;
                    Ok(())
                }
                _ => Err(Answer::Holdings(holdings, sent_before)),
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
        let line = |text: &str| format!("  {}", fit(text, room, env.glyphs.ellipsis));
        lines.push(Line::styled(line(&format!("Issue  {}", self.title)), theme.strong()));
        if let Some(review) = &self.review {
            // What is sent, where, and what it takes come first and on one line each: they can never be off
            // the screen. What there is to know follows, the most serious first.
            let name = Text::new(review.name.clone());
            lines.push(Line::raw(line(&format!("Name    {name}"))));
            lines.push(Line::raw(line(&format!("E-mail  {}", review.address.text()))));
            let dot = env.glyphs.dot;
            let place = format!("{} {dot} 1 person {dot} 1 request {dot} the holder is mailed", env.place());
            lines.push(Line::styled(line(&place), theme.accent()));
            lines.push(review.confirm.line("to issue", env));
            lines.push(Line::raw(""));
            if crate::tui::fit::width(&review.name) + 8 > room {
                let text = format!(
                    "{} the name has {} characters; its end is not shown",
                    env.glyphs.alert,
                    review.name.chars().count()
                );
                put(&mut lines, &text, theme.warning());
            }
            review_lines(review, &mut lines, &mut put, env);
            self.template_lines(&mut lines, &mut put, env);
        } else {
            self.template_lines(&mut lines, &mut put, env);
            lines.push(Line::raw(""));
            self.field_lines(&mut lines, &mut put, room, env);
            lines.push(Line::raw(""));
            let text = format!(
                "{} goes on to the review; nothing is sent before you confirm it there.  esc gives up.",
                env.glyphs.enter
            );
            put(&mut lines, &text, theme.dim());
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

/// A person as checked: name and address as they would be sent, where that puts the row, and why.
pub struct Person {
    pub name: String,
    pub email: String,
    pub bucket: Bucket,
    pub findings: Vec<String>,
}

/// Checks a person who was typed by hand.
pub fn check_person(name: &str, email: &str) -> Person {
    let mut findings = Vec::new();
    let mut bucket = Bucket::Ready;
    let name = match check_name(name) {
        Ok((name, notes)) => {
            findings.extend(notes);
            name
        }
        Err(why) => {
            findings.push(why);
            bucket = Bucket::Invalid;
            name.trim().to_owned()
        }
    };
    let email = match Address::check(email) {
        Ok(address) => {
            findings.extend(address.warnings().iter().map(|w| format!("e-mail: {w}")));
            address.as_str().to_owned()
        }
        Err(why) => {
            findings.push(why.to_string());
            bucket = Bucket::Invalid;
            email.trim().to_owned()
        }
    };
    Person { name, email, bucket, findings }
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
