//! A question that needs only the confirmation.

use crate::tui::modals::draft::titles;
use crate::tui::prelude::*;
use crate::tui::widgets::confirm::CONTEXTS;

type OnConfirm = dyn FnOnce(&mut Effects<'_>);

/// A question about a job, as the job is now.
type OfJob = dyn Fn(&Job, &UiContext) -> ActionQuestion;

pub struct ActionQuestion {
    pub what: String,
    pub text: Vec<String>,
    pub warning: Option<String>,
    /// `None`: Enter alone confirms, for what only reads.
    pub ask: Option<ConfirmQuestion>,
}

pub struct ConfirmAction {
    asked: ActionQuestion,
    then: Option<Box<OnConfirm>>,
    toast: Option<&'static str>,
    job: Option<(JobId, Box<OfJob>)>,
}

impl ConfirmAction {
    pub fn new(what: &str, text: Vec<String>, then: impl FnOnce(&mut Effects<'_>) + 'static) -> Self {
        Self::asking(what.to_owned(), text, Some(ConfirmQuestion::ONE), then)
    }

    fn asking(
        what: String,
        text: Vec<String>,
        ask: Option<ConfirmQuestion>,
        then: impl FnOnce(&mut Effects<'_>) + 'static,
    ) -> Self {
        let asked = ActionQuestion { what, text, warning: None, ask };
        Self { asked, then: Some(Box::new(then)), toast: None, job: None }
    }

    /// Asks again if the job changes.
    pub fn about(
        id: JobId,
        asked: ActionQuestion,
        again: impl Fn(&Job, &UiContext) -> ActionQuestion + 'static,
        then: impl FnOnce(&mut Effects<'_>) + 'static,
    ) -> Self {
        Self { asked, then: Some(Box::new(then)), toast: None, job: Some((id, Box::new(again))) }
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
        let ask = Some(ConfirmQuestion::of(rows.max(1)));
        Self::asking(t!("Discard the draft   {title}", title), vec![text], ask, |effects| {
            effects.request(Request::Do(command));
            effects.say(t!("Draft discarded. Nothing was sent."));
            effects.go.push(Navigate::CloseAll);
        })
    }

    pub fn cancel_rest(job: &Job) -> Self {
        let command = Box::new(JobCommand::CancelRest(job.id));
        Self::about(
            job.id,
            cancelled(job),
            |job, _| cancelled(job),
            |effects| {
                effects.request(Request::Do(command));
            },
        )
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
        let what = format!("{what}   {title}", title = job.title_words());
        Self::asking(what, vec![text.to_owned()], Some(ConfirmQuestion::of(n)), |effects| {
            effects.request(Request::Do(command));
        })
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
        let question = Self::asking(what, text, None, |effects| effects.go.push(Navigate::MarkAll));
        question.or_say(t!("Nothing was marked."))
    }

    fn confirm(&mut self, effects: &mut Effects<'_>) {
        effects.close();
        if let Some(then) = self.then.take() {
            then(effects);
        }
    }
}

/// What cancelling the rest of a job cancels now, and what that means.
fn cancelled(job: &Job) -> ActionQuestion {
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
    let what = t!("Cancel the rest of job {id}   {title}", id = job.id, title = job.title_words());
    ActionQuestion { what, text, warning: None, ask: Some(ConfirmQuestion::of(n.max(1))) }
}

impl Component for ConfirmAction {
    fn key_contexts(&self) -> Vec<KeyContext> {
        if self.asked.ask.is_some() { CONTEXTS.to_vec() } else { KeyContext::Menu.in_popup() }
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        self.asked.ask.is_some() || !matches!(action, Action::Down | Action::Up)
    }

    fn hint(&self, action: Action) -> &'static str {
        if self.asked.ask.is_none() && action == Action::Accept { t!("mark") } else { action.hint() }
    }

    fn on_action(&mut self, action: Action, _: &UiContext, effects: &mut Effects<'_>) -> bool {
        match (action, self.asked.ask) {
            (Action::Back, _) => {
                self.toast.iter().for_each(|text| effects.say(*text));
                effects.close();
            }
            (Action::Accept, None) => self.confirm(effects),
            (Action::Down | Action::Up, None) | (Action::PageDown | Action::PageUp, Some(_)) => {}
            _ => return false,
        }
        true
    }

    fn on_job(&mut self, job: &Job, cx: &UiContext) {
        if let Some((_, again)) = self.job.as_ref().filter(|(id, _)| *id == job.id) {
            self.asked = again(job, cx);
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        if self.asked.ask.is_some() {
            return;
        }
        let key = |action| cx.key(&self.key_contexts(), action);
        let keys = t!("{enter} mark  {esc} back", enter = key(Action::Accept), esc = key(Action::Back));
        let mut form = FormText::in_popup(area, cx);
        form.text(&self.asked.what, cx.theme.strong());
        self.asked.text.iter().for_each(|text| form.text(text, cx.theme.text()));
        form.text(&keys, cx.theme.accent());
        form.draw_popup(frame, area, "");
    }
}

impl Modal for ConfirmAction {
    fn asks(&self) -> Option<ConfirmQuestion> {
        self.asked.ask
    }

    fn confirm_text(&self, form: &mut FormText<'_>, cx: &UiContext) {
        form.asks(&self.asked.what, &cx.place(), cx);
        self.asked.text.iter().for_each(|text| form.text(text, cx.theme.text()));
        self.asked.warning.iter().for_each(|text| form.text(text, cx.theme.warning()));
    }

    fn on_confirmed(&mut self, _: &UiContext, effects: &mut Effects<'_>) {
        self.confirm(effects);
    }
}
