//! Responses to requests, and changes of jobs.

use super::{App, Tab};
use crate::jobs::{Reason, Stop};
use crate::tui::modals::draft::DraftForm;
use crate::tui::prelude::*;
use crate::tui::request::JobReply;
use crate::tui::tour::TourPlace;

impl App {
    /// A response whose owner is gone is dropped, except the result of a job command.
    pub(super) fn on_reply(&mut self, mut reply: Reply, owner: RequestOwner, effects: &mut Effects<'_>) {
        self.changed = true;
        if self.welcome.is_some() && !matches!(owner, RequestOwner::Welcome | RequestOwner::Modal(_)) {
            // It belongs to another connection.
            return;
        }
        self.cx.pictures.learn(&reply.response);
        self.cx.connection.recents.read_templates(&reply.response);
        // The help may be over the form.
        let has_receipt = self.modals.iter().any(|modal| modal.tour_place() == TourPlace::JobFile);
        if let Some(tour) = self.connection.tour.as_mut().filter(|_| has_receipt) {
            tour.learn(&reply.response);
        }
        for (tab, _) in Tab::ALL {
            self.screens.of_mut(*tab).learn(&reply.response);
        }
        if let Response::Done(Ok(JobReply::Processed(_, _, said))) = reply.response {
            reply.response = Response::Done(Ok(said.map_or(JobReply::Fine, JobReply::Said)));
        }
        let left = match owner {
            RequestOwner::Shell => {
                let left = self.cx.pictures.on_response(reply, effects);
                let left = left.or_else(|reply| self.viewed(reply, effects));
                left.or_else(|reply| self.output.handed(reply, effects))
            }
            RequestOwner::Modal(id)
                if self.connection.background.as_ref().is_some_and(|form| form.id == id) =>
            {
                self.connection.on_background_response(reply, effects)
            }
            _ => {
                let mut reply = Some(reply);
                let taken = self.with(owner, effects, |component, cx, effects| {
                    reply.take().map_or(Ok(()), |reply| component.on_response(reply, cx, effects))
                });
                match (taken, reply) {
                    (Some(taken), _) => taken,
                    (None, reply) => reply.map_or(Ok(()), Err),
                }
            }
        };
        match left.map_err(|reply| reply.response) {
            Ok(()) => {}
            // It answers a key on a screen, so it goes like every other message.
            Err(Response::Done(Err(why))) if matches!(owner, RequestOwner::Screen(_)) => effects.warn(why),
            // The form of this job command is closed. Its result is shown anyway, until the user closes it.
            Err(Response::Done(Err(why))) => effects.tell(why, true),
            Err(Response::Done(Ok(JobReply::Said(text)))) => effects.say(text),
            Err(Response::Done(Ok(JobReply::Warned(text)))) => effects.warn(text),
            Err(Response::Done(Ok(JobReply::Drafts(jobs)))) => DraftForm::open(jobs, effects),
            Err(_) => tracing::debug!("an answer that nobody waits for any more"),
        }
    }

    /// Keeps back the forms that an answer opens while a text is being typed: they would take its next letters. An answer to
    /// the form in which the text is typed is expected.
    pub(super) fn hold_back(&mut self, owner: RequestOwner, effects: &mut Effects<'_>) {
        let is_of_top = self.modals.last().is_some_and(|top| owner == RequestOwner::Modal(top.id));
        let is_typing = self.takes_text() && self.front().typed().iter().any(|text| !text.is_empty());
        if is_of_top || !is_typing {
            return;
        }
        let is_form = |go: &mut Navigate| matches!(go, Navigate::Open(_) | Navigate::Export(_));
        let forms: Vec<Navigate> = effects.go.extract_if(.., is_form).collect();
        if !forms.is_empty() {
            self.connection.held_back.extend(forms.into_iter().map(|form| (owner, form)));
            effects.say(t!("A form is waiting. It opens when you leave this text."));
        }
    }

