//! Jobs of this profile, and how their rows stand. The numbers of a job add up to it.

use crate::jobs::{Bucket, Job, Kind};
use crate::tui::action::Action;
use crate::tui::ask::Ask;
use crate::tui::env::{Env, Go, Out};
use crate::tui::fit::{count, fit, number, wrap};
use crate::tui::keymap::Context;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Jobs, the newest first.
#[derive(Default)]
pub struct Sent {
    jobs: Vec<Job>,
    at: usize,
}

impl Sent {
    /// The contexts that its keys are looked up in.
    pub fn stack() -> Vec<Context> {
        vec![Context::Sent, Context::Global, Context::Always]
    }

    /// Takes a job as it stands now; gives back how it stood before.
    pub fn take(&mut self, job: Job) -> Option<Job> {
        match self.jobs.iter_mut().find(|j| j.id == job.id) {
            Some(known) => Some(std::mem::replace(known, job)),
            None => {
                self.jobs.push(job);
                self.jobs.sort_by_key(|j| std::cmp::Reverse(j.id));
                None
            }
        }
    }

    /// How many rows may still change, over all jobs.
    pub fn open_rows(&self) -> u64 {
        self.jobs.iter().map(|j| j.counts.sum(Bucket::is_open)).sum()
    }

    /// Whether an answer to something that has consequences is still to come.
    pub fn is_sending(&self) -> bool {
        self.jobs.iter().any(Job::is_sending)
    }

    /// How many rows are in doubt.
    pub fn in_doubt(&self) -> u64 {
        self.jobs.iter().map(|j| j.counts.of(Bucket::InDoubt)).sum()
    }

    /// What a person should know who leaves now, line by line: what is in doubt, and what is not done.
    pub fn unfinished(&self) -> Vec<String> {
        self.jobs
            .iter()
            .filter(|j| j.is_open())
            .map(|j| format!("job {}: {} {} \u{b7} {}", j.id, j.kind.word(), j.title, crate::jobs::shares(j)))
            .collect()
    }

    /// Does an action; false when it is none of this screen's.
    pub fn act(&mut self, action: Action, out: &mut Out<'_>) -> bool {
        match action {
            Action::Down => self.at = (self.at + 1).min(self.jobs.len().saturating_sub(1)),
            Action::Up => self.at = self.at.saturating_sub(1),
            Action::GiveUp => {
                if let Some(job) = self.jobs.get(self.at) {
                    out.ask(Ask::GiveUp(job.id));
                }
            }
            Action::Reload => {
                out.ask(Ask::LookNow);
                out.say("Looking now at everything that is not done.");
            }
            Action::Back => out.go.push(Go::Close),
            _ => return false,
        }
        true
    }

    /// Draws it.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let columns = usize::from(area.width);
        let mut lines = vec![Line::styled("  Jobs", env.theme.strong())];
        for (i, job) in self.jobs.iter().enumerate() {
            let line = job_line(job, columns, env);
            lines.push(if i == self.at { line.patch_style(env.theme.strong()) } else { line });
            if let Some(note) = job.note.as_ref().filter(|_| i == self.at) {
                lines.extend(wrap(&note.to_string(), columns.saturating_sub(4)).into_iter().map(Line::raw));
            }
        }
        frame.render_widget(ratatui::text::Text::from(lines), area);
    }
}

fn job_line(job: &Job, columns: usize, env: &Env) -> Line<'static> {
    let counts: Vec<String> =
        job.counts.iter().map(|(bucket, n)| format!("{} {}", number(n), bucket.word())).collect();
    let title = fit(&job.title.to_string(), (columns / 3).max(12), env.glyphs.ellipsis);
    Line::from(vec![
        Span::raw(format!("   {}  {title} {:>6}  ", job.kind.word(), number(job.counts.total()))),
        Span::raw(counts.join(&format!(" {} ", env.glyphs.dot))),
    ])
}

/// What the notice says when a job has changed; `None` when there is nothing new to say.
pub fn news(before: Option<&Job>, now: &Job) -> Option<(String, bool)> {
    let counted = |job: Option<&Job>, f: &dyn Fn(Bucket) -> bool| job.map_or(0, |j| j.counts.sum(f));
    let bad = |b: Bucket| matches!(b, Bucket::InDoubt | Bucket::NotDone | Bucket::Dropped | Bucket::NotSeen);
    if counted(Some(now), &bad) > counted(before, &bad) {
        let text = format!(
            "{} did not go as asked; A shows which and why.",
            count(counted(Some(now), &bad), "badge", "badges")
        );
        return Some((text, true));
    }
    let done = |b: Bucket| matches!(b, Bucket::Issued | Bucket::Revoked);
    if counted(Some(now), &done) > counted(before, &done) {
        let verb = if now.kind == Kind::Issue { "Issued" } else { "Revoked" };
        return Some((
            format!("{verb}: {} ({} of {})", now.title, counted(Some(now), &done), now.counts.total()),
            false,
        ));
    }
    None
}
