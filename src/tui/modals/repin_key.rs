//! Question when the key differs from the pinned key. lapel sends nothing with the new key until the user confirms
//! that it is right.

use crate::tui::prelude::*;
use crate::tui::widgets::confirm::CONTEXTS;

pub struct RepinKey {
    profile: String,
    pinned: String,
    said: String,
    request: Option<RequestId>,
    wrong: Option<String>,
}

impl RepinKey {
    /// Returns `None` for errors other than [`ApiError::OtherKey`] with the prefix of this key.
    pub fn of(error: &ApiError) -> Option<Self> {
        // A prefix that the service does not report cannot be pinned.
        let ApiError::OtherKey { profile, pinned, said: Some(said) } = error else { return None };
        Some(Self {
            profile: profile.clone(),
            pinned: pinned.clone(),
            said: said.clone(),
            request: None,
            wrong: None,
        })
    }
}

impl Component for RepinKey {
    fn key_contexts(&self) -> Vec<KeyContext> {
        CONTEXTS.to_vec()
    }

    fn on_action(&mut self, action: Action, _: &UiContext, effects: &mut Effects<'_>) -> bool {
        if action == Action::Back {
            effects.close();
        }
        matches!(action, Action::Back | Action::PageDown | Action::PageUp)
    }

    fn on_response(&mut self, reply: Reply, _: &UiContext, effects: &mut Effects<'_>) -> Handled {
        match reply.to(&mut self.request)? {
            Response::Connected(Ok(session)) => effects.go.push(Navigate::Connect(session)),
            Response::Connected(Err(why)) => self.wrong = Some(why),
            _ => {}
        }
        Ok(())
    }

    fn draw(&self, _: &mut Frame<'_>, _: Rect, _: &UiContext) {}
}

impl Modal for RepinKey {
    fn asks(&self) -> Option<ConfirmQuestion> {
        Some(ConfirmQuestion::ONE)
    }

    fn confirm_text(&self, form: &mut FormText<'_>, cx: &UiContext) {
        let theme = &cx.theme;
        let name = &self.profile;
        form.asks(&t!("Pin another key for profile {name}", name), &cx.place(), cx);
        if self.request.is_some() {
            form.busy(t!("checking the key again"));
        }
        if let Some(wrong) = &self.wrong {
            form.text(&scrub(wrong), theme.error());
        }
        for (label, text) in [(t!("pinned"), &self.pinned), (t!("now"), &self.said)] {
            form.line(Line::from(vec![
                Span::styled(format!("  {}", fit(label, 10, "")), theme.dim()),
                Span::styled(text.clone(), theme.strong()),
                Span::raw(cx.glyphs.ellipsis),
            ]));
        }
        let text = t!(
            "Profile {name} was checked with a key that begins as above. The service says that the current key begins differently. It may belong to another organisation. lapel has requested nothing with it, and will not.",
            name
        );
        form.text(&text, theme.warning());
        form.blank();
        form.text(
            t!(
                "If the organisation has a new key, pin it. The profile then uses it, also for the jobs of the old key. If not, put the correct key back."
            ),
            theme.text(),
        );
    }

    fn on_confirmed(&mut self, _: &UiContext, effects: &mut Effects<'_>) {
        if self.request.is_none() {
            self.wrong = None;
            let ask = Request::Pin(self.profile.clone(), self.said.clone());
            self.request = Some(effects.request(ask));
        }
    }
}
