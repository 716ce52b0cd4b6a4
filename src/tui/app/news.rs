//! What comes by itself: answers to what was asked, and jobs that have changed.

use super::{App, Modal, Notice, Tab};
use crate::jobs::{Changed, Kind, Phase, RowStatus};
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
            let _ = welcome.on_response(ticket, answer, out);
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
        for over in &mut self.over {
            let taken = match over {
                Modal::Issue(form) => form.on_response(ticket, left),
                Modal::Question(form) => form.on_response(ticket, left, out),
                Modal::Draft(form) => form.on_response(ticket, left, &self.env, out),
                Modal::Correct(form) => form.on_response(ticket, left, out),
                Modal::File(form) => form.on_response(ticket, left, out),
                Modal::Ids(form) => form.on_response(ticket, left),
                Modal::Replace(form) => form.on_response(ticket, left),
                Modal::Profiles(list) => list.on_response(ticket, left, out),
                Modal::Pin(form) => form.on_response(ticket, left, out),
                Modal::Revoke(form) => form.on_response(ticket, left),
                Modal::Raw(pane) => pane.on_response(ticket, left),
                Modal::Log(log) => log.on_response(ticket, left, &self.env, out),
                Modal::Filters(form) => form.on_response(ticket, left, out),
                Modal::Ping(form) => form.on_response(ticket, left, out),
                // The export was asked above.
                Modal::Again(_)
                | Modal::Commands(_)
                | Modal::Help(_)
                | Modal::Copy(_)
                | Modal::Export(_)
                | Modal::MarkAll(_)
                | Modal::Key(_) => Err(left),
            };
            match taken {
                Ok(()) => return,
                Err(answer) => left = answer,
            }
        }
        let left = self
            .templates
            .on_response(ticket, left, out)
            .or_else(|a| self.history.on_response(ticket, a, out))
            .or_else(|a| self.wallet.on_response(ticket, a, out))
            .or_else(|a| self.badge.on_response(ticket, a, out))
            .or_else(|a| self.activity.on_response(ticket, a, out))
            .or_else(|a| self.overview.on_response(ticket, a, &self.env, out));
        match left {
            Ok(()) => {}
            // Nobody holds the ticket of a deed whose form is closed; what came of it is said all the same.
            Err(Response::Done(Err(why))) => out.news = Some((why, true)),
            Err(Response::Done(Ok(Done::Said(text)))) => out.say(text),
            Err(Response::Done(Ok(Done::Drafts(jobs)))) => out.go.push(Navigate::Drafts(jobs)),
            Err(_) => tracing::debug!("an answer that nobody waits for any more"),
        }
    }

    pub(super) fn job(&mut self, changed: Changed, out: &mut Effects<'_>) {
        self.changed = true;
        let Changed { job, touched } = changed;
        for over in &mut self.over {
            if let Modal::Draft(form) = over {
                form.take(&job, &self.env);
            }
            if let Modal::Again(form) = over {
                form.take(&job, &self.env);
            }
        }
        if job.phase == Phase::Draft {
            return;
        }
        let known = self.activity.is_read();
        let before = self.activity.take(job.clone());
        if known {
            self.comforts.job(before.as_ref(), &job);
        }
        if let Some((text, bad)) = news(before.as_ref(), &job).filter(|_| known) {
            // While one looks at it, the screen itself says it.
            if self.tab != Tab::Activity || !self.over.is_empty() {
                // Good news does not push bad news aside.
                if bad || self.news.as_ref().is_none_or(|n| !n.bad) {
                    self.news = Some(Notice { text, bad });
                }
            }
        }
        if touched.is_empty() {
            return;
        }
        self.wallet.refresh(touched.iter().map(|t| &t.badge_id), out);
        if job.kind == Kind::Revoke {
            let done =
                touched.iter().filter(|t| matches!(t.bucket, RowStatus::Revoking | RowStatus::Revoked));
            self.history.unmark(done.map(|t| t.badge_id.clone()));
        }
        // What is on the screen is shown as the service shows it now.
        if self.env.reader.is_some() {
            for t in &touched {
                self.badge.refresh(&t.badge_id, out);
            }
            if job.kind == Kind::Issue || self.history.holds(touched.iter().map(|t| &t.badge_id)) {
                let dropped = self.history.browser.list.reload();
                out.cancel(dropped);
            }
        }
    }
}
