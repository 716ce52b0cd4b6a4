//! A menu of what is possible with a job: the run popup and the export popup.

use crate::jobs::count;
use crate::tui::modals::job_actions::{can, run, steps};
use crate::tui::prelude::*;
use crate::tui::tour::TourPlace;

const WIDEST: u16 = 90;

const STACK: [KeyContext; 3] = [KeyContext::JobMenu, KeyContext::Popup, KeyContext::Always];

pub struct JobMenu {
    job: Box<Job>,
    of: &'static [Action],
    /// The marked rows of the job. Cancelling and files are about these only.
    marked: Vec<JobRow>,
    /// What a file of the list below would have, in words. `None` if there is no list.
    listed: Option<String>,
    /// The selected action, which may become impossible while the menu is open.
    selected: Option<Action>,
    sight: ListArea,
}

const RUN: &[Action] = &[Action::Pause, Action::Resume, Action::UseUp, Action::Retry, Action::CancelRest];
const EXPORT: &[Action] = &[Action::Receipt, Action::Redo, Action::SaveList];

impl JobMenu {
    /// The menu of everything that changes how a job runs. `None` if nothing does now.
    pub fn run(job: &Job, marked: Vec<JobRow>) -> Option<Self> {
        Self::new(job, RUN, marked, None)
    }

    /// The menu of files that can be saved from a job, and of the list below.
    pub fn export(job: &Job, marked: Vec<JobRow>, listed: Option<String>) -> Option<Self> {
        Self::new(job, EXPORT, marked, listed)
    }

    fn new(job: &Job, of: &'static [Action], marked: Vec<JobRow>, listed: Option<String>) -> Option<Self> {
        let (selected, sight) = (None, ListArea::default());
        let menu = Self { job: Box::new(job.clone()), of, marked, listed, selected, sight };
        (!menu.shown().is_empty()).then_some(menu)
    }

    fn shown(&self) -> Vec<Action> {
        let all = self.of.iter().copied();
        let is_possible = |action: &Action| match action {
            Action::SaveList => self.listed.is_some(),
            action => can(*action, &self.job) && self.rows_of(*action) != Some(0),
        };
        all.filter(is_possible).collect()
    }

    fn at(&self) -> usize {
        self.shown().iter().position(|action| Some(*action) == self.selected).unwrap_or(0)
    }

    fn select(&mut self, at: usize) {
        self.selected = self.shown().get(at).copied();
    }

    fn choose(&self, action: Action, effects: &mut Effects<'_>) {
        effects.close();
        match action {
            Action::SaveList => effects.go.push(Navigate::Run(action)),
            action => run(&self.job, action, &self.marked, effects),
        }
    }

    /// The number of marked rows that an action is about. `None` if it is about the whole job.
    fn rows_of(&self, action: Action) -> Option<u64> {
        if self.marked.is_empty() {
            return None;
        }
        let may = |step| Some(steps(step, &self.job, &self.marked).len() as u64);
        match action {
            Action::CancelRest => may(Step::CancelRest),
            Action::Redo => may(Step::Redo),
            Action::Receipt => Some(self.marked.len() as u64),
            _ => None,
        }
    }

    fn name(&self, action: Action) -> &'static str {
        match (action, self.rows_of(action)) {
            (Action::CancelRest, Some(_)) => t!("cancel marked rows"),
            _ => action.hint(),
        }
    }

    fn help(&self, action: Action) -> &'static str {
        match (action, self.rows_of(action)) {
            (Action::CancelRest, Some(_)) => t!("cancel the marked rows that are not sent yet"),
            (Action::Receipt, Some(_)) => t!("save a receipt of the marked rows, each with its result"),
            _ => action.help(),
        }
    }

    fn title(&self) -> String {
        let (id, title) = (self.job.id, self.job.title_words());
        if self.of == RUN {
            t!("Run job {id}: {title}", id, title)
        } else {
            t!("Save job {id}: {title}", id, title)
        }
    }

    fn rows(&self, action: Action) -> String {
        if let Some(rows) = self.rows_of(action) {
            return plural!(rows, "{n} marked row", "{n} marked rows");
        }
        let rows = match action {
            Action::Resume if self.job.left_after_check() > 0 => {
                let (n, held) = (self.job.left_to_resume(), self.job.left_after_check());
                if n == held {
                    return plural!(n, "{n} row after a check", "{n} rows after a check");
                }
                let held = number(held);
                return plural!(
                    n,
                    "{n} row, {held} of them after a check",
                    "{n} rows, {held} of them after a check",
                    held
                );
            }
            Action::Resume | Action::UseUp => self.job.left_to_resume(),
            Action::Retry => self.job.left_to_retry(),
            Action::CancelRest => count(Step::CancelRest, &self.job),
            Action::Redo => count(Step::Redo, &self.job),
            Action::Receipt => self.job.counts.total(),
            Action::SaveList => return self.listed.clone().unwrap_or_default(),
            _ => return String::new(),
        };
        count!(rows, "row", "rows")
    }
}

