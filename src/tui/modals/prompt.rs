//! Short questions about a job: a reason, a choice. What follows is confirmed.

mod lines;

use crate::domain::{BadgeId, Text};
use crate::i18n::tr;
use crate::jobs::{Decision, Job, JobId, JobRow, NeverSeen, RowStatus};
use crate::tui::modals::draft::DraftForm;
use crate::tui::prelude::*;
use crate::tui::widgets::job_rows::explain;
use crate::tui::widgets::label::aligned;
use crate::tui::widgets::reason_field::no_reason;
use crate::tui::worker::job_command::{Done, JobCommand};
use lines::undo_words;

pub struct Prompt {
    about: About,
    field: Field,
    /// The running request of this question.
    request: Option<RequestId>,
    error: Option<String>,
}

enum About {
    /// Asks for the reason to undo an issue job. `cancels`: confirms that the rows not sent are cancelled.
    Undo { job: Box<Job>, cancels: bool },
    /// Resolves a row with an unknown outcome.
    Decide { job: JobId, row: Box<JobRow>, unseen: u64, at: usize, step: Step },
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

/// The rows that undoing a job cancels first.
fn unsent(job: &Job) -> u64 {
    crate::jobs::count(crate::jobs::Step::CallOff, job)
}

fn choices(unseen: u64) -> usize {
    if unseen > 1 { CHOICES.len() } else { ALL }
}

impl Prompt {
    fn new(about: About) -> Self {
        Self { about, field: Field::default(), request: None, error: None }
    }

    pub fn undo(job: Box<Job>) -> Self {
        Self::new(About::Undo { job, cancels: false })
    }

    /// Resolves a row. If the row is never seen, the user can also send all `unseen` never seen rows again.
    pub fn decide(job: JobId, row: Box<JobRow>, unseen: u64) -> Self {
        let unseen = if row.row_status == RowStatus::NotSeen { unseen } else { 0 };
        Self::new(About::Decide { job, row, unseen, at: 0, step: Step::Choice })
    }

    fn back(&mut self, out: &mut Effects<'_>) {
        self.error = None;
        match &mut self.about {
            About::Undo { cancels: asks @ true, .. } => *asks = false,
            About::Decide { step, .. } if *step != Step::Choice => {
                *step = Step::Choice;
                self.field.clear();
            }
            _ => out.close(),
        }
    }

