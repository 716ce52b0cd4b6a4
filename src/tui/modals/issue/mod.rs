//! Issue form for one recipient, with checks while the user types, a review and a confirmation. A file or pasted
//! lines open the file form instead.

mod review;

use super::file::Purpose;
use crate::api::{ApiError, Paging, TemplateFilter, TemplateQuery};
use crate::domain::email::EmailProblem;
use crate::domain::validity::{Validity, policy, validity, warnings};
use crate::domain::{Address, TemplateDetail, TemplateId, Text};
use crate::jobs::intake::{Field as FieldOf, Severity, Source, check_person};
use crate::jobs::{Holdings, IssuePlan, Rival};
use crate::tui::component::{Component, Modal};
use crate::tui::context::Env;
use crate::tui::effects::{Effects, Navigate};
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::input::paths;
use crate::tui::modals::file::FileForm;
use crate::tui::request::{Request, RequestId, Response};
use crate::tui::widgets::confirm::Confirm;
use crate::tui::widgets::field::{Field, Focus};
use crate::tui::widgets::form_layout;
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::label::aligned;
use crate::tui::widgets::path_field::PathField;
use crate::tui::widgets::text_layout::{fit, width, wrap};
use crate::tui::worker::job_command::JobCommand;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use review::Put;

/// Index of the file field, after name and e-mail address.
const FILE: usize = 2;
/// Maximum number of lines for the destination and the number of requests.
const PLACE: usize = 3;

pub struct IssueForm {
    template_id: TemplateId,
    title: Text,
    name: Field,
    email: Field,
    file: PathField,
    focus: Focus,
    tried: bool,
    detail: Option<Result<TemplateDetail, ApiError>>,
    detail_ticket: Option<RequestId>,
    same_title: Option<usize>,
    same_title_ticket: Option<RequestId>,
    review: Option<Review>,
}

/// What will be sent, and what is known about the recipient.
struct Review {
    name: String,
    address: Address,
    holdings: Option<Result<Holdings, ApiError>>,
    /// A badge sent to this recipient before. The service may not show it yet.
    sent_before: Option<Box<Rival>>,
    ticket: Option<RequestId>,
    confirm: Confirm,
}

impl IssueForm {
    /// Requests the full template meanwhile.
    pub fn new(template_id: TemplateId, title: Text, out: &mut Effects<'_>) -> Self {
        let detail_ticket = Some(out.ask(Request::Template(template_id.clone())));
        // Recipients cannot tell two templates with the same title apart.
        let filter = TemplateFilter { title: Some(title.wire().to_owned()), ..TemplateFilter::default() };
        let same_title_ticket = (!title.looks_empty())
            .then(|| out.ask(Request::Templates(TemplateQuery { filter, paging: Paging::full(1) })));
        Self {
            template_id,
            title,
            name: Field::default(),
            email: Field::default(),
            file: PathField::new(true, out),
            focus: Focus::default(),
            tried: false,
            detail: None,
            detail_ticket,
            same_title: None,
            same_title_ticket,
            review: None,
        }
    }

    fn open(&self, source: Source, out: &mut Effects<'_>) {
        let template = (self.template_id.clone(), self.title.clone());
        out.open(move |_, out| FileForm::new(Purpose::Issue { template, by_column: false }, source, out));
    }

    fn field(&mut self) -> &mut Field {
        if self.focus.at == 0 { &mut self.name } else { &mut self.email }
    }

    fn go_on(&mut self, env: &Env, out: &mut Effects<'_>) {
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
        let ticket = out.ask(Request::Holdings(self.template_id.clone(), address.as_str().to_owned()));
        self.review = Some(Review {
            name,
            address,
            holdings: None,
            ticket: Some(ticket),
            confirm: Confirm::new(1, env),
            sent_before: None,
        });
    }

