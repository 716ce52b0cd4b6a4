//! Correct and replace: lapel issues a badge again with a corrected name or e-mail address. It revokes the old
//! badge when the new one is Issued.

use crate::domain::{Address, Badge, State, TemplateId, Text, Verdict};
use crate::jobs::intake::{Severity, check_person};
use crate::jobs::{Holdings, IssuePlan, RevokeTarget, Rival};
use crate::tui::component::{Component, Modal};
use crate::tui::context::Env;
use crate::tui::effects::{Effects, Navigate};
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::request::{Request, RequestId, Response};
use crate::tui::widgets::confirm::Confirm;
use crate::tui::widgets::field::{Field, Focus};
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::label::aligned;
use crate::tui::widgets::text_layout::{fit, width, wrap};
use crate::tui::worker::job_command::JobCommand;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

const LABELS: [&str; 3] = [tr_noop!("Name"), tr_noop!("E-mail"), tr_noop!("Reason")];
/// Index of the reason in the fields.
const REASON: usize = 2;

pub struct ReplaceForm {
    old: Box<Badge>,
    state: State,
    /// Name, e-mail address, reason.
    fields: [Field; 3],
    focus: Focus,
    /// Template of the badge, or why it is unknown.
    template: Option<Result<(TemplateId, Text), String>>,
    template_ticket: Option<RequestId>,
    said: Option<String>,
    review: Option<Review>,
}

struct Review {
    name: String,
    address: Address,
    /// Badges of this template that the recipient already has, or why this is unknown.
    holdings: Option<Result<Holdings, String>>,
    sent_before: Option<Box<Rival>>,
    ticket: Option<RequestId>,
    confirm: Confirm,
}

impl ReplaceForm {
    pub fn new(old: Box<Badge>, env: &Env, out: &mut Effects<'_>) -> Self {
        let text = |t: &Option<Text>| t.as_ref().map_or(String::new(), |t| t.wire().to_owned());
        let email = text(&old.recipient_email);
        let fields = [Field::with(&text(&old.recipient_name)), Field::with(&email), Field::default()];
        let template_ticket = Some(out.ask(Request::TemplateOf(old.badge_id.clone(), email)));
        Self {
            state: Verdict::of(&*old, env.now()).state(),
            old,
            fields,
            focus: Focus::default(),
            template: None,
            template_ticket,
            said: None,
            review: None,
        }
    }

    /// Whether the name or the e-mail address is changed.
    fn changed(&self) -> bool {
        let same = |field: usize, old: &Option<Text>| {
            old.as_ref().is_some_and(|text| text.wire() == self.fields[field].value())
        };
        !(same(0, &self.old.recipient_name) && same(1, &self.old.recipient_email))
    }

    fn go_on(&mut self, env: &Env, out: &mut Effects<'_>) {
        self.said = None;
        let mut refuse = |at: usize, why: String| {
            self.focus.at = at;
            self.said = Some(why);
        };
        let (name, email, _, findings) = check_person(self.fields[0].value(), self.fields[1].value());
        if let Some(finding) = findings.iter().find(|finding| finding.severity == Severity::Refuse) {
            let at = usize::from(finding.field != crate::jobs::intake::Field::Name);
            refuse(at, format!("{}: {}", finding.field, finding.what));
            return;
        }
        let address = match Address::check(&email) {
            Ok(address) => address,
            Err(why) => {
                refuse(1, why.to_string());
                return;
            }
        };
        if Text::new(self.fields[2].value()).looks_empty() {
            refuse(2, t!("the reason for revoking the old badge is empty: the service requires one, and holders may see it").to_owned());
            return;
        }
        if !self.changed() {
            self.said = Some(t!("name and e-mail are unchanged: there is nothing to correct").to_owned());
            return;
        }
        let template = match &self.template {
            Some(Ok((template, _))) => template.clone(),
            Some(Err(why)) => {
                self.said = Some(why.clone());
                return;
            }
            None => {
                self.said = Some(t!("still reading the template of this badge").to_owned());
                return;
            }
        };
        let ticket = out.ask(Request::Holdings(template, address.as_str().to_owned()));
        self.review = Some(Review {
            name,
            address,
            holdings: None,
            sent_before: None,
            ticket: Some(ticket),
            confirm: Confirm::new(1, env),
        });
    }

