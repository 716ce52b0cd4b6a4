//! Responses to requests, and changes of jobs.

use super::{App, Notice, Tab};
use crate::jobs::JobChange;
use crate::tui::modals::draft::DraftForm;
use crate::tui::prelude::*;
use crate::tui::worker::job_command::JobReply;

impl App {
    /// A response whose owner is gone is dropped, except the result of a job command.
    pub(super) fn answer(&mut self, mut reply: Reply, owner: RequestOwner, effects: &mut Effects<'_>) {
        self.changed = true;
        if self.welcome.is_some() && !matches!(owner, RequestOwner::Welcome | RequestOwner::Modal(_)) {
            // It belongs to another connection.
            return;
        }
        self.cx.pictures.learn(&reply.response);
        self.cx.connection.recents.read_templates(&reply.response);
        self.tour_hears(&reply.response);
        if matches!(reply.response, Response::Done(_) | Response::Drafted(_)) {
            self.screens.home.drafts_changed();
        }
        // The Wallet may have turned it on for a certificate number.
        if matches!(reply.response, Response::IndexOn(Ok(()))) {
            self.screens.home.index_is_on();
        }
        reply.response = self.processed(reply.response);
        let left = match owner {
            RequestOwner::Shell => self.shell_response(reply, effects),
            RequestOwner::Modal(id)
                if self.connection.background.as_ref().is_some_and(|form| form.id == id) =>
            {
                self.on_background_response(reply, effects)
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
            Err(Response::Done(Err(why))) => effects.news = Some((why, true)),
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

    /// Drops the forms of a look-up that was replaced: they are about another caller.
    pub(super) fn drop_forms(&mut self, effects: &mut Effects<'_>) {
        let Some(owner) = effects.begins_anew.take() else { return };
        let before = self.connection.held_back.len();
        self.connection.held_back.retain(|(of, _)| *of != owner);
        if self.connection.held_back.len() < before {
            effects.say(t!("The waiting form was dropped, because a new look-up began."));
        }
    }

    /// Removes the marks of rows that a decision has processed, and leaves the message for the user.
    fn processed(&mut self, answer: Response) -> Response {
        let Response::Done(Ok(JobReply::Processed(job, rows, said))) = answer else { return answer };
        self.screens.activity.unmark(job, rows);
        Response::Done(Ok(said.map_or(JobReply::Fine, JobReply::Said)))
    }

    fn shell_response(&mut self, reply: Reply, effects: &mut Effects<'_>) -> Handled {
        let Err(reply) = self.cx.pictures.on_response(reply, effects) else { return Ok(()) };
        let Err(reply) = self.viewed(reply, effects) else { return Ok(()) };
        self.handed(reply, effects)
    }

    /// Passes changed jobs to Home, and the number of kept drafts to Activity. Passes the length of the history, if the
    /// History tab shows all of it, to the tabs that say what reading it costs.
    pub(super) fn tell_home(&mut self, effects: &mut Effects<'_>) {
        if self.navigation.tab == Tab::Activity {
            self.on_tab(Tab::Home, effects, |screens, effects| screens.home.read_drafts(effects));
            self.screens.activity.drafts = self.screens.home.kept_drafts();
        }
        if self.navigation.tab != Tab::Home {
            self.screens.home.tell_drafts(&self.cx, effects);
        }
        if matches!(self.navigation.tab, Tab::Home | Tab::Wallet) {
            let history = &self.screens.history.filtered;
            let is_whole = history.list.is_counted() && !history.is_filtered();
            let badges = is_whole.then(|| history.list.len());
            self.screens.home.take_history(badges);
            self.screens.wallet.take_history(badges);
        }
        if self.screens.activity.take_fresh()
            && let Some(read) = self.screens.activity.read()
        {
            self.screens.home.take_jobs(self.screens.activity.jobs(), read.clone(), &self.cx);
        }
    }

    pub(super) fn job(&mut self, changed: JobChange, effects: &mut Effects<'_>) {
        self.changed = true;
        let JobChange { id, job, touched } = changed;
        // Also what another lapel does with a draft.
        if job.as_ref().is_some_and(|job| job.phase == Phase::Draft) || self.screens.home.keeps(id) {
            self.screens.home.drafts_changed();
        }
        let Some(job) = job else {
            if self.screens.activity.remove(id) {
                let text = t!("Job {id} is not in the journal any more: a backup was restored.", id);
                self.toasts.news = Some(Notice::toast(text, true).unasked());
            }
            return;
        };
        for modal in &mut self.modals {
            modal.on_job(&job, &self.cx);
        }
        if job.phase == Phase::Draft {
            return;
        }
        let known = self.screens.activity.is_read();
        let before = self.screens.activity.take(job.clone());
        if known {
            self.output.job(before.as_ref(), &job);
        }
        if let Some((text, bad)) = news(before.as_ref(), &job).filter(|_| known) {
            // What a colleague did is not where the cursor is, and what this person did before is no longer true.
            let is_halt = is_halted_by_other(before.as_ref(), &job);
            if is_halt {
                self.toasts.notice.take_if(|notice| !notice.bad);
            }
            // The Activity tab already shows everything else.
            if is_halt || self.navigation.tab != Tab::Activity || !self.modals.is_empty() {
                // A success message does not replace an error.
                if bad || self.toasts.news.as_ref().is_none_or(|n| !n.bad) {
                    self.toasts.news = Some(Notice::toast(text, bad).unasked());
                }
            }
        }
        if touched.is_empty() {
            return;
        }
        let badges = || touched.iter().map(|touched| &touched.badge_id);
        self.on_tab(Tab::Wallet, effects, |screens, effects| screens.wallet.refresh(badges(), effects));
        if job.kind == Kind::Revoke {
            let done =
                touched.iter().filter(|t| matches!(t.row_status, RowStatus::Revoking | RowStatus::Revoked));
            let done = done.map(|t| t.badge_id.clone());
            self.screens.activity.unmark_badges(done.clone());
            self.screens.history.unmark(done);
        }
        // Read the visible badges again after a change.
        if self.cx.client().is_some() {
            for id in badges() {
                self.on_tab(Tab::Badge, effects, |screens, effects| screens.badge.refresh(id, effects));
            }
            // A narrowed list costs several requests. New badges come into it when the user refreshes it.
            let history = &self.screens.history;
            let is_new = job.kind == Kind::Issue && !history.filtered.is_narrowed();
            if is_new || history.holds(badges()) {
                self.screens.history.filtered.reload(effects);
            }
        }
    }
}

/// Whether a colleague has just paused or cancelled a job of this process. What this person does on this computer is no
/// news to them.
fn is_halted_by_other(before: Option<&Job>, now: &Job) -> bool {
    let before = before.filter(|before| before.is_mine() && before.halted_by.is_none());
    let me = before.and_then(|before| before.owner.as_ref()).map(|owner| &owner.label);
    now.halted_by.as_ref().zip(me).is_some_and(|(who, me)| {
        ["who", "computer"].iter().any(|name| who.argument(name) != me.argument(name))
    })
}

/// The toast about a changed job, and whether it is a warning. `None` if there is nothing new.
fn news(before: Option<&Job>, now: &Job) -> Option<(String, bool)> {
    if now.phase == Phase::Draft {
        return None;
    }
    let counted = |job: Option<&Job>, f: &dyn Fn(RowStatus) -> bool| job.map_or(0, |j| j.counts.sum(f));
    if let Some(stop) = &now.stop
        && before.is_none_or(|b| b.stop.as_ref() != Some(stop))
    {
        return Some((
            t!(
                "Job {id} stopped: {why}. Activity shows what was sent.",
                id = now.id,
                why = tr(stop.kind.name())
            ),
            true,
        ));
    }
    if is_halted_by_other(before, now) {
        let state = now.phase_words();
        return Some((t!("Job {id}: {state}. Activity shows what was sent.", id = now.id, state), true));
    }
    let bad = |b: RowStatus| {
        matches!(b, RowStatus::InDoubt | RowStatus::Refused | RowStatus::NotAccepted | RowStatus::NeverSeen)
    };
    if counted(Some(now), &bad) > counted(before, &bad) {
        let text = plural!(
            counted(Some(now), &bad),
            "{n} badge of job {id} has a problem. Activity shows which and why.",
            "{n} badges of job {id} have a problem. Activity shows which and why.",
            id = now.id
        );
        return Some((text, true));
    }
    let done = |b: RowStatus| matches!(b, RowStatus::Issued | RowStatus::Revoked);
    // Badges are issued one by one, for hours: only the end is news.
    let ends = !now.is_waiting() && before.is_none_or(Job::is_waiting);
    if ends && counted(Some(now), &done) > 0 {
        let (title, done, all) = (&now.title, number(counted(Some(now), &done)), number(now.to_send()));
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
    use crate::jobs::{Owner, Reason};
    use crate::tui::widgets::needs::tests::job;

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
