//! Correct and replace: lapel issues a badge again with a corrected name or e-mail address. It revokes the old
//! badge when the new one is Issued.

use super::person_form::{EMAIL, NAME, PersonForm};
use crate::tui::prelude::*;
use crate::tui::widgets::reason_field::no_reason;
use crate::tui::widgets::text_fields::TextFields;
use crate::tui::widgets::text_layout::{aligned, pieces};

const REASON: usize = 2;
const LABELS: [&str; 3] = [tr_noop!("Name"), tr_noop!("E-mail"), tr_noop!("Reason")];

pub struct ReplaceForm {
    old: Box<Badge>,
    state: State,
    person: PersonForm<3>,
    /// Template of the badge, or why it is unknown.
    template: Option<Result<(TemplateId, Text), String>>,
    template_request: Option<RequestId>,
}

impl ReplaceForm {
    pub fn new(old: Box<Badge>, cx: &UiContext, effects: &mut Effects<'_>) -> Self {
        let text = |t: &Option<Text>| t.as_ref().map_or(String::new(), |t| t.wire().to_owned());
        let email = text(&old.recipient_email);
        let fields = TextFields::new(LABELS, [&text(&old.recipient_name), &email, ""]);
        let template_request = Some(effects.request(Request::TemplateOf(old.badge_id.clone(), email)));
        let state = Verdict::of(&*old, cx.now()).state();
        let person = PersonForm::new(fields, effects);
        Self { old, state, person, template: None, template_request }
    }

    fn is_changed(&self) -> bool {
        let same = |field: usize, old: &Option<Text>| {
            old.as_ref().is_some_and(|text| text.wire() == self.person.fields.value(field))
        };
        !(same(NAME, &self.old.recipient_name) && same(EMAIL, &self.old.recipient_email))
    }

    /// The template to issue from.
    ///
    /// # Errors
    /// What is missing beside the recipient, and the field to correct if it is in one field.
    fn ready(&self) -> Result<TemplateId, (Option<usize>, String)> {
        if let Some(why) = no_reason(self.person.fields.value(REASON)) {
            return Err((Some(REASON), why));
        }
        if !self.is_changed() {
            let why = t!("name and e-mail are unchanged: there is nothing to correct");
            return Err((None, why.to_owned()));
        }
        match &self.template {
            Some(Ok((template, _))) => Ok(template.clone()),
            Some(Err(why)) => Err((None, why.clone())),
            None => Err((None, t!("still reading the template of this badge").to_owned())),
        }
    }

    fn go_on(&mut self, effects: &mut Effects<'_>) {
        let Some(person) = self.person.checked() else { return };
        match self.ready() {
            Ok(template) => {
                let replaces = Some(self.old.badge_id.clone());
                self.person.begin_review(template, person, replaces, effects);
            }
            Err((at, why)) => self.person.fields.wrong(at, why),
        }
    }

    fn draw_fields(&self, form: &mut FormText<'_>, cx: &UiContext) {
        form.blank();
        let [of_name, of_email, of_reason] = aligned(LABELS);
        self.person.draw_recipient([&of_name, &of_email], form, cx);
        self.person.fields.draw_one(REASON, &of_reason, form, cx);
        form.blank();
        match &self.template {
            None => form.busy(t!("reading the template of this badge")),
            Some(Err(why)) => form.error(why),
            Some(Ok(_)) => {}
        }
        self.person.fields.draw_error(form);
        form.dim(&t!(
            "A badge cannot be changed. lapel issues a corrected badge, and revokes this one when the new one is Issued. Nothing is sent until you confirm the review.  {enter} next  {esc} back",
            enter = cx.key(&self.key_contexts(), Action::Accept),
            esc = cx.key(&self.key_contexts(), Action::Back)
        ));
    }
}