    fn confirm(&mut self, out: &mut Effects<'_>) {
        let (Some(review), Some(Ok((template_id, title)))) = (&mut self.review, &self.template) else {
            return;
        };
        if !review.confirm.agrees(out) {
            return;
        }
        let Some(holdings) = &review.holdings else {
            out.say(t!("The duplicate check is still running. Nothing was sent."));
            return;
        };
        let held_before = holdings
            .as_ref()
            .ok()
            .filter(|held| held.complete)
            .map(|held| held.items.iter().map(|item| item.badge_id.clone()).collect());
        let plan = IssuePlan {
            template_id: template_id.clone(),
            title: title.clone(),
            recipient_name: review.name.clone(),
            recipient_email: review.address.clone(),
            held_before,
            allows: review.sent_before.as_ref().map(|rival| rival.slot),
        };
        let old = RevokeTarget {
            badge_id: self.old.badge_id.clone(),
            holder: self.old.recipient_name.clone().unwrap_or_default(),
            email: self.old.recipient_email.clone().unwrap_or_default(),
            title: self.old.title.clone().unwrap_or_default(),
            state: self.state.clone(),
        };
        let reason = self.fields[2].value().to_owned();
        out.ask(Request::Do(Box::new(JobCommand::Replace(plan, old, reason))));
        out.close();
        out.go.push(Navigate::Activity);
    }
}

impl Component for ReplaceForm {
    fn key_contexts(&self) -> Vec<Context> {
        match &self.review {
            Some(review) => review.confirm.key_contexts(Context::Review),
            None => vec![Context::Form, Context::Always],
        }
    }

    fn is_enabled(&self, action: Action, _: &Env) -> bool {
        match action {
            Action::PageDown | Action::PageUp => false,
            Action::Editor => self.focus.at == REASON && self.review.is_none(),
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, env: &Env, out: &mut Effects<'_>) -> bool {
        match action {
            Action::NextField => self.focus.next(LABELS.len()),
            Action::PreviousField => self.focus.previous(LABELS.len()),
            Action::ClearField => match &mut self.review {
                Some(review) => review.confirm.clear(),
                None => self.fields[self.focus.at].clear(),
            },
            Action::Accept if self.review.is_none() => self.go_on(env, out),
            Action::Confirm => self.confirm(out),
            Action::Back if self.review.as_mut().is_some_and(|review| review.confirm.back()) => {}
            Action::Back => match self.review.take() {
                Some(mut review) => out.cancel(review.ticket.take()),
                None => {
                    out.cancel(self.template_ticket.take());
                    out.close();
                }
            },
            Action::Accept | Action::PageDown | Action::PageUp => {}
            _ => return false,
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        match &mut self.review {
            Some(review) => review.confirm.on_text_key(key),
            None => {
                self.said = None;
                self.fields[self.focus.at].on_text_key(key)
            }
        }
    }

    fn on_paste(&mut self, text: &str, _: &Env, _: &mut Effects<'_>) {
        if self.review.is_none() {
            self.fields[self.focus.at].on_paste(text.trim());
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
            Response::TemplateOf(template) if self.template_ticket == Some(ticket) => {
                self.template_ticket = None;
                self.template = Some(template);
                Ok(())
            }
            Response::Holdings(holdings, sent_before) => match &mut self.review {
                Some(review) if review.ticket == Some(ticket) => {
                    review.ticket = None;
                    review.holdings = Some(holdings.map_err(|error| error.to_string()));
                    if sent_before.is_some() {
                        review.confirm.insist();
                    }
                    review.sent_before = sent_before;
                    Ok(())
                }
                _ => Err(Response::Holdings(holdings, sent_before)),
            },
            other => Err(other),
        }
    }

    fn typed(&self) -> Vec<&str> {
        self.fields.iter().map(Field::value).collect()
    }

    fn long_field(&mut self) -> Option<&mut Field> {
        let typed = self.focus.at == REASON && self.review.is_none();
        self.fields.get_mut(REASON).filter(|_| typed)
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let theme = &env.theme;
        let room = usize::from(area.width).saturating_sub(4);
        let mut lines: Vec<Line<'static>> = Vec::new();
        let put = |lines: &mut Vec<Line<'static>>, text: &str, style: Style| {
            lines.extend(wrap(text, room).into_iter().map(|l| Line::styled(format!("  {l}"), style)));
        };
        let cut = |text: &str| format!("  {}", fit(text, room, env.glyphs.ellipsis));
        let text = |t: &Option<Text>| t.as_ref().map_or(String::new(), ToString::to_string);
        lines.push(Line::styled(
            cut(&t!("Correct and replace  {title}", title = text(&self.old.title))),
            theme.strong(),
        ));
        let [now, then, reason] = aligned([tr_noop!("now"), tr_noop!("after"), tr_noop!("reason")]);
        let old = format!(
            "{now}  {}  {}  {}",
            text(&self.old.recipient_name),
            text(&self.old.recipient_email),
            t!("badge {id}", id = self.old.badge_id)
        );
        lines.push(Line::styled(cut(&old), theme.dim()));
        if let Some(review) = &self.review {
            let name = Text::new(review.name.clone());
            lines.push(Line::raw(cut(&format!("{then}  {name}  {}", review.address.text()))));
            lines.push(Line::raw(cut(&format!("{reason}  {}", Text::new(self.fields[2].value())))));
            let place =
                t!("{place} {dot} 1 recipient {dot} 2 requests", place = env.place(), dot = env.glyphs.dot);
            lines.push(Line::styled(cut(&place), theme.accent()));
            let verb = t!("to issue the corrected badge, then revoke this one");
            lines.extend(review.confirm.lines(Context::Review, verb, room, env));
            lines.push(Line::raw(""));
            put(
                &mut lines,
                t!(
                    "Two mails will arrive: one for the corrected badge, one for the revocation of the old one. Both badges are valid until the corrected one is Issued (5 minutes to 1 day). Then lapel revokes the old one, while lapel runs."
                ),
                theme.warning(),
            );
            review_lines(self, review, &mut lines, &put, env);
        } else {
            lines.push(Line::raw(""));
            for (at, label) in aligned(LABELS).into_iter().enumerate() {
                let focused = self.focus.at == at;
                let style = if focused { theme.strong() } else { theme.dim() };
                let cursor = if focused { env.glyphs.cursor } else { " " };
                let mut spans =
                    vec![Span::styled(format!("  {label} "), style), Span::styled(cursor, theme.accent())];
                let columns = room.saturating_sub(width(&label) + 3).min(60);
                spans.extend(self.fields[at].spans(columns, focused, env));
                lines.push(Line::from(spans));
            }
            lines.push(Line::raw(""));
            let (_, _, _, findings) = check_person(self.fields[0].value(), self.fields[1].value());
            for finding in findings.iter().filter(|finding| finding.severity != Severity::Note) {
                let style =
                    if finding.severity == Severity::Refuse { theme.error() } else { theme.warning() };
                put(&mut lines, &format!("{} {}: {}", env.glyphs.alert, finding.field, finding.what), style);
            }
            match &self.template {
                None => put(
                    &mut lines,
                    &format!("{} {}", env.spinner(), t!("reading the template of this badge")),
                    theme.dim(),
                ),
                Some(Err(why)) => put(&mut lines, &format!("{} {why}", env.glyphs.alert), theme.error()),
                Some(Ok(_)) => {}
            }
            if let Some(said) = &self.said {
                put(&mut lines, &format!("{} {said}", env.glyphs.alert), theme.error());
            }
            let text = t!(
                "A badge cannot be changed. lapel issues a corrected badge, and revokes this one when the new one is Issued. Nothing is sent until you confirm the review.  {enter} review  {esc} back",
                enter = env.key(&self.key_contexts(), Action::Accept),
                esc = env.key(&self.key_contexts(), Action::Back)
            );
            put(&mut lines, &text, theme.dim());
        }
        frame.render_widget(ratatui::text::Text::from(lines), area);
    }
}

impl Modal for ReplaceForm {
    fn prepares_sending(&self) -> bool {
        true
    }

