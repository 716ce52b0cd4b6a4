//! Form to correct a row of a draft. It checks the name and the e-mail address while the user types.

use super::person_form::EarlierDomains;
use crate::jobs::intake::{RecipientField, Severity, check_person};
use crate::tui::persist::unfinished;
use crate::tui::prelude::*;
use crate::tui::widgets::text_fields::TextFields;

pub struct EditRow {
    job: JobId,
    row: Box<JobRow>,
    fields: TextFields<2>,
    earlier: EarlierDomains,
    /// How many rows before this one are equal. `None` before lapel has counted them.
    equal_before: Option<u64>,
    counting: Option<RequestId>,
    /// The subject of the input before lapel had counted them, if the input has moved.
    former: Option<String>,
    /// Sent once they are counted, so that the input that was used is known.
    saving: Option<JobCommand>,
    request: Option<RequestId>,
}

impl EditRow {
    pub fn open(job: JobId, row: JobRow, effects: &mut Effects<'_>) {
        effects.open(move |_, effects| Self::new(job, Box::new(row), effects));
    }

    pub(super) fn new(job: JobId, row: Box<JobRow>, effects: &mut Effects<'_>) -> Self {
        let mut fields =
            TextFields::new([tr_noop!("Name"), tr_noop!("E-mail")], [row.holder.wire(), row.address.wire()]);
        // Start in the e-mail field if the worst problem is there.
        let (_, _, _, findings) = check_person(row.holder.wire(), row.address.wire());
        let worst = findings.iter().map(|finding| finding.severity).max();
        let of_email = findings
            .iter()
            .any(|finding| Some(finding.severity) == worst && finding.field == RecipientField::Email);
        fields.set_focus(usize::from(of_email));
        let counting = Some(effects.request(Request::EqualBefore(job, row.no)));
        let earlier = EarlierDomains::read(effects);
        Self {
            job,
            row,
            fields,
            earlier,
            equal_before: None,
            counting,
            former: None,
            saving: None,
            request: None,
        }
    }

    /// What was typed before the rows are counted moves to the subject that they give.
    fn counted(&mut self, equal_before: Option<u64>) {
        let before = self.input().map(|input| input.subject);
        (self.counting, self.equal_before) = (None, equal_before);
        self.former = before.filter(|_| equal_before.is_some());
    }

    fn is_saving(&self) -> bool {
        self.saving.is_some() || self.request.is_some()
    }

    fn save(&mut self, effects: &mut Effects<'_>) {
        if self.counting.is_none()
            && let Some(command) = self.saving.take()
        {
            self.request = Some(effects.command(command));
        }
    }
}

impl Component for EditRow {
    fn key_contexts(&self) -> Vec<KeyContext> {
        KeyContext::Form.in_field()
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        !matches!(action, Action::Accept | Action::ClearForm) || !self.is_saving()
    }

    fn hint(&self, action: Action) -> &'static str {
        if action == Action::Accept { t!("save") } else { action.hint() }
    }

    fn on_action(&mut self, action: Action, _: &UiContext, effects: &mut Effects<'_>) -> bool {
        match action {
            Action::Accept if !self.is_saving() => {
                let [name, email] = self.fields.values().map(str::to_owned);
                self.saving = Some(JobCommand::Correct(self.job, self.row.no, name, email));
                self.save(effects);
            }
            Action::Back => {
                if self.leave(effects) {
                    effects.close();
                }
            }
            Action::Accept => {}
            _ => return self.fields.on_action(action),
        }
        true
    }

    fn focused_field(&mut self) -> Option<&mut TextField> {
        self.fields.changing()
    }

    fn on_response(&mut self, reply: Reply, cx: &UiContext, effects: &mut Effects<'_>) -> Handled {
        if self.counting == Some(reply.id)
            && let Response::EqualBefore(equal_before) = reply.response
        {
            self.counted(equal_before);
            // What was typed for this row in another draft of the file.
            if self.saving.is_none() && self.fields.changed().is_empty() {
                unfinished::fill(self, cx, effects);
            }
            self.save(effects);
            return Ok(());
        }
        let Err(reply) = self.earlier.on_response(reply) else { return Ok(()) };
        match reply.to(&mut self.request)? {
            Response::Done(Ok(_)) => {
                effects.go.push(Navigate::InputUsed);
                effects.close();
                effects.go.push(Navigate::Corrected);
            }
            Response::Done(Err(why)) => self.fields.wrong(None, why),
            _ => {}
        }
        Ok(())
    }

    fn typed(&self) -> Vec<&str> {
        self.fields.values().to_vec()
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let mut form = FormText::in_popup(area, cx);
        let place = t!("row {no}", no = number(self.row.number()));
        for why in self.row.why.iter().chain(&self.row.also) {
            form.warning(&why.in_zone_of(&cx.clock()).to_string());
        }
        if !self.row.cells.is_empty() {
            let cells: Vec<String> = self.row.cells.iter().map(ToString::to_string).collect();
            let text = t!("original: {cells}", cells = cells.join(" | "));
            form.dim(&fit(&text, form.room() * 2, cx.glyphs.ellipsis));
        }
        form.blank();
        self.fields.draw(&mut form, cx);
        form.blank();
        let (_, _, _, findings) = check_person(self.fields.value(0), self.fields.value(1));
        for finding in &findings {
            let style = match finding.severity {
                Severity::Refuse => cx.theme.error(),
                Severity::Ask => cx.theme.warning(),
                Severity::Note => cx.theme.dim(),
            };
            let text = format!("{} {finding}", cx.glyphs.alert);
            form.text(&text, style);
        }
        let address = Address::check(self.fields.value(1)).ok();
        if let Some(warning) = address.and_then(|address| self.earlier.question(&address)) {
            form.warning(&t!("e-mail: {warning}", warning));
        }
        form.dim(&t!(
            "The file is not changed; nothing is sent.  {enter} save in the draft  {esc} back",
            enter = cx.key(&self.key_contexts(), Action::Accept),
            esc = cx.key(&self.key_contexts(), Action::Back)
        ));
        self.fields.draw_error(&mut form);
        form.draw_popup(frame, area, &t!("Correct {place}", place));
    }
}

impl Modal for EditRow {
    fn has(&self, flag: ModalFlag) -> bool {
        flag == ModalFlag::PreparesSending
    }

    /// The answer tells which input was used.
    fn leave(&mut self, effects: &mut Effects<'_>) -> bool {
        if self.is_saving() {
            effects.say(t!("lapel is still saving the last change. Try again."));
        }
        !self.is_saving()
    }

    fn input(&self) -> Option<FormInput> {
        let subject = unfinished::of_row(&self.row, self.equal_before);
        Some(FormInput::new("correct", subject, self.fields.changed()).moved_from(self.former.clone()))
    }

    fn set_input(&mut self, texts: &[String]) {
        self.fields.restore(texts);
    }
}
