//! Short questions about a job: a reason, a choice, a path. Enter alone never issues or revokes a badge.
//! Enter after the reason for an undo already cancels the rows that are not sent.

mod lines;

use crate::domain::text::scrub;
use crate::domain::{BadgeId, Text};
use crate::i18n::tr;
use crate::jobs::receipt::MailReport;
use crate::jobs::{Decision, Job, JobError, JobId, JobRow, NeverSeen, RowStatus};
use crate::tui::component::{Component, Modal};
use crate::tui::context::Env;
use crate::tui::effects::{Effects, Navigate};
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Context;
use crate::tui::input::paths;
use crate::tui::modals::draft::DraftForm;
use crate::tui::request::{Paper, Request, RequestId, Response};
use crate::tui::widgets::field::Field;
use crate::tui::widgets::frame::Frame;
use crate::tui::widgets::job_rows::explain;
use crate::tui::widgets::label::aligned;
use crate::tui::widgets::text_layout::{fit, width, wrap};
use crate::tui::worker::job_command::{Done, JobCommand};
use crossterm::event::KeyEvent;
use lines::{mail_lines, undo_words};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

pub struct Question {
    about: About,
    field: Field,
    /// The running request of this question.
    ticket: Option<RequestId>,
    said: Option<String>,
}

enum About {
    /// Confirms: cancel the rows that are not sent.
    CallOff(Box<Job>),
    /// Asks for the reason to undo an issue job.
    Undo(Box<Job>),
    /// Resolves a row with an unknown outcome.
    Decide { job: JobId, row: Box<JobRow>, unseen: u64, at: usize, step: Step },
    /// Asks for the path of a receipt or redo file. `exists`: confirms replacing an existing file.
    Paper { job: JobId, redo: bool, exists: bool },
    /// Shows the failed mails.
    Mail { job: Box<Job>, report: Option<MailReport> },
}

/// Step of resolving a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Choose one of [`CHOICES`].
    Choice,
    /// Type the badge id.
    Badge,
    /// Type the reason.
    Why,
    /// Confirm.
    Review,
}

/// Index of the choice that sends all never seen rows of the job again.
const ALL: usize = 3;

const CHOICES: [(&str, &str); 4] = [
    (tr_noop!("send again"), tr_noop!("the first request did nothing, or two badges are fine")),
    (tr_noop!("it is this badge"), tr_noop!("you found the badge; type its id next")),
    (tr_noop!("leave as it is"), tr_noop!("resolved another way; lapel does nothing more")),
    (tr_noop!("send all again"), tr_noop!("all never seen rows of this job that may be sent again")),
];

fn choices(unseen: u64) -> usize {
    if unseen > 1 { CHOICES.len() } else { ALL }
}

impl Question {
    fn new(about: About) -> Self {
        Self { about, field: Field::default(), ticket: None, said: None }
    }

    pub fn call_off(job: Box<Job>) -> Self {
        Self::new(About::CallOff(job))
    }

    pub fn undo(job: Box<Job>) -> Self {
        Self::new(About::Undo(job))
    }

    /// Resolves a row. If the row is never seen, the user can also send all `unseen` never seen rows again.
    pub fn decide(job: JobId, row: Box<JobRow>, unseen: u64) -> Self {
        let unseen = if row.bucket == RowStatus::NotSeen { unseen } else { 0 };
        Self::new(About::Decide { job, row, unseen, at: 0, step: Step::Choice })
    }

    /// Asks for the path of a receipt, or with `redo` of a redo file.
    pub fn paper(job: &Job, redo: bool) -> Self {
        let what = if redo { "redo" } else { "receipt" };
        let name = paths::file_name(what, job.id.0, job.title.wire(), "xlsx");
        let about = About::Paper { job: job.id, redo, exists: false };
        Self { field: Field::with(&name), ..Self::new(about) }
    }

    /// Shows the failed mails of a job.
    pub fn mail(job: Box<Job>, out: &mut Effects<'_>) -> Self {
        let ticket = out.ask(Request::Mail(job.id));
        Self { ticket: Some(ticket), ..Self::new(About::Mail { job, report: None }) }
    }

    /// Whether it asks for the path of a receipt.
    pub fn is_receipt(&self) -> bool {
        matches!(self.about, About::Paper { redo: false, .. })
    }

    fn back(&mut self, out: &mut Effects<'_>) {
        self.said = None;
        match &mut self.about {
            About::Paper { exists: exists @ true, .. } => *exists = false,
            About::Decide { step, .. } if *step != Step::Choice => {
                *step = Step::Choice;
                self.field.clear();
            }
            _ => out.close(),
        }
    }

