//! What was sent in this session, and what became of each badge. The numbers of a job add up to it.

use crate::domain::{EmailKey, State, TemplateId};
use crate::jobs::{Job, JobRow, Kind, RowState};
use crate::tui::action::Action;
use crate::tui::ask::Ask;
use crate::tui::env::{Env, Go, Out};
use crate::tui::fit::{count, fit, number, wrap};
use crate::tui::keymap::Context;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::sync::Arc;

/// Jobs of this session, the newest first.
#[derive(Default)]
pub struct Sent {
    jobs: Vec<Arc<Job>>,
    at: usize,
    scroll: usize,
}

impl Sent {
    /// The contexts that its keys are looked up in.
    pub fn stack() -> Vec<Context> {
        vec![Context::Sent, Context::Global, Context::Always]
    }

    /// Takes a job as it stands now; gives back how it stood before.
    pub fn take(&mut self, job: Arc<Job>) -> Option<Arc<Job>> {
        match self.jobs.iter_mut().find(|j| j.id == job.id) {
            Some(known) => Some(std::mem::replace(known, job)),
            None => {
                self.jobs.insert(0, job);
                self.at = 0;
                self.scroll = 0;
                None
            }
        }
    }

    /// How many rows may still change, over all jobs.
    pub fn open_rows(&self) -> usize {
        self.jobs.iter().flat_map(|j| &j.rows).filter(|r| r.state.is_open()).count()
    }

    /// Whether an answer to something that has consequences is still to come.
    pub fn is_sending(&self) -> bool {
        self.jobs.iter().any(|j| j.sending)
    }

    /// Whether any row is in doubt.
    pub fn in_doubt(&self) -> usize {
        self.jobs.iter().flat_map(|j| &j.rows).filter(|r| matches!(r.state, RowState::InDoubt(_))).count()
    }

    /// What was sent in this session from a template to an address and may still be or become a badge: the
    /// service may not show it yet.
    pub fn sent_before(&self, template_id: &TemplateId, email: &str) -> Option<RowState> {
        let key = EmailKey::of(email);
        let same = self.jobs.iter().filter(|j| j.template_id.as_ref() == Some(template_id));
        let mut states =
            same.flat_map(|j| &j.rows).filter(|r| key.is(r.address.wire())).map(|r| r.state.clone());
        states.find(|state| !matches!(state, RowState::NotDone(_) | RowState::LeftOut(_)))
    }

    /// What a person should know who leaves now, line by line: what is in doubt, and what is not done.
    pub fn unfinished(&self) -> Vec<String> {
        let rows = self.jobs.iter().flat_map(|j| j.rows.iter().map(move |r| (j, r)));
        rows.filter(|(_, r)| r.state.is_open())
            .map(|(job, row)| {
                let verb = if job.kind == Kind::Issue { "issue" } else { "revoke" };
                let id =
                    row.badge_id.as_ref().map_or_else(|| "no badge id yet".to_owned(), ToString::to_string);
                format!(
                    "{}: {verb} {} \u{b7} {} \u{b7} {} \u{b7} {id}",
                    row.state.bucket(),
                    job.title,
                    row.holder,
                    row.address
                )
            })
            .collect()
    }

    /// A job's rows as they are listed: what did not go as asked first, then what may still change.
    fn ordered(job: &Job) -> Vec<&JobRow> {
        let mut rows: Vec<&JobRow> = job.rows.iter().collect();
        rows.sort_by_key(|row| match row.state {
            RowState::InDoubt(_) => 0,
            RowState::Dropped(_) => 1,
            RowState::NotDone(_) => 2,
            RowState::Unproven | RowState::Other(_) | RowState::Sending => 3,
            RowState::Waiting | RowState::Revoking => 4,
            RowState::Issued | RowState::Revoked => 5,
            RowState::LeftOut(_) => 6,
        });
        rows
    }

    /// Moves the cursor by rows, over the jobs' ends.
    fn step(&mut self, down: bool) {
        let rows = self.jobs.get(self.at).map_or(0, |j| j.rows.len());
        if down && self.scroll + 1 < rows {
            self.scroll += 1;
        } else if down && self.at + 1 < self.jobs.len() {
            self.at += 1;
            self.scroll = 0;
        } else if !down && self.scroll > 0 {
            self.scroll -= 1;
        } else if !down && self.at > 0 {
            self.at -= 1;
            self.scroll = self.jobs[self.at].rows.len().saturating_sub(1);
        }
    }

