//! Question while the service asks lapel to wait: whether to send one ping now.

use crate::api::Reader;
use crate::tui::component::{Component, Modal};
use crate::tui::context::Env;
use crate::tui::effects::Effects;
use crate::tui::hold;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::request::{Request, RequestId, Response};
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::text_layout::wrap;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Clear;

pub struct PingForm {
    reader: Reader,
    /// The running ping.
    ticket: Option<RequestId>,
    /// Result of the ping.
    said: Option<String>,
}

impl PingForm {
    pub fn new(reader: Reader) -> Self {
        Self { reader, ticket: None, said: None }
    }
}

impl Component for PingForm {
    fn key_contexts(&self) -> Vec<Context> {
        vec![Context::Menu, Context::Always]
    }

    fn is_enabled(&self, action: Action, _: &Env) -> bool {
        !matches!(action, Action::Down | Action::Up)
    }

    fn on_action(&mut self, action: Action, _: &Env, out: &mut Effects<'_>) -> bool {
        match action {
            Action::Accept if self.ticket.is_none() => {
                self.said = None;
                self.ticket = Some(out.ask(Request::Ping(self.reader.clone())));
            }
            Action::Back => {
                out.cancel(self.ticket.take());
                out.close();
            }
            Action::Accept | Action::Down | Action::Up => {}
            _ => return false,
        }
        true
    }

    fn on_response(
        &mut self,
        ticket: RequestId,
        answer: Response,
        _: &Env,
        out: &mut Effects<'_>,
    ) -> Result<(), Response> {
        match answer {
            Response::Pinged(pinged) if self.ticket == Some(ticket) => {
                self.ticket = None;
                match pinged {
                    Ok(()) => {
                        out.say(t!("The service answered. The waiting requests continue."));
                        out.close();
                    }
                    Err(why) => self.said = Some(why.to_string()),
                }
                Ok(())
            }
            other => Err(other),
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let room = usize::from(area.width).saturating_sub(4);
        let put = |text: &str, style| {
            wrap(text, room).into_iter().map(move |line| Line::styled(format!("  {line}"), style))
        };
        let rule = env.glyphs.rule.repeat(usize::from(area.width).saturating_sub(2));
        let mut lines = vec![Line::styled(format!(" {rule}"), env.theme.dim())];
        let question = match hold::left(env) {
            Some(left) => t!("Rate limit wait: {wait}. Send one ping now?", wait = hold::words(left)),
            None => t!("The wait is over. lapel continues.").to_owned(),
        };
        lines.extend(put(&question, env.theme.strong()));
        lines.extend(put(
            t!("Nothing else is sent. If the service answers, the wait ends. If it refuses, the wait stays or grows."),
            env.theme.text(),
        ));
        if let Some(said) = &self.said {
            lines.extend(put(said, env.theme.error()));
        }
        let key = |action| env.key(&self.key_contexts(), action);
        let text = if self.ticket.is_some() {
            t!("{spinner} sending one ping  {esc} back", spinner = env.spinner(), esc = key(Action::Back))
        } else {
            t!("{enter} send one ping  {esc} back", enter = key(Action::Accept), esc = key(Action::Back))
        };
        lines.extend(put(&text, env.theme.accent()));
        let rows = u16::try_from(lines.len()).unwrap_or(area.height).min(area.height);
        let area = Rect { y: area.bottom() - rows, height: rows, ..area };
        frame.render_widget(Clear, area);
        frame.render_widget(ratatui::text::Text::from(lines), area);
    }
}

impl Modal for PingForm {
    fn is_popup(&self) -> bool {
        true
    }
}