    fn go_on(&mut self, env: &Env, out: &mut Effects<'_>) {
        self.said = None;
        let empty = Text::new(self.field.value()).looks_empty();
        match &mut self.about {
            About::CallOff(_) | About::Mail { .. } | About::Paper { exists: true, .. } => {}
            About::Paper { .. } if empty => self.said = Some(t!("type a file name").to_owned()),
            About::Paper { .. } => self.write(false, out),
            About::Undo(job) => {
                if empty {
                    self.said = Some(
                        t!("the reason is empty: the service requires one, and holders may see it")
                            .to_owned(),
                    );
                } else if self.ticket.is_none() {
                    let deed = JobCommand::Undo(job.id, self.field.value().to_owned());
                    self.ticket = Some(out.ask(Request::Do(Box::new(deed))));
                }
            }
            About::Decide { at, step, row, job, .. } => match step {
                Step::Choice => {
                    self.field = match at {
                        1 => Field::with(row.badge_id.as_ref().map_or("", BadgeId::wire)),
                        _ => Field::default(),
                    };
                    *step = if *at == 1 { Step::Badge } else { Step::Why };
                }
                Step::Badge if empty => self.said = Some(t!("type or paste the badge id").to_owned()),
                Step::Why if empty => {
                    self.said = Some(t!("type a short reason: it is saved with the job").to_owned());
                }
                Step::Why if *at == ALL => {
                    if self.ticket.is_none() {
                        self.ticket = Some(out.ask(Request::Do(Box::new(JobCommand::NeverSeen(*job)))));
                    }
                }
                // In the live environment, sending again needs a second confirmation with more to type.
                Step::Why if *at == 0 && env.is_live() => {
                    let why = self.field.value().trim().to_owned();
                    let deed = JobCommand::Decide(*job, row.no, Decision::SendAgain, why);
                    out.go.push(Navigate::Again(Box::new(deed)));
                }
                Step::Badge | Step::Why => *step = Step::Review,
                Step::Review => {}
            },
        }
    }

    fn confirm(&mut self, out: &mut Effects<'_>) {
        if self.ticket.is_some() {
            return;
        }
        if let About::Paper { exists: true, .. } = self.about {
            self.write(true, out);
            return;
        }
        let deed = match &self.about {
            About::CallOff(job) => JobCommand::CallOff(job.id),
            About::Decide { job, row, at, step: Step::Review, .. } => {
                let typed = self.field.value().trim();
                let (decision, why) = match at {
                    0 => (Decision::SendAgain, typed),
                    1 => match BadgeId::new(typed) {
                        Some(id) => (Decision::IsThis(id), t!("found manually")),
                        None => return,
                    },
                    _ => (Decision::LeaveOut, typed),
                };
                JobCommand::Decide(*job, row.no, decision, why.to_owned())
            }
            About::Decide { .. } | About::Undo(_) | About::Paper { .. } | About::Mail { .. } => return,
        };
        self.ticket = Some(out.ask(Request::Do(Box::new(deed))));
    }

    /// Opens the confirmation for the never seen rows that can be sent again.
    fn review_all(&mut self, found: NeverSeen, out: &mut Effects<'_>) {
        let About::Decide { job, .. } = self.about else { return };
        if found.ready == 0 {
            self.said = Some(
                t!("none of these rows can be sent again together yet: resolve each one, or wait").to_owned(),
            );
            return;
        }
        let why = self.field.value().trim().to_owned();
        out.go.push(Navigate::Again(Box::new(JobCommand::ResendAll(job, found.ready, why))));
    }

    fn write(&mut self, overwrite: bool, out: &mut Effects<'_>) {
        let About::Paper { job, redo, .. } = self.about else { return };
        if self.ticket.is_none() {
            let to = paths::typed(self.field.value());
            self.ticket = Some(out.ask(Request::Paper(Paper { job, redo, to, overwrite })));
        }
    }

    fn field_line(&self, label: &str, room: usize, env: &Env) -> Line<'static> {
        let mut spans = vec![
            Span::styled(format!("  {label} "), env.theme.strong()),
            Span::styled(env.glyphs.cursor, env.theme.accent()),
        ];
        spans.extend(self.field.spans(room.saturating_sub(width(label) + 3), true, env));
        Line::from(spans)
    }

    fn yes(&self, verb: &str, env: &Env) -> Line<'static> {
        let key = |action| env.key(&self.key_contexts(), action);
        Line::from(vec![
            Span::raw("  "),
            Span::styled(key(Action::Confirm), env.theme.key()),
            Span::styled(format!(" {verb}"), env.theme.accent()),
            Span::raw("   "),
            Span::styled(key(Action::Back), env.theme.key()),
            Span::raw(format!(" {}", t!("back"))),
        ])
    }
}

