//! Confirmation for sending without a new review: resuming a job, or sending rows again. The rows were reviewed
//! before.

use crate::tui::modals::confirm_action::{ActionQuestion, ConfirmAction};
use crate::tui::prelude::*;
use crate::tui::widgets::colleagues::involved;

pub fn rows(command: &JobCommand, job: &Job) -> u64 {
    match command {
        JobCommand::Resolve(..) => 1,
        JobCommand::ResendAll(_, rows, _) => rows.len() as u64,
        JobCommand::Retry(_) => job.left_to_retry(),
        _ => job.left_to_resume(),
    }
}

/// `toast` is the message after it.
pub fn confirm_resend(
    command: JobCommand,
    job: &Job,
    toast: Option<(String, bool)>,
    cx: &UiContext,
) -> ConfirmAction {
    let (asked, again) = (asked(&command, job, cx), command.clone());
    ConfirmAction::about(
        job.id,
        asked,
        move |job, cx| self::asked(&again, job, cx),
        move |out| {
            out.command(command);
            out.notice = toast;
            // This also closes the modal that opened this one.
            out.go.push(Navigate::CloseAll);
        },
    )
}

fn asked(command: &JobCommand, job: &Job, cx: &UiContext) -> ActionQuestion {
    let id = job.id;
    let what = match command {
        JobCommand::Retry(_) => t!("Job {id}: lapel sends the refused rows again.", id),
        JobCommand::UseUp(_) => {
            t!("Job {id}: lapel sends ever smaller requests until the quota is used up.", id)
        }
        JobCommand::ResendAll(..) => t!(
            "Job {id}: these rows were never seen, and the time for them to appear is over. lapel sends them again. If a first request worked after all, there will be two badges.",
            id
        ),
        JobCommand::Resolve(_, row, ..) => {
            t!("lapel resends row {row} of job {id}. There may then be two badges.", row, id)
        }
        _ => match job.resume_words() {
            Some(words) => words.to_string(),
            None => t!("Job {id} resumes with the rows not sent yet.", id),
        },
    };
    let sent = plural!(rows(command, job), "{n} row to send", "{n} rows to send");
    let people = involved(job, cx.person());
    ActionQuestion {
        what: format!("{sent} {} {}", cx.glyphs.dot, job.title),
        text: vec![what],
        warning: (!people.is_empty()).then(|| cx.dotted(&people)),
        ask: Some(ConfirmQuestion::send(rows(command, job))),
    }
}
