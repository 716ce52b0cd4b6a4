//! Several labelled text fields with one focus.

use crate::tui::prelude::*;
use crate::tui::widgets::field::Focus;
use crate::tui::widgets::text_layout::aligned;

const WIDEST: usize = 60;

pub struct TextFields<const N: usize> {
    /// Marked for translation.
    labels: [&'static str; N],
    initial: [String; N],
    fields: [TextField; N],
    focus: Focus,
}

impl<const N: usize> TextFields<N> {
    pub fn new(labels: [&'static str; N], texts: [&str; N]) -> Self {
        let initial = texts.map(str::to_owned);
        Self { labels, initial, fields: texts.map(TextField::with), focus: Focus::default() }
    }

    /// The texts of all fields, or nothing if the user has changed none.
    pub fn changed(&self) -> Vec<String> {
        let texts = self.values().map(str::to_owned);
        if texts == self.initial { Vec::new() } else { texts.to_vec() }
    }

    /// Sets kept texts. A field without one gets the text that it began with.
    pub fn restore(&mut self, texts: &[String]) {
        for (at, (field, initial)) in self.fields.iter_mut().zip(&self.initial).enumerate() {
            field.set(texts.get(at).unwrap_or(initial));
        }
    }

    pub fn value(&self, at: usize) -> &str {
        self.fields[at].value()
    }

    pub fn values(&self) -> [&str; N] {
        self.fields.each_ref().map(TextField::value)
    }

    pub fn field_mut(&mut self, at: usize) -> &mut TextField {
        &mut self.fields[at]
    }

    pub fn focused(&self) -> usize {
        self.focus.at
    }

    pub fn set_focus(&mut self, at: usize) {
        self.focus.at = at;
    }

    pub fn on_action(&mut self, action: Action) -> bool {
        match action {
            Action::NextField => self.focus.next(N),
            Action::PreviousField => self.focus.previous(N),
            Action::ClearField => self.fields[self.focus.at].clear(),
            _ => return false,
        }
        true
    }

    pub fn on_text_key(&mut self, key: KeyEvent) -> bool {
        self.fields[self.focus.at].on_text_key(key)
    }

    pub fn on_paste(&mut self, text: &str) {
        self.fields[self.focus.at].on_paste(text.trim());
    }

    pub fn draw(&self, form: &mut FormText<'_>, cx: &UiContext) {
        for (at, label) in aligned(self.labels).iter().enumerate() {
            let focused = self.focus.at == at;
            let field = &self.fields[at];
            form.labelled(label, focused, |columns| field.spans(columns.min(WIDEST), focused, cx));
        }
    }
}
