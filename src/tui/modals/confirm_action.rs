//! A question that needs only the confirmation.

use crate::jobs::{Job, JobId, RowStatus, Step};
use crate::tui::modals::draft::titles;
use crate::tui::prelude::*;
use crate::tui::widgets::confirm::CONTEXTS;
use crate::tui::worker::job_command::JobCommand;

/// What to do after the confirmation.
type Then = dyn FnOnce(&mut Effects<'_>);

pub struct ConfirmAction {
    what: String,
    text: Vec<String>,
    ask: Ask,
    then: Option<Box<Then>>,
    /// Toast after going back.
    toast: Option<&'static str>,
    /// The job whose unsent rows are cancelled.
    job: Option<JobId>,
}

impl ConfirmAction {
    pub fn new(what: &str, text: Vec<String>, then: impl FnOnce(&mut Effects<'_>) + 'static) -> Self {
        Self {
            what: what.to_owned(),
            text,
            ask: Ask::ONE,
            then: Some(Box::new(then)),
            toast: None,
            job: None,
        }
    }

    #[must_use]
    pub fn or_say(self, text: &'static str) -> Self {
        Self { toast: Some(text), ..self }
    }

    /// Whether to discard drafts. Closes their review.
    pub fn discard(drafts: &[Job]) -> Self {
        let rows = drafts.iter().map(|job| job.counts.total()).sum::<u64>();
        let title = titles(drafts);
        let text = plural!(
            rows,
            "This removes {n} row and all decisions about it. Nothing was sent.",
            "This removes {n} rows and all decisions about them. Nothing was sent."
        );
        let command = Box::new(JobCommand::Discard(drafts.iter().map(|job| job.id).collect()));
        let question = Self::new(&t!("Discard the draft   {title}", title), vec![text], |out| {
            out.ask(Request::Do(command));
            out.say(t!("Draft discarded. Nothing was sent."));
            out.go.push(Navigate::CloseAll);
        });
        Self { ask: Ask::of(rows.max(1)), ..question }
    }

    /// Whether to cancel the rows of a job that are not sent.
    pub fn cancel_rest(job: &Job) -> Self {
        let id = job.id;
        let what = t!("Cancel the rest of job {id}   {title}", id, title = job.title);
        let command = Box::new(JobCommand::CallOff(id));
        let (ask, text) = cancelled(job);
        let question = Self::new(&what, text, |out| {
            out.ask(Request::Do(command));
        });
        Self { ask, job: Some(id), ..question }
    }

    /// Whether to cancel these rows of a job, which are not sent.
    pub fn cancel_rows(job: &Job, rows: Vec<u64>) -> Self {
        let n = rows.len() as u64;
        let what = plural!(
            n,
            "Cancel {n} marked row of job {id}",
            "Cancel {n} marked rows of job {id}",
            id = job.id
        );
        let text = t!("They will not be sent. The other rows stay as they are. This cannot be undone.");
        let command = Box::new(JobCommand::CancelRows(job.id, rows));
        let title = &job.title;
        let question = Self::new(&format!("{what}   {title}"), vec![text.to_owned()], |out| {
            out.ask(Request::Do(command));
        });
        Self { ask: Ask::of(n), ..question }
    }
}

/// The number of rows that cancelling a job cancels now, and what that means.
fn cancelled(job: &Job) -> (Ask, Vec<String>) {
    let n = crate::jobs::count(Step::CallOff, job);
    let mut text = vec![match n {
        0 => t!("Nothing else is left to send.").to_owned(),
        n => plural!(n, "{n} unsent row will not be sent.", "{n} unsent rows will not be sent."),
    }];
    if job.counts.of(RowStatus::Sending) > 0 {
        let waits =
            t!("lapel waits for requests already sent, and cancels requests that wait for their turn.");
        text.push(waits.to_owned());
    }
    text.push(
        t!("lapel keeps checking what was sent. This cannot be undone: a cancelled job does not resume.")
            .to_owned(),
    );
    (Ask::of(n.max(1)), text)
}

impl Component for ConfirmAction {
    fn key_contexts(&self) -> Vec<Context> {
        CONTEXTS.to_vec()
    }

    fn on_action(&mut self, action: Action, _: &Env, out: &mut Effects<'_>) -> bool {
        if action == Action::Back {
            self.toast.iter().for_each(|text| out.say(*text));
            out.close();
        }
        matches!(action, Action::Back | Action::PageDown | Action::PageUp)
    }

    fn on_job(&mut self, job: &Job, _: &Env) {
        if self.job == Some(job.id) {
            (self.ask, self.text) = cancelled(job);
        }
    }

    fn draw(&self, _: &mut Frame<'_>, _: Rect, _: &Env) {}
}

impl Modal for ConfirmAction {
    fn is_popup(&self) -> bool {
        true
    }

    fn asks(&self) -> Option<Ask> {
        Some(self.ask)
    }

    fn confirm_text(&self, form: &mut FormText<'_>, env: &Env) {
        form.asks(&self.what, &env.place(), env);
        self.text.iter().for_each(|text| form.text(text, env.theme.text()));
    }

    fn on_confirmed(&mut self, _: &Env, out: &mut Effects<'_>) {
        out.close();
        if let Some(then) = self.then.take() {
            then(out);
        }
    }
}
