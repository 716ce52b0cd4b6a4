//! Question while the service asks lapel to wait: whether to send one ping now.

use crate::i18n::wait::wait_text;
use crate::tui::connection::Client;
use crate::tui::hold;
use crate::tui::prelude::*;

pub struct PingForm {
    client: Client,
    request: Option<RequestId>,
    error: Option<String>,
}

impl PingForm {
    pub fn new(client: Client) -> Self {
        Self { client, request: None, error: None }
    }
}

impl Component for PingForm {
    fn key_contexts(&self) -> Vec<KeyContext> {
        KeyContext::Menu.in_popup()
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        match action {
            Action::Down | Action::Up => false,
            Action::Accept => self.request.is_none(),
            _ => true,
        }
    }

    fn hint(&self, action: Action) -> &'static str {
        if action == Action::Accept { t!("send ping") } else { action.hint() }
    }

    fn on_action(&mut self, action: Action, _: &UiContext, effects: &mut Effects<'_>) -> bool {
        match action {
            Action::Accept if self.request.is_none() => {
                self.error = None;
                self.request = Some(effects.request(self.client.ping()));
            }
            Action::Back => effects.close(),
            Action::Accept | Action::Down | Action::Up => {}
            _ => return false,
        }
        true
    }

    fn on_response(&mut self, reply: Reply, _: &UiContext, effects: &mut Effects<'_>) -> Handled {
        match reply.to(&mut self.request)? {
            Response::Pinged(Ok(())) => {
                effects.say(t!("The service answered. The waiting requests continue."));
                effects.close();
            }
            Response::Pinged(Err(why)) => self.error = Some(why.to_string()),
            _ => {}
        }
        Ok(())
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let mut form = FormText::in_popup(area, cx);
        let question = match hold::left(cx) {
            Some(left) => t!("Rate limit wait: {wait}. Send one ping now?", wait = wait_text(left)),
            None => t!("The wait is over. lapel continues.").to_owned(),
        };
        form.text(&question, cx.theme.strong());
        form.text(
            t!("Nothing else is sent. If the service answers, the wait ends. If it refuses, the wait continues or gets longer."),
            cx.theme.text(),
        );
        if let Some(error) = &self.error {
            form.text(error, cx.theme.error());
        }
        let key = |action| cx.key(&self.key_contexts(), action);
        let text = if self.request.is_some() {
            t!("{spinner} sending one ping  {esc} back", spinner = cx.spinner(), esc = key(Action::Back))
        } else {
            t!("{enter} send one ping  {esc} back", enter = key(Action::Accept), esc = key(Action::Back))
        };
        form.dim(&text);
        form.draw_popup(frame, area, "");
    }
}

impl Modal for PingForm {}
