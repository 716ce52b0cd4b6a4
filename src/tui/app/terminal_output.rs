//! What lapel writes to the terminal besides frames: clipboard sequences, notifications, the window title.

use super::{App, Tab};
use crate::tui::platform::host::Manner;
use crate::tui::platform::notifications::Notices;
use crate::tui::platform::pager;
use crate::tui::prelude::*;

#[derive(Default)]
pub(in crate::tui) struct TerminalOutput {
    pub(super) manner: Manner,
    notices: Notices,
    spoken: String,
    /// The window title that the terminal has from lapel. Empty: not known.
    titled: String,
    /// Whether the terminal may have lost its content, so that the next frame is drawn whole.
    is_lost: bool,
}

impl TerminalOutput {
    pub(super) fn say(&mut self, sequence: &str) {
        self.spoken.push_str(sequence);
    }

    pub(super) fn job(&mut self, before: Option<&Job>, job: &Job) {
        if let Some(sequence) = self.notices.of(before, job, &self.manner, Instant::now()) {
            self.say(&sequence);
        }
    }

    /// Handles that the terminal may have lost its content, and may have another window title.
    pub(super) fn lost(&mut self) {
        self.is_lost = true;
        self.titled.clear();
    }

    pub(super) fn take_lost(&mut self) -> bool {
        std::mem::take(&mut self.is_lost)
    }
}

impl App {
    pub fn set_manner(&mut self, manner: Manner) {
        self.refresh.choose(manner.settings.refresh, Instant::now());
        self.output.manner = manner;
        self.read_saved();
    }

    /// The user's editor. Without one, `vi`, which most systems have.
    pub fn editor(&self) -> String {
        self.output.manner.around.editor.clone().unwrap_or_else(|| "vi".to_owned())
    }

    /// The user's pager. Without one, `less` or `more`.
    pub fn pager(&self) -> String {
        pager::command(self.output.manner.around.pager.as_deref())
    }

    /// Takes the terminal output that is not a frame: clipboard, bell, notifications.
    pub fn take_spoken(&mut self) -> String {
        std::mem::take(&mut self.output.spoken)
    }

    /// Takes the sequence for a new window title: the screen, the environment and the profile, and no person. `None`
    /// if the title is still right, or the terminal has none.
    pub fn take_title(&mut self) -> Option<String> {
        // Otherwise no frame follows.
        if !self.changed || self.output.manner.around.is_plain() {
            return None;
        }
        let mut parts = vec!["lapel".to_owned()];
        if self.welcome.is_none() {
            parts.extend(
                Tab::ALL
                    .iter()
                    .filter(|(tab, _)| *tab == self.navigation.tab)
                    .map(|(_, name)| i18n::tr(name).to_owned()),
            );
        }
        if let Some(session) = self.cx.session() {
            parts.push(format!("{} {}", session.environment, scrub(&session.name)));
        }
        let title = self.cx.dotted(&parts);
        if title == self.output.titled {
            return None;
        }
        self.output.titled.clone_from(&title);
        Some(format!("\x1b]0;{title}\x1b\\"))
    }
}
