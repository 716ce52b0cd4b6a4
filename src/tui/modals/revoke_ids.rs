//! Form to revoke the badges whose ids are in a file: the file and the reason. The next steps are the file form,
//! the check of each badge's state, and the review. Nothing is sent before the review.

use super::file::Purpose;
use crate::domain::Text;
use crate::jobs::intake::Source;
use crate::tui::component::{Component, Modal};
use crate::tui::context::Env;
use crate::tui::effects::Effects;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::modals::file::FileForm;
use crate::tui::persist::input_history::{self, Typed};
use crate::tui::request::{Request, RequestId, Response};
use crate::tui::widgets::field::{Field, Recent};
use crate::tui::widgets::form_layout;
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::label::aligned;
use crate::tui::widgets::path_field::PathField;
use crate::tui::widgets::text_layout::{width, wrap};
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

pub struct IdsForm {
    file: PathField,
    /// Pasted ids, used instead of a file.
    pasted: Option<String>,
    reason: Field,
    reasons: Recent,
    reasons_ticket: Option<RequestId>,
    when_issued: bool,
    /// Whether the reason field has the focus, not the file field.
    at_reason: bool,
    said: Option<String>,
}

impl IdsForm {
    pub fn new(env: &Env, out: &mut Effects<'_>) -> Self {
        Self {
            file: PathField::with_earlier(env.recents.list(Typed::IdsFile)),
            pasted: None,
            reason: Field::default(),
            reasons: Recent::default(),
            reasons_ticket: Some(out.ask(Request::Reasons)),
            when_issued: false,
            at_reason: false,
            said: None,
        }
    }

    fn source(&self) -> Option<Source> {
        match &self.pasted {
            Some(lines) => Some(Source::Pasted(lines.clone())),
            None => self.file.path().map(Source::File),
        }
    }

    fn go_on(&mut self, out: &mut Effects<'_>) {
        let Some(source) = self.source() else { return };
        self.said = None;
        if Text::new(self.reason.value()).looks_empty() {
            self.said =
                Some(t!("the reason is empty: the service requires one, and holders may see it").to_owned());
            return;
        }
        if let Source::File(path) = &source {
            out.typed.push((Typed::IdsFile, path.to_string_lossy().into_owned()));
        }
        let (reason, when_issued) = (self.reason.value().to_owned(), self.when_issued);
        out.open(move |_, out| FileForm::new(Purpose::Revoke { reason, when_issued }, source, out));
    }
}

impl Component for IdsForm {
    fn key_contexts(&self) -> Vec<Context> {
        vec![if self.at_reason { Context::RevokeForm } else { Context::FileField }, Context::Always]
    }