    fn takes_editor(&self) -> bool {
        true
    }
}

fn review_lines(
    form: &ReplaceForm,
    review: &Review,
    lines: &mut Vec<Line<'static>>,
    put: &dyn Fn(&mut Vec<Line<'static>>, &str, Style),
    env: &Env,
) {
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
        put(lines, &text, theme.warning());
    }
    let others =
        |held: &Holdings| held.items.iter().filter(|item| item.badge_id != form.old.badge_id).count();
    match &review.holdings {
        None => put(lines, &format!("{} {}", env.spinner(), t!("checking for duplicates")), theme.dim()),
        Some(Err(why)) => {
            put(
                lines,
                &format!(
                    "{} {}",
                    env.glyphs.alert,
                    t!("unknown which badges the recipient already has: {why}", why)
                ),
                theme.error(),
            );
        }
        Some(Ok(held)) if !held.complete => put(
            lines,
            &format!(
                "{} {}",
                env.glyphs.alert,
                t!(
                    "the history could not be read to its end: unknown which badges the recipient already has"
                )
            ),
            theme.warning(),
        ),
        Some(Ok(held)) if others(held) > 0 => put(
            lines,
            &format!(
                "{} {}",
                env.glyphs.alert,
                t!(
                    "this e-mail has {n} more of this template, besides the badge to replace",
                    n = others(held)
                )
            ),
            theme.warning(),
        ),
        Some(Ok(_)) => {}
    }
}
