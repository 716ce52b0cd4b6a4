//! What can be done with a job: in Activity, in its menus and on Home.

use crate::jobs::{Code, Reason, RowFacts, count, issued_badge, may};
use crate::tui::modals::confirm_action::ConfirmAction;
use crate::tui::modals::job_menu::JobMenu;
use crate::tui::modals::revoke::RevokeForm;
use crate::tui::modals::undo_job::UndoJob;
use crate::tui::prelude::*;

/// Runs an action on a job, or says why it is not possible. Files and cancelling are about the marked rows, if there
/// are any.
pub(in crate::tui) fn run(job: &Job, action: Action, marked: &[JobRow], effects: &mut Effects<'_>) {
    if !can(action, job) {
        effects.say(refusal(action, job));
        return;
    }
    match action {
        Action::Pause => {
            effects.command(JobCommand::Pause(job.id));
        }
        Action::Resume => {
            effects.say(t!("Resuming job {id}. lapel makes the necessary checks first.", id = job.id));
            effects.go.push(Navigate::Again(job.id, Box::new(JobCommand::Resume(job.id))));
        }
        Action::UseUp => {
            effects.say(t!("lapel checks first, and then uses up the quota in smaller requests, each only with proof that the previous one did nothing."));
            effects.go.push(Navigate::Again(job.id, Box::new(JobCommand::UseUp(job.id))));
        }
        Action::Retry => effects.go.push(Navigate::Again(job.id, Box::new(JobCommand::Retry(job.id)))),
        Action::Check => {
            effects.say(t!("Check of job {id} started.", id = job.id));
            effects.command(JobCommand::Look(Some(job.id)));
        }
        Action::CancelRest if marked.is_empty() => effects.show(ConfirmAction::cancel_rest(job)),
        Action::CancelRest => {
            let rows = steps(Step::CancelRest, job, marked);
            if rows.is_empty() || !matches!(job.phase, Phase::Paused | Phase::Stopped) {
                effects.say(t!("None of the marked rows can be cancelled now. Rows can be cancelled while their job is paused or stopped, and before they are sent."));
                return;
            }
            effects.show(ConfirmAction::cancel_rows(job, rows));
        }
        Action::Undo => effects.show(UndoJob::new(job.clone())),
        Action::Run => open_menu(JobMenu::run(job, marked.to_vec()), effects),
        Action::Export if !can(Action::Redo, job) => run(job, Action::Receipt, marked, effects),
        Action::Export => open_menu(JobMenu::export(job, marked.to_vec(), None), effects),
        Action::Receipt | Action::Redo => {
            let among = (!marked.is_empty()).then(|| marked.iter().map(|row| row.no).collect());
            effects.export(ExportSource::of_job(job, action == Action::Redo, among));
        }
        Action::Mail => effects.go.push(Navigate::Mails(job.id)),
        _ => {}
    }
}

pub(in crate::tui) fn open_menu(menu: Option<JobMenu>, effects: &mut Effects<'_>) {
    effects.open_some(|_, _| menu);
}

pub(in crate::tui) fn steps(step: Step, job: &Job, marked: &[JobRow]) -> Vec<u64> {
    marked.iter().filter(|row| may(step, RowFacts::of(job, row))).map(|row| row.no).collect()
}

/// Whether the badge of a row may be revoked. A badge without an id is revoked with its job.
pub(in crate::tui) fn may_revoke(row: &JobRow, job: &Job) -> bool {
    row.badge_id.is_some() && may(Step::Undo, RowFacts::of(job, row))
}