impl Component for ReplaceForm {
    fn key_contexts(&self) -> Vec<KeyContext> {
        KeyContext::Form.in_field()
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        match action {
            Action::PageDown | Action::PageUp => false,
            Action::Editor => self.person.fields.focused() == REASON,
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, _: &UiContext, effects: &mut Effects<'_>) -> bool {
        match action {
            Action::Accept => self.go_on(effects),
            _ => return self.person.on_action(action, effects),
        }
        true
    }

    fn focused_field(&mut self) -> Option<&mut TextField> {
        self.person.fields.changing()
    }

    fn on_response(&mut self, reply: Reply, _: &UiContext, _: &mut Effects<'_>) -> Handled {
        match reply.to(&mut self.template_request) {
            Ok(Response::TemplateOf(template)) => self.template = Some(template),
            Ok(_) => {}
            Err(reply) => return self.person.on_response(reply),
        }
        Ok(())
    }

    fn typed(&self) -> Vec<&str> {
        self.person.fields.values().to_vec()
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let mut form = FormText::new(area, cx);
        let text = |t: &Option<Text>| t.as_ref().map_or(String::new(), ToString::to_string);
        form.heading(&t!("Correct and replace  {title}", title = text(&self.old.title)), cx.theme.strong());
        let [now, ..] = labels();
        let old = format!(
            "{now}  {}  {}  {}",
            text(&self.old.recipient_name),
            text(&self.old.recipient_email),
            t!("badge {id}", id = self.old.badge_id)
        );
        form.heading(&old, cx.theme.dim());
        self.draw_fields(&mut form, cx);
        form.draw(frame, area);
    }
}

impl Modal for ReplaceForm {
    fn has(&self, flag: ModalFlag) -> bool {
        matches!(flag, ModalFlag::Covers | ModalFlag::PreparesSending | ModalFlag::TakesEditor)
    }

    fn input(&self) -> Option<FormInput> {
        Some(FormInput::new("replace", self.old.badge_id.wire(), self.person.fields.changed()))
    }

    fn set_input(&mut self, texts: &[String]) {
        self.person.restore(texts);
    }

    fn asks(&self) -> Option<ConfirmQuestion> {
        self.person.asks()
    }

    fn confirm_text(&self, form: &mut FormText<'_>, cx: &UiContext) {
        let Some(review) = &self.person.review else { return };
        let text = |t: &Option<Text>| t.as_ref().map_or(String::new(), ToString::to_string);
        let what = t!("Correct and replace {n} badge", n = 1);
        form.asks(&format!("{what} {} {}", cx.glyphs.dot, text(&self.old.title)), &cx.place(), cx);
        let [now, then, reason] = labels();
        let old = format!("{now}  {}  {}", text(&self.old.recipient_name), text(&self.old.recipient_email));
        form.heading(&old, cx.theme.dim());
        let name = Text::new(review.name.clone());
        // A long name does not cut the address.
        let new = [format!("{then}  {name}"), review.address.text().to_string()];
        for line in pieces(&new, "  ", form.room()) {
            form.heading(&line, Style::default());
        }
        form.heading(&format!("{reason}  {}", Text::new(self.person.fields.value(REASON))), Style::default());
        form.text(&t!("1 recipient {dot} 2 requests", dot = cx.glyphs.dot), cx.theme.text());
        form.text(
            t!(
                "Two mails will arrive: one for the corrected badge, one for the revocation of the old one. Both badges are valid until the corrected one is Issued (usually 5 minutes to 24 hours). Then lapel revokes the old one, while lapel runs."
            ),
            cx.theme.warning(),
        );
        self.person.draw_known(review, form, cx);
    }

    fn on_confirmed(&mut self, _: &UiContext, effects: &mut Effects<'_>) {
        let Some(Ok(template)) = self.template.clone() else { return };
        if let Some(plan) = self.person.plan(template, effects) {
            let old = RevokeTarget::of_badge(&self.old, self.state.clone());
            let reason = self.person.fields.value(REASON).to_owned();
            effects.begin_job(JobCommand::Replace(plan, old, reason));
        }
    }
}

fn labels() -> [String; 3] {
    aligned([tr_noop!("now"), tr_noop!("after"), tr_noop!("reason")])
}
