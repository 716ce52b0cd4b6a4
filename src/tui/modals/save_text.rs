//! Saves a text to a new private file: the screen for a ticket, masked or with personal data, or the request log.

use crate::tui::modals::request_log::DETAIL;
use crate::tui::prelude::*;
use crate::tui::request::{NotSaved, Saving};
use crate::tui::widgets::path_field::PathField;
use ratatui::widgets::Clear;

enum SavedText {
    Screen {
        masked: String,
        plain: String,
        is_masked: bool,
    },
    /// The log as it was when this form opened, with so many requests.
    Log(String, u64),
}

pub struct SaveText {
    field: PathField,
    of: SavedText,
    request: Option<RequestId>,
    exists: bool,
    said: Option<String>,
}

impl SaveText {
    pub fn of_screen(masked: String, plain: String, cx: &UiContext) -> Self {
        Self::new("lapel-screen-%Y%m%d-%H%M%S.txt", SavedText::Screen { masked, plain, is_masked: true }, cx)
    }

    pub fn of_log(text: String, requests: u64, cx: &UiContext) -> Self {
        Self::new("lapel-requests-%Y%m%d-%H%M%S.tsv", SavedText::Log(text, requests), cx)
    }

    /// `name` has `strftime` placeholders for the current time.
    fn new(name: &str, of: SavedText, cx: &UiContext) -> Self {
        let mut field = PathField::default();
        let now = cx.clock().offset().to_datetime(Timestamp::now());
        field.set_pasted(&now.strftime(name).to_string());
        field.select();
        Self { field, of, request: None, exists: false, said: None }
    }

    fn write(&mut self, overwrite: bool, effects: &mut Effects<'_>) {
        if self.request.is_some() {
            return;
        }
        let Some(to) = self.field.path() else {
            self.said = Some(t!("type a file name").to_owned());
            return;
        };
        let (SavedText::Screen { masked: text, is_masked: true, .. }
        | SavedText::Screen { plain: text, .. }
        | SavedText::Log(text, _)) = &self.of;
        let saving = Saving { text: text.clone(), to, overwrite };
        self.exists = false;
        self.request = Some(effects.request(Request::Save(Box::new(saving))));
    }

    fn saved(&self, path: &Path) -> String {
        let path = scrub(&path.to_string_lossy()).into_owned();
        match &self.of {
            SavedText::Screen { is_masked: true, .. } => {
                t!("Saved the masked screen to {path}. Only you can read it.", path)
            }
            SavedText::Screen { .. } => {
                t!("Saved the screen with personal data to {path}. Only you can read it.", path)
            }
            SavedText::Log(_, requests) => {
                let rows = count!(*requests, "request", "requests");
                t!("Saved {rows} to {path}. Only you can read it.", rows, path)
            }
        }
    }

    /// The field with completions, the problem, or a sentence about the file.
    fn draw_field(&self, form: &mut FormText<'_>, about: &str, cx: &UiContext) {
        form.labelled(t!("File"), true, |columns| self.field.spans(columns, true, cx));
        if let Some(error) = &self.said {
            form.error(error);
            return;
        }
        let found = self.field.lines(form.room(), cx);
        if found.is_empty() {
            form.dim(about);
        }
        form.extend(found);
    }
}

impl Component for SaveText {
    fn key_contexts(&self) -> Vec<KeyContext> {
        match self.of {
            SavedText::Screen { .. } => KeyContext::Export.in_field(),
            SavedText::Log(..) => KeyContext::FileField.in_field(),
        }
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        match action {
            // Not in the footer: the form shows these keys.
            Action::Down | Action::Up | Action::PreviousField => false,
            _ => self.field.is_enabled(action),
        }
    }

    fn on_action(&mut self, action: Action, _: &UiContext, effects: &mut Effects<'_>) -> bool {
        if let (Action::Down | Action::Up, SavedText::Screen { is_masked, .. }) = (action, &mut self.of) {
            // What is being saved stays what the message will say.
            *is_masked ^= self.request.is_none();
            return true;
        }
        self.said = None;
        match action {
            Action::Back if self.exists => self.exists = false,
            Action::Back => effects.close(),
            Action::Accept => self.write(false, effects),
            _ => return self.field.on_action(action, effects),
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        self.request.is_none() && self.field.on_text_key(key)
    }

    fn on_paste(&mut self, text: &str, _: &UiContext, _: &mut Effects<'_>) {
        if self.request.is_none() {
            self.field.set_pasted(text);
        }
    }

    fn on_response(&mut self, reply: Reply, _: &UiContext, effects: &mut Effects<'_>) -> Handled {
        match reply.to(&mut self.request) {
            Ok(Response::Saved(Ok(path))) => {
                effects.say(self.saved(&path));
                effects.close();
            }
            Ok(Response::Saved(Err(NotSaved::Exists))) => self.exists = true,
            Ok(Response::Saved(Err(NotSaved::Failed(why)))) => self.said = Some(why),
            Ok(_) => {}
            Err(reply) => self.field.on_response(reply)?,
        }
        Ok(())
    }

    fn typed_path(&self) -> Option<&str> {
        Some(self.field.text())
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let SavedText::Screen { is_masked, .. } = self.of else {
            // In the place of the details of the selected request.
            let below = Rect { y: area.bottom().saturating_sub(DETAIL), height: DETAIL, ..area };
            frame.render_widget(Clear, below);
            let mut form = FormText::new(below, cx);
            form.blank();
            let about =
                t!("Tab-separated text without the key; names and e-mails masked. Only you can read it.");
            self.draw_field(&mut form, about, cx);
            form.draw(frame, below);
            return;
        };
        let mut form = FormText::in_popup(area, cx);
        form.choice(t!("masked: only known words and ids stay"), is_masked);
        form.choice(t!("with personal data, as shown"), !is_masked);
        form.blank();
        let about = t!("Only you can read the file. Without a folder, it is saved where lapel was started.");
        self.draw_field(&mut form, about, cx);
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

impl Modal for SaveText {
    fn asks(&self) -> Option<ConfirmQuestion> {
        (self.exists && self.request.is_none()).then_some(ConfirmQuestion::ONE)
    }

    fn confirm_text(&self, form: &mut FormText<'_>, cx: &UiContext) {
        form.asks(t!("Replace the file"), self.field.text(), cx);
        form.warning(t!("A file with this name already exists. Nothing was saved."));
    }

    fn on_confirmed(&mut self, _: &UiContext, effects: &mut Effects<'_>) {
        self.write(true, effects);
    }
}