    pub(super) fn job(&mut self, changed: JobChange, effects: &mut Effects<'_>) {
        self.changed = true;
        for (tab, _) in Tab::ALL {
            self.screens.of_mut(*tab).on_changed(&changed);
        }
        let JobChange { id, job, touched } = changed;
        let Some(job) = job else {
            if self.screens.activity.remove(id) {
                let text = t!("Job {id} is not in the journal any more: a backup was restored.", id);
                self.toasts.withdraw_jobs(|job| job == id);
                self.toasts.add_error_of(vec![id], text);
            }
            return;
        };
        for modal in self.modals.iter_mut() {
            modal.on_job(&job, &self.cx);
        }
        if job.phase == Phase::Draft {
            return;
        }
        let known = self.screens.activity.read().is_some();
        let before = self.screens.activity.take(job.clone());
        if known {
            self.output.job(before.as_ref(), &job);
            self.tell_about(before.as_ref(), &job);
        }
        if !touched.is_empty() {
            self.screens
                .each(effects, |screen, effects| screen.on_touched(&job, &touched, &self.cx, effects));
        }
    }

    /// Tells what is new about a job. What was told of it before is no longer true when its problems are others.
    fn tell_about(&mut self, before: Option<&Job>, job: &Job) {
        let id = job.id;
        let is_other = before.is_none() || problems(before) != problems(Some(job));
        let was_told = is_other && self.toasts.withdraw_jobs(|of| of == id);
        let is_seen = self.sees_jobs() && self.screens.activity.shows(id);
        if was_told && !is_seen {
            for text in [halt(job), problem(job)].into_iter().flatten() {
                self.toasts.add_error_of(vec![id], text);
            }
        }
        match news(before, job) {
            Some((text, true)) if !is_seen => _ = self.toasts.add_error_of(vec![id], text),
            Some((text, false)) if !is_seen => self.toasts.toast(text),
            // What a colleague did is not where the cursor is.
            Some((text, _)) if is_halted_by_other(before, job) => self.toasts.warn(text),
            // The screen shows it.
            _ => {}
        }
    }

    pub(super) fn sees_jobs(&self) -> bool {
        self.modals.is_empty() && self.welcome.is_none() && self.screen().shows_jobs()
    }
}

/// Whether a colleague has just paused or cancelled a job of this process.
fn is_halted_by_other(before: Option<&Job>, now: &Job) -> bool {
    before.is_some_and(|before| before.halted_by.is_none() && is_by_other(before, now.halted_by.as_ref()))
}

/// Whether this process has the job, and a colleague has paused or cancelled it. What this person does on this computer is
/// no news to them.
fn is_by_other(job: &Job, halted_by: Option<&Reason>) -> bool {
    let me = job.owner.as_ref().filter(|owner| owner.is_me).map(|owner| &owner.label);
    halted_by.zip(me).is_some_and(|(who, me)| {
        ["who", "computer"].iter().any(|name| who.argument(name) != me.argument(name))
    })
}

fn is_problem(status: RowStatus) -> bool {
    matches!(status, RowStatus::InDoubt | RowStatus::Refused | RowStatus::NotAccepted | RowStatus::NeverSeen)
}

/// What a message about a job is about: why it stopped, who halted it, and how many badges have a problem.
fn problems(job: Option<&Job>) -> (Option<&Stop>, Option<&Reason>, u64) {
    job.map_or((None, None, 0), |job| (job.stop.as_ref(), job.halted_by.as_ref(), job.counts.sum(is_problem)))
}

/// The message about a job that a colleague has paused or cancelled, new or not.
fn halt(job: &Job) -> Option<String> {
    is_by_other(job, job.halted_by.as_ref()).then(|| halted(job))
}

fn halted(job: &Job) -> String {
    t!("Job {id}: {state}. Activity shows what was sent.", id = job.id, state = job.phase_words())
}

/// The message about what a job has now, new or not.
fn problem(job: &Job) -> Option<String> {
    if let Some(stop) = &job.stop {
        let why = tr(stop.kind.name());
        return Some(t!("Job {id} stopped: {why}. Activity shows what was sent.", id = job.id, why));
    }
    problem_rows(job)
}