    fn is_enabled(&self, action: Action, _: &Env) -> bool {
        match action {
            Action::Earlier | Action::Later if !self.at_reason => {
                self.pasted.is_none() && self.file.is_enabled(action)
            }
            Action::Earlier | Action::Later => !self.reasons.is_empty(),
            Action::Editor => self.at_reason,
            Action::PageDown | Action::PageUp | Action::PreviousField => false,
            Action::Accept => self.source().is_some(),
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, _: &Env, out: &mut Effects<'_>) -> bool {
        if action == Action::Back {
            if self.at_reason {
                self.at_reason = false;
            } else {
                self.file.cancel(out);
                out.close();
            }
            return true;
        }
        if !self.at_reason {
            if action == Action::ClearField {
                self.pasted = None;
            }
            if self.pasted.is_none() && self.file.on_action(action, out) {
                return true;
            }
        }
        match action {
            Action::Accept if self.at_reason => self.go_on(out),
            Action::Accept if self.source().is_some() => self.at_reason = true,
            Action::Accept => {
                out.say(t!("Type the name of a file with badge ids, or paste or drop it here."));
            }
            Action::Toggle => self.when_issued = !self.when_issued,
            Action::ClearField => self.reason.clear(),
            Action::Earlier | Action::Later => {
                if let Some(reason) = self.reasons.step(action == Action::Earlier, self.reason.value()) {
                    self.reason.set(&reason);
                }
            }
            Action::PageDown | Action::PageUp | Action::PreviousField | Action::Complete => {}
            _ => return false,
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        match (self.at_reason, &self.pasted) {
            (true, _) => self.reason.on_text_key(key),
            (false, None) => self.file.on_text_key(key),
            (false, Some(_)) => false,
        }
    }

    fn on_paste(&mut self, text: &str, _: &Env, _: &mut Effects<'_>) {
        if self.at_reason {
            self.reason.on_paste(text.trim());
        } else if text.trim().lines().count() > 1 {
            self.pasted = Some(text.to_owned());
        } else {
            self.pasted = None;
            self.file.set_pasted(text);
        }
    }

    fn on_response(
        &mut self,
        ticket: RequestId,
        answer: Response,
        _: &Env,
        _: &mut Effects<'_>,
    ) -> Result<(), Response> {
        match answer {
            Response::Reasons(reasons) if self.reasons_ticket == Some(ticket) => {
                self.reasons_ticket = None;
                self.reasons = Recent::new(reasons);
                Ok(())
            }
            other => self.file.on_response(ticket, other),
        }
    }

    fn typed(&self) -> Vec<&str> {
        vec![self.reason.value()]
    }

    fn long_field(&mut self) -> Option<&mut Field> {
        self.at_reason.then_some(&mut self.reason)
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let theme = &env.theme;
        let room = usize::from(area.width).saturating_sub(4);
        let mut lines: Vec<Line<'static>> = Vec::new();
        let put = |lines: &mut Vec<Line<'static>>, text: &str, style| {
            lines.extend(wrap(text, room).into_iter().map(|l| Line::styled(format!("  {l}"), style)));
        };
        let head = t!("Revoke badges by id from a file");
        lines.extend(form_layout::head(head, &env.place(), room, env));
        lines.push(Line::raw(""));
        let label = |text: &str, focused: bool| {
            vec![
                Span::styled(format!("  {text} "), if focused { theme.strong() } else { theme.dim() }),
                Span::styled(if focused { env.glyphs.cursor } else { " " }, theme.accent()),
            ]
        };
        let [of_file, of_reason] = aligned([tr_noop!("File"), tr_noop!("Reason")]);
        let columns = room.saturating_sub(width(&of_file) + 3);
        let mut spans = label(&of_file, !self.at_reason);
        match &self.pasted {
            Some(pasted) => {
                let ids = pasted.lines().filter(|line| !line.trim().is_empty()).count();
                spans.push(Span::raw(plural!(ids as u64, "{n} line pasted", "{n} lines pasted")));
            }
            None => spans.extend(self.file.spans(columns, !self.at_reason, env)),
        }
        lines.push(Line::from(spans));
        lines.extend(self.file.lines(room, env));
        let mut spans = label(&of_reason, self.at_reason);
        spans.extend(self.reason.spans(columns, self.at_reason, env));
        lines.push(Line::from(spans));
        if self.at_reason {
            lines.extend(input_history::offered(&self.reasons, self.reason.value(), 8, room, env));
        }
        let sign = if self.when_issued { "[x]" } else { "[ ]" };
        let key = env.key(&[Context::RevokeForm], Action::Toggle);
        let key = if self.at_reason { format!("  {key}") } else { String::new() };
        put(
            &mut lines,
            &t!("{sign} waiting badges: revoke when issued, while lapel runs{key}", sign, key),
            if self.at_reason { theme.text() } else { theme.dim() },
        );
        lines.push(Line::raw(""));
        if let Some(said) = &self.said {
            put(&mut lines, &format!("{} {said}", env.glyphs.alert), theme.error());
        }
        let text = t!(
            "You can also paste ids, one per line. lapel first checks the state of each badge. Nothing is sent until you confirm the review.  {enter} continue",
            enter = env.key(&self.key_contexts(), Action::Accept)
        );
        put(&mut lines, &text, theme.dim());
        let lines = form_layout::squeezed(lines, area.height, env);
        frame.render_widget(ratatui::text::Text::from(lines), area);
    }
}

impl Modal for IdsForm {
    fn prepares_sending(&self) -> bool {
        true
    }

    fn takes_editor(&self) -> bool {
        true
    }
}