    fn confirm(&mut self, out: &mut Effects<'_>) {
        let Some(review) = &mut self.review else { return };
        if !review.confirm.agrees(out) {
            return;
        }
        // If the answer is lost, the recipient's earlier badges are needed to recognise the new one. So nothing is
        // sent until they are known, unless they cannot be read.
        if self.detail_ticket.is_some() || self.same_title_ticket.is_some() {
            out.say(t!("Still reading the template. Nothing was sent."));
            return;
        }
        let Some(holdings) = &review.holdings else {
            out.say(t!("The duplicate check is still running. Nothing was sent."));
            return;
        };
        let held_before = holdings
            .as_ref()
            .ok()
            .filter(|h| h.complete)
            .map(|h| h.items.iter().map(|i| i.badge_id.clone()).collect());
        out.ask(Request::Do(Box::new(JobCommand::Issue(IssuePlan {
            template_id: self.template_id.clone(),
            title: self.title.clone(),
            recipient_name: review.name.clone(),
            recipient_email: review.address.clone(),
            held_before,
            allows: review.sent_before.as_ref().map(|rival| rival.slot),
        }))));
        out.close();
        out.go.push(Navigate::Activity);
    }

    fn template_lines(&self, lines: &mut Vec<Line<'static>>, put: &mut Put<'_>, env: &Env) {
        match &self.detail {
            None => put(lines, &format!("{} {}", env.spinner(), t!("reading the template")), env.theme.dim()),
            Some(Err(error)) => put(
                lines,
                &format!("{} {}", env.glyphs.alert, t!("template not read: {error}", error)),
                env.theme.error(),
            ),
            Some(Ok(detail)) => {
                let now = env.now();
                let policy = policy(detail);
                let text = match validity(detail, now) {
                    Validity::Until(day) if detail.fixed_expire_date.is_none() => {
                        t!("{policy}; issued today until {day} (lapel's calculation)", policy, day)
                    }
                    _ => policy,
                };
                put(lines, &text, env.theme.dim());
                for warning in warnings(detail, now) {
                    put(lines, &format!("{} {warning}", env.glyphs.alert), env.theme.warning());
                }
            }
        }
        if let Some(others @ 1..) = self.same_title {
            let text = format!(
                "{} {}",
                env.glyphs.alert,
                plural!(
                    others as u64,
                    "{n} other template has the same title",
                    "{n} other templates have the same title"
                )
            );
            put(lines, &text, env.theme.warning());
        }
    }

    fn field_lines(&self, lines: &mut Vec<Line<'static>>, put: &mut Put<'_>, room: usize, env: &Env) {
        let theme = &env.theme;
        let of_file = self.focus.at == FILE;
        let mode = |chosen: bool, words: &str| {
            let sign = if chosen { env.glyphs.on } else { env.glyphs.off };
            let style = if chosen { theme.strong() } else { theme.dim() };
            Line::styled(format!("  {sign} {words}"), style)
        };
        lines.push(mode(!of_file, t!("one recipient")));
        let [of_name, of_email, file] = aligned([tr_noop!("Name"), tr_noop!("E-mail"), tr_noop!("File")]);
        let columns = room.saturating_sub(width(&file) + 3);
        for (at, label, field) in [(0, &of_name, &self.name), (1, &of_email, &self.email)] {
            let focused = self.focus.at == at;
            let style = if focused { theme.strong() } else { theme.dim() };
            let cursor = if focused { env.glyphs.cursor } else { " " };
            let mut spans =
                vec![Span::styled(format!("  {label} "), style), Span::styled(cursor, theme.accent())];
            spans.extend(field.spans(columns.min(60), focused, env));
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
                    // An unfinished e-mail address is no error while the user types it.
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
        lines.push(mode(of_file, t!("a file or pasted lines")));
        let style = if of_file { theme.strong() } else { theme.dim() };
        let cursor = if of_file { env.glyphs.cursor } else { " " };
        let mut spans = vec![Span::styled(format!("  {file} "), style), Span::styled(cursor, theme.accent())];
        spans.extend(self.file.spans(columns, of_file, env));
        lines.push(Line::from(spans));
        if of_file {
            lines.extend(self.file.lines(room, env));
        }
    }
}

impl Component for IssueForm {
    fn key_contexts(&self) -> Vec<Context> {
        let own = match &self.review {
            Some(review) => return review.confirm.key_contexts(Context::Review),
            None if self.focus.at == FILE => Context::FileField,
            None => Context::Form,
        };
        vec![own, Context::Always]
    }