    fn go_on(&mut self, out: &mut Effects<'_>) {
        self.error = None;
        let empty = Text::new(self.field.value()).looks_empty();
        match &mut self.about {
            About::Undo { job, cancels } => {
                self.error = no_reason(self.field.value());
                if self.error.is_none() && self.request.is_none() {
                    *cancels = unsent(job) > 0;
                    if !*cancels {
                        self.confirm(out);
                    }
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
                Step::Badge if empty => self.error = Some(t!("type or paste the badge id").to_owned()),
                Step::Why if empty => {
                    self.error = Some(t!("type a short reason: it is saved with the job").to_owned());
                }
                Step::Why if *at == ALL => {
                    if self.request.is_none() {
                        self.request =
                            Some(out.ask(Request::Do(Box::new(JobCommand::NeverSeen(*job, None)))));
                    }
                }
                Step::Why if *at == 0 => {
                    let why = self.field.value().trim().to_owned();
                    let command = JobCommand::Decide(*job, row.no, Decision::SendAgain, why);
                    out.go.push(Navigate::Again(Box::new(command)));
                }
                Step::Badge | Step::Why => *step = Step::Review,
                Step::Review => {}
            },
        }
    }

    /// Goes back to the step before the confirmation.
    fn unconfirm(&mut self) {
        match &mut self.about {
            About::Decide { step: step @ Step::Review, at, .. } => {
                *step = if *at == 1 { Step::Badge } else { Step::Why };
            }
            About::Undo { cancels, .. } => *cancels = false,
            About::Decide { .. } => {}
        }
    }

    fn confirm(&mut self, out: &mut Effects<'_>) {
        if self.request.is_some() {
            return;
        }
        let command = match &self.about {
            About::Undo { job, .. } => JobCommand::Undo(job.id, self.field.value().to_owned()),
            About::Decide { job, row, at, step: Step::Review, .. } => {
                let typed = self.field.value().trim();
                let (decision, why) = match at {
                    1 => match BadgeId::new(typed) {
                        Some(id) => (Decision::IsThis(id), t!("found manually")),
                        None => return,
                    },
                    _ => (Decision::LeaveOut, typed),
                };
                JobCommand::Decide(*job, row.no, decision, why.to_owned())
            }
            About::Decide { .. } => return,
        };
        self.request = Some(out.ask(Request::Do(Box::new(command))));
    }

    /// Opens the confirmation for the never seen rows that can be sent again.
    fn review_all(&mut self, found: NeverSeen, out: &mut Effects<'_>) {
        let About::Decide { job, .. } = self.about else { return };
        if found.ready.is_empty() {
            self.error = Some(
                t!("none of these rows can be sent again together yet: resolve each one, or wait").to_owned(),
            );
            return;
        }
        let why = self.field.value().trim().to_owned();
        out.go.push(Navigate::Again(Box::new(JobCommand::ResendAll(job, found.ready, why))));
    }

    fn head(&self) -> String {
        match &self.about {
            About::Undo { job, .. } => t!("Undo job {id}   {title}", id = job.id, title = job.title),
            About::Decide { job, row, .. } => {
                t!(
                    "Resolve row {no} of job {job}   {holder} {address}",
                    no = row.number(),
                    job,
                    holder = row.holder,
                    address = row.address
                )
            }
        }
    }

    fn draw_undo(&self, job: &Job, form: &mut FormText<'_>, env: &Env) {
        let key = |action| env.key(&self.key_contexts(), action);
        form.text(&undo_words(job), env.theme.text());
        form.blank();
        form.field(t!("Reason"), &self.field, true);
        form.blank();
        form.dim(&t!(
            "Nothing is revoked before the review.  {enter} cancel the rest, review  {esc} back",
            enter = key(Action::Accept),
            esc = key(Action::Back)
        ));
    }

    fn draw_decide(&self, form: &mut FormText<'_>, env: &Env) {
        let About::Decide { row, at, step, unseen, .. } = &self.about else { return };
        form.text(&explain(row, crate::jobs::Kind::Issue, env), env.theme.warning());
        form.blank();
        let words = aligned(CHOICES.map(|(word, _)| word));
        let choices = words.iter().zip(CHOICES.map(|(_, what)| tr(what))).take(choices(*unseen));
        for (i, (word, what)) in choices.enumerate() {
            form.choice(&format!("{word}  {what}"), i == *at);
        }
        form.blank();
        match step {
            Step::Choice | Step::Review => {}
            Step::Badge => form.field(t!("Badge id"), &self.field, true),
            Step::Why => form.field(t!("Why"), &self.field, true),
        }
    }

    /// What resolves the row, and the text that the user typed.
    fn decision(&self) -> Option<(String, String)> {
        let About::Decide { row, at, step: Step::Review, job, .. } = &self.about else { return None };
        let (what, label) = match at {
            1 => (t!("Row {no} of job {job} is this badge", no = row.number(), job), t!("Badge id")),
            _ => (t!("Leave row {no} of job {job} as it is", no = row.number(), job), t!("Why")),
        };
        Some((what, format!("{label}  {}", Text::new(self.field.value()))))
    }
}

impl Component for Prompt {
    fn key_contexts(&self) -> Vec<Context> {
        match &self.about {
            About::Decide { step: Step::Choice, .. } => Context::Menu.in_popup(),
            About::Undo { .. } | About::Decide { .. } => vec![Context::Form, Context::Always],
        }
    }

