//! Confirmation before lapel marks all rows that match a filter: their number, and the requests needed to read
//! them.

use crate::tui::prelude::*;

pub struct MarkAllForm {
    /// Number of matching rows, if the service reports it.
    rows: Option<u64>,
    /// Description of the filter.
    words: Vec<String>,
    /// Whether lapel compares the rows itself, so that only some of them are marked.
    is_narrowed: bool,
}

impl MarkAllForm {
    pub fn new(rows: Option<u64>, words: Vec<String>, is_narrowed: bool) -> Self {
        Self { rows, words, is_narrowed }
    }
}

impl Component for MarkAllForm {
    fn key_contexts(&self) -> Vec<Context> {
        Context::Menu.in_popup()
    }

    fn is_enabled(&self, action: Action, _: &Env) -> bool {
        !matches!(action, Action::Down | Action::Up)
    }

    fn hint(&self, action: Action) -> &'static str {
        if action == Action::Accept { t!("mark") } else { action.hint() }
    }

    fn on_action(&mut self, action: Action, _: &Env, out: &mut Effects<'_>) -> bool {
        match action {
            Action::Accept => {
                out.close();
                out.go.push(Navigate::MarkAll);
            }
            Action::Back => {
                out.say(t!("Nothing was marked."));
                out.close();
            }
            Action::Down | Action::Up => {}
            _ => return false,
        }
        true
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, env: &Env) {
        let mut form = FormText::in_popup(area, env);
        let question = match self.rows {
            Some(rows) if self.is_narrowed => {
                plural!(
                    rows,
                    "Read {n} badge and mark it if it matches?",
                    "Read {n} badges and mark those that match?"
                )
            }
            Some(rows) => {
                plural!(rows, "Mark the {n} badge that matches?", "Mark all {n} badges that match?")
            }
            None => t!("Mark all badges that match? The service does not report how many.").to_owned(),
        };
        form.text(&question, env.theme.strong());
        if !self.words.is_empty() {
            form.text(&self.words.join(&format!(" {} ", env.glyphs.dot)), env.theme.text());
        }
        if let Some(rows) = self.rows {
            form.text(&env.reading_cost(rows), env.theme.text());
        }
        form.dim(&t!(
            "lapel reads them in the background, and marks them when all are read. {esc} cancels this. lapel only reads from the service. The review skips badges that cannot be revoked.",
            esc = env.key(&[Context::History, Context::Global, Context::Always], Action::Back)
        ));
        let key = |action| env.key(&self.key_contexts(), action);
        let text = t!("{enter} mark  {esc} back", enter = key(Action::Accept), esc = key(Action::Back));
        form.text(&text, env.theme.accent());
        form.draw_popup(frame, area, "");
    }
}

impl Modal for MarkAllForm {
    fn is_popup(&self) -> bool {
        true
    }
}