    /// Does an action; false when it is none of this screen's.
    pub fn act(&mut self, action: Action, out: &mut Out<'_>) -> bool {
        match action {
            Action::Down => self.step(true),
            Action::Up => self.step(false),
            // Few enough that none is passed over unseen, wrapped texts included.
            Action::PageDown => (0..4).for_each(|_| self.step(true)),
            Action::PageUp => (0..4).for_each(|_| self.step(false)),
            Action::First => (self.at, self.scroll) = (0, 0),
            Action::Last => {
                self.at = self.jobs.len().saturating_sub(1);
                self.scroll = self.jobs.last().map_or(0, |j| j.rows.len().saturating_sub(1));
            }
            Action::GiveUp => match self.jobs.get(self.at) {
                Some(job) if job.sending => {
                    out.ask(Ask::GiveUp(job.id));
                    out.say("Given up if it has not left yet; if it has, its answer is waited for.");
                }
                _ => out.say("This one has left already; it cannot be given up any more."),
            },
            Action::Reload => {
                out.ask(Ask::LookNow);
                out.say("Looking now at everything that is not done.");
            }
            Action::Open => {
                match self.jobs.get(self.at).and_then(|j| Self::ordered(j).get(self.scroll).copied()) {
                    Some(JobRow { badge_id: Some(id), .. }) => {
                        let id = id.clone();
                        out.go.push(Go::Close);
                        out.go.push(Go::Badge(id, None));
                    }
                    Some(_) => out.say("The service has given no badge id for this one yet."),
                    None => out.say("Nothing was sent yet."),
                }
            }
            Action::Back => out.go.push(Go::Close),
            _ => return false,
        }
        true
    }

    /// Draws it.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let columns = usize::from(area.width);
        let mut lines = vec![Line::styled("  Sent in this session", env.theme.strong())];
        if self.jobs.is_empty() {
            lines.push(Line::raw(""));
            lines.push(Line::styled(
                "  Nothing was sent yet. i on a template issues; x on a badge revokes.",
                env.theme.dim(),
            ));
        }
        let most = usize::from(area.height) / 3;
        let first = (self.at + 1).saturating_sub(most.max(1));
        for (i, job) in self.jobs.iter().enumerate().skip(first).take(most.max(1)) {
            lines.push(job_line(job, i == self.at, columns, env));
        }
        if let Some(job) = self.jobs.get(self.at) {
            lines.push(Line::raw(""));
            if let Some(note) = &job.note {
                lines.extend(
                    wrap(note, columns.saturating_sub(4))
                        .into_iter()
                        .map(|l| Line::styled(format!("  {l}"), env.theme.warning())),
                );
            }
            let room = usize::from(area.height).saturating_sub(lines.len());
            for (i, row) in Self::ordered(job).into_iter().enumerate().skip(self.scroll) {
                let (text, style) = row_words(&row.state, job.kind, env);
                let id = row.badge_id.as_ref().map_or(String::new(), ToString::to_string);
                let who = fit(&row.holder.to_string(), 16, env.glyphs.ellipsis);
                let what = fit(&row.address.to_string(), (columns / 3).max(10), env.glyphs.ellipsis);
                lines.push(Line::from(vec![
                    Span::styled(if i == self.scroll { env.glyphs.cursor } else { " " }, env.theme.accent()),
                    Span::raw(format!("  {who} {what} ")),
                    Span::styled(id, env.theme.dim()),
                ]));
                lines.extend(
                    wrap(&text, columns.saturating_sub(8))
                        .into_iter()
                        .map(|l| Line::styled(format!("      {l}"), style)),
                );
                if lines.len() > usize::from(area.height) + room {
                    break;
                }
            }
        }
        frame.render_widget(ratatui::text::Text::from(lines), area);
    }
}

