//! Resolves the marked rows of a job: sends never seen rows again, or leaves rows as they are. Which rows may be
//! resolved or sent again, the rules of `jobs` say.

use crate::domain::Text;
use crate::i18n::tr;
use crate::jobs::{Job, JobId, JobRow, RowStatus, Step};
use crate::tui::input::list_hit::{Sight, below};
use crate::tui::prelude::*;
use crate::tui::screens::activity::steps;
use crate::tui::widgets::label::aligned;
use crate::tui::widgets::popup;
use crate::tui::worker::job_command::{Done, JobCommand};

const CHOICES: [(&str, &str); 2] = [
    (tr_noop!("leave as it is"), tr_noop!("resolved another way; lapel does nothing more")),
    (tr_noop!("send again"), tr_noop!("the never seen rows that may be sent again together")),
];

/// Index of the choice that sends.
const SEND: usize = 1;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Choice,
    Why,
    /// Confirm that the rows are left as they are.
    Review,
}

pub struct ResolveRows {
    job: JobId,
    title: String,
    /// The marked rows that a person may resolve.
    rows: Vec<u64>,
    /// Those of them that were never seen.
    never_seen: Vec<u64>,
    at: usize,
    stage: Stage,
    why: Field,
    request: Option<RequestId>,
    error: Option<String>,
    sight: Sight,
}

impl ResolveRows {
    /// Returns `None` if none of the rows can be resolved.
    pub fn new(job: &Job, marked: &[JobRow]) -> Option<Self> {
        let rows = steps(Step::Decide, job, marked);
        let unseen: Vec<JobRow> =
            marked.iter().filter(|row| row.row_status == RowStatus::NotSeen).cloned().collect();
        (!rows.is_empty()).then(|| Self {
            job: job.id,
            title: job.title.to_string(),
            rows,
            never_seen: steps(Step::ResendAll, job, &unseen),
            at: 0,
            stage: Stage::Choice,
            why: Field::default(),
            request: None,
            error: None,
            sight: Sight::default(),
        })
    }

    fn choices(&self) -> usize {
        if self.never_seen.is_empty() { SEND } else { CHOICES.len() }
    }

    fn go_on(&mut self, out: &mut Effects<'_>) {
        self.error = None;
        match self.stage {
            Stage::Choice => self.stage = Stage::Why,
            Stage::Why if Text::new(self.why.value()).looks_empty() => {
                self.error = Some(t!("type a short reason: it is saved with the job").to_owned());
            }
            Stage::Why if self.at == SEND => {
                if self.request.is_none() {
                    let command = JobCommand::NeverSeen(self.job, Some(self.never_seen.clone()));
                    self.request = Some(out.ask(Request::Do(Box::new(command))));
                }
            }
            Stage::Why => self.stage = Stage::Review,
            Stage::Review => {}
        }
    }

    fn left(&self) -> String {
        plural!(
            self.rows.len() as u64,
            "Leave {n} row of job {job} as it is",
            "Leave {n} rows of job {job} as they are",
            job = self.job
        )
    }
}

impl Component for ResolveRows {
    fn key_contexts(&self) -> Vec<Context> {
        match self.stage {
            Stage::Choice => Context::Menu.in_popup(),
            _ => vec![Context::Form, Context::Always],
        }
    }

    fn is_enabled(&self, action: Action, _: &Env) -> bool {
        match action {
            Action::NextField | Action::PreviousField | Action::PageDown | Action::PageUp => false,
            Action::ClearField => self.stage == Stage::Why,
            _ => true,
        }
    }

    fn on_action(&mut self, action: Action, _: &Env, out: &mut Effects<'_>) -> bool {
        match action {
            Action::Back if self.stage == Stage::Choice => {
                out.cancel(self.request.take());
                out.close();
            }
            Action::Back => {
                self.error = None;
                // The answer would ask to send these rows, whatever is chosen by then.
                if self.stage == Stage::Why && self.at == SEND {
                    out.cancel(self.request.take());
                }
                self.stage = if self.stage == Stage::Review { Stage::Why } else { Stage::Choice };
            }
            Action::Accept => self.go_on(out),
            Action::ClearField => self.why.clear(),
            Action::Down | Action::Up => {
                if self.stage == Stage::Choice {
                    self.at = (self.at + 1) % self.choices();
                }
            }
            Action::NextField | Action::PreviousField | Action::PageDown | Action::PageUp => {}
            _ => return false,
        }
        true
    }