impl Component for JobMenu {
    fn key_contexts(&self) -> Vec<KeyContext> {
        STACK.to_vec()
    }

    fn is_enabled(&self, action: Action, _: &UiContext) -> bool {
        !(RUN.contains(&action) || EXPORT.contains(&action)) || self.shown().contains(&action)
    }

    fn on_action(&mut self, action: Action, _: &UiContext, effects: &mut Effects<'_>) -> bool {
        let all = self.shown().len();
        match action {
            Action::Accept => match self.shown().get(self.at()) {
                Some(action) => self.choose(*action, effects),
                None => effects.close(),
            },
            Action::Back => effects.close(),
            _ if self.shown().contains(&action) => self.choose(action, effects),
            _ => match self.sight.moved_around(action, self.at(), all) {
                Some(at) => self.select(at),
                // A key of the menu whose action is not possible does nothing.
                None => return RUN.contains(&action) || EXPORT.contains(&action),
            },
        }
        true
    }

    fn on_click(&mut self, at: Position, _: Rect, _: &UiContext, _: &mut Effects<'_>) -> Clicked {
        let mut place = self.at();
        let clicked = self.sight.click(at, &mut place, Action::Accept);
        self.select(place);
        clicked
    }

    fn on_job(&mut self, job: &Job, _: &UiContext) {
        if job.id == self.job.id {
            self.job.as_mut().clone_from(job);
        }
    }

    fn tour_place(&self) -> TourPlace {
        if self.of == EXPORT { TourPlace::Files } else { TourPlace::Elsewhere }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, cx: &UiContext) {
        let room = usize::from(popup::centred(area, WIDEST).width).saturating_sub(6);
        let actions = self.shown();
        let key = |action: Action| cx.key(&STACK, action);
        let keys = actions.iter().map(|action| width(&key(*action))).max().unwrap_or(0) + 2;
        let names = actions.iter().map(|action| width(self.name(*action))).max().unwrap_or(0) + 2;
        let (selected, text) = (self.at(), cx.theme.text());
        let mut lines: Vec<Line<'_>> = Vec::new();
        for (at, action) in actions.iter().enumerate() {
            let cursor = if at == selected { cx.glyphs.cursor } else { " " };
            let line = Line::from(vec![
                Span::styled(format!(" {cursor} "), cx.theme.accent()),
                Span::styled(fit(&key(*action), keys, ""), cx.theme.key()),
                Span::styled(fit(self.name(*action), names, ""), text),
                Span::styled(self.rows(*action), cx.theme.dim()),
            ]);
            lines.push(if at == selected { line.style(cx.theme.selected()) } else { line });
        }
        // Room for the longest explanation, so that the list does not move.
        let explained = |action: &Action| wrap(self.help(*action), room);
        let most = actions.iter().map(|action| explained(action).len()).max().unwrap_or(0);
        let outer = popup::at_bottom(area, WIDEST, lines.len() + 1 + most);
        let inner = popup::open(frame, outer, area, &self.title(), cx);
        self.sight.lay(
            Rect { height: inner.height.min(u16::try_from(actions.len()).unwrap_or(u16::MAX)), ..inner },
            selected,
            actions.len(),
        );
        lines.push(Line::raw(""));
        let explained = actions.get(selected).map(explained).unwrap_or_default();
        lines.extend(explained.into_iter().map(|line| Line::styled(format!("   {line}"), cx.theme.dim())));
        frame.render_widget(lines, inner);
    }
}

impl Modal for JobMenu {
    fn has(&self, flag: ModalFlag) -> bool {
        flag == ModalFlag::PreparesSending && self.of == RUN
    }
}
