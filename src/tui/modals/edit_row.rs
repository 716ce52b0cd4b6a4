//! Form to correct a row of a draft. It checks the name and the e-mail address while the user types.

use crate::domain::text::scrub;
use crate::jobs::intake::{Field as Of, Severity, check_person};
use crate::jobs::{JobId, JobRow};
use crate::tui::component::{Component, Modal};
use crate::tui::context::Env;
use crate::tui::effects::{Effects, Navigate};
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::request::{Request, RequestId, Response};
use crate::tui::widgets::field::{Field, Focus};
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::label::aligned;
use crate::tui::widgets::text_layout::{fit, width, wrap};
use crate::tui::worker::job_command::JobCommand;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

pub struct CorrectForm {
    job: JobId,
    row: Box<JobRow>,
    fields: [Field; 2],
    focus: Focus,
    ticket: Option<RequestId>,
    said: Option<String>,
}

impl CorrectForm {
    pub fn new(job: JobId, row: Box<JobRow>) -> Self {
        let fields = [Field::with(row.holder.wire()), Field::with(row.address.wire())];
        // Start in the e-mail field if the worst problem is there.
        let (_, _, _, findings) = check_person(row.holder.wire(), row.address.wire());
        let worst = findings.iter().map(|finding| finding.severity).max();
        let about_address =
            findings.iter().any(|finding| Some(finding.severity) == worst && finding.field == Of::Email);
        Self { job, row, fields, focus: Focus { at: usize::from(about_address) }, ticket: None, said: None }
    }
}

impl Component for CorrectForm {
    fn key_contexts(&self) -> Vec<Context> {
        vec![Context::Form, Context::Always]
    }

    fn on_action(&mut self, action: Action, _: &Env, out: &mut Effects<'_>) -> bool {
        match action {
            Action::NextField => self.focus.next(2),
            Action::PreviousField => self.focus.previous(2),
            Action::ClearField => self.fields[self.focus.at].clear(),
            Action::Accept if self.ticket.is_none() => {
                let [name, email] = self.fields.each_ref().map(|field| field.value().to_owned());
                let deed = JobCommand::Correct(self.job, self.row.no, name, email);
                self.ticket = Some(out.ask(Request::Do(Box::new(deed))));
            }
            Action::Back => out.close(),
            Action::Accept | Action::PageDown | Action::PageUp => {}
            _ => return false,
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        self.fields[self.focus.at].on_text_key(key)
    }

    fn on_paste(&mut self, text: &str, _: &Env, _: &mut Effects<'_>) {
        self.fields[self.focus.at].on_paste(text.trim());
    }

    fn on_response(
        &mut self,
        ticket: RequestId,
        answer: Response,
        _: &Env,
        out: &mut Effects<'_>,
    ) -> Result<(), Response> {
        match answer {
            Response::Done(done) if self.ticket == Some(ticket) => {
                self.ticket = None;
                match done {
                    Ok(_) => {
                        out.close();
                        out.go.push(Navigate::Corrected);
                    }
                    Err(why) => self.said = Some(why),
                }
                Ok(())
            }
            other => Err(other),
        }
    }

    fn typed(&self) -> Vec<&str> {
        self.fields.iter().map(Field::value).collect()
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let theme = &env.theme;
        let room = usize::from(area.width).saturating_sub(4);
        let mut lines: Vec<Line<'static>> = Vec::new();
        let put = |lines: &mut Vec<Line<'static>>, text: &str, style| {
            lines.extend(wrap(text, room).into_iter().map(|l| Line::styled(format!("  {l}"), style)));
        };
        let place =
            self.row.line.map_or_else(|| t!("row {no}", no = self.row.no), |n| t!("line {n} of the file", n));
        lines.push(Line::styled(format!("  {}", t!("Correct {place}", place)), theme.strong()));
        if let Some(why) = &self.row.why {
            put(&mut lines, &format!("{} {why}", env.glyphs.alert), theme.warning());
        }
        if !self.row.cells.is_empty() {
            let cells: Vec<String> = self.row.cells.iter().map(ToString::to_string).collect();
            let text = t!("original: {cells}", cells = cells.join(" | "));
            put(&mut lines, &fit(&text, room * 2, env.glyphs.ellipsis), theme.dim());
        }
        lines.push(Line::raw(""));
        for (at, label) in aligned([tr_noop!("Name"), tr_noop!("E-mail")]).into_iter().enumerate() {
            let focused = self.focus.at == at;
            let style = if focused { theme.strong() } else { theme.dim() };
            let cursor = if focused { env.glyphs.cursor } else { " " };
            let mut spans =
                vec![Span::styled(format!("  {label} "), style), Span::styled(cursor, theme.accent())];
            let columns = room.saturating_sub(width(&label) + 3).min(60);
            spans.extend(self.fields[at].spans(columns, focused, env));
            lines.push(Line::from(spans));
        }
        lines.push(Line::raw(""));
        let (_, _, _, findings) = check_person(self.fields[0].value(), self.fields[1].value());
        for finding in &findings {
            let style = match finding.severity {
                Severity::Refuse => theme.error(),
                Severity::Ask => theme.warning(),
                Severity::Note => theme.dim(),
            };
            let text = format!("{} {}: {}", env.glyphs.alert, finding.field, scrub(&finding.what));
            put(&mut lines, &text, style);
        }
        let text = t!(
            "The file is not changed; nothing is sent.  {enter} save in the draft  {esc} back",
            enter = env.key(&self.key_contexts(), Action::Accept),
            esc = env.key(&self.key_contexts(), Action::Back)
        );
        put(&mut lines, &text, theme.dim());
        if let Some(said) = &self.said {
            put(&mut lines, &format!("{} {said}", env.glyphs.alert), theme.error());
        }
        frame.render_widget(ratatui::text::Text::from(lines), area);
    }
}

impl Modal for CorrectForm {
    fn prepares_sending(&self) -> bool {
        true
    }
}
