//! A question that needs only the confirmation.

use crate::tui::modals::draft::titles;
use crate::tui::prelude::*;
use crate::tui::widgets::confirm::CONTEXTS;

type OnConfirm = dyn FnOnce(&mut Effects<'_>);

pub struct ConfirmAction {
    what: String,
    text: Vec<String>,
    /// `None`: Enter alone confirms, for what only reads.
    ask: Option<ConfirmQuestion>,
    then: Option<Box<OnConfirm>>,
    toast: Option<&'static str>,
    job: Option<JobId>,
}

impl ConfirmAction {
    pub fn new(what: &str, text: Vec<String>, then: impl FnOnce(&mut Effects<'_>) + 'static) -> Self {
        Self {
            what: what.to_owned(),
            text,
            ask: Some(ConfirmQuestion::ONE),
            then: Some(Box::new(then)),
            toast: None,
            job: None,
        }
    }

    #[must_use]
    pub fn or_say(self, text: &'static str) -> Self {
        Self { toast: Some(text), ..self }
    }

    /// Asks whether to discard drafts. Closes their review.
    pub fn discard(drafts: &[Job]) -> Self {
        let rows = drafts.iter().map(|job| job.counts.total()).sum::<u64>();
        let title = titles(drafts);
        let text = plural!(
            rows,
            "This removes {n} row and all decisions about it. Nothing was sent.",
            "This removes {n} rows and all decisions about them. Nothing was sent."
        );
        let command = Box::new(JobCommand::Discard(drafts.iter().map(|job| job.id).collect()));
        let question = Self::new(&t!("Discard the draft   {title}", title), vec![text], |out| {
            out.ask(Request::Do(command));
            out.say(t!("Draft discarded. Nothing was sent."));
            out.go.push(Navigate::CloseAll);
        });
        Self { ask: Some(ConfirmQuestion::of(rows.max(1))), ..question }
    }

    pub fn cancel_rest(job: &Job) -> Self {
        let id = job.id;
        let what = t!("Cancel the rest of job {id}   {title}", id, title = job.title_words());
        let command = Box::new(JobCommand::CancelRest(id));
        let (ask, text) = cancelled(job);
        let question = Self::new(&what, text, |out| {
            out.ask(Request::Do(command));
        });
        Self { ask: Some(ask), job: Some(id), ..question }
    }

    pub fn cancel_rows(job: &Job, rows: Vec<u64>) -> Self {
        let n = rows.len() as u64;
        let what = plural!(
            n,
            "Cancel {n} marked row of job {id}",
            "Cancel {n} marked rows of job {id}",
            id = job.id
        );
        let text = t!("They will not be sent. The other rows stay as they are. This cannot be undone.");
        let command = Box::new(JobCommand::CancelRows(job.id, rows));
        let title = job.title_words();
        let question = Self::new(&format!("{what}   {title}"), vec![text.to_owned()], |out| {
            out.ask(Request::Do(command));
        });
        Self { ask: Some(ConfirmQuestion::of(n)), ..question }
    }

    /// Asks whether to read and mark all rows that match a filter. `rows` is their number, if the service
    /// reports it. With `is_narrowed`, lapel compares the rows itself, so that only some of them are
    /// marked.
    pub fn mark_all(rows: Option<u64>, filter: &[String], is_narrowed: bool, cx: &UiContext) -> Self {
        let what = match rows {
            Some(rows) if is_narrowed => plural!(
                rows,
                "Read {n} badge and mark it if it matches?",
                "Read {n} badges and mark those that match?"
            ),
            Some(rows) => {
                plural!(rows, "Mark the {n} badge that matches?", "Mark all {n} badges that match?")
            }
            None => t!("Mark all badges that match? The service does not report how many.").to_owned(),
        };
        let filter = (!filter.is_empty()).then(|| filter.join(&format!(" {} ", cx.glyphs.dot)));
        let mut text: Vec<String> =
            filter.into_iter().chain(rows.map(|rows| cx.reading_cost(rows))).collect();
        text.push(t!(
            "lapel reads them in the background, and marks them when all are read. {esc} cancels this. lapel only reads from the service. The review skips badges that cannot be revoked.",
            esc = cx.key(&[KeyContext::History, KeyContext::Global, KeyContext::Always], Action::Back)
        ));
        let question = Self::new(&what, text, |out| out.go.push(Navigate::MarkAll));
        Self { ask: None, ..question.or_say(t!("Nothing was marked.")) }
    }

    fn confirm(&mut self, out: &mut Effects<'_>) {
        out.close();
        if let Some(then) = self.then.take() {
            then(out);
        }
    }
}

/// The number of rows that cancelling a job cancels now, and what that means.
fn cancelled(job: &Job) -> (ConfirmQuestion, Vec<String>) {
    let n = crate::jobs::count(Step::CancelRest, job);
    let held = job.held_by_refusal();
    let mut text = Vec::new();
    match n.saturating_sub(held) {
        0 if held > 0 => {}
        0 => text.push(t!("Nothing else is left to send.").to_owned()),
        n => text.push(plural!(n, "{n} unsent row will not be sent.", "{n} unsent rows will not be sent.")),
    }
    if held > 0 {
        text.push(plural!(
            held,
            "The service refused {n} row (HTTP 422), and may have accepted it. It is in doubt until a check proves that it was not accepted, then cancelled.",
            "The service refused {n} rows (HTTP 422), and may have accepted some. They are in doubt until a check proves that none was accepted, then cancelled."
        ));
    }
    if job.counts.of(RowStatus::Sending) > 0 {
        let waits =
            t!("lapel waits for requests already sent, and cancels requests that wait for their turn.");
        text.push(waits.to_owned());
    }
    text.push(
        t!("lapel keeps checking what was sent. This cannot be undone: a cancelled job does not resume.")
            .to_owned(),
    );
    (ConfirmQuestion::of(n.max(1)), text)
}

impl Component for ConfirmAction {
    fn key_contexts(&self) -> Vec<KeyContext> {
        if self.ask.is_some() { CONTEXTS.to_vec() } else { KeyContext::Menu.in_popup() }
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        self.ask.is_some() || !matches!(action, Action::Down | Action::Up)
    }

    fn hint(&self, action: Action) -> &'static str {
        if self.ask.is_none() && action == Action::Accept { t!("mark") } else { action.hint() }
    }

    fn on_action(&mut self, action: Action, _: &UiContext, out: &mut Effects<'_>) -> bool {
        match (action, self.ask) {
            (Action::Back, _) => {
                self.toast.iter().for_each(|text| out.say(*text));
                out.close();
            }
            (Action::Accept, None) => self.confirm(out),
            (Action::Down | Action::Up, None) | (Action::PageDown | Action::PageUp, Some(_)) => {}
            _ => return false,
        }
        true
    }

    fn on_job(&mut self, job: &Job, _: &UiContext) {
        if self.job == Some(job.id) {
            let (ask, text) = cancelled(job);
            (self.ask, self.text) = (Some(ask), text);
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        if self.ask.is_some() {
            return;
        }
        let key = |action| cx.key(&self.key_contexts(), action);
        let keys = t!("{enter} mark  {esc} back", enter = key(Action::Accept), esc = key(Action::Back));
        let mut form = FormText::in_popup(area, cx);
        form.text(&self.what, cx.theme.strong());
        self.text.iter().for_each(|text| form.text(text, cx.theme.text()));
        form.text(&keys, cx.theme.accent());
        form.draw_popup(frame, area, "");
    }
}

impl Modal for ConfirmAction {
    fn asks(&self) -> Option<ConfirmQuestion> {
        self.ask
    }

    fn confirm_text(&self, form: &mut FormText<'_>, cx: &UiContext) {
        form.asks(&self.what, &cx.place(), cx);
        self.text.iter().for_each(|text| form.text(text, cx.theme.text()));
    }

    fn on_confirmed(&mut self, _: &UiContext, out: &mut Effects<'_>) {
        self.confirm(out);
    }
}
