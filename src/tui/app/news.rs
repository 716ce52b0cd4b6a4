//! What comes by itself: answers to what was asked, and jobs that have changed.

use super::{App, Notice, Over, Tab};
use crate::jobs::{Bucket, Changed, Kind, Phase};
use crate::tui::ask::{Answer, Ticket};
use crate::tui::context::{Go, Out};
use crate::tui::job_command::Done;
use crate::tui::screens::activity::news;

impl App {
    /// An answer goes to whoever holds its ticket; one that nobody waits for is dropped.
    pub(super) fn answer(&mut self, ticket: Ticket, answer: Answer, out: &mut Out<'_>) {
        self.changed = true;
        if let Some(welcome) = &mut self.welcome {
            // Whatever else comes was asked for on another connection.
            let _ = welcome.receive(ticket, answer, out);
            return;
        }
        self.env.pictures.learn(&answer);
        self.tour_hears(&answer);
        let answer = match self.env.pictures.receive(ticket, answer, out) {
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
                Over::Issue(form) => form.receive(ticket, left),
                Over::Question(form) => form.receive(ticket, left, out),
                Over::Draft(form) => form.receive(ticket, left, &self.env, out),
                Over::Correct(form) => form.receive(ticket, left, out),
                Over::File(form) => form.receive(ticket, left, out),
                Over::Ids(form) => form.receive(ticket, left),
                Over::Replace(form) => form.receive(ticket, left),
                Over::Profiles(list) => list.receive(ticket, left, out),
                Over::Pin(form) => form.receive(ticket, left, out),
                Over::Revoke(form) => form.receive(ticket, left),
                Over::Raw(pane) => pane.receive(ticket, left),
                Over::Log(log) => log.receive(ticket, left, &self.env, out),
                Over::Filters(form) => form.receive(ticket, left, out),
                Over::Ping(form) => form.receive(ticket, left, out),
                // The export was asked above.
                Over::Again(_)
                | Over::Commands(_)
                | Over::Help(_)
                | Over::Copy(_)
                | Over::Export(_)
                | Over::MarkAll(_)
                | Over::Key(_) => Err(left),
            };
            match taken {
                Ok(()) => return,
                Err(answer) => left = answer,
            }
        }
        let left = self
            .templates
            .receive(ticket, left, out)
            .or_else(|a| self.history.receive(ticket, a, out))
            .or_else(|a| self.wallet.receive(ticket, a, out))
            .or_else(|a| self.badge.receive(ticket, a, out))
            .or_else(|a| self.activity.receive(ticket, a, out))
            .or_else(|a| self.overview.receive(ticket, a, &self.env, out));
        match left {
            Ok(()) => {}
            // Nobody holds the ticket of a deed whose form is closed; what came of it is said all the same.
            Err(Answer::Done(Err(why))) => out.news = Some((why, true)),
            Err(Answer::Done(Ok(Done::Said(text)))) => out.say(text),
            Err(Answer::Done(Ok(Done::Drafts(jobs)))) => out.go.push(Go::Drafts(jobs)),
            Err(_) => tracing::debug!("an answer that nobody waits for any more"),
        }
    }

    pub(super) fn job(&mut self, changed: Changed, out: &mut Out<'_>) {
        self.changed = true;
        let Changed { job, touched } = changed;
        for over in &mut self.over {
            if let Over::Draft(form) = over {
                form.take(&job, &self.env);
            }
            if let Over::Again(form) = over {
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
            let done = touched.iter().filter(|t| matches!(t.bucket, Bucket::Revoking | Bucket::Revoked));
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
