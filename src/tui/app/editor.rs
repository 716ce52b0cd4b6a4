//! The user's external programs for long texts: editor and pager.

use super::{App, LoopCommand};
use crate::tui::prelude::*;
use crate::tui::widgets::field::LONGEST;
use crate::tui::widgets::text_layout::number;

impl App {
    pub(super) fn edit(&mut self, out: &mut Effects<'_>) {
        if self.long_field().is_some() {
            self.loop_command = Some(LoopCommand::Edit);
        } else {
            out.say(t!("You can use an editor only while you type a reason."));
        }
    }

    fn long_field(&mut self) -> Option<&mut TextField> {
        self.modals.last_mut()?.long_field()
    }

    pub fn text_for_editor(&mut self) -> Option<String> {
        self.long_field().map(|field| field.value().to_owned())
    }

    /// Called when the pager has ended. Shows why it could not start, if it could not.
    pub fn take_paged(&mut self, shown: Result<(), String>) {
        if let Err(why) = shown {
            self.toasts.notice = Some(super::Notice::new(why, true));
        }
    }

    /// Puts the edited text into the field, or shows why there is none.
    pub fn take_edited(&mut self, came: Result<String, String>) {
        self.changed = true;
        let mut said = Vec::new();
        match came {
            Err(why) => {
                self.toasts.notice = Some(super::Notice::new(why, true));
                return;
            }
            Ok(text) => {
                let Some(field) = self.long_field() else { return };
                let text = text.trim();
                let cut = field.fill(text);
                if text.lines().nth(1).is_some() {
                    said.push(t!("A reason is one line, so its lines were joined.").to_owned());
                }
                if cut > 0 {
                    said.push(t!(
                        "It has more than {most} characters; the last {cut} were cut off.",
                        most = number(LONGEST as u64),
                        cut = number(cut as u64)
                    ));
                }
            }
        }
        if !said.is_empty() {
            self.toasts.notice = Some(super::Notice::toast(said.join(" "), false));
        }
    }
}
