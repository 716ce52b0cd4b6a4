//! What comes by itself: answers to what was asked, and jobs that have changed.

use super::{App, Notice, Tab};
use crate::jobs::{Changed, Kind, Phase, RowStatus};
use crate::tui::component::Component as _;
use crate::tui::context::{Effects, Navigate};
use crate::tui::request::{RequestId, Response};
use crate::tui::screens::activity::news;
use crate::tui::worker::job_command::Done;

impl App {
    /// An answer goes to whoever holds its ticket; one that nobody waits for is dropped.
    pub(super) fn answer(&mut self, ticket: RequestId, answer: Response, out: &mut Effects<'_>) {
        self.changed = true;
        if let Some(welcome) = &mut self.welcome {
            // Whatever else comes was asked for on another connection.
            let _ = welcome.on_response(ticket, answer, &self.env, out);
            return;
        }
        self.env.pictures.learn(&answer);
        self.tour_hears(&answer);
        let answer = match self.env.pictures.on_response(ticket, answer, out) {
            Ok(()) => return,
            Err(answer) => answer,
        };
        let Err(answer) = self.viewed(ticket, answer, out) else { return };
        let Err(answer) = self.exported(ticket, answer, out) else { return };
        let mut left = match self.handed(ticket, answer, out) {
            Ok(()) => return,
            Err(answer) => answer,
        };
        for modal in &mut self.modals {
            match modal.on_response(ticket, left, &self.env, out) {
                Ok(()) => return,
                Err(answer) => left = answer,
            }
        }
        for tab in Tab::EVERY {
            match self.screens.of_mut(tab).on_response(ticket, left, &self.env, out) {
                Ok(()) => return,
                Err(answer) => left = answer,
            }
        }
        match left {
            // Nobody holds the ticket of a deed whose form is closed; what came of it is said all the same.
            Response::Done(Err(why)) => out.news = Some((why, true)),
            Response::Done(Ok(Done::Said(text))) => out.say(text),
            Response::Done(Ok(Done::Drafts(jobs))) => out.go.push(Navigate::Drafts(jobs)),
            _ => tracing::debug!("an answer that nobody waits for any more"),
        }
    }

    pub(super) fn job(&mut self, changed: Changed, out: &mut Effects<'_>) {
        self.changed = true;
        let Changed { job, touched } = changed;
        for modal in &mut self.modals {
            modal.on_job(&job, &self.env);
        }
        if job.phase == Phase::Draft {
            return;
        }
        let known = self.screens.activity.is_read();
        let before = self.screens.activity.take(job.clone());
        if known {
            self.comforts.job(before.as_ref(), &job);
        }
        if let Some((text, bad)) = news(before.as_ref(), &job).filter(|_| known) {
            // While one looks at it, the screen itself says it.
            if self.tab != Tab::Activity || !self.modals.is_empty() {
                // Good news does not push bad news aside.
                if bad || self.news.as_ref().is_none_or(|n| !n.bad) {
                    self.news = Some(Notice { text, bad });
                }
            }
        }
        if touched.is_empty() {
            return;
        }
        self.screens.wallet.refresh(touched.iter().map(|t| &t.badge_id), out);
        if job.kind == Kind::Revoke {
            let done =
                touched.iter().filter(|t| matches!(t.bucket, RowStatus::Revoking | RowStatus::Revoked));
            self.screens.history.unmark(done.map(|t| t.badge_id.clone()));
        }
        // What is on the screen is shown as the service shows it now.
        if self.env.reader.is_some() {
            for t in &touched {
                self.screens.badge.refresh(&t.badge_id, out);
            }
            if job.kind == Kind::Issue || self.screens.history.holds(touched.iter().map(|t| &t.badge_id)) {
                let dropped = self.screens.history.browser.list.reload();
                out.cancel(dropped);
            }
        }
    }
}