fn job_line(job: &Job, selected: bool, columns: usize, env: &Env) -> Line<'static> {
    let verb = match job.kind {
        Kind::Issue => "issue ",
        Kind::Revoke => "revoke",
    };
    let counts: Vec<String> =
        job.counts().into_iter().map(|(bucket, n)| format!("{} {bucket}", number(n as u64))).collect();
    let title = fit(&job.title.to_string(), (columns / 3).max(12), env.glyphs.ellipsis);
    let spin = if job.sending { env.spinner() } else { " " };
    let line = Line::from(vec![
        Span::raw(format!("   {verb}  {title} {:>6}  {spin} ", number(job.rows.len() as u64))),
        Span::styled(counts.join(&format!(" {} ", env.glyphs.dot)), env.theme.text()),
    ]);
    if selected { line.patch_style(env.theme.strong()) } else { line }
}

/// Where a row stands, in words that say what happened, whether anything changed, and what comes next.
fn row_words(state: &RowState, kind: Kind, env: &Env) -> (String, Style) {
    let sign = |s: &State| format!("{} {}", env.glyphs.state(s), s.word());
    let colour = |s: &State| env.theme.state(s);
    let theme = &env.theme;
    match state {
        RowState::Sending => (
            "waits for its turn, or for its answer; c gives it up if it has not left yet".to_owned(),
            theme.dim(),
        ),
        RowState::LeftOut(why) => (format!("left out: {why}. Nothing was sent for it"), theme.dim()),
        RowState::NotDone(why) => (why.clone(), theme.error()),
        RowState::InDoubt(why) => {
            let next = match kind {
                Kind::Issue => {
                    "This badge may exist. lapel looks for it as long as it runs (r looks now) and will not send it again"
                }
                Kind::Revoke => {
                    "It may be being revoked. lapel looks as long as it runs (r looks now) and will not send it again by itself"
                }
            };
            (format!("{} {next}. {why}", env.glyphs.alert), theme.warning())
        }
        RowState::Waiting => (
            format!(
                "{}: accepted, not issued yet. Normal is 5 min to 24 h; lapel keeps looking, r looks now",
                sign(&State::Waiting)
            ),
            colour(&State::Waiting),
        ),
        RowState::Issued => (sign(&State::Issued), colour(&State::Issued)),
        RowState::Revoking => (
            format!("{}: accepted; lapel keeps looking until it is Revoked", sign(&State::Revoking)),
            colour(&State::Revoking),
        ),
        RowState::Revoked => (sign(&State::Revoked), colour(&State::Revoked)),
        RowState::Dropped(word) => (
            format!(
                "{} not accepted: the service left it out. Its state: {word}. It was not changed",
                env.glyphs.alert
            ),
            theme.warning(),
        ),
        RowState::Unproven => {
            ("sent; whether it was among those accepted is being looked at".to_owned(), theme.dim())
        }
        RowState::Other(word) => {
            (format!("? {word}: the service's own word, which lapel does not know"), theme.warning())
        }
    }
}

/// What the notice says when a job has changed; `None` when there is nothing new to say.
pub fn news(before: Option<&Job>, now: &Job) -> Option<(String, bool)> {
    let done = |state: &RowState| matches!(state, RowState::Issued | RowState::Revoked);
    let doubt = |state: &RowState| {
        matches!(state, RowState::InDoubt(_) | RowState::NotDone(_) | RowState::Dropped(_))
    };
    let counted = |job: Option<&Job>, f: &dyn Fn(&RowState) -> bool| {
        job.map_or(0, |j| j.rows.iter().filter(|r| f(&r.state)).count())
    };
    let (bad_before, bad) = (counted(before, &doubt), counted(Some(now), &doubt));
    if bad > bad_before {
        return Some((
            format!(
                "{} {}; A shows which and why.",
                count(bad as u64, "badge", "badges"),
                "did not go as asked"
            ),
            true,
        ));
    }
    let (done_before, finished) = (counted(before, &done), counted(Some(now), &done));
    if finished > done_before {
        let verb = if now.kind == Kind::Issue { "Issued" } else { "Revoked" };
        let of = if now.rows.len() > 1 {
            format!(" ({finished} of {})", number(now.rows.len() as u64))
        } else {
            String::new()
        };
        let who = if now.rows.len() == 1 { now.rows[0].holder.to_string() } else { now.title.to_string() };
        return Some((format!("{verb}: {who}{of}"), false));
    }
    None
}