    fn is_enabled(&self, action: Action, _: &Env) -> bool {
        if self.review.is_none() && self.focus.at == FILE {
            return self.file.is_enabled(action);
        }
        !matches!(action, Action::PageDown | Action::PageUp)
    }

    fn on_action(&mut self, action: Action, env: &Env, out: &mut Effects<'_>) -> bool {
        if self.review.is_none() && self.focus.at == FILE && self.file.on_action(action, out) {
            return true;
        }
        match action {
            Action::NextField => self.focus.next(FILE + 1),
            Action::PreviousField => self.focus.previous(FILE + 1),
            Action::ClearField => match &mut self.review {
                Some(review) => review.confirm.clear(),
                None => self.field().clear(),
            },
            Action::Accept if self.review.is_none() && self.focus.at == FILE => match self.file.path() {
                Some(path) => self.open(Source::File(path), out),
                None => out.say(t!("Type a file name, or paste or drop a file here.")),
            },
            Action::Accept if self.review.is_none() => self.go_on(env, out),
            Action::Accept => {}
            Action::Confirm => self.confirm(out),
            Action::Back if self.review.as_mut().is_some_and(|review| review.confirm.back()) => {}
            Action::Back => match self.review.take() {
                Some(mut review) => out.cancel(review.ticket.take()),
                None => {
                    out.cancel(self.detail_ticket.take());
                    out.cancel(self.same_title_ticket.take());
                    self.file.cancel(out);
                    out.close();
                }
            },
            _ => return false,
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        match &mut self.review {
            Some(review) => review.confirm.on_text_key(key),
            None if self.focus.at == FILE => self.file.on_text_key(key),
            None => self.field().on_text_key(key),
        }
    }

    fn on_paste(&mut self, text: &str, _: &Env, out: &mut Effects<'_>) {
        if self.review.is_some() {
            return;
        }
        if paths::is_recipients(text) {
            // Copied text ends with one or more line breaks.
            self.open(Source::Pasted(text.trim_end().to_owned()), out);
            return;
        }
        if self.focus.at == FILE || paths::is_dropped(text) {
            self.focus.at = FILE;
            self.file.set_pasted(text);
            return;
        }
        // A pasted `Name <address>` fills both fields.
        let pasted = text.trim();
        if let Some((name, address)) = pasted.strip_suffix('>').and_then(|p| p.split_once('<'))
            && !name.trim().is_empty()
            && Address::check(address).is_ok()
        {
            self.name.set(name.trim().trim_matches('"'));
            self.email.set(address.trim());
            self.focus.at = 1;
        } else {
            self.field().on_paste(pasted);
        }
    }

    fn on_response(
        &mut self,
        ticket: RequestId,
        answer: Response,
        _: &Env,
        _: &mut Effects<'_>,
    ) -> Result<(), Response> {
        match answer {
            Response::Template(detail) if self.detail_ticket == Some(ticket) => {
                self.detail_ticket = None;
                self.detail = Some(*detail);
                Ok(())
            }
            Response::Templates(page) if self.same_title_ticket == Some(ticket) => {
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
            Response::Holdings(holdings, sent_before) => match &mut self.review {
                Some(review) if review.ticket == Some(ticket) => {
                    review.ticket = None;
                    review.holdings = Some(holdings);
                    if sent_before.is_some() {
                        review.confirm.insist();
                    }
                    review.sent_before = sent_before;
                    Ok(())
                }
                _ => Err(Response::Holdings(holdings, sent_before)),
            },
            other => self.file.on_response(ticket, other),
        }
    }

    fn typed(&self) -> Vec<&str> {
        vec![self.name.value(), self.email.value()]
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let room = usize::from(area.width).saturating_sub(4);
        let theme = &env.theme;
        let mut lines: Vec<Line<'static>> = Vec::new();
        let mut put = |lines: &mut Vec<Line<'static>>, text: &str, style| {
            lines.extend(wrap(text, room).into_iter().map(|l| Line::styled(format!("  {l}"), style)));
        };
        let line = |text: &str| format!("  {}", fit(text, room, env.glyphs.ellipsis));
        lines.push(Line::styled(line(&t!("Issue  {title}", title = self.title)), theme.strong()));
        if let Some(review) = &self.review {
            // Recipient, destination and number of requests come first, on few lines, so that they are always
            // visible. Notes follow, most serious first.
            let name = Text::new(review.name.clone());
            let [of_name, of_email] = aligned([tr_noop!("Name"), tr_noop!("E-mail")]);
            lines.push(Line::raw(line(&format!("{of_name}  {name}"))));
            lines.push(Line::raw(line(&format!("{of_email}  {}", review.address.text()))));
            let dot = env.glyphs.dot;
            let place =
                t!("{place} {dot} 1 recipient (gets a mail) {dot} 1 request", place = env.place(), dot);
            let place = form_layout::wrapped(&place, room, PLACE, env);
            lines.extend(place.into_iter().map(|part| Line::styled(format!("  {part}"), theme.accent())));
            lines.extend(review.confirm.lines(Context::Review, t!("to issue"), room, env));
            lines.push(Line::raw(""));
            if width(&review.name) + width(&of_name) + 2 > room {
                let text = format!(
                    "{} {}",
                    env.glyphs.alert,
                    t!("the name has {n} characters; its end is not shown", n = review.name.chars().count())
                );
                put(&mut lines, &text, theme.warning());
            }
            review::lines(review, &mut lines, &mut put, env);
            self.template_lines(&mut lines, &mut put, env);
        } else {
            self.template_lines(&mut lines, &mut put, env);
            lines.push(Line::raw(""));
            self.field_lines(&mut lines, &mut put, room, env);
            lines.push(Line::raw(""));
            let key = |action| env.key(&self.key_contexts(), action);
            let text = if self.focus.at == FILE {
                t!(
                    "lapel checks every row. Nothing is sent before the review. You can also drop a file here, or paste lines with names and e-mail addresses.  {enter} open the file",
                    enter = key(Action::Accept)
                )
            } else {
                t!(
                    "Nothing is sent until you confirm the review.  {enter} review  {esc} back",
                    enter = key(Action::Accept),
                    esc = key(Action::Back)
                )
            };
            put(&mut lines, &text, theme.dim());
        }
        frame.render_widget(ratatui::text::Text::from(lines), area);
    }
}

impl Modal for IssueForm {
    fn prepares_sending(&self) -> bool {
        true
    }
}

/// Checks a typed name. Returns the name as it will be printed, with notes on changes and unusual characters, or
/// why it cannot be sent.
fn check_name(typed: &str) -> Result<(String, Vec<String>), String> {
    // The e-mail address has its own check. A trailing space is ignored, because the user may
    // still type another name.
    let (name, _, _, findings) = check_person(typed.trim(), "");
    let of_name = findings.into_iter().filter(|finding| finding.field == FieldOf::Name);
    let (refused, notes): (Vec<_>, Vec<_>) =
        of_name.partition(|finding| finding.severity == Severity::Refuse);
    if name.contains('@') {
        return Err(t!("the name is an e-mail address: are the two fields swapped?").to_owned());
    }
    match refused.into_iter().next() {
        Some(finding) => Err(finding.what),
        None => Ok((name, notes.into_iter().map(|finding| finding.what).collect())),
    }
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
