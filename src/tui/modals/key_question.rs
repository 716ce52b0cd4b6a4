//! Question whether lapel may send a text that looks like an API key. lapel asks once for each text.

use crate::tui::component::{Component, Modal};
use crate::tui::context::Env;
use crate::tui::effects::{Effects, Navigate};
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::widgets::form::FormText;
use crate::tui::widgets::frame::Frame;
use ratatui::layout::Rect;

/// Number of characters shown of the text.
const SHOWN: usize = 4;

/// What to do if the text may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Do what Enter does in the form below.
    Accept,
    /// Apply the filter of the list below.
    Filter,
}

pub struct KeyQuestion {
    texts: Vec<String>,
    then: Then,
}

impl KeyQuestion {
    pub fn new(texts: Vec<String>, then: Then) -> Self {
        Self { texts, then }
    }
}

impl Component for KeyQuestion {
    fn key_contexts(&self) -> Vec<Context> {
        vec![Context::Review, Context::Always]
    }

    fn is_enabled(&self, action: Action, _: &Env) -> bool {
        matches!(action, Action::Confirm | Action::Back)
    }

    fn on_action(&mut self, action: Action, _: &Env, out: &mut Effects<'_>) -> bool {
        match action {
            Action::Confirm => {
                self.texts.iter().for_each(|text| crate::secrets::allow(text));
                out.close();
                out.go.push(Navigate::KeyAllowed(self.then));
            }
            Action::Back => {
                out.say(t!("Nothing was sent."));
                out.close();
            }
            Action::ClearField | Action::PageDown | Action::PageUp => {}
            _ => return false,
        }
        true
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let mut form = FormText::new(area, env);
        let begins = |text: &String| text.trim().chars().take(SHOWN).chain(['…']).collect::<String>();
        let texts: Vec<String> = self.texts.iter().map(begins).collect();
        form.head(t!("This looks like an API key"), &env.place());
        form.blank();
        form.text(
            &t!(
                "The text that begins with {text} looks like an API key. Nothing was sent.",
                text = texts.join(", ")
            ),
            env.theme.warning(),
        );
        form.text(
            t!("A key that is sent as search text is stored in the logs of every computer on the way. If it is a key and others have seen it, replace it in the issuer back office."),
            env.theme.text(),
        );
        form.blank();
        let key = |action| env.key(&self.key_contexts(), action);
        let text = t!("{y} send (not a key)  {esc} back", y = key(Action::Confirm), esc = key(Action::Back));
        form.text(&text, env.theme.accent());
        form.draw(frame, area);
    }
}

impl Modal for KeyQuestion {}
