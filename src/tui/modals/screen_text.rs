//! Saves the text of the screen to a private file, for a ticket: masked, or with personal data.

use crate::tui::prelude::*;
use crate::tui::widgets::save_file::SaveFile;

pub struct ScreenText {
    file: SaveFile,
    masked: String,
    plain: String,
    is_masked: bool,
}

impl ScreenText {
    pub fn new(masked: String, plain: String, cx: &UiContext) -> Self {
        let file = SaveFile::new("lapel-screen-%Y%m%d-%H%M%S.txt", masked.clone(), cx);
        Self { file, masked, plain, is_masked: true }
    }
}

impl Component for ScreenText {
    fn key_contexts(&self) -> Vec<KeyContext> {
        KeyContext::Export.in_field()
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        match action {
            // Not in the footer: the form shows these keys.
            Action::Down | Action::Up => false,
            _ => self.file.is_enabled(action),
        }
    }

    fn on_action(&mut self, action: Action, _: &UiContext, effects: &mut Effects<'_>) -> bool {
        if matches!(action, Action::Down | Action::Up) {
            // What is being saved stays what the message will say.
            if self.file.is_saving() {
                return true;
            }
            self.is_masked = !self.is_masked;
            self.file.set_text(if self.is_masked { &self.masked } else { &self.plain });
            return true;
        }
        let (taken, closed) = self.file.on_action(action, effects);
        if closed {
            effects.close();
        }
        taken
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        self.file.on_text_key(key)
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, _: &mut Effects<'_>) {
        self.file.on_paste(text);
    }

    fn on_response(&mut self, reply: Reply, _: &UiContext, effects: &mut Effects<'_>) -> Handled {
        if let Some(path) = self.file.on_response(reply)? {
            let path = scrub(&path.to_string_lossy()).into_owned();
            effects.say(if self.is_masked {
                t!("Saved the masked screen to {path}. Only you can read it.", path)
            } else {
                t!("Saved the screen with personal data to {path}. Only you can read it.", path)
            });
            effects.close();
        }
        Ok(())
    }

    fn typed_path(&self) -> Option<&str> {
        Some(self.file.path_text())
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let mut form = FormText::in_popup(area, cx);
        form.choice(t!("masked: only known words and ids stay"), self.is_masked);
        form.choice(t!("with personal data, as shown"), !self.is_masked);
        form.blank();
        self.file.add_to(
            &mut form,
            t!("Only you can read the file. Without a folder, it is saved where lapel was started."),
            cx,
        );
        let key = |action| cx.key(&self.key_contexts(), action);
        form.blank();
        form.dim(&t!(
            "{enter} save  {up} {down} choose  {esc} back",
            enter = key(Action::Accept),
            up = key(Action::Up),
            down = key(Action::Down),
            esc = key(Action::Back)
        ));
        form.draw_popup(frame, area, t!("Save screen as text"));
    }
}

impl Modal for ScreenText {
    fn asks(&self) -> Option<ConfirmQuestion> {
        self.file.asks()
    }

    fn confirm_text(&self, form: &mut FormText<'_>, cx: &UiContext) {
        self.file.confirm_text(form, cx);
    }

    fn on_confirmed(&mut self, _: &UiContext, effects: &mut Effects<'_>) {
        self.file.write(true, effects);
    }
}
