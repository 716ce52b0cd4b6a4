//! Confirmation for sending without a new review: resuming a job, or sending rows again. The rows were reviewed
//! before.

use crate::jobs::Decision;
use crate::tui::prelude::*;
use crate::tui::widgets::colleagues::involved;
use crate::tui::widgets::confirm::CONTEXTS;

pub struct ConfirmResend {
    command: JobCommand,
    job: Job,
    toast: Option<(String, bool)>,
}

/// The job whose rows a command sends, if the command has no review of its own.
pub fn sends(command: &JobCommand) -> Option<JobId> {
    match command {
        JobCommand::Resume(id)
        | JobCommand::UseUp(id)
        | JobCommand::Retry(id)
        | JobCommand::ResendAll(id, ..)
        | JobCommand::Decide(id, _, Decision::SendAgain, _) => Some(*id),
        // These commands have a review, or send no rows.
        JobCommand::Issue(_)
        | JobCommand::Replace(..)
        | JobCommand::Revoke(_)
        | JobCommand::Begin(_)
        | JobCommand::Plan(_)
        | JobCommand::Undo(..)
        | JobCommand::OpenDrafts(_)
        | JobCommand::CloseDrafts(_)
        | JobCommand::Discard(_)
        | JobCommand::Pause(_)
        | JobCommand::CancelRest(_)
        | JobCommand::Decide(..)
        | JobCommand::TakeSuggestions(..)
        | JobCommand::UndoDecision(..)
        | JobCommand::Look(_)
        | JobCommand::NeverSeen(..)
        | JobCommand::LeaveRows(..)
        | JobCommand::CancelRows(..)
        | JobCommand::Opened(_)
        | JobCommand::Allow(..)
        | JobCommand::LeaveOut(..)
        | JobCommand::Correct(..) => None,
    }
}

pub fn rows(command: &JobCommand, job: &Job) -> u64 {
    match command {
        JobCommand::Decide(..) => 1,
        JobCommand::ResendAll(_, rows, _) => rows.len() as u64,
        JobCommand::Retry(_) => job.left_to_retry(),
        _ => job.left_to_resume(),
    }
}

impl ConfirmResend {
    /// Returns `None` if the command sends no rows, or has a review.
    pub fn new(command: JobCommand, job: &Job, toast: Option<(String, bool)>) -> Option<Self> {
        sends(&command)?;
        Some(Self { command, job: job.clone(), toast })
    }
}

impl Component for ConfirmResend {
    fn key_contexts(&self) -> Vec<KeyContext> {
        CONTEXTS.to_vec()
    }

    fn on_action(&mut self, action: Action, _: &UiContext, out: &mut Effects<'_>) -> bool {
        if action == Action::Back {
            out.close();
        }
        matches!(action, Action::Back | Action::PageDown | Action::PageUp)
    }

    fn on_job(&mut self, job: &Job, _: &UiContext) {
        if job.id == self.job.id {
            self.job.clone_from(job);
        }
    }

    fn draw(&self, _: &mut Frame<'_>, _: Rect, _: &UiContext) {}
}

impl Modal for ConfirmResend {
    fn prepares_sending(&self) -> bool {
        true
    }

    fn asks(&self) -> Option<ConfirmQuestion> {
        Some(ConfirmQuestion::send(rows(&self.command, &self.job)))
    }

    fn on_confirmed(&mut self, _: &UiContext, out: &mut Effects<'_>) {
        out.command(self.command.clone());
        out.notice = self.toast.take();
        // This also closes the modal that opened this one.
        out.go.push(Navigate::CloseAll);
    }

    fn confirm_text(&self, form: &mut FormText<'_>, cx: &UiContext) {
        let id = self.job.id;
        let what = match &self.command {
            JobCommand::Retry(_) => t!("Job {id}: lapel sends the refused rows again.", id),
            JobCommand::UseUp(_) => {
                t!("Job {id}: lapel sends ever smaller requests until the quota is used up.", id)
            }
            JobCommand::ResendAll(..) => t!(
                "Job {id}: these rows were never seen, and the time for them to appear is over. lapel sends them again. If a first request worked after all, there will be two badges.",
                id
            ),
            JobCommand::Decide(_, row, ..) => {
                t!("lapel resends row {row} of job {id}. There may then be two badges.", row, id)
            }
            _ => match self.job.resume_words() {
                Some(words) => words.to_string(),
                None => t!("Job {id} resumes with the rows not sent yet.", id),
            },
        };
        let sent = plural!(rows(&self.command, &self.job), "{n} row to send", "{n} rows to send");
        form.asks(&format!("{sent} {} {}", cx.glyphs.dot, self.job.title), &cx.place(), cx);
        form.text(&what, cx.theme.text());
        let people = involved(&self.job, cx.person());
        if !people.is_empty() {
            form.text(&people.join(&format!(" {} ", cx.glyphs.dot)), cx.theme.warning());
        }
    }
}
