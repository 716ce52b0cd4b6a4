//! Saving a text to a new private file: the path, the question before a file is replaced, and the result.

use crate::tui::prelude::*;
use crate::tui::request::{NotSaved, Saving};
use crate::tui::widgets::path_field::PathField;

pub struct SaveFile {
    field: PathField,
    text: String,
    request: Option<RequestId>,
    exists: bool,
    said: Option<String>,
}

impl SaveFile {
    /// `name` may have `strftime` placeholders for the current time.
    pub fn new(name: &str, text: String, cx: &UiContext) -> Self {
        let mut field = PathField::default();
        let now = cx.clock().offset().to_datetime(jiff::Timestamp::now());
        field.set_pasted(&now.strftime(name).to_string());
        field.select();
        Self { field, text, request: None, exists: false, said: None }
    }

    pub fn set_text(&mut self, text: &str) {
        text.clone_into(&mut self.text);
    }

    pub fn path_text(&self) -> &str {
        self.field.text()
    }

    pub fn is_saving(&self) -> bool {
        self.request.is_some()
    }

    pub fn is_enabled(&self, action: Action) -> bool {
        self.field.is_enabled(action)
    }

    /// Returns whether it handled the action, and whether the form is closed now.
    pub fn on_action(&mut self, action: Action, effects: &mut Effects<'_>) -> (bool, bool) {
        self.said = None;
        match action {
            Action::Back if self.exists => self.exists = false,
            Action::Back => return (true, true),
            Action::Accept => self.write(false, effects),
            _ => return (self.field.on_action(action, effects), false),
        }
        (true, false)
    }

    pub fn write(&mut self, overwrite: bool, effects: &mut Effects<'_>) {
        if self.request.is_some() {
            return;
        }
        match self.field.path() {
            Some(to) => {
                self.exists = false;
                let saving = Saving { text: self.text.clone(), to, overwrite };
                self.request = Some(effects.request(Request::Save(Box::new(saving))));
            }
            None => self.said = Some(t!("type a file name").to_owned()),
        }
    }

    pub fn asks(&self) -> Option<ConfirmQuestion> {
        (self.exists && self.request.is_none()).then_some(ConfirmQuestion::ONE)
    }

    pub fn confirm_text(&self, form: &mut FormText<'_>, cx: &UiContext) {
        form.asks(t!("Replace the file"), self.field.text(), cx);
        form.warning(t!("A file with this name already exists. Nothing was saved."));
    }

    pub fn on_text_key(&mut self, key: KeyEvent) -> bool {
        self.request.is_none() && self.field.on_text_key(key)
    }

    pub fn on_paste(&mut self, text: &str) {
        if self.request.is_none() {
            self.field.set_pasted(text);
        }
    }

    pub fn on_response(&mut self, reply: Reply) -> Result<Option<PathBuf>, Reply> {
        match reply.to(&mut self.request) {
            Ok(Response::Saved(Ok(path))) => return Ok(Some(path)),
            Ok(Response::Saved(Err(NotSaved::Exists))) => self.exists = true,
            Ok(Response::Saved(Err(NotSaved::Failed(why)))) => self.said = Some(why),
            Ok(_) => {}
            Err(reply) => self.field.on_response(reply)?,
        }
        Ok(None)
    }

    /// The field with completions, the problem, or a sentence about the file.
    pub fn add_to(&self, form: &mut FormText<'_>, about: &str, cx: &UiContext) {
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