/// Opens the revoke form for the marked rows that have a badge to revoke, and says how many have none.
pub(in crate::tui) fn revoke_rows(job: &Job, marked: &[JobRow], cx: &UiContext, effects: &mut Effects<'_>) {
    let now = cx.now();
    let rows = marked.iter().filter(|row| may_revoke(row, job));
    let badges = rows.filter_map(|row| issued_badge(job, row.clone()));
    let targets: Vec<RevokeTarget> = badges.map(|badge| RevokeTarget::of(&badge, now)).collect();
    if targets.is_empty() {
        effects.say(t!("None of the marked rows has a badge that can be revoked."));
        return;
    }
    let left = (marked.len() - targets.len()) as u64;
    if left > 0 {
        effects.say(plural!(
            left,
            "{n} marked row has no badge to revoke and is left out.",
            "{n} marked rows have no badge to revoke and are left out."
        ));
    }
    RevokeForm::open(targets, effects);
}

pub(in crate::tui) fn can(action: Action, job: &Job) -> bool {
    let of = |row_status| job.counts.of(row_status);
    let mine = job.may_act();
    match action {
        Action::Check => job.is_open(),
        Action::Run => JobMenu::run(job, Vec::new()).is_some(),
        Action::Export | Action::Receipt => true,
        Action::Redo => count(Step::Redo, job) > 0,
        Action::Mail => job.kind == Kind::Issue && of(RowStatus::Issued) > 0,
        Action::Pause => job.may_pause(),
        Action::Resume => mine && job.can_resume(),
        Action::UseUp => mine && job.can_use_up(),
        Action::Retry => mine && job.offers_retry(),
        Action::CancelRest => mine && job.can_cancel_rest(),
        Action::Undo => mine && count(Step::Undo, job) > 0,
        _ => false,
    }
}

pub(in crate::tui) fn can_resolve(row: &JobRow, job: &Job) -> bool {
    job.may_act() && may(Step::Resolve, RowFacts::of(job, row))
}

fn refusal(action: Action, job: &Job) -> String {
    if !job.may_act()
        && let Some(owner) = &job.owner
    {
        if owner.is_colleague {
            return t!(
                "{owner} is sending job {id}. Nothing was changed. Pause it first.",
                owner = owner.label,
                id = job.id
            );
        }
        return t!(
            "Job {id} belongs to another running lapel ({owner}). Nothing was changed. Use that lapel, or quit it first.",
            id = job.id,
            owner = owner.label
        );
    }
    let id = job.id;
    match action {
        _ if job.phase == Phase::Moved => {
            let note = job.note.as_ref().map(ToString::to_string).unwrap_or_default();
            t!("Job {id} is only a record here. Nothing was changed. {note}", id, note)
        }
        Action::Run => {
            t!("Job {id} has nothing to pause, resume, send again or cancel. Nothing was changed.", id)
        }
        Action::Pause => t!("Job {id} is not sending anything. Nothing was changed.", id),
        Action::Resume => t!("Job {id} has nothing left to send. Nothing was changed.", id),
        Action::UseUp if job.refusals.is_not_provable => Reason::from(Code::NotProvable).to_string(),
        Action::UseUp => t!("Job {id} did not stop at the quota. Nothing was changed.", id),
        Action::Retry if job.left_to_retry() > 0 => {
            t!("The service would refuse the row of job {id} again: correct it. Nothing was changed.", id)
        }
        Action::Retry => t!("Job {id} has no refused rows. Nothing was changed.", id),
        Action::CancelRest => {
            t!("Job {id} has nothing left to cancel: everything was sent. Nothing was changed.", id)
        }
        Action::Undo if job.kind == Kind::Revoke => {
            t!("Job {id} is a revocation, and the service cannot undo one. Nothing was changed.", id)
        }
        Action::Undo => t!("{why} Nothing was changed.", why = job.nothing_to_undo()),
        Action::Check => t!("Job {id} has nothing left to check. Nothing was changed.", id),
        Action::Redo => t!("Job {id} has no rows to do again. Nothing was changed.", id),
        Action::Mail => {
            t!("Job {id} has no issued badges, so no mail can have failed. Nothing was changed.", id)
        }
        _ => t!("Job {id} cannot do this now. Nothing was changed.", id),
    }
}