    fn is_enabled(&self, action: Action, _: &Env) -> bool {
        match action {
            Action::NextField | Action::PreviousField | Action::PageDown | Action::PageUp => false,
            Action::Editor => {
                matches!(self.about, About::Undo { .. } | About::Decide { step: Step::Why, .. })
            }
            Action::ClearField => self.key_contexts()[0] == Context::Form,
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, _: &Env, out: &mut Effects<'_>) -> bool {
        match action {
            Action::Back => self.back(out),
            Action::ClearField => self.field.clear(),
            Action::Accept => self.go_on(out),
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
            self.key_contexts()[0] == Context::Form && self.request.is_none() && self.field.on_text_key(key);
        if typed {
            self.error = None;
        }
        typed
    }

    fn on_paste(&mut self, text: &str, _: &Env, _: &mut Effects<'_>) {
        if self.key_contexts()[0] == Context::Form {
            self.field.on_paste(text.trim());
        }
    }

    fn on_response(&mut self, id: RequestId, response: Response, _: &Env, out: &mut Effects<'_>) -> Taken {
        match response {
            Response::Done(done) if self.request == Some(id) => {
                self.request = None;
                match done {
                    Err(why) => {
                        self.error = Some(why);
                        self.unconfirm();
                    }
                    Ok(Done::NeverSeen(found)) => self.review_all(found, out),
                    Ok(done) => {
                        out.close();
                        match done {
                            Done::Said(text) => out.say(text),
                            Done::Drafts(jobs) => DraftForm::open(jobs, out),
                            Done::Fine
                            | Done::NeverSeen(_)
                            | Done::Processed(..)
                            | Done::File(_)
                            | Done::Corrected(_)
                            | Done::Undone(_) => {}
                        }
                    }
                }
                Ok(())
            }
            other => Err(other),
        }
    }

    fn typed(&self) -> Vec<&str> {
        vec![self.field.value()]
    }

    fn long_field(&mut self) -> Option<&mut Field> {
        let reason = match &self.about {
            About::Undo { cancels: false, .. } | About::Decide { step: Step::Why, .. } => {
                self.request.is_none()
            }
            _ => false,
        };
        reason.then_some(&mut self.field)
    }

    fn on_job(&mut self, job: &Job, _: &Env) {
        if let About::Undo { job: mine, .. } = &mut self.about
            && mine.id == job.id
        {
            mine.as_mut().clone_from(job);
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let mut form = FormText::in_popup(area, env);
        form.cut(&env.place(), env.theme.accent());
        form.blank();
        match &self.about {
            About::Undo { job, .. } => self.draw_undo(job, &mut form, env),
            About::Decide { .. } => self.draw_decide(&mut form, env),
        }
        if self.request.is_some() {
            form.busy(t!("one moment"));
        }
        if let Some(error) = &self.error {
            form.error(error);
        }
        form.draw_popup(frame, area, &self.head());
    }
}

impl Modal for Prompt {
    fn is_popup(&self) -> bool {
        true
    }

    fn prepares_sending(&self) -> bool {
        true
    }

    fn asks(&self) -> Option<Ask> {
        match &self.about {
            About::Decide { step: Step::Review, .. } => Some(Ask::ONE),
            About::Undo { job, cancels: true } if unsent(job) > 0 => Some(Ask::of(unsent(job))),
            _ => None,
        }
    }

    fn confirm_text(&self, form: &mut FormText<'_>, env: &Env) {
        match &self.about {
            About::Undo { job, .. } => {
                let n = unsent(job);
                let what = plural!(n, "Cancel {n} unsent row", "Cancel {n} unsent rows");
                form.asks(&format!("{what} {} {}", env.glyphs.dot, job.title), &env.place(), env);
                form.text(&undo_words(job), env.theme.text());
            }
            About::Decide { .. } => {
                if let Some((what, typed)) = self.decision() {
                    form.asks(&what, &env.place(), env);
                    form.text(&typed, env.theme.text());
                }
            }
        }
    }

    fn on_confirmed(&mut self, _: &Env, out: &mut Effects<'_>) {
        self.confirm(out);
    }

    fn takes_editor(&self) -> bool {
        true
    }
}
