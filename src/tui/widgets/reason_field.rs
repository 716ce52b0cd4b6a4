//! The reason for a revocation, with the reasons of earlier jobs to choose from.

use crate::tui::prelude::*;
use crate::tui::widgets::field::RecentInputs;

#[derive(Default)]
pub struct ReasonField {
    field: TextField,
    earlier: RecentInputs,
    request: Option<RequestId>,
    /// Why it is no reason, until the user types.
    error: Option<String>,
}

impl ReasonField {
    pub fn new(effects: &mut Effects<'_>) -> Self {
        Self { request: Some(effects.request(Request::Reasons)), ..Self::default() }
    }

    pub fn restore(&mut self, texts: &[String]) {
        self.error = None;
        self.field.set(texts.first().map_or("", String::as_str));
    }

    pub fn value(&self) -> &str {
        self.field.value()
    }

    /// Whether it is a reason. If not, [`ReasonField::error`] says why.
    pub fn check(&mut self) -> bool {
        self.error = no_reason(self.field.value());
        self.error.is_none()
    }

    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    pub fn has_earlier(&self) -> bool {
        !self.earlier.is_empty()
    }

    /// The field, in which something changes.
    pub fn changing(&mut self) -> &mut TextField {
        self.error = None;
        &mut self.field
    }

    pub fn on_action(&mut self, action: Action) -> bool {
        match action {
            Action::ClearField => self.field.clear(),
            Action::Earlier | Action::Later => {
                if let Some(reason) = self.earlier.step(action == Action::Earlier, self.field.value()) {
                    self.field.set(&reason);
                }
            }
            _ => return false,
        }
        self.error = None;
        true
    }

    pub fn on_response(&mut self, reply: Reply) -> Handled {
        if let Response::Reasons(reasons) = reply.to(&mut self.request)? {
            self.earlier = RecentInputs::new(reasons);
        }
        Ok(())
    }

    pub fn spans(&self, columns: usize, focused: bool, cx: &UiContext) -> Vec<Span<'static>> {
        self.field.spans(columns, focused, cx)
    }

    /// The earlier reasons, one per line, below a field whose label is `indent` cells wide.
    pub fn earlier_lines(&self, indent: usize, room: usize, cx: &UiContext) -> Vec<Line<'static>> {
        self.earlier.offered(self.field.value(), indent, room, cx)
    }
}

/// Why a text is no reason for a revocation. The contract requires a reason for every revocation.
pub fn no_reason(text: &str) -> Option<String> {
    Text::new(text)
        .looks_empty()
        .then(|| t!("the reason is empty: the service requires one, and holders may see it").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_reason_is_named_until_the_user_types() {
        let mut reason = ReasonField::default();
        assert!(reason.error().is_none(), "nobody went on yet");
        assert!(!reason.check() && reason.error().is_some());
        reason.changing().on_text_key(KeyEvent::new(KeyCode::Char(' '), KeyModifiers::NONE));
        assert!(reason.error().is_none());
        assert!(!reason.check(), "a blank is no reason");
        reason.changing().on_paste("wrong list");
        assert!(reason.error().is_none() && reason.check());
        reason.restore(&[]);
        assert!(!reason.check());
        assert!(reason.on_action(Action::ClearField) && reason.error().is_none());
        assert!(!reason.on_action(Action::Accept));
    }
}
