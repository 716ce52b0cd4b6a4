//! What every screen and every modal implements: the shell hands keys, clicks, responses and the frame to it.

use super::context::Env;
use super::effects::Effects;
use super::input::action::Action;
use super::input::keymap::Context;
use super::input::list_hit::Click;
use super::platform::images::Want;
use super::request::{RequestId, Response};
use super::widgets::copying::Copyables;
use super::widgets::field::Field;
use super::widgets::frame::Frame;
use crate::api::RawOf;
use crate::jobs::Job;
use crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::any::Any;

/// A screen or a modal.
///
/// `on_*` changes state and returns effects; it never waits and never draws. `draw` decides nothing.
pub(in crate::tui) trait Component: Any {
    /// The contexts in which the keymap looks up a key, innermost first.
    fn key_contexts(&self) -> Vec<Context>;

    /// Whether an action does something now. The footer and the palette offer nothing else.
    fn is_enabled(&self, _: Action, _: &Env) -> bool {
        true
    }

    /// Does an action. Returns false for an action that is not the component's own.
    fn on_action(&mut self, action: Action, env: &Env, out: &mut Effects<'_>) -> bool;

    /// Takes a key that the keymap leaves to text fields. Returns whether anything changed.
    fn on_text_key(&mut self, _: KeyEvent, _: &mut Effects<'_>) -> bool {
        false
    }

    fn on_paste(&mut self, _: &str, _: &Env, _: &mut Effects<'_>) {}

    /// Takes a press of the left mouse button. `area` is where the component was drawn.
    fn on_click(&mut self, _: Position, _area: Rect, _: &Env, _: &mut Effects<'_>) -> Clicked {
        Clicked::Nothing
    }

    /// Takes a response, or gives it back when the component does not wait for it.
    fn on_response(
        &mut self,
        _: RequestId,
        response: Response,
        _: &Env,
        _: &mut Effects<'_>,
    ) -> Result<(), Response> {
        Err(response)
    }

    /// Takes the progress of a request that takes long. Returns whether anything changed.
    fn on_progress(&mut self, _: RequestId, _done: u64, _all: u64) -> bool {
        false
    }

    /// Takes the new state of a job.
    fn on_job(&mut self, _: &Job, _: &Env) {}

    /// Requests what `area` shows and is not loaded, and fits the component's state to the area.
    fn load_visible(&mut self, _area: Rect, _: &Env, _: &mut Effects<'_>) {}

    /// The texts that Enter would send or save.
    fn typed(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The field with the focus, where its text may be written in the person's editor.
    fn long_field(&mut self) -> Option<&mut Field> {
        None
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env);
}

/// What the left mouse button was pressed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tui) enum Clicked {
    /// Nothing of the component.
    Nothing,
    /// A row that is selected now, or something else that has changed.
    Changed,
    /// The selected row of a menu: do what its key does.
    Chosen(Action),
}

impl Clicked {
    /// A click in a menu whose selected row is chosen by an action.
    pub(in crate::tui) fn in_menu(click: Click, choose: Action) -> Self {
        match click {
            Click::Beside => Self::Nothing,
            Click::Selected => Self::Changed,
            Click::Again => Self::Chosen(choose),
        }
    }

    pub(in crate::tui) fn changed(changed: bool) -> Self {
        if changed { Self::Changed } else { Self::Nothing }
    }
}

/// What opens over a screen.
pub(in crate::tui) trait Modal: Component {
    /// The name of its type, for tests.
    fn name(&self) -> &'static str {
        let name = std::any::type_name::<Self>();
        name.rsplit("::").next().unwrap_or(name)
    }

    /// Whether the screen stays visible behind it.
    fn is_popup(&self) -> bool {
        false
    }

    /// Whether it prepares a request that issues or revokes, which a read-only profile may not send.
    fn prepares_sending(&self) -> bool {
        false
    }

    /// Whether its text can be written in the person's editor.
    fn takes_editor(&self) -> bool {
        false
    }

    /// Whether an API key may be pasted into it.
    fn takes_api_key(&self) -> bool {
        false
    }
}

/// What a tab shows.
pub(in crate::tui) trait Screen: Component {
    /// Whether back does something that a person can see.
    fn can_go_back(&self) -> bool;

    /// Whether an action belongs to a part of the screen that is not visible.
    fn is_behind(&self, _: Action) -> bool {
        false
    }

    /// Whether the screen shows how long something has been waiting: it is drawn again every minute.
    fn shows_age(&self, _: &Env) -> bool {
        false
    }

    /// What can be copied of the selected row.
    fn copyables(&self, env: &Env) -> Copyables;

    /// The records of the service that can be shown as JSON.
    fn records(&self) -> Vec<RawOf>;

    /// The picture that has a place on the screen.
    fn picture(&self, _area: Rect) -> Option<Want> {
        None
    }

    /// Whether an action about that picture does something now.
    fn has_picture(&self, _: Action) -> bool {
        false
    }

    /// Reads what is on the screen again.
    fn refresh(&mut self, env: &Env, out: &mut Effects<'_>);

    /// A request that nobody asked for has failed: what is shown stays.
    fn give_up(&mut self, _: RequestId) {}

    /// Table rows that the last drawing built. Tests count them.
    fn rows_built(&self) -> u64 {
        0
    }
}