fn problem_rows(job: &Job) -> Option<String> {
    let n = job.counts.sum(is_problem);
    (n > 0).then(|| {
        plural!(
            n,
            "{n} badge of job {id} has a problem. Activity shows which and why.",
            "{n} badges of job {id} have a problem. Activity shows which and why.",
            id = job.id
        )
    })
}

/// The message about a changed job, and whether it is an error. `None` if there is nothing new.
fn news(before: Option<&Job>, now: &Job) -> Option<(String, bool)> {
    if now.phase == Phase::Draft {
        return None;
    }
    let ((stop, _, before_n), (new_stop, _, n)) = (problems(before), problems(Some(now)));
    if new_stop.is_some() && stop != new_stop {
        return problem(now).map(|text| (text, true));
    }
    if is_halted_by_other(before, now) {
        return Some((halted(now), true));
    }
    if n > before_n {
        return problem_rows(now).map(|text| (text, true));
    }
    // Badges are issued one by one, for hours: only the end is news.
    let ends = !now.is_waiting() && before.is_none_or(Job::is_waiting);
    let done = now.counts.sum(RowStatus::is_done);
    if ends && done > 0 {
        let (title, done, all) = (&now.title, number(done), number(now.to_send()));
        let text = if now.kind == Kind::Issue {
            t!("Issued: {title} ({done} of {all})", title, done, all)
        } else {
            t!("Revoked: {title} ({done} of {all})", title, done, all)
        };
        return Some((text, false));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Text;
    use crate::jobs::Owner;
    use crate::tui::needs::tests::job;

    #[test]
    fn only_the_end_of_a_job_is_news_and_counts_the_rows_that_were_sent() {
        use RowStatus::{Invalid, Issued, Skipped, Waiting};
        let at = |issued, waiting| {
            job(Phase::Running, &[(Issued, issued), (Waiting, waiting), (Invalid, 3), (Skipped, 4)])
        };
        assert_eq!(news(Some(&at(0, 1500)), &at(72, 1428)), None, "on its way");
        let (title, done) = (Text::from("a title"), number(1500));
        let all = done.clone();
        let text = t!("Issued: {title} ({done} of {all})", title, done, all);
        assert_eq!(news(Some(&at(1499, 1)), &at(1500, 0)), Some((text, false)));
        assert_eq!(news(Some(&at(1500, 0)), &at(1500, 0)), None, "once");
    }

    #[test]
    fn only_what_a_colleague_pauses_is_news() {
        let by = Reason::of_process;
        let running = || {
            let owner =
                Owner { label: by("kim", "kim-pc"), is_me: true, is_alive: true, is_colleague: false };
            Job { owner: Some(owner), ..job(Phase::Running, &[(RowStatus::Ready, 5)]) }
        };
        let paused = |who: &str, computer: &str| Job {
            phase: Phase::Paused,
            halted_by: Some(by(who, computer)),
            ..running()
        };
        let (text, bad) = news(Some(&running()), &paused("lee, a colleague", "lab-pc")).expect("news");
        assert!(bad && text.contains("lee, a colleague"), "{text}");
        assert_eq!(
            news(Some(&paused("lee, a colleague", "lab-pc")), &paused("lee, a colleague", "lab-pc")),
            None,
            "once"
        );
        assert_eq!(news(Some(&running()), &paused("kim", "kim-pc")), None, "one's own");
        // The same login on another computer.
        assert!(news(Some(&running()), &paused("kim", "lab-pc")).is_some());
    }

    #[test]
    fn rows_that_are_not_sent_count_while_the_job_runs() {
        let rows = [(RowStatus::Issued, 2), (RowStatus::Ready, 5), (RowStatus::NeedsReview, 1)];
        assert_eq!((job(Phase::Running, &rows).to_send(), job(Phase::Stopped, &rows).to_send()), (7, 2));
    }
}