impl Component for Question {
    fn key_contexts(&self) -> Vec<Context> {
        let own = match &self.about {
            About::CallOff(_) | About::Paper { exists: true, .. } => Context::Review,
            About::Undo(_) | About::Paper { .. } => Context::Form,
            About::Mail { .. } => Context::Help,
            About::Decide { step, .. } => match step {
                Step::Choice => Context::Menu,
                Step::Badge | Step::Why => Context::Form,
                Step::Review => Context::Review,
            },
        };
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
            Action::Editor => matches!(self.about, About::Undo(_) | About::Decide { step: Step::Why, .. }),
            Action::ClearField => self.key_contexts()[0] == Context::Form,
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, env: &Env, out: &mut Effects<'_>) -> bool {
        match action {
            Action::Back => self.back(out),
            Action::ClearField => self.field.clear(),
            Action::Accept => self.go_on(env, out),
            Action::Confirm => self.confirm(out),
            Action::Down | Action::Up => {
                if let About::Decide { at, unseen, step: Step::Choice, .. } = &mut self.about {
                    let all = choices(*unseen);
                    let by = if action == Action::Down { 1 } else { all - 1 };
                    *at = (*at + by) % all;
                }
            }
            Action::NextField | Action::PreviousField | Action::PageDown | Action::PageUp => {}
            _ => return false,
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        let typed =
            self.key_contexts()[0] == Context::Form && self.ticket.is_none() && self.field.on_text_key(key);
        if typed {
            self.said = None;
        }
        typed
    }

    fn on_paste(&mut self, text: &str, _: &Env, _: &mut Effects<'_>) {
        if self.key_contexts()[0] == Context::Form {
            match self.about {
                About::Paper { .. } => self.field.set(&paths::unwrap(text)),
                _ => self.field.on_paste(text.trim()),
            }
        }
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
                    Err(why) => self.said = Some(why),
                    Ok(Done::NeverSeen(found)) => self.review_all(found, out),
                    Ok(done) => {
                        out.close();
                        match done {
                            Done::Said(text) => out.say(text),
                            Done::Drafts(jobs) => DraftForm::open(jobs, out),
                            Done::Fine | Done::NeverSeen(_) => {}
                        }
                    }
                }
                Ok(())
            }
            Response::Paper(written) if self.ticket == Some(ticket) => {
                self.ticket = None;
                match written {
                    Ok(written) => {
                        let path = scrub(&written.path.to_string_lossy()).into_owned();
                        let wrote = plural!(
                            written.rows,
                            "Saved {n} row to {path}.",
                            "Saved {n} rows to {path}.",
                            path
                        );
                        let mut said = vec![wrote];
                        said.extend(written.remarks());
                        out.say(said.join(" "));
                        out.close();
                    }
                    Err(JobError::Exists(_)) => {
                        if let About::Paper { exists, .. } = &mut self.about {
                            *exists = true;
                        }
                    }
                    Err(why) => self.said = Some(why.to_string()),
                }
                Ok(())
            }
            Response::Mail(mail) if self.ticket == Some(ticket) => {
                self.ticket = None;
                match mail {
                    Ok(found) => {
                        if let About::Mail { report, .. } = &mut self.about {
                            *report = Some(found);
                        }
                    }
                    Err(why) => self.said = Some(why),
                }
                Ok(())
            }
            other => Err(other),
        }
    }

    fn typed(&self) -> Vec<&str> {
        match &self.about {
            About::Undo(_) | About::Decide { .. } => vec![self.field.value()],
            About::CallOff(_) | About::Paper { .. } | About::Mail { .. } => Vec::new(),
        }
    }

    fn long_field(&mut self) -> Option<&mut Field> {
        let reason = match &self.about {
            About::Undo(_) | About::Decide { step: Step::Why, .. } => self.ticket.is_none(),
            _ => false,
        };
        reason.then_some(&mut self.field)
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let theme = &env.theme;
        let room = usize::from(area.width).saturating_sub(4);
        let mut lines: Vec<Line<'static>> = Vec::new();
        let put = |lines: &mut Vec<Line<'static>>, text: &str, style| {
            lines.extend(wrap(text, room).into_iter().map(|l| Line::styled(format!("  {l}"), style)));
        };
        let key = |action| env.key(&self.key_contexts(), action);
        let head = match &self.about {
            About::CallOff(job) => {
                t!("Cancel the rest of job {id}   {title}", id = job.id, title = job.title)
            }
            About::Undo(job) => t!("Undo job {id}   {title}", id = job.id, title = job.title),
            About::Decide { job, row, .. } => {
                t!(
                    "Resolve row {no} of job {job}   {holder} {address}",
                    no = row.number(),
                    job,
                    holder = row.holder,
                    address = row.address
                )
            }
            About::Paper { job, redo: false, .. } => {
                t!("Receipt of job {job}: the outcome of every row", job)
            }
            About::Paper { job, .. } => {
                t!("Redo file of job {job}: original rows that were invalid or not sent", job)
            }
            About::Mail { job, .. } => t!("Mails of job {id}   {title}", id = job.id, title = job.title),
        };
        lines.push(Line::styled(format!("  {}", fit(&head, room, env.glyphs.ellipsis)), theme.strong()));
        lines.push(Line::styled(format!("  {}", env.place()), theme.accent()));
        lines.push(Line::raw(""));
        match &self.about {
            About::CallOff(job) => {
                let of = |bucket| job.counts.of(bucket);
                let n = crate::jobs::count(crate::jobs::Step::CallOff, job);
                let mut text = match n {
                    0 => t!("Nothing else is left to send.").to_owned(),
                    n => plural!(n, "{n} unsent row will not be sent.", "{n} unsent rows will not be sent."),
                };
                if of(RowStatus::Sending) > 0 {
                    text.push(' ');
                    text.push_str(t!("lapel waits for requests already sent, and cancels requests that wait for their turn."));
                }
                text.push(' ');
                text.push_str(t!("lapel keeps checking what was sent. This cannot be undone: a cancelled job does not resume."));
                put(&mut lines, &text, theme.text());
                lines.push(Line::raw(""));
                lines.push(self.yes(t!("to cancel the rest"), env));
            }
            About::Undo(job) => {
                put(&mut lines, &undo_words(job), theme.text());
                lines.push(Line::raw(""));
                lines.push(self.field_line(t!("Reason"), room, env));
                lines.push(Line::raw(""));
                let text = t!(
                    "Nothing is revoked before the review.  {enter} cancel the rest, review  {esc} back",
                    enter = key(Action::Accept),
                    esc = key(Action::Back)
                );
                put(&mut lines, &text, theme.dim());
            }
            About::Paper { exists, .. } => {
                lines.push(self.field_line(t!("File"), room, env));
                lines.push(Line::raw(""));
                if *exists {
                    put(
                        &mut lines,
                        &format!(
                            "{} {}",
                            env.glyphs.alert,
                            t!("A file with this name already exists. Nothing was saved.")
                        ),
                        theme.warning(),
                    );
                    lines.push(self.yes(t!("to replace"), env));
                } else {
                    let text = t!(
                        "The ending sets the format: .xlsx for Excel, .csv for UTF-8. Without a folder, the file is saved where lapel was started.  {enter} save  {esc} back",
                        enter = key(Action::Accept),
                        esc = key(Action::Back)
                    );
                    put(&mut lines, &text, theme.dim());
                }
            }
            About::Mail { report, .. } => {
                if let Some(report) = report {
                    mail_lines(report, &mut lines, &put, env);
                }
            }
            About::Decide { row, at, step, job, unseen } => {
                put(&mut lines, &explain(row, crate::jobs::Kind::Issue, env), theme.warning());
                lines.push(Line::raw(""));
                let words = aligned(CHOICES.map(|(word, _)| word));
                let there = words.iter().zip(CHOICES.map(|(_, what)| tr(what))).take(choices(*unseen));
                for (i, (word, what)) in there.enumerate() {
                    let sign = if i == *at { env.glyphs.on } else { env.glyphs.off };
                    let style = if i == *at { theme.strong() } else { theme.dim() };
                    let text = format!("  {sign} {word}  {what}");
                    lines.push(Line::styled(fit(&text, room + 2, env.glyphs.ellipsis), style));
                }
                lines.push(Line::raw(""));
                match step {
                    Step::Choice => {}
                    Step::Badge => lines.push(self.field_line(t!("Badge id"), room, env)),
                    Step::Why => lines.push(self.field_line(t!("Why"), room, env)),
                    Step::Review => {
                        let typed = Text::new(self.field.value());
                        let (label, verb) = match at {
                            0 => (t!("Why"), t!("to send again (may create two badges)").to_owned()),
                            1 => (t!("Badge id"), t!("to confirm this badge").to_owned()),
                            _ => (
                                t!("Why"),
                                t!("to leave row {no} of job {job} as it is", no = row.number(), job),
                            ),
                        };
                        put(&mut lines, &format!("{label}  {typed}"), theme.text());
                        lines.push(Line::raw(""));
                        lines.push(self.yes(&verb, env));
                    }
                }
            }
        }
        if self.ticket.is_some() {
            lines.push(Line::styled(format!("  {} {}", env.spinner(), t!("one moment")), theme.dim()));
        }
        if let Some(said) = &self.said {
            put(&mut lines, &format!("{} {said}", env.glyphs.alert), theme.error());
        }
        frame.render_widget(ratatui::text::Text::from(lines), area);
    }
}

impl Modal for Question {
    fn prepares_sending(&self) -> bool {
        matches!(self.about, About::CallOff(_) | About::Undo(_) | About::Decide { .. })
    }

    fn takes_editor(&self) -> bool {
        true
    }
}
