//! The text fields of a form, with one focus.

use crate::tui::prelude::*;
use crate::tui::widgets::text_layout::aligned;

#[derive(Clone, Copy, Debug, Default)]
pub struct Focus {
    pub at: usize,
}

impl Focus {
    /// Goes to the next or previous one of `len` fields, around their ends.
    pub fn step(&mut self, forward: bool, len: usize) {
        let by = if forward { 1 } else { len.saturating_sub(1) };
        self.at = (self.at + by) % len.max(1);
    }

    /// The same by its key. Returns false for other actions.
    pub fn on_action(&mut self, action: Action, len: usize) -> bool {
        let steps = matches!(action, Action::NextField | Action::PreviousField);
        if steps {
            self.step(action == Action::NextField, len);
        }
        steps
    }
}

/// Maximum width of one of several fields, in cells.
const WIDEST: usize = 60;

/// The text fields of a form, with the focus and what is wrong with them.
pub struct TextFields<const N: usize> {
    /// Marked for translation.
    labels: [&'static str; N],
    initial: [String; N],
    fields: [TextField; N],
    /// Lines below the fields that can have the focus, too. The form handles their keys.
    others: usize,
    focus: Focus,
    error: Option<String>,
}

impl<const N: usize> TextFields<N> {
    pub fn new(labels: [&'static str; N], texts: [&str; N]) -> Self {
        let (initial, fields) = (texts.map(str::to_owned), texts.map(TextField::with));
        Self { labels, initial, fields, others: 0, focus: Focus::default(), error: None }
    }

    #[must_use]
    pub fn followed_by(self, others: usize) -> Self {
        Self { others, ..self }
    }

    /// The texts of all fields, or nothing if the user has changed none.
    pub fn changed(&self) -> Vec<String> {
        let texts = self.values().map(str::to_owned);
        if texts == self.initial { Vec::new() } else { texts.to_vec() }
    }

    /// Sets kept texts. A field without one gets the text that it began with.
    pub fn restore(&mut self, texts: &[String]) {
        self.error = None;
        for (at, (field, initial)) in self.fields.iter_mut().zip(&self.initial).enumerate() {
            field.set(texts.get(at).unwrap_or(initial));
        }
    }

    pub fn label(&self, at: usize) -> &'static str {
        i18n::tr(self.labels[at])
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

    /// `N` or more for a line below the fields.
    pub fn focused(&self) -> usize {
        self.focus.at
    }

    pub fn set_focus(&mut self, at: usize) {
        self.focus.at = at;
    }

    /// Says what is wrong until the user types, in this field if it is in one.
    pub fn wrong(&mut self, at: Option<usize>, why: String) {
        self.focus.at = at.unwrap_or(self.focus.at);
        self.error = Some(why);
    }

    pub fn no_error(&mut self) {
        self.error = None;
    }

    /// The focused field, in which something changes. `None` for a line below the fields.
    pub fn changing(&mut self) -> Option<&mut TextField> {
        self.error = None;
        self.fields.get_mut(self.focus.at)
    }

    pub fn on_action(&mut self, action: Action) -> bool {
        match action {
            Action::ClearField => self.changing().map(TextField::clear).is_some(),
            // The fields have no pages.
            Action::PageDown | Action::PageUp => true,
            _ => self.focus.on_action(action, N + self.others),
        }
    }

    pub fn on_text_key(&mut self, key: KeyEvent) -> bool {
        self.changing().is_some_and(|field| field.on_text_key(key))
    }

    pub fn on_paste(&mut self, text: &str) {
        if let Some(field) = self.changing() {
            field.on_paste(text.trim());
        }
    }

    pub fn draw(&self, form: &mut FormText<'_>, cx: &UiContext) {
        for (at, label) in aligned(self.labels).iter().enumerate() {
            self.draw_one(at, label, form, cx);
        }
    }

    pub fn draw_one(&self, at: usize, label: &str, form: &mut FormText<'_>, cx: &UiContext) {
        let focused = self.focus.at == at;
        form.labelled(label, focused, |columns| self.fields[at].spans(columns.min(WIDEST), focused, cx));
    }

    /// Draws only the focused field, as wide as the form.
    pub fn draw_focused(&self, form: &mut FormText<'_>) {
        form.field(self.label(self.focus.at), &self.fields[self.focus.at], true);
    }

    pub fn draw_error(&self, form: &mut FormText<'_>) {
        self.error.iter().for_each(|error| form.error(error));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_focus_goes_round_and_keys_of_other_lines_are_left_to_the_form() {
        let typed = KeyEvent::new(KeyCode::Char('x'), KeyModifiers::NONE);
        let mut fields = TextFields::new(["Name", "E-mail"], ["kim", ""]).followed_by(1);
        for at in [1, 2, 0] {
            assert!(fields.on_action(Action::NextField));
            assert_eq!(fields.focused(), at);
        }
        assert!(fields.changed().is_empty() && fields.on_text_key(typed));
        assert_eq!(fields.values(), ["kimx", ""]);
        assert_eq!(fields.changed(), ["kimx", ""]);
        assert!(fields.on_action(Action::PreviousField));
        assert_eq!(fields.focused(), 2, "the line below the fields");
        assert!(!fields.on_text_key(typed) && !fields.on_action(Action::ClearField));
        fields.on_paste("pasted");
        assert_eq!(fields.values(), ["kimx", ""]);
        assert!(fields.on_action(Action::PageDown) && !fields.on_action(Action::Accept));
        fields.restore(&["lee".to_owned()]);
        assert_eq!(fields.values(), ["lee", ""], "a field without a kept text has what it began with");
        fields.restore(&[]);
        assert!(fields.changed().is_empty());
    }

    #[test]
    fn what_is_wrong_is_said_in_its_field_until_somebody_types() {
        let cx = UiContext::for_test();
        let said = |fields: &TextFields<2>| {
            let mut form = FormText::new(Rect::new(0, 0, 40, 9), &cx);
            fields.draw_error(&mut form);
            form.len()
        };
        let clearing: [fn(&mut TextFields<2>); 4] = [
            |fields| {
                fields.on_text_key(KeyEvent::new(KeyCode::Char('x'), KeyModifiers::NONE));
            },
            |fields| fields.on_paste("x"),
            |fields| {
                fields.on_action(Action::ClearField);
            },
            |fields| fields.restore(&[]),
        ];
        for clear in clearing {
            let mut fields = TextFields::new(["Name", "E-mail"], ["", ""]);
            fields.wrong(Some(1), "it is empty".to_owned());
            assert_eq!((fields.focused(), said(&fields)), (1, 1));
            assert!(fields.on_action(Action::NextField));
            fields.wrong(None, "nothing has changed".to_owned());
            assert_eq!((fields.focused(), said(&fields)), (0, 1), "the focus stays");
            clear(&mut fields);
            assert_eq!(said(&fields), 0);
        }
    }
}
