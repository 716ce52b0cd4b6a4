//! Saving the request log to a file: path and content.

use crate::api::LogEntry;
use crate::domain::text::scrub;
use crate::tui::context::Env;
use crate::tui::effects::Effects;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::request::{NotSaved, Request, RequestId, Response, Saving};
use crate::tui::widgets::confirm::Ask;
use crate::tui::widgets::form::FormText;
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::path_field::PathField;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use std::fmt::Write;

/// Form for the path of the saved log.
pub struct Save {
    field: PathField,
    /// The log at the time this form was opened.
    text: String,
    rows: u64,
    request: Option<RequestId>,
    /// Whether a file with this name exists.
    exists: bool,
    said: Option<String>,
}

impl Save {
    /// `entries`: newest first.
    pub fn new(entries: &[LogEntry], env: &Env, out: &mut Effects<'_>) -> Self {
        let mut field = PathField::new(false, out);
        let now = jiff::Timestamp::now();
        let name = env.clock().offset().to_datetime(now).strftime("lapel-requests-%Y%m%d-%H%M%S.tsv");
        field.set_pasted(&name.to_string());
        let origin = env.reader.as_ref().map(crate::api::Reader::origin).unwrap_or_default();
        let (text, rows) = (text(entries, &origin, now), entries.len() as u64);
        Self { field, text, rows, request: None, exists: false, said: None }
    }

    pub fn key_contexts(&self) -> Vec<Context> {
        vec![Context::FileField, Context::Always]
    }

    pub fn is_enabled(&self, action: Action) -> bool {
        match action {
            Action::PreviousField => false,
            _ => self.field.is_enabled(action),
        }
    }

    /// Returns whether it handled the action, and whether the form is closed now.
    pub fn on_action(&mut self, action: Action, out: &mut Effects<'_>) -> (bool, bool) {
        self.said = None;
        match action {
            Action::Back if self.exists => self.exists = false,
            Action::Back => {
                self.field.cancel(out);
                return (true, true);
            }
            Action::Accept => self.write(false, out),
            _ => return (self.field.on_action(action, out), false),
        }
        (true, false)
    }

    pub fn write(&mut self, overwrite: bool, out: &mut Effects<'_>) {
        if self.request.is_some() {
            return;
        }
        match self.field.path() {
            Some(to) => {
                self.exists = false;
                let saving = Saving { text: self.text.clone(), to, overwrite };
                self.request = Some(out.ask(Request::Save(Box::new(saving))));
            }
            None => self.said = Some(t!("type a file name").to_owned()),
        }
    }

    /// Whether the user must confirm that the file is replaced.
    pub fn asks(&self) -> Option<Ask> {
        (self.exists && self.request.is_none()).then_some(Ask::ONE)
    }

    pub fn confirm_text(&self, form: &mut FormText<'_>, env: &Env) {
        form.asks(t!("Replace the file"), self.field.text(), env);
        form.warning(t!("A file with this name already exists. Nothing was saved."));
    }

    pub fn on_text_key(&mut self, key: KeyEvent) -> bool {
        self.request.is_none() && self.field.on_text_key(key)
    }

    pub fn on_paste(&mut self, text: &str) {
        if self.request.is_none() {
            self.field.set_pasted(text);
        }
    }

    /// Handles a response, or returns it if it is not for this form. Returns whether the form is closed now.
    pub fn on_response(
        &mut self,
        request: RequestId,
        answer: Response,
        out: &mut Effects<'_>,
    ) -> Result<bool, Response> {
        match answer {
            Response::Saved(saved) if self.request == Some(request) => {
                self.request = None;
                match saved {
                    Ok(path) => {
                        let rows = count!(self.rows, "request", "requests");
                        let path = scrub(&path.to_string_lossy()).into_owned();
                        out.say(t!("Saved {rows} to {path}. Only you can read it.", rows, path));
                        return Ok(true);
                    }
                    Err(NotSaved::Exists) => self.exists = true,
                    Err(NotSaved::Failed(why)) => self.said = Some(why),
                }
                Ok(false)
            }
            other => self.field.on_response(request, other).map(|()| false),
        }
    }

    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let mut form = FormText::new(area, env);
        form.blank();
        form.labelled(t!("File"), true, |columns| self.field.spans(columns, true, env));
        if let Some(error) = &self.said {
            form.error(error);
        } else {
            let found = self.field.lines(form.room(), env);
            if found.is_empty() {
                form.dim(t!(
                    "Tab-separated text without the key; names and e-mails masked. Only you can read it."
                ));
            }
            form.extend(found);
        }
        form.draw(frame, area);
    }
}

/// The log as tab-separated text. No value has a tab or line break, because each is scrubbed or lapel's own.
fn text(entries: &[LogEntry], origin: &str, now: jiff::Timestamp) -> String {
    let mut text = format!(
        "# lapel {}, requests to {origin} until {now}, the newest first; without the key, names and addresses masked\n",
        env!("CARGO_PKG_VERSION")
    );
    text.push_str("no\tsent\tmethod\tpath\tquery\tstatus\tcode\toutcome\tattempt\twaited_ms\ttook_ms\tbytes\tused\tlimit\n");
    for e in entries {
        let number = |n: Option<u64>| n.map_or_else(String::new, |n| n.to_string());
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            e.no,
            e.started_at,
            e.method,
            e.path,
            e.query,
            number(e.status.map(u64::from)),
            e.code.as_ref().map_or_else(String::new, ToString::to_string),
            e.outcome,
            e.attempt,
            e.waited.as_millis(),
            e.duration.as_millis(),
            number(e.bytes),
            e.used,
            e.limit,
        );
    }
    text
}