    fn on_text_key(&mut self, key: KeyEvent, _: &mut Effects<'_>) -> bool {
        let typed = self.stage == Stage::Why && self.request.is_none() && self.why.on_text_key(key);
        if typed {
            self.error = None;
        }
        typed
    }

    fn on_paste(&mut self, text: &str, _: &Env, _: &mut Effects<'_>) {
        if self.stage == Stage::Why {
            self.why.on_paste(text.trim());
        }
    }

    fn on_click(&mut self, at: Position, _: Rect, _: &Env, _: &mut Effects<'_>) -> Clicked {
        if self.stage != Stage::Choice {
            return Clicked::Nothing;
        }
        Clicked::in_menu(self.sight.click(at, &mut self.at), Action::Accept)
    }

    fn on_response(&mut self, id: RequestId, response: Response, _: &Env, out: &mut Effects<'_>) -> Taken {
        match response {
            Response::Done(done) if self.request == Some(id) => {
                self.request = None;
                match done {
                    Err(why) => {
                        self.error = Some(why);
                        self.stage = Stage::Why;
                    }
                    Ok(Done::NeverSeen(found)) if found.ready.is_empty() => {
                        self.error = Some(
                            t!(
                                "none of these rows can be sent again together yet: resolve each one, or wait"
                            )
                            .to_owned(),
                        );
                    }
                    Ok(Done::NeverSeen(found)) => {
                        let why = self.why.value().trim().to_owned();
                        let command = JobCommand::ResendAll(self.job, found.ready, why);
                        out.go.push(Navigate::Again(Box::new(command)));
                    }
                    Ok(done) => {
                        out.close();
                        if let Done::Said(text) = done {
                            out.say(text);
                        }
                    }
                }
                Ok(())
            }
            other => Err(other),
        }
    }

    fn typed(&self) -> Vec<&str> {
        vec![self.why.value()]
    }

    fn long_field(&mut self) -> Option<&mut Field> {
        (self.stage == Stage::Why && self.request.is_none()).then_some(&mut self.why)
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let mut form = FormText::in_popup(area, env);
        form.cut(&env.place(), env.theme.accent());
        form.blank();
        let before = form.len();
        let words = aligned(CHOICES.map(|(word, _)| word));
        let rows = [self.rows.len(), self.never_seen.len()].map(|n| n as u64);
        for (at, word) in words.iter().enumerate().take(self.choices()) {
            let n = rows.get(at).copied().unwrap_or(0);
            let rows = plural!(n, "{n} marked row", "{n} marked rows");
            form.choice(&format!("{word}  {rows}: {}", tr(CHOICES[at].1)), at == self.at);
        }
        if self.stage != Stage::Choice {
            form.blank();
            form.field(t!("Why"), &self.why, true);
        }
        if self.request.is_some() {
            form.busy(t!("one moment"));
        }
        if let Some(error) = &self.error {
            form.error(error);
        }
        let inside = popup::at_bottom(area, popup::FORM, form.len());
        let first = below(inside, before + usize::from(popup::edge(area)));
        let choices = u16::try_from(self.choices()).unwrap_or(1);
        self.sight.lay(Rect { height: choices.min(first.height), ..first }, self.at, self.choices());
        let title = t!("Resolve the marked rows of job {job}   {title}", job = self.job, title = self.title);
        form.draw_popup(frame, area, &title);
    }
}

impl Modal for ResolveRows {
    fn is_popup(&self) -> bool {
        true
    }

    fn prepares_sending(&self) -> bool {
        true
    }

    fn takes_editor(&self) -> bool {
        true
    }

    fn asks(&self) -> Option<Ask> {
        (self.stage == Stage::Review && self.request.is_none()).then(|| Ask::of(self.rows.len() as u64))
    }

    fn confirm_text(&self, form: &mut FormText<'_>, env: &Env) {
        form.asks(&self.left(), &env.place(), env);
        form.text(&format!("{}  {}", t!("Why"), Text::new(self.why.value())), env.theme.text());
        form.text(t!("Nothing is sent. lapel does nothing more with them."), env.theme.text());
    }

    fn on_confirmed(&mut self, _: &Env, out: &mut Effects<'_>) {
        if self.request.is_none() {
            let why = self.why.value().trim().to_owned();
            let command = JobCommand::LeaveRows(self.job, self.rows.clone(), why);
            self.request = Some(out.ask(Request::Do(Box::new(command))));
        }
    }
}
