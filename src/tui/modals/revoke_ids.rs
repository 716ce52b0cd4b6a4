//! Form to revoke the badges whose ids are in a file: the file and the reason. The next steps are the file form,
//! the check of each badge's state, and the review. Nothing is sent before the review.

use super::file::Purpose;
use crate::tui::modals::file::FileForm;
use crate::tui::persist::input_history::InputKind;
use crate::tui::prelude::*;
use crate::tui::widgets::path_field::PathField;
use crate::tui::widgets::reason_field::ReasonField;
use crate::tui::widgets::text_layout::aligned;

pub struct RevokeIds {
    file: PathField,
    reason: ReasonField,
    when_issued: bool,
    at_reason: bool,
}

impl RevokeIds {
    pub fn new(cx: &UiContext, effects: &mut Effects<'_>) -> Self {
        Self {
            file: PathField::with_earlier(cx.recent(InputKind::IdsFile)),
            reason: ReasonField::new(effects),
            when_issued: false,
            at_reason: false,
        }
    }

    fn go_on(&mut self, effects: &mut Effects<'_>) {
        let Some(source) = self.file.source() else { return };
        if !self.reason.check() {
            return;
        }
        if let ImportSource::File(path) = &source {
            effects.typed.push((InputKind::IdsFile, path.to_string_lossy().into_owned()));
        }
        let (reason, when_issued) = (self.reason.value().to_owned(), self.when_issued);
        effects
            .open(move |_, effects| FileForm::new(Purpose::Revoke { reason, when_issued }, source, effects));
    }
}

impl Component for RevokeIds {
    fn key_contexts(&self) -> Vec<KeyContext> {
        let own = if self.at_reason { KeyContext::RevokeForm } else { KeyContext::FileField };
        own.in_field()
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        match action {
            Action::Earlier | Action::Later if !self.at_reason => self.file.is_enabled(action),
            Action::Earlier | Action::Later => self.reason.has_earlier(),
            Action::Editor | Action::PreviousField => self.at_reason,
            Action::PageDown | Action::PageUp => false,
            Action::Accept => self.file.is_enabled(action),
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, _: &UiContext, effects: &mut Effects<'_>) -> bool {
        if action == Action::Back {
            if self.at_reason {
                self.at_reason = false;
            } else {
                effects.close();
            }
            return true;
        }
        if !self.at_reason && self.file.on_action(action, effects) {
            return true;
        }
        match action {
            Action::Accept if self.at_reason => self.go_on(effects),
            Action::Accept if self.file.is_enabled(action) => self.at_reason = true,
            Action::Accept => {
                effects.say(t!("Type the name of a file with badge ids, or paste or drop it here."));
            }
            Action::Toggle => self.when_issued = !self.when_issued,
            Action::PreviousField => self.at_reason = false,
            // As in other forms, if there are no earlier reasons to go through.
            Action::Earlier if !self.reason.has_earlier() => self.at_reason = false,
            Action::PageDown | Action::PageUp | Action::Complete => {}
            _ => return self.reason.on_action(action),
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        if self.at_reason { self.reason.changing().on_text_key(key) } else { self.file.on_text_key(key) }
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, _: &mut Effects<'_>) {
        if self.at_reason {
            self.reason.changing().on_paste(text.trim());
        } else if text.trim().lines().count() > 1 {
            self.file.set_lines(text);
        } else {
            self.file.set_pasted(text);
        }
    }

    fn on_response(&mut self, reply: Reply, _: &UiContext, _: &mut Effects<'_>) -> Handled {
        self.reason.on_response(reply).or_else(|reply| self.file.on_response(reply))
    }

    fn typed(&self) -> Vec<&str> {
        vec![self.reason.value()]
    }

    fn typed_path(&self) -> Option<&str> {
        Some(self.file.text())
    }

    fn focused_field(&mut self) -> Option<&mut TextField> {
        self.at_reason.then(|| self.reason.changing())
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let mut form = FormText::new(area, cx);
        form.head(t!("Revoke badges by id from a file"), &cx.place());
        form.blank();
        let [of_file, of_reason] = aligned([tr_noop!("File"), tr_noop!("Reason")]);
        form.labelled(&of_file, !self.at_reason, |columns| self.file.spans(columns, !self.at_reason, cx));
        form.extend(self.file.lines(form.room(), cx));
        form.labelled(&of_reason, self.at_reason, |columns| self.reason.spans(columns, self.at_reason, cx));
        if self.at_reason {
            form.extend(self.reason.earlier_lines(8, form.room(), cx));
        }
        let sign = if self.when_issued { "[x]" } else { "[ ]" };
        let key = cx.key(&[KeyContext::RevokeForm], Action::Toggle);
        let key = if self.at_reason { format!("  {key}") } else { String::new() };
        form.text(
            &format!("{sign} {}{key}", t!("waiting badges: revoke when issued, while lapel runs")),
            if self.at_reason { cx.theme.text() } else { cx.theme.dim() },
        );
        form.blank();
        self.reason.error().into_iter().for_each(|error| form.error(error));
        form.dim(&t!(
            "You can also paste ids, one per line. lapel first checks the state of each badge. Nothing is sent until you confirm the review.  {enter} next",
            enter = cx.key(&self.key_contexts(), Action::Accept)
        ));
        form.draw(frame, area);
    }
}

impl Modal for RevokeIds {
    fn has(&self, flag: ModalFlag) -> bool {
        matches!(flag, ModalFlag::Covers | ModalFlag::PreparesSending | ModalFlag::TakesEditor)
    }

    fn input(&self) -> Option<FormInput> {
        let [path, pasted] = self.file.texts();
        let texts = vec![self.reason.value().to_owned(), path, pasted];
        Some(FormInput::new("revoke-file", "", texts))
    }

    fn set_input(&mut self, texts: &[String]) {
        let text = |at: usize| texts.get(at).map_or("", String::as_str);
        self.reason.restore(texts);
        self.file.set_texts([text(1), text(2)]);
        self.at_reason = false;
    }
}
