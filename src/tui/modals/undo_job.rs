//! Asks for the reason to undo an issue job. If rows are not sent yet, the user confirms that they are cancelled.

use crate::jobs::count;
use crate::tui::modals::draft::{DraftForm, unknown_states};
use crate::tui::persist::unfinished;
use crate::tui::prelude::*;
use crate::tui::request::JobReply;
use crate::tui::widgets::reason_field::no_reason;
use crate::tui::widgets::text_fields::TextFields;

pub struct UndoJob {
    job: Job,
    reason: TextFields<1>,
    cancels: bool,
    request: Option<RequestId>,
}

impl UndoJob {
    pub fn new(job: Job) -> Self {
        let reason = TextFields::new([tr_noop!("Reason")], [""]);
        Self { job, reason, cancels: false, request: None }
    }

    fn unsent(&self) -> u64 {
        count(Step::CancelRest, &self.job)
    }

    fn go_on(&mut self, effects: &mut Effects<'_>) {
        self.reason.no_error();
        if let Some(why) = no_reason(self.reason.value(0)) {
            self.reason.wrong(None, why);
        } else if self.request.is_none() {
            self.cancels = self.unsent() > 0;
            if !self.cancels {
                self.undo(effects);
            }
        }
    }

    fn undo(&mut self, effects: &mut Effects<'_>) {
        if self.request.is_none() {
            let command = JobCommand::Undo(self.job.id, self.reason.value(0).to_owned());
            self.request = Some(effects.command(command));
        }
    }

    fn words(&self) -> String {
        let of = |status| self.job.counts.of(status);
        let (issued, unknown) = (of(RowStatus::Issued), of(RowStatus::UnknownState));
        let later = count(Step::Undo, &self.job).saturating_sub(issued + unknown);
        let unsent = of(RowStatus::Ready);
        let mut parts = Vec::new();
        if unsent > 0 {
            parts.push(plural!(
                unsent,
                "{n} unsent row will be cancelled.",
                "{n} unsent rows will be cancelled."
            ));
        }
        if issued > 0 {
            parts.push(plural!(
                issued,
                "{n} Issued badge will be revoked after the review.",
                "{n} Issued badges will be revoked after the review."
            ));
        }
        if unknown > 0 {
            parts.push(unknown_states(unknown));
        }
        if later > 0 {
            parts.push(plural!(
                later,
                "{n} badge not Issued yet will be revoked when issued, while lapel runs.",
                "{n} badges not Issued yet will be revoked when issued, while lapel runs."
            ));
        }
        parts.push(t!("Mails already sent cannot be recalled.").to_owned());
        parts.join(" ")
    }
}

impl Component for UndoJob {
    fn key_contexts(&self) -> Vec<KeyContext> {
        KeyContext::Form.in_field()
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        match action {
            Action::NextField | Action::PreviousField | Action::PageDown | Action::PageUp => false,
            Action::Accept | Action::ClearField | Action::ClearForm | Action::Editor => {
                self.request.is_none()
            }
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, _: &UiContext, effects: &mut Effects<'_>) -> bool {
        match action {
            Action::Back if self.cancels => self.cancels = false,
            Action::Back => effects.close(),
            Action::Accept => self.go_on(effects),
            Action::Down | Action::Up => {}
            _ if self.request.is_some() => return false,
            _ => return self.reason.on_action(action),
        }
        true
    }

    fn focused_field(&mut self) -> Option<&mut TextField> {
        if self.request.is_none() { self.reason.changing() } else { None }
    }

    fn on_response(&mut self, reply: Reply, _: &UiContext, effects: &mut Effects<'_>) -> Handled {
        let Response::Done(done) = reply.to(&mut self.request)? else { return Ok(()) };
        match done {
            Err(why) => {
                self.reason.wrong(None, why);
                self.cancels = false;
            }
            Ok(done) => {
                effects.go.push(Navigate::InputUsed);
                effects.close();
                match done {
                    JobReply::Said(text) => effects.say(text),
                    JobReply::Drafts(jobs) => DraftForm::open(jobs, effects),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn typed(&self) -> Vec<&str> {
        self.reason.values().to_vec()
    }

    fn on_job(&mut self, job: &Job, _: &UiContext) {
        if self.job.id == job.id {
            self.job.clone_from(job);
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let key = |action| cx.key(&self.key_contexts(), action);
        let mut form = FormText::in_popup(area, cx);
        form.heading(&cx.place(), cx.theme.accent());
        form.blank();
        form.text(&self.words(), cx.theme.text());
        form.blank();
        self.reason.draw_focused(&mut form);
        form.blank();
        let (enter, esc) = (key(Action::Accept), key(Action::Back));
        form.dim(&if self.unsent() > 0 {
            t!(
                "Nothing is revoked before the review.  {enter} cancel the rest, review  {esc} back",
                enter,
                esc
            )
        } else {
            t!("Nothing is revoked before the review.  {enter} review  {esc} back", enter, esc)
        });
        if self.request.is_some() {
            form.busy(t!("one moment"));
        }
        self.reason.draw_error(&mut form);
        form.draw_popup(
            frame,
            area,
            &t!("Undo job {id}   {title}", id = self.job.id, title = self.job.title),
        );
    }
}

impl Modal for UndoJob {
    fn has(&self, flag: ModalFlag) -> bool {
        matches!(flag, ModalFlag::PreparesSending | ModalFlag::TakesEditor)
    }

    fn input(&self) -> Option<FormInput> {
        Some(FormInput::new("undo-job", unfinished::of_job(&self.job), self.reason.changed()))
    }

    fn set_input(&mut self, texts: &[String]) {
        self.reason.restore(texts);
    }

    fn asks(&self) -> Option<ConfirmQuestion> {
        let unsent = self.unsent();
        (self.cancels && unsent > 0).then(|| ConfirmQuestion::of(unsent))
    }

    fn confirm_text(&self, form: &mut FormText<'_>, cx: &UiContext) {
        let what = plural!(self.unsent(), "Cancel {n} unsent row", "Cancel {n} unsent rows");
        form.asks(&format!("{what} {} {}", cx.glyphs.dot, self.job.title), &cx.place(), cx);
        form.text(&self.words(), cx.theme.text());
    }

    fn on_confirmed(&mut self, _: &UiContext, effects: &mut Effects<'_>) {
        self.undo(effects);
    }
}
