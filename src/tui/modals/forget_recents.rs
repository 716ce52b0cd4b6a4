//! Confirmation before lapel deletes the recent look-ups and file names of the profile.

use crate::tui::component::{Component, Modal};
use crate::tui::context::Env;
use crate::tui::effects::{Effects, Navigate};
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::widgets::form::FormText;
use crate::tui::widgets::frame::Frame;
use ratatui::layout::Rect;

pub struct ForgetRecents;

impl Component for ForgetRecents {
    fn key_contexts(&self) -> Vec<Context> {
        vec![Context::Menu, Context::Always]
    }

    fn is_enabled(&self, action: Action, _: &Env) -> bool {
        !matches!(action, Action::Down | Action::Up)
    }

    fn on_action(&mut self, action: Action, _: &Env, out: &mut Effects<'_>) -> bool {
        match action {
            Action::Accept => {
                out.close();
                out.go.push(Navigate::ForgetRecents);
            }
            Action::Back => out.close(),
            Action::Down | Action::Up => {}
            _ => return false,
        }
        true
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let mut form = FormText::new(area, env);
        form.text(t!("Forget recent look-ups and file names of this profile?"), env.theme.strong());
        form.text(t!("This cannot be undone. Nothing changes at the service."), env.theme.text());
        let key = |action| env.key(&self.key_contexts(), action);
        let text =
            t!("{enter} forget them  {esc} back", enter = key(Action::Accept), esc = key(Action::Back));
        form.text(&text, env.theme.accent());
        form.draw_popup(frame, area);
    }
}

impl Modal for ForgetRecents {
    fn is_popup(&self) -> bool {
        true
    }
}
