//! Question when the key differs from the pinned key. lapel sends nothing with the new key until the user confirms
//! that it is right.

use crate::api::ApiError;
use crate::tui::component::{Component, Modal};
use crate::tui::context::Env;
use crate::tui::effects::{Effects, Navigate};
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::request::{Request, RequestId, Response};
use crate::tui::widgets::field::Field;
use crate::tui::widgets::form::FormText;
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::text_layout::{fit, width};
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

pub struct RepinKey {
    profile: String,
    pinned: String,
    said: String,
    field: Field,
    /// Whether the name is typed correctly and only `y` is missing.
    is_typed: bool,
    request: Option<RequestId>,
    wrong: Option<String>,
}

impl RepinKey {
    /// Returns `None` for errors other than [`ApiError::OtherKey`].
    pub fn of(error: &ApiError) -> Option<Self> {
        let ApiError::OtherKey { profile, pinned, said } = error else { return None };
        Some(Self {
            profile: profile.clone(),
            pinned: pinned.clone(),
            said: said.clone(),
            field: Field::default(),
            is_typed: false,
            request: None,
            wrong: None,
        })
    }
}

impl Component for RepinKey {
    fn key_contexts(&self) -> Vec<Context> {
        let own = if self.is_typed { Context::Review } else { Context::Form };
        vec![own, Context::Always]
    }

    fn is_enabled(&self, action: Action, _: &Env) -> bool {
        match action {
            // Not in the footer: the line with the question shows the key `y`.
            Action::NextField
            | Action::PreviousField
            | Action::PageDown
            | Action::PageUp
            | Action::Confirm => false,
            Action::Accept | Action::ClearField => !self.is_typed,
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, _: &Env, out: &mut Effects<'_>) -> bool {
        match action {
            Action::Back if self.is_typed && self.request.is_none() => self.is_typed = false,
            Action::Back => {
                out.cancel(self.request.take());
                out.close();
            }
            Action::ClearField => self.field.clear(),
            Action::Accept if !self.is_typed => {
                self.is_typed = self.field.value().trim() == self.profile;
                self.wrong = (!self.is_typed)
                    .then(|| t!("The profile is {profile}. Nothing was pinned.", profile = self.profile));
            }
            Action::Confirm if self.is_typed && self.request.is_none() => {
                self.wrong = None;
                let ask = Request::Pin { profile: self.profile.clone(), prefix: self.said.clone() };
                self.request = Some(out.ask(ask));
            }
            Action::Accept
            | Action::Confirm
            | Action::NextField
            | Action::PreviousField
            | Action::PageDown
            | Action::PageUp => {}
            _ => return false,
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        !self.is_typed && self.field.on_text_key(key)
    }

    fn on_response(
        &mut self,
        request: RequestId,
        response: Response,
        _: &Env,
        out: &mut Effects<'_>,
    ) -> Result<(), Response> {
        match response {
            Response::Connected(pinned) if self.request == Some(request) => {
                self.request = None;
                match pinned {
                    Ok(session) => out.go.push(Navigate::Connect(session)),
                    Err(why) => self.wrong = Some(why),
                }
                Ok(())
            }
            other => Err(other),
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let theme = &env.theme;
        let mut form = FormText::new(area, env);
        form.text(t!("Another key"), theme.strong());
        form.text(&env.place(), theme.accent());
        form.blank();
        let name = &self.profile;
        for (label, text) in [(t!("pinned"), &self.pinned), (t!("now"), &self.said)] {
            form.line(Line::from(vec![
                Span::styled(format!("  {}", fit(label, 10, "")), theme.dim()),
                Span::styled(text.clone(), theme.strong()),
                Span::raw(env.glyphs.ellipsis),
            ]));
        }
        form.blank();
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
        form.blank();
        if self.is_typed {
            form.yes(t!("to pin this key"), &self.key_contexts());
        } else {
            let ask =
                t!("type {name}, then {enter}", name, enter = env.key(&self.key_contexts(), Action::Accept));
            let columns = form.room().saturating_sub(width(&ask) + 7).max(8);
            let mut spans = vec![Span::raw(format!("  {ask}  "))];
            spans.push(Span::styled(env.glyphs.cursor, theme.accent()));
            spans.extend(self.field.spans(columns, true, env));
            form.line(Line::from(spans));
        }
        if self.request.is_some() {
            form.blank();
            form.busy(t!("checking the key again"));
        }
        if let Some(wrong) = &self.wrong {
            form.blank();
            form.text(&crate::domain::text::scrub(wrong), theme.error());
        }
        form.draw(frame, area);
    }
}

impl Modal for RepinKey {}
