//! What lapel writes to the terminal besides frames: clipboard sequences, notifications, the window title. And the user's
//! programs that take the terminal for long texts: editor and pager.

use super::{App, Notice, Tab};
use crate::tui::platform::clipboard::CopiedText;
use crate::tui::platform::host::AppOptions;
use crate::tui::platform::notifications::Notices;
use crate::tui::prelude::*;
use crate::tui::widgets::field::LONGEST;

pub(super) enum CallPurpose {
    /// A text for the clipboard, and whether to try the terminal when no program takes it.
    Clip(CopiedText, bool),
    /// The address of a picture, for a browser.
    Link(String),
}

#[derive(Default)]
pub(in crate::tui) struct TerminalOutput {
    pub(in crate::tui) options: AppOptions,
    notices: Notices,
    /// Requests to external programs without an answer yet.
    pub(super) program_calls: HashMap<RequestId, CallPurpose>,
    spoken: String,
    /// The window title that the terminal has from lapel. Empty: not known.
    titled: String,
    /// Whether the terminal may have lost its content, so that the next frame is drawn whole.
    pub(in crate::tui) is_lost: bool,
}

impl TerminalOutput {
    pub(super) fn say(&mut self, sequence: &str) {
        self.spoken.push_str(sequence);
    }

    pub(super) fn job(&mut self, before: Option<&Job>, job: &Job) {
        if let Some(sequence) = self.notices.of(before, job, &self.options, Instant::now()) {
            self.say(&sequence);
        }
    }

    pub(super) fn lost(&mut self) {
        self.is_lost = true;
        self.titled.clear();
    }
}

impl App {
    /// Takes the terminal output that is not a frame: clipboard, bell, notifications.
    pub fn take_spoken(&mut self) -> String {
        std::mem::take(&mut self.output.spoken)
    }

    /// Takes the sequence for a new window title: the screen, the environment and the profile, and no person. `None`
    /// if the title is still right, or the terminal has none.
    pub fn take_title(&mut self) -> Option<String> {
        // Otherwise no frame follows.
        if !self.changed || self.output.options.host.is_plain {
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

    pub fn text_for_editor(&mut self) -> Option<String> {
        self.modals.long_field(&self.cx).map(|field| field.value().to_owned())
    }

    pub fn take_edited(&mut self, came: Result<String, String>) {
        self.changed = true;
        let text = match came {
            Ok(text) => text,
            Err(why) => {
                self.toasts.notice = Some(Notice::new(why, true));
                return;
            }
        };
        let Some(field) = self.modals.long_field(&self.cx) else { return };
        let text = text.trim();
        let cut = field.fill(text);
        let is_joined = text.lines().nth(1).is_some();
        let joined = is_joined.then(|| t!("A reason is one line, so its lines were joined.").to_owned());
        let cut = (cut > 0).then(|| {
            t!(
                "It has more than {most} characters; the last {cut} were cut off.",
                most = number(LONGEST as u64),
                cut = number(cut as u64)
            )
        });
        let said: Vec<String> = joined.into_iter().chain(cut).collect();
        if !said.is_empty() {
            self.toasts.notice = Some(Notice::toast(said.join(" "), false));
        }
    }
}
